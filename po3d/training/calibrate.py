"""Make a trained estimator's beliefs honest: `python -m po3d.training.calibrate CHECKPOINT DIR`.

DIR is a twin of the validation split (`po3d generate ... split=validation`). Two numbers are fitted and written into
the checkpoint's JSON; the weights stay. `temperature` divides the attribute logits (least negative log-likelihood,
Guo et al. 2017); `covariance` scales the pose covariances so that the median Mahalanobis distance is what a Gaussian
gives.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import chi2
from tqdm import tqdm

from po3d.benchmarks import pulsecheck457
from po3d.entry import guarded
from po3d.files import read_json, write_json
from po3d.geometry import Array, wrap_angle
from po3d.metrics import match
from po3d.perception.estimator import Estimator
from po3d.scene import Scene
from po3d.vocabulary import ATTRIBUTES

BATCH = 16


def fitted(predicted: list[Scene], gt: list[Scene]) -> dict[str, float]:
    """The calibration of an estimator that gave `predicted` (uncalibrated) for the scenes `gt`."""
    log_p: dict[str, list[tuple[Array, int]]] = {a: [] for a in ATTRIBUTES}
    squared = []
    for p, g in zip(predicted, gt):
        for i, j in match(p, g).items():
            row, true = p.objects[i], g.objects[j]
            for attribute, values in ATTRIBUTES.items():
                if attribute in true.beliefs:
                    belief = np.array([row.beliefs[attribute][v] for v in values])
                    log_p[attribute].append(
                        (np.log(np.maximum(belief, 1e-12)), values.index(true.value(attribute)))
                    )
            turn = wrap_angle(row.heading - true.heading)
            if abs(turn) < np.pi / 4:  # flips are the flip probability's business
                error = np.array([*(np.array(row.position[:2]) - true.position[:2]), turn])
                squared.append(error @ np.linalg.solve(np.array(row.covariance), error))

    def loss(log_temperature: float) -> float:
        total, count = 0.0, 0
        for pairs in log_p.values():
            for logits, target in pairs:
                scaled = logits / np.exp(log_temperature)
                total += np.logaddexp.reduce(scaled) - scaled[target]
                count += 1
        return total / max(count, 1)

    best = minimize_scalar(loss, bounds=(-1.5, 1.5), method="bounded")
    return {"temperature": float(np.exp(best.x)), "covariance": float(np.median(squared) / chi2.median(3))}


def calibrate(checkpoint: str | Path, folder: str | Path) -> dict[str, float]:
    """Fit on the twin in `folder` and write the result into the checkpoint's JSON."""
    estimator = Estimator.from_checkpoint(checkpoint)
    estimator.calibration |= {"temperature": 1.0, "covariance": 1.0}
    twin = pulsecheck457.load(folder)
    names = twin.images
    predicted: list[Scene] = []
    for start in tqdm(range(0, len(names), BATCH), desc="estimating", unit="batch"):
        part = names[start : start + BATCH]
        predicted += estimator.estimate([twin.image(name) for name in part], part)
    calibration = fitted(predicted, [twin.truth(name) for name in names])
    path = Path(checkpoint).with_suffix(".json")
    record = read_json(path, "checkpoint description")
    record["config"]["calibration"] = record["config"].get("calibration", {}) | calibration
    write_json(path, record)
    return calibration


def main() -> int:
    arguments = argparse.ArgumentParser(
        prog="python -m po3d.training.calibrate", description=__doc__.split("\n")[0]
    )
    arguments.add_argument("checkpoint", help="path of the pair, with or without suffix")
    arguments.add_argument("folder", help="a twin of the validation split")
    a = arguments.parse_args()
    return guarded(lambda: print(calibrate(a.checkpoint, a.folder)))


if __name__ == "__main__":
    raise SystemExit(main())
