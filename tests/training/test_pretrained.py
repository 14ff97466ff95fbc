"""Backbones that start from ImageNet's weights out of a package."""

import sys
from types import SimpleNamespace

import pytest
import timm
import torch

from po3d.io.errors import InputError
from po3d.training import warm_start
from po3d.training.estimator import EstimatorModule

LITE = "tf_efficientnet_lite0"


def packaged(path, monkeypatch, model):
    """A package that holds the weights of `model` under names of its own."""
    torch.save({f"w{k}": w for k, w in enumerate(model.state_dict().values())}, path)
    holder = SimpleNamespace(get_model_file_path=lambda: str(path))
    monkeypatch.setitem(sys.modules, "weights_of_a_test", SimpleNamespace(Holder=holder))
    monkeypatch.setitem(warm_start.PACKAGES, LITE, ("weights_of_a_test", "Holder"))


@pytest.mark.parametrize("fold", [1, 2])
def test_the_backbone_sees_in_blocks_what_the_pretrained_one_sees_at_half_the_size(
    fold, tmp_path, monkeypatch
):
    torch.manual_seed(0)
    model = timm.create_model(LITE)
    packaged(tmp_path / "weights.pth", monkeypatch, model)
    net = EstimatorModule({"backbone": LITE, "pretrained": "package", "fold": fold}).net.eval()
    small = torch.rand(1, 3, 64, 96)
    blocks = small.repeat_interleave(fold, 2).repeat_interleave(fold, 3)
    with torch.no_grad():
        maps = net.backbone(torch.nn.functional.pixel_unshuffle(blocks, fold))
        coarsest = model.eval().blocks(model.bn1(model.conv_stem(small)))
    torch.testing.assert_close(maps[-1], coarsest, rtol=1e-3, atol=1e-4)


def test_what_is_missing_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(warm_start.PACKAGES, LITE, ("no_such_package", "Holder"))
    with pytest.raises(InputError, match=r"po3d\[pretrained\]"):
        EstimatorModule({"backbone": LITE, "pretrained": "package"})
    with pytest.raises(InputError, match=LITE):
        EstimatorModule({"backbone": "resnet18", "pretrained": "package"})
    packaged(tmp_path / "weights.pth", monkeypatch, timm.create_model("resnet18"))
    with pytest.raises(InputError, match="does not contain"):
        EstimatorModule({"backbone": LITE, "pretrained": "package"})
