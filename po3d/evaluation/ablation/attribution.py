"""Which module is to blame: from what every subset of true modules makes of each answer.

Subsets of n modules are bit masks: bit k set means that module k is true. `right[mask]` says whether an answer is
right then; right[0] is the system as it is, right[-1] everything true.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def shapley(values: ArrayLike) -> Array:
    """(n, ...) Shapley values of a game `values` (2**n, ...) over masks: what each player adds, averaged over all
    orders of joining. They sum to values[-1] - values[0]."""
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
    """The masks that make one answer right while none of their proper subsets does, small ones first."""
    _players(len(right))
    found: list[int] = []
    for mask in sorted(range(len(right)), key=lambda m: (m.bit_count(), m)):
        if right[mask] and not any(smaller & mask == smaller for smaller in found):
            found.append(mask)
    return found


def blame(right: ArrayLike) -> Array:
    """(n, q) shares of the blame for q answers, from `right` (2**n, q): of a wrong one its Shapley values, which sum to
    1 when everything true makes it right; zero of an answer that is right as it is. Their mean over the answers is
    therefore the error rate, module by module."""
    right = np.asarray(right, float)
    return shapley(right) * (1 - right[0])


def _players(count: int) -> int:
    n = count.bit_length() - 1
    if count < 1 or 1 << n != count:
        raise ValueError(f"{count} subsets: there should be 2**n of them")
    return n
