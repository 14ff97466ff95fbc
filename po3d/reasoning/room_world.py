"""What holds between the things of a room, now and before its change: the geometry under the room language.

A `World` puts the objects of the changed scene and of the scene before it into one list of states, so that a thing can
be compared with where another one was. Indices below `now` are of the changed scene, the others of the scene before.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from po3d.edits import Edited, support, within
from po3d.frames import in_frame, room_centre
from po3d.geometry import Array
from po3d.placement import footprints
from po3d.reasoning.room_program import DIRECTIONS
from po3d.rooms import SYNONYMS, is_a, purposes_of
from po3d.scene import Scene


@dataclass(frozen=True)
class RoomRules:
    """The meaning of the words that geometry leaves open. Hypo3D publishes none; these are ours."""

    next_to: float = 0.5  # metres between the footprints of neighbours
    cone: float = 45.0  # degrees on either side of a direction; half of it for combined ones ("front left")
    side: float = 1 / 3  # of the room's length that counts as one of its sides
    between: float = 0.6  # metres off the line from one to the other
    path: float = 0.2  # half the width of a direct path, metres
    step_over: float = 0.05  # what is flatter blocks no path
    head: float = 1.6  # what hangs higher blocks no path


DEFAULT_ROOM_RULES = RoomRules()
VALUE_WORDS = {  # other words for values
    "grey": "gray", "wood": "wooden", "cloth": "fabric", "shut": "closed", "metallic": "metal", "cardboard": "paper", "steel": "metal",
    "opened": "open", "emptied": "empty", "filled": "full", "cleaned": "clean", "soiled": "dirty", "smashed": "broken", "filthy": "dirty",
    "running": "on", "lit": "on", "ceramics": "ceramic", "porcelain": "ceramic", "textile": "fabric", "violet": "purple",
}  # fmt: skip


class World:
    """`edited`: the changed scene and its history; `before`: the scene that was changed. Both in one frame."""

    def __init__(self, edited: Edited, before: Scene, rules: RoomRules = DEFAULT_ROOM_RULES) -> None:
        self.edited, self.before, self.rules = edited, before, rules
        self.now = len(edited.scene)
        self.states = (*edited.scene.objects, *before.objects)
        self.axes = edited.scene.axes
        self.names = [state.value("name") for state in self.states]

    @cached_property
    def position(self) -> Array:
        return np.array([s.position for s in self.states], float).reshape(-1, 3)

    @cached_property
    def extent(self) -> Array:
        return np.array([s.extent for s in self.states], float).reshape(-1, 3)

    @cached_property
    def heading(self) -> Array:
        return np.array([s.heading for s in self.states], float)

    @cached_property
    def ground(self) -> Array:
        """(n, 2) positions as (to the right, to the front)."""
        return in_frame(self.position[:, :2], self.axes)

    @cached_property
    def footprints(self) -> np.ndarray:
        return footprints(self.position, self.heading, self.extent)

    @cached_property
    def supports(self) -> list[int | None]:
        """What each state rests on, in its own time."""
        before = support(self.before.objects)
        return [*support(self.edited.scene.objects), *(None if k is None else k + self.now for k in before)]

    @cached_property
    def middle(self) -> Array:
        """(2,) the room's centre, to the right and to the front."""
        return in_frame(room_centre(self.before), self.axes)

    @cached_property
    def half(self) -> Array:
        """(2,) half the room's size, across and along the frame."""
        corners = np.array(self.before.outline) if self.before.outline else self.before.positions[:, :2]
        points = in_frame(corners, self.axes)
        return (points.max(0) - points.min(0)) / 2

    def times(self, before: bool) -> range:
        """The indices of one time."""
        return range(self.now, len(self.states)) if before else range(self.now)

    def touched(self, index: int) -> bool:
        if index < self.now:
            return index in self.edited.touched
        return index - self.now in self.edited.touched_before

    def called(self, noun: str, among: range) -> list[int]:
        """Those that a noun means: by their own name, else by what noun and name are other words for."""
        found = [i for i in among if is_a(self.names[i], noun)]
        if not found:
            noun = SYNONYMS.get(noun, noun)
            found = [i for i in among if is_a(SYNONYMS.get(self.names[i], self.names[i]), noun)]
        return found

    def value(self, index: int, attribute: str) -> str | None:
        """What the table believes of an attribute; None when it says nothing."""
        return self.states[index].value(attribute) if attribute in self.states[index].beliefs else None

    def purposes(self, index: int) -> tuple[str, ...]:
        return purposes_of(SYNONYMS.get(self.names[index], self.names[index]))

    def bearing(self, start: int, goal: int) -> float:
        """Radians clockwise from the front of the way from one thing to another."""
        right, front = self.ground[goal] - self.ground[start]
        return math.atan2(right, front)

    def distance(self, first: int, second: int) -> float:
        """Metres between two centres along the ground."""
        return float(np.hypot(*(self.ground[first] - self.ground[second])))

    def gap(self, index: int, others: list[int]) -> Array:
        """(k,) metres between footprints."""
        return shapely.distance(self.footprints[index], self.footprints[others])

    def stacked(self, index: int, other: int) -> bool:
        """Whether one stands over the other: the middle of either is within the other's footprint."""
        pair = [index, other]
        over = within(self.position[pair], self.position[pair], self.heading[pair], self.extent[pair], 0.0)
        return bool(over[0, 1] or over[1, 0])

    def lies(self, direction: str, start: int, goal: int) -> bool:
        """Whether `goal` lies in a direction from `start`: within the cone, and not over or under it."""
        cone = math.radians(self.rules.cone) * (1.0 if " " not in direction else 0.5)
        off = math.remainder(self.bearing(start, goal) - azimuth(direction), 2 * math.pi)
        return abs(off) <= cone + 1e-9 and not self.stacked(start, goal)

    def at_side(self, direction: str, index: int) -> bool:
        """Whether a thing is at one side of the room, or at both that meet in a corner."""
        across, along = (self.ground[index] - self.middle) / np.maximum(self.half, 1e-6)
        reach = {"front": along, "back": -along, "right": across, "left": -across}
        return all(reach[word] >= 1 - 2 * self.rules.side - 1e-9 for word in direction.split())

    def between(self, first: int, second: int, index: int) -> bool:
        a, b, p = self.ground[first], self.ground[second], self.ground[index]
        way = b - a
        length = float(np.hypot(*way))
        if length < 1e-6:
            return False
        t = float((p - a) @ way) / length**2
        off = abs(float(way[0] * (p - a)[1] - way[1] * (p - a)[0])) / length
        return 0.1 < t < 0.9 and off <= self.rules.between

    def blocks(self, first: int, second: int, index: int) -> bool:
        """Whether a thing stands in the direct path between two others."""
        if index in (first, second) or self.stacked(index, first) or self.stacked(index, second):
            return False
        bottom = self.position[index, 2] - self.extent[index, 2] / 2
        if self.extent[index, 2] <= self.rules.step_over or bottom >= self.rules.head:
            return False
        line = shapely.LineString(self.position[[first, second], :2])
        return bool(shapely.distance(line, self.footprints[index]) < self.rules.path)


def azimuth(direction: str) -> float:
    """Radians clockwise from the front."""
    return DIRECTIONS.index(direction) * math.pi / 4


def direction_word(bearing: float) -> str:
    """The nearest of the eight directions, in the benchmark's words."""
    return DIRECTIONS[round(bearing / (math.pi / 4)) % 8]
