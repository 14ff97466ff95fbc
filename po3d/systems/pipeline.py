"""The pipeline: from an image and its questions to predictions. Read this module first.

    image    ──► TableSource ────► ImageScenes ────┐
                                                   ├──► Domain ──► answer, probability, trace
    question ──► QuestionParser ──► ParsedQuestion ─┘

`Pipeline` runs these three stages; `Oracle` executes the gold program on the true scene. Beyond
files and parsers every program is a `Call` of the language, whatever notation it came in.

One pipeline serves the four domains (DOMAIN_MODULES): streets, rooms, photographs and orbits. They
differ in the three stages and in the semantics of programs. Each domain has a module in
`po3d.systems` (`street`, `rooms`, `photographs`, `orbit`) with its `Domain` and its parser; sources
of scenes are in `scene_sources`, baselines in `baselines`. A module's output can be replaced by
ground truth or by noisy ground truth (`oracle=`, `noise=`; `oracle_grid`).

A system receives each image as a `Context`, whose parts are computed on access, so a system that
does not use the image does not cause a rendering. A question without an answer gets a prediction
with a status and a reason.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from po3d.io.deprecated_names import old_name
from po3d.io.errors import InputError
from po3d.language.dialects import Dialect
from po3d.language.program import Call, ProgramError, Tree
from po3d.language.read.mending import Mending
from po3d.language.read.omissions import omitted, swaps_with_itself, untold
from po3d.language.read.parse import BEYOND, Parse
from po3d.language.read.stated_sizes import omits_size
from po3d.language.read.unspecified import UNSPECIFIED, choices
from po3d.language.read.weighing import ParseEvidence, Weighing
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import ObjectState, Scene
from po3d.systems.answer_options import (
    REFUSED,
    chosen,
    likeliest,
    offered_answers,
    strip_prompt_template,
)
from po3d.systems.explanation import Explanation, SceneFigure
from po3d.systems.image_scenes import MISSING_INPUTS as MISSING_INPUTS
from po3d.systems.image_scenes import PREDICTED as PREDICTED
from po3d.systems.image_scenes import TRUTH, ImageScenes, Setting
from po3d.systems.image_scenes import MissingInputs as MissingInputs
from po3d.systems.oracle import OracleModules, lost_texts
from po3d.systems.parser_choice import LIKELY, SURE, choose

if TYPE_CHECKING:
    from po3d.language.read.reader_tokens import Kind

DOMAIN_MODULES = {  # domain of a benchmark's programs -> module with its `Domain`
    "street": "po3d.systems.street",
    "rooms": "po3d.systems.rooms",
    "photographs": "po3d.systems.photographs",
    "orbit": "po3d.systems.orbit",
}
Image = NDArray[np.uint8]  # (H, W, 3)


@dataclass(frozen=True)
class Context:
    """One image of a benchmark; its parts are read or rendered on access."""

    image: Callable[[], Image]
    truth: Callable[[], Scene]  # the true scene; only for oracles
    name: str = ""
    # Called by a system with each scene that it used; the evaluation compares it with the truth.
    on_scene: Callable[[Scene], None] = lambda scene: None
    # Further inputs of the benchmark: a room's map and captions, a focal length, an orbit's views.
    inputs: Any = MISSING_INPUTS

    @classmethod
    def of(
        cls, split: Any, name: str, on_scene: Callable[[Scene], None] = lambda scene: None
    ) -> "Context":
        """Return the context of the image `name` of a benchmark's split."""
        inputs = split.inputs(name) if hasattr(split, "inputs") else MISSING_INPUTS
        return cls(lambda: split.image(name), lambda: split.truth(name), name, on_scene, inputs)

    def picture(self, name: str) -> Image:
        """Return the pixels of the image, or of one of its views."""
        return self.image() if name == self.name else self.inputs.image(name)

    def true(self, name: str) -> Scene:
        """Return the true scene of the image, or of one of its views."""
        return self.truth() if name == self.name else self.inputs.truth(name)


def perceived(scene: Scene, name: str) -> Scene:
    """Return the scene that perception predicted for the image `name`; InputError if it is the
    ground truth. Only an oracle, or a pipeline whose configuration names the true scenes as its
    source, may use the ground truth."""
    if scene.source == "gt":
        raise InputError(
            f"perception returned ground truth for {name!r}; only an Oracle may use it"
        )
    return scene


ImageQuestions = tuple[Sequence[Question], Context]  # the questions on an image


class System(Protocol):
    """Answers the questions on one image, in their order.

    Optional members: `measures` (values for the report
    beside the score, by name), `notes(questions)` (remarks for the report on these questions), and
    those of `Batched` or `AsyncSystem`.
    """

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]: ...


class Batched(Protocol):
    """A system that processes several images per call, preferably `at_once`. The answers do not
    depend on the batch."""

    at_once: int

    def answers(self, batch: Sequence[ImageQuestions]) -> list[list[Prediction]]:
        """Return one list of predictions per image."""
        ...


def at_once(system: System) -> int:
    """Return the preferred batch size of a system, in images."""
    return getattr(system, "at_once", 1)


def all_answers(system: System, batch: Sequence[ImageQuestions]) -> list[list[Prediction]]:
    """Return one list of predictions per image; in one call if the system is `Batched`."""
    if hasattr(system, "answers"):
        return system.answers(batch)
    return [system.answer(*image) for image in batch]


class PendingPredictions(Protocol):
    """Predictions in progress: a future."""

    def result(self) -> list[Prediction]: ...

    def cancel(self) -> object: ...


class AsyncSystem(Protocol):
    """A system that waits on I/O and keeps up to `ahead` images in flight. `begin` reads everything
    that it needs from the context before it returns."""

    ahead: int

    def begin(self, questions: Sequence[Question], context: Context) -> PendingPredictions: ...


# --- the three stages -----------------------------------------------------------------------------


class PerceptionInput(NamedTuple):
    """Input of perception for one image."""

    context: Context
    names: Sequence[str]  # names of the image itself, or of those views that the questions refer to
    things: Sequence[str] = ()  # object names in the questions


class TableSource(Protocol):
    """Returns the scenes of images. `true`: whether they are the ground truth."""

    true: ClassVar[bool] = False

    def tables(self, looks: Sequence[PerceptionInput]) -> Sequence[Sequence[Scene]]:
        """Return, for each image, one scene per name. InputError if an input is missing."""
        ...


class ParsedQuestion(NamedTuple):
    """Parsed question and, if present, parsed change."""

    question: Parse
    change: Parse | None = None
    # Reference frame by the general parser, replacing the question's own: a sentence or a program.
    frame: str | Call = ""
    by: Literal["benchmark", "general"] = "benchmark"
    mended: tuple[Mending, ...] = ()  # corrected spelling errors: word, correction

    @property
    def parses(self) -> tuple[Parse, ...]:
        return (self.question,) if self.change is None else (self.question, self.change)

    @property
    def unread(self) -> str:
        """Why a program is missing; "" if all are present."""
        if self.change is not None and self.change.program is None:
            return f"change: {self.change.reason}"
        return self.question.reason or "unread" if self.question.program is None else ""

    @property
    def status(self) -> Literal["ok", "unparsed", "failed"]:
        """Return "ok" if all programs are present, else "failed" if a parser reports that there is
        no answer or a gold program is absent, else "unparsed"."""
        if not self.unread:
            return "ok"
        return "failed" if any(p.status == "failed" for p in self.parses) else "unparsed"

    def mixed(self, gold: "ParsedQuestion", modules: Collection[str]) -> "ParsedQuestion":
        """Return this reading with gold programs for the given modules: parsing (the question's
        program), edit (the change's program)."""
        parse_source, change = (gold if m in modules else self for m in ("parsing", "edit"))
        return ParsedQuestion(parse_source.question, change.change)

    @property
    def sure(self) -> bool:
        """Whether the benchmark's parser is trusted if the general parser has no result."""
        return not self.unread and all(p.probability >= SURE and not p.unknown for p in self.parses)

    @property
    def likely(self) -> bool:
        """Whether the benchmark's parser is trusted in sentences worded like the benchmark's
        (`parser_choice.LIKELY`)."""
        known_words = not any(p.unknown for p in self.parses)
        return not self.unread and known_words and self.probability >= LIKELY

    def format_answer(self, answer: str, question: Question) -> str:
        """Return a program's answer as the matching option, if the question has options."""
        options = offered_answers(answer, question) if self.by == "general" else question.options
        return self.question.option_of.get(answer) or chosen(answer, options) or answer

    @property
    def probability(self) -> float:
        return self.question.probability * (self.change.probability if self.change else 1.0)


class QuestionParser(Protocol):
    """Parses questions."""

    def read(self, questions: Sequence[Question]) -> Sequence[ParsedQuestion]: ...


class FallbackParser(Protocol):
    """General parser, used for questions outside the benchmark's own wording; it may use the
    scenes. `alone`: there is no other parser. `systems.general_parser` implements it."""

    alone: bool

    @property
    def weighing(self) -> Weighing:
        """Weights of the alternative parses of a question."""
        ...

    def readings(
        self, questions: Sequence[Question], tables: ImageScenes
    ) -> Sequence[Sequence[ParsedQuestion]]:
        """Return several alternative parses of each question; `likeliest_of` selects one."""
        ...

    def certain(self, share: float) -> float:
        """Return the calibrated probability that an answer is right if its parses have this
        share of the total weight."""
        ...


class Execution(NamedTuple):
    """Outcome, and the parse actually executed: a change may have been reinterpreted."""

    outcome: Outcome
    reading: ParsedQuestion

    @property
    def believed(self) -> float:
        """Probability of the answer times probability of the parse; 0 without an answer."""
        return (
            0.0
            if self.outcome.answer is None
            else (self.outcome.probability or 0.0) * self.reading.probability
        )


class SceneExecutor(Protocol):
    """Answers the questions on one image; intermediate results are shared between questions."""

    def run(self, question: Question, reading: ParsedQuestion) -> Execution:
        """Execute a parse; the outcome's answer is in the vocabulary of programs. ExecutionFailure,
        InputError or ProgramError if there is no answer."""
        ...

    def margin(self, question: Question, execution: Execution) -> dict | None:
        """Return how far the scene is from one with another answer: `Prediction.margin`."""
        ...

    def figures(self, question: Question) -> tuple[SceneFigure, ...]:
        """Return the scenes to display before execution; InputError if there is none."""
        ...

    def explain(self, question: Question, execution: Execution) -> Explanation: ...


class ParsedImage(NamedTuple):
    """One image's scenes, questions and parses."""

    tables: ImageScenes
    questions: Sequence[Question]
    readings: Sequence[ParsedQuestion]


class Domain:
    """The semantics of programs in one domain, and its modules that can be replaced by ground
    truth. Each domain has a subclass."""

    # Modules that can be ground truth or predicted: those of scenes, then of execution and parsing.
    modules: ClassVar[tuple[str, ...]]
    substitution: ClassVar[OracleModules]  # of the modules of scenes
    reading: ClassVar[tuple[str, ...]] = ("parsing",)  # the modules whose input is text
    headline: ClassVar[str] = "mean"  # "mean" over categories, or "overall" over questions
    kind: ClassVar["Kind"]  # input type of the general parser
    dialect: ClassVar[Dialect]
    # Whether `po3d ask` abstains below its threshold even where the benchmark's parser answers:
    # scenes of photographs are uncertain.
    perceives_doubtfully: bool = False
    # Whether questions are scored in groups, so that those without their own score are asked too.
    grouped: ClassVar[bool] = False

    @property
    def units(self) -> Mapping[str, str]:
        """Unit of the noise size, by module."""
        return self.substitution.units

    def spelled(self, program: Call) -> Tree:
        """Return a program in the notation of the domain's files; the call itself if that notation
        cannot express it."""
        try:
            return self.dialect.spell(program)
        except ProgramError:
            return program

    def length(self, program: Call) -> int:
        """Return the number of operations of a program of the general parser, for which the weights
        of alternative parses are fitted: in the domain's notation."""
        return sum(1 for _ in self.spelled(program).calls())

    def stored_text(self, reading: ParsedQuestion) -> str:
        """Return the text of the programs for a prediction: "change ; question", or the question's
        alone."""
        return " ; ".join(self.spelled(p.program).text() for p in reversed(reading.parses))

    def display_name(self, o: ObjectState) -> str:
        """Return the name of an object as used in questions."""
        return o.value("name")

    def checked(self, scene: Scene) -> None:
        """Raise InputError if the scene belongs to another domain."""
        try:
            list(map(self.display_name, scene.objects))
        except KeyError as error:
            raise InputError(
                f"this scene belongs to another domain: an object has no {error.args[0]}"
            ) from None

    def absent(self, text: str, scene: Scene) -> str:
        """Return a category that the text names and the scene lacks; "" if there is none, or the
        domain cannot tell."""
        return ""

    def own_wording(self, question: Question, reading: ParsedQuestion) -> bool:
        """Whether a question with its change and frame is in the wording of this domain's
        benchmarks for these programs."""
        return reading.sure

    def refuses(self, question: Question) -> bool:
        """Whether `po3d ask` gives no answer where the benchmark's parser has a program without
        one, instead of consulting the general parser."""
        return False

    def style(self, question: Question) -> float | None:
        """Return how much the sentences are worded like the benchmark's, log odds; None if the
        domain has no such test."""
        return None

    def in_style(self, question: Question, reading: ParsedQuestion) -> bool:
        """Whether the sentences are worded like the benchmark's and the parse is likely."""
        return False

    def argmax(self) -> Self:
        """Return the executor that uses only the most probable scene."""
        return self

    def ranking(self) -> Self:
        """Return the domain with settings that execute a program once, on the most probable scene:
        alternative parses are compared with it before one is executed on all samples."""
        return self

    def adapted(self, program: Call, question: Question) -> Parse:
        """Return the parse of a program of the general parser, with names, phrases and options as
        this domain's executor expects them."""
        return Parse("ok", program)

    @classmethod
    def explaining(cls, options: Mapping[str, Any]) -> "Domain":
        """Return the executor that explains the answers of a run with these options."""
        return cls()

    def gold(self, question: Question, rows: bool = False) -> ParsedQuestion:
        """Return the gold programs; a Parse without a program has the reason. `rows`: keep the rows
        of the true scene that the programs refer to."""
        return ParsedQuestion(self.gold_parse(question.program, question.unread))

    def gold_parse(self, text: str, unread: str = "") -> Parse:
        if unread:
            return Parse("unparsed", reason=unread)
        if not text:
            return Parse("failed", reason="the question has no program")
        try:
            return Parse("ok", self.dialect.parse(text))
        except ProgramError as error:
            return Parse("failed", reason=f"gold program: {error}")

    def rebuild_parse(self, question: Question, text: str) -> ParsedQuestion:
        """Rebuild the parse from the text in a stored prediction (`stored_text`)."""
        return ParsedQuestion(Parse("ok", self.stored_program(text)))

    def stored_program(self, text: str) -> Call:
        """Parse the text of a program in the domain's notation or in that of the language."""
        try:
            return self.dialect.parse(text)
        except ProgramError:
            return Call.parse(text)

    def things(self, readings: Sequence[ParsedQuestion]) -> Sequence[str]:
        """Return the object names in the questions, for open-vocabulary detectors."""
        return ()

    def of(self, question: Question) -> Any:
        """Return the cache key of what the answer depends on apart from programs and scenes."""
        return question.id

    def relevant(
        self, settings: Mapping[str, Setting], reading: ParsedQuestion
    ) -> Mapping[str, Setting]:
        """Return the settings of those modules that affect a reading's answer."""
        return settings

    def mixable(self) -> None:
        """Raise InputError if ground truth in all modules would not give the true answers."""

    def mixed(self, tables: ImageScenes) -> ImageScenes:
        """Return the predicted scenes with the modules of `tables.settings` replaced by ground
        truth, with noise where the setting is a number."""
        return self.substitution.mixed(tables)

    @property
    def belief_mode(self) -> str:
        """Return how probabilities of answers are computed; their calibration depends on it."""
        return f"samples={self.samples}" if hasattr(self, "samples") else ""

    def sampled(self, tables: ImageScenes) -> bool:
        """Whether programs run on many posterior samples of these scenes."""
        return False

    def bind(self, tables: ImageScenes) -> SceneExecutor:
        raise NotImplementedError

    def bind_batch(self, items: "Sequence[ParsedImage]") -> Sequence[SceneExecutor]:
        """Return one `SceneExecutor` per image. It will only be asked the questions given here, so
        an executor may compute all answers at once.
        """
        return [self.bind(tables) for tables, _, _ in items]

    def bind_ground_truth(self, truth: Scene) -> SceneExecutor:
        """Return the executor of gold programs on the true scene of the image."""
        return self.bind(ImageScenes({truth.image: truth}))


# --- the pipeline ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pipeline:
    """The system po3d. `oracle`: modules replaced by ground truth."""

    tables: TableSource
    reader: QuestionParser
    executor: Domain
    oracle: tuple[str, ...] = ()
    second: FallbackParser | None = None
    # Modules replaced by ground truth with noise of this size (in `Domain.units`).
    noise: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    # Number of questions parsed by each parser.
    read_by: Counter[str] = field(default_factory=Counter, compare=False, repr=False)
    at_once: ClassVar[int] = 16  # images; larger batches are hardly faster

    def __post_init__(self) -> None:
        object.__setattr__(self, "oracle", checked_modules(self.oracle, self.executor.modules))
        object.__setattr__(self, "noise", checked_noise(self.noise, self.executor))
        if self.tables.true and set(self.settings) - set(self.executor.reading):
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
        questions = [
            list(map(strip_prompt_template, image_questions)) for image_questions, _ in batch
        ]
        read = iter(self.read([q for image_questions in questions for q in image_questions]))
        readings = [
            self._lost(image_questions, list(islice(read, len(image_questions))))
            for image_questions in questions
        ]
        looks = [
            PerceptionInput(
                context, pictures_of(image_questions, context), self.executor.things(image_readings)
            )
            for image_questions, image_readings, (_, context) in zip(questions, readings, batch)
        ]
        parsed_images = [
            ParsedImage(*item) for item in zip(self.look(looks), questions, readings, strict=True)
        ]
        if self.second is not None and "parsing" not in self.settings:
            parsed_images = [
                parsed._replace(readings=self._reread(parsed)) for parsed in parsed_images
            ]
        for parsed in parsed_images:
            self.read_by.update(r.by for r in parsed.readings if not r.unread)
        return [
            [
                predicted(self.executor, answering, q, r, tables)
                for q, r in zip(image_questions, image_readings, strict=True)
            ]
            for answering, (tables, image_questions, image_readings) in zip(
                self.executor.bind_batch(parsed_images), parsed_images, strict=True
            )
        ]

    def _reread(self, parsed: ParsedImage) -> list[ParsedQuestion]:
        """Return the parses of one image's questions. Where the general parser is consulted,
        `choose` selects between its parse and the benchmark parser's."""
        tables, questions, readings = parsed
        answering, readings = self.executor.ranking().bind(tables), list(readings)
        open_ones = [
            k
            for k, r in enumerate(readings)
            if not self._settled(questions[k], r, answering, tables)
        ]
        alternatives = self.reread([questions[k] for k in open_ones], tables)
        for k, alternative in zip(open_ones, alternatives, strict=True):
            own, question = readings[k], questions[k]
            if alternative:
                general = likeliest_of(self.second, self.executor, answering, question, alternative)
                execution = None if own.unread else run(answering, question, own)
                style = self.executor.style(question)
                chosen = choose(execution, general, question, self.second.alone, style)
                readings[k] = (chosen.ran or general).reading
            elif self.second.alone:
                readings[k] = ParsedQuestion(
                    Parse("unparsed", reason="the general parser found no program"), by="general"
                )
        return readings

    def _settled(
        self, question: Question, own: ParsedQuestion, answering: SceneExecutor, tables: ImageScenes
    ) -> bool:
        """Whether the benchmark's parse stands: in the benchmark's own wording, or worded like it
        with an answer. On an estimated scene a missing answer is no sign of a wrong parse."""
        if not self.second.alone and not own.unread and self.executor.in_style(question, own):
            return (
                self.executor.sampled(tables)
                or run(answering, question, own).outcome.answer is not None
            )
        return not self.consults(question, own)

    def consults(self, question: Question, own: ParsedQuestion) -> bool:
        """Whether the general parser is consulted: if there is one, unless the benchmark's own
        parser has parsed the question and the question is in the benchmark's own wording."""
        if self.second is None:
            return False
        return self.second.alone or bool(own.unread) or not self.executor.own_wording(question, own)

    def reread(
        self, questions: Sequence[Question], tables: ImageScenes
    ) -> list[Sequence[ParsedQuestion]]:
        """Return the general parser's alternatives for each question; an empty list if it has no
        program."""
        candidates = self.second.readings(questions, tables) if questions else []
        return [group if any(r.status != "unparsed" for r in group) else [] for group in candidates]

    def _lost(
        self, questions: Sequence[Question], readings: list[ParsedQuestion]
    ) -> list[ParsedQuestion]:
        """Mark as unparsed the questions that noise in the parsing modules removes."""
        for module in set(self.executor.reading) & set(self.noise):
            gone = lost_texts(module, questions, self.noise[module], self.seed)
            lost = ParsedQuestion(Parse("unparsed", reason=f"noise in {module}"))
            readings = [lost if away else r for r, away in zip(readings, gone, strict=True)]
        return readings

    def read(self, questions: Sequence[Question]) -> list[ParsedQuestion]:
        """Parse the questions, with gold programs for the modules of `settings`."""
        gold = [m for m in self.executor.reading if m in self.settings]
        if not gold:
            return self._read(questions)
        true = [self.executor.gold(q) for q in questions]
        read = true if len(gold) == len(self.executor.reading) else self._read(questions)
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
        if change is not None and omits_size(question.change, change):
            return f"the parsed change omits a size: {question.change!r}"
        return omitted(question.text, reading.question.program)

    def look(self, looks: Sequence[PerceptionInput]) -> list[ImageScenes]:
        """Return the scenes of each image, and pass them to the evaluation (`Context.on_scene`)."""
        scenes = self.tables.tables(looks)
        return [self._image_scenes(*item) for item in zip(looks, scenes, strict=True)]

    def _image_scenes(self, look: PerceptionInput, scenes: Sequence[Scene]) -> ImageScenes:
        context, names, _ = look
        by_name = dict(zip(names, scenes, strict=True))
        if self.tables.true:
            return ImageScenes(by_name, inputs=context.inputs)
        for name, scene in by_name.items():
            context.on_scene(perceived(scene, name))
        true = {m: how for m, how in self.settings.items() if m not in self.executor.reading}
        if not true:
            return ImageScenes(by_name, inputs=context.inputs)
        truth = {name: context.true(name) for name in dict.fromkeys([*names, context.name])}
        tables = self.executor.mixed(
            ImageScenes(by_name, truth, true, seed=self.seed, inputs=context.inputs)
        )
        for scene in tables.views.values():
            context.on_scene(scene)
        return tables


def pictures_of(questions: Sequence[Question], context: Context) -> list[str]:
    """Return the names of the pictures that the questions on an image refer to."""
    return list(dict.fromkeys(n for q in questions for n in q.images)) or [context.name]


def predicted(
    executor: Domain,
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
    text = executor.stored_text(reading)
    if outcome.answer is None:
        return Prediction(question.id, "failed", program=text, reason=outcome.reason)
    probability = None if outcome.probability is None else outcome.probability * reading.probability
    if probability is not None and tables is not None:
        probability = calibrated(probability, tables, executor.belief_mode)
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


def likeliest_of(
    second: FallbackParser,
    executor: Domain,
    answering: SceneExecutor,
    question: Question,
    readings: Sequence[ParsedQuestion],
) -> Execution:
    """Execute the general parser's alternatives and add up their weights by answer (a refusal
    counts as an answer). Return the first one with the answer of the largest weight; its
    probability is the calibrated share of that weight."""
    executions = [
        (
            Execution(Outcome("failed", None, reason=r.unread), r)
            if r.unread
            else run(answering, question, r)
        )
        for r in readings
    ]
    answers = [
        REFUSED if execution.reading.unread else execution.outcome.answer
        for execution in executions
    ]
    weigh = second.weighing
    weights = [
        weigh(evidence(executor, answering, question, execution, weigh.unchanged != 0))
        for execution in executions
    ]
    k, share = likeliest(answers, weights)
    outcome, reading = executions[k]
    parse = replace(reading.question, probability=second.certain(share))
    if _unspecified(answering, question, reading, outcome.answer):
        parse = Parse("failed", None, parse.probability, UNSPECIFIED)
        outcome = Outcome("failed", None, reason=UNSPECIFIED)
    return Execution(outcome, reading._replace(question=parse))


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
    executor: Domain,
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
    calls = executor.length(reading.question.program)
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


@dataclass(frozen=True)
class Oracle:
    """Gold programs on the true scene: 100 % on a twin, else there is a bug. InputError if no
    question on an image has a program."""

    executor: Domain

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        if questions and not any(q.program or q.unread for q in questions):
            raise InputError(
                f"question {questions[0].id} has no gold program; an oracle needs a synthetic twin"
            )
        answering = self.executor.bind_ground_truth(context.truth())
        return [
            predicted(self.executor, answering, q, self.executor.gold(q, rows=True))
            for q in questions
        ]


def oracle(world: str) -> Oracle:
    """Return the oracle of a domain (a key of DOMAIN_MODULES)."""
    return Oracle(importlib.import_module(DOMAIN_MODULES[world]).DOMAIN)


def checked_noise(noise: Mapping[str, float], executor: Domain) -> dict[str, float]:
    """Return the noise of modules in the executor's order; InputError for a module without noise or
    an invalid size."""
    result = {{"colour": "color"}.get(name, name): size for name, size in noise.items()}
    for name, size in result.items():
        if name not in executor.modules or name not in executor.units:
            known = ", ".join(m for m in executor.modules if m in executor.units)
            raise InputError(
                f"noise={{{name}: ...}}: no noise model for this module; known: {known}"
            )
        if (
            isinstance(size, bool)
            or not isinstance(size, int | float)
            or not 0 <= size < float("inf")
        ):
            raise InputError(
                f"noise={{{name}: {size!r}}} should be a non-negative number"
                f" ({executor.units[name]})"
            )
    return {name: result[name] for name in executor.modules if name in result}


def checked_modules(names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the names in the order of `known`, with "colour" accepted for "color"; InputError for
    an unknown module."""
    wanted = {{"colour": "color"}.get(name, name) for name in names}
    if unknown := sorted(wanted - set(known)):
        raise InputError(f"oracle={unknown[0]!r} is not a module; known: {', '.join(known)}")
    return tuple(name for name in known if name in wanted)


def __getattr__(name: str) -> Any:
    """Old names, for one release."""
    return old_name(__name__, name)
