"""Blame: Shapley values against their definition, and sums that come out."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.evaluation.ablation.attribution import blame, minimal_repairs, shapley
from po3d.evaluation.ablation.grid import _share_intervals
from po3d.reasoning.questions import Question


@st.composite
def games(draw, n=4):
    return np.array(draw(st.lists(st.floats(-5, 5), min_size=1 << n, max_size=1 << n)))


def by_orders(values):
    """The definition: what each player adds, over all orders."""
    n = len(values).bit_length() - 1
    total = np.zeros(n)
    orders = list(itertools.permutations(range(n)))
    for order in orders:
        mask = 0
        for player in order:
            total[player] += values[mask | 1 << player] - values[mask]
            mask |= 1 << player
    return total / len(orders)


@given(games())
def test_shapley_values_are_the_mean_over_all_orders(values):
    np.testing.assert_allclose(shapley(values), by_orders(values), atol=1e-9)
    assert shapley(values).sum() == pytest.approx(values[-1] - values[0], abs=1e-9)


def test_a_module_that_never_matters_is_not_to_blame_and_twins_share_alike():
    right = np.array([bool(m & 1) or bool(m & 2) for m in range(16)])
    np.testing.assert_allclose(shapley(right), [0.5, 0.5, 0, 0], atol=1e-12)
    both = np.array([bool(m & 1) and bool(m & 4) for m in range(8)])
    np.testing.assert_allclose(shapley(both), [0.5, 0, 0.5], atol=1e-12)


@given(st.lists(st.booleans(), min_size=16, max_size=16))
def test_minimal_repairs_by_hand(right):
    def inside(a, b):
        return a & b == a

    expected = {
        m
        for m in range(16)
        if right[m] and not any(right[k] and inside(k, m) and k != m for k in range(16))
    }
    result = minimal_repairs(right)
    assert set(result) == expected
    assert [f.bit_count() for f in result] == sorted(f.bit_count() for f in result)


@given(st.integers(0, 2**32 - 1))
def test_blame_sums_to_the_error_rate(seed):
    right = np.random.default_rng(seed).random((32, 40)) < 0.6
    right[-1] = True
    shares = blame(right)
    np.testing.assert_allclose(shares.sum(0), ~right[0], atol=1e-12)
    assert shares.mean(1).sum() == pytest.approx(1 - right[0].mean(), abs=1e-9)
    assert not shares[:, right[0]].any()


def test_a_number_of_subsets_that_is_no_power_of_two_is_refused():
    with pytest.raises(ValueError, match="6 subsets; expected a power of two"):
        shapley(np.zeros(6))


def test_intervals_of_shares_resample_images():
    """Half of the images have all their answers wrong because of the first module, the others none:
    50 points, and an interval as wide as so few images make it; where every image is alike there is
    no width.
    """
    questions = [
        Question(f"{k}:{i}", f"{k}.png", "?", "2d", "L1") for k in range(8) for i in range(5)
    ]
    wrong = np.array([int(q.image[0]) % 2 == 0 for q in questions])
    masks = np.stack([~wrong, np.ones(40, bool), ~wrong, np.ones(40, bool)])
    result = _share_intervals(questions, masks, blame(masks), ["first", "second"])
    low, high = result["all"]["first"]
    assert low < 50 - 20 < 50 + 20 < high
    assert result["L1"]["first"] == result["all"]["first"] == result["all"]["error"]
    assert result["all"]["second"] == [0, 0]
    alike = np.stack([np.zeros(40, bool), np.ones(40, bool), np.zeros(40, bool), np.ones(40, bool)])
    assert _share_intervals(questions, alike, blame(alike), ["first", "second"])["all"][
        "first"
    ] == [100, 100]
    one = [q for q in questions if q.image == "0.png"]
    assert _share_intervals(one, alike[:, :5], blame(alike[:, :5]), ["a", "b"])["all"]["a"] == [
        None,
        None,
    ]
