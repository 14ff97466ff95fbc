"""Complete a room's scene from names and centres, using typical properties of each category.

What labelled maps and captions leave open is filled in from `po3d.scene.rooms.CATEGORIES`:

* size: the category's; an unknown object is a small box. If centres were measured, an object with
  its back to a wall gets the depth implied by its centre's distance from that wall, within REACH of
  the category's depth, and a proportional width.
* heading: objects at walls face away from the wall whose distance fits their depth best; objects on
  another one take its heading; all others face away from the nearest wall.
* height: hanging objects have their category's height above the floor; objects that belong on
  furniture are put on the nearest carrier below their centre, or at most ASIDE beside it, else on
  the floor, like all others.
* floor area, if unknown: the objects' total footprint divided by FILLED.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from po3d.scene.frames import axes_from_front
from po3d.scene.rooms import CARRIERS, SYNONYMS, UNKNOWN_SIZE, Category, category_of
from po3d.scene.table import ObjectState, Scene, sure

FILLED = 0.23  # share of the floor that is covered: the median over 200 rooms of the twin
# accepted ratios of the depth implied by the wall's distance to the category's depth
REACH = (0.6, 1.5)
BACK_GAP, WALL_GAP = 0.03, 0.005  # metres between a wall and objects that stand or hang there
ASIDE = 0.3  # metres beside a carrier, whose size is only guessed, that still count as on it
# inward normals of the walls x=0, x=w, y=0, y=d
_INWARD = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])


def usual(name: str) -> tuple[tuple[float, float, float], Category | None]:
    """Return the usual size (depth, width, height) in metres, and the category if known."""
    category = category_of(name)
    return (category[:3] if category else UNKNOWN_SIZE), category


def usual_area(names: Sequence[str]) -> float:
    """Return the usual floor area in square metres of a room with these objects."""
    covered = 0.0
    for name in names:
        (depth, width, _), category = usual(name)
        if category is None or category.stands in ("floor", "back"):
            covered += depth * width
    return float(np.clip(covered / FILLED, 6.0, 60.0))


def furnished(
    names: Sequence[str],
    places: Sequence[tuple[float, float]],
    size: tuple[float, float],
    image: str = "",
    measured: bool = True,
    looks: Sequence[Mapping[str, str]] | None = None,
    on: Sequence[int | None] | None = None,
) -> Scene:
    """Build the scene of a rectangular room from its objects, with front +y.

    `places`: centres of the footprints, metres. `size`: width along x and depth along y, metres.

    `measured`: the centres are accurate enough to infer the depth of objects at walls. `looks`:
    attributes of each object; `on`: the index of its base, if stated.
    """
    states = []
    for name, place, look in zip(names, places, looks or [{}] * len(names), strict=True):
        states.append(_standing(name, place, look, size, measured))
    states = settled(states, on, face_alike=True)
    width, depth = size
    outline = ((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth))
    return Scene(
        tuple(states), axes_from_front((0.0, 1.0)), "predicted", image=image, outline=outline
    )


def settled(
    states: Sequence[ObjectState], on: Sequence[int | None] | None = None, face_alike: bool = False
) -> list[ObjectState]:
    """Lift objects that belong on furniture onto it.

    `on`: for each object the index of its base, if stated; `face_alike`: they take the base's
    heading, for lack of other evidence.
    """
    states, on = list(states), on or [None] * len(states)
    # Objects without a stated base first, because they may be the base of others.
    for i in sorted(range(len(states)), key=lambda i: on[i] is not None):
        base = on[i] if on[i] is not None else _carrier(i, states)
        if base is not None:
            states[i] = _put_on(states[i], states[base], face_alike)
    return states


def _standing(
    name: str,
    place: tuple[float, float],
    look: Mapping[str, str],
    size: tuple[float, float],
    measured: bool,
) -> ObjectState:
    """Return the object standing on the floor, or hanging on the wall."""
    extent, category = usual(name)
    depth, width, height = extent
    x, y = place
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
        sure(name=name, **look),
        (float(x), float(y), float(bottom + height / 2)),
        float(math.atan2(inward[1], inward[0])),
        (float(depth), float(width), float(height)),
    )


def _carrier(i: int, states: Sequence[ObjectState]) -> int | None:
    """Return the index of object i's carrier, if its category belongs on furniture."""
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
    """Return the distance in metres from the point to the base's footprint."""
    beyond = np.abs(_local(position, base)) - np.array(base.extent[:2]) / 2
    return float(np.hypot(*np.maximum(beyond, 0.0)))


def _put_on(state: ObjectState, base: ObjectState, face_alike: bool) -> ObjectState:
    """Return the object on top of the base, within its footprint."""
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
