"""Solids of revolution, upright or facing the front."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from trimesh import Trimesh

from po3d.synthesis.shapes.primitives import lathe, moved, ring

UP = np.pi / 2  # rotation that makes a solid of revolution about y upright


def upright(profile: ArrayLike, sides: int = 24, at: ArrayLike = (0, 0, 0)) -> Trimesh:
    """Build a solid of revolution about z from (radius, z) points."""
    return moved(lathe(profile, sides), at, roll=np.pi / 2)


def drum(
    side: Sequence[tuple[float, float]], sides: int = 24, at: ArrayLike = (0, 0, 0)
) -> Trimesh:
    """Build a solid of revolution about z with flat ends from the (radius, z) points of its side,
    bottom to top.
    """
    return upright([(0, side[0][1]), *side, (0, side[-1][1])], sides, at)


def ahead(profile: ArrayLike, at: ArrayLike = (0, 0, 0), sides: int = 20) -> Trimesh:
    """Build a solid of revolution about an axis along x from (radius, x) points, facing the
    front.
    """
    return moved(lathe(profile, sides), at, yaw=-np.pi / 2)


def disc(radius: float, thickness: float, at: ArrayLike = (0, 0, 0), sides: int = 20) -> Trimesh:
    """Build a round button facing the front, from x to x + thickness."""
    return ahead(
        [
            (0, 0),
            (radius, 0),
            (radius, 0.7 * thickness),
            (0.85 * radius, thickness),
            (0, thickness),
        ],
        at,
        sides,
    )


def radius_at(line: ArrayLike, z: float) -> float:
    """Return the radius of a profile of (radius, z) points at a height."""
    radii, heights = np.asarray(line, float).T
    return float(np.interp(z, heights, radii))


def girdle(
    line: ArrayLike, z: float, thickness: float, width: float, sides: int = 28, around: int = 6
) -> Trimesh:
    """Build a ring around a profile at a height."""
    return moved(ring(radius_at(line, z), thickness, width, sides, around), (0, 0, z), roll=UP)


def vessel(outer: ArrayLike, wall: float, sides: int = 24, at: ArrayLike = (0, 0, 0)) -> Trimesh:
    """Build an open vessel from the (radius, z) points of its outside, bottom to top, and its wall
    thickness.
    """
    outer = np.asarray(outer, float)
    inner = outer[outer[:, 1] > outer[0, 1] + wall][::-1] - (wall, 0)
    inner[:, 0] = np.maximum(inner[:, 0], 0.15 * wall)
    floor = outer[0, 1] + wall
    profile = [(0, outer[0, 1]), *outer, *inner, (inner[-1, 0] * 0.9, floor), (0, floor)]
    return upright(profile, sides, at)
