"""Questions by the million: python -m po3d.bench scale

executor     texts of gold programs on true tables, parsed, packed and answered in batches of CHUNK; nothing is kept
evaluation   `evaluate` of the oracle: predictions.jsonl, scores, report.json; the questions are in memory, as of any split

The questions are those of the shipped PulseCheck457 split, again and again under names of their own.
"""

import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.run import Split, evaluate, provenance
from po3d.language.programs.street import parse_text
from po3d.reasoning.questions import Question
from po3d.reasoning.street_batched import execute_batch, pack_programs, pack_scenes
from po3d.systems.pipeline import oracle

SIZES = (1_000, 10_000, 100_000, 1_000_000)
CHUNK = 1_000  # questions of a batch


@dataclass(frozen=True)
class Copies:
    """A split whose questions are those of another again and again, under names of their own."""

    split: Any
    questions: Sequence[Question]

    def truth(self, name: str) -> Any:
        return replace(self.split.truth(name.partition("/")[2]), image=name)

    def hidden(self, name: str) -> None:
        return None

    def notes(self) -> list[str]:
        return []

    def files(self) -> list[Path]:
        return []


def copies(split: Split, count: int) -> Copies:
    """So many questions, image by image."""
    own = sorted(split.questions, key=lambda q: q.image)
    found = []
    for k in range(count):
        copy, q = divmod(k, len(own))[0], own[k % len(own)]
        found.append(replace(q, id=f"{copy}/{q.id}", image=f"{copy}/{q.image}"))
    return Copies(split, tuple(found))


def executed(split: Split, count: int) -> None:
    """Answer so many questions in batches; AssertionError when one is wrong."""
    asked = [q for q in split.questions if q.program]
    for start in range(0, count, CHUNK):
        part = [asked[k % len(asked)] for k in range(start, min(start + CHUNK, count))]
        place = {name: k for k, name in enumerate(dict.fromkeys(q.image for q in part))}
        tables = pack_scenes([split.truth(name) for name in place])
        programs = [parse_text(q.program) for q in part]
        packed = pack_programs(programs, [place[q.image] for q in part], [q.task for q in part])
        answers = execute_batch(tables, packed).answers()
        wrong = [q.id for q, answer in zip(part, answers, strict=True) if answer != q.answer]
        if wrong:
            raise AssertionError(f"{len(wrong)} answers are wrong, of {wrong[0]} the first")


def evaluated(split: Split, count: int) -> None:
    """Evaluate the oracle on so many questions in a folder that is thrown away."""
    about = {
        "benchmark": "pulsecheck457",
        "split": "copies",
        "system": "oracle",
        "settings": {},
        "provenance": provenance({}, {}, {"root": "copies", "images": count}, ""),
    }
    benchmark = BENCHMARKS["pulsecheck457"]
    with tempfile.TemporaryDirectory() as out:
        evaluate(benchmark, copies(split, count), oracle("street"), out, benchmark.scorers[0], about, {})


def scale(largest: int) -> None:
    """Print seconds and peak memory of both at every size up to `largest`, after one to warm up."""
    split = pulsecheck457.open_mini()
    for name, work in (("executor", executed), ("evaluation", evaluated)):
        work(split, SIZES[0])
        for count in (size for size in SIZES if size <= largest):
            start, used = time.perf_counter(), time.process_time()
            work(split, count)
            took, used = time.perf_counter() - start, time.process_time() - used
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # Linux counts KiB
            print(
                f"{name:10} {count:9,} questions: {took:8.2f} s, of the processor {used:8.2f} s, {count / took:9,.0f}/s, "
                f"peak memory so far {peak:.2f} GiB", flush=True,
            )  # fmt: skip
