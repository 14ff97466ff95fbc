"""What makes several processes train like one: random numbers of a whole batch, means over all its rows, norms of them."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from pytorch_lightning.plugins import TorchSyncBatchNorm
from timm.layers import convert_sync_batchnorm
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from po3d.io.seeding import rng


class Draws:
    """Random numbers for one global batch, a function of (seed, stage, index): each process draws the rows of all and keeps
    its own, so a sample gets the same numbers however many processes there are. They are drawn on the CPU, so that every
    device gets the same, too."""

    def __init__(self, seed: int, stage: str, index: int, rank: int = 0, world: int = 1) -> None:
        self.generator = torch.Generator().manual_seed(int(rng(seed, stage, index).integers(2**62)))
        self.rank, self.world = rank, world

    def rand(self, rows: int, *shape: int) -> Tensor:
        """(rows, *shape) in [0, 1), another for each row of the global batch."""
        return self._own(torch.rand, rows, *shape)

    def randn(self, rows: int, *shape: int) -> Tensor:
        """(rows, *shape) standard normal, another for each row of the global batch."""
        return self._own(torch.randn, rows, *shape)

    def _own(self, draw, rows: int, *shape: int) -> Tensor:
        return draw(rows * self.world, *shape, generator=self.generator)[self.rank :: self.world]


class Term(NamedTuple):
    """A part of a loss: a sum over rows, and how many they are. Kept apart because processes have unequal numbers of them."""

    sum: Tensor
    rows: Tensor | int

    @classmethod
    def of(cls, values: Tensor) -> "Term":
        return cls(values.sum(), values.numel())


def means(terms: Mapping[str, Term]) -> dict[str, Tensor]:
    """The mean of each term. In a training of several processes: this process's share, such that the mean of the shares over
    the processes (what DistributedDataParallel makes of their gradients) is the mean over all rows."""
    device = next(iter(terms.values())).sum.device
    rows = torch.stack([torch.as_tensor(t.rows, dtype=torch.float32, device=device) for t in terms.values()])
    least = 1.0
    if torch.distributed.is_initialized():
        torch.distributed.all_reduce(rows)
        rows, least = rows / torch.distributed.get_world_size(), 1 / torch.distributed.get_world_size()
    return {name: t.sum / n for (name, t), n in zip(terms.items(), rows.clamp(min=least), strict=True)}


class SyncedNorms(TorchSyncBatchNorm):
    """Batch norms over the samples of all processes, as a plugin for `sync_batchnorm`. timm's norms bring their activation, which
    the plugin that Lightning has of its own would lose."""

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
