"""World frames of rooms: which way "front" is, from sentences about anchors ("The desk is at the left of the scene").

A frame is the scene's `axes`: unit ground vectors of left, right, front, behind. Changing it moves nothing.

Rules, where the benchmark leaves it open:
* An anchor that occurs several times means the one farthest from the room's centre (as in a public evaluation of
  Hypo3D): it tells sides apart best.
* Rooms have four sides, so the front is the wall direction that agrees best with all anchors. The walls' direction is
  that of the outline's longest edge; the world's x axis when the scene has no outline.
* Two anchors contradict each other when one of them wants a front that points away from the other's by more than a
  right angle and a half.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from po3d.io.errors import InputError
from po3d.io.spelling import too_long
from po3d.scene.geometry import Array
from po3d.scene.rooms import is_a
from po3d.scene.table import Scene

SIDE_TURNS = {
    "front": 0.0,
    "left": math.pi / 2,
    "back": math.pi,
    "right": -math.pi / 2,
}  # from the front, seen from above
CONTRADICTION = math.radians(135)
Anchors = Sequence[tuple[str, str]]  # (name, side)

_SIDE_WORDS = {
    "front": "front", "north": "front", "forward": "front", "top": "front",
    "back": "back", "rear": "back", "behind": "back", "south": "back", "bottom": "back",
    "left": "left", "west": "left", "right": "right", "east": "right",
}  # fmt: skip
_SIDE = re.compile(rf"\b({'|'.join(_SIDE_WORDS)})\b")
_VERB = re.compile(r"\b(?:is|are|was|were|stands|stood|sits|sat|lies|hangs|marks|defines|faces|located|be)\b")
_ARTICLE = re.compile(r"^(?:the|a|an|its|this|that|and|with|where|assume|suppose|if|let|imagine)\s+")


def axes_from_front(front: Sequence[float]) -> dict[str, tuple[float, float]]:
    """The axes of a viewer who looks along the ground vector `front` (2,)."""
    x, y = np.asarray(front, float) / np.linalg.norm(front)
    return {"front": (x, y), "behind": (-x, -y), "left": (-y, x), "right": (y, -x)}


def with_front(scene: Scene, front: Sequence[float]) -> Scene:
    return replace(scene, axes=axes_from_front(front))


def read_anchors(text: str) -> list[tuple[str, str]]:
    """(name, side) of every sentence or clause of a frame text; InputError for one that names no side or anchor."""
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
                f"frame text {clause!r} does not say what is at the front, back, left or right of the room"
            )
        side = _SIDE_WORDS[sides[-1]]
        name = clause[: verb.start()].strip()
        if not name or _SIDE.search(name):  # "at the front of the room is the door"
            name = clause[verb.end() :].strip()
            side = _SIDE_WORDS[sides[0]]
        while (shorter := _ARTICLE.sub("", name)) != name:
            name = shorter
        anchors.append((name, side))
    if not anchors:
        raise InputError("the frame text is empty")
    return anchors


def frame_text_anchors(anchors: Anchors) -> str:
    """Anchors in the benchmark's fixed words; `read_anchors` reads them back."""
    return " ".join(f"The {name} was located at the {side} of the scene." for name, side in anchors)


def frame(scene: Scene, anchors: Anchors) -> Scene:
    """The scene with the axes that the anchors define. InputError when an anchor is not in the table, stands at the
    very centre, or when two anchors contradict each other."""
    if not anchors:
        raise InputError("a frame needs at least one anchor")
    centre = room_centre(scene)
    wanted = []  # the front's azimuth, says each anchor
    for name, side in anchors:
        away = anchor_positions(scene, name) - centre
        distance = np.linalg.norm(away, axis=1)
        k = int(distance.argmax())
        if distance[k] < 1e-3:
            raise InputError(f"the anchor {name!r} stands at the centre of the room and tells no direction")
        wanted.append(math.atan2(away[k, 1], away[k, 0]) - SIDE_TURNS[side])
    for i, first in enumerate(wanted):
        for j in range(i):
            if abs(math.remainder(first - wanted[j], 2 * math.pi)) > CONTRADICTION:
                (a, s), (b, t) = anchors[j], anchors[i]
                raise InputError(
                    f"the frame contradicts itself: {a!r} at the {s} and {b!r} at the {t} can't both hold"
                )
    walls = wall_azimuth(scene) + np.arange(4) * math.pi / 2
    best = walls[int(np.cos(walls[:, None] - np.array(wanted)).sum(1).argmax())]
    return with_front(scene, (math.cos(best), math.sin(best)))


def frame_from_text(scene: Scene, text: str) -> Scene:
    """`frame` on the anchors that the text names."""
    return frame(scene, read_anchors(text))


def anchor_positions(scene: Scene, name: str) -> Array:
    """(k, 2) of the things called `name`; InputError when there is none."""
    found = [o.position[:2] for o in scene.objects if is_a(o.value("name"), name)]
    if not found:
        words = name.split()  # "wooden desk": leading adjectives are tried without
        if len(words) > 1:
            return anchor_positions(scene, " ".join(words[1:]))
        names = sorted({o.value("name") for o in scene.objects})
        raise InputError(f"the anchor {name!r} is not in the room; it holds {', '.join(names)}")
    return np.array(found, float)


def room_centre(scene: Scene) -> tuple[float, float]:
    """x and y of the middle of the outline's bounding box, or of the objects' positions when there is no outline."""
    points = ground_corners(scene)
    if not points:
        raise InputError("an empty room has no centre")
    x, y = zip(*points)
    return (min(x) + max(x)) / 2, (min(y) + max(y)) / 2


def ground_corners(scene: Scene) -> Sequence[tuple[float, float]]:
    """Of the outline; where the things stand when there is none."""
    return scene.outline or [state.position[:2] for state in scene.objects]


def wall_azimuth(scene: Scene) -> float:
    """Azimuth of the outline's longest edge, modulo a quarter turn; 0 without an outline."""
    if not scene.outline:
        return 0.0
    corners = np.array(scene.outline, float)
    edges = np.roll(corners, -1, 0) - corners
    longest = edges[int(np.linalg.norm(edges, axis=1).argmax())]
    return math.atan2(longest[1], longest[0]) % (math.pi / 2)


def in_frame(vectors: Array, axes: Mapping[str, tuple[float, float]]) -> Array:
    """(..., 2) ground vectors as (to the right, to the front) of the frame."""
    return np.asarray(vectors, float) @ np.array([axes["right"], axes["front"]]).T
