"""Batched executor for programs of rooms and photographs, on CPU or CUDA.

Equals `execute.run` on worlds taken as certain.

    pack(worlds) ─► Tables ─┬───────────────────────────────────┐
                            │                                   ├──► answers(tables, asked):
                            └─► ask(programs, where, tables) ───┘    strings, None on failure

Questions of one form (equal operations, different words) are answered together: a set is a row of
booleans over a world's objects, an object an index, and every operation processes all questions
of its form at once. Packing is done once; the words are looked up in the tables at that time.
Street programs, whose sets fit the bits of an integer, have their own executor
(`street_batched`).
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from po3d.language.program import DIRECTIONS, LEAVES, Call
from po3d.reasoning import relations
from po3d.reasoning.execute import IT, MORE_OR_LESS, SECTORS, Evaluator, is_support, run
from po3d.reasoning.execute import Asked as Words
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.rules import Rules
from po3d.reasoning.world import AHEAD, SIDES_OF_ROOM, World
from po3d.scene.rectangles import Rectangle, rectangle
from po3d.scene.rooms import ANYTHING, PURPOSES

# maximum number of questions answered at once: their tensors then fit a processor's cache
CHUNK = 512
LOOKS = ("color", "material", "state")
_PURPOSES = {purpose: k for k, purpose in enumerate(PURPOSES)}
# Argument kinds whose words are part of a form; other words are data of each question.
_FORMAL = ("relation", "measure", "sense", "attribute", "sectors", "whose")
# operations that refer to the scene before an edit
_PAST = {"before", "changed", "nearer_than_before"}


class Unbatched(Exception):
    """A form that must be answered question by question; str() gives the reason."""


@dataclass(frozen=True, eq=False)
class Tables:
    """S worlds, padded to n objects: those after the edit, then those before it."""

    worlds: Sequence[World]
    past: bool  # whether objects before the edit are packed
    things: dict[str, Tensor]  # (S, n) numeric columns by name, see `_COLUMNS`
    flags: dict[str, Tensor]  # (S, n) booleans: now, past, salient, mentioned, bearing, kin
    codes: dict[
        str, Tensor
    ]  # (S, n) value codes by attribute ("name" too), -1 for none; also "below", "origin"
    room: Tensor  # (S, 4) centre and half size of the room, to the right and to the front
    eye: Tensor  # (S, 3) the viewer's eye; nan without a camera
    told: dict[str, Tensor]  # (S,) whether the table has an attribute
    below_it: Tensor  # (S,) common support of the edited objects, -1 for none
    values: dict[str, list[str]]  # attribute -> the words of its codes

    def __len__(self) -> int:
        return len(self.room)

    @cached_property
    def now(self) -> int:
        """Largest number of objects of a world, without those before the edit."""
        return max((world.now for world in self.worlds), default=1) or 1


class Form(NamedTuple):
    """Questions of one form."""

    program: Call  # one of them; only its operations are used
    several: tuple[Call, ...]  # all of them
    phrases: np.ndarray  # (P, R) phrases of the questions
    items: Tensor  # (P,) indices of the questions
    worlds: Tensor  # (P,) indices of their worlds
    masks: tuple[Tensor, ...]  # for each text, in the order of the calls: (P,) row of `Asked.masks`
    angles: tuple[Tensor, ...]  # for each direction: (P,) its index


class _Columns:
    """Objects of many worlds as a `relations.Body`, by the names of `_COLUMNS`."""

    def __init__(self, column: Callable[[str], Tensor]) -> None:
        self.column = column

    def __getattr__(self, name: str) -> Tensor:
        found = self.__dict__[name] = self.column(name)
        return found

    @cached_property
    def box(self) -> Rectangle:
        return rectangle(getattr(self, name) for name in Rectangle._fields)


@dataclass(frozen=True, eq=False)
class Asked:
    """Questions sorted by form."""

    count: int
    forms: tuple[Form, ...]
    masks: Tensor  # (M, n) objects that match a word in a table


_COLUMNS = (
    "right", "front", "low", "top", "z", "reach", "x", "y", "c", "s", "a", "b", "length", "width", "height", "longest",
)  # fmt: skip


def pack(worlds: Sequence[World], past: bool = True) -> Tables:
    """Return the worlds as tensors; all must have equal rules.

    `past` includes the objects before the edit, which only questions about them need.
    """
    n, s = max((_size(w, past) for w in worlds), default=1) or 1, len(worlds)
    things = {name: np.zeros((s, n)) for name in _COLUMNS}
    flags = {
        name: np.zeros((s, n), bool) for name in ("now", "past", "salient", "mentioned", "bearing", "kin")
    }
    codes = {name: np.full((s, n), -1) for name in (*LOOKS, "name", "below", "origin")}
    codes["purpose"] = np.zeros((s, n), np.int64)
    below_it = np.full(s, -1)
    room, eye = np.zeros((s, 4)), np.full((s, 3), np.nan)
    told = {name: np.zeros(s, bool) for name in LOOKS}
    known: dict[str, dict[str, int]] = {name: {} for name in (*LOOKS, "name")}
    for k, world in enumerate(worlds):
        m = _size(world, past)
        if not m:
            continue
        rows = [
            (t.right, t.front, t.low, t.top, t.state.position[2], t.reach, *t.box, *t.state.extent, t.longest) for t in world.things[:m]
        ]  # fmt: skip
        for name, column in zip(_COLUMNS, zip(*rows)):
            things[name][k, :m] = column
        flags["now"][k, list(world.times(False))] = True
        flags["past"][k, [i for i in world.times(True) if i < m]] = True
        for name, found in (("salient", world.salient), ("mentioned", world.mentioned)):
            flags[name][k, [i for i in found if i < m]] = True
        kinds = {world.names[i] for i in world.salient}
        flags["kin"][k, [i for i in range(m) if world.names[i] in kinds]] = True
        below = [world.supports[i] for i in range(m)]
        codes["below"][k, :m] = [-1 if b is None else b for b in below]
        bearing = {below[i] for i in world.salient if i < world.now} - {None}
        flags["bearing"][k, [b for b in bearing if b < m]] = True
        codes["origin"][k, : world.now] = [-1 if o is None else world.now + o for o in world.edited.origin]
        for name in LOOKS:
            told[name][k] = world.tells(name)
            for i in range(m):
                if (value := world.value(i, name)) is not None:
                    codes[name][k, i] = known[name].setdefault(value, len(known[name]))
        codes["name"][k, :m] = [known["name"].setdefault(x, len(known["name"])) for x in world.names[:m]]
        codes["purpose"][k, :m] = [sum(1 << _PURPOSES[p] for p in world.purposes(i)) for i in range(m)]
        if world.salient:
            below_it[k] = -1 if (it := Evaluator(world).below_it()) is None else it
        room[k] = (*world.middle, *world.half)
        with suppress(ExecutionFailure):  # there is no viewer
            eye[k] = world.eye
        headings = [world.heading(i) for i in range(m)]
        things["c"][k, :m], things["s"][k, :m] = np.cos(headings), np.sin(headings)
    as_tensors = lambda arrays: {name: torch.from_numpy(a) for name, a in arrays.items()}  # noqa: E731
    values = {name: list(words) for name, words in known.items()}
    rest = torch.from_numpy(room), torch.from_numpy(eye), as_tensors(told), torch.from_numpy(below_it), values
    return Tables(worlds, past, as_tensors(things), as_tensors(flags), as_tensors(codes), *rest)


def ask(programs: Sequence[Call], where: Sequence[int], tables: Tables) -> Asked:
    """Group the questions by form; program p is asked about world `where[p]` of the tables.

    `refer` denotes the row that a phrase such as "#3 brown chair" names.
    """
    worlds, n = tables.worlds, tables.flags["now"].shape[1]
    masks: dict[tuple[int, str, str], int] = {}
    truths: list[np.ndarray] = []
    forms: dict[tuple, list] = defaultdict(list)
    shapes: dict[Call, tuple] = {}
    for p, (program, k) in enumerate(zip(programs, where, strict=True)):
        if program not in shapes:
            texts: list[tuple[str, str]] = []
            angles: list[int] = []
            shapes[program] = (_shape(program, texts, angles), tuple(texts), tuple(angles))
        shape, texts, angles = shapes[program]
        rows = []
        for key in texts:
            if (k, *key) not in masks:
                masks[(k, *key)] = len(truths)
                truths.append(_fits(worlds[k], *key, _size(worlds[k], tables.past), n))
            rows.append(masks[(k, *key)])
        phrases = [text for what, text in texts if what == "row"]
        forms[shape].append((p, k, rows, angles, phrases, program))
    made = []
    for whole, first in ((found, k) for found in forms.values() for k in range(0, len(found), CHUNK)):
        found = whole[first : first + CHUNK]
        items, worlds_of, rows, angles, phrases, several = zip(*found)
        columns = tuple(torch.tensor(c) for c in zip(*rows))
        made.append(
            Form(
                several[0],
                several,
                np.array(phrases, object).reshape(len(found), -1),
                torch.tensor(items),
                torch.tensor(worlds_of),
                columns,
                tuple(torch.tensor(c) for c in zip(*angles)),
            )
        )
    packed = torch.from_numpy(np.array(truths, bool).reshape(-1, n))
    return Asked(len(programs), tuple(made), packed)


def _size(world: World, past: bool) -> int:
    """Return the number of objects of a world that are packed."""
    return len(world.things) if past else world.now


def _shape(call: Call, texts: list[tuple[str, str]], angles: list[int]) -> tuple:
    """Return the form of a question; append its words in the order in which they are read."""
    parts: list = [call.op]
    attribute = ""
    for kind, arg in zip(call.signature.inputs, call.args):
        if isinstance(arg, Call):
            parts.append(_shape(arg, texts, angles))
        elif kind == "direction":
            angles.append(DIRECTIONS.index(arg))
            parts.append("_" in arg)
        elif kind == "text":
            what = "row" if call.op == "refer" else attribute
            texts.append((what, arg))
            if attribute == "side":
                angles.append(DIRECTIONS.index(arg) if arg in DIRECTIONS else 0)
            parts.append(
                (
                    attribute == "name" and arg in ANYTHING,
                    attribute == "side" and arg in AHEAD and "_" not in arg,
                )
            )
        elif kind in _FORMAL:
            attribute = arg
            parts.append(arg)
        else:
            parts.append(arg)
    return tuple(parts)


def _fits(world: World, attribute: str, text: str, m: int, n: int) -> np.ndarray:
    """Return (n,) which of the first m objects of a world match a word."""
    truth = np.zeros(n, bool)
    every = range(m)
    if attribute == "row":
        number = text[1:].partition(" ")[0] if text.startswith("#") else ""
        found = [int(number)] if number.isdigit() and int(number) < world.now else []
    elif attribute == "name":
        found = [*world.named(text, False), *world.named(text, True)]
    elif attribute == "side":
        found = [i for i in every if text in SIDES_OF_ROOM and world.at_side(text, i)]
    elif attribute == "purpose":
        found = [i for i in every if text in world.purposes(i)]
    elif attribute in LOOKS:
        found = world.having(attribute, text, every)
    else:  # forms with this attribute are not batched
        found = []
    truth[[i for i in found if i < m]] = True
    return truth


def answers(tables: Tables, asked: Asked, device: str | torch.device = "cpu") -> list[str | None]:
    """Return the answers in the spelling of the rules; None where a program fails."""
    found = np.full(asked.count, None, object)
    masks = asked.masks.to(device)
    for form in asked.forms:
        try:
            found[form.items.numpy()] = _Runner(tables, form, masks, torch.device(device)).answers()
        except Unbatched:
            for item, k, program in zip(form.items.tolist(), form.worlds.tolist(), form.several):
                world = tables.worlds[k]
                found[item] = run(program, world, Words(refer=Rows(world.now))).answer
    return found.tolist()


class Rows:
    """A `Reference` for phrases that name rows of a table of `count` rows: "#3 brown chair"."""

    def __init__(self, count: int) -> None:
        self.count = count

    def row(self, phrase: str) -> int:
        number = phrase[1:].partition(" ")[0]
        if not phrase.startswith("#") or not number.isdigit() or int(number) >= self.count:
            raise ExecutionFailure("not found", f"not found: {phrase!r} names no row")
        return int(number)

    def apart(self, first: str, second: str) -> tuple[int, int]:
        return self.row(first), self.row(second)

    def choices(self, phrases: Sequence[str], start: int) -> dict[str, int]:
        return {phrase: row for phrase in phrases if (row := self.row(phrase)) != start}


class _Runner:
    """Answers questions of one form. `bad`: (P,) which have no answer."""

    def __init__(self, tables: Tables, form: Form, masks: Tensor, device: torch.device) -> None:
        self.tables, self.form, self.device = tables, form, device
        self.rules: Rules = tables.worlds[0].rules
        self.world = form.worlds.to(device)
        # Few questions refer to the scene before the edit; the others omit its columns.
        past = any({call.op, *call.args[:1]} & _PAST for call in form.program.calls())
        self.width = None if past else tables.now
        self.texts = [masks[row.to(device), : self.width] for row in form.masks]
        self.read = (0, 0)  # number of texts and of directions read so far
        self.ways = [way.to(device) for way in form.angles]
        self.bad = torch.zeros(len(self.world), dtype=torch.bool, device=device)
        self.past = self.naming = False
        self.phrases: list[Tensor] = []  # row of each phrase so far
        self._held: dict[tuple[str, str], Tensor] = {}
        self.every = torch.arange(len(self.world), device=device)

    def rows(self, kind: str, name: str) -> Tensor:
        """Return (P, n): a column of each question's world."""
        key = (kind, name)
        if key not in self._held:
            self._held[key] = getattr(self.tables, kind)[name].to(self.device)[self.world, : self.width]
        return self._held[key]

    def thing(self, name: str) -> Tensor:
        return self.rows("things", name)

    def of(self, name: str, i: Tensor, kind: str = "things") -> Tensor:
        """Return (P, 1): a number of one object."""
        i = i.clamp(min=0)
        if (kind, name) in self._held:
            return self._held[kind, name].gather(1, i[:, None])
        return getattr(self.tables, kind)[name].to(self.device)[self.world, i][:, None]

    def answers(self) -> np.ndarray:
        program = self.form.program
        value = self.value(program)
        words = self._words(program)
        if words is None:
            texts = np.array([f"{v:g}" for v in value.tolist()], object)
        else:
            codes = value.cpu().numpy().astype(int)
            texts = np.array(words, object)[codes]
            if self.phrases and program.op == "query":  # the question's own phrase for the object
                which = np.clip(-1 - codes, 0, None)
                texts = np.where(codes < 0, self.form.phrases[np.arange(len(codes)), which], texts)
        return np.where(self.bad.cpu().numpy(), None, texts)

    def _words(self, program: Call) -> list[str] | None:
        """Return the words of an answer's codes; None for numbers."""
        if program.output == "bool":
            relation = program.args[0] if program.op == "holds" else ""
            return [self.rules.said(relation, word) for word in ("no", "yes")]
        if program.op == "direction":
            return [self.rules.said(program.args[3], d) for d in DIRECTIONS]
        if program.op == "compare":
            return [self.rules.said(program.args[0], word) for word in MORE_OR_LESS[program.args[0]]]
        if program.op == "query" and program.args[0] == "side":
            return [self.rules.said("eight", d) for d in DIRECTIONS]
        if program.op == "query" and program.args[0] in self.tables.values:
            return [*self.tables.values[program.args[0]], "floor", "wall", ""]
        return None

    def value(self, call: Call) -> Tensor:
        if (call.op, call.signature.inputs) not in _BATCHED:
            raise Unbatched(call.op)
        return getattr(self, f"_{call.op}")(*call.args)

    def object(self, call: Call) -> Tensor:
        outer, self.naming = self.naming, True
        found = self.value(call)
        self.naming = outer
        return found

    def text(self) -> Tensor:
        """Return (P, n): the objects that match the next text."""
        texts, ways = self.read
        self.read = (texts + 1, ways)
        return self.texts[texts]

    def way(self) -> Tensor:
        """Return (P,): the index of the next direction."""
        texts, ways = self.read
        self.read = (texts, ways + 1)
        return self.ways[ways]

    def times(self) -> Tensor:
        return self.rows("flags", "past" if self.past else "now")

    def one(self, i: Tensor) -> Tensor:
        """Return (P, n): the set of one object."""
        return torch.arange(self.times().shape[1], device=self.device) == i[:, None]

    def body(self, i: Tensor | None = None) -> "_Columns":
        """Return all objects as one body of columns (P, n), or object i of each world, (P, 1)."""
        return _Columns(self.thing if i is None else lambda name: self.of(name, i))

    def stacked(self, one: Tensor) -> Tensor:
        """Return (P, n): the objects stacked with an object."""
        return relations.stacked(self.body(one), self.body())

    def fail(self, wrong: Tensor) -> None:
        self.bad = self.bad | wrong

    # --- sets -------------------------------------------------------------------------------------

    def _scene(self) -> Tensor:
        return self.times()

    def _filter(self, attribute: str, _text: str, among: Call) -> Tensor:
        fits = self.text()
        side = self.way() if attribute == "side" else None
        found = self.value(among)
        having = found & fits
        if side is not None:  # of two objects, the one farther in this direction is meant
            self.apart = found, self.along(side)
        if attribute in ("name", "side", "purpose"):
            return having & self.times() if attribute == "name" else having
        if attribute not in LOOKS:
            raise Unbatched(f"no {attribute}")
        lacking = ~having.any(1) & found.any(1)
        if self.naming:
            unknown = ~(found & (self.rows("codes", attribute) >= 0)).any(1)
            return torch.where((lacking & unknown)[:, None], found, having)
        told = self.tables.told[attribute].to(self.device)[self.world]
        if among.op == "group":
            told = told & (found & (self.rows("codes", attribute) >= 0)).any(1)
        self.fail(lacking & ~told)
        return having

    def _exclude(self, *args) -> Tensor:
        if len(args) == 3:
            attribute, _, among = args
            if attribute not in LOOKS:
                raise Unbatched(f"no {attribute}")
            fits = self.text()
            return self.value(among) & ~fits & (self.rows("codes", attribute) >= 0)
        one, among = args
        if one.op == "unique" and one.args[0].op == "filter" and one.args[0].args[0] == "name":
            several = self.value(one.args[0])
            about = several & self.rows("flags", "salient")
            single = self._picked(several, one.args[0], fail=several.sum(1) <= 1)
            apart = torch.where((about.sum(1) == 1)[:, None], about, several)
            out = torch.where((several.sum(1) > 1)[:, None], apart, self.one(single))
        else:
            out = self.one(self.object(one))
        return self.value(among) & ~out

    def _union(self, first: Call, second: Call) -> Tensor:
        return self.value(first) | self.value(second)

    def _intersect(self, first: Call, second: Call) -> Tensor:
        return self.value(first) & self.value(second)

    def _group(self, *ones: Call) -> Tensor:
        if len(ones) == 1:
            return self.one(self.object(ones[0]))
        a, b = self.both(*ones)
        return self.one(a) | self.one(b)

    def both(self, first: Call, second: Call) -> tuple[Tensor, Tensor]:
        if first != second or first.op != "unique":
            return self.object(first), self.object(second)
        bad, read, naming = self.bad, self.read, self.naming
        found = self.value(first.args[0])
        two, self.bad, self.read = found.sum(1) == 2, bad, read
        a, b = self.object(first), self.object(second)
        self.bad, self.naming = torch.where(two, bad, self.bad), naming
        last = found.shape[1] - 1 - found.flip(1).int().argmax(1)
        return torch.where(two, found.int().argmax(1), a), torch.where(two, last, b)

    def _changed(self, among: Call) -> Tensor:
        return self.value(among) & self.rows("flags", "salient")

    def _relate(self, relation: str, *args: Call) -> Tensor:
        if len(args) == 3 and args[1].op == "frame":
            way = self.way()
            one, frame, among = self.object(args[0]), *args[1:]
            return self.lying(way, "_" in relation, one, frame) & self.value(among) & ~self.one(one)
        *ones, among = args
        if relation == "on" and ones[0] == IT:
            bad, below = self.bad, self.tables.below_it.to(self.device)[self.world]
            one = self.object(ones[0])
            self.bad = torch.where(below < 0, self.bad, bad)
            return self.related(relation, [torch.where(below < 0, one, below)]) & self.value(among)
        found = list(self.both(*ones)) if len(ones) == 2 else [self.object(ones[0])]
        return self.related(relation, found) & self.value(among)

    def lying(self, way: Tensor, combined: bool, one: Tensor, frame: Call) -> Tensor:
        """Return (P, n): the objects in the cone of a direction from an object."""
        cone = relations.cone("front_left" if combined else "front", self.rules)
        turn = self.turn(one, frame)
        off = _wrapped(turn + way[:, None] * (math.pi / 4)).abs()
        return (off <= cone) & ~self.stacked(one)

    def turn(self, one: Tensor, frame: Call) -> Tensor:
        """Return (P, n): angles of the vectors from an object to all objects.

        Radians from the front, counter-clockwise.
        """
        if len(frame.args) != 1 or not isinstance(frame.args[0], str) or frame.args[0] == "task":
            raise Unbatched(f"batches of rooms and photographs know no {frame}")
        if frame.args[0] == "object":
            x, y = self.thing("x") - self.of("x", one), self.thing("y") - self.of("y", one)
            return torch.atan2(y, x) - torch.atan2(self.of("s", one), self.of("c", one))
        return -torch.atan2(
            self.thing("right") - self.of("right", one), self.thing("front") - self.of("front", one)
        )

    def related(self, relation: str, ones: Sequence[Tensor]) -> Tensor:
        """Return (P, n): the objects in a relation to one object, or to two."""
        one, rules, first = ones[0], self.rules, self.body(ones[0])
        if (relation in ("between", "blocking")) != (len(ones) == 2):
            raise Unbatched(f"{relation} of {len(ones)}")
        every, others = self.body(), ~self.one(one)
        if relation == "next_to":
            near = relations.neighbours(first, every, rules, torch) >= 0
            return near & others & (~self.stacked(one) if rules.next_to_in == "metres" else others)
        if relation == "on":
            return self.rows("codes", "below") == one[:, None]
        if relation == "supporting":
            below = self.of("below", one, "codes")[:, 0]
            return self.one(below) & (below >= 0)[:, None]
        if relation == "above":
            return (relations.over(every, first, rules, torch) > 0) & others
        if relation == "under":
            if rules.under == "directly":
                return (relations.over(first, every, rules, torch) > 0) & others
            return (every.z < first.z) & self.stacked(one) & others
        if relation in ("between", "blocking"):
            self.fail(one == ones[1])
            second, others = self.body(ones[1]), others & ~self.one(ones[1])
            if relation == "between":
                return (relations.between(first, second, every, rules, torch) >= 0) & others
            apart = ~self.stacked(one) & ~self.stacked(ones[1])
            near = relations.off_path(first, second, every, torch) < rules.path
            return near & relations.in_the_way(every, rules) & apart & others
        if relation in relations.ALIGNED:
            c, s = first.c * every.c + first.s * every.s, first.c * every.s - first.s * every.c
            turn = torch.rad2deg(torch.atan2(s, c).abs())
            return relations.holds_at(relations.alignment(turn, relation, rules, torch), relation) & others
        raise Unbatched(f"batches of rooms and photographs know nothing of {relation}")

    def _same(self, attribute: str, like: Call, among: Call) -> Tensor:
        one = self.object(like)
        if attribute == "purpose":
            shared = self.rows("codes", "purpose") & self.of("purpose", one, "codes")
            return self.value(among) & (shared > 0) & ~self.one(one)
        if attribute not in (*LOOKS, "name"):
            raise Unbatched(f"batches of rooms and photographs compare no {attribute}")
        own = self.of(attribute, one, "codes")
        self.fail(own[:, 0] < 0)
        return self.value(among) & (self.rows("codes", attribute) == own) & ~self.one(one)

    # --- objects ----------------------------------------------------------------------------------

    def _unique(self, among: Call) -> Tensor:
        read = self.read
        found = self.value(among)
        empty = ~found.any(1) & ~self.bad
        if among.op != "changed" or self.past or not bool(empty.any()):
            return self._picked(found, among)
        now = self._picked(found, among, fail=~empty)
        bad, self.read, self.past = self.bad, read, True  # "it" is the removed object
        before = self._picked(self.value(among), among)
        self.bad, self.past = torch.where(empty, self.bad, bad), False
        return torch.where(empty, before, now)

    def _picked(self, found: Tensor, among: Call, fail: Tensor | None = None) -> Tensor:
        """Return the only candidate, or the intended one (see `Evaluator._spoken_of`)."""
        salient = self.rows("flags", "salient")
        several = found.sum(1) > 1
        if (
            among.op == "filter"
            and among.args[0] == "side"
            and among.args[1] in AHEAD
            and "_" not in among.args[1]
        ):
            inner, along = self.apart
            farther = self.one((-along).where(inner, torch.full_like(along, math.inf)).argmin(1))
            two = (found.sum(1) != 1) & (inner.sum(1) == 2) & ~((found & salient).sum(1) == 1)
            found = torch.where(two[:, None], farther, found)
            several = found.sum(1) > 1
        for about in (salient, *self._spoken(among)) if bool(several.any()) else ():
            meant = found & about
            found = torch.where((several & (meant.sum(1) == 1))[:, None], meant, found)
            several = found.sum(1) > 1
        wrong = found.sum(1) != 1
        self.fail(wrong if fail is None else wrong & fail)
        return found.int().argmax(1)

    def _spoken(self, among: Call) -> list[Tensor]:
        spoken = [self.rows("flags", "bearing"), self.rows("flags", "mentioned")]
        if any(p.op == "filter" and p.args[0] == "name" and p.args[1] in ANYTHING for p in among.calls()):
            spoken.append(self.rows("flags", "kin"))
        return spoken

    def _best(self, what: str, sense: str, *args: Call) -> Tensor:
        sign = -1.0 if sense == "most" else 1.0
        *where, among = args
        if what == "bearing" and (not where or where[0].op == "viewer"):
            raise Unbatched("bearing of nothing")
        if what in ("distance", "bearing"):
            if among.op == "choices":
                raise Unbatched("batches of rooms and photographs have no choices")
            viewer = not where or where[0].op == "viewer"
            one = None if viewer else self.object(where[0])
            found = self.value(among) if one is None else self.value(among) & ~self.one(one)
            if what == "bearing":
                away = torch.hypot(*(self.thing(x) - self.of(x, one) for x in ("x", "y")))
                self.fail((found & (away < 1e-9)).any(1))
                return self._least(found, _wrapped(self.turn(one, Call("frame", ("object",)))).abs() * sign)
            if self.rules.beside_first and one is not None:
                apart = found & ~self.stacked(one)
                found = torch.where(apart.any(1)[:, None], apart, found)
            return self._least(found, self.distance(one) * sign)
        if not where:
            return self._least(self.value(among), self.measure(what) * sign)
        if what in LEAVES["measure"]:
            raise Unbatched(f"{what} of one thing from another")
        way = self.way()
        if len(where) == 1:
            if where[0].args not in (("room",), ("camera",)):
                raise Unbatched(f"batches of rooms and photographs know no {where[0]}")
            return self._least(self.value(among), self.along(way) * (1.0 if sense == "least" else -1.0))
        if sense != "first":
            raise Unbatched("batches of rooms and photographs know nothing of most squarely")
        one = self.object(where[0])
        found = self.lying(way, "_" in what, one, where[1]) & self.value(among) & ~self.one(one)
        return self._least(found, self.distance(one))

    def _least(self, found: Tensor, key: Tensor) -> Tensor:
        self.fail(~found.any(1))
        return key.where(found, torch.full_like(key, math.inf)).argmin(1)

    def along(self, way: Tensor) -> Tensor:
        """Return (P, n): coordinates along a direction of the frame."""
        ahead = torch.tensor([AHEAD[d] for d in DIRECTIONS], dtype=torch.float64, device=self.device)[way]
        return ahead[:, :1] * self.thing("right") + ahead[:, 1:] * self.thing("front")

    def distance(self, one: Tensor | None) -> Tensor:
        """Return (P, n): distances from an object, as the rules define them, or from the viewer."""
        if one is None:
            eye = self.tables.eye.to(self.device)[self.world]
            self.fail(eye[:, 0].isnan())
            x, y, z = (self.thing(name) - eye[:, k : k + 1] for k, name in enumerate("xyz"))
            if self.rules.viewer == "stands":
                return torch.hypot(x, y).nan_to_num(0.0)
            return torch.sqrt(x * x + y * y + z * z).nan_to_num(0.0)
        if self.rules.distance == "space":
            x, y, z = (self.thing(name) - self.of(name, one) for name in "xyz")
            return torch.sqrt(x * x + y * y + z * z)
        return torch.hypot(
            self.thing("right") - self.of("right", one), self.thing("front") - self.of("front", one)
        )

    def measure(self, what: str) -> Tensor:
        """Return (P, n): a measure; volumes as logarithms."""
        if what in ("distance", "bearing"):
            raise Unbatched(f"{what} of one thing")
        if what == "volume":
            sides = (self.thing(s) for s in ("length", "width", "height"))
            return torch.log(math.prod(sides).clamp(min=1e-300))
        return self.thing({"elevation": "z"}.get(what, what))

    def _before(self, one: Call) -> Tensor:
        if not self.tables.past:
            raise Unbatched("what was before is not packed")
        past, self.past = self.past, True
        found = self.object(one)
        self.past = past
        return found

    def _refer(self, _phrase: str) -> Tensor:
        row = self.text()
        self.fail(~row.any(1))
        self.phrases.append(row.int().argmax(1))
        return self.phrases[-1]

    # --- answers ----------------------------------------------------------------------------------

    def _count(self, *args) -> Tensor:
        if len(args) == 1:
            return self.value(args[0]).sum(1)
        attribute, among = args
        if attribute not in self.tables.values:
            raise Unbatched(f"values of {attribute}")
        found, codes = self.value(among), self.rows("codes", attribute)
        self.fail((found & (codes < 0)).any(1))
        known = torch.arange(len(self.tables.values[attribute]) or 1, device=self.device)
        return ((codes[:, :, None] == known) & found[:, :, None]).any(1).sum(1)

    def _exist(self, among: Call) -> Tensor:
        return self.value(among).any(1)

    def _query(self, what: str, one: Call) -> Tensor:
        if what == "name":
            words = len(self.tables.values["name"])
            if is_support(one):
                index = self.object(one.args[0].args[1])
                below = self.of("below", index, "codes")[:, 0]
                ground = torch.where(self.of("low", index)[:, 0] < 0.1, words, words + 1)
                return torch.where(below < 0, ground, self.of("name", below, "codes")[:, 0])
            index = self.object(one)
            found = self.of("name", index, "codes")[:, 0]
            for k, row in reversed(list(enumerate(self.phrases))):
                found = torch.where(row == index, -1 - k, found)
            return found
        index = self.object(one)
        if what == "side":
            middle, half = self.tables.room.to(self.device)[self.world].split(2, 1)
            right, front = ((self.of(x, index)[:, 0] - middle[:, k]) / half[:, k].clamp(min=1e-6)
                            for k, x in enumerate(("right", "front")))  # fmt: skip
            return _sector(-torch.atan2(right, front), "eight")
        if what not in LOOKS:
            raise Unbatched(f"batches of rooms and photographs know nothing of {what}")
        found = self.of(what, index, "codes")[:, 0]
        self.fail(found < 0)
        return found.clamp(min=0)

    def _greater_than(self, first: Call, second: Call) -> Tensor:
        a, b = self.numbers(first, second)
        return a > b

    def _less_than(self, first: Call, second: Call) -> Tensor:
        a, b = self.numbers(first, second)
        return a < b

    def numbers(self, first: Call, second: Call) -> tuple[Tensor, Tensor]:
        """Return two numbers for a comparison; two volumes as logarithms."""
        both = [self.number(call) for call in (first, second)]
        if [call.args[0] == "volume" for call in (first, second)] not in ([True, True], [False, False]):
            both = [
                n.exp() if c.op == "query" and c.args[0] == "volume" else n
                for n, c in zip(both, (first, second))
            ]
        return both[0], both[1]

    def number(self, call: Call) -> Tensor:
        if (
            call.op == "query"
            and len(call.args) == 2
            and call.args[0] in ("elevation", "volume", "height", "length", "width")
        ):
            return self.measure(call.args[0]).gather(1, self.object(call.args[1])[:, None])[:, 0]
        return self.value(call)

    def _compare(self, what: str, first: Call, second: Call) -> Tensor:
        a, b = (self.measure(what).gather(1, self.object(one)[:, None])[:, 0] for one in (first, second))
        return torch.where(a > b, 0, 1)

    def _holds(self, relation: str, first: Call, second: Call) -> Tensor:
        if relation == "nearer_than_before":
            a, b = self.both(first, second)
            then = [self.of("origin", i, "codes")[:, 0] for i in (a, b)]
            self.fail((then[0] < 0) | (then[1] < 0))
            now, before = (
                self.distance(x).gather(1, y.clamp(min=0)[:, None])[:, 0] for x, y in ((a, b), then)
            )
            return now < before
        a, b = self.object(first), self.object(second)
        if relation == "fits":
            mine, space = (
                torch.cat([self.of("length", i), self.of("width", i)], 1).sort(1).values for i in (a, b)
            )
            return (mine <= space + 1e-9).all(1)
        return self.related(relation, [b]).gather(1, a[:, None])[:, 0]

    def _direction(self, start: Call, goal: Call, frame: Call, sectors: str) -> Tensor:
        if goal.op == "viewer":
            return self._toward_viewer(start, frame, sectors)
        a, b = self.object(start), self.object(goal)
        if len(frame.args) == 2 and isinstance(frame.args[0], Call):
            stand, facing = (self.object(one) for one in frame.args)
            x, y = (self.of(x, facing) - self.of(x, stand) for x in ("x", "y"))
            there, ahead = (self.of(x, b) - self.of(x, a) for x in ("x", "y")), torch.atan2(y, x)
            turn = -ahead + torch.atan2(*reversed(tuple(there)))
            self.fail(torch.hypot(x, y)[:, 0] < 1e-9)
        else:
            turn = self.turn(a, frame).gather(1, b[:, None])
        away = torch.hypot(*(self.of(x, b) - self.of(x, a) for x in ("x", "y")))[:, 0]
        self.fail(away < 1e-9)
        return _sector(turn[:, 0], sectors)

    def _toward_viewer(self, start: Call, frame: Call, sectors: str) -> Tensor:
        a, eye = self.object(start), self.tables.eye.to(self.device)[self.world]
        if frame.args != ("object",):
            raise Unbatched(f"batches of rooms and photographs know no {frame}")
        self.fail(eye[:, 0].isnan())
        x, y = eye[:, 0] - self.of("x", a)[:, 0], eye[:, 1] - self.of("y", a)[:, 0]
        self.fail(torch.hypot(x, y) < 1e-9)
        return _sector(torch.atan2(y, x) - torch.atan2(self.of("s", a), self.of("c", a))[:, 0], sectors)


_BATCHED = {
    (op, tuple(inputs.split()))
    for op, inputs in (
        ("scene", ""), ("filter", "attribute text objects"), ("exclude", "attribute text objects"), ("exclude", "object objects"),
        ("union", "objects objects"), ("intersect", "objects objects"), ("group", "object"), ("group", "object object"),
        ("changed", "objects"), ("relate", "direction object frame objects"), ("relate", "relation object objects"),
        ("relate", "relation object object objects"), ("same", "attribute object objects"), ("unique", "objects"),
        ("best", "measure sense objects"), ("best", "measure sense object objects"), ("best", "direction sense frame objects"),
        ("best", "direction sense object frame objects"), ("before", "object"), ("refer", "text"), ("count", "objects"),
        ("count", "attribute objects"), ("exist", "objects"), ("query", "attribute object"), ("less_than", "number number"),
        ("greater_than", "number number"), ("compare", "measure object object"), ("holds", "relation object object"),
        ("direction", "object object frame sectors"),
    )
}  # fmt: skip


def _wrapped(turn: Tensor) -> Tensor:
    return turn - math.tau * torch.round(turn / math.tau)


def _sector(turn: Tensor, sectors: str) -> Tensor:
    """Return (P,): index into DIRECTIONS of the nearest direction among the given sectors."""
    if sectors == "eight":
        return torch.round(-turn.nan_to_num(0.0) / (math.pi / 4)).long() % 8
    among = torch.tensor([DIRECTIONS.index(d) for d in SECTORS[sectors]], device=turn.device)
    away = _wrapped(turn.nan_to_num(0.0)[:, None] + among * (math.pi / 4)).abs()
    return among[away.argmin(1)]
