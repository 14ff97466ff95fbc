"""Training on two processes (gloo, on the CPU) is training on one with batches of both."""

import copy
import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from coloured_shards import COUNT, coloured
from tiny_trainings import KINDS, SIZES, few_words, made, run
from torch.nn.modules.batchnorm import _BatchNorm

from po3d.io.config import ROOT
from po3d.io.files import read_json
from po3d.perception.street import StreetEstimator
from po3d.training import parser, room_parser, runner
from po3d.training.checkpointing import SafetensorsCheckpointIO
from po3d.training.estimator import photometric
from po3d.training.ranks import Draws, SyncedNorms, Term, means
from po3d.training.shards import ShardData

SCRIPT = Path(__file__).with_name("two_processes.py")
STEPS = 3


def started(*arguments: str) -> subprocess.Popen:
    """The script under way. It finds this checkout and the tests' helpers."""
    folders = os.pathsep.join([str(SCRIPT.parent), str(SCRIPT.parent.parent), str(ROOT)])
    retained = {
        k: v for k, v in os.environ.items() if k not in ("LOCAL_RANK", "WORLD_SIZE", "MASTER_PORT")
    }
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *arguments],
        env={**retained, "OMP_NUM_THREADS": "1", "PYTHONPATH": folders},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def train():
    """train(OUT, STEPS, *KINDS, **JOB): the exit code of a training on two processes."""
    server = started()

    def done(out: Path, steps: int, *kinds: str, **job: object) -> int:
        server.stdin.write(json.dumps([str(out), {"kinds": kinds, "steps": steps, **job}]) + "\n")
        server.stdin.flush()
        return int(server.stdout.readline())

    yield done
    server.communicate(timeout=60)


def text_of(out: Path) -> str:
    return (out / "errors").read_text()[-3000:]


@pytest.fixture(scope="module")
def trained(train, tmp_path_factory):
    out = tmp_path_factory.mktemp("two")
    assert train(out, STEPS, *KINDS) == 0, text_of(out)
    return out


@pytest.fixture(autouse=True)
def small_vocabularies(monkeypatch):
    for module, words in zip((parser, room_parser), few_words(), strict=True):
        monkeypatch.setattr(module, "vocabulary", words)


def losses(out: Path) -> list[float]:
    with open(out / "logs" / "metrics.csv", newline="") as file:
        return [float(row["train/loss"]) for row in csv.DictReader(file) if row["train/loss"]]


@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_have_the_losses_figures_and_weights_of_one(kind, trained, tmp_path):
    options = {"dropout": 0.0} if "parser" in kind else {}
    module, metrics = run(kind, tmp_path, STEPS, batch=2, module=options, still=True)
    np.testing.assert_allclose(losses(trained / kind), losses(tmp_path), rtol=1e-4)
    assert len(losses(tmp_path)) == STEPS
    both = read_json(trained / kind / "metrics.json")
    assert both.keys() == metrics.keys()
    np.testing.assert_allclose(
        [both[k] for k in metrics], [*metrics.values()], rtol=1e-3, atol=1e-4
    )
    saved = SafetensorsCheckpointIO().load_checkpoint(trained / kind / "last.ckpt")["state_dict"]
    # Adam's first steps are a learning rate long whatever a gradient's size: rounding moves those
    # that are nearly 0.
    moved = [
        (saved[k] - v).abs().max().item()
        for k, v in module.state_dict().items()
        if v.is_floating_point()
    ]
    assert np.mean(moved) < 2e-4


@pytest.mark.parametrize("kind", KINDS)
def test_each_sample_is_read_by_one_process(kind, trained):
    ranks = [read_json(trained / f"{kind}.{rank}.json")[:STEPS] for rank in range(2)]
    _, data = made(kind, 2)
    data.trainer = SimpleNamespace(
        max_steps=STEPS, global_step=0, accumulate_grad_batches=1, global_rank=0, world_size=1
    )
    assert [one + other for one, other in zip(*ranks, strict=True)] == list(data.train_stream())


@pytest.mark.slow
def test_a_killed_process_ends_the_other_and_the_same_command_goes_on(train, tmp_path):
    """Processes that Lightning starts."""
    process = started(str(tmp_path), json.dumps({"kinds": ["street_parser"], "steps": 100_000}))
    last = tmp_path / "street_parser" / "last.ckpt" / "state.json"
    wait(last.exists, process)
    os.kill(int((tmp_path / "1.pid").read_text()), signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode != 0
    step = SafetensorsCheckpointIO().load_checkpoint(last.parent)["global_step"]
    assert train(tmp_path, step + 2, "street_parser") == 0, text_of(tmp_path)
    _, data = made("street_parser", 2)
    data.trainer = SimpleNamespace(
        max_steps=step + 2, global_step=step, accumulate_grad_batches=1, global_rank=0, world_size=1
    )
    ranks = [read_json(tmp_path / f"street_parser.{rank}.json") for rank in range(2)]
    assert [one + other for one, other in zip(*ranks, strict=True)] == list(data.train_stream())
    assert len(losses(tmp_path / "street_parser")) == step + 2


def test_files_are_written_by_the_first_process_alone(trained):
    first, second = ((trained / f"{rank}.written").read_text() for rank in range(2))
    for name in ("config.json", "models.json", "metrics.csv", "metrics.json", "last.ckpt"):
        assert f"{name}\n" in first or f"{name}." in first, name
    assert second == ""


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    pytest.importorskip("webdataset")
    return coloured(tmp_path_factory.mktemp("pictures"))


EPOCHS = 3
TRAINED = COUNT - COUNT // 10  # samples; the others are for validation


@pytest.fixture(scope="module")
def straight(train, shards, tmp_path_factory):
    """Some epochs on shards by two processes with a reader each; for more, see test_shards.py."""
    out = tmp_path_factory.mktemp("straight")
    assert train(out, EPOCHS * TRAINED // 2, "street", shards=str(shards), loaders=1) == 0, text_of(
        out
    )
    return out


def view_of(out: Path) -> list[dict[int, list[int]]]:
    """Of each process the pictures of every step; of a step that came again, the later."""
    lines = [(out / f"{rank}.seen").read_text().splitlines() for rank in range(2)]
    return [dict(map(json.loads, own)) for own in lines]


@pytest.mark.slow
def test_two_processes_with_readers_train_on_every_sample_of_the_shards_once_an_epoch(straight):
    steps = EPOCHS * TRAINED // 2
    ranks = view_of(straight)
    assert [sorted(own) for own in ranks] == [list(range(steps))] * 2
    for epoch in range(EPOCHS):
        own = range(epoch * TRAINED // 2, (epoch + 1) * TRAINED // 2)
        pictures = [n for rank in ranks for step in own for n in rank[step]]
        assert sorted(pictures) == list(range(TRAINED))


@pytest.mark.slow
def test_a_training_whose_processes_were_killed_ends_as_the_straight_one(
    train, straight, shards, tmp_path
):
    """One in the middle of an epoch each, by SIGKILL; readers make no difference."""
    steps = EPOCHS * TRAINED // 2
    for kill in ([1, steps // 2], [0, 4 * steps // 5]):
        assert train(tmp_path, steps, "street", shards=str(shards), kill=kill) != 0
        assert (
            SafetensorsCheckpointIO().load_checkpoint(tmp_path / "street" / "last.ckpt")[
                "global_step"
            ]
            < steps
        )
        wait(lambda: not running(int((tmp_path / "1.pid").read_text())), seconds=30)
    assert train(tmp_path, steps, "street", shards=str(shards)) == 0, text_of(tmp_path)
    assert view_of(tmp_path) == view_of(straight)
    one, other = (
        SafetensorsCheckpointIO().load_checkpoint(p / "street" / "last.ckpt")
        for p in (tmp_path, straight)
    )
    assert one["state_dict"].keys() == other["state_dict"].keys()
    assert all(
        torch.equal(value, other["state_dict"][name]) for name, value in one["state_dict"].items()
    )
    for name in ("metrics.json", "logs/metrics.csv"):
        assert (tmp_path / "street" / name).read_bytes() == (
            straight / "street" / name
        ).read_bytes()


@pytest.mark.slow
def test_epochs_of_two_processes_have_the_curves_of_one(straight, shards, tmp_path):
    """Each part of the loss, on pictures with labels."""
    steps = EPOCHS * TRAINED // 2
    width, height = SIZES["street"]
    data = ShardData(str(shards), width=width, height=height, batch=2, flip=False)
    run("street", tmp_path, steps, batch=2, still=True, data=data)
    curves = [rows(out) for out in (straight / "street", tmp_path)]
    assert len(curves[0]) == len(curves[1]) == steps
    for two, one in zip(*curves):
        assert two.keys() == one.keys()
        for name, value in one.items():
            assert two[name] == pytest.approx(value, abs=1e-4), (name, one["step"])
    assert curves[1][-1]["train/loss"] < 0.8 * curves[1][0]["train/loss"]


def rows(out: Path) -> list[dict[str, float]]:
    """The training's part of metrics.csv."""
    with open(out / "logs" / "metrics.csv", newline="") as file:
        result = [{k: float(v) for k, v in row.items() if v} for row in csv.DictReader(file)]
    return [row for row in result if "train/loss" in row]


def wait(happened, process: subprocess.Popen | None = None, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        assert process is None or process.poll() is None, process.stderr.read()[-3000:]
        time.sleep(0.05)


def test_a_process_ends_with_the_one_that_started_it(tmp_path):
    pid = tmp_path / "pid"
    child = (
        "import os, time; from po3d.io.pools import end_with; end_with(os.getppid()); "
        f"open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    )
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    process = subprocess.Popen([sys.executable, "-c", parent])
    wait(lambda: pid.exists() and pid.read_text(), process)
    process.kill()
    process.wait()
    wait(lambda: not running(int(pid.read_text())), seconds=10)


def running(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] not in "ZX"


def test_processes_draw_their_rows_of_what_one_would_draw():
    alone = Draws(1, "train", 5)
    both = [Draws(1, "train", 5, rank, 2) for rank in range(2)]
    for draw in ("rand", "randn"):
        whole = getattr(alone, draw)(6, 3)
        parts = [getattr(d, draw)(3, 3) for d in both]
        assert torch.equal(torch.stack(parts, 1).flatten(0, 1), whole)
        assert not torch.equal(*parts)


def test_augmentation_is_that_of_the_whole_batch():
    images = torch.rand(4, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    for step in range(8):  # with and without blur and noise
        whole = photometric(images.clone(), 1.0, Draws(0, "train", step))
        parts = [
            photometric(images[r::2].clone(), 1.0, Draws(0, "train", step, r, 2)) for r in range(2)
        ]
        assert torch.equal(torch.stack(parts, 1).flatten(0, 1), whole)


def test_a_mean_of_no_rows_is_zero_with_a_gradient():
    x = torch.ones(3, requires_grad=True)
    mean = means({"some": Term.of(x), "none": Term.of(x[:0])})
    assert (mean["some"], mean["none"]) == (1, 0)
    mean["none"].backward()
    assert torch.equal(x.grad, torch.zeros(3))


@pytest.mark.parametrize("kind", KINDS)
def test_every_trained_weight_gets_a_gradient(kind):
    """DistributedDataParallel waits for all of them."""
    module, data = made(kind)
    batch = data.collate([data.train_samples()[k] for k in range(2)])
    if kind in SIZES:
        loss = sum(means(module._terms(batch, "train", 0)).values())
    else:
        loss = module.network(*batch).sum()
    loss.backward()
    without = [name for name, p in module.named_parameters() if p.requires_grad and p.grad is None]
    assert without == []


@pytest.mark.parametrize("backbone", ["test_resnet", "regnetx_002", "tf_efficientnet_lite0"])
def test_norms_over_all_processes_say_what_they_reported_and_are_themselves_again(backbone):
    """timm's bring their activations, which must not get lost. One process alone needs no GPU for
    them.
    """
    torch.manual_seed(0)
    net = StreetEstimator.build(backbone=backbone, width=96, height=64, neck=8, hidden=16, fold=1)
    module = torch.nn.ModuleDict({"net": net})
    images, box = torch.rand(2, 3, 64, 96), torch.tensor([[1.0, 2, 60, 50], [5, 5, 40, 40]])

    def said(network, training: bool) -> list[torch.Tensor]:
        network = copy.deepcopy(network).train(training)
        dense = network(images)
        return [dense.heat, dense.box, network.describe(dense, box, torch.tensor([0, 1])).points]

    def kinds() -> list[type]:
        return [type(part) for part in net.modules() if isinstance(part, _BatchNorm)]

    before, own, names = (
        [text_of(net, training) for training in (False, True)],
        kinds(),
        list(net.state_dict()),
    )
    plugin = SyncedNorms()
    assert plugin.apply(module) is module
    assert all(issubclass(kind, torch.nn.SyncBatchNorm) for kind in kinds())
    assert len(kinds()) == len(own) > 5
    assert list(net.state_dict()) == names
    for training in (False, True):
        for value, expected in zip(text_of(net, training), before[training], strict=True):
            assert torch.equal(value, expected)
    net.train()
    net(images)  # statistics move
    moved = copy.deepcopy(net.state_dict())
    plugin.revert(module)
    assert kinds() == own
    assert all(torch.equal(value, moved[name]) for name, value in net.state_dict().items())
    assert not all(torch.equal(a, b) for a, b in zip(text_of(net, False), before[False]))


@pytest.mark.parametrize("wanted", [True, False])
def test_a_trainer_on_gpus_with_norms_over_all_processes_takes_these(wanted, tmp_path, monkeypatch):
    """On CPUs, where torch has none, they are left out."""
    options = {"devices": 2, "strategy": "ddp", "sync_batchnorm": wanted, "max_steps": 1}
    monkeypatch.setattr(runner.torch.cuda, "is_available", lambda: True)
    built = []
    monkeypatch.setattr(runner.pl, "Trainer", lambda **supplied: built.append(supplied["plugins"]))
    runner.trainer_of({**options, "accelerator": "gpu"}, [], default_root_dir=tmp_path)
    assert [isinstance(plugin, SyncedNorms) for plugin in built[0]] == [True] * wanted
    monkeypatch.undo()
    trainer = runner.trainer_of({**options, "accelerator": "cpu"}, [], default_root_dir=tmp_path)
    assert trainer.strategy._layer_sync is None
