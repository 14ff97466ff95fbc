"""Plots by matplotlib (extra `report`), written atomically."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from po3d.io.cli_errors import needed
from po3d.io.errors import InputError
from po3d.io.files import atomic_write

PLOTS = (".png", ".pdf", ".svg")


class Plot(NamedTuple):
    """A plot: `name` is a part of the file name, `note` the caption, `size` in inches."""

    name: str
    title: str
    note: str
    size: tuple[float, float]
    draw: Callable[[Any], None]  # draws on a matplotlib figure


def save(plot: Plot, folder: str | Path, suffix: str) -> Path:
    """Write a plot as FOLDER/NAME.SUFFIX; return the path."""
    path = Path(folder) / f"{plot.name}{suffix}"
    save_figure(path, plot.size, plot.draw)
    return path


def save_figure(path: str | Path, size: tuple[float, float], draw: Callable[[Any], None]) -> None:
    """Write the matplotlib figure of `size` (inches) that `draw` fills; InputError without
    matplotlib or for a suffix not in PLOTS."""
    suffix = Path(path).suffix.lower()
    if suffix not in PLOTS:
        raise InputError(f"{path}: the file name of a plot should end in one of {', '.join(PLOTS)}")
    content = rendered(size, draw, suffix)
    with atomic_write(path, "wb") as file:
        file.write(content)


def rendered(size: tuple[float, float], draw: Callable[[Any], None], suffix: str) -> bytes:
    """Return the content of the file that `save_figure` writes."""
    rc_context = needed("matplotlib", "report", "plots need").rc_context
    from matplotlib.figure import Figure  # not pyplot: no window, no global state

    # Reproducible bytes; text in an SVG is text, not paths.
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "po3d"}):
        figure = Figure(size, layout="constrained")
        draw(figure)
        file = io.BytesIO()
        figure.savefig(file, format=suffix[1:], dpi=150, metadata=dated)
    return file.getvalue()
