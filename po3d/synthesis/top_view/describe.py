"""Referring expressions for the objects of a room, as programs: "the red chair", "the lamp on the
desk", "the leftmost bed".

A description is accepted if it refers to that object alone, also with stricter and with looser
thresholds for "next to", "left of" and other relations, so that annotators need not measure to
resolve it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from po3d.language.programs.rooms import ROOMS, SIDES, RoomCall, call
from po3d.reasoning.execute import Evaluator
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.rules import ROOM_RULES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.rooms import ATTRIBUTES

STRICTER = replace(ROOM_RULES, next_to=0.35, cone=36.0, side=0.28, between=0.45, path=0.12)
LOOSER = replace(ROOM_RULES, next_to=0.7, cone=54.0, side=0.38, between=0.75, path=0.3)
ANY = call("all", "object")
CORNERS = ("front left", "front right", "back left", "back right")
# Samplers of descriptions by relations, which are tried in random order
_RELATED = ("_extreme", "_at_side", "_sized", "_distant", "_beside", "_toward", "_between")


class PhraseGenerator:
    """Generate referring expressions in an edited room, and answer questions about it robustly to
    the thresholds of relations. `related`: prefer descriptions by relations to other objects where
    possible."""

    def __init__(
        self, world: SceneGeometry, random: np.random.Generator, related: bool = False
    ) -> None:
        self.world, self.random, self.related = world, random, related
        self._strict = []
        for rules in (ROOM_RULES, STRICTER, LOOSER):
            geometry = SceneGeometry(world.edited, world.before, rules)
            self._strict.append(Evaluator(geometry, strict=True))

    # --- evaluation that does not depend on thresholds --------------------------------------------

    def sure_set(self, program: RoomCall) -> list[int] | None:
        """Return the set if all rules agree on it; None otherwise."""
        return self._agreed(lambda e: list(e.value(ROOMS.to_core(program))))

    def sure_answer(self, program: RoomCall) -> str | None:
        return self._agreed(lambda e: e.answer(ROOMS.to_core(program)))

    def sure_object(self, program: RoomCall) -> int | None:
        return self._agreed(lambda e: e.object(ROOMS.to_core(program)))

    def _agreed(self, ask: Callable[[Evaluator], object]):
        first = None
        for k, evaluator in enumerate(self._strict):
            evaluator.steps.clear()
            evaluator.past = False
            try:
                value = ask(evaluator)
            except ExecutionFailure:
                return None
            if k and value != first:
                return None
            first = value
        return first

    # --- descriptions -----------------------------------------------------------------------------

    def describe(self, index: int, plain: bool = False, relations: bool = True) -> RoomCall | None:
        """Return a program of type object that refers to the object; None if no short one does.
        `plain`: without words about the edit. Objects before the edit are written as was(...)."""
        past = index >= self.world.now
        for candidate in self._candidates(index, plain, relations):
            program = call("was", candidate) if past else candidate
            if self.sure_object(program) == index:
                return program
        return None

    def _candidates(self, index: int, plain: bool, relations: bool) -> Iterator[RoomCall]:
        random, name = self.random, self.world.names[index]
        kind = call("all", name)
        if self.related and relations:
            yield from self._related(index, kind)
        if not plain and index in self.world.salient and random.random() < 0.5:
            yield call("only", call("touched", ANY if random.random() < 0.5 else kind))
        attributes = [a for a in ATTRIBUTES if self.world.value(index, a)]
        if random.random() < 0.8 or not attributes:
            yield call("only", kind)
        with_looks = []
        for attribute in random.permutation(attributes).tolist():
            value = self.world.value(index, attribute)
            with_looks.append(call("only", call("having", attribute, value, kind)))
        if random.random() < 0.7:
            yield from with_looks
            with_looks = []
        if relations:
            yield from self._related(index, kind)
        yield from with_looks
        if len(attributes) > 1:
            a, b = random.permutation(attributes)[:2].tolist()
            kind = call("having", b, self.world.value(index, b), kind)
            yield call("only", call("having", a, self.world.value(index, a), kind))

    def _related(self, index: int, kind: RoomCall) -> Iterator[RoomCall]:
        """Yield descriptions by relations to other objects that are easy to name, in random
        order."""
        below = self.world.supports[index]
        if below is not None:
            on = self.landmark(below)
            if on is not None:
                yield call("only", call("upon", on, kind))
        for k in self.random.permutation(len(_RELATED)).tolist():
            yield from getattr(self, _RELATED[k])(index, kind)

    def _extreme(self, _: int, kind: RoomCall) -> Iterator[RoomCall]:
        for side in self.random.permutation(SIDES).tolist():
            yield call("extreme", side, kind)

    def _at_side(self, _: int, kind: RoomCall) -> Iterator[RoomCall]:
        for side in self.random.permutation(SIDES + CORNERS).tolist():
            yield call("only", call("side", side, kind))

    def _sized(self, _: int, kind: RoomCall) -> Iterator[RoomCall]:
        for op in self.random.permutation(["largest", "smallest", "tallest"]).tolist():
            yield call(op, kind)

    def _distant(self, index: int, kind: RoomCall) -> Iterator[RoomCall]:
        for landmark in self.landmarks(index, 3):
            yield call("nearest", landmark, kind)
            yield call("farthest", landmark, kind)

    def _beside(self, index: int, kind: RoomCall) -> Iterator[RoomCall]:
        for landmark in self.landmarks(index, 4):
            yield call("only", call("beside", landmark, kind))

    def _toward(self, index: int, kind: RoomCall) -> Iterator[RoomCall]:
        for landmark in self.landmarks(index, 2):
            for side in ("left", "right", "front", "back"):
                yield call("only", call("toward", side, landmark, kind))

    def _between(self, index: int, kind: RoomCall) -> Iterator[RoomCall]:
        pair = self.landmarks(index, 2)
        if len(pair) == 2:
            yield call("only", call("between", *pair, kind))

    def landmark(self, index: int) -> RoomCall | None:
        """Refer to an object by its name, or name and one attribute; None if that is ambiguous."""
        kind = call("all", self.world.names[index])
        candidates = [call("only", kind)]
        for attribute in ATTRIBUTES:
            if value := self.world.value(index, attribute):
                candidates.append(call("only", call("having", attribute, value, kind)))
        past = index >= self.world.now
        for candidate in candidates[: 1 if self.random.random() < 0.8 else 3]:
            if self.sure_object(call("was", candidate) if past else candidate) == index:
                return candidate
        return None

    def landmarks(self, index: int, most: int) -> list[RoomCall]:
        """Return other objects, of the same state before or after the edit, that are easy to name;
        in random order."""
        others = [i for i in self.world.times(index >= self.world.now) if i != index]
        marks = []
        for other in self.random.permutation(others).tolist():
            if (mark := self.landmark(other)) is not None:
                marks.append(mark)
            if len(marks) == most:
                break
        return marks
