"""The oracle grid of 3DSRBench and SCOPE, on tables with planted errors, and from end to end."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
import yaml
from planted import SCOPE, SR, Planted, turned
from test_evaluate import script

from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.ablation.grid import PREDICTED, TRUTH, cell, grid_answers, plan, run_grid
from po3d.evaluation.run import predict, read_scenes
from po3d.io.config import ROOT
from po3d.io.errors import InputError
from po3d.scene.table import Scene
from po3d.systems import orbit, photographs
from po3d.systems.build import build_pipeline
from po3d.systems.oracle.grid import Answers
from po3d.systems.photographs import mistaken
from po3d.systems.pipeline import Context, Pipeline

ROOMS = SR.first(1)
SCENE = SCOPE.first(1)
# Four of the views are enough, and of what is asked about one image a third.
PLAIN = [q for q in SCENE.questions if not q.variant and not any(v % 90 for v in q.views)]
SCENE = replace(
    SCENE, questions=tuple(q for k, q in enumerate(PLAIN) if k % 3 == 0 or len(q.images) > 1)
)


def sr_system(change=lambda s: s, **options) -> Pipeline:
    tables = Planted.of(ROOMS, ROOMS.images, change)
    return Pipeline(tables, photographs.question_parser(), photographs.DOMAIN, **options)


def scope_system(change=lambda s: s, **options) -> Pipeline:
    names = {name for q in SCENE.questions for name in q.images}
    return Pipeline(
        Planted.of(SCENE, names, change), orbit.question_parser(), orbit.DOMAIN, **options
    )


CASES = {
    "3dsrbench": (ROOMS, BENCHMARKS["3dsrbench"], sr_system, "circular"),
    "scope": (SCENE, BENCHMARKS["scope"], scope_system, "choice"),
}


def run(case: str, change, folder, **options) -> dict:
    """The grid of a system whose tables have a planted error."""
    split, module, system, scorer = CASES[case]
    built = system(change)
    kind = built
    predict(split, built, folder, {})
    groups = {m: [m] for m in kind.domain.modules if m in ("detection", "heading")}
    groups["rest"] = [m for m in kind.domain.modules if m not in groups]
    return run_grid(
        kind, module, split, {"groups": groups, "singles": False, **options}, folder, scorer, 0
    )


def values(result: dict) -> dict[str, float]:
    return {c["name"]: c["rows"][-1]["value"] for c in result["cells"]}


@pytest.mark.parametrize("case", CASES)
def test_wrong_headings_are_repaired_by_headings_alone(case, tmp_path):
    result = run(
        case, lambda s: turned(s, 100), tmp_path, noise={"heading": [90], "position": [0.8]}
    )
    output = values(result)
    assert result["problems"] == []
    assert output["all true"] == output["+ heading"] == 100.0
    assert output["all predicted"] == output["+ detection, rest"] < 90
    assert {tuple(map(tuple, e["repaired_by"])) for e in result["errors"]} == {(("heading",),)}
    for blamed in result["attribution"].values():
        assert sum(blamed["shares"].values()) == pytest.approx(blamed["error"], abs=1e-9)
        assert blamed["shares"]["heading"] == pytest.approx(blamed["error"], abs=1e-9)
    for curve in result["curves"].values():
        assert curve[0]["value"] == 100.0 > curve[-1]["value"]


@pytest.mark.parametrize("case", CASES)
def test_what_was_not_visible_needs_detection_and_all_that_is_known_of_it(case, tmp_path):
    def blind(scene: Scene) -> Scene:
        return replace(scene, objects=scene.objects[3:])

    result = run(case, blind, tmp_path)
    assert result["problems"] == []
    assert values(result)["all predicted"] < 100
    assert result["errors"]
    for error in result["errors"]:
        assert all("detection" in repair for repair in error["repaired_by"])
        assert sum(error["shares"].values()) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_what_is_not_there_vanishes_with_true_detection(case, tmp_path):
    def doubled(scene: Scene) -> Scene:
        """Everything once more, surer of itself, far behind and in another order."""
        ahead = 60.0 * scene.camera.cam_T_world.rotation[2]
        places = [tuple((np.array(o.position) + ahead).tolist()) for o in reversed(scene.objects)]
        ghosts = [
            replace(o, position=p, heading=o.heading + 2) for o, p in zip(scene.objects, places)
        ]
        return replace(
            scene, objects=(*ghosts, *(replace(o, existence=0.6) for o in scene.objects))
        )

    result = values(run(case, doubled, tmp_path))
    assert result["all predicted"] < 100
    assert result["+ detection"] == result["all true"] == 100


# --- a cell is the system with these modules replaced ---------------------------------------------


def spoiled(scene: Scene) -> Scene:
    """Wrong in many ways."""
    objects = [
        replace(
            o,
            position=tuple((1.15 * np.array(o.position)).tolist()),
            heading=o.heading + (k % 3),
            beliefs={
                **o.beliefs,
                "name": {o.value("name"): 0.5, "plant": 0.5} if k % 4 else {"chair": 1.0},
            },
        )
        for k, o in enumerate(scene.objects[1:])
    ]
    return replace(scene, objects=tuple(objects))


def contexts(split):
    for name in split.images:
        own = [q for q in split.questions if q.image == name]
        yield own, Context.of(split, name)


@pytest.mark.parametrize("case", CASES)
def test_a_cell_answers_as_the_system_whose_modules_are_replaced(case):
    split, _, system, _ = CASES[case]
    built = system(spoiled)
    kind, scenes = built, built.tables.seen
    modules = kind.domain.modules
    mixtures = [
        (),
        ("heading",),
        ("position", "shape"),
        ("parsing",),
        modules[-2:],
        ("detection", "shape"),
        modules,
    ]
    cells = [cell(kind, "", dict.fromkeys(m, TRUTH)) for m in mixtures]
    supplied = grid_answers(kind, split.questions, split.truth, cells, {}, scenes)
    for modules, row in zip(mixtures, supplied, strict=True):
        answers = {}
        for own, context in contexts(split):
            answers |= {
                p.id: p.answer for p in system(spoiled, oracle=modules).answer(own, context)
            }
        assert [answers[q.id] for q in split.questions] == [p.answer for p in row]
    assert [p.answer for p in supplied[-1]] == [q.answer for q in split.questions]
    assert len({tuple(p.answer for p in row) for row in supplied}) > 3
    image = Answers.of(
        kind, [q for q in split.questions if q.image == split.images[0]], {}, scenes, split.truth, 0
    )
    sent = pickle.loads(pickle.dumps(image))  # it goes to other processes
    assert sent.answers(cells[2].settings) == image.answers(cells[2].settings)


def test_all_rotations_of_a_question_are_queried_and_lost_together():
    system = sr_system()
    kind = system
    cells = [
        cell(kind, "lost", {"parsing": 0.5}, TRUTH),
        cell(kind, "taken", {"grounding": 0.5}, TRUTH),
    ]
    supplied = grid_answers(kind, ROOMS.questions, ROOMS.truth, cells, {}, system.tables.seen)
    for row in supplied:
        answers: dict[tuple, set] = {}
        for q, p in zip(ROOMS.questions, row):
            answers.setdefault((q.image, q.text), set()).add(p.answer)
        assert all(len(result) == 1 for result in answers.values())
        right = np.mean([p.answer == q.answer for q, p in zip(ROOMS.questions, row)])
        assert 0.2 < right < 0.95


def test_a_mistaken_description_means_another_thing():
    def second(phrase, scene):
        return [0.0, 1.0, 0.0]

    scene = ROOMS.truth(ROOMS.images[0])
    scene = replace(scene, objects=scene.objects[:3])
    taken = [mistaken(second, 0.5, k)("chair", scene) for k in range(200)]
    assert np.mean([t != [0.0, 1.0, 0.0] for t in taken]) == pytest.approx(0.5, abs=0.1)
    assert {tuple(t) for t in taken} == {(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)}


def test_the_tables_of_all_views_are_retained(tmp_path):
    predict(SCENE, scope_system(), tmp_path, {})
    retained = read_scenes(tmp_path / "scenes.jsonl")
    assert sorted(retained) == sorted({n for q in SCENE.questions for n in q.images})
    assert {s.source for s in retained.values()} == {"predicted"}


def test_without_a_table_there_is_no_grid():
    kind = sr_system()
    with pytest.raises(InputError, match="no predicted scene for images/"):
        grid_answers(kind, ROOMS.questions, ROOMS.truth, [cell(kind, "", {})], {}, {})


@pytest.mark.parametrize("domain", ["photographs", "orbit"])
def test_modules_are_known_and_belong_to_pictures(domain):
    with pytest.raises(InputError, match="'yaw' is not a module"):
        build_pipeline(domain, oracle=["yaw"])
    with pytest.raises(InputError, match=r"benchmark\.scenes= cannot be ground_truth"):
        build_pipeline(domain, scenes="ground_truth", oracle=["heading"])


@pytest.mark.parametrize("case", CASES)
def test_shipped_plans_hold_every_module(case):
    options = yaml.safe_load((ROOT / "configs" / "grid" / f"{case}.yaml").read_text())
    kind = CASES[case][2]()
    built = plan(kind, options)
    assert len(built.subsets) == 64
    assert {"heading", "position", "depth", "size"} <= set(built.curves)
    assert built.cells[0].settings == (PREDICTED,) * len(kind.domain.modules)


# --- from end to end ------------------------------------------------------------------------------

SMALL = ["+experiment=oracle_grid", "size=1", "workers=1", "grid.singles=false", "~grid.noise"]
GROUPS = {
    "3dsrbench": (
        "{table: [detection, shape, color, material, size, position, depth, heading, camera], "
        "language: [grounding, parsing]}"
    ),
    "scope": (
        "{table: [detection, shape, color, material, size, position, depth, heading, camera], "
        "rest: [fusion, parsing]}"
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_grid_from_end_to_end(case, tmp_path, capsys):
    options = [
        *SMALL,
        f"benchmark={case}",
        "~grid.groups",
        f"+grid.groups={GROUPS[case]}",
        f"out={tmp_path}",
    ]
    assert script.run(options) == 0
    result = json.loads((tmp_path / "grid.json").read_text())
    output = values(result)
    assert result["problems"] == []
    assert output["all true"] == 100 >= output["all predicted"]
    shares = result["attribution"]["all"]
    assert sum(shares["shares"].values()) == pytest.approx(shares["error"], abs=1e-9)
    assert "Error attribution" in capsys.readouterr().out


def test_the_seam_without_the_grid(tmp_path):
    modules = "detection,shape,color,material,size,position,depth,heading,camera,grounding,parsing"
    assert (
        script.run(["benchmark=3dsrbench", "size=1", f"oracle=[{modules}]", f"out={tmp_path}"]) == 0
    )
    report = json.loads((tmp_path / "report.json").read_text())
    assert {row["value"] for row in report["rows"]} == {100.0}
