"""Geometric relations as signed distances to their borders.

Examples are left of, facing, parallel and collides forward. Signed distances are positive inside.

Street relations (`Pairs`) are computed for all pairs of objects at once, of one table, of
thousands of tables, or of thousands of posterior samples. `xp` is the array library: numpy, or
torch for the batched executors. Relations of rooms and photographs are in `body_relations`.

Sources: the question engine and scene generators of Super-CLEVR, Super-CLEVR-3D and PulseCheck457
(Spatial457). What they did not publish (collisions, the 6D margin) is a parameter of
`rules.Rules`, to be refitted when the labels are available.
"""

import math
from collections.abc import Callable
from functools import cached_property
from types import ModuleType
from typing import Any, Literal, NamedTuple

import numpy as np

from po3d.reasoning.rules import Rules
from po3d.scene.rectangles import Floats
from po3d.scene.street import AXES
from po3d.scene.vocabulary import DIRECTIONS, FACINGS

Arrays = Any  # numpy arrays or torch tensors, depending on `xp`
Frame = Literal["camera", "object"]

NO_FACING = -1
# centres of the facing windows in `pose_degrees`
CENTRES = {"back": 0.0, "right": 90.0, "front": 180.0, "left": 270.0}
# relations between two headings
ALIGNED = ("same_direction", "opposite_direction", "perpendicular", "parallel")
_STREET_BEHIND_DEG = math.degrees(math.atan2(AXES["behind"][1], AXES["behind"][0]))  # 138.98


class Pairs:
    """Street relations of all pairs of n objects, cached: arrays [i, j, ...], relation of j to i.

    Trailing axes may index any number of tables and samples. x, y, headings (n, ...): ground
    positions and headings. axes (4, 2, ...): the viewer's ground axes in the order of DIRECTIONS.
    extents (n, 2 or 3, ...): length, width. mask (n, ...) bool: False for padding.
    """

    def __init__(
        self,
        x: Arrays,
        y: Arrays,
        headings: Arrays,
        axes: Arrays,
        extents: Arrays,
        rules: Rules,
        mask: Arrays | None = None,
        xp: ModuleType = np,
    ) -> None:
        self.x, self.y, self.headings, self.axes, self.extents = x, y, headings, axes, extents
        self.rules, self.mask, self.xp = rules, mask, xp

    def truth(self, relation: str, *frame: str) -> Arrays:
        """Return [i, j, ...] bool: whether j is in a relation, or a direction of a frame, to i.

        `frame` is "camera" or "object". False on the diagonal.
        """
        return holds_at(self.spare(relation, *frame), relation) & self._others

    def spare(self, relation: str, *frame: str) -> Arrays:
        """Return [i, j, ...] signed distance of j to the border of a relation to i; inside > 0.

        The caller must check that i has the facing label that some rules require.
        """
        if frame:
            margin = self.rules.margin_2d if frame == ("camera",) else self.rules.margin_6d
            return self._ahead(relation, *frame) - margin
        return RELATIONS[relation].spare(self)

    # --- positions: origins only, no extents ------------------------------------------------------

    def _ahead(self, direction: str, frame: str) -> Arrays:
        """Return [i, j, ...] signed displacement from i to j along `direction`."""
        if frame == "camera":
            x, y = self.axes[DIRECTIONS.index(direction)]
            along = self.x * x + self.y * y
            return along[None] - along[:, None]
        front, left = self.in_own_frame
        along = front if direction in ("front", "behind") else left
        return along if direction in ("front", "left") else -along

    @cached_property
    def in_own_frame(self) -> tuple[Arrays, Arrays]:
        """Displacements [i, j, ...] along the heading of i and to its left."""
        c, s = self.xp.cos(self.headings)[:, None], self.xp.sin(self.headings)[:, None]
        dx, dy = self.x[None] - self.x[:, None], self.y[None] - self.y[:, None]
        return dx * c + dy * s, dy * c - dx * s

    # --- headings ---------------------------------------------------------------------------------

    @cached_property
    def degrees(self) -> Arrays:
        """(n, ...) angles of `pose_degrees`."""
        return pose_degrees(self.headings, self.axes, self.rules, self.xp)

    @cached_property
    def facings(self) -> Arrays:
        """(n, ...) labels of `facing_labels`."""
        return facing_labels(self.degrees, self.rules, self.xp)

    @cached_property
    def turned(self) -> Arrays:
        """[i, j, ...] degrees between two headings, in [0, 180]."""
        turn = self.xp.abs(self.degrees[None] - self.degrees[:, None])
        return self.xp.minimum(turn, 360 - turn)

    # --- collisions -------------------------------------------------------------------------------

    @cached_property
    def sweeps(self) -> tuple[Arrays, Arrays]:
        """Penetration depth [i, j, ...] of j's footprint into the strips that i sweeps.

        The first strip is forward, the second backward along the heading.

        Separating axis test over the four axes of the two boxes; beyond a corner the true
        distance is larger than the one returned. Touching counts as a collision.
        """
        xp, least = self.xp, self.xp.minimum
        px, py = self.in_own_frame  # centre of j in the frame of i, x along its heading
        c, s = xp.cos(self.headings), xp.sin(self.headings)
        ci, si, cj, sj = c[:, None], s[:, None], c[None], s[None]
        c, s = ci * cj + si * sj, ci * sj - si * cj  # heading of j in the frame of i
        length, width = self.extents[:, 0] / 2, self.extents[:, 1] / 2
        a, b = length[None], width[None]
        back, half = length[:, None], width[:, None] + self.rules.sweep_margin
        along, across = xp.abs(c), xp.abs(s)
        # A box is symmetric under rotation by pi: q is py with the axes of j chosen so that the
        # strip runs upwards along both.
        q = py * xp.sign(c * s)
        # centre of j along the axes of j
        nose, side = px * along + q * across, px * across - q * along
        # sum of both half extents along each axis, without the swept length
        deep = a * along + b * across + back
        deep_nose, deep_side = back * along + half * across + a, back * across + half * along + b
        wide = half + a * across + b * along - xp.abs(py)
        reach, sweeps = self.rules.sweep_range, []
        for sense in (1, -1):
            inside = least(wide, deep + sense * px)
            inside = least(inside, least(deep_nose + sense * nose, deep_side + sense * side))
            if reach < math.inf:
                inside = least(inside, deep + reach - sense * px)
                inside = least(inside, deep_nose + reach * along - sense * nose)
                inside = least(inside, deep_side + reach * across - sense * side)
            sweeps.append(inside)
        return sweeps[0], sweeps[1]

    @cached_property
    def _others(self) -> Arrays:
        """[i, j, ...] whether i and j are two different objects, and no padding."""
        other = ~self.xp.eye(len(self.x), dtype=self.xp.bool, device=self.x.device)
        other = other.reshape(other.shape + (1,) * (self.x.ndim - 1))
        return other if self.mask is None else other & self.mask[None] & self.mask[:, None]


class Relation(NamedTuple):
    """A street relation other than a direction."""

    spare: Callable[[Pairs], Arrays]  # [i, j, ...] signed distance to its border
    words: str  # the border in words, with a place for the other object
    unit: Literal["length", "degrees"] = "length"
    closed: bool = False  # whether the relation includes its border


def _aligned(relation: str, words: str, closed: bool = False) -> Relation:
    spare = lambda p: alignment(p.turned, relation, p.rules, p.xp)  # noqa: E731
    return Relation(spare, words, "degrees", closed)


RELATIONS = {
    "same_direction": _aligned("same_direction", "the same way as {}"),
    "opposite_direction": _aligned("opposite_direction", "the opposite way of {}"),
    "perpendicular": _aligned("perpendicular", "across {}", closed=True),
    "parallel": _aligned("parallel", "parallel to {}"),
    "collides_forward": Relation(lambda p: p.sweeps[0], "the forward way of {}", closed=True),
    "collides_backward": Relation(lambda p: p.sweeps[1], "the backward way of {}", closed=True),
}


def closed(relation: str) -> bool:
    """Whether a relation, or a direction, includes its border."""
    return relation in RELATIONS and RELATIONS[relation].closed


def holds_at(spare: Arrays, relation: str) -> Arrays:
    """Whether a relation holds at a signed distance to its border."""
    return spare >= 0 if closed(relation) else spare > 0


def pose_degrees(headings: Arrays, axes: Arrays, rules: Rules, xp: ModuleType = np) -> Arrays:
    """Return (n, ...) angles in [0, 360) of the headings from the axis "behind" over "right".

    On streets: clockwise from "away from the camera". Arguments as of `Pairs`.
    """
    (lx, ly), _, (fx, fy), (x, y) = axes  # in the order of DIRECTIONS
    # -1 if left and front have the opposite orientation to that of a viewer who faces the front
    sense = xp.sign(fy * lx - fx * ly)
    turned = sense * xp.atan2(y, x) * (180 / math.pi) - _STREET_BEHIND_DEG
    return xp.remainder(rules.facing_zero_deg + turned - sense * headings * (180 / math.pi), 360.0)


def facing_labels(degrees: Arrays, rules: Rules, xp: ModuleType = np) -> Arrays:
    """Return (n, ...) indices into FACINGS of `pose_degrees`; NO_FACING between two windows."""
    w = rules.facing_window_deg
    label = xp.full_like(degrees, NO_FACING, dtype=xp.int64)
    for name, centre in CENTRES.items():
        faces = (degrees > centre - w) & (degrees <= centre + w)
        if not centre:  # degrees wrap around in this window
            faces = (degrees < w) | (degrees > 360 - w)
        label = xp.where(faces, FACINGS.index(name), label)
    return label


def alignment(turn: Arrays, relation: str, rules: Rules, xp: Any = Floats) -> Arrays:
    """Return the signed distance (degrees) to the border of one of ALIGNED; positive inside.

    `turn` is the angle between two headings, in [0, 180].
    """
    same, opposite = rules.aligned_same_deg - turn, turn - rules.aligned_opposite_deg
    parallel = xp.maximum(same, opposite)
    return dict(zip(ALIGNED, (same, opposite, -parallel, parallel)))[relation]
