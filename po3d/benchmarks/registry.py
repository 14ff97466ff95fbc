"""The benchmarks by name: how each is loaded, generated and scored. Entries look here and nowhere else."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from po3d.benchmarks import hypo3d, hypo3d_twin, pulsecheck457, scope, scope_twin, srbench, srbench_twin
from po3d.errors import InputError
from po3d.synthesis.dials import Dials, InsideDials, OrbitDials, RoomDials, dials_of

DATA = Path(__file__).resolve().parents[2] / "data" / "mini"


class Source(NamedTuple):
    """One benchmark. `module` scores it (evaluation.Benchmark)."""

    module: Any
    mini: Path  # the shipped split
    load: Callable[..., Any]  # (root, split name) -> evaluation.Split with `first(size)`
    open_fresh: Callable[..., Any]  # (folder, size, seed, look, workers[, dials]) -> the same
    generate: Callable[..., None]  # (out, size, seed, look, images, workers, split, skies[, dials])
    dials: type = Dials  # what they may be


def _fresh_rooms(
    folder: Path,
    size: int,
    seed: int,
    look: str | None,
    workers: int,
    dials: Mapping[str, Any] | None = None,
) -> hypo3d.Split:
    return hypo3d_twin.open_fresh(folder, size, seed, workers, dials_of(dials, RoomDials))


def _generate_rooms(
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
        raise InputError("skies are for the street scenes of pulsecheck457; rooms have none")
    turned = dials_of(dials, RoomDials)
    hypo3d_twin.generate(out, size, seed, split, workers=workers, maps=images, dials=turned)


def _fresh_orbits(
    folder: Path,
    size: int,
    seed: int,
    look: str | None,
    workers: int,
    dials: Mapping[str, Any] | None = None,
) -> scope.Split:
    return scope_twin.open_fresh(folder, size, seed, workers, dials_of(dials, OrbitDials))


def _generate_orbits(
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
        raise InputError("skies are for the street scenes of pulsecheck457; scope's scenes have none")
    turned = dials_of(dials, OrbitDials)
    scope_twin.generate(out, size, seed, split, workers, images=images, dials=turned)


def _fresh_insides(
    folder: Path,
    size: int,
    seed: int,
    look: str | None,
    workers: int,
    dials: Mapping[str, Any] | None = None,
) -> srbench.Split:
    return srbench_twin.open_fresh(folder, size, seed, workers, dials_of(dials, InsideDials))


def _generate_insides(
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
        raise InputError("skies are for the street scenes of pulsecheck457; rooms have none")
    turned = dials_of(dials, InsideDials)
    srbench_twin.generate(out, size, seed, split, images, workers, dials=turned)


BENCHMARKS: dict[str, Source] = {
    "pulsecheck457": Source(
        pulsecheck457,
        pulsecheck457.MINI,
        pulsecheck457.load,
        pulsecheck457.open_fresh,
        pulsecheck457.generate,
    ),
    "hypo3d": Source(hypo3d, DATA / "hypo3d", hypo3d.load, _fresh_rooms, _generate_rooms, RoomDials),
    "scope": Source(scope, DATA / "scope", scope.load, _fresh_orbits, _generate_orbits, OrbitDials),
    "3dsrbench": Source(
        srbench, DATA / "3dsrbench", srbench.load, _fresh_insides, _generate_insides, InsideDials
    ),
}


def dials_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """The argument `dials` for `generate` and `open_fresh`, from a benchmark's options or a twin's description; nothing
    where it has none."""
    dials = options.get("dials")
    return {} if dials is None else {"dials": {k: dials[k] for k in dials}}


def opened(benchmark: str, root: str | Path | None = None) -> Any:
    """A benchmark's split: the release or twin at `root`, else the shipped one."""
    if benchmark not in BENCHMARKS:
        raise InputError(f"unknown benchmark {benchmark!r}; known: {', '.join(BENCHMARKS)}")
    source = BENCHMARKS[benchmark]
    return source.load(source.mini, "mini") if root is None else source.load(Path(root))
