"""The driver of mutation tests: which mutants there are."""

import ast
import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = '''"""Words."""
from dataclasses import dataclass

LEAST = 1e-6


@dataclass(frozen=True)
class Rules:
    """More words."""

    margin: float = 0.2

    @property
    def twice(self) -> "float":
        return self.margin * 2


def near(x: int, y: int) -> bool:
    if x < 0:
        raise ValueError("below 0")
    return min(x, y) > 3 and not x == y
'''


def driver():
    spec = importlib.util.spec_from_file_location("mutation", ROOT / "tools" / "mutation.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_constants_properties_and_branches_have_mutants_and_words_have_none():
    found = driver().mutants(SOURCE)
    changed = {(m.before.strip(), m.after.strip()) for m in found}
    assert ("LEAST = 1e-6", "LEAST = (0.01)") in changed
    assert ("margin: float = 0.2", "margin: float = (0.25)") in changed
    assert ("return self.margin * 2", "return (self.margin / 2)") in changed
    assert {"if (x <= 0):", "if (x >= 0):", "if x < (1):"} <= {after for _, after in changed}
    last = "return min(x, y) > 3 and not x == y"
    expected = {"return max(x, y) > 3 and not x == y", "return (min(x, y) > 3 or not x == y)", "return None",
                "return min(x, y) > 3 and (x == y)"}  # fmt: skip
    assert expected <= {after for before, after in changed if before == last}
    for words in ('"""', "raise", "dataclass", "bool"):
        assert not any(words in before and "->" not in before for before, _ in changed), words


def test_every_mutant_compiles_and_is_another_program():
    found = driver().mutants(SOURCE)
    programs = {ast.dump(ast.parse(m.source)) for m in found}
    assert len(programs) == len(found) > 15
    assert ast.dump(ast.parse(SOURCE)) not in programs
