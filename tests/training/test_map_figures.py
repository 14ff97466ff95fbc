"""Figures and calibration of the top-view estimator: what a known error measures as, second
detections.
"""

from dataclasses import replace

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.perception.top_view import ATTRIBUTES
from po3d.scene.frames import axes_from_front
from po3d.scene.table import ObjectState, Scene, sure
from po3d.training.map_figures import figures, fitted, strongest_first, table


def room(seed: int) -> Scene:
    """A bed, a desk, a lamp and a mirror, two metres apart."""
    r = rng(seed, "map-figures")
    states = []
    for k, name in enumerate(("bed", "desk", "lamp", "mirror")):
        looks = sure(name=name, color="red", material="wooden")
        states.append(
            ObjectState(looks, (2.0 * k, 1.0, 0.5), float(r.uniform(-3, 3)), (0.5, 0.6, 0.7))
        )
    return Scene(tuple(states), axes_from_front((0.0, 1.0)), "gt")


def pair(true: Scene, predicted: Scene) -> tuple:
    log_p = {}
    for a, values in ATTRIBUTES.items():
        rows = [[o.beliefs[a].get(v, 1e-9) for v in values] for o in predicted.objects]
        log_p[a] = np.log(np.array(rows))
    return predicted, true, log_p


def test_known_errors_measure_as_what_they_are():
    true = room(1)
    bed, desk, lamp, mirror = true.objects
    wrong = replace(desk, beliefs=sure(name="table", color="red", material="metal"))
    turned = replace(bed, heading=bed.heading + 3.0)
    doubtful = replace(mirror, existence=0.4)
    result = [pair(true, replace(true, objects=(turned, wrong, lamp, doubtful)))]
    reply = figures(result)
    assert reply["all"]["things"] == 4
    assert reply["all"]["recall"] == pytest.approx(3 / 4)
    assert reply["all"]["precision"] == 1
    assert reply["all"]["count_exact"] == 0
    assert reply["all"]["name"] == pytest.approx(2 / 3)
    assert reply["all"]["material"] == pytest.approx(2 / 3)
    assert reply["all"]["turned"] == pytest.approx(1 / 3)
    assert reply["wall"]["recall"] == 0
    assert reply["top"]["recall"] == 1
    assert "| wall | 1 | 0.0 |" in table(result)


def test_a_second_detection_of_a_thing_is_none():
    true = room(2)
    bed = true.objects[0]
    nearer = replace(bed, existence=0.3)
    farther = replace(bed, existence=0.9, position=(0.2, 1.0, 0.5))
    assert strongest_first(replace(true, objects=(nearer, farther)), true) == {1: 0}
    assert strongest_first(replace(true, objects=()), true) == {}


def test_calibration_finds_what_detections_are_worth():
    """Centres that say 0.2 are things half of the time: an existence of a half after the
    calibration.
    """
    result = []
    for k in range(40):
        true = room(k)
        bed, desk, lamp, mirror = true.objects
        doubtful = replace(
            lamp if k % 2 else replace(lamp, position=(50.0, 50.0, 0.5)), existence=0.2
        )
        clear = [replace(o, existence=0.9) for o in (bed, desk, mirror)]
        nothing = replace(bed, position=(-50.0, 0.0, 0.5), existence=0.02)
        result.append(pair(true, replace(true, objects=(*clear, doubtful, nothing))))
    calibration = fitted(result)
    odds = calibration["slope"] * np.log(0.2 / 0.8) + calibration["offset"]
    assert 1 / (1 + np.exp(-odds)) == pytest.approx(0.5, abs=0.1)
    assert calibration["temperature"] < 1  # every word is right
