"""Changes of a scene as values: Move, SetAttribute, Remove, Add; `apply(scene, edits)` gives the changed scene.

Turning is a move to the same place; replacing is removing and adding in place. Targets are indices into the scene
that `apply` is given; sentences with descriptions are resolved before (reasoning.room_executor), places too (placement).

What rests on a thing follows a rule:
* moved or turned: it is carried along, rigidly;
* removed: it falls straight down, onto what is below or the floor;
* replaced: it stays on the new thing when that is below it, at its new height; otherwise it falls.

Occlusion belongs to the picture, so an edit drops it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from po3d.geometry import Array, wrap_angle
from po3d.rooms import hangs
from po3d.scene import ObjectState, Scene

REST_BELOW, REST_ABOVE = 0.015, 0.08  # metres that a thing may sink into or float above what it rests on


@dataclass(frozen=True)
class Move:
    """Object `index` to a new position (its box's centre) and heading; None keeps the heading."""

    index: int
    position: tuple[float, float, float]
    heading: float | None = None


@dataclass(frozen=True)
class SetAttribute:
    index: int
    attribute: str
    value: str


@dataclass(frozen=True)
class Remove:
    index: int


@dataclass(frozen=True)
class Add:
    """A new object; `instead` is the index of the one that it replaces."""

    state: ObjectState
    instead: int | None = None


Edit = Move | SetAttribute | Remove | Add


@dataclass(frozen=True)
class Edited:
    """The changed scene and where its objects came from."""

    scene: Scene
    origin: tuple[int | None, ...]  # index in the scene before; None for what was added
    touched: frozenset[int]  # indices in the changed scene that an edit was about
    touched_before: frozenset[int]  # indices in the scene before

    @cached_property
    def index(self) -> dict[int, int]:
        """Index before -> index after, of what is still there."""
        return {old: new for new, old in enumerate(self.origin) if old is not None}


def unchanged(scene: Scene) -> Edited:
    return Edited(scene, tuple(range(len(scene))), frozenset(), frozenset())


def apply(scene: Scene, edits: Iterable[Edit]) -> Scene:
    """The changed scene; IndexError for an object that is not there."""
    return trace(scene, edits).scene


def trace(scene: Scene, edits: Iterable[Edit]) -> Edited:
    """The changed scene with the history of its objects. All indices mean the scene as given: edits don't renumber
    each other's objects. Two moves of one object: the last one counts from where the first left it."""
    edits = list(edits)
    for edit in edits:
        index = edit.instead if isinstance(edit, Add) else edit.index
        if index is not None and not 0 <= index < len(scene):
            raise IndexError(f"{edit} is about object {index}, but the scene has {len(scene)}")
    if not edits:
        return unchanged(scene)
    states: list[ObjectState | None] = list(scene.objects)
    added: list[ObjectState] = []
    touched_before: set[int] = set()
    for edit in edits:
        if isinstance(edit, Add):
            added.append(edit.state)
            index = edit.instead
        else:
            index = edit.index
        if index is not None:
            touched_before.add(index)
        if isinstance(edit, Remove) or (isinstance(edit, Add) and index is not None):
            states[index] = None
        elif isinstance(edit, SetAttribute):
            old = states[index]
            states[index] = replace(old, beliefs={**old.beliefs, edit.attribute: {edit.value: 1.0}})
        elif isinstance(edit, Move):
            _carry(states, edit)
    gone = {k for k, s in enumerate(states) if s is None}
    if gone:
        _drop(
            states,
            [e.state for e in edits if isinstance(e, Add) and e.instead is not None],
            support(scene.objects),
            gone,
        )
    kept = [k for k, s in enumerate(states) if s is not None]
    origin = (*kept, *([None] * len(added)))
    objects = (*(states[k] for k in kept), *added)
    touched = {new for new, old in enumerate(origin) if old is None or old in touched_before}
    changed = replace(scene, objects=objects, source="edited", occluders=None, camera=None)
    return Edited(changed, origin, frozenset(touched), frozenset(touched_before))


def support(states: Sequence[ObjectState | None]) -> list[int | None]:
    """Index of what each object rests on; None for the floor, a wall, or an object that is gone (None)."""
    present = [k for k, s in enumerate(states) if s is not None and not hangs(_name(s))]
    found: list[int | None] = [None] * len(states)
    if not present:
        return found
    position = np.array([states[k].position for k in present])
    extent = np.array([states[k].extent for k in present])
    heading = np.array([states[k].heading for k in present])
    bottom, top = position[:, 2] - extent[:, 2] / 2, position[:, 2] + extent[:, 2] / 2
    gap = bottom[:, None] - top[None]  # [i, j]: i over j
    close = (gap > -REST_BELOW) & (gap < REST_ABOVE) & within(position, position, heading, extent)
    np.fill_diagonal(close, False)
    for i in np.flatnonzero(close.any(1)):
        tops = np.where(close[i], top, -np.inf)
        found[present[i]] = present[int(tops.argmax())]
    return found


def _name(state: ObjectState) -> str:
    return state.value("name") if "name" in state.beliefs else ""


def within(points: Array, position: Array, heading: Array, extent: Array, margin: float = 0.03) -> Array:
    """(p, n) whether points (p, 2 or 3) are over the footprints of n boxes, enlarged by `margin` metres."""
    offset = points[:, None, :2] - position[None, :, :2]
    c, s = np.cos(heading), np.sin(heading)
    along = np.abs(offset[..., 0] * c + offset[..., 1] * s)
    across = np.abs(offset[..., 1] * c - offset[..., 0] * s)
    return (along <= extent[:, 0] / 2 + margin) & (across <= extent[:, 1] / 2 + margin)


def carried_by(below: Sequence[int | None], index: int) -> list[int]:
    """Indices of all that rests on an object, directly or on what rests on it."""
    found = [k for k, b in enumerate(below) if b == index]
    for k in found:  # grows while it is read
        found += [i for i, b in enumerate(below) if b == k and i not in found]
    return found


def _carry(states: list[ObjectState | None], move: Move) -> None:
    old, below = states[move.index], support(states)
    heading = old.heading if move.heading is None else float(wrap_angle(move.heading))
    states[move.index] = replace(old, position=tuple(map(float, move.position)), heading=heading)
    turn = heading - old.heading
    c, s = math.cos(turn), math.sin(turn)
    for k in carried_by(below, move.index):
        rider = states[k]
        dx, dy, dz = (a - b for a, b in zip(rider.position, old.position))
        x, y, z = move.position
        position = (float(x + c * dx - s * dy), float(y + s * dx + c * dy), float(z + dz))
        states[k] = replace(rider, position=position, heading=float(wrap_angle(rider.heading + turn)))


def _drop(
    states: list[ObjectState | None], replacing: list[ObjectState], below: list[int | None], gone: set[int]
) -> None:
    """Let what rested on removed objects come to rest again, the lowest first."""
    falling = [k for k, s in enumerate(states) if s is not None and _carried_from(below, k) & gone]
    settled = {k for k, s in enumerate(states) if s is not None} - set(falling)
    for k in sorted(falling, key=lambda i: states[i].position[2]):
        faller = states[k]
        x, y, z = faller.position
        bottom = z - faller.extent[2] / 2
        tops = [_top(s) for s in replacing if _under(faller, s)]
        tops += [
            _top(states[i])
            for i in settled
            if _under(faller, states[i]) and _top(states[i]) < bottom + REST_BELOW
        ]
        states[k] = replace(faller, position=(x, y, max(tops, default=0.0) + faller.extent[2] / 2))
        settled.add(k)


def _top(state: ObjectState) -> float:
    return state.position[2] + state.extent[2] / 2


def _under(faller: ObjectState, other: ObjectState) -> bool:
    """Whether `other` is below the middle of `faller`."""
    point, centre, heading, extent = (
        np.array([v]) for v in (faller.position, other.position, other.heading, other.extent)
    )
    return bool(within(point, centre, heading, extent)[0, 0])


def _carried_from(below: list[int | None], index: int) -> set[int]:
    """All that an object rests on, downwards."""
    found: set[int] = set()
    while (lower := below[index]) is not None and lower not in found:
        found.add(lower)
        index = lower
    return found
