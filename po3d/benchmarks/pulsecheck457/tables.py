"""PulseCheck457's report tables: RPDR (the paper's Table 3) and coefficient of variation of the
answers (Table 4), with the published rows, marked with *, below ours.
"""

from collections.abc import Mapping
from typing import Any

from po3d.benchmarks.pulsecheck457.score import BIAS_VALUES, published
from po3d.io.run_names import row_name
from po3d.io.text_tables import Cell, Table, decimals, figure_rows, markdown

ABILITIES = {
    "multi_object": "multi-object",
    "location_2d": "2D location",
    "orientation_3d": "3D orientation",
    "location_3d": "3D location",
}
RPDR_TITLE = "RPDR (%): plain ratios, and each ratio capped at 100 %, as in the paper's Table 3"
CV_TITLE = (
    "Coefficient of variation of the answers on L4-3D-Pose (0: no preference), as in the paper's"
    " Table 4"
)


def rpdr_table(*reports: Mapping[str, Any]) -> Table:
    """Return the RPDR table by both rules, with intervals; the published rows are capped."""
    rows: list[list[Cell]] = []
    for report in reports:
        for key, rule in (("rpdr", "plain"), ("rpdr_capped", "capped")):
            if figures := report.get(key):
                name = f"{row_name(report)} ({rule})"
                rows += figure_rows(name, list(map(figures.get, ABILITIES)))
    ours = len(rows)
    for row in published("rpdr"):
        rows.append([f"{row['model']} *", *(row[ability] for ability in ABILITIES)])
    return Table(("RPDR (%)", *ABILITIES.values()), rows, (ours,))


def cv_table(*reports: Mapping[str, Any]) -> Table:
    """Return the table of coefficients of variation of predictions and ground truth, by
    attribute.
    """
    columns = ("average", *BIAS_VALUES)
    rows: list[list[Cell]] = []
    for report in reports:
        for side, name in (("predicted", row_name(report)), ("gold", "ground truth")):
            if result := (report.get("cv") or {}).get(side):
                rows.append([name, *(decimals(result.get(c)) for c in columns)])
    ours = len(rows)
    for row in published("cv"):
        rows.append([f"{row['model']} *", *(decimals(row[c]) for c in columns)])
    return Table(("CV", *columns), rows, (ours,))


def titled(report: Mapping[str, Any], *others: Mapping[str, Any]) -> list[tuple[str, Table]]:
    """Return titles and tables for the HTML page."""
    result = []
    if report.get("rpdr"):
        result.append((RPDR_TITLE, rpdr_table(report, *others)))
    if report.get("cv"):
        result.append((CV_TITLE, cv_table(report, *others)))
    return result


def report_text(report: Mapping[str, Any]) -> str:
    """Return the RPDR lines printed in the terminal."""
    lines = []
    for key, rule in (("rpdr", "plain"), ("rpdr_capped", "capped at 100 % each")):
        if figures := report.get(key):
            cells = [f"{ABILITIES[name]} {v['value']:.1f}" for name, v in figures.items()]
            lines.append(f"RPDR (%), {rule}: {', '.join(cells)}")
    return "\n".join(lines)


def report_markdown(report: Mapping[str, Any], *others: Mapping[str, Any]) -> str:
    """Return both tables as Markdown with headings."""
    tables = titled(report, *others)
    return "\n\n".join(f"## {title}\n\n{markdown(table)}" for title, table in tables)
