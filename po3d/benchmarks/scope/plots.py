"""SCOPE's figures: confusion matrices of directions (orthogonal and diagonal, the paper's Fig. 7),
distributions of predicted and true directions (Fig. 8a), kinds of updating errors by angle and
group (Fig. 8b), and accuracy against consistency (Fig. 6), with the two rows of the paper's Table
7. Needs matplotlib.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from po3d.benchmarks.scope.score import ERRORS, published
from po3d.io.plots import Plot
from po3d.io.run_names import row_name
from po3d.scene.orbit import GROUPS, LABELS

TASK = "consistency_ego"
COLORS = dict(zip(ERRORS, ("tab:green", "tab:blue", "tab:red", "tab:orange", "lightgray")))


def confusion_plot(report: Mapping[str, Any], task: str) -> Plot:
    """Return the two relational confusion matrices of a task: rows ground truth, columns
    predictions, row fractions.
    """

    def draw(figure: Any) -> None:
        for axes, (group, labels) in zip(figure.subplots(1, 2), GROUPS.items()):
            counts = np.array(report["confusion"][task][group], float)
            shares = counts[:, : len(labels)] / np.maximum(counts.sum(axis=1, keepdims=True), 1)
            axes.imshow(shares, cmap="Reds", vmin=0, vmax=1)
            axes.set_xticks(range(len(labels)), labels, rotation=30, ha="right")
            axes.set_yticks(range(len(labels)), labels)
            axes.set(title=group, xlabel="answered", ylabel="gold")
            for (i, j), share in np.ndenumerate(shares):
                style = {"color": "white" if share > 0.6 else "black", "fontsize": 8}
                axes.text(j, i, f"{100 * share:.0f}", ha="center", va="center", **style)

    title = f"Relational confusion, {task.replace('_', ' ')}"
    note = "Rows: ground truth; columns: answers; percent of a row."
    return Plot(f"confusion_{task}", title, note, (7.6, 3.9), draw)


def direction_plot(report: Mapping[str, Any]) -> Plot:
    """Return the distributions of predicted and true directions, one panel per task."""
    tasks = report["directions"]

    def draw(figure: Any) -> None:
        for axes, (task, both) in zip(
            figure.subplots(1, len(tasks), sharey=True, squeeze=False)[0], tasks.items()
        ):
            at = np.arange(len(LABELS))
            for k, (name, color) in enumerate((("gold", "lightgray"), ("answered", "tab:blue"))):
                counts = [both[name][label] for label in LABELS]
                axes.bar(at + 0.4 * k, counts, 0.4, label=name, color=color)
            axes.set_xticks(at + 0.2, LABELS, rotation=60, ha="right", fontsize=7)
            axes.set_title(task, fontsize=9)
        axes.legend(fontsize=7)

    note = "Accuracy and frequency of each direction."
    return Plot("directions", "Directions", note, (2.7 * len(tasks), 3.0), draw)


def updating_plot(report: Mapping[str, Any]) -> Plot:
    """Return the fractions of error kinds in egocentric updating, one bar per group and angle."""
    bars = {}
    for group, angles in report["updating_errors"].items():
        for angle, counts in angles.items():
            bars[f"{group}\n{angle}°"] = counts

    def draw(figure: Any) -> None:
        axes, floor = figure.subplots(), np.zeros(len(bars))
        totals = np.array([max(sum(counts.values()), 1) for counts in bars.values()])
        for kind in ERRORS:
            share = 100 * np.array([counts[kind] for counts in bars.values()]) / totals
            axes.bar(list(bars), share, bottom=floor, label=kind, color=COLORS[kind])
            floor += share
        axes.set(ylabel="answers (%)", ylim=(0, 100))
        axes.tick_params(axis="x", labelsize=7)
        axes.legend(fontsize=7, ncols=len(ERRORS), loc="lower center", bbox_to_anchor=(0.5, 1))

    note = "Types of errors in egocentric updating, by group of directions and angle."
    return Plot("updating_errors", "Errors of updating", note, (5.6, 3.4), draw)


def consistency_plot(reports: Sequence[Mapping[str, Any]]) -> Plot:
    """Return accuracy against C(S) over all eight views, one point per report and per blind
    baseline.
    """
    points = []
    for row in published("scene_consistency"):
        points.append((row["model"], row["accuracy"], row["all_8_view"], "s"))
    for report in reports:
        accuracy = _accuracy(report["rows"])
        points.append((row_name(report), accuracy, _agreement(report["consistency"]), "o"))
    if reports:
        for name, cells in reports[0]["baseline_consistency"].items():
            accuracy = _accuracy(reports[0]["baselines"][name])
            points.append((name, accuracy, _agreement(cells), "x"))

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot((0, 100), (0, 100), "--", color="gray", lw=1)
        labels: list[tuple[float, float, list[str]]] = []
        for name, x, y, marker in points:
            if x is None or y is None:
                continue
            axes.plot([x], [y], marker, ms=6)
            near = [names for u, v, names in labels if math.hypot(u - x, v - y) < 6]
            if near:  # nearby points share a label
                near[0].append(name)
            else:
                labels.append((x, y, [name]))
        for x, y, names in labels:
            side, shift = ("left", 6) if x < 50 else ("right", -6)
            place = {"textcoords": "offset points", "xytext": (shift, 0), "ha": side}
            axes.annotate("\n".join(names), (x, y), va="center", fontsize=7, **place)
        axes.set(xlabel=f"accuracy, {TASK} (%)", ylabel="consistency, all views (%)")
        axes.set(xlim=(-3, 104), ylim=(-3, 104))

    note = (
        "Squares: the paper's rows, measured on the official images; crosses: answers that ignore"
        " the question."
    )
    return Plot("accuracy_consistency", "Accuracy and consistency", note, (4.6, 4.4), draw)


def figures(report: Mapping[str, Any], *others: Mapping[str, Any]) -> list[Plot]:
    """Return all figures of a report; `others` appear in the accuracy-consistency plot."""
    result = []
    if report["confusion"]:
        result += [confusion_plot(report, task) for task in report["confusion"]]
        result.append(direction_plot(report))
    if report["updating_errors"]:
        result.append(updating_plot(report))
    return [*result, consistency_plot([report, *others])]


def _accuracy(rows: Sequence[Mapping[str, Any]]) -> float | None:
    return next((row["value"] for row in rows if row["name"] == TASK), None)


def _agreement(consistency: Mapping[str, Any]) -> float | None:
    return consistency.get(TASK, {}).get("all", {}).get("consistent")
