"""A vehicle detected in two parts is described again from the union of their boxes."""

import numpy as np
import pytest
import torch

from po3d.perception.detection import Detections
from po3d.perception.fit import project_boxes, wrapped
from po3d.perception.street import StreetEstimator, viewing_azimuth
from po3d.scene.street import extent
from po3d.scene.vocabulary import ATTRIBUTES

PICTURE = np.zeros((480, 640, 3), np.uint8)
CAB, BED = (230.0, 98.0, 337.0, 167.0), (271.0, 130.0, 357.0, 193.0)
UNION = (230.0, 98.0, 357.0, 193.0)


def detections(*rows: tuple[str, tuple[float, ...], float]) -> Detections:
    """Return rows of (shape, box, existence), all large and at the origin with heading 0."""
    n = len(rows)
    double = lambda values: torch.as_tensor(np.asarray(values), dtype=torch.double)[None]  # noqa: E731
    poses = double(np.zeros((n, 3)))
    extents = double([extent(shape, "large") for shape, _, _ in rows])
    points = project_boxes(double(np.zeros(3)), poses[..., :2], poses[..., 2], extents)
    names = {"shape": [shape for shape, _, _ in rows], "size": ["large"] * n}
    names |= {"color": ["blue"] * n, "material": ["metal"] * n}
    ones = double(np.ones(n))
    return Detections(
        double([existence for _, _, existence in rows]),
        double([box for _, box, _ in rows]),
        {a: double([[v == name for v in ATTRIBUTES[a]] for name in names[a]]) * 1.0 for a in names},
        wrapped(poses[..., 2] - viewing_azimuth(points[:, :, 8])),
        0.05 * ones,
        0.0 * ones,
        points,
        double(np.full((n, 9), 2.0)),
        double(np.eye(n + 1)[[n] * n]),
        extent=double(np.zeros((n, 0))),
        depth=double(np.zeros((n, 0))),
    )


class Parts(StreetEstimator):
    """Detects the given rows; describes any box as a truck, with this probability."""

    def __init__(self, result: Detections, sure: float = 1.0) -> None:
        self.found, self.sure = result, sure
        self.calibration, self.boxes = {"covariance": 1.0}, []

    def detected(self, pictures, focals=None):
        return self.found

    def described(self, images, scenes):
        self.boxes = [o.box for o in scenes[0].objects]
        again = detections(*(("truck", box, 1.0) for box in self.boxes))
        shape = again.probabilities["shape"]
        shape[:] = self.sure * shape + (1 - self.sure) / shape.shape[-1]
        return again


def test_two_likely_parts_are_described_again_as_one():
    estimator = Parts(detections(("minivan", CAB, 0.99), ("scooter", BED, 0.76)))
    ((row,),) = (scene.objects for scene in estimator.estimate([PICTURE]))
    assert estimator.boxes == [UNION]
    assert row.box == UNION
    assert row.value("shape") == "truck"
    assert 0.99 < row.existence < 1


def test_a_less_certain_description_of_the_union_is_not_used():
    estimator = Parts(detections(("minivan", CAB, 0.99), ("minivan", BED, 0.76)), sure=0.5)
    ((row,),) = (scene.objects for scene in estimator.estimate([PICTURE]))
    assert estimator.boxes == [UNION]
    assert row.value("shape") == "minivan"


def test_an_unlikely_part_changes_no_box():
    estimator = Parts(detections(("minivan", CAB, 0.99), ("minivan", BED, 0.3)))
    ((row,),) = (scene.objects for scene in estimator.estimate([PICTURE]))
    assert estimator.boxes == []
    assert row.box == CAB
    assert row.value("shape") == "minivan"


def test_separate_scenes_stay_as_they_are():
    both = detections(("minivan", CAB, 0.99), ("scooter", BED, 0.76))
    one = both.of([leaf.clone() for leaf in both.leaves()])
    one.score[0, 1] = 0
    assert [o.box for o in Parts(one).estimate([PICTURE], ["x"])[0].objects] == [pytest.approx(CAB)]
