"""Baseline for 3DSRBench from image boxes only: no depth, no gravity, no headings.

How often it is correct shows how much a question tests 3D. Each rule is the plainest 2D reading:
higher is higher in the image, closer is a lower bottom edge of the box.
"""

import math

from po3d.language.programs.threedsrbench import ANSWERS, OPERATIONS

Box = tuple[float, float, float, float]  # x0, y0, x1, y1 in pixels, y down
NEAR = 0.5  # maximum gap of neighbouring boxes, as a fraction of their mean longest edge


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
    if op == "next_to":
        return words[
            0 if _gap(first, rest[0]) <= NEAR * (_longest(first) + _longest(rest[0])) / 2 else 1
        ]
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


def _longest(box: Box) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _wide(box: Box) -> bool:
    return box[2] - box[0] > box[3] - box[1]


def _gap(a: Box, b: Box) -> float:
    return math.hypot(max(0.0, a[0] - b[2], b[0] - a[2]), max(0.0, a[1] - b[3], b[1] - a[3]))


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
