"""Sample order of training: one endless stream, cut into one global batch per step, independent of
the number of processes.

The samples of step s depend on (seed, s) only. Of a global batch every process (rank) takes each
world-th sample, so together the processes see each sample once per epoch, and any number of
processes sees the same global batches. A sampler starts from the trainer's current step and keeps
no position of its own, so a resumed run continues with exactly the remaining samples.
"""

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from po3d.io.seeding import rng

SORTED = 50  # number of batches that are sorted by length together


Order = Callable[[int], int]  # position of the stream -> sample number


def in_blocks(size: int, block_order: Callable[[int], np.ndarray]) -> Order:
    """Return the order of a stream of blocks; `block_order` returns the (size,) numbers of a block
    of `size` positions."""
    last_block = functools.lru_cache(maxsize=1)(block_order)

    def number(position: int) -> int:
        block, place = divmod(position, size)
        return int(last_block(block)[place])

    return number


def shuffled(size: int, seed: int) -> Order:
    """Return epochs of fresh permutations of `size` samples. In epoch e, sample k has the number k
    + e * size, so that repetitions of a sample can be distinguished; use `% size` where that does
    not matter."""
    return in_blocks(size, lambda block: block * size + rng(seed, "order", block).permutation(size))


def replay_order(
    seed: int,
    visits: int = 1,
    chunk: int = 1,
    flip: bool = True,
    standing: int = 0,
    share: float = 0.0,
) -> Order:
    """Return a stream of new samples, each used `visits` times; for samples that are generated more
    slowly than they are trained on.

    Round r is a shuffle of the chunks r to r + visits - 1 of new samples, so only 1 / visits of a
    step's samples have to be generated. Chunks before `visits` - 1 occur in fewer rounds.

    The first `standing` numbers are permanent samples (those of a folder), which make up `share` of
    each round; new samples follow them. `flip`: the numbers index a `WithFlip`, and each is
    flipped with probability 1/2.
    """
    fresh = visits * chunk
    old = round(share / (1 - share) * fresh) if standing else 0
    folder = shuffled(max(standing, 1), seed)

    def block_order(block: int) -> np.ndarray:
        numbers = list(range(standing + block * chunk, standing + block * chunk + fresh))
        for place in range(block * old, (block + 1) * old):
            numbers.append(folder(place) % standing)
        numbers = rng(seed, "round", block).permutation(numbers)
        if not flip:
            return numbers
        return 2 * numbers + rng(seed, "mirror", block).integers(2, size=len(numbers))

    return in_blocks(fresh + old, block_order)


class BatchStream(Sampler[list[int]]):
    """This process's share of the global batches up to step `stop`.

    `start()` is called when iteration begins and returns the first step. `batch`: samples per
    process. The length counts from step 0, as the progress bar does. `lengths`: see
    `length_stream`.
    """

    def __init__(
        self,
        order: Order,
        batch: int,
        stop: int,
        start: Callable[[], int] = lambda: 0,
        rank: int = 0,
        world: int = 1,
        lengths: Sequence[int] = (),
        seed: int = 0,
    ) -> None:
        self.order, self.size = order, batch * world
        self.stop, self.start = stop, start
        self.rank, self.world = rank, world
        self.lengths, self.seed = lengths, seed
        self.block, self.batches = -1, []

    def __len__(self) -> int:
        return self.stop

    def __iter__(self) -> Iterator[list[int]]:
        for step in range(self.start(), self.stop):
            yield self.together(step)[self.rank :: self.world]

    def together(self, step: int) -> list[int]:
        """Return the samples of all processes at a step."""
        if not len(self.lengths):
            return list(map(self.order, range(step * self.size, (step + 1) * self.size)))
        block, place = divmod(step, SORTED)
        if block != self.block:
            self.block, size = block, SORTED * self.size
            numbers = list(map(self.order, range(block * size, (block + 1) * size)))
            numbers.sort(key=lambda n: self.lengths[n % len(self.lengths)])
            shuffled_batches = rng(self.seed, "batches", block).permutation(SORTED)
            self.batches = [numbers[k * self.size :][: self.size] for k in shuffled_batches]
        return self.batches[place]


def length_stream(
    lengths: Sequence[int], seed: int, batch: int, stop: int, **place: Any
) -> BatchStream:
    """Return global batches of samples of similar length, to keep padding small.

    Blocks of SORTED batches are sorted by `lengths` together, then the batches are shuffled.
    Numbers of samples continue from epoch to epoch as in `shuffled`, so repetitions differ.
    """
    order = shuffled(len(lengths), seed)
    return BatchStream(order, batch, stop, **place, lengths=lengths, seed=seed)


class IndexedByStep(Dataset):
    """View of `samples` indexed by the numbers of `shuffled`, modulo their count."""

    def __init__(self, samples: Dataset) -> None:
        self.samples = samples

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, number: int) -> Any:
        return self.samples[number % len(self.samples)]


def validation_batches(
    order: Sequence[int], batch: int, rank: int = 0, world: int = 1
) -> list[list[int]]:
    """Return sequential batches, once, of which this process takes each world-th index. A remainder
    that does not divide by the number of processes is dropped: processes with more batches than
    others would wait forever."""
    size, whole = batch * world, len(order) - len(order) % world
    batches = []
    for k in range(0, whole, size):
        batches.append(list(order[k : min(k + size, whole)][rank::world]))
    return batches


def collate_pictures(items: list[dict[str, np.ndarray]]) -> dict[str, torch.Tensor]:
    """Stack a batch; images become (B, 3, h, w) uint8, a view of channels-last memory."""
    batch = {}
    for key in items[0]:
        batch[key] = torch.from_numpy(np.stack([item[key] for item in items]))
    batch["image"] = batch["image"].permute(0, 3, 1, 2)
    return batch


class StreamData(pl.LightningDataModule):
    """Data module with `train` as an endless stream and `validation` in order, both created by
    `setup`; by default of pictures with labels.

    Hyperparameters: batch (samples per process and step), seed, and for some subclasses num_workers
    (number of DataLoader workers; None: the CPUs divided by the processes if training on a GPU,
    else none). Subclasses choose the stream and how samples become a batch.
    """

    kind: ClassVar[str] = ""  # checkpoint kind of the models that train on this data; "": any
    train: Any
    validation: Any
    collate: Callable[[list], Any] = staticmethod(collate_pictures)

    def train_stream(self) -> BatchStream:
        h = self.hparams
        return BatchStream(shuffled(len(self.train), h.seed), h.batch, **self.place())

    def models(self) -> set[str]:
        """Return the names of the 3D models in the training pictures (`po3d.synthesis.splits`);
        call it after the data has been prepared."""
        return set()

    def scenes(self) -> dict[str, set[int]]:
        """Return the ids of the stored training scenes (`po3d.benchmarks.scene_ids`); call it after
        the data has been prepared. Rendered scenes have no ids: they are identified by their
        models."""
        return {}

    def train_samples(self) -> Dataset:
        """Return `train`, indexed by the numbers of the stream."""
        return IndexedByStep(self.train)

    def validation_order(self) -> Sequence[int]:
        return range(len(self.validation))

    def place(self) -> dict[str, Any]:
        """Return the stream's keywords: last step, a function for the first step, and this
        process's rank."""
        trainer = self.trainer
        each = trainer.accumulate_grad_batches
        return {
            "stop": trainer.max_steps * each,
            "start": lambda: trainer.global_step * each,
            "rank": trainer.global_rank,
            "world": trainer.world_size,
        }

    def judged(self, estimator: Any, count: int) -> Any:
        """Return the scenes that an estimator predicts for up to `count` validation pictures, with
        their metrics (`po3d.training.figures.Judged`); None for data without scenes."""
        return None

    def readers(self) -> int:
        """Return the number of DataLoader workers."""
        inputs = self.hparams.get("num_workers", 0)
        if inputs is not None:
            return inputs
        strategy = self.trainer.strategy
        if strategy.root_device.type == "cpu":
            return 0
        return max(len(os.sched_getaffinity(0)) // getattr(strategy, "num_processes", 1), 1)

    def train_dataloader(self) -> DataLoader:
        return self.loader(self.train_samples(), self.train_stream(), self.readers())

    def val_dataloader(self) -> DataLoader:
        place = self.place()
        order, batch = self.validation_order(), self.hparams.batch
        batches = validation_batches(order, batch, place["rank"], place["world"])
        return self.loader(self.validation, batches)

    def loader(
        self, samples: Dataset, batches: Iterable[list[int]], workers: int = 0
    ) -> DataLoader:
        return DataLoader(
            samples,
            batch_sampler=batches,
            collate_fn=self.collate,
            num_workers=workers,
            persistent_workers=workers > 0,
            pin_memory=torch.cuda.is_available(),
            multiprocessing_context="spawn" if workers else None,  # CUDA does not survive a fork
        )
