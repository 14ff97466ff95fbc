"""A domain as a value: the meaning of programs, and the settings of their execution.

A domain is the data in which streets, rooms, photographs and orbits differ: rules, dialect,
modules, settings, and a few functions. Each has a module in `po3d.systems` (`street`, `rooms`,
`photographs`, `orbit`) with its value `DOMAIN` and the `SceneExecutor` that runs its programs. A
setting is changed by `dataclasses.replace(DOMAIN, samples=8)`."""

import importlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, get_args

from po3d.io.errors import InputError, known
from po3d.language.dialects import Dialect
from po3d.language.program import Call, ProgramError, Tree
from po3d.language.read.mending import Mending
from po3d.language.read.parse import Parse
from po3d.reasoning.execute import Mode
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.questions import Question
from po3d.reasoning.rules import Rules
from po3d.scene.posterior import kinds, uncertain
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import shape_name
from po3d.systems.answer_options import chosen, offered_answers
from po3d.systems.explanation import Explanation, SceneFigure
from po3d.systems.image_scenes import ImageScenes, Setting
from po3d.systems.oracle import OracleModules
from po3d.systems.parser_choice import LIKELY, SURE

if TYPE_CHECKING:
    from po3d.language.read.reader_tokens import Kind
    from po3d.systems.interfaces import QuestionParser

DOMAIN_MODULES = {  # domain of a benchmark's programs -> module with its `Domain`
    "street": "po3d.systems.street",
    "rooms": "po3d.systems.rooms",
    "photographs": "po3d.systems.photographs",
    "orbit": "po3d.systems.orbit",
}
FrameMode = Literal["anchors", "none", "camera"]  # of rooms: see `po3d.systems.framed_rooms.framed`


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
        """Return this parse with gold programs for the given modules: parsing (the question's
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


class Execution(NamedTuple):
    """Outcome, and the parse actually executed: a change may have been reinterpreted."""

    outcome: Outcome
    reading: ParsedQuestion

    @property
    def believed(self) -> float:
        """Probability of the answer times probability of the parse; 0 without an answer."""
        if self.outcome.answer is None:
            return 0.0
        return (self.outcome.probability or 0.0) * self.reading.probability


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


@dataclass(frozen=True)
class Domain:
    """The semantics of programs in one domain. Settings that a domain does not use keep their
    defaults. A domain is pickled as its name and what differs from `DOMAIN`."""

    name: str  # a key of DOMAIN_MODULES
    kind: "Kind"  # input type of the general parser
    dialect: Dialect
    rules: Rules
    substitution: OracleModules  # the modules that can be ground truth or predicted
    executor_of: Callable[["Domain", ImageScenes], SceneExecutor]
    # (domain, checkpoint, device) -> the benchmark's parser; "" for a parser without checkpoint
    parser_of: Callable[["Domain", str, str], "QuestionParser"]
    options: Mapping[str, Any]  # options of `build_pipeline`, with defaults

    # --- data
    reading: tuple[str, ...] = ("parsing",)  # the modules whose input is text
    headline: str = "mean"  # "mean" over categories, or "overall" over questions
    # Whether questions are scored in groups, so that those without their own score are asked too.
    grouped: bool = False
    noun: str = "name"  # the attribute that is an object's name in questions
    # Fields of a question on which the answer depends, apart from programs and scenes.
    read_fields: tuple[str, ...] = ("id",)
    # Output types of programs in the dialect; () for any. Others are spelled as calls.
    answer_types: tuple[str, ...] = ()
    # Whether weights of alternative parses were fitted to lengths in the language, not the dialect.
    core_lengths: bool = False
    # Whether open-vocabulary detectors get the object names of the questions.
    open_vocabulary: bool = False
    # Options of a run that an explanation of its answers uses, with defaults.
    explanation_settings: tuple[tuple[str, Any], ...] = ()
    # Whether `po3d ask` abstains below its threshold even where the benchmark's parser answers:
    # scenes of photographs are uncertain.
    perceives_doubtfully: bool = False

    # --- settings
    mode: str = ""  # streets: a `Mode`
    # Posterior samples of an uncertain scene; 0: the most probable scene answers, on photographs
    # and orbits with a probability to first order in the covariances.
    samples: int = 0
    seed: int = 0
    draw: tuple[str, ...] = ()  # rooms: kinds of belief that are sampled (`po3d.scene.posterior`)
    frame: FrameMode = "anchors"
    margins: bool = True  # compute margins of predictions; on streets slower than the answer itself
    # Orbits: use the camera angles given with the items; else the relative rotation of the views is
    # estimated from the objects that they share.
    known_yaw: bool = True
    # Photographs: treat an undetected object of the question as present, as an improbable row, and
    # say so in the prediction; else the question fails.
    assume_present: bool = True
    classes: tuple[str, ...] = ()  # photographs: all names that their detector knows; (): any

    headings: bool = False  # photographs: whether an orientation network is given
    depth: bool = False  # photographs: whether a depth map is given

    # --- functions
    # Whether a question with its change and frame is in the wording of the domain's benchmarks.
    own_wording: Callable[[Question, ParsedQuestion], bool] = lambda q, reading: reading.sure
    # Whether the sentences are worded like the benchmark's and the parse is likely.
    in_style: Callable[[Question, ParsedQuestion], bool] = lambda q, reading: False
    # How much the sentences are worded like the benchmark's, log odds; None without such a test.
    style: Callable[[Question], float | None] = lambda q: None
    # Whether `po3d ask` gives no answer where the benchmark's parser has a program without one,
    # instead of consulting the general parser.
    refuses: Callable[[Question], bool] = lambda q: False
    # The parse of a program of the general parser, with names, phrases and options as the executor
    # expects them.
    adapted: Callable[[Call, Question], Parse] = lambda program, q: Parse("ok", program)
    # The parse of a gold or stored program. `rows`: keep the rows of the true scene in it.
    fit: Callable[[Question, Call, bool], Parse] = lambda q, program, rows: Parse("ok", program)
    # The settings of those modules that affect a reading's answer.
    relevant: Callable[[Mapping[str, Setting], ParsedQuestion], Mapping[str, Setting]] = (
        lambda settings, reading: settings
    )
    # Why an answer is improbable, in one sentence; "" if only its probability is known.
    doubts: Callable[["Domain", Execution, Scene], str] = lambda domain, execution, scene: ""
    # (domain, estimator) -> the domain with scenes from an estimator that is not a shipped one.
    for_estimator: Callable[["Domain", Any], "Domain"] = lambda domain, estimator: domain
    # One executor per image, for the given questions alone; None: `bind` of each image.
    batch: Callable[["Domain", Sequence[ParsedImage]], Sequence[SceneExecutor]] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "draw", kinds(self.draw))
        known("frame", self.frame, get_args(FrameMode))
        if self.mode:
            known("mode", self.mode, get_args(Mode))
            if self.samples < 1:
                raise InputError(
                    f"executor.samples={self.samples} should be at least 1 for streets"
                )

    def __reduce__(self) -> tuple:
        base = domain(self.name)
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return _changed, (self.name, {k: v for k, v in values.items() if v is not getattr(base, k)})

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that can be ground truth or predicted: of scenes, execution and parsing."""
        return tuple(self.substitution.rows)

    @property
    def units(self) -> Mapping[str, str]:
        """Unit of the noise size, by module."""
        return self.substitution.units

    @property
    def belief_mode(self) -> str:
        """Return how probabilities of answers are computed; their calibration depends on it."""
        return self.mode or f"samples={self.samples}"

    # --- programs and parses

    def in_notation(self, program: Call) -> Tree:
        """Return a program in the notation of the domain's files; the call itself if that notation
        cannot express it."""
        try:
            tree = self.dialect.spell(program)
        except ProgramError:
            return program
        return program if self.answer_types and tree.output not in self.answer_types else tree

    def length(self, program: Call) -> int:
        """Return the number of operations of a program in the general parser's notation, a feature
        for weighing alternative parses."""
        tree = program if self.core_lengths else self.in_notation(program)
        return len(list(tree.calls()))

    def stored_text(self, reading: ParsedQuestion) -> str:
        """Return the text of the programs for a prediction: "change ; question", or the question's
        alone."""
        result = []
        for p in reversed(reading.parses):
            result.append(self.in_notation(p.program).text())
        return " ; ".join(result)

    def stored_program(self, text: str) -> Call:
        """Parse the text of a program in the domain's notation or in that of the language."""
        try:
            return self.dialect.parse(text)
        except ProgramError:
            return Call.parse(text)

    def rebuild_parse(self, question: Question, text: str) -> ParsedQuestion:
        """Rebuild the parse from the text in a stored prediction (`stored_text`)."""
        change, _, own = text.rpartition(" ; ") if question.change else ("", "", text)
        return ParsedQuestion(
            self.fit(question, self.stored_program(own), True),
            Parse("ok", self.stored_program(change)) if change else None,
        )

    def gold(self, question: Question, rows: bool = False) -> ParsedQuestion:
        """Return the gold programs; a Parse without a program has the reason. `rows`: keep the rows
        of the true scene that the programs refer to."""
        parse = self._gold(question.program, question.unread)
        if parse.program is not None:
            parse = self.fit(question, parse.program, rows)
        changed = question.change_program or question.change
        return ParsedQuestion(parse, self._gold(question.change_program) if changed else None)

    def _gold(self, text: str, unread: str = "") -> Parse:
        if unread:
            return Parse("unparsed", reason=unread)
        if not text:
            return Parse("failed", reason="the question has no program")
        try:
            return Parse("ok", self.dialect.parse(text))
        except ProgramError as error:
            return Parse("failed", reason=f"gold program: {error}")

    def things(self, readings: Sequence[ParsedQuestion]) -> Sequence[str]:
        """Return the object names in the questions, for open-vocabulary detectors."""
        phrases, names = [], []
        for reading in readings if self.open_vocabulary else ():
            for call in reading.question.program.calls() if reading.question.program else ():
                if call.op == "refer":
                    phrases.append(str(call.args[0]))
                elif call.op == "filter" and call.args[0] == "name":
                    names.append(str(call.args[1]))
        return tuple(dict.fromkeys(phrases + names))

    # --- scenes

    def display_name(self, o: ObjectState) -> str:
        """Return the name of an object as used in questions."""
        return shape_name(o.value("shape")) if self.noun == "shape" else o.value(self.noun)

    def checked(self, scene: Scene) -> None:
        """Raise InputError if the scene belongs to another domain."""
        try:
            list(map(self.display_name, scene.objects))
        except KeyError as error:
            raise InputError(
                f"this scene belongs to another domain: an object has no {error.args[0]}"
            ) from None

    def sampled(self, tables: ImageScenes) -> bool:
        """Whether programs run on many posterior samples of these scenes."""
        return bool(self.draw and self.samples) and uncertain(tables.scene, self.draw)

    def mixed(self, tables: ImageScenes) -> ImageScenes:
        """Return the predicted scenes with the modules of `tables.settings` replaced by ground
        truth, with noise where the setting is a number."""
        return self.substitution.mixed(tables)

    def read_values(self, question: Question) -> tuple:
        """Return the cache key of what the answer depends on apart from programs and scenes."""
        values = (getattr(question, field) for field in self.read_fields)
        return tuple(v if isinstance(v, str) else tuple(v) for v in values)

    # --- execution

    def argmax(self) -> Self:
        """Return the domain with execution on the most probable scene only."""
        return self if self.mode in ("", "argmax") else replace(self, mode="argmax")

    def ranking(self) -> Self:
        """Return the domain with settings that execute a program once, on the most probable scene:
        alternative parses are compared with it before one is executed on all samples."""
        return replace(self, samples=0) if self.draw and self.samples else self

    def certain(self) -> Self:
        """Return the domain for certain scenes, where each question has its own frame."""
        return replace(self, frame="anchors", samples=self.samples if self.mode else 0)

    def explaining(self, options: Mapping[str, Any]) -> Self:
        """Return the domain that explains the answers of a run with these options."""
        used = {name: options.get(name) for name, _ in self.explanation_settings}
        changed = {}
        for name, value in used.items():
            if value is not None:
                changed[name] = value
        return replace(self.certain(), **{**dict(self.explanation_settings), **changed})

    def doubt(self, execution: Execution, scene: Scene) -> str:
        """Return one sentence on why an answer is improbable; "" if there is no specific reason."""
        return self.doubts(self, execution, scene)

    def bind(self, tables: ImageScenes) -> SceneExecutor:
        return self.executor_of(self, tables)

    def bind_batch(self, items: Sequence[ParsedImage]) -> Sequence[SceneExecutor]:
        """Return one `SceneExecutor` per image, for the given questions only: answers may be
        computed at once."""
        together = self.batch
        return together(self, items) if together else [self.bind(item[0]) for item in items]

    def bind_ground_truth(self, truth: Scene) -> SceneExecutor:
        """Return the executor of gold programs on the true scene of the image."""
        return self.certain().bind(ImageScenes({truth.image: truth}, whole=True))


def domain(name: str) -> Domain:
    """Return the domain of that name, with its default settings."""
    return importlib.import_module(DOMAIN_MODULES[name]).DOMAIN


def _changed(name: str, settings: Mapping[str, Any]) -> Domain:
    return replace(domain(name), **settings)
