"""Vehicle meshes: exact size, sound geometry, and types and ends that can be told apart."""

import importlib
import itertools

import numpy as np
import pytest
import trimesh

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.vocabulary import EXTENTS, PARENT, SHAPES, SUPER_CATEGORIES
from po3d.synthesis import vehicles
from po3d.synthesis.shapes.mesh import MATERIALS, Piece, assemble
from po3d.synthesis.shapes.primitives import ball, box, lathe, ring, rod, rounded, slab, wheel
from po3d.synthesis.vehicles import _MODULES, Mesh, vehicle

SEEDS = range(2)
TAIL_LAMPS = {"left_tail_light", "right_tail_light", "taillight_left", "taillight_right"}
CARS, BUSES = SUPER_CATEGORIES["car"], SUPER_CATEGORIES["bus"]


def pieces(shape: str, seed: int) -> list[Piece]:
    module = importlib.import_module(f"po3d.synthesis.vehicles.{_MODULES[PARENT[shape]]}")
    return module.MAKERS[shape](rng(seed, "pieces", 0))


def points(mesh: Mesh, **wanted: str) -> np.ndarray:
    """(N, 3) vertices of the parts whose `name` or `material` is the given one."""
    ids = [
        i for i, p in enumerate(mesh.parts) if all(getattr(p, k) == v for k, v in wanted.items())
    ]
    return mesh.vertices[np.isin(mesh.part, ids)]


def from_above(mesh: Mesh, along: int = 24, across: int = 9) -> tuple[np.ndarray, np.ndarray]:
    """Two (along, across) grids over the footprint, from tail to nose: the highest z, and whether
    it is painted."""
    corners = mesh.vertices[mesh.faces]
    weights = np.array(
        [w for w in itertools.product(np.linspace(0, 1, 9), repeat=3) if sum(w) == 1]
    )
    dense = np.einsum("wk,fkc->fwc", weights, corners).reshape(-1, 3)
    painted = np.array([part.material == "paint" for part in mesh.parts])[
        mesh.part[mesh.faces[:, 0]]
    ]
    extent = np.ptp(mesh.vertices[:, :2], axis=0)
    cell = np.clip(
        ((dense[:, :2] / extent + 0.5) * (along, across)).astype(int), 0, (along - 1, across - 1)
    )
    order = np.argsort(dense[:, 2])  # the last one written to a cell is the highest
    height, paint = np.zeros((along, across)), np.zeros((along, across), bool)
    height[tuple(cell[order].T)] = dense[order, 2]
    paint[tuple(cell[order].T)] = np.repeat(painted, len(weights))[order]
    return height, paint


def roofline(mesh: Mesh) -> np.ndarray:
    """(24,) height along the middle third, from tail to nose, as a share of the mesh's height."""
    return from_above(mesh)[0][:, 3:6].max(1) / mesh.vertices[:, 2].max()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_mesh_has_the_benchmarks_extents_and_stands_centred_on_the_ground(shape):
    for seed in SEEDS:
        low, high = vehicle(shape, seed).vertices.min(0), vehicle(shape, seed).vertices.max(0)
        assert np.allclose(high - low, EXTENTS[shape], atol=1e-5)
        assert np.allclose((low + high)[:2], 0, atol=1e-5)
        assert low[2] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_arrays_are_sound_and_few_triangles(shape):
    for seed in SEEDS:
        mesh = vehicle(shape, seed)
        assert 600 <= len(mesh.faces) <= 6000
        assert len(mesh.vertices) == len(mesh.normals) == len(mesh.part)
        assert (mesh.vertices.dtype, mesh.normals.dtype) == (np.float32, np.float32)
        assert (mesh.part.dtype, mesh.faces.dtype) == (np.uint8, np.int32)
        assert mesh.faces.min() == 0
        assert mesh.faces.max() == len(mesh.vertices) - 1
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-5)
        assert set(mesh.part.tolist()) == set(range(len(mesh.parts)))
        assert len(set(mesh.parts)) == len(mesh.parts) <= 64
        assert {part.material for part in mesh.parts} <= set(MATERIALS)
        assert all(type(part.material) is str for part in mesh.parts)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_piece_is_closed_and_wound_outward(shape):
    for seed in SEEDS:
        for name, _, piece in pieces(shape, seed):
            assert piece.is_watertight, name
            assert piece.volume > 0, name


@pytest.mark.parametrize("shape", SHAPES)
def test_normals_agree_with_the_winding(shape):
    mesh = vehicle(shape, 0)
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    face = np.cross(b - a, c - a)
    size = np.linalg.norm(face, axis=1)
    facing = (face[:, None] * mesh.normals[mesh.faces]).sum(-1) / np.maximum(size, 1e-12)[:, None]
    assert (
        facing[size > 1e-7] > 0.5
    ).all()  # smoothing turns a normal by less than the crease angle or so


@pytest.mark.parametrize("shape", SHAPES)
def test_a_seed_repeats_its_bytes_and_another_gives_another_mesh(shape):
    first = vehicle(shape, 5)
    vehicle.cache_clear()
    again, other = vehicle(shape, 5), vehicle(shape, 6)
    assert again is not first
    assert again.vertices.tobytes() == first.vertices.tobytes()
    assert again.parts == first.parts
    assert other.vertices.tobytes() != first.vertices.tobytes()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_front_is_no_mirror_image_of_the_back(shape):
    for seed in SEEDS:
        profile = roofline(vehicle(shape, seed))
        colors = [
            np.sort(points(vehicle(shape, seed), material=m)[:, 0])
            for m in ("paint", "glass", "dark")
        ]
        differs = np.abs(profile - profile[::-1]).max() > 0.05
        assert differs or any(len(x) and np.abs(x + x[::-1]).max() > 0.02 for x in colors)


@pytest.mark.parametrize("shape", CARS + BUSES)
def test_white_lamps_are_at_the_nose_and_red_ones_behind(shape):
    for seed in SEEDS:
        mesh = vehicle(shape, seed)
        half = EXTENTS[shape][0] / 2
        assert points(mesh, material="lamp")[:, 0].min() > 0.75 * half
        tails = np.concatenate(
            [points(mesh, name=part.name) for part in mesh.parts if part.name in TAIL_LAMPS]
        )
        assert tails[:, 0].max() < -0.85 * half


@pytest.mark.parametrize("shape", CARS + BUSES)
def test_paint_covers_most_of_what_is_visible_from_above(shape):
    for seed in SEEDS:
        height, paint = from_above(vehicle(shape, seed), 60, 24)
        assert paint[height > 0].mean() > 0.5


@pytest.mark.parametrize("shape", CARS)
def test_cars_have_the_parts_that_super_clevr_recolours(shape):
    names = {part.name for part in vehicle(shape, 0).parts}
    assert names >= {
        "front_left_door",
        "front_right_door",
        "hood",
        "roof",
        "trunk",
        "back_bumper",
        "front_bumper",
    }
    assert names >= {
        f"{end}_{side}_wheel" for end in ("front", "back") for side in ("left", "right")
    }


@pytest.mark.parametrize("shape", CARS)
def test_a_cars_wheels_stand_on_the_ground_on_their_side(shape):
    for seed in SEEDS:
        for end, x_sign in (("front", 1), ("back", -1)):
            for side, y_sign in (("left", 1), ("right", -1)):
                tyre = points(vehicle(shape, seed), name=f"{end}_{side}_wheel")
                assert tyre[:, 2].min() == pytest.approx(0, abs=2e-3)
                assert (tyre[:, 0] * x_sign > 0).all()
                assert (tyre[:, 1] * y_sign > 0).all()


def test_rooflines_tell_the_cars_apart():
    """Behind, a pickup's bed and a sedan's boot lie low; the others' roofs run back."""
    for seed in SEEDS:
        tail = {s: roofline(vehicle(s, seed))[3] for s in CARS}
        assert max(tail["sedan"], tail["truck"]) < 0.75
        assert min(tail["suv"], tail["wagon"], tail["minivan"]) > 0.75


def test_a_school_bus_has_a_bonnet_and_an_articulated_bus_bellows():
    for seed in SEEDS:
        nose = {s: roofline(vehicle(s, seed))[-2:].max() for s in BUSES}
        assert nose["school"] < 0.7 < min(nose["regular"], nose["double"], nose["articulated"])
        joint = points(vehicle("articulated", seed), name="bellows")
        assert np.ptp(joint[:, 2]) > 0.7 * EXTENTS["articulated"][2]


def test_unknown_shapes_and_materials_are_refused():
    with pytest.raises(InputError, match="tram"):
        vehicle("tram", 0)
    with pytest.raises(ValueError, match="velvet"):
        assemble([("seat", "velvet", box(1, 1, 1))], (1, 1, 1))


def test_assemble_splits_normals_at_creases_and_keeps_round_surfaces_smooth():
    cube = assemble([("a", "paint", box(1, 2, 3))], (1, 2, 3))
    assert len(cube.vertices) == 24
    assert np.allclose(np.sort(np.abs(cube.normals), axis=1), [0, 0, 1])
    sphere = assemble([("a", "paint", ball(1.0, detail=3))], (2, 2, 2))
    radial = sphere.vertices - [0, 0, 1]
    assert ((radial * sphere.normals).sum(1) > 0.99).all()


def test_pieces_of_one_name_and_material_are_one_part():
    mesh = assemble(
        [("a", "paint", box(1, 1, 1)), ("b", "paint", box(1, 1, 2)), ("a", "paint", box(2, 1, 1))],
        (1, 1, 1),
    )
    assert [part.name for part in mesh.parts] == ["a", "b"]


def test_primitives_have_the_volumes_of_their_solids():
    square = [(0, 0), (2, 0), (2, 1), (0, 1)]
    assert slab(square, 3).volume == pytest.approx(6)
    assert slab(square[::-1], 3).volume == pytest.approx(6)
    assert 5.5 < slab(square, 3, 0.1).volume < 6
    assert rod((0, 0, 0), (0, 3, 4), 0.1, 64).volume == pytest.approx(np.pi * 0.01 * 5, rel=0.01)
    assert lathe([(1, 0), (1, 2)], 64).volume == pytest.approx(2 * np.pi, rel=0.01)
    assert ring(2, 0.5, sides=64, around=32).volume == pytest.approx(
        2 * np.pi**2 * 2 * 0.25, rel=0.02
    )
    corner = rounded(square, 0.2, 16)
    area = trimesh.creation.extrude_polygon(trimesh.path.polygons.Polygon(corner), 1).volume
    assert area == pytest.approx(2 - (4 - np.pi) * 0.04, rel=0.01)


def test_a_bevel_wider_than_the_profile_gives_way():
    thin = slab([(0, 0), (2, 0), (2, 0.1), (0, 0.1)], 1, 0.2)
    assert thin.is_watertight
    assert 0 < thin.volume <= 0.2


def test_a_wheel_shows_its_disc_on_the_outer_side():
    for y in (1.0, -1.0):
        (_, _, tyre), (_, material, disc) = wheel("w", 0, y, 0.4, 0.2, disc="dark")
        assert material == "dark"
        assert np.sign(y) * (disc.bounds[:, 1] - tyre.bounds[:, 1])[int(y > 0)] > 0
        assert tyre.bounds[0, 2] == pytest.approx(0, abs=1e-9)


def test_retained_meshes_are_the_ones_that_are_built(tmp_path, monkeypatch):
    built = {shape: vehicle(shape, 3) for shape in ("sedan", "tandem")}
    monkeypatch.setattr(vehicles, "_cache_folder", None)
    vehicles.keep_meshes(tmp_path)
    for _ in range(2):  # written, then read
        vehicle.cache_clear()
        for shape, mesh in built.items():
            retained = vehicle(shape, 3)
            for name in ("vertices", "normals", "part", "faces"):
                np.testing.assert_array_equal(getattr(retained, name), getattr(mesh, name))
                assert getattr(retained, name).dtype == getattr(mesh, name).dtype
            assert retained.parts == mesh.parts
        assert len(list(tmp_path.iterdir())) == 2
    vehicle.cache_clear()
