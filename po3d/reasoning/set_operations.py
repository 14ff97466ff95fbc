"""Operations of the core language that return sets of objects, and the frames of directions.

`evaluator.Evaluator` has all operations. Benchmark-specific constants are a `Rules` value.
"""

import math
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from po3d.language.grammar_file import GrammarError
from po3d.language.program import LEAVES, Call
from po3d.language.say.plain import set_phrase
from po3d.reasoning.body_relations import BODIES, others_of
from po3d.reasoning.directions import azimuth
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.questions import FRAME_OF_TASK, Task
from po3d.reasoning.relations import ALIGNED, holds_at
from po3d.reasoning.world import VIEWER
from po3d.scene.floor import Wall, against
from po3d.scene.frames import room_centre, wall_azimuth
from po3d.scene.orbit import Axes, own_axes, turned_axes
from po3d.scene.rooms import ANYTHING

if TYPE_CHECKING:
    from po3d.reasoning.references import BestFit, BoundPhrases

# attributes that are derived from the rest of the table
DERIVED_ATTRIBUTES = ("side", "purpose", "facing", "occlusion")
EDITED_OBJECT = Call(
    "unique", (Call("changed", (Call("filter", ("name", "object", Call("scene"))),)),)
)
VIEWER_SET = Call("group", (Call("viewer"),))


class QuestionInfo(NamedTuple):
    """Context of a question beyond its program."""

    # frame of relations without an explicit one: the camera's ("2d") or the reference object's
    # ("6d")
    task: Task = "2d"
    options: tuple[str, ...] = ()  # answer options
    views: tuple[Axes, ...] = ()  # axes of each image; empty: those of the table
    refer: "BestFit | BoundPhrases | None" = None  # resolves phrases; None: BestFit


NO_OPTIONS = QuestionInfo()
GROUNDS = ("floor", "wall")  # what bears an object that stands on no other one
QUANTIFIERS = LEAVES["quantifier"]
LOW = 0.1  # metres above the floor below which an object stands on it


class SetOperations:
    """Operations that return sets: lists of object indices."""

    def _scene(self) -> Sequence[int]:
        return self.world.times(self.past)

    def _choices(self) -> list[int]:
        if not self.info.options:
            return list(self._scene())
        return list(self._refers.choices(self.info.options, VIEWER).values())

    def _filter(self, attribute: str, text: str, set_call: Call) -> list[int]:
        world = self.world
        if attribute == "name":
            return self._named(text, set_call)
        members = self.value(set_call)
        if attribute in DERIVED_ATTRIBUTES:
            return self._with_derived_value(attribute, text, members)
        self._closed(attribute)
        having = world.having(attribute, text, members)
        if having or not members:
            return having
        has_attribute = world.before.has(attribute)
        all_unknown = {world.value(i, attribute) for i in members} == {None}
        if self.naming and not (self.strict and has_attribute):
            # "The broken chair": a table that stores no chair's state cannot identify the chair by
            # it, but does not contradict the description either.
            return members if all_unknown else []
        if not has_attribute:
            raise ExecutionFailure(
                "unknown", f"unknown: the scene has no {attribute}", of_scene=True
            )
        if set_call.op == "group" and all_unknown:
            self._known(members[0], attribute)  # "is the can open?": unknown
        return []

    def _with_derived_value(self, attribute: str, text: str, members: Sequence[int]) -> list[int]:
        """Return the objects with a derived attribute: side, purpose, facing or occlusion."""
        world = self.world
        if attribute == "side" and text in GROUNDS:
            return [i for i in members if self.ground(i) == text]
        if attribute == "side":
            return [i for i in members if world.at_side(text, i)]
        if attribute == "purpose":
            return [i for i in members if text in world.purposes(i)]
        if attribute == "facing":
            return [i for i in members if world.facings[i] == text]
        hiding = set(map(world.hider, range(len(world.occluders))))
        if text == "occluding":
            return _common(members, hiding)
        return [i for i in members if (world.hider(i) is None) == (text == "unoccluded")]

    def ground(self, index: int) -> str:
        """Return whether an object stands on the floor or hangs on a wall, "" on another object."""
        if self.world.supports[index] is not None:
            return ""
        return GROUNDS[self.world.things[index].low >= LOW]

    def _named(self, noun: str, set_call: Call) -> Sequence[int]:
        with_name = self.world.named(noun, self.past)
        if with_name and set_call.op == "scene":
            return with_name
        if not with_name and not any(self.world.names) and self.world.things:
            raise ExecutionFailure("unknown", "unknown: the scene has no names", of_scene=True)
        return _common(self.members(set_call), with_name)

    def _closed(self, attribute: str) -> None:
        """Raise ExecutionFailure if the table is closed and any object lacks the attribute."""
        if not self.rules.open_table:
            for i, o in enumerate(self.world.scene.objects):
                if attribute not in o.beliefs:
                    raise ExecutionFailure(
                        "unknown", f"object {i} of the scene has no {attribute}", of_scene=True
                    )

    def _exclude(self, *args) -> list[int]:
        if len(args) == 3:
            attribute, text, set_call = args
            known = []
            for i in self.value(set_call):
                if attribute == "purpose" or self._value(i, attribute) is not None:
                    known.append(i)
            if attribute == "name":
                having = self.world.named(text, self.past)
            elif attribute in DERIVED_ATTRIBUTES:
                having = self._with_derived_value(attribute, text, known)
            else:
                having = self.world.having(attribute, text, known)
            return _without(known, having)
        anchor_call, set_call = args
        candidates = []
        if anchor_call.op == "unique" and is_name(anchor_call.args[0]):
            candidates = self.value(anchor_call.args[0])
        if len(candidates) > 1:
            about = _common(candidates, self.world.salient)
            left_out = about if len(about) == 1 else candidates  # "apart from the beds"
        else:
            left_out = [self.object(anchor_call)]
        return _without(self.members(set_call), left_out)

    def _union(self, first: Call, second: Call) -> list[int]:
        return list(dict.fromkeys([*self.value(first), *self.value(second)]))

    def _intersect(self, first: Call, second: Call) -> list[int]:
        return _common(self.value(first), self.value(second))

    def _group(self, *ones: Call) -> list[int]:
        return [self.object(ones[0])] if len(ones) == 1 else list(dict.fromkeys(self.both(*ones)))

    def _some(self, amount: float, set_call: Call) -> Sequence[int]:
        members = self.value(set_call)
        if len(members) < amount:
            what = f"{amount:g} {set_text(set_call)}, there are {len(members)}"
            raise ExecutionFailure("not found", f"not found: {what}")
        return sorted(members)[: int(amount)]

    def _changed(self, set_call: Call) -> list[int]:
        return _common(self.value(set_call), self.world.salient)

    def _relate(self, relation: str, *args: Call) -> list[int]:
        if args[0] in QUANTIFIERS:
            return self._relate_sets(relation, *args)
        if len(args) == 3 and args[1].op == "frame":
            start, frame, set_call = args
            anchor = self.reference(start)
            if set_call == VIEWER_SET:  # e.g. "is he looking at me?"
                return self.world.within(relation, anchor, self.axes(frame, anchor), [VIEWER])
            return self.lying(relation, anchor, frame, self.members(set_call))
        *ones, set_call = args
        if relation == "on" and ones[0] == EDITED_OBJECT and (below := self.below_it()) is not None:
            return self.related(relation, [below], self.members(set_call))
        return self.related(relation, self.anchors(ones), self.members(set_call))

    def _relate_sets(
        self, relation: str, quantifier: str, others_call: Call, set_call: Call
    ) -> list[int]:
        """Return the objects in a relation to any, or to none, of a set."""
        others, members = self.value(others_call), self.members(set_call)
        hits: set[int] = set()
        for one in others:
            hits.update(self.related(relation, [one], _without(members, (one,))))
        return [i for i in members if (i in hits) == (quantifier == "any")]

    def reference(self, start: Call) -> int:
        """Return the object, or the viewer standing in the room, from which a direction is
        measured."""
        return self.object(start, viewer=self.rules.viewer == "stands")

    def anchors(self, ones: Sequence[Call]) -> list[int]:
        """Return the object, or the two, to which a relation relates others."""
        return list(self.both(*ones)) if len(ones) == 2 else [self.object(ones[0])]

    def lying(
        self, direction: str, anchor: int, frame: Call, candidates: Sequence[int]
    ) -> list[int]:
        """Return the objects in a direction from object `anchor`."""
        axes, others = self.axes(frame, anchor), _without(candidates, (anchor,))
        if self.rules.region == "half plane":
            for side in direction.split("_"):
                row = self.beyond(side, anchor, frame)
                others = [i for i in others if row[i] > 0]
            return others
        if axes is self.world.axes and anchor != VIEWER:
            return self.world.lying(direction, anchor, others)
        return self.world.within(direction, anchor, axes, others)

    def beyond(self, side: str, anchor: int, frame: Call) -> Sequence[float]:
        """Return how far each object is beyond the border of a side of `anchor` (half-plane)."""
        whose = self._whose(frame)
        if whose is None and len(frame.args) == 1 and self.object(frame.args[0]) == anchor:
            whose = "object"  # "left of the bus, as seen from the bus"
        if whose:
            return self.world.spare(side, whose)[anchor]
        return self.world.beyond(side, anchor, self.axes(frame, anchor))

    def _whose(self, frame: Call) -> str | None:
        """Return "camera" or "object" for the frame of the table or the reference, else None."""
        whose = frame.args[0]
        if len(frame.args) > 1 or not isinstance(whose, str):
            return None
        if whose == "task":
            return FRAME_OF_TASK[self.info.task]
        return "object" if whose == "object" else "camera"

    def axes(self, frame: Call, reference: int) -> Axes:
        """Return the axes of a reference frame."""
        args = frame.args
        if len(args) == 4:
            angle, first, second, inner = args
            self.object(first)  # a rotation centre must exist, but does not affect axes
            self.object(second)
            axes = self.axes(inner, reference)
            # turning the viewer does not turn an object's own axes
            turns = self._whose(inner) == "camera" or len(inner.args) == 4
            return turned_axes(axes, float(angle)) if turns else axes
        if len(args) == 2 and isinstance(args[0], str):
            return self._axes_of(args[0], self.object(args[1]))
        if len(args) == 2:
            a, b = self.object(args[0]), self.object(args[1])
            x, y = self.world.vector(a, b)
            if math.hypot(x, y) < 1e-9:
                what = f"{self.world.describe(b)} is both viewpoint and target"
                raise ExecutionFailure("unknown", f"no direction: {what}")
            return own_axes(math.atan2(y, x))
        whose = self._whose(frame)
        if whose is None:
            return self.world.own_axes(self.object(args[0]))
        if whose == "object":
            return self.world.own_axes(reference)
        return self.info.views[0] if self.info.views else self.world.axes

    def stand(self, frame: Call) -> tuple[float, float] | None:
        """Return the ground position of the viewer of a frame; None if undefined."""
        args = frame.args
        if len(args) == 4:
            return self.stand(args[3])
        if not isinstance(args[0], Call):
            return None
        return self.world.point(self.object(args[0]))[:2]

    def _axes_of(self, direction: str, anchor: int) -> Axes:
        """Return the axes in which an object lies in `direction` from the room's centre.

        Aligned with the walls if the room has an outline.
        """
        (x, y, _), scene = self.world.point(anchor), self.world.scene
        across, along = room_centre(scene)
        if math.hypot(x - across, y - along) < 1e-3:
            what = self.world.describe(anchor)
            raise ExecutionFailure("unknown", f"no direction: {what} is at the centre of the room")
        front = math.atan2(y - along, x - across) + azimuth(direction)
        if scene.outline:
            wall = wall_azimuth(scene)
            front = wall + round((front - wall) / (math.pi / 2)) * math.pi / 2
        return own_axes(front)

    def related(self, relation: str, ones: Sequence[int], candidates: Sequence[int]) -> list[int]:
        """Return the objects in a relation to one object, or to two."""
        world, anchor = self.world, ones[0]
        problem = ""
        if len(ones) != others_of(relation):
            problem = f"{relation} is not defined for {len(ones)} objects"
        elif len(ones) == 2 and anchor == ones[1]:
            problem = f"{relation} is not defined for an object and itself"
        elif relation == "at" and relation not in BODIES:
            problem = "`at` describes a place, not a relation between objects"
        if problem:
            raise ExecutionFailure("unknown", f"unknown: {problem}")
        if relation == "opposite":
            walls = self.opposite_walls(anchor)
            return [i for i in candidates if any(against(w, world.things[i].box) for w in walls)]
        if relation in BODIES:
            return world.related(relation, ones, candidates)
        if relation in ("occluding", "occluded_by") and candidates:
            world.hider(anchor)  # fails for an object before the change
        holds = {
            "on": lambda i: world.supports[i] == anchor,
            "supporting": lambda i: world.supports[anchor] == i,
            "occluding": lambda i: world.hider(anchor) == i,
            "occluded_by": lambda i: world.hider(i) == anchor,
            "fits": lambda i: i != anchor and self._fits(i, anchor),
            "nearer_than_before": lambda i: i != anchor and self._nearer_than_before(i, anchor),
        }.get(relation)
        if holds is None:
            if relation in ALIGNED and self.rules.aligned_needs_label:
                self._known(anchor, "facing")
            spare = world.spare(relation)[anchor]
            holds = lambda i: i != anchor and holds_at(spare[i], relation)  # noqa: E731
        return list(filter(holds, candidates))

    def opposite_walls(self, anchor: int) -> list[Wall]:
        """Return the walls opposite to that of an object; ExecutionFailure if there is none."""
        floor = self.world.present.floor
        walls = floor.opposite(self.world.things[anchor].box) if floor else []
        if not walls:
            what = f"the room has no wall opposite {self.world.describe(anchor)}"
            raise ExecutionFailure("unknown", f"unknown: {what}")
        return walls

    def below_it(self) -> int | None:
        """Return the common support of the edited objects, if none of them supports anything.

        After "two cups were set on the desk", what is on "it" is on the desk. None if there is no
        such object.
        """
        world = self.world
        now = [i for i in world.salient if i < world.now]
        below = set(map(world.supports.__getitem__, now))
        if len(below) != 1 or not set(now).isdisjoint(world.supports[: world.now]):
            return None
        return below.pop()

    def _same(self, attribute: str, like: Call, set_call: Call) -> list[int]:
        anchor = self.object(like)
        if attribute == "purpose":
            purposes = set(self.world.purposes(anchor))
            alike = lambda i: not purposes.isdisjoint(self.world.purposes(i))  # noqa: E731
        else:
            value = self._known(anchor, attribute)
            alike = lambda i: self._value(i, attribute) == value  # noqa: E731
        return list(filter(alike, _without(self.members(set_call), (anchor,))))


def _common(members: Iterable[int], others: Container[int]) -> list[int]:
    """Return the members that are in `others`, too."""
    return [i for i in members if i in others]


def _without(members: Iterable[int], others: Container[int]) -> list[int]:
    """Return the members that are not in `others`."""
    return [i for i in members if i not in others]


def is_name(call: Call) -> bool:
    """Whether a call selects objects by name."""
    return call.op == "filter" and call.args[0] == "name"


def names_anything(set_call: Call) -> bool:
    """Whether a part of a set selects objects by a noun for any object, such as "thing"."""
    return any(is_name(part) and part.args[1] in ANYTHING for part in set_call.calls())


def set_text(things: Call) -> str:
    """Return a set in words, for reasons: "red chairs next to the desk"."""
    if things.op in ("before", "unique") or (things.op == "group" and len(things.args) == 1):
        return set_text(things.args[0])
    try:
        return set_phrase(things)
    except GrammarError:  # a part of it has no plain words
        return "such things"
