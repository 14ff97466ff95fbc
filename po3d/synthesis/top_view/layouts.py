"""Random rooms as scenes: walls, doors and windows, furniture against walls and free-standing,
objects on objects.

Counts and sizes follow `po3d.scene.rooms` (measured on scanned rooms and a furniture catalogue).
Pure functions of (seed, index), independent of machine and number of workers.
"""

import functools
import math
from collections import Counter
from dataclasses import dataclass

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
DULL = ("white", "black", "gray", "brown", "beige")  # the colours of half of the objects in rooms


@dataclass
class _Room:
    outline: tuple[tuple[float, float], ...]
    states: list[ObjectState]

    @functools.cached_property
    def walls(self) -> shapely.Polygon:
        return shapely.Polygon(self.outline).buffer(0.01)


def sample_room(
    seed: int, index: int, split: str = "test", objects: tuple[int, int] | None = None
) -> Scene:
    """Sample room `index` of a seed, with the axes of a map whose top is the world's +y. `objects`:
    smallest and largest number of objects besides doors and windows, if they fit; None: by the
    room's size.
    """
    random = rng(seed, f"room/{split}", index)
    width, depth = random.uniform(*ROOM, size=2)
    outline = ((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth))
    room = _Room(tuple((float(x), float(y)) for x, y in outline), [])
    for name, count in (
        ("door", random.choice([1, 1, 1, 2])),
        ("window", random.choice([0, 1, 1, 2])),
    ):
        for _ in range(count):
            _put(room, name, random)
    for name in _contents(width * depth, random, objects):
        _put(room, name, random)
    axes = axes_from_front((0.0, 1.0))
    return Scene(
        tuple(room.states),
        axes,
        "gt",
        image=f"room_{split}_{seed}_{index:06d}",
        outline=room.outline,
    )


@functools.cache
def _kinds() -> dict[str, dict[str, float]]:
    """Return, for each kind of room, its typical objects with the factors of their weights, from
    `kinds.csv`.
    """
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
    order = {"flat": 0, "back": 1, "wall": 2, "floor": 3, "top": 4}
    chosen = sorted(
        counts.elements(), key=lambda n: (order[CATEGORIES[n].stands], -CATEGORIES[n].width)
    )
    return chosen


def _put(room: _Room, name: str, random: np.random.Generator) -> None:
    """Add one object at a random free place; omit it if none is found."""
    category = CATEGORIES[name]
    scale = np.exp(random.normal(0, SCALE, 2))
    extent = np.array(
        [category.depth * scale[0], category.width * scale[0], category.height * scale[1]]
    )
    if category.stands == "wall":
        extent[2] = min(extent[2], 2.45 - category.bottom)
    beliefs = sure(name=name, **_looks(category, random))
    place = {"back": _at_wall, "wall": _at_wall, "top": _on_top}.get(category.stands, _anywhere)
    for _ in range(TRIES):
        spot = place(room, name, extent, random)
        if spot is None:
            continue
        (x, y, bottom), heading = spot
        state = ObjectState(
            beliefs,
            (float(x), float(y), float(bottom + extent[2] / 2)),
            float(heading),
            tuple(map(float, extent)),
        )
        if _free(room, state, category.stands):
            room.states.append(state)
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


def _at_wall(room: _Room, name: str, extent: np.ndarray, random: np.random.Generator):
    corners = np.array(room.outline)
    k = int(random.integers(len(corners)))
    start, end = corners[k], corners[(k + 1) % len(corners)]
    length = float(np.linalg.norm(end - start))
    if length <= extent[1] + 0.05:
        return None
    along = (end - start) / length
    inward = np.array([-along[1], along[0]])
    t = random.uniform(extent[1] / 2, length - extent[1] / 2)
    off = extent[0] / 2 + (0.005 if CATEGORIES[name].stands == "wall" else 0.03)
    return (*(start + t * along + off * inward), CATEGORIES[name].bottom), math.atan2(
        inward[1], inward[0]
    )


def _anywhere(room: _Room, name: str, extent: np.ndarray, random: np.random.Generator):
    corners = np.array(room.outline)
    low, high = corners.min(0), corners.max(0)
    heading = random.integers(4) * math.pi / 2
    if random.random() < 0.3 and CATEGORIES[name].stands == "floor":
        heading = random.uniform(-math.pi, math.pi)
    return (*random.uniform(low, high), 0.0), math.remainder(heading, 2 * math.pi)


def _on_top(room: _Room, name: str, extent: np.ndarray, random: np.random.Generator):
    bearing = CARRIERS.get(name)
    if bearing is None:
        bearing = [n for n, category in CATEGORIES.items() if category.carries]
    carriers = [s for s in room.states if s.value("name") in bearing and s.extent[1] >= extent[1]]
    if not carriers:
        return None
    base = carriers[int(random.integers(len(carriers)))]
    room_left = np.maximum((np.array(base.extent[:2]) - extent[:2]) / 2, 0)
    local = random.uniform(-room_left, room_left)
    c, s = math.cos(base.heading), math.sin(base.heading)
    x, y = (
        base.position[0] + c * local[0] - s * local[1],
        base.position[1] + s * local[0] + c * local[1],
    )
    return (x, y, base.position[2] + base.extent[2] / 2), base.heading


def _free(room: _Room, state: ObjectState, stands: str) -> bool:
    """Return whether a place is inside the room and clear of all objects at its height. The floor
    in front of doors stays free.
    """
    box = footprints(
        np.array([state.position]), np.array([state.heading]), np.array([state.extent])
    )[0]
    if not room.walls.covers(box):
        return False
    reach = math.hypot(*state.extent[:2]) / 2 + CLEAR
    bottom, top = state.position[2] - state.extent[2] / 2, state.position[2] + state.extent[2] / 2
    for other in room.states:
        name = other.value("name")
        low, high = other.position[2] - other.extent[2] / 2, other.position[2] + other.extent[2] / 2
        flat = "flat" in (stands, CATEGORIES[name].stands)
        if (
            (flat and stands != CATEGORIES[name].stands)
            or low >= top - 1e-6
            or high <= bottom + 1e-6
        ):
            continue
        extent = np.array(other.extent)
        if name == "door" and stands in ("back", "floor"):
            extent = extent + (1.2, 0.0, 0.0)
        if math.dist(state.position[:2], other.position[:2]) > reach + math.hypot(*extent[:2]) / 2:
            continue
        theirs = footprints(np.array([other.position]), np.array([other.heading]), extent[None])[0]
        if box.distance(theirs) < CLEAR:
            return False
    return True
