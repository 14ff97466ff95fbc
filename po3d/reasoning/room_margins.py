"""How far every decision of a room question was from going the other way, and which of them would change the answer.

The question is evaluated in the changed room. A decision is one thing on one side of one border: within the cone of
"left of the bed" or not, the nearest or not, in the sector of "front right" or the next. What would flip the answer is
found by evaluating again with that one decision the other way and everything else as it was, as `margins` does for street
scenes. Decisions of the change itself (which place was free) are not among them, nor are names and looks, which the table
that is asked is certain of.

`Evaluator` knows nothing of this: it is watched while it evaluates.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from po3d.language.programs.rooms import DIRECTIONS, Call
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.perturbations import Nudge, Tip, Unit, in_errors, record, size
from po3d.reasoning.room_executor import Evaluator
from po3d.reasoning.room_geometry import Shift, aside, leaving, to_ray, within_bounds
from po3d.reasoning.room_world import World, azimuth, direction_word
from po3d.scene.rectangles import from_segment


@dataclass(frozen=True)
class RoomMargin:
    """One decision of a step."""

    step: int  # of `Outcome.evaluator.steps`
    object: int  # index in the world's states
    distance: float  # at least 0
    unit: Unit
    text: str  # one line to read
    nudge: Nudge | None = None  # in the changed room, which reaches the border

    @property
    def normalised(self) -> float:
        """The distance in typical errors."""
        return in_errors(self.distance, self.unit, self.nudge)


@dataclass(frozen=True)
class RoomMargins:
    """The decisions of a question in one world."""

    answer: str | None
    steps: tuple[tuple[RoomMargin, ...], ...]  # of each step that was evaluated, the nearest first
    tip: Tip | None  # None: no single decision changes the answer


class _Decision(NamedTuple):
    """A margin with what happens beyond it: another answer, or what a call of the program gives then (`_Found.index`)."""

    margin: RoomMargin
    program: Call
    past: bool
    index: int | None = None
    answer: str | None = None


def room_margins(program: Call, world: World) -> RoomMargins:
    """The decisions of a question program, and the nearest one that changes its answer."""
    watched = _Watched(world)
    answer = _answer(watched, program)
    every = sorted(watched.decisions, key=lambda d: d.margin.normalised)
    steps = tuple(tuple(d.margin for d in every if d.margin.step == k) for k in range(len(watched.steps)))
    for decision in every:
        after, reason = decision.answer, ""
        if after is None:
            turned = _Turned(world, decision)
            after = _answer(turned, program)
            reason = turned.reason
        if after != answer:
            m = decision.margin
            return RoomMargins(answer, steps, Tip(after, m.distance, m.unit, m.text, m.nudge, reason))
    return RoomMargins(answer, steps, None)


def _answer(evaluator: "_Told", program: Call) -> str | None:
    try:
        return evaluator.answer(program)
    except ExecutionFailure as failure:
        evaluator.reason = str(failure)
        return None


class _Told(Evaluator):
    """An evaluator that keeps why there was no answer."""

    reason = ""


class _Turned(_Told):
    """With one decision turned."""

    def __init__(self, world: World, decision: _Decision) -> None:
        super().__init__(world)
        self.decision = decision

    def set(self, program: Call) -> list[int]:
        found, index = super().set(program), self.decision.index
        if not self._meant(program):
            return found
        return [i for i in found if i != index] if index in found else [*found, index]

    def object(self, program: Call) -> int:
        if not self._meant(program):
            return super().object(program)
        if self.decision.index is None:
            raise ExecutionFailure("not found", "not found: nothing is left to choose from")
        return self.decision.index

    def _meant(self, program: Call) -> bool:
        return program == self.decision.program and self.past == self.decision.past


class _Watched(_Told):
    """Notes the decisions of each step as it is evaluated."""

    def __init__(self, world: World) -> None:
        super().__init__(world, trace=True)
        self.decisions: list[_Decision] = []

    def set(self, program: Call) -> list[int]:
        found = super().set(program)
        self._note(_SETS, program, self.naming)
        return found

    def object(self, program: Call) -> int:
        found = super().object(program)
        self._note(_OBJECTS, program, True)
        return found

    def answer(self, program: Call) -> str:
        answer = super().answer(program)
        self._note(_ANSWERS, program, False)
        return answer

    def _note(self, readers: "Mapping[str, _Read]", program: Call, naming: bool) -> None:
        if program.op not in readers:
            return
        reader = _Reader(self.world, program, self.past, naming)
        for found in readers[program.op](reader):
            margin = RoomMargin(len(self.steps) - 1, found.object, *found.said)
            self.decisions.append(_Decision(margin, program, self.past, found.index, found.answer))


class _Found(NamedTuple):
    object: int  # what is near a border
    said: tuple[float, Unit, str, Nudge | None]
    index: int | None = (
        None  # of the set: who comes in or goes; of a choice: who is chosen, None when nobody is left
    )
    answer: str | None = None


class _Reader(Evaluator):
    """Evaluates the arguments of one call, and says in words and metres how near its borders are."""

    def __init__(self, world: World, program: Call, past: bool, naming: bool) -> None:
        super().__init__(world)
        self.args, self.op, self.past, self.naming = program.args, program.op, past, naming

    def place(self, i: int) -> tuple[float, float]:
        """To the right and to the front, metres."""
        return self.world.things[i].right, self.world.things[i].front

    def vector(self, start: int, goal: int) -> tuple[float, float]:
        (x, y), (u, v) = self.place(start), self.place(goal)
        return u - x, v - y

    def nudge(self, i: int, shift: Shift, up: float = 0.0) -> Nudge | None:
        """The movement in the world's axes; None of a thing as it stood before the change."""
        if i >= self.world.now:
            return None
        (rx, ry), (fx, fy) = self.world.axes["right"], self.world.axes["front"]
        right, front = shift
        return Nudge(i, (float(right * rx + front * fx), float(right * ry + front * fy), up))

    def shifted(self, i: int, where: str, shift: Shift, degrees: float | None = None, **kind) -> _Found:
        """A border that thing i reaches over the ground; `degrees` where an angle decides."""
        metres = math.hypot(*shift)
        way = direction_word(math.atan2(*shift))
        distance, unit = (metres, "m") if degrees is None else (degrees, "degrees")
        there = "" if degrees is None else f"{size(metres, 'm')} "
        text = f"{self.describe(i)} is {size(distance, unit)} {where} ({there}to the {way})"
        return _Found(i, (distance, unit, text, self.nudge(i, shift)), **kind)

    def member(self, i: int, inside: bool, border: str, shift: Shift, degrees: float | None = None) -> _Found:
        return self.shifted(i, f"{'within' if inside else 'from'} {border}", shift, degrees, index=i)

    # --- sets -------------------------------------------------------------------------------------------------

    def toward(self) -> Iterator[_Found]:
        direction, start, among = self.args
        one = self.object(start)
        others = self.world.beside(one, [i for i in self.set(among) if i != one])
        cone = math.radians(self.world.rules.cone) * (1.0 if " " not in direction else 0.5)
        for i in others:
            vector = self.vector(one, i)
            off = math.remainder(math.atan2(*vector) - azimuth(direction), 2 * math.pi)
            ray = azimuth(direction) + math.copysign(cone, off)
            shift = to_ray(vector, ray)
            degrees = math.degrees(abs(cone - abs(off)))
            yield self.member(i, abs(off) <= cone, f"{direction} of {self.describe(one)}", shift, degrees)

    def side(self) -> Iterator[_Found]:
        direction, among = self.args
        (across, along), (middle, ahead) = self.world.half, self.world.middle
        sides = {"right": (1, 0), "left": (-1, 0), "front": (0, 1), "back": (0, -1)}
        for i in self.set(among):
            right, front = self.place(i)
            shift, inside = within_bounds(
                (right - middle, front - ahead),
                [
                    (*sides[word], (1 - 2 * self.world.rules.side) * (across if sides[word][0] else along))
                    for word in direction.split()
                ],
            )
            yield self.member(i, inside, f"the {direction} side of the room", shift)

    def beside(self) -> Iterator[_Found]:
        one, among = self.args
        index = self.object(one)
        limit = self.world.rules.next_to
        for i in self.world.beside(index, [i for i in self.set(among) if i != index]):
            apart, way = aside(self.world.things[index].box, self.world.things[i].box)
            shift = self._in_frame(way, limit - apart)
            yield self.member(i, apart <= limit, f"next to {self.describe(index)}", shift)

    def _in_frame(self, way: tuple[float, float], metres: float) -> Shift:
        """A way over the ground of the world, to the right and to the front."""
        (rx, ry), (fx, fy) = self.world.axes["right"], self.world.axes["front"]
        return metres * (way[0] * rx + way[1] * ry), metres * (way[0] * fx + way[1] * fy)

    def between(self) -> Iterator[_Found]:
        first, second, among = self.args
        a, b = self.both(first, second)
        right, front = self.vector(a, b)
        length = math.hypot(right, front)
        if length < 1e-6:
            return
        along, aside_ = (right / length, front / length), (front / length, -right / length)
        wide = self.world.rules.between
        bounds = [
            (*aside_, -wide), (-aside_[0], -aside_[1], -wide), (*along, 0.1 * length), (-along[0], -along[1], -0.9 * length),
        ]  # fmt: skip
        for i in self.set(among):
            if i not in (a, b):
                shift, inside = within_bounds(self.vector(a, i), bounds)
                yield self.member(i, inside, f"between {self.describe(a)} and {self.describe(b)}", shift)

    def obstacles(self) -> Iterator[_Found]:
        a, b = self.both(*self.args)
        things, rules = self.world.things, self.world.rules
        ends = [(things[k].box.x, things[k].box.y) for k in (a, b)]
        tall = [
            i
            for i in self.world.times(self.past)
            if i not in (a, b) and things[i].state.extent[2] > rules.step_over and things[i].low < rules.head
        ]
        for i in self.world.beside(a, self.world.beside(b, tall)):
            apart = from_segment(things[i].box, *ends)
            shift = self._in_frame(*leaving(things[i].box, *ends, rules.path))
            border = f"the path from {self.describe(a)} to {self.describe(b)}"
            yield self.member(i, apart < rules.path, border, shift)

    # --- choices ----------------------------------------------------------------------------------------------

    def _rivals(self, among: list[int], key: Callable[[int], float]) -> Iterator[tuple[int, float]]:
        """The others with how much more than the least each has."""
        best = min(among, key=key, default=None)
        for i in among:
            if i != best:
                yield i, key(i) - key(best)

    def nearest(self) -> Iterator[_Found]:
        one, among = self.args[-2:]
        index = self.object(one)
        found = [i for i in self.set(among) if i != index]
        if self.op == "first":
            found = self.world.lying(str(self.args[0]), index, found)
        else:
            found = self.world.beside(index, found) or found
        distance, sense = self.world.distance_from(index), -1 if self.op == "farthest" else 1
        word = "farthest from" if self.op == "farthest" else "nearest to"
        for i, gap in self._rivals(found, lambda i: sense * distance(i)):
            if length := distance(i):
                x, y = (-sense * gap / length * part for part in self.vector(index, i))
                yield self.shifted(i, f"from being the {word} {self.describe(index)}", (x, y), index=i)

    def first(self) -> Iterator[_Found]:
        """Which is nearest of those that lie that way, and who else comes to lie that way."""
        yield from self.nearest()
        direction, start, among = self.args
        one = self.object(start)
        lying = self.world.lying(direction, one, [i for i in self.set(among) if i != one])
        distance = self.world.distance_from(one)
        reader = _Reader(self.world, Call("toward", self.args), self.past, True)
        for found in reader.toward():
            inside = found.object in lying
            left = [i for i in lying if i != found.object] if inside else [*lying, found.object]
            yield found._replace(index=min(left, key=distance, default=None))

    def sized(self) -> Iterator[_Found]:
        (among,) = self.args
        sense = -1 if self.op == "largest" else 1
        for i, gap in self._rivals(self.set(among), lambda i: sense * math.log(self.volume(i))):
            percent = 100 * (math.exp(gap) - 1)
            text = f"{self.describe(i)} is {size(percent, '%')} from being the {self.op}"
            yield _Found(i, (percent, "%", text, None), index=i)

    def tall(self) -> Iterator[_Found]:
        (among,) = self.args
        sense = -1 if self.op == "tallest" else 1
        for i, gap in self._rivals(self.set(among), lambda i: sense * self.world.extents(i)[2]):
            text = f"{self.describe(i)} is {size(gap, 'm')} from being the {self.op}"
            yield _Found(i, (gap, "m", text, None), index=i)

    def high(self) -> Iterator[_Found]:
        (among,) = self.args
        sense = -1 if self.op == "highest" else 1
        for i, gap in self._rivals(self.set(among), lambda i: sense * self.world.height(i)):
            text = f"{self.describe(i)} is {size(gap, 'm')} from being the {self.op}"
            yield _Found(i, (gap, "m", text, self.nudge(i, (0.0, 0.0), -sense * gap)), index=i)

    def extreme(self) -> Iterator[_Found]:
        direction, among = self.args
        ahead = {"front": (0, 1), "back": (0, -1), "right": (1, 0), "left": (-1, 0)}
        x, y = (sum(ahead[word][k] for word in direction.split()) for k in (0, 1))
        for i, gap in self._rivals(self.set(among), lambda i: -(x * self.place(i)[0] + y * self.place(i)[1])):
            metres = gap / (x * x + y * y)
            yield self.shifted(
                i, f"from being furthest to the {direction}", (metres * x, metres * y), index=i
            )

    # --- answers ----------------------------------------------------------------------------------------------

    def whither(self) -> Iterator[_Found]:
        a, b = (self.object(one) for one in self.args)
        yield from self._sectors(b, self.vector(a, b), 0.0, self.describe(a))

    def seen_from(self) -> Iterator[_Found]:
        a, b, c = (self.object(one) for one in self.args)
        x, y = self.vector(a, b)
        seen = f"{self.describe(a)}, facing {self.describe(b)}"
        yield from self._sectors(c, self.vector(a, c), math.atan2(x, y), seen)

    def _sectors(self, i: int, vector: Shift, front: float, whose: str) -> Iterator[_Found]:
        """Both borders of the eighth that thing i is in; `front`: the bearing of the front."""
        bearing = math.atan2(*vector) - front
        eighth = round(bearing / (math.pi / 4))
        for step in (1, -1):
            border = (eighth + step / 2) * math.pi / 4
            answer = DIRECTIONS[(eighth + step) % 8]
            yield self.shifted(i, f"from {answer} of {whose}", to_ray(vector, border + front),
                               math.degrees(abs(border - bearing)), answer=answer)  # fmt: skip

    def which_side(self) -> Iterator[_Found]:
        """The eighths are of the room, as wide as it is long."""
        index = self.object(self.args[0])
        right, front = self.world.off_centre(index)
        bearing = math.atan2(right, front)
        eighth = round(bearing / (math.pi / 4))
        (across, along), middle = self.world.half, self.world.middle
        vector = (self.place(index)[0] - middle[0], self.place(index)[1] - middle[1])
        for step in (1, -1):
            border = (eighth + step / 2) * math.pi / 4
            answer = DIRECTIONS[(eighth + step) % 8]
            ray = math.atan2(math.sin(border) * across, math.cos(border) * along)
            yield self.shifted(index, f"from the {answer} of the room", to_ray(vector, ray),
                               math.degrees(abs(border - bearing)), answer=answer)  # fmt: skip

    def height(self) -> Iterator[_Found]:
        a, b = (self.object(one) for one in self.args)
        gap = self.world.height(a) - self.world.height(b)
        word = "lower" if gap > 0 else "higher"
        text = f"{self.describe(a)} is {size(abs(gap), 'm')} from being {word} than {self.describe(b)}"
        nudge = self.nudge(a, (0.0, 0.0), -gap)
        yield _Found(
            a, (abs(gap), "m", text, nudge), answer=self._other(gap > 0, "height", "lower", "higher")
        )

    def larger(self) -> Iterator[_Found]:
        a, b = (self.object(one) for one in self.args)
        gap = math.log(self.volume(a)) - math.log(self.volume(b))
        percent = 100 * (math.exp(abs(gap)) - 1)
        word = "smaller" if gap > 0 else "larger"
        text = f"{self.describe(a)} is {size(percent, '%')} from being {word} than {self.describe(b)}"
        answer = self._other(gap > 0, "size", "smaller", "larger")
        yield _Found(a, (percent, "%", text, None), answer=answer)

    def _other(self, more: bool, comparing: str, less_word: str, more_word: str) -> str:
        """The other answer of a comparison, or of its question of yes and no."""
        if self.op == comparing:
            return less_word if more else more_word
        return "no" if more else "yes"

    def fits(self) -> Iterator[_Found]:
        thing, room = (self.object(one) for one in self.args)
        mine, space = (sorted(self.world.extents(i)[:2]) for i in (thing, room))
        spare = min(b - a for a, b in zip(mine, space))
        word = "too wide" if spare >= 0 else "narrow enough"
        text = (
            f"{self.describe(thing)} is {size(abs(spare), 'm')} from being {word} for {self.describe(room)}"
        )
        yield _Found(thing, (abs(spare), "m", text, None), answer="no" if spare >= -1e-9 else "yes")

    def closer_now(self) -> Iterator[_Found]:
        a, b = self.both(*self.args)
        then = [self.world.now + self.world.edited.origin[i] for i in (a, b)]
        now, before = self.world.distance(a, b), self.world.distance(*then)
        x, y = self.vector(b, a)
        if now < 1e-9:
            return
        shift = (x * (before - now) / now, y * (before - now) / now)
        where = f"from being as far from {self.describe(b)} as before"
        yield self.shifted(a, where, shift, answer="no" if now < before else "yes")


def as_record(found: RoomMargins) -> dict:
    """JSON-ready: the decisions of every step, and what would flip the answer."""
    steps = [
        [
            {
                "object": m.object,
                "distance": m.distance,
                "unit": m.unit,
                "text": m.text,
                "normalised": m.normalised,
            }
            for m in step
        ]
        for step in found.steps
    ]
    return {"answer": found.answer, "steps": steps, "flip": record(found.tip)}


_Read = Callable[[_Reader], Iterator[_Found]]
_SETS: dict[str, _Read] = {
    "toward": _Reader.toward,
    "side": _Reader.side,
    "beside": _Reader.beside,
    "between": _Reader.between,
    "obstacles": _Reader.obstacles,
}
_OBJECTS: dict[str, _Read] = {
    "nearest": _Reader.nearest,
    "farthest": _Reader.nearest,
    "first": _Reader.first,
    "largest": _Reader.sized,
    "smallest": _Reader.sized,
    "tallest": _Reader.tall,
    "shortest": _Reader.tall,
    "highest": _Reader.high,
    "lowest": _Reader.high,
    "extreme": _Reader.extreme,
}
_ANSWERS: dict[str, _Read] = {
    "whither": _Reader.whither,
    "seen_from": _Reader.seen_from,
    "which_side": _Reader.which_side,
    "height": _Reader.height,
    "higher": _Reader.height,
    "size": _Reader.larger,
    "larger": _Reader.larger,
    "fits": _Reader.fits,
    "closer_now": _Reader.closer_now,
}
