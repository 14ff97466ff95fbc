"""Masks from the outputs of detectors as ONNX files, on an even grid over the picture.

Forms, for n objects and masks of (h, w) over the network's input:

    prototypes   (1, m, h, w), and m coefficients in each row of boxes: YOLO's segmentation models
    pred_masks   (1, n, h, w) log odds: transformers' segmentation models with `pred_boxes`
    masks        (1, n, h, w), or (n, 1, h, w), 0 to 1: RTMDet-Ins by MMDeploy, torchvision's Mask
                 R-CNN
"""

import numpy as np
from numpy.typing import NDArray

from po3d.perception.onnx_frames import Frame
from po3d.scene.geometry import Array

LONGEST_SIDE = 256  # points of the grid along the picture's longer side
PROBABLE = 0.5  # least probability of a point of an object


def from_prototypes(coefficients: Array, prototypes: Array) -> NDArray[np.bool_]:
    """Return masks (k, h, w) of coefficients (k, m) and prototypes (m, h, w)."""
    return np.tensordot(coefficients.astype(np.float32), prototypes, 1) > 0


def grid_of(width: int, height: int) -> tuple[int, int]:
    """Return columns and rows of the grid over a picture."""
    longest = max(width, height)
    scale = min(1.0, LONGEST_SIDE / longest)
    return max(1, round(width * scale)), max(1, round(height * scale))


def on_picture(
    mask: NDArray[np.bool_],
    box: Array,
    size: tuple[int, int],
    left: int,
    frame: Frame,
    input_size: tuple[int, int],
) -> NDArray[np.bool_]:
    """Return masks (k, rows, columns) over the picture of masks (k, h, w) over the network's input.

    `box`: (k, 4) in pixels of the picture, outside of which nothing belongs to an object. `size`:
    width and height of the picture. `left`: left edge of the window that the network processed.
    `frame`: how it was put into the input, of `input_size` pixels.
    """
    columns, rows = grid_of(*size)
    x = (np.arange(columns) + 0.5) * size[0] / columns
    y = (np.arange(rows) + 0.5) * size[1] / rows
    h, w = mask.shape[1:]
    u = np.floor(((x - left) * frame.scale[0] + frame.offset[0]) * w / input_size[0]).astype(int)
    v = np.floor((y * frame.scale[1] + frame.offset[1]) * h / input_size[1]).astype(int)
    result = mask[:, v.clip(0, h - 1)[:, None], u.clip(0, w - 1)[None]]
    result &= ((u >= 0) & (u < w))[None, None] & ((v >= 0) & (v < h))[None, :, None]
    across = (x >= box[:, :1]) & (x <= box[:, 2:3])
    down = (y >= box[:, 1:2]) & (y <= box[:, 3:4])
    return result & across[:, None] & down[:, :, None]
