"""What a benchmark declares: all that is its own, in one value, `Benchmark`, that everything shared reads.

A benchmark is a folder here whose `benchmark.py` holds BENCHMARK, and a row of `po3d.benchmarks.registry`; its options are
`configs/benchmark/NAME.yaml`, its mixtures of modules `configs/grid/NAME.yaml`."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from po3d.io import shipped
from po3d.io.errors import InputError
from po3d.io.plots import Plot
from po3d.io.runs import locked
from po3d.io.text_tables import Table
from po3d.reasoning.questions import Prediction, Question
from po3d.synthesis.difficulty import Dials, dials_of

World = Literal["street", "rooms", "photographs", "orbit"]  # whose programs the questions are
Report = Mapping[str, Any]  # what report.json holds
Verdict = Literal["replaced", "left out", "unvouched"]
Score = Callable[[Sequence[Question], Sequence[Prediction]], Any]


@dataclass(frozen=True)
class Erratum:
    """A question whose released answer its program does not give."""

    id: str
    image: str
    category: str
    text: str
    verdict: Verdict
    released: str | None
    computed: str | None
    reason: str


class Tables(NamedTuple):
    """A benchmark's own tables of its reports, beside the shared one of its columns or in its place."""

    instead: bool  # in the place of the shared one, in report.md and on the page
    titled: Callable[..., list[tuple[str, Table]]]  # (report, *others) -> titles and tables of a page
    markdown: Callable[..., str]  # (report, *others) -> with headings
    text: Callable[[Report], str]  # what the terminal shows below the shared one


class Harness(NamedTuple):
    """Where VLMEvalKit has a class of the benchmark's own: how it wants the table of questions."""

    bare: bool  # only where it is asked for: `po3d export --bare`
    write: Callable[[Path, Sequence[Question], Mapping[str, bytes]], None]  # (path, questions, image files)


class Picture(str):
    """A part of a prompt: the name of a picture beside those of the question, as `Split.image` knows it."""


class Augmentation(NamedTuple):
    """How the items that an official figure needs are made of a release that lacks them."""

    split: Callable[[Path], Any]  # (root) -> the split with all of them
    write: Callable[[Path, Sequence[Question]], None]  # (folder, questions)


def written(answer: str) -> str:
    """An answer as tables of questions write it: "yes" -> "Yes"; others stay as they are."""
    return answer.capitalize() if answer in ("yes", "no") else answer


def _vouched(question: Question) -> str:
    return "" if question.program else question.unread or "no program"


def _same(computed: str, released: str) -> bool:
    return computed == released


@dataclass(frozen=True)
class Benchmark:
    """One benchmark. Splits have what `po3d.evaluation.run.Split` says, and `first(size)`."""

    name: str
    world: World
    unit: str  # what a split is counted in and intervals resample: "images"
    scorers: Sequence[str]  # the first is the benchmark's own
    # (questions, predictions, scorer) -> of each 1 for right and 0 for wrong, as paired tests need it; NaN for one that
    # counts in no headline figure (a control; the later rows of a group that is right or wrong as a whole)
    correct: Callable[[Sequence[Question], Sequence[Prediction], str], Sequence[float]]
    # (questions, predictions, scorer) -> rows, other_scorers, published and what else it reports, ready for JSON
    score: Callable[[Sequence[Question], Sequence[Prediction], str], dict]
    load: Callable[..., Any]  # (root, split name) -> a split
    open_fresh: Callable[..., Any]  # (folder, size, seed, look, workers[, dials]) -> a split
    generate: Callable[..., None]  # (out, size, seed, look, images, workers, split, skies[, dials])
    # What a model is asked: texts, numbers that stand for the images in their order, and names of further pictures
    prompt: Callable[..., Sequence[str | int]]  # (question, **settings)
    dials: type = Dials  # how hard a twin can be made
    generated: str = "rooms"  # what `po3d generate` counts
    # The settings of `po3d.systems.prompts.Setting` that `prompt` reads, with the values that it knows
    prompt_settings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    augmentation: Augmentation | None = None  # of items, for `po3d export --format release`
    tables: Tables | None = None
    harness: Harness | None = None
    written: Callable[[str], str] = written  # an answer as harnesses read it
    # category -> its name in harnesses, where that differs
    files: Mapping[str, str] = field(default_factory=dict)
    # (options) -> what they ask for beside the score, by name
    measures: Callable[[Mapping[str, Any]], Mapping[str, Score]] = lambda options: {}
    vouched: Callable[[Question], str] = _vouched  # why no program vouches for an answer; "" where one does
    same: Callable[[str, str], bool] = _same  # is the computed answer the released one?
    # (split, root, errata by id, out): the corrected split in the release's layout; None where nobody wrote that
    write_corrected: Callable[[Any, Path, Mapping[str, Erratum], Path], None] | None = None
    # (report, *others) -> the paper's figures of a report, those of other systems on the same questions in it where they can be
    figures: Callable[..., Sequence[Plot]] = lambda report, *others: ()
    title: str = ""  # as its paper writes it
    protocols: Mapping[str, str] = field(
        default_factory=dict
    )  # scorer -> what it counts as right, for a paper
    # The runs of `python evaluate.py` alone, the last one shown: options beside the benchmark's name
    shown: Sequence[Sequence[str]] = ((),)

    @property
    def mini(self) -> Path:
        """The shipped split."""
        return shipped.MINI / self.name


def twin_of(
    module: str, load: Callable[..., Any], name: str, kind: type, pictures: str = "images"
) -> tuple[Callable[..., Any], Callable[..., None]]:
    """`open_fresh` and `generate` of a twin that has one look and no skies. `module` holds it, loaded when a twin is made;
    `load` reads its folder; `pictures`: what its `generate` calls whether to draw."""

    def _has(option: str, value: str | None) -> None:
        if value is not None:
            raise InputError(f"{option}={value} is for streets; {name} has none")

    def open_fresh(
        folder: Path,
        size: int,
        seed: int,
        look: str | None = None,
        workers: int = 1,
        dials: Mapping[str, Any] | None = None,
    ) -> Any:
        """The twin of a seed, made when it is not there yet; pictures are drawn when somebody looks."""
        _has("look", look)
        twin = importlib.import_module(module)
        with locked(folder, "generation", wait=True):
            twin.generate(folder, size, seed, workers=workers, dials=dials_of(dials, kind))
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
        dials: Mapping[str, Any] | None = None,
    ) -> None:
        _has("look", look)
        _has("skies", skies)
        how = {pictures: images, "workers": workers, "dials": dials_of(dials, kind)}
        importlib.import_module(module).generate(out, size, seed, split, **how)

    return open_fresh, generate
