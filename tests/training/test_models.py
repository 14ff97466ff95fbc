"""A checkpoint's card lists the 3D models that its weights saw, those that it started from
included.
"""

import json

from tiny_trainings import NoiseData, run

from po3d.synthesis.splits import names_of, own_name
from po3d.synthesis.street.layouts import TRAIN_MESHES
from po3d.training.data import StreetData
from po3d.training.rendered import RoomViewData


def listed(pair):
    return names_of(json.loads(pair.with_suffix(".json").read_text())["training"]["models"])


def test_a_card_lists_what_the_whole_chain_of_starts_saw(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setattr(
        NoiseData, "models", lambda self: {"Scopia#chair", own_name("rug", 3)}, raising=False
    )
    run("street", tmp_path / "a", 1, export=str(first))
    assert listed(first) == {"Scopia#chair", "own/rug#3"}
    monkeypatch.setattr(NoiseData, "models", lambda self: {"Scopia#cat"})
    run("top_view", tmp_path / "b", 1, export=str(second), module={"init_from": str(first)})
    assert listed(second) == {"Scopia#chair", "own/rug#3", "Scopia#cat"}
    # Exported once more when the pictures are gone, it says the same.
    monkeypatch.setattr(NoiseData, "models", lambda self: 1 / 0)
    second.with_suffix(".json").unlink()
    run("top_view", tmp_path / "b", 1, export=str(second), module={"init_from": str(first)})
    assert listed(second) == {"Scopia#chair", "own/rug#3", "Scopia#cat"}


def test_training_data_say_what_they_show(tmp_path):
    assert StreetData().models() == {own_name("street", k) for k in TRAIN_MESHES}
    assert StreetData(source="superclevr", root="x").models() == set()
    for kind, model in (("inside", "Scopia#bed1"), ("orbit", "Scopia#cat")):
        views = tmp_path / f"{kind}_train_seed1" / "views"
        views.mkdir(parents=True)
        for k in range(2):
            (views / f"{k:06d}.json").write_text(
                json.dumps({"models": [model, own_name("rug", k)]})
            )
    one = {"inside": 1, "orbit": 2}
    data = RoomViewData(cache=str(tmp_path), views=one, validation=one)
    assert data.models() == {"Scopia#bed1", "Scopia#cat", "own/rug#0", "own/rug#1"}
