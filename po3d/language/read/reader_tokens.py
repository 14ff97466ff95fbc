"""What the reader's network reads and writes: pieces of words in, tokens of programs out, and back.

    Asked ──► Pieces: word pieces of all texts and of the table's things ──► network ──► tokens and spans ──► Call

A leaf that is text (a name, a value) is a token of the closed list, or COPY with a span of words: of the sentence, or of what the
table has. So a thing never heard of can be named, and "fridge" becomes the table's "refrigerator". Above 400 lines: what is written has
to be read back, so both ways and their words stand together.
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
from po3d.language.program import ANSWERS, LEAVES, SIGNATURES, Call, ProgramError
from po3d.language.read.seq2seq import Language
from po3d.scene.rooms import COLORS, MATERIALS, PURPOSES, STATES
from po3d.scene.vocabulary import SHAPES, SUPER_CATEGORIES

Kind = Literal["room", "street", "photo", "orbit"]
Sort = Literal["question", "change", "frame"]
SORTS: tuple[Sort, ...] = ("question", "change", "frame")
STARTS = (ANSWERS, ("edit",), ("frame",))  # what a program of a sort gives
REFUSALS = ("none", "beyond")  # there is no answer, or no program, or the language can't say it
COPY = "text:"
# Texts are told apart by where they stand.
SEGMENTS = ("head", "change", "frame", "question", "option", "name", "look")
LONGEST_INPUT = 256  # pieces
LONGEST_SPAN = 6  # words of a copied text
MOST_NAMES = 20_000  # that are kept in memory
MOST_ALIKE = 2  # things of a table that are told alike and are written: more say nothing new
LONGEST_WORD = 100  # letters, as in the encoder's own tokenizer
FARTHEST = 24  # pieces from its first word to its last
LONGEST_PROGRAM = 96  # tokens
CLOSED_KINDS = ("size", "facing", "side", "purpose", "occlusion")  # attributes whose values are few
STREET_NAMES = {  # what the table of a street calls its shapes, where it isn't the shape's id
    "double": "double bus", "regular": "regular bus", "school": "school bus", "articulated": "articulated bus",
    "road": "road bike", "mountain": "mountain bike", "utility": "utility bike", "tandem": "tandem bike", "suv": "SUV",
}  # fmt: skip
TEXTS = (
    "object", *COLORS, "silver", "gold", "cyan", *MATERIALS, "wood", "rubber", *STATES, "lit", *PURPOSES, "large", "small",
    "occluded", "occluding", "unoccluded", "front", "behind", "back", "left", "right", "front_left", "front_right", "behind_left",
    "behind_right", "middle", "person",
    *(STREET_NAMES.get(shape, shape).lower() for shape in (*SHAPES, *SUPER_CATEGORIES, "hatchback")),
)  # fmt: skip
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
class Asked:
    """A question with all that it comes with. `things`: of the table at hand, each its name and the words for how it looks; none where no
    table is known yet."""

    question: str = ""
    change: str = ""
    frame: str = ""
    kind: Kind = "room"
    own: bool = False  # left and right are the named vehicle's
    options: tuple[str, ...] = ()
    things: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the things are called, each name once."""
        return tuple(dict.fromkeys(name for name, *_ in self.things))

    @property
    def entries(self) -> list[list[tuple[str, str]]]:
        """The things as they are written, those of a name together, which stands before the first: (segment, text) of each."""
        found = []
        for called in self.names:
            alike: dict[tuple[str, ...], int] = {}
            for name, *looks in self.things:
                said = tuple(looks)
                if name == called and alike.get(said, 0) < MOST_ALIKE:
                    first = [] if alike else [("name", name)]
                    found.append(first + [("look", look) for look in said])
                    alike[said] = alike.get(said, 0) + 1
        return found


class Word(NamedTuple):
    """A word of the input: its segment, its text's number among all texts, where it stands in that text, its pieces."""

    segment: int
    text: int
    start: int
    end: int
    pieces: tuple[int, ...]


@dataclass(frozen=True)
class Pieces:
    """The input of the network: pieces (T,), their segments, and of each word where its first piece is."""

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    words: tuple[Word, ...]
    places: tuple[int, ...]  # of each word
    texts: tuple[str, ...]

    def copied(self, first: int, last: int, one: bool) -> str:
        """The text from the word at one place to that at another; what is said of things in the singular, where it is `one`."""
        a, b = self._at[first], self._at[last]
        text = self.texts[a.text][a.start : b.end if a.text == b.text else a.end]
        if SEGMENTS[a.segment] in ("name", "look"):
            return text
        return in_singular(text.lower()) if one else text.lower()

    @property
    def whole(self) -> bool:
        """Whether the sentences stand in it: not where they are too long."""
        return any(SEGMENTS[word.segment] in SORTS for word in self.words)

    @cached_property
    def _at(self) -> dict[int, Word]:
        return dict(zip(self.places, self.words, strict=True))

    @cached_property
    def spans(self) -> dict[str, list[tuple[int, int, int]]]:
        """(segment, first place, last place) of all runs of words, by their text; of names and looks only whole ones."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        ends = {word.text: k for k, word in enumerate(self.words)}  # the last word of each text
        for k, first in enumerate(self.words):
            end, text = ends[first.text], self.texts[first.text]
            last = range(k, min(k + LONGEST_SPAN, end + 1))
            if SEGMENTS[first.segment] in ("name", "look"):
                last = last[end - k : end - k + 1] if first.start == 0 else range(0)
            for j in last:
                if self.places[j] - self.places[k] >= FARTHEST:
                    break
                said = text[first.start : self.words[j].end].lower()
                for form in {said, in_singular(said)}:
                    found.setdefault(form, []).append((first.segment, self.places[k], self.places[j]))
        return found


@lru_cache(50_000)
def in_singular(text: str) -> str:
    """The text with its last word in the singular."""
    head, _, last = text.rpartition(" ")
    return (
        f"{head} {singular(last)}".strip()
        if last.isalpha() and not last.endswith(("ss", "us", "is"))
        else text
    )


class WordPieces:
    """BERT's uncased word pieces, by the encoder's vocabulary."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.index = {piece: k for k, piece in enumerate(vocabulary)}
        self.known: dict[str, tuple[int, ...]] = {}
        self.named: dict[str, tuple[str, list[tuple[int, int, tuple[int, ...]]]]] = {}
        try:
            self.unknown, self.begin, self.part = (self.index[p] for p in ("[UNK]", "[CLS]", "[SEP]"))
        except KeyError as missing:
            raise InputError(f"the vocabulary lacks {missing}") from None

    @classmethod
    def from_file(cls, path: str | Path) -> "WordPieces":
        return cls(Path(path).read_text(encoding="utf-8").splitlines())

    def pieces(self, word: str) -> tuple[int, ...]:
        """The longest known piece from the left, again and again; unknown where there is none."""
        if word not in self.known:
            self.known[word] = self._cut(word)
        return self.known[word]

    def knows(self, text: str) -> bool:
        """Whether any of the text's words is one that the vocabulary has as a whole."""
        return any(len(ids) == 1 and ids != (self.unknown,) for *_, ids in self._parted(text)[1])

    def _cut(self, word: str) -> tuple[int, ...]:
        found: list[int] = []
        at = 0 if len(word) <= LONGEST_WORD else len(word)
        while at < len(word):
            for end in range(len(word), at, -1):
                if (piece := self.index.get(("##" if at else "") + word[at:end])) is not None:
                    found.append(piece)
                    at = end
                    break
            else:
                return (self.unknown,)
        return tuple(found) or (self.unknown,)

    def _parted(self, text: str) -> tuple[str, list[tuple[int, int, tuple[int, ...]]]]:
        """The cleaned text, and where its words stand in it, with their pieces."""
        clean = cleaned(text)
        return clean, [(m.start(), m.end(), self.pieces(m[0].lower())) for m in _WORD.finditer(clean)]

    def _read(self, text: str) -> tuple[str, list[tuple[int, int, tuple[int, ...]]]]:
        """The same for names, which come again and again."""
        if text not in self.named:
            if len(self.named) > MOST_NAMES:
                self.named.clear()
            self.named[text] = self._parted(text)
        return self.named[text]

    def _words(
        self, part: Sequence[tuple[str, str]]
    ) -> list[tuple[int, str, list[tuple[int, int, tuple[int, ...]]]]]:
        """The texts of a part of the input, each with its segment and its words."""
        read = [
            (name, (self._read if name in ("name", "look") else self._parted)(text)) for name, text in part
        ]
        return [(SEGMENTS.index(name), clean, cut) for name, (clean, cut) in read]

    def __call__(self, asked: Asked) -> Pieces:
        """The input of a question. Where it would be too long, things are names alone; what does not fit even so is left out, names last."""
        sentences = (
            ("head", f"{asked.kind} own" if asked.own else asked.kind), ("change", asked.change), ("frame", asked.frame),
            ("question", asked.question), *(("option", option) for option in asked.options),
        )  # fmt: skip
        said = [self._words([sentence]) for sentence in sentences if sentence[1]]
        parts = said + [self._words(entry) for entry in asked.entries]
        if 1 + sum(map(_length, parts)) > LONGEST_INPUT:
            parts = said + [self._words([("name", name)]) for name in asked.names]
        ids, segments, words, places = [self.begin], [0], [], []
        texts: list[str] = []
        for part in parts:
            if len(ids) + _length(part) > LONGEST_INPUT:
                continue
            last = SEGMENTS.index("look")  # of a thing of which nothing is told
            for segment, text, cut in part:
                for start, end, pieces in cut:
                    words.append(Word(segment, len(texts), start, end, pieces))
                    places.append(len(ids))
                    ids += pieces
                    segments += [segment] * len(pieces)
                texts.append(text)
                last = segment
            ids.append(self.part)
            segments.append(last)
        return Pieces(tuple(ids), tuple(segments), tuple(words), tuple(places), tuple(texts))


def _length(part: Sequence[tuple[int, str, list[tuple[int, int, tuple[int, ...]]]]]) -> int:
    """Pieces of a part of the input, with the one that ends it."""
    return 1 + sum(len(pieces) for _, _, cut in part for *_, pieces in cut)


_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


def cleaned(text: str) -> str:
    """The text with plain letters: wide ones narrowed, accents off, runs of space one space."""
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text)).replace("’", "'")
    return " ".join("".join(c for c in text if unicodedata.category(c) != "Mn").split())


class Target(NamedTuple):
    """A program as the network writes it: tokens in prefix order, and the places of the words that COPY stands for."""

    tokens: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of programs. An operation is a token for each of its signatures, a leaf one with its kind."""

    texts: tuple[str, ...] = TEXTS
    amounts: tuple[str, ...] = AMOUNTS
    tokens: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", self.language.tokens)

    @cached_property
    def language(self) -> Language:
        """For the type table: a program of each sort, or a refusal of it."""
        tokens = [
            (f"{op}({', '.join(s.inputs)})", s.inputs, s.output)
            for op, several in SIGNATURES.items()
            for s in several
        ]
        for kind, words in LEAVES.items():
            listed = words if isinstance(words, tuple) else self.texts if words is str else self.amounts
            tokens += [(f"{kind}:{word}", (), kind) for word in listed]
        tokens += [(COPY, (), "text"), *((refusal, (), "refusal") for refusal in REFUSALS)]
        names, inputs, outputs = zip(*tokens, strict=True)
        starts = tuple((*types, "refusal") for types in STARTS)
        return Language(names, inputs, outputs, starts, frozenset({COPY}))

    @cached_property
    def index(self) -> dict[str, int]:
        return {token: k for k, token in enumerate(self.tokens)}

    def target(self, program: Call | str, pieces: Pieces, sort: Sort) -> Target | None:
        """A program, or a refusal, for an input; None where one of its texts is nowhere to be found, or it is too long."""
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
                found = self._leaf(kind, arg, attribute, pieces, sort)
                if found is None:
                    return False
                tokens.append(found[0])
                spans.append(found[1])
            return True

        if not write(program) or len(tokens) > LONGEST_PROGRAM:
            return None
        return Target(tuple(tokens), tuple(spans))

    def _leaf(
        self, kind: str, arg: str | float, attribute: str, pieces: Pieces, sort: Sort
    ) -> tuple[int, tuple[int, int]] | None:
        """A leaf's token, and the span that it copies."""
        if kind != "text":
            token = self.index.get(f"{kind}:{arg:g}" if isinstance(arg, float | int) else f"{kind}:{arg}")
            return None if token is None else (token, (0, 0))
        said = cleaned(arg).lower()
        closed = self.index.get(f"text:{said}")
        naming = attribute in ("name", "shape")
        found = [s for s in pieces.spans.get(said, []) if pieces.copied(*s[1:], naming).lower() == said]
        if attribute in CLOSED_KINDS:
            return None if closed is None else (closed, (0, 0))
        listed = [s for s in found if SEGMENTS[s[0]] == ("name" if naming else "look")]
        if said == "object" or (not naming and closed is not None):
            return closed, (0, 0)
        here = [s for s in found if SEGMENTS[s[0]] == sort]
        spoken = [s for s in found if SEGMENTS[s[0]] in ("change", "frame", "question", "option")]
        if attribute == "shape" and not listed and closed is not None:
            return closed, (0, 0)
        for places in (listed, here, spoken):
            if places:
                return self.index[COPY], places[0][1:]
        return None if closed is None else (closed, (0, 0))

    def program(self, tokens: Sequence[int], spans: Sequence[tuple[int, int]], pieces: Pieces) -> Call | str:
        """What the network wrote: a program, or one of REFUSALS. ProgramError for what is none."""
        rest = iter(zip(tokens, spans, strict=True))
        first = self.tokens[tokens[0]] if tokens else ""
        if first in REFUSALS:
            return first

        def read(attribute: str) -> Call | str | float:
            token, span = next(rest, (None, None))
            if token is None:
                raise ProgramError("the program ends too early")
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
    """Which attribute's value a text among the arguments of an operation is; a phrase is none's."""
    if args and args[0] in LEAVES["attribute"]:
        return str(args[0])
    return "phrase" if op == "refer" else "name"


def texts_needed(programs: Iterable[tuple[Call, Pieces, Sort]], least: int = 2) -> tuple[str, ...]:
    """Texts of programs that no input shows and TEXTS lacks, said `least` times: what a vocabulary should have besides."""
    counts: dict[str, int] = {}
    plain = Vocabulary()
    for program, pieces, sort in programs:
        for call in program.calls():
            attribute = _attribute(call.op, call.args)
            for kind, arg in zip(call.signature.inputs, call.args, strict=True):
                if kind == "text" and plain._leaf(kind, arg, attribute, pieces, sort) is None:
                    counts[arg.lower()] = counts.get(arg.lower(), 0) + 1
    return tuple(sorted(text for text, n in counts.items() if n >= least))
