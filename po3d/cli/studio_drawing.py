"""The studio's drawing of a scene in 3D, with viser."""

import math
from typing import Any

import numpy as np

from po3d.evaluation.report.draw import NO_HEADING
from po3d.scene.display import paint
from po3d.scene.geometry import Array, Camera
from po3d.scene.table import ObjectState, Scene

LIT, TAKEN = (255, 200, 0), (0, 114, 178)
SPREAD = 2.0  # standard deviations of the ellipse on the ground


class SceneDrawing:
    """The drawn elements of one scene in viser's `world`; removing `handles` removes them."""

    def __init__(self, world: Any, scene: Scene) -> None:
        self.world, self.scene = world, scene
        self.handles: list[Any] = []

    def clear(self) -> None:
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def box(self, k: int, name: str, lit: set[int], taken: int | None) -> Any:
        """Draw an object's box, front, name and uncertainty; return its box.

        `lit`: the objects of a step. `taken`: the selected one.
        """
        o, world, reach = self.scene.objects[k], self.world, self.reach
        middle = (*o.position[:2], o.underside + o.extent[2] / 2)
        color = paint(o)
        if k in lit:
            color = LIT
        elif k == taken:
            color = TAKEN
        opacity = max(0.25, o.existence) * (0.35 if lit and k not in lit else 0.9)
        box = world.add_box(
            f"/things/{k}", color, tuple(max(e, 0.01) for e in o.extent), opacity=opacity,
            wxyz=about_z(o.heading), position=middle,
        )  # fmt: skip
        self.handles.append(box)
        if heading_known(o):
            self._front_of(k, o, np.array(middle), 0.02 * reach)
        above = (*o.position[:2], o.underside + 1.15 * o.extent[2])
        label = world.add_label(f"/names/{k}", name, position=above)
        self.handles.append(label)
        if (spread := _ellipse(o)) is not None:
            thickness = 0.004 * reach
            self.handles.append(
                world.add_line_segments(f"/spread/{k}", spread, TAKEN, thickness=thickness)
            )
        return box

    def _front_of(self, k: int, o: ObjectState, middle: Array, size: float) -> None:
        """Draw an arrow from an object's front; `size`: of its head."""
        ahead = np.array([math.cos(o.heading), math.sin(o.heading), 0.0]) * (0.55 * o.extent[0])
        arrow = self.world.add_arrows(
            f"/fronts/{k}",
            np.array([[middle + ahead, middle + ahead * 1.5]]),
            paint(o),
            shaft_radius=0.2 * size,
            head_radius=0.5 * size,
            head_length=size,
        )
        self.handles.append(arrow)

    def ground(self) -> None:
        """Draw the room's walls, if known, and a grid."""
        scene, world, reach = self.scene, self.world, self.reach
        if scene.outline is not None:
            corners = np.array([(*p, 0.0) for p in scene.outline])
            walls = np.stack([corners, np.roll(corners, -1, 0)], 1)
            self.handles.append(
                world.add_line_segments("/walls", walls, (90, 90, 90), thickness=0.006 * reach)
            )
        grid = world.add_grid(
            "/ground",
            1.6 * reach,
            1.6 * reach,
            position=(*self.middle, -0.002),
            cell_color=(225, 225, 225),
            section_color=(200, 200, 200),
        )
        self.handles.append(grid)

    def front(self) -> None:
        """Draw an arrow from the middle to the scene's front, with a label."""
        scene, world, reach = self.scene, self.world, self.reach
        front = np.array([(0.0, 0.0, 0.0), (*np.array(scene.axes["front"]) * 0.3 * reach, 0.0)])
        front[:, :2] += self.middle
        self.handles.append(world.add_label("/front", "front", position=tuple(front[1])))
        arrow = world.add_arrows(
            "/front_arrow",
            front[None],
            (213, 94, 0),
            shaft_radius=0.004 * reach,
            head_radius=0.012 * reach,
            head_length=0.03 * reach,
        )
        self.handles.append(arrow)

    def camera(self, camera: Camera) -> None:
        frustum = self.world.add_camera_frustum(
            "/camera",
            2 * math.atan(camera.height / 2 / camera.K[1][1]),
            camera.width / camera.height,
            scale=0.08 * self.reach,
            thickness=0.002 * self.reach,  # the view begins close to the camera
            wxyz=_quaternion(np.asarray(camera.cam_T_world.rotation).T),
            position=tuple(camera.position),
        )
        self.handles.append(frustum)

    def _points(self) -> Array:
        """Return ground points (n, 2) around all objects, and the corners of the room's outline."""
        points = [(0.0, 0.0)] if not len(self.scene) else []
        for o in self.scene.objects:
            half = np.full(2, max(o.extent[:2]) / 2)
            points += [np.array(o.position[:2]) - half, np.array(o.position[:2]) + half]
        return np.array([*points, *(self.scene.outline or ())], float)

    @property
    def middle(self) -> Array:
        ground = self._points()
        return (ground.min(0) + ground.max(0)) / 2

    @property
    def reach(self) -> float:
        """Return the extent of the scene on the ground."""
        ground = self._points()
        return float(max(np.ptp(ground, axis=0).max(), 1.0))


def about_z(angle: float) -> tuple[float, float, float, float]:
    return (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))


def _quaternion(rotation: Array) -> Array:
    """Return (w, x, y, z) of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(rotation).as_quat(scalar_first=True)


def _ellipse(o: ObjectState) -> Array | None:
    """Return (n, 2, 3) line segments: the ellipse of the position's uncertainty, and the fan of the
    heading's if it is known; None for a certain object."""
    covariance = np.array(o.covariance, float)
    if not covariance[:2, :2].any():
        return None
    values, vectors = np.linalg.eigh(covariance[:2, :2])
    turn = np.linspace(0, 2 * np.pi, 33)
    ring = (vectors * (SPREAD * np.sqrt(np.maximum(values, 0)))) @ np.stack(
        [np.cos(turn), np.sin(turn)]
    )
    points = np.c_[np.array(o.position[:2]) + ring.T, np.full(33, 0.01)]
    rim = np.stack([points[:-1], points[1:]], 1)
    if not heading_known(o):
        return rim
    spread = SPREAD * math.sqrt(max(covariance[2, 2], 0.0))
    at, fan = np.array((*o.position[:2], 0.01)), []
    for a in (o.heading - spread, o.heading + spread):
        fan.append([at, at + 0.75 * o.extent[0] * np.array((math.cos(a), math.sin(a), 0.0))])
    return np.concatenate([rim, fan])


def heading_known(o: ObjectState) -> bool:
    return not (o.flip > NO_HEADING[0] and o.covariance[2][2] > NO_HEADING[1])
