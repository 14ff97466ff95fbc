"""Plots of reliability and of sensitivity to noise."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from po3d.evaluation.report.svg import lower_end
from po3d.io.plots import save_figure


def reliability_plot(figures: Mapping[str, Any], path: str | Path) -> None:
    """Save the reliability diagram of `trust`'s figures: accuracy against probability, and the
    number of answers per bin.
    """

    def draw(figure: Any) -> None:
        upper, lower = figure.subplots(2, 1, height_ratios=(3, 1), sharex=True)
        bins = figures["bins"]
        middle = [(b["low"] + b["high"]) / 2 for b in bins]
        width = bins[0]["high"] - bins[0]["low"] if bins else 1.0
        upper.bar(middle, [b["accuracy"] for b in bins], width, color="tab:blue", edgecolor="white")
        upper.plot((0, 1), (0, 1), "--", color="gray")
        upper.plot(
            [b["confidence"] for b in bins],
            [b["accuracy"] for b in bins],
            "o",
            color="tab:orange",
            ms=4,
        )
        upper.set(ylabel="accuracy", xlim=(0, 1), ylim=(0, 1), title=f"ECE {figures['ece']:.3f}")
        lower.bar(middle, [b["n"] for b in bins], width, color="gray", edgecolor="white")
        lower.set(xlabel="probability of the answer", ylabel="answers", yscale="log")

    save_figure(path, (4.5, 5.0), draw)


def sensitivity_plot(
    curves: Mapping[str, Sequence[Mapping[str, Any]]], units: Mapping[str, str], path: str | Path
) -> None:
    """Save plots of accuracy against noise, one panel per quantity. A curve is a list of points
    with sigma, value, ci_low and ci_high.
    """

    def draw(figure: Any) -> None:
        panels = figure.subplots(
            -(-len(curves) // COLUMNS), min(COLUMNS, len(curves)), sharey=True, squeeze=False
        )
        lowest = min(lower_end(p) for points in curves.values() for p in points)
        for axes, (name, points) in zip(panels.flat, curves.items()):
            x, y = [p["sigma"] for p in points], [p["value"] for p in points]
            if known := [p for p in points if p["ci_low"] is not None]:
                low, high = ([p[end] for p in known] for end in ("ci_low", "ci_high"))
                axes.fill_between([p["sigma"] for p in known], low, high, alpha=0.25)
            axes.plot(x, y, "o-", ms=3)
            axes.set(title=name, xlabel=units[name], ylim=(max(0, lowest - 5), 102))
            axes.grid(alpha=0.3)
        for axes in panels[:, 0]:
            axes.set_ylabel("right (%)")
        for axes in panels.flat[len(curves) :]:
            axes.set_axis_off()

    save_figure(path, (3.0 * min(COLUMNS, len(curves)), 2.6 * -(-len(curves) // COLUMNS)), draw)


COLUMNS = 4
