"""The oracle grid of rooms: mixed tables, cells against plain execution, and from end to end."""

import json
import math
import pickle
import shutil
from dataclasses import replace

import numpy as np
import pytest
from test_evaluate import script

from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.evaluation.ablation.grid import PREDICTED, TRUTH, cell, grid_answers, plan
from po3d.io.errors import InputError
from po3d.io.paths import MINI as DATA
from po3d.io.seeding import rng
from po3d.language.programs.rooms import ROOMS, parse_text
from po3d.language.read.parse import Parse
from po3d.reasoning.apply_edit import brought_in
from po3d.reasoning.questions import Prediction
from po3d.scene.edits import support
from po3d.scene.table import Scene
from po3d.systems.framed_rooms import framed, room
from po3d.systems.oracle.grid import Answers, mixer
from po3d.systems.oracle.rooms import ROOM_TABLES
from po3d.systems.pipeline import Pipeline
from po3d.systems.rooms import DOMAIN, question_parser
from po3d.systems.scene_sources import Annotations, captions

SPLIT = hypo3d.load(DATA / "hypo3d", "mini")
NAMES = [n for n in SPLIT.images if "aligned" not in n][:2]
QUESTIONS = {n: [q for q in SPLIT.questions if q.image == n and not q.control] for n in NAMES}
SAMPLES = 3


def blurred(truth: Scene, name: str) -> Scene:
    """The table as a network might see it: two things missed, one invented, doubts about the
    others.
    """
    r = rng(5, f"blurred/{name}")
    objects = []
    for o in truth.objects[2:]:
        beliefs = {k: o.beliefs[k] for k in ("name", "color", "material") if k in o.beliefs}
        beliefs |= {
            "name": {o.value("name"): 0.6, "chair" if o.value("name") != "chair" else "stool": 0.4}
        }
        beliefs |= {"color": {"red": 0.5, "blue": 0.5}, "material": {"wooden": 0.7, "metal": 0.3}}
        x, y, z = o.position
        position = (x + 0.1 * float(r.normal()), y + 0.1 * float(r.normal()), z * 1.1)
        extent = tuple((np.array(o.extent) * (0.9, 1.1, 1.1)).tolist())
        objects.append(
            replace(
                o,
                beliefs=beliefs,
                position=position,
                extent=extent,
                heading=o.heading + 0.2,
                flip=0.1,
                existence=0.8,
            )
        )
    objects.append(replace(objects[0], position=(0.5, 0.5, 0.4), existence=0.6))
    outline = tuple((1.05 * x, 0.95 * y) for x, y in truth.outline)
    return replace(truth, objects=tuple(objects), outline=outline, source="predicted")


def substitute(predicted: Scene, gt: Scene, modules) -> Scene:
    return ROOM_TABLES.substitute(predicted, gt, modules).scene


def text_of(scene: Scene):
    """What a table says."""
    return [
        (o.beliefs, o.position, o.heading, o.extent, o.flip, o.existence) for o in scene.objects
    ], scene.outline


TRUE = {n: SPLIT.truth(n) for n in NAMES}
VISIBLE = {n: blurred(TRUE[n], n) for n in NAMES}


def test_all_modules_give_the_true_table_and_none_the_predicted_one():
    for n in NAMES:
        assert text_of(substitute(VISIBLE[n], TRUE[n], ROOM_TABLES.table)) == text_of(TRUE[n])
        assert text_of(substitute(VISIBLE[n], TRUE[n], ())) == text_of(VISIBLE[n])


def test_a_module_changes_its_own_column_and_no_other():
    for n in NAMES:
        plain = VISIBLE[n]
        for module in ROOM_TABLES.table:
            mixed = substitute(plain, TRUE[n], [module])
            if module == "detection":
                assert len(mixed) == len(TRUE[n])
                assert [o.existence for o in mixed.objects] == [1.0] * len(mixed)
                continue
            assert (mixed.outline == plain.outline) == (module != "floor")
            changed = set()
            for a, b in zip(mixed.objects, plain.objects, strict=True):
                changed |= {
                    m
                    for m, key in ROOM_TABLES.beliefs.items()
                    if a.beliefs.get(key) != b.beliefs.get(key)
                }
                changed |= {"heading"} if (a.heading, a.flip) != (b.heading, b.flip) else set()
                changed |= {"size"} if a.extent != b.extent else set()
                changed |= {"position"} if a.position[:2] != b.position[:2] else set()
            assert changed == {module} - {"floor"}


def test_what_stands_on_something_still_does_after_either_got_another_size():
    stands = 0
    for n in NAMES:
        for modules in (["size"], ["position"], ["detection", "position"]):
            mixed = substitute(VISIBLE[n], TRUE[n], modules)
            source = TRUE[n] if "detection" in modules else VISIBLE[n]
            if "position" not in modules or "detection" in modules:
                result, before = support(mixed.objects), support(source.objects)
                assert [b for b in before if b is not None] == [
                    f for f, b in zip(result, before) if b is not None
                ]
                stands += sum(b is not None for b in before)
        louder = ROOM_TABLES.noisy(TRUE[n], "size", 0.05, 1)
        held = [(k, b) for k, b in enumerate(support(TRUE[n].objects)) if b is not None]
        gaps = [_gap(scene, k, b) for k, b in held for scene in (louder, TRUE[n])]
        np.testing.assert_allclose(gaps[::2], gaps[1::2], atol=1e-9)
    assert stands > 4


def _gap(scene, k, b):
    (_, _, z), (_, _, w) = scene.objects[k].position, scene.objects[b].position
    return z - scene.objects[k].extent[2] / 2 - w - scene.objects[b].extent[2] / 2


def test_a_missed_thing_returns_with_what_is_named_alone():
    n = NAMES[0]
    bare = substitute(VISIBLE[n], TRUE[n], ["detection"]).objects[0]
    assert len(bare.beliefs["name"]) > 50
    named = substitute(VISIBLE[n], TRUE[n], ["detection", "shape", "position"]).objects[0]
    assert named.value("name") == TRUE[n].objects[0].value("name")
    assert named.position[:2] == TRUE[n].objects[0].position[:2]
    assert len(named.beliefs["color"]) > 5


@pytest.mark.parametrize("module", [m for m in ROOM_TABLES.units if m not in ("edit", "parsing")])
def test_noise_is_none_at_zero_and_has_its_size(module):
    scene = TRUE[NAMES[0]]
    assert text_of(ROOM_TABLES.noisy(scene, module, 0.0)) == text_of(scene)
    assert ROOM_TABLES.noisy(scene, module, 0.3, 1) == ROOM_TABLES.noisy(scene, module, 0.3, 1)
    many = [
        ROOM_TABLES.noisy(scene, module, 10 if module in ("heading", "frame") else 0.3, k)
        for k in range(60)
    ]
    if module == "detection":
        assert np.mean([len(s) for s in many]) == pytest.approx(0.7 * len(scene), rel=0.1)
    elif module in ROOM_TABLES.beliefs:
        key = ROOM_TABLES.beliefs[module]
        other = [
            a.value(key) != b.value(key)
            for s in many
            for a, b in zip(s.objects, scene.objects)
            if key in b.beliefs
        ]
        assert np.mean(other) == pytest.approx(0.3, abs=0.06)
    elif module == "size":
        spread = np.log(np.concatenate([s.extents / scene.extents for s in many]))
        assert spread.std() == pytest.approx(0.3, rel=0.1)
    elif module == "position":
        assert np.concatenate([s.positions - scene.positions for s in many])[
            :, :2
        ].std() == pytest.approx(0.3, rel=0.1)
    elif module == "frame":
        turns = [
            math.atan2(*s.axes["front"][::-1]) - math.atan2(*scene.axes["front"][::-1])
            for s in many
        ]
        assert math.degrees(np.std(turns)) == pytest.approx(10, rel=0.3)


# --- cells ----------------------------------------------------------------------------------------


class Texts:
    """A parser that knows the gold programs, misreads what `wrong` names and can't read what
    `unread` names.
    """

    def __init__(self, wrong=None, unread=()):
        self.programs = {q.text: q.program for own in QUESTIONS.values() for q in own}
        self.programs |= {q.change: q.change_program for own in QUESTIONS.values() for q in own}
        self.programs |= wrong or {}
        self.unread = unread

    def parse(self, texts, sort):
        return [
            (
                Parse("unparsed", reason="?")
                if t in self.unread
                else Parse("ok", parse_text(self.programs[t]), 1.0)
            )
            for t in texts
        ]


def kind(**texts) -> Pipeline:
    return Pipeline(
        Annotations(captions), question_parser(Texts(**texts)), replace(DOMAIN, samples=SAMPLES)
    )


def ask_question(n, **texts) -> Answers:
    questions = QUESTIONS[n]
    unread = {q.id: Prediction(q.id, "unparsed") for q in questions}
    return Answers.of(kind(**texts), questions, unread, VISIBLE, SPLIT.truth, 0)


def test_every_cell_answers_as_plain_execution_of_its_table_does():
    """What is shared between cells changes nothing. State aside: the network's tables have none,
    and a further attribute is a further draw.
    """
    n, answered = NAMES[0], 0
    work, r = ask_question(n), rng(1, "cells")
    for _ in range(12):
        settings = {m: (TRUTH, PREDICTED)[r.integers(2)] for m in DOMAIN.modules} | {
            "state": PREDICTED
        }
        result = work.answers(tuple(settings.values()))
        scene = substitute(
            VISIBLE[n], TRUE[n], [m for m in ROOM_TABLES.table if settings[m] == TRUTH]
        )
        mode = "anchors"
        if settings["frame"] == TRUTH:
            scene, mode = replace(scene, axes=framed(TRUE[n], QUESTIONS[n][0].frame).axes), "given"
        plain = room(scene, mode, SAMPLES)
        for q, answer in zip(QUESTIONS[n], result, strict=True):
            change = parse_text(q.change_program)
            program, edit = ROOMS.parse(q.program), ROOMS.to_core(change)
            expected = plain.run(q.frame, edit, program)
            if expected.reason.startswith("change: not found") and brought_in(change):
                expected = plain.run(q.frame, ROOMS.to_core(brought_in(change)), program)
            assert expected.answer == answer
            answered += answer is not None
    assert answered > 100


def test_all_true_is_right_and_each_text_has_its_own_module():
    n = NAMES[0]
    questions = QUESTIONS[n]
    first, other = questions[0], next(q for q in questions if q.change != questions[0].change)
    work = ask_question(n, wrong={first.text: 'count(all("unicorn"))'}, unread=[other.change])
    k = {q.id: i for i, q in enumerate(questions)}

    def answers(**settings):
        return work.answers(cell(KIND, "", settings, TRUTH).settings)

    assert answers() == [q.answer for q in questions]
    parsed, edited = answers(parsing=PREDICTED), answers(edit=PREDICTED)
    assert parsed[k[first.id]] == "0"
    assert parsed[k[other.id]] == other.answer
    assert edited[k[first.id]] == first.answer
    assert edited[k[other.id]] is None
    assert answers(parsing=1.0) == answers(edit=1.0) == [None] * len(questions)
    assert answers(frame=180.0) != answers()
    assert work.read[k[other.id]].unread.startswith("change: ")


KIND = kind()


def test_programs_come_from_the_predictions_and_rooms_go_to_other_processes():
    questions = [q for own in QUESTIONS.values() for q in own[:6]]
    predictions = {q.id: Prediction(q.id, "ok", "?", program=f"{q.change_program} ; {q.program}")
                   for q in questions}  # fmt: skip
    cells = [
        cell(KIND, "predicted", {}),
        cell(KIND, "true", {}, TRUTH),
        cell(KIND, "moved", {"position": 0.3}, TRUTH),
    ]
    supplied = grid_answers(KIND, questions, SPLIT.truth, cells, predictions, VISIBLE)
    assert [p.answer for p in supplied[1]] == [q.answer for q in questions]
    assert supplied[0] != supplied[1] != supplied[2]
    own = questions[:6]
    work = Answers.of(KIND, own, predictions, VISIBLE, SPLIT.truth, 0)
    assert work.read == work.gold
    sent = pickle.loads(pickle.dumps(work))
    assert [sent.answers(c.settings) for c in cells] == [
        [p.answer for p in row[:6]] for row in supplied
    ]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"cells": [{"camera": "truth"}]}, "'camera' is not a module"),
        ({"cells": [{"floor": 0.1}]}, "no noise model for 'floor'"),
        ({"groups": {"a": ["detection"]}}, "each of detection, shape"),
    ],
)
def test_a_wrong_plan_is_said(options, says):
    groups = {"all": list(DOMAIN.modules)}
    with pytest.raises(InputError, match=says):
        plan(KIND, {"groups": groups, **options})


def test_other_frames_than_the_anchors_have_no_grid():
    pipeline = Pipeline(
        Annotations(captions), question_parser(Texts()), replace(DOMAIN, frame="none")
    )
    with pytest.raises(InputError, match="frame=anchors"):
        mixer(pipeline)


# --- from end to end ------------------------------------------------------------------------------

SMALL = [
    "+experiment=oracle_grid",
    "benchmark=hypo3d",
    "benchmark.scenes=captions",
    "executor.samples=2",
    "size=2",
    "workers=1",
    "grid.cells=[{position: 0.2, shape: truth}]",
    "grid.singles=false",
    "~grid.noise",
    "+grid.noise={heading: [90]}",
]


def test_the_grid_from_end_to_end(tmp_path, capsys):
    assert script.run([*SMALL, f"out={tmp_path}"]) == 0
    result = json.loads((tmp_path / "grid.json").read_text())
    cells = {c["name"]: [row["value"] for row in c["rows"]] for c in result["cells"]}
    assert set(cells["all true"]) == {100.0}
    assert cells["all predicted"][-1] < 100
    assert result["problems"] == []
    assert len(cells) == 64 + 2 + 1
    counted = [q for q in SPLIT.first(2).questions if not q.control]
    assert result["attribution"]["all"]["n"] == len(counted) > 20
    for output in result["attribution"].values():
        assert sum(output["shares"].values()) == pytest.approx(output["error"], abs=1e-9)
    assert result["attribution"]["all"]["error"] == pytest.approx(
        100 - cells["all predicted"][-1], abs=1e-9
    )
    errors = [json.loads(line) for line in (tmp_path / "errors.jsonl").read_text().splitlines()]
    assert all(e["repaired_by"] and sum(e["shares"].values()) == pytest.approx(1) for e in errors)
    assert "overall" in capsys.readouterr().out


def test_a_wrong_label_makes_the_all_true_cell_fail(tmp_path, capsys):
    root = tmp_path / "spoiled"
    root.mkdir()
    for name in ("axis_definition.csv", "scenes.jsonl", "captions.json"):
        shutil.copy(DATA / "hypo3d" / name, root / name)
    content = json.loads((DATA / "hypo3d" / "contextvqa.json").read_text())
    content = {NAMES[0]: content[NAMES[0]]}
    content[NAMES[0]][0]["questions_answers"][0]["answer"] = "purple"
    (root / "contextvqa.json").write_text(json.dumps(content))
    assert script.run([*SMALL, f"data.root={root}", f"out={tmp_path / 'out'}"]) == 2
    assert "1 released answers" in capsys.readouterr().err.splitlines()[-1]


def test_true_tables_have_no_grid(tmp_path, capsys):
    supplied = [
        "+experiment=oracle_grid",
        "benchmark=hypo3d",
        "benchmark.scenes=ground_truth",
        f"out={tmp_path}",
    ]
    assert script.run(supplied) == 2
    assert "predicted scenes" in capsys.readouterr().err
