"""Releases whose files are not as they should be: each is read, or refused with one line that names
the place.
"""

import base64
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from po3d.benchmarks.pulsecheck457.data import load, open_mini
from po3d.benchmarks.pulsecheck457.report import BANDS, CATEGORIES, FILES, read_records
from po3d.io.errors import InputError


def encoded(size):
    file = io.BytesIO()
    Image.new("RGB", size).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


PICTURE = encoded((64, 48))
RECORD = {"image_filename": "a.png", "question": "Q?", "question_index": 300000, "answer": "3"}
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
KINDS = st.sampled_from(
    ["scene", "filter_color", "relate", "same_pose", "query_shape", "count", "unique", "part"]
)
NODES = st.lists(
    st.fixed_dictionaries(
        {
            "type": KINDS | JUNK,
            "inputs": st.lists(st.integers(-1, 3) | JUNK, max_size=2) | JUNK,
            "value_inputs": (
                st.lists(st.sampled_from(["red", "left", "forward"]) | JUNK, max_size=2) | JUNK
            ),
        }
    )
    | JUNK,
    max_size=4,
)


def written_release(root, records, name="L3_2D_spatial.json"):
    (root / "questions").mkdir(exist_ok=True)
    (root / "questions" / name).write_text(json.dumps(records))
    return root


def written_table(path, *rows, encoding="utf-8"):
    columns = ("index", "image", "question", "answer", "category")
    lines = [
        columns,
        *((index, PICTURE, "Q?", answer, category) for index, answer, category in rows),
    ]
    path.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines), encoding=encoding)
    return path


@given(value=NODES | JUNK | st.text(max_size=9))
def test_a_program_of_any_shape_is_read_or_reported_to_be_none(value):
    (question,) = read_records([RECORD | {"program": value}], CATEGORIES[2], "here")
    assert not value or bool(question.program) != bool(question.unread)


def test_a_program_that_shares_nodes_without_end_is_refused():
    nodes = [{"type": "scene", "inputs": [], "value_inputs": []}]
    nodes += [
        {"type": "union", "inputs": [k, k], "value_inputs": []} for k in range(60)
    ]  # 2^60 steps written out
    (question,) = read_records([RECORD | {"program": nodes}], CATEGORIES[2], "here")
    assert "more than" in question.unread


@given(field=st.sampled_from(list(RECORD)), value=JUNK)
def test_a_field_of_any_type_is_read_or_named(field, value):
    try:
        (question,) = read_records([RECORD | {field: value}], CATEGORIES[2], "here")
    except InputError as refused:
        reply = str(refused)
    else:
        reply = ""
        assert {
            "question": question.text,
            "answer": question.stored,
            "image_filename": question.image,
            "question_index": question.number,
        }[field] in (value, str(value))
    assert not reply or re.search(f"here, question 0: .*(field {field}|image.*folder)", reply)
    assert "\n" not in reply
    assert reply or value is not None


@pytest.mark.parametrize("answer", [None, "", " ", float("nan"), [], {"a": 1}])
def test_no_answer_is_no_answer(tmp_path, answer):
    with pytest.raises(
        InputError, match=r"L3_2D_spatial.json, question 0: missing or malformed field answer"
    ):
        load(written_release(tmp_path, [RECORD | {"answer": answer}]))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_any_encoding_of_a_release_is_read(tmp_path, encoding):
    path = written_table(tmp_path / "a.tsv", (7, "Gr\u00fcn", "L3_2d_spatial"), encoding=encoding)
    assert load(path).questions[0].answer == "gr\u00fcn"
    written_release(tmp_path, [])
    (tmp_path / "questions" / "L3_2D_spatial.json").write_text(
        json.dumps([RECORD]), encoding=encoding
    )
    assert load(tmp_path).questions[0].answer == "3"


def test_the_category_of_a_row_decides_and_not_its_running_index(tmp_path):
    rows = [
        (k, "3", name) for k, name in enumerate([*FILES.values(), *CATEGORIES, "L3_2d_spatial"])
    ]
    result = load(written_table(tmp_path / "a.tsv", *rows)).questions
    assert [q.category for q in result] == [*CATEGORIES, *CATEGORIES, "L3-2D-Spatial"]
    assert {q.category for q in result if q.task == "6d"} == {"L5-6D-Spatial"}


@pytest.mark.parametrize("category", ["L3_2D", "L5_6D", "pose", "L4"])
def test_an_unknown_category_is_refused_whatever_the_index(tmp_path, category):
    for index in (3, 300_000):
        rows = [(1, "3", "L1_single"), (index, "3", category)]
        with pytest.raises(
            InputError, match=f"row 1: unknown category '{category}'; known: L1_single"
        ):
            load(written_table(tmp_path / "a.tsv", *rows))


def test_rows_without_category_are_distinguished_by_question_index_and_nothing_else(tmp_path):
    rows = [(first + 7, "3", "") for first in BANDS.values()]
    assert [q.category for q in load(written_table(tmp_path / "a.tsv", *rows)).questions] == list(
        BANDS
    )
    with pytest.raises(
        InputError, match="row 0: no category, and the index 12 is not a question_index"
    ):
        load(written_table(tmp_path / "a.tsv", (12, "3", "")))


def test_missing_and_unknown_question_files_are_named(tmp_path):
    assert open_mini().notes() == []
    written_release(tmp_path, [RECORD])
    written_release(tmp_path, [RECORD], "L3_2D.json")
    lacks, unknown = load(tmp_path).notes()
    assert lacks.startswith("questions/ lacks L1_single.json, L2_objects.json, L4_occ.json")
    assert (
        unknown == "questions/: ignored L3_2D.json, which is not one of the benchmark's seven files"
    )
    written_release(tmp_path, [RECORD], "L3_2d_spatial.json")
    with pytest.raises(InputError, match="remove one of them"):
        load(tmp_path)


def test_pictures_of_another_shape_are_counted_and_named(tmp_path):
    (tmp_path / "images").mkdir()
    records = []
    for k, size in enumerate([(640, 480), (64, 48), (512, 512), (480, 640)]):
        Image.new("RGB", size).save(tmp_path / "images" / f"{k}.png")
        records.append(RECORD | {"image_filename": f"{k}.png", "question_index": k})
    turned = Image.Exif()
    turned[0x0112] = 6  # stored on its side, so 640 x 480 upright
    Image.new("RGB", (480, 640)).save(tmp_path / "images" / "4.jpg", exif=turned)
    records.append(RECORD | {"image_filename": "4.jpg", "question_index": 4})
    split = load(written_release(tmp_path, records))
    assert split.notes()[1:] == [
        "2 images are not 4:3 (2.png: 512 x 512); po3d assumes that such an image of a street was"
        " stretched"
    ]
    assert split.first(2).notes()[1:] == []
    (tmp_path / "a.tsv").write_text(
        f"index\timage\tquestion\tanswer\tcategory\n1\t{encoded((512, 512))}\tQ?\t3\tL1_single\n"
    )
    (note,) = load(tmp_path / "a.tsv").notes()
    assert "is not 4:3 (512 x 512)" in note


def test_only_the_benchmarks_own_files_are_its_files(tmp_path):
    written_release(tmp_path, [RECORD, RECORD | {"image_filename": "b.png", "question_index": 1}])
    for name in (
        "images/a.jpg",
        "images/b.png",
        "images/c.png",
        "spatial457_scenes_21k.json",
        "other/large.bin",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"0")

    def names(split):
        return sorted(p.relative_to(tmp_path).as_posix() for p in split.files())

    split = load(tmp_path)
    query = ["questions/L3_2D_spatial.json", "spatial457_scenes_21k.json"]
    assert names(split) == ["images/a.jpg", "images/b.png", *query]
    assert names(split.first(1)) == ["images/a.jpg", *query]
    path = written_table(tmp_path / "a.tsv", (7, "3", "L1_single"))
    assert load(path).files() == [path]
