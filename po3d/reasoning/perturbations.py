"""What rooms, 3DSRBench and SCOPE say of how near an answer was: the nearest other answer, and the movement of one thing
that gives it.

Street scenes have more kinds of decisions (`margins`), which their `Flip` tells; `record` writes all alike.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

from po3d.reasoning.street_margins import Flip
from po3d.scene.geometry import wrap_angle
from po3d.scene.table import Scene

Unit = Literal["m", "degrees", "%"]
FORMS: dict[str, str] = {"m": "{:.2f} m", "degrees": "{:.1f}°", "%": "{:.1f} %"}
# What a distance is divided by to compare it with others: about the median errors of the shipped estimator of rooms
# (docs/room_views.md). Angles are compared by the metres that they mean where a thing stands.
TYPICAL: dict[str, float] = {"m": 0.3, "degrees": 15.0, "%": 15.0}


@dataclass(frozen=True)
class Nudge:
    """A movement of one thing of a table: along the world's axes, then about its own middle."""

    object: int  # its row
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres
    turn: float = 0.0  # radians, counter-clockwise seen from above

    @property
    def metres(self) -> float:
        return math.hypot(*self.shift)

    def applied(self, scene: Scene, times: float = 1.0) -> Scene:
        """The table after so much of the movement; all else stays, also what stands on the thing."""
        objects = list(scene.objects)
        o = objects[self.object]
        x, y, z = (p + times * d for p, d in zip(o.position, self.shift))
        heading = float(wrap_angle(o.heading + times * self.turn))
        objects[self.object] = replace(o, position=(x, y, z), heading=heading)
        return replace(scene, objects=tuple(objects))


@dataclass(frozen=True)
class Tip:
    """The nearest change that gives another answer. `nudge` reaches the boundary: a little more of it has the other
    answer, a little less the one that was given. None where no movement of one thing does: a size, say."""

    answer: str | None  # the answer then; None when there would be none
    distance: float  # at least 0
    unit: Unit
    what: str  # one line: which thing is how far from what
    nudge: Nudge | None = None
    reason: str = ""  # why there would be no answer

    @property
    def normalised(self) -> float:
        """The distance in typical errors."""
        return in_errors(self.distance, self.unit, self.nudge)

    @property
    def text(self) -> str:
        """One line: would flip to right: lamp is 4.1° from right of bed (0.12 m to the back)."""
        return f"would flip to {self.answer or 'no answer'}: {self.what}"


def in_errors(distance: float, unit: Unit, nudge: Nudge | None) -> float:
    """A distance in typical errors, so that different units compare."""
    if unit == "degrees" and nudge is not None and nudge.metres:
        return nudge.metres / TYPICAL["m"]
    return distance / TYPICAL[unit]


def size(distance: float, unit: Unit) -> str:
    """0.12 m, 4.1°, 8.0 %."""
    return FORMS[unit].format(distance)


def record(tip: Tip | Flip | None) -> dict | None:
    """Ready for JSON: distance, unit, the answer beyond the boundary, and the line to read."""
    if tip is None:
        return None
    if isinstance(tip, Flip):
        distance, unit = abs(tip.margin.distance), tip.margin.unit
    else:
        distance, unit = tip.distance, tip.unit
    return {"distance": round(distance, 6), "unit": unit, "answer": tip.answer, "text": tip.text}
