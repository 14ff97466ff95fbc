"""Views of SCOPE's scenes: names, and what each view shows."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from po3d.scene.geometry import wrap_angle
from po3d.scene.orbit import VIEWS, Orbit, view_angle
from po3d.scene.registration import rotation
from po3d.scene.table import Scene

IMAGES = "images"
LEAST_VISIBLE_SHARE = 0.25  # minimum visible fraction of an object in a view's ground truth


def scene_name(index: int) -> str:
    """Return the name of a twin's scene `index`."""
    return f"scope_{index:06d}"


def image_name(scene: str, angle: int) -> str:
    """Return the file name of a twin's view."""
    return f"{scene}_{angle:03d}.jpg"


@dataclass(frozen=True)
class SceneViews:
    """The views of one scene: ground truth, orbit, and the visible fraction of each object in each
    view, (8, n).
    """

    scene: Scene
    orbit: Orbit
    visible: NDArray[np.float64]
    ground: str = ""
    models: tuple[str, ...] = ()

    def rows(self, angle: int) -> list[int]:
        """Return the rows of the ground-truth scene that are visible in the view at `angle`."""
        shares = self.visible[VIEWS.index(view_angle(angle))]
        return np.flatnonzero(shares >= LEAST_VISIBLE_SHARE).tolist()

    def table(self, angle: int, image: str = "") -> Scene:
        """Return the objects visible in the view at `angle`, in the view's own frame: rotated so
        that its camera is at -y.
        """
        back = -self.orbit.reading.sense * np.radians(angle)
        turn = rotation(back)
        objects = []
        for i in self.rows(angle):
            o = self.scene.objects[i]
            x, y = turn @ np.array(o.position[:2])
            position = (float(x), float(y), o.position[2])
            objects.append(
                replace(o, position=position, heading=float(wrap_angle(o.heading + back)))
            )
        return Scene(tuple(objects), self.orbit.axes(0), "gt", self.orbit.camera(0), image=image)
