"""Out-of-distribution detection: distance of an image's features from each training domain.

Two distances of the network's features, pooled over the image. The first is the Mahalanobis
distance with a diagonal covariance to the mean of one domain (after Lee et al., A simple unified
framework for detecting out-of-distribution samples, NeurIPS 2018), which detects images unlike any
training image. The second is the displacement from that domain towards the other domains along the
discriminating direction (a ridge discriminant). Each is divided by the limit within which nearly
all images of the domain lie. A checkpoint's JSON holds the statistics, 3 KB per domain; `python -m
tools.domain fit` makes them.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from po3d.io.errors import InputError
from po3d.perception.network import Dense
from po3d.scene.geometry import Array

REFUSED = 0.005  # share of a domain's images that may be rejected: half by each distance
RIDGE = 0.1  # on features of unit variance
# factor on the limits: the farthest of a few hundred images underestimates the population's
SLACK = 1.1
FOLDS = 5  # limits are cross-validated, on images not used for the statistics


def pooled(dense: Dense) -> Tensor:
    """Return (B, 2 C) means and standard deviations of the neck's features over the image."""
    features = dense.features.float().flatten(2)
    return torch.cat([features.mean(2), features.std(2)], 1)


@dataclass(frozen=True)
class FeatureDistribution:
    """Statistics of one image domain in a network's pooled features."""

    mean: Array  # (F,)
    spread: Array  # (F,) standard deviations
    # (F,) scaled so that the means of the other domains and of this one project 1 apart
    direction: Array
    limits: tuple[float, float] = (1.0, 1.0)  # of the two distances

    def ood_score(self, features: Array) -> Array:
        """Return the out-of-distribution scores (B,) of features (B, F).

        The score is the larger of the two distances, each over its limit.

        Above 1 an image is outside the domain.
        """
        return (self._distances(features) / np.array(self.limits)[:, None]).max(0)

    def _distances(self, features: Array) -> Array:
        away = features - self.mean
        return np.stack([np.sqrt(((away / self.spread) ** 2).mean(1)), away @ self.direction])

    @classmethod
    def of(cls, features: Array, others: Array) -> Self:
        """Fit to features (N, F) of the domain and (M, F) of the other domains."""
        distances = np.zeros((2, len(features)))
        fold = np.random.default_rng(0).permutation(len(features)) % FOLDS
        for k in range(FOLDS):
            distances[:, fold == k] = cls._of(features[fold != k], others)._distances(
                features[fold == k]
            )
        domain = cls._of(features, others)
        first, second = (SLACK * np.quantile(distances, 1 - REFUSED / 2, axis=1)).tolist()
        return cls(domain.mean, domain.spread, domain.direction, (first, second))

    @classmethod
    def _of(cls, features: Array, others: Array) -> Self:
        everything = np.concatenate([features, others])
        unit = everything.std(0) + 1e-6
        weight = np.repeat([0.5 / len(features), 0.5 / len(others)], [len(features), len(others)])
        z = everything / unit
        z -= weight @ z
        other = np.repeat([-0.5, 0.5], [len(features), len(others)])
        solved = np.linalg.solve(
            (z * weight[:, None]).T @ z + RIDGE * np.eye(z.shape[1]),
            (z * weight[:, None]).T @ other,
        )
        direction = solved / unit
        mean = features.mean(0)
        direction /= (others.mean(0) - mean) @ direction
        return cls(mean, features.std(0) + 1e-3 * features.std(), direction)

    def record(self) -> dict[str, Any]:
        """Return the statistics for a checkpoint's JSON."""
        parts = {
            name: packed_floats(getattr(self, name)) for name in ("mean", "spread", "direction")
        }
        return {**parts, "limits": list(self.limits)}

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """Restore the statistics from `record`; raise InputError if they are damaged."""
        try:
            mean, spread, direction = (
                unpacked_floats(record[name]) for name in ("mean", "spread", "direction")
            )
            first, second = map(float, record["limits"])
            fine = (
                len(mean) == len(spread) == len(direction)
                and (spread > 0).all()
                and min(first, second) > 0
            )
            if not (fine and np.isfinite([*mean, *spread, *direction, first, second]).all()):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise InputError(
                "the checkpoint's image statistics are invalid; export it again"
            ) from None
        return cls(mean, spread, direction, (first, second))


def packed_floats(values: Array) -> str:
    return base64.b64encode(values.astype("<f4").tobytes()).decode()


def unpacked_floats(text: str) -> Array:
    return np.frombuffer(base64.b64decode(text, validate=True), "<f4").astype(float)
