"""Models are held out by one rule: no split shows another's, and no shipped weight saw what tests
or calibration show.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.checkpoint import SHIPPED
from po3d.scene.rooms import CATEGORIES
from po3d.synthesis.furniture.models import models_of
from po3d.synthesis.multi_view.catalogue import CATALOGUE_ONLY, things
from po3d.synthesis.shapes.own_shapes import SHAPES, TRAIN_ONLY
from po3d.synthesis.splits import (
    OWN,
    SPLITS,
    AssetModel,
    catalogue,
    names_of,
    own_name,
    own_names,
    own_variant,
    pick,
    split_of,
    summary,
)
from po3d.synthesis.street.layouts import TEST_MESHES, TRAIN_MESHES, VALIDATION_MESHES

DISPLAYED = {
    split: (
        {name for c in CATEGORIES for name in models_of(c, split)}
        | {m.name for t in things().values() for m in t.models_of(split)}
    )
    for split in SPLITS
}


def card(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_category_has_models_in_every_split() -> None:
    for split in SPLITS:
        assert all(models_of(category, split) for category in CATEGORIES)
        assert all(thing.models_of(split) for thing in things().values())


def test_shapes_for_training_alone_are_in_no_other_split():
    """Figures of maps and rooms stay those of the catalogue's models."""
    for category in TRAIN_ONLY:
        own = {
            split: [m for m in models_of(category, split) if m.startswith(OWN)] for split in SPLITS
        }
        assert own["train"] == list(own_names(category, "train"))
        assert own["val"] == own["test"] == []
        assert len(models_of(category, "train")) >= 12


def test_a_model_belongs_to_one_split_in_all_worlds() -> None:
    for split in SPLITS:
        assert {split_of(name) for name in DISPLAYED[split]} == {split}
    assert sum(map(len, DISPLAYED.values())) == len(set.union(*DISPLAYED.values()))


def test_the_table_lists_each_model_once_and_where_it_is_displayed() -> None:
    assert all(m.room in CATEGORIES or not m.room for m in catalogue().values())
    assert all(m.orbit in things() or not m.orbit for m in catalogue().values())
    assert all(
        (m.room or m.orbit) and m.split in SPLITS and m.creator for m in catalogue().values()
    )
    assert all(min(m.extent) > 0 for m in catalogue().values())
    assert len({m.name.lower() for m in catalogue().values()}) == len(catalogue())


def test_there_is_a_shape_for_every_category_that_shows_one() -> None:
    assert {
        own_variant(name)[0]
        for display in DISPLAYED.values()
        for name in display
        if name.startswith(OWN)
    } <= set(SHAPES)
    assert set(CATALOGUE_ONLY) <= set(things())


@pytest.mark.parametrize("name", sorted(path.stem for path in SHIPPED.glob("*_estimator.json")))
def test_no_shipped_weight_saw_a_model_of_validation_or_test(name: str) -> None:
    """A card lists what the whole chain of starts was trained on: what a pair began from taught it,
    too.
    """
    training = card(SHIPPED / f"{name}.json")["training"]
    visible = names_of(training["models"])
    assert visible
    assert {
        split_of(model) for model in visible if model.startswith(OWN) or model in catalogue()
    } == {"train"}
    for part in training.get("mean of", {name: training}).values():
        assert names_of(part["models"]) <= visible
        start = part["config"]["model"].get("init_from") or ""
        if start not in ("", name):  # an earlier pair of its own name is no longer there
            assert names_of(card(SHIPPED / f"{start}.json")["training"]["models"]) <= visible


def test_meshes_of_streets_keep_to_the_rule() -> None:
    for split, meshes in zip(SPLITS, (TRAIN_MESHES, VALIDATION_MESHES, TEST_MESHES)):
        assert {split_of(own_name("street", k)) for k in meshes} == {split}


def test_an_unknown_variant_has_no_split() -> None:
    with pytest.raises(KeyError):
        split_of(own_name("rug", 3000))
    with pytest.raises(ValueError, match="not of the form own/CATEGORY"):
        own_variant("Scopia#chair")


@given(st.sets(st.sampled_from(sorted(set.union(*DISPLAYED.values()))), max_size=40))
def test_a_card_lists_what_was_visible(names: set[str]) -> None:
    assert names_of(json.loads(json.dumps(summary(names)))) == names


def test_others_models_and_ours_are_rendered_equally_often() -> None:
    models = [
        AssetModel(name, 1, 1, 1) for name in ("A#a", *(own_name("rug", k) for k in range(9)))
    ]
    random = np.random.default_rng(0)
    sampled = [pick(models, random).name for _ in range(400)]
    assert 160 < sampled.count("A#a") < 240
    assert len(set(sampled)) == 10
