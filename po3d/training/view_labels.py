"""Training targets of the room-view estimator: fixed-size arrays computed from a ground-truth
scene.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from po3d.io.files import lines_beside
from po3d.perception.flip_tta import SWAPPED
from po3d.perception.room_view import ATTRIBUTES, ATTRIBUTES_ESTIMATED, HEIGHT, WIDTH
from po3d.scene.camera import camera_pose_of
from po3d.scene.geometry import box_corners, wrap_angle
from po3d.scene.table import ObjectState, Scene
from po3d.training.labels import LEAST_VISIBLE, has_labels, mirrored_points, padded

VIEW_OBJECTS = 40  # largest number of objects in a picture
LEAST_PIXELS = 0.0004  # smallest fraction of the picture that an object must cover
NEAREST = 0.3  # smallest depth of an object's centre, metres
BEFORE = 0.1  # smallest depth at which a corner is projected into the picture, metres
# corners farther than this from the picture's centre, in picture widths, have no target
FAR_OUT = 2.0
ON_GROUND = 0.03  # an object stands on the floor if its underside is at most this high, metres
# Objects that look alike after a quarter or half turn, so their front cannot be identified.
SYMMETRIC = frozenset(lines_beside(__file__, "symmetric.txt"))


class ViewLabels(NamedTuple):
    """Labels of one picture, padded to VIEW_OBJECTS rows; pixels refer to a picture of WIDTH x
    HEIGHT.
    """

    present: np.ndarray  # (N,) bool
    points: np.ndarray  # (N, 9, 2) float32: the 3D box's corners and its centre
    sharp: np.ndarray  # (N, 9) bool: corners that lie in the picture or near it
    box: np.ndarray  # (N, 4) float32 bounding box, clipped to the picture
    name: np.ndarray  # (N,) int64 indices; UNKNOWN where the scene has no value
    color: np.ndarray
    material: np.ndarray
    rests: np.ndarray
    alpha: np.ndarray  # (N,) float32: heading minus the viewing ray's azimuth
    extent: np.ndarray  # (N, 3) float32 metres
    # (N,) float32: log of depth / focal length, the focal length in picture widths
    log_depth: np.ndarray
    # (3,) float32: roll and pitch of the camera, log of its height above the floor
    hold: np.ndarray
    log_focal: np.ndarray  # () float32: log of the focal length in picture widths


def view_labels(scene: Scene, visible: Sequence[float], pixels: Sequence[int]) -> ViewLabels:
    """Return the labels of a ground-truth scene with a camera, and the image box of each object's
    silhouette. `visible`: visible fraction of each object; `pixels`: number of visible pixels in a
    picture of the camera's size.
    """
    if scene.camera is None:
        raise ValueError(f"view labels need the camera of {scene.image}")
    camera = scene.camera.resized(WIDTH, HEIGHT)
    rows = labelled_rows(scene, visible, pixels)
    centre, depth = (part[rows] for part in camera.project(scene.positions))
    states = [scene.objects[i] for i in rows]
    positions, headings, extents = scene.positions[rows], scene.headings[rows], scene.extents[rows]
    ray = camera.ray(centre)
    azimuth = np.arctan2(ray[:, 1], ray[:, 0])
    headings, extents = _fronts(states, headings - azimuth, extents)
    headings = headings + azimuth
    bottom = positions[:, 2] - extents[:, 2] / 2
    corners = box_corners(positions, headings, extents) + bottom[:, None, None] * np.array(
        [0.0, 0.0, 1.0]
    )
    points, away = camera.project(np.concatenate([corners, positions[:, None]], 1))
    ahead = away > BEFORE
    middle = np.array([WIDTH / 2, HEIGHT / 2])
    points = np.where(ahead[..., None], points, middle)
    sharp = ahead & (np.abs(points - middle) < FAR_OUT * WIDTH).all(-1)
    limit = np.array([WIDTH, HEIGHT] * 2)
    hull = np.concatenate([points[:, :8].min(1), points[:, :8].max(1)], -1)
    scale = WIDTH / scene.camera.width
    rendered_boxes = np.array([np.array(s.box) * scale for s in states]).reshape(-1, 4)
    box = np.clip(np.where(ahead.all(1)[:, None], hull, rendered_boxes), 0, limit)
    hold = camera_pose_of(camera)

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
        **has_labels(states, {a: ATTRIBUTES[a] for a in ATTRIBUTES_ESTIMATED}, VIEW_OBJECTS),
        hold=np.array([hold.roll, hold.pitch, math.log(hold.height)], np.float32),
        log_focal=np.array(math.log(camera.focal / WIDTH), np.float32),
    )


def _fronts(
    states: Sequence[ObjectState], alpha: np.ndarray, extents: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return headings relative to the viewing ray, and extents. Symmetric objects are rotated by
    quarter turns such that their front faces away from the viewer; the boxes stay the same.
    """
    quarters = np.round(wrap_angle(alpha) / (math.pi / 2)).astype(int)
    quarters *= np.array([s.value("name") in SYMMETRIC for s in states], int)
    swapped = extents[:, [1, 0, 2]]
    return alpha - quarters * (math.pi / 2), np.where(
        (quarters % 2 == 1)[:, None], swapped, extents
    )


def labelled_rows(scene: Scene, visible: Sequence[float], pixels: Sequence[int]) -> np.ndarray:
    """Return the rows of a ground-truth scene that the network should detect, nearest first:
    objects of which enough is visible and whose box centre is in the picture.
    """
    camera = scene.camera
    centre, depth = camera.project(scene.positions)
    inside = (
        (depth > NEAREST) & (centre > 0).all(-1) & (centre < (camera.width, camera.height)).all(-1)
    )
    enough = np.array(pixels) >= LEAST_PIXELS * camera.width * camera.height
    rows = np.flatnonzero(inside & enough & (np.array(visible) >= LEAST_VISIBLE))
    return rows[np.argsort(depth[rows], kind="stable")][:VIEW_OBJECTS]


def mirrored_labels(labels: ViewLabels) -> ViewLabels:
    """Return the labels of the horizontally flipped picture."""
    x0, y0, x1, y1 = labels.box.T
    return labels._replace(
        points=mirrored_points(labels.points, WIDTH),
        sharp=labels.sharp[:, SWAPPED],
        box=np.stack([WIDTH - x1, y0, WIDTH - x0, y1], -1),
        alpha=wrap_angle(-labels.alpha).astype(np.float32),
        hold=labels.hold * np.float32([-1, 1, 1]),
    )
