"""Batched executor for programs of rooms: one program on many tables at once.

    Runner(tables, program).answers() ─► strings, None where the program fails

A set is a row of booleans over a table's objects, an object an index, and every operation
processes all tables at once. Answers equal those of `execute.run` on each table. Street programs,
whose sets fit the bits of an integer, have their own executor (`street_batched`).
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from po3d.language.program import DIRECTIONS, LEAVES, Call
from po3d.reasoning import relations
from po3d.reasoning.execute import EDITED_OBJECT, MORE_OR_LESS, SECTORS, is_name, is_support
from po3d.reasoning.room_tables import LOOKS, Codes, Mask, NotBatchable, RoomTables
from po3d.reasoning.world import AHEAD, azimuth
from po3d.scene.geometry import Array
from po3d.scene.rectangles import Rectangle, rectangle
from po3d.scene.rooms import ANYTHING

# operations that refer to the scene before an edit
_PAST = {"before", "changed", "nearer_than_before"}


class _Columns:
    """Objects of many tables as a `relations.Body`: all, (W, m), or one of each table, (W, 1)."""

    def __init__(self, runner: "Runner", i: Codes | None = None) -> None:
        self.runner, self.i = runner, i

    def __getattr__(self, name: str) -> Array:
        value = self.runner.thing(name) if self.i is None else self.runner.of(name, self.i)
        self.__dict__[name] = value
        return value

    @cached_property
    def box(self) -> Rectangle:
        return rectangle(getattr(self, name) for name in Rectangle._fields)


class Runner:
    """Evaluates calls on W tables.

    `bad`: (W,) the tables on which it has failed. `program`: the question that is asked; None
    keeps the objects before an edit, which few questions need, for any call.
    """

    def __init__(self, tables: RoomTables, program: Call | None = None) -> None:
        self.tables, self.rules, self.program = tables, tables.rules, program
        if self.rules.region != "cone" or self.rules.viewer != "stands":
            raise NotBatchable("rules that are not those of a room")
        calls = () if program is None else program.calls()
        past = program is None or any({call.op, *call.args[:1]} & _PAST for call in calls)
        self.width = None if past else tables.now
        self.each = np.arange(len(tables))
        self.bad: Mask = np.zeros(len(tables), bool)
        self.past = self.naming = False

    def rows(self, kind: str, name: str) -> NDArray:
        """Return (W, m): a column of the tables."""
        return self.tables.column(kind, name)[:, : self.width]

    def thing(self, name: str) -> Array:
        return self.rows("things", name)

    def of(self, name: str, i: Codes, kind: str = "things") -> NDArray:
        """Return (W, 1): a number of one object."""
        return self.tables.column(kind, name)[self.each, np.maximum(i, 0)][:, None]

    def answers(self) -> NDArray:
        """Return (W,) answers in the spelling of the rules; None where the program fails."""
        value = self.value(self.program)
        words = self._words(self.program)
        if words is None:
            texts = np.array([f"{v:g}" for v in value.tolist()], object)
        else:
            texts = np.array(words, object)[value.astype(int)]
        return np.where(self.bad, None, texts)

    def _words(self, program: Call) -> list[str] | None:
        """Return the words of an answer's codes; None for numbers."""
        spell = self.rules.spell
        if program.output == "bool":
            relation = program.args[0] if program.op == "holds" else ""
            return [spell(relation, word) for word in ("no", "yes")]
        if program.op == "direction":
            return [spell(program.args[3], d) for d in DIRECTIONS]
        if program.op == "compare":
            return [spell(program.args[0], word) for word in MORE_OR_LESS[program.args[0]]]
        if program.op == "query" and program.args[0] == "side":
            return [spell("eight", d) for d in DIRECTIONS]
        if program.op == "query" and program.args[0] in self.tables.values:
            return [*self.tables.values[program.args[0]], "floor", "wall", ""]
        return None

    def value(self, call: Call) -> NDArray:
        operation = getattr(self, f"_{call.op}", None)
        if operation is None:
            raise NotBatchable(call.op)
        return operation(*call.args)

    def object(self, call: Call) -> Codes:
        outer, self.naming = self.naming, True
        index = self.value(call)
        self.naming = outer
        return index

    def fits(self, attribute: str, text: str) -> Mask:
        """Return (W, m): the objects that match a word."""
        return self.tables.fits(attribute, text)[:, : self.width]

    def times(self) -> Mask:
        return self.rows("flags", "past" if self.past else "now")

    def one_hot(self, i: Codes) -> Mask:
        """Return (W, m): the set of one object."""
        return np.arange(self.times().shape[1]) == i[:, None]

    def body(self, i: Codes | None = None) -> _Columns:
        """Return all objects as one body of columns (W, m), or object i of each table, (W, 1)."""
        return _Columns(self, i)

    def stacked(self, anchor: Codes) -> Mask:
        """Return (W, m): the objects stacked with an object."""
        return relations.stacked(self.body(anchor), self.body())

    def fail(self, wrong: Mask) -> None:
        self.bad = self.bad | wrong

    # --- sets -------------------------------------------------------------------------------------

    def _scene(self) -> Mask:
        return self.times()

    def _filter(self, attribute: str, text: str, set_call: Call) -> Mask:
        if attribute not in (*LOOKS, "name", "side", "purpose"):
            raise NotBatchable(f"no {attribute}")
        fits, members = self.fits(attribute, text), self.value(set_call)
        having = members & fits
        if attribute not in LOOKS:
            return having & self.times() if attribute == "name" else having
        lacking = ~having.any(1) & members.any(1)
        known = (members & (self.rows("codes", attribute) >= 0)).any(1)
        if self.naming:
            return np.where((lacking & ~known)[:, None], members, having)
        has_attribute = self.tables.has_attribute[attribute]
        if set_call.op == "group":
            has_attribute = has_attribute & known
        self.fail(lacking & ~has_attribute)
        return having

    def _exclude(self, *args) -> Mask:
        if len(args) == 3:
            attribute, text, set_call = args
            if attribute not in LOOKS:
                raise NotBatchable(f"no {attribute}")
            known = self.rows("codes", attribute) >= 0
            return self.value(set_call) & ~self.fits(attribute, text) & known
        anchor_call, set_call = args
        if anchor_call.op == "unique" and is_name(anchor_call.args[0]):
            named = anchor_call.args[0]
            candidates = self.value(named)
            about = candidates & self.rows("flags", "salient")
            single = self._picked(candidates, named, fail=candidates.sum(1) <= 1)
            excluded = np.where((about.sum(1) == 1)[:, None], about, candidates)
            out = np.where((candidates.sum(1) > 1)[:, None], excluded, self.one_hot(single))
        else:
            out = self.one_hot(self.object(anchor_call))
        return self.value(set_call) & ~out

    def _union(self, first: Call, second: Call) -> Mask:
        return self.value(first) | self.value(second)

    def _intersect(self, first: Call, second: Call) -> Mask:
        return self.value(first) & self.value(second)

    def _group(self, *ones: Call) -> Mask:
        if len(ones) == 1:
            return self.one_hot(self.object(ones[0]))
        a, b = self.both(*ones)
        return self.one_hot(a) | self.one_hot(b)

    def both(self, first: Call, second: Call) -> tuple[Codes, Codes]:
        if first != second or first.op != "unique":
            return self.object(first), self.object(second)
        bad, pair = self.bad, self.value(first.args[0])
        two, self.bad = pair.sum(1) == 2, bad
        single = self.object(first)
        self.bad = np.where(two, bad, self.bad)
        last = pair.shape[1] - 1 - pair[:, ::-1].argmax(1)
        return np.where(two, pair.argmax(1), single), np.where(two, last, single)

    def _changed(self, set_call: Call) -> Mask:
        return self.value(set_call) & self.rows("flags", "salient")

    def _relate(self, relation: str, *args: Call) -> Mask:
        if len(args) == 3 and args[1].op == "frame":
            anchor, frame, set_call = self.object(args[0]), *args[1:]
            return self.lying(relation, anchor, frame) & self.value(set_call)
        *ones, set_call = args
        if relation == "on" and ones[0] == EDITED_OBJECT:
            bad, below = self.bad, self.tables.below_it
            anchor = self.object(ones[0])
            self.bad = np.where(below < 0, self.bad, bad)
            anchors = [np.where(below < 0, anchor, below)]
        else:
            anchors = list(self.both(*ones)) if len(ones) == 2 else [self.object(ones[0])]
        return self.related(relation, anchors) & self.value(set_call)

    def lying(self, direction: str, anchor: Codes, frame: Call) -> Mask:
        """Return (W, m): the other objects in the cone of a direction from an object."""
        off = np.abs(_wrapped(self.turn(anchor, frame) + azimuth(direction)))
        inside = off <= relations.cone(direction, self.rules)
        return inside & ~self.stacked(anchor) & ~self.one_hot(anchor)

    def turn(self, anchor: Codes, frame: Call) -> Array:
        """Return (W, m): angles of the vectors from an object to all objects.

        Radians from the front, counter-clockwise.
        """
        if len(frame.args) != 1 or not isinstance(frame.args[0], str) or frame.args[0] == "task":
            raise NotBatchable(f"batches of rooms know no {frame}")
        if frame.args[0] == "object":
            x, y = self.offsets(anchor, "x", "y")
            return np.arctan2(y, x) - np.arctan2(self.of("s", anchor), self.of("c", anchor))
        return -np.arctan2(*self.offsets(anchor, "right", "front"))

    def offsets(self, anchor: Codes, *names: str) -> list[Array]:
        """Return (W, m) differences of coordinates of all objects from those of one."""
        return [self.thing(name) - self.of(name, anchor) for name in names]

    def related(self, relation: str, ones: Sequence[Codes]) -> Mask:
        """Return (W, m): the objects in a relation to one object, or to two."""
        if len(ones) != relations.others_of(relation):
            raise NotBatchable(f"{relation} of {len(ones)}")
        anchor, every, others = ones[0], self.body(), ~self.one_hot(ones[0])
        if relation in relations.BODIES:
            for other in ones[1:]:
                self.fail(anchor == other)
                others = others & ~self.one_hot(other)
            bodies = [self.body(i) for i in ones]
            return relations.BODIES[relation].holds(bodies, every, self.rules, np) & others
        if relation == "on":
            return self.rows("codes", "below") == anchor[:, None]
        if relation == "supporting":
            below = self.of("below", anchor, "codes")[:, 0]
            return self.one_hot(below) & (below >= 0)[:, None]
        if relation in relations.ALIGNED:
            first = self.body(anchor)
            c, s = first.c * every.c + first.s * every.s, first.c * every.s - first.s * every.c
            turn = np.rad2deg(np.abs(np.arctan2(s, c)))
            spare = relations.alignment(turn, relation, self.rules, np)
            return relations.holds_at(spare, relation) & others
        raise NotBatchable(f"batches of rooms know nothing of {relation}")

    def _same(self, attribute: str, like: Call, set_call: Call) -> Mask:
        if attribute not in (*LOOKS, "name", "purpose"):
            raise NotBatchable(f"batches of rooms compare no {attribute}")
        anchor = self.object(like)
        codes, code = self.rows("codes", attribute), self.of(attribute, anchor, "codes")
        if attribute == "purpose":
            shared = (codes & code) > 0
        else:
            self.fail(code[:, 0] < 0)
            shared = codes == code
        return self.value(set_call) & shared & ~self.one_hot(anchor)

    # --- objects ----------------------------------------------------------------------------------

    def _unique(self, set_call: Call) -> Codes:
        members = self.value(set_call)
        empty = ~members.any(1) & ~self.bad
        if set_call.op != "changed" or self.past or not empty.any():
            return self._picked(members, set_call)
        now = self._picked(members, set_call, fail=~empty)
        bad, self.past = self.bad, True  # "it" is the removed object
        before = self._picked(self.value(set_call), set_call)
        self.bad, self.past = np.where(empty, self.bad, bad), False
        return np.where(empty, before, now)

    def _picked(self, members: Mask, set_call: Call, fail: Mask | None = None) -> Codes:
        """Return on each row (sample) the only member of a set; if there are several, a salient
        one or one mentioned before (`Evaluator._spoken_of`). Rows without one fail."""
        salient = self.rows("flags", "salient")
        if (members.sum(1) != 1).any() and (set_call.op, *set_call.args[:1]) == ("filter", "side"):
            members = self._farther_of_two(members, *set_call.args[1:])
        ambiguous = members.sum(1) > 1
        for about in (salient, *self._spoken(set_call)) if ambiguous.any() else ():
            matches = members & about
            members = np.where((ambiguous & (matches.sum(1) == 1))[:, None], matches, members)
            ambiguous = members.sum(1) > 1
        wrong = members.sum(1) != 1
        self.fail(wrong if fail is None else wrong & fail)
        return members.argmax(1)

    def _farther_of_two(self, members: Mask, side: str, set_call: Call) -> Mask:
        """Return the candidates reduced to the farther of two: "the chair on the left"."""
        if side not in AHEAD or "_" in side:
            return members
        inner = self.value(set_call)
        farther = self.one_hot(np.where(inner, -self.along(side), math.inf).argmin(1))
        about = (members & self.rows("flags", "salient")).sum(1) == 1
        two = (members.sum(1) != 1) & (inner.sum(1) == 2) & ~about
        return np.where(two[:, None], farther, members)

    def _spoken(self, set_call: Call) -> list[Mask]:
        spoken = [self.rows("flags", "bearing"), self.rows("flags", "mentioned")]
        if any(is_name(part) and part.args[1] in ANYTHING for part in set_call.calls()):
            spoken.append(self.rows("flags", "kin"))
        return spoken

    def _best(self, what: str, sense: str, *args: Call) -> Codes:
        sign = -1.0 if sense == "most" else 1.0
        *where, set_call = args
        if what in ("distance", "bearing"):
            return self._best_from(what, sign, where, set_call)
        if not where:
            return self._least(self.value(set_call), self.measure(what) * sign)
        if what in LEAVES["measure"]:
            raise NotBatchable(f"{what} of one thing from another")
        if len(where) == 1:
            if where[0].args not in (("room",), ("camera",)):
                raise NotBatchable(f"batches of rooms know no {where[0]}")
            sign = 1.0 if sense == "least" else -1.0
            return self._least(self.value(set_call), self.along(what) * sign)
        if sense != "first":
            raise NotBatchable("batches of rooms know nothing of most squarely")
        anchor = self.object(where[0])
        members = self.lying(what, anchor, where[1]) & self.value(set_call)
        return self._least(members, self.distance(anchor))

    def _best_from(self, what: str, sign: float, where: list[Call], set_call: Call) -> Codes:
        """Return the object with the least of a measure relative to an object or the viewer."""
        viewer = not where or where[0].op == "viewer"
        if set_call.op == "choices" or (what == "bearing" and viewer):
            raise NotBatchable(f"{what} of nothing, or among choices")
        anchor = None if viewer else self.object(where[0])
        members = self.value(set_call)
        if anchor is None:
            return self._least(members, self.distance(None) * sign)
        members = members & ~self.one_hot(anchor)
        if what == "bearing":
            self.fail((members & (np.hypot(*self.offsets(anchor, "x", "y")) < 1e-9)).any(1))
            turn = _wrapped(self.turn(anchor, Call("frame", ("object",))))
            return self._least(members, np.abs(turn) * sign)
        if self.rules.beside_first:
            distinct = members & ~self.stacked(anchor)
            members = np.where(distinct.any(1)[:, None], distinct, members)
        return self._least(members, self.distance(anchor) * sign)

    def _least(self, members: Mask, key: Array) -> Codes:
        self.fail(~members.any(1))
        return np.where(members, key, math.inf).argmin(1)

    def along(self, direction: str) -> Array:
        """Return (W, m): coordinates along a direction of the frame."""
        across, ahead = AHEAD[direction]
        return across * self.thing("right") + ahead * self.thing("front")

    def distance(self, anchor: Codes | None) -> Array:
        """Return (W, m): distances from an object, as the rules define them, or from the viewer."""
        if anchor is None:
            eye = self.tables.eye
            self.fail(np.isnan(eye[:, 0]))
            away = np.hypot(self.thing("x") - eye[:, :1], self.thing("y") - eye[:, 1:2])
            return np.nan_to_num(away)
        if self.rules.distance == "space":
            return np.sqrt(sum(d * d for d in self.offsets(anchor, "x", "y", "z")))
        return np.hypot(*self.offsets(anchor, "right", "front"))

    def measure(self, what: str) -> Array:
        """Return (W, m): a measure; volumes as logarithms."""
        if what in ("distance", "bearing"):
            raise NotBatchable(f"{what} of one thing")
        if what == "volume":
            sides = (self.thing(s) for s in ("length", "width", "height"))
            return np.log(np.maximum(math.prod(sides), 1e-300))
        return self.thing({"elevation": "z"}.get(what, what))

    def _before(self, object_call: Call) -> Codes:
        past, self.past = self.past, True
        index = self.object(object_call)
        self.past = past
        return index

    # --- answers ----------------------------------------------------------------------------------

    def _count(self, *args) -> Codes:
        if len(args) == 1:
            number = not isinstance(args[0], Call)
            return np.full(len(self.tables), args[0]) if number else self.value(args[0]).sum(1)
        attribute, set_call = args
        if attribute not in self.tables.values:
            raise NotBatchable(f"values of {attribute}")
        members, codes = self.value(set_call), self.rows("codes", attribute)
        self.fail((members & (codes < 0)).any(1))
        known = np.arange(len(self.tables.values[attribute]) or 1)
        return ((codes[:, :, None] == known) & members[:, :, None]).any(1).sum(1)

    def _exist(self, set_call: Call) -> Mask:
        return self.value(set_call).any(1)

    def _query(self, what: str, object_call: Call, *start: Call) -> Codes:
        if start or what not in (*LOOKS, "name", "side"):
            raise NotBatchable(f"batches of rooms know nothing of {what}")
        if what == "name" and is_support(object_call):
            words = len(self.tables.values["name"])
            index = self.object(object_call.args[0].args[1])
            below = self.of("below", index, "codes")[:, 0]
            ground = np.where(self.of("low", index)[:, 0] < 0.1, words, words + 1)
            return np.where(below < 0, ground, self.of("name", below, "codes")[:, 0])
        index = self.object(object_call)
        if what == "side":
            middle, half = self.tables.room[:, :2], self.tables.room[:, 2:]
            right, front = (
                (self.of(name, index)[:, 0] - middle[:, k]) / np.maximum(half[:, k], 1e-6)
                for k, name in enumerate(("right", "front"))
            )
            return _sector(-np.arctan2(right, front), "eight")
        code = self.of(what, index, "codes")[:, 0]
        if what != "name":
            self.fail(code < 0)
        return np.maximum(code, 0) if what != "name" else code

    def _greater_than(self, first: Call, second: Call) -> Mask:
        a, b = self.numbers(first, second)
        return a > b

    def _less_than(self, first: Call, second: Call) -> Mask:
        a, b = self.numbers(first, second)
        return a < b

    def numbers(self, first: Call, second: Call) -> list[NDArray]:
        """Return two numbers for a comparison; two volumes as logarithms."""
        both = [self.number(call) for call in (first, second)]
        volumes = [call.args[0] == "volume" for call in (first, second)]
        if any(volumes) and not all(volumes):
            both = [np.exp(n) if volume else n for n, volume in zip(both, volumes)]
        return both

    def number(self, call: Call) -> NDArray:
        measures = ("elevation", "volume", "height", "length", "width")
        if call.op == "query" and len(call.args) == 2 and call.args[0] in measures:
            return self.measure_of(call.args[0], call.args[1])
        return self.value(call)

    def measure_of(self, what: str, object_call: Call) -> Array:
        """Return (W,) a measure of one object."""
        return self.measure(what)[self.each, self.object(object_call)]

    def _compare(self, what: str, first: Call, second: Call) -> Codes:
        a, b = self.measure_of(what, first), self.measure_of(what, second)
        return np.where(a > b, 0, 1)

    def _holds(self, relation: str, first: Call, second: Call) -> Mask:
        if relation == "nearer_than_before":
            a, b = self.both(first, second)
            then = [self.of("origin", i, "codes")[:, 0] for i in (a, b)]
            self.fail((then[0] < 0) | (then[1] < 0))
            now, before = (self.distance(x)[self.each, np.maximum(y, 0)] for x, y in ((a, b), then))
            return now < before
        a, b = self.object(first), self.object(second)
        if relation == "fits":
            mine, space = (
                np.sort(np.concatenate([self.of("length", i), self.of("width", i)], 1), 1)
                for i in (a, b)
            )
            return (mine <= space + 1e-9).all(1)
        return self.related(relation, [b])[self.each, a]

    def _direction(self, start: Call, goal: Call, frame: Call, sectors: str) -> Codes:
        if goal.op == "viewer":
            return self._toward_viewer(start, frame, sectors)
        a, b = self.object(start), self.object(goal)
        x, y = (self.of(name, b) - self.of(name, a) for name in ("x", "y"))
        if len(frame.args) == 2 and isinstance(frame.args[0], Call):
            stand, facing = (self.object(object_call) for object_call in frame.args)
            ahead = [self.of(name, facing) - self.of(name, stand) for name in ("x", "y")]
            turn = -np.arctan2(*reversed(ahead)) + np.arctan2(y, x)
            self.fail(np.hypot(*ahead)[:, 0] < 1e-9)
        else:
            turn = np.take_along_axis(self.turn(a, frame), b[:, None], 1)
        self.fail(np.hypot(x, y)[:, 0] < 1e-9)
        return _sector(turn[:, 0], sectors)

    def _toward_viewer(self, start: Call, frame: Call, sectors: str) -> Codes:
        if frame.args != ("object",):
            raise NotBatchable(f"batches of rooms know no {frame}")
        a, eye = self.object(start), self.tables.eye
        self.fail(np.isnan(eye[:, 0]))
        x, y = eye[:, 0] - self.of("x", a)[:, 0], eye[:, 1] - self.of("y", a)[:, 0]
        self.fail(np.hypot(x, y) < 1e-9)
        heading = np.arctan2(self.of("s", a), self.of("c", a))[:, 0]
        return _sector(np.arctan2(y, x) - heading, sectors)


def _wrapped(turn: Array) -> Array:
    return turn - math.tau * np.round(turn / math.tau)


def _sector(turn: Array, sectors: str) -> Codes:
    """Return (W,): index into DIRECTIONS of the nearest direction among the given sectors."""
    turn = np.nan_to_num(turn)
    if sectors == "eight":
        return np.round(-turn / (math.pi / 4)).astype(int) % 8
    indices = np.array([DIRECTIONS.index(d) for d in SECTORS[sectors]])
    return indices[np.abs(_wrapped(turn[:, None] + indices * (math.pi / 4))).argmin(1)]
