"""Separate networks for attributes and poses: a timm backbone on crops of the detected boxes.

image, boxes -> square crops -> backbone -> attribute logits, or heading and image points of the 3D
box

`CropNet` has the interface of `SceneNet`'s box head, so both share their losses, flip augmentation
and decoding. A crop shows a square of the picture around the box; the network also reads the box's
place and size in the picture.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import timm
import torch
from torch import Tensor, nn

from po3d.io.errors import InputError
from po3d.perception.network import (
    BOX_MARGIN,
    HEADING_BINS,
    POINTS,
    POSE,
    BoxOutput,
    Dense,
    Input,
    crop_features,
    trunk,
)
from po3d.perception.street import BoxModule
from po3d.scene.vocabulary import ATTRIBUTES

SIZES = dict(
    zip(POSE, (HEADING_BINS, HEADING_BINS, 1, 2 * POINTS, POINTS), strict=True)
)  # values of each output for poses


class CropNet(nn.Module):
    """A network on crops. Images are (B, 3, height, width) in [0, 1].

    Args:
      attributes: number of values of each attribute; {}: none are predicted.
      pose: predict headings and image points.
      backbone: any timm model with pooled features.
      width, height: size of the pictures.
      crop: size of the crops in pixels; vision transformers accept one size only.
      hidden: width of the layers after the backbone.
    """

    detects, layers, fold = False, 1, 1

    def __init__(
        self,
        attributes: Mapping[str, int],
        pose: bool = False,
        backbone: str = "tf_efficientnet_lite0",
        pretrained: bool = False,
        width: int = 640,
        height: int = 480,
        crop: int = 96,
        hidden: int = 256,
    ) -> None:
        super().__init__()
        self.config = dict(backbone=backbone, width=width, height=height, crop=crop, hidden=hidden)
        self.width, self.height, self.crop = width, height, crop
        try:
            self.backbone = timm.create_model(backbone, pretrained=pretrained, num_classes=0)
        except RuntimeError as error:
            raise InputError(f"backbone={backbone}: {' '.join(str(error).split())}") from None
        accepted = getattr(getattr(self.backbone, "patch_embed", None), "img_size", None)
        if accepted and tuple(accepted) != (crop, crop):
            raise InputError(f"backbone={backbone} accepts crop={accepted[0]} only, not {crop}")
        features = getattr(self.backbone, "head_hidden_size", None) or self.backbone.num_features
        self.attributes, self.pose = tuple(attributes), pose
        self.sizes = {**attributes, **(SIZES if pose else {})}
        self.place = nn.Sequential(nn.Linear(4, 64), nn.ReLU(inplace=True))
        self.head = trunk(features + 64, hidden)
        self.output = nn.Linear(hidden, sum(self.sizes.values()))
        self.input = Input(1)

    def forward(self, images: Tensor) -> Dense:
        """Normalise the images, from which `describe` crops boxes; the centre heatmap is empty."""
        none = images.new_zeros(len(images), 5, 1, 1)
        pixels = self.input(images)
        return Dense(none[:, 0], none[:, 1:], pixels, none, 1, none)

    def describe(self, dense: Dense, boxes: Tensor, image_index: Tensor) -> BoxOutput:
        """Describe boxes (K, 4) of the images image_index (K,); outputs that the network does not
        have are zero."""
        size = (boxes[:, 2:] - boxes[:, :2]).clamp(min=1.0)
        centre = (boxes[:, :2] + boxes[:, 2:]) / 2
        half = size.amax(1, keepdim=True) * (0.5 + BOX_MARGIN)
        square = torch.cat([centre - half, centre + half], 1)
        crops = crop_features(dense.features, square, image_index, self.crop, samples=1)
        scale = torch.tensor([self.width, self.height], device=boxes.device, dtype=boxes.dtype)
        where = torch.cat([2 * centre / scale - 1, (size / scale).log() / 2 + 1], 1)
        x = torch.cat([self.backbone(crops), self.place(where)], 1)
        values = self.output(self.head(x)).float().split(list(self.sizes.values()), 1)
        parts = dict(zip(self.sizes, values, strict=True))
        for name, count in SIZES.items():
            parts.setdefault(name, boxes.new_zeros(len(boxes), count))
        parts["points"] = parts["points"].unflatten(1, (POINTS, 2))
        parts["residual_scale"] = parts["residual_scale"][:, 0]
        none = boxes.new_zeros(len(boxes), 0)
        return BoxOutput(
            {name: parts.pop(name) for name in self.attributes},
            **parts,
            embedding=none,
            extent=none,
            depth=none,
        )

    def occluder_logits(self, embedding: Tensor, boxes: Tensor, present: Tensor) -> Tensor:
        """Return zeros (B, N, N + 1): occluders are the detection's."""
        return boxes.new_zeros(*present.shape, present.shape[1] + 1)

    def compile(self, *args: Any, **options: Any) -> None:
        """Compile the backbone, which does all the work."""
        self.backbone.compile(*args, **options)


class CropModule(BoxModule):
    """A `BoxModule` with a `CropNet`."""

    folds = False

    @classmethod
    def build(cls, **network: object) -> CropNet:
        """Build a network with this module's outputs; `network`: CropNet's other keywords."""
        sizes = {name: len(values) for name, values in cls.attributes.items()}
        return CropNet(sizes, **{**cls.outputs, **network})


class StreetAttributes(CropModule):
    """Shape, colour, size and material of street vehicles, from crops."""

    kind, attributes = "street_attributes", ATTRIBUTES


class StreetPose(CropModule):
    """Headings of street vehicles, and image points from which the joint fit computes their
    positions, from crops."""

    kind, attributes = "street_pose", {}
    outputs: ClassVar = {"pose": True}
