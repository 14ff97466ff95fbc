"""Old names that still work for one release: modules and what is in them, options of configs,
commands of `po3d`.

The table is deprecated_names.toml: [modules] old = new, [names] "new.module:Old" = "New" or
"other.module:New", [options] old key = new key, [values] by option, [settings] of stored runs,
[flags] and [commands] old = new. An old module or name gives a DeprecationWarning; an old option,
value, flag or command one line on stderr.
"""

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any


@cache
def table() -> dict[str, dict[str, Any]]:
    """The sections of deprecated_names.toml."""
    import tomllib  # only when an old name may be meant

    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def new_module(old: str) -> str | None:
    """Return the current name of a module, or of one in a renamed package; None for a name that is
    not an old one."""
    modules, tail = table()["modules"], ""
    name = old
    while name:
        if name in modules:
            return modules[name] + tail
        name, _, last = name.rpartition(".")
        tail = f".{last}{tail}"
    return None


def old_name(module: str, name: str) -> Any:
    """Return the object that an old name of a module stands for, with a DeprecationWarning: the
    body of the module's `__getattr__`. AttributeError for any other name."""
    new = table()["names"].get(f"{module}:{name}")
    if new is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    warnings.warn(f"{module}.{name} is deprecated; use {new}", DeprecationWarning, stacklevel=3)
    return new_object(module, new)


def new_object(module: str, new: str) -> Any:
    """Return the object of a row of [names]: NAME in `module`, or "other.module:NAME"."""
    where, _, name = new.rpartition(":")
    return getattr(importlib.import_module(where or module), name)


class _OldModule(ModuleType):
    """A module under its old name; every attribute is the new module's."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(
            "__"
        ):  # the import system's own, such as __path__: a copy would be loaded
            raise AttributeError(name)
        new = self.__spec__.loader_state
        module = importlib.import_module(new)
        if hasattr(module, name):
            return getattr(module, name)
        if f"{new}:{name}" in table()["names"]:
            return old_name(new, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


class _Finder(MetaPathFinder, Loader):
    """Import finder and loader for the old names of modules. It is last in `sys.meta_path`, so it
    handles only names that no other finder resolves."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not name.startswith("po3d.") or (new := new_module(name)) is None:
            return None
        today = importlib.util.find_spec(new)
        if today is None:
            return None
        is_package = today.submodule_search_locations is not None
        state = {"origin": today.origin, "loader_state": new, "is_package": is_package}
        return ModuleSpec(name, self, **state)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = spec.loader_state
        warnings.warn(f"{spec.name} is deprecated; use {new}", DeprecationWarning, stacklevel=2)
        return _OldModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        importlib.import_module(module.__spec__.loader_state)

    def get_code(self, name: str) -> CodeType:
        """The new module's code, for `python -m OLD`."""
        new = new_module(name)
        return importlib.util.find_spec(new).loader.get_code(new)


def install() -> None:
    """Let old module names be imported; a second call changes nothing."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


def _notice(old: str, new: str) -> None:
    print(
        f"note: {old} is deprecated and will be removed in the next release; use {new}",
        file=sys.stderr,
    )


def _today(key: str) -> str:
    """Return the current name of a dotted key, which may be part of an option that was renamed."""
    for old, new in table()["options"].items():
        if key == old or key.startswith(f"{old}."):
            return new + key[len(old) :]
    return key


def _value(key: str, value: str) -> str:
    """Return the current name of an option's value, or of each value of a sweep: "own,learned"."""
    values = table()["values"].get(key, {})
    return ",".join(values.get(part, part) for part in value.split(","))


def new_options(arguments: Sequence[str]) -> list[str]:
    """Return key=value options with current keys and values; print a line for each old one."""
    result = []
    for argument in arguments:
        key, sign, old_value = argument.partition("=")
        plain = key.lstrip("+~")
        new, value = _today(plain), old_value
        if (moved := table()["moved"].get(plain)) and old_value not in moved["today"]:
            new = moved["to"] if plain == "system.scenes" else new
        value = _value(new, old_value)
        if (sign or key.startswith("~")) and (new, value) != (plain, old_value):
            _notice(f"{plain}{sign}{old_value}", f"{new}{sign}{value}")
            argument = f"{key[: len(key) - len(plain)]}{new}{sign}{value}"
        result.append(argument)
    return result


def new_settings(settings: Mapping[str, Any], warn: bool = False) -> dict[str, Any]:
    """Return stored settings of a system, or keyword arguments of `po3d.load`, with current names
    and values; with `warn`, each old name gives a DeprecationWarning."""
    result = {}
    for key, value in settings.items():
        new = table()["settings"].get(key, key)
        if (moved := table()["moved"].get(key)) and value not in moved["today"]:
            new = moved["to"] if value is not None or moved["with"] in settings else key
        for option in (new, f"benchmark.{new}", f"perception.{new}"):
            if isinstance(value, str):
                value = table()["values"].get(option, {}).get(value, value)
        if warn and new != key:
            warnings.warn(f"{key}= is deprecated; use {new}=", DeprecationWarning, stacklevel=4)
        result[new] = value
    return result


def new_config(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Rename the old keys of a stored config, at any depth."""
    result: dict[str, Any] = {}
    for key, value in config.items():
        new = _today(prefix + key)
        name = new.rpartition(".")[2] if new != prefix + key else key
        result[name] = new_config(value, f"{prefix}{key}.") if isinstance(value, Mapping) else value
    return result


def new_command(arguments: Sequence[str]) -> list[str]:
    """Return a command line with the current command; print a line on stderr for an old one."""
    words, commands = list(arguments), table()["commands"]
    if words and words[0] in commands:
        _notice(f"po3d {words[0]}", f"po3d {commands[words[0]]}")
        words[0] = commands[words[0]]
    return words[:1] + _new_flags(words[0], words[1:]) if words else words


def _new_flags(command: str, words: Sequence[str]) -> list[str]:
    """Return the words after a command with current flags and values: `ask --reader own`."""
    flags, result = table()["flags"], []
    for k, word in enumerate(words):
        flag, sign, value = word.partition("=")
        value = value if sign else "".join(words[k + 1 : k + 2])
        new, moved = flags.get(f"{command} {flag}"), table()["moved"].get(flag.lstrip("-"))
        if new and not (moved and value in moved["today"]):
            _notice(f"{command} {flag}", f"{command} {new}")
            word = f"{new}{sign}{value if sign else ''}"
        result.append(word)
    items = []
    for k, word in enumerate(result):
        items.append(_flag_value(result[k - 1] if k else "", word))
    return items


def _flag_value(before: str, word: str) -> str:
    """Rename an old value of the flags --parser and --scenes, in a word "--flag=value" or in a
    word that follows the flag (`before`)."""
    flag, sign, value = word.partition("=")
    if not sign:
        flag, value = before, word
    key = {"--parser": "parser", "--scenes": "system.scenes"}.get(flag)
    return word if key is None else f"{flag}=" * bool(sign) + _value(key, value)
