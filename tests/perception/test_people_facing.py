"""Facing of people by BlazePose's keypoints, from the file to the answer."""

import importlib.util
import math

import numpy as np
import pytest
from onnx_files import write_constant

from po3d.io.errors import InputError
from po3d.perception.foundation import foundation
from po3d.perception.foundation_geometry import front_of
from po3d.perception.onnx_detector import grid_cells
from po3d.perception.people_facing import MOST, SIDES, PeopleFacing, facing_of
from po3d.systems.api import load

RUNTIME = any(importlib.util.find_spec(name) for name in ("openvino", "onnxruntime"))
needs_runtime = pytest.mark.skipif(not RUNTIME, reason="no runtime: pip install 'po3d[openvino]'")
PICTURE = np.full((320, 320, 3), 90, np.uint8)
SIDE = 320


def keypoints(front, count=39):
    """Keypoints of a person whose front points along (x, z): right and away from the camera."""
    result = np.zeros((count, 3))
    left_to_right = np.array([front[1], 0.0, -front[0]])
    for left, right in SIDES:
        result[left], result[right] = -0.2 * left_to_right, 0.2 * left_to_right
    return result


@pytest.mark.parametrize("front", [(0, -1), (0, 1), (1, 0), (-1, 0), (0.6, -0.8)])
def test_the_front_is_at_a_right_angle_to_the_shoulders(front):
    facing = facing_of(keypoints(front))
    x, y, z = front_of(facing.azimuth, facing.polar, facing.rotation, np.array([0, 0, 1.0]))
    assert (x, z) == pytest.approx(front, abs=1e-9)
    assert y == pytest.approx(0)


def pose_file(path, front, certain=1.0, shape=(1, 64, 64, 3)):
    outputs = {
        "world": keypoints(front).reshape(1, -1).astype(np.float32),
        "flag": np.full((1, 1), certain, np.float32),
    }
    return write_constant(path, {"image": shape}, outputs)


def detector_file(path):
    """A YOLOX network that finds a person on the left and one on the right."""
    cells, _ = grid_cells(SIDE, SIDE)
    rows = np.zeros((1, len(cells), 85), np.float32)
    rows[0, :, :4] = SIDE / 2
    for k, x in enumerate((80, 240)):
        rows[0, k, :4] = x, 180, 60, 160
        rows[0, k, 4], rows[0, k, 5] = 1.0, 0.95
    return write_constant(path, {"images": (1, 3, SIDE, SIDE)}, {"output": rows})


def model(tmp_path, front=None, certain=1.0):
    supplied = {}
    if front is not None:
        supplied["pose"] = str(pose_file(tmp_path / "pose.onnx", front, certain))
    looks = foundation({"onnx": str(detector_file(tmp_path / "net.onnx"))}, orientation=supplied)
    return load("photographs", perception=looks, samples=16, parser="benchmark")


@needs_runtime
@pytest.mark.parametrize(("front", "faces"), [((0, -1), "yes"), ((0, 1), "no")])
def test_questions_about_a_persons_front_are_answered_by_the_pose(tmp_path, front, faces):
    query = model(tmp_path, front)
    answer = query.ask(PICTURE, "Is the person facing the camera?", options=("yes", "no"))
    assert (answer.status, answer.answer) == ("ok", faces)
    assert "a guess" not in str(answer)
    assert "pose pose.onnx" in query.pipeline.tables.estimator.version


@needs_runtime
def test_without_a_pose_the_heading_is_unknown(tmp_path):
    for query in (model(tmp_path), model(tmp_path, (0, 1), certain=0.01)):
        scene = query.look(PICTURE)
        assert {o.flip for o in scene.objects} == {0.5}
    doubtful = model(tmp_path, (0, 1), certain=0.2).look(PICTURE)
    assert all(0.2 < o.flip < 0.4 for o in doubtful.objects)
    turned = model(tmp_path, (0, 1)).look(PICTURE)
    assert all(o.flip < 0.1 for o in turned.objects)
    assert all(math.cos(o.heading - math.pi / 2) > 0.9 for o in turned.objects)  # away: +y


@needs_runtime
def test_both_layouts_are_read_and_few_people_are_estimated(tmp_path):
    boxes = [np.array([k, 0, 20.0 + 2 * k, 40]) for k in range(MOST + 2)]
    for shape in ((1, 64, 64, 3), (1, 3, 64, 64)):
        result = PeopleFacing(pose_file(tmp_path / "p.onnx", (0, -1), shape=shape))(PICTURE, boxes)
        assert [one is None for one in result] == [True] * 2 + [False] * MOST


@needs_runtime
def test_other_networks_are_one_line(tmp_path):
    path = write_constant(
        tmp_path / "p.onnx", {"x": (1, 8, 8, 3)}, {"o": np.zeros((1, 17), np.float32)}
    )
    with pytest.raises(InputError, match="outputs of 17 numbers are not those of BlazePose"):
        PeopleFacing(path)(PICTURE, [np.array([0, 0, 9, 9])])
    path = write_constant(
        tmp_path / "p.onnx", {"x": (1, 4, 8, 3)}, {"o": np.zeros((1, 17), np.float32)}
    )
    with pytest.raises(InputError, match=r"input \[1, 4, 8, 3\] should be"):
        PeopleFacing(path)(PICTURE, [np.array([0, 0, 9, 9])])
    for name, words in (
        ("p.task", "should end in .onnx or .xml or .tflite"),
        ("n.onnx", "is not a file"),
    ):
        with pytest.raises(InputError, match=words):
            PeopleFacing(tmp_path / name)
