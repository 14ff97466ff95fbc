"""Generate sentences for room programs, edits and questions, with rooms.grammar.

`say_change` and `say_question` are pure functions of (program, kind of edit, random). Both return
the sentence and the word span of each name or value of the program, because names and values are
open text that the parser copies. A repeated noun may become "one" ("the red chair and the blue
one"); its span is then that of the earlier word. `loosely` adds variation for training: filler
phrases and indirect statements of edits.
"""

import re
from typing import NamedTuple

import numpy as np

from po3d.language.english import singular, words_of
from po3d.language.grammar import Pick, Pieces, Word, load, spaced
from po3d.language.programs.rooms import OPEN, SIGNATURES, Call
from po3d.language.say.retold import Retold
from po3d.scene.rooms import OTHER_WORDS, USE_NOUNS, hangs, stands_on_top

AGAIN = 4  # a repeated noun is kept in full once in so many cases


class Said(NamedTuple):
    """A sentence, its words, and the word span (start, end) of each leaf, None if omitted."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int] | None, ...]


def say_change(program: Call, kind: str, random: np.random.Generator, loosely: bool = False) -> Said:
    """Generate a sentence for an edit program of type `kind` (movement, removal ...)."""
    return _said("spoken", program, random, {"kind": kind, "loosely": loosely})


def say_question(program: Call, kind: str, random: np.random.Generator, loosely: bool = False) -> Said:
    """Generate a question for a question program after an edit of type `kind`."""
    return _said("asked", program, random, {"kind": kind, "loosely": loosely, "asks": True})


def reworded(program: Call, random: np.random.Generator, share: float = 0.25) -> Call:
    """Replace a random share of a program's names by synonyms."""
    op, args = program.op, list(program.args)
    if (
        op == "usable"
        and args[1] == Call("all", ("object",))
        and args[0] in USE_NOUNS
        and random.random() < share
    ):
        nouns = USE_NOUNS[args[0]]
        return Call("all", (nouns[int(len(nouns) * random.random() ** 2)],))
    for k, (kind, arg) in enumerate(zip(SIGNATURES[op].inputs, args)):
        if isinstance(arg, Call):
            args[k] = reworded(arg, random, share)
        elif kind == "name" and arg in OTHER_WORDS and random.random() < share:
            args[k] = OTHER_WORDS[arg][int(random.integers(len(OTHER_WORDS[arg])))]
    return Call(op, tuple(args))


class Leaf(str):
    """A name or value of a program with its number in prefix order."""

    number: int


def numbered(program: Call) -> Call:
    """Return a copy of the program with numbered leaves."""
    count = 0

    def copy(part: Call) -> Call:
        nonlocal count
        args: list[Call | str] = []
        for kind, arg in zip(SIGNATURES[part.op].inputs, part.args):
            if isinstance(arg, Call):
                arg = copy(arg)
            elif kind in OPEN:
                arg, count = Leaf(arg), count + 1
                arg.number = count - 1
            args.append(arg)
        return Call(part.op, tuple(args))

    return copy(program)


def noun_of(value: Call | str) -> str:
    """Return the noun of a set, a new object or a set's base; "" if there is none."""
    if isinstance(value, str):
        return value
    return next((str(part.args[0]) for part in value.calls() if part.op in ("all", "thing")), "")


_FACTS = {
    "hangs": lambda value: hangs(noun_of(value)),
    "small": lambda value: stands_on_top(noun_of(value)),
    "corner": lambda direction: " " in direction,
    "switched": lambda value: value in ("on", "off"),
}


def _said(form: str, program: Call, random: np.random.Generator, facts: dict) -> Said:
    pick: Pick = lambda n: int(random.integers(n))  # noqa: E731
    said = load("rooms").say(form, numbered(program), pick, facts | _FACTS)
    shorten(said, pick)
    return finish(said, sum(kind in OPEN for kind, _ in program.tokens()))


def is_question(text: str, program: Call) -> bool:
    """Return whether a text is one of the wordings of a question program."""
    return Retold(load("rooms"), text, _FACTS | {"loosely": False}).said("asked", program)


def is_change(text: str, program: Call) -> bool:
    """Return whether a text is one of the wordings of an edit program."""
    return Retold(load("rooms"), text, _FACTS | {"loosely": False}).said("spoken", program)


def shorten(said: Pieces, pick: Pick) -> None:
    """Replace some repeated nouns by "one" after an attribute: "the red chair and the blue one"."""
    known: dict[str, int] = {}
    pieces = [piece for piece in said.pieces if piece]
    for k, piece in enumerate(pieces):
        if not isinstance(piece, Word) or piece.kind != "name" or piece.number < 0:
            continue
        one = singular(piece) or str(piece)
        looked = (
            k > 1
            and isinstance(pieces[k - 2], Word)
            and pieces[k - 2].kind == "value"
            and pieces[k - 1] == " "
        )
        if one in known and looked and pick(AGAIN):
            pieces[k] = "one" if one == piece else "ones"
            said.same[piece.number] = known[one]
        else:
            known.setdefault(one, piece.number)
    said.pieces = pieces


def finish(said: Pieces, count: int) -> Said:
    """Capitalise the sentence and compute the spans of its `count` leaves."""
    spans: list[tuple[int, int] | None] = [None] * count
    text = ""
    for piece in said.pieces:
        start = len(words_of(text)) if isinstance(piece, Word) else 0
        text += piece
        if isinstance(piece, Word) and piece.number >= 0 and spans[piece.number] is None:
            spans[piece.number] = (start, start + len(words_of(piece)))
    for number, of in said.same.items():
        spans[number] = spans[number] or spans[of]
    text = re.sub(r"(?:^|[.?!] )[a-z]", lambda m: m[0].upper(), spaced(text))
    return Said(text, tuple(words_of(text)), tuple(spans))
