"""Compare noisy evaluations (`noise=`) with the noise curves of the oracle grid, over many seeds.

    python -m tools.noise_check pulsecheck457       3,000 evaluations of 10 images
    python -m tools.noise_check pulsecheck457 --evaluations 300 --images 3

Each point of a curve (configs/grid) is a quantity and a size of its noise; everything else is
ground truth, programs included. At each point there are equally many evaluations by the pipeline,
as `evaluate.py 'noise={heading: 10}'` makes them, and by the grid, with other seeds. Prints, for
each quantity, the largest difference of the mean accuracies in points, its standard error, and
their ratio z. Evaluations with one seed must be equal on both ways; that is checked for the first
seeds of each point, on all questions. The means are over the questions whose program reads the
quantity.
"""

import argparse
import importlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from omegaconf import OmegaConf

from po3d.benchmarks.registry import MODULES, benchmark_of, opened
from po3d.evaluation.run import by_image
from po3d.io.cli_errors import guarded
from po3d.io.config import compose
from po3d.io.errors import InputError
from po3d.io.progress import progress
from po3d.io.text_tables import Table, text
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene
from po3d.systems.oracle.grid import Answers
from po3d.systems.pipeline import (
    DOMAIN_MODULES,
    TRUTH,
    Context,
    Domain,
    ParsedQuestion,
    PerceptionInput,
    Pipeline,
    TableSource,
)

SAME = 2  # seeds of each point that are evaluated on both ways


class Point(NamedTuple):
    """One point of a curve, and the mean accuracies (percent) of the pipeline and of the grid."""

    quantity: str
    sigma: float
    pipeline: float
    grid: float
    error: float  # standard error of their difference

    @property
    def difference(self) -> float:
        return self.pipeline - self.grid

    @property
    def z(self) -> float:
        """Difference in standard errors; infinite for a difference without spread."""
        if self.error:
            return self.difference / self.error
        return math.inf if self.difference else 0.0


@dataclass(frozen=True)
class _Predicted(TableSource):
    """Ground truth in place of predicted scenes: noise and truth replace all of it."""

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        return [
            [replace(look.context.true(name), source="predicted") for name in look.names]
            for look in looks
        ]


class _Gold:
    """A parser that returns the gold programs, each parsed once."""

    def __init__(self, executor: Domain) -> None:
        self.executor = executor
        self.known: dict[str, ParsedQuestion] = {}

    def read(self, questions: Sequence[Question]) -> list[ParsedQuestion]:
        self.known |= {q.id: self.executor.gold(q) for q in questions if q.id not in self.known}
        return [self.known[q.id] for q in questions]


class NoiseCheck:
    """Evaluations of one benchmark's images with noise in one quantity, on both ways."""

    def __init__(self, name: str, images: int) -> None:
        self.benchmark, self.split = benchmark_of(name), opened(name, size=images)
        self.executor = importlib.import_module(DOMAIN_MODULES[self.benchmark.world]).DOMAIN
        config = compose("evaluate", [f"benchmark={name}", "+experiment=oracle_grid"])
        self.curves: Mapping[str, Sequence[float]] = OmegaConf.to_container(config.grid.noise)
        self.scorer = config.scorer
        self.parser = _Gold(self.executor)
        groups = by_image(self.split.questions).values()
        self.questions = [q for group in groups for q in group if q.program]
        self.pipeline = self.system({}, 0)
        self.mixed = {own[0].image: self._mixed(own) for own in _grouped(self.questions)}

    def system(self, noise: Mapping[str, float], seed: int) -> Pipeline:
        true = tuple(m for m in self.executor.modules if m not in noise) if noise else ()
        return Pipeline(
            _Predicted(), self.parser, self.executor, true, noise=dict(noise), seed=seed
        )

    def affected(self, quantity: str) -> list[Question]:
        """Return the questions whose program reads the quantity, all of them for a text."""
        if quantity in self.executor.reading:
            return self.questions
        settings = dict.fromkeys(self.executor.modules, TRUTH)
        return [
            q
            for q, parsed in zip(self.questions, self.parser.read(self.questions), strict=True)
            if self.executor.relevant(settings, parsed).get(quantity) == TRUTH
        ]

    def by_pipeline(
        self, quantity: str, sigma: float, seed: int, questions: Sequence[Question]
    ) -> list[Prediction]:
        system = self.system({quantity: sigma}, seed)
        batch = [(own, Context.of(self.split, own[0].image)) for own in _grouped(questions)]
        return [p for own in system.answers(batch) for p in own]

    def by_grid(
        self, quantity: str, sigma: float, seed: int, questions: Sequence[Question]
    ) -> list[Prediction]:
        settings = [sigma if m == quantity else TRUTH for m in self.executor.modules]
        result = []
        for own in _grouped(questions):
            mixed = self.mixed[own[0].image]
            parts = {"questions": own, "read": self.parser.read(own), "gold": self.parser.read(own)}
            fresh = replace(mixed, seed=seed, **parts, _answers={}, _answering={}, _memo={})
            result += [
                Prediction(q.id, "failed" if a is None else "ok", a)
                for q, a in zip(own, fresh.answers(settings), strict=True)
            ]
        return result

    def accuracy(self, predictions: Sequence[Prediction]) -> float:
        """Return the share of right answers, percent."""
        known = {p.id for p in predictions}
        questions = [q for q in self.questions if q.id in known]
        right = np.array(self.benchmark.correct(questions, predictions, self.scorer), float)
        return 100 * float(np.nanmean(right))

    def _mixed(self, own: Sequence[Question]) -> Answers:
        names = list(dict.fromkeys(n for q in own for n in q.images)) or [own[0].image]
        scenes = {n: replace(self.split.truth(n), source="predicted") for n in names}
        return Answers.of(self.pipeline, own, {}, scenes, self.split.truth, 0)

    def point(self, quantity: str, sigma: float, seeds: int) -> Point:
        """Return a point over `seeds` seeds of each way; InputError if one seed gives two
        results."""
        for seed in range(min(SAME, seeds)):
            at = quantity, sigma, seed, self.questions
            one = [p.answer for p in self.by_pipeline(*at)]
            other = [p.answer for p in self.by_grid(*at)]
            if one != other:
                unequal = sum(a != b for a, b in zip(one, other, strict=True))
                raise InputError(
                    f"{quantity}={sigma:g}, seed {seed}: {unequal} answers differ from those of the"
                    " grid"
                )
        questions = self.affected(quantity)
        mine, grid = [], []
        for k in range(seeds):
            mine.append(self.accuracy(self.by_pipeline(quantity, sigma, k, questions)))
            grid.append(self.accuracy(self.by_grid(quantity, sigma, seeds + k, questions)))
        variance = [np.var(values, ddof=1) / seeds if seeds > 1 else 0.0 for values in (mine, grid)]
        means = float(np.mean(mine)), float(np.mean(grid))
        return Point(quantity, sigma, *means, math.sqrt(float(sum(variance))))


def _grouped(questions: Sequence[Question]) -> list[list[Question]]:
    """Return the questions by image, in their order."""
    return [list(own) for _, own in groupby(questions, key=lambda q: q.image)]


def points(check: NoiseCheck, evaluations: int) -> Iterator[Point]:
    """Yield all points of the curves that some question reads, with `evaluations` by the pipeline
    in all."""
    curves = {quantity: s for quantity, s in check.curves.items() if check.affected(quantity)}
    pairs = [(quantity, sigma) for quantity, sigmas in curves.items() for sigma in sigmas]
    seeds = math.ceil(max(1, evaluations) / max(1, len(pairs)))
    for quantity, sigma in progress(pairs, "noise", unit="point"):
        yield check.point(quantity, sigma, seeds)


def summary(result: Sequence[Point]) -> str:
    """Return the table, and the largest difference with its standard error."""
    rows: list[tuple[Any, ...]] = []
    for quantity in dict.fromkeys(p.quantity for p in result):
        own = [p for p in result if p.quantity == quantity]
        worst = max(own, key=lambda p: abs(p.difference))
        rows.append(
            (
                quantity,
                f"{worst.sigma:g}",
                f"{worst.pipeline:.2f}",
                f"{worst.grid:.2f}",
                f"{worst.difference:+.2f}",
                f"{worst.error:.2f}",
                f"{worst.z:+.1f}",
            )
        )
    header = ("quantity", "largest at", "noise=", "grid", "difference", "standard error", "z")
    worst = max(result, key=lambda p: abs(p.difference))
    squares = sum(p.z**2 for p in result)
    return (
        f"{text(Table(header, rows))}\n\nlargest difference {worst.difference:+.2f} points "
        f"(standard error {worst.error:.2f}) at {worst.quantity}={worst.sigma:g}; "
        f"sum of z squared {squares:.1f} over {len(result)} points"
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m tools.noise_check", description=__doc__.split("\n")[0]
    )
    parser.add_argument("benchmark", choices=tuple(MODULES))
    parser.add_argument(
        "--evaluations", type=int, default=3000, help="by the pipeline, over all points"
    )
    parser.add_argument("--images", type=int, default=10, help="of each evaluation")
    a = parser.parse_args(argv)

    def run() -> None:
        check = NoiseCheck(a.benchmark, a.images)
        print(f"{len(check.questions)} questions on {len(check.mixed)} images in each evaluation\n")
        print(summary(list(points(check, a.evaluations))))

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
