"""Motorbikes, aeroplanes and bicycles: what tells one type and one end from another."""

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.scene.vocabulary import SUPER_CATEGORIES
from po3d.synthesis.shapes.primitives import hull, tube
from po3d.synthesis.vehicles import Mesh, vehicle
from po3d.synthesis.vehicles.two_wheelers import sample_finish

SEEDS = range(6)
CYCLES = SUPER_CATEGORIES["bicycle"] + SUPER_CATEGORIES["motorbike"]
PLANES = SUPER_CATEGORIES["aeroplane"]
# Parts that Super-CLEVR's own mesh of the type has too, and that every variant must offer for
# recolouring.
WHEELS, HANDLES = {"wheel_front", "wheel_back"}, {"handle_left", "handle_right"}
MOTOR = WHEELS | HANDLES | {"engine", "fork", "drive_chain", "seat", "panel", "fender_back"}
PEDALS = (
    WHEELS
    | HANDLES
    | {"saddle", "fork", "drive_chain", "crank_arm_left", "pedal_right", "brake_system"}
)
TAIL = {"wing_left", "wing_right", "tailplane_left", "tailplane_right", "fin"}
PARTS = {
    "chopper": (
        MOTOR
        | {"gas_tank", "headlight_center", "taillight_center", "exhaust_right_s", "footrest_left_s"}
    ),
    "dirtbike": (
        MOTOR | {"gas_tank", "fender_front", "cover_front", "cover_back", "exhaust_right_s"}
    ),
    "scooter": (
        MOTOR | {"cover_front", "cover_back", "headlight_center", "mirror_left", "mirror_right"}
    ),
    "cruiser": (
        MOTOR | {"gas_tank", "fender_front", "headlight_center", "taillight_left", "mirror_left"}
    ),
    "road": PEDALS,
    "utility": PEDALS | {"fender_front", "fender_back", "side_stand"},
    "mountain": PEDALS,
    "tandem": WHEELS | HANDLES | {"fork", "saddle"},
    "jet": (
        TAIL
        | {
            "engine_left",
            "engine_right",
            "propeller",
            "wheel_front",
            "wheel_back_left",
            "door_left_s",
        }
    ),
    "fighter": TAIL,
    "biplane": TAIL | {"propeller", "wheel_front"},
    "airliner": (
        TAIL | {"engine_left", "engine_right", "wheel_front", "door_left_s", "door_right_s"}
    ),
}


def points(mesh: Mesh, *names: str) -> np.ndarray:
    """(N, 3) vertices of the parts called so."""
    wanted = [i for i, part in enumerate(mesh.parts) if part.name in names]
    return mesh.vertices[np.isin(mesh.part, wanted)]


@pytest.mark.parametrize("shape", CYCLES + PLANES)
def test_every_variant_has_the_parts_that_super_clevr_names(shape):
    for seed in SEEDS:
        assert not PARTS[shape] - {part.name for part in vehicle(shape, seed).parts}


@pytest.mark.parametrize("shape", CYCLES + PLANES)
def test_triangles_stay_few(shape):
    assert all(600 < len(vehicle(shape, seed).faces) < 6000 for seed in SEEDS)


@pytest.mark.parametrize("shape", CYCLES)
def test_both_wheels_of_a_cycle_stand_on_the_ground_one_before_the_other(shape):
    for seed in SEEDS:
        mesh = vehicle(shape, seed)
        height = mesh.vertices[:, 2].max()
        front, back = points(mesh, "wheel_front"), points(mesh, "wheel_back")
        assert max(front[:, 2].min(), back[:, 2].min()) < 0.01 * height
        assert front[:, 0].min() > back[:, 0].max()


@pytest.mark.parametrize("shape", CYCLES)
def test_handlebars_are_in_front_of_the_seat_and_lamps_face_their_ends(shape):
    for seed in SEEDS:
        mesh = vehicle(shape, seed)
        seat, bars = points(mesh, "saddle", "seat"), points(mesh, "handle_left", "handle_right")
        assert bars[:, 0].max() > seat[:, 0].max() - 0.02
        assert bars[:, 0].mean() > seat[:, 0].mean()
        lit = {
            part.material: points(mesh, part.name)[:, 0].mean()
            for part in mesh.parts
            if part.material in ("lamp", "tail")
        }
        assert lit.get("lamp", 0.3) > 0.1
        assert lit.get("tail", -0.3) < -0.1


@pytest.mark.parametrize("shape", PLANES)
def test_wings_are_on_their_side_and_the_fin_is_behind_and_above(shape):
    for seed in SEEDS:
        mesh = vehicle(shape, seed)
        left, right = points(mesh, "wing_left"), points(mesh, "wing_right")
        assert left[:, 1].mean() > 0.05
        assert np.allclose(left[:, 1].max(), -right[:, 1].min(), atol=1e-3)
        fin, length = points(mesh, "fin"), np.ptp(mesh.vertices[:, 0])
        assert fin[:, 0].mean() < -0.25 * length
        assert fin[:, 2].max() > left[:, 2].min()


def test_types_differ_in_what_defines_them():
    def rake(shape: str, seed: int) -> float:
        fork = points(vehicle(shape, seed), "fork")
        return np.ptp(fork[:, 0]) / np.ptp(fork[:, 2])

    for seed in SEEDS:
        assert np.ptp(points(vehicle("tandem", seed), "saddle")[:, 0]) > 2 * np.ptp(
            points(vehicle("road", seed), "saddle")[:, 0]
        )
        assert rake("chopper", seed) > 1.2 * rake("cruiser", seed) > 0
        wheel = {
            s: np.ptp(points(vehicle(s, seed), "wheel_front")[:, 2])
            for s in ("scooter", "dirtbike")
        }
        assert wheel["scooter"] < 0.85 * wheel["dirtbike"]
        assert (
            points(vehicle("biplane", seed), "propeller")[:, 0].max()
            > 0.95 * vehicle("biplane", seed).vertices[:, 0].max()
        )
        bars = {
            s: np.ptp(points(vehicle(s, seed), "handle_left")[:, 1]) for s in ("road", "mountain")
        }
        assert bars["mountain"] > bars["road"]


def test_seventy_percent_of_the_tyres_are_painted():
    share = np.mean([sample_finish(rng(0, "finish", i)).tyre == "paint" for i in range(1000)])
    assert share == pytest.approx(0.7, abs=0.05)


def test_a_tube_keeps_its_section_round_a_right_angle():
    bent = tube([(0, 0, 0), (0, 1, 0), (0, 1.2, 0), (-0.2, 1.2, 0), (-1, 1.2, 0)], 0.05, 12)
    length, section = 2.2, 12 / 2 * np.sin(2 * np.pi / 12) * 0.05**2
    assert bent.is_watertight
    assert bent.volume == pytest.approx(length * section, rel=0.1)


def test_a_hull_fills_its_stations_and_a_squarer_one_more():
    stations = [(1, 0.5, 0.0, 1.0), (0, 0.5, 0.0, 1.0)]
    assert hull(stations, 40).volume == pytest.approx(np.pi / 4, rel=0.02)
    assert np.pi / 4 < hull(stations, 40, 0.5).volume < 1.0
