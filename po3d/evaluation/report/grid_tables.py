"""Tables of the oracle grid."""

from collections.abc import Callable, Mapping
from typing import Any

from po3d.benchmarks.registry import counted
from po3d.benchmarks.scoring import column
from po3d.io.run_names import row_name
from po3d.io.text_tables import Cell, Table, figure_rows, interval_text, markdown, text

MAX_ROWS = 80  # maximum number of cells in the terminal; grid.md has all


def cells_table(result: Mapping[str, Any], most: int | None = None) -> Table:
    """Return a table with one row per cell, one column per category, and the interval of their
    mean."""
    names = column(result["cells"][0]["rows"], "name")
    rows: list[list[Cell]] = []
    for cell in result["cells"][:most]:
        last = cell["rows"][-1]
        values = column(cell["rows"], "value")
        rows.append([cell["name"], *values, interval_text(last)])
    return Table(["modules", *names, "95 %"], rows)


def curves_table(result: Mapping[str, Any]) -> Table:
    """Return a table with one row per quantity and noise level."""
    rows: list[list[Cell]] = []
    for quantity, points in result["curves"].items():
        name = f"{quantity} ({result['units'][quantity]})"
        for point in points:
            rows.append([name, f"{point['sigma']:g}", point["value"], interval_text(point)])
    title = "noise in one module, all else from ground truth"
    return Table((title, "sigma", "right", "95 %"), rows)


def alone_table(result: Mapping[str, Any]) -> Table:
    """Return, by category, the percentage of wrong answers that ground truth in each group of
    modules repairs alone."""
    groups = list(next(iter(result["attribution"].values()))["alone"])
    rows: list[list[Cell]] = []
    for category, blame in result["attribution"].items():
        rows.append([category, *(blame["alone"][g] for g in groups)])
    return Table(["repaired by ground truth of one module (%)", *groups], rows, (len(rows) - 1,))


def ladder_table(result: Mapping[str, Any]) -> Table:
    """Return the table for a paper: the system, each group of modules replaced by ground truth
    alone, and everything true.

    Each has a row with its intervals below; columns are categories."""
    groups = len(next(iter(result["attribution"].values()))["shares"])
    named = {0: "all predicted", (1 << groups) - 1: "all true"}
    names = column(result["cells"][0]["rows"], "name")
    rows: list[list[Cell]] = []
    for mask in (0, *(1 << k for k in range(groups)), (1 << groups) - 1):
        cell = result["cells"][mask]
        name = named.get(mask) or f"{cell['name'].removeprefix('+ ')} true"
        rows += figure_rows(name, cell["rows"])
    return Table(["modules", *names], rows, (2, len(rows) - 2))


def blame_table(result: Mapping[str, Any]) -> Table:
    """Return, by category, the error rate and each group's Shapley share of it in percentage
    points, with intervals below; grids written by older versions have no intervals."""
    groups = list(next(iter(result["attribution"].values()))["shares"])
    rows: list[list[Cell]] = []
    for category, matches in result["attribution"].items():
        ends = matches.get("intervals") or {}
        figures = []
        for name, value in (("error", matches["error"]), *matches["shares"].items()):
            low, high = ends.get(name, (None, None))
            figures.append({"value": value, "ci_low": low, "ci_high": high})
        row, intervals = figure_rows(category, figures, signed=True)
        rows += [[row[0], matches["n"], *row[1:]], [intervals[0], None, *intervals[1:]]]
    return Table(["Shapley shares", "n", "error", *groups], rows, (len(rows) - 2,))


def grid_text(result: Mapping[str, Any]) -> str:
    """Return the text printed in the terminal."""
    page = _page(result, text, "", MAX_ROWS)
    more = len(result["cells"]) - MAX_ROWS
    return page + (f"\n\n{more} more cells are listed in grid.md" if more > 0 else "")


def grid_markdown(result: Mapping[str, Any]) -> str:
    """Return the content of grid.md."""
    title = (
        f"# Oracle grid of {row_name(result)} on {result['benchmark']} ({result['split']}, "
        f"{counted(result)}, {result['scorer']})"
    )
    return f"{title}\n\n{_page(result, markdown, '## ', None)}\n"


def _page(
    result: Mapping[str, Any], spelling: Callable[[Table], str], heading: str, most: int | None
) -> str:
    parts = [f"{heading}Cells", spelling(cells_table(result, most))]
    if result["curves"]:
        parts += [f"{heading}Sensitivity to noise", spelling(curves_table(result))]
    parts += [
        f"{heading}Error attribution",
        *map(spelling, (blame_table(result), alone_table(result))),
    ]
    return "\n\n".join([*parts, *(f"PROBLEM: {p}" for p in result["problems"])])
