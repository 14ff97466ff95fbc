"""The material's log odds are shifted in path-traced pictures alone, equally in any batch."""

import numpy as np
import pytest
import torch

from po3d.io.errors import InputError
from po3d.perception.detection import RUBBER
from po3d.perception.material_shift import MaterialShift
from po3d.perception.street import StreetEstimator
from po3d.training.material_shift import best_shift, look_classifier

PICTURES = np.random.default_rng(0).integers(0, 256, (3, 480, 640, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def estimator() -> StreetEstimator:
    torch.manual_seed(0)
    result = StreetEstimator(
        StreetEstimator.build(width=160, height=120, neck=8, hidden=16), flip_tta=True
    )
    result.threshold = 0.0
    return result


def materials(estimator: StreetEstimator, pictures: np.ndarray) -> np.ndarray:
    return estimator.detected(pictures).probabilities["material"][..., RUBBER].numpy()


def test_the_log_odds_of_rubber_alone_are_raised(estimator):
    before = estimator.detected(PICTURES)
    estimator.material_shift = MaterialShift(np.zeros(16), 0.0, 2.0)  # everywhere half of the shift
    after = estimator.detected(PICTURES)
    estimator.material_shift = None
    p, q = (d.probabilities["material"][d.score > 0][:, RUBBER] for d in (before, after))
    torch.testing.assert_close(q.logit() - p.logit(), torch.ones_like(p), atol=1e-4, rtol=0)
    torch.testing.assert_close(after.probabilities["size"], before.probabilities["size"])
    torch.testing.assert_close(after.points, before.points)


def test_a_picture_has_one_shift_in_any_batch(estimator):
    direction = np.random.default_rng(1).normal(size=16) * 0.01
    estimator.material_shift = MaterialShift(direction, 0.1, 1.5)
    together, alone = materials(estimator, PICTURES), materials(estimator, PICTURES[1:2])
    estimator.material_shift = None
    np.testing.assert_array_equal(together[1], alone[0])


def test_the_fit_separates_the_looks_and_recovers_the_shift():
    r = np.random.default_rng(2)
    traced, own = r.normal(0, 1, (40, 16)) + 1.0, r.normal(0, 1, (120, 16))
    direction, offset = look_classifier(traced[:30], own[:90])
    look = MaterialShift(direction, offset, 1.0)
    assert np.mean(look.share(traced[30:]) > 0.5) > 0.8
    assert np.mean(look.share(own[90:]) < 0.5) > 0.8
    true = r.normal(0, 3, 4000)
    rubber = r.random(4000) < 1 / (1 + np.exp(-true))
    assert best_shift(true - 1.2, rubber, np.ones(4000)) == pytest.approx(1.2, abs=0.25)
    assert best_shift(true, rubber, np.ones(4000)) == pytest.approx(0.0, abs=0.25)


def test_a_record_restores_it_and_a_damaged_one_is_refused():
    shift = MaterialShift(np.arange(4.0), 0.5, 1.25)
    again = MaterialShift.read(shift.record(), 4)
    assert (again.direction.tolist(), again.offset, again.shift) == ([0, 1, 2, 3], 0.5, 1.25)
    for damage in ({"shift": float("nan")}, {"direction": "?"}, {"offset": None}):
        with pytest.raises(InputError, match="material shift is damaged"):
            MaterialShift.read(shift.record() | damage, 4)
    with pytest.raises(InputError, match="material shift is damaged"):
        MaterialShift.read(shift.record(), 5)
