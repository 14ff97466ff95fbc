"""Training of the room parser: sentences for edits and questions of generated rooms, several
wordings each.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from torch.utils.data import Dataset

from po3d.io.pools import each
from po3d.io.seeding import rng
from po3d.language.english import plain
from po3d.language.programs.rooms import OPEN, RoomCall, call
from po3d.language.read.room_parser import ANYTHING, LANGUAGE, SORTS, UNKNOWN, RoomParser
from po3d.language.say.rooms import SpannedSentence, reworded, say_change, say_question
from po3d.reasoning.world import SceneGeometry
from po3d.scene.rooms import ANYTHING as ANY_NOUN
from po3d.synthesis.top_view.changes import TYPES, sample_change
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.questions import QUESTION_TYPES, AnsweredQuestionSampler
from po3d.training.parser import ParserExample, ParserModule, collate
from po3d.training.room_programs import RoomPrograms
from po3d.training.samplers import BatchStream, StreamData, length_stream

TOKEN_IDS = {token: k for k, token in enumerate(LANGUAGE.tokens)}
# fractions of names and of other words that training replaces by the unknown word
HIDE_NAME, HIDE_WORD = 0.15, 0.04
# Fractions of LOOSE words that are dropped, and of sentences with an inserted unknown word.
LOSE_WORD, NEW_WORD = 0.04, 0.12
LOOSE = frozenset(["the", "a", "an", "is", "been", "of", "there", "that", "which", "to", "it", "?"])
FREE = 8  # number of free questions after each change
# free questions refer to touched objects, and a removal leaves none
FREE_KIND = {"removal": "movement"}
MORE = 6  # number of everyday questions
FREE_CHANGES = 3  # number of free changes per change
MORE_CHANGES = 2  # number of everyday changes per change
TWO_CHANGES = 0.5  # probability of also combining the previous change and this one in one sentence
RARE = 2  # words with a lower count are mapped to the unknown word


class EncodedPair(NamedTuple):
    """A sentence and its program as token ids; spans hold the first and last word that each copying
    token refers to."""

    sort: int
    words: tuple[str, ...]
    program: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    text: str
    source: str  # the program's text


def encode(sentence: SpannedSentence, program: RoomCall, sort: str) -> EncodedPair | None:
    """Encode a sentence and its program; None if a name of the program is not in the sentence."""
    tokens, spans, leaf = [], [], 0
    for kind, text in program.tokens():
        span = (0, 0)
        if kind == "op":
            tokens.append(text)
        elif kind in OPEN:
            words, leaf = sentence.spans[leaf], leaf + 1
            if text in ANY_NOUN and kind == "name":
                tokens.append(ANYTHING)
            elif words is None:
                return None
            else:
                tokens.append(f"{kind}:")
                span = (words[0], words[1] - 1)
        else:
            tokens.append(f"{kind}:{text}")
        spans.append(span)
    return EncodedPair(
        SORTS.index(sort),
        sentence.words,
        tuple(map(TOKEN_IDS.__getitem__, tokens)),
        tuple(spans),
        sentence.text,
        program.text(),
    )


def pairs_of_room(index: int, seed: int, stage: str, wordings: int) -> list[EncodedPair]:
    """Return all sentences of one generated room: a change of each type and its questions, each in
    `wordings` wordings."""
    scene = sample_room(seed, index, stage)
    pairs: list[EncodedPair] = []
    previous = None
    for k, kind in enumerate(TYPES):
        random = rng(seed, f"{stage}-sentences-{k}", index)
        change = sample_change(scene, kind, random)
        if change is None:
            continue
        edit, planned = change
        programs = [("change", kind, edit)]
        asker = AnsweredQuestionSampler(SceneGeometry(planned.edited, scene), random)
        for fine in QUESTION_TYPES[kind]:
            if (question := asker.ask(fine)) is not None:
                programs.append(("question", kind, question[0]))
        free = RoomPrograms(asker.teller, random, "QUESTION").several(FREE)
        everyday = RoomPrograms(asker.teller, random, "REFERRING_QUESTION")
        if previous is not None and random.random() < TWO_CHANGES:
            programs.append(("change", kind, call("then", previous, edit)))
        previous = edit
        for _, question in free:
            programs.append(("question", FREE_KIND.get(kind, kind), question))
        for _, question in everyday.several(MORE):
            if _asks_after(kind, question):
                programs.append(("question", kind, question))
        for symbol, number in (("EDIT", FREE_CHANGES), ("REFERRING_EDIT", MORE_CHANGES)):
            for edited in RoomPrograms(asker.teller, random, symbol).several(number):
                programs.append(("change", *edited))
        for sort, sorted_as, program in programs:
            for _ in range(wordings * (2 if sort == "change" else 1)):
                spoken = reworded(program, random)
                sentence = (say_change if sort == "change" else say_question)(
                    spoken, sorted_as, random, loosely=True
                )
                if (pair := encode(sentence, spoken, sort)) is not None:
                    pairs.append(pair)
    return pairs


def _asks_after(kind: str, program: RoomCall) -> bool:
    """Return whether a question makes sense after a change of this type: removed objects must be
    referred to as gone."""
    ops = {part.op for part in program.calls()}
    if "was" in ops:
        return kind in ("removal", "replacement", "attribute") or program.op == "fits"
    return kind != "removal" or "touched" not in ops


def sentences(seed: int, stage: str, rooms: int, wordings: int, workers: int) -> list[EncodedPair]:
    """Return the pairs of rooms 0 .. rooms - 1; independent of the number of workers."""
    work = partial(pairs_of_room, seed=seed, stage=stage, wordings=wordings)
    return list(chain(*each(work, range(rooms), workers, "rooms", "room", together=8)))


@lru_cache(maxsize=2)
def vocabulary(seed: int = 0, rooms: int = 300) -> tuple[str, ...]:
    """Return the words of generated sentences; id 0 is padding, 1 the unknown word."""
    counts: Counter[str] = Counter()
    for pair in sentences(seed, "vocabulary", rooms, 1, 1):
        counts.update(map(plain, pair.words))
    return ("", "<unknown>", *sorted(w for w, n in counts.items() if n >= RARE))


class RoomParserData(StreamData):
    """Batches of `ParserExample`s, grouped by program length."""

    collate = staticmethod(collate)

    kind = RoomParser.kind

    def __init__(
        self,
        seed: int = 0,
        rooms: int = 2000,
        wordings: int = 3,
        batch: int = 128,
        validation: int = 60,
        workers: int = 2,
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.train: list[EncodedPair] = []

    def setup(self, stage: str | None = None) -> None:
        if self.train:
            return
        h = self.hparams
        self.train = sentences(h.seed, "train", h.rooms, h.wordings, h.workers)
        self.index = {word: k for k, word in enumerate(vocabulary(h.seed))}
        held_out = sentences(h.seed, "validation", h.validation, 1, h.workers)
        self.validation = [example(pair, ids(pair, self.index)) for pair in held_out]

    def train_samples(self) -> Dataset:
        return _Hiding(self.train, self.index, self.hparams.seed)

    def train_stream(self) -> BatchStream:
        h = self.hparams
        return length_stream([len(p.program) for p in self.train], h.seed, h.batch, **self.place())


def ids(pair: EncodedPair, index: dict[str, int]) -> list[int]:
    return [index.get(plain(word), UNKNOWN) for word in pair.words]


def example(pair: EncodedPair, words: Sequence[int]) -> ParserExample:
    return ParserExample(words, pair.program, pair.sort, pair.spans)


class _Hiding(Dataset):
    """Pairs with random words replaced by the unknown word, differently in every epoch; indexed by
    the numbers of `samplers.shuffled`."""

    def __init__(self, pairs: list[EncodedPair], index: dict[str, int], seed: int) -> None:
        self.pairs, self.index, self.seed = pairs, index, seed

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, number: int) -> ParserExample:
        pair = self.pairs[number % len(self.pairs)]
        random = rng(self.seed, "hide", number)
        words = ids(pair, self.index)
        hidden = np.flatnonzero(random.random(len(words)) < HIDE_WORD).tolist()
        for token, (first, last) in zip(pair.program, pair.spans):
            if LANGUAGE.tokens[token] == "name:" and random.random() < HIDE_NAME:
                hidden += range(first, last + 1)
        for k in hidden:
            words[k] = UNKNOWN
        return self._edited(pair, words, random)

    def _edited(
        self, pair: EncodedPair, words: list[int], random: np.random.Generator
    ) -> ParserExample:
        """Drop some LOOSE words and insert an unknown word, to imitate hasty typing."""
        spans = np.reshape(pair.spans, (-1, 2)).astype(int)
        fixed = np.zeros(len(words), bool)
        for first, last in spans:
            fixed[first : last + 1] = True
        if len(words) == 1:
            fixed[0] = True
        loose = np.array([word in LOOSE for word in pair.words], bool)
        retained = fixed | ~loose | (random.random(len(words)) >= LOSE_WORD)
        words = np.array(words)[retained].tolist()
        spans = (np.cumsum(retained) - 1)[spans]
        if random.random() < NEW_WORD:
            at = int(random.integers(len(words) + 1))
            if not ((spans[:, 0] < at) & (at <= spans[:, 1])).any():
                spans += spans >= at
                words.insert(at, UNKNOWN)
        return ParserExample(words, pair.program, pair.sort, tuple(map(tuple, spans.tolist())))


class RoomParserModule(ParserModule):
    """`ParserModule` with the room parser's network and vocabulary."""

    parser = RoomParser

    def words(self) -> tuple[str, ...]:
        return vocabulary(self.hparams.seed)
