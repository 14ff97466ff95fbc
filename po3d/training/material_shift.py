"""Fit a street estimator's material shift: `python -m po3d.training.material_shift CHECKPOINT
--traced DIR... --own DIR...`.

Every DIR is a twin of the validation split in the look superclevr or studio: `--traced` those
rendered by Blender, `--own` those of our renderer. Writes into the checkpoint's JSON; the weights
stay unchanged. See `po3d.perception.material_shift`.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from po3d.benchmarks.metrics import match
from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.perception.material_shift import MaterialShift
from po3d.perception.street import StreetEstimator
from po3d.scene.geometry import Array
from po3d.training import beliefs

RIDGE = 0.1  # penalty on weights of features of unit variance
SHIFTS = (-4.0, 4.0)


def look_classifier(traced: Array, own: Array) -> tuple[Array, float]:
    """Return direction (F,) and offset of a logistic regression between features (N, F) of
    path-traced pictures and (M, F) of our own, which count equally."""
    features = np.concatenate([traced, own])
    middle, spread = features.mean(0), features.std(0) + 1e-6
    z = np.concatenate([(features - middle) / spread, np.ones((len(features), 1))], 1)
    sign = np.repeat([1.0, -1.0], [len(traced), len(own)])
    weight = np.repeat([0.5 / len(traced), 0.5 / len(own)], [len(traced), len(own)])

    def loss(w: Array) -> tuple[float, Array]:
        margin = sign * (z @ w)
        value = weight @ np.logaddexp(0, -margin) + RIDGE / 2 * w[:-1] @ w[:-1] / len(w)
        slope = -weight * sign / (1 + np.exp(np.clip(margin, -50, 50)))
        return value, z.T @ slope + np.append(RIDGE * w[:-1] / len(w), 0.0)

    w = minimize(loss, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B").x
    direction = w[:-1] / spread
    return direction, float(w[-1] - direction @ middle)


def best_shift(log_odds: Array, rubber: Array, share: Array) -> float:
    """Return the shift that maximises the likelihood of the true materials: log odds (N,) of
    rubber, whether it is rubber (N,), and the share (N,) of the shift that applies."""
    sign = np.where(rubber, 1.0, -1.0)

    def loss(shift: float) -> float:
        return float(np.logaddexp(0, -sign * (log_odds + shift * share)).mean())

    return float(minimize_scalar(loss, bounds=SHIFTS, method="bounded").x)


def fit(checkpoint: str | Path, traced: Sequence[str], own: Sequence[str]) -> MaterialShift:
    """Fit on twins of the validation split and write the result into the checkpoint's JSON."""
    estimator = StreetEstimator.from_checkpoint(checkpoint)
    estimator.material_shift = None
    features, rows = {}, []
    for name, folders in (("traced", traced), ("own", own)):
        collected = []
        for folder in folders:
            twin = pulsecheck457.load(beliefs.for_fitting(folder, "twin.json"))
            for image in twin.images:
                picture, truth = twin.image(image), twin.truth(image)
                collected.append(estimator.features(picture)[0])
                if name == "traced":
                    rows += _materials(estimator, picture, truth, collected[-1])
        features[name] = np.array(collected)
    direction, offset = look_classifier(features["traced"], features["own"])
    log_odds, rubber, of = map(np.array, zip(*rows, strict=True))
    share = MaterialShift(direction, offset, 1.0).share(of)
    # the shift applies to logits, the probabilities are those at the calibrated temperature
    shift = best_shift(log_odds, rubber, share / estimator.calibration["temperature"])
    result = MaterialShift(direction, offset, shift)
    beliefs.write(checkpoint, "material_shift", lambda _: result.record())
    return result


def _materials(
    estimator: StreetEstimator, picture: Array, truth: object, features: Array
) -> list[tuple]:
    """Return (log odds of rubber, whether it is, the picture's features) of each matched object."""
    (scene,) = estimator.estimate([picture])
    rows = []
    for i, j in match(scene, truth).items():
        belief, known = scene.objects[i].beliefs["material"], truth.objects[j]
        if "material" in known.beliefs:
            p = np.clip([belief["rubber"], belief["metal"]], 1e-9, 1)
            rows.append((float(np.log(p[0] / p[1])), known.value("material") == "rubber", features))
    return rows


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser("python -m po3d.training.material_shift")
    parser.add_argument("checkpoint", help="path of the pair, with or without suffix")
    parser.add_argument("--traced", nargs="+", required=True, metavar="DIR")
    parser.add_argument("--own", nargs="+", required=True, metavar="DIR")
    a = parser.parse_args()

    def run() -> None:
        if not (a.traced and a.own):
            raise InputError("both looks need a twin")
        print(f"shift of the log odds of rubber: {fit(a.checkpoint, a.traced, a.own).shift:.2f}")

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
