"""Statistics of two systems on the same questions: is the difference real, and how large would it have to be?

Everything is paired: both answered the same items. Items on one image share its errors, so resampling draws whole
images. The exact McNemar test takes items as independent and therefore stands beside the bootstrap, not alone.
"""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest, norm

from po3d.benchmarks.metrics import bootstrap, interval

RESAMPLES = 10_000  # a p-value below 1e-3 needs far more than 1000
POWER, LEVEL = 0.8, 0.05


class McNemar(NamedTuple):
    """Items that only one of two systems has right, and the two-sided exact p-value that both are as good."""

    only_first: int
    only_second: int
    p: float


class Difference(NamedTuple):
    """A mean difference, first minus second, with what resampling the clusters says of it. Where that can say nothing
    `reason` tells why, and interval, p and detectable are NaN."""

    value: float
    low: float  # 95 % interval
    high: float
    p: float  # two-sided: how often the resampled difference is on the other side of zero, twice
    detectable: float  # the true difference that this design finds at 5 % with 80 % power
    reason: str = ""


class Agreement(NamedTuple):
    """How far two systems err on the same items."""

    kappa: float  # Cohen's, of right and wrong; NaN where both are constant
    shared: float  # items that both have wrong, over items that either has wrong; NaN without an error


def mcnemar(first: ArrayLike, second: ArrayLike) -> McNemar:
    """The exact test of two right/wrong vectors (n,): the discordant items are fair coin tosses."""
    a, b = _right(first), _right(second)
    only_first, only_second = int((a & ~b).sum()), int((~a & b).sum())
    n = only_first + only_second
    return McNemar(only_first, only_second, float(binomtest(only_first, n).pvalue) if n else 1.0)


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[Hashable],
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Difference:
    """The mean of `first` - `second` (n,), bootstrapped by whole clusters (images or scenes). What varies between them
    can't be told from one cluster, nor from values that are not numbers."""
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
    """Why resampling says nothing of the mean of these values; "" when it does."""
    if not len(values):
        return "no items"
    if np.isnan(values).any():
        return f"{int(np.isnan(values).sum())} of {len(values)} values are not numbers"
    return "all items are of one cluster" if len(set(clusters)) == 1 else ""


def agreement(first: ArrayLike, second: ArrayLike) -> Agreement:
    """Agreement of two right/wrong vectors (n,)."""
    a, b = _right(first), _right(second)
    if not len(a):
        return Agreement(math.nan, math.nan)
    observed = float((a == b).mean())
    chance = float(a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean()))
    either, both = int((~a | ~b).sum()), int((~a & ~b).sum())
    kappa = (observed - chance) / (1 - chance) if chance < 1 else math.nan
    return Agreement(kappa, both / either if either else math.nan)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for all of them being looked at (Holm 1979): below 0.05, the error that any is a false
    alarm stays below 5 %. NaN is no test: it stays NaN and counts not among them."""
    p = np.asarray(p_values, float)
    tests = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN is sorted to the end
    adjusted = np.full(len(p), math.nan)
    adjusted[tests] = np.maximum.accumulate(np.minimum(1.0, np.arange(len(tests), 0, -1) * p[tests]))
    return adjusted.tolist()


def _right(values: ArrayLike) -> NDArray[np.bool_]:
    values = np.asarray(values, float)
    if np.isnan(values).any():
        raise ValueError("whether an answer is right should be a number, not NaN")
    return values == 1
