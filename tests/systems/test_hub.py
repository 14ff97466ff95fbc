"""A model as a folder and on a hub: what is put there is what comes back, and nothing that is
foreign is believed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from fake_hub import TOKEN, hub
from safetensors.torch import load_file
from untrained import untrained_estimator, untrained_parser

import po3d
from po3d.io import checkpoint
from po3d.io.errors import InputError
from po3d.io.paths import CHECKPOINTS, ROOT
from po3d.systems.pipeline import DOMAIN_MODULES

PICTURE, QUESTION = ROOT / "data" / "examples" / "street.jpg", "How many cars are there?"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    po3d.load("street", mode="marginal").save_pretrained(folder)
    return folder


def spoilt(saved: Path, folder: Path, change) -> str:
    """A copy whose config was changed."""
    folder.mkdir()
    (folder / "model.safetensors").symlink_to(saved / "model.safetensors")
    config = json.loads((saved / "config.json").read_text())
    change(config)
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


def test_a_folder_holds_the_same_tensors_and_answers_the_same(saved):
    stored = load_file(saved / "model.safetensors")
    for name, kind in (("street_estimator", "street_estimator"), ("street_parser", "parser")):
        pair = load_file(CHECKPOINTS / f"{name}.safetensors")
        mine = {k.partition(".")[2]: v for k, v in stored.items() if k.startswith(f"{kind}.")}
        assert mine.keys() == pair.keys()
        assert all(torch.equal(mine[k], v) and mine[k].dtype == v.dtype for k, v in pair.items())
        before, after = (checkpoint.load(path, kind)[1] for path in (CHECKPOINTS / name, saved))
        assert {**before, "sha256": 0} == {**after, "sha256": 0}
    model, usual = po3d.load(str(saved)), po3d.load("street", mode="marginal")
    assert (model.world, model.options["mode"]) == ("street", "marginal")
    assert model.ask(PICTURE, QUESTION).record() == usual.ask(PICTURE, QUESTION).record()


@pytest.mark.parametrize("world", DOMAIN_MODULES)
def test_every_world_has_a_card_and_comes_back(world, tmp_path):
    po3d.load(world).save_pretrained(tmp_path)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    for part in ("Intended use", "Training data", "Figures", "Limits", "Licence"):
        assert f"\n## {part}\n\n" in card
    assert "license: apache-2.0\n" in card
    again = po3d.Model.from_pretrained(tmp_path)
    assert again.world == world
    assert type(again.pipeline.tables) is type(po3d.load(world).pipeline.tables)


def test_a_card_says_that_own_networks_are_own_and_has_the_figures_of_a_report(tmp_path):
    pairs = {
        "perception": str(untrained_estimator(tmp_path)),
        "parser": str(untrained_parser(tmp_path)),
    }
    row = {"name": "L1-Single", "n": 3, "value": 61.5, "ci_low": 50.0, "ci_high": 70.0}
    report = {
        "benchmark": "pulsecheck457",
        "split": "mini",
        "images": 3,
        "scorer": "strict",
        "rows": [row],
    }
    (tmp_path / "report.json").write_text(json.dumps(report))
    model = po3d.load("street", **pairs)
    model.save_pretrained(tmp_path / "out", report=tmp_path / "report.json")
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "trained by whoever saved them" in card
    assert "| L1-Single | 3 | 61.5 | 50.0-70.0 |" in card
    (tmp_path / "report.json").write_text("{}")
    with pytest.raises(InputError, match=r"is not a report\.json"):
        model.save_pretrained(tmp_path / "other", report=tmp_path / "report.json")
    assert not (tmp_path / "other").exists()


def of(kind: str, **changes):
    """A change of a config: fields of a part's own config."""

    def change(config: dict) -> None:
        own = config["parts"][kind]["config"]
        for name, value in changes.items():
            own[name] = {**own[name], **value} if name == "network" else value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(format="x"), "is not of format 'po3d-model-1'"),
        (lambda c: c.update(world="moon"), "unknown world 'moon'"),
        (lambda c: c.update(options={"device": "cuda"}), r"options\.device"),
        (
            lambda c: c.update(options={"photographs": {"_target_": "os.system"}}),
            "options.photographs",
        ),
        (lambda c: c.update(options={"perception": "/etc/passwd"}), r"options\.perception"),
        (lambda c: c.update(options={"samples": 10**9}), r"options\.samples: .* at most 10000"),
        (lambda c: c.update(options={"seed": -1}), r"options\.seed"),
        (lambda c: c.update(options={"margins": "yes"}), r"options\.margins"),
        (lambda c: c.update(options={"table": "truth"}), "unknown option 'scenes'"),
        (
            of("street_estimator", network={"backbone": "vit_giant_patch14_dinov2"}),
            "do not fit this version",
        ),
        (
            of("street_estimator", network={"width": 4096, "height": 4096}),
            "at most 4,194,304 pixels",
        ),
        (of("street_estimator", ranges={"a": [0, "b"]}), "ranges"),
        (of("street_estimator", domains={"street": {"mean": 3}}), "domains"),
        (of("parser", network={"width": 2048}), "do not fit this version"),
        (lambda c: c.update(sha256="0" * 64), "download the pair again"),
        (lambda c: c["parts"].pop("parser"), "contains no parser; it contains 'street_estimator'"),
        (
            lambda c: c["parts"]["parser"].update(kind="room_parser"),
            "holds a room_parser, not a parser",
        ),
    ],
)
def test_a_spoilt_folder_is_refused_in_one_line(saved, tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        po3d.load(spoilt(saved, tmp_path / "spoilt", change))
    with pytest.raises(InputError, match="a folder of several networks"):
        checkpoint.load(saved)


MEMORY = """
import re, sys
from pathlib import Path
import po3d

def megabytes(key):
    return int(re.search(rf"{key}:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1000

po3d.load(sys.argv[1])  # a tiny model: libraries are imported, and their kernels used once
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
before = megabytes("VmRSS")
model = po3d.load(sys.argv[2])
print(megabytes("VmHWM") - before)
"""


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="reads the peak from /proc"
)
def test_a_model_takes_less_than_seven_times_its_folder(tmp_path, saved):
    """The shipped weights have 8 bits and run in 32, four times as much. The rest is the file
    itself, and copies of one layer while layers are fused.
    """
    folder = tmp_path / "shipped"
    po3d.load("street").save_pretrained(folder)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    command = [sys.executable, "-c", MEMORY, str(saved), str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert float(ended.stdout) < 7 * size


SCRIPT = """
import json, sys
import po3d
from po3d.io.errors import InputError
told = {}
model = po3d.load("street")
told["commit"] = model.push_to_hub("org/streets", private=True)
model.push_to_hub("org/streets", branch="v2")
back = po3d.load("hf://org/streets")
told["same"] = back.ask(sys.argv[1], sys.argv[2]).record() == model.ask(sys.argv[1], sys.argv[2]).record()
told["revision"] = po3d.Model.from_pretrained("org/streets", revision="v2").world
for name in ("hf://org/none", "hf://org/streets@v9", "hf://", "hf://a/b/c", "hf://../../etc"):
    try:
        po3d.load(name)
    except InputError as error:
        told[name] = str(error)
try:
    model.push_to_hub("org/streets", token="wrong")
except InputError as error:
    told["token"] = str(error)
json.dump(told, sys.stdout)
"""


def test_what_is_pushed_to_a_hub_is_loaded_from_it_by_the_real_client(tmp_path):
    pytest.importorskip("huggingface_hub")
    with hub() as server:
        own = {
            "HF_ENDPOINT": server.address,
            "HF_TOKEN": TOKEN,
            "HF_HOME": str(tmp_path),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, "-c", SCRIPT, str(PICTURE), QUESTION]
        outcome = subprocess.run(
            command, env={**os.environ, **own}, capture_output=True, text=True, timeout=120
        )
        assert outcome.returncode == 0, outcome.stderr[-3000:]
        report = json.loads(outcome.stdout)
        assert report.pop("same") is True
        assert report.pop("revision") == "street"
        assert report.pop("commit").startswith(f"{server.address}/org/streets/commit/")
        assert sorted(server.models["org/streets", "main"]) == [
            "README.md",
            "config.json",
            "model.safetensors",
        ]
        assert (
            server.models["org/streets", "main"].keys() == server.models["org/streets", "v2"].keys()
        )
        assert not any("README" in query for query in server.asked if query.startswith("GET"))
    assert len(report) == 6
    assert all("\n" not in message for message in report.values()), report
    assert "401" in report["token"]
