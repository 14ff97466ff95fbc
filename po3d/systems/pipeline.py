"""Who answers. The page to read first: a system gets the questions on one image and predicts each answer.

    image ──► perception ──► Scene ─────┐
                                        ├──► executor ──► answer, probability, trace     Pipeline
    question ──► parser ──► Program ────┘

    the true Scene, the gold Program ──────► executor                                    Oracle
    the words of the question ─────────────► a guess                RandomBaseline, FrequencyBaseline
    a predictions file of any other model ─► its line                                    Replay

What a system may look at comes as a `Context`, whose parts are made when asked for: a system that never
looks at the image costs no rendering. Not being able to answer is an outcome with a reason; only a baseline
guesses.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.program import ProgramError
from po3d.language.programs.street import FILTER_VALUES, Program, parse_text
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.perturbations import record
from po3d.reasoning.questions import Prediction, Question, Task, read_predictions
from po3d.reasoning.relations import DEFAULT_RULES, Rules
from po3d.reasoning.street_executor import Mode, execute
from po3d.reasoning.street_margins import margins
from po3d.scene.table import Scene
from po3d.scene.vocabulary import SHAPES
from po3d.systems.substitution import checked_modules, substitute

if TYPE_CHECKING:
    from po3d.systems.mixtures import Kind


def nothing_given(what: str) -> Any:
    """InputError: an image comes alone, unless its benchmark says otherwise."""
    raise InputError(f"there is no {what.replace('_', ' ')} with this image")


@dataclass(frozen=True)
class Context:
    """One image of a benchmark. Nothing is read or rendered before it is asked for."""

    image: Callable[[], NDArray[np.uint8]]  # (H, W, 3)
    truth: Callable[[], Scene]  # the true table: for oracles alone
    name: str = ""
    # A system hands over the table that it worked with; the evaluation compares it with the truth.
    keep: Callable[[Scene], None] = lambda scene: None
    # What else comes with the image, by name: a room's "semantic_map", "captions", "camera".
    given: Callable[[str], Any] = nothing_given


def perceived(scene: Scene, name: str) -> Scene:
    """The table that perception made of an image; AssertionError for a true one. Only an oracle, or a pipeline that is asked
    for true tables by name, may use the truth."""
    if scene.source == "gt":
        raise AssertionError(f"perception returned the ground truth of {name!r}: only an Oracle may use it")
    return scene


class System(Protocol):
    """Answers the questions on one image, in their order. It may also have `mixtures()` (`po3d.systems.mixtures`), `measures`
    (what a report says of it beside the score, by name), and be `Eager`."""

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]: ...


class Begun(Protocol):
    """Answers under way."""

    def result(self) -> list[Prediction]: ...

    def cancel(self) -> object: ...


class Eager(Protocol):
    """A system that waits for others, and so begins on further images meanwhile: up to `ahead` of them. `begin` looks
    at all that it needs of the context before it returns."""

    ahead: int

    def begin(self, questions: Sequence[Question], context: Context) -> Begun: ...


class Perception(Protocol):
    """Turns images into scene tables; `po3d.perception.street.StreetEstimator` is one."""

    def estimate(
        self, images: Sequence[NDArray[np.uint8]], names: Sequence[str] | None = None
    ) -> list[Scene]: ...


class Parsed(Protocol):
    """What a parser says about one question; `program` is None unless `status` is "ok"."""

    status: str
    program: Program | None
    probability: float
    reason: str


class Parser(Protocol):
    """Turns questions into programs; `po3d.language.read.street_parser.Parser` is one."""

    def parse(self, texts: Sequence[str]) -> Sequence[Parsed]: ...


@dataclass(frozen=True)
class Executor:
    """The symbolic executor with its settings."""

    mode: Mode = "argmax"
    samples: int = 64  # draws of the table, in the modes that draw
    seed: int = 0
    rules: Rules = DEFAULT_RULES
    traced: bool = True
    margins: bool = False  # predictions say how near another answer was, which takes longer than the answer

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise InputError(f"unknown mode {self.mode!r}; known: {', '.join(get_args(Mode))}")

    def __call__(self, program: Program, scene: Scene, task: Task) -> Outcome:
        return execute(program, scene, task, self.mode, self.rules, self.samples, self.seed, self.traced)


@dataclass(frozen=True)
class Pipeline:
    """po3d itself: perception, parser, executor. `oracle` names modules replaced by ground truth."""

    perception: Perception
    parser: Parser
    executor: Executor = Executor()
    oracle: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "oracle", checked_modules(self.oracle))

    def perceive(self, context: Context) -> Scene:
        """The table of one image."""
        (scene,) = self.perception.estimate([context.image()], [context.name])
        perceived(scene, context.name)
        modules = [m for m in self.oracle if m != "parsing"]
        return substitute(scene, context.truth(), modules) if modules else scene

    def mixtures(self) -> "Kind | None":
        """What can be true or predicted here; None where modules are true already."""
        from po3d.systems.mixtures.street import StreetKind

        return None if self.oracle else StreetKind(self.executor)

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = self.perceive(context)
        context.keep(scene)
        if "parsing" in self.oracle:
            return [_run(q, _gold(q), scene, self.executor) for q in questions]
        predictions = []
        for question, parsed in zip(questions, self.parser.parse([q.text for q in questions]), strict=True):
            if parsed.program is None:
                predictions.append(Prediction(question.id, "unparsed", reason=parsed.reason))
            else:
                predictions.append(_run(question, parsed.program, scene, self.executor, parsed.probability))
        return predictions


@dataclass(frozen=True)
class Oracle:
    """The true table and the gold program: 100 % on a twin, or something is broken."""

    executor: Executor = Executor()

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        scene = context.truth()
        return [_run(question, _gold(question), scene, self.executor) for question in questions]


@dataclass(frozen=True)
class RandomBaseline:
    """A uniform guess among the answers that the question's words allow."""

    seed: int = 0

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        predictions = []
        for question in questions:
            answers = ANSWERS[asked_for(question.text)]
            pick = int(rng(self.seed, f"random/{question.id}").integers(len(answers)))
            predictions.append(Prediction(question.id, "ok", answers[pick], 1 / len(answers)))
        return predictions


class FrequencyBaseline:
    """The most frequent training answer to such a question in its category: what guessing is worth."""

    def __init__(self, training: Iterable[Question]) -> None:
        counts: dict[tuple[str, str], Counter[str]] = {}
        for question in training:
            if question.answer is not None:
                kind = asked_for(question.text)
                for key in ((question.category, kind), ("", kind)):
                    counts.setdefault(key, Counter())[question.answer] += 1
        if not counts:
            raise InputError(
                "the frequency baseline needs training questions with answers; the set given has none"
            )
        self.best = {key: _most_common(counter) for key, counter in counts.items()}

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        predictions = []
        for question in questions:
            kind = asked_for(question.text)
            # A kind never met in the category falls back to all of them, one never met to its first value.
            answer, share = self.best.get((question.category, kind)) or self.best.get(
                ("", kind), (ANSWERS[kind][0], 0.0)
            )
            predictions.append(Prediction(question.id, "ok", answer, share))
        return predictions


class Replay:
    """The lines of a predictions file, whoever wrote it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.predictions = {p.id: p for p in read_predictions(self.path)}

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        absent = f"no line for this question in {self.path.name}"
        return [self.predictions.get(q.id) or Prediction(q.id, "failed", reason=absent) for q in questions]


def pipeline(
    perception: str | None,
    parser: str,
    mode: Mode = "argmax",
    samples: int = 64,
    seed: int = 0,
    oracle: Sequence[str] = (),
    device: str = "cpu",
    margins: bool = False,
    mirror: bool = True,
) -> Pipeline:
    """The pipeline of two checkpoints, each a path without suffix or the name of a shipped one; `margins`: see `Executor`;
    `mirror`: does the estimator look in the mirror, too?"""
    from po3d.io import checkpoint  # torch takes seconds to import: only who runs the networks pays
    from po3d.language.read.street_parser import Parser as Seq2SeqParser
    from po3d.perception.street import StreetEstimator

    if perception is None:
        raise InputError(
            "street scenes need an estimator of ours: perception=street, or a checkpoint of that kind"
        )
    modules = checked_modules(oracle)
    return Pipeline(
        StreetEstimator.from_checkpoint(checkpoint.locate(perception), device, mirror),
        Seq2SeqParser.from_checkpoint(checkpoint.locate(parser), device=device),
        Executor(mode, samples, seed, margins=margins),
        modules,
    )


# What a question can ask for, and the answers to it: all that the baselines know of the language.
ANSWERS: dict[str, tuple[str, ...]] = {
    "boolean": ("yes", "no"),
    "integer": tuple(str(n) for n in range(11)),
    "shape": SHAPES,
    **{kind: FILTER_VALUES[kind] for kind in ("color", "size", "material", "facing")},
}
_YES_OR_NO = re.compile(r"^(is|are|do|does|will|would|can|has|have|did)\b")
_NUMBER = re.compile(r"\b(how many|what number)\b")
_WORDS = (
    ("color", r"colou?r"),
    ("size", r"size|big|large"),
    ("material", r"material|made of"),
    ("facing", r"direction"),
)
_ASKED = re.compile(
    r"(?:what|which|whose|how|its)\s+(?:is\s+)?(?:the\s+|its\s+)?"
    + "(?:"
    + "|".join(f"(?P<{kind}>{words})" for kind, words in _WORDS)
    + r"|(?P<shape>shape|name|kind|type))\b"
)


def asked_for(text: str) -> str:
    """integer, boolean, or the attribute that a question asks for, from its last clause: a key of ANSWERS."""
    clause = re.split(r"[;.]\s*", text.lower().strip(" ?.;"))[-1]
    if _YES_OR_NO.match(clause):
        return "boolean"
    if _NUMBER.search(clause):
        return "integer"
    found = _ASKED.search(clause)
    return found.lastgroup if found and found.lastgroup else "shape"


def _most_common(counter: Counter[str]) -> tuple[str, float]:
    """The most frequent answer and its share; ties go to the first in the alphabet."""
    answer = min(counter, key=lambda a: (-counter[a], a))
    return answer, counter[answer] / counter.total()


def _gold(question: Question) -> Program | str:
    """The gold program, or why there is none."""
    try:
        return (
            parse_text(question.program)
            if question.program
            else "the release gives no program for this question"
        )
    except ProgramError as error:
        return f"gold program: {error}"


def _run(
    question: Question, program: Program | str, scene: Scene, executor: Executor, belief: float = 1.0
) -> Prediction:
    """One program on one table as a Prediction; `belief` is the parser's own probability of the program."""
    if isinstance(program, str):
        unread = question.meta.get("program_error")
        return Prediction(question.id, "unparsed" if unread else "failed", reason=unread or program)
    outcome = executor(program, scene, question.task)
    probability = None if outcome.probability is None else outcome.probability * belief
    margin = None
    if executor.margins and outcome.answer is not None:
        near = margins(program, scene, question.task, executor.rules)
        margin = record(near.flip) if near.answer == outcome.answer else None  # of the likeliest table alone
    return Prediction(
        question.id, outcome.status, outcome.answer, probability, program.text(), outcome.reason, margin
    )
