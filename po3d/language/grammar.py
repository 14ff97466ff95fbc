"""Wordings as data: files of rules in language/grammars, and the one engine that says them (`grammar_check` checks them).

    how_many: how many | what number of                      a phrase: "<how_many>" stands for one of its wordings
    question count(S):                                       a rule: a pattern of programs, and its wordings below,
        <how_many> {S.many} [are there|do you see|]          one a line, or parted by " | "
    question count(relate(next_to, X, S)) if kind=removal *2:
        how many {S.many} is/are left next to {X}

In a wording "[a|b|]" is a choice, "<name>" a phrase, "{X}" what the pattern's X is, said in the form of its type, "{X.many}" in
the form named. "is/are" agrees with what the rule names (a rule is "plural" by its heading), "a/an" with the letter that follows;
a backslash takes a mark's meaning away. In a heading capitals stand for anything, the same capital for the same, "_" for anything
that is not said; "if fact=value", "if fact" or "if fact(X)" (with "not", joined by "and") asks what the caller knows; "*2" is said
twice as often; of the rules that fit, none after one marked "only" is said.

Random choices are drawn by `pick(n)`, a number below n. What is said comes in pieces, so that the words of every name are known.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from itertools import product
from typing import NamedTuple

from po3d.language.english import plural
from po3d.language.program import Tree

Pick = Callable[[int], int]
Value = Tree | str | float  # a call or a leaf
_HEADING = re.compile(
    r"(?P<key>[a-z_][\w.]*)(?: (?P<pattern>(?!(?:if|only|plural)[ :]|\*)\S.*?))?(?: if (?P<facts>.+?))?"
    r"(?P<marks>(?: only| plural| \*\d+)*):(?: (?P<first>.*))?"
)
_FACT = re.compile(r"(?P<no>not )?(?P<name>\w+)(?:=(?P<values>\S+)|\((?P<of>[A-Z]\w*)\))?")
_PIECE = re.compile(r"\\.|[\[\]|]|\{\w+(?:\.\w+)?\}|<[a-z_][\w.]*>|\b[A-Za-z']+/[A-Za-z']+\b|.", re.DOTALL)
_PATTERN = re.compile(r'\s*(?:"(?P<quoted>[^"]*)"|(?P<word>[\w.-]+(?: [a-z]+)*)|(?P<mark>[(),]))')


class GrammarError(ValueError):
    """A grammar file that can't be read, or a program that no rule fits."""


class Pattern(NamedTuple):
    """An operation with patterns of its arguments, a leaf, or (`free`) a capital or "_"."""

    op: str
    args: tuple["Pattern", ...] = ()
    free: bool = False

    def capitals(self) -> Iterator[str]:
        if self.free:
            yield self.op
        for arg in self.args:
            yield from arg.capitals()


class Fact(NamedTuple):
    """A condition: whether the fact (of what a capital stands for) is one of the values, or true; or is not."""

    name: str
    of: str
    values: tuple[str, ...]
    wanted: bool


class Rule(NamedTuple):
    """A heading with its wordings; a phrase has no pattern."""

    key: str
    pattern: Pattern | None
    facts: tuple[Fact, ...]
    only: bool
    plural: bool
    weight: int
    wordings: tuple[str, ...]
    line: int


class Word(str):
    """A piece that is a leaf of the program: its `number` in prefix order (-1 where leaves have none) and its kind."""

    number: int
    kind: str


class Verb(NamedTuple):
    """ "is/are" before it is known how many, "a/an" before it is known what follows."""

    one: str
    many: str


@dataclass
class Pieces:
    """What was said; whether it is more than one thing; leaves that are unsaid -> the same ones that are said."""

    pieces: list[str]
    many: bool = False
    same: dict[int, int] = field(default_factory=dict)

    def text(self) -> str:
        return spaced("".join(self.pieces))


@cache
def load(name: str) -> "Grammar":
    """The grammar of a file in language/grammars."""
    path = resources.files("po3d.language") / "grammars" / f"{name}.grammar"
    return Grammar(name, path.read_text(encoding="utf-8"))


class Grammar:
    """The rules of a file."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.rules = name, tuple(_rules(name, text))
        self.of: dict[str, list[Rule]] = {}
        for rule in self.rules:
            self.of.setdefault(rule.key, []).append(rule)

    def wordings(self, key: str) -> tuple[str, ...]:
        """The wordings of a phrase."""
        found = tuple(w for rule in self.of.get(key, ()) if not rule.pattern for w in rule.wordings)
        if not found:
            raise GrammarError(f"{self.name}.grammar has no phrase {key!r}")
        return found

    def table(self, prefix: str) -> dict[str, tuple[str, ...]]:
        """The phrases whose names begin with a prefix, by the rest of their names."""
        return {key[len(prefix) :]: self.wordings(key) for key in self.of if key.startswith(prefix)}

    def fill(self, key: str, pick: Pick, **slots: str | Callable[[], str]) -> str:
        """A phrase with its slots filled."""
        wordings = self.wordings(key)
        return self.expand(wordings[pick(len(wordings))], pick, slots)

    def expand(self, wording: str, pick: Pick, slots: Mapping[str, str | Callable[[], str]]) -> str:
        """A wording with every choice made and every slot filled."""

        def slot(name: str, _: str) -> list:
            value = slots[name]
            return [value if isinstance(value, str) else value()]

        pieces = self._expanded(wording, pick, slot)
        return "".join("/".join(piece) if isinstance(piece, Verb) else piece for piece in pieces)

    def every(self, wording: str) -> Iterator[str]:
        """All readings of a wording; slots and verbs stand as they are written."""

        def readings(node: tuple) -> Iterator[str]:
            kind, *parts = node
            if kind == "all":
                yield from map("".join, product(*(list(readings(part)) for part in parts)))
            elif kind == "choice":
                for part in parts:
                    yield from readings(part)
            elif kind == "phrase":
                for text in self.wordings(parts[0]):
                    yield from readings(compiled(text))
            elif kind == "slot":
                yield "{" + ".".join(filter(None, parts)) + "}"
            else:
                yield "/".join(parts)

        yield from (" ".join(text.split()) for text in readings(compiled(wording)))

    def _expanded(self, wording: str, pick: Pick, slot: Callable[[str, str], list]) -> list[str | Verb]:
        said: list[str | Verb] = []

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
                said.extend(slot(*parts))
            else:
                said.append(Verb(*parts) if kind == "verb" else parts[0])

        walk(compiled(wording))
        return said

    # --- programs ---------------------------------------------------------------------------------------------------

    def fitting(self, form: str, value: Value, facts: Mapping) -> list[tuple[Rule, "Bound"]]:
        """The rules of a form that say a value, with what their capitals stand for."""
        found = []
        for rule in self.of.get(form, ()):
            bound = Bound()
            if rule.pattern and bound.match(rule.pattern, value) and bound.holds(rule.facts, facts):
                found.append((rule, bound))
                if rule.only:
                    break
        return found

    def say(self, form: str, value: Value, pick: Pick, facts: Mapping = {}, kind: str = "") -> Pieces:
        """A value in one of the wordings of a form. `facts`: name -> text, truth, or a function of what a capital stands for. A
        leaf (of a `kind`) without a rule stands for itself. GrammarError for a call that no rule fits."""
        fitting = [pair for pair in self.fitting(form, value, facts) for _ in range(pair[0].weight)]
        if not fitting:
            if isinstance(value, Tree):
                raise GrammarError(f"{self.name}.grammar has no wording for: {form} {str(value)[:80]}")
            return Pieces([_word(plural(value) if form == "many" else _spelled(value), value, kind)])
        rule, bound = fitting[pick(len(fitting))]
        found = Pieces([], rule.plural, dict(bound.same))
        many = rule.plural

        def slot(name: str, form: str) -> list[str]:
            nonlocal many
            value, kind = bound.values[name]
            said = self.say(
                form or (value.output if isinstance(value, Tree) else kind), value, pick, facts, kind
            )
            many |= said.many
            found.same |= said.same
            return said.pieces

        for piece in reversed(self._expanded(rule.wordings[pick(len(rule.wordings))], pick, slot)):
            if piece == ("a", "an"):  # what follows is in the list already
                after = "".join(reversed(found.pieces)).lstrip()
                piece = piece[after[:1].lower() in tuple("aeiou")]
            found.pieces.append(piece[many] if isinstance(piece, Verb) else piece)
        found.pieces.reverse()
        if not isinstance(value, Tree):
            found.pieces = [_word("".join(found.pieces), value, kind)]
        return found


class Bound:
    """What the capitals of a pattern stand for, each with its kind of leaf."""

    def __init__(self) -> None:
        self.values: dict[str, tuple[Value, str]] = {}
        self.same: dict[int, int] = {}  # leaves of what comes again

    def match(self, pattern: Pattern, value: Value, kind: str = "") -> bool:
        if pattern.free:
            if pattern.op == "_":
                return True
            first, _ = self.values.setdefault(pattern.op, (value, kind))
            if first == value and first is not value:
                pairs = zip(_leaves(first), _leaves(value))
                self.same |= {b.number: a.number for a, b in pairs if hasattr(b, "number")}
            return first == value
        if not isinstance(value, Tree):
            return not pattern.args and pattern.op == _spelled(value)
        if value.op != pattern.op or len(value.args) != len(pattern.args):
            return False
        return all(map(self.match, pattern.args, value.args, value.signature.inputs))

    def holds(self, wanted: tuple[Fact, ...], facts: Mapping) -> bool:
        for fact in wanted:
            known = facts.get(fact.name, False)
            if fact.of:
                known = known(self.values[fact.of][0])
            if (known in fact.values if fact.values else bool(known)) != fact.wanted:
                return False
        return True


def _leaves(value: Value) -> list[Value]:
    if not isinstance(value, Tree):
        return [value]
    return [arg for call in value.calls() for arg in call.args if not isinstance(arg, Tree)]


def _spelled(value: str | float) -> str:
    return str(value) if isinstance(value, str) else f"{value:g}"


def _word(said: str, value: str | float, kind: str) -> Word:
    word = Word(said)
    word.number, word.kind = getattr(value, "number", -1), kind
    return word


def spaced(text: str) -> str:
    """One blank between words, none before punctuation."""
    return re.sub(r" (?=[,.?!:;]|'s\b)", "", re.sub(r"\s+", " ", text).strip())


# --- files ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=50_000)
def compiled(wording: str) -> tuple:
    """A wording as nested ("all", parts...), ("choice", parts...), ("phrase", name), ("slot", name, form), ("verb", one, many) and
    ("text", letters)."""
    pieces = _PIECE.findall(wording)
    at = 0

    def read(depth: int) -> tuple:
        nonlocal at
        options: list[list[tuple]] = [[]]
        while at < len(pieces):
            piece = pieces[at]
            at += 1
            if piece == "]":
                if not depth:
                    raise GrammarError(f"the brackets of {wording!r} don't match")
                return ("choice", *(("all", *option) for option in options))
            if piece == "|":
                options.append([])
            elif piece == "[":
                options[-1].append(read(depth + 1))
            elif len(piece) == 1 or piece[0] == "\\":
                if options[-1] and options[-1][-1][0] == "text":
                    options[-1][-1] = ("text", options[-1][-1][1] + piece[-1])
                else:
                    options[-1].append(("text", piece[-1]))
            elif piece[0] == "{":
                options[-1].append(("slot", *piece[1:-1].partition(".")[::2]))
            else:
                options[-1].append(
                    ("phrase", piece[1:-1]) if piece[0] == "<" else ("verb", *piece.split("/"))
                )
        if depth:
            raise GrammarError(f"the brackets of {wording!r} don't match")
        parts = [("all", *option) for option in options]
        return parts[0] if len(parts) == 1 else ("choice", *parts)

    return read(0)


def _parted(line: str) -> list[str]:
    """The wordings of a line, which " | " parts outside of brackets."""
    found, depth, start = [], 0, 0
    for m in re.finditer(r"\\.|[\[\]]| \|(?: |$)", line):
        depth += {"[": 1, "]": -1}.get(m[0], 0)
        if m[0].startswith(" |") and not depth:
            found.append(line[start : m.start()])
            start = m.end()
    return [*found, line[start:]]


def pattern(text: str) -> Pattern:
    """count(relate(next_to, X, S)); capitals and "_" stand for anything."""
    found = [m.groupdict() for m in _PATTERN.finditer(text)] if _PATTERN.sub("", text).strip() == "" else []
    found.append(dict.fromkeys(("quoted", "word", "mark"), ""))
    at = 0

    def read() -> Pattern:
        nonlocal at
        quoted, word, _ = found[at].values()
        at += 1
        if quoted is not None or not word:
            if not quoted:
                raise GrammarError(f"can't read the pattern {text!r}")
            return Pattern(quoted)
        if word == "_" or word[0].isupper():
            return Pattern(word, free=True)
        args = []
        if found[at]["mark"] == "(":
            while found[at]["mark"] in ("(", ",") and found[at]["mark"]:
                at += 1
                args.append(read())
            if found[at]["mark"] != ")":
                raise GrammarError(f"can't read the pattern {text!r}")
            at += 1
        return Pattern(word, tuple(args))

    whole = read()
    if at != len(found) - 1:
        raise GrammarError(f"can't read the pattern {text!r}")
    return whole


def _rules(name: str, text: str) -> Iterator[Rule]:
    """The rules of a file's text."""
    blocks: list[tuple[int, list[str]]] = []  # a heading's line, with the lines under it
    for number, line in enumerate(text.splitlines(), 1):
        if line[:1] == " " and line.strip() and blocks:
            blocks[-1][1].append(line.strip())
        elif line.strip() and line[0] != "#":
            blocks.append((number, [line.rstrip()]))
    for number, (heading, *wordings) in blocks:
        m = _HEADING.fullmatch(heading)
        facts = [_FACT.fullmatch(part) for part in m["facts"].split(" and ")] if m and m["facts"] else []
        if m and m["first"]:
            wordings.insert(0, m["first"])
        if not m or None in facts or not wordings:
            raise GrammarError(
                f"{name}.grammar, line {number}: can't read {heading!r}, or it has no wordings"
            )
        marks = m["marks"].split()
        yield Rule(
            m["key"],
            pattern(m["pattern"]) if m["pattern"] else None,
            tuple(
                Fact(
                    f["name"],
                    f["of"] or "",
                    tuple(f["values"].split("|")) if f["values"] else (),
                    not f["no"],
                )
                for f in facts
            ),
            "only" in marks,
            "plural" in marks,
            next((int(mark[1:]) for mark in marks if mark[0] == "*"), 1),
            tuple(part for line in wordings for part in _parted(line)),
            number,
        )
