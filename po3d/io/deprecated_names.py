"""Old names that still work for one release: modules and what is in them, options of configs,
commands of `po3d`.

The table is deprecated_names.toml: [modules] old = new, [names] "new.module:Old" = "New" or
"other.module:New", [options] old key = new key, [commands] old = new. An old module or name gives a
DeprecationWarning, an old option or command one line on stderr.
"""

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any


@cache
def table() -> dict[str, dict[str, str]]:
    """The sections of deprecated_names.toml."""
    import tomllib  # only when an old name may be meant

    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def new_module(old: str) -> str | None:
    """Today's name of a module, or of one inside a package that was renamed; None for a name that
    is not an old one.
    """
    modules, tail = table()["modules"], ""
    name = old
    while name:
        if name in modules:
            return modules[name] + tail
        name, _, last = name.rpartition(".")
        tail = f".{last}{tail}"
    return None


def old_name(module: str, name: str) -> Any:
    """What an old name of a module is called today, for a module's `__getattr__`; AttributeError
    for any other name.
    """
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
        new = self.__spec__.loader.new
        module = importlib.import_module(new)
        if hasattr(module, name):
            return getattr(module, name)
        if f"{new}:{name}" in table()["names"]:
            return old_name(new, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


class _OldModuleLoader(Loader):
    def __init__(self, new: str) -> None:
        self.new = new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        warnings.warn(
            f"{spec.name} is deprecated; use {self.new}", DeprecationWarning, stacklevel=2
        )
        return _OldModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        importlib.import_module(self.new)

    def get_code(self, name: str) -> CodeType:
        """The new module's code, for `python -m OLD`."""
        spec = importlib.util.find_spec(self.new)
        return spec.loader.get_code(self.new)


class _Finder(MetaPathFinder):
    """Comes last: it is asked only for modules that nothing else finds."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not name.startswith("po3d.") or (new := new_module(name)) is None:
            return None
        today = importlib.util.find_spec(new)
        if today is None:
            return None
        is_package = today.submodule_search_locations is not None
        return ModuleSpec(name, _OldModuleLoader(new), origin=today.origin, is_package=is_package)


def install() -> None:
    """Let old module names be imported; a second call changes nothing."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


def _notice(old: str, new: str) -> None:
    print(
        f"note: {old} is deprecated and will be removed in the next release; use {new}",
        file=sys.stderr,
    )


def new_options(arguments: Sequence[str]) -> list[str]:
    """key=value options under today's names, with a line on stderr for each old one."""
    options, result = table()["options"], []
    for argument in arguments:
        key, sign, value = argument.partition("=")
        plain = key.lstrip("+~")
        if sign and plain in options:
            _notice(f"{plain}=", f"{options[plain]}=")
            argument = f"{key[: len(key) - len(plain)]}{options[plain]}={value}"
        result.append(argument)
    return result


def new_command(arguments: Sequence[str]) -> list[str]:
    """The words of a command line with today's command; a line on stderr for an old one."""
    words, commands = list(arguments), table()["commands"]
    if words and words[0] in commands:
        _notice(f"po3d {words[0]}", f"po3d {commands[words[0]]}")
        words[0] = commands[words[0]]
    return words
