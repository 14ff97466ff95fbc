"""A training that is killed goes on with exactly the samples that were left, and ends with the same weights."""

import csv

import pytest
import torch
from tiny_trainings import BATCH, SAMPLES, few_words, run

from po3d.training import parser, room_parser
from po3d.training.estimator import EstimatorModule
from po3d.training.parser import ParserModule

EPOCH = SAMPLES // BATCH  # steps


class Killed(BaseException):
    pass


@pytest.fixture(autouse=True)
def small_vocabularies(monkeypatch):
    for module, words in zip((parser, room_parser), few_words(), strict=True):
        monkeypatch.setattr(module, "vocabulary", words)


@pytest.fixture
def killed_at(monkeypatch):
    """Let a training die at the beginning of a step."""

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


@pytest.mark.parametrize("epochs", [1, 2])
@pytest.mark.parametrize("kind", ["street", "street_parser", "room_parser"])
def test_a_run_killed_again_and_again_ends_with_the_same_weights_and_table(
    kind, epochs, tmp_path, killed_at
):
    steps = epochs * EPOCH
    straight, metrics = run(kind, tmp_path / "straight", steps)
    for eighth in (1, 3, 5, 7):
        killed_at(eighth * steps // 8)
        with pytest.raises(Killed):
            run(kind, tmp_path / "killed", steps, save_every=1 + eighth % 2)
    killed_at(-1)
    resumed, again = run(kind, tmp_path / "killed", steps)
    expected = state(straight)
    for name, value in state(resumed).items():
        assert torch.equal(value, expected[name]), name
    assert again == metrics
    assert rows(tmp_path / "killed") == rows(tmp_path / "straight")
    assert [int(row["step"]) for row in rows(tmp_path / "killed")] == list(range(steps + 1))
