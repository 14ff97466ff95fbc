"""The official metric against pairs that metric_compute.py itself scored, and the tables on
hand-made outcomes.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.benchmarks.hypo3d.data import RoomQuestion
from po3d.benchmarks.hypo3d.score import (
    CATEGORIES,
    FINE_TYPES,
    TYPES,
    exact_match,
    matches,
    normalize,
    partial_match,
    published,
    published_by_change_and_type,
    published_rows,
    score,
)
from po3d.benchmarks.hypo3d.tables import change_and_type_table, change_table, report_markdown
from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction

GOLDEN = Path(__file__).parents[1] / "golden" / "hypo3d_metric.jsonl"
PAIRS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
WORDS = [
    "the",
    "a",
    "an",
    "chair",
    "TV",
    "stand",
    "front",
    "back",
    "left",
    "right",
    "behind",
    "to",
    "in",
    "and",
    "next",
    "near",
    "corner",
    "top",
    "bottom",
    "side",
    "of",
    "on",
    "north",
    "southwest",
    "two",
    "twenty",
    "hundred",
    "point",
    "2",
    "2.5",
    "front-left",
    "yes,",
    "no.",
    "é",
    "İ",
]
LETTERS = "aAnthe 12²٣-.,éİß'\t"
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(LETTERS, max_size=12)


@pytest.mark.parametrize("pair", PAIRS, ids=[repr(pair["pred"]) for pair in PAIRS])
def test_the_metric_is_the_official_one(pair):
    assert normalize(pair["pred"]) == pair["pred_norm"]
    assert normalize(pair["ref"]) == pair["ref_norm"]
    assert exact_match(pair["pred"], pair["ref"]) == bool(pair["em"])
    assert partial_match(pair["pred"], pair["ref"]) == pytest.approx(pair["pm"])


def test_the_golden_file_is_whole():
    assert len(PAIRS) >= 45


@given(TEXTS, TEXTS)
def test_an_exact_match_is_a_full_partial_match(predicted, gold):
    """As long as no word of the reference stands twice: the metric counts it once above, twice
    below.
    """
    assert 0 <= partial_match(predicted, gold) <= 1
    words = normalize(gold).split()
    for answer in (predicted, gold):
        if exact_match(answer, gold) and words:
            assert partial_match(answer, gold) == len(set(words)) / len(words)


def test_a_right_answer_can_miss_a_full_partial_match():
    answer = "front left and front right"
    assert exact_match(answer, answer)
    assert partial_match(answer, answer) == 4 / 5
    assert (exact_match("near", "next"), partial_match("near", "near")) == (True, 0)


@given(TEXTS, TEXTS, TEXTS)
def test_more_words_never_lower_a_partial_match(predicted, more, gold):
    longer = f"{normalize(predicted)} {normalize(more)}"
    if normalize(longer) == longer:  # a number would eat what follows
        assert partial_match(longer, gold) >= partial_match(normalize(predicted), gold)


@given(TEXTS)
def test_a_normal_form_is_plain_words(text):
    words = normalize(text).split(" ")
    assert normalize(text) == "" or all(word.isascii() and word.isalnum() for word in words)
    assert normalize(text.lower()) == normalize(text)


def test_normalising_twice_can_say_something_else():
    assert normalize("on the right side") == "right side"
    assert normalize("right side") == "right"


# --- tables ---------------------------------------------------------------------------------------


def question(i, room, category, answer, types=("Scale",), **own):
    return RoomQuestion(f"{i:05d}", room, "Q?", "2d", category, answer, types=tuple(types), **own)


QUESTIONS = [
    question(0, "r1", "movement", "front right", ("Scale", "Direction"), fine="relative position"),
    question(1, "r1", "movement", "2", ("Scale",), fine="counting"),
    question(2, "r2", "movement", "red and blue", ("Semantic",), fine="attribute"),
    question(3, "r2", "addition", "chair", ("Semantic",), fine="proximity"),
    question(4, "r2", "addition", "left", ("Direction",)),
    question(5, "r3", "addition", "left", ("Direction",), control="without change"),
]
ANSWERS = ["right front", "Two chairs", "blue", "chair", "left", "right"]


def predictions():
    supplied = [Prediction(q.id, "ok", a) for q, a in zip(QUESTIONS, ANSWERS)]
    supplied[3] = Prediction("00003", "failed", "chair", reason="fails with the right answer")
    return supplied


@pytest.fixture(scope="module")
def report():
    return {"benchmark": "hypo3d", "split": "mini", **score(QUESTIONS, predictions())}


def test_rows_are_micro_means_and_failures_are_wrong(report):
    rows = {row["name"]: row for row in report["rows"]}
    assert list(rows) == [
        "overall",
        "overall_pm",
        "movement",
        "movement_pm",
        "addition",
        "addition_pm",
    ]
    assert {name: row["value"] for name, row in rows.items()} == pytest.approx(
        {
            "overall": 100 * 2 / 5,  # "2" and "left"
            "overall_pm": 100 * (1 + 1 + 1 / 3 + 0 + 1) / 5,
            "movement": 100 / 3,
            "movement_pm": 100 * (1 + 1 + 1 / 3) / 3,
            "addition": 50,
            "addition_pm": 50,
        }
    )
    assert [rows[n]["n"] for n in ("overall", "movement", "addition")] == [5, 3, 2]
    assert [rows[n]["failed"] for n in ("overall", "movement", "addition_pm")] == [1, 0, 1]
    for name, row in rows.items():
        if name.startswith("addition"):  # both in one room: nothing tells how rooms differ
            assert np.isnan([row["ci_low"], row["ci_high"]]).all()
        else:
            assert row["ci_low"] <= row["value"] <= row["ci_high"]
    assert report["images"] == 3
    assert report["other_scorers"] == {}
    json.dumps(report)


def test_a_question_of_several_types_counts_in_each(report):
    table = report["by_change_and_type"]
    assert list(table) == ["movement", "addition"]
    assert {t: (c["n"], c["em"]["value"]) for t, c in table["movement"].items()} == {
        "Scale": (2, 50),
        "Direction": (1, 0),
        "Semantic": (1, 0),
    }
    assert table["movement"]["Direction"]["pm"]["value"] == 100
    assert {t: c["n"] for t, c in report["by_type"].items()} == {
        "Scale": 2,
        "Direction": 2,
        "Semantic": 2,
    }
    assert report["by_type"]["Semantic"]["failed"] == 1


def test_fine_types_stand_in_the_papers_order_and_controls_apart(report):
    assert list(report["by_fine_type"]) == [
        "proximity",
        "counting",
        "relative position",
        "attribute",
    ]
    assert len(FINE_TYPES) == len(set(FINE_TYPES)) == 12
    cell = report["by_control"]["without change"]
    assert (cell["n"], cell["em"]["value"], cell["pm"]["value"]) == (1, 0, 0)


def test_all_answers_right_is_100_everywhere():
    gold = [Prediction(q.id, "ok", q.answer) for q in QUESTIONS]
    report = score(QUESTIONS, gold[::-1])
    for row in report["rows"]:
        assert (row["value"], row["failed"]) == (100, 0)
        if not row["name"].startswith("addition"):  # of one room
            assert (row["ci_low"], row["ci_high"]) == (100, 100)
    nothing = score(QUESTIONS, [Prediction(q.id, "abstained") for q in QUESTIONS])
    assert all(row["value"] == 0 and row["failed"] == row["n"] for row in nothing["rows"])


def test_intervals_are_over_rooms():
    """Questions of one room come and go together, so one room says nothing of the spread."""
    one = score(QUESTIONS[:2], predictions())["rows"][0]
    assert one["value"] == 50
    assert np.isnan([one["ci_low"], one["ci_high"]]).all()
    two = score(
        [question(i, f"r{i // 4}", "removal", "x") for i in range(8)],
        [Prediction(f"{i:05d}", "ok", "xy"[i // 4]) for i in range(8)],
    )["rows"][0]
    assert (two["ci_low"], two["value"], two["ci_high"]) == (0, 50, 100)


@pytest.mark.parametrize(
    ("questions", "given", "scorer", "says"),
    [
        ([], [], "official", "no questions to score"),
        (QUESTIONS, [], "official", "no prediction for question 00000"),
        (QUESTIONS, [], "sbert", "unknown scorer 'sbert'; known: official"),
        ([question(0, "r", "movement", None)], [], "official", "question 00000 has no gold answer"),
        (
            [question(0, "r", "painting", "x")],
            [Prediction("00000", "ok")],
            "official",
            "unknown change 'painting'",
        ),
    ],
)
def test_what_cannot_be_scored_is_reported(questions, given, scorer, says):
    with pytest.raises(InputError, match=says):
        score(questions, given, scorer)


def test_matches_are_in_the_questions_order():
    assert [m[0] for m in matches(QUESTIONS, predictions()[::-1])] == [0, 1, 0, 0, 1, 0]


# --- published, and the paper's tables ------------------------------------------------------------


def test_published_rows_are_the_papers_and_say_where_they_were_measured():
    rows = {row["model"]: row for row in published_rows()}
    assert rows["GPT-4o API, semantic map"]["overall"] == 45.50
    assert rows["GPT-4o API, semantic map"]["addition_pm"] == 53.77
    assert rows["Human"]["overall_pm"] == 92.50
    assert len(rows) == 17
    assert {row["measured_on"] for row in rows.values()} == {"official release"}
    cells = {(row["model"], row["metric"]): row["cells"] for row in published_by_change_and_type()}
    assert cells["Llama 3.2 3B, captions", "pm"]["replacement"]["Semantic"] == 34.54
    assert published("world_frame")[0]["camera_frame_em"] is None
    for table in ("with_without_change", "aligned_map_direction_questions"):
        assert published(table)


def test_tables_have_the_papers_shape(report):
    ours = report | {"system": "po3d", "split": "mini"}
    first, eighth = change_table(ours), change_and_type_table(ours)
    assert len(first.header) == 1 + 2 * (len(CATEGORIES) + 1)
    assert len(eighth.header) == 2 + len(CATEGORIES) * len(TYPES) + 1
    for table in (first, eighth):
        assert all(len(row) == len(table.header) for row in table.rows)
        assert [str(row[0]).endswith(" *") for row in table.rows] == [
            k >= 2 for k in range(len(table.rows))
        ]
    assert first.rows[0][:3] == [
        "po3d (mini, 3 rooms)",
        pytest.approx(100 / 3),
        pytest.approx(700 / 9),
    ]
    assert first.rows[0][3:5] == [None, None]  # no removals
    assert eighth.rows[1][2:5] == [100, 100, pytest.approx(100 / 3)]
    page = report_markdown(ours)
    assert "| po3d (mini, 3 rooms) | 33.33 | 77.78 | - |" in page
    assert "measured on the official release" in page
    assert "by control" in page
    assert "| without change | 1 |" in report_markdown(ours, ours)


@pytest.mark.parametrize(
    ("phrases", "word"),
    [
        ("in front of|top|north|forward|front of|front side", "front"),
        ("behind|bottom|south|backward|bottom of|back of|back side", "back"),
        ("on the left of|on the left|west|left of|left side", "left"),
        ("on the right of|on the right|east|right of|right side", "right"),
        ("front and right|in front and to the right|northeast", "front right"),
        ("front and left|northwest", "front left"),
        ("back and right|behind and to the right|southeast", "back right"),
        ("back and left|behind and to the left|southwest", "back left"),
        ("to the|by the|on the|near|next|corner", ""),
    ],
)
def test_directions_are_worded_as_the_official_script_words_them(phrases, word):
    for phrase in phrases.split("|"):
        assert normalize(f"It is {phrase} X").split() == ["it", "is", *word.split(), "x"], phrase
