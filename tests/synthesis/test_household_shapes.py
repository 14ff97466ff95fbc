"""Our own shapes of household things: sound meshes of usual sizes that differ from variant to variant."""

import numpy as np
import pytest

from po3d.rooms import CATEGORIES
from po3d.seeding import rng
from po3d.synthesis.assets.household_shapes import COLORS, SHAPES, shape
from po3d.synthesis.things import things

VARIANTS = 3


def usual_sizes(category):
    """(N, 3) known sizes (depth, width, height) in metres: of the category's catalogue models, and of rooms."""
    known = [model.extent for model in things()[category].models] if category in things() else []
    return np.array([*known, *([CATEGORIES[category][:3]] if category in CATEGORIES else [])])


@pytest.mark.parametrize("category", SHAPES)
def test_pieces_are_closed_and_wound_outward(category):
    for variant in range(VARIANTS):
        for name, _, piece in SHAPES[category](rng(variant, f"household shape/{category}")):
            faces = np.asarray(piece.faces)
            edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
            code = edges[:, 0] * len(piece.vertices) + edges[:, 1]
            back = edges[:, 1] * len(piece.vertices) + edges[:, 0]
            assert len(np.unique(code)) == len(code), name
            assert np.isin(code, back).all(), f"{name} has a gap"
            assert piece.volume > 0, f"{name} is turned inside out"


@pytest.mark.parametrize("category", SHAPES)
def test_shapes_are_of_usual_size_and_few_triangles(category):
    for variant in range(VARIANTS):
        mesh, _ = shape(category, variant)
        assert 400 <= len(mesh.faces) <= 6000
        ratios = np.ptp(mesh.vertices, axis=0) / usual_sizes(category)
        assert ((ratios > 0.4) & (ratios < 2.5)).all(1).any()
        assert np.isfinite(mesh.normals).all()


@pytest.mark.parametrize("category", SHAPES)
def test_variants_differ_and_repeat(category):
    bytes_of = []
    for variant in range(VARIANTS):
        mesh, colors = shape(category, variant)
        again, same = shape.__wrapped__(category, variant)
        assert mesh.vertices.tobytes() == again.vertices.tobytes()
        assert mesh.faces.tobytes() == again.faces.tobytes()
        assert colors == same
        bytes_of.append(mesh.vertices.tobytes())
    assert len(set(bytes_of)) == VARIANTS


@pytest.mark.parametrize("category", SHAPES)
def test_colours_are_of_parts_that_some_variant_has(category):
    for variant in range(VARIANTS):
        mesh, colors = shape(category, variant)
        assert "main" in colors  # or it would be grey where no scene says a colour
        assert set(colors) <= {part.name for part in mesh.parts}
    some = (SHAPES[category](rng(variant, "parts")) for variant in range(16))
    assert set(COLORS[category]) <= {name for pieces in some for name, _, _ in pieces}
