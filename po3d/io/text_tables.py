"""Tables as aligned text for the terminal, markdown for reports, HTML for notebooks.

LaTeX is in `po3d.evaluation.report.latex`.
"""

import math
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from po3d.io.errors import visible

Cell = str | float | int | None


class Table(NamedTuple):
    """Rows under a header; the first column is text, the others numbers or text. None is an empty
    cell."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    rules: Sequence[int] = ()  # indices of rows with a horizontal rule above


def cell_text(value: Cell, digits: int = 1) -> str:
    """Return a cell as text."""
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def decimals(value: float | None, digits: int = 3) -> str | None:
    """Return a number with fixed decimals; None, an empty cell, for None and NaN."""
    return None if value is None or math.isnan(value) else f"{value:.{digits}f}"


def interval_text(row: Mapping, signed: bool = False) -> str | None:
    """Return the interval of a figure, "12.3-45.6"; None without one. `signed`: either end may be
    negative."""
    low, high = row["ci_low"], row["ci_high"]
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return None
    return f"{low:.1f} to {high:.1f}" if signed and low < 0 else f"{low:.1f}-{high:.1f}"


def figure_rows(
    name: str, figures: Sequence[Mapping | None], signed: bool = False
) -> list[list[Cell]]:
    """Return the row of a system's figures, and the row of their intervals; a missing figure is an
    empty cell."""
    values: list[Cell] = [name]
    intervals: list[Cell] = ["  95 % interval"]
    for figure in figures:
        values.append(None if figure is None else figure["value"])
        intervals.append(None if figure is None else interval_text(figure, signed))
    return [values, intervals]


def terminal_width() -> float:
    """Return the number of columns of the terminal; infinite for a pipe or a file."""
    # a replacement of stdout (in a test, or while collecting output) is not a terminal
    stream = sys.__stdout__
    return shutil.get_terminal_size().columns if stream and stream.isatty() else math.inf


def text(table: Table, digits: int = 1, width: float | None = None) -> str:
    """Return aligned columns, numbers to the right; unprintable characters as escapes. A table
    wider than `width` (default: the terminal's) is split into groups of columns below each other,
    each with the first column and without rows that are empty in it."""
    cells = []
    for row in table.rows:
        cells.append([visible(cell_text(c, digits)).replace("\n", "\\n") for c in row])
    columns = zip(table.header, *cells)
    widths = [max(map(len, column)) for column in columns]
    groups = _groups(widths, terminal_width() if width is None else width)
    return "\n\n".join(_aligned(table, cells, widths, group) for group in groups)


def _groups(widths: Sequence[int], width: float) -> list[list[int]]:
    """Split the columns into groups: the first column in every group, and as many others as fit, at
    least one."""
    groups, used = [[0]], widths[0]
    for k, cell_width in enumerate(widths[1:], 1):
        if used + 2 + cell_width > width and len(groups[-1]) > 1:
            groups.append([0])
            used = widths[0]
        groups[-1].append(k)
        used += 2 + cell_width
    return groups


def _aligned(
    table: Table, cells: Sequence[Sequence[str]], widths: Sequence[int], group: list[int]
) -> str:
    def line(row: Sequence[str]) -> str:
        padded = (row[k].ljust(widths[k]) if k == 0 else row[k].rjust(widths[k]) for k in group)
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * widths[k] for k in group)
    whole, empty = len(group) == len(widths), cell_text(None)
    lines, ruled = [line(table.header), rule], False
    for k, row in enumerate(cells):
        ruled |= k in table.rules
        if whole or any(row[j] != empty for j in group[1:]):
            lines += [rule] * ruled + [line(row)]
            ruled = False
    return "\n".join(lines)


def markdown(table: Table, digits: int = 1) -> str:
    """Return a pipe table; rules are omitted, as markdown has none."""
    rules = ["---", *["---:"] * (len(table.header) - 1)]
    lines = [f"| {' | '.join(table.header)} |", f"|{'|'.join(rules)}|"]
    for row in table.rows:
        cells = " | ".join(cell_text(c, digits).replace("|", "\\|") for c in row)
        lines.append(f"| {cells} |")
    return "\n".join(lines)


_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    # LaTeX's default fonts have other glyphs at their positions
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    # At the beginning of a row they would be options of the preceding line break.
    | {"[": "{[}", "*": "{*}"}
    | {"\u2020": r"\dag{}", "\u00b0": r"\textdegree{}", "\u2192": r"$\to$", "\u2212": "$-$"}
)
# Characters missing in pdflatex's default fonts.
_UNTYPESET = re.compile(
    "[^\n -~\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u00cf\u00d1-\u00dd\u00df-\u00ef\u00f1-\u00fd\u00ff"
    "\u2013\u2014\u2018\u2019\u201c\u201d\u2026]"
)


def latex_text(words: str) -> str:
    """Escape text for LaTeX; a character missing in its default fonts becomes U+4E2D."""
    escaped = visible(words).translate(_LATEX)
    return _UNTYPESET.sub(lambda result: f"U+{ord(result[0]):04X}", escaped)


def html(table: Table, digits: int = 1) -> str:
    """Return a bare <table>; unprintable characters as escapes."""

    def row(tag: str, cells: Sequence[Cell]) -> str:
        texts = (escape(visible(cell_text(c, digits))) for c in cells)
        return f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in texts)}</tr>"

    rows = [row("th", table.header), *(row("td", cells) for cells in table.rows)]
    return f"<table>{''.join(rows)}</table>"
