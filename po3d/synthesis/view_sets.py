"""Perspective pictures of rooms and orbit scenes for training the room-view estimator.

    python -m po3d.synthesis.render_rooms --kind inside|orbit

A set is a folder; each file is a pure function of (kind, seed, split, index, size):

    set.json                kind, seed, split, count, size: the parameters of the set
    views/000000.jpg, .json the picture; its scene with camera, visible fractions, models

*inside*: three views of every room, by a common and an uncommon camera of the 3DSRBench twin and by
one with an arbitrary pose. *orbit*: one view of a scene of the SCOPE twin. A view's JSON is written
last, so an interrupted run can be resumed with any number of workers.
"""

import math
from dataclasses import asdict, dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from po3d.io.seeding import rng
from po3d.scene.camera import CameraPose, held
from po3d.scene.geometry import Camera, rotation_z
from po3d.scene.orbit import VIEWS
from po3d.scene.table import Scene, to_json
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.indoor_view.views import common_view, uncommon_view
from po3d.synthesis.multi_view.pictures import orbit_view as view_of_scene
from po3d.synthesis.splits import Split
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.looks import RoomLook, sample_room_look
from po3d.synthesis.top_view.pictures import RoomRenderer

FORMAT = "po3d-room-views-2"
Kind = Literal["inside", "orbit"]
WIDTH, HEIGHT = 640, 480
CAMERAS = ("common", "uncommon", "any")  # views of a room, in this order
ANGLES = 2  # views of an orbit scene

# Camera poses of arbitrary views: ranges in metres and degrees.
ANY_HEIGHT, ANY_PITCH, ANY_ROLL, ANY_FIELD = (0.2, 2.35), (-55.0, 18.0), 18.0, (48.0, 88.0)
# distances in metres: kept from walls and objects, and of an object that counts
FROM_WALLS, FROM_THINGS, NEAREST = 0.25, 0.2, 0.6
TRIED, ENOUGH = 60, 4  # number of sampled cameras; objects that a camera has to frame


@dataclass(frozen=True)
class ViewSpec:
    """Parameters of a set of views."""

    kind: Kind
    seed: int
    split: Split
    count: int
    samples: int = 1
    part: ClassVar[str] = "views"

    @property
    def facts(self) -> dict:
        return {"format": FORMAT, **asdict(self), "width": WIDTH, "height": HEIGHT}

    def renderer(self, models: RoomModels) -> RoomRenderer:
        return RoomRenderer(WIDTH, HEIGHT, self.samples, models)

    def draw(self, index: int, renderer: RoomRenderer) -> tuple[NDArray[np.uint8], dict]:
        """Render view `index`. Its JSON has the scene of visible objects, and for each its visible
        fraction, its number of visible pixels and its model."""
        make = inside_view if self.kind == "inside" else orbit_view
        scene, camera_kind, look = make(self, index, renderer.models)
        shot = renderer.shoot(scene, scene.camera, look, amodal=True)
        objects, visible, pixels, chosen = [], [], [], []
        for o, label, dress in zip(scene.objects, shot.labels, look.dresses):
            if label.visible_px:
                objects.append(replace(o, box=tuple(map(float, label.amodal_box))))
                visible.append(round(label.visible_fraction, 4))
                pixels.append(label.visible_px)
                chosen.append(dress.model)
        return shot.rgb, {
            "scene": to_json(replace(scene, objects=tuple(objects))),
            "camera": camera_kind,
            "visible": visible,
            "pixels": pixels,
            "models": chosen,
        }


# --- indoor views ---------------------------------------------------------------------------------


def inside_view(spec: ViewSpec, index: int, models: RoomModels) -> tuple[Scene, str, RoomLook]:
    """Return a room with the camera of a view, the kind of that camera, and the room's
    appearance."""
    number, which = divmod(index, len(CAMERAS))
    room = sample_room(spec.seed, number, spec.split)
    look = sample_room_look(
        room, models, spec.split, rng(spec.seed, f"view look/{spec.split}", number)
    )
    random = rng(spec.seed, f"view/{spec.split}", number)
    first = common_view(room, random, WIDTH, HEIGHT)
    camera, kind = first.camera, CAMERAS[which]
    if kind == "uncommon":
        second, kind = uncommon_view(room, first, random, WIDTH, HEIGHT)
        camera = second.camera
    elif kind == "any":
        camera = any_camera(room, rng(spec.seed, f"any camera/{spec.split}", number))
    return replace(room, camera=camera, image=f"{index:06d}.jpg"), kind, look


def any_camera(room: Scene, random: np.random.Generator) -> Camera:
    """Sample cameras with arbitrary poses in a room; return the first that frames ENOUGH objects,
    or else the one that frames most."""
    corners = np.array(room.outline)
    best: tuple[int, Camera] | None = None
    for _ in range(TRIED):
        ground = random.uniform(corners.min(0) + FROM_WALLS, corners.max(0) - FROM_WALLS)
        pitch = math.radians(random.uniform(*ANY_PITCH))
        roll = math.radians(random.normal(0, ANY_ROLL))
        height, azimuth = random.uniform(*ANY_HEIGHT), random.uniform(-math.pi, math.pi)
        hold = CameraPose(float(height), pitch, roll, float(azimuth))
        focal = WIDTH / 2 / math.tan(math.radians(random.uniform(*ANY_FIELD)) / 2)
        camera = held(hold, WIDTH, HEIGHT, focal, (float(ground[0]), float(ground[1])))
        away = camera.position - room.positions
        turned = np.einsum("nij,nj->ni", rotation_z(-room.headings), away)
        clear = (np.abs(turned) > room.extents / 2 + FROM_THINGS).any(1).all()
        pixels, depth = camera.project(room.positions)
        inside = (pixels > 0).all(-1) & (pixels < (WIDTH, HEIGHT)).all(-1)
        framed = int(((depth > NEAREST) & inside).sum())
        if clear and (best is None or framed > best[0]):
            best = framed, camera
            if framed >= ENOUGH:
                break
    if best is None:  # no free place in the room: a camera above its centre
        x, y = corners.mean(0).tolist()
        return held(CameraPose(2.3, -0.9, 0.0, 0.0), WIDTH, HEIGHT, WIDTH * 0.6, (x, y))
    return best[1]


# --- orbit ----------------------------------------------------------------------------------------


def orbit_view(spec: ViewSpec, index: int, models: RoomModels) -> tuple[Scene, str, RoomLook]:
    """Return an orbit scene with the camera of a view, "orbit", and its appearance."""
    number, which = divmod(index, ANGLES)
    angles = rng(spec.seed, f"view angles/{spec.split}", number).permutation(len(VIEWS))
    scene, look = view_of_scene(spec.seed, spec.split, number * len(VIEWS) + int(angles[which]))
    return replace(scene, image=f"{index:06d}.jpg"), "orbit", look
