"""What the user says of devices and trainers is what happens, for every experiment, benchmark and
network.
"""

import contextlib
import importlib.util
import re
from types import SimpleNamespace

import numpy as np
import pytest
import pytorch_lightning as pl
import torch
from accelerator import AWAY, Away, accelerator, moved
from generators import random_program, random_scene
from omegaconf import OmegaConf
from tiny_trainings import KINDS, SIZES, few_words, made
from untrained import untrained_estimator

from po3d.io.cli_errors import BAD_INPUT, guarded
from po3d.io.config import CONFIGS, ROOT, build, compose, run_hydra
from po3d.io.devices import device_of
from po3d.io.errors import InputError
from po3d.io.pools import pool
from po3d.language.read import network_parser, seq2seq
from po3d.language.read.room_parser import RoomParser
from po3d.language.read.street_parser import Parser
from po3d.perception import estimator as perception
from po3d.perception.detection import detected, pays_bf16
from po3d.perception.estimator import NetworkEstimator
from po3d.perception.room_view import RoomViewEstimator
from po3d.perception.street import CALIBRATION, StreetEstimator, fitted
from po3d.perception.top_view import TopViewEstimator
from po3d.reasoning.packing import pack_programs
from po3d.reasoning.street_batched import run_batch
from po3d.reasoning.street_tables import pack_tables
from po3d.systems.composition import buildable
from po3d.training import data as training_data
from po3d.training import parser as training_parser
from po3d.training import room_parser as training_room_parser
from po3d.training.callbacks import Averaging
from po3d.training.data import StreetData, WithFlip
from po3d.training.ranks import means

TRAINERS = sorted(p.stem for p in (CONFIGS / "trainer").glob("*.yaml"))
TRAININGS = sorted({p.stem for p in (CONFIGS / "experiment").glob("*.yaml")} - {"oracle_grid"})
_SPEC = importlib.util.spec_from_file_location("train_script", ROOT / "train.py")
script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(script)
OF_EXPERIMENTS = {"max_steps", "gradient_clip_val"}


@pytest.mark.parametrize("trainer", TRAINERS)
@pytest.mark.parametrize("experiment", TRAININGS)
def test_the_trainer_is_the_one_that_was_requested(experiment, trainer):
    query = compose("train", [f"trainer={trainer}"])["trainer"]
    supplied = compose("train", [f"experiment={experiment}", f"trainer={trainer}"])["trainer"]
    assert supplied.keys() == query.keys()
    assert {k for k in query if supplied[k] != query[k]} <= OF_EXPERIMENTS
    assert supplied["accelerator"] == {"cpu": "cpu", "gpu": "gpu", "ddp": "gpu"}[trainer]


@pytest.mark.parametrize(
    ("benchmark", "networks", "options"),
    [
        ("pulsecheck457", 2, []),
        ("3dsrbench", 1, []),
        ("scope", 1, []),
        ("hypo3d", 2, ["benchmark.scenes=map"]),
    ],
)
def test_the_device_reaches_every_network_of_a_benchmark(benchmark, networks, options, monkeypatch):
    query = []
    for module in (perception, network_parser):
        monkeypatch.setattr(
            module, "device_of", lambda name: query.append(name) or torch.device("cpu")
        )
    config = compose(
        "evaluate", [f"benchmark={benchmark}", "perception.device=elsewhere", *options]
    )
    options = OmegaConf.to_container(config, resolve=True)
    system = build(buildable(options["system"]))
    if benchmark == "hypo3d":
        table = system.tables
        TopViewEstimator.named(table.checkpoint, table.flip_tta, table.device)
    assert query == ["elsewhere"] * networks
    NetworkEstimator.named.cache_clear()


@pytest.mark.parametrize("name", ["cuda:99", "gpu", "", "cpu:x"])
def test_a_device_that_is_not_there_is_one_line_and_exit_code_2(name, tmp_path, capsys):
    with pytest.raises(InputError, match="is not available"):
        device_of(name)
    path = str(untrained_estimator(tmp_path))
    node = {
        "_target_": "po3d.perception.street.StreetEstimator.from_checkpoint",
        "path": path,
        "device": name,
    }
    assert guarded(lambda: build(node)) == BAD_INPUT
    error = capsys.readouterr().err
    assert error.startswith("error: device")
    assert error.count("\n") == 1


@pytest.mark.parametrize("has", [True, False])
def test_bf16_is_for_gpus_that_have_it(has, monkeypatch):
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation=True: has or including_emulation
    )
    assert pays_bf16(torch.device("cuda")) == has
    assert not pays_bf16(torch.device("meta"))
    assert not pays_bf16(torch.device("cpu"))  # whatever it has: tables are the same on all of them


def test_networks_are_where_they_were_sent(tmp_path, monkeypatch):
    monkeypatch.setattr(perception, "device_of", torch.device)
    estimator = StreetEstimator.from_checkpoint(untrained_estimator(tmp_path), "meta")
    assert {t.device.type for t in (*estimator.once.parameters(), *estimator.once.buffers())} == {
        "meta"
    }


def test_online_training_looks_in_the_mirror_as_the_recipe_does(monkeypatch):
    config = compose("train", ["experiment=street_estimator", "trainer=gpu", "data=online"])
    data = build(dict(config["data"]))
    monkeypatch.setattr(training_data, "PackedScenes", lambda folder: [])
    data.setup("fit")
    assert isinstance(data.train, WithFlip)
    numbers = [n for batch in attached(data).train_stream() for n in batch]
    assert {n % 2 for n in numbers} == {0, 1}
    assert len({n // 2 for n in numbers}) == len(numbers)


def attached(data: StreetData) -> StreetData:
    data.trainer = SimpleNamespace(
        max_steps=2, global_step=0, accumulate_grad_batches=1, global_rank=0, world_size=1
    )
    return data


def test_no_process_is_forked_after_cuda_was_set_up(monkeypatch):
    """By pools, by loaders, and nobody makes his own."""
    monkeypatch.setattr(training_data, "PackedScenes", lambda folder: [])
    data = attached(StreetData("online", workers=2))
    data.setup("fit")
    assert data.train_dataloader().multiprocessing_context.get_start_method() == "spawn"
    with pool(2) as processes:
        assert processes._mp_context.get_start_method() == "spawn"
    owners = {"po3d/io/pools.py", "po3d/training/samplers.py"}
    built = re.compile(
        r'ProcessPoolExecutor\(|\bDataLoader\(|(?<!context\.)(?<!"spawn"\)\.)\bPool\(|get_context\((?!"spawn")'
    )
    for path in (ROOT / "po3d").rglob("*.py"):
        name = path.relative_to(ROOT).as_posix()
        result = [line for line in path.read_text().splitlines() if built.search(line)]
        assert name in owners or not result, (name, result)


def test_averaged_weights_are_built_where_the_module_will_train():
    averaging = Averaging(0.9)
    trainer = SimpleNamespace(strategy=SimpleNamespace(root_device=torch.device("meta")))
    module = pl.LightningModule()
    module.layer = torch.nn.Linear(2, 2)
    averaging.setup(trainer, module, "fit")
    assert {p.device.type for p in averaging._average_model.parameters()} == {"meta"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        pytest.param(
            ["trainer=gpu"],
            "trainer.accelerator=gpu: torch",
            marks=pytest.mark.skipif(torch.cuda.is_available(), reason="GPU"),
        ),
        (["trainer.accelerator=abacus"], "trainer: You selected an invalid accelerator"),
        (["+trainer.speed=2"], "trainer: Trainer.__init__() got an unexpected keyword"),
        (
            ["trainer.precision=half"],
            "trainer.precision='half' should be 'bf16-mixed', '16-mixed' or '32-true'",
        ),
        (["trainer.limit_val_batches=0"], "trainer.limit_val_batches=0 should be more than 0"),
        (["model.learning_rate=0"], "model.learning_rate=0 should be more than 0"),
        (["model.learning_rate=nan"], "model.learning_rate=nan should be a finite number"),
        (
            ["model=reader", "data=sentences", "model.encoder_rate=-1"],
            "model.encoder_rate=-1 should be more than 0",
        ),
        (["model.network.fold=3"], "fold=3 should divide the width 640 and the height 480"),
        (["data.validation=0"], "data.validation=0 should be at least 1"),
        (
            ["experiment=room_view_estimator", "data.validation.orbit=0"],
            "data.validation should have a positive number for each of inside, orbit",
        ),
        (["data.width=-640"], "data.width=-640 should be at least 32"),
        (["data.extra=[{image: 5}]"], "data.extra[0].image=5 is not an option"),
        (["model=street_parser"], "the data is for a street_estimator, but the model is a parser"),
        (["export=FILE/mine"], "should be a folder"),
        (["wandb={prject: mine}"], "wandb.init has no argument 'prject'"),
        (["data=online", "data.repla=2"], "did you mean data.replay"),
    ],
)
def test_a_wrong_option_of_a_training_is_one_line_before_anything_is_rendered(
    options, says, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(training_data, "pack", lambda *_: pytest.fail("rendered"))
    (tmp_path / "file").touch()
    supplied = [o.replace("FILE", str(tmp_path / "file")) for o in options]
    assert run_hydra(script.main, "train", "", [f"out={tmp_path / 'out'}", *supplied]) == BAD_INPUT
    reply = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(reply) == 1
    assert says in reply[0]
    assert not (tmp_path / "out").exists()


def test_a_study_on_several_processes_is_refused(capsys):
    options = ["experiment=backbones", "trainer=ddp"]
    assert run_hydra(script.main, "train", "", options) == BAD_INPUT
    assert "one process" in capsys.readouterr().err


@pytest.fixture
def few(monkeypatch):
    for module, words in zip((training_parser, training_room_parser), few_words(), strict=True):
        monkeypatch.setattr(module, "vocabulary", words)


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_step_mixes_no_devices(kind, few):
    module, data = made(kind)
    batch = data.collate([data.train_samples()[k] for k in range(2)])
    moved(module)
    with accelerator():
        if kind in SIZES:
            batch = {k: v.to(AWAY) for k, v in batch.items()}
            loss = sum(means(module._terms(batch, "train", 0)).values())
        else:
            loss = module.network(*[v.to(AWAY) for v in batch]).sum()
        loss.backward()
    assert isinstance(loss, Away)
    assert all(isinstance(p.grad, Away) for p in module.parameters() if p.requires_grad)


@pytest.mark.parametrize(
    ("world", "kind"),
    [("street", StreetEstimator), ("top_view", TopViewEstimator), ("room_view", RoomViewEstimator)],
)
def test_an_estimator_mixes_no_devices_and_sees_the_same(world, kind, monkeypatch):
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(
        perception, "detected", detected.__wrapped__
    )  # inference mode takes no wrapped tensors
    module, _ = made(world)
    picture = np.random.default_rng(0).integers(0, 255, (64, 96, 3), dtype=np.uint8)
    focals = [1.1] if world == "room_view" else None
    monkeypatch.setattr(kind, "threshold", 0.0)  # untrained: everything counts
    estimator = kind(module.net)
    with torch.no_grad():
        there = estimator.detect([picture], focals)
    moved(getattr(estimator.looks, "net", estimator.looks))
    estimator.device = AWAY
    with accelerator(), torch.no_grad():
        away = estimator.detect([picture], focals)
    assert there.present.sum() > 2
    np.testing.assert_array_equal(away.box, there.box)
    for name, values in there.probabilities.items():  # `accelerator` says why not what lists index
        np.testing.assert_allclose(away.probabilities[name], values, atol=1e-6)


def test_the_joint_fit_mixes_no_devices_and_finds_the_same(monkeypatch):
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: contextlib.nullcontext())
    module, _ = made("street")
    pictures = torch.randint(
        0, 255, (2, 64, 96, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(0)
    )
    options = (640, 8, CALIBRATION, False, 0.0, None, False)
    net = module.net.eval()
    with torch.no_grad():
        here = fitted(detected.__wrapped__(net, net.input.pixels(pictures), *options))
    moved(net)
    with accelerator(), torch.no_grad():
        images = net.input.pixels(pictures.to(AWAY))
        away = fitted(detected.__wrapped__(net, images, *options))
    assert all(isinstance(part, Away) for part in away)
    for part, other in zip(away, here, strict=True):
        np.testing.assert_allclose(part.here, other, atol=1e-4)


def test_marginal_answers_mix_no_devices():
    """`accelerator` says why their numbers are others: the values that a filter takes are a
    list.
    """
    random = np.random.default_rng(0)
    scenes = [random_scene(random, 6, certain=False) for _ in range(6)]
    where = random.integers(0, 6, 300).tolist()
    programs = pack_programs([random_program(random, scenes[k]).call for k in where], where, "6d")
    with accelerator():
        result = run_batch(pack_tables(scenes, device=AWAY), programs)
    assert all(
        isinstance(part, Away)
        for part in (result.registers, result.mass, result.value, result.valid)
    )


@pytest.mark.parametrize("kind", ["street_parser", "room_parser"])
def test_a_parsers_network_mixes_no_devices_and_says_the_same(kind, few):
    module, data = made(kind)
    words = data.collate([data.train_samples()[k] for k in range(3)])[0]
    network, greedy = module.network.eval(), seq2seq.Seq2Seq.greedy.__wrapped__
    with torch.no_grad():
        here = greedy(network, words)
    moved(network)
    with accelerator(), torch.no_grad():
        away = greedy(network, words.to(AWAY))
    assert all(torch.equal(there.here, value) for there, value in zip(away, here, strict=True))


@pytest.mark.parametrize("kind", ["street_parser", "room_parser"])
def test_a_parser_sends_what_it_reads_to_its_device(kind, few, monkeypatch):
    class Seen(Exception):
        pass

    def greedy(network, *supplied):
        assert {t.device.type for t in supplied} == {"meta"}
        raise Seen

    monkeypatch.setattr(seq2seq.Seq2Seq, "greedy", greedy)
    module, _ = made(kind)
    composed_of = {"street_parser": Parser, "room_parser": RoomParser}[kind]
    reader = composed_of(module.network, module.words(), device="meta")
    with pytest.raises(Seen):
        reader.parse(
            ["How many red cars are there?" if kind == "street_parser" else "Where is the chair?"]
        )
