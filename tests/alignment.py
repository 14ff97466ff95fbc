"""How far a table is from another one, whatever their worlds' axes."""

import math

import numpy as np

from po3d.scene.geometry import Array
from po3d.scene.registration import rotation
from po3d.scene.table import Scene


def position_error(predicted: Scene, true: Scene, matches: dict[int, int]) -> Array:
    """(k,) ground distances of the matched rows (predicted -> true) after the best turn and shift: a table's world is
    its own, so only what it says of things among themselves can be wrong."""
    here = np.array([predicted.objects[i].position[:2] for i in matches])
    there = np.array([true.objects[j].position[:2] for j in matches.values()])
    if len(here) < 2:
        return np.zeros(len(here))
    a, b = here - here.mean(0), there - there.mean(0)
    yaw = math.atan2(float(np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])), float(np.sum(a * b)))
    return np.hypot(*(a @ rotation(yaw).T - b).T)
