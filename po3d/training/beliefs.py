"""Calibration of an estimator's probabilities and covariances, fitted to predictions and ground
truth.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize, minimize_scalar
from scipy.stats import chi2

from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import read_json, write_json
from po3d.io.images import read_image
from po3d.perception import int8
from po3d.perception.estimator import NetworkEstimator
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.table import ObjectState, Scene

RANGE_PICTURES = 24  # pictures per set used for activation ranges
SMALLEST = 1e-6  # probabilities are clipped to [SMALLEST, 1 - SMALLEST] before taking log odds


def for_fitting(folder: str | Path, description: str) -> Path:
    """Return the folder if its file `description` (twin.json, set.json) names the validation split.
    Raise InputError for any other split, so that no test data is used for fitting."""
    record = read_json(Path(folder) / description, "description of a split")
    split = record.get("split") if isinstance(record, dict) else None
    if split not in ("validation", "val"):
        raise InputError(
            f"{folder} is from the split {split!r}; beliefs are fitted on the validation split only"
        )
    return Path(folder)


def temperature(words: Sequence[tuple[Array, int]]) -> float:
    """Return the temperature that minimises the negative log-likelihood (Guo et al. 2017). `words`:
    pairs of the log probabilities of all values and the index of the true one."""

    def loss(log_temperature: float) -> float:
        losses = []
        for logits, target in words:
            scaled = logits / np.exp(log_temperature)
            losses.append(np.logaddexp.reduce(scaled) - scaled[target])
        return float(np.mean(losses)) if losses else 0.0

    return float(np.exp(minimize_scalar(loss, bounds=(-1.5, 1.5), method="bounded").x))


def pose_covariance(squared: ArrayLike) -> float:
    """Return the factor for covariances (x, y, heading) that makes the median of the squared
    Mahalanobis distances equal to the chi-squared median with 3 degrees of freedom."""
    return float(np.median(squared) / chi2.median(3))


def existence(probability: ArrayLike, there: ArrayLike) -> dict[str, float]:
    """Fit "slope" and "offset" of the log odds of existence as a linear function of the log odds of
    the detection score. `there`: which detections are true. Logistic regression, regularised
    towards slope 1 and offset 0."""
    p = np.clip(probability, SMALLEST, 1 - SMALLEST)
    odds, there = np.log(p / (1 - p)), np.asarray(there, bool)

    def loss(x: Array) -> float:
        signed = np.where(there, -1, 1) * (x[0] * odds + x[1])
        return float(np.logaddexp(0, signed).mean() + 1e-4 * ((x[0] - 1) ** 2 + x[1] ** 2))

    slope, offset = minimize(loss, np.array([1.0, 0.0])).x
    return {"slope": float(slope), "offset": float(offset)}


@dataclass
class CalibrationEvidence:
    """Uncalibrated predictions paired with ground truth."""

    words: list[tuple[Array, int]] = field(default_factory=list)  # input of `temperature`
    squared: list[float] = field(default_factory=list)  # input of `pose_covariance`
    score: list[float] = field(default_factory=list)  # input of `existence`
    there: list[bool] = field(default_factory=list)

    def add(self, predicted: Scene, matches: Mapping[int, int]) -> None:
        """Add the existence probabilities of a predicted scene; the rows in `matches` are true
        detections."""
        for i, o in enumerate(predicted.objects):
            self.score.append(o.existence)
            self.there.append(i in matches)

    def add_pose(self, predicted: ObjectState, true: ObjectState) -> None:
        """Add the pose error of a matched object. Heading errors of 45 degrees or more are skipped:
        the flip probability models those."""
        turn = float(wrap_angle(predicted.heading - true.heading))
        if abs(turn) < np.pi / 4:
            error = np.array([*(np.array(predicted.position[:2]) - true.position[:2]), turn])
            self.squared.append(error @ np.linalg.solve(np.array(predicted.covariance), error))

    def fitted(self) -> dict[str, float]:
        """Return the fitted calibration."""
        return {
            "temperature": temperature(self.words),
            "covariance": pose_covariance(self.squared),
            **existence(self.score, self.there),
        }


def write(checkpoint: str | Path, what: str, figures: Callable[[dict], Any]) -> None:
    """Replace the entry `what` of the config in a checkpoint's JSON by `figures(entry)`."""
    path = Path(checkpoint).with_suffix(".json")
    record = read_json(path, "checkpoint description")
    record["config"][what] = figures(record["config"].get(what, {}))
    write_json(path, record)


def first_pictures(folders: Sequence[str | Path], part: str) -> Iterator[np.ndarray]:
    """Yield the first RANGE_PICTURES pictures of each set; `part`: the folder with its pictures."""
    for folder in folders:
        for path in sorted((Path(folder) / part).glob("*.jpg"))[:RANGE_PICTURES]:
            yield read_image(path)


def write_ranges(
    checkpoint: str | Path, estimator: NetworkEstimator, pictures: Iterable[np.ndarray]
) -> dict[str, tuple[float, float]]:
    """Measure the input ranges of the network's convolutions on pictures and write them into the
    checkpoint's JSON, for `device=openvino`.
    """
    result = int8.ranges(estimator.once, (estimator.pixels([picture]) for picture in pictures))
    write(checkpoint, "ranges", lambda _: result)
    return result


def figures_command(
    name: str,
    doc: str,
    what: str,
    calibrate: Callable[[str, Sequence[str]], object],
    measured: Callable[[str, Sequence[str]], str],
) -> int:
    """Run the command line of a module that measures a checkpoint on folders of `what`, after
    calibrating it if asked; return the exit code."""
    arguments = argparse.ArgumentParser(
        f"python -m po3d.training.{name}", description=doc.split("\n")[0]
    )
    arguments.add_argument("checkpoint", help="path of the checkpoint pair, with or without suffix")
    arguments.add_argument("sets", nargs="+", help=f"folders of {what}")
    arguments.add_argument(
        "--calibrate",
        action="store_true",
        help=f"fit the calibration on these {what} first; use others for figures",
    )
    chosen = arguments.parse_args()

    def run() -> None:
        if chosen.calibrate:
            print(calibrate(chosen.checkpoint, chosen.sets))
        print(measured(chosen.checkpoint, chosen.sets))

    return guarded(run)
