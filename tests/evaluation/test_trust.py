"""Calibration, risk and coverage, abstention: against plain definitions and on data of known
calibration.
"""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.cli import main as cli
from po3d.evaluation.calibration import (
    SelectiveSystem,
    abstain,
    answered,
    calibration_error,
    coverage_at,
    fit_temperature,
    reliability,
    rescaled,
    risk_coverage,
    trust,
)
from po3d.evaluation.provenance import provenance
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.reasoning.questions import Prediction, read_predictions, write_predictions

PULSECHECK457 = BENCHMARKS["pulsecheck457"]
SPLIT = opened("pulsecheck457").first(20)
items = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50)


def calibrated(n, name="calibrated"):
    """Probabilities, and outcomes that are right just so often."""
    r = rng(3, name)
    p = r.uniform(0.2, 1, n)
    return p, r.random(n) < p


@given(items)
def test_bins_hold_every_answer_once_and_their_means_are_the_whole_mean(pairs):
    p, right = map(np.array, zip(*pairs))
    bins = reliability(p, right)
    assert sum(b["n"] for b in bins) == len(p)
    assert sum(b["n"] * b["confidence"] for b in bins) == pytest.approx(p.sum())
    assert sum(b["n"] * b["accuracy"] for b in bins) == pytest.approx(right.sum())
    assert all(b["low"] - 1e-12 <= b["confidence"] <= b["high"] + 1e-12 for b in bins)


@given(items)
def test_calibration_error_by_hand(pairs):
    p, right = map(np.array, zip(*pairs))
    error = 0.0
    for k in range(15):
        own = [i for i in range(len(p)) if k / 15 < p[i] <= (k + 1) / 15 or (k == 0 and p[i] == 0)]
        if own:
            error += abs(np.sum(p[own]) - np.sum(right[own])) / len(p)
    assert calibration_error(p, right) == pytest.approx(error, abs=1e-9)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_the_temperature_that_spoiled_the_probabilities_is_detected(temperature):
    p, right = calibrated(20_000)
    bold = expit(logit(p) * temperature)
    result = fit_temperature(bold, right)
    assert result == pytest.approx(temperature, rel=0.06)
    assert calibration_error(rescaled(bold, result), right) < 0.015
    if temperature != 1:
        assert calibration_error(bold, right) > 0.05


@given(items, st.floats(0.1, 10))
def test_scaling_keeps_the_order_and_one_half(pairs, temperature):
    p = np.sort(np.array([q for q, _ in pairs]))
    assert np.all(np.diff(rescaled(p, temperature)) >= 0)
    assert rescaled(0.5, temperature) == pytest.approx(0.5)
    np.testing.assert_allclose(rescaled(p, 1.0), np.clip(p, 1e-6, 1 - 1e-6), atol=1e-9)


@given(items, st.integers(0, 5), st.sampled_from([0.0, 0.01, 0.05, 0.3]))
def test_coverage_is_the_most_that_a_threshold_may_answer(pairs, silent, risk):
    p, right = map(np.array, zip(*pairs))
    total = len(p) + silent
    best = 0.0
    for threshold in p:
        condition = p >= threshold
        if 1 - right[condition].mean() <= risk + 1e-12:
            best = max(best, condition.sum() / total)
    result = coverage_at(p, right, total, risk)
    assert result["coverage"] == pytest.approx(best)
    if best:
        assert (p >= result["threshold"]).sum() / total == pytest.approx(best)
    thresholds, coverage, risks = risk_coverage(p, right, total)
    assert np.all(np.diff(thresholds) < 0)
    assert coverage[-1] == pytest.approx(len(p) / total)
    assert risks[-1] == pytest.approx(1 - right.mean())


def predictions(n=None, bold=1.0):
    p, right = calibrated(len(SPLIT.questions))
    p = expit(logit(p) * bold)
    return [Prediction(q.id, "ok", q.answer if r else "none of it", float(c))
            for q, c, r in zip(SPLIT.questions, p, right)][:n]  # fmt: skip


def test_answers_below_the_threshold_are_held_back():
    class Sure:
        def answer(self, questions, context):
            return predictions()

    held = SelectiveSystem(Sure(), 0.6).answer(SPLIT.questions, None)
    for before, after in zip(predictions(), held):
        assert after.status == ("ok" if before.probability >= 0.6 else "abstained")
        assert (after.answer is None) == (after.status == "abstained")
    assert abstain(Prediction("x", "ok", "yes"), 0.6).status == "ok"
    assert abstain(Prediction("x", "failed", reason="why"), 0.6).reason == "why"


def test_the_figures_are_those_of_the_answers_that_were_provided():
    whole = predictions()
    whole[0] = Prediction(whole[0].id, "failed", reason="why")
    given = answered(PULSECHECK457, SPLIT.questions, whole, "strict")
    assert (len(given[0]), given[2]) == (len(whole) - 1, len(whole))
    figures = trust(*given)
    assert figures["coverage_at"]["0.05"]["coverage"] >= figures["coverage_at"]["0.01"]["coverage"]
    assert 0 < figures["aurc"] < 1 - figures["accuracy"]
    with pytest.raises(InputError, match="has no probability"):
        answered(
            PULSECHECK457,
            SPLIT.questions,
            [Prediction(q.id, "ok", "1") for q in SPLIT.questions],
            "strict",
        )
    with pytest.raises(InputError, match="no answer has a probability"):
        answered(
            PULSECHECK457,
            SPLIT.questions,
            [Prediction(q.id, "failed") for q in SPLIT.questions],
            "strict",
        )


def test_the_command_fits_on_one_file_and_scales_another(tmp_path, capsys):
    bold, fit, out = tmp_path / "bold.jsonl", tmp_path / "fit.jsonl", tmp_path / "scaled.jsonl"
    write_predictions(bold, predictions(bold=3.0))
    write_predictions(fit, predictions(400, bold=3.0))
    root = str(PULSECHECK457.mini)
    picture = tmp_path / "reliability.png"
    options = ["--fit-on", str(fit), "--fit-data", root, "--out", str(out), "--plot", str(picture)]
    assert cli.main(["calibration", str(bold), "--json", *options]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["temperature"] == pytest.approx(3.0, rel=0.25)
    assert figures["ece"] < 0.05 < figures["ece_before"]
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert cli.main(["calibration", str(out), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["ece"] == pytest.approx(figures["ece"], abs=0.002)
    assert [p.answer for p in read_predictions(out)] == [p.answer for p in read_predictions(bold)]
    assert cli.main(["calibration", str(bold), "--json", "--size", "20"]) == 0
    assert json.loads(capsys.readouterr().out)["questions"] < again["questions"]
    assert cli.main(["calibration", str(bold), "--temperature", "3"]) == 0
    printed = capsys.readouterr().out
    assert "coverage at 1 % risk" in printed
    assert "ECE before scaling" in printed
    assert "other questions" not in printed
    with bold.open("a") as file:
        file.write(
            json.dumps(
                {"id": "of another split", "status": "ok", "answer": "yes", "probability": 0.5}
            )
            + "\n"
        )
    assert cli.main(["calibration", str(bold)]) == 0
    assert "bold.jsonl: ignored 1 lines for other questions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--fit-on", "x.jsonl"], "need each other"),
        (["--temperature", "0"], "should be positive"),
        (["--temperature", "inf"], "should be positive"),
        (["--fit-on", "FILE", "--fit-data", str(PULSECHECK457.mini)], "another split"),
        (["--plot", "a.bmp"], "should end in one of .png"),
        (["--scorer", "kind"], "unknown scorer"),
        (["--size", "-1"], "should be at least 1"),
    ],
)
def test_bad_options_are_one_line(tmp_path, capsys, options, says):
    path = tmp_path / "p.jsonl"
    write_predictions(path, predictions())
    assert (
        cli.main(["calibration", str(path), *(str(path) if o == "FILE" else o for o in options)])
        == 2
    )
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error


def write_run(folder, benchmark, size):
    """Write a run.json on the first images of a mini split."""
    config = {"size": size, "split": "mini", "data": {"root": None}}
    data = {"root": "x", "images": size}
    about = {
        "benchmark": benchmark,
        "split": "mini",
        "system": "gold",
        "settings": {},
        "provenance": {**provenance({}, {}, data, ""), "config": config},
    }
    (folder / "run.json").write_text(json.dumps({"identity": {}, "about": about}))


def test_benchmark_data_and_size_come_from_the_run(tmp_path, capsys):
    questions = opened("scope", None, 2).questions
    predictions = [
        Prediction(q.id, "ok", q.answer if k % 4 else "no", 0.5 + 0.4 * (k % 2))
        for k, q in enumerate(questions)
    ]
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_predictions(tmp_path / name / "predictions.jsonl", predictions)
        write_run(tmp_path / name, "scope", 2)
    assert cli.main(["calibration", str(tmp_path / "a"), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["answers"] == figures["questions"] > 0
    options = ["--fit-on", str(tmp_path / "b"), "--json"]
    assert cli.main(["calibration", str(tmp_path / "a"), *options]) == 0
    assert json.loads(capsys.readouterr().out)["temperature"] != 1.0
    write_run(tmp_path / "b", "superclevr", 2)
    assert cli.main(["calibration", str(tmp_path / "a"), *options]) == 2
    assert "is a run of superclevr, not of scope" in capsys.readouterr().err


def test_a_sized_run_counts_against_its_own_questions(tmp_path, capsys):
    questions = opened("pulsecheck457", None, 2).questions
    path = tmp_path / "predictions.jsonl"
    write_predictions(
        path,
        [Prediction(q.id, "ok", q.answer, 0.5 + 0.4 * (k % 2)) for k, q in enumerate(questions)],
    )

    def counted(*options):
        assert cli.main(["calibration", str(path), "--json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    assert counted()["questions"] > len(questions)  # nothing says that it is a part
    write_run(tmp_path, "pulsecheck457", 2)
    assert counted()["questions"] == len(questions)
    assert counted("--size", "1")["questions"] < len(questions)
    assert cli.main(["calibration", str(path)]) == 0
    assert "on the first 2 images, as in the run (size=2)" in capsys.readouterr().out
