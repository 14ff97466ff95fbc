"""Find the cheapest collision-free candidate pose among many.

Candidates come with costs. The cheapest is tested exactly; if an obstacle blocks it, all
candidates that the obstacle surely blocks are removed too, so that few candidates are tested.
Overlaps below FREE count as none.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
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
EDGE = 1.01 * math.sqrt(FREE)  # metres: an overlap by this along both axes exceeds the area FREE


class Candidates(NamedTuple):
    """Candidate positions with one heading.

    x and y have the shape of `cost`, or are evenly spaced lines (k, 1) and (1, m) of a grid of
    that shape.
    """

    x: Array
    y: Array
    cost: Array
    heading: float

    @property
    def lines(self) -> bool:
        """Whether x and y are the lines of a grid."""
        return self.cost.ndim == 2 and self.x.shape[1] == 1 == self.y.shape[0]

    def place(self, index: int) -> tuple[float, float]:
        """Return x and y of the candidate with a flat index into `cost`."""
        if not self.lines:
            return self.x.item(index), self.y.item(index)
        row, column = divmod(index, self.y.size)
        return self.x.item(row), self.y.item(column)


# Obstacles that each blocked a cheaper candidate; None if the choice depends on all obstacles. With
# other obstacles the choice is the same if these are among them and none blocks it.
Blockers = tuple[Thing, ...] | None
FreePlace = tuple[float, float, float, Blockers]  # x, y, heading, and what it depends on


def cheapest_free(
    candidates: Sequence[Candidates],
    size: tuple[float, float],
    obstacles: Sequence[Thing],
    floor: Floor | None,
) -> FreePlace | None:
    """Return the cheapest candidate whose footprint meets no obstacle and is inside the floor.

    `size` is (depth, width) of the footprint. The first candidate wins ties; None if there is
    none. Overwrites the costs. Candidates that an obstacle blocks are removed only from the
    groups that met it.
    """
    groups = [_Group(c, size) for c in candidates if c.cost.size]
    culprits: dict[int, Thing] = {}
    alone = True  # whether every blocked candidate was blocked by one obstacle alone
    while groups:
        group = groups[0] if len(groups) == 1 else min(groups, key=attrgetter("least"))
        if group.least == math.inf:
            return None
        box = group.cheapest()
        culprit = _in_the_way(box, group.half_x, group.half_y, obstacles, floor)
        if culprit is None:
            blockers = tuple(culprits.values()) if alone else None
            return box.x, box.y, group.heading, blockers
        if isinstance(culprit, Thing):
            culprits[id(culprit)] = culprit
        elif culprit == "several":
            alone = False
        group.rule_out(culprit)
    return None


class _Group:
    """Candidates of one heading, with the cheapest that is not known to be blocked.

    `index` is its flat index, `least` its cost: infinite if none is left.
    """

    def __init__(self, candidates: Candidates, size: tuple[float, float]) -> None:
        self.x, self.y, cost, self.heading = candidates
        self.lines = candidates.lines
        self.costs = cost.reshape(-1)
        self.cost = self.costs.reshape(cost.shape)  # the same memory
        c, s = math.cos(self.heading), math.sin(self.heading)
        self.box = rectangle((0.0, 0.0, c, s, size[0] / 2, size[1] / 2))
        self.half_x, self.half_y = reach_x(self.box), reach_y(self.box)
        # how often each obstacle blocked the cheapest candidate, by id()
        self.met: dict[int, int] = {}
        self._find_cheapest()

    def _find_cheapest(self) -> None:
        self.index = int(self.costs.argmin())
        self.least = self.costs.item(self.index)

    def cheapest(self) -> Rectangle:
        """Return the footprint of the cheapest candidate."""
        _, _, c, s, a, b = self.box
        row = column = self.index
        if self.lines:
            row, column = divmod(self.index, self.y.size)
        return rectangle((self.x.item(row), self.y.item(column), c, s, a, b))

    def rule_out(self, culprit: "Thing | Floor | str") -> None:
        """Set the costs of the cheapest and of other candidates that `culprit` blocks to inf."""
        self.costs[self.index] = math.inf
        times = self.met[id(culprit)] = self.met.get(id(culprit), 0) + 1
        if isinstance(culprit, Thing):
            # The block leaves out a rim; a candidate that meets the obstacle again is in that rim.
            if not (times == 1 and self._block_ruled_out(culprit)) and times <= 2:
                blocked = overlapping(self.x, self.y, self.box, culprit.box, FREE)
                np.putmask(self.cost, blocked, math.inf)
        elif isinstance(culprit, Floor) and times == 1:
            np.putmask(self.cost, culprit.beyond(self.x, self.y, self.box, FREE), math.inf)
        self._find_cheapest()

    def _block_ruled_out(self, thing: Thing) -> bool:
        """Remove the block of a grid that overlaps an object by EDGE along both axes.

        Return False if the overlapping candidates do not form such a block.
        """
        its_x, its_y = thing.x1 - thing.x0, thing.y1 - thing.y0
        thin = min(its_x, its_y, 2 * self.half_x, 2 * self.half_y) < EDGE
        if thin or not (self.lines and along_axes(self.box) and along_axes(thing.box)):
            return False
        edge_x, edge_y = self.half_x - EDGE, self.half_y - EDGE
        rows = _between(self.x, thing.x0 - edge_x, thing.x1 + edge_x)
        columns = _between(self.y, thing.y0 - edge_y, thing.y1 + edge_y)
        self.cost[rows, columns] = math.inf
        return True


def _between(line: Array, low: float, high: float) -> slice:
    """Return the slice of an evenly spaced line with values in [low, high]."""
    start, last = line.item(0), line.size - 1
    step = (line.item(last) - start) / last if last else 1.0
    first, end = (low - start) / step, (high - start) / step
    if step < 0:
        first, end = end, first
    return slice(max(math.ceil(first), 0), max(math.floor(end) + 1, 0))


def _in_the_way(
    box: Rectangle, half_x: float, half_y: float, obstacles: Sequence[Thing], floor: Floor | None
) -> Thing | Floor | str | None:
    """Return the obstacle that alone blocks a footprint, else None.

    "several" if only several obstacles together block it.

    `half_x` and `half_y` are the footprint's half extents along the axes.
    """
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
) -> tuple[FreePlace, float]:
    """Return the candidate with the smallest overlap, the cheapest on ties, and its overlap.

    The overlap is the area shared with obstacles or outside the floor, square metres. Tests every
    candidate.
    """
    best: tuple[float, float, FreePlace] | None = None
    for c in candidates:
        lines = c.x.tobytes(), c.y.tobytes(), c.x.shape, c.y.shape
        wrong = _wrong(_footprints(*lines, c.heading, size), obstacles, floor)
        cost = c.cost.ravel()
        k = int(np.lexsort((cost, wrong))[0])
        if best is None or (wrong[k], cost[k]) < best[:2]:
            best = float(wrong[k]), float(cost[k]), (*c.place(k), c.heading, None)
    return best[2], best[0]


# The footprints at all places of `Candidates`, and a cache of areas by obstacle or floor.
_Footprints = tuple[np.ndarray, dict[Rectangle | Floor, Array]]


@lru_cache(16)
def _footprints(
    x: bytes, y: bytes, x_shape: tuple, y_shape: tuple, heading: float, size: tuple[float, float]
) -> _Footprints:
    lines = np.frombuffer(x).reshape(x_shape), np.frombuffer(y).reshape(y_shape)
    points = np.stack(np.broadcast_arrays(*lines), -1).reshape(-1, 2)
    headings, sizes = np.full(len(points), heading), np.tile(size, (len(points), 1))
    return footprints(points, headings, sizes), {}


def _wrong(boxes: _Footprints, obstacles: Sequence[Thing], floor: Floor | None) -> Array:
    """Return (n,) square metres of footprints that are shared with obstacles or outside the floor.

    Areas are cached, as posterior samples of a room mostly share their obstacles.
    """
    shapes, known = boxes
    wrong = np.zeros(len(shapes))
    if floor is not None:
        if floor not in known:
            known[floor] = np.zeros(len(shapes))
            out = np.flatnonzero(~shapely.covers(floor.allowed, shapes))
            known[floor][out] = shapely.area(shapely.difference(shapes[out], floor.allowed))
        wrong += known[floor]
    for obstacle in obstacles:
        if obstacle.box not in known:
            areas = known[obstacle.box] = np.zeros(len(shapes))
            shape = shapely.Polygon(obstacle.box.corners)
            near = np.flatnonzero(shapely.intersects(shapes, shape))
            areas[near] = shapely.area(shapely.intersection(shapes[near], shape))
        wrong += known[obstacle.box]
    return wrong
