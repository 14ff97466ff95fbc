"""The meaning of the language on tables of rooms, photographs and orbits written down a second
time, one thing at a time and from the documents: what the executor and its batch are held to.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from brute_force_places import (
    BORDER,
    OF_ONE,
    OF_TWO,
    VIEWER,
    Borderline,
    Fails,
    Table,
    aligned,
    apart,
    at_wall,
    below,
    bottom,
    fits,
    opposite_walls,
    runs_into,
    stacked,
)  # fmt: skip

from po3d.language.program import DIRECTIONS, LEAVES, Call
from po3d.reasoning.rules import Rules
from po3d.scene.orbit import Axes
from po3d.scene.rooms import purposes_of
from po3d.scene.table import Scene

MORE = {
    "distance": ("farther", "nearer"),
    "elevation": ("higher", "lower"),
    "height": ("taller", "shorter"),
    "length": ("longer", "shorter"),
    "width": ("wider", "narrower"),
    "volume": ("larger", "smaller"),
    "bearing": ("more", "less"),
}


class BruteForce(Table):
    """One program on one certain table without a change; what a phrase means is row 3 where it is
    "#3 chair".
    """

    def __init__(
        self, scene: Scene, rules: Rules, task: str = "2d", views: Sequence[Axes] = ()
    ) -> None:
        super().__init__(scene, rules)
        self.task, self.views = task, views
        self.naming = self.past = (
            False  # whether one thing is being picked out, and from what was before
        )
        self.phrases: dict[int, str] = {}  # what the program calls a thing

    def answer(self, program: Call) -> str:
        value = self.run(program)
        if isinstance(value, bool):
            query = program.args[0] if program.op == "holds" else ""
            return self.rules.spell(query, "yes" if value else "no")
        return f"{value:g}" if isinstance(value, float | int) else value

    def run(self, call: Call):
        return getattr(self, f"do_{call.op}")(*call.args)

    def sets(self, call: Call) -> list[int]:
        return sorted(set(self.run(call)))

    def one(self, call: Call, viewer: bool = False) -> int:
        """A thing of the table; who looks only where that is said."""
        outer, self.naming = self.naming, True
        i = self.run(call)
        self.naming = outer
        if i == VIEWER and not viewer:
            raise Fails("unknown")
        return i

    def two(self, first: Call, second: Call) -> tuple[int, int]:
        """Two things; "the two chairs" said once for both are both, where there are two."""
        if first == second and first.op == "unique" and len(both := self.sets(first.args[0])) == 2:
            return both[0], both[1]
        return self.one(first), self.one(second)

    # --- sets -------------------------------------------------------------------------------------

    def do_scene(self):
        return [i + self.past * self.now for i in range(self.now)]

    def do_choices(self):
        return self.do_scene()

    def do_filter(self, attribute, text, of):
        among = self.sets(of)
        if attribute == "occlusion":
            self.hider(0)
        result = [i for i in among if self.is_so(i, attribute, text)]
        if attribute in ("name", "side", "purpose", "facing", "occlusion") or result or not among:
            return result
        untold = all(self.told(i, attribute) is None for i in among)
        if self.naming:  # "the red chair" of a table that tells no chair's colour is not denied
            return among if untold else []
        if (of.op == "group" and untold) or all(attribute not in o.beliefs for o in self.objects):
            raise Fails("unknown")
        return []

    def do_exclude(self, *args):
        if len(args) == 2:
            return self.others(args[1], self.left_out(args[0]))
        attribute, text, among = *args[:2], self.sets(args[2])
        if attribute == "occlusion":
            self.hider(0)
        known = [i for i in among if attribute == "purpose" or self.told(i, attribute) is not None]
        return [i for i in known if not self.is_so(i, attribute, text)]

    def left_out(self, one: Call) -> list[int]:
        """ "Apart from the beds" leaves out all beds."""
        if one.op == "unique" and one.args[0].op == "filter" and one.args[0].args[0] == "name":
            return self.sets(one.args[0]) or [self.one(one)]
        return [self.one(one)]

    def others(self, among: Call, ones: list[int]) -> list[int]:
        return [i for i in self.sets(among) if i not in ones]

    def do_union(self, first, second):
        return self.sets(first) + self.sets(second)

    def do_intersect(self, first, second):
        first, second = self.sets(first), self.sets(second)
        return [i for i in first if i in second]

    def do_group(self, *ones):
        return self.two(*ones) if len(ones) == 2 else [self.one(ones[0])]

    def do_some(self, amount, among):
        among = self.sets(among)
        if len(among) < amount:
            raise Fails("not found")
        return among[: int(amount)]

    def do_changed(self, among):
        return self.sets(among)[:0]

    def do_same(self, attribute, like, among):
        like = self.one(like)
        if attribute == "purpose":
            mine = purposes_of(self.objects[like].value("name"))
            return [
                i
                for i in self.others(among, [like])
                if any(self.is_so(i, "purpose", p) for p in mine)
            ]
        value = self.known(like, attribute)
        return [i for i in self.others(among, [like]) if self.told(i, attribute) == value]

    def do_relate(self, relation, *args):
        if isinstance(args[0], str):
            return self.relate_sets(relation, *args)
        if relation not in DIRECTIONS:
            *ones, among = args
            ones = self.two(*ones) if len(ones) == 2 else (self.one(ones[0]),)
            result = self.sets(among)
            self.check(relation, ones, result)
            result = [i for i in result if i not in ones]
            return [i for i in result if self.lies(relation, i, *ones)]
        one, frame, among = args
        one = self.one(one, self.rules.viewer == "stands")
        to_me = among == Call("group", (Call("viewer"),))
        result = [VIEWER][one == VIEWER :] if to_me else self.others(among, [one])
        front = self.front(frame, one)
        return [i for i in result if self.lies_ahead(relation, one, i, front)]

    def relate_sets(self, relation, quantifier, others, among):
        others, among = self.sets(others), self.sets(among)
        near = set()
        for one in others:
            self.check(relation, (one,), [i for i in among if i != one])
            near |= {i for i in among if i != one and self.lies(relation, i, one)}
        return [i for i in among if (i in near) == (quantifier == "any")]

    # --- how things lie ---------------------------------------------------------------------------

    def lies_ahead(self, direction: str, one: int, i: int, front: tuple[float, int]) -> bool:
        """Whether i lies that way from one."""
        if VIEWER not in (one, i) and stacked(self.objects[one], self.objects[i]):
            return False
        if self.at_one_place(i, one):
            return False
        cone = self.rules.cone / (2 if "_" in direction else 1)
        return below(self.off(direction, self.azimuth(one, i, front)), cone)

    def check(self, relation: str, ones: tuple[int, ...], among: list[int]) -> None:
        """What is between, or in the way, is of two; all else is of one, and "at" tells a place."""
        of_two = relation in OF_TWO
        if len(ones) != 1 + of_two or relation == "at" or len(set(ones)) != len(ones):
            raise Fails("unknown")
        if relation.startswith("occlu") and among:
            self.hider(ones[0])
        if relation == "opposite" and not opposite_walls(self.objects[ones[0]], self.scene.outline):
            raise Fails("unknown")

    def lies(self, relation: str, i: int, *ones: int) -> bool:
        """Whether i lies so to one, or to two."""
        if relation == "nearer_than_before":  # no nearer, where nothing was otherwise
            if max(i, *ones) >= self.now:
                raise Fails("unknown")
            return False
        if i in ones:
            return relation == "fits"
        o, one = self.objects[i], self.objects[ones[0]]
        if relation in OF_TWO:
            return OF_TWO[relation](o, one, self.objects[ones[1]], self.rules)
        if relation == "opposite":
            walls = opposite_walls(one, self.scene.outline)
            return any(at_wall(o, wall) for wall in walls)
        if relation in OF_ONE:
            return OF_ONE[relation](o, one, self.rules)
        if relation in ("on", "occluded_by"):
            return {"on": self.rests_on, "occluded_by": self.hider}[relation](i) == ones[0]
        if relation in ("supporting", "occluding"):
            return {"supporting": self.rests_on, "occluding": self.hider}[relation](ones[0]) == i
        if relation.startswith("collides"):
            return (i < self.now) == (ones[0] < self.now) and runs_into(
                one, o, relation == "collides_forward"
            )
        if relation == "fits":
            return fits(o, one)
        return aligned(relation, o, one, self.rules)

    # --- objects ----------------------------------------------------------------------------------

    def do_unique(self, among):
        result = self.sets(among)
        if (
            len(result) != 1
            and among.op == "filter"
            and among.args[0] == "side"
            and "_" not in among.args[1]
        ):
            several, (x, y) = self.sets(among.args[2]), self.scene.axes[among.args[1]]
            if len(several) == 2:  # "the chair on the left" of two is the left one
                return self.extreme(
                    several, "most", lambda i: self.place(i)[0] * x + self.place(i)[1] * y
                )
        if len(result) != 1:
            raise Fails("ambiguous" if result else "not found")
        return result[0]

    def do_viewer(self):
        return VIEWER

    def do_before(self, one):
        outer, self.past = self.past, True
        result = self.one(one)
        self.past = outer
        return result

    def do_refer(self, text):
        row = int(text.removeprefix("#").split()[0])
        if row >= self.now:
            raise Fails("not found")
        self.phrases.setdefault(row, text)
        return row

    def do_best(self, what, sense, *args):
        *where, among = args
        if what not in DIRECTIONS:
            if not where and what not in ("distance", "bearing"):
                return self.extreme(self.sets(among), sense, lambda i: self.measured(what, i))
            one = self.one(where[0], viewer=True) if where else VIEWER
            result = self.others(among, [one])
            if what not in ("distance", "bearing"):
                raise Fails("unknown")
            _ = self.place(one) if what == "distance" else self.nose(one)
            if (
                what == "distance" and one != VIEWER and self.rules.beside_first
            ):  # near is beside, not on
                result = [
                    i for i in result if not stacked(self.objects[i], self.objects[one])
                ] or result
            return self.extreme(result, sense, lambda i: self.measured(what, i, one))
        if len(where) == 1:
            own = self.whose(where[0]) == "object"  # of all no thing's own front is meant
            front, left = self.front(Call("frame", ("camera",)) if own else where[0], VIEWER)
            way = front - left * math.radians(45 * DIRECTIONS.index(what))
            x, y = math.cos(way), math.sin(way)
            along = lambda i: self.place(i)[0] * x + self.place(i)[1] * y  # noqa: E731
            return self.extreme(self.sets(among), "least" if sense == "least" else "most", along)
        one = self.one(where[0], self.rules.viewer == "stands")
        if sense == "least":
            raise Fails("unknown")
        if sense == "first":
            result = self.do_relate(what, *args)
            return self.extreme(result, "least", lambda i: self.measured("distance", i, one))
        front = self.front(where[1], one)
        off = lambda i: self.off(what, self.azimuth(one, i, front))  # noqa: E731
        result = [i for i in self.others(among, [one]) if not self.at_one_place(i, one)]
        result = [i for i in result if below(off(i), self.rules.cone)]  # a quarter of the circle
        return self.extreme(result, "least", off)

    def extreme(self, result: list[int], sense: str, key) -> int:
        """The one with most or, for any other sense, least; of equals the first of the table."""
        if not result:
            raise Fails("not found")
        ranked = sorted((key(i) * (-1 if sense == "most" else 1), i) for i in result)
        if any(0 < b - a < BORDER for (a, _), (b, _) in pairwise(ranked[:2])):
            raise Borderline
        return ranked[0][1]

    # --- frames: the azimuth of front, and +1 where left is counter-clockwise from it -------------

    def front(self, frame: Call, start: int | None) -> tuple[float, int]:
        args = frame.args
        if len(args) == 4:
            amount, first, second, inner = args
            self.one(first), self.one(second)
            front, sense = self.front(inner, start)
            goes = (
                self.whose(inner) == "camera" or len(inner.args) == 4
            )  # who looks goes, no thing does
            return (
                front - sense * math.radians(amount) * goes,
                sense,
            )  # what was in front comes to the left
        if len(args) == 2 and isinstance(args[0], str):
            (x, y, _), (mx, my) = self.place(self.one(args[1])), self.middle()
            if math.hypot(x - mx, y - my) < 1e-3:
                raise Fails("unknown")
            wanted = math.atan2(y - my, x - mx) + math.radians(45 * DIRECTIONS.index(args[0]))
            if not self.scene.outline:
                return wanted, 1
            corners = (*self.scene.outline, self.scene.outline[0])
            (ax, ay), (bx, by) = max(pairwise(corners), key=lambda wall: math.dist(*wall))
            ranked = sorted(
                (apart(wall, wanted), wall)
                for wall in (math.atan2(by - ay, bx - ax) + k * math.pi / 2 for k in range(4))
            )
            below(ranked[0][0], ranked[1][0])
            return ranked[0][1], 1
        if len(args) == 2:
            first, second = (self.one(arg) for arg in args)
            return -math.radians(self.azimuth(first, second, (0.0, 1))), 1
        if self.whose(frame) == "camera":
            return self.axes_front(self.views[0] if self.views else self.scene.axes)
        return self.nose(start if self.whose(frame) == "object" else self.one(args[0])), 1

    def whose(self, frame: Call) -> str | None:
        """ "camera", or "object" where it is the reference's own front, of a frame that is told by
        name.
        """
        whose = frame.args[0] if len(frame.args) == 1 else None
        return {"task": "camera" if self.task == "2d" else "object", "room": "camera"}.get(
            whose, whose
        )

    # --- answers ----------------------------------------------------------------------------------

    def do_count(self, *args):
        if len(args) == 2:
            return len({self.known(i, args[0]) for i in self.sets(args[1])})
        return args[0] if isinstance(args[0], float) else len(self.sets(args[0]))

    def do_exist(self, among):
        return bool(self.sets(among))

    def do_query(self, what, one, *start):
        if what in LEAVES["measure"]:
            i = self.one(one, viewer=bool(start))
            return self.measured(what, i, self.one(start[0], viewer=True) if start else None)
        relate = one.args[0] if what == "name" and one.op == "unique" else one
        if relate.args[:1] == ("supporting",) and relate.args[2:] == (
            Call("scene"),
        ):  # what does it rest on?
            i = self.one(relate.args[1])
            k = self.rests_on(i)
            ground = "floor" if below(bottom(self.objects[i]), 0.1) else "wall"
            return ground if k is None else self.objects[k].value("name")
        i = self.one(one)
        return (
            self.phrases.get(i) or self.objects[i].value("name")
            if what == "name"
            else self.known(i, what)
        )

    def do_equal(self, *args):
        first, second = (self.run(arg) for arg in args[-2:])
        if (
            isinstance(first, float)
            and isinstance(second, float)
            and 0 < abs(first - second) < BORDER
        ):
            raise Borderline
        return first == second

    def do_less_than(self, first, second):
        a, b = self.run(first), self.run(second)
        return a != b and below(a, b)

    def do_greater_than(self, first, second):
        a, b = self.run(first), self.run(second)
        return a != b and below(b, a)

    def do_compare(self, what, first, second):
        a, b = self.measured(what, self.one(first)), self.measured(what, self.one(second))
        if what in ("distance", "bearing"):
            return MORE[what][below(a, b)]
        return MORE[what][a == b or below(a, b)]

    def do_holds(self, relation, first, second):
        both = relation == "nearer_than_before"
        first, second = self.two(first, second) if both else (self.one(first), self.one(second))
        self.check(relation, (second,), [first])
        return self.lies(relation, first, second)

    def do_direction(self, start, goal, frame, sectors):
        other, one = self.one(goal, viewer=True), self.one(start, viewer=True)
        return self.nearest(self.azimuth(one, other, self.front(frame, one)), sectors)

    def do_view(self, direction, start, goal):
        other, one = self.one(goal, viewer=True), self.one(start, viewer=True)
        azimuths = [self.azimuth(one, other, self.axes_front(axes)) for axes in self.views]
        result = [
            k for k, a in enumerate(azimuths) if below(self.off(direction, a), self.rules.cone)
        ]
        return str(1 + self.extreme(result, "least", lambda k: self.off(direction, azimuths[k])))
