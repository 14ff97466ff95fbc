"""Start of a script: compose its config with hydra; errors of the user are InputErrors of one line.

Uses hydra's compose API, not its launcher: the working directory does not change, no output folders
appear, and errors can be shortened to one line. Only sweeps (-m) use hydra's launcher.
"""

import ast
import difflib
import functools
import importlib.util
import inspect
import itertools
import os
import re
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import hydra
from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Quote, QuotedString
from hydra.errors import HydraException
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from po3d.io.cli_errors import guarded, out_of_memory
from po3d.io.deprecated_names import new_options
from po3d.io.errors import InputError, printable, visible
from po3d.io.paths import CONFIGS, INSTALLED, script
from po3d.io.paths import ROOT as ROOT  # imported from here by scripts and tests

# the object that hydra could not build, in its message
_TARGET = re.compile(r"(?:target|locating|loading) '([\w.]+)'")
MANY = frozenset(("-m", "--multirun"))


def _of_launcher(override: str) -> bool:
    """Whether an override is an option of hydra's launcher; hydra.searchpath is not, it is read
    here."""
    name = override.lstrip("+~")
    return name.startswith("hydra.") and not name.startswith("hydra.searchpath=")


def compose(name: str, overrides: Sequence[str] = ()) -> DictConfig:
    """Return the config `name` with key=value overrides; InputError for an invalid one."""
    overrides = new_options(overrides)
    if wrong := next((o for o in overrides if "=" not in o and not o.startswith("~")), None):
        raise InputError(f"{wrong!r} is not an option; options have the form key=value, see --help")
    if wrong := next((o for o in overrides if "\0" in o), None):
        raise InputError(f"the option {printable(wrong)} contains a NUL character")
    if wrong := next(filter(_of_launcher, overrides), None):
        raise InputError(f"{printable(wrong)}: hydra's own options have an effect only with -m")
    try:
        config = _compose(name, [as_typed(name, override) for override in overrides])
        # raises on invalid interpolations
        plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except MissingMandatoryValue as error:
        key = error.full_key
        raise InputError(f"the option {key} has no value; set {key}=...") from None
    except (HydraException, OmegaConfBaseException) as error:
        raise InputError(_one_line(name, overrides, error)) from None
    except RecursionError:
        raise InputError("an option is nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits
        raise InputError(f"an option is not readable ({' '.join(str(error).split())})") from None
    from po3d.io.settings_schemas import check_settings  # pydantic takes 0.1 s to import

    check_settings(name, plain)
    return config


def as_typed(name: str, override: str) -> str:
    """Return an override of the config `name` in hydra's syntax. A text, such as a path, is quoted,
    so that any character is taken literally; a leading ~ is expanded to the home folder. Values
    that begin with a bracket, brace or quote, null, and values with ${ are left to hydra."""
    key, _, value = override.partition("=")
    if not value or value == "null" or value[0] in "[{'\"" or "${" in value or key.startswith("~"):
        return override
    if value.startswith("~"):
        value = os.path.expanduser(value)
    if key.lstrip("+") not in _texts(name) and _readable(f"{key}={value}"):
        return f"{key}={value}"
    return f"{key}={QuotedString(value, Quote.single).with_quotes()}"


def _readable(override: str, sweep: bool = False) -> bool:
    """Whether hydra can parse an override. Several paths separated by commas are parsed only for a
    `sweep`."""
    try:
        result = OverridesParser.create().parse_override(override)
    except HydraException:
        return False
    return sweep or not (result.is_sweep_override() and "/" in override)


@functools.cache
def _texts(name: str) -> frozenset[str]:
    """Return the dotted keys of the config `name` whose value is a text or null, not a number, list
    or choice."""
    from po3d.io.settings_schemas import texts_of

    return frozenset(texts_of(name))


def _compose(name: str, overrides: Sequence[str]) -> DictConfig:
    GlobalHydra.instance().clear()
    with initialize_config_dir(version_base="1.3", config_dir=str(CONFIGS)):
        return hydra_compose(name, overrides=list(overrides))


def varied(config: DictConfig, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the resolved config with other values for some dotted keys; InputError for an unknown
    key."""
    changed = config.copy()
    for key, value in changes.items():
        try:
            OmegaConf.update(changed, key, value)
        except OmegaConfBaseException as error:
            raise InputError(f"{key}={value}: {' '.join(str(error).split())}") from None
    return OmegaConf.to_container(changed, resolve=True)


def build(node: dict[str, Any], **extra: object) -> Any:
    """Build the object of a config node with a `_target_`; the node's `name` is not passed. Classes
    outside po3d may be in modules of the current folder. Errors of the object are InputErrors,
    except those of the machine: files and memory."""
    if not all(target.startswith("po3d.") for target in _targets(node)):
        sys.path += [os.getcwd()] if os.getcwd() not in sys.path else []
    try:
        return instantiate({k: v for k, v in node.items() if k != "name"}, _convert_="all", **extra)
    except HydraException as error:
        cause: BaseException = error
        # hydra's own exceptions; an error of the object may have a cause itself
        while isinstance(cause, HydraException) or type(cause) is ImportError:
            if cause.__cause__ is None:
                break
            cause = cause.__cause__
        target = next(iter(_TARGET.findall(str(error))), node.get("_target_"))
        if isinstance(cause, ModuleNotFoundError) and not target.startswith("po3d."):
            module = str(cause.name)
            if module == target:
                parent, _, name = module.rpartition(".")
                raise InputError(f"{target}: the module {parent} has no {name}") from None
            if target.startswith(f"{module}."):
                raise InputError(
                    f"{target}: module {module!r} not found in the current folder or on PYTHONPATH"
                ) from None
            raise InputError(f"{target} needs module {module!r}, which is not installed") from None
        if isinstance(cause, InputError | OSError | ModuleNotFoundError) or out_of_memory(cause):
            raise cause from None
        message = " ".join(str(cause).split())[:300]
        raise InputError(f"{target}: {message} ({type(cause).__name__})") from error


def _targets(node: Any) -> Iterator[str]:
    """Yield the `_target_` of a config node and those of the nodes in it."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if key == "_target_":
            yield str(value)
        elif isinstance(value, dict | list):
            yield from _targets(value)


def run_hydra(
    main: Callable[[DictConfig], None],
    name: str,
    usage: str | None,
    argv: Sequence[str] | None = None,
) -> int:
    """Run a script and return its exit code. `main` gets the composed config; --help and --cfg only
    print; -m runs it for each combination of options that are lists (`seed=0,1`), by hydra's
    launcher."""
    arguments = new_options(sys.argv[1:] if argv is None else argv)
    if MANY.intersection(arguments):
        return guarded(lambda: _sweep(main, name, arguments))
    if _flags(arguments):
        return guarded(lambda: _describe(name, usage, arguments))
    return guarded(lambda: main(compose(name, arguments)))


def _sweep(main: Callable[[DictConfig], None], name: str, arguments: list[str]) -> None:
    """Run `main` for each combination. On a failure hydra prints it and ends the program."""
    GlobalHydra.instance().clear()
    if not any(a.startswith("hydra.sweep.dir=") for a in arguments):
        arguments.append("hydra.sweep.dir=outputs/sweeps/${now:%Y-%m-%d}/${now:%H-%M-%S}")
    sys.argv = sys.argv[:1]
    for a in arguments:
        # An argument that hydra cannot parse is a path; any other may be a list of values.
        readable = a.startswith("-") or _readable(a, sweep=True)
        sys.argv.append(a if readable else as_typed(name, a))
    hydra.main(version_base="1.3", config_path=str(CONFIGS), config_name=name)(
        partial(_job, main, name)
    )()


def _job(main: Callable[[DictConfig], None], name: str, config: DictConfig) -> None:
    from po3d.io.settings_schemas import check_settings

    def run() -> None:
        check_settings(name, OmegaConf.to_container(config, resolve=True, throw_on_missing=True))
        main(config)

    if code := guarded(run):
        raise RuntimeError(f"exit code {code}")


def _flags(arguments: Sequence[str]) -> list[str]:
    return list(filter(_is_flag, arguments))


def _is_flag(argument: str) -> bool:
    return argument.startswith("-")


def _describe(name: str, usage: str | None, arguments: Sequence[str]) -> None:
    """Print the output of --help or --cfg."""
    flags = _flags(arguments)
    for flag in flags:
        if flag not in ("-h", "--help", "--cfg"):
            raise InputError(
                f"unknown flag {flag!r}; options have the form key=value, flags are --help, --cfg"
                " and -m"
            )
    config = compose(name, list(itertools.filterfalse(_is_flag, arguments)))
    if flags[0] == "--cfg":
        print(OmegaConf.to_yaml(config), end="")
        return
    print(f"{_usage(usage, name)}\n\nOptions and their defaults (configs/{name}.yaml):\n")
    print(OmegaConf.to_yaml(config))
    print("Groups:")
    for group in _groups(name):
        print(f"  {group}={'|'.join(sorted(p.stem for p in (CONFIGS / group).glob('*.yaml')))}")


def run_script(name: str, argv: Sequence[str]) -> None:
    """Run evaluate.py or train.py with these arguments, like `python evaluate.py ...`; ends in
    SystemExit. An installed po3d uses the scripts of the package. --help and --cfg do not run the
    script, as its imports take seconds."""
    path = script(name)
    if _flags(argv) and not MANY.intersection(argv):
        usage = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        sys.exit(guarded(lambda: _describe(name, usage, argv)))
    sys.argv = [str(path), *argv]
    runpy.run_path(str(path), run_name="__main__")


def _usage(text: str | None, name: str) -> str:
    """Return a script's usage text; in an installed package its name is a command of po3d."""
    text = (text or "").strip()
    return text.replace(f"python {name}.py", f"po3d {name}") if INSTALLED else text


def _groups(name: str) -> list[str]:
    """Return the config groups in the defaults list of `name`."""
    defaults = OmegaConf.load(CONFIGS / f"{name}.yaml").get("defaults", [])
    groups: list[str] = []
    for entry in defaults:
        if isinstance(entry, DictConfig):
            groups += map(str, entry)
    return groups


def _one_line(name: str, overrides: Sequence[str], error: Exception) -> str:
    """Shorten a hydra error, which spans several lines and causes, to its essential part."""
    message = " ".join(str(error).split())
    for tail in ("Config search path:", "See https://", "object_type="):
        message = message.split(tail)[0].rstrip()
    if not message.startswith("Could not override"):
        return message  # an error inside a chosen file, not in an option of the user
    wrong = next((o for o in overrides if f"'{_key(o)}'" in message), message)
    chosen = [o for o in overrides if _key(o) in _groups(name)]  # determine the other options
    known = list(_keys(OmegaConf.to_container(_compose(name, chosen))))
    near = difflib.get_close_matches(_key(wrong), known, 3, 0.6)
    hint = f"known: {', '.join(k for k in known if '.' not in k)}"
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    return f"unknown option {_key(wrong)!r} (in {wrong!r}); {hint}"


def _key(override: str) -> str:
    return override.split("=")[0].lstrip("+~")


def _keys(node: Any, prefix: str = "") -> Iterator[str]:
    for key, value in node.items():
        if key != "_target_":
            yield prefix + key
        if isinstance(value, dict):
            yield from _keys(value, f"{prefix}{key}.")


def check_wandb(options: dict[str, Any] | None) -> None:
    """Raise InputError for options and values that wandb.init would reject after the run."""
    if options is None:
        return
    if importlib.util.find_spec("wandb") is None:
        raise InputError("wandb= needs wandb: pip install wandb")
    import wandb  # slow import

    if unknown := sorted(set(options) - set(inspect.signature(wandb.init).parameters)):
        raise InputError(f"wandb.init has no argument {visible(unknown[0])!r}")
    if not isinstance(options.get("config") or {}, dict):
        raise InputError("wandb.config should be an object")
    if not isinstance(options.get("dir") or "", str):
        raise InputError("wandb.dir should be the path of a folder")
    for key, value in options.items():
        field = key if key in wandb.Settings.model_fields else f"run_{key}"
        if value is None or field not in wandb.Settings.model_fields:
            continue
        try:  # wandb.init accepts one tag too
            wandb.Settings(
                **{field: [value] if key == "tags" and isinstance(value, str) else value}
            )
        except Exception as error:  # pydantic's and wandb's own
            reason = error.errors()[0]["msg"] if hasattr(error, "errors") else str(error)
            raise InputError(f"wandb.{key}: {visible(reason)}") from None
