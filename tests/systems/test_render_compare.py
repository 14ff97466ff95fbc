"""Drawings decide between shapes and directions that the network can't tell apart, and touch
nothing that it is sure of.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from po3d.io.errors import InputError
from po3d.perception.detection import Detections
from po3d.perception.fit import project_boxes, wrapped
from po3d.perception.street import viewing_azimuth
from po3d.scene.geometry import Camera
from po3d.scene.street import AXES, CAMERA_POSITION, camera, extent
from po3d.scene.table import ObjectState, Scene, sure
from po3d.scene.vocabulary import ATTRIBUTES, PARENT, SHAPES
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.street.dataset import render_example
from po3d.synthesis.vehicles import vehicle
from po3d.systems import render_compare, scene_sources
from po3d.systems.build import build_pipeline
from po3d.systems.estimators import identity
from po3d.systems.render_compare import PAINT, SIDE, ImageCrop, refined

# Another shape of the same kind.
OTHER = {s: next(o for o in SHAPES if o != s and PARENT[o] == PARENT[s]) for s in SHAPES}


def example(index: int) -> tuple[np.ndarray, Scene]:
    return render_example(31, index, "validation", look="superclevr")


def view_of(truth: Scene, right: float, flip: float, wrong_way: bool) -> Detections:
    """A table as a network sees it that knows all but shapes and directions: the right shape has
    the probability `right` and another one of its kind the rest, and a heading that may go the
    wrong way is opposite with `flip`.
    """
    n = len(truth)
    rows = lambda values: torch.as_tensor(np.asarray(values), dtype=torch.double)[None]  # noqa: E731
    heading = wrapped(rows(truth.headings) + wrong_way * math.pi)
    jitter = rows(truth.camera.position - CAMERA_POSITION)
    points = project_boxes(jitter, rows(truth.positions[:, :2]), heading, rows(truth.extents))
    words = {
        a: rows(truth.belief(a, values))
        for a, values in ATTRIBUTES.items()
        if a in truth.objects[0].beliefs
    }
    wrong = [[s == OTHER[o.value("shape")] for s in SHAPES] for o in truth.objects]
    words["shape"] = right * words["shape"] + (1 - right) * rows(wrong)
    ones, none = rows(np.ones(n)), rows(np.zeros((n, 0)))
    return Detections(
        score=ones,
        box=torch.cat([points.amin(2), points.amax(2)], -1),
        probabilities=words,
        alpha=wrapped(heading - viewing_azimuth(points[:, :, 8])),
        alpha_sigma=0.05 * ones,
        flip=flip * ones,
        points=points,
        sigma=rows(np.full((n, 9), 2.0)),
        occluder=rows(np.eye(n + 1)[[n] * n]),
        extent=none,
        depth=none,
    )


@pytest.mark.render
def test_drawings_find_the_right_shape_and_direction():
    shapes, directions = [], []
    for index in range(5):
        picture, truth = example(index)
        result = refined([picture], view_of(truth, right=0.4, flip=0.4, wrong_way=True))
        heading = result.alpha + viewing_azimuth(result.points[:, :, 8])
        off = wrapped(heading[0] - torch.tensor(truth.headings)).abs()
        directions += (off < math.pi / 2).tolist()
        best = result.probabilities["shape"][0].argmax(-1).tolist()
        shapes += [SHAPES[k] == o.value("shape") for k, o in zip(best, truth.objects, strict=True)]
        assert torch.allclose(
            result.probabilities["shape"].sum(-1), torch.ones(1, len(truth)).double()
        )
        assert (result.flip <= 0.5).all()
    assert len(shapes) > 30
    assert np.mean(shapes) > 0.9  # all were wrong
    assert np.mean(directions) > 0.8


@pytest.mark.render
def test_what_is_turned_has_its_points_turned():
    picture, truth = example(0)
    turned = refined([picture], view_of(truth, right=1.0, flip=0.45, wrong_way=True))
    right = view_of(truth, right=1.0, flip=0.0, wrong_way=False)
    off = wrapped(turned.alpha - right.alpha).abs()[0] < 0.1
    assert off.sum() > len(truth) / 2
    torch.testing.assert_close(turned.points[0, off], right.points[0, off])


def test_nothing_is_rendered_of_what_is_sure(monkeypatch):
    monkeypatch.setattr(render_compare, "_renderer", lambda: pytest.fail("nothing had to be drawn"))
    states = tuple(
        ObjectState(
            sure(shape=shape, color="red", size="large", material="metal"),
            (x, 0.0, 0.3),
            1.0,
            tuple(extent(shape, "large")),
        )
        for shape, x in (("suv", -1.5), ("jet", 1.5))
    )
    before = view_of(Scene(states, AXES, "gt", camera()), right=0.999, flip=0.001, wrong_way=False)
    after = refined([np.zeros((480, 640, 3), np.uint8)], before)
    for a, b in zip(before.leaves(), after.leaves(), strict=True):
        assert torch.equal(a, b)


def test_a_drawing_agrees_best_with_a_picture_of_the_same():
    """Colours and brightness don't count, a few pixels' shift neither."""
    y, x = np.mgrid[:SIDE, :SIDE]
    masks = [(abs(y - 56) < h) & (abs(x - 56) < w) for h, w in ((14, 34), (30, 18))]
    wide, tall = (np.uint8(np.where(m[..., None], (200, 60, 60), (90, 90, 90))) for m in masks)
    other_paint = np.uint8(np.where(masks[0][..., None], (20, 40, 160), (120, 120, 120)))
    square = np.array([0.0, 0.0, 640.0, 480.0])
    view = ImageCrop.of(np.roll(other_paint, (2, -2), (0, 1)), square)
    assert view.gradients_agree(wide, masks[0]) > 0.95
    assert view.gradients_agree(tall, masks[1]) < 0.8
    assert view.outline_agrees(masks[0]) > view.outline_agrees(masks[1]) + 0.3
    assert view.log_likelihood(wide, np.zeros((SIDE, SIDE), bool)) == 0.0


@pytest.mark.render
def test_equal_batches_give_equal_beliefs_in_any_company():
    (first, truth), (second, other) = example(0), example(1)
    alone = refined([first], view_of(truth, right=0.4, flip=0.4, wrong_way=True))
    refined([second], view_of(other, right=0.4, flip=0.4, wrong_way=True))
    again = refined([first], view_of(truth, right=0.4, flip=0.4, wrong_way=True))
    for a, b in zip(alone.leaves(), again.leaves(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.render
def test_a_batch_gives_the_beliefs_of_its_images_alone():
    pictures, tables = [], []
    for index in range(2):
        picture, truth = example(index)
        pictures.append(picture)
        few = replace(truth, objects=truth.objects[:3], occluders=None)
        tables.append(view_of(few, right=0.4, flip=0.4, wrong_way=True))
    leaves = zip(*(table.leaves() for table in tables), strict=True)
    together = refined(pictures, tables[0].of(torch.cat(pair) for pair in leaves))
    for b, (picture, table) in enumerate(zip(pictures, tables, strict=True)):
        alone = refined([picture], table)
        for one, both in zip(alone.leaves(), together.leaves(), strict=True):
            torch.testing.assert_close(one[0], both[b], rtol=0, atol=1e-9)


@pytest.mark.render
def test_neighbours_hide_a_subject_by_depth():
    renderer = render_compare._renderer()
    world = camera()
    view = Camera(SIDE, SIDE, 300.0, world.cam_T_world, (SIDE / 2, SIDE / 2))
    nearer = 1.5 * world.position[:2] / np.linalg.norm(world.position[:2])

    def placed(shape: str, scale: float, position: np.ndarray) -> PlacedMesh:
        return PlacedMesh(vehicle(shape, 1), scale, tuple(position), 0.8, (0.5, 0.1, 0.1), PAINT)

    neighbours = [], [placed("double", 3.5, nearer)], [placed("double", 3.5, -nearer)]
    subjects = [placed("sedan", 1.8, np.zeros(2)) for _ in neighbours]
    rgb, visible = renderer.render(subjects, range(3), neighbours, [view] * 3)
    alone, behind, in_front = visible
    assert 0 < behind.sum() < 0.9 * alone.sum()
    assert not (behind & ~alone).any()
    np.testing.assert_array_equal(in_front, alone)
    hidden = alone & ~behind
    assert (rgb[1][hidden] != rgb[0][hidden]).any()
    np.testing.assert_array_equal(rgb[1][behind], rgb[0][behind])
    assert (rgb[2][~alone] != rgb[0][~alone]).any()


def test_histograms_are_the_cell_means_of_the_directions():
    gradient = np.random.default_rng(0).normal(size=(2, SIDE, SIDE)).astype(np.float32)
    expected = render_compare._in_cells(render_compare._by_direction(gradient))
    np.testing.assert_allclose(render_compare._histograms(gradient), expected, atol=1e-5)


def has_renderer() -> bool:
    try:
        render_compare.refiner()
    except InputError:
        return False
    return True


def test_renderings_are_compared_by_default_where_a_renderer_is_available():
    expected = "render_compare" if has_renderer() else "off"
    estimator = build_pipeline("street").tables.estimator
    assert (estimator.refine is refined) == (expected == "render_compare")
    assert identity(estimator)["refine"] == expected
    for off in ("off", False):
        estimator = build_pipeline("street", refine=off).tables.estimator
        assert estimator.refine is None
        assert identity(estimator)["refine"] == "off"
    with pytest.raises(InputError, match=r"unknown perception\.refine='draw'"):
        build_pipeline("street", refine="draw")


def test_without_a_renderer_one_note_says_so_and_render_is_refused(monkeypatch, capsys):
    def unavailable():
        raise InputError("no OpenGL 3.3 context over EGL")

    monkeypatch.setattr(render_compare, "_renderer", unavailable)
    scene_sources._note_no_renderer.cache_clear()
    for _ in range(2):
        assert build_pipeline("street").tables.estimator.refine is None
    assert capsys.readouterr().err.count("no OpenGL 3.3 context over EGL") == 1
    with pytest.raises(
        InputError, match=r"perception\.refine=render_compare needs a renderer: no OpenGL"
    ):
        build_pipeline("street", refine="render_compare")
