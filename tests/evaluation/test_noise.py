"""Noise of a known size in one quantity at a time."""

import math
from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import Camera, Pose, wrap_angle
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.systems.oracle import lost
from po3d.systems.oracle.street import STREET_TABLES

SLANTED = Pose(np.array([[1.0, 0, 0], [0, -0.6, -0.8], [0, 0.8, -0.6]]), np.array([0.0, 0.0, 12.0]))
CAMERA = Camera(640, 480, 800.0, SLANTED)
QUANTITIES = [q for q in STREET_TABLES.units if q != "parsing"]


def scenes(n=60) -> list[Scene]:
    built = [random_scene(rng(2, "noise", k), 8) for k in range(n)]
    return [replace(s, camera=CAMERA, image=f"{k}.png") for k, s in enumerate(built)]


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_no_noise_is_no_change_and_a_seed_gives_the_same(quantity):
    for scene in scenes(5):
        still = STREET_TABLES.noisy(scene, quantity, 0.0)
        np.testing.assert_allclose(still.positions, scene.positions, atol=1e-9)
        np.testing.assert_allclose(still.headings, scene.headings, atol=1e-9)
        assert [o.beliefs for o in still.objects] == [o.beliefs for o in scene.objects]
        assert (len(still), still.occluders) == (len(scene), scene.occluders)
        assert STREET_TABLES.noisy(scene, quantity, 0.2, 1) == STREET_TABLES.noisy(
            scene, quantity, 0.2, 1
        )


def test_noise_has_the_size_that_its_unit_says():
    before = scenes()
    place = np.concatenate(
        [STREET_TABLES.noisy(s, "position", 0.3).positions - s.positions for s in before]
    )
    assert place[:, :2].std() == pytest.approx(0.3, rel=0.1)
    assert not place[:, 2].any()
    turned = [
        wrap_angle(STREET_TABLES.noisy(s, "heading", 8).headings - s.headings) for s in before
    ]
    assert math.degrees(np.concatenate(turned).std()) == pytest.approx(8, rel=0.1)
    deep = [
        CAMERA.project(STREET_TABLES.noisy(s, "depth", 0.04).positions)[1]
        / CAMERA.project(s.positions)[1]
        for s in before
    ]
    assert (np.concatenate(deep) - 1).std() == pytest.approx(0.04, rel=0.1)
    assert 1 - sum(len(STREET_TABLES.noisy(s, "detection", 0.25)) for s in before) / sum(
        map(len, before)
    ) == pytest.approx(0.25, abs=0.05)
    for attribute in ATTRIBUTES:
        changed = [
            a.value(attribute) != b.value(attribute)
            for s in before
            for a, b in zip(s.objects, STREET_TABLES.noisy(s, attribute, 0.2).objects)
        ]
        assert np.mean(changed) == pytest.approx(0.2, abs=0.05)
    hidden = [
        a != b
        for s in before
        for a, b in zip(s.occluders, STREET_TABLES.noisy(s, "occlusion", 0.2).occluders)
    ]
    assert np.mean(hidden) == pytest.approx(0.2, abs=0.05)
    turn = [
        math.atan2(*STREET_TABLES.noisy(s, "camera", 10).axes["front"][::-1])
        - math.atan2(*s.axes["front"][::-1])
        for s in before
    ]
    assert math.degrees(np.std(wrap_angle(turn))) == pytest.approx(10, rel=0.25)
    assert np.mean([lost(s.image, 20, 0.3) for s in before]) == pytest.approx(0.3, abs=0.05)


def test_more_noise_is_the_same_noise_scaled():
    (scene,) = scenes(1)
    small, large = (
        STREET_TABLES.noisy(scene, "position", sigma).positions - scene.positions
        for sigma in (0.1, 0.4)
    )
    np.testing.assert_allclose(large, 4 * small, atol=1e-12)
    few, many = (lost("a.png", 50, sigma) for sigma in (0.1, 0.4))
    assert all(m for f, m in zip(few, many) if f)


def test_a_missed_object_takes_its_occlusions_with_it():
    for scene in scenes(20):
        left = STREET_TABLES.noisy(scene, "detection", 0.5)
        names = [o.position for o in left.objects]
        for o, belief in zip(left.objects, left.occluders):
            (was,) = [b for p, b in zip(scene.objects, scene.occluders) if p.position == o.position]
            hiders = {scene.objects[j].position for j in was}
            assert {names[j] for j in belief} == hiders & set(names)


def test_a_changed_shape_changes_the_box():
    (scene,) = scenes(1)
    for before, after in zip(scene.objects, STREET_TABLES.noisy(scene, "shape", 1.0).objects):
        assert before.value("shape") != after.value("shape")
        assert before.extent != after.extent


def test_what_is_no_quantity_or_needs_a_camera_is_reported():
    (scene,) = scenes(1)
    with pytest.raises(InputError, match="'parsing' has no noise model"):
        STREET_TABLES.noisy(scene, "parsing", 0.1)
    with pytest.raises(InputError, match="needs the scene's camera"):
        STREET_TABLES.noisy(replace(scene, camera=None), "depth", 0.1)
