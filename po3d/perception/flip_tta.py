"""Horizontal-flip test-time augmentation.

Mirroring keeps names, colours, sizes and depths, and reflects positions and headings. Averaging the
outputs of both images reduces errors at the cost of a second forward pass and without training.

For images with a colour cast the mirrored image can be white-balanced: objects are detected better
there, while colours are classified better from the original image, which shows the illumination.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from po3d.perception.network import HEADING_BINS, BoxOutput, Dense, SceneNet
from po3d.scene.geometry import MIRRORED_CORNERS

GAMMA = 2.2
EVERY = 4  # pixel stride along each axis for an image's mean colour
# order of the image points after mirroring: the box's corners; the centre stays
SWAPPED = [*MIRRORED_CORNERS, 8]


class FlippedDense(NamedTuple):
    """Dense outputs (`network.Dense`) of an image and its mirror image, combined."""

    heat: Tensor  # (B, layers h, w)
    box: Tensor  # (B, 4, layers h, w)
    stride: int
    both: Dense  # of the B images, followed by their mirror images
    coloured: Tensor  # (B,) whether the mirrored image was white-balanced
    layers: int = 1


class FlipTTA:
    """A SceneNet with flip augmentation; replaces a SceneNet at inference, not for training.

    Args:
      facing: the heading that mirroring keeps, in the frame of the predicted headings: 0 if they
        are relative to the viewing ray, pi / 2 if they are in the axes of an image whose top is at
        pi / 2. A multiple of half a heading bin.
      cast: white-balance the mirrored image if its mean colour is farther from grey than this
        share; `color` is then predicted from the original image alone. None: never.
    """

    def __init__(self, net: SceneNet, facing: float = 0.0, cast: float | None = None) -> None:
        self.net, self.input, self.width, self.height = net, net.input, net.width, net.height
        self.cast = cast
        # Mirroring maps a heading to 2 facing - heading, so the centre of bin k to the centre of
        # bin (shift - 1 - k).
        shift = round(2 * facing / (2 * torch.pi) * HEADING_BINS)
        self.bins = [(shift - 1 - k) % HEADING_BINS for k in range(HEADING_BINS)]

    def __call__(self, images: Tensor) -> FlippedDense:
        second, coloured = self._grey_balanced(images)
        both = self.net(
            torch.cat([images, second.flip(-1)]).contiguous(memory_format=torch.channels_last)
        )
        (heat, heat_m), (box, box_m) = both.heat.float().chunk(2), both.box.float().chunk(2)
        left, top, right, bottom = box_m.flip(-1).unbind(1)
        box = (box + torch.stack([right, top, left, bottom], 1)) / 2
        # an object detected in only one of the two images gets half its probability
        there = (heat.sigmoid() + heat_m.flip(-1).sigmoid()) / 2
        return FlippedDense(
            torch.logit(there, eps=1e-6), box, both.stride, both, coloured, both.layers
        )

    def describe(self, dense: FlippedDense, boxes: Tensor, image_index: Tensor) -> BoxOutput:
        """Describe boxes from both images, as `SceneNet.describe`; embeddings are concatenated."""
        here = self.net.describe(dense.both, boxes, image_index)
        there = self.net.describe(dense.both, self._mirrored(boxes), image_index + len(dense.heat))
        if self.cast is not None:  # colours: from the original image
            predicted, balanced = here.attributes["color"], there.attributes["color"]
            there.attributes["color"] = torch.where(
                dense.coloured[image_index, None], predicted, balanced
            )
        attributes = {
            name: torch.cat([here.attributes[name], there.attributes[name]])
            for name in here.attributes
        }
        return self._merged(BoxOutput(attributes, *map(torch.cat, zip(here[1:], there[1:]))))

    def occluder_logits(self, embedding: Tensor, boxes: Tensor, present: Tensor) -> Tensor:
        here, there = embedding.chunk(2, -1)
        direct = self.net.occluder_logits(here, boxes, present)
        return (direct + self.net.occluder_logits(there, self._mirrored(boxes), present)) / 2

    def hold(self, dense: FlippedDense, log_focal: Tensor) -> tuple[Tensor, Tensor]:
        value, scale = self.net.hold(dense.both, torch.cat([log_focal, log_focal]))
        value, value_m = value.chunk(2)
        roll, rest = value_m[:, :1], value_m[:, 1:]
        return (value + torch.cat([-roll, rest], 1)) / 2, sum(scale.chunk(2)) / 2

    def _grey_balanced(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """White-balance images with a colour cast (grey world, von Kries adaptation).

        Return the images and (B,), true where an image was changed.
        """
        if self.cast is None:
            return images, torch.zeros(len(images), dtype=torch.bool, device=images.device)
        light = (
            (self.input.colours(images[..., ::EVERY, ::EVERY]) ** GAMMA)
            .mean((2, 3), keepdim=True)
            .clamp(min=1e-4)
        )
        share = light.mean(1, keepdim=True) / light
        coloured = (1 / share - 1).abs().amax(1, keepdim=True) > self.cast
        gain = torch.where(coloured, share ** (1 / GAMMA), 1.0)
        return torch.where(coloured, self.input.scaled(images, gain), images), coloured.flatten()

    def _mirrored(self, boxes: Tensor) -> Tensor:
        x0, y0, x1, y1 = boxes.unbind(-1)
        return torch.stack([self.width - x1, y0, self.width - x0, y1], -1)

    def _merged(self, o: BoxOutput) -> BoxOutput:
        """Merge the outputs for the original and the mirrored boxes.

        Logits are averaged as log probabilities, numbers weighted by their inverse variance. The
        errors of both passes are correlated, so scales are averaged and not reduced.
        """
        attributes = {name: _mean(logits.log_softmax(-1)) for name, logits in o.attributes.items()}
        heading, heading_m = o.heading.log_softmax(-1).chunk(2)
        heading_m = heading_m[:, self.bins]
        residual, residual_m = o.residual.chunk(2)
        # a bin's residual is trained only where it is the correct bin
        share = (heading - heading_m).sigmoid()
        points, points_m = o.points.chunk(2)
        points_m = points_m[:, SWAPPED] * points_m.new_tensor([-1.0, 1.0])
        scale, scale_m = o.point_scale.chunk(2)
        scale_m = scale_m[:, SWAPPED]
        depth, depth_m = o.depth.chunk(2)
        if depth.shape[1]:
            (value, width), (value_m, width_m) = (part.unbind(1) for part in (depth, depth_m))
            depth = torch.stack(
                [_weighted(value, value_m, width, width_m), (width + width_m) / 2], 1
            )
        return BoxOutput(
            attributes,
            (heading + heading_m) / 2,
            share * residual - (1 - share) * residual_m[:, self.bins],
            _mean(o.residual_scale),
            _weighted(points, points_m, scale[..., None], scale_m[..., None]),
            (scale + scale_m) / 2,
            torch.cat(o.embedding.chunk(2), 1),
            _mean(o.extent),
            depth,
        )


def _mean(both: Tensor) -> Tensor:
    return sum(both.chunk(2)) / 2


def _weighted(a: Tensor, b: Tensor, log_scale_a: Tensor, log_scale_b: Tensor) -> Tensor:
    """Return the mean of two estimates, weighted by their inverse variances."""
    share = (2 * (log_scale_b - log_scale_a)).sigmoid()
    return share * a + (1 - share) * b
