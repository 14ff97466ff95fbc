"""Worlds drawn from a table: what its beliefs mean, the same for every benchmark.

    table ──► worlds(table, draw, given) ──► Worlds: arrays (world, object) ──► scene(k): world k as a table

Four kinds of belief can be drawn: `existence` (is the thing there), `pose` (place and heading, by their covariance), `flip`
(is the heading off by half a circle) and `looks` (every attribute, and who hides whom). Beliefs about different objects
and of different kinds are independent. What is not drawn stays a belief in `scene(k)`, and has its most probable value in
the arrays; so `draw=()` is the most probable table, and a table without doubt is the same in every world.

A sentence takes for granted that what it names is there. `given` conditions on that, one thing after the other: in worlds
without the thing, the object that most likely is it becomes it, each as probably as it is that by its beliefs.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.rooms import SYNONYMS, is_a
from po3d.scene.table import ObjectState, Scene

Kind = Literal["existence", "pose", "flip", "looks"]
KINDS: tuple[Kind, ...] = get_args(Kind)  # in the order in which they are drawn
WORLDS = 64


class Named(NamedTuple):
    """A thing that a sentence takes for granted."""

    noun: str
    looks: tuple[tuple[str, str], ...] = ()  # (attribute, value)


@dataclass(frozen=True, eq=False)
class Worlds:
    """W readings of a table of n objects, which keep their index."""

    table: Scene
    draw: frozenset[str]  # of KINDS
    exists: NDArray[np.bool_]  # (W, n)
    positions: Array  # (W, n, 2) on the ground; heights are the table's
    headings: Array  # (W, n) radians, not wrapped
    # Attribute -> (W, n) index into its `values`; 0 where the table says nothing.
    looks: dict[str, NDArray[np.int64]]
    values: dict[str, tuple[str, ...]]
    # (W, n) index of the dominant occluder, -1 for none; None: the table says nothing of it.
    occluder: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.exists)

    def scenes(self) -> list[Scene]:
        return [self.scene(k) for k in range(len(self))]

    def scene(self, k: int) -> Scene:
        """World k as a table: what was drawn is certain and objects that it lacks are gone; the rest is as believed."""
        keep = range(len(self.table))
        if "existence" in self.draw:
            keep = np.flatnonzero(self.exists[k]).tolist()
        occluders = self.table.occluders
        if occluders is not None:
            if "looks" in self.draw:
                occluders = tuple({j: 1.0} if j >= 0 else {} for j in self.occluder[k].tolist())
            index = {old: new for new, old in enumerate(keep)}
            occluders = tuple({index[j]: p for j, p in occluders[i].items() if j in index} for i in keep)
        return replace(self.table, objects=tuple(self._state(k, i) for i in keep), occluders=occluders)

    def _state(self, k: int, i: int) -> ObjectState:
        state, heading = self.table.objects[i], float(self.headings[k, i])
        drawn: dict = {"heading": state.heading if heading == state.heading else float(wrap_angle(heading))}
        drawn["flip"] = 0.0 if "flip" in self.draw else min(state.flip, 1 - state.flip)
        if "existence" in self.draw:
            drawn["existence"] = 1.0
        if "looks" in self.draw:
            drawn["beliefs"] = {a: self._sure[a][self.looks[a][k, i]] for a in state.beliefs}
        if "pose" in self.draw:
            drawn["position"] = (*self.positions[k, i].tolist(), state.position[2])
            drawn["covariance"] = ((0.0,) * 3,) * 3
        return replace(state, **drawn)

    @cached_property
    def _sure(self) -> dict[str, list[dict[str, float]]]:
        return {a: [{value: 1.0} for value in values] for a, values in self.values.items()}


def kinds(names: Collection[str] | str) -> tuple[Kind, ...]:
    """The kinds of those names, one alone being a list of one, in the order of the draws; InputError for an unknown one."""
    names = {names} if isinstance(names, str) else set(names)
    if unknown := sorted(names - set(KINDS)):
        raise InputError(f"unknown kind of belief {unknown[0]!r}; known: {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in names)


def uncertain(scene: Scene, draw: Collection[str] = KINDS) -> bool:
    """Whether the table leaves anything of these kinds open."""
    hidden = scene.occluders or () if "looks" in draw else ()
    return any(p < 1 for belief in hidden for p in belief.values()) or any(
        ("existence" in draw and o.existence < 1)
        or ("flip" in draw and o.flip > 0)
        or ("pose" in draw and bool(np.any(o.covariance)))
        or ("looks" in draw and any(len(belief) > 1 for belief in o.beliefs.values()))
        for o in scene.objects
    )


def worlds(
    scene: Scene,
    draw: Collection[str] = KINDS,
    given: Sequence[Named] = (),
    count: int = WORLDS,
    seed: int = 0,
    stage: str = "",
) -> Worlds:
    """`count` worlds of a table: a pure function of the arguments, so equal questions meet equal worlds whoever asks them.
    `draw`: the kinds that are drawn; `given`: things that are there in every world, where the beliefs allow it; `stage`
    names another stream of random numbers. Poses without covariance take none. InputError for an unknown kind."""
    draw = kinds(draw)
    # The first figures of rooms were drawn under "room worlds".
    random = rng(seed, stage or f"room worlds/{scene.image}")
    objects, shape = scene.objects, (count, len(scene))
    existence, flip = (np.array([getattr(o, kind) for o in objects], float) for kind in ("existence", "flip"))
    exists = (
        random.random(shape) < existence if "existence" in draw else np.tile(existence >= 0.5, (count, 1))
    )
    pose = np.concatenate([scene.positions[:, :2], scene.headings[:, None]], 1)
    pose = np.tile(pose, (count, 1, 1))
    if uncertain(scene, draw=("pose",)) and "pose" in draw:
        pose = pose + _noise(objects, count, random)
    flipped = random.random(shape) < flip if "flip" in draw else np.tile(flip > 0.5, (count, 1))
    values = _values(objects)
    looks = _looks(objects, values, count, random if "looks" in draw else None)
    drawn = Worlds(
        scene,
        frozenset(draw),
        exists,
        pose[..., :2],
        pose[..., 2] + np.pi * flipped,
        looks,
        values,
        None if scene.occluders is None else np.full(shape, -1),
    )
    for wanted in given:
        _grant(wanted, drawn, random)
    if drawn.occluder is not None:
        drawn.occluder[:] = _occluders(drawn, random if "looks" in draw else None)
    return drawn


def occluder_table(scene: Scene) -> Array:
    """(n, n + 1) probability that j is the dominant occluder of i; the last column is "not occluded"."""
    n = len(scene)
    table = np.zeros((n, n + 1))
    for i, belief in enumerate(scene.occluders or ()):
        for j, p in belief.items():
            table[i, j] = p
    table[:, n] = np.maximum(0, 1 - table.sum(1))
    return table


def possible(scene: Scene, wanted: Named) -> bool:
    """Whether any object may be the wanted thing."""
    return bool(_chances(wanted, scene.objects).any())


def _noise(objects: Sequence[ObjectState], count: int, random: np.random.Generator) -> Array:
    """(count, n, 3) deviations of x, y and heading."""
    covariance = np.array([o.covariance for o in objects], float).reshape(-1, 3, 3)
    size, axis = np.linalg.eigh(covariance)  # not Cholesky: a covariance may be singular, or zero
    root = axis * np.sqrt(np.maximum(size, 0))[:, None, :]
    return np.einsum("nij,knj->kni", root, random.standard_normal((count, len(objects), 3)))


def _values(objects: Sequence[ObjectState]) -> dict[str, tuple[str, ...]]:
    """Of each attribute all values that the table mentions."""
    found: dict[str, dict[str, None]] = {}
    for o in objects:
        for attribute, belief in o.beliefs.items():
            found.setdefault(attribute, {}).update(dict.fromkeys(belief))
    return {attribute: tuple(values) for attribute, values in found.items()}


def _looks(
    objects: Sequence[ObjectState],
    values: dict[str, tuple[str, ...]],
    count: int,
    random: np.random.Generator | None,
) -> dict[str, NDArray[np.int64]]:
    """Of each attribute (count, n) indices of its values: draws, or without a generator the most probable."""
    looks = {attribute: np.zeros((count, len(objects)), np.int64) for attribute in values}
    code = {attribute: {value: k for k, value in enumerate(known)} for attribute, known in values.items()}
    for i, o in enumerate(objects):
        for attribute, belief in o.beliefs.items():
            if random is None:
                looks[attribute][:, i] = code[attribute][o.value(attribute)]
                continue
            cumulative = np.cumsum(list(belief.values()))
            at = np.searchsorted(cumulative, random.random(count) * cumulative[-1], side="right")
            own = np.array([code[attribute][value] for value in belief])
            looks[attribute][:, i] = own[np.minimum(at, len(own) - 1)]
    return looks


def _occluders(drawn: Worlds, random: np.random.Generator | None) -> NDArray[np.int64]:
    """(W, n) dominant occluders; one that does not exist hides nothing."""
    table, (count, n) = occluder_table(drawn.table), drawn.exists.shape
    if random is None:  # the likeliest that exists; "not occluded" stands first, so it wins ties
        there = np.concatenate([np.ones((count, 1)), drawn.exists], 1)
        return np.argmax(np.roll(table, 1, 1) * there[:, None], -1) - 1
    steps = np.cumsum(table, 1)
    found = (random.random((count, n, 1)) >= steps / steps[:, -1:]).sum(-1)
    present = np.concatenate([drawn.exists, np.zeros((count, 1), bool)], 1)
    return np.where(np.take_along_axis(present, found, 1), found, -1)


# --- what sentences take for granted ------------------------------------------------------------------------


def _chances(wanted: Named, objects: Sequence[ObjectState]) -> Array:
    """(n,) how probably each object exists and is the wanted thing."""
    chances = np.zeros(len(objects))
    for i, o in enumerate(objects):
        names = o.beliefs.get("name", {})
        chances[i] = o.existence * sum(p for name, p in names.items() if _means(name, wanted.noun))
        for attribute, value in wanted.looks:
            if attribute in o.beliefs:
                chances[i] *= o.beliefs[attribute].get(value, 0.0)
    return chances


def _grant(wanted: Named, drawn: Worlds, random: np.random.Generator) -> None:
    """Where no drawn object is the wanted thing, one becomes it."""
    objects, looks, values = drawn.table.objects, drawn.looks, drawn.values
    chances = _chances(wanted, objects)
    if not chances.any():
        return
    chosen = random.choice(len(objects), len(drawn), p=chances / chances.sum())
    is_it = drawn.exists.copy()
    named = np.array(["name" in o.beliefs for o in objects])
    is_it &= named & np.array([_means(name, wanted.noun) for name in values["name"]])[looks["name"]]
    for attribute, value in wanted.looks:
        told = np.array([attribute in o.beliefs for o in objects])
        if told.any():  # what the table does not tell of an object it does not deny
            is_it &= ~told | np.array([known == value for known in values[attribute]])[looks[attribute]]
    for k in np.flatnonzero(~is_it.any(1)).tolist():
        i = int(chosen[k])
        drawn.exists[k, i] = True
        names = objects[i].beliefs["name"]
        likeliest = max((n for n in names if _means(n, wanted.noun)), key=names.__getitem__)
        looks["name"][k, i] = values["name"].index(likeliest)
        for attribute, value in wanted.looks:
            if attribute in objects[i].beliefs:
                looks[attribute][k, i] = values[attribute].index(value)


def _means(name: str, noun: str) -> bool:
    return is_a(name, noun) or is_a(SYNONYMS.get(name, name), SYNONYMS.get(noun, noun))
