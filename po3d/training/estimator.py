"""Estimators as a LightningModule, with export of checkpoint pairs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities import rank_zero_only
from torch import Tensor

from po3d.benchmarks.scene_ids import Ids, from_list
from po3d.io import checkpoint
from po3d.io.errors import InputError, known
from po3d.perception.crops import StreetAttributes, StreetPose
from po3d.perception.estimator import NetworkEstimator
from po3d.perception.room_view import RoomViewEstimator
from po3d.perception.street import StreetEstimator
from po3d.perception.top_view import TopViewEstimator
from po3d.synthesis.splits import NOTHING, names_of
from po3d.training.losses import loss_terms, total
from po3d.training.ranks import Draws, Term, means
from po3d.training.schedule import scheduled
from po3d.training.warm_start import take_imagenet, with_layers, with_pose_trunk

# Training domain -> its estimator class.
ESTIMATORS: dict[str, type[NetworkEstimator]] = {
    "street": StreetEstimator,
    "top_view": TopViewEstimator,
    "room_view": RoomViewEstimator,
    "street_attributes": StreetAttributes,
    "street_pose": StreetPose,
}
# Loss weights that override losses.WEIGHTS. In top views, materials and the centres of thin and
# stacked objects converge last; in indoor views headings of many small objects do, and the camera
# pose converges first.
LOSS_WEIGHTS: dict[str, Mapping[str, float]] = {
    "top_view": {"heat": 1.5, "material": 0.5},
    "room_view": {"heading": 2.0, "flip": 2.0, "heat": 1.5, "hold": 0.5},
}
# layers that receive gradients from the occluder loss only
OCCLUDER = ("pair_in", "pair_out", "alone")


class EstimatorModule(pl.LightningModule):
    """Train a SceneNet. Batches are dicts: "image" (B, 3, h, w) uint8 and the domain's stacked
    labels.

    `network`: keyword arguments of SceneNet; "pretrained" may also be "package"
    (`warm_start.take_imagenet`). `world`: a key of ESTIMATORS; "street_attributes" and
    "street_pose" train a CropNet on the data of streets. The learning rate
    increases linearly over the fraction `warmup` of the steps, then follows a cosine down to 1 %.
    `freeze`: names of further modules of the network whose weights stay unchanged.
    `keep_statistics`: freeze the running statistics of batch norms, which batches of a few pictures
    would degrade.
    """

    def __init__(
        self,
        network: dict,
        learning_rate: float = 2e-3,
        weight_decay: float = 0.02,
        warmup: float = 0.05,
        freeze_backbone: bool = False,
        keep_statistics: bool = False,
        freeze: Sequence[str] = (),
        augment: float = 1.0,
        seed: int = 0,
        init_from: str = "",
        world: str = "street",
    ) -> None:
        super().__init__()
        if world not in ESTIMATORS:
            raise InputError(f"world {world!r} is not one of {', '.join(ESTIMATORS)}")
        self.save_hyperparameters()
        self.estimator_class = ESTIMATORS[world]
        self.kind = self.estimator_class.kind
        self.data_kind = StreetEstimator.kind if world.startswith("street") else self.kind
        self.models: set[str] = set()  # 3D models seen by the initial weights
        self.scenes: Ids = {}  # stored scenes seen by the initial weights
        packaged = network.get("pretrained") == "package"
        if packaged:
            network = network | {"pretrained": False}
        self.net = self.estimator_class.build(**network)
        if self.net.layers > 1 and world != "top_view":
            raise InputError(
                f"model.network.layers={self.net.layers}, but labels of world={world} have one"
                " layer"
            )
        if packaged:
            take_imagenet(self.net)
        if init_from:
            self._start_from(init_from)
        if freeze_backbone:
            self.net.backbone.requires_grad_(False)
        for name in freeze:
            known("model.freeze", name, tuple(dict(self.net.named_children())))
            getattr(self.net, name).requires_grad_(False)
        self.train()
        if self.net.detects and world != "street":  # only streets have labels of occluders
            # Freeze layers that no loss reaches: distributed training would wait for their
            # gradients, and searching for such layers in every step (find_unused_parameters) costs
            # time.
            for layer in OCCLUDER:
                getattr(self.net, layer).requires_grad_(False)

    def _start_from(self, name: str) -> None:
        """Load the weights of a checkpoint pair of any domain. Tensors with another shape (heads of
        other categories) and tensors missing from the pair keep their initial values. Raise
        InputError if no tensor fits."""
        weights, record = checkpoint.load(checkpoint.locate(name))
        weights = with_layers(self.net, weights)
        self.models = names_of(record["training"].get("models", NOTHING))
        self.scenes = from_list(record["training"].get("scenes", {}))
        if "trunk.0.bias" in weights:
            weights = with_pose_trunk(self.net, weights)
        state = self.net.state_dict()
        fitting = {k: w for k, w in weights.items() if k in state and state[k].shape == w.shape}
        if not fitting:
            raise InputError(f"no tensor of {name} fits this network")
        if rank_zero_only.rank == 0:
            print(f"{len(fitting)} of {len(state)} tensors are initialised from {name}")
        self.net.load_state_dict(state | fitting)

    def configure_model(self) -> None:
        self.net.to(memory_format=torch.channels_last)

    def train(self, mode: bool = True) -> Self:
        super().train(mode)
        if self.hparams.freeze_backbone:
            self.net.backbone.eval()  # keeps its batch statistics frozen too
        if self.hparams.keep_statistics:
            for layer in self.modules():
                if isinstance(layer, torch.nn.BatchNorm2d):
                    layer.eval()
        return self

    def _terms(self, batch: dict[str, Tensor], stage: str, index: int) -> dict[str, Term]:
        draws = Draws(self.hparams.seed, stage, index, self.global_rank, self.world_size)
        # pooling three-channel images in channels-last layout is slow
        images = batch["image"].contiguous().float() / 255
        if stage == "train" and self.hparams.augment:
            images = photometric(images, self.hparams.augment, draws)
        images = images.contiguous(memory_format=torch.channels_last)
        labels = dict(batch)
        del labels["image"]
        return loss_terms(self.net, images, labels, draws, self.estimator_class.width)

    @property
    def world_size(self) -> int:
        return self._trainer.world_size if self._trainer else 1

    def training_step(self, batch: dict[str, Tensor], batch_index: int) -> Tensor:
        each = self.trainer.accumulate_grad_batches
        terms = means(self._terms(batch, "train", self.global_step * each + batch_index % each))
        loss = total(terms, LOSS_WEIGHTS.get(self.hparams.world))
        # Logging ten values costs a tenth of a step.
        if (self.global_step + 1) % self.trainer.log_every_n_steps == 0:
            metrics = {f"train/{k}": v.detach() for k, v in terms.items()} | {
                "train/loss": loss.detach()
            }
            self.log_dict(metrics, batch_size=len(batch["image"]), sync_dist=True)
            self.log("loss", loss.detach(), prog_bar=True, logger=False)
        return loss

    def on_validation_epoch_start(self) -> None:
        self.validation_sums: dict[str, Tensor] = {}

    def validation_step(self, batch: dict[str, Tensor], batch_index: int) -> None:
        for name, term in self._terms(batch, "val", batch_index).items():
            rows = torch.as_tensor(term.rows, dtype=torch.float32, device=term.sum.device)
            self.validation_sums[name] = self.validation_sums.get(name, 0) + torch.stack(
                [term.sum.float(), rows]
            )

    def on_validation_epoch_end(self) -> None:
        """Log the means over all rows of all batches and processes, every row with the same
        weight."""
        if not self.validation_sums:
            return
        sums = self.trainer.strategy.reduce(
            torch.stack([*self.validation_sums.values()]), reduce_op="sum"
        )
        terms = dict(zip(self.validation_sums, sums[:, 0] / sums[:, 1].clamp(min=1), strict=True))
        self.log_dict({f"val/{name}": value for name, value in terms.items()}, sync_dist=True)
        self.log(
            "val", total(terms, LOSS_WEIGHTS.get(self.hparams.world)), prog_bar=True, sync_dist=True
        )

    def estimator(self) -> NetworkEstimator:
        """Return an estimator with the current weights, without test-time augmentation."""
        return self.estimator_class(self.net, device=str(self.device), flip_tta=False)

    def compile(self, *args: Any, **options: Any) -> None:
        """Compile the network's forward pass with torch.compile; parameter names stay unchanged."""
        self.net.compile(*args, **options)

    def configure_optimizers(self) -> dict:
        matrices: dict[str, Any] = {"params": [], "weight_decay": self.hparams.weight_decay}
        vectors: dict[str, Any] = {"params": [], "weight_decay": 0.0}
        for parameter in self.parameters():
            if parameter.requires_grad:
                (matrices if parameter.ndim > 1 else vectors)["params"].append(parameter)
        groups = [matrices, vectors]
        optimizer = torch.optim.AdamW(groups, lr=self.hparams.learning_rate, betas=(0.9, 0.98))
        steps = max(int(self.trainer.estimated_stepping_batches), 1)
        return scheduled(optimizer, steps, max(int(self.hparams.warmup * steps), 1), 0.01)

    def export(
        self, path: str | Path, training: dict, metrics: dict, calibration: dict | None = None
    ) -> Path:
        """Write the checkpoint pair; return its path."""
        attributes = self.estimator_class.attributes
        config = {
            "network": self.net.config,
            "attributes": dict(zip(attributes, map(list, attributes.values()), strict=True)),
            "calibration": calibration or {},
        }
        return checkpoint.save(path, self.kind, self.net.state_dict(), config, training, metrics)


def photometric(images: Tensor, strength: float, draws: Draws) -> Tensor:
    """Apply random gain, contrast, tint, saturation, blur or sharpening, and noise to images (B, 3,
    h, w) in [0, 1]; labels stay valid. To save time, half of the batches are filtered and half get
    noise."""
    b = len(images)

    def draw(*shape: int) -> Tensor:
        return (draws.rand(b, *shape) * 2 - 1).to(images)

    # one draw for the images of all processes
    filtered, noisy = (torch.rand(2, generator=draws.generator) > 0.5).tolist()
    contrast = 1 + 0.2 * strength * draw(1, 1, 1)
    gain = (1 + 0.15 * strength * draw(1, 1, 1)) * (1 + 0.05 * strength * draw(3, 1, 1))
    mean = images.mean((1, 2, 3), keepdim=True)
    images = torch.addcmul((1 - contrast) * gain * mean, images, contrast * gain)
    images = torch.lerp(images.mean(1, keepdim=True), images, 1 + 0.25 * strength * draw(1, 1, 1))
    if filtered:
        blurred = torch.nn.functional.avg_pool2d(images, 3, 1, 1, count_include_pad=False)
        # negative weights sharpen
        images = torch.lerp(images, blurred, (0.2 + 0.8 * draw(1, 1, 1)) * strength)
    if noisy:
        noise = torch.randn(images.shape[2:], generator=draws.generator).to(images)
        images = images + noise * (0.03 * strength * draw(1, 1, 1))
    return images.clamp_(0, 1)
