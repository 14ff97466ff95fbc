"""The language of programs: a question, or a change of a scene, as a tree of calls. One table of operations, one type check,
one text form, for all benchmarks.

    count(relate(left, unique(filter(color, "red", scene)), frame(camera), scene))
    direction(refer("man"), refer("cup"), frame(object), four)

Sets are filtered, related and joined (CLEVR, GQA); which way is front is a `frame`, what is compared a measure, how things lie a
relation: arguments, never operations. A leaf is a word of a closed list (bare), open text (quoted), or a number. What benchmarks
mean differently by an operation (how far "next to" reaches, how a phrase finds its thing) are rules of their executors; how their
files spell programs is in `dialects`. `operations.txt` lists the operations, so does `docs/programs.md`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, NamedTuple, Self

from po3d.io.files import lines_beside

LONGEST = 10_000  # letters of a program's text; the longest of the benchmarks have some 300
DEEPEST = 200  # calls in each other; the deepest of the benchmarks have some 15


class ProgramError(ValueError):
    """A text, token list or step list that is no well-typed program."""


class Signature(NamedTuple):
    """What an operation takes, and what it gives."""

    inputs: tuple[str, ...]
    output: str


class Language(NamedTuple):
    """A set of operations with their leaves. Of `leaves` a kind has its words, str (open text) or float."""

    signatures: Mapping[str, tuple[Signature, ...]]  # an operation may have several
    leaves: Mapping[str, tuple[str, ...] | type]
    quoted: frozenset[str]  # kinds of leaves that are spelled in quotation marks

    def signature(self, op: str, args: tuple) -> Signature:
        """The signature that a call fits: the type check. ProgramError when there is none."""
        if op not in self.signatures:
            raise self.unknown(op)
        for signature in self.signatures[op]:
            if len(args) == len(signature.inputs) and all(map(self._fits, signature.inputs, args)):
                return signature
        raise ProgramError(self._misfit(op, args))

    def unknown(self, op: str) -> ProgramError:
        """What is said of an operation that there is not; brackets hold arguments of streets' tokens."""
        known, name = list(dict.fromkeys(o.partition("[")[0] for o in self.signatures)), op.partition("[")[0]
        if name in known:
            return ProgramError(f"{name} does not take the argument of {op[:60]!r}")
        return ProgramError(f"unknown operation {op[:60]!r}; known: {', '.join(known)}")

    def _fits(self, kind: str, arg: "Tree | str | float") -> bool:
        if kind not in self.leaves:
            return isinstance(arg, Tree) and arg.signature.output == kind
        words = self.leaves[kind]
        if words is float:  # six digits at most, so that they are read as they are spelled
            return (
                isinstance(arg, int | float)
                and bool(_NUMBER.fullmatch(f"{arg:g}"))
                and float(f"{arg:g}") == arg
            )
        return isinstance(arg, str) and bool(arg.strip()) and (words is str or arg in words)

    def _misfit(self, op: str, args: tuple) -> str:
        """Why no signature fits, of the first that takes so many arguments."""
        known = self.signatures[op]
        kinds = next((s.inputs for s in known if len(s.inputs) == len(args)), None)
        if kinds is None:
            numbers = " or ".join(str(n) for n in sorted({len(s.inputs) for s in known}))
            taken = {kind for s in known for kind in s.inputs}
            what = taken.pop() if len(taken) == 1 else "argument"
            return f"{op} takes {numbers} {what.rstrip('s')}{'s' * (numbers != '1')}, got {len(args)}"
        kind, arg = next((kind, arg) for kind, arg in zip(kinds, args) if not self._fits(kind, arg))
        got = repr(arg) if isinstance(arg, str) else str(arg)
        got = got if len(got) <= 60 else got[:60] + "..."
        words = self.leaves.get(kind)
        if words is None:
            return f"{op} takes {kind}, got {got}"
        return f"{op}: {got} is no {kind}" + (
            f"; known: {', '.join(words)}" if isinstance(words, tuple) else ""
        )


@dataclass(frozen=True)
class Tree:
    """One operation on its arguments: trees, or leaves. Construction checks the types against the class's `language`."""

    op: str
    args: tuple["Tree | str | float", ...] = ()
    signature: Signature = field(init=False, repr=False, compare=False)
    language: ClassVar[Language]

    @classmethod
    def of(cls, op: str, *args: "Tree | str | float") -> Self:
        """cls(op, args) without the tuple."""
        return cls(op, args)

    def __post_init__(self) -> None:
        object.__setattr__(self, "signature", self.language.signature(self.op, self.args))

    def __hash__(self) -> int:
        found = self.__dict__.get("hash")
        if found is None:  # of everything under it: worked out once, as trees are looked up often
            found = self.__dict__["hash"] = hash((self.op, self.args))
        return found

    def __getstate__(self) -> dict:
        """Without the hash, which is another one in each process."""
        return {key: value for key, value in self.__dict__.items() if key != "hash"}

    @property
    def output(self) -> str:
        return self.signature.output

    def text(self) -> str:
        """count(filter(name, "chair", scene)); `parse` reads it back."""
        if not self.args:
            return self.op
        return f"{self.op}({', '.join(map(self._spelled, self.signature.inputs, self.args))})"

    def _spelled(self, kind: str, arg: "Tree | str | float") -> str:
        if isinstance(arg, Tree):
            return arg.text()
        if isinstance(arg, str):
            return json.dumps(arg, ensure_ascii=False) if kind in self.language.quoted else arg
        return f"{arg:g}"

    def __str__(self) -> str:
        return self.text()

    def tokens(self) -> Iterator[tuple[str, str]]:
        """(kind, text) in prefix order: kind "op" or the kind of a leaf."""
        yield "op", self.op
        for kind, arg in zip(self.signature.inputs, self.args):
            if isinstance(arg, Tree):
                yield from arg.tokens()
            else:
                yield kind, str(arg)

    def texts(self) -> list[str]:
        """Those of `tokens`, which `from_tokens` reads."""
        return [text for _, text in self.tokens()]

    def calls(self) -> Iterator[Self]:
        """This call and all under it, depth first."""
        yield self
        for arg in self.args:
            if isinstance(arg, Tree):
                yield from arg.calls()

    @classmethod
    def parse(cls, text: str) -> Self:
        """The program that a text spells; ProgramError with one line for any other text."""
        language = cls.language

        def make(op: str, args: tuple) -> Self:
            call = cls(op, tuple(str(arg) if isinstance(arg, Quoted) else arg for arg in args))
            for kind, arg in zip(call.signature.inputs, args):
                if isinstance(arg, str) and isinstance(arg, Quoted) != (kind in language.quoted):
                    form = "quoted" if kind in language.quoted else "bare"
                    raise ProgramError(f"{op}: the {kind} {arg[:60]!r} should be {form}")
            return call

        return read_calls(text, make, bare(cls), float if float in language.leaves.values() else str)

    @classmethod
    def from_tokens(cls, tokens: Sequence[str]) -> Self:
        """The program of prefix tokens (operations and leaves alike, as the texts of `tokens`), of a language whose operations have
        one signature each."""
        language = cls.language
        rest = iter(tokens)

        def read(kind: str, depth: int) -> "Tree | str":
            token = next(rest, None)
            if token is None:
                raise ProgramError(f"the token list ends too early: {' '.join(tokens)[:60]}")
            if kind in language.leaves:
                return token
            if token not in language.signatures:
                raise language.unknown(token)
            if depth == DEEPEST:
                raise ProgramError(f"more than {DEEPEST} calls in each other")
            inputs = language.signatures[token][0].inputs
            return cls(token, tuple(read(inner, depth + 1) for inner in inputs))

        program = read("", 0)
        if left := list(rest):
            raise ProgramError(f"tokens left over after the program: {' '.join(left)[:60]}")
        return program


@cache
def bare(tree: type[Tree]) -> frozenset[str]:
    """The operations that stand without brackets."""
    several = tree.language.signatures.items()
    return frozenset(op for op, of in several if any(not s.inputs for s in of))


_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_LEXEME = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<word>[a-z_][a-z_0-9]*(?:\[[^\]()]*\]|(?: [a-z]+)*))"
    rf"|(?P<number>{_NUMBER.pattern})|(?P<mark>[(),]))\s*"
)


class Row(NamedTuple):
    """A line of a table of operations: "count(set) -> integer = count(1)  a note"; a dialect's tells its call."""

    op: str
    signature: Signature
    meaning: str
    note: str


_ROW = re.compile(r"(\S+)\((.*?)\) -> (\S+)(?: += (.*?))?(?:  +(.*))?")


def rows(name: str) -> list[Row]:
    """The rows of a table of this folder."""
    found = map(_ROW.fullmatch, lines_beside(__file__, name))
    inputs = lambda listed: tuple(listed.split(", ")) if listed else ()  # noqa: E731
    return [Row(m[1], Signature(inputs(m[2]), m[3]), m[4] or "", m[5] or "") for m in found]


class Quoted(str):
    """A leaf that stood in quotation marks."""


def read_calls(text: str, make: Callable, bare: frozenset[str], number: Callable = str):
    """The calls that a text spells, each made by `make(op, args)`. `bare`: operations that stand without brackets; any other word
    is a leaf, `Quoted` or not. `number`: what is made of digits. ProgramError for what is no call."""
    if len(text) > LONGEST:
        raise ProgramError(f"the program has {len(text)} letters; at most {LONGEST} are read")
    lexemes: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _LEXEME.match(text, at)
        if not match:
            if not text[at:].strip():
                break
            raise ProgramError(f"can't read the program at {text[at : at + 20]!r}")
        lexemes.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    lexemes.append(("end", ""))
    position = 0

    def take(mark: str) -> bool:
        nonlocal position
        found = lexemes[position] == ("mark", mark)
        position += found
        return found

    def read(depth: int):
        nonlocal position
        kind, word = lexemes[position]
        position += 1
        if kind == "text":
            try:
                return Quoted(json.loads(word, strict=False))
            except json.JSONDecodeError:
                raise ProgramError(f"can't read the text {word[:60]}") from None
        if kind == "number":
            return number(word)
        if kind != "word":
            raise ProgramError(f"the program ends too early, or lacks a word before {word!r}: {text[:60]!r}")
        word = word.replace(" ", "") if "[" in word else word
        if not take("("):
            return make(word, ()) if word in bare or not depth else word
        if depth == DEEPEST:
            raise ProgramError(f"more than {DEEPEST} calls in each other")
        args = [read(depth + 1)]
        while take(","):
            args.append(read(depth + 1))
        if not take(")"):
            raise ProgramError(f"unbalanced brackets: ')' is missing in {text[:60]!r}")
        return make(word, tuple(args))

    if lexemes[0][0] != "word":
        raise ProgramError(f"an operation should stand first in {text[:60]!r}")
    program = read(0)
    if lexemes[position][0] != "end":
        raise ProgramError(f"left over after the program: {lexemes[position][1][:20]!r} in {text[:60]!r}")
    return program


# --- the operations -----------------------------------------------------------------------------------------

LEAVES: dict[str, tuple[str, ...] | type] = {
    **{kind: tuple(words) for kind, *words in map(str.split, lines_beside(__file__, "leaves.txt"))},
    "text": str,
    "amount": float,
}
DIRECTIONS = LEAVES["direction"]  # clockwise
ANSWERS = ("number", "bool", "value")

OPERATIONS = rows("operations.txt")
SIGNATURES: dict[str, tuple[Signature, ...]] = {}
for _row in OPERATIONS:
    SIGNATURES[_row.op] = (*SIGNATURES.get(_row.op, ()), _row.signature)


class Call(Tree):
    """A program of the language."""

    language = Language(SIGNATURES, LEAVES, frozenset({"text"}))


call = Call.of
