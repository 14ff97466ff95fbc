"""Pictures of figures, drawn with matplotlib (the extra `report`), written whole or not at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from po3d.io.errors import InputError
from po3d.io.files import atomic_write
from po3d.io.guard import needed

PLOTS = (".png", ".pdf", ".svg")


def drawn(path: str | Path, size: tuple[float, float], draw: Callable[[Any], None]) -> None:
    """Write what `draw` puts on a matplotlib figure of `size` (inches); InputError without matplotlib or for another
    ending than PLOTS."""
    suffix = Path(path).suffix.lower()
    if suffix not in PLOTS:
        raise InputError(f"{path}: the name of a plot should end in one of {', '.join(PLOTS)}")
    rc_context = needed("matplotlib", "report", "plots need").rc_context
    from matplotlib.figure import Figure  # not pyplot: no window, no global state

    # The same bytes every time; letters of an SVG are text, not drawn.
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "po3d"}):
        figure = Figure(size, layout="constrained")
        draw(figure)
        with atomic_write(path, "wb") as file:
            figure.savefig(file, format=suffix[1:], dpi=150, metadata=dated)
