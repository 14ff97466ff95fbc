"""Our own parametric shapes: solid, of usual size, all different, always the same."""

import re

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.scene.rooms import CATEGORIES
from po3d.synthesis.multi_view.catalogue import CATALOGUE_ONLY, own_sizes, things
from po3d.synthesis.render.instances import MAX_PARTS
from po3d.synthesis.shapes.own_shapes import MODULES, SHAPES, shape
from po3d.synthesis.shapes.palettes import palettes
from po3d.synthesis.splits import OWN_VARIANTS, SPLITS, own_name

VARIANTS = (0, 1, 1000)
OLD = {
    "ottoman",
    "pillow",
    "towel",
    "book",
    "picture",
    "rug",
    "mirror",
    "whiteboard",
    "curtain",
}  # soft or flat
TRIANGLES = (12, 8000)
RATIOS = (0.35, 2.9)  # of a category's usual sides


def usual_sizes(category: str) -> np.ndarray:
    """(N, 3) known sizes (depth, width, height) in metres: of orbit scenes and of rooms."""
    known = [things()[category].extent] if category in things() else []
    return np.array([*known, *([CATEGORIES[category][:3]] if category in CATEGORIES else [])])


@pytest.mark.parametrize("category", sorted(SHAPES))
def test_a_shape_is_sound_of_usual_size_and_its_own(category: str) -> None:
    built = []
    for variant in VARIANTS:
        for name, _, piece in SHAPES[category](rng(variant, f"shape/{category}")):
            assert piece.volume > 0, f"{name} is turned inside out"
        mesh, colors = shape(category, variant)
        assert TRIANGLES[0] <= len(mesh.faces) <= TRIANGLES[1]
        assert len(mesh.parts) <= MAX_PARTS
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-3)
        ratios = np.ptp(mesh.vertices, axis=0) / usual_sizes(category)
        assert ((ratios > RATIOS[0]) & (ratios < RATIOS[1])).all(1).any() or category in OLD
        parts = {part.name: part for part in mesh.parts}
        assert set(colors) <= set(parts)
        plain = {name for name, part in parts.items() if part.material == "paint"} - set(colors)
        assert plain <= {"main"}, "paint without a colour"
        if category in things() and things()[category].paint:
            assert "main" in parts
        built.append(mesh.vertices.tobytes())
    assert len(set(built)) == len(VARIANTS)
    again, same = shape(category, VARIANTS[-1])
    assert (again.vertices.tobytes(), same) == (built[-1], colors)


def test_no_two_modules_have_a_shape_of_one_category() -> None:
    assert sum(len(module.SHAPES) for module in MODULES) == len(SHAPES)


def test_palettes_are_colours_of_categories_that_have_shapes() -> None:
    assert set(palettes()) <= set(SHAPES)
    for table in palettes().values():
        for words in table.values():
            assert re.fullmatch("[0-9a-f]{6}( [0-9a-f]{6})*", words)


def test_a_basketball_is_orange_and_a_snowman_white() -> None:
    for variant in VARIANTS:
        r, g, b = shape("basketball", variant)[1]["ball"]
        assert r > 1.5 * g > 2 * b
        assert min(shape("snowman", variant)[1]["snow"]) > 0.5


def test_the_table_of_sizes_has_every_variant_that_a_split_shows() -> None:
    categories = [name for name in things() if name not in CATALOGUE_ONLY]
    wanted = {own_name(c, k) for c in categories for split in SPLITS for k in OWN_VARIANTS[split]}
    assert set(own_sizes()) == wanted


@pytest.mark.parametrize("variant", [3, 1001, 2002])
def test_the_table_of_sizes_is_of_the_shapes(variant: int) -> None:
    """Written by `python tools/own_sizes.py`, which is to be run when a shape's code changes."""
    for category in [name for name in things() if name not in CATALOGUE_ONLY][variant % 5 :: 5]:
        size = np.ptp(shape(category, variant)[0].vertices, axis=0)
        assert own_sizes()[own_name(category, variant)] == pytest.approx(size, abs=6e-4)
