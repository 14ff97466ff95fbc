"""Old names of modules, classes, options and commands work for one release, each with its
notice.
"""

import importlib
import importlib.util
import re
import subprocess
import sys

import pytest
from omegaconf import OmegaConf

from po3d.cli.main import COMMANDS, parsed
from po3d.io import deprecated_names
from po3d.io.config import compose
from po3d.io.deprecated_names import new_command, new_module, new_options, table
from po3d.io.paths import ROOT


def fresh(name):
    for module in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
        del sys.modules[module]
    with pytest.warns(DeprecationWarning, match="is deprecated"):
        return importlib.import_module(name)


def test_an_old_module_is_the_new_one_with_a_warning():
    from po3d.systems import api

    old = fresh("po3d.systems.asking")
    assert old.load is api.load
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = old.nothing


def test_a_module_inside_a_renamed_package_is_found():
    from po3d.synthesis.top_view import layouts

    fresh("po3d.synthesis.rooms")
    assert fresh("po3d.synthesis.rooms.layouts").sample_room is layouts.sample_room


def test_an_old_class_of_the_pipeline_is_the_new_one():
    from po3d.systems import pipeline

    with pytest.warns(DeprecationWarning, match="Reading is deprecated; use ParsedQuestion"):
        assert pipeline.Reading is pipeline.ParsedQuestion
    with pytest.raises(AttributeError):
        _ = pipeline.NeverThere


def test_an_old_name_in_an_old_module():
    from po3d.systems.domain_router import DomainRouter

    old = fresh("po3d.systems.choosing")
    with pytest.warns(DeprecationWarning, match="Chooser is deprecated; use DomainRouter"):
        assert old.Chooser is DomainRouter


def test_an_unknown_module_is_still_unknown():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("po3d.systems.never_there")
    assert new_module("numpy.linalg") is None


def test_every_row_of_the_table_names_something():
    for new in table()["modules"].values():
        assert importlib.util.find_spec(new) is not None, new
    for key, new in table()["names"].items():
        where, _, name = new.rpartition(":")
        module = where or key.partition(":")[0]
        path = importlib.util.find_spec(module).origin
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert re.search(rf"^(class |def )?{name}\b", text, re.MULTILINE), key
    assert set(table()["commands"].values()) <= set(COMMANDS)


@pytest.mark.parametrize("key", sorted(table()["options"].values()))
def test_new_options_are_options(key):
    script, groups = ("train", ["data=online"]) if key.startswith("data.") else ("evaluate", [])
    if key == "data.num_workers":
        groups = ["data=superclevr"]
    if key.startswith("perception."):
        groups = ["perception=foundation"]
    assert OmegaConf.select(compose(script, groups), key, default="missing") != "missing"


def test_an_old_option_is_taken_with_one_line(capsys):
    if "twins" not in table()["options"]:
        pytest.skip("options keep their names")
    assert new_options(["twins=a", "+seed=1", "out=twins=b"]) == [
        "synthetic_dir=a",
        "+seed=1",
        "out=twins=b",
    ]
    assert capsys.readouterr().err.count("\n") == 1


def test_an_old_command_is_taken_with_one_line(capsys):
    if "trust" not in table()["commands"]:
        pytest.skip("commands keep their names")
    assert new_command(["trust", "a.jsonl"]) == ["calibration", "a.jsonl"]
    assert "po3d trust is deprecated" in capsys.readouterr().err
    assert parsed(["calibration", "a.jsonl", "--benchmark", "scope"])


def test_installing_twice_changes_nothing():
    before = list(sys.meta_path)
    deprecated_names.install()
    assert sys.meta_path == before


def test_an_old_module_runs_as_a_script():
    if "po3d.training.compact" not in table()["modules"]:
        pytest.skip("keeps its name")
    command = [sys.executable, "-W", "ignore", "-m", "po3d.training.compact", "--help"]
    process = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert process.returncode == 0, process.stderr
    assert "usage" in process.stdout
