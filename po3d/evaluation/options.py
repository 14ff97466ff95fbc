"""Options of an evaluation: defaults, output folder, settings for the report, and rejection of
options that are not used.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from omegaconf import DictConfig, OmegaConf

from po3d.benchmarks.registry import BENCHMARKS, difficulty_options
from po3d.benchmarks.twin_folder import kind_of_data
from po3d.evaluation.calibration import SelectiveSystem
from po3d.io.config import CONFIGS, build
from po3d.io.errors import InputError
from po3d.io.run_names import run_folder, slug
from po3d.io.runs import SCENES
from po3d.synthesis.difficulty import difficulty_of
from po3d.systems.estimators import Shipped, chosen_modules, title
from po3d.systems.input_errors import BadImageCounter
from po3d.systems.table_files import FromFile

GROUPS = ("executor", "benchmark", "perception", "parser")  # option groups that only some runs read
ALONE = ("oracle", "noise", "reader")  # options outside the groups that only some runs read
# Benchmark options that apply only to generated data or to data.root, and options that every split
# or score reads.
DATA_KEYS = {"look": "split=fresh", "dials": "split=fresh", "scans": "data.root=DIR"}
ALWAYS_READ = ("name", "domain", "scorer", "on_bad_image", "sbert", "furniture")
SHIPPED = f"{Shipped.__module__}.{Shipped.__qualname__}"
# System settings that do not affect predictions.
NO_EFFECT = (
    "name",
    "device",
    "margins",
    "log",
    "key_env",
    "concurrency",
    "timeout",
    "tries",
    "wait",
    "give_up",
    "price",
)


def defaults(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options at their defaults for the chosen benchmark and system, loaded from
    configs/.
    """
    config = OmegaConf.load(CONFIGS / "evaluate.yaml")
    chosen = {
        "benchmark": options["benchmark"]["name"],
        "perception": "shipped",
        "parser": "shipped",
    }
    for group, name in {**chosen, "system": options["system"]["name"]}.items():
        path = CONFIGS / group / f"{name}.yaml"  # a user's own config has no other defaults
        config[group] = OmegaConf.load(path) if path.is_file() else OmegaConf.create(options[group])
    return OmegaConf.to_container(config, resolve=True)


def check_read(config: DictConfig, options: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Raise InputError for an option that is set but read neither by the split nor by the system of
    this run. Options that the system's domain does not read are rejected when the system is built.
    """
    root, of = options["data"]["root"], options["benchmark"]["name"]
    if unknown := sorted(set(options["benchmark"]) - set(usual["benchmark"])):
        raise InputError(f"benchmark.{unknown[0]} is not an option of {of}")
    if root is not None and options["split"] != usual["split"]:
        raise InputError(
            f"split={options['split']} is set, but the questions come from data.root={root}"
        )
    pairs = [(f"{g}.{k}", v, usual[g].get(k)) for g in GROUPS for k, v in options[g].items()]
    changed = [key for key, now, before in pairs if now != before]
    changed += [key for key in ALONE if options[key] != usual[key]]
    there = {
        "split=fresh": root is None and options["split"] == "fresh",
        "data.root=DIR": root is not None,
    }
    for key, reader in DATA_KEYS.items():
        if f"benchmark.{key}" in changed and not there[reader]:
            raise InputError(f"benchmark.{key} is set, but only {reader} uses it")
    # A system reads what its config interpolates: "${executor.mode}" one option, "${perception}" a
    # whole group.
    raw = str(OmegaConf.to_container(config.system, resolve=False))
    named = set(re.findall(r"\$\{(?:oc\.select:)?([\w.]+)", raw))
    read = {*named, *(f"benchmark.{key}" for key in (*ALWAYS_READ, *DATA_KEYS))}
    for key in changed:
        if key not in read and key.partition(".")[0] not in named:
            raise InputError(
                f"{key} is set, but has no effect on system={options['system']['name']} with"
                f" benchmark={of}"
            )
    if options["executor"]["samples"] not in (
        None,
        options["benchmark"].get("samples", options["executor"]["samples"]),
    ):
        raise InputError(
            "executor.samples and benchmark.samples are the same option, and are set to different"
            " values"
        )


def identity_of(
    system: Mapping[str, Any], modules: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what identifies a run's system: its settings and, for a custom estimator, its identity
    and constructor options.
    """
    result = system_settings(system, modules)
    node = system.get("perception")
    if not isinstance(node, Mapping):
        return result
    if node.get("_target_") != SHIPPED:
        inputs = {
            k: v
            for k, v in buildable(system)["perception"].items()
            if k not in ("_target_", "device")
        }
        result["perception"] = {**modules.get("perception", {}), "options": inputs}
    elif chosen := chosen_modules(node.get("modules")):
        of = {k: own for k, own in modules.items() if k.startswith("perception.")}
        result["perception"] = {"name": result["perception"], "modules": of, "options": chosen}
    result.pop("perception_options", None)
    return result


def buildable(system: Mapping[str, Any], on_cpu: bool = False) -> dict[str, Any]:
    """Return a system's config without null settings of shipped estimators, which other estimators
    do not accept. With `on_cpu`, the estimator's device is set to the CPU.
    """
    node = system.get("perception")
    importable(system["_target_"])
    if not isinstance(node, Mapping):
        return dict(system)
    if not node.get("_target_"):
        raise InputError(
            "perception should have a _target_, the class of an estimator (docs/extending.md)"
        )
    node = {**node, "modules": chosen_modules(node.get("modules")) or None}
    for name, own in {"": node, **(node["modules"] or {})}.items():
        if isinstance(own, Mapping):
            if not own.get("_target_"):
                raise InputError(
                    f"perception.modules.{name} should have a _target_, the class of a module"
                )
            importable(own["_target_"])
    if on_cpu and node.get("device") is not None:
        node = {**node, "device": "cpu"}
    unset = [key for key in Shipped.__dataclass_fields__ if node.get(key) is None]
    return {**system, "perception": {key: value for key, value in node.items() if key not in unset}}


def importable(target: str) -> None:
    """Add the current folder to sys.path for classes outside po3d."""
    if not target.startswith("po3d.") and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def build_system(system: Mapping[str, Any], below: float, counts: bool) -> Any:
    """Build the system of a config and apply `with_policies`."""
    return with_policies(build(buildable(system)), below, counts)


def with_policies(system: Any, below: float, counts: bool) -> Any:
    """Wrap the system: abstain below a probability; count unreadable images as failures instead of
    stopping, if `counts` is set or scenes are read from a file (where scenes may be missing).
    """
    from_file = isinstance(getattr(system, "tables", None), FromFile)
    system = SelectiveSystem(system, below) if below else system
    return BadImageCounter(system) if counts or from_file else system


def system_settings(
    system: Mapping[str, Any], modules: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the settings of a system that affect predictions. "perception" is the title of the
    built estimator (`modules`); before it is built, a name derived from the config.
    "perception_options" are the constructor options of an estimator outside po3d.
    """
    result = {key: value for key, value in system.items() if key not in NO_EFFECT}
    node = result.get("perception")
    if not isinstance(node, Mapping):
        return result
    result |= {key: node.get(key) for key in ("mirror", "verify")}
    shipped, chosen = node.get("_target_") == SHIPPED, chosen_modules(node.get("modules"))
    if shipped and node.get("checkpoint") is None and not chosen:
        result["perception"] = None
    elif "perception" in modules:
        result["perception"] = title(modules["perception"])
    elif shipped and chosen:
        result["perception"] = " + ".join(f"{name} {_title(own)}" for name, own in chosen.items())
    else:
        result["perception"] = _title(node.get("checkpoint") or node.get("path") or node)
    if not str(node["_target_"]).startswith("po3d."):  # a sweep over them names each run
        inputs = buildable(system)["perception"]
        inputs = {k: v for k, v in inputs.items() if k not in ("_target_", "device")}
        result |= {"perception_options": inputs} if inputs else {}
    return result


def _title(own: Any) -> str:
    """Return the name of a module by its config: that of the checkpoint, file, run or class."""
    if isinstance(own, Mapping):
        return str(own["_target_"]).rpartition(".")[2]
    path = Path(str(own))
    return path.parent.name if path.name == SCENES else path.name


def default_out(
    options: Mapping[str, Any], settings: Mapping[str, Any], default: Mapping[str, Any]
) -> str:
    """Return the default output folder outputs/NAME, composed of data, system and non-default
    settings.
    """
    size = "" if options["size"] is None else f"-size{options['size']}"
    if options["data"]["root"] is not None:
        root = Path(options["data"]["root"])
        scans = options["benchmark"].get("scans")
        split = f"{kind_of_data(root)}-{slug(root.resolve().stem)}"
        split += f"-scans-{slug(Path(scans).stem)}" if scans else ""
    elif options["split"] == "mini":
        split = "mini" if options["seed"] == 0 else f"mini-seed{options['seed']}"
    else:
        look, dials = options["benchmark"].get("look"), difficulty_options(options["benchmark"])
        tag = slug(
            difficulty_of(dials.get("dials"), BENCHMARKS[options["benchmark"]["name"]].dials).tag
        )
        split = "-".join(filter(None, [f"fresh-seed{options['seed']}", look, tag]))
    system = options["system"]["name"]
    name = run_folder(options["benchmark"]["name"], split + size, system, settings, default)
    return str(Path("outputs") / (f"{name}-grid" if options.get("grid") else name))


def as_list(value: Any) -> Any:
    """Wrap a single string in a list: `oracle=heading`."""
    return [value] if isinstance(value, str) else value


def modules(value: Any) -> list[str]:
    """Return the modules of `oracle=` as a list; raise InputError for anything but a string or a
    list of strings.
    """
    names = as_list(value) if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(
            f"oracle={value!r} should be a list of modules, such as oracle=[heading,color]"
        )
    return list(names)
