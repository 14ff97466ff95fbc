"""What would flip an answer of 3DSRBench: which thing would have to be elsewhere, or turned, and by how much.

`sr_geometry.Verdict` has the margins; here is what they mean for one thing of the question. Distances are those of the
rules alone: where people could not agree, so that a verdict's margin is 0 (`SrRules.facing`, centres and surfaces that
disagree), a rule still has its boundary.
"""

import math
from collections.abc import Callable

import numpy as np

from po3d.language.programs.threedsrbench import ANSWERS, SrProgram
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.perturbations import Nudge, Tip, record, size
from po3d.reasoning.threedsrbench_executor import called
from po3d.reasoning.threedsrbench_geometry import DEFAULT_SR_RULES, SrRules, View
from po3d.scene.geometry import Array
from po3d.scene.table import Scene


def sr_tip(
    program: SrProgram, scene: Scene, outcome: Outcome, rules: SrRules = DEFAULT_SR_RULES
) -> Tip | None:
    """The nearest other answer to what a program gave on a table. It is of the likeliest reading and table: None when
    there is no answer, or the vote of less likely ones overruled it."""
    if outcome.answer is None:
        return None
    asked = _Asked(program, View(scene, rules), outcome.rows)
    return _TIPS[program.op](asked) if asked.said == outcome.answer else None


def sr_margin(
    program: SrProgram, scene: Scene, outcome: Outcome, rules: SrRules = DEFAULT_SR_RULES
) -> dict | None:
    """`sr_tip` ready for JSON, with the margins of the verdict in "metres" and "degrees" (None where none decides)."""
    tip = record(sr_tip(program, scene, outcome, rules))
    if tip is None:
        return None
    verdict = {"metres": outcome.metres, "degrees": outcome.degrees}
    return tip | {key: round(v, 6) if math.isfinite(v) else None for key, v in verdict.items()}


class _Asked:
    """One question on its rows: things by their place in the program."""

    def __init__(self, program: SrProgram, view: View, rows: tuple[int, ...]) -> None:
        self.program, self.view, self.rows, self.op = program, view, rows, program.op
        self.verdict = view.decide(program.op, rows)

    @property
    def said(self) -> str:
        """The answer in words."""
        answer = self.verdict.answer
        return self.program.things[answer] if isinstance(answer, int) else answer

    @property
    def other(self) -> str:
        """The other one of two answers."""
        first, second = self.program.answers
        return second if self.said == first else first

    def name(self, k: int) -> str:
        return f"#{self.rows[k]} {called(self.program.things[k])}"

    def position(self, k: int) -> Array:
        return self.view.position[self.rows[k]]

    def shifted(self, k: int, shift: Array, whither: str) -> Tip:
        """Thing k elsewhere."""
        metres = float(np.linalg.norm(shift))
        x, y, z = (float(v) for v in shift)
        what = f"if {self.name(k)} were {size(metres, 'm')} {whither}"
        return Tip(called(self.other), metres, "m", what, Nudge(self.rows[k], (x, y, z)))

    def turned(self, k: int, degrees: float, answer: str | None = None) -> Tip:
        """Thing k turned by so many degrees, counter-clockwise seen from above."""
        way = "counter-clockwise" if degrees > 0 else "clockwise"
        what = f"if {self.name(k)} were turned {size(abs(degrees), 'degrees')} {way}"
        nudge = Nudge(self.rows[k], turn=math.radians(degrees))
        return Tip(answer or called(self.other), abs(degrees), "degrees", what, nudge)


def _height(asked: _Asked) -> Tip:
    low, high = sorted((0, 1), key=lambda k: asked.position(k)[2])
    rise = float(asked.position(high)[2] - asked.position(low)[2])
    return asked.shifted(low, np.array([0.0, 0.0, rise]), "higher")


def _from_camera(asked: _Asked) -> Tip:
    eye = asked.view.eye
    near, far = sorted((0, 1), key=lambda k: float(np.linalg.norm(asked.position(k) - eye)))
    return asked.shifted(far, _toward(asked.position(far), eye, asked.position(near)), "nearer to the camera")


def _toward(point: Array, anchor: Array, rival: Array) -> Array:
    """The shift of a point that brings it straight toward an anchor until it is as near as its rival."""
    away = point - anchor
    length = float(np.linalg.norm(away))
    return -away / length * (length - float(np.linalg.norm(rival - anchor)))


def _closer(asked: _Asked) -> Tip:
    anchor = asked.position(0)
    near, far = sorted((1, 2), key=lambda k: float(np.linalg.norm(asked.position(k) - anchor)))
    shift = _toward(asked.position(far), anchor, asked.position(near))
    return asked.shifted(far, shift, f"nearer to {asked.name(0)}")


def _above(asked: _Asked) -> Tip:
    """No one movement is the least: the rule has middles over footprints, and heights."""
    by = asked.verdict.metres
    where = f"{size(by, 'm')} {'within' if asked.said == 'yes' else 'from'} directly {asked.op}"
    return Tip(asked.other, by, "m", f"{asked.name(0)} is {where} {asked.name(1)}")


def _next_to(asked: _Asked) -> Tip:
    by = asked.verdict.metres
    where = f"{size(by, 'm')} {'within' if asked.said == ANSWERS['nearness'][0] else 'beyond'}"
    what = f"the gap from {asked.name(0)} to {asked.name(1)} is {where} that of neighbours"
    return Tip(asked.other, by, "m", what)


def _own_side(boundaries: tuple[float, ...]) -> Callable[[_Asked], Tip]:
    """Of questions that a bearing in the first thing's own frame decides, at bearings of so many degrees."""

    def tip(asked: _Asked) -> Tip:
        bearing = asked.view.bearing(asked.rows[0], asked.position(1))
        off = min((math.remainder(b - bearing, 360) for b in boundaries), key=abs)
        return asked.turned(0, -off)

    return tip


def _quarter(asked: _Asked) -> Tip:
    i = asked.rows[0]
    point = asked.view.eye if asked.op == "side_to_camera" else asked.position(1)
    bearing = asked.view.bearing(i, point)
    side = round(bearing / 90)
    off = bearing - 90 * side
    step = 1 if off >= 0 else -1
    return asked.turned(0, off - step * asked.view.rules.quarter, ANSWERS["quarter"][(side + step) % 4])


def _facing(asked: _Asked) -> Tip:
    """Turned until both are equally far off the front: the other is met on the shorter way between them."""
    first, second = (asked.view.bearing(asked.rows[0], asked.position(k)) for k in (1, 2))
    ways = (math.remainder((first + second) / 2 + half, 360) for half in (0, 180))
    return asked.turned(0, min(ways, key=abs))


def _between(limits: str) -> Callable[[_Asked], Tip]:
    """Of questions that the angle between two headings decides: the second turns."""

    def tip(asked: _Asked) -> Tip:
        i, j = asked.rows
        turn = math.degrees(math.remainder(asked.view.heading[j] - asked.view.heading[i], 2 * math.pi))
        at = getattr(asked.view.rules, limits)
        edges = (at, -at, 180 - at, at - 180) if limits == "parallel" else (at, -at)
        return asked.turned(1, min((math.remainder(edge - turn, 360) for edge in edges), key=abs))

    return tip


_TIPS: dict[str, Callable[[_Asked], Tip]] = {
    "higher": _height,
    "lower": _height,
    "above": _above,
    "underneath": _above,
    "nearer_camera": _from_camera,
    "farther_camera": _from_camera,
    "next_to": _next_to,
    "in_front_of": _own_side((90.0, -90.0)),
    "on_the_left": _own_side((0.0, 180.0)),
    "side_to_camera": _quarter,
    "closer_to": _closer,
    "farther_from": _closer,
    "facing": _facing,
    "side_to": _quarter,
    "parallel": _between("parallel"),
    "same_direction": _between("same"),
}
