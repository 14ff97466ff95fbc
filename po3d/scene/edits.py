"""Scene edits as values (Move, Resize, SetAttribute, Remove, Add), and `apply(scene, edits)`.

Turning is a move to the current position; replacing is a removal and an addition in place.
Targets are indices into the scene that is passed to `apply`. Descriptions in sentences are
resolved to indices in reasoning.apply_edit, and places to positions in scene.placement.

Objects that rest on an edited object:
* moved or turned: they are carried along rigidly;
* resized: they rise or sink with its top;
* removed: they fall straight down onto the next object below or the floor;
* replaced: they rest on the new object at its height if it is below them; otherwise they fall.

Occlusion belongs to the image, so an edit drops it.
"""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from po3d.scene.rectangles import Rectangle, holds, rectangle
from po3d.scene.rooms import hangs

if TYPE_CHECKING:  # the table imports this module
    from po3d.scene.table import ObjectState, Scene

# tolerance in metres: how far an object may penetrate or float above its support
REST_BELOW, REST_ABOVE = 0.015, 0.08
REST_MARGIN = 0.03  # metres by which its centre may be outside the support's footprint


@dataclass(frozen=True)
class Move:
    """Move object `index`: new centre of its box and new heading (None: unchanged)."""

    index: int
    position: tuple[float, float, float]
    heading: float | None = None


@dataclass(frozen=True)
class Resize:
    """Resize object `index` to (depth, width, height). Its centre on the ground and its underside
    stay; what hangs keeps its middle."""

    index: int
    extent: tuple[float, float, float]


@dataclass(frozen=True)
class SetAttribute:
    """Set an attribute of object `index` to a certain value."""

    index: int
    attribute: str
    value: str


@dataclass(frozen=True)
class Remove:
    """Remove object `index`."""

    index: int


@dataclass(frozen=True)
class Add:
    """Add an object; `instead` is the index of the object that it replaces."""

    state: ObjectState
    instead: int | None = None


Edit = Move | Resize | SetAttribute | Remove | Add


@dataclass(frozen=True)
class Edited:
    """The edited scene and the origin of its objects."""

    scene: Scene
    origin: tuple[int | None, ...]  # index in the scene before the edit; None for an added object
    touched: frozenset[int]  # indices in the edited scene of the edited objects
    touched_before: frozenset[int]  # indices in the scene before the edit
    # indices before the edit of objects that only define a place ("next to the red bin")
    mentioned: frozenset[int] = frozenset()

    @cached_property
    def index(self) -> dict[int, int]:
        """Map from the index before to the index after the edit, for objects that still exist."""
        return {old: new for new, old in enumerate(self.origin) if old is not None}


Row = TypeVar("Row")


def with_fields(value: Row, **fields: object) -> Row:
    """Return a copy with changed fields: `dataclasses.replace` without __init__, 3 times faster."""
    copy = object.__new__(type(value))
    # the class is frozen: attributes can't be set directly
    object.__setattr__(copy, "__dict__", value.__dict__ | fields)
    return copy


def unchanged(scene: Scene) -> Edited:
    """Return the result of an empty edit."""
    return Edited(scene, tuple(range(len(scene))), frozenset(), frozenset())


def apply(scene: Scene, edits: Iterable[Edit]) -> Scene:
    """Return the edited scene; IndexError if an index is out of range."""
    return trace(scene, edits).scene


def trace(
    scene: Scene,
    edits: Iterable[Edit],
    below: Sequence[int | None] | None = None,
    mentioned: frozenset[int] = frozenset(),
) -> Edited:
    """Return the edited scene with the origin of its objects.

    All indices refer to the scene as given: edits do not renumber each other's objects. A second
    move of one object starts from the result of the first. `below` is `support` of the scene, if
    already computed; `mentioned` is stored in the result.
    """
    edits = list(edits)
    if not edits:
        return with_fields(unchanged(scene), mentioned=mentioned)
    states: list[ObjectState | None] = list(scene.objects)
    added: list[ObjectState] = []
    replacing: list[ObjectState] = []  # those of `added` that take another object's place
    touched_before: set[int] = set()
    gone: set[int] = set()
    stirred = False  # whether an object moved or was removed, so that `below` is out of date
    for edit in edits:
        index = _index_of(edit, len(states))
        if isinstance(edit, Add):
            added.append(edit.state)
            if index is None:
                continue
            replacing.append(edit.state)
        touched_before.add(index)
        if isinstance(edit, Move | Resize):
            supports = below
            if below is None or stirred:
                supports = support(states) if _may_bear(states, index) else ()
            settle = _carry if isinstance(edit, Move) else _resize
            settle(states, edit, supports)
            stirred = True
        elif isinstance(edit, SetAttribute):
            old = states[index]
            beliefs = {**old.beliefs, edit.attribute: {edit.value: 1.0}}
            states[index] = with_fields(old, beliefs=beliefs)
        else:  # removed or replaced
            states[index], stirred = None, True
            gone.add(index)
    if gone:
        _drop(states, replacing, support(scene.objects) if below is None else below, gone)
    return _edited(scene, states, added, frozenset(touched_before), gone, mentioned)


def _index_of(edit: Edit, count: int) -> int | None:
    """Return the index of the object that an edit changes or replaces, None for an addition; raise
    IndexError if it is not below `count`."""
    index = edit.instead if isinstance(edit, Add) else edit.index
    if index is not None and not 0 <= index < count:
        raise IndexError(f"{edit} refers to object {index}, but the scene has {count} objects")
    return index


def _edited(
    scene: Scene,
    states: Sequence[ObjectState | None],
    added: Sequence[ObjectState],
    touched_before: frozenset[int],
    gone: set[int],
    mentioned: frozenset[int],
) -> Edited:
    """Return the edited scene, given the states after the edit: without those gone, and with those
    added at the end."""
    remaining: Sequence[int] = range(len(states))
    touched = touched_before
    if gone:
        remaining = [k for k in remaining if k not in gone]
        touched = frozenset(map(remaining.index, touched_before - gone))
        states = [states[k] for k in remaining]
    origin = tuple(remaining)
    if added:
        touched = touched.union(range(len(remaining), len(remaining) + len(added)))
        origin += (None,) * len(added)
    fields = {"source": "edited", "occluders": None, "camera": None}
    changed = with_fields(scene, objects=(*states, *added), **fields)
    return Edited(changed, origin, touched, touched_before, mentioned)


def support(states: Sequence[ObjectState | None]) -> list[int | None]:
    """Return the index of the object that each object rests on.

    None for the floor, a wall, or a removed object (None in `states`).
    """
    bodies: list[SimpleNamespace | None] = [None] * len(states)
    for k, s in enumerate(states):
        if s is not None:
            name = s.value("name") if "name" in s.beliefs else ""
            bodies[k] = SimpleNamespace(name=name, box=footprint(s), low=_low(s), top=_top(s))
    return resting(bodies)


def resting(bodies: Sequence[Any]) -> list[int | None]:
    """Return the index of the body that each body rests on, as `support` does for a scene.

    A body has a name, a footprint `box`, and heights `low` and `top`; None for a removed one.
    """
    tops = sorted((b.top, k) for k, b in enumerate(bodies) if b is not None and not hangs(b.name))
    levels = [top for top, _ in tops]
    supports: list[int | None] = [None] * len(bodies)
    for _, i in tops:
        low, box = bodies[i].low, bodies[i].box
        if low - levels[0] <= -REST_BELOW:  # every object's top is above this one's bottom
            continue
        best = -math.inf
        for j in range(bisect_left(levels, low - 2 * REST_ABOVE), len(tops)):
            top, k = tops[j]
            gap = low - top
            if gap <= -REST_BELOW:
                break
            candidate = gap < REST_ABOVE and k != i and top > best
            if candidate and holds(bodies[k].box, box.x, box.y, REST_MARGIN):
                supports[i], best = k, top
    return supports


def footprint(state: ObjectState) -> Rectangle:
    """Return the ground rectangle of an object's box."""
    x, y, _ = state.position
    depth, width, _ = state.extent
    return rectangle((x, y, math.cos(state.heading), math.sin(state.heading), depth / 2, width / 2))


def carried_by(below: Sequence[int | None], index: int) -> list[int]:
    """Return the indices of all objects that rest on an object, directly or indirectly."""
    if index not in below:  # shortcut for the most frequent case
        return []
    carried = [k for k, b in enumerate(below) if b == index]
    for k in carried:  # the list grows during the loop
        carried += [i for i, b in enumerate(below) if b == k and i not in carried]
    return carried


def _may_bear(states: Sequence[ObjectState | None], index: int) -> bool:
    """Whether anything may rest on an object: a cheap necessary condition for `support`."""
    box, top = footprint(states[index]), _top(states[index])
    for s in states:
        at_top = s is not None and -REST_BELOW < _low(s) - top < REST_ABOVE
        if at_top and holds(box, *s.position[:2], REST_MARGIN):
            return True
    return False


def _wrapped(angle: float) -> float:
    """Return an angle wrapped into (-pi, pi]: `geometry.wrap_angle` for one Python float."""
    return math.pi - (math.pi - angle) % (2 * math.pi)


def _carry(states: list[ObjectState | None], move: Move, below: Sequence[int | None]) -> None:
    old = states[move.index]
    heading = old.heading if move.heading is None else _wrapped(move.heading)
    x, y, z = map(float, move.position)
    states[move.index] = with_fields(old, position=(x, y, z), heading=heading)
    riders = carried_by(below, move.index)
    if not riders:
        return
    turn = heading - old.heading
    c, s = math.cos(turn), math.sin(turn)
    for k in riders:
        rider = states[k]
        dx, dy, dz = map(operator.sub, rider.position, old.position)
        position = (float(x + c * dx - s * dy), float(y + s * dx + c * dy), float(z + dz))
        states[k] = with_fields(rider, position=position, heading=_wrapped(rider.heading + turn))


def _resize(states: list[ObjectState | None], edit: Resize, below: Sequence[int | None]) -> None:
    old = states[edit.index]
    x, y, z = old.position
    height = edit.extent[2]
    if not hangs(old.value("name") if "name" in old.beliefs else ""):
        z = _low(old) + height / 2
    states[edit.index] = with_fields(old, position=(x, y, z), extent=edit.extent)
    rise = z + height / 2 - _top(old)
    for k in carried_by(below, edit.index):
        x, y, z = states[k].position
        states[k] = with_fields(states[k], position=(x, y, z + rise))


def _drop(
    states: list[ObjectState | None],
    replacing: list[ObjectState],
    below: Sequence[int | None],
    gone: set[int],
) -> None:
    """Let the objects that rested on removed objects settle again, the lowest first."""
    falling = {k for g in gone for k in carried_by(below, g)} - gone
    if not falling:
        return
    settled = {k for k, s in enumerate(states) if s is not None} - falling
    for k in sorted(falling, key=lambda i: (states[i].position[2], i)):
        faller = states[k]
        x, y, z = faller.position
        bottom = z - faller.extent[2] / 2
        tops = [_top(s) for s in replacing if _under(faller, s)]
        for i in settled:
            if _under(faller, states[i]) and _top(states[i]) < bottom + REST_BELOW:
                tops.append(_top(states[i]))
        height = max(tops, default=0.0) + faller.extent[2] / 2
        states[k] = with_fields(faller, position=(x, y, height))
        settled.add(k)


def _low(state: ObjectState) -> float:
    return state.position[2] - state.extent[2] / 2


def _top(state: ObjectState) -> float:
    return state.position[2] + state.extent[2] / 2


def _under(faller: ObjectState, other: ObjectState) -> bool:
    """Whether `other` is below the centre of `faller`."""
    (x, y, _), (other_x, other_y, _) = faller.position, other.position
    depth, width, _ = other.extent
    if abs(x - other_x) + abs(y - other_y) > depth + width + 4 * REST_MARGIN:
        return False  # out of reach at any heading
    return holds(footprint(other), x, y, REST_MARGIN)
