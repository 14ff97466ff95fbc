"""The typed program language of rooms: edits and questions about what the edits made, one signature table.

A program is a tree of calls. Operations, directions, attributes, purposes and numbers are tokens of the language;
names and attribute values are open text, so a thing never heard of can be moved and counted. Two spellings:

* text     count(upon(only(all("table")), all("cup")))
* tokens   ["count", "upon", "only", "all", "table", "all", "cup"]      prefix order

Two kinds of programs: a change has the type "edit", a question one of ANSWERS.
"""

from po3d.language.dialects import Dialect
from po3d.language.program import Language, Signature, Tree, rows
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


# What an operation takes and gives, and the call that it means: numbers are its arguments.
OPERATIONS = rows("""
# Sets of objects. A "name" is open text: a noun, or "object" for anything.
all(name) -> set                              = filter(name, 1, scene)
having(attribute, value, set) -> set          = filter(1, 2, 3)
lacking(attribute, value, set) -> set         = exclude(1, 2, 3)  those known to look otherwise
either(set, set) -> set                       = union(1, 2)  those of both sets together
usable(purpose, set) -> set                   = filter(purpose, 1, 2)
same_use(object, set) -> set                  = same(purpose, 1, 2)  shares a purpose with the object
toward(direction, object, set) -> set         = relate(1, 2, frame(room), 3)  those that lie that way
side(direction, set) -> set                   = filter(side, 1, 2)  of the room, or in that corner
beside(object, set) -> set                    = relate(next_to, 1, 2)
upon(object, set) -> set                      = relate(on, 1, 2)  those that rest on the object
beneath(object, set) -> set                   = relate(under, 1, 2)
between(object, object, set) -> set           = relate(between, 1, 2, 3)
obstacles(object, object) -> set              = relate(blocking, 1, 2, scene)  what is in the way
other(object, set) -> set                     = exclude(1, 2)  all but the object
touched(set) -> set                           = changed(1)  those that the change was about
pair(object, object) -> set                   = group(1, 2)
just(object) -> set                           = group(1)
same(attribute, object, set) -> set           = same(1, 2, 3)
# Objects.
only(set) -> object                           = unique(1)
nearest(object, set) -> object                = best(distance, least, 1, 2)
farthest(object, set) -> object               = best(distance, most, 1, 2)
first(direction, object, set) -> object       = best(1, first, 2, frame(room), 3)  the nearest of those that way
largest(set) -> object                        = best(volume, most, 1)
smallest(set) -> object                       = best(volume, least, 1)
tallest(set) -> object                        = best(height, most, 1)
shortest(set) -> object                       = best(height, least, 1)
highest(set) -> object                        = best(elevation, most, 1)
lowest(set) -> object                         = best(elevation, least, 1)
extreme(direction, set) -> object             = best(1, most, frame(room), 2)  leftmost, frontmost ...
support(object) -> object                     = unique(relate(supporting, 1, scene))  what it rests on
was(object) -> object                         = before(1)  looked up in the room as it was before the change
# Places.
next_to(object) -> place                      = place(next_to, 1)
on(object) -> place                           = place(on, 1)
under(object) -> place                        = place(under, 1)
amid(object, object) -> place                 = place(between, 1, 2)
at(direction, object) -> place                = place(1, 2, frame(room))
corner(direction) -> place                    = place(corner, 1)
wall(direction) -> place                      = place(wall, 1)
centre() -> place                             = place(centre)
spot(object) -> place                         = place(at, 1)  where the object stands
shift(direction, number) -> place             = place(1, 2)  metres from where the moved thing was
# Edits.
move(set, place) -> edit                      = move(1, 2)
turn(set, number) -> edit                     = turn(1, 2)  degrees, clockwise seen from above
face(set, object) -> edit                     = face(1, 2)  turned towards the object
swap(object, object) -> edit                  = swap(1, 2)
remove(set) -> edit                           = remove(1)
set(attribute, value, set) -> edit            = set(1, 2, 3)
add(number, thing, place) -> edit             = add(1, 2, 3)
replace(set, thing) -> edit                   = replace(1, 2)
then(edit, edit) -> edit                      = then(1, 2)
thing(name, traits) -> thing                  = thing(1, 2)
plain() -> traits                             = plain
trait(attribute, value, traits) -> traits     = trait(1, 2, 3)
# Answers.
count(set) -> integer                         = count(1)
exist(set) -> boolean                         = exist(1)
more(set, set) -> boolean                     = greater_than(count(1), count(2))
fits(object, object) -> boolean               = holds(fits, 1, 2)  where the second is
closer_now(object, object) -> boolean         = holds(nearer_than_before, 1, 2)
name(object) -> words                         = query(name, 1)
query(attribute, object) -> words             = query(1, 2)
kinds(attribute, set) -> integer              = count(1, 2)  number of different values
whither(object, object) -> heading            = direction(1, 2, frame(room), eight)  the way from 1 to 2
seen_from(object, object, object) -> heading  = direction(1, 3, frame(1, 2), eight)  standing at 1, facing 2
which_side(object) -> heading                 = query(side, 1)  of the room
height(object, object) -> comparison          = compare(elevation, 1, 2)  is the first higher or lower
size(object, object) -> comparison            = compare(volume, 1, 2)  is the first larger or smaller
higher(object, object) -> boolean             = greater_than(query(elevation, 1), query(elevation, 2))
larger(object, object) -> boolean             = greater_than(query(volume, 1), query(volume, 2))
""")
SIGNATURES: dict[str, Signature] = {row.op: row.signature for row in OPERATIONS}
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
    {row.op: row.meaning for row in OPERATIONS},
    {"direction": {word: word.replace("back", "behind").replace(" ", "_") for word in DIRECTIONS}},
)
parse_text, from_tokens = Call.parse, Call.from_tokens
