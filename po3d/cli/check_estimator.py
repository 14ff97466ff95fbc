"""Check an external estimator on some shipped images of each benchmark; prints one line per check.

  po3d check-estimator mymod.Mine
  po3d check-estimator mymod.Mine --benchmark scope --set threshold=0.4

The class is imported from the current folder or PYTHONPATH, and constructed with the arguments of
--set. The exit code is 0 if all checks pass, else 2. The interface is described in
docs/extending.md.
"""

import argparse
import itertools
from collections.abc import Iterator
from typing import Any

from po3d.io.cli_errors import BAD_INPUT
from po3d.io.errors import InputError, visible

PICTURES = 2  # images, rooms or scenes of each benchmark
TOLERANCE = 1e-3  # between the scenes of two calls on equal images


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from po3d.benchmarks.registry import MODULES

    parser.add_argument(
        "target", metavar="MODULE.CLASS", help="the class, or a function that returns the estimator"
    )
    parser.add_argument(
        "--benchmark", choices=tuple(MODULES), help="check this benchmark only (default: all)"
    )
    text = "an argument of the class; may be repeated"
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each check; return 0 if all pass."""
    failed = False
    for holds, line in checks(arguments.target, arguments.set, arguments.benchmark):
        print(f"{'ok  ' if holds else 'FAIL'}  {visible(' '.join(line.split()))}", flush=True)
        failed |= not holds
    return BAD_INPUT if failed else 0


def checks(
    target: str, options: list[str], benchmark: str | None = None
) -> Iterator[tuple[bool, str]]:
    """Yield, for each check, whether it passes, and its description."""
    from po3d.benchmarks.registry import MODULES
    from po3d.systems.estimators import class_path, identity, parameters, title

    try:
        estimator = build_estimator(target, options)
        taken = parameters(estimator)
    except InputError as error:
        yield False, str(error)
        return
    yield (
        True,
        (
            f"{class_path(estimator)} is an estimator; estimate() takes "
            f"{', '.join(('images', 'names', *taken))}"
        ),
    )
    yield True, f"its name in reports is {title(identity(estimator))!r}"
    for name in [benchmark] if benchmark else MODULES:
        try:
            yield from _on(estimator, name)
        except InputError as error:
            yield False, f"{name}: {error}"


def build_estimator(target: str, options: list[str]) -> Any:
    """Build the object of perception._target_=TARGET; InputError if it cannot be built."""
    from omegaconf import OmegaConf

    from po3d.io.config import build

    for option in options:
        if "=" not in option:
            raise InputError(f"--set {option} should be KEY=VALUE")
    return build({"_target_": target, **OmegaConf.to_container(OmegaConf.from_dotlist(options))})


def _on(estimator: Any, name: str) -> Iterator[tuple[bool, str]]:
    from po3d.benchmarks.registry import benchmark_of, opened
    from po3d.systems.estimators import made_for

    world = benchmark_of(name).world
    if world not in made_for(estimator, world):
        yield True, f"{name}: skipped; the estimator is for {', '.join(made_for(estimator, world))}"
        return
    yield from _answers(estimator, world, opened(name, size=PICTURES), name)


def _answers(estimator: Any, world: str, split: Any, name: str) -> Iterator[tuple[bool, str]]:
    """Check a split's predicted scenes in two calls, and the answers of gold programs on them."""
    from po3d.evaluation.run import by_image
    from po3d.systems.domain import domain as domain_of
    from po3d.systems.interfaces import Context, PerceptionInput
    from po3d.systems.pipeline import Pipeline, pictures_of
    from po3d.systems.scene_sources import source_of

    domain = domain_of(world)
    source = source_of(estimator, world)
    system = Pipeline(source, None, domain, domain.reading)
    query = list(by_image(split.questions).items())
    batch = [(own, Context.of(split, image)) for image, own in query]
    looks = []
    for own, context in batch:
        looks.append(PerceptionInput(context, pictures_of(own, context)))
    flat = itertools.chain.from_iterable
    scenes, again = list(flat(source.tables(looks))), list(flat(source.tables(looks)))
    things = sum(map(len, scenes))
    yield (
        True,
        f"{name}: finite predicted scenes for all {len(scenes)} images, {things} objects in total",
    )
    same = all(_alike(a, b) for a, b in zip(scenes, again, strict=True))
    yield (
        same,
        f"{name}: the same images give the same scenes again" + ("" if same else ": they differ"),
    )
    result = list(flat(system.answers(batch)))
    answered = sum(p.status == "ok" for p in result)
    yield (
        True,
        f"{name}: {answered} of {len(result)} questions get an answer from their gold programs",
    )


def _alike(scene: Any, other: Any) -> bool:
    import numpy as np

    if len(scene) != len(other):
        return False
    for what in ("positions", "headings", "extents"):
        if not np.allclose(getattr(scene, what), getattr(other, what), rtol=0, atol=TOLERANCE):
            return False
    return True
