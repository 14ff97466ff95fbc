"""Scene tables of several views made one.

    tables, relative yaws (known, or None) ──► each registered onto what is there so far ──► matches ──► one table

The table that most others fit onto gives the world: the first one, where all fit it. The views are added one after
another, the one with the most in common first; then each is registered once more onto the others together, so that the
order matters little. Matched rows become one by their covariances; a row that no other view has stays as it is: being
hidden is no evidence of absence. A view that fits nowhere gives no rows, but where the yaws are known, its axes all the same.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from po3d.io.errors import InputError
from po3d.scene.camera import transformed
from po3d.scene.geometry import Pose, as_tuples, rotation_z, wrap_angle
from po3d.scene.orbit import Axes
from po3d.scene.registration import EPSILON, Placed, covariance_of, register, rotation
from po3d.scene.table import ObjectState, Scene

HALF_TURN = math.pi


@dataclass(frozen=True)
class View:
    """A table of one view; `yaw`: its world's turn against the first view's (radians), None when that is not known. The
    first view's own, when it has none, is 0."""

    table: Scene
    yaw: float | None = None


@dataclass(frozen=True)
class Fused:
    """One table in the world of one of the views, and where it comes from."""

    scene: Scene
    placed: tuple[Placed | None, ...]  # how each view lies in it; None: it fits onto nothing that is there
    members: tuple[tuple[tuple[int, int], ...], ...]  # (view, row) of each object
    turns: tuple[float | None, ...]  # each view's yaw in it (radians); None: not known

    def axes(self, view: int, own: Axes) -> dict[str, tuple[float, float]]:
        """A view's axes (its table's `own`) in the fused world; InputError when nobody knows how the view is turned."""
        if self.turns[view] is None:
            raise InputError(f"view {view + 1} has nothing in common with the others")
        turn = rotation(self.turns[view])
        turned = {side: turn @ np.array(way) for side, way in own.items()}
        return {side: (float(x), float(y)) for side, (x, y) in turned.items()}


class _Grown(NamedTuple):
    """The views that fit onto `start`, directly or by way of others, and which rows are one thing."""

    start: int
    placed: list[Placed | None]
    groups: list[list[tuple[int, int]]]

    def fitting(self, views: Sequence[View]) -> int:
        """How many views are in it that show anything."""
        return sum(p is not None and len(v.table) > 0 for p, v in zip(self.placed, views))


def fuse(views: Sequence[View]) -> Fused:
    """One table of all views; InputError without any."""
    if not views:
        raise InputError("there are no views to fuse")
    yaws = [v.yaw for v in views]
    if yaws[0] is None:
        yaws[0] = 0.0
    found: list[_Grown] = []
    for start in range(len(views)):
        if not any(grown.placed[start] for grown in found):  # who fits that one fits these too
            found.append(_grown(views, yaws, start))
    best = max(found, key=lambda grown: grown.fitting(views))  # the first of equals
    return joined(views, best.placed, best.groups, best.start, _turns(yaws, best.start))


def joined(
    views: Sequence[View],
    placed: Sequence[Placed | None],
    groups: Sequence[Sequence[tuple[int, int]]],
    start: int = 0,
    turns: Sequence[float | None] = (),
) -> Fused:
    """One table of views that lie so in the world of view `start`, and of which these rows, (view, row) in groups, are one
    thing each. `turns`: the yaws of views that are not placed, where known."""
    known = [p.yaw if p else yaw for p, yaw in itertools.zip_longest(placed, turns)]
    scene = _merged(views, placed, groups, start)
    return Fused(scene, tuple(placed), tuple(tuple(g) for g in groups), tuple(known))


def _grown(views: Sequence[View], yaws: Sequence[float | None], start: int) -> _Grown:
    """All views that fit, one after another, each registered once more onto the others together."""
    turns = _turns(yaws, start)
    placed: list[Placed | None] = [None] * len(views)
    placed[start] = Placed(0.0, (0.0, 0.0), {}, 0.0)
    groups: list[list[tuple[int, int]]] = [[(start, i)] for i in range(len(views[start].table))]
    others = [k for k in range(len(views)) if k != start]
    left = list(others)
    while left:
        fused = _merged(views, placed, groups, start)
        found = {k: register(fused, views[k].table, turns[k]) for k in left}
        k = min(left, key=lambda k: found[k].cost if found[k] else 0.0)
        if found[k] is None:  # no view that is left has anything in common with the others
            break
        left.remove(k)
        placed[k] = found[k]
        _join(groups, k, found[k], len(views[k].table))
    for k in others if len(views) > 2 else ():
        if placed[k] is not None:
            rest = [[member for member in g if member[0] != k] for g in groups]
            rest = [g for g in rest if g]
            again = register(_merged(views, placed, rest, start), views[k].table, turns[k])
            if again is not None:
                groups, placed[k] = rest, again
                _join(groups, k, again, len(views[k].table))
    return _Grown(start, placed, groups)


def _turns(yaws: Sequence[float | None], start: int) -> list[float | None]:
    """Each view's turn against view `start`, where both are known."""
    first = yaws[start]
    return [None if yaw is None or first is None else yaw - first for yaw in yaws]


def _join(groups: list[list[tuple[int, int]]], view: int, placed: Placed, rows: int) -> None:
    """Add a view's rows to the groups that they match, and new groups for the others."""
    for row in range(rows):
        if row in placed.matches:
            groups[placed.matches[row]].append((view, row))
        else:
            groups.append([(view, row)])


# --- one object of several rows -----------------------------------------------------------------------------


def _merged(
    views: Sequence[View],
    placed: Sequence[Placed | None],
    groups: Sequence[Sequence[tuple[int, int]]],
    start: int,
) -> Scene:
    """The table of the groups, in the world of view `start`."""
    objects = [_one([_moved(views[v].table.objects[row], placed[v]) for v, row in group]) for group in groups]
    source = "gt" if all(v.table.source == "gt" for v in views) else "predicted"
    return replace(views[start].table, objects=tuple(objects), occluders=None, source=source)


def _moved(o: ObjectState, placed: Placed) -> ObjectState:
    """An object in the fused world; its image box belongs to its view and is dropped."""
    move = Pose(rotation_z(placed.yaw), np.array([*placed.shift, 0.0]))
    return replace(transformed(o, move, float(wrap_angle(o.heading + placed.yaw))), box=None)


def _one(rows: Sequence[ObjectState]) -> ObjectState:
    """Several sights of one thing as one row."""
    if len(rows) == 1:
        return rows[0]
    sure = all(not np.any(o.covariance) for o in rows)  # true tables: the mean is as certain as they are
    information = [np.linalg.inv(covariance_of(o)[:2, :2]) for o in rows]
    covariance = np.linalg.inv(sum(information))
    ground = covariance @ sum(w @ np.array(o.position[:2]) for w, o in zip(information, rows))
    heading, spread, flip = _heading(rows)
    whole = np.zeros((3, 3))
    if not sure:
        whole[:2, :2], whole[2, 2] = covariance, spread
    weights = np.array([np.trace(w) for w in information])
    weights = weights / weights.sum()
    extent = np.exp(weights @ np.log(np.maximum([o.extent for o in rows], 1e-6)))
    height = float(weights @ [o.position[2] for o in rows])
    names = [o.name for o in rows if o.name]
    return ObjectState(
        _beliefs(rows), (float(ground[0]), float(ground[1]), height), heading, tuple(map(float, extent)),
        as_tuples(whole), flip, 1 - float(np.prod([1 - o.existence for o in rows])), None,
        names[0] if names else "",
    )  # fmt: skip


def _heading(rows: Sequence[ObjectState]) -> tuple[float, float, float]:
    """(heading, its variance, probability that it is flipped) of one thing. Sights may be flipped: each is turned to
    the side of the surest one, and their odds of being right way round are multiplied."""
    variances = np.array([covariance_of(o)[2, 2] for o in rows])
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
    if all(o.flip == 0 for o in rows) and flip < 0.5:
        flip = 0.0
    return heading, float(1 / np.sum(1 / variances)), flip


def _beliefs(rows: Sequence[ObjectState]) -> dict[str, dict[str, float]]:
    """Products of the beliefs: the sights are taken as independent."""
    result: dict[str, dict[str, float]] = {}
    for attribute in dict.fromkeys(a for o in rows for a in o.beliefs):
        told = [o.beliefs[attribute] for o in rows if attribute in o.beliefs]
        values = list(dict.fromkeys(v for belief in told for v in belief))
        if len(values) == 1:
            result[attribute] = {values[0]: 1.0}
            continue
        logs = np.array([sum(math.log(max(b.get(v, 0.0), EPSILON)) for b in told) for v in values])
        p = np.exp(logs - logs.max())
        result[attribute] = {v: float(x) for v, x in zip(values, p / p.sum())}
    return result
