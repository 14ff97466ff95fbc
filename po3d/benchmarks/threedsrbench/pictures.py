"""Rendering of the images of 3DSRBench's twin: a view's whole room in the room's style, from the
view's camera.

Needs the extra "synthesis" and furniture models (Debian package sweethome3d-furniture). Models are
chosen by the twin's split: a twin of split "test" shows no model that training images show, except
for categories with one or two models.
"""

import functools
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks import room_pictures
from po3d.benchmarks.room_pictures import QUALITY, Studio
from po3d.io.errors import InputError
from po3d.io.files import write_file
from po3d.io.images import jpeg
from po3d.io.seeding import rng
from po3d.scene.table import Scene
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.looks import sample_room_look


def picture(scene: Scene, studio: Studio) -> NDArray[np.uint8]:
    """Render a view of the twin, (H, W, 3). `scene` is its ground truth, which has the camera and
    the image name."""
    seed, split = studio.seed, studio.split
    number = int(Path(scene.image).name.split("_")[0])
    room = sample_room(seed, number, split, studio.objects)
    places = {o.position for o in room.objects}
    if not all(o.position in places for o in scene.objects):
        raise InputError(
            f"{scene.image} belongs to a twin of another version, whose images can no longer be"
            " rendered"
        )
    camera = scene.camera
    drawing = studio.renderer(camera.width, camera.height)
    look = sample_room_look(room, drawing.models, split, rng(seed, f"inside look/{split}", number))
    return drawing.shoot(room, camera, look).rgb


def draw(out: Path, scenes: Iterable[Scene], studio: Studio, workers: int = 1) -> None:
    """Write the missing JPEGs of a twin's views below `out`, named as in their scenes."""
    todo = [scene for scene in scenes if not (out / scene.image).is_file()]
    write = functools.partial(_write, out=out, studio=studio)
    room_pictures.draw(write, todo, studio, out / "images", workers, "picture", 2)


def _write(scene: Scene, out: Path, studio: Studio) -> None:
    write_file(out / scene.image, jpeg(picture(scene, studio), QUALITY))
