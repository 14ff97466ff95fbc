"""Random questions about an edited room, as programs with answers: the twelve fine-grained types of
Hypo3D.

A question refers to an object that the edit touched, or its answer may depend on the edit. Answers
that depend on the thresholds of relations are rejected
(`po3d.synthesis.top_view.describe.PhraseGenerator`).
"""

import functools
from collections.abc import Callable

import numpy as np

from po3d.io.files import rows_beside
from po3d.language.programs.rooms import ROOMS, RoomCall, call
from po3d.reasoning.counterfactuals import margins_in
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged
from po3d.scene.rooms import purposes_of
from po3d.synthesis.top_view.changes import TYPES
from po3d.synthesis.top_view.describe import ANY, SIDES, PhraseGenerator

_ROWS = rows_beside(__file__, "questions.csv")
# Fine type -> the released coarse types that it counts under. The release has only the coarse ones;
# the mapping is ours.
COARSE = {row["fine"]: tuple(row["coarse"].split()) for row in _ROWS}
# Fine types that the paper asks after each type of edit (its Table 6).
QUESTION_TYPES: dict[str, tuple[str, ...]] = dict.fromkeys(TYPES, ())
for _row in _ROWS:
    for _kind in _row["after"].split():
        QUESTION_TYPES[_kind] += (_row["fine"],)
# Types where one of two answers would dominate.
BALANCED = {
    "path reasoning": ("yes", "no"),
    "placement height": ("higher", "lower"),
    "size fitness": ("yes", "no"),
}

RELATIONS = frozenset((  # operations that relate objects
    "toward", "beside", "upon", "beneath", "between", "obstacles", "nearest", "farthest",
    "first", "support", "whither", "seen_from", "closer_now",
))  # fmt: skip


class AnsweredQuestionSampler:
    """Samples questions about one edited room. `hops`: allowed lengths of relation chains (None:
    any)."""

    def __init__(
        self, world: SceneGeometry, random: np.random.Generator, hops: tuple[int, ...] | None = None
    ) -> None:
        self.world, self.random, self.hops = world, random, hops
        self.teller = PhraseGenerator(world, random, related=hops is not None and max(hops) > 1)
        self.now = list(world.times(False))
        self.changed = [i for i in self.now if i in world.salient]
        # removed or replaced objects, in their state before the edit
        gone = world.edited.touched_before - world.edited.index.keys()
        self.gone = [world.now + k for k in sorted(gone)]

    def ask(
        self, fine: str, tries: int = 25, near: bool | None = None
    ) -> tuple[RoomCall, str] | None:
        """Sample a question of a fine type and its reliable answer; None if none was found. `near`:
        True for a question whose answer a typical perception error would change, however reliable;
        False for one that it would not change; None for either."""
        builder: Callable[[], RoomCall | None] = getattr(
            self, "_" + fine.replace(" ", "_").replace("-", "_")
        )
        wanted = str(self.random.choice(BALANCED[fine])) if fine in BALANCED else None
        spare = None
        for k in range(tries):
            program = builder()
            if program is None or (self.hops is not None and hops_of(program) not in self.hops):
                continue
            answer = self._near_answer(program) if near else self.teller.sure_answer(program)
            if near is False and self._near_answer(program) is not None:
                continue
            if answer is None or (answer == "0" and self.random.random() < 0.8):
                continue
            if self._beside_the_point(program, answer) and self.random.random() < 0.8:
                continue
            if wanted is None or answer == wanted:
                return program, answer
            spare = spare or (program, answer)
            if k > tries // 2:
                break
        return spare

    def _near_answer(self, program: RoomCall) -> str | None:
        """Return the answer of a question that a typical perception error would change; None for
        any other."""
        margins = margins_in(ROOMS.to_core(program), self.world, within=1)
        return margins.answer if margins.flip is not None else None

    def _beside_the_point(self, program: RoomCall, answer: str) -> bool:
        """Return whether the question mentions nothing that the edit touched and has an unchanged
        answer."""
        names = {self.world.names[i] for i in self.changed + self.gone}
        for part in program.calls():
            if part.op == "touched" or (part.op == "all" and part.args[0] in names):
                return False
        return self._untouched.sure_answer(program) == answer

    @functools.cached_property
    def _untouched(self) -> PhraseGenerator:
        return PhraseGenerator(unaltered(self.world), self.random)

    # --- building blocks --------------------------------------------------------------------------

    def _one(self, candidates: list[int]) -> int | None:
        return candidates[int(self.random.integers(len(candidates)))] if candidates else None

    def _about(self) -> RoomCall | None:
        """Describe an object that the edit touched, after the edit or before it."""
        pool = self.changed or self.gone
        if self.changed and self.gone and self.random.random() < 0.25:
            pool = self.gone
        index = self._one(pool)
        return None if index is None else self.teller.describe(index)

    def _mark(self, without: RoomCall | None = None) -> RoomCall | None:
        """Describe another object that is easy to name."""
        for _ in range(6):
            index = self._one(self.now)
            if index is None:
                return None
            mark = self.teller.landmark(index)
            if mark is not None and (without is None or self.teller.sure_object(without) != index):
                return mark
        return None

    def _mixed(self) -> tuple[RoomCall, RoomCall] | None:
        """Describe an edited object and another one, in random order."""
        a, b = self._about(), self._mark()
        if a is None or b is None or self.teller.sure_object(a) == self.teller.sure_object(b):
            return None
        return (a, b) if self.random.random() < 0.5 else (b, a)

    def _kind(self, index: int) -> RoomCall:
        """Return the set of all objects with an object's name, and sometimes its colour."""
        kind = call("all", self.world.names[index])
        if self.random.random() < 0.3 and (color := self.world.value(index, "color")):
            return call("having", "color", color, kind)
        return kind

    # --- fine-grained types -----------------------------------------------------------------------

    def _proximity(self) -> RoomCall | None:
        about = self._about()
        if about is None:
            return None
        roll = self.random.random()
        if roll < 0.5:
            a, b = self._mark(about), self._mark(about)
            if a is None or b is None or a == b or self._same_name(a, b):
                return None
            op = "nearest" if self.random.random() < 0.75 else "farthest"  # drawn for these only
            return call("name", call(op, about, call("pair", a, b)))
        if roll < 0.7:
            return call("name", call("nearest", about, ANY))
        mark = self._mark(about)
        if mark is None:
            return None
        if roll < 0.85 and about.op != "was":
            return call("closer_now", about, mark)
        other = self._mark(mark)
        return None if other is None else self._name_of_two("nearest", about, other, mark)

    def _same_name(self, a: RoomCall, b: RoomCall) -> bool:
        i, j = self.teller.sure_object(a), self.teller.sure_object(b)
        return i is None or j is None or self.world.names[i] == self.world.names[j]

    def _name_of_two(self, op: str, a: RoomCall, b: RoomCall, *anchor: RoomCall) -> RoomCall | None:
        """Ask which of two objects `op` chooses; None if their names are equal."""
        if self._same_name(a, b):
            return None
        return call("name", call(op, *anchor, call("pair", a, b)))

    def _direction_based_recognition(self) -> RoomCall | None:
        side = str(self.random.choice(SIDES))
        roll = self.random.random()
        if roll < 0.6:
            mark = self._about() or self._mark()
            return None if mark is None else call("name", call("first", side, mark, ANY))
        if roll < 0.8:
            return call("name", call("extreme", side, ANY))
        about = self._about()
        return None if about is None else call("which_side", about)

    def _size_based_recognition(self) -> RoomCall | None:
        op = str(self.random.choice(["largest", "smallest", "tallest"]))
        roll = self.random.random()
        about = self._about()
        if about is None:
            return None
        if roll < 0.35:
            return call("name", call(op, call("beside", about, ANY)))
        if roll < 0.5:
            return call("name", call(op, call("side", str(self.random.choice(SIDES)), ANY)))
        if roll < 0.6:
            return call("name", call(op, ANY))
        mark = self._mark(about)
        if mark is None:
            return None
        if roll < 0.8:
            return call("size", about, mark)
        return self._name_of_two(op, about, mark)

    def _functionality(self) -> RoomCall | None:
        random = self.random
        pool = [i for i in self.now + self.gone if purposes_of(self.world.names[i])]
        near = [i for i in self.changed + self.gone if i in pool]
        index = self._one(near if near and random.random() < 0.6 else pool)
        if index is None:
            return None
        purpose = str(random.choice(purposes_of(self.world.names[index])))
        usable = call("usable", purpose, ANY)
        roll = random.random()
        about = self._about()
        if about is None:
            return None
        if roll < 0.25:
            return call("name", call("nearest", about, usable))
        if roll < 0.45:
            return call("name", call("only", call("beside", about, usable)))
        if roll < 0.6:
            return call("count", usable)
        if roll < 0.7:
            return call("name", call("only", usable))
        return call("name", call("nearest", about, call("same_use", about, ANY)))

    def _counting(self) -> RoomCall | None:
        random = self.random
        index = self._one(self.changed + self.gone if random.random() < 0.6 else self.now)
        if index is None:
            return None
        kind = self._kind(index)
        roll = random.random()
        if roll < 0.4:
            return call("count", kind)
        if roll < 0.5:
            side = str(random.choice(SIDES))
            return call("count", call("side", side, kind if random.random() < 0.5 else ANY))
        about = self._about()
        if about is None:
            return None
        if roll < 0.75:
            return call("count", call("beside", about, kind if random.random() < 0.6 else ANY))
        if roll < 0.9:
            return call("count", call("toward", str(random.choice(SIDES)), about, kind))
        return call("count", call("upon", about, ANY))

    def _navigation(self) -> RoomCall | None:
        pair = self._mixed()
        return None if pair is None else call("whither", *pair)

    def _relative_position(self) -> RoomCall | None:
        pair = self._mixed()
        if pair is None:
            return None
        if self.random.random() < 0.2:
            side = str(self.random.choice(SIDES))
            return call("exist", call("toward", side, pair[0], call("just", pair[1])))
        return call("whither", *pair)

    def _placement_height(self) -> RoomCall | None:
        pair = self._mixed()
        if pair is None:
            return None
        roll = self.random.random()
        if roll < 0.7:
            return call("height", *pair)
        return self._name_of_two("highest" if roll < 0.85 else "lowest", *pair)

    def _attribute(self) -> RoomCall | None:
        random = self.random
        index = self._one(self.changed if random.random() < 0.7 else self.now)
        if index is None:
            return None
        attribute = str(random.choice(["color", "color", "material", "state"]))
        name = self.world.names[index]
        if random.random() < 0.35:
            return call("kinds", attribute, call("all", name))
        touched = index in self.changed and random.random() < 0.5
        mark = self._about() if touched else self.teller.describe(index)
        if mark is None:
            return None
        if random.random() < 0.3 and (value := self.world.value(index, attribute)):
            return call("count", call("having", attribute, value, call("all", name)))
        return call("query", attribute, mark)

    def _path_reasoning(self) -> RoomCall | None:
        pair = self._mixed()
        if pair is None:
            return None
        blocked = call("obstacles", *pair)
        if self.random.random() < 0.75:
            return call("exist", blocked)
        return call("name", call("only", blocked))

    def _situational_reasoning(self) -> RoomCall | None:
        stand = self._about() if self.random.random() < 0.4 else self._mark()
        a, b = self._mark(stand), self._mark(stand)
        if stand is None or a is None or b is None or a == b:
            return None
        if self.random.random() < 0.5:
            return call("seen_from", stand, a, b)
        return self._name_of_two("nearest", a, b, stand)

    def _size_fitness(self) -> RoomCall | None:
        gone = self._one(self.gone)
        thing = self._mark()
        if gone is None or thing is None:
            return None
        where = self.teller.describe(gone)
        return None if where is None else call("fits", thing, where)


def hops_of(program: RoomCall) -> int:
    """Return the longest chain of relations between objects in a question: 2 in "left of the chair
    next to the bed"."""
    longest = 0
    for argument in program.args:
        if isinstance(argument, RoomCall):
            longest = max(longest, hops_of(argument))
    return longest + (program.op in RELATIONS)


def unaltered(world: SceneGeometry) -> SceneGeometry:
    """Return the room without the edit, for questions whose answer should not depend on it."""
    return SceneGeometry(unchanged(world.before), world.before, world.rules)
