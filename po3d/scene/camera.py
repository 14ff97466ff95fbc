"""How a camera is held: its height, pitch and roll, and the mirror image of what it sees.

World and camera as in `po3d.scene.geometry`: gravity pulls along -z. Pitch is the angle of the optical axis above the
horizon (negative: looking down), roll the camera's turn about its axis, clockwise as the photographer sees it; then
the horizon of the picture turns counter-clockwise. Radians.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from po3d.scene.geometry import Camera, Pose, as_tuples, rotation_z, wrap_angle
from po3d.scene.table import ObjectState, Scene


class Hold(NamedTuple):
    """How a camera is held. Metres above the ground; radians."""

    height: float
    pitch: float
    roll: float
    azimuth: float  # where it looks, counter-clockwise from world +x seen from above


def held(
    hold: Hold, width: int, height: int, focal: float, ground: tuple[float, float] = (0.0, 0.0)
) -> Camera:
    """The camera that stands over the point `ground` (x, y) and is held so. `focal` in pixels."""
    cp, sp = math.cos(hold.pitch), math.sin(hold.pitch)
    ca, sa = math.cos(hold.azimuth), math.sin(hold.azimuth)
    forward = np.array([cp * ca, cp * sa, sp])
    right = np.array([sa, -ca, 0.0])
    down = np.cross(forward, right)
    c, s = math.cos(hold.roll), math.sin(hold.roll)
    rotation = np.stack([c * right + s * down, c * down - s * right, forward])
    eye = np.array([*ground, hold.height])
    return Camera(width, height, focal, Pose(rotation, -rotation @ eye))


def hold_of(camera: Camera) -> Hold:
    """How a camera is held: the inverse of `held`. Roll and azimuth are meaningless when it looks straight up or
    down."""
    right, _, forward = camera.cam_T_world.rotation
    level = np.array([forward[1], -forward[0], 0.0])  # to the right of where it looks
    level /= max(float(np.linalg.norm(level)), 1e-12)
    low = np.cross(forward, level)
    return Hold(
        float(camera.position[2]),
        math.asin(float(np.clip(forward[2], -1, 1))),
        math.atan2(float(right @ low), float(right @ level)),
        math.atan2(float(forward[1]), float(forward[0])),
    )


def carried(scene: Scene, camera: Camera) -> Scene:
    """The table turned about the vertical and shifted over the ground so that its own camera stands where `camera`
    stands and looks the same way: for tables whose world is only that of their camera."""
    if scene.camera is None:
        return scene
    turn = hold_of(camera).azimuth - hold_of(scene.camera).azimuth
    spin = rotation_z(turn)
    offset = camera.position - spin @ scene.camera.position
    offset[2] = 0.0
    rotation = scene.camera.cam_T_world.rotation @ spin.T
    eye = spin @ scene.camera.position + offset
    axes = {name: tuple((spin[:2, :2] @ np.array(axis)).tolist()) for name, axis in scene.axes.items()}
    pose, carry = Pose(rotation, -rotation @ eye), Pose(spin, offset)
    objects = tuple(transformed(o, carry, float(wrap_angle(o.heading + turn))) for o in scene.objects)
    outline = None
    if scene.outline is not None:
        outline = as_tuples(np.array(scene.outline) @ spin[:2, :2].T + offset[:2])
    placed = replace(scene.camera, cam_T_world=pose)
    return replace(scene, objects=objects, axes=axes, camera=placed, outline=outline)


def reheld(scene: Scene, camera: Camera) -> Scene:
    """The table when its camera is held as `camera` is: all things keep their places before the camera, and what is up and
    how high they stand follows from it. Boxes stay upright."""
    if scene.camera is None:
        return scene
    move = camera.cam_T_world.inverse() @ scene.camera.cam_T_world
    flat = move.rotation[:2, :2]
    noses = [flat @ (math.cos(o.heading), math.sin(o.heading)) for o in scene.objects]
    objects = tuple(transformed(o, move, math.atan2(y, x)) for o, (x, y) in zip(scene.objects, noses))
    turned = {name: flat @ np.array(axis) for name, axis in scene.axes.items()}
    axes = {name: tuple((axis / np.linalg.norm(axis)).tolist()) for name, axis in turned.items()}
    outline = None
    if scene.outline is not None:
        outline = tuple(tuple(move.transform((*corner, 0.0))[:2].tolist()) for corner in scene.outline)
    return replace(scene, objects=objects, axes=axes, camera=camera, outline=outline)


def transformed(o: ObjectState, move: Pose, heading: float) -> ObjectState:
    """A thing in another world, with its heading there; its box stays upright."""
    flat, covariance = move.rotation[:2, :2], np.array(o.covariance, float)
    covariance[:2] = flat @ covariance[:2]
    covariance[:, :2] = covariance[:, :2] @ flat.T
    place = tuple(move.transform(o.position).tolist())
    return replace(o, position=place, heading=heading, covariance=as_tuples(covariance))


_FLIP = np.diag([-1.0, 1.0, 1.0])  # of the picture
_MIRROR = np.diag([1.0, -1.0, 1.0])  # of the world: left and right change places, up stays up


def mirrored(scene: Scene) -> Scene:
    """The table of the mirror image: the world reflected at y = 0, seen by the camera that then gives the picture
    flipped from left to right. Twice gives the scene back."""
    camera = scene.camera
    if camera is not None:
        pose = Pose(_FLIP @ camera.cam_T_world.rotation @ _MIRROR, _FLIP @ camera.cam_T_world.translation)
        cx, cy = camera.principal
        center = None if camera.center is None else (camera.width - cx, cy)
        camera = replace(camera, cam_T_world=pose, center=center)
    swap = {"left": "right", "right": "left"}
    axes = {swap.get(name, name): (x, -y) for name, (x, y) in scene.axes.items()}
    width = None if camera is None else camera.width
    outline = None if scene.outline is None else tuple((x, -y) for x, y in reversed(scene.outline))
    objects = tuple(_mirrored(o, width) for o in scene.objects)
    return replace(scene, objects=objects, axes=axes, camera=camera, outline=outline)


def _mirrored(o: ObjectState, width: int | None) -> ObjectState:
    signs = np.array([1.0, -1.0, -1.0])  # of x, y and heading
    covariance = np.array(o.covariance) * np.outer(signs, signs)
    box = o.box
    if box is not None:
        box = None if width is None else (width - box[2], box[1], width - box[0], box[3])
    return replace(
        o,
        position=(o.position[0], -o.position[1], o.position[2]),
        heading=float(wrap_angle(-o.heading)),
        covariance=as_tuples(covariance),
        box=box,
    )
