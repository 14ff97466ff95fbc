"""Runs room programs: changes to edits, questions to answers, with a trace.

    change text ─► program of type "edit" ─► plan(scene, program) ─► Edited
    question text ─► program ─► run(program, World) ─► RoomOutcome

What can't be resolved is an outcome with its reason: not found, ambiguous, unknown to the table. "The chair" means the
only chair; when there are several, the only one that the change was about; otherwise it is ambiguous.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from po3d.edits import Add, Edit, Edited, Move, Remove, SetAttribute, trace, unchanged
from po3d.placement import Place, Spot, resolve
from po3d.reasoning.program import ProgramError
from po3d.reasoning.room_program import ANSWERS, Call
from po3d.reasoning.room_world import DEFAULT_ROOM_RULES, VALUE_WORDS, RoomRules, World, direction_word
from po3d.rooms import ANYTHING, SYNONYMS, category_of
from po3d.scene import ObjectState, Scene, sure

UNKNOWN_SIZE = (0.45, 0.45, 0.5)  # metres, of a new thing whose kind is not listed


class Unresolved(Exception):
    """A description that fits nothing, or more than one thing, in this room."""


class CloseCall(Unresolved):
    """An answer that a small change of the room would alter; only a strict evaluator says so."""


@dataclass(frozen=True)
class RoomOutcome:
    """An answer, or why there is none; `steps` says in words what each call gave."""

    status: Literal["ok", "failed"]
    answer: str | None
    reason: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planned:
    """A change that was worked out: its result and what was done, in words."""

    edited: Edited
    notes: tuple[str, ...] = ()


def plan(scene: Scene, program: Call | None, rules: RoomRules = DEFAULT_ROOM_RULES) -> Planned:
    """Resolve a change's descriptions and places on the scene and apply it. Unresolved says what is missing."""
    if program is None:
        return Planned(unchanged(scene))
    if program.output != "edit":
        raise ProgramError(f"{program} is no change")
    if program.op == "then":
        first = plan(scene, program.args[0], rules)
        second = plan(first.edited.scene, program.args[1], rules)
        return Planned(_chained(first.edited, second.edited), first.notes + second.notes)
    planner = _Planner(scene, rules)
    edits = planner.edits(program)
    return Planned(trace(scene, edits), tuple(planner.notes))


def run(program: Call, world: World) -> RoomOutcome:
    """Answer a question program in a room."""
    if program.output not in ANSWERS:
        raise ProgramError(f"{program} asks nothing")
    evaluator = Evaluator(world, trace=True)
    try:
        answer = evaluator.answer(program)
    except Unresolved as failure:
        return RoomOutcome("failed", None, str(failure), tuple(evaluator.steps))
    return RoomOutcome("ok", answer, "", tuple(evaluator.steps))


def _chained(first: Edited, second: Edited) -> Edited:
    """The second change after the first, as one."""
    origin = tuple(None if k is None else first.origin[k] for k in second.origin)
    touched = {
        k
        for k, old in enumerate(second.origin)
        if k in second.touched or (old is not None and old in first.touched)
    }
    gone = {first.origin[k] for k in second.touched_before if first.origin[k] is not None}
    return Edited(second.scene, origin, frozenset(touched), first.touched_before | gone)


class Evaluator:
    """Evaluates calls to indices of the world's states, and questions to answers."""

    def __init__(self, world: World, trace: bool = False, strict: bool = False) -> None:
        self.world, self.tracing, self.strict = world, trace, strict
        self.steps: list[str] = []
        self.past = False  # whether names are looked up in the room before the change

    # --- sets and objects -------------------------------------------------------------------------------------------

    def set(self, program: Call) -> list[int]:
        found = getattr(self, f"_set_{program.op}")(*program.args)
        if self.tracing:
            self._note(program, ", ".join(self.describe(i) for i in found) or "none")
        return found

    def object(self, program: Call) -> int:
        found = getattr(self, f"_object_{program.op}")(*program.args)
        if self.tracing:
            self._note(program, self.describe(found))
        return found

    def describe(self, index: int) -> str:
        """A name with its number among its like, for traces."""
        name = self.world.names[index]
        among = [i for i in self.world.times(index >= self.world.now) if self.world.names[i] == name]
        number = f" {among.index(index) + 1}" if len(among) > 1 else ""
        return f"{name}{number}{' (before)' if index >= self.world.now else ''}"

    def _note(self, program: Call, result: str) -> None:
        self.steps.append(f"{program} = {result}")

    def _set_all(self, noun: str) -> list[int]:
        return self.world.called(noun, self.world.times(self.past))

    def _set_having(self, attribute: str, value: str, among: Call) -> list[int]:
        wanted = VALUE_WORDS.get(value, value)
        return [i for i in self.set(among) if self.world.value(i, attribute) == wanted]

    def _set_usable(self, purpose: str, among: Call) -> list[int]:
        return [i for i in self.set(among) if purpose in self.world.purposes(i)]

    def _set_same_use(self, like: Call, among: Call) -> list[int]:
        one = self.object(like)
        purposes = set(self.world.purposes(one))
        return [i for i in self.set(among) if i != one and purposes & set(self.world.purposes(i))]

    def _set_toward(self, direction: str, start: Call, among: Call) -> list[int]:
        one = self.object(start)
        return [i for i in self.set(among) if i != one and self.world.lies(direction, one, i)]

    def _set_side(self, direction: str, among: Call) -> list[int]:
        return [i for i in self.set(among) if self.world.at_side(direction, i)]

    def _set_beside(self, one: Call, among: Call) -> list[int]:
        index = self.object(one)
        others = [i for i in self.set(among) if i != index and not self.world.stacked(index, i)]
        near = self.world.gap(index, others) <= self.world.rules.next_to
        return [i for i, close in zip(others, near) if close]

    def _set_upon(self, one: Call, among: Call) -> list[int]:
        index = self.object(one)
        return [i for i in self.set(among) if self.world.supports[i] == index]

    def _set_beneath(self, one: Call, among: Call) -> list[int]:
        index, z = self.object(one), self.world.position[:, 2]
        return [i for i in self.set(among) if i != index and z[i] < z[index] and self.world.stacked(index, i)]

    def _set_between(self, first: Call, second: Call, among: Call) -> list[int]:
        a, b = self.object(first), self.object(second)
        return [i for i in self.set(among) if i not in (a, b) and self.world.between(a, b, i)]

    def _set_obstacles(self, first: Call, second: Call) -> list[int]:
        a, b = self.object(first), self.object(second)
        return [i for i in self.world.times(self.past) if self.world.blocks(a, b, i)]

    def _set_other(self, one: Call, among: Call) -> list[int]:
        index = self.object(one)
        return [i for i in self.set(among) if i != index]

    def _set_touched(self, among: Call) -> list[int]:
        return [i for i in self.set(among) if self.world.touched(i)]

    def _set_pair(self, first: Call, second: Call) -> list[int]:
        return [self.object(first), self.object(second)]

    def _set_just(self, one: Call) -> list[int]:
        return [self.object(one)]

    def _set_same(self, attribute: str, like: Call, among: Call) -> list[int]:
        one = self.object(like)
        value = self._known(one, attribute)
        return [i for i in self.set(among) if i != one and self.world.value(i, attribute) == value]

    def _object_only(self, among: Call) -> int:
        found = self.set(among)
        if len(found) > 1:
            salient = [i for i in found if self.world.touched(i)]
            found = salient if len(salient) == 1 else found
        if not found:
            raise Unresolved(f"not found: {_said(among)} is not in the room")
        if len(found) > 1:
            raise Unresolved(f"ambiguous: {_said(among)} could be any of {len(found)}")
        return found[0]

    def _best(
        self, among: Call, key: Callable[[int], float], scale: float = 1.0, one: int | None = None
    ) -> int:
        """The candidate with the least key; `scale` of what differs noticeably, 1 for metres."""
        found = [i for i in self.set(among) if i != one]
        if one is not None:  # near a thing means beside it, not on it, where there is a choice
            found = [i for i in found if not self.world.stacked(one, i)] or found
        if not found:
            raise Unresolved(f"not found: {_said(among)} is not in the room")
        return self._least(found, among, key)

    def _least(self, found: list[int], among: Call, key: Callable[[int], float]) -> int:
        """The one with the least key, in metres or logarithms of volumes; a strict evaluator wants it clearly least."""
        best = min(found, key=key)
        if self.strict and any(
            key(i) - key(best) < max(0.15, 0.12 * abs(key(best))) for i in found if i != best
        ):
            raise CloseCall(f"close call: {_said(among)}")
        return best

    def _object_nearest(self, one: Call, among: Call) -> int:
        index = self.object(one)
        return self._best(among, lambda i: self.world.distance(index, i), one=index)

    def _object_farthest(self, one: Call, among: Call) -> int:
        index = self.object(one)
        return self._best(among, lambda i: -self.world.distance(index, i), one=index)

    def _object_first(self, direction: str, start: Call, among: Call) -> int:
        index = self.object(start)
        found = [i for i in self.set(among) if i != index and self.world.lies(direction, index, i)]
        if not found:
            raise Unresolved(f"not found: {_said(among)} {direction} of {self.describe(index)}")
        return self._least(found, among, lambda i: self.world.distance(index, i))

    def _object_largest(self, among: Call) -> int:
        return self._best(among, lambda i: -math.log(self.volume(i)))

    def _object_smallest(self, among: Call) -> int:
        return self._best(among, lambda i: math.log(self.volume(i)))

    def _object_tallest(self, among: Call) -> int:
        return self._best(among, lambda i: -self.world.extent[i, 2])

    def _object_highest(self, among: Call) -> int:
        return self._best(among, lambda i: -self.world.position[i, 2])

    def _object_lowest(self, among: Call) -> int:
        return self._best(among, lambda i: self.world.position[i, 2])

    def _object_extreme(self, direction: str, among: Call) -> int:
        ahead = {"front": (0, 1), "back": (0, -1), "right": (1, 0), "left": (-1, 0)}
        across, along = (sum(ahead[word][k] for word in direction.split()) for k in (0, 1))
        return self._best(
            among, lambda i: -(across * self.world.ground[i, 0] + along * self.world.ground[i, 1])
        )

    def _object_support(self, one: Call) -> int:
        index = self.object(one)
        below = self.world.supports[index]
        if below is None:
            raise Unresolved(f"not found: {self.describe(index)} rests on no other thing")
        return below

    def _object_was(self, one: Call) -> int:
        past, self.past = self.past, True
        try:
            return self.object(one)
        finally:
            self.past = past

    def volume(self, index: int) -> float:
        return float(self.world.extent[index].prod())

    def _known(self, index: int, attribute: str) -> str:
        value = self.world.value(index, attribute)
        if value is None:
            raise Unresolved(
                f"unknown: the table says nothing about the {attribute} of {self.describe(index)}"
            )
        return value

    # --- answers ----------------------------------------------------------------------------------------------------

    def answer(self, program: Call) -> str:
        value = getattr(self, f"_ask_{program.op}")(*program.args)
        if isinstance(value, bool):
            value = "yes" if value else "no"
        self._note(program, str(value))
        return str(value)

    def _ask_count(self, among: Call) -> int:
        return len(self.set(among))

    def _ask_exist(self, among: Call) -> bool:
        return bool(self.set(among))

    def _ask_more(self, first: Call, second: Call) -> bool:
        return len(self.set(first)) > len(self.set(second))

    def _ask_fits(self, thing: Call, room: Call) -> bool:
        mine = sorted(self.world.extent[self.object(thing)][:2])
        space = sorted(self.world.extent[self.object(room)][:2])
        self._apart(min(b - a for a, b in zip(mine, space)), 0.0, 0.05)
        return all(a <= b + 1e-9 for a, b in zip(mine, space))

    def _ask_closer_now(self, first: Call, second: Call) -> bool:
        a, b = self.object(first), self.object(second)
        then = [self.world.edited.origin[i] if i < self.world.now else None for i in (a, b)]
        if None in then:
            raise Unresolved(f"unknown: {self.describe(a)} or {self.describe(b)} was not there before")
        now, before = self.world.distance(a, b), self.world.distance(*(self.world.now + i for i in then))
        self._apart(now, before, 0.3)
        return now < before

    def _ask_name(self, one: Call) -> str:
        if one.op == "support":
            index = self.object(one.args[0])
            below = self.world.supports[index]
            if below is None:
                low = self.world.position[index, 2] - self.world.extent[index, 2] / 2
                return "floor" if low < 0.1 else "wall"
            return self.world.names[below]
        return self.world.names[self.object(one)]

    def _ask_query(self, attribute: str, one: Call) -> str:
        return self._known(self.object(one), attribute)

    def _ask_kinds(self, attribute: str, among: Call) -> int:
        return len({self._known(i, attribute) for i in self.set(among)})

    def _ask_whither(self, start: Call, goal: Call) -> str:
        a, b = self.object(start), self.object(goal)
        if self.world.distance(a, b) < 1e-6:
            raise Unresolved(f"no direction: {self.describe(a)} and {self.describe(b)} are at the same place")
        return self._direction(self.world.bearing(a, b))

    def _ask_seen_from(self, stand: Call, facing: Call, target: Call) -> str:
        a, b, c = self.object(stand), self.object(facing), self.object(target)
        if a in (b, c):
            raise Unresolved(f"no direction: {self.describe(a)} is looked at from where it stands")
        return self._direction(self.world.bearing(a, c) - self.world.bearing(a, b))

    def _ask_which_side(self, one: Call) -> str:
        right, front = (self.world.ground[self.object(one)] - self.world.middle) / self.world.half
        if self.strict and math.hypot(right, front) < 0.4:
            raise CloseCall("close call: near the middle of the room")
        return self._direction(math.atan2(right, front))

    def _direction(self, bearing: float) -> str:
        off = math.remainder(bearing, math.pi / 4)
        if self.strict and abs(off) > math.radians(15):
            raise CloseCall("close call: between two directions")
        return direction_word(bearing)

    def _ask_height(self, first: Call, second: Call) -> str:
        a, b = (float(self.world.position[self.object(one), 2]) for one in (first, second))
        self._apart(a, b, 0.15)
        return "higher" if a > b else "lower"

    def _ask_size(self, first: Call, second: Call) -> str:
        a, b = (math.log(self.volume(self.object(one))) for one in (first, second))
        self._apart(a, b, 0.25)
        return "larger" if a > b else "smaller"

    def _apart(self, a: float, b: float, least: float) -> None:
        if self.strict and abs(a - b) < least:
            raise CloseCall("close call: nearly the same")


class _Planner:
    """Resolves one edit program on a scene."""

    def __init__(self, scene: Scene, rules: RoomRules) -> None:
        self.scene = scene
        self.world = World(unchanged(scene), scene, rules)
        self.look = Evaluator(self.world)
        self.notes: list[str] = []

    def edits(self, program: Call) -> list[Edit]:
        return getattr(self, f"_{program.op}")(*program.args)

    def _targets(self, program: Call) -> list[int]:
        found = self.look.set(program)
        if not found:
            raise Unresolved(f"not found: {_said(program)} is not in the room")
        return found

    def _move(self, what: Call, where: Call) -> list[Edit]:
        place = self._place(where)
        edits: list[Edit] = []
        scene = self.scene
        for index in self._targets(what):
            spot = resolve(scene, scene.objects[index], place, index)
            edits.append(Move(index, spot.position, spot.heading))
            self._tell(f"move {self.look.describe(index)}", spot)
            scene = replace(self.scene, objects=trace(self.scene, edits).scene.objects)
        return edits

    def _turn(self, what: Call, degrees: str) -> list[Edit]:
        turn = math.radians(float(degrees))
        objects = self.scene.objects
        return [Move(i, objects[i].position, objects[i].heading - turn) for i in self._targets(what)]

    def _face(self, what: Call, toward: Call) -> list[Edit]:
        goal = self.scene.objects[self.look.object(toward)].position
        edits: list[Edit] = []
        for i in self._targets(what):
            x, y, _ = self.scene.objects[i].position
            edits.append(Move(i, self.scene.objects[i].position, math.atan2(goal[1] - y, goal[0] - x)))
        return edits

    def _swap(self, first: Call, second: Call) -> list[Edit]:
        a, b = self.look.object(first), self.look.object(second)
        one, two = self.scene.objects[a], self.scene.objects[b]
        place = lambda mine, other: resolve(self.scene, mine, Place("spot", (other,)))  # noqa: E731
        return [
            Move(a, place(one, two).position, two.heading),
            Move(b, place(two, one).position, one.heading),
        ]

    def _remove(self, what: Call) -> list[Edit]:
        return [Remove(i) for i in self._targets(what)]

    def _set(self, attribute: str, value: str, what: Call) -> list[Edit]:
        return [SetAttribute(i, attribute, VALUE_WORDS.get(value, value)) for i in self._targets(what)]

    def _add(self, number: str, thing: Call, where: Call) -> list[Edit]:
        place = self._place(where)
        if place.kind == "shift":
            raise Unresolved("unknown place: a new thing can't be shifted")
        edits: list[Edit] = []
        scene = self.scene
        for _ in range(int(float(number))):
            state = self._new(thing)
            spot = resolve(scene, state, place)
            state = replace(state, position=spot.position, heading=spot.heading)
            self._tell(f"add {state.value('name')}", spot)
            edits.append(Add(state))
            scene = replace(scene, objects=(*scene.objects, state))
        return edits

    def _replace(self, what: Call, thing: Call) -> list[Edit]:
        edits: list[Edit] = []
        for i in self._targets(what):
            old, state = self.scene.objects[i], self._new(thing)
            spot = resolve(self.scene, state, Place("spot", (old,)))
            edits.append(Add(replace(state, position=spot.position, heading=spot.heading), i))
        return edits

    def _new(self, thing: Call) -> ObjectState:
        noun, traits = thing.args
        name = SYNONYMS.get(noun, noun)
        known = category_of(name)
        extent = (known.depth, known.width, known.height) if known else UNKNOWN_SIZE
        beliefs = {"name": name}
        while traits.op == "trait":
            attribute, value, traits = traits.args
            beliefs[attribute] = VALUE_WORDS.get(value, value)
        return ObjectState(sure(**beliefs), (0.0, 0.0, extent[2] / 2), 0.0, extent)

    def _place(self, where: Call) -> Place:
        objects, direction, distance = [], "", 0.0
        for arg in where.args:
            if isinstance(arg, Call):
                objects.append(self.scene.objects[self.look.object(arg)])
            elif where.op == "shift" and direction:
                distance = float(arg)
            else:
                direction = arg
        return Place(where.op, tuple(objects), direction, distance)

    def _tell(self, what: str, spot: Spot) -> None:
        x, y, z = spot.position
        crowded = ", where it overlaps other things: no free place" if spot.crowded else ""
        self.notes.append(f"{what} to ({x:.2f}, {y:.2f}, {z:.2f}){crowded}")


def _said(program: Call) -> str:
    """A set in a few words, for reasons: its noun with what it is said to be."""
    words = []
    for part in program.calls():
        if part.op == "having":
            words.insert(0, part.args[1])
        elif part.op == "all":
            words.append(part.args[0] if part.args[0] not in ANYTHING else "thing")
            break
    return f"{' '.join(words) or 'it'!r}" + ("" if program.op in ("all", "having") else f" with {program.op}")
