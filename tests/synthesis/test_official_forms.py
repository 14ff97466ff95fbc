"""Vehicles around the official forms: size, soundness, splits; lattices and the splitting of long
edges.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.seeding import rng
from po3d.scene.vocabulary import EXTENTS, SHAPES
from po3d.synthesis.shapes.mesh import MATERIALS, _split
from po3d.synthesis.shapes.primitives import ball, box
from po3d.synthesis.street.compose import parts_painted
from po3d.synthesis.street.layouts import MESHES, PartPaint, sample_layout
from po3d.synthesis.vehicles import draw, official_types, vehicle
from po3d.synthesis.vehicles.cars import WIDE_MAKERS
from po3d.synthesis.vehicles.forms import (
    NODES,
    SPLITS,
    basis,
    deep_roof,
    displaced,
    kin,
    measured,
    nearest_seed,
    seats,
    thicker,
    warped,
)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_official_form_has_the_benchmarks_extents_and_sound_arrays(shape):
    mesh = vehicle(shape, 1, "official")
    low, high = mesh.vertices.min(0), mesh.vertices.max(0)
    assert np.allclose(high - low, EXTENTS[shape], atol=1e-5)
    assert np.allclose([*(low + high)[:2], low[2]], 0, atol=1e-5)
    assert 600 <= len(mesh.faces) <= 12000
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-4)
    assert len(set(mesh.parts)) == len(mesh.parts) <= 64
    assert {part.material for part in mesh.parts} <= set(MATERIALS)
    assert set(mesh.part.tolist()) == set(range(len(mesh.parts)))


def test_a_seed_repeats_its_bytes_and_families_and_seeds_differ():
    first = vehicle("sedan", 5, "official")
    vehicle.cache_clear()
    again = vehicle("sedan", 5, "official")
    assert again.vertices.tobytes() == first.vertices.tobytes()
    for other in (
        vehicle("sedan", 5),
        vehicle("sedan", 6, "official"),
        vehicle("sedan", 1005, "official"),
    ):
        assert other.vertices.tobytes() != first.vertices.tobytes()


@pytest.mark.parametrize("shape", sorted(official_types.MAKERS))
def test_pieces_of_official_types_are_closed_and_wound_outward_and_vary(shape):
    make = official_types.MAKERS[shape]
    for name, _, piece in make(rng(0, "pieces")):
        assert piece.is_watertight, name
        assert piece.volume > 0, name
    one, two = (
        np.concatenate([p.vertices for *_, p in make(rng(0, "p"), varies=v)]) for v in (0.0, 0.04)
    )
    assert one.shape != two.shape or not np.allclose(one, two)


def test_no_variant_of_one_split_is_built_of_another_splits():
    for shape in SHAPES:
        built = {split: {nearest_seed(shape, s) for s in pool} for split, pool in MESHES.items()}
        assert not any(built[a] & built[b] for a, b in itertools.combinations(SPLITS, 2)), shape
    assert {split for _, split in kin()} == set(SPLITS)
    assert {shape for shape, _ in kin()} <= set(SHAPES) - set(official_types.MAKERS)


def test_measured_lattices_leave_the_plane_of_symmetry_where_it_is_and_are_moderate():
    assert set(official_types.MAKERS) <= set(measured()) <= set(SHAPES)
    for shape, lattice in measured().items():
        assert lattice.shape == (*NODES, 3)
        assert np.abs(lattice[:, 0, :, 1]).max() < 0.02, shape
        assert 0.005 < np.abs(lattice).mean() < 0.12, shape


@given(st.integers(0, 10**6))
def test_weights_are_shares_and_a_constant_lattice_is_a_shift(seed):
    generator = np.random.default_rng(seed)
    extent = generator.uniform(0.2, 1, 3)
    points = generator.uniform((-0.5, -0.5, 0), (0.5, 0.5, 1), (20, 3)) * extent
    weights = basis(points / extent)
    assert np.allclose(weights.sum(1), 1)
    assert weights.min() >= 0
    shift = np.broadcast_to(np.array([0.1, 0.0, -0.2]), (*NODES, 3))
    assert np.allclose(displaced(points, shift, extent), points + (0.1, 0, -0.2) * extent)
    mirrored = displaced(
        points * (1, -1, 1), lattice := generator.normal(0, 0.1, (*NODES, 3)), extent
    )
    assert np.allclose(mirrored * (1, -1, 1), displaced(points, lattice, extent))


def test_a_warp_keeps_left_and_right_alike():
    points = np.random.default_rng(0).uniform((-0.4, -0.1, 0), (0.4, 0.1, 0.25), (50, 3))
    one, two = (warped(points * (1, s, 1), "sedan", rng(3, "w")) for s in (1, -1))
    assert np.allclose(one, two * (1, -1, 1))


@pytest.mark.parametrize("solid", [box(1.0, 0.3, 0.2), ball((1.0, 0.4, 0.3))])
def test_splitting_long_edges_keeps_the_surface_closed_and_where_it_is(solid):
    points, faces, origin = _split(np.array(solid.vertices), np.array(solid.faces), 0.25)
    again = trimesh.Trimesh(points, faces, process=False)
    assert again.is_watertight
    assert again.volume == pytest.approx(solid.volume)
    assert again.area == pytest.approx(solid.area)
    assert again.edges_unique_length.max() <= 0.25
    assert len(origin) == len(points)
    assert np.array_equal(points[: len(solid.vertices)], solid.vertices)


def test_seats_stand_inside_the_cabin():
    cabin = ("windows", "glass", box(2.0, 1.4, 0.5, (0.1, 0.0, 1.2)))
    low, high = cabin[2].bounds
    built = seats([cabin], rng(0, "seats"))
    assert 4 <= len(built) <= 16
    for name, material, piece in built:
        assert (name, material) == ("seat", "seat")
        assert (piece.bounds[0] > low - 0.1).all()
        assert (piece.bounds[1] < high + 0.1).all()
    assert seats([], rng(0, "seats")) == []


def test_only_official_looks_have_official_forms():
    for look in ("studio", "outdoor", "superclevr", "hdri"):
        layouts = [sample_layout(rng(i, "layout"), 8, look=look) for i in range(20)]
        share = np.mean([o.forms == "official" for layout in layouts for o in layout.objects])
        assert share == 0 if look in ("studio", "outdoor") else 0.5 < share < 0.8


def test_panes_get_thicker_about_their_middle_and_nothing_else_changes():
    pane, wall = (
        ("window", "glass", box(1.0, 0.02, 0.5, (3, 2, 1))),
        ("frame", "paint", box(1.0, 0.02, 0.5)),
    )
    (_, _, thick), (_, _, same) = thicker([pane, wall])
    assert thick.extents == pytest.approx([1.0, 0.04, 0.5])
    assert thick.bounds.mean(0) == pytest.approx([3, 2, 1])
    assert same is wall[2]


def test_unmeasured_types_vary_more_than_our_own():
    assert set(WIDE_MAKERS).isdisjoint(measured())
    for shape in WIDE_MAKERS:
        own, wide = (
            np.std([windscreen_foot(draw(shape, seed, forms)) for seed in range(12)])
            for forms in ("own", "official")
        )
        assert wide > own


def windscreen_foot(pieces):
    """Return how far back the windows begin, in lengths of the vehicle."""
    length = np.ptp([piece.bounds[:, 0] for _, _, piece in pieces])
    return max(piece.bounds[1, 0] for name, _, piece in pieces if name == "windows") / length


def test_a_bus_has_a_deep_roof_in_half_of_its_official_variants():
    pieces = draw("regular", 3, "official")
    bounds = np.array([piece.bounds for _, _, piece in pieces])
    deep = 0
    for seed in range(20):
        cut = deep_roof(pieces, np.random.default_rng(seed))
        deep += len(cut) > len(pieces)
        again = np.array([piece.bounds for _, _, piece in cut])
        assert np.allclose(again[:, 0].min(0), bounds[:, 0].min(0))
        assert np.allclose(again[:, 1].max(0), bounds[:, 1].max(0))
    assert 5 <= deep <= 15


def test_a_recoloured_region_paints_all_its_parts():
    layout = sample_layout(np.random.default_rng(0), 6, look="superclevr")
    mesh = vehicle("truck", 3, "official")
    truck = replace(layout.objects[0], shape="truck", parts=())
    beds = 0
    for slot in np.arange(0, 1, 0.05):
        painted = parts_painted(
            replace(truck, parts=(PartPaint(float(slot), "red", "metal", True),)),
            mesh,
            "superclevr",
        )
        if "tailgate" in painted:
            beds += 1
            assert {"left_bed_side", "right_bed_side", "tailgate"} <= set(painted)
        one = parts_painted(
            replace(truck, parts=(PartPaint(float(slot), "red", "metal"),)), mesh, "superclevr"
        )
        assert len(one) == 1
    assert beds
