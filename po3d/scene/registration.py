"""Register two scene tables of one scene: matching rows and the relative pose.

Tables are level (gravity is known), so the relative pose is a rotation about the vertical and a
shift on the ground. A match is scored by category, attributes, size and heading (as
distributions) and by position (with its covariance). Rows outside the gate are never matched, so
two equal objects at different positions stay two.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.table import ObjectState, Scene

GATE = 16.0  # squared Mahalanobis distance on the ground: 99.97 % of true matches are below
AGREE = 0.005  # minimum likeness of two matched rows
# metres: minimum standard deviation of a position, also for ground truth with zero covariance
FLOOR = 0.02
TURN_FLOOR = math.radians(4)  # minimum standard deviation of a heading
LOOSE = 0.7  # fraction of an object's size: gate while the shift is estimated from one pair only
SIZE_SIGMA = 0.35  # standard deviation of the log size ratio of one object in two tables
ROUNDS = 4
STARTS = 6  # number of initial estimates that are refined
STRETCH = 0.35  # maximum relative difference of a distance between two objects in two tables
# cost of a reversed heading, and of any other: symmetric objects may have any heading
FLIPPED, ANY_HEADING = 3.0, 6.0
EPSILON = 1e-3  # lower bound of an attribute probability


class RegisteredView(NamedTuple):
    """Pose of a table in the reference's world, x_ref = turn(yaw) x + shift, with the matches."""

    yaw: float  # radians
    shift: tuple[float, float]
    matches: dict[int, int]  # row of the table -> row of the reference
    cost: float  # sum over the matches, lower is better; unmatched rows contribute 0

    def points(self, ground: Array) -> Array:
        """Map (n, 2) ground points of the table into the reference's world."""
        return ground @ rotation(self.yaw).T + np.array(self.shift)


def rotation(yaw: float | Array) -> Array:
    """Return (2, 2, ...) rotations on the ground, counter-clockwise from above."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s], [s, c]])


def covariance_of(o: ObjectState) -> Array:
    """Return the (3, 3) covariance of (x, y, heading), plus the noise floor."""
    return np.array(o.covariance, float) + np.diag([FLOOR**2, FLOOR**2, TURN_FLOOR**2])


def likeness(reference: Scene, table: Scene) -> Array:
    """Return (n_ref, n) likeness of two rows by category, attributes and size, in [0, 1]."""
    result = np.zeros((len(reference), len(table)))
    for i, a in enumerate(reference.objects):
        for j, b in enumerate(table.objects):
            agree = 1.0
            for attribute in a.beliefs.keys() & b.beliefs.keys():
                agree *= _agreement(a.beliefs[attribute], b.beliefs[attribute])
            grown = np.log(np.maximum(a.extent, 1e-3)) - np.log(np.maximum(b.extent, 1e-3))
            result[i, j] = agree * math.exp(-0.5 * float(np.mean(grown**2)) / SIZE_SIGMA**2)
    return result


def _agreement(p: Mapping[str, float], q: Mapping[str, float]) -> float:
    """Return the cosine similarity of two distributions: 1 if equal, 0 if disjoint.

    Two equal distributions agree fully even if both are uncertain.
    """
    together = sum(p[v] * q[v] for v in p.keys() & q.keys())
    return together / math.sqrt(_squares(p) * _squares(q))


def _squares(p: Mapping[str, float]) -> float:
    return sum(x * x for x in p.values())


def register(reference: Scene, table: Scene, yaw: float | None = None) -> RegisteredView | None:
    """Return the pose of `table` in the reference's world; None without any match.

    `yaw` is the relative yaw if known; None: it is estimated too.
    """
    pair = _Tables(reference, table)
    best: RegisteredView | None = None
    for start in pair.promising(*pair.starts(yaw)):
        candidate = pair.settled(*start, fixed=yaw is not None)
        if candidate is not None and (best is None or candidate.cost < best.cost - 1e-9):
            best = candidate
    return best


class _Tables:
    """Two tables as arrays: rows of the reference are indexed by i, rows of the table by j."""

    def __init__(self, reference: Scene, table: Scene) -> None:
        self.alike = likeness(reference, table)
        self.here, self.there = reference.positions[:, :2], table.positions[:, :2]
        self.headings = reference.headings[:, None] - table.headings[None]
        covariances = []
        for t in (reference, table):
            covariances.append(np.array(list(map(covariance_of, t.objects))).reshape(-1, 3, 3))
        self.own = [c[:, :2, :2] for c in covariances]
        self.turning = covariances[0][:, None, 2, 2] + covariances[1][None, :, 2, 2]
        narrowest = reference.extents[:, :2].min(axis=1) if len(reference) else np.zeros(0)
        self.slack = (LOOSE * narrowest)[:, None] ** 2 + np.zeros(len(table))
        self.liked = self.alike > AGREE
        # cost of an uncertain match
        self.unlike = -0.5 * np.log(np.where(self.liked, self.alike, 1.0))

    def starts(self, yaw: float | None) -> tuple[Array, Array]:
        """Return initial yaws (s,) and shifts (s, 2).

        One per pair of rows that may match, or per two such pairs if the yaw is unknown.
        """
        i, j = np.nonzero(self.liked)
        if yaw is None and len(i) > 1:
            k, l = np.triu_indices(len(i), 1)
            distinct = (i[k] != i[l]) & (j[k] != j[l])
            k, l = k[distinct], l[distinct]
            a, b = self.here[i[l]] - self.here[i[k]], self.there[j[l]] - self.there[j[k]]
            la, lb = np.hypot(*a.T), np.hypot(*b.T)
            fit = (np.minimum(la, lb) > 1e-6) & (np.abs(la - lb) <= STRETCH * np.maximum(la, lb))
            if fit.any():
                yaws = (np.arctan2(a[:, 1], a[:, 0]) - np.arctan2(b[:, 1], b[:, 0]))[fit]
                middles = (
                    (self.here[i[k]] + self.here[i[l]])[fit] / 2,
                    (self.there[j[k]] + self.there[j[l]])[fit] / 2,
                )
                return yaws, middles[0] - _turned(yaws, middles[1])
        # With one object only, its heading determines the yaw.
        yaws = self.headings[i, j] if yaw is None else np.full(len(i), yaw)
        return yaws, self.here[i] - _turned(yaws, self.there[j])

    def promising(self, yaws: Array, shifts: Array) -> list[tuple[float, Array]]:
        """Return the STARTS initial estimates that bring most rows near a similar row."""
        if not len(yaws):
            return []
        moved = np.einsum("sab,jb->sja", np.moveaxis(rotation(yaws), -1, 0), self.there)
        moved = moved + shifts[:, None]
        square = ((self.here[None, :, None] - moved[:, None]) ** 2).sum(-1)
        traces = [np.trace(c, axis1=1, axis2=2) for c in self.own]
        room = traces[0][:, None] + traces[1][None] + self.slack
        cost = np.where(self.liked, 0.5 * (square / room - GATE) + self.unlike, 0.0).clip(max=0.0)
        score = cost.min(axis=1).sum(axis=1)
        order = np.argsort(score, kind="stable")[:STARTS]
        return [(float(yaws[k]), shifts[k]) for k in order]

    def settled(self, yaw: float, shift: Array, fixed: bool) -> RegisteredView | None:
        """Alternate matching and pose estimation until the matches no longer change."""
        # imported here: importing scipy.optimize takes 0.25 s
        from scipy.optimize import linear_sum_assignment

        matches: dict[int, int] = {}
        loose = np.zeros((2, 2))  # covariance of the shift
        for count in range(ROUNDS):
            cost = self.cost(yaw, shift, loose, self.slack if count == 0 else 0.0)
            rows, columns = linear_sum_assignment(cost)
            pairs = {int(j): int(i) for i, j in zip(rows, columns) if cost[i, j] < 0}
            if not pairs:
                return None
            if pairs == matches and count > 1:
                break
            matches = pairs
            yaw, shift, loose = self.moved(matches, yaw, fixed)
        total = float(sum(cost[i, j] for j, i in matches.items()))
        return RegisteredView(float(wrap_angle(yaw)), tuple(shift.tolist()), matches, total)

    def cost(self, yaw: float, shift: Array, loose: Array, slack: Array | float) -> Array:
        """Return (n_ref, n) costs (negative log odds of a match); 0 outside the gate."""
        turn = rotation(yaw)
        d = self.here[:, None] - (self.there @ turn.T + shift)[None]
        both = self.own[0][:, None] + (turn @ self.own[1] @ turn.T)[None] + loose
        xx, yy, xy = both[..., 0, 0] + slack, both[..., 1, 1] + slack, both[..., 0, 1]
        square = yy * d[..., 0] ** 2 + xx * d[..., 1] ** 2 - 2 * xy * d[..., 0] * d[..., 1]
        square = square / (xx * yy - xy**2)
        off = np.abs(wrap_angle(self.headings - yaw))
        # A reversed heading costs FLIPPED instead of its deviation: front and back are confused.
        heading = np.minimum(off**2 / self.turning, (np.pi - off) ** 2 / self.turning + FLIPPED)
        heading = heading.clip(max=ANY_HEADING)
        cost = 0.5 * (square - GATE) + 0.5 * (heading - ANY_HEADING) + self.unlike
        return np.where(self.liked & (square <= GATE), cost, 0.0).clip(max=0.0)

    def moved(self, matches: dict[int, int], yaw: float, fixed: bool) -> tuple[float, Array, Array]:
        """Return the yaw and shift that align the matched rows, and the covariance of the shift.

        Least squares, each pair weighted by its information matrix.
        """
        i, j = np.array(list(matches.values())), np.array(list(matches))
        fixed = fixed or len(i) < 2
        for _ in range(1 if fixed else ROUNDS):
            turn = rotation(yaw)
            slope = np.array([[-math.sin(yaw), -math.cos(yaw)], [math.cos(yaw), -math.sin(yaw)]])
            weights = np.linalg.inv(self.own[0][i] + turn @ self.own[1][j] @ turn.T)
            # with respect to shift x, shift y, yaw
            shifts = np.broadcast_to(np.eye(2), (len(i), 2, 2))
            jacobians = np.concatenate([shifts, (self.there[j] @ slope.T)[..., None]], axis=-1)
            normal = np.einsum("kab,kac,kcd->bd", jacobians, weights, jacobians)
            off = self.here[i] - self.there[j] @ turn.T
            right = np.einsum("kab,kac,kc->b", jacobians, weights, off)
            if fixed:
                ground = normal[:2, :2]
                return yaw, np.linalg.solve(ground, right[:2]), np.linalg.inv(ground)
            step = np.linalg.solve(normal + 1e-12 * np.eye(3), right)
            yaw, shift = yaw + float(step[2]), step[:2]
        return yaw, shift, np.linalg.inv(normal + 1e-12 * np.eye(3))[:2, :2]


def _turned(yaws: Array, points: Array) -> Array:
    """Return (s, 2) points, each rotated by its own yaw."""
    return np.einsum("abs,sb->sa", rotation(yaws), points)
