"""Relations and measures between the objects of a table, before and after an edit.

A `SceneGeometry` concatenates the objects of the edited scene and of the scene before the edit, so
that an object can be compared with an earlier position. Indices below `now` belong to the edited
scene, the others to the scene before it; VIEWER is the viewer. Single pairs are computed with
plain floats, which is faster than arrays; relations of street scenes are computed for all pairs
at once by `relations`."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial

import numpy as np

from po3d.reasoning import body_relations, relations
from po3d.reasoning.attribute_words import matching
from po3d.reasoning.directions import SIDES_OF_ROOM, azimuth, region_at
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.relations import Pairs
from po3d.reasoning.rules import ROOM_RULES, Rules
from po3d.scene.display import describe
from po3d.scene.edits import Edited, unchanged
from po3d.scene.frames import room_centre
from po3d.scene.index import SceneIndex
from po3d.scene.orbit import Axes, own_axes
from po3d.scene.rectangles import Floats
from po3d.scene.rooms import SYNONYMS, purposes_of
from po3d.scene.table import Scene
from po3d.scene.vocabulary import DIRECTIONS as SIDES
from po3d.scene.vocabulary import FACINGS

VIEWER = -1
EYE = 1.6  # eye height in metres of a viewer who stands in a room


class SceneGeometry:
    """The objects of a scene after and before an edit, in one list and one reference frame.

    `edited` is the edited scene with its history. `before` is the scene that was edited, or its
    layout, which avoids recomputing it for every edit. `stand` is the ground position of the
    viewer in a room, if given."""

    def __init__(
        self,
        edited: Edited,
        before: Scene | SceneIndex,
        rules: Rules = ROOM_RULES,
        stand: tuple[float, float] | None = None,
    ) -> None:
        self.was = before if isinstance(before, SceneIndex) else SceneIndex(before)
        self.edited, self.before, self.rules, self.stand = edited, self.was.scene, rules, stand
        self.present = self.was
        if edited.scene is not self.before:
            self.present = SceneIndex(edited.scene, self.was)
        # of the edited scene, then of the scene before
        self.things = self.present.things + self.was.things
        self.now = len(self.present.things)
        self.axes = edited.scene.axes
        self._times: dict[bool, list[int]] = {}
        self._values: dict[str, frozenset[str]] = {}
        self._spare: dict[tuple[str, ...], list[list[float]]] = {}

    @classmethod
    def of(
        cls, scene: Scene, rules: Rules, stand: tuple[float, float] | None = None
    ) -> "SceneGeometry":
        """Return the geometry of an unedited scene."""
        return cls(unchanged(scene), scene, rules, stand)

    def after(self, edited: Edited) -> "SceneGeometry":
        """Return the geometry after an edit of this one, which must be unedited."""
        return SceneGeometry(edited, self.was, self.rules, self.stand)

    @property
    def scene(self) -> Scene:
        """The edited scene."""
        return self.edited.scene

    @cached_property
    def names(self) -> list[str]:
        """Name of each object; "" without names."""
        return self.present.names + self.was.names

    @cached_property
    def supports(self) -> list[int | None]:
        """Index of the object that each object stands on, in the scene (edited or before) that it
        belongs to; None without one."""
        before = [None if k is None else k + self.now for k in self.was.below]
        return self.present.below + before

    @property
    def half(self) -> tuple[float, float]:
        """Half the size of the room, across and along the frame."""
        return self.was.half

    def times(self, before: bool) -> Sequence[int]:
        """Return the objects after or `before` the edit that probably exist (at least 0.5)."""
        if before not in self._times:
            indices = range(self.now, len(self.things)) if before else range(self.now)
            self._times[before] = [i for i in indices if self.things[i].state.existence >= 0.5]
        return self._times[before]

    def origin(self, index: int) -> int | None:
        """Return the index of an edited object before the edit; None for an added one."""
        old = self.edited.origin[index] if index < self.now else None
        return None if old is None else self.now + old

    @cached_property
    def salient(self) -> frozenset[int]:
        """Indices of all edited objects, before and after the edit."""
        return self.edited.touched.union([self.now + k for k in self.edited.touched_before])

    @cached_property
    def mentioned(self) -> frozenset[int]:
        """Indices of the objects that define a place in the edit, before and after it."""
        index, indices = self.edited.index, set()
        for k in self.edited.mentioned:
            indices.add(self.now + k)
            if k in index:
                indices.add(index[k])
        return frozenset(indices)

    def named(self, noun: str, before: bool) -> Sequence[int]:
        """Return the objects after or `before` the edit that `SceneIndex.rows_named` returns."""
        if before:
            return [self.now + i for i in self.was.rows_named(noun)]
        return self.present.rows_named(noun)

    def value(self, index: int, attribute: str) -> str | None:
        """Return the most probable value of an attribute; None if the object has none."""
        state = self.things[index].state
        return state.value(attribute) if attribute in state.beliefs else None

    def having(self, attribute: str, text: str, candidates: Iterable[int]) -> list[int]:
        """Return the objects whose attribute value matches a word (`attribute_words`)."""
        candidates = list(candidates)
        values = list(map(partial(self.value, attribute=attribute), candidates))
        match = matching(values, text, partial(self.values, attribute))
        return list(itertools.compress(candidates, match))

    def values(self, attribute: str) -> frozenset[str]:
        """Return the values of an attribute over all objects, before and after the edit."""
        if attribute not in self._values:
            values = map(partial(self.value, attribute=attribute), range(len(self.things)))
            self._values[attribute] = frozenset(values) - {None}
        return self._values[attribute]

    def height(self, index: int) -> float:
        """Return the height of an object's centre above the floor."""
        return self.things[index].z

    def extents(self, index: int) -> tuple[float, float, float]:
        """Return depth, width and height of an object."""
        return self.things[index].state.extent

    def volume(self, index: int) -> float:
        """Return the volume of an object's box."""
        depth, width, height = self.extents(index)
        return depth * width * height

    def purposes(self, index: int) -> tuple[str, ...]:
        """Return the purposes of an object, by its name."""
        name = self.things[index].name
        return purposes_of(SYNONYMS.get(name, name))

    def describe(self, index: int, number: int | None = None) -> str:
        """Return the name, numbered among equal names; without names, number and attributes
        (`number` then replaces the index)."""
        if index == VIEWER:
            return "who asks" if self.rules.viewer == "stands" else "the camera"
        thing = self.things[index]
        if not thing.name:
            return describe(thing.state, index if number is None else number)
        alike = [i for i in self.times(index >= self.now) if self.names[i] == thing.name]
        which = f" {alike.index(index) + 1}" if len(alike) > 1 and index in alike else ""
        return f"{thing.name}{which}{' (before)' if index >= self.now else ''}"

    # --- places -----------------------------------------------------------------------------------

    def point(self, index: int) -> tuple[float, float, float]:
        """Return the world position of an object, or of the viewer's eye."""
        if index != VIEWER:
            return self.things[index].state.position
        return self.eye

    @cached_property
    def eye(self) -> tuple[float, float, float]:
        """World position of the viewer's eye.

        In a room: at `stand`, else at the centre, EYE above the floor. Otherwise the camera's
        position.
        """
        if self.rules.viewer == "stands":
            if not self.was.things:
                raise ExecutionFailure("unknown", "unknown: a room without objects has no middle")
            return (*(self.stand or room_centre(self.before)), EYE)
        camera = self.scene.camera
        if camera is None:
            raise ExecutionFailure("unknown", "the scene has no camera")
        return tuple(camera.position.tolist())

    def heading(self, index: int) -> float:
        """Return the most probable heading of an object, radians; in a room, the viewer's front."""
        if index == VIEWER:
            if self.rules.viewer == "stands":
                return math.atan2(*reversed(self.axes["front"]))
            raise ExecutionFailure("unknown", "unknown: the camera has no front in this scene")
        state = self.things[index].state
        return state.heading + math.pi * (state.flip > 0.5)

    def own_axes(self, index: int) -> Axes:
        """Return the axes of an object's own frame."""
        return own_axes(self.heading(index))

    def vector(self, start: int, goal: int) -> tuple[float, float]:
        """Return the ground vector from one object to another, world coordinates."""
        (x, y, _), (u, v, _) = self.point(start), self.point(goal)
        return u - x, v - y

    def distance(self, first: int, second: int) -> float:
        """Return the distance between two centres, on the ground or in space by the rules."""
        return self.distance_from(first)(second)

    def distance_from(self, index: int) -> Callable[[int], float]:
        """Return a function that gives the distance of another object from this one."""
        if index == VIEWER and self.rules.viewer == "stands":
            x, y, _ = self.eye
            return lambda i: math.dist(self.things[i].state.position[:2], (x, y))
        if self.rules.distance == "space" or index == VIEWER:
            start = self.point(index)
            return lambda i: math.dist(self.things[i].state.position, start)
        things, hypot = self.things, math.hypot
        right, front = things[index].right, things[index].front

        def away(i: int) -> float:
            thing = things[i]
            return hypot(thing.right - right, thing.front - front)

        return away

    def others(self, index: int, candidates: Iterable[int]) -> list[int]:
        """Return the objects other than `index`; for the viewer, without the object at `stand`."""
        if index == VIEWER and self.stand is not None:
            return [i for i in candidates if self.things[i].state.position[:2] != self.stand]
        return [i for i in candidates if i != index]

    # --- regions around an object -----------------------------------------------------------------

    def gap(self, index: int, other: int) -> float:
        """Return the distance between the boxes of two objects in space; 0 if they intersect."""
        return body_relations.gap(self.things[index], self.things[other])

    def related(self, relation: str, ones: Sequence[int], candidates: Iterable[int]) -> list[int]:
        """Return the objects in a relation of BODIES to one object, or to two."""
        return body_relations.related(relation, self.things, ones, candidates, self.rules)

    def inside(self, relation: str, ones: Sequence[int], index: int) -> float:
        """Return the signed distance of an object to the border of a relation; inside > 0."""
        bodies = [self.things[k] for k in ones]
        return body_relations.BODIES[relation].spare(bodies, self.things[index], self.rules, Floats)

    def beside(self, index: int, candidates: Iterable[int]) -> list[int]:
        """Return the objects that are not stacked with an object.

        Stacked: the centre of one is in the other's footprint.
        """
        candidates = list(candidates)
        if VIEWER in (index, *candidates[:1]):
            return candidates
        return body_relations.not_stacked(self.things, index, candidates)

    def stacked(self, index: int, other: int) -> bool:
        """Whether one object stands over the other."""
        return body_relations.stacked(self.things[index], self.things[other])

    def over(self, index: int, other: int) -> float:
        """Return the margin by which one object is directly above another; negative if not."""
        return body_relations.over(self.things[index], self.things[other], self.rules)

    def lying(self, direction: str, start: int, candidates: Iterable[int]) -> list[int]:
        """Return the objects in the cone of a direction of the frame from an object.

        The object itself may be in the result if it is in `candidates`.
        """
        in_direction = body_relations.in_cone(direction, self.things, start, candidates, self.rules)
        return self.beside(start, in_direction)

    def within(
        self, direction: str, start: int, axes: Axes, candidates: Iterable[int]
    ) -> list[int]:
        """Return the objects in the cone of a direction for axes other than the frame's."""
        cone, result = body_relations.cone(direction, self.rules), []
        for i in self.beside(start, candidates):
            apart = math.hypot(*self.vector(start, i)) >= 1e-9
            if apart and self.off(direction, start, i, axes) <= cone:
                result.append(i)
        return result

    def off(self, direction: str, start: int, goal: int, axes: Axes) -> float:
        """Return the angle between a direction and the vector between two objects, radians."""
        return abs(self.angle_from(direction, start, goal, axes))

    def angle_from(self, direction: str, start: int, goal: int, axes: Axes) -> float:
        """Return the angle from a direction to the vector between two objects, in [-pi, pi] and
        counter-clockwise."""
        return math.remainder(self.turn(start, goal, axes) + azimuth(direction), math.tau)

    def turn(self, start: int, goal: int, axes: Axes) -> float:
        """Return the azimuth from one object to another, radians from the front to the left.

        Raise ExecutionFailure if both are at the same place.
        """
        x, y = self.vector(start, goal)
        if math.hypot(x, y) < 1e-9:
            places = f"{self.describe(start)} and {self.describe(goal)} are at the same place"
            raise ExecutionFailure("unknown", f"no direction: {places}")
        (lx, ly), (fx, fy) = axes["left"], axes["front"]
        return math.atan2(x * lx + y * ly, x * fx + y * fy)

    # --- regions of the room ----------------------------------------------------------------------

    def off_centre(self, index: int) -> tuple[float, float]:
        """Return the offset from the room's centre (right, front); 1 at the walls."""
        thing, (right, front), (across, along) = self.things[index], self.was.middle, self.was.half
        return (thing.right - right) / max(across, 1e-6), (thing.front - front) / max(along, 1e-6)

    def at_side(self, direction: str, index: int) -> bool:
        """Whether an object is at a side, in a corner (both sides), or in the middle."""
        if direction not in SIDES_OF_ROOM:
            raise ExecutionFailure("unknown", f"unknown: {direction!r} is not a side of a room")
        return bool(region_at(direction, *self.off_centre(index), self.rules))

    # --- street relations of all pairs ------------------------------------------------------------

    @cached_property
    def street(self) -> Pairs:
        """All pairs of all objects, for street relations."""
        return self._street(slice(None))

    def _street(self, part: slice) -> Pairs:
        headings = np.array(list(map(self.heading, range(len(self.things)))), float)[part]
        positions, extents = [], []
        for thing in self.things[part]:
            positions.append(thing.state.position)
            extents.append(thing.state.extent)
        x, y, _ = np.array(positions, float).reshape(-1, 3).T
        extents = np.array(extents, float).reshape(-1, 3)
        axes = np.array(list(map(self.axes.__getitem__, SIDES)), float)
        return Pairs(x, y, headings, axes, extents, self.rules)

    @cached_property
    def facings(self) -> list[str | None]:
        """Facing label of each object; None between two windows."""
        labels = {relations.NO_FACING: None, **dict(enumerate(FACINGS))}
        return list(map(labels.__getitem__, self.street.facings.tolist()))

    def spare(self, *relation: str) -> list[list[float]]:
        """Return as [i][j] the signed distance of j to the border of a relation to i, inside > 0.

        Objects before and after the edit do not collide with each other.
        """
        if relation not in self._spare:
            if relation[0].startswith("collides"):
                slack = np.full((len(self.things),) * 2, -np.inf)
                for time in (slice(self.now), slice(self.now, None)):
                    slack[time, time] = self._street(time).spare(*relation)
            else:
                slack = self.street.spare(*relation)
            self._spare[relation] = slack.tolist()
        return self._spare[relation]

    def beyond(self, side: str, index: int, axes: Axes) -> list[float]:
        """Return how far each object is beyond the line at which a side of `index` begins.

        For axes that are neither the viewer's nor the object's own.
        """
        (x, y), (px, py, _), spare = axes[side], self.point(index), []
        for thing in self.things:
            u, v, _ = thing.state.position
            spare.append((u - px) * x + (v - py) * y - self.rules.margin_6d)
        return spare

    @property
    def occluders(self) -> Sequence[Mapping[int, float]]:
        """Occluder probabilities of each object; ExecutionFailure for a table without them."""
        if self.scene.occluders is None:
            raise ExecutionFailure("unknown", "the scene has no occlusion", of_scene=True)
        return self.scene.occluders

    def hider(self, index: int) -> int | None:
        """Return the dominant occluder of an object; None if it is not occluded."""
        occluders = self.occluders
        if index >= len(occluders):
            what = "the scene before the change has no occlusion"
            raise ExecutionFailure("unknown", what, of_scene=True)
        belief = occluders[index]
        there = [j for j in belief if j in self.times(False)]
        best = max(there, key=belief.__getitem__, default=None)
        return None if best is None or belief[best] <= 1 - sum(belief.values()) else best
