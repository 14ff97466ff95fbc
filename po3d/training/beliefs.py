"""What makes an estimator's sayings beliefs: the numbers of its calibration, each fitted to predictions and truths."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize, minimize_scalar
from scipy.stats import chi2

from po3d.io.errors import InputError
from po3d.io.files import read_json, write_json
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.table import ObjectState, Scene

SMALLEST = 1e-6  # probability, and most of one, whose odds are taken


def for_fitting(folder: str | Path, description: str) -> Path:
    """The folder, whose file `description` (twin.json, set.json) says its split; InputError for any but the validation one, which
    figures would else be of."""
    record = read_json(Path(folder) / description, "description of a split")
    split = record.get("split") if isinstance(record, dict) else None
    if split not in ("validation", "val"):
        raise InputError(
            f"{folder} is of the split {split!r}; beliefs are fitted on the validation split alone"
        )
    return Path(folder)


def temperature(words: Sequence[tuple[Array, int]]) -> float:
    """What to divide log probabilities by; `words`: those of all values, and which one is true. The least negative
    log-likelihood (Guo et al. 2017)."""

    def loss(log_temperature: float) -> float:
        scaled = ((logits / np.exp(log_temperature), target) for logits, target in words)
        return float(np.mean([np.logaddexp.reduce(x) - x[target] for x, target in scaled])) if words else 0.0

    return float(np.exp(minimize_scalar(loss, bounds=(-1.5, 1.5), method="bounded").x))


def pose_covariance(squared: ArrayLike) -> float:
    """What to multiply covariances (x, y, heading) by, so that the median of the squared Mahalanobis distances is a
    Gaussian's."""
    return float(np.median(squared) / chi2.median(3))


def existence(probability: ArrayLike, there: ArrayLike) -> dict[str, float]:
    """ "slope" and "offset" of the log odds that a detection is a thing against those of its centre's probability; `there`:
    which detections are. Logistic regression, held near slope 1 and offset 0."""
    p = np.clip(probability, SMALLEST, 1 - SMALLEST)
    odds, there = np.log(p / (1 - p)), np.asarray(there, bool)

    def loss(x: Array) -> float:
        signed = np.where(there, -1, 1) * (x[0] * odds + x[1])
        return float(np.logaddexp(0, signed).mean() + 1e-4 * ((x[0] - 1) ** 2 + x[1] ** 2))

    slope, offset = minimize(loss, np.array([1.0, 0.0])).x
    return {"slope": float(slope), "offset": float(offset)}


@dataclass
class Evidence:
    """What an estimator said, uncalibrated, beside what is true."""

    words: list[tuple[Array, int]] = field(default_factory=list)  # as `temperature` takes them
    squared: list[float] = field(default_factory=list)  # as `pose_covariance` takes them
    score: list[float] = field(default_factory=list)  # as `existence` takes them
    there: list[bool] = field(default_factory=list)

    def add(self, predicted: Scene, matches: Mapping[int, int]) -> None:
        """A table, of which these rows are things."""
        self.score += [o.existence for o in predicted.objects]
        self.there += [i in matches for i in range(len(predicted))]

    def add_pose(self, predicted: ObjectState, true: ObjectState) -> None:
        """A thing's, if it is not flipped: flips are the flip probability's business."""
        turn = float(wrap_angle(predicted.heading - true.heading))
        if abs(turn) < np.pi / 4:
            error = np.array([*(np.array(predicted.position[:2]) - true.position[:2]), turn])
            self.squared.append(error @ np.linalg.solve(np.array(predicted.covariance), error))

    def fitted(self) -> dict[str, float]:
        """The calibration."""
        return {
            "temperature": temperature(self.words),
            "covariance": pose_covariance(self.squared),
            **existence(self.score, self.there),
        }


def write(checkpoint: str | Path, what: str, said: Callable[[dict], Any]) -> None:
    """Write `said` of what a checkpoint's JSON has under a name of its config in its place."""
    path = Path(checkpoint).with_suffix(".json")
    record = read_json(path, "checkpoint description")
    record["config"][what] = said(record["config"].get(what, {}))
    write_json(path, record)
