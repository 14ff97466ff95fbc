"""Train the street estimator or a parser.

    python train.py experiment=street_estimator                  CPU recipe: render, then train (see the config)
    python train.py experiment=street_estimator trainer=gpu data=online
    python train.py experiment=street_parser                     or room_parser
    python train.py data=superclevr data.root=DIR                your own images and scene JSON
    python train.py ... export=NAME                              writes NAME.safetensors + NAME.json to checkpoints/

A run that was killed goes on where it was when the same command is given again (out=DIR decides).
"""

import sys

from omegaconf import DictConfig, OmegaConf

from po3d.entry import build, run_hydra
from po3d.training.run import train


def main(config: DictConfig) -> None:
    plain = OmegaConf.to_container(config, resolve=True)
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


if __name__ == "__main__":
    sys.exit(run_hydra(main, "train", __doc__))
