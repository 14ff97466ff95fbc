"""Images to scene tables: network, decoding of its outputs into beliefs, joint fit. This page is the map.

images -> StreetNet -> centres and boxes -> box head -> beliefs, image points -> joint fit -> Scene
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image

from po3d import checkpoint
from po3d.geometry import Array, wrap_angle
from po3d.perception.fit import joint_fit
from po3d.perception.network import HEADING_BINS, MIN_LOG_SCALE, StreetNet, boxes_at, peaks
from po3d.scene import ObjectState, Scene
from po3d.street import AXES, WIDTH, camera, extent, origin_height
from po3d.vocabulary import COLORS, MATERIALS, SHAPES, SIZES

KIND = "street_estimator"
MAX_OBJECTS = 16  # an image; the benchmark's scenes have at most 10
THRESHOLD = 0.15  # on the centre's probability; what is doubtful stays in the table with its probability
DUPLICATE_OVERLAP = 0.75  # intersection over union of two boxes above which the weaker one is the same object


class Detections(NamedTuple):
    """Decoded network outputs of B images, padded to N objects; pixels are of the 640 x 480 picture."""

    score: Array  # (B, N), 0 where there is no object
    box: Array  # (B, N, 4)
    probabilities: dict[str, Array]  # attribute -> (B, N, values)
    heading: Array  # (B, N)
    heading_sigma: Array  # (B, N)
    flip: Array  # (B, N) probability of the opposite heading
    points: Array  # (B, N, 9, 2)
    sigma: Array  # (B, N, 9)
    occluder: Array  # (B, N, N + 1), the last column "not occluded"

    @property
    def present(self) -> Array:
        return self.score > 0


class Estimator:
    """The street estimator: `estimate(images)` gives one Scene an image."""

    def __init__(
        self, net: StreetNet, calibration: dict[str, float] | None = None, device: str = "cpu"
    ) -> None:
        self.device = torch.device(device)
        self.half = self.device.type == "cuda" or _cpu_has_bf16()
        self.net = net.eval().to(self.device, memory_format=torch.channels_last)
        self.calibration = {"temperature": 1.0, "sigma": 1.0, "covariance": 1.0} | (calibration or {})

    @classmethod
    def from_checkpoint(cls, path: str | Path, device: str = "cpu") -> "Estimator":
        """The estimator of a checkpoint pair; InputError when it is missing, damaged or of another kind."""
        weights, meta = checkpoint.load(path, KIND)
        net = StreetNet(**meta["config"]["network"])
        net.load_state_dict(weights)
        return cls(net, meta["config"].get("calibration"), device)

    def estimate(self, images: Sequence[np.ndarray], names: Sequence[str] | None = None) -> list[Scene]:
        """One predicted scene for each (H, W, 3) uint8 image of the benchmark's camera (any size, aspect 4:3)."""
        if not len(images):
            return []
        names = names or [""] * len(images)
        batch = torch.stack([self._input(image) for image in images]).to(self.device)
        return scenes_of(self.detect(batch), names, self.calibration["covariance"])

    def _input(self, image: np.ndarray) -> torch.Tensor:
        """(3, h, w) in [0, 1] at the network's input size."""
        return torch.from_numpy(resize(image, self.net.width, self.net.height)).permute(2, 0, 1).float() / 255

    @torch.inference_mode()
    def detect(self, images: torch.Tensor) -> Detections:
        """Network and decoding: images (B, 3, h, w) in [0, 1]."""
        images = images.to(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            dense = self.net(images)
            cells, scores = peaks(dense.heat, MAX_OBJECTS)
            boxes = boxes_at(dense, cells)
            scores = torch.where(_first_of_overlapping(boxes, scores), scores, 0.0)
            present = scores > 0
            count = max(int(present.sum(1).max()), 1)
            order = scores.sort(dim=1, descending=True, stable=True).indices[:, :count]
            boxes = boxes.gather(1, order[..., None].expand(-1, -1, 4))
            scores, present = scores.gather(1, order), present.gather(1, order)
            index = torch.arange(len(images), device=self.device)[:, None].expand_as(present).flatten()
            output = self.net.describe(dense, boxes.flatten(0, 1), index)
            embedding = output.embedding.unflatten(0, present.shape)
            occluder = self.net.occluder_logits(embedding, boxes, present)

        def grid(values: torch.Tensor) -> Array:
            return values.double().cpu().numpy().reshape(*present.shape, *values.shape[1:])

        t = self.calibration["temperature"]
        probabilities = {
            a: _softmax(grid(getattr(output, a)) / t) for a in ("shape", "color", "size", "material")
        }
        scale = WIDTH / self.net.width
        box = boxes.double().cpu().numpy() * scale
        side, centre = box[..., 2:] - box[..., :2], (box[..., 2:] + box[..., :2]) / 2
        points = centre[:, :, None] + grid(output.points) * side[:, :, None]
        log_scale = np.clip(grid(output.point_scale), MIN_LOG_SCALE, 1)
        # The loss is exp(-|error|/b) over the plane, whose variance along each axis is 3 b^2.
        sigma = math.sqrt(3) * np.exp(log_scale) * side.mean(-1)[..., None] * self.calibration["sigma"]
        alpha, heading_sigma, flip = _heading(
            grid(output.heading), grid(output.residual), grid(output.residual_scale)
        )
        heading = wrap_angle(alpha + viewing_azimuth(points[:, :, 8]))
        return Detections(
            scores.double().cpu().numpy(), box, probabilities, heading, heading_sigma, flip, points,
            np.maximum(sigma, 0.3), _softmax(occluder.double().cpu().numpy()),
        )  # fmt: skip


def resize(image: np.ndarray, width: int, height: int) -> np.ndarray:
    """(height, width, 3) uint8, antialiased when it shrinks; the same filter in training and at test."""
    if image.shape[:2] == (height, width):
        return np.array(image)
    return np.array(Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR))


def viewing_azimuth(pixels: Array) -> Array:
    """(...) azimuth of the nominal camera's rays through pixels (..., 2) of the 640 x 480 picture."""
    ray = camera().ray(pixels)
    return np.arctan2(ray[..., 1], ray[..., 0])


def scenes_of(found: Detections, names: Sequence[str], covariance_scale: float = 1.0) -> list[Scene]:
    """The joint fit and one predicted Scene an image."""
    shape, size = (found.probabilities[a].argmax(-1) for a in ("shape", "size"))
    table = np.array([[extent(s, z) for z in SIZES] for s in SHAPES])
    fit = joint_fit(
        found.points, found.sigma, found.heading, found.heading_sigma, table[shape, size], found.present
    )
    scenes = []
    for b, name in enumerate(names):
        rows = np.flatnonzero(found.present[b])
        objects = []
        for i in rows:
            leaf, scale = SHAPES[shape[b, i]], SIZES[size[b, i]]
            objects.append(
                ObjectState(
                    beliefs={
                        attribute: dict(zip(values, found.probabilities[attribute][b, i].tolist()))
                        for attribute, values in (
                            ("shape", SHAPES), ("color", COLORS), ("size", SIZES), ("material", MATERIALS),
                        )
                    },
                    position=(*fit.position[b, i].tolist(), origin_height(leaf, scale)),
                    heading=float(fit.heading[b, i]),
                    extent=tuple(table[shape[b, i], size[b, i]].tolist()),
                    covariance=tuple(map(tuple, (fit.covariance[b, i] * covariance_scale).tolist())),
                    flip=float(found.flip[b, i]),
                    existence=float(found.score[b, i]),
                    box=tuple(found.box[b, i].tolist()),
                )
            )  # fmt: skip
        index = {int(i): k for k, i in enumerate(rows)}
        occluders = tuple(
            {
                index[int(j)]: float(p)
                for j, p in enumerate(found.occluder[b, i, :-1])
                if j in index and p > 1e-4
            }
            for i in rows
        )
        scenes.append(Scene(tuple(objects), AXES, "predicted", camera(fit.jitter[b]), occluders, name))
    return scenes


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


def _first_of_overlapping(boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """(B, N) which detections stand: above the threshold, and not almost the box of a stronger one."""
    low = torch.maximum(boxes[:, :, None, :2], boxes[:, None, :, :2])
    high = torch.minimum(boxes[:, :, None, 2:], boxes[:, None, :, 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    area = (boxes[..., 2:] - boxes[..., :2]).prod(-1)
    overlap = shared / (area[:, :, None] + area[:, None] - shared).clamp(min=1e-6)
    stronger = scores[:, None] > scores[:, :, None]  # [b, i, j]: j is stronger than i
    return (scores > THRESHOLD) & ~((overlap > DUPLICATE_OVERLAP) & stronger).any(-1)


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _cpu_has_bf16() -> bool:
    """bf16 pays on CPUs with AVX512-BF16 or AMX only; elsewhere it is emulated and slow."""
    return bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)())
