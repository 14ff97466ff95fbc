"""One training run: fit, resume, export. Plain Python, no hydra; train.py is its command line."""

from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import (
    EMAWeightAveraging,
    LearningRateMonitor,
    ModelCheckpoint,
    TQDMProgressBar,
)
from pytorch_lightning.loggers import CSVLogger, Logger

from po3d.files import write_json
from po3d.shipped import EXPORTS
from po3d.training.checkpointing import SafetensorsCheckpointIO


def train(
    module: pl.LightningModule,
    data: pl.LightningDataModule,
    out: str | Path,
    config: dict[str, Any],
    trainer: dict[str, Any],
    export: str = "",
    ema: float = 0.999,
    save_every: int = 500,
    wandb: dict[str, Any] | None = None,
    seed: int = 0,
) -> dict[str, float]:
    """Train `module` on `data`; the last validation figures. Everything is under `out`: config.json, metrics.csv,
    last.ckpt/. When last.ckpt/ is there, training goes on from it. `export`: name (or path) of the shippable pair."""
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "config.json", config)
    pl.seed_everything(seed, workers=True, verbose=False)
    torch.set_float32_matmul_precision("high")
    loggers: list[Logger] = [CSVLogger(str(out), name="", version="logs")]
    if wandb is not None:
        loggers.append(_wandb(out, wandb, config))
    callbacks: list[pl.Callback] = [
        ModelCheckpoint(
            out, filename="last", every_n_train_steps=save_every, save_top_k=1, enable_version_counter=False
        ),
        LearningRateMonitor("step"),
        TQDMProgressBar(refresh_rate=10),
    ]
    if ema:
        callbacks.append(EMAWeightAveraging(decay=ema))
    runner = pl.Trainer(
        default_root_dir=out, logger=loggers, callbacks=callbacks, plugins=[SafetensorsCheckpointIO()],
        enable_model_summary=False, **trainer,
    )  # fmt: skip
    last = out / "last.ckpt"
    resume = str(last) if last.exists() or last.with_name(".last.ckpt.old").exists() else None
    runner.fit(module, data, ckpt_path=resume)
    metrics = {k: float(v) for k, v in runner.callback_metrics.items() if k.startswith("val")}
    if runner.is_global_zero:
        write_json(out / "metrics.json", metrics)
        if export:
            name = Path(export)
            path = name if name.parent != Path() else EXPORTS / name
            written = module.export(path, {"config": config, "steps": runner.global_step}, metrics)
            print(f"exported {written}")
    return metrics


def _wandb(out: Path, options: dict[str, Any], config: dict[str, Any]) -> Logger:
    """A wandb logger, offline unless WANDB_MODE says otherwise. Imported only when asked for."""
    import os

    os.environ.setdefault("WANDB_MODE", "offline")
    from pytorch_lightning.loggers import WandbLogger

    return WandbLogger(save_dir=str(out), config=config, **options)
