from dataclasses import replace

import numpy as np
from generators import random_scene

import po3d
from po3d.evaluation.report.draw import GONE, TOUCHED, _room_for, _title, draw_change, draw_scene
from po3d.io.paths import ROOT
from po3d.io.seeding import rng
from po3d.scene.edits import Move, Remove, trace
from po3d.scene.street import AXES, camera, extent, origin_height
from po3d.scene.table import ObjectState, Scene

GREY = np.full((480, 640, 3), 90, np.uint8)


def scene(seed: int = 0, count: int = 4, certain: bool = True) -> Scene:
    return replace(random_scene(rng(seed, "draw"), count, certain), camera=camera())


def test_each_object_leaves_its_mark_on_both_halves():
    picture = np.asarray(draw_scene(GREY, scene()))
    assert picture.shape == (480, 640 + 480, 3)
    bare = np.asarray(draw_scene(GREY, replace(scene(), objects=(), occluders=())))
    differs = (picture != bare).any(-1)
    assert differs[:, :640].sum() > 500
    assert differs[:, 640:].sum() > 500


def test_a_smaller_picture_is_rendered_at_its_own_size():
    small = draw_scene(GREY[::2, ::2], scene(certain=False), gt=scene())
    assert small.size == (320 + 240, 240)


def test_what_the_table_lacks_is_left_out():
    table = replace(scene(), camera=None)
    assert draw_scene(None, table).size == (480, 480)
    np.testing.assert_array_equal(np.asarray(draw_scene(GREY, table))[:, :640], GREY)
    assert draw_scene(None, Scene((), AXES, "gt")).size == (480, 480)


def test_left_on_the_image_is_left_from_above():
    """A red object at the viewer's left is drawn in the left half of both pictures."""
    table = scene(count=1)
    place = (*(3 * np.array(AXES["left"])), 0.1)
    table = replace(table, objects=(replace(table.objects[0], position=place),))
    picture = np.asarray(draw_scene(GREY, table)).astype(int)
    bare = np.asarray(draw_scene(GREY, replace(table, objects=(), occluders=()))).astype(int)
    columns = np.flatnonzero((picture != bare).any(-1).any(0))
    on_image, from_above = columns[columns < 640], columns[columns >= 640] - 640
    assert on_image.mean() < 320
    assert from_above.mean() < 240


def test_a_box_is_where_its_thing_is_on_a_table_too():
    lamp = ObjectState({"name": {"lamp": 1.0}}, (0.5, 0.2, 0.95), 0.4, (0.2, 0.3, 0.5))
    np.testing.assert_allclose(lamp.corners().mean(0), lamp.position)
    assert lamp.corners()[:, 2].min() == 0.7
    car = ObjectState(
        {"shape": {"sedan": 1.0}},
        (0.5, 0.2, origin_height("sedan", "large")),
        0.4,
        extent("sedan", "large"),
    )
    assert car.corners()[:, 2].min() == 0.0


def test_labels_name_what_is_displayed():
    lamp = ObjectState(
        {"name": {"lamp": 1.0}, "color": {"red": 1.0}}, (0.5, 0.2, 0.95), 0.4, (0.2, 0.3, 0.5)
    )
    assert _title(lamp) == "red lamp"


def test_labels_lie_on_no_other_and_inside():
    """However crowded: 60 labels that all want one corner."""
    random, taken = rng(5, "labels"), []
    for _ in range(60):
        width, height = float(random.uniform(20, 90)), 14.0
        at = random.uniform(0, 60, 2)
        box = next(_room_for(*at, width, height, (640, 480), taken))
        assert box[0] >= 0 <= box[1]
        assert box[2] <= 640
        assert box[3] <= 480
        assert all(
            box[0] >= b[2] or box[2] <= b[0] or box[1] >= b[3] or box[3] <= b[1] for b in taken
        )
        taken.append(box)
    assert next(_room_for(5, 5, 700, 14, (640, 480), []), None) is None


def test_a_doubt_is_rendered_as_large_as_it_is_and_certainty_is_not():
    table = scene(count=1)
    doubt = lambda place, turn: replace(  # noqa: E731
        table,
        objects=(
            replace(table.objects[0], covariance=((place, 0, 0), (0, place, 0), (0, 0, turn))),
        ),
    )
    certain = np.asarray(draw_scene(None, doubt(0.0, 0.0))).astype(int)
    covers = lambda t: (np.asarray(draw_scene(None, t)).astype(int) != certain).any(-1).sum()  # noqa: E731
    assert 0 < covers(doubt(0.04, 0.0)) < covers(doubt(0.36, 0.0))
    assert 0 < covers(doubt(0.0, 0.01)) < covers(doubt(0.0, 0.3))


def test_the_camera_has_its_mark():
    table = scene()
    with_it, without = (
        np.asarray(draw_scene(None, t)) for t in (table, replace(table, camera=None))
    )
    rows = np.flatnonzero((with_it != without).any(-1).any(1))
    assert rows.min() > 240  # below the middle, where the camera's side is


def test_what_moved_has_an_arrow_and_what_is_gone_a_cross():
    before = po3d.read_scene(ROOT / "data" / "examples" / "room.json")
    x, y, z = before.objects[0].position

    def count(edits, color) -> int:
        return (np.asarray(draw_change(before, trace(before, edits))) == color).all(-1).sum()

    assert count([Move(0, (x + 0.8, y, z))], TOUCHED) > count([Move(0, (x + 0.001, y, z))], TOUCHED)
    assert count([Remove(0)], GONE) > 50 > count([Move(0, (x + 0.8, y, z))], GONE)
