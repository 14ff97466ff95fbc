"""Decode network outputs into detections with calibrated probabilities; shared by all estimators.

images -> SceneNet -> centres and boxes -> box head -> Detections
"""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image

from po3d.perception.fit import wrapped
from po3d.perception.flip_tta import FlipTTA
from po3d.perception.material_shift import MaterialShift
from po3d.perception.network import (
    HEADING_BINS,
    MIN_LOG_SCALE,
    BoxOutput,
    Dense,
    SceneNet,
    boxes_at,
    peaks,
)
from po3d.scene.geometry import Array
from po3d.scene.vocabulary import MATERIALS

# on the centre's probability; doubtful objects stay in the scene with their probability
THRESHOLD = 0.15
# Number of boxes per call of the box head; a multiple of the vector width, so that the last
# elements are rounded like all others.
BLOCK = 32
# least probability of a value kept in scenes of rooms, whose objects have about a hundred names
SURE = 0.001
# intersection over union of two boxes above which the weaker one is a duplicate
DUPLICATE_OVERLAP = 0.75
RUBBER = MATERIALS.index("rubber")
# Calibration parameters, fitted after training. temperature: of the attribute logits; sigma: scale
# of the image points' deviations; slope, offset: existence log odds as a linear function of the log
# odds of the centre's probability.
CALIBRATION = {"temperature": 1.0, "sigma": 1.0, "slope": 1.0, "offset": 0.0}


class Detections(NamedTuple):
    """Decoded network outputs of B images, padded to N objects.

    Pixels are those of an image of a given width.

    Tensors on the network's device (`detected`) or arrays (`detect`).
    """

    score: Array  # (B, N) existence probability, 0 for padding
    box: Array  # (B, N, 4) x0, y0, x1, y1
    probabilities: dict[str, Array]  # attribute -> (B, N, values)
    alpha: Array  # (B, N) heading relative to the viewing ray's azimuth
    alpha_sigma: Array  # (B, N) standard deviation of alpha, radians
    flip: Array  # (B, N) probability of the opposite heading
    points: Array  # (B, N, 9, 2) projections of the 3D box's corners and centre
    sigma: Array  # (B, N, 9) standard deviations of the points, pixels
    # (B, N, N + 1) probabilities of the dominant occluder; last column "not occluded"
    occluder: Array
    extent: Array  # (B, N, 3), or (B, N, 0) if the network estimates no sizes
    # (B, N, 2) log depth and its sigma (network.BoxOutput); (B, N, 0) if not estimated
    depth: Array | None = None
    # (B, 3, 2) roll, pitch and log height of the camera, each with its sigma
    hold: Array | None = None

    @property
    def present(self) -> Array:
        return self.score > 0

    def leaves(self) -> list[Any]:
        """Return all tensors or arrays as a flat list, in the order that `of` expects."""
        leaves: list[Any] = []
        for value in self:
            if isinstance(value, dict):
                leaves += value.values()
            elif value is not None:
                leaves.append(value)
        return leaves

    def of(self, leaves: Iterable[Any]) -> "Detections":
        """Return a copy with the tensors or arrays replaced by `leaves`."""
        leaf = iter(leaves)
        values: list[Any] = []
        for value in self:
            if isinstance(value, dict):
                values.append({name: next(leaf) for name in value})
            else:
                values.append(None if value is None else next(leaf))
        return Detections(*values)

    def arrays(self) -> "Detections":
        """Convert to arrays in one transfer and trim the padding to the largest object count."""
        trimmed = self.of(as_arrays(self.leaves()))
        n = max(int(trimmed.present.sum(1).max()), 1)
        cut = {
            name: value[:, :n]
            for name, value in trimmed._asdict().items()
            if name not in ("probabilities", "occluder", "hold")
        }
        return trimmed._replace(
            **cut,
            probabilities={a: p[:, :n] for a, p in trimmed.probabilities.items()},
            occluder=np.concatenate(
                [trimmed.occluder[:, :n, :n], trimmed.occluder[:, :n, -1:]], -1
            ),
        )


def as_arrays(tensors: Sequence[torch.Tensor]) -> list[np.ndarray]:
    """Convert tensors of one dtype on one device to arrays in one transfer."""
    flat = torch.cat([tensor.flatten() for tensor in tensors]).cpu().numpy()
    parts = np.split(flat, np.cumsum([tensor.numel() for tensor in tensors])[:-1])
    return [part.reshape(tensor.shape) for part, tensor in zip(parts, tensors)]


def detect(net: SceneNet | FlipTTA, images: torch.Tensor, *args: Any, **options: Any) -> Detections:
    """Run `detected` and convert the result to arrays."""
    return detected(net, images, *args, **options).arrays()


@torch.inference_mode()
def detected(
    net: SceneNet | FlipTTA,
    images: torch.Tensor,
    width: int,
    limit: int,
    calibration: Mapping[str, float],
    half: bool = False,
    threshold: float = THRESHOLD,
    log_focal: torch.Tensor | None = None,
    packed: bool | None = None,
    material_shift: MaterialShift | None = None,
) -> Detections:
    """Run the network and decode its outputs: `limit` objects per image, existing ones first.

    Nothing is copied back from the device unless `packed`.

    Args:
      images: (B, 3, height, width) from `net.input.pixels`, on the network's device.
      width: of the images in whose pixels the result is given.
      calibration: see CALIBRATION.
      half: run under bf16 autocast.
      threshold: on the centre's probability.
      log_focal: (B,) log focal lengths in image widths, for networks that estimate the camera pose.
      material_shift: see `po3d.perception.material_shift`.
      packed: run the box head on boxes above the threshold only, which is less work on slow
        processors (None: on CPUs).
    """
    images = images.to(memory_format=torch.channels_last)
    with torch.autocast(images.device.type, torch.bfloat16, enabled=half):
        dense = net(images)
        cells, scores = peaks(dense.heat, limit, dense.layers)
        boxes = boxes_at(dense, cells)
        layer = cells // (dense.heat[0].numel() // dense.layers)
        scores = torch.where(_first_of_overlapping(boxes, scores, threshold, layer), scores, 0.0)
        scores, order = scores.sort(dim=1, descending=True, stable=True)
        boxes = boxes.gather(1, order[..., None].expand(-1, -1, 4))
    return _described(
        net, dense, boxes, scores, width, calibration, half, log_focal, packed, material_shift
    )


@torch.inference_mode()
def described(
    net: SceneNet | FlipTTA,
    images: torch.Tensor,
    boxes: torch.Tensor,
    present: torch.Tensor,
    width: int,
    calibration: Mapping[str, float],
    half: bool = False,
    material_shift: MaterialShift | None = None,
) -> Detections:
    """Run the network and its box head on given boxes (B, N, 4) in pixels of an image `width` wide;
    `present` (B, N) marks those that exist. Other arguments as for `detected`.
    """
    images = images.to(memory_format=torch.channels_last)
    with torch.autocast(images.device.type, torch.bfloat16, enabled=half):
        dense = net(images)
    boxes = boxes.float() * (net.width / width)
    scores = present.float()
    return _described(
        net, dense, boxes, scores, width, calibration, half, material_shift=material_shift
    )


def _described(
    net: SceneNet | FlipTTA,
    dense: Dense,
    boxes: torch.Tensor,
    scores: torch.Tensor,
    width: int,
    calibration: Mapping[str, float],
    half: bool,
    log_focal: torch.Tensor | None = None,
    packed: bool | None = None,
    material_shift: MaterialShift | None = None,
) -> Detections:
    """Run the box head on boxes (B, N, 4) in pixels of the input with scores (B, N), 0 for
    padding.
    """
    device = boxes.device
    packed = device.type == "cpu" if packed is None else packed
    present = scores > 0
    with torch.autocast(device.type, torch.bfloat16, enabled=half):
        output, rows = _box_outputs(net, dense, boxes, present, packed)
        grid = functools.partial(_on_grid, present=present, rows=rows)
        embedding = grid(output.embedding).to(output.embedding)
        occluder = _occluder_logits(net, embedding, boxes, present, packed)
        hold = None
        if log_focal is not None:
            hold = _with_sigma(torch.stack(net.hold(dense, log_focal.to(device)), -1))
        attributes = {name: grid(logits) for name, logits in output.attributes.items()}
        if material_shift is not None:
            shift = material_shift.log_odds(dense, len(boxes))
            attributes["material"][..., RUBBER] += shift[:, None]
    t = calibration["temperature"]
    box = boxes.double() * (width / net.width)
    side, centre = box[..., 2:] - box[..., :2], (box[..., 2:] + box[..., :2]) / 2
    # The training loss is the negative log likelihood of exp(-|error|/b) over the plane, whose
    # variance along each axis is 3 b^2.
    scale = grid(output.point_scale).clamp(MIN_LOG_SCALE, 1).exp() * (
        math.sqrt(3) * calibration["sigma"]
    )
    return Detections(
        _existence(scores, calibration),
        box,
        {name: (logits / t).softmax(-1) for name, logits in attributes.items()},
        *_heading(grid(output.heading), grid(output.residual), grid(output.residual_scale)),
        centre[:, :, None] + grid(output.points) * side[:, :, None],
        (scale * side.mean(-1)[..., None]).clamp(min=0.3),
        occluder.softmax(-1),
        grid(output.extent).clamp(-5, 3).exp(),
        _with_sigma(grid(output.depth)),
        hold,
    )


def _box_outputs(
    net: SceneNet | FlipTTA, dense: Dense, boxes: torch.Tensor, present: torch.Tensor, packed: bool
) -> tuple[BoxOutput, torch.Tensor | None]:
    """Run the box head on boxes (B, N, 4).

    Return the outputs and, if `packed`, the indices of their boxes among the B * N; only those
    present (B, N) are then processed.
    """
    index = torch.arange(len(boxes), device=boxes.device)[:, None].expand_as(present).flatten()
    if not packed:
        return net.describe(dense, boxes.flatten(0, 1), index), None
    rows = present.flatten().nonzero()[:, 0]
    return _in_blocks(net, dense, boxes.flatten(0, 1), index, rows), rows


def _on_grid(
    values: torch.Tensor, present: torch.Tensor, rows: torch.Tensor | None
) -> torch.Tensor:
    """Return values of the processed boxes as (B, N, ...) doubles, zero elsewhere; see
    `_box_outputs`.
    """
    if rows is not None:
        everywhere = values.new_zeros((present.numel(), *values.shape[1:]))
        values = everywhere.index_copy_(0, rows, values)
    return values.unflatten(0, present.shape).double()


def _occluder_logits(
    net: SceneNet | FlipTTA,
    embedding: torch.Tensor,
    boxes: torch.Tensor,
    present: torch.Tensor,
    packed: bool,
) -> torch.Tensor:
    """Run the pair head (B, N, N + 1); if `packed`, one image at a time, for results independent of
    the batch; see `_in_blocks`.
    """
    if not packed:
        return net.occluder_logits(embedding, boxes, present).double()
    images = zip(embedding.split(1), boxes.split(1), present.split(1), strict=True)
    return torch.cat([net.occluder_logits(*image) for image in images]).double()


def _in_blocks(
    net: SceneNet | FlipTTA,
    dense: Dense,
    boxes: torch.Tensor,
    index: torch.Tensor,
    rows: torch.Tensor,
) -> BoxOutput:
    """Run the box head on `rows` of boxes (K, 4) and their image indices (K,), BLOCK at a time.

    The fixed block size makes the result of a box bitwise independent of the number of other boxes.
    """
    count = len(rows)
    rows = torch.cat([rows, rows.new_zeros(-count % BLOCK if count else BLOCK)])
    parts = [net.describe(dense, boxes[part], index[part]) for part in rows.split(BLOCK)]
    attributes = {}
    for a in parts[0].attributes:
        attributes[a] = torch.cat([part.attributes[a] for part in parts])[:count]
    _, *rest = zip(*parts)
    return BoxOutput(attributes, *(torch.cat(same)[:count] for same in rest))


def joined(parts: Sequence[Detections]) -> Detections:
    """Concatenate the detections of several batches."""
    return parts[0].of(map(torch.cat, zip(*(part.leaves() for part in parts))))


def likely(probabilities: Array, values: Sequence[str]) -> dict[str, float]:
    """Return the values (V,) with a probability >= SURE, and the best one, renormalised."""
    probable = {
        v: float(p) for v, p in zip(values, probabilities) if p >= SURE or p == probabilities.max()
    }
    return {v: p / sum(probable.values()) for v, p in probable.items()}


def _existence(scores: torch.Tensor, calibration: Mapping[str, float]) -> torch.Tensor:
    odds = (
        calibration["slope"] * scores.double().clamp(1e-6, 1 - 1e-6).logit() + calibration["offset"]
    )
    return odds.sigmoid().where(scores > 0, 0.0)


def _with_sigma(output: torch.Tensor) -> torch.Tensor:
    """Convert (..., 2) values and Laplace log scales to deviations; (..., 0) stays empty."""
    value, log_scale = output.double().tensor_split([1], -1)
    return torch.cat([value, math.sqrt(2) * log_scale.clamp(MIN_LOG_SCALE, 1).exp()], -1)


def network_input(picture: np.ndarray, net: SceneNet | FlipTTA) -> np.ndarray:
    """Resize an (H, W, 3) uint8 image to the network's input size (h, w, 3)."""
    return resize(picture, net.width, net.height)


def pays_bf16(device: torch.device) -> bool:
    """Return whether to use bf16: on GPUs that support it natively (Ampere and later).

    CPUs stay with fp32, even where bf16 is faster, so that all CPUs give equal answers: with bf16 6
    % of the answers about the shipped room maps differ. For speed on CPUs use int8
    (docs/performance.md).
    """
    return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)


def resize(image: np.ndarray, width: int, height: int) -> np.ndarray:
    """Resize to (height, width, 3) uint8, antialiased when shrinking.

    Training and inference use the same filter.
    """
    if image.shape[:2] == (height, width):
        return np.array(image)
    return np.array(Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR))


def _heading(
    logits: torch.Tensor, residual: torch.Tensor, log_scale: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Return the angle relative to the viewing ray, its sigma, and the flip probability.

    The flip probability is that of the opposite heading.
    """
    p = logits.softmax(-1)
    best = p.argmax(-1, keepdim=True)
    angle = (best[..., 0] + 0.5) * (2 * math.pi / HEADING_BINS) + residual.gather(-1, best)[..., 0]
    half = HEADING_BINS // 2
    away = ((torch.arange(HEADING_BINS, device=p.device) - best + half) % HEADING_BINS - half).abs()
    flip = (p * (away > HEADING_BINS // 4)).sum(-1)
    return wrapped(angle), (math.sqrt(2) * log_scale.exp()).clamp(0.02, 1.0), flip


def _first_of_overlapping(
    boxes: torch.Tensor, scores: torch.Tensor, threshold: float, layer: torch.Tensor | None = None
) -> torch.Tensor:
    """Non-maximum suppression: return (B, N), true for the detections to keep.

    Kept are those above the threshold that do not overlap a stronger detection of the same layer by
    more than DUPLICATE_OVERLAP.
    """
    low = torch.maximum(boxes[:, :, None, :2], boxes[:, None, :, :2])
    high = torch.minimum(boxes[:, :, None, 2:], boxes[:, None, :, 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    area = (boxes[..., 2:] - boxes[..., :2]).prod(-1)
    overlap = shared / (area[:, :, None] + area[:, None] - shared).clamp(min=1e-6)
    stronger = scores[:, None] > scores[:, :, None]  # [b, i, j]: j is stronger than i
    if layer is not None:
        stronger = stronger & (layer[:, None] == layer[:, :, None])
    return (scores > threshold) & ~((overlap > DUPLICATE_OVERLAP) & stronger).any(-1)
