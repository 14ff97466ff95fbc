"""The loader on a hand-made release, and our files against their own reader."""

import json
from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene
from PIL import Image

from po3d.benchmarks.hypo3d.data import RoomQuestion, frame_text, load, write_release, write_results
from po3d.benchmarks.hypo3d.inputs import CAMERAS, MAPS
from po3d.benchmarks.hypo3d.score import ALIGNED, score
from po3d.evaluation.harness.harness_files import iterate_rows
from po3d.io.errors import InputError
from po3d.io.paths import MINI as DATA
from po3d.io.seeding import rng
from po3d.reasoning.questions import Prediction
from po3d.scene.table import to_json

ROOMS = ("scene0000_00", "0a4b8ef6-a83a-21f2-8672-dce34dd0d7ca")
AXES = """\
scene_id,Front,Back,Left,Right
scene0000_00,door,,TV stand ,
0a4b8ef6-a83a-21f2-8672-dce34dd0d7ca,,window,,the "big" bed
"""


def qa(i, answer, types="Scale", **more):
    record = {
        "question_id": f"{i:05d}",
        "question": f"Q{i}?",
        "answer": answer,
        "question_type": types,
    }
    return record | more


RELEASE = {
    ROOMS[0]: [
        {
            "context_change": "The chair has been moved to the desk.",
            "change_type": "Object Movement Change",
            "questions_answers": [qa(0, "Front right", "Scale Direction"), qa(1, "2")],
        },
        {
            "context_change": "The bed is red now.",
            "change_type": "Attribute Change",
            "questions_answers": [
                qa(
                    2,
                    "red",
                    "semantic",
                    program="describe[color]",
                    fine="attribute",
                    change_program="x",
                )
            ],
        },
    ],
    ROOMS[1]: [
        {
            "context_change": "",
            "change_type": "Object Replacement Change",
            "questions_answers": [
                qa(3, 4, "Semantic", control="without change", predicted_answer="4")
            ],
        }
    ],
}


@pytest.fixture
def release(tmp_path):
    (tmp_path / "contextvqa.json").write_text(json.dumps(RELEASE), encoding="utf-8")
    (tmp_path / "axis_definition.csv").write_text(AXES, encoding="utf-8-sig")
    (tmp_path / MAPS).mkdir(parents=True)
    Image.fromarray(np.full((6, 8, 3), 7, np.uint8)).save(tmp_path / MAPS / f"{ROOMS[0]}.png")
    return tmp_path


def workbook(path, sheet="Sheet1", header=("scene_id", "Front", "Back", "Left", "Right")):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    page = book.create_sheet(sheet)
    page.append(header)
    page.append((ROOMS[0], "door", None, "TV stand", None))
    page.append((None, None, None, None, None))
    page.append((ROOMS[1], None, "window", None, 'the "big" bed'))
    book.save(path)


def test_the_release_loads(release):
    split = load(release)
    assert [(q.id, q.image, q.category, q.answer) for q in split.questions] == [
        ("00000", ROOMS[0], "movement", "Front right"),
        ("00001", ROOMS[0], "movement", "2"),
        ("00002", ROOMS[0], "attribute", "red"),
        ("00003", ROOMS[1], "replacement", "4"),
    ]
    assert split.questions[0] == RoomQuestion(
        "00000",
        ROOMS[0],
        "Q0?",
        "2d",
        "movement",
        "Front right",
        "",
        change="The chair has been moved to the desk.",
        types=("Scale", "Direction"),
        frame="The door was located at the front of the scene. "
        "The TV stand was located at the left of the scene.",
    )
    third, last = split.questions[2:]
    assert third.program == "describe[color]"
    assert third.types == ("Semantic",)
    assert (third.fine, third.change_program) == ("attribute", "x")
    assert (last.control, last.change) == ("without change", "")
    assert split.images == ROOMS
    assert split.frame(ROOMS[1]).endswith(
        'The the "big" bed was located at the right of the scene.'
    )
    assert split.frame("scene9999_00") == ""
    assert split.hidden(ROOMS[0]) is None
    assert [q.id for q in split.first(1).questions] == ["00003"]
    assert split.first(None) == split


def test_the_later_name_of_the_question_file_is_known(release):
    (release / "contextvqa.json").rename(release / "hypo3d.json")
    assert len(load(release).questions) == 4


@pytest.mark.parametrize("name", ["Axis Definition.xlsx", "axis_definition.xlsx"])
def test_the_official_workbook_says_the_same_as_its_csv(release, name):
    expected = load(release)
    (release / "axis_definition.csv").unlink()
    workbook(release / name)
    assert load(release) == expected


def test_without_openpyxl_the_reader_says_what_to_do(release, monkeypatch):
    workbook(release / "Axis Definition.xlsx")
    (release / "axis_definition.csv").unlink()
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(InputError, match=r"needs openpyxl: pip install 'po3d\[hypo3d\]'"):
        load(release)


def test_frames_are_in_the_benchmarks_words():
    anchors = {"right": "desk", "back": "door", "left": ""}
    assert (
        frame_text(anchors)
        == "The door was located at the back of the scene. The desk was located at the right of the"
        " scene."
    )
    assert frame_text({}) == ""


def test_pictures_are_read_and_absent_ones_named(release):
    split = load(release)
    assert split.image(ROOMS[0]).shape == (6, 8, 3)
    with pytest.raises(InputError, match=rf"{ROOMS[1]}: no map .* and no scene"):
        split.image(ROOMS[1])
    Image.fromarray(np.zeros((5, 5, 3), np.uint8)).save(release / MAPS / f"{ROOMS[1]}.jpg")
    assert split.image(ROOMS[1]).shape == (5, 5, 3)


def test_a_plain_map_comes_with_its_scale(release):
    (release / MAPS / CAMERAS).write_text(
        json.dumps({ROOMS[0]: {"metres_per_pixel": 0.5, "center": [1, 2]}})
    )
    picture, camera = load(release).inputs(ROOMS[0]).top_view()
    assert picture.shape == (6, 8, 3)
    corner, right = camera.at_height([(0, 6), (8, 6)], 0.0)[:, :2]
    assert corner == pytest.approx(
        [1 - 2, 2 - 1.5]
    )  # 8 x 6 pixels of half a metre around (1, 2), the top is +y
    assert right == pytest.approx([1 + 2, 2 - 1.5])


@pytest.mark.parametrize(
    "record",
    [
        {},
        {ROOMS[0]: {}},
        {ROOMS[0]: {"metres_per_pixel": 0}},
        {ROOMS[0]: {"metres_per_pixel": 1, "center": 3}},
    ],
)
def test_a_map_without_a_usable_scale_says_what_is_expected(release, record):
    (release / MAPS / CAMERAS).write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"should be .'metres_per_pixel'"):
        load(release).inputs(ROOMS[0]).top_view()


@pytest.mark.parametrize("shape", ["jsonl", "list", "by id"])
def test_true_tables_come_in_po3ds_format(release, shape):
    with pytest.raises(
        InputError, match=f"no true scene of '{ROOMS[0]}': the official release has none"
    ):
        load(release).truth(ROOMS[0])
    scenes = {name: replace(random_scene(rng(1, name), 4), image=name) for name in ROOMS}
    records = [to_json(s) for s in scenes.values()]
    if shape == "jsonl":
        (release / "scenes.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    else:
        content = records if shape == "list" else dict(zip(ROOMS, records))
        (release / "scenes.json").write_text(json.dumps(content))
    split = load(release)
    for name in ROOMS:
        assert to_json(split.truth(name)) == to_json(scenes[name])
    with pytest.raises(InputError, match="no true scene of 'scene0001_00'"):
        split.truth("scene0001_00")


def changed(**fields):
    change = RELEASE[ROOMS[0]][0] | fields
    return {"s": [{k: v for k, v in change.items() if v is not None}]}


def ask_question(**fields):
    record = qa(0, "x") | fields
    return changed(questions_answers=[{k: v for k, v in record.items() if v is not None}])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", r"question file is not valid JSON: .*contextvqa\.json"),
        ([], r"contextvqa\.json is not a Hypo3D question file"),
        ({}, r"contextvqa\.json contains no questions"),
        ({"s": {}}, "scene s: expected a list of changes"),
        ({"a/../b": []}, "'a/../b' is not valid as a file name"),
        ({"s": ["x"]}, "scene s, change 0: 'questions_answers' should be a list"),
        (
            changed(questions_answers=["x"]),
            "change 0: 'questions_answers' should be a list of questions",
        ),
        (
            changed(change_type="Object Painting Change"),
            "'Object Painting Change' should contain one of movement",
        ),
        (
            changed(change_type=None),
            r"contextvqa\.json, .* question 0: the field 'change_type' is missing",
        ),
        (changed(context_change=None), "the field 'context_change' is missing"),
        (ask_question(answer=None), "scene s, change 0, question 0: the field 'answer' is missing"),
        (ask_question(question_type=None), "the field 'question_type' is missing"),
        (
            changed(questions_answers=[qa(7, "x"), qa(7, "y")]),
            "the question_id '00007' occurs twice",
        ),
    ],
)
def test_bad_question_files_are_refused_in_one_line(release, content, says):
    text = content if isinstance(content, str) else json.dumps(content)
    (release / "contextvqa.json").write_text(text)
    with pytest.raises(InputError, match=says) as error:
        load(release)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (
            "axis_definition.csv",
            b"scene_id,Front,Back,Left\n",
            r"axis_definition\.csv: column 'right' is missing",
        ),
        ("axis_definition.csv", b"", "column 'scene_id' is missing"),
        ("axis_definition.csv", b"scene_id,\xff", r"axis_definition\.csv is not UTF-8 text"),
        ("Axis Definition.xlsx", b"scene_id", r"Axis Definition\.xlsx is not a readable \.xlsx"),
        (None, b"", "has no axis definitions: expected .*MatchLab-Imperial/Hypo3D"),
    ],
)
def test_bad_axis_files_are_refused(release, name, content, says):
    if name and name.endswith(".xlsx"):
        pytest.importorskip("openpyxl")
    (release / "axis_definition.csv").unlink()
    if name:
        (release / name).write_bytes(content)
    with pytest.raises(InputError, match=says):
        load(release)


def test_an_absent_release_says_where_it_is_to_be_had(tmp_path):
    with pytest.raises(
        InputError, match=r"no Hypo3D data in .*MatchLab-Imperial/Hypo3D .*form linked there"
    ):
        load(tmp_path / "nowhere")


# --- writing --------------------------------------------------------------------------------------


def test_what_is_written_loads_as_it_was(release, tmp_path):
    split = load(release, "twin")
    scenes = [replace(random_scene(rng(2, name), 3), image=name) for name in ROOMS]
    out = tmp_path / "out"
    write_release(out, split.questions, split.anchors, scenes)
    back = load(out, "twin")
    assert back.questions == split.questions
    assert back.anchors == split.anchors
    assert [to_json(back.truth(name)) for name in ROOMS] == [to_json(scene) for scene in scenes]
    once = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(once) == {"contextvqa.json", "axis_definition.csv", "scenes.jsonl"}
    write_release(out, back.questions, back.anchors, scenes)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == once
    stored = json.loads(once["contextvqa.json"])
    assert stored[ROOMS[0]][1]["change_type"] == "Object Attribute Change"
    assert stored[ROOMS[0]][0]["questions_answers"] == RELEASE[ROOMS[0]][0]["questions_answers"]


def test_a_killed_writer_leaves_no_question_file(release, tmp_path):
    split = load(release)
    with pytest.raises(InputError, match="unknown side 'up'"):
        write_release(tmp_path / "out", split.questions, {ROOMS[0]: {"up": "lamp"}})
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"scenes.jsonl"}


def test_result_files_carry_predictions_both_ways(release, tmp_path):
    questions = load(release).questions
    supplied = [
        Prediction("00000", "ok", "front right"),
        Prediction("00001", "unparsed"),
        Prediction("00002", "ok", "blue"),
        Prediction("00003", "ok", "4"),
    ]
    write_results(tmp_path / "results.json", questions, supplied)
    back = [row.cells for row in list(iterate_rows(tmp_path / "results.json"))]
    assert [(cells["question_id"], cells["predicted_answer"]) for cells in back] == [
        ("00000", "front right"),
        ("00001", ""),
        ("00002", "blue"),
        ("00003", "4"),
    ]
    with pytest.raises(InputError, match="no prediction for question 00003"):
        write_results(tmp_path / "results.json", questions, supplied[:3])


def test_size_counts_rooms_and_keeps_their_aligned_copies():
    split = load(DATA / "hypo3d", "mini").first(3)
    assert len({name.removesuffix(ALIGNED) for name in split.images}) == 3
    assert len(split.images) > 3
    assert (
        score(split.questions, [Prediction(q.id, "abstained") for q in split.questions])["images"]
        == 3
    )
