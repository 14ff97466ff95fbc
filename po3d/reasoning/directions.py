"""The eight directions of a reference frame, and the sides of a room."""

import math

from po3d.language.program import DIRECTIONS
from po3d.reasoning.rules import Rules
from po3d.scene.geometry import Array

# components (to the right, to the front)
AHEAD = {"front": (0, 1), "behind": (0, -1), "right": (1, 0), "left": (-1, 0)}
MIDDLE = "middle"
for _direction in DIRECTIONS:
    _across, _along = zip(*map(AHEAD.__getitem__, _direction.split("_")))
    AHEAD[_direction] = (sum(_across), sum(_along))
SIDES_OF_ROOM = (*AHEAD, MIDDLE)


def side_bounds(direction: str, rules: Rules) -> list[tuple[float, float, float]]:
    """Return half planes (x, y, least) whose intersection is the region at a side of the room.

    An object is inside if x * right + y * front >= least for all, with offsets as of
    `SceneGeometry.off_centre`.
    """
    return [(*AHEAD[word], 1 - 2 * rules.side) for word in direction.split("_")]


def region_at(direction: str, across: Array, along: Array, rules: Rules) -> Array:
    """Whether offsets from the centre (1 at the walls) are at a side, in a corner (both sides), or
    in the middle of the room."""
    if direction == MIDDLE:
        return (abs(across) <= rules.side) & (abs(along) <= rules.side)
    inside = True
    for x, y, least in side_bounds(direction, rules):
        inside = inside & (x * across + y * along >= least - 1e-9)
    return inside


def azimuth(direction: str) -> float:
    """Return the angle of a direction, radians clockwise from the front."""
    return DIRECTIONS.index(direction) * math.pi / 4


def direction_at(bearing: float) -> str:
    """Return the nearest of the eight directions to a bearing, radians clockwise from the front."""
    return DIRECTIONS[round(bearing / (math.pi / 4)) % 8]
