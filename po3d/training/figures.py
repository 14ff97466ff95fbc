"""How good the tables of an estimator are while it trains, on a few validation pictures, and which pictures are the worst."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from po3d.benchmarks.metrics import match, perception
from po3d.io.seeding import rng
from po3d.language.programs.street import Program
from po3d.perception.street import StreetEstimator
from po3d.reasoning.execute import execute
from po3d.reasoning.questions import Task
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import Scene
from po3d.synthesis.street.question_world import World
from po3d.synthesis.street.questions import COLUMNS, Balance, ask

QUESTIONS = 300  # at most, that are answered at a validation
KEPT = ("recall", "precision", "yaw_median_deg", "flip_rate", "position_median")
# Figures of which less is better; of all others but losses more is.
LESS = ("yaw_median_deg", "flip_rate", "position_median")


class Example(NamedTuple):
    """A validation picture (H, W, 3) uint8 and its true table."""

    picture: np.ndarray
    truth: Scene


class Judged(NamedTuple):
    """Figures of the tables of some pictures (shares from 0 to 1, degrees, scene units), and the tables."""

    figures: dict[str, float]
    examples: Sequence[Example]
    predicted: Sequence[Scene]


class Asked(NamedTuple):
    """A question on the table of example `k`, and its answer on the true one."""

    k: int
    program: Program
    task: Task
    answer: str


def table_figures(predicted: Sequence[Scene], truths: Sequence[Scene]) -> dict[str, float]:
    """Recall, precision, headings and places of the tables, and of each attribute how often it is right; figures of
    nothing (NaN) are left out."""
    found = perception(predicted, truths)["all"]
    words = {a for scene in truths for o in scene.objects for a in o.beliefs}
    figures = {name: found[name] for name in KEPT}
    figures |= {f"{a}_accuracy": found[a] for a in sorted(words) if a in found}
    return finite(figures)


def finite(figures: Mapping[str, float]) -> dict[str, float]:
    """The figures that are numbers."""
    return {name: float(value) for name, value in figures.items() if math.isfinite(value)}


def street_questions(truths: Sequence[Scene], seed: int = 0, count: int = QUESTIONS) -> list[Asked]:
    """Up to `count` questions of the seven kinds of PulseCheck457, in equal parts over the scenes."""
    balance = {category: Balance() for category in COLUMNS}
    asked: list[Asked] = []
    for k, scene in enumerate(truths):
        worlds = {task: World(scene, task) for task in ("2d", "6d")}
        for category, column in COLUMNS.items():
            generator = rng(seed, f"validation-questions/{category}", k)
            drawn = ask(worlds[column.task], column, balance[category], generator)
            asked += [Asked(k, d.program, column.task, d.answer) for d in drawn]
    if len(asked) <= count:
        return asked
    return [asked[round(i)] for i in np.linspace(0, len(asked) - 1, count)]


def answer_accuracy(predicted: Sequence[Scene], asked: Sequence[Asked]) -> dict[str, float]:
    """How often a program's answer on the predicted table (its likeliest values) is that on the true one."""
    if not asked:
        return {}
    certain = [scene.certain() for scene in predicted]
    right = [execute(q.program, certain[q.k], q.task).answer == q.answer for q in asked]
    return {"answer_accuracy": sum(right) / len(right)}


class StreetJudge:
    """Figures of tables of these street scenes, answers to questions about them among them."""

    def __init__(self, pictures: Sequence[np.ndarray], truths: Sequence[Scene]) -> None:
        self.examples = [Example(p, t) for p, t in zip(pictures, truths, strict=True)]
        self.asked = street_questions(truths)

    def __call__(self, estimator: StreetEstimator) -> Judged:
        predicted = estimator.estimate([e.picture for e in self.examples])
        figures = table_figures(predicted, [e.truth for e in self.examples])
        return Judged(figures | answer_accuracy(predicted, self.asked), self.examples, predicted)


def mistakes(predicted: Scene, truth: Scene) -> int:
    """Things that are missing or too many, wrong words, and headings more than 90 degrees off."""
    table = predicted.certain()
    pairs = match(table, truth)
    count = len(truth) + len(table) - 2 * len(pairs)
    for i, j in pairs.items():
        p, t = table.objects[i], truth.objects[j]
        count += sum(p.value(a) != t.value(a) for a in p.beliefs if a in t.beliefs)
        count += abs(float(wrap_angle(p.heading - t.heading))) > math.pi / 2
    return count


def worst(judged: Judged, count: int) -> list[tuple[int, int]]:
    """Number and mistakes of the pictures with most mistakes, the worst first."""
    found = [mistakes(p, e.truth) for p, e in zip(judged.predicted, judged.examples, strict=True)]
    order = sorted(range(len(found)), key=lambda k: (-found[k], k))[:count]
    return [(k, found[k]) for k in order]


def better_is_less(figure: str) -> bool:
    """Whether less of a figure of a training is better: losses, errors."""
    name = figure.removeprefix("val/")
    return name in LESS or not name.endswith(("recall", "precision", "accuracy", "exact"))
