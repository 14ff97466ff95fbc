"""The seam for ablations: named modules of perception replaced by ground truth, the rest as predicted."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from po3d.benchmarks.metrics import match
from po3d.io.errors import InputError
from po3d.scene.geometry import Array, Camera
from po3d.scene.street import SPREAD, extent, origin_height
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import ATTRIBUTES, SHAPES

MODULES = (*ATTRIBUTES, "heading", "position", "depth", "detection", "occlusion", "camera", "parsing")
_UNKNOWN_POSE = np.diag([SPREAD**2 / 3, SPREAD**2 / 3, math.pi**2 / 3])  # variances of the uniform layout


def substitute(predicted: Scene, gt: Scene, modules: Sequence[str]) -> Scene:
    """`predicted` with the named modules taken from `gt` on matched objects.

    detection: the rows are exactly the true ones, in their order: false positives vanish, and a missed
    object returns with prior beliefs in all that is not named. depth: the distance along the optical axis, reached
    on the ground straight away from the camera; position has it too. occlusion: who hides whom, as far as both are in the table.
    camera: the camera and the viewer's axes. With every module named the answers are
    exactly those of `gt`.
    """
    rows = paired(match(predicted, gt), predicted, gt, "detection" in modules)
    objects = []
    for i, j in rows:
        state = _prior() if i is None else predicted.objects[i]
        if i is not None and j is not None and "depth" in modules and "position" not in modules:
            state = _at_depth(state, predicted, gt, gt.objects[j])
        objects.append(state if j is None else _with_truth(state, gt.objects[j], modules))
    scene = replace(
        predicted, objects=tuple(objects), occluders=_occluders(predicted, gt, rows, "occlusion" in modules)
    )
    return replace(scene, camera=gt.camera, axes=gt.axes) if "camera" in modules else scene


def paired(
    true_of: Mapping[int, int], predicted: Scene, gt: Scene, detected: bool
) -> list[tuple[int | None, int | None]]:
    """(predicted row, true row) of each row of a mixed table, None for one without a match: the true rows when
    detection is true, else the predicted ones. `true_of`: the matches."""
    if detected:
        predicted_of = {j: i for i, j in true_of.items()}
        return [(predicted_of.get(j), j) for j in range(len(gt))]
    return [(i, true_of.get(i)) for i in range(len(predicted))]


def _with_truth(state: ObjectState, true: ObjectState, modules: Sequence[str]) -> ObjectState:
    named = {a: true.beliefs[a] for a in ATTRIBUTES if a in modules and a in true.beliefs}
    state = replace(state, beliefs={**state.beliefs, **named})
    if "shape" in named or "size" in named:
        state = fitted(state)
    if "shape" in named and "size" in named:
        state = replace(state, extent=true.extent, position=(*state.position[:2], true.position[2]))
    return replace(truly_posed(state, true, modules), name=true.name)


def fitted(state: ObjectState) -> ObjectState:
    """A vehicle with the box and the height of the origin that follow from its shape and size."""
    shape, size = state.value("shape"), state.value("size")
    place = (*state.position[:2], origin_height(shape, size))
    return replace(state, extent=tuple(extent(shape, size).tolist()), position=place)


def truly_posed(state: ObjectState, true: ObjectState, modules: Sequence[str]) -> ObjectState:
    """The state with position, heading and existence of the true one, as far as they are named; of what is true no doubt is left."""
    covariance = np.array(state.covariance, float)
    if "position" in modules:
        covariance[:2] = covariance[:, :2] = 0.0
        state = replace(state, position=true.position)
    if "heading" in modules:
        covariance[2] = covariance[:, 2] = 0.0
        state = replace(state, heading=true.heading, flip=0.0)
    if "detection" in modules:
        state = replace(state, existence=1.0, box=true.box)
    return replace(state, covariance=_rows(covariance))


def _at_depth(state: ObjectState, predicted: Scene, gt: Scene, true: ObjectState) -> ObjectState:
    """The object where its own ray has the true depth; its doubt across the ray stays."""
    if predicted.camera is None or gt.camera is None:
        raise InputError("oracle=depth needs the camera of both tables")
    position = at_depth(state.position, predicted.camera, float(gt.camera.project(true.position)[1]))
    ahead = np.subtract(state.position, predicted.camera.position)[:2]
    return replace(state, position=position, covariance=across_ray(state.covariance, ahead))


def across_ray(covariance: Sequence[Sequence[float]], ahead: Array) -> tuple[tuple[float, ...], ...]:
    """A covariance (3, 3) without what lies along the way `ahead` (2,) on the ground; all of it where there is no way."""
    across = np.eye(3)
    if (square := float(ahead @ ahead)) > 0:
        across[:2, :2] -= np.outer(ahead, ahead) / square
    return _rows(across @ np.array(covariance, float) @ across)


def _rows(matrix: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, matrix.tolist()))


def at_depth(position: Sequence[float], camera: Camera, depth: float) -> tuple[float, float, float]:
    """`position` moved on the ground, toward the camera or away from it, until it has that depth along the optical
    axis. The camera should not look straight down."""
    away = np.subtract(position, camera.position)[:2]
    away /= np.linalg.norm(away)
    deeper = camera.cam_T_world.rotation[2, :2] @ away  # depth gained by a step away
    step = (depth - float(camera.project(position)[1])) / deeper
    return float(position[0] + step * away[0]), float(position[1] + step * away[1]), float(position[2])


def _prior() -> ObjectState:
    """An object of which nothing is known but that it exists."""
    beliefs = {a: dict.fromkeys(values, 1 / len(values)) for a, values in ATTRIBUTES.items()}
    size = np.mean([extent(shape, scale) for shape in SHAPES for scale in ATTRIBUTES["size"]], axis=0)
    return ObjectState(beliefs, (0.0, 0.0, 0.0), 0.0, tuple(size.tolist()), _rows(_UNKNOWN_POSE), 0.5)


def _occluders(
    predicted: Scene, gt: Scene, rows: Sequence[tuple[int | None, int | None]], truth: bool
) -> tuple[Mapping[int, float], ...] | None:
    """Occluder beliefs on the new rows; a row that was never seen is believed unoccluded."""
    if (gt if truth else predicted).occluders is None:
        return None
    new_of_predicted = {i: k for k, (i, _) in enumerate(rows) if i is not None}
    new_of_true = {j: k for k, (_, j) in enumerate(rows) if j is not None}
    result: list[Mapping[int, float]] = []
    for i, j in rows:
        if truth and j is not None:
            belief, index = gt.occluders[j], new_of_true  # type: ignore[index]
        elif i is not None and predicted.occluders is not None:
            belief, index = predicted.occluders[i], new_of_predicted
        else:
            belief, index = {}, {}
        result.append({index[k]: p for k, p in belief.items() if k in index})
    return tuple(result)
