"""Metrics of an estimator's scenes during training, on a few validation pictures, and its worst
pictures.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from po3d.benchmarks.metrics import match, perception
from po3d.io.seeding import rng
from po3d.language.programs.street import StreetProgram
from po3d.perception.crops import CropModule, StreetPose
from po3d.perception.street import StreetEstimator
from po3d.reasoning.execute import execute
from po3d.reasoning.questions import Task
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import Scene
from po3d.synthesis.street.question_world import SceneBitsets
from po3d.synthesis.street.questions import COLUMNS, ask
from po3d.systems.separate_modules import with_attributes, with_poses

QUESTIONS = 300  # largest number of questions answered at a validation
REPORTED = ("recall", "precision", "yaw_median_deg", "flip_rate", "position_median")
# Metrics for which lower is better. For all others except losses, higher is better.
LESS = ("yaw_median_deg", "flip_rate", "position_median")


class Judged(NamedTuple):
    """Metrics of predicted scenes (fractions from 0 to 1, degrees, scene units); the scenes, with
    their pictures (H, W, 3) uint8 and ground truth."""

    figures: dict[str, float]
    pictures: Sequence[np.ndarray]
    truths: Sequence[Scene]
    predicted: Sequence[Scene]


# A question on example k with its answer on the ground-truth scene: k, program, task, answer.
ExampleQuestion = tuple[int, StreetProgram, Task, str]


def table_figures(predicted: Sequence[Scene], truths: Sequence[Scene]) -> dict[str, float]:
    """Return recall, precision, heading and position errors, and the accuracy of each attribute;
    undefined metrics (NaN) are omitted."""
    result = perception(predicted, truths)["all"]
    figures = {name: result[name] for name in REPORTED}
    words: set[str] = set()
    for scene in truths:
        words.update(*(o.beliefs for o in scene.objects))
    for attribute in sorted(words & result.keys()):
        figures[f"{attribute}_accuracy"] = result[attribute]
    return finite(figures)


def finite(figures: Mapping[str, float]) -> dict[str, float]:
    """Return the metrics that are not NaN."""
    return {name: float(value) for name, value in figures.items() if math.isfinite(value)}


def street_questions(truths: Sequence[Scene], count: int = QUESTIONS) -> list[ExampleQuestion]:
    """Return up to `count` questions of the seven types of PulseCheck457, divided equally among the
    scenes."""
    balance = {category: Counter() for category in COLUMNS}
    query: list[ExampleQuestion] = []
    for k, scene in enumerate(truths):
        worlds = {"2d": SceneBitsets(scene, "2d"), "6d": SceneBitsets(scene, "6d")}
        for category, column in COLUMNS.items():
            generator = rng(0, f"validation-questions/{category}", k)
            sample = ask(worlds[column.task], column, balance[category], generator)
            query += [(k, d.program, column.task, d.answer) for d in sample]
    if len(query) <= count:
        return query
    return [query[round(i)] for i in np.linspace(0, len(query) - 1, count)]


def answer_accuracy(
    predicted: Sequence[Scene], query: Sequence[ExampleQuestion]
) -> dict[str, float]:
    """Return how often a program has the same answer on the predicted scene (its most likely
    values) as on ground truth."""
    if not query:
        return {}
    certain, right = [scene.certain() for scene in predicted], 0
    for k, program, task, answer in query:
        right += execute(program, certain[k], task).answer == answer
    return {"answer_accuracy": right / len(query)}


def street_judge(
    pictures: Sequence[np.ndarray], truths: Sequence[Scene]
) -> Callable[[CropModule | StreetEstimator], Judged]:
    """Return a function of an estimator: its metrics for these street scenes, including question
    answering. If the network predicts attributes or poses alone, everything else, including the
    boxes, is ground truth."""
    questions = street_questions(truths)

    def judged(estimator: CropModule | StreetEstimator) -> Judged:
        if isinstance(estimator, CropModule):
            update = with_poses if isinstance(estimator, StreetPose) else with_attributes
            predicted = update(estimator, pictures, list(map(with_boxes, truths)))
        else:
            predicted = estimator.estimate(pictures)
        figures = table_figures(predicted, truths) | answer_accuracy(predicted, questions)
        return Judged(figures, pictures, truths, predicted)

    return judged


def with_boxes(truth: Scene) -> Scene:
    """Return a ground-truth street scene as a predicted one, with the boxes of its projected
    corners."""
    objects = []
    for o in truth.objects:
        points, _ = truth.camera.project(o.corners())
        objects.append(replace(o, box=(*points.min(0).tolist(), *points.max(0).tolist())))
    return replace(truth, objects=tuple(objects), source="predicted")


def mistakes(predicted: Scene, truth: Scene) -> int:
    """Count missing and spurious objects, wrong attributes, and headings off by more than 90
    degrees."""
    table = predicted.certain()
    pairs = match(table, truth)
    count = len(truth) + len(table) - 2 * len(pairs)
    for i, j in pairs.items():
        p, t = table.objects[i], truth.objects[j]
        for attribute in p.beliefs.keys() & t.beliefs.keys():
            count += p.value(attribute) != t.value(attribute)
        count += abs(float(wrap_angle(p.heading - t.heading))) > math.pi / 2
    return count


def worst(judged: Judged, count: int) -> list[tuple[int, int]]:
    """Return index and number of mistakes of the pictures with most mistakes, worst first."""
    result = list(map(mistakes, judged.predicted, judged.truths))
    order = sorted(range(len(result)), key=lambda k: (-result[k], k))[:count]
    return [(k, result[k]) for k in order]


def better_is_less(figure: str) -> bool:
    """Return whether lower is better for a metric, as for losses and errors."""
    name = figure.removeprefix("val/")
    return name in LESS or not name.endswith(("recall", "precision", "accuracy", "exact"))
