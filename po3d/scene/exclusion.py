"""Mutual exclusion of overlapping objects: merge two detections of one object into one row.

Two rows whose footprints overlap by more than a limit cannot both exist. Given the independent
existence probabilities e_i and e_j, the posterior without "both" is

    P(only i) = e_i (1 - e_j) / (1 - e_i e_j)        P(only j) = e_j (1 - e_i) / (1 - e_i e_j)

The pair is merged into one row: its existence probability is the sum of both, its attribute and
flip probabilities are averaged with these weights, and its pose is that of the more probable row.
Its box is that of the more probable row, too; or the union of both boxes if both rows are likely,
which are then often parts of one object, such as the cab and the bed of a truck.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

from po3d.scene.edits import footprint
from po3d.scene.rectangles import overlap
from po3d.scene.table import ObjectState, Scene

MIN_DOUBT = 1e-6  # keeps the shares defined for two rows that both exist with probability 1
LIKELY = 0.5  # existence probability of both rows from which their boxes are united


def merge_overlapping(scene: Scene, limit: float) -> Scene:
    """Return the scene without pairs whose footprints share more than `limit` of the smaller one.

    The most strongly overlapping pair is merged first, until no pair exceeds the limit.
    """
    while True:
        pair = _strongest_overlap(scene, limit)
        if pair is None:
            return scene
        scene = _merge(scene, *pair)


def overlap_share(a: ObjectState, b: ObjectState) -> float:
    """Return the shared area of two footprints over the area of the smaller one, in [0, 1]."""
    first, second = footprint(a), footprint(b)
    smaller = 4 * min(first.a * first.b, second.a * second.b)
    return overlap(first, second) / smaller if smaller > 0 else 0.0


def exclusive_shares(first: float, second: float) -> tuple[float, float]:
    """Return P(only the first) and P(only the second) of two rows that cannot both exist."""
    first, second = (min(p, 1 - MIN_DOUBT) for p in (first, second))
    both = first * second
    return first * (1 - second) / (1 - both), second * (1 - first) / (1 - both)


def _strongest_overlap(scene: Scene, limit: float) -> tuple[int, int] | None:
    best, strongest = None, limit
    for i, a in enumerate(scene.objects):
        for j in range(i):
            share = overlap_share(a, scene.objects[j])
            if share > strongest:
                best, strongest = (j, i), share
    return best


def _merge(scene: Scene, i: int, j: int) -> Scene:
    """Return the scene with rows i and j merged at the pose of the more probable one."""
    if scene.objects[j].existence > scene.objects[i].existence:
        i, j = j, i
    keep, drop = scene.objects[i], scene.objects[j]
    p_keep, p_drop = exclusive_shares(keep.existence, drop.existence)
    weight = p_drop / (p_keep + p_drop) if p_keep + p_drop > 0 else 0.0
    # Flip probabilities are relative to a row's own heading; refer both to that of `keep`.
    opposite = math.cos(keep.heading - drop.heading) < 0
    drop_flip = 1 - drop.flip if opposite else drop.flip
    beliefs = {}
    for attribute, belief in keep.beliefs.items():
        beliefs[attribute] = _mixed(belief, drop.beliefs.get(attribute, belief), weight)
    box = keep.box
    if box and drop.box and min(keep.existence, drop.existence) >= LIKELY:
        low, high = zip(box[:2], drop.box[:2]), zip(box[2:], drop.box[2:])
        box = (*map(min, low), *map(max, high))
    row = replace(
        keep,
        beliefs=beliefs,
        box=box,
        existence=p_keep + p_drop,
        flip=(1 - weight) * keep.flip + weight * drop_flip,
    )
    objects = list(scene.objects)
    objects[i] = row
    occluders = scene.occluders
    if occluders is not None:
        moved = []
        for k, belief in enumerate(occluders):
            belief = dict(belief)
            hidden_by_drop = belief.pop(j, 0.0)
            if hidden_by_drop and k != i:
                belief[i] = min(1.0, belief.get(i, 0.0) + hidden_by_drop)
            moved.append(belief)
        occluders = tuple(moved)
    scene = replace(scene, objects=tuple(objects), occluders=occluders)
    return scene.subset([k for k in range(len(objects)) if k != j])


def _mixed(
    first: Mapping[str, float], second: Mapping[str, float], weight: float
) -> dict[str, float]:
    """Return (1 - weight) first + weight second."""
    values = {value: (1 - weight) * p for value, p in first.items()}
    for value, p in second.items():
        values[value] = values.get(value, 0.0) + weight * p
    return values
