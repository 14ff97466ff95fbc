"""The `Benchmark` dataclass: everything that the shared code needs from one benchmark.

A benchmark is a folder here whose `benchmark.py` defines BENCHMARK, plus a row in
`po3d.benchmarks.registry`. Its options are in `configs/benchmark/NAME.yaml`, its oracle grid in
`configs/grid/NAME.yaml`.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from po3d.io import paths
from po3d.io.errors import InputError
from po3d.io.plots import Plot
from po3d.io.runs import locked
from po3d.io.text_tables import Table
from po3d.reasoning.questions import Prediction, Question
from po3d.synthesis.difficulty import STREET, Limits, difficulty_of

# the domain whose program language the questions use
World = Literal["street", "rooms", "photographs", "orbit"]
Report = Mapping[str, Any]  # the content of report.json
Verdict = Literal["replaced", "left out", "unvouched"]
Score = Callable[[Sequence[Question], Sequence[Prediction]], Any]


@dataclass(frozen=True)
class Erratum:
    """A question whose released answer differs from the answer computed by its program."""

    id: str
    image: str
    category: str
    text: str
    verdict: Verdict
    released: str | None
    computed: str | None
    reason: str


class ReportTables(NamedTuple):
    """Report tables specific to a benchmark, shown in addition to or instead of the shared
    table."""

    instead: bool  # replace the shared table in report.md and on the HTML page
    # (report, *others) -> titles and tables of an HTML page
    titled: Callable[..., list[tuple[str, Table]]]
    markdown: Callable[..., str]  # (report, *others) -> Markdown with headings
    text: Callable[[Report], str]  # text printed in the terminal below the shared table


class Picture(str):
    """A part of a prompt: the name of an additional image, as accepted by `Split.image`."""


def written(answer: str) -> str:
    """Return an answer as question tables spell it: "yes" -> "Yes"; others are unchanged."""
    return answer.capitalize() if answer in ("yes", "no") else answer


def _vouched(question: Question) -> str:
    return "" if question.program else question.unread or "no program"


def _same(computed: str, released: str) -> bool:
    return computed == released


@dataclass(frozen=True)
class Benchmark:
    """One benchmark. Its splits implement `po3d.evaluation.run.Split` and `first(size)`."""

    name: str
    world: World
    unit: str  # unit in which a split is counted and resampled for intervals: "images"
    scorers: Sequence[str]  # the first is the benchmark's official scorer
    # (questions, predictions, scorer) -> for each question 1 if right, 0 if wrong (input of the
    # paired tests), NaN if it counts in no headline figure (a control; all but the first row of a
    # group that is scored as a whole)
    correct: Callable[[Sequence[Question], Sequence[Prediction], str], Sequence[float]]
    # (questions, predictions, scorer) -> "rows", "other_scorers", "published" and further entries
    # of the report, JSON-serialisable
    score: Callable[[Sequence[Question], Sequence[Prediction], str], dict]
    load: Callable[..., Any]  # (root, split name) -> split
    open_fresh: Callable[..., Any]  # (folder, size, seed, look, workers[, difficulty]) -> split
    # (out, size, seed, look, images, workers, split, skies[, difficulty])
    generate: Callable[..., None]
    # The prompt of a model: texts, image indices in order of appearance, and names of further
    # images
    prompt: Callable[..., Sequence[str | int]]  # (question, **settings)
    difficulty: Limits = field(default_factory=lambda: STREET)  # difficulty settings of a twin
    generated: str = "rooms"  # the unit that `po3d generate` counts
    # The settings of `po3d.systems.prompts.PromptSetting` that `prompt` reads, with their allowed
    # values
    prompt_settings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # For `po3d export --format release`: (root) -> the split with the items that the official
    # metric needs but the release lacks, and (folder, questions): writes them
    augmented: Callable[[Path], Any] | None = None
    write_release: Callable[[Path, Sequence[Question]], None] | None = None
    tables: ReportTables | None = None
    # (path, questions, image files): writes the question table of a benchmark that VLMEvalKit
    # implements itself, where `on_request` only for `po3d export --bare`
    write_harness_table: Callable[[Path, Sequence[Question], Mapping[str, bytes]], None] | None = (
        None
    )
    on_request: bool = False
    written: Callable[[str], str] = written  # spells an answer as harnesses expect it
    # Category -> its name in harnesses, where it differs
    files: Mapping[str, str] = field(default_factory=dict)
    # (options) -> additional measures requested by the options, by name
    measures: Callable[[Mapping[str, Any]], Mapping[str, Score]] = lambda options: {}
    # reason why no program verifies the released answer; "" if one does
    vouched: Callable[[Question], str] = _vouched
    # (computed, released) -> whether the two answers are equal
    same: Callable[[str, str], bool] = _same
    # (split, root, errata by id, out): write the corrected split in the release's layout; None if
    # not implemented
    write_corrected: Callable[[Any, Path, Mapping[str, Erratum], Path], None] | None = None
    # (out, photographs, labels, size, seed) -> numbers of photographs and of question rows: write a
    # split on the user's own labelled photographs; None if not implemented
    generate_on_photographs: Callable[..., tuple[int, int]] | None = None
    # (report, *others) -> the figures of the benchmark's paper for a report; `others` are reports
    # of other systems on the same questions, drawn where the figure allows it
    figures: Callable[..., Sequence[Plot]] = lambda report, *others: ()
    title: str = ""  # as spelled in its paper
    # scorer -> its name in tables, where the option's name does not say whose rules these are
    scorer_names: Mapping[str, str] = field(default_factory=dict)
    # scorer -> what it counts as right, for notes and captions
    protocols: Mapping[str, str] = field(default_factory=dict)
    # Runs of `python evaluate.py` without arguments: options besides the benchmark's name; the last
    # one is shown
    default_runs: Sequence[Sequence[str]] = ((),)

    @property
    def mini(self) -> Path:
        """Path of the shipped split."""
        return paths.MINI / self.name


def twin_of(
    module: str, load: Callable[..., Any], name: str, limits: Limits, pictures: str = "images"
) -> tuple[Callable[..., Any], Callable[..., None]]:
    """Return `open_fresh` and `generate` for a twin with a single look and no skies.

    `module` is the name of the twin's module, imported on first use; `load` reads its folder;
    `pictures` is the name of the keyword of its `generate` that switches image rendering.
    """

    def _has(option: str, value: str | None) -> None:
        if value is not None:
            raise InputError(f"{option}={value} applies to streets; {name} has none")

    def open_fresh(
        folder: Path,
        size: int,
        seed: int,
        look: str | None = None,
        workers: int = 1,
        difficulty: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the twin of a seed, generating it if missing; images are rendered on access."""
        _has("look", look)
        twin = importlib.import_module(module)
        with locked(folder, "generation", wait=True):
            twin.generate(
                folder, size, seed, workers=workers, difficulty=difficulty_of(difficulty, limits)
            )
        return load(folder, f"fresh, seed {seed}")

    def generate(
        out: Path,
        size: int,
        seed: int,
        look: str | None,
        images: bool,
        workers: int,
        split: str,
        skies: str | None,
        difficulty: Mapping[str, Any] | None = None,
    ) -> None:
        _has("look", look)
        _has("skies", skies)
        options = {pictures: images, "difficulty": difficulty_of(difficulty, limits)}
        importlib.import_module(module).generate(out, size, seed, split, workers=workers, **options)

    return open_fresh, generate
