"""Tell photographs from renderings by simple statistics of the image.

Photographs have fine texture, noise and colours everywhere; renderings of this project have smooth
faces. The features are quantiles of gradients at three scales, brightness, saturation and local
contrast at a common size; a logistic regression weighs them. `photo_statistics.json` holds its
weights; `python -m tools.photographs fit` computes them. It depends on no network, so it still
holds after a checkpoint is trained anew.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.io.files import read_json
from po3d.scene.geometry import Array

LONGER_SIDE = 320  # pixels at which the features are measured
SCALES = 3  # each halves the size
LUMA = np.array([0.299, 0.587, 0.114], np.float32)
LIMIT = 4.0  # standard deviations; features beyond are clipped
# An image in the middle of a training domain needs more evidence: above THRESHOLD, plus STEEPNESS
# for each unit that its out-of-distribution score is below USUAL.
THRESHOLD, USUAL, STEEPNESS = 0.5, 0.7, 4.0
# Log odds above which an image outside of every domain's limit (a score above 1, where a street is
# still taken with a warning) is a photograph.
OUTSIDE = -0.5
_GRADIENTS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.97)
_CHROMA = (0.25, 0.5, 0.75, 0.95)
_BRIGHTNESS = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
_SATURATION = (0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
_CONTRAST = (0.05, 0.2, 0.5, 0.8, 0.95)


def features(picture: NDArray[np.uint8]) -> Array:
    """Return the statistics (F,) of an image (H, W, 3)."""
    image = Image.fromarray(picture)
    scale = LONGER_SIDE / max(image.size)
    size = tuple(max(16, round(side * scale)) for side in image.size)
    filter_ = Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC
    rgb = np.asarray(image.resize(size, filter_), np.float32) / 255
    luma = rgb @ LUMA
    result = []
    y, chroma = luma, np.stack([rgb[..., 0] - luma, rgb[..., 2] - luma], -1)
    for _ in range(SCALES):
        result += _texture(y, chroma)
        y, chroma = _halved(y), _halved(chroma)
    result += np.quantile(luma, _BRIGHTNESS).tolist()
    result += np.quantile(rgb.max(-1) - rgb.min(-1), _SATURATION).tolist()
    contrast, means = [], []
    for rows in np.array_split(luma, 8, 0):
        for block in np.array_split(rows, 8, 1):
            contrast.append(block.std())
            means.append(block.mean())
    brightness = np.array(means).reshape(8, 8)
    result += np.log(np.quantile(np.array(contrast), _CONTRAST) + 0.003).tolist()
    return np.array([*result, brightness.std(1).mean(), brightness.std(0).mean()])


def _texture(y: Array, chroma: Array) -> list[float]:
    """Return gradient statistics of luma (H, W) and chroma (H, W, 2)."""
    gradient = np.hypot(np.diff(y, axis=0)[:, :-1], np.diff(y, axis=1)[:-1])
    squares = np.diff(chroma, axis=0)[:, :-1] ** 2 + np.diff(chroma, axis=1)[:-1] ** 2
    laplacian = 4 * y[1:-1, 1:-1] - y[:-2, 1:-1] - y[2:, 1:-1] - y[1:-1, :-2] - y[1:-1, 2:]
    level = float(np.abs(laplacian).mean())
    peaked = float((laplacian**2).mean()) ** 0.5 / (level + 1e-4)
    return [
        *np.log(np.quantile(gradient, _GRADIENTS) + 0.002).tolist(),
        *np.log(np.quantile(np.sqrt(squares.sum(-1)), _CHROMA) + 0.002).tolist(),
        float(np.log(level + 0.002)),
        float(np.log(peaked + 0.1)),
    ]


def _halved(values: Array) -> Array:
    h, w = (max(2, side // 2 * 2) for side in values.shape[:2])
    values = values[:h, :w]
    return (values[::2, ::2] + values[1::2, ::2] + values[::2, 1::2] + values[1::2, 1::2]) / 4


@cache
def shipped() -> tuple[Array, Array, Array, float]:
    """Return means and standard deviations (F,) of the features, weights (F,), and the bias."""
    record = read_json(Path(__file__).with_suffix(".json"), "statistics of photographs")
    arrays = map(np.array, (record["mean"], record["spread"], record["weight"]))
    return *arrays, record["bias"]


def photograph_score(picture: NDArray[np.uint8]) -> float:
    """Return the log odds that an image is a photograph."""
    mean, spread, weight, bias = shipped()
    z = ((features(picture) - mean) / spread).clip(-LIMIT, LIMIT)
    return float(z @ weight) + bias


def is_photograph(picture: NDArray[np.uint8], ood_score: float) -> bool:
    """Whether an image is classified as a photograph; `ood_score`: its distance to the nearest
    training domain."""
    threshold = OUTSIDE if ood_score > 1 else THRESHOLD + STEEPNESS * max(0.0, USUAL - ood_score)
    return photograph_score(picture) > threshold
