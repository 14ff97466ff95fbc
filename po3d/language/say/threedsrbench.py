"""3DSRBench's questions in English: the release's wordings, the paper's, and our own.

The first two are the benchmark's fixed phrases, with the openings that it puts before them. A question comes with its
options and with which option each answer of the program is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from po3d.io.errors import InputError
from po3d.language.programs.threedsrbench import SrProgram

Style = Literal["release", "paper", "free"]
STYLES: tuple[Style, ...] = ("release", "paper", "free")

_LOCATIONS = "Consider the real-world 3D locations of the objects. "
_LOCATION = "Consider the real-world 3D location of the objects. "
_ORIENTATIONS = "Consider the real-world 3D orientations of the objects. "
_BOTH = "Consider the real-world 3D locations and orientations of the objects. "
_STANDING = "If I stand at the {0}'s position facing where it is facing, is the {1} "
_PLACED = "If I stand at the {0}'s location facing where it is facing, is the {1} "

WORDINGS: dict[Style, dict[str, tuple[str, ...]]] = {
    "release": {
        "higher": (_LOCATIONS + "Which object has a higher location?",),
        "lower": (_LOCATIONS + "Which object has a lower location?",),
        "above": (_LOCATIONS + "Is the {0} directly above the {1}?",),
        "underneath": (_LOCATIONS + "Is the {0} directly underneath the {1}?",),
        "nearer_camera": (_LOCATION + "Which object is closer to the camera?",),
        "farther_camera": (_LOCATION + "Which object is further away from the camera?",),
        "next_to": (_LOCATIONS + "Are the {0} and the {1} next to each other or far away from each other?",),
        "in_front_of": (_BOTH + _STANDING + "in front of me or behind me?",),
        "on_the_left": (_BOTH + _STANDING + "on the left or right of me?",),
        "side_to_camera": (_BOTH + "Which side of the {0} is facing the camera?",),
        "side_to": (_BOTH + "Which side of the {0} is facing the {1}?",),
        "closer_to": (_LOCATIONS + "Which is closer to the {0}, the {1} or the {2}?",),
        "farther_from": (_LOCATIONS + "Which is further away from the {0}, the {1} or the {2}?",),
        "facing": (_BOTH + "Which object is the {0} facing towards, the {1} or the {2}?",),
        "parallel": (
            _ORIENTATIONS + "What is the relationship between the orientations of the {0} and the {1}, parallel of "
            "perpendicular to each other?",
        ),
        "same_direction": (
            _ORIENTATIONS
            + "Are the {0} and the {1} facing same or similar directions, or very different directions?",
        ),
    },
    "paper": {
        "higher": (_LOCATIONS + "Which object is higher in 3D world space, the {0} or the {1}?",),
        "lower": (_LOCATIONS + "Which object is lower in 3D world space, the {0} or the {1}?",),
        "above": (_LOCATIONS + "Are the {0} directly above the {1}?", _LOCATIONS + "Is the {0} directly above the {1}?"),
        "underneath": (_LOCATIONS + "Is the {0} directly underneath the {1}?",),
        "nearer_camera": (
            _LOCATION + "Which is closer to the camera, the {0} or the {1}?",
            "Which object closer to the camera, the {0} or the {1}?",
        ),
        "farther_camera": (_LOCATION + "Which is further away from the camera, the {0} or the {1}?",),
        "next_to": (_LOCATIONS + "Is the {0} next to or far from the {1}?",),
        "in_front_of": (_BOTH + "Is the {1} in front or behind the {0}?", _BOTH + "Is the {1} in front of or behind the {0}?"),
        "on_the_left": (
            _BOTH + _PLACED + "on the left or right side of me?",
            "If I stand at the location of the {0} facing where it is facing, is the {1} on my left side or my right side?",
            "If I stand at the location of the {0} facing where she is facing, is the {1} on my left side or my right side?",
        ),
        "side_to_camera": (_BOTH + "Which side of the {0} is facing the camera?",),
        "side_to": (
            _BOTH + "Which side of the {0} is facing towards the {1}?",
            _BOTH + "Which side of the {0} is facing towards the {1}? Answer with front, left, back, or right.",
        ),
        "closer_to": (_BOTH + "Which object is closer to the {0}, the {1} or the {2}?",),
        "farther_from": (_BOTH + "Which object is further away from the {0}, the {1} or the {2}?",),
        "facing": (_BOTH + "Is the {0} facing towards the {1} or the {2}?",),
        "parallel": (
            _BOTH + "Is the {0} parallel or perpendicular with the {1}.",
            _BOTH + "Is the {0} parallel or perpendicular to the {1}?",
            "Are the {0} and the {1} parallel or perpendicular to each other?",
        ),
        "same_direction": (_BOTH + "Is the {0} facing the same direction as the {1}?",),
    },
    "free": {
        "higher": (
            "Which is higher off the ground, the {0} or the {1}?",
            "What is at a greater height, the {0} or the {1}?",
            "Is the {0} or the {1} higher?",
            "Of the {0} and the {1}, which is higher up?",
        ),
        "lower": (
            "Which is lower, the {0} or the {1}?",
            "Which one is closer to the ground, the {0} or the {1}?",
            "Is it the {0} or the {1} that is at the lower position?",
        ),
        "above": (
            "Is the {0} right over the {1}?",
            "Does the {0} hang directly above the {1}?",
            "Is the {0} vertically above the {1}?",
        ),
        "underneath": (
            "Is the {0} directly below the {1}?",
            "Is the {0} right under the {1}?",
            "Is the {0} located directly beneath the {1}?",
        ),
        "nearer_camera": (
            "Which is nearer to the camera: the {0} or the {1}?",
            "Is the {0} or the {1} nearer to the camera?",
            "Of the {0} and the {1}, which was closest to the camera?",
        ),
        "farther_camera": (
            "Which is farther from the viewer, the {0} or the {1}?",
            "Which one is the furthest from the camera, the {0} or the {1}?",
        ),
        "next_to": (
            "Is the {0} near the {1} or far away from it?",
            "Are the {0} and the {1} close together or far apart?",
            "Is the {0} beside the {1} or well away from it?",
        ),
        "in_front_of": (
            "From the perspective of the {0}, is the {1} in front or behind?",
            "Facing the way the {0} faces, would I find the {1} ahead or behind?",
            "Seen from the {0}, is the {1} in front of it or behind it?",
        ),
        "on_the_left": (
            "From the perspective of the {0}, is the {1} on the left or on the right?",
            "Is the {1} on the left or the right side of the {0}?",
            "Facing the way the {0} faces, would I find the {1} on my left or on my right?",
        ),
        "side_to_camera": (
            "Which side of the {0} can be seen from the camera?",
            "What side of the {0} is turned to the viewer?",
            "Seen from the camera, which side of the {0} is it?",
        ),
        "side_to": (
            "Which side of the {0} is turned towards the {1}?",
            "Which side of the {0} is closest to the {1}?",
            "Seen from the {1}, which side of the {0} is visible?",
        ),
        "closer_to": (
            "What is nearer to the {0}, the {1} or the {2}?",
            "Does the {1} or the {2} stand closer to the {0}?",
            "Out of the {1} and the {2}, which one is closer to the {0}?",
        ),
        "farther_from": (
            "Which one is farther from the {0}, the {1} or the {2}?",
            "Of the {1} and the {2}, which is further away from the {0}?",
        ),
        "facing": (
            "Does the {0} face the {1} or the {2}?",
            "What is the {0} facing, the {1} or the {2}?",
            "Is it the {1} or the {2} that the {0} is looking at?",
        ),
        "parallel": (
            "Do the {0} and the {1} run parallel or at right angles to each other?",
            "Are the {0} and the {1} aligned in parallel or perpendicular to one another?",
        ),
        "same_direction": (
            "Do the {0} and the {1} face the same way or different ways?",
            "Are the {0} and the {1} pointing in the same direction or in different directions?",
            "Is the {0} pointing in the same direction as the {1}?",
        ),
    },
}  # fmt: skip

_YES_NO = ("yes", "no")
# Answers of a type, in the order of sr_program.ANSWERS, as the options say them.
OPTIONS: dict[Style, dict[str, tuple[tuple[str, ...], ...]]] = {
    "release": {
        "boolean": (_YES_NO,),
        "nearness": (("next to each other", "far away from each other"),),
        "depth": (("in front of", "behind"),),
        "side": (("on the left", "on the right"),),
        "quarter": (("front", "left", "back", "right"),),
        "alignment": (("parallel", "perpendicular"),),
        "agreement": (("same or similar directions", "very different directions"),),
    },
    "paper": {
        "boolean": (("Yes.", "No."),),
        "nearness": (("next to", "far from"),),
        "depth": (("in front", "behind"),),
        "side": (("left", "right"), ("left side", "right side")),
        "quarter": (("Front", "Left", "Back", "Right"),),
        "alignment": (("They are parallel to each other.", "They are perpendicular to each other."),),
        "agreement": (_YES_NO,),
    },
    "free": {
        "boolean": (_YES_NO,),
        "nearness": (("near", "far away"), ("close together", "far apart")),
        "depth": (("in front", "behind"), ("ahead", "behind")),
        "side": (("to the left", "to the right"),),
        "quarter": (("the front", "the left side", "the back", "the right side"),),
        "alignment": (("parallel", "at right angles"),),
        "agreement": (("the same", "different"), _YES_NO),
    },
}


@dataclass(frozen=True)
class Spoken:
    """A question, its options in order, and answer of the program -> option."""

    text: str
    options: tuple[str, ...]
    option_of: Mapping[str, str]


def speak(program: SrProgram, style: Style, r: np.random.Generator, wording: str = "") -> Spoken:
    """A program in one of a style's wordings (or in `wording`, whose {0} {1} {2} are its things), options in random
    order; InputError for an unknown style."""
    if style not in STYLES:
        raise InputError(f"unknown style {style!r}; known: {', '.join(STYLES)}")
    templates = (wording,) if wording else WORDINGS[style][program.op]
    template = templates[int(r.integers(len(templates)))]
    if program.candidates:
        said = program.answers
    else:
        sets = OPTIONS[style][program.output]
        said = sets[int(r.integers(len(sets)))]
    option_of = dict(zip(program.answers, said, strict=True))
    order = [said[int(k)] for k in r.permutation(len(said))]
    return Spoken(template.format(*program.things), tuple(order), option_of)
