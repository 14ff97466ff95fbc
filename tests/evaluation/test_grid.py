"""The oracle grid: against plain execution of every cell, and from end to end."""

import json
from dataclasses import replace

import numpy as np
import pytest
from generators import random_program
from test_evaluate import evaluate, release  # noqa: F401  (a fixture)
from test_substitution import blurred, look_at, spread
from untrained import untrained_estimator, untrained_parser

from po3d.cli import main as po3d
from po3d.evaluation.ablation.grid import PREDICTED, TRUTH, cell, grid_answers, plan
from po3d.evaluation.report.records import read_grid
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.programs.street import STREET
from po3d.language.read.parse import Parse
from po3d.reasoning.execute import execute
from po3d.reasoning.questions import Prediction, Question, read_predictions
from po3d.scene.geometry import Camera
from po3d.scene.table import Scene
from po3d.systems.oracle.grid import Answers
from po3d.systems.oracle.street import STREET_TABLES
from po3d.systems.pipeline import ParsedQuestion, Pipeline
from po3d.systems.scene_sources import Pictures
from po3d.systems.street import DOMAIN, question_parser

GROUPS = {
    "detection": ["detection"],
    "pose": ["position", "depth", "heading", "camera"],
    "appearance": ["shape", "color", "size", "material"],
    "rest": ["occlusion", "parsing"],
}
CAMERA = Camera(640, 480, 800.0, look_at((9.0, -4.0, 6.0)))
EXECUTOR = replace(DOMAIN, mode="marginal", samples=8)
MODULES = EXECUTOR.modules


class Unread:
    """Reads nothing."""

    def parse(self, texts):
        return [Parse("unparsed", reason="?") for _ in texts]


KIND = Pipeline(Pictures(None), question_parser(Unread()), EXECUTOR)


def random_cells(count):
    r = rng(1, "cells")
    for k in range(count):
        settings = {
            m: (TRUTH, PREDICTED, round(float(r.uniform(0, 0.5)), 2))[r.integers(3)]
            for m in MODULES
        }
        yield cell(KIND, str(k), settings)


def world(k) -> tuple[Scene, Scene]:
    truth = replace(spread(k), camera=CAMERA, image=f"{k}.png")
    return replace(blurred(truth, k, drop=1, extra=1), source="predicted"), truth


def test_every_cell_answers_as_plain_execution_of_its_table_does():
    """What is shared between cells changes nothing."""
    query = 0
    for k in range(4):
        predicted, truth = world(k)
        r = rng(2, "programs", k)
        questions = [
            Question(f"{k}:{i}", truth.image, str(i), "6d" if i % 2 else "2d", "L1")
            for i in range(12)
        ]
        programs = [random_program(r, truth) for _ in questions]
        gold = [ParsedQuestion(Parse("ok", STREET.to_core(program))) for program in programs]
        work = Answers(
            EXECUTOR, {truth.image: predicted}, {truth.image: truth}, questions, gold, gold
        )
        for one in random_cells(20):
            named = dict(zip(MODULES, one.settings))
            named.pop("parsing")
            table = STREET_TABLES.substitute(
                predicted, truth, [m for m, s in named.items() if s != PREDICTED]
            ).scene
            for module, sigma in named.items():
                if not isinstance(sigma, str):
                    table = STREET_TABLES.noisy(table, module, sigma)
            supplied = work.answers(
                [TRUTH if m == "parsing" else s for m, s in zip(MODULES, one.settings)]
            )
            for q, program, answer in zip(questions, programs, supplied, strict=True):
                expected = execute(program, table, q.task, "marginal", samples=8)
                assert answer == expected.answer
                query += expected.answer is not None
    assert query > 300


def test_workers_change_nothing_and_parsing_is_its_own_module():
    class Geometry:
        def __init__(self):
            self.worlds = {f"{k}.png": world(k) for k in range(3)}
            self.questions = []
            for k, (name, (_, truth)) in enumerate(self.worlds.items()):
                r = rng(3, "geometry", k)
                self.questions += [
                    Question(
                        f"{name}:{i}", name, "?", "2d", "L1", "", random_program(r, truth).text()
                    )
                    for i in range(5)
                ]

        def truth(self, name):
            return self.worlds[name][1]

    split = Geometry()
    scenes = {name: predicted for name, (predicted, _) in split.worlds.items()}
    wrong = {q.id: Prediction(q.id, "ok", "0", program="count(scene)") for q in split.questions}
    wrong[split.questions[0].id] = Prediction(split.questions[0].id, "unparsed")
    cells = [
        cell(KIND, "predicted", {}),
        cell(KIND, "true", {}, TRUTH),
        cell(KIND, "parsed", {"parsing": PREDICTED}, TRUTH),
        cell(KIND, "lost", {"parsing": 1.0}, TRUTH),
    ]
    supplied = grid_answers(KIND, split.questions, split.truth, cells, wrong, scenes)
    assert (
        grid_answers(KIND, split.questions, split.truth, cells, wrong, scenes, workers=2)
        == supplied
    )
    predicted, true, parsed, lost = supplied
    assert (predicted[0].status, parsed[0].status) == ("failed", "failed")
    assert {p.answer for p in parsed[1:]} == {"6"}  # all count the true scene
    assert {p.status for p in lost} == {"failed"}
    for q, p in zip(split.questions, true):
        (truth,) = [t for n, (_, t) in split.worlds.items() if n == q.image]
        assert (
            p.answer == execute(STREET.parse(q.program), truth, "2d", "marginal", samples=8).answer
        )


def test_a_plan_has_every_subset_once_and_noise_on_the_truth():
    built = plan(
        KIND,
        {
            "groups": GROUPS,
            "noise": {"heading": [5, 10], "colour": [0.1]},
            "cells": [{"shape": 0.1}],
        },
    )
    assert len(built.subsets) == 16
    assert len({c.settings for c in built.subsets}) == 16
    assert set(built.subsets[0].settings) == {PREDICTED}
    assert set(built.subsets[-1].settings) == {TRUTH}
    named = dict(zip(MODULES, built.subsets[0b0011].settings))
    assert {m for m, s in named.items() if s == TRUTH} == {
        "detection",
        "position",
        "depth",
        "heading",
        "camera",
    }
    assert [s for s, _ in built.curves["heading"]] == [0.0, 5, 10]
    assert dict(zip(MODULES, built.curves["color"][1][1].settings))["color"] == 0.1
    assert len(built.singles) == 2 * len(MODULES) - 1  # position is predicted with its depth
    assert built.more[0].name == "shape noise 0.1"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"groups": {"a": ["detection"]}}, "each of shape, color"),
        ({"groups": {**GROUPS, "more": ["heading"]}}, "each of shape, color"),
        ({"groups": GROUPS, "cells": [{"yaw": "truth"}]}, "'yaw' is not a module"),
        (
            {"groups": GROUPS, "cells": [{"heading": "noisy"}]},
            "truth, predicted, or a non-negative",
        ),
        ({"groups": GROUPS, "noise": {"heading": [-1]}}, "truth, predicted, or a non-negative"),
        ({"groups": GROUPS, "noise": {"yaw": [1]}}, "'yaw' is not a module"),
    ],
)
def test_a_wrong_plan_is_said(options, says):
    with pytest.raises(InputError, match=says):
        plan(KIND, options)


SMALL = "grid.noise={heading: [20], shape: [0.5], parsing: [0.5]}"


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("networks")
    return [
        f"perception.checkpoint={untrained_estimator(folder)}",
        f"parser.checkpoint={untrained_parser(folder)}",
    ]


def test_the_grid_from_end_to_end(release, networks, tmp_path, capsys):  # noqa: F811
    options = [*networks, "+experiment=oracle_grid", SMALL, "workers=1", "size=2"]
    assert evaluate(release, tmp_path, *options) == 0
    result = json.loads((tmp_path / "grid.json").read_text())
    cells = {c["name"]: c for c in result["cells"]}
    assert [row["value"] for row in cells["all true"]["rows"]] == [100.0] * 8
    assert [row["value"] for row in cells["all predicted"]["rows"]] == [
        0.0
    ] * 8  # an untrained parser reads nothing
    assert result["problems"] == []
    assert len([c for c in cells if c.startswith(("all", "+"))]) == 64
    for output in result["attribution"].values():
        assert sum(output["shares"].values()) == pytest.approx(output["error"], abs=1e-9)
        assert output["error"] == 100
        for name, share in {**output["shares"], "error": output["error"]}.items():
            low, high = output["intervals"][name]
            assert low - 1e-9 <= share <= high + 1e-9
    assert read_grid(tmp_path / "grid.json") == result
    errors = [json.loads(line) for line in (tmp_path / "errors.jsonl").read_text().splitlines()]
    assert len(errors) == result["attribution"]["all"]["n"] == 2 * 2 * 7
    for error in errors:
        assert sum(error["shares"].values()) == pytest.approx(1, abs=1e-9)
        assert all("parsing" in repair for repair in error["repaired_by"])
    for curve in result["curves"].values():
        assert curve[0]["value"] == 100.0
        assert [p["sigma"] for p in curve] == sorted(p["sigma"] for p in curve)
    for quantity in ("heading", "shape", "parsing"):
        assert result["curves"][quantity][-1]["value"] < 100
    assert (tmp_path / "sensitivity.png").read_bytes()[:4] == b"\x89PNG"
    printed, page = capsys.readouterr().out, (tmp_path / "grid.md").read_text()
    for text in (printed, page):
        assert "Error attribution" in text
        assert "heading (degrees)" in text
    assert len(list(read_predictions(tmp_path / "predictions.jsonl"))) == len(errors)
    assert po3d.main(["report", str(tmp_path), "--markdown"]) == 0
    steps = (
        capsys.readouterr()
        .out.split("oracle grid: accuracy")[1]
        .split("\n\n")[1]
        .splitlines()[2::2]
    )
    assert [line.split("|")[1].strip() for line in steps] == [
        "all predicted",
        *(f"{group} true" for group in result["attribution"]["all"]["shares"]),
        "all true",
    ]


def test_a_wrong_label_makes_the_all_true_cell_fail(release, networks, tmp_path, capsys):  # noqa: F811
    root = tmp_path / "spoiled"
    (root / "questions").mkdir(parents=True)
    for name in ("images", "scenes.json"):
        (root / name).symlink_to(release / name)
    for path in (release / "questions").iterdir():
        content = json.loads(path.read_text())
        if "L1" in path.name:
            content["questions"][1]["answer"] = "purple"
        (root / "questions" / path.name).write_text(json.dumps(content))
    options = [
        *networks,
        "+experiment=oracle_grid",
        SMALL,
        "workers=1",
        "size=1",
        "grid.singles=false",
    ]
    assert evaluate(root, tmp_path / "out", *options) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: the cell with all modules from ground truth is 9")
    assert "1 released answers" in error
    assert (tmp_path / "out" / "grid.json").exists()


def test_only_the_pipeline_has_a_grid(release, networks, tmp_path, capsys):  # noqa: F811
    for option in ("system=oracle", "oracle=[heading]", "benchmark=hypo3d"):
        supplied = ["+experiment=oracle_grid", option, *networks]
        code = evaluate(release, tmp_path, *supplied)
        assert code == 2
        assert np.char.count(capsys.readouterr().err, "error: ") == 1
