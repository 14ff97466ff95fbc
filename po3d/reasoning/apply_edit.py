"""Apply the edit of a question to a table: resolve its descriptions and places.

edit text ─► program of type "edit" ─► plan(scene, program) ─► Planned, with its Edited
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from po3d.language.lexicon import ABOVE, fits, kinds_of
from po3d.language.program import DIRECTIONS, LEAVES, Call, ProgramError
from po3d.language.programs import rooms
from po3d.reasoning.evaluator import Evaluator
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.rules import ROOM_RULES, Rules
from po3d.reasoning.set_operations import set_text
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import (
    Add,
    Edit,
    Edited,
    Move,
    Remove,
    Resize,
    SetAttribute,
    trace,
    unchanged,
    with_fields,
)
from po3d.scene.index import SceneIndex
from po3d.scene.placement import Place, Spot, resolve
from po3d.scene.rooms import (
    ANYTHING,
    CATEGORIES,
    NEW_THINGS,
    SYNONYMS,
    UNKNOWN_SIZE,
    VALUE_WORDS,
    category_of,
)
from po3d.scene.table import ObjectState, Scene, sure

LARGEST = 20.0  # metres: the longest side of a new or resized object


@dataclass(frozen=True)
class Planned:
    """A resolved edit: the edited scene, and the chosen placements.

    A placement is the index (in the scene before) of a moved object, or the name of a new one, with
    its place and the geometry of that scene.
    """

    edited: Edited
    placed: tuple[tuple[int | str, Spot, SceneGeometry], ...] = ()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """The placements in words."""
        notes = []
        for thing, spot, world in self.placed:
            what = f"add {thing}" if isinstance(thing, str) else f"move {world.describe(thing)}"
            x, y, z = spot.position
            notes.append(f"{what} to ({x:.2f}, {y:.2f}, {z:.2f})")
            if spot.crowded:
                notes[-1] += ", where it overlaps other objects because there is no free place"
        return tuple(notes)


def plan(before: Scene | SceneGeometry, program: Call | None, rules: Rules = ROOM_RULES) -> Planned:
    """Resolve the descriptions and places of an edit on a scene, and apply it.

    Raise ExecutionFailure if something is missing, ProgramError if the program is not an edit.
    Passing an unedited `SceneGeometry` (with its own rules) avoids recomputing it for several edits
    of one scene.
    """
    world = before if isinstance(before, SceneGeometry) else SceneGeometry.of(before, rules)
    if program is None:
        return Planned(world.edited)
    if program.output != "edit":
        raise ProgramError(f"{program} is not a change")
    if program.op == "then":
        first = plan(world, program.args[0])
        after = world.after(first.edited)
        second = _planned(after.present, program.args[1], after)
        return Planned(_chained(first.edited, second.edited), first.placed + second.placed)
    return _planned(world.present, program, world)


def _planned(layout: SceneIndex, program: Call, world: SceneGeometry) -> Planned:
    """Apply an edit to a scene whose history, if any, is in `world`.

    The history resolves "the lamp was put where the chair had been".
    """
    if program.op == "then":  # the first of three or more steps: its own history starts here
        unedited = unchanged(layout.scene)
        return plan(SceneGeometry(unedited, layout, world.rules, world.stand), program)
    planner = _Planner(layout, world)
    edits = planner.edits(program)
    mentioned = frozenset([i for i in planner.mentioned if i < world.now])
    return Planned(trace(layout.scene, edits, layout.below, mentioned), tuple(planner.placed))


def _chained(first: Edited, second: Edited) -> Edited:
    """Return two consecutive edits as one."""
    origin, touched = [], set(second.touched)
    for k, old in enumerate(second.origin):
        origin.append(None if old is None else first.origin[old])
        if old in first.touched:
            touched.add(k)
    gone = first.touched_before.union(map(first.origin.__getitem__, second.touched_before))
    named = first.mentioned.union(map(first.origin.__getitem__, second.mentioned))
    none = {None}
    return Edited(second.scene, tuple(origin), frozenset(touched), gone - none, named - none)


def brought_in(program: rooms.RoomCall) -> rooms.RoomCall | None:
    """Return the move of an object that the room lacks as its addition: "my son left his guitar by
    the bed".

    None for other edits, and for objects described by more than attributes.
    """
    if program.op != "move":
        return None
    what, where = program.args
    if what.op != "just" or where.op in ("shift", "spot") or what.args[0].op != "only":
        return None
    (phrase,) = what.args
    kind, traits = phrase.args[0], rooms.RoomCall("plain")
    while kind.op == "having":
        attribute, value, kind = kind.args
        traits = rooms.RoomCall("trait", (attribute, value, traits))
    if kind.op != "all":
        return None
    return rooms.RoomCall("add", ("1", rooms.RoomCall("thing", (kind.args[0], traits)), where))


class _Planner:
    """Resolves one edit program on a scene."""

    def __init__(self, layout: SceneIndex, world: SceneGeometry) -> None:
        self.layout, self.scene, self.world = layout, layout.scene, world
        self.look = Evaluator(world)
        self.placed: list[tuple[int | str, Spot, SceneGeometry]] = []
        self.mentioned: list[int] = []  # objects that only define a place

    def edits(self, program: Call) -> list[Edit]:
        return getattr(self, f"_{program.op}")(*program.args)

    def _targets(self, program: Call) -> list[int]:
        indices = self.look.value(program)
        if not indices:
            what = f"there are no {set_text(program)} in the room"
            raise ExecutionFailure("not found", f"not found: {what}")
        return self._here(indices, program)

    def _here(self, indices: Sequence[int], program: Call) -> list[int]:
        """Return the indices unchanged; raise ExecutionFailure if an object is no longer in the
        room, which is possible for `before(...)`."""
        if max(indices) >= self.world.now:
            what = f"{set_text(program)} are no longer in the room"
            raise ExecutionFailure("not found", f"not found: {what}")
        return list(indices)

    def _move(self, what: Call, where: Call) -> list[Edit]:
        place = self._place(where)
        edits: list[Edit] = []
        layout = self.layout
        for index in self._targets(what):
            if edits:  # later objects see the earlier ones at their new positions
                edited = trace(layout.scene, edits[-1:], layout.below)
                layout = SceneIndex(edited.scene, self.layout)
            spot = resolve(layout, layout.scene.objects[index], place, index)
            edits.append(Move(index, spot.position, spot.heading))
            self.placed.append((index, spot, self.world))
        return edits

    def _turn(self, what: Call, degrees: float) -> list[Edit]:
        edits: list[Edit] = []
        for i in self._targets(what):
            state = self.scene.objects[i]
            edits.append(Move(i, state.position, state.heading - math.radians(degrees)))
        return edits

    def _face(self, what: Call, toward: Call) -> list[Edit]:
        self.mentioned.append(self.look.object(toward))
        goal = self.world.point(self.mentioned[-1])
        edits: list[Edit] = []
        for i in self._targets(what):
            position = x, y, _ = self.scene.objects[i].position
            edits.append(Move(i, position, math.atan2(goal[1] - y, goal[0] - x)))
        return edits

    def _swap(self, first: Call, second: Call) -> list[Edit]:
        a, b = self.look.both(first, second)
        one = self.scene.objects[self._here([a], first)[0]]
        two = self.scene.objects[self._here([b], second)[0]]
        place_of_one = resolve(self.scene, two, Place("spot", (one,))).position
        place_of_two = resolve(self.scene, one, Place("spot", (two,))).position
        return [Move(a, place_of_two, two.heading), Move(b, place_of_one, one.heading)]

    def _remove(self, what: Call) -> list[Edit]:
        targets = self.look.value(what) if may_be_empty(what) else self._targets(what)
        return list(map(Remove, targets))

    def _set(self, attribute: str, value: str | float, what: Call) -> list[Edit]:
        if attribute in LEAVES["extent"]:
            return self._resize(attribute, what, lambda side: float(value))
        if attribute in LEAVES["proportion"]:
            return self._resize(_STATED[attribute], what, lambda side: side * value)
        word = self._value(attribute, value)
        return [SetAttribute(i, attribute, word) for i in self._targets(what)]

    def _resize(self, stated: str, what: Call, size: Callable[[float], float]) -> list[Edit]:
        edits: list[Edit] = []
        for i in self._targets(what):
            extent = self.scene.objects[i].extent
            for k in _sides(extent, stated):
                extent = (*extent[:k], size(extent[k]), *extent[k + 1 :])
            edits.append(Resize(i, _possible(extent)))
        return edits

    def _value(self, attribute: str, word: str) -> str:
        """Return the scene's word for an attribute value of an edit, "grey" -> "gray"; the word
        itself if the scene has it or there is no other."""
        plain = VALUE_WORDS.get(word, word)
        return word if word == plain or word in self.world.values(attribute) else plain

    def _add(self, number: float, thing: Call, where: Call) -> list[Edit]:
        place = self._place(where)
        if place.kind == "shift":
            raise ExecutionFailure("unknown", "unknown place: an added object cannot be shifted")
        edits: list[Edit] = []
        layout = self.layout
        for _ in range(int(number)):
            if edits:
                layout = SceneIndex(trace(layout.scene, edits[-1:]).scene, self.layout)
            state = self._new(thing)
            spot = resolve(layout, state, place)
            state = with_fields(state, position=spot.position, heading=spot.heading)
            self.placed.append((state.value("name"), spot, self.world))
            edits.append(Add(state))
        return edits

    def _replace(self, what: Call, thing: Call) -> list[Edit]:
        edits: list[Edit] = []
        for i in self._targets(what):
            old, state = self.scene.objects[i], self._new(thing)
            spot = resolve(self.scene, state, Place("spot", (old,)))
            edits.append(Add(with_fields(state, position=spot.position, heading=spot.heading), i))
        return edits

    def _new(self, thing: Call) -> ObjectState:
        noun, traits = thing.args
        name = self._name(noun)
        extent = _typical_extent(name)
        beliefs = {"name": name}
        while traits.op == "trait":
            attribute, value, traits = traits.args
            if attribute in LEAVES["extent"]:
                extent = _resized(extent, attribute, value)
            else:
                beliefs[attribute] = self._value(attribute, value)
        return ObjectState(sure(**beliefs), (0.0, 0.0, extent[2] / 2), 0.0, _possible(extent))

    def _name(self, noun: str) -> str:
        """Return the table's name for a new object.

        The noun itself, or its usual synonym, if the table has such names; else a synonym in the
        table; else the usual synonym.
        """
        names = dict.fromkeys(self.world.names)
        usual = SYNONYMS.get(noun, noun)
        for name in (noun, usual):
            if name in names:
                return name
        for name in names:
            if SYNONYMS.get(name) == usual:
                return name
        return usual

    def _place(self, where: Call) -> Place:
        """Return a place by its relation, direction or part; its objects go into `mentioned`."""
        relation, *args = where.args
        if relation in _PARTS:
            return Place(relation, (), _words(args[0]) if args else "", 0.0)
        if args and not isinstance(args[0], Call):
            return Place("shift", (), _words(relation), float(args[0]))
        first = len(self.mentioned)
        ones = _objects_of(where)
        if (relation == "between") != (len(ones) == 2):
            raise ExecutionFailure("unknown", f"unknown place: {where}")
        self.mentioned += self.look.both(*ones) if len(ones) == 2 else [self.look.object(ones[0])]
        objects = tuple(self.world.things[i].state for i in self.mentioned[first:])
        if relation == "opposite":
            return Place("wall", (), self._opposite(self.mentioned[-1]), 0.0)
        if relation in _KINDS:
            return Place(_KINDS[relation], objects, "", 0.0)
        if relation not in DIRECTIONS:
            raise ExecutionFailure("unknown", f"unknown place: {where}")
        return Place("at", objects, _words(relation), 0.0)

    def _opposite(self, index: int) -> str:
        """Return the direction of the frame in which the wall opposite to an object's lies."""
        ((nx, ny), _, _), *_ = self.look.opposite_walls(index)

        def outward(direction: str) -> float:
            x, y = self.layout.way(direction)
            return -nx * x - ny * y

        return max(DIRECTIONS[::2], key=outward)


def _typical_extent(name: str) -> tuple[float, float, float]:
    """Return the typical depth, width and height of a new object: of its kind in the tables, or of
    the kind that the lexicon gives ("taboret": a stool)."""
    known = category_of(name)
    if known is None and name not in NEW_THINGS:
        known = CATEGORIES.get(_like(name, CATEGORIES))
    if known is not None:
        return known.depth, known.width, known.height
    return NEW_THINGS.get(name) or NEW_THINGS.get(_like(name, NEW_THINGS), UNKNOWN_SIZE)


def _like(name: str, kinds: Iterable[str]) -> str:
    """Return the kind of a list that fits a name best by the lexicon, or by its last words; ""."""
    best = max(kinds, key=lambda kind: (fits(name, kind), kind))
    if fits(name, best) >= ABOVE and kinds_of(name):
        return best
    for kind in kinds:
        if name.endswith(f" {kind}"):
            return kind
    return ""


def _resized(
    extent: tuple[float, float, float], stated: str, metres: float
) -> tuple[float, float, float]:
    """Return a typical extent (depth, width, height) with one stated size; "long" refers to the
    longer horizontal side."""
    for side in _sides(extent, stated):
        extent = (*extent[:side], metres, *extent[side + 1 :])
    return extent


def _possible(extent: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return the extent. Raise ExecutionFailure if a side is not above 0 or longer than LARGEST."""
    if min(extent) <= 0 or max(extent) > LARGEST:
        raise ExecutionFailure("unknown", f"unknown: no object has a size of {extent}")
    return extent


def _sides(extent: tuple[float, float, float], stated: str) -> tuple[int, ...]:
    """Return the indices of the sides of an extent to which a stated size refers."""
    depth, width, _ = extent
    sides = {"deep": (0,), "wide": (1,), "tall": (2,), "long": (int(width >= depth),)}
    return sides.get(stated, (0, 1, 2))


# the sides of each proportion; of "bigger" all
_STATED = dict(zip(LEAVES["proportion"], (*LEAVES["extent"], "")))


def may_be_empty(what: Call) -> bool:
    """Whether the set that an edit removes may be empty, as for "everything on it"."""
    source = what.args[2] if (what.op, *what.args[:1]) == ("relate", "on") else what
    anything = source.op == "filter" and source.args[0] == "name" and source.args[1] in ANYTHING
    return anything and source is not what


def places(change: Call) -> list[tuple[Call, ...]]:
    """Return the objects, or pairs of objects, that define the places of an edit."""
    if change.op == "swap":
        return [change.args]
    if change.op == "face":
        return [change.args[1:]]
    ones = tuple(_objects_of(change.args[-1])) if change.op in ("move", "add") else ()
    return [ones] if ones else []


def _objects_of(where: Call) -> list[Call]:
    """Return the objects of a place."""
    if where.args[0] in _PARTS:
        return []
    return [arg for arg in where.args if isinstance(arg, Call) and arg.op != "frame"]


_PARTS = ("corner", "wall", "centre")
_KINDS = {
    "next_to": "beside",
    "on": "on",
    "under": "under",
    "between": "amid",
    "at": "spot",
    "above": "above",
}


def _words(direction: str) -> str:
    """Return a direction in the spelling of the table's axes."""
    return direction.replace("_", " ")
