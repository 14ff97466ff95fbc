"""Distributed training equal to a single process: random numbers, means and batch norms over the
global batch.
"""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from pytorch_lightning.plugins import TorchSyncBatchNorm
from timm.layers import convert_sync_batchnorm
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from po3d.io.seeding import rng


class Draws:
    """Random numbers for one global batch, a function of (seed, stage, index).

    Each process draws the rows of all processes and keeps its own, so a sample gets the same
    numbers for any number of processes. Numbers are drawn on the CPU to be equal on every device.
    """

    def __init__(self, seed: int, stage: str, index: int, rank: int = 0, world: int = 1) -> None:
        self.generator = torch.Generator().manual_seed(int(rng(seed, stage, index).integers(2**62)))
        self.rank, self.world = rank, world

    def rand(self, rows: int, *shape: int) -> Tensor:
        """Return uniform numbers (rows, *shape) in [0, 1), independent for each row of the global
        batch."""
        return self._own(torch.rand, rows, *shape)

    def randn(self, rows: int, *shape: int) -> Tensor:
        """Return standard normal numbers (rows, *shape), independent for each row of the global
        batch."""
        return self._own(torch.randn, rows, *shape)

    def _own(self, draw, rows: int, *shape: int) -> Tensor:
        return draw(rows * self.world, *shape, generator=self.generator)[self.rank :: self.world]


class Term(NamedTuple):
    """A loss term as a sum over rows and the number of rows, which may differ between processes."""

    sum: Tensor
    rows: Tensor | int

    @classmethod
    def of(cls, values: Tensor) -> "Term":
        return cls(values.sum(), values.numel())


def means(terms: Mapping[str, Term]) -> dict[str, Tensor]:
    """Return the mean of each term. With several processes, each returns a share, such that the
    mean of the shares over the processes (which DistributedDataParallel computes for gradients) is
    the mean over all rows."""
    counts = []
    for term in terms.values():
        counts.append(torch.as_tensor(term.rows, dtype=torch.float32, device=term.sum.device))
    rows, world = torch.stack(counts), 1
    if torch.distributed.is_initialized():
        torch.distributed.all_reduce(rows)
        world = torch.distributed.get_world_size()
    rows = (rows / world).clamp(min=1 / world)
    return {name: term.sum / n for (name, term), n in zip(terms.items(), rows, strict=True)}


class SyncedNorms(TorchSyncBatchNorm):
    """Plugin for `sync_batchnorm`: batch norms over the samples of all processes. timm's norm
    layers include an activation, which Lightning's own plugin would drop."""

    def __init__(self) -> None:
        self.replaced: list[tuple[nn.Module, str, _BatchNorm]] = []

    def apply(self, model: nn.Module) -> nn.Module:
        for parent in list(model.modules()):
            for name, norm in list(parent.named_children()):
                if isinstance(norm, _BatchNorm):
                    setattr(parent, name, convert_sync_batchnorm(norm))
                    self.replaced.append((parent, name, norm))
        return model

    def revert(self, model: nn.Module) -> nn.Module:
        for parent, name, norm in self.replaced:
            synced = getattr(parent, name)
            norm._parameters.update(synced._parameters)
            norm._buffers.update(synced._buffers)
            setattr(parent, name, norm.train(synced.training))
        self.replaced.clear()
        return model
