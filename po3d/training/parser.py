"""Training of the question parser on generated (text, program) pairs, a new stream for every
seed.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor

from po3d.benchmarks.scene_ids import Ids
from po3d.io import checkpoint
from po3d.io.seeding import rng
from po3d.language.programs.street import TOKENS
from po3d.language.read.network_parser import NetworkParser
from po3d.language.read.seq2seq import Seq2Seq
from po3d.language.read.street_parser import Parser
from po3d.language.read.tokenizer import Tokenizer
from po3d.language.say.street.language import FAMILIES, realise, sample_program
from po3d.training.ranks import Term, means
from po3d.training.samplers import BatchStream, StreamData, length_stream
from po3d.training.schedule import adamw_cosine
from po3d.training.warm_start import take_over

TOKEN_IDS = {token: k for k, token in enumerate(TOKENS)}
BENCHMARK_SHARE = 0.3  # share of narrow questions; the remaining ones are wide
# share of questions from which one of the LOOSE words is dropped, to imitate hasty typing
SCATTER = 0.08
LOOSE = frozenset(["is", "are", "the", "a", "there", "that", "which", "of", "do"])


@lru_cache(maxsize=2)
def vocabulary(seed: int = 0, sample: int = 30_000) -> tuple[str, ...]:
    """Return the tokens of generated questions; id 0 is padding."""
    words: set[str] = set()
    tokenizer = Tokenizer()
    for index in range(sample):
        words.update(tokenizer(pair(seed, "parser-vocabulary", index)[0])[0])
    return ("", *sorted(words))


def pair(
    seed: int, stage: str, index: int, family: str | None = None, style: str | None = None
) -> tuple[str, list[str]]:
    """Return pair `index` of a stage as (text, program tokens); family and style are drawn at
    random if not given."""
    random = rng(seed, stage, index)
    if family is None:
        names = tuple(FAMILIES)
        weights = np.cumsum(list(FAMILIES.values()))
        family = names[int(np.searchsorted(weights, random.random() * weights[-1]))]
    if style is None:
        style = "benchmark" if random.random() < BENCHMARK_SHARE else "wide"
    program = sample_program(random, family)
    return realise(program, random, style), program.texts()


class ParserExample(NamedTuple):
    """A sentence and its program as ids; spans hold the first and last word that each copying token
    refers to."""

    words: Sequence[int] | np.ndarray
    program: Sequence[int] | np.ndarray
    sort: int = 0
    spans: Sequence[tuple[int, int]] = ()


def collate(examples: list[ParserExample]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the arguments of Seq2Seq.forward."""
    sentences, programs, sorts, _ = zip(*examples, strict=True)
    longest, deepest = max(map(len, sentences)), max(map(len, programs))
    words = np.zeros((len(examples), longest), np.int64)
    program = np.full((len(examples), deepest), -1, np.int64)
    spans = np.zeros((len(examples), deepest, 2), np.int64)
    for row, example in enumerate(examples):
        words[row, : len(example.words)] = example.words
        program[row, : len(example.program)] = example.program
        spans[row, : len(example.spans)] = np.reshape(example.spans, (-1, 2))
    words, program, spans = map(torch.from_numpy, (words, program, spans))
    return words, program, torch.tensor(sorts), spans


class ParserData(StreamData):
    """Batches of `ParserExample`s, grouped by program length."""

    collate = staticmethod(collate)

    kind = Parser.kind

    def __init__(
        self, seed: int = 0, pairs: int = 200_000, batch: int = 128, validation: int = 2000
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.train: list[ParserExample] = []

    def setup(self, stage: str | None = None) -> None:
        if not self.train:
            self.train = self._examples("parser-train", self.hparams.pairs, SCATTER)
            self.validation = self._examples("parser-validation", self.hparams.validation, 0.0)

    def _examples(self, stage: str, count: int, scatter: float) -> list[ParserExample]:
        tokenizer = self.tokenizer()
        examples = []
        for number in range(count):
            text, program = pair(self.hparams.seed, stage, number)
            words, unknown = tokenizer(text)
            if not unknown:  # no word is too rare to be in the vocabulary
                place = stage + "-scatter", number, scatter
                examples.append(self.example(words, [TOKEN_IDS[t] for t in program], *place))
        return examples

    def tokenizer(self) -> Tokenizer:
        """Return the tokenizer of the vocabulary, whose words `index` numbers."""
        words = vocabulary(self.hparams.seed)
        self.index = {word: k for k, word in enumerate(words)}
        return Tokenizer(words)

    def example(
        self, words: Sequence[str], program: Sequence[int], stage: str, number: int, share: float
    ) -> ParserExample:
        """Encode a sentence of known words, dropping one of the LOOSE words from a `share` of the
        sentences."""
        words, random = list(words), rng(self.hparams.seed, stage, number)
        loose = [k for k, word in enumerate(words) if word in LOOSE]
        if loose and random.random() < share:
            del words[loose[int(random.random() * len(loose))]]
        ids = np.array([self.index[word] for word in words], dtype=np.int16)
        return ParserExample(ids, np.array(program, dtype=np.int16))

    def train_stream(self) -> BatchStream:
        h = self.hparams
        return length_stream(
            [len(example.program) for example in self.train], h.seed, h.batch, **self.place()
        )


class ParserModule(pl.LightningModule):
    """Cross-entropy over the tokens that the type table allows; AdamW, linear warm-up, cosine decay
    to zero over the whole run."""

    parser: ClassVar[type[NetworkParser]] = Parser  # parser class that defines the network

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
        self.network = Seq2Seq(len(self.words()), self.parser.language, **self.network_config)
        self.scenes: Ids = {}  # stored scenes whose questions the initial weights were trained on
        if init_from:
            self.scenes = take_over(self.network, self.words(), init_from, self.kind)

    def words(self) -> tuple[str, ...]:
        """Return the words of the embedding's rows."""
        return vocabulary(self.hparams.seed)

    def training_step(self, batch: tuple[Tensor, ...], _: int) -> Tensor:
        loss = means({"loss": Term(self.network(*batch).sum(), (batch[1] >= 0).sum())})["loss"]
        if (self.global_step + 1) % self.trainer.log_every_n_steps == 0:
            self.log("train/loss", loss.detach(), prog_bar=True, sync_dist=True)
        return loss

    def validation_step(self, batch: tuple[Tensor, ...], _: int) -> None:
        words, program, sorts, spans = batch
        decoded = self.network.greedy(words, sorts)
        length = min(program.shape[1], decoded.tokens.shape[1])
        program, there = program[:, :length], (program >= 0)
        copying = self.network.types.copies[program.clamp(min=0)]
        same = (decoded.tokens[:, :length] == program) & (
            (decoded.spans[:, :length] == spans[:, :length]).all(-1) | ~copying
        )
        exact = (same | ~there[:, :length]).all(1) & (decoded.lengths == there.sum(1))
        self.log(
            "val/exact", exact.float().mean(), batch_size=len(words), prog_bar=True, sync_dist=True
        )

    def configure_optimizers(self) -> dict:
        return adamw_cosine(self, self.hparams.learning_rate, self.hparams.warmup)

    @property
    def kind(self) -> str:
        """Return the kind of its checkpoints."""
        return self.parser.kind

    def export(self, path: str | Path, training: dict, metrics: dict) -> Path:
        """Write the checkpoint pair; return the path of the weights."""
        config = {"words": list(self.words()), "network": self.network_config}
        return checkpoint.save(
            path, self.kind, self.network.state_dict(), config, training, metrics
        )
