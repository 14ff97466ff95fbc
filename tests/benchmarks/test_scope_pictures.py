"""SCOPE's twin with pictures: drawn once or when looked at, and asked about as its masks allow."""

import json
from dataclasses import replace

import numpy as np
import pytest
from boxes_library import boxes_library

from po3d.benchmarks.scope import data as scope
from po3d.benchmarks.scope import twin as scope_twin
from po3d.benchmarks.scope import views as scope_views
from po3d.benchmarks.scope.pictures import MASKS, judged
from po3d.io.errors import InputError
from po3d.io.images import read_image
from po3d.scene.orbit import VIEWS
from po3d.synthesis.multi_view.scenes import LEAST_AREA, sample_orbit_scene, visible_pairs

SIZE, SEED = 1, 4


@pytest.fixture(scope="module")
def furniture(tmp_path_factory):
    return boxes_library(tmp_path_factory.mktemp("furniture"))


@pytest.fixture(scope="module")
def root(tmp_path_factory, furniture):
    folder = tmp_path_factory.mktemp("scope") / "drawn"
    try:
        scope_twin.generate(folder, SIZE, SEED, images=True, furniture=furniture)
    except InputError as error:
        pytest.skip(str(error))
    return folder


@pytest.mark.render
def test_a_rendered_twin_has_all_views_and_no_scraps(root):
    split = scope.load(root)
    assert sorted(p.name for p in root.iterdir()) == [
        "images",
        "items.jsonl",
        "scenes.jsonl",
        "twin.json",
    ]
    names = {name for q in split.questions for name in q.images}
    assert names == {p.name for p in (root / "images").iterdir()}
    assert len(names) == SIZE * len(VIEWS)
    assert split.image(next(iter(names))).shape == (480, 640, 3)
    assert all(q.program and q.answer in q.options for q in split.questions)


@pytest.mark.render
def test_a_missing_picture_is_rendered_when_somebody_looks(root, furniture, tmp_path):
    """The same pixels but for what the JPEG loses."""
    folder = tmp_path / "undrawn"
    scope_twin.generate(folder, SIZE, SEED)
    split = replace(scope.load(folder), furniture=furniture)
    name = scope_views.image_name(scope_views.scene_name(0), 135)
    sampled = split.image(name).astype(float)
    assert np.abs(sampled - read_image(root / "images" / name)).mean() < 3
    other = scope_views.image_name(scope_views.scene_name(0), 180)
    assert np.abs(sampled - read_image(root / "images" / other)).mean() > 3


@pytest.mark.render
def test_a_picture_is_not_rendered_for_a_scene_that_is_built_no_more(furniture, tmp_path):
    scope_twin.generate(tmp_path / "old", SIZE, SEED)
    path = tmp_path / "old" / "scenes.jsonl"
    record = json.loads(path.read_text())
    record["objects"][0]["position"][0] += 0.5
    path.write_text(json.dumps(record) + "\n")
    split = replace(scope.load(tmp_path / "old"), furniture=furniture)
    with pytest.raises(InputError, match="another version"):
        split.image(scope_views.image_name(scope_views.scene_name(0), 0))


def test_a_twin_with_pictures_needs_furniture(tmp_path):
    with pytest.raises(InputError, match="sweethome3d-furniture"):
        scope_twin.generate(tmp_path / "none", SIZE, SEED, images=True, furniture=tmp_path)
    assert not (tmp_path / "none" / MASKS).exists()
    assert not (tmp_path / "none" / "items.jsonl").exists()


def test_masks_decide_what_is_queried():
    result = sample_orbit_scene(SEED, 0)
    n = len(result.scene)
    clear = judged(result, np.ones((8, n)), np.full((8, n), LEAST_AREA))
    assert clear.own_pairs == result.own_pairs
    assert len(visible_pairs(clear)) >= len(visible_pairs(result))
    hidden = np.ones((8, n))
    hidden[3, result.own_pairs[0].target] = 0.4
    dark = judged(result, hidden, np.full((8, n), LEAST_AREA))
    assert result.own_pairs[0] not in dark.own_pairs
    assert not any(
        result.own_pairs[0].target in (p.target, p.reference) for p in visible_pairs(dark)
    )
    assert not visible_pairs(judged(result, np.ones((8, n)), np.full((8, n), LEAST_AREA / 4)))


def test_a_twin_knows_its_lens_and_a_release_is_provided_one(tmp_path):
    scope_twin.generate(tmp_path / "twin", SIZE, SEED)
    split = scope.load(tmp_path / "twin")
    name = scope_views.image_name(scope_views.scene_name(0), 90)
    truth = split.truth(name).camera
    assert split.focal(name) == truth.focal / truth.width
    (tmp_path / "twin" / "scenes.jsonl").unlink()
    assert scope.load(tmp_path / "twin").focal(name) == scope.FOCAL
