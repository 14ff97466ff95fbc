"""Depth maps and intrinsics of a picture, from files.

depth         .npy of floats in metres, or a 16-bit .png in millimetres (`unit` changes both)
intrinsics    .json {"fx", "fy", "cx", "cy"} or {"K"}, a text file or .npy with the 3 x 3
              matrix, or KITTI's calibration (its P2); in pixels of the picture
"""

import math
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.io.arrays import read_npy
from po3d.io.errors import InputError
from po3d.io.files import parse_json, read_text
from po3d.io.seeding import rng
from po3d.scene.geometry import Array

MILLIMETRE = 0.001
LARGEST = 25_000_000  # pixels of a depth map, which takes 8 bytes for each
TEXT = 1_000_000  # bytes of intrinsics
FARTHEST = 100_000.0  # metres; beyond, a pixel has no value
LEAST_VALID = 0.02  # share of a depth map's pixels with a value
SQUARE = 0.03  # relative difference of fx and fy above which pixels are not square
# of `looks_like_range`
POINTS = 5_000  # of the depth map
PLANES = 3
TRIPLES = 200  # hypotheses for each plane
THICKNESS = 0.01  # tolerance of a plane's points, relative to their distance
MORE = 1.12  # ratio of the points on planes above which the map is taken for distances


class Depth(NamedTuple):
    """A depth map and, if a network estimates it, the focal length in image widths."""

    metres: Array  # (H, W)
    focal: float | None = None


# Focal length and principal point of a pinhole camera, in pixels of the picture.
Intrinsics = tuple[float, tuple[float, float]]


def read_depth(path: str | Path, unit: float | None = None) -> Array:
    """Return a depth map (H, W) in metres, NaN where it has no value.

    `unit`: metres of one unit of the file; by default millimetres for whole numbers, else metres.
    Raise InputError for a file that is not a depth map.
    """
    path = Path(path)
    if unit is not None and not (math.isfinite(unit) and unit > 0):
        raise InputError(f"perception.depth.unit={unit} should be above 0")
    values = _values(path)
    if values.ndim != 2 or not 0 < values.size <= LARGEST or values.dtype.kind not in "uif":
        raise InputError(
            f"depth {path}: {values.dtype} of {values.shape} is not a depth map (H, W)"
        )
    scale = unit
    if scale is None:
        scale = 1.0 if values.dtype.kind == "f" else MILLIMETRE
    depth = values.astype(float)
    depth *= scale
    depth[~((depth > 0) & (depth < FARTHEST))] = np.nan
    if np.isfinite(depth).mean() < LEAST_VALID:
        raise InputError(f"depth {path}: almost no pixel has a depth above 0")
    return depth


def _values(path: Path) -> Array:
    if path.suffix.lower() == ".npy":
        return read_npy(path, "depth", LARGEST)
    try:
        if path.suffix.lower() == ".png":
            with Image.open(path, formats=("PNG",)) as image:
                if image.width * image.height > LARGEST:
                    raise InputError(f"depth {path} has more than {LARGEST:,} pixels")
                if image.mode not in ("I;16", "I;16B", "I"):
                    raise InputError(f"depth {path}: a 16-bit PNG is needed, not mode {image.mode}")
                return np.asarray(image)
    except (OSError, ValueError, EOFError, SyntaxError, Image.DecompressionBombError) as error:
        if isinstance(error, InputError):
            raise
        reason = " ".join(str(error).split())[:120]
        raise InputError(f"depth {path} can't be read ({reason})") from None
    raise InputError(f"depth {path}: the name should end in .npy or .png")


def fitted_to(depth: Array, width: int, height: int, path: str | Path) -> Array:
    """Return a depth map at the size of a picture (nearest pixels); InputError for another
    shape.
    """
    rows, columns = depth.shape
    if abs(columns * height / (rows * width) - 1) > 0.02:
        raise InputError(
            f"depth {path} is {columns} x {rows}, the picture {width} x {height}: the aspect"
            " ratios differ"
        )
    y = ((np.arange(height) + 0.5) * rows / height).astype(int)
    x = ((np.arange(width) + 0.5) * columns / width).astype(int)
    return depth[np.ix_(y, x)]


def read_intrinsics(path: str | Path) -> Intrinsics:
    """Read a camera's intrinsics; InputError for a file without a pinhole camera of square
    pixels.
    """
    path = Path(path)
    try:
        if path.suffix.lower() == ".npy":
            matrix = read_npy(path, "intrinsics", 16)
        else:
            text = read_text(path, "intrinsics", TEXT)
            if text.lstrip()[:1] in ("{", "["):
                matrix = _from_json(parse_json(text, f"intrinsics {path} can't be read"))
            else:
                matrix = _from_text(text)
        k = np.asarray(matrix, float)
        fx, fy, cx, cy = float(k[0, 0]), float(k[1, 1]), float(k[0, 2]), float(k[1, 2])
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(f"intrinsics {path} can't be read ({reason})") from None
    if not (np.isfinite([fx, fy, cx, cy]).all() and min(fx, fy) > 0):
        raise InputError(
            f"intrinsics {path}: fx {fx:g}, fy {fy:g}, cx {cx:g}, cy {cy:g} are not a camera's"
        )
    if abs(fx / fy - 1) > SQUARE:
        raise InputError(
            f"intrinsics {path}: fx {fx:g} and fy {fy:g} differ; resize to square pixels"
        )
    return (fx + fy) / 2, (cx, cy)


def _from_json(record: Any) -> Array:
    if isinstance(record, dict) and "fx" in record:
        return np.array(
            [[record["fx"], 0, record["cx"]], [0, record.get("fy", record["fx"]), record["cy"]]]
        )
    return np.array(record["K"] if isinstance(record, dict) else record, float).reshape(3, -1)


def _from_text(text: str) -> Array:
    for line in text.splitlines():
        if line.startswith("P2:"):
            return np.array(list(map(float, line[3:].split()))).reshape(3, 4)
    return np.array(list(map(float, text.replace(",", " ").split()))).reshape(3, -1)


def looks_like_range(depth: Array, focal: float) -> bool:
    """Whether a depth map (H, W) contains distances from the camera instead of depths along its
    axis.

    The decision uses floors and walls: under the right interpretation the largest planes contain
    more points. On a plane, 1 / z is an affine function of the pixel, and so is the length of the
    pixel's ray divided by the distance. `focal` in pixels of the map.
    """
    height, width = depth.shape
    cx, cy = width / 2, height / 2
    step = max(1, round(math.sqrt(height * width / POINTS)))
    v, u = np.mgrid[0:height:step, 0:width:step]
    x, y = (u.ravel() + 0.5 - cx) / focal, (v.ravel() + 0.5 - cy) / focal
    away = depth[::step, ::step].ravel()
    valid = np.isfinite(away)
    if valid.sum() < 50:
        return False
    basis = np.stack([x, y, np.ones_like(x)], 1)[valid]
    as_z, as_range = 1 / away[valid], np.sqrt(1 + x**2 + y**2)[valid] / away[valid]
    return _on_planes(basis, as_range) > MORE * _on_planes(basis, as_z)


def _on_planes(basis: Array, inverse: Array) -> int:
    """Return how many points lie on the largest planes, found one after another by RANSAC."""
    r, count = rng(0, "depth/planes"), 0
    for _ in range(PLANES):
        if len(basis) < 10:
            break
        triples = r.integers(0, len(basis), (TRIPLES, 3))
        corners = basis[triples]
        usable = np.abs(np.linalg.det(corners)) > 1e-6
        if not usable.any():
            break
        planes = np.linalg.solve(corners[usable], inverse[triples[usable]][..., None])[..., 0]
        best = max(planes, key=lambda plane: _near(basis, inverse, plane).sum())
        on = _near(basis, inverse, best)
        refined = np.linalg.lstsq(basis[on], inverse[on], rcond=None)[0]
        on = _near(basis, inverse, refined)
        count += int(on.sum())
        basis, inverse = basis[~on], inverse[~on]
    return count


def _near(basis: Array, inverse: Array, plane: Array) -> Array:
    return np.abs(basis @ plane - inverse) < THICKNESS * inverse


class PhotographWarning(UserWarning):
    """Warning: an input of a photograph looks wrong, or an estimate is poorly determined."""


class DepthFile:
    """The depth map of one picture, from a file. Refuses a second picture, and warns about a map
    that seems to contain distances from the camera."""

    def __init__(self, path: str, unit: float | None = None) -> None:
        self.path, self.metres, self.picture = path, read_depth(path, unit), None

    def __call__(self, picture: NDArray[np.uint8], focal: float | None = None) -> Depth:
        if self.picture is not None and not np.array_equal(self.picture, picture):
            raise InputError(f"perception.depth.file={self.path} is the depth of one picture only")
        first, self.picture = self.picture is None, picture
        height, width = picture.shape[:2]
        metres = fitted_to(self.metres, width, height, self.path)
        if first and looks_like_range(metres, (focal or 1.0) * width):
            warnings.warn(
                f"{self.path} looks like range, not z: floors and walls are flatter if its values"
                " are distances from the camera instead of along its axis",
                PhotographWarning,
                stacklevel=2,
            )
        return Depth(metres)
