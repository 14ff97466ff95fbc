"""How 3DSRBench's programs are spelled: one operation on one to three described things.

    higher("cyclist in orange suit", "yellow board")         which of the two is higher
    closer_to("coffee table", "TV", "surfboard")             which of the last two is closer to the first
    side_to("dog", "speakers")                               which side of the first faces the second

Things are open text, as people describe them, or "#3 brown chair": row 3 of the table, whatever it is called. What an
operation answers is one of its type's words (`ANSWERS`) or, for "object", one of its candidates.
"""

from typing import NamedTuple

from po3d.language.dialects import Dialect
from po3d.language.program import Language, Signature, Tree, rows

_TABLE = rows("""
higher(thing, thing) -> object = query(name, best(elevation, most, group(refer(1), refer(2))))  height_higher
lower(thing, thing) -> object = query(name, best(elevation, least, group(refer(1), refer(2))))  height_higher
above(thing, thing) -> boolean = holds(above, refer(1), refer(2))  location_above
underneath(thing, thing) -> boolean = holds(under, refer(1), refer(2))  location_above
nearer_camera(thing, thing) -> object = query(name, best(distance, least, viewer, group(refer(1), refer(2))))  location_closer_to_camera
farther_camera(thing, thing) -> object = query(name, best(distance, most, viewer, group(refer(1), refer(2))))  location_closer_to_camera
next_to(thing, thing) -> nearness = holds(next_to, refer(1), refer(2))  location_next_to
in_front_of(thing, thing) -> depth = direction(refer(1), refer(2), frame(object), front_or_behind)  orientation_in_front_of
on_the_left(thing, thing) -> side = direction(refer(1), refer(2), frame(object), left_or_right)  orientation_on_the_left
side_to_camera(thing) -> quarter = direction(refer(1), viewer, frame(object), four)  orientation_viewpoint
closer_to(thing, thing, thing) -> object = query(name, best(distance, least, refer(1), group(refer(2), refer(3))))  multi_object_closer_to
farther_from(thing, thing, thing) -> object = query(name, best(distance, most, refer(1), group(refer(2), refer(3))))  multi_object_closer_to
facing(thing, thing, thing) -> object = query(name, best(bearing, least, refer(1), group(refer(2), refer(3))))  multi_object_facing
side_to(thing, thing) -> quarter = direction(refer(1), refer(2), frame(object), four)  multi_object_viewpoint_towards_object
parallel(thing, thing) -> alignment = holds(parallel, refer(1), refer(2))  multi_object_parallel
same_direction(thing, thing) -> agreement = holds(same_direction, refer(1), refer(2))  multi_object_same_direction
""")


class Operation(NamedTuple):
    """What an operation takes and gives. Roles: "one" of those an answer is chosen from, or "of": any other thing."""

    roles: tuple[str, ...]
    output: str
    category: str  # the benchmark's type of question


def _operation(signature: Signature, category: str) -> Operation:
    others = len(signature.inputs) - 2 * (signature.output == "object")
    roles = ("of",) * others + ("one",) * (len(signature.inputs) - others)
    return Operation(roles, signature.output, category)


OPERATIONS = {row.op: _operation(row.signature, row.note) for row in _TABLE}
ANSWERS: dict[str, tuple[str, ...]] = {  # the benchmark's own words
    "boolean": ("yes", "no"),
    "nearness": ("next to each other", "far away from each other"),
    "depth": ("in front of", "behind"),
    "side": ("on the left", "on the right"),
    "quarter": ("front", "left", "back", "right"),
    "alignment": ("parallel", "perpendicular"),
    "agreement": ("same or similar directions", "very different directions"),
}


class PhraseCall(Tree):
    """One question: an operation on things."""

    language = Language({row.op: (row.signature,) for row in _TABLE}, {"thing": str}, frozenset({"thing"}))

    @property
    def things(self) -> tuple[str, ...]:
        return self.args

    @property
    def candidates(self) -> tuple[int, ...]:
        """Which of the things an answer is chosen from; () when the answer is a word."""
        return tuple(k for k, role in enumerate(OPERATIONS[self.op].roles) if role == "one")

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers that there are."""
        if self.output == "object":
            return tuple(self.things[k] for k in self.candidates)
        return ANSWERS[self.output]


THREEDSRBENCH = Dialect("3DSRBench's language", PhraseCall, {row.op: row.meaning for row in _TABLE})


def ask(op: str, *things: str) -> PhraseCall:
    """PhraseCall(op, things) without the tuple."""
    return PhraseCall(op, things)


parse_text = PhraseCall.parse
