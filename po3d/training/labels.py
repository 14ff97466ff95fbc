"""Training targets of the estimators: fixed-size arrays computed from a ground-truth scene."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch

from po3d.perception import top_view
from po3d.perception.flip_tta import SWAPPED
from po3d.perception.street import viewing_azimuth
from po3d.scene.geometry import box_corners, wrap_angle
from po3d.scene.rooms import category_of
from po3d.scene.street import HEIGHT, WIDTH
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import ATTRIBUTES

MAX_OBJECTS = 10  # size of the benchmark's scenes
UNKNOWN = -1
# kind of an array's type -> type and padding of its column
PADDING = {"b": (np.bool_, False), "i": (np.int64, UNKNOWN), "f": (np.float32, 0)}


class StreetLabels(NamedTuple):
    """Labels of one image, padded to MAX_OBJECTS rows; pixels refer to the 640 x 480 picture."""

    present: np.ndarray  # (N,) bool
    points: np.ndarray  # (N, 9, 2) float32: the 3D box's corners and its centre
    shape: np.ndarray  # (N,) int64 indices; UNKNOWN where the data has no label
    color: np.ndarray
    size: np.ndarray
    material: np.ndarray
    alpha: np.ndarray  # (N,) float32: heading minus the azimuth of the nominal viewing ray
    occluder: np.ndarray  # (N,) int64: dominant occluder, MAX_OBJECTS = not occluded, UNKNOWN


def street_labels(scene: Scene) -> StreetLabels:
    """Return the labels of a ground-truth street scene with a camera."""
    if scene.camera is None or (scene.camera.width, scene.camera.height) != (WIDTH, HEIGHT):
        raise ValueError(f"street labels need the scene's {WIDTH} x {HEIGHT} camera")
    n = len(scene)
    if n > MAX_OBJECTS:
        raise ValueError(
            f"scene {scene.image} has {n} objects; the network is trained on at most {MAX_OBJECTS}"
        )
    corners = box_corners(scene.positions, scene.headings, scene.extents)
    centre = scene.positions.copy()
    centre[:, 2] = scene.extents[:, 2] / 2
    points = scene.camera.project(np.concatenate([corners, centre[:, None]], 1))[0]
    alpha = wrap_angle(scene.headings - viewing_azimuth(torch.from_numpy(points[:, 8])).numpy())
    occluder = np.full(n, UNKNOWN)
    for i, belief in enumerate(scene.occluders or ()):
        occluder[i] = max(belief, key=belief.__getitem__) if belief else MAX_OBJECTS

    columns = padded(
        MAX_OBJECTS, present=np.ones(n, bool), points=points, alpha=alpha, occluder=occluder
    )
    return StreetLabels(**columns, **has_labels(scene.objects, ATTRIBUTES, MAX_OBJECTS))


def mirrored_street(labels: StreetLabels) -> StreetLabels:
    """Return the labels of the horizontally flipped picture."""
    alpha = wrap_angle(-labels.alpha).astype(np.float32)
    return labels._replace(points=mirrored_points(labels.points, WIDTH), alpha=alpha)


def mirrored_points(points: np.ndarray, width: int) -> np.ndarray:
    """Flip corners and centres (N, 9, 2) of boxes horizontally in a picture of `width`."""
    return points[:, SWAPPED] * np.float32([-1, 1]) + np.float32([width, 0])


def has_labels(
    states: Sequence[ObjectState], attributes: Mapping[str, Sequence[str]], rows: int
) -> dict[str, np.ndarray]:
    """Return, for each attribute, a column with the index of every object's value, padded to
    `rows`; UNKNOWN where the scene has no value or one outside the vocabulary."""
    columns = {}
    for attribute, values in attributes.items():
        columns[attribute] = column = np.full(len(states), UNKNOWN)
        for i, state in enumerate(states):
            if attribute in state.beliefs and state.value(attribute) in values:
                column[i] = values.index(state.value(attribute))
    return padded(rows, **columns)


def padded(rows: int, **columns: np.ndarray) -> dict[str, np.ndarray]:
    """Return label columns padded to `rows`. Padded sizes are 1, so that their logarithm is
    finite."""
    padded_columns = {}
    for name, values in columns.items():
        dtype, fill = PADDING[values.dtype.kind]
        fill = 1 if name == "extent" else fill
        padded_columns[name] = np.full((rows, *values.shape[1:]), fill, dtype)
        padded_columns[name][: len(values)] = values
    return padded_columns


ROOM_OBJECTS = 64  # largest number of objects in a room
LEAST_VISIBLE = 0.1  # smallest visible fraction of an object that the network is trained to detect


class RoomLabels(NamedTuple):
    """Labels of one top view, padded to ROOM_OBJECTS rows; pixels refer to a picture of
    top_view.WIDTH."""

    present: np.ndarray  # (N,) bool
    points: np.ndarray  # (N, 9, 2) float32: the 3D box's corners and its centre
    name: np.ndarray  # (N,) int64 indices; UNKNOWN where the scene has no value
    color: np.ndarray
    material: np.ndarray
    alpha: np.ndarray  # (N,) float32: heading in the map's axes
    extent: np.ndarray  # (N, 3) float32 metres
    # (N,) int64 layer of the dense outputs: 1 for objects on, under or above others
    layer: np.ndarray


def room_labels(scene: Scene, observed: Sequence[float]) -> RoomLabels:
    """Return the labels of a ground-truth room with a top camera; `observed`: visible fraction of
    each object."""
    if scene.camera is None:
        raise ValueError(f"room labels need the camera of {scene.image}")
    rows = np.flatnonzero(np.array(observed) >= LEAST_VISIBLE)[:ROOM_OBJECTS].tolist()
    states = [scene.objects[i] for i in rows]
    positions, headings, extents = scene.positions[rows], scene.headings[rows], scene.extents[rows]
    bottom = positions - extents * (0, 0, 0.5)
    corners = box_corners(bottom, headings, extents)
    camera = scene.camera.resized(top_view.WIDTH, top_view.WIDTH)
    points = camera.project(np.concatenate([corners, positions[:, None]], 1))[0]

    layer = np.array([_layer(state.value("name")) for state in states], int)
    columns = padded(
        ROOM_OBJECTS,
        present=np.ones(len(rows), bool),
        points=points,
        alpha=headings,
        extent=extents,
        layer=layer,
    )
    return RoomLabels(**columns, **has_labels(states, top_view.ATTRIBUTES, ROOM_OBJECTS))


def _layer(name: str) -> int:
    """Return layer 0 for objects on the floor, 1 for objects that share their place on the map with
    one: a lamp on a nightstand, a picture above a bed, a rug under a table."""
    category = category_of(name)
    return int(category is not None and category.stands in ("top", "wall", "flat"))


def quarter_turned(labels: RoomLabels, quarters: int) -> RoomLabels:
    """Return the labels of the picture after counter-clockwise quarter turns (np.rot90)."""
    points = labels.points
    for _ in range(quarters % 4):
        points = np.stack([points[..., 1], top_view.WIDTH - points[..., 0]], -1)
    alpha = wrap_angle(labels.alpha + quarters * np.pi / 2).astype(np.float32)
    return labels._replace(points=points, alpha=alpha)
