"""Sentences with marks: which words of it are which name or value of the program, and what repetition leaves out.

Names and values are open text that the parser copies, so a sentence is made of marked pieces: `Leaf` is a name or value
with its number in the program's prefix order, `finish` takes the marks out and says which words each leaf became. A noun
that was said before may come back as "one" ("the red chair and the blue one"): its leaf then stands for the earlier words.
"""

import re
from typing import NamedTuple

import numpy as np

from po3d.language.english import plural, singular, words_of
from po3d.language.programs.rooms import OPEN, SIGNATURES, Call

_MARK = re.compile("\x01(\\d+)([nv])\x02([^\x03]*)\x03")
_V, _N = "\x01\\d+v\x02[^\x03]*\x03", "\x01(\\d+)n\x02([^\x03=]+)\x03"
_SHARED = re.compile(f"({_V}) {_N} (and|or) ((?:to )?the )?({_V}) {_N}")
_AFTER_ONE = re.compile(
    r" (?:next to|closest|nearest|farthest|furthest|on |in the|at the|near |that |"
    r"which |to the|beside |by the|between |under|with |behind)"
)


class Leaf(str):
    """A name or value of a program with its number in prefix order."""

    number: int
    letter: str  # n for a name, v for a value


class Said(NamedTuple):
    """A sentence, its words, and for each leaf of the program its span of words (start, end); None for unsaid ones."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int] | None, ...]


def numbered(program: Call) -> Call:
    """The same program with numbered leaves."""
    count = 0

    def copy(part: Call) -> Call:
        nonlocal count
        args: list[Call | str] = []
        for kind, arg in zip(SIGNATURES[part.op].inputs, part.args):
            if isinstance(arg, Call):
                args.append(copy(arg))
            elif kind in OPEN:
                leaf = Leaf(arg)
                leaf.number, leaf.letter = count, kind[0]
                count += 1
                args.append(leaf)
            else:
                args.append(arg)
        return Call(part.op, tuple(args))

    return copy(program)


def mark(leaf: str, said: str) -> str:
    return f"\x01{leaf.number}{leaf.letter}\x02{said}\x03" if isinstance(leaf, Leaf) else said


def unmarked(text: str) -> str:
    """The words of a marked text."""
    return _MARK.sub(lambda m: "" if m.group(3).startswith("=") else m.group(3), text)


def leaves(program: Call) -> list[Leaf]:
    """The numbered leaves of a numbered program in order."""
    return [a for part in program.calls() for a in part.args if isinstance(a, Leaf)]


def again(word: str, first: Call, second: Call) -> str:
    """A pronoun for `second`, the same program as `first`, which is said elsewhere in the sentence."""
    return word + "".join(_alias(b.number, a.number) for a, b in zip(leaves(first), leaves(second)))


def _alias(number: int | str, of: int | str) -> str:
    return f"\x01{number}n\x02={of}\x03"


def shortened(text: str, random: np.random.Generator, share: float = 0.5) -> str:
    """The marked sentence with some repeated nouns left out: "the red and the blue chair", "the chair ... the red one"."""

    def share_noun(m: re.Match) -> str:
        one, number, noun, word, the, two, other, noun2 = m.groups()
        if noun != noun2 or random.random() > share:
            return m.group(0)
        if word == "and" and noun == singular(noun) and random.random() < 0.3:
            return f"{one}{_alias(number, other)} and {two} \x01{other}n\x02{plural(noun)}\x03"
        return f"{one}{_alias(number, other)} {word} {the or ''}{two} \x01{other}n\x02{noun}\x03"

    text = _SHARED.sub(share_noun, text)
    said: dict[str, str] = {}
    parts, at = [], 0
    for m in _MARK.finditer(text):
        number, letter, noun = m.groups()
        parts.append(text[at : m.start()])
        at = m.end()
        piece = m.group(0)
        if letter == "n" and not noun.startswith("="):
            one = singular(noun) or noun
            before = "".join(parts)
            after = text[at:]
            looks = re.search("v\x02[^\x03]*\x03 $", before) is not None
            bare = before.endswith("the ") and _AFTER_ONE.match(after) is not None
            if one in said and (looks or bare) and random.random() < share:
                piece = ("one" if one == noun else "ones") + _alias(number, said[one])
            else:
                said[one] = number
        parts.append(piece)
    return "".join(parts) + text[at:]


def finish(sentence: str, count: int) -> Said:
    """The sentence without marks, with a capital, and the spans of its `count` leaves."""
    spans: list[tuple[int, int] | None] = [None] * count
    aliases: dict[int, int] = {}
    text, at = "", 0
    for found in _MARK.finditer(sentence):
        text += sentence[at : found.start()]
        at = found.end()
        number, said = int(found.group(1)), found.group(3)
        if said.startswith("="):
            aliases[number] = int(said[1:])
            continue
        start = len(words_of(text))
        text += said
        if spans[number] is None:
            spans[number] = (start, start + len(words_of(said)))
    text = re.sub(r" +", " ", text + sentence[at:]).strip()
    text = re.sub(r" (?=[,.?!:;]|'s\b)", "", text)
    for number, of in aliases.items():
        spans[number] = spans[of]
    return Said(text[:1].upper() + text[1:], tuple(words_of(text)), tuple(spans))
