"""Checkpoint pairs: what is written is what is read, and half the size costs little."""

import json
import os
import resource
import subprocess
import threading
from hashlib import sha256
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from safetensors.torch import save as serialise

from po3d.io import checkpoint, hub, paths
from po3d.io.checkpoint import (
    REPLACED,
    SCALE,
    SPARE,
    combine,
    compact,
    description,
    digest,
    folder_config,
    git_revision,
    load,
    locate,
    restored,
    save,
)
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
    result, meta = load(folder / "a", "thing")
    assert result.keys() == weights.keys()
    assert meta["config"] == {"width": 3}
    for name, value in weights.items():
        assert torch.equal(
            result[name], value.half().float() if value.is_floating_point() else value
        )


def test_a_compact_pair_is_off_by_half_a_step_of_its_channel_at_most(pair):
    folder, weights = pair
    compact(folder / "a", folder / "b")
    result, meta = load(folder / "b", "thing")
    assert result.keys() == weights.keys()
    assert not any(name.endswith(SCALE) for name in result)
    conv = weights["conv.weight"].half().float()
    step = conv.abs().flatten(1).amax(1).view(-1, 1, 1, 1) / 127
    error = (result["conv.weight"] - conv).abs()
    assert (error <= step / 2 + 1e-6).all()
    assert error.max() > 0
    for name in ("linear.weight", "linear.bias", "dead.weight", "steps"):
        assert torch.equal(result[name], load(folder / "a")[0][name])
    stored = load_file(folder / "b.safetensors")
    assert (stored[f"dead.weight{SCALE}"] > 0).all()  # a channel of zeros is not divided by 0
    old = load(folder / "a")[1]
    assert {**meta, "sha256": 0} == {**old, "sha256": 0}
    sizes = [(folder / f"{name}.safetensors").stat().st_size for name in "ab"]
    assert sizes[1] < sizes[0]


@pytest.mark.parametrize("largest", [1e-3, 0.004, 0.7, 300.0])
def test_scales_in_fp16_clip_no_channel_by_more_than_a_step(tmp_path, largest):
    """Below 6e-5 fp16 has few digits: the rounded scale is used, and no code leaves -127 to 127."""
    matrix = torch.tensor(rng(5, "checkpoint", 1).uniform(-1, 1, (64, 100))).float()
    matrix *= largest / matrix.abs().amax(1, keepdim=True)
    save(tmp_path / "a", "thing", {"a": matrix}, {}, {}, {})
    compact(tmp_path / "a", tmp_path / "b")
    stored, result = load_file(tmp_path / "b.safetensors"), load(tmp_path / "b")[0]["a"]
    assert stored[f"a{SCALE}"].dtype == torch.float16
    assert stored["a"].abs().max() == 127
    assert ((result - matrix).abs() <= largest / 127).all()


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
    result = load(tmp_path / "b")[0]
    assert result.keys() == weights.keys()
    noise = ((result["a"] - matrix).square().mean() / matrix.square().mean()).item()
    assert (
        noise < {2: 0.13, 3: 0.042, 4: 0.014, 5: 0.005, 6: 0.002, 7: 0.0006}[bits]
    )  # of a normal variable
    assert (result["b"] - weights["b"]).abs().max() < 0.005
    assert result["dead"].abs().max() < 1e-4
    assert all(len(row.unique()) <= 2**bits for row in result["a"])
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
    built = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    with torch.no_grad():
        built[0].weight.fill_(0.5)
    result = restored(
        lambda: torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)),
        built.state_dict(),
        "x",
    )
    assert {k: v.tolist() for k, v in result.state_dict().items()} == {
        k: v.tolist() for k, v in built.state_dict().items()
    }
    assert all(p.requires_grad for p in result.parameters())
    assert not any(v.is_meta for v in result.state_dict().values())


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


@pytest.mark.parametrize("name", ["a", "a.safetensors", "a.json", "a.b", "a.b.json"])
def test_a_pair_has_one_name_with_and_without_suffix(tmp_path, name):
    weights = {"w": torch.ones(2, 3), "n": torch.tensor(7), "b": torch.ones(5)}
    path = save(tmp_path / name, "thing", weights, {}, {"seed": 1}, {"loss": 0.5})
    stem = name.removesuffix(".json").removesuffix(".safetensors")
    assert path == tmp_path / f"{stem}.safetensors"
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"{stem}.json", f"{stem}.safetensors"]
    result, meta = load(path)
    assert result.keys() == weights.keys()
    assert (meta["parameters"], meta["kind"]) == (12, "thing")
    assert (meta["training"], meta["metrics"]) == ({"seed": 1}, {"loss": 0.5})
    assert digest(path) == meta["sha256"] == sha256(path.read_bytes()).hexdigest()
    assert description(tmp_path / f"{stem}.json") == meta
    assert load(str(path).removesuffix(".safetensors") + ".json")[1] == meta


def two_pairs(folder: Path) -> tuple[list[Path], dict[str, dict[str, torch.Tensor]]]:
    weights = {
        "one": {"w": torch.full((2, 3), 0.5), "steps": torch.tensor(1)},
        "another": {"w": torch.full((4,), 2.0)},
    }
    built = [save(folder / kind, kind, w, {"a": kind}, {}, {}) for kind, w in weights.items()]
    return [path.with_suffix("") for path in built], weights


def test_a_model_folder_holds_each_pair_as_it_was(tmp_path):
    pairs, weights = two_pairs(tmp_path)
    folder = tmp_path / "model"
    folder.mkdir()
    config = combine(pairs, folder, {"world": "street", "options": {"seed": 3}})
    assert folder_config(folder) == config
    assert list(config) == ["format", "world", "options", "parts", "sha256"]
    assert digest(folder) == sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    for pair, (kind, own) in zip(pairs, weights.items()):
        result, meta = load(folder, kind)
        assert {k: v.tolist() for k, v in result.items()} == {k: v.tolist() for k, v in own.items()}
        assert {**meta, "sha256": load(pair)[1]["sha256"]} == load(pair)[1]
        assert meta["sha256"] == config["sha256"]
    with pytest.raises(InputError, match="a folder of several networks"):
        load(folder)
    with pytest.raises(InputError, match="contains no third; it contains 'one', 'another'"):
        load(folder, "third")
    weights_file = folder / "model.safetensors"
    weights_file.write_bytes(weights_file.read_bytes() + b" ")
    with pytest.raises(InputError, match=f"expects {config['sha256'][:12]}[.]{{3}};"):
        load(folder, "one")


@pytest.mark.parametrize("config", [[], {}, {"format": "po3d-model-0"}, 3])
def test_a_folder_of_another_format_is_refused(tmp_path, config):
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="is not of format 'po3d-model-1'"):
        folder_config(tmp_path)
    (tmp_path / "a.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="is not of format 'po3d-checkpoint-1'"):
        load(tmp_path / "a")


def test_older_names_of_a_folders_options_are_renamed(tmp_path, monkeypatch):
    pairs, _ = two_pairs(tmp_path)
    renamed = lambda options: {k.removeprefix("old_"): v for k, v in options.items()}  # noqa: E731
    monkeypatch.setattr(checkpoint, "new_settings", renamed)
    combine(pairs, tmp_path, {"world": "street", "options": {"old_seed": 3}})
    assert folder_config(tmp_path)["options"] == {"seed": 3}
    (tmp_path / "config.json").write_text(
        json.dumps({**json.loads((tmp_path / "config.json").read_text()), "options": [1]})
    )
    with pytest.raises(InputError, match="options"):
        folder_config(tmp_path)


@pytest.mark.parametrize("suffix", [".ckpt", ".pt", ".pth", ".pkl", ".bin"])
def test_pickles_and_missing_files_are_refused_by_name(tmp_path, suffix):
    (tmp_path / f"a{suffix}").touch()
    with pytest.raises(InputError, match=f"a{suffix}: pickled files are not supported"):
        load(tmp_path / f"a{suffix}")
    path = save(tmp_path / "b", "thing", {"w": torch.ones(2)}, {}, {}, {})
    path.unlink()
    with pytest.raises(InputError, match="weights not found"):
        load(tmp_path / "b", "thing")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(tmp_path, value):
    weights = {"a": torch.ones(3), "b": torch.tensor([1.0, value])}
    path = save(tmp_path / "a", "thing", weights, {}, {}, {})
    with pytest.raises(InputError, match="the tensor 'b' contains non-finite values"):
        load(path)
    path.write_bytes(b"no tensors")
    record = json.loads(path.with_suffix(".json").read_text())
    record["sha256"] = sha256(b"no tensors").hexdigest()
    path.with_suffix(".json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="cannot be read"):
        load(path)


@pytest.mark.parametrize(("more", "message"), [(0, "missing tensor"), (1, "far more")])
def test_parameters_are_limited_by_the_values_of_the_weights(more, message):
    values = 1250
    limit = REPLACED * values + SPARE
    assert limit == 4000 * 5000 + 5000

    def make():
        one_more = [torch.nn.PReLU() for _ in range(more)]
        return torch.nn.Sequential(torch.nn.Linear(4000, 5000), *one_more)

    with pytest.raises(InputError, match=message):
        restored(make, {"weight": torch.zeros(values)}, "x")


def test_a_network_built_in_another_thread_has_its_own_values():
    class Made(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.own = torch.nn.Linear(2, 2)
            self.register_parameter("none", None)
            self.own.bias.requires_grad = False
            here: list[torch.nn.Module] = []
            thread = threading.Thread(target=lambda: here.append(torch.nn.Linear(3, 3)))
            thread.start()
            thread.join()
            self.others.append(here[0])

        others: list = []  # noqa: RUF012

    weights = {"own.weight": torch.ones(2, 2), "own.bias": torch.zeros(2)}
    result = restored(Made, weights, "x")
    (other,) = Made.others
    assert not other.weight.is_meta
    assert other.weight.abs().sum() > 0  # initialised
    assert result.own.weight.tolist() == [[1, 1], [1, 1]]
    assert [p.requires_grad for p in result.parameters()] == [True, False]
    assert torch.nn.Linear(2, 2).weight.abs().sum() > 0  # the hook is gone


def test_constants_beside_the_parameters_keep_their_values():
    class Made(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.empty(2))
            torch.nn.init.normal_(tensor=self.weight)
            self.weight.data.uniform_()
            constant = torch.zeros(2000)
            torch.nn.init.normal_(constant)
            self.constant = constant.uniform_(4, 5)

    result = restored(Made, {"weight": torch.tensor([1.0, 2.0])}, "x")
    assert result.weight.tolist() == [1, 2]
    assert 4 <= result.constant.min() <= result.constant.max() <= 5
    assert result.constant.std() > 0.1


@pytest.mark.parametrize(
    "error", [RuntimeError, ValueError, TypeError, KeyError, AttributeError, AssertionError]
)
def test_a_network_that_cannot_be_built_is_one_line(error):
    def make():
        raise error("a\n b\x1b " + "c" * 300)

    with pytest.raises(InputError) as raised:
        restored(make, {}, "x")
    text = str(raised.value)
    assert text.startswith("checkpoint x: the weights or the description do not fit")
    assert not {"\n", "\x1b"} & set(text)
    assert 150 < text.count("c") < 210


def test_tensors_of_a_scale_have_its_shape_and_any_other_is_an_error():
    with pytest.raises(InputError, match="unexpected tensor 'a'"):
        restored(torch.nn.Identity, {"a": torch.zeros(1)}, "x")
    assert isinstance(restored(torch.nn.Identity, {}, "x"), torch.nn.Identity)


def test_a_name_is_examined_up_here_then_among_exports_then_among_shipped_ones(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    exports = tmp_path / "exports"
    exports.mkdir()
    monkeypatch.setattr(paths, "EXPORTS", exports)
    assert locate("mine") == paths.CHECKPOINTS / "mine"
    (exports / "mine.json").touch()
    assert locate("mine") == exports / "mine"
    (tmp_path / "mine.json").touch()
    assert locate("mine") == Path("mine")
    assert locate("mine.json") == Path("mine.json")
    assert locate("exports/other") == Path("exports/other")
    assert locate(exports) == exports
    monkeypatch.setattr(hub, "fetch", lambda address: Path("cache") / address[5:])
    assert locate("hf://a/b") == Path("cache/a/b")


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


def test_a_wheel_has_the_revision_that_it_was_built_from(tmp_path, monkeypatch):
    (tmp_path / "revision").write_text("abc")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    assert git_revision() == ""
    monkeypatch.setattr(paths, "INSTALLED", True)
    assert git_revision() == "abc"


@pytest.mark.parametrize("error", [OSError, subprocess.SubprocessError])
def test_without_git_or_with_a_broken_repository_the_revision_is_unknown(
    repository, monkeypatch, error
):
    (repository / ".git" / "HEAD").write_text("nothing")
    assert git_revision() == ""

    def fails(*_, **__):
        raise error

    monkeypatch.setattr(subprocess, "run", fails)
    assert git_revision() == ""
