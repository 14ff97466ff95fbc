"""The order of training samples: one endless stream, cut into one global batch a step, whoever reads it.

What step s trains on depends on (seed, s) alone. Of a global batch every process (rank) of a training takes each world-th
sample, so the processes together see each sample once an epoch, and any number of them sees the same global batches. A
sampler asks where the run stands when it begins, and nothing else counts positions: a resumed run goes on with exactly
the samples that were left.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from po3d.io.seeding import rng

SORTED = 50  # batches that are sorted by length together


class Order(ABC):
    """The number of the sample at a position of the stream. Numbers are made in blocks of `size`."""

    size: int
    block, numbers = -1, np.empty(0, int)

    def __call__(self, position: int) -> int:
        block, place = divmod(position, self.size)
        if block != self.block:
            self.block, self.numbers = block, self.made(block)
        return int(self.numbers[place])

    @abstractmethod
    def made(self, block: int) -> np.ndarray:
        """The numbers of a block."""


class Shuffled(Order):
    """Epoch after epoch of fresh permutations of `size` samples. Sample k is k + e * size in epoch e, so that who reads it
    can tell one reading from another; `% size` where that does not matter."""

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed = size, seed

    def made(self, block: int) -> np.ndarray:
        return block * self.size + rng(self.seed, "order", block).permutation(self.size)


class Revisited(Order):
    """A stream of ever new samples, each of which comes `visits` times before it is gone: where they are made more slowly
    than they are trained on. Round r is a shuffle of chunks r to r + visits - 1 of new samples, so a step needs
    1 / visits of its samples anew; chunks before `visits` - 1 come as often as there are rounds with them.

    Numbers are those of a set whose first `standing` samples are always there (a folder's) and make up `share` of each
    round, new ones follow them. `mirror`: the numbers are a `WithMirror`'s, each in the mirror half of the time.
    """

    def __init__(
        self,
        seed: int,
        visits: int = 1,
        chunk: int = 1,
        mirror: bool = True,
        standing: int = 0,
        share: float = 0.0,
    ) -> None:
        self.seed, self.mirror, self.chunk, self.standing = seed, mirror, chunk, standing
        self.fresh = visits * chunk
        self.old = round(share / (1 - share) * self.fresh) if standing else 0
        self.size = self.fresh + self.old
        self.folder = Shuffled(max(standing, 1), seed)

    def made(self, block: int) -> np.ndarray:
        new = self.standing + block * self.chunk + np.arange(self.fresh)
        old = [self.folder(block * self.old + i) % self.standing for i in range(self.old)]
        numbers = rng(self.seed, "round", block).permutation(np.concatenate([new, np.array(old, int)]))
        if not self.mirror:
            return numbers
        return 2 * numbers + rng(self.seed, "mirror", block).integers(2, size=len(numbers))


class BatchStream(Sampler[list[int]]):
    """This process's share of the global batches up to `stop`; `start()` is asked for the first one when reading begins.
    `batch`: samples a process. Its length counts from 0, as progress does."""

    def __init__(
        self,
        order: Order,
        batch: int,
        stop: int,
        start: Callable[[], int] = lambda: 0,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        self.order, self.size = order, batch * world
        self.stop, self.start = stop, start
        self.rank, self.world = rank, world

    def __len__(self) -> int:
        return self.stop

    def __iter__(self) -> Iterator[list[int]]:
        for step in range(self.start(), self.stop):
            yield self.together(step)[self.rank :: self.world]

    def together(self, step: int) -> list[int]:
        """The samples of all processes."""
        return [self.order(position) for position in range(step * self.size, (step + 1) * self.size)]


class LengthStream(BatchStream):
    """Global batches sorted by the samples' `lengths` within SORTED of them, so that padding is little, in an order of their
    own. Samples keep the numbers of `Shuffled`, which tell their readings apart."""

    def __init__(self, lengths: Sequence[int], seed: int, batch: int, stop: int, **place: Any) -> None:
        super().__init__(Shuffled(len(lengths), seed), batch, stop, **place)
        self.lengths, self.seed = lengths, seed
        self.block, self.batches = -1, []

    def together(self, step: int) -> list[int]:
        block, place = divmod(step, SORTED)
        if block != self.block:
            numbers = [
                n for k in range(SORTED) for n in super(LengthStream, self).together(block * SORTED + k)
            ]
            numbers.sort(key=lambda n: self.lengths[n % len(self.lengths)])
            chunks = [numbers[k * self.size :][: self.size] for k in range(SORTED)]
            self.batches = [chunks[k] for k in rng(self.seed, "batches", block).permutation(SORTED)]
            self.block = block
        return self.batches[place]


class Numbered(Dataset):
    """`samples`, read by the numbers of `Shuffled`."""

    def __init__(self, samples: Dataset) -> None:
        self.samples = samples

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, number: int) -> Any:
        return self.samples[number % len(self.samples)]


class Shares(Sampler[list[int]]):
    """Indices in their order, once, in batches of which this process takes each world-th index. A rest that does not go
    round is left out, because processes that read more batches than others would wait for them forever."""

    def __init__(self, order: Sequence[int], batch: int, rank: int = 0, world: int = 1) -> None:
        size = batch * world
        whole = len(order) - len(order) % world
        self.batches = [list(order[k : min(k + size, whole)][rank::world]) for k in range(0, whole, size)]

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.batches)


class StreamData(pl.LightningDataModule):
    """`train` as a stream and `validation` in order, both made by `setup`. Hyperparameters: batch (samples a process and
    step), seed, and for some loaders (processes that read beside training; None: the CPUs' number where a GPU trains, else
    none). What follows makes the loaders; a subclass says which stream, and how samples become a batch."""

    kind: ClassVar[str] = ""  # of the checkpoints of what is trained on it; "": any
    train: Any
    validation: Any
    collate: Callable[[list], Any]

    def train_stream(self) -> BatchStream:
        return BatchStream(Shuffled(len(self.train), self.hparams.seed), self.hparams.batch, **self.place())

    def models(self) -> set[str]:
        """Names of the 3D models that the training pictures show (`po3d.synthesis.splits`), once they are there."""
        return set()

    def scenes(self) -> dict[str, set[int]]:
        """Ids of the stored scenes that are trained on (`po3d.benchmarks.scene_ids`), once they are there; rendered ones have
        none: which models they show tells them from others."""
        return {}

    def train_samples(self) -> Dataset:
        """`train`, read by the numbers of the stream."""
        return Numbered(self.train)

    def validation_order(self) -> Sequence[int]:
        return range(len(self.validation))

    def place(self) -> dict[str, Any]:
        """Where the run stands in the stream, and which share this process has."""
        trainer = self.trainer
        each = trainer.accumulate_grad_batches
        return {
            "stop": trainer.max_steps * each,
            "start": lambda: trainer.global_step * each,
            "rank": trainer.global_rank,
            "world": trainer.world_size,
        }

    def judged(self, estimator: Any, count: int) -> Any:
        """The tables that an estimator predicts for up to `count` validation pictures, with their figures
        (`po3d.training.figures.Judged`); None for data without tables."""
        return None

    def readers(self) -> int:
        """How many processes read beside training."""
        given = self.hparams.get("loaders", 0)
        if given is not None:
            return given
        strategy = self.trainer.strategy
        if strategy.root_device.type == "cpu":
            return 0
        return max(len(os.sched_getaffinity(0)) // getattr(strategy, "num_processes", 1), 1)

    def train_dataloader(self) -> DataLoader:
        return self.loader(self.train_samples(), self.train_stream(), self.readers())

    def val_dataloader(self) -> DataLoader:
        place = self.place()
        shares = Shares(self.validation_order(), self.hparams.batch, place["rank"], place["world"])
        return self.loader(self.validation, shares)

    def loader(self, samples: Dataset, batches: Sampler[list[int]], workers: int = 0) -> DataLoader:
        return DataLoader(
            samples,
            batch_sampler=batches,
            collate_fn=self.collate,
            num_workers=workers,
            persistent_workers=workers > 0,
            pin_memory=torch.cuda.is_available(),
            multiprocessing_context="spawn" if workers else None,  # CUDA does not survive a fork
        )
