"""Plots of reliability and of sensitivity to noise."""

import itertools
from collections.abc import Mapping, Sequence, Sized
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from po3d.evaluation.report.svg import lower_end
from po3d.io.plots import save_figure

COLUMNS = 4
BIN = ("low", "high", "confidence", "accuracy", "n")
POINT = ("sigma", "value", "ci_low", "ci_high")


def reliability_plot(figures: Mapping[str, Any], path: str | Path) -> None:
    """Save the reliability diagram of `trust`'s figures: accuracy against probability, and the
    number of answers per bin."""

    def draw(figure: Any) -> None:
        upper, lower = figure.subplots(2, 1, height_ratios=(3, 1), sharex=True)
        bins: dict[str, list[float]] = {key: [] for key in BIN}
        for b in figures["bins"]:
            for key in BIN:
                bins[key].append(b[key])
        middle = (np.array(bins["low"]) + bins["high"]) / 2
        width = bins["high"][0] - bins["low"][0] if bins["low"] else 1.0
        upper.bar(middle, bins["accuracy"], width, color="tab:blue", edgecolor="white")
        upper.plot((0, 1), (0, 1), "--", color="gray")
        upper.plot(bins["confidence"], bins["accuracy"], "o", color="tab:orange", ms=4)
        upper.set(ylabel="accuracy", xlim=(0, 1), ylim=(0, 1), title=f"ECE {figures['ece']:.3f}")
        lower.bar(middle, bins["n"], width, color="gray", edgecolor="white")
        lower.set(xlabel="probability of the answer", ylabel="answers", yscale="log")

    save_figure(path, (4.5, 5.0), draw)


def sensitivity_plot(
    curves: Mapping[str, Sequence[Mapping[str, Any]]], units: Mapping[str, str], path: str | Path
) -> None:
    """Save plots of accuracy against noise, one panel per quantity. A curve is a list of points
    with sigma, value, ci_low and ci_high."""

    def draw(figure: Any) -> None:
        rows, columns = _panels(curves)
        panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
        lowest = min(map(lower_end, itertools.chain.from_iterable(curves.values())))
        for axes, (name, points) in zip(panels.flat, curves.items()):
            sigma, value, low, high = np.array(list(map(itemgetter(*POINT), points)), float).T
            known = np.isfinite(low)
            if known.any():
                axes.fill_between(sigma[known], low[known], high[known], alpha=0.25)
            axes.plot(sigma, value, "o-", ms=3)
            axes.set(title=name, xlabel=units[name], ylim=(max(0, lowest - 5), 102))
            axes.grid(alpha=0.3)
        for axes in panels[:, 0]:
            axes.set_ylabel("right (%)")
        for axes in panels.flat[len(curves) :]:
            axes.set_axis_off()

    rows, columns = _panels(curves)
    save_figure(path, (3.0 * columns, 2.6 * rows), draw)


def _panels(curves: Sized) -> tuple[int, int]:
    """Return the numbers of rows and columns of panels."""
    return -(-len(curves) // COLUMNS), min(COLUMNS, len(curves))
