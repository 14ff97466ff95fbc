"""po3d compare: predictions files side by side."""

import json

import numpy as np
import pytest
from finished_runs import finished

from po3d.benchmarks.pulsecheck457.score import correct
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.cli import main as cli
from po3d.evaluation.compare import accuracy_table, compare, read_entry
from po3d.evaluation.statistics import mcnemar
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.reasoning.questions import Prediction, write_predictions

SPLIT = opened("pulsecheck457").first(12)


def answers(share, name, questions=SPLIT.questions):
    """Right with probability `share`, else silent or wrong."""
    r = rng(1, name)
    return [
        Prediction(q.id, "ok", q.answer if r.random() < share else "nothing")
        if r.random() < 0.95
        else Prediction(q.id, "abstained")
        for q in questions
    ]


@pytest.fixture
def files(tmp_path):
    for name, share in (("good", 0.9), ("fair", 0.7), ("also_fair", 0.7)):
        write_predictions(tmp_path / f"{name}.jsonl", answers(share, name))
    return tmp_path


def run(files, *options, names=("good", "fair", "also_fair")):
    return cli.main(
        ["compare", *(str(files / f"{n}.jsonl") for n in names), "--size", "12", *options]
    )


def test_json_has_every_model_and_pair_with_the_right_counts(files, capsys):
    assert run(files, "--json", "--by-category") == 0
    result = json.loads(capsys.readouterr().out)
    assert [m["name"] for m in result["models"]] == ["good", "fair", "also_fair"]
    assert [(p["first"], p["second"]) for p in result["pairs"]] == [
        ("good", "fair"), ("good", "also_fair"), ("fair", "also_fair")]  # fmt: skip
    assert (result["questions"], result["clusters"]) == (len(SPLIT.questions), 12)
    right = {
        n: np.array(correct(SPLIT.questions, answers(s, n), "strict"))
        for n, s in (("good", 0.9), ("fair", 0.7))
    }
    first, test = result["pairs"][0], mcnemar(right["good"], right["fair"])
    assert (first["only_first"], first["only_second"], first["p_mcnemar"]) == test
    assert first["difference"] == pytest.approx(100 * (right["good"].mean() - right["fair"].mean()))
    assert first["ci_low"] < first["difference"] < first["ci_high"]
    rank = sorted(p["p_mcnemar"] for p in result["pairs"]).index(first["p_mcnemar"])
    assert first["p_holm"] >= (3 - rank) * first["p_mcnemar"]
    assert (
        result["pairs"][2]["p_holm"] == result["pairs"][2]["p_mcnemar"]
    )  # the largest is left as it is
    assert sum(own["n"] for own in first["by_category"].values()) == first["n"]
    assert sum(own["only_first"] for own in first["by_category"].values()) == first["only_first"]


def test_the_tables_come_in_three_spellings_and_into_a_file(files, capsys):
    assert run(files, "--to-first") == 0
    printed = capsys.readouterr().out
    assert "good - fair" in printed
    assert "fair - also_fair" not in printed
    assert "95 % interval" in printed
    assert run(files, "--markdown", "--names", "A,B,C") == 0
    assert "| A - B |" in capsys.readouterr().out
    assert run(files, "--latex", "--out", str(files / "table.tex")) == 0
    assert (files / "table.tex").read_text().count(r"\bottomrule") == 2


def test_one_image_gives_no_interval_and_no_p_value_but_the_reason(files, capsys):
    only = (str(files / "good.jsonl"), str(files / "fair.jsonl"), "--size", "1")
    assert cli.main(["compare", *only]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert all("none: one image" in line for line in printed if "95 % interval" in line)
    assert (
        next(line for line in printed if line.startswith("good - fair")).count("none: one image")
        == 1
    )
    assert cli.main(["compare", *only, "--json", "--by-category"]) == 0
    result = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)  # JSON has no NaN
    (pair,) = result["pairs"]
    assert (pair["reason"], pair["p_bootstrap"], pair["ci_low"], pair["detectable"]) == (
        "one image",
        None,
        None,
        None,
    )
    assert pair["difference"] is not None
    assert 0 < pair["p_mcnemar"] <= 1


def test_missing_lines_are_wrong_counted_and_reported(files, capsys):
    whole = answers(1.0, "whole")
    write_predictions(
        files / "half.jsonl", [*whole[: len(whole) // 2], Prediction("elsewhere:1", "ok", "yes")]
    )
    left = len(whole) - len(whole) // 2
    assert run(files, "--json", names=("good", "half")) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["models"][1]["absent"], result["models"][1]["foreign"]) == (left, 1)
    assert result["notes"] == [
        f"half: {left} questions without a prediction, 1 predictions for other questions"
    ]
    assert result["pairs"][0]["difference"] > 20
    assert run(files, "--json", "--common", names=("good", "half")) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["questions"] == len(whole) // 2
    assert result["pairs"][0]["difference"] < 0


def test_controls_of_hypo3d_count_in_no_pair():
    split = opened("hypo3d").first(3)
    gold = [Prediction(q.id, "ok", q.answer) for q in split.questions]
    controls = {q.id for q in split.questions if q.control}
    silent = [
        Prediction(q.id, "abstained") if q.id in controls else p
        for q, p in zip(split.questions, gold)
    ]
    entries = [_entry("gold", gold), _entry("silent", silent)]
    result = compare(BENCHMARKS["hypo3d"], split.questions, entries, "official")
    assert controls
    assert result["questions"] == len(split.questions) - len(controls)
    assert result["pairs"][0]["difference"] == 0
    assert [model["not_ok"] for model in result["models"]] == [0, 0]


def test_the_title_counts_questions_and_clusters():
    split = SPLIT.first(1)
    entries = [_entry(name, answers(1.0, name, split.questions)) for name in ("a", "b")]
    result = compare(BENCHMARKS["pulsecheck457"], split.questions, entries, "strict")
    title = accuracy_table(result).header[0]
    assert title.endswith(f", {len(split.questions)} questions, 1 cluster")


def _entry(name, predictions):
    from po3d.evaluation.compare import SystemEntry

    return SystemEntry(name, predictions, frozenset(), 0)


def test_files_of_one_name_are_distinguished(tmp_path, capsys):
    for folder in ("a/run", "b/run"):
        write_predictions(tmp_path / folder / "predictions.jsonl", answers(0.8, folder))
    paths = [str(tmp_path / f / "predictions.jsonl") for f in ("a/run", "b/run")]
    assert cli.main(["compare", *paths, "--size", "12", "--json"]) == 0
    assert [m["name"] for m in json.loads(capsys.readouterr().out)["models"]] == paths
    runs = [str(tmp_path / f) for f in ("a/run", "b/run")]
    assert cli.main(["compare", *runs, "--size", "12", "--json"]) == 0
    assert [m["name"] for m in json.loads(capsys.readouterr().out)["models"]] == runs


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--benchmark", "hypo3d"], "has no answer to any of the"),
        (["--size", "0"], "should be at least 1"),
        (["--names", "A"], "1 names for 3 files"),
        (["--scorer", "kind"], "unknown scorer 'kind'"),
        (["--data", "nowhere"], "no PulseCheck457 data in nowhere"),
    ],
)
def test_bad_options_are_one_line(files, options, says, capsys):
    assert run(files, *options) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            '{"question": "x", "prediction": "y"}',
            "lmm.jsonl is not a predictions file; `po3d import`",
        ),
        ('{"id": "x"}', "lmm.jsonl is not a predictions file; `po3d import`"),
        ("[1]", "line 1: each line should be a JSON object"),
        ("3", "line 1: each line should be a JSON object"),
    ],
)
def test_what_is_no_predictions_file_is_reported(files, line, says, capsys):
    (files / "lmm.jsonl").write_text(line + "\n")
    assert run(files, names=("good", "lmm")) == 2
    assert says in capsys.readouterr().err


def test_a_line_twice_is_refused(tmp_path):
    write_predictions(
        tmp_path / "a.jsonl", [Prediction("x", "ok", "1"), Prediction("x", "ok", "2")]
    )
    with pytest.raises(InputError, match="has two answers to question 'x'"):
        read_entry(tmp_path / "a.jsonl", SPLIT.questions)


def sized(folder, benchmark, size):
    """A finished run on the first images, whose run.json has its size."""
    finished(folder, benchmark, size)
    record = json.loads((folder / "run.json").read_text())
    record["about"]["provenance"]["config"] = {
        "size": size,
        "split": "mini",
        "data": {"root": None},
    }
    (folder / "run.json").write_text(json.dumps(record))
    return str(folder)


def test_benchmark_and_size_come_from_the_runs(tmp_path, capsys):
    runs = [sized(tmp_path / name, "scope", size) for name, size in (("a", 2), ("b", 1))]
    assert cli.main(["compare", *runs, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["clusters"] == 1  # scene
    assert all(model["absent"] == 0 for model in result["models"])
    assert any(
        "compared on the first 1 scene, as in the smallest run" in note for note in result["notes"]
    )
    assert cli.main(["compare", *runs, "--size", "2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [model["absent"] > 0 for model in result["models"]] == [False, True]
    assert cli.main(["compare", *runs, "--benchmark", "hypo3d"]) == 2
    assert "has no answer to any of the" in capsys.readouterr().err
