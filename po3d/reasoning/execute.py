"""Execute programs on scene tables: one interpreter for all operations and all benchmarks.

    execute(program, scene, ...) ─► Outcome    a question on a table with uncertainty
    run(program, World) ─► Outcome             on a table taken as certain, with its history
    Evaluator(World).value(call)               the value of a part of a program

The operations have the same semantics everywhere; benchmark-specific constants are a `Rules`
value. A program without an answer gives an outcome with a reason: not found, ambiguous, or
unknown to the table. "The chair" denotes the only chair; if there are several, the only one that
the edit touched; otherwise it is ambiguous.

`execute` treats uncertainty by `Mode`: "argmax" uses the mode of each distribution; "marginal"
propagates probabilities through the program (street programs only, `street_batched`); "samples"
takes a vote over posterior samples of the table. "argmax" is the benchmarks' own strict execution,
for tables taken as certain: one wrong attribute leaves `unique` with no object or several, and the
program without an answer, so on predicted tables it answers a third of what "marginal" does.
"""

import math
import re
from collections.abc import Callable, Collection, Sequence
from typing import Literal, NamedTuple, Protocol, get_args

from po3d.io.errors import InputError, known
from po3d.language.grammar_file import GrammarError
from po3d.language.program import ANSWERS, DIRECTIONS, LEAVES, Call, ProgramError, Tree
from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.scope import SCOPE
from po3d.language.programs.street import STREET
from po3d.language.say.plain import set_phrase
from po3d.reasoning.outcome import (
    ExecutionFailure,
    MissingAttribute,
    Outcome,
    TraceStep,
    failed,
    of_objects,
    of_values,
)
from po3d.reasoning.packing import steps
from po3d.reasoning.questions import FRAME_OF_TASK, Task
from po3d.reasoning.relations import ALIGNED, BODIES, holds_at, others_of
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.reasoning.votes import vote
from po3d.reasoning.world import AHEAD, VIEWER, SceneGeometry, azimuth, direction_at
from po3d.scene.edits import with_fields
from po3d.scene.frames import room_centre, wall_azimuth
from po3d.scene.orbit import Axes, own_axes, turned_axes
from po3d.scene.posterior import KINDS, SAMPLE_COUNT, posterior_samples
from po3d.scene.rooms import ANYTHING, is_a
from po3d.scene.table import Scene
from po3d.scene.vocabulary import FACINGS

DIALECTS = {"street": STREET, "rooms": ROOMS, "scope": SCOPE}
Mode = Literal["argmax", "marginal", "samples"]
SECTORS: dict[str, tuple[str, ...]] = {
    "front_or_behind": ("front", "behind"),
    "left_or_right": ("left", "right"),
    "four": DIRECTIONS[::2],
    "eight": DIRECTIONS,
}
LOOKS = ("color", "material", "state", "shape", "size")
# attributes that are derived from the rest of the table
DERIVED_ATTRIBUTES = ("side", "purpose", "facing", "occlusion")
# Words for "the first object has more of a measure" and "has less of it".
MORE_OR_LESS = {
    "elevation": ("higher", "lower"),
    "volume": ("larger", "smaller"),
    "height": ("taller", "shorter"),
    "length": ("longer", "shorter"),
    "width": ("wider", "narrower"),
    "distance": ("farther", "nearer"),
}
# Smallest unambiguous difference of a measure, in metres or log volume; read by strict evaluators.
MIN_DIFFERENCE = {"elevation": 0.15, "volume": 0.25}
EDITED_OBJECT = Call(
    "unique", (Call("changed", (Call("filter", ("name", "object", Call("scene"))),)),)
)
CAMERA = Call("frame", ("camera",))
VIEWER_SET = Call("group", (Call("viewer"),))
_MEASURES = LEAVES["measure"]
_SIDES = {"length": 0, "width": 1, "height": 2}  # index into the extent of a box


class Reference(Protocol):
    """Resolves a phrase to a table row; ExecutionFailure if no row, or more than one, fits.

    Implementations are in `po3d.reasoning.references`.
    """

    def row(self, phrase: str) -> int:
        """Return the row that a phrase denotes."""
        ...

    def disambiguate(self, first: str, second: str) -> tuple[int, int]:
        """Return the rows of two phrases that denote different objects."""
        ...

    def choices(self, phrases: Sequence[str], start: int) -> dict[str, int]:
        """Return the row of the object that each phrase denotes; all rows are different, and none
        is `start`."""
        ...


class QuestionInfo(NamedTuple):
    """Context of a question beyond its program."""

    # frame of relations without an explicit one: the camera's ("2d") or the reference object's
    # ("6d")
    task: Task = "2d"
    options: tuple[str, ...] = ()  # answer options
    views: tuple[Axes, ...] = ()  # axes of each image; empty: those of the table
    refer: Reference | None = None


NO_OPTIONS = QuestionInfo()


def _where(failure: ExecutionFailure, evaluator: "Evaluator", tokens: Sequence[str]) -> str:
    """Return a failure with its step and the origin of its input.

    The origin reads "(filter[color=green] over 5 objects)".
    """
    steps, k = evaluator.steps, len(evaluator.steps)
    if not k or isinstance(failure, MissingAttribute):
        return f"step {k} {tokens[k]}: {failure}"
    over = (
        len(steps[k - 2][1])
        if steps[k - 1][0].op == "filter"
        else len(evaluator.world.times(False))
    )
    origin = f"{tokens[k - 1]} over {over} object{'' if over == 1 else 's'}"
    return f"step {k} {tokens[k]}: {failure} ({origin})"


def run(
    program: Call,
    world: SceneGeometry,
    context: QuestionInfo = NO_OPTIONS,
    tokens: Sequence[str] = (),
    numbers: Sequence[int] = (),
) -> Outcome:
    """Execute a program on a world that is taken as certain.

    `tokens` are the spellings of the steps and are used in failure reasons and traces; `numbers`
    maps the objects of the world to rows of the table from which the world was made. Raise
    ProgramError if the program is not a question.
    """
    if program.output not in ANSWERS:
        raise ProgramError(f"{program} asks nothing")
    evaluator = Evaluator(world, context, trace=True)
    trace = lambda: evaluator.trace_steps(tokens, numbers)  # noqa: E731
    try:
        answer = evaluator.answer(program)
    except ExecutionFailure as failure:
        return failed(
            failure, _where(failure, evaluator, tokens) if tokens else "", make_trace=trace
        )
    return with_fields(_ANSWERED, answer=answer, distribution={answer: 1.0}, make_trace=trace)


_ANSWERED = Outcome("ok", None, 1.0, valid=1.0)


class Evaluator:
    """Evaluates calls: a set is a list of object indices, an object is one index."""

    def __init__(
        self,
        world: SceneGeometry,
        context: QuestionInfo = NO_OPTIONS,
        trace: bool = False,
        strict: bool = False,
    ) -> None:
        self.world, self.rules, self.info = world, world.rules, context
        self.tracing, self.strict = trace, strict  # strict: fail on close calls
        self.steps: list[tuple[Call, object]] = []  # (call, value) in the order of evaluation
        self.past = False  # whether names refer to the scene before the edit
        self.naming = (
            # whether a single object is being identified, so that an unknown attribute may be
            # ignored
            False
        )
        self._phrases: dict[int, str] = {}  # the question's phrase for an object

    def answer(self, program: Call) -> str:
        """Return the answer to a question in the benchmark's spelling."""
        value = self.value(program)
        if isinstance(value, bool):
            relation = program.args[0] if program.op == "holds" else ""
            return self.rules.spell(relation, "yes" if value else "no")
        return value if isinstance(value, str) else f"{value:g}"

    def value(self, call: Call):
        """Return the value of a call: indices, an index, a number, a boolean or a word."""
        value = _RUN[call.op](self, *call.args)
        if self.tracing:
            self.steps.append((call, value))
        return value

    set = value

    def object(self, call: Call, viewer: bool = False) -> int:
        """Return the index of one object; VIEWER only if `viewer` is set."""
        outer, self.naming = self.naming, True
        try:
            index = self.value(call)
        finally:
            self.naming = outer
        if index == VIEWER and not viewer:
            raise ExecutionFailure("unknown", "unknown: the camera is not an object of the scene")
        return index

    def members(self, set_call: Call) -> Sequence[int]:
        """Return the set that a relation selects from; a plain `scene` is no step of the trace."""
        return self.world.times(self.past) if set_call.op == "scene" else self.set(set_call)

    def both(self, first: Call, second: Call) -> tuple[int, int]:
        """Return two objects; "the two chairs" denotes the two that match one description."""
        if first == second and first.op == "unique" and len(pair := self.set(first.args[0])) == 2:
            return pair[0], pair[1]
        return self.disambiguate(first, second)

    def disambiguate(self, first: Call, second: Call, viewer: bool = False) -> tuple[int, int]:
        """Return two different objects.

        If both phrases fit one object best, one of them denotes its next best.
        """
        a, b = self.object(first, viewer), self.object(second, viewer)
        if a == b and first != second and first.op == second.op == "refer":
            a, b = self._refers.disambiguate(str(first.args[0]), str(second.args[0]))
        return a, b

    # --- sets -------------------------------------------------------------------------------------

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
        members = self.set(set_call)
        if attribute in DERIVED_ATTRIBUTES:
            return self._with_derived_value(attribute, text, members)
        self._closed(attribute)
        having = world.having(attribute, text, members)
        if having or not members:
            return having
        has_attribute = world.tells(attribute)
        if self.naming and not (self.strict and has_attribute):
            # "The broken chair": a table that stores no chair's state cannot identify the chair by
            # it, but does not contradict the description either.
            return members if all(world.value(i, attribute) is None for i in members) else []
        if not has_attribute:
            raise MissingAttribute("unknown", f"unknown: the scene has no {attribute}")
        if set_call.op == "group" and all(world.value(i, attribute) is None for i in members):
            self._known(members[0], attribute)  # "is the can open?": unknown
        return []

    def _with_derived_value(self, attribute: str, text: str, members: Sequence[int]) -> list[int]:
        """Return the objects with a derived attribute: side, purpose, facing or occlusion."""
        world = self.world
        if attribute == "side":
            return [i for i in members if world.at_side(text, i)]
        if attribute == "purpose":
            return [i for i in members if text in world.purposes(i)]
        if attribute == "facing":
            return [i for i in members if world.facings[i] == text]
        hiding = {world.hider(i) for i in range(len(world.occluders))}
        if text == "occluding":
            return [i for i in members if i in hiding]
        return [i for i in members if (world.hider(i) is None) == (text == "unoccluded")]

    def _named(self, noun: str, set_call: Call) -> Sequence[int]:
        with_name = self.world.named(noun, self.past)
        if with_name and set_call.op == "scene":
            return with_name
        if not with_name and not any(self.world.names) and self.world.things:
            raise MissingAttribute("unknown", "unknown: the scene has no names")
        return [i for i in self.members(set_call) if i in with_name]

    def _closed(self, attribute: str) -> None:
        """Raise ExecutionFailure if the table is closed and any object lacks the attribute."""
        if not self.rules.open_table:
            for i, o in enumerate(self.world.scene.objects):
                if attribute not in o.beliefs:
                    raise MissingAttribute("unknown", f"object {i} of the scene has no {attribute}")

    def _exclude(self, *args) -> list[int]:
        if len(args) == 3:
            attribute, text, set_call = args
            known = [
                i
                for i in self.set(set_call)
                if attribute == "purpose" or self._value(i, attribute) is not None
            ]
            if attribute == "name":
                having = self.world.named(text, self.past)
            elif attribute in DERIVED_ATTRIBUTES:
                having = self._with_derived_value(attribute, text, known)
            else:
                having = self.world.having(attribute, text, known)
            return [i for i in known if i not in having]
        anchor_call, set_call = args
        if (
            anchor_call.op == "unique"
            and is_name(anchor_call.args[0])
            and len(candidates := self.set(anchor_call.args[0])) > 1
        ):
            about = [i for i in candidates if i in self.world.salient]
            left_out = about if len(about) == 1 else candidates  # "apart from the beds"
        else:
            left_out = [self.object(anchor_call)]
        return [i for i in self.members(set_call) if i not in left_out]

    def _union(self, first: Call, second: Call) -> list[int]:
        return list(dict.fromkeys([*self.set(first), *self.set(second)]))

    def _intersect(self, first: Call, second: Call) -> list[int]:
        members, others = self.set(first), self.set(second)
        return [i for i in members if i in others]

    def _group(self, *ones: Call) -> list[int]:
        return [self.object(ones[0])] if len(ones) == 1 else list(dict.fromkeys(self.both(*ones)))

    def _some(self, amount: float, set_call: Call) -> Sequence[int]:
        members = self.set(set_call)
        if len(members) < amount:
            raise ExecutionFailure(
                "not found", f"not found: {amount:g} {set_text(set_call)}, there are {len(members)}"
            )
        return sorted(members)[: int(amount)]

    def _changed(self, set_call: Call) -> list[int]:
        salient = self.world.salient
        return [i for i in self.set(set_call) if i in salient]

    def _relate(self, relation: str, *args: Call) -> list[int]:
        if len(args) == 3 and args[1].op == "frame":
            start, frame, set_call = args
            anchor = self.object(start, viewer=self.rules.viewer == "stands")
            if set_call == VIEWER_SET:  # e.g. "is he looking at me?"
                return self.world.within(relation, anchor, self.axes(frame, anchor), [VIEWER])
            return self.lying(relation, anchor, frame, self.members(set_call))
        *ones, set_call = args
        if relation == "on" and ones[0] == EDITED_OBJECT and (below := self.below_it()) is not None:
            return self.related(relation, [below], self.members(set_call))
        anchors = list(self.both(*ones)) if len(ones) == 2 else [self.object(ones[0])]
        return self.related(relation, anchors, self.members(set_call))

    def lying(
        self, direction: str, anchor: int, frame: Call, candidates: Sequence[int]
    ) -> list[int]:
        """Return the objects in a direction from object `anchor`."""
        axes, others = self.axes(frame, anchor), [i for i in candidates if i != anchor]
        if self.rules.region == "half plane":
            rows = [self.beyond(side, anchor, frame) for side in direction.split("_")]
            return [i for i in others if all(row[i] > 0 for row in rows)]
        if axes is self.world.axes and anchor != VIEWER:
            return self.world.lying(direction, anchor, others)
        return self.world.within(direction, anchor, axes, others)

    def beyond(self, side: str, anchor: int, frame: Call) -> Sequence[float]:
        """Return how far each object is beyond the border of a side of `anchor` (half-plane
        rules).
        """
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
        return (
            FRAME_OF_TASK[self.info.task]
            if whose == "task"
            else "object"
            if whose == "object"
            else "camera"
        )

    def axes(self, frame: Call, reference: int) -> Axes:
        """Return the axes of a reference frame."""
        args = frame.args
        if len(args) == 4:
            angle, first, second, inner = args
            self.object(first)  # a rotation centre must exist, but does not affect axes
            self.object(second)
            axes = self.axes(inner, reference)
            whose = self._whose(inner)  # turning the viewer does not turn an object's own axes
            return (
                turned_axes(axes, float(angle))
                if whose == "camera" or len(inner.args) == 4
                else axes
            )
        if len(args) == 2 and isinstance(args[0], str):
            return self._axes_of(args[0], self.object(args[1]))
        if len(args) == 2:
            a, b = self.object(args[0]), self.object(args[1])
            x, y = self.world.vector(a, b)
            if math.hypot(x, y) < 1e-9:
                what = self.world.describe(b)
                raise ExecutionFailure(
                    "unknown", f"no direction: {what} is both viewpoint and target"
                )
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
        if len(ones) != others_of(relation):
            raise ExecutionFailure(
                "unknown", f"unknown: {relation} is not defined for {len(ones)} objects"
            )
        if len(ones) == 2 and anchor == ones[1]:
            raise ExecutionFailure(
                "unknown", f"unknown: {relation} is not defined for an object and itself"
            )
        if relation in BODIES:
            return world.related(relation, ones, candidates)
        if relation == "on":
            return [i for i in candidates if world.supports[i] == anchor]
        if relation == "supporting":
            return [i for i in candidates if i == world.supports[anchor]]
        if relation == "occluding":
            return [i for i in candidates if i == world.hider(anchor)]
        if relation == "occluded_by":
            return [i for i in candidates if world.hider(i) == anchor]
        if relation in ("fits", "nearer_than_before"):
            of = self._fits if relation == "fits" else self._nearer_than_before
            return [i for i in candidates if i != anchor and of(i, anchor)]
        if relation == "at":
            raise ExecutionFailure(
                "unknown", "unknown: `at` describes a place, not a relation between objects"
            )
        if relation in ALIGNED and self.rules.aligned_needs_label:
            self._known(anchor, "facing")
        spare = world.spare(relation)[anchor]
        return [i for i in candidates if i != anchor and holds_at(spare[i], relation)]

    def below_it(self) -> int | None:
        """Return the common support of the edited objects, if none of them supports anything.

        After "two cups were set on the desk", what is on "it" is on the desk. None if there is no
        such object.
        """
        now = [i for i in self.world.salient if i < self.world.now]
        below = {self.world.supports[i] for i in now}
        if len(below) != 1 or any(self.world.supports[i] in now for i in range(self.world.now)):
            return None
        return below.pop()

    def _same(self, attribute: str, like: Call, set_call: Call) -> list[int]:
        anchor = self.object(like)
        if attribute == "purpose":
            purposes = set(self.world.purposes(anchor))
            return [
                i
                for i in self.members(set_call)
                if i != anchor and purposes & set(self.world.purposes(i))
            ]
        value = self._known(anchor, attribute)
        return [
            i for i in self.members(set_call) if i != anchor and self._value(i, attribute) == value
        ]

    # --- objects ----------------------------------------------------------------------------------

    def _unique(self, set_call: Call) -> int:
        members = self.set(set_call)
        if len(members) == 1:
            return members[0]
        if members:
            about = self.world.salient
            salient = [i for i in members if i in about]
            members = salient if len(salient) == 1 else members
        if len(members) != 1 and not self.strict:
            if (
                not members and set_call.op == "changed" and not self.past
            ):  # "it" is the removed object
                return self._before(Call("unique", (set_call,)))
            members = self._spoken_of(set_call, members)
        if not self.rules.open_table and len(members) != 1:
            what = f"the set has {len(members)} objects" if members else "the set is empty"
            raise ExecutionFailure("ambiguous" if members else "not found", what)
        if not members:
            raise ExecutionFailure("not found", f"not found: there are no {set_text(set_call)}")
        if len(members) > 1:
            raise ExecutionFailure(
                "ambiguous", f"ambiguous: there are {len(members)} {set_text(set_call)}, not one"
            )
        return members[0]

    def _spoken_of(self, set_call: Call, members: Sequence[int]) -> Sequence[int]:
        """Return the candidates reduced to the intended one, where a convention decides.

        "The chair on the left" of two chairs is the left one; after something was put on a table,
        "the table" is that table; "that bin" is the one used to define a place in the edit; "the
        one that is still full" has the name of an edited object.
        """
        if set_call.op == "filter" and set_call.args[0] == "side" and set_call.args[1] in AHEAD:
            _, side, inner = set_call.args
            if "_" not in side and len(both := self.set(inner)) == 2:
                return [self._least(both, set_call, lambda i: -self._along(side, i))]
        if not self.world.salient and not self.world.mentioned:
            return members
        bearing = {self.world.supports[i] for i in self.world.salient if i < self.world.now}
        for spoken_of in (bearing, self.world.mentioned):
            matches = [i for i in members if i in spoken_of]
            if len(matches) == 1:
                return matches
        if any(is_name(part) and part.args[1] in ANYTHING for part in set_call.calls()):
            kinds = {self.world.names[i] for i in self.world.salient}
            matches = [i for i in members if self.world.names[i] in kinds]
            if len(matches) == 1:
                return matches
        return members

    def _best(self, what: str, sense: str, *args: Call) -> int:
        *where, set_call = args
        if what in _MEASURES:
            sign = -1.0 if sense == "most" else 1.0
            if not where and what not in ("distance", "bearing"):
                return self._chosen(
                    self.members(set_call), set_call, lambda i: sign * self.measure(what, i)
                )
            anchor = self.object(where[0], viewer=True) if where else VIEWER
            members = self.rivals_of(what, anchor, set_call)
            return self._by_reference(what, sign, anchor, members, set_call)
        # among all objects, so there is no reference object whose sides could be meant
        if len(where) == 1:
            whose = self._whose(where[0])
            axes = self.axes(CAMERA if whose == "object" else where[0], VIEWER)
            sign = 1.0 if sense == "least" else -1.0
            return self._chosen(
                self.members(set_call), set_call, lambda i: sign * self._along(what, i, axes)
            )
        anchor = self.object(where[0], viewer=self.rules.viewer == "stands")
        if sense == "most":
            return self._most_squarely(
                what, anchor, self.axes(where[1], anchor), self.members(set_call)
            )
        if sense == "least":
            raise ExecutionFailure(
                "unknown", "unknown: an object has no least direction from another"
            )
        members = self.lying(what, anchor, where[1], self.members(set_call))
        if not members:
            what = (
                f"{set_text(set_call)} {self.rules.spell('eight', what)} of"
                f" {self.world.describe(anchor)}"
            )
            raise ExecutionFailure("not found", f"not found: {what}")
        return self._least(members, set_call, self.world.distance_from(anchor))

    def rivals_of(self, what: str, anchor: int, set_call: Call) -> list[int]:
        """Return the objects of which one has the most or least of a measure from `anchor`."""
        if set_call.op == "choices" and self.info.options:
            members = list(self._refers.choices(self.info.options, anchor).values())
        else:
            members = self.world.others(anchor, self.members(set_call))
        # next to it rather than stacked with it, if possible
        if what == "distance" and self.rules.beside_first and anchor != VIEWER:
            members = self.world.beside(anchor, members) or members
        return members

    def _by_reference(
        self, what: str, sign: float, anchor: int, members: list[int], set_call: Call
    ) -> int:
        """Return the object with the most or least of a measure relative to an object."""
        if what == "bearing":
            axes = self.world.own_axes(anchor)
            return self._chosen(
                members, set_call, lambda i: sign * self.world.off("front", anchor, i, axes)
            )
        if what != "distance":
            raise ExecutionFailure("unknown", f"unknown: {what} is not a measure of two objects")
        away = self.world.distance_from(anchor)
        return self._chosen(members, set_call, away if sign > 0 else lambda i: -away(i))

    def _along(self, direction: str, i: int, axes: Axes | None = None) -> float:
        """Return the coordinate of an object along a direction."""
        across, along = AHEAD[direction]
        if axes is None or axes is self.world.axes:
            return across * self.world.things[i].right + along * self.world.things[i].front
        (x, y, _), (rx, ry), (fx, fy) = self.world.point(i), axes["right"], axes["front"]
        return across * (x * rx + y * ry) + along * (x * fx + y * fy)

    def _most_squarely(
        self, direction: str, anchor: int, axes: Axes, candidates: Sequence[int]
    ) -> int:
        """Return the object with the smallest angle to a direction."""
        away = {
            i: self.world.off(direction, anchor, i, axes)
            for i in candidates
            if i != anchor and math.hypot(*self.world.vector(anchor, i)) > 1e-9
        }
        best = min(away, key=away.__getitem__, default=None)
        if best is None or away[best] > math.radians(self.rules.cone):
            where = f"{self.rules.spell('eight', direction)} of {self.world.describe(anchor)}"
            raise ExecutionFailure("not found", f"not found: there is nothing {where}")
        return best

    def _chosen(self, members: Sequence[int], set_call: Call, key: Callable[[int], float]) -> int:
        """Return the candidate with the smallest key; ExecutionFailure for an empty set."""
        if not members:
            raise ExecutionFailure("not found", f"not found: there are no {set_text(set_call)}")
        return self._least(members, set_call, key)

    def _least(self, members: Sequence[int], set_call: Call, key: Callable[[int], float]) -> int:
        """Return the object with the smallest key (metres or log volume).

        A strict evaluator requires a clear minimum.
        """
        best = min(members, key=lambda i: (key(i), i))  # the first row on ties
        if self.strict and any(
            key(i) - key(best) < max(0.15, 0.12 * abs(key(best))) for i in members if i != best
        ):
            raise ExecutionFailure(
                "close call", f"close call: {set_text(set_call)} differ too little"
            )
        return best

    def measure(self, what: str, index: int) -> float:
        """Return a measure of an object; volumes as logarithms."""
        if what == "elevation":
            return self.world.height(index)
        if what in _SIDES:
            return self.world.extents(index)[_SIDES[what]]
        if what == "volume":
            return math.log(self.world.volume(index))
        return self.from_other(what, index, VIEWER)

    def from_other(self, what: str, index: int, start: int) -> float:
        """Return the distance to an object, the angle off its front, or a difference of a measure.

        Angles in degrees.
        """
        if what == "distance":
            anchor, other = (index, start) if index == VIEWER else (start, index)
            return 0.0 if other == VIEWER else self.world.distance_from(anchor)(other)
        if what == "bearing":
            return math.degrees(self.world.off("front", start, index, self.world.own_axes(start)))
        if VIEWER in (index, start):
            raise ExecutionFailure("unknown", f"unknown: the camera has no {what}")
        if what == "volume":
            return self.world.volume(index) - self.world.volume(start)
        return self.measure(what, index) - self.measure(what, start)

    def _before(self, object_call: Call) -> int:
        past, self.past = self.past, True
        try:
            return self.object(object_call)
        finally:
            self.past = past

    @property
    def _refers(self) -> Reference:
        if self.info.refer is None:
            # imported here: only questions with phrases need it
            from po3d.reasoning.references import BestFit

            self.info = self.info._replace(refer=BestFit(self.world.scene))
        return self.info.refer

    def _refer(self, phrase: str) -> int:
        index = self._refers.row(phrase)
        self._phrases.setdefault(index, phrase)
        return index

    def _viewer(self) -> int:
        return VIEWER

    # --- answers ----------------------------------------------------------------------------------

    def _count(self, *args) -> int:
        if len(args) == 1:
            return len(self._present(self.set(args[0]))) if isinstance(args[0], Call) else args[0]
        attribute, set_call = args
        return len({self._known(i, attribute) for i in self._present(self.set(set_call))})

    def _present(self, members: Sequence[int]) -> list[int]:
        """Return the objects with an existence probability of at least 0.5.

        `named` also returns less probable ones, for phrases that presuppose an object.
        """
        return [i for i in members if i == VIEWER or self.world.things[i].state.existence >= 0.5]

    def _exist(self, set_call: Call) -> bool:
        return bool(self._present(self.set(set_call)))

    def _query(self, what: str, object_call: Call, start: Call | None = None) -> str | float:
        if start is not None:
            return self.from_other(
                what, self.object(object_call, viewer=True), self.object(start, viewer=True)
            )
        if what in _MEASURES:
            value = self.measure(what, self.object(object_call))
            return math.exp(value) if what == "volume" else value
        if what != "name":
            return self._known(self.object(object_call), what)
        if is_support(object_call):
            index = self.object(object_call.args[0].args[1])
            below = self.world.supports[index]
            if below is None:
                return "floor" if self.world.things[index].low < 0.1 else "wall"
            return self.world.things[below].name
        index = self.object(object_call)
        if self.info.options and object_call.op == "best" and object_call.args[-1].op == "choices":
            start = (
                self.object(object_call.args[2], viewer=True)
                if object_call.args[2].output == "object"
                else VIEWER
            )
            chosen = self._refers.choices(self.info.options, start)
            return next(phrase for phrase, i in chosen.items() if i == index)
        return self._phrases.get(index) or self.word(index)

    def word(self, index: int) -> str:
        """Return the object's name in an answer.

        The full name of its row ("standing girl"), unless that is only a label ("girl 2").
        """
        thing = self.world.things[index]
        return thing.state.name if is_a(thing.state.name, thing.name) else thing.name

    def _value(self, index: int, attribute: str) -> str | None:
        """Return an attribute's value; None if there is none."""
        if attribute == "facing":
            return self.world.facings[index]
        if attribute == "name":
            return self.world.names[index] or None
        if attribute == "occlusion":
            return "unoccluded" if self.world.hider(index) is None else "occluded"
        if attribute == "side":
            right, front = self.world.off_centre(index)
            if self.strict and math.hypot(right, front) < 0.4:
                raise ExecutionFailure(
                    "close call", "close call: too close to the middle of the room"
                )
            return self._sector(-math.atan2(right, front), "eight")
        return self.world.value(index, attribute)

    def _known(self, index: int, attribute: str) -> str:
        if attribute not in ("facing", "name", "occlusion", "side"):
            self._closed(attribute)
        value = self._value(index, attribute)
        if value is not None:
            return value
        if attribute == "facing":
            raise ExecutionFailure("unknown", f"the object faces none of {', '.join(FACINGS)}")
        whose = self.world.describe(index)
        raise MissingAttribute("unknown", f"unknown: the scene has no {attribute} of {whose}")

    def _equal(self, *args) -> bool:
        first, second = args[-2:]
        return self.value(first) == self.value(second)

    def _less_than(self, first: Call, second: Call) -> bool:
        if is_measure(first, second):
            return self._more(first.args[0], first.args[1], second.args[1]) < 0
        return self.value(first) < self.value(second)

    def _greater_than(self, first: Call, second: Call) -> bool:
        if is_measure(first, second):
            return self._more(first.args[0], first.args[1], second.args[1]) > 0
        return self.value(first) > self.value(second)

    def _more(self, what: str, first: Call, second: Call) -> float:
        """Return the difference of a measure between two objects."""
        a, b = (self.measure(what, self.object(object_call)) for object_call in (first, second))
        self._clearly(a, b, MIN_DIFFERENCE.get(what, 0.15))
        return a - b

    def _clearly(self, a: float, b: float, least: float) -> None:
        if self.strict and abs(a - b) < least:
            raise ExecutionFailure("close call", "close call: the values are nearly equal")

    def _compare(self, what: str, first: Call, second: Call) -> str:
        more = self._more(what, first, second) > 0
        words = MORE_OR_LESS.get(what, ("more", "less"))
        return self.rules.spell(what, words[0] if more else words[1])

    def _holds(self, relation: str, first: Call, second: Call) -> bool:
        a, b = (
            self.both(first, second)
            if relation == "nearer_than_before"
            else self.disambiguate(first, second)
        )
        if relation == "fits":
            return self._fits(a, b)
        if relation == "nearer_than_before":
            return self._nearer_than_before(a, b)
        return bool(self.related(relation, [b], [a]))

    def _fits(self, thing: int, where: int) -> bool:
        mine, space = (sorted(self.world.extents(i)[:2]) for i in (thing, where))
        self._clearly(min(b - a for a, b in zip(mine, space)), 0.0, 0.05)
        return all(a <= b + 1e-9 for a, b in zip(mine, space))

    def _nearer_than_before(self, a: int, b: int) -> bool:
        world = self.world
        then = [world.edited.origin[i] if i < world.now else None for i in (a, b)]
        if None in then:
            which = f"{world.describe(a)} or {world.describe(b)}"
            raise ExecutionFailure("unknown", f"unknown: {which} did not exist before the change")
        now, before = world.distance(a, b), world.distance(*(world.now + i for i in then))
        self._clearly(now, before, 0.3)
        return now < before

    def _direction(self, start: Call, goal: Call, frame: Call, sectors: str) -> str:
        b, a = self.disambiguate(goal, start, viewer=True)
        return self._sector(self.world.turn(a, b, self.axes(frame, a)), sectors)

    def _sector(self, turn: float, sectors: str) -> str:
        """Return the nearest direction to `turn`, radians from the front, counter-clockwise."""
        directions = self.sector_names(sectors)
        if self.strict and abs(math.remainder(turn, math.tau / len(directions))) > math.radians(15):
            raise ExecutionFailure("close call", "close call: between two directions")
        if directions is DIRECTIONS:
            direction = direction_at(-turn)
        else:
            direction = min(
                directions, key=lambda d: abs(math.remainder(turn + azimuth(d), math.tau))
            )
        return self.rules.spell(sectors, direction)

    def sector_names(self, sectors: str) -> tuple[str, ...]:
        """Return the candidate directions of an answer: those among the options, if any."""
        if self.info.options and sectors == "eight":
            return tuple(map(_direction_of, self.info.options))
        return SECTORS[sectors]

    def _view(self, direction: str, start: Call, goal: Call) -> str:
        b, a = self.disambiguate(goal, start, viewer=True)
        views, options = self.info.views, self.info.options
        if options and len(options) != len(views):
            raise ExecutionFailure("unknown", f"{len(views)} images but {len(options)} options")
        away = [self.world.off(direction, a, b, axes) for axes in views]
        best = min(range(len(away)), key=away.__getitem__, default=None)
        if best is None or away[best] > math.radians(self.rules.cone):
            what, where = self.world.describe(b), self.rules.spell("eight", direction)
            raise ExecutionFailure(
                "not found", f"{what} is {where} of {self.world.describe(a)} in no image"
            )
        return options[best] if options else str(best + 1)

    # --- words ------------------------------------------------------------------------------------

    def trace_steps(
        self, tokens: Sequence[str] = (), numbers: Sequence[int] = ()
    ) -> list[TraceStep]:
        """Return the trace so far.

        `tokens` are the spellings of the steps; without them the rules' dialect is used, or the
        core language where the dialect has no word.
        """
        steps = []
        for k, (call, value) in enumerate(self.steps):
            token = tokens[k] if tokens else call_text(call, self.rules)
            steps.append(self._trace_step(call, value, token, numbers))
        return steps

    def _trace_step(self, call: Call, value, token: str, numbers: Sequence[int]) -> TraceStep:
        if call.output in ("objects", "object"):
            chances = {
                (
                    numbers[i] if numbers and i < len(numbers) else i
                ): 1.0  # beyond: an object before the edit
                for i in sorted(value if call.output == "objects" else [value])
            }
            row = dict(zip(numbers, range(len(numbers)))) if numbers else {}
            kind = "set" if call.output == "objects" else "object"
            count = len(self.world.times(False))
            return of_objects(
                token, kind, chances, count, lambda i: self.world.describe(row.get(i, i), i)
            )
        word = value if isinstance(value, str) else f"{value:g}"
        if isinstance(value, bool):
            word = "yes" if value else "no"
        kinds = {"number": "integer", "bool": "boolean"}
        return of_values(token, kinds.get(call.output, str(call.args[0])), {word: 1.0})


_RUN: dict[str, Callable] = {
    op: getattr(Evaluator, f"_{op}")
    for op in Call.language.signatures
    if hasattr(Evaluator, f"_{op}")
}


def _direction_of(option: str) -> str:
    """Return the direction that an option names, e.g. "Back-left"."""
    words = {_SAME_WAY.get(word, word) for word in re.findall(r"[a-z]+", option.lower())}
    direction = "_".join(word for word in AHEAD if word in words)
    if direction not in DIRECTIONS:
        raise ExecutionFailure("unknown", f"the option {option!r} is not a direction")
    return direction


_SAME_WAY = {"back": "behind", "rear": "behind"}


def is_name(call: Call) -> bool:
    """Whether a call selects objects by name."""
    return call.op == "filter" and call.args[0] == "name"


def is_measure(first: Call, second: Call) -> bool:
    """Whether two calls query the same measure, of two objects."""
    return (
        first.op == second.op == "query"
        and first.args[0] == second.args[0]
        and len(first.args) == len(second.args) == 2
    )


def is_support(call: Call) -> bool:
    """Whether a call denotes the object that supports another one, selected from all objects."""
    if call.op != "unique" or call.args[0].op != "relate" or call.args[0].args[0] != "supporting":
        return False
    return [arg.op == "scene" for arg in call.args[0].args[1:]] == [False, True]


def set_text(things: Call) -> str:
    """Return a set in words, for reasons: "red chairs next to the desk"."""
    if things.op in ("before", "unique") or (things.op == "group" and len(things.args) == 1):
        return set_text(things.args[0])
    try:
        return set_phrase(things)
    except GrammarError:  # a part of it has no plain words
        return "such things"


def call_text(call: Call, rules: Rules) -> str:
    """Return a call in the rules' dialect, or in the core language as a fallback."""
    try:
        return DIALECTS[rules.dialect].text(call) if rules.dialect in DIALECTS else str(call)
    except ProgramError:
        return str(call)


def execute(
    program: Tree,
    scene: Scene,
    task: Task = "2d",
    mode: Mode = "argmax",
    rules: Rules = STREET_RULES,
    samples: int = SAMPLE_COUNT,
    seed: int = 0,
    draw: Collection[str] = KINDS,
    context: QuestionInfo = NO_OPTIONS,
) -> Outcome:
    """Return a program's answer on a table.

    Answers are "yes", "no", a number, a word in the spelling of `rules`, or an attribute value
    (shapes as leaf ids). `task` selects the frame of relations without an explicit one: the
    camera's ("2d") or the reference object's own ("6d"). `samples` and `seed` are used by the
    modes that sample; in mode samples, kinds of uncertainty (`po3d.scene.posterior`) that are not
    in `draw` take their mode. Raise InputError if the mode does not support the program.
    """
    known("mode", mode, get_args(Mode))
    if samples < 1:
        raise InputError(f"samples should be positive, not {samples}")
    known("task", task, FRAME_OF_TASK)
    call = STREET.to_core(program)
    tokens = [step.token for step in steps(call)] if rules.dialect == "street" else []
    if tokens and mode == "marginal":
        # imported here: importing torch takes seconds
        from po3d.reasoning.street_batched import outcomes

        return outcomes([scene], [(call, 0, task)], rules, samples, seed)[0]
    if tokens and mode == "samples":
        from po3d.reasoning.street_batched import sampled

        return sampled(call, scene, task, rules, samples, seed, draw)
    if mode == "marginal":
        raise InputError(
            "mode marginal supports street programs only; others need argmax or samples"
        )
    context = context._replace(task=task)
    certain = run(call, SceneGeometry.of(scene.certain(), rules), context, tokens, scene.present)
    if mode == "argmax":
        return certain
    samples_of_scene = posterior_samples(scene, draw, count=samples, seed=seed).scenes()
    answers = (
        run(call, SceneGeometry.of(w.certain(), rules), context).answer for w in samples_of_scene
    )
    majority = vote(answers, ties=[certain.answer or ""])
    if majority is None:
        nothing = ExecutionFailure("unknown", "no posterior sample has an answer")
        return certain if certain.answer is None else failed(nothing)
    shares, valid = majority.distribution, majority.answered / samples
    return Outcome(
        "ok",
        majority.answer,
        shares[majority.answer],
        shares,
        valid=valid,
        make_trace=certain.make_trace,
    )
