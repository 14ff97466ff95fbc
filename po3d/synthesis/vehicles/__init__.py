"""The 21 vehicle types of Super-CLEVR as parametric meshes."""

import functools
import importlib
import zlib
from pathlib import Path

import numpy as np

from po3d.io.errors import InputError
from po3d.scene.vocabulary import EXTENTS, PARENT, SHAPES
from po3d.synthesis.shapes.mesh import Mesh, Part, assemble, read_mesh, write_mesh

__all__ = ["Mesh", "Part", "keep_meshes", "vehicle"]

# Each module has MAKERS: leaf type -> function that draws the pieces of one variant from a Generator.
_MODULES = {
    "car": "cars",
    "bus": "buses",
    "motorbike": "motorbikes",
    "aeroplane": "aeroplanes",
    "bicycle": "bicycles",
}


_kept: Path | None = None


def keep_meshes(folder: Path) -> None:
    """From now on this process shares the meshes it makes with others through `folder`: to make one takes 60 ms."""
    global _kept
    folder.mkdir(parents=True, exist_ok=True)
    _kept = folder


@functools.lru_cache(maxsize=2048)
def vehicle(shape: str, seed: int) -> Mesh:
    """Variant `seed` of a leaf type at unit scale, with the benchmark's extents. Equal arguments give equal
    bytes."""
    if shape not in SHAPES:
        raise InputError(f"unknown vehicle shape {shape!r}: choose one of {', '.join(SHAPES)}")
    path = None if _kept is None else _kept / f"{shape}_{seed}.npz"
    if path is not None and path.exists():
        return read_mesh(path)
    mesh = _made(shape, seed)
    if path is not None:
        write_mesh(path, mesh)
    return mesh


def _made(shape: str, seed: int) -> Mesh:
    module = importlib.import_module(f"po3d.synthesis.vehicles.{_MODULES[PARENT[shape]]}")
    rng = np.random.default_rng([seed, zlib.crc32(shape.encode())])
    return assemble(module.MAKERS[shape](rng), EXTENTS[shape])
