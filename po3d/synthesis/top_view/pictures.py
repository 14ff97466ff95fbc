"""Pictures of rooms: a scene, an arbitrary camera, and an appearance, rendered with masks.

    Scene ─► sample_room_look (models, paints, floor, walls, light)
          ─► RoomRenderer.shoot(scene, camera, look)

Pixels, ids and masks follow the street renderer: row 0 is the top, id k + 1 is the scene's object
k, and equal input gives equal bytes with one driver.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError
from po3d.scene.geometry import Camera, box_corners
from po3d.scene.table import Scene
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.render.renderer import MAX_OBJECTS, Renderer
from po3d.synthesis.street.labels import ObjectLabel
from po3d.synthesis.top_view.looks import RoomLook, placed
from po3d.synthesis.top_view.shell import Shell

NEAREST = 0.05  # near clipping distance from the camera, metres
SLACK = 0.5  # margin of the depth range around the room, metres

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RoomShot:
    """A picture of a room. `amodal`, `labels` and `visible` are computed on request (None
    otherwise)."""

    rgb: NDArray[np.uint8]  # (H, W, 3) sRGB
    ids: NDArray[np.uint8]  # (H, W): 0 the room itself, k + 1 object k
    # (H, W) metres along the optical axis; inf where there is no object
    depth: NDArray[np.float32] | None
    amodal: Mask | None  # (N, H, W): the pixels of each object rendered alone
    labels: tuple[ObjectLabel, ...] | None  # boxes, pixel counts, occluders
    # (N,) visible fraction of its pixels; 0 outside the picture
    visible: NDArray[np.float64] | None


class RoomRenderer:
    """Renders rooms in pictures of one size; one per process, size and number of samples. Use as a
    context manager."""

    def __init__(
        self, width: int, height: int, samples: int, models: RoomModels, threads: int = 0
    ) -> None:
        self.models = models
        self._renderer = Renderer(width, height, samples, threads, indoors=True)

    def __enter__(self) -> "RoomRenderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the device's resources."""
        self._renderer.close()

    def shoot(
        self,
        scene: Scene,
        camera: Camera,
        look: RoomLook,
        depth: bool = False,
        amodal: bool = False,
    ) -> RoomShot:
        """Render the scene as seen by `camera`. A camera outside the walls or above the room sees
        inside; one inside sees walls and ceiling. A top view is a distant camera with a long focal
        length (`top_views.top_camera`)."""
        if len(look.dresses) != len(scene.objects):
            raise InputError(
                f"{scene.image or 'scene'}: {len(scene.objects)} objects, but the look "
                f"defines {len(look.dresses)}"
            )
        if len(scene.objects) > MAX_OBJECTS:
            raise InputError(
                f"{len(scene.objects)} objects in one room; the limit is {MAX_OBJECTS}"
            )
        objects = []
        for state, item in zip(scene.objects, look.dresses):
            objects.append(placed(state, self.models.model(item.model), item))
        depths = near_far(scene, look.shell, camera)
        frame = self._renderer.render(
            objects, camera, look.light, depth, look.shell, amodal, depths
        )
        if not amodal:
            return RoomShot(frame.rgb, frame.ids, frame.depth, None, None, None)
        labels = frame.labels()
        visible = np.array([label.visible_fraction for label in labels])
        return RoomShot(frame.rgb, frame.ids, frame.depth, frame.amodal, labels, visible)


def near_far(scene: Scene, shell: Shell, camera: Camera) -> tuple[float, float]:
    """Return the depth range of a room and its objects for a camera; a narrow range improves the
    depth resolution."""
    floor = np.array(shell.outline, float)
    points = [np.c_[floor, np.full(len(floor), z)] for z in (0.0, shell.height)]
    if len(scene.objects):  # objects may be outside the room
        ground = box_corners(scene.positions, scene.headings, scene.extents)
        low = scene.positions[:, 2] - scene.extents[:, 2] / 2
        points.append((ground + low[:, None, None] * np.array([0, 0, 1])).reshape(-1, 3))
    depth = camera.cam_T_world.transform(np.concatenate(points))[:, 2]
    near = max(NEAREST, float(depth.min()) - SLACK)
    return near, max(near + SLACK, float(depth.max()) + SLACK)
