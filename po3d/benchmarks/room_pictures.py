"""How twins of rooms draw their pictures: one renderer a process, any number of processes.

Needs the extra "synthesis" and furniture models (Debian package sweethome3d-furniture)."""

import collections
import functools
from collections.abc import Callable, Sequence
from pathlib import Path

from po3d.io.pools import each
from po3d.synthesis.furniture.libraries import FOLDER
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.rooms.pictures import RoomRenderer

QUALITY = 80  # of a JPEG
SAMPLES = 4  # smooth edges


def renderer(
    width: int, height: int, furniture: str | Path | None = None, cache: str | Path | None = None
) -> RoomRenderer:
    """What draws pictures of this size. `furniture`: the folder of models (None: where the Debian package puts them),
    `cache`: see RoomModels."""
    return _renderer(width, height, str(furniture or FOLDER), None if cache is None else str(cache))


@functools.lru_cache(1)
def _renderer(width: int, height: int, furniture: str, cache: str | None) -> RoomRenderer:
    return RoomRenderer(width, height, SAMPLES, RoomModels(furniture, cache))


def draw(
    work: Callable,
    todo: Sequence,
    workers: int,
    unit: str,
    together: int,
    images: Path,
    furniture: str | Path | None,
    cache: str | Path | None,
) -> None:
    """Do `work`, which writes pictures into `images`, for each of `todo`. The rest: see `io.pools.each` and `renderer`."""
    if todo:
        RoomModels(furniture or FOLDER, cache)  # where there are none, that shows now
    done = each(work, todo, min(workers, len(todo)), "pictures", unit, together=together)
    collections.deque(done, maxlen=0)
    for torn in images.glob(".*.tmp"):  # left by killed writers
        torn.unlink()
