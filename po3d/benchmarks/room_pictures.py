"""Rendering of the images of room twins, with one renderer per process and any number of processes.

Needs the extra "synthesis" and furniture models (Debian package sweethome3d-furniture).
"""

import collections
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from po3d.io.pools import each
from po3d.synthesis.furniture.libraries import FOLDER
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.top_view.pictures import RoomRenderer

QUALITY = 80  # JPEG quality
SAMPLES = 4  # multisampling for anti-aliased edges


@dataclass(frozen=True)
class Studio:
    """Rendering settings of a twin: seed, split, model folder (None: the Debian package's) and
    model cache (see RoomModels)."""

    seed: int
    split: str
    furniture: str | Path | None = None
    cache: str | Path | None = None
    objects: tuple[int, int] | None = None  # the difficulty setting of that name

    def renderer(self, width: int, height: int) -> RoomRenderer:
        """Return a renderer for images of this size."""
        cache = None if self.cache is None else str(self.cache)
        return _renderer(width, height, str(self.furniture or FOLDER), cache)


@functools.lru_cache(1)
def _renderer(width: int, height: int, furniture: str, cache: str | None) -> RoomRenderer:
    return RoomRenderer(width, height, SAMPLES, RoomModels(furniture, cache))


def draw(
    work: Callable,
    todo: Sequence,
    studio: Studio,
    images: Path,
    workers: int,
    unit: str,
    together: int,
) -> None:
    """Call `work`, which writes images into `images`, for each item of `todo`; other arguments as
    in `io.pools.each`."""
    if todo:
        RoomModels(studio.furniture or FOLDER, studio.cache)  # fail early if the models are missing
    done = each(work, todo, min(workers, len(todo)), "pictures", unit, together=together)
    collections.deque(done, maxlen=0)
    for torn in images.glob(".*.tmp"):  # left by killed processes
        torn.unlink()
