"""The benchmarks by name. Who needs one looks here and nowhere else; its module is loaded when it is asked for."""

import importlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from po3d.benchmarks.base import Benchmark
from po3d.io import naming
from po3d.io.errors import known
from po3d.reasoning.questions import Question

# Name -> the module that holds BENCHMARK. `python evaluate.py` alone runs them in this order, the longest first.
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
    """The benchmark of that name; InputError when there is none."""
    known("benchmark", name, BENCHMARKS)
    return BENCHMARKS[name]


def opened(benchmark: str, root: str | Path | None = None, size: int | None = None) -> Any:
    """A benchmark's split: the release or twin at `root`, else the shipped one; the first `size` images or rooms of it."""
    own = benchmark_of(benchmark)
    return (own.load(own.mini, "mini") if root is None else own.load(Path(root))).first(size)


def training_questions(benchmark: str, size: int, seed: int) -> list[Question]:
    """The questions on `size` rooms or scenes of a benchmark's training twin, made now, for baselines that learn from answers."""
    own = benchmark_of(benchmark)
    with tempfile.TemporaryDirectory() as folder:
        own.generate(folder, size, seed, None, False, 1, "train", None)
        return list(own.load(Path(folder)).questions)


def dials_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """The argument `dials` for `generate` and `open_fresh`, from a benchmark's options or a twin's description; nothing
    where it has none."""
    dials = options.get("dials")
    return {} if dials is None else {"dials": {k: dials[k] for k in dials}}


def unit(report: Mapping[str, Any]) -> str:
    """What a report's split is counted in."""
    return benchmark_of(report["benchmark"]).unit


def counted(report: Mapping[str, Any]) -> str:
    """ "150 images", "1 room"."""
    return naming.counted(report["images"], unit(report))


def title(report: Mapping[str, Any]) -> str:
    """What a run was on, and over how many of what its intervals resample."""
    return f"{report['benchmark']} {report['split']}, n = {counted(report)}"
