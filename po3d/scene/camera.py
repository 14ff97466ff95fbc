"""Camera orientation (height, pitch, roll), changes of world frame, and mirrored scenes.

World and camera frames as in `po3d.scene.geometry`; gravity points along -z. Pitch is the
elevation of the optical axis (negative: downwards). Roll is the rotation of the camera about its
optical axis, clockwise from behind the camera; the horizon in the image then turns
counter-clockwise. Radians.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from po3d.scene.geometry import Camera, Pose, as_tuples, rotation_z, wrap_angle
from po3d.scene.table import ObjectState, Scene


class CameraPose(NamedTuple):
    """Height above the ground (metres) and orientation (radians) of a camera."""

    height: float
    pitch: float
    roll: float
    azimuth: float  # azimuth of the optical axis, counter-clockwise from world +x seen from above


def held(
    hold: CameraPose,
    width: int,
    height: int,
    focal: float,
    ground: tuple[float, float] = (0.0, 0.0),
) -> Camera:
    """Return the camera above ground point `ground` (x, y) in this pose. `focal` in pixels."""
    cp, sp = math.cos(hold.pitch), math.sin(hold.pitch)
    ca, sa = math.cos(hold.azimuth), math.sin(hold.azimuth)
    forward = np.array([cp * ca, cp * sa, sp])
    right = np.array([sa, -ca, 0.0])
    down = np.cross(forward, right)
    c, s = math.cos(hold.roll), math.sin(hold.roll)
    rotation = np.stack([c * right + s * down, c * down - s * right, forward])
    eye = np.array([*ground, hold.height])
    return Camera(width, height, focal, Pose(rotation, -rotation @ eye))


def camera_pose_of(camera: Camera) -> CameraPose:
    """Return the height and orientation of a camera: the inverse of `held`.

    Roll and azimuth are undefined for a camera aimed straight up or down.
    """
    right, _, forward = camera.cam_T_world.rotation
    # horizontal, to the right of the viewing direction
    level = np.array([forward[1], -forward[0], 0.0])
    level /= max(float(np.linalg.norm(level)), 1e-12)
    low = np.cross(forward, level)
    return CameraPose(
        float(camera.position[2]),
        math.asin(float(np.clip(forward[2], -1, 1))),
        math.atan2(float(right @ low), float(right @ level)),
        math.atan2(float(forward[1]), float(forward[0])),
    )


def carried(scene: Scene, camera: Camera) -> Scene:
    """Return the table moved on the ground so that its camera has `camera`'s place and azimuth.

    For tables whose world frame is defined only by their own camera.
    """
    if scene.camera is None:
        return scene
    turn = camera_pose_of(camera).azimuth - camera_pose_of(scene.camera).azimuth
    spin = rotation_z(turn)
    offset = camera.position - spin @ scene.camera.position
    offset[2] = 0.0
    rotation = scene.camera.cam_T_world.rotation @ spin.T
    eye = spin @ scene.camera.position + offset
    axes, objects = {}, []
    for name, axis in scene.axes.items():
        axes[name] = tuple((spin[:2, :2] @ np.array(axis)).tolist())
    pose, carry = Pose(rotation, -rotation @ eye), Pose(spin, offset)
    for o in scene.objects:
        objects.append(transformed(o, carry, float(wrap_angle(o.heading + turn))))
    outline = None
    if scene.outline is not None:
        outline = as_tuples(np.array(scene.outline) @ spin[:2, :2].T + offset[:2])
    placed = replace(scene.camera, cam_T_world=pose)
    return replace(scene, objects=tuple(objects), axes=axes, camera=placed, outline=outline)


def reheld(scene: Scene, camera: Camera) -> Scene:
    """Return the table for a corrected camera pose.

    All objects keep their positions in the camera frame; the up direction and the heights follow
    from the new camera. Boxes stay upright.
    """
    if scene.camera is None:
        return scene
    move = camera.cam_T_world.inverse() @ scene.camera.cam_T_world
    flat, objects, axes, outline = move.rotation[:2, :2], [], {}, None
    for o in scene.objects:
        x, y = flat @ (math.cos(o.heading), math.sin(o.heading))
        objects.append(transformed(o, move, math.atan2(y, x)))
    for name, axis in scene.axes.items():
        turned = flat @ np.array(axis)
        axes[name] = tuple((turned / np.linalg.norm(turned)).tolist())
    if scene.outline is not None:
        outline = tuple(tuple(move.transform((*c, 0.0))[:2].tolist()) for c in scene.outline)
    return replace(scene, objects=tuple(objects), axes=axes, camera=camera, outline=outline)


def transformed(o: ObjectState, move: Pose, heading: float) -> ObjectState:
    """Return an object in another world frame with a new heading; its box stays upright."""
    flat, covariance = move.rotation[:2, :2], np.array(o.covariance, float)
    covariance[:2] = flat @ covariance[:2]
    covariance[:, :2] = covariance[:, :2] @ flat.T
    place = tuple(move.transform(o.position).tolist())
    return replace(o, position=place, heading=heading, covariance=as_tuples(covariance))


_FLIP = np.diag([-1.0, 1.0, 1.0])  # mirrors the image
_MIRROR = np.diag([1.0, -1.0, 1.0])  # mirrors the world: swaps left and right, keeps up


def mirrored(scene: Scene) -> Scene:
    """Return the scene of the mirrored image.

    The world is reflected at y = 0, and the camera is the one whose image is flipped
    horizontally. Applying it twice gives the scene back.
    """
    camera = scene.camera
    if camera is not None:
        old = camera.cam_T_world
        pose = Pose(_FLIP @ old.rotation @ _MIRROR, _FLIP @ old.translation)
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
    x, y, z = o.position
    heading, spread = float(wrap_angle(-o.heading)), as_tuples(covariance)
    return replace(o, position=(x, -y, z), heading=heading, covariance=spread, box=box)
