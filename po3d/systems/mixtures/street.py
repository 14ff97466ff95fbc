"""The oracle grid of street scenes: their modules, and what a cell answers to the questions on one image.

A question's answer depends on the modules that its program reads alone, so cells share most of their work.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from po3d.language.program import ProgramError
from po3d.language.programs.street import Program, parse_text
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.systems.mixtures import PREDICTED, Setting, kept_table
from po3d.systems.noise import UNITS, lost, noisy
from po3d.systems.pipeline import Executor
from po3d.systems.substitution import MODULES, substitute

POSES = ("position", "depth", "heading", "camera", "shape")  # what geometry reads; poses are drawn together


@dataclass(frozen=True)
class StreetKind:
    """`po3d.systems.mixtures.Kind` of a `Pipeline` with this executor."""

    executor: Executor
    modules = MODULES
    units = UNITS
    headline = "mean"
    grouped = False

    def image(
        self,
        questions: Sequence[Question],
        predictions: Mapping[str, Prediction],
        predicted: Mapping[str, Scene],
        truth: Callable[[str], Scene],
        seed: int,
    ) -> "Answers":
        parsed = [_program(predictions[q.id].program) for q in questions]
        name = questions[0].image
        executor = replace(self.executor, traced=False)
        return Answers(kept_table(predicted, name), truth(name), executor, questions, parsed, seed)


def reads(program: Program) -> frozenset[str]:
    """The modules that a program's answer depends on, parsing aside."""
    needed = {"detection"}
    for step in program.steps:
        words = {step.op, *step.args}
        needed |= words & set(ATTRIBUTES)
        if step.op in ("relate", "aligned", "collide") or "facing" in words:
            needed |= set(POSES)
        if step.op == "collide":
            needed.add("size")
        if step.op in ("occludees", "occluder") or "occlusion" in words:
            needed.add("occlusion")
    return frozenset(needed)


@dataclass
class Answers:
    """The answers of cells to one image's questions, each mixture that matters worked out once."""

    predicted: Scene
    truth: Scene
    executor: Executor
    questions: Sequence[Question] = ()
    parsed: Sequence[Program | None] = ()
    seed: int = 0
    _tables: dict[tuple[Setting, ...], Scene] = field(default_factory=dict)
    _answers: dict[tuple, str | None] = field(default_factory=dict)

    def answers(self, settings: Sequence[Setting]) -> list[str | None]:
        """As `po3d.systems.mixtures.Asked`."""
        how, count = settings[MODULES.index("parsing")], len(self.questions)
        gone = [False] * count
        if not isinstance(how, str):
            gone = lost(self.questions[0].image, count, how, self.seed)
        programs = self.parsed if how == PREDICTED else [_gold(q) for q in self.questions]
        return [
            None if missing else self.answer(program, q, tuple(settings))
            for q, program, missing in zip(self.questions, programs, gone)
        ]

    def answer(
        self, program: Program | None, question: Question, settings: tuple[Setting, ...]
    ) -> str | None:
        """What a program gives in a cell; None when it has no answer, or is None itself."""
        if program is None:
            return None
        needed = reads(program)
        relevant = tuple(s if m in needed else PREDICTED for m, s in zip(MODULES, settings))
        key = (program, question.task, relevant)
        if key not in self._answers:
            outcome = self.executor(program, self.table(settings), question.task)
            self._answers[key] = outcome.answer if outcome.status == "ok" else None
        return self._answers[key]

    def table(self, settings: tuple[Setting, ...]) -> Scene:
        """The table of a cell."""
        key = tuple(s for m, s in zip(MODULES, settings) if m != "parsing")
        if key not in self._tables:
            named = dict(zip(MODULES, settings))
            named.pop("parsing")
            scene = substitute(self.predicted, self.truth, [m for m, s in named.items() if s != PREDICTED])
            for module, sigma in named.items():
                if not isinstance(sigma, str):
                    scene = noisy(scene, module, sigma, self.seed)
            self._tables = {key: scene}  # cells that share a table stand together
        return self._tables[key]


def _gold(question: Question) -> Program | None:
    try:
        return _program(question.program)
    except ProgramError:
        return None


def _program(text: str) -> Program | None:
    return parse_text(text) if text else None
