"""Shares of the objects of validation views that a room-view estimator gets wrong, by error.

    python -m po3d.training.view_errors CHECKPOINT SET... [--calibrate]

A SET is a folder of views with held-out models, and --calibrate calibrates on these views first
(`po3d.training.view_figures`). Prints a table: percent wrong, and of how many objects.
"""

import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from po3d.io.text_tables import Table, markdown
from po3d.perception.room_view import RoomViewEstimator
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import ObjectState
from po3d.training import beliefs
from po3d.training.view_figures import SURE, Sight, calibrate, has_front, sights

FAR = 0.5  # metres: largest distance of a right position
RATIO = 1.25  # largest ratio of a right size to the ground truth, and inversely
KINDS = ("inside", "orbit")


class ErrorShare(NamedTuple):
    """Percent of n objects with an error; NaN if n is 0."""

    kind: str  # "inside" or "orbit"
    error: str  # "missed", "added", "name" ...
    value: float
    n: int


def error_shares(sights: Sequence[Sight]) -> list[ErrorShare]:
    """Return the share of each error for each kind of views that has objects.

    "missed" counts objects in view, "added" detections, and the other errors detected objects: a
    wrong name, colour or material, a heading at least 90 degrees off (of objects with a front), a
    position more than FAR away, a side longer or shorter than the ground truth by RATIO.
    """
    result = []
    for kind in KINDS:
        counts: dict[str, list[bool]] = {}
        for sight in sights:
            if (sight.kind == "orbit") == (kind == "orbit"):
                for error, wrong in _errors(sight):
                    counts.setdefault(error, []).append(wrong)
        for error, wrong in counts.items():
            result.append(ErrorShare(kind, error, 100 * float(np.mean(wrong)), len(wrong)))
    return result


def _errors(sight: Sight) -> Iterator[tuple[str, bool]]:
    """Yield each error of a view's objects and whether it was made."""
    predicted, true = sight.predicted.objects, sight.true.objects
    sure = [i for i, o in enumerate(predicted) if o.existence >= SURE]
    detected = {i: sight.matches[i] for i in sure if i in sight.matches}
    yield from (("missed", j not in detected.values()) for j in range(len(true)))
    yield from (("added", i not in detected) for i in sure)
    for i, j in detected.items():
        p, t = predicted[i], true[j]
        for attribute in ("name", "color", "material"):
            if attribute in t.beliefs:
                yield attribute, p.value(attribute) != t.value(attribute)
        if has_front(t.value("name"), sight.kind):
            heading = p.heading + (math.pi if p.flip > 0.5 else 0.0)
            yield "heading", abs(float(wrap_angle(heading - t.heading))) >= math.pi / 2
        yield "position", math.dist(p.position, t.position) > FAR
        log_ratio = np.log(_sides(p)) - np.log(_sides(t))
        yield "size", bool(np.abs(log_ratio).max() > math.log(RATIO))


def _sides(state: ObjectState) -> list[float]:
    """Return the sides of an object: the shorter and the longer horizontal one, and the height."""
    return [*sorted(state.extent[:2]), state.extent[2]]


def judged(
    checkpoint: str | Path, fitting: Sequence[str | Path], folders: Sequence[str | Path]
) -> tuple[list[ErrorShare], float]:
    """Calibrate a checkpoint on the views of `fitting`; return its errors on those of `folders`,
    and views a second."""
    calibrate(checkpoint, fitting)
    estimator = RoomViewEstimator.from_checkpoint(checkpoint)
    start = time.perf_counter()
    result = sights(estimator, folders)
    return error_shares(result), len(result) / (time.perf_counter() - start)


def table(shares: Sequence[ErrorShare]) -> str:
    """Format errors as a Markdown table."""
    rows = [(s.kind, s.error, s.value, s.n) for s in shares]
    return markdown(Table(("views", "error", "%", "objects"), rows))


def main() -> int:
    """Run the command line; return the exit code."""

    def measured(checkpoint: str, folders: Sequence[str]) -> str:
        estimator = RoomViewEstimator.from_checkpoint(checkpoint)
        return table(error_shares(sights(estimator, folders)))

    return beliefs.figures_command("view_errors", __doc__ or "", "views", calibrate, measured)


if __name__ == "__main__":
    raise SystemExit(main())
