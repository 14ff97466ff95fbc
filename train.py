"""Train the street estimator or a parser.

    python train.py experiment=street_estimator                  CPU recipe: render, then train (see the config)
    python train.py experiment=street_estimator trainer=gpu data=online
    python train.py experiment=street_parser                     or room_parser
    python train.py data=superclevr data.root=DIR                your own images and scene JSON
    python train.py experiment=backbones                         many trainings, evaluated, in one table
    python train.py experiment=data_efficiency                   the same with curves: accuracy against images, programs
    python train.py ... export=NAME                              writes NAME.safetensors + NAME.json to checkpoints/

A run that was killed goes on where it was when the same command is given again (out=DIR decides).
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from po3d.entry import build, compose, run_hydra, varied
from po3d.training.run import seeded, train


def main(config: DictConfig) -> None:
    plain = OmegaConf.to_container(config, resolve=True)
    if plain.get("study"):
        _study(config, plain)
    else:
        fit(plain)


def fit(plain: dict[str, Any]) -> None:
    """One training, as its config says."""
    seeded(plain["seed"])
    train(
        build(plain["model"]),
        build(plain["data"]),
        out=plain["out"],
        config=plain,
        trainer=plain["trainer"],
        export=plain["export"],
        ema=plain["ema"],
        save_every=plain["save_every"],
        wandb=plain["wandb"],
        seed=plain["seed"],
    )


def _study(config: DictConfig, plain: dict[str, Any]) -> None:
    """All trainings of a study, and its tables."""
    from po3d.ablation import studies  # evaluates, which a training never does

    def variation(experiment: str | None, options: Sequence[str], changes: dict[str, Any]) -> dict[str, Any]:
        base = config
        if experiment is not None:
            base = compose("train", [f"experiment={experiment}", f"seed={plain['seed']}", *options])
        found = varied(base, changes)
        found.pop("study", None)
        return found

    setting = studies.setting_of(plain["study"], plain["seed"])
    runs = studies.planned(plain["study"], plain["out"], variation)
    found = studies.run_study(runs, fit, setting, plain["out"])
    print(f"\n{studies.study_text(found['runs'])}\n\nstudy: {Path(plain['out']) / 'study.json'}")


if __name__ == "__main__":
    sys.exit(run_hydra(main, "train", __doc__))
