"""Captions of a room's objects for the twin, in the style of ScanRefer: category, appearance, and
position.

Every object gets EACH captions. A caption has one or two relations, to objects that are identified
by name and one attribute, or to the room. Left, right, front and back are those of the scene's
axes. Sizes, distances and headings are never mentioned.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from po3d.language.english import with_article
from po3d.language.grammar import load
from po3d.language.programs.rooms import ROOMS, SIDES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged
from po3d.scene.table import Scene

EACH = 2
# largest distance in metres between a wall and the centre of an object hanging there, or the back
# of one standing there
WALL_GAP = 0.25
Caption = tuple[str, str]  # key of the object, text


def captions(scene: Scene, random: np.random.Generator) -> list[Caption]:
    """Return (key, text) captions of all objects; captions with equal keys describe one object."""
    world = SceneGeometry(unchanged(scene), scene)
    result = []
    for i in range(world.now):
        for part in range(EACH):
            result.append((str(i), _caption(world, i, part, random)))
    return result


def _filled(random: np.random.Generator, key: str, **slots: str) -> str:
    return load("captions").fill(key, lambda n: int(random.integers(n)), **slots)


def _caption(world: SceneGeometry, i: int, part: int, random: np.random.Generator) -> str:
    name = world.names[i]
    color, material = world.value(i, "color"), world.value(i, "material")
    state = world.value(i, "state")
    looks = [color] if color else []
    if random.random() < 0.6 and material:
        looks.append(material)
    sentences = [_filled(random, "called", a_thing=with_article(" ".join([*looks, name])))]
    if material and material not in looks:
        sentences.append(_filled(random, "made", material=material))
    if state:
        switched = state in ("on", "off")
        sentences.append(_filled(random, "state.switched" if switched else "state", state=state))
    places = _places(world, i, random)
    # the most specific place in the first caption, others in the second
    chosen = places[:1] if part == 0 else places[1:3]
    sentences += [_filled(random, "place", name=name, place=place) for place in chosen]
    return ". ".join(sentences) + "."


def _places(world: SceneGeometry, i: int, random: np.random.Generator) -> list[str]:
    """Return phrases for an object's position: the supporting object first, then the room, then
    other objects."""
    first, others = [], []
    below = world.supports[i]
    if below is not None and (mark := _mark(world, below)):
        first.append(_filled(random, "on", mark=mark))
    if region := _region(world, i, random):
        first.append(region)
    marks = {}
    for j in range(world.now):
        if j not in (i, below) and (mark := _mark(world, j)):
            marks[j] = mark
    for j in sorted(marks, key=lambda j: world.distance(i, j))[:5]:
        if world.stacked(i, j):
            continue
        sides = [d for d in SIDES if world.lying(_CORE[d], i, [j])]
        if world.inside("next_to", [i], j) >= 0:
            others.append(_filled(random, "next_to", mark=marks[j]))
        if sides:  # j lies to that side of i, so i lies to the opposite side of j
            others.append(_filled(random, f"from.{sides[0]}", mark=marks[j]))
    pairs = []
    for a, b in itertools.combinations(marks, 2):
        if world.related("between", (a, b), [i]):
            pairs.append((a, b))
    if pairs:
        a, b = pairs[int(random.integers(len(pairs)))]
        others.append(_filled(random, "between", mark=marks[a], other=marks[b]))
    return first + [others[k] for k in random.permutation(len(others))]


_CORE = {side: ROOMS.words["direction"][side] for side in SIDES}


def _region(world: SceneGeometry, i: int, random: np.random.Generator) -> str:
    """Return a phrase for a corner, a wall, a side or the middle of the room; "" otherwise."""
    sides: Sequence[str] = [d for d in SIDES if world.at_side(_CORE[d], i)]
    off = world.off_centre(i)
    if len(sides) == 2:
        ordered = sorted(sides, key=lambda d: d in ("left", "right"))
        return _filled(random, "corner", sides=" ".join(ordered))
    if len(sides) == 1:
        (side,) = sides
        axis = 0 if side in ("left", "right") else 1
        reach = (1 - abs(off[axis])) * world.half[axis] - world.extents(i)[0] / 2
        if reach <= WALL_GAP:
            return _filled(random, "wall", side=side)
        return _filled(random, "side", side=side)
    return _filled(random, "middle") if max(map(abs, off)) < 0.2 else ""


def _mark(world: SceneGeometry, i: int) -> str:
    """Return the name, with the colour if several objects have the name; "" if still ambiguous."""
    name = world.names[i]
    if world.named(name, False) == [i]:
        return name
    color = world.value(i, "color")
    alike = [j for j in world.named(name, False) if world.value(j, "color") == color]
    return f"{color} {name}" if color and alike == [i] else ""
