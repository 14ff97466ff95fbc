"""Meshes of furniture libraries: a catalogue entry's OBJ file, scaled, coloured and smoothed."""

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import trimesh
from numpy.typing import NDArray
from PIL import Image
from trimesh.exchange.obj import load_obj
from trimesh.geometry import triangulate_quads

from po3d.io.errors import InputError
from po3d.scene.geometry import rotation_z
from po3d.synthesis.furniture.libraries import Array, CatalogueEntry, Members, member_bytes, opened
from po3d.synthesis.render.environment import RGB, Finish, rgb, to_linear
from po3d.synthesis.render.instances import MAX_PARTS, PlacedMesh
from po3d.synthesis.shapes.mesh import Mesh, Part, creased

MAX_FACES = 300_000
# largest number of faces at a vertex for smooth normals: time grows with its square
MAX_VALENCE = 64
SHADES = 6  # parts per textured material, which keeps windows drawn on a texture
GLASS, INVISIBLE = 0.7, 0.05  # opacities below which a surface is a window pane, and invisible
NEUTRAL = 0.3  # spread of a pane's sRGB channels above which it is a coloured lamp

# what trimesh raises for a malformed OBJ file
MALFORMED = (ValueError, IndexError, TypeError, KeyError, AttributeError, OverflowError)

# Object axes (x front, y left, z up) from model axes (x right of a person facing it, y up, z
# front).
object_R_model = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


class LibraryMesh(NamedTuple):
    """A mesh in metres and the linear colour of each part except glass, by part name."""

    mesh: Mesh
    colors: Mapping[str, RGB]

    @property
    def extent(self) -> tuple[float, float, float]:
        """Length, width, height in metres."""
        length, width, height = (self.mesh.vertices.max(0) - self.mesh.vertices.min(0)).tolist()
        return length, width, height

    def placed(
        self, scale: float, position: tuple[float, float], heading: float, finish: Finish
    ) -> PlacedMesh:
        """Return the renderer's input in the model's own colours; `scale` in world units per
        metre.
        """
        return PlacedMesh(self.mesh, scale, position, heading, (0.5, 0.5, 0.5), finish, self.colors)


def load_model(entry: CatalogueEntry, turn: float = 0.0) -> LibraryMesh:
    """Load the entry's mesh with colours, at its catalogue size in metres, centred on its footprint
    and standing on z = 0.

    The front is +x; `turn` (radians, about +z) corrects an entry with another front. Parts are
    named after the MTL's materials. A textured material becomes up to SHADES parts with the mean
    colours of their faces, "name", "name.1" ...; if the library lacks the texture, the material
    keeps its diffuse colour. Raise InputError if a file is missing, damaged, too large or has no
    volume.
    """
    where = f"furniture library {entry.library}, model {entry.model}"
    surfaces = _read_surfaces(entry, where)
    object_T_file = rotation_z(turn) @ object_R_model @ _model_T_file(entry, surfaces, where)
    parts: list[Part] = []
    colors: dict[str, RGB] = {}
    shapes: list[_Shape] = []
    for surface, (part, color, faces_of) in _pieces(surfaces):
        shape = _smooth(surface.vertices @ object_T_file.T, faces_of)
        if not len(shape[2]):  # all faces have zero area
            continue
        shapes.append(shape)
        parts.append(part)
        if color is not None:
            colors[part.name] = color
    if not 0 < len(parts) <= MAX_PARTS:
        raise InputError(
            f"{where}: {len(parts)} visible parts; between 1 and {MAX_PARTS} are supported"
        )
    return LibraryMesh(_joined(shapes, parts), colors)


def _read_surfaces(entry: CatalogueEntry, where: str) -> list["_Surface"]:
    """Read the surfaces of a model, in the coordinates of its file; `where`: its name in errors."""
    with opened(entry.library) as archive:
        text = member_bytes(archive, entry.library, entry.model)
        members = Members(archive, entry)
        try:
            geometry = load_obj(io.BytesIO(text), resolver=members).get("geometry", {})
        except MALFORMED as error:
            raise InputError(
                f"{where}: not a readable OBJ file ({type(error).__name__}: {error})"
            ) from None
    if members.error is not None:
        raise members.error
    return list(map(_Surface.of, geometry.values()))


def _model_T_file(entry: CatalogueEntry, surfaces: Sequence["_Surface"], where: str) -> Array:
    """Return the (3, 3) rotation and scale from a model's file to its catalogue size."""
    points = np.concatenate(
        [s.vertices[s.faces].reshape(-1, 3) for s in surfaces] or [np.zeros((0, 3))]
    )
    faces = len(points) // 3
    if not 0 < faces <= MAX_FACES or not np.isfinite(points).all():
        raise InputError(
            f"{where}: {faces} triangles; between 1 and {MAX_FACES} with finite vertices are"
            " supported"
        )
    model_R_file = np.reshape(entry.rotation, (3, 3))
    points = points @ model_R_file.T
    low, high = points.min(0), points.max(0)
    if (high - low).min() <= 1e-9 * (high - low).max():
        raise InputError(
            f"{where}: a flat model cannot be scaled to the catalogue's height, width and depth"
        )
    width, depth, height = entry.size
    return np.diag(np.array([width, height, depth]) / 100 / (high - low)) @ model_R_file


# with its linear colour (None for glass) and its faces
_Piece = tuple[Part, RGB | None, NDArray[np.int64]]


def _pieces(surfaces: Sequence["_Surface"]) -> list[tuple["_Surface", _Piece]]:
    """Return the shapes of all surfaces, with fewer texture shades if there would be too many
    parts.
    """
    pieces: list[tuple[_Surface, _Piece]] = []
    for shades in range(SHADES, 0, -1):
        pieces = [(surface, piece) for surface in surfaces for piece in surface.parts(shades)]
        if len(pieces) <= MAX_PARTS:
            break
    return pieces


# Triangles with smooth normals: vertices (V, 3), unit normals (V, 3), faces (F, 3).
_Shape = tuple[Array, Array, NDArray[np.int64]]


def _joined(shapes: Sequence[_Shape], parts: Sequence[Part]) -> Mesh:
    """Join shapes into one mesh, one part per shape, centred on its footprint and standing on z =
    0.
    """
    all_vertices, all_normals, all_faces = zip(*shapes)
    count = list(map(len, all_vertices))
    offset = np.cumsum([0, *count[:-1]])
    vertices = np.concatenate(all_vertices)
    low, high = vertices.min(0), vertices.max(0)
    vertices = vertices - (*(low + high)[:2] / 2, low[2])
    faces = np.concatenate([faces + first for faces, first in zip(all_faces, offset)])
    normals = np.concatenate(all_normals)
    part = np.repeat(np.arange(len(parts)), count).astype(np.uint8)
    return Mesh(
        vertices.astype(np.float32),
        normals.astype(np.float32),
        part,
        faces.astype(np.int32),
        tuple(parts),
    )


def _smooth(vertices: Array, faces: NDArray[np.int64]) -> _Shape:
    """Compute smooth normals as `mesh.assemble` does, for files of any size."""
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    # texture coordinates split smooth vertices
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    _, *shape = creased(np.array(mesh.vertices), np.array(mesh.faces), MAX_VALENCE)
    return tuple(shape)


class _Surface(NamedTuple):
    """The triangles of one material, in the file's axes."""

    vertices: Array  # (V, 3)
    faces: NDArray[np.int64]  # (F, 3)
    uv: Array | None  # (V, 2)
    name: str
    color: Array  # (3,) sRGB in [0, 1]
    opacity: float
    texture: Image.Image | None

    @classmethod
    def of(cls, kwargs: Mapping[str, Any]) -> "_Surface":
        """Convert trimesh's geometry."""
        uv, material = (
            getattr(kwargs["visual"], "uv", None),
            getattr(kwargs["visual"], "material", None),
        )
        vertices, faces = np.asarray(kwargs["vertices"], float), triangulate_quads(kwargs["faces"])
        if material is None or not material.name:
            return cls(vertices, faces, None, "plain", np.full(3, 0.6), 1.0, None)
        options = material.kwargs
        opacity = (
            _number(options.get("d"), 1.0)
            if "d" in options
            else 1 - _number(options.get("tr"), 0.0)
        )
        uv = None if uv is None or len(uv) != len(vertices) else np.asarray(uv, float)[:, :2]
        color = np.asarray(material.diffuse[:3], float) / 255
        return cls(vertices, faces, uv, material.name, color, opacity, material.image)

    def parts(self, shades: int) -> Iterator["_Piece"]:
        """Return the visible shapes; a texture is split into at most `shades` parts."""
        if self.opacity < INVISIBLE:
            return
        if self.texture is None and self.opacity < GLASS and np.ptp(self.color) < NEUTRAL:
            yield Part(self.name, "glass"), None, self.faces
            return
        shade, palette = self._shades(shades)
        for k, color in enumerate(palette):
            name = self.name if k == 0 else f"{self.name}.{k}"
            yield Part(name, "paint"), rgb(color, 0.002, 0.95), self.faces[shade == k]

    def _shades(self, most: int) -> tuple[NDArray[np.int64], Array]:
        """Return the shade of each face (F,), -1 where its texture is transparent, and the linear
        colours (S, 3) of the shades.
        """
        if self.texture is None:
            return np.zeros(len(self.faces), int), to_linear(self.color)[None]
        rgba = np.asarray(self.texture.convert("RGBA"), float) / 255
        if self.uv is None or not np.isfinite(self.uv).all():
            mean_color = np.tile(rgba.reshape(-1, 4).mean(0), (len(self.faces), 1))
        else:
            height, width = rgba.shape[:2]
            at = np.einsum("sk,fkd->fsd", _BARYCENTRIC, self.uv[self.faces]) % 1.0
            row = np.minimum(((1 - at[..., 1]) * height).astype(int), height - 1)
            sample = rgba[row, np.minimum((at[..., 0] * width).astype(int), width - 1)]
            sample[..., :3] *= sample[..., 3:]
            mean_color = sample.mean(1)
            mean_color[:, :3] /= np.maximum(mean_color[:, 3:], 1e-6)
        there = mean_color[:, 3] >= INVISIBLE
        shade = np.full(len(self.faces), -1)
        if there.any():
            pixels = np.uint8(np.round(mean_color[there, :3] * 255))[None]
            indices = np.asarray(Image.fromarray(pixels).quantize(most, Image.Quantize.MEDIANCUT))[
                0
            ]
            shade[there] = np.unique(indices, return_inverse=True)[1]
        count = shade.max() + 1
        palette = [to_linear(mean_color[shade == k, :3]).mean(0) for k in range(count)]
        return shade, np.reshape(palette, (count, 3))


def _lattice(n: int) -> Array:
    """Return barycentric points (S, 3) spread inside a triangle."""
    i, j = np.nonzero(np.tri(n)[::-1])
    i, j = i + 1 / 3, j + 1 / 3
    return np.stack([i / n, j / n, 1 - (i + j) / n], 1)


_BARYCENTRIC = _lattice(5)


def _number(words: Sequence[str] | None, default: float) -> float:
    try:
        return float(words[-1]) if words else default
    except ValueError:
        return default
