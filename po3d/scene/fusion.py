"""Fuse the scene tables of several views into one table.

    tables, relative yaws (or None) ──► register onto the fused table ──► matches ──► one table

The world frame is that of the view that most other views can be registered to; the first view on
ties. Views are added one by one, the one with the lowest registration cost first; then each is
registered again onto all others together, so that the order has little influence. Matched rows
are fused by their covariances. An unmatched row is kept unchanged, because it may be occluded in
the other views. A view that cannot be registered contributes no rows; its axes are still known if
its yaw is.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from po3d.io.errors import InputError
from po3d.scene.camera import transformed
from po3d.scene.geometry import Pose, as_tuples, rotation_z, wrap_angle
from po3d.scene.orbit import Axes
from po3d.scene.registration import EPSILON, RegisteredView, covariance_of, register, rotation
from po3d.scene.table import ObjectState, Scene

HALF_TURN = math.pi


@dataclass(frozen=True)
class ViewTable:
    """The table of one view.

    `yaw` is the rotation of its world relative to the first view's, radians; None if unknown. An
    unknown yaw of the first view is taken as 0.
    """

    table: Scene
    yaw: float | None = None


@dataclass(frozen=True)
class Fused:
    """One table in the world frame of one of the views, and the registration of each view."""

    scene: Scene
    # pose of each view in the fused world; None: not registered
    placed: tuple[RegisteredView | None, ...]
    members: tuple[tuple[tuple[int, int], ...], ...]  # (view, row) pairs of each object
    turns: tuple[float | None, ...]  # yaw of each view in the fused world (radians); None: unknown

    def axes(self, view: int, view_axes: Axes) -> dict[str, tuple[float, float]]:
        """Return a view's axes (`view_axes` in its own table) in the fused world.

        Raise InputError if the yaw of the view is unknown.
        """
        if self.turns[view] is None:
            raise InputError(f"view {view + 1} shares no object with the other views")
        turn, axes = rotation(self.turns[view]), {}
        for side, way in view_axes.items():
            axes[side] = tuple((turn @ np.array(way)).tolist())
        return axes


def fuse(views: Sequence[ViewTable]) -> Fused:
    """Fuse all views into one table; InputError for an empty list."""
    if not views:
        raise InputError("no views to fuse")
    yaws = [v.yaw for v in views]
    if yaws[0] is None:
        yaws[0] = 0.0
    best, most = None, -1
    registered: set[int] = set()
    for start in range(len(views)):
        if start in registered:  # it would give the same component
            continue
        placed, groups = _grown(views, yaws, start)
        fitting = 0
        for k, pose in enumerate(placed):
            if pose is not None:
                registered.add(k)
                fitting += len(views[k].table) > 0
        if fitting > most:
            best, most = (placed, groups, start, _turns(yaws, start)), fitting
    return joined(views, *best)


def joined(
    views: Sequence[ViewTable],
    placed: Sequence[RegisteredView | None],
    groups: Sequence[Sequence[tuple[int, int]]],
    start: int = 0,
    turns: Sequence[float | None] = (),
) -> Fused:
    """Fuse views with given poses in the world of view `start`.

    `groups` lists the (view, row) pairs of each object. `turns` are the yaws of views that are
    not placed, where known.
    """
    known = [p.yaw if p else yaw for p, yaw in itertools.zip_longest(placed, turns)]
    scene = _merged(views, placed, groups, start)
    return Fused(scene, tuple(placed), tuple(map(tuple, groups)), tuple(known))


def _grown(
    views: Sequence[ViewTable], yaws: Sequence[float | None], start: int
) -> tuple[list[RegisteredView | None], list[list[tuple[int, int]]]]:
    """Register all views that can be registered to `start`, directly or through others, then each
    once more onto all others. Return their poses, and the (view, row) pairs of each object."""
    turns = _turns(yaws, start)
    placed: list[RegisteredView | None] = [None] * len(views)
    placed[start] = RegisteredView(0.0, (0.0, 0.0), {}, 0.0)
    groups: list[list[tuple[int, int]]] = [[(start, i)] for i in range(len(views[start].table))]
    left = list(range(len(views)))
    left.remove(start)
    others = tuple(left)
    while left:
        fused = _merged(views, placed, groups, start)
        costs = {}
        for k in left:
            registration = register(fused, views[k].table, turns[k])
            if registration is not None:
                costs[k] = registration
        if not costs:  # none of the remaining views can be registered
            break
        k = min(costs, key=lambda k: costs[k].cost)
        left.remove(k)
        placed[k] = costs[k]
        _join(groups, k, costs[k], len(views[k].table))
    for k in others if len(views) > 2 else ():
        if placed[k] is not None:
            rest = _without(groups, k)
            again = register(_merged(views, placed, rest, start), views[k].table, turns[k])
            if again is not None:
                groups, placed[k] = rest, again
                _join(groups, k, again, len(views[k].table))
    return placed, groups


def _without(groups: list[list[tuple[int, int]]], view: int) -> list[list[tuple[int, int]]]:
    """Return the groups without the rows of a view; groups of such rows alone are dropped."""
    rest = []
    for group in groups:
        members = [member for member in group if member[0] != view]
        if members:
            rest.append(members)
    return rest


def _turns(yaws: Sequence[float | None], start: int) -> list[float | None]:
    """Return each view's yaw relative to view `start`, where both are known."""
    first = yaws[start]
    return [None if yaw is None or first is None else yaw - first for yaw in yaws]


def _join(
    groups: list[list[tuple[int, int]]], view: int, placed: RegisteredView, rows: int
) -> None:
    """Add a view's rows to their matched groups; unmatched rows start new groups."""
    for row in range(rows):
        if row in placed.matches:
            groups[placed.matches[row]].append((view, row))
        else:
            groups.append([(view, row)])


# --- fusing rows of one object --------------------------------------------------------------------


def _merged(
    views: Sequence[ViewTable],
    placed: Sequence[RegisteredView | None],
    groups: Sequence[Sequence[tuple[int, int]]],
    start: int,
) -> Scene:
    """Return the table of the groups in the world of view `start`."""
    objects = []
    for group in groups:
        objects.append(_one([_moved(views[v].table.objects[row], placed[v]) for v, row in group]))
    source = "gt" if {v.table.source for v in views} == {"gt"} else "predicted"
    return replace(views[start].table, objects=tuple(objects), occluders=None, source=source)


def _moved(o: ObjectState, placed: RegisteredView) -> ObjectState:
    """Return an object in the fused world; its image box belongs to its own view and is dropped."""
    move = Pose(rotation_z(placed.yaw), np.array([*placed.shift, 0.0]))
    return replace(transformed(o, move, float(wrap_angle(o.heading + placed.yaw))), box=None)


def _one(rows: Sequence[ObjectState]) -> ObjectState:
    """Fuse several observations of one object into one row (inverse-covariance weighting)."""
    if len(rows) == 1:
        return rows[0]
    information, moment, name, absent = [], 0, "", 1.0
    for o in rows:
        information.append(np.linalg.inv(covariance_of(o)[:2, :2]))
        moment = moment + information[-1] @ np.array(o.position[:2])
        name, absent = name or o.name, absent * (1 - o.existence)
    covariance = np.linalg.inv(sum(information))
    x, y = (covariance @ moment).tolist()
    heading, spread, flip = _heading(rows)
    whole = np.zeros((3, 3))
    if np.any([o.covariance for o in rows]):  # else ground-truth tables: the mean is certain too
        whole[:2, :2], whole[2, 2] = covariance, spread
    # Extents have no covariance: a geometric mean, weighted by the certainty of the positions.
    weights = np.trace(information, axis1=1, axis2=2)
    weights = weights / weights.sum()
    extent = np.exp(weights @ np.log(np.maximum([o.extent for o in rows], 1e-6)))
    position = (x, y, float(weights @ [o.position[2] for o in rows]))
    size, spread = tuple(extent.tolist()), as_tuples(whole)
    return ObjectState(
        _beliefs(rows), position, heading, size, spread, flip, 1 - float(absent), None, name
    )


def _heading(rows: Sequence[ObjectState]) -> tuple[float, float, float]:
    """Return (heading, its variance, flip probability) of one object.

    Each observation may be flipped by pi: each is turned to agree with the most certain one, and
    the odds that they are unflipped are multiplied.
    """
    variances = np.array([covariance_of(o)[2, 2] for o in rows])
    # A flip probability of 0.5 outweighs any variance: that heading has no direction.
    base = rows[int(np.argmin(variances + 100 * np.minimum([o.flip for o in rows], 0.5)))].heading
    log_odds, sine, cosine = 0.0, 0.0, 0.0
    for o, variance in zip(rows, variances):
        turned = abs(float(wrap_angle(o.heading - base))) > HALF_TURN / 2
        p = min(max(o.flip, EPSILON), 1 - EPSILON)
        log_odds += math.log((1 - p) / p) * (-1 if turned else 1)
        angle = o.heading + (HALF_TURN if turned else 0.0)
        sine += math.sin(angle) / variance
        cosine += math.cos(angle) / variance
    heading, flip = math.atan2(sine, cosine), 1 / (1 + math.exp(min(max(log_odds, -30.0), 30.0)))
    if flip > 0.5:
        heading, flip = float(wrap_angle(heading + HALF_TURN)), 1 - flip
    if not any(o.flip for o in rows) and flip < 0.5:
        flip = 0.0
    return heading, float(1 / np.sum(1 / variances)), flip


def _beliefs(rows: Sequence[ObjectState]) -> dict[str, dict[str, float]]:
    """Multiply attribute probabilities: the observations are assumed independent."""
    stated: dict[str, list[Mapping[str, float]]] = {}
    for o in rows:
        for attribute, belief in o.beliefs.items():
            stated.setdefault(attribute, []).append(belief)
    result: dict[str, dict[str, float]] = {}
    for attribute, beliefs in stated.items():
        logs = dict.fromkeys(itertools.chain(*beliefs), 0.0)
        if len(logs) == 1:
            result[attribute] = dict.fromkeys(logs, 1.0)
            continue
        for belief in beliefs:
            for value in logs:
                logs[value] += math.log(max(belief.get(value, 0.0), EPSILON))
        p = np.exp(np.array(list(logs.values())) - max(logs.values()))
        result[attribute] = dict(zip(logs, (p / p.sum()).tolist()))
    return result
