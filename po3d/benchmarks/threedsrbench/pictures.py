"""The pictures of 3DSRBench's twin, drawn from its tables: a view's whole room, in the room's look, by the view's camera.

Needs the extra "synthesis" and furniture models (Debian package sweethome3d-furniture). The models are those of the
twin's split: a twin of split "test" shows none that training pictures show, but for categories with one or two.
"""

import functools
import io
import multiprocessing
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.io.errors import InputError
from po3d.io.files import atomic_write
from po3d.io.progress import progress
from po3d.io.seeding import rng
from po3d.scene.table import Scene
from po3d.synthesis.furniture.libraries import FOLDER
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.rooms.layouts import sample_room
from po3d.synthesis.rooms.looks import sample_room_look
from po3d.synthesis.rooms.pictures import RoomRenderer

QUALITY = 80  # of a JPEG
SAMPLES = 4  # smooth edges


def picture(
    scene: Scene,
    seed: int,
    split: str,
    furniture: str | Path | None = None,
    cache: str | Path | None = None,
    objects: tuple[int, int] | None = None,
) -> NDArray[np.uint8]:
    """(H, W, 3) pixels of a view of the twin of a seed and split. `scene` is its table, whose camera and image name
    say all. `furniture`: the folder of models (None: where the Debian package puts them), `cache`: see RoomModels;
    `objects`: the twin's dial of that name."""
    number = int(Path(scene.image).name.split("_")[0])
    room = sample_room(seed, number, split, objects)
    places = {o.position for o in room.objects}
    if not all(o.position in places for o in scene.objects):
        raise InputError(
            f"{scene.image} is of a twin that another version made; its pictures can't be drawn any more"
        )
    camera = scene.camera
    renderer = _renderer(
        camera.width, camera.height, str(furniture or FOLDER), None if cache is None else str(cache)
    )
    look = sample_room_look(room, renderer.models, split, rng(seed, f"inside look/{split}", number))
    return renderer.shoot(room, camera, look).rgb


@functools.lru_cache(1)
def _renderer(width: int, height: int, furniture: str, cache: str | None) -> RoomRenderer:
    return RoomRenderer(width, height, SAMPLES, RoomModels(furniture, cache))


def draw(
    out: Path,
    scenes: Iterable[Scene],
    seed: int,
    split: str,
    furniture: str | Path | None = None,
    cache: str | Path | None = None,
    workers: int = 1,
    objects: tuple[int, int] | None = None,
) -> None:
    """Write the JPEGs of a twin's views that are not there yet, named as in their tables, below `out`."""
    todo = [scene for scene in scenes if not (out / scene.image).is_file()]
    if todo:
        RoomModels(furniture or FOLDER, cache)  # where there are none, that shows now
    write = functools.partial(
        _write, out=out, seed=seed, split=split, furniture=furniture, cache=cache, objects=objects
    )
    for _ in progress(_mapped(write, todo, workers), "pictures", len(todo), unit="picture"):
        pass
    for torn in out.glob("images/.*.tmp"):  # left by killed writers
        torn.unlink()


def _mapped(write, todo: list[Scene], workers: int) -> Iterator[None]:
    if workers == 1 or len(todo) < 2:
        yield from map(write, todo)
        return
    # Spawned, not forked: a forked child would share its parent's graphics context.
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap_unordered(write, todo, chunksize=2)


def _write(scene: Scene, out: Path, seed: int, split: str, furniture, cache, objects) -> None:
    file = io.BytesIO()
    rgb = picture(scene, seed, split, furniture, cache, objects)
    Image.fromarray(rgb).save(file, "JPEG", quality=QUALITY, optimize=True)
    with atomic_write(out / scene.image, "wb") as target:
        target.write(file.getvalue())
