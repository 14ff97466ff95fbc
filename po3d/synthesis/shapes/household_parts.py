"""Rounded, bevelled and hollow building blocks of household things, beside those of primitives.py."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from trimesh import Trimesh

from po3d.synthesis.shapes.mesh import Piece, solid
from po3d.synthesis.shapes.primitives import Array, closed, lathe, loft, moved, rounded, slab, tube

Random = np.random.Generator


def main(*meshes: Trimesh) -> list[Piece]:
    """Pieces that take the scene's colour."""
    return solid("main", "paint", *meshes)


def smooth(points: ArrayLike, times: int = 2) -> Array:
    """A polyline with its corners cut `times` times (Chaikin); the ends stay."""
    points = np.asarray(points, float)
    for _ in range(times):
        a, b = points[:-1], points[1:]
        cut = np.stack([0.75 * a + 0.25 * b, 0.25 * a + 0.75 * b], 1).reshape(-1, points.shape[1])
        points = np.r_[points[:1], cut[1:-1], points[-1:]]
    return points


def smooth_loop(points: ArrayLike, times: int = 2) -> Array:
    """A closed polyline with its corners cut `times` times (Chaikin)."""
    points = np.asarray(points, float)
    for _ in range(times):
        after = np.roll(points, -1, 0)
        points = np.stack([0.75 * points + 0.25 * after, 0.25 * points + 0.75 * after], 1).reshape(
            -1, points.shape[1]
        )
    return points


def upright(profile: ArrayLike, sides: int = 24, at: ArrayLike = (0, 0, 0)) -> Trimesh:
    """A solid of revolution about z from (radius, z) points."""
    return moved(lathe(profile, sides), at, roll=np.pi / 2)


def ahead(profile: ArrayLike, at: ArrayLike = (0, 0, 0), sides: int = 20) -> Trimesh:
    """A solid of revolution about an axis along x from (radius, x) points: what faces the front."""
    return moved(lathe(profile, sides), at, yaw=-np.pi / 2)


def disc(radius: float, thickness: float, at: ArrayLike = (0, 0, 0), sides: int = 20) -> Trimesh:
    """A round button that faces the front, from x to x + thickness."""
    return ahead([(0, 0), (radius, 0), (radius, 0.7 * thickness), (0.85 * radius, thickness), (0, thickness)],
                 at, sides)  # fmt: skip


def vessel(outer: ArrayLike, wall: float, sides: int = 24, at: ArrayLike = (0, 0, 0)) -> Trimesh:
    """An open pot: the (radius, z) points of its outside from the bottom up, and how thick it is."""
    outer = np.asarray(outer, float)
    inner = outer[outer[:, 1] > outer[0, 1] + wall][::-1] - (wall, 0)
    inner[:, 0] = np.maximum(inner[:, 0], 0.15 * wall)
    floor = outer[0, 1] + wall
    profile = [(0, outer[0, 1]), *outer, *inner, (inner[-1, 0] * 0.9, floor), (0, floor)]
    return upright(profile, sides, at)


def block(
    size: Sequence[float],
    at: ArrayLike = (0, 0, 0),
    radius: float = 0.02,
    bevel: float = 0.006,
    segs: int = 2,
) -> Trimesh:
    """A box (depth, width, height) that stands on `at`, its upright edges rounded, the others bevelled."""
    d, w, height = size[0] / 2, size[1] / 2, size[2]
    radius = min(radius, 0.95 * min(d, w))
    outline = rounded([(-d, -w), (d, -w), (d, w), (-d, w)], radius, segs)
    flat = slab(outline, height, min(bevel, height / 3))
    v = np.array(flat.vertices)
    return closed(np.c_[v[:, 0], v[:, 2], v[:, 1] + height / 2] + np.asarray(at), flat.faces)


def board(size: Sequence[float], at: ArrayLike = (0, 0, 0), **turn: float) -> Trimesh:
    """A box (depth, width, height) centred on `at` with narrow bevels along x and z."""
    d, h = size[0] / 2, size[2] / 2
    bevel = 0.12 * min(size)
    return moved(slab([(-d, -h), (d, -h), (d, h), (-d, h)], size[1], bevel), at, **turn)


def bar(points: ArrayLike, radius: ArrayLike, sides: int = 8, times: int = 2) -> Trimesh:
    """A bent round tube near a polyline (P, 3)."""
    return tube(smooth(points, times), radius, sides)


def hoop(rings: ArrayLike) -> Trimesh:
    """A ring through closed sections (R, N, 3), the last joined to the first."""
    rings = np.asarray(rings, float)
    r, n, _ = rings.shape
    i, k = np.divmod(np.arange(r * n), n)
    a, b = i * n + k, i * n + (k + 1) % n
    c, d = (i + 1) % r * n + (k + 1) % n, (i + 1) % r * n + k
    return closed(rings.reshape(-1, 3), np.r_[np.c_[a, b, c], np.c_[a, c, d]])


def dome(
    radii: Sequence[float], azimuths: tuple[float, float], elevations: tuple[float, float], wall: float,
    at: ArrayLike = (0, 0, 0), steps: tuple[int, int] = (16, 8),
) -> Trimesh:  # fmt: skip
    """A piece of the shell of an ellipsoid, `wall` thick inward, between angles in radians; all the way round where
    `azimuths` span a full turn."""
    whole = azimuths[1] - azimuths[0] > 2 * np.pi - 1e-6
    turn, rise = np.linspace(*azimuths, steps[0] + 1), np.linspace(*elevations, steps[1] + 1)
    across = np.r_[np.cos(rise), np.cos(rise)[::-1]], np.r_[np.sin(rise), np.sin(rise)[::-1]]
    size = np.asarray(radii, float) - np.where(np.arange(2 * len(rise)) < len(rise), 0.0, wall)[:, None]
    rings = [
        np.c_[across[0] * np.cos(t), across[0] * np.sin(t), across[1]] * size + np.asarray(at)
        for t in (turn[:-1] if whole else turn)
    ]
    return hoop(rings) if whole else loft(rings)


def bent(mesh: Trimesh, bend: Callable[[Array], Array]) -> Trimesh:
    """The mesh with its vertices moved."""
    return closed(bend(np.array(mesh.vertices)), mesh.faces)


def panel(width: float, height: float, radius: float, thickness: float, at: ArrayLike, bevel: float = 0.0,
          segs: int = 2) -> Trimesh:  # fmt: skip
    """A rounded rectangle that faces the front, centred on `at` in y and z, from x to x + thickness."""
    y, z = width / 2, height / 2
    outline = rounded([(-y, -z), (y, -z), (y, z), (-y, z)], min(radius, 0.95 * min(y, z)), segs)
    return moved(slab(outline, thickness, bevel), np.asarray(at) + (thickness / 2, 0, 0), yaw=np.pi / 2)


def behind(*meshes: Trimesh) -> list[Trimesh]:
    """Pieces made for the front, turned to the back."""
    return [moved(mesh, yaw=np.pi) for mesh in meshes]


def soft_sheet(outline: Array, thickness: float) -> Trimesh:
    """A (y, z) outline that faces the front, thick about x = 0, with soft edges."""
    return moved(slab(outline, thickness, min(0.012, 0.2 * thickness), rows=4), yaw=np.pi / 2)


def pick(random: Random, *words: str) -> str:
    """One of the words."""
    return words[int(random.integers(len(words)))]
