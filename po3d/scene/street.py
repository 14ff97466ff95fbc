"""Street scenes of Super-CLEVR and PulseCheck457: camera, axes and object frames.

Constants were measured on the released scenes (67 objects of 10 scenes: reprojection error 0.498
px, which is rounding).
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from po3d.scene.geometry import Array, Camera, look_at, wrap_angle
from po3d.scene.vocabulary import EXTENTS, ORIGIN_AHEAD, ORIGIN_HEIGHT, PARENT, SIZE_SCALE

WIDTH, HEIGHT = 640, 480
FOCAL = 700.0  # pixels: a 35 mm lens on a 32 mm sensor, 640 pixels wide
SHAPE_TOLERANCE = 0.02  # tolerance of an image's aspect ratio: 640 x 471 still counts as 4:3
# nominal; each image adds U(-0.5, 0.5) to every coordinate
CAMERA_POSITION = (7.48113, -6.50764, 5.34367)
CAMERA_JITTER = 0.5
SPREAD = 3.0  # objects are placed at x, y in U(-3, 3)

# Ground directions as stored by the benchmark, identical in every scene.
AXES: dict[str, tuple[float, float]] = {
    "right": (0.6563112735748291, 0.7544902563095093),
    "left": (-0.6563112735748291, -0.7544902563095093),
    "behind": (-0.7544902563095093, 0.6563112735748291),
    "front": (0.7544902563095093, -0.6563112735748291),
}


def camera(jitter: ArrayLike = (0.0, 0.0, 0.0)) -> Camera:
    """Return the benchmark's camera, displaced by `jitter` (3,) and aimed at the origin."""
    return Camera(
        WIDTH, HEIGHT, FOCAL, look_at(np.asarray(CAMERA_POSITION) + np.asarray(jitter), (0, 0, 0))
    )


def shape_note(sizes: Iterable[tuple[str, tuple[int, int]]]) -> str | None:
    """Return a warning about images (name, (width, height)) that are not 4:3; None if all are.

    All images of the benchmark are 4:3. The estimator treats others as stretched, which only some
    of them are.
    """
    other = []
    for name, (width, height) in sizes:
        if abs(width * HEIGHT / (height * WIDTH) - 1) > SHAPE_TOLERANCE:
            other.append((name, f"{width} x {height}"))
    if not other:
        return None
    (name, size), *more = other
    which = f"{len(other)} images are" if more else f"{name} is"
    size = f"{name}: {size}" if more else size
    return f"{which} not 4:3 ({size}); po3d assumes that such an image of a street was stretched"


def extent(shape: str, size: str) -> Array:
    """Return (3,) length, width, height in world units."""
    return np.array(EXTENTS[shape]) * SIZE_SCALE[size]


def origin_height(shape: str, size: str) -> float:
    """Return the height of an object's origin above the ground, given by shape and size."""
    return ORIGIN_HEIGHT[shape] * SIZE_SCALE[size]


def box_middle(
    shape: str, size: str, origin: tuple[float, float], heading: float
) -> tuple[float, float]:
    """Return the ground point below the centre of an official vehicle's box.

    Computed from the ground position of its origin and its heading.
    """
    ahead = ORIGIN_AHEAD[shape] * SIZE_SCALE[size]
    return origin[0] + ahead * math.cos(heading), origin[1] + ahead * math.sin(heading)


def heading_from_rotation(shape: str, rotation_deg: float) -> float:
    """Return the heading for a file's `rotation`. Local +y is the front, +x for bicycles."""
    nose = 0.0 if PARENT[shape] == "bicycle" else 90.0
    return float(wrap_angle(math.radians(rotation_deg + nose)))


def rotation_from_heading(shape: str, heading: float) -> float:
    """Return a scene file's `rotation` (degrees in [0, 360)) for a heading."""
    nose = 0.0 if PARENT[shape] == "bicycle" else 90.0
    return (math.degrees(heading) - nose) % 360.0
