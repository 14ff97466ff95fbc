"""The seam for ablations: modules of perception replaced by ground truth, or by truth with noise, the rest as predicted.

    predicted ──► rows paired with true ones ──► what is named taken from these ──► noise ──► Mixed

Worlds differ in how rows are paired and in what follows from what: `street_substitution`, `room_substitution`, `view_substitution`.

Noise makes a true table worse by a known amount: what a degree, a centimetre or a wrong colour is worth. A module's draws from
(seed, module, image) and only scales with sigma, so that a curve over sigma is smooth. The executor is not told of it: the table stays
as sure of itself as it was.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from po3d.benchmarks.metrics import match
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import Array, as_tuples, wrap_angle
from po3d.scene.orbit import rotated
from po3d.scene.table import ObjectState, Scene
from po3d.systems.pipeline import PREDICTED, Setting, Tables

Noise = Callable[[Scene, float, np.random.Generator], Scene]  # of size sigma


class Mixed(NamedTuple):
    """A table, and of each of its rows the row of the true table that it is; None for one that is none."""

    scene: Scene
    rows: tuple[int | None, ...]


class Row(NamedTuple):
    """One row of a mixed table."""

    predicted: int | None  # the row that it was; None for a missed thing
    true: int | None  # the true row that it is; None for none
    before: ObjectState  # without the truth
    state: ObjectState


@dataclass(frozen=True)
class Substitution:
    """What of one world's tables can be true instead, and how. Worlds derive from it."""

    table: tuple[str, ...]  # the modules, in the order in which noise comes
    beliefs: Mapping[str, str]  # a module that is a belief -> the belief
    values: Mapping[str, Sequence[str]]  # of these modules
    noise: Mapping[str, Noise]  # of the others
    units: Mapping[str, str]  # what sigma is, of all modules that can be noisy; an executor's own too

    def mixed(self, tables: Tables) -> Tables:
        """The tables with their settings applied; as they are where all is predicted."""
        if all(how == PREDICTED for how in tables.settings.values()):
            return tables
        mixed = {
            name: self.mixture(scene, tables.truth[name], tables.settings, tables.seed)
            for name, scene in tables.views.items()
        }
        views = {name: m.scene for name, m in mixed.items()}
        return replace(tables, views=views, rows={name: m.rows for name, m in mixed.items()})

    def mixture(self, predicted: Scene, gt: Scene, settings: Mapping[str, Setting], seed: int = 0) -> Mixed:
        """The table of a cell of the grid: modules that `settings` calls "truth" are true, those with a number true with noise of
        that size, the others as predicted."""
        true = [m for m in self.table if settings.get(m, PREDICTED) != PREDICTED]
        scene, rows = self.substitute(predicted, gt, true, seed)
        for module in true:
            if isinstance(sigma := settings[module], str):
                continue
            if module == "detection":
                gone = lost(scene.image, len(rows), sigma, seed, module)
                rows = tuple(row for row, away in zip(rows, gone) if not away)
            scene = self.noisy(scene, module, sigma, seed)
        return Mixed(scene, rows)

    def substitute(self, predicted: Scene, gt: Scene, modules: Sequence[str], seed: int = 0) -> Mixed:
        """`predicted` with those of `table` taken from `gt` on matched things.

        detection: the rows are exactly the true ones, in their order: false positives vanish, and a missed thing returns with
        nothing known of what is not named. depth: the distance along the optical axis; position has it too. With all modules named
        the table says what `gt` says."""
        here, true_of = self.paired(predicted, gt, modules)
        pairs: list[tuple[int | None, int | None]] = [(i, true_of.get(i)) for i in range(len(here))]
        if "detection" in modules:
            predicted_of = {j: i for i, j in true_of.items()}
            pairs = [(predicted_of.get(j), j) for j in range(len(gt))]
        draws = rng(seed, f"missed things/{gt.image}").random((len(gt), 3))
        rows = []
        for i, j in pairs:
            true = None if j is None else gt.objects[j]
            if i is None:
                name = true.value(self.beliefs["shape"]) if "shape" in modules else ""
                before = self.missed(name, here, draws[j])
            else:
                before = here.objects[i]
                if true is not None and "depth" in modules and "position" not in modules:
                    before = self.at_depth(before, here, gt, true)
            rows.append(Row(i, j, before, before if true is None else self.with_truth(before, true, modules)))
        return Mixed(self.joined(here, gt, rows, modules), tuple(j for _, j in pairs))

    def noisy(self, scene: Scene, module: str, sigma: float, seed: int = 0) -> Scene:
        """The table with noise of size `sigma`, in `units`, in one module; InputError for one that is none of a table."""
        stream = {"frame": "camera"}.get(module, module)  # both turn the viewer's axes
        random = rng(seed, f"noise/{stream}/{scene.image}")
        if module == "detection":
            return scene.kept(np.flatnonzero(random.random(len(scene)) >= sigma).tolist())
        if module in self.beliefs:
            return self._changed(scene, module, sigma, random)
        if module not in self.noise:
            raise InputError(f"there is no noise in {module!r}; known: {', '.join(self.units)}")
        return self.noise[module](scene, sigma, random)

    def _changed(self, scene: Scene, module: str, sigma: float, random: np.random.Generator) -> Scene:
        """The table in which a share `sigma` of the things is surely said to be something else."""
        changed, other = random.random(len(scene)) < sigma, random.random(len(scene))
        belief, objects = self.beliefs[module], list(scene.objects)
        for k in np.flatnonzero(changed).tolist():
            if belief in objects[k].beliefs:
                others = [v for v in self.values[module] if v != objects[k].value(belief)]
                beliefs = {**objects[k].beliefs, belief: {others[int(other[k] * len(others))]: 1.0}}
                objects[k] = self.fitted(replace(objects[k], beliefs=beliefs), [module])
        return replace(scene, objects=tuple(objects))

    # --- what worlds do otherwise

    def paired(self, predicted: Scene, gt: Scene, modules: Sequence[str]) -> tuple[Scene, Mapping[int, int]]:
        """The predicted table, with what is true of it as a whole, and the matches: its row -> true row."""
        return predicted, match(predicted, gt)

    def missed(self, name: str, here: Scene, draws: Array) -> ObjectState:
        """A thing of which nothing is known but that it exists, and its name unless that is "". `draws`: three of [0, 1)."""
        raise NotImplementedError

    def at_depth(self, state: ObjectState, here: Scene, gt: Scene, true: ObjectState) -> ObjectState:
        """The thing as deep as it truly is; its doubt across its ray stays."""
        raise NotImplementedError

    def fitted(self, state: ObjectState, modules: Sequence[str]) -> ObjectState:
        """The state with what follows from the named beliefs, which are new."""
        return state

    def with_truth(self, state: ObjectState, true: ObjectState, modules: Sequence[str]) -> ObjectState:
        """The state with the named modules of the true one; of what is true no doubt is left."""
        beliefs, covariance = dict(state.beliefs), np.array(state.covariance, float)
        for module, belief in self.beliefs.items():
            if module in modules and belief in true.beliefs:
                beliefs[belief] = true.beliefs[belief]
            elif module in modules:
                beliefs.pop(belief, None)
        state = self.fitted(replace(state, beliefs=beliefs), modules)
        if "size" in modules and ("size" not in self.beliefs or "shape" in modules):
            state = replace(state, extent=true.extent)
        if "position" in modules:
            covariance[:2] = covariance[:, :2] = 0.0
            state = replace(state, position=true.position)
        if "heading" in modules:
            covariance[2] = covariance[:, 2] = 0.0
            state = replace(state, heading=true.heading, flip=0.0)
        if "detection" in modules:
            state = replace(state, existence=1.0, box=true.box)
        return replace(state, covariance=as_tuples(covariance))

    def joined(self, here: Scene, gt: Scene, rows: Sequence[Row], modules: Sequence[str]) -> Scene:
        """The table of the rows."""
        return replace(here, objects=tuple(row.state for row in rows), occluders=None)

    def anything(self) -> dict[str, dict[str, float]]:
        """Beliefs for which all values are alike."""
        known = {belief: self.values[module] for module, belief in self.beliefs.items()}
        return {belief: dict.fromkeys(values, 1 / len(values)) for belief, values in known.items()}


def somewhere(
    beliefs: Mapping[str, Mapping[str, float]], size: tuple[float, float, float], places: Array, draws: Array
) -> ObjectState:
    """A thing that stands anywhere between `places` (k, 2), any way round. `draws`: three of [0, 1)."""
    low, high = places.min(0), places.max(0)
    x, y = (low + draws[:2] * (high - low)).tolist()
    return ObjectState(beliefs, (x, y, size[2] / 2), 2 * math.pi * float(draws[2]), size)


def across_ray(covariance: Sequence[Sequence[float]], ahead: Array) -> tuple[tuple[float, ...], ...]:
    """A covariance (3, 3) without what lies along the way `ahead` (2,) on the ground; all of it where there is no way."""
    across = np.eye(3)
    if (square := float(ahead @ ahead)) > 0:
        across[:2, :2] -= np.outer(ahead, ahead) / square
    return as_tuples(across @ np.array(covariance, float) @ across)


def lost(image: str, count: int, sigma: float, seed: int = 0, what: str = "parsing") -> list[bool]:
    """Of `count` programs on an image, or rows of its table ("detection"), which are lost."""
    return (rng(seed, f"noise/{what}/{image}").random(count) < sigma).tolist()


def placed(scene: Scene, positions: Array) -> Scene:
    """The table with its things at these positions (n, 3)."""
    states = zip(scene.objects, positions.tolist(), strict=True)
    return replace(scene, objects=tuple(replace(o, position=tuple(p)) for o, p in states))


def shifted(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """Noise in the positions on the ground."""
    steps = np.zeros((len(scene), 3))
    steps[:, :2] = sigma * random.normal(size=(len(scene), 2))
    return placed(scene, scene.positions + steps)


def turned(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """Noise in the headings, degrees."""
    turns = math.radians(sigma) * random.normal(size=len(scene))
    objects = (replace(o, heading=float(wrap_angle(o.heading + t))) for o, t in zip(scene.objects, turns))
    return replace(scene, objects=tuple(objects))


def resized(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """Noise in the logarithm of each length; centres stay."""
    extents = scene.extents * np.exp(sigma * random.normal(size=(len(scene), 3)))
    states = zip(scene.objects, extents.tolist())
    return replace(scene, objects=tuple(replace(o, extent=tuple(e)) for o, e in states))


def axes_turned(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """Noise in where the viewer's axes point, degrees."""
    return replace(scene, axes=rotated(scene.axes, math.radians(sigma) * float(random.normal())))
