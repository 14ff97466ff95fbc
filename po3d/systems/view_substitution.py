"""Tables of pictures with some modules true, or true with noise: `po3d.systems.substitution` for views that each have
a camera of their own, in metres (3DSRBench, SCOPE).

A picture's table lives in the world of its camera, so it is first carried to where the true camera stands and looks;
that is no module, nobody can see it. What remains is

    camera      which way is up, and how high the camera is: true, all things keep their places before the camera
    position    the centres of the boxes
    depth       how far along its ray a centre is; position has it too
    size        of boxes whose centres stay

Rows are paired by their places before the camera and their names (`po3d.benchmarks.metrics.match_in_view`), always as predicted, so
every subset of modules has the same pairs.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from po3d.benchmarks.metrics import match_in_view
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.perception.room_furnishing import usual
from po3d.scene.camera import carried, held, hold_of, reheld
from po3d.scene.fusion import Fused, View, joined
from po3d.scene.geometry import Array, Camera
from po3d.scene.orbit import sense_of
from po3d.scene.registration import Placed, rotation
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS
from po3d.scene.table import ObjectState, Scene
from po3d.synthesis.orbit.catalogue import things
from po3d.systems.noise import changed_values, lost, resized
from po3d.systems.noise import noisy as street_noisy
from po3d.systems.pipeline import PREDICTED, Tables
from po3d.systems.room_substitution import with_truth
from po3d.systems.substitution import across_ray, paired, truly_posed

# A module that is a belief -> the belief. "shape" is called as elsewhere: what a thing is.
BELIEFS = {"shape": "name", "color": "color", "material": "material"}
VALUES = {"shape": tuple(sorted({*CATEGORIES, *things()})), "color": COLORS, "material": MATERIALS}
TABLE = ("detection", *BELIEFS, "size", "position", "depth", "heading", "camera")
UNITS: dict[str, str] = {
    "detection": "share of things missed",
    "shape": "share of names changed",
    "color": "share of values changed",
    "material": "share of values changed",
    "size": "logarithm of each length",
    "position": "metres, each axis",
    "depth": "share of the depth",
    "heading": "degrees",
    "camera": "degrees of pitch and of roll",
    "parsing": "share of texts not read",
}


class Mixed(NamedTuple):
    """A table, and of each of its rows the row of the true table that it is; None for one that is none."""

    scene: Scene
    rows: tuple[int | None, ...]


def substitute(predicted: Scene, gt: Scene, modules: Sequence[str], seed: int = 0) -> Mixed:
    """`predicted`, carried to the true camera, with those of TABLE taken from `gt` on matched things.

    detection: the things are exactly the true ones, in their order; a missed one returns with nothing known of what is
    not named: every name alike, the usual size of its name, somewhere among the other things, any way round, drawn from
    (seed, picture). With all modules named the table says what `gt` says. InputError for tables without their cameras."""
    if predicted.camera is None or gt.camera is None:
        raise InputError(
            f"the table of {predicted.image or 'a picture'} has no camera to compare it with the truth by"
        )
    here = carried(predicted, gt.camera)
    before_camera = reheld(here, gt.camera)
    matches = match_in_view(before_camera, gt, gt.camera.position)
    rows = paired(matches, here, gt, "detection" in modules)
    if "camera" in modules:
        here = replace(before_camera, axes=gt.axes)
    draws = rng(seed, f"missed things/{gt.image}").random((len(gt), 3))
    objects = []
    for i, j in rows:
        true = None if j is None else gt.objects[j]
        if i is None:
            state = _missed(true.value("name") if "shape" in modules else "", here, draws[j])
        else:
            state = here.objects[i]
            if true is not None and "depth" in modules and "position" not in modules:
                state = _at_depth(state, here.camera, float(gt.camera.project(true.position)[1]))
        if true is not None:
            state = truly_posed(with_truth(state, true, modules), true, modules)
        objects.append(state)
    scene = replace(here, objects=tuple(objects), occluders=None)
    return Mixed(scene, tuple(j for _, j in rows))


def noisy(mixed: Mixed, module: str, sigma: float, seed: int = 0) -> Mixed:
    """The table with noise of size `sigma`, in UNITS, in one module."""
    scene, random = mixed.scene, rng(seed, f"noise/{module}/{mixed.scene.image}")
    if module == "detection":
        gone = lost(scene.image, len(scene), sigma, seed, module)
        kept = [k for k, away in enumerate(gone) if not away]
        objects = tuple(scene.objects[k] for k in kept)
        return Mixed(replace(scene, objects=objects), tuple(mixed.rows[k] for k in kept))
    if module == "heading":
        scene = street_noisy(scene, module, sigma, seed)
    elif module in BELIEFS:
        scene = changed_values(scene, BELIEFS[module], VALUES[module], sigma, random)
    elif module == "camera":
        scene = _tilted(scene, *(math.radians(sigma) * random.normal(size=2)))
    elif module == "size":
        scene = replace(scene, objects=tuple(resized(scene, sigma, random)))
    elif module == "position":
        scene = _placed(scene, scene.positions + sigma * random.normal(size=(len(scene), 3)))
    elif module == "depth":
        eye = _camera(scene).position
        factors = 1 + sigma * random.normal(size=(len(scene), 1))
        scene = _placed(scene, eye + (scene.positions - eye) * factors)
    else:
        raise InputError(f"there is no noise in {module!r}; known: {', '.join(UNITS)}")
    return Mixed(scene, mixed.rows)


def mixture(predicted: Scene, gt: Scene, settings: Mapping[str, str | float], seed: int = 0) -> Mixed:
    """The table of a cell of the grid: those of TABLE that `settings` calls "truth" are true, those with a number true
    with noise of that size, the others as predicted."""
    true = [m for m in TABLE if settings[m] != PREDICTED]
    mixed = substitute(predicted, gt, true, seed)
    for module in TABLE:
        sigma = settings[module]
        if not isinstance(sigma, str):
            mixed = noisy(mixed, module, sigma, seed)
    return mixed


def mixed_views(tables: Tables) -> Tables:
    """The tables of pictures with their settings applied; as they are where all is predicted."""
    if all(how == PREDICTED for how in tables.settings.values()):
        return tables
    settings = {m: tables.how(m) for m in TABLE}
    mixed = {
        name: mixture(scene, tables.truth[name], settings, tables.seed)
        for name, scene in tables.views.items()
    }
    views = {name: m.scene for name, m in mixed.items()}
    return replace(tables, views=views, rows={name: m.rows for name, m in mixed.items()})


def truly_fused(
    tables: Sequence[Mixed], true: Sequence[Scene], angles: Sequence[float], whole: Scene
) -> Fused:
    """Views of one orbit made one as they truly lie, each thing of those rows that truly are it; the world is that of the
    first. `true`: what each view shows, in the world whose origin is the orbit's middle and whose camera stands at -y;
    `angles` (degrees) of the cameras; `whole`: the table of all things, the world that of the camera of 0 degrees."""
    yaws = [sense_of(whole.axes) * math.radians(angle) for angle in angles]
    placed = [Placed(yaw - yaws[0], (0.0, 0.0), {}, 0.0) for yaw in yaws]
    groups: dict[object, list[tuple[int, int]]] = {}
    for view, (mixed, shown, yaw) in enumerate(zip(tables, true, yaws, strict=True)):
        there = shown.positions[:, :2] @ rotation(yaw).T
        away = np.linalg.norm(there[:, None] - whole.positions[None, :, :2], axis=-1)
        for row, j in enumerate(mixed.rows):
            key = (view, row) if j is None else int(away[j].argmin())
            groups.setdefault(key, []).append((view, row))
    return joined([View(m.scene) for m in tables], placed, list(groups.values()))


def _at_depth(state: ObjectState, camera: Camera, depth: float) -> ObjectState:
    """The thing where its own ray has that depth along the optical axis; its doubt across the ray stays."""
    eye, was = camera.position, float(camera.project(state.position)[1])
    if was <= 0:  # behind the camera no ray leads to it
        return state
    away = np.subtract(state.position, eye)
    there = tuple((eye + away * depth / was).tolist())
    return replace(state, position=there, covariance=across_ray(state.covariance, away[:2]))


def _missed(name: str, among: Scene, draws: Array) -> ObjectState:
    """A thing of which nothing is known but that it exists, and its name unless that is "". `draws`: three of [0, 1)."""
    beliefs = {BELIEFS[m]: dict.fromkeys(VALUES[m], 1 / len(VALUES[m])) for m in BELIEFS}
    places = among.positions[:, :2] if len(among) else _camera(among).position[None, :2]
    low, high = places.min(0), places.max(0)
    x, y = (low + draws[:2] * (high - low)).tolist()
    size = _usual_size(name)
    variances = np.diag([*(np.maximum(high - low, 1e-3) ** 2 / 12), math.pi**2 / 3])
    return ObjectState(
        beliefs, (x, y, size[2] / 2), 2 * math.pi * float(draws[2]), size,
        tuple(map(tuple, variances.tolist())), 0.5,
    )  # fmt: skip


@functools.cache
def _usual_size(name: str) -> tuple[float, float, float]:
    """(depth, width, height) of such things, metres."""
    if name in CATEGORIES or name not in things():
        return usual(name)[0]
    return things()[name].extent


def _tilted(scene: Scene, pitch: float, roll: float) -> Scene:
    """The table whose camera is believed to be held otherwise by these angles (radians)."""
    camera = _camera(scene)
    hold = hold_of(camera)
    hold = hold._replace(pitch=hold.pitch + pitch, roll=hold.roll + roll)
    ground = tuple(camera.position[:2].tolist())
    pose = held(hold, camera.width, camera.height, camera.focal, ground).cam_T_world
    return reheld(scene, replace(camera, cam_T_world=pose))


def _placed(scene: Scene, positions: Array) -> Scene:
    states = zip(scene.objects, positions.tolist(), strict=True)
    return replace(scene, objects=tuple(replace(o, position=tuple(p)) for o, p in states))


def _camera(scene: Scene) -> Camera:
    if scene.camera is None:
        raise InputError("the table has no camera")
    return scene.camera
