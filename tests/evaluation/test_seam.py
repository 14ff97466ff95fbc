"""An estimator of somebody's own, and tables from a file, on every benchmark; what of them is
refused, and noise.
"""

import importlib.util
import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest

from po3d.benchmarks.registry import MODULES, benchmark_of, opened
from po3d.cli.main import main as po3d
from po3d.evaluation.options import defaults
from po3d.io.config import ROOT, compose
from po3d.io.errors import InputError
from po3d.reasoning.questions import read_predictions
from po3d.scene.street import AXES, camera
from po3d.scene.table import ObjectState, Scene, from_json, sure, to_json
from po3d.systems.estimators import identity, title
from po3d.systems.pipeline import Context, PerceptionInput
from po3d.systems.scene_sources import source_of
from po3d.systems.table_files import TableFile

EXAMPLES = ROOT / "docs" / "examples"
OWN = "perception._target_=my_estimator.Patches"
GRID = ["+experiment=oracle_grid", "~grid.noise", "grid.singles=false", "workers=1"]

_SPEC = importlib.util.spec_from_file_location("evaluate", ROOT / "evaluate.py")
script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(script)


@pytest.fixture(autouse=True)
def examples(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


def evaluate(out, *options: str) -> int:
    return script.run([*options, f"out={out}"])


def report(out) -> dict:
    return json.loads((out / "report.json").read_text())


@pytest.mark.parametrize("benchmark", MODULES)
def test_the_example_answers_every_benchmark_and_its_tables_fed_back_answer_alike(
    benchmark, tmp_path, capsys
):
    own, again = tmp_path / "own", tmp_path / "again"
    few = [
        f"benchmark={benchmark}",
        "size=1",
        *(["executor.samples=4"] if benchmark == "hypo3d" else []),
    ]
    assert evaluate(own, *few, OWN) == 0
    scenes = [json.loads(line) for line in (own / "scenes.jsonl").read_text().splitlines()]
    names = {
        v
        for s in scenes
        for o in s["objects"]
        for v in o["beliefs"].get("shape", o["beliefs"].get("name"))
    }
    assert names <= {"sedan", "suv", "chair", "table"}
    assert names
    result = report(own)
    assert result["provenance"]["modules"]["perception"]["class"] == "my_estimator.Patches"
    assert result["settings"]["perception"] == "Patches 1"
    assert "perception Patches 1" in capsys.readouterr().out
    run = json.loads((own / "run.json").read_text())
    assert run["identity"]["system"]["perception"]["source_sha256"]
    assert evaluate(again, *few, "perception=file", f"perception.path={own}") == 0
    assert (again / "predictions.jsonl").read_bytes() == (own / "predictions.jsonl").read_bytes()
    assert report(again)["settings"]["perception"] == "tables of own"
    assert (
        evaluate(tmp_path / "grid", *few, *GRID, "perception=file", f"perception.path={own}") == 0
    )


def test_the_page_on_extending_has_the_example_as_it_is():
    page = (ROOT / "docs" / "extending.md").read_text()
    example = (EXAMPLES / "my_estimator.py").read_text()
    assert f"```python\n{example}```" in page
    assert len(example.splitlines()) < 60


def test_a_config_of_ones_own_builds_that_object_and_nothing_else(tmp_path, capsys):
    folder = tmp_path / "configs"
    (folder / "perception").mkdir(parents=True)
    (folder / "perception" / "mine.yaml").write_text(
        "_target_: my_estimator.Patches\nthreshold: 60\n"
    )
    mine = [f"hydra.searchpath=[file://{folder}]", "perception=mine"]
    assert evaluate(tmp_path / "out", *mine, "size=1") == 0
    system = json.loads((tmp_path / "out" / "run.json").read_text())["identity"]["system"]
    assert system["perception"]["class"] == "my_estimator.Patches"
    assert system["perception"]["options"] == {"threshold": 60}
    assert (
        evaluate(tmp_path / "out", *mine, "size=1", "perception.threshold=61") == 2
    )  # another run
    assert "system.perception.options.threshold" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["perception._target_=my_estimator.Nothing"], "my_estimator has no Nothing"),
        (["perception._target_=nowhere.Mine"], "module 'nowhere' not found"),
        (["perception._target_=builtins.dict"], "builtins.dict is not an estimator"),
        ([OWN, "+perception.foo=1"], "unexpected keyword argument 'foo'"),
        ([OWN, "perception.flip_tta=false"], "unexpected keyword argument 'flip_tta'"),
        (["+perception.foo=1"], "unexpected keyword argument 'foo'"),
        (["perception._target_=null"], "perception should have a _target_"),
        (
            [OWN, "benchmark=hypo3d", "benchmark.scenes=ground_truth"],
            "perception is set, but has no effect on system=po3d, benchmark=hypo3d",
        ),
        ([OWN, "system=random"], "perception._target_ is set, but has no effect on system=random"),
        (
            ["perception.refine=render_compare", "benchmark=scope"],
            "perception.refine is set, but has no effect on system=po3d, benchmark=scope",
        ),
        (["noise={haeding: 10}"], "noise={haeding: ...}: no noise model"),
        (["noise={heading: -1}"], "noise.heading=-1 should be at least 0"),
        (
            ["noise={heading: 10}", "system=oracle"],
            "noise is set, but has no effect on system=oracle",
        ),
        (
            ["noise={heading: 10}", "benchmark=scope", "benchmark.scenes=ground_truth"],
            "benchmark.scenes= cannot be ground_truth",
        ),
        (["perception=file", "perception.path=nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_what_is_wrong_with_the_options_is_one_line(options, says, tmp_path, capsys):
    assert evaluate(tmp_path / "out", *options, "size=1") == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_system_of_ones_own_is_named_by_its_class(tmp_path, monkeypatch, capsys):
    (tmp_path / "guess.py").write_text(
        "from po3d.systems.baselines import random_baseline\n"
        "class Guess:\n"
        "    version = 2\n"
        "    def __init__(self, **options):\n"
        "        self.answer = random_baseline(7).answer\n"
    )
    monkeypatch.chdir(tmp_path)
    assert evaluate(tmp_path / "out", "system=random", "system._target_=guess.Guess", "size=1") == 0
    assert report(tmp_path / "out")["system"] == "Guess 2"
    assert report(tmp_path / "out")["provenance"]["modules"]["system"]["class"] == "guess.Guess"
    assert "\nGuess 2 (strict)" in capsys.readouterr().out
    sys.modules.pop("guess")


# --- what is refused of what an estimator returns -------------------------------------------------


def thing(**more) -> ObjectState:
    beliefs = sure(shape="sedan", color="red", size="large", material="metal")
    return ObjectState(beliefs, (1.0, 0.5, 0.3), 0.2, (2.0, 1.0, 0.8), **more)


TABLE = Scene((thing(),), {}, "predicted")
TRUE = Scene((thing(),), AXES, "gt", camera(), image="a.png")


class Returns:
    def __init__(self, what) -> None:
        self.what = what

    def estimate(self, images, names):
        return self.what(images, names) if callable(self.what) else self.what


def tables(estimator, truth=None, names=("a.png",)):
    def true():
        if truth is None:
            raise InputError("there is no true table")
        return truth

    looks = [
        PerceptionInput(Context(lambda: np.zeros((6, 8, 3), np.uint8), true, name), [name])
        for name in names
    ]
    return source_of(estimator, "street").tables(looks)


@pytest.mark.parametrize(
    ("what", "truth", "says"),
    [
        ([], None, "returned 0 scenes for 1 images"),
        ([TABLE, TABLE], None, "returned 2 scenes for 1 images"),
        (None, None, "should return a list of scenes, not NoneType"),
        ([{"objects": []}], None, "returned dict for 'a.png' instead of a Scene"),
        (
            lambda images, names: 1 / 0,
            None,
            r"estimate raised ZeroDivisionError \(test_seam.py, line",
        ),
        ([TRUE], None, "source='gt' for 'a.png'"),
        ([replace(TRUE, source="predicted")], TRUE, "is a copy of the true scene"),
        (
            [replace(TABLE, objects=(replace(thing(), heading=math.nan),))],
            None,
            r"non-finite objects\[0\].heading",
        ),
        (
            [replace(TABLE, objects=(replace(thing(), beliefs={"shape": {"sedan": math.nan}}),))],
            None,
            "non-finite .*beliefs",
        ),
        (
            [replace(TABLE, objects=(replace(thing(), beliefs=sure(name="chair")),))],
            None,
            "has no belief 'shape'",
        ),
        (
            [replace(TABLE, objects=(replace(thing(), beliefs=sure(shape="lorry")),))],
            None,
            "unknown shape 'lorry'",
        ),
        (
            [replace(TABLE, objects=(replace(thing(), extent=(-1.0, 1.0, 1.0)),))],
            None,
            r"objects\[0\].extent",
        ),
    ],
)
def test_what_is_no_predicted_table_is_refused(what, truth, says):
    with pytest.raises(InputError, match=says):
        tables(Returns(what), truth)


def test_a_table_without_axes_and_name_has_those_of_its_picture():
    ((scene,),) = tables(Returns([TABLE]), replace(TRUE, objects=(thing(), thing())))
    assert (scene.axes, scene.image) == (AXES, "a.png")
    assert scene.objects == TABLE.objects


def test_what_an_estimator_asks_for_it_is_provided_and_no_more_images_at_once_than_it_takes():
    class Wants:
        batch_size, calls = 2, []

        def estimate(self, images, names, cameras):
            self.calls.append((list(names), [c.width for c in cameras]))
            return [TABLE for _ in images]

    tables(Wants(), names=("a", "b", "c"))
    assert Wants.calls == [(["a", "b"], [8, 8]), (["c"], [8])]


def test_an_estimator_of_other_domains_is_refused():
    class Photographs(Returns):
        made_for = ("photographs",)

    with pytest.raises(InputError, match="supports photographs, not street"):
        tables(Photographs([TABLE]))


def test_reports_call_an_estimator_what_it_calls_itself(tmp_path):
    weights = tmp_path / "weights.pt"
    weights.write_bytes(b"1")

    class Mine(Returns):
        name, version, checkpoint, calibration = "mine", 3, weights, {"covariance": 2.0}

    result = identity(Mine(None))
    assert title(result) == "mine 3"
    assert result["checkpoint"] == "weights.pt"
    assert len(result["sha256"]) == 64
    assert result["calibration"] == {"covariance": 2.0}
    assert title(identity(Returns(None))) == "Returns"


@pytest.mark.parametrize(
    ("target", "code"), [("my_estimator.Patches", 0), ("my_estimator.Nothing", 2)]
)
def test_an_estimator_is_checked_before_it_is_evaluated(target, code, capsys):
    assert (
        po3d(["check-estimator", target, "--benchmark", "pulsecheck457", "--set", "most=3"]) == code
    )
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("ok") for line in lines) == (code == 0)
    assert len(lines) == (5 if code == 0 else 1)


def test_the_check_finds_an_estimator_that_is_not_the_same_twice(tmp_path, monkeypatch, capsys):
    (tmp_path / "dice.py").write_text(
        "from my_estimator import Patches\nimport numpy as np\n"
        "class Dice(Patches):\n"
        "    def estimate(self, images, names, focals, cameras, domain):\n"
        "        noisy = [np.roll(i, np.random.randint(9, 99), 1) for i in images]\n"
        "        return super().estimate(noisy, names, focals, cameras, domain)\n"
        "class Breaks:\n"
        "    def estimate(self, images, names):\n"
        "        raise RuntimeError('out of luck')\n"
    )
    monkeypatch.chdir(tmp_path)
    assert po3d(["check-estimator", "dice.Dice", "--benchmark", "superclevr"]) == 2
    assert (
        "FAIL  superclevr: the same images give the same scenes again: they differ"
        in capsys.readouterr().out
    )
    assert po3d(["check-estimator", "dice.Breaks", "--benchmark", "superclevr"]) == 2
    assert (
        "FAIL  superclevr: dice.Breaks.estimate raised RuntimeError (dice.py, line 9)"
        in capsys.readouterr().out
    )
    sys.modules.pop("dice")


# --- tables from a file ---------------------------------------------------------------------------


def written(path, records) -> TableFile:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return TableFile(path)


def test_a_record_of_names_alone_is_a_table_of_which_nothing_else_is_known(tmp_path):
    bare = {
        "image": "a.png",
        "objects": [
            {"beliefs": {"shape": "sedan", "color": {"red": 0.9, "blue": 0.1}, "material": None}}
        ],
    }
    ((scene,),) = tables(written(tmp_path / "t.jsonl", [bare]))
    (o,) = scene.objects
    assert set(o.beliefs) == {"shape", "color"}
    assert (o.value("shape"), o.value("color")) == ("sedan", "red")
    assert scene.camera is not None
    assert o.covariance[0][0] == 3.0
    assert o.covariance[2][2] == pytest.approx(math.pi**2 / 3)
    assert o.flip == 0.5
    pose = bare | {"objects": [bare["objects"][0] | {"position": [1, 2, 0.3], "heading_deg": 90}]}
    ((scene,),) = tables(written(tmp_path / "p.jsonl", [pose]))
    assert not np.any(scene.objects[0].covariance)


@pytest.mark.parametrize(
    ("records", "says"),
    [
        ([{"image": "a.png"}], "record 0: not a scene"),
        ([{"objects": []}], "'image' should hold the image's name"),
        ([{"image": "a.png", "objects": []}] * 2, "second scene of 'a.png'"),
        ([{"image": "a.png", "objects": [], "source": "gt"}], "marks ground truth"),
        ([{"image": "a.png", "objects": [3]}], r"objects\[0\]: should be an object"),
        (
            [{"image": "a.png", "objects": [{"beliefs": {"shape": "lorry"}}]}],
            "unknown shape 'lorry'",
        ),
        ([{"image": "a.png", "objects": [{"beliefs": {"color": "red"}}]}], "has no belief 'shape'"),
        ([{"image": "a.png", "objects": [{"beliefs": {"shape": {"sedan": 0.3}}}]}], "sum to 1"),
        (
            [
                {
                    "image": "a.png",
                    "objects": [
                        {"beliefs": {"shape": "sedan"}, "heading": 1.0, "heading_deg": 3.0}
                    ],
                }
            ],
            "give only one of them",
        ),
        ([to_json(TRUE) | {"source": "predicted"}], "copy of the true scene"),
    ],
)
def test_a_file_that_holds_no_tables_is_refused(records, says, tmp_path):
    with pytest.raises(InputError, match=says):
        tables(written(tmp_path / "t.jsonl", records), TRUE)


def test_headings_survive_a_file_to_the_last_digit():
    rng = np.random.default_rng(0)
    scene = replace(
        TRUE, objects=tuple(replace(thing(), heading=float(h)) for h in rng.uniform(-3, 3, 200))
    )
    assert from_json(json.loads(json.dumps(to_json(scene, exact=True)))).objects == scene.objects
    assert all("heading" not in o for o in to_json(scene)["objects"])


@pytest.mark.parametrize("benchmark", ["pulsecheck457", "scope"])
def test_questions_on_pictures_without_a_table_fail_and_are_counted(benchmark, tmp_path, capsys):
    few = [f"benchmark={benchmark}", "size=1" if benchmark == "scope" else "size=2"]
    assert evaluate(tmp_path / "own", *few, OWN) == 0
    lines = (tmp_path / "own" / "scenes.jsonl").read_text().splitlines(True)
    (tmp_path / "part.jsonl").write_text("".join(lines[1:]))
    gone = json.loads(lines[0])["image"]
    part = ["perception=file", f"perception.path={tmp_path / 'part.jsonl'}"]
    assert evaluate(tmp_path / "part", *few, *part) == 0
    assert f"no scene: {gone}" not in capsys.readouterr().err
    query = {q.id: q for q in opened(benchmark, size=int(few[1][-1])).questions}
    known = {p.id: p for p in read_predictions(tmp_path / "own" / "predictions.jsonl")}
    for p in read_predictions(tmp_path / "part" / "predictions.jsonl"):
        lost = gone in (query[p.id].images or (query[p.id].image,))
        assert p.reason == f"no scene: {gone}" if lost else p == known[p.id]
        assert p.status == "failed" or not lost
    assert any("no scene for 1 image" in note for note in report(tmp_path / "part")["notes"])
    assert evaluate(tmp_path / "grid", *few, *part, *GRID) == 2
    assert "the grid needs a scene for every image" in capsys.readouterr().err
    other = "superclevr" if benchmark == "scope" else "scope"
    assert evaluate(tmp_path / "other", f"benchmark={other}", *part) == 2
    assert (
        "it may be for another benchmark" in capsys.readouterr().err or benchmark == "pulsecheck457"
    )


# --- noise ----------------------------------------------------------------------------------------


def test_noise_in_an_evaluation_is_that_of_the_grids_cell(tmp_path, capsys):
    few = ["size=2", "seed=3"]
    cells = "grid.cells=[{heading: 40, color: 0.5, parsing: 0.3}]"
    assert evaluate(tmp_path / "grid", *few, OWN, *GRID, cells) == 0
    (cell,) = [
        c
        for c in json.loads((tmp_path / "grid" / "grid.json").read_text())["cells"]
        if "noise" in c["name"]
    ]
    capsys.readouterr()
    noise = "noise={heading: 40, color: 0.5, parsing: 0.3}"
    assert evaluate(tmp_path / "one", *few, OWN, noise) == 0
    result = report(tmp_path / "one")
    assert [r["value"] for r in result["rows"]] == pytest.approx([r["value"] for r in cell["rows"]])
    assert "noise: heading 40, color 0.5, parsing 0.3" in capsys.readouterr().out
    assert evaluate(tmp_path / "none", *few, OWN, "noise={heading: 0, color: 0}") == 0
    assert report(tmp_path / "none")["rows"] != result["rows"]


# --- composition ----------------------------------------------------------------------------------


@pytest.mark.parametrize("benchmark", MODULES)
def test_the_config_of_a_benchmark_names_its_domain_and_holds_no_systems(benchmark):
    config = compose("evaluate", [f"benchmark={benchmark}"])
    assert config.benchmark.domain == benchmark_of(benchmark).world
    assert "systems" not in config.benchmark
    assert defaults(config)["benchmark"]["name"] == benchmark
