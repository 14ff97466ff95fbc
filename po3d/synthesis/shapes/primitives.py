"""Closed building blocks of meshes with outward-facing triangles, in the object frame: x forward, y
left, z up.
"""

from collections.abc import Callable, Sequence

import numpy as np
import shapely
import trimesh
from numpy.typing import ArrayLike, NDArray
from trimesh import Trimesh

from po3d.synthesis.shapes.mesh import Piece, solid

Array = NDArray[np.float64]

_CUBE = trimesh.creation.box((1.0, 1.0, 1.0))


def closed(vertices: ArrayLike, faces: ArrayLike) -> Trimesh:
    """Return a mesh whose faces are oriented outwards (positive volume)."""
    vertices, faces = np.asarray(vertices, float), np.asarray(faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    volume = np.einsum("ni,ni->", a - vertices[0], np.cross(b - vertices[0], c - vertices[0]))
    return Trimesh(vertices, faces[:, ::-1] if volume < 0 else faces, process=False)


def moved(
    mesh: Trimesh,
    at: ArrayLike = (0, 0, 0),
    yaw: float = 0.0,
    pitch: float = 0.0,
    roll: float = 0.0,
) -> Trimesh:
    """Return a copy rotated about x (roll), then y (pitch, positive lowers the nose), then z (yaw),
    then moved.
    """
    matrix = trimesh.transformations.euler_matrix(roll, pitch, yaw, "sxyz")
    return Trimesh(
        np.asarray(mesh.vertices) @ matrix[:3, :3].T + at, np.asarray(mesh.faces), process=False
    )


def moved_all(pieces: list[Piece], at: ArrayLike = (0, 0, 0), **turn: float) -> list[Piece]:
    """Rotate and move pieces together, each as `moved` does."""
    return [(name, material, moved(mesh, at, **turn)) for name, material, mesh in pieces]


def box(
    length: float, width: float, height: float, at: ArrayLike = (0, 0, 0), **turn: float
) -> Trimesh:
    """Build a box centred on `at`."""
    return moved(
        Trimesh(_CUBE.vertices * (length, width, height), _CUBE.faces, process=False), at, **turn
    )


def ball(radius: ArrayLike, at: ArrayLike = (0, 0, 0), detail: int = 1) -> Trimesh:
    """Build an ellipsoid with radii (x, y, z) or one radius."""
    mesh = trimesh.creation.icosphere(detail, 1.0)
    mesh.vertices *= np.broadcast_to(np.asarray(radius, float), 3)
    return moved(mesh, at)


def loft(rings: ArrayLike) -> Trimesh:
    """Build a closed tube through rings (R, N, 3) of equal length, capped by fans."""
    rings = np.asarray(rings, float)
    r, n, _ = rings.shape
    k = np.arange(n)
    after = (k + 1) % n
    vertices = np.concatenate([rings.reshape(-1, 3), rings[:1].mean(1), rings[-1:].mean(1)])
    caps = [
        np.stack([after, k, np.full(n, r * n)], -1),
        np.stack([(r - 1) * n + k, (r - 1) * n + after, np.full(n, r * n + 1)], -1),
    ]
    return closed(vertices, np.concatenate([_sides(r, n), *caps]))


def _sides(rings: int, n: int) -> Array:
    """Return the faces (2 (rings - 1) n, 3) between rings of n corners each."""
    low = np.arange((rings - 1) * n).reshape(-1, n)
    next_ = np.roll(low, -1, 1)
    faces = [np.stack([low, next_, next_ + n], -1), np.stack([low, next_ + n, low + n], -1)]
    return np.stack(faces, 1).reshape(-1, 3)


def tube(points: ArrayLike, radius: ArrayLike, sides: int = 6) -> Trimesh:
    """Build a round tube along a polyline (P, 3); `radius` is one number or one per point."""
    points = np.asarray(points, float)
    radius = np.broadcast_to(np.asarray(radius, float), len(points))
    along = np.gradient(points, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    u = np.empty_like(along)
    carried = np.array([0.0, 1, 0]) if abs(along[0, 1]) < 0.9 else np.array([1.0, 0, 0])
    # propagated along the line, so that the section does not flip where it turns
    for i, d in enumerate(along):
        carried = carried - d * (carried @ d)
        u[i] = carried = carried / np.linalg.norm(carried)
    v = np.cross(along, u)
    t = np.arange(sides) * 2 * np.pi / sides
    circle = np.cos(t)[:, None] * u[:, None] + np.sin(t)[:, None] * v[:, None]
    return loft(points[:, None] + radius[:, None, None] * circle)


def rod(a: ArrayLike, b: ArrayLike, radius: float, sides: int = 6) -> Trimesh:
    """Build a straight tube from a to b."""
    return tube([a, b], radius, sides)


def rounded(points: ArrayLike, radius: float, quad_segs: int = 2) -> Array:
    """Return a polygon (N, 2) with rounded corners, counter-clockwise."""
    shape = shapely.Polygon(np.asarray(points, float))
    soft = (
        shape.buffer(-radius, quad_segs=quad_segs)
        .buffer(2 * radius, quad_segs=quad_segs)
        .buffer(-radius, quad_segs=quad_segs)
    )
    soft = soft.simplify(radius * 0.05)
    return np.array(shapely.geometry.polygon.orient(soft).exterior.coords)[:-1]


def slab(
    profile: ArrayLike,
    width: float,
    bevel: float = 0.0,
    bend: Callable[[Array], Array] | None = None,
    rows: int = 2,
) -> Trimesh:
    """Extrude a side view (N, 2) of (x, z) points over y in +-width/2, with bevelled edges; `rows`
    is the number of rings across, so that `bend` (vertices -> vertices) can taper it.
    """
    shape = shapely.geometry.polygon.orient(
        shapely.Polygon(np.asarray(profile, float)).simplify(1e-6)
    )
    outline = np.array(shape.exterior.coords)[:-1]
    edge = np.roll(outline, -1, 0) - outline
    normal = np.c_[edge[:, 1], -edge[:, 0]]
    normal /= np.linalg.norm(normal, axis=1, keepdims=True) + 1e-12
    corner = normal + np.roll(normal, 1, 0)
    corner /= np.maximum((corner**2).sum(1, keepdims=True) / 2, 0.4)
    inner = outline - bevel * corner
    while bevel and not _insets(outline, inner):  # the bevel is reduced where the profile is narrow
        bevel = bevel * 0.6 if bevel > 1e-3 else 0.0
        inner = outline - bevel * corner
    half = width / 2
    across = np.linspace(-(half - bevel), half - bevel, max(rows, 2))
    rings = [(y, outline) for y in across]
    if bevel:
        rings = [(-half, inner), *rings, (half, inner)]
    n = len(outline)
    vertices = np.concatenate([np.c_[ring[:, 0], np.full(n, y), ring[:, 1]] for y, ring in rings])
    cap = triangles(inner)
    faces = [_sides(len(rings), n), cap[:, ::-1], cap + (len(rings) - 1) * n]
    mesh = closed(vertices, np.concatenate(faces))
    if bend is not None:
        mesh.vertices = bend(np.array(mesh.vertices))
    return mesh


def _insets(outline: Array, inner: Array) -> bool:
    """Return whether `inner` is a simple polygon whose edges have the directions of `outline`'s."""
    along = ((np.roll(inner, -1, 0) - inner) * (np.roll(outline, -1, 0) - outline)).sum(1)
    return bool((along > 0).all()) and shapely.Polygon(inner).is_valid


def plate(outline: ArrayLike, thickness: float, z: float = 0.0) -> Trimesh:
    """Build a flat sheet: the top view (N, 2) of (x, y) points, `thickness` high from `z`."""
    upright = slab(outline, thickness)
    v = np.array(upright.vertices)
    return closed(np.c_[v[:, 0], v[:, 2], v[:, 1] + z + thickness / 2], upright.faces)


def triangles(outline: Array) -> NDArray[np.int64]:
    """Triangulate a simple polygon; return the indices (T, 3), oriented like the outline seen from
    -y.
    """
    import mapbox_earcut

    cap = (
        mapbox_earcut.triangulate_float64(outline, np.array([len(outline)], np.uint32))
        .reshape(-1, 3)
        .astype(int)
    )
    a, b, c = outline[cap[:, 0]], outline[cap[:, 1]], outline[cap[:, 2]]
    turn = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    return np.where((turn < 0)[:, None], cap[:, ::-1], cap)


def lathe(profile: ArrayLike, sides: int = 12) -> Trimesh:
    """Build a solid of revolution about y: points (N, 2) of (radius, y), from one end of the axle
    to the other.
    """
    profile = np.asarray(profile, float)
    t = np.arange(sides) * 2 * np.pi / sides
    rings = np.stack(
        [
            np.c_[r * np.cos(t), np.full(sides, y), r * np.sin(t)]
            for r, y in zip(np.maximum(profile[:, 0], 1e-4), profile[:, 1])
        ]
    )
    return loft(rings)


def ring(
    radius: float, thickness: float, width: float | None = None, sides: int = 20, around: int = 6
) -> Trimesh:
    """Build a torus about y: centre-line `radius`, cross-section 2 thickness high and `width`
    across.
    """
    width = 2 * thickness if width is None else width
    t, s = np.arange(sides) * 2 * np.pi / sides, np.arange(around) * 2 * np.pi / around
    r = radius + thickness * np.cos(s)
    vertices = np.stack(
        [
            np.outer(np.cos(t), r),
            np.broadcast_to(width / 2 * np.sin(s), (sides, around)),
            np.outer(np.sin(t), r),
        ],
        -1,
    ).reshape(-1, 3)
    i, j = np.divmod(np.arange(sides * around), around)
    a, b = i * around + j, i * around + (j + 1) % around
    c, d = ((i + 1) % sides) * around + (j + 1) % around, ((i + 1) % sides) * around + j
    return closed(vertices, np.r_[np.c_[a, b, c], np.c_[a, c, d]])


def wheel(
    name: str,
    x: float,
    y: float,
    radius: float,
    width: float,
    rim: float = 0.62,
    disc: str = "chrome",
) -> list[Piece]:
    """Build a car's wheel standing on z = 0: tyre, and a disc of material `disc` on the outer
    side.
    """
    side = np.sign(y) if y else 1.0
    half = width / 2
    # (fraction of the radius, fraction of the half width) along the axle
    tread = [(rim, -1), (0.93, -1), (1, -0.6), (1, 0.6), (0.93, 1), (rim, 1)]
    dish = [(0, -0.7), (rim, -0.7), (rim, 1.02), (rim * 0.8, 1.05), (0.2, 0.9), (0, 1.05)]
    # a multiple of 4, so that a vertex is on the ground
    tyre = lathe(np.multiply(tread, (radius, half)), 16)
    inner = lathe(np.multiply(dish, (radius, half)), 12)
    if side < 0:
        inner = moved(inner, yaw=np.pi)
    at = (x, y, radius)
    return solid(name, "tyre", moved(tyre, at)) + solid(name, disc, moved(inner, at))


def spoked_wheel(
    name: str, x: float, radius: float, tyre: float, materials: tuple[str, str], spokes: int = 12,
    hub: float = 0.05, y: float = 0.0, spoke: float = 0.006,
) -> list[Piece]:  # fmt: skip
    """Build a cycle's wheel on z = 0: tyre ring (first material), rim, spokes and hub (second)."""
    outer, inner = materials
    middle = radius - tyre
    pieces = solid(name, outer, ring(middle, tyre, sides=24))
    pieces += solid(name, inner, ring(middle - tyre * 1.1, tyre * 0.5, sides=20, around=4))
    pieces += solid(
        name, inner, lathe([(0, -hub), (hub * 0.5, -hub), (hub * 0.5, hub), (0, hub)], 8)
    )
    for k in range(spokes):
        t = 2 * np.pi * k / spokes
        end = np.array([np.cos(t), 0, np.sin(t)]) * (middle - tyre)
        pieces += solid(name, inner, rod((0, hub * (0.7 if k % 2 else -0.7), 0), end, spoke, 4))
    return moved_all(pieces, (x, y, radius))


def wing(
    root: Sequence[float], tip: Sequence[float], chord: tuple[float, float], thick: float = 0.12
) -> Trimesh:
    """Build a tapered aerofoil from `root` to `tip` (leading-edge points), chords along -x, with
    `thick` as a fraction of the chord. Works for wings, tailplanes and fins: the thickness is
    across the span.
    """
    root, tip = np.asarray(root, float), np.asarray(tip, float)
    span = tip - root
    up = np.cross([1.0, 0, 0], span)
    up /= np.linalg.norm(up)
    if up[2] < 0 or (abs(up[2]) < 1e-6 and up[1] < 0):
        up = -up
    u = np.array([0, 0.08, 0.3, 0.65, 1.0])
    y = thick / 2 * np.array([0.15, 0.7, 1.0, 0.7, 0.08])
    foil = np.r_[np.c_[u, y], np.c_[u, -y * 0.7][::-1]]
    rings = []
    for s in (0.0, 1.0):
        c = chord[0] + (chord[1] - chord[0]) * s
        rings.append(root + span * s - foil[:, :1] * c * [1, 0, 0] + foil[:, 1:] * c * up)
    return loft(rings)


def hull(stations: ArrayLike, sides: int = 12, square: float = 1.0) -> Trimesh:
    """Build a body along x through `stations` (S, 4) of (x, half width, lowest z, highest z):
    elliptic for square = 1, closer to a box towards 0.
    """
    t = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    across, up = (np.sign(f) * np.abs(f) ** square for f in (np.cos(t), np.sin(t)))
    x, half, low, high = np.asarray(stations, float).T[:, :, None]
    y, z = half * across, (low + high) / 2 + (high - low) / 2 * up
    return loft(np.stack([np.broadcast_to(x, y.shape), y, z], -1))
