"""Metrics of answers and scenes: accuracy with bootstrap intervals, the relative performance
dropping rate (RPDR) and the coefficient of variation (CV) of PulseCheck457, and errors of predicted
scenes.
"""

import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from po3d.io.errors import InputError
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.table import Scene
from po3d.scene.vocabulary import ATTRIBUTES, VALUES

RESAMPLES = 1000
CONFIDENCE = 0.95
RESAMPLES_AT_ONCE = 1 << 24  # maximum number of multinomial counts drawn at once

# --- accuracy -------------------------------------------------------------------------------------


class Bootstrap(NamedTuple):
    """Means of G groups, and the means on R bootstrap resamples of the clusters."""

    value: Array  # (G,)
    # (R, G); NaN where a resample holds no item of the group, or where all its items are in one
    # cluster
    samples: Array


def bootstrap(
    values: ArrayLike,
    clusters: Sequence,
    groups: Sequence,
    names: Sequence,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Bootstrap:
    """Bootstrap the mean of `values` (n,) within each of the groups `names`.

    Whole clusters (images) are resampled, because items on one image share its errors. `clusters`
    and `groups` (n,) label the items. With a single cluster the between-cluster variance cannot be
    estimated: the samples of such a group are NaN.
    """
    values = np.asarray(values, float)
    if not len(values) == len(clusters) == len(groups):
        sizes = f"{len(values)} values, {len(clusters)} clusters and {len(groups)} groups"
        raise ValueError(f"{sizes}; expected equal numbers")
    column = dict(zip(names, range(len(names))))
    cluster_ids: dict = {}
    row, col = np.zeros((2, len(values)), int)
    for k, (cluster, group) in enumerate(zip(clusters, groups)):
        row[k], col[k] = cluster_ids.setdefault(cluster, len(cluster_ids)), column[group]
    sums, counts = np.zeros((2, len(cluster_ids), len(names)))
    np.add.at(sums, (row, col), values)
    np.add.at(counts, (row, col), 1.0)
    generator = np.random.default_rng(seed)
    c = max(len(cluster_ids), 1)
    alone = (counts > 0).sum(0) < 2  # between-cluster variance is undefined for one cluster
    with np.errstate(invalid="ignore", divide="ignore"):
        # Resample in blocks: with thousands of clusters, all weights at once take gigabytes.
        parts = []
        for start in range(0, resamples, rows := max(1, RESAMPLES_AT_ONCE // c)):
            size = min(rows, resamples - start)
            weights = generator.multinomial(len(cluster_ids), np.full(c, 1 / c), size=size)
            weights = weights[:, : len(cluster_ids)]
            parts.append((weights @ sums) / (weights @ counts))
        samples = np.concatenate(parts)
        return Bootstrap(sums.sum(0) / counts.sum(0), np.where(alone, np.nan, samples))


def bootstrap_groups(
    values: ArrayLike, clusters: Sequence, groups: Mapping[str, Sequence[int]]
) -> Bootstrap:
    """Call `bootstrap` for groups that may share items; `groups`: name -> indices of its items."""
    rows, names, clusters_of = [], [], []
    for name, members in groups.items():
        for k in members:
            rows.append(k)
            names.append(name)
            clusters_of.append(clusters[k])
    return bootstrap(np.asarray(values, float)[rows], clusters_of, names, list(groups))


def interval(samples: ArrayLike) -> tuple[float, float]:
    """Return the central CONFIDENCE interval of bootstrap samples, ignoring NaN; (NaN, NaN) if none
    are left."""
    samples = np.asarray(samples, float)
    samples = samples[~np.isnan(samples)]
    if not len(samples):
        return math.nan, math.nan
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    return float(low), float(high)


def figure(value: float, samples: ArrayLike) -> dict[str, float]:
    """Return a value with its interval as stored in reports: value, ci_low, ci_high."""
    low, high = interval(samples)
    return {"value": float(value), "ci_low": low, "ci_high": high}


# --- PulseCheck457's diagnoses --------------------------------------------------------------------


def rpdr(accuracy: Mapping[str, float], capped: bool = False) -> dict[str, float]:
    """Compute the relative performance dropping rate (RPDR) in percent for four abilities
    (PulseCheck457, Sec. 3.5): the accuracy that is retained when a task adds the ability.

    `accuracy` is keyed by the benchmark's column names; a missing column gives NaN. With `capped`,
    each ratio is limited to 100 before two are averaged: the paper's Table 3 follows this rule, its
    text does not state it.
    """

    def retained(after: str, before: str) -> float:
        a, b = accuracy.get(after, math.nan), accuracy.get(before, math.nan)
        ratio = 100 * a / b if b else math.nan
        return 100.0 if capped and ratio > 100 else ratio

    pose = retained("L4-3D-Pose", "L3-2D-Spatial"), retained("L5-Collision", "L4-Occlusion")
    place = retained("L4-Occlusion", "L3-2D-Spatial"), retained("L5-6D-Spatial", "L4-3D-Pose")
    return {
        "multi_object": retained("L2-Multi-obj", "L1-Single"),
        "location_2d": retained("L3-2D-Spatial", "L2-Multi-obj"),
        "orientation_3d": sum(pose) / 2,
        "location_3d": sum(place) / 2,
    }


def distribution(answers: Sequence[str | None], values: Sequence[str]) -> dict[str, int]:
    """Count the occurrences of each of `values`; other answers are ignored."""
    counts = dict.fromkeys(values, 0)
    for answer in answers:
        if answer in counts:
            counts[answer] += 1
    return counts


def coefficient_of_variation(counts: Mapping[str, float]) -> float:
    """Compute the coefficient of variation over the values: population standard deviation over mean
    of their shares (PulseCheck457, Eq. 1). 0 means no preference; NaN without any answer."""
    shares = np.array(list(counts.values()), float)
    return float(shares.std() / shares.mean()) if shares.sum() else math.nan


def confusion(
    gold: Sequence[str], answers: Sequence[str | None], values: Sequence[str]
) -> NDArray[np.int64]:
    """Return the confusion matrix (v, v + 1): rows ground truth, columns predictions; the last
    column counts answers outside `values`."""
    index = dict(zip(values, range(len(values))))
    table = np.zeros((len(values), len(values) + 1), np.int64)
    for g, a in zip(gold, answers, strict=True):
        if g in index:
            table[index[g], index.get(a, len(values))] += 1
    return table


# --- perception -----------------------------------------------------------------------------------

CLASS_COST = 1.0  # in scene units: cost of a completely wrong class, added to the centre distance
# Rows farther apart than this are not matched: a small vehicle is about 1.6 scene units long, a
# chair 0.5 metres.
MAX_DISTANCE = {"shape": 1.5, "name": 0.5}
VIEW_GATE = 0.25  # matching radius relative to the distance from the camera, for scenes of one view
YAW_WITHIN = {"pi/36": math.pi / 36, "pi/18": math.pi / 18, "pi/6": math.pi / 6}
OCCLUSION_STRATA = {
    "hidden 0-20%": (0.0, 0.2),
    "hidden 20-50%": (0.2, 0.5),
    "hidden 50-80%": (0.5, 0.8),
}
# Depth along the optical axis; the benchmark's camera is 10.8-11.6 units from the scene centre.
DISTANCE_STRATA = {
    "near (< 10)": (0.0, 10.0),
    "middle (10-12)": (10.0, 12.0),
    "far (> 12)": (12.0, math.inf),
}


def match(predicted: Scene, gt: Scene) -> dict[int, int]:
    """Match predicted to ground-truth rows: {predicted row: true row}.

    Pairs beyond MAX_DISTANCE are excluded. Among the one-to-one assignments with the most pairs,
    the one with the smallest sum of centre distance and class cost is returned.
    """
    if not len(predicted) or not len(gt):
        return {}
    distance = np.linalg.norm(predicted.positions[:, None, :2] - gt.positions[None, :, :2], axis=-1)
    beliefs = [o.beliefs for o in (*predicted.objects, *gt.objects)]
    kind = "name" if all("name" in belief for belief in beliefs) else "shape"
    agreement = np.ones_like(distance)
    if all(kind in belief for belief in beliefs):
        values = VALUES.get(kind)
        if values is None:  # an open vocabulary
            known: dict[str, float] = {}
            for belief in beliefs:
                known |= belief[kind]
            values = tuple(known)
        agreement = predicted.belief(kind, values) @ gt.belief(kind, values).T
    near = distance <= MAX_DISTANCE[kind]
    # costs more than any set of valid pairs, so the number of pairs is maximised first
    dearer = min(distance.shape) * (MAX_DISTANCE[kind] + CLASS_COST) + 1
    from scipy.optimize import linear_sum_assignment  # a quarter of a second to import

    cost = np.where(near, distance + CLASS_COST * (1 - agreement), dearer)
    rows, columns = linear_sum_assignment(cost)
    return dict(zip(rows[near[rows, columns]].tolist(), columns[near[rows, columns]].tolist()))


def match_in_view(predicted: Scene, gt: Scene, eye: Sequence[float]) -> dict[int, int]:
    """Match predicted to ground-truth rows in scenes of one view and one world frame: {predicted
    row: true row}.

    Pairs farther apart than VIEW_GATE times the distance from the camera are excluded; agreement of
    the names counts before distance. `eye` is the camera position, (2,) on the ground or (3,).
    """
    if not len(predicted) or not len(gt):
        return {}
    here, there = predicted.positions[:, : len(eye)], gt.positions[:, : len(eye)]
    distance = np.linalg.norm(here[:, None] - there[None], axis=-1)
    share = distance / np.maximum(np.linalg.norm(there - np.asarray(eye, float), axis=-1), 1e-9)
    names = gt.names
    agreement = np.zeros_like(share)
    for row, o in zip(agreement, predicted.objects, strict=True):
        belief = o.beliefs.get("name", {})
        row[:] = [belief.get(name, 0.0) for name in names]
    cost = np.where(share <= VIEW_GATE, share - 2 * VIEW_GATE - agreement, 0.0)
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost)
    near = cost[rows, columns] < 0
    return dict(zip(rows[near].tolist(), columns[near].tolist()))


def perception(
    predicted: Sequence[Scene], gt: Sequence[Scene], hidden: Sequence[ArrayLike] | None = None
) -> dict[str, dict[str, float]]:
    """Compute perception metrics of the predicted scenes, over all objects ("all") and by stratum.

    `hidden` gives, per scene, the occluded fraction of each true object, for the occlusion strata.
    Distance strata need the true scenes' cameras.

    "recall" and "precision" are fractions of objects, "count_exact" of images; yaw errors and flips
    are computed on matched objects, where a flip is a yaw error above 90 degrees. "precision" and
    "count_exact" are given for "all" only.
    """
    if len(predicted) != len(gt):
        raise InputError(f"{len(predicted)} predicted scenes but {len(gt)} true ones")
    certain = [p.certain() for p in predicted]
    matches = list(map(match, certain, gt))
    errors = _errors(certain, gt, matches)
    matched: dict[tuple[int, int], int] = {}  # true object (scene, row) -> number of its pair
    every = []
    for s, pairs in enumerate(matches):
        for j in pairs.values():
            matched[s, j] = len(matched)
        every += zip(itertools.repeat(s), range(len(gt[s])))
    total = sum(map(len, certain))

    result = {"all": _figures(every, matched, errors)}
    exact = list(map(operator.eq, map(len, certain), map(len, gt)))
    result["all"]["precision"] = len(matched) / total if total else math.nan
    result["all"]["count_exact"] = float(np.mean(exact)) if gt else math.nan
    strata = [] if hidden is None else [(OCCLUSION_STRATA, hidden)]
    if all(g.camera is not None for g in gt):
        strata.append((DISTANCE_STRATA, [g.camera.project(g.positions)[1] for g in gt]))
    for limits, values in strata:
        for name, (low, high) in limits.items():
            objects = [(s, j) for s, j in every if low <= values[s][j] < high]
            result[name] = _figures(objects, matched, errors)
    return result


def _errors(
    predicted: Sequence[Scene], gt: Sequence[Scene], matches: Sequence[dict[int, int]]
) -> dict[str, Array]:
    """Return the errors of the matched objects of all scenes: "yaw" (absolute, radians), "position"
    (on the ground plane, scene units), relative "depth"; and for each attribute 1 correct, 0 wrong,
    NaN where either scene lacks it."""
    attributes: set[str] = set()
    for scene in predicted:
        attributes.update(*[o.beliefs for o in scene.objects])
    names = [*filter(attributes.__contains__, ATTRIBUTES), *sorted(attributes - set(ATTRIBUTES))]
    rows = []
    for p, g, pairs in zip(predicted, gt, matches):
        for i, j in pairs.items():
            a, b = p.objects[i], g.objects[j]
            yaw = abs(float(wrap_angle(a.heading - b.heading)))
            position = math.dist(a.position[:2], b.position[:2])
            row = [yaw, position, _depth_error(p, g, a.position, b.position)]
            for name in names:
                known = name in a.beliefs and name in b.beliefs
                row.append(float(a.value(name) == b.value(name)) if known else math.nan)
            rows.append(row)
    columns = np.array(rows, float).reshape(-1, 3 + len(names)).T
    return dict(zip(("yaw", "position", "depth", *names), columns))


def _depth_error(p: Scene, g: Scene, predicted: Sequence[float], true: Sequence[float]) -> float:
    """Return the relative depth error; each depth is along its own scene's optical axis."""
    if g.camera is None:
        return math.nan
    z = g.camera.project(true)[1]
    return float(abs((p.camera or g.camera).project(predicted)[1] - z) / z)


def _figures(
    objects: Sequence[tuple[int, int]],
    matched: Mapping[tuple[int, int], int],
    errors: Mapping[str, Array],
) -> dict[str, float]:
    rows = [matched[k] for k in objects if k in matched]
    of = {name: values[np.array(rows, int)] for name, values in errors.items()}
    yaw, position, depth = of.pop("yaw"), of.pop("position"), of.pop("depth")
    return {
        "n": len(objects),
        "recall": len(rows) / len(objects) if objects else math.nan,
        "yaw_median_deg": math.degrees(_median(yaw)),
        **{f"yaw_within_{name}": _mean(yaw <= limit) for name, limit in YAW_WITHIN.items()},
        "flip_rate": _mean(yaw > math.pi / 2),
        "position_median": _median(position),
        "depth_relative_median": _median(depth),
        **dict(zip(of, map(_mean, of.values()))),
    }


def _mean(values: ArrayLike) -> float:
    values = np.asarray(values, float)
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else math.nan


def _median(values: Array) -> float:
    values = values[~np.isnan(values)]
    return float(np.median(values)) if len(values) else math.nan
