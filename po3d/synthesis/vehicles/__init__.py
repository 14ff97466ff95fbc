"""The 21 vehicle types of Super-CLEVR as parametric meshes."""

import functools
import importlib
import zlib

import numpy as np

from po3d.io.errors import InputError
from po3d.scene.vocabulary import EXTENTS, PARENT, SHAPES
from po3d.synthesis.shapes.mesh import Mesh, Part, assemble

__all__ = ["Mesh", "Part", "vehicle"]

# Each module has MAKERS: leaf type -> function that draws the pieces of one variant from a Generator.
_MODULES = {
    "car": "cars",
    "bus": "buses",
    "motorbike": "motorbikes",
    "aeroplane": "aeroplanes",
    "bicycle": "bicycles",
}


@functools.lru_cache(maxsize=2048)
def vehicle(shape: str, seed: int) -> Mesh:
    """Variant `seed` of a leaf type at unit scale, with the benchmark's extents. Equal arguments give equal
    bytes."""
    if shape not in SHAPES:
        raise InputError(f"unknown vehicle shape {shape!r}: choose one of {', '.join(SHAPES)}")
    module = importlib.import_module(f"po3d.synthesis.vehicles.{_MODULES[PARENT[shape]]}")
    rng = np.random.default_rng([seed, zlib.crc32(shape.encode())])
    return assemble(module.MAKERS[shape](rng), EXTENTS[shape])
