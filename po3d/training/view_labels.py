"""What the room-view estimator is trained to say of a picture, as fixed-size arrays made from a true table."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from po3d.io.files import lines_beside
from po3d.perception.mirrored import SWAPPED
from po3d.perception.room_view import ATTRIBUTES, HEIGHT, TOLD, WIDTH
from po3d.scene.camera import hold_of
from po3d.scene.geometry import box_corners, wrap_angle
from po3d.scene.table import ObjectState, Scene
from po3d.training.labels import LEAST_SEEN, mirrored_points, padded, told

VIEW_OBJECTS = 40  # of a picture
LEAST_PIXELS = 0.0004  # of the picture, that it must show of a thing
NEAREST = 0.3  # metres of a thing's centre
BEFORE = 0.1  # metres of depth that a corner needs to have a place in the picture
FAR_OUT = 2.0  # widths of the picture from its middle, beyond which a corner's place is not asked for
ON_GROUND = 0.03  # metres between the floor and the underside of what stands on it
# Things that look alike after a quarter or half a turn: nobody sees which of their sides is the front.
SYMMETRIC = frozenset(lines_beside(__file__, "symmetric.txt"))


class ViewLabels(NamedTuple):
    """Labels of one picture, padded to VIEW_OBJECTS rows; pixels are of a picture of WIDTH x HEIGHT."""

    present: np.ndarray  # (N,) bool
    points: np.ndarray  # (N, 9, 2) float32: the 3D box's corners and its centre
    sharp: np.ndarray  # (N, 9) bool: which of them have a place in the picture, or not far out of it
    box: np.ndarray  # (N, 4) float32 around the corners, inside the picture
    name: np.ndarray  # (N,) int64 indices; UNKNOWN where the table does not say
    color: np.ndarray
    material: np.ndarray
    rests: np.ndarray
    alpha: np.ndarray  # (N,) float32: heading minus the viewing ray's azimuth
    extent: np.ndarray  # (N, 3) float32 metres
    log_depth: np.ndarray  # (N,) float32: log of the depth over the focal length in widths of the picture
    hold: np.ndarray  # (3,) float32: roll and pitch of the camera, log of its height above the floor
    log_focal: np.ndarray  # () float32: log of the focal length in widths of the picture


def view_labels(scene: Scene, visible: Sequence[float], pixels: Sequence[int]) -> ViewLabels:
    """The labels of a true table that knows its camera, and of each thing its silhouette's image box; `visible`: the
    share of each that is seen, `pixels`: how many those are in a picture of the camera's size."""
    if scene.camera is None:
        raise ValueError(f"view labels need the camera of {scene.image}")
    camera = scene.camera.resized(WIDTH, HEIGHT)
    rows = asked_rows(scene, visible, pixels)
    centre, depth = (part[rows] for part in camera.project(scene.positions))
    states = [scene.objects[i] for i in rows]
    positions, headings, extents = scene.positions[rows], scene.headings[rows], scene.extents[rows]
    ray = camera.ray(centre)
    azimuth = np.arctan2(ray[:, 1], ray[:, 0])
    headings, extents = _fronts(states, headings - azimuth, extents)
    headings = headings + azimuth
    bottom = positions[:, 2] - extents[:, 2] / 2
    corners = box_corners(positions, headings, extents) + bottom[:, None, None] * np.array([0.0, 0.0, 1.0])
    points, away = camera.project(np.concatenate([corners, positions[:, None]], 1))
    ahead = away > BEFORE
    middle = np.array([WIDTH / 2, HEIGHT / 2])
    points = np.where(ahead[..., None], points, middle)
    sharp = ahead & (np.abs(points - middle) < FAR_OUT * WIDTH).all(-1)
    limit = np.array([WIDTH, HEIGHT] * 2)
    hull = np.concatenate([points[:, :8].min(1), points[:, :8].max(1)], -1)
    scale = WIDTH / scene.camera.width
    drawn = np.array([np.array(s.box) * scale for s in states]).reshape(-1, 4)
    box = np.clip(np.where(ahead.all(1)[:, None], hull, drawn), 0, limit)
    hold = hold_of(camera)

    columns = padded(
        VIEW_OBJECTS,
        present=np.ones(len(rows), bool),
        points=points,
        sharp=sharp,
        box=box,
        rests=np.where(bottom < ON_GROUND, 0, 1),
        alpha=wrap_angle(headings - azimuth),
        extent=extents,
        log_depth=np.log(depth / (camera.focal / WIDTH)),
    )
    return ViewLabels(
        **columns,
        **told(states, {a: ATTRIBUTES[a] for a in TOLD}, VIEW_OBJECTS),
        hold=np.array([hold.roll, hold.pitch, math.log(hold.height)], np.float32),
        log_focal=np.array(math.log(camera.focal / WIDTH), np.float32),
    )


def _fronts(
    states: Sequence[ObjectState], alpha: np.ndarray, extents: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Headings against the ray and extents, of symmetric things such that their front is the side away from the viewer: the
    same boxes."""
    quarters = np.round(wrap_angle(alpha) / (math.pi / 2)).astype(int)
    quarters *= np.array([s.value("name") in SYMMETRIC for s in states], int)
    swapped = extents[:, [1, 0, 2]]
    return alpha - quarters * (math.pi / 2), np.where((quarters % 2 == 1)[:, None], swapped, extents)


def asked_rows(scene: Scene, visible: Sequence[float], pixels: Sequence[int]) -> np.ndarray:
    """The rows of a true table that the network is asked about, the nearest first: things of which the picture shows
    enough, and their box's middle."""
    camera = scene.camera
    centre, depth = camera.project(scene.positions)
    inside = (depth > NEAREST) & (centre > 0).all(-1) & (centre < (camera.width, camera.height)).all(-1)
    enough = np.array(pixels) >= LEAST_PIXELS * camera.width * camera.height
    rows = np.flatnonzero(inside & enough & (np.array(visible) >= LEAST_SEEN))
    return rows[np.argsort(depth[rows], kind="stable")][:VIEW_OBJECTS]


def mirrored_labels(labels: ViewLabels) -> ViewLabels:
    """The labels of the picture flipped from left to right."""
    x0, y0, x1, y1 = labels.box.T
    return labels._replace(
        points=mirrored_points(labels.points, WIDTH),
        sharp=labels.sharp[:, SWAPPED],
        box=np.stack([WIDTH - x1, y0, WIDTH - x0, y1], -1),
        alpha=wrap_angle(-labels.alpha).astype(np.float32),
        hold=labels.hold * np.float32([-1, 1, 1]),
    )
