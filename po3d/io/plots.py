"""Pictures of figures, drawn with matplotlib (the extra `report`), written whole or not at all."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from po3d.io.errors import InputError
from po3d.io.files import atomic_write
from po3d.io.guard import needed

PLOTS = (".png", ".pdf", ".svg")


class Plot(NamedTuple):
    """A figure that can be drawn: `name` is a part of a file's name, `note` says what it shows, `size` is in inches."""

    name: str
    title: str
    note: str
    size: tuple[float, float]
    draw: Callable[[Any], None]  # on a matplotlib figure


def save(plot: Plot, folder: str | Path, suffix: str) -> Path:
    """Write a plot as FOLDER/NAME.SUFFIX; the file."""
    path = Path(folder) / f"{plot.name}{suffix}"
    drawn(path, plot.size, plot.draw)
    return path


def drawn(path: str | Path, size: tuple[float, float], draw: Callable[[Any], None]) -> None:
    """Write what `draw` puts on a matplotlib figure of `size` (inches); InputError without matplotlib or for another
    ending than PLOTS."""
    suffix = Path(path).suffix.lower()
    if suffix not in PLOTS:
        raise InputError(f"{path}: the name of a plot should end in one of {', '.join(PLOTS)}")
    content = rendered(size, draw, suffix)
    with atomic_write(path, "wb") as file:
        file.write(content)


def rendered(size: tuple[float, float], draw: Callable[[Any], None], suffix: str) -> bytes:
    """The content of the file that `drawn` writes."""
    rc_context = needed("matplotlib", "report", "plots need").rc_context
    from matplotlib.figure import Figure  # not pyplot: no window, no global state

    # The same bytes every time; letters of an SVG are text, not drawn.
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "po3d"}):
        figure = Figure(size, layout="constrained")
        draw(figure)
        file = io.BytesIO()
        figure.savefig(file, format=suffix[1:], dpi=150, metadata=dated)
    return file.getvalue()
