"""Facing of people from the keypoints of a pose network: MediaPipe's BlazePose.

    picture, box of a person ──► square crop ──► network ──► keypoints in metres ──► facing

The network's input is (1, side, side, 3) or (1, 3, side, side), RGB from 0 to 1. Its outputs are
recognised by their size: 39 or 33 keypoints with x (right), y (down) and z (away from the camera),
and the probability that the crop shows a person. Shoulders and hips give the facing.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image

from po3d.io.errors import InputError
from po3d.perception.foundation_geometry import Facing
from po3d.perception.onnx_session import (
    LITE,
    LONGEST,
    SUFFIXES,
    OnnxNetwork,
    check_file,
    run_network,
    session,
)
from po3d.perception.photo_detections import Pixels
from po3d.scene.geometry import Array

SIZES = (3 * 39, 3 * 33)  # of an output of 39 or 33 keypoints
SIDES = ((11, 12), (23, 24))  # keypoints of the left and right shoulder, and hip
# Crops that are tried until the network is SURE of a person: side, and shift downwards for those
# whose lower half is hidden, in longer sides of the box. Chosen on five development photographs.
CROPS = ((1.25, 0.0), (1.6, 0.0), (2.0, 0.3))
SURE = 0.9
LEAST = 0.02  # probability of a person below which nothing is estimated
MOST = 8  # people of a picture, the largest boxes first
# Standard deviation of the azimuth (profiles are underestimated), and probability of the opposite
# heading (left and right confused), where the network is sure of a person, and the same where it is
# not: people who sit, or are partly hidden. Chosen, not fitted.
SIGMA, FLIP = math.radians(26), 0.05
DOUBTFUL_SIGMA, DOUBTFUL_FLIP = math.radians(45), 0.35


class PeopleFacing:
    """Estimates the facing of people in boxes of a picture. The network's file is loaded on first
    use."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        check_file(path, "pose", "docs/photographs.md", (*SUFFIXES, LITE))

    @cached_property
    def network(self) -> OnnxNetwork:
        return session(self.path, "pose")

    @property
    def side(self) -> int:
        """Side of the network's input; InputError for an input of another form."""
        inputs = self.network.inputs
        shape = tuple(inputs[0].shape) if len(inputs) == 1 else ()
        side = shape[2] if len(shape) == 4 else 0
        if not 0 < side <= LONGEST or shape[1:] not in ((side, side, 3), (3, side, side)):
            raise InputError(f"pose {self.path}: input {list(shape)} should be (1, side, side, 3)")
        return side

    def __call__(self, picture: Pixels, boxes: Sequence[Array]) -> list[Facing | None]:
        """Estimate the facing of the person in each box (4,) of a picture (H, W, 3); None where the
        network detects no person, and for boxes that are not among the MOST largest."""
        result: list[Facing | None] = [None] * len(boxes)
        sides = np.reshape(boxes, (-1, 4))
        area = (sides[:, 2:] - sides[:, :2]).prod(1)
        for k in np.argsort(-area, kind="stable")[:MOST].tolist():
            result[k] = self._facing(picture, boxes[k])
        return result

    def _facing(self, picture: Pixels, box: Array) -> Facing | None:
        certain, keypoints = 0.0, None
        for side, shift in CROPS:
            p, points = self._keypoints(picture, box, side, shift)
            if keypoints is None or p > certain:
                certain, keypoints = p, points
            if certain >= SURE:
                break
        return None if certain < LEAST else facing_of(keypoints, certain)

    def _keypoints(
        self, picture: Pixels, box: Array, side: float, shift: float
    ) -> tuple[float, Array]:
        """Return the probability of a person, and keypoints (n, 3), in a crop around a box."""
        longest = max(box[2] - box[0], box[3] - box[1])
        half = side * longest / 2
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2 + shift * longest
        square = [round(float(v)) for v in (x - half, y - half, x + half, y + half)]
        crop = Image.fromarray(picture).crop(square)
        crop = crop.resize((self.side, self.side), Image.Resampling.BILINEAR)
        pixels = np.asarray(crop, np.float32)[None] / np.float32(255)
        port = self.network.inputs[0]
        if port.shape[1] == 3:
            pixels = pixels.transpose(0, 3, 1, 2)
        arrays = {port.name: np.ascontiguousarray(pixels)}
        outputs = list(map(np.ravel, run_network(self.network, arrays, f"pose {self.path}")))
        points, flags = [], []
        for out in outputs:
            if out.size in SIZES:
                points.append(out)
            elif out.size == 1:
                flags.append(out)
        fine = len(points) == len(flags) == 1
        if not fine or not all(np.isfinite(out).all() for out in (*points, *flags)):
            sizes = ", ".join(str(out.size) for out in outputs)
            raise InputError(
                f"pose {self.path}: outputs of {sizes} numbers are not those of BlazePose (117 for"
                " 39 keypoints, and 1)"
            )
        return min(float(flags[0][0]), 1.0), points[0].reshape(-1, 3).astype(float)


def facing_of(keypoints: Array, certain: float = 1.0) -> Facing:
    """Return the facing by keypoints (n, 3); the front is at a right angle to the line from the
    left to the right shoulder and hip. `certain`: probability that there is a person."""
    x, _, z = sum(keypoints[right] - keypoints[left] for left, right in SIDES)
    front = math.atan2(x, -z)  # angle seen from above, from the image's right
    return Facing(
        (-math.pi / 2 - front) % (2 * math.pi),
        0.0,
        0.0,
        sigma=DOUBTFUL_SIGMA + certain * (SIGMA - DOUBTFUL_SIGMA),
        flip=DOUBTFUL_FLIP + certain * (FLIP - DOUBTFUL_FLIP),
    )
