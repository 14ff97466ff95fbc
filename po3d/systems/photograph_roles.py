"""Persons identified by what they use: of several persons, the batter is the one with the baseball
bat."""

from itertools import chain

import numpy as np

from po3d.language.lexicon import kinds_of
from po3d.scene.geometry import Array
from po3d.scene.table import Scene

# Kind of person -> the things of which one is at the person's box.
USED = {
    "batter": ("baseball bat",),
    "catcher": ("baseball glove",),
    "pitcher": ("baseball glove", "sports ball"),
    "tennis player": ("tennis racket",),
    "skateboarder": ("skateboard",),
    "surfer": ("surfboard",),
    "paddler": ("surfboard", "boat"),
    "skier": ("skis",),
    "snowboarder": ("snowboard",),
    "cyclist": ("bicycle",),
    "motorcyclist": ("motorcycle",),
    "horseman": ("horse",),
}
# Kinds of person who use none of these.
IDLE = frozenset(("referee", "tourist", "coach"))
THINGS = frozenset(chain(*USED.values()))
REACH = 0.15  # of an arm beyond a person's box, in its height
OTHER = 0.1  # weight of a person without the thing


def role_weights(noun: str, scene: Scene) -> Array:
    """Return (n,) the weight of each object for a noun that names a person's activity; ones for
    other nouns, and if no object used in the activity is detected."""
    kinds = set(kinds_of(noun))
    idle = bool(kinds & IDLE)
    used = THINGS if idle else frozenset(chain(*map(USED.get, kinds & USED.keys())))
    weight = np.zeros(len(scene))
    for thing in scene.objects:
        if thing.value("name") in used:
            at = [thing.existence * _at(o.box, thing.box) for o in scene.objects]
            weight = np.maximum(weight, at)
    if not weight.any():
        return np.ones(len(scene))
    return OTHER + (1 - OTHER) * (1 - weight if idle else weight / weight.max())


def _at(person: tuple[float, ...] | None, thing: tuple[float, ...] | None) -> float:
    """Return the share of an object's box within reach of a person's box."""
    if person is None or thing is None:
        return 0.0
    margin = REACH * (person[3] - person[1])
    low = np.maximum(np.array(person[:2]) - margin, thing[:2])
    high = np.minimum(np.array(person[2:]) + margin, thing[2:])
    area = (thing[2] - thing[0]) * (thing[3] - thing[1])
    return float((high - low).clip(min=0).prod() / max(area, 1.0))
