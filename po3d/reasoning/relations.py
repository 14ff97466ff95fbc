"""Geometry to truth: which object is left of, faces like, or would run into which.

Each relation is a signed distance to its border. Those of streets (`Pairs`) are of all pairs of things at once, of one table, of
thousands or of thousands of draws. `xp` is the array library: numpy, or torch for the batched executors. Those of rooms and
photographs take two or three bodies, whose numbers are floats (`Floats`: one pair) or arrays that broadcast.

Sources: the question engine and scene makers of Super-CLEVR, Super-CLEVR-3D and PulseCheck457 (Spatial457).
What they did not publish (collisions, the 6D margin) is a choice, named in `rules.Rules`, to be refitted when
the labels are at hand.
"""

import math
from collections.abc import Callable
from functools import cached_property, reduce
from types import ModuleType
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from po3d.reasoning.rules import Rules
from po3d.scene.rectangles import Floats, Rectangle, above_zero, depth, distance, from_segment, holds
from po3d.scene.street import AXES
from po3d.scene.vocabulary import DIRECTIONS, FACINGS

Arrays = Any  # numpy arrays or torch tensors, whichever `xp` makes
Frame = Literal["camera", "object"]

NO_FACING = -1
CENTRES = {
    "back": 0.0,
    "right": 90.0,
    "front": 180.0,
    "left": 270.0,
}  # of the windows of facing, `pose_degrees`
ALIGNED = ("same_direction", "opposite_direction", "perpendicular", "parallel")  # relations of two noses
_FAR = 1e9  # longer than any scene
_STREET_BEHIND_DEG = math.degrees(math.atan2(AXES["behind"][1], AXES["behind"][0]))  # 138.98


class Pairs:
    """What streets ask of every two of n things: arrays [i, j, ...] that say of j what it is to i, each worked out once. Behind
    the things may come axes of any number of tables and draws.

    x, y, headings (n, ...): the origins on the ground and the noses. axes (4, 2, ...): the viewer's ground axes in DIRECTIONS
    order. extents (n, 2 or 3, ...): length, width. bicycle (n, ...) bool, read only when `rules.bicycle_front_is_nose` is off.
    mask (n, ...) bool: real things, not padding.
    """

    def __init__(
        self,
        x: Arrays,
        y: Arrays,
        headings: Arrays,
        axes: Arrays,
        extents: Arrays,
        rules: Rules,
        bicycle: Arrays | None = None,
        mask: Arrays | None = None,
        xp: ModuleType = np,
    ) -> None:
        self.x, self.y, self.headings, self.axes, self.extents = x, y, headings, axes, extents
        self.rules, self.bicycle, self.mask, self.xp = rules, bicycle, mask, xp

    def truth(self, relation: str, *frame: str) -> Arrays:
        """[i, j, ...] bool: is j in a relation, or a direction of a frame ("camera", "object"), to i? Nothing is to itself."""
        return holds_at(self.spare(relation, *frame), relation) & self._others

    def spare(self, relation: str, *frame: str) -> Arrays:
        """[i, j, ...] how far j is within the border of a relation to i; negative: how far beyond it. Whether i has
        the facing label that rules may ask for is the caller's question."""
        if frame:
            margin = self.rules.margin_2d if frame == ("camera",) else self.rules.margin_6d
            return self._ahead(relation, *frame) - margin
        return RELATIONS[relation].spare(self)

    # --- places: origins alone count, extents do not -----------------------------------------------------------

    def _ahead(self, direction: str, frame: str) -> Arrays:
        """How much further to `direction` j is than i."""
        if frame == "camera":
            x, y = self.axes[DIRECTIONS.index(direction)]
            along = self.x * x + self.y * y
            return along[None] - along[:, None]
        front, left = self._fronts
        return {
            "front": lambda: front,
            "behind": lambda: -front,
            "left": lambda: left,
            "right": lambda: -left,
        }[direction]()

    @cached_property
    def _fronts(self) -> tuple[Arrays, Arrays]:
        """How much further to the front and to the left of i j is, as its rules tell i's front."""
        if self.rules.bicycle_front_is_nose or self.bicycle is None:
            return self.seen
        return self._from(self.headings + self.bicycle * (math.pi / 2))

    @cached_property
    def seen(self) -> tuple[Arrays, Arrays]:
        """The same along i's nose."""
        return self._from(self.headings)

    def _from(self, headings: Arrays) -> tuple[Arrays, Arrays]:
        c, s = self.xp.cos(headings)[:, None], self.xp.sin(headings)[:, None]
        dx, dy = self.x[None] - self.x[:, None], self.y[None] - self.y[:, None]
        return dx * c + dy * s, dy * c - dx * s

    # --- headings ----------------------------------------------------------------------------------------------

    @cached_property
    def degrees(self) -> Arrays:
        """(n, ...) `pose_degrees`."""
        return pose_degrees(self.headings, self.axes, self.rules, self.xp)

    @cached_property
    def facings(self) -> Arrays:
        """(n, ...) `facing_labels`."""
        return facing_labels(self.degrees, self.rules, self.xp)

    @cached_property
    def turned(self) -> Arrays:
        """Degrees between two noses, in [0, 180]."""
        turn = self.xp.abs(self.degrees[None] - self.degrees[:, None])
        return self.xp.minimum(turn, 360 - turn)

    # --- collisions --------------------------------------------------------------------------------------------

    @cached_property
    def sweeps(self) -> tuple[Arrays, Arrays]:
        """How deep j's footprint is in the strip that i's sweeps forward, and backward, along its heading: by separating axes,
        of the two boxes' four, so that what is beyond a corner is somewhat farther than is said. Touching counts."""
        xp, least = self.xp, self.xp.minimum
        px, py = self.seen  # j's middle in the frame of i, x along its nose
        c, s = xp.cos(self.headings), xp.sin(self.headings)
        ci, si, cj, sj = c[:, None], s[:, None], c[None], s[None]
        c, s = ci * cj + si * sj, ci * sj - si * cj  # j's nose
        length, width = self.extents[:, 0] / 2, self.extents[:, 1] / 2
        a, b = length[None], width[None]
        back, half = length[:, None], width[:, None] + self.rules.sweep_margin
        along, across = xp.abs(c), xp.abs(s)
        # A box is the same turned by half a circle: q is py where the axes of j run so that the strip leads up them.
        q = py * xp.sign(c * s)
        nose, side = px * along + q * across, px * across - q * along  # of j's middle, along j's axes
        deep = (
            a * along + b * across + back
        )  # the sum of what both take up along each axis, the way ahead aside
        deep_nose, deep_side = back * along + half * across + a, back * across + half * along + b
        wide = half + a * across + b * along - xp.abs(py)
        reach, found = self.rules.sweep_range, []
        for sense in (1, -1):
            inside = least(wide, deep + sense * px)
            inside = least(inside, least(deep_nose + sense * nose, deep_side + sense * side))
            if reach < math.inf:
                inside = least(inside, deep + reach - sense * px)
                inside = least(inside, deep_nose + reach * along - sense * nose)
                inside = least(inside, deep_side + reach * across - sense * side)
            if self.rules.first_hit_only and len(self.x):
                contact = _first_contact(sense * px, sense * py, sense * c, sense * s, a, b, half, xp)
                contact = xp.maximum(contact, back)  # its own front: touching
                hit = (inside >= 0) & self._others
                nearest = xp.amin(xp.where(hit, contact, _FAR), 1)[:, None]
                inside = xp.where(hit & (contact > nearest), nearest - contact, inside)
            found.append(inside)
        return found[0], found[1]

    @cached_property
    def _others(self) -> Arrays:
        """Which pairs are of two real things."""
        other = ~self.xp.eye(len(self.x), dtype=self.xp.bool, device=self.x.device)
        other = other.reshape(other.shape + (1,) * (self.x.ndim - 1))
        return other if self.mask is None else other & self.mask[None] & self.mask[:, None]


class Relation(NamedTuple):
    """What streets ask of all pairs besides directions."""

    spare: Callable[[Pairs], Arrays]  # [i, j, ...] how far within its border j is
    unit: Literal["length", "degrees"] = "length"
    closed: bool = False  # whether it holds on the border, too


RELATIONS = {
    how: Relation(
        lambda p, how=how: alignment(p.turned, how, p.rules, p.xp), "degrees", how == "perpendicular"
    )
    for how in ALIGNED
} | {
    "collides_forward": Relation(lambda p: p.sweeps[0], closed=True),
    "collides_backward": Relation(lambda p: p.sweeps[1], closed=True),
}


def closed(relation: str) -> bool:
    """Whether a relation, or a direction, holds on its border, too."""
    return relation in RELATIONS and RELATIONS[relation].closed


def holds_at(spare: Arrays, relation: str) -> Arrays:
    """Whether a relation holds so far within its border."""
    return spare >= 0 if closed(relation) else spare > 0


def pose_degrees(headings: Arrays, axes: Arrays, rules: Rules, xp: ModuleType = np) -> Arrays:
    """(n, ...) in [0, 360): the nose's angle from the axis "behind" over "right", on streets clockwise from "away from the camera";
    arguments as of `Pairs`."""
    (lx, ly), (fx, fy), (x, y) = (axes[DIRECTIONS.index(side)] for side in ("left", "front", "behind"))
    sense = xp.sign(fy * lx - fx * ly)  # -1 where front is ahead of who looks, and left at its other side
    turned = sense * xp.atan2(y, x) * (180 / math.pi) - _STREET_BEHIND_DEG
    return xp.remainder(rules.facing_zero_deg + turned - sense * headings * (180 / math.pi), 360.0)


def facing_labels(degrees: Arrays, rules: Rules, xp: ModuleType = np) -> Arrays:
    """(n, ...) index into FACINGS of `pose_degrees`, NO_FACING where the nose points between two windows."""
    w = rules.facing_window_deg
    label = xp.full_like(degrees, NO_FACING, dtype=xp.int64)
    for name, centre in CENTRES.items():
        faces = (degrees > centre - w) & (degrees <= centre + w)
        if not centre:  # degrees begin again there; its window has no border of its own
            faces = (degrees < w) | (degrees > 360 - w)
        label = xp.where(faces, FACINGS.index(name), label)
    return label


def alignment(turn: Arrays, how: str, rules: Rules, xp: Any = Floats) -> Arrays:
    """Degrees by which noses with `turn` degrees in [0, 180] between them are within one of ALIGNED; negative: by which they
    are not."""
    same, opposite = rules.aligned_same_deg - turn, turn - rules.aligned_opposite_deg
    parallel = xp.maximum(same, opposite)
    return dict(zip(ALIGNED, (same, opposite, -parallel, parallel)))[how]


def _first_contact(
    px: Arrays, py: Arrays, cj: Arrays, sj: Arrays, a: Arrays, b: Arrays, half: Arrays, xp: ModuleType
) -> Arrays:
    """[i, j, ...] smallest x of j's rectangle inside the strip |y| <= half of i's frame; else inf."""
    corners = []
    for e, f in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        corners.append((px + e * a * cj - f * b * sj, py + e * a * sj + f * b * cj))
    best = xp.full_like(px, math.inf)
    for k, (x0, y0) in enumerate(corners):
        best = xp.where(xp.abs(y0) <= half, xp.minimum(best, x0), best)
        x1, y1 = corners[(k + 1) % 4]
        for border in (half, -half):  # where the edge from corner k to the next crosses the strip's borders
            crosses = (y0 - border) * (y1 - border) < 0
            step = xp.where(crosses, y1 - y0, xp.ones_like(y0))
            best = xp.where(crosses, xp.minimum(best, x0 + (border - y0) / step * (x1 - x0)), best)
    return best


# --- rooms and photographs: a body or two, and another ---------------------------------------------------------


class Body(Protocol):
    """What relations read of a thing, `scene.index.Thing` or columns of a batch; lengths are the table's."""

    box: Rectangle
    low: Any  # height of the underside
    z: Any  # ... of the middle
    height: Any
    longest: Any  # of its edges
    right: Any  # place in the frame
    front: Any


def stacked(a: Body, b: Body) -> Arrays:
    """Whether one stands over the other: either's middle is within the other's footprint."""
    return holds(a.box, b.box.x, b.box.y) | holds(b.box, a.box.x, a.box.y)


def gap(a: Body, b: Body, xp: Any = Floats) -> Arrays:
    """Between two boxes in space, 0 when they meet."""
    return xp.hypot(distance(a.box, b.box, xp), above_zero(abs(a.z - b.z) - (a.height + b.height) / 2))


def next_to_limit(a: Body, b: Body, rules: Rules) -> Arrays:
    """The widest gap of neighbours."""
    return rules.next_to if rules.next_to_in == "metres" else rules.next_to * (a.longest + b.longest) / 2


def neighbours(a: Body, b: Body, rules: Rules, xp: Any = Floats) -> Arrays:
    """How much less than the widest is the gap of two things; negative: how much more. Where the rules count in metres it is
    over the ground."""
    apart = distance(a.box, b.box, xp) if rules.next_to_in == "metres" else gap(a, b, xp)
    return next_to_limit(a, b, rules) - apart


def over(a: Body, b: Body, rules: Rules, xp: Any = Floats) -> Arrays:
    """By how much a is directly above b; negative: by how much it isn't."""
    inside = xp.maximum(depth(b.box, a.box.x, a.box.y, xp), depth(a.box, b.box.x, b.box.y, xp))
    return xp.minimum(inside, a.low - b.z + rules.above_slack)


def between_bounds(a: Body, b: Body, rules: Rules, xp: Any = Floats) -> list[tuple[Arrays, Arrays, Arrays]]:
    """(x, y, least): what is between a and b, near the line from one to the other and not at its ends, lies so that
    x * right + y * front >= least from a, for all four. Nothing is between two at one place."""
    right, front = b.right - a.right, b.front - a.front
    length = xp.hypot(right, front)
    apart = length >= 1e-6
    x, y = (way / xp.where(apart, length, 1.0) for way in (right, front))
    wide = xp.where(apart, 0 * length - rules.between, math.inf)
    return [(y, -x, wide), (-y, x, wide), (x, y, 0.1 * length), (-x, -y, -0.9 * length)]


def between(a: Body, b: Body, i: Body, rules: Rules, xp: Any = Floats) -> Arrays:
    """How far inside the bounds of what is between a and b the middle of i is; negative: how far outside."""
    right, front = i.right - a.right, i.front - a.front
    spare = (x * right + y * front - least for x, y, least in between_bounds(a, b, rules, xp))
    return reduce(xp.minimum, spare)


def off_path(a: Body, b: Body, i: Body, xp: Any = Floats) -> Arrays:
    """How far the footprint of i is from the line between the middles of a and b."""
    return from_segment(i.box, (a.box.x, a.box.y), (b.box.x, b.box.y), xp)


def in_the_way(i: Body, rules: Rules) -> Arrays:
    """Whether one can't step over a thing, or walk under it."""
    return (i.height > rules.step_over) & (i.low < rules.head)


def cone(direction: str, rules: Rules) -> float:
    """Radians on either side of a direction."""
    return math.radians(rules.cone) * (0.5 if "_" in direction else 1.0) + 1e-9
