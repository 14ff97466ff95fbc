"""What holds between the things of a room, now and before its change: the geometry under the room language.

A `World` puts the objects of the changed scene and of the scene before it into one list of states, so that a thing can
be compared with where another one was. Indices below `now` are of the changed scene, the others of the scene before.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from po3d.language.programs.rooms import DIRECTIONS
from po3d.scene.edits import Edited
from po3d.scene.geometry import Array
from po3d.scene.index import Layout
from po3d.scene.rectangles import distance, from_segment, holds
from po3d.scene.rooms import SYNONYMS, purposes_of
from po3d.scene.table import ObjectState, Scene


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


class World:
    """`edited`: the changed scene and its history; `before`: the scene that was changed, or its layout, which saves
    working it out for every change. Both in one frame."""

    def __init__(self, edited: Edited, before: Scene | Layout, rules: RoomRules = DEFAULT_ROOM_RULES) -> None:
        self.was = before if isinstance(before, Layout) else Layout(before)
        self.edited, self.before, self.rules = edited, self.was.scene, rules
        self.present = self.was if edited.scene is self.before else Layout(edited.scene, self.was)
        self.things = self.present.things + self.was.things  # of now, then of before
        self.now = len(self.present.things)
        self.axes = edited.scene.axes

    @cached_property
    def states(self) -> tuple[ObjectState, ...]:
        return (*self.edited.scene.objects, *self.before.objects)

    @cached_property
    def names(self) -> list[str]:
        return self.present.names + self.was.names

    @cached_property
    def position(self) -> Array:
        return np.array([s.position for s in self.states], float).reshape(-1, 3)

    @cached_property
    def extent(self) -> Array:
        return np.array([s.extent for s in self.states], float).reshape(-1, 3)

    @cached_property
    def ground(self) -> Array:
        """(n, 2) positions as (to the right, to the front)."""
        return np.array([(t.right, t.front) for t in self.things], float).reshape(-1, 2)

    @cached_property
    def supports(self) -> list[int | None]:
        """What each state rests on, in its own time."""
        return [*self.present.below, *(None if k is None else k + self.now for k in self.was.below)]

    @property
    def middle(self) -> Array:
        """(2,) the room's centre, to the right and to the front."""
        return np.array(self.was.middle)

    @property
    def half(self) -> Array:
        """(2,) half the room's size, across and along the frame."""
        return np.array(self.was.half)

    def times(self, before: bool) -> range:
        """The indices of one time."""
        return range(self.now, len(self.things)) if before else range(self.now)

    @cached_property
    def salient(self) -> frozenset[int]:
        """Indices of all that the change was about, now and before."""
        return self.edited.touched.union(self.now + k for k in self.edited.touched_before)

    @cached_property
    def mentioned(self) -> frozenset[int]:
        """Indices of what the change named to say where, now and before."""
        now = self.edited.index
        named = self.edited.mentioned
        return frozenset(now[k] for k in named if k in now).union(self.now + k for k in named)

    def touched(self, index: int) -> bool:
        return index in self.salient

    def called(self, noun: str, among: range) -> list[int]:
        """Those of one time that a noun means; see `Layout.called`."""
        return self.named(noun, among.start >= self.now and len(among) > 0)

    def named(self, noun: str, before: bool) -> list[int]:
        """`called` among the things of one time."""
        if before:
            now = self.now
            return [now + i for i in self.was.called(noun)]
        return [*self.present.called(noun)]

    def value(self, index: int, attribute: str) -> str | None:
        """What the table believes of an attribute; None when it says nothing."""
        state = self.things[index].state
        return state.value(attribute) if attribute in state.beliefs else None

    def height(self, index: int) -> float:
        """Metres from the floor to the middle of a thing."""
        return self.things[index].state.position[2]

    def extents(self, index: int) -> tuple[float, float, float]:
        """Depth, width and height of a thing, metres."""
        return self.things[index].state.extent

    def purposes(self, index: int) -> tuple[str, ...]:
        name = self.things[index].name
        return purposes_of(SYNONYMS.get(name, name))

    def bearing(self, start: int, goal: int) -> float:
        """Radians clockwise from the front of the way from one thing to another."""
        a, b = self.things[start], self.things[goal]
        return math.atan2(b.right - a.right, b.front - a.front)

    def distance(self, first: int, second: int) -> float:
        """Metres between two centres along the ground."""
        a, b = self.things[first], self.things[second]
        return math.hypot(a.right - b.right, a.front - b.front)

    def distance_from(self, index: int) -> Callable[[int], float]:
        """The distance of others from one thing."""
        things = self.things
        right, front = things[index].right, things[index].front
        return lambda i: math.hypot(things[i].right - right, things[i].front - front)

    def gap(self, index: int, others: list[int]) -> Array:
        """(k,) metres between footprints."""
        box = self.things[index].box
        return np.array([distance(box, self.things[i].box) for i in others])

    def near(self, index: int, other: int) -> bool:
        """Whether two footprints are within `next_to` of each other."""
        a, b = self.things[index], self.things[other]
        limit = self.rules.next_to
        if math.hypot(a.right - b.right, a.front - b.front) > a.reach + b.reach + limit:
            return False
        return distance(a.box, b.box) <= limit

    def stacked(self, index: int, other: int) -> bool:
        """Whether one stands over the other: the middle of either is within the other's footprint."""
        return not self.beside(index, [other])

    def beside(self, index: int, among: Iterable[int]) -> list[int]:
        """Those that are not stacked with a thing."""
        things, one = self.things, self.things[index]
        box, reach, right, front = one.box, one.reach, one.right, one.front
        found = []
        for i in among:
            other = things[i]
            limit = reach + other.reach
            if (
                not -limit < other.right - right < limit
                or not -limit < other.front - front < limit
                or not (holds(box, other.box.x, other.box.y) or holds(other.box, box.x, box.y))
            ):
                found.append(i)
        return found

    def lies(self, direction: str, start: int, goal: int) -> bool:
        """Whether `goal` lies in a direction from `start`: within the cone, and not over or under it."""
        return bool(self.lying(direction, start, [goal]))

    def lying(self, direction: str, start: int, among: Iterable[int]) -> list[int]:
        """Those that lie in a direction from `start`."""
        cone = math.radians(self.rules.cone) * (1.0 if " " not in direction else 0.5) + 1e-9
        ahead, things = azimuth(direction), self.things
        right, front = things[start].right, things[start].front
        atan2, remainder, turn = math.atan2, math.remainder, 2 * math.pi
        found = [
            i
            for i in among
            if -cone
            <= remainder(atan2(things[i].right - right, things[i].front - front) - ahead, turn)
            <= cone
        ]
        return self.beside(start, found)

    def off_centre(self, index: int) -> tuple[float, float]:
        """How far from the room's centre to the right and to the front, 1 at the walls."""
        thing, (right, front), (across, along) = self.things[index], self.was.middle, self.was.half
        return (thing.right - right) / max(across, 1e-6), (thing.front - front) / max(along, 1e-6)

    def at_side(self, direction: str, index: int) -> bool:
        """Whether a thing is at one side of the room, or at both that meet in a corner."""
        across, along = self.off_centre(index)
        reach = {"front": along, "back": -along, "right": across, "left": -across}
        return all(reach[word] >= 1 - 2 * self.rules.side - 1e-9 for word in direction.split())

    def between(self, first: int, second: int, index: int) -> bool:
        a, b, p = self.things[first], self.things[second], self.things[index]
        right, front = b.right - a.right, b.front - a.front
        length = math.hypot(right, front)
        if length < 1e-6:
            return False
        x, y = p.right - a.right, p.front - a.front
        t = (x * right + y * front) / length**2
        return 0.1 < t < 0.9 and abs(right * y - front * x) / length <= self.rules.between

    def blocking(self, first: int, second: int, among: Iterable[int]) -> list[int]:
        """Those that stand in the direct path between two things."""
        things, path, step_over, head = self.things, self.rules.path, self.rules.step_over, self.rules.head
        a, b = things[first].box, things[second].box
        dx, dy = b.x - a.x, b.y - a.y
        length = math.hypot(dx, dy)
        near = []
        for i in among:
            thing = things[i]
            if abs((thing.box.x - a.x) * dy - (thing.box.y - a.y) * dx) > (thing.reach + path) * length:
                continue  # far from the line
            if thing.state.extent[2] > step_over and thing.low < head and i != first and i != second:
                near.append(i)
        ends = (a.x, a.y), (b.x, b.y)
        near = self.beside(first, self.beside(second, near))
        return [i for i in near if from_segment(things[i].box, *ends) < path]


def azimuth(direction: str) -> float:
    """Radians clockwise from the front."""
    return DIRECTIONS.index(direction) * math.pi / 4


def direction_word(bearing: float) -> str:
    """The nearest of the eight directions, in the benchmark's words."""
    return DIRECTIONS[round(bearing / (math.pi / 4)) % 8]
