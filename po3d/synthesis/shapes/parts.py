"""Building blocks of our own shapes, beside those of primitives.py: rounded, bevelled, hollow and bent pieces, limbs, wheels."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from trimesh import Trimesh

from po3d.synthesis.shapes.mesh import Piece, painted, solid
from po3d.synthesis.shapes.primitives import Array, closed, lathe, loft, moved, plate, rounded, slab, tube

Random = np.random.Generator
Generator = Callable[[Random], list[Piece]]
UP = np.pi / 2  # rolls what turns about y upright


def main(*meshes: Trimesh) -> list[Piece]:
    """Pieces that take the scene's colour."""
    return painted("main", *meshes)


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


def drum(side: Sequence[tuple[float, float]], sides: int = 24, at: ArrayLike = (0, 0, 0)) -> Trimesh:
    """A solid of revolution about z with flat ends: the (radius, z) points of its side from the foot up."""
    return upright([(0, side[0][1]), *side, (0, side[-1][1])], sides, at)


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


def warped(mesh: Trimesh, bend: Callable[[Array], Array]) -> Trimesh:
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


def soft_plate(depth: float, width: float, thickness: float, z: float, radius: float) -> Trimesh:
    d, w = depth / 2, width / 2
    return plate(rounded([(-d, -w), (d, -w), (d, w), (-d, w)], radius), thickness, z)


def facing(outline: np.ndarray, thickness: float, x: float) -> Trimesh:
    """A sheet that faces the front: its (y, z) outline, from x to x + thickness."""
    flat = slab(outline, thickness)  # (x, z) outline, thick along y
    return moved(flat, (x + thickness / 2, 0, 0), yaw=np.pi / 2)


def tub(depth: float, width: float, height: float, wall: float, taper: float) -> list[Trimesh]:
    """An open box: four walls that lean outward, and a floor."""
    low = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (depth / 2, width / 2)
    inner = low - np.sign(low) * wall
    rings = [
        np.c_[low * taper, np.zeros(4)],
        np.c_[low, np.full(4, height)],
        np.c_[inner, np.full(4, height)],
        np.c_[inner * taper, np.full(4, wall)],
    ]
    return [loft(rings)]


def pick(random: Random, *words: str, p: ArrayLike | None = None) -> str:
    """One of the words."""
    return str(random.choice(words, p=p))


def limb(points: ArrayLike, radii: ArrayLike, sides: int = 10, steps: int = 3, flat: float = 1.0) -> Trimesh:
    """A smooth round limb with round ends through `points` (P, 3), of one radius a point; `flat` stretches it across
    y about y = 0."""
    points = np.asarray(points, float)
    knots = np.c_[points, np.broadcast_to(np.asarray(radii, float), len(points))]
    curve = _through(knots, steps) if len(knots) > 2 else np.linspace(knots[0], knots[1], steps + 1)
    first, last = _cap(curve[0], curve[1])[::-1], _cap(curve[-1], curve[-2])
    line = np.concatenate([first, curve, last])
    mesh = tube(line[:, :3], line[:, 3], sides)
    mesh.vertices = np.asarray(mesh.vertices) * (1, flat, 1)
    return mesh


def _cap(end: Array, inner: Array) -> Array:
    """Two stations (2, 4) beyond the end of a limb, that round it off."""
    out = (end - inner)[:3]
    out = out / max(np.linalg.norm(out), 1e-9)
    turns = np.radians([50.0, 82.0])
    return np.c_[end[:3] + np.outer(end[3] * np.sin(turns), out), end[3] * np.cos(turns)]


def _through(knots: Array, steps: int) -> Array:
    """A Catmull-Rom curve through (P, D) knots, `steps` stations between two."""
    padded = np.concatenate([2 * knots[:1] - knots[1:2], knots, 2 * knots[-1:] - knots[-2:-1]])
    a, b, c, d = (padded[k : len(padded) - 3 + k, None] for k in range(4))
    t = np.arange(steps)[None, :, None] / steps
    curve = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    curve = np.concatenate([curve.reshape(-1, knots.shape[1]), knots[-1:]])
    curve[:, 3:] = np.maximum(curve[:, 3:], 1e-4)
    return curve


def column(stations: ArrayLike, sides: int = 16) -> Trimesh:
    """An upright elliptic body through `stations` (S, 4) of (z, x of its middle, half depth, half width)."""
    t = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    c, s = np.cos(t), np.sin(t)
    rows = np.asarray(stations, float)
    return loft([np.c_[x + d * c, w * s, np.full(sides, z)] for z, x, d, w in rows])


def smooth_column(stations: ArrayLike, sides: int = 16, steps: int = 3) -> Trimesh:
    """A `column` with a smooth outline."""
    return column(_through(np.asarray(stations, float), steps), sides)


def mirrored(mesh: Trimesh) -> list[Trimesh]:
    """A mesh at the left, and its mirror image at the right."""
    other = Trimesh(np.asarray(mesh.vertices) * (1, -1, 1), np.asarray(mesh.faces)[:, ::-1], process=False)
    return [mesh, other]


def scaled(pieces: list[Piece], factor: float | ArrayLike) -> list[Piece]:
    """Pieces enlarged about the origin, by one factor or one an axis."""
    return [
        (name, material, Trimesh(np.asarray(m.vertices) * factor, np.asarray(m.faces), process=False))
        for name, material, m in pieces
    ]


def wheel_on_hub(at: tuple[float, float], radius: float, width: float, rim: float = 0.6) -> list[Piece]:
    """A tyre and a painted hub on the ground at (x, y)."""
    size = radius, width / 2
    tyre = [(rim, -0.9), (0.92, -1), (1, -0.55), (1, 0.55), (0.92, 1), (rim, 0.9)]
    hub = [(0.01, -1.1), (0.22, -1.1), (rim, -0.8), (rim, 0.8), (0.22, 1.1), (0.01, 1.1)]
    tread, disc = lathe(np.multiply(tyre, size), 18), lathe(np.multiply(hub, size), 12)
    place = (*at, radius)
    return solid("tyre", "tyre", moved(tread, place)) + painted("hub", moved(disc, place))
