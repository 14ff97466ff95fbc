"""The networks on crops of boxes: what they learn, and their trainings."""

import importlib.util
import json

import pytest
import torch

from po3d.io.config import ROOT
from po3d.io.errors import InputError
from po3d.perception.crops import CropNet, StreetAttributes, StreetPose
from po3d.training.callbacks import MetricsTable
from po3d.training.estimator import EstimatorModule
from po3d.training.losses import losses, total
from po3d.training.ranks import Draws
from po3d.training.samplers import collate_pictures
from po3d.training.street_scenes import FolderScenes

MINI = ROOT / "data" / "mini" / "pulsecheck457"
_SPEC = importlib.util.spec_from_file_location("train_script", ROOT / "train.py")
script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(script)
WIDTH = 640
TINY = [
    "data=superclevr",
    f"data.root={MINI}",
    "data.split=test",
    "data.width=96",
    "data.height=64",
    "data.batch=2",
    "data.validation=2",
    "model.network.backbone=test_resnet",
    "model.network.pretrained=false",
    "model.network.crop=32",
    "trainer.pictures=2",
    "trainer.limit_val_batches=1",
    "trainer.precision=32-true",
    "+trainer.enable_progress_bar=false",
    "save_every=1",
    "steps=3",
]
TERMS = {
    StreetAttributes: {"shape", "color", "size", "material"},
    StreetPose: {"heading", "flip", "residual", "points"},
}


class Killed(BaseException):
    pass


@pytest.mark.parametrize("kind", [StreetAttributes, StreetPose])
def test_a_network_on_crops_learns_a_few_pictures_by_heart(kind):
    scenes = FolderScenes(MINI, 320, 240)
    batch = collate_pictures([scenes[k] for k in range(4)])
    images = batch.pop("image").float() / 255
    torch.manual_seed(0)
    net = kind.build(backbone="test_resnet", width=320, height=240, crop=32, hidden=64)
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    values = []
    for step in range(50):
        terms = losses(net, images, batch, Draws(step, "test", 0), WIDTH)
        values.append(total(terms))
        optimizer.zero_grad()
        values[-1].backward()
        optimizer.step()
    assert set(terms) == TERMS[kind]
    assert sum(values[-5:]) < 0.6 * sum(values[:5])


@pytest.mark.parametrize("kind", ["street_attributes", "street_pose"])
def test_a_killed_training_of_a_module_ends_with_the_weights_of_a_straight_one(
    kind, tmp_path, monkeypatch, capsys
):
    def fit(out) -> bytes:
        assert (
            script.run([f"experiment={kind}", *TINY, f"out={out}", f"export={out / 'pair'}"]) == 0
        )
        return (out / "pair.safetensors").read_bytes()

    straight = fit(tmp_path / "straight")
    printed = capsys.readouterr().out
    part = kind.removeprefix("street_")
    assert f"perception.modules.{part}={tmp_path / 'straight' / 'pair'}" in printed
    figures = json.loads((tmp_path / "straight" / "metrics.json").read_text())
    wanted = {"attributes": "val/shape_accuracy", "pose": "val/yaw_median_deg"}
    assert {wanted[part], "val/answer_accuracy", "val/recall"} <= set(figures)
    card = json.loads((tmp_path / "straight" / "pair.json").read_text())
    assert card["kind"] == kind
    assert card["training"]["scenes"]
    assert card["config"]["network"]["backbone"] == "test_resnet"
    monkeypatch.setattr(MetricsTable, "finalize", lambda *_: None)

    def die(self, optimizer):
        if self.global_step == 1:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(EstimatorModule, "on_before_optimizer_step", die, raising=False)
        with pytest.raises(Killed):
            fit(tmp_path / "killed")
    assert fit(tmp_path / "killed") == straight


def test_a_backbone_that_cannot_be_used_is_one_line(capsys):
    with pytest.raises(
        InputError, match=r"backbone=vit_tiny_patch16_224 accepts crop=224 only, not 96"
    ):
        CropNet({"shape": 2}, backbone="vit_tiny_patch16_224")
    with pytest.raises(InputError, match="backbone=nothing"):
        CropNet({"shape": 2}, backbone="nothing")


def test_crops_are_squares_around_the_box():
    net = CropNet({"shape": 2}, backbone="test_resnet", width=64, height=48, crop=16)
    visible = []
    net.backbone.register_forward_pre_hook(lambda _, inputs: visible.append(inputs[0]))
    images = torch.zeros(1, 3, 48, 64)
    images[:, 0, :, 32:] = 1  # the right half is red
    net.eval()
    with torch.inference_mode():
        dense = net(images.contiguous(memory_format=torch.channels_last))
        net.describe(dense, torch.tensor([[27.0, 14.0, 37.0, 34.0]]), torch.tensor([0]))
    (crop,) = visible
    assert crop.shape == (1, 3, 16, 16)
    red = crop[0, 0] - crop[0, 0].min()
    assert red[:, :7].max() < 1e-4
    assert (red[:, 9:] > 1).all()
