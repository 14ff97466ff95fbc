"""Margins of the answers to 3DSRBench's twelve question types; the twin omits questions with a
small margin.

This is implemented independently of the executor, so that a test can compare them. A margin is the
smallest change of a length or an angle that would change the answer, and 0 where annotators would
disagree.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from po3d.language.programs.threedsrbench import ANSWERS
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.rules import THREEDSRBENCH_RULES
from po3d.reasoning.world import VIEWER, SceneGeometry
from po3d.scene.table import Scene

# largest angle in degrees off its front at which an object faces another; beyond it, annotators
# would disagree
FACING = 60.0


class Verdict(NamedTuple):
    """An answer (a word of its type, or the index of the chosen object among the operation's) with
    its margins, which are infinite if no length or no angle decides.
    """

    answer: str | int
    metres: float = math.inf
    degrees: float = math.inf


def view_geometry(scene: Scene) -> SceneGeometry:
    """Return the geometry of a scene with a camera, on which questions are decided."""
    return SceneGeometry.of(scene, THREEDSRBENCH_RULES)


def decide(world: SceneGeometry, op: str, rows: tuple[int, ...]) -> Verdict:
    """Return the answer of an operation on rows of the scene. Raise ExecutionFailure if there is
    none.
    """
    if len(set(rows)) < len(rows):
        raise ExecutionFailure("ambiguous", "two descriptions mean the same thing")
    return _RULES[op](world, *rows)


def _bearing(world: SceneGeometry, i: int, j: int) -> float:
    """Return the angle from the front of i to j in degrees, counter-clockwise from above (left is
    90), in (-180, 180].
    """
    return math.degrees(world.turn(i, j, world.own_axes(i)))


def _aside(world: SceneGeometry, i: int, j: int, degrees: float) -> float:
    """Convert an angle to the sideways distance in metres at j."""
    return math.hypot(*world.vector(i, j)) * math.sin(math.radians(abs(degrees)))


def _extreme(
    measure: Callable[[SceneGeometry, int], float], sign: float
) -> Callable[[SceneGeometry, int, int], Verdict]:
    """Return the rule of "which of the two has more (sign 1) or less (-1) of the measure"."""

    def rule(world: SceneGeometry, i: int, j: int) -> Verdict:
        more = sign * (measure(world, i) - measure(world, j))
        return Verdict(0 if more > 0 else 1, abs(more))

    return rule


def _from_eye(world: SceneGeometry, i: int) -> float:
    return world.distance_from(VIEWER)(i)


def _above(world: SceneGeometry, i: int, j: int) -> Verdict:
    by = world.over(i, j)
    return Verdict(ANSWERS["boolean"][0 if by > 0 else 1], abs(by))


def _next_to(world: SceneGeometry, i: int, j: int) -> Verdict:
    spare = world.inside("next_to", [i], j)
    return Verdict(ANSWERS["nearness"][0 if spare >= 0 else 1], abs(spare))


def _in_front_of(world: SceneGeometry, i: int, j: int) -> Verdict:
    off = 90 - abs(_bearing(world, i, j))
    return Verdict(ANSWERS["depth"][0 if off > 0 else 1], _aside(world, i, j, off), abs(off))


def _on_the_left(world: SceneGeometry, i: int, j: int) -> Verdict:
    b = _bearing(world, i, j)
    off = min(abs(b), 180 - abs(b))
    return Verdict(ANSWERS["side"][0 if b > 0 else 1], _aside(world, i, j, off), off)


def _quarter(world: SceneGeometry, i: int, j: int = VIEWER) -> Verdict:
    b = _bearing(world, i, j)
    turn = round(b / 90)
    off = 45 - abs(b - 90 * turn)
    return Verdict(ANSWERS["quarter"][turn % 4], _aside(world, i, j, off), off)


def _closer_to(sign: float) -> Callable[[SceneGeometry, int, int, int], Verdict]:
    def rule(world: SceneGeometry, anchor: int, i: int, j: int) -> Verdict:
        nearer = sign * (world.distance(anchor, j) - world.distance(anchor, i))
        surface = sign * (world.gap(anchor, j) - world.gap(anchor, i))
        # Centres decide; if the surfaces disagree, the answer is ambiguous.
        return Verdict(1 if nearer > 0 else 2, abs(nearer) if nearer * surface >= 0 else 0.0)

    return rule


def _facing(world: SceneGeometry, facing: int, i: int, j: int) -> Verdict:
    first, second = (abs(_bearing(world, facing, k)) for k in (i, j))
    off = min(abs(first - second) / 2, max(0.0, FACING - min(first, second)))
    return Verdict(
        1 if first < second else 2, min(_aside(world, facing, k, off) for k in (i, j)), off
    )


def _turn(world: SceneGeometry, i: int, j: int) -> float:
    """Return the angle between two headings in degrees, 0 to 180."""
    return abs(math.degrees(math.remainder(world.heading(i) - world.heading(j), math.tau)))


def _parallel(world: SceneGeometry, i: int, j: int) -> Verdict:
    turn = _turn(world, i, j)
    off = 45 - min(turn, 180 - turn)
    return Verdict(ANSWERS["alignment"][0 if off >= 0 else 1], degrees=abs(off))


def _same_direction(world: SceneGeometry, i: int, j: int) -> Verdict:
    off = 45 - _turn(world, i, j)
    return Verdict(ANSWERS["agreement"][0 if off >= 0 else 1], degrees=abs(off))


_RULES: dict[str, Callable[..., Verdict]] = {
    "higher": _extreme(SceneGeometry.height, 1),
    "lower": _extreme(SceneGeometry.height, -1),
    "above": _above,
    "underneath": lambda world, i, j: _above(world, j, i),
    "nearer_camera": _extreme(_from_eye, -1),
    "farther_camera": _extreme(_from_eye, 1),
    "next_to": _next_to,
    "in_front_of": _in_front_of,
    "on_the_left": _on_the_left,
    "side_to_camera": _quarter,
    "closer_to": _closer_to(1),
    "farther_from": _closer_to(-1),
    "facing": _facing,
    "side_to": _quarter,
    "parallel": _parallel,
    "same_direction": _same_direction,
}
