"""Poses, cameras and angles. This docstring defines the conventions of the project.

* World: right-handed, z up, the ground is z = 0. Lengths are scene units, angles radians.
* Object: x front, y left, z up. The heading is the azimuth of the front axis about +z,
  counter-clockwise seen from above, measured from world +x, in (-pi, pi].
* Camera: OpenCV, x right, y down, z forward. Pixels are continuous: the image spans [0, width] x
  [0, height] and the centre of the top-left pixel is (0.5, 0.5).
* Names put the destination first: `cam_T_world` maps world points into the camera frame.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def wrap_angle(angle: ArrayLike) -> Array:
    """Return `angle` wrapped into (-pi, pi]."""
    return np.pi - np.mod(np.pi - np.asarray(angle, float), 2 * np.pi)


def rotation_z(angle: ArrayLike) -> Array:
    """Return (..., 3, 3) rotations about +z by `angle` (...)."""
    angle = np.asarray(angle, float)
    c, s, o, i = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = [np.stack(row, -1) for row in ((c, -s, o), (s, c, o), (o, o, i))]
    return np.stack(rows, -2)


def as_tuples(matrix: Array) -> tuple[tuple[float, ...], ...]:
    """Return the rows of a matrix as nested tuples, the format stored in scenes."""
    return tuple(map(tuple, matrix.tolist()))


@dataclass(frozen=True, eq=False)
class Pose:
    """Rigid transform `dst_T_src`: x_dst = rotation @ x_src + translation."""

    rotation: Array  # (3, 3)
    translation: Array  # (3,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pose):
            return NotImplemented
        turned = not np.array_equal(self.rotation, other.rotation)
        return not turned and np.array_equal(self.translation, other.translation)

    __hash__ = None

    def __matmul__(self, other: "Pose") -> "Pose":
        translation = self.rotation @ other.translation + self.translation
        return Pose(self.rotation @ other.rotation, translation)

    def inverse(self) -> "Pose":
        """Return `src_T_dst`."""
        return Pose(self.rotation.T, -self.rotation.T @ self.translation)

    def transform(self, points: ArrayLike) -> Array:
        """Map (..., 3) points from the source frame to the destination frame."""
        return np.asarray(points, float) @ self.rotation.T + self.translation


@dataclass(frozen=True)
class Camera:
    """A posed pinhole camera with square pixels."""

    width: int
    height: int
    focal: float  # pixels
    cam_T_world: Pose
    center: tuple[float, float] | None = None  # principal point; None: the image centre

    @property
    def principal(self) -> tuple[float, float]:
        """Principal point in pixels."""
        return self.center or (self.width / 2, self.height / 2)

    @property
    def position(self) -> Array:
        """(3,) camera centre in world coordinates."""
        return self.cam_T_world.inverse().translation

    @property
    def K(self) -> Array:
        """(3, 3) intrinsic matrix."""
        cx, cy = self.principal
        return np.array([[self.focal, 0, cx], [0, self.focal, cy], [0, 0, 1.0]])

    def project(self, p_world: ArrayLike) -> tuple[Array, Array]:
        """Return pixels (..., 2) and depths (...) of world points (..., 3).

        Depth is measured along the optical axis.
        """
        p_cam = self.cam_T_world.transform(p_world)
        depth = p_cam[..., 2]
        return self.focal * p_cam[..., :2] / depth[..., None] + np.array(self.principal), depth

    def ray(self, pixels: ArrayLike) -> Array:
        """Return (..., 3) world directions through pixels (..., 2).

        Their component along the optical axis is 1.
        """
        xy = (np.asarray(pixels, float) - np.array(self.principal)) / self.focal
        d_cam = np.concatenate([xy, np.ones_like(xy[..., :1])], -1)
        return d_cam @ self.cam_T_world.rotation

    def at_height(self, pixels: ArrayLike, z: ArrayLike) -> Array:
        """Return the (..., 3) world points at height z (...) on the rays of pixels (..., 2)."""
        d_world, eye = self.ray(pixels), self.position
        return eye + d_world * ((np.asarray(z, float) - eye[2]) / d_world[..., 2])[..., None]

    def resized(self, width: int, height: int) -> "Camera":
        """Return the camera of the image resized to another size with the same aspect ratio."""
        cx, cy = self.principal
        s = width / self.width
        center = cx * s, cy * height / self.height
        return Camera(width, height, self.focal * s, self.cam_T_world, center)


def look_at(eye: ArrayLike, target: ArrayLike, up: ArrayLike = (0, 0, 1)) -> Pose:
    """Return cam_T_world of a camera at `eye` aimed at `target`, upright with respect to `up`."""
    eye, target = np.asarray(eye, float), np.asarray(target, float)
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, np.asarray(up, float))
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(forward, right), forward])
    return Pose(rotation, -rotation @ eye)


# height in metres of the camera of `down`: an object 2 m high is displaced by 1 % at most
TOP = 200.0


def down(x: float, y: float, metres_per_pixel: float, width: int, height: int) -> Camera:
    """Return the camera of a top view, far above (x, y), with +y upward in the image."""
    pose = look_at((x, y, TOP), (x, y, 0.0), (0, 1, 0))
    return Camera(width, height, TOP / metres_per_pixel, pose)


BOX_SIGNS = np.array(list(itertools.product((0.5, -0.5), (0.5, -0.5), (0.0, 1.0))))
# Mirroring swaps left and right: row k of BOX_SIGNS becomes row MIRRORED_CORNERS[k].
MIRRORED_CORNERS = (2, 3, 0, 1, 6, 7, 4, 5)


def box_corners(position: ArrayLike, heading: ArrayLike, extent: ArrayLike) -> Array:
    """Return (..., 8, 3) world corners of boxes on the ground, in the order of BOX_SIGNS.

    Positions are (..., 2 or 3), of which only x and y are used; headings (...); extents (..., 3)
    as (length, width, height).
    """
    position, extent = np.asarray(position, float), np.asarray(extent, float)
    local = BOX_SIGNS * extent[..., None, :]
    ground = np.concatenate([position[..., :2], np.zeros_like(position[..., :1])], -1)
    return np.einsum("...ij,...kj->...ki", rotation_z(heading), local) + ground[..., None, :]


def footprint(position: ArrayLike, heading: ArrayLike, extent: ArrayLike) -> Array:
    """Return (..., 4, 2) ground corners of boxes, counter-clockwise from above."""
    return box_corners(position, heading, extent)[..., [0, 4, 6, 2], :2]
