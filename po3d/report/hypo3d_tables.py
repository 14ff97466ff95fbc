"""Hypo3D's tables in the paper's shape: ours first, under them the published rows, marked with *."""

from collections.abc import Callable

from po3d.benchmarks.hypo3d_score import (
    CATEGORIES,
    OVERALL,
    RELEASE,
    TYPES,
    published_by_change_and_type,
)
from po3d.report.tables import Cell, Table, markdown, text

FOOTNOTE = f"* published, measured on the {RELEASE}"
_COLUMNS = (*CATEGORIES, OVERALL)


def change_table(*reports: dict) -> Table:
    """Table 1: EM and PM by the kind of change and overall, in percent. `reports` are what `hypo3d.score`
    gives, with the keys system and split; each gets a row and a row with its 95 % intervals."""
    header = ["model", *(title for name in _COLUMNS for title in (f"{name} EM", "PM"))]
    names = [name + suffix for name in _COLUMNS for suffix in ("", "_pm")]
    rows: list[list[Cell]] = []
    for report in reports:
        found = {row["name"]: row for row in report["rows"]}
        rows.append([_label(report), *(found[n]["value"] if n in found else None for n in names)])
        rows.append(["  95 % interval", *(_interval(found[n]) if n in found else None for n in names)])
    ours = len(rows)
    for published in reports[0]["published"] if reports else ():
        rows.append([f"{published['model']} *", *(published[name] for name in names)])
    return Table(header, rows, (ours,))


def change_and_type_table(*reports: dict) -> Table:
    """Table 8: by the kind of change (movement, removal, attribute, addition, replacement) and of question
    (Scale, Direction, Semantic), a row for EM and one for PM."""
    header = ["model", "", *(f"{c[:3]}/{t[:2]}" for c in CATEGORIES for t in TYPES), OVERALL]
    rows: list[list[Cell]] = []
    for report in reports:
        found = {row["name"]: row["value"] for row in report["rows"]}
        for metric, name in (("em", OVERALL), ("pm", f"{OVERALL}_pm")):
            cells = [
                report["by_change_and_type"].get(c, {}).get(t, {}).get(metric, {}).get("value")
                for c in CATEGORIES
                for t in TYPES
            ]
            rows.append([_label(report), metric.upper(), *cells, found.get(name)])
    ours = len(rows)
    for published in published_by_change_and_type() if reports else ():
        cells = [published["cells"][c][t] for c in CATEGORIES for t in TYPES]
        rows.append([f"{published['model']} *", published["metric"].upper(), *cells, published[OVERALL]])
    return Table(header, rows, (ours,))


def cell_table(cells: dict[str, dict], name: str) -> Table:
    """A table of `score`'s cells, such as report["by_fine_type"], under the title `name`."""
    rows = [
        [key, cell["n"], cell["failed"], cell["em"]["value"], _interval(cell["em"])]
        + [cell["pm"]["value"], _interval(cell["pm"])]
        for key, cell in cells.items()
    ]
    return Table((name, "n", "failed", "EM", "95 %", "PM", "95 %"), rows)


def report_text(*reports: dict) -> str:
    """All tables as the terminal shows them."""
    return _page(reports, text, "")


def report_markdown(*reports: dict) -> str:
    """All tables as markdown, with headings."""
    return _page(reports, markdown, "## ")


def _page(reports: tuple[dict, ...], spelling: Callable[[Table, int], str], heading: str) -> str:
    parts = [
        f"{heading}By change",
        spelling(change_table(*reports), 2),
        f"{heading}By change and question",
        spelling(change_and_type_table(*reports), 2),
        FOOTNOTE,
    ]
    for report in reports:
        for key, name in (("by_fine_type", "question"), ("by_control", "control")):
            if report.get(key):
                parts += [f"{heading}{_label(report)}, by {name}", spelling(cell_table(report[key], name), 2)]
    return "\n\n".join(parts)


def _label(report: dict) -> str:
    return f"{report['system']} ({report['split']}, {report['images']} rooms)"


def _interval(row: dict) -> str | None:
    return None if row["ci_low"] is None else f"{row['ci_low']:.1f}-{row['ci_high']:.1f}"
