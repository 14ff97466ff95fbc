"""Wrappers of three networks of the transformers library.

    Detector     image, phrases -> boxes with a score for every phrase
                 Grounding DINO, OWLv2 and similar
    DepthMap     image -> metres along the optical axis
                 Depth Anything V2 (metric), DepthPro
    Orientation  crops -> object orientations
                 DINOv2 with Orient Anything's head

Weights are loaded from folders (`foundation_weights`) as safetensors; remote code is never
executed. A folder's config.json names the class; other network types or incomplete weights raise
InputError.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import load_file
from scipy.linalg import block_diag
from torch import nn

from po3d.io.devices import device_of
from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.language.english import with_article
from po3d.perception.foundation_geometry import spread
from po3d.perception.foundation_weights import HEAD
from po3d.perception.onnx_detector import Boxes
from po3d.scene.geometry import Array

Pixels = NDArray[np.uint8]

# score every token of a sentence made of the phrases
BY_TOKENS = ("grounding-dino", "mm-grounding-dino")
BY_PHRASES = ("owlv2", "owlvit")  # score every phrase
DEPTHS = ("depth_anything", "depth_pro")
BACKBONES = ("dinov2", "dinov2_with_registers")
AZIMUTHS, POLARS = 360, 180  # number of bins of one degree
FIELDS = 5.0, 150.0  # degrees; limits of the field of view
CROPS = 16  # crops per batch


class Depth(NamedTuple):
    """A depth map and, if the network estimates it, the focal length in image widths."""

    metres: Array  # (H, W)
    focal: float | None


class Facing(NamedTuple):
    """Orientation of the object in a crop, radians; see `foundation_geometry.front_of`."""

    azimuth: float
    polar: float
    rotation: float
    sigma: float  # standard deviation of the azimuth
    flip: float  # probability of the opposite heading


def _loaded(auto: Any, folder: Path, role: str, kinds: Sequence[str], device: torch.device) -> Any:
    """Load the folder's network for inference.

    Raise InputError if it is of another kind or incomplete.
    """
    from transformers.utils import logging

    logging.disable_progress_bar()
    kind = read_json(folder / "config.json", f"{role} config").get("model_type")
    if kind not in kinds:
        raise InputError(
            f"{role} weights {folder} are for a {kind!r} network; known: {', '.join(kinds)}"
        )
    try:
        model, notes = auto.from_pretrained(
            folder,
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise InputError(
            f"{role} weights {folder} cannot be read ({' '.join(str(error).split())[:200]})"
        ) from None
    if notes["missing_keys"]:
        raise InputError(
            f"{role} weights {folder} lack {len(notes['missing_keys'])} tensors, first"
            f" {min(notes['missing_keys'])}"
        )
    return model.eval().to(device)


def _prepared(auto: Any, folder: Path, role: str) -> Any:
    """Load the folder's processor of images (and texts)."""
    try:
        return auto.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise InputError(
            f"{role} folder {folder} has no usable processor ({' '.join(str(error).split())[:160]})"
        ) from None


class Detector:
    """Open-vocabulary detector."""

    def __init__(self, folder: Path, device: str = "cpu", phrases_at_once: int = 20) -> None:
        from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor

        self.device, self.at_once = device_of(device), phrases_at_once
        kinds = BY_TOKENS + BY_PHRASES
        self.model = _loaded(
            AutoModelForZeroShotObjectDetection, folder, "detector", kinds, self.device
        )
        self.processor = _prepared(AutoProcessor, folder, "detector")
        self.by_tokens = self.model.config.model_type in BY_TOKENS

    @torch.inference_mode()
    def __call__(self, picture: Pixels, phrases: Sequence[str]) -> Boxes:
        """Return all boxes of an image (H, W, 3), without a score threshold."""
        parts = [
            self._part(picture, phrases[start : start + self.at_once])
            for start in range(0, len(phrases), self.at_once)
        ]
        return _together(parts)

    def _part(self, picture: Pixels, phrases: Sequence[str]) -> Boxes:
        height, width = picture.shape[:2]
        if self.by_tokens:
            text, spans = sentence(phrases)
            tokens = self.processor.tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
            most = self.model.config.max_text_len
            if len(tokens) > most and len(phrases) > 1:
                half = len(phrases) // 2
                return _together(
                    [self._part(picture, part) for part in (phrases[:half], phrases[half:])]
                )
            output = self._run(images=Image.fromarray(picture), text=text)
            of_tokens = output.logits[0].float().sigmoid().cpu().numpy()
            score = of_phrases(of_tokens, tokens[:most], spans)
            unit = np.tile([float(width), float(height)], 2)
        else:
            prompts = [f"a photo of {with_article(phrase)}" for phrase in phrases]
            # usually 16 tokens: longer phrases are truncated
            most = self.model.config.text_config.max_position_embeddings
            output = self._run(
                images=Image.fromarray(picture), text=[prompts], truncation=True, max_length=most
            )
            score = output.logits[0].float().sigmoid().cpu().numpy()
            # OWLv2 pads images to squares, OWL-ViT resizes them to squares.
            square = self.model.config.model_type == "owlv2"
            unit = np.tile(
                [float(max(width, height))] * 2 if square else [float(width), float(height)], 2
            )
        x, y, w, h = (output.pred_boxes[0].float().cpu().numpy().astype(float) * unit).T
        box = np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], 1)
        box[:, [0, 2]] = box[:, [0, 2]].clip(0, width)
        box[:, [1, 3]] = box[:, [1, 3]].clip(0, height)
        valid = ((box[:, 2:] - box[:, :2]) >= 1).all(1)
        return Boxes(box[valid], score[valid].astype(float))

    def _run(self, **inputs: Any) -> Any:
        return self.model(**self.processor(**inputs, return_tensors="pt").to(self.device))


def _together(parts: Sequence[Boxes]) -> Boxes:
    """Concatenate boxes of several groups of phrases, with score 0 for other groups' phrases."""
    return Boxes(
        np.concatenate([part.box for part in parts]), block_diag(*(part.score for part in parts))
    )


def sentence(phrases: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return the prompt for token-scoring detectors ("dog. stop sign.").

    Also return each phrase's (start, end) in it.
    """
    text, spans = "", []
    for phrase in phrases:
        text += " " if text else ""
        spans.append((len(text), len(text) + len(phrase)))
        text += f"{phrase.lower()}."
    return text, spans


def of_phrases(
    of_tokens: Array, tokens: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]
) -> Array:
    """Return phrase scores (n, phrases), means over the phrases' tokens.

    `of_tokens`: (n, at least len(tokens)).

    `tokens`, `spans`: positions in the sentence; special tokens are empty.
    """
    scores = np.zeros((len(of_tokens), len(spans)))
    for k, (start, end) in enumerate(spans):
        tokens_of_phrase = [
            t for t, (a, b) in enumerate(tokens) if a < b and start <= a and b <= end
        ]
        if tokens_of_phrase:
            scores[:, k] = of_tokens[:, tokens_of_phrase].mean(1)
    return scores


class DepthMap:
    """Metric depth estimation."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        from transformers import AutoImageProcessor, AutoModelForDepthEstimation

        self.device = device_of(device)
        self.model = _loaded(AutoModelForDepthEstimation, folder, "depth", DEPTHS, self.device)
        if getattr(self.model.config, "depth_estimation_type", "metric") != "metric":
            raise InputError(
                f"depth weights {folder} give relative depth; metric ones are needed"
                " (...-Metric-...)"
            )
        self.processor = _prepared(AutoImageProcessor, folder, "depth")

    @torch.inference_mode()
    def __call__(self, picture: Pixels, focal: float | None = None) -> Depth:
        """Estimate the depth of an image (H, W, 3).

        `focal`: in image widths, if known. A network that also estimates the focal length
        (DepthPro) returns depth in proportion to its own estimate, which is corrected.
        """
        inputs = self.processor(images=Image.fromarray(picture), return_tensors="pt").to(
            self.device
        )
        output = self.model(**inputs)
        (depth,) = self.processor.post_process_depth_estimation(
            output, target_sizes=[picture.shape[:2]]
        )
        metres = depth["predicted_depth"].float().cpu().numpy().astype(float)
        field = depth.get("field_of_view")
        if field is None:
            return Depth(metres, None)
        estimated_focal = 0.5 / math.tan(math.radians(float(field.clamp(*FIELDS))) / 2)
        return Depth(metres if focal is None else metres * focal / estimated_focal, estimated_focal)


class Orientation:
    """Orientation of the objects in crops."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        from transformers import AutoImageProcessor, AutoModel

        self.device = device_of(device)
        self.backbone = _loaded(AutoModel, folder, "orientation", BACKBONES, self.device)
        self.processor = _prepared(AutoImageProcessor, folder, "orientation")
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
            facing += [decoded(row) for row in self.head(feature).float().cpu()]
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


def squared(picture: Pixels) -> Pixels:
    """Pad an image to a black square, because processors crop the ends of long images."""
    height, width = picture.shape[:2]
    side = max(height, width)
    square = np.zeros((side, side, 3), np.uint8)
    y, x = (side - height) // 2, (side - width) // 2
    square[y : y + height, x : x + width] = picture
    return square
