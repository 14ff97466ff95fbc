"""Comparisons with scenery that a detector has no class for, by prior knowledge: a wall is behind
the person, the fire escape above the hydrant.

`scenery.csv` has the probability that such a thing is farther from the camera than an object of the
foreground, and its usual height over the ground with a standard deviation, in metres. The values
are estimates from general knowledge. An answer's reason names the assumption.
"""

import math
import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from po3d.io.files import rows_beside
from po3d.language.descriptions import describe
from po3d.language.english import singular
from po3d.language.lexicon import fits
from po3d.language.program import Call
from po3d.reasoning.grounded import Ground
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.rules import Rules
from po3d.scene.table import Scene
from po3d.systems.photograph_answers import named_best

CAMERA = Call("frame", ("camera",))
VIEWER = re.compile(
    r"\b(?:photographer|cameraman|(?:person|one|man|woman) (?:(?:who|that) (?:is )?)?"
    r"(?:taking|took|behind) (?:the|this) (?:photo(?:graph)?|picture|camera))\b",
    re.IGNORECASE,
)
ASSUMED = "assumed: "  # how the reason of such an answer begins
CERTAIN = 0.97  # that the photographer is the nearest
HEIGHT_ERROR = 0.3  # standard deviation of a detected object's height, relative to its own


# What is usual of one kind: the columns behind, height and spread of `scenery.csv`.
Scenery = tuple[float, float, float]
# What is usual of a compared thing (None: an object), and mean and standard deviation of its
# height in metres.
_Side = tuple[Scenery | None, tuple[float, float]]


@cache
def _table() -> dict[str, Scenery]:
    table = {}
    for row in rows_beside(__file__, "scenery.csv"):
        table[row["name"]] = float(row["behind"]), float(row["height"]), float(row["spread"])
    return table


def scenery_of(phrase: str, classes: Sequence[str]) -> Scenery | None:
    """Return the prior knowledge about a description's kind; None if the kind is not listed, or is
    one of the detector's classes."""
    noun = describe(phrase).noun
    words = noun.split()
    for k in range(len(words)):
        tail = " ".join(words[k:])
        known = _table().get(tail) or _table().get(singular(tail))
        if known is not None:
            same = any(fits(tail, name) == 1 for name in classes)
            # A crowd is not a single person.
            return None if same and "person" not in classes else known
    return None


def is_scenery(phrase: str, classes: Sequence[str]) -> bool:
    """Whether a description is of scenery, or of the photographer."""
    return bool(VIEWER.search(phrase)) or scenery_of(phrase, classes) is not None


def scenery_outcome(
    program: Call, scene: Scene, using: Ground, rules: Rules, classes: Sequence[str]
) -> Outcome | None:
    """Answer a comparison of depth or height with scenery; None for another program, or if the
    other object is not detected."""
    comparison = _comparison(program)
    if comparison is None:
        return None
    what, first, second, wanted = comparison
    if what == "depth" and (VIEWER.search(first) or VIEWER.search(second)):
        nearer = 0 if VIEWER.search(first) else 1
        return _outcome(
            rules, (first, second), wanted, nearer, CERTAIN, f"{ASSUMED}the photographer is nearest"
        )
    sides = [_side(phrase, scene, using, classes) for phrase in (first, second)]
    if None in sides:
        return None
    (usual, (a, s)), (other, (b, t)) = sides
    if usual is None and other is None:
        return None
    if what == "depth":
        if usual is not None and other is not None:
            return None
        p = other[0] if usual is None else 1 - usual[0]  # that the first is nearer
    else:
        p = 0.5 * (1 + math.erf((b - a) / math.hypot(s, t, 0.1) / math.sqrt(2)))
    lower, sure = (0, p) if p >= 0.5 else (1, 1 - p)
    reason = f"{ASSUMED}what is usual of {second if usual is None else first!r}"
    return _outcome(rules, (first, second), wanted, lower, sure, reason)


def _comparison(program: Call) -> tuple[str, str, str, str] | None:
    """Return quantity ("depth" or "height"), two descriptions, and how the answer is given: "least"
    or "most" (a description), "front" (a direction), "yes if first" or "yes if second" (the
    smaller)."""
    op, args = program.op, program.args
    if best := named_best(program):
        measure, sense, where, things = best
        fine = measure == "elevation" or (measure == "distance" and where == [Call("viewer")])
        named = _names(things)
        if fine and len(named) == 2:
            return ("depth" if measure == "distance" else "height"), *named, sense
    if op == "direction" and args[2] == CAMERA and args[3] == "front_or_behind":
        named = [_name(args[1]), _name(args[0])]
        return ("depth", *named, "front") if all(named) else None
    if op == "exist" and args[0].op == "relate" and len(args[0].args) == 4:
        side, anchor, frame, things = args[0].args
        named = [*_names(things), _name(anchor)]
        if frame == CAMERA and side in ("front", "behind") and len(named) == 2 and all(named):
            return "depth", *named, "yes if first" if side == "front" else "yes if second"
    if op in ("less_than", "greater_than"):
        sides = args if all(isinstance(a, Call) and a.op == "query" for a in args) else ()
        if len(sides) == 2 and sides[0].args[0] == sides[1].args[0]:
            named = [_name(sides[0].args[1]), _name(sides[1].args[1])]
            what = {"distance": "depth", "elevation": "height"}.get(sides[0].args[0], "")
            viewer = sides[0].args[2:] == sides[1].args[2:] == (Call("viewer"),)
            if what and (viewer or what == "height") and all(named):
                return what, *named, "yes if first" if op == "less_than" else "yes if second"
    return None


def _name(call: Call) -> str:
    return str(call.args[0]) if call.op == "refer" else ""


def _names(things: Call) -> list[str]:
    named = list(map(_name, things.args)) if things.op == "group" else []
    return named if all(named) else []


def _side(phrase: str, scene: Scene, using: Ground, classes: Sequence[str]) -> _Side | None:
    """Return one side of a comparison; None if it is neither scenery nor detected."""
    usual = scenery_of(phrase, classes)
    if usual is not None:
        return usual, usual[1:]
    beliefs = np.array(using(phrase, scene), float)
    if not len(beliefs) or beliefs.max() <= 0:
        return None
    thing = scene.objects[int(beliefs.argmax())]
    height = thing.position[2]
    return None, (height, HEIGHT_ERROR * max(abs(height), 1.0))


def _outcome(
    rules: Rules,
    phrases: tuple[str, str],
    wanted: str,
    smaller: int,
    probability: float,
    reason: str,
) -> Outcome:
    """Return the outcome if the side `smaller` is the nearer or lower one."""
    if wanted in ("least", "most"):
        answer = phrases[smaller if wanted == "least" else 1 - smaller]
    elif wanted == "front":
        answer = "front" if smaller == 0 else "behind"
        answer = rules.words.get("front_or_behind", {}).get(answer, answer)
    else:
        answer = "yes" if (smaller == 0) == (wanted == "yes if first") else "no"
    return Outcome("ok", answer, probability, reason=reason, valid=1.0)
