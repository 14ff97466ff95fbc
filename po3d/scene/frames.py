"""Reference frames of rooms: the front direction from sentences about anchors.

An example is "The desk is at the left of the scene".

A reference frame is the `axes` of a scene: unit ground vectors of left, right, front and behind.
Changing it moves no object.

Rules where the benchmark leaves the choice open:
* An anchor name with several objects means the one farthest from the room's centre, which
  separates the sides best (as in a public evaluation of Hypo3D).
* A room has four sides, so the front is the wall direction that agrees best with all anchors. The
  wall direction is that of the outline's longest edge, or the world's x axis for a scene without
  an outline.
* Two anchors contradict each other if the fronts that they imply differ by more than 135 degrees.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from po3d.io.errors import InputError
from po3d.io.fuzzy import too_long
from po3d.scene.geometry import Array
from po3d.scene.rooms import is_a

if TYPE_CHECKING:  # the table imports this module
    from po3d.scene.table import Scene

SIDE_TURNS = {
    "front": 0.0,
    "left": math.pi / 2,
    "back": math.pi,
    "right": -math.pi / 2,
}  # angle from the front, counter-clockwise seen from above
CONTRADICTION = math.radians(135)
Anchors = Sequence[tuple[str, str]]  # (name, side)

_SIDE_WORDS = {
    "front": "front", "north": "front", "forward": "front", "top": "front",
    "back": "back", "rear": "back", "behind": "back", "south": "back", "bottom": "back",
    "left": "left", "west": "left", "right": "right", "east": "right",
}  # fmt: skip
_SIDE = re.compile(rf"\b({'|'.join(_SIDE_WORDS)})\b")
_VERB = re.compile(
    r"\b(?:is|are|was|were|stands|stood|sits|sat|lies|hangs|marks|defines|faces|located|be)\b"
)
_ARTICLE = re.compile(
    r"^(?:the|a|an|its|this|that|and|with|where|assume|suppose|if|let|imagine)\s+"
)


def axes_from_front(front: Sequence[float]) -> dict[str, tuple[float, float]]:
    """Return the axes of a viewer who faces along the ground vector `front` (2,)."""
    x, y = np.asarray(front, float) / np.linalg.norm(front)
    return {"front": (x, y), "behind": (-x, -y), "left": (-y, x), "right": (y, -x)}


def with_front(scene: Scene, front: Sequence[float]) -> Scene:
    """Return the scene with the axes of a viewer who faces along `front` (2,)."""
    return replace(scene, axes=axes_from_front(front))


def read_anchors(text: str) -> list[tuple[str, str]]:
    """Return (name, side) for every sentence or clause of a frame text.

    Raise InputError for a clause without a side or an anchor.
    """
    if reason := too_long(text, "frame"):
        raise InputError(reason)
    anchors = []
    for clause in re.split(r"[.;!\n]+|,\s*(?:and\s+)?(?=the\b)|\band\b(?=\s+the\b)", text.lower()):
        clause = clause.strip(" ,")
        if not clause:
            continue
        sides = _SIDE.findall(clause)
        verb = _VERB.search(clause)
        if not sides or not verb:
            raise InputError(
                f"frame text {clause!r} names nothing at the front, back, left or right of the room"
            )
        side = _SIDE_WORDS[sides[-1]]
        name = clause[: verb.start()].strip()
        if not name or _SIDE.search(name):  # e.g. "at the front of the room is the door"
            name = clause[verb.end() :].strip()
            side = _SIDE_WORDS[sides[0]]
        while (shorter := _ARTICLE.sub("", name)) != name:
            name = shorter
        anchors.append((name, side))
    if not anchors:
        raise InputError("the frame text is empty")
    return anchors


def frame_text_anchors(anchors: Anchors) -> str:
    """Return the anchors in the benchmark's fixed wording, which `read_anchors` reads back."""
    return " ".join(f"The {name} was located at the {side} of the scene." for name, side in anchors)


def frame(scene: Scene, anchors: Anchors) -> Scene:
    """Return the scene with the axes that the anchors define.

    Raise InputError if an anchor is not in the table or at the room's centre, or if two anchors
    contradict each other.
    """
    if not anchors:
        raise InputError("a frame needs at least one anchor")
    centre = room_centre(scene)
    wanted = []  # azimuth of the front implied by each anchor
    for name, side in anchors:
        away = anchor_positions(scene, name) - centre
        distance = np.linalg.norm(away, axis=1)
        k = int(distance.argmax())
        if distance[k] < 1e-3:
            raise InputError(
                f"the anchor {name!r} is at the centre of the room, so it defines no direction"
            )
        wanted.append(math.atan2(away[k, 1], away[k, 0]) - SIDE_TURNS[side])
    for i, first in enumerate(wanted):
        for j in range(i):
            if abs(math.remainder(first - wanted[j], 2 * math.pi)) > CONTRADICTION:
                (a, s), (b, t) = anchors[j], anchors[i]
                raise InputError(
                    f"the frame is contradictory: {a!r} at the {s} and {b!r} at the {t} exclude"
                    " each other"
                )
    walls = wall_azimuth(scene) + np.arange(4) * math.pi / 2
    best = walls[int(np.cos(walls[:, None] - np.array(wanted)).sum(1).argmax())]
    return with_front(scene, (math.cos(best), math.sin(best)))


def frame_from_text(scene: Scene, text: str) -> Scene:
    """Return the scene with the axes that the anchors named in a text define (see `frame`)."""
    return frame(scene, read_anchors(text))


def anchor_positions(scene: Scene, name: str) -> Array:
    """Return the (k, 2) positions of the objects called `name`; InputError if there is none."""
    names = [o.value("name") if "name" in o.beliefs else "" for o in scene.objects]
    positions = [o.position[:2] for o, n in zip(scene.objects, names) if is_a(n, name)]
    if not positions:
        words = name.split()  # e.g. "wooden desk": retry without the leading adjective
        if len(words) > 1:
            return anchor_positions(scene, " ".join(words[1:]))
        known = ", ".join(sorted(set(filter(None, names)))) or "none with a name"
        raise InputError(f"the anchor {name!r} is not in the room; objects: {known}")
    return np.array(positions, float)


def room_centre(scene: Scene) -> tuple[float, float]:
    """Return x and y of the centre of the outline's bounding box.

    Without an outline: of the bounding box of the object positions.
    """
    points = ground_corners(scene)
    if not points:
        raise InputError("a room without objects has no centre")
    x, y = zip(*points)
    return (min(x) + max(x)) / 2, (min(y) + max(y)) / 2


def ground_corners(scene: Scene) -> Sequence[tuple[float, float]]:
    """Return the corners of the outline; the object positions for a scene without one."""
    return scene.outline or [state.position[:2] for state in scene.objects]


def wall_azimuth(scene: Scene) -> float:
    """Return the azimuth of the outline's longest edge, modulo pi/2; 0 without an outline."""
    if not scene.outline:
        return 0.0
    corners = np.array(scene.outline, float)
    edges = np.roll(corners, -1, 0) - corners
    longest = edges[int(np.linalg.norm(edges, axis=1).argmax())]
    return math.atan2(longest[1], longest[0]) % (math.pi / 2)


def in_frame(vectors: Array, axes: Mapping[str, tuple[float, float]]) -> Array:
    """Return (..., 2) ground vectors as components (to the right, to the front) of the frame."""
    return np.asarray(vectors, float) @ np.array([axes["right"], axes["front"]]).T
