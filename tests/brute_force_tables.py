"""The meaning of the language on tables of rooms, photographs and orbits written down a second time, one object at a time and
from the documents alone: what the executor and its batch are held to."""

import math
from itertools import pairwise

from shapely import LineString, Polygon

from po3d.language.program import DIRECTIONS, LEAVES, Call
from po3d.reasoning.rules import Rules
from po3d.scene.rooms import hangs, is_a, purposes_of
from po3d.scene.street import AXES
from po3d.scene.table import ObjectState, Scene

BORDER = 1e-9  # what lies nearer to a border may fall either way
FLOAT = 1e-12  # and what lies nearer than this is at it, but for rounding
VIEWER = -1
FOUR = ("front", "right", "behind", "left")
SECTORS = {
    "front_or_behind": ("front", "behind"), "left_or_right": ("left", "right"), "four": FOUR, "eight": DIRECTIONS,
}  # fmt: skip
MORE = {
    "distance": ("farther", "nearer"), "elevation": ("higher", "lower"), "height": ("taller", "shorter"),
    "length": ("longer", "shorter"), "width": ("wider", "narrower"), "volume": ("larger", "smaller"),
    "bearing": ("more", "less"),
}  # fmt: skip


class Fails(Exception):
    """The program has no answer; its argument is the kind of failure."""


class Borderline(Exception):
    """Floats decide."""


def outline(o: ObjectState) -> Polygon:
    """Of a footprint."""
    c, s = math.cos(o.heading), math.sin(o.heading)
    ends = [(u * o.extent[0] / 2, v * o.extent[1] / 2) for u, v in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return Polygon([(o.position[0] + c * u - s * v, o.position[1] + s * u + c * v) for u, v in ends])


def bottom(o: ObjectState) -> float:
    return o.position[2] - o.extent[2] / 2


def top(o: ObjectState) -> float:
    return o.position[2] + o.extent[2] / 2


def below(value: float, border: float) -> bool:
    """value <= border, where floats don't decide it."""
    if abs(value - border) < BORDER:
        raise Borderline
    return value < border


def within(o: ObjectState, x: float, y: float, reach: float = 0.0) -> bool:
    """Whether a point is over a footprint, or so far beside it."""
    c, s = math.cos(o.heading), math.sin(o.heading)
    dx, dy = x - o.position[0], y - o.position[1]
    u, v = abs(c * dx + s * dy) - o.extent[0] / 2, abs(c * dy - s * dx) - o.extent[1] / 2
    return below(max(u, v), reach)


def degrees_between(a: float, b: float) -> float:
    """Of two azimuths in radians, 0 to 180."""
    return abs(math.degrees(math.remainder(a - b, math.tau)))


class BruteForce:
    """One program on one certain table without a change. `phrase`: "#3 chair" is row 3."""

    def __init__(self, scene: Scene, rules: Rules, task: str = "2d") -> None:
        self.scene, self.rules, self.task = scene, rules, task
        self.objects = scene.objects

    def answer(self, program: Call) -> str:
        return self.say(program, self.run(program))

    def say(self, program: Call, value) -> str:
        if isinstance(value, bool):
            asked = program.args[0] if program.op == "holds" else ""
            return self.rules.said(str(asked), "yes" if value else "no")
        return f"{value:g}" if isinstance(value, float | int) else value

    def run(self, call: Call):
        return getattr(self, f"do_{call.op}")(*call.args)

    def sets(self, call: Call) -> list[int]:
        return sorted(set(self.run(call)))

    def one(self, call: Call) -> int:
        """An object that is none of those who look."""
        i = self.run(call)
        if i == VIEWER:
            raise Fails("unknown")
        return i

    # --- what is told -------------------------------------------------------------------------------------------

    def told(self, i: int, attribute: str) -> str | None:
        """The value of an attribute; None when the table does not tell it."""
        o = self.objects[i]
        if attribute == "facing":
            return self.facing(o)
        if attribute == "side":
            return self.side(o)
        if attribute == "occlusion":
            return "occluded" if self.hider(i) is not None else "unoccluded"
        if attribute == "purpose":
            found = purposes_of(o.value("name"))
            return found[0] if found else None
        return o.value(attribute) if attribute in o.beliefs else None

    def known(self, i: int, attribute: str) -> str:
        value = self.told(i, attribute)
        if value is None:
            raise Fails("unknown")
        return value

    def fits(self, i: int, attribute: str, text: str) -> bool:
        o = self.objects[i]
        if attribute == "name":
            return is_a(o.value("name"), text)
        if attribute == "purpose":
            return text in purposes_of(o.value("name"))
        if attribute == "side":
            return text in DIRECTIONS and set(text.split("_")) <= set(self.sides(o))
        if attribute == "occlusion" and text == "occluding":
            return any(self.hider(j) == i for j in range(len(self.objects)))
        return self.told(i, attribute) == text

    def hider(self, i: int) -> int | None:
        if self.scene.occluders is None:
            raise Fails("unknown")
        return next(iter(self.scene.occluders[i]), None)

    def facing(self, o: ObjectState) -> str | None:
        """Where the nose points as the viewer sees it."""
        street = math.radians(140.0 - 180.0) - math.atan2(*AXES["front"][::-1])
        for said, axis in {"front": "front", "left": "left", "right": "right", "back": "behind"}.items():
            x, y = self.scene.axes[axis]
            if below(degrees_between(o.heading, math.atan2(y, x) + street), self.rules.facing_window_deg):
                return said
        return None

    def sides(self, o: ObjectState) -> list[str]:
        """Front or behind, left or right: the sides of the room that it stands in."""
        corners = self.scene.outline or [p.position[:2] for p in self.objects]
        found = []
        for side in FOUR:
            ax, ay = self.scene.axes[side]
            reach = [x * ax + y * ay for x, y in corners]
            here = o.position[0] * ax + o.position[1] * ay
            if not below(here, max(reach) - self.rules.side * (max(reach) - min(reach))):
                found.append(side)
        return sorted(found, key=["front", "behind", "left", "right"].index)

    def side(self, o: ObjectState) -> str | None:
        found = self.sides(o)
        return self.rules.said("eight", "_".join(found)) if found else None

    # --- sets ---------------------------------------------------------------------------------------------------

    def do_scene(self):
        return list(range(len(self.objects)))

    def do_filter(self, attribute, text, among):
        among = self.sets(among)
        if not any(self.told(i, attribute) is not None for i in self.do_scene()) and attribute not in ("facing", "side"):
            raise Fails("unknown")
        return [i for i in among if self.fits(i, attribute, text)]

    def do_exclude(self, *args):
        if len(args) == 2:
            one = self.run(args[0])
            return [i for i in self.sets(args[1]) if i != one]
        attribute, text, among = args
        return [
            i for i in self.sets(among) if self.told(i, attribute) is not None and not self.fits(i, attribute, text)
        ]

    def do_union(self, first, second):
        return self.sets(first) + self.sets(second)

    def do_intersect(self, first, second):
        second = self.sets(second) if (first := self.sets(first)) is not None else ()
        return [i for i in first if i in second]

    def do_group(self, *ones):
        return [self.run(one) for one in ones]

    def do_some(self, amount, among):
        among = self.sets(among)
        if len(among) < amount:
            raise Fails("not found")
        return among[: int(amount)]

    def do_changed(self, among):
        return [i for i in self.sets(among) if False]

    def do_same(self, attribute, like, among):
        like, among = self.one(like), self.sets(among)
        if attribute == "purpose":
            mine = set(purposes_of(self.objects[like].value("name")))
            return [i for i in among if i != like and mine & set(purposes_of(self.objects[i].value("name")))]
        value = self.known(like, attribute)
        return [i for i in among if i != like and self.told(i, attribute) == value]

    def do_relate(self, relation, *args):
        if relation in DIRECTIONS:
            one, frame, among = args
            one = self.run(one)
            front, sense = self.front(frame, one)
            cone = self.rules.cone / (2 if "_" in relation else 1)
            return [
                i
                for i in self.sets(among)
                if i != one
                and not (one != VIEWER and i != VIEWER and self.stacked(i, one))
                and below(self.off(relation, self.azimuth(one, i, front, sense)), cone)
            ]
        *ones, among = args
        ones = [self.one(one) for one in ones]
        return [i for i in self.sets(among) if i not in ones and self.lies(relation, i, *ones)]

    # --- how things lie -----------------------------------------------------------------------------------------

    def lies(self, relation: str, i: int, *ones: int) -> bool:
        """Whether i lies so to one, or to two."""
        if (len(ones) == 2) != (relation in ("between", "blocking")):
            raise Fails("unknown")
        o, others = self.objects[i], [self.objects[k] for k in ones]
        if relation == "next_to":
            return self.next_to(o, others[0], self.stacked(i, ones[0]))
        if relation == "on":
            return self.rests_on(i) == ones[0]
        if relation == "supporting":
            return self.rests_on(ones[0]) == i
        if relation == "above":
            return self.directly_above(o, others[0])
        if relation == "under":
            if self.directly_above(others[0], o):
                return True
            return (
                self.rules.under == "lower"
                and below(o.position[2], others[0].position[2])
                and self.stacked(i, ones[0])
            )
        if relation in ("between", "blocking"):
            return self.between(o, *others) if relation == "between" else self.blocks(o, *others)
        if relation == "occluding":
            return self.hider(ones[0]) == i
        if relation == "occluded_by":
            return self.hider(i) == ones[0]
        if relation.startswith("collides"):
            return self.runs_into(others[0], o, relation == "collides_forward")
        if relation == "fits":
            mine, place = sorted(o.extent[:2]), sorted(others[0].extent[:2])
            return all(a == b or below(a, b) for a, b in zip(mine, place))
        if relation in ("same_direction", "opposite_direction", "perpendicular", "parallel"):
            turn = degrees_between(o.heading, others[0].heading)
            same = below(turn, self.rules.aligned_same_deg)
            opposite = not same and not below(turn, self.rules.aligned_opposite_deg)
            return {
                "same_direction": same, "opposite_direction": opposite,
                "parallel": same or opposite, "perpendicular": not same and not opposite,
            }[relation]  # fmt: skip
        raise Fails("unknown")

    def stacked(self, i: int, j: int) -> bool:
        """Whether the middle of one is over the other's footprint."""
        a, b = self.objects[i], self.objects[j]
        return within(a, *b.position[:2]) or within(b, *a.position[:2])

    def directly_above(self, a: ObjectState, b: ObjectState) -> bool:
        over = within(b, *a.position[:2]) or within(a, *b.position[:2])
        return over and not below(bottom(a) + self.rules.above_slack, b.position[2])

    def next_to(self, a: ObjectState, b: ObjectState, stacked: bool) -> bool:
        ground = outline(a).distance(outline(b))
        if self.rules.next_to_in == "metres":
            return not stacked and below(ground, self.rules.next_to)
        gap = math.hypot(ground, max(bottom(a) - top(b), bottom(b) - top(a), 0.0))
        return below(gap, self.rules.next_to * (max(a.extent) + max(b.extent)) / 2)

    def rests_on(self, i: int) -> int | None:
        """What a thing stands on: the highest that is just under its underside."""
        o = self.objects[i]
        if hangs(o.value("name")):
            return None
        found = [
            k
            for k, other in enumerate(self.objects)
            if k != i
            and not hangs(other.value("name"))
            and not below(bottom(o) - top(other), -0.015)
            and below(bottom(o) - top(other), 0.08)
            and within(other, *o.position[:2], 0.03)
        ]
        return max(found, key=lambda k: top(self.objects[k])) if found else None

    def between(self, o: ObjectState, a: ObjectState, b: ObjectState) -> bool:
        (ax, ay, _), (bx, by, _), (x, y, _) = a.position, b.position, o.position
        length = math.hypot(bx - ax, by - ay)
        if length < BORDER:
            return False
        along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
        aside = abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length
        return below(aside, self.rules.between) and below(abs(along / length - 0.5), 0.4)

    def blocks(self, o: ObjectState, a: ObjectState, b: ObjectState) -> bool:
        way = LineString([a.position[:2], b.position[:2]])
        return (
            not below(o.extent[2], self.rules.step_over)
            and below(bottom(o), self.rules.head)
            and below(outline(o).distance(way), self.rules.path)
        )

    def runs_into(self, a: ObjectState, b: ObjectState, forward: bool) -> bool:
        """Whether b's footprint is in the way of a's, which goes on without end."""
        c, s = math.cos(a.heading), math.sin(a.heading)
        far, near = (1e4, -a.extent[0] / 2) if forward else (-1e4, a.extent[0] / 2)
        half = a.extent[1] / 2
        x, y = a.position[:2]
        way = [(x + c * u - s * v, y + s * u + c * v) for u in (near, far) for v in (-half, half)]
        return Polygon([way[0], way[1], way[3], way[2]]).intersects(outline(b))

    # --- objects ------------------------------------------------------------------------------------------------

    def do_unique(self, among):
        found = self.sets(among)
        if len(found) != 1:
            raise Fails("ambiguous" if found else "not found")
        return found[0]

    def do_viewer(self):
        return VIEWER

    def do_before(self, one):
        return self.run(one)

    def do_refer(self, text):
        number = int(text.removeprefix("#").split()[0])
        if number >= len(self.objects):
            raise Fails("not found")
        return number

    def do_best(self, what, sense, *args):
        if what not in DIRECTIONS:
            one = self.run(args[0]) if len(args) == 2 else None
            found = [i for i in self.sets(args[-1]) if i != one]
            if what == "distance" and one is not None and sense == "least" and self.rules.beside_first:
                found = [i for i in found if one == VIEWER or not self.stacked(i, one)] or found
            return self.extreme(found, sense, lambda i: self.measured(what, i, one))
        if len(args) == 2:
            front, sense_of_turn = self.front(args[0], None)
            azimuth = math.radians(45 * DIRECTIONS.index(what)) * -sense_of_turn + front
            return self.extreme(
                self.sets(args[1]),
                sense,
                lambda i: sum(p * q for p, q in zip(self.place(i), (math.cos(azimuth), math.sin(azimuth)))),
            )
        one, frame, among = args
        found, one = self.do_relate(what, one, frame, among), self.run(one)
        if sense == "first":
            return self.extreme(found, "least", lambda i: self.measured("distance", i, one))
        front, turn = self.front(frame, one)
        off = lambda i: self.off(what, self.azimuth(one, i, front, turn))  # noqa: E731
        return self.extreme(found, "least" if sense == "most" else "most", off)

    def extreme(self, found: list[int], sense: str, key) -> int:
        if not found:
            raise Fails("not found")
        ranked = sorted((key(i) * (-1 if sense == "most" else 1), i) for i in found)
        if any(0 < b - a < BORDER for (a, _), (b, _) in pairwise(ranked[:2])):
            raise Borderline
        return ranked[0][1]

    # --- measures -----------------------------------------------------------------------------------------------

    def place(self, i: int) -> tuple[float, float, float]:
        if i != VIEWER:
            return self.objects[i].position
        if self.rules.viewer == "camera":
            if self.scene.camera is None:
                raise Fails("unknown")
            return tuple(self.scene.camera.position.tolist())
        corners = self.scene.outline or [p.position[:2] for p in self.objects]
        if not corners:
            raise Fails("not found")
        xs, ys = zip(*corners)
        return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2, 0.0

    def measured(self, what: str, i: int, one: int | None) -> float:
        if what in ("distance", "bearing"):
            one = VIEWER if one is None else one
            a, b = self.place(one), self.place(i)
            if what == "bearing":
                return degrees_between(self.nose(one), math.atan2(b[1] - a[1], b[0] - a[0]))
            return math.dist(a, b) if self.rules.distance == "space" else math.dist(a[:2], b[:2])
        if one is not None:
            return self.measured(what, i, None) - self.measured(what, one, None)
        if i == VIEWER:
            raise Fails("unknown")
        o = self.objects[i]
        length, width, height = o.extent
        return {
            "elevation": o.position[2], "height": height, "length": length, "width": width, "volume": length * width * height,
        }[what]  # fmt: skip

    # --- frames: the azimuth of front, and +1 where left is counter-clockwise from it ------------------------------

    def nose(self, i: int) -> float:
        """The azimuth of who looks: a thing's own, of the viewer where the camera or the room's front is."""
        if i != VIEWER:
            return self.objects[i].heading
        x, y = self.scene.axes["front"]
        if self.rules.viewer == "camera":
            if self.scene.camera is None:
                raise Fails("unknown")
            x, y, _ = self.scene.camera.cam_T_world.rotation[2]
        return math.atan2(y, x)

    def front(self, frame: Call, start: int | None) -> tuple[float, int]:
        args = frame.args
        if len(args) == 4:
            amount, first, second, inner = args
            self.run(first), self.run(second)
            front, sense = self.front(inner, start)
            return front - sense * math.radians(amount), sense  # what lay in front now lies to the left
        if len(args) == 2 and isinstance(args[0], str):
            direction, anchor = args
            x, y, _ = self.place(self.run(anchor))
            mx, my, _ = BruteForce(self.scene, self.rules.__class__(viewer="stands")).place(VIEWER)
            if math.hypot(x - mx, y - my) < 1e-3:
                raise Fails("unknown")
            wanted = math.atan2(y - my, x - mx) + math.radians(45 * DIRECTIONS.index(direction))
            walls = [self.walls() + k * math.pi / 2 for k in range(4)]
            return min(walls, key=lambda a: degrees_between(a, wanted)), 1
        if len(args) == 2:
            first, second = self.run(args[0]), self.run(args[1])
            (x, y, _), (gx, gy, _) = self.place(first), self.place(second)
            if math.hypot(gx - x, gy - y) < BORDER:
                raise Fails("unknown")
            return math.atan2(gy - y, gx - x), 1
        whose = args[0]
        if whose == "task":
            whose = {"2d": "camera", "6d": "object"}[self.task]
        if whose in ("camera", "room"):
            (x, y), (lx, ly) = self.scene.axes["front"], self.scene.axes["left"]
            return math.atan2(y, x), 1 if x * ly - y * lx > 0 else -1
        if whose == "object" and start is None:
            raise Fails("unknown")
        return self.nose(start if whose == "object" else self.run(whose)), 1

    def walls(self) -> float:
        """The azimuth of the room's longest wall."""
        corners = self.scene.outline or ((0, 0), (1, 0))
        (ax, ay), (bx, by) = max(pairwise((*corners, corners[0])), key=lambda wall: math.dist(*wall))
        return math.atan2(by - ay, bx - ax)

    def azimuth(self, one: int, other: int, front: float, sense: int) -> float:
        """Degrees from the front over the right of the way from one to another."""
        (x, y, _), (gx, gy, _) = self.place(one), self.place(other)
        if math.hypot(gx - x, gy - y) < BORDER:
            raise Fails("unknown")
        return -sense * math.degrees(math.atan2(gy - y, gx - x) - front)

    def off(self, direction: str, azimuth: float) -> float:
        return abs(math.remainder(azimuth - 45 * DIRECTIONS.index(direction), 360))

    # --- answers ------------------------------------------------------------------------------------------------

    def do_count(self, *args):
        if len(args) == 2:
            return len({self.told(i, args[0]) for i in self.sets(args[1])} - {None})
        return args[0] if isinstance(args[0], float) else len(self.sets(args[0]))

    def do_exist(self, among):
        return bool(self.sets(among))

    def do_query(self, what, one, *start):
        if what in LEAVES["attribute"]:
            return self.known(self.one(one), what)
        start = self.run(start[0]) if start else None
        return self.measured(what, self.run(one), start)

    def do_equal(self, *args):
        first, second = (self.run(arg) for arg in args[-2:])
        return first == second

    def do_less_than(self, first, second):
        a, b = self.run(first), self.run(second)
        return a != b and below(a, b)

    def do_greater_than(self, first, second):
        return self.do_less_than(second, first)

    def do_compare(self, what, first, second):
        first, second = self.run(first), self.run(second)
        a, b = self.measured(what, first, None), self.measured(what, second, None)
        if a == b:
            raise Fails("ambiguous")
        return MORE[what][below(a, b)]

    def do_holds(self, relation, first, second):
        return self.lies(relation, self.one(first), self.one(second))

    def do_direction(self, start, goal, frame, sectors):
        one, other = self.run(start), self.run(goal)
        azimuth = self.azimuth(one, other, *self.front(frame, one))
        ranked = sorted((self.off(d, azimuth), d) for d in SECTORS[sectors])
        if ranked[1][0] - ranked[0][0] < BORDER:
            raise Borderline
        return self.rules.said(sectors, ranked[0][1])

    def do_view(self, direction, start, goal):
        raise Fails("unknown")
