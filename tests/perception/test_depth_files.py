"""Depth maps and intrinsics from files."""

import json
import resource
import struct

import numpy as np
import pytest
from PIL import Image

from po3d.io.errors import InputError
from po3d.perception.depth_files import (
    DepthFile,
    PhotographWarning,
    fitted_to,
    looks_like_range,
    read_depth,
    read_intrinsics,
)
from po3d.perception.foundation_estimator import FoundationEstimator

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
        ("rgb.png", "16-bit PNG is needed"),
        ("cube.npy", "is not a depth map"),
        ("zeros.npy", "almost no pixel"),
        ("objects.npy", "can't be read"),
        ("text.npy", "can't be read"),
        ("no.png", "can't be read"),
        ("depth.exr", "should end in .npy or .png"),
    ):
        with pytest.raises(InputError, match=words):
            read_depth(tmp_path / name)
    with pytest.raises(InputError, match="unit=-1 should be above 0"):
        read_depth(tmp_path / "cube.npy", -1)
    with pytest.raises(InputError, match="the aspect ratios differ"):
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
        ("absent", "not found"),
    ):
        with pytest.raises(InputError, match=words):
            read_intrinsics(tmp_path / name)


def claimed(path, shape, content=b"\0" * 80):
    """Write a .npy file whose header has another shape than its content."""
    header = str({"descr": "<f8", "fortran_order": False, "shape": shape}).encode() + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content)


def test_hostile_arrays_are_one_line_and_take_no_memory(tmp_path):
    np.savez(tmp_path / "zip.npz", a=np.ones((3, 3)))
    (tmp_path / "zip.npz").rename(tmp_path / "zip.npy")
    (tmp_path / "half_zip.npy").write_bytes((tmp_path / "zip.npy").read_bytes()[:50])
    claimed(tmp_path / "huge.npy", (10**9, 10**9))
    claimed(tmp_path / "truncated.npy", (100, 100))
    claimed(tmp_path / "negative.npy", (-1, 5))
    (tmp_path / "header.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\x1f" + b"(" * 0x1FFF)
    np.save(tmp_path / "words.npy", np.array([["a"]]))
    names = ("zip", "half_zip", "huge", "truncated", "negative", "header", "words")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name in names:
        with pytest.raises(InputError, match=f"{name}.npy") as raised:
            read_depth(tmp_path / f"{name}.npy")
        assert "\n" not in str(raised.value)
        with pytest.raises(InputError, match=f"{name}.npy"):
            read_intrinsics(tmp_path / f"{name}.npy")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


def test_a_small_file_of_a_large_depth_map_is_refused_before_it_is_decoded(tmp_path):
    Image.new("I;16", (6000, 6000)).save(tmp_path / "large.png")
    with pytest.raises(InputError, match="more than 25,000,000 pixels"):
        read_depth(tmp_path / "large.png")
    far = ROOM.copy()
    far[:, :20] = 1e300
    np.save(tmp_path / "far.npy", far)
    assert np.isnan(read_depth(tmp_path / "far.npy")[:, :20]).all()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"fx": 1' + "0" * 400 + ', "cx": 1, "cy": 1}',
        '{"fx": [1], "cx": {}, "cy": "a"}',
        '{"K": 5}',
        '{"K": null}',
        "[]",
        "{}",
        '"K"',
        "1 2 3",
        "nan nan nan nan nan nan nan nan nan",
        "P2: 1 2 3",
        "",
        " " * 2_000_000,
    ],
)
def test_hostile_intrinsics_are_one_line(tmp_path, text):
    (tmp_path / "k.json").write_text(text)
    with pytest.raises(InputError, match="intrinsics") as raised:
        read_intrinsics(tmp_path / "k.json")
    assert "\n" not in str(raised.value)


def test_endless_intrinsics_end():
    with pytest.raises(InputError, match="larger than the limit"):
        read_intrinsics("/dev/zero")


def test_intrinsics_of_another_size_are_refused():
    estimator = FoundationEstimator(lambda *_: None, None, None, intrinsics=(1e300, (320, 240)))
    with pytest.raises(InputError, match="focal length of 1e\\+300 pixels is implausible"):
        estimator.estimate([np.zeros((480, 640, 3), np.uint8)], [None])


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_a_room_of_distances_is_reported_from_one_of_depths(noise):
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
