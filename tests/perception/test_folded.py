"""The network that looks is the one that was trained: folded batch norms and pixels taken as they
come change no belief.
"""

import numpy as np
import pytest
import torch
from torch import nn

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.io.checkpoint import locate
from po3d.perception import estimator
from po3d.perception.fused_network import FusedInput, folded
from po3d.perception.network import Input
from po3d.perception.room_view import RoomViewEstimator
from po3d.perception.street import StreetEstimator
from po3d.scene.table import to_json

SIZE = dict(width=128, height=96, neck=16, hidden=32)


def trained(**network):
    """A network whose batch norms have seen something."""
    torch.manual_seed(0)
    net = StreetEstimator.build(**SIZE | network).eval()
    for part in net.modules():
        if isinstance(part, nn.BatchNorm2d):
            for values in (part.running_mean, part.bias.data):
                values.normal_(0, 0.1)
            for values in (part.running_var, part.weight.data):
                values.uniform_(0.7, 1.3)
    return net


def pictures(count=2, width=128, height=96):
    return np.random.default_rng(0).integers(0, 256, (count, height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize(
    ("backbone", "fold", "first"),
    [
        ("regnetx_002", 2, FusedInput),
        ("resnet10t", 2, FusedInput),
        ("resnet18", 1, FusedInput),
        ("mobilenetv3_small_050", 2, FusedInput),
        ("tf_efficientnet_lite0", 2, Input),  # pads unevenly
    ],
)
@torch.inference_mode()
def test_any_backbone_says_the_same_folded(backbone, fold, first):
    net = trained(backbone=backbone, fold=fold, context=5)
    nn.init.normal_(net.context_output.weight)
    looks, pixels = folded(net), torch.from_numpy(pictures())
    assert not any(isinstance(part, nn.BatchNorm2d) for part in looks.modules())
    assert isinstance(looks.input, first)
    here, there = net(net.input.pixels(pixels)), looks(looks.input.pixels(pixels))
    boxes, index = torch.tensor([[10.0, 10, 60, 50], [50, 20, 120, 90]]), torch.tensor([0, 1])
    for a, b in ((here.heat, there.heat), (here.box, there.box), (here.features, there.features)):
        torch.testing.assert_close(a, b, atol=1e-4, rtol=1e-3)
    ours, others = (n.describe(d, boxes, index) for n, d in ((net, here), (looks, there)))
    torch.testing.assert_close(ours.points, others.points, atol=1e-4, rtol=1e-3)


def test_the_trained_network_stays_as_it_was():
    net = trained(backbone="resnet10t")
    before = {k: v.clone() for k, v in net.state_dict().items()}
    folded(net)
    assert net.state_dict().keys() == before.keys()
    assert all(torch.equal(v, before[k]) for k, v in net.state_dict().items())


@pytest.mark.parametrize("flip_tta", [False, True])
def test_detections_are_those_of_the_plain_estimator(flip_tta, monkeypatch):
    monkeypatch.setattr(StreetEstimator, "threshold", 0.005)
    net, images = trained(backbone="resnet10t"), pictures(5)
    result, plain = (
        StreetEstimator(net, flip_tta=flip_tta, plain=p).detect(images) for p in (False, True)
    )
    assert result.present.sum() > 10
    np.testing.assert_array_equal(result.present, plain.present)
    for name in ("score", "box", "points", "sigma", "alpha", "flip"):
        a, b = (getattr(d, name)[result.present] for d in (result, plain))
        np.testing.assert_allclose(a, b, atol=2e-3, err_msg=name)
    for name, p in plain.probabilities.items():
        np.testing.assert_allclose(result.probabilities[name], p, atol=1e-4)


def test_with_bf16_the_shipped_estimator_sees_the_same_things(monkeypatch):
    split = pulsecheck457.open_mini()
    images = [
        split.image(name) for name in list(dict.fromkeys(q.image for q in split.questions))[:2]
    ]
    tables = []
    for half in (False, True):
        monkeypatch.setattr(estimator, "pays_bf16", lambda device, half=half: half)
        tables.append(StreetEstimator.from_checkpoint(locate("street_estimator")).estimate(images))
    for plain, table in zip(*tables, strict=True):
        assert len(plain) == len(table) > 2
        for one, other in zip(plain.objects, table.objects, strict=True):
            assert [one.value(a) for a in one.beliefs] == [other.value(a) for a in other.beliefs]
            np.testing.assert_allclose(one.position, other.position, atol=0.05)


@pytest.mark.parametrize("flip_tta", [False, True])
def test_how_many_are_read_together_changes_no_bit(flip_tta, monkeypatch):
    monkeypatch.setattr(StreetEstimator, "threshold", 0.005)
    street, images = (
        StreetEstimator(trained(backbone="regnetx_002"), flip_tta=flip_tta),
        pictures(7),
    )
    together = [to_json(scene) for scene in street.estimate(images)]
    assert [to_json(scene) for image in images for scene in street.estimate([image])] == together
    assert [to_json(scene) for scene in street.estimate(images[2:5])] == together[2:5]
    assert sum(len(scene["objects"]) for scene in together) > 10


@pytest.mark.parametrize("flip_tta", [False, True])
def test_how_many_are_read_together_changes_no_bit_of_how_the_camera_is_held(flip_tta):
    torch.manual_seed(0)
    net, images = RoomViewEstimator.build(**SIZE, backbone="regnetx_002"), pictures(7)
    estimator = RoomViewEstimator(net, flip_tta=flip_tta)
    together = estimator.detect(images, [1.0] * 7).hold
    for part in (slice(0, 1), slice(1, 3), slice(2, 5)):
        np.testing.assert_array_equal(
            estimator.detect(images[part], [1.0] * len(images[part])).hold, together[part]
        )
