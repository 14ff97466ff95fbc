"""Lightning's Trainer with callbacks and loggers for a training, and the summary printed at its
end.
"""

import logging
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import LearningRateMonitor
from pytorch_lightning.loggers import Logger
from pytorch_lightning.utilities.exceptions import MisconfigurationException

from po3d.io.errors import InputError, known
from po3d.io.text_tables import Table, text
from po3d.training.callbacks import Averaging, Best, Draw, Figures, Progress, SaveLast, seed_steps
from po3d.training.figures import better_is_less
from po3d.training.ranks import SyncedNorms

# kind of a checkpoint -> options of evaluate.py that evaluate it
EVALUATED = {
    "street_estimator": "benchmark=pulsecheck457 perception.checkpoint={}",
    "top_view_estimator": "benchmark=hypo3d perception.checkpoint={}",
    "room_view_estimator": "benchmark=scope benchmark.scenes=predicted perception.checkpoint={}",
    "street_attributes": "benchmark=pulsecheck457 perception.modules.attributes={}",
    "street_pose": "benchmark=pulsecheck457 perception.modules.pose={}",
    "parser": "benchmark=pulsecheck457 parser.checkpoint={}",
    "room_parser": "benchmark=hypo3d parser.checkpoint={}",
}


# Options of configs/trainer that are not Lightning's, with their defaults. `monitor`: the metric
# whose best validation selects the weights. `mode`: min or max; None: inferred from the metric.
# `patience`: validations without improvement before training stops. `pictures`: number of
# validation pictures for metrics of predicted scenes. `callbacks`: additional callbacks.
WATCH = {"monitor": None, "mode": None, "patience": None, "pictures": 64, "callbacks": ()}


def watch_of(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split the trainer's options into those of WATCH and those of Lightning. Raise InputError for
    invalid ones."""
    watch, rest = dict(WATCH), dict(options)
    for name in WATCH:
        if (value := rest.pop(name, None)) is not None:
            watch[name] = value
    monitor, mode, patience = watch["monitor"], watch["mode"], watch["patience"]
    if mode is not None:
        known("trainer.mode", mode, ("min", "max"))
    if monitor is None and (patience is not None or mode is not None):
        raise InputError(
            "trainer.patience and trainer.mode need trainer.monitor, the metric they apply to"
        )
    if patience is not None and patience < 1:
        raise InputError(f"trainer.patience={patience} should be at least 1")
    if monitor is not None and not rest.get("val_check_interval"):
        raise InputError(
            f"trainer.monitor={monitor} needs trainer.val_check_interval=STEPS, "
            "because it is read at each validation"
        )
    for callback in watch["callbacks"]:
        if not isinstance(callback, pl.Callback):
            raise InputError(
                f"trainer.callbacks: {type(callback).__name__} is not a Lightning callback"
            )
    return watch, rest


def callbacks_of(
    watch: Mapping[str, Any],
    trainer: Mapping[str, Any],
    ema: float,
    seed: int,
    saving: Mapping[str, Any],
    best: Path,
    draw: Draw | None,
) -> list[pl.Callback]:
    """Return the callbacks of a training. `watch`: see WATCH; `saving`: keywords of SaveLast;
    `best`: folder of the best checkpoint."""
    callbacks: list[pl.Callback] = [seed_steps(seed), LearningRateMonitor("step")]
    if trainer.get("enable_progress_bar", True):
        callbacks.append(Progress(refresh_rate=10))
    if ema:
        callbacks.append(Averaging(decay=ema))
    if watch["pictures"]:
        callbacks.append(Figures(watch["pictures"], draw))
    callbacks += watch["callbacks"]
    monitor, mode = watch["monitor"], watch["mode"]
    last = SaveLast(**saving, waits=monitor is not None)
    if monitor is not None:
        less = better_is_less(monitor) if mode is None else mode == "min"
        callbacks.append(Best(best, monitor, less, watch["patience"], last))
    return [*callbacks, last]


def trainer_of(options: Mapping[str, Any], plugins: Sequence[Any], **own: Any) -> pl.Trainer:
    """Return Lightning's Trainer with these options. Raise a one-line InputError for what this
    machine or Lightning does not support."""
    torch.set_float32_matmul_precision("high")
    options = dict(options)
    if options.get("accelerator") in ("gpu", "cuda") and not (
        torch.cuda.is_available() or torch.backends.mps.is_available()
    ):
        raise InputError(
            f"trainer.accelerator={options['accelerator']}: torch {torch.__version__}"
            " finds no GPU; use trainer=cpu, or trainer=ddp trainer.accelerator=cpu for "
            "several CPU processes"
        )
    if options.get("accelerator") == "cpu":
        if options.get("sync_batchnorm"):
            # torch supports it on GPUs only: on CPUs, each process uses the statistics of its own
            # samples
            options["sync_batchnorm"] = False
        if options.get("devices") == -1:
            options["devices"] = os.cpu_count()
    plugins = list(plugins)
    if options.get("sync_batchnorm"):
        plugins.append(SyncedNorms())
    # The whole run is one epoch for Lightning; its end would repeat the validation that `train`
    # does.
    between = None if options.get("val_check_interval") else 2
    try:
        return pl.Trainer(
            **{"check_val_every_n_epoch": between, **options},
            **own,
            plugins=plugins,
            enable_model_summary=False,
            use_distributed_sampler=False,
        )
    except (MisconfigurationException, TypeError, ValueError) as error:
        raise InputError(f"trainer: {' '.join(str(error).split())}") from None


def quiet() -> None:
    """Silence library messages: advertising, tips, device lists, and warnings about intended
    behaviour."""
    for name in ("pytorch_lightning", "lightning_fabric", "lightning.pytorch"):
        logging.getLogger(name).setLevel(logging.ERROR)
    data = ("torch.utils.data", "torch.optim.lr_scheduler")
    for module in ("pytorch_lightning", "lightning_fabric", *data):
        warnings.filterwarnings("ignore", module=rf"{module}\b")


def compile_module(module: pl.LightningModule, runner: pl.Trainer) -> None:
    """Compile the forward pass of an estimator's network with torch.compile. Raise InputError if
    that fails."""
    if not hasattr(module, "net"):
        raise InputError(
            "compile=true supports estimators only: the length of a parser's sentences varies"
            " between steps"
        )
    try:
        torch.compile(lambda x: x * 2 + 1)(torch.ones(8, device=runner.strategy.root_device))
    except Exception as error:  # a missing or broken compiler makes torch raise various exceptions
        reason = " ".join(str(error).split())[:150]
        raise InputError(
            f"compile=true needs a compiler for torch ({reason}); use compile=false"
        ) from None
    module.compile()


def wandb_loggers(
    out: Path, options: dict[str, Any] | None, config: dict[str, Any]
) -> list[Logger]:
    """Return a wandb logger if `options` are given, offline unless WANDB_MODE says otherwise. wandb
    is imported only then."""
    if options is None:
        return []
    os.environ.setdefault("WANDB_MODE", "offline")
    os.environ.setdefault("WANDB_SILENT", "true")  # otherwise wandb prints a dozen lines
    from pytorch_lightning.loggers import WandbLogger

    own = {"save_dir": str(out), "config": {**config, **(options.get("config") or {})}}
    logger = WandbLogger(**{**options, **own})
    getattr(logger, "_wandb_init", {}).pop("anonymous", None)  # unset, but wandb 0.31 warns of it
    return [logger]


def ended(kind: str, metrics: Mapping[str, float], step: int, out: Path, export: str) -> str:
    """Return the summary of a training: the metrics of its weights, and the command that evaluates
    them."""
    names = sorted(metrics, key=lambda name: (better_is_less(name), name))
    table = Table(
        (f"validation metric, step {step:,}", "value"), [[n, f"{metrics[n]:.4g}"] for n in names]
    )
    lines = [
        text(table),
        "",
        f"metrics: {out / 'metrics.json'}, over time: {out / 'logs' / 'metrics.csv'}",
    ]
    if not export:
        lines.append(
            "to evaluate, run the same command with export=NAME, which writes a checkpoint pair"
        )
    elif kind in EVALUATED:
        plain = len(Path(export).parts) == 1 or Path(export).is_absolute()
        name = export if plain else f"./{export}"
        lines.append(f"to evaluate: python evaluate.py {EVALUATED[kind].format(name)}")
    return "\n".join(lines)
