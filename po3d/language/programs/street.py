"""The typed program language: one signature table, read by the checker, the executor, the generators and the parser.

A program is a sequence of steps in execution order; the last step is the answer. Names of colours, shapes and
directions are arguments, never operations, so new vocabulary is data. Three spellings of one program:

* steps    (Step("scene"), Step("filter", ("color", "red"), (0,)), Step("count", (), (1,)))
* text     count(filter[color=red](scene))
* tokens   ["count", "filter[color=red]", "scene"]     prefix order, what the parser writes
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from po3d.scene.vocabulary import (
    COLORS,
    DIRECTIONS,
    FACINGS,
    MATERIALS,
    SHAPES,
    SIZES,
    SUPER_CATEGORIES,
    UNSEEN_SHAPES,
)

# Values a program can name, by attribute. A shape may be a leaf ("sedan") or a super-category ("car").
FILTER_VALUES: dict[str, tuple[str, ...]] = {
    "shape": (*SHAPES, *SUPER_CATEGORIES, *UNSEEN_SHAPES),
    "color": COLORS,
    "size": SIZES,
    "material": MATERIALS,
    "facing": FACINGS,
    "occlusion": ("occluded", "occluding", "unoccluded"),
}
QUERY_ATTRIBUTES = ("shape", "color", "size", "material", "facing")
SAME_ATTRIBUTES = ("shape", "color", "size", "material")
# "task": the words do not say whose left it is; the executor's task decides (2d: the camera's, 6d: the object's own).
FRAMES = ("task", "camera", "object")
ALIGNMENTS = ("same", "opposite", "vertical", "parallel")  # parallel = same or opposite
TRAVELS = ("forward", "backward")


class Signature(NamedTuple):
    """inputs -> output, and the tuples of arguments that the operation takes."""

    inputs: tuple[str, ...]
    output: str
    arguments: tuple[tuple[str, ...], ...]


def _signatures() -> dict[str, Signature]:
    none = ((),)
    attributes = tuple((a,) for a in QUERY_ATTRIBUTES)
    table = {
        "scene": Signature((), "set", none),
        "filter": Signature(
            ("set",), "set", tuple((a, v) for a, values in FILTER_VALUES.items() for v in values)
        ),
        "unique": Signature(("set",), "object", none),
        "relate": Signature(("object",), "set", tuple((d, f) for d in DIRECTIONS for f in FRAMES)),
        "same": Signature(("object",), "set", tuple((a,) for a in SAME_ATTRIBUTES)),
        "aligned": Signature(("object",), "set", tuple((a,) for a in ALIGNMENTS)),
        "occludees": Signature(
            ("object",), "set", none
        ),  # what the object hides (it is their dominant occluder)
        "occluder": Signature(("object",), "set", none),  # what hides the object: none or one
        "collide": Signature(("object",), "set", tuple((t,) for t in TRAVELS)),
        "union": Signature(("set", "set"), "set", none),
        "intersect": Signature(("set", "set"), "set", none),
        "count": Signature(("set",), "integer", none),
        "exist": Signature(("set",), "boolean", none),
        "query": Signature(("object",), "{0}", attributes),
        "equal": Signature(("{0}", "{0}"), "boolean", attributes),
        "equal_integer": Signature(("integer", "integer"), "boolean", none),
        "less_than": Signature(("integer", "integer"), "boolean", none),
        "greater_than": Signature(("integer", "integer"), "boolean", none),
    }
    return table


SIGNATURES: dict[str, Signature] = _signatures()
ANSWER_TYPES = ("integer", "boolean", *QUERY_ATTRIBUTES)


class ProgramError(ValueError):
    """A text, token list or step list that is no well-typed program."""


@dataclass(frozen=True)
class Step:
    """One operation with its arguments; `inputs` are indices of earlier steps."""

    op: str
    args: tuple[str, ...] = ()
    inputs: tuple[int, ...] = ()

    @property
    def token(self) -> str:
        """The step without its inputs, as the parser writes it: filter[color=red], relate[left,task], count."""
        if not self.args:
            return self.op
        return f"{self.op}[{'='.join(self.args) if self.op == 'filter' else ','.join(self.args)}]"

    @property
    def types(self) -> tuple[tuple[str, ...], str]:
        """(input types, output type) with the argument filled in: query[color] gives "color"."""
        return token_types(self.token)


class TokenTypes(NamedTuple):
    inputs: tuple[str, ...]
    output: str


def _token_table() -> dict[str, tuple[str, tuple[str, ...], TokenTypes]]:
    table = {}
    for op, signature in SIGNATURES.items():
        for args in signature.arguments:
            types = TokenTypes(
                tuple(t.format(*args) for t in signature.inputs), signature.output.format(*args)
            )
            table[Step(op, args).token] = (op, args, types)
    return table


_TOKENS = _token_table()
# Every token that the parser's network has a class for, in a fixed order.
TOKENS: tuple[str, ...] = tuple(t for t in _TOKENS if t not in {f"filter[shape={s}]" for s in UNSEEN_SHAPES})


def token_types(token: str) -> TokenTypes:
    """Input and output types of a token; ProgramError for one that is not in the language."""
    try:
        return _TOKENS[token][2]
    except KeyError:
        op = token.split("[")[0]
        if op in SIGNATURES:
            raise ProgramError(f"{op} does not take the argument of {token!r}") from None
        raise ProgramError(f"unknown operation {token!r}; known: {', '.join(SIGNATURES)}") from None


@dataclass(frozen=True)
class Program:
    """A well-typed program; construction checks it."""

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not self.steps:
            raise ProgramError("an empty program")
        outputs: list[str] = []
        used: list[int] = []
        for k, step in enumerate(self.steps):
            types = token_types(step.token)
            if any(not 0 <= i < k for i in step.inputs):
                raise ProgramError(f"step {k} {step.token}: its inputs {step.inputs} are not earlier steps")
            got = tuple(outputs[i] for i in step.inputs)
            if got != types.inputs:
                raise ProgramError(f"step {k} {step.token}: takes {types.inputs}, got {got}")
            outputs.append(types.output)
            used += step.inputs
        if sorted(used) != list(range(len(self.steps) - 1)):
            raise ProgramError("every step but the last must be used exactly once")
        if outputs[-1] not in ANSWER_TYPES:
            raise ProgramError(
                f"the last step {self.steps[-1].token} gives a {outputs[-1]}, which is no answer"
            )

    @property
    def answer_type(self) -> str:
        """integer, boolean, or the attribute whose value is asked."""
        return self.steps[-1].types[1]

    def tokens(self) -> list[str]:
        """Prefix order: every token before its inputs, the first input first."""
        return [self.steps[k].token for k in self._prefix(len(self.steps) - 1)]

    def _prefix(self, k: int) -> Iterator[int]:
        yield k
        for i in self.steps[k].inputs:
            yield from self._prefix(i)

    def text(self) -> str:
        """count(filter[color=red](scene)); `parse_text` reads it back."""

        def spell(k: int) -> str:
            step = self.steps[k]
            return step.token + (f"({', '.join(spell(i) for i in step.inputs)})" if step.inputs else "")

        return spell(len(self.steps) - 1)

    def __str__(self) -> str:
        return self.text()


def from_tokens(tokens: Sequence[str]) -> Program:
    """The program of a prefix token list; steps come in execution order, depth first."""
    steps: list[Step] = []
    position = 0

    def build() -> int:
        nonlocal position
        if position >= len(tokens):
            raise ProgramError(f"the token list ends too early: {' '.join(tokens)}")
        token = tokens[position]
        position += 1
        types = token_types(token)
        op, args, _ = _TOKENS[token]
        inputs = tuple(build() for _ in types.inputs)
        steps.append(Step(op, args, inputs))
        return len(steps) - 1

    build()
    if position != len(tokens):
        raise ProgramError(f"tokens left over after the program: {' '.join(tokens[position:])}")
    return Program(tuple(steps))


_WORD = re.compile(r"\s*([a-z_0-9]+(?:\[[^\]()]*\])?|[(),])")


def parse_text(text: str) -> Program:
    """The program of the spelling that `Program.text` writes; ProgramError when it is none."""
    tokens: list[str] = []
    position = 0
    depth = 0
    text = text.strip()
    while position < len(text):
        match = _WORD.match(text, position)
        if not match:
            raise ProgramError(f"can't read the program at {text[position : position + 20]!r}")
        position = match.end()
        word = match.group(1).replace(" ", "")
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word not in "(),":
            tokens.append(word)
    if depth:
        raise ProgramError(f"unbalanced brackets in {text!r}")
    return from_tokens(tokens)


def chain(*steps: tuple[str, ...]) -> Program:
    """A linear program from (op, *args) tuples in execution order: chain(("scene",), ("filter", "color", "red"), ("count",))."""
    return Program(tuple(Step(op, tuple(args), (k - 1,) if k else ()) for k, (op, *args) in enumerate(steps)))
