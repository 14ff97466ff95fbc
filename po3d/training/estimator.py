"""The estimators as a LightningModule, and export of what they learned."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities import rank_zero_info
from torch import Tensor

from po3d import checkpoint
from po3d.errors import InputError
from po3d.perception.estimator import Estimator
from po3d.perception.looker import Looker
from po3d.perception.room_view import RoomViewEstimator
from po3d.perception.top_view import TopViewEstimator
from po3d.seeding import rng
from po3d.training.losses import losses, total
from po3d.training.warm_start import with_pose_trunk


class World(NamedTuple):
    """What an estimator looks at."""

    looker: type[Looker]
    weights: Mapping[str, float] = {}  # of the losses that weigh otherwise than in losses.WEIGHTS


# Headings of many small things are learned last, how the camera is held first.
VIEW_WEIGHTS = {"heading": 2.0, "heat": 1.5, "hold": 0.5}
WORLDS = {
    "street": World(Estimator),
    "top_view": World(TopViewEstimator),
    "room_view": World(RoomViewEstimator, VIEW_WEIGHTS),
}


class EstimatorModule(pl.LightningModule):
    """Trains a SceneNet. Batches are dicts: "image" (B, 3, h, w) uint8 and stacked labels of the world.

    `network`: SceneNet's keywords. `world`: street | top_view | room_view.
    The learning rate rises over `warmup` of the steps and falls as a cosine to 1 %.
    """

    def __init__(
        self,
        network: dict,
        learning_rate: float = 2e-3,
        weight_decay: float = 0.02,
        warmup: float = 0.05,
        freeze_backbone: bool = False,
        augment: float = 1.0,
        seed: int = 0,
        init_from: str = "",
        world: str = "street",
    ) -> None:
        super().__init__()
        if world not in WORLDS:
            raise InputError(f"world {world!r} is not one of {', '.join(WORLDS)}")
        self.save_hyperparameters()
        self.world = WORLDS[world]
        self.net = self.world.looker.build(**network)
        if init_from:
            self._start_from(init_from)
        if freeze_backbone:
            self.net.backbone.requires_grad_(False)

    def _start_from(self, name: str) -> None:
        """The weights of a checkpoint pair of any world; tensors of another shape (heads of other categories) or of a part
        that the pair lacks stay as they were made."""
        weights, _ = checkpoint.load(checkpoint.locate(name))
        if "trunk.0.bias" in weights:
            weights = with_pose_trunk(self.net, weights)
        own = self.net.state_dict()
        fitting = {k: w for k, w in weights.items() if k in own and own[k].shape == w.shape}
        if not fitting:
            raise InputError(f"{name} has no tensor that fits this network")
        rank_zero_info(f"{len(fitting)} of {len(own)} tensors start from {name}")
        self.net.load_state_dict(own | fitting)

    def configure_model(self) -> None:
        self.net.to(memory_format=torch.channels_last)

    def on_train_epoch_start(self) -> None:
        if self.hparams.freeze_backbone:
            self.net.backbone.eval()  # its batch statistics stay too

    def _terms(self, batch: dict[str, Tensor], stage: str, index: int) -> dict[str, Tensor]:
        generator = torch.Generator().manual_seed(int(rng(self.hparams.seed, stage, index).integers(2**62)))
        images = batch["image"].float() / 255
        if stage == "train" and self.hparams.augment:
            images = photometric(images, self.hparams.augment, generator)
        images = images.contiguous(memory_format=torch.channels_last)
        labels = {k: v for k, v in batch.items() if k != "image"}
        return losses(self.net, images, labels, generator, self.world.looker.width)

    def training_step(self, batch: dict[str, Tensor], batch_index: int) -> Tensor:
        terms = self._terms(batch, "train", self.global_step)
        loss = total(terms, self.world.weights)
        if (
            self.global_step % self.trainer.log_every_n_steps == 0
        ):  # logging ten numbers costs a tenth of a step
            self.log_dict(
                {f"train/{k}": v.detach() for k, v in terms.items()}, batch_size=len(batch["image"])
            )
            self.log("loss", loss.detach(), prog_bar=True, logger=False)
        return loss

    def validation_step(self, batch: dict[str, Tensor], batch_index: int) -> None:
        terms = self._terms(batch, "val", batch_index)
        self.log_dict({f"val/{k}": v for k, v in terms.items()}, batch_size=len(batch["image"]))
        self.log("val", total(terms, self.world.weights), prog_bar=True, batch_size=len(batch["image"]))

    def configure_optimizers(self) -> dict:
        decay = [p for p in self.parameters() if p.requires_grad and p.ndim > 1]
        rest = [p for p in self.parameters() if p.requires_grad and p.ndim <= 1]
        groups = [
            {"params": decay, "weight_decay": self.hparams.weight_decay},
            {"params": rest, "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups, lr=self.hparams.learning_rate, betas=(0.9, 0.98))
        steps = max(int(self.trainer.estimated_stepping_batches), 1)
        warm = max(int(self.hparams.warmup * steps), 1)

        def rate(step: int) -> float:
            if step < warm:
                return (step + 1) / warm
            return 0.01 + 0.99 * (1 + math.cos(math.pi * min((step - warm) / max(steps - warm, 1), 1))) / 2

        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def export(
        self, path: str | Path, training: dict, metrics: dict, calibration: dict | None = None
    ) -> Path:
        """Write the shippable checkpoint pair."""
        attributes = {name: list(values) for name, values in self.world.looker.attributes.items()}
        config = {"network": self.net.config, "attributes": attributes, "calibration": calibration or {}}
        return checkpoint.save(path, self.world.looker.kind, self.net.state_dict(), config, training, metrics)


def photometric(images: Tensor, strength: float, generator: torch.Generator) -> Tensor:
    """Random gain, contrast, tint, blur or sharpening, and noise: the picture changes, the labels do not.
    images (B, 3, h, w) in [0, 1]. Half the batches are filtered and half get noise, to save time."""
    b = len(images)

    def draw(*shape: int) -> Tensor:
        return (torch.rand(*shape, generator=generator) * 2 - 1).to(images)

    contrast = 1 + 0.2 * strength * draw(b, 1, 1, 1)
    gain = (1 + 0.15 * strength * draw(b, 1, 1, 1)) * (1 + 0.05 * strength * draw(b, 3, 1, 1))
    mean = images.mean((1, 2, 3), keepdim=True)
    images = torch.addcmul((1 - contrast) * gain * mean, images, contrast * gain)
    if draw(1) > 0:
        blurred = torch.nn.functional.avg_pool2d(images, 3, 1, 1, count_include_pad=False)
        images = torch.lerp(images, blurred, (0.2 + 0.8 * draw(b, 1, 1, 1)) * strength)  # below 0: sharpened
    if draw(1) > 0:
        noise = torch.randn(images.shape[2:], generator=generator).to(images)
        images = images + noise * (0.03 * strength * draw(b, 1, 1, 1))
    return images.clamp_(0, 1)
