"""From the network's outputs to detections with beliefs: what all estimators share.

images -> SceneNet -> centres and boxes -> box head -> Detections
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image

from po3d.perception.mirrored import Mirrored
from po3d.perception.network import HEADING_BINS, MIN_LOG_SCALE, SceneNet, boxes_at, peaks
from po3d.scene.geometry import Array, wrap_angle

THRESHOLD = 0.15  # on the centre's probability; what is doubtful stays in the table with its probability
SURE = 0.001  # words of less belief are left out of rooms' tables: a hundred names an object are unreadable
DUPLICATE_OVERLAP = 0.75  # intersection over union of two boxes above which the weaker one is the same object
# What makes a network's sayings beliefs; training fits it. temperature: of the words; sigma: scale of the image points'
# deviations; slope, offset: of the log odds of being there against those of the centre's probability.
CALIBRATION = {"temperature": 1.0, "sigma": 1.0, "slope": 1.0, "offset": 0.0}


class Detections(NamedTuple):
    """Decoded network outputs of B images, padded to N objects; pixels are of a picture of the given width."""

    score: Array  # (B, N) probability of being there, 0 where there is no object
    box: Array  # (B, N, 4)
    probabilities: dict[str, Array]  # attribute -> (B, N, values)
    alpha: Array  # (B, N) heading relative to the viewing ray's azimuth
    alpha_sigma: Array  # (B, N)
    flip: Array  # (B, N) probability of the opposite heading
    points: Array  # (B, N, 9, 2)
    sigma: Array  # (B, N, 9)
    occluder: Array  # (B, N, N + 1), the last column "not occluded"
    extent: Array  # (B, N, 3), or (B, N, 0) where the network says no sizes
    depth: Array | None = (
        None  # (B, N, 2) log depth and its sigma (network.BoxOutput); (B, N, 0) where it says none
    )
    hold: Array | None = None  # (B, 3, 2) roll, pitch and log height of the camera, each with its sigma

    @property
    def present(self) -> Array:
        return self.score > 0


@torch.inference_mode()
def detect(
    net: SceneNet | Mirrored,
    images: torch.Tensor,
    width: int,
    limit: int,
    calibration: dict[str, float],
    half: bool = False,
    threshold: float = THRESHOLD,
    log_focal: torch.Tensor | None = None,
) -> Detections:
    """Network and decoding: images (B, 3, h, w) in [0, 1] on the network's device, at most `limit` objects each.
    `width`: of the pictures in whose pixels the result is. `calibration`: see CALIBRATION. `half`: bf16. `threshold`: on
    the centre's probability.
    `log_focal`: (B,) for networks that say how the camera is held."""
    device = images.device
    images = images.to(memory_format=torch.channels_last)
    with torch.autocast(device.type, torch.bfloat16, enabled=half):
        dense = net(images)
        cells, scores = peaks(dense.heat, limit)
        boxes = boxes_at(dense, cells)
        scores = torch.where(_first_of_overlapping(boxes, scores, threshold), scores, 0.0)
        present = scores > 0
        count = max(int(present.sum(1).max()), 1)
        order = scores.sort(dim=1, descending=True, stable=True).indices[:, :count]
        boxes = boxes.gather(1, order[..., None].expand(-1, -1, 4))
        scores, present = scores.gather(1, order), present.gather(1, order)
        index = torch.arange(len(images), device=device)[:, None].expand_as(present).flatten()
        output = net.describe(dense, boxes.flatten(0, 1), index)
        embedding = output.embedding.unflatten(0, present.shape)
        occluder = net.occluder_logits(embedding, boxes, present)
        hold = (
            None if log_focal is None else _with_sigma(torch.stack(net.hold(dense, log_focal.to(device)), -1))
        )

    def grid(values: torch.Tensor) -> Array:
        return values.double().cpu().numpy().reshape(*present.shape, *values.shape[1:])

    t = calibration["temperature"]
    probabilities = {name: _softmax(grid(logits) / t) for name, logits in output.attributes.items()}
    scale = width / net.width
    box = boxes.double().cpu().numpy() * scale
    side, centre = box[..., 2:] - box[..., :2], (box[..., 2:] + box[..., :2]) / 2
    points = centre[:, :, None] + grid(output.points) * side[:, :, None]
    log_scale = np.clip(grid(output.point_scale), MIN_LOG_SCALE, 1)
    # The loss is exp(-|error|/b) over the plane, whose variance along each axis is 3 b^2.
    sigma = math.sqrt(3) * np.exp(log_scale) * side.mean(-1)[..., None] * calibration["sigma"]
    alpha, alpha_sigma, flip = _heading(
        grid(output.heading), grid(output.residual), grid(output.residual_scale)
    )
    return Detections(
        _existence(scores, calibration), box, probabilities, alpha, alpha_sigma, flip, points,
        np.maximum(sigma, 0.3), _softmax(occluder.double().cpu().numpy()), np.exp(np.clip(grid(output.extent), -5, 3)),
        _with_sigma(output.depth).reshape(*present.shape, output.depth.shape[1]), hold,
    )  # fmt: skip


def likely(probabilities: Array, values: Sequence[str]) -> dict[str, float]:
    """The values (V,) worth a belief, with their probabilities made to sum to 1."""
    kept = {v: float(p) for v, p in zip(values, probabilities) if p >= SURE or p == probabilities.max()}
    return {v: p / sum(kept.values()) for v, p in kept.items()}


def _existence(scores: torch.Tensor, calibration: dict[str, float]) -> Array:
    p = scores.double().cpu().numpy()
    sure = np.clip(p, 1e-6, 1 - 1e-6)
    odds = calibration["slope"] * np.log(sure / (1 - sure)) + calibration["offset"]
    return np.where(p > 0, 1 / (1 + np.exp(-odds)), 0.0)


def _with_sigma(output: torch.Tensor) -> Array:
    """(..., 2) values and the deviations that their Laplace log scales mean; (..., 0) stays empty."""
    values = output.double().cpu().numpy()
    if values.shape[-1]:
        values[..., 1] = math.sqrt(2) * np.exp(np.clip(values[..., 1], MIN_LOG_SCALE, 1))
    return values


def network_input(image: np.ndarray, net: SceneNet) -> torch.Tensor:
    """(3, h, w) in [0, 1] at the network's input size, of (H, W, 3) uint8."""
    return torch.from_numpy(resize(image, net.width, net.height)).permute(2, 0, 1).float() / 255


def pays_bf16(device: torch.device) -> bool:
    """bf16 pays on GPUs, and on CPUs with AVX512-BF16 or AMX only; elsewhere it is emulated and slow."""
    return device.type == "cuda" or bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)())


def resize(image: np.ndarray, width: int, height: int) -> np.ndarray:
    """(height, width, 3) uint8, antialiased when it shrinks; the same filter in training and at test."""
    if image.shape[:2] == (height, width):
        return np.array(image)
    return np.array(Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR))


def _heading(logits: Array, residual: Array, log_scale: Array) -> tuple[Array, Array, Array]:
    """Angle relative to the viewing ray, its sigma, and the probability that the nose points the other way."""
    p = _softmax(logits)
    best = p.argmax(-1)
    width = 2 * math.pi / HEADING_BINS
    angle = (best + 0.5) * width + np.take_along_axis(residual, best[..., None], -1)[..., 0]
    away = np.abs(
        (np.arange(HEADING_BINS) - best[..., None] + HEADING_BINS // 2) % HEADING_BINS - HEADING_BINS // 2
    )
    flip = (p * (away > HEADING_BINS // 4)).sum(-1)
    return wrap_angle(angle), np.clip(math.sqrt(2) * np.exp(log_scale), 0.02, 1.0), flip


def _first_of_overlapping(boxes: torch.Tensor, scores: torch.Tensor, threshold: float) -> torch.Tensor:
    """(B, N) which detections stand: above the threshold, and not almost the box of a stronger one."""
    low = torch.maximum(boxes[:, :, None, :2], boxes[:, None, :, :2])
    high = torch.minimum(boxes[:, :, None, 2:], boxes[:, None, :, 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    area = (boxes[..., 2:] - boxes[..., :2]).prod(-1)
    overlap = shared / (area[:, :, None] + area[:, None] - shared).clamp(min=1e-6)
    stronger = scores[:, None] > scores[:, :, None]  # [b, i, j]: j is stronger than i
    return (scores > threshold) & ~((overlap > DUPLICATE_OVERLAP) & stronger).any(-1)


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
