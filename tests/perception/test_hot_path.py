"""Between pictures on a device and answers nothing is read back from it: no host waits, whatever the device."""

import numpy as np
import torch
from generators import random_program, random_scene
from torch.utils._python_dispatch import TorchDispatchMode

from po3d.perception.detection import detected
from po3d.perception.folded import folded
from po3d.perception.mirrored import Mirrored
from po3d.perception.street import ATTRIBUTES, CALIBRATION, fitted, street_net
from po3d.reasoning.marginal_batched import marginal_batch, pack_beliefs
from po3d.reasoning.packing import pack_programs

ATEN = torch.ops.aten
# Whose results, or the sizes of whose results, a host has to wait for.
WAITS = {ATEN._local_scalar_dense.default, ATEN.nonzero.default, ATEN.equal.default, ATEN.masked_select.default,
         ATEN.is_nonzero.default, ATEN.bincount.default, ATEN.repeat_interleave.Tensor}  # fmt: skip


class Waiting(TorchDispatchMode):
    """Counts what a host would wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        unsized = func is ATEN.repeat_interleave.Tensor and kwargs.get("output_size") is not None
        indices = args[1] if func in (ATEN.index.Tensor, ATEN.index_put_.default) else ()
        masked = any(i is not None and i.dtype == torch.bool for i in indices)
        if masked or (func in WAITS and not unsized):
            self.found.append(str(func))
        return func(*args, **kwargs)


def test_it_is_seen_what_waits():
    with Waiting() as seen:
        x = torch.arange(3)
        int(x.max())
        x[x > 1]
        x.repeat_interleave(x)
    assert len(seen.found) >= 3


def test_no_host_waits_between_pixels_and_the_joint_fit():
    torch.manual_seed(0)
    net = street_net(backbone="resnet10t", width=128, height=96, neck=16, hidden=32)
    looks = Mirrored(folded(net))
    pictures = torch.randint(0, 256, (3, 96, 128, 3), dtype=torch.uint8)
    options = dict(width=640, limit=8, calibration=CALIBRATION, threshold=0.0, packed=False)
    with Waiting() as seen:
        found = detected(looks, looks.input.pixels(pictures), **options)
        fit = fitted(found)
    assert seen.found == []
    assert found.present.sum() > 5
    assert torch.isfinite(fit.position[found.present]).all()
    packed = detected(looks, looks.input.pixels(pictures), **options | {"packed": True})
    for name in ATTRIBUTES:
        torch.testing.assert_close(
            packed.probabilities[name][found.present], found.probabilities[name][found.present]
        )


def test_no_host_waits_while_marginals_are_worked_out():
    random = np.random.default_rng(0)
    scenes = [random_scene(random, 6, certain=False) for _ in range(8)]
    where = random.integers(0, 8, 100).tolist()
    programs = pack_programs([random_program(random, scenes[k]) for k in where], where, "2d")
    beliefs = pack_beliefs(scenes)
    with Waiting() as seen:
        result = marginal_batch(beliefs, programs)
    assert seen.found == []
    assert 10 < int(result.failed.logical_not().sum()) <= 100
