"""The oracle grid of SCOPE: its modules, and what a cell answers to the questions on one scene.

the tables' modules   of each view, see `po3d.systems.view_substitution`
fusion                true: views lie as they truly do and rows are one where they truly are one thing; else the
                      views of the cell are registered as the system does it
parsing               true: the gold program; else what the reader made of the text
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from po3d.io.errors import InputError
from po3d.language.program import Call, ProgramError
from po3d.language.read.scope_reader import read
from po3d.reasoning.questions import Prediction, Question
from po3d.reasoning.scope_executor import run
from po3d.scene.table import Scene
from po3d.systems.mixtures import PREDICTED, Setting, kept_table
from po3d.systems.noise import lost
from po3d.systems.scope import MODULES, SceneTables, ScopePipeline, gold_reading, mixed_tables
from po3d.systems.view_substitution import TABLE, UNITS, Mixed, mixture


@dataclass(frozen=True)
class ScopeKind:
    """`po3d.systems.mixtures.Kind` of a `ScopePipeline` whose tables come from pictures."""

    pipeline: ScopePipeline
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
    ) -> "ScopeAnswers":
        views = dict.fromkeys(name for q in questions for name in q.meta["images"])
        return ScopeAnswers(
            {name: kept_table(predicted, name) for name in views},
            {name: truth(name) for name in views},
            truth(questions[0].image),
            questions,
            [read(q.text).program for q in questions],
            [gold_reading(q).program for q in questions],
            self.pipeline.known_yaw,
            seed,
            self.pipeline.samples,
        )


@dataclass
class ScopeAnswers:
    """The answers of cells to one scene's questions. `predicted` and `shown`: the tables of its views, by name; `whole`: the
    true table of all things; `read` and `gold`: each question's programs."""

    predicted: Mapping[str, Scene]
    shown: Mapping[str, Scene]
    whole: Scene
    questions: Sequence[Question]
    read: Sequence[Call | None]
    gold: Sequence[Call | None]
    known_yaw: bool = True
    seed: int = 0
    samples: int = 0
    _tables: dict[tuple[Setting, ...], SceneTables] = field(default_factory=dict)

    def answers(self, settings: Sequence[Setting]) -> list[str | None]:
        """As `po3d.systems.mixtures.Asked`."""
        *own, parsing = settings
        texts = list(dict.fromkeys(q.text for q in self.questions))
        gone: dict[str, bool] = {}
        if not isinstance(parsing, str):
            gone = dict(zip(texts, lost(self.questions[0].image, len(texts), parsing, self.seed)))
        tables = self.tables(tuple(own))
        programs = self.read if parsing == PREDICTED else self.gold
        return [
            None if gone.get(q.text) else _answer(q, program, tables, self.samples)
            for q, program in zip(self.questions, programs)
        ]

    def tables(self, settings: tuple[Setting, ...]) -> SceneTables:
        """The tables of a cell's views; `settings` of all modules but parsing."""
        if settings not in self._tables:
            named = dict(zip(MODULES, settings))
            if set(settings) == {PREDICTED}:
                made = SceneTables(self.predicted, self.known_yaw)
            else:
                mixed = {name: self._mixed(name, named) for name in self.predicted}
                fused = named["fusion"] != PREDICTED
                made = mixed_tables(mixed, self.known_yaw, fused, self.shown, lambda: self.whole)
            self._tables = {settings: made}  # cells that share their tables stand together
        return self._tables[settings]

    def _mixed(self, name: str, named: Mapping[str, Setting]) -> Mixed:
        return mixture(self.predicted[name], self.shown[name], {m: named[m] for m in TABLE}, self.seed)


def _answer(question: Question, program: Call | None, tables: SceneTables, samples: int) -> str | None:
    """None for no program, and for one that has no answer."""
    if program is None:
        return None
    try:
        return run(program, tables.seen(question), question.meta["options"], samples).answer
    except (InputError, ProgramError):
        return None
