"""Programs of any benchmark on tables of any world: an answer, or a failure that says why; and what
one question means is one thing, on whatever table and under whatever rules it is asked.
"""

from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from study_room import study

from po3d.io.seeding import rng
from po3d.language.program import ANSWERS, Call
from po3d.language.read.reader import ParserOutput as Read
from po3d.reasoning.counterfactuals import margins_in
from po3d.reasoning.execute import Evaluator, QuestionInfo, run
from po3d.reasoning.questions import Question
from po3d.reasoning.rules import ROOM_RULES, SCOPE_RULES, STREET_RULES, THREEDSRBENCH_RULES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.geometry import Camera, look_at
from po3d.scene.orbit import Orbit
from po3d.scene.table import ObjectState, Scene, sure
from po3d.synthesis.top_view.layouts import sample_room
from po3d.systems import orbit as orbits
from po3d.systems import photographs, rooms, street
from po3d.systems.general_parser import joined
from po3d.systems.parse_execution import run as run_reading
from po3d.systems.pipeline import ImageScenes

RULES = {
    "street": STREET_RULES,
    "rooms": ROOM_RULES,
    "3dsrbench": THREEDSRBENCH_RULES,
    "scope": SCOPE_RULES,
}
WORDS = (
    "chair",
    "man",
    "desk",
    "sedan",
    "car",
    "red",
    "left",
    "sitting",
    "occluded",
    "back",
    "object",
    "large",
)


def orbit(seed: int) -> Scene:
    random = rng(seed, "any table/orbit")
    objects = []
    for name in ("man", "cup", "dog", "chair", "chair"):
        x, y, z = random.uniform((-3, -3, 0.2), (3, 3, 1.5)).tolist()
        heading = float(random.uniform(-3, 3))
        objects.append(
            ObjectState(
                sure(name=name, color="red"),
                (x, y, z),
                heading,
                tuple(random.uniform(0.3, 0.8, 3).tolist()),
            )
        )
    camera = Camera(640, 480, 600.0, look_at((0.0, -9.0, 2.0), (0.0, 0.0, 0.5)))
    return Scene(tuple(objects), Orbit(9.0, 2.0, 0.5).axes(0), "gt", camera, image="orbit.png")


TABLES = {
    "street": lambda seed: random_scene(rng(seed, "any table"), 5),
    "room": lambda seed: sample_room(3, seed % 7),
    "study": lambda seed: study(),
    "orbit": orbit,
    "empty": lambda seed: replace(orbit(seed), objects=()),
}


ENDING = ("frame", "thing", "traits", "place")  # what ends soon


def random_call(
    random: np.random.Generator, kind: str, depth: int = 0, words: tuple[str, ...] = WORDS
) -> Call:
    """A program of a type, by the signatures alone; phrases are of these words."""
    language = Call.language
    offers = [
        (op, s)
        for op, several in language.signatures.items()
        for s in several
        if s.output == kind
        and (depth < 4 or all(k in (*language.leaves, *ENDING) for k in s.inputs))
    ]
    if depth >= 4 and not offers:
        offers = (
            [("unique", language.signatures["unique"][0])]
            if kind == "object"
            else [("scene", None)]
        )
    op, signature = offers[int(random.integers(len(offers)))]
    args = []
    for inner in signature.inputs if signature else ():
        leaf = language.leaves.get(inner)
        if leaf is None:
            args.append(random_call(random, inner, depth + 1, words))
        elif leaf is str:
            args.append(str(random.choice(words if op == "refer" else WORDS)))
        elif leaf is float:
            args.append(float(random.integers(1, 8)) * 45)
        else:
            args.append(str(random.choice(leaf)))
    return Call(op, tuple(args))


OPTIONS = (
    (),
    (),
    ("left", "right"),
    ("front", "back", "left", "right"),
    ("Back-left", "front-right", "front", "behind left"),
    ("the chair", "a man", "the red one", "desk"),
    ("picture 1", "picture 2", "picture 3", "picture 4"),
    ("yes", "no"),
)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("rules", RULES)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_any_program_on_any_table_has_an_answer_or_a_reason(table, rules, seed):
    random = rng(seed, "any program")
    scene = TABLES[table](seed)
    program = random_call(random, str(random.choice(ANSWERS)))
    options = OPTIONS[int(random.integers(len(OPTIONS)))]
    query = QuestionInfo("6d" if seed % 2 else "2d", options, (scene.axes,) if seed % 3 else ())
    outcome = run(program, SceneGeometry.of(scene, RULES[rules]), query)
    assert (outcome.answer is None) == (outcome.status == "failed") == bool(outcome.reason)
    assert (outcome.kind is None) == (outcome.status == "ok")
    assert all(isinstance(step, str) for step in outcome.steps)
    near = margins_in(program, SceneGeometry.of(scene, RULES[rules]), query)
    assert near.answer == outcome.answer
    assert near.flip is None or near.flip.answer != near.answer


WORLDS = {
    "street": street.DOMAIN,
    "rooms": replace(rooms.DOMAIN, samples=0),
    "photographs": photographs.DOMAIN,
    "orbit": orbits.DOMAIN,
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("world", WORLDS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_whatever_was_read_has_an_outcome_in_every_world(table, world, seed):
    """Frames, changes and options that nobody would say are no reason to end without an answer, or
    a reason.
    """
    random = rng(seed, "any reading")
    scene, executor = TABLES[table](seed), WORLDS[world]
    if not scene.camera:
        scene = replace(
            scene, camera=Camera(640, 480, 600.0, look_at((0.0, -9.0, 2.0), (0.0, 0.0, 0.5)))
        )
    options = OPTIONS[int(random.integers(len(OPTIONS)))]
    sorts = {"question": ANSWERS, "change": ("edit",), "frame": ("frame",)}
    reply = {s: random_call(random, str(random.choice(kinds))) for s, kinds in sorts.items()}
    if random.random() < 0.4 or world != "rooms":
        del reply["change"], reply["frame"]
    question = Question(
        "q", "", "left or right?", "2d", "", options=options, images=("view",), views=(0.0,)
    )
    read = {sort: [Read(program, 1.0)] for sort, program in reply.items()}
    (reading,) = joined(executor, question, read)
    if reading.unread:
        return
    answering = executor.bind(ImageScenes({"view": scene}))
    outcome = run_reading(answering, question, reading)
    assert (outcome.outcome.answer is None) == bool(outcome.outcome.reason)
    if outcome.outcome.answer is not None:
        assert reading.format_answer(outcome.outcome.answer, question)
        answering.explain(question, outcome)


def thing(k: int) -> Call:
    """The k-th of the things that `numbered` made."""
    return Call("unique", (Call("filter", ("color", str(k), Call("scene"))),))


def numbered(scene: Scene) -> Scene:
    """A table whose things can be told apart, none over another or just on a border."""
    objects = []
    for k, o in enumerate(scene.objects):
        x, y, _ = o.position
        beliefs, place = {**o.beliefs, **sure(color=str(k))}, (x + 0.013 * k, y + 0.007 * k, 0.3)
        objects.append(replace(o, beliefs=beliefs, position=place, extent=(2e-4, 1e-4, 0.2)))
    return replace(scene, objects=tuple(objects))


@pytest.mark.parametrize("table", ["street", "orbit", "study"])
@pytest.mark.parametrize("rules", RULES)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_a_direction_ends_where_its_margin_says_in_any_frame_under_any_rules(table, rules, seed):
    random, intended = rng(seed, "borders of directions"), RULES[rules]
    scene = numbered(TABLES[table](seed))
    one, other, i = random.permutation(len(scene))[:3].tolist()
    direction = str(random.choice(Call.language.leaves["direction"]))
    # Two cones of 45 degrees share a line alone: a diagonal between them has no inside.
    assume(not (intended.region == "cone" and intended.cone <= 45 and "_" in direction))
    frames = (
        ("camera",),
        ("object",),
        (thing(one),),
        (thing(other),),
        (thing(one), thing(other)),
        *[(direction, thing(other))]
        * (scene.outline is not None),  # else all things tell where the middle is
    )
    frame = Call("frame", frames[int(random.integers(len(frames)))])
    start = (
        Call("viewer")
        if intended.viewer == "stands" and frame.args[0] != "object" and seed % 2
        else thing(one)
    )
    program = Call("relate", (direction, start, frame, Call("scene")))
    result = margins_in(Call("count", (program,)), SceneGeometry.of(scene, intended)).steps[-2]
    (margin,) = [m for m in result if m.object == i] or [None]
    assert margin is not None

    def lies(times: float) -> bool:
        moved = margin.nudge.applied(scene, times)
        return i in Evaluator(SceneGeometry.of(moved, intended, stand=None)).value(program)

    assert lies(0.0) == (margin.distance > 0)
    if (
        margin.nudge.metres > 1e-6 and start.op != "viewer"
    ):  # who stands in the middle moves with the room
        assert lies(0.999) == lies(0.0)
        assert lies(1.001) != lies(0.0)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_a_frame_of_a_named_thing_means_what_its_own_frame_means(seed):
    random = rng(seed, "named frame")
    for rules in RULES.values():
        scene = numbered(random_scene(random, 5))
        direction = str(random.choice(Call.language.leaves["direction"]))
        evaluator = Evaluator(SceneGeometry.of(scene, rules))
        own, named = (
            evaluator.value(
                Call("relate", (direction, thing(0), Call("frame", args), Call("scene")))
            )
            for args in (("object",), (thing(0),))
        )
        assert own == named


def test_who_asks_has_borders_too():
    scene = numbered(study())
    left = Call(
        "count",
        (Call("relate", ("left", Call("viewer"), Call("frame", ("room",)), Call("scene"))),),
    )
    faced = Call(
        "exist",
        (
            Call(
                "relate",
                ("front", thing(0), Call("frame", ("object",)), Call("group", (Call("viewer"),))),
            ),
        ),
    )
    result = margins_in(left, SceneGeometry.of(scene, ROOM_RULES))
    assert len(result.steps[-2]) == len(scene)
    assert result.flip is not None
    (margin,) = margins_in(faced, SceneGeometry.of(scene, ROOM_RULES)).steps[-2]
    assert margin.object == -1
    assert margin.nudge is None
    assert (margin.distance > 0) == (
        run(faced, SceneGeometry.of(scene, ROOM_RULES)).answer == "yes"
    )


def test_what_tells_a_frame_has_no_border_in_it():
    scene = numbered(study())
    frame = Call("frame", (thing(0), thing(1)))
    result = margins_in(
        Call("count", (Call("relate", ("front", thing(2), frame, Call("scene"))),)),
        SceneGeometry.of(scene, ROOM_RULES),
    )
    assert {m.object for m in result.steps[-2]} == set(range(3, len(scene)))
