"""Photographs lifted by their depth maps: the ground and with it gravity, points of things, boxes, headings.

    depth map, focal length -> points in the camera -> ground plane -> level camera
    image box -> the thing's points of them -> box in the world, along a heading

Cameras and worlds as in `po3d.scene.geometry`. Thresholds are ours; lengths in metres, angles in radians unless they say so.
Nothing here needs a network.
"""

import math
from typing import NamedTuple

import numpy as np

from po3d.io.files import rows_beside
from po3d.io.seeding import rng
from po3d.scene.camera import Hold, held
from po3d.scene.geometry import Array, Camera, rotation_z
from po3d.scene.rooms import category_of

AZIMUTH = math.pi / 2  # where the camera looks in the table's world
# Prior of how photographs are held: deviations, and the most that is believed. A wall in front of the camera would be the
# ground of one that looks straight down, so pitches near a right angle are out, and with them pictures from above.
PITCH, ROLL = math.radians(25), math.radians(12)
STEEPEST, MOST_ROLL = math.radians(65), math.radians(50)
EYE = 1.5  # height of a camera of which nothing is known
LOWEST = 0.05  # of one that stands over a ground
HYPOTHESES = 300
SAMPLED = 4000  # points that vote for a ground
NOISE, FLAT = 0.01, 0.02  # how far a point of the ground is off its plane: metres, and a share of its depth
SMALLEST = 0.05  # share of the points that a ground has
BELOW = 0.1  # share of the points that may lie under it (reflections, stairs down); more, and it is a table
STEP = 64  # points a side that are looked at in an image box
# What is lower above the ground belongs to the ground: metres, and a share of the distance.
SKIN = (0.02, 0.015)
LYING = 0.1  # share of the box's points above it, below which a thing is flat (a rug) and keeps them
TRIM = 0.5  # per cent of points at each end of a thing that are taken for strays
DEEP = 0.5  # unseen depth of a thing of unknown size, in its smaller visible edges
ALONG = 0.5  # cosine between an edge and the line of sight above which its far end is hidden
SIGHT_ERROR, ACROSS_ERROR = 0.05, 0.02  # deviations of a position, in distances
# Depth, width, height in metres of what is no furniture: only their ratios are used.
_SHAPES = [row.values() for row in rows_beside(__file__, "shapes.csv")]
SHAPES = {name: tuple(map(float, size)) for name, *size in _SHAPES}


class Ground(NamedTuple):
    """A plane under the camera."""

    up: Array  # (3,) away from the earth, in the camera
    height: float  # of the camera above it
    share: float  # of the points that lie on it


class Placed(NamedTuple):
    """A thing's box in the world."""

    position: tuple[float, float, float]  # its centre
    extent: tuple[float, float, float]  # depth, width, height
    covariance: Array  # (2, 2) of x and y


def unprojected(depth: Array, focal: float) -> Array:
    """(H, W, 3) points in the camera of a depth map (H, W), along the optical axis; `focal` in pixels, the principal
    point in the middle. Depths that are not positive and finite give NaN."""
    height, width = depth.shape
    x = (np.arange(width) + 0.5 - width / 2) / focal
    y = (np.arange(height) + 0.5 - height / 2) / focal
    depth = np.where(np.isfinite(depth) & (depth > 0), depth, np.nan)
    return np.stack([x[None] * depth, y[:, None] * depth, depth], -1)


# --- gravity --------------------------------------------------------------------------------------------------------


def find_ground(points: Array, seed: int = 0, name: str = "") -> Ground | None:
    """The ground among points (H, W, 3) in the camera: the plane that most of them lie on and few below, by how
    likely a camera is held so. None when no plane has enough of them."""
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
    picked = rng(seed, f"ground/{name}").choice(likely, min(HYPOTHESES, len(likely)), replace=False)
    best, found = 0.0, None
    for k in picked:
        up, height = normals[k], -float(normals[k] @ starts[k])
        above = cloud @ up + height
        on = float((np.abs(above) < tolerance).mean())
        below = float((above < -3 * tolerance).mean())
        score = on * max(0.0, 1 - below / BELOW) * math.exp(log_prior[k])
        if score > best:
            best, found = score, (up, height)
    return None if found is None else _refined(cloud, tolerance, *found)


def _normals(grid: Array) -> Array:
    """(h - 1, w - 1, 3) unit normals of the surface at the points of a grid."""
    cross = np.cross(grid[1:, :-1] - grid[:-1, :-1], grid[:-1, 1:] - grid[:-1, :-1])
    with np.errstate(invalid="ignore", divide="ignore"):
        return cross / np.linalg.norm(cross, axis=-1, keepdims=True)


def _hold_of_up(up: Array) -> tuple[Array, Array]:
    """Pitch and roll of cameras in which the way up is `up` (..., 3)."""
    return np.arcsin(np.clip(up[..., 2], -1, 1)), np.arctan2(-up[..., 0], -up[..., 1])


def _log_prior(up: Array) -> Array:
    """(n,) of ways up (n, 3); -inf for what no photograph is believed to have."""
    pitch, roll = _hold_of_up(up)
    likely = -((pitch / PITCH) ** 2 + (roll / ROLL) ** 2) / 2 / 4  # tempered: what is seen counts more
    return np.where((np.abs(pitch) < STEEPEST) & (np.abs(roll) < MOST_ROLL), likely, -np.inf)


def _refined(cloud: Array, tolerance: Array, up: Array, height: float) -> Ground | None:
    """The plane through what lies on it, by least squares weighed with the points' tolerances."""
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
    return Ground(up, height, float(on.mean()))


def level_camera(width: int, height: int, focal: float, ground: Ground | None, points: Array) -> Camera:
    """The camera over the world's origin, gravity by the ground. Without a ground it is held level, and the floor is
    where the lowest of the points (H, W, 3) in it are, at EYE below it when they say nothing."""
    if ground is not None:
        pitch, roll = _hold_of_up(ground.up)
        return held(Hold(ground.height, float(pitch), float(roll), AZIMUTH), width, height, focal)
    drop = points[..., 1][np.isfinite(points[..., 1])]
    low = float(np.percentile(drop, 99)) if drop.size else EYE
    return held(Hold(low if low > LOWEST else EYE, 0.0, 0.0, AZIMUTH), width, height, focal)


# --- things ---------------------------------------------------------------------------------------------------------


def thing_points(points: Array, box: tuple[float, float, float, float], camera: Camera) -> Array:
    """(n, 3) points in the world of what an image box (pixels of the map (H, W, 3)) shows: those above the ground whose
    distance hangs together with the commonest one, which counts more in the middle of the box. (0, 3): nothing is there."""
    height, width = points.shape[:2]
    x0, x1 = np.clip([math.floor(box[0]), math.ceil(box[2])], 0, width).astype(int)
    y0, y1 = np.clip([math.floor(box[1]), math.ceil(box[3])], 0, height).astype(int)
    if x1 <= x0 or y1 <= y0:
        return np.zeros((0, 3))
    rows = np.unique(np.linspace(y0, y1 - 1, STEP).round().astype(int))
    columns = np.unique(np.linspace(x0, x1 - 1, STEP).round().astype(int))
    patch = points[np.ix_(rows, columns)]
    v, u = np.meshgrid(np.linspace(-1, 1, len(rows)), np.linspace(-1, 1, len(columns)), indexing="ij")
    real = np.isfinite(patch).all(-1)
    seen, middle = patch[real], np.exp(-2 * (u**2 + v**2))[real]
    if len(seen) == 0:
        return np.zeros((0, 3))
    world = camera.cam_T_world.inverse().transform(seen)
    distance = np.linalg.norm(seen, axis=1)
    upright = world[:, 2] > SKIN[0] + SKIN[1] * distance
    if upright.mean() >= LYING:
        world, distance, middle = world[upright], distance[upright], middle[upright]
    size = max(box[2] - box[0], box[3] - box[1]) / camera.focal * float(np.median(distance))
    return world[_hanging_together(distance, middle, max(size, 1e-3))]


def _hanging_together(distance: Array, weight: Array, size: float) -> np.ndarray:
    """Of points by their distances: those around the commonest one without a gap of a tenth of the thing's size."""
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


def placed(points: Array, heading: float, eye: Array, name: str = "") -> Placed:
    """The upright box around points (n, 3) in the world, n > 0, of a thing that faces `heading` and is seen from `eye`.
    What hides its own far side is as deep as things of its name are."""
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
    return Placed(tuple(centre.tolist()), tuple(extent.tolist()), _covariance(centre - eye, hidden))


def _usual(name: str, size: Array, sight: Array) -> Array:
    """(2,) depth and width that a thing of this name has whose visible edges are `size`: its usual shape at the scale of
    its height and of the edge across the line of sight, whichever says less."""
    category = category_of(name)
    shape = SHAPES.get(name) or (None if category is None else category[:3])
    across = int(abs(sight[0]) > abs(sight[1]))  # 1: the width lies across
    if shape is None:
        return np.full(2, DEEP * min(size[across], size[2]))
    scale = min(size[2] / shape[2], size[across] / shape[across])
    return scale * np.array(shape[:2])


def _covariance(offset: Array, hidden: float) -> Array:
    """(2, 2) of x and y: more along the line of sight, and more where depth was guessed."""
    distance = float(np.hypot(offset[0], offset[1]))
    along = offset[:2] / max(distance, 1e-9)
    across = np.array([-along[1], along[0]])
    sigma = math.hypot(SIGHT_ERROR * distance, hidden / 4)
    return sigma**2 * np.outer(along, along) + (ACROSS_ERROR * distance) ** 2 * np.outer(across, across)


# --- headings -------------------------------------------------------------------------------------------------------


def front_of(azimuth: float, polar: float, rotation: float, ray: Array) -> Array:
    """(3,) the way a thing's front points in the camera, by what an orientation network says of a crop around `ray` (3,).

    Orient Anything's angles, radians: `azimuth` where the viewer is around the thing, from its front (0: it faces the viewer)
    counter-clockwise seen from above (a quarter turn: the viewer sees its left, and its front points left in the picture);
    `polar` how high the viewer is above its level; `rotation` how far the picture turns the thing's top counter-clockwise.
    A crop looks as if the camera pointed at its middle, so the angles are about the ray."""
    ca, sa, cp, sp = math.cos(azimuth), math.sin(azimuth), math.cos(polar), math.sin(polar)
    front = np.array([-sa, ca * sp, -ca * cp])  # x right, y down, z away from the viewer
    c, s = math.cos(rotation), math.sin(rotation)
    turned = np.array([c * front[0] + s * front[1], c * front[1] - s * front[0], front[2]])
    return _toward(ray) @ turned


def _toward(ray: Array) -> Array:
    """(3, 3) the least rotation that takes the optical axis to a ray with positive depth."""
    x, y, z = ray / np.linalg.norm(ray)
    k = 1 / (1 + z)
    return np.array([[1 - x * x * k, -x * y * k, x], [-x * y * k, 1 - y * y * k, y], [-x, -y, z]])


def heading_of(front: Array, camera: Camera) -> float:
    """Azimuth in the world of a way (3,) in the camera; meaningless for one that is vertical."""
    x, y, _ = camera.cam_T_world.rotation.T @ front
    return math.atan2(y, x)


def spread(p: Array, sure: float) -> tuple[float, float, float]:
    """Most probable azimuth, its deviation and the probability that it is off by pi (all radians but the last), of
    probabilities (n,) over a full turn. `sure`: how probably the thing has a front at all; of one without any heading is
    as good as any other."""
    angle = 2 * math.pi * np.arange(len(p)) / len(p)
    at = float(angle[int(p.argmax())])
    off = np.abs((angle - at + math.pi) % (2 * math.pi) - math.pi)
    near, back = off < math.pi / 4, off > 3 * math.pi / 4
    mean = np.angle((p * np.exp(1j * (angle - at)))[near].sum())
    length = abs((p * np.exp(1j * angle))[near].sum()) / max(float(p[near].sum()), 1e-12)
    own = -2 * math.log(max(length, 1e-12))
    flip = float(p[back].sum() / max(float(p[back].sum() + p[near].sum()), 1e-12))
    sigma = math.sqrt(sure * own + (1 - sure) * math.pi**2 / 12)
    return at + float(mean), sigma, sure * flip + (1 - sure) / 2
