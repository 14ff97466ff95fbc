"""Bent, tapered and smooth pieces (bars, limbs, bodies, shells), and operations on pieces:
mirroring, warping, scaling, wheels.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from trimesh import Trimesh

from po3d.synthesis.shapes.mesh import Piece, painted, solid
from po3d.synthesis.shapes.primitives import Array, closed, lathe, loft, moved, tube


def smooth(points: ArrayLike, times: int = 2) -> Array:
    """Smooth a polyline by cutting its corners `times` times (Chaikin); the end points stay."""
    points = np.asarray(points, float)
    for _ in range(times):
        a, b = points[:-1], points[1:]
        cut = np.stack([0.75 * a + 0.25 * b, 0.25 * a + 0.75 * b], 1).reshape(-1, points.shape[1])
        points = np.r_[points[:1], cut[1:-1], points[-1:]]
    return points


def smooth_loop(points: ArrayLike, times: int = 2) -> Array:
    """Smooth a closed polyline by cutting its corners `times` times (Chaikin)."""
    points = np.asarray(points, float)
    for _ in range(times):
        after = np.roll(points, -1, 0)
        points = np.stack([0.75 * points + 0.25 * after, 0.25 * points + 0.75 * after], 1).reshape(
            -1, points.shape[1]
        )
    return points


def bar(points: ArrayLike, radius: ArrayLike, sides: int = 8, times: int = 2) -> Trimesh:
    """Build a bent round tube near a polyline (P, 3)."""
    return tube(smooth(points, times), radius, sides)


def hoop(rings: ArrayLike) -> Trimesh:
    """Build a ring through closed sections (R, N, 3), the last joined to the first."""
    rings = np.asarray(rings, float)
    r, n, _ = rings.shape
    i, k = np.divmod(np.arange(r * n), n)
    a, b = i * n + k, i * n + (k + 1) % n
    c, d = (i + 1) % r * n + (k + 1) % n, (i + 1) % r * n + k
    return closed(rings.reshape(-1, 3), np.r_[np.c_[a, b, c], np.c_[a, c, d]])


def dome(
    radii: Sequence[float],
    azimuths: tuple[float, float],
    elevations: tuple[float, float],
    wall: float,
    at: ArrayLike = (0, 0, 0),
    steps: tuple[int, int] = (16, 8),
) -> Trimesh:
    """Build a part of an ellipsoid's shell, `wall` thick inwards, between angles in radians; all
    the way round if `azimuths` span a full turn.
    """
    whole = azimuths[1] - azimuths[0] > 2 * np.pi - 1e-6
    turn, rise = np.linspace(*azimuths, steps[0] + 1), np.linspace(*elevations, steps[1] + 1)
    across = np.r_[np.cos(rise), np.cos(rise)[::-1]], np.r_[np.sin(rise), np.sin(rise)[::-1]]
    size = (
        np.asarray(radii, float)
        - np.where(np.arange(2 * len(rise)) < len(rise), 0.0, wall)[:, None]
    )
    rings = [
        np.c_[across[0] * np.cos(t), across[0] * np.sin(t), across[1]] * size + np.asarray(at)
        for t in (turn[:-1] if whole else turn)
    ]
    return hoop(rings) if whole else loft(rings)


def limb(
    points: ArrayLike, radii: ArrayLike, sides: int = 10, steps: int = 3, flat: float = 1.0
) -> Trimesh:
    """Build a smooth round limb with round ends through `points` (P, 3), with one radius per point;
    `flat` scales it across y about y = 0.
    """
    points = np.asarray(points, float)
    knots = np.c_[points, np.broadcast_to(np.asarray(radii, float), len(points))]
    curve = _through(knots, steps) if len(knots) > 2 else np.linspace(knots[0], knots[1], steps + 1)
    first, last = _cap(curve[0], curve[1])[::-1], _cap(curve[-1], curve[-2])
    line = np.concatenate([first, curve, last])
    mesh = tube(line[:, :3], line[:, 3], sides)
    mesh.vertices = np.asarray(mesh.vertices) * (1, flat, 1)
    return mesh


def _cap(end: Array, inner: Array) -> Array:
    """Return two stations (2, 4) beyond the end of a limb that round it off."""
    out = (end - inner)[:3]
    out = out / max(np.linalg.norm(out), 1e-9)
    turns = np.radians([50.0, 82.0])
    return np.c_[end[:3] + np.outer(end[3] * np.sin(turns), out), end[3] * np.cos(turns)]


def _through(knots: Array, steps: int) -> Array:
    """Return a Catmull-Rom curve through (P, D) knots, with `steps` stations between two."""
    padded = np.concatenate([2 * knots[:1] - knots[1:2], knots, 2 * knots[-1:] - knots[-2:-1]])
    a, b, c, d = (padded[k : len(padded) - 3 + k, None] for k in range(4))
    t = np.arange(steps)[None, :, None] / steps
    curve = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    curve = np.concatenate([curve.reshape(-1, knots.shape[1]), knots[-1:]])
    curve[:, 3:] = np.maximum(curve[:, 3:], 1e-4)
    return curve


def column(stations: ArrayLike, sides: int = 16) -> Trimesh:
    """Build an upright elliptic body through `stations` (S, 4) of (z, x of its middle, half depth,
    half width).
    """
    t = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    c, s = np.cos(t), np.sin(t)
    rows = np.asarray(stations, float)
    return loft([np.c_[x + d * c, w * s, np.full(sides, z)] for z, x, d, w in rows])


def smooth_column(stations: ArrayLike, sides: int = 16, steps: int = 3) -> Trimesh:
    """Build a `column` with a smooth outline."""
    return column(_through(np.asarray(stations, float), steps), sides)


def warped(mesh: Trimesh, bend: Callable[[Array], Array]) -> Trimesh:
    """Return the mesh with its vertices mapped by a function."""
    return closed(bend(np.array(mesh.vertices)), mesh.faces)


def mirrored(mesh: Trimesh) -> list[Trimesh]:
    """Return a mesh on the left, and its mirror image on the right."""
    other = Trimesh(
        np.asarray(mesh.vertices) * (1, -1, 1), np.asarray(mesh.faces)[:, ::-1], process=False
    )
    return [mesh, other]


def scaled(pieces: list[Piece], factor: float | ArrayLike) -> list[Piece]:
    """Scale pieces about the origin, by one factor or one per axis."""
    return [
        (
            name,
            material,
            Trimesh(np.asarray(m.vertices) * factor, np.asarray(m.faces), process=False),
        )
        for name, material, m in pieces
    ]


def wheel_on_hub(
    at: tuple[float, float], radius: float, width: float, rim: float = 0.6
) -> list[Piece]:
    """Build a tyre and a painted hub on the ground at (x, y)."""
    size = radius, width / 2
    tyre = [(rim, -0.9), (0.92, -1), (1, -0.55), (1, 0.55), (0.92, 1), (rim, 0.9)]
    hub = [(0.01, -1.1), (0.22, -1.1), (rim, -0.8), (rim, 0.8), (0.22, 1.1), (0.01, 1.1)]
    tread, disc = lathe(np.multiply(tyre, size), 18), lathe(np.multiply(hub, size), 12)
    place = (*at, radius)
    return solid("tyre", "tyre", moved(tread, place)) + painted("hub", moved(disc, place))
