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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from po3d.language.program import DIRECTIONS, LEAVES, Call
from po3d.reasoning import relations
from po3d.reasoning.execute import EDITED_OBJECT, MORE_OR_LESS, SECTORS, Evaluator, is_support, run
from po3d.reasoning.execute import QuestionInfo as Words
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.rules import Rules
from po3d.reasoning.world import AHEAD, SIDES_OF_ROOM, SceneGeometry, shade
from po3d.scene.rectangles import Rectangle, rectangle
from po3d.scene.rooms import ANYTHING, PURPOSES, SYNONYMS, VALUE_WORDS, purposes_of
from po3d.scene.vocabulary import PARENT

# maximum number of questions answered at once: their tensors then fit a processor's cache
CHUNK = 512
LOOKS = ("color", "material", "state")
_PURPOSES = {purpose: k for k, purpose in enumerate(PURPOSES)}
# Argument kinds whose words are part of a form; other words are data of each question.
_FORMAL = ("relation", "measure", "sense", "attribute", "sectors", "whose")
# operations that refer to the scene before an edit
_PAST = {"before", "changed", "nearer_than_before"}


class NotBatchable(Exception):
    """A form that must be answered question by question; str() gives the reason."""


@dataclass(frozen=True, eq=False)
class SceneTensors:
    """S worlds, padded to n objects: those after the edit, then those before it."""

    worlds: Sequence[SceneGeometry]
    past: bool  # whether objects before the edit are packed
    things: dict[str, Tensor]  # (S, n) numeric columns by name, see `_COLUMNS`
    flags: dict[str, Tensor]  # (S, n) booleans: now, past, salient, mentioned, bearing, kin
    codes: dict[
        str, Tensor
    ]  # (S, n) value codes by attribute ("name" too), -1 for none; also "below", "origin"
    room: Tensor  # (S, 4) centre and half size of the room, to the right and to the front
    eye: Tensor  # (S, 3) the viewer's eye; nan without a camera
    has_attribute: dict[str, Tensor]  # (S,) whether the table has an attribute
    below_it: Tensor  # (S,) common support of the edited objects, -1 for none
    values: dict[str, list[str]]  # attribute -> the words of its codes

    def __len__(self) -> int:
        return len(self.room)

    @property
    def rules(self) -> Rules:
        return self.worlds[0].rules

    @cached_property
    def now(self) -> int:
        """Largest number of objects of a world, without those before the edit."""
        return max((world.now for world in self.worlds), default=1) or 1


class BatchTables(Protocol):
    """What the batched interpreter reads: `SceneTensors`, or `room_samples.RoomTables`."""

    rules: Rules
    past: bool
    now: int
    things: Mapping[str, Tensor]
    flags: Mapping[str, Tensor]
    codes: Mapping[str, Tensor]
    room: Tensor
    eye: Tensor
    has_attribute: Mapping[str, Tensor]
    below_it: Tensor
    values: Mapping[str, list[str]]

    def __len__(self) -> int: ...


class ProgramForm(NamedTuple):
    """Questions of one form."""

    program: Call  # one of them; only its operations are used
    option_sets: tuple[Call, ...]  # all of them
    phrases: np.ndarray  # (P, R) phrases of the questions
    items: Tensor  # (P,) indices of the questions
    worlds: Tensor  # (P,) indices of their worlds
    masks: tuple[
        Tensor, ...
    ]  # for each text, in the order of the calls: (P,) row of `PackedPrograms.masks`
    angles: tuple[Tensor, ...]  # for each direction: (P,) its index


class _Columns:
    """Objects of many worlds as a `relations.Body`, by the names of `_COLUMNS`."""

    def __init__(self, column: Callable[[str], Tensor]) -> None:
        self.column = column

    def __getattr__(self, name: str) -> Tensor:
        value = self.__dict__[name] = self.column(name)
        return value

    @cached_property
    def box(self) -> Rectangle:
        return rectangle(getattr(self, name) for name in Rectangle._fields)


@dataclass(frozen=True, eq=False)
class PackedPrograms:
    """Questions sorted by form."""

    count: int
    forms: tuple[ProgramForm, ...]
    masks: Tensor  # (M, n) objects that match a word in a table


_COLUMNS = (
    "right",
    "front",
    "low",
    "top",
    "z",
    "reach",
    "x",
    "y",
    "c",
    "s",
    "a",
    "b",
    "length",
    "width",
    "height",
    "longest",
)


def pack(worlds: Sequence[SceneGeometry], past: bool = True) -> SceneTensors:
    """Return the worlds as tensors; all must have equal rules.

    `past` includes the objects before the edit, which only questions about them need.
    """
    n, s = max((_size(w, past) for w in worlds), default=1) or 1, len(worlds)
    things = {name: np.zeros((s, n)) for name in _COLUMNS}
    flags = {
        name: np.zeros((s, n), bool)
        for name in ("now", "past", "salient", "mentioned", "bearing", "kin")
    }
    codes = {name: np.full((s, n), -1) for name in (*LOOKS, "name", "below", "origin")}
    codes["purpose"] = np.zeros((s, n), np.int64)
    below_it = np.full(s, -1)
    room, eye = np.zeros((s, 4)), np.full((s, 3), np.nan)
    has_attribute = {name: np.zeros(s, bool) for name in LOOKS}
    known: dict[str, dict[str, int]] = {name: {} for name in (*LOOKS, "name")}
    for k, world in enumerate(worlds):
        m = _size(world, past)
        if not m:
            continue
        rows = [
            (
                t.right,
                t.front,
                t.low,
                t.top,
                t.state.position[2],
                t.reach,
                *t.box,
                *t.state.extent,
                t.longest,
            )
            for t in world.things[:m]
        ]
        for name, column in zip(_COLUMNS, zip(*rows)):
            things[name][k, :m] = column
        flags["now"][k, list(world.times(False))] = True
        flags["past"][k, [i for i in world.times(True) if i < m]] = True
        for name, indices in (("salient", world.salient), ("mentioned", world.mentioned)):
            flags[name][k, [i for i in indices if i < m]] = True
        kinds = {world.names[i] for i in world.salient}
        flags["kin"][k, [i for i in range(m) if world.names[i] in kinds]] = True
        below = [world.supports[i] for i in range(m)]
        codes["below"][k, :m] = [-1 if b is None else b for b in below]
        bearing = {below[i] for i in world.salient if i < world.now} - {None}
        flags["bearing"][k, [b for b in bearing if b < m]] = True
        codes["origin"][k, : world.now] = [
            -1 if o is None else world.now + o for o in world.edited.origin
        ]
        for name in LOOKS:
            has_attribute[name][k] = world.tells(name)
            for i in range(m):
                if (value := world.value(i, name)) is not None:
                    codes[name][k, i] = known[name].setdefault(value, len(known[name]))
        codes["name"][k, :m] = [
            known["name"].setdefault(x, len(known["name"])) for x in world.names[:m]
        ]
        codes["purpose"][k, :m] = [purpose_bits(world.things[i].name) for i in range(m)]
        if world.salient:
            below_it[k] = -1 if (it := Evaluator(world).below_it()) is None else it
        room[k] = (*world.middle, *world.half)
        with suppress(ExecutionFailure):  # there is no viewer
            eye[k] = world.eye
        headings = [world.heading(i) for i in range(m)]
        things["c"][k, :m], things["s"][k, :m] = np.cos(headings), np.sin(headings)
    as_tensors = lambda arrays: {name: torch.from_numpy(a) for name, a in arrays.items()}  # noqa: E731
    values = {name: list(words) for name, words in known.items()}
    rest = (
        torch.from_numpy(room),
        torch.from_numpy(eye),
        as_tensors(has_attribute),
        torch.from_numpy(below_it),
        values,
    )
    return SceneTensors(
        worlds, past, as_tensors(things), as_tensors(flags), as_tensors(codes), *rest
    )


def ask(programs: Sequence[Call], where: Sequence[int], tables: SceneTensors) -> PackedPrograms:
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
    forms_packed = []
    for whole, first in (
        (group, k) for group in forms.values() for k in range(0, len(group), CHUNK)
    ):
        group = whole[first : first + CHUNK]
        items, worlds_of, rows, angles, phrases, option_sets = zip(*group)
        columns = tuple(torch.tensor(c) for c in zip(*rows))
        forms_packed.append(
            ProgramForm(
                option_sets[0],
                option_sets,
                np.array(phrases, object).reshape(len(group), -1),
                torch.tensor(items),
                torch.tensor(worlds_of),
                columns,
                tuple(torch.tensor(c) for c in zip(*angles)),
            )
        )
    packed = torch.from_numpy(np.array(truths, bool).reshape(-1, n))
    return PackedPrograms(len(programs), tuple(forms_packed), packed)


def form_of_all(calls: Sequence[Call], tables: BatchTables) -> tuple[ProgramForm, Tensor]:
    """Return one program, or its parts in the order of evaluation, as a form that is asked about
    every table, and the masks of its words."""
    texts: list[tuple[str, str]] = []
    angles: list[int] = []
    for call in calls:
        _shape(call, texts, angles)
    every = torch.arange(len(tables))
    if any(attribute == "row" for attribute, _ in texts):
        raise NotBatchable("phrases that refer to rows")
    masks = [tables.fits(*text) for text in texts]
    rows = tuple(every + k * len(tables) for k in range(len(texts)))
    ways = tuple(torch.full_like(every, angle) for angle in angles)
    phrases = np.empty((len(tables), 0), object)
    form = ProgramForm(calls[0], (), phrases, every, every, rows, ways)
    return form, torch.cat(masks) if masks else torch.zeros((0, 1), dtype=torch.bool)


def fit_codes(codes: np.ndarray, values: Sequence[str], text: str) -> np.ndarray:
    """Return which codes match a word among all values of their row, as `SceneGeometry.having`.

    NotBatchable if a value is a shade of the word, as then the matches depend on the candidates.
    """
    wanted, plain = VALUE_WORDS.get(text, text), [VALUE_WORDS.get(v, v) for v in values]
    if any(shade(wanted, v) for v in plain):
        raise NotBatchable(f"shades of {text}")
    exact = np.array([*(v == text or PARENT.get(v) == text for v in values), False])[codes]
    similar = [wanted in (v, p, PARENT.get(v)) for v, p in zip(values, plain)]
    return np.where(exact.any(1)[:, None], exact, np.array([*similar, False])[codes])


def purpose_bits(name: str) -> int:
    """Return the purposes of objects with a name as a sum of `purpose_bit`."""
    return sum(map(purpose_bit, purposes_of(SYNONYMS.get(name, name))))


def purpose_bit(purpose: str) -> int:
    return 1 << _PURPOSES[purpose] if purpose in _PURPOSES else 0


def _size(world: SceneGeometry, past: bool) -> int:
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


def _fits(world: SceneGeometry, attribute: str, text: str, m: int, n: int) -> np.ndarray:
    """Return (n,) which of the first m objects of a world match a word."""
    truth = np.zeros(n, bool)
    every = range(m)
    if attribute == "row":
        number = text[1:].partition(" ")[0] if text.startswith("#") else ""
        indices = [int(number)] if number.isdigit() and int(number) < world.now else []
    elif attribute == "name":
        indices = [*world.named(text, False), *world.named(text, True)]
    elif attribute == "side":
        indices = [i for i in every if text in SIDES_OF_ROOM and world.at_side(text, i)]
    elif attribute == "purpose":
        indices = [i for i in every if text in world.purposes(i)]
    elif attribute in LOOKS:
        indices = world.having(attribute, text, every)
    else:  # forms with this attribute are not batched
        indices = []
    truth[[i for i in indices if i < m]] = True
    return truth


def answers(
    tables: SceneTensors, packed: PackedPrograms, device: str | torch.device = "cpu"
) -> list[str | None]:
    """Return the answers in the spelling of the rules; None where a program fails."""
    results = np.full(packed.count, None, object)
    masks = packed.masks.to(device)
    for form in packed.forms:
        try:
            results[form.items.numpy()] = Runner(
                tables, form, masks, torch.device(device)
            ).answers()
        except NotBatchable:
            for item, k, program in zip(
                form.items.tolist(), form.worlds.tolist(), form.option_sets
            ):
                world = tables.worlds[k]
                results[item] = run(program, world, Words(refer=Rows(world.now))).answer
    return results.tolist()


class Rows:
    """A `Reference` for phrases that name rows of a table of `count` rows: "#3 brown chair"."""

    def __init__(self, count: int) -> None:
        self.count = count

    def row(self, phrase: str) -> int:
        number = phrase[1:].partition(" ")[0]
        if not phrase.startswith("#") or not number.isdigit() or int(number) >= self.count:
            raise ExecutionFailure("not found", f"not found: {phrase!r} names no row")
        return int(number)

    def disambiguate(self, first: str, second: str) -> tuple[int, int]:
        return self.row(first), self.row(second)

    def choices(self, phrases: Sequence[str], start: int) -> dict[str, int]:
        return {phrase: row for phrase in phrases if (row := self.row(phrase)) != start}


class Runner:
    """Answers questions of one form. `bad`: (P,) which have no answer."""

    def __init__(
        self, tables: BatchTables, form: ProgramForm, masks: Tensor, device: torch.device
    ) -> None:
        self.tables, self.form, self.device = tables, form, device
        self.rules = tables.rules
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
        every = torch.arange(len(tables), device=device)
        self.whole = torch.equal(self.world, every)  # one question about each table

    def rows(self, kind: str, name: str) -> Tensor:
        """Return (P, n): a column of each question's world."""
        key = (kind, name)
        if key not in self._held:
            column = getattr(self.tables, kind)[name].to(self.device)[:, : self.width]
            self._held[key] = column if self.whole else column[self.world]
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
            return [self.rules.spell(relation, word) for word in ("no", "yes")]
        if program.op == "direction":
            return [self.rules.spell(program.args[3], d) for d in DIRECTIONS]
        if program.op == "compare":
            return [
                self.rules.spell(program.args[0], word) for word in MORE_OR_LESS[program.args[0]]
            ]
        if program.op == "query" and program.args[0] == "side":
            return [self.rules.spell("eight", d) for d in DIRECTIONS]
        if program.op == "query" and program.args[0] in self.tables.values:
            return [*self.tables.values[program.args[0]], "floor", "wall", ""]
        return None

    def value(self, call: Call) -> Tensor:
        if (call.op, call.signature.inputs) not in _BATCHED:
            raise NotBatchable(call.op)
        return getattr(self, f"_{call.op}")(*call.args)

    def object(self, call: Call) -> Tensor:
        outer, self.naming = self.naming, True
        index = self.value(call)
        self.naming = outer
        return index

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

    def one_hot(self, i: Tensor) -> Tensor:
        """Return (P, n): the set of one object."""
        return torch.arange(self.times().shape[1], device=self.device) == i[:, None]

    def body(self, i: Tensor | None = None) -> "_Columns":
        """Return all objects as one body of columns (P, n), or object i of each world, (P, 1)."""
        return _Columns(self.thing if i is None else lambda name: self.of(name, i))

    def stacked(self, anchor: Tensor) -> Tensor:
        """Return (P, n): the objects stacked with an object."""
        return relations.stacked(self.body(anchor), self.body())

    def fail(self, wrong: Tensor) -> None:
        self.bad = self.bad | wrong

    # --- sets -------------------------------------------------------------------------------------

    def _scene(self) -> Tensor:
        return self.times()

    def _filter(self, attribute: str, _text: str, set_call: Call) -> Tensor:
        fits = self.text()
        side = self.way() if attribute == "side" else None
        members = self.value(set_call)
        having = members & fits
        if side is not None:  # of two objects, the one farther in this direction is meant
            self.disambiguate = members, self.along(side)
        if attribute in ("name", "side", "purpose"):
            return having & self.times() if attribute == "name" else having
        if attribute not in LOOKS:
            raise NotBatchable(f"no {attribute}")
        lacking = ~having.any(1) & members.any(1)
        if self.naming:
            unknown = ~(members & (self.rows("codes", attribute) >= 0)).any(1)
            return torch.where((lacking & unknown)[:, None], members, having)
        has_attribute = self.tables.has_attribute[attribute].to(self.device)[self.world]
        if set_call.op == "group":
            has_attribute = has_attribute & (members & (self.rows("codes", attribute) >= 0)).any(1)
        self.fail(lacking & ~has_attribute)
        return having

    def _exclude(self, *args) -> Tensor:
        if len(args) == 3:
            attribute, _, set_call = args
            if attribute not in LOOKS:
                raise NotBatchable(f"no {attribute}")
            fits = self.text()
            return self.value(set_call) & ~fits & (self.rows("codes", attribute) >= 0)
        anchor_call, set_call = args
        if (
            anchor_call.op == "unique"
            and anchor_call.args[0].op == "filter"
            and anchor_call.args[0].args[0] == "name"
        ):
            candidates = self.value(anchor_call.args[0])
            about = candidates & self.rows("flags", "salient")
            single = self._picked(candidates, anchor_call.args[0], fail=candidates.sum(1) <= 1)
            excluded = torch.where((about.sum(1) == 1)[:, None], about, candidates)
            out = torch.where((candidates.sum(1) > 1)[:, None], excluded, self.one_hot(single))
        else:
            out = self.one_hot(self.object(anchor_call))
        return self.value(set_call) & ~out

    def _union(self, first: Call, second: Call) -> Tensor:
        return self.value(first) | self.value(second)

    def _intersect(self, first: Call, second: Call) -> Tensor:
        return self.value(first) & self.value(second)

    def _group(self, *ones: Call) -> Tensor:
        if len(ones) == 1:
            return self.one_hot(self.object(ones[0]))
        a, b = self.both(*ones)
        return self.one_hot(a) | self.one_hot(b)

    def both(self, first: Call, second: Call) -> tuple[Tensor, Tensor]:
        if first != second or first.op != "unique":
            return self.object(first), self.object(second)
        bad, read, naming = self.bad, self.read, self.naming
        pair = self.value(first.args[0])
        two, self.bad, self.read = pair.sum(1) == 2, bad, read
        a, b = self.object(first), self.object(second)
        self.bad, self.naming = torch.where(two, bad, self.bad), naming
        last = pair.shape[1] - 1 - pair.flip(1).int().argmax(1)
        return torch.where(two, pair.int().argmax(1), a), torch.where(two, last, b)

    def _changed(self, set_call: Call) -> Tensor:
        return self.value(set_call) & self.rows("flags", "salient")

    def _relate(self, relation: str, *args: Call) -> Tensor:
        if len(args) == 3 and args[1].op == "frame":
            way = self.way()
            anchor, frame, set_call = self.object(args[0]), *args[1:]
            return (
                self.lying(way, "_" in relation, anchor, frame)
                & self.value(set_call)
                & ~self.one_hot(anchor)
            )
        *ones, set_call = args
        if relation == "on" and ones[0] == EDITED_OBJECT:
            bad, below = self.bad, self.tables.below_it.to(self.device)[self.world]
            anchor = self.object(ones[0])
            self.bad = torch.where(below < 0, self.bad, bad)
            return self.related(relation, [torch.where(below < 0, anchor, below)]) & self.value(
                set_call
            )
        anchors = list(self.both(*ones)) if len(ones) == 2 else [self.object(ones[0])]
        return self.related(relation, anchors) & self.value(set_call)

    def lying(self, way: Tensor, combined: bool, anchor: Tensor, frame: Call) -> Tensor:
        """Return (P, n): the objects in the cone of a direction from an object."""
        cone = relations.cone("front_left" if combined else "front", self.rules)
        turn = self.turn(anchor, frame)
        off = _wrapped(turn + way[:, None].double() * (math.pi / 4)).abs()
        return (off <= cone) & ~self.stacked(anchor)

    def turn(self, anchor: Tensor, frame: Call) -> Tensor:
        """Return (P, n): angles of the vectors from an object to all objects.

        Radians from the front, counter-clockwise.
        """
        if len(frame.args) != 1 or not isinstance(frame.args[0], str) or frame.args[0] == "task":
            raise NotBatchable(f"batches of rooms and photographs know no {frame}")
        if frame.args[0] == "object":
            x, y = self.thing("x") - self.of("x", anchor), self.thing("y") - self.of("y", anchor)
            return torch.atan2(y, x) - torch.atan2(self.of("s", anchor), self.of("c", anchor))
        return -torch.atan2(
            self.thing("right") - self.of("right", anchor),
            self.thing("front") - self.of("front", anchor),
        )

    def related(self, relation: str, ones: Sequence[Tensor]) -> Tensor:
        """Return (P, n): the objects in a relation to one object, or to two."""
        anchor, rules, first = ones[0], self.rules, self.body(ones[0])
        if len(ones) != relations.others_of(relation):
            raise NotBatchable(f"{relation} of {len(ones)}")
        every, others = self.body(), ~self.one_hot(anchor)
        if relation in relations.BODIES:
            for other in ones[1:]:
                self.fail(anchor == other)
                others = others & ~self.one_hot(other)
            bodies = [self.body(i) for i in ones]
            return relations.BODIES[relation].holds(bodies, every, rules, torch) & others
        if relation == "on":
            return self.rows("codes", "below") == anchor[:, None]
        if relation == "supporting":
            below = self.of("below", anchor, "codes")[:, 0]
            return self.one_hot(below) & (below >= 0)[:, None]
        if relation in relations.ALIGNED:
            c, s = first.c * every.c + first.s * every.s, first.c * every.s - first.s * every.c
            turn = torch.rad2deg(torch.atan2(s, c).abs())
            return (
                relations.holds_at(relations.alignment(turn, relation, rules, torch), relation)
                & others
            )
        raise NotBatchable(f"batches of rooms and photographs know nothing of {relation}")

    def _same(self, attribute: str, like: Call, set_call: Call) -> Tensor:
        anchor = self.object(like)
        if attribute == "purpose":
            shared = self.rows("codes", "purpose") & self.of("purpose", anchor, "codes")
            return self.value(set_call) & (shared > 0) & ~self.one_hot(anchor)
        if attribute not in (*LOOKS, "name"):
            raise NotBatchable(f"batches of rooms and photographs compare no {attribute}")
        anchor_code = self.of(attribute, anchor, "codes")
        self.fail(anchor_code[:, 0] < 0)
        return (
            self.value(set_call)
            & (self.rows("codes", attribute) == anchor_code)
            & ~self.one_hot(anchor)
        )

    # --- objects ----------------------------------------------------------------------------------

    def _unique(self, set_call: Call) -> Tensor:
        read = self.read
        members = self.value(set_call)
        empty = ~members.any(1) & ~self.bad
        if set_call.op != "changed" or self.past or not bool(empty.any()):
            return self._picked(members, set_call)
        now = self._picked(members, set_call, fail=~empty)
        bad, self.read, self.past = self.bad, read, True  # "it" is the removed object
        before = self._picked(self.value(set_call), set_call)
        self.bad, self.past = torch.where(empty, self.bad, bad), False
        return torch.where(empty, before, now)

    def _picked(self, members: Tensor, set_call: Call, fail: Tensor | None = None) -> Tensor:
        """Return the only candidate, or the intended one (see `Evaluator._spoken_of`)."""
        salient = self.rows("flags", "salient")
        ambiguous = members.sum(1) > 1
        if (
            set_call.op == "filter"
            and set_call.args[0] == "side"
            and set_call.args[1] in AHEAD
            and "_" not in set_call.args[1]
        ):
            inner, along = self.disambiguate
            farther = self.one_hot(
                (-along).where(inner, torch.full_like(along, math.inf)).argmin(1)
            )
            two = (members.sum(1) != 1) & (inner.sum(1) == 2) & ~((members & salient).sum(1) == 1)
            members = torch.where(two[:, None], farther, members)
            ambiguous = members.sum(1) > 1
        for about in (salient, *self._spoken(set_call)) if bool(ambiguous.any()) else ():
            salient_members = members & about
            members = torch.where(
                (ambiguous & (salient_members.sum(1) == 1))[:, None], salient_members, members
            )
            ambiguous = members.sum(1) > 1
        wrong = members.sum(1) != 1
        self.fail(wrong if fail is None else wrong & fail)
        return members.int().argmax(1)

    def _spoken(self, set_call: Call) -> list[Tensor]:
        spoken = [self.rows("flags", "bearing"), self.rows("flags", "mentioned")]
        if any(
            p.op == "filter" and p.args[0] == "name" and p.args[1] in ANYTHING
            for p in set_call.calls()
        ):
            spoken.append(self.rows("flags", "kin"))
        return spoken

    def _best(self, what: str, sense: str, *args: Call) -> Tensor:
        sign = -1.0 if sense == "most" else 1.0
        *where, set_call = args
        if what == "bearing" and (not where or where[0].op == "viewer"):
            raise NotBatchable("bearing of nothing")
        if what in ("distance", "bearing"):
            if set_call.op == "choices":
                raise NotBatchable("batches of rooms and photographs have no choices")
            viewer = not where or where[0].op == "viewer"
            anchor = None if viewer else self.object(where[0])
            members = (
                self.value(set_call)
                if anchor is None
                else self.value(set_call) & ~self.one_hot(anchor)
            )
            if what == "bearing":
                away = torch.hypot(*(self.thing(x) - self.of(x, anchor) for x in ("x", "y")))
                self.fail((members & (away < 1e-9)).any(1))
                return self._least(
                    members, _wrapped(self.turn(anchor, Call("frame", ("object",)))).abs() * sign
                )
            if self.rules.beside_first and anchor is not None:
                distinct = members & ~self.stacked(anchor)
                members = torch.where(distinct.any(1)[:, None], distinct, members)
            return self._least(members, self.distance(anchor) * sign)
        if not where:
            return self._least(self.value(set_call), self.measure(what) * sign)
        if what in LEAVES["measure"]:
            raise NotBatchable(f"{what} of one thing from another")
        way = self.way()
        if len(where) == 1:
            if where[0].args not in (("room",), ("camera",)):
                raise NotBatchable(f"batches of rooms and photographs know no {where[0]}")
            return self._least(
                self.value(set_call), self.along(way) * (1.0 if sense == "least" else -1.0)
            )
        if sense != "first":
            raise NotBatchable("batches of rooms and photographs know nothing of most squarely")
        anchor = self.object(where[0])
        members = (
            self.lying(way, "_" in what, anchor, where[1])
            & self.value(set_call)
            & ~self.one_hot(anchor)
        )
        return self._least(members, self.distance(anchor))

    def _least(self, members: Tensor, key: Tensor) -> Tensor:
        self.fail(~members.any(1))
        return key.where(members, torch.full_like(key, math.inf)).argmin(1)

    def along(self, way: Tensor) -> Tensor:
        """Return (P, n): coordinates along a direction of the frame."""
        ahead = torch.tensor(
            [AHEAD[d] for d in DIRECTIONS], dtype=torch.float64, device=self.device
        )[way]
        return ahead[:, :1] * self.thing("right") + ahead[:, 1:] * self.thing("front")

    def distance(self, anchor: Tensor | None) -> Tensor:
        """Return (P, n): distances from an object, as the rules define them, or from the viewer."""
        if anchor is None:
            eye = self.tables.eye.to(self.device)[self.world]
            self.fail(eye[:, 0].isnan())
            x, y, z = (self.thing(name) - eye[:, k : k + 1] for k, name in enumerate("xyz"))
            if self.rules.viewer == "stands":
                return torch.hypot(x, y).nan_to_num(0.0)
            return torch.sqrt(x * x + y * y + z * z).nan_to_num(0.0)
        if self.rules.distance == "space":
            x, y, z = (self.thing(name) - self.of(name, anchor) for name in "xyz")
            return torch.sqrt(x * x + y * y + z * z)
        return torch.hypot(
            self.thing("right") - self.of("right", anchor),
            self.thing("front") - self.of("front", anchor),
        )

    def measure(self, what: str) -> Tensor:
        """Return (P, n): a measure; volumes as logarithms."""
        if what in ("distance", "bearing"):
            raise NotBatchable(f"{what} of one thing")
        if what == "volume":
            sides = (self.thing(s) for s in ("length", "width", "height"))
            return torch.log(math.prod(sides).clamp(min=1e-300))
        return self.thing({"elevation": "z"}.get(what, what))

    def _before(self, object_call: Call) -> Tensor:
        if not self.tables.past:
            raise NotBatchable("what was before is not packed")
        past, self.past = self.past, True
        index = self.object(object_call)
        self.past = past
        return index

    def _refer(self, _phrase: str) -> Tensor:
        row = self.text()
        self.fail(~row.any(1))
        self.phrases.append(row.int().argmax(1))
        return self.phrases[-1]

    # --- answers ----------------------------------------------------------------------------------

    def _count(self, *args) -> Tensor:
        if len(args) == 1:
            return self.value(args[0]).sum(1)
        attribute, set_call = args
        if attribute not in self.tables.values:
            raise NotBatchable(f"values of {attribute}")
        members, codes = self.value(set_call), self.rows("codes", attribute)
        self.fail((members & (codes < 0)).any(1))
        known = torch.arange(len(self.tables.values[attribute]) or 1, device=self.device)
        return ((codes[:, :, None] == known) & members[:, :, None]).any(1).sum(1)

    def _exist(self, set_call: Call) -> Tensor:
        return self.value(set_call).any(1)

    def _query(self, what: str, object_call: Call) -> Tensor:
        if what == "name":
            words = len(self.tables.values["name"])
            if is_support(object_call):
                index = self.object(object_call.args[0].args[1])
                below = self.of("below", index, "codes")[:, 0]
                ground = torch.where(self.of("low", index)[:, 0] < 0.1, words, words + 1)
                return torch.where(below < 0, ground, self.of("name", below, "codes")[:, 0])
            index = self.object(object_call)
            code = self.of("name", index, "codes")[:, 0]
            for k, row in reversed(list(enumerate(self.phrases))):
                code = torch.where(row == index, -1 - k, code)
            return code
        index = self.object(object_call)
        if what == "side":
            middle, half = self.tables.room.to(self.device)[self.world].split(2, 1)
            right, front = ((self.of(x, index)[:, 0] - middle[:, k]) / half[:, k].clamp(min=1e-6)
                            for k, x in enumerate(("right", "front")))  # fmt: skip
            return _sector(-torch.atan2(right, front), "eight")
        if what not in LOOKS:
            raise NotBatchable(f"batches of rooms and photographs know nothing of {what}")
        code = self.of(what, index, "codes")[:, 0]
        self.fail(code < 0)
        return code.clamp(min=0)

    def _greater_than(self, first: Call, second: Call) -> Tensor:
        a, b = self.numbers(first, second)
        return a > b

    def _less_than(self, first: Call, second: Call) -> Tensor:
        a, b = self.numbers(first, second)
        return a < b

    def numbers(self, first: Call, second: Call) -> tuple[Tensor, Tensor]:
        """Return two numbers for a comparison; two volumes as logarithms."""
        both = [self.number(call) for call in (first, second)]
        if [call.args[0] == "volume" for call in (first, second)] not in (
            [True, True],
            [False, False],
        ):
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
        a, b = (
            self.measure(what).gather(1, self.object(object_call)[:, None])[:, 0]
            for object_call in (first, second)
        )
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
                torch.cat([self.of("length", i), self.of("width", i)], 1).sort(1).values
                for i in (a, b)
            )
            return (mine <= space + 1e-9).all(1)
        return self.related(relation, [b]).gather(1, a[:, None])[:, 0]

    def _direction(self, start: Call, goal: Call, frame: Call, sectors: str) -> Tensor:
        if goal.op == "viewer":
            return self._toward_viewer(start, frame, sectors)
        a, b = self.object(start), self.object(goal)
        if len(frame.args) == 2 and isinstance(frame.args[0], Call):
            stand, facing = (self.object(object_call) for object_call in frame.args)
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
            raise NotBatchable(f"batches of rooms and photographs know no {frame}")
        self.fail(eye[:, 0].isnan())
        x, y = eye[:, 0] - self.of("x", a)[:, 0], eye[:, 1] - self.of("y", a)[:, 0]
        self.fail(torch.hypot(x, y) < 1e-9)
        return _sector(
            torch.atan2(y, x) - torch.atan2(self.of("s", a), self.of("c", a))[:, 0], sectors
        )


_BATCHED = {
    (op, tuple(inputs.split()))
    for op, inputs in (
        ("scene", ""),
        ("filter", "attribute text objects"),
        ("exclude", "attribute text objects"),
        ("exclude", "object objects"),
        ("union", "objects objects"),
        ("intersect", "objects objects"),
        ("group", "object"),
        ("group", "object object"),
        ("changed", "objects"),
        ("relate", "direction object frame objects"),
        ("relate", "relation object objects"),
        ("relate", "relation object object objects"),
        ("same", "attribute object objects"),
        ("unique", "objects"),
        ("best", "measure sense objects"),
        ("best", "measure sense object objects"),
        ("best", "direction sense frame objects"),
        ("best", "direction sense object frame objects"),
        ("before", "object"),
        ("refer", "text"),
        ("count", "objects"),
        ("count", "attribute objects"),
        ("exist", "objects"),
        ("query", "attribute object"),
        ("less_than", "number number"),
        ("greater_than", "number number"),
        ("compare", "measure object object"),
        ("holds", "relation object object"),
        ("direction", "object object frame sectors"),
    )
}


def _wrapped(turn: Tensor) -> Tensor:
    return turn - math.tau * torch.round(turn / math.tau)


def _sector(turn: Tensor, sectors: str) -> Tensor:
    """Return (P,): index into DIRECTIONS of the nearest direction among the given sectors."""
    if sectors == "eight":
        return torch.round(-turn.nan_to_num(0.0) / (math.pi / 4)).long() % 8
    sector_indices = torch.tensor(
        [DIRECTIONS.index(d) for d in SECTORS[sectors]], device=turn.device
    )
    away = _wrapped(turn.nan_to_num(0.0)[:, None] + sector_indices.double() * (math.pi / 4)).abs()
    return sector_indices[away.argmin(1)]
