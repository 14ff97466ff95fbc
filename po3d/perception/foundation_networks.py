"""Wrappers of networks of the transformers library.

    Detector     image, phrases -> boxes with a score for every phrase
                 Grounding DINO, OWLv2 and similar
    Segmenter    the same, with masks
                 SAM 3
    DepthMap     image -> metres along the optical axis
                 Depth Anything V2 (metric), DepthPro

Networks of orientation are in `foundation_orientation`.

Weights are loaded from folders (`foundation_weights`) as safetensors; remote code is never
executed. A folder's config.json names the class; other network types or incomplete weights raise
InputError.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from scipy.linalg import block_diag

from po3d.io.devices import device_of
from po3d.io.errors import InputError, printable
from po3d.io.files import read_json
from po3d.language.english import with_article
from po3d.perception.depth_files import Depth
from po3d.perception.onnx_detector import Boxes
from po3d.scene.geometry import Array

Pixels = NDArray[np.uint8]

# score every token of a sentence made of the phrases
BY_TOKENS = ("grounding-dino", "mm-grounding-dino")
BY_PHRASES = ("owlv2", "owlvit")  # score every phrase
DEPTHS = ("depth_anything", "depth_pro")
MASKS = ("sam3", "sam3_video")  # boxes and masks of one phrase at a time
PER_PHRASE = 20  # boxes of a phrase that are kept
FIELDS = 5.0, 150.0  # degrees; limits of the field of view


def _model_type(folder: Path, role: str) -> Any:
    """Return the kind of network that a folder's config.json names, None for none."""
    config = read_json(folder / "config.json", f"{role} config")
    return config.get("model_type") if isinstance(config, dict) else None


def loaded(auto: Any, folder: Path, role: str, kinds: Sequence[str], device: torch.device) -> Any:
    """Load the folder's network for inference.

    Raise InputError if it is of another kind or incomplete.
    """
    from transformers.utils import logging

    logging.disable_progress_bar()
    if (kind := _model_type(folder, role)) not in kinds:
        raise InputError(
            f"{role} weights {folder} are for a {printable(kind)} network; known:"
            f" {', '.join(kinds)}"
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


def prepared(auto: Any, folder: Path, role: str) -> Any:
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
        self.model = loaded(
            AutoModelForZeroShotObjectDetection, folder, "detector", kinds, self.device
        )
        self.processor = prepared(AutoProcessor, folder, "detector")
        self.by_tokens = self.model.config.model_type in BY_TOKENS

    @torch.inference_mode()
    def __call__(self, picture: Pixels, phrases: Sequence[str]) -> Boxes:
        """Return all boxes of an image (H, W, 3), without a score threshold."""
        parts = []
        for start in range(0, len(phrases), self.at_once):
            parts.append(self._part(picture, phrases[start : start + self.at_once]))
        return _together(parts)

    def _part(self, picture: Pixels, phrases: Sequence[str]) -> Boxes:
        height, width = picture.shape[:2]
        if self.by_tokens:
            text, spans = sentence(phrases)
            tokens = self.processor.tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
            most = self.model.config.max_text_len
            if len(tokens) > most and len(phrases) > 1:
                half = len(phrases) // 2
                first, last = (
                    self._part(picture, phrases[:half]),
                    self._part(picture, phrases[half:]),
                )
                return _together([first, last])
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
    boxes, scores, masks = zip(*parts)
    mask = None if any(m is None for m in masks) else np.concatenate(masks)
    return Boxes(np.concatenate(boxes), block_diag(*scores), mask)


class Segmenter:
    """Open-vocabulary detector of boxes and masks: SAM 3."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        from transformers import Sam3Model, Sam3Processor

        self.device = device_of(device)
        self.model = loaded(Sam3Model, folder, "detector", MASKS, self.device)
        self.processor = prepared(Sam3Processor, folder, "detector")

    @torch.inference_mode()
    def __call__(self, picture: Pixels, phrases: Sequence[str]) -> Boxes:
        """Return the best boxes of an image (H, W, 3) for each phrase, with masks."""
        inputs = self.processor(images=Image.fromarray(picture), return_tensors="pt")
        vision = self.model.get_vision_features(inputs["pixel_values"].to(self.device))
        height, width = picture.shape[:2]
        return _together([self._part(vision, phrase, width, height) for phrase in phrases])

    def _part(self, vision: Any, phrase: str, width: int, height: int) -> Boxes:
        text = self.processor.tokenizer(
            phrase,
            return_tensors="pt",
            padding="max_length",
            truncation=True,
            max_length=self.model.config.text_config.max_position_embeddings,
        ).to(self.device)
        output = self.model(vision_embeds=vision, **text)
        score = output.pred_logits[0].float().sigmoid()
        if output.presence_logits is not None:
            score = score * output.presence_logits[0].float().sigmoid()
        best = score.argsort(descending=True)[:PER_PHRASE]
        unit = np.tile([float(width), float(height)], 2)
        box = output.pred_boxes[0, best].float().cpu().numpy().astype(float) * unit
        box = box.clip(0, unit)
        mask = (output.pred_masks[0, best] > 0).cpu().numpy()
        valid = ((box[:, 2:] - box[:, :2]) >= 1).all(1)
        score = score[best].cpu().numpy().astype(float)[:, None]
        return Boxes(box[valid], score[valid], mask[valid])


def detector(
    folder: Path, device: str = "cpu", phrases_at_once: int = 20
) -> "Detector | Segmenter":
    """Load the detector of a folder, of the kind that its config.json names."""
    if _model_type(folder, "detector") in MASKS:
        return Segmenter(folder, device)
    return Detector(folder, device, phrases_at_once)


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
        tokens_of_phrase = []
        for t, (a, b) in enumerate(tokens):
            if start <= a < b <= end:
                tokens_of_phrase.append(t)
        if tokens_of_phrase:
            scores[:, k] = of_tokens[:, tokens_of_phrase].mean(1)
    return scores


class DepthMap:
    """Metric depth estimation."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        from transformers import AutoImageProcessor, AutoModelForDepthEstimation

        self.device = device_of(device)
        self.model = loaded(AutoModelForDepthEstimation, folder, "depth", DEPTHS, self.device)
        if getattr(self.model.config, "depth_estimation_type", "metric") != "metric":
            raise InputError(
                f"depth weights {folder} give relative depth; metric ones are needed"
                " (...-Metric-...)"
            )
        self.processor = prepared(AutoImageProcessor, folder, "depth")

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
