"""Registry of our own parametric shapes: category and variant to a mesh with its colours.

A shape consists of pieces of about real size, front +x; the renderer scales it to its box. Parts
named "main" take the scene's colour, if it has one. `shape_palettes.csv` lists typical colours of
other parts, one of which is drawn and varied for each variant; paint without a palette gets a
random muted colour.
"""

import importlib

import numpy as np

from po3d.io.seeding import rng
from po3d.synthesis.render.environment import RGB
from po3d.synthesis.shapes import chairs, furnishing, tables
from po3d.synthesis.shapes.mesh import Generator, Mesh, assemble
from po3d.synthesis.shapes.palettes import muted, palette_colors, palettes

_NAMES = (
    "appliance",
    "container",
    "crockery",
    "cupboard",
    "device",
    "fixture",
    "food",
    "kitchen",
    "leisure",
    "ornament",
    "outdoor",
    "people",
    "animal",
    "toy",
    "garden",
    "balls",
    "wheeled",
    "pushed",
    "room",
    "seat",
    "wearable",
    "furnishing",
    "chairs",
    "tables",
)
# Each module has SHAPES: category -> function that samples the pieces of one variant with a
# Generator.
MODULES = tuple(importlib.import_module(f"po3d.synthesis.shapes.{name}") for name in _NAMES)
SHAPES: dict[str, Generator] = {
    name: make for module in MODULES for name, make in module.SHAPES.items()
}
# Categories with catalogue models in every split; our shapes only add variety in training.
TRAIN_ONLY = frozenset({**furnishing.SHAPES, **chairs.SHAPES, **tables.SHAPES})


def shape(category: str, variant: int) -> tuple[Mesh, dict[str, RGB]]:
    """Return the mesh and its own colours (linear, by part). Raise KeyError for a category without
    a shape.
    """
    random = rng(variant, f"shape/{category}")
    pieces = SHAPES[category](random)
    points = np.concatenate([np.asarray(piece.vertices) for _, _, piece in pieces])
    mesh = assemble(pieces, points.max(0) - points.min(0))
    colors = palette_colors(mesh, palettes().get(category, {}), random)
    for part in mesh.parts:
        if part.material == "paint" and part.name not in {"main", *colors}:
            colors[part.name] = muted(random)
    return mesh, colors
