"""The pipeline: from an image and its questions to predictions. Read this module first.

    image    ──► TableSource ────► ImageScenes ────┐
                                                   ├──► Domain ──► answer, probability, trace
    question ──► QuestionParser ──► ParsedQuestion ─┘

`Pipeline` runs these three stages; `Oracle` executes the gold program on the true scene. Beyond
files and parsers every program is a `Call` of the language, whatever notation it came in.

One pipeline serves the four domains: streets, rooms, photographs and orbits. What differs between
them is a value (`domain.Domain`); each has a module in `po3d.systems` with its value `DOMAIN`, its
executor and its parser. Sources of scenes are in `scene_sources`, baselines in `baselines`. A
module's output can be replaced by ground truth, also noisy (`oracle=`, `noise=`; `oracle.grid`).

A system receives each image as a `Context`, whose parts are computed on access, so a system that
does not use the image does not cause a rendering. A question without an answer gets a prediction
with a status and a reason.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from po3d.io.deprecated_names import old_name
from po3d.io.errors import InputError
from po3d.language.read.omissions import (
    mixes_up_clauses,
    omits_edit,
    omitted,
    swaps_with_itself,
    untold,
)
from po3d.language.read.parse import Parse
from po3d.language.read.stated_sizes import omits_size
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene
from po3d.systems.answer_options import strip_prompt_template
from po3d.systems.domain import DOMAIN_MODULES as DOMAIN_MODULES
from po3d.systems.domain import Domain, ParsedImage, ParsedQuestion, SceneExecutor
from po3d.systems.domain import domain as domain_of
from po3d.systems.image_scenes import PREDICTED as PREDICTED
from po3d.systems.image_scenes import TRUTH, ImageScenes, Setting
from po3d.systems.interfaces import (
    Context,
    ImageQuestions,
    PerceptionInput,
    QuestionParser,
    TableSource,
    perceived,
)
from po3d.systems.oracle import checked_modules, checked_noise, lost_texts
from po3d.systems.parse_execution import likeliest_of, run
from po3d.systems.parser_choice import choose, worded

if TYPE_CHECKING:
    from po3d.systems.general_parser import GeneralQuestionParser


@dataclass(frozen=True)
class Pipeline:
    """The system po3d. `oracle`: modules replaced by ground truth."""

    tables: TableSource
    reader: QuestionParser
    domain: Domain
    oracle: tuple[str, ...] = ()
    # General parser, used for questions outside the benchmark's own wording; it may use the scenes.
    second: "GeneralQuestionParser | None" = None
    # Modules replaced by ground truth with noise of this size (in `Domain.units`).
    noise: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    # Number of questions parsed by each parser.
    read_by: Counter[str] = field(default_factory=Counter, compare=False, repr=False)
    at_once: ClassVar[int] = 16  # images; larger batches are hardly faster

    def __post_init__(self) -> None:
        object.__setattr__(self, "oracle", checked_modules(self.oracle, self.domain.modules))
        object.__setattr__(self, "noise", checked_noise(self.noise, self.domain.substitution.rows))
        if self.tables.true and set(self.settings) - set(self.domain.reading):
            raise InputError(
                "oracle= replaces modules of predicted scenes, so benchmark.scenes= cannot be"
                " ground_truth"
            )

    @property
    def settings(self) -> dict[str, Setting]:
        """TRUTH, or the size of the noise, for each module that is not predicted."""
        return {**dict.fromkeys(self.oracle, TRUTH), **self.noise}

    @property
    def all_predicted(self) -> bool:
        """Whether the scenes and all modules are predicted."""
        return not self.tables.true and not self.settings

    def notes(self, questions: Sequence[Question]) -> list[str]:
        """Return remarks for the report on the scenes of these questions."""
        return self.tables.notes(questions) if hasattr(self.tables, "notes") else []

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        (predictions,) = self.answers([(questions, context)])
        return predictions

    def answers(self, batch: Sequence[ImageQuestions]) -> list[list[Prediction]]:
        questions = [list(map(strip_prompt_template, own)) for own, _ in batch]
        read = iter(self.read(list(itertools.chain.from_iterable(questions))))
        readings = []
        for own in questions:
            readings.append(self._lost(own, list(itertools.islice(read, len(own)))))
        looks = []
        for own, parses, (_, context) in zip(questions, readings, batch, strict=True):
            things = self.domain.things(parses)
            looks.append(PerceptionInput(context, pictures_of(own, context), things))
        images = list(map(ParsedImage, self.look(looks), questions, readings))
        if self.second is not None and "parsing" not in self.settings:
            images = [image._replace(readings=self._reread(image)) for image in images]
        results = []
        for answering, image in zip(self.domain.bind_batch(images), images, strict=True):
            self.read_by.update(r.by for r in image.readings if not r.unread)
            pairs = zip(image.questions, image.readings, strict=True)
            results.append(
                [predicted(self.domain, answering, q, r, image.tables) for q, r in pairs]
            )
        return results

    def _reread(self, parsed: ParsedImage) -> list[ParsedQuestion]:
        """Return the parses of one image's questions. Where the general parser is consulted,
        `choose` selects between its parse and the benchmark parser's."""
        tables, questions, readings = parsed
        answering, readings = self.domain.ranking().bind(tables), list(readings)
        open_ones = []
        for k, r in enumerate(readings):
            if not self._settled(questions[k], r, answering, tables):
                open_ones.append(k)
        alternatives = self.reread([questions[k] for k in open_ones], tables)
        for k, alternative in zip(open_ones, alternatives, strict=True):
            own, question = readings[k], questions[k]
            if alternative:
                general = likeliest_of(self.second, self.domain, answering, question, alternative)
                execution = None if own.unread else run(answering, question, own)
                style = self.domain.style(question)
                chosen, _ = choose(execution, general, question, self.second.alone, style)
                readings[k] = (chosen or general).reading
            elif self.second.alone:
                readings[k] = ParsedQuestion(
                    Parse("unparsed", reason="the general parser found no program"), by="general"
                )
        return readings

    def _settled(
        self, question: Question, own: ParsedQuestion, answering: SceneExecutor, tables: ImageScenes
    ) -> bool:
        """Whether the benchmark's parse is final: the question is in the benchmark's wording, or
        worded like it and answered.

        On an estimated scene a missing answer does not indicate a wrong parse.
        """
        if not self.second.alone and not own.unread and self.domain.in_style(question, own):
            return (
                self.domain.sampled(tables)
                or run(answering, question, own).outcome.answer is not None
            )
        return not self.consults(question, own)

    def consults(self, question: Question, own: ParsedQuestion) -> bool:
        """Whether the general parser is consulted: if there is one, unless the benchmark's own
        parser has parsed the question and the question is in the benchmark's own wording."""
        if self.second is None:
            return False
        return self.second.alone or bool(own.unread) or not self.domain.own_wording(question, own)

    def reread(
        self, questions: Sequence[Question], tables: ImageScenes
    ) -> list[Sequence[ParsedQuestion]]:
        """Return the general parser's alternatives for each question; an empty list if it has no
        program."""
        candidates = self.second.readings(questions, tables) if questions else []
        result = []
        for group in candidates:
            result.append(group if any(r.status != "unparsed" for r in group) else [])
        return result

    def _lost(
        self, questions: Sequence[Question], readings: list[ParsedQuestion]
    ) -> list[ParsedQuestion]:
        """Mark as unparsed the questions that noise in the parsing modules removes."""
        for module in set(self.domain.reading) & set(self.noise):
            gone = lost_texts(module, questions, self.noise[module], self.seed)
            lost = ParsedQuestion(Parse("unparsed", reason=f"noise in {module}"))
            readings = [lost if away else r for r, away in zip(readings, gone, strict=True)]
        return readings

    def read(self, questions: Sequence[Question]) -> list[ParsedQuestion]:
        """Parse the questions, with gold programs for the modules of `settings`."""
        gold = []
        for m in self.domain.reading:
            if m in self.settings:
                gold.append(m)
        if not gold:
            return self._read(questions)
        true = list(map(self.domain.gold, questions))
        read = true if len(gold) == len(self.domain.reading) else self._read(questions)
        return [r.mixed(t, gold) for t, r in zip(true, read, strict=True)]

    def _read(self, questions: Sequence[Question]) -> list[ParsedQuestion]:
        """Parse the questions; unparsed where the program omits part of the question."""
        readings = list(self.reader.read(questions))
        for k, (question, reading) in enumerate(zip(questions, readings, strict=True)):
            if reading.question.program is not None and (reason := self.omitted(reading, question)):
                readings[k] = reading._replace(question=Parse("unparsed", None, 0.0, reason))
        return readings

    def omitted(self, reading: ParsedQuestion, question: Question) -> str:
        """Return what the program omits from the question, or the change's program adds to the
        change; "" if nothing is detected."""
        change = reading.change and reading.change.program
        if change is not None and untold(question.change, change):
            return f"the parsed change differs from its text: {question.change!r}"
        if change is not None and swaps_with_itself(change):
            return "the parsed change swaps an object with itself"
        if change is not None and mixes_up_clauses(question.change, change):
            return "the parsed change removes an object of another clause"
        if change is not None and omits_edit(question.change, change):
            return f"the parsed change omits a part of its text: {question.change!r}"
        if change is not None and omits_size(question.change, change):
            return f"the parsed change omits a size: {question.change!r}"
        return omitted(question.text, reading.question.program)

    def look(self, looks: Sequence[PerceptionInput]) -> list[ImageScenes]:
        """Return the scenes of each image, and pass them to the evaluation (`Context.on_scene`)."""
        scenes = self.tables.tables(looks)
        result = []
        for item in zip(looks, scenes, strict=True):
            result.append(self._image_scenes(*item))
        return result

    def _image_scenes(self, look: PerceptionInput, scenes: Sequence[Scene]) -> ImageScenes:
        context, names, _ = look
        by_name = dict(zip(names, scenes, strict=True))
        if self.tables.true:
            return ImageScenes(by_name, inputs=context.inputs)
        for name, scene in by_name.items():
            context.on_scene(perceived(scene, name))
        true = {}
        for m, how in self.settings.items():
            if m not in self.domain.reading:
                true[m] = how
        if not true:
            return ImageScenes(by_name, inputs=context.inputs)
        truth = {}
        for name in dict.fromkeys([*names, context.name]):
            truth[name] = context.true(name)
        tables = self.domain.mixed(
            ImageScenes(by_name, truth, true, seed=self.seed, inputs=context.inputs)
        )
        for scene in tables.views.values():
            context.on_scene(scene)
        return tables


def views_of(questions: Sequence[Question]) -> list[str]:
    """Return the names of the views that the questions on an image refer to; [] without views."""
    return list(dict.fromkeys(itertools.chain.from_iterable(q.images for q in questions)))


def pictures_of(questions: Sequence[Question], context: Context) -> list[str]:
    """Return the names of the pictures that the questions on an image refer to."""
    return views_of(questions) or [context.name]


def predicted(
    domain: Domain,
    answering: SceneExecutor,
    question: Question,
    reading: ParsedQuestion,
    tables: ImageScenes | None = None,
) -> Prediction:
    """Execute a parse and return the prediction. `tables`: the scenes whose calibration of answers
    is applied."""
    if reason := reading.unread:
        return Prediction(question.id, reading.status, reason=reason)
    outcome, reading = execution = run(answering, question, reading)
    text = domain.stored_text(reading)
    if outcome.answer is None:
        return Prediction(question.id, "failed", program=text, reason=outcome.reason)
    probability = None if outcome.probability is None else outcome.probability * reading.probability
    if probability is not None and tables is not None:
        probability = calibrated(probability, tables, domain.belief_mode)
    if reading.by == "general":
        answer = worded(reading, outcome.answer, question)
    else:
        answer = reading.format_answer(outcome.answer, question)
    margin = answering.margin(question, execution)
    return Prediction(question.id, "ok", answer, probability, text, outcome.reason, margin)


def calibrated(probability: float, tables: ImageScenes, mode: str) -> float:
    """Return the probability of an answer by the calibration of its predicted scenes; unchanged if
    they have none for this mode, or if modules are ground truth."""
    fit = next(iter(tables.views.values())).answer_calibration if tables.views else None
    if fit is None or fit.mode != mode or tables.settings:
        return probability
    return fit.calibrated(probability)


@dataclass(frozen=True)
class Oracle:
    """Gold programs on the true scene: 100 % on a twin, else there is a bug. InputError if no
    question on an image has a program."""

    domain: Domain

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        if questions and not any(q.program or q.unread for q in questions):
            raise InputError(
                f"question {questions[0].id} has no gold program; an oracle needs a synthetic twin"
            )
        answering = self.domain.bind_ground_truth(context.truth())
        result = []
        for q in questions:
            result.append(predicted(self.domain, answering, q, self.domain.gold(q, rows=True)))
        return result


def oracle(world: str) -> Oracle:
    """Return the oracle of a domain (a key of DOMAIN_MODULES)."""
    return Oracle(domain_of(world))


def __getattr__(name: str) -> Any:
    """Old names, for one release."""
    return old_name(__name__, name)
