"""Scenes of rooms with some modules replaced by ground truth, exact or noisy.

Size and position of an object may come from different scenes. Its height is that of its underside,
so that it still stands on the object that supports it in the scene of its position. The module
"shape" is the name, "floor" the outline. A missed object has the usual size of its name and a
random position on the floor.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from po3d.benchmarks.metrics import match
from po3d.perception.room_furnishing import usual
from po3d.scene.edits import support
from po3d.scene.geometry import Array
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS, STATES
from po3d.scene.table import ObjectState, Scene
from po3d.systems.oracle import (
    SHARED,
    Module,
    OracleModules,
    SubstitutedRow,
    attribute,
    axes_turned,
    position,
    resized,
    shifted,
    somewhere,
)

# Row of the supporting object, and its state before the change.
Base = tuple[int, ObjectState] | None


def _resized(scene: Scene, sigma: float, random: np.random.Generator) -> Scene:
    below = []
    for k in support(scene.objects):
        below.append(None if k is None else (k, scene.objects[k]))
    states = resized(scene, sigma, random).objects
    return replace(scene, objects=tuple(_standing(states, scene.objects, below)))


def _paired(predicted: Scene, gt: Scene, modules: Sequence[str]) -> tuple[Scene, Mapping[int, int]]:
    outline = gt.outline if "floor" in modules else predicted.outline
    return replace(predicted, outline=outline), match(predicted, gt)


def _missed(
    beliefs: dict[str, dict[str, float]], name: str, here: Scene, draws: Array
) -> ObjectState:
    beliefs = dict(beliefs)
    beliefs.pop("state", None)
    corners = np.array(here.outline or here.positions[:, :2], float).reshape(-1, 2)
    places = corners if len(corners) else np.zeros((1, 2))
    return somewhere(beliefs, usual(name)[0], places, draws)


def _joined(
    here: Scene, gt: Scene, rows: Sequence[SubstitutedRow], modules: Sequence[str]
) -> Scene:
    true = "position" in modules
    stood = []
    for row in rows:
        stood.append(gt.objects[row.true] if true and row.true is not None else row.before)
    states = _standing([row.state for row in rows], stood, _below(here, gt, rows, true))
    return replace(here, objects=tuple(states))


def _below(predicted: Scene, gt: Scene, rows: Sequence[SubstitutedRow], true: bool) -> list[Base]:
    """Return each row's supporting object, in the scene that provides its position; None if there
    is none, or it has no row."""
    row_of: tuple[dict, dict] = ({}, {})
    for k, row in enumerate(rows):
        row_of[0][row.predicted], row_of[1][row.true] = k, k
    supports = (support(predicted.objects), support(gt.objects))
    bases: list[Base] = []
    for row in rows:
        side = int(true and row.true is not None)
        base = None if row[side] is None else supports[side][row[side]]
        known = base is not None and base in row_of[side]
        bases.append((row_of[side][base], (predicted, gt)[side].objects[base]) if known else None)
    return bases


def _standing(
    states: Sequence[ObjectState], stood: Sequence[ObjectState], below: Sequence[Base]
) -> list[ObjectState]:
    """Move the states vertically to where they `stood`: each underside at its old height, or at its
    old height above the top of the supporting object. Equal sizes give exactly equal heights."""
    placed = list(states)
    for k in sorted(
        range(len(placed)), key=lambda k: stood[k].position[2] - stood[k].extent[2] / 2
    ):
        state, was, base = placed[k], stood[k], below[k]
        z = was.position[2] + (state.extent[2] - was.extent[2]) / 2
        if base is not None:
            z += _top(placed[base[0]]) - _top(base[1])
        placed[k] = replace(state, position=(*state.position[:2], z))
    return placed


def _top(state: ObjectState) -> float:
    return state.position[2] + state.extent[2] / 2


ROOM_TABLES = OracleModules(
    {
        "detection": SHARED["detection"],
        "shape": attribute("name", CATEGORIES, "fraction of names changed"),
        "color": attribute("color", COLORS),
        "material": attribute("material", MATERIALS),
        "state": attribute("state", STATES, unit=""),
        "size": Module("logarithm of each length", _resized, fields=("extent",)),
        "position": position("metres, each ground axis", shifted),
        "heading": SHARED["heading"],
        "floor": Module(),
        "frame": Module("degrees of the frame's axes", axes_turned, of_scene=False),
        "edit": Module("fraction of changes lost", of_scene=False),
        "parsing": SHARED["parsing"],
    },
    missed=_missed,
    paired=_paired,
    joined=_joined,
)
