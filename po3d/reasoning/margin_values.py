"""Values of margins: one decision, the decisions of a program, the counterfactual."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from po3d.scene.geometry import wrap_angle
from po3d.scene.table import Scene

Unit = Literal["m", "units", "degrees", "%", "probability"]
FORMS: dict[str, str] = {
    "m": "{:.2f} m", "units": "{:.2f} units", "degrees": "{:.1f}°", "%": "{:.1f} %",
    "probability": "{:.2f} in probability",
}  # fmt: skip


@dataclass(frozen=True)
class PoseDelta:
    """A movement of one object: a shift in world axes, then a rotation about its centre."""

    object: int  # row of the object
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres
    turn: float = 0.0  # radians, counter-clockwise seen from above

    @property
    def metres(self) -> float:
        return math.hypot(*self.shift)

    def applied(self, scene: Scene, times: float = 1.0) -> Scene:
        """Return the table after `times` this movement; objects on top do not move along."""
        objects = list(scene.objects)
        o = objects[self.object]
        x, y, z = (p + times * d for p, d in zip(o.position, self.shift))
        heading = float(wrap_angle(o.heading + times * self.turn))
        objects[self.object] = replace(o, position=(x, y, z), heading=heading)
        return replace(scene, objects=tuple(objects))


@dataclass(frozen=True)
class Margin:
    """One decision of a step."""

    step: int  # index of the step in the trace
    object: int  # row in the table, or index in the world of an edit; -1: the viewer
    # positive on the side of yes; for probabilities, the lead of the more probable side
    distance: float
    unit: Unit
    boundary: str  # the decision: "facing left", "left of #2"
    text: str  # one line for display
    normalised: float  # distance in typical errors, non-negative
    nudge: PoseDelta | None = None  # reaches the border; slightly more crosses it


@dataclass(frozen=True)
class Counterfactual:
    """The nearest decision that changes the answer."""

    margin: Margin
    answer: str | None  # the changed answer; None if there is none
    reason: str = ""  # why there is none

    @property
    def distance(self) -> float:
        return abs(self.margin.distance)

    @property
    def unit(self) -> Unit:
        return self.margin.unit

    @property
    def nudge(self) -> PoseDelta | None:
        return self.margin.nudge

    @property
    def normalised(self) -> float:
        return self.margin.normalised

    @property
    def text(self) -> str:
        """One line: closest call: #3 small red suv is 2.1° from facing left (else: 3)."""
        return f"closest call: {self.margin.text} (else: {self.answer or 'no answer'})"


@dataclass(frozen=True)
class Margins:
    """The decisions of a program on the most probable table."""

    answer: str | None  # on the most probable table; other modes may give another answer
    steps: tuple[tuple[Margin, ...], ...]  # for each step, the nearest first
    flip: Counterfactual | None  # None: no single decision changes the answer


_PLAIN = ("object", "distance", "unit", "boundary", "text", "normalised")  # of a margin


def record(flip: Counterfactual | None) -> dict | None:
    """Return the record stored in a prediction: distance, unit, changed answer and text."""
    if flip is None:
        return None
    return {
        "distance": round(flip.distance, 6),
        "unit": flip.unit,
        "answer": flip.answer,
        "text": flip.text,
    }


def record_of(result: Margins) -> dict:
    """Return a JSON-ready record: the answer, every step's decisions, the counterfactual."""
    plain = lambda margin: {name: getattr(margin, name) for name in _PLAIN}  # noqa: E731
    steps = [list(map(plain, step)) for step in result.steps]
    flip = record(result.flip)
    if flip is not None:
        flip |= {"object": result.flip.margin.object, "reason": result.flip.reason}
    return {"answer": result.answer, "steps": steps, "flip": flip}
