"""The typed program language of rooms: edits and questions about what the edits made, one signature table.

A program is a tree of calls. Operations, directions, attributes, purposes and numbers are tokens of the language;
names and attribute values are open text, so a thing never heard of can be moved and counted. Two spellings:

* text     count(upon(only(all("table")), all("cup")))
* tokens   ["count", "upon", "only", "all", "table", "all", "cup"]      prefix order

Two kinds of programs: a change has the type "edit", a question one of ANSWERS.
"""

from po3d.language.dialects import Dialect
from po3d.language.program import Language, Signature, Tree
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


class Call(Tree):
    """A program as the English of rooms and its parser have it."""

    language = Language(
        {op: (signature,) for op, signature in SIGNATURES.items()},
        CLOSED | dict.fromkeys(OPEN, str),
        frozenset(OPEN),
    )


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


ROOMS = Dialect(
    "the language of rooms",
    Call,
    {
        "all": "filter(name, 1, scene)",
        "having": "filter(1, 2, 3)",
        "lacking": "exclude(1, 2, 3)",
        "either": "union(1, 2)",
        "usable": "filter(purpose, 1, 2)",
        "same_use": "same(purpose, 1, 2)",
        "toward": "relate(1, 2, frame(room), 3)",
        "side": "filter(side, 1, 2)",
        "beside": "relate(next_to, 1, 2)",
        "upon": "relate(on, 1, 2)",
        "beneath": "relate(under, 1, 2)",
        "between": "relate(between, 1, 2, 3)",
        "obstacles": "relate(blocking, 1, 2, scene)",
        "other": "exclude(1, 2)",
        "touched": "changed(1)",
        "pair": "group(1, 2)",
        "just": "group(1)",
        "same": "same(1, 2, 3)",
        "only": "unique(1)",
        "nearest": "best(distance, least, 1, 2)",
        "farthest": "best(distance, most, 1, 2)",
        "first": "best(1, first, 2, frame(room), 3)",
        "largest": "best(volume, most, 1)",
        "smallest": "best(volume, least, 1)",
        "tallest": "best(height, most, 1)",
        "shortest": "best(height, least, 1)",
        "highest": "best(elevation, most, 1)",
        "lowest": "best(elevation, least, 1)",
        "extreme": "best(1, most, frame(room), 2)",
        "support": "unique(relate(supporting, 1, scene))",
        "was": "before(1)",
        "next_to": "place(next_to, 1)",
        "on": "place(on, 1)",
        "under": "place(under, 1)",
        "amid": "place(between, 1, 2)",
        "at": "place(1, 2, frame(room))",
        "corner": "place(corner, 1)",
        "wall": "place(wall, 1)",
        "centre": "place(centre)",
        "spot": "place(at, 1)",
        "shift": "place(1, 2)",
        "move": "move(1, 2)",
        "turn": "turn(1, 2)",
        "face": "face(1, 2)",
        "swap": "swap(1, 2)",
        "remove": "remove(1)",
        "set": "set(1, 2, 3)",
        "add": "add(1, 2, 3)",
        "replace": "replace(1, 2)",
        "then": "then(1, 2)",
        "thing": "thing(1, 2)",
        "plain": "plain",
        "trait": "trait(1, 2, 3)",
        "count": "count(1)",
        "exist": "exist(1)",
        "more": "greater_than(count(1), count(2))",
        "fits": "holds(fits, 1, 2)",
        "closer_now": "holds(nearer_than_before, 1, 2)",
        "name": "query(name, 1)",
        "query": "query(1, 2)",
        "kinds": "count(1, 2)",
        "whither": "direction(1, 2, frame(room), eight)",
        "seen_from": "direction(1, 3, frame(1, 2), eight)",
        "which_side": "query(side, 1)",
        "height": "compare(elevation, 1, 2)",
        "size": "compare(volume, 1, 2)",
        "higher": "greater_than(query(elevation, 1), query(elevation, 2))",
        "larger": "greater_than(query(volume, 1), query(volume, 2))",
    },
    {"direction": {word: word.replace("back", "behind").replace(" ", "_") for word in DIRECTIONS}},
)


parse_text, from_tokens = Call.parse, Call.from_tokens
