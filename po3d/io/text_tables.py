"""One table, four spellings: aligned text for the terminal, markdown for the reports, LaTeX for a paper, HTML for a notebook."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from po3d.io.errors import visible

Cell = str | float | int | None


class Table(NamedTuple):
    """Rows under a header; the first column is text, the others numbers or text. None is an empty cell."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    rules: Sequence[int] = ()  # a horizontal rule goes above these rows


def cell_text(value: Cell, digits: int = 1) -> str:
    """A cell as people read it."""
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def interval_text(row: Mapping, signed: bool = False) -> str | None:
    """The interval of a figure, "12.3-45.6"; None without one. `signed`: either end may be below zero."""
    low, high = row["ci_low"], row["ci_high"]
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return None
    return f"{low:.1f} to {high:.1f}" if signed and low < 0 else f"{low:.1f}-{high:.1f}"


def text(table: Table, digits: int = 1) -> str:
    """Aligned columns, numbers to the right; what is no printable character stands as an escape."""
    cells = [[visible(cell_text(c, digits)).replace("\n", "\\n") for c in row] for row in table.rows]
    widths = [max(len(row[k]) for row in [list(table.header), *cells]) for k in range(len(table.header))]

    def line(row: Sequence[str]) -> str:
        return "  ".join(
            c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths))
        ).rstrip()

    rule = "  ".join("-" * w for w in widths)
    lines = [line(table.header), rule]
    for k, row in enumerate(cells):
        if k in table.rules:
            lines.append(rule)
        lines.append(line(row))
    return "\n".join(lines)


def markdown(table: Table, digits: int = 1) -> str:
    """A pipe table; rules are left out, markdown has none."""
    lines = ["| " + " | ".join(table.header) + " |"]
    lines.append("|" + "|".join("---" if k == 0 else "---:" for k in range(len(table.header))) + "|")
    for row in table.rows:
        lines.append("| " + " | ".join(cell_text(c, digits).replace("|", "\\|") for c in row) + " |")
    return "\n".join(lines)


_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)


def latex_text(words: str) -> str:
    """Text whose characters mean nothing to LaTeX."""
    return words.translate(_LATEX)


def latex(table: Table, digits: int = 1) -> str:
    """A booktabs tabular."""
    lines = [r"\begin{tabular}{l" + "r" * (len(table.header) - 1) + "}", r"\toprule"]
    lines.append(" & ".join(latex_text(h) for h in table.header) + r" \\")
    lines.append(r"\midrule")
    for k, row in enumerate(table.rows):
        if k in table.rules:
            lines.append(r"\midrule")
        lines.append(" & ".join(latex_text(cell_text(c, digits)) for c in row) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def html(table: Table, digits: int = 1) -> str:
    """A bare <table>; what is no printable character stands as an escape."""

    def row(tag: str, cells: Sequence[Cell]) -> str:
        texts = [escape(visible(cell_text(c, digits))) for c in cells]
        return f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in texts)}</tr>"

    return f"<table>{row('th', table.header)}{''.join(row('td', cells) for cells in table.rows)}</table>"
