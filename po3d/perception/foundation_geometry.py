"""Geometry of photographs with depth maps: ground plane, object points, 3D boxes, headings.

    depth map, focal length -> points in the camera -> ground plane -> level camera
    image box -> the object's points -> 3D box in the world, aligned with a heading

Cameras and worlds as in `po3d.scene.geometry`. Thresholds were chosen manually; lengths in metres,
angles in radians unless stated otherwise. No network is needed here.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.io.seeding import rng
from po3d.perception.photo_detections import inside
from po3d.perception.size_priors import prior_of
from po3d.scene.camera import CameraPose, held
from po3d.scene.geometry import Array, Camera, rotation_z

AZIMUTH = math.pi / 2  # viewing direction of the camera in the scene's world
# Prior of the camera pose: standard deviations and limits. A wall in front of the camera would be
# the ground of a camera that looks straight down, so pitches near a right angle are excluded, and
# with them images from above.
PITCH, ROLL = math.radians(25), math.radians(12)
STEEPEST, MOST_ROLL = math.radians(65), math.radians(50)
EYE = 1.5  # height of a camera without other evidence
LOWEST = 0.05  # least height of a camera above a ground plane
HYPOTHESES = 300
SAMPLED = 4000  # points that vote for a ground plane
NOISE, FLAT = 0.01, 0.02  # tolerance of ground points: metres, and a share of their depth
SMALLEST = 0.05  # least share of the points on the ground
# most points that may lie below the ground (reflections, stairs down); with more it is a table
BELOW = 0.1
STEP = 64  # samples per side of an image box
# Points lower than this above the ground belong to the ground: metres, and a share of the distance.
SKIN = (0.02, 0.015)
# least share of a box's points above the ground; with fewer the object is flat (a rug) and keeps
# all
LYING = 0.1
TRIM = 0.5  # per cent of an object's points at each end that are treated as outliers
DEEP = 0.5  # occluded depth of an object of unknown size, relative to its smaller visible edge
ALONG = 0.5  # cosine between an edge and the line of sight above which the far end is hidden
# standard deviations of a position, relative to its distance
SIGHT_ERROR, ACROSS_ERROR = 0.05, 0.02


class Facing(NamedTuple):
    """Orientation of the object in a crop, radians; see `front_of`."""

    azimuth: float
    polar: float
    rotation: float
    sigma: float  # standard deviation of the azimuth
    flip: float  # probability of the opposite heading
    # rotations about the vertical that leave the object's look unchanged: 1, 2 or 4; 0: any, and so
    # no front; None: not estimated
    symmetry: int | None = None


# A plane under the camera: (3,) upward unit normal in the camera frame, and the camera's height.
GroundPlane = tuple[Array, float]


# An object's box in the world: centre, (depth, width, height), and (2, 2) covariance of x and y.
GroundBox = tuple[tuple[float, float, float], tuple[float, float, float], Array]


def unprojected(depth: Array, focal: float, center: tuple[float, float] | None = None) -> Array:
    """Unproject a depth map (H, W) along the optical axis to points (H, W, 3) in the camera frame.

    `focal` and the principal point `center`, by default the middle, in pixels. Depths that are not
    positive and finite give NaN.
    """
    height, width = depth.shape
    cx, cy = center or (width / 2, height / 2)
    x = (np.arange(width) + 0.5 - cx) / focal
    y = (np.arange(height) + 0.5 - cy) / focal
    depth = np.where(np.isfinite(depth) & (depth > 0), depth, np.nan)
    return np.stack([x[None] * depth, y[:, None] * depth, depth], -1)


# --- gravity --------------------------------------------------------------------------------------


def find_ground(points: Array) -> GroundPlane | None:
    """Find the ground plane among points (H, W, 3) in the camera frame; None if there is none.

    RANSAC: the score of a plane is the share of points on it, reduced by the share below it and by
    the prior of the camera pose that it implies.
    """
    step = max(1, round(math.sqrt(points.shape[0] * points.shape[1] / SAMPLED)))
    grid = points[::step, ::step]
    normals = _normals(grid)
    place = np.isfinite(grid[:-1, :-1]).all(-1) & np.isfinite(normals).all(-1)
    starts, normals = grid[:-1, :-1][place], normals[place]
    normals = np.where(normals[:, 1:2] > 0, -normals, normals)  # up is -y of an upright camera
    log_prior = _log_prior(normals)
    likely = np.flatnonzero(np.isfinite(log_prior) & ((normals * starts).sum(1) < 0))
    cloud = grid[np.isfinite(grid).all(-1)]
    if len(likely) == 0 or len(cloud) < 50:
        return None
    tolerance = NOISE + FLAT * cloud[:, 2]
    picked = rng(0, "ground").choice(likely, min(HYPOTHESES, len(likely)), replace=False)
    best, plane = 0.0, None
    for k in picked:
        up, height = normals[k], -float(normals[k] @ starts[k])
        above = cloud @ up + height
        on = float((np.abs(above) < tolerance).mean())
        below = float((above < -3 * tolerance).mean())
        score = on * max(0.0, 1 - below / BELOW) * math.exp(log_prior[k])
        if score > best:
            best, plane = score, (up, height)
    return None if plane is None else _refined(cloud, tolerance, *plane)


def _normals(grid: Array) -> Array:
    """Return unit normals (h - 1, w - 1, 3) of the surface at the points of a grid."""
    cross = np.cross(grid[1:, :-1] - grid[:-1, :-1], grid[:-1, 1:] - grid[:-1, :-1])
    with np.errstate(invalid="ignore", divide="ignore"):
        return cross / np.linalg.norm(cross, axis=-1, keepdims=True)


def _hold_of_up(up: Array) -> tuple[Array, Array]:
    """Return pitch and roll of cameras whose up direction is `up` (..., 3)."""
    return np.arcsin(np.clip(up[..., 2], -1, 1)), np.arctan2(-up[..., 0], -up[..., 1])


def _log_prior(up: Array) -> Array:
    """Return the log prior (n,) of up directions (n, 3); -inf outside the limits."""
    pitch, roll = _hold_of_up(up)
    # tempered: the observations count more
    likely = -((pitch / PITCH) ** 2 + (roll / ROLL) ** 2) / 2 / 4
    return np.where((np.abs(pitch) < STEEPEST) & (np.abs(roll) < MOST_ROLL), likely, -np.inf)


def _refined(cloud: Array, tolerance: Array, up: Array, height: float) -> GroundPlane | None:
    """Refit the plane to its inliers by least squares, weighted with the points' tolerances."""
    for _ in range(8):
        on = np.abs(cloud @ up + height) < tolerance
        if on.mean() < SMALLEST:
            return None
        weight = 1 / tolerance[on] ** 2
        centre = weight @ cloud[on] / weight.sum()
        offset = (cloud[on] - centre) * np.sqrt(weight)[:, None]
        normal = np.linalg.svd(offset, full_matrices=False)[2][2]
        up = normal if normal @ up > 0 else -normal
        height = -float(up @ centre)
    pitch, roll = _hold_of_up(up)
    if height < LOWEST or abs(pitch) > STEEPEST or abs(roll) > MOST_ROLL:
        return None
    return up, height


def level_camera(
    width: int,
    height: int,
    focal: float,
    ground: GroundPlane | None,
    points: Array,
    center: tuple[float, float] | None = None,
) -> Camera:
    """Return the camera above the world's origin, with gravity from the ground plane.

    Without a ground the camera is assumed level, and the floor at the lowest of the points (H, W,
    3), or EYE below the camera if there are none.
    """
    if ground is not None:
        pitch, roll = map(float, _hold_of_up(ground[0]))
        pose = CameraPose(ground[1], pitch, roll, AZIMUTH)
    else:
        drop = points[..., 1][np.isfinite(points[..., 1])]
        low = float(np.percentile(drop, 99)) if drop.size else EYE
        pose = CameraPose(low if low > LOWEST else EYE, 0.0, 0.0, AZIMUTH)
    camera = held(pose, width, height, focal)
    return camera if center is None else replace(camera, center=center)


# --- objects --------------------------------------------------------------------------------------


def thing_points(
    points: Array,
    box: tuple[float, float, float, float],
    camera: Camera,
    mask: NDArray[np.bool_] | None = None,
) -> Array:
    """Return the points (n, 3) in the world of the object in an image box.

    `points` (H, W, 3) in the camera frame; the box is in pixels of that map. Points on the ground,
    or outside the `mask` (h, w) over the whole picture if there is one, are removed, then those
    that are not connected in distance with the most frequent one, weighted towards the middle of
    the box. The result is (0, 3) if the box has no valid points.
    """
    height, width = points.shape[:2]
    x0, x1 = np.clip([math.floor(box[0]), math.ceil(box[2])], 0, width).astype(int)
    y0, y1 = np.clip([math.floor(box[1]), math.ceil(box[3])], 0, height).astype(int)
    if x1 <= x0 or y1 <= y0:
        return np.zeros((0, 3))
    rows = np.unique(np.linspace(y0, y1 - 1, STEP).round().astype(int))
    columns = np.unique(np.linspace(x0, x1 - 1, STEP).round().astype(int))
    patch = points[np.ix_(rows, columns)]
    v, u = np.meshgrid(
        np.linspace(-1, 1, len(rows)), np.linspace(-1, 1, len(columns)), indexing="ij"
    )
    real = np.isfinite(patch).all(-1)
    if mask is not None:
        real &= inside(mask, *np.meshgrid(rows, columns, indexing="ij"), height, width)
    visible, middle = patch[real], np.exp(-2 * (u**2 + v**2))[real]
    if len(visible) == 0:
        return np.zeros((0, 3))
    world = camera.cam_T_world.inverse().transform(visible)
    distance = np.linalg.norm(visible, axis=1)
    upright = world[:, 2] > SKIN[0] + SKIN[1] * distance
    if mask is None and upright.mean() >= LYING:
        world, distance, middle = world[upright], distance[upright], middle[upright]
    size = max(box[2] - box[0], box[3] - box[1]) / camera.focal * float(np.median(distance))
    return world[_hanging_together(distance, middle, max(size, 1e-3))]


def _hanging_together(distance: Array, weight: Array, size: float) -> np.ndarray:
    """Select the points around the most frequent distance, up to a gap.

    A gap is a tenth of the object's size.
    """
    width = size / 20
    start = float(distance.min())
    bins = ((distance - start) / width).astype(int).clip(max=2000)
    counts = np.bincount(bins, weight)
    smooth = np.convolve(counts, np.ones(5), "same")
    mode = int(smooth.argmax())
    filled = counts > 0.002 * weight.sum()
    low = high = mode
    while low > 0 and filled[max(0, low - 2) : low].any():
        low -= 1
    while high + 1 < len(counts) and filled[high + 1 : high + 3].any():
        high += 1
    return (bins >= max(low, mode - 40)) & (bins <= min(high, mode + 40))


def placed(points: Array, heading: float, eye: Array, name: str = "") -> GroundBox:
    """Fit an upright box to points (n, 3) in the world, n > 0, of an object seen from `eye`.

    The box is aligned with `heading`.

    A dimension whose far side is hidden is extended to the usual size of objects of that name.
    """
    spin = rotation_z(np.array([heading]))[0]
    local = points @ spin  # along front, left and up
    low, high = np.percentile(local, [TRIM, 100 - TRIM], axis=0)
    if low[2] < 2 * (SKIN[0] + SKIN[1] * float(np.linalg.norm(points.mean(0) - eye))):
        low[2] = min(0.0, float(low[2]))
    size = np.maximum(high - low, 0.01)
    sight = (points.mean(0) - eye) @ spin
    sight = sight[:2] / max(float(np.hypot(*sight[:2])), 1e-9)
    hidden = 0.0
    usual = _usual(name, size, sight)
    for axis in (0, 1):
        lacking = usual[axis] - (high[axis] - low[axis])
        if abs(sight[axis]) > ALONG and lacking > 0:
            hidden = max(hidden, float(lacking))
            if sight[axis] > 0:
                high[axis] += lacking
            else:
                low[axis] -= lacking
    centre = spin @ ((low + high) / 2)
    extent = np.maximum(high - low, 0.01)
    return tuple(centre.tolist()), tuple(extent.tolist()), _covariance(centre - eye, hidden)


def _usual(name: str, size: Array, sight: Array) -> Array:
    """Return the usual depth and width (2,) of an object of this name with visible edges `size`.

    The usual shape is scaled to the visible height or to the edge across the line of sight,
    whichever gives the smaller size.
    """
    prior = prior_of(name)
    across = int(abs(sight[0]) > abs(sight[1]))  # 1: the width lies across
    if prior is None:
        return np.full(2, DEEP * min(size[across], size[2]))
    scale = min(size[2] / prior.extent[2], size[across] / prior.extent[across])
    return scale * np.array(prior.extent[:2])


def _covariance(offset: Array, hidden: float) -> Array:
    """Return the covariance (2, 2) of x and y, larger along the line of sight.

    It also grows with guessed depth.
    """
    distance = float(np.hypot(offset[0], offset[1]))
    along = offset[:2] / max(distance, 1e-9)
    across = np.array([-along[1], along[0]])
    sigma = math.hypot(SIGHT_ERROR * distance, hidden / 4)
    return sigma**2 * np.outer(along, along) + (ACROSS_ERROR * distance) ** 2 * np.outer(
        across, across
    )


# --- headings -------------------------------------------------------------------------------------


def front_of(azimuth: float, polar: float, rotation: float, ray: Array) -> Array:
    """Convert an orientation network's angles to the front's direction (3,) in the camera frame.

    The angles, in radians, are those of Orient Anything for a crop around `ray` (3,):

    - `azimuth`: position of the viewer around the object, from its front (0: it faces the viewer)
      counter-clockwise seen from above (a quarter turn: the viewer sees its left, and its front
      points left in the image).
    - `polar`: elevation of the viewer above the object.
    - `rotation`: counter-clockwise rotation of the object's top in the image.

    A crop looks as if the camera pointed at its middle, so the angles are relative to the ray.
    """
    ca, sa, cp, sp = math.cos(azimuth), math.sin(azimuth), math.cos(polar), math.sin(polar)
    front = np.array([-sa, ca * sp, -ca * cp])  # x right, y down, z away from the viewer
    c, s = math.cos(rotation), math.sin(rotation)
    turned = np.array([c * front[0] + s * front[1], c * front[1] - s * front[0], front[2]])
    return _toward(ray) @ turned


def _toward(ray: Array) -> Array:
    """Return the smallest rotation (3, 3) from the optical axis to a ray with positive depth."""
    x, y, z = ray / np.linalg.norm(ray)
    k = 1 / (1 + z)
    return np.array([[1 - x * x * k, -x * y * k, x], [-x * y * k, 1 - y * y * k, y], [-x, -y, z]])


def heading_of(front: Array, camera: Camera) -> float:
    """Return the world azimuth of a direction (3,) in the camera frame; undefined if vertical."""
    x, y, _ = camera.cam_T_world.rotation.T @ front
    return math.atan2(y, x)


def spread(p: Array, sure: float) -> tuple[float, float, float]:
    """Summarise azimuth probabilities (n,) over a full turn.

    `sure`: probability that the object has a front; without one all headings are equally likely.
    Return the most probable azimuth, its standard deviation (radians), and the probability of the
    opposite heading.
    """
    angle = 2 * math.pi * np.arange(len(p)) / len(p)
    at = float(angle[int(p.argmax())])
    off = np.abs((angle - at + math.pi) % (2 * math.pi) - math.pi)
    near, back = off < math.pi / 4, off > 3 * math.pi / 4
    mean = np.angle((p * np.exp(1j * (angle - at)))[near].sum())
    length = abs((p * np.exp(1j * angle))[near].sum()) / max(float(p[near].sum()), 1e-12)
    variance = -2 * math.log(max(length, 1e-12))
    flip = float(p[back].sum() / max(float(p[back].sum() + p[near].sum()), 1e-12))
    sigma = math.sqrt(sure * variance + (1 - sure) * math.pi**2 / 12)
    return at + float(mean), sigma, sure * flip + (1 - sure) / 2
