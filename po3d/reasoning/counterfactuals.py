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

import math
from dataclasses import replace

from po3d.language.program import Call, Tree
from po3d.language.programs.street import STREET
from po3d.reasoning.choice_decisions import DECISIONS, MarginFinder
from po3d.reasoning.decisions import Subject
from po3d.reasoning.evaluator import Evaluator
from po3d.reasoning.margin_values import (
    Counterfactual,
    Margin,
    Margins,
    PoseDelta,
    record,
    record_of,
)
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.packing import steps
from po3d.reasoning.questions import Task
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.reasoning.set_operations import NO_OPTIONS, QuestionInfo
from po3d.reasoning.world import SceneGeometry
from po3d.scene.table import Scene

__all__ = [
    "Counterfactual", "Margin", "Margins", "PoseDelta",
    "margins", "margins_in", "record", "record_of",
]  # fmt: skip


def margins(
    program: Tree,
    scene: Scene,
    task: Task = "2d",
    rules: Rules = STREET_RULES,
    within: float = math.inf,
    context: QuestionInfo = NO_OPTIONS,
) -> Margins:
    """Return the decisions of a program on the most probable table of `scene`.

    Certain attribute values are omitted, as they have no near border. The counterfactual is
    searched among decisions of at most `within` typical errors.
    """
    world = SceneGeometry.of(scene.certain(), rules)
    call = STREET.to_core(program)
    subject = Subject(call, world, context._replace(task=task), scene, scene.present)
    result = _search(subject, within)
    missing = len(steps(call)) - len(result.steps) if rules.dialect == "street" else 0
    return replace(result, steps=result.steps + ((),) * missing)  # steps that were not reached


def margins_in(
    program: Call,
    world: SceneGeometry,
    context: QuestionInfo = NO_OPTIONS,
    within: float = math.inf,
) -> Margins:
    """Return the decisions of a program as `margins` does, for a scene geometry without
    uncertainty."""
    return _search(Subject(program, world, context, world.scene, range(world.now)), within)


def _search(subject: Subject, within: float) -> Margins:
    """Return the decisions, and the nearest one that changes the answer."""
    watched = _RecordingEvaluator(subject)
    answer, _ = watched.answer_and_reason(subject.program)
    every = sorted(watched.decisions, key=lambda d: d.margin.normalised)
    by_step: list[list[Margin]] = [[] for _ in range(len(watched.steps) + (answer is None))]
    for decision in every:
        by_step[decision.margin.step].append(decision.margin)
    steps = tuple(map(tuple, by_step))
    for decision in every:
        if decision.margin.normalised > within:
            break
        after, reason = decision.turned() if decision.turned else (answer, "")
        if after != answer:
            return Margins(answer, steps, Counterfactual(decision.margin, after, reason))
    return Margins(answer, steps, None)


class _RecordingEvaluator(Evaluator):
    """An evaluator that records the decisions of each step, including a step that fails."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject.world, subject.info, trace=True)
        self.subject, self.decisions, self.failed = subject, [], False

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

    def _note(self, call: Call, step: int) -> None:
        if call.op in DECISIONS:
            finder = MarginFinder(self.subject, call, step, self.past, self.naming)
            try:
                self.decisions += DECISIONS[call.op](finder, *call.args)
            except ExecutionFailure:  # of an argument: then this call decides nothing
                return
