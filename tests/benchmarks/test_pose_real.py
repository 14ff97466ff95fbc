"""L4-Pose-Real: small made annotations to items, the red box, accuracy and CV."""

import json
import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from endpoints import completion, scripted
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.io import savemat

from po3d.benchmarks.pulsecheck457 import pose_real
from po3d.benchmarks.pulsecheck457.annotations import read_annotations, read_poses
from po3d.cli import main as cli
from po3d.io.errors import InputError
from po3d.perception.foundation_orientation import Facing
from po3d.reasoning.questions import Prediction
from po3d.systems.facing import BoxFacing

K = [[500.0, 0, 320], [0, 500.0, 240], [0, 0, 1]]
LEVEL = np.eye(3).tolist()


def thing(name, centroid, front, half=(0.25, 0.25, 0.4), **more):
    """`half` along the axes of a box whose first axis is its front."""
    x, y = np.array(front) / np.hypot(*front)
    basis = [[x, y, 0], [-y, x, 0], [0, 0, 1]]
    return {
        "classname": name, "centroid": list(centroid), "coeffs": list(half), "basis": basis,
        "orientation": [*front, 0.0], **more,
    }  # fmt: skip


OBJECTS = [
    thing("chair", (0, 3, -0.5), (0, -1)),  # toward the camera
    thing("sofa", (-1, 4, -0.5), (1, 0.2)),  # 11 degrees off the right
    thing("bed", (1, 4, -0.5), (1, 1)),  # between right and back
    thing("table", (0.5, 4, -0.5), (0, 1)),  # has no front
    thing("toilet", (-1, 4, -0.3), (-1, 0), box=[10, 20, 100, 200]),
    thing("monitor", (0, 5, 0), (0, 1), half=(0.05, 0.1, 0.1)),  # 20 pixels wide
    thing("desk", (2.7, 4, -0.5), (0, -1)),  # half of it outside the picture
]


@pytest.fixture
def annotated(tmp_path):
    """An annotation file and its folder of images."""
    (tmp_path / "photos" / "kv1").mkdir(parents=True)
    Image.fromarray(np.full((480, 640, 3), 90, np.uint8)).save(
        tmp_path / "photos" / "kv1" / "a.png"
    )
    record = {"image": "kv1/a.png", "K": K, "Rtilt": LEVEL, "objects": OBJECTS}
    absent = {**record, "image": "kv1/missing.png"}
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, [record, absent])) + "\n")
    return tmp_path / "a.jsonl", tmp_path / "photos", tmp_path / "out"


def made(annotations, images, out):
    return pose_real.generate(read_annotations(annotations), images, out)


def test_items_are_the_things_that_can_be_queried(annotated):
    assert made(*annotated) == 3
    questions = pose_real.load(annotated[2]).questions
    assert [(q.number, q.answer) for q in questions] == [
        ("chair", "front"), ("sofa", "right"), ("toilet", "left"),
    ]  # fmt: skip
    assert questions[0].text == "In which direction is the chair in the red box facing?"


def test_a_box_is_projected_as_worked_out_by_hand(annotated):
    """The chair's nearest face is 2.75 m ahead, 0.5 m wide and from 0.9 to 0.1 m below the eye: 500
    * 0.25 / 2.75 = 45.5 pixels to each side of 320; down to 240 + 500 * 0.9 / 2.75 = 403.6. Its
    upper edge is highest at the far face:
    240 + 500 * 0.1 / 3.25 = 255.4."""
    photo, _ = read_annotations(annotated[0])
    assert photo.outline(photo.things[0]) == pytest.approx((274.5, 255.4, 365.5, 403.6), abs=0.1)


def test_the_tilt_is_undone_before_projecting(annotated):
    """A camera that looks 20 degrees down, and the same things in upright coordinates."""
    a = math.radians(20)
    upright_R_camera = [[1, 0, 0], [0, math.cos(a), math.sin(a)], [0, -math.sin(a), math.cos(a)]]
    photo, _ = read_annotations(annotated[0])
    point = thing("chair", (0, 3, -3 * math.tan(a)), (0, -1), half=(0.01, 0.01, 0.01))
    record = {"image": "x.png", "K": K, "Rtilt": upright_R_camera, "objects": [point]}
    annotated[0].write_text(json.dumps(record) + "\n")
    (tilted,) = read_annotations(annotated[0])
    x0, y0, x1, y1 = tilted.outline(tilted.things[0])
    assert ((x0 + x1) / 2, (y0 + y1) / 2) == pytest.approx((320, 240), abs=0.5)  # where it looks
    assert photo.size is None


def test_the_toolbox_file_gives_the_same_photographs(annotated, tmp_path):
    fields = ("classname", "centroid", "coeffs", "basis", "orientation")
    boxes = np.array(
        [
            tuple(np.array(o[f], object if f == "classname" else float) for f in fields)
            for o in OBJECTS
        ],
        dtype=[(f, object) for f in fields],
    )
    meta = {
        "sequenceName": "SUNRGBD/kv1/room",
        "rgbname": "a.jpg",
        "K": np.array(K),
        "Rtilt": np.eye(3),
        "groundtruth3DBB": boxes,
    }
    savemat(tmp_path / "m.mat", {"SUNRGBDMeta": meta})
    (photo,) = read_annotations(tmp_path / "m.mat")
    other, _ = read_annotations(annotated[0])
    assert photo.image == "kv1/room/image/a.jpg"
    assert [t.name for t in photo.things] == [t.name for t in other.things]
    assert photo.outline(photo.things[0]) == pytest.approx(other.outline(other.things[0]))
    assert photo.things[1].front == pytest.approx(other.things[1].front)


@given(st.floats(-180, 180), st.floats(0.1, 10))
def test_a_direction_is_named_within_its_window_and_never_two(angle, length):
    """Clockwise from "front" (toward the viewer) as seen from above: front, left, back, right."""
    a = math.radians(angle)
    word = pose_real.facing((-length * math.sin(a), -length * math.cos(a)))
    nearest = round(angle / 90)
    off = abs(angle - 90 * nearest)
    if abs(off - 30) > 1e-6:
        assert word == (("front", "left", "back", "right")[nearest % 4] if off < 30 else None)


def test_the_picture_shows_the_red_box_and_nothing_else_changes(annotated):
    made(*annotated)
    split = pose_real.load(annotated[2])
    q = split.questions[2]
    pixels = split.image(q.image)
    assert pixels[20, 10].tolist() == [255, 0, 0]
    assert pixels[219, 109].tolist() == [255, 0, 0]
    assert pixels[23, 13].tolist() == [90, 90, 90]
    changed = (pixels != 90).any(-1)
    assert changed.sum() == 100 * 200 - 94 * 194
    assert split.first(1).questions == split.questions
    with pytest.raises(InputError, match="no true scenes"):
        split.truth(q.image)


def questions_of(answers):
    records = [
        {
            "question_index": k,
            "image_filename": f"{k}.png",
            "question": "?",
            "answer": a,
            "box": [0, 0, 50, 50],
        }
        for k, a in enumerate(answers)
    ]
    return [pose_real._question(r, "here") for r in records]


def test_accuracy_and_cv_are_those_worked_out_by_hand():
    """Gold: two of each of four, CV 0. Predicted: left 5, right 2, front 1, back 0 of 8, shares
    .625 .25 .125 0 with mean .25 and population deviation sqrt((.375**2 + 0 + .125**2 + .25**2) /
    4) = .2339: CV .9354. Right: left 2, right 1.
    """
    questions = questions_of(["left", "left", "right", "right", "front", "front", "back", "back"])
    reply = ["left", "Left", "right", "left", "left", "right", "front", "left"]
    report = pose_real.score(
        questions, [Prediction(q.id, "ok", s) for q, s in zip(questions, reply)]
    )
    assert report["rows"][0]["value"] == pytest.approx(100 * 3 / 8)
    assert report["cv"]["gold"] == 0
    assert report["cv"]["predicted"] == pytest.approx(math.sqrt(0.21875 / 4) / 0.25)
    assert report["distribution"]["predicted"] == {"left": 5, "right": 2, "front": 1, "back": 0}
    assert report["by_direction"]["left"] == 100


def test_published_rows_and_failures():
    assert {r["model"]: (r["L4-Pose-Real"], r["cv"]) for r in pose_real.published_rows()}[
        "Human"
    ] == (92.64, 0.197)
    questions = questions_of(["left", "right"])
    report = pose_real.score(
        questions, [Prediction(q.id, "failed", reason="no") for q in questions]
    )
    assert (report["rows"][0]["failed"], report["rows"][0]["value"]) == (2, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": "up"}, "not one of"),
        ({"box": [5, 5, 5, 9]}, "x0, y0, x1, y1"),
        ({"box": "all"}, "malformed"),
        ({"image_filename": "../a.png"}, "leads out of the folder"),
    ],
)
def test_a_bad_item_is_named(tmp_path, change, message):
    record = {
        "question_index": 0,
        "image_filename": "a.png",
        "question": "?",
        "answer": "left",
        "box": [0, 0, 9, 9],
    }
    (tmp_path / pose_real.FILE).write_text(json.dumps([{**record, **change}]))
    with pytest.raises(InputError, match=message):
        pose_real.load(tmp_path)


def test_bad_annotations_are_named(tmp_path):
    (tmp_path / "a.mat").write_bytes(b"MATLAB 5.0 but not really")
    with pytest.raises(InputError, match=r"not a readable \.mat"):
        list(read_annotations(tmp_path / "a.mat"))
    (tmp_path / "a.jsonl").write_text('{"image": "a.png", "K": [1], "Rtilt": [], "objects": []}\n')
    with pytest.raises(InputError, match="photograph 0"):
        list(read_annotations(tmp_path / "a.jsonl"))
    with pytest.raises(InputError, match="not found"):
        list(read_annotations(tmp_path / "none.mat"))
    with pytest.raises(InputError, match="expected"):
        pose_real.load(tmp_path)


# --- folders of pictures with poses, and the command ----------------------------------------------


def place(yaw: float, pitch: float, front: str = "+z") -> list[list[float]]:
    """Columns: axes of an upright thing in a camera that looks down by `pitch`, x right, y down, z
    ahead. Yaw 0 faces the viewer; it grows clockwise from above: left next.
    """
    toward = np.array([-math.sin(yaw), 0.0, -math.cos(yaw)])  # in a level camera
    up = np.array([0.0, -1.0, 0.0])
    side = np.cross(up, toward)
    columns = {"+z": (side, up, toward), "+x": (toward, up, -side)}[front]
    c, s = math.cos(pitch), math.sin(pitch)
    tilt = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])  # what is ahead moves up in the picture
    return (tilt @ np.stack(columns, 1)).tolist()


def record_of(yaws, pitch=0.0, front="+z", opengl=False):
    """A picture's poses: chairs beside each other, three metres ahead."""
    flip = np.diag([1.0, -1.0, -1.0]) if opengl else np.eye(3)
    objects = [
        {
            "category": "chair",
            "rotation": (flip @ np.array(place(yaw, pitch, front))).tolist(),
            "translation": (flip @ np.array([k - 0.5, 0.3, 3.0])).tolist(),
            "scale": [0.5, 0.8, 0.5],
        }
        for k, yaw in enumerate(yaws)
    ]
    return {"K": K, "objects": objects}


def folder_of(root, records):
    """Pictures with their poses beside them."""
    (root / "batch").mkdir(parents=True)
    for k, record in enumerate(records):
        pixels = np.full((480, 640, 3), 60 + k, np.uint8)
        Image.fromarray(pixels).save(root / "batch" / f"{k:03d}.png")
        (root / "batch" / f"{k:03d}.json").write_text(json.dumps(record))
    return root


QUARTERS = {0: "front", 1: "left", 2: "back", 3: "right"}


@given(
    st.integers(0, 3),
    st.floats(-28, 28),
    st.floats(-1.0, 1.0),
    st.sampled_from(["+z", "+x"]),
    st.booleans(),
)
def test_a_pose_faces_as_it_was_turned_however_the_camera_is_tilted(
    quarter, off, pitch, front, opengl
):
    yaw = math.radians(90 * quarter + off)
    with tempfile.TemporaryDirectory() as root:
        folder = folder_of(Path(root) / "in", [record_of([yaw], pitch, front, opengl)])
        (photo,) = read_poses(folder, opengl, front)
        assert photo.image == "batch/000.png"
        assert pose_real.facing(photo.things[0].front) == QUARTERS[quarter]
        (level,) = read_poses(folder_of(Path(root) / "level", [record_of([yaw])]))
        x0, _, x1, _ = level.outline(level.things[0])
        assert (x0 + x1) / 2 == pytest.approx(
            320 - 500 * 0.5 / 3, abs=8
        )  # half a metre left of the middle


def test_items_are_built_answered_and_scored_by_commands(tmp_path, capsys):
    yaws = [math.radians(a) for a in (0, 90, 180, 270)]
    records = [record_of([yaws[k % 4], yaws[(k + 1) % 4]]) for k in range(4)]
    folder, items = folder_of(tmp_path / "in", records), tmp_path / "items"
    assert cli.main(["pose-real", "make", str(folder), str(items)]) == 0
    assert "8 items in" in capsys.readouterr().out
    gold = {q.id: q.answer for q in pose_real.load(items).questions}
    assert sorted(gold.values()) == sorted(["front", "left", "back", "right"] * 2)

    def reply(count, body):
        text = body["messages"][0]["content"][-1]["text"]
        assert "In which direction is the chair in the red box facing?" in text
        assert "exactly one of: left, right, front, back" in text
        return completion("It faces the **front**.")

    with scripted(reply) as endpoint:
        supplied = ["pose-real", "answer", str(items), str(tmp_path / "lmm"), "--system", "lmm"]
        supplied += ["--url", endpoint.base_url, "--model", "tiny"]
        assert cli.main(supplied) == 0
    assert (
        cli.main(["pose-real", "answer", str(items), str(tmp_path / "r"), "--system", "random"])
        == 0
    )
    capsys.readouterr()
    assert (
        cli.main(["pose-real", "score", str(items), str(tmp_path / "lmm"), str(tmp_path / "r")])
        == 0
    )
    page = capsys.readouterr().out.splitlines()
    rows = {line.split("  ")[0]: line.split() for line in page if "  " in line}
    assert rows["tiny"][1:4] == ["25.0", "1.732", "0"]  # front alone: CV is the square root of 3
    assert rows["ground truth"][-6] == "0.000"
    assert rows["Human *"][2:4] == ["92.6", "0.197"]
    assert any("so the images differ" in line for line in page)
    assert (
        cli.main(["pose-real", "score", str(items), str(tmp_path / "lmm"), "--form", "latex"]) == 0
    )
    assert r"Human$^{*}$ & 92.6 & 0.197" in capsys.readouterr().out


def test_an_orientation_network_answers_for_the_box_alone():
    """A network that is right: the viewer stands where the thing was turned from."""
    query, turns = [], [0.0, math.pi / 2, math.pi, -math.pi / 2]

    def face(crops):
        query.extend(crops)
        return [Facing(turns[len(query) - 1], 0.0, 0.0, 0.1, 0.2)]

    pixels = np.zeros((480, 640, 3), np.uint8)
    pixels[100:200, 270:370] = 255
    system = BoxFacing(face, lambda name: pixels, lambda name: (270, 100, 370, 200))
    (question,) = questions_of(["left"])
    for word in ("front", "left", "back", "right"):
        (prediction,) = system.answer([question], None)
        assert (prediction.answer, prediction.probability) == (word, 0.8)
    assert query[0].shape == (110, 110, 3)
    silent = BoxFacing(face, lambda name: pixels, lambda name: None)
    assert silent.answer([question], None)[0].status == "failed"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}, "is not a rotation matrix"),
        ({"rotation": [[1, 0, 0], [0, 0, -1], [0, 1, 0]]}, "looks along"),
        ({"scale": [1, 2]}, "malformed"),
        ({"translation": "here"}, "malformed"),
        ({"category": None, "rotation": None}, "malformed"),
    ],
)
def test_bad_poses_are_named(tmp_path, capsys, change, message):
    record = record_of([0.0])
    record["objects"][0].update(change)
    folder = folder_of(tmp_path / "in", [record])
    assert cli.main(["pose-real", "make", str(folder), str(tmp_path / "items")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
    assert "000.json" in error
    assert not (tmp_path / "items" / pose_real.FILE).exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["make", "IN", "OUT", "--front", "z"], "unknown axis for front 'z'"),
        (["make", "IN", "OUT", "--front=-y"], "are the same axis"),
        (["make", "nowhere", "OUT"], "folder of photographs not found"),
        (["make", ".", "OUT"], "contains no image"),
        (["answer", "IN", "OUT", "--system", "random"], "no L4-Pose-Real in"),
        (["score", "IN", "OUT"], "no L4-Pose-Real in"),
        (["answer", "ITEMS", "OUT", "--system", "lmm"], "--system lmm needs --url"),
        (["answer", "ITEMS", "OUT", "--system", "orientation"], "needs --weights"),
        (
            ["answer", "ITEMS", "OUT", "--system", "orientation", "--weights", "./no"],
            "weights for photographs",
        ),
    ],
)
def test_bad_options_of_the_command_are_one_line(tmp_path, monkeypatch, capsys, options, message):
    folder = folder_of(tmp_path / "in", [record_of([0.0])])
    assert cli.main(["pose-real", "make", str(folder), str(tmp_path / "items")]) == 0
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    places = {"IN": str(folder), "OUT": str(tmp_path / "out"), "ITEMS": str(tmp_path / "items")}
    capsys.readouterr()
    assert cli.main(["pose-real", *(places.get(o, o) for o in options)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
