"""Networks that estimate the orientation of the object in a crop.

Orientation    Orient Anything: DINOv2 of transformers with a head of its own
OrientationV2  Orient Anything V2 as an ONNX file; it also gives the order of symmetry
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from safetensors.torch import load_file
from torch import nn

from po3d.io.devices import device_of
from po3d.io.errors import InputError
from po3d.perception.foundation_geometry import Facing, spread
from po3d.perception.foundation_networks import loaded, prepared
from po3d.perception.foundation_weights import HEAD
from po3d.perception.onnx_session import LONGEST, run_network, session
from po3d.perception.photo_detections import Pixels
from po3d.scene.geometry import Array

BACKBONES = ("dinov2", "dinov2_with_registers")
AZIMUTHS, POLARS = 360, 180  # number of bins of one degree
CROPS = 16  # crops per batch
V2_OUTPUTS = (900, 902)
# Order of symmetry -> least strength of that harmonic (concentrations of 0.6, 0.5 and 0.25)
LEAST_HARMONIC = {1: 0.29, 2: 0.24, 4: 0.12}


class Orientation:
    """Orientation of the objects in crops."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        from transformers import AutoImageProcessor, AutoModel

        self.device = device_of(device)
        self.backbone = loaded(AutoModel, folder, "orientation", BACKBONES, self.device)
        self.processor = prepared(AutoImageProcessor, folder, "orientation")
        weights = load_file(str(folder / HEAD))
        out = len(weights["net2.0.bias"]) if "net2.0.bias" in weights else 0
        if out <= AZIMUTHS + POLARS + 2:
            raise InputError(
                f"{folder / HEAD} is not an orientation head: net2.0.bias has {out} outputs"
            )
        self.head = head(self.backbone.config.hidden_size, out)
        try:
            self.head.load_state_dict(weights)
        except RuntimeError as error:
            raise InputError(
                f"{folder / HEAD} does not fit the network: {' '.join(str(error).split())[:200]}"
            ) from None
        self.head = self.head.eval().to(self.device)

    @torch.inference_mode()
    def __call__(self, crops: Sequence[Pixels]) -> list[Facing]:
        """Estimate the orientation in crops (h, w, 3) of one object each."""
        facing: list[Facing] = []
        for start in range(0, len(crops), CROPS):
            squares = [Image.fromarray(squared(crop)) for crop in crops[start : start + CROPS]]
            pixels = self.processor(images=squares, return_tensors="pt")["pixel_values"].to(
                self.device
            )
            feature = self.backbone(pixel_values=pixels).last_hidden_state[:, 0]
            facing += map(decoded, self.head(feature).float().cpu())
        return facing


def head(width: int, out: int) -> nn.Module:
    """Build Orient Anything's head with its published parameter names.

    It has two linear layers, each with batch norm.
    """
    net = nn.Sequential()
    net.add_module("net1", nn.Sequential(nn.Linear(width, out), nn.BatchNorm1d(out), nn.ReLU()))
    net.add_module("net2", nn.Sequential(nn.Linear(out, out), nn.BatchNorm1d(out)))
    return net


def decoded(logits: torch.Tensor) -> Facing:
    """Decode the head's output (360 + 180 + R + 2,).

    Azimuth from 0, polar from -90, rotation from -R / 2 degrees, and logits of having a front or
    none.
    """
    rotations = len(logits) - AZIMUTHS - POLARS - 2
    around, polar, rotation, front = logits.split([AZIMUTHS, POLARS, rotations, 2])
    sure = float(front.softmax(0)[0])
    azimuth, sigma, flip = spread(around.double().softmax(0).numpy(), sure)
    return Facing(
        azimuth,
        math.radians(int(polar.argmax()) - POLARS / 2),
        math.radians(int(rotation.argmax()) - rotations / 2),
        sigma,
        flip,
    )


class OrientationV2:
    """Orientation and symmetry of the objects in crops, by Orient Anything V2 as an ONNX file."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.network = path, session(path, "orientation")
        shape = self.network.inputs[0].shape if len(self.network.inputs) == 1 else ()
        if len(shape) != 4 or shape[1] != 3 or shape[2] != shape[3] or not 0 < shape[2] <= LONGEST:
            raise InputError(
                f"orientation {path}: input {list(shape)} should be (1, 3, side, side)"
            )
        self.side = shape[2]

    def __call__(self, crops: Sequence[Pixels]) -> list[Facing]:
        """Estimate the orientation in crops (h, w, 3) of one object each."""
        return list(map(self._facing, crops))

    def _facing(self, crop: Pixels) -> Facing:
        square = Image.fromarray(squared(crop, 255)).resize((self.side, self.side))
        pixels = np.asarray(square, np.float32).transpose(2, 0, 1)[None] / np.float32(255)
        name = self.network.inputs[0].name
        arrays = {name: np.ascontiguousarray(pixels)}
        output = run_network(self.network, arrays, f"orientation {self.path}")[0]
        logits = np.asarray(output, float).ravel()
        if len(logits) not in V2_OUTPUTS or not np.isfinite(logits).all():
            raise InputError(
                f"orientation {self.path} gives {len(logits)} numbers; Orient Anything V2 gives 900"
            )
        return decoded_v2(logits)


def decoded_v2(logits: Array) -> Facing:
    """Decode V2's output: azimuth (360), polar (180) and rotation (360), each trained on its own.

    The azimuth's distribution has as many equal peaks as the object has fronts that look alike.
    """
    around = 1 / (1 + np.exp(-logits[:AZIMUTHS].clip(-50, 50)))
    around /= around.sum()
    symmetry = order_of(around)
    azimuth, sigma, flip = spread(around, float(symmetry in (1, 2)))
    polar, rotation = np.split(logits[AZIMUTHS : AZIMUTHS + POLARS + AZIMUTHS], [POLARS])
    return Facing(
        azimuth,
        math.radians(int(polar.argmax()) - POLARS / 2),
        math.radians(int(rotation.argmax()) - AZIMUTHS / 2),
        sigma,
        0.5 if symmetry == 2 else flip,
        symmetry,
    )


def order_of(p: Array) -> int:
    """Return the order of symmetry of azimuth probabilities (n,): 1, 2 or 4, or 0 if they are flat.

    The order is the lowest harmonic that stands out. Its least strength is that of a von Mises
    distribution of the least concentration that V2's authors accept.
    """
    angle = 2 * math.pi * np.arange(len(p)) / len(p)
    strength = {m: abs((p * np.exp(1j * m * angle)).sum()) for m in LEAST_HARMONIC}
    strongest = max(strength.values())
    for order, least in LEAST_HARMONIC.items():
        if strength[order] >= max(least, strongest / 2):
            return order
    return 0


def squared(picture: Pixels, gray: int = 0) -> Pixels:
    """Pad an image to a square, black by default, because processors crop the ends of long
    images."""
    height, width = picture.shape[:2]
    side = max(height, width)
    square = np.full((side, side, 3), gray, np.uint8)
    y, x = (side - height) // 2, (side - width) // 2
    square[y : y + height, x : x + width] = picture
    return square
