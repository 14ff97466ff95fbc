"""What all estimators share: a trained network with its calibration, from pictures to detections."""

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import torch

from po3d.io import checkpoint
from po3d.io.devices import device_of
from po3d.io.errors import InputError
from po3d.perception.detection import CALIBRATION, THRESHOLD, Detections, detect, network_input, pays_bf16
from po3d.perception.mirrored import Mirrored
from po3d.perception.network import SceneNet


class Estimator:
    """Pictures to detections. A subclass says what it looks at, and makes scenes of what it sees.

    `calibration`: numbers that differ from `defaults`. `mirror`: does it look at the mirror image, too (`Mirrored`)?
    """

    kind: ClassVar[str]  # of its checkpoints
    attributes: ClassVar[Mapping[str, tuple[str, ...]]]  # in the network's order
    build: ClassVar[Callable[..., SceneNet]]  # from SceneNet's keywords
    width: ClassVar[int]  # of the pictures in whose pixels detections are
    limit: ClassVar[int]  # objects a picture
    threshold: ClassVar[float] = THRESHOLD  # on the centre's probability
    facing: ClassVar[float] = 0.0  # see Mirrored
    defaults: ClassVar[Mapping[str, float]] = CALIBRATION

    def __init__(
        self,
        net: SceneNet,
        calibration: Mapping[str, float] | None = None,
        device: str = "cpu",
        mirror: bool = True,
    ) -> None:
        self.device = device_of(device)
        self.half = pays_bf16(self.device)
        self.net = net.eval().to(self.device, memory_format=torch.channels_last)
        self.looks = Mirrored(self.net, self.facing) if mirror else self.net
        self.calibration = {**self.defaults, **(calibration or {})}

    @classmethod
    def from_checkpoint(cls, path: str | Path, device: str = "cpu", mirror: bool = True) -> Self:
        """The estimator of a checkpoint pair; InputError when it is missing, damaged, of another kind or trained on
        other words."""
        weights, meta = checkpoint.load(path, cls.kind)
        config = meta["config"]
        stated = config.get("attributes")
        if stated is not None and {k: tuple(v) for k, v in stated.items()} != dict(cls.attributes):
            raise InputError(
                f"checkpoint {path} was trained on other words than this version's {cls.__name__} knows; train it anew"
            )
        net = checkpoint.restored(functools.partial(cls.build, **config["network"]), weights, path)
        return cls(net, config.get("calibration"), device, mirror)

    @classmethod
    @functools.cache
    def named(cls, name: str, mirror: bool = True, device: str = "cpu") -> Self:
        """The estimator of a shipped pair, or of one at a path without suffix; loaded once."""
        return cls.from_checkpoint(checkpoint.locate(name), device, mirror)

    def detect(self, pictures: Sequence[np.ndarray], focals: Sequence[float] | None = None) -> Detections:
        """What the network says of (H, W, 3) uint8 pictures, in pixels of `width`; `focals` (in widths of the picture)
        for networks that tell depths."""
        log_focal = None if focals is None else torch.tensor(np.log(np.array(focals)), dtype=torch.float32)
        batch = torch.stack([network_input(picture, self.net) for picture in pictures]).to(self.device)
        return detect(
            self.looks, batch, self.width, self.limit, self.calibration, self.half, self.threshold, log_focal
        )
