"""Calibrate a trained street estimator: `python -m po3d.training.calibrate CHECKPOINT DIR...`.

Each DIR is a twin of the validation split (`po3d generate ... split=validation`), one per rendering
style. The fitted calibration (`po3d.training.beliefs`) is written into the checkpoint's JSON; the
weights stay unchanged. So are the activation ranges that `device=openvino` needs.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from po3d.benchmarks.metrics import match
from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.street_split import StreetSplit
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.progress import progress
from po3d.perception.street import StreetEstimator
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.training import beliefs

BATCH = 16


def fitted(predicted: list[Scene], gt: list[Scene]) -> dict[str, float]:
    """Fit the calibration of an estimator with the uncalibrated predictions `predicted` to the
    ground-truth scenes `gt`. Raise InputError if no object was detected with its heading."""
    evidence = beliefs.CalibrationEvidence()
    for p, g in zip(predicted, gt):
        matches = match(p, g)
        evidence.add(p, matches)
        for i, j in matches.items():
            row, true = p.objects[i], g.objects[j]
            for attribute, values in ATTRIBUTES.items():
                if attribute in true.beliefs:
                    log_p = np.log(np.maximum([row.beliefs[attribute][v] for v in values], 1e-12))
                    evidence.words.append((log_p, values.index(true.value(attribute))))
            evidence.add_pose(row, true)
    if not evidence.squared:
        raise InputError(
            "no object of the twins was detected with its heading, so nothing can be fitted"
        )
    return evidence.fitted()


def calibrate(checkpoint: str | Path, *folders: str | Path) -> dict[str, float]:
    """Fit on the twins in `folders` together and write the result into the checkpoint's JSON."""
    twins = _twins(folders)
    estimator = StreetEstimator.from_checkpoint(checkpoint)
    estimator.calibration = dict(estimator.defaults)
    predicted: list[Scene] = []
    gt: list[Scene] = []
    for twin in twins:
        names = twin.images
        for start in progress(range(0, len(names), BATCH), desc="estimating", unit="batch"):
            part = names[start : start + BATCH]
            predicted += estimator.estimate(list(map(twin.image, part)), part)
        gt += map(twin.truth, names)
    calibration = fitted(predicted, gt)
    beliefs.write(checkpoint, "calibration", lambda before: before | calibration)
    return calibration


def ranges(checkpoint: str | Path, *folders: str | Path) -> dict[str, tuple[float, float]]:
    """Measure the input ranges of the network's convolutions on the first pictures of the twins and
    write them into the checkpoint's JSON, for `device=openvino`."""
    twins = _twins(folders)
    estimator = StreetEstimator.from_checkpoint(checkpoint)
    pictures = (
        twin.image(name) for twin in twins for name in twin.images[: beliefs.RANGE_PICTURES]
    )
    return beliefs.write_ranges(checkpoint, estimator, pictures)


def _twins(folders: Sequence[str | Path]) -> list[StreetSplit]:
    return [pulsecheck457.load(beliefs.for_fitting(folder, "twin.json")) for folder in folders]


def main() -> int:
    arguments = argparse.ArgumentParser(
        prog="python -m po3d.training.calibrate", description=__doc__.split("\n")[0]
    )
    arguments.add_argument("checkpoint", help="path of the checkpoint pair, with or without suffix")
    arguments.add_argument("folders", nargs="+", help="folders of twins of the validation split")
    arguments.add_argument(
        "--ranges", action="store_true", help="compute only the ranges that device=openvino needs"
    )
    a = arguments.parse_args()

    def run() -> None:
        if not a.ranges:
            print(calibrate(a.checkpoint, *a.folders))
        print(f"ranges of {len(ranges(a.checkpoint, *a.folders))} convolutions")

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
