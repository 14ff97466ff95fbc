"""The copy of timm's RegNetX: equal names, shapes and outputs."""

import subprocess
import sys

import pytest
import torch

from po3d.perception.regnet import BACKBONES, RegNetFeatures


@pytest.mark.parametrize("name", BACKBONES)
def test_its_outputs_are_those_of_timm(name):
    import timm

    torch.manual_seed(0)
    known = timm.create_model(name, features_only=True, in_chans=12).eval()
    for module in known.modules():  # statistics and gains other than the initial ones
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.uniform_(-0.1, 0.1)
            module.running_var.uniform_(0.5, 1.5)
            torch.nn.init.uniform_(module.weight, 0.5, 1.0)
    own = RegNetFeatures(name, 12).eval()
    own.load_state_dict(known.state_dict())
    assert list(own.state_dict()) == list(known.state_dict())
    x = torch.rand(2, 12, 64, 96)
    for a, b in zip(own(x), known(x), strict=True):
        assert torch.equal(a, b)
    for key in ("num_chs", "reduction"):
        assert [i[key] for i in own.feature_info] == [i[key] for i in known.feature_info]


def test_a_shipped_estimator_loads_without_timm():
    code = (
        "import sys; from po3d.perception.street import StreetEstimator as E;"
        "E.named('street_estimator');"
        "print(sorted({'timm', 'torchvision', 'torch._dynamo', 'lightning'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.strip() == "[]", out.stderr[-500:]
