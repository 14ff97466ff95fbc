"""Execute programs on views of a scene (SCOPE): one view's table, or a fused table.

Names are resolved on the table with its uncertainty; not found and ambiguous are outcomes. The
probability of an answer is a share of posterior samples or, without samples, computed to first
order in the covariances for directions, images and the nearest option; for other answers it is
the existence probability of the named object.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from po3d.io.errors import InputError
from po3d.language.program import ANSWERS, Call, ProgramError
from po3d.reasoning.counterfactuals import Counterfactual, margins_in
from po3d.reasoning.evaluator import Evaluator
from po3d.reasoning.outcome import ExecutionFailure, Outcome, failed
from po3d.reasoning.references import BestFit
from po3d.reasoning.rules import SCOPE_RULES
from po3d.reasoning.set_operations import QuestionInfo
from po3d.reasoning.votes import vote
from po3d.reasoning.world import VIEWER, SceneGeometry
from po3d.scene.geometry import Array
from po3d.scene.orbit import Axes, azimuth_deviation, label_beliefs
from po3d.scene.posterior import posterior_samples
from po3d.scene.table import Scene


@dataclass(frozen=True)
class ViewEvidence:
    """The input of a question: a table, and the axes of each of its images in the table's world."""

    table: Scene
    views: tuple[Axes, ...]

    def question_info(self, options: Sequence[str] = ()) -> QuestionInfo:
        """Return the context of a question with these answer options."""
        return QuestionInfo(options=tuple(options), views=self.views)


def single(table: Scene) -> ViewEvidence:
    """Return the input of a question on one image; InputError without the viewer's axes."""
    if set(table.axes) != {"left", "right", "front", "behind"}:
        raise InputError(f"{table.image or 'the table'} has no viewer's axes")
    return ViewEvidence(table, (table.axes,))


def run(
    program: Call,
    evidence: ViewEvidence,
    options: Sequence[str] = (),
    samples: int = 0,
    seed: int = 0,
) -> Outcome:
    """Answer a program.

    `options` are the answer options; the image of a view is one of them by its number. With
    `samples`, posterior samples of the table (poses and flips) vote, and the probability is the
    share of the answer among samples that have one. A program that fails on the table itself
    fails.
    """
    outcome = _estimated(program, evidence.table, evidence.question_info(options))
    if not samples or outcome.answer is None:
        return outcome
    sampled = posterior_samples(evidence.table, ("pose", "flip"), count=samples, seed=seed)
    answers = []
    for sample in sampled.scenes():
        answers.append(_estimated(program, sample, evidence.question_info(options)).answer)
    majority = vote(answers, ties=[outcome.answer])
    if majority is None:
        failure = ExecutionFailure("unknown", "no posterior sample has an answer")
        return failed(failure, make_trace=outcome.make_trace)
    share, valid = majority.distribution[majority.answer], majority.answered / majority.worlds
    return replace(outcome, answer=majority.answer, probability=share, valid=valid)


def nearest(
    program: Call, evidence: ViewEvidence, options: Sequence[str] = ()
) -> Counterfactual | None:
    """Return the nearest decision that changes the answer; None if there is none."""
    world = SceneGeometry.of(evidence.table, SCOPE_RULES)
    near = margins_in(program, world, evidence.question_info(options))
    return None if near.answer is None else near.flip


def _estimated(program: Call, scene: Scene, context: QuestionInfo) -> Outcome:
    """Return the answer on the table's most probable poses, with its probability."""
    if program.output not in ANSWERS:
        raise ProgramError(f"{program} is not a question")
    evaluator = _FirstOrder(SceneGeometry.of(scene, SCOPE_RULES), context, trace=True)
    try:
        answer = evaluator.answer(program)
    except ExecutionFailure as failure:
        return failed(failure, make_trace=evaluator.trace_steps)
    refer = evaluator.info.refer
    probability = evaluator.probability * (refer.certainty if isinstance(refer, BestFit) else 1.0)
    return Outcome("ok", answer, probability, valid=1.0, make_trace=evaluator.trace_steps)


class _FirstOrder(Evaluator):
    """An evaluator that computes the probability of the answer to first order."""

    probability = 1.0

    def value(self, call: Call):
        value = super().value(call)
        if call.op in _WEIGHED:
            outer, self.tracing = self.tracing, False
            self.probability = _WEIGHED[call.op](self, value, *call.args)
            self.tracing = outer
        return value

    def _label(self, label: str, start: Call, goal: Call, frame: Call, sectors: str) -> float:
        b, a = self.disambiguate(goal, start, viewer=True)
        labels = [self.rules.spell("eight", direction) for direction in self.sector_names(sectors)]
        owner = self._owner(frame, a)
        turn, sigma = self._turn(a, b, self.axes(frame, a))
        if owner is None:
            return label_beliefs(turn, sigma, 0.0, labels)[label]
        state = self.world.things[owner].state
        sigma = math.hypot(sigma, math.sqrt(max(state.covariance[2][2], 0.0)))
        return label_beliefs(turn, sigma, min(state.flip, 1 - state.flip), labels)[label]

    def _owner(self, frame: Call, reference: int) -> int | None:
        """Return the object that defines the frame, if any."""
        if len(frame.args) == 1 and isinstance(frame.args[0], Call):
            return self.object(frame.args[0])
        return reference if self._whose(frame) == "object" else None

    def _turn(self, start: int, goal: int, axes: Axes) -> tuple[float, float]:
        """Return the azimuth from one object to another, with its standard deviation."""
        covariance = self._spread(start) + self._spread(goal)
        deviation = azimuth_deviation(self.world.vector(start, goal), covariance)
        return self.world.turn(start, goal, axes), deviation

    def _spread(self, i: int) -> Array:
        """Return the (2, 2) covariance of an object's position; zero for the viewer."""
        if i == VIEWER:
            return np.zeros((2, 2))
        return np.array(self.world.things[i].state.covariance, float)[:2, :2]

    def _image(self, answer: str, direction: str, start: Call, goal: Call) -> float:
        b, a = self.disambiguate(goal, start, viewer=True)
        label = self.rules.spell("eight", direction)
        belief = [label_beliefs(*self._turn(a, b, axes))[label] for axes in self.info.views]
        chosen = self.info.options.index(answer) if self.info.options else int(answer) - 1
        return belief[chosen] / sum(belief) if sum(belief) > 0 else 0.0

    def _named_one(self, _answer: str, what: str, object_call: Call) -> float:
        if what != "name":
            return 1.0
        op, args = object_call.op, object_call.args
        if op != "best" or args[:2] != ("distance", "least") or len(args) < 4:
            return self.world.things[self.object(object_call)].state.existence
        start, best = self.object(args[2], viewer=True), self.object(object_call)
        if args[3].op == "choices" and self.info.options:
            candidates = self._refers.choices(self.info.options, start).values()
        else:
            candidates = self.value(args[3])
        others = [i for i in candidates if i not in (start, best)]
        if not others:
            return 1.0
        return self._nearer(start, best, min(others, key=self.world.distance_from(start)))

    def _nearer(self, start: int, i: int, j: int) -> float:
        """Return the probability that `i` is nearer to `start` than `j`."""
        lengths, units, variance = [], [], 0.0
        for k in (i, j):
            way = np.array(self.world.vector(start, k))
            lengths.append(max(float(np.hypot(*way)), 1e-9))
            units.append(way / lengths[-1])
            variance += units[-1] @ self._spread(k) @ units[-1]
        both = units[0] - units[1]
        variance += both @ self._spread(start) @ both
        z = (lengths[1] - lengths[0]) / math.sqrt(max(float(variance), 1e-18))
        return 0.5 * (1 + math.erf(z / math.sqrt(2)))


_WEIGHED = {
    "direction": _FirstOrder._label,
    "view": _FirstOrder._image,
    "query": _FirstOrder._named_one,
}
