"""The benchmarks by name: how each is loaded, generated and scored. Entries look here and nowhere else."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.benchmarks.hypo3d import twin as hypo3d_twin
from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.scope import data as scope
from po3d.benchmarks.scope import twin as scope_twin
from po3d.benchmarks.threedsrbench import data as srbench
from po3d.benchmarks.threedsrbench import twin as srbench_twin
from po3d.io.errors import InputError
from po3d.io.shipped import MINI as DATA
from po3d.synthesis.difficulty import Dials, InsideDials, OrbitDials, RoomDials, dials_of


class Source(NamedTuple):
    """One benchmark. `module` scores it (evaluation.Benchmark)."""

    module: Any
    mini: Path  # the shipped split
    load: Callable[..., Any]  # (root, split name) -> evaluation.Split with `first(size)`
    open_fresh: Callable[..., Any]  # (folder, size, seed, look, workers[, dials]) -> the same
    generate: Callable[..., None]  # (out, size, seed, look, images, workers, split, skies[, dials])
    dials: type = Dials  # what they may be


def _with_twin(module: Any, twin: ModuleType, name: str, kind: type, pictures: str = "images") -> Source:
    """A benchmark whose twin has one look and no skies; `pictures`: what its `generate` calls whether to draw."""

    def open_fresh(
        folder: Path,
        size: int,
        seed: int,
        look: str | None,
        workers: int,
        dials: Mapping[str, Any] | None = None,
    ) -> Any:
        return twin.open_fresh(folder, size, seed, workers, dials_of(dials, kind))

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
        if skies is not None:
            raise InputError(f"skies are for the street scenes of pulsecheck457; {name} has none")
        how = {pictures: images, "workers": workers, "dials": dials_of(dials, kind)}
        twin.generate(out, size, seed, split, **how)

    return Source(module, DATA / name, module.load, open_fresh, generate, kind)


BENCHMARKS: dict[str, Source] = {
    "pulsecheck457": Source(
        pulsecheck457,
        pulsecheck457.MINI,
        pulsecheck457.load,
        pulsecheck457.open_fresh,
        pulsecheck457.generate,
    ),
    "hypo3d": _with_twin(hypo3d, hypo3d_twin, "hypo3d", RoomDials, "maps"),
    "scope": _with_twin(scope, scope_twin, "scope", OrbitDials),
    "3dsrbench": _with_twin(srbench, srbench_twin, "3dsrbench", InsideDials),
}


def dials_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """The argument `dials` for `generate` and `open_fresh`, from a benchmark's options or a twin's description; nothing
    where it has none."""
    dials = options.get("dials")
    return {} if dials is None else {"dials": {k: dials[k] for k in dials}}


def source_of(benchmark: str) -> Source:
    """The benchmark of that name; InputError when there is none."""
    if benchmark not in BENCHMARKS:
        raise InputError(f"unknown benchmark {benchmark!r}; known: {', '.join(BENCHMARKS)}")
    return BENCHMARKS[benchmark]


def opened(benchmark: str, root: str | Path | None = None) -> Any:
    """A benchmark's split: the release or twin at `root`, else the shipped one."""
    source = source_of(benchmark)
    return source.load(source.mini, "mini") if root is None else source.load(Path(root))
