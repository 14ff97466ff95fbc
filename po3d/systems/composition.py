"""Build systems from their configs (configs/system); options that are not read are an InputError.

Options of the pipeline are those of its domain (`po3d.systems.domain.Domain.options`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from po3d.benchmarks import registry
from po3d.io.errors import InputError
from po3d.io.runs import SCENES
from po3d.reasoning.questions import Question
from po3d.systems.baselines import (
    frequency_answer,
    frequency_baseline,
    planar_baseline,
    random_answer,
    random_baseline,
    random_option,
)
from po3d.systems.build import build_pipeline
from po3d.systems.domain import domain as domain_of
from po3d.systems.estimators import Shipped, chosen_modules, title
from po3d.systems.general_parser import ParserMode
from po3d.systems.interfaces import System
from po3d.systems.pipeline import Pipeline

PICTURES = ("predicted", "map")  # sources of scenes that use an estimator
# Default number of scenes in a training twin.
TRAINING = {"street": 200, "rooms": 40, "photographs": 20, "orbit": 20}
SHIPPED = f"{Shipped.__module__}.{Shipped.__qualname__}"
# System settings that do not affect predictions.
NO_EFFECT = {"name", "device", "margins"}
NO_EFFECT |= {"log", "key_env", "concurrency", "timeout", "tries", "wait", "give_up", "price"}
# Option of a domain -> config key.
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


def buildable(system: Mapping[str, Any], on_cpu: bool = False) -> dict[str, Any]:
    """Return a system's config without null settings of shipped estimators, which other estimators
    do not accept. With `on_cpu`, the estimator's device is set to the CPU."""
    node = system.get("perception")
    if not isinstance(node, Mapping):
        return dict(system)
    if not node.get("_target_"):
        raise InputError(
            "perception should have a _target_, the class of an estimator (docs/extending.md)"
        )
    node = {**node, "modules": chosen_modules(node.get("modules")) or None}
    if on_cpu and node.get("device") is not None:
        node["device"] = "cpu"
    for key in Shipped.__dataclass_fields__:
        if node.get(key) is None:
            node.pop(key, None)
    return {**system, "perception": node}


def system_settings(
    system: Mapping[str, Any], modules: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the settings of a system that affect predictions. "perception" is the title of the
    built estimator (`modules`), or its name by the config before it is built; None for the shipped
    one. "perception_options" are the constructor options of an estimator outside po3d."""
    result = buildable(system)
    for key in NO_EFFECT:
        result.pop(key, None)
    node = result.get("perception")
    if not isinstance(node, Mapping):
        return result
    result |= {key: node.get(key) for key in ("flip_tta", "refine")}
    if node["_target_"] == SHIPPED and not {"checkpoint", "modules"} & node.keys():
        result["perception"] = None
    else:
        own = modules.get("perception")
        result["perception"] = title(own) if own else _name(node)
    if not node["_target_"].startswith("po3d.") and (inputs := _inputs(node)):
        result["perception_options"] = inputs  # a sweep over them names each run
    return result


def identity_of(
    system: Mapping[str, Any], modules: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what identifies a run's system: its settings and, for separate modules or another
    estimator than the shipped ones, the identities of the built objects and their options."""
    result = system_settings(system, modules)
    result.pop("perception_options", None)
    node = buildable(system).get("perception")
    if isinstance(node, Mapping) and (node["_target_"] != SHIPPED or "modules" in node):
        built = {}
        for name, module in modules.items():
            if name.startswith("perception."):
                built[name] = module
        options = node["modules"] if node["_target_"] == SHIPPED else _inputs(node)
        own = {"modules": built, "options": options}
        result["perception"] = {**modules.get("perception", {}), **own}
    return result


def _inputs(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of an estimator's config that may affect its predictions."""
    result = dict(node)
    for key in ("_target_", "device"):
        result.pop(key, None)
    return result


def _name(own: Any) -> str:
    """Return the name of a module by its config: that of the checkpoint, file, run or class."""
    if isinstance(own, Mapping) and own.get("modules"):
        result = []
        for name, part in own["modules"].items():
            result.append(f"{name} {_name(part)}")
        return " + ".join(result)
    if isinstance(own, Mapping):
        of_class = str(own.get("_target_")).rpartition(".")[2]
        own = own.get("checkpoint") or own.get("path") or of_class
    path = Path(str(own))
    return path.parent.name if path.name == SCENES else path.name


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
    option that the domain does not read."""
    read = domain_of(domain).options
    inputs = {}
    for name, value in options.items():
        if value is not None:
            inputs[name] = value
    observed = perception.given() if isinstance(perception, Shipped) else {"perception": perception}
    scenes = inputs.get("scenes", "predicted")
    if observed and scenes not in PICTURES and set(observed) != {"device"}:
        (first, *_) = (OPTIONS[name] for name in observed)
        raise InputError(
            f"{first} is set, but has no effect on system=po3d, benchmark={benchmark}"
            f" with benchmark.scenes={scenes}"
        )
    inputs |= observed
    for name in inputs:
        if name not in read:
            raise InputError(
                f"{OPTIONS[name]} is set, but has no effect on system=po3d, benchmark="
                f"{benchmark} (domain {domain})"
            )
    shared = {
        "oracle": tuple(oracle),
        "parser": parser,
        **({"seed": seed} if "seed" in read else {}),
    }
    created = build_pipeline(domain, **inputs, **shared)
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
        return random_baseline(seed)
    if domain == "rooms":
        return random_answer(_training(benchmark, domain, training), seed)
    return random_option(seed, consistent)


def frequency(benchmark: str, domain: str, training: Mapping[str, Any]) -> System:
    """Return the majority baseline: the most frequent answer of a training twin. `training`: its
    `size` (None: TRAINING) and `seed`."""
    questions = _training(benchmark, domain, training)
    return frequency_baseline(questions) if domain == "street" else frequency_answer(questions)


def _training(benchmark: str, domain: str, training: Mapping[str, Any]) -> list[Question]:
    return registry.training_questions(
        benchmark, training["size"] or TRAINING[domain], training["seed"]
    )


def planar(benchmark: str, domain: str) -> System:
    """Return the 2D baseline: gold programs on true image boxes, without depth (3DSRBench only)."""
    if domain != "photographs":
        raise InputError(f"system=planar does not support {benchmark}")
    return planar_baseline()
