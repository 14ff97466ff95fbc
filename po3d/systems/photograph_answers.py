"""Answers about photographs with a detector that has a fixed list of classes.

* Sets are described in everyday words ("birds in the grass") and counted with the detector's
  calibrated probabilities, including the probability that it missed an object.
* A question about a kind of object that is not among the classes is refused; the reason names the
  kind. An object of a known kind that is not detected is absent with a calibrated probability.
* Left, right, in front and behind of a viewer are those of the image.
"""

import functools
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from po3d.language.descriptions import Description, describe
from po3d.language.lexicon import SAME, fits, kinds_of
from po3d.language.program import Call
from po3d.reasoning.grounded import Ground, rows_only
from po3d.reasoning.grounding import LANDS, Grounder
from po3d.reasoning.outcome import ExecutionFailure, Outcome
from po3d.scene.geometry import Array
from po3d.scene.rooms import COLORS
from po3d.scene.table import Scene
from po3d.systems.general_parser import rewritten
from po3d.systems.photograph_reasons import KIND, NARROWER, no_class
from po3d.systems.photograph_roles import role_weights
from po3d.systems.photograph_support import descriptions, under

MAYBE = 0.5  # probability that an object of the wider class is of the narrower kind
COVERED = frozenset(("animal", "vehicle", "person", "farm animal"))  # kinds with classes for most
MISNAMED = frozenset((("lamp", "traffic light"), ("lamps", "traffic light")))
COLORED = 0.25  # share of a colour's pixels in an object that has this colour
UNCOLORED = 0.02  # belief of an object in a colour of which it has no pixels
FAINT = 0.4  # factor for an object without these pixels: the box has background too
# Log odds of an image to contain a class against those of its best box to be right, where it
# contains the class as often as not. Fitted on manually labelled classes of 30 pictures
# (docs/photographs.md), as ABSENT: the right box's probability where there is no box.
PRESENCE = 2.2, 1.57
ABSENT = 0.04
PRESUPPOSED = 4.0  # odds that a thing is there that a question takes for granted
HOW_MANY = 9.0  # the same of "how many"
OVERLOOKED = 0.1  # objects overlooked beside those that are counted, if their boxes are sure
SALIENCE = 0.5  # power of a box's area in the weights of objects that a description fits equally
_PART = re.compile(
    r"(?P<whole>.+)'s? (?:whole |own )?(?:body|head|face|hair|back|chest|torso|front|side|tail"
    r"|legs?|feet|foot|hands?|arms?|hat|cap|shirt|jacket|coat|dress|helmet|wheels?|nose|screen)",
    re.IGNORECASE,
)
SIDES = {"left": "left_or_right", "right": "left_or_right"}
SIDES |= {"front": "front_or_behind", "behind": "front_or_behind"}


def presence(belief: float, odds: float = 1.0) -> float:
    """Return the probability that an image contains a kind of object.

    `belief`: existence probability of its best box. `odds`: prior odds.
    """
    p = min(max(belief, ABSENT), 0.99)
    logit = PRESENCE[0] + PRESENCE[1] * math.log(p / (1 - p)) + math.log(odds)
    return 1 / (1 + math.exp(-logit))


def unknown_kind(phrase: str, classes: Sequence[str]) -> str:
    """Return the noun of a description if it denotes none of the detector's classes; else ""."""
    noun = describe(phrase).noun
    return noun if noun and classes and not _listed(noun, classes) else ""


def knows(noun: str, name: str) -> bool:
    """Whether a noun may denote objects of a class; "lamp" does not denote a traffic light."""
    return fits(noun, name) >= KIND and (noun, name) not in MISNAMED


def _listed(noun: str, classes: Sequence[str]) -> bool:
    return any(knows(noun, name) for name in classes)


def partly_known(noun: str, classes: Sequence[str]) -> bool:
    """Whether the classes cover only some kinds of a noun: not every sign is a stop sign."""
    fit = max(map(functools.partial(fits, noun), classes), default=1.0)
    return NARROWER < fit < 1 and COVERED.isdisjoint(kinds_of(noun))


def refuse_unknown(program: Call, classes: Sequence[str]) -> None:
    """Raise ExecutionFailure if a program refers to a kind of object outside the classes (the
    message names the first one), or chooses among answers that the question does not offer."""
    for call in program.calls():
        if call.op == "choices":
            raise ExecutionFailure("unknown", "The question offers no answers")
        phrase = call.args[0] if call.op == "refer" else ""
        if call.op == "filter" and call.args[0] == "name" and call.args[2].op == "scene":
            phrase = call.args[1]
        if noun := unknown_kind(str(phrase), classes):
            raise ExecutionFailure("not found", no_class(noun))


def of_wholes(program: Call, classes: Sequence[str]) -> Call:
    """Replace parts that the detector has no class for by the whole object: "the zebra's body" by
    the zebra.

    Programs about heights are unchanged, because a part has another height than the whole.
    """
    if any("elevation" in call.args for call in program.calls()):
        return program
    if program.op == "refer" and (match := _PART.fullmatch(str(program.args[0]))):
        if unknown_kind(match[0], classes) and not unknown_kind(match["whole"], classes):
            return Call("refer", (match["whole"],))
        return program
    return Call(program.op, rewritten(lambda part: of_wholes(part, classes), program))


def granted(beliefs: Mapping[str, float]) -> float:
    """Return the probability that all objects presupposed by a question exist.

    `beliefs`: for each description the existence probability of its best box.
    """
    return math.prod(presence(belief, PRESUPPOSED) for belief in beliefs.values())


def set_of(program: Call) -> str:
    """Return the description of the set that a program counts or asks for; "" for other
    programs."""
    if program.op in ("count", "exist") and isinstance(program.args[0], Call):
        inner = program.args[0]
        words: list[str] = []
        while inner.op == "filter" and inner.args[0] in ("name", "color"):
            words.append(str(inner.args[1]))
            inner = inner.args[2]
        return " ".join(words) if inner.op == "scene" else ""
    return ""


def set_outcome(program: Call, scene: Scene, classes: Sequence[str]) -> Outcome:
    """Answer a question for the number or existence of objects that fit a description."""
    text = set_of(program)
    description = describe(text)
    supposed = text.startswith("the ")  # "is the man on a board"
    chance = members(description, scene, classes, program.op == "exist", supposed)
    if program.op == "exist":
        p = 1 - math.prod(1 - chance) * (1 - presence(ABSENT))
        if p < 0.5 and partly_known(description.noun, classes):
            return Outcome("ok", "no", (1 - p) * MAYBE, valid=1.0)
        return Outcome("ok", "yes" if p >= 0.5 else "no", max(p, 1 - p), valid=1.0)
    number = np.ones(1)  # probabilities of 0, 1 ... things
    for c in chance:
        number = np.append(number, 0.0) * (1 - c) + np.append(0.0, number) * c
    if not chance.any():
        return Outcome("ok", "0", 1 - presence(ABSENT, HOW_MANY), valid=1.0)
    number[0] /= HOW_MANY
    number /= number.sum()
    best = int(number.argmax())
    sure = float(np.mean(_existence(scene)[np.argsort(-chance)[: max(best, 1)]]))
    p = float(number[best]) * math.exp(-OVERLOOKED - (1 - sure))
    return Outcome("ok", str(best), p, valid=1.0)


def members(
    d: Description,
    scene: Scene,
    classes: Sequence[str],
    exists: bool = False,
    supposed: bool = False,
) -> Array:
    """Return (n,) the probability that each object exists and fits a description.

    `exists`: the question asks whether there is such an object; a relation to an object that is
    unknown or not detected is then uncertain, otherwise it is assumed to hold. `supposed`: the
    question presupposes that one object is denoted by the noun, and asks for its relation.
    """
    grounder = Grounder(scene)
    role = role_weights(d.noun, scene)
    chance = _kind_chance(d.noun, grounder.names, MAYBE if (role == 1).all() else 1.0) * role
    chance *= _existence(scene)
    for name, values in d.attributes:
        if name == "color":
            colored = [_colored(o.beliefs.get(name), values) for o in scene.objects]
            chance = chance * np.array(colored)
    if supposed and chance.any():
        chance = chance / chance.max()
    for relation, landmarks in d.relations:
        noun = landmarks[0].noun
        known = noun in LANDS or not classes or _listed(noun, classes)
        if known and not (exists and noun not in LANDS and not grounder.named(noun).any()):
            holds = grounder.related(relation, landmarks, chance)
            if relation == "on" and noun not in LANDS:
                there = (grounder.named(noun) >= KIND) * _existence(scene)
                carried = [there[under(scene, i)].max(initial=0) for i in range(len(scene))]
                holds = np.maximum(holds, np.array(carried, float))
            chance = chance * holds
        elif exists:
            chance = chance * MAYBE
    for rank in d.ranks:
        chance = chance * grounder.ranked(rank, chance)
    return chance


def _kind_chance(noun: str, names: Sequence[Mapping[str, float]], maybe: float) -> Array:
    """Return (n,) the probability that each object is of a noun's kind.

    `maybe`: that of an object whose name is a wider kind.
    """
    fit = {}
    for name in itertools.chain(*names):
        fit[name] = fits(noun, name) if noun else 1.0
    exact = SAME in fit.values()
    chance = {}
    for name, f in fit.items():
        narrow = f >= NARROWER and (f == SAME or not exact)
        chance[name] = 1.0 if narrow else maybe if f >= KIND and not exact else 0.0
    result = np.zeros(len(names))
    for k, row in enumerate(names):
        for name, p in row.items():
            result[k] += p * chance[name]
    return result


def _existence(scene: Scene) -> Array:
    return np.array([o.existence for o in scene.objects])


def _colored(belief: Mapping[str, float] | None, values: Sequence[str]) -> float:
    if belief is None:
        return MAYBE
    share = sum(belief.get(value, 0.0) for value in values)
    return FAINT + (1 - FAINT) * min(1.0, share / COLORED)


def yes_no(program: Call) -> tuple[Call, str]:
    """Rewrite "is A to the left of B" to the choice "left or right", and "is A facing the camera"
    to "toward or away"; return it with the direction that means yes. Return any other program
    unchanged, with ""."""
    if program.op != "exist" or program.args[0].op != "relate" or len(program.args[0].args) != 4:
        return program, ""
    side, anchor, frame, things = program.args[0].args
    facing = frame == Call("frame", ("object",)) and things == Call("group", (Call("viewer"),))
    if facing and side in ("front", "behind"):
        return Call("direction", (anchor, Call("viewer"), frame, SIDES[side])), side
    if side not in SIDES or frame != Call("frame", ("camera",)) or things.op != "group":
        return program, ""
    if len(things.args) != 1:
        return program, ""
    return Call("direction", (anchor, things.args[0], frame, SIDES[side])), side


def seen_by_camera(program: Call) -> bool:
    """Whether a program asks for directions of the viewer."""
    return {call.args for call in program.calls() if call.op == "frame"} == {("camera",)}


def from_camera(program: Call) -> Call | None:
    """Convert a question for left or right, or front or behind, from an object's own frame to the
    viewer's frame; None for another program."""
    if program.op != "direction" or program.args[2] != Call("frame", ("object",)):
        return None
    if program.args[3] not in SIDES.values() or program.args[1] == Call("viewer"):
        return None
    return Call("direction", (*program.args[:2], Call("frame", ("camera",)), program.args[3]))


def as_seen(scene: Scene) -> Scene:
    """Return the scene with each object moved sideways to its place in the image.

    The coordinate to the right becomes the image's x at the median depth, so that "left of" means
    further left in the image.
    """
    if scene.camera is None or not len(scene):
        return scene
    in_camera = scene.camera.cam_T_world.transform(scene.positions)
    depth = in_camera[:, 2].clip(min=0.05)
    across = in_camera[:, 0] / depth * float(np.median(depth))
    right, behind = np.array(scene.axes["right"]), np.array(scene.axes["behind"])
    eye = np.array(scene.camera.position[:2])
    moved = []
    for o, x, z in zip(scene.objects, across, depth):
        ground = eye + x * right + z * behind
        moved.append(replace(o, position=(float(ground[0]), float(ground[1]), o.position[2])))
    return replace(scene, objects=tuple(moved))


def named_best(program: Call) -> tuple[str, str, list[Call], Call] | None:
    """Parse a question for the name of the object with the least or most of a measure.

    Return the measure, the sense ("least" or "most"), the references and the set; None for another
    program.
    """
    if program.op != "query" or program.args[0] != "name" or program.args[1].op != "best":
        return None
    measure, sense, *where, things = program.args[1].args
    return measure, sense, where, things


def nearest_of(program: Call) -> tuple[str, str] | None:
    """Parse a question for the object of a set that is nearest to an anchor: return the
    descriptions of the anchor and of the set; None for another program."""
    best = named_best(program)
    if best is None or best[:2] != ("distance", "least"):
        return None
    _, _, where, things = best
    if len(where) != 1 or where[0].op != "refer":
        return None
    if things.op == "scene":
        return str(where[0].args[0]), ""
    if things.op == "filter" and things.args[0] == "name" and things.args[2].op == "scene":
        return str(where[0].args[0]), str(things.args[1])
    return None


def salient(using: Ground) -> Ground:
    """Return a grounding that uses the image.

    Larger boxes are preferred ("the man" is the man in the foreground), a colour may cover only a
    part of an object, and ranks such as "on the right" refer to places in the image.
    """

    def grounded(phrase: str, scene: Scene) -> list[float]:
        if phrase[:1] == "#":
            return rows_only(phrase, scene)
        beliefs = np.array(using(phrase, _pictured(describe(phrase), scene)), float)
        weights = beliefs * [o.existence * _area(o.box) ** SALIENCE for o in scene.objects]
        weights *= role_weights(describe(phrase).noun, scene)
        return (weights / max(weights.sum(), 1e-12) * beliefs.sum()).tolist()

    return grounded


def _pictured(description: Description, scene: Scene) -> Scene:
    """Return the scene for the grounding of a description: colours by their share of the pixels,
    and places in the image for ranks from left to right or from top to bottom."""
    measures = {rank.measure for rank in description.ranks}
    if "across" in measures:
        scene = as_seen(scene)
    objects = list(scene.objects)
    for k, o in enumerate(objects):
        if "level" in measures and o.box is not None:
            o = replace(o, position=(*o.position[:2], -(o.box[1] + o.box[3]) / 2))
        if "color" in o.beliefs:
            shares = o.beliefs["color"]
            belief = {word: _part_colored(shares.get(word, 0.0)) for word in COLORS}
            o = replace(o, beliefs={**o.beliefs, "color": belief})
        objects[k] = o
    return replace(scene, objects=tuple(objects))


def _part_colored(share: float) -> float:
    return UNCOLORED + (1 - UNCOLORED) * min(1.0, share / COLORED)


def _area(box: Sequence[float] | None) -> float:
    return 1.0 if box is None else max((box[2] - box[0]) * (box[3] - box[1]), 1.0)


def nearest_listed(program: Call, scene: Scene, using: Ground, classes: Sequence[str]) -> Call:
    """Return the program of `nearest_of` with rows as its set; ExecutionFailure for an empty
    set."""
    anchor, phrase = nearest_of(program)
    beliefs = list(using(anchor, scene))
    row = int(np.argmax(beliefs)) if beliefs else -1
    chance = members(describe(phrase), scene, classes)
    rows = np.setdiff1d(np.flatnonzero(chance >= 0.5), row).tolist()
    if not rows:
        what = phrase or "other thing"
        raise ExecutionFailure("not found", f"No {what} was detected near the {anchor}")
    things = union_of([f"#{i} {scene.objects[i].value('name')}" for i in rows])
    return Call("query", ("name", Call("best", (*program.args[1].args[:3], things))))


def union_of(phrases: Sequence[str]) -> Call:
    """Return the program of the set of described objects: unions of groups of two."""
    groups = []
    for k in range(0, len(phrases), 2):
        things = tuple(Call("refer", (phrase,)) for phrase in phrases[k : k + 2])
        groups.append(Call("group", things))
    return functools.reduce(lambda a, b: Call("union", (a, b)), groups)


def best_boxes(program: Call, scene: Scene) -> dict[str, float]:
    """Return the largest existence probability of an object that fits the noun of each
    description."""
    grounder, beliefs = Grounder(scene), {}
    for phrase in descriptions(program):
        fit = grounder.named(describe(phrase).noun) >= KIND
        beliefs[phrase] = float((_existence(scene) * fit).max(initial=0.0))
    return beliefs
