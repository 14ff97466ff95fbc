"""Training the question parser: generated (text, program) pairs, a fresh stream for every seed."""

from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor

from po3d.io import checkpoint
from po3d.io.seeding import rng
from po3d.language.programs.street import TOKENS
from po3d.language.read.seq2seq import Language, Seq2Seq
from po3d.language.read.street_parser import KIND
from po3d.language.read.tokenizer import Tokenizer
from po3d.language.say.street.language import FAMILIES, realise, sample_program
from po3d.training.ranks import Term, means
from po3d.training.schedule import adamw_cosine
from po3d.training.stream import LengthStream, StreamData
from po3d.training.warm_start import take_over

TOKEN_IDS = {token: k for k, token in enumerate(TOKENS)}
BENCHMARK_SHARE = 0.3  # of the questions; the rest is wide
SCATTER = 0.08  # share of questions that lose one of LOOSE words, as hurried people write
LOOSE = frozenset(["is", "are", "the", "a", "there", "that", "which", "of", "do"])


@lru_cache(maxsize=2)
def vocabulary(seed: int = 0, sample: int = 30_000) -> tuple[str, ...]:
    """The tokens that generated questions use; id 0 is padding."""
    words: set[str] = set()
    tokenizer = Tokenizer()
    for index in range(sample):
        words.update(tokenizer(pair(seed, "parser-vocabulary", index)[0]).tokens)
    return ("", *sorted(words))


def pair(
    seed: int, stage: str, index: int, family: str | None = None, style: str | None = None
) -> tuple[str, list[str]]:
    """(text, program tokens) number `index` of a stage; family and style are drawn where not given."""
    random = rng(seed, stage, index)
    if family is None:
        names = tuple(FAMILIES)
        weights = np.cumsum(list(FAMILIES.values()))
        family = names[int(np.searchsorted(weights, random.random() * weights[-1]))]
    if style is None:
        style = "benchmark" if random.random() < BENCHMARK_SHARE else "wide"
    program = sample_program(random, family)
    return realise(program, random, style), program.tokens()


class ParserData(StreamData):
    """Batches of (word ids (B, T), program ids (B, L) padded with -1); programs of near length share a
    batch."""

    kind = KIND

    def __init__(self, seed: int = 0, pairs: int = 200_000, batch: int = 128, validation: int = 2000) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.train: list[tuple[np.ndarray, np.ndarray]] = []
        self.collate = collate

    def setup(self, stage: str | None = None) -> None:
        if not self.train:
            self.train = self._examples("parser-train", self.hparams.pairs, SCATTER)
            self.validation = self._examples("parser-validation", self.hparams.validation, 0.0)

    def _examples(self, stage: str, count: int, scatter: float) -> list[tuple[np.ndarray, np.ndarray]]:
        seed = self.hparams.seed
        words = vocabulary(seed)
        tokenizer = Tokenizer(words)
        index = {word: k for k, word in enumerate(words)}
        examples = []
        for number in range(count):
            text, program = pair(seed, stage, number)
            read = tokenizer(text)
            if read.unknown:  # a word too rare to have entered the vocabulary
                continue
            tokens = list(read.tokens)
            random = rng(seed, stage + "-scatter", number)
            loose = [k for k, token in enumerate(tokens) if token in LOOSE]
            if loose and random.random() < scatter:
                del tokens[loose[int(random.random() * len(loose))]]
            ids = np.array([index[token] for token in tokens], dtype=np.int16)
            examples.append((ids, np.array([TOKEN_IDS[t] for t in program], dtype=np.int16)))
        return examples

    def train_stream(self) -> LengthStream:
        h = self.hparams
        return LengthStream([len(program) for _, program in self.train], h.seed, h.batch, **self.place())


def collate(examples: list[tuple[np.ndarray, np.ndarray]]) -> tuple[Tensor, Tensor]:
    words = np.zeros((len(examples), max(len(w) for w, _ in examples)), dtype=np.int64)
    programs = np.full((len(examples), max(len(p) for _, p in examples)), -1, dtype=np.int64)
    for row, (word, program) in enumerate(examples):
        words[row, : len(word)] = word
        programs[row, : len(program)] = program
    return torch.from_numpy(words), torch.from_numpy(programs)


class ParserModule(pl.LightningModule):
    """Cross-entropy under the type table; AdamW, linear warm-up, cosine decay to zero over the whole run."""

    kind: ClassVar[str] = KIND  # of its checkpoints
    language: ClassVar[Language | None] = None  # None: the street programs

    def __init__(
        self,
        seed: int = 0,
        learning_rate: float = 2e-3,
        warmup: int = 300,
        width: int = 128,
        dropout: float = 0.1,
        init_from: str = "",
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.network_config = {"width": width, "dropout": dropout}
        self.network = Seq2Seq(len(self.words()), self.language, **self.network_config)
        if init_from:
            take_over(self.network, self.words(), init_from, self.kind)

    def words(self) -> tuple[str, ...]:
        """The embedding's rows."""
        return vocabulary(self.hparams.seed)

    def training_step(self, batch: tuple[Tensor, ...], _: int) -> Tensor:
        words, program, *copied = batch
        loss = means({"loss": Term(self.network(words, program, *copied).sum(), (program >= 0).sum())})[
            "loss"
        ]
        if (self.global_step + 1) % self.trainer.log_every_n_steps == 0:
            self.log("train/loss", loss.detach(), prog_bar=True, sync_dist=True)
        return loss

    def validation_step(self, batch: tuple[Tensor, Tensor], _: int) -> None:
        words, program = batch
        decoded = self.network.greedy(words)
        got = torch.nn.functional.pad(decoded.tokens, (0, max(0, program.shape[1] - decoded.tokens.shape[1])))
        same = (got[:, : program.shape[1]] == program) | (program < 0)
        exact = same.all(1) & (decoded.lengths == (program >= 0).sum(1))
        self.log("val/exact", exact.float().mean(), batch_size=len(words), prog_bar=True, sync_dist=True)

    def configure_optimizers(self) -> dict:
        return adamw_cosine(self, self.hparams.learning_rate, self.hparams.warmup)

    def export(self, path: str | Path, training: dict, metrics: dict) -> Path:
        """Write the shippable pair; returns the path of the weights."""
        config = {"words": list(self.words()), "network": self.network_config}
        return checkpoint.save(path, self.kind, self.network.state_dict(), config, training, metrics)
