"""Cameras inside a room and what they see of its things, worked out from boxes: no picture is drawn.

A *common* view is taken at eye height, upright and nearly level. An *uncommon* one of the same things is rolled, taken
near the floor, from under the ceiling or steeply downwards. What is seen is counted over a grid of rays against the
things' boxes; boxes fill more than models do, so no more is called hidden than is.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from po3d.scene.camera import Hold, held
from po3d.scene.geometry import Array, Camera, rotation_z
from po3d.scene.table import Scene

COLUMNS, ROWS = 80, 60  # of the grid of rays
FIELD = (66.0, 82.0)  # degrees that a picture is wide
FROM_WALLS, FROM_THINGS = 0.35, 0.25  # metres that a camera keeps
CANDIDATES, TRIED = 80, 6  # cameras drawn, and those of them that are looked through
ENOUGH = 5  # things that both views of a room show well
NEAREST = 0.8  # metres of a thing that counts for a candidate

# What makes a thing well visible: a person can name it and tell how it stands.
SHARE = 0.5  # of what the picture would show of it alone
AREA = 0.004  # of the picture, seen of it
CORNERS = 4  # of its box's eight inside the picture
# What makes a thing a row of the view's table.
GLIMPSE_SHARE, GLIMPSE_AREA = 0.1, 0.001


class Range(NamedTuple):
    """How a kind of view is held: metres above the floor, degrees. Rolls are of either sign."""

    height: tuple[float, float]
    pitch: tuple[float, float]
    roll: tuple[float, float]


COMMON = Range((1.45, 1.75), (-18, 0), (0, 0))
UNCOMMON: dict[str, Range] = {
    "rolled": Range((1.0, 1.7), (-25, 0), (20, 45)),
    "low": Range((0.12, 0.4), (0, 14), (0, 8)),
    "high": Range((2.05, 2.35), (-48, -30), (0, 12)),
    "steep": Range((1.6, 1.95), (-55, -38), (0, 25)),
}


class Seen(NamedTuple):
    """A camera and what it sees of each of a room's things."""

    camera: Camera
    share: Array  # (n,) of a thing's pixels in the picture that no other hides
    area: Array  # (n,) of the picture that it fills
    boxes: tuple[tuple[float, float, float, float] | None, ...]  # of the whole thing, in pixels
    well: NDArray[np.bool_]  # (n,) well visible

    @property
    def shown(self) -> tuple[int, ...]:
        """The things that the view's table holds."""
        seen = (self.share >= GLIMPSE_SHARE) & (self.area >= GLIMPSE_AREA)
        return tuple(np.flatnonzero(seen).tolist())


def view_table(scene: Scene, seen: Seen, image: str) -> Scene:
    """The room as a view shows it: what is seen, with image boxes, and its camera."""
    objects = tuple(replace(scene.objects[i], box=seen.boxes[i]) for i in seen.shown)
    return replace(scene, objects=objects, camera=seen.camera, image=image)


def look_around(scene: Scene, camera: Camera) -> Seen:
    """What a camera sees."""
    hit = depths(scene, camera)
    nearest = hit.argmin(0)
    alone = np.isfinite(hit)
    total = alone.sum(1)
    own = alone & (nearest[None] == np.arange(len(scene))[:, None])
    visible = own.sum(1)
    corners = corners_of(scene)
    pixels, depth = camera.project(corners)
    size = np.array([camera.width, camera.height])
    inside = (depth > 0) & (pixels > 0).all(-1) & (pixels < size).all(-1)
    share, area = visible / np.maximum(total, 1), visible / (COLUMNS * ROWS)
    centre, before = camera.project(scene.positions)
    framed = (before > 0) & (centre > 0).all(-1) & (centre < size).all(-1)
    well = (share >= SHARE) & (area >= AREA) & (inside.sum(1) >= CORNERS) & framed
    boxes = tuple(_box(p, d, size) if t else None for p, d, t in zip(pixels, depth, total))
    return Seen(camera, share, area, boxes, well)


def depths(scene: Scene, camera: Camera) -> NDArray[np.float32]:
    """(n, COLUMNS * ROWS) depth along the optical axis at which each ray enters each box; inf where it misses."""
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
    """(n, 8, 3) corners of the things' boxes."""
    signs = np.array([[x, y, z] for x in (0.5, -0.5) for y in (0.5, -0.5) for z in (0.5, -0.5)])
    local = signs * scene.extents[:, None]
    return np.einsum("nij,nkj->nki", rotation_z(scene.headings), local) + scene.positions[:, None]


def _box(pixels: Array, depth: Array, size: Array) -> tuple[float, float, float, float]:
    """The image box of eight corners, inside the picture; corners behind the camera reach its edge."""
    ahead = depth > 0.05
    low, high = pixels[ahead].min(0), pixels[ahead].max(0)
    if not ahead.all():
        low, high = np.where(low < size / 2, 0, low), np.where(high > size / 2, size, high)
    x0, y0 = np.clip(low, 0, size).tolist()
    x1, y1 = np.clip(high, 0, size).tolist()
    return round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1)


# --- cameras ------------------------------------------------------------------------------------------------


def common_view(scene: Scene, random: np.random.Generator, width: int, height: int) -> Seen:
    """The best of some eye-level views of a room: that which shows most things well."""
    return _best(scene, COMMON, np.ones(len(scene), bool), random, width, height)


def uncommon_view(
    scene: Scene, first: Seen, random: np.random.Generator, width: int, height: int
) -> tuple[Seen, str]:
    """The best of some views of one of the uncommon kinds, and the kind: that which shows best what the first
    view shows. Where a kind shows less than ENOUGH of it, the next one is tried."""
    found: list[tuple[Seen, str]] = []
    for kind in random.permutation(list(UNCOMMON)).tolist():
        view = _best(scene, UNCOMMON[kind], first.well, random, width, height)
        if (first.well & view.well).sum() >= ENOUGH:
            return view, kind
        found.append((view, kind))
    return max(found, key=lambda f: int((first.well & f[0].well).sum()))


def _best(
    scene: Scene,
    range_: Range,
    wanted: NDArray[np.bool_],
    random: np.random.Generator,
    width: int,
    height: int,
) -> Seen:
    field = math.radians(random.uniform(*FIELD))
    focal = width / 2 / math.tan(field / 2)
    cameras = []
    for _ in range(CANDIDATES):
        hold, ground = _hold(scene, range_, wanted, random)
        if _stands_free(scene, hold, ground):
            camera = held(hold, width, height, focal, ground)
            pixels, depth = camera.project(scene.positions)
            framed = (depth > NEAREST) & (pixels > 0).all(-1) & (pixels < (width, height)).all(-1)
            cameras.append((int((framed & wanted).sum()), len(cameras), camera))
    if not cameras:  # a room so full that nobody finds a place: from its middle
        corners = np.array(scene.outline)
        x, y = corners.mean(0).tolist()
        hold = Hold(float(np.mean(range_.height)), math.radians(range_.pitch[0]), 0.0, 0.0)
        return look_around(scene, held(hold, width, height, focal, (x, y)))
    best = sorted(cameras, key=lambda c: (-c[0], c[1]))[:TRIED]
    views = [look_around(scene, camera) for *_, camera in best]
    return max(views, key=lambda v: int((v.well & wanted).sum()))


def _hold(
    scene: Scene, range_: Range, wanted: NDArray[np.bool_], random: np.random.Generator
) -> tuple[Hold, tuple[float, float]]:
    """A random place and a way of holding the camera there, towards one of the things that are wanted."""
    corners = np.array(scene.outline)
    low, high = corners.min(0) + FROM_WALLS, corners.max(0) - FROM_WALLS
    ground = random.uniform(low, high)
    goals = np.flatnonzero(wanted) if wanted.any() else np.arange(len(scene))
    target = scene.positions[goals[int(random.integers(len(goals)))], :2]
    azimuth = math.atan2(*(target - ground)[::-1]) + random.normal(0, 0.25)
    sign = 1 if random.random() < 0.5 else -1
    hold = Hold(
        float(random.uniform(*range_.height)),
        math.radians(random.uniform(*range_.pitch)),
        sign * math.radians(random.uniform(*range_.roll)),
        float(azimuth),
    )
    return hold, (float(ground[0]), float(ground[1]))


def _stands_free(scene: Scene, hold: Hold, ground: tuple[float, float]) -> bool:
    """Whether a camera there is clear of every box that reaches its height; at eye height somebody stands below it."""
    standing = hold.height > 1
    turn = rotation_z(-scene.headings)
    offset = np.array([*ground, hold.height]) - scene.positions
    away = np.abs(np.einsum("nij,nj->ni", turn, offset)) - scene.extents / 2 - FROM_THINGS
    if standing:  # from the camera down to the floor
        away[:, 2] = scene.positions[:, 2] - scene.extents[:, 2] / 2 - FROM_THINGS - hold.height
        away[scene.extents[:, 2] < 0.05, 2] = 1.0  # one may stand on a rug
    return bool((away > 0).any(1).all())


def inside(scene: Scene, camera: Camera) -> bool:
    """Whether a camera is within the room's walls."""
    return shapely.Polygon(scene.outline).contains(shapely.Point(camera.position[:2]))
