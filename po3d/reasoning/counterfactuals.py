"""Counterfactuals: the nearest decision of a program whose inversion changes the answer.

The program runs on the most probable table. A decision is whether one object is on one side of
one border: left of the bus or not, inside the window of "facing left" or not, the nearest or not,
in the sector of "front right" or the next, more probably red than brown. Its distance is positive
on the side of yes, in the unit of the border. The counterfactual is found by running the program
again with that one decision inverted and everything else unchanged. If moving or turning one
object inverts it, the margin includes the `PoseDelta` that reaches the border. Decisions of an edit
(which place was free) are not included.

The evaluator itself is not involved: it is subclassed here to record its steps.
"""

import contextlib
import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from po3d.io.errors import InputError
from po3d.language.program import Call, Tree
from po3d.language.programs.street import STREET
from po3d.reasoning import boundaries, relations
from po3d.reasoning.boundaries import Shift
from po3d.reasoning.execute import (
    MORE_OR_LESS,
    NO_OPTIONS,
    VIEWER_SET,
    Evaluator,
    QuestionInfo,
    is_measure,
)
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.packing import steps
from po3d.reasoning.questions import Task
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.reasoning.world import (
    AHEAD,
    VIEWER,
    SceneGeometry,
    azimuth,
    describe,
    direction_at,
    side_bounds,
)
from po3d.scene.geometry import wrap_angle
from po3d.scene.orbit import Axes, sense_of
from po3d.scene.table import Scene
from po3d.scene.vocabulary import lineage

Unit = Literal["m", "units", "degrees", "%", "pixels", "probability"]
FORMS: dict[str, str] = {
    "m": "{:.2f} m",
    "units": "{:.2f} units",
    "degrees": "{:.1f}°",
    "%": "{:.1f} %",
    "pixels": "{:.0f} px",
    "probability": "{:.2f} in probability",
}
# a Gaussian error exceeds its median magnitude beyond this many sigmas
_QUARTILE = NormalDist().inv_cdf(0.75)
_ALIGNED = {
    "same_direction": "the same way as",
    "opposite_direction": "the opposite way of",
    "perpendicular": "across",
    "parallel": "parallel to",
}


class ObjectPixels(NamedTuple):
    """Visible and hidden pixels of one object, from masks."""

    visible: int
    hidden: int


@dataclass(frozen=True)
class PoseDelta:
    """A movement of one object: a shift in world axes, then a rotation about its centre."""

    object: int  # row of the object
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres
    turn: float = 0.0  # radians, counter-clockwise seen from above

    @property
    def metres(self) -> float:
        return math.hypot(*self.shift)

    def applied(self, scene: Scene, times: float = 1.0) -> Scene:
        """Return the table after `times` this movement; objects on top do not move along."""
        objects = list(scene.objects)
        o = objects[self.object]
        x, y, z = (p + times * d for p, d in zip(o.position, self.shift))
        heading = float(wrap_angle(o.heading + times * self.turn))
        objects[self.object] = replace(o, position=(x, y, z), heading=heading)
        return replace(scene, objects=tuple(objects))


@dataclass(frozen=True)
class Margin:
    """One decision of a step."""

    step: int  # index of the step in the trace
    object: int  # row in the table, or index in the world of an edit; -1: the viewer
    # positive on the side of yes; for probabilities, the lead of the more probable side
    distance: float
    unit: Unit
    boundary: str  # the decision: "facing left", "left of #2"
    text: str  # one line for display
    normalised: float  # distance in typical errors, non-negative
    nudge: PoseDelta | None = None  # reaches the border; slightly more crosses it


@dataclass(frozen=True)
class Counterfactual:
    """The nearest decision that changes the answer."""

    margin: Margin
    answer: str | None  # the changed answer; None if there is none
    reason: str = ""  # why there is none

    @property
    def distance(self) -> float:
        return abs(self.margin.distance)

    @property
    def unit(self) -> Unit:
        return self.margin.unit

    @property
    def nudge(self) -> PoseDelta | None:
        return self.margin.nudge

    @property
    def normalised(self) -> float:
        return self.margin.normalised

    @property
    def text(self) -> str:
        """One line: closest call: #3 small red suv is 2.1° from facing left (else: 3)."""
        return f"closest call: {self.margin.text} (else: {self.answer or 'no answer'})"


@dataclass(frozen=True)
class Margins:
    """The decisions of a program on the most probable table."""

    answer: str | None  # on the most probable table; other modes may give another answer
    steps: tuple[tuple[Margin, ...], ...]  # for each step, the nearest first
    flip: Counterfactual | None  # None: no single decision changes the answer


def margins(
    program: Tree,
    scene: Scene,
    task: Task = "2d",
    rules: Rules = STREET_RULES,
    pixels: Sequence[ObjectPixels] | None = None,
    within: float = math.inf,
    context: QuestionInfo = NO_OPTIONS,
) -> Margins:
    """Return the decisions of a program on the most probable table of `scene`.

    Certain attribute values are omitted, as they have no near border. The counterfactual is
    searched among decisions of at most `within` typical errors.

    A table stores occlusion as a probability. With `pixels`, one entry per object of the scene,
    margins of occlusion are in pixels instead. Raise InputError if the numbers differ.
    """
    if pixels is not None and len(pixels) != len(scene):
        raise InputError(f"{len(pixels)} pixel entries for a scene of {len(scene)} objects")
    world = SceneGeometry.of(scene.certain(), rules)
    call = STREET.to_core(program)
    search = _Search(call, world, context._replace(task=task), scene, scene.present, pixels)
    result = search.search(within)
    missing = len(steps(call)) - len(result.steps) if rules.dialect == "street" else 0
    return replace(result, steps=result.steps + ((),) * missing)  # steps that were not reached


def margins_in(
    program: Call,
    world: SceneGeometry,
    context: QuestionInfo = NO_OPTIONS,
    within: float = math.inf,
) -> Margins:
    """Like `margins`, for a world that is taken as certain."""
    return _Search(program, world, context, world.scene, range(world.now), None).search(within)


class _Decision(NamedTuple):
    """A margin, and a function that returns the answer and reason with the decision inverted.

    None if the inverted answer is unknown.
    """

    margin: Margin
    turned: "Callable[[], tuple[str | None, str]] | None"


class _Search:
    """One program in one world.

    `numbers` maps the objects of the world to rows of `scene`, the table with its uncertainty.
    """

    def __init__(
        self,
        program: Call,
        world: SceneGeometry,
        context: QuestionInfo,
        scene: Scene,
        numbers: Sequence[int],
        pixels: Sequence[ObjectPixels] | None,
    ) -> None:
        if world.rules.first_hit_only:
            raise InputError(
                "margins are computed for single objects, but first_hit_only makes hits depend on"
                " each other"
            )
        self.program, self.world, self.info, self.rules = program, world, context, world.rules
        self.scene, self.numbers, self.pixels = scene, numbers, pixels

    def search(self, within: float) -> Margins:
        watched = _RecordingEvaluator(self)
        answer, _ = watched.answer_and_reason(self.program)
        every = sorted(watched.decisions, key=lambda d: d.margin.normalised)
        count = len(watched.steps) + (answer is None)
        steps = tuple(tuple(d.margin for d in every if d.margin.step == k) for k in range(count))
        for decision in every:
            if decision.margin.normalised > within:
                break
            after, reason = decision.turned() if decision.turned else (answer, "")
            if after != answer:
                return Margins(answer, steps, Counterfactual(decision.margin, after, reason))
        return Margins(answer, steps, None)

    def on(self, scene: Scene) -> tuple[str | None, str]:
        """Return the answer on another table."""
        return _ReasonedEvaluator(
            SceneGeometry.of(scene.certain(), self.rules), self.info
        ).answer_and_reason(self.program)

    def row(self, i: int) -> int | None:
        """Return an object's row in the table; None for the viewer or an object before an edit."""
        return self.numbers[i] if 0 <= i < len(self.numbers) else None

    def describe(self, i: int) -> str:
        """Return an object in words: its name, or its number and attributes."""
        return self.world.describe(i, self.row(i))

    def short(self, i: int) -> str:
        return (
            f"#{row}"
            if (row := self.row(i)) is not None and not self.world.things[i].name
            else self.describe(i)
        )

    def nudge(
        self, i: int, shift: tuple[float, float, float] = (0.0, 0.0, 0.0), degrees: float = 0.0
    ) -> PoseDelta | None:
        """Return a movement of an object; None if it has no row."""
        row = self.row(i)
        return None if row is None else PoseDelta(row, shift, math.radians(degrees))


class _ReasonedEvaluator(Evaluator):
    """An evaluator that returns the reason when there is no answer."""

    def answer_and_reason(self, program: Call) -> tuple[str | None, str]:
        try:
            return self.answer(program), ""
        except ExecutionFailure as failure:
            return None, str(failure)


class _IntervenedEvaluator(_ReasonedEvaluator):
    """An evaluator that replaces the value of one call."""

    def __init__(
        self, world: SceneGeometry, context: QuestionInfo, call: Call, past: bool, change: Callable
    ) -> None:
        super().__init__(world, context)
        self.turned, self.when, self.change = call, past, change

    def value(self, call: Call):
        if call == self.turned and self.past == self.when:
            return self.change(lambda: super(_IntervenedEvaluator, self).value(call))
        return super().value(call)

    set = value


class _RecordingEvaluator(_ReasonedEvaluator):
    """An evaluator that records the decisions of each step, including a step that fails."""

    def __init__(self, search: _Search) -> None:
        super().__init__(search.world, search.info, trace=True)
        self.search, self.decisions, self.failed = search, [], False

    def value(self, call: Call):
        try:
            value = super().value(call)
        except ExecutionFailure:
            if not self.failed:
                self.failed = True
                self._note(call, len(self.steps))
            raise
        self._note(call, len(self.steps) - 1)
        return value

    set = value

    def _note(self, call: Call, step: int) -> None:
        if call.op in _DECIDES:
            reader = _MarginFinder(self.search, call, step, self.past, self.naming)
            try:
                self.decisions += _DECIDES[call.op](reader, *call.args)
            except ExecutionFailure:  # of an argument: then this call decides nothing
                return


class _MarginFinder(Evaluator):
    """Evaluates the arguments of one call and computes its margins."""

    def __init__(self, search: _Search, call: Call, step: int, past: bool, naming: bool) -> None:
        super().__init__(search.world, search.info)
        self.search, self.call, self.step, self.past, self.naming = search, call, step, past, naming
        self.unit: Unit = self.rules.unit
        self.describe, self.short = search.describe, search.short

    # --- decisions and their inversion ------------------------------------------------------------

    def margin(
        self,
        i: int,
        distance: float,
        unit: Unit,
        boundary: str,
        text: str,
        nudge: PoseDelta | None = None,
    ) -> Margin:
        typical = self.rules.typical
        # of the Gaussian error that would make the other side equally probable
        if unit == "probability":
            errors = NormalDist().inv_cdf(min((1 + abs(distance)) / 2, 1 - 1e-15)) / _QUARTILE
        elif unit == "degrees" and nudge is not None and nudge.metres:
            errors = nudge.metres / typical[self.unit]
        else:
            errors = abs(distance) / typical[unit]
        row = self.search.row(i)
        return Margin(
            self.step,
            i if row is None else row,
            float(distance),
            unit,
            boundary,
            text,
            errors,
            nudge,
        )

    def within(
        self,
        i: int,
        distance: float,
        unit: Unit,
        boundary: str,
        shift: Shift | None = None,
        axes: Axes | None = None,
        up: float = 0.0,
        turn: float | None = None,
    ) -> Margin:
        """Return a margin with the signed distance of an object to a border.

        Moving by `shift` on the ground along `axes` (right, front; by default those of the table)
        and by `up`, or turning by `turn` degrees, reaches the border.
        """
        size = FORMS[unit].format(abs(distance))
        nudge, way = None if turn is None else self.search.nudge(i, degrees=turn), ""
        if shift is not None:
            (rx, ry), (fx, fy) = ((axes or self.world.axes)[name] for name in ("right", "front"))
            right, front = shift
            nudge = self.search.nudge(
                i, (float(right * rx + front * fx), float(right * ry + front * fy), up)
            )
            if nudge and nudge.metres and not up:
                metres = f"{FORMS[self.unit].format(nudge.metres)} " if unit == "degrees" else ""
                direction = self.rules.spell("eight", direction_at(math.atan2(right, front)))
                way = f" ({metres}to the {direction.replace('_', ' ').replace('-', ' ')})"
        where = f"{size} {'within' if distance > 0 else 'from'} {boundary}"
        text = f"{self.describe(i)} is {where}{way}"
        return self.margin(i, distance, unit, boundary, text, nudge)

    def turning(self, i: int, distance: float, turn: float, boundary: str, where: str) -> Margin:
        """Return a margin that object i reaches by turning `turn` degrees counter-clockwise."""
        nudge = self.search.nudge(i, degrees=turn)
        way = "counter-clockwise" if turn > 0 else "clockwise"
        size = FORMS["degrees"].format(abs(turn))
        return self.margin(
            i,
            distance,
            "degrees",
            boundary,
            f"{self.describe(i)} is {size} {way} from {where}",
            nudge,
        )

    def _again(self, change: Callable) -> Callable[[], tuple[str | None, str]]:
        """Return a function that gives the answer with the value of this call replaced."""
        search, call, past = self.search, self.call, self.past
        return lambda: _IntervenedEvaluator(
            search.world, search.info, call, past, change
        ).answer_and_reason(search.program)

    def member(self, margin: Margin, i: int) -> _Decision:
        """The inverted decision adds object i to the set, or removes it."""

        def change(original: Callable) -> list[int]:
            members = list(original())
            return [k for k in members if k != i] if i in members else [*members, i]

        return _Decision(margin, self._again(change))

    def chosen(self, margin: Margin, i: int | None) -> _Decision:
        """The inverted decision chooses another object; None: no object is left to choose from."""

        def change(original: Callable) -> int:
            with contextlib.suppress(ExecutionFailure):
                original()  # records the question's phrases for objects
            if i is None:
                raise ExecutionFailure("not found", "not found: no candidate is left")
            return i

        return _Decision(margin, self._again(change))

    def gives(self, margin: Margin, value: object) -> _Decision:
        """The inverted decision makes the call return another value; None: it fails."""

        def change(_original: Callable) -> object:
            if value is None:
                raise ExecutionFailure("not found", "not found: it has this position in no image")
            return value

        return _Decision(margin, self._again(change))

    def table(self, margin: Margin, i: int, **changes: object) -> _Decision:
        """The inverted decision changes a row of the table."""
        scene, row = self.search.scene, self.search.numbers[i]
        objects = list(scene.objects)
        objects[row] = replace(objects[row], **changes)
        return _Decision(margin, lambda: self.search.on(replace(scene, objects=tuple(objects))))

    # --- sets -------------------------------------------------------------------------------------

    def exists(self) -> Iterator[_Decision]:
        scene = self.search.scene
        for row, o in enumerate(scene.objects):
            ahead = 2 * o.existence - 1
            if abs(ahead) < 1:
                objects = list(scene.objects)
                objects[row] = replace(o, existence=float(ahead <= 0))
                other = replace(scene, objects=tuple(objects))
                margin = self._likelier(
                    row,
                    ahead,
                    "there",
                    describe(o, row) if "name" not in o.beliefs else o.value("name"),
                )
                yield _Decision(margin, lambda other=other: self.search.on(other))

    def filtered(self, attribute: str, text: str, set_call: Call) -> Iterator[_Decision]:
        known = {"side": AHEAD, "facing": relations.CENTRES}
        if attribute in ("name", "purpose") or text not in known.get(attribute, (text,)):
            return
        for i in self.members(set_call):
            if attribute == "side":
                yield self._at_side(text, i)
            elif attribute == "facing":
                yield self._faces(i, text)
            elif attribute == "occlusion":
                yield from self._occlusion(i, text)
            else:
                yield from self._believed(i, attribute, text)

    def _at_side(self, side: str, i: int) -> _Decision:
        (across, along), (middle, ahead), things = (
            self.world.half,
            self.world.middle,
            self.world.things,
        )
        off = (things[i].right - middle, things[i].front - ahead)
        bounds = [
            (x, y, least * (across if x else along))
            for x, y, least in side_bounds(side, self.rules)
        ]
        metres, shift = boundaries.over_border(
            [(x * off[0] + y * off[1] - least, x, y) for x, y, least in bounds]
        )
        boundary = f"the {self.rules.spell('eight', side)} side of the room"
        return self.member(self.within(i, metres, self.unit, boundary, shift), i)

    def relating(self, relation: str, *args: Call) -> Iterator[_Decision]:
        if args[-2].op == "frame":
            start, frame, set_call = args
            anchor = self.object(start, viewer=self.rules.viewer == "stands")
            for i in [VIEWER] if set_call == VIEWER_SET else self.members(set_call):
                if i != anchor and (margin := self._ahead(relation, anchor, frame, i)) is not None:
                    yield self.member(margin, i)
            return
        *ones, set_call = args
        anchors = list(self.both(*ones)) if len(ones) == 2 else [self.object(ones[0])]
        if len(anchors) != relations.others_of(relation):
            return
        if relation in _ALIGNED and self.rules.aligned_needs_label:
            yield self._faces(anchors[0], None)
        for i in self.members(set_call):
            if i in anchors:
                continue
            if relation == "occluded_by":
                yield from self._hides(i, anchors[0])
            elif (
                relation != "occluding"
                and (margin := self._border(relation, anchors, i)) is not None
            ):
                yield self.member(margin, i)
        if relation == "occluding":
            yield from self._hidden(anchors[0])

    def _ahead(self, direction: str, anchor: int, frame: Call, i: int) -> Margin | None:
        """Return the margin of an object for the region of a direction."""
        direction_name = self.rules.spell("eight", direction).replace("_", " ")
        boundary = f"{direction_name} of {self.short(anchor)}"
        if i in self.tellers(frame):  # moving it would turn the frame too
            return None
        axes = self.axes(frame, anchor)
        if self.rules.region == "half plane":
            spare = [
                (self.beyond(side, anchor, frame)[i], *AHEAD[side]) for side in direction.split("_")
            ]
            metres, shift = boundaries.over_border(spare)
            return self.within(i, metres, self.unit, boundary, shift, axes=axes)
        if VIEWER not in (anchor, i) and self.world.stacked(anchor, i):
            return None
        vector = self._image_shift(anchor, i, axes)
        if math.hypot(*vector) < 1e-9:  # at the viewer's position
            return None
        cone = relations.cone(direction, self.rules)
        off = math.remainder(math.atan2(*vector) - azimuth(direction), math.tau)
        shift = boundaries.to_ray(vector, azimuth(direction) + math.copysign(cone, off))
        return self.within(i, math.degrees(cone - abs(off)), "degrees", boundary, shift, axes=axes)

    def tellers(self, frame: Call) -> set[int]:
        """Return the objects whose positions define the directions of a frame."""
        if len(frame.args) == 4:
            return self.tellers(frame.args[3])
        return (
            {self.object(a) for a in frame.args if isinstance(a, Call)}
            if len(frame.args) == 2
            else set()
        )

    def _image_shift(self, start: int, goal: int, axes: Axes) -> Shift:
        """Return the displacement from one object to another, to the right and to the front."""
        x, y = self.world.vector(start, goal)
        (rx, ry), (fx, fy) = axes["right"], axes["front"]
        return x * rx + y * ry, x * fx + y * fy

    def _border(self, relation: str, ones: Sequence[int], i: int) -> Margin | None:
        """Return the margin of an object for a relation to others; None without a border."""
        world, anchor = self.world, ones[0]
        if relation in _ALIGNED:
            return self._alignment(relation, anchor, i)
        if relation in relations.RELATIONS:
            spare, unit = world.spare(relation)[anchor][i], relations.RELATIONS[relation].unit
            words = relation.replace("_", " ")
            if relation.startswith("collides"):
                words = f"the {relation.removeprefix('collides_')} way of"
            return self.within(
                i, spare, self.unit if unit == "length" else unit, f"{words} {self.short(anchor)}"
            )
        definition = relations.BODIES.get(relation)
        if definition is None or not definition.crossable(self.rules):
            return None
        boundary = definition.words.format(*map(self.short, ones))
        if relation in _WAYS and not (relation == "next_to" and self.rules.next_to_in == "sizes"):
            reached = _WAYS[relation](self, *ones, i)
            return reached and self.within(i, reached[0], self.unit, boundary, reached[1])
        return self.within(i, world.inside(relation, ones, i), self.unit, boundary)

    def _way_beside(self, anchor: int, i: int) -> tuple[float, Shift] | None:
        """Return the distance to the border of next to, and the way there; None for stacked."""
        if self.world.stacked(anchor, i):
            return None
        # footprints that overlap also have to move apart
        gap, way = boundaries.aside(*(self.world.things[k].box for k in (anchor, i)))
        metres = self.world.inside("next_to", [anchor], i) - min(gap, 0.0)
        return metres, self._in_frame(way, metres)

    def _in_frame(self, way: tuple[float, float], metres: float) -> Shift:
        """Return a world ground vector of given length as (to the right, to the front)."""
        (rx, ry), (fx, fy) = self.world.axes["right"], self.world.axes["front"]
        return metres * (way[0] * rx + way[1] * ry), metres * (way[0] * fx + way[1] * fy)

    def _way_between(self, a: int, b: int, i: int) -> tuple[float, Shift] | None:
        first, second = (self.world.things[k] for k in (a, b))
        bounds = relations.between_bounds(first, second, self.rules)
        if math.inf in bounds[0]:
            return None
        right, front = self._image_shift(a, i, self.world.axes)
        return boundaries.over_border(
            [(x * right + y * front - least, x, y) for x, y, least in bounds]
        )

    def _way_off_path(self, a: int, b: int, i: int) -> tuple[float, Shift] | None:
        things = self.world.things
        if not relations.BODIES["blocking"].condition(
            [things[a], things[b]], things[i], self.rules
        ):
            return None
        ends = [(things[k].box.x, things[k].box.y) for k in (a, b)]
        way, metres = boundaries.leaving(things[i].box, *ends, self.rules.path)
        return metres, self._in_frame(way, metres)

    def _alignment(self, relation: str, anchor: int, i: int) -> Margin:
        degrees = self.world.street.degrees
        turn = float((degrees[i] - degrees[anchor] + 180) % 360 - 180)  # clockwise
        same, opposite = self.rules.aligned_same_deg, self.rules.aligned_opposite_deg
        distance = relations.alignment(abs(turn), relation, self.rules)
        edges = (same, -same) if relation == "same_direction" else (opposite, -opposite)
        if relation in ("perpendicular", "parallel"):
            edges = (same, -same, opposite, -opposite)
        way = min((math.remainder(turn - edge, 360) for edge in edges), key=abs)
        boundary = f"{_ALIGNED[relation]} {self.short(anchor)}"
        return self.within(i, distance, "degrees", boundary, turn=way)

    # --- headings, attributes, occlusion ----------------------------------------------------------

    def _faces(self, i: int, value: str | None) -> _Decision:
        """Return the decision about the facing window `value`.

        None: the window in which the object is, or the nearest one.
        """
        degree = float(self.world.street.degrees[i])
        away = {
            f: abs((degree - centre + 180) % 360 - 180) for f, centre in relations.CENTRES.items()
        }
        value = value or min(away, key=away.__getitem__)
        distance = self.rules.facing_window_deg - away[value]
        label = value if distance <= 0 else boundaries.facing_beyond(degree, value, self.rules)
        world = copy.copy(self.world)
        world.__dict__["facings"] = [
            label if k == i else f for k, f in enumerate(self.world.facings)
        ]
        off = (degree - relations.CENTRES[value] + 180) % 360 - 180  # clockwise
        turn = off - math.copysign(self.rules.facing_window_deg, off)
        turn *= sense_of(self.world.axes)
        margin = self.within(i, distance, "degrees", f"facing {value}", turn=turn)
        return _Decision(
            margin,
            lambda: _ReasonedEvaluator(world, self.info).answer_and_reason(self.search.program),
        )

    def _likelier(self, i: int, ahead: float, boundary: str, words: str = "") -> Margin:
        """Return a margin of probability; with `words`, i is a row that may not be in the world."""
        size = FORMS["probability"].format(abs(ahead))
        text = f"{words or self.describe(i)} is {'' if ahead > 0 else 'not '}{boundary} by {size}"
        margin = self.margin(0 if words else i, ahead, "probability", boundary, text)
        return replace(margin, object=i) if words else margin

    def _beliefs(self, i: int, attribute: str) -> dict[str, float]:
        row = self.search.row(i)
        return (
            {} if row is None else dict(self.search.scene.objects[row].beliefs.get(attribute, {}))
        )

    def _as(self, i: int, attribute: str, value: str) -> dict:
        row = self.search.numbers[i]
        return {**self.search.scene.objects[row].beliefs, attribute: {value: 1.0}}

    def _believed(self, i: int, attribute: str, value: str = "") -> Iterator[_Decision]:
        belief = self._beliefs(i, attribute)
        if len(belief) < 2:
            return
        top = max(belief, key=belief.__getitem__)
        wanted = value or top
        yes = {v: p for v, p in belief.items() if wanted in lineage(v)}
        no = {v: p for v, p in belief.items() if v not in yes}
        ahead = max(yes.values(), default=0.0) - max(no.values(), default=0.0)
        other = no if ahead > 0 or (top in yes and ahead == 0) else yes
        if abs(ahead) < 1 and other:
            beliefs = self._as(i, attribute, max(other, key=other.__getitem__))
            yield self.table(self._likelier(i, ahead, wanted), i, beliefs=beliefs)

    def same(self, attribute: str, like: Call, set_call: Call) -> Iterator[_Decision]:
        """Yield the cheapest change of either value that makes two objects differ, or agree."""
        i = self.object(like)
        for j in self.members(set_call):
            beliefs = {n: self._beliefs(n, attribute) for n in (i, j)}
            if j == i or not all(beliefs.values()):
                continue
            value = {n: max(b, key=b.__getitem__) for n, b in beliefs.items()}
            agree = value[i] == value[j]
            ways = [
                (beliefs[n][value[n]] - p, n, v)
                for n, other in ((i, j), (j, i))
                for v, p in beliefs[n].items()
                if v != value[n] and (agree or v == value[other])
            ]
            if ways and (best := min(ways))[0] < 1:
                ahead, n, v = best
                margin = self._likelier(
                    j, ahead if agree else -ahead, f"of the {attribute} of {self.short(i)}"
                )
                yield self.table(margin, n, beliefs=self._as(n, attribute, v))

    def _occlusion(self, i: int, value: str) -> Iterator[_Decision]:
        if self.search.scene.occluders is None:
            return
        if value == "occluding":
            nearest = [d for j in self.world.times(False) if j != i for d in self._hides(j, i)]
            hiding = [d for d in nearest if d.margin.distance > 0]
            if len(hiding) < 2:  # one inverted decision does not stop an object that hides several
                yield from sorted(hiding or nearest, key=lambda d: d.margin.normalised)[:1]
            return
        for decision in self._hidden(i):
            if value == "unoccluded":
                margin = decision.margin
                margin = self._visibility_margin(i, -margin.distance, margin.unit, "unoccluded")
                decision = decision._replace(margin=margin)
            yield decision

    def _visibility_margin(self, i: int, distance: float, unit: Unit, boundary: str) -> Margin:
        return (
            self._likelier(i, distance, boundary)
            if unit == "probability"
            else self.within(i, distance, unit, boundary)
        )

    def _hidden(self, i: int) -> Iterator[_Decision]:
        """Decisions about whether any object occludes object i."""
        scene, row = self.search.scene, self.search.row(i)
        if scene.occluders is None or row is None:
            return
        belief = {j: p for j, p in scene.occluders[row].items() if j in self.search.numbers}
        hider = max(belief, key=belief.__getitem__, default=None)
        ahead = belief.get(hider, 0.0) - (1 - sum(scene.occluders[row].values()))
        if ahead > 0:
            turned = self._occluders(row, {})
        else:  # the table has no occluder for an object that is not occluded
            turned = None if hider is None else self._occluders(row, {hider: 1.0})
        yield from self._pixels_or(i, ahead, ahead, "occluded", turned)

    def _hides(self, i: int, j: int) -> Iterator[_Decision]:
        """Decisions about whether j is the dominant occluder of i."""
        scene, row, by = self.search.scene, self.search.row(i), self.search.row(j)
        if scene.occluders is None or row is None or by is None:
            return
        belief = scene.occluders[row]
        others: dict[int | None, float] = {
            n: p for n, p in belief.items() if n != by and n in self.search.numbers
        }
        others[None] = 1 - sum(belief.values())
        best = max(others, key=others.__getitem__)
        ahead = belief.get(by, 0.0) - others[best]
        then = by if ahead <= 0 else best
        turned = self._occluders(row, {} if then is None else {then: 1.0})
        yield from self._pixels_or(
            i, ahead, None if ahead <= 0 else ahead, f"occluded by #{by}", turned
        )

    def _pixels_or(
        self, i: int, ahead: float, masked: float | None, boundary: str, turned: Callable | None
    ) -> Iterator[_Decision]:
        """Yield the decision, in pixels if masks are given, else in probability."""
        pixels = self.search.pixels
        if pixels is not None and masked is not None:
            distance = min(pixels[self.search.numbers[i]]) - self.rules.occlusion_min_px
            yield _Decision(self._visibility_margin(i, distance, "pixels", boundary), turned)
        elif abs(ahead) < 1:
            yield _Decision(self._visibility_margin(i, ahead, "probability", boundary), turned)

    def _occluders(
        self, row: int, belief: dict[int, float]
    ) -> Callable[[], tuple[str | None, str]]:
        occluders = list(self.search.scene.occluders or ())
        occluders[row] = belief
        return lambda: self.search.on(replace(self.search.scene, occluders=tuple(occluders)))

    # --- choices ----------------------------------------------------------------------------------

    def best(self, what: str, sense: str, *args: Call) -> Iterator[_Decision]:
        *where, set_call = args
        if what in _SUPERLATIVES:
            if not where:
                yield from self._most(what, sense, self.members(set_call))
        elif what in ("distance", "bearing"):
            anchor = self.object(where[0], viewer=True) if where else VIEWER
            members = self.rivals_of(what, anchor, set_call)
            if what == "bearing":
                yield from self._turned_between(anchor, members)
            else:
                yield from self._by_distance(anchor, members, sense)
        elif len(where) == 1:
            axes = self.axes(where[0], VIEWER)
            sign = 1.0 if sense == "least" else -1.0
            x, y = (-sign * part for part in AHEAD[what])
            direction_name = self.rules.spell("eight", what).replace("_", " ")
            for i, gap in self._rivals(
                self.members(set_call), lambda i: sign * self._along(what, i, axes)
            ):
                if i in self.tellers(where[0]):
                    continue
                metres = gap / (x * x + y * y)
                shift = metres * x, metres * y
                border = (
                    f"being {'least far' if sense == 'least' else 'furthest'} to the"
                    f" {direction_name}"
                )
                yield self.chosen(
                    self.within(i, -math.hypot(*shift), self.unit, border, shift, axes=axes), i
                )
        elif sense in ("most", "first"):
            anchor = self.object(where[0], viewer=self.rules.viewer == "stands")
            decisions = self._squarest if sense == "most" else self._first_that_way
            yield from decisions(what, anchor, where[1], self.members(set_call))

    def _rivals(
        self, candidates: Sequence[int], key: Callable[[int], float]
    ) -> Iterator[tuple[int, float]]:
        """Yield the other objects, with the difference of their key to the smallest."""
        best = min(candidates, key=key, default=None)
        for i in candidates:
            if i != best:
                yield i, key(i) - key(best)

    def _most(self, what: str, sense: str, candidates: Sequence[int]) -> Iterator[_Decision]:
        sign, word = (-1.0 if sense == "most" else 1.0), _SUPERLATIVES[what][sense != "most"]
        for i, gap in self._rivals(candidates, lambda i: sign * self.measure(what, i)):
            yield self.chosen(self._measured(i, what, gap, -sign * gap, f"being the {word}"), i)

    def _measured(self, i: int, what: str, gap: float, up: float, border: str) -> Margin:
        """Return an object's margin to having `gap` more or less of a measure."""
        if what == "volume":
            percent = 100 * (math.exp(gap) - 1)
            return self.within(i, -percent, "%", border)
        shift = (0.0, 0.0) if what == "elevation" else None
        return self.within(i, -gap, self.unit, border, shift, up=up)

    def _by_distance(self, anchor: int, members: Sequence[int], sense: str) -> Iterator[_Decision]:
        """Decisions about the nearest (farthest) object.

        Either a rival moves until it is as near as the nearest, or the reference moves until both
        are.
        """
        away, sign = self.world.distance_from(anchor), -1.0 if sense == "most" else 1.0
        word = "farthest from" if sense == "most" else "nearest to"
        best = min(members, key=lambda i: sign * away(i), default=None)
        in_space = self.rules.distance == "space"
        if anchor == VIEWER:  # a viewer who stands in a room measures on the ground
            in_space = self.rules.viewer != "stands"
        flat = np.array([1.0, 1.0, float(in_space)])
        start = np.array(self.world.point(anchor)) * flat
        for i, gap in self._rivals(members, lambda i: sign * away(i)):
            place, other = (np.array(self.world.point(k)) * flat for k in (i, best))
            if length := away(i):
                shift = -sign * gap / length * (place - start)
                yield self.chosen(
                    self._moved(i, shift, f"being the {word} {self.short(anchor)}"), i
                )
            offset = place - other
            length = float(np.linalg.norm(offset))
            if anchor != VIEWER and length > 1e-9:
                metres = float(((place + other) / 2 - start) @ offset) / length
                border = (
                    f"being {'farther from' if sense == 'most' else 'nearer to'} {self.short(i)}"
                )
                border += f" than {'' if sense == 'most' else 'to '}{self.short(best)}"
                yield self.chosen(self._moved(anchor, offset * (metres / length), border), i)

    def _moved(self, i: int, shift: np.ndarray, border: str) -> Margin:
        """Return a margin that an object reaches by a world displacement."""
        x, y, z = (float(v) for v in shift)
        (rx, ry), (fx, fy) = self.world.axes["right"], self.world.axes["front"]
        over = x * rx + y * ry, x * fx + y * fy
        return self.within(i, -math.hypot(x, y, z), self.unit, border, over, up=z)

    def _turned_between(self, anchor: int, members: Sequence[int]) -> Iterator[_Decision]:
        """Decisions about the object nearest to the front of `anchor`.

        `anchor` turns until two objects are equally far off its front, the shorter way.
        """
        axes = self.world.own_axes(anchor)
        turns = {i: self.world.turn(anchor, i, axes) for i in members}
        best = min(turns, key=lambda i: abs(turns[i]), default=None)
        for i, turn in turns.items():
            if i != best:
                ways = (
                    math.remainder((turn + turns[best]) / 2 + half, math.tau)
                    for half in (0, math.pi)
                )
                by = math.degrees(min(ways, key=abs))
                border = f"facing {self.short(i)} more than {self.short(best)}"
                yield self.chosen(self.turning(anchor, -abs(by), by, border, border), i)

    def _squarest(
        self, direction: str, anchor: int, frame: Call, candidates: Sequence[int]
    ) -> Iterator[_Decision]:
        """Decisions about the object most squarely in a direction.

        Another object takes its place, or the object itself leaves the cone.
        """
        axes, tellers = self.axes(frame, anchor), self.tellers(frame)
        signed = {
            i: math.remainder(self.world.turn(anchor, i, axes) + azimuth(direction), math.tau)
            for i in candidates
            if i != anchor and math.hypot(*self.world.vector(anchor, i)) > 1e-9
        }
        ranked = sorted(signed, key=lambda i: abs(signed[i]))
        words = f"being the one {self.rules.spell('eight', direction)} of {self.short(anchor)}"
        cone = math.radians(self.rules.cone)
        if not ranked:
            return
        limit = min(abs(signed[ranked[0]]), cone)
        for i in ranked if abs(signed[ranked[0]]) > cone else ranked[1:]:
            if i not in tellers:
                turn = math.copysign(limit, signed[i]) - signed[i]
                yield self.chosen(self._swung(anchor, i, axes, turn, words), i)
        edge = min([cone, *(abs(signed[i]) for i in ranked[1:2])])
        if abs(signed[ranked[0]]) <= cone and ranked[0] not in tellers:
            turn = math.copysign(edge, signed[ranked[0]]) - signed[ranked[0]]
            then = ranked[1] if len(ranked) > 1 and abs(signed[ranked[1]]) <= cone else None
            yield self.chosen(self._swung(anchor, ranked[0], axes, turn, f"not {words}"), then)

    def _swung(self, anchor: int, i: int, axes: Axes, turn: float, border: str) -> Margin:
        """Return the margin of moving object i until its azimuth from `anchor` is larger by `turn`.

        The displacement is the shortest possible.
        """
        vector = self._image_shift(anchor, i, axes)
        shift = boundaries.to_ray(vector, math.atan2(*vector) - turn)
        return self.within(i, -math.degrees(abs(turn)), "degrees", border, shift, axes=axes)

    def _first_that_way(
        self, direction: str, anchor: int, frame: Call, candidates: Sequence[int]
    ) -> Iterator[_Decision]:
        """Decisions about the nearest object in a direction, and about which objects are in it."""
        others = [i for i in candidates if i != anchor]
        lying = self.lying(direction, anchor, frame, others)
        away = self.world.distance_from(anchor)
        yield from self._by_distance(anchor, lying, "least")
        for i in others:
            if (margin := self._ahead(direction, anchor, frame, i)) is not None:
                left = [k for k in lying if k != i] if i in lying else [*lying, i]
                yield self.chosen(margin, min(left, key=away, default=None))

    # --- answers ----------------------------------------------------------------------------------

    def queried(self, what: str, object_call: Call, *_start: Call) -> Iterator[_Decision]:
        if (
            what in ("name", "purpose", "occlusion")
            or what in _SUPERLATIVES
            or what in ("distance", "bearing")
        ):
            return
        i = self.object(object_call)
        if what == "facing":
            yield self._faces(i, None)
        # the eight sectors are relative to the room, scaled to be as wide as it is long
        elif what == "side":
            right, front = self.world.off_centre(i)
            (across, along), middle = self.world.half, self.world.middle
            off = self.world.things[i].right - middle[0], self.world.things[i].front - middle[1]
            for border, turn, word in self._neighbours(-math.atan2(right, front), "eight"):
                ray = math.atan2(-math.sin(border) * across, math.cos(border) * along)
                margin = self.within(
                    i,
                    -math.degrees(abs(turn)),
                    "degrees",
                    f"the {word} of the room",
                    boundaries.to_ray(off, ray),
                )
                yield self.gives(margin, word)
        else:
            yield from self._believed(i, what)

    def _neighbours(self, turn: float, sectors: str) -> Iterator[tuple[float, float, str]]:
        """Yield (azimuth of the border, turn to it, answer beyond) on both sides of an azimuth.

        Radians from the front, counter-clockwise.
        """
        directions = self.sector_names(sectors)
        nearest = min(directions, key=lambda d: abs(math.remainder(turn + azimuth(d), math.tau)))
        for sense in (1, -1):
            away = {
                d: sense * (azimuth(nearest) - azimuth(d)) % math.tau
                for d in directions
                if d != nearest
            }
            other = min(away, key=away.__getitem__)
            border = -azimuth(nearest) + sense * away[other] / 2
            yield border, math.remainder(border - turn, math.tau), self.rules.spell(sectors, other)

    def way(self, start: Call, goal: Call, frame: Call, sectors: str) -> Iterator[_Decision]:
        """Decisions about both borders of a sector.

        The goal moves to the border, or the object that defines the front turns.
        """
        b, a = self.disambiguate(goal, start, viewer=True)
        axes = self.axes(frame, a)
        owner = a if self._whose(frame) == "object" else None
        if len(frame.args) == 1 and isinstance(frame.args[0], Call):
            owner = self.object(frame.args[0])
        for border, turn, word in self._neighbours(self.world.turn(a, b, axes), sectors):
            if b != VIEWER and b not in self.tellers(frame):
                shift = boundaries.to_ray(self._image_shift(a, b, axes), -border)
                where = f"{word} of {self.short(a)}"
                yield self.gives(
                    self.within(b, -math.degrees(abs(turn)), "degrees", where, shift, axes=axes),
                    word,
                )
            if owner is not None:
                degrees = -math.degrees(turn)
                where = f"having {self.short(b)} {word}"
                yield self.gives(self.turning(owner, -abs(degrees), degrees, where, where), word)

    def image(self, direction: str, start: Call, goal: Call) -> Iterator[_Decision]:
        """Decisions about an image.

        The pair turns, either way, until it leaves the cone in its image or is more squarely in
        the direction in another image.
        """
        b, a = self.disambiguate(goal, start, viewer=True)
        views, cone = self.info.views, math.radians(self.rules.cone)
        signed = [
            math.remainder(self.world.turn(a, b, v) + azimuth(direction), math.tau) for v in views
        ]
        best = min(range(len(signed)), key=lambda k: abs(signed[k]), default=None)
        if best is None or abs(signed[best]) > cone:
            return
        ends = [-signed[best] + side for side in (cone, -cone)]
        for k, other in enumerate(signed):
            if k != best:  # equally far from the direction, on both sides of it
                halves = (
                    math.remainder(h - (signed[best] + other) / 2, math.tau) for h in (0, math.pi)
                )
                ends += halves
        direction_name = self.rules.spell("eight", direction)
        what = f"being as squarely {direction_name} of {self.short(a)} in another image"
        for sense in (1, -1):
            turn = min((end for end in ends if end * sense > 0), key=abs, default=None)
            if turn is None:
                continue
            beyond = [abs(math.remainder(s + turn + sense * 1e-6, math.tau)) for s in signed]
            image = min(range(len(beyond)), key=beyond.__getitem__)
            then = None if beyond[image] > cone else str(image + 1)
            if then is not None and self.info.options:
                then = self.info.options[image]
            yield self.gives(self._swung(a, b, views[best], turn, what), then)

    def compared(self, what: str, first: Call, second: Call) -> Iterator[_Decision]:
        words = MORE_OR_LESS.get(what, ("more", "less"))
        for margin, more in self._differing(what, first, second):
            yield self.gives(margin, self.rules.spell(what, words[more]))

    def greater(self, first: Call, second: Call) -> Iterator[_Decision]:
        if is_measure(first, second):
            for margin, more in self._differing(first.args[0], first.args[1], second.args[1]):
                yield self.gives(margin, not more)

    def less(self, first: Call, second: Call) -> Iterator[_Decision]:
        yield from self.greater(second, first)

    def _differing(self, what: str, first: Call, second: Call) -> Iterator[tuple[Margin, bool]]:
        """Yield (margin of two objects' measures, whether the first has more)."""
        a, b = self.object(first), self.object(second)
        gap = self.measure(what, a) - self.measure(what, b)
        words = MORE_OR_LESS.get(what, ("more", "less"))
        border = f"being {words[gap > 0]} than {self.short(b)}"
        yield self._measured(a, what, abs(gap), -gap, border), gap > 0

    def held(self, relation: str, first: Call, second: Call) -> Iterator[_Decision]:
        a, b = (
            self.both(first, second)
            if relation == "nearer_than_before"
            else self.disambiguate(first, second)
        )
        if relation == "fits":
            mine, space = (sorted(self.world.extents(i)[:2]) for i in (a, b))
            spare = min(y - x for x, y in zip(mine, space))
            word = "too wide" if spare >= 0 else "narrow enough"
            margin = self.within(a, -abs(spare), self.unit, f"being {word} for {self.short(b)}")
            yield self.gives(margin, not spare >= -1e-9)
        elif relation == "nearer_than_before":
            now = self.world.distance(a, b)
            world = self.world
            then = [world.edited.origin[i] if i < world.now else None for i in (a, b)]
            if None in then:  # an object did not exist before, so there is no earlier distance
                return
            before = self.world.distance(*(self.world.now + i for i in then))
            if now >= 1e-9:
                x, y = self._image_shift(b, a, self.world.axes)
                shift = (x * (before - now) / now, y * (before - now) / now)
                border = f"being as far from {self.short(b)} as before"
                yield self.gives(
                    self.within(a, -math.hypot(*shift), self.unit, border, shift), not now < before
                )
        elif (
            relations.others_of(relation) == 1
            and (margin := self._border(relation, [b], a)) is not None
        ):
            yield self.gives(margin, not margin.distance > 0)


# distance to the border of a relation and the shortest way there, where it is known
_WAYS: dict[str, Callable[..., tuple[float, Shift] | None]] = {
    "next_to": _MarginFinder._way_beside,
    "between": _MarginFinder._way_between,
    "blocking": _MarginFinder._way_off_path,
}
_SUPERLATIVES = {
    "elevation": ("highest", "lowest"),
    "height": ("tallest", "shortest"),
    "volume": ("largest", "smallest"),
    "length": ("longest", "shortest"),
    "width": ("widest", "narrowest"),
}
_DECIDES: dict[str, Callable[..., Iterator[_Decision]]] = {
    "scene": _MarginFinder.exists,
    "filter": _MarginFinder.filtered,
    "relate": _MarginFinder.relating,
    "same": _MarginFinder.same,
    "best": _MarginFinder.best,
    "query": _MarginFinder.queried,
    "direction": _MarginFinder.way,
    "view": _MarginFinder.image,
    "compare": _MarginFinder.compared,
    "greater_than": _MarginFinder.greater,
    "less_than": _MarginFinder.less,
    "holds": _MarginFinder.held,
}


# --- records --------------------------------------------------------------------------------------

_PLAIN = ("object", "distance", "unit", "boundary", "text", "normalised")  # of a margin


def record(flip: Counterfactual | None) -> dict | None:
    """Return the record stored in a prediction: distance, unit, changed answer and text."""
    if flip is None:
        return None
    return {
        "distance": round(flip.distance, 6),
        "unit": flip.unit,
        "answer": flip.answer,
        "text": flip.text,
    }


def record_of(result: Margins) -> dict:
    """Return a JSON-ready record: the answer, every step's decisions, the counterfactual."""
    steps = [[{name: getattr(m, name) for name in _PLAIN} for m in step] for step in result.steps]
    flip = record(result.flip)
    if flip is not None:
        flip |= {"object": result.flip.margin.object, "reason": result.flip.reason}
    return {"answer": result.answer, "steps": steps, "flip": flip}
