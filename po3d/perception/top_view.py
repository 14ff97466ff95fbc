"""Estimator of room scenes from maps: pictures of rooms from straight above. The network is the one
that all estimators share.

picture + its camera -> SceneNet -> boxes, attributes, points, sizes -> positions on the floor ->
supporting objects -> Scene

A map shows positions and headings, but hardly heights: these follow from the sizes that the network
predicts, and from where objects of a category usually stand or hang. The outline is the border of
the room in the picture.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from po3d.io.errors import InputError
from po3d.perception.detection import Detections, likely
from po3d.perception.estimator import NetworkEstimator
from po3d.perception.room_furnishing import settled
from po3d.scene.frames import axes_from_front
from po3d.scene.geometry import Camera
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS
from po3d.scene.table import ObjectState, Scene

KIND = "top_view_estimator"
# in the network's order
ATTRIBUTES = {"name": tuple(CATEGORIES), "color": COLORS, "material": MATERIALS}
WIDTH = 512  # of the pictures, which are square
TOP = math.pi / 2  # heading of what faces their top
MAX_OBJECTS = 64  # a room
# on the centre's probability; doubtful objects stay in the scene with their probability
THRESHOLD = 0.06
LEAST = 0.01  # existence of a row of the table, calibrated
MARGIN = 10  # grey levels by which the picture around the room may vary
EDGE = 14  # grey levels between a wall's rim and the floor
THICKEST = 0.45  # metres of a wall
# runs of pixels: a picture of more shows no room, and joining them would take minutes
SHREDS = 50_000
SIMPLER = 3.0  # pixels by which the outline may be straightened


class TopViewEstimator(NetworkEstimator):
    """Estimates one Scene per map by `estimate(pictures, cameras)`, with the axes of the map: its
    top is the front."""

    kind, attributes = KIND, ATTRIBUTES
    outputs: ClassVar = {"extent": True}
    width, limit, threshold, facing = WIDTH, MAX_OBJECTS, THRESHOLD, TOP

    def estimate(
        self,
        pictures: Sequence[np.ndarray],
        cameras: Sequence[Camera],
        names: Sequence[str] | None = None,
    ) -> list[Scene]:
        """Predict one scene for each square (H, H, 3) uint8 picture and its camera, which points
        straight down, with the top of the map at the top of the picture."""
        if not len(pictures):
            return []
        names = names or [""] * len(pictures)
        for picture, camera, name in zip(pictures, cameras, names, strict=True):
            if picture.shape[:2] != (camera.height, camera.width) or camera.height != camera.width:
                raise InputError(
                    f"map {name!r} has {picture.shape[1]} x {picture.shape[0]} pixels and "
                    f"its camera {camera.width} x {camera.height}; both should be square "
                    "and equal"
                )
        detections = self.detect(pictures)
        return [
            self.scene(detections, b, picture, camera, name)
            for b, (picture, camera, name) in enumerate(zip(pictures, cameras, names))
        ]

    def scene(
        self, result: Detections, b: int, picture: np.ndarray, camera: Camera, name: str
    ) -> Scene:
        """Return the scene of picture b of `result`; `camera` is the picture's."""
        camera = camera.resized(WIDTH, WIDTH)
        rows = np.flatnonzero(result.score[b] >= LEAST).tolist()
        states = [_standing(result, b, i, camera) for i in rows]
        corners = outline(picture, camera.resized(*picture.shape[1::-1]))
        return Scene(
            tuple(settled(states)),
            axes_from_front((0.0, 1.0)),
            "predicted",
            camera,
            image=name,
            outline=corners,
        )


def _standing(detections: Detections, b: int, i: int, camera: Camera) -> ObjectState:
    """Convert detection i of picture b to an object on the floor, or on a wall at the usual height
    of its category."""
    beliefs = {}
    for attribute, values in ATTRIBUTES.items():
        beliefs[attribute] = likely(detections.probabilities[attribute][b, i], values)
    category = CATEGORIES[max(beliefs["name"], key=beliefs["name"].__getitem__)]
    length, width, height = detections.extent[b, i].tolist()
    bottom = category.bottom if category.stands == "wall" else 0.0
    x, y, z = camera.at_height(detections.points[b, i, 8], bottom + height / 2).tolist()
    return ObjectState(
        beliefs,
        (x, y, z),
        float(detections.alpha[b, i]),
        (length, width, height),
        flip=float(detections.flip[b, i]),
        existence=float(detections.score[b, i]),
        box=tuple(detections.box[b, i].tolist()),
    )


def outline(picture: np.ndarray, camera: Camera) -> tuple[tuple[float, float], ...] | None:
    """Return the corners of the room's floor (counter-clockwise, metres): the simplified border of
    the region that differs in colour from the picture's top left corner, without the walls. None if
    the picture does not show a single region."""
    inside = (np.abs(picture.astype(int) - picture[0, 0]) > MARGIN).any(2)
    ends = np.diff(np.pad(inside, ((0, 0), (1, 1))).astype(np.int8))
    if np.count_nonzero(ends) > 2 * SHREDS:
        return None
    y, x = (part.reshape(-1, 2) for part in np.nonzero(ends))
    if not len(x):
        return None
    shape = shapely.unary_union(shapely.box(x[:, 0], y[:, 0], x[:, 1], y[:, 0] + 1))
    border = shapely.simplify(shapely.Polygon(_largest(shape).exterior), SIMPLER)
    floor = border.buffer(-_wall(picture, border, camera), join_style="mitre")
    if floor.geom_type != "Polygon" or floor.is_empty:
        floor = border
    # y is down: turn round.
    pixels = np.array(shapely.geometry.polygon.orient(floor).exterior.coords[:-1])[::-1]
    return tuple(map(tuple, camera.at_height(pixels, 0.0)[:, :2].tolist()))


def _largest(shape: BaseGeometry) -> BaseGeometry:
    """Return the largest polygon of a shape, which may consist of several after shrinking."""
    return max(
        getattr(shape, "geoms", [shape]), key=lambda part: part.area, default=shapely.Polygon()
    )


def _wall(picture: np.ndarray, border: shapely.Polygon, camera: Camera) -> int:
    """Return the thickness in pixels of the walls in the picture: the distance inwards from
    `border` at which the colour changes."""
    most = int(THICKEST * camera.focal / camera.position[2])
    colors = []
    for d in range(most):
        inner = _largest(border.buffer(-(d + 0.5), join_style="mitre"))
        if inner.is_empty:
            break
        ring = inner.exterior
        points = shapely.line_interpolate_point(ring, np.linspace(0, 1, 200), normalized=True)
        at = shapely.get_coordinates(points)
        x, y = np.clip(at.T, 0, np.array(picture.shape[1::-1])[:, None] - 1).astype(int)
        colors.append(np.median(picture[y, x].astype(float), 0))
    for d in range(1, len(colors)):
        if np.abs(colors[d] - colors[1]).max() > EDGE:
            return d
    return 0
