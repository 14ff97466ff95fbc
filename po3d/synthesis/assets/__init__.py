"""The 21 vehicle types of Super-CLEVR as parametric meshes."""

import functools
import importlib
import zlib

import numpy as np

from po3d.synthesis.assets.mesh import Mesh, Part, assemble
from po3d.vocabulary import EXTENTS, ORIGIN_HEIGHT, PARENT

__all__ = ["Mesh", "Part", "vehicle"]

_MODULES = {"car": "cars", "bus": "buses", "motorbike": "motorbikes", "aeroplane": "aeroplanes", "bicycle": "bicycles"}


@functools.lru_cache(maxsize=2048)
def vehicle(shape: str, seed: int) -> Mesh:
    """Variant `seed` of a leaf type at unit scale, with the benchmark's extents. Equal arguments give equal bytes."""
    module = importlib.import_module(f"po3d.synthesis.assets.{_MODULES[PARENT[shape]]}")
    rng = np.random.default_rng([seed, zlib.crc32(shape.encode())])
    return assemble(module.MAKERS[shape](rng), EXTENTS[shape], ORIGIN_HEIGHT[shape])
