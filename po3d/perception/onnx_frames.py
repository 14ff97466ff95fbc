"""Pictures as inputs of networks, and boxes of the inputs in pixels of the picture."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.scene.geometry import Array

Pixels = NDArray[np.uint8]

GRAY = 114  # of the border around pictures in YOLO's inputs


class Frame(NamedTuple):
    """How a picture was put into the network's input: pixels = (input - offset) / scale."""

    width: int  # of the picture
    height: int
    scale: tuple[float, float]
    offset: tuple[float, float] = (0.0, 0.0)

    def boxes(self, box: Array) -> Array:
        """Return boxes (n, 4) of the input in pixels of the picture, cut at its edges."""
        box = (box - np.tile(self.offset, 2)) / np.tile(self.scale, 2)
        return box.clip(0, np.tile([self.width, self.height], 2))


def letterbox(picture: Pixels, width: int, height: int, centred: bool) -> tuple[Pixels, Frame]:
    """Return the picture in a gray rectangle of that size, its aspect ratio kept."""
    h, w = picture.shape[:2]
    scale = min(width / w, height / h)
    size = max(1, round(w * scale)), max(1, round(h * scale))
    small = np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR))
    x, y = ((width - size[0]) // 2, (height - size[1]) // 2) if centred else (0, 0)
    canvas = np.full((height, width, 3), GRAY, np.uint8)
    canvas[y : y + size[1], x : x + size[0]] = small
    return canvas, Frame(w, h, (size[0] / w, size[1] / h), (x, y))


def stretched(picture: Pixels, width: int, height: int) -> tuple[Pixels, Frame]:
    h, w = picture.shape[:2]
    small = np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BILINEAR))
    return small, Frame(w, h, (width / w, height / h))


def planes(pixels: Pixels, factor: float = 1 / 255) -> Array:
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32) * np.float32(factor)


def corners(centred: Array) -> Array:
    """Convert boxes (n, 4) from centre and size to corners."""
    half = centred[:, 2:4] / 2
    return np.concatenate([centred[:, :2] - half, centred[:, :2] + half], 1)
