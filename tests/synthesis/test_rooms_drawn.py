"""Rooms as pictures: which model stands for what, where it is drawn, and that a set is the same
however it is made.
"""

import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from boxes_library import boxes_library
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.frames import axes_from_front
from po3d.scene.geometry import Camera, look_at
from po3d.scene.rooms import COLORS, MATERIALS
from po3d.scene.table import ObjectState, Scene, from_json, sure
from po3d.synthesis.furniture.models import (
    RoomModels,
    catalogue_names,
    coarsened,
    model_category,
    models_of,
    painted_parts,
)
from po3d.synthesis.picture_sets import generate
from po3d.synthesis.render.environment import Finish
from po3d.synthesis.render.instances import PlacedMesh
from po3d.synthesis.render.renderer import Renderer
from po3d.synthesis.shapes.mesh import Mesh, Part, assemble, solid
from po3d.synthesis.shapes.primitives import ball
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.looks import FINISHES, PAINTS, room_paint, sample_room_look
from po3d.synthesis.top_view.pictures import RoomRenderer, near_far
from po3d.synthesis.top_view.shell import Shell, floor_corners, wall_corners
from po3d.synthesis.top_view.top_views import SetSpec, metres_per_pixel, top_camera

VARIANTS = 6  # of our own shapes, that are looked at
SQUARE = ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0))
GREY = (0.4, 0.4, 0.4)


@pytest.fixture(scope="module")
def furniture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return boxes_library(tmp_path_factory.mktemp("furniture"))


@pytest.fixture(scope="module")
def models(furniture: Path) -> RoomModels:
    return RoomModels(furniture)


@pytest.fixture(scope="module")
def renderer(models: RoomModels) -> RoomRenderer:
    try:
        return RoomRenderer(160, 120, 1, models)
    except InputError as error:
        pytest.skip(str(error))


def thing(
    name: str, position: tuple, extent: tuple, heading: float = 0.0, color: str = "red", **more: str
) -> ObjectState:
    return ObjectState(
        sure(name=name, color=color, material="plastic", **more), position, heading, extent
    )


def room(*objects: ObjectState) -> Scene:
    return Scene(objects, axes_from_front((0.0, 1.0)), "gt", outline=SQUARE)


# --- models ---------------------------------------------------------------------------------------


def test_names_that_are_not_listed_are_rendered_as_what_they_are() -> None:
    assert model_category("office chair") == "office chair"
    assert model_category("folding chair") == "chair"
    assert model_category("unheard-of thing") == "box"


def _two_part_box(size: tuple[float, float, float], material: str = "paint") -> Mesh:
    """The unit box of six quads; its top is the part "top"."""
    vertices, normals, part, faces = [], [], [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            n, u = np.eye(3)[axis] * sign, np.roll(np.eye(3)[axis], 1)
            v = np.cross(n, u)
            first = len(vertices)
            vertices += [n + a * u + b * v for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            normals += [n] * 4
            part += [int(axis == 2 and sign > 0)] * 4
            faces += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
    points = np.array(vertices) * size / 2 + (0, 0, size[2] / 2)
    parts = (Part("sides", "paint"), Part("top", material))
    return Mesh(
        points.astype(np.float32), np.array(normals, np.float32), np.array(part, np.uint8),
        np.array(faces, np.int32), parts,
    )  # fmt: skip


def test_paint_covers_what_is_large_and_what_is_visible_from_above() -> None:
    both = {"sides": GREY, "top": GREY}
    assert set(painted_parts(_two_part_box((1, 1, 3)), both)) == {"sides", "top"}
    table = _two_part_box((1, 1, 0.1), "glass")
    assert set(painted_parts(table, {"sides": GREY})) >= {"top"}


def test_shades_of_a_texture_keep_their_brightness() -> None:
    mesh = _two_part_box((1, 1, 1))
    mesh = replace(mesh, parts=(Part("cloth", "paint"), Part("cloth.1", "paint")))
    painted = painted_parts(mesh, {"cloth": (0.2, 0.2, 0.2), "cloth.1": (0.3, 0.3, 0.3)})
    assert painted["cloth.1"] / painted["cloth"] == pytest.approx(1.5)


def test_coarse_mesh_keeps_its_box() -> None:
    fine = assemble(solid("main", "paint", ball((0.5, 0.3, 0.2), detail=5)), (1.0, 0.6, 0.4))
    coarse = coarsened(fine, len(fine.faces) // 2)
    assert 100 < len(coarse.faces) <= len(fine.faces) // 2
    assert np.allclose(np.ptp(coarse.vertices, 0), np.ptp(fine.vertices, 0), rtol=1e-4)
    assert np.allclose(np.linalg.norm(coarse.normals, axis=1), 1, atol=1e-3)
    assert coarsened(fine, len(fine.faces)) is fine


def test_cache_gives_the_same_model_and_damage_is_named(furniture: Path, tmp_path: Path) -> None:
    name = catalogue_names("bed")[0]
    fresh = RoomModels(furniture).model(name)
    RoomModels(furniture, tmp_path).model(name)
    again = RoomModels(furniture, tmp_path).model(name)
    assert again.painted == fresh.painted
    assert again.colors == fresh.colors
    assert again.mesh.parts == fresh.mesh.parts
    for field in ("vertices", "normals", "part", "faces"):
        assert np.array_equal(getattr(again.mesh, field), getattr(fresh.mesh, field))
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"no zip")
    with pytest.raises(InputError, match="delete it"):
        RoomModels(furniture, tmp_path).model(name)


def test_missing_models_are_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "none.sh3f", "w") as archive:
        archive.writestr("PluginFurnitureCatalog.properties", "")
    with pytest.raises(InputError, match="lack Blend Swap"):
        RoomModels(tmp_path)


# --- paint and placing ----------------------------------------------------------------------------


def test_every_colour_and_material_of_rooms_can_be_rendered() -> None:
    assert set(PAINTS) == set(COLORS)
    assert set(FINISHES) == set(MATERIALS)


def test_paints_stay_nearest_to_their_own_name() -> None:
    middles = np.log(np.array([PAINTS[c][0] for c in COLORS]) + 0.02)
    right = 0
    for k, color in enumerate(COLORS):
        for i in range(50):
            paint = np.log(np.array(room_paint(color, rng(i, color))) + 0.02)
            right += int(np.linalg.norm(middles - paint, axis=1).argmin() == k)
    assert right >= 0.97 * 50 * len(COLORS)
    assert room_paint("turquoise-ish", rng(0, "")) is None


@given(st.tuples(*[st.floats(0.2, 5)] * 3), st.floats(-3, 3), st.integers(0, 99))
def test_normals_stay_normal_under_stretch(stretch: tuple, heading: float, seed: int) -> None:
    mesh = _two_part_box((1, 1, 1))
    item = PlacedMesh(mesh, 1.0, (0, 0), heading, GREY, Finish(0, 0.5, 0), stretch=stretch)
    n, t = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0][:2]
    assert (item.world_N_object @ n) @ (item.world_T_object[:3, :3] @ t) == pytest.approx(
        0, abs=1e-9
    )


# --- camera and shell -----------------------------------------------------------------------------


def test_top_of_the_map_is_north() -> None:
    camera = top_camera(room(), 200, 100)
    assert metres_per_pixel(camera) == pytest.approx(3.5 / 100)
    pixels, _ = camera.project([(2, 1.5, 0), (2, 3, 0), (4, 1.5, 0)])
    assert np.allclose(pixels[0], (100, 50))
    assert np.allclose(pixels[1], (100, 50 - 1.5 / 0.035))  # +y is up
    assert np.allclose(pixels[2], (100 + 2 / 0.035, 50))  # +x is right
    assert metres_per_pixel(top_camera(room(), 64, 64, 0.02)) == pytest.approx(0.02)
    with pytest.raises(InputError, match="outline"):
        top_camera(replace(room(), outline=None), 10, 10)


def test_shell_shows_its_inside() -> None:
    shell = Shell(SQUARE, (GREY,) * 4, rim=0.1)
    assert len(floor_corners(shell, GREY)) == 6
    inside = wall_corners(shell, np.array([2, 1, 1.5]))
    assert len(inside) == 6 + 4 * 6  # ceiling and four walls, no rims
    above = wall_corners(shell, np.array([2, 1, 9.0]))
    assert len(above) == 4 * 12
    south = wall_corners(shell, np.array([2, -5, 1.5]))
    assert len(south) == 6 + 3 * 6
    assert (south[:, 4] <= 0).all()  # the wall that faces north is gone


def test_wrong_shells_are_named() -> None:
    with pytest.raises(InputError, match="counter-clockwise"):
        Shell(SQUARE[::-1], (GREY,) * 4)
    with pytest.raises(InputError, match="simple polygon"):
        Shell(((0, 0), (1, 1), (1, 0), (0, 1)), (GREY,) * 4)
    with pytest.raises(InputError, match="3 wall colours for 4"):
        Shell(SQUARE, (GREY,) * 3)


# --- pictures -------------------------------------------------------------------------------------


@pytest.mark.render
@pytest.mark.parametrize("heading", [0.0, 0.7, -2.2])
def test_model_fills_the_objects_box(renderer: RoomRenderer, heading: float) -> None:
    box = thing("cabinet", (2.0, 1.4, 0.9), (0.5, 1.2, 0.6), heading)
    scene = room(box)
    look = sample_room_look(scene, renderer.models, "train", rng(0, "look"))
    look = replace(look, dresses=(replace(look.dresses[0], model=catalogue_names("cabinet")[0]),))
    signs = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) / 2
    c, s = math.cos(heading), math.sin(heading)
    corners = signs * box.extent @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + box.position
    for camera in (
        top_camera(scene, 160, 120),
        Camera(160, 120, 90.0, look_at((0.2, 0.2, 1.7), (2, 1.4, 0.9))),
    ):
        shot = renderer.shoot(scene, camera, look, amodal=True)
        pixels, _ = camera.project(corners)
        sampled = shot.labels[0].amodal_box
        assert np.allclose(sampled, (*pixels.min(0), *pixels.max(0)), atol=1.0)


@pytest.mark.render
def test_front_of_the_model_is_where_the_heading_points(renderer: RoomRenderer) -> None:
    name = catalogue_names("cabinet")[0]
    for heading in (0.0, math.pi / 2):
        scene = room(thing("cabinet", (2, 1.5, 0.5), (1, 1, 1), heading))
        look = sample_room_look(scene, renderer.models, "train", rng(1, "look"))
        look = replace(look, dresses=(replace(look.dresses[0], model=name, color=None),))
        yellow = []
        for side in (1, -1):
            eye = np.array([2, 1.5, 0.6]) + 1.4 * side * np.array(
                [math.cos(heading), math.sin(heading), 0]
            )
            camera = Camera(160, 120, 100.0, look_at(eye, (2, 1.5, 0.5)))
            shot = renderer.shoot(scene, camera, look)
            r, _, b = shot.rgb[shot.ids == 1].mean(0)
            yellow.append(r - b)
        assert yellow[0] > yellow[1] + 60


@pytest.mark.render
def test_believed_colour_is_the_one_that_shows(renderer: RoomRenderer) -> None:
    names = ("red", "green", "blue")
    scene = room(
        *(
            thing("table", (0.8 + k * 1.2, 1.5, 0.4), (0.8, 0.8, 0.8), color=c)
            for k, c in enumerate(names)
        )
    )
    camera = top_camera(scene, 160, 120)
    for seed in range(4):
        shot = renderer.shoot(
            scene, camera, sample_room_look(scene, renderer.models, "test", rng(seed, "look"))
        )
        for k in range(3):
            mean = shot.rgb[shot.ids == k + 1].mean(0)
            assert int(mean.argmax()) == k


@pytest.mark.render
def test_what_stands_on_a_table_hides_it_and_is_whole(renderer: RoomRenderer) -> None:
    table = thing("table", (2, 1.5, 0.35), (0.8, 1.0, 0.7))
    cup = thing("box", (2, 1.5, 0.8), (0.4, 0.4, 0.2), color="blue")
    scene = room(table, cup)
    shot = renderer.shoot(
        scene,
        top_camera(scene, 160, 120),
        sample_room_look(scene, renderer.models, "train", rng(0, "")),
        amodal=True,
    )
    assert shot.visible[1] == 1
    assert shot.visible[0] < 0.9
    assert shot.ids[60, 80] == 2


@pytest.mark.render
def test_same_input_same_bytes_and_the_wrong_one_is_named(renderer: RoomRenderer) -> None:
    scene = sample_room(0, 0, "train")
    look = sample_room_look(scene, renderer.models, "train", rng(0, "look"))
    camera = top_camera(scene, 160, 120)
    first, again = (renderer.shoot(scene, camera, look) for _ in range(2))
    assert np.array_equal(first.rgb, again.rgb)
    assert len(first.amodal) == 0
    assert sample_room_look(scene, renderer.models, "train", rng(0, "look")) == look
    with pytest.raises(InputError, match="the look defines"):
        renderer.shoot(replace(scene, objects=scene.objects[1:]), camera, look)
    with pytest.raises(InputError, match="and vice versa"):
        Renderer(32, 32).render([], camera, look.light, shell=look.shell)


def test_range_of_depths_holds_the_room() -> None:
    shell, camera = Shell(SQUARE, (GREY,) * 4), top_camera(room(), 50, 50)
    low = room(thing("box", (1, 1, 0.2), (0.4, 0.4, 0.4)))
    for scene in (room(), low):
        assert near_far(scene, shell, camera) == pytest.approx((200 - 2.5 - 0.5, 200.5))
    tall = room(thing("box", (1, 1, 2.0), (0.4, 0.4, 4.0)))
    assert near_far(tall, shell, camera) == pytest.approx((200 - 4.0 - 0.5, 200.5))
    inside = Camera(50, 50, 40.0, look_at((2, 1, 1), (3, 1, 1)))
    assert near_far(low, shell, inside)[0] == 0.05


@pytest.mark.render
def test_any_pose_and_any_place(renderer: RoomRenderer) -> None:
    """A rolled camera outside, and a scene without walls."""
    scene = replace(
        room(thing("bed", (1, 1, 0.3), (2, 1.5, 0.6)), thing("lamp", (1, 1, 0.8), (0.3, 0.3, 0.4))),
        outline=None,
    )
    look = sample_room_look(scene, renderer.models, "test", rng(2, "look"))
    up = (math.sin(0.4), 0, math.cos(0.4))
    shot = renderer.shoot(
        scene, Camera(160, 120, 150.0, look_at((1, -4, 3), (1, 1, 0.3), up)), look, amodal=True
    )
    assert (shot.visible > 0.5).all()
    upright = renderer.shoot(
        scene, Camera(160, 120, 150.0, look_at((1, -4, 3), (1, 1, 0.3))), look, amodal=True
    )
    assert not np.array_equal(shot.ids, upright.ids)


# --- sets -----------------------------------------------------------------------------------------


@pytest.mark.render
def test_set_goes_on_and_is_the_same_however_it_was_built(
    renderer: RoomRenderer, furniture: Path, tmp_path: Path
) -> None:
    del renderer  # skips where nothing can be drawn
    spec = SetSpec(5, "val", 2, 48)
    assert generate(tmp_path / "whole", spec, furniture) == 2
    generate(tmp_path / "parts", replace(spec, count=1), furniture)
    assert generate(tmp_path / "parts", spec, furniture, tmp_path / "cache") == 1
    files = sorted(p.relative_to(tmp_path / "whole") for p in (tmp_path / "whole").rglob("*.*"))
    assert len(files) == 1 + 2 * 2
    for file in files:
        assert (tmp_path / "whole" / file).read_bytes() == (tmp_path / "parts" / file).read_bytes()
    assert generate(tmp_path / "whole", spec, furniture) == 0
    with pytest.raises(InputError, match="choose another folder"):
        generate(tmp_path / "whole", replace(spec, seed=6), furniture)


@pytest.mark.render
def test_record_is_the_table_under_its_camera(
    models: RoomModels, furniture: Path, tmp_path: Path
) -> None:
    spec = SetSpec(5, "test", 1, 64)
    try:
        generate(tmp_path, spec, furniture)
    except InputError as error:
        pytest.skip(str(error))
    result = json.loads((tmp_path / "rooms" / "000000.json").read_text())
    scene, plain = from_json(result["scene"]), sample_room(5, 0, "test")
    assert [o.position for o in scene.objects] == [o.position for o in plain.objects]
    assert scene.image == "000000.jpg"
    assert result["metres_per_pixel"] == pytest.approx(metres_per_pixel(top_camera(plain, 64, 64)))
    assert len(result["visible"]) == len(result["models"]) == len(scene)
    for o, name in zip(scene.objects, result["models"]):
        assert name in models_of(o.value("name"), "test")
        pixel, _ = scene.camera.project(o.position)
        assert o.box[0] - 1 <= pixel[0] <= o.box[2] + 1
        assert o.box[1] - 1 <= pixel[1] <= o.box[3] + 1


@pytest.mark.render
def test_top_view_is_a_function_of_its_index(models: RoomModels) -> None:
    try:
        renderer = RoomRenderer(48, 48, 1, models)
    except InputError as error:
        pytest.skip(str(error))
    spec = SetSpec(0, "train", 9, 48)
    with renderer:
        views = [spec.draw(k, renderer)[0] for k in (3, 1, 3)]
    assert np.array_equal(views[0], views[2])
    assert not np.array_equal(views[0], views[1])
