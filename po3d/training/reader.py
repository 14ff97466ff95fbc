"""Training of the general parser on pairs of all domains' question generators (with made-up
scenes), the sentence bank, and paraphrases.
"""

from pathlib import Path
from typing import ClassVar

import pytorch_lightning as pl
from torch import Tensor
from torch.func import functional_call

from po3d.io import checkpoint
from po3d.io.checkpoint import locate
from po3d.language.read.reader import (
    KIND,
    LAYERS,
    bits,
    encoder_folder,
    encoder_weights,
    export,
    whole,
)
from po3d.language.read.reader_network import FROZEN, ReaderNetwork
from po3d.language.read.reader_tokens import WordPieces
from po3d.language.read.reader_vocabulary import Vocabulary
from po3d.language.read.transformer import Shape
from po3d.training.qat import QuantizedWeights
from po3d.training.ranks import Term, means
from po3d.training.reader_pairs import bank, paraphrases, reworded, speakers
from po3d.training.reader_samples import (
    Samples,
    collate,
    exactly,
    mixed,
    read_pairs,
    vocabulary_of,
    write_pairs,
)
from po3d.training.samplers import BatchStream, StreamData, length_stream
from po3d.training.schedule import adamw_cosine


def word_pieces(encoder: str = "") -> WordPieces:
    return WordPieces.from_file(encoder_folder(encoder) / "vocab.txt")


SHARES = {"speakers": 0.25, "bank": 0.2, "reworded": 0.2, "paraphrases": 0.15, "stories": 0.2}


def vocabulary(init_from: str = "", encoder: str = "") -> Vocabulary:
    """Return the output tokens of the checkpoint to start from; without one, those that the
    sentence bank's programs need."""
    if not init_from:
        return vocabulary_of(bank("train"), word_pieces(encoder))
    _, record = checkpoint.load(locate(init_from), KIND)
    return Vocabulary(tuple(record["config"]["texts"]), tuple(record["config"]["amounts"]))


class ReaderData(StreamData):
    """Batches of `reader_samples.collate`.

    Generated pairs are written to `pairs` once. `bank_lines`: number of lines of the bank's
    training part, 0 for none. `shares`: approximate shares of the sources, keyed as SHARES.
    `word_dropout`: fraction of the sentences' words shown as unknown in training. `init_from`: the
    checkpoint that the module starts from, whose tokens encode the programs.
    """

    kind = KIND

    def __init__(
        self,
        pairs: str,
        seed: int = 0,
        streets: int = 50_000,
        rooms: int = 450,
        photos: int = 12_000,
        orbits: int = 14_000,
        frames: int = 3_000,
        bank_lines: int = 10_000,
        shares: dict[str, float] | None = None,
        word_dropout: float = 0.0,
        batch: int = 64,
        validation: int = 1000,
        num_workers: int | None = None,
        encoder: str = "",
        init_from: str = "",
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.collate = collate
        self.train: Samples | None = None

    def prepare_data(self) -> None:
        h = self.hparams
        if not Path(h.pairs).exists():
            write_pairs(
                Path(h.pairs),
                speakers(h.seed, "reader", h.streets, h.rooms, h.photos, h.orbits, h.frames),
            )

    def setup(self, stage: str | None = None) -> None:
        if self.train is not None:
            return
        h = self.hparams
        self.prepare_data()
        lines, pieces = bank("train"), word_pieces(h.encoder)
        tokens = vocabulary(h.init_from, h.encoder)
        sources = {
            "speakers": read_pairs(Path(h.pairs)),
            "bank": [line[0] for line in lines[: h.bank_lines]],
            "reworded": reworded(),
            "paraphrases": paraphrases(),
            "stories": paraphrases(what="stories"),
        }
        pairs = mixed(sources, h.shares or SHARES)
        self.train = Samples(pairs, tokens, pieces, h.seed, word_dropout=h.word_dropout)
        held_out = [line[0] for line in bank("dev")[: h.validation]]
        samples = Samples(held_out, tokens, pieces, h.seed, plain=True)
        self.validation = []
        for k in range(len(samples)):
            if (sample := samples[k]) is not None:
                self.validation.append(sample)

    def train_samples(self) -> Samples:
        assert self.train is not None
        return self.train

    def train_stream(self) -> BatchStream:
        h = self.hparams
        lengths = [p.length for p in self.train_samples().pairs]
        return length_stream(lengths, h.seed, h.batch, **self.place())


class ReaderModule(pl.LightningModule):
    """Negative log-likelihood over the tokens that the type table allows, optimised by AdamW; the
    pretrained layers have a lower learning rate than the decoder, and their embeddings are frozen.

    `pretrained` False: an encoder of equal shape with random weights, all of it trained.
    `init_from`: a checkpoint to start from, which sets all sizes except `shape`. `freeze_layers`:
    number of first encoder layers to freeze. `smoothing`: label smoothing, spread over the tokens
    allowed at each position. `few_bits`: quantization-aware training for the checkpoint's format.
    """

    kind: ClassVar[str] = KIND

    def __init__(
        self,
        learning_rate: float = 1e-3,
        encoder_rate: float = 1.5e-4,
        warmup: int = 500,
        pretrained: bool = True,
        encoder: str = "",
        shape: dict | None = None,
        init_from: str = "",
        freeze_layers: int = 0,
        smoothing: float = 0.0,
        few_bits: bool = False,
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        base = (
            encoder_weights(encoder_folder(encoder)) if pretrained or init_from or few_bits else {}
        )
        sizes, stored = shape or {}, None
        if init_from:
            stored, record = checkpoint.load(locate(init_from), KIND)
            sizes = record["config"]["shape"] | sizes
        self.vocabulary = vocabulary(init_from, encoder)
        self.network = ReaderNetwork(self.vocabulary, Shape(**sizes), smoothing)
        if pretrained or init_from:
            self.network.start_from(base, freeze_layers)
        if stored is not None:
            self.network.load_state_dict(whole(stored, base))
        self.rounded = None
        if few_bits:
            trained = dict(self.network.named_parameters())
            for name in list(trained):
                if name.startswith(FROZEN):
                    del trained[name]
            layers = {name: w for name, w in base.items() if name.startswith(LAYERS)}
            self.rounded = QuantizedWeights(trained, bits, layers)

    def training_step(self, batch: tuple[Tensor, ...], _: int) -> Tensor:
        weights = self.rounded.weights(self.global_step) if self.rounded else {}
        loss = functional_call(self.network, weights, batch).sum()
        loss = means({"loss": Term(loss, (batch[5] >= 0).sum())})["loss"]
        if (self.global_step + 1) % self.trainer.log_every_n_steps == 0:
            self.log("train/loss", loss.detach(), prog_bar=True, sync_dist=True)
        return loss

    def validation_step(self, batch: tuple[Tensor, ...], _: int) -> None:
        exact = exactly(self.network, batch)
        self.log(
            "val/exact", exact.float().mean(), batch_size=len(exact), prog_bar=True, sync_dist=True
        )

    def configure_optimizers(self) -> dict:
        h = self.hparams
        return adamw_cosine(
            self,
            h.learning_rate,
            h.warmup,
            groups=self.network.groups(h.learning_rate, h.encoder_rate),
        )

    def export(self, path: str | Path, training: dict, metrics: dict) -> Path:
        """Write the checkpoint pair; return the path of the weights."""
        base = encoder_weights(encoder_folder(self.hparams.encoder))
        return export(path, self.network, self.vocabulary, base, training, metrics)
