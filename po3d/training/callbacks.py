"""Training callbacks: random states, averaged weights, metrics of predicted scenes, checkpoints,
and the metrics table.
"""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import (
    Callback,
    Checkpoint,
    LambdaCallback,
    TQDMProgressBar,
    WeightAveraging,
)
from pytorch_lightning.loggers.logger import Logger
from pytorch_lightning.utilities import rank_zero_only
from torch.optim.swa_utils import get_ema_multi_avg_fn

from po3d.io.errors import InputError
from po3d.io.files import atomic_write
from po3d.io.seeding import rng
from po3d.scene.table import Scene
from po3d.training.figures import Judged, worst

Draw = Callable[[np.ndarray, Scene, Scene | None], Any]

ROWS = 100  # number of new rows after which the table is written
WORST = 8  # number of logged pictures


def seed_steps(seed: int) -> Callback:
    """Return a callback that sets torch's random state (used by dropout, for example) before every
    step from (seed, step, rank). A resumed run gets the state of an uninterrupted one, and every
    process has its own."""

    def seed_step(trainer: pl.Trainer, _: pl.LightningModule, __: Any, step: int) -> None:
        index = step * trainer.world_size + trainer.global_rank
        torch.manual_seed(int(rng(seed, "step", index).integers(2**62)))

    return LambdaCallback(on_train_batch_start=seed_step)


def decay_after(steps: int, decay: float) -> float:
    """Return the decay of the averaged weights at a step: lower than `decay` at first, so that
    short trainings forget the initial weights."""
    return min(decay, (1 + steps) / (10 + steps))


class Averaging(WeightAveraging):
    """Exponential moving average of the weights, kept on the training device.

    Lightning creates the averages before the module is moved there, so the whole module would be
    moved to the CPU in every step. All weights are updated at once by linear interpolation, which
    leaves constant buffers exactly unchanged.
    """

    def __init__(self, decay: float) -> None:
        self.decay, self.steps = decay, 0
        super().__init__(multi_avg_fn=self._average)

    def _average(self, averages: Any, weights: Any, steps: Any) -> None:
        get_ema_multi_avg_fn(decay_after(self.steps, self.decay))(averages, weights, steps)

    def on_train_batch_end(self, trainer: pl.Trainer, *rest: Any) -> None:
        self.steps = trainer.global_step  # querying the averages would synchronise with the device
        super().on_train_batch_end(trainer, *rest)

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        self._device = trainer.strategy.root_device
        super().setup(trainer, pl_module, stage)


class Figures(Callback):
    """Evaluate predicted scenes of a few validation pictures (`StreamData.judged`) at each
    validation, in the first process.

    Must follow `Averaging`, which swaps the weights when validation begins. `pictures`: their
    number. `draw`: (picture, predicted scene, ground truth) -> PIL image, logged for the `worst`
    pictures by loggers that support images.
    """

    def __init__(self, pictures: int, draw: Draw | None = None) -> None:
        self.pictures, self.draw = pictures, draw

    def on_validation_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.figures: dict[str, float] = {}
        if not hasattr(pl_module, "estimator"):
            return
        if trainer.is_global_zero:
            judged = trainer.datamodule.judged(pl_module.estimator(), self.pictures)
            if judged is not None:
                self.figures = {f"val/{name}": value for name, value in judged.figures.items()}
                self._show(trainer, judged)
        self.figures = trainer.strategy.broadcast(self.figures)

    def on_validation_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if self.figures:
            pl_module.log_dict(self.figures, rank_zero_only=False, sync_dist=False)

    def _show(self, trainer: pl.Trainer, judged: Judged) -> None:
        """Log the worst pictures, with predictions beside ground truth, in each logger with
        `log_image`."""
        loggers = [logger for logger in trainer.loggers if hasattr(logger, "log_image")]
        if not loggers or self.draw is None or trainer.state.fn != "fit":
            return
        images, captions = [], []
        for k, number in worst(judged, WORST):
            picture, truth = judged.pictures[k], judged.truths[k]
            top = self.draw(picture, truth, None)
            bottom = self.draw(picture, judged.predicted[k], truth)
            images.append(np.concatenate([np.asarray(top), np.asarray(bottom)]))
            captions.append(f"top: ground truth, bottom: prediction; {number} errors")
        for logger in loggers:
            logger.log_image("worst", images, trainer.global_step, caption=captions)


class Best(Checkpoint):
    """Save the weights of the best validation to `path`, and stop after `patience` validations
    without improvement.

    `monitor`: the metric; `less`: whether lower is better. At validation steps this callback also
    triggers `last`, which would otherwise save its checkpoint before the validation of that step,
    and a resumed run would skip that validation.
    """

    def __init__(
        self, path: Path, monitor: str, less: bool, patience: int | None, last: "SaveLast"
    ) -> None:
        self.path, self.monitor, self.less, self.patience = path, monitor, less, patience
        self.last = last
        self.value: float | None = None
        self.step, self.waited, self.stopped = 0, 0, False

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        step = trainer.global_step
        if trainer.state.fn != "fit" or trainer.sanity_checking or step == self.step:
            return
        self.step = step
        figures = {}
        for name, figure in trainer.callback_metrics.items():
            if name.startswith("val"):
                figures[name] = float(figure)
        value = figures.get(self.monitor)
        # some metrics are undefined when nothing was detected
        if value is None and figures.get("val/recall") != 0:
            known = ", ".join(sorted(figures))
            raise InputError(
                f"trainer.monitor={self.monitor} is not a metric of this training; known: {known}"
            )
        sign = 1 if self.less else -1
        if value is not None and (self.value is None or sign * value < sign * self.value):
            self.value, self.waited = value, 0
            trainer.save_checkpoint(self.path, weights_only=False)
        else:
            self.waited += 1
        if self.patience is not None and self.waited >= self.patience:
            self.stopped = trainer.should_stop = True
        if self.stopped or self.last.due(trainer):
            self.last.save(trainer)

    def state_dict(self) -> dict[str, Any]:
        return {"value": self.value, "step": self.step, "waited": self.waited}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.value, self.step = state_dict["value"], state_dict["step"]
        self.waited = state_dict["waited"]

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        checkpoint["stopped"] = self.stopped


class SaveLast(Checkpoint):
    """Save a checkpoint to `path` every `every` steps and after the last one. As a subclass of
    Checkpoint it runs after all other callbacks. `waits`: at steps with a validation, leave saving
    to `Best`."""

    def __init__(self, path: Path, every: int, waits: bool = False) -> None:
        self.path, self.every, self.waits, self.saved = path, every, waits, 0

    def due(self, trainer: pl.Trainer) -> bool:
        step = trainer.global_step
        return step != self.saved and (step % self.every == 0 or step >= trainer.max_steps)

    def save(self, trainer: pl.Trainer) -> None:
        self.saved = step = trainer.global_step
        # A resumed run does not log earlier steps again. This step's own row would be logged only
        # after this hook.
        for logger in trainer.loggers:
            if isinstance(logger, MetricsTable) and step % trainer.log_every_n_steps == 0:
                logger.log_metrics(trainer.logged_metrics, step - 1)
            logger.save()
        trainer.save_checkpoint(self.path, weights_only=False)

    def on_train_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        validates = self.waits and (batch_idx + 1) % trainer.val_check_batch == 0
        if self.due(trainer) and not validates:
            self.save(trainer)

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        checkpoint["global_batch"] = global_batch(trainer, trainer.datamodule)


def global_batch(trainer: pl.Trainer, data: pl.LightningDataModule) -> int:
    """Return the samples per step, summed over all processes."""
    return data.hparams.batch * trainer.world_size * trainer.accumulate_grad_batches


class MetricsTable(Logger):
    """Logger for metrics.csv: one row for each logged step; the file is complete at any time. When
    a run is resumed at step `start`, earlier rows are kept and later ones are replaced."""

    def __init__(self, path: Path, start: int = 0) -> None:
        super().__init__()
        self.path, self.start = path, start
        self.rows: dict[int, dict[str, Any]] = {}
        self.unsaved = 0

    name = "metrics"
    version = 0

    def log_hyperparams(self, *_: Any, **__: Any) -> None:
        """Does nothing: config.json holds the hyperparameters."""

    @rank_zero_only
    def log_metrics(self, metrics: dict[str, float], step: int | None = None) -> None:
        if not self.rows and self.start and self.path.exists():
            with open(self.path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    if int(row["step"]) < self.start:
                        self.rows[int(row["step"])] = row
        figures = dict(zip(metrics, map(float, metrics.values()), strict=True))
        figures.pop("epoch", None)  # the whole run is one
        self.rows.setdefault(step or 0, {}).update(figures)
        self.unsaved += 1
        if self.unsaved >= ROWS:
            self.save()

    @rank_zero_only
    def save(self) -> None:
        if not self.unsaved:
            return
        names = sorted(set().union(*self.rows.values()) - {"step"})
        with atomic_write(self.path) as file:
            table = csv.DictWriter(file, ["step", *names], lineterminator="\n")
            table.writeheader()
            for step, row in sorted(self.rows.items()):
                table.writerow({**row, "step": step})
        self.unsaved = 0

    def finalize(self, status: str) -> None:
        self.save()


class Progress(TQDMProgressBar):
    """Progress bar over the steps of the whole run. Steps done before resuming do not count for the
    estimate of the remaining time."""

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        super().on_train_start(trainer, pl_module)
        bar, done = (
            self.train_progress_bar,
            trainer.fit_loop.epoch_loop.batch_progress.current.ready,
        )
        bar.reset(trainer.num_training_batches)
        bar.n = bar.initial = done

    def get_metrics(self, *args: Any) -> dict[str, Any]:
        metrics = super().get_metrics(*args)
        metrics.pop("v_num", None)
        return metrics
