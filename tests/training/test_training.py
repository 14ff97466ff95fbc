"""Checkpoints without pickles; packed data equals what was packed; what modules start from."""

import json

import numpy as np
import pytest
import torch
from tiny_trainings import Noise

from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.perception.network import Dense
from po3d.perception.street import KIND, StreetEstimator
from po3d.training import quantize
from po3d.training.checkpointing import SafetensorsCheckpointIO, _decode, _encode
from po3d.training.estimator import EstimatorModule
from po3d.training.losses import own_boxes
from po3d.training.street_scenes import PackedScenes, pack

TINY = dict(backbone="resnet10t", width=96, height=64, neck=8, hidden=16)


def test_checkpoint_encoding_keeps_every_plain_type():
    value = {
        "a": (1, 2.5, None),
        3: [True, "x"],
        "t": torch.arange(4),
        "n": {"deep": {(): "empty"}},
    }
    tensors: dict[str, torch.Tensor] = {}
    text = json.dumps(_encode(value, tensors))
    back = _decode(json.loads(text), tensors)
    assert back["a"] == (1, 2.5, None)
    assert back[3] == [True, "x"]
    assert torch.equal(back["t"], torch.arange(4))
    assert back["n"] == {"deep": {(): "empty"}}
    with pytest.raises(TypeError, match="cannot store"):
        _encode(object(), {})


def test_a_foreign_checkpoint_is_refused(tmp_path):
    (tmp_path / "x.ckpt").write_bytes(b"not ours")
    with pytest.raises(InputError, match="not a training checkpoint"):
        SafetensorsCheckpointIO().load_checkpoint(tmp_path / "x.ckpt")


def test_packed_shards_equal_the_source_and_are_not_written_twice(tmp_path):
    packed = pack(Noise(5), tmp_path / "p", workers=1)
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "p").glob("*.np*")}
    again = pack(Noise(5), tmp_path / "p", workers=2)
    assert {p.name: p.stat().st_mtime_ns for p in (tmp_path / "p").glob("*.np*")} == before
    for i in range(5):
        for key, value in Noise(5)[i].items():
            np.testing.assert_array_equal(packed[i][key], value)
            np.testing.assert_array_equal(again[i][key], value)
    with pytest.raises(InputError, match="other training images"):
        pack(Noise(6), tmp_path / "p", workers=1)


def test_exported_pairs_load_and_damaged_ones_do_not(tmp_path):
    torch.manual_seed(0)
    module = EstimatorModule(TINY)
    path = module.export(tmp_path / "tiny", {"seed": 0}, {"val": 1.0})
    estimator = StreetEstimator.from_checkpoint(path, plain=True)
    for name, value in estimator.once.state_dict().items():
        torch.testing.assert_close(
            value,
            module.net.state_dict()[name].half().float() if value.is_floating_point() else value,
        )
    with pytest.raises(InputError, match="holds a street_estimator, not a"):
        checkpoint.load(path, "something else")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="sha256"):
        checkpoint.load(path, KIND)
    with pytest.raises(InputError, match="pickled"):
        checkpoint.load(tmp_path / "x.pt", KIND)
    with pytest.raises(InputError, match="not found"):
        checkpoint.load(tmp_path / "nothing", KIND)


def test_packed_scenes_need_their_description(tmp_path):
    with pytest.raises(InputError, match="not found"):
        PackedScenes(tmp_path)


def test_frozen_backbones_stay(tmp_path):
    module = EstimatorModule(TINY, freeze_backbone=True)
    assert not any(p.requires_grad for p in module.net.backbone.parameters())
    assert StreetEstimator.build(**module.net.config).config == module.net.config


def test_only_the_modules_that_are_not_frozen_learn():
    module = EstimatorModule(TINY, freeze=["backbone", "smooth"])
    learning = {n.split(".")[0] for n, p in module.net.named_parameters() if p.requires_grad}
    assert learning == {n for n, _ in module.net.named_children()} - {"backbone", "smooth", "input"}
    with pytest.raises(InputError, match="unknown model"):
        EstimatorModule(TINY, freeze=["neck"])


def test_retained_statistics_stay_while_weights_learn():
    images = torch.rand(2, 3, 64, 96, generator=torch.Generator().manual_seed(0))
    for retained in (True, False):
        module = EstimatorModule(TINY, keep_statistics=retained)
        before = {k: v.clone() for k, v in module.net.state_dict().items() if "running" in k}
        module.eval()
        module.train().net(images)
        after = module.net.state_dict()
        assert all(torch.equal(after[k], v) for k, v in before.items()) == retained
        assert all(p.requires_grad for p in module.net.backbone.parameters())


def test_a_trunk_for_poses_begins_with_what_the_shared_one_reported(tmp_path):
    shared = EstimatorModule(TINY)
    shared.export(tmp_path / "shared", {}, {})
    own = EstimatorModule(TINY | {"pose_hidden": 24}, init_from=str(tmp_path / "shared"))
    images = torch.rand(1, 3, 64, 96, generator=torch.Generator().manual_seed(0))
    boxes = torch.tensor([[10.0, 12.0, 50.0, 40.0]])
    reply = []
    for module in (shared, own):
        net = module.net.eval()
        with torch.no_grad():
            reply.append(net.describe(net(images), boxes, torch.zeros(1, dtype=torch.long)))
    before, after = reply
    for name in before.attributes:  # the pair is stored in 16 bits
        torch.testing.assert_close(
            after.attributes[name], before.attributes[name], atol=2e-2, rtol=2e-2
        )
    for field in ("heading", "residual", "points", "point_scale", "embedding"):
        torch.testing.assert_close(
            getattr(after, field), getattr(before, field), atol=2e-2, rtol=2e-2
        )
    narrow = EstimatorModule(TINY | {"pose_hidden": 8}, init_from=str(tmp_path / "shared"))
    assert narrow.net.pose_trunk[0].weight.shape[0] == 8  # too narrow for a copy: it begins anew


def described(net, images, boxes):
    """Return the outputs of the box head, concatenated (K, all sizes)."""
    net.eval()
    with torch.no_grad():
        output = net.describe(net(images), boxes, torch.zeros(len(boxes), dtype=torch.long))
    return torch.cat([*output.attributes.values(), output.heading, output.points.flatten(1)], 1)


@pytest.mark.parametrize("pose_hidden", [0, 24])
def test_context_starts_without_effect_and_reads_the_surroundings(tmp_path, pose_hidden):
    sizes = TINY | {"pose_hidden": pose_hidden}
    torch.manual_seed(0)
    EstimatorModule(sizes).export(tmp_path / "before", {}, {})
    nets = [
        EstimatorModule(sizes | more, init_from=str(tmp_path / "before")).net
        for more in ({}, {"context": 0}, {"context": 6})
    ]
    assert "context" not in nets[1].config
    assert nets[1].state_dict().keys() == nets[0].state_dict().keys()
    images = torch.rand(1, 3, 64, 96, generator=torch.Generator().manual_seed(0))
    boxes = torch.tensor([[10.0, 12.0, 50.0, 40.0], [60.0, 30.0, 95.0, 63.0]])
    before = described(nets[0], images, boxes)
    assert torch.equal(described(nets[1], images, boxes), before)
    net = nets[2]
    assert torch.equal(described(net, images, boxes), before)
    torch.nn.init.normal_(net.context_output.weight)
    assert not torch.isclose(described(net, images, boxes), before).all(1).any()

    inside = torch.zeros(1, 1, 8, 12)  # cells of features within 8 pixels of the first box
    inside[:, :, 0:7, 0:8] = 1
    with torch.no_grad():
        dense = net(images)
        other = dense._replace(features=dense.features * inside)
        index = torch.zeros(1, dtype=torch.long)
        a, b = (net.describe(d, boxes[:1], index).heading for d in (dense, other))
        net.context_output.weight.zero_()
        c, d = (net.describe(d, boxes[:1], index).heading for d in (dense, other))
    assert not torch.isclose(a, b).any()  # it depends on features beyond the box
    assert torch.equal(c, d)


def test_context_survives_a_checkpoint_in_both_forms(tmp_path):
    torch.manual_seed(0)
    module = EstimatorModule(TINY | {"context": 6})
    torch.nn.init.normal_(module.net.context_output.weight)
    module.export(tmp_path / "whole", {}, {})
    checkpoint.compact(tmp_path / "whole", tmp_path / "small")
    images = torch.rand(1, 3, 64, 96, generator=torch.Generator().manual_seed(0))
    boxes = torch.tensor([[10.0, 12.0, 50.0, 40.0]])
    before = described(module.net, images, boxes)
    for name in ("whole", "small"):
        net = StreetEstimator.from_checkpoint(tmp_path / name, flip_tta=False, plain=True).looks
        assert net.config == module.net.config
        torch.testing.assert_close(described(net, images, boxes), before, atol=0.05, rtol=0.05)
    with pytest.raises(InputError, match="context=-1 should be at least 0"):
        EstimatorModule(TINY | {"context": -1})


def test_quantize_stores_the_occluder_head_of_untrained_kinds_in_two_bits(tmp_path, monkeypatch):
    tiny = {k: v for k, v in TINY.items() if k not in ("width", "height")}
    for world, retained in (("street", True), ("room_view", False)):
        module = EstimatorModule(tiny | {"width": 96, "height": 64}, world=world)
        module.export(tmp_path / world, {}, {})
        small = tmp_path / f"{world}-small"
        monkeypatch.setattr("sys.argv", ["quantize", str(tmp_path / world), str(small)])
        assert quantize.main() == 0
        before, after = (checkpoint.load(path)[0] for path in (tmp_path / world, small))
        assert before.keys() == after.keys()
        values = {name: len(after[name][0].unique()) for name in quantize.OCCLUDER_MATRICES}
        assert all((count > 4) == retained for count in values.values())
        assert len(after["trunk.0.weight"][0].unique()) > 4


def test_the_box_head_learns_on_the_dense_heads_own_boxes_where_they_fit():
    h, w, stride = 8, 12, 8
    centres = torch.tensor([[[44.0, 36.0], [76.0, 20.0]]])  # the middles of cells (5, 4) and (9, 2)
    sides = torch.tensor([10.0, 12.0, 14.0, 16.0])
    box = sides.log().view(1, 4, 1, 1).expand(1, 4, h, w).clone()
    dense = Dense(
        torch.zeros(1, h, w),
        box,
        torch.zeros(1, 1, h, w),
        torch.zeros(1, 1, h, w),
        stride,
        torch.zeros(1),
    )
    reply = torch.cat([centres - sides[:2], centres + sides[2:]], -1)
    far = reply.clone()
    far[0, 1, 2] += 40  # the second thing is much wider than the dense head says
    own, fit = own_boxes(dense, centres, far, torch.zeros(1, 2, dtype=torch.long))
    torch.testing.assert_close(own, reply)
    assert fit.tolist() == [[True, False]]
