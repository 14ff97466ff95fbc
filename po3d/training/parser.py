"""Training the question parser: generated (text, program) pairs, a fresh stream for every seed."""

import math

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor
from torch.utils.data import DataLoader

from po3d.parsing.seq2seq import Seq2Seq
from po3d.parsing.tokenizer import Tokenizer
from po3d.reasoning.program import TOKENS
from po3d.seeding import rng
from po3d.synthesis.language import FAMILIES, realise, sample_program

TOKEN_IDS = {token: k for k, token in enumerate(TOKENS)}
BENCHMARK_SHARE = 0.3  # of the questions; the rest is wide
SCATTER = 0.06  # share of questions that lose one of LOOSE words, as hurried people write
LOOSE = frozenset("is are the a there that which of do".split())


def vocabulary(seed: int = 0, sample: int = 30_000) -> tuple[str, ...]:
    """The words that the language uses, most from the grammar's own tables: id 0 is padding."""
    words: set[str] = set()
    tokenizer = Tokenizer()
    for index in range(sample):
        words.update(tokenizer(pair(seed, "parser-vocabulary", index)[0]).tokens)
    return ("", *sorted(words))


def pair(seed: int, stage: str, index: int, family: str | None = None, style: str | None = None) -> tuple[str, list[str]]:
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


class ParserData(pl.LightningDataModule):
    """Batches of (word ids (B, T), program ids (B, L) padded with -1); pairs of near length share a batch."""

    def __init__(self, seed: int = 0, pairs: int = 200_000, batch: int = 128, words: tuple[str, ...] = ()):
        super().__init__()
        self.seed, self.pairs, self.batch = seed, pairs, batch
        self.words = tuple(words) or vocabulary(seed)
        self.tokenizer = Tokenizer(self.words)
        self.examples: list[tuple[np.ndarray, np.ndarray]] = []
        self.epoch = 0

    def setup(self, stage: str | None = None) -> None:
        if self.examples:
            return
        index = {word: k for k, word in enumerate(self.words)}
        for number in range(self.pairs):
            text, program = pair(self.seed, "parser-train", number)
            read = self.tokenizer(text)
            if read.unknown:  # a word too rare to have entered the vocabulary
                continue
            tokens = list(read.tokens)
            random = rng(self.seed, "parser-scatter", number)
            if random.random() < SCATTER:
                loose = [k for k, token in enumerate(tokens) if token in LOOSE]
                if loose:
                    del tokens[loose[int(random.random() * len(loose))]]
            ids = np.array([index[token] for token in tokens], dtype=np.int16)
            self.examples.append((ids, np.array([TOKEN_IDS[t] for t in program], dtype=np.int16)))

    def train_dataloader(self) -> DataLoader:
        random = rng(self.seed, "parser-order", self.epoch)
        self.epoch += 1
        order = random.permutation(len(self.examples))
        chunks = []
        for start in range(0, len(order), 50 * self.batch):  # sort within 50 batches: little padding, still random
            part = sorted(order[start : start + 50 * self.batch], key=lambda k: len(self.examples[k][1]))
            chunks += [part[i : i + self.batch] for i in range(0, len(part), self.batch)]
        batches = [[int(k) for k in chunks[i]] for i in random.permutation(len(chunks))]
        return DataLoader(self.examples, batch_sampler=batches, collate_fn=collate)


def collate(examples: list[tuple[np.ndarray, np.ndarray]]) -> tuple[Tensor, Tensor]:
    words = np.zeros((len(examples), max(len(w) for w, _ in examples)), dtype=np.int64)
    programs = np.full((len(examples), max(len(p) for _, p in examples)), -1, dtype=np.int64)
    for row, (word, program) in enumerate(examples):
        words[row, : len(word)] = word
        programs[row, : len(program)] = program
    return torch.from_numpy(words), torch.from_numpy(programs)


class ParserModule(pl.LightningModule):
    """Cross-entropy under the type table; AdamW, linear warm-up, cosine decay to zero over the whole run."""

    def __init__(self, words: int, learning_rate: float = 2e-3, warmup: int = 300, width: int = 128, dropout: float = 0.1):
        super().__init__()
        self.save_hyperparameters()
        self.network = Seq2Seq(words, width=width, dropout=dropout)

    def training_step(self, batch: tuple[Tensor, Tensor], _: int) -> Tensor:
        words, program = batch
        loss = self.network(words, program).sum() / (program >= 0).sum()
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> dict:
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.learning_rate, weight_decay=0.01)
        total = max(1, int(self.trainer.estimated_stepping_batches))
        warmup = min(self.hparams.warmup, total // 4 + 1)

        def factor(step: int) -> float:
            if step < warmup:
                return (step + 1) / warmup
            return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warmup) / max(1, total - warmup))))

        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}
