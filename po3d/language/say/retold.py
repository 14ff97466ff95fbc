"""Test whether a sentence is among the wordings of a program in a grammar file.

All wordings of the program are generated in parallel, constrained by the sentence. A parser trained
on the grammar is reliable for such in-domain sentences, and may be wrong for others.
"""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from po3d.language.english import plural, singular, words_of
from po3d.language.grammar import Bindings, Grammar, Value
from po3d.language.grammar_file import Rule, compiled
from po3d.language.program import Tree

AGAIN = (["one"], ["ones"])  # replacements of a repeated noun
_cut = lru_cache(1 << 14)(words_of)


class Retold:
    """Matches one sentence against the wordings that a grammar has for a program.

    `facts`: conditions of rules (see `grammar`); facts that are not given may be true or false.
    """

    def __init__(self, grammar: Grammar, text: str, facts: Mapping) -> None:
        self.grammar, self.words, self.known = grammar, words_of(text), facts
        self._ends: dict[tuple[str, Value, int], frozenset[int]] = {}

    def said(self, form: str, program: Tree) -> bool:
        """Return whether the whole sentence is a wording of the program in this form."""
        return len(self.words) in self.ends(form, program, 0)

    def ends(self, form: str, value: Value, start: int, kind: str = "") -> frozenset[int]:
        """Match all wordings of a value from word `start` on; return the indices after their last
        words."""
        key = form, value, start
        if key not in self._ends:
            # cuts infinite recursion: a value that contains itself has no wording
            self._ends[key] = frozenset()
            self._ends[key] = frozenset(self._found(form, value, start, kind))
        return self._ends[key]

    def _found(self, form: str, value: Value, start: int, kind: str) -> Iterator[int]:
        if not isinstance(value, Tree):
            yield from self._leaf(form, value, start, kind)
        for rule in _rules(self.grammar, form, value.op if isinstance(value, Tree) else ""):
            bound = Bindings()
            if bound.match(rule.pattern, value) and self._holds(rule, bound):
                for wording in rule.wordings:
                    yield from self._walk(compiled(wording), {start}, bound)

    def _holds(self, rule: Rule, bound: Bindings) -> bool:
        facts = tuple(fact for fact in rule.facts if fact[0] in self.known)
        return bound.holds(facts, self.known)

    def _leaf(self, form: str, value: str | float, start: int, kind: str) -> Iterator[int]:
        """Match a leaf as written, in the plural or, for a noun, as "one"."""
        text = value if isinstance(value, str) else f"{value:g}"
        options = [_cut(text), _cut(plural(text))]
        if kind == "name":
            options += AGAIN
        for option in options:
            if option and self.words[start : start + len(option)] == option:
                yield start + len(option)
        width = len(options[0])
        if width and singular(" ".join(self.words[start : start + width])) == singular(text):
            yield start + width

    def _walk(self, node: tuple, starts: set[int], bound: Bindings) -> set[int]:
        kind, *parts = node
        if kind == "all":
            for part in parts:
                starts = self._walk(part, starts, bound) if starts else starts
            return starts
        if kind == "choice":
            return set().union(*(self._walk(part, starts, bound) for part in parts))
        if kind == "phrase":
            options = map(compiled, self.grammar.wordings(parts[0]))
            return self._walk(("choice", *options), starts, bound)
        if kind == "verb":
            return set().union(*(self._text(part, starts) for part in parts))
        if kind == "text":
            return self._text(parts[0], starts)
        name, form = parts
        value, leaf = bound.values[name]
        form = form or (value.output if isinstance(value, Tree) else leaf)
        return set().union(*(self.ends(form, value, start, leaf) for start in starts))

    def _text(self, text: str, starts: set[int]) -> set[int]:
        message = _cut(text)
        width = len(message)
        return {at + width for at in starts if self.words[at : at + width] == message}


@cache
def _rules(grammar: Grammar, form: str, op: str) -> tuple[Rule, ...]:
    """Return the rules of a form that may match a call of this operation, or a leaf."""
    result = []
    for rule in grammar.of.get(form, ()):
        if rule.pattern and (rule.pattern.free or op in ("", rule.pattern.op)):
            result.append(rule)
    return tuple(result)
