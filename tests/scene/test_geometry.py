"""The conventions, by round trips and by numbers worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.scene.geometry import (
    BOX_SIGNS,
    MIRRORED_CORNERS,
    Camera,
    Pose,
    box_corners,
    down,
    footprint,
    look_at,
    rotation_z,
    wrap_angle,
)

angles = st.floats(-20, 20)
numbers = st.floats(-10, 10)
points = st.tuples(numbers, numbers, numbers)


def pose(angle, tilt, shift):
    """A rigid transform of every kind: turned about z, then about x."""
    c, s = math.cos(tilt), math.sin(tilt)
    return Pose(np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ rotation_z(angle), np.array(shift))


poses = st.builds(pose, angles, angles, points)


@given(angles)
def test_wrapped_angles_are_the_same_direction_within_a_half_turn(angle):
    wrapped = float(wrap_angle(angle))
    assert -math.pi < wrapped <= math.pi
    turns = (angle - wrapped) / (2 * math.pi)
    assert turns == pytest.approx(round(turns), abs=1e-9)


def test_a_half_turn_is_pi_from_both_sides():
    assert wrap_angle([math.pi, -math.pi, 0.0, -0.5]).tolist() == [math.pi, math.pi, 0.0, -0.5]


@given(angles, angles)
def test_turns_about_the_vertical_add_up(a, b):
    np.testing.assert_allclose(rotation_z(a) @ rotation_z(b), rotation_z(a + b), atol=1e-9)
    np.testing.assert_allclose(rotation_z(a) @ [1, 0, 5], [math.cos(a), math.sin(a), 5], atol=1e-12)


def test_a_quarter_turn_brings_x_to_y_and_many_angles_give_many_turns():
    many = rotation_z([[0.0, math.pi / 2], [math.pi, 0.3]])
    assert many.shape == (2, 2, 3, 3)
    np.testing.assert_allclose(many[0, 1], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-12)


@given(poses, poses, points)
def test_poses_compose_and_invert(a, b, point):
    np.testing.assert_allclose((a @ b).transform(point), a.transform(b.transform(point)), atol=1e-9)
    np.testing.assert_allclose(a.inverse().transform(a.transform([point])), [point], atol=1e-9)


def test_a_camera_at_the_origin_projects_as_worked_out_by_hand():
    camera = Camera(640, 480, 500.0, Pose(np.eye(3), np.zeros(3)))
    pixels, depth = camera.project([[0, 0, 2], [1, -0.5, 4]])
    assert pixels.tolist() == [[320, 240], [320 + 125, 240 - 62.5]]
    assert depth.tolist() == [2, 4]
    assert camera.K.tolist() == [[500, 0, 320], [0, 500, 240], [0, 0, 1]]
    off = Camera(640, 480, 500.0, camera.cam_T_world, (300.0, 260.0))
    assert off.project([0, 0, 2])[0].tolist() == [300, 260]
    assert off.principal == (300.0, 260.0)


@given(poses, st.floats(50, 900), points, st.floats(0.5, 3))
def test_pixels_and_rays_are_inverse(cam_T_world, focal, point, size):
    camera = Camera(640, 480, focal, cam_T_world, (311.0, 250.0))
    front = camera.cam_T_world.inverse().transform([*point[:2], 11 + point[2]])  # before the camera
    pixel, depth = camera.project(front)
    np.testing.assert_allclose(camera.position + depth * camera.ray(pixel), front, atol=1e-6)
    homogeneous = camera.K @ camera.cam_T_world.transform(front)
    np.testing.assert_allclose(homogeneous[:2] / homogeneous[2], pixel, atol=1e-6)
    assert homogeneous[2] == pytest.approx(float(depth))
    np.testing.assert_allclose(camera.cam_T_world.transform(camera.position), 0, atol=1e-9)
    small = camera.resized(320, 240)
    assert (small.width, small.height) == (320, 240)
    np.testing.assert_allclose(small.project(front)[0], pixel / 2, atol=1e-6)
    np.testing.assert_allclose(small.ray(pixel / 2), camera.ray(pixel), atol=1e-9)


def test_each_side_of_the_principal_point_keeps_to_its_own_axis_when_resized():
    camera = Camera(600, 300, 500.0, Pose(np.eye(3), np.zeros(3)), (200.0, 90.0)).resized(300, 150)
    assert (camera.focal, camera.principal) == (250.0, (100.0, 45.0))


@given(st.tuples(numbers, numbers), st.floats(0, 2), st.floats(3, 9))
def test_rays_reach_a_height_where_the_point_is(ground, z, up):
    camera = Camera(640, 480, 500.0, look_at((12, -14, up), (0, 0, 0)))
    point = np.array([*ground, z])
    result = camera.at_height(camera.project([point, point])[0], [z, z])
    np.testing.assert_allclose(result, [point, point], atol=1e-6)


def test_a_camera_that_looks_at_something_has_it_in_the_middle_and_the_sky_above():
    eye, target = np.array([3.0, -4.0, 2.0]), np.array([0.0, 0.0, 2.0])
    camera = Camera(640, 480, 500.0, look_at(eye, target))
    np.testing.assert_allclose(camera.position, eye, atol=1e-12)
    (middle, above, right), depth = camera.project([target, target + [0, 0, 1], target + [4, 3, 0]])
    np.testing.assert_allclose(middle, [320, 240])
    np.testing.assert_allclose(above, [320, 240 - 100])  # a metre higher at five metres
    np.testing.assert_allclose(right, [320 + 500, 240], atol=1e-9)
    np.testing.assert_allclose(depth, [5, 5, 5])
    np.testing.assert_allclose(
        look_at(eye, target).rotation, [[0.8, 0.6, 0], [0, 0, -1], [-0.6, 0.8, 0]], atol=1e-12
    )
    tilted = look_at(eye, target, up=(0.8, 0.6, 1)).rotation
    np.testing.assert_allclose(tilted @ tilted.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(tilted[2], [-0.6, 0.8, 0], atol=1e-12)
    assert tilted[1] @ [0.8, 0.6, 1] == pytest.approx(
        -math.sqrt(2)
    )  # up is up, right of a leaning up is down
    assert tilted[0] @ [0.8, 0.6, 1] == pytest.approx(0)


def test_a_map_has_its_place_in_the_middle_y_up_and_its_scale():
    camera = down(3.0, -2.0, 0.02, 800, 600)
    pixels, depth = camera.project([[3, -2, 0], [4, -2, 0], [3, -1, 0], [4, -2, 2]])
    np.testing.assert_allclose(pixels[:3], [[400, 300], [450, 300], [400, 250]], atol=1e-6)
    np.testing.assert_allclose(
        pixels[3], [400 + 50 * 200 / 198, 300], atol=1e-6
    )  # what is high leans out
    np.testing.assert_allclose(depth, [200, 200, 200, 198])
    assert (camera.width, camera.height) == (800, 600)


def test_corners_of_a_box_worked_out_by_hand():
    corners = box_corners((1, 2, 9), math.pi / 2, (4, 2, 3))
    expected = [
        (0, 4, 0),
        (0, 4, 3),
        (2, 4, 0),
        (2, 4, 3),
        (0, 0, 0),
        (0, 0, 3),
        (2, 0, 0),
        (2, 0, 3),
    ]
    np.testing.assert_allclose(corners, expected, atol=1e-12)  # left is -x; it stands on the ground
    np.testing.assert_allclose(
        footprint((1, 2), math.pi / 2, (4, 2, 3)), [(0, 4), (0, 0), (2, 0), (2, 4)], atol=1e-12
    )
    many = box_corners(np.zeros((2, 5, 2)), np.zeros((2, 5)), np.ones((2, 5, 3)))
    assert many.shape == (2, 5, 8, 3)
    np.testing.assert_array_equal(many[1, 3], BOX_SIGNS)


@given(numbers, numbers, angles, st.floats(0.1, 5), st.floats(0.1, 5))
def test_footprints_run_counter_clockwise_and_have_the_boxs_area(x, y, heading, length, width):
    corners = footprint((x, y), heading, (length, width, 1.0))
    following = np.roll(corners, -1, axis=0)
    area = float(np.sum(corners[:, 0] * following[:, 1] - following[:, 0] * corners[:, 1])) / 2
    assert area == pytest.approx(length * width, abs=1e-6)
    np.testing.assert_allclose(corners.mean(0), [x, y], atol=1e-9)
    np.testing.assert_allclose(
        corners[0], [x, y] + rotation_z(heading)[:2, :2] @ [length / 2, width / 2], atol=1e-9
    )


def test_a_mirror_exchanges_left_and_right_corners():
    for k, mirrored in enumerate(MIRRORED_CORNERS):
        np.testing.assert_array_equal(BOX_SIGNS[k] * [1, -1, 1], BOX_SIGNS[mirrored])
    assert MIRRORED_CORNERS == (2, 3, 0, 1, 6, 7, 4, 5)
