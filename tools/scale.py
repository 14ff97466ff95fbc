"""Scaling benchmark with up to a million questions: python -m tools.bench scale

executor     true programs on true scenes: parsed, packed and answered in batches of CHUNK; nothing
             is stored
evaluation   `evaluate` with the oracle: predictions.jsonl, scores, report.json; questions are in
             memory, as for any split
pictures     `evaluate` with networks: one perception pass and one question per image, marginal
             answers

Questions and images are copies of the shipped PulseCheck457 split under new names; images are read
again for each copy. Every figure is measured in its own process, so that its peak memory is known.
"""

import os
import platform
import re
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.provenance import provenance
from po3d.evaluation.run import Split, evaluate, frozen_gc
from po3d.io.errors import InputError
from po3d.io.files import read_jsonl
from po3d.io.plots import save_figure
from po3d.io.pools import pool
from po3d.io.runs import append
from po3d.language.programs.street import parse_text
from po3d.reasoning.packing import pack_programs
from po3d.reasoning.questions import Question
from po3d.reasoning.street_batched import run_batch
from po3d.reasoning.street_tables import pack_tables
from po3d.systems.build import build_pipeline
from po3d.systems.interfaces import System
from po3d.systems.pipeline import oracle

CHUNK = 1_000  # questions per batch
SECONDS = 20.0  # CPU seconds during which a small size is repeated; the median is reported
UNITS = {"executor": "questions", "evaluation": "questions", "pictures": "pictures"}
SIZES = {
    "executor": (1_000, 10_000, 100_000, 1_000_000),
    "evaluation": (1_000, 10_000, 100_000, 1_000_000),
    "pictures": (100, 1_000, 10_000),
}


class ScaleFigure(NamedTuple):
    """Cost of `size` units of `work`: CPU seconds, peak memory of the process in GiB."""

    work: str
    size: int
    seconds: float
    memory: float


@dataclass(frozen=True)
class Copies:
    """A split with repeated questions of another split, under new names."""

    split: Any
    questions: Sequence[Question]

    def image(self, name: str) -> Any:
        return self.split.image(name.partition("/")[2])

    def truth(self, name: str) -> Any:
        return replace(self.split.truth(name.partition("/")[2]), image=name)

    def hidden(self, name: str) -> None:
        return None

    def notes(self) -> list[str]:
        return []

    def files(self) -> list[Path]:
        return []


def copies(split: Split, count: int, each: int | None = None) -> Copies:
    """Return a split of `count` questions, ordered by image; `each` limits the questions per image
    and varies which are used."""
    by_image: dict[str, list[Question]] = {}
    for q in sorted(split.questions, key=lambda q: q.image):
        by_image.setdefault(q.image, []).append(q)
    originals = [
        questions[(k + i) % len(questions)]
        for k, questions in enumerate(by_image.values())
        for i in range(min(each or len(questions), len(questions)))
    ]
    copied = []
    for k in range(count):
        copy, q = k // len(originals), originals[k % len(originals)]
        copied.append(replace(q, id=f"{copy}/{q.id}", image=f"{copy}/{q.image}"))
    return Copies(split, tuple(copied))


def executed(split: Split, count: int) -> None:
    """Answer `count` questions in batches; raise AssertionError if one is wrong."""
    questions = [q for q in split.questions if q.program]
    with frozen_gc():
        for start in range(0, count, CHUNK):
            _executed(
                split,
                [questions[k % len(questions)] for k in range(start, min(start + CHUNK, count))],
            )


def _executed(split: Split, part: Sequence[Question]) -> None:
    place = {name: k for k, name in enumerate(dict.fromkeys(q.image for q in part))}
    tables = pack_tables([split.truth(name) for name in place])
    programs = [parse_text(q.program).call for q in part]
    packed = pack_programs(programs, [place[q.image] for q in part], [q.task for q in part])
    answers = run_batch(tables, packed).answers()
    wrong = [q.id for q, answer in zip(part, answers, strict=True) if answer != q.answer]
    if wrong:
        raise AssertionError(f"{len(wrong)} answers are wrong, of {wrong[0]} the first")


def evaluated(split: Split, count: int, system: System, each: int | None = None) -> dict:
    """Evaluate `system` on `count` questions (see `copies`) in a temporary folder and return the
    report."""
    about = {
        "benchmark": "pulsecheck457",
        "split": "copies",
        "system": "copies",
        "settings": {},
        "provenance": provenance({}, {}, {"root": "copies", "images": count}, ""),
    }
    benchmark = BENCHMARKS["pulsecheck457"]
    with tempfile.TemporaryDirectory() as out:
        return evaluate(
            benchmark, copies(split, count, each), system, out, benchmark.scorers[0], about, {}
        )


def figure(work: str, size: int) -> ScaleFigure:
    """Measure `work` on `size` units in this process, repeated for up to SECONDS after a small
    warm-up run."""
    split = pulsecheck457.open_mini()
    if work == "executor":

        def run(count: int) -> object:
            return executed(split, count)

    else:
        pictures = work == "pictures"
        system = (
            build_pipeline(
                "street", mode="marginal", flip_tta=False, parser="benchmark", refine="off"
            )
            if pictures
            else oracle("street")
        )

        def run(count: int) -> object:
            return evaluated(split, count, system, 1 if pictures else None)

    run(SIZES[work][0] // 10)
    took: list[float] = []
    while sum(took) < SECONDS and len(took) < 9:
        start = time.process_time()
        run(size)
        took.append(time.process_time() - start)
    return ScaleFigure(work, size, statistics.median(took), peak_memory())


def peak_memory() -> float:
    """Return the peak memory of this process in GiB."""
    if platform.system() == "Linux":  # on Linux, a process inherits its parent's ru_maxrss
        with open("/proc/self/status", encoding="utf-8") as file:
            return int(re.search(r"VmHWM:\s*(\d+) kB", file.read())[1]) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**30  # macOS counts bytes


def figures(
    works: Sequence[str], largest: int, record_path: Path | None = None
) -> Iterator[ScaleFigure]:
    """Yield every figure of `works` up to the size `largest`, as soon as it is measured.

    `record_path` is a file of earlier figures, which are not measured again and to which new ones
    are appended; InputError for other content.
    """
    known: dict[tuple[str, int], ScaleFigure] = {}
    if record_path is not None and record_path.is_file():
        for record in read_jsonl(record_path, "figures of bench scale"):
            if set(record) != set(ScaleFigure._fields):
                raise InputError(f"{record_path} holds other records than bench scale writes")
            known[record["work"], record["size"]] = ScaleFigure(**record)
    for work in works:
        for size in SIZES[work]:
            if size > largest:
                continue
            if (figure_row := known.get((work, size))) is None:
                with pool(1) as processes:
                    figure_row = processes.submit(figure, work, size).result()
                if record_path is not None:
                    record_path.parent.mkdir(parents=True, exist_ok=True)
                    with open(record_path, "a", encoding="utf-8") as file:
                        append(file, figure_row._asdict())
            yield figure_row


def plot(points: Sequence[ScaleFigure], path: Path) -> None:
    """Plot seconds per unit and peak memory against the number of units, in two panels."""

    def draw(drawing: Any) -> None:
        panels = drawing.subplots(1, 2)
        for work in dict.fromkeys(f.work for f in points):
            series = sorted(f for f in points if f.work == work)
            x = [f.size for f in series]
            label = work if work == UNITS[work] else f"{work}, {UNITS[work]}"
            panels[0].plot(x, [1000 * f.seconds / f.size for f in series], "o-", ms=4, label=label)
            panels[1].plot(x, [f.memory for f in series], "o-", ms=4)
        panels[0].set(
            xscale="log", yscale="log", ylabel="ms of the processor for each", xlabel="how many"
        )
        panels[1].set(xscale="log", ylim=(0, None), ylabel="peak memory (GiB)", xlabel="how many")
        panels[0].legend(frameon=False, fontsize=8)
        for axes in panels:
            axes.grid(alpha=0.3)

    save_figure(path, (8.0, 3.0), draw)


def scale(
    works: Sequence[str], largest: int, record_path: str | Path | None, picture: str | Path | None
) -> None:
    """Print `figures` with each work's deviation from linear scaling; save `plot` to `picture`."""
    points: list[ScaleFigure] = []
    print(
        f"{os.cpu_count()} cores; seconds of the processor; peak memory of a process that does this"
        " alone"
    )
    for f in figures(works, largest, None if record_path is None else Path(record_path)):
        points.append(f)
        first = next(other for other in points if other.work == f.work)
        linear = f.seconds / f.size / (first.seconds / first.size)
        print(
            f"{f.work:10} {f.size:9,} {UNITS[f.work]}: {f.seconds:9.2f} s, "
            f"{1000 * f.seconds / f.size:7.3f} ms each, "
            f"{linear:.3f} of linear, peak memory {f.memory:.2f} GiB",
            flush=True,
        )
    if picture is not None:
        plot(points, Path(picture))
