"""Directions around an orbit: the paper's rotation table, both readings, and what a camera really
sees.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.scene.orbit import (
    FAR,
    LABELS,
    NEAR,
    ORBIT_CONVENTIONS,
    VIEWS,
    Orbit,
    azimuth_in,
    azimuth_of,
    group_of,
    label_beliefs,
    nearest_label,
    own_axes,
    sense_of,
    turned_axes,
    turned_label,
    view_angle,
    viewer_axes,
)

# SCOPE, Table 4: a label as the camera goes round in steps of 45 degrees, 0 to 360.
TABLE_4 = """
behind-right right front-right front front-left left behind-left behind behind-right
front-left left behind-left behind behind-right right front-right front front-left
front-right front front-left left behind-left behind behind-right right front-right
behind-left behind behind-right right front-right front front-left left behind-left
front front-left left behind-left behind behind-right right front-right front
behind behind-right right front-right front front-left left behind-left behind
right front-right front front-left left behind-left behind behind-right right
left behind-left behind behind-right right front-right front front-left left
"""
ROWS = [line.split() for line in TABLE_4.strip().splitlines()]


def test_the_table_has_a_row_for_every_label():
    assert sorted(row[0] for row in ROWS) == sorted(LABELS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_labels_turn_as_in_table_4(row):
    assert [turned_label(row[0], 45 * k) for k in range(9)] == row


@pytest.mark.parametrize("reading", ORBIT_CONVENTIONS.values(), ids=ORBIT_CONVENTIONS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_cameras_on_the_orbit_see_table_4_under_both_readings(row, reading):
    orbit = Orbit(6.0, 3.0, 0.4, reading=reading)
    start = orbit.axes(0)
    angle = azimuth_of(row[0])
    pair = math.cos(angle) * np.array(start["front"]) + math.sin(angle) * np.array(start["left"])
    visible = [nearest_label(azimuth_in(orbit.axes(45 * k), pair)) for k in range(9)]
    assert visible == row


@pytest.mark.parametrize("reading", ORBIT_CONVENTIONS.values(), ids=ORBIT_CONVENTIONS)
@pytest.mark.parametrize("view", VIEWS)
def test_words_are_what_the_picture_shows(reading, view):
    """Left is left in the picture; front is nearer in one reading and farther in the other."""
    orbit = Orbit(6.0, 3.0, 0.4, reading=reading)
    camera, axes = orbit.camera(view), orbit.axes(view)
    pixels, depth = camera.project(
        [(*np.array(axes[side]) * 0.5, 0.4) for side in ("left", "right", "front", "behind")]
    )
    assert pixels[0, 0] < camera.width / 2 < pixels[1, 0]
    assert (depth[2] < depth[3]) == reading.near
    middle, _ = camera.project([0.0, 0.0, 0.4])
    np.testing.assert_allclose(middle, camera.principal, atol=1e-6)


def test_the_readings_go_opposite_ways():
    near, far = Orbit(6.0, 3.0, 0.4, reading=NEAR), Orbit(6.0, 3.0, 0.4, reading=FAR)
    np.testing.assert_allclose(near.camera(90).position, (6, 0, 3), atol=1e-9)
    np.testing.assert_allclose(far.camera(90).position, (-6, 0, 3), atol=1e-9)


@given(
    st.sampled_from(list(ORBIT_CONVENTIONS)),
    st.sampled_from(VIEWS),
    st.sampled_from([90, 180, 270]),
    st.tuples(*[st.floats(-2, 2)] * 4),
)
def test_mental_rotation_changes_the_viewer_as_walking_does(name, view, turn, coordinates):
    """The observer carried around the middle of two things sees the pair as the camera `turn`
    further does; what a thing itself sees stays.
    """
    a, b = np.array(coordinates[:2]), np.array(coordinates[2:])
    if np.hypot(*(a - b)) < 1e-3:
        return
    orbit = Orbit(6.0, 3.0, 0.4, reading=ORBIT_CONVENTIONS[name])
    facing = orbit.phi(view) + math.pi + orbit.reading.sense * math.radians(turn)
    axes = viewer_axes((math.cos(facing), math.sin(facing)), orbit.reading)
    further, by_axes = orbit.axes(view + turn), turned_axes(orbit.axes(view), turn)
    for side in axes:
        np.testing.assert_allclose(axes[side], further[side], atol=1e-9)
        np.testing.assert_allclose(axes[side], by_axes[side], atol=1e-9)
    turned = azimuth_in(axes, a - b) - azimuth_in(orbit.axes(view), a - b)
    assert abs(math.remainder(turned - math.radians(turn), 2 * math.pi)) < 1e-9


def test_a_thing_has_its_left_at_its_left_hand():
    axes = own_axes(0.0)  # nose along +x
    assert nearest_label(azimuth_in(axes, (1, 0))) == "front"
    assert nearest_label(azimuth_in(axes, (0, 1))) == "left"
    assert nearest_label(azimuth_in(axes, (-1, -1))) == "behind-right"
    assert sense_of(axes) == -1
    assert sense_of(Orbit(1, 1, 0).axes(45)) == 1


@given(st.floats(-math.pi, math.pi), st.floats(0.01, 3.0), st.floats(0, 1))
def test_beliefs_are_probabilities_and_agree_with_the_nearest_label(azimuth, sigma, flip):
    for among in (LABELS, LABELS[::2], LABELS[1::2]):
        beliefs = label_beliefs(azimuth, sigma, flip, among)
        assert math.isclose(sum(beliefs.values()), 1.0, abs_tol=1e-9)
        if flip < 0.4:
            best = max(beliefs.values())
            assert beliefs[nearest_label(azimuth, among)] >= best - 1e-6


def test_groups_and_bins():
    assert [group_of(label) for label in LABELS] == ["orthogonal", "diagonal"] * 4
    assert [view_angle(x) for x in (0, 22, 23, 338, 359, 370)] == [0, 0, 45, 0, 0, 0]
