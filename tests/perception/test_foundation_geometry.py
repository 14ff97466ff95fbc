"""Depth maps of scenes whose camera and boxes are known give these back; angles of orientation
networks mean what they say.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from po3d.perception.foundation_geometry import (
    AZIMUTH,
    EYE,
    find_ground,
    front_of,
    heading_of,
    level_camera,
    placed,
    spread,
    thing_points,
    unprojected,
)
from po3d.scene.camera import CameraPose, camera_pose_of, held
from po3d.scene.geometry import Camera, box_corners, rotation_z, wrap_angle

WIDTH, HEIGHT, FOCAL = 320, 240, 300.0
THINGS = (  # position, heading, extent
    ((0.5, 4.0, 0.45), 0.5, (0.5, 0.6, 0.9)),
    ((-1.0, 3.4, 0.25), 2.0, (1.0, 0.5, 0.5)),
    ((0.3, 3.0, 0.2), -1.2, (0.5, 0.4, 0.4)),
)
SKY = 80.0


def depth_map(camera: Camera, things=THINGS, floor: bool = True) -> np.ndarray:
    """(H, W) of boxes on a floor."""
    v, u = np.mgrid[0 : camera.height, 0 : camera.width]
    rays, eye = camera.ray(np.stack([u + 0.5, v + 0.5], -1)), camera.position
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = (
            np.where(rays[..., 2] < 0, -eye[2] / rays[..., 2], SKY)
            if floor
            else np.full(u.shape, SKY)
        )
        depth = np.minimum(depth, SKY)
        for position, heading, extent in things:
            spin = rotation_z(np.array([heading]))[0]
            start, ray, half = (eye - np.array(position)) @ spin, rays @ spin, np.array(extent) / 2
            ends = np.stack([(-half - start) / ray, (half - start) / ray])
            enters, leaves = ends.min(0).max(-1), ends.max(0).min(-1)
            depth = np.where((enters < leaves) & (enters > 0) & (enters < depth), enters, depth)
    return depth


def image_box(
    camera: Camera, position, heading: float, extent
) -> tuple[float, float, float, float]:
    corners = box_corners(position, heading, extent) + [0, 0, position[2] - extent[2] / 2]
    pixels, _ = camera.project(corners)
    return (*pixels.min(0), *pixels.max(0))


@pytest.mark.parametrize(
    ("pitch", "roll"), [(-0.2, 0.0), (-0.5, 0.2), (-0.25, -0.3), (-0.35, 0.45)]
)
def test_a_tilted_ground_with_boxes_gives_back_gravity_places_and_sizes(pitch, roll):
    true = held(CameraPose(1.6, pitch, roll, AZIMUTH), WIDTH, HEIGHT, FOCAL)
    points = unprojected(depth_map(true), FOCAL)
    camera = level_camera(WIDTH, HEIGHT, FOCAL, find_ground(points), points)
    result = camera_pose_of(camera)
    assert np.degrees(abs(result.pitch - pitch)) < 1
    assert np.degrees(abs(result.roll - roll)) < 1
    assert result.height == pytest.approx(1.6, abs=0.03)
    for position, heading, extent in THINGS:
        cloud = thing_points(points, image_box(camera, position, heading, extent), camera)
        box = placed(cloud, heading, camera.position)
        np.testing.assert_allclose(box.position, position, atol=0.06)
        np.testing.assert_allclose(box.extent, extent, rtol=0.12)


def test_noise_of_a_depth_network_moves_gravity_by_less_than_two_degrees():
    true = held(CameraPose(1.5, -0.3, 0.15, AZIMUTH), WIDTH, HEIGHT, FOCAL)
    noise = 1 + 0.02 * np.random.default_rng(0).standard_normal((HEIGHT // 8, WIDTH // 8)).repeat(
        8, 0
    ).repeat(8, 1)
    points = unprojected(depth_map(true) * noise, FOCAL)
    result = camera_pose_of(level_camera(WIDTH, HEIGHT, FOCAL, find_ground(points), points))
    assert np.degrees(abs(result.pitch + 0.3)) < 2
    assert np.degrees(abs(result.roll - 0.15)) < 2


def test_a_wall_is_no_ground_and_the_camera_is_then_taken_for_level():
    points = unprojected(np.full((HEIGHT, WIDTH), 3.0), FOCAL)
    assert find_ground(points) is None
    hold = camera_pose_of(level_camera(WIDTH, HEIGHT, FOCAL, None, points))
    assert (hold.pitch, hold.roll) == pytest.approx((0, 0))
    assert hold.height == pytest.approx(
        3.0 * HEIGHT / 2 / FOCAL, rel=0.05
    )  # the lowest that is seen
    nothing = np.full((4, 4, 3), np.nan)
    assert find_ground(nothing) is None
    assert camera_pose_of(level_camera(4, 4, 4.0, None, nothing)).height == EYE


def test_a_table_over_a_visible_floor_is_not_the_ground():
    true = held(CameraPose(1.6, -0.5, 0.0, AZIMUTH), WIDTH, HEIGHT, FOCAL)
    table = ((0.0, 2.6, 0.7), 0.0, (1.2, 1.8, 0.06))
    points = unprojected(depth_map(true, (table,)), FOCAL)
    ground = find_ground(points)
    assert ground is not None
    assert ground.height == pytest.approx(1.6, abs=0.05)


def test_what_stands_behind_or_before_a_thing_is_not_part_of_it():
    true = held(CameraPose(1.5, -0.2, 0.0, AZIMUTH), WIDTH, HEIGHT, FOCAL)
    mug, wall = ((0.0, 2.0, 0.8), 0.3, (0.4, 0.4, 0.5)), ((0.0, 5.0, 1.5), 0.0, (8.0, 0.2, 3.0))
    points = unprojected(depth_map(true, (mug, wall)), FOCAL)
    x0, y0, x1, y1 = image_box(true, *mug)
    box = placed(thing_points(points, (x0 - 6, y0 - 6, x1 + 6, y1 + 6), true), 0.3, true.position)
    np.testing.assert_allclose(box.position, mug[0], atol=0.08)


def test_hidden_depth_is_that_of_things_of_the_name():
    true = held(CameraPose(1.2, 0.0, 0.0, AZIMUTH), WIDTH, HEIGHT, FOCAL)
    bus = ((0.0, 20.0, 1.55), -math.pi / 2, (11.0, 2.55, 3.1))  # its front toward the camera
    points = unprojected(depth_map(true, (bus,)), FOCAL)
    cloud = thing_points(points, image_box(true, *bus), true)
    named, unnamed = (placed(cloud, bus[1], true.position, name) for name in ("bus", "contraption"))
    assert named.extent[0] == pytest.approx(11.0, rel=0.1)
    assert named.position[1] == pytest.approx(20.0, abs=0.6)
    assert unnamed.extent[0] < 3
    assert named.covariance[1, 1] > unnamed.covariance[1, 1]  # a guess is doubted


def test_a_mask_separates_things_at_one_depth():
    true = held(CameraPose(1.2, 0.1, 0.0, AZIMUTH), WIDTH, HEIGHT, FOCAL)
    pair = [((x, 4.0, 0.4), 0.3, (0.4, 0.4, 0.8)) for x in (-0.4, 0.4)]
    points = unprojected(depth_map(true, pair), FOCAL)
    both = (60, 40, 260, 230)
    mask = np.zeros((24, 32), bool)
    mask[:, :16] = True  # of the left half of the picture
    assert thing_points(points, both, true)[:, 0].max() > 0.2
    left = thing_points(points, both, true, mask & (depth_map(true, pair)[5::10, 5::10] < 4.5))
    assert len(left) > 50
    assert left[:, 0].max() < 0.0
    assert left[:, 1].max() < 4.4


def test_an_empty_or_outlying_box_has_no_points():
    points = unprojected(np.full((20, 30), 2.0), 30.0)
    camera = level_camera(30, 20, 30.0, None, points)
    assert thing_points(points, (40, 5, 50, 9), camera).shape == (0, 3)
    assert thing_points(np.full((20, 30, 3), np.nan), (3, 3, 9, 9), camera).shape == (0, 3)


# --- orientation ----------------------------------------------------------------------------------

AXIS = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("azimuth", "front"),
    [(0, (0, 0, -1)), (90, (-1, 0, 0)), (180, (0, 0, 1)), (270, (1, 0, 0))],
    ids=[
        "faces the viewer",
        "shows its left, points left",
        "shows its back",
        "shows its right, points right",
    ],
)
def test_azimuths_of_the_published_convention(azimuth, front):
    np.testing.assert_allclose(front_of(math.radians(azimuth), 0.0, 0.0, AXIS), front, atol=1e-9)


def test_polar_lifts_the_viewer_and_rotation_turns_the_picture_counter_clockwise():
    assert (
        front_of(0.0, 0.3, 0.0, AXIS)[1] > 0
    )  # seen from above, what faces the viewer points down
    turned = front_of(math.pi / 2, 0.0, 0.3, AXIS)  # it points left, and a turn takes left downward
    assert turned[1] == pytest.approx(math.sin(0.3))


@settings(max_examples=60, deadline=None)
@given(
    st.floats(-3.1, 3.1),
    st.floats(-0.8, 0.3),
    st.floats(-0.6, 0.6),
    st.floats(-1.2, 1.2),
    st.floats(2.0, 9.0),
)
def test_the_angles_of_an_upright_thing_give_its_heading_under_any_pitch_roll_and_place(
    heading, pitch, roll, x, y
):
    camera = held(CameraPose(1.5, pitch, roll, AZIMUTH), WIDTH, HEIGHT, FOCAL)
    ray = camera.cam_T_world.transform([x, y, 0.5])
    assume(ray[2] > 0.3)
    # What a perfect network says: the thing as a camera sees it that points at it, rolled as the
    # picture is.
    z = ray / np.linalg.norm(ray)
    down = camera.cam_T_world.rotation @ [0, 0, -1.0]
    axis = np.cross([0, 0, 1.0], z)
    turn = math.atan2(np.linalg.norm(axis), z[2])
    k = axis / max(np.linalg.norm(axis), 1e-12)
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    toward = np.eye(3) + math.sin(turn) * cross + (1 - math.cos(turn)) * cross @ cross
    top = toward.T @ -down
    eye = camera.position - [x, y, 0.5]
    azimuth = float(wrap_angle(math.atan2(eye[1], eye[0]) - heading))
    polar = math.asin(eye[2] / np.linalg.norm(eye))
    rotation = math.atan2(-top[0], -top[1])  # of the thing's top, counter-clockwise
    result = heading_of(front_of(azimuth, polar, rotation, ray), camera)
    assert abs(float(wrap_angle(result - heading))) < 1e-6


def test_doubt_about_the_azimuth_becomes_deviation_and_flip():
    degrees = np.arange(360)
    narrow = np.exp(-((np.minimum(abs(degrees - 30), 360 - abs(degrees - 30)) / 8) ** 2) / 2)
    back = np.exp(-((degrees - 210) ** 2) / 2 / 64)
    azimuth, sigma, flip = spread(narrow / narrow.sum(), 1.0)
    assert math.degrees(azimuth) == pytest.approx(30, abs=0.5)
    assert math.degrees(sigma) == pytest.approx(8, abs=0.5)
    assert flip == pytest.approx(0, abs=1e-6)
    both = 0.7 * narrow / narrow.sum() + 0.3 * back / back.sum()
    assert spread(both, 1.0)[2] == pytest.approx(0.3, abs=0.01)
    unsure = spread(narrow / narrow.sum(), 0.0)
    assert unsure[2] == 0.5
    assert unsure[1] > math.radians(45)
