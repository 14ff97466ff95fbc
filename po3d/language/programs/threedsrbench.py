"""How 3DSRBench's programs are spelled: one operation on one to three described things.

    higher("cyclist in orange suit", "yellow board")         which of the two is higher
    closer_to("coffee table", "TV", "surfboard")             which of the last two is closer to the first
    side_to("dog", "speakers")                               which side of the first faces the second

Things are open text, as people describe them, or "#3 brown chair": row 3 of the table, whatever it is called. What an
operation answers is one of its type's words (`ANSWERS`) or, for "object", one of its candidates.
"""

from typing import NamedTuple

from po3d.language.dialects import Dialect
from po3d.language.program import Language, Signature, Tree


class Operation(NamedTuple):
    """What an operation takes and gives. Roles: "one" of those an answer is chosen from, or "of": any other thing."""

    roles: tuple[str, ...]
    output: str
    category: str  # the benchmark's type of question
    meaning: str  # its call


_TWO, _BOTH = ("one", "one"), ("of", "of")
OPERATIONS: dict[str, Operation] = {
    "higher": Operation(
        _TWO, "object", "height_higher", "query(name, best(elevation, most, group(refer(1), refer(2))))"
    ),
    "lower": Operation(
        _TWO, "object", "height_higher", "query(name, best(elevation, least, group(refer(1), refer(2))))"
    ),
    "above": Operation(
        _BOTH, "boolean", "location_above", "holds(above, refer(1), refer(2))"
    ),  # is the first directly above the second
    "underneath": Operation(_BOTH, "boolean", "location_above", "holds(under, refer(1), refer(2))"),
    "nearer_camera": Operation(
        _TWO,
        "object",
        "location_closer_to_camera",
        "query(name, best(distance, least, viewer, group(refer(1), refer(2))))",
    ),
    "farther_camera": Operation(
        _TWO,
        "object",
        "location_closer_to_camera",
        "query(name, best(distance, most, viewer, group(refer(1), refer(2))))",
    ),
    "next_to": Operation(_BOTH, "nearness", "location_next_to", "holds(next_to, refer(1), refer(2))"),
    "in_front_of": Operation(
        _BOTH,
        "depth",
        "orientation_in_front_of",
        "direction(refer(1), refer(2), frame(object), front_or_behind)",
    ),  # of the first: where is the second
    "on_the_left": Operation(
        _BOTH,
        "side",
        "orientation_on_the_left",
        "direction(refer(1), refer(2), frame(object), left_or_right)",
    ),  # of the first: where is the second
    "side_to_camera": Operation(
        ("of",), "quarter", "orientation_viewpoint", "direction(refer(1), viewer, frame(object), four)"
    ),
    "closer_to": Operation(
        ("of", "one", "one"),
        "object",
        "multi_object_closer_to",
        "query(name, best(distance, least, refer(1), group(refer(2), refer(3))))",
    ),
    "farther_from": Operation(
        ("of", "one", "one"),
        "object",
        "multi_object_closer_to",
        "query(name, best(distance, most, refer(1), group(refer(2), refer(3))))",
    ),
    "facing": Operation(
        ("of", "one", "one"),
        "object",
        "multi_object_facing",
        "query(name, best(bearing, least, refer(1), group(refer(2), refer(3))))",
    ),
    "side_to": Operation(
        _BOTH,
        "quarter",
        "multi_object_viewpoint_towards_object",
        "direction(refer(1), refer(2), frame(object), four)",
    ),
    "parallel": Operation(_BOTH, "alignment", "multi_object_parallel", "holds(parallel, refer(1), refer(2))"),
    "same_direction": Operation(
        _BOTH, "agreement", "multi_object_same_direction", "holds(same_direction, refer(1), refer(2))"
    ),
}
ANSWERS: dict[str, tuple[str, ...]] = {  # the benchmark's own words
    "boolean": ("yes", "no"),
    "nearness": ("next to each other", "far away from each other"),
    "depth": ("in front of", "behind"),
    "side": ("on the left", "on the right"),
    "quarter": ("front", "left", "back", "right"),
    "alignment": ("parallel", "perpendicular"),
    "agreement": ("same or similar directions", "very different directions"),
}


class SrProgram(Tree):
    """One question: an operation on things."""

    language = Language(
        {op: (Signature(("thing",) * len(of.roles), of.output),) for op, of in OPERATIONS.items()},
        {"thing": str},
        frozenset({"thing"}),
    )

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


THREEDSRBENCH = Dialect(
    "3DSRBench's language", SrProgram, {op: of.meaning for op, of in OPERATIONS.items()}, {}
)


def ask(op: str, *things: str) -> SrProgram:
    """SrProgram(op, things) without the tuple."""
    return SrProgram(op, things)


parse_text = SrProgram.parse
