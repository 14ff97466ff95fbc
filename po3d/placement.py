"""Where a described place is: poses for "next to the bed", "in the back left corner", "on the desk".

Every description gives a cost over candidate poses on a grid; the cheapest feasible candidate wins, the first in a
fixed order on a tie, so a place is a pure function of the scene. Feasible means: inside the room's outline, and apart
from every object at the same height (oriented footprints, by shapely). A crowded room may leave no such pose: then the
candidate that overlaps least is taken, and `Spot.crowded` says so.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import shapely

from po3d.edits import carried_by, support
from po3d.frames import room_centre
from po3d.geometry import Array
from po3d.rooms import category_of, hangs
from po3d.scene import ObjectState, Scene

GAP = 0.08  # metres between a thing and what it is put next to, or the wall at its back
STEP = 0.1  # of the candidate grid
FREE = 1e-4  # square metres of overlap that count as none
CHUNK = 48  # candidates looked at together
SLACK = 0.02  # overlap in height below which two things don't collide
SMALL = 0.35  # square metres: a thing with a smaller footprint that goes next to one on a table goes on the table too
FLAT = 0.05  # metres: what is lower is no obstacle

Kind = Literal["next_to", "on", "under", "amid", "at", "corner", "wall", "centre", "spot", "shift"]


class Spot(NamedTuple):
    """A resolved place: centre of the box, heading, and whether nothing free was found."""

    position: tuple[float, float, float]
    heading: float
    crowded: bool = False


@dataclass(frozen=True)
class Place:
    """A described place. `objects` are the states it refers to; `direction` is a word of the frame; metres."""

    kind: Kind
    objects: tuple[ObjectState, ...] = ()
    direction: str = ""
    distance: float = 0.0


def direction_vector(scene: Scene, direction: str) -> Array:
    """(2,) unit ground vector of "left", "front right" ... in the scene's frame."""
    axes = {**scene.axes, "back": scene.axes["behind"]}
    vector = sum(np.array(axes[word]) for word in direction.split())
    return vector / np.linalg.norm(vector)


def footprints(position: Array, heading: Array, extent: Array) -> np.ndarray:
    """(n,) shapely polygons of boxes: position (n, 2 or 3), heading (n,), extent (n, 3)."""
    signs = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) / 2
    local = signs * extent[:, None, :2]
    c, s = np.cos(heading)[:, None], np.sin(heading)[:, None]
    x = local[..., 0] * c - local[..., 1] * s + position[:, None, 0]
    y = local[..., 0] * s + local[..., 1] * c + position[:, None, 1]
    return shapely.polygons(np.stack([x, y], -1))


def resolve(scene: Scene, state: ObjectState, place: Place, moving: int | None = None) -> Spot:
    """The pose of `state` at `place`. `moving`: its index when it is in the scene already; it and what it carries
    are no obstacles then."""
    if place.kind == "shift":
        return _shift(scene, state, place)
    if place.kind == "spot":
        return _spot(state, place.objects[0])
    finder = _Finder(scene, state, moving)
    if place.kind == "on":
        return finder.on(place.objects[0])
    if hangs(state.value("name")):
        return finder.hang(place)
    if place.kind in ("corner", "wall"):
        return finder.against(place)
    return finder.free(place)


def _shift(scene: Scene, state: ObjectState, place: Place) -> Spot:
    """Straight that far; no farther than the wall."""
    x, y, z = state.position
    way = direction_vector(scene, place.direction) * place.distance
    if scene.outline:
        room = shapely.Polygon(scene.outline).buffer(1e-6)
        boxes = [
            footprints(np.array([(x, y)]) + way * t, np.array([state.heading]), np.array([state.extent]))[0]
            for t in np.linspace(1, 0, 41)
        ]
        inside = shapely.covers(room, np.array(boxes))
        way = way * np.linspace(1, 0, 41)[int(inside.argmax())] if inside.any() else way
    return Spot((float(x + way[0]), float(y + way[1]), z), state.heading)


def _spot(state: ObjectState, former: ObjectState) -> Spot:
    """Where another thing stands or stood, on the same base, turned like it."""
    bottom = former.position[2] - former.extent[2] / 2
    x, y, _ = former.position
    return Spot((x, y, bottom + state.extent[2] / 2), former.heading)


class _Finder:
    """The obstacles to one thing, and the search for its pose."""

    def __init__(self, scene: Scene, state: ObjectState, moving: int | None) -> None:
        self.scene, self.state = scene, state
        below = support(scene.objects)
        own = {moving, *carried_by(below, moving)} if moving is not None else set()
        self.others = [o for k, o in enumerate(scene.objects) if k not in own and o.extent[2] > FLAT]
        self.centre = room_centre(scene)
        self.start = np.array(state.position[:2]) if moving is not None else self.centre
        self.room = shapely.Polygon(scene.outline).buffer(1e-3) if scene.outline else None

    def free(self, place: Place) -> Spot:
        """Standing on the floor, or on the furniture that the reference stands on."""
        reference = place.objects[0] if place.objects else None
        bottom = 0.0
        if reference is not None and place.kind != "under":
            low = reference.position[2] - reference.extent[2] / 2
            small = self.state.extent[0] * self.state.extent[1] < SMALL
            if low > 0.3 and small and not hangs(reference.value("name")):
                bottom = low
        ignore = place.objects if place.kind == "under" else ()
        points, cost = self._candidates(place, bottom)
        heading = self._heading(place, points)
        return self._best(points, heading, cost, bottom, ignore)

    def _candidates(self, place: Place, bottom: float) -> tuple[Array, Array]:
        """Points (k, 2) and their costs (k,)."""
        reach = max(self.state.extent[0], self.state.extent[1]) / 2
        from_start = lambda p: np.linalg.norm(p - self.start, axis=-1)  # noqa: E731
        if place.kind == "centre":
            points = self.centre + _grid(2.0)
            return points, np.linalg.norm(points - self.centre, axis=1)
        first = np.array(place.objects[0].position[:2])
        if place.kind == "under":
            points = first + _grid(0.6)
            return points, np.linalg.norm(points - first, axis=1)
        if place.kind == "amid":
            second = np.array(place.objects[1].position[:2])
            middle = (first + second) / 2
            points = middle + _grid(1.2)
            return points, np.linalg.norm(points - middle, axis=1)
        points = first + _grid(max(place.objects[0].extent[:2]) / 2 + 2 * reach + 0.9)
        boxes = footprints(
            points, np.full(len(points), self.state.heading), np.tile(self.state.extent, (len(points), 1))
        )
        gap = shapely.distance(_footprint(place.objects[0]), boxes)
        if place.kind == "next_to":
            return points, 4 * np.abs(gap - GAP) + 0.2 * from_start(points)
        across, along = self._split(points - first, place.direction)
        off = np.where(along > 0, np.abs(across) / np.maximum(along, 1e-6), 9.0)
        return points, 2 * np.abs(gap - GAP) + 3 * np.minimum(off, 3.0) + 1e-3 * from_start(points)

    def _split(self, offsets: Array, direction: str) -> tuple[Array, Array]:
        along = direction_vector(self.scene, direction)
        return offsets @ np.array([-along[1], along[0]]), offsets @ along

    def _heading(self, place: Place, points: Array) -> Array:
        heading = self.state.heading if self.start is not self.centre else self._default_heading(place)
        return np.full(len(points), heading)

    def _default_heading(self, place: Place) -> float:
        """Of a new thing: as what it stands next to."""
        return place.objects[0].heading if place.objects else math.atan2(*self.scene.axes["behind"][::-1])

    def against(self, place: Place) -> Spot:
        """Its back to a wall, or to the walls of a corner."""
        best: tuple[Array, Array, Array] | None = None
        for inward, point, length in self._walls():
            outward = -inward
            words = place.direction.split()
            facing = max(words, key=lambda w: outward @ direction_vector(self.scene, w))
            if outward @ direction_vector(self.scene, facing) < 0.75:
                continue
            heading = math.atan2(inward[1], inward[0])
            depth, width = self.state.extent[:2]
            along = np.array([-inward[1], inward[0]])
            t = np.arange(-length / 2 + width / 2 + 0.02, length / 2 - width / 2, STEP / 2)
            if not len(t):
                continue
            points = point + inward * (depth / 2 + 0.03) + t[:, None] * along
            if len(words) == 2:
                cost = -points @ direction_vector(self.scene, place.direction) + (
                    0.0 if facing == words[0] else 0.05
                )
            else:
                cost = np.linalg.norm(points - self.start, axis=1)
            found = (points, np.full(len(points), heading), cost)
            best = found if best is None else tuple(np.concatenate(pair) for pair in zip(best, found))
        if best is None:
            corner = self.centre + 10 * direction_vector(self.scene, place.direction)
            points = self.centre + _grid(4.0)
            best = points, np.full(len(points), self.state.heading), np.linalg.norm(points - corner, axis=1)
        points, heading, cost = best
        return self._best(points, heading, cost, 0.0, ())

    def hang(self, place: Place) -> Spot:
        """On a wall, at its own height, as near as may be to what the place says."""
        category = category_of(self.state.value("name"))
        bottom = self.state.position[2] - self.state.extent[2] / 2
        if self.start is self.centre and category is not None:
            bottom = category.bottom
        if place.objects:
            goal = np.mean([o.position[:2] for o in place.objects], 0)
            if place.kind == "at":
                goal = goal + 0.8 * direction_vector(self.scene, place.direction)
        else:
            way = direction_vector(self.scene, place.direction) if place.direction else np.zeros(2)
            goal = (
                self.centre + 10 * way
                if place.kind == "corner"
                else (self.start + self.centre) / 2 + 10 * way
            )
        points, headings = [], []
        for inward, point, length in self._walls():
            along = np.array([-inward[1], inward[0]])
            half = self.state.extent[1] / 2
            t = np.arange(-length / 2 + half, length / 2 - half + 1e-9, STEP)
            points.append(point + inward * (self.state.extent[0] / 2 + 0.005) + t[:, None] * along)
            headings.append(np.full(len(t), math.atan2(inward[1], inward[0])))
        points, headings = np.concatenate(points), np.concatenate(headings)
        return self._best(points, headings, np.linalg.norm(points - goal, axis=1), bottom, ())

    def on(self, reference: ObjectState) -> Spot:
        """Resting on the reference, as near its middle as other things there allow."""
        top = reference.position[2] + reference.extent[2] / 2
        room = (np.array(reference.extent[:2]) - np.array(self.state.extent[:2])) / 2
        half = np.maximum(room, 0)
        x, y = (np.arange(-h, h + 1e-9, STEP / 2) if h else np.zeros(1) for h in half)
        local = np.stack(np.meshgrid(x - x.mean(), y - y.mean(), indexing="ij"), -1).reshape(-1, 2)
        c, s = math.cos(reference.heading), math.sin(reference.heading)
        points = np.array(reference.position[:2]) + local @ np.array([(c, s), (-s, c)])
        cost = np.linalg.norm(local, axis=1)
        return self._best(
            points, np.full(len(points), reference.heading), cost, top, (reference,), inside=False
        )

    def _walls(self) -> list[tuple[Array, Array, float]]:
        """(inward unit normal, middle, length) of every edge of the outline."""
        if not self.scene.outline:
            return []
        corners = np.array(self.scene.outline, float)
        edges = np.roll(corners, -1, 0) - corners
        lengths = np.linalg.norm(edges, axis=1)
        return [
            (np.array([-e[1], e[0]]) / n, c + e / 2, float(n))
            for c, e, n in zip(corners, edges, lengths)
            if n > 0.2
        ]

    def _best(
        self, points, heading, cost, bottom: float, ignore: Sequence[ObjectState], inside: bool = True
    ) -> Spot:
        """The cheapest free candidate, or the one that overlaps least."""
        order = np.argsort(cost, kind="stable")
        points, heading = np.asarray(points)[order], np.asarray(heading)[order]
        height = self.state.extent[2]
        others = [
            o
            for o in self.others
            if o not in ignore
            and o.position[2] - o.extent[2] / 2 < bottom + height - SLACK
            and o.position[2] + o.extent[2] / 2 > bottom + SLACK
        ]
        obstacles = []
        if others:
            arrays = (np.array([getattr(o, k) for o in others]) for k in ("position", "heading", "extent"))
            obstacles = list(footprints(*arrays))
        best: tuple[float, int] = (math.inf, 0)
        for start in range(0, len(points), CHUNK):  # mostly the first chunk holds a free candidate
            part = slice(start, start + CHUNK)
            wrong = self._overlap(points[part], heading[part], obstacles, inside)
            k = int((wrong < FREE).argmax()) if (wrong < FREE).any() else int(wrong.argmin())
            best = min(best, (max(float(wrong[k]), FREE), start + k))
            if wrong[k] < FREE:
                break
        overlap, k = best
        x, y = points[k]
        return Spot((float(x), float(y), bottom + height / 2), float(heading[k]), overlap > FREE)

    def _overlap(self, points: Array, heading: Array, obstacles: Sequence, inside: bool) -> Array:
        """(k,) square metres that candidates share with obstacles or have outside the room."""
        boxes = footprints(points, heading, np.tile(self.state.extent, (len(points), 1)))
        wrong = np.zeros(len(points))
        if inside and self.room is not None:
            out = np.flatnonzero(~shapely.covers(self.room, boxes))
            wrong[out] += shapely.area(shapely.difference(boxes[out], self.room))
        for obstacle in obstacles:
            near = np.flatnonzero(shapely.intersects(boxes, obstacle))
            wrong[near] += shapely.area(shapely.intersection(boxes[near], obstacle))
        return wrong


def _grid(reach: float) -> Array:
    """(k, 2) offsets, the middle among them."""
    n = max(round(reach / STEP), 1)
    line = np.arange(-n, n + 1) * STEP
    return np.stack(np.meshgrid(line, line, indexing="ij"), -1).reshape(-1, 2)


def _footprint(state: ObjectState) -> shapely.Polygon:
    return footprints(np.array([state.position]), np.array([state.heading]), np.array([state.extent]))[0]
