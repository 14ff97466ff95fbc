"""The cheapest free one of many places for a thing.

Candidates come with their costs. The cheapest is judged exactly; when something is in its way, all candidates that the
same obstacle surely rules out go with it, so few are ever judged. Shared areas below FREE count as none.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely

from po3d.scene.floor import Floor
from po3d.scene.geometry import Array
from po3d.scene.index import Thing
from po3d.scene.rectangles import (
    Rectangle,
    along_axes,
    footprints,
    overlap,
    overlapping,
    reach_x,
    reach_y,
    rectangle,
)

FREE = 1e-4  # square metres of overlap that count as none
EDGE = 1.01 * math.sqrt(FREE)  # metres: what overlaps by this along both axes shares more than FREE


class Candidates(NamedTuple):
    """Places of one heading: x and y have the shape of `cost`, or are evenly spaced lines (k, 1) and (1, m) of a grid
    of that shape."""

    x: Array
    y: Array
    cost: Array
    heading: float

    @property
    def lines(self) -> bool:
        return self.cost.ndim == 2 and self.x.shape[1] == 1 == self.y.shape[0]

    def place(self, index: int) -> tuple[float, float]:
        """x and y of the candidate with a flat index into `cost`."""
        if not self.lines:
            return self.x.item(index), self.y.item(index)
        row, column = divmod(index, self.y.size)
        return self.x.item(row), self.y.item(column)


class Found(NamedTuple):
    x: float
    y: float
    heading: float


def cheapest_free(
    candidates: Sequence[Candidates],
    size: tuple[float, float],
    obstacles: Sequence[Thing],
    floor: Floor | None,
) -> Found | None:
    """The cheapest candidate, the first of equals, where a footprint of `size` (depth, width) meets no obstacle and
    is inside the floor; None when there is none. Uses up the costs. What one obstacle rules out is worked out only for
    the groups that meet it."""
    groups = [_Group(c, size) for c in candidates if c.cost.size]
    while groups:
        group = groups[0] if len(groups) == 1 else min(groups, key=_Group.least)
        if group.least() == math.inf:
            return None
        box = group.cheapest()
        culprit = _in_the_way(box, group.half_x, group.half_y, obstacles, floor)
        if culprit is None:
            return Found(box.x, box.y, group.candidates.heading)
        group.rule_out(culprit)
    return None


class _Group:
    """Candidates of one heading, and the cheapest of those that nothing is known to be in the way of."""

    def __init__(self, candidates: Candidates, size: tuple[float, float]) -> None:
        heading = candidates.heading
        self.candidates, self.cost = candidates, candidates.cost
        c, s, (a, b) = math.cos(heading), math.sin(heading), size
        self.box = rectangle((0.0, 0.0, c, s, a / 2, b / 2))
        self.half_x, self.half_y = reach_x(self.box), reach_y(self.box)
        self.index = int(self.cost.argmin())  # of the cheapest
        self.met: dict[int, int] = {}  # how often, by the identity of what was in the way

    def least(self) -> float:
        """The cheapest one's cost, infinite when none is left."""
        return self.cost.item(self.index)

    def cheapest(self) -> Rectangle:
        """The footprint at the cheapest place."""
        _, _, c, s, a, b = self.box
        return rectangle((*self.candidates.place(self.index), c, s, a, b))

    def rule_out(self, culprit: "Thing | Floor | str") -> None:
        """Make infinite the costs of the cheapest one and of others that the same thing is in the way of."""
        self.cost.flat[self.index] = math.inf
        times = self.met[id(culprit)] = self.met.get(id(culprit), 0) + 1
        x, y = self.candidates.x, self.candidates.y
        if isinstance(culprit, Thing):
            # The block leaves out a rim; who meets the same thing again is in that rim.
            if not (times == 1 and self._block_ruled_out(culprit)) and times <= 2:
                np.putmask(self.cost, overlapping(x, y, self.box, culprit.box, FREE), math.inf)
        elif isinstance(culprit, Floor) and times == 1:
            np.putmask(self.cost, culprit.beyond(x, y, self.box, FREE), math.inf)
        self.index = int(self.cost.argmin())

    def _block_ruled_out(self, thing: Thing) -> bool:
        """Rules out a block of a grid whose places overlap a thing by EDGE along both axes; False where overlaps are no
        such blocks."""
        its_x, its_y = thing.x1 - thing.x0, thing.y1 - thing.y0
        thin = min(its_x, its_y, 2 * self.half_x, 2 * self.half_y) < EDGE
        if thin or not (self.candidates.lines and along_axes(self.box) and along_axes(thing.box)):
            return False
        rows = _between(self.candidates.x, thing.x0 - self.half_x + EDGE, thing.x1 + self.half_x - EDGE)
        columns = _between(self.candidates.y, thing.y0 - self.half_y + EDGE, thing.y1 + self.half_y - EDGE)
        self.cost[rows, columns] = math.inf
        return True


def _between(line: Array, low: float, high: float) -> slice:
    """Which of a line's evenly spaced numbers are between two."""
    start, last = line.item(0), line.size - 1
    step = (line.item(last) - start) / last if last else 1.0
    first, end = (low - start) / step, (high - start) / step
    if step < 0:
        first, end = end, first
    return slice(max(math.ceil(first), 0), max(math.floor(end) + 1, 0))


def _in_the_way(
    box: Rectangle, half_x: float, half_y: float, obstacles: Sequence[Thing], floor: Floor | None
) -> Thing | Floor | str | None:
    """What alone keeps a footprint from its place, or a word when only several together do; None when it is free.
    `half_x`, `half_y`: half of what it takes up along the axes."""
    x, y, wrong = box.x, box.y, 0.0
    if floor is not None and not floor.surrounds(x, y, half_x, half_y):
        wrong = floor.outside(box)
        if wrong >= FREE:
            return floor
    x0, x1, y0, y1 = x - half_x, x + half_x, y - half_y, y + half_y
    for thing in obstacles:
        if thing.x0 < x1 and thing.x1 > x0 and thing.y0 < y1 and thing.y1 > y0:
            shared = overlap(box, thing.box)
            if shared >= FREE:
                return thing
            wrong += shared
    return "several" if wrong >= FREE else None


def least_overlap(
    candidates: Sequence[Candidates],
    size: tuple[float, float],
    obstacles: Sequence[Thing],
    floor: Floor | None,
) -> tuple[Found, float]:
    """The candidate that shares least with obstacles and the outside, the cheapest of equals, and how many square
    metres it shares. Judges every one of them."""
    parts = [
        (*(line.ravel() for line in np.broadcast_arrays(c.x, c.y, c.cost)), np.full(c.cost.size, c.heading))
        for c in candidates
    ]
    x, y, cost, heading = (np.concatenate(part) for part in zip(*parts))
    order = np.argsort(cost, kind="stable")
    points, heading = np.stack([x, y], -1)[order], heading[order]
    boxes = footprints(points, heading, np.tile(size, (len(points), 1)))
    wrong = np.zeros(len(points))
    if floor is not None:
        out = np.flatnonzero(~shapely.covers(floor.allowed, boxes))
        wrong[out] += shapely.area(shapely.difference(boxes[out], floor.allowed))
    for obstacle in obstacles:
        shape = shapely.Polygon(obstacle.box.corners)
        near = np.flatnonzero(shapely.intersects(boxes, shape))
        wrong[near] += shapely.area(shapely.intersection(boxes[near], shape))
    k = int(wrong.argmin())
    return Found(*points[k].tolist(), float(heading[k])), float(wrong[k])
