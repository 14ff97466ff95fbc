"""Run one change and one question on many posterior samples of a room at once.

    RoomSamples(scene, samples) ─► framed(...) ─► FramedSamples.answers(change, question)

The samples of a table differ in few values, so they stay arrays (sample, object): which objects
exist, and the codes of their names and attributes. Programs run on all samples at once with the
batched interpreter (`batched`), whose columns are these arrays. A frame or a change is computed
once for all samples that agree in everything that it depends on: the objects that its descriptions
denote, what rests on them, and the obstacles that decided a placement (`Spot.blockers`). Answers
equal those of `apply_edit.plan` and `execute.run` on each sample.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from po3d.io.errors import InputError
from po3d.language.program import Call
from po3d.reasoning.apply_edit import Planned, may_be_empty, places, plan
from po3d.reasoning.batched import (
    LOOKS,
    NotBatchable,
    Runner,
    fit_codes,
    form_of_all,
    purpose_bit,
    purpose_bits,
)
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.world import EYE, SIDES_OF_ROOM, SceneGeometry, region_at
from po3d.scene.edits import REST_ABOVE, REST_BELOW, REST_MARGIN, unchanged
from po3d.scene.frames import read_anchors, room_centre
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.index import FLAT, SceneIndex, Thing, name_fits
from po3d.scene.posterior import SceneSamples, posterior_samples, uncertain
from po3d.scene.rooms import SYNONYMS, VALUE_WORDS, hangs, is_a
from po3d.scene.table import ObjectState, Scene

Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]
NAMES = (*LOOKS, "name")


def applicable(samples: SceneSamples) -> bool:
    """Whether samples of a table can stay arrays: its floor is known, its poses are certain, every
    object has a name but no label, and nothing is known of occlusion."""
    scene = samples.table
    certain = not ("pose" in samples.draw and uncertain(scene, ("pose",)))
    named = all("name" in o.beliefs and not o.name for o in scene.objects)
    known = all(set(o.beliefs) <= set(NAMES) for o in scene.objects) and scene.occluders is None
    return certain and named and known and bool(scene.outline) and bool(scene.objects)


class RoomSamples:
    """The most probable table of a scene (row 0) and W - 1 samples of it; objects keep their
    indices. `like`: other samples of the same table, whose objects are reused."""

    def __init__(self, samples: SceneSamples, like: "RoomSamples | None" = None) -> None:
        scene = samples.table
        likeliest = posterior_samples(scene, (), count=1) if like is None else like.likeliest
        self.scene, self.samples, self.likeliest = scene, samples, likeliest
        self.exists: Mask = np.concatenate([likeliest.exists, samples.exists])
        headings = np.concatenate([likeliest.headings, samples.headings])
        self.headings = np.where(headings == scene.headings, headings, wrap_angle(headings))
        self.positions, self.extents = scene.positions, scene.extents
        self.values = {a: list(samples.values.get(a, ())) for a in NAMES}
        self.codes: dict[str, Codes] = {}
        for a in NAMES:
            has = np.array([a in o.beliefs for o in scene.objects])
            codes = np.concatenate([likeliest.looks[a], samples.looks[a]]) if has.any() else -1
            self.codes[a] = np.where(has & self.exists, codes, -1)
        self.solid = self.extents[:, 2] > FLAT
        self._states: dict[tuple, ObjectState] = {} if like is None else like._states
        # Rows of `SceneIndex` by frame and by the id() of their state.
        self.things: dict[tuple, dict[int, Thing]] = defaultdict(dict)
        if like is not None:
            self.things = like.things
        self._keys: dict[int, list[tuple]] = {}
        self._certain: dict[int, Scene] = {}

    def __len__(self) -> int:
        return len(self.exists)

    def certain(self, k: int, rows: Sequence[int] | None = None) -> Scene:
        """Return sample k as a certain table; with `rows`, only these of its objects."""
        if rows is None:
            if k not in self._certain:
                self._certain[k] = self.certain(k, self.indices(k))
            return self._certain[k]
        keys = self._state_keys(k)
        objects = tuple(self._states.get(keys[i]) or self._state(k, i) for i in rows)
        return replace(self.scene, objects=objects, occluders=None)

    def _state_keys(self, k: int) -> list[tuple]:
        """Return for each object of sample k a key, equal for equal states."""
        if k not in self._keys:
            columns = (self.headings[k], *(codes[k] for codes in self.codes.values()))
            rows = range(self.exists.shape[1])
            self._keys[k] = list(zip(rows, *(column.tolist() for column in columns)))
        return self._keys[k]

    def _state(self, k: int, i: int) -> ObjectState:
        """Return object i of sample k; samples share equal states."""
        state = self.scene.objects[i]
        beliefs = {a: {self.values[a][self.codes[a][k, i]]: 1.0} for a in state.beliefs}
        heading, covariance = float(self.headings[k, i]), ((0.0,) * 3,) * 3
        state = replace(
            state, beliefs=beliefs, heading=heading, covariance=covariance, flip=0.0, existence=1.0
        )
        self._states[self._state_keys(k)[i]] = state
        return state

    def indices(self, k: int) -> list[int]:
        """Return the indices of the objects of sample k."""
        return np.flatnonzero(self.exists[k]).tolist()

    def named(self, is_wanted: Callable[[str], bool]) -> Mask:
        """Return (W, n): the objects with such a name."""
        wanted = np.array([is_wanted(name) for name in self.values["name"]] + [False])
        return wanted[self.codes["name"]]

    def _farthest(self, name: str) -> Codes:
        """Return (W,) the anchor of a name, as `frames.frame` chooses it; -1 for none."""
        away = np.linalg.norm(self.positions[:, :2] - room_centre(self.scene), axis=1)
        chosen, words = np.full(len(self), -1), name.split()
        for first in range(len(words)):  # without leading adjectives that match no object
            anchor = " ".join(words[first:])
            called = self.named(lambda known, anchor=anchor: is_a(known, anchor))
            farthest = np.where(called, away, -1.0).argmax(1)
            chosen = np.where((chosen < 0) & called.any(1), farthest, chosen)
        return chosen

    @cached_property
    def below(self) -> Codes:
        """(W, n) index of the object that each object rests on, -1 for none."""
        positions = np.broadcast_to(self.positions, (len(self), *self.positions.shape))
        extents = np.broadcast_to(self.extents, positions.shape)
        return resting(positions, self.headings, extents, self.exists & ~self.hanging)

    @cached_property
    def hanging(self) -> Mask:
        """(W, n) the objects that hang on a wall."""
        return self.named(hangs)

    def framed(self, frame: str, geometry: Callable[[Scene], SceneGeometry]) -> "FramedSamples":
        """Return the samples in the frame of a text; `geometry` computes the frame of one sample.

        Samples whose anchors are the same objects share their frame."""
        anchors = read_anchors(frame) if frame else []
        key = np.stack([self.exists.any(1), *(self._farthest(name) for name, _ in anchors)], 1)
        shared: dict[bytes, SceneGeometry | None] = {}
        geometries = []
        for k, row in enumerate(key):
            if (row_key := row.tobytes()) not in shared:
                try:
                    there = (
                        self.indices(k)[:1] if not anchors else sorted({*row.tolist()[1:]} - {-1})
                    )
                    shared[row_key] = geometry(self.certain(k, there))
                except (InputError, ExecutionFailure):
                    shared[row_key] = None
            geometries.append(shared[row_key])
        return FramedSamples(self, geometries, geometry)


def resting(positions: Array, headings: Array, extents: Array, there: Mask) -> Codes:
    """Return (W, m) what `scene.edits.resting` returns, for objects that are `there` and do not
    hang; -1 for none."""
    x, y, z = np.moveaxis(positions, -1, 0)
    half = extents[..., 2] / 2
    low, top = np.where(there, z - half, np.inf), np.where(there, z + half, np.nan)
    gap = low[:, :, None] - top[:, None]
    world, i, k = np.nonzero((gap > -REST_BELOW) & (gap < REST_ABOVE))
    c, s = np.cos(headings[world, k]), np.sin(headings[world, k])
    dx, dy = x[world, i] - x[world, k], y[world, i] - y[world, k]
    inside = np.abs(dx * c + dy * s) <= extents[world, k, 0] / 2 + REST_MARGIN
    inside &= np.abs(dy * c - dx * s) <= extents[world, k, 1] / 2 + REST_MARGIN
    inside &= i != k
    world, i, k = world[inside], i[inside], k[inside]
    order = np.lexsort((-k, top[world, k]))  # the highest is written last, the first of equal ones
    below = np.full(x.shape, -1)
    below[world[order], i[order]] = k[order]
    return below


@dataclass(frozen=True, eq=False)
class History:
    """What an edit did to (W, n + a) objects: `exists`, poses and codes are those after it."""

    exists: Mask
    positions: Array
    headings: Array
    extents: Array
    codes: dict[str, Codes]
    values: dict[str, list[str]]
    touched: Mask  # (W, n + a)
    touched_before: Mask  # (W, n)
    mentioned: Mask  # (W, n)


class RoomTables:
    """The tables of a batch: objects after the edit, then those before it. The members are those
    of `batched.SceneTensors`."""

    past = True

    def __init__(self, framed: "FramedSamples", history: History | None = None) -> None:
        base = framed.samples
        self.framed, self.base, self.rules = framed, base, framed.rules
        w, n = base.exists.shape
        if history is None:
            nothing = np.zeros((w, n), bool)
            positions = np.broadcast_to(base.positions, (w, n, 3))
            extents = np.broadcast_to(base.extents, (w, n, 3))
            history = History(
                base.exists,
                positions,
                base.headings,
                extents,
                base.codes,
                base.values,
                nothing,
                nothing,
                nothing,
            )
        self.history, self.now = history, history.exists.shape[1]
        self.exists = np.concatenate([history.exists, base.exists], 1)
        before = (
            np.broadcast_to(base.positions, (w, n, 3)),
            np.broadcast_to(base.extents, (w, n, 3)),
        )
        self.positions = np.concatenate([history.positions, before[0]], 1)
        self.extents = np.concatenate([history.extents, before[1]], 1)
        self.headings = np.concatenate([history.headings, base.headings], 1)
        self.values = history.values
        self.things, self.flags, self.codes = (
            _Lazy(self, kind) for kind in ("thing", "flag", "code")
        )
        self._fits: dict[tuple[str, str], Tensor] = {}
        self.room = torch.from_numpy(framed.room)
        centre = np.array([*room_centre(base.scene), EYE])
        self.eye = torch.from_numpy(np.where(base.exists.any(1)[:, None], centre, np.nan))

    def __len__(self) -> int:
        return len(self.exists)

    # --- columns, computed on access --------------------------------------------------------------

    def thing(self, name: str) -> Array:
        x, y, z = np.moveaxis(self.positions, -1, 0)
        length, width, height = np.moveaxis(self.extents, -1, 0)
        if name in ("right", "front"):
            ways = self.framed.axes[name]
            return x * ways[:, :1] + y * ways[:, 1:]
        columns: dict[str, Callable[[], Array]] = {
            "x": lambda: x,
            "y": lambda: y,
            "z": lambda: z,
            "low": lambda: z - height / 2,
            "top": lambda: z + height / 2,
            "c": lambda: np.cos(self.headings),
            "s": lambda: np.sin(self.headings),
            "a": lambda: length / 2,
            "b": lambda: width / 2,
            "length": lambda: length,
            "width": lambda: width,
            "height": lambda: height,
            "longest": lambda: self.extents.max(-1),
        }
        return columns[name]()

    def flag(self, name: str) -> Mask:
        history, base, none = self.history, self.base, np.zeros_like(self.history.exists)
        if name == "now":
            return np.concatenate([history.exists, np.zeros_like(base.exists)], 1)
        if name == "past":
            return np.concatenate([none, base.exists], 1)
        if name == "salient":
            return np.concatenate([history.touched, history.touched_before], 1)
        if name == "mentioned":
            n = base.exists.shape[1]
            none[:, :n] = history.mentioned & history.exists[:, :n]
            return np.concatenate([none, history.mentioned], 1)
        salient = self.flags["salient"].numpy()
        if name == "kin":
            names = self.codes["name"].numpy()
            kinds = np.zeros((len(self), len(self.values["name"]) + 1), bool)
            rows, columns = np.nonzero(salient)
            kinds[rows, names[rows, columns]] = True
            kinds[:, -1] = False
            return np.take_along_axis(kinds, names, 1) & self.exists
        bearing = np.zeros_like(self.exists)  # name == "bearing"
        rows, columns = np.nonzero(salient[:, : self.now])
        below = self.codes["below"].numpy()[rows, columns]
        bearing[rows[below >= 0], below[below >= 0]] = True
        return bearing

    def code(self, name: str) -> Codes:
        history, base = self.history, self.base
        if name in NAMES:
            return np.concatenate([history.codes[name], base.codes[name]], 1)
        if name == "purpose":
            purposes = np.array([*map(purpose_bits, self.values["name"]), 0])
            return purposes[self.codes["name"].numpy()]
        if name == "origin":
            origin = np.full(self.exists.shape, -1)
            n = base.exists.shape[1]
            origin[:, :n] = self.now + np.arange(n)
            return origin
        hanging = np.array([*map(hangs, self.values["name"]), False])[history.codes["name"]]
        there = history.exists & ~hanging
        below = resting(history.positions, history.headings, history.extents, there)
        before = np.where(base.below < 0, -1, base.below + self.now)
        return np.concatenate([below, before], 1)

    @cached_property
    def has_attribute(self) -> dict[str, Tensor]:
        return {a: torch.from_numpy((self.base.codes[a] >= 0).any(1)) for a in LOOKS}

    @cached_property
    def below_it(self) -> Tensor:
        """(W,) as `Evaluator.below_it`; -1 for none."""
        salient = self.history.touched & self.history.exists
        below = self.codes["below"].numpy()[:, : self.now]
        least = np.where(salient, below, self.exists.shape[1]).min(1)
        most = np.where(salient, below, -1).max(1)
        rows = np.arange(len(self))[:, None]
        bears = (below >= 0) & salient[rows, np.clip(below, 0, self.now - 1)] & self.history.exists
        single = salient.any(1) & (least == most) & ~bears.any(1)
        return torch.from_numpy(np.where(single, most, -1))

    # --- words ------------------------------------------------------------------------------------

    def fits(self, attribute: str, text: str) -> Tensor:
        """Return (W, m): the objects that match a word."""
        key = (attribute, text)
        if key not in self._fits:
            self._fits[key] = torch.from_numpy(self._matches(attribute, text))
        return self._fits[key]

    def _matches(self, attribute: str, text: str) -> Mask:
        if attribute == "name":
            return self._called(text)
        if attribute == "side":
            if text not in SIDES_OF_ROOM:
                raise NotBatchable(f"{text} is no side of a room")
            middle, half = self.framed.room[:, None, :2], self.framed.room[:, None, 2:]
            places = np.stack([self.things["right"].numpy(), self.things["front"].numpy()], -1)
            off = (places - middle) / np.maximum(half, 1e-6)
            return region_at(text, off[..., 0], off[..., 1], self.rules) & self.exists
        if attribute == "purpose":
            bit = purpose_bit(text)
            return (self.codes["purpose"].numpy() & bit) > 0
        if attribute in LOOKS:
            return fit_codes(self.codes[attribute].numpy(), self.values[attribute], text)
        return np.zeros_like(self.exists)

    def _called(self, noun: str) -> Mask:
        """Return (W, m) what `SceneGeometry.named` returns, of both times."""
        codes, now = self.codes["name"].numpy(), self.now
        after = self._fitting(noun, codes[:, :now], True)
        return np.concatenate([after, self._fitting(noun, codes[:, now:], False)], 1)

    @cached_property
    def _gone(self) -> Mask:
        """(W, names) the names that only occur before the edit."""
        codes = self.codes["name"].numpy()
        return self._names_in(codes[:, self.now :]) & ~self._names_in(codes[:, : self.now])

    def _names_in(self, codes: Codes) -> Mask:
        """Return (W, names): the names that occur."""
        known = np.zeros((len(codes), len(self.values["name"]) + 1), bool)
        np.put_along_axis(known, codes, True, 1)
        return known[:, :-1]

    def _fitting(self, noun: str, codes: Codes, edited: bool) -> Mask:
        """Return (W, m) what `SceneIndex.rows_named` returns."""
        ranks, rest = name_fits(noun, self.values["name"])
        fit = np.array([*ranks, 0])[codes]
        best = fit.max(1, initial=0)
        found = (fit == best[:, None]) & (best > 0)[:, None]
        if rest and not best.all():
            without = best == 0
            if edited:
                without &= ~(self._gone & (np.array(ranks) > 0)).any(1)
            found[without] = self._fitting(rest, codes, edited)[without]
        return found


class _Lazy(dict[str, Tensor]):
    """Columns by name, computed on first access."""

    def __init__(self, tables: RoomTables, kind: str) -> None:
        super().__init__()
        self.column: Callable[[str], Array] = getattr(tables, kind)

    def __missing__(self, name: str) -> Tensor:
        value = self[name] = torch.from_numpy(np.ascontiguousarray(self.column(name)))
        return value


class _EditGroup(NamedTuple):
    """Samples that share the result of an edit."""

    rows: Codes
    first: int  # the sample on which it was planned
    planned: Planned


class FramedSamples:
    """The samples of a room in the reference frame of a text."""

    def __init__(
        self,
        samples: RoomSamples,
        geometries: Sequence[SceneGeometry | None],
        geometry: Callable[[Scene], SceneGeometry],
    ) -> None:
        self.samples, self.geometries, self._geometry = samples, geometries, geometry
        self.bad = np.array([g is None for g in geometries])
        known = [g for g in geometries if g is not None]
        if not known:
            return
        self.rules, filled = known[0].rules, [g or known[0] for g in geometries]
        self.axes = {
            way: np.array([g.axes[way] for g in filled], float) for way in ("right", "front")
        }
        room = {id(g.axes): (*g.middle, *g.half) for g in filled}
        self.room = np.array([room[id(g.axes)] for g in filled])
        self._before: dict[int, SceneGeometry] = {}
        self._after: dict[Call | None, tuple[RoomTables, Mask]] = {}

    @cached_property
    def tables(self) -> RoomTables:
        """The tables before any change."""
        return RoomTables(self)

    def answers(self, change: Call | None, question: Call) -> list[str | None]:
        """Return the answer on each sample, None where there is none. NotBatchable for programs
        that have to run on each sample."""
        if self.bad.all():
            return [None] * len(self.samples)
        tables, bad = self._changed(change)
        form, masks = form_of_all((question,), tables)
        texts = Runner(tables, form, masks, torch.device("cpu")).answers()
        return np.where(bad, None, texts).tolist()

    def _changed(self, change: Call | None) -> tuple[RoomTables, Mask]:
        if change is None:
            return self.tables, self.bad
        if change not in self._after:
            self._after[change] = self._edited(change)
        return self._after[change]

    def _unedited(self, k: int) -> SceneGeometry:
        """Return sample k as a geometry of its own."""
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
                groups.append(_EditGroup(open_rows[alike], first, planned))
                open_rows = open_rows[~alike]
        history = _history(self.samples, groups)
        if simple.any():
            self._apply_simple(history, change, subjects & simple[:, None])
        return RoomTables(self, history), bad

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
        """Return a key of each sample, equal for samples on which an edit is the same but for the
        obstacles; the samples on which it fails; (W, n) the objects that it changes; and the
        samples in which nothing else has to be considered."""
        if change.op not in _SUBJECTS or (change.op == "set" and change.args[0] not in LOOKS):
            raise NotBatchable(f"the edit {change.op} of samples")
        samples = self.samples
        exists, n, bad = samples.exists, samples.exists.shape[1], self.bad.copy()
        axes = np.concatenate([self.axes["right"], self.axes["front"]], 1)
        subjects, others = np.zeros_like(exists), np.zeros_like(exists)
        parts: list[Any] = [axes]
        complex_rows = np.zeros(len(samples), bool)  # the edit may depend on all objects
        for call in _subjects(change):
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
        columns = [
            np.ascontiguousarray(part).view(np.uint8).reshape(len(samples), -1) for part in parts
        ]
        keys = [row.tobytes() for row in np.concatenate(columns, 1)]
        return keys, bad, subjects, ~complex_rows

    def _word_keys(self, change: Call) -> list[Array]:
        """Return what the names and values of new objects depend on (`_Planner._name`,
        `_value`).
        """
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
                if VALUE_WORDS.get(word, word) != word and word in samples.values.get(
                    attribute, ()
                ):
                    code = samples.values[attribute].index(word)
                    keys.append((samples.codes[attribute] == code).any(1)[:, None])
        return keys

    def _set(self, call: Call) -> tuple[Mask, Mask]:
        """Return (W, 2 n) the members of a set, and (W,) the samples on which it fails."""
        form, masks = form_of_all((call,), self.tables)
        runner = Runner(self.tables, form, masks, torch.device("cpu"))
        runner.width = None
        runner.texts = [masks[row] for row in form.masks]
        members = runner.value(call)
        return members.numpy() & self.tables.exists, runner.bad.numpy()

    def _objects(self, calls: Sequence[Call]) -> tuple[list[Codes], Mask]:
        """Return for one object or two (W,) their columns, and the samples on which this fails."""
        form, masks = form_of_all(calls, self.tables)
        runner = Runner(self.tables, form, masks, torch.device("cpu"))
        runner.width = None
        runner.texts = [masks[row] for row in form.masks]
        chosen = runner.both(*calls) if len(calls) == 2 else [runner.object(calls[0])]
        return [c.numpy() for c in chosen], runner.bad.numpy()

    def _same_placement(self, planned: Planned, first: int, rows: Codes) -> Mask:
        """Return which samples of a group have the obstacles that decided the placements."""
        samples = self.samples
        exists, alike = samples.exists[rows], np.ones(len(rows), bool)
        if len(rows) == 1 or not planned.placed:
            return alike
        index = {
            id(o): i
            for o, i in zip(samples.certain(first).objects, samples.indices(first), strict=True)
        }
        new = iter(
            planned.edited.scene.objects[k]
            for k, o in enumerate(planned.edited.origin)
            if o is None
        )
        for placed in planned.placed:
            spot = placed.spot
            if spot.blockers is None:
                alike &= (exists == samples.exists[first])[:, samples.solid].all(1)
                continue
            if isinstance(placed.thing, str):
                length, width, _ = next(new).extent
            else:
                length, width, _ = samples.certain(first).objects[placed.thing].extent
            blockers = [index[id(t.state)] for t in spot.blockers if id(t.state) in index]
            alike &= exists[:, blockers].all(1)
            reach = (
                np.hypot(samples.extents[:, 0], samples.extents[:, 1]) + np.hypot(length, width)
            ) / 2
            off = np.abs(samples.positions[:, :2] - spot.position[:2]).max(1)
            near = samples.solid & (off <= reach + 1e-6)
            alike &= (exists == samples.exists[first])[:, near].all(1)
        return alike


# The sets that an edit changes, as positions of its arguments.
_SUBJECTS = {
    "move": (0,),
    "turn": (0,),
    "face": (0,),
    "swap": (0, 1),
    "remove": (0,),
    "set": (2,),
    "add": (),
    "replace": (0,),
}
_MOVING = ("move", "turn", "face", "remove", "replace", "swap")


def _subjects(change: Call) -> list[Call]:
    if change.op == "swap":  # its two objects are among `places`
        return []
    return [change.args[k] for k in _SUBJECTS[change.op]]


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
    extra = max((g.planned.edited.origin.count(None) for g in groups), default=0)

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
        index, edited, before = (
            samples.indices(first),
            planned.edited,
            samples.certain(first).objects,
        )
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
