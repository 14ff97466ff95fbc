"""Parametric shapes of outdoor things."""

import functools

import numpy as np

from po3d.seeding import rng
from po3d.synthesis.assets import animal_shapes, people_shapes
from po3d.synthesis.assets.mesh import Mesh, assemble
from po3d.synthesis.assets.room_shapes import _color
from po3d.synthesis.assets.shape_parts import Generator, Palettes, palette_colors
from po3d.synthesis.environment import RGB

VARIANTS = 12  # of each category

SHAPES: dict[str, Generator] = {**people_shapes.SHAPES, **animal_shapes.SHAPES}
PALETTES: dict[str, Palettes] = {**people_shapes.PALETTES, **animal_shapes.PALETTES}


@functools.cache
def shape(category: str, variant: int) -> tuple[Mesh, dict[str, RGB]]:
    """The mesh and its own colours (linear, by part); KeyError for a category that has no shape here."""
    random = rng(variant, f"outdoor shape/{category}")
    pieces = SHAPES[category](random)
    points = np.concatenate([np.asarray(piece.vertices) for _, _, piece in pieces])
    mesh = assemble(pieces, points.max(0) - points.min(0))
    colors = palette_colors(mesh, PALETTES.get(category, {}), random)
    for part in mesh.parts:
        if part.material == "paint" and part.name not in {"main", *colors}:
            colors[part.name] = _color(random)
    return mesh, colors
