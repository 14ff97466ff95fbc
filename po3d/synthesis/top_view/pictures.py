"""Pictures of rooms: a scene, an arbitrary camera, and an appearance, rendered with masks.

    Scene ─► sample_room_look (models, paints, floor, walls, light)
          ─► RoomRenderer.shoot(scene, camera, look)

Pixels, ids and masks follow the street renderer: row 0 is the top, id k + 1 is the scene's object
k, and equal input gives equal bytes with one driver.
"""

import numpy as np

from po3d.io.errors import InputError
from po3d.scene.geometry import Camera, box_corners
from po3d.scene.table import Scene
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.render.renderer import MAX_OBJECTS, RenderedFrame, Renderer
from po3d.synthesis.top_view.looks import RoomLook, placed
from po3d.synthesis.top_view.shell import Shell

NEAREST = 0.05  # near clipping distance from the camera, metres
SLACK = 0.5  # margin of the depth range around the room, metres


class RoomRenderer:
    """Renders rooms in pictures of one size; one per process, size and number of samples. Use as a
    context manager."""

    def __init__(self, width: int, height: int, samples: int, models: RoomModels) -> None:
        self.models = models
        self._renderer = Renderer(width, height, samples, indoors=True)

    def __enter__(self) -> "RoomRenderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the device's resources."""
        self._renderer.close()

    def shoot(
        self, scene: Scene, camera: Camera, look: RoomLook, amodal: bool = False
    ) -> RenderedFrame:
        """Render the scene as seen by `camera`; without `amodal` the picture has no labels. A
        camera outside the walls or above the room sees inside; one inside sees walls and ceiling. A
        top view is a distant camera with a long focal length (`top_views.top_camera`)."""
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
        return self._renderer.render(objects, camera, look.light, look.shell, amodal, depths)


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
