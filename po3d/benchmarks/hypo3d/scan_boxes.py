"""Boxes of a scanned room to its scene table; colours of scanned surfaces to words.

Scans come in metres with z up; their origin is anywhere and their walls at any angle. The table keeps the ground axes
and puts the floor at z = 0. Of the box axes, the one closest to world z is the height; the shorter of the others is
the depth, the longer the width (scans don't tell a thing's front). The heading is the depth axis, in the sense that
points to the middle of the room: away from the wall behind. A tilted box is set upright, its lengths unchanged.
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

SHELL = ("floor", "wall", "ceiling")  # of the room itself, no objects
UNNAMED = ("", "remove", "unannotated")  # what annotators set aside, not the name of a thing
THINNEST = 0.01  # metres; a flat patch of a scan still is a thing with a volume


class Box(NamedTuple):
    """An annotated instance, in the file's world: metres, z up."""

    label: str
    centre: Array  # (3,)
    axes: Array  # (3, 3) unit rows: the box's axes
    lengths: Array  # (3,) along those axes
    color: str | None = None

    @property
    def up(self) -> int:
        """The axis closest to world z."""
        return int(np.abs(self.axes[:, 2]).argmax())

    @property
    def level(self) -> tuple[int, int]:
        """The other two, the shorter first."""
        i, j = (k for k in range(3) if k != self.up)
        return (i, j) if self.lengths[i] <= self.lengths[j] else (j, i)

    @property
    def area(self) -> float:
        """Of the footprint, square metres."""
        i, j = self.level
        return float(self.lengths[i] * self.lengths[j])

    @property
    def bottom(self) -> float:
        return float(self.centre[2] - np.abs(self.axes[:, 2]) @ self.lengths / 2)

    def azimuth(self, axis: int) -> float:
        return math.atan2(self.axes[axis, 1], self.axes[axis, 0])

    def corners(self) -> Array:
        """(4, 2) of the footprint, in no particular order."""
        i, j = self.level
        a, b = (self.axes[k, :2] * self.lengths[k] / 2 for k in (i, j))
        return self.centre[:2] + np.array([a + b, a - b, -a - b, b - a])


def box(label: object, centre: object, axes: object, lengths: object, where: str) -> Box:
    """A checked Box; `axes` are 9 numbers, an axis after the other. InputError names the field of `where`."""
    if not isinstance(label, str):
        raise InputError(f"{where}: 'label' should be a text, not {str(label)[:40]!r}")
    rows = numbers(axes, 9, where, "the axes").reshape(3, 3)
    if np.abs(rows @ rows.T - np.eye(3)).max() > 0.02:
        raise InputError(f"{where}: the axes are not of length 1 and at right angles")
    size = numbers(lengths, 3, where, "the lengths")
    if size.min() < 0:
        raise InputError(f"{where}: a length is negative: {size.min():g}")
    name = " ".join(label.lower().split())
    return Box(name, numbers(centre, 3, where, "the centre"), rows, size)


def numbers(values: object, count: int, where: str, field: str) -> Array:
    """(count,) finite numbers of a list or array, no larger than rooms have; InputError names the field."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    fits = isinstance(values, list | tuple) and len(values) == count
    if fits and all(isinstance(v, int | float) and abs(v) < 1e6 for v in values):
        return np.array(values, float)
    raise InputError(f"{where}: {field} should be {count} finite numbers, not {str(values)[:60]!r}")


def room(scene_id: str, boxes: Sequence[Box]) -> Scene:
    """The table of a scanned room, source "gt", its viewer looking along +y until a frame says otherwise.

    The floor's level is that of its largest instance; without a floor, that of the lowest bottom. The outline is the
    rectangle around all instances of the floor, turned as the largest; without a floor around the walls, else around
    all. It is None, and the table empty, when there is nothing.
    """
    shell = {kind: [b for b in boxes if b.label == kind] for kind in SHELL}
    things = [b for b in boxes if b.label not in SHELL + UNNAMED]
    if shell["floor"]:
        ground = float(max(shell["floor"], key=lambda b: b.area).centre[2])
    else:
        ground = min((b.bottom for b in [*shell["wall"], *things]), default=0.0)
    around = shell["floor"] or shell["wall"] or things
    outline = _rectangle(around) if around else None
    middle = np.mean(outline, 0) if outline else np.zeros(2)
    objects = tuple(_state(b, ground, middle) for b in things)
    return Scene(objects, axes_from_front((0, 1)), "gt", image=scene_id, outline=outline)


def _state(b: Box, ground: float, middle: Array) -> ObjectState:
    depth, width = b.level
    heading = b.azimuth(depth)
    inwards = middle - b.centre[:2]
    if math.cos(heading) * inwards[0] + math.sin(heading) * inwards[1] < -1e-9:
        heading += math.pi
    x, y, z = map(float, b.centre)
    extent = tuple(max(float(b.lengths[k]), THINNEST) for k in (depth, width, b.up))
    beliefs = sure(name=b.label) if b.color is None else sure(name=b.label, color=b.color)
    return ObjectState(beliefs, (x, y, z - ground), float(wrap_angle(heading)), extent)


def _rectangle(boxes: Sequence[Box]) -> tuple[tuple[float, float], ...]:
    """Four corners around all footprints, counter-clockwise, turned as the longer side of the largest."""
    widest = max(boxes, key=lambda b: math.hypot(*(b.lengths[k] for k in b.level)))
    angle = widest.azimuth(widest.level[1]) % (math.pi / 2)
    u = np.array([math.cos(angle), math.sin(angle)])
    basis = np.array([u, [-u[1], u[0]]])
    inside = np.concatenate([b.corners() for b in boxes]) @ basis.T
    (a, b), (c, d) = inside.min(0), inside.max(0)
    corners = np.array([(a, b), (c, b), (c, d), (a, d)]) @ basis
    return tuple((float(x), float(y)) for x, y in corners)


# --- colours --------------------------------------------------------------------------------------------------------

# Where people see each colour: the colour's own patch in xkcd's colour survey (CC0), and of those it calls dull, dark,
# light ..., the ones that scans of lit rooms need; no light and dark grey, because scans don't reach white and black.
_PATCHES = {
    "white": "ffffff", "black": "000000", "gray": "929591 7d7f7c", "brown": "653700 ad8150 876e4b",
    "red": "e50000 bb3f3f 840000", "blue": "0343df 5a86ad 00035b 95d0fc", "pink": "ff81c0 d58a94 cb416b",
    "green": "15b01a 74a662 033500 96f97b 677a04", "yellow": "ffff14 d5b60a eedc5b",
    "orange": "f97306 c04e01 d8863b", "purple": "7e1e9c 825f87 35063e bf77f6", "beige": "e6daa6 d1b26f",
}  # fmt: skip
# IEC 61966-2-1
_RGB_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = _RGB_TO_XYZ.sum(1)  # D65


def lab(rgb: ArrayLike) -> Array:
    """(..., 3) CIELAB under D65 of sRGB values (..., 3) in 0..255."""
    c = np.asarray(rgb, float) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    t = linear @ _RGB_TO_XYZ.T / _WHITE
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = np.moveaxis(f, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


_NAMES = [name for name in COLORS for _ in _PATCHES[name].split()]
_POINTS = lab([list(bytes.fromhex(patch)) for name in COLORS for patch in _PATCHES[name].split()])


def color_name(rgb: ArrayLike) -> str:
    """The word of rooms.COLORS whose patches come nearest to an sRGB value (3,) in 0..255, by CIELAB distance."""
    return _NAMES[int(np.linalg.norm(_POINTS - lab(rgb), axis=1).argmin())]
