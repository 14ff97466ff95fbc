"""The parsers' optimiser: AdamW, a linear warm-up, then a cosine to zero over the whole run."""

import math

import pytorch_lightning as pl
import torch


def adamw_cosine(
    module: pl.LightningModule,
    learning_rate: float,
    warmup: int,
    weight_decay: float = 0.01,
    groups: list[dict] | None = None,
) -> dict:
    """What `configure_optimizers` returns. `warmup`: steps, at most a quarter of the run. `groups`: of parameters, as the
    optimiser takes them; all with one rate when left out."""
    optimizer = torch.optim.AdamW(groups or module.parameters(), lr=learning_rate, weight_decay=weight_decay)
    total = max(1, int(module.trainer.estimated_stepping_batches))
    warmup = min(warmup, total // 4 + 1)

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warmup) / max(1, total - warmup))))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}
