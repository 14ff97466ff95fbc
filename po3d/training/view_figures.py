"""Evaluate a room-view estimator, after calibrating it if asked.

    python -m po3d.training.view_figures CHECKPOINT SET... [--calibrate]

A SET is a folder of views with held-out models
(`python -m po3d.synthesis.render_rooms --kind inside|orbit --split val`). With --calibrate, the
estimator is first calibrated on these views, and the result is written into the checkpoint's JSON,
with the activation ranges that `device=openvino` needs; the weights stay unchanged. Prints a table:
rows are kinds of views and of models, columns are metrics.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from po3d.io.files import read_json
from po3d.io.progress import progress
from po3d.perception.room_view import (
    ATTRIBUTES,
    ATTRIBUTES_ESTIMATED,
    AZIMUTH,
    BATCH,
    CALIBRATION,
    RoomViewEstimator,
    lifted,
)
from po3d.scene.camera import camera_pose_of, carried, held
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.table import Scene
from po3d.synthesis.multi_view.catalogue import things
from po3d.synthesis.splits import OWN
from po3d.training import beliefs
from po3d.training.figures import finite
from po3d.training.picture_folders import PictureFolder, view_folder
from po3d.training.view_labels import SYMMETRIC, labelled_rows

OFF = 0.5  # largest distance of matched image-box centres, in box diagonals
DISAGREE = 0.3  # matching cost of different names, in box diagonals
SURE = 0.5  # smallest existence probability of a detection
UNCOMMON = ("rolled", "low", "high", "steep")


class Sight(NamedTuple):
    """A view with its ground truth and the estimator's prediction."""

    kind: str  # kind of its camera: "common" ...
    # ground truth of the objects that the network should detect, in the reference frame of
    # predictions
    true: Scene
    predicted: Scene
    matches: dict[int, int]  # predicted row -> ground-truth row
    extent: Array  # (n, 3) of the predicted rows, as predicted by the network
    # attribute -> (n, values) probabilities of the predicted rows, over all values
    log_p: dict[str, Array]
    # for each ground-truth row, whether its model is one of our parametric shapes
    own: tuple[bool, ...]


def sights(estimator: RoomViewEstimator, folders: Sequence[str | Path]) -> list[Sight]:
    """Estimate all views of the sets."""
    result = []
    for folder in folders:
        count = read_json(Path(folder) / "set.json", "set of views")["count"]
        views = view_folder(folder, count, 64, 48)
        result += sights_of(estimator, views, range(count), quiet=False)
    return result


def sights_of(
    estimator: RoomViewEstimator, views: PictureFolder, numbers: Sequence[int], quiet: bool = True
) -> list[Sight]:
    """Estimate the views with these indices."""
    result = []
    starts = range(0, len(numbers), BATCH)
    for start in starts if quiet else progress(starts, "estimating", unit="batch"):
        part = numbers[start : start + BATCH]
        truths = list(map(views.truth, part))
        pictures = list(map(views.picture, part))
        focals = [scene.camera.focal / scene.camera.width for scene, _ in truths]
        detections = estimator.detect(pictures, focals)
        for b, (scene, record) in enumerate(truths):
            table = lifted(
                detections, b, focals[b], pictures[b].shape[:2], estimator.calibration, scene.image
            )
            rows = labelled_rows(scene, record["visible"], record["pixels"])
            true = in_own_frame(replace(scene, objects=tuple(scene.objects[i] for i in rows)))
            raw = detections.present[b]
            log_p = {}
            for a in ATTRIBUTES_ESTIMATED:
                log_p[a] = np.log(np.maximum(detections.probabilities[a][b, raw], 1e-12))
            kind = record["camera"]
            own = tuple(record["models"][i].startswith(OWN) for i in rows)
            matches = matched(table, true)
            result.append(Sight(kind, true, table, matches, detections.extent[b, raw], log_p, own))
    return result


def in_own_frame(scene: Scene) -> Scene:
    """Move and rotate the scene about the vertical into the frame of predictions: the camera is
    above the origin and looks along AZIMUTH.
    """
    hold = camera_pose_of(scene.camera)._replace(azimuth=AZIMUTH)
    return carried(scene, held(hold, scene.camera.width, scene.camera.height, scene.camera.focal))


def matched(predicted: Scene, true: Scene) -> dict[int, int]:
    """Match predicted to ground-truth rows by the assignment of least cost (image distance of box
    centres, and names).
    """
    if not len(predicted) or not len(true):
        return {}
    here, there = (table.camera.project(table.positions)[0] for table in (predicted, true))
    boxes = np.array([o.box for o in true.objects])
    diagonal = np.maximum(np.hypot(*(boxes[:, 2:] - boxes[:, :2]).T), 8.0)
    away = np.linalg.norm(here[:, None] - there[None], axis=-1) / diagonal
    name_beliefs = np.zeros(away.shape)
    for i, p in enumerate(predicted.objects):
        for j, name in enumerate(true.names):
            name_beliefs[i, j] = p.beliefs["name"].get(name, 0.0)
    rows, columns = linear_sum_assignment(np.minimum(away, 10) + DISAGREE * (1 - name_beliefs))
    return {int(i): int(j) for i, j in zip(rows, columns) if away[i, j] <= OFF}


# --- metrics --------------------------------------------------------------------------------------


class FigureRow(NamedTuple):
    """A row of the table: a selection of views and of their objects."""

    title: str
    view: Callable[[str], bool]  # predicate on the camera's kind
    # None: all objects; else whether only our own shapes or only catalogue models count
    own: bool | None = None


ROWS = (
    FigureRow("inside, common", lambda kind: kind == "common"),
    FigureRow("inside, uncommon", lambda kind: kind in UNCOMMON),
    FigureRow("inside, any", lambda kind: kind == "any"),
    FigureRow("orbit", lambda kind: kind == "orbit"),
    FigureRow("inside, catalogue models", lambda kind: kind != "orbit", False),
    FigureRow("inside, our own shapes", lambda kind: kind != "orbit", True),
    FigureRow("orbit, catalogue models", lambda kind: kind == "orbit", False),
    FigureRow("orbit, our own shapes", lambda kind: kind == "orbit", True),
)


def _add_errors(errors: dict[str, list], sight: Sight, rows: Mapping[int, int]) -> None:
    """Add the errors of a view's detected objects (`rows`: predicted row -> ground-truth row) to
    the lists `errors` by metric: whether each attribute is right, the heading's error in degrees
    for objects with a front, the distance, and the relative error of the depth.
    """
    predicted, true = sight.predicted, sight.true
    here = predicted.camera.project(predicted.positions)[1]
    there = true.camera.project(true.positions)[1]
    for i, j in rows.items():
        p, t = predicted.objects[i], true.objects[j]
        for a in ATTRIBUTES_ESTIMATED:
            if a in t.beliefs:
                errors[a].append(p.value(a) == t.value(a))
        if has_front(t.value("name"), sight.kind):
            heading = p.heading + (math.pi if p.flip > 0.5 else 0.0)
            errors["yaw"].append(abs(math.degrees(float(wrap_angle(heading - t.heading)))))
        errors["place"].append(math.dist(p.position, t.position))
        errors["depth"].append(abs(here[i] / there[j] - 1))


def figures(sights: Sequence[Sight], row: FigureRow) -> dict[str, float]:
    """Return the metrics of a row; NaN if undefined. Fractions in percent, angles in degrees."""
    chosen = [s for s in sights if row.view(s.kind)]
    expected = hits = predicted = predicted_right = 0
    errors, offsets = defaultdict(list), []
    for s in chosen:
        wanted = {j for j, from_own in enumerate(s.own) if row.own in (None, from_own)}
        certain = {i for i, o in enumerate(s.predicted.objects) if o.existence >= SURE}
        detected = {}
        for i, j in s.matches.items():
            if i in certain and j in wanted:
                detected[i] = j
        expected, hits = expected + len(wanted), hits + len(detected)
        predicted += len(certain)
        predicted_right += len(certain & set(s.matches))
        _add_errors(errors, s, detected)
        offsets += _offset_errors(s, list(detected.items()))
    angle = np.array(errors["yaw"])
    straight = angle[angle < 90]
    result = {
        "views": len(chosen),
        "things": expected,
        "recall": _share(hits, expected),
        "precision": _share(predicted_right, predicted) if row.own is None else math.nan,
        **{a: 100 * _mean(errors[a]) for a in ATTRIBUTES_ESTIMATED},
        "yaw": _median(straight),
        "yaw > 22.5": 100 * _mean(straight > 22.5),
        "flipped": 100 * _mean(angle >= 90),
        "place": _median(errors["place"]),
        "depth": 100 * _median(errors["depth"]),
        "pair": _median(offsets),
    }
    return result | _pose_figures(chosen) if row.own is None else result


def _offset_errors(sight: Sight, rows: Sequence[tuple[int, int]]) -> list[float]:
    """Return the errors of the offsets between the objects of a view, one for each pair."""
    errors = []
    for (i, j), (i2, j2) in itertools.combinations(rows, 2):
        between = sight.predicted.positions[i2] - sight.predicted.positions[i]
        true = sight.true.positions[j2] - sight.true.positions[j]
        errors.append(float(np.linalg.norm(between - true)))
    return errors


def _pose_figures(sights: Sequence[Sight]) -> dict[str, float]:
    """Return the errors of the camera's roll, pitch and height."""
    predicted = np.array([camera_pose_of(s.predicted.camera)[:3] for s in sights])
    true = np.array([camera_pose_of(s.true.camera)[:3] for s in sights])
    turns = np.degrees(np.abs(wrap_angle(predicted - true)))
    return {
        "roll": _median(turns[:, 2]),
        "pitch": _median(turns[:, 1]),
        "height": _median(100 * np.abs(predicted[:, 0] / true[:, 0] - 1)),
    }


def training_figures(result: Sequence[Sight]) -> dict[str, float]:
    """Return the metrics of all views under the names of `po3d.training.figures.table_figures`."""
    all_views = figures(result, FigureRow("all", lambda kind: True))
    shares = {"recall": "recall", "precision": "precision", "flipped": "flip_rate"}
    shares |= {a: f"{a}_accuracy" for a in ATTRIBUTES_ESTIMATED}
    values = {name: all_views[key] / 100 for key, name in shares.items()}
    return finite(
        values | {"yaw_median_deg": all_views["yaw"], "position_median": all_views["place"]}
    )


def has_front(name: str, kind: str) -> bool:
    """Return whether an object has a distinguishable front."""
    if kind == "orbit" and name in things():
        return things()[name].front
    return name not in SYMMETRIC


def _share(part: int, whole: int) -> float:
    return 100 * part / whole if whole else math.nan


def _mean(values: Sequence[float] | Array) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def _median(values: Sequence[float] | Array) -> float:
    return float(np.median(values)) if len(values) else math.nan


COLUMNS = {
    "views": 0, "things": 0, "recall": 1, "precision": 1, "name": 1, "color": 1, "material": 1,
    "yaw": 1, "yaw > 22.5": 1, "flipped": 1, "place": 3, "depth": 1, "pair": 3, "roll": 2,
    "pitch": 2, "height": 1,
}  # fmt: skip


def table(sights: Sequence[Sight]) -> str:
    """Format the metrics of all rows that have views as a Markdown table."""
    lines = ["| | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for row in ROWS:
        if any(row.view(s.kind) for s in sights):
            row_figures = figures(sights, row)
            cells = [
                f"{row_figures[c]:.{d}f}" if math.isfinite(row_figures.get(c, math.nan)) else ""
                for c, d in COLUMNS.items()
            ]
            lines.append(f"| {row.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


# --- calibration ----------------------------------------------------------------------------------


def fitted(sights: Sequence[Sight]) -> dict[str, float]:
    """Fit the calibration (`po3d.training.beliefs`, and the standard deviation of log sizes) to
    uncalibrated predictions.
    """
    evidence, grown = beliefs.CalibrationEvidence(), []
    for s in sights:
        evidence.add(s.predicted, s.matches)
        for i, j in s.matches.items():
            p, t = s.predicted.objects[i], s.true.objects[j]
            for a in ATTRIBUTES_ESTIMATED:
                if a in t.beliefs and t.value(a) in ATTRIBUTES[a]:
                    evidence.words.append((s.log_p[a][i], ATTRIBUTES[a].index(t.value(a))))
            grown.append(np.log(s.extent[i] / np.array(t.extent)))
            if has_front(t.value("name"), s.kind):
                evidence.add_pose(p, t)
    return evidence.fitted() | {"extent": 1.4826 * _median(np.abs(np.concatenate(grown)))}


def calibrate(checkpoint: str | Path, folders: Sequence[str | Path]) -> dict[str, float]:
    """Fit on sets of views, and write the result into the checkpoint's JSON. Sizes are fitted
    first, because the fit of poses uses their deviation.
    """
    folders = [beliefs.for_fitting(folder, "set.json") for folder in folders]
    estimator = RoomViewEstimator.from_checkpoint(checkpoint)
    estimator.calibration = dict(CALIBRATION)
    estimator.calibration["extent"] = fitted(sights(estimator, folders))["extent"]
    calibration = fitted(sights(estimator, folders))
    beliefs.write(checkpoint, "calibration", lambda _: calibration)
    beliefs.write_ranges(checkpoint, estimator, beliefs.first_pictures(folders, "views"))
    return calibration


def main() -> int:
    """Run the command line; return the exit code."""

    def measured(checkpoint: str, folders: Sequence[str]) -> str:
        return table(sights(RoomViewEstimator.from_checkpoint(checkpoint), folders))

    return beliefs.figures_command("view_figures", __doc__ or "", "views", calibrate, measured)


if __name__ == "__main__":
    raise SystemExit(main())
