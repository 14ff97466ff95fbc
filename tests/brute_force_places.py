"""What follows from a table of a room, a photograph or an orbit, naively: what `brute_force_tables`
runs programs on.
"""

import math
from collections.abc import Sequence

from shapely import LineString, Polygon

from po3d.language.program import DIRECTIONS
from po3d.reasoning.rules import Rules
from po3d.scene.orbit import Axes
from po3d.scene.rooms import hangs, is_a, purposes_of
from po3d.scene.street import AXES
from po3d.scene.table import ObjectState, Scene

BORDER = 1e-9  # what lies nearer to a border may fall either way
VIEWER = -1
SECTORS = {
    "front_or_behind": ("front", "behind"), "left_or_right": ("left", "right"),
    "four": ("front", "right", "behind", "left"), "eight": DIRECTIONS,
}  # fmt: skip


class Fails(Exception):
    """The program has no answer; its argument is the kind of failure."""


class Borderline(Exception):
    """Floats decide."""


def below(value: float, border: float) -> bool:
    """value <= border, where floats don't decide it."""
    if abs(value - border) < BORDER:
        raise Borderline
    return value < border


def apart(a: float, b: float) -> float:
    """Degrees between two azimuths in radians, 0 to 180."""
    return abs(math.degrees(math.remainder(a - b, math.tau)))


def outline(o: ObjectState) -> Polygon:
    """Of a footprint."""
    c, s = math.cos(o.heading), math.sin(o.heading)
    ends = [
        (u * o.extent[0] / 2, v * o.extent[1] / 2) for u, v in ((1, 1), (-1, 1), (-1, -1), (1, -1))
    ]
    return Polygon(
        [(o.position[0] + c * u - s * v, o.position[1] + s * u + c * v) for u, v in ends]
    )


def bottom(o: ObjectState) -> float:
    return o.position[2] - o.extent[2] / 2


def top(o: ObjectState) -> float:
    return o.position[2] + o.extent[2] / 2


def over_footprint(o: ObjectState, x: float, y: float, beside: float = 0.0) -> bool:
    """Whether a point is over a thing's footprint, or so far beside it."""
    c, s = math.cos(o.heading), math.sin(o.heading)
    dx, dy = x - o.position[0], y - o.position[1]
    u, v = abs(c * dx + s * dy) - o.extent[0] / 2, abs(c * dy - s * dx) - o.extent[1] / 2
    return below(max(u, v), beside)


def stacked(a: ObjectState, b: ObjectState) -> bool:
    """Whether the middle of one is over the other's footprint."""
    return over_footprint(a, *b.position[:2]) or over_footprint(b, *a.position[:2])


def next_to(a: ObjectState, b: ObjectState, rules: Rules) -> bool:
    ground = outline(a).distance(outline(b))
    if rules.next_to_in == "metres":
        return not stacked(a, b) and below(ground, rules.next_to)
    gap = math.hypot(ground, max(bottom(a) - top(b), bottom(b) - top(a), 0.0))
    return below(gap, rules.next_to * (max(a.extent) + max(b.extent)) / 2)


def directly_above(a: ObjectState, b: ObjectState, rules: Rules) -> bool:
    return stacked(a, b) and not below(bottom(a) + rules.above_slack, b.position[2])


def under(a: ObjectState, b: ObjectState, rules: Rules) -> bool:
    if rules.under == "directly":
        return directly_above(b, a, rules)
    return a.position[2] != b.position[2] and below(a.position[2], b.position[2]) and stacked(a, b)


def rests_on(objects: Sequence[ObjectState], i: int) -> int | None:
    """What a thing stands on: the highest that is just under its underside. What hangs rests on
    nothing and carries nothing.
    """
    o, result = objects[i], []
    for k, other in enumerate(objects):
        if k == i or hangs(o.value("name")) or hangs(other.value("name")):
            continue
        gap = bottom(o) - top(
            other
        )  # it may sink in a little, float a little, and stand a little over the edge
        if (
            not below(gap, -0.015)
            and below(gap, 0.08)
            and over_footprint(other, *o.position[:2], 0.03)
        ):
            result.append(k)
    return max(result, key=lambda k: top(objects[k]), default=None)


def between(o: ObjectState, a: ObjectState, b: ObjectState, rules: Rules) -> bool:
    (ax, ay, _), (bx, by, _), (x, y, _) = a.position, b.position, o.position
    length = math.hypot(bx - ax, by - ay)
    if length < BORDER:
        return False
    along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
    aside = abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length
    return below(aside, rules.between) and below(abs(along / length - 0.5), 0.4)


def blocks(o: ObjectState, a: ObjectState, b: ObjectState, rules: Rules) -> bool:
    """Whether o is in the way between two that it is neither on nor under."""
    if (
        below(o.extent[2], rules.step_over)
        or not below(bottom(o), rules.head)
        or stacked(o, a)
        or stacked(o, b)
    ):
        return False
    return below(outline(o).distance(LineString([a.position[:2], b.position[:2]])), rules.path)


# Relations of a thing to one other, and to two others.
OF_ONE = {"next_to": next_to, "above": directly_above, "under": under}
OF_TWO = {"between": between, "blocking": blocks}


def runs_into(a: ObjectState, b: ObjectState, forward: bool) -> bool:
    """Whether b's footprint is in the way of a's, which goes on without end."""
    c, s = math.cos(a.heading), math.sin(a.heading)
    near, far = (-a.extent[0] / 2, 1e3) if forward else (a.extent[0] / 2, -1e3)
    half, (x, y, _) = a.extent[1] / 2, a.position
    ends = ((near, -half), (near, half), (far, half), (far, -half))
    way = Polygon([(x + c * u - s * v, y + s * u + c * v) for u, v in ends])
    wide, narrow = (way.buffer(by).intersects(outline(b)) for by in (BORDER, -BORDER))
    if wide != narrow:
        raise Borderline
    return wide


def fits(a: ObjectState, b: ObjectState) -> bool:
    """Whether a footprint is no larger than another, turned as it likes."""
    return all(p == q or below(p, q) for p, q in zip(sorted(a.extent[:2]), sorted(b.extent[:2])))


def aligned(relation: str, a: ObjectState, b: ObjectState, rules: Rules) -> bool:
    turn = apart(a.heading, b.heading)
    same, opposite = (
        below(turn, rules.aligned_same_deg),
        not below(turn, rules.aligned_opposite_deg),
    )
    return {
        "same_direction": same,
        "opposite_direction": opposite,
        "parallel": same or opposite,
        "perpendicular": not same and not opposite,
    }[relation]


class Table:
    """What a certain table says of its things, and of who looks."""

    def __init__(self, scene: Scene, rules: Rules) -> None:
        self.scene, self.rules, self.now = scene, rules, len(scene)
        self.objects = scene.objects * 2  # of now, then of before, when nothing was otherwise

    def told(self, i: int, attribute: str) -> str | None:
        """The value of an attribute; None when the table does not tell it."""
        o = self.objects[i]
        if attribute == "facing":
            return self.facing(o)
        if attribute == "side":
            return self.side(o)
        if attribute == "occlusion":
            return "unoccluded" if self.hider(i) is None else "occluded"
        return o.value(attribute) if attribute in o.beliefs else None

    def known(self, i: int, attribute: str) -> str:
        value = self.told(i, attribute)
        if value is None:
            raise Fails("unknown")
        return value

    def is_so(self, i: int, attribute: str, text: str) -> bool:
        o = self.objects[i]
        if attribute == "name":
            return is_a(o.value("name"), text)
        if attribute == "purpose":
            return text in purposes_of(o.value("name"))
        if attribute == "side":
            return all(self.at_side(o, side) for side in text.split("_"))
        if attribute == "occlusion" and text == "occluding":
            return any(self.hider(j) == i for j in range(self.now))
        return self.told(i, attribute) == text

    def hider(self, i: int) -> int | None:
        if self.scene.occluders is None or i >= self.now:  # a picture shows what is, not what was
            raise Fails("unknown")
        return next(iter(self.scene.occluders[i]), None)

    def rests_on(self, i: int) -> int | None:
        below = rests_on(self.scene.objects, i % self.now)
        return None if below is None else below + i - i % self.now

    def facing(self, o: ObjectState) -> str | None:
        """Which of the viewer's axes the nose points along; the windows of streets are turned a
        little from the axes.
        """
        off = -self.axes_front(self.scene.axes)[1] * (
            math.radians(180 - self.rules.facing_zero_deg) + math.atan2(*AXES["front"][::-1])
        )
        for reply in ("front", "left", "right", "behind"):
            x, y = self.scene.axes[reply]
            if below(apart(o.heading, math.atan2(y, x) - off), self.rules.facing_window_deg):
                return "back" if reply == "behind" else reply
        return None

    def spread(self, side: str) -> tuple[float, float]:
        """Where the room begins and ends to a side."""
        x, y = self.scene.axes[side]
        reach = [
            u * x + v * y for u, v in self.scene.outline or [p.position[:2] for p in self.objects]
        ]
        return min(reach), max(reach)

    def at_side(self, o: ObjectState, side: str) -> bool:
        """Whether a thing stands in the outer part of the room on that side."""
        (x, y), (low, high) = self.scene.axes[side], self.spread(side)
        return not below(
            o.position[0] * x + o.position[1] * y, high - self.rules.side * (high - low)
        )

    def side(self, o: ObjectState) -> str:
        """The nearest of the eight ways from the middle of the room, which counts as wide as it is
        long.
        """
        ways = []
        for side in ("right", "front"):
            (x, y), (low, high) = self.scene.axes[side], self.spread(side)
            ways.append((o.position[0] * x + o.position[1] * y - (low + high) / 2) / (high - low))
        return self.nearest(math.degrees(math.atan2(*ways)), "eight")

    def place(self, i: int) -> tuple[float, float, float]:
        """Where a thing is; the viewer looks through the camera, or stands in the middle of the
        room.
        """
        if i != VIEWER:
            return self.objects[i].position
        if self.rules.viewer == "stands":
            return (*self.middle(), 0.0)
        if self.scene.camera is None:
            raise Fails("unknown")
        return tuple(self.scene.camera.position.tolist())

    def middle(self) -> tuple[float, float]:
        xs, ys = zip(*(self.scene.outline or [p.position[:2] for p in self.objects]))
        return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2

    def measured(self, what: str, i: int, one: int | None = None) -> float:
        """How much of a measure a thing has: of distance and bearing from another, or the viewer;
        else more than another.
        """
        if what in ("distance", "bearing"):
            one = VIEWER if one is None else one
            if what == "bearing":
                off = self.off("front", self.azimuth(one, i, (self.nose(one), 1)))
                return off + 0 * (below(off, 0.0) or below(180.0, off))
            a, b = self.place(one), self.place(i)
            ground = (
                self.rules.viewer == "stands"
                if VIEWER in (one, i)
                else self.rules.distance == "ground"
            )
            return math.dist(a[:2], b[:2]) if ground else math.dist(a, b)
        if VIEWER in (i, one):
            raise Fails("unknown")
        if one is not None:
            return self.measured(what, i) - self.measured(what, one)
        length, width, height = self.objects[i].extent
        return {
            "elevation": self.objects[i].position[2],
            "height": height,
            "length": max(length, width),
            "width": width,
            "volume": length * width * height,
        }[what]

    def nose(self, i: int) -> float:
        """The azimuth of a thing's front; who stands in a room looks to its front, a camera has
        none of its own.
        """
        if i != VIEWER:
            return self.objects[i].heading
        if self.rules.viewer == "camera":
            raise Fails("unknown")
        return math.atan2(*self.scene.axes["front"][::-1])

    def axes_front(self, axes: Axes) -> tuple[float, int]:
        (x, y), (lx, ly) = axes["front"], axes["left"]
        return math.atan2(y, x), 1 if x * ly - y * lx > 0 else -1

    def azimuth(self, one: int, other: int, front: tuple[float, int]) -> float:
        """Degrees from the front over the right of the way from one to another."""
        (x, y, _), (gx, gy, _) = self.place(one), self.place(other)
        if self.at_one_place(one, other):
            raise Fails("unknown")
        return -front[1] * math.degrees(math.atan2(gy - y, gx - x) - front[0])

    def off(self, direction: str, azimuth: float) -> float:
        return abs(math.remainder(azimuth - 45 * DIRECTIONS.index(direction), 360))

    def nearest(self, azimuth: float, sectors: str) -> str:
        ranked = sorted((self.off(d, azimuth), d) for d in SECTORS[sectors])
        below(ranked[0][0], ranked[1][0])
        return self.rules.spell(sectors, ranked[0][1])

    def at_one_place(self, one: int, other: int) -> bool:
        return math.dist(self.place(one)[:2], self.place(other)[:2]) < BORDER


def wall_gap(o, wall) -> float:
    """How far the nearest corner of a footprint is from the line of a wall."""
    (x0, y0), (x1, y1) = wall
    length = math.hypot(x1 - x0, y1 - y0)
    return min(
        ((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length
        for x, y in outline(o).exterior.coords
    )


def opposite_walls(o, room) -> list:
    """The walls that face the one nearest to a thing, or at its back."""
    room = room or ()
    walls = [w for w in zip(room, (*room[1:], *room[:1])) if math.dist(*w) > 0.2]
    if not walls:
        return []
    way = lambda w: math.atan2(w[1][1] - w[0][1], w[1][0] - w[0][0])  # noqa: E731
    cost = [wall_gap(o, w) + 0.1 * (1 - math.cos(o.heading - way(w) - math.pi / 2)) for w in walls]
    if len(cost) > 1 and sorted(cost)[1] - min(cost) < BORDER:
        raise Borderline
    own = way(walls[cost.index(min(cost))])
    return [w for w in walls if math.cos(way(w) - own) < -0.75]


def at_wall(o, wall) -> bool:
    """Whether a thing stands at most 35 cm before a wall."""
    (x0, y0), (x1, y1) = wall
    length, (x, y, _) = math.dist(*wall), o.position
    along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length
    return below(wall_gap(o, wall), 0.35) and 0 < along < length
