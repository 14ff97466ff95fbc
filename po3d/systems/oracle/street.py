"""Scenes of streets with some modules replaced by ground truth, exact or noisy.

Vehicles stand on the ground; shape and size determine their boxes. The module "depth" moves an
object on the ground, radially from the camera; "occlusion" is the occluder, if both objects are in
the scene; "camera" is the camera with the viewer's axes. A missed object has an unknown pose.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from po3d.io.errors import InputError
from po3d.scene.geometry import Array, Camera, as_tuples
from po3d.scene.street import SPREAD, extent, origin_height
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import ATTRIBUTES, SHAPES
from po3d.systems.oracle import (
    SHARED,
    Module,
    OracleModules,
    SubstitutedRow,
    across_ray,
    attribute,
    axes_turned,
    placed,
    position,
    shifted,
)

# Variances of a uniform layout
_UNKNOWN_POSE = np.diag([SPREAD**2 / 3, SPREAD**2 / 3, math.pi**2 / 3])


def at_depth(position: Sequence[float], camera: Camera, depth: float) -> tuple[float, float, float]:
    """Move `position` on the ground along the line from the camera until it has that depth along
    the optical axis. The camera must not look straight down."""
    away = np.subtract(position, camera.position)[:2]
    away /= np.linalg.norm(away)
    deeper = camera.cam_T_world.rotation[2, :2] @ away  # gain in depth per unit of distance
    step = (depth - float(camera.project(position)[1])) / deeper
    return (
        float(position[0] + step * away[0]),
        float(position[1] + step * away[1]),
        float(position[2]),
    )


def _deeper(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    camera = scene.camera
    if camera is None:
        raise InputError("noise in depth needs the scene's camera")
    factors = 1 + sigma * random.normal(size=len(scene))
    moved = []
    for o, f in zip(scene.objects, factors.tolist()):
        moved.append(at_depth(o.position, camera, float(camera.project(o.position)[1]) * f))
    return placed(scene, np.reshape(moved, (-1, 3)))


def _occlusion(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """A changed object that was occluded becomes unoccluded; one that was not gets a random
    occluder."""
    n = len(scene)
    if scene.occluders is None or n < 2:
        return scene
    changed, other = random.random(n) < sigma, random.random(n)
    occluders = []
    for i, belief in enumerate(scene.occluders):
        if changed[i]:
            others = [*range(i), *range(i + 1, n)]
            belief = {} if belief else {others[int(other[i] * (n - 1))]: 1.0}
        occluders.append(belief)
    return replace(scene, occluders=tuple(occluders))


def _missed(
    beliefs: dict[str, dict[str, float]], name: str, here: Scene, draws: Array
) -> ObjectState:
    size = np.mean(
        list(itertools.starmap(extent, itertools.product(SHAPES, ATTRIBUTES["size"]))), axis=0
    )
    covariance = as_tuples(_UNKNOWN_POSE)
    return ObjectState(beliefs, (0.0, 0.0, 0.0), 0.0, tuple(size.tolist()), covariance, 0.5)


def _at_depth(state: ObjectState, here: Scene, gt: Scene, true: ObjectState) -> ObjectState:
    if here.camera is None or gt.camera is None:
        raise InputError("oracle=depth needs the camera of both scenes")
    position = at_depth(state.position, here.camera, float(gt.camera.project(true.position)[1]))
    ahead = np.subtract(state.position, here.camera.position)[:2]
    return replace(state, position=position, covariance=across_ray(state.covariance, ahead))


def _fitted(state: ObjectState, modules: Sequence[str]) -> ObjectState:
    """Return a vehicle whose extent and height of the origin follow from its shape and size, if one
    of them is among the replaced `modules`."""
    if not {"shape", "size"} & set(modules):
        return state
    shape, size = state.value("shape"), state.value("size")
    place = (*state.position[:2], origin_height(shape, size))
    return replace(state, extent=tuple(extent(shape, size).tolist()), position=place)


def _joined(
    here: Scene, gt: Scene, rows: Sequence[SubstitutedRow], modules: Sequence[str]
) -> Scene:
    objects = []
    for row in rows:
        state, true = row.state, None if row.true is None else gt.objects[row.true]
        if true is not None and {"shape", "size"} <= set(modules):
            place = (*state.position[:2], true.position[2])
            state = replace(state, extent=true.extent, position=place)
        objects.append(state if true is None else replace(state, name=true.name))
    occluders = _occluders(here, gt, rows, "occlusion" in modules)
    scene = replace(here, objects=tuple(objects), occluders=occluders)
    return replace(scene, camera=gt.camera, axes=gt.axes) if "camera" in modules else scene


def _occluders(
    predicted: Scene, gt: Scene, rows: Sequence[SubstitutedRow], truth: bool
) -> tuple[Mapping[int, float], ...] | None:
    """Return the occluder beliefs for the new rows; a row that was not detected is believed
    unoccluded."""
    if (gt if truth else predicted).occluders is None:
        return None
    now: tuple[dict, dict] = ({}, {})
    for k, row in enumerate(rows):
        now[0][row.predicted], now[1][row.true] = k, k
    result: list[Mapping[int, float]] = []
    for row in rows:
        side = int(truth and row.true is not None)
        occluders = (predicted, gt)[side].occluders
        belief = {} if row[side] is None or occluders is None else occluders[row[side]]
        moved = {}
        for j, p in belief.items():
            if j in now[side]:
                moved[now[side][j]] = p
        result.append(moved)
    return tuple(result)


STREET_TABLES = OracleModules(
    {
        **{name: attribute(name, values) for name, values in ATTRIBUTES.items()},
        "heading": SHARED["heading"],
        "position": position("scene units, each ground axis", shifted),
        "depth": Module("fraction of the depth", _deeper),
        "detection": SHARED["detection"],
        "occlusion": Module("fraction of occluders changed", _occlusion),
        "camera": Module("degrees of the viewer's axes", axes_turned),
        "parsing": SHARED["parsing"],
    },
    missed=_missed,
    at_depth=_at_depth,
    fitted=_fitted,
    joined=_joined,
)
