"""What one sees of a training: figures of tables, the best weights, worst pictures, one line for
what is wrong.
"""

import csv
import importlib.util
import json
from types import SimpleNamespace

import numpy as np
import pytest
import pytorch_lightning as pl
import torch
from tiny_trainings import NETWORK, SIZES, NoiseData, few_words, made, run
from torch import nn

from po3d.benchmarks.pulsecheck457.data import open_mini
from po3d.io.config import ROOT, run_hydra
from po3d.io.errors import InputError
from po3d.scene.table import Scene
from po3d.training import callbacks, parser, room_parser, runner
from po3d.training.callbacks import MetricsTable
from po3d.training.checkpointing import SafetensorsCheckpointIO
from po3d.training.data import StreetData
from po3d.training.estimator import EstimatorModule
from po3d.training.figures import (
    Judged,
    better_is_less,
    mistakes,
    street_judge,
    street_questions,
    worst,
)

MINI = ROOT / "data" / "mini" / "pulsecheck457"
WIDTH, HEIGHT = SIZES["street"]
_SPEC = importlib.util.spec_from_file_location("train_script", ROOT / "train.py")
script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(script)


class Saying:
    """An estimator that says these tables."""

    def __init__(self, tables):
        self.tables = tables

    def estimate(self, pictures, names=None):
        return self.tables[: len(pictures)]


@pytest.fixture(scope="module")
def truths():
    mini = open_mini()
    return [mini.truth(name) for name in mini.images[:4]]


# --- figures --------------------------------------------------------------------------------------


def test_true_tables_have_full_figures_and_worse_ones_fewer(truths):
    judge = street_judge([np.zeros((6, 8, 3), np.uint8)] * len(truths), truths)
    full = judge(Saying(truths)).figures
    shares = {name for name in full if name.endswith(("accuracy", "recall", "precision"))}
    assert {"answer_accuracy", "shape_accuracy", "recall", "precision"} <= shares
    assert all(full[name] == 1 for name in shares)
    assert full["yaw_median_deg"] == full["flip_rate"] == full["position_median"] == 0
    shorter = [scene.subset(range(len(scene) - 1)) for scene in truths]
    judged = judge(Saying(shorter))
    assert judged.figures["recall"] < 1 == judged.figures["precision"]
    assert judged.figures["answer_accuracy"] < 1
    nothing = judge(Saying([Scene((), s.axes, "predicted", s.camera) for s in truths])).figures
    assert nothing["recall"] == 0
    assert all(np.isfinite(v) for v in nothing.values())


def test_the_worst_pictures_are_those_with_most_mistakes(truths):
    predicted = [
        truths[0],
        truths[1].subset(range(len(truths[1]) - 2)),
        truths[2].subset(range(1)),
        truths[3],
    ]
    assert mistakes(truths[0], truths[0]) == 0
    assert mistakes(predicted[1], truths[1]) == 2
    judged = Judged({}, [np.zeros(1)] * len(truths), truths, predicted)
    assert worst(judged, 2) == [(2, len(truths[2]) - 1), (1, 2)]


def test_questions_of_validation_are_the_same_each_time_and_few(truths):
    query = street_questions(truths, count=50)
    assert len(query) == 50
    assert query == street_questions(truths, count=50)
    assert {k for k, *_ in query} == set(range(4))


def test_less_is_better_of_losses_and_errors():
    assert [better_is_less(f"val{name}") for name in ("", "/yaw_median_deg", "/heading")] == [
        True
    ] * 3
    assert not any(
        better_is_less(f"val/{name}")
        for name in ("recall", "answer_accuracy", "exact", "precision")
    )


@pytest.mark.parametrize("kind", ["street", "top_view", "room_view"])
def test_every_estimator_s_weights_make_an_estimator(kind):
    module, _ = made(kind)
    module.eval()
    picture = np.zeros((64, 64, 3), np.uint8)
    assert (
        len(module.estimator().detect([picture], [1.0] if kind == "room_view" else None).present)
        == 1
    )


def street(**options):
    supplied = {"split": "test", "width": WIDTH, "height": HEIGHT, "batch": 2, "validation": 4}
    return StreetData("superclevr", str(MINI), **supplied, **options)


class Taking(pl.loggers.logger.DummyLogger):
    """A logger that takes pictures."""

    def __init__(self):
        super().__init__()
        self.taken = []

    def log_image(self, key, images, step=None, caption=None):
        self.taken.append((key, [image.shape for image in images], step, caption))


def test_validations_log_figures_of_tables_and_show_the_worst_pictures(tmp_path, monkeypatch):
    taking = Taking()
    monkeypatch.setattr("po3d.training.run.wandb_loggers", lambda *_: [taking])

    def draw(picture, table, truth):
        return picture

    monkeypatch.setattr(callbacks.Figures, "__init__", figures_with(draw))
    _, metrics = run(
        "street", tmp_path, 2, data=street(), val_check_interval=1, limit_val_batches=1
    )
    assert {"val/recall", "val/answer_accuracy", "val"} <= metrics.keys()
    with open(tmp_path / "logs" / "metrics.csv", newline="") as file:
        assert [row["step"] for row in csv.DictReader(file) if row["val/recall"]] == ["0", "1", "2"]
    assert [step for _, _, step, _ in taking.taken] == [1, 2]
    key, shapes, _, captions = taking.taken[0]
    assert key == "worst"
    assert shapes == [(960, 640, 3)] * 4  # the true table above the predicted one
    assert all("errors" in caption for caption in captions)
    assert "val/recall" not in run("street", tmp_path / "no", 1, data=street(), pictures=0)[1]


def test_the_users_config_of_wandb_is_added_to_the_trainings(tmp_path, monkeypatch):
    monkeypatch.setattr("pytorch_lightning.loggers.WandbLogger", lambda **supplied: supplied)
    options = {"project": "a", "config": {"machine": "b"}}
    (supplied,) = runner.wandb_loggers(tmp_path, options, {"steps": 3})
    assert supplied == {
        "project": "a",
        "save_dir": str(tmp_path),
        "config": {"steps": 3, "machine": "b"},
    }
    assert runner.wandb_loggers(tmp_path, None, {}) == []


def figures_with(draw):
    plain = callbacks.Figures.__init__
    return lambda self, pictures, _=None: plain(self, pictures, draw)


# --- the best weights -----------------------------------------------------------------------------


class Killed(BaseException):
    pass


def scored(values):
    """A validation figure "val/made" that takes these values one after the other, by the step."""

    class Scored(pl.Callback):
        def on_validation_epoch_end(self, trainer, module):
            step = trainer.global_step
            module.log("val/made", torch.tensor(values[min(step, len(values)) - 1]))

    return [Scored()]


WATCHED = {"val_check_interval": 1, "limit_val_batches": 1, "monitor": "val/made", "mode": "max"}


def weights(out, name):
    return SafetensorsCheckpointIO().load_checkpoint(out / name)


def test_a_watched_training_ends_with_the_weights_of_its_best_validation(tmp_path):
    pair = tmp_path / "pair"
    module, _ = run(
        "street",
        tmp_path / "a",
        4,
        callbacks=scored([0.1, 0.5, 0.4, 0.3]),
        export=str(pair),
        **WATCHED,
    )
    plain, _ = run("street", tmp_path / "b", 4, callbacks=[])
    best = weights(tmp_path / "a", "best.ckpt")
    assert best["global_step"] == 2
    assert json.loads(pair.with_suffix(".json").read_text())["training"]["steps"] == 2
    for name, value in module.state_dict().items():
        assert torch.equal(value, best["state_dict"][name])
    assert not torch.equal(module.net.dense.weight, plain.net.dense.weight)


def test_a_training_without_a_better_validation_ends_early_and_stays_ended(tmp_path, monkeypatch):
    options = {**WATCHED, "patience": 2, "callbacks": scored([0.1, 0.5, 0.4, 0.3, 0.9])}
    _, metrics = run("street", tmp_path, 5, **options)
    assert weights(tmp_path, "last.ckpt")["global_step"] == 4
    monkeypatch.setattr(EstimatorModule, "training_step", None)
    assert run("street", tmp_path, 5, **options)[1] == metrics


@pytest.mark.parametrize("save_every", [1, 2, 3])
def test_a_watched_training_that_is_killed_twice_ends_as_a_straight_one(
    save_every, tmp_path, monkeypatch
):
    options = {**WATCHED, "patience": 3, "val_check_interval": 2, "save_every": save_every}
    values = [0.0, 0.1, 0.0, 0.6, 0.0, 0.5, 0.0, 0.4, 0.0, 0.3, 0.0, 0.2]
    straight, metrics = run(
        "street", tmp_path / "straight", 12, callbacks=scored(values), **options
    )
    monkeypatch.setattr(MetricsTable, "finalize", lambda *_: None)
    for at, hook in ((4, "on_validation_epoch_start"), (7, "on_before_optimizer_step")):

        def die(self, *_, at=at):
            if self.global_step == at:
                raise Killed

        plain = getattr(EstimatorModule, hook)
        monkeypatch.setattr(
            EstimatorModule, hook, die if "optimizer" in hook else after(plain, die)
        )
        with pytest.raises(Killed):
            run("street", tmp_path / "killed", 12, callbacks=scored(values), **options)
        monkeypatch.setattr(EstimatorModule, hook, plain)
    resumed, again = run("street", tmp_path / "killed", 12, callbacks=scored(values), **options)
    assert again == metrics
    for name in ("best.ckpt", "last.ckpt"):
        one, other = (weights(tmp_path / run, name) for run in ("straight", "killed"))
        assert one["global_step"] == other["global_step"]
    for name, value in resumed.state_dict().items():
        assert torch.equal(value, straight.state_dict()[name]), name


def after(first, second):
    def hook(self, *supplied):
        first(self, *supplied)
        second(self, *supplied)

    return hook


def test_what_can_not_be_watched_is_one_line(tmp_path):
    for options, message in (
        ({"monitor": "val/recall"}, "needs trainer.val_check_interval"),
        ({"patience": 3}, "need trainer.monitor"),
        ({"monitor": "val", "val_check_interval": 1, "mode": "up"}, "unknown trainer.mode"),
        ({"callbacks": [nn.Identity()]}, "Identity is not a Lightning callback"),
        (
            {"monitor": "val/recal", "val_check_interval": 1},
            "is not a metric of this training; known: val, ",
        ),
    ):
        with pytest.raises(InputError, match=message) as error:
            run("street", tmp_path / "out", 2, **options)
        assert "\n" not in str(error.value)


# --- the machine ----------------------------------------------------------------------------------


def command(*options):
    return run_hydra(script.main, "train", None, [f"data.root={MINI}", "data=superclevr", *options])


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is here")
@pytest.mark.parametrize("trainer", ["gpu", "ddp"])
def test_without_a_gpu_one_line_says_so(trainer, tmp_path, capsys):
    assert command("data.split=test", f"trainer={trainer}", f"out={tmp_path / 'out'}", *TINY) == 2
    reply = capsys.readouterr().err
    assert reply.count("\n") == 1
    assert "finds no GPU; use trainer=cpu" in reply


TINY = [
    "data.width=96",
    "data.height=64",
    "model.network.backbone=test_resnet",
    "data.batch=2",
    "data.validation=3",
    "trainer.pictures=3",
]


@pytest.mark.parametrize(
    "given", ["[x]", "[{_target_: no.such.Callback}]", "[{_target_: torch.nn.Identity}]", "3"]
)
def test_a_wrong_callback_is_one_line(given, tmp_path, capsys):
    assert command(f"trainer.callbacks={given}", f"out={tmp_path / 'out'}", *TINY) == 2
    reply = capsys.readouterr().err
    assert reply.count("\n") == 1
    assert "trainer.callbacks" in reply or "not a Lightning callback" in reply


def test_a_run_says_its_figures_and_how_to_evaluate_it_and_nothing_of_libraries(tmp_path, capfd):
    pair, out = tmp_path / "pair", tmp_path / "out"
    options = [
        "data.split=test",
        "steps=1",
        f"out={out}",
        f"export={pair}",
        "+trainer.enable_progress_bar=false",
    ]
    assert (
        command(
            *options, "trainer.callbacks=[{_target_: pytorch_lightning.callbacks.Timer}]", *TINY
        )
        == 0
    )
    printed, errors = capfd.readouterr()
    assert f"python evaluate.py benchmark=pulsecheck457 perception.checkpoint={pair}" in printed
    figures = json.loads((out / "metrics.json").read_text())
    assert "val/answer_accuracy" in figures
    for name, value in figures.items():
        assert f"{value:.4g}" in next(
            line for line in printed.splitlines() if line.split()[:1] == [name]
        )
    for word in ("Tip", "litlogger", "GPU available", "Warning", "deprecated", "WeightAveraging"):
        assert word not in printed + errors


def test_readers_are_as_many_as_cpus_beside_a_gpu(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(12)), raising=False)
    data = NoiseData()
    for loaders, device, processes, readers in (
        (None, "cuda", 1, 12),
        (None, "cuda", 4, 3),
        (None, "cpu", 1, 0),
        (2, "cuda", 1, 2),
        (0, "cuda", 1, 0),
    ):
        strategy = SimpleNamespace(root_device=torch.device(device), num_processes=processes)
        data.trainer = SimpleNamespace(strategy=strategy)
        data.hparams.num_workers = loaders
        assert data.readers() == readers


def test_compiling_without_a_compiler_is_one_line_and_parsers_are_not_compiled(
    tmp_path, monkeypatch
):
    for module, words in zip((parser, room_parser), few_words(), strict=True):
        monkeypatch.setattr(module, "vocabulary", words)
    device = SimpleNamespace(strategy=SimpleNamespace(root_device=torch.device("cpu")))
    with pytest.raises(InputError, match="compile=true supports estimators only"):
        runner.compile_module(made("street_parser")[0], device)

    def broken(*_, **__):
        raise RuntimeError("no compiler\nat all")

    monkeypatch.setattr(torch, "compile", broken)
    with pytest.raises(InputError, match=r"needs a compiler for torch \(no compiler at all\)"):
        runner.compile_module(
            EstimatorModule({**NETWORK, "width": WIDTH, "height": HEIGHT}), device
        )
