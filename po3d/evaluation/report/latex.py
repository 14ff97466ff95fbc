"""A run's tables in LaTeX, with booktabs: what `po3d report --latex` prints goes into a paper as it is."""

from collections.abc import Sequence

from po3d.io.text_tables import Table, latex, latex_text

PREAMBLE = r"% \usepackage{booktabs,graphicx}"


def latex_page(tables: Sequence[tuple[str, Table]], label: str) -> str:
    """Each table as a float no wider than the page, with its title as the caption; labels are tab:LABEL-1, ..."""
    parts = [PREAMBLE]
    for k, (title, table) in enumerate(tables, 1):
        parts.append(
            "\n".join(
                [
                    r"\begin{table}",
                    r"\centering",
                    rf"\caption{{{latex_text(title)}}}",
                    rf"\label{{tab:{label}-{k}}}",
                    r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
                    latex(_typeset(table)) + "}",
                    r"\end{table}",
                ]
            )
        )
    return "\n\n".join(parts)


def _typeset(table: Table) -> Table:
    """Ranges with an en dash, and the spaces that indent an interval as a quad."""
    rows = [
        [c.replace("-", "--") if isinstance(c, str) and k and _is_range(c) else c for k, c in enumerate(row)]
        for row in table.rows
    ]
    return table._replace(rows=rows)


def _is_range(cell: str) -> bool:
    low, dash, high = cell.partition("-")
    return bool(dash and low and high) and all(part.replace(".", "", 1).isdigit() for part in (low, high))
