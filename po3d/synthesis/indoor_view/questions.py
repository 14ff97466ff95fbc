"""Questions of 3DSRBench's twelve types on a room in two views; both views get equal questions.

    room in two views ──► `offers`: possible questions, clear of decision boundaries, one per sort
    room after room   ──► `CategoryBalance`: the sort of question that the split needs most, or none

A sort is an operation, its answers, and the views in which the image-plane baseline (`planar`) is
right. Over a split, all answers are equally frequent and the baseline is right as often as chance,
in each view; questions that would violate this are rejected. Neither a majority answer nor image
position therefore helps.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from po3d.language.programs.threedsrbench import ANSWERS, CATEGORY, OPERATIONS
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.planar import planar
from po3d.scene.rectangles import distance
from po3d.scene.table import Scene
from po3d.synthesis.indoor_view.verdicts import Verdict, decide, view_geometry

# Type -> its operations.
OF_TYPE: dict[str, tuple[str, ...]] = {}
for _op, _category in CATEGORY.items():
    OF_TYPE[_category] = (*OF_TYPE.get(_category, ()), _op)

NEAREST = 0.1  # fraction of the margins below that questions near a boundary still keep
# smallest distance of an answer from its decision boundary, in degrees and in metres:
DEGREES = 10.0
METRES: dict[str, float] = {
    "height_higher": 0.25,
    "location_above": 0.05,  # of a centre inside a footprint, which may be that of a nightstand
    "location_closer_to_camera": 0.4,
    "location_next_to": 0.2,
    "orientation_in_front_of": 0.2,
    "orientation_on_the_left": 0.2,
    "orientation_viewpoint": 0.2,
    "multi_object_closer_to": 0.4,
    "multi_object_facing": 0.2,
    "multi_object_viewpoint_towards_object": 0.2,
    "multi_object_parallel": 0.0,  # only angles decide
    "multi_object_same_direction": 0.0,
}
FRONTED = frozenset((  # objects with a distinguishable front
    "chair", "armchair", "office chair", "sofa", "bed", "crib", "desk", "nightstand", "dresser",
    "cabinet", "bookshelf", "shelf", "wardrobe", "closet", "refrigerator", "washing machine",
    "oven", "stove", "sink", "toilet", "fireplace", "piano", "tv", "monitor", "laptop",
    "printer", "microwave", "picture", "mirror", "whiteboard", "clock", "telephone", "person",
    "cyclist", "car", "van", "truck", "bus", "tram", "motorcycle", "bicycle",
))  # fmt: skip
# smallest distance in metres between footprints of objects related by beside, in front of or near
APART = 0.05
# largest deviation of an answer, or of the baseline, from its share per view, in questions
SLACK = 2.0
OPERATION_SLACK = 4  # largest lead of one operation over another of its type, in questions


class ViewQuestion(NamedTuple):
    """A question about rows of a room with, for each view, its answer (a word, or the index of the
    object) and whether the image-plane baseline gives it.
    """

    op: str
    rows: tuple[int, ...]
    answers: tuple[str | int, ...]
    flat: tuple[bool, ...]


def offers(
    views: Sequence[Scene],
    phrases_by_row: Mapping[int, str],
    random: np.random.Generator,
    margin: float = 1.0,
    near: bool = False,
) -> list[ViewQuestion]:
    """Return one random question of each possible sort.

    `views`: the room with each view's camera and image boxes. `phrases_by_row`: phrase of each row
    that may be mentioned. `margin` scales the required distances from decision boundaries; 0
    accepts all.
    `near`: return only hard questions, whose distance from the decision boundary is below the
    required one, but at least NEAREST (a fraction) times it.
    """
    asker = _ItemSampler(views, phrases_by_row, margin, near)
    items: dict[tuple, ViewQuestion] = {}
    for op in OPERATIONS:
        candidates = asker.candidates(op)
        for k in random.permutation(len(candidates)).tolist():
            item = asker.item(op, candidates[k])
            if item is not None:
                items.setdefault((op, item.answers, item.flat), item)
    return list(items.values())


class _ItemSampler:
    def __init__(
        self, views: Sequence[Scene], phrases_by_row: Mapping[int, str], margin: float, near: bool
    ) -> None:
        self.phrases, self.margin, self.near = phrases_by_row, margin, near
        self.views = list(map(view_geometry, views))
        self.boxes = [[o.box for o in scene.objects] for scene in views]
        self.names = views[0].names
        self._clear: dict[tuple[int, int], bool] = {}

    def candidates(self, op: str) -> list[tuple[int, ...]]:
        """Return the tuples of rows for which the operation makes sense."""
        candidates = []
        for rows in itertools.permutations(sorted(self.phrases), len(OPERATIONS[op].inputs)):
            if not self._headed(op, rows) or self._telling(rows):
                continue
            if op in _BESIDE and not all(self.clear(rows[0], j) for j in rows[1:]):
                continue
            candidates.append(rows)
        return candidates

    def _headed(self, op: str, rows: tuple[int, ...]) -> bool:
        """Return whether the objects whose headings matter have a distinguishable front."""
        if op in ("parallel", "same_direction"):
            return all(self.names[i] in FRONTED for i in rows)
        if op in ("in_front_of", "on_the_left", "side_to_camera", "side_to", "facing"):
            return self.names[rows[0]] in FRONTED
        return True

    def _telling(self, rows: tuple[int, ...]) -> bool:
        """Return whether one phrase contains another and reveals their relation: "lamp on the desk"
        and "desk".
        """
        return any(f"the {self.phrases[j]}" in self.phrases[i] for i in rows for j in rows)

    def clear(self, i: int, j: int) -> bool:
        """Return whether two footprints are more than APART apart, so that neither object is on,
        over or in the other.
        """
        key = (min(i, j), max(i, j))
        if key not in self._clear:
            things = self.views[0].things
            self._clear[key] = distance(things[i].box, things[j].box) > APART
        return self._clear[key]

    def item(self, op: str, rows: tuple[int, ...]) -> ViewQuestion | None:
        """Return the question about these rows; None if an answer is too near its boundary."""
        try:
            verdicts = [decide(self.views[0], op, rows)]
            if op in _CAMERA_DEPENDENT and (self.near or self._keeps(op, verdicts[0])):
                verdicts += [decide(view, op, rows) for view in self.views[1:]]
            else:
                verdicts *= len(self.views)
        except ExecutionFailure:
            return None
        clear = all(self._keeps(op, verdict) for verdict in verdicts)
        if self.near:
            clear = not clear and all(self._keeps(op, verdict, NEAREST) for verdict in verdicts)
        if not clear:
            return None
        answers, flat = [], []
        for boxes, verdict in zip(self.boxes, verdicts):
            answers.append(verdict.answer)
            flat.append(planar(op, tuple(map(boxes.__getitem__, rows))) == verdict.answer)
        return ViewQuestion(op, rows, tuple(answers), tuple(flat))

    def _keeps(self, op: str, verdict: Verdict, share: float = 1.0) -> bool:
        metres = share * self.margin * METRES[CATEGORY[op]]
        return verdict.metres >= metres and verdict.degrees >= share * self.margin * DEGREES


# the answer depends on the camera
_CAMERA_DEPENDENT = ("nearer_camera", "farther_camera", "side_to_camera")
_BESIDE = ("next_to", "in_front_of", "on_the_left", "side_to", "facing")


class CategoryBalance:
    """Counts of the questions of a split, for balancing its answers."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()  # by operation
        self._answers: Counter[tuple[str, int, str | int]] = Counter()  # by operation, view, answer
        # by operation, view: the baseline is right
        self._flat: Counter[tuple[str, int]] = Counter()

    def choose(
        self, offered: Sequence[ViewQuestion], random: np.random.Generator
    ) -> dict[str, ViewQuestion]:
        """Return category -> the question that improves the balance most, among those that keep it
        within limits. The counts are not changed.
        """
        chosen = {}
        for category, operations in OF_TYPE.items():
            fitting = [item for item in offered if item.op in operations and self._fits(item)]
            if fitting:
                order = random.permutation(len(fitting)).tolist()
                chosen[category] = min((fitting[k] for k in order), key=self._tilt)
        return chosen

    def worth(self, chosen: Mapping[str, ViewQuestion]) -> float:
        """Return the value of these questions, which is higher for types that are rare so far."""
        return sum(
            1 / (1 + sum(self._counts[op] for op in OF_TYPE[category]))
            for category in sorted(chosen)
        )

    def note(self, chosen: Mapping[str, ViewQuestion]) -> None:
        """Count these questions."""
        for item in chosen.values():
            self._counts[item.op] += 1
            for view, (answer, flat) in enumerate(zip(item.answers, item.flat, strict=True)):
                self._answers[item.op, view, answer] += 1
                self._flat[item.op, view] += flat

    def _fits(self, item: ViewQuestion) -> bool:
        counts = [self._counts[op] for op in OF_TYPE[CATEGORY[item.op]]]
        if self._counts[item.op] >= min(counts) + OPERATION_SLACK:
            return False
        # For two answers, the baseline may always give one of them ("yes" for "above"). Then
        # answers and baseline share one limit: if both were at opposite limits, every further
        # question would exceed one of them.
        together = len(ANSWERS.get(OPERATIONS[item.op].output, ())) == 2
        for words, flat in self._gaps(item):
            uneven = max(map(abs, words), default=0.0)
            if (uneven + abs(flat) if together else max(uneven, abs(flat))) > SLACK:
                return False
        return True

    def _tilt(self, item: ViewQuestion) -> float:
        """Return the imbalance after adding the question, plus the operation's count, which favours
        rare operations.
        """
        squares = sum(gap * gap for words, flat in self._gaps(item) for gap in (*words, flat))
        return squares + self._counts[item.op]

    def _gaps(self, item: ViewQuestion) -> list[tuple[list[float], float]]:
        """Return, for each view, the excess of each answer and of the baseline's correct answers
        over their expected number after adding the question.
        """
        words = ANSWERS.get(OPERATIONS[item.op].output, ())
        share = 1 / max(len(words), 2)
        expected = share * (self._counts[item.op] + 1)
        gaps = []
        for view, (answer, flat) in enumerate(zip(item.answers, item.flat, strict=True)):
            ahead = [
                self._answers[item.op, view, word] + (word == answer) - expected for word in words
            ]
            right = self._flat[item.op, view] + flat - expected
            if (
                item.op == "side_to_camera"
            ):  # the baseline always gives one answer here: it is balanced if the answers are
                right = 0.0
            gaps.append((ahead, right))
        return gaps
