"""Official vehicles from a folder: read, turned, cleaned and cut into parts; wrong files end in one
line.
"""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.scene.vocabulary import EXTENTS, SHAPES
from po3d.synthesis.official_vehicles import OfficialVehicles
from po3d.synthesis.street.compose import compose
from po3d.synthesis.street.layouts import sample_layout

OFFICIAL = Path(__file__).parents[3] / "shared/examples/official_generator"
CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
QUADS = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]


def write_object(
    folder: Path, shape: str = "sedan", twice: bool = False, stretch: float = 1.0
) -> Path:
    """A box of the type's size with a small box at its nose, -z in the file, of another
    material.
    """
    length, width, height = EXTENTS[shape]
    lines, count = ["mtllib object.mtl"], 0
    for material, low, size in (
        ("body.001", (-width / 2, 0, -length / 2 + 0.1), (width, height * stretch, length - 0.1)),
        ("tyre.002", (-0.05, 0, -length / 2), (0.1, 0.05, 0.1)),
    ):
        lines += [
            "v " + " ".join(str(a + c * s) for a, c, s in zip(low, corner, size))
            for corner in CORNERS
        ]
        for name in ("pane.001", material) if twice and material == "body.001" else (material,):
            lines.append(f"usemtl {name}")
            lines += ["f " + " ".join(f"{c + count}/1/1" for c in quad) for quad in QUADS]
        count += len(CORNERS)
    path = folder / shape / "object.obj"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))
    for color, kd in (("red", "0.7 0 0"), ("blue", "0 0 0.7")):
        path.with_name(f"{color}.mtl").write_text(
            f"newmtl body\nKd {kd}\nd 1\nnewmtl tyre\nKd 0.1 0.1 0.1\nd 1\nnewmtl pane\nKd 1 1 1\nd"
            " 0.2\n"
        )
    return path


@pytest.mark.parametrize("toy", [True, False])
def test_a_vehicle_has_the_tables_size_and_its_nose_ahead(tmp_path: Path, toy: bool) -> None:
    write_object(tmp_path)
    vehicles = OfficialVehicles(tmp_path)
    assert vehicles.shapes == ("sedan",)
    assert set(vehicles.missing) == set(SHAPES) - {"sedan"}
    mesh = vehicles.get("sedan", toy)[0]
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), EXTENTS["sedan"], rtol=1e-4)
    nose = mesh.vertices[mesh.vertices[:, 0] > 0.99 * mesh.vertices[:, 0].max()]
    assert np.abs(nose[:, 1]).max() < 0.06  # the small box
    assert vehicles.get("truck", toy) is None


def test_what_differs_between_the_coloured_files_is_painted(tmp_path: Path) -> None:
    write_object(tmp_path)
    mesh, colors = OfficialVehicles(tmp_path).get("sedan", False)
    assert {p.name: p.material for p in mesh.parts}["body"] == "paint"
    assert list(colors.values()) == [(0.1, 0.1, 0.1)]


def test_of_faces_that_are_there_twice_the_painted_one_stays(tmp_path: Path) -> None:
    write_object(tmp_path)
    once = OfficialVehicles(tmp_path).get("sedan", True)[0]
    write_object(tmp_path, twice=True)
    mesh = OfficialVehicles(tmp_path).get("sedan", True)[0]
    assert len(mesh.faces) == len(once.faces)
    assert all(p.material == "paint" for p in mesh.parts)


def test_a_toy_without_named_parts_is_cut_by_place(tmp_path: Path) -> None:
    write_object(tmp_path)
    names = {p.name for p in OfficialVehicles(tmp_path).get("sedan", True)[0].parts}
    assert {"frame", "roof"} <= names


def test_wrong_files_end_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        OfficialVehicles(tmp_path / "nowhere")
    with pytest.raises(InputError, match="contains no vehicles"):
        OfficialVehicles(tmp_path)
    path = write_object(tmp_path, stretch=1.4)
    with pytest.raises(InputError, match=r"its box is .* a sedan's is"):
        OfficialVehicles(tmp_path).get("sedan", True)
    for broken in (
        "",
        "v 0 0\nf 1 2 3",
        "v 0 0 0\nf 1 2 99",
        "v a b c",
        "v nan 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3",
    ):
        path.write_text(broken)
        with pytest.raises(InputError, match=r"object\.obj"):
            OfficialVehicles(tmp_path).get("sedan", True)


def test_official_vehicles_take_the_place_of_ours_where_they_are_there(tmp_path: Path) -> None:
    write_object(tmp_path)
    vehicles = OfficialVehicles(tmp_path)
    for look, toy in (("superclevr", True), ("hdri", False)):
        layout = sample_layout(rng(3, "layout"), 3, look=look)
        sedan = replace(layout.objects[0], shape="sedan", forms="own")
        layout = replace(
            layout, objects=(sedan, replace(layout.objects[1], shape="road", forms="own"))
        )
        ours, _, _ = compose(layout, rng(0, "compose"))
        theirs, _, _ = compose(layout, rng(0, "compose"), vehicles)
        for own, official in zip(ours, theirs):
            assert (official.position, official.heading) == (own.position, own.heading)
            assert official.color == own.color  # the label's
        assert theirs[1].mesh is ours[1].mesh
        official = theirs[0]
        assert official.mesh is vehicles.get("sedan", toy)[0]
        assert official.window == (0.0 if toy else 1.0)
        assert set(official.colors) <= {p.name for p in official.mesh.parts}


def test_no_script_of_a_blend_is_run(tmp_path: Path) -> None:
    blend, trace = tmp_path / "car_sedan.blend", tmp_path / "trace"
    length, width, height = EXTENTS["sedan"]
    make = f"""
import bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
mesh = bpy.data.meshes.new("m")
corners = [(x * {width}, y * {length}, z * {height}) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
mesh.from_pydata(corners, [], {[tuple(c - 1 for c in quad) for quad in QUADS]})
thing = bpy.data.objects.new("m", mesh)
bpy.context.scene.collection.objects.link(thing)
for name in ("sedan.hood.material_1.red", "body"):
    mesh.materials.append(bpy.data.materials.new(name))
mesh.polygons[0].material_index = 1
text = bpy.data.texts.new("run.py")
text.write("open({str(trace)!r}, 'w').write('x')")
text.use_module = True
bpy.ops.wm.save_as_mainfile(filepath={str(blend)!r})
"""
    if (
        subprocess.run([sys.executable, "-c", make], capture_output=True, timeout=60).returncode
        or not blend.exists()
    ):
        pytest.skip("no bpy to make a .blend with")
    mesh, _ = OfficialVehicles(tmp_path).get("sedan", True)
    assert {p.name for p in mesh.parts} == {"frame", "hood"}
    assert not trace.exists()


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason="official files are not at hand")
@pytest.mark.parametrize("shape", ["truck", "tandem"])
def test_official_files_are_read(shape: str) -> None:
    vehicles = OfficialVehicles(OFFICIAL / "cgparts")
    assert len(vehicles.shapes) == 9
    mesh, _ = vehicles.get(shape, False)
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), EXTENTS[shape], rtol=1e-4)
    assert any(p.material == "paint" for p in mesh.parts)
