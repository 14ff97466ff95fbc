"""evaluate.py from end to end, on a small release folder made of geometry alone."""

import importlib.util
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from generators import random_program, random_scene
from omegaconf import OmegaConf
from PIL import Image
from untrained import untrained_estimator, untrained_parser

from po3d.benchmarks.pulsecheck457.report import CATEGORIES, FILES
from po3d.benchmarks.registry import BENCHMARKS
from po3d.benchmarks.superclevr.names import surface
from po3d.benchmarks.superclevr.nodes import nodes_from_program
from po3d.evaluation.compare import read_entry
from po3d.evaluation.options import default_out, defaults
from po3d.evaluation.provenance import digests_beside
from po3d.evaluation.run_report import SPELLINGS, read_run, run_page
from po3d.evaluation.run_tables import explained, run_tables
from po3d.io import checkpoint
from po3d.io.config import ROOT, compose, run_hydra
from po3d.io.errors import InputError
from po3d.io.run_names import settings_of
from po3d.io.runs import locked
from po3d.io.seeding import rng
from po3d.io.text_tables import latex_text
from po3d.language.program import ProgramError
from po3d.reasoning.execute import execute
from po3d.reasoning.questions import Prediction, read_predictions, write_predictions
from po3d.scene.street import rotation_from_heading
from po3d.scene.table import Scene
from po3d.systems.composition import system_settings

_SPEC = importlib.util.spec_from_file_location("evaluate", ROOT / "evaluate.py")
script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(script)

IMAGES, EACH = 4, 2  # and so many questions an image and column


def record(scene: Scene, k: int) -> dict:
    """The scene in Super-CLEVR's layout."""
    objects = [
        {a: o.value(a) for a in ("shape", "color", "size", "material")}
        | {
            "rotation": rotation_from_heading(o.value("shape"), o.heading),
            "3d_coords": list(o.position),
        }
        for o in scene.objects
    ]
    occlusion = {
        str(i): {"obj": [1, "", "True", str(next(iter(hider)))] if hider else [0, "", "False"]}
        for i, hider in enumerate(scene.occluders)
    }
    name = f"{k}.png"
    return {"image_filename": name, "image_index": k, "objects": objects, "occlusion": occlusion}


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("release")
    (root / "images").mkdir()
    (root / "questions").mkdir()
    scenes = [random_scene(rng(11, "release", k), 6) for k in range(IMAGES)]
    for k in range(IMAGES):
        Image.fromarray(rng(11, "pixels", k).integers(0, 256, (48, 64, 3), dtype=np.uint8)).save(
            root / "images" / f"{k}.png"
        )
    (root / "scenes.json").write_text(
        json.dumps({"scenes": [record(s, k) for k, s in enumerate(scenes)]})
    )
    for column, category in enumerate(CATEGORIES):
        task = "6d" if category == "L5-6D-Spatial" else "2d"
        questions = []
        for k, scene in enumerate(scenes):
            r = rng(11, category, k)
            while len(questions) < (k + 1) * EACH:
                program = random_program(r, scene)
                outcome = execute(program, scene, task)
                try:
                    nodes = nodes_from_program(program)
                except ProgramError:
                    continue
                if outcome.status == "ok":
                    index, answer = 100_000 * column + len(questions), surface(outcome.answer)
                    questions.append(
                        {
                            "image_filename": f"{k}.png",
                            "question": "How many cars?",
                            "program": nodes,
                            "question_index": index,
                            "answer": answer,
                        }
                    )
        path = root / "questions" / f"{FILES[category]}.json"
        path.write_text(json.dumps({"info": {}, "questions": questions}))
    return root


@pytest.fixture(scope="module")
def networks(tmp_path_factory) -> list[str]:
    """Options of networks that know nothing."""
    folder = tmp_path_factory.mktemp("networks")
    estimator, parser = untrained_estimator(folder), untrained_parser(folder)
    return [f"perception.checkpoint={estimator}", f"parser.checkpoint={parser}"]


def evaluate(release: Path, out: Path, *overrides: str) -> int:
    return run_hydra(
        script.main, "evaluate", "", [f"data.root={release}", f"out={out}", *overrides]
    )


def report(out: Path) -> dict:
    return json.loads((out / "report.json").read_text())


def values(out: Path) -> list[float]:
    return [row["value"] for row in report(out)["rows"]]


def test_the_oracle_is_exactly_right_and_the_report_is_whole(release, tmp_path, capsys):
    assert evaluate(release, tmp_path, "system=oracle") == 0
    result, printed = report(tmp_path), capsys.readouterr().out
    assert [row["name"] for row in result["rows"]] == [*CATEGORIES, "mean"]
    assert all(row["value"] == 100.0 for row in result["rows"])
    assert {"name", "n", "failed", "value", "ci_low", "ci_high"} == set(result["rows"][0])
    assert [row["n"] for row in result["rows"]] == [IMAGES * EACH] * 7 + [IMAGES * EACH * 7]
    assert (result["benchmark"], result["system"], result["scorer"]) == (
        "pulsecheck457",
        "oracle",
        "strict",
    )
    assert {"config", "git_revision", "checkpoints", "data", "versions", "date", "machine"} <= set(
        result["provenance"]
    )
    assert len(result["provenance"]["data"]["sha256"]) == 64
    assert "vlmevalkit" in result["other_scorers"]
    for text in (printed, (tmp_path / "report.md").read_text()):
        assert "oracle (strict)" in text
        assert "PO3D-VQA *" in text
        assert "measured on the official images" in text
    assert len(list(read_predictions(tmp_path / "predictions.jsonl"))) == IMAGES * EACH * 7


def test_networks_replaced_part_by_part(release, networks, tmp_path):
    """Everything is unparsed; with all modules replaced, right."""
    assert evaluate(release, tmp_path / "alone", *networks) == 0
    alone = report(tmp_path / "alone")
    assert alone["statuses"] == {"unparsed": IMAGES * EACH * 7}
    assert alone["rows"][-1]["failed"] == IMAGES * EACH * 7
    assert set(alone["provenance"]["checkpoints"]) == {"perception", "parser"}
    assert "recall" in alone["perception"]["all"]
    every = "[detection,shape,color,size,material,heading,position,occlusion,camera,parsing]"
    assert evaluate(release, tmp_path / "replaced", *networks, f"oracle={every}") == 0
    assert values(tmp_path / "replaced") == [100.0] * 8
    assert report(tmp_path / "replaced")["perception"]["all"]["recall"] == 1.0


def test_scores_depend_on_the_predictions_file_alone(release, tmp_path):
    """Gold answers score 100, a constant one the share of questions with that answer, silence 0."""
    assert evaluate(release, tmp_path / "oracle", "system=oracle") == 0
    gold = list(read_predictions(tmp_path / "oracle" / "predictions.jsonl"))
    files = {
        "gold": [Prediction(p.id, "ok", p.answer) for p in gold],
        "yes": [Prediction(p.id, "ok", "yes") for p in gold],
        "silent": [Prediction(p.id, "abstained") for p in gold],
        "nothing": [],
    }
    for name, predictions in files.items():
        path = tmp_path / f"{name}.jsonl"
        write_predictions(path, predictions)
        assert evaluate(release, tmp_path / name, "system=replay", f"system.path={path}") == 0
    assert values(tmp_path / "gold") == [100.0] * 8
    of_column = {c: [p for p in gold if p.id.startswith(FILES[c] + ":")] for c in CATEGORIES}
    shares = [100 * float(np.mean([p.answer == "yes" for p in of_column[c]])) for c in CATEGORIES]
    assert values(tmp_path / "yes") == pytest.approx([*shares, np.mean(shares)])
    assert values(tmp_path / "silent") == values(tmp_path / "nothing") == [0.0] * 8
    assert report(tmp_path / "nothing")["statuses"] == {"failed": len(gold)}
    (note,) = report(tmp_path / "nothing")["notes"]
    assert f"nothing.jsonl has answers to 0 of the {len(gold)} questions" in note


def test_a_file_on_other_questions_is_not_replayed(release, tmp_path, capsys):
    path = tmp_path / "theirs.jsonl"
    write_predictions(path, [Prediction("of another split", "ok", "yes")])
    assert evaluate(release, tmp_path / "out", "system=replay", f"system.path={path}") == 2
    assert "it may be for another benchmark" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_answers_below_a_probability_are_held_back(release, tmp_path):
    assert evaluate(release, tmp_path, "system=random", "abstain_below=0.3") == 0
    supplied = list(read_predictions(tmp_path / "predictions.jsonl"))
    assert {p.status for p in supplied} == {
        "abstained"
    }  # a guess among eleven numbers is never so sure
    assert report(tmp_path)["statuses"] == {"abstained": len(supplied)}


def test_size_counts_images(release, tmp_path):
    assert evaluate(release, tmp_path, "system=random", "size=2") == 0
    assert report(tmp_path)["images"] == 2
    assert report(tmp_path)["rows"][-1]["n"] == 2 * EACH * 7


def test_resume_scores_a_finished_run_again_and_takes_no_other_for_it(release, tmp_path, capsys):
    assert evaluate(release, tmp_path, "system=random") == 0
    first = report(tmp_path)
    assert evaluate(release, tmp_path, "system=random", "resume=true", "scorer=vlmevalkit") == 0
    assert report(tmp_path)["scorer"] == "vlmevalkit"
    assert report(tmp_path)["provenance"]["date"] == first["provenance"]["date"]
    capsys.readouterr()
    others = {
        "seed=1": "system.seed",
        "abstain_below=0.9": "abstain_below",
        "system=oracle": "system._target_",
        "size=2": "data.images",
    }
    for option, key in others.items():
        supplied = ["system=random"] * (not option.startswith("system")) + [option]
        for more in ([], ["resume=true"]):
            held = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
            assert evaluate(release, tmp_path, *supplied, *more) == 2
            error = capsys.readouterr().err
            assert (error.count("\n"), key in error, "overwrite=true" in error) == (1, True, True)
            assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == held
    assert evaluate(release, tmp_path, "system=oracle", "overwrite=true") == 0
    assert values(tmp_path) == [100.0] * 8


def test_other_weights_are_another_run(release, tmp_path, capsys):
    estimator, parser = untrained_estimator(tmp_path), untrained_parser(tmp_path)
    networks = [f"perception.checkpoint={estimator}", f"parser.checkpoint={parser}", "size=1"]
    assert evaluate(release, tmp_path / "out", *networks) == 0
    weights, record = checkpoint.load(parser)
    checkpoint.save(
        parser, record["kind"], {k: v + 1 for k, v in weights.items()}, record["config"], {}, {}
    )
    assert evaluate(release, tmp_path / "out", *networks, "resume=true") == 2
    assert "checkpoints.parser" in capsys.readouterr().err


def test_the_row_and_the_folder_say_all_that_sets_a_run_apart(
    release, networks, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    apart = ["oracle=heading", "abstain_below=0.5", "executor.mode=argmax"]
    assert (
        run_hydra(
            script.main, "evaluate", "", [f"data.root={release}", "size=1", *networks, *apart]
        )
        == 0
    )
    (out,) = (tmp_path / "outputs").iterdir()
    name = "po3d, oracle: heading, perception estimator, parser parser, argmax, abstains below 0.5"
    assert out.name.startswith(
        f"pulsecheck457-release-{release.stem}-size1-po3d-oracle-heading-perception-estimator-"
    )
    assert f"{name} (strict)" in capsys.readouterr().out
    assert f"# {name} on pulsecheck457 (release, 1 image)" in (out / "report.md").read_text()
    run = read_run(out)
    assert run.entries[0].name == name
    assert run_tables(run)[0][1].rows[0][0] == f"{name} (strict)"
    assert latex_text(name) in SPELLINGS["latex"](explained(run), "pulsecheck457")
    assert f"<title>{name} on" in run_page(run, out)
    assert read_entry(out / "predictions.jsonl", run.split.questions).name == name


@pytest.mark.parametrize(
    ("options", "folder"),
    [
        ([], "pulsecheck457-mini-po3d"),
        (["size=2"], "pulsecheck457-mini-size2-po3d"),
        (["seed=3"], "pulsecheck457-mini-seed3-po3d"),
        (
            ["split=fresh", "seed=7", "size=20", "benchmark.difficulty.near=0.5"],
            "pulsecheck457-fresh-seed7-near0.5-size20-po3d",
        ),
        (["+experiment=oracle_grid"], "pulsecheck457-mini-po3d-grid"),
        (["benchmark=hypo3d"], "hypo3d-mini-po3d"),
        (["benchmark=hypo3d", "benchmark.scenes=ground_truth"], "hypo3d-mini-po3d-true-tables"),
        (["benchmark=scope", "perception.checkpoint=mine"], "scope-mini-po3d-perception-mine"),
        (
            ["benchmark=3dsrbench", "benchmark.assume_present=false"],
            "3dsrbench-mini-po3d-without-presuppositions",
        ),
        (
            ["system=lmm", "system.base_url=http://x/v1", "system.model=org/M-7b"],
            "pulsecheck457-mini-org-M-7b",
        ),
        (["system=replay", "system.path=theirs.jsonl"], "pulsecheck457-mini-replay-of-theirs"),
        (["data.root=ROOT/Spatial457"], "pulsecheck457-release-Spatial457-po3d"),
        (["data.root=ROOT/mine"], "pulsecheck457-twin-mine-po3d"),
    ],
)
def test_default_folders_tell_runs_apart(options, folder, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "twin.json").write_text("{}")
    chosen = {}
    built = script.default_out

    def spied(*supplied):
        chosen["out"] = built(*supplied)
        raise InputError("no further")

    monkeypatch.setattr(script, "default_out", spied)
    assert (
        run_hydra(script.main, "evaluate", "", [o.replace("ROOT", str(tmp_path)) for o in options])
        == 2
    )
    assert chosen["out"] == str(Path("outputs") / folder)


def test_alone_the_script_shows_rooms_from_plain_maps_with_true_tables_beside_them():
    first, second = (["benchmark=hypo3d", *own] for own in BENCHMARKS["hypo3d"].default_runs)
    options = OmegaConf.to_container(compose("evaluate", first), resolve=True)
    default = system_settings(defaults(options)["system"])
    settings = settings_of(system_settings(options["system"]), default)
    out = default_out(options, settings, default)
    display = OmegaConf.to_container(compose("evaluate", second), resolve=True)
    assert display["compare_to"] == [out]
    assert display["benchmark"]["scenes"] == default["scenes"] == "map"
    assert next(iter(BENCHMARKS)) == "hypo3d"  # the longest


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["benchmark=hypo3d", "benchmark.scenes=ground_truth", "perception.checkpoint=x"],
            "no effect on system=po3d, benchmark=hypo3d",
        ),
        (
            ["benchmark=scope", "executor.mode=argmax"],
            "executor.mode is set, but has no effect on system=po3d, benchmark=scope",
        ),
        (["benchmark=3dsrbench", "parser.checkpoint=x"], "parser.checkpoint is set"),
        (
            ["system=random", "oracle=[heading]"],
            "oracle is set, but has no effect on system=random",
        ),
        (
            ["system=oracle", "parser=benchmark"],
            "parser is set, but has no effect on system=oracle",
        ),
        (
            ["benchmark=hypo3d", "system=oracle", "benchmark.scenes=ground_truth"],
            "benchmark.scenes is set, but has no effect on system=oracle",
        ),
        (
            ["benchmark=3dsrbench", "system=random", "executor.samples=64"],
            "executor.samples is set, but has no effect on system=random",
        ),
        (
            ["benchmark.difficulty.near=0.5"],
            "benchmark.difficulty is set, but only split=fresh uses it",
        ),
        (["data.root=data/mini/pulsecheck457", "benchmark.look=studio"], "benchmark.look is set"),
        (
            ["data.root=data/mini/pulsecheck457", "split=fresh"],
            "split=fresh is set, but the questions come from data.root=",
        ),
        (
            ["benchmark=scope", "split=fresh", "benchmark.look=studio"],
            "look=studio applies to streets; scope has none",
        ),
        (
            ["benchmark=superclevr", "split=fresh", "benchmark.difficulty.hops=[2]"],
            "unknown option 'benchmark.difficulty.hops'",
        ),
        (["+sistem=oracle"], "sistem='oracle' is not an option"),
        (["+benchmark.tabel=truth"], "benchmark.tabel is not an option of pulsecheck457"),
        (
            ["benchmark=hypo3d", "benchmark.scans=data"],
            "benchmark.scans is set, but only data.root=DIR uses it",
        ),
        (
            ["benchmark=hypo3d", "benchmark.furniture=nowhere"],
            "benchmark.furniture=nowhere is neither a file nor a folder",
        ),
        (["executor.samples=0"], "executor.samples=0 should be at least 1 for streets"),
        (["benchmark=hypo3d", "executor.samples=-1"], "executor.samples=-1 should be at least 0"),
        (["benchmark=3dsrbench", "benchmark.assume_present=perhaps"], "should be true or false"),
        (
            ["benchmark=scope", "benchmark.known_yaw=perhaps"],
            "known_yaw='perhaps' should be true or false",
        ),
        (["+experiment=oracle_grid", "+grid.cell=[]"], "grid.cell=[] is not an option"),
        (["+experiment=oracle_grid", "compare_to=data"], "compare_to= needs a single evaluation"),
        (["system=random", "system.seed=-1"], "system.seed=-1 should be at least 0"),
        (["published=perhaps"], "published='perhaps' should be False, True or 'later'"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(options, says, tmp_path, capsys):
    assert script.run([*options, f"out={tmp_path / 'out'}"]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_other_scans_are_other_data():
    class Split:
        scans, images = Path("scans"), ("a", "b")

        def __init__(self, size):
            self.table = random_scene(rng(0, "scan"), size)

        def truth(self, name):
            if name == "b":
                raise InputError("no scan of b")
            return self.table

    assert digests_beside(Split(3)) == digests_beside(Split(3))
    assert digests_beside(Split(3)) != digests_beside(Split(4))
    Split.scans = None
    assert digests_beside(Split(3)) == {}


def test_other_furniture_is_other_data(tmp_path):
    result = []
    for library in (b"one", b"other"):
        (tmp_path / "a.sh3f").write_bytes(library)
        result.append(digests_beside(SimpleNamespace(furniture=tmp_path))["furniture"])
    assert result[0] != result[1]


def test_what_stands_beside_is_on_the_same_questions_and_says_what_it_is(release, tmp_path, capsys):
    assert evaluate(release, tmp_path / "oracle", "system=oracle") == 0
    assert evaluate(release, tmp_path / "few", "system=oracle", "size=1") == 0
    assert (
        evaluate(release, tmp_path / "both", "system=random", f"compare_to={tmp_path / 'oracle'}")
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert (
        next(line for line in reversed(lines) if line.startswith("oracle (strict)")).split()[2:]
        == ["100.0"] * 8
    )
    assert "| oracle (strict) | 100.0" in (tmp_path / "both" / "report.md").read_text()
    assert "oracle (strict)" in run_page(read_run(tmp_path / "both"), tmp_path / "both")
    assert (
        evaluate(release, tmp_path / "other", "system=random", f"compare_to={tmp_path / 'few'}")
        == 2
    )


def test_the_grid_keeps_what_another_run_left(release, networks, tmp_path, capsys):
    grid = [
        *networks,
        "+experiment=oracle_grid",
        "~grid.noise",
        "grid.singles=false",
        "workers=1",
        "size=1",
    ]
    assert evaluate(release, tmp_path / "out", *grid) == 0
    held = (tmp_path / "out" / "grid.json").read_bytes()
    for option, key in {
        "grid.cells=[{heading: 10}]": "grid",
        "executor.mode=argmax": "system.mode",
    }.items():
        capsys.readouterr()
        assert evaluate(release, tmp_path / "out", *grid, option) == 2
        assert key in capsys.readouterr().err
        assert (tmp_path / "out" / "grid.json").read_bytes() == held
    with locked(tmp_path / "out"):
        assert evaluate(release, tmp_path / "out", *grid) == 2
    assert (
        evaluate(release, tmp_path / "out", *grid, "grid.cells=[{heading: 10}]", "resume=true") == 0
    )
    assert (tmp_path / "out" / "grid.json").read_bytes() != held


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("scorer=kind", "unknown scorer 'kind'"),
        ("split=maxi", "split='maxi' should be 'mini' or 'fresh'"),
        ("size=-1", "size=-1 should be at least 1"),
        ("size=many", "size='many' should be a whole number"),
        ("seed=1.5", "seed=1.5 should be"),
        ("data.root=nowhere", "huggingface"),
        ("system.mode=guess", "unknown mode 'guess'"),
        ("oracle=[yaw]", "'yaw' is not a module"),
        ("oracle=yaw", "'yaw' is not a module"),
        ("oracle=5", "oracle=5 should be a list"),
        ("workers=-1", "workers=-1 should be at least 1"),
        ("+grid.cells=[]", "grid.groups should contain"),
        ("wandb=mine", "wandb='mine' should be an object"),
        ("wandb={projct: po3d}", "wandb.init has no argument 'projct'"),
        ("wandb={mode: often}", "wandb.mode: Input should be"),
        ("wandb={project: a/b}", "wandb.project: Invalid project name"),
        ("wandb={tags: 5}", "wandb.tags: "),
        ("abstain_below=2", "abstain_below=2 should be at most 1"),
        ("system=replay", "system.path"),
        ("perception.checkpoint=nowhere", "not found"),
        ("benchmark.on_bad_image=maybe", "benchmark.on_bad_image='maybe' should be fail or count"),
        ("perception.chekpoint=x", "did you mean perception.checkpoint"),
    ],
)
def test_a_bad_option_is_one_line_and_writes_nothing(
    release, networks, tmp_path, capsys, override, says
):
    out = tmp_path / "out"
    supplied = [option for option in networks if not override.startswith(option.split("=")[0])]
    assert evaluate(release, out, *supplied, override) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert says.replace("huggingface", "Hugging Face") in error
    assert not out.exists()


def test_a_missing_picture_ends_the_run_or_is_counted_and_named(
    release, networks, tmp_path, capsys
):
    root = tmp_path / "release"
    shutil.copytree(release, root)
    (root / "images" / "1.png").unlink()
    assert evaluate(root, tmp_path / "out", *networks) == 2
    assert "image not found" in capsys.readouterr().err
    assert evaluate(root, tmp_path / "out", *networks, "benchmark.on_bad_image=count") == 0
    printed, result = capsys.readouterr().out, report(tmp_path / "out")
    assert result["statuses"] == {"unparsed": (IMAGES - 1) * EACH * 7, "failed": EACH * 7}
    (reply,) = result["notes"]
    assert (
        f"cannot read 1 image: {EACH * 7} questions failed and count as wrong (image not found: "
        in reply
    )
    for text in (printed, (tmp_path / "out" / "report.md").read_text()):
        assert f"note: {reply}" in text


def test_a_part_of_the_release_is_noted_and_its_mean_stands_alone(release, tmp_path, capsys):
    root = tmp_path / "release"
    shutil.copytree(release, root)
    (root / "questions" / "L4_occ.json").rename(root / "questions" / "L4_occlusion.json")
    assert evaluate(root, tmp_path / "out", "system=oracle") == 0
    printed, result = capsys.readouterr(), report(tmp_path / "out")
    assert len(result["notes"]) == 2
    for reply in result["notes"]:
        assert f"note: {reply}" in printed.err
        assert f"note: {reply}" in printed.out
    assert "mean (6 of 7)" in printed.out
    assert all("mean" not in row for row in result["published"])


def test_only_the_files_that_are_read_make_the_datas_hash(release, tmp_path):
    def digest(root, out, *options):
        assert evaluate(root, tmp_path / out, "system=random", *options) == 0
        return report(tmp_path / out)["provenance"]["data"]["sha256"]

    root = tmp_path / "release"
    shutil.copytree(release, root)
    first = digest(root, "a")
    (root / "another data set").mkdir()
    (root / "another data set" / "picture.png").write_bytes(b"1")
    (root / "images" / "unasked.png").write_bytes(b"1")
    assert digest(root, "b") == first
    (root / "images" / "3.png").write_bytes((root / "images" / "2.png").read_bytes())
    assert digest(root, "c") != first
    assert digest(root, "d", "size=2") == digest(release, "e", "size=2")
