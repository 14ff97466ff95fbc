"""Random rooms as scenes: walls, doors and windows, furniture against walls and free-standing,
objects on objects.

Counts and sizes follow `po3d.scene.rooms` (measured on scanned rooms and a furniture catalogue).
Pure functions of (seed, index), independent of machine and number of workers.
"""

import functools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import shapely

from po3d.io.files import rows_beside
from po3d.io.seeding import rng
from po3d.scene.frames import axes_from_front
from po3d.scene.rectangles import footprints
from po3d.scene.rooms import CARRIERS, CATEGORIES, COLORS, Category
from po3d.scene.table import ObjectState, Scene, sure

TRIES = 40  # attempts to place an object before it is omitted
ROOM = (3.2, 6.8)  # side lengths of a rectangular room, metres
THINGS = (9, 22)  # number of objects besides doors and windows
SCALE = 0.12  # standard deviation of log sizes
CLEAR = 0.05  # smallest gap between objects, metres
# Factor for the weights of objects that kinds.csv does not list for a kind of room
OTHERWISE = 0.35
Outline = tuple[tuple[float, float], ...]  # corners of the floor, metres
Spot = tuple[tuple[float, float, float], float]  # x, y, height of the bottom; heading
DULL = ("white", "black", "gray", "brown", "beige")  # the colours of half of the objects in rooms


def sample_room(
    seed: int, index: int, split: str = "test", objects: tuple[int, int] | None = None
) -> Scene:
    """Sample room `index` of a seed, with the axes of a map whose top is the world's +y. `objects`:
    smallest and largest number of objects besides doors and windows, if they fit; None: by the
    room's size."""
    random = rng(seed, f"room/{split}", index)
    width, depth = random.uniform(*ROOM, size=2).tolist()
    outline = ((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth))
    states: list[ObjectState] = []
    doors, windows = random.choice([1, 1, 1, 2]), random.choice([0, 1, 1, 2])
    for name in ["door"] * doors + ["window"] * windows:
        _put(outline, states, name, random)
    for name in _contents(width * depth, random, objects):
        _put(outline, states, name, random)
    axes, image = axes_from_front((0.0, 1.0)), f"room_{split}_{seed}_{index:06d}"
    return Scene(tuple(states), axes, "gt", image=image, outline=outline)


@functools.cache
def _kinds() -> dict[str, dict[str, float]]:
    """Return, for each kind of room, its typical objects with the factors of their weights, from
    `kinds.csv`."""
    kinds: dict[str, dict[str, float]] = {}
    for row in rows_beside(__file__, "kinds.csv"):
        kinds.setdefault(row["kind"], {})[row["name"]] = float(row["factor"])
    return kinds


def _contents(
    area: float, random: np.random.Generator, objects: tuple[int, int] | None
) -> list[str]:
    """Sample the names of a room's objects, furniture before the objects that stand on it."""
    likely = list(_kinds().values())[int(random.integers(len(_kinds())))]
    if objects is None:
        count = int(np.clip(random.normal(0.55 * area + 3, 3), *THINGS))
    else:
        count = int(random.integers(objects[0], objects[1] + 1))
    names = [n for n, c in CATEGORIES.items() if c.weight]
    weights = np.array([CATEGORIES[n].weight * likely.get(n, OTHERWISE) for n in names])
    counts: Counter[str] = Counter()
    while counts.total() < count and weights.sum() > 0:
        name = names[int(random.choice(len(names), p=weights / weights.sum()))]
        counts[name] += 1
        if counts[name] >= CATEGORIES[name].most:
            weights[names.index(name)] = 0.0
    order = ("flat", "back", "wall", "floor", "top")

    def key(name: str) -> tuple[int, float]:
        return order.index(CATEGORIES[name].stands), -CATEGORIES[name].width

    return sorted(counts.elements(), key=key)


def _put(
    outline: Outline, states: list[ObjectState], name: str, random: np.random.Generator
) -> None:
    """Add one object at a random free place; omit it if none is found."""
    category = CATEGORIES[name]
    flat, tall = np.exp(random.normal(0, SCALE, 2))
    extent = np.array(category[:3]) * (flat, flat, tall)
    if category.stands == "wall":
        extent[2] = min(extent[2], 2.45 - category.bottom)
    beliefs = sure(name=name, **_looks(category, random))
    place = {"back": _at_wall, "wall": _at_wall, "top": _on_top}.get(category.stands, _anywhere)
    for _ in range(TRIES):
        spot = place(outline, states, name, extent, random)
        if spot is None:
            continue
        (x, y, bottom), heading = spot
        state = ObjectState(
            beliefs,
            (float(x), float(y), float(bottom + extent[2] / 2)),
            float(heading),
            tuple(map(float, extent)),
        )
        if _free(outline, states, state, category.stands):
            states.append(state)
            return


def _looks(category: Category, random: np.random.Generator) -> dict[str, str]:
    colors = DULL if random.random() < 0.5 else COLORS
    looks = {
        "color": str(random.choice(colors)),
        "material": str(random.choice(category.materials)),
    }
    if category.states:
        looks["state"] = str(random.choice(category.states))
    return looks


def _at_wall(
    outline: Outline,
    _: list[ObjectState],
    name: str,
    extent: np.ndarray,
    random: np.random.Generator,
) -> Spot | None:
    corners = np.array(outline)
    k = int(random.integers(len(corners)))
    start, end = corners[k], corners[(k + 1) % len(corners)]
    length = float(np.linalg.norm(end - start))
    if length <= extent[1] + 0.05:
        return None
    along = (end - start) / length
    inward = np.array([-along[1], along[0]])
    t = random.uniform(extent[1] / 2, length - extent[1] / 2)
    off = extent[0] / 2 + (0.005 if CATEGORIES[name].stands == "wall" else 0.03)
    heading = math.atan2(inward[1], inward[0])
    return (*(start + t * along + off * inward), CATEGORIES[name].bottom), heading


def _anywhere(
    outline: Outline,
    _: list[ObjectState],
    name: str,
    extent: np.ndarray,
    random: np.random.Generator,
) -> Spot:
    corners = np.array(outline)
    low, high = corners.min(0), corners.max(0)
    heading = random.integers(4) * math.pi / 2
    if random.random() < 0.3 and CATEGORIES[name].stands == "floor":
        heading = random.uniform(-math.pi, math.pi)
    return (*random.uniform(low, high), 0.0), math.remainder(heading, 2 * math.pi)


def _on_top(
    _: Outline,
    states: list[ObjectState],
    name: str,
    extent: np.ndarray,
    random: np.random.Generator,
) -> Spot | None:
    carriers = []
    for state in states:
        other = state.value("name")
        bears = other in CARRIERS[name] if name in CARRIERS else CATEGORIES[other].carries
        if bears and state.extent[1] >= extent[1]:
            carriers.append(state)
    if not carriers:
        return None
    base = carriers[int(random.integers(len(carriers)))]
    room_left = np.maximum((np.array(base.extent[:2]) - extent[:2]) / 2, 0)
    local = random.uniform(-room_left, room_left)
    c, s = math.cos(base.heading), math.sin(base.heading)
    x = base.position[0] + c * local[0] - s * local[1]
    y = base.position[1] + s * local[0] + c * local[1]
    return (x, y, base.position[2] + base.extent[2] / 2), base.heading


def _free(outline: Outline, states: list[ObjectState], state: ObjectState, stands: str) -> bool:
    """Return whether a place is inside the room and clear of all objects at its height. The floor
    in front of doors stays free."""
    box = _footprint(state)
    if not _walls(outline).covers(box):
        return False
    reach = math.hypot(*state.extent[:2]) / 2 + CLEAR
    bottom, top = state.position[2] - state.extent[2] / 2, state.position[2] + state.extent[2] / 2
    for other in states:
        name, theirs = other.value("name"), CATEGORIES[other.value("name")].stands
        low, high = other.position[2] - other.extent[2] / 2, other.position[2] + other.extent[2] / 2
        if "flat" in (stands, theirs) and stands != theirs:
            continue
        if low >= top - 1e-6 or high <= bottom + 1e-6:
            continue
        if name == "door" and stands in ("back", "floor"):
            depth, width, height = other.extent
            other = replace(other, extent=(depth + 1.2, width, height))
        away = math.dist(state.position[:2], other.position[:2])
        if away > reach + math.hypot(*other.extent[:2]) / 2:
            continue
        if box.distance(_footprint(other)) < CLEAR:
            return False
    return True


@functools.lru_cache(1)
def _walls(outline: Outline) -> shapely.Polygon:
    return shapely.Polygon(outline).buffer(0.01)


def _footprint(state: ObjectState) -> shapely.Polygon:
    return footprints(
        np.array([state.position]), np.array([state.heading]), np.array([state.extent])
    )[0]
