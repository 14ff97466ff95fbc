"""Module substitution for ablations: replace perception modules by ground truth, noisy or not.

    predicted ──► rows paired with true ones ──► named modules taken from these ──► noise

Each domain has a table of its modules (`street`, `rooms`, `views`): a row says which part of the
truth replaces which predicted one, and how noise degrades it. Functions beside the table pair the
rows of the two scenes and keep them consistent. `grid` answers the combinations of an oracle grid.

Noise degrades a true scene by a known amount: the effect of a degree, a centimetre or a wrong
colour. A module's draws depend on (seed, module, image) and are only scaled by sigma, so that a
curve over sigma is smooth. The noise is not added to the scene's uncertainty, so the executor does
not account for it.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from po3d.benchmarks.metrics import match
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.reasoning.questions import Question
from po3d.scene.geometry import Array, as_tuples, wrap_angle
from po3d.scene.orbit import rotated
from po3d.scene.table import ObjectState, Scene
from po3d.systems.image_scenes import PREDICTED, ImageScenes, Setting

Noise = Callable[[Scene, float, np.random.Generator], Scene]  # (scene, sigma, generator) -> scene


class SubstitutedScene(NamedTuple):
    """A scene, and the true row of each of its rows; None for a row without a match."""

    scene: Scene
    rows: tuple[int | None, ...]


class SubstitutedRow(NamedTuple):
    """One row of a mixed scene."""

    predicted: int | None  # the predicted row; None for a missed object
    true: int | None  # the matched true row; None without a match
    before: ObjectState  # before substitution
    state: ObjectState


class Module(NamedTuple):
    """A row of a domain's table: a part of scenes or of execution that can be ground truth.

    If it is true, the probabilities of the attribute `belief` and the `fields` of each object are
    the true ones, and the covariances of `poses` (0, 1: x and y; 2: heading) are zero."""

    unit: str = ""  # of sigma, the size of the noise; "" without a noise model
    noise: Noise | None = None  # of a belief: another one of its `values`
    belief: str = ""
    values: Sequence[str] = ()
    fields: tuple[str, ...] = ()
    poses: tuple[int, ...] = ()
    of_scene: bool = True  # false: of execution or parsing


def attribute(
    belief: str, values: Sequence[str], unit: str = "fraction of values changed"
) -> Module:
    """Return the row of an attribute with these values."""
    return Module(unit, belief=belief, values=tuple(values))


def position(unit: str, noise: Noise) -> Module:
    """Return the row of the positions of objects."""
    return Module(unit, noise, fields=("position",), poses=(0, 1))


def _paired(predicted: Scene, gt: Scene, modules: Sequence[str]) -> tuple[Scene, Mapping[int, int]]:
    return predicted, match(predicted, gt)


def _unchanged(state: ObjectState, modules: Sequence[str]) -> ObjectState:
    return state


def _joined(
    here: Scene, gt: Scene, rows: Sequence[SubstitutedRow], modules: Sequence[str]
) -> Scene:
    return replace(here, objects=tuple(row.state for row in rows), occluders=None)


@dataclass(frozen=True)
class OracleModules:
    """Module substitution for the scenes of one domain: its table, and functions."""

    rows: Mapping[str, Module]  # in the order in which noise is applied
    # (uniform beliefs, name, scene, three numbers in [0, 1)) -> a missed object: it exists, nothing
    # else is known, except for its name unless that is "".
    missed: Callable[[dict[str, dict[str, float]], str, Scene, Array], ObjectState]
    # (object, scene, true scene, true object) -> the object at its true depth; its covariance
    # across the ray is kept.
    at_depth: Callable[[ObjectState, Scene, Scene, ObjectState], ObjectState] | None = None
    # (predicted scene, true scene, modules) -> the predicted scene, with modules of the whole scene
    # (outline, axes) from the truth, and the matches: predicted row -> true row.
    paired: Callable[[Scene, Scene, Sequence[str]], tuple[Scene, Mapping[int, int]]] = _paired
    # (object, modules) -> the object with what follows from these replaced beliefs.
    fitted: Callable[[ObjectState, Sequence[str]], ObjectState] = _unchanged
    # (scene, true scene, rows, modules) -> the scene of the rows.
    joined: Callable[[Scene, Scene, Sequence[SubstitutedRow], Sequence[str]], Scene] = _joined

    def with_modules(self, **rows: Module) -> "OracleModules":
        """Return the table with these rows added before parsing."""
        own = dict(self.rows)
        parsing = own.pop("parsing")
        return replace(self, rows={**own, **rows, "parsing": parsing})

    @cached_property
    def table(self) -> tuple[str, ...]:
        """The modules of scenes."""
        return tuple(self._filled("of_scene"))

    @cached_property
    def beliefs(self) -> dict[str, str]:
        """The attribute of each module that is one."""
        return self._filled("belief")

    @cached_property
    def units(self) -> dict[str, str]:
        """The unit of sigma for each module with noise."""
        return self._filled("unit")

    def _filled(self, field: str) -> dict[str, Any]:
        values = {}
        for name, row in self.rows.items():
            if value := getattr(row, field):
                values[name] = value
        return values

    def mixed(self, tables: ImageScenes) -> ImageScenes:
        """Return the scenes with the modules of `tables.settings` replaced by ground truth, noisy
        if the setting is a number; unchanged if all modules are predicted."""
        if all(setting == PREDICTED for setting in tables.settings.values()):
            return tables
        mixed = {}
        for name, scene in tables.views.items():
            mixed[name] = self.mixture(scene, tables.truth[name], tables.settings, tables.seed)
        views = {name: m.scene for name, m in mixed.items()}
        return replace(tables, views=views, rows={name: m.rows for name, m in mixed.items()})

    def mixture(
        self, predicted: Scene, gt: Scene, settings: Mapping[str, Setting], seed: int = 0
    ) -> SubstitutedScene:
        """Return the scene of a grid cell. In `settings`, "truth" makes a module true, a number
        makes it true with noise of that size; the others are predicted."""
        true = []
        for m in self.table:
            if settings.get(m, PREDICTED) != PREDICTED:
                true.append(m)
        scene, rows = self.substitute(predicted, gt, true, seed)
        for module in true:
            if isinstance(sigma := settings[module], str):
                continue
            if module == "detection":
                gone = lost(scene.image, len(rows), sigma, seed, module)
                rows = tuple(itertools.compress(rows, np.logical_not(gone)))
            scene = self.noisy(scene, module, sigma, seed)
        return SubstitutedScene(scene, rows)

    def substitute(
        self, predicted: Scene, gt: Scene, modules: Sequence[str], seed: int = 0
    ) -> SubstitutedScene:
        """Return `predicted` with the named modules of matched objects taken from `gt`.

        detection: the rows are exactly the true ones, in their order. False positives vanish; a
        missed object is added, without any information on the modules that are not named. depth:
        the distance along the optical axis; position includes it. With all modules named the result
        equals `gt`."""
        here, true_of = self.paired(predicted, gt, modules)
        pairs: list[tuple[int | None, int | None]] = []
        for i in range(len(here)):
            pairs.append((i, true_of.get(i)))
        if "detection" in modules:
            predicted_of = {j: i for i, j in true_of.items()}
            pairs = [(predicted_of.get(j), j) for j in range(len(gt))]
        draws = rng(seed, f"missed things/{gt.image}").random((len(gt), 3))
        rows = []
        for i, j in pairs:
            true = None if j is None else gt.objects[j]
            if i is None:
                name = true.value(self.beliefs["shape"]) if "shape" in modules else ""
                before = self.missed(self.anything(), name, here, draws[j])
            else:
                before = here.objects[i]
                if true is not None and "depth" in modules and "position" not in modules:
                    before = self.at_depth(before, here, gt, true)
            rows.append(
                SubstitutedRow(
                    i, j, before, before if true is None else self.with_truth(before, true, modules)
                )
            )
        return SubstitutedScene(self.joined(here, gt, rows, modules), tuple(j for _, j in pairs))

    def noisy(self, scene: Scene, module: str, sigma: float, seed: int = 0) -> Scene:
        """Return the scene with noise of size `sigma` (in `units`) in one module; InputError if the
        scene has no such module."""
        stream = {"frame": "camera"}.get(module, module)  # both rotate the viewer's axes
        random = rng(seed, f"noise/{stream}/{scene.image}")
        if module == "detection":
            return scene.subset(np.flatnonzero(random.random(len(scene)) >= sigma).tolist())
        if module in self.beliefs:
            return self._changed(scene, module, sigma, random)
        noise = self.rows[module].noise if module in self.rows else None
        if noise is None:
            raise InputError(f"{module!r} has no noise model; known: {', '.join(self.units)}")
        return noise(scene, sigma, random)

    def _changed(
        self, scene: Scene, module: str, sigma: float, random: np.random.Generator
    ) -> Scene:
        """Set the belief of a share `sigma` of the objects to another value, with probability 1."""
        changed, other = random.random(len(scene)) < sigma, random.random(len(scene))
        belief, objects = self.beliefs[module], list(scene.objects)
        for k in np.flatnonzero(changed).tolist():
            if belief in objects[k].beliefs:
                others = []
                for v in self.rows[module].values:
                    if v != objects[k].value(belief):
                        others.append(v)
                beliefs = {**objects[k].beliefs, belief: {others[int(other[k] * len(others))]: 1.0}}
                objects[k] = self.fitted(replace(objects[k], beliefs=beliefs), [module])
        return replace(scene, objects=tuple(objects))

    def with_truth(
        self, state: ObjectState, true: ObjectState, modules: Sequence[str]
    ) -> ObjectState:
        """Replace the named modules by ground truth and set their uncertainty to zero."""
        beliefs, fields = dict(state.beliefs), {}
        covariance = np.array(state.covariance, float)
        for row in map(self.rows.__getitem__, modules):
            if row.belief in true.beliefs:
                beliefs[row.belief] = true.beliefs[row.belief]
            else:
                beliefs.pop(row.belief, None)
            for k in row.poses:
                covariance[k] = covariance[:, k] = 0.0
            for field in row.fields:
                fields[field] = getattr(true, field)
        state = self.fitted(replace(state, beliefs=beliefs), modules)
        return replace(state, covariance=as_tuples(covariance), **fields)

    def anything(self) -> dict[str, dict[str, float]]:
        """Return uniform beliefs over the values of each attribute, for unmatched objects."""
        result = {}
        for name, belief in self.beliefs.items():
            values = self.rows[name].values
            result[belief] = dict.fromkeys(values, 1 / len(values))
        return result


def checked_noise(noise: Mapping[str, float], rows: Mapping[str, Module]) -> dict[str, float]:
    """Return the noise of modules in the order of the table; InputError for a module without noise
    or an invalid size."""
    result = {}
    for name, size in noise.items():
        result[{"colour": "color"}.get(name, name)] = size
    known = [name for name, row in rows.items() if row.unit]
    for name, size in result.items():
        if name not in known:
            raise InputError(
                f"noise={{{name}: ...}}: no noise model for this module; known: {', '.join(known)}"
            )
        number = isinstance(size, int | float) and not isinstance(size, bool)
        if not number or not 0 <= size < float("inf"):
            raise InputError(
                f"noise={{{name}: {size!r}}} should be a non-negative number ({rows[name].unit})"
            )
    return {name: result[name] for name in known if name in result}


def checked_modules(names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the names in the order of `known`, with "colour" accepted for "color"; InputError for
    an unknown module."""
    wanted = {{"colour": "color"}.get(name, name) for name in names}
    if unknown := sorted(wanted - set(known)):
        raise InputError(f"oracle={unknown[0]!r} is not a module; known: {', '.join(known)}")
    result = []
    for name in known:
        if name in wanted:
            result.append(name)
    return tuple(result)


def somewhere(
    beliefs: Mapping[str, Mapping[str, float]],
    size: tuple[float, float, float],
    places: Array,
    draws: Array,
) -> ObjectState:
    """Return an object at a uniform position in the bounding box of `places` (k, 2), with a uniform
    heading. `draws`: three numbers in [0, 1)."""
    low, high = places.min(0), places.max(0)
    x, y = (low + draws[:2] * (high - low)).tolist()
    return ObjectState(beliefs, (x, y, size[2] / 2), 2 * math.pi * float(draws[2]), size)


def across_ray(
    covariance: Sequence[Sequence[float]], ahead: Array
) -> tuple[tuple[float, ...], ...]:
    """Project a covariance (3, 3) onto the complement of the ground direction `ahead` (2,);
    unchanged if that is zero."""
    across = np.eye(3)
    if (square := float(ahead @ ahead)) > 0:
        across[:2, :2] -= np.outer(ahead, ahead) / square
    return as_tuples(across @ np.array(covariance, float) @ across)


def lost(image: str, count: int, sigma: float, seed: int = 0, what: str = "parsing") -> list[bool]:
    """Whether noise removes each of the `count` programs on an image or, with "detection", rows of
    its scene."""
    return (rng(seed, f"noise/{what}/{image}").random(count) < sigma).tolist()


def lost_texts(module: str, questions: Sequence[Question], sigma: float, seed: int) -> list[bool]:
    """Whether noise of size `sigma` removes the text (module "parsing") or change ("edit") of each
    question on one image; equal texts are removed together."""
    changes = [q.change for q in questions]
    texts: list = changes
    if module == "parsing":
        texts = [(q.text, q.task, change) for q, change in zip(questions, changes)]
    name = questions[0].image
    each = list(dict.fromkeys(texts))
    gone = dict(
        zip(each, lost(f"changes of {name}" if module == "edit" else name, len(each), sigma, seed))
    )
    return [bool(text) and gone[text] for text in texts]


def placed(scene: Scene, positions: Array) -> Scene:
    """Return the scene with its objects at these positions (n, 3)."""
    states = zip(scene.objects, positions.tolist(), strict=True)
    return replace(scene, objects=tuple(replace(o, position=tuple(p)) for o, p in states))


def shifted(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """Add Gaussian noise to the positions on the ground."""
    steps = np.zeros((len(scene), 3))
    steps[:, :2] = sigma * random.normal(size=(len(scene), 2))
    return placed(scene, scene.positions + steps)


def turned(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """Add Gaussian noise to the headings; `sigma` in degrees."""
    turns = math.radians(sigma) * random.normal(size=len(scene))
    objects = []
    for o, turn in zip(scene.objects, turns):
        objects.append(replace(o, heading=float(wrap_angle(o.heading + turn))))
    return replace(scene, objects=tuple(objects))


def resized(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """Add Gaussian noise to the logarithm of each length; centres are kept."""
    extents = scene.extents * np.exp(sigma * random.normal(size=(len(scene), 3)))
    states = zip(scene.objects, extents.tolist())
    return replace(scene, objects=tuple(replace(o, extent=tuple(e)) for o, e in states))


def axes_turned(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """Rotate the viewer's axes by Gaussian noise; `sigma` in degrees."""
    return replace(scene, axes=rotated(scene.axes, math.radians(sigma) * float(random.normal())))


# The rows that all domains share.
SHARED = {
    "detection": Module("fraction of objects missed", fields=("existence", "box")),
    "heading": Module("degrees", turned, fields=("heading", "flip"), poses=(2,)),
    "parsing": Module("fraction of programs lost", of_scene=False),
}
