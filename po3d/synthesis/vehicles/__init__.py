"""The 21 vehicle types of Super-CLEVR as parametric meshes."""

import functools
import importlib
import zlib
from pathlib import Path

import numpy as np

from po3d.io.errors import InputError
from po3d.scene.vocabulary import EXTENTS, PARENT, SHAPES
from po3d.synthesis.shapes.mesh import Mesh, Part, Piece, assemble, read_mesh, write_mesh
from po3d.synthesis.vehicles import official_types
from po3d.synthesis.vehicles.cars import WIDE_MAKERS
from po3d.synthesis.vehicles.forms import Forms, deep_roof, nearest_seed, seats, thicker, warped

__all__ = ["Mesh", "Part", "keep_meshes", "vehicle"]

# Each module has MAKERS: leaf type -> function that samples the pieces of one variant with a
# Generator.
_MODULES = {
    "car": "cars",
    "bus": "buses",
    "motorbike": "motorbikes",
    "aeroplane": "aeroplanes",
    "bicycle": "bicycles",
}


_cache_folder: Path | None = None


def keep_meshes(folder: Path) -> None:
    """Share generated meshes with other processes through `folder` from now on: generating one
    takes 60 ms.
    """
    global _cache_folder
    folder.mkdir(parents=True, exist_ok=True)
    _cache_folder = folder


@functools.lru_cache(maxsize=4096)
def vehicle(shape: str, seed: int, forms: Forms = "own") -> Mesh:
    """Return variant `seed` of a leaf type at unit scale, with the benchmark's extents: of our own
    shapes, or modelled on the official ones (forms.py). Equal arguments give equal bytes.
    """
    if shape not in SHAPES:
        raise InputError(f"unknown vehicle shape {shape!r}: choose one of {', '.join(SHAPES)}")
    path = None if _cache_folder is None else _cache_folder / f"{forms}_{shape}_{seed}.npz"
    if path is not None and path.exists():
        return read_mesh(path)
    mesh = _mesh_of(shape, seed, forms)
    if path is not None:
        write_mesh(path, mesh)
    return mesh


def _mesh_of(shape: str, seed: int, forms: Forms) -> Mesh:
    if forms == "own":
        return assemble(draw(shape, seed), EXTENTS[shape])
    pieces = thicker(draw(shape, nearest_seed(shape, seed), forms))
    rng = np.random.default_rng([seed, zlib.crc32(f"official {shape}".encode())])
    pieces += seats(pieces, rng)
    if PARENT[shape] == "bus":
        roofs = np.random.default_rng([seed, zlib.crc32(f"roof {shape}".encode())])
        pieces = deep_roof(pieces, roofs)
    return assemble(pieces, EXTENTS[shape], lambda points: warped(points, shape, rng))


def draw(shape: str, seed: int, forms: Forms = "own") -> list[Piece]:
    """Return the pieces of a variant before scaling; equal for both `forms`, except for types in
    official_types.py and for cars, whose official form has wider ranges."""
    own_makers = importlib.import_module(
        f"po3d.synthesis.vehicles.{_MODULES[PARENT[shape]]}"
    ).MAKERS
    makers = own_makers
    if forms == "official":
        makers = {**own_makers, **WIDE_MAKERS, **official_types.MAKERS}
    return makers[shape](np.random.default_rng([seed, zlib.crc32(shape.encode())]))
