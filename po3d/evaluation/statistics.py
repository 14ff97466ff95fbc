"""Paired statistics of two systems on the same questions: significance of a difference and the
detectable effect size.

Items on one image share its errors, so the bootstrap resamples whole images. The exact McNemar test
assumes independent items and is therefore reported beside the bootstrap, not alone.
"""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest, norm

from po3d.benchmarks.metrics import bootstrap, interval

RESAMPLES = 10_000  # p-values below 1e-3 need far more than 1000
POWER, LEVEL = 0.8, 0.05


class Difference(NamedTuple):
    """A mean difference (first minus second) with its cluster bootstrap. If resampling is not
    informative, `reason` says why, and interval, p and detectable are NaN."""

    value: float
    low: float  # 95 % interval
    high: float
    p: float  # two-sided: twice the fraction of resampled differences on the other side of zero
    detectable: float  # the true difference found with 80 % power at the 5 % level
    reason: str = ""


def mcnemar(first: ArrayLike, second: ArrayLike) -> tuple[int, int, float]:
    """Return the numbers of items that only one of two systems answers correctly, from their
    right/wrong vectors (n,), and the two-sided p-value of the exact McNemar test: under H0,
    discordant pairs are fair coin tosses."""
    a, b = _right(first), _right(second)
    only_first, only_second = int((a & ~b).sum()), int((~a & b).sum())
    n = only_first + only_second
    return only_first, only_second, float(binomtest(only_first, n).pvalue) if n else 1.0


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[Hashable],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Difference:
    """Compute the mean of `first` - `second` (n,) with a bootstrap over whole clusters (images or
    scenes).

    The result has no interval if there is a single cluster or if values are NaN."""
    d = np.asarray(first, float) - np.asarray(second, float)
    boot = bootstrap(d, clusters, ["all"] * len(d), ["all"], resamples, seed)
    if reason := _nothing_to_resample(d, clusters):
        return Difference(float(boot.value[0]), math.nan, math.nan, math.nan, math.nan, reason)
    samples = boot.samples[:, 0]
    low, high = interval(samples)
    side = min((samples <= 0).sum(), (samples >= 0).sum())
    p = min(1.0, 2 * (int(side) + 1) / (resamples + 1))
    detectable = float((norm.ppf(1 - LEVEL / 2) + norm.ppf(POWER)) * samples.std())
    return Difference(float(boot.value[0]), low, high, p, detectable)


def _nothing_to_resample(values: NDArray[np.float64], clusters: Sequence[Hashable]) -> str:
    """Return why a bootstrap of the mean is not informative; "" if it is."""
    if not len(values):
        return "no items"
    if np.isnan(values).any():
        return f"{int(np.isnan(values).sum())} of {len(values)} values are NaN"
    return "all items belong to one cluster" if len(set(clusters)) == 1 else ""


def agreement(first: ArrayLike, second: ArrayLike) -> tuple[float, float]:
    """Return Cohen's kappa of two right/wrong vectors (n,), NaN if both are constant, and the items
    that both have wrong over those that either has wrong, NaN without errors."""
    a, b = _right(first), _right(second)
    if not len(a):
        return math.nan, math.nan
    observed = float((a == b).mean())
    chance = float(a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean()))
    either, both = int((~a | ~b).sum()), int((~a & ~b).sum())
    kappa = (observed - chance) / (1 - chance) if chance < 1 else math.nan
    return kappa, both / either if either else math.nan


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple testing (Holm 1979), which controls the family-wise error rate.

    NaN entries are not tests: they stay NaN and do not count."""
    p = np.asarray(p_values, float)
    # NaN is sorted to the end
    tests = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    adjusted = np.full(len(p), math.nan)
    adjusted[tests] = np.maximum.accumulate(
        np.minimum(1.0, np.arange(len(tests), 0, -1) * p[tests])
    )
    return adjusted.tolist()


def _right(values: ArrayLike) -> NDArray[np.bool_]:
    values = np.asarray(values, float)
    if np.isnan(values).any():
        raise ValueError("a score should be a number, not NaN")
    return values == 1
