"""Top views of rooms for training the top-view estimator (`python -m po3d.synthesis.render_rooms`).

North is up: the map's top is the world's +y and its right is +x, as in rooms without a reference
frame (`frames`: without a frame, the map's top is the front). A set is a folder; each file is a
pure function of (seed, index, split, size):

    set.json                seed, split, count, size: the parameters of the set
    rooms/000000.jpg, .json the picture; the scene with its top camera, visible fractions, models

A room's JSON is written last, so an interrupted run can be resumed with any number of workers.
"""

import functools
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import Camera, down
from po3d.scene.table import Scene, to_json
from po3d.synthesis.furniture.libraries import FOLDER
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.splits import Split
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.looks import sample_room_look
from po3d.synthesis.top_view.pictures import RoomRenderer

FORMAT = "po3d-top-views-2"
SIZE = 512  # width and height in pixels
MARGIN = 0.25  # margin around the outline, metres


def top_camera(
    scene: Scene, width: int, height: int, metres_per_pixel: float | None = None
) -> Camera:
    """Return the camera that looks down on the middle of the outline, north (+y) up. A pixel covers
    `metres_per_pixel` of the floor; by default the picture shows the outline and MARGIN around it.
    Raise InputError without an outline."""
    if scene.outline is None:
        raise InputError(f"{scene.image or 'the scene'}: a top view needs the room's outline")
    floor = np.array(scene.outline, float)
    low, high = floor.min(0), floor.max(0)
    x, y = ((low + high) / 2).tolist()
    if metres_per_pixel is None:
        metres_per_pixel = float(((high - low + 2 * MARGIN) / (width, height)).max())
    return down(x, y, metres_per_pixel, width, height)


def metres_per_pixel(camera: Camera) -> float:
    """Return the metres of floor covered by one pixel of a top camera."""
    return float(camera.position[2]) / camera.focal


@dataclass(frozen=True)
class SetSpec:
    """Parameters of a set of top views."""

    seed: int
    split: Split
    count: int
    size: int = SIZE
    samples: int = 1
    part: ClassVar[str] = "rooms"

    @property
    def facts(self) -> dict:
        return {"format": FORMAT, **asdict(self)}

    def renderer(self, models: RoomModels) -> RoomRenderer:
        return RoomRenderer(self.size, self.size, self.samples, models)

    def draw(self, index: int, renderer: RoomRenderer) -> tuple[NDArray[np.uint8], dict]:
        """Render room `index`: the scene of (seed, index, split) with its own appearance. Its JSON
        has the scene, metres per pixel, and for each object its visible fraction and its model."""
        scene = sample_room(self.seed, index, self.split)
        random = rng(self.seed, f"room look/{self.split}", index)
        look = sample_room_look(scene, renderer.models, self.split, random)
        camera = top_camera(scene, self.size, self.size)
        shot = renderer.shoot(scene, camera, look, amodal=True)
        objects = []
        for o, label in zip(scene.objects, shot.labels):
            box = None if label.amodal_box is None else tuple(map(float, label.amodal_box))
            objects.append(replace(o, box=box))
        scene = replace(scene, objects=tuple(objects), camera=camera, image=f"{index:06d}.jpg")
        return shot.rgb, {
            "scene": to_json(scene),
            "metres_per_pixel": metres_per_pixel(camera),
            "visible": [round(float(share), 4) for share in shot.visible],
            "models": [item.model for item in look.dresses],
        }


def map_of(
    scene: Scene, furniture: str | Path | None = None, split: Split = "test"
) -> tuple[NDArray[np.uint8], Camera]:
    """Render the top view of a room of the twin with the models of a split; return it with its
    camera. A pure function of the scene, its name and the split."""
    renderer = _map_renderer(str(furniture or FOLDER))
    look = sample_room_look(scene, renderer.models, split, rng(0, f"map/{scene.image}"))
    camera = top_camera(scene, SIZE, SIZE)
    return renderer.shoot(scene, camera, look).rgb, camera


def labelled_map(scene: Scene, view: tuple[NDArray[np.uint8], Camera]) -> NDArray[np.uint8]:
    """Render the plain map of a room with each object's name at its place."""
    from PIL import Image, ImageDraw

    picture, camera = view
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    scale = metres_per_pixel(camera)
    x, y, _ = camera.position.tolist()
    for o in scene.objects:
        at = (
            (o.position[0] - x) / scale + camera.width / 2,
            camera.height / 2 - (o.position[1] - y) / scale,
        )
        name = o.value("name")
        box = draw.textbbox(at, name, anchor="mm")
        draw.rectangle((box[0] - 1, box[1] - 1, box[2] + 1, box[3] + 1), fill=(255, 255, 255))
        draw.text(at, name, fill=(0, 0, 0), anchor="mm")
    return np.asarray(image)


def view_of(scene: Scene, camera: Camera, furniture: str | Path | None = None) -> NDArray[np.uint8]:
    """Render a room of the twin from a camera inside it, with the appearance of its map."""
    renderer = _map_renderer(str(furniture or FOLDER), camera.width, camera.height)
    look = sample_room_look(scene, renderer.models, "test", rng(0, f"map/{scene.image}"))
    return renderer.shoot(scene, camera, look).rgb


@functools.lru_cache(2)
def _map_renderer(furniture: str, width: int = SIZE, height: int = SIZE) -> RoomRenderer:
    return RoomRenderer(width, height, 1, RoomModels(furniture))
