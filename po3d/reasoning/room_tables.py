"""Posterior samples of a room as arrays: the tables that the batched interpreter reads.

The samples of a table differ in few values, so they are arrays (sample, object): which objects
exist, and the codes of their names and attributes.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from po3d.reasoning.attribute_words import NotBatchable, fit_codes
from po3d.reasoning.directions import SIDES_OF_ROOM, region_at
from po3d.reasoning.rules import Rules
from po3d.reasoning.world import EYE
from po3d.scene.edits import REST_ABOVE, REST_BELOW, REST_MARGIN
from po3d.scene.frames import room_centre
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.index import FLAT, Thing, name_fits
from po3d.scene.posterior import SceneSamples, posterior_samples, uncertain
from po3d.scene.rooms import PURPOSES, SYNONYMS, hangs, is_a, purposes_of
from po3d.scene.table import ObjectState, Scene

Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]
LOOKS = ("color", "material", "state")
NAMES = (*LOOKS, "name")
_PURPOSES = {purpose: k for k, purpose in enumerate(PURPOSES)}


def applicable(samples: SceneSamples) -> bool:
    """Whether samples of a table can be represented as arrays: its floor is known, its poses are
    certain, every object has a name but no label, and the table has no occlusions."""
    scene = samples.table
    if "pose" in samples.draw and uncertain(scene, ("pose",)):
        return False
    for o in scene.objects:
        if "name" not in o.beliefs or o.name or not o.beliefs.keys() <= set(NAMES):
            return False
    return scene.occluders is None and bool(scene.outline) and bool(scene.objects)


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
        """Return (W, n): the objects whose names fulfil a condition."""
        wanted = np.array(list(map(is_wanted, self.values["name"])) + [False])
        return wanted[self.codes["name"]]

    def farthest(self, name: str) -> Codes:
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


def resting(positions: Array, headings: Array, extents: Array, there: Mask) -> Codes:
    """Return (W, m) the index of the object that each object rests on (as `scene.edits.resting`),
    -1 for none; for objects that are `there` and do not hang."""
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
    """The tables of a batch, columns (W, m): objects after an edit, then those before it.

    `axes`: the right and the front of each table, (W, 2). `area`: (W, 4) centre and half size of
    the room, to the right and to the front.
    """

    def __init__(
        self,
        base: RoomSamples,
        axes: Mapping[str, Array],
        area: Array,
        rules: Rules,
        history: History | None = None,
    ) -> None:
        self.base, self.axes, self.room, self.rules = base, axes, area, rules
        w, n = base.exists.shape
        positions = np.broadcast_to(base.positions, (w, n, 3))
        extents = np.broadcast_to(base.extents, (w, n, 3))
        if history is None:
            poses = (base.exists, positions, base.headings, extents)
            history = History(*poses, base.codes, base.values, *np.zeros((3, w, n), bool))
        self.history, self.now = history, history.exists.shape[1]
        self.exists = np.concatenate([history.exists, base.exists], 1)
        self.positions = np.concatenate([history.positions, positions], 1)
        self.extents = np.concatenate([history.extents, extents], 1)
        self.headings = np.concatenate([history.headings, base.headings], 1)
        self.values = history.values
        self._columns: dict[tuple[str, str], NDArray] = {}
        self._fits: dict[tuple[str, str], Mask] = {}
        centre = np.array([*room_centre(base.scene), EYE])
        # (W, 3) the eye of a viewer who stands in the room
        self.eye = np.where(base.exists.any(1)[:, None], centre, np.nan)

    def __len__(self) -> int:
        return len(self.exists)

    # --- columns, computed on first access --------------------------------------------------------

    def column(self, kind: str, name: str) -> NDArray:
        """Return (W, m): a number (kind "things"), a truth ("flags") or a code ("codes")."""
        if (kind, name) not in self._columns:
            compute = {"things": self._number, "flags": self._flag, "codes": self._code}[kind]
            self._columns[kind, name] = np.ascontiguousarray(compute(name))
        return self._columns[kind, name]

    def _number(self, name: str) -> Array:
        x, y, z = np.moveaxis(self.positions, -1, 0)
        length, width, height = np.moveaxis(self.extents, -1, 0)
        if name in ("right", "front"):
            ways = self.axes[name]
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

    def _flag(self, name: str) -> Mask:
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
        salient = self.column("flags", "salient")
        if name == "kin":
            names = self.column("codes", "name")
            kinds = np.zeros((len(self), len(self.values["name"]) + 1), bool)
            rows, columns = np.nonzero(salient)
            kinds[rows, names[rows, columns]] = True
            kinds[:, -1] = False
            return np.take_along_axis(kinds, names, 1) & self.exists
        bearing = np.zeros_like(self.exists)  # name == "bearing"
        rows, columns = np.nonzero(salient[:, : self.now])
        below = self.column("codes", "below")[rows, columns]
        bearing[rows[below >= 0], below[below >= 0]] = True
        return bearing

    def _code(self, name: str) -> Codes:
        history, base = self.history, self.base
        if name in NAMES:
            return np.concatenate([history.codes[name], base.codes[name]], 1)
        if name == "purpose":
            purposes = np.array([*map(purpose_bits, self.values["name"]), 0])
            return purposes[self.column("codes", "name")]
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
    def has_attribute(self) -> dict[str, Mask]:
        """(W,) which tables have an attribute, by its name."""
        return {a: (self.base.codes[a] >= 0).any(1) for a in LOOKS}

    @cached_property
    def below_it(self) -> NDArray:
        """(W,) the object that supports all edited objects (`Evaluator.below_it`), -1 for none."""
        salient = self.history.touched & self.history.exists
        below = self.column("codes", "below")[:, : self.now]
        least = np.where(salient, below, self.exists.shape[1]).min(1)
        most = np.where(salient, below, -1).max(1)
        rows = np.arange(len(self))[:, None]
        bears = (below >= 0) & salient[rows, np.clip(below, 0, self.now - 1)] & self.history.exists
        single = salient.any(1) & (least == most) & ~bears.any(1)
        return np.where(single, most, -1)

    # --- words ------------------------------------------------------------------------------------

    def fits(self, attribute: str, text: str) -> Mask:
        """Return (W, m): the objects that match a word."""
        key = (attribute, text)
        if key not in self._fits:
            self._fits[key] = self._matches(attribute, text)
        return self._fits[key]

    def _matches(self, attribute: str, text: str) -> Mask:
        if attribute == "name":
            return self._called(text)
        if attribute == "side":
            if text not in SIDES_OF_ROOM:
                raise NotBatchable(f"{text} is not a side of a room")
            middle, half = self.room[:, None, :2], self.room[:, None, 2:]
            places = np.stack([self.column("things", "right"), self.column("things", "front")], -1)
            off = (places - middle) / np.maximum(half, 1e-6)
            return region_at(text, off[..., 0], off[..., 1], self.rules) & self.exists
        if attribute == "purpose":
            bit = purpose_bit(text)
            return (self.column("codes", "purpose") & bit) > 0
        if attribute in LOOKS:
            return fit_codes(self.column("codes", attribute), self.values[attribute], text)
        return np.zeros_like(self.exists)

    def _called(self, noun: str) -> Mask:
        """Return (W, m): the objects that a noun can denote, after and before the edit."""
        codes, now = self.column("codes", "name"), self.now
        after = self._fitting(noun, codes[:, :now], True)
        return np.concatenate([after, self._fitting(noun, codes[:, now:], False)], 1)

    @cached_property
    def _gone(self) -> Mask:
        """(W, names) the names that only occur before the edit."""
        codes = self.column("codes", "name")
        return self._names_in(codes[:, self.now :]) & ~self._names_in(codes[:, : self.now])

    def _names_in(self, codes: Codes) -> Mask:
        """Return (W, names): the names that occur."""
        known = np.zeros((len(codes), len(self.values["name"]) + 1), bool)
        np.put_along_axis(known, codes, True, 1)
        return known[:, :-1]

    def _fitting(self, noun: str, codes: Codes, edited: bool) -> Mask:
        """Return (W, m): the objects that a noun denotes, by the rules of `rows_named`."""
        ranks, rest = name_fits(noun, self.values["name"])
        fit = np.array([*ranks, 0])[codes]
        best = fit.max(1, initial=0)
        matches = (fit == best[:, None]) & (best > 0)[:, None]
        if rest and not best.all():
            without = best == 0
            if edited:
                without &= ~(self._gone & (np.array(ranks) > 0)).any(1)
            matches[without] = self._fitting(rest, codes, edited)[without]
        return matches


def purpose_bits(name: str) -> int:
    """Return the purposes of objects with a name as a sum of `purpose_bit`."""
    return sum(map(purpose_bit, purposes_of(SYNONYMS.get(name, name))))


def purpose_bit(purpose: str) -> int:
    return 1 << _PURPOSES[purpose] if purpose in _PURPOSES else 0
