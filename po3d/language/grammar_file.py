"""The format of grammar files: rules, each a pattern of programs with its wordings.

    how_many: how many | what number of               a phrase: "<how_many>" stands for a wording
    question count(S):                                a rule: a pattern, and its wordings below,
        <how_many> {S.many} [are there|do you see|]   one per line, or separated by " | "
    question count(relate(next_to, X, S)) if kind=removal *2:
        how many {S.many} is/are left next to {X}

In a wording "[a|b|]" is a choice, "<name>" a phrase, "{X}" the value bound to X, generated in the
form of its type, "{X.many}" in the named form. "is/are" agrees with the number of the rule's values
(or is plural if the heading has "plural"), "a/an" with the next letter; a backslash escapes a
character. In a heading, capitals match anything, equal capitals equal values, and "_" anything that
is not generated; "if fact=value", "if fact" or "if fact(X)" (with "not", joined by "and") tests the
caller's facts; "*2" doubles the probability; rules after a matching one marked "only" are ignored.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

_HEADING = re.compile(
    r"(?P<key>[a-z_][\w.]*)(?: (?P<pattern>(?!(?:if|only|plural)[ :]|\*)\S.*?))?(?: if"
    r" (?P<facts>.+?))?"
    r"(?P<marks>(?: only| plural| \*\d+)*):(?: (?P<first>.*))?"
)
_FACT = re.compile(r"(?P<no>not )?(?P<name>\w+)(?:=(?P<values>\S+)|\((?P<of>[A-Z]\w*)\))?")
_PIECE = re.compile(
    r"\\.|[\[\]|]|\{\w+(?:\.\w+)?\}|<[a-z_][\w.]*>|\b[A-Za-z']+/[A-Za-z']+\b|.", re.DOTALL
)
_PATTERN = re.compile(r'\s*(?:"(?P<quoted>[^"]*)"|(?P<word>[\w.-]+(?: [a-z]+)*)|(?P<mark>[(),]))')


class GrammarError(ValueError):
    """Raised for an invalid grammar file, or a program that no rule matches."""


class Pattern(NamedTuple):
    """An operation with patterns of its arguments, a leaf, or (`free`) a variable: a capital letter
    or "_"."""

    op: str
    args: tuple["Pattern", ...] = ()
    free: bool = False

    def capitals(self) -> Iterator[str]:
        if self.free:
            yield self.op
        for arg in self.args:
            yield from arg.capitals()


# A condition of a rule, "if loosely" or "if kind=removal": (name, capital letter, values, wanted).
# It is about a fact of the sentence, or of the argument with the capital letter, and holds if the
# fact is one of the values (without values: if it is true) or, with `wanted` False, if it is not.
Fact = tuple[str, str, tuple[str, ...], bool]


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


@lru_cache(maxsize=50_000)
def compiled(wording: str) -> tuple:
    """Parse a wording into a nested tuple.

    Nodes: ("all", parts...), ("choice", parts...), ("phrase", name), ("slot", name, form), ("verb",
    one, many) and ("text", letters).
    """
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
                    raise GrammarError(f"unbalanced brackets in {wording!r}")
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
            raise GrammarError(f"unbalanced brackets in {wording!r}")
        parts = [("all", *option) for option in options]
        return parts[0] if len(parts) == 1 else ("choice", *parts)

    return read(0)


def _parted(line: str) -> list[str]:
    """Split a line into wordings at " | " outside of brackets."""
    parts, depth, start = [], 0, 0
    for m in re.finditer(r"\\.|[\[\]]| \|(?: |$)", line):
        depth += {"[": 1, "]": -1}.get(m[0], 0)
        if m[0].startswith(" |") and not depth:
            parts.append(line[start : m.start()])
            start = m.end()
    return [*parts, line[start:]]


def pattern(text: str) -> Pattern:
    """Parse a pattern such as count(relate(next_to, X, S)); capital letters, "_" match anything."""
    tokens = []
    if not _PATTERN.sub("", text).strip():
        tokens += [m.groupdict() for m in _PATTERN.finditer(text)]
    tokens.append(dict.fromkeys(("quoted", "word", "mark"), ""))
    at = 0

    def read() -> Pattern:
        nonlocal at
        quoted, word, _ = tokens[at].values()
        at += 1
        if quoted is not None or not word:
            if not quoted:
                raise GrammarError(f"invalid pattern {text!r}")
            return Pattern(quoted)
        if word == "_" or word[0].isupper():
            return Pattern(word, free=True)
        args = []
        if tokens[at]["mark"] == "(":
            while tokens[at]["mark"] in ("(", ",") and tokens[at]["mark"]:
                at += 1
                args.append(read())
            if tokens[at]["mark"] != ")":
                raise GrammarError(f"invalid pattern {text!r}")
            at += 1
        return Pattern(word, tuple(args))

    whole = read()
    if at != len(tokens) - 1:
        raise GrammarError(f"invalid pattern {text!r}")
    return whole


def rules(name: str, text: str) -> Iterator[Rule]:
    """Parse the rules of a file's text."""
    # line number of a heading, and the heading with the lines below it
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line[:1] == " " and line.strip() and blocks:
            blocks[-1][1].append(line.strip())
        elif line.strip() and line[0] != "#":
            blocks.append((number, [line.rstrip()]))
    for number, (heading, *wordings) in blocks:
        m = _HEADING.fullmatch(heading)
        listed = m["facts"].split(" and ") if m and m["facts"] else ()
        matches = list(map(_FACT.fullmatch, listed))
        if m and m["first"]:
            wordings.insert(0, m["first"])
        if not m or None in matches or not wordings:
            raise GrammarError(
                f"{name}.grammar, line {number}: invalid heading {heading!r}, or no wordings"
                " below it"
            )
        facts: list[Fact] = []
        for f in matches:
            values = tuple(f["values"].split("|")) if f["values"] else ()
            facts.append((f["name"], f["of"] or "", values, not f["no"]))
        yield Rule(
            m["key"],
            pattern(m["pattern"]) if m["pattern"] else None,
            tuple(facts),
            " only" in m["marks"],
            " plural" in m["marks"],
            int((re.findall(r"\*(\d+)", m["marks"]) or "1")[0]),
            tuple(chain.from_iterable(map(_parted, wordings))),
            number,
        )
