"""Figures from outcomes: accuracy with its uncertainty, RPDR, CV, and how well a scene table was perceived.

Pure functions; nothing here knows a file or a benchmark's folder.
"""

import math
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
DRAWN = 1 << 24  # numbers that are drawn at once

# --- accuracy -----------------------------------------------------------------------------------------------


class Bootstrap(NamedTuple):
    """Means of G groups, and the same on R resamplings of the clusters."""

    value: Array  # (G,)
    samples: Array  # (R, G); NaN where a resampling holds no item of the group, and where one cluster has all of them


def bootstrap(
    values: ArrayLike,
    clusters: Sequence,
    groups: Sequence,
    names: Sequence,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Bootstrap:
    """Means of `values` (n,) within each of the groups `names`, resampled by whole clusters (images): items
    on one image share its errors, so they come and go together. `clusters` and `groups` (n,) label the
    items. How clusters vary can't be told from one: then there are no samples."""
    values = np.asarray(values, float)
    if not len(values) == len(clusters) == len(groups):
        raise ValueError(f"{len(values)} values, {len(clusters)} clusters and {len(groups)} groups")
    column = {name: k for k, name in enumerate(names)}
    cluster_ids = {c: k for k, c in enumerate(dict.fromkeys(clusters))}
    row = np.array([cluster_ids[c] for c in clusters], int)
    col = np.array([column[g] for g in groups], int)
    sums, counts = np.zeros((2, len(cluster_ids), len(names)))
    np.add.at(sums, (row, col), values)
    np.add.at(counts, (row, col), 1.0)
    generator = np.random.default_rng(seed)
    c = max(len(cluster_ids), 1)
    alone = (counts > 0).sum(0) < 2  # one cluster says nothing of how clusters differ
    with np.errstate(invalid="ignore", divide="ignore"):
        # Some resamplings at a time: of thousands of clusters all of them take gigabytes.
        parts = []
        for start in range(0, resamples, rows := max(1, DRAWN // c)):
            weights = generator.multinomial(
                len(cluster_ids), np.full(c, 1 / c), size=min(rows, resamples - start)
            )
            weights = weights[:, : len(cluster_ids)]
            parts.append((weights @ sums) / (weights @ counts))
        samples = np.concatenate(parts)
        return Bootstrap(sums.sum(0) / counts.sum(0), np.where(alone, np.nan, samples))


def bootstrap_groups(
    values: Sequence[float], clusters: Sequence, groups: Mapping[str, Sequence[int]]
) -> Bootstrap:
    """`bootstrap` of groups that may share items: name -> the numbers of its items."""
    pairs = [(name, k) for name, own in groups.items() for k in own]
    items = ([given[k] for _, k in pairs] for given in (values, clusters))
    return bootstrap(*items, [name for name, _ in pairs], list(groups))


def interval(samples: ArrayLike) -> tuple[float, float]:
    """The central CONFIDENCE interval of resampled figures; NaN where there are none."""
    samples = np.asarray(samples, float)
    samples = samples[~np.isnan(samples)]
    if not len(samples):
        return math.nan, math.nan
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(samples, [tail, 1 - tail])
    return float(low), float(high)


def figure(value: float, samples: ArrayLike) -> dict[str, float]:
    """A figure and its interval as reports have them: value, ci_low, ci_high."""
    low, high = interval(samples)
    return {"value": float(value), "ci_low": low, "ci_high": high}


# --- PulseCheck457's diagnoses ------------------------------------------------------------------------------


def rpdr(accuracy: Mapping[str, float], capped: bool = False) -> dict[str, float]:
    """Relative performance dropping rate in percent, of four abilities (PulseCheck457, Sec. 3.5): what is
    left of the accuracy when a task adds the ability. `accuracy` by the benchmark's column names; NaN where a
    column lacks. `capped`: each ratio is 100 at most before two are averaged, which the paper's Table 3 follows
    and its text does not say."""

    def kept(after: str, before: str) -> float:
        a, b = accuracy.get(after, math.nan), accuracy.get(before, math.nan)
        ratio = 100 * a / b if b else math.nan
        return 100.0 if capped and ratio > 100 else ratio

    return {
        "multi_object": kept("L2-Multi-obj", "L1-Single"),
        "location_2d": kept("L3-2D-Spatial", "L2-Multi-obj"),
        "orientation_3d": (kept("L4-3D-Pose", "L3-2D-Spatial") + kept("L5-Collision", "L4-Occlusion")) / 2,
        "location_3d": (kept("L4-Occlusion", "L3-2D-Spatial") + kept("L5-6D-Spatial", "L4-3D-Pose")) / 2,
    }


def distribution(answers: Sequence[str | None], values: Sequence[str]) -> dict[str, int]:
    """How often each of `values` was given; anything else is left out."""
    counts = dict.fromkeys(values, 0)
    for answer in answers:
        if answer in counts:
            counts[answer] += 1
    return counts


def coefficient_of_variation(counts: Mapping[str, float]) -> float:
    """Standard deviation (of the population) over mean of the shares of each value (PulseCheck457, Eq. 1). 0:
    no preference; NaN without any answer."""
    shares = np.array(list(counts.values()), float)
    return float(shares.std() / shares.mean()) if shares.sum() else math.nan


def confusion(gold: Sequence[str], answers: Sequence[str | None], values: Sequence[str]) -> NDArray[np.int64]:
    """(v, v + 1) counts: rows gold, columns answered, the last column for everything that is none of
    `values`."""
    index = {value: k for k, value in enumerate(values)}
    table = np.zeros((len(values), len(values) + 1), np.int64)
    for g, a in zip(gold, answers, strict=True):
        if g in index:
            table[index[g], index.get(a, len(values))] += 1
    return table


# --- perception ---------------------------------------------------------------------------------------------

CLASS_COST = 1.0  # scene units that a wholly wrong class costs beside the distance of the centres
# Farther apart, two rows are not one object: a small vehicle is about 1.6 scene units long, a chair 0.5 metres.
MAX_DISTANCE = {"shape": 1.5, "name": 0.5}
VIEW_GATE = 0.25  # the same as a share of the distance from the camera, of tables of one view
YAW_WITHIN = {"pi/36": math.pi / 36, "pi/18": math.pi / 18, "pi/6": math.pi / 6}
OCCLUSION_STRATA = {"hidden 0-20%": (0.0, 0.2), "hidden 20-50%": (0.2, 0.5), "hidden 50-80%": (0.5, 0.8)}
# Along the optical axis; the benchmark's camera stands 10.8-11.6 units from the middle of the scene.
DISTANCE_STRATA = {"near (< 10)": (0.0, 10.0), "middle (10-12)": (10.0, 12.0), "far (> 12)": (12.0, math.inf)}


def match(predicted: Scene, gt: Scene) -> dict[int, int]:
    """Predicted row -> true row. Nothing is matched beyond MAX_DISTANCE; of the one-to-one assignments with most
    matches it is the cheapest by centre distance and class."""
    if not len(predicted) or not len(gt):
        return {}
    distance = np.linalg.norm(predicted.positions[:, None, :2] - gt.positions[None, :, :2], axis=-1)
    kind = "name" if all("name" in o.beliefs for o in (*predicted.objects, *gt.objects)) else "shape"
    if all(kind in o.beliefs for o in (*predicted.objects, *gt.objects)):
        values = VALUES[kind] if kind == "shape" else _values(kind, (predicted, gt))
        agreement = predicted.belief(kind, values) @ gt.belief(kind, values).T
    else:
        agreement = np.ones_like(distance)
    near = distance <= MAX_DISTANCE[kind]
    dearer = min(distance.shape) * (MAX_DISTANCE[kind] + CLASS_COST) + 1  # than any set of matches
    from scipy.optimize import linear_sum_assignment  # a quarter of a second to import

    rows, columns = linear_sum_assignment(np.where(near, distance + CLASS_COST * (1 - agreement), dearer))
    return {int(i): int(j) for i, j in zip(rows, columns) if near[i, j]}


def match_in_view(predicted: Scene, gt: Scene, eye: Sequence[float]) -> dict[int, int]:
    """Predicted row -> true row in tables of one view in one world: nearest together first of the right name, nothing
    beyond VIEW_GATE of the distance from `eye`, the place of the camera; (2,) on the ground or (3,) in space."""
    if not len(predicted) or not len(gt):
        return {}
    here, there = predicted.positions[:, : len(eye)], gt.positions[:, : len(eye)]
    distance = np.linalg.norm(here[:, None] - there[None], axis=-1)
    share = distance / np.maximum(np.linalg.norm(there - np.asarray(eye, float), axis=-1), 1e-9)
    names = [o.value("name") for o in gt.objects]
    said = [[o.beliefs.get("name", {}).get(name, 0.0) for name in names] for o in predicted.objects]
    cost = np.where(share <= VIEW_GATE, share - 2 * VIEW_GATE - np.array(said), 0.0)
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost)
    return {int(i): int(j) for i, j in zip(rows, columns) if cost[i, j] < 0}


def _values(attribute: str, scenes: Sequence[Scene]) -> tuple[str, ...]:
    """The values of an attribute with open words, as far as the scenes hold them."""
    return tuple(dict.fromkeys(v for scene in scenes for o in scene.objects for v in o.beliefs[attribute]))


class _Pairs(NamedTuple):
    """Matched objects of all scenes; figures of predicted against true rows."""

    yaw: Array  # radians, absolute
    position: Array  # scene units on the ground
    depth: Array  # relative
    right: dict[str, Array]  # attribute -> 1, 0, NaN where the table does not say


def perception(
    predicted: Sequence[Scene], gt: Sequence[Scene], hidden: Sequence[ArrayLike] | None = None
) -> dict[str, dict[str, float]]:
    """Figures of the predicted tables, over all objects ("all") and by stratum. `hidden`: of each scene the
    hidden share of every true object, for the strata by occlusion. Strata by distance need the true scenes'
    cameras.

    recall, precision and count_exact are shares of objects and of images; yaw and flips are of matched
    objects: a flip is a nose nearer to the opposite of the true one. Precision and count_exact are known for
    "all" alone."""
    if len(predicted) != len(gt):
        raise InputError(f"{len(predicted)} predicted scenes but {len(gt)} true ones")
    certain = [p.certain() for p in predicted]
    matches = [match(p, g) for p, g in zip(certain, gt)]
    pairs = _compare(certain, gt, matches)
    owner = [(s, j) for s, m in enumerate(matches) for j in m.values()]  # the true object of each pair
    found = {pair: k for k, pair in enumerate(owner)}
    every = [(s, j) for s, g in enumerate(gt) for j in range(len(g))]
    total = sum(map(len, certain))

    result = {"all": _figures(every, found, pairs)}
    result["all"] |= {
        "precision": len(owner) / total if total else math.nan,
        "count_exact": float(np.mean([len(p) == len(g) for p, g in zip(certain, gt)])) if gt else math.nan,
    }
    if hidden is not None:
        for name, (low, high) in OCCLUSION_STRATA.items():
            result[name] = _figures([k for k in every if low <= hidden[k[0]][k[1]] < high], found, pairs)
    if all(g.camera is not None for g in gt):
        depths = [g.camera.project(g.positions)[1] for g in gt]
        for name, (low, high) in DISTANCE_STRATA.items():
            result[name] = _figures([k for k in every if low <= depths[k[0]][k[1]] < high], found, pairs)
    return result


def _compare(predicted: Sequence[Scene], gt: Sequence[Scene], matches: Sequence[dict[int, int]]) -> _Pairs:
    yaw, position, depth = [], [], []
    told = {a for scene in predicted for o in scene.objects for a in o.beliefs}
    right: dict[str, list[float]] = {a: [] for a in dict.fromkeys((*ATTRIBUTES, *sorted(told))) if a in told}
    for p, g, m in zip(predicted, gt, matches):
        for i, j in m.items():
            a, b = p.objects[i], g.objects[j]
            yaw.append(abs(float(wrap_angle(a.heading - b.heading))))
            position.append(math.dist(a.position[:2], b.position[:2]))
            depth.append(_depth_error(p, g, a.position, b.position))
            for name in right:
                known = name in a.beliefs and name in b.beliefs
                right[name].append(float(a.value(name) == b.value(name)) if known else math.nan)
    return _Pairs(
        np.array(yaw), np.array(position), np.array(depth), {a: np.array(v) for a, v in right.items()}
    )


def _depth_error(p: Scene, g: Scene, predicted: Sequence[float], true: Sequence[float]) -> float:
    """Relative error of the depth, each along its own scene's optical axis."""
    if g.camera is None:
        return math.nan
    z = g.camera.project(true)[1]
    return float(abs((p.camera or g.camera).project(predicted)[1] - z) / z)


def _figures(
    objects: Sequence[tuple[int, int]], found: Mapping[tuple[int, int], int], pairs: _Pairs
) -> dict[str, float]:
    rows = np.array([found[k] for k in objects if k in found], int)
    yaw = pairs.yaw[rows]
    return {
        "n": len(objects),
        "recall": len(rows) / len(objects) if objects else math.nan,
        "yaw_median_deg": math.degrees(_median(yaw)),
        **{f"yaw_within_{name}": _mean(yaw <= limit) for name, limit in YAW_WITHIN.items()},
        "flip_rate": _mean(yaw > math.pi / 2),
        "position_median": _median(pairs.position[rows]),
        "depth_relative_median": _median(pairs.depth[rows]),
        **{name: _mean(values[rows]) for name, values in pairs.right.items()},
    }


def _mean(values: ArrayLike) -> float:
    values = np.asarray(values, float)
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else math.nan


def _median(values: Array) -> float:
    values = values[~np.isnan(values)]
    return float(np.median(values)) if len(values) else math.nan
