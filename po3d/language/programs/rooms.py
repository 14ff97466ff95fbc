"""The program dialect of rooms: edits and questions about the edited scene.

A program is a tree of calls, typed by one signature table. Operations, directions, attributes,
purposes and numbers are tokens of the language; names and attribute values are open text, so
objects of unseen categories can be moved and counted. Two spellings:

* text     count(upon(only(all("table")), all("cup")))
* tokens   ["count", "upon", "only", "all", "table", "all", "cup"]      prefix order

Two kinds of programs: an edit has the type "edit", a question one of ANSWERS.
"""

from po3d.language import program
from po3d.language.dialects import Dialect
from po3d.language.program import Language, Signature, Tree, rows
from po3d.scene.rooms import ATTRIBUTES, PURPOSES

SIDES = ("front", "back", "left", "right")
_DIRECTIONS = {
    word.replace("behind", "back").replace("_", " "): word for word in program.DIRECTIONS
}
DIRECTIONS = tuple(_DIRECTIONS)  # clockwise
NUMBERS = (
    "0", "0.3", "0.5", "0.6", "0.9", "1", "1.5", "2", "2.5", "3", "4",
    "5", "6", "7", "8", "9", "10", "12", "45", "90", "135", "180", "270",
)  # fmt: skip


OPERATIONS = rows("programs/rooms.txt")
SIGNATURES: dict[str, Signature] = {row.op: row.signature for row in OPERATIONS}
ANSWERS = ("integer", "boolean", "words", "heading", "comparison")
CLOSED: dict[str, tuple[str, ...]] = {
    "direction": DIRECTIONS,
    "attribute": tuple(ATTRIBUTES),
    "purpose": tuple(PURPOSES),
    "number": NUMBERS,
}
OPEN = ("name", "value")  # leaves that are open text


class RoomCall(Tree):
    """A program in the dialect of the room parser and generator."""

    language = Language(
        program.signatures(OPERATIONS), CLOSED | dict.fromkeys(OPEN, str), frozenset(OPEN)
    )


def distinguishing_attribute(pair: RoomCall) -> str | None:
    """Return the attribute that distinguishes two objects of one noun, else None.

    Example: color for "the red or the blue chair".
    """
    looks = []
    for operand in pair.args:
        if operand.op != "only" or operand.args[0].op != "having":
            return None
        attribute, value, kind = operand.args[0].args
        while kind.op == "having":
            kind = kind.args[2]
        looks.append((attribute, value, kind))
    (_, first, one_kind), (attribute, second, kind) = looks
    return attribute if kind.op == "all" and one_kind == kind and first != second else None


ROOMS = Dialect(
    "the language of rooms", RoomCall, program.meanings(OPERATIONS), {"direction": _DIRECTIONS}
)
call, parse_text, from_tokens = RoomCall.of, RoomCall.parse, RoomCall.from_tokens
