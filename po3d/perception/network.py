"""The estimators' network: timm backbone, dense centre and box heads, box head on RoI features.

One pass over the whole image for all categories. The dense heads detect objects (centre heatmap, 2D
box around the projected 3D box). The box head predicts for each object its attributes, heading, the
image positions of its 3D box's corners with their uncertainty, optionally its size, and, for pairs
of boxes, the dominant occluder. With `view` the box head also predicts depths, and a head on the
whole image predicts the camera pose (roll, pitch, height).

Boxes are x0, y0, x1, y1 in pixels of the network's input.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from po3d.io.errors import InputError
from po3d.perception import regnet

HEADING_BINS = 16
HOLD_CELLS = (6, 8)  # rows and columns of the pooled feature map that the camera pose head reads
GRID = 8  # cells along each side of a box's features
# outputs of the pose trunk
POSE = ("heading", "residual", "residual_scale", "points", "point_scale")
POINTS = 9  # 8 corners of the 3D box (geometry.BOX_SIGNS order) and its centre
# share of a box's size by which it is enlarged on every side before features are cropped
BOX_MARGIN = 0.1
# of the context: enlargement on every side as a share of the box's size, cells along each side,
# and their channels
CONTEXT_MARGIN, CONTEXT_GRID, CONTEXT_CHANNELS = 1.0, 6, 24
MIN_LOG_SCALE = -5.0  # of relative image points and of heading residuals: 0.7 %
# ImageNet statistics, as pretrained backbones expect
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Dense(NamedTuple):
    """Outputs of the backbone and the dense heads for B images."""

    heat: Tensor  # (B, layers h, w) centre logits, layers stacked along the rows
    # (B, 4, layers h, w) log distances in pixels from the cell's centre to the box's sides
    box: Tensor
    features: Tensor  # (B, C, h, w)
    detail: Tensor  # (B, D, h', w') the backbone's first feature map
    stride: int  # of heat, box and features, in pixels of the input
    # (B, C, h'', w'') at half the resolution of heat, merged from all coarser levels
    context: Tensor
    layers: int = 1


class BoxOutput(NamedTuple):
    """Outputs of the box head for K boxes."""

    attributes: dict[str, Tensor]  # attribute -> (K, values) logits
    heading: Tensor  # (K, HEADING_BINS) logits of the heading relative to the viewing ray
    residual: Tensor  # (K, HEADING_BINS) radians from each bin's centre
    residual_scale: Tensor  # (K,) log of the residual's Laplace scale
    points: Tensor  # (K, POINTS, 2) relative to the box: centre 0, sides +-0.5
    point_scale: Tensor  # (K, POINTS) log of the Laplace scale, relative to the box's mean side
    embedding: Tensor  # (K, E) for `SceneNet.occluder_logits`
    extent: Tensor  # (K, 3) log of length, width and height in world units; (K, 0) without `extent`
    # (K, 2) log of (depth of the centre / focal length in image widths), log of its Laplace scale;
    # (K, 0) without `view`
    depth: Tensor


class Input(nn.Module):
    """Input transform of the backbone: normalisation, and pixel blocks moved to channels."""

    def __init__(self, fold: int) -> None:
        super().__init__()
        self.fold = fold
        self.register_buffer("mean", torch.tensor(MEAN).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(STD).view(1, 3, 1, 1), persistent=False)

    def pixels(self, pictures: Tensor) -> Tensor:
        """Convert (B, h, w, 3) uint8 to (B, 3, h, w) in [0, 1]."""
        return pictures.permute(0, 3, 1, 2).float() / 255

    def scaled(self, images: Tensor, gain: Tensor) -> Tensor:
        """Multiply the pixels by `gain` (B, 3, 1, 1) and clip at white."""
        return (images * gain).clamp(max=1)

    def colours(self, images: Tensor) -> Tensor:
        """Return the pixels in [0, 1]."""
        return images

    def forward(self, images: Tensor) -> Tensor:
        x = (images - self.mean) / self.std
        if self.fold > 1:
            x = F.pixel_unshuffle(x, self.fold).contiguous(memory_format=torch.channels_last)
        return x


def _backbone(name: str, pretrained: bool, in_chans: int) -> nn.Module:
    """Return timm's backbone or, while a checkpoint is restored (on the meta device), its equal in
    `regnet`, which is imported faster."""
    if name in regnet.BACKBONES and not pretrained and nn.Linear(1, 1).weight.is_meta:
        return regnet.RegNetFeatures(name, in_chans)
    import timm  # imported here: it takes seconds

    return timm.create_model(name, pretrained=pretrained, features_only=True, in_chans=in_chans)


class SceneNet(nn.Module):
    """The network of the module's docstring. Images are (B, 3, height, width) in [0, 1].

    Args:
      attributes: number of values of each attribute.
      extent: predict object sizes.
      view: predict depths, and the camera pose with `hold`.
      backbone: any timm model with feature maps at strides 2 (or 4), 4, 8, 16, 32.
      width, height: input size.
      fold: move blocks of fold x fold pixels into channels before the backbone, which then works on
        a smaller map: its strides grow by that factor, no pixel is lost, and a CPU trains several
        times faster.
      pose_hidden: width of a separate trunk of the box head for the POSE outputs; 0: they share the
        trunk of the attributes.
      layers: dense outputs per cell. Two objects whose centres fall on one cell can both be found
        if their labels put them in different layers.
      context: length of a vector that the box head computes from the surroundings of a box, three
        times the box's width and height; 0: none. It is added to the trunks by a layer initialised
        with zeros, so initialising from a checkpoint without it leaves the outputs unchanged.
    """

    detects, pose = True, True  # see `po3d.perception.crops.CropNet`

    def __init__(
        self,
        attributes: Mapping[str, int],
        extent: bool = False,
        view: bool = False,
        backbone: str = "regnetx_004",
        pretrained: bool = False,
        width: int = 640,
        height: int = 480,
        fold: int = 2,
        neck: int = 96,
        hidden: int = 256,
        pose_hidden: int = 0,
        layers: int = 1,
        context: int = 0,
    ) -> None:
        super().__init__()
        if fold < 1 or width % fold or height % fold:
            raise InputError(f"fold={fold} should divide the width {width} and the height {height}")
        # With the attributes, the arguments that rebuild the network (a checkpoint's weights
        # replace pretrained ones).
        self.config = dict(
            backbone=backbone,
            width=width,
            height=height,
            fold=fold,
            neck=neck,
            hidden=hidden,
            pose_hidden=pose_hidden,
        )
        if layers < 1:
            raise InputError(f"layers={layers} should be at least 1")
        if layers > 1:
            self.config["layers"] = layers
        if context < 0:
            raise InputError(f"context={context} should be at least 0")
        if context:
            self.config["context"] = context
        self.layers = layers
        self.width, self.height, self.fold = width, height, fold
        self.attributes = tuple(attributes)
        self.sizes = dict(attributes) | dict(
            heading=HEADING_BINS,
            residual=HEADING_BINS,
            residual_scale=1,
            points=2 * POINTS,
            point_scale=POINTS,
            embedding=64,
            extent=3 if extent else 0,
            depth=2 if view else 0,
        )
        # The order of the modules determines their random initial weights.
        detail = self._add_maps(backbone, pretrained, neck)
        self._add_box_head(neck, detail, hidden, pose_hidden)
        self._add_pair_head()
        if view:
            self._add_camera_head(neck)
        if context:
            self._add_context(neck, context, hidden, pose_hidden)
        self.input = Input(fold)
        with torch.no_grad():
            # prior: boxes of about 70 pixels, and centres in about 2 % of the cells
            self.dense.bias.fill_(3.5)[::5] = -4.0

    def _add_maps(self, backbone: str, pretrained: bool, neck: int) -> int:
        """Add the backbone, the feature pyramid and the dense head; return the number of channels
        of the backbone's finest map.
        """
        self.backbone = _backbone(backbone, pretrained, 3 * self.fold**2)
        channels, strides = [], []
        for info in self.backbone.feature_info:
            channels.append(info["num_chs"])
            strides.append(info["reduction"])
        self.levels = [k for k, stride in enumerate(strides) if stride in (4, 8, 16, 32)]
        self.stride = self.fold * strides[self.levels[0]]
        self.detail_stride = self.fold * strides[0]
        self.lateral = nn.ModuleList(nn.Conv2d(channels[k], neck, 1) for k in self.levels)
        self.coarse = conv_block(neck, neck)
        self.smooth = conv_block(neck, neck)
        self.dense = nn.Conv2d(neck, 5 * self.layers, 1)
        return channels[0]

    def _add_box_head(self, neck: int, detail: int, hidden: int, pose_hidden: int) -> None:
        """Add the box head on maps of `neck` channels and a finer one of `detail` channels."""
        self.detail_conv = conv_block(detail, 48, stride=2)
        self.box_convs = nn.Sequential(conv_block(neck + 48, 128), conv_block(128, 128, stride=2))
        self.place = nn.Sequential(nn.Linear(4, 64), nn.ReLU(inplace=True))
        inputs = 128 * (GRID // 2) ** 2 + 64
        self.trunk = trunk(inputs, hidden)
        self.of_pose = POSE if pose_hidden else ()
        self.output = nn.Linear(
            hidden, sum(size for name, size in self.sizes.items() if name not in self.of_pose)
        )
        if pose_hidden:
            self.pose_trunk = trunk(inputs, pose_hidden)
            self.pose_output = nn.Linear(pose_hidden, sum(self.sizes[name] for name in POSE))

    def _add_pair_head(self) -> None:
        """Add the head that predicts each object's dominant occluder."""
        self.pair_in = nn.Linear(2 * 64 + 8, 128)
        self.pair_out = nn.Sequential(
            nn.ReLU(inplace=True), nn.Linear(128, 64), nn.ReLU(inplace=True), nn.Linear(64, 1)
        )
        self.alone = nn.Linear(64, 1)

    def _add_camera_head(self, neck: int) -> None:
        """Add the head that predicts the camera's roll, pitch and height."""
        self.hold_convs = nn.Sequential(
            conv_block(neck, 96, stride=2), conv_block(96, 32, stride=2)
        )
        self.hold_out = nn.Sequential(
            nn.Linear(32 * HOLD_CELLS[0] * HOLD_CELLS[1] + 1, 96),
            nn.ReLU(inplace=True),
            nn.Linear(96, 6),
        )

    def _add_context(self, neck: int, context: int, hidden: int, pose_hidden: int) -> None:
        """Add the part of the box head that reads the surroundings of a box."""
        self.context_conv = conv_block(neck, CONTEXT_CHANNELS, size=1)
        self.context_trunk = nn.Sequential(
            nn.Linear(CONTEXT_CHANNELS * CONTEXT_GRID**2, context), nn.ReLU(inplace=True)
        )
        self.widths = (hidden, pose_hidden) if pose_hidden else (hidden,)
        self.context_output = nn.Linear(context, sum(self.widths), bias=False)
        nn.init.zeros_(self.context_output.weight)

    def forward(self, images: Tensor) -> Dense:
        """Run the backbone and the dense heads on images from `input.pixels`."""
        all_maps = self.backbone(self.input(images))
        maps = [lateral(all_maps[k]) for lateral, k in zip(self.lateral, self.levels)]
        merged = maps[-1]
        for finer in reversed(maps[1:-1]):
            merged = finer + F.interpolate(merged, size=finer.shape[-2:], mode="nearest")
        whole = maps[0] + F.interpolate(
            self.coarse(merged), size=maps[0].shape[-2:], mode="nearest"
        )
        features = self.smooth(whole)
        out = self.dense(features)
        if self.layers > 1:
            out = torch.cat(out.split(5, 1), 2)
        return Dense(out[:, 0], out[:, 1:], features, all_maps[0], self.stride, merged, self.layers)

    def hold(self, dense: Dense, log_focal: Tensor) -> tuple[Tensor, Tensor]:
        """Predict the camera poses of B images, given log focal lengths (B,) in image widths.

        Return roll and pitch in radians with the log of the height above the floor (B, 3), and the
        logs of their Laplace scales (B, 3).
        """
        if self.training or log_focal.device.type != "cpu":
            out = self._held(dense.context, log_focal)
        else:  # one by one: rounding depends on the batch size and on the position in the batch
            out = torch.cat(
                [self._held(*row) for row in zip(dense.context.split(1), log_focal.split(1))]
            )
        return out[:, :3], out[:, 3:]

    def _held(self, context: Tensor, log_focal: Tensor) -> Tensor:
        cells = F.adaptive_avg_pool2d(self.hold_convs(context), HOLD_CELLS).flatten(1)
        return self.hold_out(torch.cat([cells, log_focal[:, None].to(cells)], 1)).float()

    def describe(self, dense: Dense, boxes: Tensor, image_index: Tensor) -> BoxOutput:
        """Run the box head on boxes (K, 4) of the images image_index (K,)."""
        size = (boxes[:, 2:] - boxes[:, :2]).clamp(min=1.0)
        enlarged = enlarge(boxes, size, BOX_MARGIN)
        crops = crop_features(dense.features, enlarged / self.stride, image_index, GRID, samples=2)
        details = crop_features(
            dense.detail, enlarged / self.detail_stride, image_index, 2 * GRID, samples=1
        )
        crops = torch.cat([crops, self.detail_conv(details)], 1)
        scale = torch.tensor([self.width, self.height], device=boxes.device, dtype=boxes.dtype)
        where = torch.cat(
            [(boxes[:, :2] + boxes[:, 2:]) / scale - 1, (size / scale).log() / 2 + 1], 1
        )
        x = torch.cat([self.box_convs(crops).flatten(1), self.place(where)], 1)
        trunks = [self.trunk, self.pose_trunk] if self.of_pose else [self.trunk]
        if "context" in self.config:
            around = self._context(dense, enlarge(boxes, size, CONTEXT_MARGIN), image_index)
            hidden = [t[1:](t[0](x) + a) for t, a in zip(trunks, around, strict=True)]
        else:
            hidden = [t(x) for t in trunks]
        parts = self._split(
            self.output(hidden[0]), [n for n in self.sizes if n not in self.of_pose]
        )
        if self.of_pose:
            parts |= self._split(self.pose_output(hidden[1]), self.of_pose)
        parts["points"] = parts["points"].unflatten(1, (POINTS, 2))
        parts["residual_scale"] = parts["residual_scale"][:, 0]
        return BoxOutput({name: parts.pop(name) for name in self.attributes}, **parts)

    def _context(self, dense: Dense, boxes: Tensor, image_index: Tensor) -> Sequence[Tensor]:
        """Return what the surroundings add to the first layer of each trunk, (K, width)."""
        crops = crop_features(
            dense.features, boxes / self.stride, image_index, CONTEXT_GRID, samples=2
        )
        vector = self.context_trunk(self.context_conv(crops).flatten(1))
        return self.context_output(vector).split(self.widths, 1)

    def _split(self, values: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        return dict(
            zip(names, values.float().split([self.sizes[name] for name in names], 1), strict=True)
        )

    def occluder_logits(self, embedding: Tensor, boxes: Tensor, present: Tensor) -> Tensor:
        """Return the logits (B, N, N + 1) of each object's dominant occluder.

        The last column is "not occluded".

        embedding (B, N, E), boxes (B, N, 4), present (B, N) bool.
        """
        n = boxes.shape[1]
        centre, size = (
            (boxes[..., :2] + boxes[..., 2:]) / 2,
            (boxes[..., 2:] - boxes[..., :2]).clamp(min=1.0),
        )
        mean = size.prod(-1, keepdim=True).sqrt()  # (B, N, 1)
        # from i to j, in sizes of i
        offset = (centre[:, None] - centre[:, :, None]) / mean[:, :, None]
        bottom = ((boxes[..., 3:][:, None] - boxes[..., 3:][:, :, None]) / mean[:, :, None]).clamp(
            -4, 4
        )
        low = torch.maximum(boxes[:, None, :, :2], boxes[:, :, None, :2])
        high = torch.minimum(boxes[:, None, :, 2:], boxes[:, :, None, 2:])
        overlap = (high - low) / mean[:, :, None]  # negative: a gap
        ratio = (size[:, None] / size[:, :, None]).log()
        geometry = torch.cat([offset.clamp(-4, 4), overlap.clamp(-4, 4), ratio, bottom], -1)
        geometry = torch.cat([geometry, (overlap.amin(-1, keepdim=True) > 0).to(geometry)], -1)
        i, j = embedding[:, :, None].expand(-1, -1, n, -1), embedding[:, None].expand(-1, n, -1, -1)
        logits = self.pair_out(self.pair_in(torch.cat([i, j, geometry], -1)))[..., 0].float()
        possible = present[:, None] & ~torch.eye(n, dtype=torch.bool, device=boxes.device)
        logits = logits.masked_fill(~possible, -1e4)
        return torch.cat([logits, self.alone(embedding).float()], -1)


def crop_features(
    features: Tensor, boxes: Tensor, image_index: Tensor, grid: int, samples: int
) -> Tensor:
    """Crop box features (K, C, grid, grid) by RoIAlign.

    Boxes (K, 4) are in cells; each bin averages samples x samples bilinear samples.

    torchvision's kernel copies the whole map to NCHW float32, and its gradient back. Here a bin is
    a weighted sum of rows of the channels-last map, computed by `embedding_bag` in one kernel
    without copies.
    """
    _, c, h, w = features.shape
    at = (torch.arange(samples * grid, device=boxes.device) + 0.5) / (samples * grid)
    low, size = boxes[:, :2].float(), (boxes[:, 2:] - boxes[:, :2]).float()

    def taps(axis: int, cells: int) -> tuple[Tensor, Tensor]:
        """Return the cells read by bins along an axis and their weights, (K, grid, 2 samples)."""
        v = (low[:, axis : axis + 1] + at * size[:, axis : axis + 1] - 0.5).clamp(0, cells - 1)
        first = v.floor().clamp(max=cells - 2)
        share = torch.stack([1 - (v - first), v - first], -1) / samples
        index = torch.stack([first, first + 1], -1).long()
        return tuple(a.unflatten(1, (grid, samples)).flatten(2) for a in (index, share))

    (x, share_x), (y, share_y) = taps(0, w), taps(1, h)
    y = image_index[:, None, None] * h + y
    # (K, grid, grid, 2 samples, 2 samples)
    index = y[:, :, None, :, None] * w + x[:, None, :, None]
    share = share_y[:, :, None, :, None] * share_x[:, None, :, None]
    rows = features.permute(0, 2, 3, 1).reshape(-1, c)
    index, share = (a.flatten(3).flatten(0, 2) for a in (index, share))
    bins = F.embedding_bag(index, rows, per_sample_weights=share.to(rows), mode="sum")
    return bins.view(len(boxes), grid, grid, c).permute(0, 3, 1, 2)


def trunk(inputs: int, hidden: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        nn.ReLU(inplace=True),
        nn.Linear(hidden, hidden),
        nn.ReLU(inplace=True),
    )


def enlarge(boxes: Tensor, size: Tensor, margin: float) -> Tensor:
    """Enlarge boxes (K, 4) of `size` (K, 2) on every side by `margin` times their size."""
    return torch.cat([boxes[:, :2] - margin * size, boxes[:, 2:] + margin * size], 1)


def conv_block(inputs: int, outputs: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


def peaks(heat: Tensor, limit: int = 16, layers: int = 1) -> tuple[Tensor, Tensor]:
    """Find the strongest local maxima of centre logits (B, layers h, w).

    Return cell indices (B, limit) and probabilities (B, limit).
    """
    p = heat.float().sigmoid()
    best = F.max_pool2d(p.unflatten(1, (layers, -1)), 3, 1, 1).flatten(1, 2)
    scores, cells = (p * (p == best)).flatten(1).topk(limit)
    return cells, scores


def boxes_at(dense: Dense, cells: Tensor) -> Tensor:
    """Return the boxes (B, N, 4) in input pixels predicted at cells (B, N)."""
    b, h, w = dense.heat.shape
    log_sides = (
        dense.box.flatten(2).gather(2, cells[:, None].expand(b, 4, -1)).transpose(1, 2).float()
    )
    sides = log_sides.clamp(-2, 7).exp()
    x, y = (cells % w + 0.5) * dense.stride, (cells // w % (h // dense.layers) + 0.5) * dense.stride
    return torch.stack(
        [x - sides[..., 0], y - sides[..., 1], x + sides[..., 2], y + sides[..., 3]], -1
    )
