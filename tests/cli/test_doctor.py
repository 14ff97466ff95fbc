import json
import shutil
import subprocess

import pytest

from po3d.cli import doctor
from po3d.cli.main import main
from po3d.io import paths


def text_of(capsys, *more: str) -> tuple[int, dict]:
    code = main(["doctor", "--json", *more])
    return code, json.loads(capsys.readouterr().out)


def test_what_is_shipped_is_whole_and_the_core_is_there(capsys):
    code, page = text_of(capsys)
    states = {row["what"]: row["state"] for row in page["checks"]}
    assert code == 0
    assert page["ok"]
    assert states["po3d"] == "ok"
    cards = [card.stem for card in paths.CHECKPOINTS.glob("*.json")]
    assert cards
    assert all(states[f"checkpoint {name}"] == "ok" for name in cards)


def test_a_line_each_with_a_remedy_where_something_lacks(capsys, monkeypatch):
    monkeypatch.setattr(
        doctor.importlib.util, "find_spec", lambda name: None if name == "moderngl" else object()
    )
    assert main(["doctor"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "renderer" in line]
    assert line.split()[0] == "absent"
    assert "pip install 'po3d[synthesis]'" in line


def test_a_renderer_that_does_not_start_is_a_line(monkeypatch):
    def slow(command, timeout, **options):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(doctor.subprocess, "run", slow)
    check = doctor._renderer()
    assert not check.state
    assert check.remedy == "the renderer did not start within 120 s"


@pytest.mark.parametrize("harm", ["bytes", "gone"])
def test_a_broken_checkpoint_is_named_and_counts(capsys, monkeypatch, tmp_path, harm):
    for suffix in (".json", ".safetensors"):
        shutil.copy(paths.CHECKPOINTS / f"street_parser{suffix}", tmp_path)
    weights = tmp_path / "street_parser.safetensors"
    if harm == "bytes":
        weights.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    else:
        weights.unlink()
    monkeypatch.setattr(paths, "CHECKPOINTS", tmp_path)
    monkeypatch.setattr(doctor, "devices", lambda: ())  # the renderer's process takes seconds
    code, page = text_of(capsys)
    (row,) = [row for row in page["checks"] if row["what"] == "checkpoint street_parser"]
    assert (code, page["ok"], row["state"]) == (1, False, "MISSING")
    assert "street_parser.safetensors" in row["remedy"]


def test_requirements_are_compared_with_what_is_installed():
    query = [
        "numpy>=2",
        "numpy>=999",
        "no-such-package>=1",
        "torch; extra == 'gpu'",
        "absent==3; extra == 'gpu'",
    ]
    assert doctor._missing(query, None) == ["numpy>=999", "no-such-package>=1"]
    assert doctor._missing(query, "gpu") == ["absent==3"]
    assert doctor._missing(["absent; extra == 'gpu' and python_version < '3'"], "gpu") == []
