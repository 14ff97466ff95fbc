"""Cached quantities of a room's table: supports, footprints, positions in the frame.

A scene holds state only; a `SceneIndex` caches what is computed from it. The layout of an edited
scene reuses the rows of unchanged objects.
"""

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from po3d.scene.edits import footprint, resting
from po3d.scene.floor import Floor, floor_of
from po3d.scene.frames import ground_corners, room_centre
from po3d.scene.rectangles import Rectangle
from po3d.scene.rooms import NOUNS_OF_USE, SYNONYMS, attribute_of, is_a, is_likeness, purposes_of
from po3d.scene.table import ObjectState, Scene

FLAT = 0.05  # metres: lower objects are not obstacles


class Thing(NamedTuple):
    """One object: its footprint, and its position (right, front) in the reference frame."""

    state: ObjectState
    name: str
    box: Rectangle
    reach: float  # half the diagonal of the footprint
    low: float  # height of the bottom
    top: float
    right: float
    front: float
    x0: float  # axis-aligned bounding box of the footprint in world coordinates
    x1: float
    y0: float
    y1: float

    @property
    def z(self) -> float:
        """Height of the centre."""
        return self.state.position[2]

    @property
    def height(self) -> float:
        """Height of the box."""
        return self.state.extent[2]

    @property
    def longest(self) -> float:
        """Longest edge of the box."""
        return max(self.state.extent)


_thing = partial(tuple.__new__, Thing)  # constructs in half the time of the class's own constructor


class SceneIndex:
    """The derived quantities of a scene.

    `like` is the layout of the scene before an edit, in the same reference frame. `known` has rows
    by the id() of their state, in the same frame too, and gets those of this scene.
    """

    def __init__(
        self,
        scene: Scene,
        like: "SceneIndex | None" = None,
        known: "dict[int, Thing] | None" = None,
    ) -> None:
        self.scene = scene
        self._like = like = like if like is not None and like.scene.axes == scene.axes else None
        self._axes = scene.axes["right"], scene.axes["front"]
        cached = like.by_identity if like is not None else known or {}
        self.things = list(map(cached.get, map(id, scene.objects)))
        for k, thing in enumerate(self.things):
            if thing is None:
                self.things[k] = self._thing(scene.objects[k])
        if known is not None:
            known.update(self.by_identity)
        self.names = [thing.name for thing in self.things]
        if like is not None and like.names == self.names:
            self._gone, self._rows_by_noun = like._gone, like._rows_by_noun
        else:
            self._gone = frozenset()
            if like is not None:
                self._gone = like._gone.union(like.names).difference(self.names)
            self._rows_by_noun = _rows_by_noun(tuple(self.names), self._gone)
        self._ways: dict[str, tuple[float, float]] = {}

    @cached_property
    def by_identity(self) -> dict[int, Thing]:
        """Rows by the id() of their state; the row keeps the state alive, so ids stay unique."""
        return {id(thing.state): thing for thing in self.things}

    def _thing(self, state: ObjectState) -> Thing:
        (right_x, right_y), (front_x, front_y) = self._axes
        x, y, z = state.position
        name = state.value("name") if "name" in state.beliefs else ""
        box, half = footprint(state), state.extent[2] / 2
        _, _, c, s, a, b = box
        across, along = abs(c), abs(s)
        half_x, half_y = a * across + b * along, a * along + b * across
        return _thing((
            state, name, box, math.hypot(a, b), z - half, z + half,
            x * right_x + y * right_y, x * front_x + y * front_y,
            x - half_x, x + half_x, y - half_y, y + half_y,
        ))  # fmt: skip

    @cached_property
    def solid(self) -> list[Thing]:
        """Objects high enough to be obstacles."""
        return [thing for thing in self.things if thing.state.extent[2] > FLAT]

    @cached_property
    def below(self) -> list[int | None]:
        """Index of the object that each object rests on, None for none (`edits.support`)."""
        return resting(self.things)

    @cached_property
    def floor(self) -> Floor | None:
        """Floor of the room; None for a table without an outline."""
        if self._like and self._like.scene.outline is self.scene.outline:
            return self._like.floor
        return floor_of(tuple(map(tuple, self.scene.outline))) if self.scene.outline else None

    @cached_property
    def centre(self) -> tuple[float, float]:
        """Centre (x, y) of the room in world coordinates (`frames.room_centre`)."""
        return room_centre(self.scene)

    @cached_property
    def middle(self) -> tuple[float, float]:
        """Centre of the room, to the right and to the front."""
        return self._ahead(self.centre)

    @cached_property
    def half(self) -> tuple[float, float]:
        """Half the size of the room, across and along the frame."""
        right, front = zip(*map(self._ahead, ground_corners(self.scene)))
        return (max(right) - min(right)) / 2, (max(front) - min(front)) / 2

    def _ahead(self, point: tuple[float, float]) -> tuple[float, float]:
        """Return a ground point as (to the right, to the front)."""
        (x, y), ((right_x, right_y), (front_x, front_y)) = point, self._axes
        return x * right_x + y * right_y, x * front_x + y * front_y

    def rows_named(self, noun: str) -> list[int]:
        """Return the indices of the objects that a noun denotes.

        Tried in order: objects of that name, synonyms, objects that serve the purpose of the noun
        ("seat"), likenesses, and finally the noun without its first word ("kitchen chair"). The
        last step is skipped if an edit removed what the noun denotes: no armchair is an office
        chair because the office chair is gone.
        """
        indices = self._rows_by_noun.get(noun)
        if indices is None:
            fits, last_words = name_fits(noun, self.names)
            best = max(fits, default=_NOT)
            if best != _NOT:
                indices = [i for i, fit in enumerate(fits) if fit == best]
            else:
                gone = any(map(partial(_fit, noun), self._gone))
                indices = self.rows_named(last_words) if last_words and not gone else []
            self._rows_by_noun[noun] = indices
        return indices

    def way(self, direction: str) -> tuple[float, float]:
        """Return the unit ground vector of "left", "front right" ... in the scene's frame."""
        vector = self._ways.get(direction)
        if vector is None:
            x = y = 0.0
            for word in direction.split():
                dx, dy = self.scene.axes["behind" if word == "back" else word]
                x, y = x + dx, y + dy
            length = math.hypot(x, y)
            vector = self._ways[direction] = (x / length, y / length)
        return vector


@lru_cache(1024)
def _rows_by_noun(_names: tuple[str, ...], _gone: frozenset[str]) -> dict[str, list[int]]:
    """Return a dict that caches `called` for all tables with these names and these removed names.

    Posterior samples of one table mostly share their names, so they share this cache.
    """
    return {}


_NOT, _BY_LIKENESS, _BY_USE, _BY_OTHER_WORDS, _BY_NAME = range(5)


@lru_cache(1 << 16)
def _fit(noun: str, name: str) -> int:
    """Return how well a name fits a noun."""
    usual, canonical = SYNONYMS.get(noun, noun), SYNONYMS.get(name, name)
    if is_a(name, noun):
        return _BY_NAME
    if is_a(canonical, usual):
        return _BY_OTHER_WORDS
    if noun in NOUNS_OF_USE and NOUNS_OF_USE[noun] in purposes_of(canonical):
        return _BY_USE
    return _BY_LIKENESS if _bare(name) == _bare(noun) or is_likeness(name, noun) else _NOT


def _bare(name: str) -> str:
    """Return a name without apostrophes and plural endings: "pupil table" for "pupils' tables"."""
    return " ".join(word.strip("'’").rstrip("s").rstrip("'’") for word in name.split())


def name_fits(noun: str, names: Sequence[str]) -> tuple[list[int], str]:
    """Return how well each name fits a noun, 0 for not at all, and the noun without its first word
    ("" if that is an attribute or there is none): see `SceneIndex.rows_named`."""
    first, _, rest = noun.partition(" ")
    return list(map(partial(_fit, noun), names)), rest if attribute_of(first) is None else ""
