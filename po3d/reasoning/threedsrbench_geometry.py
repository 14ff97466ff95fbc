"""What 3DSRBench's twelve questions mean on a table, and how far each answer is from its boundary.

Lengths are the table's (metres), z is up: a camera's roll and pitch are in its pose, so "higher" is higher in the
world. Positions are centres of boxes, headings point out of fronts. Every rule returns a `Verdict`: the answer and its
margins, the least change of a length or an angle that would alter it. The benchmark was annotated by people and
publishes no thresholds; `SrRules` holds ours with their reasons.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import shapely

from po3d.language.programs.threedsrbench import ANSWERS
from po3d.reasoning.outcome import ExecutionFailure
from po3d.scene.geometry import Array, footprint, wrap_angle
from po3d.scene.table import Scene


@dataclass(frozen=True)
class SrRules:
    """The constants of the ground truth."""

    # Two things are next to each other when the gap between their boxes is at most this share of their size, the mean
    # of their longest edges. People judge by size: half a metre between chairs or three metres between buses is
    # "next to". 0.5 gives 0.5 m for furniture of about a metre, Hypo3D's rule of our rooms (RoomRules.next_to).
    next_to: float = 0.5
    # A thing is directly above another when the middle of one is over the other's footprint and its underside is not
    # below the other's middle: a lamp over a table, not a chair pushed under it. The slack lets a table stand on a rug.
    above_slack: float = 0.05
    # Sides are quarters of the circle around front, left, back and right.
    quarter: float = 45.0
    # Headings between parallel (0 or 180 degrees apart) and perpendicular (90): the nearer of the two.
    parallel: float = 45.0
    # "Same or similar" or "very different": as far as a right angle, which people call different, from equal.
    same: float = 45.0
    # A thing faces what is at most this far off its front. When neither candidate is, the one less far off is still the
    # answer, but its margin is 0: people would not agree.
    facing: float = 60.0


DEFAULT_SR_RULES = SrRules()


class Verdict(NamedTuple):
    """An answer: a word of its type, or the number of the thing (among the operation's) that it chooses. Margins are
    infinite where no length or no angle decides."""

    answer: str | int
    metres: float = math.inf
    degrees: float = math.inf


class View:
    """A table with what its questions need worked out once."""

    def __init__(self, scene: Scene, rules: SrRules = DEFAULT_SR_RULES) -> None:
        self.scene, self.rules = scene, rules
        self.position, self.heading, self.extent = scene.positions, scene.headings, scene.extents

    @cached_property
    def footprints(self) -> np.ndarray:
        """(n,) polygons on the ground."""
        return shapely.polygons(footprint(self.position, self.heading, self.extent))

    @cached_property
    def eye(self) -> Array:
        """(3,) where the camera is."""
        if self.scene.camera is None:
            raise ExecutionFailure("unknown", "the table has no camera")
        return self.scene.camera.position

    def decide(self, op: str, things: tuple[int, ...]) -> Verdict:
        """The answer of an operation on rows of the table."""
        if len(set(things)) < len(things):
            raise ExecutionFailure("ambiguous", "two descriptions mean the same thing")
        return _RULES[op](self, *things)

    # --- lengths ------------------------------------------------------------------------------------------------

    def bottom(self, i: int) -> float:
        return float(self.position[i, 2] - self.extent[i, 2] / 2)

    def gap(self, i: int, j: int) -> float:
        """Between two boxes, 0 when they meet."""
        across = float(shapely.distance(self.footprints[i], self.footprints[j]))
        apart = abs(self.position[i, 2] - self.position[j, 2]) - (self.extent[i, 2] + self.extent[j, 2]) / 2
        return math.hypot(across, max(0.0, float(apart)))

    def next_to_limit(self, i: int, j: int) -> float:
        """The widest gap of neighbours."""
        return self.rules.next_to * float(self.extent[i].max() + self.extent[j].max()) / 2

    def over(self, i: int, j: int) -> float:
        """By how much i is directly above j; negative: by how much it isn't."""
        points = [shapely.Point(self.position[k, :2]) for k in (i, j)]
        inside = max(_depth(points[0], self.footprints[j]), _depth(points[1], self.footprints[i]))
        return min(inside, self.bottom(i) - float(self.position[j, 2]) + self.rules.above_slack)

    # --- angles -------------------------------------------------------------------------------------------------

    def bearing(self, i: int, point: Array) -> float:
        """Degrees from the front of i to a point, counter-clockwise from above (left is 90), in (-180, 180]."""
        x, y = point[:2] - self.position[i, :2]
        if math.hypot(x, y) < 1e-9:
            raise ExecutionFailure("unknown", "a thing stands on the very spot it is seen from")
        return math.degrees(float(wrap_angle(math.atan2(y, x) - self.heading[i])))

    def away(self, i: int, point: Array) -> float:
        """Along the ground."""
        return float(np.hypot(*(point[:2] - self.position[i, :2])))


def _depth(point: shapely.Point, polygon: shapely.Polygon) -> float:
    """How far inside a polygon a point is; negative outside."""
    edge = float(shapely.distance(point, polygon.exterior))
    return edge if polygon.contains(point) else -edge


def _extreme(measure: Callable[[View, int], float], sign: float) -> Callable[[View, int, int], Verdict]:
    """The rule of "which of the two has more (sign 1) or less (-1) of it"."""

    def rule(view: View, i: int, j: int) -> Verdict:
        more = sign * (measure(view, i) - measure(view, j))
        return Verdict(0 if more > 0 else 1, abs(more))

    return rule


def _height(view: View, i: int) -> float:
    return float(view.position[i, 2])


def _from_eye(view: View, i: int) -> float:
    return float(np.linalg.norm(view.position[i] - view.eye))


def _above(view: View, i: int, j: int) -> Verdict:
    by = view.over(i, j)
    return Verdict(ANSWERS["boolean"][0 if by > 0 else 1], abs(by))


def _next_to(view: View, i: int, j: int) -> Verdict:
    spare = view.next_to_limit(i, j) - view.gap(i, j)
    return Verdict(ANSWERS["nearness"][0 if spare >= 0 else 1], abs(spare))


def _in_front_of(view: View, i: int, j: int) -> Verdict:
    off = 90 - abs(view.bearing(i, view.position[j]))
    metres = view.away(i, view.position[j]) * math.sin(math.radians(abs(off)))
    return Verdict(ANSWERS["depth"][0 if off > 0 else 1], metres, abs(off))


def _on_the_left(view: View, i: int, j: int) -> Verdict:
    b = view.bearing(i, view.position[j])
    off = min(abs(b), 180 - abs(b))
    metres = view.away(i, view.position[j]) * math.sin(math.radians(off))
    return Verdict(ANSWERS["side"][0 if b > 0 else 1], metres, off)


def _quarter(view: View, i: int, point: Array) -> Verdict:
    b = view.bearing(i, point)
    turn = round(b / 90)
    off = view.rules.quarter - abs(b - 90 * turn)
    return Verdict(ANSWERS["quarter"][turn % 4], view.away(i, point) * math.sin(math.radians(off)), off)


def _closer_to(sign: float) -> Callable[[View, int, int, int], Verdict]:
    def rule(view: View, anchor: int, i: int, j: int) -> Verdict:
        def distance(k: int) -> float:
            return float(np.linalg.norm(view.position[k] - view.position[anchor]))

        nearer = sign * (distance(j) - distance(i))
        surface = sign * (view.gap(anchor, j) - view.gap(anchor, i))
        # Centres decide; where the surfaces say otherwise nobody could be sure.
        return Verdict(1 if nearer > 0 else 2, abs(nearer) if nearer * surface >= 0 else 0.0)

    return rule


def _facing(view: View, one: int, i: int, j: int) -> Verdict:
    first, second = (abs(view.bearing(one, view.position[k])) for k in (i, j))
    off = min(abs(first - second) / 2, max(0.0, view.rules.facing - min(first, second)))
    reach = min(view.away(one, view.position[k]) for k in (i, j))
    return Verdict(1 if first < second else 2, reach * math.sin(math.radians(off)), off)


def _turn(view: View, i: int, j: int) -> float:
    """Degrees between two headings, 0 to 180."""
    return abs(math.degrees(float(wrap_angle(view.heading[i] - view.heading[j]))))


def _parallel(view: View, i: int, j: int) -> Verdict:
    turn = _turn(view, i, j)
    off = view.rules.parallel - min(turn, 180 - turn)
    return Verdict(ANSWERS["alignment"][0 if off >= 0 else 1], degrees=abs(off))


def _same_direction(view: View, i: int, j: int) -> Verdict:
    off = view.rules.same - _turn(view, i, j)
    return Verdict(ANSWERS["agreement"][0 if off >= 0 else 1], degrees=abs(off))


_RULES: dict[str, Callable[..., Verdict]] = {
    "higher": _extreme(_height, 1),
    "lower": _extreme(_height, -1),
    "above": _above,
    "underneath": lambda view, i, j: _above(view, j, i),
    "nearer_camera": _extreme(_from_eye, -1),
    "farther_camera": _extreme(_from_eye, 1),
    "next_to": _next_to,
    "in_front_of": _in_front_of,
    "on_the_left": _on_the_left,
    "side_to_camera": lambda view, i: _quarter(view, i, view.eye),
    "closer_to": _closer_to(1),
    "farther_from": _closer_to(-1),
    "facing": _facing,
    "side_to": lambda view, i, j: _quarter(view, i, view.position[j]),
    "parallel": _parallel,
    "same_direction": _same_direction,
}
