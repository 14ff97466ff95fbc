"""Execute programs on scene tables: one interpreter for all operations and all benchmarks.

    execute(program, scene, ...) ─► Outcome    a question on a table with uncertainty
    run(program, world) ─► Outcome             on a table taken as certain, with its history
    Evaluator(world).value(call)               the value of a part of a program

A program without an answer gives an outcome with a reason: not found, ambiguous, or unknown to the
table.

`execute` treats uncertainty by `Mode`: "argmax" uses the mode of each distribution; "marginal"
propagates probabilities through the program (street programs only, `street_batched`); "samples"
takes a vote over posterior samples of the table. "argmax" is the benchmarks' own strict execution,
meant for tables without uncertainty. On a predicted table one wrong attribute can leave `unique`
with no object or with several, and the program then has no answer: on Cycles renderings in the
styles of Super-CLEVR and PulseCheck457 "argmax" answers 58.7 and 73.8 % correctly, "marginal" 84.8
and 89.5 %.
"""

from collections.abc import Collection, Sequence
from typing import Literal, get_args

from po3d.io.errors import InputError, known
from po3d.language.program import ANSWERS, Call, ProgramError, Tree
from po3d.language.programs.street import STREET
from po3d.reasoning.evaluator import Evaluator
from po3d.reasoning.outcome import ExecutionFailure, Outcome, failed
from po3d.reasoning.packing import steps
from po3d.reasoning.questions import FRAME_OF_TASK, Task
from po3d.reasoning.rules import STREET_RULES, Rules
from po3d.reasoning.set_operations import NO_OPTIONS, QuestionInfo
from po3d.reasoning.votes import vote
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import with_fields
from po3d.scene.posterior import KINDS, SAMPLE_COUNT, posterior_samples
from po3d.scene.table import Scene

Mode = Literal["argmax", "marginal", "samples"]


def _where(failure: ExecutionFailure, evaluator: "Evaluator", tokens: Sequence[str]) -> str:
    """Return a failure with its step and the origin of its input.

    The origin reads "(filter[color=green] over 5 objects)".
    """
    steps, k = evaluator.steps, len(evaluator.steps)
    if not k or failure.of_scene:
        return f"step {k} {tokens[k]}: {failure}"
    over = len(evaluator.world.times(False))
    if steps[k - 1][0].op == "filter":
        over = len(steps[k - 2][1])
    origin = f"{tokens[k - 1]} over {over} object{'' if over == 1 else 's'}"
    return f"step {k} {tokens[k]}: {failure} ({origin})"


def run(
    program: Call,
    world: SceneGeometry,
    context: QuestionInfo = NO_OPTIONS,
    tokens: Sequence[str] = (),
    numbers: Sequence[int] = (),
) -> Outcome:
    """Execute a program on a scene geometry without uncertainty.

    `tokens` are the spellings of the steps and are used in failure reasons and traces; `numbers`
    maps the objects of the geometry to rows of the table from which it was made. Raise ProgramError
    if the program is not a question.
    """
    if program.output not in ANSWERS:
        raise ProgramError(f"{program} is not a question")
    evaluator = Evaluator(world, context, trace=True)
    trace = lambda: evaluator.trace_steps(tokens, numbers)  # noqa: E731
    try:
        answer = evaluator.answer(program)
    except ExecutionFailure as failure:
        reason = _where(failure, evaluator, tokens) if tokens else ""
        return failed(failure, reason, make_trace=trace)
    return with_fields(_ANSWERED, answer=answer, distribution={answer: 1.0}, make_trace=trace)


_ANSWERED = Outcome("ok", None, 1.0, valid=1.0)


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
        problem = "mode marginal supports street programs only; others need argmax or samples"
        raise InputError(problem)
    context = context._replace(task=task)
    certain = run(call, SceneGeometry.of(scene.certain(), rules), context, tokens, scene.present)
    if mode == "argmax":
        return certain
    answers = []
    for sample in posterior_samples(scene, draw, count=samples, seed=seed).scenes():
        answers.append(run(call, SceneGeometry.of(sample.certain(), rules), context).answer)
    majority = vote(answers, ties=[certain.answer or ""])
    if majority is None:
        nothing = ExecutionFailure("unknown", "no posterior sample has an answer")
        return certain if certain.answer is None else failed(nothing)
    return majority.outcome(certain.make_trace)
