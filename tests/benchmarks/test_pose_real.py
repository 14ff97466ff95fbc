"""L4-Pose-Real: small made annotations to items, the red box, accuracy and CV."""

import json
import math

import numpy as np
import pytest
from endpoints import completion, scripted
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.io import savemat

from po3d.benchmarks.pulsecheck457 import pose_real
from po3d.benchmarks.pulsecheck457.sunrgbd import read_annotations
from po3d.cli import main as cli
from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction

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
    Image.fromarray(np.full((480, 640, 3), 90, np.uint8)).save(tmp_path / "photos" / "kv1" / "a.png")
    record = {"image": "kv1/a.png", "K": K, "Rtilt": LEVEL, "objects": OBJECTS}
    absent = {**record, "image": "kv1/missing.png"}
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, [record, absent])) + "\n")
    return tmp_path / "a.jsonl", tmp_path / "photos", tmp_path / "out"


def test_items_are_the_things_that_can_be_asked_about(annotated):
    assert pose_real.generate(*annotated) == 3
    questions = pose_real.load(annotated[2]).questions
    assert [(q.number, q.answer) for q in questions] == [
        ("chair", "front"), ("sofa", "right"), ("toilet", "left"),
    ]  # fmt: skip
    assert questions[0].text == "In which direction is the chair in the red box facing?"


def test_a_box_is_projected_as_worked_out_by_hand(annotated):
    """The chair's nearest face is 2.75 m ahead, 0.5 m wide and from 0.9 to 0.1 m below the eye: 500 * 0.25 / 2.75 = 45.5
    pixels to each side of 320; down to 240 + 500 * 0.9 / 2.75 = 403.6. Its upper edge is highest at the far face:
    240 + 500 * 0.1 / 3.25 = 255.4."""
    (photo, _) = read_annotations(annotated[0])
    assert photo.outline(photo.things[0]) == pytest.approx((274.5, 255.4, 365.5, 403.6), abs=0.1)


def test_the_tilt_is_undone_before_projecting(annotated):
    """A camera that looks 20 degrees down, and the same things in upright coordinates."""
    a = math.radians(20)
    upright_R_camera = [[1, 0, 0], [0, math.cos(a), math.sin(a)], [0, -math.sin(a), math.cos(a)]]
    (photo, _) = read_annotations(annotated[0])
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
        [tuple(np.array(o[f], object if f == "classname" else float) for f in fields) for o in OBJECTS],
        dtype=[(f, object) for f in fields],
    )
    meta = {
        "sequenceName": "SUNRGBD/kv1/room", "rgbname": "a.jpg", "K": np.array(K), "Rtilt": np.eye(3),
        "groundtruth3DBB": boxes,
    }  # fmt: skip
    savemat(tmp_path / "m.mat", {"SUNRGBDMeta": meta})
    (photo,) = read_annotations(tmp_path / "m.mat")
    (other, _) = read_annotations(annotated[0])
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
    pose_real.generate(*annotated)
    split = pose_real.load(annotated[2])
    q = split.questions[2]
    pixels = split.image(q.image)
    assert pixels[20, 10].tolist() == [255, 0, 0]
    assert pixels[219, 109].tolist() == [255, 0, 0]
    assert pixels[23, 13].tolist() == [90, 90, 90]
    changed = (pixels != 90).any(-1)
    assert changed.sum() == 100 * 200 - 94 * 194
    assert split.first(1).questions == split.questions
    with pytest.raises(InputError, match="no true tables"):
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
    """Gold: two of each of four, CV 0. Predicted: left 5, right 2, front 1, back 0 of 8, shares .625 .25 .125 0 with mean
    .25 and population deviation sqrt((.375**2 + 0 + .125**2 + .25**2) / 4) = .2339: CV .9354. Right: left 2, right 1."""
    questions = questions_of(["left", "left", "right", "right", "front", "front", "back", "back"])
    said = ["left", "Left", "right", "left", "left", "right", "front", "left"]
    report = pose_real.score(questions, [Prediction(q.id, "ok", s) for q, s in zip(questions, said)])
    assert report["rows"][0]["value"] == pytest.approx(100 * 3 / 8)
    assert report["cv"]["gold"] == 0
    assert report["cv"]["predicted"] == pytest.approx(math.sqrt(0.21875 / 4) / 0.25)
    assert report["distribution"]["predicted"] == {"left": 5, "right": 2, "front": 1, "back": 0}
    assert report["by_direction"]["left"] == 100


def test_published_rows_and_failures():
    assert {r["model"]: (r["L4-Pose-Real"], r["cv"]) for r in pose_real.published_rows()}["Human"] == (
        92.64,
        0.197,
    )
    questions = questions_of(["left", "right"])
    report = pose_real.score(questions, [Prediction(q.id, "failed", reason="no") for q in questions])
    assert (report["rows"][0]["failed"], report["rows"][0]["value"]) == (2, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": "up"}, "none of"),
        ({"box": [5, 5, 5, 9]}, "x0, y0, x1, y1"),
        ({"box": "all"}, "malformed"),
        ({"image_filename": "../a.png"}, "leaves the folder"),
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
    with pytest.raises(InputError, match=r"no readable \.mat"):
        list(read_annotations(tmp_path / "a.mat"))
    (tmp_path / "a.jsonl").write_text('{"image": "a.png", "K": [1], "Rtilt": [], "objects": []}\n')
    with pytest.raises(InputError, match="photograph 0"):
        list(read_annotations(tmp_path / "a.jsonl"))
    with pytest.raises(InputError, match="not found"):
        list(read_annotations(tmp_path / "none.mat"))
    with pytest.raises(InputError, match="expected"):
        pose_real.load(tmp_path)


def test_the_command_makes_asks_and_scores(annotated, tmp_path, capsys):
    items, run = tmp_path / "items", tmp_path / "run"
    assert cli.main(["pose-real", "make", str(annotated[0]), str(annotated[1]), "--out", str(items)]) == 0
    answers = {q.text.split("the ")[1].split(" in")[0]: q.answer for q in pose_real.load(items).questions}
    wrong = {"sofa": "Left."}

    def reply(number, body):
        *_, part = body["messages"][0]["content"]
        assert len(body["messages"][0]["content"]) == 2
        noun = part["text"].split("the ")[1].split(" in")[0]
        return completion(wrong.get(noun, f"The answer is {answers[noun]}."))

    with scripted(reply) as endpoint:
        command = [
            "pose-real",
            "answer",
            str(items),
            "--base-url",
            endpoint.base_url,
            "--model",
            "m",
            "--out",
            str(run),
        ]
        assert cli.main(command) == 0
        assert len(endpoint.requests) == 3
        assert cli.main(command) == 0  # everything is in the log
        assert len(endpoint.requests) == 3
    capsys.readouterr()
    assert cli.main(["pose-real", "score", str(items), str(run), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rows"][0]["value"] == pytest.approx(100 * 2 / 3)
    assert cli.main(["pose-real", "score", str(items), str(run)]) == 0
    printed = capsys.readouterr().out
    assert "published, on the paper's own items" in printed
    assert "3 questions, 0 without an answer" in printed


def test_pictures_with_poses_become_the_same_items(annotated, tmp_path):
    folder = tmp_path / "poses"
    folder.mkdir()
    Image.fromarray(np.full((480, 640, 3), 90, np.uint8)).save(folder / "a.png")
    # A chair 3 m ahead and 0.5 m below the eye, facing the camera: front is -ahead, its left is the camera's right, up is -down.
    toward = [[0, 1, 0], [0, 0, -1], [-1, 0, 0]]
    chair = {"name": "chair", "rotation": toward, "translation": [0, 0.5, 3], "size": [0.5, 0.5, 0.8]}
    (folder / "a.json").write_text(json.dumps({"image": "a.png", "K": K, "objects": [chair]}))
    (photo,) = read_annotations(folder)
    (same, _) = read_annotations(annotated[0])
    assert photo.outline(photo.things[0]) == pytest.approx(same.outline(same.things[0]))
    assert photo.things[0].front == pytest.approx((0, -1))
    assert pose_real.generate(folder, folder, tmp_path / "made") == 1
    assert pose_real.load(tmp_path / "made").questions[0].answer == "front"
    (folder / "a.json").write_text(json.dumps({"image": "a.png", "K": K, "objects": [{"name": "chair"}]}))
    with pytest.raises(InputError, match=r"a\.json: malformed poses"):
        list(read_annotations(folder))
