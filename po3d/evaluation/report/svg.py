"""The report's plots as SVG text, written directly so that a page needs neither matplotlib nor
network access.

Text is escaped; colours and fonts are set by classes of the page's style sheet; systems have the
classes s0, s1, ...
"""

import itertools
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from po3d.benchmarks.scoring import column
from po3d.io.text_tables import interval_text

SERIES = 8  # number of colours in the style sheet
ROW = 26  # height of a category in pixels


def _svg(width: float, height: float, parts: Sequence[str], title: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        f' class="{kind}">{escape(words)}</text>'
    )


def _line(x0: float, y0: float, x1: float, y1: float, kind: str) -> str:
    return f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" class="{kind}"/>'


def _path(points: Sequence[tuple[float, float]], kind: str, closed: bool = False) -> str:
    d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + ("Z" if closed else "")
    return f'<path d="{d}" class="{kind}"/>'


def _mark(x: float, y: float, kind: str, title: str, radius: float = 4) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"'
        f' class="{kind}"><title>{escape(title)}</title></circle>'
    )


def _rect(x: float, y: float, width: float, height: float, kind: str, title: str) -> str:
    size = f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" {size} class="{kind}"><title>{escape(title)}</title></rect>'
    )


def intervals(
    systems: Sequence[tuple[str, Sequence[Mapping]]], published: Sequence[Mapping]
) -> str:
    """Plot figures in percent with their intervals, one line per name.

    `systems` are (name, rows with name, value, ci_low, ci_high); `published` rows, {"model": ...,
    name: value}, are faint dots."""
    names = column(systems[0][1], "name")
    left, width = max(120.0, 24 + 6.6 * max(map(len, names))), 640.0
    step = ROW + 7.0 * (len(systems) - 1)
    height = step * len(names) + 30

    def x(value: float) -> float:
        return left + (width - left - 16) * min(max(value, 0), 100) / 100

    parts = []
    for tick in range(0, 101, 20):
        parts.append(_line(x(tick), 4, x(tick), height - 24, "grid"))
        parts.append(_text(x(tick), height - 8, f"{tick}", "middle", "tick"))
    for k, name in enumerate(names):
        middle = 4 + step * (k + 0.5)
        parts.append(_text(left - 12, middle + 4, name, "end", "label"))
        for model in published:
            if isinstance(value := model.get(name), int | float):
                label = f"{model['model']}: {value:.1f}"
                parts.append(_mark(x(value), middle, "published", label, 3))
        for s, (system, rows) in enumerate(systems):
            row = next((r for r in rows if r["name"] == name), None)
            if row is None or row["value"] is None:
                continue
            y, kind = middle + 7 * (s - (len(systems) - 1) / 2), f"s{s % SERIES}"
            label = f"{system}, {name}: {row['value']:.1f}"
            if "ci_low" in row and interval_text(row):
                parts.append(_line(x(row["ci_low"]), y, x(row["ci_high"]), y, f"whisker {kind}"))
                label += f" ({row['ci_low']:.1f} to {row['ci_high']:.1f})"
            parts.append(_mark(x(row["value"]), y, f"dot {kind}", label))
    return _svg(width, height, parts, "values with 95 % intervals")


class _Axes:
    """A panel with axes; `at` maps values to pixels."""

    def __init__(
        self,
        xs: tuple[float, float],
        ys: tuple[float, float],
        width: float = 320,
        height: float = 260,
    ) -> None:
        self.xs, self.ys, self.width, self.height = xs, ys, width, height
        self.left, self.right, self.top, self.bottom = 54.0, width - 12.0, 12.0, height - 40.0

    def at(self, x: float, y: float) -> tuple[float, float]:
        u = (x - self.xs[0]) / (self.xs[1] - self.xs[0])
        v = (y - self.ys[0]) / (self.ys[1] - self.ys[0])
        return self.left + u * (self.right - self.left), self.bottom - v * (self.bottom - self.top)

    def frame(
        self, xticks: Sequence[float], yticks: Sequence[float], xlabel: str, ylabel: str
    ) -> list[str]:
        parts = []
        for t in yticks:
            _, y = self.at(self.xs[0], t)
            parts.append(_line(self.left, y, self.right, y, "grid"))
            parts.append(_text(self.left - 6, y + 4, f"{t:g}", "end", "tick"))
        for t in xticks:
            x, _ = self.at(t, self.ys[0])
            parts.append(_line(x, self.bottom, x, self.bottom + 4, "axis"))
            parts.append(_text(x, self.bottom + 17, f"{t:g}", "middle", "tick"))
        parts.append(_line(self.left, self.bottom, self.right, self.bottom, "axis"))
        if xlabel:
            x = (self.left + self.right) / 2
            parts.append(_text(x, self.height - 6, xlabel, "middle", "tick"))
        middle = (self.top + self.bottom) / 2
        parts.append(
            f'<text transform="translate(11 {middle:.1f}) rotate(-90)" text-anchor="middle"'
            f' class="tick">{escape(ylabel)}</text>'
        )
        return parts


FIFTHS = (0, 0.2, 0.4, 0.6, 0.8, 1)


def reliability(figures: Mapping[str, Any]) -> str:
    """Plot the reliability diagram of `trust`'s figures; a dot's area is its bin's share of the
    answers."""
    panel = _Axes((0, 1), (0, 1))
    parts = panel.frame(FIFTHS, FIFTHS, "probability of the answer", "accuracy")
    parts.append(_path([panel.at(0, 0), panel.at(1, 1)], "ideal"))
    most = max((b["n"] for b in figures["bins"]), default=1)
    points = [panel.at(b["confidence"], b["accuracy"]) for b in figures["bins"]]
    if points:
        parts.append(_path(points, "curve s0"))
    for b, (x, y) in zip(figures["bins"], points):
        label = f"{b['n']} answers, probability {b['confidence']:.3f}, accuracy {b['accuracy']:.3f}"
        parts.append(_mark(x, y, "dot s0", label, 2.5 + 5.5 * (b["n"] / most) ** 0.5))
    return _svg(panel.width, panel.height, parts, "reliability diagram")


def risk_coverage(coverage: Sequence[float], risk: Sequence[float]) -> str:
    """Plot the fraction of wrong answers against the fraction of questions answered, most probable
    first."""
    top = max(0.02, *risk) * 1.08 if len(risk) else 0.02
    panel = _Axes((0, 1), (0, top))
    step = next(s for s in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if top / s <= 6)
    ticks = [round(k * step, 4) for k in range(int(top / step) + 1)]
    parts = panel.frame(FIFTHS, ticks, "coverage: fraction answered", "risk: fraction wrong")
    parts.append(_path(list(map(panel.at, coverage, risk)), "curve s0"))
    return _svg(panel.width, panel.height, parts, "risk and coverage")


def noise_curves(
    curves: Mapping[str, Sequence[Mapping]], units: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return (quantity, plot) of each noise curve of the grid: accuracy against noise, with its
    interval."""
    lowest = min(map(lower_end, itertools.chain.from_iterable(curves.values())), default=0)
    floor = max(0, 10 * int((lowest - 5) // 10))
    floor -= floor % 20 if floor < 60 else 0  # so that there is a tick at 100
    plots = []
    for name, points in curves.items():
        reach = max(p["sigma"] for p in points) or 1.0
        panel = _Axes((0, reach), (floor, 100), 250, 190)
        ticks = range(floor, 101, 20 if 100 - floor > 40 else 10)
        parts = panel.frame([0, reach / 2, reach], ticks, units.get(name, ""), "right (%)")
        curve, upper, lower = [], [], []
        for p in points:
            curve.append(panel.at(p["sigma"], p["value"]))
            if p["ci_low"] is not None:
                upper.append(panel.at(p["sigma"], p["ci_high"]))
                lower.append(panel.at(p["sigma"], p["ci_low"]))
        if upper:
            parts.append(_path(upper + lower[::-1], "band s0", closed=True))
        parts.append(_path(curve, "curve s0"))
        for p in points:
            label = f"{p['sigma']:g}: {p['value']:.1f}"
            parts.append(_mark(*panel.at(p["sigma"], p["value"]), "dot s0", label, 3))
        plot = _svg(panel.width, panel.height, parts, f"sensitivity to noise: {name}")
        plots.append((name, plot))
    return plots


def lower_end(point: Mapping) -> float:
    """Return the lower end of a point's interval, or its value if it has none."""
    return point["value"] if point["ci_low"] is None else point["ci_low"]


def shares(attribution: Mapping[str, Mapping]) -> str:
    """Plot stacked bars: the error rate of each category, divided among the modules."""
    groups = list(next(iter(attribution.values()))["shares"])
    reach = max(max(shares_of["error"] for shares_of in attribution.values()), 1e-9)
    left, width = 170.0, 640.0
    height = ROW * len(attribution) + 44
    scale = (width - left - 50) / reach
    parts, x = [], left
    for k, group in enumerate(groups):
        parts.append(_rect(x, 2, 10, 10, f"bar s{k % SERIES}", group))
        parts.append(_text(x + 14, 11, group, kind="tick"))
        x += 24 + 7.0 * len(group)
    for row, (category, shares_of) in enumerate(attribution.items()):
        y, x = 24 + ROW * row, left
        parts.append(_text(left - 12, y + 15, category, "end", "label"))
        for k, group in enumerate(groups):
            share = shares_of["shares"][group]
            label = f"{category}, {group}: {share:.2f}"
            parts.append(_rect(x, y + 3, share * scale, ROW - 8, f"bar s{k % SERIES}", label))
            x += max(share, 0) * scale
        parts.append(_text(x + 6, y + 15, f"{shares_of['error']:.1f} %", kind="tick"))
    return _svg(width, height, parts, "error attribution to the modules")
