"""Run one change and one question on many posterior samples of a room at once.

    RoomSamples(scene, samples) ─► framed(samples, ...) ─► FramedSamples.answers(change, question)

Programs run on all samples at once with the batched interpreter (`batched`). A frame or a change
is computed once for all samples that agree in everything that it depends on: the objects that its
descriptions denote, what rests on them, and the obstacles that decided a placement
(`Spot.blockers`). Answers equal those of `apply_edit.plan` and `execute.run` on each sample.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.language.program import Call
from po3d.reasoning.apply_edit import Planned, may_be_empty, places, plan
from po3d.reasoning.batched import Runner
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.room_tables import (
    LOOKS,
    Codes,
    History,
    Mask,
    NotBatchable,
    RoomSamples,
    RoomTables,
    applicable,
)
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged
from po3d.scene.frames import read_anchors
from po3d.scene.geometry import Array
from po3d.scene.index import SceneIndex
from po3d.scene.rooms import SYNONYMS, VALUE_WORDS
from po3d.scene.table import Scene

__all__ = ["FramedSamples", "NotBatchable", "RoomSamples", "applicable", "framed"]


def framed(
    samples: RoomSamples, frame: str, geometry: Callable[[Scene], SceneGeometry]
) -> "FramedSamples":
    """Return the samples in the frame of a text; `geometry` computes the frame of one sample.

    Samples whose anchors are the same objects share their frame.
    """
    anchors = read_anchors(frame) if frame else []
    key = np.stack([samples.exists.any(1), *(samples.farthest(name) for name, _ in anchors)], 1)
    shared: dict[bytes, SceneGeometry | None] = {}
    geometries = []
    for k, row in enumerate(key):
        if (row_key := row.tobytes()) not in shared:
            try:
                there = sorted({*row.tolist()[1:]} - {-1}) if anchors else samples.indices(k)[:1]
                shared[row_key] = geometry(samples.certain(k, there))
            except (InputError, ExecutionFailure):
                shared[row_key] = None
        geometries.append(shared[row_key])
    return FramedSamples(samples, geometries)


# Samples that share the result of an edit, the one on which it was planned, the result.
_EditGroup = tuple[Codes, int, Planned]


class FramedSamples:
    """The samples of a room in the reference frame of a text."""

    def __init__(self, samples: RoomSamples, geometries: Sequence[SceneGeometry | None]) -> None:
        self.samples, self.geometries = samples, geometries
        self.bad = np.array([g is None for g in geometries])
        known = [g for g in geometries if g is not None]
        if not known:
            return
        self.rules = known[0].rules
        right, front, areas = [], [], []
        for geometry in geometries:
            g = geometry or known[0]
            right.append(g.axes["right"])
            front.append(g.axes["front"])
            areas.append((*g.was.middle, *g.half))
        self.axes = {"right": np.array(right, float), "front": np.array(front, float)}
        self.room = np.array(areas)
        self._before: dict[int, SceneGeometry] = {}
        self._after: dict[Call | None, tuple[RoomTables, Mask]] = {}

    @cached_property
    def tables(self) -> RoomTables:
        """The tables before any change."""
        return self._tables()

    def _tables(self, history: History | None = None) -> RoomTables:
        return RoomTables(self.samples, self.axes, self.room, self.rules, history)

    def answers(self, change: Call | None, question: Call) -> list[str | None]:
        """Return the answer on each sample, None where there is none. NotBatchable for programs
        that have to run on each sample."""
        if self.bad.all():
            return [None] * len(self.samples)
        tables, bad = self._changed(change)
        return np.where(bad, None, Runner(tables, question).answers()).tolist()

    def _changed(self, change: Call | None) -> tuple[RoomTables, Mask]:
        if change is None:
            return self.tables, self.bad
        if change not in self._after:
            self._after[change] = self._edited(change)
        return self._after[change]

    def _unedited(self, k: int) -> SceneGeometry:
        """Return sample k as a separate SceneGeometry."""
        if k not in self._before:
            shared, scene = self.geometries[k], self.samples.certain(k)
            scene = replace(scene, axes=shared.axes)
            things = self.samples.things[(*scene.axes["right"], *scene.axes["front"])]
            layout = SceneIndex(scene, known=things)
            self._before[k] = SceneGeometry(unchanged(scene), layout, shared.rules, shared.stand)
        return self._before[k]

    # --- edits ------------------------------------------------------------------------------------

    def _edited(self, change: Call) -> tuple[RoomTables, Mask]:
        keys, bad, subjects, alone = self._edit_keys(change)
        simple = alone & ~bad if change.op in ("remove", "set") else np.zeros_like(bad)
        by_key: dict[bytes, list[int]] = defaultdict(list)
        for k in np.flatnonzero(~bad & ~simple).tolist():
            by_key[keys[k]].append(k)
        groups = []
        for rows in by_key.values():
            open_rows = np.array(rows)
            while len(open_rows):
                first = int(open_rows[0])
                try:
                    planned = plan(self._unedited(first), change)
                except ExecutionFailure:
                    bad[first], open_rows = True, open_rows[1:]
                    continue
                alike = self._same_placement(planned, first, open_rows)
                groups.append((open_rows[alike], first, planned))
                open_rows = open_rows[~alike]
        history = _history(self.samples, groups)
        if simple.any():
            self._apply_simple(history, change, subjects & simple[:, None])
        return self._tables(history), bad

    def _apply_simple(self, history: History, change: Call, subjects: Mask) -> None:
        """Remove objects on which nothing rests, or set an attribute of objects."""
        n = subjects.shape[1]
        history.touched_before[subjects] = True
        if change.op == "remove":
            history.exists[:, :n][subjects] = False
            for codes in history.codes.values():
                codes[:, :n][subjects] = -1
            return
        attribute, word, _ = change.args
        values, codes = history.values[attribute], history.codes[attribute][:, :n]
        history.touched[:, :n][subjects] = True
        plain = VALUE_WORDS.get(word, word)
        there = np.ones(len(subjects), bool)  # whether the table has the word itself
        if plain != word:
            known = self.samples.values[attribute]
            code = known.index(word) if word in known else len(known)
            there = (self.samples.codes[attribute] == code).any(1)
        for value, rows in ((word, there), (plain, ~there)):
            if value not in values:
                values.append(value)
            codes[subjects & rows[:, None]] = values.index(value)

    def _edit_keys(self, change: Call) -> tuple[list[bytes], Mask, Mask, Mask]:
        """Return a key of each sample, equal for samples on which an edit has the same result apart
        from the effect of obstacles; (W,) the samples on which it fails; (W, n) the objects that it
        changes; and (W,) the samples in which no other object affects the result."""
        set_size = change.op == "set" and change.args[0] not in LOOKS
        if change.op not in _SUBJECTS or set_size or "opposite" in change.leaves():
            raise NotBatchable(f"the edit {change.op} is not batched")
        samples = self.samples
        exists, n, bad = samples.exists, samples.exists.shape[1], self.bad.copy()
        axes = np.concatenate([self.axes["right"], self.axes["front"]], 1)
        subjects, others = np.zeros_like(exists), np.zeros_like(exists)
        parts: list[Any] = [axes]
        complex_rows = np.zeros(len(samples), bool)  # the edit may depend on all objects
        for call in map(change.args.__getitem__, _SUBJECTS[change.op]):
            members, wrong = self._set(call)
            if not (change.op == "remove" and may_be_empty(call)):
                wrong |= ~members.any(1)
            bad |= wrong | members[:, n:].any(1)
            subjects |= members[:, :n]
        for pair in places(change):
            chosen, wrong = self._objects(pair)
            bad |= wrong
            for column in chosen:
                parts.append(column[:, None])
                others[np.arange(len(samples)), column % n] = True
                # the furniture below may determine the place
                complex_rows |= samples.below[np.arange(len(samples)), column % n] >= 0
        if change.op == "swap":
            complex_rows[:] = True
        if change.op in _MOVING and subjects.any():
            riders = _riders(samples.below, subjects)
            complex_rows |= subjects.sum(1) > 1 if change.op not in ("remove", "replace") else False
            complex_rows |= riders.any(1) & (change.op in ("remove", "replace"))
            parts.append(riders)
            others |= riders
        read = subjects | others
        if complex_rows.any():
            parts.append(np.where(complex_rows[:, None], exists, False))
            read |= complex_rows[:, None] & exists
        parts += [subjects, np.where(read, samples.headings, 0.0), read & samples.hanging]
        parts += self._word_keys(change)
        columns = []
        for part in parts:
            columns.append(np.ascontiguousarray(part).view(np.uint8).reshape(len(samples), -1))
        keys = [row.tobytes() for row in np.concatenate(columns, 1)]
        return keys, bad, subjects, ~complex_rows

    def _word_keys(self, change: Call) -> list[Array]:
        """Return arrays, one row per sample, that determine how an edit names new objects and
        spells new attribute values (`_Planner._name`, `_Planner._value`)."""
        samples, keys = self.samples, []
        for call in change.calls():
            if call.op == "thing":
                noun = str(call.args[0])
                usual = SYNONYMS.get(noun, noun)
                alike = samples.named(
                    lambda n, noun=noun, usual=usual: n in (noun, usual) or SYNONYMS.get(n) == usual
                )
                keys.append(np.where(alike, samples.codes["name"], -1))
            elif call.op in ("trait", "set"):
                attribute, word = map(str, call.args[:2])
                values = samples.values.get(attribute, ())
                if VALUE_WORDS.get(word, word) != word and word in values:
                    code = values.index(word)
                    keys.append((samples.codes[attribute] == code).any(1)[:, None])
        return keys

    def _set(self, call: Call) -> tuple[Mask, Mask]:
        """Return (W, 2 n) the members of a set, and (W,) the samples on which it fails."""
        runner = Runner(self.tables)
        members = runner.value(call)
        return members & self.tables.exists, runner.bad

    def _objects(self, calls: Sequence[Call]) -> tuple[list[Codes], Mask]:
        """Evaluate one or two phrases on W samples: for each, the columns (W,) of its object in the
        samples' tables; and a mask (W,) of samples on which this fails."""
        runner = Runner(self.tables)
        chosen = runner.both(*calls) if len(calls) == 2 else [runner.object(calls[0])]
        return list(chosen), runner.bad

    def _same_placement(self, planned: Planned, first: int, rows: Codes) -> Mask:
        """Return which samples of a group have the obstacles that decided the placements."""
        samples = self.samples
        exists, alike = samples.exists[rows], np.ones(len(rows), bool)
        if len(rows) == 1 or not planned.placed:
            return alike
        states = map(id, samples.certain(first).objects)
        index = dict(zip(states, samples.indices(first), strict=True))
        edited = planned.edited
        new = iter(edited.scene.objects[k] for k, o in enumerate(edited.origin) if o is None)
        for thing, spot, _ in planned.placed:
            if spot.blockers is None:
                alike &= (exists == samples.exists[first])[:, samples.solid].all(1)
                continue
            if isinstance(thing, str):
                length, width, _ = next(new).extent
            else:
                length, width, _ = samples.certain(first).objects[thing].extent
            blockers = [index[id(t.state)] for t in spot.blockers if id(t.state) in index]
            alike &= exists[:, blockers].all(1)
            reach = np.hypot(*samples.extents[:, :2].T) + np.hypot(length, width)
            off = np.abs(samples.positions[:, :2] - spot.position[:2]).max(1)
            near = samples.solid & (off <= reach / 2 + 1e-6)
            alike &= (exists == samples.exists[first])[:, near].all(1)
        return alike


# The sets that an edit changes, as positions of its arguments.
_SUBJECTS = dict.fromkeys(("move", "turn", "face", "remove", "replace"), (0,))
_SUBJECTS |= {"set": (2,), "add": (), "swap": ()}  # the two objects of a swap are among `places`
_MOVING = ("move", "turn", "face", "remove", "replace", "swap")


def _riders(below: Codes, subjects: Mask) -> Mask:
    """Return (W, n) all objects that rest on these, directly or indirectly, without these."""
    rows = np.arange(len(below))[:, None]
    riders = np.zeros_like(subjects)
    while True:
        more = (below >= 0) & (subjects | riders)[rows, np.clip(below, 0, None)]
        if not (more & ~riders).any():
            return riders
        riders |= more


def _history(samples: RoomSamples, groups: Sequence[_EditGroup]) -> History:
    """Return the tables after an edit that moves, removes or adds objects, whose result is given
    for each group of samples."""
    w, n = samples.exists.shape
    extra = max((planned.edited.origin.count(None) for _, _, planned in groups), default=0)

    def pad(array: NDArray, value: float | bool) -> NDArray:
        more = np.full((w, extra, *array.shape[2:]), value, array.dtype)
        return np.concatenate([array, more], 1)

    positions = pad(np.broadcast_to(samples.positions, (w, n, 3)), 0.0)
    extents = pad(np.broadcast_to(samples.extents, (w, n, 3)), 0.0)
    exists, headings = pad(samples.exists, False), pad(samples.headings, 0.0)
    codes = {a: pad(c, -1) for a, c in samples.codes.items()}
    values = {a: list(v) for a, v in samples.values.items()}
    touched, touched_before, mentioned = np.zeros_like(exists), *np.zeros((2, w, n), bool)

    def code(attribute: str, value: str) -> int:
        if value not in values[attribute]:
            values[attribute].append(value)
        return values[attribute].index(value)

    for rows, first, planned in groups:
        index, edited = samples.indices(first), planned.edited
        before = samples.certain(first).objects
        column = iter(range(n, n + extra))
        columns = [next(column) if old is None else index[old] for old in edited.origin]
        gone = sorted(set(index) - set(columns))
        for state, old, k in zip(edited.scene.objects, edited.origin, columns):
            was = None if old is None else before[old]
            if state is was:
                continue
            if was is None or (state.position, state.heading) != (was.position, was.heading):
                positions[rows, k], headings[rows, k] = state.position, state.heading
            if was is None:
                exists[rows, k], extents[rows, k] = True, state.extent
                for attribute, belief in state.beliefs.items():
                    if attribute in codes:
                        codes[attribute][rows, k] = code(attribute, next(iter(belief)))
        if gone:
            cells = np.ix_(rows, gone)
            exists[cells] = False
            for part in codes.values():
                part[cells] = -1
        for k in edited.touched:
            touched[rows, columns[k]] = True
        for k in edited.touched_before:
            touched_before[rows, index[k]] = True
        for k in edited.mentioned:
            mentioned[rows, index[k]] = True
    return History(
        exists, positions, headings, extents, codes, values, touched, touched_before, mentioned
    )
