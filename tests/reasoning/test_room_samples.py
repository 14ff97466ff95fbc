"""Posterior samples of a room give the same answers together as one by one."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from test_brute_force_tables import Programs

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.program import ANSWERS, Call
from po3d.language.programs.rooms import ROOMS, RoomCall
from po3d.reasoning import body_relations
from po3d.reasoning.counterfactuals import margins_in
from po3d.reasoning.execute import run
from po3d.reasoning.room_samples import NotBatchable
from po3d.reasoning.rules import ROOM_RULES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.frames import frame_text_anchors
from po3d.scene.rooms import COLORS
from po3d.scene.table import ObjectState, Scene
from po3d.synthesis.top_view.changes import TYPES, sample_change
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.questions import QUESTION_TYPES, AnsweredQuestionSampler
from po3d.systems.framed_rooms import SampledRoom

OTHERS = ("chair", "table", "office chair", "lamp", "picture", "cabinet", "box", "plant")


def uncertain_object(o: ObjectState, random: np.random.Generator) -> ObjectState:
    beliefs = dict(o.beliefs)
    for attribute, values in (("name", OTHERS), ("color", COLORS)):
        other = str(random.choice(values))
        if attribute in beliefs and random.random() < 0.5 and other != o.value(attribute):
            p = float(random.uniform(0.3, 0.95))
            beliefs[attribute] = {o.value(attribute): p, other: 1 - p}
    existence = float(random.choice([1.0, 0.95, 0.6, 0.4], p=[0.5, 0.2, 0.2, 0.1]))
    flip = float(random.choice([0.0, 0.1, 0.5]))
    return replace(o, beliefs=beliefs, existence=existence, flip=flip, name="")


def uncertain_room(seed: int) -> tuple[Scene, Scene]:
    """Return a certain room, and the same with beliefs."""
    scene, random = sample_room(77, seed), rng(seed, "room samples")
    objects = tuple(replace(o, name="") for o in scene.objects)
    scene = replace(scene, objects=objects)
    beliefs = tuple(uncertain_object(o, random) for o in objects)
    return scene, replace(scene, objects=beliefs, source="predicted", image=f"room {seed}")


def questions(scene: Scene, seed: int) -> list[tuple[str, RoomCall | None, RoomCall]]:
    """Return frames, changes and questions about a certain room."""
    random, query = rng(seed, "room samples/questions"), []
    names = sorted({o.value("name") for o in scene.objects})
    for kind in (None, *TYPES):
        change = sample_change(scene, kind, random) if kind else None
        if kind and change is None:
            continue
        world = (
            SceneGeometry(change[1].edited, scene)
            if change
            else SceneGeometry.of(scene, ROOM_RULES)
        )
        asker = AnsweredQuestionSampler(world, random)
        for fine in QUESTION_TYPES.get(kind) or next(iter(QUESTION_TYPES.values())):
            if (question := asker.ask(fine)) is not None:
                anchors = [
                    (str(random.choice(names)), str(random.choice(["left", "back"])))
                    for _ in range(2)
                ]
                frame = frame_text_anchors(anchors[: int(random.integers(3))])
                edit = ROOMS.to_core(change[0]) if change else None
                query.append((frame, edit, ROOMS.to_core(question[0])))
    return query


def compare(seed: int, count: int = 12) -> Counter:
    """Count the questions about a room by how they ran; the answers have to be equal."""
    scene, beliefs = uncertain_room(seed)
    room, outcome = (
        SampledRoom(beliefs, ROOM_RULES, "anchors", count, ("existence", "flip", "looks")),
        Counter(),
    )
    for frame, change, question in questions(scene, seed):
        try:
            frame, anchors = room._anchors(frame)
            samples = room._samples(anchors)
            assert samples.arrays is not None
            together = samples._in_frame(frame).answers(change, question)
        except NotBatchable as reason:
            outcome["one by one"] += 1
            outcome[f"not together: {reason}"] += 1
            continue
        except InputError:
            outcome["no frame"] += 1
            continue
        single = [r.run(frame, change, question).answer for r in samples.rooms]
        assert together == single, f"{seed}: {frame!r} {change} ; {question}"
        outcome["together"] += 1
        outcome["answers"] += sum(a is not None for a in single)
        outcome["failures"] += single.count(None)
    return outcome


@pytest.mark.parametrize("seed", range(3))
def test_samples_answer_together_as_one_by_one(seed):
    outcome = compare(seed)
    assert outcome["together"] > 5 * outcome["one by one"]
    assert outcome["answers"] > outcome["failures"] / 4


def program_without_rows(programs: Programs, kind: str) -> Call:
    """Return a program that refers to no row and to no image."""
    while True:
        program = programs.call(kind)
        if not any(call.op in ("refer", "choices", "view") for call in program.calls()):
            return program


@pytest.mark.parametrize("seed", range(3))
def test_programs_of_any_kind_are_answered_as_on_each_sample(seed):
    scene, beliefs = uncertain_room(seed)
    room = SampledRoom(beliefs, ROOM_RULES, "anchors", 6, ("existence", "flip", "looks"))
    samples, random, outcome = room._samples([]), rng(seed, "room samples/any"), Counter()
    framed = samples._in_frame("")
    worlds = [framed._unedited(k) for k in range(len(samples))]
    for _ in range(200):
        program = program_without_rows(Programs(random, scene), str(random.choice(ANSWERS)))
        try:
            together = framed.answers(None, program)
        except NotBatchable:
            continue
        single = [run(program, world).answer for world in worlds]
        assert together == single, program
        outcome["together"] += 1
        outcome["answers"] += sum(a is not None for a in single)
        outcome["failures"] += single.count(None)
    assert outcome["together"] > 40
    assert outcome["answers"] > 100
    assert outcome["failures"] > 20


def test_a_relation_of_rooms_is_one_row_of_a_table(monkeypatch):
    """The executor, its batch and the margins read `body_relations.BODIES` alone."""
    near = body_relations.BodyRelation(
        lambda ones, i, rules, xp: 2.0 - body_relations.gap(ones[0], i, xp),
        "within two metres of {}",
    )
    monkeypatch.setitem(body_relations.BODIES, "at", near)
    _, beliefs = uncertain_room(1)
    room = SampledRoom(beliefs, ROOM_RULES, "anchors", 6, ("existence", "flip", "looks"))
    samples = room._samples([])
    framed = samples._in_frame("")
    worlds = [framed._unedited(k) for k in range(len(samples))]
    names = Counter(worlds[0].names[: worlds[0].now])
    name = next(name for name, times in names.items() if times == 1)
    program = Call.parse(f'count(relate(at, unique(filter(name, "{name}", scene)), scene))')
    answers = [run(program, world).answer for world in worlds]
    assert framed.answers(None, program) == answers
    decisions = margins_in(program, worlds[0]).steps[-2]
    assert len(decisions) == worlds[0].now - 1
    assert sum(d.distance > 0 for d in decisions) == int(answers[0])
    assert 0 < int(answers[0]) < len(decisions)
    assert all(d.boundary.startswith("within two metres of ") for d in decisions)


def test_a_question_that_cannot_run_on_all_samples_at_once_runs_on_each():
    scene, beliefs = uncertain_room(1)
    room = SampledRoom(beliefs, ROOM_RULES, "anchors", 8, ("existence", "flip", "looks"))
    name = scene.objects[0].value("name")
    change = ROOMS.parse(f'then(remove(all("{name}")), remove(all("picture")))')
    question = ROOMS.parse('count(all("object"))')
    with pytest.raises(NotBatchable):
        room._samples([])._in_frame("").answers(change, question)
    samples = room._samples([])
    assert samples.answers("", change, question) == [
        r.run("", change, question).answer for r in samples.rooms
    ]


if (
    __name__ == "__main__"
):  # a long comparison: python tests/reasoning/test_room_samples.py FIRST LAST
    import sys

    total = Counter()
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        try:
            total.update(compare(number))
        except AssertionError as error:
            total["different"] += 1
            print(str(error)[:1500], flush=True)
        if number % 20 == 19:
            print(number, total, flush=True)
    print(total)
