"""What `python -m tools.bench roofline` counts is what operations do, and between pixels and
answers hosts wait as often as said.
"""

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from untrained import untrained_estimator

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.io.checkpoint import locate
from po3d.language.read.street_parser import Parser
from po3d.perception.network import SceneNet, crop_features
from po3d.perception.street import StreetEstimator
from po3d.reasoning.street_tables import width
from po3d.scene.table import to_json
from tools.roofline import Counted, measured, stages, tables


def test_a_product_is_two_operations_for_each_of_its_sums_and_reads_and_writes_three_matrices():
    a, b = torch.randn(4, 8), torch.randn(8, 16)
    with Counted() as did:
        product = (a @ b).T
        product[:2].unsqueeze(0)
    assert (did.flops, did.operations) == (2 * 4 * 8 * 16, 1)
    assert did.bytes == 4 * (4 * 8 + 8 * 16 + 4 * 16)
    assert (did.alive, did.peak) == (4 * 64, 4 * 64)


def test_what_is_gone_is_not_alive():
    with Counted() as did:
        x = torch.zeros(1000)
        for _ in range(5):
            x = x + 1
    assert (did.peak, did.alive) == (8000, 4000)
    assert did.bytes == 4000 * 11


def test_what_is_expanded_has_the_bytes_that_are_there():
    x = torch.ones(1)
    with Counted() as did:
        x.expand(1000).clone(memory_format=torch.contiguous_format)
    assert did.bytes == 4 + 4000


@pytest.mark.parametrize("inference", [False, True])
def test_a_network_has_the_operations_that_torch_counts(inference):
    net = SceneNet(
        {"kind": 3}, backbone="test_resnet", width=96, height=64, neck=8, hidden=16
    ).eval()
    images = torch.zeros(2, 3, 64, 96)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        net(images)
    with torch.inference_mode(inference), torch.no_grad(), Counted() as did:
        net(images)
    assert did.flops == counter.get_total_flops() > 0


def test_crops_add_up_what_they_read():
    features = torch.randn(1, 6, 9, 9)
    with Counted() as did:
        crop_features(
            features,
            torch.tensor([[1.0, 1, 5, 5]] * 3),
            torch.zeros(3, dtype=torch.long),
            4,
            samples=2,
        )
    assert did.flops == 2 * 3 * 4 * 4 * 16 * 6  # boxes, cells, samples, channels


def test_it_is_visible_what_waits():
    x = torch.arange(3)
    for work in (
        lambda: int(x.max()), lambda: x[x > 1], lambda: x.repeat_interleave(x), lambda: x.cpu(),
        lambda: x.tolist(), lambda: bool(x.any()), lambda: x.nonzero(),
    ):  # fmt: skip
        with Counted() as did:
            work()
        assert len(did.waits) == 1
    with Counted() as did:
        x.repeat_interleave(x, output_size=3)
        x[torch.tensor([1, 2])] + x.max()
    assert did.waits == []


@pytest.fixture(scope="module")
def reading():
    return Parser.from_checkpoint(locate("street_parser"))


@pytest.fixture
def estimator(tmp_path, monkeypatch):
    monkeypatch.setattr(StreetEstimator, "threshold", 0.0)  # untrained: everything counts
    return StreetEstimator.from_checkpoint(untrained_estimator(tmp_path))


@pytest.mark.parametrize("pictures", [1, 3])
def test_between_pixels_and_answers_a_host_waits_for_two_transfers_and_for_the_answers(
    estimator, reading, pictures
):
    """However many pictures and questions there are. The parser waits in each of its steps, for
    whether they are done.
    """
    split = pulsecheck457.open_mini().first(pictures)
    waits, scenes = {}, []
    for stage in stages(estimator, reading, split, split.images, packed=False):
        with Counted() as did:
            result = stage.work()
        waits[stage.name] = did.waits
        scenes = result if stage.name == "tables" else scenes
    words = waits.pop("parser")
    assert set(words) <= {"tolist", "aten._local_scalar_dense.default", "aten.index.Tensor"}
    assert waits.pop("tables") == ["cpu"] * 2
    # The answers, and what the steps of those that failed gave; tables of different widths are
    # batches of their own.
    answers, batches = waits.pop("marginal answers"), len(set(map(width, scenes)))
    assert set(answers) == {"cpu", "tolist"}
    assert 3 * batches <= len(answers) <= 9 * batches
    assert set(map(len, waits.values())) == {0}
    assert len(waits) == 5
    assert sum(outcome is not None for outcome in result) > 0.5 * len(result) > 0


def test_stages_together_are_the_estimator(estimator, reading):
    split = pulsecheck457.open_mini().first(2)
    built = {s.name: s.work() for s in stages(estimator, reading, split, split.images)}
    scenes = estimator.estimate([split.image(name) for name in split.images], split.images)
    assert list(map(to_json, built["tables"])) == list(map(to_json, scenes))


def test_the_tables_have_a_line_for_each_stage(estimator, reading, monkeypatch):
    monkeypatch.setattr("tools.roofline.measured", lambda work, device: 0.5)
    split = pulsecheck457.open_mini().first(1)
    (here, first), (there, second) = tables(estimator, reading, split)
    assert [row[0] for row in first.rows] == [row[0] for row in second.rows]
    assert "on cpu" in here
    assert "H100" in there
    network = dict(zip(first.header, next(row for row in first.rows if row[0] == "network")))
    assert float(network["GFLOP"]) > 0
    assert network["ms"] == "500.00"


def test_seconds_are_those_of_the_fastest_run():
    runs = []

    def work():
        runs.append(np.ones(10_000 if len(runs) == 2 else 3_000_000).sum())

    fastest = measured(work, torch.device("cpu"), 0.0)
    assert len(runs) == 4  # one to warm up
    assert 0 <= fastest < 0.01
