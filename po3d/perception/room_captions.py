"""Captions to a scene: sentences about single objects, as in ScanRefer, arranged by relaxation.

`read_caption` parses each caption; captions with one key describe one object. The scene is built in
four deterministic steps:

1. Objects: one for every key and one for each noun that no caption describes ("the window").
2. The room: a square with the usual floor area for these objects.
3. Positions: from a spiral, STEPS iterations of the mean correction for the stated relations, the
   walls and overlaps. First without relations to ambiguous objects ("the chair" of four), then with
   each assigned to the object that fits best.
4. Sizes, headings and heights: `po3d.perception.room_furnishing`.

Limits. Left, right, front and back are taken in the map's frame, which is correct for the twin's
captions, while ScanRefer's annotators each had their own view. Distances are not stated, so scales
are only as good as usual sizes and gaps. Objects that are not mentioned are missing.
"""

import math
from collections.abc import Sequence

import numpy as np

from po3d.perception.caption_grammar import CaptionRelation, Mention, read_caption
from po3d.perception.room_furnishing import furnished, usual, usual_area
from po3d.scene.geometry import Array
from po3d.scene.rooms import is_a
from po3d.scene.table import Scene

STEPS = 300
NEAR = 0.35  # metres between nearby objects
APART = 0.25  # least distance in metres between objects of which one is left of the other
# axis, and which end of it
WALL_SIDE = {"left": (0, 0), "right": (0, 1), "back": (1, 0), "front": (1, 1)}
DIRECTION = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "front": (0.0, 1.0), "back": (0.0, -1.0)}
GOLDEN = math.pi * (3 - math.sqrt(5))
Caption = tuple[str, str]  # key of the object, text


# A `CaptionRelation` whose subject and objects are indices.
_Rule = CaptionRelation


def table(captions: Sequence[Caption], image: str = "") -> Scene:
    """Build the scene that the captions describe, in metres, with their front along +y.

    The scene is empty if no caption names an object.
    """
    names, looks, relations = _things(captions)
    side = math.sqrt(usual_area(names))
    sure_rules, open_rules = _resolved(names, looks, relations)
    places = _relaxed(_spiral(len(names), side), names, sure_rules, side)
    rules = list(sure_rules)
    for choices in open_rules:
        rules.append(min(choices, key=lambda rule: _strain(places, rule, names, side)))
    places = _relaxed(places, names, rules, side)
    below: dict[int, int] = {}
    for rule in rules:
        if rule.relation == "on" and rule.subject not in rule.objects:
            below[rule.subject] = rule.objects[0]
    on = [None if below.get(below.get(i)) == i else below.get(i) for i in range(len(names))]
    return furnished(names, places.tolist(), (side, side), image, False, looks, on)


def _things(
    captions: Sequence[Caption],
) -> tuple[list[str], list[dict[str, str]], list[tuple[int, CaptionRelation]]]:
    """Return names, attributes, and statements (index, relation) of the objects in the captions.

    Captions with one key that contradict in name or attributes describe several objects.
    """
    counts_of: dict[str, list[int]] = {}
    names: list[str] = []
    looks: list[dict[str, str]] = []
    relations: list[tuple[int, CaptionRelation]] = []
    for key, text in captions:
        reading = read_caption(text)
        if reading is None:
            continue
        name, look, stated = reading
        for index in counts_of.setdefault(key, []):
            if _may_be(names[index], looks[index], (name, look)):
                break
        else:
            index = len(names)
            names.append(name)
            looks.append({})
            counts_of[key].append(index)
        looks[index] |= look
        relations += [(index, relation) for relation in stated]
    return names, looks, relations


def _may_be(name: str, look: dict[str, str], mention: Mention) -> bool:
    noun, adjectives = mention
    agree = (look | adjectives) == (adjectives | look)
    return agree and (is_a(name, noun) or is_a(noun, name))


def _resolved(
    names: list[str], looks: list[dict[str, str]], relations: Sequence[tuple[int, CaptionRelation]]
) -> tuple[list[_Rule], list[list[_Rule]]]:
    """Return unambiguous rules and, for each ambiguous statement, its possible rules.

    Objects that only occur as nouns are added to `names` and `looks`.
    """
    sure_rules: list[_Rule] = []
    open_rules: list[list[_Rule]] = []
    for index, s in relations:
        options = [[]]
        for mention in (s.subject, *s.objects):
            candidates = [index]
            if mention[0]:
                candidates = []
                for i, name in enumerate(names):
                    if i != index and _may_be(name, looks[i], mention):
                        candidates.append(i)
            if not candidates:
                names.append(mention[0])
                looks.append(dict(mention[1]))
                candidates = [len(names) - 1]
            options = [[*o, i] for o in options for i in candidates if i not in o]
        rules = [_Rule(s.relation, o[0], tuple(o[1:]), s.where) for o in options]
        if len(rules) == 1:
            sure_rules += rules
        elif rules:
            open_rules.append(rules)
    return sure_rules, open_rules


def _spiral(count: int, side: float) -> Array:
    """Return distinct initial positions (count, 2), evenly distributed over the room."""
    k = np.arange(count)
    radius = 0.3 * side * np.sqrt((k + 0.5) / count)
    return side / 2 + radius[:, None] * np.stack([np.cos(GOLDEN * k), np.sin(GOLDEN * k)], 1)


def _relaxed(places: Array, names: Sequence[str], rules: Sequence[_Rule], side: float) -> Array:
    """Return the positions (n, 2) after STEPS mean corrections."""
    radius, solid, backed, depth = _shapes(names)
    keeps_off = np.array(solid, bool)
    for rule in rules:
        if rule.relation in ("on", "under", "above"):
            keeps_off[rule.subject] = False
    first, second = np.triu_indices(len(names), 1)
    both = keeps_off[first] & keeps_off[second]
    first, second = first[both], second[both]
    room = 0.9 * (radius[first] + radius[second])
    margin = np.minimum(np.where(backed, depth / 2, 0.8 * radius), side / 2)[:, None]
    places = places.copy()
    for step in range(STEPS):
        total, count = np.zeros_like(places), np.full(len(names), 1e-9)
        for rule in rules:
            for index, shift in _corrections(places, rule, radius, side):
                total[index] += shift
                count[index] += 1
        places += 0.7 * total / np.maximum(count, 1)[:, None]
        if step > STEPS // 3:  # relations first, then overlaps and walls
            _push_apart(places, first, second, room)
            for i in np.flatnonzero(backed):
                _to_wall(places[i], depth[i] / 2, side)
        places = np.clip(places, margin, side - margin)
    return places


def _shapes(names: Sequence[str]) -> tuple[Array, list[bool], Array, Array]:
    """Return the shapes of the objects.

    For each: half its mean width, whether it occupies floor, whether it belongs to a wall, and its
    depth.
    """
    radius, solid, backed, depth = [], [], [], []
    for name in names:
        extent, category = usual(name)
        stands = category.stands if category else "floor"
        radius.append(extent[0] / 2 if stands == "wall" else (extent[0] + extent[1]) / 4)
        solid.append(stands in ("floor", "back"))
        backed.append(stands in ("back", "wall"))
        depth.append(extent[0])
    return np.array(radius), solid, np.array(backed, bool), np.array(depth)


def _push_apart(places: Array, first: Array, second: Array, room: Array) -> None:
    offset = places[first] - places[second]
    distance = np.maximum(np.hypot(*offset.T), 1e-6)
    push = np.maximum(room - distance, 0.0)[:, None] * offset / distance[:, None] / 2
    np.add.at(places, first, 0.5 * push)
    np.add.at(places, second, -0.5 * push)


def _to_wall(place: Array, off: float, side: float) -> None:
    """Move half the way to the nearest wall, in place."""
    away = np.array([place[0], side - place[0], place[1], side - place[1]])
    k = int(away.argmin())
    axis, goal = k // 2, off if k % 2 == 0 else side - off
    place[axis] += 0.5 * (goal - place[axis])


def _corrections(places: Array, rule: _Rule, radius: Array, side: float) -> list[tuple[int, Array]]:
    """Return the corrections that satisfy a rule, as (index, shift (2,))."""
    i = rule.subject
    if not rule.objects:
        return [(i, _region(places[i], rule, radius[i], side) - places[i])]
    j = rule.objects[0]
    offset = places[i] - places[j]
    if rule.relation == "between":
        goal = (places[j] + places[rule.objects[1]]) / 2
        shift = goal - places[i]
        return [(i, 0.8 * shift), (j, -0.1 * shift), (rule.objects[1], -0.1 * shift)]
    if rule.relation in DIRECTION:
        way = np.array(DIRECTION[rule.relation])
        along = max(float(offset @ way), min(radius[i] + radius[j], 0.8) + APART)
        across = offset - (offset @ way) * way
        length = float(np.hypot(*across))
        goal = along * way + across * min(1.0, 0.8 * along / max(length, 1e-6))
    elif rule.relation == "near":
        distance = max(float(np.hypot(*offset)), 1e-6)
        goal = offset * min(1.0, (radius[i] + radius[j] + NEAR) / distance)
    else:  # on, under, above: footprints overlap
        goal = np.clip(offset, -0.6 * radius[j], 0.6 * radius[j])
    shift = goal - offset
    return [(i, shift / 2), (j, -shift / 2)]


def _region(place: Array, rule: _Rule, radius: float, side: float) -> Array:
    """Return the nearest position that satisfies a rule about corner, wall, side or middle."""
    goal = place.copy()
    if rule.relation == "middle":
        return np.clip(goal, 0.4 * side, 0.6 * side)
    sides = rule.where
    if not sides:  # any corner or wall: the nearest
        x_end = "right" if goal[0] > side / 2 else "left"
        y_end = "front" if goal[1] > side / 2 else "back"
        nearer_y = min(goal[1], side - goal[1]) < min(goal[0], side - goal[0])
        sides = (x_end, y_end)
        if rule.relation != "corner":
            sides = (y_end,) if nearer_y else (x_end,)
    reach = {"wall": radius + 0.1, "corner": 0.22 * side, "side": 0.25 * side}[rule.relation]
    for word in sides:
        axis, end = WALL_SIDE[word]
        goal[axis] = max(goal[axis], side - reach) if end else min(goal[axis], reach)
    return goal


def _strain(places: Array, rule: _Rule, names: Sequence[str], side: float) -> float:
    """Return the correction in metres that a rule requires, for choosing among ambiguous rules."""
    radius = _shapes(names)[0]
    return float(sum(np.hypot(*shift) for _, shift in _corrections(places, rule, radius, side)))
