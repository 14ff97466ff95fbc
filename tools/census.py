"""Counts of how the code is written: names, classes, lengths, densities.

python -m tools.census            po3d/ of this checkout; identifiers of tests/ and tools/, too
python -m tools.census --list     also what is behind each count
python -m tools.census --json     the counts as one JSON object
python -m tools.census --draw 7   40 docstrings and messages of po3d/, sampled with seed 7, to read
"""

import argparse
import ast
import builtins
import io
import json
import keyword
import math
import random
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PARTICIPLES = {
    "told", "said", "kept", "made", "found", "asked", "shown", "looked", "posed", "begun",
    "ran", "seen", "meant", "spelled", "heard", "called", "drawn", "given",
}  # fmt: skip
MESHES = ("synthesis/shapes/", "synthesis/vehicles/")  # tables of numbers in the form of functions
LONG_FUNCTION, LONG_FILE, WIDTH = 60, 400, 100  # lines, lines, columns
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Where the meaning of `next_to` is written: limits, definitions, branches, tables of functions.
PLACES = re.compile(
    r"rules\.next_to\b|next_to_limit\(|def _?next_to\b"
    r'|[=!]= "next_to"|case "next_to"|"next_to": [a-z_.]+,'
)


class Source(NamedTuple):
    path: str  # below the root, with slashes
    text: str
    tree: ast.Module


class Count(NamedTuple):
    name: str
    value: float
    items: Sequence[str] = ()


def sources(root: Path, *folders: str) -> list[Source]:
    """The Python files under some folders of a checkout."""
    paths = sorted(path for folder in folders for path in (root / folder).rglob("*.py"))
    texts = [
        (path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in paths
    ]
    return [Source(name, text, ast.parse(text)) for name, text in texts]


def is_participle(name: str) -> bool:
    """Whether a part of an identifier is one of PARTICIPLES; exceptions of Python are not."""
    if hasattr(builtins, name) or name.endswith("NotFoundError"):
        return False
    parts = re.split("_+", re.sub("(?<=[a-z])(?=[A-Z])", "_", name))
    return not PARTICIPLES.isdisjoint(part.lower() for part in parts)


def names(source: Source) -> Iterator[tuple[str, int]]:
    """The identifiers of a file and their lines, without hypothesis' decorator `given`; before
    Python 3.12 none inside f-strings."""
    of_hypothesis = {"given"} if "from hypothesis import" in source.text else set()
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        skipped = keyword.iskeyword(token.string) or token.string in of_hypothesis
        if token.type == tokenize.NAME and not skipped:
            yield token.string, token.start[0]


def participles(files: Sequence[Source], what: str) -> Count:
    total, items = 0, []
    for source in files:
        for name, line in names(source):
            total += 1
            if is_participle(name):
                items.append(f"{source.path}:{line} {name}")
    return Count(
        f"participle identifiers per 1,000 names, {what}", 1000 * len(items) / max(total, 1), items
    )


def _is_protocol(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).split("[")[0].split(".")[-1] == "Protocol" for base in node.bases)


def classes(files: Sequence[Source]) -> list[Count]:
    """Classes, and names that stand for several of them; a Protocol may share its name."""
    every, places = [], defaultdict(list)
    for source in files:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef):
                every.append(f"{source.path}:{node.lineno} {node.name}")
                if not _is_protocol(node):
                    places[node.name].append(f"{source.path}:{node.lineno}")
    candidates = [
        f"{name}: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1
    ]
    return [
        Count("class names defined more than once", len(candidates), candidates),
        Count("classes", len(every)),
    ]


def long_functions(files: Sequence[Source]) -> Count:
    items = []
    for source in files:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = node.end_lineno - node.lineno + 1
                if length > LONG_FUNCTION:
                    items.append(f"{source.path}:{node.lineno} {node.name} {length}")
    return Count(f"functions above {LONG_FUNCTION} lines outside meshes", len(items), items)


def long_files(files: Sequence[Source]) -> Count:
    lengths = [(source.text.count("\n"), source.path) for source in files]
    items = [
        f"{path} {length}" for length, path in sorted(lengths, reverse=True) if length > LONG_FILE
    ]
    return Count(f"files above {LONG_FILE} lines", len(items), items)


def lines_at_width(files: Sequence[Source]) -> Count:
    """Lines after formatting at WIDTH columns; what stays wider counts as if it were broken."""
    ruff = [sys.executable, "-m", "ruff", "format", "--quiet", "--isolated", "--no-cache"]
    options = ["--line-length", str(WIDTH), "--config", "format.skip-magic-trailing-comma=true"]
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder, f"{number}.py") for number in range(len(files))]
        for source, copy in zip(files, copies, strict=True):
            copy.write_text(source.text, encoding="utf-8")
        subprocess.run([*ruff, *options, folder], check=True)
        for copy in copies:
            for line in copy.read_text(encoding="utf-8").splitlines():
                total += max(1, math.ceil(len(line) / WIDTH))
    return Count(f"lines without meshes at {WIDTH} columns", total)


def code_lines(source: Source) -> int:
    """Lines that hold code: no blank ones, comments or docstrings."""
    lines: set[int] = set()
    skip = (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    )
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type not in skip:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(source.tree):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and ast.get_docstring(node):
            lines.difference_update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def densities(files: Sequence[Source]) -> list[Count]:
    comprehensions = sum(
        isinstance(n, COMPREHENSIONS) for source in files for n in ast.walk(source.tree)
    )
    lines = sum(map(code_lines, files))
    wide = [
        f"{source.path}:{number} {len(line)}"
        for source in files
        for number, line in enumerate(source.text.splitlines(), 1)
        if len(line) > WIDTH
    ]
    return [
        Count("comprehensions per 100 lines of code", 100 * comprehensions / max(lines, 1)),
        Count(f"lines above {WIDTH} columns", len(wide), wide),
    ]


def places(files: Sequence[Source]) -> Count:
    items = []
    for source in files:
        for number, line in enumerate(source.text.splitlines(), 1):
            if PLACES.search(line):
                items.append(f"{source.path}:{number} {line.strip()[:90]}")
    modules = {item.partition(":")[0] for item in items}
    return Count("modules in which the meaning of next_to is written", len(modules), items)


def census(root: Path = ROOT) -> list[Count]:
    """All counts of a checkout."""
    package = sources(root, "po3d")
    plain = [s for s in package if not any(f"/{m}" in s.path for m in MESHES)]
    return [
        *(
            participles(sources(root, folder), f"{folder}/")
            for folder in ("po3d", "tests", "tools")
        ),
        *classes(package),
        long_functions(plain),
        long_files(package),
        lines_at_width(plain),
        *densities(package),
        places(package),
    ]


def texts(files: Sequence[Source]) -> list[str]:
    """Return the docstrings and messages (f-strings and strings of several words in a raise, a
    print or a `help=`) of some files, each with its place."""
    result = []
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for source in files:
        for node in ast.walk(source.tree):
            if isinstance(node, kinds) and (words := ast.get_docstring(node)):
                name = getattr(node, "name", "module")
                result.append(f"{source.path}:{node.body[0].lineno} {name}: {words}")
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                messages = node.exc.args
            elif isinstance(node, ast.keyword) and node.arg == "help":
                messages = [node.value]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
                messages = node.args
            else:
                continue
            for message in messages:
                is_text = isinstance(message, ast.JoinedStr | ast.Constant)
                if is_text and " " in (words := ast.unparse(message)):
                    result.append(f"{source.path}:{message.lineno} {words}")
    return sorted(result)


def draw(files: Sequence[Source], seed: int, count: int = 40) -> list[str]:
    """Return a sample of the docstrings and messages."""
    every = texts(files)
    return random.Random(seed).sample(every, min(count, len(every)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "root", nargs="?", type=Path, default=ROOT, help="a checkout (default: this one)"
    )
    parser.add_argument(
        "--list", action="store_true", help="also print up to 40 items behind each count"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--draw", type=int, metavar="SEED", help="print 40 docstrings and messages")
    options = parser.parse_args(arguments)
    if options.draw is not None:
        print(*draw(sources(options.root, "po3d"), options.draw), sep="\n\n")
        return
    counts = census(options.root)
    if options.json:
        print(json.dumps({count.name: round(count.value, 2) for count in counts}, indent=1))
        return
    for count in counts:
        value = f"{count.value:,.0f}" if float(count.value).is_integer() else f"{count.value:,.2f}"
        print(f"{value:>9}  {count.name}")
        for item in count.items[:40] if options.list else ():
            print(f"{'':11}{item}")


if __name__ == "__main__":
    main()
