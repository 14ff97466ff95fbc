"""Shapes, the crop kernel against torchvision's, decoding, and that a step of training lowers the
loss.
"""

import numpy as np
import pytest
import torch
from torchvision.ops import roi_align

from po3d.io.seeding import rng
from po3d.perception.detection import THRESHOLD, _first_of_overlapping, resize
from po3d.perception.network import boxes_at, crop_features, peaks
from po3d.perception.street import StreetEstimator
from po3d.scene.street import AXES, WIDTH, camera, extent, origin_height
from po3d.scene.table import ObjectState, Scene, sure
from po3d.scene.vocabulary import COLORS, SHAPES, SIZES
from po3d.training.estimator import EstimatorModule, photometric
from po3d.training.labels import MAX_OBJECTS, StreetLabels, street_labels
from po3d.training.losses import losses, total
from po3d.training.ranks import Draws, means

TINY = dict(backbone="resnet10t", width=128, height=96, neck=16, hidden=32)


def random_scene(seed: int) -> Scene:
    r = rng(seed, "network-test")
    objects = []
    for _ in range(int(r.integers(3, 7))):
        shape, size = str(r.choice(SHAPES)), str(r.choice(SIZES))
        objects.append(
            ObjectState(
                sure(shape=shape, size=size, color=str(r.choice(COLORS))),
                (*r.uniform(-2, 2, 2).tolist(), origin_height(shape, size)),
                float(r.uniform(-3, 3)),
                tuple(extent(shape, size)),
            )
        )
    return Scene(tuple(objects), AXES, "gt", camera(), tuple({} for _ in objects))


def batch(size: int) -> dict[str, torch.Tensor]:
    labels = [street_labels(random_scene(i)) for i in range(size)]
    stacked = {
        k: torch.from_numpy(np.stack([getattr(x, k) for x in labels])) for k in StreetLabels._fields
    }
    pixels = rng(0, "pixels").integers(0, 255, (size, 3, 96, 128), dtype=np.uint8)
    return stacked | {"image": torch.from_numpy(pixels)}


def test_crops_equal_torchvisions_roi_align():
    features = torch.randn(3, 8, 40, 50, generator=torch.Generator().manual_seed(0)).to(
        memory_format=torch.channels_last
    )
    boxes, index = (
        torch.tensor([[3.0, 4, 20, 30], [10, 2, 45, 38], [1, 1, 9, 5]]),
        torch.tensor([0, 2, 1]),
    )
    rois = torch.cat([index[:, None].float(), boxes], 1)
    torch.testing.assert_close(
        crop_features(features, boxes, index, 8, 2), roi_align(features, rois, 8, 1.0, 2, True)
    )


def test_labels_know_what_the_scene_knows():
    scene = random_scene(5)
    labels = street_labels(scene)
    n = len(scene)
    assert labels.present.sum() == n
    assert (labels.material[:n] == -1).all()  # the scene says nothing about it
    assert (labels.occluder[:n] == MAX_OBJECTS).all()
    assert SHAPES[labels.shape[0]] == scene.objects[0].value("shape")
    centre = np.array([*scene.objects[0].position[:2], scene.objects[0].extent[2] / 2])
    np.testing.assert_allclose(labels.points[0, 8], camera().project(centre)[0], atol=1e-3)


def test_a_few_steps_lower_every_term_that_labels_decide():
    torch.manual_seed(0)
    module = EstimatorModule(TINY)
    data = batch(4)
    optimizer = torch.optim.AdamW(module.parameters(), 3e-3)
    values = []
    for step in range(25):
        terms = means(module._terms(data, "train", step))
        optimizer.zero_grad()
        total(terms).backward()
        optimizer.step()
        values.append({k: v.item() for k, v in terms.items()})
    for name in ("heat", "box", "shape", "color", "points", "heading"):
        assert values[-1][name] < values[0][name], name


def test_unknown_labels_give_no_loss():
    net = StreetEstimator.build(**TINY)
    data = batch(2)
    for name in ("material", "color", "occluder"):
        data[name][:] = -1
    labels = {k: v for k, v in data.items() if k != "image"}
    terms = losses(net, data["image"].float() / 255, labels, Draws(0, "test", 0), WIDTH)
    assert terms["material"] == terms["color"] == terms["occluder"] == 0


def test_detections_are_peaks_and_duplicates_fall():
    heat = torch.full((1, 12, 16), -6.0)
    heat[0, 3, 4], heat[0, 3, 5], heat[0, 9, 9] = 3.0, 2.0, 1.0
    cells, _ = peaks(heat, 4)
    assert cells[0, :2].tolist() == [3 * 16 + 4, 9 * 16 + 9]
    boxes = torch.tensor([[[0.0, 0, 10, 10], [0.5, 0, 10, 10], [20, 20, 30, 30], [0, 0, 5, 5]]])
    assert _first_of_overlapping(
        boxes, torch.tensor([[0.9, 0.8, 0.7, 0.1]]), THRESHOLD
    ).tolist() == [[True, False, True, False]]


def test_boxes_at_cells_have_the_predicted_sides():
    net = StreetEstimator.build(**TINY).eval()
    dense = net(torch.zeros(1, 3, 96, 128))
    box = boxes_at(dense, torch.tensor([[5 * dense.heat.shape[-1] + 7]]))[0, 0]
    sides = dense.box[0, :, 5, 7].exp()
    torch.testing.assert_close(box[0], 7.5 * dense.stride - sides[0])
    torch.testing.assert_close(box[3], 5.5 * dense.stride + sides[3])


def test_estimator_gives_a_scene_per_image_and_alone_equals_batched():
    torch.manual_seed(1)
    estimator = StreetEstimator(StreetEstimator.build(**TINY))
    images = [rng(i, "image").integers(0, 255, (480, 640, 3), dtype=np.uint8) for i in range(3)]
    scenes = estimator.estimate(images, ["a", "b", "c"])
    assert [s.image for s in scenes] == ["a", "b", "c"]
    assert all(s.source == "predicted" for s in scenes)
    assert estimator.estimate([]) == []


def test_photometric_changes_pixels_within_range():
    images = torch.rand(4, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    out = photometric(images.clone(), 1.0, Draws(1, "test", 0))
    assert out.shape == images.shape
    assert 0 <= out.min() <= out.max() <= 1
    assert not torch.equal(out, images)
    same = photometric(images.clone(), 1.0, Draws(1, "test", 0))
    assert torch.equal(out, same)


@pytest.mark.parametrize("size", [(480, 640), (960, 1280)])
def test_resize_keeps_flat_colour(size):
    assert (resize(np.full((*size, 3), 77, np.uint8), 128, 96) == 77).all()
