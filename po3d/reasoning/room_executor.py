"""Runs room programs: questions to answers, with a trace. Changes are room_planner's.

    question text ─► program ─► run(program, World) ─► Outcome

What can't be resolved is an outcome with its reason: not found, ambiguous, unknown to the table. "The chair" means the
only chair; when there are several, the only one that the change was about; otherwise it is ambiguous.
"""

import math
from collections.abc import Callable

from po3d.language.program import ProgramError
from po3d.language.programs.rooms import Call
from po3d.reasoning.outcome import ExecutionFailure, Outcome, failed
from po3d.reasoning.room_world import World, direction_word
from po3d.scene.rooms import ANYTHING, VALUE_WORDS

_IT = Call("only", (Call("touched", (Call("all", ("object",)),)),))


def run(program: Call, world: World) -> Outcome:
    """Answer a question program in a room."""
    if program.op not in _ANSWERS:
        raise ProgramError(f"{program} asks nothing")
    evaluator = Evaluator(world, trace=True)
    try:
        answer = evaluator.answer(program)
    except ExecutionFailure as failure:
        return failed(failure, evaluator=evaluator)
    return Outcome("ok", answer, evaluator=evaluator)


class Evaluator:
    """Evaluates calls to indices of the world's states, and questions to answers."""

    def __init__(self, world: World, trace: bool = False, strict: bool = False) -> None:
        self.world, self.tracing, self.strict = world, trace, strict
        self.steps: list[
            tuple[Call, str | int | list[int]]
        ] = []  # what each call gave, in the order of evaluation
        self.past = False  # whether names are looked up in the room before the change
        self.naming = (
            False  # whether one thing is being picked out, so that what is unknown may be passed over
        )

    # --- sets and objects -------------------------------------------------------------------------------------------

    def set(self, program: Call) -> list[int]:
        found = _SETS[program.op](self, *program.args)
        if self.tracing:
            self.steps.append((program, found))
        return found

    def object(self, program: Call) -> int:
        outer, self.naming = self.naming, True
        try:
            found = _OBJECTS[program.op](self, *program.args)
        finally:
            self.naming = outer
        if self.tracing:
            self.steps.append((program, found))
        return found

    def both(self, first: Call, second: Call) -> tuple[int, int]:
        """Two things; one description said of both, "the two chairs", means the two that it fits, when it fits two."""
        if first == second and first.op == "only" and len(found := self.set(first.args[0])) == 2:
            return found[0], found[1]
        return self.object(first), self.object(second)

    def describe(self, index: int) -> str:
        """A name with its number among its like, for traces."""
        name = self.world.names[index]
        among = [i for i in self.world.times(index >= self.world.now) if self.world.names[i] == name]
        number = f" {among.index(index) + 1}" if len(among) > 1 else ""
        return f"{name}{number}{' (before)' if index >= self.world.now else ''}"

    def told(self) -> tuple[str, ...]:
        """The steps in words."""
        return tuple(f"{program} = {self._said(found)}" for program, found in self.steps)

    def _said(self, found: str | int | list[int]) -> str:
        if isinstance(found, str):
            return found
        if isinstance(found, int):
            return self.describe(found)
        return ", ".join(self.describe(i) for i in found) or "none"

    def _set_all(self, noun: str) -> list[int]:
        world = self.world
        return world.named(noun, True) if self.past else world.present.called(noun)

    def _set_having(self, attribute: str, value: str, among: Call) -> list[int]:
        wanted, found = VALUE_WORDS.get(value, value), self.set(among)
        having = [i for i in found if self.world.value(i, attribute) == wanted]
        if having or not found:
            return having
        told = any(attribute in o.beliefs for o in self.world.before.objects)
        if self.naming and not (self.strict and told):
            # "The broken chair": a table that tells the state of no chair can't tell it from others, but does not deny it.
            return found if all(self.world.value(i, attribute) is None for i in found) else []
        if not told:
            raise ExecutionFailure("unknown", f"unknown: the table says nothing about any {attribute}")
        return []

    def _set_lacking(self, attribute: str, value: str, among: Call) -> list[int]:
        wanted = VALUE_WORDS.get(value, value)
        return [i for i in self.set(among) if self.world.value(i, attribute) not in (None, wanted)]

    def _set_either(self, first: Call, second: Call) -> list[int]:
        return list(dict.fromkeys(self.set(first) + self.set(second)))

    def _set_usable(self, purpose: str, among: Call) -> list[int]:
        return [i for i in self.set(among) if purpose in self.world.purposes(i)]

    def _set_same_use(self, like: Call, among: Call) -> list[int]:
        one = self.object(like)
        purposes = set(self.world.purposes(one))
        return [i for i in self.set(among) if i != one and purposes & set(self.world.purposes(i))]

    def _set_toward(self, direction: str, start: Call, among: Call) -> list[int]:
        one = self.object(start)
        return [i for i in self.world.lying(direction, one, self.set(among)) if i != one]

    def _set_side(self, direction: str, among: Call) -> list[int]:
        return [i for i in self.set(among) if self.world.at_side(direction, i)]

    def _set_beside(self, one: Call, among: Call) -> list[int]:
        index = self.object(one)
        near = [i for i in self.set(among) if i != index and self.world.near(index, i)]
        return self.world.beside(index, near)

    def _set_upon(self, one: Call, among: Call) -> list[int]:
        below = self._below_it() if one == _IT else None
        index = self.object(one) if below is None else below
        return [i for i in self.set(among) if self.world.supports[i] == index]

    def _below_it(self) -> int | None:
        """What all things rest on that the change was about and that carry nothing: after "two cups were set on the desk",
        what is on "it" is on the desk. None when there is no such thing."""
        now = [i for i in self.world.salient if i < self.world.now]
        below = {self.world.supports[i] for i in now}
        if len(below) != 1 or any(self.world.supports[i] in now for i in range(self.world.now)):
            return None
        return below.pop()

    def _set_beneath(self, one: Call, among: Call) -> list[int]:
        index = self.object(one)
        z = self.world.height(index)
        return [
            i
            for i in self.set(among)
            if i != index and self.world.height(i) < z and self.world.stacked(index, i)
        ]

    def _set_between(self, first: Call, second: Call, among: Call) -> list[int]:
        a, b = self.both(first, second)
        return [i for i in self.set(among) if i not in (a, b) and self.world.between(a, b, i)]

    def _set_obstacles(self, first: Call, second: Call) -> list[int]:
        a, b = self.both(first, second)
        return self.world.blocking(a, b, self.world.times(self.past))

    def _set_other(self, one: Call, among: Call) -> list[int]:
        if one.op == "only" and one.args[0].op == "all" and len(several := self.set(one.args[0])) > 1:
            about = [i for i in several if i in self.world.salient]
            left_out = about if len(about) == 1 else several  # "apart from the beds"
        else:
            left_out = [self.object(one)]
        return [i for i in self.set(among) if i not in left_out]

    def _set_touched(self, among: Call) -> list[int]:
        salient = self.world.salient
        return [i for i in self.set(among) if i in salient]

    def _set_pair(self, first: Call, second: Call) -> list[int]:
        return list(self.both(first, second))

    def _set_just(self, one: Call) -> list[int]:
        return [self.object(one)]

    def _set_same(self, attribute: str, like: Call, among: Call) -> list[int]:
        one = self.object(like)
        value = self._known(one, attribute)
        return [i for i in self.set(among) if i != one and self.world.value(i, attribute) == value]

    def _object_only(self, among: Call) -> int:
        found = self.set(among)
        if len(found) == 1:
            return found[0]
        if found:
            about = self.world.salient
            salient = [i for i in found if i in about]
            found = salient if len(salient) == 1 else found
        if len(found) != 1 and not self.strict:
            if not found and among.op == "touched" and not self.past:  # "it" is what was removed
                return self._object_was(Call("only", (among,)))
            found = self._spoken_of(among, found)
        if not found:
            raise ExecutionFailure("not found", f"not found: {said(among)} is not in the room")
        if len(found) > 1:
            raise ExecutionFailure("ambiguous", f"ambiguous: {said(among)} could be any of {len(found)}")
        return found[0]

    def _spoken_of(self, among: Call, found: list[int]) -> list[int]:
        """Of several candidates the one that people mean: "the chair on the left" of two chairs is the left one; "the table",
        after something was put on one, is that, "that bin" is the one that the change told a place by, and "the one that is still
        full" is of the kind that the change was about."""
        if among.op == "side" and " " not in among.args[0] and len(self.set(among.args[1])) == 2:
            return [self._object_extreme(*among.args)]
        bearing = {self.world.supports[i] for i in self.world.salient if i < self.world.now}
        for spoken_of in (bearing, self.world.mentioned):
            meant = [i for i in found if i in spoken_of]
            if len(meant) == 1:
                return meant
        if any(part.op == "all" and part.args[0] in ANYTHING for part in among.calls()):
            kinds = {self.world.names[i] for i in self.world.salient}
            meant = [i for i in found if self.world.names[i] in kinds]
            if len(meant) == 1:
                return meant
        return found

    def _best(
        self, among: Call, key: Callable[[int], float], scale: float = 1.0, one: int | None = None
    ) -> int:
        """The candidate with the least key; `scale` of what differs noticeably, 1 for metres."""
        found = [i for i in self.set(among) if i != one]
        if one is not None:  # near a thing means beside it, not on it, where there is a choice
            found = self.world.beside(one, found) or found
        if not found:
            raise ExecutionFailure("not found", f"not found: {said(among)} is not in the room")
        return self._least(found, among, key)

    def _least(self, found: list[int], among: Call, key: Callable[[int], float]) -> int:
        """The one with the least key, in metres or logarithms of volumes; a strict evaluator wants it clearly least."""
        best = min(found, key=key)
        if self.strict and any(
            key(i) - key(best) < max(0.15, 0.12 * abs(key(best))) for i in found if i != best
        ):
            raise ExecutionFailure("close call", f"close call: {said(among)}")
        return best

    def _object_nearest(self, one: Call, among: Call) -> int:
        index = self.object(one)
        return self._best(among, self.world.distance_from(index), one=index)

    def _object_farthest(self, one: Call, among: Call) -> int:
        index = self.object(one)
        return self._best(among, lambda i: -self.world.distance(index, i), one=index)

    def _object_first(self, direction: str, start: Call, among: Call) -> int:
        index = self.object(start)
        found = [i for i in self.world.lying(direction, index, self.set(among)) if i != index]
        if not found:
            raise ExecutionFailure(
                "not found", f"not found: {said(among)} {direction} of {self.describe(index)}"
            )
        return self._least(found, among, self.world.distance_from(index))

    def _object_largest(self, among: Call) -> int:
        return self._best(among, lambda i: -math.log(self.volume(i)))

    def _object_smallest(self, among: Call) -> int:
        return self._best(among, lambda i: math.log(self.volume(i)))

    def _object_tallest(self, among: Call) -> int:
        return self._best(among, lambda i: -self.world.extents(i)[2])

    def _object_shortest(self, among: Call) -> int:
        return self._best(among, lambda i: self.world.extent[i, 2])

    def _object_highest(self, among: Call) -> int:
        return self._best(among, lambda i: -self.world.height(i))

    def _object_lowest(self, among: Call) -> int:
        return self._best(among, self.world.height)

    def _object_extreme(self, direction: str, among: Call) -> int:
        ahead = {"front": (0, 1), "back": (0, -1), "right": (1, 0), "left": (-1, 0)}
        across, along = (sum(ahead[word][k] for word in direction.split()) for k in (0, 1))
        things = self.world.things
        return self._best(among, lambda i: -(across * things[i].right + along * things[i].front))

    def _object_support(self, one: Call) -> int:
        index = self.object(one)
        below = self.world.supports[index]
        if below is None:
            raise ExecutionFailure("not found", f"not found: {self.describe(index)} rests on no other thing")
        return below

    def _object_was(self, one: Call) -> int:
        past, self.past = self.past, True
        try:
            return self.object(one)
        finally:
            self.past = past

    def volume(self, index: int) -> float:
        depth, width, height = self.world.extents(index)
        return depth * width * height

    def _known(self, index: int, attribute: str) -> str:
        value = self.world.value(index, attribute)
        if value is None:
            raise ExecutionFailure(
                "unknown", f"unknown: the table says nothing about the {attribute} of {self.describe(index)}"
            )
        return value

    # --- answers ----------------------------------------------------------------------------------------------------

    def answer(self, program: Call) -> str:
        value = _ANSWERS[program.op](self, *program.args)
        if isinstance(value, bool):
            value = "yes" if value else "no"
        self.steps.append((program, str(value)))
        return str(value)

    def _ask_count(self, among: Call) -> int:
        return len(self.set(among))

    def _ask_exist(self, among: Call) -> bool:
        return bool(self.set(among))

    def _ask_more(self, first: Call, second: Call) -> bool:
        return len(self.set(first)) > len(self.set(second))

    def _ask_fits(self, thing: Call, room: Call) -> bool:
        mine = sorted(self.world.extents(self.object(thing))[:2])
        space = sorted(self.world.extents(self.object(room))[:2])
        self._apart(min(b - a for a, b in zip(mine, space)), 0.0, 0.05)
        return all(a <= b + 1e-9 for a, b in zip(mine, space))

    def _ask_closer_now(self, first: Call, second: Call) -> bool:
        a, b = self.both(first, second)
        then = [self.world.edited.origin[i] if i < self.world.now else None for i in (a, b)]
        if None in then:
            raise ExecutionFailure(
                "unknown", f"unknown: {self.describe(a)} or {self.describe(b)} was not there before"
            )
        now, before = self.world.distance(a, b), self.world.distance(*(self.world.now + i for i in then))
        self._apart(now, before, 0.3)
        return now < before

    def _ask_name(self, one: Call) -> str:
        if one.op == "support":
            index = self.object(one.args[0])
            below = self.world.supports[index]
            if below is None:
                return "floor" if self.world.things[index].low < 0.1 else "wall"
            return self.world.things[below].name
        return self.world.things[self.object(one)].name

    def _ask_query(self, attribute: str, one: Call) -> str:
        return self._known(self.object(one), attribute)

    def _ask_kinds(self, attribute: str, among: Call) -> int:
        return len({self._known(i, attribute) for i in self.set(among)})

    def _ask_whither(self, start: Call, goal: Call) -> str:
        a, b = self.object(start), self.object(goal)
        if self.world.distance(a, b) < 1e-6:
            raise ExecutionFailure(
                "unknown", f"no direction: {self.describe(a)} and {self.describe(b)} are at the same place"
            )
        return self._direction(self.world.bearing(a, b))

    def _ask_seen_from(self, stand: Call, facing: Call, target: Call) -> str:
        a, b, c = self.object(stand), self.object(facing), self.object(target)
        if a in (b, c):
            raise ExecutionFailure(
                "unknown", f"no direction: {self.describe(a)} is looked at from where it stands"
            )
        return self._direction(self.world.bearing(a, c) - self.world.bearing(a, b))

    def _ask_which_side(self, one: Call) -> str:
        right, front = self.world.off_centre(self.object(one))
        if self.strict and math.hypot(right, front) < 0.4:
            raise ExecutionFailure("close call", "close call: near the middle of the room")
        return self._direction(math.atan2(right, front))

    def _direction(self, bearing: float) -> str:
        off = math.remainder(bearing, math.pi / 4)
        if self.strict and abs(off) > math.radians(15):
            raise ExecutionFailure("close call", "close call: between two directions")
        return direction_word(bearing)

    def _ask_height(self, first: Call, second: Call) -> str:
        a, b = (self.world.height(self.object(one)) for one in (first, second))
        self._apart(a, b, 0.15)
        return "higher" if a > b else "lower"

    def _ask_size(self, first: Call, second: Call) -> str:
        a, b = (math.log(self.volume(self.object(one))) for one in (first, second))
        self._apart(a, b, 0.25)
        return "larger" if a > b else "smaller"

    def _ask_higher(self, first: Call, second: Call) -> bool:
        return self._ask_height(first, second) == "higher"

    def _ask_larger(self, first: Call, second: Call) -> bool:
        return self._ask_size(first, second) == "larger"

    def _apart(self, a: float, b: float, least: float) -> None:
        if self.strict and abs(a - b) < least:
            raise ExecutionFailure("close call", "close call: nearly the same")


def _methods(start: str) -> dict[str, Callable]:
    """The evaluator's methods by operation."""
    return {name.removeprefix(start): of for name, of in vars(Evaluator).items() if name.startswith(start)}


_SETS, _OBJECTS, _ANSWERS = _methods("_set_"), _methods("_object_"), _methods("_ask_")


def said(program: Call) -> str:
    """A set in a few words, for reasons: its noun with what it is said to be."""
    words = []
    for part in program.calls():
        if part.op == "having":
            words.insert(0, part.args[1])
        elif part.op == "all":
            words.append(part.args[0] if part.args[0] not in ANYTHING else "thing")
            break
    return f"{' '.join(words) or 'it'!r}" + ("" if program.op in ("all", "having") else f" with {program.op}")
