"""The interpreter of the core language on one scene without uncertainty:
Evaluator(world).value(call), where world is a `SceneGeometry`.

The operations have the same semantics for all benchmarks; benchmark-specific constants are a
`Rules` value. A program without an answer raises an ExecutionFailure: not found, ambiguous, or
unknown to the table. "The chair" denotes the only chair; if there are several, the only one that
the edit touched; otherwise it is ambiguous.
"""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial

from po3d.language.program import DIRECTIONS, Call, ProgramError
from po3d.language.programs.rooms import ROOMS
from po3d.language.programs.scope import SCOPE
from po3d.language.programs.street import STREET
from po3d.reasoning.directions import AHEAD, azimuth, direction_at
from po3d.reasoning.object_operations import MEASURES, ObjectOperations
from po3d.reasoning.outcome import ExecutionFailure, TraceStep, of_objects, of_values
from po3d.reasoning.rules import Rules
from po3d.reasoning.set_operations import NO_OPTIONS, QuestionInfo
from po3d.reasoning.world import VIEWER, SceneGeometry
from po3d.scene.rooms import is_a
from po3d.scene.vocabulary import FACINGS

DIALECTS = {"street": STREET, "rooms": ROOMS, "scope": SCOPE}
SECTORS: dict[str, tuple[str, ...]] = {
    "front_or_behind": ("front", "behind"),
    "left_or_right": ("left", "right"),
    "four": DIRECTIONS[::2],
    "eight": DIRECTIONS,
}
# Words for "the first object has more of a measure" and "has less of it".
MORE_OR_LESS = {
    "elevation": ("higher", "lower"),
    "volume": ("larger", "smaller"),
    "height": ("taller", "shorter"),
    "length": ("longer", "shorter"),
    "width": ("wider", "narrower"),
    "distance": ("farther", "nearer"),
}
ROUNDING = 1e-9  # numbers that differ by at most this are equal
# Smallest unambiguous difference of a measure, in metres or log volume; read by strict evaluators.
MIN_DIFFERENCE = {"elevation": 0.15, "volume": 0.25}


class Evaluator(ObjectOperations):
    """Evaluates calls: a set is a list of object indices, an object is one index."""

    def __init__(
        self,
        world: SceneGeometry,
        context: QuestionInfo = NO_OPTIONS,
        trace: bool = False,
        strict: bool = False,
    ) -> None:
        self.world, self.rules, self.info = world, world.rules, context
        self.tracing, self.strict = trace, strict  # strict: fail on close calls
        self.steps: list[tuple[Call, object]] = []  # (call, value) in the order of evaluation
        self.past = False  # whether names refer to the scene before the edit
        # whether a single object is being identified, so that an unknown attribute may be ignored
        self.naming = False
        self._phrases: dict[int, str] = {}  # the question's phrase for an object

    def answer(self, program: Call) -> str:
        """Return the answer to a question in the benchmark's spelling."""
        value = self.value(program)
        if isinstance(value, bool):
            relation = program.args[0] if program.op == "holds" else ""
            return self.rules.spell(relation, "yes" if value else "no")
        return value if isinstance(value, str) else f"{value:g}"

    def answer_and_reason(self, program: Call) -> tuple[str | None, str]:
        """Return the answer to a question, or None and the reason why there is none."""
        try:
            return self.answer(program), ""
        except ExecutionFailure as failure:
            return None, str(failure)

    def value(self, call: Call):
        """Return the value of a call: indices, an index, a number, a boolean or a word."""
        value = _RUN[call.op](self, *call.args)
        if self.tracing:
            self.steps.append((call, value))
        return value

    def object(self, call: Call, viewer: bool = False) -> int:
        """Return the index of one object; VIEWER only if `viewer` is set."""
        outer, self.naming = self.naming, True
        try:
            index = self.value(call)
        finally:
            self.naming = outer
        if index == VIEWER and not viewer:
            raise ExecutionFailure("unknown", "unknown: the camera is not an object of the scene")
        return index

    def members(self, set_call: Call) -> Sequence[int]:
        """Return the set that a relation selects from; a plain `scene` is not a step of the
        trace."""
        return self.world.times(self.past) if set_call.op == "scene" else self.value(set_call)

    def both(self, first: Call, second: Call) -> tuple[int, int]:
        """Return two objects; "the two chairs" denotes the two that match one description."""
        if first == second and first.op == "unique" and len(pair := self.value(first.args[0])) == 2:
            return pair[0], pair[1]
        return self.disambiguate(first, second)

    def disambiguate(self, first: Call, second: Call, viewer: bool = False) -> tuple[int, int]:
        """Return two different objects.

        If both phrases fit one object best, one of them denotes its next best.
        """
        a, b = self.object(first, viewer), self.object(second, viewer)
        if a == b and first != second and first.op == second.op == "refer":
            a, b = self._refers.disambiguate(str(first.args[0]), str(second.args[0]))
        return a, b

    # --- answers ----------------------------------------------------------------------------------

    def _count(self, *args) -> int:
        if len(args) == 1:
            return len(self._present(self.value(args[0]))) if isinstance(args[0], Call) else args[0]
        attribute, set_call = args
        members = self._present(self.value(set_call))
        return len(set(map(partial(self._known, attribute=attribute), members)))

    def _present(self, members: Sequence[int]) -> list[int]:
        """Return the objects with an existence probability of at least 0.5.

        `named` also returns less probable ones, for phrases that presuppose an object.
        """
        return [i for i in members if i == VIEWER or self.world.things[i].state.existence >= 0.5]

    def _exist(self, set_call: Call) -> bool:
        return bool(self._present(self.value(set_call)))

    def _query(self, what: str, object_call: Call, start: Call | None = None) -> str | float:
        if start is not None:
            index = self.object(object_call, viewer=True)
            return self.from_other(what, index, self.object(start, viewer=True))
        if what in MEASURES:
            value = self.measure(what, self.object(object_call))
            return math.exp(value) if what == "volume" else value
        if what != "name":
            return self._known(self.object(object_call), what)
        if is_support(object_call):
            index = self.object(object_call.args[0].args[1])
            below = self.world.supports[index]
            return self.ground(index) if below is None else self.world.things[below].name
        index = self.object(object_call)
        if self.info.options and object_call.op == "best" and object_call.args[-1].op == "choices":
            start, anchor = object_call.args[2], VIEWER
            if start.output == "object":
                anchor = self.object(start, viewer=True)
            chosen = self._refers.choices(self.info.options, anchor)
            return next(phrase for phrase, i in chosen.items() if i == index)
        return self._phrases.get(index) or self.word(index)

    def word(self, index: int) -> str:
        """Return the object's name in an answer.

        The full name of its row ("standing girl"), unless that is only a label ("girl 2").
        """
        thing = self.world.things[index]
        return thing.state.name if is_a(thing.state.name, thing.name) else thing.name

    def _value(self, index: int, attribute: str) -> str | None:
        """Return an attribute's value; None if there is none."""
        if attribute == "facing":
            return self.world.facings[index]
        if attribute == "name":
            return self.world.names[index] or None
        if attribute == "occlusion":
            return "unoccluded" if self.world.hider(index) is None else "occluded"
        if attribute == "side":
            right, front = self.world.off_centre(index)
            if self.strict and math.hypot(right, front) < 0.4:
                problem = "close call: too close to the middle of the room"
                raise ExecutionFailure("close call", problem)
            return self._sector(-math.atan2(right, front), "eight")
        return self.world.value(index, attribute)

    def _known(self, index: int, attribute: str) -> str:
        if attribute not in ("facing", "name", "occlusion", "side"):
            self._closed(attribute)
        value = self._value(index, attribute)
        if value is not None:
            return value
        if attribute == "facing":
            raise ExecutionFailure("unknown", f"the object faces none of {', '.join(FACINGS)}")
        whose = self.world.describe(index)
        raise ExecutionFailure(
            "unknown", f"unknown: the scene has no {attribute} of {whose}", of_scene=True
        )

    def _equal(self, *args) -> bool:
        first, second = map(self.value, args[-2:])
        if isinstance(first, float) and isinstance(second, float):
            return math.isclose(first, second, rel_tol=0, abs_tol=ROUNDING)
        return first == second

    def _less_than(self, first: Call, second: Call) -> bool:
        if is_measure(first, second):
            return self._more(first.args[0], first.args[1], second.args[1]) < 0
        return self.value(first) < self.value(second)

    def _greater_than(self, first: Call, second: Call) -> bool:
        if is_measure(first, second):
            return self._more(first.args[0], first.args[1], second.args[1]) > 0
        return self.value(first) > self.value(second)

    def _more(self, what: str, first: Call, second: Call) -> float:
        """Return the difference of a measure between two objects."""
        a, b = self.measure(what, self.object(first)), self.measure(what, self.object(second))
        self._clearly(a, b, MIN_DIFFERENCE.get(what, 0.15))
        return a - b

    def _clearly(self, a: float, b: float, least: float) -> None:
        if self.strict and abs(a - b) < least:
            raise ExecutionFailure("close call", "close call: the values are nearly equal")

    def _compare(self, what: str, first: Call, second: Call) -> str:
        more = self._more(what, first, second) > 0
        words = MORE_OR_LESS.get(what, ("more", "less"))
        return self.rules.spell(what, words[0] if more else words[1])

    def _holds(self, relation: str, first: Call, second: Call) -> bool:
        two = self.both if relation == "nearer_than_before" else self.disambiguate
        a, b = two(first, second)
        if relation == "fits":
            return self._fits(a, b)
        if relation == "nearer_than_before":
            return self._nearer_than_before(a, b)
        return bool(self.related(relation, [b], [a]))

    def _fits(self, thing: int, where: int) -> bool:
        spare = self.spare_width(thing, where)
        self._clearly(spare, 0.0, 0.05)
        return spare >= -1e-9

    def spare_width(self, thing: int, where: int) -> float:
        """Return how much shorter the sides of an object's footprint are than those of another:
        the smaller of the two differences."""
        (a, b), (c, d) = (
            sorted(self.world.extents(thing)[:2]),
            sorted(self.world.extents(where)[:2]),
        )
        return min(c - a, d - b)

    def _nearer_than_before(self, a: int, b: int) -> bool:
        now, before = self.distances(a, b)
        self._clearly(now, before, 0.3)
        return now < before

    def distances(self, a: int, b: int) -> tuple[float, float]:
        """Return the distance of two objects after and before the change; ExecutionFailure if one
        of them did not exist before."""
        world = self.world
        first, second = map(world.origin, (a, b))
        if first is None or second is None:
            which = f"{world.describe(a)} or {world.describe(b)}"
            raise ExecutionFailure("unknown", f"unknown: {which} did not exist before the change")
        return world.distance(a, b), world.distance(first, second)

    def _direction(self, start: Call, goal: Call, frame: Call, sectors: str) -> str:
        b, a = self.disambiguate(goal, start, viewer=True)
        return self._sector(self.world.turn(a, b, self.axes(frame, a)), sectors)

    def _sector(self, turn: float, sectors: str) -> str:
        """Return the answer for `turn`, radians from the front, counter-clockwise."""
        directions = self.sector_names(sectors)
        if self.strict and abs(math.remainder(turn, math.tau / len(directions))) > math.radians(15):
            raise ExecutionFailure("close call", "close call: between two directions")
        return self.rules.spell(sectors, nearest_direction(turn, directions))

    def sector_names(self, sectors: str) -> tuple[str, ...]:
        """Return the candidate directions of an answer: those among the options, if any."""
        if self.info.options and sectors == "eight":
            return tuple(map(_direction_of, self.info.options))
        return SECTORS[sectors]

    def _view(self, direction: str, start: Call, goal: Call) -> str:
        b, a = self.disambiguate(goal, start, viewer=True)
        views, options = self.info.views, self.info.options
        if options and len(options) != len(views):
            raise ExecutionFailure("unknown", f"{len(views)} images but {len(options)} options")
        angles = list(map(partial(self.world.off, direction, a, b), views))
        best = min(range(len(angles)), key=angles.__getitem__, default=None)
        if best is None or angles[best] > math.radians(self.rules.cone):
            where = f"{self.rules.spell('eight', direction)} of {self.world.describe(a)}"
            what = f"{self.world.describe(b)} is {where} in no image"
            raise ExecutionFailure("not found", what)
        return options[best] if options else str(best + 1)

    # --- words ------------------------------------------------------------------------------------

    def trace_steps(
        self, tokens: Sequence[str] = (), numbers: Sequence[int] = ()
    ) -> list[TraceStep]:
        """Return the trace so far.

        `tokens` are the spellings of the steps; without them the rules' dialect is used, or the
        core language where the dialect has no word.
        """
        steps = []
        for k, (call, value) in enumerate(self.steps):
            token = tokens[k] if tokens else call_text(call, self.rules)
            steps.append(self._trace_step(call, value, token, numbers))
        return steps

    def _trace_step(self, call: Call, value, token: str, numbers: Sequence[int]) -> TraceStep:
        if call.output in ("objects", "object"):
            row = dict(zip(numbers, range(len(numbers))))
            chances = {}
            for i in sorted(value if call.output == "objects" else [value]):
                # beyond `numbers`: an object before the edit
                chances[numbers[i] if numbers and i < len(numbers) else i] = 1.0
            kind = "set" if call.output == "objects" else "object"
            describe = lambda i: self.world.describe(row.get(i, i), i)  # noqa: E731
            return of_objects(token, kind, chances, len(self.world.times(False)), describe)
        word = value if isinstance(value, str) else f"{value:g}"
        if isinstance(value, bool):
            word = "yes" if value else "no"
        kinds = {"number": "integer", "bool": "boolean"}
        return of_values(token, kinds.get(call.output, str(call.args[0])), {word: 1.0})


_RUN: dict[str, Callable] = {}
for _op in Call.language.signatures:
    if hasattr(Evaluator, f"_{_op}"):
        _RUN[_op] = getattr(Evaluator, f"_{_op}")


def nearest_direction(turn: float, directions: Sequence[str]) -> str:
    """Return the nearest of the directions to `turn`, radians from the front, counter-clockwise."""
    if directions is DIRECTIONS:
        return direction_at(-turn)
    return min(directions, key=lambda d: abs(math.remainder(turn + azimuth(d), math.tau)))


def _direction_of(option: str) -> str:
    """Return the direction that an option names, e.g. "Back-left"."""
    text = re.sub("back|rear", "behind", option.lower())
    words = re.findall(r"[a-z]+", text)
    direction = "_".join(filter(words.__contains__, AHEAD))
    if direction not in DIRECTIONS:
        raise ExecutionFailure("unknown", f"the option {option!r} is not a direction")
    return direction


def is_measure(first: Call, second: Call) -> bool:
    """Whether two calls query the same measure, of two objects."""
    return (
        first.op == second.op == "query"
        and first.args[0] == second.args[0]
        and len(first.args) == len(second.args) == 2
    )


def is_support(call: Call) -> bool:
    """Whether a call denotes the object that supports another one, selected from all objects."""
    if call.op != "unique" or call.args[0].op != "relate" or call.args[0].args[0] != "supporting":
        return False
    _, *others = call.args[0].args
    return len(others) == 2 and others[0].op != "scene" and others[1].op == "scene"


def call_text(call: Call, rules: Rules) -> str:
    """Return a call in the rules' dialect, or in the core language as a fallback."""
    try:
        return DIALECTS[rules.dialect].text(call) if rules.dialect in DIALECTS else str(call)
    except ProgramError:
        return str(call)
