"""The tables of this folder: text files, a row a line."""

from importlib import resources


def lines(name: str) -> list[str]:
    """The lines of a table, but for comments and empty ones."""
    text = (resources.files("po3d.language") / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
