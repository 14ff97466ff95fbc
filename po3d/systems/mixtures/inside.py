"""The oracle grid of 3DSRBench: its modules, and what a cell answers to the questions on one picture.

    the table's modules   see `po3d.systems.view_substitution`
    grounding             true: a description means the row that it truly means, if the table has it; else what the words
                          fit best in the cell's table
    parsing               true: the gold program with its descriptions; else what the reader made of the text

The rotations of a question share their answer, and a description without relations the rows that its words fit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from po3d.io.seeding import rng
from po3d.language.descriptions import describe
from po3d.language.programs.threedsrbench import SrProgram
from po3d.language.read.threedsrbench_reader import SrReading
from po3d.reasoning.grounding import ground
from po3d.reasoning.questions import Prediction, Question
from po3d.reasoning.threedsrbench_executor import Ground, run
from po3d.reasoning.threedsrbench_geometry import SrRules
from po3d.scene.table import Scene
from po3d.systems.mixtures import PREDICTED, Setting, kept_table
from po3d.systems.noise import lost
from po3d.systems.sr import MODULES, SrPipeline, gold_reading, reading, true_ground
from po3d.systems.view_substitution import BELIEFS, TABLE, UNITS, Mixed, mixture

NOISE = {**UNITS, "grounding": "share of descriptions mistaken"}
NAMING = ("detection", *BELIEFS)  # what words without relations are about


@dataclass(frozen=True)
class SrKind:
    """`po3d.systems.mixtures.Kind` of an `SrPipeline` whose tables come from pictures."""

    pipeline: SrPipeline
    modules = MODULES
    units = NOISE
    headline = "overall"
    grouped = True  # a question is right with all its rotations

    def image(
        self,
        questions: Sequence[Question],
        predictions: Mapping[str, Prediction],
        predicted: Mapping[str, Scene],
        truth: Callable[[str], Scene],
        seed: int,
    ) -> "SrAnswers":
        name = questions[0].image
        read, gold = [reading(q) for q in questions], [gold_reading(q) for q in questions]
        return SrAnswers(
            kept_table(predicted, name), truth(name), questions, read, gold, self.pipeline.rules,
            self.pipeline.samples, seed, self.pipeline.assume_present,
        )  # fmt: skip


@dataclass
class SrAnswers:
    """The answers of cells to one picture's questions. `read` and `gold`: each question's programs."""

    predicted: Scene
    truth: Scene
    questions: Sequence[Question]
    read: Sequence[SrReading]
    gold: Sequence[SrReading]
    rules: SrRules
    samples: int = 0
    seed: int = 0
    assume_present: bool = True
    _table: dict[tuple[Setting, ...], Mixed] = field(default_factory=dict)
    _words: dict[tuple, list[float]] = field(default_factory=dict)

    def answers(self, settings: Sequence[Setting]) -> list[str | None]:
        """As `po3d.systems.mixtures.Asked`."""
        named = dict(zip(MODULES, settings))
        parsing, grounding = named.pop("parsing"), named.pop("grounding")
        texts = list(dict.fromkeys(q.text for q in self.questions))
        gone: dict[str, bool] = {}
        if not isinstance(parsing, str):
            gone = dict(zip(texts, lost(self.predicted.image, len(texts), parsing, self.seed)))
        mixed = self.table(named, grounding)
        words = partial(self._meant, tuple(named[m] for m in NAMING))
        given: dict[tuple[str, SrProgram], str | None] = {}
        found: list[str | None] = []
        for q, got in zip(self.questions, self.read if parsing == PREDICTED else self.gold):
            if got.program is None or gone.get(q.text):
                found.append(None)
                continue
            key = (q.text, got.program)
            if key not in given:
                using = words
                if grounding != PREDICTED:
                    using = true_ground(q, self.truth, mixed)
                if not isinstance(grounding, str):
                    using = mistaken(using, grounding, self.seed)
                how = {"samples": self.samples, "assume_present": self.assume_present}
                given[key] = run(got.program, mixed.scene, using, self.rules, **how).answer
            answer = given[key]
            found.append(None if answer is None else got.option_of[answer])
        return found

    def table(self, named: Mapping[str, Setting], grounding: Setting) -> Mixed:
        """The table of a mixture of its modules, as it is where all is predicted; true grounding needs its true rows."""
        key = (*(named[m] for m in TABLE), grounding)
        if key not in self._table:
            mixed = Mixed(self.predicted, ())
            if set(key) != {PREDICTED}:
                mixed = mixture(self.predicted, self.truth, named, self.seed)
            self._table = {key: mixed}  # cells that share a table stand together
        return self._table[key]

    def _meant(self, naming: tuple[Setting, ...], phrase: str, scene: Scene) -> list[float]:
        """As `grounding.ground`, once for all cells that name things alike."""
        said = describe(phrase)
        if said.relations or said.ranks:
            return ground(phrase, scene)
        if (naming, phrase) not in self._words:
            self._words[naming, phrase] = ground(phrase, scene)
        return self._words[naming, phrase]


def mistaken(using: Ground, sigma: float, seed: int = 0) -> Ground:
    """The grounding that takes a share `sigma` of descriptions for another thing, the same in all that ask about it."""

    def grounded(phrase: str, scene: Scene) -> list[float]:
        found = list(using(phrase, scene))
        changed, other = rng(seed, f"noise/grounding/{scene.image}/{phrase}").random(2)
        if changed >= sigma or len(found) < 2 or not any(found):
            return found
        meant = found.index(max(found))
        taken = [k for k in range(len(found)) if k != meant][int(other * (len(found) - 1))]
        found[meant], found[taken] = found[taken], found[meant]
        return found

    return grounded
