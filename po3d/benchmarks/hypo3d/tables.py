"""Hypo3D's tables in the paper's layout: ours first, followed by the published rows, marked with
*.
"""

import itertools
from collections.abc import Sequence

from po3d.benchmarks.hypo3d.score import (
    CATEGORIES,
    OVERALL,
    RELEASE,
    TYPES,
    published,
    published_by_change_and_type,
)
from po3d.io.run_names import counted, row_name
from po3d.io.text_tables import Cell, Table, figure_rows, interval_text, markdown

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
        rows += figure_rows(_label(report), list(map(by_name.get, names)))
    ours = len(rows)
    for theirs in reports[0]["published"] if reports else ():
        rows.append([f"{theirs['model']} *", *map(theirs.get, names)])
    return Table(header, rows, (ours,))


def _overall(reports: Sequence[dict]) -> str:
    """Return the title of the average over all kinds of change, with the number of kinds if some
    are missing."""
    for report in reports:
        for row in report["rows"]:
            if "columns" in row:
                there, all_of = row["columns"]
                return f"{OVERALL} ({there} of {all_of})"
    return OVERALL


def change_and_type_table(*reports: dict) -> Table:
    """Return Table 8: by kind of change (movement, removal, attribute, addition, replacement) and
    question type (Scale, Direction, Semantic), a row for EM and one for PM."""
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
    frame; a run fills one column."""
    ours = []
    for report in reports:
        frame = report.get("settings", {}).get("frame", "anchors")
        ours.append({_FRAMES.get(frame): report.get("direction_only")})
    return _settings_table(reports, tuple(_FRAMES.values()), ours, published("world_frame"))


def change_control_table(*reports: dict) -> Table:
    """Return the paper's Tables 3 and 4 as one table with a row for each report.

    They compare identical questions with and without the change, for changes that alter the answer
    (relevant) and changes that do not (irrelevant).
    """
    titles, ours = [], [{} for _ in reports]
    for kind, change in itertools.product(("relevant", "irrelevant"), ("without", "with")):
        titles.append(f"{kind}: {change}")
        for cells, report in zip(ours, reports):
            cells[titles[-1]] = report.get("pairs", {}).get(kind, {}).get(change)
    theirs: dict[str, dict] = {}  # the paper has one row for each kind of change
    for row in published("with_without_change"):
        model = theirs.setdefault(row["model"], {"model": row["model"]})
        for key, value in row.items():
            model[f"{row['change']}:_{key}"] = value
    return _settings_table(reports, titles, ours, list(theirs.values()))


def aligned_table(*reports: dict) -> Table:
    """Return Table 9: identical direction questions on the original room and on the room rotated to
    its reference frame."""
    ours = [report.get("pairs", {}).get("aligned", {}) for report in reports]
    theirs = published("aligned_map_direction_questions")
    return _settings_table(reports, ("non-aligned", "aligned"), ours, theirs)


def _settings_table(
    reports: Sequence[dict], titles: Sequence[str], ours: Sequence[dict], theirs: Sequence[dict]
) -> Table:
    """Return a table of EM and PM by setting: for `ours` the cell of each title, for the published
    rows the columns named after it, as in "no_frame_em"."""
    header, rows = ["model"], []
    for title in titles:
        header += [f"{title} EM", "PM"]
    for report, cells in zip(reports, ours):
        row: list[Cell] = [_label(report)]
        for title in titles:
            cell = cells.get(title)
            row += [cell["em"]["value"], cell["pm"]["value"]] if cell else [None, None]
        rows.append(row)
    for record in theirs:
        row = [f"{record['model']} *"]
        for title in titles:
            name = title.replace(" ", "_").replace("-", "_")
            row += [record.get(f"{name}_em"), record.get(f"{name}_pm")]
        rows.append(row)
    return Table(header, rows, (len(reports),))


def sbert_table(*reports: dict) -> Table:
    """Return 100 times the mean SBERT cosine by change and question type, for the reports that have
    it."""
    names = (OVERALL, *CATEGORIES, *TYPES)
    rows: list[list[Cell]] = []
    for report in reports:
        sbert = report["sbert"]
        by_name = {row["name"]: row for row in (*sbert["rows"], *sbert["by_type"])}
        rows += figure_rows(_label(report), list(map(by_name.get, names)))
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


def report_markdown(*reports: dict) -> str:
    """Return all tables as Markdown with headings."""
    parts = []
    for title, table_of in (
        ("By change", change_table),
        ("By change and question", change_and_type_table),
        ("Direction questions only, by frame", frame_table),
        ("With and without the change", change_control_table),
        ("Direction questions only, by alignment of map and frame", aligned_table),
    ):
        parts += [f"## {title}", markdown(table_of(*reports), 2)]
    parts.append(FOOTNOTE)
    if measured := [report for report in reports if "sbert" in report]:
        parts += ["## SBERT cosine", markdown(sbert_table(*measured), 2)]
    for report in reports:
        for key, name in (("by_fine_type", "question"), ("by_control", "control")):
            if report.get(key):
                table = cell_table(report[key], name)
                parts += [f"## {_label(report)}, by {name}", markdown(table, 2)]
    return "\n\n".join(parts)


def _label(report: dict) -> str:
    return f"{row_name(report)} ({report['split']}, {counted(report['images'], UNIT)})"
