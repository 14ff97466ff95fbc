import math
from dataclasses import replace

import numpy as np
import pytest
from generators import random_program, random_scene
from hypothesis import given
from hypothesis import strategies as st

from po3d.benchmarks.metrics import match
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.reasoning.execute import execute
from po3d.scene.geometry import Camera, Pose, wrap_angle
from po3d.scene.street import extent
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.systems.oracle.street import STREET_TABLES
from po3d.systems.pipeline import checked_modules
from po3d.systems.street import DOMAIN

PERCEPTION = STREET_TABLES.table


def substitute(predicted: Scene, gt: Scene, modules) -> Scene:
    return STREET_TABLES.substitute(predicted, gt, modules).scene


def blurred(gt: Scene, seed: int, drop: int = 0, extra: int = 0) -> Scene:
    """A prediction of `gt`: rows shuffled and moved a little, beliefs soft and partly wrong, some
    rows lost or invented.
    """
    r = rng(seed, "blurred")
    order = r.permutation(len(gt))[drop:]
    rows = []
    for i in order:
        o = gt.objects[i]
        beliefs = {a: dict(zip(v, r.dirichlet([0.4] * len(v)))) for a, v in ATTRIBUTES.items()}
        x, y = np.array(o.position[:2]) + r.normal(0, 0.03, 2)
        heading = float(wrap_angle(o.heading + r.normal(0, 1)))
        covariance = ((0.01, 0, 0.001), (0, 0.01, 0), (0.001, 0, 0.1))
        rows.append(
            replace(
                o,
                beliefs=beliefs,
                position=(x, y, 0.1),
                heading=heading,
                flip=0.2,
                covariance=covariance,
            )
        )
    rows += [replace(o, position=(9.0 + k, 9.0, 0.1)) for k, o in enumerate(gt.objects[:extra])]
    n = len(rows)
    occluders = tuple({int(r.integers(n)): 0.6} if r.random() < 0.5 else {} for _ in range(n))
    occluders = tuple(
        {j: p for j, p in belief.items() if j != i} for i, belief in enumerate(occluders)
    )
    return Scene(tuple(rows), gt.axes, "predicted", gt.camera, occluders, gt.image)


def spread(seed: int, n: int = 6) -> Scene:
    """A true scene whose objects stand far enough apart to be matched by place alone."""
    scene = random_scene(rng(seed, "spread"), n)
    places = [(-3 + 2.5 * (k % 3), -3 + 2.5 * (k // 3)) for k in range(n)]
    moved = (
        replace(o, position=(*place, o.position[2])) for o, place in zip(scene.objects, places)
    )
    return replace(scene, objects=tuple(moved))


@given(st.integers(0, 10**6), st.integers(0, 3), st.integers(0, 2))
def test_all_modules_give_exactly_the_true_answers(seed, drop, extra):
    gt = spread(seed)
    mixed = substitute(blurred(gt, seed, drop, extra), gt, PERCEPTION)
    r = rng(seed, "programs")
    for _ in range(5):
        program = random_program(r, gt)
        for mode in ("argmax", "marginal"):
            true, got = (execute(program, scene, "6d", mode) for scene in (gt, mixed))
            assert (got.status, got.answer) == (true.status, true.answer)


@given(
    st.integers(0, 10**6),
    st.sampled_from([m for m in PERCEPTION if m not in ("detection", "occlusion", "depth")]),
)
def test_a_module_changes_its_own_column_and_no_other(seed, module):
    gt = spread(seed)
    predicted = blurred(gt, seed)
    mixed, true_of = substitute(predicted, gt, [module]), match(predicted, gt)
    assert sorted(true_of) == sorted(true_of.values()) == list(range(len(gt)))
    assert mixed.occluders == predicted.occluders
    for i, (before, after) in enumerate(zip(predicted.objects, mixed.objects)):
        true = gt.objects[true_of[i]]
        for attribute in ATTRIBUTES:
            assert (
                after.beliefs[attribute]
                == (true if attribute == module else before).beliefs[attribute]
            )
        assert after.heading == (true if module == "heading" else before).heading
        assert after.position[:2] == (true if module == "position" else before).position[:2]
        np.testing.assert_array_equal(
            after.extent,
            extent(after.value("shape"), after.value("size"))
            if module in ("shape", "size")
            else before.extent,
        )
        doubts = np.array(after.covariance)
        assert not (module == "heading" and doubts[2].any())
        assert not (module == "position" and doubts[:2].any())
        np.testing.assert_array_equal(doubts, doubts.T)


def test_detection_drops_false_positives_and_restores_misses_without_knowledge():
    gt = spread(3)
    predicted = blurred(gt, 3, drop=2, extra=1)
    mixed = substitute(predicted, gt, ["detection"])
    assert len(mixed) == len(gt)
    missed = [i for i in range(len(gt)) if i not in match(predicted, gt).values()]
    assert len(missed) == 2
    for i in missed:
        restored = mixed.objects[i]
        assert set(restored.beliefs["color"].values()) == {1 / 8}
        assert restored.position != gt.objects[i].position
        assert restored.covariance[2][2] == pytest.approx(math.pi**2 / 3)
        assert mixed.occluders[i] == {}
    with_color = substitute(predicted, gt, ["color", "detection"])
    assert all(
        with_color.objects[i].beliefs["color"] == gt.objects[i].beliefs["color"] for i in missed
    )
    assert set(with_color.objects[missed[0]].beliefs["shape"].values()) == {1 / 21}


def test_depth_moves_an_object_along_its_own_ray():
    camera = Camera(640, 480, 800.0, look_at((9.0, -4.0, 6.0)))
    gt = replace(spread(4), camera=camera)
    r = rng(4, "depth")
    moved = [
        replace(
            o,
            position=(*(np.array(o.position[:2]) + r.normal(0, 0.2, 2)), o.position[2]),
            covariance=((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.2)),
        )
        for o in gt.objects
    ]
    predicted = replace(gt, objects=tuple(moved), source="predicted")
    mixed = substitute(predicted, gt, ["depth"])
    for before, after, true in zip(predicted.objects, mixed.objects, gt.objects):
        ray = np.subtract(before.position, camera.position)[:2]
        step = np.subtract(after.position, camera.position)[:2]
        assert ray[0] * step[1] == pytest.approx(ray[1] * step[0])
        assert after.position[2] == before.position[2]
        assert camera.project(after.position)[1] == pytest.approx(camera.project(true.position)[1])
        doubt = np.array(after.covariance)
        assert ray @ doubt[:2, :2] @ ray == pytest.approx(0, abs=1e-9)
        assert np.trace(doubt) == pytest.approx(0.3)
    assert (
        substitute(predicted, gt, ["depth", "position"]).objects[0].position
        == gt.objects[0].position
    )
    with pytest.raises(InputError, match="needs the camera"):
        substitute(replace(predicted, camera=None), gt, ["depth"])


def look_at(position) -> Pose:
    """cam_T_world of a camera there that looks at the origin."""
    ahead = -np.array(position) / np.linalg.norm(position)
    right = np.cross(ahead, (0, 0, 1.0))
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(ahead, right), ahead])
    return Pose(rotation, -rotation @ np.array(position))


def test_occluders_follow_their_objects():
    gt = replace(spread(5, 3), occluders=({2: 1.0}, {}, {}))
    rows = tuple(
        gt.objects[i] for i in (2, 0)
    )  # object 1 was missed, the others stand in another order
    predicted = replace(gt, objects=rows, occluders=({1: 0.7}, {}), source="predicted")
    assert substitute(predicted, gt, ["occlusion"]).occluders == ({}, {0: 1.0})
    assert substitute(predicted, gt, ["detection"]).occluders == ({}, {}, {0: 0.7})
    assert substitute(predicted, gt, ["detection", "occlusion"]).occluders == gt.occluders


def test_class_decides_between_two_objects_in_one_place():
    gt = spread(7, 2)
    near = replace(gt.objects[1], position=(*np.add(gt.objects[0].position[:2], 0.1), 0.0))
    gt = replace(gt, objects=(gt.objects[0], near))
    predicted = replace(gt, objects=gt.objects[::-1], source="predicted")
    assert gt.objects[0].value("shape") != near.value("shape")
    assert match(predicted, gt) == {0: 1, 1: 0}


def test_modules_are_checked_and_written_either_way():
    assert checked_modules(["heading", "colour"], DOMAIN.modules) == ("color", "heading")
    with pytest.raises(InputError, match="'yaw' is not a module; known: shape, color"):
        checked_modules(["yaw"], DOMAIN.modules)


def test_an_empty_prediction_has_no_matches():
    gt = spread(1)
    empty = Scene((), gt.axes, "predicted", None, ())
    assert match(empty, gt) == {}
    assert len(substitute(empty, gt, ["color"])) == 0
    assert len(substitute(empty, gt, ["detection"])) == len(gt)
