"""What follows from a room's table, worked out once: what rests on what, footprints, positions in the frame.

A scene holds state only; a `Layout` stands beside it for as long as it is asked about. The layout of a changed scene
takes over the rows of the things that the change left alone.
"""

import math
from functools import cached_property, lru_cache
from itertools import compress
from typing import NamedTuple

import numpy as np

from po3d.edits import Edited, footprint, support, unchanged
from po3d.floor import Floor
from po3d.frames import in_frame, room_centre
from po3d.rectangles import Rectangle
from po3d.rooms import NOUNS_OF_USE, SYNONYMS, attribute_of, is_a, purposes_of
from po3d.scene import ObjectState, Scene


class Thing(NamedTuple):
    """One row: its footprint, and its place to the right and to the front of the frame."""

    state: ObjectState
    name: str
    box: Rectangle
    reach: float  # half the footprint's diagonal
    low: float  # height of its underside
    top: float
    right: float
    front: float


class Layout:
    """`like`: the layout of the scene that this one was changed from, in the same frame."""

    def __init__(self, scene: Scene, like: "Layout | None" = None) -> None:
        self.scene = scene
        self._like = like if like is not None and like.scene.axes == scene.axes else None
        made = self._like.by_identity if self._like is not None else {}
        self.things = [made.get(id(state)) or self._thing(state) for state in scene.objects]
        self.names = [thing.name for thing in self.things]
        self._called: dict[str, list[int]] = {}
        if self._like is not None and self._like.names == self.names:
            self._called = self._like._called
        self._ways: dict[str, tuple[float, float]] = {}

    @cached_property
    def by_identity(self) -> dict[int, Thing]:
        """Rows by the identity of their state, which the row itself keeps alive."""
        return {id(thing.state): thing for thing in self.things}

    def _thing(self, state: ObjectState) -> Thing:
        (right_x, right_y), (front_x, front_y) = self.scene.axes["right"], self.scene.axes["front"]
        x, y, z = state.position
        name = state.value("name") if "name" in state.beliefs else ""
        box, half = footprint(state), state.extent[2] / 2
        return Thing(
            state, name, box, math.hypot(box.a, box.b), z - half, z + half,
            x * right_x + y * right_y, x * front_x + y * front_y,
        )  # fmt: skip

    @cached_property
    def unchanged(self) -> Edited:
        """The scene as the change that does nothing."""
        return unchanged(self.scene)

    @cached_property
    def below(self) -> list[int | None]:
        """`support` of the scene."""
        return support(self.scene.objects)

    @cached_property
    def floor(self) -> Floor | None:
        """None when the table has no outline."""
        if self._like and self._like.scene.outline is self.scene.outline:
            return self._like.floor
        return Floor(self.scene.outline) if self.scene.outline else None

    @cached_property
    def centre(self) -> tuple[float, float]:
        """`room_centre` of the scene."""
        x, y = room_centre(self.scene).tolist()
        return x, y

    @cached_property
    def middle(self) -> tuple[float, float]:
        """The room's centre, to the right and to the front."""
        right, front = in_frame(self.centre, self.scene.axes).tolist()
        return right, front

    @cached_property
    def half(self) -> tuple[float, float]:
        """Half the room's size, across and along the frame."""
        corners = np.array(self.scene.outline) if self.scene.outline else self.scene.positions[:, :2]
        points = in_frame(corners, self.scene.axes)
        across, along = ((points.max(0) - points.min(0)) / 2).tolist()
        return across, along

    def called(self, noun: str) -> list[int]:
        """Those that a noun means: by their own name, else by what noun and name are other words for, else what serves
        the purpose that the noun names ("seat"), else by the noun's last words ("kitchen chair")."""
        found = self._called.get(noun)
        if found is None:
            rows = range(len(self.names))
            found = [*compress(rows, map(_meant(noun).__getitem__, self.names))]
            if not found:
                found = [*compress(rows, map(_meant(noun, True).__getitem__, self.names))]
            if not found and noun in NOUNS_OF_USE:
                found = [
                    i
                    for i, name in enumerate(self.names)
                    if NOUNS_OF_USE[noun] in purposes_of(SYNONYMS.get(name, name))
                ]
            if not found:
                first, _, rest = noun.partition(" ")
                if rest and attribute_of(first) is None:
                    found = self.called(rest)
            self._called[noun] = found
        return found

    def way(self, direction: str) -> tuple[float, float]:
        """Unit ground vector of "left", "front right" ... in the scene's frame."""
        found = self._ways.get(direction)
        if found is None:
            axes = [self.scene.axes[_AXIS.get(word, word)] for word in direction.split()]
            x, y = (sum(part) for part in zip(*axes))
            length = math.hypot(x, y)
            found = self._ways[direction] = (x / length, y / length)
        return found


_AXIS = {"back": "behind"}


class _Meant(dict[str, bool]):
    """Whether a name is meant by a noun, for the names met so far; `loosely`: by what both are other words for."""

    def __init__(self, noun: str, loosely: bool) -> None:
        super().__init__()
        self.noun, self.loosely = noun, loosely

    def __missing__(self, name: str) -> bool:
        noun, called = self.noun, name
        if self.loosely:
            noun, called = SYNONYMS.get(noun, noun), SYNONYMS.get(name, name)
        found = self[name] = is_a(called, noun)
        return found


@lru_cache(1024)
def _meant(noun: str, loosely: bool = False) -> _Meant:
    return _Meant(noun, loosely)
