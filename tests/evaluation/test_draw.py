from dataclasses import replace

import numpy as np
from generators import random_scene

from po3d.evaluation.report.draw import _title, draw_scene
from po3d.io.seeding import rng
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


def test_a_smaller_picture_is_drawn_at_its_own_size():
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
        {"shape": {"sedan": 1.0}}, (0.5, 0.2, origin_height("sedan", "large")), 0.4, extent("sedan", "large")
    )
    assert car.corners()[:, 2].min() == 0.0


def test_labels_name_what_is_shown():
    lamp = ObjectState({"name": {"lamp": 1.0}, "color": {"red": 1.0}}, (0.5, 0.2, 0.95), 0.4, (0.2, 0.3, 0.5))
    assert _title(lamp) == "red lamp"
