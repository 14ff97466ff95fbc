"""Attribution of errors to modules, from the correctness of each answer under every subset of
ground-truth modules.

Subsets of n modules are bit masks: bit k set means that module k is ground truth. `right[mask]` is
whether an answer is right under that subset; right[0] is the unmodified system, right[-1] has all
modules at ground truth.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def shapley(values: ArrayLike) -> Array:
    """Compute Shapley values (n, ...) of a game `values` (2**n, ...) over masks: each player's
    marginal contribution, averaged over all orders of joining. They sum to values[-1] - values[0].
    """
    values = np.asarray(values, float)
    n = _players(len(values))
    masks = np.arange(len(values))
    size = np.array([int(m).bit_count() for m in masks])
    shares = np.zeros((n, *values.shape[1:]))
    for k in range(n):
        without = masks[(masks >> k & 1) == 0]
        weight = np.array(
            [math.factorial(s) * math.factorial(n - 1 - s) for s in size[without]]
        ) / math.factorial(n)
        shares[k] = np.tensordot(weight, values[without | 1 << k] - values[without], 1)
    return shares


def minimal_repairs(right: Sequence[bool]) -> list[int]:
    """Return the minimal masks that make one answer right (no proper subset does), in order of
    size."""
    _players(len(right))
    repairs: list[int] = []
    for mask in sorted(range(len(right)), key=lambda m: (m.bit_count(), m)):
        if right[mask] and not any(smaller & mask == smaller for smaller in repairs):
            repairs.append(mask)
    return repairs


def blame(right: ArrayLike) -> Array:
    """Compute each module's share of the error, (n, q) for q answers, from `right` (2**n, q).

    For a wrong answer these are its Shapley values, which sum to 1 if ground truth in all modules
    makes it right; for a right answer they are zero. Their mean over the answers therefore
    decomposes the error rate by module."""
    right = np.asarray(right, float)
    return shapley(right) * (1 - right[0])


def _players(count: int) -> int:
    n = count.bit_length() - 1
    if count < 1 or 1 << n != count:
        raise ValueError(f"{count} subsets; expected a power of two")
    return n
