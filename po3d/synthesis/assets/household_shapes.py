"""Parametric shapes of household things: the modules of furniture, appliances and small things as one registry.

A shape is pieces about as large as the thing, front +x; the renderer stretches it to its box. "main" takes the scene's
colour where the scene says one; COLORS has what named parts are usually coloured, "main" among them, as sRGB words, one
of which is drawn and varied for each variant. Paint that nobody names gets a random muted colour.
"""

import functools
from collections.abc import Callable

import numpy as np

from po3d.seeding import rng
from po3d.synthesis.assets import (
    appliance_shapes,
    container_shapes,
    crockery_shapes,
    cupboard_shapes,
    device_shapes,
    fixture_shapes,
    food_shapes,
    kitchen_shapes,
    ornament_shapes,
    seat_shapes,
    leisure_shapes,
    wearable_shapes,
)
from po3d.synthesis.assets.household_parts import Random
from po3d.synthesis.assets.mesh import Mesh, Piece, assemble
from po3d.synthesis.assets.room_shapes import _color
from po3d.synthesis.environment import RGB, to_linear

_MODULES = (
    appliance_shapes, container_shapes, crockery_shapes, cupboard_shapes, device_shapes, fixture_shapes, food_shapes,
    kitchen_shapes, ornament_shapes, seat_shapes, leisure_shapes, wearable_shapes,
)  # fmt: skip
SHAPES: dict[str, Callable[[Random], list[Piece]]] = {
    name: s for m in _MODULES for name, s in m.SHAPES.items()
}
# category -> part -> sRGB words
COLORS: dict[str, dict[str, str]] = {name: words for m in _MODULES for name, words in m.COLORS.items()}


@functools.cache
def shape(category: str, variant: int) -> tuple[Mesh, dict[str, RGB]]:
    """The mesh and its own colours (linear, by part); KeyError for a category that has no shape here."""
    random = rng(variant, f"household shape/{category}")
    pieces = SHAPES[category](random)
    points = np.concatenate([np.asarray(piece.vertices) for _, _, piece in pieces])
    mesh = assemble(pieces, points.max(0) - points.min(0))
    words = COLORS.get(category, {})
    own: dict[str, RGB] = {}
    for part in mesh.parts:
        if part.name in words:
            own[part.name] = _drawn(words[part.name], random)
        elif part.material == "paint" and part.name != "main":
            own[part.name] = _color(random)
    return mesh, own


def _drawn(words: str, random: Random) -> RGB:
    """One of the colours, varied: linear from sRGB words like "a0522d"."""
    known = words.split()
    word = known[int(random.integers(len(known)))]
    srgb = np.array([int(word[k : k + 2], 16) for k in (0, 2, 4)]) / 255
    linear = np.asarray(to_linear(srgb)) * np.exp(random.normal(0, 0.1)) * np.exp(random.normal(0, 0.04, 3))
    r, g, b = np.clip(linear, 0.004, 0.9)
    return float(r), float(g), float(b)
