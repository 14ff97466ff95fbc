"""Baseline for 3DSRBench from image boxes only: no depth, no gravity, no headings.

How often it is correct shows how much a question tests 3D. Each rule is the plainest 2D reading:
higher is higher in the image, closer is a lower bottom edge of the box.
"""

import math
from types import SimpleNamespace

from po3d.language.programs.threedsrbench import ANSWERS, OPERATIONS
from po3d.reasoning.body_relations import BODIES, neighbours
from po3d.reasoning.rules import THREEDSRBENCH_RULES
from po3d.scene.rectangles import Rectangle

Box = tuple[float, float, float, float]  # x0, y0, x1, y1 in pixels, y down


def planar(op: str, boxes: tuple[Box, ...]) -> str | int:
    """Return the 2D answer of an operation on objects with these boxes.

    A word, or the number of the object, as in `po3d.synthesis.indoor_view.verdicts.Verdict`.
    """
    words = ANSWERS.get(OPERATIONS[op].output, ())
    first, *rest = boxes
    if op in ("higher", "lower"):
        return int((_middle(first)[1] < _middle(rest[0])[1]) != (op == "higher"))
    if op in ("nearer_camera", "farther_camera"):
        return int((first[3] > rest[0][3]) != (op == "nearer_camera"))
    if op in ("above", "underneath"):
        top, low = (first, rest[0]) if op == "above" else (rest[0], first)
        return words[0 if _over(top, low) else 1]
    if op in BODIES:  # next to: the rule of boxes in space, for boxes in the image
        bodies = _body(first), _body(rest[0])
        return words[0 if neighbours(*bodies, THREEDSRBENCH_RULES) >= 0 else 1]
    if op in ("closer_to", "farther_from"):
        return 1 + int((_away(first, rest[0]) < _away(first, rest[1])) != (op == "closer_to"))
    if op == "facing":
        return 1 + int(_away(first, rest[0]) > _away(first, rest[1]))
    if op == "in_front_of":
        return words[0 if rest[0][3] > first[3] else 1]
    if op == "on_the_left":
        return words[0 if _middle(rest[0])[0] < _middle(first)[0] else 1]
    if op == "side_to":
        return _side(first, rest[0])
    if op == "side_to_camera":
        return "front"
    return words[0 if _wide(first) == _wide(rest[0]) else 1]  # parallel, same_direction


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _body(box: Box) -> SimpleNamespace:
    """Return a box of the image as a flat body of the relations."""
    width, height = box[2] - box[0], box[3] - box[1]
    flat = Rectangle(*_middle(box), 1.0, 0.0, width / 2, height / 2)
    return SimpleNamespace(box=flat, z=0.0, height=0.0, longest=max(width, height))


def _wide(box: Box) -> bool:
    return box[2] - box[0] > box[3] - box[1]


def _away(a: Box, b: Box) -> float:
    return math.dist(_middle(a), _middle(b))


def _over(top: Box, low: Box) -> bool:
    (x, y), (u, v) = _middle(top), _middle(low)
    return y < v and (low[0] <= x <= low[2] or top[0] <= u <= top[2])


def _side(a: Box, b: Box) -> str:
    """Return the side of a on which b is in the image; lower in the image counts as in front."""
    (x, y), (u, v) = _middle(a), _middle(b)
    if abs(u - x) > abs(v - y):
        return "left" if u < x else "right"
    return "front" if v > y else "back"
