"""Train an estimator or a parser.

    python train.py experiment=street_estimator           CPU recipe: render, then train
    python train.py experiment=street_estimator trainer=gpu data=online
    python train.py experiment=top_view_estimator         rooms from above
    python train.py experiment=room_view_estimator        rooms from inside, orbit scenes
    python train.py experiment=street_parser              or room_parser
    python train.py data=superclevr data.root=DIR         a release, or your own images and scenes
    python train.py experiment=backbones                  many trainings, evaluated, in one table
    python train.py experiment=data_efficiency            likewise, over amounts of data
    python train.py experiment=room_backbones 'study.views=[DIR]'   likewise, of room views
    python train.py recipe=street trainer=gpu             from scratch, in stages: docs/training.md
    python train.py recipe=rooms_inside start=nothing     likewise, not from the shipped weights
    python train.py experiment=street_attributes          one module alone: or street_pose
    python train.py model=street_parser data=questions data.root=DIR
                                                          official questions with programs
    python train.py ... export=NAME                       writes the pair checkpoints/NAME

A killed run is resumed by the same command (out=DIR identifies it), with the remaining samples, to
identical weights. A finished one is only exported again. OUT/metrics.json and the exported pair are
those of the averaged weights at the end (ema=0: of the last ones).

GPUs: trainer=gpu trains on one, in bf16; trainer=ddp on all, or on trainer.devices=N, with one
process each. data.batch is the batch of one process: a step trains on data.batch x N samples, each
sample is read once per epoch over all processes, and the result is that of one process with the
whole batch, so adapt model.learning_rate or data.batch accordingly. To resume with another N,
choose data.batch such that the product is unchanged. data.workers is the number of rendering
processes of each training process with data=online (which needs EGL); the images of data=twin are
rendered before the processes start. Validation runs at the end, and every k steps with
trainer.val_check_interval=k. Sums on GPUs are not deterministic, so two runs, or a resumed and an
uninterrupted one, agree up to rounding. Use trainer.precision=16-mixed without bf16 support,
+trainer.accumulate_grad_batches=k with little memory. Studies (the experiments with tables) train
in one process.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from po3d.io.cli_errors import guarded
from po3d.io.config import build, check_wandb, compose, run_hydra, varied
from po3d.io.errors import InputError, known
from po3d.io.paths import CONFIGS
from po3d.training.run import seeded, train


def main(config: DictConfig) -> None:
    plain = OmegaConf.to_container(config, resolve=True)
    if plain["start"] is not None:
        raise InputError(f"start={plain['start']} is for recipes: recipe=NAME start=...")
    if plain.get("study"):
        _study(config, plain)
    else:
        fit(plain)


def fit(plain: dict[str, Any]) -> None:
    """Run one training with this config."""
    check_wandb(plain["wandb"])
    seeded(plain["seed"])
    trainer = {**plain["trainer"], "callbacks": _callbacks(plain["trainer"].get("callbacks"))}
    train(
        build(plain["model"]),
        build(plain["data"]),
        out=plain["out"],
        config=plain,
        trainer=trainer,
        export=plain["export"],
        ema=plain["ema"],
        save_every=plain["save_every"],
        wandb=plain["wandb"],
        seed=plain["seed"],
        compiled=plain["compile"],
        draw=_drawing() if plain["wandb"] is not None else None,
    )


def _callbacks(inputs: Any) -> list[Any]:
    """Build the objects of `trainer.callbacks`."""
    if inputs is None:
        return []
    if not isinstance(inputs, list) or not all(
        isinstance(c, dict) and "_target_" in c for c in inputs
    ):
        raise InputError(f"trainer.callbacks={inputs} should be a list of {{_target_: CLASS, ...}}")
    try:
        return [build(callback) for callback in inputs]
    except (InputError, ModuleNotFoundError) as error:
        raise InputError(f"trainer.callbacks: {error}") from None


def _drawing() -> Any:
    """Return the function that draws a scene on its image."""
    # Imports evaluation code, which training does not need.
    from po3d.evaluation.report.draw import draw_scene

    return draw_scene


def _study(config: DictConfig, plain: dict[str, Any]) -> None:
    """Run all trainings of a study, and write its tables."""
    if str(plain["trainer"].get("strategy", "")).startswith("ddp"):
        raise InputError(
            "a study evaluates between its trainings, in one process: set trainer=gpu or"
            " trainer=cpu"
        )
    # Imports evaluation code, which training does not need.
    from po3d.evaluation.ablation import studies, study_tables

    def variation(
        experiment: str | None, options: Sequence[str], changes: dict[str, Any]
    ) -> dict[str, Any]:
        base = config
        if experiment is not None:
            base = compose("train", [f"experiment={experiment}", f"seed={plain['seed']}", *options])
        config_varied = varied(base, changes)
        config_varied.pop("study", None)
        return config_varied

    def judged(
        config: dict[str, Any], pair: Path, folders: Sequence[str]
    ) -> tuple[list[dict[str, Any]], float]:
        from po3d.training import view_errors

        fitting = build(config["data"]).validation_folders()
        shares, speed = view_errors.judged(pair, fitting, folders)
        rows = []
        for s in shares:
            rows.append({"name": f"{s.kind} {s.error}", "n": s.n, "value": s.value})
        return rows, speed

    setting = studies.setting_of(plain["study"], plain["seed"])
    runs = studies.planned(plain["study"], plain["out"], variation)
    study = studies.run_study(runs, fit, setting, plain["out"], judged)
    print(
        f"\n{study_tables.study_text(study['runs'])}\n\nstudy: {Path(plain['out']) / 'study.json'}"
    )


def recipe(arguments: Sequence[str]) -> None:
    """Run all stages of a recipe; `arguments`: recipe=NAME, start=START, out=DIR, export=NAME, and
    options of its trainings."""
    from po3d.training.recipe import Recipe, run_recipe

    own = {
        key: [a for a in arguments if a.startswith(f"{key}=")]
        for key in ("recipe", "out", "export", "start")
    }
    inputs = [a for a in arguments if not any(a in taken for taken in own.values())]
    name, out, export, start = (
        values[-1].partition("=")[2] if values else "" for values in own.values()
    )
    known("recipe", name, sorted(path.stem for path in (CONFIGS / "recipe").glob("*.yaml")))
    content = OmegaConf.to_container(OmegaConf.load(CONFIGS / "recipe" / f"{name}.yaml"))

    def composed(options: list[str]) -> dict[str, Any]:
        return OmegaConf.to_container(compose("train", options), resolve=True)

    stages = Recipe(content, inputs, out or f"runs/recipe_{name}", start)
    run_recipe(stages, composed, fit, lambda plain: build(plain["data"]), export)


def run(arguments: Sequence[str]) -> int:
    """Run one training, study or recipe; return the exit code."""
    if any(a.startswith("recipe=") for a in arguments):
        return guarded(lambda: recipe(arguments))
    return run_hydra(main, "train", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
