"""LaTeX tables with booktabs, ready for a paper, as printed by `po3d report --latex` and `po3d
compare --latex`.

Marks are superscripts, ranges have an en dash, negative numbers a minus sign; captions state the
data of the rows.
"""

import operator
import re
from collections.abc import Sequence

from po3d.benchmarks.published import LATER, PAPER
from po3d.evaluation.report.notes import Explained
from po3d.io.text_tables import Cell, Table, cell_text, latex_text

PREAMBLE = r"% \usepackage{booktabs,graphicx}"
WIDEST = 165  # maximum number of characters per row; wider tables are split
HIGHEST = 75  # lines of a float in small print; the parts of a higher table are floats of their own
TITLE_LINES = 8  # lines that rotated titles take
TURNED = 8  # tables with more columns have their longer titles rotated
_RANGE = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$")
_NUMBER = re.compile(r"([+-])(\d+(?:\.\d+)?)(?= |$)")
_POWER = re.compile(r"(<?)(\d)e([+-]\d+)$")
_MARKS = {PAPER: r"$^{*}$", LATER: r"$^{\dagger}$"}
_INDENT = r"\quad "


def latex_page(tables: Sequence[Explained], label: str) -> str:
    """Return each table as a float no wider and no higher than the page; a higher one is continued
    in further floats.

    The caption is its title and first note; other notes are below the (last) table. Labels are
    tab:LABEL-1, ..."""
    floats = []
    for k, one in enumerate(tables, 1):
        parts = _parts(one.table)
        groups = [parts] if sum(map(_height, parts)) <= HIGHEST else [[part] for part in parts]
        for number, group in enumerate(groups):
            first, last = number == 0, number == len(groups) - 1
            head, *notes = one.notes or ("",)
            caption, own = sentence(f"{one.title}. {head}".strip()), f"{label}-{k}"
            if not first:
                caption = rf"{sentence(one.title)}. Continued from Table~\ref{{tab:{own}}}."
                own += f"-{number + 1}"
            floats.append(_float(caption, group, notes if last else (), own))
    return "\n\n".join([PREAMBLE, *floats])


def _height(table: Table) -> int:
    """Return the height of a table in lines; rotated titles count as several."""
    return len(table.rows) + (TITLE_LINES if len(table.header) - 1 > TURNED else 1) + 2


def _float(caption: str, parts: Sequence[Table], notes: Sequence[str], label: str) -> str:
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}"]
    for k, part in enumerate(parts):
        lines += ["", r"\smallskip"] * bool(k)
        lines += [
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            _tabular(part) + "}",
        ]
    if notes:
        text = " ".join(map(sentence, notes))
        lines += ["", r"\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {text}}}"]
    return "\n".join([*lines, r"\end{table}"])


def _parts(table: Table) -> list[Table]:
    """Split a table that is too wide into groups of columns, each with the first column repeated
    and without empty rows."""
    widths = [2] * len(table.header)
    for row in table.rows:
        for k in range(len(widths)):
            widths[k] = max(widths[k], len(cell_text(row[k])) + 2)
    count = -(-sum(widths[1:]) // (WIDEST - widths[0])) if widths[0] < WIDEST else 1
    columns = len(widths) - 1
    if count < 2:
        return [table]
    each = -(-columns // count)
    parts = []
    for start in range(1, columns + 1, each):
        chosen = operator.itemgetter(0, *range(start, min(start + each, columns + 1)))
        rows, before = [], [0]  # before: the number of rows that are left of the first ones
        for row in table.rows:
            cells = list(chosen(row))
            if any(cell is not None for cell in cells[1:]):
                rows.append(cells)
            before.append(len(rows))
        rules = list(map(before.__getitem__, table.rules))
        parts.append(Table(list(chosen(table.header)), rows, rules))
    return parts


def _tabular(table: Table) -> str:
    columns = len(table.header)
    lines = [r"\begin{tabular}{l" + "r" * (columns - 1) + "}", r"\toprule"]
    titles = [sentence(title.replace("_", " ")) for title in table.header]
    if columns - 1 > TURNED:
        titles[1:] = [rf"\rotatebox{{60}}{{{t}}}" if len(t) > 6 else t for t in titles[1:]]
    lines += [" & ".join(titles) + r" \\", r"\midrule"]
    for k, row in enumerate(table.rows):
        if k in table.rules and k:
            lines.append(r"\midrule")
        lines.append(" & ".join(_row(row)) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _row(row: Sequence[Cell]) -> list[str]:
    """Format the cells of a row; indented rows (intervals, parts of the row above) are in small
    print."""
    cells = [_first(str(row[0])), *map(_cell, row[1:])]
    return [rf"\footnotesize {cell}" for cell in cells] if cells[0].startswith(_INDENT) else cells


def _first(words: str) -> str:
    mark = next((m for m in _MARKS if words.endswith(m)), "")
    indent = _INDENT if words.startswith("  ") else ""
    return indent + sentence(words.removesuffix(mark).strip()) + _MARKS.get(mark, "")


def _cell(cell: Cell) -> str:
    """Format a number, range or text; an en dash for None."""
    if cell is None:
        return "--"
    text = cell_text(cell)
    if result := _RANGE.match(text):
        return f"{result[1]}--{result[2]}"
    if result := _POWER.match(text):
        return rf"${result[1]}{result[2]}\times 10^{{{int(result[3])}}}$".replace(r"1\times ", "")
    if _NUMBER.match(text):
        return _NUMBER.sub(r"$\1$\2", text)
    return latex_text(text)


def sentence(text: str) -> str:
    """Escape text, with a thin space before a percent sign and a dash between two names."""
    return latex_text(text).replace(r" \%", r"\,\%").replace(" - ", " -- ")
