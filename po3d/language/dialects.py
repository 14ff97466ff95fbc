"""How the benchmarks' files and the shipped parsers spell programs: translations between their texts and the language's calls.

    count(filter[color=red](scene))         streets    count(filter(color, "red", scene))
    count(having(color, "red", all("cup"))) rooms      count(filter(color, "red", filter(name, "cup", scene)))
    higher("a", "b")                        3DSRBench  query(name, best(elevation, most, group(refer("a"), refer("b"))))
    where(thing("a"), thing("b"), camera)   SCOPE      direction(refer("b"), refer("a"), frame(camera), eight)

A dialect is a table: of each of its operations the call that it means, in which numbers stand for its arguments. The table is read
both ways, so that every program of a dialect has one call, and that call one spelling.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from po3d.language.program import Call, ProgramError, Tree, bare, read_calls

CALLS = 1 << 14  # that are kept
Pattern = tuple | str | int  # a call with its arguments, a leaf, or the number of an argument (from 1)


class Dialect:
    """One way of spelling programs. `tree`: the class of its trees, whose operations have one signature each; `meanings`: operation
    -> the text of its call; `words`: of a kind of leaf, its words -> the language's."""

    def __init__(
        self,
        name: str,
        tree: type[Tree],
        meanings: Mapping[str, str],
        words: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        answers: Iterable[str] = (),
    ) -> None:
        self.name, self.tree, self.words, self.answers = name, tree, words, tuple(answers)
        self.spoken = {kind: {core: word for word, core in of.items()} for kind, of in words.items()}
        self.meanings: dict[str, Pattern] = {
            op: read_calls(text, lambda *call: call, bare(Call), int) for op, text in meanings.items()
        }
        self.call = lru_cache(CALLS)(self._call)
        # By the operation of the call; what says more is tried first.
        self.spellings: dict[str, list[tuple[str, Pattern]]] = {}
        for op, pattern in sorted(self.meanings.items(), key=lambda item: -_size(item[1])):
            self.spellings.setdefault(pattern[0], []).append((op, pattern))

    def parse(self, text: str) -> Call:
        """The call that a text of the dialect spells; ProgramError for one that is no question (or change) of it."""
        tree = self.tree.parse(text)
        if self.answers and tree.output not in self.answers:
            raise ProgramError(f"this asks nothing: {text[:60]!r}")
        return self.meant(tree)

    def text(self, program: Call) -> str:
        """The spelling of a call; ProgramError where the dialect has none."""
        return self.spelled(program).text()

    def _call(self, op: str, *args: Call | str) -> Call:
        """`call(op, *args)`: the call of one of the dialect's operations on arguments that are calls, or leaves as the dialect has
        them. Of those made lately equal ones are one and the same, so what is kept with a call is worked out once."""
        if op not in self.meanings:
            raise ProgramError(f"unknown operation {op!r}; known: {', '.join(self.meanings)}")
        ((kinds, _),) = self.tree.language.signatures[op]
        if len(kinds) != len(args):
            raise ProgramError(f"{op} takes {len(kinds)} arguments, got {len(args)}")
        return self._filled(self.meanings[op], [self._heard(k, a) for k, a in zip(kinds, args)])

    def meant(self, tree: Tree) -> Call:
        """The call of a tree of the dialect, which the tree keeps; a call is its own."""
        if isinstance(tree, Call):
            return tree
        found = tree.__dict__.get("meaning")
        if found is None:
            args = (self.meant(arg) if isinstance(arg, Tree) else arg for arg in tree.args)
            found = tree.__dict__["meaning"] = self.call(tree.op, *args)
        return found

    def spelled(self, program: Call) -> Tree:
        """The tree of a call."""
        for op, pattern in self.spellings.get(program.op, ()):
            bound: dict[int, Call | str | float] = {}
            if not _matches(pattern, program, bound):
                continue
            ((kinds, _),) = self.tree.language.signatures[op]
            try:
                return self.tree(op, tuple(self._said(k, bound[n]) for n, k in enumerate(kinds, 1)))
            except ProgramError:
                continue
        raise ProgramError(f"{self.name} has no words for {str(program)[:60]}")

    def _heard(self, kind: str, arg: Call | str) -> Call | str | float:
        """An argument as the language has it."""
        if isinstance(arg, Call):
            return arg
        leaves = self.tree.language.leaves
        if kind not in leaves or (isinstance(leaves[kind], tuple) and arg not in leaves[kind]):
            known = f"; known: {', '.join(leaves[kind])}" if kind in leaves else ""
            raise ProgramError(f"{arg[:60]!r} is no {kind}{known}")
        return float(arg) if kind in ("number", "angle") else self.words.get(kind, {}).get(arg, arg)

    def _said(self, kind: str, arg: Call | str | float) -> Tree | str:
        """An argument as the dialect spells it."""
        if isinstance(arg, Call):
            return self.spelled(arg)
        if isinstance(arg, str):
            return self.spoken.get(kind, {}).get(arg, arg)
        return f"{arg:g}"

    def _filled(self, pattern: Pattern, args: list) -> Call | str | float:
        if isinstance(pattern, tuple):
            return Call(pattern[0], tuple(self._filled(part, args) for part in pattern[1]))
        return args[pattern - 1] if isinstance(pattern, int) else str(pattern)


def _size(pattern: Pattern) -> int:
    return 1 + sum(map(_size, pattern[1])) if isinstance(pattern, tuple) else isinstance(pattern, str)


def _matches(pattern: Pattern, arg: Call | str | float, bound: dict[int, Call | str | float]) -> bool:
    """Whether an argument is what a pattern says, with what its numbers stand for in `bound`."""
    if isinstance(pattern, int):
        return bound.setdefault(pattern, arg) == arg
    if isinstance(pattern, str):
        return pattern == arg
    return (
        isinstance(arg, Call)
        and arg.op == pattern[0]
        and len(arg.args) == len(pattern[1])
        and all(_matches(part, inner, bound) for part, inner in zip(pattern[1], arg.args))
    )
