"""Between pictures on a device and answers nothing is read back from it: no host waits, whatever
the device.
"""

import numpy as np
import torch
from generators import random_program, random_scene

from po3d.perception.detection import detected
from po3d.perception.flip_tta import FlipTTA
from po3d.perception.fused_network import folded
from po3d.perception.street import CALIBRATION, StreetEstimator, fitted
from po3d.reasoning.packing import pack_programs
from po3d.reasoning.street_batched import run_batch
from po3d.reasoning.street_tables import pack_tables
from po3d.scene.vocabulary import ATTRIBUTES
from tools.roofline import Counted


def test_no_host_waits_between_pixels_and_the_joint_fit():
    torch.manual_seed(0)
    net = StreetEstimator.build(backbone="resnet10t", width=128, height=96, neck=16, hidden=32)
    looks = FlipTTA(folded(net))
    pictures = torch.randint(0, 256, (3, 96, 128, 3), dtype=torch.uint8)
    options = dict(width=640, limit=8, calibration=CALIBRATION, threshold=0.0, packed=False)
    with Counted() as visible:
        result = detected(looks, looks.input.pixels(pictures), **options)
        fit = fitted(result)
    assert visible.waits == []
    assert result.present.sum() > 5
    assert torch.isfinite(fit.position[result.present]).all()
    packed = detected(looks, looks.input.pixels(pictures), **options | {"packed": True})
    for name in ATTRIBUTES:
        torch.testing.assert_close(
            packed.probabilities[name][result.present], result.probabilities[name][result.present]
        )


def test_no_host_waits_while_marginals_are_worked_out():
    random = np.random.default_rng(0)
    scenes = [random_scene(random, 6, certain=False) for _ in range(8)]
    where = random.integers(0, 8, 100).tolist()
    programs = pack_programs([random_program(random, scenes[k]).call for k in where], where, "2d")
    beliefs = pack_tables(scenes)
    with Counted() as visible:
        result = run_batch(beliefs, programs)
    assert visible.waits == []
    assert 10 < int(result.failed.logical_not().sum()) <= 100
