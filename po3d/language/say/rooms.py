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
from po3d.language.grammar import LeafWord, PhrasePieces, Pick, load, spaced
from po3d.language.programs.rooms import OPEN, SIGNATURES, RoomCall
from po3d.language.say.retold import Retold
from po3d.scene.rooms import OTHER_WORDS, USE_NOUNS, hangs, stands_on_top

AGAIN = 4  # a repeated noun is kept in full once in so many cases


class SpannedSentence(NamedTuple):
    """A sentence, its words, and the word span (start, end) of each leaf, None if omitted."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int] | None, ...]


def say_change(
    program: RoomCall, kind: str, random: np.random.Generator, loosely: bool = False
) -> SpannedSentence:
    """Generate a sentence for an edit program of type `kind` (movement, removal ...)."""
    return _sentence("spoken", program, random, {"kind": kind, "loosely": loosely})


def say_question(
    program: RoomCall, kind: str, random: np.random.Generator, loosely: bool = False
) -> SpannedSentence:
    """Generate a question for a question program after an edit of type `kind`."""
    return _sentence("asked", program, random, {"kind": kind, "loosely": loosely, "asks": True})


def reworded(program: RoomCall, random: np.random.Generator, share: float = 0.25) -> RoomCall:
    """Replace a random share of a program's names by synonyms."""
    op, args = program.op, list(program.args)
    if (
        op == "usable"
        and args[1] == RoomCall("all", ("object",))
        and args[0] in USE_NOUNS
        and random.random() < share
    ):
        nouns = USE_NOUNS[args[0]]
        return RoomCall("all", (nouns[int(len(nouns) * random.random() ** 2)],))
    for k, (kind, arg) in enumerate(zip(SIGNATURES[op].inputs, args)):
        if isinstance(arg, RoomCall):
            args[k] = reworded(arg, random, share)
        elif kind == "name" and arg in OTHER_WORDS and random.random() < share:
            args[k] = OTHER_WORDS[arg][int(random.integers(len(OTHER_WORDS[arg])))]
    return RoomCall(op, tuple(args))


def numbered(program: RoomCall) -> RoomCall:
    """Return a copy of the program with numbered leaves."""
    count = 0

    def copy(part: RoomCall) -> RoomCall:
        nonlocal count
        args: list[RoomCall | str] = []
        for kind, arg in zip(SIGNATURES[part.op].inputs, part.args):
            if isinstance(arg, RoomCall):
                arg = copy(arg)
            elif kind in OPEN:
                arg, count = LeafWord(arg), count + 1
                arg.number = count - 1
            args.append(arg)
        return RoomCall(part.op, tuple(args))

    return copy(program)


def noun_of(value: RoomCall | str) -> str:
    """Return the noun of a program's first named set or new object; "" if there is none."""
    if isinstance(value, str):
        return value
    named = next(value.calls("all", "thing"), None)
    return str(named.args[0]) if named else ""


_FACTS = {
    "hangs": lambda value: hangs(noun_of(value)),
    "small": lambda value: stands_on_top(noun_of(value)),
    "corner": lambda direction: " " in direction,
    "switched": lambda value: value in ("on", "off"),
}


def _sentence(
    form: str, program: RoomCall, random: np.random.Generator, facts: dict
) -> SpannedSentence:
    pick: Pick = lambda n: int(random.integers(n))  # noqa: E731
    pieces = load("rooms").say(form, numbered(program), pick, facts | _FACTS)
    shorten(pieces, pick)
    return finish(pieces, sum(kind in OPEN for kind, _ in program.tokens()))


def is_question(text: str, program: RoomCall) -> bool:
    """Return whether a text is one of the wordings of a question program."""
    return Retold(load("rooms"), text, _FACTS | {"loosely": False}).said("asked", program)


def is_change(text: str, program: RoomCall) -> bool:
    """Return whether a text is one of the wordings of an edit program."""
    return Retold(load("rooms"), text, _FACTS | {"loosely": False}).said("spoken", program)


def shorten(phrase: PhrasePieces, pick: Pick) -> None:
    """Replace some repeated nouns by "one" after an attribute: "the red chair and the blue one"."""
    known: dict[str, int] = {}
    pieces = list(filter(None, phrase.pieces))
    for k, piece in enumerate(pieces):
        if not isinstance(piece, LeafWord) or piece.kind != "name" or piece.number < 0:
            continue
        noun = singular(piece) or str(piece)
        repeated = (
            k > 1
            and isinstance(pieces[k - 2], LeafWord)
            and pieces[k - 2].kind == "value"
            and pieces[k - 1] == " "
        )
        if noun in known and repeated and pick(AGAIN):
            pieces[k] = "one" if noun == piece else "ones"
            phrase.same[piece.number] = known[noun]
        else:
            known.setdefault(noun, piece.number)
    phrase.pieces = pieces


def finish(pieces: PhrasePieces, count: int) -> SpannedSentence:
    """Join the pieces of a sentence, capitalise it, and find which of its words stand for each of
    the `count` names and values of its program."""
    spans: list[tuple[int, int] | None] = [None] * count
    text = ""
    for piece in pieces.pieces:
        start = len(words_of(text)) if isinstance(piece, LeafWord) else 0
        text += piece
        if isinstance(piece, LeafWord) and piece.number >= 0 and spans[piece.number] is None:
            spans[piece.number] = (start, start + len(words_of(piece)))
    for number, of in pieces.same.items():
        spans[number] = spans[number] or spans[of]
    text = re.sub(r"(?:^|[.?!] )[a-z]", lambda m: m[0].upper(), spaced(text))
    return SpannedSentence(text, tuple(words_of(text)), tuple(spans))
