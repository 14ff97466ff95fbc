"""Parse sentences with the rules of a grammar file, the inverse of generation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from types import MappingProxyType

from po3d.language.grammar import Grammar, Value
from po3d.language.grammar_file import Pattern, compiled
from po3d.language.program import Call, bare

Bound = Mapping[str, Value]
Leaf = Callable[[str], str]
LONGEST_NAME = 5  # words


class GrammarParse:
    """Chart parser of one sentence; values from earlier rules and wordings come first.

    `leaves`: form -> function that returns the value for a text of up to LONGEST_NAME words, "" if
    there is none; other forms are those of the grammar. `furthest`: the first word that no partial
    parse has passed, and a wording that was expected there.
    """

    def __init__(
        self,
        grammar: Grammar,
        words: Sequence[str],
        leaves: Mapping[str, Leaf] = MappingProxyType({}),
    ) -> None:
        self.grammar, self.words, self.leaves = grammar, list(words), leaves
        self.furthest = (0, "")
        self.known: dict[tuple[str, int], list[tuple[Value, int]]] = {}

    def values(self, form: str, start: int = 0) -> list[tuple[Value, int]]:
        """Parse a form (nonterminal) from word `start` on: all possible values, each with the index
        after its last word."""
        if form in self.leaves:
            values = []
            for end in range(min(start + LONGEST_NAME, len(self.words)), start, -1):
                if value := self.leaves[form](" ".join(self.words[start:end])):
                    values.append((value, end))
            return values
        if (form, start) not in self.known:
            values = []
            for rule in self.grammar.of[form]:
                for bound, end in self._ways(("choice", *map(compiled, rule.wordings)), start, {}):
                    values.append((instantiated(rule.pattern, bound), end))
            self.known[form, start] = values
        return self.known[form, start]

    def _ways(self, node: tuple, at: int, bound: Bound) -> Iterator[tuple[Bound, int]]:
        kind, *parts = node
        if kind == "all":
            if not parts:
                yield bound, at
                return
            first, *rest = parts
            for known, end in self._ways(first, at, bound):
                yield from self._ways(("all", *rest), end, known)
        elif kind == "slot":
            name, form = parts
            for value, end in self.values(form, at):
                if bound.get(name, value) == value:
                    yield {**bound, name: value}, end
        elif kind in ("choice", "phrase", "verb"):
            options = map(compiled, self.grammar.wordings(*parts)) if kind == "phrase" else parts
            for option in options:
                yield from self._ways(("text", option) if kind == "verb" else option, at, bound)
        else:
            words = parts[0].split()
            if self.words[at : at + len(words)] == words:
                yield bound, at + len(words)
            elif at > self.furthest[0] or not self.furthest[1]:
                self.furthest = at, " ".join(words)


def instantiated(pattern: Pattern, bound: Bound) -> Value:
    """Instantiate a pattern with the bound values; a filter by "any" is dropped."""
    if pattern.free:
        return bound[pattern.op]
    if not pattern.args and pattern.op not in bare(Call):
        number = pattern.op.replace(".", "", 1).isdigit()
        return float(pattern.op) if number else pattern.op
    args = tuple(map(instantiated, pattern.args, repeat(bound)))
    return args[-1] if pattern.op == "filter" and args[1] == "any" else Call(pattern.op, args)
