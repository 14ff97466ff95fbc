import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import footprint
from po3d.scene.street import CAMERA_JITTER, SPREAD
from po3d.scene.vocabulary import COLORS, SHAPES
from po3d.synthesis.street.layouts import (
    FOOTPRINT_MARGIN,
    MESHES,
    TEST_MESHES,
    TRAIN_MESHES,
    VALIDATION_MESHES,
    overlapping,
    sample_layout,
)


@given(st.integers(0, 10**6))
def test_enlarged_footprints_never_meet(seed):
    layout = sample_layout(rng(seed, "layout"))
    assert 3 <= len(layout.objects) <= 10
    extents = layout.extents * FOOTPRINT_MARGIN
    prints = [Polygon(footprint((o.x, o.y), o.heading, e)) for o, e in zip(layout.objects, extents)]
    for i, one in enumerate(prints):
        assert all(one.intersection(two).area < 1e-9 for two in prints[i + 1 :])
    for o in layout.objects:
        assert max(abs(o.x), abs(o.y)) <= SPREAD
        assert -math.pi < o.heading <= math.pi
        assert all(part.color != o.color for part in o.parts)
    assert max(map(abs, layout.jitter)) <= CAMERA_JITTER


@given(
    st.tuples(*[st.floats(-2, 2)] * 2, st.floats(-3, 3), st.floats(0.3, 2), st.floats(0.3, 2)),
    st.tuples(*[st.floats(-2, 2)] * 2, st.floats(-3, 3), st.floats(0.3, 2), st.floats(0.3, 2)),
)
def test_separating_axes_agree_with_polygon_intersection(first, second):
    one, two = ((*p[:3], p[3] / 2, p[4] / 2) for p in (first, second))
    a, b = (footprint(p[:2], p[2], (p[3], p[4], 1.0)) for p in (first, second))
    distance = Polygon(a).distance(Polygon(b))
    shared = Polygon(a).intersection(Polygon(b)).area
    if distance > 1e-9:
        assert not overlapping(one, two)
    elif shared > 1e-9:
        assert overlapping(one, two)


def test_equal_seeds_give_equal_layouts_and_others_differ():
    assert sample_layout(rng(1, "layout", 5)) == sample_layout(rng(1, "layout", 5))
    assert sample_layout(rng(1, "layout", 5)) != sample_layout(rng(1, "layout", 6))


def test_counts_shapes_and_colours_are_uniform():
    layouts = [sample_layout(rng(0, "layout", i)) for i in range(300)]
    counts = Counter(len(layout.objects) for layout in layouts)
    assert set(counts) == set(range(3, 11))
    objects = [o for layout in layouts for o in layout.objects]
    for values, visible in (
        (SHAPES, [o.shape for o in objects]),
        (COLORS, [o.color for o in objects]),
    ):
        shares = np.array([visible.count(v) for v in values]) / len(objects) * len(values)
        assert shares.min() > 0.6
        assert shares.max() < 1.5


def test_no_mesh_of_one_split_is_in_another():
    assert not set(TRAIN_MESHES) & set(VALIDATION_MESHES) | set(TEST_MESHES) & set(TRAIN_MESHES)
    for split, pool in MESHES.items():
        layout = sample_layout(rng(3, "layout"), 10, split)
        assert all(o.mesh_seed in pool for o in layout.objects)


def test_only_the_studio_look_recolours_parts():
    outdoor = [sample_layout(rng(0, "layout", i), look="outdoor") for i in range(20)]
    studio = [sample_layout(rng(0, "layout", i), look="studio") for i in range(20)]
    assert not any(o.parts for layout in outdoor for o in layout.objects)
    assert max(len(o.parts) for layout in studio for o in layout.objects) == 3


def test_an_unknown_split_is_refused():
    with pytest.raises(InputError, match="unknown split 'dev'; known: train, validation, test"):
        sample_layout(rng(0, "layout"), split="dev")
