"""Convert questions to the general parser's input, and programs to and from its output tokens.

    ParserInput ──► EncodedInput (word pieces) ──► network ──► tokens and spans ──► Call

A text leaf (a name, a value) is a token of the closed list, or COPY with a span of words of the
sentence or of the scene's objects. So objects of unseen categories can be named, and "fridge"
becomes the scene's "refrigerator". Encoding and decoding are in one file because they must be
inverse to each other.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from po3d.io.errors import InputError
from po3d.language.english import singular
from po3d.language.program import ANSWERS, LEAVES, SIGNATURES, UNTRAINED, Call, ProgramError
from po3d.language.read.seq2seq import TokenLanguage
from po3d.scene.rooms import COLORS, MATERIALS, PURPOSES, STATES
from po3d.scene.vocabulary import SHAPES, SUPER_CATEGORIES

Kind = Literal["room", "street", "photo", "orbit"]
Sort = Literal["question", "change", "frame"]
SORTS: tuple[Sort, ...] = ("question", "change", "frame")
STARTS = (ANSWERS, ("edit",), ("frame",))  # output types of the programs of each sort
# "none": no answer exists; "beyond": the language cannot express the question
REFUSALS = ("none", "beyond")
COPY = "text:"
# Segment embeddings distinguish the parts of the input.
SEGMENTS = ("head", "change", "frame", "question", "option", "name", "look")
LONGEST_INPUT = 256  # word pieces
LONGEST_SPAN = 6  # words of a copied text
MOST_NAMES = 20_000  # size of the cache of tokenised names
MOST_ALIKE = 2  # objects of equal name and attributes in the input; more add no information
LONGEST_WORD = 100  # letters, as in the encoder's own tokenizer
FARTHEST = 24  # word pieces from the first to the last word of a span
LONGEST_PROGRAM = 96  # tokens
CLOSED_KINDS = ("size", "facing", "side", "purpose", "occlusion")  # attributes with few values
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
TEXTS = (
    "object",
    *COLORS,
    "silver",
    "gold",
    "cyan",
    *MATERIALS,
    "wood",
    "rubber",
    *STATES,
    "lit",
    *PURPOSES,
    "large",
    "small",
    "occluded",
    "occluding",
    "unoccluded",
    "front",
    "behind",
    "back",
    "left",
    "right",
    "front_left",
    "front_right",
    "behind_left",
    "behind_right",
    "middle",
    "person",
    *(
        STREET_NAMES.get(shape, shape).lower()
        for shape in (*SHAPES, *SUPER_CATEGORIES, "hatchback")
    ),
)
AMOUNTS = (
    *map(str, range(25)),
    "0.3",
    "0.5",
    "0.6",
    "0.9",
    "1.5",
    "2.5",
    "30",
    "45",
    "60",
    "90",
    "135",
    "180",
    "225",
    "270",
    "315",
)


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
                    entries.append(first + [("look", look) for look in looks_text])
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
            self.unknown, self.begin, self.part = (
                self.index[p] for p in ("[UNK]", "[CLS]", "[SEP]")
            )
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
        return clean, [
            (m.start(), m.end(), self.pieces(m[0].lower())) for m in _WORD.finditer(clean)
        ]

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
        read = [
            (name, (self._read if name in ("name", "look") else self._parted)(text))
            for name, text in part
        ]
        return [(SEGMENTS.index(name), clean, cut) for name, (clean, cut) in read]

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
            *(("option", option) for option in inputs.options),
        )
        sentence_words = [self._words([sentence]) for sentence in sentences if sentence[1]]
        parts = sentence_words + [self._words(entry) for entry in inputs.entries]
        if 1 + sum(map(_length, parts)) > LONGEST_INPUT:
            parts = sentence_words + [self._words([("name", name)]) for name in inputs.names]
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
    return 1 + sum(len(pieces) for _, _, cut in part for *_, pieces in cut)


_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


def cleaned(text: str) -> str:
    """Normalise text: compatibility forms, no accents, single spaces."""
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text)).replace("’", "'")
    return " ".join("".join(c for c in text if unicodedata.category(c) != "Mn").split())


class Target(NamedTuple):
    """A program as network output: tokens in prefix order, and spans of the COPY tokens."""

    tokens: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Vocabulary:
    """The output tokens: one per signature of an operation, and one per leaf with its kind."""

    texts: tuple[str, ...] = TEXTS
    amounts: tuple[str, ...] = AMOUNTS
    tokens: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", self.language.tokens)

    @cached_property
    def language(self) -> TokenLanguage:
        """Return the token language for the type table: programs or refusals of each sort."""
        tokens = [
            (f"{op}({', '.join(s.inputs)})", s.inputs, s.output)
            for op, signatures in SIGNATURES.items()
            for s in signatures
        ]
        for kind, words in LEAVES.items():
            listed = (
                words if isinstance(words, tuple) else self.texts if words is str else self.amounts
            )
            trained = [word for word in listed if (kind, word) not in UNTRAINED]
            tokens += [(f"{kind}:{word}", (), kind) for word in trained]
        tokens += [(COPY, (), "text"), *((refusal, (), "refusal") for refusal in REFUSALS)]
        names, inputs, outputs = zip(*tokens, strict=True)
        starts = tuple((*types, "refusal") for types in STARTS)
        return TokenLanguage(names, inputs, outputs, starts, frozenset({COPY}))

    @cached_property
    def index(self) -> dict[str, int]:
        return {token: k for k, token in enumerate(self.tokens)}

    def target(self, program: Call | str, pieces: EncodedInput, sort: Sort) -> Target | None:
        """Encode a program or a refusal as target tokens.

        Return None if one of its texts does not occur in the input or vocabulary, or if it is too
        long.
        """
        if isinstance(program, str):
            return Target((self.index[program],), ((0, 0),))
        tokens: list[int] = []
        spans: list[tuple[int, int]] = []

        def write(call: Call) -> bool:
            tokens.append(self.index[f"{call.op}({', '.join(call.signature.inputs)})"])
            spans.append((0, 0))
            attribute = _attribute(call.op, call.args)
            for kind, arg in zip(call.signature.inputs, call.args, strict=True):
                if isinstance(arg, Call):
                    if not write(arg):
                        return False
                    continue
                leaf = self._leaf(kind, arg, attribute, pieces, sort)
                if leaf is None:
                    return False
                tokens.append(leaf[0])
                spans.append(leaf[1])
            return True

        if not write(program) or len(tokens) > LONGEST_PROGRAM:
            return None
        return Target(tuple(tokens), tuple(spans))

    def _leaf(
        self, kind: str, arg: str | float, attribute: str, pieces: EncodedInput, sort: Sort
    ) -> tuple[int, tuple[int, int]] | None:
        """Return a leaf's token and the span that it copies; None if it cannot be written."""
        if kind != "text":
            token = self.index.get(
                f"{kind}:{arg:g}" if isinstance(arg, float | int) else f"{kind}:{arg}"
            )
            return None if token is None else (token, (0, 0))
        text = cleaned(arg).lower()
        closed = self.index.get(f"text:{text}")
        naming = attribute in ("name", "shape")
        spans = [
            s for s in pieces.spans.get(text, []) if pieces.copied(*s[1:], naming).lower() == text
        ]
        if attribute in CLOSED_KINDS:
            return None if closed is None else (closed, (0, 0))
        listed = [s for s in spans if SEGMENTS[s[0]] == ("name" if naming else "look")]
        if text == "object" or (not naming and closed is not None):
            return closed, (0, 0)
        here = [s for s in spans if SEGMENTS[s[0]] == sort]
        spoken = [s for s in spans if SEGMENTS[s[0]] in ("change", "frame", "question", "option")]
        if attribute == "shape" and not listed and closed is not None:
            return closed, (0, 0)
        for places in (listed, here, spoken):
            if places:
                return self.index[COPY], places[0][1:]
        return None if closed is None else (closed, (0, 0))

    def program(
        self, tokens: Sequence[int], spans: Sequence[tuple[int, int]], pieces: EncodedInput
    ) -> Call | str:
        """Decode the network's output to a program or refusal; raise ProgramError if invalid."""
        rest = iter(zip(tokens, spans, strict=True))
        first = self.tokens[tokens[0]] if tokens else ""
        if first in REFUSALS:
            return first

        def read(attribute: str) -> Call | str | float:
            token, span = next(rest, (None, None))
            if token is None:
                raise ProgramError("the program is incomplete")
            kind, colon, word = (name := self.tokens[token]).partition(":")
            if not colon:
                inputs = [kind for kind in name.partition("(")[2].rstrip(")").split(", ") if kind]
                op, args = name.partition("(")[0], []
                for _ in inputs:
                    args.append(read(_attribute(op, args)))
                return Call(op, tuple(args))
            if name == COPY:
                return pieces.copied(*span, attribute in ("name", "shape"))
            return float(word) if kind == "amount" else word

        return read("name")


def _attribute(op: str, args: Sequence[Call | str | float]) -> str:
    """Return the attribute whose value a text argument of an operation is, "phrase" for `refer`."""
    if args and args[0] in LEAVES["attribute"]:
        return str(args[0])
    return "phrase" if op == "refer" else "name"


def texts_needed(
    programs: Iterable[tuple[Call, EncodedInput, Sort]], least: int = 2
) -> tuple[str, ...]:
    """Return texts of programs that should be added to the vocabulary.

    They are used at least `least` times, and neither the inputs nor TEXTS contain them.
    """
    counts: dict[str, int] = {}
    plain = Vocabulary()
    for program, pieces, sort in programs:
        for call in program.calls():
            attribute = _attribute(call.op, call.args)
            for kind, arg in zip(call.signature.inputs, call.args, strict=True):
                if kind == "text" and plain._leaf(kind, arg, attribute, pieces, sort) is None:
                    counts[arg.lower()] = counts.get(arg.lower(), 0) + 1
    return tuple(sorted(text for text, n in counts.items() if n >= least))
