"""Calibration and selective prediction (risk-coverage). `po3d calibration --help` describes what is
fitted.
"""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.evaluation.compare import SystemEntry, read_entry, with_answers
from po3d.evaluation.report.plots import reliability_plot
from po3d.evaluation.report.records import data_of, described_run
from po3d.io.errors import InputError
from po3d.io.files import finite
from po3d.io.text_tables import Table, text
from po3d.reasoning.questions import Prediction, Question, write_predictions
from po3d.systems.interfaces import System, all_answers, at_once
from po3d.systems.pipeline import Context, ImageQuestions

Array = NDArray[np.float64]
BINS = 15  # the usual number for ECE
RISKS = (0.01, 0.05)
_EDGE = 1e-6  # probabilities are clipped to [_EDGE, 1 - _EDGE] before taking logits


@dataclass(frozen=True)
class SelectiveSystem:
    """Wraps a system: abstain where the probability is below a threshold; answers without a
    probability pass."""

    system: System
    below: float

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        result = []
        for p in self.system.answer(questions, context):
            result.append(abstain(p, self.below))
        return result

    def answers(self, batch: Sequence[ImageQuestions]) -> list[list[Prediction]]:
        result = []
        for predictions in all_answers(self.system, batch):
            result.append([abstain(p, self.below) for p in predictions])
        return result

    @property
    def at_once(self) -> int:
        return at_once(self.system)


def abstain(prediction: Prediction, below: float) -> Prediction:
    """Return the prediction, or an abstention if its probability is below the threshold."""
    p = prediction.probability
    if prediction.status != "ok" or p is None or p >= below:
        return prediction
    reason = f"the answer's probability {p:.3f} is below {below:g}"
    return replace(prediction, status="abstained", answer=None, reason=reason)


def reliability(probabilities: ArrayLike, right: ArrayLike) -> list[dict]:
    """Compute the data of a reliability diagram: bins of equal width, without empty ones. A bin has
    the answers whose probability is in (low, high]: their number n, confidence (mean probability)
    and accuracy (fraction correct)."""
    p, r = np.asarray(probabilities, float), np.asarray(right, float)
    column = np.clip(np.ceil(p * BINS).astype(int) - 1, 0, BINS - 1)
    rows = []
    for k in np.unique(column).tolist():
        in_bin = column == k
        row = {"low": k / BINS, "high": (k + 1) / BINS, "n": int(in_bin.sum())}
        row["confidence"], row["accuracy"] = float(p[in_bin].mean()), float(r[in_bin].mean())
        rows.append(row)
    return rows


def calibration_error(probabilities: ArrayLike, right: ArrayLike) -> float:
    """Compute the expected calibration error (ECE): the mean of |confidence - accuracy| over the
    bins, weighted by their counts; in [0, 1]."""
    error, n = 0, 0
    for row in reliability(probabilities, right):
        error += row["n"] * abs(row["confidence"] - row["accuracy"])
        n += row["n"]
    return error / max(n, 1)


def fit_temperature(probabilities: ArrayLike, right: ArrayLike) -> float:
    """Fit the temperature that minimises the negative log-likelihood; above 1 if the probabilities
    were overconfident."""
    z, r = _logits(probabilities), np.asarray(right, float)

    def loss(log_temperature: float) -> float:
        s = z / np.exp(log_temperature)
        return float((np.logaddexp(0, s) - r * s).mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x))


def rescaled(probabilities: ArrayLike, temperature: float) -> Array:
    """Apply temperature scaling."""
    return expit(_logits(probabilities) / temperature)


def risk_coverage(
    probabilities: ArrayLike, right: ArrayLike, total: int
) -> tuple[Array, Array, Array]:
    """Compute the risk-coverage curve: thresholds (k,) in descending order and, for each, the
    fraction of `total` questions answered at or above it and the error rate of those answers. Ties
    enter together."""
    p, r = np.asarray(probabilities, float), np.asarray(right, float)
    order = np.argsort(-p, kind="stable")
    p, wrong = p[order], np.cumsum(1 - r[order])
    last = np.flatnonzero(np.append(p[1:] != p[:-1], True)) if len(p) else np.array([], int)
    return p[last], (last + 1) / total, wrong[last] / (last + 1)


def coverage_at(
    probabilities: ArrayLike, right: ArrayLike, total: int, risk: float
) -> dict[str, float]:
    """Return the largest coverage (fraction of all questions) with an error rate of at most `risk`,
    and its threshold, the lowest probability that is answered (inf if nothing is), chosen on the
    same data."""
    thresholds, coverage, risks = risk_coverage(probabilities, right, total)
    within = np.flatnonzero(risks <= risk)
    if not len(within):
        return {"coverage": 0.0, "threshold": math.inf}
    last = within[-1]
    return {"coverage": float(coverage[last]), "threshold": float(thresholds[last])}


def _logits(probabilities: ArrayLike) -> Array:
    return logit(np.clip(np.asarray(probabilities, float), _EDGE, 1 - _EDGE))


# --- of predictions -------------------------------------------------------------------------------


def answered(
    benchmark: Benchmark,
    questions: Sequence[Question],
    predictions: Sequence[Prediction],
    scorer: str,
) -> tuple[Array, Array, int]:
    """Return probabilities and correctness of the given answers, and the number of questions. Raise
    InputError for an answer without a probability, or if there is none."""
    right = np.array(benchmark.correct(questions, predictions, scorer), float)
    counts = ~np.isnan(right)  # questions outside the headline figures are excluded
    answered = np.array([p.status == "ok" for p in predictions]) & counts
    if not answered.any():
        raise InputError("no answer has a probability")
    values = []
    for p, counted in zip(predictions, answered):
        if counted and p.probability is None:
            raise InputError(
                f"the answer to {p.id} has no probability; calibration needs predictions "
                "of po3d, not of an LMM"
            )
        if counted:
            values.append(p.probability)
    return np.array(values, float), right[answered], int(counts.sum())


def trust(p: Array, right: Array, total: int, temperature: float = 1.0) -> dict:
    """Compute one system's figures from `answered`, JSON-serialisable: temperature, questions,
    answers, accuracy of the answers, ece, bins, coverage_at (risk -> coverage, threshold), aurc
    (mean risk over all coverages)."""
    if temperature != 1.0:
        p = rescaled(p, temperature)
    _, coverage, risk = risk_coverage(p, right, total)
    points = {}
    for level in RISKS:
        points[f"{level:g}"] = finite(coverage_at(p, right, total, level))
    return {
        "temperature": temperature,
        "questions": total,
        "answers": len(p),
        "accuracy": float(right.mean()),
        "ece": calibration_error(p, right),
        "bins": reliability(p, right),
        "coverage_at": points,
        "aurc": float(np.average(risk, weights=np.diff(coverage, prepend=0.0))),
    }


def calibration_tables(figures: dict) -> list[Table]:
    """Return two tables: the figures and the reliability diagram."""
    rows: list[list] = [
        ["answers / questions", f"{figures['answers']} / {figures['questions']}"],
        ["temperature", f"{figures['temperature']:.3f}"],
        ["ECE", f"{figures['ece']:.4f}"],
        ["area under the risk-coverage curve", f"{figures['aurc']:.4f}"],
    ]
    for level, point in figures["coverage_at"].items():
        value = f"{100 * point['coverage']:.1f} %"
        if point["threshold"] is not None:
            value += f" (answers with probability >= {point['threshold']:.3f})"
        rows.append([f"coverage at {100 * float(level):g} % risk", value])
    bins = []
    for b in figures["bins"]:
        ends, means = f"{b['low']:.2f}-{b['high']:.2f}", (b["confidence"], b["accuracy"])
        bins.append([ends, b["n"], *(f"{mean:.3f}" for mean in means)])
    return [
        Table(("figure", "value"), rows),
        Table(("probability", "n", "confidence", "accuracy"), bins),
    ]


# --- the command ----------------------------------------------------------------------------------


def calibration_command(arguments: argparse.Namespace) -> int:
    """Print the calibration figures of a predictions file."""
    fit_run = arguments.fit_on and described_run(arguments.fit_on)
    if (arguments.fit_on is None) != (arguments.fit_data is None) and not fit_run:
        raise InputError(
            "--fit-on (predictions) and --fit-data (their split) need each other, unless the "
            "predictions are those of a run"
        )
    if arguments.temperature is not None and (
        arguments.fit_on or not 0 < arguments.temperature < np.inf
    ):
        raise InputError("--temperature should be positive, and cannot be combined with --fit-on")
    own = data_of(
        [arguments.file], arguments.benchmark, arguments.data, arguments.size, arguments.scorer
    )
    benchmark, size = BENCHMARKS[own.benchmark], own.size
    scorer = own.scorer or benchmark.scorers[0]
    items, entry = _read(arguments.file, own.root, benchmark, scorer, size)
    notes = _others(entry, arguments.file)
    if own.from_run:
        notes.append(
            f"evaluated on the first {size} {benchmark.unit}, as in the run (size={size}"
            "); --size overrides this"
        )
    if entry.absent:
        notes.append(
            f"{len(entry.absent)} questions have no line in the file and count as not covered"
        )
    temperature = arguments.temperature or 1.0
    if arguments.fit_on:
        if Path(arguments.fit_on).resolve() == Path(arguments.file).resolve():
            raise InputError(
                "--fit-on should be predictions for another split than the evaluated one"
            )
        other = data_of([arguments.fit_on], own.benchmark, arguments.fit_data)
        if fit_run and fit_run["benchmark"] != own.benchmark:
            raise InputError(
                f"--fit-on {arguments.fit_on} is a run of {fit_run['benchmark']}, not of"
                f" {own.benchmark}"
            )
        (p, right, _), fitted = _read(arguments.fit_on, other.root, benchmark, scorer, other.size)
        notes += _others(fitted, arguments.fit_on)
        temperature = fit_temperature(p, right)
    figures = {"absent": len(entry.absent), "foreign": entry.foreign, **trust(*items, temperature)}
    figures["ece_before"] = calibration_error(*items[:2])
    if arguments.plot:
        reliability_plot(figures, arguments.plot)
    if arguments.out:
        lines = []
        for p in entry.predictions:
            if p.id not in entry.absent:
                lines.append(_scaled(p, temperature))
        write_predictions(arguments.out, lines)
    if arguments.json:
        print(json.dumps(figures, indent=1))
    else:
        print("\n\n".join(map(text, calibration_tables(figures))))
        if temperature != 1.0:
            notes.append(f"ECE before scaling: {figures['ece_before']:.4f}")
        print("".join(f"\n{note}\n" for note in notes), end="")
    return 0


def _others(entry: SystemEntry, file: str) -> list[str]:
    """Return a warning if predictions seem to be of another split."""
    if not entry.foreign:
        return []
    note = (
        f"ignored {entry.foreign} lines for other questions; check that the file is for this split"
    )
    return [f"{file}: {note}"]


def _read(
    file: str, root: str | None, benchmark: Benchmark, scorer: str, size: int | None = None
) -> tuple[tuple[Array, Array, int], SystemEntry]:
    questions = with_answers(opened(benchmark.name, root, size).questions)
    entry = read_entry(file, questions)
    return answered(benchmark, questions, entry.predictions, scorer), entry


def _scaled(p: Prediction, temperature: float) -> Prediction:
    if p.probability is None:
        return p
    return replace(p, probability=float(rescaled(p.probability, temperature)))
