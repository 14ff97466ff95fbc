"""po3d export --format easi: the files that EASI's leaderboard takes, read by the rules of its
code.
"""

import csv
import json
import zipfile

import pytest
from finished_runs import finished

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.cli import main as cli
from po3d.reasoning.questions import read_predictions, write_predictions

CATEGORIES = 12


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run on one scene whose answers to every fifth row are wrong."""
    folder = tmp_path_factory.mktemp("run")
    split = finished(folder, "3dsrbench", 1)
    predictions = list(read_predictions(folder / "predictions.jsonl"))
    spoiled = [p if k % 5 else type(p)(p.id, "abstained") for k, p in enumerate(predictions)]
    write_predictions(folder / "predictions.jsonl", spoiled)
    return folder, split.questions, spoiled


def exported(run, out, *options):
    command = ["export", "--benchmark", "3dsrbench", "--size", "1", "--format", "easi"]
    return cli.main([*command, "--predictions", str(run[0]), "--out", str(out), *options])


def read_by_easi(path):
    """EASI's rule: the first row of a columnar file; cells that are no numbers are skipped."""
    with open(path, newline="") as file:
        row = next(iter(csv.DictReader(file)))
    result = {}
    for name, cell in row.items():
        try:
            result[name] = float(cell)
        except ValueError:
            continue
    return result


def test_the_files_hold_the_same_figures(run, tmp_path, capsys):
    pytest.importorskip("openpyxl")
    from po3d.evaluation.harness.harness_files import iterate_rows

    assert exported(run, tmp_path / "out", "--model", "lab/po3d-1") == 0
    printed = capsys.readouterr().out
    assert "do not submit them" in printed
    assert "fill in before a submission: modelType, precision" in printed
    payload = json.loads((tmp_path / "out" / "easi_results.json").read_text())
    score = BENCHMARKS["3dsrbench"].score(run[1], run[2], "vanilla")
    rows = {row["name"]: row["value"] for row in score["rows"]}
    assert payload["modelName"] == "lab/po3d-1"
    assert payload["scores"] == {"3dsrbench": round(rows["overall"], 4)}
    assert "twin of 3DSRBench, not the benchmark's images" in payload["remarks"]
    folder = tmp_path / "out" / "po3d-1"
    metrics = read_by_easi(folder / "po3d-1_3DSRBench_acc.csv")
    assert round(100 * metrics["Overall"], 4) == payload["scores"]["3dsrbench"]
    twelve = {q.category for q in run[1]}
    assert len(twelve) == CATEGORIES
    for name in twelve:
        assert round(100 * metrics[name], 4) == payload["subScores"]["3dsrbench"][name]
    with open(folder / "po3d-1_3DSRBench_acc.csv", newline="") as file:
        settings = [row["setting"] for row in csv.DictReader(file)]
    assert settings == ["vanilla", "flip_eval", "circ_eval", "flip_circ_eval"]
    lines = [row.cells for row in list(iterate_rows(folder / "po3d-1_3DSRBench_result.xlsx"))]
    assert len(lines) == len(run[1])
    mean = 100 * sum(int(line["hit"]) for line in lines) / len(lines)
    assert mean == pytest.approx(rows["overall"])
    for line, q, p in zip(lines, run[1], run[2], strict=True):
        assert line["qid"] == q.id
        assert (line["extracted"] or None) == p.answer
    about = json.loads((folder / "po3d-1_3DSRBench_settings.json").read_text())
    assert about["run"]["provenance"]["versions"]["po3d"]
    assert about["scorer"] == "vanilla"
    assert about["questions"] == len(run[1])
    with zipfile.ZipFile(tmp_path / "out" / "easi_results.zip") as archive:
        assert sorted(archive.namelist()) == sorted(
            f"po3d-1/{path.name}" for path in folder.iterdir()
        )


def test_the_same_run_gives_the_same_payload_and_other_folders_are_left_alone(
    run, tmp_path, capsys
):
    pytest.importorskip("openpyxl")
    assert exported(run, tmp_path / "out") == exported(run, tmp_path / "again") == 0
    payloads = [(tmp_path / name / "easi_results.json").read_bytes() for name in ("out", "again")]
    assert payloads[0] == payloads[1]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.txt").write_text("keep")
    assert exported(run, tmp_path / "mine") == 2
    assert "holds no easi_results.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [(["--model", "po3d"], "should be ORG/NAME"), (["--model", "../x/y"], "should be ORG/NAME"),
     (["--inline"], "--inline needs --format openai")],
)  # fmt: skip
def test_bad_options_are_one_line(run, tmp_path, capsys, options, says):
    assert exported(run, tmp_path / "out", *options) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error


def test_a_benchmark_that_easi_lacks_has_the_shape_and_a_note(tmp_path, capsys):
    pytest.importorskip("openpyxl")
    finished(tmp_path / "run", "scope", 1)
    command = [
        "export",
        "--benchmark",
        "scope",
        "--size",
        "1",
        "--format",
        "easi",
        "--out",
        str(tmp_path / "o"),
    ]
    assert cli.main([*command, "--predictions", str(tmp_path / "run" / "predictions.jsonl")]) == 0
    assert "is not on EASI's leaderboard" in capsys.readouterr().out
    payload = json.loads((tmp_path / "o" / "easi_results.json").read_text())
    assert payload["scores"] == {"scope": 100.0}
    assert opened("scope", None, 1).questions
