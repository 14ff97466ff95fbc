"""3DSRBench: files in every format, rotations, flips, and figures worked out by hand."""

import base64
import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from po3d.benchmarks.choices import gapped, letter, lettered, letters_of
from po3d.benchmarks.threedsrbench import data as srbench
from po3d.benchmarks.threedsrbench.data import PhotoQuestion
from po3d.benchmarks.threedsrbench.score import (
    CATEGORIES,
    MAIN,
    SCORERS,
    chosen,
    consistency,
    correct,
    group_key,
    mirrored_answer,
    published_rows,
    row_hits,
    score,
)
from po3d.cli import main as cli
from po3d.io.errors import InputError
from po3d.reasoning.grounded import TAKEN
from po3d.reasoning.questions import Prediction
from po3d.systems.answers import predicted

COLUMNS = [
    "index",
    "qid",
    "question",
    "A",
    "B",
    "C",
    "D",
    "answer",
    "category",
    "image",
    "image_source",
    "image_url",
]
TWO, FOUR = ("the bus", "a red hat"), ("front", "left", "back", "right")


def png(left: int, right: int) -> bytes:
    """A picture of two pixels of these greys."""
    data = io.BytesIO()
    Image.fromarray(np.array([[[left] * 3, [right] * 3]], np.uint8)).save(data, "PNG")
    return data.getvalue()


def turned(
    qid: str, options: tuple[str, ...], right: int, category: str, flip: bool = False
) -> list[dict]:
    """All rotations of a question as rows."""
    rows = []
    for turn in range(len(options)):
        moved = [options[(k + turn) % len(options)] for k in range(len(options))]
        cells = dict(zip("ABCD", moved))
        letter = "ABCD"[moved.index(options[right])]
        name = qid + ("-flip" if flip else "") + (f"-{turn}" if turn else "")
        rows.append(
            {"qid": name, "question": "Which?", **cells, "answer": letter, "category": category}
        )
    return rows


ROWS = [
    *turned("AAAAAAA1", TWO, 0, "height_higher"),
    *turned("AAAAAAA1", TWO, 0, "height_higher", flip=True),
    *turned("BBBBBBB2", FOUR, 2, "orientation_viewpoint"),
    *turned("CCCCCCC3", ("yes", "no"), 1, "location_above"),
    *turned("CCCCCCC3", ("yes", "no"), 1, "location_above", flip=True),
    *turned("DDDDDDD4", ("parallel", "perpendicular"), 0, "multi_object_parallel"),
]
MISSED = ("AAAAAAA1-flip-1", "BBBBBBB2-3", "DDDDDDD4")


def write_tsv(path, rows, pictures=None, delimiter="\t"):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter=delimiter, restval="")
        writer.writeheader()
        for k, row in enumerate(rows):
            image = base64.b64encode((pictures or {}).get("flip" in row["qid"], png(1, 2))).decode()
            writer.writerow({"index": k, "image": image, "image_source": "MS-COCO", **row})
    return path


@pytest.fixture
def split(tmp_path):
    # A PNG of two pixels is longer than a pointer, as every real picture is.
    return srbench.load(write_tsv(tmp_path / "3dsrbench_v1_vlmevalkit_circular.tsv", ROWS))


def answers(questions, missed=MISSED, letters=False):
    """The right content of every row but those to miss, which get another option's."""
    predictions = []
    for q in questions:
        options = q.options
        text = q.answer if q.id not in missed else next(o for o in options if o != q.answer)
        predictions.append(Prediction(q.id, "ok", "ABCD"[options.index(text)] if letters else text))
    return predictions


def values(rows):
    return {r["name"]: (r["n"], round(r["value"], 3)) for r in rows}


@pytest.mark.parametrize("letters", [False, True], ids=["content", "letters"])
def test_every_setting_gives_the_figures_worked_out_by_hand(split, letters):
    """Rows: A 4 (the flipped one's rotation missed), B 4 (one rotation missed), C 4, D 2 (one
    missed): 14, 11 right. vanilla 11/14. circular: A right, A-flip wrong, B wrong, C right, C-flip
    right, D wrong: 3 of 6.
    flip: A {base, flip} right, {-1, flip-1} wrong; B 3 of 4; C 2 of 2; D 1 of 2: 7 of 10.
    flip_circular: A wrong, B wrong, C right, D wrong: 1 of 4."""
    report = score(split.questions, answers(split.questions, letters=letters))
    got = {"circular": report["rows"], **report["other_scorers"]}
    assert set(got) == set(SCORERS)
    assert report["scorer"] == "circular"
    assert report["rows"][0]["name"] == "overall"
    names = ("overall", "height", "location", "orientation", "multi_object")
    expected = {
        "circular": [(6, 50.0), (2, 50.0), (2, 100.0), (1, 0.0), (1, 0.0)],
        "vanilla": [(14, 78.571), (4, 75.0), (4, 100.0), (4, 75.0), (2, 50.0)],
        "flip": [(10, 70.0), (2, 50.0), (2, 100.0), (4, 75.0), (2, 50.0)],
        "flip_circular": [(4, 25.0), (1, 0.0), (1, 100.0), (1, 0.0), (1, 0.0)],
    }
    for scorer, figures in expected.items():
        table = values(got[scorer])
        assert [table[name] for name in names] == figures, scorer
        assert table["height_higher"] == table["height"]
        assert table["multi_object_parallel"] == table["multi_object"]


def test_means_are_micro_averages_over_groups(tmp_path):
    """Three height questions right and one viewpoint question wrong: 75, not the 50 of a mean of
    types.
    """
    rows = [r for k in range(3) for r in turned(f"H{k}", TWO, 0, "height_higher")]
    rows += turned("V", FOUR, 0, "orientation_viewpoint")
    questions = srbench.load(write_tsv(tmp_path / "a.tsv", rows)).questions
    report = score(questions, answers(questions, missed=("V-2",)))
    assert values(report["rows"])["overall"] == (4, 75.0)


def test_guessing_is_expected_to_get_what_it_gets(split):
    """circular: two options, two rows: 1/4, with the same guess for both 1/2; four options: 1/256
    and 1/4. Mean over 5 groups of two and one of four: (5/4 + 1/256)/6 and (5/2 + 1/4)/6.
    """
    baselines = score(split.questions, answers(split.questions))["baselines"]
    assert values(baselines["random"])["overall"] == (6, round(100 * (5 / 4 + 1 / 256) / 6, 3))
    assert values(baselines["random++"])["overall"] == (6, round(100 * (5 / 2 + 1 / 4) / 6, 3))
    assert values(baselines["random++"])["orientation"] == (1, 25.0)


def test_what_is_not_answered_is_wrong_and_counted(split):
    nothing = [Prediction(q.id, "failed", reason="no") for q in split.questions]
    first = score(split.questions, nothing)["rows"][0]
    assert (first["n"], first["failed"], first["value"]) == (6, 6, 0.0)


def test_the_drop_between_viewpoints_is_relative(tmp_path):
    """Common 4 of 4, uncommon 3 of 4: -25 %."""
    questions = []
    for k in range(4):
        for view in ("common", "uncommon"):
            own = {"options": ("yes", "no"), "letter": "A", "scene": f"s{k}", "viewpoint": view}
            questions.append(
                PhotoQuestion(
                    f"q{k}{view}", f"{view}{k}.png", "Is", "6d", "location_above", "yes", **own
                )
            )
    report = score(questions, answers(questions, missed=("q2uncommon",)))
    assert report["relative_drop"]["value"] == pytest.approx(-25.0)
    assert values(report["by_viewpoint"]["uncommon"])["location"] == (4, 75.0)
    assert values(report["rows"])["common"] == (4, 100.0)
    assert report["images"] == 4


def test_published_drops_agree_with_the_table():
    """Table 4 but for Gemini-1.5-Pro, whose drop the paper misprints; its other figures are
    there.
    """
    rows = [r for r in published_rows() if "relative_drop" in r]
    assert len(rows) == 10
    for row in rows:
        assert row["relative_drop"] == pytest.approx(
            100 * (row["uncommon"] / row["common"] - 1), abs=0.15
        )
    real = {r["model"]: r for r in published_rows() if "overall" in r}
    assert (real["Random"]["overall"], real["Random++"]["overall"], real["Human"]["overall"]) == (
        20.9,
        45.8,
        95.7,
    )


# --- rows -----------------------------------------------------------------------------------------


def test_a_content_is_right_in_every_rotation(split):
    q = next(q for q in split.questions if q.id == "BBBBBBB2")
    rows = srbench.rotations(q)
    assert [r.id for r in rows] == ["BBBBBBB2", "BBBBBBB2-1", "BBBBBBB2-2", "BBBBBBB2-3"]
    assert sorted(r.letter for r in rows) == list("ABCD")
    assert all(r.options["ABCD".index(r.letter)] == q.answer for r in rows)
    assert all(row_hits(rows, [Prediction(r.id, "ok", "back") for r in rows]))


@pytest.mark.parametrize("scorer", SCORERS)
def test_correct_says_of_each_group_once_what_the_score_counts(split, scorer):
    predictions = answers(split.questions)
    right = correct(split.questions, predictions, scorer)
    reply = [r for r in right if not math.isnan(r)]
    row = score(split.questions, predictions, scorer)["rows"][0]
    assert (len(reply), 100 * sum(reply) / len(reply)) == (row["n"], pytest.approx(row["value"]))
    assert 0 < sum(reply) < len(reply)


def test_correct_refuses_an_unknown_scorer(split):
    with pytest.raises(InputError, match="known: circular"):
        correct(split.questions, answers(split.questions), "strict")


@pytest.mark.parametrize(
    ("answer", "option"),
    [
        ("red hat", 1),
        ("The bus.", 0),
        ("B", 1),
        ("(A)", 0),
        ("b.", 1),
        ("C", None),
        ("", None),
        ("bus B", None),
        ("the bus or a red hat", None),
    ],
)
def test_an_answer_is_an_option_by_content_or_letter(answer, option):
    assert chosen(answer, TWO) == option


@given(
    st.sampled_from(CATEGORIES),
    st.sampled_from(["left", "on the right", "front", "yes", "the left shoe"]),
)
def test_mirroring_an_answer_twice_gives_it_back(category, answer):
    assert mirrored_answer(category, mirrored_answer(category, answer)) == answer


def test_only_sided_answers_change_under_the_mirror():
    assert mirrored_answer("orientation_on_the_left", "on the left") == "on the right"
    assert mirrored_answer("orientation_viewpoint", "back") == "back"
    assert mirrored_answer("height_higher", "the left shoe") == "the left shoe"


def test_consistency_tells_rotations_and_flips_apart():
    options = ["on the left", "on the right"]

    def row(name, letter):
        own = {"options": tuple(options), "letter": letter, "scene": "s"}
        return PhotoQuestion(
            name, "i", "t", "6d", "orientation_on_the_left", options["AB".index(letter)], **own
        )

    questions = [row("X", "A"), row("X-1", "A"), row("X-flip", "B"), row("X-flip-1", "B")]
    reply = ["on the left", "on the right", "on the right", "on the right"]
    result = consistency(questions, [Prediction(q.id, "ok", s) for q, s in zip(questions, reply)])
    assert result["circular"] == {"n": 2, "value": 50.0}  # X answers both ways, X-flip does not
    assert result["flip"] == {"n": 2, "value": 50.0}  # left/right agree, right/right do not


@given(
    st.from_regex(r"[A-Z0-9]{8}", fullmatch=True),
    st.booleans(),
    st.integers(0, 3),
    st.sampled_from(SCORERS),
)
def test_groups_are_those_of_the_official_scripts(base, flip, turn, scorer):
    qid = base + ("-flip" if flip else "") + (f"-{turn}" if turn else "")
    assert srbench.split_qid(qid) == (base, flip, turn)
    official = {
        "circular": qid[:-2] if qid[-2] == "-" else qid,
        "vanilla": qid,
        "flip": qid.replace("-flip", ""),
        "flip_circular": qid[:8],
    }
    assert group_key(qid, scorer) == official[scorer]
    assert group_key(qid, "circular") == (qid[:13] if flip else qid[:8])


def test_there_are_twelve_types_of_four_kinds():
    assert len(CATEGORIES) == 12
    assert set(MAIN.values()) == {"height", "location", "orientation", "multi_object"}


# --- files ----------------------------------------------------------------------------------------


def test_rows_share_their_picture_and_flips_have_their_own(tmp_path):
    split = srbench.load(write_tsv(tmp_path / "x.tsv", ROWS, {False: png(1, 2), True: png(2, 1)}))
    by_id = {q.id: q for q in split.questions}
    assert by_id["AAAAAAA1"].image == by_id["AAAAAAA1-1"].image != by_id["AAAAAAA1-flip"].image
    assert split.image(by_id["AAAAAAA1-flip"].image)[0, :, 0].tolist() == [2, 1]
    assert by_id["AAAAAAA1"].answer == "the bus"
    assert by_id["AAAAAAA1"].options == tuple(TWO)


def test_a_short_image_cell_points_to_another_row(tmp_path):
    write_tsv(tmp_path / "x.tsv", ROWS[:1] + [{**ROWS[1], "image": "0"}])
    questions = srbench.load(tmp_path / "x.tsv").questions
    assert questions[0].image == questions[1].image
    write_tsv(tmp_path / "x.tsv", [{**ROWS[1], "image": "77"}])
    with pytest.raises(InputError, match="'77'"):
        srbench.load(tmp_path / "x.tsv")


def test_flip_rows_of_pictures_by_url_show_the_mirror_image(tmp_path):
    url = "http://images.cocodataset.org/train2017/000000557944.png"
    rows = [{**r, "image": "", "image_url": url} for r in ROWS[:4]]
    (tmp_path / "coco_images" / "train2017").mkdir(parents=True)
    (tmp_path / "coco_images" / "train2017" / "000000557944.png").write_bytes(png(5, 9))
    split = srbench.load(write_tsv(tmp_path / "3DSRBench.tsv", rows).parent)
    assert [split.image(q.image)[0, :, 0].tolist() for q in split.questions] == [
        [5, 9],
        [5, 9],
        [9, 5],
        [9, 5],
    ]
    assert len({q.scene for q in split.questions}) == 1


RAW = """qid,image,qtype,relation,subject,object1,object2,answer
R1,http://images.cocodataset.org/train2017/1.jpg,height,higher,,baseball glove,red hat,red hat
R2,http://images.cocodataset.org/train2017/2.jpg,multi_object,viewpoint towards object,horse,red sign,,right
R3,http://images.cocodataset.org/train2017/3.jpg,location,next to,,man,fire hydrant,no
R4,http://images.cocodataset.org/train2017/4.jpg,multi_object,closer to,hydrant,bus,plants,plants
"""


def test_raw_annotations_become_the_questions_of_the_release(tmp_path):
    (tmp_path / "3dsrbench_v1.csv").write_text(RAW)
    q = {q.id: q for q in srbench.load(tmp_path).questions}
    assert (
        q["R1"].text
        == "Consider the real-world 3D locations of the objects. Which object has a higher"
        " location?"
    )
    assert (q["R1"].options, q["R1"].answer) == (("baseball glove", "red hat"), "red hat")
    assert q["R2"].text.endswith("Which side of the horse is facing the red sign?")
    assert (q["R2"].category, q["R2"].answer) == ("multi_object_viewpoint_towards_object", "right")
    assert q["R3"].answer == "far away from each other"
    assert q["R4"].text.endswith("Which is closer to the hydrant, the bus or the plants?")
    assert q["R4"].image == "train2017/4.jpg"


def test_parquet_is_read_when_there_is_a_reader(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").Table
    rows = [
        {
            "index": "VIN6MS3J" + end,
            "question": "Which object has a higher location?",
            "A": "baseball glove",
            "B": "red hat",
            "C": None,
            "D": None,
            "answer": "B",
            "category": "height_higher",
            "image_source": "MS-COCO",
            "image_url": "http://images.cocodataset.org/train2017/000000557944.jpg",
        }
        for end in ("", "-flip")
    ]
    parquet.write_table(table.from_pylist(rows), tmp_path / srbench.FILES[4])
    questions = srbench.load(tmp_path).questions
    assert [q.image for q in questions] == [
        "train2017/000000557944.jpg",
        "train2017/000000557944.jpg#flip",
    ]
    assert questions[0].answer == "red hat"


def test_without_a_reader_parquet_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match="po3d\\[srbench\\]"):
        srbench.load(tmp_path / "a.parquet")


def test_what_is_written_is_read_back(tmp_path, split):
    (q,) = (q for q in split.questions if q.id == "AAAAAAA1")
    named = {"viewpoint": "uncommon", "scene": "room 1", "columns": {"margin": "0.5"}}
    named |= {"options": q.options, "letter": q.letter}
    query = ("Which\tone?", "6d", q.category, q.answer, "higher(...)")
    own = PhotoQuestion("AAAAAAA1", "images/a.png", *query, **named)
    flip = PhotoQuestion("AAAAAAA1-flip", "images/a.png#flip", *query, **named)
    rows = [*srbench.rotations(own), *srbench.rotations(flip)]
    srbench.write_release(tmp_path / "twin", rows)
    (tmp_path / "twin" / "images").mkdir()
    (tmp_path / "twin" / "images" / "a.png").write_bytes(png(3, 4))
    back = srbench.load(tmp_path / "twin")
    for written, read in zip(rows, back.questions, strict=True):
        assert (read.id, read.text, read.image, read.program) == (
            written.id,
            written.text,
            written.image,
            written.program,
        )
        assert read.options == written.options
        assert (read.viewpoint, read.scene, read.columns["margin"]) == ("uncommon", "room 1", "0.5")
    assert back.image("images/a.png#flip")[0, :, 0].tolist() == [4, 3]


def test_the_vlmevalkit_table_is_read_back(tmp_path, split):
    pictures = {q.image: split.pictures[q.image] for q in split.questions}
    srbench.write_vlmevalkit(tmp_path / "v.tsv", split.questions, pictures)
    back = srbench.load(tmp_path / "v.tsv").questions
    assert [(q.id, q.answer, q.image, q.options) for q in back] == [
        (q.id, q.answer, q.image, q.options) for q in split.questions
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": "C"}, "answer 'C'"),
        ({"category": "height"}, "unknown category"),
        ({"qid": "a-b-c"}, "not a qid"),
        ({"image": "", "image_url": "../../etc/passwd"}, "leads out of the folder"),
        ({"image": "", "image_url": ""}, "neither an image"),
        ({"image": "x" * 400 + "!"}, "base64"),
    ],
)
def test_a_bad_row_is_named(tmp_path, change, message):
    write_tsv(tmp_path / "x.tsv", [{**ROWS[0], **change}])
    with pytest.raises(InputError, match=message):
        srbench.load(tmp_path / "x.tsv")


def test_errors_say_what_is_missing(tmp_path, split):
    with pytest.raises(InputError, match=r"ccvl/3DSRBench"):
        srbench.load(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no true scene"):
        split.truth(split.questions[0].image)
    with pytest.raises(InputError, match="unknown scorer"):
        score(split.questions, answers(split.questions), "official")
    write_tsv(tmp_path / "x.tsv", [ROWS[0], ROWS[0]])
    with pytest.raises(InputError, match="occurs twice"):
        srbench.load(tmp_path / "x.tsv")


def test_the_first_scenes_come_with_all_their_rows(split):
    retained = split.first(2)
    assert {q.scene for q in retained.questions} == set(
        sorted({q.scene for q in split.questions})[:2]
    )
    assert len(split.first(None).questions) == len(split.questions)


def test_an_empty_option_column_keeps_the_letters_of_the_others(tmp_path):
    row = {
        "qid": "AAAAAAAA",
        "question": "Which side?",
        "A": "left",
        "B": "",
        "C": "front",
        "D": "back",
        "answer": "C",
        "category": "orientation_viewpoint",
        "image_url": "http://x/a.jpg",
    }
    first = {**row, "qid": "BBBBBBBB", "A": "", "B": "left", "answer": "D"}
    whole = {**row, "qid": "CCCCCCCC", "B": "right", "answer": "B"}
    write_tsv(tmp_path / srbench.OURS, [row, first, whole])
    questions = srbench.load(tmp_path).questions
    assert [q.answer for q in questions] == ["front", "back", "right"]
    assert [letters_of(q) for q in questions] == ["ACD", "BCD", "ABCD"]
    assert [gapped(q) for q in questions] == [
        ["left", "", "front", "back"],
        ["", "left", "front", "back"],
        list(whole_options(whole)),
    ]
    assert [letter(q) for q in questions] == ["C", "D", "B"]
    assert lettered(questions[0]).splitlines()[2:] == ["A. left", "C. front", "D. back"]
    result = [[predicted(q, text).answer for text in "ABCD"] for q in questions]
    assert result == [
        ["left", None, "front", "back"],
        [None, "left", "front", "back"],
        list(whole_options(whole)),
    ]
    right = row_hits(questions, [Prediction(q.id, "ok", letter(q)) for q in questions])
    assert right == [True, True, True]
    turned_rows = srbench.rotations(questions[0])
    assert {q.letter: q.options["ACD".index(q.letter)] for q in turned_rows} == dict.fromkeys(
        "ACD", "front"
    )
    srbench.write_release(tmp_path / "again", questions)
    assert [
        (q.letter, q.options, q.letters) for q in srbench.load(tmp_path / "again").questions
    ] == [(q.letter, q.options, q.letters) for q in questions]
    write_tsv(tmp_path / srbench.OURS, [{**row, "answer": "B"}, whole])
    with pytest.raises(InputError, match="the answer 'B' is not one of the options A, C, D"):
        srbench.load(tmp_path)


def whole_options(row):
    return tuple(row[k] for k in "ABCD")


def test_raw_annotations_give_all_rotations_and_flips(tmp_path, capsys):
    source = tmp_path / "source"
    (source / "train2017").mkdir(parents=True)
    raw = RAW + "R5,http://x/train2017/5.jpg,height,higher,,the left cup,hat,the left cup\n"
    (source / "3dsrbench_v1.csv").write_text(raw)
    for k in range(1, 6):
        (source / "train2017" / f"{k}.jpg").write_bytes(png(k, 100 + k))
    table = str(source / "3dsrbench_v1.csv")
    command = [
        "export",
        "--benchmark",
        "3dsrbench",
        "--data",
        table,
        "--format",
        "release",
        "--out",
        str(tmp_path / "out"),
    ]
    assert cli.main(command) == 0
    assert "24 rows, 12 of them flipped, and 10 images" in capsys.readouterr().out
    built = srbench.load(tmp_path / "out")
    by_id = {q.id: q for q in built.questions}
    assert set(by_id) == {
        f"R{k}{flip}{turn}"
        for k in range(1, 6)
        for flip in ("", "-flip")
        for turn in ("", "-1", "-2", "-3")[: 4 if k == 2 else 2]
    }
    assert {q.answer for i, q in by_id.items() if i.startswith("R2-flip")} == {"left"}
    assert {q.answer for i, q in by_id.items() if i.startswith("R2") and "flip" not in i} == {
        "right"
    }
    assert {q.answer for i, q in by_id.items() if i.startswith("R5-flip")} == {"the right cup"}
    for k in range(1, 6):
        plain, flipped = built.image(by_id[f"R{k}"].image), built.image(by_id[f"R{k}-flip"].image)
        assert np.array_equal(plain[:, ::-1], flipped)
        assert plain[0, 0, 0] == k
    for q in built.questions:
        assert q.options["ABCD".index(q.letter)] == q.answer
    perfect = [Prediction(q.id, "ok", q.answer) for q in built.questions]
    for scorer in SCORERS:
        assert {
            row["value"] for row in score(built.questions, perfect, scorer)["rows"] if row["n"]
        } == {100.0}
    assert built.notes() == []
    again = [
        "export",
        "--benchmark",
        "3dsrbench",
        "--data",
        str(tmp_path / "out"),
        "--format",
        "release",
        "--out",
        str(tmp_path / "b"),
    ]
    assert cli.main(again) == 2
    assert "already has rotations" in capsys.readouterr().err


def test_only_viewpoints_that_questions_have_are_listed():
    own = {"options": ("yes", "no"), "letter": "A", "scene": "s", "viewpoint": "uncommon"}
    questions = [PhotoQuestion("q", "q.png", "Is", "6d", "location_above", "yes", **own)]
    assert list(score(questions, answers(questions))["by_viewpoint"]) == ["uncommon"]


def test_groups_with_an_object_taken_for_granted_are_counted(split):
    predictions = answers(split.questions)
    assert score(split.questions, predictions)["not_found"] == {}
    taken = {split.questions[0].id, split.questions[-1].id}
    some = [replace(p, reason=f"{TAKEN}bus") if p.id in taken else p for p in predictions]
    result = score(split.questions, some, "vanilla")["not_found"]
    assert (result["n"], result["of"]) == (2, 14)
    assert result["rows"][0]["n"] == 2
    abstained = [replace(p, status="abstained") if p.id in taken else p for p in some]
    assert score(split.questions, abstained)["not_found"] == {}
