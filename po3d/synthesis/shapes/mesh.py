"""Triangle meshes with named parts, and their assembly from pieces at exact size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh
from numpy.typing import ArrayLike, NDArray

from po3d.io.files import atomic_write

MATERIALS = ("paint", "glass", "tyre", "chrome", "dark", "lamp", "tail", "white", "wood", "seat")
LONGEST = 0.1  # longest edge of a mesh before warping, as a fraction of its longest side
CREASE = np.radians(35.0)  # faces that meet at a smaller angle share a smooth normal

Piece = tuple[str, str, trimesh.Trimesh]  # part name, material, geometry
Random = np.random.Generator
Generator = Callable[[Random], list[Piece]]


def solid(name: str, material: str, *meshes: trimesh.Trimesh) -> list[Piece]:
    """Return pieces of one part."""
    return [(name, material, mesh) for mesh in meshes]


def painted(name: str, *meshes: trimesh.Trimesh) -> list[Piece]:
    """Return pieces of one part in the object's colour, or in a colour of its own."""
    return solid(name, "paint", *meshes)


def main(*meshes: trimesh.Trimesh) -> list[Piece]:
    """Return pieces that take the scene's colour."""
    return painted("main", *meshes)


def named(*makers: Generator) -> dict[str, Generator]:
    """Return generators by category, which is the name of their function."""
    return {make.__name__.strip("_").replace("_", " "): make for make in makers}


def pick(random: Random, *words: str, p: ArrayLike | None = None) -> str:
    """Draw one of the words."""
    return str(random.choice(words, p=p))


@dataclass(frozen=True)
class Part:
    """A named part; `paint` has the object's colour, every other material its own."""

    name: str
    material: str


@dataclass(frozen=True)
class Mesh:
    """Unit-scale mesh: x forward, y left, z up, wheels on z = 0, bounding box centred in x and
    y.
    """

    vertices: NDArray[np.float32]  # (V, 3)
    normals: NDArray[np.float32]  # (V, 3) unit
    part: NDArray[np.uint8]  # (V,) index into parts
    faces: NDArray[np.int32]  # (F, 3) counter-clockwise seen from outside
    parts: tuple[Part, ...]


def assemble(
    pieces: Sequence[Piece],
    extent: Sequence[float],
    warp: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
) -> Mesh:
    """Build the mesh of all pieces, scaled along each axis so that its bounding box is exactly
    `extent` (length, width, height), centred in x and y, standing on z = 0. With a `warp` its
    points are then moved and scaled back to the box. Pieces of one name and material become one
    part.
    """
    parts: list[Part] = []
    part_ids, corners, faces, count = [], [], [], 0
    for name, material, piece in pieces:
        if material not in MATERIALS:
            raise ValueError(
                f"part {name}: unknown material {material!r}; known: {', '.join(MATERIALS)}"
            )
        part = Part(name, material)
        if part not in parts:
            parts.append(part)
        corners.append(np.asarray(piece.vertices))
        faces.append(np.asarray(piece.faces) + count)
        part_ids.append(np.full(len(corners[-1]), parts.index(part), np.uint8))
        count += len(corners[-1])
    points, triangles, ids = (
        boxed(np.concatenate(corners), extent),
        np.concatenate(faces),
        np.concatenate(part_ids),
    )
    if warp is not None:
        points, triangles, origin = _split(points, triangles, LONGEST * float(max(extent)))
        points, ids = boxed(warp(points), extent), ids[origin]
    source, vertices, normals, triangles = creased(points, triangles)
    return Mesh(
        vertices.astype(np.float32), normals.astype(np.float32), ids[source],
        triangles.astype(np.int32), tuple(parts),
    )  # fmt: skip


def write_mesh(path: Path, mesh: Mesh, **more: NDArray) -> None:
    """Write a mesh as .npz: its arrays, the names and materials of its parts, and the arrays
    `more`.
    """
    parts = np.array([(part.name, part.material) for part in mesh.parts])
    arrays = {
        "vertices": mesh.vertices,
        "normals": mesh.normals,
        "part": mesh.part,
        "faces": mesh.faces,
    }
    with atomic_write(path, "wb") as file:
        np.savez(file, **arrays, parts=parts, **more)


def read_mesh(path: Path) -> Mesh:
    """Read a mesh written by `write_mesh`."""
    with np.load(path) as file:
        parts = tuple(Part(*map(str, row)) for row in file["parts"])
        return Mesh(file["vertices"], file["normals"], file["part"], file["faces"], parts)


def spread(
    mesh: Mesh, count: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Sample points evenly on the surface: the face of each (count,), the points (count, 3), and
    the normals (F, 3) of all faces, whose length is twice their area.
    """
    a, b, c = mesh.vertices[mesh.faces].astype(float).transpose(1, 0, 2)
    cross = np.cross(b - a, c - a)
    area, k = np.linalg.norm(cross, axis=1), np.arange(count)
    face = np.searchsorted(np.cumsum(area), (k + 0.5) / count * area.sum()).clip(0, len(area) - 1)
    u, v = (k[:, None] * np.array([0.7548777, 0.5698403]) % 1).T  # R2 sequence
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    return face, a[face] + u[:, None] * (b - a)[face] + v[:, None] * (c - a)[face], cross


def boxed(points: NDArray[np.float64], extent: Sequence[float]) -> NDArray[np.float64]:
    """Scale points (n, 3) along each axis and move them so that their box is `extent`, centred in x
    and y, on z = 0.
    """
    low, high = points.min(0), points.max(0)
    scale = np.asarray(extent, float) / (high - low)
    offset = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    return (points - offset) * scale


def _split(
    points: NDArray[np.float64], faces: NDArray[np.int64], longest: float
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Subdivide triangles until all edges are at most `longest`, so that a warp bends a large face
    as it bends the pieces on it. Return points, faces, and for each point the index of an original
    point on a common face.
    """
    origin = np.arange(len(points))
    while True:
        edges = np.sort(np.stack([faces, np.roll(faces, -1, 1)], -1), -1).reshape(-1, 2)
        keys, inverse = np.unique(edges @ (len(points), 1), return_inverse=True)
        unique = np.stack(np.divmod(keys, len(points)), -1)
        long = np.linalg.norm(np.subtract(*points[unique.T]), axis=1) > longest
        if not long.any():
            return points, faces, origin
        middle = np.full(len(unique), -1)
        middle[long] = len(points) + np.arange(long.sum())
        points = np.concatenate([points, points[unique[long]].mean(1)])
        origin = np.concatenate([origin, origin[unique[long, 0]]])
        middle = middle[inverse.reshape(-1, 3)]
        halved = middle >= 0
        # Rotated so that the first edge is halved and, if two are, the second one too.
        turn = np.where(halved.sum(1) == 2, (halved.argmin(1) + 1) % 3, halved.argmax(1))
        order = (turn[:, None] + np.arange(3)) % 3
        (a, b, c), (ab, bc, ca) = (np.take_along_axis(x, order, 1).T for x in (faces, middle))
        count = halved.sum(1)
        faces = np.concatenate(
            [
                faces[count == 0],
                *(np.stack(t, -1)[count == 1] for t in ((a, ab, c), (ab, b, c))),
                *(np.stack(t, -1)[count == 2] for t in ((ab, b, bc), (a, ab, bc), (a, bc, c))),
                *(
                    np.stack(t, -1)[count == 3]
                    for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
                ),
            ]
        )


def creased(
    vertices: NDArray[np.float64], faces: NDArray[np.int64], most: int | None = None
) -> tuple[np.ndarray, ...]:
    """Split vertices at creases; return the original vertex of each, positions, unit normals,
    faces.

    A corner's normal is the mean of the adjacent faces' normals (weighted by area) that differ from
    its own face by less than CREASE. Faces without area are omitted. If more than `most` faces meet
    at a vertex, each has its own normal, because time grows with their square.
    """
    tri = vertices[faces]
    cross = np.cross(tri[:, 1] - tri[:, 0], tri[:, 2] - tri[:, 0])
    area = np.linalg.norm(cross, axis=1)
    faces, cross, area = faces[area > 1e-12], cross[area > 1e-12], area[area > 1e-12]
    unit = cross / area[:, None]
    if most is not None:
        crowded = (np.bincount(faces.ravel(), minlength=1) > most)[faces]
        first = len(vertices)
        vertices = np.concatenate([vertices, vertices[faces[crowded]]])
        faces[crowded] = np.arange(first, len(vertices))
    vertex = faces.ravel()
    around = np.bincount(vertex, minlength=len(vertices))  # number of faces at each vertex
    by_vertex, start = np.argsort(vertex, kind="stable"), np.cumsum(around) - around
    many = around[vertex]
    corner = np.repeat(np.arange(len(vertex)), many)
    step = np.arange(len(corner)) - np.repeat(np.cumsum(many) - many, many)
    other = by_vertex[np.repeat(start[vertex], many) + step] // 3
    alike = (unit[other] * unit[corner // 3]).sum(1) > np.cos(CREASE)
    corner, other = corner[alike], other[alike]
    sums = [np.bincount(corner, cross[other, k], len(vertex)) for k in range(3)]
    normals = np.stack(sums, 1).astype(float)  # bincount returns integers for empty input
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-20)
    x, y, z = np.round(normals * 500).astype(np.int64).T + 512  # 10 bits each
    key = ((vertex * 1024 + x) * 1024 + y) * 1024 + z  # merge vertices of equal normal
    _, chosen, inverse = np.unique(key, return_index=True, return_inverse=True)
    source = vertex[chosen]
    return source, vertices[source], normals[chosen], inverse.reshape(-1, 3)
