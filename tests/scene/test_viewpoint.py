"""How cameras are held, and mirror images."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.seeding import rng
from po3d.scene.camera import CameraPose, camera_pose_of, carried, held, mirrored
from po3d.scene.frames import axes_from_front
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import ObjectState, Scene, sure

AXES = {"left": (0.0, 1.0), "right": (0.0, -1.0), "front": (-1.0, 0.0), "behind": (1.0, 0.0)}
HOLDS = st.builds(
    CameraPose, st.floats(0.1, 4), st.floats(-1.4, 1.4), st.floats(-3, 3), st.floats(-3, 3)
)


@given(HOLDS)
def test_a_hold_is_read_back(hold):
    assert camera_pose_of(held(hold, 640, 480, 500.0, (2.0, -1.0))) == pytest.approx(hold)


def test_signs_of_pitch_and_roll():
    ahead = np.array([5.0, 0.0, 1.5])
    (_, level), _ = held(CameraPose(1.5, 0.0, 0.0, 0.0), 640, 480, 500.0).project(ahead)
    assert level == pytest.approx(240)
    (_, v), _ = held(CameraPose(1.5, -0.2, 0.0, 0.0), 640, 480, 500.0).project(ahead)
    assert v < 240  # looking down, what was ahead is above the middle
    (u, _), _ = held(CameraPose(1.5, 0.0, 0.3, 0.0), 640, 480, 500.0).project(ahead + [0, 0, 1])
    assert u < 320  # the camera turned clockwise, what was up leans to the left


def scene_of(hold: CameraPose) -> Scene:
    turned = ((0.1, 0.02, 0.01), (0.02, 0.3, 0.05), (0.01, 0.05, 0.2))
    objects = (
        ObjectState(
            sure(name="chair"),
            (4.0, 1.0, 0.4),
            0.7,
            (0.5, 0.5, 0.9),
            turned,
            box=(100, 50, 150, 90),
        ),
        ObjectState(sure(name="table"), (5.0, -1.5, 0.4), -2.0, (0.8, 1.2, 0.75)),
    )
    outline = ((0.0, -3.0), (8.0, -3.0), (8.0, 2.0), (0.0, 2.0))
    return Scene(objects, AXES, "gt", held(hold, 640, 480, 500.0), None, "a.png", outline)


@given(HOLDS)
def test_the_mirrored_scene_is_what_the_flipped_picture_shows(hold):
    scene = scene_of(hold)
    flip = mirrored(scene)
    pixels, depth = scene.camera.project(scene.positions)
    other, same = flip.camera.project(flip.positions)
    assert same == pytest.approx(depth)
    safe = np.abs(depth) > 0.2
    assert other[safe] == pytest.approx(np.array([640, 0]) + pixels[safe] * [-1, 1], abs=1e-6)
    assert np.linalg.det(flip.camera.cam_T_world.rotation) == pytest.approx(1.0)
    assert camera_pose_of(flip.camera).height == pytest.approx(hold.height)
    assert camera_pose_of(flip.camera).pitch == pytest.approx(hold.pitch, abs=1e-6)
    assert float(wrap_angle(camera_pose_of(flip.camera).roll + hold.roll)) == pytest.approx(
        0, abs=1e-6
    )


def test_mirroring_twice_gives_the_scene_back():
    scene = scene_of(CameraPose(1.5, -0.3, 0.2, 0.1))
    twice = mirrored(mirrored(scene))
    assert twice.positions == pytest.approx(scene.positions)
    assert twice.headings == pytest.approx(scene.headings)
    assert twice.axes == scene.axes
    assert twice.outline == scene.outline
    assert twice.objects[0].box == scene.objects[0].box
    assert np.array(twice.objects[0].covariance) == pytest.approx(
        np.array(scene.objects[0].covariance)
    )
    assert twice.camera.cam_T_world.rotation == pytest.approx(scene.camera.cam_T_world.rotation)


def test_the_mirror_swaps_sides_and_turns():
    scene = scene_of(CameraPose(1.5, 0.0, 0.0, 0.0))
    flip = mirrored(scene)
    assert flip.objects[0].heading == pytest.approx(-0.7)
    assert flip.objects[0].box == (490, 50, 540, 90)
    assert flip.axes["left"] == (0.0, 1.0)  # the viewer's left is the viewer's left
    area = sum(
        a[0] * b[1] - b[0] * a[1] for a, b in zip(flip.outline, flip.outline[1:] + flip.outline[:1])
    )
    assert area > 0  # still counter-clockwise
    assert mirrored(replace(scene, camera=None)).objects[0].box is None
    assert math.isclose(flip.objects[0].extent[0], 0.5)


def test_a_carried_table_stands_before_the_provided_camera_as_before_its_own():
    random = rng(8, "carried", 0)
    own = held(CameraPose(1.5, -0.2, 0.3, math.pi / 2), 640, 480, 500.0)
    there = held(CameraPose(1.5, -0.2, 0.3, -2.0), 640, 480, 500.0, (3.0, -1.0))
    states = tuple(
        ObjectState(
            {"name": {"chair": 1.0}},
            tuple(random.uniform((-1, 2, 0), (1, 5, 1)).tolist()),
            float(random.uniform(-3, 3)),
            (0.5, 0.4, 0.9),
            ((0.2, 0.05, 0.0), (0.05, 0.1, 0.0), (0.0, 0.0, 0.3)),
        )
        for _ in range(4)
    )
    scene = Scene(states, axes_from_front((0.0, 1.0)), "predicted", own)
    moved = carried(scene, there)
    assert np.allclose(moved.camera.cam_T_world.rotation, there.cam_T_world.rotation)
    assert np.allclose(moved.camera.position, there.position)
    assert np.allclose(moved.camera.project(moved.positions)[0], own.project(scene.positions)[0])
    assert np.allclose(
        np.linalg.eigvalsh(moved.objects[0].covariance), np.linalg.eigvalsh(states[0].covariance)
    )
    turn = camera_pose_of(there).azimuth - camera_pose_of(own).azimuth
    assert np.allclose(np.cos(moved.headings - scene.headings), math.cos(turn))
    back = carried(moved, own)
    assert np.allclose(back.positions, scene.positions)
