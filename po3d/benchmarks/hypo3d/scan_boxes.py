"""Conversion of a scanned room's boxes to a scene, and of surface colours to colour names.

Scans are in metres with z up; their origin is arbitrary and their walls have any angle. The scene
keeps the ground axes and has its floor at z = 0. The box axis closest to world z is the height; the
shorter of the other two is the depth, the longer one the width (scans do not annotate an object's
front). The heading is along the depth axis, toward the middle of the room, i.e. away from the wall
behind. Tilted boxes are set upright with unchanged lengths.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from po3d.io.errors import InputError
from po3d.scene.frames import axes_from_front
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.rooms import COLORS
from po3d.scene.table import ObjectState, Scene, sure

SHELL = ("floor", "wall", "ceiling")  # parts of the room itself, not objects
UNNAMED = ("", "remove", "unannotated")  # labels that annotators use for ignored segments
THINNEST = 0.01  # metres; minimum extent, so that a flat patch has a volume


class InstanceBox(NamedTuple):
    """An annotated instance, in the file's frame: metres, z up."""

    label: str
    centre: Array  # (3,)
    axes: Array  # (3, 3), the rows are the box's unit axes
    lengths: Array  # (3,) along those axes
    color: str | None = None

    @property
    def up(self) -> int:
        """Index in `axes` of the box axis that is closest to vertical."""
        return int(np.abs(self.axes[:, 2]).argmax())

    @property
    def level(self) -> tuple[int, int]:
        """Indices in `axes` of the two horizontal axes; the axis of the shorter side is first."""
        i, j = (self.up + 1) % 3, (self.up + 2) % 3
        i, j = min(i, j), max(i, j)
        return (i, j) if self.lengths[i] <= self.lengths[j] else (j, i)

    @property
    def area(self) -> float:
        """Area of the footprint, square metres."""
        i, j = self.level
        return float(self.lengths[i] * self.lengths[j])

    @property
    def bottom(self) -> float:
        return float(self.centre[2] - np.abs(self.axes[:, 2]) @ self.lengths / 2)

    def azimuth(self, axis: int) -> float:
        return math.atan2(self.axes[axis, 1], self.axes[axis, 0])

    def corners(self) -> Array:
        """Return the corners of the footprint, (4, 2), in no particular order."""
        i, j = self.level
        a, b = self.axes[i, :2] * self.lengths[i] / 2, self.axes[j, :2] * self.lengths[j] / 2
        return self.centre[:2] + np.array([a + b, a - b, -a - b, b - a])


def box(label: object, centre: object, axes: object, lengths: object, where: str) -> InstanceBox:
    """Return a validated Box; `axes` are 9 numbers, one axis after the other. An InputError names
    the field of `where`."""
    if not isinstance(label, str):
        raise InputError(f"{where}: 'label' should be a string, not {str(label)[:40]!r}")
    rows = numbers(axes, 9, where, "the axes").reshape(3, 3)
    if np.abs(rows @ rows.T - np.eye(3)).max() > 0.02:
        raise InputError(f"{where}: the axes are not orthonormal")
    size = numbers(lengths, 3, where, "the lengths")
    if size.min() < 0:
        raise InputError(f"{where}: a length is negative: {size.min():g}")
    name = " ".join(label.lower().split())
    return InstanceBox(name, numbers(centre, 3, where, "the centre"), rows, size)


def numbers(values: object, count: int, where: str, field: str) -> Array:
    """Validate a list or array of `count` finite numbers below 1e6 and return it as (count,); an
    InputError names the field."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    fits = isinstance(values, list | tuple) and len(values) == count
    if fits and all(isinstance(v, int | float) and abs(v) < 1e6 for v in values):
        return np.array(values, float)
    raise InputError(f"{where}: {field} should be {count} finite numbers, not {str(values)[:60]!r}")


def room(scene_id: str, boxes: Sequence[InstanceBox]) -> Scene:
    """Return the scene of a scanned room, source "gt", with the viewer looking along +y until a
    reference frame is set.

    Floor level is that of the largest floor instance, or the lowest bottom of all boxes. The
    outline is the rectangle around all floor instances, aligned with the largest; without a floor
    around the walls, else around all objects. Without any box it is None and the scene is empty.
    """
    floors, walls, things = [], [], []
    for box in boxes:
        if box.label not in SHELL + UNNAMED:
            things.append(box)
        elif box.label in ("floor", "wall"):
            (floors if box.label == "floor" else walls).append(box)
    if floors:
        ground = float(max(floors, key=lambda b: b.area).centre[2])
    else:
        ground = min([b.bottom for b in walls + things], default=0.0)
    around = floors or walls or things
    outline = _rectangle(around) if around else None
    middle = np.mean(outline, 0) if outline else np.zeros(2)
    objects = tuple(_state(b, ground, middle) for b in things)
    return Scene(objects, axes_from_front((0, 1)), "gt", image=scene_id, outline=outline)


def _state(b: InstanceBox, ground: float, middle: Array) -> ObjectState:
    depth, width = b.level
    heading = b.azimuth(depth)
    inwards = middle - b.centre[:2]
    if math.cos(heading) * inwards[0] + math.sin(heading) * inwards[1] < -1e-9:
        heading += math.pi
    x, y, z = map(float, b.centre)
    extent = tuple(np.maximum(b.lengths[[depth, width, b.up]], THINNEST).tolist())
    beliefs = sure(name=b.label) if b.color is None else sure(name=b.label, color=b.color)
    return ObjectState(beliefs, (x, y, z - ground), float(wrap_angle(heading)), extent)


def _rectangle(boxes: Sequence[InstanceBox]) -> tuple[tuple[float, float], ...]:
    """Return the corners of the rectangle around all footprints, counter-clockwise, aligned with
    the longer side of the largest."""
    widest = max(boxes, key=lambda b: math.hypot(*b.lengths[list(b.level)]))
    angle = widest.azimuth(widest.level[1]) % (math.pi / 2)
    u = np.array([math.cos(angle), math.sin(angle)])
    basis = np.array([u, [-u[1], u[0]]])
    inside = np.concatenate([b.corners() for b in boxes]) @ basis.T
    (a, b), (c, d) = inside.min(0), inside.max(0)
    corners = np.array([(a, b), (c, b), (c, d), (a, d)]) @ basis
    return tuple(map(tuple, corners.tolist()))


# --- colours --------------------------------------------------------------------------------------

# Reference sRGB values per colour: the colour's own patch in xkcd's colour survey (CC0), and those
# of its dull, dark, light ... variants that occur in scans of lit rooms; no light or dark grey,
# because scans do not reach white and black.
_PATCHES = {
    "white": "ffffff",
    "black": "000000",
    "gray": "929591 7d7f7c",
    "brown": "653700 ad8150 876e4b",
    "red": "e50000 bb3f3f 840000",
    "blue": "0343df 5a86ad 00035b 95d0fc",
    "pink": "ff81c0 d58a94 cb416b",
    "green": "15b01a 74a662 033500 96f97b 677a04",
    "yellow": "ffff14 d5b60a eedc5b",
    "orange": "f97306 c04e01 d8863b",
    "purple": "7e1e9c 825f87 35063e bf77f6",
    "beige": "e6daa6 d1b26f",
}
# IEC 61966-2-1
_RGB_TO_XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
)
_WHITE = _RGB_TO_XYZ.sum(1)  # D65


def lab(rgb: ArrayLike) -> Array:
    """Convert sRGB values (..., 3) in 0..255 to CIELAB (..., 3) under D65."""
    c = np.asarray(rgb, float) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    t = linear @ _RGB_TO_XYZ.T / _WHITE
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = np.moveaxis(f, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


_NAMES, _HEX = [], []
for _name in COLORS:
    for _patch in _PATCHES[_name].split():
        _NAMES.append(_name)
        _HEX.append(list(bytes.fromhex(_patch)))
_POINTS = lab(_HEX)


def color_name(rgb: ArrayLike) -> str:
    """Return the colour of rooms.COLORS whose patches are nearest to an sRGB value (3,) in 0..255
    by CIELAB distance."""
    return _NAMES[int(np.linalg.norm(_POINTS - lab(rgb), axis=1).argmin())]
