"""Resolve described places to poses: "next to the bed", "in the back left corner", "on the desk".

Each description defines a cost over candidate poses on a grid; the cheapest feasible candidate
wins, the first in a fixed order on ties, so the result is a pure function of the scene. Feasible
means inside the room's outline and without overlap with any object at the same height (oriented
footprints; po3d.scene.free_space). If a crowded room has no feasible candidate, the one with the
smallest overlap is returned and `Spot.crowded` is set.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from po3d.scene.edits import REST_ABOVE, REST_BELOW, REST_MARGIN, carried_by, footprint
from po3d.scene.floor import Wall
from po3d.scene.free_space import FREE, Candidates, cheapest_free, least_overlap
from po3d.scene.geometry import Array
from po3d.scene.index import SceneIndex, Thing
from po3d.scene.rectangles import TINY, gaps, holds, rectangle, turned
from po3d.scene.rooms import category_of, hangs
from po3d.scene.table import ObjectState, Scene

GAP = 0.08  # metres between an object and the reference next to it, or the wall behind it
OVERHEAD = 0.3  # metres between an object and the object that hangs above it
STEP = 0.1  # spacing of the candidate grid, metres
SLACK = 0.02  # metres of vertical overlap that do not count as a collision
# square metres: an object with a smaller footprint, placed next to one on a table, is put on the
# table too
SMALL = 0.35
OUTSIDE = 1000.0  # cost of a pose that is not over the furniture
# metres from the centre to the sides of the grid
REACH = {"centre": 2.0, "under": 0.6, "amid": 1.2}

Kind = Literal[
    "beside", "on", "under", "amid", "at", "corner", "wall", "centre", "spot", "above", "shift"
]


class Spot(NamedTuple):
    """A resolved place: centre of the box, heading, and whether no free pose was found."""

    position: tuple[float, float, float]
    heading: float
    crowded: bool = False
    blockers: tuple[Thing, ...] | None = ()  # as in `FreePlace`


@dataclass(frozen=True)
class Place:
    """A described place.

    `objects` are the objects that it refers to; `direction` is in the reference frame; `distance`
    in metres.
    """

    kind: Kind
    objects: tuple[ObjectState, ...] = ()
    direction: str = ""
    distance: float = 0.0


def resolve(
    scene: Scene | SceneIndex, state: ObjectState, place: Place, moving: int | None = None
) -> Spot:
    """Return the pose of `state` at `place`.

    `moving` is its index if it is in the scene already; then it and the objects that it carries are
    not obstacles. Passing a `SceneIndex` avoids recomputing it.
    """
    if place.kind == "spot":
        return _spot(state, place.objects[0])
    if place.kind == "above":
        return _above(state, place.objects[0])
    layout = scene if isinstance(scene, SceneIndex) else SceneIndex(scene)
    if place.kind == "shift":
        return _shift(layout, state, place)
    finder = _PoseSearch(layout, state, moving)
    if place.kind in ("corner", "wall") and not place.direction:
        place = replace(place, direction=finder.nearest(place.kind))
    if place.kind == "on":
        return finder.on(place.objects[0])
    if hangs(state.value("name")):
        return finder.hang(place)
    if place.kind in ("corner", "wall"):
        return finder.against(place)
    return finder.free(place)


def _shift(layout: SceneIndex, state: ObjectState, place: Place) -> Spot:
    """Return the pose after a straight displacement, stopped at the wall."""
    x, y, z = state.position
    dx, dy = (part * place.distance for part in layout.way(place.direction))
    part = layout.floor.part_inside(footprint(state), (dx, dy)) if layout.floor else 1.0
    return Spot((x + dx * part, y + dy * part, z), state.heading)


def _spot(state: ObjectState, former: ObjectState) -> Spot:
    """Return the pose of another object, at the same base height."""
    bottom = former.position[2] - former.extent[2] / 2
    x, y, _ = former.position
    return Spot((x, y, bottom + state.extent[2] / 2), former.heading)


def _above(state: ObjectState, other: ObjectState) -> Spot:
    """Return the pose above another object, with its heading."""
    x, y, z = other.position
    return Spot((x, y, z + other.extent[2] / 2 + OVERHEAD + state.extent[2] / 2), other.heading)


class _PoseSearch:
    """The obstacles to one object, and the search for its pose.

    Where a method takes `crop`, candidates that are certainly outside the floor may be omitted.
    """

    def __init__(self, layout: SceneIndex, state: ObjectState, moving: int | None) -> None:
        self.layout, self.state, self.moving = layout, state, moving
        self.start = state.position[:2] if moving is not None else layout.centre

    def nearest(self, kind: Kind) -> str:
        """Return the nearest corner, or the nearest wall, as a direction of the frame."""
        (x, y), (middle_x, middle_y) = self.start, self.layout.centre
        (rx, ry), (fx, fy) = self.layout.way("right"), self.layout.way("front")
        across = (x - middle_x) * rx + (y - middle_y) * ry
        along = (x - middle_x) * fx + (y - middle_y) * fy
        side, end = "right" if across > 0 else "left", "front" if along > 0 else "behind"
        if kind == "corner":
            return f"{end} {side}"
        width, depth = self.layout.half
        return side if abs(across) / max(width, 1e-6) > abs(along) / max(depth, 1e-6) else end

    def free(self, place: Place) -> Spot:
        """Return a free pose on the floor, or on the furniture that the reference stands on."""
        reference = place.objects[0] if place.objects else None
        bottom = 0.0
        if reference is not None and place.kind != "under":
            low = reference.position[2] - reference.extent[2] / 2
            small = self.state.extent[0] * self.state.extent[1] < SMALL
            if low > 0.3 and small and not hangs(reference.value("name")):
                bottom = low
        ignore = place.objects if place.kind == "under" else ()
        heading = self.state.heading if self.moving is not None else self._default_heading(place)
        spot = self._best(lambda crop: [self._around(place, heading, crop)], bottom, ignore)
        # Objects that are new, or put elsewhere than next to another, may float: five answers of
        # the shipped rooms depend on it.
        settles = self.moving is not None and place.kind == "beside"
        return self._grounded(place, heading, spot) if settles and not self._rests(spot) else spot

    def _rests(self, spot: Spot) -> bool:
        """Return whether an object at a pose stands on the floor or on another object."""
        x, y, z = spot.position
        bottom, moving = z - self.state.extent[2] / 2, self._moving()
        if bottom < REST_ABOVE:
            return True
        for thing in self.layout.things:
            near = -REST_BELOW < bottom - thing.top < REST_ABOVE and id(thing) not in moving
            if near and not hangs(thing.name) and holds(thing.box, x, y, REST_MARGIN):
                return True
        return False

    def _grounded(self, place: Place, heading: float, floating: Spot) -> Spot:
        """Return a free pose on the furniture that the reference stands on or, if it has no room,
        on the floor. `floating`: the pose at the same height that nothing supports."""
        things, below = self.layout.things, None
        for k, thing in enumerate(things):
            if thing.state is place.objects[0]:
                below = self.layout.below[k]
        bottom = floating.position[2] - self.state.extent[2] / 2
        if below is not None:
            box = things[below].box

            def over(crop: bool) -> list[Candidates]:
                found = self._around(place, heading, crop)
                along, across = turned(found.x - box.x, found.y - box.y, box.c, box.s)
                outside = (np.abs(along) > box.a) | (np.abs(across) > box.b)
                return [found._replace(cost=found.cost + OUTSIDE * outside)]

            spot = self._best(over, bottom, ())
            if not spot.crowded and self._rests(spot):
                return spot
        return self._best(lambda crop: [self._around(place, heading, crop)], 0.0, ())

    def _around(self, place: Place, heading: float, crop: bool) -> Candidates:
        """Return the grid of candidates about the reference of a place."""
        if place.kind in ("centre", "under", "amid"):
            x, y = self.layout.centre
            if place.kind == "under":
                x, y, _ = place.objects[0].position
            elif place.kind == "amid":
                (x, y, _), (x1, y1, _) = (o.position for o in place.objects)
                x, y = (x + x1) / 2, (y + y1) / 2
            lines = self._grid((x, y), REACH[place.kind], heading, crop)
            return Candidates(*lines, _distance(*lines, (x, y)), heading)
        reference = place.objects[0]
        middle = reference.position[:2]
        reach = max(reference.extent[:2]) / 2 + max(self.state.extent[:2]) + 0.9
        x, y = self._grid(middle, reach, heading, crop)
        cost = gaps(x, y, footprint(self.state), footprint(reference))
        cost -= GAP
        np.abs(cost, out=cost)
        away = _distance(x, y, self.start)
        if place.kind == "beside":
            cost *= 4.0
            away *= 0.2
        else:
            along, across = turned(x - middle[0], y - middle[1], *self.layout.way(place.direction))
            off = np.abs(across) / np.maximum(along, 1e-6)
            np.minimum(off, 3.0, out=off)
            np.copyto(off, 3.0, where=along <= 0.0)
            cost *= 2.0
            off *= 3.0
            cost += off
            away *= 1e-3
        cost += away
        return Candidates(x, y, cost, heading)

    def _default_heading(self, place: Place) -> float:
        """Return the heading of a new object: that of its reference, else facing "behind"."""
        if place.objects:
            return place.objects[0].heading
        x, y = self.layout.scene.axes["behind"]
        return math.atan2(y, x)

    def against(self, place: Place) -> Spot:
        """Return a pose with the back to a wall, or to one wall of a corner."""
        return self._best(lambda crop: self._along_walls(place, crop), 0.0, ())

    def _along_walls(self, place: Place, crop: bool) -> list[Candidates]:
        depth, width = self.state.extent[:2]
        words = place.direction.split()
        ways = list(map(self.layout.way, words))
        candidates = []
        for wall in self._walls():
            (nx, ny), _, length = wall
            outward = [-(nx * x + ny * y) for x, y in ways]
            facing = max(range(len(words)), key=outward.__getitem__)
            if outward[facing] < 0.75:
                continue
            t = np.arange(-length / 2 + width / 2 + 0.02, length / 2 - width / 2, STEP / 2)
            if not len(t):
                continue
            x, y = _before(wall, depth / 2 + 0.03, t)
            if len(words) == 2:
                dx, dy = self.layout.way(place.direction)
                cost = (0.0 if facing == 0 else 0.05) - (x * dx + y * dy)
            else:
                cost = _distance(x, y, self.start)
            candidates.append(Candidates(x, y, cost, math.atan2(ny, nx)))
        return candidates or [self._toward(self._far(self.layout.centre, place.direction), crop)]

    def _toward(self, goal: tuple[float, float], crop: bool) -> Candidates:
        """Return candidates in the whole room by distance to `goal`, for tables without walls."""
        lines = self._grid(self.layout.centre, 4.0, self.state.heading, crop)
        return Candidates(*lines, _distance(*lines, goal), self.state.heading)

    def hang(self, place: Place) -> Spot:
        """Return a pose on a wall at the object's own or usual height, as near as possible."""
        category = category_of(self.state.value("name"))
        bottom = self.state.position[2] - self.state.extent[2] / 2
        if self.moving is None and category is not None:
            bottom = category.bottom
        return self._best(lambda crop: self._on_walls(self._goal(place), crop), bottom, ())

    def _goal(self, place: Place) -> tuple[float, float]:
        """Return the ground point that a hanging object should be near."""
        if place.objects:
            xs, ys, _ = zip(*[o.position for o in place.objects])
            x, y = sum(xs) / len(xs), sum(ys) / len(ys)
            if place.kind != "at":
                return x, y
            dx, dy = self.layout.way(place.direction)
            return x + 0.8 * dx, y + 0.8 * dy
        centre = self.layout.centre
        if place.kind == "corner":
            return self._far(centre, place.direction)
        between = ((self.start[0] + centre[0]) / 2, (self.start[1] + centre[1]) / 2)
        return self._far(between, place.direction) if place.direction else between

    def _far(self, point: tuple[float, float], direction: str) -> tuple[float, float]:
        dx, dy = self.layout.way(direction)
        return point[0] + 10 * dx, point[1] + 10 * dy

    def _on_walls(self, goal: tuple[float, float], crop: bool) -> list[Candidates]:
        depth, half = self.state.extent[0], self.state.extent[1] / 2
        candidates = []
        for wall in self._walls():
            (nx, ny), _, length = wall
            t = np.arange(-length / 2 + half, length / 2 - half + 1e-9, STEP)
            x, y = _before(wall, depth / 2 + 0.005, t)
            candidates.append(Candidates(x, y, _distance(x, y, goal), math.atan2(ny, nx)))
        return candidates or [self._toward(goal, crop)]

    def on(self, reference: ObjectState) -> Spot:
        """Return a pose on top of the reference, as near to its centre as other objects allow."""
        top = reference.position[2] + reference.extent[2] / 2
        offsets = []
        for whole, part in zip(reference.extent[:2], self.state.extent[:2]):
            half = max((whole - part) / 2, 0.0)
            steps = np.arange(-half, half + 1e-9, STEP / 2) if half else np.zeros(1)
            offsets.append(steps - steps.mean())
        u, v = offsets[0][:, None], offsets[1]
        x, y, _ = reference.position
        c, s = math.cos(reference.heading), math.sin(reference.heading)
        x, y = x + (u * c - v * s), y + (u * s + v * c)
        grid = lambda _: [Candidates(x, y, np.sqrt(u * u + v * v), reference.heading)]  # noqa: E731
        return self._best(grid, top, (reference,), inside=False)

    def _walls(self) -> list[Wall]:
        return self.layout.floor.walls if self.layout.floor else []

    def _grid(
        self, middle: Sequence[float], reach: float, heading: float, crop: bool
    ) -> tuple[Array, Array]:
        """Return lines x (k, 1) and y (1, m) of a grid that contains its centre."""
        n = max(round(reach / STEP), 1)
        x, y = middle
        x0, x1, y0, y1 = -n, n, -n, n
        if crop and self.layout.floor:
            a, b = self.state.extent[0] / 2, self.state.extent[1] / 2
            box = rectangle((0.0, 0.0, math.cos(heading), math.sin(heading), a, b))
            span = self.layout.floor.span(box, FREE)
            if span is not None:
                least_x, most_x, least_y, most_y = span
                x0 = max(x0, math.ceil((least_x - x) / STEP))
                x1 = min(x1, math.floor((most_x - x) / STEP))
                y0 = max(y0, math.ceil((least_y - y) / STEP))
                y1 = min(y1, math.floor((most_y - y) / STEP))
        return x + _steps(x0, x1).T, y + _steps(y0, y1)

    def _best(
        self,
        candidates: Callable[[bool], list[Candidates]],
        bottom: float,
        ignore: Sequence[ObjectState],
        inside: bool = True,
    ) -> Spot:
        """Return the cheapest free candidate, or the one with the smallest overlap.

        `bottom` is the height of the object's bottom.
        """
        height, size = self.state.extent[2], self.state.extent[:2]
        obstacles = self._obstacles(bottom + SLACK, bottom + height - SLACK, ignore)
        floor = self.layout.floor if inside else None
        pose, wrong = cheapest_free(candidates(True), size, obstacles, floor), 0.0
        if pose is None:
            pose, wrong = least_overlap(candidates(False), size, obstacles, floor)
        x, y, heading, blockers = pose
        return Spot((x, y, bottom + height / 2), heading, wrong > FREE, blockers)

    def _moving(self) -> set[int]:
        """Return the id() of the rows of the moved object and of those that it carries."""
        if self.moving is None:
            return set()
        rows = (self.moving, *carried_by(self.layout.below, self.moving))
        return {id(self.layout.things[k]) for k in rows}

    def _obstacles(self, low: float, top: float, ignore: Sequence[ObjectState]) -> list[Thing]:
        """Return the obstacles that extend into the height range from `low` to `top`."""
        layout, moving, obstacles = self.layout, self._moving(), []
        for thing in layout.solid:
            at_height = thing.low < top and thing.top > low and id(thing) not in moving
            if at_height and not (ignore and thing.state in ignore):
                obstacles.append(thing)
        return obstacles


def _before(wall: Wall, off: float, t: Array) -> tuple[Array, Array]:
    """Return x and y of positions `t` along a wall at distance `off` from it, metres.

    If the wall is axis-aligned, one of the two is constant; they then have
    shapes (1, 1) and (1, n), or (n, 1) and (1, 1), for broadcasting over a grid.
    """
    (nx, ny), (wx, wy), _ = wall
    x, y = wx + nx * off - t * ny, wy + ny * off + t * nx
    if abs(ny) < TINY:
        return x[:1, None], y[None]
    if abs(nx) < TINY:
        return x[:, None], y[None, :1]
    return x, y


@lru_cache(1024)
def _steps(first: int, last: int) -> Array:
    """Return (1, m) offsets of the grid lines from its centre, metres."""
    steps = np.arange(first, last + 1)[None] * STEP
    steps.setflags(write=False)
    return steps


def _distance(x: Array, y: Array, point: Sequence[float]) -> Array:
    """Return the distances of (x, y) from a point, in the shape of x + y; metres."""
    dx, dy = x - point[0], y - point[1]
    dx *= dx
    dy *= dy
    square = dx + dy
    return np.sqrt(square, out=square)
