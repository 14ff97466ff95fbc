"""Who answers 3DSRBench: the same seam as `po3d.systems`, with options.

    text, options ──► reader ──► program over described things ──► rows by grounding ──► answer ──► its option

Every system answers with the content of an option; which letter that is, is the benchmark's business. `SrOracle` runs
gold programs on true tables. `SrPipeline` reads the texts; its table comes from a perception, or is the true one, which
is an upper bound for perception and named in the report.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from po3d.errors import InputError
from po3d.grounding import ground
from po3d.parsing.sr_reader import fit_options, read
from po3d.question import Prediction, Question
from po3d.reasoning.program import ProgramError
from po3d.reasoning.sr_executor import Ground, called, rows_only, run
from po3d.reasoning.sr_geometry import DEFAULT_SR_RULES, SrRules
from po3d.reasoning.sr_program import SrProgram, parse_text
from po3d.scene import Scene
from po3d.seeding import rng
from po3d.systems import Context


class Perception(Protocol):
    """Turns images into scene tables."""

    def estimate(
        self, images: Sequence[NDArray[np.uint8]], names: Sequence[str] | None = None
    ) -> list[Scene]: ...


@dataclass(frozen=True)
class SrOracle:
    """The true table and the gold program: 100 % on a twin, or something is broken."""

    rules: SrRules = DEFAULT_SR_RULES

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = context.truth()
        predictions = []
        for q in questions:
            if not q.program:
                raise InputError(f"question {q.id} has no gold program: an oracle needs a twin")
            try:
                program = parse_text(q.program)
            except ProgramError as error:
                predictions.append(Prediction(q.id, "failed", reason=f"gold program: {error}"))
                continue
            named = replace(program, things=tuple(map(called, program.things)))
            fitted = fit_options(named, q.meta["options"])
            said = fitted and {answer: fitted[called(answer)] for answer in program.answers}
            predictions.append(_answered(q, program, said, scene, rows_only, self.rules))
        return predictions


@dataclass(frozen=True)
class SrPipeline:
    """Texts read by rules, descriptions grounded in the table. `perception` None: the true table."""

    perception: Perception | None = None
    rules: SrRules = DEFAULT_SR_RULES
    samples: int = 0  # draws of the table's poses for the probability of an answer

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        if self.perception is None:
            scene = context.truth()
        else:
            (scene,) = self.perception.estimate([context.image()], [context.name])
            if scene.source == "gt":
                raise AssertionError(f"perception returned the ground truth of {context.name!r}")
            context.keep(scene)
        predictions = []
        for q in questions:
            got = read(q.text, q.meta["options"])
            if got.program is None:
                predictions.append(Prediction(q.id, "unparsed", reason=got.reason))
            else:
                said = dict(got.option_of)
                predictions.append(_answered(q, got.program, said, scene, ground, self.rules, self.samples))
        return predictions


@dataclass(frozen=True)
class SrRandom:
    """A uniform guess among the options: anew for every rotation ("random" in the paper's table) or, `consistent`, the same
    content for all of them ("random++")."""

    seed: int = 0
    consistent: bool = False

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        predictions = []
        for q in questions:
            options = sorted(q.meta["options"])  # in every rotation the same
            key = q.id
            if self.consistent:
                head, _, turn = q.id.rpartition("-")
                key = head if turn.isdecimal() else q.id
            pick = int(rng(self.seed, f"options/{key}").integers(len(options)))
            predictions.append(Prediction(q.id, "ok", options[pick], 1 / len(options)))
        return predictions


def _answered(
    q: Question,
    program: SrProgram,
    option_of: dict[str, str] | None,
    scene: Scene,
    using: Ground,
    rules: SrRules,
    samples: int = 0,
) -> Prediction:
    """One program on one table, its answer as the option that says it."""
    text = program.text()
    if option_of is None:
        reason = f"the options {', '.join(q.meta['options'])} fit no answer of {text}"
        return Prediction(q.id, "failed", program=text, reason=reason)
    outcome = run(program, scene, using, rules, samples)
    if outcome.answer is None:
        return Prediction(q.id, "failed", program=text, reason=outcome.reason)
    return Prediction(q.id, "ok", option_of[outcome.answer], outcome.probability, text)
