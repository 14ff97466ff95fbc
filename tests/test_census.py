"""tools/census.py on a small tree whose counts are known."""

import json
from pathlib import Path

import pytest

from tools import census

CODE = '''"""A module; said and told in a docstring count for nothing."""


class Reader:
    """One."""


class Seen:
    pass


def found_rows(kept):
    return [[x for x in row] for row in kept]


def check(path):
    raise FileNotFoundError(path)
'''
PROTOCOL = """from typing import Protocol


class Reader(Protocol):
    def read(self): ...


def next_to(a, b, rules):
    return a - b <= rules.next_to
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("po3d", "tests", "tools"):
        (tmp_path / folder).mkdir()
    (tmp_path / "po3d" / "a.py").write_text(CODE)
    (tmp_path / "po3d" / "b.py").write_text(PROTOCOL)
    (tmp_path / "po3d" / "c.py").write_text("class Seen:\n    pass\n\n\n" + f"x = {'1 + ' * 40}1\n")
    return tmp_path


def values(root: Path) -> dict[str, float]:
    return {count.name: count.value for count in census.census(root)}


def test_participles_are_counted_by_the_parts_of_identifiers(tree):
    (count,) = [c for c in census.census(tree) if c.name.endswith("names, po3d/")]
    assert [item.split()[-1] for item in count.items] == [
        "Seen",
        "found_rows",
        "kept",
        "kept",
        "Seen",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("ModuleNotFoundError", False), ("_said", True), ("StepShown", True), ("founder", False)],
)
def test_which_names_are_participles(name, expected):
    assert census.is_participle(name) is expected


def test_a_protocol_may_share_the_name_of_a_class(tree):
    counts = {c.name: c for c in census.census(tree)}
    assert counts["classes"].value == 4
    assert list(counts["class names defined more than once"].items) == [
        "Seen: po3d/a.py:8, po3d/c.py:1"
    ]


def test_lengths_and_densities(tree):
    body = "\n".join(f"    x{k} = {k}" for k in range(60))
    (tree / "po3d" / "long.py").write_text(f"def f():\n{body}\n" + "y = 0\n" * 350)
    shapes = tree / "po3d" / "synthesis" / "shapes"
    shapes.mkdir(parents=True)
    (shapes / "mesh.py").write_text(f"def f():\n{body}\n")
    counts = values(tree)
    assert counts["functions above 60 lines outside meshes"] == 1
    assert counts["files above 400 lines"] == 1
    assert counts["lines above 100 columns"] == 1
    assert counts["modules in which the meaning of next_to is written"] == 1


def test_comprehensions_per_line_of_code(tree):
    files = census.sources(tree, "po3d")
    comprehensions, _ = census.densities([s for s in files if s.path == "po3d/a.py"])
    assert comprehensions.value == pytest.approx(100 * 2 / 7)


def test_lines_are_counted_as_if_formatted_at_100_columns(tree):
    (tree / "po3d" / "wide.py").write_text(
        f"value = function({', '.join(f'argument_{k}' for k in range(12))})\n"
    )
    (wide,) = [s for s in census.sources(tree, "po3d") if s.path == "po3d/wide.py"]
    assert wide.text.count("\n") == 1
    assert census.lines_at_width([wide]).value > 1


def test_the_command_prints_json(tree, capsys):
    census.main([str(tree), "--json"])
    assert json.loads(capsys.readouterr().out)["classes"] == 4
