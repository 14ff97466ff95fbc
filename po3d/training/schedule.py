"""Learning-rate schedule (linear warm-up, then a cosine over the whole run) and the parsers'
optimiser.
"""

import math

import pytorch_lightning as pl
import torch


def adamw_cosine(
    module: pl.LightningModule, learning_rate: float, warmup: int, groups: list[dict] | None = None
) -> dict:
    """Return AdamW with a learning rate that falls to zero (`scheduled`). `warmup`: steps, at most
    a quarter of the run. `groups`: parameter groups of the optimiser; None: all parameters with one
    rate."""
    optimizer = torch.optim.AdamW(groups or module.parameters(), learning_rate, weight_decay=0.01)
    steps = max(1, int(module.trainer.estimated_stepping_batches))
    return scheduled(optimizer, steps, min(warmup, steps // 4 + 1))


def scheduled(
    optimizer: torch.optim.Optimizer, steps: int, warmup: int, least: float = 0.0
) -> dict:
    """Return the result of `configure_optimizers`: the rate increases linearly over the first
    `warmup` of the `steps`, then follows a cosine down to the fraction `least`."""

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        done = min(1.0, (step - warmup) / max(1, steps - warmup))
        return least + (1 - least) * (1 + math.cos(math.pi * done)) / 2

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}
