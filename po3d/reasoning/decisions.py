"""Decisions of one call and their inversion: what margins and counterfactuals are made of."""

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import NamedTuple

from po3d.language.program import Call
from po3d.reasoning.boundaries import Shift
from po3d.reasoning.directions import direction_at
from po3d.reasoning.evaluator import Evaluator
from po3d.reasoning.margin_values import FORMS, Margin, PoseDelta, Unit
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.set_operations import QuestionInfo
from po3d.reasoning.world import SceneGeometry
from po3d.scene.orbit import Axes
from po3d.scene.table import Scene

# a Gaussian error exceeds its median magnitude beyond this many sigmas
_QUARTILE = NormalDist().inv_cdf(0.75)


class Decision(NamedTuple):
    """A margin, and a function that returns the answer and reason with the decision inverted.

    None if the inverted answer is unknown.
    """

    margin: Margin
    turned: "Callable[[], tuple[str | None, str]] | None"


class IntervenedEvaluator(Evaluator):
    """An evaluator that replaces the value of one call."""

    def __init__(
        self, world: SceneGeometry, context: QuestionInfo, call: Call, past: bool, change: Callable
    ) -> None:
        super().__init__(world, context)
        self.turned, self.when, self.change = call, past, change

    def value(self, call: Call):
        if call == self.turned and self.past == self.when:
            return self.change(lambda: super(IntervenedEvaluator, self).value(call))
        return super().value(call)


def toggled(members: Sequence[int], i: int) -> list[int]:
    """Return a set without object i if it is in the set, else with it."""
    return [k for k in members if k != i] if i in members else [*members, i]


class Subject:
    """One program on one scene geometry. `numbers` maps the objects of the geometry to rows of
    `scene`, the table with its uncertainty."""

    def __init__(
        self,
        program: Call,
        world: SceneGeometry,
        context: QuestionInfo,
        scene: Scene,
        numbers: Sequence[int],
    ) -> None:
        self.program, self.world, self.info, self.rules = program, world, context, world.rules
        self.scene, self.numbers = scene, numbers

    def on(self, scene: Scene) -> tuple[str | None, str]:
        """Return the answer on another table."""
        world = SceneGeometry.of(scene.certain(), self.rules)
        return Evaluator(world, self.info).answer_and_reason(self.program)

    def row(self, i: int) -> int | None:
        """Return an object's row in the table; None for the viewer or an object before an edit."""
        return self.numbers[i] if 0 <= i < len(self.numbers) else None

    def describe(self, i: int) -> str:
        """Return an object in words: its name, or its number and attributes."""
        return self.world.describe(i, self.row(i))

    def short(self, i: int) -> str:
        row = self.row(i)
        if row is None or self.world.things[i].name:
            return self.describe(i)
        return f"#{row}"

    def nudge(
        self, i: int, shift: tuple[float, float, float] = (0.0, 0.0, 0.0), degrees: float = 0.0
    ) -> PoseDelta | None:
        """Return a displacement and rotation of object i; None if it is not in the table."""
        row = self.row(i)
        return None if row is None else PoseDelta(row, shift, math.radians(degrees))


class DecisionFinder(Evaluator):
    """Evaluates the arguments of one call and computes its margins."""

    def __init__(self, subject: Subject, call: Call, step: int, past: bool, naming: bool) -> None:
        super().__init__(subject.world, subject.info)
        self.subject, self.call, self.step = subject, call, step
        self.past, self.naming = past, naming
        self.unit: Unit = self.rules.unit
        self.describe, self.short = subject.describe, subject.short

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
        row = self.subject.row(i)
        which = self.step, i if row is None else row
        return Margin(*which, float(distance), unit, boundary, text, errors, nudge)

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
        nudge, way = None if turn is None else self.subject.nudge(i, degrees=turn), ""
        if shift is not None:
            axes = axes or self.world.axes
            (rx, ry), (fx, fy), (right, front) = axes["right"], axes["front"], shift
            x, y = float(right * rx + front * fx), float(right * ry + front * fy)
            nudge = self.subject.nudge(i, (x, y, up))
            if nudge and nudge.metres and not up:
                metres = f"{FORMS[self.unit].format(nudge.metres)} " if unit == "degrees" else ""
                direction = self.rules.spell("eight", direction_at(math.atan2(right, front)))
                way = f" ({metres}to the {direction.replace('_', ' ').replace('-', ' ')})"
        where = f"{size} {'within' if distance > 0 else 'from'} {boundary}"
        text = f"{self.describe(i)} is {where}{way}"
        return self.margin(i, distance, unit, boundary, text, nudge)

    def turning(self, i: int, distance: float, turn: float, boundary: str, where: str) -> Margin:
        """Return a margin that object i reaches by turning `turn` degrees counter-clockwise."""
        nudge = self.subject.nudge(i, degrees=turn)
        way = "counter-clockwise" if turn > 0 else "clockwise"
        size = FORMS["degrees"].format(abs(turn))
        text = f"{self.describe(i)} is {size} {way} from {where}"
        return self.margin(i, distance, "degrees", boundary, text, nudge)

    def _again(self, change: Callable) -> Callable[[], tuple[str | None, str]]:
        """Return a function that gives the answer with the value of this call replaced."""
        subject, call, past = self.subject, self.call, self.past
        return lambda: IntervenedEvaluator(
            subject.world, subject.info, call, past, change
        ).answer_and_reason(subject.program)

    def member(self, margin: Margin, i: int) -> Decision:
        """Return the decision whether object i is in the set; inverting it adds or removes i."""

        def change(original: Callable) -> list[int]:
            return toggled(original(), i)

        return Decision(margin, self._again(change))

    def chosen(self, margin: Margin, i: int | None) -> Decision:
        """Return the decision between the present object and object i. Inverting it makes the call
        return i; None: the call fails, as no candidate is left."""

        def change(original: Callable) -> int:
            with contextlib.suppress(ExecutionFailure):
                original()  # records the question's phrases for objects
            if i is None:
                raise ExecutionFailure("not found", "not found: no candidate is left")
            return i

        return Decision(margin, self._again(change))

    def gives(self, margin: Margin, value: object) -> Decision:
        """Return the decision whose inversion makes the call return `value`; None: it fails."""

        def change(_original: Callable) -> object:
            if value is None:
                raise ExecutionFailure("not found", "not found: it has this position in no image")
            return value

        return Decision(margin, self._again(change))

    def table(self, margin: Margin, i: int, **changes: object) -> Decision:
        """Return the decision whose inversion changes a row of the table."""
        scene, row = self.subject.scene, self.subject.numbers[i]
        objects = list(scene.objects)
        objects[row] = replace(objects[row], **changes)
        return Decision(margin, lambda: self.subject.on(replace(scene, objects=tuple(objects))))

    # --- displacements ----------------------------------------------------------------------------

    def tellers(self, frame: Call) -> set[int]:
        """Return the objects whose positions define the directions of a frame."""
        if len(frame.args) == 4:
            return self.tellers(frame.args[3])
        if len(frame.args) != 2:
            return set()
        return {self.object(arg) for arg in frame.args if isinstance(arg, Call)}

    def _image_shift(self, start: int, goal: int, axes: Axes) -> Shift:
        """Return the displacement from one object to another, to the right and to the front."""
        x, y = self.world.vector(start, goal)
        (rx, ry), (fx, fy) = axes["right"], axes["front"]
        return x * rx + y * ry, x * fx + y * fy

    def _in_frame(self, way: tuple[float, float], metres: float) -> Shift:
        """Return a world ground vector of given length as (to the right, to the front)."""
        (rx, ry), (fx, fy) = self.world.axes["right"], self.world.axes["front"]
        return metres * (way[0] * rx + way[1] * ry), metres * (way[0] * fx + way[1] * fy)

    def _likelier(self, i: int, ahead: float, boundary: str, words: str = "") -> Margin:
        """Return a margin of probability, `ahead`, to a boundary. With `words`, the description of
        the object, i is a row of the table that may be missing in the world."""
        size = FORMS["probability"].format(abs(ahead))
        text = f"{words or self.describe(i)} is {'' if ahead > 0 else 'not '}{boundary} by {size}"
        margin = self.margin(0 if words else i, ahead, "probability", boundary, text)
        return replace(margin, object=i) if words else margin
