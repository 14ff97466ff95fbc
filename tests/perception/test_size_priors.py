"""Distances from boxes and the usual sizes of things."""

import math

import numpy as np
import pytest

from po3d.perception.onnx_detector import coco_names
from po3d.perception.size_priors import SIZES, fit, prior_of
from po3d.scene.camera import CameraPose, held

WIDTH, HEIGHT, FOCAL = 1000, 700, 900.0
CAMERA = held(CameraPose(1.6, math.radians(-6), 0.0, math.pi / 2), WIDTH, HEIGHT, FOCAL)
# name, x, y, height factor; on the ground, round
THINGS = (
    ("person", -2.0, 7.0, 1.0),
    ("person", 1.5, 14.0, 1.0),
    ("car", 3.0, 22.0, 1.0),
    ("chair", 0.3, 5.0, 1.0),
)


def image_box(name, x, y, factor=1.0):
    prior = prior_of(name)
    radius, height = np.mean(prior.extent[:2]) / 2, prior.extent[2] * factor
    turn = np.linspace(0, 2 * math.pi, 60)
    ring = np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], 1)
    points = np.concatenate(
        [np.c_[ring, np.full(60, z)] for z in (prior.base, prior.base + height)]
    )
    pixels, _ = CAMERA.project(points)
    return [*pixels.min(0), *pixels.max(0)]


def solved(things=THINGS, focal=FOCAL, **more):
    boxes = np.array([image_box(*thing) for thing in things])
    return fit(boxes, [thing[0] for thing in things], (WIDTH, HEIGHT), 950.0, focal, **more)


def test_all_coco_classes_have_a_prior_of_positive_sizes():
    for name in coco_names():
        prior = SIZES[name]
        assert min(prior.extent) > 0
        assert 0 < prior.spread < 1
    assert prior_of("automobile") == prior_of("car")
    assert prior_of("wardrobe").base == 0  # a category of rooms
    assert prior_of("no such thing") is None


def test_usual_things_are_put_where_they_are():
    result = solved()
    for place, (_, x, y, _) in zip(result.position, THINGS):
        assert place[0] == pytest.approx(x, abs=0.35)
        assert place[1] == pytest.approx(y, rel=0.08)
    assert math.degrees(result.pitch) == pytest.approx(-6, abs=1.5)
    assert result.height == pytest.approx(1.6, rel=0.1)


def test_without_a_lens_all_distances_share_a_larger_doubt():
    known, unknown = solved(), solved(focal=None)
    assert unknown.common > 2 * known.common
    assert unknown.common > 0.1
    np.testing.assert_allclose(unknown.sigma, known.sigma, rtol=0.7)  # their order is known as well


def test_a_known_height_fixes_the_scale_of_all():
    short = [(name, 0.8 * x, 0.8 * y, f) for name, x, y, f in THINGS]
    boxes = np.array([image_box(*thing) for thing in THINGS])
    names = [thing[0] for thing in THINGS]
    usual = fit(boxes, names, (WIDTH, HEIGHT), 950.0, FOCAL)
    smaller = fit(boxes, names, (WIDTH, HEIGHT), 950.0, FOCAL, known={0: 0.8 * 1.62})
    assert smaller.extent[0, 2] == pytest.approx(0.8 * 1.62, rel=0.03)
    assert smaller.position[0, 1] == pytest.approx(short[0][2], rel=0.06)
    assert smaller.position[1, 1] < usual.position[1, 1]  # the others follow
    assert smaller.common < usual.common


def test_a_kind_of_varied_sizes_is_doubted_more():
    boxes = np.array([image_box("person", -1, 6), image_box("bird", 1, 6)])
    result = fit(boxes, ["person", "bird"], (WIDTH, HEIGHT), 950.0, FOCAL)
    alone = [
        fit(boxes[[k]], [name], (WIDTH, HEIGHT), 950.0, FOCAL)
        for k, name in enumerate(("person", "bird"))
    ]
    assert alone[1].sigma[0] > alone[0].sigma[0]
    assert np.isfinite(result.position).all()


@pytest.mark.parametrize(
    "box", [[0, 0, 1000, 700], [0, 300, 1000, 301], [500, 0, 503, 700], [990, 5, 1000, 9]], ids=str
)
def test_odd_boxes_stay_finite_and_doubted(box):
    result = fit(
        np.array([box, image_box(*THINGS[0])], float), ["cup", "person"], (WIDTH, HEIGHT), 950.0
    )
    for values in (result.position, result.extent, result.sigma):
        assert np.isfinite(values).all()
    assert (result.position[:, 1] > 0).all()
    assert (result.sigma <= 0.7).all()
    assert fit(np.zeros((0, 4)), [], (WIDTH, HEIGHT), 950.0).position.shape == (0, 3)
