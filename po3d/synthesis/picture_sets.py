"""Folders of rendered pictures with one JSON file each, written by any number of processes and
resumable.

set.json                    the parameters of the set
PART/000000.jpg, .json ...  a picture and its annotations; the JSON is written last
"""

import io
import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_json, write_json
from po3d.io.progress import progress
from po3d.synthesis.furniture.libraries import FOLDER
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.top_view.pictures import RoomRenderer
from po3d.synthesis.top_view.top_views import SetSpec
from po3d.synthesis.view_sets import ViewSpec

QUALITY = 85
CHUNK = 6  # consecutive pictures per task of a process


def jpeg(rgb: NDArray[np.uint8]) -> bytes:
    """Encode a picture (H, W, 3) as JPEG."""
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


# Parameters of a set of pictures. Each picture is a function of the spec and its index.
PictureSpec = SetSpec | ViewSpec


def generate(
    out: str | Path,
    spec: PictureSpec,
    furniture: str | Path = FOLDER,
    cache: str | Path | None = None,
    workers: int = 1,
) -> int:
    """Render the missing pictures of a set into the folder `out`; return their number. `cache`: see
    RoomModels. Raise InputError if the folder holds a set with other parameters; a larger count is
    allowed."""
    out = Path(out)
    _claim(out, spec.facts)
    missing = []
    for k in range(spec.count):
        if not (out / spec.part / f"{k:06d}.json").exists():
            missing.append(k)
    arguments = (out, spec, str(furniture), None if cache is None else str(cache))
    if workers <= 1 and missing:
        _open(*arguments)
        _exhaust(map(_draw, missing), len(missing))
    elif missing:
        context = multiprocessing.get_context("spawn")
        with context.Pool(workers, _open, arguments) as pool:
            _exhaust(pool.imap_unordered(_draw, missing, chunksize=CHUNK), len(missing))
    return len(missing)


# Per process: one renderer serves all its pictures
_state: dict[str, tuple[Path, PictureSpec, RoomRenderer]] = {}


def _open(out: Path, spec: PictureSpec, furniture: str, cache: str | None) -> None:
    _state["work"] = out, spec, spec.renderer(RoomModels(furniture, cache))


def _draw(index: int) -> None:
    out, spec, renderer = _state["work"]
    rgb, record = spec.draw(index, renderer)
    base = out / spec.part / f"{index:06d}"
    with atomic_write(base.with_suffix(".jpg"), "wb") as file:
        file.write(jpeg(rgb))
    write_json(base.with_suffix(".json"), record, indent=None)


def _claim(out: Path, facts: dict) -> None:
    """Write set.json, or check that the existing one is equal."""
    path = out / "set.json"
    if path.exists():
        existing = read_json(path, "set of pictures")
        count = existing.get("count") if isinstance(existing, dict) else None
        if type(count) is not int or {**existing, "count": 0} != {**facts, "count": 0}:
            raise InputError(
                f"{out} contains images made with {existing}, not with {facts}; choose another"
                " folder"
            )
        facts = {**facts, "count": max(facts["count"], count)}
    write_json(path, facts)


def _exhaust(done: Iterator[None], count: int) -> None:
    for _ in progress(done, total=count, unit="picture", mininterval=5):
        pass
