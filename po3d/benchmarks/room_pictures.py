"""How twins of rooms draw their pictures: one renderer a process, any number of processes.

Needs the extra "synthesis" and furniture models (Debian package sweethome3d-furniture)."""

import collections
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from po3d.io.pools import each
from po3d.synthesis.furniture.libraries import FOLDER
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.rooms.pictures import RoomRenderer

QUALITY = 80  # of a JPEG
SAMPLES = 4  # smooth edges


@dataclass(frozen=True)
class Studio:
    """What a twin's pictures are made of: its seed and split; the folder of the models (None: where the Debian package
    puts them) and their cache (see RoomModels)."""

    seed: int
    split: str
    furniture: str | Path | None = None
    cache: str | Path | None = None
    objects: tuple[int, int] | None = None  # the dial of that name

    def renderer(self, width: int, height: int) -> RoomRenderer:
        """What draws pictures of this size."""
        cache = None if self.cache is None else str(self.cache)
        return _renderer(width, height, str(self.furniture or FOLDER), cache)


@functools.lru_cache(1)
def _renderer(width: int, height: int, furniture: str, cache: str | None) -> RoomRenderer:
    return RoomRenderer(width, height, SAMPLES, RoomModels(furniture, cache))


def draw(
    work: Callable, todo: Sequence, studio: Studio, images: Path, workers: int, unit: str, together: int
) -> None:
    """Do `work`, which writes pictures into `images`, for each of `todo`. The rest: see `io.pools.each`."""
    if todo:
        RoomModels(studio.furniture or FOLDER, studio.cache)  # where there are none, that shows now
    done = each(work, todo, min(workers, len(todo)), "pictures", unit, together=together)
    collections.deque(done, maxlen=0)
    for torn in images.glob(".*.tmp"):  # left by killed writers
        torn.unlink()
