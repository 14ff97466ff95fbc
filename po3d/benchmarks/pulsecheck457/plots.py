"""PulseCheck457's figure of answer bias (the paper's Fig. 4).

For each attribute queried on L4-3D-Pose: the confusion matrix, and the distributions of ground
truth and answers with their coefficient of variation. Needs matplotlib.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from po3d.io.plots import Plot
from po3d.io.run_names import row_name

# attributes per figure; the paper shows the first two
PAIRS = (("color", "pose"), ("shape", "size"))
LETTERED = 10  # matrices with more values have no numbers in their cells


def figures(report: Mapping[str, Any], *others: Mapping[str, Any]) -> list[Plot]:
    """Return a figure for each pair of attributes that occurs in the questions; `others` are
    ignored.
    """
    result = []
    for pair in PAIRS:
        if query := [a for a in pair if a in (report.get("confusion") or {})]:
            result.append(bias_plot(report, query))
    return result


def bias_plot(report: Mapping[str, Any], attributes: Sequence[str]) -> Plot:
    """Return a plot with one column per attribute: confusion matrix above, distributions below."""

    def draw(figure: Any) -> None:
        panels = figure.subplots(2, len(attributes), height_ratios=(3, 1.6), squeeze=False)
        for (upper, lower), attribute in zip(panels.T, attributes):
            _matrix(upper, report["confusion"][attribute], attribute)
            counts = report["distribution"][attribute]
            _distribution(
                lower, counts, {s: report["cv"].get(s, {}).get(attribute) for s in counts}
            )

    title = f"Answers by {' and '.join(attributes)} on L4-3D-Pose"
    note = (
        f"{row_name(report)}. Top: rows ground truth, columns answers, in percent of a row; "
        "bottom: frequency, and CV."
    )
    return Plot(f"bias_{'_'.join(attributes)}", title, note, (4.2 * len(attributes), 5.8), draw)


def _matrix(axes: Any, confused: Mapping[str, Any], attribute: str) -> None:
    values = confused["values"]
    counts = np.array(confused["counts"], float)
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    size = 8 if len(values) <= LETTERED else 5.5
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(values) + 1), [*values, "none"], rotation=90, fontsize=size)
    axes.set_yticks(range(len(values)), values, fontsize=size)
    axes.set(title=attribute, xlabel="answered", ylabel="right")
    if len(values) <= LETTERED:
        for (i, j), share in np.ndenumerate(shares):
            color = "white" if share > 0.6 else "black"
            axes.text(j, i, f"{100 * share:.0f}", ha="center", va="center", color=color, fontsize=7)


def _distribution(
    axes: Any, counts: Mapping[str, Mapping[str, int]], cv: Mapping[str, float | None]
) -> None:
    names = {"gold": ("right", "lightgray"), "predicted": ("answered", "tab:blue")}
    values = list(counts["gold"])
    at = np.arange(len(values))
    for k, (side, (name, color)) in enumerate(names.items()):
        label = name if cv.get(side) is None else f"{name}, CV {cv[side]:.3f}"
        axes.bar(
            at + 0.4 * k, [counts[side].get(v, 0) for v in values], 0.4, label=label, color=color
        )
    axes.set_xticks(at + 0.2, values, rotation=90, fontsize=8 if len(values) <= LETTERED else 5.5)
    axes.set(ylabel="answers")
    axes.margins(y=0.35)
    axes.legend(fontsize=7, ncols=2, loc="upper left")
