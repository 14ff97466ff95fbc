"""Our own parametric shapes, all of them: category and variant to a mesh with its colours.

A shape is pieces about as large as the thing, front +x; the renderer stretches it to its box. Parts called "main" take
the colour that the scene says, where it says one. `shape_palettes.csv` has what other parts are usually coloured, one of
which is drawn and varied for each variant; paint without a palette gets a random muted colour.
"""

import importlib

import numpy as np

from po3d.io.seeding import rng
from po3d.synthesis.render.environment import RGB
from po3d.synthesis.shapes import furnishing
from po3d.synthesis.shapes.mesh import Generator, Mesh, assemble
from po3d.synthesis.shapes.palettes import muted, palette_colors, palettes

_NAMES = (
    "appliance", "container", "crockery", "cupboard", "device", "fixture", "food", "kitchen", "leisure", "ornament", "outdoor",
    "people", "animal", "toy", "garden", "balls", "wheeled", "pushed", "room", "seat", "wearable", "furnishing",
)  # fmt: skip
# Each has SHAPES: category -> function that draws the pieces of one variant from a Generator.
MODULES = tuple(importlib.import_module(f"po3d.synthesis.shapes.{name}") for name in _NAMES)
SHAPES: dict[str, Generator] = {name: make for module in MODULES for name, make in module.SHAPES.items()}
# Categories of which the catalogue has models for every split; ours are more families for training alone.
TRAIN_ONLY = frozenset(furnishing.SHAPES)


def shape(category: str, variant: int) -> tuple[Mesh, dict[str, RGB]]:
    """The mesh and its own colours (linear, by part); KeyError for a category that has no shape."""
    random = rng(variant, f"shape/{category}")
    pieces = SHAPES[category](random)
    points = np.concatenate([np.asarray(piece.vertices) for _, _, piece in pieces])
    mesh = assemble(pieces, points.max(0) - points.min(0))
    colors = palette_colors(mesh, palettes().get(category, {}), random)
    for part in mesh.parts:
        if part.material == "paint" and part.name not in {"main", *colors}:
            colors[part.name] = muted(random)
    return mesh, colors
