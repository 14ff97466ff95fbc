"""The typed program language of rooms: edits and questions about what the edits made, one signature table.

A program is a tree of calls. Operations, directions, attributes, purposes and numbers are tokens of the language;
names and attribute values are open text, so a thing never heard of can be moved and counted. Two spellings:

* text     count(upon(only(all("table")), all("cup")))
* tokens   ["count", "upon", "only", "all", "table", "all", "cup"]      prefix order

Two kinds of programs: a change has the type "edit", a question one of ANSWERS.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from po3d.language.programs.street import ProgramError
from po3d.scene.rooms import ATTRIBUTES, PURPOSES

SIDES = ("front", "back", "left", "right")
DIRECTIONS = (
    "front",
    "front right",
    "right",
    "back right",
    "back",
    "back left",
    "left",
    "front left",
)  # clockwise
NUMBERS = (
    "0", "0.3", "0.5", "0.6", "0.9", "1", "1.5", "2", "2.5", "3", "4",
    "5", "6", "7", "8", "9", "10", "12", "45", "90", "135", "180", "270",
)  # fmt: skip


class Signature(NamedTuple):
    inputs: tuple[str, ...]
    output: str


_SET, _OBJECT, _PLACE, _EDIT = "set", "object", "place", "edit"
SIGNATURES: dict[str, Signature] = {
    # Sets of objects. A "name" is open text: a noun, or "object" for anything.
    "all": Signature(("name",), _SET),
    "having": Signature(("attribute", "value", _SET), _SET),
    "lacking": Signature(("attribute", "value", _SET), _SET),  # those known to look otherwise
    "either": Signature((_SET, _SET), _SET),  # those of both sets together
    "usable": Signature(("purpose", _SET), _SET),
    "same_use": Signature((_OBJECT, _SET), _SET),  # shares a purpose with the object
    "toward": Signature(("direction", _OBJECT, _SET), _SET),  # those that lie that way from the object
    "side": Signature(("direction", _SET), _SET),  # those at that side, or in that corner, of the room
    "beside": Signature((_OBJECT, _SET), _SET),
    "upon": Signature((_OBJECT, _SET), _SET),  # those that rest on the object
    "beneath": Signature((_OBJECT, _SET), _SET),
    "between": Signature((_OBJECT, _OBJECT, _SET), _SET),
    "obstacles": Signature((_OBJECT, _OBJECT), _SET),  # what stands in the direct path from one to the other
    "other": Signature((_OBJECT, _SET), _SET),  # all but the object
    "touched": Signature((_SET,), _SET),  # those that the change was about
    "pair": Signature((_OBJECT, _OBJECT), _SET),
    "just": Signature((_OBJECT,), _SET),
    "same": Signature(("attribute", _OBJECT, _SET), _SET),
    # Objects.
    "only": Signature((_SET,), _OBJECT),
    "nearest": Signature((_OBJECT, _SET), _OBJECT),
    "farthest": Signature((_OBJECT, _SET), _OBJECT),
    "first": Signature(
        ("direction", _OBJECT, _SET), _OBJECT
    ),  # the nearest of those that lie that way from the object
    "largest": Signature((_SET,), _OBJECT),
    "smallest": Signature((_SET,), _OBJECT),
    "tallest": Signature((_SET,), _OBJECT),
    "shortest": Signature((_SET,), _OBJECT),
    "highest": Signature((_SET,), _OBJECT),
    "lowest": Signature((_SET,), _OBJECT),
    "extreme": Signature(("direction", _SET), _OBJECT),  # leftmost, frontmost ...
    "support": Signature((_OBJECT,), _OBJECT),  # what it rests on
    "was": Signature((_OBJECT,), _OBJECT),  # looked up in the room as it was before the change
    # Places.
    "next_to": Signature((_OBJECT,), _PLACE),
    "on": Signature((_OBJECT,), _PLACE),
    "under": Signature((_OBJECT,), _PLACE),
    "amid": Signature((_OBJECT, _OBJECT), _PLACE),
    "at": Signature(("direction", _OBJECT), _PLACE),
    "corner": Signature(("direction",), _PLACE),
    "wall": Signature(("direction",), _PLACE),
    "centre": Signature((), _PLACE),
    "spot": Signature((_OBJECT,), _PLACE),  # where the object stands
    "shift": Signature(("direction", "number"), _PLACE),  # metres from where the moved thing was
    # Edits.
    "move": Signature((_SET, _PLACE), _EDIT),
    "turn": Signature((_SET, "number"), _EDIT),  # degrees, clockwise seen from above
    "face": Signature((_SET, _OBJECT), _EDIT),  # turned towards the object
    "swap": Signature((_OBJECT, _OBJECT), _EDIT),
    "remove": Signature((_SET,), _EDIT),
    "set": Signature(("attribute", "value", _SET), _EDIT),
    "add": Signature(("number", "thing", _PLACE), _EDIT),
    "replace": Signature((_SET, "thing"), _EDIT),
    "then": Signature((_EDIT, _EDIT), _EDIT),
    "thing": Signature(("name", "traits"), "thing"),
    "plain": Signature((), "traits"),
    "trait": Signature(("attribute", "value", "traits"), "traits"),
    # Answers.
    "count": Signature((_SET,), "integer"),
    "exist": Signature((_SET,), "boolean"),
    "more": Signature((_SET, _SET), "boolean"),
    "fits": Signature((_OBJECT, _OBJECT), "boolean"),  # the first in the room that the second takes up
    "closer_now": Signature((_OBJECT, _OBJECT), "boolean"),  # than the two were before the change
    "name": Signature((_OBJECT,), "words"),
    "query": Signature(("attribute", _OBJECT), "words"),
    "kinds": Signature(("attribute", _SET), "integer"),  # number of different values
    "whither": Signature((_OBJECT, _OBJECT), "heading"),  # the way from the first to the second
    "seen_from": Signature((_OBJECT, _OBJECT, _OBJECT), "heading"),  # standing at 1, facing 2: where is 3
    "which_side": Signature((_OBJECT,), "heading"),  # of the room
    "height": Signature((_OBJECT, _OBJECT), "comparison"),  # is the first higher or lower
    "size": Signature((_OBJECT, _OBJECT), "comparison"),  # is the first larger or smaller
    "higher": Signature((_OBJECT, _OBJECT), "boolean"),  # is the first placed higher than the second
    "larger": Signature((_OBJECT, _OBJECT), "boolean"),
}
ANSWERS = ("integer", "boolean", "words", "heading", "comparison")
CLOSED: dict[str, tuple[str, ...]] = {
    "direction": DIRECTIONS,
    "attribute": tuple(ATTRIBUTES),
    "purpose": tuple(PURPOSES),
    "number": NUMBERS,
}
OPEN = ("name", "value")  # leaves that are free text


@dataclass(frozen=True)
class Call:
    """One operation on its arguments: calls, or the text of a leaf. Construction checks the types."""

    op: str
    args: tuple["Call | str", ...] = ()

    def __post_init__(self) -> None:
        if self.op not in SIGNATURES:
            raise ProgramError(f"unknown operation {self.op!r}; known: {', '.join(SIGNATURES)}")
        wanted = SIGNATURES[self.op].inputs
        if len(wanted) != len(self.args):
            raise ProgramError(f"{self.op} takes {len(wanted)} arguments, got {len(self.args)}")
        for kind, arg in zip(wanted, self.args):
            if kind in OPEN or kind in CLOSED:
                if not isinstance(arg, str) or not arg or (kind in CLOSED and arg not in CLOSED[kind]):
                    known = f"; known: {', '.join(CLOSED[kind])}" if kind in CLOSED else ""
                    raise ProgramError(f"{self.op}: {arg!r} is no {kind}{known}")
            elif not isinstance(arg, Call) or arg.output != kind:
                raise ProgramError(f"{self.op} takes {kind}, got {arg}")

    @property
    def output(self) -> str:
        return SIGNATURES[self.op].output

    def text(self) -> str:
        """count(all("chair")); `parse_text` reads it back."""
        kinds = SIGNATURES[self.op].inputs
        spelled = (
            a.text() if isinstance(a, Call) else f'"{a}"' if kind in OPEN else a
            for kind, a in zip(kinds, self.args)
        )
        return f"{self.op}({', '.join(spelled)})" if self.args else self.op

    def __str__(self) -> str:
        return self.text()

    def tokens(self) -> Iterator[tuple[str, str]]:
        """(kind, text) in prefix order: kind "op" or the kind of a leaf."""
        yield "op", self.op
        for kind, arg in zip(SIGNATURES[self.op].inputs, self.args):
            if isinstance(arg, Call):
                yield from arg.tokens()
            else:
                yield kind, arg

    def calls(self) -> Iterator["Call"]:
        """This call and all under it, depth first."""
        yield self
        for arg in self.args:
            if isinstance(arg, Call):
                yield from arg.calls()


def call(op: str, *args: "Call | str") -> Call:
    """Call(op, args) without the tuple."""
    return Call(op, args)


def told_apart(pair: Call) -> str | None:
    """The attribute that tells two things of one noun apart ("the red or the blue chair": color); None for other pairs."""
    looks = []
    for one in pair.args:
        if one.op != "only" or one.args[0].op != "having":
            return None
        attribute, value, kind = one.args[0].args
        while kind.op == "having":
            kind = kind.args[2]
        looks.append((attribute, value, kind))
    (_, first, one_kind), (attribute, second, kind) = looks
    return attribute if kind.op == "all" and one_kind == kind and first != second else None


_LEXEME = re.compile(r'\s*(?:"([^"]*)"|([a-z_]+(?: [a-z]+)*)|([0-9]+(?:\.[0-9]+)?)|([(),]))')


def parse_text(text: str) -> Call:
    """The program of the spelling that `Call.text` writes; ProgramError when it is none."""
    lexemes: list[tuple[str, str]] = []
    position, text = 0, text.strip()
    while position < len(text):
        match = _LEXEME.match(text, position)
        if not match:
            raise ProgramError(f"can't read the program at {text[position : position + 20]!r}")
        position = match.end()
        quoted, word, number, mark = match.groups()
        lexemes.append(
            ("mark", mark)
            if mark
            else ("open" if quoted is not None else "word", quoted or word or number or "")
        )
    at = 0

    def expect(mark: str) -> None:
        nonlocal at
        if at >= len(lexemes) or lexemes[at] != ("mark", mark):
            raise ProgramError(f"{mark!r} is missing in {text!r}")
        at += 1

    def read(kind: str | None) -> Call | str:
        nonlocal at
        if at >= len(lexemes) or lexemes[at][0] == "mark":
            raise ProgramError(f"the program ends too early: {text!r}")
        form, word = lexemes[at]
        at += 1
        if kind in OPEN or kind in CLOSED:
            if (form == "open") != (kind in OPEN):
                raise ProgramError(f"{word!r} is no {kind} in {text!r}")
            return word
        if form != "word" or word not in SIGNATURES:
            raise ProgramError(f"unknown operation {word!r}; known: {', '.join(SIGNATURES)}")
        kinds = SIGNATURES[word].inputs
        args = []
        for k, inner in enumerate(kinds):
            expect("," if k else "(")
            args.append(read(inner))
        if kinds:
            expect(")")
        return Call(word, tuple(args))

    program = read(None)
    if at != len(lexemes):
        raise ProgramError(f"left over after the program: {text!r}")
    return program


def from_tokens(tokens: Sequence[str]) -> Call:
    """The program of prefix tokens (operations and leaves alike, as the texts of `Call.tokens`)."""
    at = 0

    def read(kind: str | None) -> Call | str:
        nonlocal at
        if at >= len(tokens):
            raise ProgramError(f"the token list ends too early: {' '.join(tokens)}")
        token = tokens[at]
        at += 1
        if kind in OPEN or kind in CLOSED:
            return token
        if token not in SIGNATURES:
            raise ProgramError(f"unknown operation {token!r}")
        return Call(token, tuple(read(inner) for inner in SIGNATURES[token].inputs))

    program = read(None)
    if at != len(tokens):
        raise ProgramError(f"tokens left over after the program: {' '.join(tokens[at:])}")
    return program
