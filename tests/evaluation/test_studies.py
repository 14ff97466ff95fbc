"""Studies: every value of every part is a training of its own, finished ones are read, and the
table has them all.
"""

import importlib.util
import json
from pathlib import Path

import pytest
from test_evaluate import release  # noqa: F401  (a fixture)
from untrained import untrained_estimator, untrained_parser

from po3d.evaluation.ablation import studies
from po3d.evaluation.ablation.studies import CachedPerception, Setting, planned, setting_of
from po3d.io.config import ROOT, run_hydra
from po3d.io.errors import InputError
from po3d.io.files import read_json
from po3d.scene.street import AXES
from po3d.scene.table import Scene
from po3d.training import view_errors

_SPEC = importlib.util.spec_from_file_location("train_script", ROOT / "train.py")
script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(script)


@pytest.fixture
def fitted(monkeypatch, tmp_path) -> list[dict]:
    """Trainings that are asked for: each writes an untrained checkpoint at once."""
    configs = []

    def fit(config):
        configs.append(config)
        make = (
            untrained_estimator
            if "backbone" in config["model"].get("network", {})
            else untrained_parser
        )
        built = make(tmp_path / f"made{len(configs)}")
        for suffix in (".safetensors", ".json"):
            target = Path(config["export"] + suffix)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(built.with_suffix(suffix).read_bytes())

    monkeypatch.setattr(script, "fit", fit)
    return configs


def study(out: Path, root: Path, *options: str) -> int:
    networks = out.parent / "networks"
    estimator, parser = untrained_estimator(networks), untrained_parser(networks)
    supplied = [f"out={out}", f"study.root={root}", f"study.parser={parser}", *options]
    if "experiment=data_efficiency" in options:
        supplied.append(f"study.perception={estimator}")
    return run_hydra(script.main, "train", "", supplied)


def test_backbones_from_end_to_end(release, fitted, tmp_path, capsys):  # noqa: F811
    out = tmp_path / "out"
    options = ("experiment=backbones", "study.parts.backbones.values=[resnet18d]", "steps=7")
    assert study(out, release, *options) == 0
    networks = [(c["model"]["network"]["backbone"], c["model"]["freeze_backbone"]) for c in fitted]
    assert networks == [("resnet18d", False), ("resnet18d", True)]
    assert all(c["trainer"]["max_steps"] == 7 for c in fitted)
    assert not any("study" in c for c in fitted)
    result = read_json(out / "study.json")
    assert [r["name"] for r in result["runs"]] == ["resnet18d-trained", "resnet18d-frozen"]
    first = result["runs"][0]
    assert first["rows"][-1]["name"] == "mean"
    assert first["parameters"] > 0
    assert first["speed"] > 0
    assert first["perception"]["recall"] is not None
    table = (out / "study.md").read_text().splitlines()
    assert table[0].startswith("| backbones | M parameters | images/s | L1-Single |")
    assert len(table) == 2 + 2
    assert "resnet18d-frozen" in capsys.readouterr().out
    assert not list(out.glob("*.png"))  # names are no axis

    assert study(out, release, *options) == 0
    assert len(fitted) == 2  # finished runs are read
    (out / "backbones" / "resnet18d-frozen" / "result.json").unlink()
    assert study(out, release, *options) == 0
    assert len(fitted) == 3
    assert study(out, release, *options[:2], "steps=8") == 2
    assert "holds a training with other options" in capsys.readouterr().err


def test_data_efficiency_trains_both_modules_and_draws_curves(release, fitted, tmp_path):  # noqa: F811
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    options = ["study.parts.images.values=[10, 20]", "study.parts.programs.values=[30, 300]"]
    assert (
        study(
            out,
            release,
            "experiment=data_efficiency",
            "steps=9",
            *options,
            "study.parts.programs.options=['steps=5']",
        )
        == 0
    )
    assert [(c["data"].get("images"), c["data"].get("pairs"), c["steps"]) for c in fitted] == [
        (10, None, 9), (20, None, 9), (None, 30, 5), (None, 300, 5)
    ]  # fmt: skip
    assert {p.name for p in out.glob("*.png")} == {"images.png", "programs.png"}
    lines = studies.curves(read_json(out / "study.json")["runs"])
    assert [p["x"] for p in lines["images"]["mean"]] == [10, 20]
    assert set(json.loads((out / "images" / "10" / "result.json").read_text())["perception"]) > {
        "recall"
    }
    only = ["study.parts.images.values=[10]", "steps=9", "~study.parts.programs"]
    assert study(tmp_path / "other", release, "experiment=data_efficiency", *only) == 0
    assert len(fitted) == 5


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["study.parts.backbones.over=model.network.spine"], "model.network.spine"),
        (["study.parts.backbones.fills=executor"], "should be one of perception, parser"),
        (["study.parts.backbones.values=[]"], "needs `over`"),
        (["study.parts.backbones.values=[a/b, a+b]"], "have the same folder"),
        (["+study.parts.backbones.frozen=true"], "unknown key 'frozen'"),
        (["+study.spilt=mini"], "study.spilt is not an option of a study"),
        (["study.root=null", "study.split=test"], "should be mini or fresh"),
        (["study.parts.backbones.fills=views"], "study.views should list folders"),
    ],
)
def test_a_wrong_study_is_one_line(options, says, release, fitted, tmp_path, capsys):  # noqa: F811
    assert study(tmp_path / "out", release, "experiment=backbones", *options) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert fitted == []


def test_a_plan_is_every_value_in_every_variant():
    query = []

    def varied(experiment, options, changes):
        query.append((experiment, options, changes))
        return {"out": changes["out"]}

    part = {
        "fills": "parser",
        "experiment": "e",
        "options": ["a=1"],
        "over": "x.y",
        "values": [1, 2],
        "variants": {"": {}, "b": {"z": 3}},
        "oracle": ["shape"],
    }
    runs = planned({"parts": {"p": part}}, "o", varied)
    assert [(r.name, r.value, r.variant) for r in runs] == [
        ("1", 1, ""),
        ("1-b", 1, "b"),
        ("2", 2, ""),
        ("2-b", 2, "b"),
    ]
    assert query[3] == (
        "e",
        ["a=1"],
        {"z": 3, "x.y": 2, "out": "o/p/2-b", "export": "o/p/2-b/checkpoint"},
    )
    assert runs[0].oracle == ("shape",)


def views(folder: Path) -> Path:
    """A folder that is named like a set of views."""
    (folder / "views").mkdir(parents=True)
    (folder / "views" / "000000.json").write_text("{}")
    (folder / "set.json").write_text("{}")
    return folder


def test_backbones_of_room_views_are_evaluated_on_views(fitted, tmp_path, monkeypatch, capsys):
    judged = []

    def judge(pair, fitting, folders):
        judged.append((pair, list(map(str, fitting)), list(folders)))
        return [view_errors.ErrorShare("inside", "missed", 12.5, 8)], 3.0

    monkeypatch.setattr(view_errors, "judged", judge)
    out, inside = tmp_path / "out", views(tmp_path / "inside")
    options = ["experiment=room_backbones", f"out={out}", "data.cache=c", "seed=7"]
    options += [f"study.views=[{inside}]", "study.parts.backbones.variants.regnetx_004.steps=3"]
    assert run_hydra(script.main, "train", "", options) == 0
    networks = []
    for c in fitted:
        network = c["model"]["network"]
        networks.append((network["backbone"], network["pretrained"], c["trainer"]["max_steps"]))
    assert networks == [
        ("regnetx_004", False, 3),
        ("tf_efficientnet_lite0", "package", 455),
        ("tf_efficientnet_lite2", "package", 343),
    ]
    assert all(c["model"]["world"] == "room_view" for c in fitted)
    assert all(c["model"]["init_from"] == "" for c in fitted)
    fitting = ["c/inside_val_seed8", "c/orbit_val_seed8"]
    pair = out / "backbones" / "regnetx_004" / "checkpoint"
    assert judged[0] == (pair, fitting, [str(inside)])
    table = (out / "study.md").read_text().splitlines()
    assert table[0] == "| backbones | M parameters | images/s | inside missed |"
    assert table[2].startswith("| regnetx_004 |")
    assert table[2].endswith(" 3.0 | 12.5 |")
    assert len(table) == 2 + 3

    assert run_hydra(script.main, "train", "", options) == 0
    assert len(fitted) == len(judged) == 3  # finished runs are read
    (inside / "views" / "000000.json").write_text("[]")
    assert run_hydra(script.main, "train", "", options) == 0
    assert len(judged) == 6  # other views, other figures
    capsys.readouterr()
    (inside / "set.json").unlink()
    assert run_hydra(script.main, "train", "", options) == 2
    assert "is not a folder of views" in capsys.readouterr().err


def test_settings_come_from_the_options():
    assert setting_of({"split": "fresh", "size": 3, "parts": {}}, 5) == Setting(
        "fresh", size=3, seed=5
    )
    with pytest.raises(InputError):
        setting_of({"sise": 3}, 0)


def test_an_image_is_read_once():
    perceived = []

    class Sees:
        def estimate(self, images, names=None):
            perceived.extend(names)
            return [Scene((), AXES, "predicted", image=name) for name in names]

    remembering = CachedPerception(Sees())
    for _ in range(2):
        assert [s.image for s in remembering.estimate(["p", "q"], ["b", "a"])] == ["b", "a"]
    assert perceived == ["b", "a"]
