"""A wheel holds everything that po3d looks for at the top of its repository, and finds it away from
there.
"""

import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from po3d import __main__ as po3d
from po3d.benchmarks.registry import BENCHMARKS
from po3d.io import checkpoint, paths

setuptools = pytest.importorskip("setuptools")

LOOK = """
from pathlib import Path
from po3d.io import paths
from po3d.io.config import compose, run_hydra
assert paths.INSTALLED
for place in (paths.CONFIGS, paths.CHECKPOINTS, paths.MINI, paths.NATURAL):
    assert place.is_dir() and Path(paths.__file__).parents[1] in place.parents
assert str(paths.EXPORTS) == "checkpoints"
compose("evaluate", ["+experiment=oracle_grid"]), compose("train", ["experiment=street_parser"])
run_hydra(None, "train", "python train.py experiment=street_parser", ["--help"])
"""


def wheel_step():
    spec = importlib.util.spec_from_file_location("wheel_step", paths.ROOT / "tools" / "wheel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_wheel_holds_all_that_is_examined_for():
    files = {paths.ROOT / name for name in wheel_step().shipped()}
    assert {paths.script(name) for name in ("evaluate", "train")} <= files
    places = [paths.CONFIGS, paths.CHECKPOINTS, paths.MINI, paths.NATURAL]
    for folder in [*places, *(source.mini for source in BENCHMARKS.values())]:
        assert {path for path in folder.rglob("*") if path.is_file()} <= files


def test_an_installed_package_finds_its_files_in_any_folder(tmp_path, monkeypatch):
    step = wheel_step()
    monkeypatch.chdir(paths.ROOT)
    target = tmp_path / "site"
    packages = setuptools.find_packages(str(paths.ROOT), include=["po3d*"])
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    data = project["tool"]["setuptools"]["package-data"]
    settings = {"packages": packages, "package_data": data, "script_name": "setup.py"}
    command = step.BuildPy(setuptools.Distribution(settings))
    command.build_lib = str(target)
    command.finalize_options()
    command.build_lib = str(target)
    command.run()
    assert all(Path(path).exists() for path in command.get_outputs(include_bytecode=False))
    (tmp_path / "empty").mkdir()
    outcome = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=tmp_path / "empty",
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
    )
    assert outcome.returncode == 0, outcome.stderr[-2000:]
    assert outcome.stdout.startswith(
        "po3d train experiment=street_parser"
    )  # there is no train.py to run
    assert not any((tmp_path / "empty").iterdir())


def test_an_editable_install_gets_no_copies(tmp_path, monkeypatch):
    step = wheel_step()
    monkeypatch.chdir(paths.ROOT)
    command = step.BuildPy(setuptools.Distribution({"packages": [], "script_name": "setup.py"}))
    command.build_lib, command.editable_mode = str(tmp_path), True
    command.finalize_options()
    command.run()
    assert not any(tmp_path.iterdir())


def test_what_an_installed_package_exports_is_detected_in_the_working_directory(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paths, "EXPORTS", Path("checkpoints"))
    assert checkpoint.locate("street_parser") == paths.CHECKPOINTS / "street_parser"
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "mine.json").touch()
    assert checkpoint.locate("mine") == Path("checkpoints/mine")
    (tmp_path / "mine.json").touch()
    assert checkpoint.locate("mine") == Path("mine")
    assert checkpoint.locate("elsewhere/mine.safetensors") == Path("elsewhere/mine.safetensors")


def test_an_installed_package_knows_the_commit_that_it_was_built_from(tmp_path, monkeypatch):
    (tmp_path / "revision").write_text("abc")
    monkeypatch.setattr(paths, "INSTALLED", True)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    assert checkpoint.git_revision() == "abc"


@pytest.mark.parametrize("name", ["evaluate", "train"])
def test_the_scripts_are_commands_of_po3d(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["po3d"])
    with pytest.raises(SystemExit) as ended:
        po3d.main([name, "--help"])
    assert ended.value.code == 0
    assert f"Options and their defaults (configs/{name}.yaml):" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        po3d.main([name, "sede=3"])
    assert ended.value.code == 2
    assert "did you mean seed" in capsys.readouterr().err
