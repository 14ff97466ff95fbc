"""Hypo3D's radar plot (the paper's Fig. 5): exact match by kind of change and question, for a run,
other systems and the best published rows. Needs matplotlib.
"""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from po3d.benchmarks.hypo3d.score import (
    CATEGORIES,
    OVERALL,
    RELEASE,
    TYPES,
    published_by_change_and_type,
)
from po3d.io.plots import Plot
from po3d.io.run_names import row_name

PUBLISHED_ROWS = 3  # number of published rows, the best by exact match


def figures(report: Mapping[str, Any], *others: Mapping[str, Any]) -> list[Plot]:
    """Return the radar plot; [] if no question of the report has a type."""
    lines = [(row_name(one), _cells(one), "-") for one in (report, *others)]
    theirs = [row for row in published_by_change_and_type() if row["metric"] == "em"]
    for row in sorted(theirs, key=lambda row: -row[OVERALL])[:PUBLISHED_ROWS]:
        lines.append((f"{row['model']} *", _flat(row["cells"]), "--"))
    spokes = list(filter(lines[0][1].__contains__, itertools.product(CATEGORIES, TYPES)))
    if not spokes:
        return []

    def draw(figure: Any) -> None:
        axes = figure.subplots(subplot_kw={"projection": "polar"})
        angles = 2 * np.pi * np.arange(len(spokes)) / len(spokes)
        closed = [*range(len(spokes)), 0]
        for name, cells, style in lines:
            values = np.array([cells.get(spoke, np.nan) for spoke in spokes], float)
            width = 2 if style == "-" else 1
            axes.plot(angles[closed], values[closed], style, lw=width, ms=3, label=name)
        axes.set_xticks(angles, [f"{c}\n{t}" for c, t in spokes], fontsize=7)
        axes.tick_params(axis="x", pad=14)
        axes.set(ylim=(0, 100), theta_direction=-1)
        axes.set_theta_zero_location("N")
        axes.set_yticks((25, 50, 75, 100), ("25", "50", "75", "100"), fontsize=6)
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)

    note = f"EM (%). *: the {PUBLISHED_ROWS} highest published rows, measured on the {RELEASE}."
    return [Plot("radar", "Exact matches by type of change and question", note, (5.6, 6.2), draw)]


def _cells(report: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    cells = _flat(report["by_change_and_type"])
    return {spoke: cell["em"]["value"] for spoke, cell in cells.items()}


def _flat(cells: Mapping[str, Mapping[str, Any]]) -> dict[tuple[str, str], Any]:
    """Return (change, type) -> cell."""
    flat = {}
    for change, kinds in cells.items():
        for kind, cell in kinds.items():
            flat[change, kind] = cell
    return flat
