"""Generate plain sentences for any program of the language, with plain.grammar."""

import numpy as np

from po3d.language.grammar import load, spaced
from po3d.language.program import DIRECTIONS, Call, Tree
from po3d.scene.vocabulary import shape_name

SCENE = Call("scene")
LOOKS = ("name", "shape", "size", "color", "material")
_FACTS = {
    "number": lambda value: not isinstance(value, Tree),
    "direction": lambda value: value in DIRECTIONS,
}


def say(program: Call, random: np.random.Generator | None = None) -> str:
    """Generate a question or an edit; without `random`, its plainest wording.

    Raise GrammarError for a program that is neither.
    """
    form = "edit" if program.output == "edit" else "question"
    program = _as_people_say(program)
    pick = (lambda n: 0) if random is None else lambda n: int(random.integers(n))
    text = load("plain").say(form, program, pick, _FACTS).text()
    text = spaced(text.rstrip(", ")).replace(", ,", ",")
    return text[:1].upper() + text[1:] + ("." if form == "edit" else "?")


def set_phrase(things: Call) -> str:
    """Generate a plural noun phrase for a set: "small cars to the left of the bus"."""
    return spaced(
        load("plain").say("many", _as_people_say(things), lambda n: 0, _FACTS).text().rstrip(", ")
    )


def _as_people_say(program: Call) -> Call:
    """Move name and shape filters innermost, where they become the noun; use everyday names.

    "sedans to the left of the bus" instead of "things to the left of the bus shaped like a sedan".
    """
    changed = program.mapped(_as_people_say)
    if program.op == "filter" and program.args[0] in LOOKS:
        return _narrowed(changed.args[2], *program.args[:2])
    return changed


def _narrowed(things: Call, attribute: str, value: str) -> Call:
    noun = attribute in ("name", "shape") and things.op == "filter" and things.args[0] in LOOKS
    if noun or things.op in ("relate", "same"):
        return Call(things.op, (*things.args[:-1], _narrowed(things.args[-1], attribute, value)))
    if attribute == "shape" and things == SCENE:
        attribute, value = "name", shape_name(value)
    return Call("filter", (attribute, value, things))
