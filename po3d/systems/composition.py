"""Build systems from their configs (configs/system); options that are not read are an InputError.

Each domain (`po3d.systems.pipeline.DOMAIN_MODULES`) has a module with a function `pipeline`, whose
parameters are the options of that domain.
"""

import importlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from po3d.benchmarks import registry
from po3d.io.errors import InputError
from po3d.reasoning.questions import Question
from po3d.systems.baselines import (
    FrequencyAnswer,
    FrequencyBaseline,
    Planar,
    RandomAnswer,
    RandomBaseline,
    RandomOption,
)
from po3d.systems.estimators import Shipped
from po3d.systems.general_parser import ParserMode
from po3d.systems.pipeline import DOMAIN_MODULES, Pipeline, System

PICTURES = ("predicted", "map")  # sources of scenes that use an estimator
# Default number of scenes in a training twin.
TRAINING = {"street": 200, "rooms": 40, "photographs": 20, "orbit": 20}
# Parameter of a domain's `pipeline` -> config key.
OPTIONS = {
    "perception": "perception",
    "device": "perception.device",
    "flip_tta": "perception.flip_tta",
    "refine": "perception.refine",
    "modules": "perception.modules",
    "parser_checkpoint": "parser.checkpoint",
    "mode": "executor.mode",
    "samples": "executor.samples",
    "margins": "executor.margins",
    "scenes": "benchmark.scenes",
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
    parser: ParserMode = "cascade",
    seed: int = 0,
    **options: Any,
) -> Pipeline:
    """Return the pipeline of a domain.

    `perception`: `Shipped` settings, an estimator, or a `TableFile`. `options`: those in OPTIONS;
    None keeps the domain's default. `noise`: module -> size, see `Pipeline`. InputError for an
    option that the domain does not read.
    """
    make = importlib.import_module(DOMAIN_MODULES[domain]).pipeline
    read = inspect.signature(make).parameters
    inputs = {name: value for name, value in options.items() if value is not None}
    observed = perception.given() if isinstance(perception, Shipped) else {"perception": perception}
    scenes = inputs.get("scenes", "predicted")
    if observed and scenes not in PICTURES and set(observed) != {"device"}:
        (first, *_) = (OPTIONS[name] for name in observed)
        raise InputError(
            f"{first} is set, but has no effect on system=po3d, benchmark={benchmark}"
            f" with benchmark.scenes={scenes}"
        )
    inputs |= observed
    if unread := [name for name in inputs if name not in read]:
        raise InputError(
            f"{OPTIONS[unread[0]]} is set, but has no effect on system=po3d, benchmark="
            f"{benchmark} (domain {domain})"
        )
    shared = {
        "oracle": tuple(oracle),
        "parser": parser,
        **({"seed": seed} if "seed" in read else {}),
    }
    created = make(**inputs, **shared)
    return replace(created, noise=dict(noise), seed=seed) if noise else created


def random(
    benchmark: str,
    domain: str,
    training: Mapping[str, Any],
    seed: int = 0,
    consistent: bool = False,
) -> System:
    """Return the random baseline: a uniform guess, on streets among the answers compatible with the
    question's wording, in rooms among the answers of a training twin, elsewhere among the options.
    `consistent`: the same option in every rotation (3DSRBench's random++)."""
    if consistent and domain != "photographs":
        raise InputError(
            "system.consistent applies to 3dsrbench; it has no effect on system=random with "
            f"benchmark={benchmark}"
        )
    if domain == "street":
        return RandomBaseline(seed)
    if domain == "rooms":
        return RandomAnswer(_training(benchmark, domain, training), seed)
    return RandomOption(seed, consistent)


def frequency(benchmark: str, domain: str, training: Mapping[str, Any]) -> System:
    """Return the majority baseline: the most frequent answer of a training twin. `training`: its
    `size` (None: TRAINING) and `seed`."""
    questions = _training(benchmark, domain, training)
    return FrequencyBaseline(questions) if domain == "street" else FrequencyAnswer(questions)


def _training(benchmark: str, domain: str, training: Mapping[str, Any]) -> list[Question]:
    return registry.training_questions(
        benchmark, training["size"] or TRAINING[domain], training["seed"]
    )


def planar(benchmark: str, domain: str) -> System:
    """Return the 2D baseline: gold programs on true image boxes, without depth (3DSRBench only)."""
    if domain != "photographs":
        raise InputError(f"system=planar does not support {benchmark}")
    return Planar()
