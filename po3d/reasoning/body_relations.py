"""Relations of rooms and photographs between two or three bodies, as signed distances to borders.

Examples are next to, above and between. Signed distances are positive inside. The numbers of a
body are floats (`Floats`: one pair) or arrays that broadcast.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple, Protocol

from po3d.reasoning.directions import azimuth
from po3d.reasoning.relations import Arrays
from po3d.reasoning.rules import Rules
from po3d.scene.rectangles import (
    Floats,
    Rectangle,
    above_zero,
    depth,
    distance,
    from_segment,
    holds,
)


class Body(Protocol):
    """Inputs of the relations: a `scene.index.Thing`, or columns of a batch. Lengths have the unit
    of the table."""

    box: Rectangle
    low: Any  # height of the bottom
    z: Any  # height of the centre
    height: Any
    reach: Any  # half the diagonal of the footprint
    longest: Any  # longest edge
    right: Any  # position in the frame
    front: Any


def stacked(a: Body, b: Body) -> Arrays:
    """Whether one stands over the other: the centre of one is within the other's footprint."""
    return holds(a.box, b.box.x, b.box.y) | holds(b.box, a.box.x, a.box.y)


def gap(a: Body, b: Body, xp: Any = Floats) -> Arrays:
    """Return the distance between two boxes in space; 0 if they intersect."""
    above = above_zero(abs(a.z - b.z) - (a.height + b.height) / 2)
    return xp.hypot(distance(a.box, b.box, xp), above)


def _next_to_limit(a: Body, b: Body, rules: Rules) -> Arrays:
    """Return the largest gap at which two objects are next to each other."""
    if rules.next_to_in == "metres":
        return rules.next_to
    return rules.next_to * (a.longest + b.longest) / 2


def neighbours(a: Body, b: Body, rules: Rules, xp: Any = Floats) -> Arrays:
    """Return the limit minus the gap of two objects: positive for neighbours.

    The gap is that of the footprints for rules in metres, else that of the boxes in space.
    """
    separation = distance(a.box, b.box, xp) if rules.next_to_in == "metres" else gap(a, b, xp)
    return _next_to_limit(a, b, rules) - separation


def nearness(a: Body, b: Body, rules: Rules) -> float:
    """Return how near two objects are: 1 for neighbours, less for larger gaps."""
    return min(1.0, _next_to_limit(a, b, rules) / max(gap(a, b), 1e-6))


def over(a: Body, b: Body, rules: Rules, xp: Any = Floats, aside: float = 0.0) -> Arrays:
    """Return the margin by which a is directly above b; negative if it is not. `aside`: allowed
    distance of a centre from the other's footprint."""
    inside = xp.maximum(depth(b.box, a.box.x, a.box.y, xp), depth(a.box, b.box.x, b.box.y, xp))
    return xp.minimum(inside + aside, a.low - b.z + rules.above_slack)


def between_bounds(
    a: Body, b: Body, rules: Rules, xp: Any = Floats
) -> list[tuple[Arrays, Arrays, Arrays]]:
    """Return four half planes (x, y, least) whose intersection is the region between a and b.

    A point is inside if x * right + y * front >= least for all, relative to a: near the line from
    a to b and not at its ends. The region is empty if a and b are at one place.
    """
    right, front = b.right - a.right, b.front - a.front
    length = xp.hypot(right, front)
    separate = length >= 1e-6
    x, y = (way / xp.where(separate, length, 1.0) for way in (right, front))
    wide = xp.where(separate, 0 * length - rules.between, math.inf)
    return [(y, -x, wide), (-y, x, wide), (x, y, 0.1 * length), (-x, -y, -0.9 * length)]


def between(a: Body, b: Body, i: Body, rules: Rules, xp: Any = Floats) -> Arrays:
    """Return the signed distance of the centre of i to the border of the region between a and b.

    Positive inside.
    """
    right, front = i.right - a.right, i.front - a.front
    spare = (x * right + y * front - least for x, y, least in between_bounds(a, b, rules, xp))
    return reduce(xp.minimum, spare)


def off_path(a: Body, b: Body, i: Body, xp: Any = Floats) -> Arrays:
    """Return the distance of the footprint of i from the segment between the centres of a and b."""
    return from_segment(i.box, (a.box.x, a.box.y), (b.box.x, b.box.y), xp)


def in_the_way(i: Body, rules: Rules) -> Arrays:
    """Whether an object blocks a path: too high to step over and too low to walk under."""
    return (i.height > rules.step_over) & (i.low < rules.head)


class BodyRelation(NamedTuple):
    """A relation of a body to one or two others: within a border, and under a condition."""

    spare: Callable[[Sequence[Body], Body, Rules, Any], Arrays]  # signed distance to its border
    words: str  # the border in words, with a place for each other body
    condition: Callable[[Sequence[Body], Body, Rules], Arrays] | None = None
    closed: bool = False  # whether the relation includes its border
    # Largest gap to the footprint of the other body, or to the segment between two, at which the
    # relation can hold; None: any.
    reach: Callable[[Rules], float | None] = lambda _rules: None
    others: int = 1  # number of other bodies
    # Whether the condition holds near the border as well, so that a movement can cross it.
    crossable: Callable[[Rules], bool] = lambda _rules: True

    def holds(self, ones: Sequence[Body], i: Body, rules: Rules, xp: Any = Floats) -> Arrays:
        """Whether body i is in the relation to the others."""
        spare = self.spare(ones, i, rules, xp)
        inside = spare >= 0 if self.closed else spare > 0
        if inside is False or self.condition is None:  # floats only: most pairs are far apart
            return inside
        return inside & self.condition(ones, i, rules)


def _under(ones: Sequence[Body], i: Body, rules: Rules, xp: Any) -> Arrays:
    return over(ones[0], i, rules, xp) if rules.under == "directly" else ones[0].z - i.z


BODIES = {
    "next_to": BodyRelation(
        lambda ones, i, rules, xp: neighbours(ones[0], i, rules, xp),
        "next to {}",
        lambda ones, i, rules: rules.next_to_in == "sizes" or stacked(ones[0], i) ^ True,
        closed=True,
        reach=lambda rules: rules.next_to if rules.next_to_in == "metres" else None,
    ),
    "above": BodyRelation(
        lambda ones, i, rules, xp: over(i, ones[0], rules, xp, rules.above_aside),
        "directly above {}",
        reach=lambda rules: rules.above_aside,
    ),
    "under": BodyRelation(
        _under,
        "directly under {}",
        lambda ones, i, rules: rules.under == "directly" or stacked(ones[0], i),
        reach=lambda _rules: 0.0,
        crossable=lambda rules: rules.under == "directly",
    ),
    "between": BodyRelation(
        lambda ones, i, rules, xp: between(*ones, i, rules, xp),
        "between {} and {}",
        closed=True,
        others=2,
    ),
    "blocking": BodyRelation(
        lambda ones, i, rules, xp: rules.path - off_path(*ones, i, xp),
        "the path from {} to {}",
        lambda ones, i, rules: (
            in_the_way(i, rules) & (stacked(ones[0], i) ^ True) & (stacked(ones[1], i) ^ True)
        ),
        reach=lambda rules: rules.path,
        others=2,
    ),
}


def others_of(relation: str) -> int:
    """Return the number of objects to which a relation relates one: 1 or 2."""
    return BODIES[relation].others if relation in BODIES else 1


def cone(direction: str, rules: Rules) -> float:
    """Return the half angle of the cone of a direction, radians."""
    return math.radians(rules.cone) * (0.5 if "_" in direction else 1.0) + 1e-9


def related(
    relation: str,
    things: Sequence[Body],
    ones: Sequence[int],
    candidates: Iterable[int],
    rules: Rules,
) -> list[int]:
    """Return the indices of the candidates in a relation of BODIES to one object, or to two."""
    definition, bodies = BODIES[relation], [things[k] for k in ones]
    reach, holds = definition.reach(rules), definition.holds
    if reach is not None:
        near = _along if len(ones) == 2 else _about
        candidates = near(things, *ones, candidates, reach)
    return [i for i in candidates if i not in ones and holds(bodies, things[i], rules)]


def _about(things: Sequence[Body], index: int, candidates: Iterable[int], gap: float) -> list[int]:
    """Return the candidates whose footprints may be at most `gap` from that of an object."""
    hypot, reference, near = math.hypot, things[index], []
    right, front, reach = reference.right, reference.front, reference.reach + gap
    for i in candidates:
        other = things[i]
        if hypot(other.right - right, other.front - front) <= other.reach + reach:
            near.append(i)
    return near


def _along(
    things: Sequence[Body], first: int, second: int, candidates: Iterable[int], gap: float
) -> list[int]:
    """Return the candidates whose footprints may be at most `gap` from the segment between two
    objects."""
    a, b = things[first].box, things[second].box
    dx, dy = b.x - a.x, b.y - a.y
    length, near = math.hypot(dx, dy), []
    for i in candidates:
        box, limit = things[i].box, (things[i].reach + gap) * length
        x, y = box.x - a.x, box.y - a.y
        along = x * dx + y * dy
        if abs(x * dy - y * dx) <= limit and -limit <= along <= length * length + limit:
            near.append(i)
    return near


def not_stacked(things: Sequence[Body], index: int, candidates: Iterable[int]) -> list[int]:
    """Return the candidates that are not stacked with an object."""
    reference = things[index]
    reach, right, front = reference.reach, reference.right, reference.front
    result = []
    for i in candidates:
        other = things[i]
        limit = reach + other.reach
        near = -limit < other.right - right < limit and -limit < other.front - front < limit
        if not (near and stacked(reference, other)):
            result.append(i)
    return result


def in_cone(
    direction: str, things: Sequence[Body], start: int, candidates: Iterable[int], rules: Rules
) -> list[int]:
    """Return the candidates in the cone of a direction of the frame from an object.

    The object itself may be in the result if it is a candidate.
    """
    half, ahead = cone(direction, rules), azimuth(direction)
    right, front = things[start].right, things[start].front
    atan2, remainder, turn = math.atan2, math.remainder, 2 * math.pi
    result = []
    for i in candidates:
        off = remainder(atan2(things[i].right - right, things[i].front - front) - ahead, turn)
        if -half <= off <= half:
            result.append(i)
    return result
