"""Whose picture is it? How far a picture's features lie from those of the pictures that an estimator knows.

Two distances of the network's own features, pooled over the picture: how far they are from the mean of one kind of pictures in that
kind's own spread (Mahalanobis' with a diagonal covariance, after Lee and others, A simple unified framework for detecting
out-of-distribution samples, NeurIPS 2018), which tells what nobody has seen; and how far they have gone from that kind towards the other
kinds along the direction that tells them apart (a ridge discriminant). Each is said in the distance within which nearly all of the
kind lie. A checkpoint's JSON holds the statistics, 3 KB a kind; `python -m tools.domain fit` makes them.
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

REFUSED = 0.01  # of pictures of a kind may be refused: a half by each distance
RIDGE = 0.1  # on features of unit spread
SLACK = 1.1  # on the limits: of a few hundred pictures the farthest is nearer than of all that will come
FOLDS = 5  # limits come from pictures that the statistics have not seen


def pooled(dense: Dense) -> Tensor:
    """(B, 2 C) means and deviations of the neck's features over the picture."""
    features = dense.features.float().flatten(2)
    return torch.cat([features.mean(2), features.std(2)], 1)


@dataclass(frozen=True)
class Domain:
    """Pictures of one kind, as a network's pooled features have them."""

    mean: Array  # (F,)
    spread: Array  # (F,) deviations
    direction: Array  # (F,) its product with features is 1 more for the mean of other kinds than for that of this one
    limits: tuple[float, float] = (1.0, 1.0)  # of either distance

    def strangeness(self, features: Array) -> Array:
        """(B,) the larger distance of features (B, F), in limits: above 1 a picture is like none of the kind."""
        return (self._distances(features) / np.array(self.limits)[:, None]).max(0)

    def _distances(self, features: Array) -> Array:
        away = features - self.mean
        return np.stack([np.sqrt(((away / self.spread) ** 2).mean(1)), away @ self.direction])

    @classmethod
    def of(cls, features: Array, others: Array) -> Self:
        """Of features (N, F) of pictures of a kind, and (M, F) of those of other kinds."""
        distances = np.zeros((2, len(features)))
        fold = np.random.default_rng(0).permutation(len(features)) % FOLDS
        for k in range(FOLDS):
            distances[:, fold == k] = cls._of(features[fold != k], others)._distances(features[fold == k])
        found = cls._of(features, others)
        first, second = (SLACK * np.quantile(distances, 1 - REFUSED / 2, axis=1)).tolist()
        return cls(found.mean, found.spread, found.direction, (first, second))

    @classmethod
    def _of(cls, features: Array, others: Array) -> Self:
        everything = np.concatenate([features, others])
        unit = everything.std(0) + 1e-6
        weight = np.repeat([0.5 / len(features), 0.5 / len(others)], [len(features), len(others)])
        z = everything / unit
        z -= weight @ z
        other = np.repeat([-0.5, 0.5], [len(features), len(others)])
        solved = np.linalg.solve(
            (z * weight[:, None]).T @ z + RIDGE * np.eye(z.shape[1]), (z * weight[:, None]).T @ other
        )
        direction = solved / unit
        mean = features.mean(0)
        direction /= (others.mean(0) - mean) @ direction
        return cls(mean, features.std(0) + 1e-3 * features.std(), direction)

    def record(self) -> dict[str, Any]:
        """Ready for a checkpoint's JSON."""
        parts = {name: _packed(getattr(self, name)) for name in ("mean", "spread", "direction")}
        return {**parts, "limits": list(self.limits)}

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """What `record` says; InputError where it can't be read."""
        try:
            mean, spread, direction = (_unpacked(record[name]) for name in ("mean", "spread", "direction"))
            first, second = (float(limit) for limit in record["limits"])
            fine = (
                len(mean) == len(spread) == len(direction) and (spread > 0).all() and min(first, second) > 0
            )
            if not (fine and np.isfinite([*mean, *spread, *direction, first, second]).all()):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise InputError(
                "a checkpoint's statistics of its pictures are damaged; make them anew"
            ) from None
        return cls(mean, spread, direction, (first, second))


def _packed(values: Array) -> str:
    return base64.b64encode(values.astype("<f4").tobytes()).decode()


def _unpacked(text: str) -> Array:
    return np.frombuffer(base64.b64decode(text, validate=True), "<f4").astype(float)
