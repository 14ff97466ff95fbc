"""The tools that compare our vehicles and our look with official ones."""

import numpy as np
import pytest
import trimesh

from po3d.scene.vocabulary import EXTENTS
from tools.look_calibration import Middle, ciede2000, lab
from tools.official_forms import iou, official, proportions, read_binvox, read_obj


@pytest.mark.parametrize(
    ("one", "two", "difference"),  # Sharma, Wu and Dalal 2005, table 1
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619), 2.0373),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_colour_differences_are_the_published_ones(one, two, difference):
    assert ciede2000(np.array(one, float), np.array(two, float)) == pytest.approx(
        difference, abs=1e-4
    )
    assert ciede2000(np.array(two, float), np.array(one, float)) == pytest.approx(
        difference, abs=1e-4
    )


def test_white_and_red_have_their_lab_values():
    assert lab(np.array([255, 255, 255])) == pytest.approx([100, 0, 0], abs=0.02)
    assert lab(np.array([255, 0, 0])) == pytest.approx([53.24, 80.09, 67.20], abs=0.05)


def test_the_middle_is_drawn():
    middle = Middle()
    assert middle.uniform(1.0, 3.0) == 2.0
    assert middle.normal((1.0, 2.0), 5.0).tolist() == [1.0, 2.0]
    assert middle.uniform(0, 1, 3).tolist() == [0.5] * 3


def test_voxels_become_a_closed_surface_of_their_volume(tmp_path):
    filled = np.zeros((4, 4, 4), np.uint8)  # x, z, y
    filled[1:3, 0:2, 1] = filled[1, 0, 2] = 1
    values = filled.ravel()
    runs = np.stack([values, np.ones_like(values)], 1).tobytes()
    (tmp_path / "a.binvox").write_bytes(
        b"#binvox 1\ndim 4 4 4\ntranslate 0 0 0\nscale 1\ndata\n" + runs
    )
    points, faces = read_binvox(tmp_path / "a.binvox")
    merged = trimesh.Trimesh(points, faces)
    assert abs(merged.area) == pytest.approx(6 * 5 - 2 * 5)  # five cubes, five contacts
    assert np.ptp(points, axis=0).tolist() == [2.0, 2.0, 2.0]


def test_an_official_file_is_turned_and_brought_to_the_benchmarks_box(tmp_path):
    folder = tmp_path / "cgparts" / "sedan"
    folder.mkdir(parents=True)
    corners = [
        (x, y, z) for x in (0, 2) for y in (0, 1) for z in (-4, 2)
    ]  # a nose towards -z, up y
    corners.append((1, 2, -4))
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
    text += "f 1/1 2/2 4//3 3\nf 5 6 8\nf -1 1 2\n"
    (folder / "object.obj").write_text(text)
    _, faces = read_obj(folder / "object.obj")
    assert faces.shape == (4, 3)
    assert np.allclose(proportions(tmp_path, "sedan"), [1, 2 / 6, 2 / 6])
    mesh = official(tmp_path, "sedan")
    assert np.allclose(np.ptp(mesh.vertices, axis=0), EXTENTS["sedan"])
    highest = mesh.vertices[mesh.vertices[:, 2].argmax()]
    assert highest[0] == pytest.approx(EXTENTS["sedan"][0] / 2)
    assert official(tmp_path, "truck") is None
    assert proportions(tmp_path, "truck") is None


def test_iou_is_the_mean_over_directions():
    one = np.zeros((2, 4, 4), bool)
    two = one.copy()
    one[:, :2], two[0, :2], two[1, 1:3] = True, True, True
    assert iou(one, two) == pytest.approx((1 + 1 / 3) / 2)
