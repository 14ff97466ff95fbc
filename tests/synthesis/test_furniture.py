"""Furniture libraries: a hand-made .sh3f comes out at its size, standing and facing as the
conventions say; a damaged one is one clear line.
"""

import io
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from po3d.io.errors import InputError
from po3d.synthesis.furniture import libraries as furniture
from po3d.synthesis.furniture import library_models
from po3d.synthesis.furniture.libraries import CATALOGUE, read_catalogue, read_catalogues
from po3d.synthesis.furniture.library_models import LibraryMesh, load_model
from po3d.synthesis.render.environment import Finish, to_linear

# A box of 2 x 4 x 6 file units off the origin, y up; its front (+z) is painted, its back a pane, a
# lid textured.
OBJ = """mtllib box.mtl
v 9 0 0
v 11 0 0
v 11 4 0
v 9 4 0
v 9 0 6
v 11 0 6
v 11 4 6
v 9 4 6
vt 0 0
vt 0.5 0
vt 0.5 1
vt 0 1
vt 1 0
vt 1 1
usemtl front
f 5 6 7 8
usemtl pane
f 2 1 4 3
usemtl picture
f 4/1 8/2 7/3
f 4/2 7/5 3/6
usemtl side
f 1 5 8 4
f 2 3 7
f 2 7 6
f 1 2 6 5
"""
MTL = """newmtl front
Kd 0.8 0.1 0.1
newmtl pane
Kd 0.5 0.5 0.5
d 0.3
newmtl picture
Kd 1 1 1
map_Kd picture.png
newmtl side
Kd 0.2 0.4 0.6
"""
ROW = """id#1=Test#box
name#1=Caf\\u00e9 box
category#1=Kitchen
model#1=/test/box/box.obj
width#1=50
depth#1=120.5
height#1=80
creator#1=A. Person
"""


def png(left: tuple[int, ...], right: tuple[int, ...]) -> bytes:
    pixels = np.empty((8, 8, len(left)), np.uint8)
    pixels[:, :4], pixels[:, 4:] = left, right
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


FILES: dict[str, str | bytes] = {
    CATALOGUE: "# a comment\nid=Test\nname=Test library\n\n" + ROW,
    "test/box/box.obj": OBJ,
    "test/box/box.mtl": MTL,
    "test/box/picture.png": png((255, 0, 0), (0, 0, 255)),
}


def library(folder: Path, **changed: str | bytes | None) -> Path:
    """A .sh3f with some members (by their last word) replaced, or left out with None."""
    path = folder / "Test.sh3f"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            content = changed.get(name.rsplit(".", 1)[1], content)
            if content is not None:
                archive.writestr(name, content)
    return path


def load(folder: Path, turn: float = 0.0, **changed: str | bytes | None) -> LibraryMesh:
    (entry,) = read_catalogue(library(folder, **changed))
    return load_model(entry, turn)


def centre(model: LibraryMesh, name: str) -> np.ndarray:
    number = [part.name for part in model.mesh.parts].index(name)
    points = model.mesh.vertices[model.mesh.part == number]
    return (points.min(0) + points.max(0)) / 2


def test_catalogue_entry(tmp_path: Path) -> None:
    (entry,) = read_catalogues(library(tmp_path).parent).values()
    assert (entry.id, entry.name, entry.category, entry.creator) == (
        "Test#box",
        "Café box",
        "Kitchen",
        "A. Person",
    )
    assert entry.size == (50.0, 120.5, 80.0)
    assert entry.model == "test/box/box.obj"
    assert entry.rotation == furniture.IDENTITY


def test_mesh_has_the_catalogues_size_and_stands_centred(tmp_path: Path) -> None:
    model = load(tmp_path)
    low, high = model.mesh.vertices.min(0), model.mesh.vertices.max(0)
    np.testing.assert_allclose(low, (-0.6025, -0.25, 0.0), atol=1e-6)
    np.testing.assert_allclose(high, (0.6025, 0.25, 0.8), atol=1e-6)
    assert model.extent == pytest.approx((1.205, 0.5, 0.8))


def test_front_is_plus_x_and_left_is_plus_y(tmp_path: Path) -> None:
    model = load(tmp_path)
    np.testing.assert_allclose(centre(model, "front"), (0.6025, 0, 0.4), atol=1e-6)
    np.testing.assert_allclose(centre(model, "pane"), (-0.6025, 0, 0.4), atol=1e-6)
    # Who faces the box has its model x on the right, which is the box's own left.
    only_left = "usemtl left\nf 2 3 7 6\nusemtl rest\nf 1 5 8 4\n"
    mtl = "newmtl left\nKd 1 0 0\nnewmtl rest\nKd 0 1 0\n"
    turned = load(tmp_path, obj=OBJ.split("usemtl")[0] + only_left, mtl=mtl)
    np.testing.assert_allclose(centre(turned, "left"), (0, 0.25, 0.4), atol=1e-6)


def test_turn_brings_another_side_to_the_front(tmp_path: Path) -> None:
    model = load(tmp_path, turn=math.pi / 2)
    np.testing.assert_allclose(centre(model, "front"), (0, 0.6025, 0.4), atol=1e-6)
    assert model.extent == pytest.approx((0.5, 1.205, 0.8))


def test_catalogue_rotation_is_applied_before_the_size(tmp_path: Path) -> None:
    half_turn = FILES[CATALOGUE] + "modelRotation#1=-1 0 0 0 1 0 0 0 -1\n"
    model = load(tmp_path, properties=half_turn)
    np.testing.assert_allclose(centre(model, "front"), (-0.6025, 0, 0.4), atol=1e-6)
    quarter_turn = FILES[CATALOGUE] + "modelRotation#1=0 0 1 0 1 0 -1 0 0\n"  # model x from file z
    model = load(tmp_path, properties=quarter_turn)
    np.testing.assert_allclose(centre(model, "front"), (0, 0.25, 0.4), atol=1e-6)
    assert model.extent == pytest.approx((1.205, 0.5, 0.8))


def test_parts_are_the_materials_in_their_colours(tmp_path: Path) -> None:
    model = load(tmp_path)
    parts = {part.name: part.material for part in model.mesh.parts}
    assert parts == {
        "front": "paint",
        "pane": "glass",
        "picture": "paint",
        "picture.1": "paint",
        "side": "paint",
    }
    assert set(model.colors) == set(parts) - {"pane"}
    np.testing.assert_allclose(model.colors["front"], to_linear([0.8, 0.1, 0.1]), atol=0.005)
    np.testing.assert_allclose(model.colors["side"], to_linear([0.2, 0.4, 0.6]), atol=0.005)


def test_faces_take_their_place_of_the_texture(tmp_path: Path) -> None:
    model = load(tmp_path)
    shades = sorted(model.colors[name] for name in ("picture", "picture.1"))
    assert shades[0][2] > 0.9 > 0.01 > shades[0][0]  # the blue half
    assert shades[1][0] > 0.9 > 0.01 > shades[1][2]  # the red half
    see_through = load(tmp_path, png=png((255, 0, 0, 255), (0, 0, 255, 0)))
    assert [part.name for part in see_through.mesh.parts if part.name.startswith("picture")] == [
        "picture"
    ]


def test_missing_texture_leaves_the_diffuse_colour(tmp_path: Path) -> None:
    model = load(tmp_path, png=None, mtl=MTL.replace("Kd 1 1 1", "Kd 0.3 0.5 0.7"))
    np.testing.assert_allclose(model.colors["picture"], to_linear([0.3, 0.5, 0.7]), atol=0.005)


def test_normals_are_sharp_at_edges_and_smooth_on_a_round(tmp_path: Path) -> None:
    model = load(tmp_path)
    assert np.sort(np.abs(model.mesh.normals), axis=1)[:, 2] == pytest.approx(1.0, abs=1e-6)
    n = 24
    angle = 2 * np.pi * np.arange(n) / n
    ring = [f"v {np.cos(a)} {y} {np.sin(a)}" for y in (0, 1) for a in angle]
    quads = [f"f {k + 1} {(k + 1) % n + 1} {(k + 1) % n + n + 1} {k + n + 1}" for k in range(n)]
    tube = load(
        tmp_path, obj="\n".join(ring + quads), properties=FILES[CATALOGUE].replace("120.5", "50")
    )
    assert len(tube.mesh.vertices) == 2 * n  # no vertex was split
    outward = tube.mesh.vertices[:, :2] / 0.25
    assert np.abs((tube.mesh.normals[:, :2] * outward).sum(1)) == pytest.approx(1.0, abs=0.02)


def test_placed_in_its_own_colours(tmp_path: Path) -> None:
    model = load(tmp_path)
    surfaces = model.placed(2.0, (1.0, 0.0), 0.5, Finish(0, 0.5, 0)).surfaces().reshape(-1, 8)
    names = [part.name for part in model.mesh.parts]
    np.testing.assert_allclose(surfaces[names.index("front"), :3], model.colors["front"], atol=1e-6)


def test_equal_libraries_give_equal_bytes(tmp_path: Path) -> None:
    one, two = load(tmp_path), load(tmp_path)
    assert one.mesh.vertices.tobytes() == two.mesh.vertices.tobytes()
    assert one.colors == two.colors


# --- what goes wrong ------------------------------------------------------------------------------


def test_missing_package_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="install the Debian package sweethome3d-furniture"):
        read_catalogues(tmp_path)
    with pytest.raises(InputError, match="install the Debian package sweethome3d-furniture"):
        read_catalogues(tmp_path / "nowhere")


def test_no_zip_and_truncated_zip(tmp_path: Path) -> None:
    path = library(tmp_path)
    whole = path.read_bytes()
    for content in (b"", b"no zip", whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(InputError, match="damaged or not a zip"):
            read_catalogue(path)
    with pytest.raises(InputError, match="not found"):
        read_catalogue(tmp_path / "other.sh3f")


def test_damaged_member(tmp_path: Path) -> None:
    path = library(tmp_path)
    (entry,) = read_catalogue(path)
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("test/box/box.obj")
    start = info.header_offset + 30 + len(info.filename)
    content[start + 5 : start + 40] = bytes(35)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"box\.obj: damaged or not readable"):
        load_model(entry)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"properties": None}, f"{CATALOGUE}: not in the library"),
        ({"properties": ROW.replace("depth#1=120.5\n", "")}, "entry 1: depth is missing"),
        ({"properties": ROW.replace("120.5", "deep")}, "entry 1: could not convert"),
        ({"properties": ROW.replace("120.5", "nan")}, "entry 1: size"),
        ({"properties": ROW.replace("120.5", "-3")}, "entry 1: size"),
        ({"properties": ROW + "modelRotation#1=1 0 0\n"}, "entry 1: size"),
        ({"obj": None}, r"box\.obj: not in the library"),
        ({"mtl": None}, r"box\.mtl: not in the library"),
        ({"png": b"no image"}, r"picture\.png is not a readable PNG"),
        ({"obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\n"}, "0 triangles"),
        ({"obj": ""}, "0 triangles"),
        ({"obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"}, "not a readable OBJ"),
        ({"obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"}, "a flat model"),
        ({"obj": OBJ.replace("v 9 0 0", "v nan 0 0")}, "finite"),
    ],
)
def test_what_is_missing_or_wrong_is_one_line(tmp_path: Path, changed: dict, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path, **changed)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "outside", ["../../../secret.mtl", "/etc/secret.mtl", "..\\..\\..\\secret.mtl"]
)
def test_nothing_outside_the_library_is_read(tmp_path: Path, outside: str) -> None:
    (tmp_path / "secret.mtl").write_text(MTL)
    with pytest.raises(InputError, match="is outside the library"):
        load(tmp_path, obj=OBJ.replace("box.mtl", outside))
    with pytest.raises(InputError, match="is outside the library"):
        load(tmp_path, mtl=MTL.replace("picture.png", outside.replace("mtl", "png")))
    with pytest.raises(InputError, match="not in the library"):
        load(tmp_path, properties=ROW.replace("/test/box/box.obj", "/../../secret.mtl"))


def test_bombs_are_refused_before_they_are_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(furniture, "MAX_BYTES", 5000)
    with pytest.raises(InputError, match=r"box\.obj: 10\d+ bytes when unpacked, the limit is 5000"):
        load(tmp_path, obj=OBJ + "#" * 10_000)
    monkeypatch.setattr(furniture, "MAX_TEXTURE", 63)
    with pytest.raises(InputError, match=r"picture\.png has 64 pixels, the limit is 63"):
        load(tmp_path)
    monkeypatch.setattr(library_models, "MAX_FACES", 5)
    with pytest.raises(InputError, match="triangles; between 1 and 5"):
        load(tmp_path, png=None)
