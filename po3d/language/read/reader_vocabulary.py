"""The general parser's output: programs as tokens, and spans copied from the input.

A text leaf (a name, a value) is a token of the closed list, or COPY with a span of words of the
sentence or of the scene's objects. So objects of unseen categories can be named, and "fridge"
becomes the scene's "refrigerator".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import NamedTuple

from po3d.language.program import ANSWERS, LEAVES, SIGNATURES, UNTRAINED, Call, ProgramError
from po3d.language.read.reader_tokens import SEGMENTS, STREET_NAMES, EncodedInput, Sort, cleaned
from po3d.language.read.type_table import TokenLanguage
from po3d.scene.rooms import COLORS, MATERIALS, PURPOSES, STATES
from po3d.scene.vocabulary import SHAPES, SUPER_CATEGORIES

STARTS = (ANSWERS, ("edit",), ("frame",))  # output types of the programs of each sort
# "none": no answer exists; "beyond": the language cannot express the question
REFUSALS = ("none", "beyond")
COPY = "text:"
LONGEST_PROGRAM = 96  # tokens
CLOSED_KINDS = ("size", "facing", "side", "purpose", "occlusion")  # attributes with few values
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
    *(STREET_NAMES.get(s, s).lower() for s in (*SHAPES, *SUPER_CATEGORIES, "hatchback")),
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
        tokens = []
        for op, signatures in SIGNATURES.items():
            for inputs, output in signatures:
                if not any(map(_untrained, inputs)):
                    tokens.append((f"{op}({', '.join(inputs)})", inputs, output))
        for kind, words in LEAVES.items():
            listed = (
                words if isinstance(words, tuple) else self.texts if words is str else self.amounts
            )
            trained = [word for word in listed if (kind, word) not in UNTRAINED]
            tokens += [(f"{kind}:{word}", (), kind) for word in trained]
        tokens += [(COPY, (), "text"), *zip(REFUSALS, repeat(()), repeat("refusal"))]
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
        if attribute in CLOSED_KINDS:
            return None if closed is None else (closed, (0, 0))
        if text == "object" or (not naming and closed is not None):
            return closed, (0, 0)
        first: dict[str, tuple[int, int]] = {}  # first span of each segment
        for segment, *span in pieces.spans.get(text, ()):
            if pieces.copied(*span, naming).lower() == text:
                first.setdefault(SEGMENTS[segment], tuple(span))
        scene = "name" if naming else "look"
        if attribute == "shape" and scene not in first and closed is not None:
            return closed, (0, 0)
        # the scene's objects, this sentence, then the other sentences in their order
        for segment in (scene, sort, *first):
            if segment in first and segment not in ("head", "look" if naming else "name"):
                return self.index[COPY], first[segment]
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
                op, _, inputs = name.rstrip(")").partition("(")
                args: list[Call | str | float] = []
                for _ in filter(None, inputs.split(", ")):
                    args.append(read(_attribute(op, args)))
                return Call(op, tuple(args))
            if name == COPY:
                return pieces.copied(*span, attribute in ("name", "shape"))
            return float(word) if kind == "amount" else word

        return read("name")


def _untrained(kind: str) -> bool:
    """Return whether the network has no output class for any leaf of a kind."""
    words = LEAVES.get(kind)
    return isinstance(words, tuple) and UNTRAINED.issuperset(zip(repeat(kind), words))


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
