"""Depth maps and intrinsics from files."""

import json

import numpy as np
import pytest
from PIL import Image

from po3d.io.errors import InputError
from po3d.perception.depth_files import fitted_to, looks_like_range, read_depth, read_intrinsics
from po3d.perception.foundation import DepthFile, PhotographWarning

FOCAL = 100.0
RAYS = (np.arange(160) + 0.5 - 80) / FOCAL, (np.arange(120) + 0.5 - 60) / FOCAL
# A floor 1.5 m below, a wall 5 m ahead, one 3 m to the right.
ROOM = np.minimum.reduce(
    [np.full((120, 160), 5.0), 1.5 / np.maximum(RAYS[1], 1e-6)[:, None] * np.ones(160),
     np.ones((120, 1)) * 3 / np.maximum(RAYS[0], 1e-6)]
)  # fmt: skip
RANGE = ROOM * np.sqrt(1 + RAYS[0] ** 2 + RAYS[1][:, None] ** 2)


def test_depth_is_metres_of_floats_and_millimetres_of_whole_numbers(tmp_path):
    np.save(tmp_path / "a.npy", ROOM.astype(np.float32))
    np.testing.assert_allclose(read_depth(tmp_path / "a.npy"), ROOM, rtol=1e-6)
    counts = (ROOM * 1000).astype(np.uint16)
    counts[0, 0] = 0
    Image.fromarray(counts).save(tmp_path / "b.png")
    depth = read_depth(tmp_path / "b.png")
    assert np.isnan(depth[0, 0])
    np.testing.assert_allclose(depth[1:], ROOM[1:], atol=0.001)
    np.testing.assert_allclose(read_depth(tmp_path / "b.png", 1 / 256)[5, 5], counts[5, 5] / 256)


def test_files_that_are_no_depth_maps_are_refused(tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "rgb.png")
    np.save(tmp_path / "cube.npy", np.ones((2, 2, 2)))
    np.save(tmp_path / "zeros.npy", np.zeros((9, 9)))
    np.save(tmp_path / "objects.npy", np.array([{}, {}]), allow_pickle=True)
    (tmp_path / "text.npy").write_text("x")
    for name, words in (
        ("rgb.png", "16 bits is needed"),
        ("cube.npy", "is no depth map"),
        ("zeros.npy", "hardly a pixel"),
        ("objects.npy", "can't be read"),
        ("text.npy", "can't be read"),
        ("no.png", "can't be read"),
        ("depth.exr", "should end in .npy or .png"),
    ):
        with pytest.raises(InputError, match=words):
            read_depth(tmp_path / name)
    with pytest.raises(InputError, match="unit=-1 should be above 0"):
        read_depth(tmp_path / "cube.npy", -1)
    with pytest.raises(InputError, match="another aspect ratio"):
        fitted_to(ROOM, 100, 100, "d.npy")
    assert fitted_to(ROOM, 80, 60, "d.npy").shape == (60, 80)


def test_intrinsics_are_read_in_all_forms(tmp_path):
    k = np.array([[720.0, 0, 610], [0, 722, 170], [0, 0, 1]])
    (tmp_path / "a.json").write_text(json.dumps({"fx": 720, "fy": 722, "cx": 610, "cy": 170}))
    (tmp_path / "b.json").write_text(json.dumps({"K": k.tolist()}))
    (tmp_path / "c.txt").write_text("\n".join(" ".join(map(str, row)) for row in k))
    np.save(tmp_path / "d.npy", k)
    rows = " ".join(map(str, np.c_[k, np.zeros(3)].ravel()))
    (tmp_path / "e.calib").write_text(f"P0: 1 2\nP2: {rows}\n")
    for name in ("a.json", "b.json", "c.txt", "d.npy", "e.calib"):
        assert read_intrinsics(tmp_path / name) == (721.0, (610.0, 170.0)), name
    (tmp_path / "wide.json").write_text(json.dumps({"fx": 720, "fy": 800, "cx": 610, "cy": 170}))
    (tmp_path / "none.json").write_text('{"fx": 720}')
    for name, words in (
        ("wide.json", "differ"),
        ("none.json", "can't be read"),
        ("absent", "can't be read"),
    ):
        with pytest.raises(InputError, match=words):
            read_intrinsics(tmp_path / name)


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_a_room_of_distances_is_told_from_one_of_depths(noise):
    wobble = 1 + noise * np.random.default_rng(0).normal(size=ROOM.shape)
    assert looks_like_range(RANGE * wobble, FOCAL)
    assert not looks_like_range(ROOM * wobble, FOCAL)
    assert not looks_like_range(np.full((120, 160), np.nan), FOCAL)


def test_a_depth_file_warns_of_range_and_is_of_one_picture(tmp_path):
    np.save(tmp_path / "range.npy", RANGE)
    depth = DepthFile(str(tmp_path / "range.npy"))
    picture = np.zeros((120, 160, 3), np.uint8)
    with pytest.warns(PhotographWarning, match="looks like range, not z"):
        depth(picture, FOCAL / 160)
    assert depth(picture, FOCAL / 160).metres.shape == (120, 160)
    with pytest.raises(InputError, match="one picture only"):
        depth(picture + 1, FOCAL / 160)
