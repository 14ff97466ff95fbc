"""One training run: fit, resume, validate, export. Plain Python, no hydra; train.py is its command line.

OUT holds config.json, logs/metrics.csv, last.ckpt/ and, at the end, metrics.json. last.ckpt/ is the only owner of what was
trained: figures and the exported pair are of the (averaged) weights in it, whether the run that made them is this one or
an earlier one.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import LearningRateMonitor
from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities.exceptions import MisconfigurationException

from po3d.benchmarks.scene_ids import joined, listed
from po3d.io.errors import InputError
from po3d.io.files import read_json, write_json
from po3d.io.pools import end_with
from po3d.io.shipped import EXPORTS
from po3d.synthesis.splits import NOTHING, summary
from po3d.training.callbacks import Averaging, MetricsTable, Progress, SaveLast, SeedSteps, global_batch
from po3d.training.checkpointing import SafetensorsCheckpointIO
from po3d.training.ranks import SyncedNorms
from po3d.training.stream import StreamData

# Options that may change between two parts of one run: where it runs and what it writes, not what it learns. The samples a
# step are compared apart, because they are data.batch times the processes.
FREE = {
    "out", "export", "save_every", "wandb", "data.batch", "data.cache", "data.furniture", "data.loaders", "data.workers",
    "trainer.accelerator", "trainer.accumulate_grad_batches", "trainer.devices", "trainer.enable_progress_bar",
    "trainer.log_every_n_steps", "trainer.num_nodes", "trainer.strategy", "trainer.sync_batchnorm",
}  # fmt: skip
FIRST = "PO3D_FIRST_PROCESS"  # environment variable: the process that starts those of a training on several devices
MODELS = "models.json"  # which 3D models the weights have seen
SCENES = "scenes.json"  # and which stored scenes


def seeded(seed: int) -> None:
    """Set all random states. To be called before the model is built: its first weights are drawn then."""
    pl.seed_everything(seed, workers=True, verbose=False)


def train(
    module: pl.LightningModule,
    data: StreamData,
    out: str | Path,
    config: dict[str, Any],
    trainer: dict[str, Any],
    export: str = "",
    ema: float = 0.999,
    save_every: int = 500,
    wandb: dict[str, Any] | None = None,
    seed: int = 0,
) -> dict[str, float]:
    """Train `module` on `data`; the validation figures of the weights that it ends with. When OUT/last.ckpt/ is there,
    training goes on from it; InputError when it is damaged or of another `config`. `export`: name (or path) of the
    shippable pair."""
    out = Path(out)
    if trainer.get("max_steps", -1) < 1:
        raise InputError(f"steps={trainer.get('max_steps')}: a training needs at least one step")
    if data.kind not in ("", module.kind):
        raise InputError(
            f"the data is for a {data.kind}, the model a {module.kind}: model= and data= belong together"
        )
    io = SafetensorsCheckpointIO()
    last = out / "last.ckpt"
    saved = _earlier(io, last, config, module)
    start = 0 if saved is None else saved["global_step"]
    done = start >= trainer["max_steps"]
    runner = _runner(out, config, trainer, ema, save_every, wandb, seed, start, io)
    if runner.global_rank == 0:
        os.environ[FIRST] = str(os.getpid())  # Lightning starts the others with this environment
    elif FIRST in os.environ:
        end_with(int(os.environ[FIRST]))
    if saved is not None and saved["global_batch"] != (own := global_batch(runner, data)):
        raise InputError(
            f"{out} was trained with {saved['global_batch']} samples a step, not {own}; choose data.batch so that "
            "data.batch times the processes stays the same"
        )
    if not (done and (out / "metrics.json").exists()) and runner.local_rank == 0:
        data.prepare_data()  # before there are other processes, which would not wait for hours of rendering
    if runner.is_global_zero:
        write_json(out / "config.json", config)
        # The pictures may be gone when a finished run is exported again.
        if not (seen := out / MODELS).exists():
            write_json(seen, summary(data.models() | getattr(module, "models", set())))
        if not (seen := out / SCENES).exists():
            write_json(seen, listed(joined([data.scenes(), getattr(module, "scenes", {})])))
    if not done:
        runner.fit(module, datamodule=data, ckpt_path=None if saved is None else str(_there(last)))
        runner.strategy.barrier()
        saved = io.load_checkpoint(last)
    module.load_state_dict(saved["state_dict"])
    if done and (out / "metrics.json").exists():
        metrics = read_json(out / "metrics.json", "figures of the finished training")
    else:
        metrics = _figures(runner, module, data, saved["global_step"])
    if runner.is_global_zero:
        write_json(out / "metrics.json", metrics)
        if export:
            name = Path(export)
            path = name if name.parent != Path() else EXPORTS / name
            about = {"config": config, "steps": saved["global_step"]}
            if (models := read_json(out / MODELS, "list of models")) != NOTHING:
                about["models"] = models
            if scenes := read_json(out / SCENES, "list of scenes"):
                about["scenes"] = scenes
            written = module.export(path, about, metrics)
            print(f"exported {written}")
    return metrics


def _runner(
    out: Path,
    config: dict[str, Any],
    trainer: dict[str, Any],
    ema: float,
    save_every: int,
    wandb: dict[str, Any] | None,
    seed: int,
    start: int,
    io: SafetensorsCheckpointIO,
) -> pl.Trainer:
    torch.set_float32_matmul_precision("high")
    loggers: list[Logger] = [MetricsTable(out / "logs" / "metrics.csv", start)]
    if wandb is not None:
        loggers.append(_wandb(out, wandb, config))
    callbacks: list[pl.Callback] = [
        SeedSteps(seed),
        LearningRateMonitor("step"),
        SaveLast(out / "last.ckpt", save_every),
    ]
    if trainer.get("enable_progress_bar", True):
        callbacks.append(Progress(refresh_rate=10))
    if ema:
        callbacks.append(Averaging(decay=ema))
    plugins: list[Any] = [io, *([SyncedNorms()] if trainer.get("sync_batchnorm") else [])]
    # The whole run is one epoch of Lightning's, whose end would validate what `train` validates after it.
    between = None if trainer.get("val_check_interval") else 2
    try:
        return pl.Trainer(
            default_root_dir=out, logger=loggers, callbacks=callbacks, plugins=plugins, enable_model_summary=False,
            use_distributed_sampler=False, **{"check_val_every_n_epoch": between, **trainer},
        )  # fmt: skip
    except (MisconfigurationException, TypeError, ValueError) as error:
        # What this machine or Lightning has not.
        raise InputError(f"trainer: {' '.join(str(error).split())}") from None


def _figures(runner: pl.Trainer, module: pl.LightningModule, data: StreamData, step: int) -> dict[str, float]:
    """Validation figures of the module's weights; they go into the tables as those of `step`, which a Trainer that did
    not train does not know."""
    loggers, runner.loggers = runner.loggers, []
    (found,) = runner.validate(module, datamodule=data, verbose=False)
    metrics = {k: float(v) for k, v in found.items()}
    for logger in loggers:
        logger.log_metrics(metrics, step)
        logger.save()
    return metrics


def _earlier(
    io: SafetensorsCheckpointIO, last: Path, config: dict[str, Any], module: pl.LightningModule
) -> dict[str, Any] | None:
    """The checkpoint of an earlier part of this run, if there is one; InputError when it can't be one."""
    if (at := _there(last)) is None:
        return None
    elsewhere = "give another out=DIR or remove it"
    earlier = read_json(last.with_name("config.json"), "config of the training")
    if differing := sorted(_differing(earlier, config)):
        raise InputError(
            f"{last.parent} holds a training with other options ({', '.join(differing[:5])}); {elsewhere}"
        )
    saved = io.load_checkpoint(at)
    lacking = {"state_dict", "global_step", "global_batch", "optimizer_states", "loops"} - saved.keys()
    own = {name: value.shape for name, value in module.state_dict().items()}
    if lacking or {name: value.shape for name, value in saved["state_dict"].items()} != own:
        raise InputError(f"{last} does not fit this network; {elsewhere}")
    return saved


def _there(last: Path) -> Path | None:
    """Where the checkpoint lies; it is moved aside for a moment when a new one takes its place."""
    return next((p for p in (last, last.with_name(f".{last.name}.old")) if p.exists()), None)


def _differing(one: Any, other: Any, at: str = "") -> Iterator[str]:
    """Dotted keys whose values differ, but for those that are FREE."""
    if at in FREE:
        return
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in {*one, *other}:
            yield from _differing(one.get(key), other.get(key), f"{at}.{key}" if at else str(key))
    elif one != other and not (isinstance(one, (list, tuple)) and list(one) == list(other or ())):
        yield at or "all"


def _wandb(out: Path, options: dict[str, Any], config: dict[str, Any]) -> Logger:
    """A wandb logger, offline unless WANDB_MODE says otherwise. Imported only when asked for."""
    os.environ.setdefault("WANDB_MODE", "offline")
    from pytorch_lightning.loggers import WandbLogger

    return WandbLogger(save_dir=str(out), config=config, **options)
