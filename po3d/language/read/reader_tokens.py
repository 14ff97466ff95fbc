"""Convert questions to the general parser's input: word pieces with their segments.

ParserInput ──► EncodedInput ──► network ──► tokens and spans ──► Call  (`reader_vocabulary`)
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, repeat
from pathlib import Path
from typing import Literal, NamedTuple

from po3d.io.errors import InputError
from po3d.language.english import singular

Kind = Literal["room", "street", "photo", "orbit"]
Sort = Literal["question", "change", "frame"]
SORTS: tuple[Sort, ...] = ("question", "change", "frame")
# Segment embeddings distinguish the parts of the input.
SEGMENTS = ("head", "change", "frame", "question", "option", "name", "look")
LONGEST_INPUT = 256  # word pieces
LONGEST_SPAN = 6  # words of a copied text
MOST_NAMES = 20_000  # size of the cache of tokenised names
MOST_ALIKE = 2  # objects of equal name and attributes in the input; more add no information
LONGEST_WORD = 100  # letters, as in the encoder's own tokenizer
FARTHEST = 24  # word pieces from the first to the last word of a span
STREET_NAMES = {  # names of street shapes in scenes, if different from the shape's id
    "double": "double bus",
    "regular": "regular bus",
    "school": "school bus",
    "articulated": "articulated bus",
    "road": "road bike",
    "mountain": "mountain bike",
    "utility": "utility bike",
    "tandem": "tandem bike",
    "suv": "SUV",
}


@dataclass(frozen=True)
class ParserInput:
    """A question with its context, the input of the parser.

    `things`: for each object of the scene, its name and the words for its attributes; () if no
    scene is known.
    """

    question: str = ""
    change: str = ""
    frame: str = ""
    kind: Kind = "room"
    own: bool = False  # left and right are in the named vehicle's frame
    options: tuple[str, ...] = ()
    things: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the distinct names of the objects."""
        return tuple(dict.fromkeys(name for name, *_ in self.things))

    @property
    def entries(self) -> list[list[tuple[str, str]]]:
        """Return the objects as parts of the input: lists of (segment, text).

        Objects are grouped by name; the name is written only before the first of a group.
        """
        entries = []
        for name_words in self.names:
            alike: dict[tuple[str, ...], int] = {}
            for name, *looks in self.things:
                looks_text = tuple(looks)
                if name == name_words and alike.get(looks_text, 0) < MOST_ALIKE:
                    first = [] if alike else [("name", name)]
                    entries.append([*first, *zip(repeat("look"), looks)])
                    alike[looks_text] = alike.get(looks_text, 0) + 1
        return entries


class InputWord(NamedTuple):
    """A word of the input: segment, index of its text, position in that text, word pieces."""

    segment: int
    text: int
    start: int
    end: int
    pieces: tuple[int, ...]


@dataclass(frozen=True)
class EncodedInput:
    """The network's input: word pieces (T,), their segments, and the start of each word."""

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    words: tuple[InputWord, ...]
    places: tuple[int, ...]  # of each word
    texts: tuple[str, ...]

    def copied(self, first: int, last: int, singular: bool) -> str:
        """Return the input's text from the word at position `first` to the word at `last`.

        Names and attribute values are copied verbatim; other text is converted to lower case, and
        to the singular if `singular`.
        """
        a, b = self._at[first], self._at[last]
        text = self.texts[a.text][a.start : b.end if a.text == b.text else a.end]
        if SEGMENTS[a.segment] in ("name", "look"):
            return text
        return in_singular(text.lower()) if singular else text.lower()

    @property
    def whole(self) -> bool:
        """Return whether the sentences are included (false if they were too long)."""
        return any(SEGMENTS[word.segment] in SORTS for word in self.words)

    @cached_property
    def _at(self) -> dict[int, InputWord]:
        return dict(zip(self.places, self.words, strict=True))

    @cached_property
    def spans(self) -> dict[str, list[tuple[int, int, int]]]:
        """Return (segment, first place, last place) of all word spans, by text.

        Names and attributes are not split into shorter spans.
        """
        spans: dict[str, list[tuple[int, int, int]]] = {}
        # index of the last word of each text
        ends = {word.text: k for k, word in enumerate(self.words)}
        for k, first in enumerate(self.words):
            end, text = ends[first.text], self.texts[first.text]
            last = range(k, min(k + LONGEST_SPAN, end + 1))
            if SEGMENTS[first.segment] in ("name", "look"):
                last = last[end - k : end - k + 1] if first.start == 0 else range(0)
            for j in last:
                if self.places[j] - self.places[k] >= FARTHEST:
                    break
                phrase = text[first.start : self.words[j].end].lower()
                for form in {phrase, in_singular(phrase)}:
                    spans.setdefault(form, []).append(
                        (first.segment, self.places[k], self.places[j])
                    )
        return spans


@lru_cache(50_000)
def in_singular(text: str) -> str:
    """Return the text with its last word in the singular."""
    head, _, last = text.rpartition(" ")
    return (
        f"{head} {singular(last)}".strip()
        if last.isalpha() and not last.endswith(("ss", "us", "is"))
        else text
    )


class WordPieces:
    """BERT's uncased WordPiece tokenizer with the encoder's vocabulary."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.index = {piece: k for k, piece in enumerate(vocabulary)}
        self.known: dict[str, tuple[int, ...]] = {}
        self.named: dict[str, tuple[str, list[tuple[int, int, tuple[int, ...]]]]] = {}
        try:
            self.unknown, self.begin = self.index["[UNK]"], self.index["[CLS]"]
            self.part = self.index["[SEP]"]
        except KeyError as missing:
            raise InputError(f"the vocabulary lacks {missing}") from None

    @classmethod
    def from_file(cls, path: str | Path) -> "WordPieces":
        return cls(Path(path).read_text(encoding="utf-8").splitlines())

    def pieces(self, word: str) -> tuple[int, ...]:
        """Split a word greedily into the longest known pieces; [UNK] if that fails."""
        if word not in self.known:
            self.known[word] = self._cut(word)
        return self.known[word]

    def knows(self, text: str) -> bool:
        """Return whether any word of the text is a single piece of the vocabulary."""
        return any(len(ids) == 1 and ids != (self.unknown,) for *_, ids in self._parted(text)[1])

    def _cut(self, word: str) -> tuple[int, ...]:
        pieces: list[int] = []
        at = 0 if len(word) <= LONGEST_WORD else len(word)
        while at < len(word):
            for end in range(len(word), at, -1):
                if (piece := self.index.get(("##" if at else "") + word[at:end])) is not None:
                    pieces.append(piece)
                    at = end
                    break
            else:
                return (self.unknown,)
        return tuple(pieces) or (self.unknown,)

    def _parted(self, text: str) -> tuple[str, list[tuple[int, int, tuple[int, ...]]]]:
        """Return the cleaned text, and (start, end, pieces) of its words."""
        clean = cleaned(text)
        words = [(*m.span(), self.pieces(m[0].lower())) for m in _WORD.finditer(clean)]
        return clean, words

    def _read(self, text: str) -> tuple[str, list[tuple[int, int, tuple[int, ...]]]]:
        """Return a name or attribute value cleaned, and (start, end, pieces) of its words; cached,
        because names recur."""
        if text not in self.named:
            if len(self.named) > MOST_NAMES:
                self.named.clear()
            self.named[text] = self._parted(text)
        return self.named[text]

    def _words(
        self, part: Sequence[tuple[str, str]]
    ) -> list[tuple[int, str, list[tuple[int, int, tuple[int, ...]]]]]:
        """Tokenise the named texts of one part of the input. Return, for each text, the number of
        its segment, the cleaned text, and its words with their tokens."""
        words = []
        for name, text in part:
            read = self._read if name in ("name", "look") else self._parted
            words.append((SEGMENTS.index(name), *read(text)))
        return words

    def __call__(self, inputs: ParserInput) -> EncodedInput:
        """Build the network's input.

        If it would be too long, objects are given by names alone; parts that still do not fit are
        left out, names last.
        """
        sentences = (
            ("head", f"{inputs.kind} own" if inputs.own else inputs.kind),
            ("change", inputs.change),
            ("frame", inputs.frame),
            ("question", inputs.question),
            *zip(repeat("option"), inputs.options),
        )
        sentence_words = [self._words([sentence]) for sentence in sentences if sentence[1]]
        parts = sentence_words + list(map(self._words, inputs.entries))
        if 1 + sum(map(_length, parts)) > LONGEST_INPUT:
            parts = sentence_words + [self._words((("name", name),)) for name in inputs.names]
        ids, segments, words, places = [self.begin], [0], [], []
        texts: list[str] = []
        for part in parts:
            if len(ids) + _length(part) > LONGEST_INPUT:
                continue
            last = SEGMENTS.index("look")  # for an object without attributes
            for segment, text, cut in part:
                for start, end, pieces in cut:
                    words.append(InputWord(segment, len(texts), start, end, pieces))
                    places.append(len(ids))
                    ids += pieces
                    segments += [segment] * len(pieces)
                texts.append(text)
                last = segment
            ids.append(self.part)
            segments.append(last)
        return EncodedInput(tuple(ids), tuple(segments), tuple(words), tuple(places), tuple(texts))


def _length(part: Sequence[tuple[int, str, list[tuple[int, int, tuple[int, ...]]]]]) -> int:
    """Return the number of pieces of a part, including its separator."""
    words = chain.from_iterable(cut for _, _, cut in part)
    return 1 + sum(len(pieces) for _, _, pieces in words)


_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


def cleaned(text: str) -> str:
    """Normalise text: compatibility forms, no accents, single spaces."""
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text)).replace("’", "'")
    return " ".join("".join(c for c in text if unicodedata.category(c) != "Mn").split())
