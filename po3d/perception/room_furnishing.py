"""A room's table from little: names and centres, the rest from what such things usually are.

What a labelled map and captions leave open is filled in by rules, from `po3d.scene.rooms.CATEGORIES`:

* size: the category's; an unknown thing is a small box. Where centres were measured, what stands with its back to a
  wall is as deep as its centre's distance from that wall says, within REACH of the category's depth, and as wide in
  proportion.
* heading: what stands or hangs at walls faces away from the wall whose distance fits its depth best; what stands on
  another faces as that does; everything else faces away from the nearest wall.
* height: what hangs has its category's height above the floor; what belongs on furniture stands on the nearest carrier
  that its centre is over, or no more than ASIDE beside; without one it stands on the floor, as all the rest does.
* floor area, where nobody says it: the floor that the things cover over FILLED.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from po3d.scene.frames import axes_from_front
from po3d.scene.rooms import CARRIERS, SYNONYMS, UNKNOWN_SIZE, Category, category_of
from po3d.scene.table import ObjectState, Scene, sure

FILLED = 0.23  # of the floor is covered by what stands on it: the median over 200 rooms of the twin
REACH = (0.6, 1.5)  # of a category's depth that a distance from the wall is believed
BACK_GAP, WALL_GAP = 0.03, 0.005  # metres between a wall and what stands or hangs there
ASIDE = 0.3  # metres beside a carrier, whose size is only guessed, that still count as on it
_INWARD = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])  # of the walls x=0, x=w, y=0, y=d


@dataclass(frozen=True)
class Thing:
    """What is known of a thing: its name, the centre of its box on the floor in metres, some of its looks, and the
    index of what it stands on where that was said."""

    name: str
    position: tuple[float, float]
    looks: Mapping[str, str] = field(default_factory=dict)
    on: int | None = None


def usual(name: str) -> tuple[tuple[float, float, float], Category | None]:
    """The size of such things (depth, width, height), metres, and their category when it is a listed one."""
    category = category_of(name)
    return (category[:3] if category else UNKNOWN_SIZE), category


def usual_area(names: Sequence[str]) -> float:
    """Square metres of a room that holds such things."""
    covered = 0.0
    for name in names:
        (depth, width, _), category = usual(name)
        if category is None or category.stands in ("floor", "back"):
            covered += depth * width
    return float(np.clip(covered / FILLED, 6.0, 60.0))


def furnished(
    things: Sequence[Thing], size: tuple[float, float], image: str = "", measured: bool = True
) -> Scene:
    """The table of a rectangular room of `size` (width along x, depth along y; metres) whose map's top is +y.
    `measured`: the centres are known well enough to tell how deep a thing at a wall is."""
    states = [_standing(thing, size, measured) for thing in things]
    states = settled(states, [thing.on for thing in things], face_alike=True)
    width, depth = size
    outline = ((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth))
    return Scene(tuple(states), axes_from_front((0.0, 1.0)), "predicted", image=image, outline=outline)


def settled(
    states: Sequence[ObjectState], on: Sequence[int | None] | None = None, face_alike: bool = False
) -> list[ObjectState]:
    """The things with those that belong on furniture lifted onto it. `on`: of each thing the index of what it stands
    on, where that was said; `face_alike`: they turn as it does, because nothing else is known."""
    states, on = list(states), on or [None] * len(states)
    # A base before what is said to be on it.
    for i in sorted(range(len(states)), key=lambda i: on[i] is not None):
        base = on[i] if on[i] is not None else _carrier(i, states)
        if base is not None:
            states[i] = _put_on(states[i], states[base], face_alike)
    return states


def _standing(thing: Thing, size: tuple[float, float], measured: bool) -> ObjectState:
    """The thing on the floor, or on the wall."""
    extent, category = usual(thing.name)
    depth, width, height = extent
    x, y = thing.position
    away = np.array([x, size[0] - x, y, size[1] - y])
    stands = category.stands if category else "floor"
    if stands in ("back", "wall"):
        gap = BACK_GAP if stands == "back" else WALL_GAP
        wall = int(np.abs(away - gap - depth / 2).argmin())
        ratio = 2 * (away[wall] - gap) / depth
        if measured and stands == "back" and REACH[0] <= ratio <= REACH[1]:
            depth, width = depth * ratio, width * ratio
    else:
        wall = int(away.argmin())
    bottom = category.bottom if category and stands == "wall" else 0.0
    inward = _INWARD[wall]
    return ObjectState(
        sure(name=thing.name, **thing.looks),
        (float(x), float(y), float(bottom + height / 2)),
        float(math.atan2(inward[1], inward[0])),
        (float(depth), float(width), float(height)),
    )


def _carrier(i: int, states: Sequence[ObjectState]) -> int | None:
    """The index of what thing i stands on, if things like it belong on furniture."""
    names = [SYNONYMS.get(state.value("name"), state.value("name")) for state in states]
    category = category_of(names[i])
    if category is None or category.stands != "top":
        return None
    best, least = None, ASIDE
    for j, state in enumerate(states):
        other = category_of(names[j])
        held = names[j] in CARRIERS.get(names[i], ())
        if j != i and other is not None and (other.carries or held):
            off = _outside(states[i].position, state)
            if off < least or (off == least == 0.0 and held):
                best, least = j, off
    return best


def _local(position: Sequence[float], base: ObjectState) -> np.ndarray:
    c, s = math.cos(base.heading), math.sin(base.heading)
    return np.array([[c, s], [-s, c]]) @ (np.array(position[:2]) - base.position[:2])


def _outside(position: Sequence[float], base: ObjectState) -> float:
    """Metres from the point to the base's footprint."""
    beyond = np.abs(_local(position, base)) - np.array(base.extent[:2]) / 2
    return float(np.hypot(*np.maximum(beyond, 0.0)))


def _put_on(state: ObjectState, base: ObjectState, face_alike: bool) -> ObjectState:
    """The state on top of the base, over its footprint."""
    half = np.array(base.extent[:2]) / 2
    u, v = np.clip(_local(state.position, base), -half, half)
    c, s = math.cos(base.heading), math.sin(base.heading)
    top = base.position[2] + base.extent[2] / 2
    x, y = base.position[0] + c * u - s * v, base.position[1] + s * u + c * v
    return replace(
        state,
        position=(float(x), float(y), float(top + state.extent[2] / 2)),
        heading=base.heading if face_alike else state.heading,
    )
