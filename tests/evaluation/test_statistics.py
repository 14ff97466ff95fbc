"""The paired statistics against statsmodels, scipy and plain enumeration."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests

from po3d.benchmarks.metrics import bootstrap
from po3d.evaluation.statistics import agreement, holm, mcnemar, paired_difference
from po3d.io.seeding import rng

vectors = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


def table(a, b):
    a, b = np.array(a, bool), np.array(b, bool)
    return np.array([[(a & b).sum(), (a & ~b).sum()], [(~a & b).sum(), (~a & ~b).sum()]])


@given(vectors)
def test_mcnemar_is_statsmodels_exact_test(pairs):
    a, b = zip(*pairs)
    only_first, only_second, p = mcnemar(a, b)
    assert (only_first, only_second) == (table(a, b)[0, 1], table(a, b)[1, 0])
    assert p == pytest.approx(reference_mcnemar(table(a, b), exact=True).pvalue, abs=1e-12)


@given(vectors)
def test_kappa_is_statsmodels(pairs):
    a, b = zip(*pairs)
    (kappa, shared), counts = agreement(a, b), table(a, b)
    if math.isnan(kappa):
        assert len(set(a)) == len(set(b)) == 1
    else:
        assert kappa == pytest.approx(cohens_kappa(counts, return_results=False), abs=1e-12)
    wrong = counts.sum() - counts[0, 0]
    assert shared == pytest.approx(counts[1, 1] / wrong) if wrong else math.isnan(shared)


def test_holm_is_statsmodels(monkeypatch):
    monkeypatch.setattr(
        "gc.collect", lambda: 0
    )  # the reference calls it again and again, for seconds
    for k in range(20):
        p_values = rng(8, "holm", k).random(k + 1) ** 3
        np.testing.assert_allclose(
            holm(p_values), multipletests(p_values, method="holm")[1], atol=1e-12
        )
    assert holm([0.01, 0.01, 0.9, 0.02]) == pytest.approx([0.04, 0.04, 0.9, 0.04])
    assert holm([]) == []


def test_what_was_not_tested_counts_not_among_the_tests():
    assert holm([0.01, math.nan, 0.2]) == pytest.approx([0.02, math.nan, 0.2], nan_ok=True)
    assert all(map(math.isnan, holm([math.nan, math.nan])))


@pytest.mark.parametrize(
    ("values", "clusters", "value", "reason"),
    [
        ([1.0] + [0.0] * 9, ["image"] * 10, 0.1, "all items belong to one cluster"),
        ([1.0], ["image"], 1.0, "all items belong to one cluster"),
        ([], [], math.nan, "no items"),
        ([1.0, math.nan, math.nan], "abc", math.nan, "2 of 3 values are NaN"),
    ],
)
def test_without_anything_to_resample_there_is_a_reason_instead_of_a_p_value(
    values, clusters, value, reason
):
    result = paired_difference(values, np.zeros(len(values)), clusters)
    assert result.reason == reason
    assert result.value == pytest.approx(value, nan_ok=True)
    assert all(math.isnan(x) for x in (result.low, result.high, result.p, result.detectable))
    assert paired_difference([1, 0], [0, 0], "ab").reason == ""


def test_right_or_wrong_is_never_nan():
    for test in (mcnemar, agreement):
        with pytest.raises(ValueError, match="not NaN"):
            test([1.0, math.nan], [1.0, 0.0])


def test_p_of_the_bootstrap_is_that_of_the_normal_law():
    """Two-sided: a difference of z standard errors has p = 2 Phi(-z)."""
    noise = rng(9, "p").normal(0, 1, 100)
    noise = (noise - noise.mean()) / noise.std()
    for z in (0.5, 1.5):
        result = paired_difference(noise + z / 10, np.zeros(100), range(100), 4000)
        assert result.p == pytest.approx(2 * scipy.stats.norm.sf(z), abs=0.04)
        assert paired_difference(np.zeros(100), noise + z / 10, range(100), 4000).p == result.p
    far = paired_difference(noise + 1, np.zeros(100), range(100), resamples=99)
    assert far.p == pytest.approx(2 / 100)  # never 0: the least that so many resamples can tell


def test_the_bootstrap_of_single_items_is_scipys():
    r = rng(5, "bootstrap")
    a, b = r.random(400) < 0.7, r.random(400) < 0.6
    result = paired_difference(a, b, range(400))
    d = a.astype(float) - b
    reference = scipy.stats.bootstrap(
        (d,), np.mean, method="percentile", n_resamples=10_000, random_state=r
    )
    assert result.value == pytest.approx(d.mean())
    assert result.low == pytest.approx(reference.confidence_interval.low, abs=0.006)
    assert result.high == pytest.approx(reference.confidence_interval.high, abs=0.006)
    assert result.detectable == pytest.approx(2.8016 * reference.standard_error, rel=0.03)


def test_clusters_widen_the_interval_as_their_formula_says():
    """Items that are copies of each other count once: the standard error is that of the cluster
    means.
    """
    r = rng(6, "clusters")
    means = r.normal(0.02, 0.1, 80)
    result = paired_difference(np.repeat(means, 10), np.zeros(800), np.repeat(np.arange(80), 10))
    error = means.std() / math.sqrt(80)
    assert (result.high - result.low) / 2 == pytest.approx(1.96 * error, rel=0.05)
    alone = paired_difference(np.repeat(means, 10), np.zeros(800), range(800))
    assert (result.high - result.low) / (alone.high - alone.low) == pytest.approx(
        math.sqrt(10), rel=0.05
    )


def test_a_difference_of_detectable_size_is_detected_four_times_of_five():
    result = 0
    for k in range(200):
        r = rng(7, "power", k)
        noise = r.normal(0, 1, 100)
        size = 2.8016 / math.sqrt(100)
        if k == 0:
            assert paired_difference(noise, np.zeros(100), range(100)).detectable == pytest.approx(
                size, rel=0.2
            )
        result += paired_difference(noise + size, np.zeros(100), range(100), resamples=999).p < 0.05
    assert 0.72 <= result / 200 <= 0.88


def test_equal_systems_do_not_differ():
    a = np.arange(50) % 3 > 0
    assert mcnemar(a, a) == (0, 0, 1.0)
    result = paired_difference(a, a, np.arange(50) // 5)
    assert (result.value, result.low, result.high, result.p, result.detectable) == (0, 0, 0, 1, 0)
    assert agreement(a, a) == (1.0, 1.0)


def test_nothing_agrees_with_nothing_in_no_figure():
    result = agreement([], [])
    assert math.isnan(result[0])
    assert math.isnan(result[1])


@pytest.mark.parametrize("seed", range(6))
def test_p_counts_the_resampled_differences_on_the_other_side_of_zero(seed):
    d = rng(3, "statistics p", seed).normal(0.4, 1, 30)
    result = paired_difference(d, np.zeros(30), range(30), 999, seed)
    samples = bootstrap(d, range(30), ["all"] * 30, ["all"], 999, seed).samples[:, 0]
    other = min(sum(s <= 0 for s in samples), sum(s >= 0 for s in samples))
    assert result.p == min(1, 2 * (other + 1) / 1000)
