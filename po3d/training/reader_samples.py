"""Training samples of the general parser: files of pairs, the vocabulary, samples with new scenes,
and batches.
"""

import gzip
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from po3d.io.files import atomic_write
from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.language.read.reader import batched
from po3d.language.read.reader_tokens import (
    SEGMENTS,
    SORTS,
    EncodedInput,
    ParserInput,
    Sort,
    WordPieces,
)
from po3d.language.read.reader_vocabulary import AMOUNTS, TEXTS, Target, Vocabulary, texts_needed
from po3d.training.reader_augmentation import with_table
from po3d.training.reader_pairs import TrainingPair

# Batches are padded to multiples of these (word pieces, programs, program tokens), because CPU
# kernels are prepared again for each new matrix shape.
ROUND_PIECES, ROUND_ROWS, ROUND_TOKENS = 16, 8, 8
ATTEMPTS = 3  # attempts to augment a sample before it is used unchanged


# Input pieces and, for each kind of sentence, the target program.
Sample = tuple[EncodedInput, tuple[tuple[Sort, Target], ...]]


def write_pairs(path: Path, pairs: Iterable[TrainingPair]) -> None:
    """Write one JSON list per line, gzipped; equal pairs give equal bytes."""
    with atomic_write(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        for pair in pairs:
            fields = {}
            for key, value in asdict(pair.inputs).items():
                if value and (key, value) != ("kind", "room"):
                    fields[key] = value
            packed.write(
                (json.dumps([fields, pair.sort, pair.program, pair.source]) + "\n").encode()
            )


def read_pairs(path: Path) -> list[TrainingPair]:
    """Read the pairs of a file written by `write_pairs`."""
    pairs = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            fields, sort, program, source = json.loads(line)
            for key in fields:
                if isinstance(fields[key], list):
                    fields[key] = tuple(fields[key])
            pairs.append(TrainingPair(ParserInput(**fields), sort, program, source))
    return pairs


def vocabulary_of(lines: Sequence[Sequence[TrainingPair]], pieces: WordPieces) -> Vocabulary:
    """Return the vocabulary of programs, extended by the amounts and texts that the bank's lines
    need.
    """
    programs, amounts = [], set[str]()
    for pair in itertools.chain(*lines):
        program = pair.call()
        if isinstance(program, Call):
            programs.append((program, pieces(pair.inputs), pair.sort))
            for kind, text in program.tokens():
                if kind == "amount":
                    amounts.add(f"{float(text):g}")
    return Vocabulary(
        (*TEXTS, *texts_needed(programs)), (*AMOUNTS, *sorted(amounts - set(AMOUNTS)))
    )


class Samples(Dataset):
    """Data set of augmented pairs, indexed by the unbounded numbers of `shuffled`: sample n
    is pair n % len, augmented with random numbers of n.
    """

    def __init__(
        self,
        pairs: Sequence[TrainingPair],
        vocabulary: Vocabulary,
        pieces: WordPieces,
        seed: int,
        plain: bool = False,
        word_dropout: float = 0.0,
    ) -> None:
        self.pairs, self.vocabulary, self.pieces, self.seed = pairs, vocabulary, pieces, seed
        self.plain, self.word_dropout = plain, word_dropout
        # candidates for an added sentence by scene; "": those of generated rooms
        self.others: dict[str, list[TrainingPair]] = {}
        for pair in () if plain else dict.fromkeys(pairs):
            if pair.table or pair.source == "room":
                others = self.others.setdefault(pair.table, [])
                for sort, program in pair.programs.items():
                    others.append(replace(pair, sort=sort, program=program, also=()))

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, number: int) -> Sample | None:
        """Return the sample; None if a text of the pair's program does not occur in its input."""
        pair = self.pairs[number % len(self.pairs)]
        random = rng(self.seed, "shown", number)
        for attempt in range(ATTEMPTS + 1):
            sampled = (
                pair
                if self.plain or attempt == ATTEMPTS
                else with_table(pair, random, self.others.get(pair.table, ()))
            )
            pieces = self.pieces(sampled.inputs)
            targets = {}
            for sort, call in sampled.calls().items():
                target = self.vocabulary.target(call, pieces, sort)
                if target is not None:
                    targets[sort] = target
            if sampled.sort in targets:
                pieces = self._dropped(pieces, list(targets.values()), random)
                return pieces, tuple(targets.items())
        return None

    def _dropped(
        self, pieces: EncodedInput, targets: Sequence[Target], random: np.random.Generator
    ) -> EncodedInput:
        """Replace random words of the sentences by the unknown token, except words that a program
        copies.
        """
        if self.plain or not self.word_dropout:
            return pieces
        ids = list(pieces.ids)
        for word, place in zip(pieces.words, pieces.places, strict=True):
            copied = any(
                first <= place <= last for target in targets for first, last in target.spans
            )
            if (
                SEGMENTS[word.segment] in SORTS
                and not copied
                and random.random() < self.word_dropout
            ):
                ids[place : place + len(word.pieces)] = [self.pieces.unknown] * len(word.pieces)
        return replace(pieces, ids=tuple(ids))


def mixed(
    sources: Mapping[str, Sequence[TrainingPair]], shares: Mapping[str, float]
) -> list[TrainingPair]:
    """Mix the sources approximately by `shares`: the source that is largest relative to its share
    occurs once, the others are repeated.
    """
    there = {name: pairs for name, pairs in sources.items() if pairs and shares[name]}
    size = max(len(pairs) / shares[name] for name, pairs in there.items())
    result: list[TrainingPair] = []
    for name, pairs in there.items():
        result += list(pairs) * max(1, round(size * shares[name] / len(pairs)))
    return result


def collate(samples: Sequence[Sample | None]) -> tuple[Tensor, ...]:
    """Return the arguments of `ReaderNetwork.forward`. Padding rows have no program and thus no
    loss.
    """
    pieces, targets_of = zip(*filter(None, samples))
    of, sorts, targets = [], [], []
    for number, of_sample in enumerate(targets_of):
        for sort, target in of_sample:
            of.append(number)
            sorts.append(sort)
            targets.append(target)
    empty = -len(targets) % ROUND_ROWS
    longest = _rounded(max(len(target.tokens) for target in targets), ROUND_TOKENS)
    program = np.full((len(targets) + empty, longest), -1, np.int64)
    spans = np.zeros((len(targets) + empty, longest, 2), np.int64)
    for row, target in enumerate(targets):
        program[row, : len(target.tokens)] = target.tokens
        spans[row, : len(target.spans)] = target.spans
    *unpadded, sort_of = batched(pieces, sorts + [SORTS[0]] * empty)
    width = unpadded[0].shape[1]
    pad = _rounded(width, ROUND_PIECES) - width
    inputs = [torch.nn.functional.pad(t, (0, pad)) for t in unpadded]
    rows_of = torch.tensor(of + [0] * empty)
    return (*inputs, sort_of, rows_of, torch.from_numpy(program), torch.from_numpy(spans))


def _rounded(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def exactly(network: torch.nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    """Return, for each row with a program, whether greedy decoding finds exactly this program,
    including its copied spans.
    """
    *inputs, program, spans = batch
    tokens, lengths, _, predicted = (t[:, 0] for t in network.beam(*inputs, 1))
    length = program.shape[1]
    there = program >= 0
    copying = network.types.copies[program.clamp(min=0)] & there
    same = (tokens[:, :length] == program) | ~there
    pointed = (predicted[:, :length] == spans).all(-1) | ~copying
    return ((same & pointed).all(1) & (lengths == there.sum(1)))[there.any(1)]
