"""Hypo3D's tables in the paper's layout: ours first, followed by the published rows, marked with
*.
"""

import itertools
from collections.abc import Callable, Sequence

from po3d.benchmarks.hypo3d.score import (
    CATEGORIES,
    OVERALL,
    RELEASE,
    TYPES,
    published,
    published_by_change_and_type,
)
from po3d.io.run_names import counted, row_name
from po3d.io.text_tables import Cell, Table, figure_rows, interval_text, markdown, text

UNIT = "rooms"
FOOTNOTE = f"* published, measured on the {RELEASE}"
_COLUMNS = (*CATEGORIES, OVERALL)
_FRAMES = {"none": "no frame", "camera": "camera frame", "anchors": "anchor frame"}


def change_table(*reports: dict) -> Table:
    """Return Table 1: EM and PM by kind of change and overall, in percent.

    `reports` are results of `hypo3d.score` with the keys system and split; each gets a row and a
    row of 95 % intervals.
    """
    titles = (*CATEGORIES, _overall(reports))
    header, names, rows = ["model"], [], []
    for title, name in zip(titles, _COLUMNS, strict=True):
        header += [f"{title} EM", "PM"]
        names += [name, f"{name}_pm"]
    for report in reports:
        by_name = {row["name"]: row for row in report["rows"]}
        rows += figure_rows(_label(report), [by_name.get(name) for name in names])
    ours = len(rows)
    for theirs in reports[0]["published"] if reports else ():
        rows.append([f"{theirs['model']} *", *(theirs.get(name) for name in names)])
    return Table(header, rows, (ours,))


def _overall(reports: Sequence[dict]) -> str:
    """Return the title of the average over all kinds of change, with the number of kinds if some
    are missing.
    """
    for report in reports:
        for row in report["rows"]:
            if "columns" in row:
                there, all_of = row["columns"]
                return f"{OVERALL} ({there} of {all_of})"
    return OVERALL


def change_and_type_table(*reports: dict) -> Table:
    """Return Table 8: by kind of change (movement, removal, attribute, addition, replacement) and
    question type (Scale, Direction, Semantic), a row for EM and one for PM.
    """
    whole = _overall(reports)
    rows: list[list[Cell]] = []
    columns = list(itertools.product(CATEGORIES, TYPES))
    header = ["model", "", *(f"{c[:3]}/{t[:2]}" for c, t in columns), whole]
    for report in reports:
        by_name = {row["name"]: row["value"] for row in report["rows"]}
        cells = [report["by_change_and_type"].get(c, {}).get(t, {}) for c, t in columns]
        for metric, name in (("em", OVERALL), ("pm", f"{OVERALL}_pm")):
            values = [cell.get(metric, {}).get("value") for cell in cells]
            rows.append([_label(report), metric.upper(), *values, by_name.get(name)])
    ours = len(rows)
    for theirs in published_by_change_and_type() if reports else ():
        cells = [theirs["cells"][c][t] for c, t in columns]
        average = theirs[OVERALL] if whole == OVERALL else None
        rows.append([f"{theirs['model']} *", theirs["metric"].upper(), *cells, average])
    return Table(header, rows, (ours,))


def frame_table(*reports: dict) -> Table:
    """Return Table 2: EM and PM on questions of the single type Direction, by the given reference
    frame; a run fills one column.
    """
    columns = list(itertools.product(_FRAMES, ("em", "pm")))
    header = ["model", *(f"{_FRAMES[f]} EM" if m == "em" else "PM" for f, m in columns)]
    rows: list[list[Cell]] = []
    for report in reports:
        cell = report.get("direction_only")
        frame = report.get("settings", {}).get("frame", "anchors")
        rows.append(
            [_label(report), *(_value(cell, m) if f == frame else None for f, m in columns)]
        )
    for row in published("world_frame"):
        values = [row[f"{_FRAMES[f].replace(' ', '_')}_{m}"] for f, m in columns]
        rows.append([f"{row['model']} *", *values])
    return Table(header, rows, (len(reports),))


def change_control_table(*reports: dict) -> Table:
    """Return the paper's Tables 3 and 4 as one table with a row for each report.

    They compare identical questions with and without the change, for changes that alter the answer
    (relevant) and changes that do not (irrelevant).
    """
    kinds, changes = ("relevant", "irrelevant"), ("without", "with")
    settings = list(itertools.product(kinds, changes, ("em", "pm")))
    header = ["model", *(f"{kind}: {s} EM" if m == "em" else "PM" for kind, s, m in settings)]
    rows: list[list[Cell]] = []
    for report in reports:
        pairs = report.get("pairs", {})
        values = [_value(pairs.get(kind, {}).get(s), m) for kind, s, m in settings]
        rows.append([_label(report), *values])
    theirs: dict[str, dict[str, dict]] = {}
    for row in published("with_without_change"):
        theirs.setdefault(row["model"], {})[row["change"]] = row
    for model, changes in theirs.items():
        values = [changes.get(kind, {}).get(f"{s}_{m}") for kind, s, m in settings]
        rows.append([f"{model} *", *values])
    return Table(header, rows, (len(reports),))


def aligned_table(*reports: dict) -> Table:
    """Return Table 9: identical direction questions on the original room and on the room rotated to
    its reference frame.
    """
    settings = list(itertools.product(("non-aligned", "aligned"), ("em", "pm")))
    header = ["model", *(f"{s} EM" if m == "em" else "PM" for s, m in settings)]
    rows: list[list[Cell]] = []
    for report in reports:
        aligned = report.get("pairs", {}).get("aligned", {})
        rows.append([_label(report), *(_value(aligned.get(s), m) for s, m in settings)])
    for row in published("aligned_map_direction_questions"):
        values = [row[f"{s.replace('-', '_')}_{m}"] for s, m in settings]
        rows.append([f"{row['model']} *", *values])
    return Table(header, rows, (len(reports),))


def sbert_table(*reports: dict) -> Table:
    """Return 100 times the mean SBERT cosine by change and question type, for the reports that have
    it.
    """
    names = (OVERALL, *CATEGORIES, *TYPES)
    rows: list[list[Cell]] = []
    for report in reports:
        sbert = report["sbert"]
        by_name = {row["name"]: row for row in (*sbert["rows"], *sbert["by_type"])}
        rows += figure_rows(_label(report), [by_name.get(name) for name in names])
    return Table(("model", *names), rows)


def cell_table(cells: dict[str, dict], name: str) -> Table:
    """Return a table of `score`'s cells, such as report["by_fine_type"], titled `name`."""
    rows: list[list[Cell]] = []
    for key, cell in cells.items():
        row = [key, cell["n"], cell["failed"]]
        for metric in ("em", "pm"):
            row += [cell[metric]["value"], interval_text(cell[metric])]
        rows.append(row)
    return Table((name, "n", "failed", "EM", "95 %", "PM", "95 %"), rows)


def titled(*reports: dict) -> list[tuple[str, Table]]:
    """Return titles and tables for the HTML page and LaTeX, where they replace the shared table:
    the paper's Tables 1, 8, 2, 3 with 4, and 9. Those of a setting that no report has are left out.
    """
    tables = {
        "by change (Table 1)": change_table(*reports),
        "by change and type (Table 8)": change_and_type_table(*reports),
    }
    some = {
        "questions of direction alone, by frame (Table 2)": frame_table,
        "identical questions without and with the change (Tables 3 and 4)": change_control_table,
        "questions of direction alone, map turned to its frame or not (Table 9)": aligned_table,
    }
    for title, table_of in some.items():
        table = table_of(*reports)
        ours = table.rows[: len(reports)]
        if not all(set(row[1:]) <= {None} for row in ours):
            tables[title] = table
    return list(tables.items())


def report_text(*reports: dict) -> str:
    """Return all tables as plain text."""
    return _page(reports, text, "")


def report_markdown(*reports: dict) -> str:
    """Return all tables as Markdown with headings."""
    return _page(reports, markdown, "## ")


def _page(reports: tuple[dict, ...], spelling: Callable[[Table, int], str], heading: str) -> str:
    parts = []
    for title, table_of in (
        ("By change", change_table),
        ("By change and question", change_and_type_table),
        ("Direction questions only, by frame", frame_table),
        ("With and without the change", change_control_table),
        ("Direction questions only, by alignment of map and frame", aligned_table),
    ):
        parts += [f"{heading}{title}", spelling(table_of(*reports), 2)]
    parts.append(FOOTNOTE)
    if measured := [report for report in reports if "sbert" in report]:
        parts += [f"{heading}SBERT cosine", spelling(sbert_table(*measured), 2)]
    for report in reports:
        for key, name in (("by_fine_type", "question"), ("by_control", "control")):
            if report.get(key):
                table = cell_table(report[key], name)
                parts += [f"{heading}{_label(report)}, by {name}", spelling(table, 2)]
    return "\n\n".join(parts)


def _label(report: dict) -> str:
    return f"{row_name(report)} ({report['split']}, {counted(report['images'], UNIT)})"


def _value(cell: dict | None, metric: str) -> float | None:
    return cell[metric]["value"] if cell else None
