"""Base class of the learned estimators: a network with its calibration, images to detections."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import torch

from po3d.io import checkpoint
from po3d.io.devices import OPENVINO, device_of
from po3d.io.errors import InputError
from po3d.perception.detection import (
    CALIBRATION,
    THRESHOLD,
    Detections,
    detected,
    joined,
    network_input,
    pays_bf16,
)
from po3d.perception.flip_tta import FlipTTA
from po3d.perception.fused_network import fold_in_place, folded
from po3d.perception.int8 import Ranges, on_openvino
from po3d.perception.material_shift import MaterialShift
from po3d.perception.network import SceneNet
from po3d.perception.ood import FeatureDistribution, pooled
from po3d.scene.answer_calibration import AnswerCalibration

CHUNK = 4  # images per batch on a CPU: feature maps of larger batches do not fit its caches


class NetworkEstimator:
    """Base class of the learned estimators; subclasses build scenes from its detections.

    Args:
      calibration: values that override `defaults`.
      domains: statistics of the training image domains, by name (see `FeatureDistribution`).
      flip_tta: use horizontal-flip test-time augmentation (see `FlipTTA`).
      plain: run the network as trained, in fp32, instead of the faster fused copy (see `folded`).
      in_place: fuse the network itself, in less memory, if it is not used for anything else.
      device: see `device_of`; "openvino" needs the activation `ranges` (see `int8`).
    """

    kind: ClassVar[str]  # `kind` of its checkpoints
    # attribute -> values, in the order of the network's logits
    attributes: ClassVar[Mapping[str, tuple[str, ...]]]
    # Optional outputs of its network: SceneNet's `extent` and `view`.
    outputs: ClassVar[Mapping[str, bool]] = {}
    width: ClassVar[int]  # of the images in whose pixels detections are given
    limit: ClassVar[int]  # maximum number of objects per image
    threshold: ClassVar[float] = THRESHOLD  # on the centre's probability
    facing: ClassVar[float] = 0.0  # for `facing` and `cast` see `FlipTTA`
    cast: ClassVar[float | None] = None
    defaults: ClassVar[Mapping[str, float]] = CALIBRATION
    folds: ClassVar[bool] = True  # whether `folded` supports its network
    checkpoint: str | None = None  # path of the checkpoint pair
    material_shift: MaterialShift | None = None  # of streets, if the checkpoint has it
    answers: Mapping[str, AnswerCalibration] = {}  # by domain, if the checkpoint has it

    def __init__(
        self,
        net: SceneNet,
        calibration: Mapping[str, float] | None = None,
        device: str = "cpu",
        flip_tta: bool = True,
        plain: bool = False,
        domains: Mapping[str, FeatureDistribution] | None = None,
        ranges: Ranges | None = None,
        in_place: bool = False,
    ) -> None:
        self.device = device_of(device)
        self.half = pays_bf16(self.device) and not plain and device != OPENVINO
        net = net.eval().to(self.device, memory_format=torch.channels_last)
        fold = fold_in_place if in_place else folded
        self.once = fold(net, self.half) if self.folds and not plain else net
        if device == OPENVINO:
            self.once = on_openvino(self.once, ranges or {})
        self.looks = FlipTTA(self.once, self.facing, self.cast) if flip_tta else self.once
        self.domains = dict(domains or {})
        self.calibration = {**self.defaults, **(calibration or {})}

    @classmethod
    def build(cls, **network: object) -> SceneNet:
        """Build a network with this estimator's outputs; `network`: SceneNet's other keywords."""
        sizes = {name: len(values) for name, values in cls.attributes.items()}
        return SceneNet(sizes, **{**cls.outputs, **network})

    @classmethod
    def from_checkpoint(
        cls, path: str | Path, device: str = "cpu", flip_tta: bool = True, plain: bool = False
    ) -> Self:
        """Load the estimator of a checkpoint pair. `plain`: keep the network as it was trained,
        without fusing batch norms and input normalisation into its convolutions.

        Raise InputError if the checkpoint is missing, damaged, of another kind, or trained on other
        attribute values.
        """
        weights, meta = checkpoint.load(path, cls.kind)
        config = meta["config"]
        stated = config.get("attributes")
        if stated is not None and {k: tuple(v) for k, v in stated.items()} != dict(cls.attributes):
            raise InputError(
                f"checkpoint {path} was trained with another vocabulary than this "
                f"version's {cls.__name__}; train it again"
            )
        net = checkpoint.restored(functools.partial(cls.build, **config["network"]), weights, path)
        del weights  # while layers are fused, only one copy of each is in memory
        domains = {}
        for kind, record in config.get("domains", {}).items():
            domains[kind] = FeatureDistribution.read(record)
        ranges = config.get("ranges")
        result = cls(
            net, config.get("calibration"), device, flip_tta, plain, domains, ranges, in_place=True
        )
        if config.get("material_shift") is not None:
            features = 2 * net.config["neck"]
            result.material_shift = MaterialShift.read(config["material_shift"], features)
        result.answers = {}
        for domain, record in config.get("answers", {}).items():
            result.answers[domain] = AnswerCalibration(**record)
        result.checkpoint = str(path)
        return result

    @classmethod
    @functools.cache
    def named(cls, name: str, flip_tta: bool = True, device: str = "cpu") -> Self:
        """Load a shipped checkpoint pair by name, or one at a path without suffix; cached."""
        return cls.from_checkpoint(checkpoint.locate(name), device, flip_tta)

    def detect(
        self, pictures: Sequence[np.ndarray], focals: Sequence[float] | None = None
    ) -> Detections:
        """Detect objects in (H, W, 3) uint8 images; arrays in pixels of an image `width` wide.

        `focals`: focal lengths in image widths, for networks that estimate depth.
        """
        return self.detected(pictures, focals).arrays()

    def detected(
        self, pictures: Sequence[np.ndarray], focals: Sequence[float] | None = None
    ) -> Detections:
        """Return the detections as tensors on the device; arguments as for `detect`."""
        log_focal = None
        if focals is not None:
            log_focal = torch.tensor(np.log(np.array(focals)), dtype=torch.float32)
        on_cpu = self.device.type == "cpu"
        chunk = CHUNK if on_cpu else len(pictures)
        parts = []
        for start in range(0, len(pictures), chunk):
            part = slice(start, start + chunk)
            images = self.pixels(pictures[part])
            focal = None if log_focal is None else log_focal[part]
            alone = on_cpu and len(images) == 1 and not isinstance(self.looks, FlipTTA)
            if alone:  # torch uses other kernels for a batch of one, which round differently
                images = images.repeat(2, 1, 1, 1)
                focal = None if focal is None else focal.repeat(2)
            options = (self.width, self.limit, self.calibration, self.half, self.threshold, focal)
            detections = detected(self.looks, images, *options, material_shift=self.material_shift)
            if alone:
                detections = detections.of(leaf[:1] for leaf in detections.leaves())
            parts.append(detections)
        return joined(parts)

    def pixels(self, pictures: Sequence[np.ndarray]) -> torch.Tensor:
        """Convert (H, W, 3) uint8 images to the network's input (B, 3, height, width).

        The result is on the network's device.
        """
        batch = np.stack([network_input(picture, self.once) for picture in pictures])
        return self.once.input.pixels(torch.from_numpy(batch).to(self.device))

    def ood_score(self, picture: np.ndarray) -> dict[str, float]:
        """Score how far an (H, W, 3) uint8 image is outside each training domain.

        Above 1 the image is outside the domain (`FeatureDistribution.ood_score`). Return {} if the
        checkpoint holds no domain statistics.
        """
        features = self.features(picture) if self.domains else None
        return {kind: float(domain.ood_score(features)[0]) for kind, domain in self.domains.items()}

    @torch.inference_mode()
    def features(self, picture: np.ndarray) -> np.ndarray:
        """Return the pooled features (1, F) of an image for `FeatureDistribution`, without
        flipping."""
        images = self.pixels([picture]).contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            return pooled(self.once(images)).double().cpu().numpy()
