"""Releases of Hypo3D, SCOPE, 3DSRBench and of L4-Pose-Real with one value replaced by another of
any type: each loads, or is refused with one line that names the file.
"""

import copy
import csv
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from po3d.benchmarks.hypo3d import data as hypo3d
from po3d.benchmarks.pulsecheck457 import pose_real
from po3d.benchmarks.registry import BENCHMARKS
from po3d.benchmarks.scope import data as scope
from po3d.benchmarks.threedsrbench import data as srbench
from po3d.io.errors import InputError

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.just("../a"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
SCOPE = BENCHMARKS["scope"].mini
QUESTION = {
    "question_id": "00000",
    "question": "Q?",
    "answer": "left",
    "question_type": "Scale Direction",
}
CHANGE = {
    "context_change": "C.",
    "change_type": "Object Movement Change",
    "questions_answers": [QUESTION],
}
ITEM = {
    "id": "1",
    "scene": "s",
    "task": "consistency_ego",
    "images": ["a.jpg"],
    "view": 45,
    "question": "Q?",
    "options": ["front", "left", "back", "right"],
    "answer": "B",
}
with open(SCOPE / scope.SCENES, encoding="utf-8") as _file:
    VIEWS = json.loads(_file.readline())
POSE = {
    "question_index": 0,
    "image_filename": "a.jpg",
    "question": "Q?",
    "answer": "left",
    "box": [0, 0, 9, 9],
}
ROW = {
    "index": "1",
    "qid": "VIN6MS3J-flip-1",
    "question": "Q?",
    "A": "the bus",
    "B": "the car",
    "C": "",
    "D": "",
    "answer": "B",
    "category": "height_higher",
    "image": "",
    "image_source": "MS-COCO",
    "image_url": "http://a.org/train/1.jpg",
}


def paths(value, own=()):
    """Of every value inside `value`, itself too."""
    yield own
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from paths(inner, (*own, key))


def replaced(value, path, junk):
    if not path:
        return junk
    value = copy.copy(value)
    value[path[0]] = replaced(value[path[0]], path[1:], junk)
    return value


def hypo3d_release(root, junk):
    (root / "contextvqa.json").write_text(json.dumps(junk))
    (root / "axis_definition.csv").write_text(
        "scene_id,Front,Back,Left,Right\nscene0000_00,door,,,\n"
    )
    return hypo3d.load(root)


def scope_items(root, junk):
    (root / "items.jsonl").write_text(json.dumps(junk) + "\n")
    return scope.load(root)


def scope_scenes(root, junk):
    (root / "items.jsonl").write_text(json.dumps(ITEM) + "\n")
    (root / "scenes.jsonl").write_text(json.dumps(junk) + "\n")
    split = scope.load(root)
    scope.read_views(root)
    return split


def pose_items(root, junk):
    (root / "L4_pose_real.json").write_text(json.dumps(junk))
    return pose_real.load(root)


def table(root, junk):
    with open(root / "3dsrbench.tsv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ROW, delimiter="\t")
        writer.writeheader()
        writer.writerow(
            junk if isinstance(junk, dict) and junk.keys() == ROW.keys() else ROW | {"qid": junk}
        )
    return srbench.load(root)


CASES = {
    "hypo3d": (hypo3d_release, {"scene0000_00": [CHANGE]}),
    "scope": (scope_items, ITEM),
    "scope's tables": (scope_scenes, VIEWS),
    "pose": (pose_items, [POSE]),
    "3dsrbench": (table, ROW),
}


@pytest.mark.parametrize("case", CASES)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_a_value_of_any_type_is_read_or_refused_with_one_line(tmp_path, case, data):
    load, whole = CASES[case]
    own = [
        p
        for p in paths(whole)
        if case != "scope's tables" or p[:1] in (("visible",), ("orbit",), ("models",), ("ground",))
    ]
    path = data.draw(st.sampled_from(own))
    reply = ""
    try:
        split = load(tmp_path, replaced(whole, path, data.draw(JUNK)))
    except InputError as refused:
        reply = str(refused)
    else:
        assert len(split.questions) == 1
        assert split.questions[0].answer
    assert "\n" not in reply
    assert not reply or str(tmp_path) in reply


@pytest.mark.parametrize("case", CASES)
def test_the_unchanged_releases_load(tmp_path, case):
    load, whole = CASES[case]
    assert len(load(tmp_path, whole).questions) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_any_encoding_is_read(tmp_path, encoding):
    for load, whole in (CASES[case] for case in ("hypo3d", "scope", "pose", "3dsrbench")):
        expected = load(tmp_path, whole).questions
        for path in tmp_path.iterdir():
            path.write_text(path.read_text(encoding="utf-8"), encoding=encoding)
        module = {
            hypo3d_release: hypo3d,
            scope_items: scope,
            pose_items: pose_real,
            table: srbench,
        }[load]
        assert module.load(tmp_path).questions == expected
        for path in tmp_path.iterdir():
            path.unlink()


def test_rooms_without_axes_and_tables_without_rotations_are_noted(tmp_path):
    split = hypo3d_release(tmp_path, {"scene0000_00": [CHANGE]})
    assert split.notes() == []
    (tmp_path / "axis_definition.csv").write_text("scene_id,Front,Back,Left,Right\n")
    assert hypo3d.load(tmp_path).notes() == [
        "1 of 1 rooms have no axis definition, so their front is undefined (scene0000_00)"
    ]
    assert table(tmp_path, ROW).notes() == []
    (note,) = table(tmp_path, ROW | {"qid": "VIN6MS3J"}).notes()
    assert "no rotations" in note
