"""Mutual exclusion on the ground: one object that was detected twice becomes one row."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.scene.exclusion import exclusive_shares, merge_overlapping, overlap_share
from po3d.scene.table import ObjectState, Scene

AXES = {"left": (0.0, 1.0), "right": (0.0, -1.0), "front": (-1.0, 0.0), "behind": (1.0, 0.0)}
PROBABILITY = st.floats(0.01, 0.99)


def car(x, y=0.0, heading=0.0, existence=0.9, shape="sedan", color="red", flip=0.0):
    beliefs = {"shape": {shape: 1.0}, "color": {color: 1.0}}
    return ObjectState(
        beliefs, (x, y, 0.2), heading, (3.0, 1.2, 0.9), flip=flip, existence=existence
    )


def scene(*objects, occluders=None):
    return Scene(tuple(objects), AXES, "predicted", occluders=occluders)


def test_overlap_is_a_share_of_the_smaller_footprint():
    assert overlap_share(car(0), car(0)) == pytest.approx(1.0)
    assert overlap_share(car(0), car(1.5)) == pytest.approx(0.5)
    assert overlap_share(car(0), car(3.1)) == 0.0


def test_neighbours_below_the_limit_stay_untouched():
    table = scene(car(0), car(2.0))
    assert merge_overlapping(table, 0.5) is table


@given(PROBABILITY, PROBABILITY)
def test_shares_are_the_posterior_without_both(first, second):
    alone, other = exclusive_shares(first, second)
    neither = (1 - first) * (1 - second) / (1 - first * second)
    assert alone + other + neither == pytest.approx(1.0)
    odds = (first / (1 - first)) / (second / (1 - second))
    assert alone / other == pytest.approx(odds)


def test_one_vehicle_visible_twice_is_one_row_with_doubt_in_its_attributes():
    (row,) = merge_overlapping(
        scene(car(0, existence=0.98), car(0.2, existence=0.96, shape="wagon")), 0.4
    ).objects
    assert row.position[0] == 0  # of the more probable row
    assert row.existence == pytest.approx((0.98 * 0.04 + 0.96 * 0.02) / (1 - 0.98 * 0.96))
    weight = 0.96 * 0.02 / (0.98 * 0.04 + 0.96 * 0.02)
    assert row.beliefs["shape"] == pytest.approx({"sedan": 1 - weight, "wagon": weight})
    assert row.beliefs["color"] == pytest.approx({"red": 1.0})


def test_a_weak_row_inside_a_certain_one_hardly_changes_it():
    ghost = car(0.3, existence=0.76, shape="scooter", color="blue")
    (row,) = merge_overlapping(scene(ghost, car(0, existence=0.995)), 0.4).objects
    assert row.value("shape") == "sedan"
    assert row.beliefs["shape"]["sedan"] > 0.98


def test_opposite_headings_become_a_probability_of_a_flip():
    rows = (car(0, existence=0.9), car(0.1, heading=math.pi, existence=0.9))
    (row,) = merge_overlapping(scene(*rows), 0.4).objects
    assert row.flip == pytest.approx(0.5)
    rows = (car(0, existence=0.9), car(0.1, heading=0.1, existence=0.9))
    (row,) = merge_overlapping(scene(*rows), 0.4).objects
    assert row.flip == pytest.approx(0.0)


def test_occluders_move_to_the_merged_row_and_the_pair_hides_nothing_of_itself():
    rows = (car(0, existence=0.99), car(5), car(0.2, existence=0.7))
    occluders = ({2: 0.6}, {0: 0.3, 2: 0.5}, {0: 0.8, 1: 0.1})
    merged = merge_overlapping(scene(*rows, occluders=occluders), 0.4)
    assert len(merged) == 2
    assert merged.occluders[0] == {}
    assert merged.occluders[1] == pytest.approx({0: 0.8})


def test_three_rows_on_one_place_become_one():
    merged = merge_overlapping(scene(car(0), car(0.2), car(0.4), car(9)), 0.4)
    assert [o.position[0] for o in merged.objects][-1] == 9
    assert len(merged) == 2


def test_certain_rows_do_not_divide_by_zero():
    merged = merge_overlapping(scene(car(0, existence=1.0), car(0.1, existence=1.0)), 0.4)
    assert len(merged) == 1
    assert 0.99 < merged.objects[0].existence <= 1.0
