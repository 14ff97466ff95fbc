"""Mutation tests: does some test notice when a module is changed?

    python tools/mutation.py po3d/scene/geometry.py tests/scene/test_geometry.py ... [--sample 150] [--seed 0] [--jobs 1]

A mutant is the module with one small change: another operator, constant, branch, or a statement less. The tests run on
each in a forked child of a process that has imported the libraries already (torch alone takes ten seconds), so a mutant
costs little more than its tests. One that fails a test, or takes several times as long, is killed; the others are printed
as diffs. (mutmut 3 changes nothing outside of functions, and no decorated ones: neither a module's thresholds, nor the
constants of a dataclass, nor properties.) Messages of errors, annotations and docstrings are left alone.
"""

import argparse
import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SLOWER, LEAST_SECONDS = (
    5,
    30,
)  # a mutant may take so many times as long as the tests on the module itself, and so long
MEMORY = 8 << 30  # bytes that a mutant may take
TINY = 1e-3  # smaller constants are tolerances: they change by orders of magnitude

_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_REVERSED = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
_COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
_CALLED = {
    "min": "max",
    "any": "all",
    "sin": "cos",
    "minimum": "maximum",
    "argmin": "argmax",
    "floor": "ceil",
}
_CALLED |= {b: a for a, b in _CALLED.items()}


class Mutant(NamedTuple):
    line: int
    before: str  # the lines that differ
    after: str
    source: str  # of the whole module

    def __str__(self) -> str:
        return f"survived, line {self.line}\n- {self.before.strip()}\n+ {self.after.strip()}"


def mutants(source: str) -> list[Mutant]:
    """All mutants that compile, in the order of the source."""
    tree = ast.parse(source)
    found = []
    for node in _mutable(tree):
        for text in _changes(node):
            mutant = _spliced(source, node, text)
            with contextlib.suppress(SyntaxError):
                if ast.dump(ast.parse(mutant.source)) != ast.dump(tree):
                    found.append(mutant)
    return sorted(set(found))


def _mutable(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, without those that nobody should test."""
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr):
        return
    if isinstance(node, ast.Subscript) and _last_name(node.value) == "Literal":
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            lone = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)  # a docstring
            if isinstance(child, ast.AST) and not lone:
                yield from _mutable(child)


def _changes(node: ast.AST) -> Iterator[str]:
    """What may stand in the place of a node."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield str(not node.value)
        elif isinstance(node.value, int):
            yield f"({node.value + 1})"
        elif isinstance(node.value, float):
            factor = 1.25 if abs(node.value) >= TINY else 1e4
            yield f"({node.value * factor if node.value else 1.0!r})"
        elif isinstance(node.value, str):
            yield repr("XX" + node.value)
    elif isinstance(node, ast.Compare):
        for table in (_COMPARED, _REVERSED):
            for k, op in enumerate(node.ops):
                if type(op) in table:
                    ops = [*node.ops[:k], table[type(op)](), *node.ops[k + 1 :]]
                    yield f"({ast.unparse(ast.Compare(node.left, ops, node.comparators))})"
    elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
        yield f"({ast.unparse(ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right))})"
    elif isinstance(node, ast.UnaryOp):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.IfExp):
        yield f"({ast.unparse(node.body)})"
        yield f"({ast.unparse(node.orelse)})"
    elif isinstance(node, ast.Call) and (name := _last_name(node.func)) in _CALLED:
        func = ast.unparse(node.func).removesuffix(name) + _CALLED[name]
        yield f"{func}{ast.unparse(node).removeprefix(ast.unparse(node.func))}"
    elif isinstance(node, ast.AugAssign):
        yield "pass"
        if type(node.op) in _COMPUTED:
            yield ast.unparse(ast.AugAssign(node.target, _COMPUTED[type(node.op)](), node.value))
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "return None"
    elif isinstance(node, ast.Break | ast.Continue):
        yield "continue" if isinstance(node, ast.Break) else "break"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "pass"


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _spliced(source: str, node: ast.AST, text: str) -> Mutant:
    lines = [line.encode() for line in source.splitlines(keepends=True)]  # columns of nodes count bytes
    first, last = node.lineno - 1, node.end_lineno - 1
    changed = lines[first][: node.col_offset] + text.encode() + lines[last][node.end_col_offset :]
    whole = b"".join([*lines[:first], changed, *lines[last + 1 :]])
    before = b"".join(lines[first : last + 1])
    return Mutant(node.lineno, before.decode(), changed.decode(), whole.decode())


# --- running ------------------------------------------------------------------------------------------------


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Imports one module from a text."""

    def __init__(self, path: Path, source: str) -> None:
        self.name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        self.path, self.source = str(path), source

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name != self.name:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=self.path)

    def get_filename(self, name: str) -> str:
        return self.path

    def get_data(self, path: str) -> bytes:
        return self.source.encode()


class _Hasty:
    """Hypothesis need not look for the smallest failure."""

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile("mutants", settings.default, phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutants")


def _begun(path: Path, source: str, tests: Sequence[str], seconds: float, report: int = -1) -> int:
    """The process id of a child that tests a text of the module; `report`: where it tells what it imported."""
    child = os.fork()
    if child:
        return child
    try:
        signal.alarm(int(seconds))
        resource.setrlimit(resource.RLIMIT_AS, (resource.getpagesize() * _pages() + MEMORY,) * 2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if report < 0:
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        sys.meta_path.insert(0, _Instead(path, source))
        import pytest

        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:warnings"]
        options += ["--tb=no", "--no-summary", "--durations=0"] if report < 0 else ["--durations=5"]
        code = int(pytest.main([*tests, *options], plugins=[_Hasty()]))
        if report >= 0:
            own = str(ROOT)
            files = {name: str(getattr(m, "__file__", None) or "") for name, m in sys.modules.items()}
            others = [name for name, file in files.items() if file and not file.startswith(own)]
            os.write(report, "\n".join(others).encode())
        os._exit(code)
    except BaseException:
        os._exit(9)


def _pages() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0])


def _warmed(path: Path, source: str, tests: Sequence[str]) -> float:
    """Import here what the tests import from elsewhere; the seconds that the tests take."""
    sys.path.insert(0, str(ROOT))
    for again in (False, True):  # first to learn the imports, then for the time
        read, write = os.pipe()
        begin, child = time.monotonic(), _begun(path, source, tests, 600, write)
        os.close(write)
        with os.fdopen(read) as file:
            names = file.read().split("\n")
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            raise SystemExit(f"the tests fail on {path.name} as it is")
        for name in () if again else names:
            with contextlib.suppress(BaseException):
                importlib.import_module(name)
    return time.monotonic() - begin


def survivors(
    path: Path, chosen: Sequence[Mutant], tests: Sequence[str], seconds: float, jobs: int
) -> list[Mutant]:
    """The mutants on which all tests pass."""
    running: dict[int, Mutant] = {}
    alive, waiting = [], list(reversed(chosen))
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            running[_begun(path, mutant.source, tests, seconds)] = mutant
        child, status = os.wait()
        mutant = running.pop(child)
        if os.waitstatus_to_exitcode(status) == 0:
            alive.append(mutant)
            print(
                f"survived, line {mutant.line}\n- {mutant.before.strip()}\n+ {mutant.after.strip()}",
                flush=True,
            )
    return sorted(alive)


def main(arguments: Sequence[str]) -> int:
    """Print the survivors and how many mutants were killed; the exit code is that of success."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("module", type=Path)
    parser.add_argument("tests", nargs="+", help="what pytest runs, cheapest first")
    parser.add_argument("--sample", type=int, default=150, help="at most so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a file for the survivors' names")
    parser.add_argument("--again", type=Path, help="only the survivors in such a file")
    options = parser.parse_args(arguments)
    path = options.module.resolve()
    source = path.read_text(encoding="utf-8")
    every = mutants(source)
    if options.again:
        earlier = options.again.read_text(encoding="utf-8")
        every = [m for m in every if f"{m}\n" in earlier]
    chosen = sorted(random.Random(options.seed).sample(every, min(options.sample, len(every))))
    took = _warmed(path, source, options.tests)
    print(f"{len(chosen)} of {len(every)} mutants; the tests take {took:.1f} s", flush=True)
    alive = survivors(path, chosen, options.tests, LEAST_SECONDS + SLOWER * took, options.jobs)
    if options.out:
        options.out.write_text("".join(f"{m}\n" for m in alive), encoding="utf-8")
    killed = len(chosen) - len(alive)
    print(f"{options.module}: {killed} of {len(chosen)} killed ({100 * killed / max(len(chosen), 1):.1f} %)")
    return 0


if __name__ == "__main__":
    os.environ |= {"OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    sys.exit(main(sys.argv[1:]))
