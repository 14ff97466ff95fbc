"""Tables of rooms with some modules true, or true with noise: `po3d.systems.substitution` and `po3d.systems.noise` for things in metres.

Where a thing stands is where its underside is: its height follows from the source of its size, and it keeps standing on
what it stands on in the table that its position comes from.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from po3d.benchmarks.metrics import match
from po3d.io.seeding import rng
from po3d.perception.room_furnishing import usual
from po3d.scene.edits import support
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS, STATES
from po3d.scene.table import ObjectState, Scene
from po3d.systems.noise import changed_values, resized
from po3d.systems.noise import noisy as street_noisy
from po3d.systems.substitution import paired

# A module that is a belief -> the belief. "shape" and "size" are called as elsewhere: what a thing is, how large it is.
BELIEFS = {"shape": "name", "color": "color", "material": "material", "state": "state"}
VALUES = {"shape": tuple(CATEGORIES), "color": COLORS, "material": MATERIALS, "state": STATES}
TABLE = ("detection", *BELIEFS, "size", "position", "heading", "floor")
MODULES = (*TABLE, "frame", "edit", "parsing")
UNITS: dict[str, str] = {
    "detection": "share of things missed",
    "shape": "share of names changed",
    "color": "share of values changed",
    "material": "share of values changed",
    "size": "logarithm of each length",
    "position": "metres, each ground axis",
    "heading": "degrees",
    "frame": "degrees of the frame's axes",
    "edit": "share of changes lost",
    "parsing": "share of programs lost",
}


def substitute(predicted: Scene, gt: Scene, modules: Sequence[str], seed: int = 0) -> Scene:
    """`predicted` with those of TABLE taken from `gt` on matched things.

    detection: the things are exactly the true ones, in their order; a missed one returns with nothing known of what is
    not named: every name alike, the usual size of its name, anywhere on the floor, any way round, drawn from (seed,
    room). shape: the name; floor: the outline. With all modules named the table says what `gt` says."""
    rows = paired(match(predicted, gt), predicted, gt, "detection" in modules)
    outline = gt.outline if "floor" in modules else predicted.outline
    corners = np.array(outline or predicted.positions[:, :2], float).reshape(-1, 2)
    low, high = (corners.min(0), corners.max(0)) if len(corners) else np.zeros((2, 2))
    draws = rng(seed, f"missed things/{gt.image}").random((len(gt), 3))
    states, stood = [], []  # and each thing as it is in the table that its position comes from
    for i, j in rows:
        true = None if j is None else gt.objects[j]
        if i is not None:
            state = predicted.objects[i]
        else:
            state = _missed(true.value("name") if "shape" in modules else "", low, high, draws[j])
        here = true if true is not None and "position" in modules else state
        states.append(replace(with_truth(state, true, modules), position=here.position))
        stood.append(here)
    below = _below(predicted, gt, rows, "position" in modules)
    return replace(predicted, objects=tuple(_standing(states, stood, below)), outline=outline)


def noisy(scene: Scene, module: str, sigma: float, seed: int = 0) -> Scene:
    """The scene with noise of size `sigma`, in UNITS, in one module of the table, or in its axes ("frame")."""
    if module in ("detection", "position", "heading", "frame"):
        return street_noisy(scene, {"frame": "camera"}.get(module, module), sigma, seed)
    random = rng(seed, f"noise/{module}/{scene.image}")
    if module == "size":
        states = resized(scene, sigma, random)
        below = [None if k is None else (k, scene.objects[k]) for k in support(scene.objects)]
        return replace(scene, objects=tuple(_standing(states, scene.objects, below)))
    return changed_values(scene, BELIEFS[module], VALUES[module], sigma, random)


def with_truth(state: ObjectState, true: ObjectState | None, modules: Sequence[str]) -> ObjectState:
    """The state with the named modules of the true one, its place aside."""
    if true is None:
        return state
    beliefs = dict(state.beliefs)
    for module, belief in BELIEFS.items():
        if module in modules and belief in true.beliefs:
            beliefs[belief] = true.beliefs[belief]
        elif module in modules:
            beliefs.pop(belief, None)
    state = replace(state, beliefs=beliefs)
    if "size" in modules:
        state = replace(state, extent=true.extent)
    if "heading" in modules:
        state = replace(state, heading=true.heading, flip=0.0)
    if "detection" in modules:
        state = replace(state, existence=1.0)
    return state


def _missed(name: str, low: np.ndarray, high: np.ndarray, draws: np.ndarray) -> ObjectState:
    """A thing of which nothing is known but that it exists, and its name unless that is "". `draws`: three of [0, 1)."""
    beliefs = {BELIEFS[m]: dict.fromkeys(VALUES[m], 1 / len(VALUES[m])) for m in BELIEFS if m != "state"}
    size, _ = usual(name)
    x, y = (low + draws[:2] * (high - low)).tolist()
    return ObjectState(beliefs, (x, y, size[2] / 2), 2 * math.pi * float(draws[2]), size)


Base = tuple[int, ObjectState] | None  # the row of what a thing stands on, and that as it was


def _below(
    predicted: Scene, gt: Scene, rows: Sequence[tuple[int | None, int | None]], true: bool
) -> list[Base]:
    """What each row stands on, where its position comes from; None without one, or when that is in no row."""
    row_of: tuple[dict, dict] = tuple({pair[side]: k for k, pair in enumerate(rows)} for side in (0, 1))
    supports = (support(predicted.objects), support(gt.objects))
    found: list[Base] = []
    for pair in rows:
        side = int(true and pair[1] is not None)
        base = None if pair[side] is None else supports[side][pair[side]]
        known = base is not None and base in row_of[side]
        found.append((row_of[side][base], (predicted, gt)[side].objects[base]) if known else None)
    return found


def _standing(
    states: Sequence[ObjectState], stood: Sequence[ObjectState], below: Sequence[Base]
) -> list[ObjectState]:
    """The states at the height of where they `stood`: each underside where it was, or as far above the top of what it
    stands on. Equal sizes change nothing, to the last digit."""
    placed = list(states)
    for k in sorted(range(len(placed)), key=lambda k: stood[k].position[2] - stood[k].extent[2] / 2):
        state, was, base = placed[k], stood[k], below[k]
        z = was.position[2] + (state.extent[2] - was.extent[2]) / 2
        if base is not None:
            z += _top(placed[base[0]]) - _top(base[1])
        placed[k] = replace(state, position=(*state.position[:2], z))
    return placed


def _top(state: ObjectState) -> float:
    return state.position[2] + state.extent[2] / 2
