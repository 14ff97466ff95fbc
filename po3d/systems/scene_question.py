"""One question about one scene: from its parse to an answer, or to an abstention.

The question, its scenes and the pipeline stay the same; parses and their executions are compared,
and one of them gives the answer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from po3d.io.seeding import rng
from po3d.language.english import singular, words_of
from po3d.language.grammar import GrammarError
from po3d.language.lexicon import ABOVE, fits
from po3d.language.program import LEAVES, Call
from po3d.language.read.parse import Parse
from po3d.language.say.plain import say
from po3d.reasoning.questions import Question
from po3d.scene.index import SceneIndex
from po3d.scene.rooms import CATEGORIES, SYNONYMS
from po3d.scene.table import Scene
from po3d.systems.answer import Answer
from po3d.systems.domain import Domain, Execution, ParsedQuestion, SceneExecutor
from po3d.systems.domain_router import DomainMatch
from po3d.systems.image_scenes import ImageScenes
from po3d.systems.parse_execution import likeliest_of, run
from po3d.systems.parser_choice import SURE, choose, logit, worded
from po3d.systems.pipeline import Pipeline, calibrated

UNITS = {"volume": "m³", "bearing": "degrees"}  # units of measures; of all others metres
# Threshold on `Outcome.valid`, the probability of presuppositions (that there is one red bus).
PRESUPPOSED = 0.5
UNREAD = "not understood"
INTERPRETATIONS = 2  # number of interpretations offered when the system abstains
# Displacements of an exact scene's objects: their standard deviation, metres or units, and in
# scenes of less than 4 m as a share of the width; their number. Who writes a question about a
# table rarely asks for what depends on less: an answer that changes is more often misread.
# UNCHANGED, CHANGED: log likelihood ratios of being right, from 381 answers of the development
# annotators (9 of 23 that change are right, 304 of the others).
DISPLACEMENT, SHARE, DISPLACED = 0.1, 0.025, 3
UNCHANGED, CHANGED = 0.2, -1.9
# Largest probability of the benchmark parser's answer to a question about a room in free wording
# that the general parser does not share: it is right for 5 of 24 of the development annotators'.
UNSHARED = 0.85


@dataclass(frozen=True)
class SceneQuestion:
    """A question with the scene on which a pipeline answers it."""

    pipeline: Pipeline
    question: Question
    tables: ImageScenes
    domain_match: DomainMatch | None = None  # nearest training domain of the image

    @property
    def domain(self) -> Domain:
        return self.pipeline.domain

    @cached_property
    def executor(self) -> SceneExecutor:
        return self.domain.bind(self.tables)

    def answer(self, reading: ParsedQuestion, ask_below: float) -> Answer:
        """Return the answer of the parse `reading`, or of the general parser's where that is
        preferred; status "abstained" where `ask_below` asks for it (`Model.ask`)."""
        question = self.question
        execution, read, alternatives, differ = self._choose_parse(reading)
        if execution is None:
            status = read.status if read.unread else "unparsed"
            return Answer(question.text, status, reason=read.unread or UNREAD)
        if read.unread:
            return Answer(question.text, read.status, reason=read.unread, mended=read.mended)
        execution = self._displaced(self._settled(execution))
        if reason := self._doubt(execution, differ, ask_below):
            return self._abstained([reading, *alternatives], execution, reason)
        return self._explained(execution)

    def _choose_parse(
        self, reading: ParsedQuestion
    ) -> tuple[Execution | None, ParsedQuestion, Sequence[ParsedQuestion], bool]:
        """Execute the parse `reading`, or the general parser's likeliest one if that is preferred.

        Return the execution (None: not executable), its parse, the parses of the general parser,
        and whether the two parsers gave different answers. Alternatives are compared on one scene;
        only the chosen one runs on all samples.
        """
        question, second = self.question, self.pipeline.second
        execution = None if reading.unread else run(self.executor, question, reading)
        if not self._consults(execution):
            return execution, execution.reading if execution else reading, (), False
        ranking = self.domain.ranking().bind(self.tables)
        (alternatives,) = self.pipeline.reread([question], self.tables)
        general = None
        if alternatives:
            general = likeliest_of(second, self.domain, ranking, question, alternatives)
        own = None if execution is None else run(ranking, question, reading)
        style = self.domain.style(question)
        execution, differ = choose(own, general, question, second.alone, style)
        if style is not None and execution is not None and execution.reading.by != "general":
            execution = _in_free_wording(execution, general, differ)
        if execution is None:
            return None, general.reading if general else reading, (), False
        read = execution.reading
        if alternatives and self.domain.sampled(self.tables) and not read.unread:
            execution = run(self.executor, question, read)
        return execution, read, alternatives, differ

    def _abstained(
        self, parses: Sequence[ParsedQuestion], execution: Execution, reason: str
    ) -> Answer:
        """Return an abstention with up to INTERPRETATIONS interpretations; `parses`: the benchmark
        parser's, then those of the general parser.
        """
        remaining = []
        for reading in parses:
            if not reading.unread and not self.pipeline.omitted(reading, self.question):
                remaining.append(reading)
        ranking = self.domain.ranking().bind(self.tables)
        candidates = self.interpretations(remaining or parses, ranking)
        candidates = [one for one in candidates if one[1] is not None] or candidates
        candidates = candidates[:INTERPRETATIONS]
        if self.domain.sampled(self.tables):
            best = [one[2].reading for one in candidates]
            candidates = self.interpretations(best) or candidates
        choices, understood = (), ()
        for words, text, executed in candidates:
            choices += (self._explained(executed),)
            understood += ((words, text),)
        answer = Answer(
            self.question.text,
            "abstained",
            None,
            self._probability(execution),
            reason,
            understood=understood,
            choices=choices,
            mended=parses[1].mended if len(parses) > 1 else (),
            domain_match=self.domain_match,
        )
        if choices and self.domain.perceives_doubtfully:  # what is seen, for the user
            return replace(answer, program=choices[0].program, explanation=choices[0].explanation)
        return answer

    def _consults(self, own: Execution | None) -> bool:
        """Whether the general parser is consulted: by the pipeline's rule, or because the
        benchmark's parser gives no answer."""
        final = own is not None and self.domain.refuses(self.question)
        if (own is None or own.outcome.answer is None) and not final:
            return self.pipeline.second is not None
        return self.pipeline.consults(self.question, own.reading)

    def _settled(self, execution: Execution) -> Execution:
        """Return the outcome on the most probable scene alone if the question's presuppositions are
        improbable (below PRESUPPOSED)."""
        sure = self.domain.argmax()
        if not 0 < execution.outcome.valid < PRESUPPOSED or sure is self.domain:
            return execution
        return run(sure.bind(self.tables), self.question, execution.reading)

    def _explained(self, execution: Execution) -> Answer:
        """Return the answer of an executed parse, with its explanation."""
        outcome, read = execution
        text = None if outcome.answer is None else self._answer_text(read, outcome.answer)
        understood = self.interpretations([read]) if read.by == "general" else []
        explanation = self.executor.explain(self.question, execution)
        return Answer(
            self.question.text,
            "failed" if text is None else "ok",
            text,
            None if outcome.probability is None else self._probability(execution),
            explanation.reason or outcome.reason,
            self.domain.stored_text(read),
            explanation,
            tuple((words, answer) for words, answer, _ in understood),
            mended=read.mended,
            domain_match=self.domain_match,
        )

    def _probability(self, execution: Execution) -> float:
        """Return the probability that the answer is right, by the calibration of the estimator
        that predicted the scene; 0 without an answer. It is printed, and compared with
        `ask_below`."""
        if execution.outcome.answer is None:
            return 0.0
        return calibrated(execution.believed, self.tables, self.domain.belief_mode)

    def _doubt(self, execution: Execution, differ: bool, ask_below: float) -> str:
        """Return the reason for abstaining; "" if the answer is given. `differ`: two parsers gave
        different answers."""
        if ask_below <= 0:
            return ""
        read, probability = execution.reading, self._probability(execution)
        general = read.by == "general"
        if general:
            reason = self._likely_mistaken(read) or self.pipeline.omitted(read, self.question)
            if reason:
                return reason
        settled = not (general or differ or self.domain.perceives_doubtfully)
        if settled or execution.outcome.answer is None or probability >= ask_below:
            return ""
        if differ:
            return "the question has two interpretations"
        if cause := self.domain.doubt(execution, self.tables.scene):
            return cause
        return f"probability {math.floor(100 * probability) / 100:.2f}, below {ask_below:g}"

    def _displaced(self, execution: Execution) -> Execution:
        """Return the general parser's execution, with a probability that depends on whether the
        answer stays the same if the objects are slightly displaced.

        Not tested, and unchanged, are measures, sure parses, and answers on predicted scenes, whose
        errors the probability already includes.
        """
        outcome, reading = execution
        scenes, program = self.tables.views, reading.question.program
        exact = all(not any(o.covariance[0][:2]) for s in scenes.values() for o in s.objects)
        measured = program.op == "query" and program.args[0] in LEAVES["measure"]
        tested = exact and not measured and outcome.answer is not None
        if reading.by != "general" or not tested or reading.question.probability >= SURE:
            return execution
        evidence = UNCHANGED
        for draw in range(DISPLACED):
            views = {name: displaced(scene, draw) for name, scene in scenes.items()}
            moved = self.domain.bind(replace(self.tables, views=views, memo={}))
            if run(moved, self.question, reading).outcome.answer != outcome.answer:
                evidence = CHANGED
                break
        p = 1 / (1 + math.exp(-logit(reading.question.probability) - evidence))
        parse = replace(reading.question, probability=p)
        return execution._replace(reading=reading._replace(question=parse))

    def _likely_mistaken(self, reading: ParsedQuestion) -> str:
        """Detect an object of the change that the scene lacks and that the general parser replaced
        by another one; return the reason for abstaining, "" if none."""
        change = self.question.change
        noun = missing_category(change, self.tables.scene) if change else ""
        program = reading.change and reading.change.program
        if not noun or program is None or names_mentioned(change, program):
            return ""
        return f"there is no {noun} in the scene"

    def interpretations(
        self, readings: Sequence[ParsedQuestion], executor: SceneExecutor | None = None
    ) -> list[tuple[str, str | None, Execution]]:
        """Return (sentence, answer, executed parse) of each interpretation, most probable first.
        Of several with one answer only the first is kept."""
        result: dict[str | None, tuple[str, str | None, Execution]] = {}
        for reading in readings:
            words = "" if reading.unread else " ".join(map(_sentence, reversed(reading.parses)))
            if not words or words in (one[0] for one in result.values()):
                continue
            execution = run(executor or self.executor, self.question, reading)
            answer = execution.outcome.answer
            text = None if answer is None else self._answer_text(reading, answer)
            result.setdefault(text, (words, text, execution))
        return list(result.values())

    def _answer_text(self, reading: ParsedQuestion, answer: str) -> str:
        """Return an answer as the matching option; a measure with its unit, except on streets,
        whose vehicles have the size of toys."""
        program = reading.question.program
        what = program.args[0] if program.op == "query" else ""
        with_unit = what in LEAVES["measure"] and not self.question.options
        if not with_unit or self.domain.kind == "street":
            return worded(reading, answer, self.question)
        return f"{float(answer):.2f} {UNITS.get(what, 'm')}"


def _in_free_wording(own: Execution, general: Execution | None, differ: bool) -> Execution:
    """Return the benchmark parser's answer to a question in free wording with the probability of
    the general parser, which is calibrated on free wording, if that has the same answer, else with
    at most UNSHARED."""
    parse = own.reading.question
    p = min(parse.probability, UNSHARED)
    if not differ and general is not None and general.outcome.answer is not None:
        p = general.reading.question.probability
    change = own.reading.change and replace(own.reading.change, probability=1.0)
    reading = own.reading._replace(question=replace(parse, probability=p), change=change)
    return own._replace(reading=reading)


def _sentence(parse: Parse) -> str:
    """Return a program as a plain sentence, or as a program where there is none."""
    try:
        return say(parse.program)
    except GrammarError:
        return str(parse.program)


def displaced(scene: Scene, draw: int) -> Scene:
    """Return the scene with each object displaced on the ground by DISPLACEMENT."""
    width = np.ptp(scene.positions[:, :2], axis=0).max()
    spread = min(DISPLACEMENT, SHARE * width)
    offsets = rng(draw, "displaced").normal(0.0, spread, (len(scene), 2)).tolist()
    objects = []
    for state, (dx, dy) in zip(scene.objects, offsets, strict=True):
        x, y, z = state.position
        objects.append(replace(state, position=(x + dx, y + dy, z)))
    return replace(scene, objects=tuple(objects))


def names_mentioned(text: str, change: Call) -> bool:
    """Return whether the text mentions every name of a change's program: a word of it, or a noun of
    the lexicon that fits it."""
    words = list(map(singular, words_of(text)))
    nouns = [*words, *map(" ".join, pairwise(words))]
    names = [c.args[1] for c in change.calls() if (c.op, *c.args[:1]) == ("filter", "name")]
    for name in names:
        named = not set(words).isdisjoint(map(singular, words_of(name)))
        if not named and not any(fits(noun, name) >= ABOVE for noun in nouns):
            return False
    return True


def missing_category(text: str, scene: Scene) -> str:
    """Return a category that the text names and the room lacks; "" if there is none."""
    has_name, words = SceneIndex(scene).rows_named, list(map(singular, words_of(text)))
    for noun in [*map(" ".join, pairwise(words)), *words]:
        if (noun in CATEGORIES or noun in SYNONYMS) and not has_name(noun):
            return noun
    return ""
