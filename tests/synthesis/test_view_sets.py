"""Sets of perspective views: cameras, looks, models that are held out, files."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from po3d.errors import InputError
from po3d.geometry import rotation_z
from po3d.scene import from_json
from po3d.seeding import rng
from po3d.synthesis import view_sets
from po3d.synthesis.assets.room_models import CATALOGUE, models_of
from po3d.synthesis.device import RenderError
from po3d.synthesis.room_layouts import sample_room
from po3d.synthesis.room_pictures import RoomRenderer
from po3d.synthesis.things import things
from po3d.synthesis.view_sets import (
    CAMERAS,
    HEIGHT,
    WIDTH,
    UnsharedModels,
    ViewSpec,
    any_camera,
    generate,
    held_out,
    inside_view,
    orbit_view,
)

FOLDERS = {"Blend Swap CC-0": "blendswap-cc-0", "Blend Swap CC-BY": "blendswap-cc-by", "Kator Legaz": "katorlegaz",
           "Scopia": "scopia"}  # fmt: skip
OBJ = "mtllib box.mtl\nusemtl rest\n" + "".join(
    f"v {x} {y} {z}\n" for z in (-1, 1) for x, y in ((-1, 0), (1, 0), (1, 2), (-1, 2))
) + "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 4 8 7 3\nf 1 5 8 4\n"  # fmt: skip


def path_of(name: str) -> str:
    maker, _, model = name.partition("#")
    return f"{FOLDERS[maker]}/{model}/{model}.obj"


@pytest.fixture(scope="module")
def furniture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that has every model of rooms and of orbit scenes by its path: boxes of a metre."""
    folder = tmp_path_factory.mktemp("furniture")
    models = {path_of(name): name for row in CATALOGUE.values() for name in row}
    for thing in things().values():
        for model in thing.models:
            models.setdefault(model.path, f"other#{model.path}")
    lines = []
    with zipfile.ZipFile(folder / "boxes.sh3f", "w") as archive:
        for k, (path, name) in enumerate(models.items(), 1):
            lines += [f"id#{k}={name}", f"name#{k}=box", f"model#{k}=/{path}"]
            lines += [f"{side}#{k}=100" for side in ("width", "depth", "height")]
            archive.writestr(path, OBJ)
            archive.writestr(f"{Path(path).parent}/box.mtl", "newmtl rest\nKd 0.5 0.5 0.5\n")
        archive.writestr("PluginFurnitureCatalog.properties", "\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def models(furniture: Path) -> UnsharedModels:
    return UnsharedModels(furniture)


def test_no_training_room_shows_what_orbit_scenes_hold_out(models):
    shared = {n for c in CATALOGUE for n in models_of(c, "train") if models.taken(n)}
    assert "Scopia#kids_desk_chair" in shared  # there are such models, so something is to be kept out
    random = rng(0, "unshared")
    picked = {
        models.pick(category, tuple(random.uniform(0.3, 1.5, 3)), "train", random)
        for category in CATALOGUE
        for _ in range(12)
    }
    assert len(picked) > 100
    assert not picked & shared
    assert not {models._entries[n].model for n in picked if n in models._entries} & held_out()[1]


def test_no_training_orbit_shows_what_rooms_hold_out(models):
    spec = ViewSpec("orbit", 5, "train", 1)
    shared = {m.path for t in things().values() for m in t.models_of("train") if models.in_rooms(m.path)}
    assert shared
    shown = {d.model for k in range(0, 16, 2) for d in orbit_view(spec, k, models)[2].dresses}
    assert len(shown) > 20
    assert not shown & shared


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
    assert np.array_equal(again.camera.cam_T_world.rotation, views[1][0].camera.cam_T_world.rotation)


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
        RoomRenderer(32, 32, 1, UnsharedModels(furniture)).close()
    except RenderError as error:
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


def test_the_two_benchmarks_hold_out_each_others_models():
    rooms, orbits = view_sets.held_out()
    assert rooms
    assert orbits
    assert {path_of(name) for name in rooms if "#" in name and not name.startswith("own/")} & {
        m.path for t in things().values() for m in t.models
    }
