"""The cheapest free one of many places for a thing.

Candidates come with their costs. The cheapest is judged exactly; when something is in its way, all candidates that the
same obstacle surely rules out go with it, so few are ever judged. Shared areas below FREE count as none.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely

from po3d.floor import Floor
from po3d.geometry import Array
from po3d.layout import Thing
from po3d.rectangles import Rectangle, along_axes, footprints, overlap, overlapping, reach_x, reach_y

FREE = 1e-4  # square metres of overlap that count as none


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
    a, b = size[0] / 2, size[1] / 2
    boxes = [Rectangle(0.0, 0.0, math.cos(c.heading), math.sin(c.heading), a, b) for c in candidates]
    first = [int(c.cost.argmin()) if c.cost.size else -1 for c in candidates]
    least = [c.cost.item(k) if k >= 0 else math.inf for c, k in zip(candidates, first)]
    ruled_out: list[set[int]] = [set() for _ in candidates]
    while candidates:
        best = min(least)
        if best == math.inf:
            return None
        g = least.index(best)
        group, box = candidates[g], boxes[g]
        x, y = group.place(first[g])
        culprit = _in_the_way(Rectangle(x, y, *box[2:]), obstacles, floor)
        if culprit is None:
            return Found(x, y, group.heading)
        group.cost.flat[first[g]] = math.inf
        if id(culprit) not in ruled_out[g]:
            ruled_out[g].add(id(culprit))
            if isinstance(culprit, Floor):
                np.putmask(group.cost, culprit.beyond(group.x, group.y, box, FREE), math.inf)
            elif isinstance(culprit, Thing) and not _block_ruled_out(group, box, culprit.box):
                np.putmask(group.cost, overlapping(group.x, group.y, box, culprit.box, FREE), math.inf)
        first[g] = int(group.cost.argmin())
        least[g] = group.cost.item(first[g])
    return None


def _block_ruled_out(group: Candidates, box: Rectangle, other: Rectangle) -> bool:
    """What `overlapping` says, quickly, when it is a whole block of a grid: then the block's costs are made infinite."""
    if not (group.lines and along_axes(box) and along_axes(other)):
        return False
    block, least = [], []
    sizes = ((reach_x(box), reach_x(other)), (reach_y(box), reach_y(other)))
    for line, middle, (mine, its) in zip((group.x, group.y), (other.x, other.y), sizes):
        start, n, reach = line.item(0), line.size, mine + its
        step = (line.item(n - 1) - start) / max(n - 1, 1) or 1.0
        first = max(math.ceil((middle - reach - start) / step), 0)
        last = min(math.floor((middle + reach - start) / step), n - 1)
        if first > last:
            return False
        edges = abs(line.item(first) - middle), abs(line.item(last) - middle)
        least.append(min(reach - max(edges), 2 * mine, 2 * its))
        block.append(slice(first, last + 1))
    if min(least) <= 0 or least[0] * least[1] < FREE:  # not at all of the block's corners
        return False
    group.cost[block[0], block[1]] = math.inf
    return True


def _in_the_way(
    box: Rectangle, obstacles: Sequence[Thing], floor: Floor | None
) -> Thing | Floor | str | None:
    """What alone keeps a footprint from its place, or a word when only several together do; None when it is free."""
    wrong = floor.outside(box) if floor is not None else 0.0
    if wrong >= FREE:
        return floor
    x, y, reach = box.x, box.y, math.hypot(box.a, box.b)
    for obstacle in obstacles:
        other, limit = obstacle.box, obstacle.reach + reach
        if -limit < other.x - x < limit and -limit < other.y - y < limit:
            shared = overlap(box, other)
            if shared >= FREE:
                return obstacle
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
