"""Our own shapes of people, animals and outdoor things: solid, of plausible size, all different, always the same."""

import re

import numpy as np
import pytest

from po3d.seeding import rng
from po3d.synthesis.assets.outdoor_shapes import SHAPES, VARIANTS, shape
from po3d.synthesis.assets.shape_parts import palettes
from po3d.synthesis.placed import MAX_PARTS
from po3d.synthesis.things import things

CHECKED = range(0, VARIANTS, 2)
TRIANGLES = (150, 6000)
SIZES = (0.4, 2.5)  # of the catalogue's models of the category


@pytest.mark.parametrize("category", sorted(SHAPES))
def test_pieces_are_closed_and_wound_outward(category: str) -> None:
    for variant in range(2):
        for name, _, piece in SHAPES[category](rng(variant, "pieces")):
            assert piece.is_watertight, (category, variant, name)
            assert piece.volume > 0, (category, variant, name)


@pytest.mark.parametrize("category", sorted(SHAPES))
def test_meshes_are_as_large_as_the_catalogues_and_not_too_fine(category: str) -> None:
    models = np.array([(m.depth, m.width, m.height) for m in things()[category].models])
    low, high = models.min(0) * SIZES[0], models.max(0) * SIZES[1]
    for variant in CHECKED:
        mesh, colors = shape(category, variant)
        size = np.ptp(mesh.vertices, axis=0)
        assert ((low <= size) & (size <= high)).all(), (variant, size, low, high)
        assert TRIANGLES[0] <= len(mesh.faces) <= TRIANGLES[1]
        assert len(mesh.parts) <= MAX_PARTS
        assert np.isfinite(mesh.normals).all()
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-3)
        assert colors.keys() <= {part.name for part in mesh.parts}


@pytest.mark.parametrize("category", sorted(SHAPES))
def test_what_takes_the_scenes_colour_is_called_main(category: str) -> None:
    for variant in CHECKED:
        mesh, colors = shape(category, variant)
        painted = {part.name for part in mesh.parts if part.material == "paint"}
        assert ("main" in painted - set(colors)) == things()[category].paint
        assert painted - set(colors) <= {"main"}


@pytest.mark.parametrize("category", sorted(SHAPES))
def test_variants_differ_in_form_and_colour(category: str) -> None:
    made = [shape(category, variant) for variant in CHECKED]
    assert len({mesh.vertices.tobytes() for mesh, _ in made}) == len(CHECKED)
    proportions = np.log([np.ptp(mesh.vertices, axis=0) for mesh, _ in made])
    if not category.endswith("ball"):
        assert np.ptp(proportions - proportions.mean(1, keepdims=True), axis=0).max() > 0.06
    assert len({tuple(sorted(colors.items())) for _, colors in made}) == len(CHECKED)


@pytest.mark.parametrize("category", sorted(SHAPES))
def test_a_variant_is_always_the_same(category: str) -> None:
    one, other = shape(category, 1), shape.__wrapped__(category, 1)
    assert one[0].vertices.tobytes() == other[0].vertices.tobytes()
    assert one[0].faces.tobytes() == other[0].faces.tobytes()
    assert one[1] == other[1]


def test_palettes_are_colours_of_categories_that_have_shapes() -> None:
    assert set(palettes()) <= set(SHAPES)
    for table in palettes().values():
        for words in table.values():
            assert re.fullmatch("[0-9a-f]{6}( [0-9a-f]{6})*", words)


def test_a_basketball_is_orange_and_a_snowman_white() -> None:
    for variant in CHECKED:
        r, g, b = shape("basketball", variant)[1]["ball"]
        assert r > 1.5 * g > 2 * b
        assert min(shape("snowman", variant)[1]["snow"]) > 0.5
        r, g, b = shape("snowman", variant)[1]["nose"]
        assert r > g > b
