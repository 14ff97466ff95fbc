"""Operations of the core language that return one object, and the measures that they compare."""

import math
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING

from po3d.language.program import LEAVES, Call
from po3d.reasoning.directions import AHEAD
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.set_operations import SetOperations, names_anything, set_text
from po3d.reasoning.world import VIEWER
from po3d.scene.orbit import Axes

if TYPE_CHECKING:
    from po3d.reasoning.references import BestFit, BoundPhrases

CAMERA = Call("frame", ("camera",))
MEASURES = LEAVES["measure"]
# sides of a box, as indices into its extent, of which the longest is the measure
_SIDES = {"length": (0, 1), "width": (1,), "height": (2,)}


class ObjectOperations(SetOperations):
    """Operations that return an object: one index."""

    def _unique(self, set_call: Call) -> int:
        members = self.value(set_call)
        if len(members) == 1:
            return members[0]
        if members:
            members = _only_one(members, self.world.salient)
        if len(members) != 1 and not self.strict:
            if not members and set_call.op == "changed" and not self.past:
                return self._before(Call("unique", (set_call,)))  # "it" is the removed object
            members = self._spoken_of(set_call, members)
        if len(members) == 1:
            return members[0]
        kind = "ambiguous" if members else "not found"
        if not self.rules.open_table:
            what = f"the set has {len(members)} objects" if members else "the set is empty"
            raise ExecutionFailure(kind, what)
        number, end = (f"{len(members)}", ", not one") if members else ("no", "")
        raise ExecutionFailure(kind, f"{kind}: there are {number} {set_text(set_call)}{end}")

    def _spoken_of(self, set_call: Call, members: Sequence[int]) -> Sequence[int]:
        """Return the candidates reduced to the intended one, where a convention decides.

        "The chair on the left" of two chairs is the left one; after something was put on a table,
        "the table" is that table; "that bin" is the one used to define a place in the edit; "the
        one that is still full" has the name of an edited object.
        """
        if set_call.op == "filter" and set_call.args[0] == "side" and set_call.args[1] in AHEAD:
            _, side, inner = set_call.args
            if "_" not in side and len(both := self.value(inner)) == 2:
                return [self._least(both, set_call, lambda i: -self._along(side, i))]
        if not self.world.salient and not self.world.mentioned:
            return members
        bearing = {self.world.supports[i] for i in self.world.salient if i < self.world.now}
        members = _only_one(_only_one(members, bearing), self.world.mentioned)
        if len(members) != 1 and names_anything(set_call):
            names = self.world.names
            kinds = set(map(names.__getitem__, self.world.salient))
            members = _only_one(members, [i for i in members if names[i] in kinds])
        return members

    def _best(self, what: str, sense: str, *args: Call) -> int:
        *where, set_call = args
        if what in MEASURES:
            sign = -1.0 if sense == "most" else 1.0
            if not where and what not in ("distance", "bearing"):
                return self._chosen(
                    self.members(set_call), set_call, lambda i: sign * self.measure(what, i)
                )
            anchor = self.object(where[0], viewer=True) if where else VIEWER
            members = self.rivals_of(what, anchor, set_call)
            return self._by_reference(what, sign, anchor, members, set_call)
        # among all objects, so there is no reference object whose sides could be meant
        if len(where) == 1:
            whose = self._whose(where[0])
            axes = self.axes(CAMERA if whose == "object" else where[0], VIEWER)
            sign = 1.0 if sense == "least" else -1.0
            return self._chosen(
                self.members(set_call), set_call, lambda i: sign * self._along(what, i, axes)
            )
        anchor = self.reference(where[0])
        if sense == "most":
            return self._most_squarely(
                what, anchor, self.axes(where[1], anchor), self.members(set_call)
            )
        if sense == "least":
            problem = "unknown: an object has no least direction from another"
            raise ExecutionFailure("unknown", problem)
        members = self.lying(what, anchor, where[1], self.members(set_call))
        if not members:
            where = f"{self.rules.spell('eight', what)} of {self.world.describe(anchor)}"
            raise ExecutionFailure("not found", f"not found: {set_text(set_call)} {where}")
        return self._least(members, set_call, self.world.distance_from(anchor))

    def rivals_of(self, what: str, anchor: int, set_call: Call) -> list[int]:
        """Return the objects of which one has the most or least of a measure from `anchor`."""
        if set_call.op == "choices" and self.info.options:
            members = list(self._refers.choices(self.info.options, anchor).values())
        else:
            members = self.world.others(anchor, self.members(set_call))
        # next to it rather than stacked with it, if possible
        if what == "distance" and self.rules.beside_first and anchor != VIEWER:
            members = self.world.beside(anchor, members) or members
        return members

    def _by_reference(
        self, what: str, sign: float, anchor: int, members: list[int], set_call: Call
    ) -> int:
        """Return the object with the most or least of a measure relative to an object."""
        if what == "bearing":
            axes = self.world.own_axes(anchor)
            return self._chosen(
                members, set_call, lambda i: sign * self.world.off("front", anchor, i, axes)
            )
        if what != "distance":
            raise ExecutionFailure("unknown", f"unknown: {what} is not a measure of two objects")
        away = self.world.distance_from(anchor)
        return self._chosen(members, set_call, away if sign > 0 else lambda i: -away(i))

    def _along(self, direction: str, i: int, axes: Axes | None = None) -> float:
        """Return the coordinate of an object along a direction."""
        across, along = AHEAD[direction]
        if axes is None or axes is self.world.axes:
            return across * self.world.things[i].right + along * self.world.things[i].front
        (x, y, _), (rx, ry), (fx, fy) = self.world.point(i), axes["right"], axes["front"]
        return across * (x * rx + y * ry) + along * (x * fx + y * fy)

    def _most_squarely(
        self, direction: str, anchor: int, axes: Axes, candidates: Sequence[int]
    ) -> int:
        """Return the object with the smallest angle to a direction."""
        angles = self.angles_from(direction, anchor, axes, candidates)
        best = min(angles, key=lambda i: abs(angles[i]), default=None)
        if best is None or abs(angles[best]) > math.radians(self.rules.cone):
            where = f"{self.rules.spell('eight', direction)} of {self.world.describe(anchor)}"
            raise ExecutionFailure("not found", f"not found: there is nothing {where}")
        return best

    def angles_from(
        self, direction: str, anchor: int, axes: Axes, candidates: Sequence[int]
    ) -> dict[int, float]:
        """Return the signed angle of each candidate to a direction from `anchor`, except those at
        its place."""
        angles = {}
        for i in candidates:
            if i != anchor and math.hypot(*self.world.vector(anchor, i)) > 1e-9:
                angles[i] = self.world.angle_from(direction, anchor, i, axes)
        return angles

    def _chosen(self, members: Sequence[int], set_call: Call, key: Callable[[int], float]) -> int:
        """Return the candidate with the smallest key; ExecutionFailure for an empty set."""
        if not members:
            raise ExecutionFailure("not found", f"not found: there are no {set_text(set_call)}")
        return self._least(members, set_call, key)

    def _least(self, members: Sequence[int], set_call: Call, key: Callable[[int], float]) -> int:
        """Return the object with the smallest key (metres or log volume).

        A strict evaluator requires a clear minimum.
        """
        _, best = min(zip(map(key, members), members))  # the first row on ties
        if self.strict and len(members) > 1:
            least, second = sorted(map(key, members))[:2]
            if second - least < max(0.15, 0.12 * abs(least)):
                what = f"close call: {set_text(set_call)} differ too little"
                raise ExecutionFailure("close call", what)
        return best

    def measure(self, what: str, index: int) -> float:
        """Return a measure of an object; volumes as logarithms."""
        if what == "elevation":
            return self.world.height(index)
        if what in _SIDES:
            extent = self.world.extents(index)
            return max(extent[side] for side in _SIDES[what])
        if what == "volume":
            return math.log(self.world.volume(index))
        return self.from_other(what, index, VIEWER)

    def from_other(self, what: str, index: int, start: int) -> float:
        """Return the distance to an object, the angle off its front, or a difference of a measure.

        Angles in degrees.
        """
        if what == "distance":
            anchor, other = (index, start) if index == VIEWER else (start, index)
            return 0.0 if other == VIEWER else self.world.distance_from(anchor)(other)
        if what == "bearing":
            return math.degrees(self.world.off("front", start, index, self.world.own_axes(start)))
        if VIEWER in (index, start):
            raise ExecutionFailure("unknown", f"unknown: the camera has no {what}")
        if what == "volume":
            return self.world.volume(index) - self.world.volume(start)
        return self.measure(what, index) - self.measure(what, start)

    def _before(self, object_call: Call) -> int:
        past, self.past = self.past, True
        try:
            return self.object(object_call)
        finally:
            self.past = past

    @property
    def _refers(self) -> "BestFit | BoundPhrases":
        if self.info.refer is None:
            # imported here: only questions with phrases need it
            from po3d.reasoning.references import BestFit

            scene = self.world.scene
            # The options of a question presuppose an answer; tables may show an object twice.
            unique = bool(self.info.options) and scene.source == "predicted"
            self.info = self.info._replace(refer=BestFit(scene, unique))
        return self.info.refer

    def _refer(self, phrase: str) -> int:
        index = self._refers.row(phrase)
        self._phrases.setdefault(index, phrase)
        return index

    def _viewer(self) -> int:
        return VIEWER


def _only_one(members: Sequence[int], others: Container[int]) -> Sequence[int]:
    """Return the only member that is in `others`; all members if there are none or several."""
    matches = [i for i in members if i in others]
    return matches if len(matches) == 1 else members
