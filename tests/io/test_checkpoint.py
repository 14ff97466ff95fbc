"""Checkpoint pairs: what is written is what is read, and half the size costs little."""

import json
import os
import resource
import subprocess
from hashlib import sha256

import pytest
import torch
from safetensors.torch import save as serialise

from po3d.io import paths
from po3d.io.checkpoint import SCALE, compact, git_revision, load, restored, save
from po3d.io.errors import InputError
from po3d.io.quantized import LARGE, unpacked
from po3d.io.seeding import rng


@pytest.fixture
def pair(tmp_path):
    random = rng(3, "checkpoint", 0)
    weights = {
        "conv.weight": torch.tensor(
            random.standard_normal((64, 8, 3, 3)) * random.random((64, 1, 1, 1))
        ).float(),
        "linear.weight": torch.tensor(
            random.standard_normal((10, LARGE // 16))
        ).float(),  # too small to pay
        "linear.bias": torch.tensor(random.standard_normal(LARGE * 2)).float(),
        "steps": torch.tensor(7),
        "dead.weight": torch.zeros(80, 80),
    }
    save(tmp_path / "a", "thing", weights, {"width": 3}, {"seed": 1}, {"loss": 0.5})
    return tmp_path, weights


def test_a_pair_comes_back_in_half_precision(pair):
    folder, weights = pair
    found, meta = load(folder / "a", "thing")
    assert found.keys() == weights.keys()
    assert meta["config"] == {"width": 3}
    for name, value in weights.items():
        assert torch.equal(
            found[name], value.half().float() if value.is_floating_point() else value
        )


def test_a_compact_pair_is_off_by_half_a_step_of_its_channel_at_most(pair):
    folder, weights = pair
    compact(folder / "a", folder / "b")
    found, meta = load(folder / "b", "thing")
    assert found.keys() == weights.keys()
    assert not any(name.endswith(SCALE) for name in found)
    conv = weights["conv.weight"].half().float()
    step = conv.abs().flatten(1).amax(1).view(-1, 1, 1, 1) / 127
    error = (found["conv.weight"] - conv).abs()
    assert (error <= step / 2 + 1e-6).all()
    assert error.max() > 0
    for name in ("linear.weight", "linear.bias", "dead.weight", "steps"):
        assert torch.equal(found[name], load(folder / "a")[0][name])
    old = load(folder / "a")[1]
    assert {**meta, "sha256": 0} == {**old, "sha256": 0}
    sizes = [(folder / f"{name}.safetensors").stat().st_size for name in "ab"]
    assert sizes[1] < sizes[0]


@pytest.mark.parametrize("bits", range(2, 8))
def test_matrices_of_few_bits_come_back_as_well_as_so_few_can(tmp_path, bits):
    matrix = torch.tensor(rng(4, "checkpoint", bits).standard_normal((40, 128)) * 0.01).float()
    weights = {
        "a": matrix,
        "b": torch.linspace(-1, 1, 5000)[None].repeat(2, 1),
        "dead": torch.zeros(80, 80),
    }
    save(tmp_path / "a", "thing", weights, {}, {}, {})
    compact(tmp_path / "a", tmp_path / "b", lambda name: 8 if name == "b" else bits)
    found = load(tmp_path / "b")[0]
    assert found.keys() == weights.keys()
    noise = ((found["a"] - matrix).square().mean() / matrix.square().mean()).item()
    assert (
        noise < {2: 0.13, 3: 0.042, 4: 0.014, 5: 0.005, 6: 0.002, 7: 0.0006}[bits]
    )  # of a normal variable
    assert (found["b"] - weights["b"]).abs().max() < 0.005
    assert found["dead"].abs().max() < 1e-4
    assert all(len(row.unique()) <= 2**bits for row in found["a"])
    with pytest.raises(ValueError, match="not codes"):
        unpacked(torch.zeros(3, bits + 1, dtype=torch.uint8), bits)


def test_weights_that_the_description_was_not_written_for_are_refused(pair):
    folder, _ = pair
    compact(folder / "a", folder / "b")
    (folder / "a.safetensors").write_bytes((folder / "b.safetensors").read_bytes())
    with pytest.raises(InputError, match="sha256"):
        load(folder / "a")
    record = json.loads((folder / "b.json").read_text())
    (folder / "b.json").write_text(json.dumps({**record, "kind": "other"}))
    with pytest.raises(InputError, match="holds a other"):
        load(folder / "b", "thing")


def peak() -> float:
    """Megabytes that this process had at most until now."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize(
    "make", [lambda: torch.nn.Linear(24_000, 24_000), lambda: torch.nn.Embedding(2_000_000, 300)]
)
def test_a_description_of_a_large_network_takes_no_memory_beside_small_weights(make):
    before = peak()
    with pytest.raises(InputError, match="far more parameters than the 9 values of the weights"):
        restored(make, {"weight": torch.zeros(3, 3)}, "x")
    assert peak() - before < 300


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"weight": torch.zeros(2, 3)}, "missing tensor 'bias'"),
        (
            {"weight": torch.zeros(2, 3), "bias": torch.zeros(2), "b": torch.zeros(1)},
            "unexpected tensor 'b'",
        ),
        ({"weight": torch.zeros(3, 2), "bias": torch.zeros(2)}, r"'weight' has shape \(3, 2\)"),
        (
            {"weight": torch.zeros(2, 3, dtype=torch.int64), "bias": torch.zeros(2)},
            r"'weight' has shape \(2, 3\) and type torch.int64",
        ),
    ],
)
def test_the_first_tensor_that_does_not_fit_is_named(weights, message):
    with pytest.raises(InputError, match=message):
        restored(lambda: torch.nn.Linear(3, 2), weights, "x")


def test_a_network_has_the_values_of_its_weights_and_learns():
    made = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    with torch.no_grad():
        made[0].weight.fill_(0.5)
    found = restored(
        lambda: torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)),
        made.state_dict(),
        "x",
    )
    assert {k: v.tolist() for k, v in found.state_dict().items()} == {
        k: v.tolist() for k, v in made.state_dict().items()
    }
    assert all(p.requires_grad for p in found.parameters())
    assert not any(v.is_meta for v in found.state_dict().values())


def test_scales_are_not_spread_over_more_values_than_are_stored(tmp_path):
    tensors = {"a": torch.ones(1, 30_000, dtype=torch.int8), f"a{SCALE}": torch.ones(30_000)}
    (tmp_path / "a.safetensors").write_bytes(content := serialise(tensors))
    record = {
        "format": "po3d-checkpoint-1",
        "kind": "thing",
        "config": {},
        "sha256": sha256(content).hexdigest(),
    }
    (tmp_path / "a.json").write_text(json.dumps(record))
    before = peak()
    with pytest.raises(InputError, match="30000,"):
        load(tmp_path / "a")
    assert peak() - before < 300


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Return the root of a git repository with one commit, as the root of the source tree."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    root = tmp_path / "source"
    root.mkdir()
    (root / "file.py").write_text("one")
    for command in (
        "init -q",
        "add file.py",
        "-c user.name=a -c user.email=a@b commit -q --no-gpg-sign -m first",
    ):
        subprocess.run(["git", *command.split()], cwd=root, check=True)
    monkeypatch.setattr(paths, "ROOT", root)
    return root


def test_the_revision_is_the_commit_and_marks_changed_files(repository):
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, text=True
    ).stdout.strip()
    (repository / "untracked").touch()
    assert git_revision() == head
    assert len(head) == 40
    (repository / "file.py").write_text("two")
    assert git_revision() == head + "+"


def test_a_busy_machine_does_not_change_the_revision(repository, monkeypatch):
    revision, run = git_revision(), subprocess.run

    def busy(command, timeout=None, **options):  # slower than any limit
        if timeout is not None:
            raise subprocess.TimeoutExpired(command, timeout)
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", busy)
    assert git_revision() == revision != ""


def test_the_revision_is_of_no_other_repository(repository, tmp_path, monkeypatch):
    own = git_revision()
    unpacked = repository / "po3d"  # a source tree without history inside another repository
    unpacked.mkdir()
    monkeypatch.setattr(paths, "ROOT", unpacked)
    assert git_revision() == ""
    monkeypatch.setattr(paths, "ROOT", repository)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "another"))  # as in a hook of another repository
    assert git_revision() == own
