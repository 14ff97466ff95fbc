"""Count English strings in code: `python -m tools.english`, from the root of the repository.

A string of a function or constant of the language modules counts if it contains an English
function word (articles, pronouns, prepositions, auxiliaries ...), as every
phrase or pattern of phrases does. Docstrings, error messages and reasons, words of the programs'
language ("behind", "under") and types do not count. The files of po3d/language/grammars are data
and are not counted.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from po3d.language.program import LEAVES, SIGNATURES

MODULES = (
    "language/**/*.py", "synthesis/street/*.py", "synthesis/top_view/*.py",
    "synthesis/indoor_view/*.py", "benchmarks/*/wording.py", "benchmarks/*/twin.py",
    "perception/*caption*.py", "reasoning/references.py", "systems/answer.py",
    "systems/answers.py", "systems/api.py",
    "systems/scene_question.py", "systems/typed_answers.py",
    "systems/baselines.py", "systems/chat.py", "systems/answer_options.py",
    "systems/response_text.py", "training/reader_augmentation.py",
    "training/reader_pairs.py", "training/*parser.py",
)  # fmt: skip
WORDS = (
    "a an the this that these those it its they them their there here what which who whose where"
    " when how why is are was were be been do does did has have had can could will would should may"
    " might must of to in on at by from with without for as than into between and or not no but if"
    " then any some every each all both either neither another other anything something nothing my"
    " your me you we us"
)
_ENGLISH = re.compile(rf"(?<![\w.{{<=])(?:{WORDS.replace(' ', '|')})(?![\w}}>=]|-z)", re.IGNORECASE)
_NAMES = {
    *SIGNATURES,
    *(word for words in LEAVES.values() if isinstance(words, tuple) for word in words),
}
_NAMES |= {"other", "all", "both", "none", "no", "was"}  # operations, modes and answers


def strings(node: ast.AST) -> Iterator[str]:
    """Yield the strings below a node that are neither documentation, nor messages, nor types."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            call_name = ast.unparse(child.func) if isinstance(child, ast.Call) else ""
            message = isinstance(child, ast.Raise | ast.Assert) or call_name.endswith(
                ("Error", "_NotRead")
            )
            text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if (
                message
                or text
                or name in ("annotation", "returns")
                or getattr(child, "arg", "") == "reason"
            ):
                continue
            if isinstance(child, ast.Constant) and isinstance(child.value, str):
                yield child.value
            elif isinstance(child, ast.AST):
                yield from strings(child)


def english(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the English strings of functions and constants."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from english(node.body)
        elif isinstance(node, ast.FunctionDef | ast.Assign | ast.AnnAssign | ast.AugAssign):
            for text in strings(node):
                if _ENGLISH.search(text) and text not in _NAMES:
                    yield text


def counted(package: Path = Path("po3d")) -> dict[Path, int]:
    """Return the number of English strings of each examined module."""
    paths = sorted({path for pattern in MODULES for path in package.glob(pattern)})
    result = {}
    for path in paths:
        result[path] = len(list(english(ast.parse(path.read_text()).body)))
    return result


def main() -> None:
    counts = counted()
    for path, count in sorted(counts.items(), key=lambda item: -item[1]):
        if count:
            print(f"{count:6}  {path}")
    print(f"{sum(counts.values()):6}  in all")


if __name__ == "__main__":
    main()
