"""Typical colours of the parts of our own shapes, from `shape_palettes.csv`."""

import functools
from collections.abc import Mapping

import numpy as np

from po3d.io.files import rows_beside
from po3d.synthesis.render.environment import RGB, rgb, to_linear
from po3d.synthesis.shapes.mesh import Mesh, Random

Palettes = Mapping[str, str]  # part -> typical sRGB colours, six hexadecimal digits each

# standard deviations of log colour: common to all channels, and per channel
JITTER, TINT = 0.13, 0.05


@functools.cache
def palettes() -> dict[str, Palettes]:
    """Return category -> part -> typical colours, from `shape_palettes.csv`."""
    table: dict[str, dict[str, str]] = {}
    for row in rows_beside(__file__, "shape_palettes.csv"):
        table.setdefault(row["category"], {})[row["part"]] = row["colors"]
    return dict(table)


def palette_colors(mesh: Mesh, palettes: Palettes, random: Random) -> dict[str, RGB]:
    """Draw a linear colour for each of the palettes' parts that the mesh has."""
    names = {part.name for part in mesh.parts}
    colors: dict[str, RGB] = {}
    for name, words in palettes.items():
        choice, light, tint = (
            random.choice(words.split()),
            random.normal(0, JITTER),
            random.normal(0, TINT, 3),
        )
        srgb = np.array([int(choice[k : k + 2], 16) for k in (0, 2, 4)]) / 255
        # drawn for all parts, so that an additional part does not change the others' colours
        if name in names:
            colors[name] = rgb(to_linear(srgb) * np.exp(light + tint), 0.004, 0.85)
    return colors


def muted(random: Random) -> RGB:
    """Draw a random, usually weakly saturated colour; linear."""
    grey = random.uniform(0.05, 0.7)
    return rgb(grey * np.exp(random.normal(0, random.choice([0.1, 0.6]), 3)), 0.02, 0.85)
