"""Geometry to truth: which object is left of, faces like, or would run into which.

Functions of streets take arrays with the objects on the last axis (..., n) and any number of leading ones, so one
scene, thousands of scenes and thousands of samples of one scene are the same call. Matrices read R[..., i, j]
= "j is <relation> of i". `xp` is the array library: numpy, or torch for the batched executor. Those of rooms and photographs
take two or three bodies, whose numbers are floats (`Floats`: one pair) or arrays that broadcast.

Sources: the question engine and scene makers of Super-CLEVR, Super-CLEVR-3D and PulseCheck457 (Spatial457).
What they did not publish (collisions, the 6D margin) is a choice, named in `rules.Rules`, to be refitted when
the labels are at hand.
"""

import math
from types import ModuleType
from typing import Any, Literal, Protocol

import numpy as np

from po3d.reasoning.rules import Rules
from po3d.scene.rectangles import Floats, Rectangle, above_zero, depth, distance, from_segment, holds
from po3d.scene.street import AXES
from po3d.scene.vocabulary import DIRECTIONS, FACINGS

Arrays = Any  # numpy arrays or torch tensors, whichever `xp` makes
Frame = Literal["camera", "object"]

NO_FACING = -1
_LEFT, _RIGHT, _FRONT, _BACK = (FACINGS.index(f) for f in ("left", "right", "front", "back"))
_FAR = 1e9  # longer than any scene: a sweep "without limit" keeps finite arithmetic
_STREET_BEHIND_DEG = math.degrees(math.atan2(AXES["behind"][1], AXES["behind"][0]))  # 138.98


def relate(
    positions: Arrays,
    headings: Arrays,
    axes: Arrays,
    direction: str,
    frame: Frame,
    rules: Rules,
    bicycle: Arrays | None = None,
    xp: ModuleType = np,
) -> Arrays:
    """(..., n, n) bool: j is `direction` of i. Origins alone count, extents do not.

    positions (..., n, 2 or 3), headings (..., n); axes (..., 4, 2) are the viewer's ground axes in DIRECTIONS
    order, read in the camera's frame; bicycle (..., n) bool is read only when `rules.bicycle_front_is_nose`
    is off.
    """
    margin = rules.margin_2d if frame == "camera" else rules.margin_6d
    return ahead(positions, headings, axes, direction, frame, rules, bicycle, xp) > margin


def ahead(
    positions: Arrays,
    headings: Arrays,
    axes: Arrays,
    direction: str,
    frame: Frame,
    rules: Rules,
    bicycle: Arrays | None = None,
    xp: ModuleType = np,
) -> Arrays:
    """(..., n, n) how much further to `direction` j is than i, in units; arguments as of `relate`."""
    k = DIRECTIONS.index(direction)
    x, y = positions[..., 0], positions[..., 1]
    if frame == "camera":
        axis = axes[..., k, :]
        along = x * axis[..., 0:1] + y * axis[..., 1:2]
        return along[..., None, :] - along[..., :, None]
    front = headings
    if not rules.bicycle_front_is_nose and bicycle is not None:
        front = headings + bicycle * (math.pi / 2)
    c, s = xp.cos(front), xp.sin(front)
    axis_x, axis_y = {"front": (c, s), "behind": (-c, -s), "left": (-s, c), "right": (s, -c)}[direction]
    dx = x[..., None, :] - x[..., :, None]
    dy = y[..., None, :] - y[..., :, None]
    return dx * axis_x[..., None] + dy * axis_y[..., None]


def pose_degrees(headings: Arrays, axes: Arrays, rules: Rules, xp: ModuleType = np) -> Arrays:
    """(..., n) in [0, 360): the nose's clockwise angle from "away from the camera"; axes as in `relate`."""
    behind = axes[..., DIRECTIONS.index("behind"), :]
    turned = xp.atan2(behind[..., 1:2], behind[..., 0:1]) * (180 / math.pi) - _STREET_BEHIND_DEG
    return xp.remainder(rules.facing_zero_deg + turned - headings * (180 / math.pi), 360.0)


def facing_labels(degrees: Arrays, rules: Rules, xp: ModuleType = np) -> Arrays:
    """(..., n) index into FACINGS of `pose_degrees`, NO_FACING where the nose points between two windows."""
    w = rules.facing_window_deg
    label = xp.full_like(degrees, NO_FACING, dtype=xp.int64)
    label = xp.where((degrees < w) | (degrees > 360 - w), _BACK, label)
    for centre, name in ((90, _RIGHT), (180, _FRONT), (270, _LEFT)):
        label = xp.where((degrees > centre - w) & (degrees <= centre + w), name, label)
    return label


def aligned(degrees: Arrays, how: str, rules: Rules, xp: ModuleType = np) -> Arrays:
    """(..., n, n) bool: the nose of j points the same, opposite, vertical or parallel (same or opposite) way
    as that of i. No object is aligned with itself. Whether i has the facing label that `rules` may ask for is
    the caller's question."""
    turn = xp.abs(degrees[..., None, :] - degrees[..., :, None])
    turn = xp.minimum(turn, 360 - turn)
    return turned_so(turn, how, rules, xp) & ~_diagonal(degrees, xp)


def turned_so(turn: Arrays, how: str, rules: Rules, xp: Any = Floats) -> Arrays:
    """Whether noses with so many degrees between them are aligned; on the border they are vertical."""
    spare = alignment(turn, how, rules, xp)
    return spare >= 0 if how == "vertical" else spare > 0


def alignment(turn: Arrays, how: str, rules: Rules, xp: Any = Floats) -> Arrays:
    """Degrees by which noses with `turn` degrees in [0, 180] between them are within "same", "opposite", "vertical" or
    "parallel" ways; negative: by which they are not."""
    same, opposite = rules.aligned_same_deg - turn, turn - rules.aligned_opposite_deg
    parallel = xp.maximum(same, opposite)
    return {"same": same, "opposite": opposite, "vertical": -parallel, "parallel": parallel}[how]


def collide(
    positions: Arrays,
    headings: Arrays,
    extents: Arrays,
    travel: str,
    rules: Rules,
    mask: Arrays | None = None,
    xp: ModuleType = np,
) -> Arrays:
    """(..., n, n) bool: i, moving `travel` ("forward" or "backward") along its heading, would run into j.

    The exact sweep of i's oriented footprint against j's, by separating axes; touching counts. positions
    (..., n, 2 or 3), headings (..., n), extents (..., n, 2 or 3) as (length, width[, height]); mask (..., n)
    bool tells real objects from padding.
    """
    sense = {"forward": 1.0, "backward": -1.0}[travel]
    length, width = extents[..., 0] / 2, extents[..., 1] / 2  # half sizes
    c, s = xp.cos(headings) * sense, xp.sin(headings) * sense
    dx = positions[..., None, :, 0] - positions[..., :, None, 0]
    dy = positions[..., None, :, 1] - positions[..., :, None, 1]
    # The frame of i: x along its travel. There j is centred at (px, py) and its nose points along (cj, sj).
    ci, si = c[..., None], s[..., None]
    px, py = dx * ci + dy * si, dy * ci - dx * si
    cj = ci * c[..., None, :] + si * s[..., None, :]
    sj = ci * s[..., None, :] - si * c[..., None, :]
    a, b = length[..., None, :], width[..., None, :]
    # The swept region is the rectangle [near, far] x [-half, half] of that frame.
    near = -length[..., None]
    far = length[..., None] + min(rules.sweep_range, _FAR)
    half = width[..., None] + rules.sweep_margin
    ac, as_ = xp.abs(cj), xp.abs(sj)

    hit = (px + a * ac + b * as_ >= near) & (px - a * ac - b * as_ <= far)
    hit = hit & (xp.abs(py) <= half + a * as_ + b * ac)
    for ux, uy, size in ((cj, sj, a), (-sj, cj, b)):  # the axes of j
        centre, aside = px * ux + py * uy, half * xp.abs(uy)
        hit = hit & (centre - size <= xp.maximum(near * ux, far * ux) + aside)
        hit = hit & (centre + size >= xp.minimum(near * ux, far * ux) - aside)

    hit = hit & ~_diagonal(headings, xp)
    if mask is not None:
        hit = hit & mask[..., None, :] & mask[..., :, None]
    if rules.first_hit_only and hit.shape[-1]:
        contact = xp.maximum(_first_contact(px, py, cj, sj, a, b, half, xp), -near)  # its own front: touching
        distance = xp.where(hit, contact, math.inf)
        nearest = xp.amin(distance, -1)[..., None]
        hit = hit & (distance <= nearest)
    return hit


def _first_contact(
    px: Arrays, py: Arrays, cj: Arrays, sj: Arrays, a: Arrays, b: Arrays, half: Arrays, xp: ModuleType
) -> Arrays:
    """(..., n, n) smallest x of j's rectangle inside the strip |y| <= half of i's frame; else inf."""
    corners = []
    for e, f in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        corners.append((px + e * a * cj - f * b * sj, py + e * a * sj + f * b * cj))
    best = xp.full_like(px, math.inf)
    for k, (x0, y0) in enumerate(corners):
        best = xp.where(xp.abs(y0) <= half, xp.minimum(best, x0), best)
        x1, y1 = corners[(k + 1) % 4]
        for border in (half, -half):  # where the edge from corner k to the next crosses the strip's borders
            crosses = (y0 - border) * (y1 - border) < 0
            step = xp.where(crosses, y1 - y0, xp.ones_like(y0))
            best = xp.where(crosses, xp.minimum(best, x0 + (border - y0) / step * (x1 - x0)), best)
    return best


def _diagonal(like: Arrays, xp: ModuleType) -> Arrays:
    """(n, n) bool identity for an array (..., n), on its device."""
    return xp.eye(like.shape[-1], dtype=xp.bool, device=like.device)


# --- rooms and photographs: a body or two, and another ---------------------------------------------------------


class Body(Protocol):
    """What relations read of a thing, `scene.index.Thing` or columns of a batch; lengths are the table's."""

    box: Rectangle
    low: Any  # height of the underside
    z: Any  # ... of the middle
    height: Any
    longest: Any  # of its edges
    right: Any  # place in the frame
    front: Any


def stacked(a: Body, b: Body) -> Arrays:
    """Whether one stands over the other: either's middle is within the other's footprint."""
    return holds(a.box, b.box.x, b.box.y) | holds(b.box, a.box.x, a.box.y)


def gap(a: Body, b: Body, xp: Any = Floats) -> Arrays:
    """Between two boxes in space, 0 when they meet."""
    return xp.hypot(distance(a.box, b.box, xp), above_zero(abs(a.z - b.z) - (a.height + b.height) / 2))


def next_to_limit(a: Body, b: Body, rules: Rules) -> Arrays:
    """The widest gap of neighbours."""
    return rules.next_to if rules.next_to_in == "metres" else rules.next_to * (a.longest + b.longest) / 2


def neighbours(a: Body, b: Body, rules: Rules, xp: Any = Floats) -> Arrays:
    """How much less than the widest is the gap of two things; negative: how much more. Where the rules count in metres it is
    over the ground."""
    apart = distance(a.box, b.box, xp) if rules.next_to_in == "metres" else gap(a, b, xp)
    return next_to_limit(a, b, rules) - apart


def over(a: Body, b: Body, rules: Rules, xp: Any = Floats) -> Arrays:
    """By how much a is directly above b; negative: by how much it isn't."""
    inside = xp.maximum(depth(b.box, a.box.x, a.box.y, xp), depth(a.box, b.box.x, b.box.y, xp))
    return xp.minimum(inside, a.low - b.z + rules.above_slack)


def between(a: Body, b: Body, i: Body, rules: Rules, xp: Any = Floats) -> Arrays:
    """Whether i stands between a and b: near the line from one to the other, and not at its ends."""
    right, front = b.right - a.right, b.front - a.front
    length = xp.hypot(right, front)
    apart = length >= 1e-6
    length = xp.where(apart, length, 1.0)
    x, y = i.right - a.right, i.front - a.front
    t = (x * right + y * front) / length**2
    off = abs(right * y - front * x) / length
    return apart & (t > 0.1) & (t < 0.9) & (off <= rules.between)


def off_path(a: Body, b: Body, i: Body, xp: Any = Floats) -> Arrays:
    """How far the footprint of i is from the line between the middles of a and b."""
    return from_segment(i.box, (a.box.x, a.box.y), (b.box.x, b.box.y), xp)


def in_the_way(i: Body, rules: Rules) -> Arrays:
    """Whether one can't step over a thing, or walk under it."""
    return (i.height > rules.step_over) & (i.low < rules.head)


def cone(direction: str, rules: Rules) -> float:
    """Radians on either side of a direction."""
    return math.radians(rules.cone) * (0.5 if "_" in direction else 1.0) + 1e-9
