"""Recipes: stages that a killed run takes up where it was, to the same weights."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from po3d.io.config import ROOT, compose
from po3d.io.errors import InputError
from po3d.training import recipe
from po3d.training.callbacks import MetricsTable
from po3d.training.estimator import EstimatorModule
from po3d.training.recipe import Recipe, run_recipe

MINI = ROOT / "data" / "mini" / "pulsecheck457"
_SPEC = importlib.util.spec_from_file_location("train_script", ROOT / "train.py")
script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(script)
NAMES = sorted(path.stem for path in (ROOT / "configs" / "recipe").glob("*.yaml"))
TINY = [
    "data=superclevr",
    f"data.root={MINI}",
    "data.split=test",
    "data.width=96",
    "data.height=64",
    "data.batch=2",
    "data.validation=2",
    "model.network.backbone=test_resnet",
    "trainer.pictures=2",
    "trainer.limit_val_batches=1",
    "+trainer.enable_progress_bar=false",
]
TWO_STAGES = {
    "stages": [
        {"name": "first", "train": TINY, "cpu": ["steps=4"]},
        {
            "name": "second",
            "train": [*TINY, "model.init_from={first}"],
            "cpu": ["steps=3", "seed=5"],
        },
        {"name": "marked", "calibrate": "second", "folders": ["{first}"]},
    ],
    "results": ["marked"],
}


class Killed(BaseException):
    pass


def composed(options):
    return OmegaConf.to_container(compose("train", options), resolve=True)


@pytest.fixture(autouse=True)
def calibrates(monkeypatch):
    """Beliefs of such small networks can't be fitted; that stage marks its copy."""

    def mark(stages, pair, folders, data):
        card = pair.with_name(f"{pair.name}.json")
        card.write_text(json.dumps({**json.loads(card.read_text()), "marked": folders}))

    monkeypatch.setattr(recipe, "_calibrate", mark)


def run(out, *supplied, export=""):
    return run_recipe(Recipe(TWO_STAGES, supplied, out), composed, script.fit, None, export)


def test_a_recipe_killed_in_two_stages_ends_with_the_weights_of_a_straight_one(
    tmp_path, monkeypatch, capsys
):
    (straight,) = run(tmp_path / "straight", "save_every=1")
    summary = capsys.readouterr().out.rpartition("marked: ")[2]
    figures = re.search(r"metrics: (\S+), over time: (\S+)", summary).groups()
    assert all(Path(path).is_file() for path in figures)
    monkeypatch.setattr(MetricsTable, "finalize", lambda *_: None)
    for stage, step in (("first", 2), ("second", 1)):

        def die(self, optimizer, stage=stage, step=step):
            if f"/{stage}" in str(self.trainer.default_root_dir) and self.global_step == step:
                raise Killed

        with monkeypatch.context() as patched:
            patched.setattr(EstimatorModule, "on_before_optimizer_step", die, raising=False)
            with pytest.raises(Killed):
                run(tmp_path / "killed", "save_every=1")
    (resumed,) = run(tmp_path / "killed", "save_every=1")
    one, other = (p.with_name(f"{p.name}.safetensors").read_bytes() for p in (straight, resumed))
    assert one == other
    card = json.loads(resumed.with_name(f"{resumed.name}.json").read_text())
    assert card["marked"] == ["{first}"]
    assert card["training"]["scenes"]
    # Done stages are not run again, and the pair of a result has the name of `export`.
    monkeypatch.setattr(script, "train", None)
    (named,) = run(tmp_path / "killed", "save_every=1", export=str(tmp_path / "named"))
    assert named == tmp_path / "named"
    assert named.with_suffix(".safetensors").read_bytes() == one
    with pytest.raises(InputError, match="stage first had other options"):
        run(tmp_path / "killed", "first.steps=9")


def test_options_are_of_all_trainings_or_of_one_stage(tmp_path):
    built = Recipe(TWO_STAGES, ["steps=7", "second.seed=2", "trainer=cpu"], tmp_path)
    first, second = (built.request(name, composed)["train"] for name in ("first", "second"))
    assert (first["steps"], second["steps"]) == (7, 7)
    assert (first["seed"], second["seed"]) == (0, 2)
    assert second["model"]["init_from"] == str(tmp_path / "first" / "checkpoint")
    with pytest.raises(InputError, match="trains in one process"):
        Recipe(TWO_STAGES, ["trainer=ddp"], tmp_path)
    with pytest.raises(InputError, match="has no options"):
        Recipe(TWO_STAGES, ["marked.seed=1"], tmp_path).request("marked", composed)


def shipped(name: str) -> dict:
    return OmegaConf.to_container(OmegaConf.load(ROOT / "configs" / "recipe" / f"{name}.yaml"))


STARTS = [(name, start) for name in NAMES for start in shipped(name).get("starts", ["nothing"])]


@pytest.mark.parametrize(("name", "start"), STARTS)
@pytest.mark.parametrize("trainer", ["cpu", "gpu"])
def test_the_recipes_that_are_shipped_compose(name, start, trainer, tmp_path):
    built = Recipe(shipped(name), [f"trainer={trainer}", "steps=2"], tmp_path, start)
    requests = [built.request(stage, composed) for stage in built.stages]
    trained = [r["train"] for r in requests if "train" in r]
    assert trained
    assert all(t["trainer"]["accelerator"] == trainer and t["steps"] == 2 for t in trained)
    assert set(built.results) <= set(built.stages)
    first, *later = [t["model"] for t in trained]
    if "init_from" not in first:
        assert first.get("pretrained", False) == (start == "pretrained")
        return
    assert bool(first["init_from"]) == (start == "shipped")
    if start == "imagenet":
        assert first["network"]["pretrained"] == "package"
    # Later stages start from earlier ones, with the same network.
    same = ("backbone", "fold")
    for model in later if name != "parser" else ():
        assert model["init_from"].startswith(str(tmp_path))
        assert [model["network"][k] for k in same] == [first["network"][k] for k in same]


@pytest.mark.parametrize("name", NAMES)
def test_every_recipe_can_start_from_nothing(name):
    assert "nothing" in shipped(name).get("starts", ["nothing"])


def test_a_start_that_a_recipe_does_not_have_is_one_line(capsys):
    assert script.run(["recipe=street", "start=shipped"]) == 2
    assert (
        "unknown start of this recipe 'shipped'; known: nothing, imagenet"
        in capsys.readouterr().err
    )


@pytest.mark.slow
def test_the_street_recipe_from_nothing_killed_twice_ends_with_the_weights_of_a_straight_one(
    tmp_path, monkeypatch
):
    """The shipped recipe with tiny networks: it renders, trains, renders other looks and trains
    on.
    """
    pytest.importorskip("moderngl")
    tiny = [
        "recipe=street",
        "trainer=cpu",
        "trainer.precision=32-true",
        "steps=2",
        "save_every=1",
        "data.batch=2",
        "data.width=96",
        "data.height=64",
        "data.validation=2",
        "data.workers=1",
        "data.samples=1",
        "model.network.backbone=test_resnet",
        "trainer.pictures=0",
        "trainer.limit_val_batches=1",
        "+trainer.enable_progress_bar=false",
        f"data.cache={tmp_path / 'cache'}",
        "synthetic.data.images=4",
        "twin.size=1",
        "superclevr.size=1",
        "hdri.size=1",
    ]

    def weights(out) -> bytes:
        assert script.run([*tiny, f"out={out}"]) == 0
        assert json.loads((out / "calibrated" / "checkpoint.json").read_text())["marked"]
        return (out / "calibrated" / "checkpoint.safetensors").read_bytes()

    monkeypatch.setattr(MetricsTable, "finalize", lambda *_: None)
    for stage in ("synthetic", "official_look"):

        def die(self, optimizer, stage=stage):
            if f"/{stage}" in str(self.trainer.default_root_dir) and self.global_step == 1:
                raise Killed

        with monkeypatch.context() as patched:
            patched.setattr(EstimatorModule, "on_before_optimizer_step", die, raising=False)
            with pytest.raises(Killed):
                weights(tmp_path / "killed")
    assert weights(tmp_path / "killed") == weights(tmp_path / "straight")


def test_a_start_without_a_recipe_is_one_line(capsys):
    assert script.run(["experiment=street_estimator", "start=nothing"]) == 2
    assert "start=nothing is for recipes" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["[]", "5", '"first"', '{"first": 5}', "[" * 9999, "{", ""])
def test_a_damaged_recipe_is_one_line(tmp_path, content):
    (tmp_path / recipe.DONE).write_text(content)
    with pytest.raises(InputError, match="recipe") as raised:
        run(tmp_path)
    assert "\n" not in str(raised.value)


def test_a_finished_stage_without_its_output_is_one_line(tmp_path):
    (tmp_path / recipe.DONE).write_text('{"first": {}}')
    with pytest.raises(InputError, match=r"stage first is finished, but .*first.* is missing"):
        run(tmp_path)


@pytest.mark.parametrize("option", ["twin.size=many", "twin.size", "twin.size=1_0", "twin.seed=-1"])
def test_an_option_of_a_twin_is_a_whole_number(tmp_path, option):
    stages = {"stages": [{"name": "twin", "twin": {"benchmark": "scope"}}], "results": []}
    with pytest.raises(InputError, match=r"twin.(size|seed)=.* should be a whole number"):
        Recipe(stages, [option], tmp_path).request("twin", composed)


def test_an_unknown_recipe_is_one_line(capsys):
    assert script.run(["recipe=roads"]) == 2
    assert "unknown recipe 'roads'; known: parser, reader" in capsys.readouterr().err
