"""Options of an evaluation: their defaults, rejection of those without effect, output folder."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from po3d.benchmarks.registry import BENCHMARKS, difficulty_options
from po3d.benchmarks.twin_folder import kind_of_data
from po3d.evaluation.calibration import SelectiveSystem
from po3d.io.config import CONFIGS, build
from po3d.io.errors import InputError
from po3d.io.run_names import run_folder, slug
from po3d.synthesis.difficulty import difficulty_of
from po3d.systems.composition import buildable
from po3d.systems.input_errors import BadImageCounter
from po3d.systems.table_files import FromFile

GROUPS = ("executor", "benchmark", "perception", "parser")  # option groups that only some runs read
ALONE = ("oracle", "noise")  # options outside the groups that only some runs read
# Benchmark options that only generated data or data.root uses, and those that all runs read.
DATA_KEYS = {"look": "split=fresh", "difficulty": "split=fresh", "scans": "data.root=DIR"}
# The default choice in groups whose configs have no name.
UNNAMED = {"perception": "shipped", "parser": "cascade"}
ALWAYS_READ = ("name", "domain", "scorer", "on_bad_image", "sbert", "furniture", *DATA_KEYS)


def defaults(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options at their defaults for the chosen benchmark and system."""
    config = OmegaConf.load(CONFIGS / "evaluate.yaml")
    for group in ("benchmark", "perception", "parser", "system"):
        path = CONFIGS / group / f"{options[group].get('name', UNNAMED.get(group))}.yaml"
        # a user's own config has no other defaults
        config[group] = OmegaConf.load(path) if path.is_file() else OmegaConf.create(options[group])
    return OmegaConf.to_container(config, resolve=True)


def check_read(config: DictConfig, options: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Raise InputError for an option that is set but read neither by the split nor by the system of
    this run. Options that the system's domain does not read are rejected when the system is built.
    """
    of, root, split = options["benchmark"]["name"], options["data"]["root"], options["split"]
    if unknown := sorted(set(options["benchmark"]) - set(usual["benchmark"])):
        raise InputError(f"benchmark.{unknown[0]} is not an option of {of}")
    if root is not None and split != usual["split"]:
        raise InputError(f"split={split} is set, but the questions come from data.root={root}")
    where = f"split={split}" if root is None else "data.root=DIR"
    # A system reads what its config interpolates: "${executor.mode}" one option, "${perception}" a
    # whole group.
    raw = str(OmegaConf.to_container(config.system, resolve=False))
    read = {*re.findall(r"\$\{(?:oc\.select:)?([\w.]+)", raw)}
    read |= {f"benchmark.{key}" for key in ALWAYS_READ}
    changed = []
    for group in GROUPS:
        for key, value in options[group].items():
            if value != usual[group].get(key):
                changed.append((group, key))
    for key in ALONE:
        if options[key] != usual[key]:
            changed.append((key, ""))
    for group, key in changed:
        name = f"{group}.{key}" if key else group
        needed = DATA_KEYS.get(key, where) if group == "benchmark" else where
        if needed != where:
            raise InputError(f"{name} is set, but only {needed} uses it")
        if not read & {name, group}:
            name = group if name == "parser.mode" else name
            raise InputError(
                f"{name} is set, but has no effect on system={options['system']['name']} with"
                f" benchmark={of}"
            )


def build_system(system: Mapping[str, Any], below: float, counts: bool) -> Any:
    """Build the system of a config and apply `with_policies`."""
    return with_policies(build(buildable(system)), below, counts)


def with_policies(system: Any, below: float, counts: bool) -> Any:
    """Wrap the system so that it abstains if an answer's probability is under `below`.

    If `counts` is set or scenes are read from a file (where some may be missing), an unreadable
    image counts as a failure instead of stopping the run."""
    from_file = isinstance(getattr(system, "tables", None), FromFile)
    system = SelectiveSystem(system, below) if below else system
    return BadImageCounter(system) if counts or from_file else system


def default_out(
    options: Mapping[str, Any], settings: Mapping[str, Any], default: Mapping[str, Any]
) -> str:
    """Return the folder outputs/NAME, composed of data, system and non-default settings."""
    own, seed, root = options["benchmark"], options["seed"], options["data"]["root"]
    if root is not None:
        parts = [kind_of_data(Path(root)), slug(Path(root).resolve().stem)]
        parts += ["scans", slug(Path(own["scans"]).stem)] if own.get("scans") else []
    elif options["split"] == "mini":
        parts = ["mini", f"seed{seed}" if seed else ""]
    else:
        chosen = difficulty_options(own).get("difficulty")
        difficulty = difficulty_of(chosen, BENCHMARKS[own["name"]].difficulty)
        parts = [f"fresh-seed{seed}", own.get("look"), slug(difficulty.tag)]
    split = "-".join(filter(None, parts))
    split += "" if options["size"] is None else f"-size{options['size']}"
    name = run_folder(own["name"], split, options["system"]["name"], settings, default)
    return str(Path("outputs") / (f"{name}-grid" if options.get("grid") else name))
