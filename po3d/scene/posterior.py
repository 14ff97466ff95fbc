"""Posterior samples of a scene table, with the same semantics for every benchmark.

    table ──► posterior_samples(table, draw, given) ──► arrays (sample, object) ──► scene(k)

Four kinds of uncertainty can be sampled: `existence` (whether the object exists), `pose`
(position and heading, from their covariance), `flip` (whether the heading is off by pi) and
`looks` (all attributes, and the dominant occluder). Different objects and different kinds are
independent. A kind that is not sampled stays a distribution in `scene(k)` and has its mode in the
arrays; so `draw=()` gives the most probable table, and a table without uncertainty is identical
in every sample.

A sentence presupposes that the objects it names exist. `given` conditions on that, one object
after the other: in samples without such an object, one object is made to match. It is drawn in
proportion to the probability that it exists and matches.
"""

from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.rooms import SYNONYMS, is_a
from po3d.scene.table import ObjectState, Scene, occluders_of_rows

Kind = Literal["existence", "pose", "flip", "looks"]
KINDS: tuple[Kind, ...] = get_args(Kind)  # in sampling order
SAMPLE_COUNT = 64


class Named(NamedTuple):
    """An object that a sentence presupposes."""

    noun: str
    looks: tuple[tuple[str, str], ...] = ()  # (attribute, value)


@dataclass(frozen=True, eq=False)
class SceneSamples:
    """W posterior samples of a table with n objects, which keep their indices."""

    table: Scene
    draw: frozenset[str]  # subset of KINDS
    exists: NDArray[np.bool_]  # (W, n)
    positions: Array  # (W, n, 2) ground positions; heights are those of `table`
    headings: Array  # (W, n) radians, not wrapped
    # Attribute -> (W, n) index into its `values`; 0 where the object has no such attribute.
    looks: dict[str, NDArray[np.int64]]
    values: dict[str, tuple[str, ...]]
    # (W, n) index of the dominant occluder, -1 for none; None for a table without occlusion.
    occluder: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.exists)

    def scenes(self) -> list[Scene]:
        """Return all samples as tables."""
        return list(map(self.scene, range(len(self))))

    def scene(self, k: int) -> Scene:
        """Return sample k as a table.

        Sampled kinds are certain, and objects absent from the sample are dropped; other kinds
        keep their distributions.
        """
        keep = range(len(self.table))
        if "existence" in self.draw:
            keep = np.flatnonzero(self.exists[k]).tolist()
        occluders = self.table.occluders
        if occluders is not None:
            if "looks" in self.draw:
                occluders = tuple({j: 1.0} if j >= 0 else {} for j in self.occluder[k].tolist())
            occluders = occluders_of_rows(occluders, keep)
        objects = tuple(self._state(k, i) for i in keep)
        return replace(self.table, objects=objects, occluders=occluders)

    def _state(self, k: int, i: int) -> ObjectState:
        state, heading = self.table.objects[i], float(self.headings[k, i])
        heading = heading if heading == state.heading else float(wrap_angle(heading))
        flip = 0.0 if "flip" in self.draw else min(state.flip, 1 - state.flip)
        fields: dict = {"heading": heading, "flip": flip}
        if "existence" in self.draw:
            fields["existence"] = 1.0
        if "looks" in self.draw:
            fields["beliefs"] = {}
            for a in state.beliefs:
                fields["beliefs"][a] = {self.values[a][self.looks[a][k, i]]: 1.0}
        if "pose" in self.draw:
            fields["position"] = (*self.positions[k, i].tolist(), state.position[2])
            fields["covariance"] = ((0.0,) * 3,) * 3
        return replace(state, **fields)


def kinds(names: Collection[str] | str) -> tuple[Kind, ...]:
    """Return the kinds with these names (one string is one name) in sampling order.

    Raise InputError for an unknown name.
    """
    names = {names} if isinstance(names, str) else set(names)
    if unknown := sorted(names - set(KINDS)):
        raise InputError(f"unknown kind of belief {unknown[0]!r}; known: {', '.join(KINDS)}")
    return tuple(filter(names.__contains__, KINDS))


def uncertain(scene: Scene, draw: Collection[str] = KINDS) -> bool:
    """Whether the table has uncertainty of any of these kinds."""
    if "looks" in draw:
        for belief in scene.occluders or ():
            if belief and min(belief.values()) < 1:
                return True
    return any(_is_uncertain(o, draw) for o in scene.objects)


def _is_uncertain(o: ObjectState, draw: Collection[str]) -> bool:
    return (
        ("existence" in draw and o.existence < 1)
        or ("flip" in draw and o.flip > 0)
        or ("pose" in draw and bool(np.any(o.covariance)))
        or ("looks" in draw and max(map(len, o.beliefs.values()), default=0) > 1)
    )


def posterior_samples(
    scene: Scene,
    draw: Collection[str] = KINDS,
    required: Sequence[Named] = (),
    count: int = SAMPLE_COUNT,
    seed: int = 0,
    stage: str = "",
) -> SceneSamples:
    """Draw `count` posterior samples of a table.

    A pure function of its arguments: equal questions on equal tables get equal samples in every
    process. `draw` lists the sampled kinds; `required` lists objects that exist in every sample, as
    far as their probabilities allow; `stage` names a separate random stream. A table without
    covariances consumes no random numbers for poses. Raise InputError for an unknown kind.
    """
    return PosteriorDraw(scene, draw, count, seed, stage).given(required)


class PosteriorDraw:
    """Posterior samples of a table before any presupposition; arguments as for
    `posterior_samples`."""

    def __init__(
        self,
        scene: Scene,
        draw: Collection[str] = KINDS,
        count: int = SAMPLE_COUNT,
        seed: int = 0,
        stage: str = "",
    ) -> None:
        self.random, self.samples = _drawn(scene, kinds(draw), count, seed, stage)

    def given(self, required: Sequence[Named] = ()) -> SceneSamples:
        """Return the samples with the objects that `required` lists."""
        drawn, random = self.samples, deepcopy(self.random)
        looks = {attribute: codes.copy() for attribute, codes in drawn.looks.items()}
        occluder = None if drawn.occluder is None else drawn.occluder.copy()
        samples = replace(drawn, exists=drawn.exists.copy(), looks=looks, occluder=occluder)
        for wanted in required:
            _grant(wanted, samples, random)
        if occluder is not None:
            occluder[:] = _occluders(samples, random if "looks" in samples.draw else None)
        return samples


def _drawn(
    scene: Scene, draw: Sequence[Kind], count: int, seed: int, stage: str
) -> tuple[np.random.Generator, SceneSamples]:
    """Return samples without presuppositions and occluders, and the random stream after them."""
    # The stream name is kept because earlier results of rooms were sampled with it.
    random = rng(seed, stage or f"room worlds/{scene.image}")
    objects, shape = scene.objects, (count, len(scene))
    existence = np.array([o.existence for o in objects], float)
    flip = np.array([o.flip for o in objects], float)
    exists = np.tile(existence >= 0.5, (count, 1))
    if "existence" in draw:
        exists = random.random(shape) < existence
    pose = np.concatenate([scene.positions[:, :2], scene.headings[:, None]], 1)
    pose = np.tile(pose, (count, 1, 1))
    if uncertain(scene, draw=("pose",)) and "pose" in draw:
        pose = pose + _noise(objects, count, random)
    flipped = random.random(shape) < flip if "flip" in draw else np.tile(flip > 0.5, (count, 1))
    values = _values(objects)
    looks = _looks(objects, values, count, random if "looks" in draw else None)
    occluder = None if scene.occluders is None else np.full(shape, -1)
    poses = pose[..., :2], pose[..., 2] + np.pi * flipped
    return random, SceneSamples(scene, frozenset(draw), exists, *poses, looks, values, occluder)


def occluder_table(scene: Scene) -> Array:
    """Return (n, n + 1) probabilities that j is the dominant occluder of i.

    The last column is "not occluded".
    """
    n = len(scene)
    table = np.zeros((n, n + 1))
    for i, belief in enumerate(scene.occluders or ()):
        for j, p in belief.items():
            table[i, j] = p
    table[:, n] = np.maximum(0, 1 - table.sum(1))
    return table


def possible(scene: Scene, wanted: Named) -> bool:
    """Whether any object can match `wanted` with nonzero probability."""
    return bool(_chances(wanted, scene.objects).any())


def _noise(objects: Sequence[ObjectState], count: int, random: np.random.Generator) -> Array:
    """Return (count, n, 3) deviations of x, y and heading."""
    covariance = np.array([o.covariance for o in objects], float).reshape(-1, 3, 3)
    size, axis = np.linalg.eigh(covariance)  # not Cholesky: a covariance may be singular or zero
    root = axis * np.sqrt(np.maximum(size, 0))[:, None, :]
    return np.einsum("nij,knj->kni", root, random.standard_normal((count, len(objects), 3)))


def _values(objects: Sequence[ObjectState]) -> dict[str, tuple[str, ...]]:
    """Return all values of each attribute in the table."""
    by_attribute: dict[str, dict[str, None]] = {}
    for o in objects:
        for attribute, belief in o.beliefs.items():
            by_attribute.setdefault(attribute, {}).update(dict.fromkeys(belief))
    return {attribute: tuple(values) for attribute, values in by_attribute.items()}


def _looks(
    objects: Sequence[ObjectState],
    values: dict[str, tuple[str, ...]],
    count: int,
    random: np.random.Generator | None,
) -> dict[str, NDArray[np.int64]]:
    """Return (count, n) value indices of each attribute: samples, or without `random` the mode."""
    looks = {attribute: np.zeros((count, len(objects)), np.int64) for attribute in values}
    for i, o in enumerate(objects):
        for attribute, belief in o.beliefs.items():
            code = values[attribute].index
            if random is None:
                looks[attribute][:, i] = code(o.value(attribute))
                continue
            cumulative = np.cumsum(list(belief.values()))
            at = np.searchsorted(cumulative, random.random(count) * cumulative[-1], side="right")
            codes = np.array(list(map(code, belief)))
            looks[attribute][:, i] = codes[np.minimum(at, len(codes) - 1)]
    return looks


def _occluders(samples: SceneSamples, random: np.random.Generator | None) -> NDArray[np.int64]:
    """Return (W, n) dominant occluders; an absent object occludes nothing."""
    table, (count, n) = occluder_table(samples.table), samples.exists.shape
    # the most probable present occluder; "not occluded" is column 0, so it wins ties
    if random is None:
        there = np.concatenate([np.ones((count, 1)), samples.exists], 1)
        return np.argmax(np.roll(table, 1, 1) * there[:, None], -1) - 1
    steps = np.cumsum(table, 1)
    indices = (random.random((count, n, 1)) >= steps / steps[:, -1:]).sum(-1)
    present = np.concatenate([samples.exists, np.zeros((count, 1), bool)], 1)
    return np.where(np.take_along_axis(present, indices, 1), indices, -1)


# --- presuppositions of sentences -----------------------------------------------------------------


def _chances(wanted: Named, objects: Sequence[ObjectState]) -> Array:
    """Return (n,) probabilities that each object exists and matches `wanted`."""
    chances = np.zeros(len(objects))
    for i, o in enumerate(objects):
        for name, p in o.beliefs.get("name", {}).items():
            chances[i] += p * _means(name, wanted.noun)
        chances[i] *= o.existence
        for attribute, value in wanted.looks:
            if attribute in o.beliefs:
                chances[i] *= o.beliefs[attribute].get(value, 0.0)
    return chances


def _stated(objects: Sequence[ObjectState], attribute: str) -> NDArray[np.bool_]:
    """Return which objects have beliefs in an attribute."""
    return np.array([attribute in o.beliefs for o in objects])


def _grant(wanted: Named, samples: SceneSamples, random: np.random.Generator) -> None:
    """Make one object match `wanted` in each sample without a matching object."""
    objects, looks, values = samples.table.objects, samples.looks, samples.values
    chances = _chances(wanted, objects)
    if not chances.any():
        return
    chosen = random.choice(len(objects), len(samples), p=chances / chances.sum())
    is_it = samples.exists.copy()
    named = _stated(objects, "name")
    is_it &= named & np.array([_means(name, wanted.noun) for name in values["name"]])[looks["name"]]
    for attribute, value in wanted.looks:
        stated = _stated(objects, attribute)
        if stated.any():  # a missing attribute does not exclude an object
            is_it &= ~stated | (np.array(values[attribute]) == value)[looks[attribute]]
    for k in np.flatnonzero(~is_it.any(1)).tolist():
        i = int(chosen[k])
        samples.exists[k, i] = True
        names = objects[i].beliefs["name"]
        likeliest = max(names, key=lambda n: (_means(n, wanted.noun), names[n]))
        looks["name"][k, i] = values["name"].index(likeliest)
        for attribute, value in wanted.looks:
            if attribute in objects[i].beliefs:
                looks[attribute][k, i] = values[attribute].index(value)


@lru_cache(1 << 14)
def _means(name: str, noun: str) -> bool:
    return is_a(name, noun) or is_a(SYNONYMS.get(name, name), SYNONYMS.get(noun, noun))
