"""Flat pieces and boxes: rounded, bevelled, facing the front, hollow."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from trimesh import Trimesh

from po3d.synthesis.shapes.primitives import Array, closed, loft, moved, plate, rounded, slab


def block(
    size: Sequence[float],
    at: ArrayLike = (0, 0, 0),
    radius: float = 0.02,
    bevel: float = 0.006,
    segs: int = 2,
) -> Trimesh:
    """Build a box (depth, width, height) standing on `at`, its upright edges rounded, the others
    bevelled.
    """
    d, w, height = size[0] / 2, size[1] / 2, size[2]
    radius = min(radius, 0.95 * min(d, w))
    outline = rounded([(-d, -w), (d, -w), (d, w), (-d, w)], radius, segs)
    flat = slab(outline, height, min(bevel, height / 3))
    v = np.array(flat.vertices)
    return closed(np.c_[v[:, 0], v[:, 2], v[:, 1] + height / 2] + np.asarray(at), flat.faces)


def board(size: Sequence[float], at: ArrayLike = (0, 0, 0), **turn: float) -> Trimesh:
    """Build a box (depth, width, height) centred on `at` with narrow bevels along x and z."""
    d, h = size[0] / 2, size[2] / 2
    bevel = 0.12 * min(size)
    return moved(slab([(-d, -h), (d, -h), (d, h), (-d, h)], size[1], bevel), at, **turn)


def panel(
    width: float,
    height: float,
    radius: float,
    thickness: float,
    at: ArrayLike,
    bevel: float = 0.0,
    segs: int = 2,
) -> Trimesh:
    """Build a rounded rectangle facing the front, centred on `at` in y and z, from x to x +
    thickness.
    """
    y, z = width / 2, height / 2
    outline = rounded([(-y, -z), (y, -z), (y, z), (-y, z)], min(radius, 0.95 * min(y, z)), segs)
    return moved(
        slab(outline, thickness, bevel), np.asarray(at) + (thickness / 2, 0, 0), yaw=np.pi / 2
    )


def behind(*meshes: Trimesh) -> list[Trimesh]:
    """Turn pieces made for the front to the back."""
    return [moved(mesh, yaw=np.pi) for mesh in meshes]


def soft_sheet(outline: Array, thickness: float) -> Trimesh:
    """Build a (y, z) outline facing the front, thick about x = 0, with soft edges."""
    return moved(slab(outline, thickness, min(0.012, 0.2 * thickness), rows=4), yaw=np.pi / 2)


def soft_plate(depth: float, width: float, thickness: float, z: float, radius: float) -> Trimesh:
    d, w = depth / 2, width / 2
    return plate(rounded([(-d, -w), (d, -w), (d, w), (-d, w)], radius), thickness, z)


def facing(outline: np.ndarray, thickness: float, x: float) -> Trimesh:
    """Build a sheet facing the front: its (y, z) outline, from x to x + thickness."""
    flat = slab(outline, thickness)  # (x, z) outline, thick along y
    return moved(flat, (x + thickness / 2, 0, 0), yaw=np.pi / 2)


def tub(depth: float, width: float, height: float, wall: float, taper: float) -> list[Trimesh]:
    """Build an open box: four walls that lean outwards, and a floor."""
    low = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (depth / 2, width / 2)
    inner = low - np.sign(low) * wall
    rings = [
        np.c_[low * taper, np.zeros(4)],
        np.c_[low, np.full(4, height)],
        np.c_[inner, np.full(4, height)],
        np.c_[inner * taper, np.full(4, wall)],
    ]
    return [loft(rings)]
