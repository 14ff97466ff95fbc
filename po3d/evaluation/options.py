"""What the options of an evaluation choose: the system's config, the folder, what a report says of both; and what is wrong
with them before anything runs. `evaluate.py` is the only one to ask.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from po3d.benchmarks.registry import BENCHMARKS, dials_in
from po3d.evaluation.run import digest
from po3d.evaluation.trust import Abstaining
from po3d.io.config import CONFIGS, build, compose, varied
from po3d.io.errors import InputError
from po3d.io.files import sha256
from po3d.io.naming import run_folder, slug
from po3d.scene.table import to_json
from po3d.synthesis.difficulty import dials_of
from po3d.systems.bad_images import Counting

# Settings of a system that change no answer, nor when it is given.
BY_THE_WAY = (
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
# Options that a system may read or not; where it does not, saying so is better than ignoring them.
MODULES = {
    "perception": ("checkpoint", "device", "mirror", "verify", "photographs"),
    "parser": ("checkpoint",),
    "executor": ("mode", "samples", "margins"),
}
# Of a benchmark's options those that only some data is made or read by, and those that the split or the score always reads; its
# systems read the others.
OF_THE_DATA = {"look": "split=fresh", "dials": "split=fresh", "scans": "data.root=DIR"}
ALWAYS_READ = ("name", "scorer", "on_bad_image", "sbert", "furniture", "systems")


def system_of(options: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    """The system's config: the benchmark's own one of that name, where it brings some, with the checkpoints that the
    options name instead of its own. What looks at no picture has no perception. `usual`: as `_usual` gives it."""
    own, name = options["benchmark"].get("systems"), options["system"]["name"]
    if own is None or name in ("replay", "lmm", "lmm_parser"):
        return options["system"]
    if name not in own:
        known = ", ".join([*own, "replay", "lmm", "lmm_parser"])
        raise InputError(f"system={name} does not answer {options['benchmark']['name']}; known: {known}")
    found = {"name": name, **own[name]}
    for part in ("perception", "parser"):
        given = options[part]["checkpoint"]
        if part in found and given is not None and given != usual[part]["checkpoint"]:
            found[part] = given
    if found.get("table", "picture") not in ("picture", "map") or found.get("photographs"):
        found.pop("perception", None)
    return found


@cache
def _groups() -> dict[str, tuple[str, list[str]]]:
    """Of each config in configs/system by what it makes: its name, and the options that it has no value for."""
    found = {}
    for path in (CONFIGS / "system").glob("*.yaml"):
        own = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
        found[own["_target_"]] = (path.stem, [key for key, value in own.items() if value == "???"])
    return found


def usual_options(options: dict[str, Any]) -> dict[str, Any]:
    """All options as they are when nothing but the benchmark and the system is chosen."""
    name, absent = _groups().get(options["system"]["_target_"], ("po3d", []))
    given = [
        f"benchmark={options['benchmark']['name']}",
        f"system={name}",
        *(f"system.{k}=none" for k in absent),
    ]
    return OmegaConf.to_container(compose("evaluate", given), resolve=True)


def mattering(system_config: dict[str, Any]) -> dict[str, Any]:
    """A system's config without what changes no answer."""
    return {k: v for k, v in system_config.items() if k not in BY_THE_WAY}


def wrapped(system: Any, below: float, counts: bool) -> Any:
    """The system that holds answers of less probability back, and where it `counts` bad pictures goes on at one."""
    system = Abstaining(system, below) if below else system
    return Counting(system) if counts else system


def made(system_config: dict[str, Any], below: float, counts: bool) -> Any:
    """The system of that config, `wrapped`."""
    return wrapped(build(system_config), below, counts)


def check_read(
    config: DictConfig, options: dict[str, Any], usual: dict[str, Any], system_config: dict[str, Any]
) -> None:
    """InputError for an option that nothing of this run reads: neither its split nor its system."""
    root, of = options["data"]["root"], options["benchmark"]["name"]
    if unknown := sorted(set(options["benchmark"]) - set(usual["benchmark"])):
        raise InputError(f"benchmark.{unknown[0]} is no option of {of}")
    if root is not None and options["split"] != usual["split"]:
        raise InputError(
            f"split={options['split']} is set, but data.root={root} says which questions are asked"
        )
    fresh = root is None and options["split"] == "fresh"
    own = {
        k: v
        for k, v in usual["benchmark"].items()
        if k not in ALWAYS_READ and options["benchmark"].get(k) != v
    }
    wanted = {"split=fresh": fresh, "data.root=DIR": root is not None}
    if lacking := [k for k, reader in OF_THE_DATA.items() if k in own and not wanted[reader]]:
        raise InputError(f"benchmark.{lacking[0]} is set, but only {OF_THE_DATA[lacking[0]]} reads it")
    if "perception" in system_config and system_config["perception"] is None:
        return  # there is nothing to look with, which the system itself says best
    keys = {f"{group}.{key}": (group, key) for group, names in MODULES.items() for key in names}
    changed = {
        k: usual[g].get(n) for k, (g, n) in keys.items() if options[g].get(n) not in (None, usual[g].get(n))
    }
    changed |= {key: usual[key] for key in ("oracle", "reader") if options[key] != usual[key]}
    changed |= {f"benchmark.{k}": v for k, v in own.items() if k not in OF_THE_DATA}
    for key, before in changed.items():
        if system_of(varied(config, {key: before}), usual) == system_config:
            table = f" on benchmark.table={system_config['table']}" if "table" in system_config else ""
            raise InputError(
                f"{key} is set, but system={system_config['name']} of {of} does not read it{table}"
            )


def default_out(options: dict[str, Any], settings: dict[str, Any], default: dict[str, Any]) -> str:
    """outputs/ and what the run is: its data, its system, and what is not as it comes."""
    size = "" if options["size"] is None else f"-size{options['size']}"
    if options["data"]["root"] is not None:
        root = Path(options["data"]["root"])
        scans = options["benchmark"].get("scans")
        split = f"{kind_of_data(root)}-{slug(root.resolve().stem)}" + (
            f"-scans-{slug(Path(scans).stem)}" if scans else ""
        )
    elif options["split"] == "mini":
        split = "mini" if options["seed"] == 0 else f"mini-seed{options['seed']}"
    else:
        look, dials = options["benchmark"].get("look"), dials_in(options["benchmark"])
        tag = dials_of(dials.get("dials"), BENCHMARKS[options["benchmark"]["name"]].dials).tag
        split = (
            f"fresh-seed{options['seed']}"
            + (f"-{look}" if look else "")
            + slug(tag).join(["-", ""] if tag else ["", ""])
        )
    name = run_folder(
        options["benchmark"]["name"], split + size, options["system"]["name"], settings, default
    )
    return str(Path("outputs") / (f"{name}-grid" if options.get("grid") else name))


def kind_of_data(root: Path) -> str:
    """ "twin" for data that po3d made, which says so; else "release"."""
    folder = root.parent if root.is_file() else root
    return "twin" if (folder / "twin.json").is_file() else "release"


def digests_beside(split: Any) -> dict[str, str]:
    """Digests of what a split reads from outside its own folder: tables of scans, models that pictures are drawn with."""
    found = {}
    if getattr(split, "scans", None) is not None:
        found["scans"] = digest({name: _table(split, name) for name in split.images})
    if getattr(split, "furniture", None) is not None:
        found["furniture"] = digest(
            {path.name: sha256(path) for path in sorted(split.furniture.glob("*.sh3f"))}
        )
    return found


def _table(split: Any, name: str) -> dict | None:
    try:
        return to_json(split.truth(name))
    except InputError:
        return None


def listed(value: Any) -> Any:
    """A list where one thing stands for itself: `oracle=heading`."""
    return [value] if isinstance(value, str) else value


def modules(value: Any) -> list[str]:
    """The modules of `oracle=`, one alone being a list of one; InputError for anything else."""
    names = listed(value) if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(f"oracle={value!r} should be a list of modules, such as oracle=[heading,color]")
    return list(names)
