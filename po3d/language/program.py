"""The program language of all benchmarks: questions and edits of scenes as typed trees of calls.

    count(relate(left, unique(filter(color, "red", scene)), frame(camera), scene))
    direction(refer("man"), refer("cup"), frame(object), four)

There is one table of operations, one type check and one text form. Sets are filtered, related and
joined as in CLEVR and GQA. Reference frames (`frame`), measures and relations are arguments, not
operations. A leaf is a word of a closed list (bare), open text (quoted) or a number. Rules that
differ between benchmarks (the range of "next to", the grounding of a phrase) belong to their
executors; the spellings in benchmark files are in `dialects`. `operations.txt` and
`docs/programs.md` list the operations.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from typing import ClassVar, NamedTuple, Self

from po3d.io.files import lines_beside
from po3d.language.english import with_article

LONGEST = 10_000  # characters of a program's text; the longest of the benchmarks have some 300
DEEPEST = 200  # nesting depth of calls; the deepest of the benchmarks have some 15


class ProgramError(ValueError):
    """Raised for a text, token list or step list that is not a well-typed program."""


class Signature(NamedTuple):
    """Input types and output type of an operation."""

    inputs: tuple[str, ...]
    output: str


class Language(NamedTuple):
    """A set of operations and leaf kinds.

    `leaves`: leaf kind -> its closed list of words, `str` (open text) or `float`.
    """

    signatures: Mapping[str, tuple[Signature, ...]]  # an operation may have several signatures
    leaves: Mapping[str, tuple[str, ...] | type]
    quoted: frozenset[str]  # leaf kinds that are written in quotation marks

    def signature(self, op: str, args: tuple) -> Signature:
        """Return the first matching signature; raise ProgramError if there is none."""
        if op not in self.signatures:
            raise self.unknown(op)
        for signature in self.signatures[op]:
            if len(args) == len(signature.inputs) and all(map(self._fits, signature.inputs, args)):
                return signature
        raise ProgramError(self._misfit(op, args))

    def unknown(self, op: str) -> ProgramError:
        """Return the error for an unknown operation, named without the arguments in brackets that
        street tokens have."""
        name = op.partition("[")[0]
        known = dict.fromkeys(o.partition("[")[0] for o in self.signatures)
        if name in known:
            return ProgramError(f"{name} does not take the argument of {op[:60]!r}")
        return ProgramError(f"unknown operation {op[:60]!r}; known: {', '.join(known)}")

    def _fits(self, kind: str, arg: "Tree | str | float") -> bool:
        if kind not in self.leaves:
            return isinstance(arg, Tree) and arg.signature.output == kind
        words = self.leaves[kind]
        if words is float:  # six digits at most, so that the text form round-trips
            return (
                isinstance(arg, int | float)
                and bool(_NUMBER.fullmatch(f"{arg:g}"))
                and float(f"{arg:g}") == arg
            )
        return isinstance(arg, str) and bool(arg.strip()) and (words is str or arg in words)

    def _misfit(self, op: str, args: tuple) -> str:
        """Explain why no signature matches, using the first one with as many arguments."""
        known = self.signatures[op]
        by_count: dict[int, tuple[str, ...]] = {}
        for signature in known:
            by_count.setdefault(len(signature.inputs), signature.inputs)
        kinds = by_count.get(len(args))
        if kinds is None:
            numbers = " or ".join(map(str, sorted(by_count)))
            taken = set().union(*(s.inputs for s in known))
            what = taken.pop() if len(taken) == 1 else "argument"
            return (
                f"{op} takes {numbers} {what.rstrip('s')}{'s' * (numbers != '1')}, got {len(args)}"
            )
        kind, arg = next(pair for pair in zip(kinds, args) if not self._fits(*pair))
        got = repr(arg) if isinstance(arg, str) else str(arg)
        got = got if len(got) <= 60 else got[:60] + "..."
        words = self.leaves.get(kind)
        if words is None:
            return f"{op} takes {kind}, got {got}"
        if words is str and isinstance(arg, str):
            return f"{op}: the {kind} is empty"
        return f"{op}: {got} is not {with_article(kind)}" + (
            f"; known: {', '.join(words)}" if isinstance(words, tuple) else ""
        )


@dataclass(frozen=True)
class Tree:
    """An operation with its arguments, trees or leaves; type-checked against `language`."""

    op: str
    args: tuple["Tree | str | float", ...] = ()
    signature: Signature = field(init=False, repr=False, compare=False)
    language: ClassVar[Language]

    @classmethod
    def of(cls, op: str, *args: "Tree | str | float") -> Self:
        """Return cls(op, args), with the arguments not in a tuple."""
        return cls(op, args)

    def __post_init__(self) -> None:
        object.__setattr__(self, "signature", self.language.signature(self.op, self.args))

    def __hash__(self) -> int:
        cached = self.__dict__.get("hash")
        if cached is None:  # recursive, so cached: trees are often dictionary keys
            cached = self.__dict__["hash"] = hash((self.op, self.args))
        return cached

    def __getstate__(self) -> dict:
        """Return the state without the hash, which differs between processes."""
        state = dict(self.__dict__)
        state.pop("hash", None)
        return state

    @property
    def output(self) -> str:
        return self.signature.output

    def text(self) -> str:
        """Return the text form, e.g. count(filter(name, "chair", scene)), which `parse` reads."""
        if not self.args:
            return self.op
        return f"{self.op}({', '.join(map(self._argument_text, self.signature.inputs, self.args))})"

    def _argument_text(self, kind: str, arg: "Tree | str | float") -> str:
        if isinstance(arg, Tree):
            return arg.text()
        if isinstance(arg, str):
            return json.dumps(arg, ensure_ascii=False) if kind in self.language.quoted else arg
        return f"{arg:g}"

    def __str__(self) -> str:
        return self.text()

    def tokens(self) -> Iterator[tuple[str, str]]:
        """Yield (kind, text) in prefix order; kind is "op" or the kind of a leaf."""
        yield "op", self.op
        for kind, arg in zip(self.signature.inputs, self.args):
            if isinstance(arg, Tree):
                yield from arg.tokens()
            else:
                yield kind, str(arg)

    def texts(self) -> list[str]:
        """Return the texts of `tokens`, the input of `from_tokens`."""
        return [text for _, text in self.tokens()]

    def calls(self, *ops: str) -> Iterator[Self]:
        """Yield this call and all calls below it, depth first; given `ops`, those of them only."""
        if not ops or self.op in ops:
            yield self
        for arg in self.args:
            if isinstance(arg, Tree):
                yield from arg.calls(*ops)

    def leaves(self) -> list[str]:
        """Return the arguments that are not calls, as texts, depth first."""
        return [text for kind, text in self.tokens() if kind != "op"]

    def mapped(self, change: "Callable[[Self], Tree]") -> Self:
        """Return the call with `change` applied to the calls among its arguments."""
        args = (change(arg) if isinstance(arg, Tree) else arg for arg in self.args)
        return type(self)(self.op, tuple(args))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the text form; raise ProgramError with a one-line message for other text."""
        language = cls.language

        def make(op: str, args: tuple) -> Self:
            call = cls(op, tuple(str(arg) if isinstance(arg, Quoted) else arg for arg in args))
            for kind, arg in zip(call.signature.inputs, args):
                if isinstance(arg, str) and isinstance(arg, Quoted) != (kind in language.quoted):
                    form = "quoted" if kind in language.quoted else "bare"
                    raise ProgramError(f"{op}: the {kind} {arg[:60]!r} should be {form}")
            return call

        return read_calls(
            text, make, bare(cls), float if float in language.leaves.values() else str
        )

    @classmethod
    def from_tokens(cls, tokens: Sequence[str]) -> Self:
        """Build a program from prefix tokens (texts of operations and leaves, as from `texts`).

        The operations of the language must have one signature each.
        """
        language = cls.language
        rest = iter(tokens)

        def read(kind: str, depth: int) -> "Tree | str":
            token = next(rest, None)
            if token is None:
                raise ProgramError(f"the token list is incomplete: {' '.join(tokens)[:60]}")
            if kind in language.leaves:
                return token
            if token not in language.signatures:
                raise language.unknown(token)
            if depth == DEEPEST:
                raise ProgramError(f"more than {DEEPEST} nested calls")
            inputs = language.signatures[token][0].inputs
            return cls(token, tuple(map(read, inputs, repeat(depth + 1))))

        program = read("", 0)
        if left := list(rest):
            raise ProgramError(f"unexpected tokens after the program: {' '.join(left)[:60]}")
        return program


@cache
def bare(tree: type[Tree]) -> frozenset[str]:
    """Return the operations that can be written without brackets."""
    signatures = tree.language.signatures
    return frozenset(op for op in signatures if not all(s.inputs for s in signatures[op]))


_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_LEXEME = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<word>[a-z_][a-z_0-9]*(?:\[[^\]()]*\]|(?: [a-z]+)*))"
    rf"|(?P<number>{_NUMBER.pattern})|(?P<mark>[(),]))\s*"
)


class OperationRow(NamedTuple):
    """A row of an operation table: "count(set) -> integer = count(1)  a note".

    `meaning`: in tables of dialects, the corresponding call of the language.
    """

    op: str
    signature: Signature
    meaning: str
    note: str


_ROW = re.compile(r"(\S+)\((.*?)\) -> (\S+)(?: += (.*?))?(?:  +(.*))?")


def rows(name: str) -> list[OperationRow]:
    """Read an operation table from this folder."""
    table = []
    for m in map(_ROW.fullmatch, lines_beside(__file__, name)):
        inputs = tuple(m[2].split(", ")) if m[2] else ()
        table.append(OperationRow(m[1], Signature(inputs, m[3]), m[4] or "", m[5] or ""))
    return table


def signatures(table: Iterable[OperationRow]) -> dict[str, tuple[Signature, ...]]:
    """Return the signatures of a table with one row per operation, for a Language."""
    return {row.op: (row.signature,) for row in table}


def meanings(table: Iterable[OperationRow]) -> dict[str, str]:
    """Return the corresponding call of each operation of a dialect's table that has one."""
    return {row.op: row.meaning for row in table if row.meaning}


class Quoted(str):
    """A leaf that was written in quotation marks."""


def read_calls(text: str, make: Callable, bare: frozenset[str], number: Callable = str):
    """Parse the text of nested calls, building each with `make(op, args)`.

    Args:
      bare: operations that can be written without brackets; any other word without them is a leaf
        (`Quoted` if it stood in quotation marks).
      number: converter for numbers.

    Raise ProgramError if the text is not a call.
    """
    lexemes = _lexemes(text)
    if lexemes[0][0] != "word":
        raise ProgramError(f"{text[:60]!r} should begin with an operation")
    position = 0  # index of the next lexeme

    def take(mark: str) -> bool:
        """Skip the next lexeme if it is `mark`."""
        nonlocal position
        matches_mark = lexemes[position] == ("mark", mark)
        position += matches_mark
        return matches_mark

    def read(depth: int):
        """Read one argument, or at depth 0 the program."""
        nonlocal position
        kind, word = lexemes[position]
        position += 1
        if kind == "text":
            try:
                return Quoted(json.loads(word, strict=False))
            except json.JSONDecodeError:
                raise ProgramError(f"invalid string {word[:60]}") from None
        if kind == "number":
            return number(word)
        if kind != "word":
            raise ProgramError(
                f"the program is incomplete, or a word is missing before {word!r}: {text[:60]!r}"
            )
        word = word.replace(" ", "") if "[" in word else word
        if not take("("):
            return make(word, ()) if word in bare or not depth else word
        if depth == DEEPEST:
            raise ProgramError(f"more than {DEEPEST} nested calls")
        args = [read(depth + 1)]
        while take(","):
            args.append(read(depth + 1))
        if not take(")"):
            raise ProgramError(f"unbalanced brackets: ')' is missing in {text[:60]!r}")
        return make(word, tuple(args))

    program = read(0)
    kind, word = lexemes[position]
    if kind != "end":
        raise ProgramError(f"unexpected text after the program: {word[:20]!r} in {text[:60]!r}")
    return program


def _lexemes(text: str) -> list[tuple[str, str]]:
    """Return kinds (groups of _LEXEME) and texts of the lexemes, ending with ("end", "")."""
    if len(text) > LONGEST:
        raise ProgramError(f"the program has {len(text)} characters; the limit is {LONGEST}")
    lexemes: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _LEXEME.match(text, at)
        if not match:
            if not text[at:].strip():
                break
            raise ProgramError(f"invalid syntax in the program at {text[at : at + 20]!r}")
        lexemes.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return [*lexemes, ("end", "")]


# --- the operations -------------------------------------------------------------------------------


def read_leaves(lines: Iterable[str]) -> tuple[dict[str, tuple[str, ...]], set[tuple[str, str]]]:
    """Return the words of each kind, and the (kind, word) after "|", which no parser can write."""
    leaves, untrained = {}, set()
    for line in lines:
        known, _, new = line.partition("|")
        kind, *words = known.split()
        leaves[kind] = (*words, *new.split())
        untrained.update(zip(repeat(kind), new.split()))
    return leaves, untrained


_CLOSED, UNTRAINED = read_leaves(lines_beside(__file__, "leaves.txt"))
LEAVES: dict[str, tuple[str, ...] | type] = {**_CLOSED, "text": str, "amount": float}
DIRECTIONS = LEAVES["direction"]  # clockwise
ANSWERS = ("number", "bool", "value")

OPERATIONS = rows("operations.txt")
SIGNATURES: dict[str, tuple[Signature, ...]] = {}
for _row in OPERATIONS:
    SIGNATURES[_row.op] = (*SIGNATURES.get(_row.op, ()), _row.signature)


class Call(Tree):
    """A program of the common language."""

    language = Language(SIGNATURES, LEAVES, frozenset({"text"}))


call = Call.of
