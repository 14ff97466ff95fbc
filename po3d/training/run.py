"""One training run: fit, resume, validate, export. Plain Python without hydra; train.py is its
command line.

The output folder OUT holds config.json, logs/metrics.csv, last.ckpt/, best.ckpt/ if
`trainer.monitor` is set, and at the end metrics.json. The metrics and the exported pair belong to
the (averaged) weights in best.ckpt/ if it exists, otherwise in last.ckpt/, whether this call or an
earlier one wrote them.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl

from po3d.benchmarks.scene_ids import joined, listed
from po3d.io.deprecated_names import new_config
from po3d.io.errors import InputError, malformed
from po3d.io.files import read_json, write_json
from po3d.io.paths import EXPORTS
from po3d.io.pools import end_with
from po3d.perception import street
from po3d.synthesis.splits import NOTHING, summary
from po3d.training.callbacks import Draw, MetricsTable, global_batch
from po3d.training.checkpointing import SafetensorsCheckpointIO
from po3d.training.runner import (
    callbacks_of,
    compile_module,
    ended,
    quiet,
    trainer_of,
    wandb_loggers,
    watch_of,
)
from po3d.training.samplers import StreamData

# Options that may change when a run is resumed: they decide where it runs and what it writes, not
# what it learns. The samples per step are compared separately, because they are data.batch times
# the number of processes.
FREE = {
    "compile", "out", "export", "save_every", "wandb", "data.batch", "data.cache",
    "data.furniture", "data.num_workers", "data.workers", "trainer.accelerator",
    "trainer.accumulate_grad_batches", "trainer.devices", "trainer.enable_progress_bar",
    "trainer.log_every_n_steps", "trainer.num_nodes", "trainer.pictures", "trainer.strategy",
    "trainer.sync_batchnorm",
}  # fmt: skip
# environment variable: PID of the first process of a training on several devices
FIRST = "PO3D_FIRST_PROCESS"
MODELS = "models.json"  # the 3D models in the training data of the weights
SCENES = "scenes.json"  # the stored scenes in the training data of the weights


def seeded(seed: int) -> None:
    """Set all random states. Call this before building the model, which draws its initial
    weights."""
    quiet()
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
    compiled: bool = False,
    draw: Draw | None = None,
) -> dict[str, float]:
    """Train `module` on `data` and return the validation metrics of the final weights.

    Resume from OUT/last.ckpt/ if it exists; raise InputError if it is damaged or belongs to another
    `config`. `trainer`: options of Lightning's Trainer and `runner.WATCH`; with `monitor` the
    final weights are those of the best validation. `export`: name (or path) of the checkpoint pair
    to write. `compiled`: use torch.compile for the network's forward pass. `draw`: see
    `callbacks.Figures`; used for streets only.
    """
    _check(module, data, trainer)
    out, io = Path(out), SafetensorsCheckpointIO()
    last, best = out / "last.ckpt", out / "best.ckpt"
    watch, trainer = watch_of(trainer)
    saved = _earlier(io, last, config, module)
    start = 0 if saved is None else saved["global_step"]
    done = start >= trainer["max_steps"] or (saved is not None and saved.get("stopped", False))
    loggers = [MetricsTable(out / "logs" / "metrics.csv", start)]
    loggers += wandb_loggers(out, wandb, config)
    saving = {"path": last, "every": save_every}
    draw = draw if module.kind == street.KIND else None
    callbacks = callbacks_of(watch, trainer, ema, seed, saving, best, draw)
    runner = trainer_of(trainer, [io], default_root_dir=out, logger=loggers, callbacks=callbacks)
    if compiled and not done:
        compile_module(module, runner)
    _end_with_first(runner)
    if saved is not None:
        _check_batch(out, saved["global_batch"], global_batch(runner, data))
    measured = done and (out / "metrics.json").exists()
    if not measured and runner.local_rank == 0:
        # before the other processes start: they would not wait for hours of rendering
        data.prepare_data()
    if runner.is_global_zero:
        _describe(out, config, module, data)
    if not done:
        runner.fit(module, datamodule=data, ckpt_path=None if saved is None else str(_there(last)))
        runner.strategy.barrier()
        saved = io.load_checkpoint(last)
    if watch["monitor"] is not None and (there := _there(best)) is not None:
        saved = io.load_checkpoint(there)
    module.load_state_dict(saved["state_dict"])
    if measured:
        metrics = read_json(out / "metrics.json", "figures of the finished training")
    else:
        metrics = _figures(runner, module, data, saved["global_step"])
    if runner.is_global_zero:
        _finish(out, module, metrics, {"config": config, "steps": saved["global_step"]}, export)
    return metrics


def _end_with_first(runner: pl.Trainer) -> None:
    """Let this process end when the first process of a training on several devices ends."""
    if runner.global_rank == 0:
        # Lightning starts the other processes with this environment
        os.environ[FIRST] = str(os.getpid())
    elif FIRST in os.environ:
        end_with(int(os.environ[FIRST]))


def _check(module: pl.LightningModule, data: StreamData, trainer: Mapping[str, Any]) -> None:
    """Raise InputError for a training without steps, or on another kind of data."""
    if trainer.get("max_steps", -1) < 1:
        raise InputError(f"steps={trainer.get('max_steps')} should be at least 1")
    if data.kind not in ("", getattr(module, "data_kind", module.kind)):
        raise InputError(
            f"the data is for a {data.kind}, but the model is a {module.kind}; change model= or"
            " data="
        )


def _check_batch(out: Path, before: int, current: int) -> None:
    """Raise InputError if a resumed run has another number of samples per step."""
    if before != current:
        raise InputError(
            f"{out} was trained with {before} samples per step, not {current}; choose data.batch"
            " such that data.batch times the number of processes is unchanged"
        )


def _describe(
    out: Path, config: dict[str, Any], module: pl.LightningModule, data: StreamData
) -> None:
    """Write the config, and the models and stored scenes of the training data. Those are written
    once: the pictures may no longer exist when a finished run is exported again."""
    write_json(out / "config.json", config)
    if not (out / MODELS).exists():
        write_json(out / MODELS, summary(data.models() | getattr(module, "models", set())))
    if not (out / SCENES).exists():
        write_json(out / SCENES, listed(joined([data.scenes(), getattr(module, "scenes", {})])))


def _finish(
    out: Path, module: pl.LightningModule, metrics: dict[str, float], about: dict, export: str
) -> None:
    """Write the metrics and, if asked, the checkpoint pair `export`, and print the summary; `about`
    describes the training."""
    write_json(out / "metrics.json", metrics)
    if export:
        name = Path(export)
        path = name if name.parent != Path() else EXPORTS / name
        if (models := read_json(out / MODELS, "list of models")) != NOTHING:
            about["models"] = models
        if scenes := read_json(out / SCENES, "list of scenes"):
            about["scenes"] = scenes
        print(f"exported {module.export(path, about, metrics)}")
    print(f"\n{ended(module.kind, metrics, about['steps'], out, export)}")


def _figures(
    runner: pl.Trainer, module: pl.LightningModule, data: StreamData, step: int
) -> dict[str, float]:
    """Validate the module and return its metrics. They are logged at `step`, because a Trainer that
    has not trained counts from 0."""
    loggers, runner.loggers = runner.loggers, []
    (validation,) = runner.validate(module, datamodule=data, verbose=False)
    metrics = dict(zip(validation, map(float, validation.values()), strict=True))
    for logger in loggers:
        logger.log_metrics(metrics, step)
        logger.save()
    return metrics


def _earlier(
    io: SafetensorsCheckpointIO, last: Path, config: dict[str, Any], module: pl.LightningModule
) -> dict[str, Any] | None:
    """Load the checkpoint of an earlier part of this run, None if there is none. Raise InputError
    if it has other options or does not fit the network."""
    if (at := _there(last)) is None:
        return None
    elsewhere = "choose another out=DIR or remove it"
    path = last.with_name("config.json")
    with malformed(f"{path} is not the config of a training"):
        earlier = new_config(read_json(path, "config of the training"))
    if differing := sorted(_differing(earlier, config)):
        raise InputError(
            f"{last.parent} contains a training with other options ({', '.join(differing[:5])});"
            f" {elsewhere}"
        )
    unfit = f"{last} does not fit this network; {elsewhere}"
    shapes = {name: value.shape for name, value in module.state_dict().items()}
    with malformed(unfit):
        saved = io.load_checkpoint(at)
        counts = [saved["global_step"], saved["global_batch"]]
        fits = saved.keys() >= {"optimizer_states", "loops"} and set(map(type, counts)) == {int}
        if not fits or {k: value.shape for k, value in saved["state_dict"].items()} != shapes:
            raise InputError(unfit)
    return saved


def _there(last: Path) -> Path | None:
    """Return the path of a checkpoint, None if it does not exist. It has another name for a moment
    while it is being replaced."""
    aside = last.with_name(f".{last.name}.old")
    return last if last.exists() else aside if aside.exists() else None


def _differing(first: Any, other: Any, at: str = "") -> Iterator[str]:
    """Yield the dotted keys whose values differ, except those in FREE."""
    if at in FREE:
        return
    if isinstance(first, Mapping) and isinstance(other, Mapping):
        for key in {*first, *other}:
            yield from _differing(first.get(key), other.get(key), f"{at}.{key}" if at else str(key))
    elif first != other and not (
        isinstance(first, (list, tuple))
        and isinstance(other or (), (list, tuple))
        and list(first) == list(other or ())
    ):
        yield at or "all"
