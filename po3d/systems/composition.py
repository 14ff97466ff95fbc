"""Systems from their configs (configs/system): each is put together in one place, and what it would not read is refused.

A domain (`po3d.systems.pipeline.WORLDS`) has a module with its `pipeline`, whose parameters are the options that it reads.
"""

import importlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from po3d.io.errors import InputError
from po3d.systems.baselines import FrequencyBaseline, Planar, RandomBaseline, RandomOption
from po3d.systems.estimators import Shipped
from po3d.systems.learned import Which
from po3d.systems.pipeline import WORLDS, Pipeline, System

PICTURES = ("picture", "map")  # sources of tables that an estimator makes
# The parameter of a domain's pipeline -> the option that gives it.
OPTIONS = {
    "perception": "perception",
    "device": "perception.device",
    "mirror": "perception.mirror",
    "verify": "perception.verify",
    "parser": "parser.checkpoint",
    "mode": "executor.mode",
    "samples": "executor.samples",
    "margins": "executor.margins",
    "table": "benchmark.table",
    "frame": "benchmark.frame",
    "draw": "benchmark.draw",
    "known_yaw": "benchmark.known_yaw",
    "assume_present": "benchmark.assume_present",
}


def pipeline(
    benchmark: str,
    domain: str,
    perception: Any,
    oracle: Sequence[str] = (),
    noise: Mapping[str, float] | None = None,
    reader: Which = "both",
    seed: int = 0,
    **options: Any,
) -> Pipeline:
    """The pipeline of a domain. `perception`: `Shipped` settings, an estimator, or a `TableFile`; `options`: of OPTIONS, None for what
    the domain has itself; `noise`: module -> size, see `Pipeline`. InputError in one line for an option that the domain does not read."""
    make = importlib.import_module(WORLDS[domain]).pipeline
    read = inspect.signature(make).parameters
    given = {name: value for name, value in options.items() if value is not None}
    seen = perception.given() if isinstance(perception, Shipped) else {"perception": perception}
    table = given.get("table", "picture")
    if seen and table not in PICTURES and set(seen) != {"device"}:
        (first, *_) = (OPTIONS[name] for name in seen)
        raise InputError(
            f"{first} is set, but system=po3d of {benchmark} does not read it on benchmark.table={table}"
        )
    given |= seen
    if unread := [name for name in given if name not in read]:
        raise InputError(
            f"{OPTIONS[unread[0]]} is set, but system=po3d of {benchmark} does not read it (domain {domain})"
        )
    shared = {"oracle": tuple(oracle), "reader": reader, **({"seed": seed} if "seed" in read else {})}
    made = make(**given, **shared)
    return replace(made, noise=dict(noise), seed=seed) if noise else made


def random(benchmark: str, domain: str, seed: int = 0) -> System:
    """A uniform guess: of streets among the answers that a question's words allow, of photographs among its options."""
    made = {"street": RandomBaseline, "photographs": RandomOption}
    if domain not in made:
        raise InputError(f"system=random does not answer {benchmark}")
    return made[domain](seed)


def frequency(benchmark: str, domain: str, training: Mapping[str, Any]) -> System:
    """The most frequent answer of a generated training set of streets; `training`: its `size` and `seed`."""
    if domain != "street":
        raise InputError(f"system=frequency does not answer {benchmark}")
    from po3d.benchmarks.pulsecheck457.data import training_questions

    return FrequencyBaseline(training_questions(**training))


def planar(benchmark: str, domain: str) -> System:
    """Gold programs on true image boxes, as if pictures were flat."""
    if domain != "photographs":
        raise InputError(f"system=planar does not answer {benchmark}")
    return Planar()
