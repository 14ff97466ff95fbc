"""Translate between the program language and the spellings in benchmark files and parser outputs.

    streets    count(filter[color=red](scene))
               count(filter(color, "red", scene))
    rooms      count(having(color, "red", all("cup")))
               count(filter(color, "red", filter(name, "cup", scene)))
    3DSRBench  higher("a", "b")
               query(name, best(elevation, most, group(refer("a"), refer("b"))))
    SCOPE      where(thing("a"), thing("b"), camera)
               direction(refer("b"), refer("a"), frame(camera), eight)

A dialect is a table that maps each of its operations to a call of the language, with numbers as
placeholders for the operation's arguments. The table is used in both directions, so every program
of a dialect corresponds to one call, and that call to one spelling.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import repeat
from types import MappingProxyType

from po3d.language.english import with_article
from po3d.language.program import Call, ProgramError, Tree, bare, read_calls

CALLS = 1 << 14  # size of each dialect's call cache
# a call with its arguments, a leaf, or the number of an argument (from 1)
Pattern = tuple | str | int


class Dialect:
    """A spelling of programs.

    Args:
      tree: class of its trees; each of its operations has one signature.
      meanings: operation -> text of the corresponding call, with argument numbers.
      words: leaf kind -> {word of the dialect: word of the language}.
      answers: output types of questions and edits; () accepts any program.
    """

    def __init__(
        self,
        name: str,
        tree: type[Tree],
        meanings: Mapping[str, str],
        words: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        answers: Iterable[str] = (),
    ) -> None:
        self.name, self.tree, self.words, self.answers = name, tree, words, tuple(answers)
        self.spoken: dict[str, dict[str, str]] = {}
        for kind, of in words.items():
            self.spoken[kind] = dict(zip(of.values(), of))
        self.meanings: dict[str, Pattern] = {}
        for op, text in meanings.items():
            self.meanings[op] = read_calls(text, lambda *call: call, bare(Call), int)
        self.call = lru_cache(CALLS)(self._call)
        self.spell = lru_cache(CALLS)(self.from_core)
        # By the call's operation; more specific patterns are tried first.
        self.spellings: dict[str, list[tuple[str, Pattern]]] = {}
        for op, pattern in sorted(self.meanings.items(), key=lambda item: -_size(item[1])):
            self.spellings.setdefault(pattern[0], []).append((op, pattern))

    def parse(self, text: str) -> Call:
        """Parse text into a call; raise ProgramError if it is not a question or edit."""
        tree = self.tree.parse(text)
        if self.answers and tree.output not in self.answers:
            raise ProgramError(f"the program does not return an answer: {text[:60]!r}")
        return self.to_core(tree)

    def text(self, program: Call) -> str:
        """Return the text of a call; raise ProgramError if the dialect cannot express it."""
        return self.from_core(program).text()

    def _call(self, op: str, *args: Call | str) -> Call:
        """Build the call for an operation of the dialect.

        Arguments are calls, or leaves in the dialect's words. Cached as `call(op, *args)`: recent
        equal calls are one object, so values cached on a call are computed once.
        """
        if op not in self.meanings:
            raise ProgramError(f"unknown operation {op!r}; known: {', '.join(self.meanings)}")
        ((kinds, _),) = self.tree.language.signatures[op]
        if len(kinds) != len(args):
            raise ProgramError(f"{op} takes {len(kinds)} arguments, got {len(args)}")
        return self._filled(self.meanings[op], list(map(self._argument_to_core, kinds, args)))

    def to_core(self, tree: Tree) -> Call:
        """Translate a tree to a call, cached on the tree; a call is returned unchanged."""
        if isinstance(tree, Call):
            return tree
        call = tree.__dict__.get("meaning")
        if call is None:
            args = (self.to_core(arg) if isinstance(arg, Tree) else arg for arg in tree.args)
            call = tree.__dict__["meaning"] = self.call(tree.op, *args)
        return call

    def from_core(self, program: Call) -> Tree:
        """Translate a call to a tree of the dialect."""
        for op, pattern in self.spellings.get(program.op, ()):
            bound: dict[int, Call | str | float] = {}
            if not _matches(pattern, program, bound):
                continue
            ((kinds, _),) = self.tree.language.signatures[op]
            try:
                args = map(bound.get, range(1, len(kinds) + 1))
                return self.tree(op, tuple(map(self._argument_from_core, kinds, args)))
            except ProgramError:
                continue
        raise ProgramError(f"{self.name} has no words for {str(program)[:60]}")

    def _argument_to_core(self, kind: str, arg: Call | str) -> Call | str | float:
        """Translate an argument from the dialect to the language."""
        if isinstance(arg, Call):
            return arg
        leaves = self.tree.language.leaves
        if kind not in leaves or (isinstance(leaves[kind], tuple) and arg not in leaves[kind]):
            known = f"; known: {', '.join(leaves[kind])}" if kind in leaves else ""
            raise ProgramError(f"{arg[:60]!r} is not {with_article(kind)}{known}")
        return float(arg) if kind in ("number", "angle") else self.words.get(kind, {}).get(arg, arg)

    def _argument_from_core(self, kind: str, arg: Call | str | float) -> Tree | str:
        """Translate an argument from the language to the dialect."""
        if isinstance(arg, Call):
            return self.from_core(arg)
        if isinstance(arg, str):
            return self.spoken.get(kind, {}).get(arg, arg)
        return f"{arg:g}"

    def _filled(self, pattern: Pattern, args: list) -> Call | str | float:
        if isinstance(pattern, tuple):
            return Call(pattern[0], tuple(map(self._filled, pattern[1], repeat(args))))
        return args[pattern - 1] if isinstance(pattern, int) else str(pattern)


def _size(pattern: Pattern) -> int:
    return (
        1 + sum(map(_size, pattern[1])) if isinstance(pattern, tuple) else isinstance(pattern, str)
    )


def _matches(
    pattern: Pattern, arg: Call | str | float, bound: dict[int, Call | str | float]
) -> bool:
    """Match an argument against a pattern, collecting the arguments for its numbers in `bound`."""
    if isinstance(pattern, int):
        return bound.setdefault(pattern, arg) == arg
    if isinstance(pattern, str):
        return pattern == arg
    return (
        isinstance(arg, Call)
        and arg.op == pattern[0]
        and len(arg.args) == len(pattern[1])
        and all(map(_matches, pattern[1], arg.args, repeat(bound)))
    )
