"""Scenes of images with some modules replaced by ground truth, exact or noisy (3DSRBench, SCOPE).

Each view has a camera of its own; units are metres.

A predicted scene has its own world frame, so it is first transformed such that its camera coincides
with the true one in position and heading, which an image does not determine. The remaining modules
are

    camera      pitch, roll and height; if true, objects keep their places relative to the camera
    position    the centres of the boxes
    depth       distance of a centre along its ray; position includes it
    size        of boxes, with their centres kept

Rows are paired by their places relative to the camera and their names
(`po3d.benchmarks.metrics.match_in_view`), always as predicted, so every subset of modules has the
same pairs. The module "shape" is the name. A missed object has the usual size of its name and a
random position among the other objects. InputError for a scene without a camera.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from po3d.benchmarks.metrics import match_in_view
from po3d.io.errors import InputError
from po3d.perception.room_furnishing import usual
from po3d.scene.camera import camera_pose_of, carried, held, reheld
from po3d.scene.fusion import Fused, ViewTable, joined
from po3d.scene.geometry import Array, Camera, as_tuples
from po3d.scene.orbit import sense_of
from po3d.scene.registration import RegisteredView, rotation
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS
from po3d.scene.table import ObjectState, Scene
from po3d.synthesis.multi_view.catalogue import things
from po3d.systems.oracle import (
    SHARED,
    Module,
    OracleModules,
    SubstitutedScene,
    across_ray,
    attribute,
    placed,
    position,
    resized,
    somewhere,
)


def _moved(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    return placed(scene, scene.positions + sigma * random.normal(size=(len(scene), 3)))


def _deeper(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    eye = _camera(scene).position
    return placed(
        scene, eye + (scene.positions - eye) * (1 + sigma * random.normal(size=(len(scene), 1)))
    )


def _tilted(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """Return the scene as estimated from a camera whose pitch and roll have errors."""
    pitch, roll = math.radians(sigma) * random.normal(size=2)
    camera = _camera(scene)
    hold = camera_pose_of(camera)
    hold = hold._replace(pitch=hold.pitch + pitch, roll=hold.roll + roll)
    ground = tuple(camera.position[:2].tolist())
    pose = held(hold, camera.width, camera.height, camera.focal, ground).cam_T_world
    return reheld(scene, replace(camera, cam_T_world=pose))


def _paired(predicted: Scene, gt: Scene, modules: Sequence[str]) -> tuple[Scene, Mapping[int, int]]:
    if predicted.camera is None or gt.camera is None:
        raise InputError(
            f"the scene of {predicted.image or 'an image'} has no camera, so it "
            "cannot be compared with ground truth"
        )
    here = carried(predicted, gt.camera)
    before_camera = reheld(here, gt.camera)
    matches = match_in_view(before_camera, gt, gt.camera.position)
    return (replace(before_camera, axes=gt.axes) if "camera" in modules else here), matches


def _missed(
    beliefs: dict[str, dict[str, float]], name: str, here: Scene, draws: Array
) -> ObjectState:
    places = here.positions[:, :2] if len(here) else _camera(here).position[None, :2]
    size = usual(name)[0] if name in CATEGORIES or name not in things() else things()[name].extent
    variances = np.diag([*(np.maximum(np.ptp(places, 0), 1e-3) ** 2 / 12), math.pi**2 / 3])
    state = somewhere(beliefs, size, places, draws)
    return replace(state, covariance=as_tuples(variances), flip=0.5)


def _at_depth(state: ObjectState, here: Scene, gt: Scene, true: ObjectState) -> ObjectState:
    eye, was = here.camera.position, float(here.camera.project(state.position)[1])
    if was <= 0:  # behind the camera, where it has no ray
        return state
    away = np.subtract(state.position, eye)
    there = tuple((eye + away * float(gt.camera.project(true.position)[1]) / was).tolist())
    return replace(state, position=there, covariance=across_ray(state.covariance, away[:2]))


def truly_fused(
    tables: Sequence[SubstitutedScene], true: Sequence[Scene], angles: Sequence[float], whole: Scene
) -> Fused:
    """Fuse the views of one orbit with true relative poses and true identities; the world is that
    of the first view.

    `true`: the true scene of each view, in a world with the orbit's centre as origin and the camera
    at -y. `angles`: of the cameras, in degrees. `whole`: the scene of all objects, in the world of
    the camera at 0 degrees."""
    yaws = [sense_of(whole.axes) * math.radians(angle) for angle in angles]
    placed = [RegisteredView(yaw - yaws[0], (0.0, 0.0), {}, 0.0) for yaw in yaws]
    groups: dict[object, list[tuple[int, int]]] = {}
    for view, (mixed, true_scene, yaw) in enumerate(zip(tables, true, yaws, strict=True)):
        there = true_scene.positions[:, :2] @ rotation(yaw).T
        away = np.linalg.norm(there[:, None] - whole.positions[None, :, :2], axis=-1)
        for row, j in enumerate(mixed.rows):
            key = (view, row) if j is None else int(away[j].argmin())
            groups.setdefault(key, []).append((view, row))
    return joined([ViewTable(m.scene) for m in tables], placed, list(groups.values()))


def _camera(scene: Scene) -> Camera:
    if scene.camera is None:
        raise InputError("the scene has no camera")
    return scene.camera


VIEW_TABLES = OracleModules(
    {
        "detection": SHARED["detection"],
        "shape": attribute("name", sorted({*CATEGORIES, *things()}), "fraction of names changed"),
        "color": attribute("color", COLORS),
        "material": attribute("material", MATERIALS),
        "size": Module("logarithm of each length", resized, fields=("extent",)),
        "position": position("metres, each axis", _moved),
        "depth": Module("fraction of the depth", _deeper),
        "heading": SHARED["heading"],
        "camera": Module("degrees of pitch and of roll", _tilted),
        "parsing": Module("fraction of texts not read", of_scene=False),
    },
    missed=_missed,
    at_depth=_at_depth,
    paired=_paired,
)
