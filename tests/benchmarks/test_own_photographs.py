"""A split of 3DSRBench's form on photographs with known boxes: KITTI's and Omni3D's layouts."""

import json
import math

import numpy as np
import pytest
from PIL import Image

from po3d.benchmarks.threedsrbench.box_labels import read_labels
from po3d.benchmarks.threedsrbench.data import load
from po3d.benchmarks.threedsrbench.photographs import generate, unique_names
from po3d.cli import main as cli
from po3d.io.errors import InputError

CALIBRATION = "P2: 700 0 300 0 0 700 200 0 0 0 1 0\n"
# A van 20 m ahead that drives away, a person 10 m ahead on the right who looks to the left, a far
# tram, largely hidden.
LABELS = """Van 0.00 0 0.0 250 150 350 230 2.0 1.9 5.0 0.0 1.65 20.0 -1.5708
Pedestrian 0.00 0 0.0 480 150 530 290 1.8 0.5 0.5 3.0 1.65 10.0 3.14159
DontCare -1 -1 -10 0 0 10 10 -1 -1 -1 -1000 -1000 -1000 -10
Tram 0.00 3 0.0 80 190 100 210 1.8 0.6 1.8 -12.0 1.65 40.0 -1.5708
"""


@pytest.fixture
def kitti(tmp_path):
    for folder in ("image_2", "label_2", "calib"):
        (tmp_path / folder).mkdir()
    Image.fromarray(np.full((400, 600, 3), 90, np.uint8)).save(tmp_path / "image_2" / "000000.png")
    (tmp_path / "label_2" / "000000.txt").write_text(LABELS)
    (tmp_path / "label_2" / "000001.txt").write_text(LABELS)  # without a picture
    (tmp_path / "calib" / "000000.txt").write_text(CALIBRATION)
    return tmp_path


def test_kitti_boxes_become_a_scene(kitti):
    ((scene, clear),) = read_labels(kitti, kitti / "image_2")
    van, person, tram = scene.objects
    assert (scene.image, scene.source, clear) == ("000000.png", "gt", (0, 1))
    assert [o.value("name") for o in scene.objects] == ["van", "person", "tram"]
    assert van.position == pytest.approx((0.0, 20.0, 1.0))
    assert van.heading == pytest.approx(
        math.pi / 2, abs=1e-3
    )  # away from the camera, which looks along +y
    assert abs(person.heading) == pytest.approx(math.pi, abs=1e-3)  # to the left
    assert van.extent == (5.0, 1.9, 2.0)
    for o in (van, person, tram):  # boxes and 3D agree
        pixels, _ = scene.camera.project(np.array([o.position]))
        assert o.box[0] - 2 < pixels[0][0] < o.box[2] + 2


def test_a_split_has_computed_answers_and_can_be_loaded(kitti, tmp_path):
    out = tmp_path / "out"
    pictures, rows = generate(out, kitti / "image_2", kitti, 10)
    split = load(out)
    assert (pictures, len(split.questions)) == (1, rows)
    right = {"nearer_camera": "person", "farther_camera": "van", "higher": "van", "lower": "person"}
    query = {q.program.partition("(")[0]: q.answer for q in split.questions}
    known = {op: answer for op, answer in query.items() if op in right}
    assert known
    assert known == {op: right[op] for op in known}
    assert split.image("images/000000.png").shape == (400, 600, 3)
    assert split.truth("images/000000.png").objects[0].position == pytest.approx((0.0, 20.0, 1.0))
    assert not any("tram" in q.text for q in split.questions)  # largely hidden
    again = tmp_path / "again"
    generate(again, kitti / "image_2", kitti, 10)
    assert (again / "3dsrbench.tsv").read_bytes() == (out / "3dsrbench.tsv").read_bytes()


def omni3d(tmp_path, **changes):
    k = [[700, 0, 300], [0, 700, 200], [0, 0, 1]]
    tilt = math.radians(10)  # the camera looks down
    down = [0, math.cos(tilt), math.sin(tilt)]
    rotation = np.stack([[1, 0, 0], down, np.cross([1, 0, 0], down)], 1)
    place = lambda x, y, z: (rotation @ [x, y, z]).tolist()  # noqa: E731
    base = {
        "image_id": 1,
        "dimensions": [0.6, 1.0, 0.5],
        "R_cam": rotation.tolist(),
        "valid3D": True,
    }
    items = [
        base
        | {
            "category_name": "chair",
            "center_cam": place(-0.5, 1.0, 3.0),
            "bbox2D_proj": [100, 200, 200, 350],
        },
        base
        | {
            "category_name": "table",
            "center_cam": place(0.9, 1.1, 4.0),
            "bbox2D_proj": [350, 200, 480, 330],
            "dimensions": [1.0, 0.8, 1.0],
        },
        base | {"category_name": "lamp", "center_cam": place(0, 0, 2), "valid3D": False},
    ]
    record = {
        "images": [{"id": 1, "file_path": "sub/a.jpg", "K": k, "width": 600, "height": 400}],
        "annotations": items,
    }
    (tmp_path / "a.json").write_text(json.dumps(record | changes))
    Image.fromarray(np.full((400, 600, 3), 90, np.uint8)).save(tmp_path / "a.jpg")
    return tmp_path / "a.json"


def test_omni3d_boxes_give_gravity_and_the_floor(tmp_path):
    ((scene, clear),) = read_labels(omni3d(tmp_path), tmp_path)
    chair, table = scene.objects
    assert clear == (0, 1)
    assert chair.position[1] == pytest.approx(3.0)
    assert chair.position[0] == pytest.approx(-0.5)
    assert table.position[2] == pytest.approx(0.4)
    assert chair.position[2] == pytest.approx(0.5)
    assert chair.extent == (0.5, 0.6, 1.0)
    assert scene.camera.position[2] == pytest.approx(1.5)
    assert math.degrees(math.asin(scene.camera.cam_T_world.rotation[2, 2])) == pytest.approx(-10)


def test_broken_labels_are_one_line(kitti, tmp_path):
    (kitti / "label_2" / "000000.txt").write_text("Van 0.0 x\n")
    with pytest.raises(InputError, match="line 1 is not a KITTI label"):
        read_labels(kitti, kitti / "image_2")
    with pytest.raises(InputError, match="are no Omni3D file"):
        read_labels(omni3d(tmp_path, annotations=[{"x": 1}]), tmp_path)
    with pytest.raises(InputError, match="image 1 is broken"):
        read_labels(omni3d(tmp_path, annotations=[{"image_id": 1}]), tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        read_labels(kitti, kitti / "nothing")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("label_2", b"Van 0 0 0 0 0 9 9 2 2 5 nan 1 20 0"),
        ("label_2", b"Van 0 0 0 0 0 9 9 2 2 5 0 1 20 inf"),
        ("label_2", b"Van 0 0 0 0 0 9 9 2 2 5 0 1 1e400 0"),
        ("label_2", b"Van 0 0 0 0 0 9 9 -2 2 5 0 1 20 0"),
        ("label_2", b"Van 0 0 0 0 0 9 9 2 2 1e300 0 1 20 0"),
        ("label_2", b"\xff\xfe\xff"),
        ("label_2", b"Van\0 0 0"),
        ("calib", b"P2: 0 0 0 0 0 0 0 0 0 0 0 0"),
        ("calib", b"P2: -700 0 300 0 0 -700 200 0 0 0 1 0"),
        ("calib", b"P2: nan 0 300 0 0 700 200 0 0 0 1 0"),
        ("calib", b"P2: 1 2 3"),
        ("calib", b"P2: 700 0 300 0 0 700 200 0 0 0 0 0"),
        ("calib", b"\xff"),
    ],
)
def test_hostile_labels_of_kitti_are_one_line(kitti, file, content):
    (kitti / file / "000000.txt").write_bytes(content)
    with pytest.raises(InputError, match=r"000000\.txt") as raised:
        read_labels(kitti, kitti / "image_2")
    assert "\n" not in str(raised.value)


BOX = {
    "image_id": 1, "dimensions": [1, 1, 1], "R_cam": np.eye(3).tolist(), "category_name": "chair",
    "center_cam": [0, 0, 3], "bbox2D_proj": [0, 0, 9, 9],
}  # fmt: skip
LENS = [[700, 0, 300], [0, 700, 200], [0, 0, 1]]
IMAGE = {"id": 1, "file_path": "a.jpg", "K": LENS}


@pytest.mark.parametrize(
    "changes",
    [
        *({"images": images} for images in (5, None, [5], [[]], ["a"], [None], {"a": 1})),
        *({"images": [{**IMAGE, "K": k}]} for k in (5, [], [1, 2], LENS[:2], "a", None)),
        {"images": [{**IMAGE, "K": [[0, 0, 0]] * 3}]},
        {"images": [{**IMAGE, "K": [[10**400, 0, 1], [0, 700, 1], [0, 0, 1]]}]},
        {"images": [{**IMAGE, "K": [[math.nan, 0, 1], [0, 700, 1], [0, 0, 1]]}]},
        {"images": [{**IMAGE, "id": [1]}]},
        *({"annotations": a} for a in (5, None, [5], ["a"], [[]], {"a": 1}, [{"image_id": []}])),
        *(
            {"images": [IMAGE], "annotations": [{**BOX, name: value}]}
            for name, value in (
                ("dimensions", [1, 1]), ("dimensions", [math.inf, 1, 1]), ("dimensions", 5),
                ("R_cam", [[0] * 3] * 3), ("R_cam", [1]), ("R_cam", [[math.nan] * 3] * 3),
                ("center_cam", [0, 0]), ("center_cam", [0, 0, math.nan]), ("center_cam", "a"),
                ("center_cam", [0, 0, 1e300]), ("bbox2D_proj", [1]), ("bbox2D_proj", {"a": 1}),
                ("bbox2D_proj", ["a"] * 4), ("visibility", "a"), ("truncation", []),
                ("dimensions", [10**400, 1, 1]),
            )
        ),
    ],
)  # fmt: skip
def test_hostile_labels_of_omni3d_are_one_line(tmp_path, changes):
    path = omni3d(tmp_path, **changes)
    with pytest.raises(InputError, match="labels") as raised:
        read_labels(path, tmp_path)
    assert "\n" not in str(raised.value)


def test_labels_that_are_nested_deeply_are_one_line(tmp_path):
    (tmp_path / "a.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read_labels(tmp_path / "a.json", tmp_path)


@pytest.mark.parametrize("path", ["../secret.png", "x/../../secret.png", "{}/secret.png"])
def test_labels_copy_no_file_from_outside_of_the_photographs(tmp_path, path):
    photographs = tmp_path / "photographs"
    photographs.mkdir()
    labels = omni3d(photographs, images=[{**IMAGE, "file_path": path.format(tmp_path)}])
    (photographs / "a.jpg").rename(tmp_path / "secret.png")
    with pytest.raises(InputError, match="no photograph"):
        generate(tmp_path / "out" / "split", photographs, labels, 10)
    assert not list((tmp_path / "out").rglob("*.png"))
    (tmp_path / "secret.png").rename(photographs / "secret.png")  # its name alone is searched
    ((scene, _),) = read_labels(labels, photographs)
    assert scene.image == "secret.png"


def test_options_that_photographs_ignore_are_refused(kitti, tmp_path, capsys):
    out = f"out={tmp_path / 'out'}"
    supplied = [f"photographs={kitti / 'image_2'}", f"labels={kitti}"]
    assert cli.main(["generate", "benchmark=scope", *supplied, out]) == 2
    assert "for benchmark=3dsrbench" in capsys.readouterr().err
    assert cli.main(["generate", "benchmark=3dsrbench", *supplied, "split=train", out]) == 2
    assert "not for photographs" in capsys.readouterr().err
    assert cli.main(["generate", "benchmark=3dsrbench", *supplied, out]) == 0
    assert "rows on 1 photographs" in capsys.readouterr().out


def test_only_names_that_fit_nothing_else_are_queried(kitti):
    ((scene, _),) = read_labels(kitti, kitti / "image_2")
    assert unique_names(scene, (0,)) == {0: "van"}
    assert unique_names(scene.subset([0, 0, 1]), (0, 1, 2)) == {2: "person"}
