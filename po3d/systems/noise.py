"""True tables made worse by a known amount: what a degree, a centimetre or a wrong colour is worth.

A quantity's noise draws from (seed, quantity, image) and only scales with sigma, so that a curve over sigma is smooth.
The executor is not told of it: the table stays as sure of itself as it was.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.systems.substitution import at_depth, fitted

UNITS: dict[str, str] = {
    "position": "scene units, each ground axis",
    "depth": "share of the depth",
    "heading": "degrees",
    "detection": "share of objects missed",
    **dict.fromkeys(ATTRIBUTES, "share of values changed"),
    "occlusion": "share of occluders changed",
    "camera": "degrees of the viewer's axes",
    "parsing": "share of programs lost",
}


def noisy(scene: Scene, quantity: str, sigma: float, seed: int = 0) -> Scene:
    """The scene with noise of size `sigma`, in UNITS, in one quantity; InputError for one that is none of a table."""
    random = rng(seed, f"noise/{quantity}/{scene.image}")
    if quantity in ATTRIBUTES:
        changed = changed_values(scene, quantity, ATTRIBUTES[quantity], sigma, random)
        if quantity not in ("shape", "size"):
            return changed
        return _with_objects(
            scene, [o if o is was else fitted(o) for o, was in zip(changed.objects, scene.objects)]
        )
    if quantity not in _NOISE:
        raise InputError(f"there is no noise in {quantity!r}; known: {', '.join(UNITS)}")
    return _NOISE[quantity](scene, sigma, random)


def lost(image: str, count: int, sigma: float, seed: int = 0, what: str = "parsing") -> list[bool]:
    """Of `count` programs on an image, or rows of its table ("detection"), which are lost."""
    return (rng(seed, f"noise/{what}/{image}").random(count) < sigma).tolist()


def _with_objects(scene: Scene, objects: Sequence[ObjectState]) -> Scene:
    return replace(scene, objects=tuple(objects))


def _position(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    steps = sigma * random.normal(size=(len(scene), 2))
    return _with_objects(
        scene,
        [replace(o, position=(o.position[0] + x, o.position[1] + y, o.position[2]))
         for o, (x, y) in zip(scene.objects, steps.tolist())],
    )  # fmt: skip


def _depth(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    camera = scene.camera
    if camera is None:
        raise InputError("noise in depth needs the table's camera")
    factors = 1 + sigma * random.normal(size=len(scene))
    return _with_objects(
        scene,
        [replace(o, position=at_depth(o.position, camera, float(camera.project(o.position)[1]) * f))
         for o, f in zip(scene.objects, factors.tolist())],
    )  # fmt: skip


def _heading(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    turns = math.radians(sigma) * random.normal(size=len(scene))
    return _with_objects(
        scene, [replace(o, heading=float(wrap_angle(o.heading + t))) for o, t in zip(scene.objects, turns)]
    )


def _detection(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    kept = np.flatnonzero(random.random(len(scene)) >= sigma).tolist()
    new = {old: k for k, old in enumerate(kept)}
    occluders = None
    if scene.occluders is not None:
        occluders = tuple({new[j]: p for j, p in scene.occluders[i].items() if j in new} for i in kept)
    return replace(scene, objects=tuple(scene.objects[i] for i in kept), occluders=occluders)


def changed_values(
    scene: Scene, belief: str, values: Sequence[str], sigma: float, random: np.random.Generator
) -> Scene:
    """The scene in which a share `sigma` of the things is surely said to be something else of `values`."""
    changed, other = random.random(len(scene)) < sigma, random.random(len(scene))
    objects = list(scene.objects)
    for k in np.flatnonzero(changed).tolist():
        if belief in objects[k].beliefs:
            others = [v for v in values if v != objects[k].value(belief)]
            value = others[int(other[k] * len(others))]
            objects[k] = replace(objects[k], beliefs={**objects[k].beliefs, belief: {value: 1.0}})
    return _with_objects(scene, objects)


def resized(scene: Scene, sigma: float, random: np.random.Generator) -> list[ObjectState]:
    """The things with the logarithm of each length changed."""
    extents = scene.extents * np.exp(sigma * random.normal(size=(len(scene), 3)))
    return [replace(o, extent=tuple(e)) for o, e in zip(scene.objects, extents.tolist())]


def _occlusion(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    """A changed object that was hidden is not any more; one that was not gets a hider."""
    n = len(scene)
    if scene.occluders is None or n < 2:
        return scene
    changed, other = random.random(n) < sigma, random.random(n)
    occluders = []
    for i, belief in enumerate(scene.occluders):
        if changed[i]:
            others = [j for j in range(n) if j != i]
            belief = {} if belief else {others[int(other[i] * (n - 1))]: 1.0}
        occluders.append(belief)
    return replace(scene, occluders=tuple(occluders))


def _camera(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    turn = math.radians(sigma) * float(random.normal())
    c, s = math.cos(turn), math.sin(turn)
    return replace(scene, axes={k: (c * x - s * y, s * x + c * y) for k, (x, y) in scene.axes.items()})


_NOISE: dict[str, Callable[[Scene, float, np.random.Generator], Scene]] = {
    "position": _position,
    "depth": _depth,
    "heading": _heading,
    "detection": _detection,
    "occlusion": _occlusion,
    "camera": _camera,
}
