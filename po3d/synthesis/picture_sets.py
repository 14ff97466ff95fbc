"""Folders of rendered pictures, each with its JSON: made by any number of processes, gone on with after a stop.

set.json                    what the folder was made with
PART/000000.jpg, .json ...  a picture and what is known of it; the JSON is written last
"""

import io
import multiprocessing
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from po3d.io.errors import InputError
from po3d.io.files import read_json, write_json

QUALITY = 85
CHUNK = 6  # pictures that a process draws in a row


def jpeg(rgb: NDArray[np.uint8]) -> bytes:
    """The bytes of a (H, W, 3) picture."""
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def write_set(
    out: Path,
    facts: dict,
    part: str,
    start: Callable[..., None],
    draw: Callable[[int], None],
    arguments: tuple,
    workers: int,
) -> int:
    """Draw what is missing of a set's pictures; how many that were. `facts` is what the folder is made with, their "count"
    among it: InputError when it holds a set of other facts; a larger count than before is fine. `start(*arguments)` is
    called once in each process, `draw(index)` for each picture; both are functions of a module."""
    _claim(out, facts)
    missing = [k for k in range(facts["count"]) if not (out / part / f"{k:06d}.json").exists()]
    if workers <= 1 and missing:
        start(*arguments)
        _exhaust(map(draw, missing), len(missing))
    elif missing:
        context = multiprocessing.get_context("spawn")
        with context.Pool(workers, start, arguments) as pool:
            _exhaust(pool.imap_unordered(draw, missing, chunksize=CHUNK), len(missing))
    return len(missing)


def _claim(out: Path, facts: dict) -> None:
    """Write set.json, or make sure that the one that is there says the same."""
    path = out / "set.json"
    if path.exists():
        found = read_json(path, "set of pictures")
        if not isinstance(found, dict) or {**found, "count": 0} != {**facts, "count": 0}:
            raise InputError(
                f"{out} holds pictures made with {found}, not with {facts}: choose another folder"
            )
        facts = {**facts, "count": max(facts["count"], int(found["count"]))}
    write_json(path, facts)


def _exhaust(done: Iterator[None], count: int) -> None:
    for _ in tqdm(done, total=count, unit="picture", mininterval=5):
        pass
