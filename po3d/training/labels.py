"""What the estimator is trained to say of an image, as fixed-size arrays made from a ground-truth scene."""

from typing import NamedTuple

import numpy as np

from po3d.geometry import box_corners, wrap_angle
from po3d.perception.estimator import viewing_azimuth
from po3d.scene import Scene
from po3d.street import HEIGHT, WIDTH
from po3d.vocabulary import COLORS, MATERIALS, SHAPES, SIZES

MAX_OBJECTS = 10  # of the benchmark's scenes
UNKNOWN = -1


class StreetLabels(NamedTuple):
    """Labels of one image, padded to MAX_OBJECTS rows; pixels are of the 640 x 480 picture."""

    present: np.ndarray  # (N,) bool
    points: np.ndarray  # (N, 9, 2) float32: the 3D box's corners and its centre
    shape: np.ndarray  # (N,) int64 indices; UNKNOWN where the data does not say
    color: np.ndarray
    size: np.ndarray
    material: np.ndarray
    alpha: np.ndarray  # (N,) float32: heading minus the nominal viewing ray's azimuth
    occluder: np.ndarray  # (N,) int64: dominant occluder, MAX_OBJECTS = not occluded, UNKNOWN


def street_labels(scene: Scene) -> StreetLabels:
    """The labels of a ground-truth street scene that knows its camera."""
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
    alpha = wrap_angle(scene.headings - viewing_azimuth(points[:, 8]))
    occluder = np.full(n, UNKNOWN)
    if scene.occluders is not None:
        occluder = np.array([max(b, key=b.__getitem__) if b else MAX_OBJECTS for b in scene.occluders])

    def index(attribute: str, values: tuple[str, ...]) -> np.ndarray:
        return np.array(
            [values.index(o.value(attribute)) if attribute in o.beliefs else UNKNOWN for o in scene.objects]
        )

    def pad(values: np.ndarray, dtype: type, fill: float = 0) -> np.ndarray:
        out = np.full((MAX_OBJECTS, *values.shape[1:]), fill, dtype)
        out[:n] = values
        return out

    return StreetLabels(
        pad(np.ones(n, bool), np.bool_),
        pad(points, np.float32),
        *(pad(index(a, v), np.int64, UNKNOWN) for a, v in
          (("shape", SHAPES), ("color", COLORS), ("size", SIZES), ("material", MATERIALS))),
        pad(alpha, np.float32),
        pad(occluder, np.int64, UNKNOWN),
    )  # fmt: skip
