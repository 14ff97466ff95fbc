"""Distances to borders of regions, and the shortest ground displacements that reach them.

Lengths are the table's.
"""

import math
from collections.abc import Sequence

import numpy as np
import shapely

from po3d.reasoning import relations
from po3d.reasoning.rules import Rules
from po3d.scene.rectangles import Rectangle
from po3d.scene.vocabulary import FACINGS

Shift = tuple[float, float]  # in the axes of the argument


def to_ray(vector: Shift, bearing: float) -> Shift:
    """Return the shortest displacement from the end of a vector to a ray through its start.

    If the end is behind the ray: to the point of the ray at the same distance. `bearing`: radians
    clockwise from the second axis.
    """
    x, y = math.sin(bearing), math.cos(bearing)
    along = vector[0] * x + vector[1] * y
    reach = along if along > 0 else math.hypot(*vector)
    return reach * x - vector[0], reach * y - vector[1]


def over_border(spare: Sequence[tuple[float, float, float]]) -> tuple[float, Shift]:
    """Return (signed distance of a point to a region's border, shortest displacement across it).

    Positive inside. `spare` lists for each bounding line the signed distance of the point and the
    line's unit normal (x, y); normals must be parallel or at right angles.
    """
    inside, nx, ny = min(spare)
    if inside >= 0:
        return inside, (-inside * nx, -inside * ny)
    across = along = 0.0
    for lacking, nx, ny in spare:
        if lacking < 0:
            across, along = across - lacking * nx, along - lacking * ny
    return -math.hypot(across, along), (across, along)


def aside(p: Rectangle, q: Rectangle) -> tuple[float, Shift]:
    """Return (distance between two rectangles, unit vector that moves q away from p).

    A negative distance is how far q must move until the rectangles only touch.
    """
    line = shapely.shortest_line(shapely.Polygon(p.corners), shapely.Polygon(q.corners))
    if line.length > 0:
        (x0, y0), (x1, y1) = line.coords
        return line.length, ((x1 - x0) / line.length, (y1 - y0) / line.length)
    ways = []
    for box in (p, q):
        for x, y in ((box.c, box.s), (-box.s, box.c)):
            off = (q.x - p.x) * x + (q.y - p.y) * y
            sense = 1.0 if off >= 0 else -1.0
            ways.append((_reach(p, x, y) + _reach(q, x, y) - abs(off), (sense * x, sense * y)))
    depth, way = min(ways)
    return -depth, way


def leaving(p: Rectangle, start: Shift, end: Shift, width: float) -> tuple[Shift, float]:
    """Return (unit vector `way` along which a rectangle leaves a path, metres until it does).

    The path has half width `width` about the segment between two points. Negative if the
    rectangle is outside already.
    """
    line = shapely.shortest_line(shapely.LineString([start, end]), shapely.Polygon(p.corners))
    if line.length > 0:
        (x0, y0), (x1, y1) = line.coords
        return ((x1 - x0) / line.length, (y1 - y0) / line.length), width - line.length
    length = math.dist(start, end) or 1.0
    x, y = (start[1] - end[1]) / length, (end[0] - start[0]) / length
    off = (p.x - start[0]) * x + (p.y - start[1]) * y
    sense = 1.0 if off >= 0 else -1.0
    return (sense * x, sense * y), _reach(p, x, y) - abs(off) + width


def _reach(p: Rectangle, x: float, y: float) -> float:
    """Return the half extent of a rectangle along a unit vector."""
    return p.a * abs(p.c * x + p.s * y) + p.b * abs(p.c * y - p.s * x)


def facing_beyond(degree: float, value: str, rules: Rules) -> str | None:
    """Return the facing label just outside the window of `value`, on the side of `degree`."""
    off = (degree - relations.CENTRES[value] + 180) % 360 - 180
    edge = relations.CENTRES[value] + math.copysign(rules.facing_window_deg + 1e-6, off)
    label = int(relations.facing_labels(np.array([edge % 360]), rules)[0])
    return None if label == relations.NO_FACING else FACINGS[label]
