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
from po3d.io.deprecated_names import (
    new_command,
    new_config,
    new_module,
    new_options,
    new_settings,
    table,
)
from po3d.io.paths import ROOT
from po3d.io.run_names import row_name
from po3d.io.runs import PREDICTIONS, Run, described, finish, finished


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


def test_a_module_inside_a_renamed_package_is_detected():
    from po3d.synthesis.top_view import layouts

    fresh("po3d.synthesis.rooms")
    assert fresh("po3d.synthesis.rooms.layouts").sample_room is layouts.sample_room


def test_an_old_class_of_the_pipeline_is_the_new_one():
    from po3d.systems import pipeline

    with pytest.warns(
        DeprecationWarning, match="Reading is deprecated; use po3d.systems.domain:ParsedQuestion"
    ):
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


CHOICES = {  # what an option of a group needs to be one: the script and its choices
    "data.": ("train", ["data=online"]),
    "data.num_workers": ("train", ["data=superclevr"]),
    "model.": ("train", ["model=reader"]),
    "perception.detector": ("evaluate", ["perception=foundation"]),
    "perception.depth": ("evaluate", ["perception=foundation"]),
    "benchmark.": ("evaluate", ["benchmark=scope"]),
    "system.": ("evaluate", ["system=lmm", "system.base_url=x", "system.model=m"]),
}


def composed(key, *more):
    script, groups = next(
        (CHOICES[k] for k in sorted(CHOICES, reverse=True) if key.startswith(k)), ("evaluate", [])
    )
    return compose(script, [*groups, *more])


@pytest.mark.parametrize("key", sorted(table()["options"].values()))
def test_new_options_are_options(key):
    assert OmegaConf.select(composed(key), key, default="missing") != "missing"


OLD = {  # an old option -> a value, and today's option
    "twins=a": "synthetic_dir=a",
    "beside=[a]": "compare_to=[a]",
    "data.visits=2": "data.replay=2",
    "data.kept=a": "data.replay_dir=a",
    "data.loaders=2": "data.num_workers=2",
    "data.mirror=false": "data.flip=false",
    "model.start=reader": "model.init_from=reader",
    "benchmark.samples=8": "executor.samples=8",
    "model.still=3": "model.freeze_layers=3",
    "reader=own": "parser=benchmark",
    "reader=learned": "parser=general",
    "reader=both": "parser=cascade",
    "parser=shipped": "parser=cascade",
    "benchmark.table=truth": "benchmark.scenes=ground_truth",
    "benchmark.table=picture": "benchmark.scenes=predicted",
    "benchmark.dials.near=0.5": "benchmark.difficulty.near=0.5",
    "benchmark.dials={near: 0.5}": "benchmark.difficulty={near: 0.5}",
    "perception.mirror=false": "perception.flip_tta=false",
    "perception.verify=render": "perception.refine=render_compare",
    "perception.verify=off": "perception.refine=off",
    "perception.detector.weights=a": "perception.detector.transformers=a",
    "perception.depth.weights=a": "perception.depth.transformers=a",
    "system.table=truth": "system.scenes=ground_truth",
    "system.table=predicted": "system.scenes=predicted",
    "system.scenes=runs/a/scenes.jsonl": "system.scenes_file=runs/a/scenes.jsonl",
}


@pytest.mark.parametrize("old", OLD)
def test_every_old_option_is_todays_with_one_line(old, capsys):
    assert new_options([old]) == [OLD[old]]
    notice = capsys.readouterr().err
    assert notice.count("\n") == 1
    assert f"use {OLD[old]}" in notice
    key = OLD[old].partition("=")[0]
    if key == "parser":
        assert composed(key, old).parser.mode == OLD[old].partition("=")[2]
    else:
        assert OmegaConf.select(composed(key, old), key) is not None


def test_the_old_options_of_this_test_are_all():
    tested = {old.partition("=")[0] for old in OLD}
    assert {next((k for k in table()["options"] if o.startswith(k)), o) for o in tested} == {
        *table()["options"],
        "parser",
        "system.scenes",
    }


def test_todays_options_give_no_line(capsys):
    today = [*OLD.values(), "system.scenes=none", "parser.checkpoint=own", "+seed=1", "--help"]
    assert new_options(today) == today
    assert new_options(["-m", "reader=own,learned"]) == ["-m", "parser=benchmark,general"]
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"table": "truth", "frame": "anchors"}, {"scenes": "ground_truth", "frame": "anchors"}),
        ({"table": "map", "verify": "render"}, {"scenes": "map", "refine": "render_compare"}),
        ({"table": "none", "scenes": None}, {"scenes": "none", "scenes_file": None}),
        ({"table": "predicted", "scenes": "a"}, {"scenes": "predicted", "scenes_file": "a"}),
        ({"parser": None, "reader": "both"}, {"parser_checkpoint": None, "parser": "cascade"}),
        ({"parser": "runs/mine"}, {"parser_checkpoint": "runs/mine"}),
        ({"mirror": False, "mode": "argmax"}, {"flip_tta": False, "mode": "argmax"}),
    ],
)
def test_stored_settings_get_todays_names(old, new):
    assert new_settings(old) == new
    assert new_settings(new) == new


def test_a_run_of_before_is_the_same_run_under_todays_names(tmp_path):
    system = {"name": "po3d", "parser": None, "reader": "own", "table": "picture", "verify": None}
    today = {
        "name": "po3d",
        "parser_checkpoint": None,
        "parser": "benchmark",
        "scenes": "predicted",
        "refine": None,
    }
    (tmp_path / PREDICTIONS).write_text("")
    run = Run({"system": system}, {"system": "po3d", "settings": {"table": "truth"}})
    written = tmp_path / "new"
    written.write_text("")
    finish(tmp_path, run, written)
    assert finished(tmp_path, Run({"system": today}, {}))
    assert row_name(described(tmp_path)) == "po3d, true tables"


def test_the_config_of_a_training_of_before_is_todays():
    old = {"data": {"mirror": True, "batch": 8}, "model": {"start": "", "still": 0}, "seed": 1}
    assert new_config(old) == {
        "data": {"flip": True, "batch": 8},
        "model": {"init_from": "", "freeze_layers": 0},
        "seed": 1,
    }


def test_keyword_arguments_of_load_get_todays_names(monkeypatch):
    from po3d.systems import api

    supplied = []
    monkeypatch.setattr(api, "build_pipeline", lambda world, scenes: supplied.append(scenes))
    with pytest.warns(DeprecationWarning, match="table= is deprecated; use scenes="):
        api.load("orbit", table="truth")
    assert supplied == ["ground_truth"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["ask", "a", "b", "--reader", "own"], ["ask", "a", "b", "--parser", "benchmark"]),
        (["ask", "a", "b", "--reader=learned"], ["ask", "a", "b", "--parser=general"]),
        (
            ["export", "--table", "predicted", "--scenes", "a.jsonl"],
            ["export", "--scenes", "predicted", "--scenes-file", "a.jsonl"],
        ),
    ],
)
def test_old_flags_are_taken(old, new, capsys):
    assert new_command(old) == new
    assert "is deprecated" in capsys.readouterr().err
    assert new_command(new) == new
    assert capsys.readouterr().err == ""


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
