"""Calibration finds the temperature and the covariance scale that made the beliefs wrong."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.street import AXES, extent
from po3d.scene.table import ObjectState, Scene, sure
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.training import beliefs, calibrate, view_figures
from po3d.training.calibrate import fitted


def test_known_temperature_and_covariance_are_recovered():
    r = rng(0, "calibrate-test")
    predicted, gt = [], []
    for _ in range(60):
        true, visible = [], []
        for k in range(5):
            beliefs, labels = {}, {}
            for attribute, values in ATTRIBUTES.items():
                logits = r.normal(0, 1.5, len(values))
                p = np.exp(logits) / np.exp(logits).sum()
                labels[attribute] = values[r.choice(len(values), p=p)]  # the logits are right ...
                hot = np.exp(2 * logits)  # ... but the prediction is twice too sure
                beliefs[attribute] = dict(zip(values, (hot / hot.sum()).tolist()))
            position = np.array([6.0 * k - 12, r.uniform(-1, 1), 0.2])
            state = ObjectState(
                sure(**labels), tuple(position), 0.5, tuple(extent("sedan", "large"))
            )
            sd = np.array([0.1, 0.05, 0.02])
            error = r.normal(0, 2 * sd)  # errors are twice what the covariance says
            true.append(state)
            visible.append(
                replace(
                    state,
                    beliefs=beliefs,
                    position=(*(position[:2] + error[:2]), 0.2),
                    heading=0.5 + error[2],
                    covariance=tuple(map(tuple, np.diag(sd**2))),
                )
            )
        gt.append(Scene(tuple(true), AXES, "gt"))
        predicted.append(Scene(tuple(visible), AXES, "predicted"))
    calibration = fitted(predicted, gt)
    assert 1.7 < calibration["temperature"] < 2.3
    assert 3.2 < calibration["covariance"] < 4.8


def test_beliefs_are_fitted_on_validation_alone(tmp_path):
    with pytest.raises(
        InputError, match="is from the split 'test'; beliefs are fitted on the validation split"
    ):
        calibrate.calibrate("nowhere", pulsecheck457.MINI)
    with pytest.raises(InputError, match="is from the split 'test'"):
        calibrate.ranges("street_estimator", pulsecheck457.MINI)
    (tmp_path / "set.json").write_text('{"split": "train"}')
    with pytest.raises(InputError, match="is from the split 'train'"):
        view_figures.calibrate("nowhere", [tmp_path])


def test_where_nothing_was_detected_there_is_nothing_to_fit_on():
    state = ObjectState(
        sure(**{a: v[0] for a, v in ATTRIBUTES.items()}),
        (0.0, 0.0, 0.2),
        0.5,
        tuple(extent("sedan", "large")),
    )
    with pytest.raises(InputError, match="nothing can be fitted"):
        fitted([Scene((), AXES, "predicted")], [Scene((state,), AXES, "gt")])


def test_ranges_are_measured_on_the_first_pictures_of_every_set(tmp_path, monkeypatch):
    monkeypatch.setattr(beliefs, "RANGE_PICTURES", 2)
    for name, level in (("a", 10), ("b", 200)):
        (tmp_path / name / "views").mkdir(parents=True)
        for k in range(3):
            picture = Image.fromarray(np.full((8, 8, 3), level + k, np.uint8))
            picture.save(tmp_path / name / "views" / f"{k:06d}.jpg", quality=100)
    pictures = list(beliefs.first_pictures([tmp_path / "a", tmp_path / "b"], "views"))
    assert [round(float(p.mean())) for p in pictures] == [10, 11, 200, 201]
