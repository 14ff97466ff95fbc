"""Execution of parses: one parse, the general parser's alternatives, and ambiguous descriptions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from po3d.io.errors import InputError
from po3d.language.program import ProgramError
from po3d.language.read.omissions import relates_itself
from po3d.language.read.parse import BEYOND, Parse
from po3d.language.read.unspecified import UNSPECIFIED, at_end, choices
from po3d.language.read.weighing import ParseEvidence
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.reasoning.questions import Question
from po3d.systems.answer_options import REFUSED, likeliest
from po3d.systems.domain import Domain, Execution, ParsedQuestion, SceneExecutor

if TYPE_CHECKING:
    from po3d.systems.general_parser import GeneralQuestionParser


def likeliest_of(
    second: "GeneralQuestionParser",
    domain: Domain,
    answering: SceneExecutor,
    question: Question,
    readings: Sequence[ParsedQuestion],
) -> Execution:
    """Execute the general parser's alternatives and add up their weights by answer (a refusal
    counts as an answer). Return the first one with the answer of the largest weight; its
    probability is the calibrated share of that weight."""
    executions, answers, weights = [], [], []
    weigh = second.weighing
    for reading in readings:
        if reading.unread:
            execution = Execution(Outcome("failed", None, reason=reading.unread), reading)
        else:
            execution = run(answering, question, reading)
        executions.append(execution)
        weights.append(
            weigh(evidence(domain, answering, question, execution, weigh.unchanged != 0))
        )
    if domain.kind == "room":
        executions = [run_ambiguous(answering, question, one) for one in executions]
    for execution in executions:
        answers.append(REFUSED if execution.reading.unread else execution.outcome.answer)
    k, share = likeliest(answers, weights)
    outcome, reading = executions[k]
    parse = replace(reading.question, probability=second.certain(share))
    if _unspecified(answering, question, reading, outcome.answer):
        parse = Parse("failed", None, parse.probability, UNSPECIFIED)
        outcome = Outcome("failed", None, reason=UNSPECIFIED)
    return Execution(outcome, reading._replace(question=parse))


def run_ambiguous(answering: SceneExecutor, question: Question, execution: Execution) -> Execution:
    """Return the execution of a parse whose descriptions fit several objects, if the answer is the
    same for the leftmost and the rightmost ones; else the execution unchanged."""
    outcome, reading = execution
    if outcome.answer is not None or reading.unread or "ambiguous: " not in outcome.reason:
        return execution
    if relates_itself(reading.question.program):  # two objects that have to be different
        return execution
    chosen = []
    for sense in ("most", "least"):
        parse, *change = (replace(p, program=at_end(p.program, sense)) for p in reading.parses)
        end = reading._replace(question=parse, change=change[0] if change else None)
        chosen.append(run(answering, question, end))
    same = chosen[0].outcome.answer == chosen[1].outcome.answer is not None
    return chosen[0] if same else execution


def _unspecified(
    answering: SceneExecutor, question: Question, reading: ParsedQuestion, answer: str | None
) -> bool:
    """Return whether the answer depends on an object that the change does not specify."""
    if answer is None or reading.change is None:
        return False
    for change in choices(reading.change.program):
        chosen = reading._replace(change=Parse("ok", change))
        if run(answering, question, chosen).outcome.answer not in (answer, None):
            return True
    return False


def evidence(
    domain: Domain,
    answering: SceneExecutor,
    question: Question,
    execution: Execution,
    compare: bool = True,
) -> ParseEvidence:
    """Return the features by which an executed parse is weighted. `compare`: also execute it
    without the change, to detect a change without effect."""
    outcome, reading = execution
    p = reading.probability
    if reading.unread:
        return ParseEvidence(p, fails=reading.unread.endswith(BEYOND))
    calls = domain.length(reading.question.program)
    if outcome.answer is None:
        return ParseEvidence(p, calls, fails=True)
    if reading.change is None or not compare:
        return ParseEvidence(p, calls)
    before = run(answering, question, reading._replace(change=None)).outcome.answer
    return ParseEvidence(p, calls, unchanged=before == outcome.answer)


def run(answering: SceneExecutor, question: Question, reading: ParsedQuestion) -> Execution:
    """Execute a parse; an error becomes a failed outcome."""
    try:
        return answering.run(question, reading)
    except (ExecutionFailure, InputError, ProgramError) as failure:
        return Execution(Outcome("failed", None, reason=str(failure)), reading)
