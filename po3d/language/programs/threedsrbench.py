"""The typed language of 3DSRBench's questions: one operation on one to three described things, one signature table.

    higher("cyclist in orange suit", "yellow board")         which of the two is higher
    closer_to("coffee table", "TV", "surfboard")             which of the last two is closer to the first
    side_to("dog", "speakers")                               which side of the first faces the second

Things are open text, as people describe them, or "#3 brown chair": row 3 of the table, whatever it is called. The
language of rooms (`room_program`) is for questions that are built up from parts, and its parser's tokens are its
operations; these questions have no parts, so they have a table of their own and share the rooms' tables and spelling.

What an operation answers is one of its type's words (`ANSWERS`) or, for "object", one of its candidates.
"""

import json
import re
from dataclasses import dataclass
from typing import NamedTuple

from po3d.language.programs.street import ProgramError


class Signature(NamedTuple):
    """What an operation takes and gives. Roles: "one" of those an answer is chosen from, or "of": any other thing."""

    roles: tuple[str, ...]
    output: str
    category: str  # the benchmark's type of question


_TWO, _BOTH = ("one", "one"), ("of", "of")
SIGNATURES: dict[str, Signature] = {
    "higher": Signature(_TWO, "object", "height_higher"),
    "lower": Signature(_TWO, "object", "height_higher"),
    "above": Signature(_BOTH, "boolean", "location_above"),  # is the first directly above the second
    "underneath": Signature(_BOTH, "boolean", "location_above"),
    "nearer_camera": Signature(_TWO, "object", "location_closer_to_camera"),
    "farther_camera": Signature(_TWO, "object", "location_closer_to_camera"),
    "next_to": Signature(_BOTH, "nearness", "location_next_to"),
    "in_front_of": Signature(_BOTH, "depth", "orientation_in_front_of"),  # of the first: where is the second
    "on_the_left": Signature(_BOTH, "side", "orientation_on_the_left"),  # of the first: where is the second
    "side_to_camera": Signature(("of",), "quarter", "orientation_viewpoint"),
    "closer_to": Signature(("of", "one", "one"), "object", "multi_object_closer_to"),
    "farther_from": Signature(("of", "one", "one"), "object", "multi_object_closer_to"),
    "facing": Signature(("of", "one", "one"), "object", "multi_object_facing"),
    "side_to": Signature(_BOTH, "quarter", "multi_object_viewpoint_towards_object"),
    "parallel": Signature(_BOTH, "alignment", "multi_object_parallel"),
    "same_direction": Signature(_BOTH, "agreement", "multi_object_same_direction"),
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
_TEXT = re.compile(r'\s*([a-z_]+)\s*\(\s*("(?:[^"\\]|\\.)*"(?:\s*,\s*"(?:[^"\\]|\\.)*")*)\s*\)\s*')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True)
class SrProgram:
    """One question. Construction checks it."""

    op: str
    things: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.op not in SIGNATURES:
            raise ProgramError(f"unknown operation {self.op!r}; known: {', '.join(SIGNATURES)}")
        if len(self.things) != len(self.signature.roles):
            raise ProgramError(f"{self.op} takes {len(self.signature.roles)} things, got {len(self.things)}")
        if not all(thing.strip() for thing in self.things):
            raise ProgramError(f"{self.op}: a thing without description")

    @property
    def signature(self) -> Signature:
        return SIGNATURES[self.op]

    @property
    def candidates(self) -> tuple[int, ...]:
        """Which of the things an answer is chosen from; () when the answer is a word."""
        return tuple(k for k, role in enumerate(self.signature.roles) if role == "one")

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers that there are."""
        if self.signature.output == "object":
            return tuple(self.things[k] for k in self.candidates)
        return ANSWERS[self.signature.output]

    def text(self) -> str:
        """higher("a", "b"); `parse_text` reads it back."""
        return f"{self.op}({', '.join(json.dumps(t, ensure_ascii=False) for t in self.things)})"

    def __str__(self) -> str:
        return self.text()


def ask(op: str, *things: str) -> SrProgram:
    """SrProgram(op, things) without the tuple."""
    return SrProgram(op, things)


def parse_text(text: str) -> SrProgram:
    """The program of the spelling that `SrProgram.text` writes; ProgramError when it is none."""
    found = _TEXT.fullmatch(text)
    if not found:
        raise ProgramError(f"can't read the program {text[:60]!r}")
    try:
        things = tuple(json.loads(s) for s in _STRING.findall(found[2]))
    except json.JSONDecodeError:
        raise ProgramError(f"can't read the descriptions of {text[:60]!r}") from None
    return SrProgram(found[1], things)
