"""A training that is killed goes on with exactly the samples that were left, and ends with the same
weights.
"""

import csv
import importlib.util
import json
import math
import shutil

import pytest
import torch
from tiny_trainings import BATCH, SAMPLES, few_words, run

from po3d.io.config import ROOT
from po3d.io.errors import InputError
from po3d.training import parser, room_parser
from po3d.training.callbacks import MetricsTable, decay_after
from po3d.training.estimator import EstimatorModule
from po3d.training.parser import ParserModule

EPOCH = SAMPLES // BATCH  # steps
_SPEC = importlib.util.spec_from_file_location("train_script", ROOT / "train.py")
script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(script)


class Killed(BaseException):
    pass


@pytest.fixture(autouse=True)
def small_vocabularies(monkeypatch):
    for module, words in zip((parser, room_parser), few_words(), strict=True):
        monkeypatch.setattr(module, "vocabulary", words)


@pytest.fixture
def killed_at(monkeypatch):
    """Let a training die in the midst of a step, without a last word to its files."""
    monkeypatch.setattr(MetricsTable, "finalize", lambda *_: None)

    def kill(step: int) -> None:
        for kind in (EstimatorModule, ParserModule):
            monkeypatch.setattr(kind, "on_before_optimizer_step", die_at(step), raising=False)

    def die_at(step: int):
        def hook(self, optimizer) -> None:
            if self.global_step == step:
                raise Killed

        return hook

    return kill


def state(module):
    return {name: value.clone() for name, value in module.state_dict().items()}


def rows(out):
    with open(out / "logs" / "metrics.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("kind", ["street", "street_parser", "room_parser"])
def test_a_run_killed_again_and_again_ends_with_the_same_weights_and_table(
    kind, tmp_path, killed_at
):
    """In both epochs, and just after a checkpoint as well as a step later."""
    steps = 2 * EPOCH
    straight, metrics = run(kind, tmp_path / "straight", steps, save_every=100)
    for step in (1, 4, 11, 14):
        killed_at(step)
        with pytest.raises(Killed):
            run(kind, tmp_path / "killed", steps, save_every=2)
    killed_at(-1)
    resumed, again = run(kind, tmp_path / "killed", steps, save_every=5)
    expected = state(straight)
    for name, value in state(resumed).items():
        assert torch.equal(value, expected[name]), name
    assert again == metrics
    assert rows(tmp_path / "killed") == rows(tmp_path / "straight")
    assert [int(row["step"]) for row in rows(tmp_path / "killed")] == list(range(steps + 1))


def everything(folder):
    return {
        p.relative_to(folder): (p.read_bytes(), p.stat().st_mtime_ns)
        for p in folder.rglob("*")
        if p.is_file()
    }


def test_repeating_a_finished_command_trains_and_deletes_nothing_and_exports_the_same(
    tmp_path, monkeypatch
):
    out, pair = tmp_path / "out", tmp_path / "pair"
    first, metrics = run("street", out, 3, export=str(pair))
    weights, table = pair.with_suffix(".safetensors").read_bytes(), rows(out)
    described = json.loads(pair.with_suffix(".json").read_text())
    monkeypatch.setattr(EstimatorModule, "training_step", None)
    again, same = run("street", out, 3, export=str(pair))
    assert same == metrics == json.loads((out / "metrics.json").read_text()) == described["metrics"]
    assert pair.with_suffix(".safetensors").read_bytes() == weights
    assert json.loads(pair.with_suffix(".json").read_text()) == described
    assert rows(out) == table
    assert all(torch.equal(value, state(again)[name]) for name, value in state(first).items())


def test_final_figures_are_of_the_averaged_weights_that_are_exported(tmp_path):
    """A run killed after its last step, before its figures were made, is one that validates and
    does nothing else.
    """
    out = tmp_path / "out"
    run("street", out, 5, ema=0.9, save_every=2)
    metrics = json.loads((out / "metrics.json").read_text())
    (out / "metrics.json").unlink()
    exported, alone = run("street", out, 5, ema=0.9, save_every=2)
    assert alone == metrics
    raw, other = run("street", tmp_path / "raw", 5, ema=0.0)
    assert other["val"] != metrics["val"]
    assert not torch.equal(raw.net.dense.weight, exported.net.dense.weight)


def test_a_short_average_forgets_where_it_began():
    retained = math.prod(decay_after(steps, 0.999) for steps in range(1, 101))
    assert retained < 1e-3 < 0.9 < 0.999**100
    assert decay_after(100_000, 0.999) == 0.999


def test_a_folder_of_another_training_is_refused_and_left_alone(tmp_path):
    out = tmp_path / "out"
    run("street", out, 2, config={"model": {"width": 16}, "data": {"workers": 2}})
    before = everything(out)
    with pytest.raises(InputError, match=r"other options \(model\.width\)"):
        run("street", out, 2, config={"model": {"width": 32}, "data": {"workers": 2}})
    with pytest.raises(InputError, match="2 samples per step, not 4"):
        run("street", out, 2, batch=4, config={"model": {"width": 16}, "data": {"workers": 9}})
    with pytest.raises(InputError, match="does not fit this network"):
        run("top_view", out, 2, config={"model": {"width": 16}, "data": {"workers": 2}})
    assert everything(out) == before


@pytest.mark.parametrize("file", ["tensors.safetensors", "state.json"])
@pytest.mark.parametrize("damage", ["cut", "empty", "gone"])
def test_a_damaged_checkpoint_is_one_line(file, damage, finished, tmp_path):
    shutil.copytree(finished, tmp_path / "out")
    path = tmp_path / "out" / "last.ckpt" / file
    data = path.read_bytes()
    path.unlink()
    if damage != "gone":
        path.write_bytes(data[: len(data) // 2] if damage == "cut" else b"")
    before = everything(tmp_path / "out")
    with pytest.raises(InputError) as error:
        run("street", tmp_path / "out", 2)
    assert "\n" not in str(error.value)
    assert everything(tmp_path / "out") == before


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("finished")
    run("street", out, 2)
    return out


def test_one_command_gives_one_model(tmp_path):
    result = [run("street", tmp_path / name, 2)[0] for name in ("one", "two")]
    one, two = map(state, result)
    assert all(torch.equal(value, two[name]) for name, value in one.items())


def test_the_command_seeds_before_it_builds_the_model(monkeypatch):
    sampled = []
    monkeypatch.setattr(script, "build", lambda node: torch.rand(()).item())
    monkeypatch.setattr(script, "train", lambda module, data, **_: sampled.append((module, data)))
    plain = dict.fromkeys(
        ("out", "trainer", "export", "ema", "save_every", "wandb", "model", "data")
    )
    for seed in (3, 3, 4):
        script.fit({**plain, "trainer": {}, "compile": False, "seed": seed})
    assert sampled[0] == sampled[1] != sampled[2]


def test_frozen_batch_statistics_stay_after_a_resume(tmp_path, killed_at):
    killed_at(2)
    with pytest.raises(Killed):
        run("street", tmp_path, 4, module={"freeze_backbone": True})
    killed_at(-1)
    trained, _ = run("street", tmp_path, 4, module={"freeze_backbone": True})
    statistics = {
        k: v for k, v in state(trained.net.backbone).items() if "running" in k or "batches" in k
    }
    assert statistics
    for name, value in statistics.items():
        assert (value == (1 if name.endswith("var") else 0)).all(), name
