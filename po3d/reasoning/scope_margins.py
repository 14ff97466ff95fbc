"""How near an answer of SCOPE was to another: which thing would have to stand elsewhere, and the answer then.

Directions are sectors around the reference, so the margin is the angle to the nearest border; of images it is the
smallest over them, as all see the pair turn together; of the nearest thing the metres that the next one is farther, or the
way of the thing itself to where both are equally far. What a movement does to the answer is found by answering again on the
table after it.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from po3d.language.program import Call
from po3d.reasoning.perturbations import Nudge, Tip, size
from po3d.reasoning.scope_executor import AHEAD, Evaluator, Seen, as_label, is_nearest, is_toward, run
from po3d.scene.geometry import Array
from po3d.scene.orbit import LABELS, Axes, azimuth_in, azimuth_of, nearest_label, own_axes, turned_axes

BEYOND = 1 + 1e-6  # times a movement to the border: on its other side


def scope_tip(program: Call, seen: Seen, options: Sequence[str] = ()) -> Tip | None:
    """The nearest other answer to a program's; None when there is no answer, or no movement of one thing changes it."""
    given = run(program, seen, options).answer
    if given is None:
        return None
    found = sorted(_Search(seen, options).ways(program), key=lambda tip: tip.nudge.metres)
    for tip in found:
        moved = Seen(tip.nudge.applied(seen.table, BEYOND), seen.views)
        after = run(program, moved, options)
        if after.answer != given:
            return Tip(after.answer, tip.distance, tip.unit, tip.what, tip.nudge, after.reason)
    return None


class _Search(Evaluator):
    """The borders near a program's answer, each as a tip whose answer is not known yet."""

    def ways(self, program: Call) -> Iterator[Tip]:
        if program.op == "direction":
            yield from self._labels(program)
        elif program.op == "view":
            yield from self._views(program)
        elif is_nearest(program.args[1]):
            yield from self._nearest(program.args[1].args[2])
        else:
            yield from self._toward(program.args[1])

    def _labels(self, program: Call) -> Iterator[Tip]:
        """Both borders of the direction that the target is in."""
        reference, target, frame, _sectors = program.args
        frame, degrees = self.gone(frame)
        a, b = self.pair(target, reference)
        axes = turned_axes(self.camera_axes(), degrees)
        if (owner := self.owner(frame, b)) is not None:
            state = self.table.objects[owner]
            axes = own_axes(state.heading + math.pi * (state.flip > 0.5))
        azimuth = azimuth_in(axes, self.ground[a] - self.ground[b])
        among = self.options or LABELS
        label = nearest_label(azimuth, among)
        for other in among:
            if other != label:
                apart = math.remainder(azimuth_of(other) - azimuth_of(label), 2 * math.pi)
                turn = math.remainder(azimuth_of(label) + apart / 2 - azimuth, 2 * math.pi)
                yield self._turned(a, b, axes, turn, f"being {_where(other)} {self.said(b)}")

    def _views(self, program: Call) -> Iterator[Tip]:
        """Where the pair, turning one way or the other, leaves the sector of its image or is more squarely there in
        another one."""
        direction, reference, target = program.args
        direction = as_label(direction)
        a, b = self.pair(target, reference)
        signed = [
            math.remainder(
                azimuth_in(axes, self.ground[a] - self.ground[b]) - azimuth_of(direction), 2 * math.pi
            )
            for axes in self.seen.views
        ]
        best = int(np.argmin(np.abs(signed)))
        ends = [-signed[best] + side for side in (math.pi / 4, -math.pi / 4)]
        for k, other in enumerate(signed):
            if k != best:  # equally far from the direction, on either side of it
                ends += [
                    math.remainder(half - (signed[best] + other) / 2, 2 * math.pi) for half in (0, math.pi)
                ]
        what = f"being as squarely {_where(direction)} {self.said(b)} in another image"
        for sense in (1, -1):
            turn = min((end for end in ends if end * sense > 0), key=abs, default=None)
            if turn is not None:
                yield self._turned(a, b, self.seen.views[best], turn, what)

    def _nearest(self, inner: Call) -> Iterator[Tip]:
        start = self.object(inner)
        candidates = self.candidates(start)
        away = {i: float(np.hypot(*(self.ground[i] - self.ground[start]))) for i in candidates.values()}
        names = {i: name for name, i in candidates.items()}
        best = min(away, key=away.__getitem__)
        for i, metres in away.items():
            if i != best and metres > 0:
                gap = metres - away[best]
                shift = (self.ground[start] - self.ground[i]) * gap / metres
                what = f"{names[i]} is {size(gap, 'm')} farther from {self.said(start)} than {names[best]}"
                yield Tip("", gap, "m", what, _nudge(i, shift))
                yield from self._between(start, best, i, names)
        yield from self._toward(inner)

    def _between(self, start: int, best: int, other: int, names: dict[int, str]) -> Iterator[Tip]:
        """The reference itself, moved to where two things are equally far from it."""
        apart = self.ground[other] - self.ground[best]
        length = float(np.hypot(*apart))
        if length > 1e-9:
            middle = (self.ground[other] + self.ground[best]) / 2
            metres = float((middle - self.ground[start]) @ apart) / length
            what = f"{self.said(start)} is {size(metres, 'm')} from being nearer to {names[other]} than to {names[best]}"
            yield Tip("", metres, "m", what, _nudge(start, apart * metres / length))

    def _toward(self, program: Call) -> Iterator[Tip]:
        """The thing that lies a way from another: the next one comes in its stead, or it is itself too far off."""
        if not is_toward(program):
            return
        direction, start = as_label(program.args[0]), self.object(program.args[2])
        state = self.table.objects[start]
        axes = own_axes(state.heading + math.pi * (state.flip > 0.5))
        vectors = self.ground - self.ground[start]
        there = [i for i in self.table.present if i != start and float(np.hypot(*vectors[i])) > 1e-9]
        signed = {
            i: math.remainder(azimuth_in(axes, vectors[i]) - azimuth_of(direction), 2 * math.pi)
            for i in there
        }
        ranked = sorted(there, key=lambda i: abs(signed[i]))
        words = f"{_where(direction)} {self.said(start)}"
        limit = abs(signed[ranked[0]])
        for i in ranked[1:]:
            turn = math.copysign(limit, signed[i]) - signed[i]
            yield self._turned(i, start, axes, turn, f"being the one {words}")
        edge = min([AHEAD, *(abs(signed[i]) for i in ranked[1:2])])
        turn = math.copysign(edge, signed[ranked[0]]) - signed[ranked[0]]
        yield self._turned(ranked[0], start, axes, turn, f"not being the one {words}")

    def _turned(self, a: int, b: int, axes: Axes, turn: float, border: str) -> Tip:
        """Thing a moved the shortest way to where its azimuth from b is larger by `turn`."""
        vector = self.ground[a] - self.ground[b]
        azimuth, length = azimuth_in(axes, vector) + turn, float(np.hypot(*vector))
        ray = math.cos(azimuth) * np.array(axes["front"]) + math.sin(azimuth) * np.array(axes["left"])
        reach = length * math.cos(turn) if abs(turn) < math.pi / 2 else length
        shift = reach * ray - vector
        degrees = abs(math.degrees(turn))
        whither = nearest_label(azimuth_in(axes, shift)).replace("behind", "back").replace("-", " ")
        what = (
            f"{self.said(a)} is {size(degrees, 'degrees')} from {border} "
            f"({size(float(np.hypot(*shift)), 'm')} to the {whither})"
        )
        return Tip("", degrees, "degrees", what, _nudge(a, shift))


def _where(direction: str) -> str:
    """in front of, behind, left of, front-left of ..."""
    return {"front": "in front of", "behind": "behind"}.get(direction, f"{direction} of")


def _nudge(i: int, shift: Array) -> Nudge:
    return Nudge(i, (float(shift[0]), float(shift[1]), 0.0))
