"""Tables and curves of a study's results."""

import itertools
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from po3d.benchmarks.scoring import column
from po3d.io.plots import save_figure
from po3d.io.text_tables import Table, decimals, markdown, text

PERCEPTION = {  # figure -> (column, factor, digits)
    "recall": ("recall %", 100, 1),
    "shape": ("shape %", 100, 1),
    "color": ("colour %", 100, 1),
    "yaw_median_deg": ("yaw °", 1, 1),
    "position_median": ("position", 1, 3),
}


POINT = ("x", "value", "ci_low", "ci_high")


def study_tables(results: Sequence[Mapping[str, Any]]) -> dict[str, Table]:
    """Return a table for each part: accuracy by task and other figures, one row per run."""
    tables = {}
    for part, runs in _parts(results).items():
        tasks = column(runs[0]["rows"], "name")
        keys = []
        for k in PERCEPTION:
            if any(r["perception"].get(k) is not None for r in runs):
                keys.append(k)
        per = "questions/s" if runs[0]["fills"] == "parser" else "images/s"
        header = (part, "M parameters", per, *tasks, *(PERCEPTION[k][0] for k in keys))
        rows = []
        for r in runs:
            row = [r["name"], r["parameters"] / 1e6, r["speed"], *(t["value"] for t in r["rows"])]
            for key in keys:
                (_, factor, digits), value = PERCEPTION[key], r["perception"].get(key)
                row.append(None if value is None else decimals(value * factor, digits))
            rows.append(row)
        tables[part] = Table(header, rows)
    return tables


def _parts(results: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the runs of each part."""
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for run in results:
        parts.setdefault(run["part"], []).append(run)
    return parts


def study_markdown(results: Sequence[Mapping[str, Any]]) -> str:
    """Return the tables as Markdown."""
    return "\n\n".join(map(markdown, study_tables(results).values())) + "\n"


def study_text(results: Sequence[Mapping[str, Any]]) -> str:
    """Return the tables as plain text."""
    return "\n\n".join(map(text, study_tables(results).values()))


Curve = Mapping[str, Sequence[Mapping[str, float]]]


def curves(results: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[dict[str, float]]]]:
    """Return part -> task and variant -> points (x, value, ci_low, ci_high), for parts that vary a
    number."""
    points: dict[str, dict[str, list[dict[str, float]]]] = {}
    for part, runs in _parts(results).items():
        if len(runs) < 2 or not all(isinstance(r["value"], int | float) for r in runs):
            continue
        lines: dict[str, list[dict[str, float]]] = {}
        for r in sorted(runs, key=lambda r: r["value"]):
            for row in r["rows"]:
                line = " ".join(filter(None, (row["name"], r["variant"])))
                point = {"x": r["value"], **{k: row[k] for k in POINT[1:]}}
                lines.setdefault(line, []).append(point)
        points[part] = lines
    return points


def curve_plot(lines: Curve, path: Path) -> None:
    """Plot accuracy against the varied number, one line per task; the mean is thick, with its
    interval."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, points in lines.items():
            x, value, low, high = zip(*map(itemgetter(*POINT), points), strict=True)
            main, color = name.startswith("mean"), "black" if name == "mean" else None
            width = 3 if main else 1
            axes.plot(x, value, "o-", lw=width, ms=4, label=name, color=color)
            if main and None not in low:
                axes.fill_between(x, low, high, alpha=0.2, color=axes.lines[-1].get_color())
        values = sorted(set(map(itemgetter("x"), itertools.chain.from_iterable(lines.values()))))
        axes.set(xscale="log", xlabel=path.stem, ylabel="right (%)")
        axes.set_xticks(values, map(str, values))
        axes.set_xticks((), minor=True)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")

    save_figure(path, (6.0, 4.2), draw)
