"""The floor of a room: its walls, and how much of a footprint is outside.

Rectangular floors are computed in closed form, other floors with shapely.
"""

import math
from functools import cached_property, lru_cache

import numpy as np
import shapely

from po3d.scene.geometry import Array
from po3d.scene.rectangles import TINY, Rectangle, along_axes, overlap, reach_x, reach_y, turned

AGAINST = 0.35  # metres to a wall up to which an object is against it
BACK = 0.1  # metres that an object's back to a wall counts more than its side
PARALLEL = 0.75  # least cosine between the normals of parallel walls
SLACK = 1e-3  # metres that a footprint may extend beyond the outline
STEPS = np.linspace(1, 0, 41).tolist()  # fractions of a displacement to try, the largest first
Outline = tuple[tuple[float, float], ...]
# One edge of the outline: unit normal into the room, midpoint, length.
Wall = tuple[tuple[float, float], tuple[float, float], float]


class Floor:
    """A floor with `outline`: its corners, counter-clockwise from above."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.rectangle = _rectangle(outline)
        # Half extents along x and y of an axis-aligned rectangular floor, with the slack.
        self._room: tuple[float, float] | None = None
        if self.rectangle is not None and along_axes(self.rectangle):
            self._room = reach_x(self.rectangle) + SLACK, reach_y(self.rectangle) + SLACK

    @cached_property
    def walls(self) -> list[Wall]:
        """Walls longer than 0.2 m."""
        walls = []
        for (x, y), (x1, y1) in zip(self.outline, (*self.outline[1:], self.outline[0])):
            ex, ey = x1 - x, y1 - y
            length = math.hypot(ex, ey)
            if length > 0.2:
                walls.append(((-ey / length, ex / length), (x + ex / 2, y + ey / 2), length))
        return walls

    def opposite(self, box: Rectangle) -> list[Wall]:
        """Return the walls opposite to the nearest wall of a footprint, preferably the one behind
        its back; [] if there is none."""
        own = min(self.walls, key=lambda wall: _gap(wall, box) + BACK * _turned_from(wall, box))
        (nx, ny), _, _ = own
        return [wall for wall in self.walls if wall[0][0] * nx + wall[0][1] * ny < -PARALLEL]

    @cached_property
    def _polygon(self) -> shapely.Polygon:
        return shapely.Polygon(self.outline)

    @cached_property
    def allowed(self) -> shapely.Polygon:
        """Region in which footprints must lie."""
        return _prepared(self._polygon.buffer(SLACK))

    def outside(self, box: Rectangle) -> float:
        """Return the area of a footprint beyond the outline, square metres."""
        if self.rectangle is None:
            shape = shapely.Polygon(box.corners)
            covered = shapely.covers(self.allowed, shape)
            return 0.0 if covered else shape.difference(self.allowed).area
        if self._overhang(box) <= SLACK:
            return 0.0
        wide = self.rectangle._replace(a=self.rectangle.a + SLACK, b=self.rectangle.b + SLACK)
        return 4 * box.a * box.b - overlap(box, wide)

    def surrounds(self, x: float, y: float, half_x: float, half_y: float) -> bool:
        """Whether a box of these half extents about (x, y) is inside an axis-aligned floor.

        False for other floors.
        """
        if self._room is None:
            return False
        reach_x, reach_y = abs(x - self.rectangle.x) + half_x, abs(y - self.rectangle.y) + half_y
        return reach_x <= self._room[0] and reach_y <= self._room[1]

    def beyond(self, x: Array, y: Array, box: Rectangle, area: float) -> Array:
        """Return a mask of the places (x, y) at which `box` has more than `area` outside.

        Shapes of x and y as in po3d.scene.rectangles. Conservative: places that overhang by about
        a centimetre may be missed, but every place in the mask is correct.
        """
        # A right-angled corner that overhangs by r contains at least a quarter disc of radius r.
        r = math.sqrt(4 * area / math.pi) * 1.02  # shapely approximates arcs by inscribed polygons
        if min(box.a, box.b) * 2 <= r:
            return np.zeros(np.broadcast_shapes(x.shape, y.shape), bool)
        if self.rectangle is None:
            return _beyond(self, r, box, x.tobytes(), y.tobytes(), x.shape, y.shape)
        x, y = np.broadcast_arrays(x, y)
        (half_u, half_v), floor = self._reach(box), self.rectangle
        u, v = turned(x - floor.x, y - floor.y, floor.c, floor.s)
        slack = SLACK + r
        return (np.abs(u) + half_u > floor.a + slack) | (np.abs(v) + half_v > floor.b + slack)

    def span(self, box: Rectangle, area: float) -> tuple[float, float, float, float] | None:
        """Return the bounds (min x, max x, min y, max y) of the centres of `box` for which at most
        `area` (m²) of it lies outside the floor.

        None if the floor or the box is not axis-aligned: then the centres form no such rectangle.
        """
        if self._room is None or not along_axes(box):
            return None
        floor, half_x, half_y = self.rectangle, reach_x(box), reach_y(box)
        # A box that overhangs by d on one side has at least d times its other side outside.
        off_x = self._room[0] - half_x + area / (2 * half_y) + TINY
        off_y = self._room[1] - half_y + area / (2 * half_x) + TINY
        return floor.x - off_x, floor.x + off_x, floor.y - off_y, floor.y + off_y

    def part_inside(self, box: Rectangle, way: tuple[float, float]) -> float:
        """Return the largest of STEPS for which `box` moved by that part of `way` is inside.

        1 if there is none.
        """
        # tolerance for rounding of the outline
        allowed = None if self.rectangle is not None else _prepared(self._polygon.buffer(1e-6))
        for part in STEPS:
            moved = box._replace(x=box.x + way[0] * part, y=box.y + way[1] * part)
            if allowed is None:
                inside = self._overhang(moved) <= 1e-6
            else:
                inside = shapely.covers(allowed, shapely.Polygon(moved.corners))
            if inside:
                return part
        return 1.0

    def _reach(self, box: Rectangle) -> tuple[float, float]:
        """Return the half extents of the box along the sides of a rectangular floor."""
        floor = self.rectangle
        along = abs(box.c * floor.c + box.s * floor.s)
        across = abs(box.s * floor.c - box.c * floor.s)
        return box.a * along + box.b * across, box.a * across + box.b * along

    def _overhang(self, box: Rectangle) -> float:
        """Return the metres by which the box overhangs a rectangular floor; negative inside."""
        half_u, half_v = self._reach(box)
        floor = self.rectangle
        dx, dy = box.x - floor.x, box.y - floor.y
        u, v = dx * floor.c + dy * floor.s, dy * floor.c - dx * floor.s
        return max(abs(u) + half_u - floor.a, abs(v) + half_v - floor.b)


floor_of = lru_cache(64)(Floor)  # posterior samples of a room share their floor


@lru_cache(64)
def _beyond(
    floor: Floor, r: float, box: Rectangle, x: bytes, y: bytes, x_shape: tuple, y_shape: tuple
) -> Array:
    """Return where `box` is not within the outline widened by r; see `Floor.beyond`."""
    lines = np.frombuffer(x).reshape(x_shape), np.frombuffer(y).reshape(y_shape)
    places = np.stack(np.broadcast_arrays(*lines), -1)
    corners = np.array(box.corners) - (box.x, box.y)
    shapes = shapely.polygons(places[..., None, :] + corners)
    return ~shapely.covers(_prepared(floor._polygon.buffer(SLACK + r)), shapes)


def _prepared(shape: shapely.Polygon) -> shapely.Polygon:
    """Return the shape with an index that speeds up `covers`."""
    shapely.prepare(shape)
    return shape


def against(wall: Wall, box: Rectangle) -> bool:
    """Return whether a footprint is against a wall: within AGAINST, and before it."""
    (nx, ny), (x, y), length = wall
    along = abs((box.y - y) * nx - (box.x - x) * ny)
    return _gap(wall, box) < AGAINST and along < length / 2


def _gap(wall: Wall, box: Rectangle) -> float:
    """Return the distance of a footprint from the line of a wall, metres."""
    (nx, ny), (x, y), _ = wall
    middle = (box.x - x) * nx + (box.y - y) * ny
    across, along = box.c * nx + box.s * ny, box.c * ny - box.s * nx
    return middle - box.a * abs(across) - box.b * abs(along)


def _turned_from(wall: Wall, box: Rectangle) -> float:
    """Return 0 for a footprint with its back to a wall, 2 for one that faces it."""
    (nx, ny), _, _ = wall
    return 1 - box.c * nx - box.s * ny


def _rectangle(outline: Outline) -> Rectangle | None:
    """Return the outline as a rectangle if it is one to within 0.01 mm, else None."""
    if len(outline) != 4:
        return None
    (x0, y0), (x1, y1), (x2, y2), _ = outline
    depth, width = math.hypot(x1 - x0, y1 - y0), math.hypot(x2 - x1, y2 - y1)
    if not depth or not width:
        return None
    c, s = (x1 - x0) / depth, (y1 - y0) / depth
    rectangle = Rectangle((x0 + x2) / 2, (y0 + y2) / 2, c, s, depth / 2, width / 2)
    corners = rectangle.corners
    corners = corners[2:] + corners[:2]  # start at the back right corner
    return rectangle if max(map(math.dist, outline, corners)) < 1e-5 else None
