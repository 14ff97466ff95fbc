"""Tables of views with modules replaced: planted errors are repaired by the module that has them,
exactly.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from planted import SCOPE, SR, elsewhere, scope_names, sr_names, tilted

from po3d.io.errors import InputError
from po3d.scene.camera import camera_pose_of, reheld
from po3d.scene.geometry import wrap_angle
from po3d.scene.orbit import VIEWS
from po3d.scene.table import Scene, to_json
from po3d.systems.oracle import SubstitutedScene
from po3d.systems.oracle.views import VIEW_TABLES, truly_fused
from tools.scope_views import position_error

NAMES = sr_names(1)


def turns(a: Scene, b: Scene) -> np.ndarray:
    return np.abs(wrap_angle(a.headings - b.headings))


def same(mixed: SubstitutedScene, gt: Scene) -> None:
    """The rows say what the truth says."""
    np.testing.assert_allclose(mixed.scene.positions, gt.positions, atol=1e-9)
    np.testing.assert_allclose(mixed.scene.extents, gt.extents, atol=1e-9)
    assert turns(mixed.scene, gt).max(initial=0) < 1e-9
    assert [o.flip for o in mixed.scene.objects] == [o.flip for o in gt.objects]
    assert mixed.rows == tuple(range(len(gt)))


@pytest.mark.parametrize("name", NAMES)
def test_all_modules_give_the_true_table(name):
    gt = SR.truth(name)
    visible = tilted(elsewhere(gt, name, blur=True), 0.1, -0.2)
    visible = replace(
        visible,
        objects=(*visible.objects[2:], replace(visible.objects[0], position=(0.0, 30.0, 0.5))),
    )
    mixed = VIEW_TABLES.substitute(visible, gt, VIEW_TABLES.table)
    same(mixed, gt)
    assert mixed.scene.source == "predicted"
    assert mixed.scene.camera == gt.camera
    assert mixed.scene.axes == gt.axes
    for a, b in zip(mixed.scene.objects, gt.objects, strict=True):
        assert {k: a.beliefs[k] for k in VIEW_TABLES.beliefs.values() if k in a.beliefs} == {
            k: b.beliefs[k] for k in VIEW_TABLES.beliefs.values() if k in b.beliefs
        }
        assert (a.existence, a.covariance, a.box) == (1.0, b.covariance, b.box)


@pytest.mark.parametrize("name", NAMES)
def test_another_world_is_no_error(name):
    same(
        VIEW_TABLES.substitute(elsewhere(SR.truth(name), name), SR.truth(name), ()), SR.truth(name)
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_camera_held_otherwise_is_repaired_by_the_camera_alone(name):
    gt = SR.truth(name)
    visible = tilted(elsewhere(gt, name), 0.1, -0.15)
    np.testing.assert_allclose(
        VIEW_TABLES.substitute(visible, gt, ["camera"]).scene.positions, gt.positions, atol=1e-9
    )
    bare = VIEW_TABLES.substitute(visible, gt, ["heading"]).scene
    assert np.linalg.norm(bare.positions - gt.positions, axis=1).max() > 0.1
    assert abs(camera_pose_of(bare.camera).roll - camera_pose_of(gt.camera).roll) > 0.1


@pytest.mark.parametrize("name", NAMES)
def test_wrong_depths_are_repaired_by_depth_and_by_position(name):
    gt = SR.truth(name)
    eye = gt.camera.position
    off = [
        replace(o, position=tuple((eye + 1.1 * (np.array(o.position) - eye)).tolist()))
        for o in gt.objects
    ]
    visible = elsewhere(replace(gt, objects=tuple(off)), name)
    for modules in (["depth"], ["position"], ["depth", "position"]):
        np.testing.assert_allclose(
            VIEW_TABLES.substitute(visible, gt, modules).scene.positions, gt.positions, atol=1e-9
        )
    away = np.linalg.norm(
        VIEW_TABLES.substitute(visible, gt, ["size"]).scene.positions - gt.positions, axis=1
    )
    np.testing.assert_allclose(away, 0.1 * np.linalg.norm(gt.positions - eye, axis=1), rtol=1e-9)


def test_a_module_changes_its_own_column_and_no_other():
    gt = SR.truth(NAMES[0])
    visible = tilted(elsewhere(gt, NAMES[0], blur=True), 0.05, 0.05)
    plain = VIEW_TABLES.substitute(visible, gt, ()).scene
    for module in VIEW_TABLES.table:
        mixed = VIEW_TABLES.substitute(visible, gt, [module]).scene
        changed = set()
        for a, b in zip(mixed.objects, plain.objects, strict=True):
            changed |= {
                m
                for m, key in VIEW_TABLES.beliefs.items()
                if a.beliefs.get(key) != b.beliefs.get(key)
            }
            changed |= {"heading"} if (a.heading, a.flip) != (b.heading, b.flip) else set()
            changed |= {"size"} if a.extent != b.extent else set()
            changed |= {"position"} if a.position != b.position else set()
            changed |= {"detection"} if a.existence != b.existence else set()
        allowed = {"depth": {"position"}, "camera": {"position", "heading"}}.get(module, {module})
        assert changed <= allowed
        assert changed


def test_a_missed_thing_returns_and_an_invented_one_vanishes():
    gt = SR.truth(NAMES[0])
    visible = elsewhere(gt, NAMES[0])
    visible = replace(
        visible,
        objects=(*visible.objects[1:], replace(visible.objects[1], position=(0.0, 40.0, 1.0))),
    )
    assert None in VIEW_TABLES.substitute(visible, gt, ["heading"]).rows
    bare = VIEW_TABLES.substitute(visible, gt, ["detection"])
    assert bare.rows == tuple(range(len(gt)))
    missed = bare.scene.objects[0]
    assert len(missed.beliefs["name"]) > 100
    assert missed.existence == 1
    assert (
        bare.scene.objects[0] == VIEW_TABLES.substitute(visible, gt, ["detection"]).scene.objects[0]
    )
    known = VIEW_TABLES.substitute(visible, gt, ["detection", "shape", "position"]).scene.objects[0]
    assert known.value("name") == gt.objects[0].value("name")
    assert known.position == gt.objects[0].position


def test_things_keep_their_places_before_a_camera_that_is_held_otherwise():
    for name in NAMES:
        gt = SR.truth(name)
        moved = tilted(gt, 0.2, 0.3)
        np.testing.assert_allclose(
            gt.camera.cam_T_world.transform(gt.positions),
            moved.camera.cam_T_world.transform(moved.positions),
            atol=1e-9,
        )
        back = reheld(moved, gt.camera)
        np.testing.assert_allclose(back.positions, gt.positions, atol=1e-9)


@pytest.mark.parametrize("module", [m for m in VIEW_TABLES.units if m != "parsing"])
def test_noise_is_none_at_zero_and_has_its_size(module):
    gt = SR.truth(NAMES[0])
    none = VIEW_TABLES.noisy(gt, module, 0.0)
    np.testing.assert_allclose(none.positions, gt.positions, atol=1e-9)
    assert turns(none, gt).max() < 1e-9
    assert [o.beliefs for o in none.objects] == [o.beliefs for o in gt.objects]
    sigma = 10 if VIEW_TABLES.units[module].startswith("degrees") else 0.3
    assert to_json(VIEW_TABLES.noisy(gt, module, sigma, 1)) == to_json(
        VIEW_TABLES.noisy(gt, module, sigma, 1)
    )
    many = [VIEW_TABLES.noisy(gt, module, sigma, k) for k in range(60)]
    if module == "detection":
        assert np.mean([len(m) for m in many]) == pytest.approx(0.7 * len(gt), rel=0.1)
        for k, left in enumerate(many):
            rows = VIEW_TABLES.mixture(gt, gt, {"detection": sigma}, k).rows
            assert [gt.objects[j] for j in rows] == list(left.objects)
    elif module in VIEW_TABLES.beliefs:
        key = VIEW_TABLES.beliefs[module]
        other = [a.value(key) != b.value(key) for m in many for a, b in zip(m.objects, gt.objects)]
        assert np.mean(other) == pytest.approx(0.3, abs=0.06)
    elif module == "size":
        logs = np.log(np.concatenate([m.extents / gt.extents for m in many]))
        assert logs.std() == pytest.approx(0.3, rel=0.1)
    elif module == "position":
        steps = np.concatenate([m.positions - gt.positions for m in many])
        np.testing.assert_allclose(steps.std(0), 0.3, rtol=0.15)
    elif module == "depth":
        depths = [
            gt.camera.project(s.positions)[1] / gt.camera.project(gt.positions)[1] for s in many
        ]
        assert np.std(depths) == pytest.approx(0.3, rel=0.15)
    elif module == "heading":
        off = np.concatenate([wrap_angle(m.headings - gt.headings) for m in many])
        assert math.degrees(off.std()) == pytest.approx(10, rel=0.15)
    else:
        holds = [camera_pose_of(m.camera) for m in many]
        before = camera_pose_of(gt.camera)
        for now, was in (
            ([h.pitch for h in holds], before.pitch),
            ([h.roll for h in holds], before.roll),
        ):
            assert math.degrees(np.std(np.array(now) - was)) == pytest.approx(10, rel=0.3)


def test_what_is_no_noise_and_what_has_no_camera_is_reported():
    gt = SR.truth(NAMES[0])
    with pytest.raises(InputError, match="'parsing' has no noise model"):
        VIEW_TABLES.noisy(gt, "parsing", 0.1)
    with pytest.raises(InputError, match="has no camera"):
        VIEW_TABLES.substitute(replace(gt, camera=None), gt, ["heading"])


def test_views_are_built_one_as_they_truly_lie():
    """With true rows and true turns every thing is one row, however alike or wrongly seen things
    are.
    """
    scene = SCOPE.images[0]
    names = scope_names(scene)
    display = [SCOPE.truth(n) for n in names]
    alike = [replace(o, beliefs={"name": {"chair": 1.0}}) for o in display[0].objects]
    mixed = []
    for name, true in zip(names, display):
        visible = elsewhere(true, name)
        objects = [replace(o, beliefs=alike[0].beliefs, heading=0.0) for o in visible.objects]
        mixed.append(VIEW_TABLES.substitute(replace(visible, objects=tuple(objects)), true, ()))
    whole = SCOPE.truth(scene)
    fused = truly_fused(mixed, display, VIEWS, whole)
    view = SCOPE.view(scene)
    visible_to_any = {j for angle in VIEWS for j in view.rows(angle)}
    assert len(fused.scene) == len(visible_to_any)
    owners = [{view.rows(VIEWS[v])[row] for v, row in group} for group in fused.members]
    assert all(len(owner) == 1 for owner in owners)
    rows = {k: owner.pop() for k, owner in enumerate(owners)}
    assert position_error(fused.scene, whole, rows).max() < 0.05


def test_a_mixture_is_the_noise_on_the_truth():
    gt = SR.truth(NAMES[0])
    settings = dict.fromkeys(VIEW_TABLES.table, "truth") | {"heading": 10.0, "detection": 0.3}
    mixed = VIEW_TABLES.mixture(elsewhere(gt, NAMES[0], blur=True), gt, settings, 3)
    assert 0 < len(mixed.scene) < len(gt)
    truth = [gt.objects[j] for j in mixed.rows]
    assert [o.position for o in mixed.scene.objects] == [o.position for o in truth]
    assert all(a.heading != b.heading for a, b in zip(mixed.scene.objects, truth))
