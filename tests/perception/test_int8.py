"""Maps in 8 bits: steps of the right size, what OpenVINO makes of them, boxes hardly elsewhere than
in fp32.
"""

import math
import re
import sys

import pytest
import torch
from test_folded import pictures, trained
from torch import nn

from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.io.images import read_image
from po3d.io.paths import ROOT
from po3d.perception.fused_network import folded
from po3d.perception.int8 import LAST, MAPS, Rounded, on_openvino, ranges, rounded
from po3d.perception.room_view import RoomViewEstimator
from po3d.perception.street import StreetEstimator
from po3d.perception.top_view import TopViewEstimator

PICTURE = ROOT / "data" / "examples" / "street.jpg"


@pytest.fixture(scope="module")
def looks():
    return folded(trained(backbone="regnetx_002", context=5))


@pytest.fixture(scope="module")
def seen(looks):
    return ranges(looks, (looks.input.pixels(torch.from_numpy(p[None])) for p in pictures(6)))


@pytest.mark.parametrize("groups", [1, 4])
@torch.inference_mode()
def test_a_convolution_takes_and_has_numbers_of_8_bits(groups):
    torch.manual_seed(0)
    conv = nn.Conv2d(8, 8, 3, padding=1, groups=groups)
    x = torch.linspace(-2, 6, 2 * 8 * 5 * 5).reshape(2, 8, 5, 5)
    scale = 5.1 / 255
    steps = ((x / scale).round() + round(1 / scale)).clamp(
        0, 255
    )  # from -1 to 4.1; what is beyond is cut
    scales = conv.weight.abs().amax((1, 2, 3), keepdim=True) / 127
    weight = (conv.weight / scales).round() * scales
    taken = (steps - round(1 / scale)) * scale
    wanted = nn.functional.conv2d(taken, weight, conv.bias, padding=1, groups=groups)
    torch.testing.assert_close(Rounded(conv, -1.0, 4.1)(x), wanted, atol=1e-5, rtol=1e-5)


@torch.inference_mode()
def test_maps_are_near_those_of_fp32_and_the_last_convolution_is_as_it_was(looks, seen):
    assert LAST not in seen
    assert not any(name.startswith(("box_convs", "detail_conv", "context_conv")) for name in seen)
    assert all(low < high for low, high in seen.values())
    net = rounded(looks, seen)
    assert sum(isinstance(part, Rounded) for part in net.modules()) == len(seen) > 20
    images = looks.input.pixels(torch.from_numpy(pictures()))
    here, there = looks(images), net(images)
    for name in ("heat", "box", "features", "detail"):
        a, b = getattr(here, name), getattr(there, name)
        assert 0 < (a - b).abs().mean() < 0.1 * a.std(), name


@pytest.mark.parametrize("told", [{}, {"dense": (0.0, 1.0)}])
def test_ranges_of_another_network_are_one_line(looks, told):
    with pytest.raises(InputError, match=r"po3d\.training\.calibrate"):
        rounded(looks, told)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [(RoomViewEstimator, "room_view_estimator"), (TopViewEstimator, "top_view_estimator")],
)
def test_the_shipped_estimators_of_rooms_have_the_ranges_of_their_convolutions(estimator, name):
    path = checkpoint.locate(name)
    stated = read_json(path.with_suffix(".json"), "checkpoint")["config"]["ranges"]
    net = rounded(estimator.from_checkpoint(path).once, stated)
    assert sum(isinstance(part, Rounded) for part in net.modules()) == len(stated) > 70


def test_without_openvino_it_is_reported_how_to_get_it(looks, seen, monkeypatch):
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(InputError, match=re.escape("pip install 'po3d[openvino]'")):
        on_openvino(looks, seen)


@torch.inference_mode()
def test_openvino_says_what_the_rounded_network_says_whatever_is_beside_it(looks, seen):
    pytest.importorskip("openvino")
    net, fast = rounded(looks, seen), on_openvino(looks, seen)
    images = looks.input.pixels(torch.from_numpy(pictures(5)))
    plain, together = net(images), fast(images)
    for name in MAPS:
        a, b = getattr(plain, name), getattr(together, name)
        assert a.shape == b.shape
        assert (a - b).abs().mean() < 0.03 * a.std(), (
            name  # a sum at a border of two steps is rounded either way
        )
    assert together.stride == plain.stride
    for k in range(5):
        alone = fast(images[k : k + 1])
        assert all(torch.equal(getattr(alone, n)[0], getattr(together, n)[k]) for n in MAPS)


def test_the_shipped_street_estimator_sees_the_same_things_in_8_bits():
    pytest.importorskip("openvino")
    picture = read_image(PICTURE)
    (here,), (there,) = (
        StreetEstimator.named("street_estimator", True, device).estimate([picture])
        for device in ("cpu", "openvino")
    )
    sure = [o for o in here.objects if o.existence > 0.9]
    assert len(sure) > 3
    for one in sure:
        far, other = min(
            (math.dist(one.position, o.position), k) for k, o in enumerate(there.objects)
        )
        assert far < 0.1
        for attribute in ("shape", "color", "size"):
            name = one.value(attribute)
            assert there.objects[other].beliefs[attribute][name] == pytest.approx(
                one.beliefs[attribute][name], abs=0.15
            )
