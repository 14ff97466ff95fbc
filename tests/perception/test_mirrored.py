"""Two looks as one: exact on a network that is the same in the mirror, and a picture and its mirror
image get mirrored tables.
"""

import math

import numpy as np
import pytest
import torch

from po3d.perception import detection, room_view
from po3d.perception.detection import detect
from po3d.perception.flip_tta import SWAPPED, FlipTTA
from po3d.perception.fused_network import FusedInput
from po3d.perception.network import HEADING_BINS
from po3d.perception.room_view import RoomViewEstimator
from po3d.perception.street import StreetEstimator
from po3d.scene.geometry import BOX_SIGNS, MIRRORED_CORNERS, box_corners, wrap_angle


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return RoomViewEstimator.build(width=160, height=128, hidden=32, neck=16, pose_hidden=24).eval()


@pytest.fixture(scope="module")
def street():
    torch.manual_seed(0)
    return StreetEstimator.build(width=128, height=96, hidden=32, neck=16, pose_hidden=24).eval()


def pictures(count=2):
    return torch.rand(count, 3, 128, 160, generator=torch.Generator().manual_seed(1))


def test_corners_visible_in_a_mirror_are_those_of_the_mirrored_box():
    position, heading, extent = np.array([2.0, 1.0]), 0.7, np.array([3.0, 1.5, 1.0])
    there = box_corners(position * (1, -1), -heading, extent)
    np.testing.assert_allclose(
        box_corners(position, heading, extent)[list(MIRRORED_CORNERS)] * (1, -1, 1), there
    )
    assert sorted(MIRRORED_CORNERS) == list(range(len(BOX_SIGNS)))


@pytest.mark.parametrize("facing", [0.0, math.pi / 2])
def test_the_mirror_image_gets_the_mirrored_detections(net, facing):
    looks, images = FlipTTA(net, facing), pictures()
    log_focal = torch.tensor([0.1, -0.2])

    def found(batch):
        return detect(
            looks, batch, 160, 12, room_view.CALIBRATION, threshold=0.0, log_focal=log_focal
        )  # untrained: everything counts

    here, there = found(images), found(images.flip(-1))
    for b in range(2):
        n = int(here.present[b].sum())
        assert n == there.present[b].sum()
        assert n > 2
        # equally strong detections may change order: pair them by their boxes
        flipped = there.box[b, :n][:, [2, 1, 0, 3]] * (-1, 1, -1, 1) + (160, 0, 160, 0)
        pair = np.abs(here.box[b, :n, None] - flipped[None]).max(-1).argmin(1)
        assert sorted(pair) == list(range(n))
        np.testing.assert_allclose(here.box[b, :n], flipped[pair], atol=1e-2)
        np.testing.assert_allclose(here.score[b, :n], there.score[b, pair], atol=1e-4)
        for name, p in here.probabilities.items():
            np.testing.assert_allclose(p[b, :n], there.probabilities[name][b, pair], atol=1e-4)
        np.testing.assert_allclose(
            here.points[b, :n], there.points[b, pair][:, SWAPPED] * (-1, 1) + (160, 0), atol=2e-2
        )
        np.testing.assert_allclose(here.sigma[b, :n], there.sigma[b, pair][:, SWAPPED], atol=1e-2)
        np.testing.assert_allclose(
            wrap_angle(here.alpha[b, :n] - 2 * facing + there.alpha[b, pair]), 0, atol=1e-3
        )
        np.testing.assert_allclose(here.flip[b, :n], there.flip[b, pair], atol=1e-4)
        np.testing.assert_allclose(here.depth[b, :n], there.depth[b, pair], atol=1e-3)
        np.testing.assert_allclose(here.extent[b, :n], there.extent[b, pair], rtol=1e-3)
        within = [*pair, here.occluder.shape[-1] - 1]
        np.testing.assert_allclose(
            here.occluder[b, :n][:, [*range(n), -1]], there.occluder[b, pair][:, within], atol=1e-4
        )
        np.testing.assert_allclose(here.hold[b, :, 0] * (-1, 1, 1), there.hold[b, :, 0], atol=1e-4)


@pytest.mark.parametrize("facing", [0.0, math.pi / 2])
def test_bins_are_those_of_mirrored_headings(net, facing):
    bins, width = FlipTTA(net, facing).bins, 2 * math.pi / HEADING_BINS
    for k in range(HEADING_BINS):
        mirrored = (2 * facing - (k + 0.5) * width) % (2 * math.pi)
        assert bins[k] == int(mirrored // width)
    assert [bins[j] for j in bins] == list(range(HEADING_BINS))


@torch.no_grad()
def test_a_surer_look_counts_for_more(net):
    """Of two looks at a thing, numbers follow the one with the smaller scale, and words their log
    probabilities' mean.
    """
    looks, images = FlipTTA(net), pictures(1)
    dense = looks(images)
    boxes, index = torch.tensor([[40.0, 40.0, 90.0, 100.0]]), torch.zeros(1, dtype=torch.long)
    both = [
        net.describe(net(x), b, index)
        for x, b in ((images, boxes), (images.flip(-1), looks._mirrored(boxes)))
    ]
    merged = looks.describe(dense, boxes, index)
    names = [o.attributes["name"].log_softmax(-1) for o in both]
    torch.testing.assert_close(
        merged.attributes["name"], (names[0] + names[1]) / 2, atol=1e-4, rtol=1e-3
    )
    a, b = (o.depth[0, 0] for o in both)
    sure, unsure = (
        (o.depth[0, 0], o.depth[0, 1]) for o in sorted(both, key=lambda o: float(o.depth[0, 1]))
    )
    assert min(a, b) - 1e-5 <= merged.depth[0, 0] <= max(a, b) + 1e-5
    assert abs(merged.depth[0, 0] - sure[0]) <= abs(merged.depth[0, 0] - unsure[0]) + 1e-5


def test_existence_follows_the_calibration(net):
    images = pictures(1)
    scores = [
        detect(
            net, images, 160, 8, room_view.CALIBRATION | c, threshold=0.0, log_focal=torch.zeros(1)
        ).score
        for c in ({}, {"slope": 2.0, "offset": 1.0})
    ]
    raw, shifted = (np.log(s / (1 - s)) for s in scores)
    np.testing.assert_allclose(shifted, 2 * raw + 1, atol=1e-6)
    assert detection.CALIBRATION.keys() <= room_view.CALIBRATION.keys()


def lit(images, red, blue):
    """Grey pictures on average, with structure, under light of that colour; far from white, so that
    nothing clips.
    """
    linear = (0.2 + 0.2 * images.mean(1, keepdim=True)) * torch.tensor([red, 1.0, blue]).view(
        1, 3, 1, 1
    )
    return linear ** (1 / 2.2)


def test_coloured_light_is_taken_away_for_the_second_look_and_white_light_left(net):
    looks, images = FlipTTA(net, cast=0.15), pictures()
    white, warm = lit(images, 1.05, 0.95), lit(images, 1.5, 0.5)
    visible, coloured = looks._grey_balanced(torch.cat([white, warm]))
    assert coloured.tolist() == [False, False, True, True]
    assert torch.equal(visible[:2], white)
    torch.testing.assert_close(visible[2:], lit(images, 1.0, 1.0), atol=0.02, rtol=0)
    assert torch.equal(FlipTTA(net)._grey_balanced(warm)[0], warm)


def test_pixels_of_the_faster_copy_are_balanced_alike(net):
    images = (
        (lit(pictures(), 1.5, 0.5) * 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()
    )
    result = []
    for part in (net.input, FusedInput(160)):
        supplied = part.pixels(images)
        torch.testing.assert_close(part.colours(supplied), images.permute(0, 3, 1, 2) / 255)
        gain = torch.tensor([0.7, 1.0, 2.5]).view(1, 3, 1, 1)
        result.append(part.colours(part.scaled(supplied, gain)))
    torch.testing.assert_close(result[0], result[1], atol=1e-4, rtol=0)
    assert result[0].max() == 1


@torch.no_grad()
def test_paints_are_reported_by_the_picture_as_it_is(street):
    images = lit(torch.rand(1, 3, 96, 128, generator=torch.Generator().manual_seed(1)), 1.5, 0.5)
    boxes, index = torch.tensor([[20.0, 20.0, 60.0, 70.0]]), torch.zeros(1, dtype=torch.long)
    alone = street.describe(street(images), boxes, index).attributes
    looks = FlipTTA(street, cast=0.15)
    both = looks.describe(looks(images), boxes, index).attributes
    torch.testing.assert_close(both["color"], alone["color"].log_softmax(-1), atol=1e-4, rtol=1e-3)
    assert not torch.allclose(both["shape"], alone["shape"].log_softmax(-1), atol=1e-4)
