"""Oriented rectangles on the ground: overlaps and distances. Metres.

For pairs of rectangles, and for one rectangle at many positions against another.

Functions with a parameter `xp` accept numbers or arrays that broadcast: numpy, torch, or `Floats`
for one pair.
"""

import math
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import shapely

from po3d.scene.geometry import Array

TINY = 1e-12  # smaller sines are rounding errors: such rectangles count as aligned
SIGNS = ((1, 1), (-1, 1), (-1, -1), (1, -1))  # signs of the corners, counter-clockwise


class Rectangle(NamedTuple):
    """Centre (x, y), heading unit vector (c, s), half depth a along it, half width b across."""

    x: float
    y: float
    c: float
    s: float
    a: float
    b: float

    @property
    def corners(self) -> list[tuple[float, float]]:
        """The four corners, counter-clockwise, starting at the front left."""
        x, y, c, s, a, b = self
        return [(x + i * a * c - j * b * s, y + i * a * s + j * b * c) for i, j in SIGNS]


# constructs from a tuple in half the time of the class's own constructor
rectangle = partial(tuple.__new__, Rectangle)


def overlap(p: Rectangle, q: Rectangle) -> float:
    """Return the area shared by two rectangles, square metres."""
    u, v, c, s = _in_frame_of(p, q)
    across, along = abs(s), abs(c)
    reach_u, reach_v = q.a * along + q.b * across, q.a * across + q.b * along
    if abs(u) >= p.a + reach_u or abs(v) >= p.b + reach_v:
        return 0.0
    if across < TINY or along < TINY:
        wide = min(p.a, u + reach_u) - max(-p.a, u - reach_u)
        return wide * (min(p.b, v + reach_v) - max(-p.b, v - reach_v))
    if abs(u * c + v * s) >= q.a + p.a * along + p.b * across:
        return 0.0
    if abs(v * c - u * s) >= q.b + p.a * across + p.b * along:
        return 0.0
    shape = [(u + i * q.a * c - j * q.b * s, v + i * q.a * s + j * q.b * c) for i, j in SIGNS]
    for axis, limit in ((0, p.a), (1, p.b)):
        for sense in (1.0, -1.0):
            shape = _clipped(shape, axis, sense, limit)
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairwise([*shape, *shape[:1]]))) / 2


# The functions of `xp` for Python floats: several times faster than arrays for one pair.
_where = lambda truth, yes, no: yes if truth else no  # noqa: E731
Floats = SimpleNamespace(maximum=max, minimum=min, hypot=math.hypot, where=_where)


def distance(p: Rectangle, q: Rectangle, xp: Any = Floats):
    """Return the distance between two rectangles; 0 if they touch."""
    u, v, c, s = _in_frame_of(p, q)
    across, along = abs(s), abs(c)
    away, aside = u * c + v * s, v * c - u * s  # centre of q relative to p, in the frame of q
    du, dv = abs(u) - p.a - q.a * along - q.b * across, abs(v) - p.b - q.a * across - q.b * along
    if xp is Floats and (across < TINY or along < TINY):  # shortcut: most furniture is axis-aligned
        return math.hypot(max(du, 0.0), max(dv, 0.0))
    gap_u = abs(away) - q.a - p.a * along - p.b * across
    gap_v = abs(aside) - q.b - p.a * across - p.b * along
    gap = xp.maximum(xp.maximum(du, dv), xp.maximum(gap_u, gap_v))
    if xp is Floats and gap <= 0:
        return 0.0
    least = math.inf + 0 * gap
    for i, j in SIGNS:  # the closest points of two disjoint rectangles include a corner of one
        x, y = u + i * q.a * c - j * q.b * s, v + i * q.a * s + j * q.b * c
        corner = _from_box(x, y, p.a, p.b, xp)
        x, y = i * p.a * c + j * p.b * s - away, j * p.b * c - i * p.a * s - aside
        other = _from_box(x, y, q.a, q.b, xp)
        least = xp.minimum(least, xp.minimum(corner, other))
    return xp.where(gap > 0, least, 0.0)


def holds(p: Rectangle, x, y, margin: float = 0.0):
    """Whether a point is in the rectangle enlarged by `margin`."""
    dx, dy = x - p.x, y - p.y
    along = abs(dx * p.c + dy * p.s) <= p.a + margin
    if along is False:  # floats only: most points are outside and this is called often
        return False
    return along & (abs(dy * p.c - dx * p.s) <= p.b + margin)


def depth(p: Rectangle, x, y, xp: Any = Floats):
    """Return the depth of a point inside a rectangle; negative outside."""
    dx, dy = x - p.x, y - p.y
    u, v = abs(dx * p.c + dy * p.s) - p.a, abs(dy * p.c - dx * p.s) - p.b
    return xp.where((u > 0) | (v > 0), -xp.hypot(above_zero(u), above_zero(v)), -xp.maximum(u, v))


def from_segment(p: Rectangle, start: tuple, end: tuple, xp: Any = Floats):
    """Return the distance from the rectangle to the segment between two points; 0 if they meet."""
    local = lambda x, y: (x * p.c + y * p.s, y * p.c - x * p.s)  # noqa: E731
    u0, v0 = local(start[0] - p.x, start[1] - p.y)
    u1, v1 = local(end[0] - p.x, end[1] - p.y)
    du, dv = u1 - u0, v1 - v0
    # parameter range of the segment that is within both pairs of sides
    enter, leave = 0 * du, 0 * du + 1
    for origin, way, limit in ((u0, du, p.a), (v0, dv, p.b)):
        still = way == 0
        step = xp.where(still, 1.0, way)
        near, far = (-limit - origin) / step, (limit - origin) / step
        near, far = xp.minimum(near, far), xp.maximum(near, far)
        enter = xp.where(still, enter, xp.maximum(enter, near))
        leave = xp.where(still, xp.where(abs(origin) > limit, -1.0, leave), xp.minimum(leave, far))
    least = xp.minimum(_from_box(u0, v0, p.a, p.b, xp), _from_box(u1, v1, p.a, p.b, xp))
    square = du * du + dv * dv
    square = xp.where(square > 0, square, 1.0)
    for i, j in SIGNS:
        x, y = i * p.a - u0, j * p.b - v0
        t = (x * du + y * dv) / square
        t = xp.where(t < 0, 0.0, xp.where(t > 1, 1.0, t))
        least = xp.minimum(least, xp.hypot(x - t * du, y - t * dv))
    return xp.where(enter <= leave, 0.0, least)


def above_zero(x):
    """Return max(x, 0) for numbers or arrays."""
    return (x + abs(x)) / 2


def _in_frame_of(p: Rectangle, q: Rectangle) -> tuple:
    """Return the centre and unit vector of q in the frame of p."""
    dx, dy = q.x - p.x, q.y - p.y
    return (dx * p.c + dy * p.s, dy * p.c - dx * p.s, p.c * q.c + p.s * q.s, p.c * q.s - p.s * q.c)


def _from_box(u, v, a, b, xp: Any):
    return xp.hypot(above_zero(abs(u) - a), above_zero(abs(v) - b))


def _clipped(
    shape: list[tuple[float, float]], axis: int, sense: float, limit: float
) -> list[tuple[float, float]]:
    """Return the part of a convex polygon where sense * coordinate <= limit.

    Algorithm of Sutherland and Hodgman (1974).
    """
    clipped: list[tuple[float, float]] = []
    for k, end in enumerate(shape):
        start = shape[k - 1]
        first, second = limit - sense * start[axis], limit - sense * end[axis]
        if (first < 0) != (second < 0):
            t = first / (first - second)
            clipped.append((start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])))
        if second >= 0:
            clipped.append(end)
    return clipped


def footprints(position: Array, heading: Array, extent: Array) -> np.ndarray:
    """Return (n,) shapely polygons: position (n, 2 or 3), heading (n,), extent (n, 2 or 3)."""
    signs = np.array(SIGNS) / 2
    local = signs * extent[:, None, :2]
    c, s = np.cos(heading)[:, None], np.sin(heading)[:, None]
    x = local[..., 0] * c - local[..., 1] * s + position[:, None, 0]
    y = local[..., 0] * s + local[..., 1] * c + position[:, None, 1]
    return shapely.polygons(np.stack([x, y], -1))


# --- one rectangle at many positions --------------------------------------------------------------
# x and y are arrays that broadcast against each other: two lines (k, 1) and (1, m) form a grid, and
# values that depend on one of them stay of that size. `box` gives the heading and the size of the
# tested rectangle; its own position is ignored.


def gaps(x: Array, y: Array, box: Rectangle, other: Rectangle) -> Array:
    """Return the distance from `other` to `box` at every (x, y), 0 where they touch.

    The result has the shape of x + y.
    """
    if along_axes(box) and along_axes(other):
        square = _square_of_excess(x - other.x, reach_x(box) + reach_x(other))
        square = square + _square_of_excess(y - other.y, reach_y(box) + reach_y(other))
        return np.sqrt(square, out=square)
    u, v = turned(x - other.x, y - other.y, other.c, other.s)
    c, s = box.c * other.c + box.s * other.s, box.s * other.c - box.c * other.s
    du = np.abs(u) - (other.a + box.a * abs(c) + box.b * abs(s))
    dv = np.abs(v) - (other.b + box.a * abs(s) + box.b * abs(c))
    if aligned(box, other):
        du, dv = np.maximum(du, 0.0), np.maximum(dv, 0.0)
        return np.sqrt(du * du + dv * dv)
    away, aside = turned(other.x - x, other.y - y, box.c, box.s)
    reach_along = box.a + other.a * abs(c) + other.b * abs(s)
    reach_across = box.b + other.a * abs(s) + other.b * abs(c)
    separation = np.maximum(np.maximum(du, dv), np.abs(away) - reach_along)
    separation = np.maximum(separation, np.abs(aside) - reach_across)
    least = np.full(separation.shape, np.inf)
    for i, j in SIGNS:  # the closest points of two disjoint rectangles include a corner of one
        square = _square_of_excess(u + (i * box.a * c - j * box.b * s), other.a)
        square = square + _square_of_excess(v + (i * box.a * s + j * box.b * c), other.b)
        np.minimum(least, square, out=least)
        square = _square_of_excess(away + (i * other.a * c + j * other.b * s), box.a)
        square = square + _square_of_excess(aside + (j * other.b * c - i * other.a * s), box.b)
        np.minimum(least, square, out=least)
    np.putmask(least, separation <= 0, 0.0)
    return np.sqrt(least, out=least)


def _square_of_excess(away: Array, reach: float) -> Array:
    """Return the squares of the excess of distances over `reach`, else 0. Overwrites `away`."""
    np.abs(away, out=away)
    away -= reach
    np.maximum(away, 0.0, out=away)
    away *= away
    return away


def overlapping(x: Array, y: Array, box: Rectangle, other: Rectangle, area: float) -> Array:
    """Return a mask of the positions (x, y) at which `box` shares at least `area` with `other`.

    Exact if the two are aligned. Otherwise conservative: positions that overlap by less than
    about a centimetre may be missed, but every position in the mask is correct.
    """
    u, v = turned(x - other.x, y - other.y, other.c, other.s)
    c, s = abs(box.c * other.c + box.s * other.s), abs(box.s * other.c - box.c * other.s)
    reach_u, reach_v = box.a * c + box.b * s, box.a * s + box.b * c
    if aligned(box, other):
        wide = np.minimum(other.a + reach_u - np.abs(u), 2 * min(other.a, reach_u))
        deep = np.minimum(other.b + reach_v - np.abs(v), 2 * min(other.b, reach_v))
        return np.maximum(wide, 0.0) * np.maximum(deep, 0.0) >= area
    # Two rectangles that still meet when both are shrunk by r on all sides share a disc of radius
    # r.
    r = math.sqrt(area / math.pi)
    if min(box.a, box.b, other.a, other.b) <= r:
        return np.zeros(np.broadcast_shapes(x.shape, y.shape), bool)
    shrink = r * (1 + c + s)
    away, aside = turned(x - other.x, y - other.y, box.c, box.s)
    return (
        (np.abs(u) < other.a + reach_u - shrink)
        & (np.abs(v) < other.b + reach_v - shrink)
        & (np.abs(away) < box.a + other.a * c + other.b * s - shrink)
        & (np.abs(aside) < box.b + other.a * s + other.b * c - shrink)
    )


def along_axes(p: Rectangle) -> bool:
    """Whether the sides are parallel to the axes."""
    return abs(p.s) < TINY or abs(p.c) < TINY


def reach_x(p: Rectangle) -> float:
    """Return the half extent along x."""
    return p.a * abs(p.c) + p.b * abs(p.s)


def reach_y(p: Rectangle) -> float:
    """Return the half extent along y."""
    return p.a * abs(p.s) + p.b * abs(p.c)


def aligned(p: Rectangle, q: Rectangle) -> bool:
    """Whether the sides of one rectangle are parallel to those of the other."""
    return abs(p.c * q.s - p.s * q.c) < TINY or abs(p.c * q.c + p.s * q.s) < TINY


def turned(dx: Array, dy: Array, c: float, s: float) -> tuple[Array, Array]:
    """Return offsets along and across the unit vector (c, s).

    Grid lines stay lines if (c, s) is along an axis.
    """
    if abs(s) < TINY:
        return dx * c, dy * c
    if abs(c) < TINY:
        return dy * s, dx * -s
    return dx * c + dy * s, dy * c - dx * s
