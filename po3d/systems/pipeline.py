"""Who answers. The page to read first: a system gets the questions on one image and predicts each answer.

    image    ──► TableSource ──► Tables  ──┐
                                           ├──► Executor ──► answer, probability, trace        Pipeline
    question ──► Reader ──────► Reading ───┘

    the true Scene, the gold program ────────► Executor                                        Oracle

One pipeline answers streets, rooms, photographs and orbits; they differ in the three parts, and in what a program means: each
world has a module here (`street`, `rooms`, `photographs`, `orbit`; WORLDS) with its Executor. Where tables come from is told in
`tables`, who reads in the world's module, who only guesses in `baselines`. Ground truth or noise in place of a module is a
setting of it (`oracle=`; `mixtures`).

What a system may look at comes as a `Context`, whose parts are made when asked for: a system that never looks at the image costs
no rendering. Not being able to answer is an outcome with a reason. Above 400 lines, so that one page tells it all.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.language.dialects import Dialect
from po3d.language.program import Call, ProgramError
from po3d.language.read.mending import Mending
from po3d.language.read.omissions import omitted, untold
from po3d.language.read.parse import BEYOND, Parse
from po3d.language.read.weighing import Evidence, Weighing
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import ObjectState, Scene
from po3d.systems.choices import REFUSED, chosen, likeliest, offering, unframed
from po3d.systems.explained import Explained, Shown
from po3d.systems.parser_choice import SURE, choose

if TYPE_CHECKING:
    from po3d.language.read.reader_tokens import Kind
    from po3d.systems.mixtures import Mixtures
    from po3d.systems.substitution import Substitution

WORLDS = {  # whose programs questions are -> the module of its executor
    "street": "po3d.systems.street",
    "rooms": "po3d.systems.rooms",
    "photographs": "po3d.systems.photographs",
    "orbit": "po3d.systems.orbit",
}
TRUTH, PREDICTED = "truth", "predicted"
Setting = str | float  # of a module: TRUTH, PREDICTED, or the size of noise on the truth
Image = NDArray[np.uint8]  # (H, W, 3)


class NoInputs:
    """What comes with an image that comes alone: InputError for whatever is asked for."""

    def __getattr__(self, what: str) -> Any:
        if what.startswith("__"):
            raise AttributeError(what)
        raise InputError(f"there is no {what.replace('_', ' ')} with this image")


NOTHING = NoInputs()


@dataclass(frozen=True)
class Context:
    """One image of a benchmark. Nothing is read or rendered before it is asked for."""

    image: Callable[[], Image]
    truth: Callable[[], Scene]  # the true table: for oracles alone
    name: str = ""
    # A system hands over the tables that it worked with; the evaluation compares them with the truth.
    keep: Callable[[Scene], None] = lambda scene: None
    # What else the benchmark has with the image: a room's maps and captions, a picture's focal length, a scene's views.
    inputs: Any = NOTHING

    @classmethod
    def of(cls, split: Any, name: str, keep: Callable[[Scene], None] = lambda scene: None) -> "Context":
        """An image of a benchmark's split."""
        inputs = split.inputs(name) if hasattr(split, "inputs") else NOTHING
        return cls(lambda: split.image(name), lambda: split.truth(name), name, keep, inputs)

    def picture(self, name: str) -> Image:
        """The image, or one of its views."""
        return self.image() if name == self.name else self.inputs.image(name)

    def true(self, name: str) -> Scene:
        """The true table of the image, or of one of its views."""
        return self.truth() if name == self.name else self.inputs.truth(name)


def perceived(scene: Scene, name: str) -> Scene:
    """The table that perception made of an image; InputError for a true one. Only an oracle, or a pipeline that is asked
    for true tables by name, may use the truth."""
    if scene.source == "gt":
        raise InputError(f"perception returned the ground truth of {name!r}: only an Oracle may use it")
    return scene


Posed = tuple[Sequence[Question], Context]  # the questions on an image


class System(Protocol):
    """Answers the questions on one image, in their order. It may also have `mixtures()` (`po3d.systems.mixtures`), `measures`
    (what a report says of it beside the score, by name), `notes(questions)` (what a reader of its figures on them should know),
    and be `Batched` or `Eager`."""

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]: ...


class Batched(Protocol):
    """A system that works on several images together, best on `at_once` of them. Answers do not depend on how many there are."""

    at_once: int

    def answers(self, posed: Sequence[Posed]) -> list[list[Prediction]]:
        """Of each image the answers to its questions."""
        ...


def at_once(system: System) -> int:
    """The number of images that are best given to a system together."""
    return getattr(system, "at_once", 1)


def all_answers(system: System, posed: Sequence[Posed]) -> list[list[Prediction]]:
    """Of each image the answers to its questions: together, where the system is `Batched`."""
    if hasattr(system, "answers"):
        return system.answers(posed)
    return [system.answer(*image) for image in posed]


class Begun(Protocol):
    """Answers under way."""

    def result(self) -> list[Prediction]: ...

    def cancel(self) -> object: ...


class Eager(Protocol):
    """A system that waits for others, and so begins on further images meanwhile: up to `ahead` of them. `begin` looks
    at all that it needs of the context before it returns."""

    ahead: int

    def begin(self, questions: Sequence[Question], context: Context) -> Begun: ...


# --- the three parts ----------------------------------------------------------------------------------------


class Look(NamedTuple):
    """An image that tables are made of."""

    context: Context
    names: Sequence[str]  # of its pictures: the image itself, or those of its views that questions show
    things: Sequence[str] = ()  # what the questions name


class TableSource(Protocol):
    """Makes the tables of images. `true`: are they the truth, asked for by name?"""

    true: ClassVar[bool] = False

    def tables(self, looks: Sequence[Look]) -> Sequence[Sequence[Scene]]:
        """Of each image a table of each of its pictures. InputError when what they are made of is missing."""
        ...


class Reading(NamedTuple):
    """What was read in a question and, where it has one, in its change."""

    asked: Parse
    change: Parse | None = None
    # Of the second reader's, where the question's own sentence is not to be read: as that should be, or its program.
    frame: str | Call = ""
    by: Literal["own", "learned"] = "own"
    mended: tuple[Mending, ...] = ()  # misspelt words of the sentences, and what they were read as

    @property
    def parses(self) -> tuple[Parse, ...]:
        return (self.asked,) if self.change is None else (self.asked, self.change)

    @property
    def unread(self) -> str:
        """Why there is no program; "" where there is one for everything."""
        if self.change is not None and self.change.program is None:
            return f"change: {self.change.reason}"
        return self.asked.reason or "unread" if self.asked.program is None else ""

    @property
    def status(self) -> Literal["ok", "unparsed", "failed"]:
        """Of an unread one "failed" where who reads it says that there is no answer, or a gold program is absent."""
        if not self.unread:
            return "ok"
        return "failed" if any(p.status == "failed" for p in self.parses) else "unparsed"

    def mixed(self, gold: "Reading", modules: Collection[str]) -> "Reading":
        """The gold programs of the modules that are named, parsing (of the question) and edit (of the change), else what was read."""
        asked, change = (gold if m in modules else self for m in ("parsing", "edit"))
        return Reading(asked.asked, change.change)

    @property
    def sure(self) -> bool:
        """Whether a benchmark's own reader is to be believed where the second one has nothing to say."""
        return not self.unread and all(p.probability >= SURE and not p.unknown for p in self.parses)

    def said(self, answer: str, question: Question) -> str:
        """A program's answer as the option that says it, where there are options."""
        options = offering(answer, question) if self.by == "learned" else question.options
        return self.asked.option_of.get(answer) or chosen(answer, options) or answer

    @property
    def probability(self) -> float:
        return self.asked.probability * (self.change.probability if self.change else 1.0)


class Reader(Protocol):
    """Reads questions."""

    def read(self, questions: Sequence[Question]) -> Sequence[Reading]: ...


class SecondReader(Protocol):
    """Reads what the first reader does not read, knowing the tables; `alone`: all that there is. `systems.learned` has one."""

    alone: bool

    @property
    def weighing(self) -> Weighing:
        """How much each of several readings counts."""
        ...

    def readings(self, questions: Sequence[Question], tables: "Tables") -> Sequence[Sequence[Reading]]:
        """Several of each question, of which `likeliest_of` chooses an answer."""
        ...

    def certain(self, share: float) -> float:
        """How probably an answer is right whose readings have this share of all weight."""
        ...


@dataclass(frozen=True)
class Tables:
    """What is known of an image: the table of each picture by name, and how far its modules are true."""

    views: Mapping[str, Scene]
    # The true tables of the pictures and of the image itself; there only where a module is true.
    truth: Mapping[str, Scene] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)  # of modules; those not named are predicted
    # Of mixed tables the true row of each row.
    rows: Mapping[str, Sequence[int | None]] = field(default_factory=dict)
    seed: int = 0  # of noise
    inputs: Any = NOTHING
    memo: dict = field(default_factory=dict, repr=False)  # what tables that share some modules have in common

    @property
    def scene(self) -> Scene:
        """The table of an image that is one picture."""
        (scene,) = self.views.values()
        return scene

    @property
    def true(self) -> Scene:
        """The true table of the image."""
        return next(reversed(self.truth.values()))

    def how(self, module: str) -> Setting:
        return self.settings.get(module, PREDICTED)


class Ran(NamedTuple):
    """An outcome and what was run: a change may have been taken otherwise than it was read."""

    outcome: Outcome
    reading: Reading

    @property
    def believed(self) -> float:
        """The probability of the answer and of the reading together."""
        return (
            0.0
            if self.outcome.answer is None
            else (self.outcome.probability or 0.0) * self.reading.probability
        )


class Answering(Protocol):
    """Answers questions on one image's tables; what they share is worked out once."""

    def run(self, question: Question, reading: Reading) -> Ran:
        """The answer in the program's own words. ExecutionFailure, InputError or ProgramError where there is none."""
        ...

    def margin(self, question: Question, ran: Ran) -> dict | None:
        """How near the answer was to another one: `Prediction.margin`."""
        ...

    def shown(self, question: Question) -> tuple[Shown, ...]:
        """The tables before anything is run; InputError where there are none."""
        ...

    def explained(self, question: Question, ran: Ran) -> Explained: ...


class Asked(NamedTuple):
    """The questions on one image, read, with its tables."""

    tables: Tables
    questions: Sequence[Question]
    readings: Sequence[Reading]


class Executor:
    """What programs mean in one world, and what of its tables and readings can be ground truth instead. Worlds derive from it."""

    # What can be true or predicted: the modules of tables, then those of execution and reading.
    modules: ClassVar[tuple[str, ...]]
    substitution: ClassVar["Substitution"]  # of the tables' modules
    reading: ClassVar[tuple[str, ...]] = ("parsing",)  # the modules that are texts
    headline: ClassVar[str] = "mean"  # of the categories; or "overall", of the questions
    kind: ClassVar["Kind"]  # what the second reader is told that it reads about
    dialect: ClassVar[Dialect]
    # Are questions right as a group, so that those that count for no more are asked too?
    grouped: ClassVar[bool] = False

    @property
    def units(self) -> Mapping[str, str]:
        """Of the modules that can be noisy what their sigma is."""
        return self.substitution.units

    def parsed(self, text: str) -> Any:
        """The program of a text; ProgramError."""
        return self.dialect.tree.parse(text)

    def text(self, reading: Reading) -> str:
        """The programs as predictions have them."""
        return reading.asked.program.text()

    def meaning(self, program: Any) -> Call:
        """The call of a program, however it is spelled."""
        return self.dialect.meant(program)

    def called(self, o: ObjectState) -> str:
        """A thing of a table in the words of people."""
        return o.value("name")

    def checked(self, scene: Scene) -> None:
        """InputError for a table of another world."""
        try:
            list(map(self.called, scene.objects))
        except KeyError as error:
            raise InputError(
                f"this is no table of this world: it has a thing that says nothing of its {error.args[0]}"
            ) from None

    def absent(self, text: str, scene: Scene) -> str:
        """A kind of thing that a text names and the table has none of; "" where it has all, or nobody can tell."""
        return ""

    def own_wording(self, question: Question, reading: Reading) -> bool:
        """Whether a benchmark of this world would ask a question, with its change and frame, in these words for these programs."""
        return reading.sure

    def surely(self) -> Self:
        """What executes on the likeliest table alone."""
        return self

    def heard(self, program: Call, question: Question) -> Any:
        """What the second reader read, as this world's programs are spelled; the call itself where they have no spelling for it."""
        try:
            return self.dialect.spelled(program)
        except ProgramError:
            return program

    def heard_parse(self, program: Call, question: Question) -> Parse:
        return Parse("ok", self.heard(program, question))

    @classmethod
    def explaining(cls, options: Mapping[str, Any]) -> "Executor":
        """What explains the answers of a run with these options."""
        return cls()

    def gold(self, question: Question, rows: bool = False) -> Reading:
        """The gold programs; a Parse without one says why. `rows`: where they name rows of the true table, these."""
        return Reading(self.gold_parse(question.program, question.unread))

    def gold_parse(self, text: str, unread: str = "") -> Parse:
        if unread:
            return Parse("unparsed", reason=unread)
        if not text:
            return Parse("failed", reason="there is no program with this question")
        try:
            return Parse("ok", self.parsed(text))
        except ProgramError as error:
            return Parse("failed", reason=f"gold program: {error}")

    def told(self, question: Question, text: str) -> Reading:
        """The reading that a prediction's program tells."""
        return Reading(Parse("ok", self.parsed(text)))

    def things(self, readings: Sequence[Reading]) -> Sequence[str]:
        """What questions name, for networks that look for it."""
        return ()

    def of(self, question: Question) -> Any:
        """What the answer depends on besides programs and tables."""
        return question.id

    def relevant(self, settings: Mapping[str, Setting], reading: Reading) -> Mapping[str, Setting]:
        """The settings of the modules that a reading's answer depends on."""
        return settings

    def mixable(self) -> None:
        """InputError where true modules would not give the true answers."""

    def mixed(self, tables: Tables) -> Tables:
        """The predicted tables with their settings applied."""
        return self.substitution.mixed(tables)

    def on(self, tables: Tables) -> Answering:
        raise NotImplementedError

    def together(self, asked: "Sequence[Asked]") -> Sequence[Answering]:
        """What answers the questions on each of several images, which are all that it will be asked."""
        return [self.on(tables) for tables, _, _ in asked]

    def exactly(self, truth: Scene) -> Answering:
        """Answers gold programs on the true table of the image."""
        return self.on(Tables({truth.image: truth}))


# --- the pipeline -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pipeline:
    """po3d itself. `oracle` names modules replaced by ground truth."""

    tables: TableSource
    reader: Reader
    executor: Executor
    oracle: tuple[str, ...] = ()
    second: SecondReader | None = None
    # Modules that are ground truth with noise of this size, in the executor's units, drawn from `seed`.
    noise: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    # How many questions each reader read.
    read_by: Counter[str] = field(default_factory=Counter, compare=False, repr=False)
    at_once: ClassVar[int] = 16  # images: more are hardly faster

    def __post_init__(self) -> None:
        object.__setattr__(self, "oracle", checked_modules(self.oracle, self.executor.modules))
        object.__setattr__(self, "noise", checked_noise(self.noise, self.executor))
        if self.tables.true and set(self.settings) - set(self.executor.reading):
            raise InputError(
                "oracle= replaces modules of predicted tables: it needs another benchmark.table= than truth"
            )

    @property
    def settings(self) -> dict[str, Setting]:
        """Of each module that is not predicted TRUTH, or the size of its noise."""
        return {**dict.fromkeys(self.oracle, TRUTH), **self.noise}

    def notes(self, questions: Sequence[Question]) -> list[str]:
        """What a reader of figures on these questions should know of the tables."""
        return self.tables.notes(questions) if hasattr(self.tables, "notes") else []

    def mixtures(self) -> "Mixtures | None":
        """What can be true or predicted here; None where tables or modules are true already."""
        from po3d.systems.mixtures import Mixtures

        if self.tables.true or self.settings:
            return None
        self.executor.mixable()
        return Mixtures(self)

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        (found,) = self.answers([(questions, context)])
        return found

    def answers(self, posed: Sequence[Posed]) -> list[list[Prediction]]:
        questions = [list(map(unframed, own)) for own, _ in posed]
        read = iter(self.read([q for own in questions for q in own]))
        readings = [self._lost(own, list(islice(read, len(own)))) for own in questions]
        looks = [
            Look(context, pictures_of(own, context), self.executor.things(found))
            for own, found, (_, context) in zip(questions, readings, posed)
        ]
        asked = [Asked(*item) for item in zip(self.look(looks), questions, readings, strict=True)]
        if self.second is not None and "parsing" not in self.settings:
            asked = [one._replace(readings=self._reread(one)) for one in asked]
        for one in asked:
            self.read_by.update(r.by for r in one.readings if not r.unread)
        return [
            [predicted(self.executor, answering, q, r) for q, r in zip(own, found, strict=True)]
            for answering, (_, own, found) in zip(self.executor.together(asked), asked, strict=True)
        ]

    def _reread(self, asked: Asked) -> list[Reading]:
        """The readings of an image's questions: of those for which the general parser is consulted, the one that counts."""
        tables, questions, readings = asked
        answering, readings = self.executor.on(tables), list(readings)
        open_ones = [k for k, r in enumerate(readings) if self.consults(questions[k], r)]
        several = self.reread([questions[k] for k in open_ones], tables)
        for k, found in zip(open_ones, several, strict=True):
            own, question = readings[k], questions[k]
            if found:
                general = likeliest_of(self.second, answering, question, found)
                ran = None if own.unread else run(answering, question, own)
                readings[k] = (choose(ran, general, question, self.second.alone).ran or general).reading
            elif self.second.alone:
                readings[k] = Reading(
                    Parse("unparsed", reason="the learned reader has no program for it"), by="learned"
                )
        return readings

    def consults(self, question: Question, own: Reading) -> bool:
        """Whether the general parser reads a question, too: it does where there is one, unless the benchmark's own parser reads it and it
        is in the benchmark's own wording."""
        if self.second is None:
            return False
        return self.second.alone or bool(own.unread) or not self.executor.own_wording(question, own)

    def reread(self, questions: Sequence[Question], tables: Tables) -> list[Sequence[Reading]]:
        """The second reader's readings, none of what it can't read."""
        found = self.second.readings(questions, tables) if questions else []
        return [several if any(r.status != "unparsed" for r in several) else [] for several in found]

    def _lost(self, questions: Sequence[Question], readings: list[Reading]) -> list[Reading]:
        """The readings of an image's questions without those that noise in the reading modules loses."""
        for module in set(self.executor.reading) & set(self.noise):
            from po3d.systems.mixtures import lost_texts

            gone = lost_texts(module, questions, self.noise[module], self.seed)
            lost = Reading(Parse("unparsed", reason=f"noise in {module}"))
            readings = [lost if away else r for r, away in zip(readings, gone, strict=True)]
        return readings

    def read(self, questions: Sequence[Question]) -> list[Reading]:
        """What the reader makes of the questions, with gold programs where they are asked for."""
        gold = [m for m in self.executor.reading if m in self.settings]
        if not gold:
            return self._read(questions)
        true = [self.executor.gold(q) for q in questions]
        read = true if len(gold) == len(self.executor.reading) else self._read(questions)
        return [r.mixed(t, gold) for t, r in zip(true, read, strict=True)]

    def _read(self, questions: Sequence[Question]) -> list[Reading]:
        """What the reader reads; unread where its program leaves out what the question says."""
        found = list(self.reader.read(questions))
        for k, (question, reading) in enumerate(zip(questions, found, strict=True)):
            if reading.asked.program is not None and (reason := self.omitted(reading, question)):
                found[k] = reading._replace(asked=Parse("unparsed", None, 0.0, reason))
        return found

    def omitted(self, reading: Reading, question: Question) -> str:
        """What a question says and its program leaves out, or its change's makes up; "" where nothing is known to be."""
        change = reading.change and reading.change.program
        if change is not None and untold(question.change, self.executor.meaning(change)):
            return f"change: {question.change!r} does not say what is changed"
        return omitted(question.text, self.executor.meaning(reading.asked.program))

    def look(self, looks: Sequence[Look]) -> list[Tables]:
        """The tables of each image; they are also handed to the evaluation."""
        made = self.tables.tables(looks)
        return [self._looked(*item) for item in zip(looks, made, strict=True)]

    def _looked(self, look: Look, made: Sequence[Scene]) -> Tables:
        context, names, _ = look
        found = dict(zip(names, made, strict=True))
        if self.tables.true:
            return Tables(found, inputs=context.inputs)
        for name, scene in found.items():
            context.keep(perceived(scene, name))
        true = {m: how for m, how in self.settings.items() if m not in self.executor.reading}
        if not true:
            return Tables(found, inputs=context.inputs)
        truth = {name: context.true(name) for name in dict.fromkeys([*names, context.name])}
        tables = self.executor.mixed(Tables(found, truth, true, seed=self.seed, inputs=context.inputs))
        for scene in tables.views.values():
            context.keep(scene)
        return tables


def pictures_of(questions: Sequence[Question], context: Context) -> list[str]:
    """The names of the pictures that questions on an image show."""
    return list(dict.fromkeys(n for q in questions for n in q.images)) or [context.name]


def predicted(executor: Executor, answering: Answering, question: Question, reading: Reading) -> Prediction:
    """A reading run on tables, as a prediction."""
    if reason := reading.unread:
        return Prediction(question.id, reading.status, reason=reason)
    outcome, reading = ran = run(answering, question, reading)
    text = executor.text(reading)
    if outcome.answer is None:
        return Prediction(question.id, "failed", program=text, reason=outcome.reason)
    probability = None if outcome.probability is None else outcome.probability * reading.probability
    answer = reading.said(outcome.answer, question)
    margin = answering.margin(question, ran)
    return Prediction(question.id, "ok", answer, probability, text, outcome.reason, margin)


def likeliest_of(
    second: SecondReader, answering: Answering, question: Question, readings: Sequence[Reading]
) -> Ran:
    """Of the second reader's readings the first with the answer, or refusal, that is the likeliest of all of them together, as probable as
    that is."""
    ran = [
        Ran(Outcome("failed", None, reason=r.unread), r) if r.unread else run(answering, question, r)
        for r in readings
    ]
    answers = [REFUSED if one.reading.unread else one.outcome.answer for one in ran]
    weigh = second.weighing
    weights = [weigh(evidence(answering, question, one, weigh.unchanged != 0)) for one in ran]
    k, share = likeliest(answers, weights)
    outcome, reading = ran[k]
    return Ran(outcome, reading._replace(asked=replace(reading.asked, probability=second.certain(share))))


def evidence(answering: Answering, question: Question, ran: Ran, compare: bool = True) -> Evidence:
    """What speaks for a reading that was run. `compare`: with its answer before the change, which is run, too."""
    outcome, reading = ran
    p = reading.probability
    if reading.unread:
        return Evidence(p, fails=reading.unread.endswith(BEYOND))
    calls = sum(1 for _ in reading.asked.program.calls())
    if outcome.answer is None:
        return Evidence(p, calls, fails=True)
    if reading.change is None or not compare:
        return Evidence(p, calls)
    before = run(answering, question, reading._replace(change=None)).outcome.answer
    return Evidence(p, calls, unchanged=before == outcome.answer)


def run(answering: Answering, question: Question, reading: Reading) -> Ran:
    """A reading run on tables; whatever stops it is an outcome."""
    try:
        return answering.run(question, reading)
    except (ExecutionFailure, InputError, ProgramError) as failure:
        return Ran(Outcome("failed", None, reason=str(failure)), reading)


@dataclass(frozen=True)
class Oracle:
    """The true table and the gold programs: 100 % on a twin, or something is broken. InputError where no question of an image has
    a program."""

    executor: Executor

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        if questions and not any(q.program or q.unread for q in questions):
            raise InputError(f"question {questions[0].id} has no gold program: an oracle needs a twin")
        answering = self.executor.exactly(context.truth())
        return [predicted(self.executor, answering, q, self.executor.gold(q, rows=True)) for q in questions]


def oracle(world: str) -> Oracle:
    """The oracle of a world: a key of WORLDS."""
    return Oracle(importlib.import_module(WORLDS[world]).EXECUTOR)


def checked_noise(noise: Mapping[str, float], executor: Executor) -> dict[str, float]:
    """The noise of modules in the order of the executor's; InputError for a module that has none, or a size that is no number."""
    found = {{"colour": "color"}.get(name, name): size for name, size in noise.items()}
    for name, size in found.items():
        if name not in executor.modules or name not in executor.units:
            known = ", ".join(m for m in executor.modules if m in executor.units)
            raise InputError(f"noise={{{name}: ...}} is no module that can be noisy; known: {known}")
        if isinstance(size, bool) or not isinstance(size, int | float) or not 0 <= size < float("inf"):
            raise InputError(
                f"noise={{{name}: {size!r}}} should be a number of at least 0 ({executor.units[name]})"
            )
    return {name: found[name] for name in executor.modules if name in found}


def checked_modules(names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The names in the order of `known`, British "colour" included; InputError on one that is no module."""
    wanted = {{"colour": "color"}.get(name, name) for name in names}
    if unknown := sorted(wanted - set(known)):
        raise InputError(f"oracle={unknown[0]!r} is no module; known: {', '.join(known)}")
    return tuple(name for name in known if name in wanted)
