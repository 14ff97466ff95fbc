"""Batched executor for programs of rooms: one program on many tables at once.

    Runner(tables, program).answers() ─► strings, None where the program fails

A set is a row of booleans over a table's objects, an object an index, and every operation
processes all tables at once. Answers equal those of `execute.run` on each table. Street programs,
whose sets fit the bits of an integer, have their own executor (`street_batched`).
"""

import math
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from po3d.language.program import DIRECTIONS, LEAVES, Call
from po3d.reasoning import body_relations
from po3d.reasoning.batched_sets import BatchedSets, wrapped
from po3d.reasoning.directions import AHEAD
from po3d.reasoning.evaluator import MORE_OR_LESS, SECTORS, is_support
from po3d.reasoning.room_tables import LOOKS, Codes, Mask, NotBatchable, RoomTables
from po3d.reasoning.set_operations import names_anything
from po3d.scene.geometry import Array
from po3d.scene.rectangles import Rectangle, rectangle

# operations that refer to the scene before an edit
_PAST = {"before", "changed", "nearer_than_before"}


class _Columns:
    """Objects of many tables as one `Body`: all, (W, m), or one of each table, (W, 1)."""

    def __init__(self, runner: "Runner", i: Codes | None = None) -> None:
        self.runner, self.i = runner, i

    def __getattr__(self, name: str) -> Array:
        value = self.runner.thing(name) if self.i is None else self.runner.of(name, self.i)
        self.__dict__[name] = value
        return value

    @cached_property
    def box(self) -> Rectangle:
        return rectangle(getattr(self, name) for name in Rectangle._fields)


class Runner(BatchedSets):
    """Evaluates calls on W tables.

    `bad`: (W,) the tables on which the program has failed. `program`: the question. Objects before
    an edit are kept only if it needs them, or if it is None (any call may follow).
    """

    def __init__(self, tables: RoomTables, program: Call | None = None) -> None:
        self.tables, self.rules, self.program = tables, tables.rules, program
        if self.rules.region != "cone" or self.rules.viewer != "stands":
            raise NotBatchable("only the rules of rooms are batched")
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
            return list(map(partial(spell, relation), ("no", "yes")))
        if program.op == "direction":
            return list(map(partial(spell, program.args[3]), DIRECTIONS))
        if program.op == "compare":
            return list(map(partial(spell, program.args[0]), MORE_OR_LESS[program.args[0]]))
        if program.op == "query" and program.args[0] == "side":
            return list(map(partial(spell, "eight"), DIRECTIONS))
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
        return body_relations.stacked(self.body(anchor), self.body())

    def fail(self, wrong: Mask) -> None:
        self.bad = self.bad | wrong

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
        if names_anything(set_call):
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
            raise NotBatchable(f"{what} between two objects is not batched")
        if len(where) == 1:
            if where[0].args not in (("room",), ("camera",)):
                raise NotBatchable(f"the frame {where[0]} is not batched")
            sign = 1.0 if sense == "least" else -1.0
            return self._least(self.value(set_call), self.along(what) * sign)
        if sense != "first":
            raise NotBatchable("most squarely is not batched")
        anchor = self.object(where[0])
        members = self.lying(what, anchor, where[1]) & self.value(set_call)
        return self._least(members, self.distance(anchor))

    def _best_from(self, what: str, sign: float, where: list[Call], set_call: Call) -> Codes:
        """Return the object with the least of a measure relative to an object or the viewer."""
        viewer = not where or where[0].op == "viewer"
        if set_call.op == "choices" or (what == "bearing" and viewer):
            raise NotBatchable(f"{what} without an object, or among options, is not batched")
        anchor = None if viewer else self.object(where[0])
        members = self.value(set_call)
        if anchor is None:
            return self._least(members, self.distance(None) * sign)
        members = members & ~self.one_hot(anchor)
        if what == "bearing":
            self.fail((members & (np.hypot(*self.offsets(anchor, "x", "y")) < 1e-9)).any(1))
            turn = wrapped(self.turn(anchor, Call("frame", ("object",))))
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
            raise NotBatchable(f"{what} of one object is not batched")
        if what == "volume":
            volume = self.thing("length") * self.thing("width") * self.thing("height")
            return np.log(np.maximum(volume, 1e-300))
        if what == "length":
            return np.maximum(self.thing("length"), self.thing("width"))
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
            raise NotBatchable(f"values of {attribute} are not batched")
        members, codes = self.value(set_call), self.rows("codes", attribute)
        self.fail((members & (codes < 0)).any(1))
        known = np.arange(len(self.tables.values[attribute]) or 1)
        return ((codes[:, :, None] == known) & members[:, :, None]).any(1).sum(1)

    def _exist(self, set_call: Call) -> Mask:
        return self.value(set_call).any(1)

    def _query(self, what: str, object_call: Call, *start: Call) -> Codes:
        if start or what not in (*LOOKS, "name", "side"):
            raise NotBatchable(f"{what} is not batched")
        if what == "name" and is_support(object_call):
            words = len(self.tables.values["name"])
            index = self.object(object_call.args[0].args[1])
            below = self.of("below", index, "codes")[:, 0]
            ground = np.where(self.of("low", index)[:, 0] < 0.1, words, words + 1)
            return np.where(below < 0, ground, self.of("name", below, "codes")[:, 0])
        index = self.object(object_call)
        if what == "side":
            middle, half = self.tables.room[:, :2], self.tables.room[:, 2:]
            place = np.concatenate([self.of("right", index), self.of("front", index)], 1)
            right, front = ((place - middle) / np.maximum(half, 1e-6)).T
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

    def numbers(self, first: Call, second: Call) -> tuple[NDArray, NDArray]:
        """Return two numbers for a comparison; two volumes as logarithms."""
        a, b = self.number(first), self.number(second)
        if (first.args[0] == "volume") != (second.args[0] == "volume"):
            a = np.exp(a) if first.args[0] == "volume" else a
            b = np.exp(b) if second.args[0] == "volume" else b
        return a, b

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
            first, second = self.of("origin", a, "codes")[:, 0], self.of("origin", b, "codes")[:, 0]
            self.fail((first < 0) | (second < 0))
            now = self.distance(a)[self.each, b]
            return now < self.distance(first)[self.each, np.maximum(second, 0)]
        a, b = self.object(first), self.object(second)
        if relation == "fits":
            sides = np.concatenate([self.of("length", a), self.of("width", a)], 1)
            space = np.concatenate([self.of("length", b), self.of("width", b)], 1)
            return (np.sort(sides, 1) <= np.sort(space, 1) + 1e-9).all(1)
        return self.related(relation, [b])[self.each, a]

    def _direction(self, start: Call, goal: Call, frame: Call, sectors: str) -> Codes:
        if goal.op == "viewer":
            return self._toward_viewer(start, frame, sectors)
        a, b = self.object(start), self.object(goal)
        x, y = (self.of(name, b) - self.of(name, a) for name in ("x", "y"))
        if len(frame.args) == 2 and isinstance(frame.args[0], Call):
            stand, facing = map(self.object, frame.args)
            ahead = [self.of(name, facing) - self.of(name, stand) for name in ("x", "y")]
            turn = -np.arctan2(*reversed(ahead)) + np.arctan2(y, x)
            self.fail(np.hypot(*ahead)[:, 0] < 1e-9)
        else:
            turn = np.take_along_axis(self.turn(a, frame), b[:, None], 1)
        self.fail(np.hypot(x, y)[:, 0] < 1e-9)
        return _sector(turn[:, 0], sectors)

    def _toward_viewer(self, start: Call, frame: Call, sectors: str) -> Codes:
        if frame.args != ("object",):
            raise NotBatchable(f"the frame {frame} is not batched")
        a, eye = self.object(start), self.tables.eye
        self.fail(np.isnan(eye[:, 0]))
        x, y = eye[:, 0] - self.of("x", a)[:, 0], eye[:, 1] - self.of("y", a)[:, 0]
        self.fail(np.hypot(x, y) < 1e-9)
        heading = np.arctan2(self.of("s", a), self.of("c", a))[:, 0]
        return _sector(np.arctan2(y, x) - heading, sectors)


def _sector(turn: Array, sectors: str) -> Codes:
    """Return (W,): index into DIRECTIONS of the nearest direction among the given sectors."""
    turn = np.nan_to_num(turn)
    if sectors == "eight":
        return np.round(-turn / (math.pi / 4)).astype(int) % 8
    indices = np.array(list(map(DIRECTIONS.index, SECTORS[sectors])))
    return indices[np.abs(wrapped(turn[:, None] + indices * (math.pi / 4))).argmin(1)]
