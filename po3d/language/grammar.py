"""Text generation from grammar files (format: `grammar_file`, checks: `grammar_check`).

Random choices use `pick(n)`, which returns a number below n. Text is generated as a list of pieces,
so that the words of every leaf can be located.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import chain, product, repeat

from po3d.language.english import plural
from po3d.language.grammar_file import Fact, GrammarError, Pattern, Rule, compiled, rules
from po3d.language.program import Tree

Pick = Callable[[int], int]
Value = Tree | str | float  # a call or a leaf


class LeafWord(str):
    """A piece that is a leaf: its kind and its `number` in prefix order (-1 if unnumbered)."""

    number: int
    kind: str


# An unresolved agreement: "is/are" before the number, "a/an" before the next word is known.
Verb = tuple[str, str]


@dataclass
class PhrasePieces:
    """Generated text.

    `many`: whether it is plural. `same`: number of an omitted repeated leaf -> number of the leaf
    in the text.
    """

    pieces: list[str]
    many: bool = False
    same: dict[int, int] = field(default_factory=dict)

    def text(self) -> str:
        return spaced("".join(self.pieces))


@cache
def load(name: str, kind: str = "grammar") -> "Grammar":
    """Load a grammar file; wordings of kind "patterns" are regular expressions."""
    path = resources.files("po3d.language") / "grammars" / f"{name}.{kind}"
    return Grammar(name, path.read_text(encoding="utf-8"))


_WORD = re.compile(r"[a-z']+")
_PIECE = re.compile(r"(?<!\?P)<([a-z_]{2,})>")  # in a regular expression


class Grammar:
    """The rules of a grammar file."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.rules = name, tuple(rules(name, text))
        self.of: dict[str, list[Rule]] = {}
        for rule in self.rules:
            self.of.setdefault(rule.key, []).append(rule)

    def wordings(self, key: str) -> tuple[str, ...]:
        """Return the wordings of a phrase."""
        wordings: tuple[str, ...] = ()
        for rule in self.of.get(key, ()):
            wordings += () if rule.pattern else rule.wordings
        if not wordings:
            raise GrammarError(f"{self.name}.grammar has no phrase {key!r}")
        return wordings

    def table(self, prefix: str) -> dict[str, tuple[str, ...]]:
        """Return the phrases whose names start with a prefix, by the rest of their names."""
        return {key[len(prefix) :]: self.wordings(key) for key in self.of if key.startswith(prefix)}

    def shorthand(self) -> dict[str, str]:
        """Return the abbreviations in patterns: the phrases "word.*", in capitals."""
        return {word.upper(): pattern for word, (pattern,) in self.table("word.").items()}

    def meanings(self, key: str) -> Iterator[tuple[str, Pattern]]:
        """Yield every expansion of the wordings of a key's rules, with the rule's pattern."""
        for rule in self.of[key]:
            for wording in rule.wordings:
                yield from zip(self.every(wording), repeat(rule.pattern))

    def words(self, key: str) -> dict[str, str]:
        """Return every expansion of the wordings of a key's rules, with its pattern's word."""
        return {text: pattern.op for text, pattern in self.meanings(key)}

    def with_pieces(self, pattern: str) -> str:
        """Expand the <phrases> in a regular expression, recursively."""
        while _PIECE.search(pattern):
            pattern = _PIECE.sub(lambda m: self.wordings(m[1])[0], pattern)
        return pattern

    def expression(self, key: str, flags: int = 0) -> re.Pattern[str]:
        """Compile a phrase as a regular expression."""
        return re.compile(self.with_pieces(self.wordings(key)[0]), flags)

    def expressions(self, *keys: str) -> list[re.Pattern[str]]:
        """Compile phrases as regular expressions that ignore case."""
        return [self.expression(key, re.IGNORECASE) for key in keys]

    def fill(self, key: str, pick: Pick, **slots: str | Callable[[], str]) -> str:
        """Generate a phrase with its slots filled."""
        wordings = self.wordings(key)
        return self.expand(wordings[pick(len(wordings))], pick, slots)

    def expand(self, wording: str, pick: Pick, slots: Mapping[str, str | Callable[[], str]]) -> str:
        """Generate a wording: choose among alternatives at random and fill the slots."""

        def slot(name: str, _: str) -> list:
            value = slots[name]
            return [value if isinstance(value, str) else value()]

        pieces = self._expanded(wording, pick, slot)
        return "".join("/".join(piece) if isinstance(piece, tuple) else piece for piece in pieces)

    def every(self, wording: str) -> Iterator[str]:
        """Return all expansions of a wording; slots and verbs stay as they are written."""

        def readings(node: tuple) -> list[str]:
            kind, *parts = node
            if kind == "all":
                return list(map("".join, product(*map(readings, parts))))
            if kind == "choice":
                return list(chain.from_iterable(map(readings, parts)))
            if kind == "phrase":
                return list(
                    chain.from_iterable(map(readings, map(compiled, self.wordings(*parts))))
                )
            return [
                "{" + ".".join(filter(None, parts)) + "}" if kind == "slot" else "/".join(parts)
            ]

        return map(" ".join, map(str.split, readings(compiled(wording))))

    def vocabulary(self) -> frozenset[str]:
        """Return the words of all wordings, in lower case."""
        result: set[str] = set()

        def walk(node: tuple) -> None:
            kind, *parts = node
            for part in parts if kind in ("all", "choice") else ():
                walk(part)
            if kind in ("text", "verb"):
                result.update(_WORD.findall(" ".join(parts).lower()))

        for rule in self.rules:
            for wording in rule.wordings:
                walk(compiled(wording))
        return frozenset(result)

    def template(self, prefix: str) -> re.Pattern[str]:
        """Compile the wordings of all phrases with a name prefix; slots match any text."""

        def form(node: tuple) -> str:
            kind, *parts = node
            if kind == "all":
                return "".join(map(form, parts))
            if kind == "phrase":
                parts = list(map(compiled, self.wordings(parts[0])))
            elif kind != "choice":
                text = "[^?.]+?" if kind == "slot" else "|".join(map(re.escape, parts))
                return text.replace("\\ ", r"\s*") if kind == "text" else f"(?:{text})"
            return f"(?:{'|'.join(map(form, parts))})"

        wordings = map(compiled, chain(*self.table(prefix).values()))
        return re.compile("|".join(map(form, wordings)), re.IGNORECASE)

    def _expanded(
        self, wording: str, pick: Pick, slot: Callable[[str, str], list]
    ) -> list[str | Verb]:
        pieces: list[str | Verb] = []

        def walk(node: tuple) -> None:
            kind, *parts = node
            if kind == "all":
                for part in parts:
                    walk(part)
            elif kind == "choice":
                walk(parts[pick(len(parts))])
            elif kind == "phrase":
                wordings = self.wordings(parts[0])
                walk(compiled(wordings[pick(len(wordings))]))
            elif kind == "slot":
                pieces.extend(slot(*parts))
            else:
                pieces.append(tuple(parts) if kind == "verb" else parts[0])

        walk(compiled(wording))
        return pieces

    # --- programs ---------------------------------------------------------------------------------

    def fitting(self, form: str, value: Value, facts: Mapping) -> list[tuple[Rule, "Bindings"]]:
        """Return the rules of a form that match a value, each with the values of its variables."""
        matches = []
        for rule in self.of.get(form, ()):
            bound = Bindings()
            if rule.pattern and bound.match(rule.pattern, value) and bound.holds(rule.facts, facts):
                matches.append((rule, bound))
                if rule.only:
                    break
        return matches

    def say(
        self, form: str, value: Value, pick: Pick, facts: Mapping = {}, kind: str = ""
    ) -> PhrasePieces:
        """Generate a value in a random wording of a form.

        `facts`: name -> text, truth value, or a function of a variable's value. A leaf
        (of a `kind`) without a rule is written as it is. Raise GrammarError if no rule matches a
        call.
        """
        fitting: list[tuple[Rule, Bindings]] = []
        for rule, bound in self.fitting(form, value, facts):
            fitting += [(rule, bound)] * rule.weight
        if not fitting:
            if isinstance(value, Tree):
                raise GrammarError(
                    f"{self.name}.grammar has no wording for: {form} {str(value)[:80]}"
                )
            text = plural(value) if form == "many" else _leaf_text(value)
            return PhrasePieces([_word(text, value, kind)])
        rule, bound = fitting[pick(len(fitting))]
        phrase = PhrasePieces([], rule.plural, dict(bound.same))
        many = rule.plural

        def slot(name: str, form: str) -> list[str]:
            nonlocal many
            value, kind = bound.values[name]
            form = form or (value.output if isinstance(value, Tree) else kind)
            clause = self.say(form, value, pick, facts, kind)
            many |= clause.many
            phrase.same |= clause.same
            return clause.pieces

        for piece in reversed(self._expanded(rule.wordings[pick(len(rule.wordings))], pick, slot)):
            # pieces are built from the end, so the following word is already in the list
            if piece == ("a", "an"):
                after = "".join(reversed(phrase.pieces)).lstrip()
                piece = piece[after[:1].lower() in tuple("aeiou")]
            phrase.pieces.append(piece[many] if isinstance(piece, tuple) else piece)
        phrase.pieces.reverse()
        if not isinstance(value, Tree):
            phrase.pieces = [_word("".join(phrase.pieces), value, kind)]
        return phrase


class Bindings:
    """Values bound to the variables (capital letters) of a pattern, each with its leaf kind."""

    def __init__(self) -> None:
        self.values: dict[str, tuple[Value, str]] = {}
        # number of a repeated leaf -> number of its first occurrence
        self.same: dict[int, int] = {}

    def match(self, pattern: Pattern, value: Value, kind: str = "") -> bool:
        if pattern.free:
            if pattern.op == "_":
                return True
            first, _ = self.values.setdefault(pattern.op, (value, kind))
            if first == value and first is not value:
                for a, b in zip(_leaves(first), _leaves(value)):
                    if hasattr(b, "number"):
                        self.same[b.number] = a.number
            return first == value
        if not isinstance(value, Tree):
            return not pattern.args and pattern.op == _leaf_text(value)
        if value.op != pattern.op or len(value.args) != len(pattern.args):
            return False
        return all(map(self.match, pattern.args, value.args, value.signature.inputs))

    def holds(self, wanted: tuple[Fact, ...], facts: Mapping) -> bool:
        for name, of, values, expected in wanted:
            known = facts.get(name, False)
            if of:
                known = known(self.values[of][0])
            if (known in values if values else bool(known)) != expected:
                return False
        return True


def _leaves(value: Value) -> list[Value]:
    """Return the leaves of a value, with their numbers if they have any."""
    if not isinstance(value, Tree):
        return [value]
    args = chain.from_iterable(call.args for call in value.calls())
    return [arg for arg in args if not isinstance(arg, Tree)]


def _leaf_text(value: str | float) -> str:
    return str(value) if isinstance(value, str) else f"{value:g}"


def _word(text: str, value: str | float, kind: str) -> LeafWord:
    word = LeafWord(text)
    word.number, word.kind = getattr(value, "number", -1), kind
    return word


def spaced(text: str) -> str:
    """Normalise spaces: one between words, none before punctuation."""
    return re.sub(r" (?=[,.?!:;]|'s\b)", "", re.sub(r"\s+", " ", text).strip())
