"""Sets of perspective views: cameras, looks, models, files."""

import json
from pathlib import Path

import numpy as np
import pytest
from boxes_library import boxes_library

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.geometry import rotation_z
from po3d.scene.table import from_json
from po3d.synthesis.furniture.models import RoomModels
from po3d.synthesis.picture_sets import generate
from po3d.synthesis.splits import SPLITS, split_of
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.pictures import RoomRenderer
from po3d.synthesis.view_sets import (
    CAMERAS,
    HEIGHT,
    WIDTH,
    ViewSpec,
    any_camera,
    inside_view,
    orbit_view,
)


@pytest.fixture(scope="module")
def furniture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return boxes_library(tmp_path_factory.mktemp("furniture"))


@pytest.fixture(scope="module")
def models(furniture: Path) -> RoomModels:
    return RoomModels(furniture)


@pytest.mark.parametrize("kind", ["inside", "orbit"])
@pytest.mark.parametrize("split", SPLITS)
def test_views_of_a_split_show_its_models_alone(models, kind, split):
    spec = ViewSpec(kind, 5, split, 1)
    make = inside_view if kind == "inside" else orbit_view
    display = {d.model for k in range(0, 16, 2) for d in make(spec, k, models)[2].dresses}
    assert len(display) > 20
    assert {split_of(name) for name in display} == {split}


def test_views_of_a_room_share_room_and_look_but_not_the_camera(models):
    spec = ViewSpec("inside", 3, "train", 9)
    views = [inside_view(spec, k, models) for k in (3, 4, 5)]
    assert len({scene.positions.tobytes() for scene, *_ in views}) == 1
    assert all(look == views[0][2] for *_, look in views)
    assert views[0][1] == "common"
    assert views[2][1] == "any"
    assert views[1][1] in ("rolled", "low", "high", "steep")
    assert len({scene.camera.cam_T_world.rotation.tobytes() for scene, *_ in views}) == len(CAMERAS)
    again = inside_view(spec, 4, models)[0]
    assert np.array_equal(
        again.camera.cam_T_world.rotation, views[1][0].camera.cam_T_world.rotation
    )


@pytest.mark.parametrize("k", range(6))
def test_any_camera_is_inside_the_room_and_in_no_thing(k):
    room = sample_room(4, k, "train")
    camera = any_camera(room, rng(k, "any"))
    corners = np.array(room.outline)
    assert ((camera.position[:2] > corners.min(0)) & (camera.position[:2] < corners.max(0))).all()
    local = np.einsum("nij,nj->ni", rotation_z(-room.headings), camera.position - room.positions)
    assert (np.abs(local) > room.extents / 2).any(1).all()
    pixels, depth = camera.project(room.positions)
    assert ((depth > 0) & (pixels > 0).all(1) & (pixels < (WIDTH, HEIGHT)).all(1)).any()


@pytest.mark.render
@pytest.mark.parametrize("kind", ["inside", "orbit"])
def test_a_set_is_written_and_gone_on_with(tmp_path, furniture, kind):
    try:
        RoomRenderer(32, 32, 1, RoomModels(furniture)).close()
    except InputError as error:
        pytest.skip(str(error))
    assert generate(tmp_path / "set", ViewSpec(kind, 1, "val", 2), furniture) == 2
    (tmp_path / "set/views/000001.json").unlink()
    before = (tmp_path / "set/views/000001.jpg").read_bytes()
    assert generate(tmp_path / "set", ViewSpec(kind, 1, "val", 2), furniture) == 1
    assert (tmp_path / "set/views/000001.jpg").read_bytes() == before
    record = json.loads((tmp_path / "set/views/000000.json").read_text())
    scene = from_json(record["scene"])
    count = len(scene)
    assert count == len(record["visible"]) == len(record["pixels"]) == len(record["models"]) > 0
    assert all(0 < share <= 1 for share in record["visible"])
    assert (scene.camera.width, scene.camera.height) == (WIDTH, HEIGHT)
    assert min(record["pixels"]) > 0
    assert all(o.box is not None for o in scene.objects)
    with pytest.raises(InputError, match="another folder"):
        generate(tmp_path / "set", ViewSpec(kind, 2, "val", 2), furniture)
