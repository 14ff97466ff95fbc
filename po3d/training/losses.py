"""Targets and losses of the estimators' network."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from po3d.perception.crops import CropNet
from po3d.perception.network import (
    HEADING_BINS,
    MIN_LOG_SCALE,
    BoxOutput,
    Dense,
    SceneNet,
    boxes_at,
)
from po3d.training.ranks import Draws, Term, means

WEIGHTS = {
    "heat": 1.0, "box": 1.0, "shape": 1.0, "name": 1.0, "color": 0.5, "size": 0.25,
    "material": 0.25, "heading": 0.7, "flip": 0.0, "residual": 0.3, "points": 1.0, "extent": 1.0,
    "occluder": 0.5, "rests": 0.3, "depth": 1.0, "hold": 1.0,
}  # fmt: skip
OF_IMAGES = ("hold", "log_focal")  # labels with one value per image
# The box head is trained on boxes like those at inference: some are predictions of the dense head
# where these are close enough, the others are ground-truth boxes with noise of about the same size.
# Exact ground-truth boxes would reveal an object's shape by their proportions. A head trained on
# noisy boxes only had 3.6 points lower shape accuracy on the dense head's boxes than on
# ground-truth boxes.
# share of predicted boxes; largest error of any side, relative to the box
OWN_SHARE, OWN_ERROR = 0.7, 0.5
JITTER_SHIFT, JITTER_SCALE = 0.05, 0.07


def losses(
    net: SceneNet, images: Tensor, labels: dict[str, Tensor], draws: Draws, width: int
) -> dict[str, Tensor]:
    """Return every unweighted loss term of a batch: images (B, 3, height, width) in [0, 1] and
    stacked labels of pictures that are `width` pixels wide (labels.StreetLabels, RoomLabels or
    ViewLabels)."""
    return means(loss_terms(net, images, labels, draws, width))


def loss_terms(
    net: SceneNet | CropNet, images: Tensor, labels: dict[str, Tensor], draws: Draws, width: int
) -> dict[str, Term]:
    """Return the terms of `losses` as sums over rows with their number of rows. A network on crops
    is trained on ground-truth boxes with noise."""
    present = labels["present"]
    points = labels["points"] * (net.width / width)  # in pixels of the network's input
    if "box" in labels:
        boxes = labels["box"] * (net.width / width)
    else:
        boxes = torch.cat([points[:, :, :8].amin(2), points[:, :, :8].amax(2)], -1)  # (B, N, 4)
    dense = net(images)
    layer = torch.zeros_like(present, dtype=torch.long)
    if net.layers > 1:
        layer = labels["layer"].clamp(min=0)
    terms = {}
    if net.detects:
        terms["heat"] = heat_loss(dense, points[:, :, 8], boxes, present, layer)
        terms["box"] = box_loss(dense, points[:, :, 8], boxes, present, layer)
    noise = draws.randn(*boxes.shape[:2], 4).to(boxes)
    size = boxes[..., 2:] - boxes[..., :2]
    centre = (boxes[..., 2:] + boxes[..., :2]) / 2 + JITTER_SHIFT * size * noise[..., :2]
    size = size * (JITTER_SCALE * noise[..., 2:]).exp()
    shaken = torch.cat([centre - size / 2, centre + size / 2], -1)
    if net.detects:
        predicted_boxes, fit = own_boxes(dense, points[:, :, 8], boxes, layer)
        chosen = draws.rand(*present.shape).to(boxes) < OWN_SHARE
        shaken = torch.where((chosen & fit)[..., None], predicted_boxes, shaken)
    image_index = torch.nonzero(present)[:, 0]
    output = net.describe(dense, shaken[present], image_index)
    if net.detects and "occluder" in labels:
        embedding = output.embedding.new_zeros(*present.shape, output.embedding.shape[-1])
        embedding[present] = output.embedding
        occluder = net.occluder_logits(embedding, shaken, present)
        terms["occluder"] = cross_entropy(occluder[present], labels["occluder"][present])
    of_boxes = {k: v[present] for k, v in labels.items() if k not in OF_IMAGES}
    terms |= attribute_terms(output, of_boxes)
    if net.pose:
        terms |= box_terms(output, of_boxes, points[present], shaken[present])
    if "hold" in labels:
        value, scale = net.hold(dense, labels["log_focal"])
        terms["hold"] = Term.of(laplace(value, scale, labels["hold"]).sum(1))
    return terms


def total(terms: dict[str, Tensor], other: Mapping[str, float] | None = None) -> Tensor:
    """Return the weighted sum of the terms; `other`: weights that override WEIGHTS."""
    weights = {**WEIGHTS, **(other or {})}
    return sum(weights[name] * value for name, value in terms.items())


def cross_entropy(logits: Tensor, target: Tensor) -> Term:
    """Cross-entropy over the rows whose target is known (>= 0); there may be no such row."""
    known = target >= 0
    return Term.of(F.cross_entropy(logits[known].float(), target[known], reduction="none"))


def laplace(value: Tensor, log_scale: Tensor, target: Tensor) -> Tensor:
    """Return the element-wise negative log-likelihood of a Laplace distribution without its
    constant."""
    log_scale = log_scale.clamp(MIN_LOG_SCALE, 1)
    return (value - target).abs() * (-log_scale).exp() + log_scale


def heat_loss(dense: Dense, centres: Tensor, boxes: Tensor, present: Tensor, layer: Tensor) -> Term:
    """Penalty-reduced focal loss of the centre logits (Law and Deng 2018, as in CenterNet). Cells
    near a centre are penalised less, by a Gaussian with sigma of a sixth of the box. One row per
    centre."""
    used = present.any(0)  # most rows of room labels are padding, and each row costs a map
    used[0] = True
    centres, boxes, present, layer = (part[:, used] for part in (centres, boxes, present, layer))
    heat = dense.heat.float().unflatten(1, (dense.layers, -1))
    h, w = heat.shape[-2:]
    ys, xs = torch.meshgrid(
        torch.arange(h, device=heat.device), torch.arange(w, device=heat.device), indexing="ij"
    )
    centre = centres / dense.stride - 0.5
    size = (boxes[..., 2:] - boxes[..., :2]) / dense.stride
    sigma = (size / 6).clamp(min=0.4, max=2.5)
    cell = centre.round()
    dx = (xs - cell[..., 0, None, None]) / sigma[..., 0, None, None]
    dy = (ys - cell[..., 1, None, None]) / sigma[..., 1, None, None]
    bumps = torch.exp(-(dx**2 + dy**2) / 2) * present[..., None, None]
    targets = []
    for k in range(dense.layers):
        targets.append((bumps * (layer == k)[..., None, None]).amax(1))
    target = torch.stack(targets, 1)
    inside = present & (cell >= 0).all(-1) & (cell[..., 0] < w) & (cell[..., 1] < h)
    positive = torch.zeros_like(heat, dtype=torch.bool)
    rows = torch.nonzero(inside)[:, 0]
    positive[rows, layer[inside], cell[..., 1][inside].long(), cell[..., 0][inside].long()] = True
    p = heat.sigmoid()
    hit = -F.logsigmoid(heat) * (1 - p) ** 2
    miss = -F.logsigmoid(-heat) * p**2 * (1 - target) ** 4
    return Term(torch.where(positive, hit, miss).sum(), positive.sum())


@torch.no_grad()
def own_boxes(dense: Dense, centres: Tensor, boxes: Tensor, layer: Tensor) -> tuple[Tensor, Tensor]:
    """Return the boxes (B, N, 4) that the dense head predicts at ground-truth centres (B, N, 2),
    and a mask (B, N) of those close to the ground-truth boxes (OWN_ERROR)."""
    h, w = dense.heat.shape[-2] // dense.layers, dense.heat.shape[-1]
    cell = (centres / dense.stride - 0.5).round().long()
    row = layer * h + cell[..., 1].clamp(0, h - 1)
    predicted_boxes = boxes_at(dense, row * w + cell[..., 0].clamp(0, w - 1))
    size = (boxes[..., 2:] - boxes[..., :2]).clamp(min=4.0)
    error = (predicted_boxes - boxes).abs() / torch.cat([size, size], -1)
    return predicted_boxes, error.amax(-1) < OWN_ERROR


def box_loss(dense: Dense, centres: Tensor, boxes: Tensor, present: Tensor, layer: Tensor) -> Term:
    """L1 loss of the box sides relative to the box size, read at the centre's cell and its eight
    neighbours."""
    h, w = dense.heat.shape[-2] // dense.layers, dense.heat.shape[-1]
    cell = (centres / dense.stride - 0.5).round().long()
    shifts = torch.cartesian_prod(*[torch.arange(-1, 2, device=cell.device)] * 2).flip(1)
    near = cell[:, :, None] + shifts  # (B, N, 9, 2)
    row = layer[..., None] * h + near[..., 1].clamp(0, h - 1)
    cells = (row * w + near[..., 0].clamp(0, w - 1)).flatten(1)
    predicted = boxes_at(dense, cells).unflatten(1, (boxes.shape[1], 9))
    size = (boxes[..., 2:] - boxes[..., :2]).clamp(min=4.0)
    error = ((predicted - boxes[:, :, None]) / torch.cat([size, size], -1)[:, :, None]).abs()
    return Term.of(error[present] * 4)


def attribute_terms(output: BoxOutput, labels: dict[str, Tensor]) -> dict[str, Term]:
    """Return the attribute losses of K boxes with labels (K, ...)."""
    return {name: cross_entropy(logits, labels[name]) for name, logits in output.attributes.items()}


def box_terms(
    output: BoxOutput, labels: dict[str, Tensor], points: Tensor, boxes: Tensor
) -> dict[str, Term]:
    """Heading, size, depth and corner losses of K boxes with labels (K, ...) and points (K, 9, 2)
    in pixels of the network's input."""
    terms: dict[str, Term] = {}
    if output.extent.shape[1]:
        terms["extent"] = Term.of((output.extent - labels["extent"].log()).abs())
    if output.depth.shape[1]:
        terms["depth"] = Term.of(laplace(*output.depth.unbind(1), labels["log_depth"]))
    width = 2 * math.pi / HEADING_BINS
    bin_index = (
        torch.floor((labels["alpha"] % (2 * math.pi)) / width).long().clamp(max=HEADING_BINS - 1)
    )
    terms["heading"] = cross_entropy(output.heading, bin_index)
    terms["flip"] = flip_loss(output.heading, bin_index)
    off = labels["alpha"] % (2 * math.pi) - (bin_index + 0.5) * width
    residual = output.residual.gather(1, bin_index[:, None])[:, 0]
    terms["residual"] = Term.of(laplace(residual, output.residual_scale, off))
    size = (boxes[:, 2:] - boxes[:, :2]).clamp(min=4.0)
    target = (points - ((boxes[:, :2] + boxes[:, 2:]) / 2)[:, None]) / size[:, None]
    mean_side = size.mean(1, keepdim=True)
    error = ((output.points - target).abs() * (size / mean_side)[:, None]).sum(-1)
    log_scale = output.point_scale.clamp(MIN_LOG_SCALE, 1)
    term = error * (-log_scale).exp() + 2 * log_scale
    terms["points"] = Term.of(term[labels["sharp"]] if "sharp" in labels else term)
    return terms


def flip_loss(heading: Tensor, bin_index: Tensor) -> Term:
    """Rank the ground-truth half of the heading bins above the opposite half: softplus of the
    difference of their log probabilities. heading: logits (K, HEADING_BINS); bin_index: (K,).
    Bins at a right angle to the ground truth belong to neither half."""
    bins = torch.arange(HEADING_BINS, device=heading.device)
    away = (bins - bin_index[:, None] + HEADING_BINS // 2) % HEADING_BINS - HEADING_BINS // 2
    near, far = away.abs() < HEADING_BINS // 4, away.abs() > HEADING_BINS // 4
    logits = heading.float()
    right = logits.masked_fill(~near, -math.inf).logsumexp(1)
    flipped = logits.masked_fill(~far, -math.inf).logsumexp(1)
    return Term.of(F.softplus(flipped - right))
