"""Our own parametric shapes, all of them: category and variant to a mesh with its colours.

A shape is pieces about as large as the thing, front +x; the renderer stretches it to its box. Parts called "main" take
the colour that the scene says, where it says one. Palettes have what parts are usually coloured, one of which is drawn
and varied for each variant; paint without a palette gets a random muted colour.
"""

import numpy as np

from po3d.seeding import rng
from po3d.synthesis.assets import household_shapes, outdoor_shapes, room_shapes
from po3d.synthesis.assets.mesh import Mesh, assemble
from po3d.synthesis.assets.shape_parts import Generator, Palettes, muted, palette_colors, palettes
from po3d.synthesis.environment import RGB

SHAPES: dict[str, Generator] = {**room_shapes.SHAPES, **household_shapes.SHAPES, **outdoor_shapes.SHAPES}
PALETTES: dict[str, Palettes] = {**household_shapes.COLORS, **palettes()}


def shape(category: str, variant: int) -> tuple[Mesh, dict[str, RGB]]:
    """The mesh and its own colours (linear, by part); KeyError for a category that has no shape."""
    random = rng(variant, f"shape/{category}")
    pieces = SHAPES[category](random)
    points = np.concatenate([np.asarray(piece.vertices) for _, _, piece in pieces])
    mesh = assemble(pieces, points.max(0) - points.min(0))
    colors = palette_colors(mesh, PALETTES.get(category, {}), random)
    for part in mesh.parts:
        if part.material == "paint" and part.name not in {"main", *colors}:
            colors[part.name] = muted(random)
    return mesh, colors
