"""Cameras inside a room and the visibility of its objects, computed from boxes without rendering.

A *common* view is taken at eye height, upright and nearly level. An *uncommon* view of the same
objects is rolled, near the floor, below the ceiling or steeply downwards. Visibility is estimated
on a grid of rays against the objects' boxes. Boxes are larger than the models, so occlusion is
overestimated rather than underestimated.
"""

import math
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from po3d.scene.camera import CameraPose, held
from po3d.scene.geometry import Array, Camera, rotation_z
from po3d.scene.table import Scene

COLUMNS, ROWS = 80, 60  # size of the grid of rays
FIELD = (66.0, 82.0)  # horizontal field of view in degrees
FROM_WALLS, FROM_THINGS = 0.35, 0.25  # smallest distance of a camera in metres
CANDIDATES, TRIED = 80, 6  # number of sampled cameras, and of those whose view is evaluated
ENOUGH = 5  # wanted number of objects that are clearly visible in both views
NEAREST = 0.8  # smallest depth in metres of an object that counts when cameras are ranked

# Conditions for an object to be clearly visible: it can be named and its orientation recognised.
SHARE = 0.5  # visible fraction of its silhouette in the picture
AREA = 0.004  # visible fraction of the picture
CORNERS = 4  # number of its box's eight corners in the picture
# Conditions for an object to be in the view's scene.
GLIMPSE_SHARE, GLIMPSE_AREA = 0.1, 0.001


# Camera poses of a kind of view: ranges of heights in metres above the floor, and of pitch and roll
# in degrees; rolls have either sign.
Ranges = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
COMMON: Ranges = ((1.45, 1.75), (-18, 0), (0, 0))
UNCOMMON: dict[str, Ranges] = {
    "rolled": ((1.0, 1.7), (-25, 0), (20, 45)),
    "low": ((0.12, 0.4), (0, 14), (0, 8)),
    "high": ((2.05, 2.35), (-48, -30), (0, 12)),
    "steep": ((1.6, 1.95), (-55, -38), (0, 25)),
}


class VisibleView(NamedTuple):
    """A camera and the visibility of each of the room's objects."""

    camera: Camera
    share: Array  # (n,) fraction of an object's pixels in the picture that are not occluded
    area: Array  # (n,) fraction of the picture that it covers
    boxes: tuple[tuple[float, float, float, float] | None, ...]  # of the whole object, in pixels
    well: NDArray[np.bool_]  # (n,) clearly visible

    @property
    def visible_rows(self) -> tuple[int, ...]:
        """Indices of the objects in the view's scene."""
        visible = (self.share >= GLIMPSE_SHARE) & (self.area >= GLIMPSE_AREA)
        return tuple(np.flatnonzero(visible).tolist())


def view_table(scene: Scene, view: VisibleView, image: str) -> Scene:
    """Return the scene of a view: the visible objects with image boxes, and the camera."""
    objects = tuple(replace(scene.objects[i], box=view.boxes[i]) for i in view.visible_rows)
    return replace(scene, objects=objects, camera=view.camera, image=image)


def look_around(scene: Scene, camera: Camera) -> VisibleView:
    """Compute the visibility of all objects for a camera."""
    hit = depths(scene, camera)
    nearest = hit.argmin(0)
    alone = np.isfinite(hit)
    total = alone.sum(1)
    own_pixels = alone & (nearest[None] == np.arange(len(scene))[:, None])
    visible = own_pixels.sum(1)
    corners = corners_of(scene)
    pixels, depth = camera.project(corners)
    size = np.array([camera.width, camera.height])
    inside = (depth > 0) & (pixels > 0).all(-1) & (pixels < size).all(-1)
    share, area = visible / np.maximum(total, 1), visible / (COLUMNS * ROWS)
    centre, before = camera.project(scene.positions)
    framed = (before > 0) & (centre > 0).all(-1) & (centre < size).all(-1)
    well = (share >= SHARE) & (area >= AREA) & (inside.sum(1) >= CORNERS) & framed
    boxes = tuple(_box(p, d, size) if t else None for p, d, t in zip(pixels, depth, total))
    return VisibleView(camera, share, area, boxes, well)


def depths(scene: Scene, camera: Camera) -> NDArray[np.float32]:
    """Return the depth (n, COLUMNS * ROWS) along the optical axis at which each ray enters each
    box; inf if it misses.
    """
    x, y = (np.arange(COLUMNS) + 0.5) / COLUMNS, (np.arange(ROWS) + 0.5) / ROWS
    grid = np.stack(np.meshgrid(x * camera.width, y * camera.height), -1).reshape(-1, 2)
    rays, turn = camera.ray(grid).astype(np.float32), rotation_z(scene.headings)
    eyes = np.einsum("nj,nji->ni", camera.position - scene.positions, turn)
    enter = np.zeros((len(scene), len(rays)), np.float32)
    leave = np.full_like(enter, np.inf)
    for axis, half in enumerate(scene.extents.T / 2):
        ways = turn[:, :, axis].astype(np.float32) @ rays.T
        ways[np.abs(ways) < 1e-6] = 1e-6
        first = (-half - eyes[:, axis]).astype(np.float32)[:, None] / ways
        second = (half - eyes[:, axis]).astype(np.float32)[:, None] / ways
        np.maximum(enter, np.minimum(first, second), out=enter)
        np.minimum(leave, np.maximum(first, second), out=leave)
    return np.where(enter <= leave, enter, np.float32(np.inf))


def corners_of(scene: Scene) -> Array:
    """Return the corners (n, 8, 3) of the objects' boxes."""
    signs = np.array(list(product((0.5, -0.5), repeat=3)))
    local = signs * scene.extents[:, None]
    return np.einsum("nij,nkj->nki", rotation_z(scene.headings), local) + scene.positions[:, None]


def _box(pixels: Array, depth: Array, size: Array) -> tuple[float, float, float, float]:
    """Return the image box of eight corners, clipped to the picture; a box with corners behind the
    camera extends to its edge.
    """
    ahead = depth > 0.05
    low, high = pixels[ahead].min(0), pixels[ahead].max(0)
    if not ahead.all():
        low, high = np.where(low < size / 2, 0, low), np.where(high > size / 2, size, high)
    x0, y0 = np.clip(low, 0, size).tolist()
    x1, y1 = np.clip(high, 0, size).tolist()
    return round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1)


# --- cameras --------------------------------------------------------------------------------------


def common_view(scene: Scene, random: np.random.Generator, width: int, height: int) -> VisibleView:
    """Return the eye-level view with the most clearly visible objects among sampled ones."""
    return _best(scene, COMMON, np.ones(len(scene), bool), random, width, height)


def uncommon_view(
    scene: Scene, first: VisibleView, random: np.random.Generator, width: int, height: int
) -> tuple[VisibleView, str]:
    """Return an uncommon view that best shows the objects clearly visible in `first`, and its kind.
    The kinds are tried in random order until one shows ENOUGH of them.
    """
    views: list[tuple[VisibleView, str]] = []
    for kind in random.permutation(list(UNCOMMON)).tolist():
        view = _best(scene, UNCOMMON[kind], first.well, random, width, height)
        if (first.well & view.well).sum() >= ENOUGH:
            return view, kind
        views.append((view, kind))
    return max(views, key=lambda f: int((first.well & f[0].well).sum()))


def _best(
    scene: Scene,
    ranges: Ranges,
    wanted: NDArray[np.bool_],
    random: np.random.Generator,
    width: int,
    height: int,
) -> VisibleView:
    field = math.radians(random.uniform(*FIELD))
    focal = width / 2 / math.tan(field / 2)
    cameras = []
    for _ in range(CANDIDATES):
        hold, ground = _hold(scene, ranges, wanted, random)
        if _stands_free(scene, hold, ground):
            camera = held(hold, width, height, focal, ground)
            pixels, depth = camera.project(scene.positions)
            framed = (depth > NEAREST) & (pixels > 0).all(-1) & (pixels < (width, height)).all(-1)
            cameras.append((int((framed & wanted).sum()), len(cameras), camera))
    if not cameras:  # no free place in the room: use its centre
        corners = np.array(scene.outline)
        x, y = corners.mean(0).tolist()
        height_range, pitches, _ = ranges
        hold = CameraPose(float(np.mean(height_range)), math.radians(pitches[0]), 0.0, 0.0)
        return look_around(scene, held(hold, width, height, focal, (x, y)))
    best = sorted(cameras, key=lambda c: (-c[0], c[1]))[:TRIED]
    views = [look_around(scene, camera) for *_, camera in best]
    return max(views, key=lambda v: int((v.well & wanted).sum()))


def _hold(
    scene: Scene, ranges: Ranges, wanted: NDArray[np.bool_], random: np.random.Generator
) -> tuple[CameraPose, tuple[float, float]]:
    """Sample a place and a camera pose that looks towards one of the wanted objects."""
    (heights, pitches, rolls), corners = ranges, np.array(scene.outline)
    low, high = corners.min(0) + FROM_WALLS, corners.max(0) - FROM_WALLS
    ground = random.uniform(low, high)
    goals = np.flatnonzero(wanted) if wanted.any() else np.arange(len(scene))
    target = scene.positions[goals[int(random.integers(len(goals)))], :2]
    azimuth = math.atan2(*(target - ground)[::-1]) + random.normal(0, 0.25)
    sign = 1 if random.random() < 0.5 else -1
    hold = CameraPose(
        float(random.uniform(*heights)),
        math.radians(random.uniform(*pitches)),
        sign * math.radians(random.uniform(*rolls)),
        float(azimuth),
    )
    return hold, (float(ground[0]), float(ground[1]))


def _stands_free(scene: Scene, hold: CameraPose, ground: tuple[float, float]) -> bool:
    """Return whether the camera is clear of every box at its height; at eye height, the space below
    must be free for a person to stand.
    """
    standing = hold.height > 1
    turn = rotation_z(-scene.headings)
    offset = np.array([*ground, hold.height]) - scene.positions
    away = np.abs(np.einsum("nij,nj->ni", turn, offset)) - scene.extents / 2 - FROM_THINGS
    if standing:  # from the camera down to the floor
        away[:, 2] = scene.positions[:, 2] - scene.extents[:, 2] / 2 - FROM_THINGS - hold.height
        away[scene.extents[:, 2] < 0.05, 2] = 1.0  # standing on a rug is allowed
    return bool((away > 0).any(1).all())


def inside(scene: Scene, camera: Camera) -> bool:
    """Return whether a camera is within the room's walls."""
    return shapely.Polygon(scene.outline).contains(shapely.Point(camera.position[:2]))
