"""Why a question about a photograph has no answer, or only an improbable one, in one sentence."""

import re
from collections.abc import Sequence
from functools import partial

from po3d.language.descriptions import describe
from po3d.language.english import singular
from po3d.language.lexicon import fits
from po3d.language.program import Call
from po3d.reasoning.grounded import Ground
from po3d.scene.table import Scene

ORIENTATION = (
    "Headings need an orientation network (--set perception.orientation.weights=DIR), those of"
    " people a pose network (--pose FILE)"
)
NO_FRONT = "The networks that are given find no front of the object"
NARROWER = 0.85  # a smaller fit: the noun is narrower than the class ("surfer" for a person)
KIND = 0.6  # least fit of a noun to the name of an object of its kind
SEEN = 0.5  # existence probability below which an object is not counted as detected
RIVALS = 0.6  # share of the belief of one row below which a description fits several
_ONE = re.compile(r"nothing left to compare: (.*) refer to the same object")
_MISSING = re.compile(r"not found: ('.*?') is not in the scene")


def no_class(noun: str) -> str:
    return f"The detector has no class {noun!r}"


def plain(reason: str) -> str:
    """Return a failure's reason as a sentence."""
    if match := _MISSING.fullmatch(reason):
        return f"No object named {match[1]} was detected"
    if match := _ONE.fullmatch(reason):
        return f"Only one object was detected for: {match[1]}"
    return reason[:1].upper() + reason[1:]


def wider_classes(program: Call, classes: Sequence[str]) -> list[str]:
    """Return a line for each noun that the detector covers only by a wider class: "man" by
    person."""
    lines = []
    for call in program.calls():
        phrase = call.args[0] if call.op == "refer" else ""
        if call.op == "filter" and call.args[0] == "name":
            phrase = call.args[1]
        noun = describe(str(phrase)).noun
        best = max(classes, key=partial(fits, noun), default="") if noun else ""
        if best and KIND <= fits(noun, best) < NARROWER:
            lines.append(f"the detector's class is {best}, not {singular(noun)}")
    return list(dict.fromkeys(lines))


def doubt(
    program: Call, scene: Scene, using: Ground, headings: bool, guess: bool, distances: bool
) -> str:
    """Return why the answer of a program is improbable; "" if nothing in particular explains it.

    `headings`: an orientation network is used. `guess`: the answer rests on unknown headings.
    `distances`: a depth map is given.
    """
    if guess:
        return NO_FRONT if headings else ORIENTATION
    for call in program.calls():
        if call.op != "refer":
            continue
        phrase = str(call.args[0])
        noun = describe(phrase).noun
        named = [o.existence for o in scene.objects if _is(noun, o.value("name"))]
        if max(named, default=0.0) < SEEN:
            return f"No object named {phrase!r} was detected with certainty"
        belief = sorted(using(phrase, scene), reverse=True)
        if belief[0] < RIVALS * sum(belief):
            return f"{phrase!r} fits {_count(belief)} of the detected objects"
    if program.op == "count":
        return "Some objects may be overlooked or counted twice"
    if program.op == "exist" and program.args[0].op == "filter":
        return "No detected object fits the description clearly"
    if not distances and any(word in str(program) for word in ("distance", "next_to", "front")):
        return "Distances are uncertain without a depth map (--depth FILE)"
    return ""


def _is(noun: str, name: str) -> bool:
    return not noun or fits(noun, name) >= KIND


def _count(belief: Sequence[float]) -> int:
    return max(2, sum(b >= 0.1 * belief[0] for b in belief))
