"""The estimators as a LightningModule, and export of what they learned."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities import rank_zero_only
from torch import Tensor

from po3d.benchmarks.scene_ids import Ids, from_list
from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.perception.estimator import Estimator
from po3d.perception.room_view import RoomViewEstimator
from po3d.perception.street import StreetEstimator
from po3d.perception.top_view import TopViewEstimator
from po3d.synthesis.splits import NOTHING, names_of
from po3d.training.losses import loss_terms, total
from po3d.training.ranks import Draws, Term, means
from po3d.training.schedule import scheduled
from po3d.training.warm_start import take_imagenet, with_layers, with_pose_trunk


class World(NamedTuple):
    """What an estimator looks at."""

    estimator: type[Estimator]
    occlusion: bool = False  # do its labels say who hides whom?
    layers: bool = False  # do its labels say which layer of the dense outputs an object belongs to?
    weights: Mapping[str, float] = {}  # of the losses that weigh otherwise than in losses.WEIGHTS


# Centres of thin and stacked things and materials are learned last on maps.
MAP_WEIGHTS = {"heat": 1.5, "material": 0.5}
# Headings of many small things are learned last, how the camera is held first.
VIEW_WEIGHTS = {"heading": 2.0, "heat": 1.5, "hold": 0.5}
WORLDS = {
    "street": World(StreetEstimator, occlusion=True),
    "top_view": World(TopViewEstimator, layers=True, weights=MAP_WEIGHTS),
    "room_view": World(RoomViewEstimator, weights=VIEW_WEIGHTS),
}
OCCLUDER = ("pair_in", "pair_out", "alone")  # layers that only the occluder's loss reaches


class EstimatorModule(pl.LightningModule):
    """Trains a SceneNet. Batches are dicts: "image" (B, 3, h, w) uint8 and stacked labels of the world.

    `network`: SceneNet's keywords; "pretrained" may be "package" (`warm_start.take_imagenet`), too. `world`: street | top_view | room_view.
    The learning rate rises over `warmup` of the steps and falls as a cosine to 1 %. `keep_statistics`: batch norms keep the statistics
    that they start with, which batches of a few pictures would spoil.
    """

    def __init__(
        self,
        network: dict,
        learning_rate: float = 2e-3,
        weight_decay: float = 0.02,
        warmup: float = 0.05,
        freeze_backbone: bool = False,
        keep_statistics: bool = False,
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
        self.kind = self.world.estimator.kind
        self.models: set[str] = set()  # 3D models that the weights it starts from have seen
        self.scenes: Ids = {}  # stored scenes that they have seen
        packaged = network.get("pretrained") == "package"
        self.net = self.world.estimator.build(**(network | {"pretrained": False} if packaged else network))
        if self.net.layers > 1 and not self.world.layers:
            raise InputError(
                f"model.network.layers={self.net.layers}: labels of world={world} have one layer"
            )
        if packaged:
            take_imagenet(self.net)
        if init_from:
            self._start_from(init_from)
        if freeze_backbone:
            self.net.backbone.requires_grad_(False)
        self.train()
        if not self.world.occlusion:
            # What no loss reaches isn't trained: several processes would wait for its gradients, and to look for such
            # layers in every step (find_unused_parameters) costs time.
            for layer in OCCLUDER:
                getattr(self.net, layer).requires_grad_(False)

    def _start_from(self, name: str) -> None:
        """The weights of a checkpoint pair of any world; tensors of another shape (heads of other categories) or of a part
        that the pair lacks stay as they were made."""
        weights, record = checkpoint.load(checkpoint.locate(name))
        weights = with_layers(self.net, weights)
        self.models = names_of(record["training"].get("models", NOTHING))
        self.scenes = from_list(record["training"].get("scenes", {}))
        if "trunk.0.bias" in weights:
            weights = with_pose_trunk(self.net, weights)
        own = self.net.state_dict()
        fitting = {k: w for k, w in weights.items() if k in own and own[k].shape == w.shape}
        if not fitting:
            raise InputError(f"{name} has no tensor that fits this network")
        if rank_zero_only.rank == 0:
            print(f"{len(fitting)} of {len(own)} tensors start from {name}")
        self.net.load_state_dict(own | fitting)

    def configure_model(self) -> None:
        self.net.to(memory_format=torch.channels_last)

    def train(self, mode: bool = True) -> Self:
        super().train(mode)
        if self.hparams.freeze_backbone:
            self.net.backbone.eval()  # its batch statistics stay too
        if self.hparams.keep_statistics:
            for layer in self.modules():
                if isinstance(layer, torch.nn.BatchNorm2d):
                    layer.eval()
        return self

    def _terms(self, batch: dict[str, Tensor], stage: str, index: int) -> dict[str, Term]:
        draws = Draws(self.hparams.seed, stage, index, self.global_rank, self.world_size)
        images = batch["image"].contiguous().float() / 255  # pooling three channels-last channels is slow
        if stage == "train" and self.hparams.augment:
            images = photometric(images, self.hparams.augment, draws)
        images = images.contiguous(memory_format=torch.channels_last)
        labels = {k: v for k, v in batch.items() if k != "image"}
        return loss_terms(self.net, images, labels, draws, self.world.estimator.width)

    @property
    def world_size(self) -> int:
        return self._trainer.world_size if self._trainer else 1

    def training_step(self, batch: dict[str, Tensor], batch_index: int) -> Tensor:
        each = self.trainer.accumulate_grad_batches
        terms = means(self._terms(batch, "train", self.global_step * each + batch_index % each))
        loss = total(terms, self.world.weights)
        # Logging ten numbers costs a tenth of a step.
        if (self.global_step + 1) % self.trainer.log_every_n_steps == 0:
            said = {f"train/{k}": v.detach() for k, v in terms.items()} | {"train/loss": loss.detach()}
            self.log_dict(said, batch_size=len(batch["image"]), sync_dist=True)
            self.log("loss", loss.detach(), prog_bar=True, logger=False)
        return loss

    def on_validation_epoch_start(self) -> None:
        self.found: dict[str, Tensor] = {}

    def validation_step(self, batch: dict[str, Tensor], batch_index: int) -> None:
        for name, term in self._terms(batch, "val", batch_index).items():
            rows = torch.as_tensor(term.rows, dtype=torch.float32, device=term.sum.device)
            self.found[name] = self.found.get(name, 0) + torch.stack([term.sum.float(), rows])

    def on_validation_epoch_end(self) -> None:
        """Means over the rows of all batches of all processes, whichever batch a row was in."""
        if not self.found:
            return
        sums = self.trainer.strategy.reduce(torch.stack([*self.found.values()]), reduce_op="sum")
        terms = dict(zip(self.found, sums[:, 0] / sums[:, 1].clamp(min=1), strict=True))
        self.log_dict({f"val/{name}": value for name, value in terms.items()}, sync_dist=True)
        self.log("val", total(terms, self.world.weights), prog_bar=True, sync_dist=True)

    def estimator(self) -> Estimator:
        """An estimator of the present weights, with one look at each picture."""
        return self.world.estimator(self.net, device=str(self.device), mirror=False)

    def compile(self, *args: Any, **options: Any) -> None:
        """Let torch.compile make the network's forward pass faster; its weights keep their names."""
        self.net.compile(*args, **options)

    def configure_optimizers(self) -> dict:
        decay = [p for p in self.parameters() if p.requires_grad and p.ndim > 1]
        rest = [p for p in self.parameters() if p.requires_grad and p.ndim <= 1]
        groups = [
            {"params": decay, "weight_decay": self.hparams.weight_decay},
            {"params": rest, "weight_decay": 0.0},
        ]
        optimizer = torch.optim.AdamW(groups, lr=self.hparams.learning_rate, betas=(0.9, 0.98))
        steps = max(int(self.trainer.estimated_stepping_batches), 1)
        return scheduled(optimizer, steps, max(int(self.hparams.warmup * steps), 1), 0.01)

    def export(
        self, path: str | Path, training: dict, metrics: dict, calibration: dict | None = None
    ) -> Path:
        """Write the shippable checkpoint pair."""
        attributes = {name: list(values) for name, values in self.world.estimator.attributes.items()}
        config = {"network": self.net.config, "attributes": attributes, "calibration": calibration or {}}
        return checkpoint.save(path, self.kind, self.net.state_dict(), config, training, metrics)


def photometric(images: Tensor, strength: float, draws: Draws) -> Tensor:
    """Random gain, contrast, tint, saturation, blur or sharpening, and noise: the picture changes, the labels do not.
    images (B, 3, h, w) in [0, 1]. Half the batches are filtered and half get noise, to save time."""
    b = len(images)

    def draw(*shape: int) -> Tensor:
        return (draws.rand(b, *shape) * 2 - 1).to(images)

    filtered, noisy = (torch.rand(2, generator=draws.generator) > 0.5).tolist()  # of all processes' images
    contrast = 1 + 0.2 * strength * draw(1, 1, 1)
    gain = (1 + 0.15 * strength * draw(1, 1, 1)) * (1 + 0.05 * strength * draw(3, 1, 1))
    mean = images.mean((1, 2, 3), keepdim=True)
    images = torch.addcmul((1 - contrast) * gain * mean, images, contrast * gain)
    images = torch.lerp(images.mean(1, keepdim=True), images, 1 + 0.25 * strength * draw(1, 1, 1))
    if filtered:
        blurred = torch.nn.functional.avg_pool2d(images, 3, 1, 1, count_include_pad=False)
        images = torch.lerp(images, blurred, (0.2 + 0.8 * draw(1, 1, 1)) * strength)  # below 0: sharpened
    if noisy:
        noise = torch.randn(images.shape[2:], generator=draws.generator).to(images)
        images = images + noise * (0.03 * strength * draw(1, 1, 1))
    return images.clamp_(0, 1)
