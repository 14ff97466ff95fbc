"""The benchmarks by name. The only place where they are looked up; each module is imported on first
access.
"""

import importlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from po3d.benchmarks.base import Benchmark
from po3d.io import run_names
from po3d.io.errors import known
from po3d.reasoning.questions import Question

# Name -> the module that defines BENCHMARK. `python evaluate.py` without arguments runs them in
# this order, the slowest first.
MODULES = {
    "hypo3d": "po3d.benchmarks.hypo3d.benchmark",
    "pulsecheck457": "po3d.benchmarks.pulsecheck457.benchmark",
    "3dsrbench": "po3d.benchmarks.threedsrbench.benchmark",
    "scope": "po3d.benchmarks.scope.benchmark",
    "superclevr": "po3d.benchmarks.superclevr.benchmark",
}


class _Benchmarks(Mapping[str, Benchmark]):
    def __getitem__(self, name: str) -> Benchmark:
        return importlib.import_module(MODULES[name]).BENCHMARK

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


BENCHMARKS: Mapping[str, Benchmark] = _Benchmarks()


def benchmark_of(name: str) -> Benchmark:
    """Return the benchmark of that name; raise InputError if there is none."""
    known("benchmark", name, BENCHMARKS)
    return BENCHMARKS[name]


def opened(benchmark: str, root: str | Path | None = None, size: int | None = None) -> Any:
    """Open a benchmark's split: the release or twin at `root`, by default the shipped one;
    restricted to the first `size` images or rooms."""
    spec = benchmark_of(benchmark)
    split = spec.load(spec.mini, "mini") if root is None else spec.load(Path(root))
    return split.first(size)


def training_questions(benchmark: str, size: int, seed: int) -> list[Question]:
    """Generate a benchmark's training twin of `size` rooms or scenes and return its questions, for
    baselines that learn from answers."""
    own = benchmark_of(benchmark)
    with tempfile.TemporaryDirectory() as folder:
        own.generate(folder, size, seed, None, False, 1, "train", None)
        return list(own.load(Path(folder)).questions)


def difficulty_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword argument `difficulty` of `generate` and `open_fresh` from a benchmark's
    options; {} if they have none."""
    difficulty = options.get("difficulty")
    return {} if difficulty is None else {"difficulty": {k: difficulty[k] for k in difficulty}}


def unit(report: Mapping[str, Any]) -> str:
    """Return the unit in which the report's split is counted."""
    return benchmark_of(report["benchmark"]).unit


def counted(report: Mapping[str, Any]) -> str:
    """Return the size of the report's split with its unit: "150 images", "1 room"."""
    return run_names.counted(report["images"], unit(report))


def scorer_name(benchmark: str, scorer: str) -> str:
    """Return the name of a scorer in tables."""
    return benchmark_of(benchmark).scorer_names.get(scorer, scorer)


def title(report: Mapping[str, Any]) -> str:
    """Return benchmark, split and number of resampled units of a run."""
    return f"{report['benchmark']} {report['split']}, n = {counted(report)}"
