"""Super-CLEVR's score: answers in one vocabulary, and a row for each category that is there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.benchmarks.superclevr.score import CATEGORIES, correct, score
from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction, Question


def item(
    k: int, category: str, gold: str, answer: str | None, status: str = "ok", image: str = ""
) -> tuple[Question, Prediction]:
    # as from files: equal strings that are different objects
    category, gold, answer, status = json.loads(json.dumps([category, gold, answer, status]))
    q = Question(f"q{k}", image or f"{k}.png", "?", "2d", category, gold)
    return q, Prediction(q.id, status, answer)


@pytest.mark.parametrize(
    ("gold", "answer", "status", "right"),
    [
        ("road", "Road bike", "ok", True),
        ("yes", "true", "ok", True),
        ("no", " FALSE ", "ok", True),
        ("3", "03", "ok", True),
        ("3", "4", "ok", False),
        ("3", "3", "failed", False),
        ("3", "3", "abstained", False),
        ("3", "3", "unparsed", False),
        ("3", None, "ok", False),
        ("yes", "no", "ok", False),
    ],
)
def test_an_answer_is_right_in_the_vocabulary_of_po3d(gold, answer, status, right):
    q, p = item(0, "zero_hop", gold, answer, status)
    assert correct([q], [p], "strict") == [right]
    assert score([q], [p])["rows"][-1]["value"] == 100.0 * right


ROWS = st.tuples(
    st.sampled_from([*CATEGORIES, "other"]),
    st.booleans(),
    st.sampled_from(["ok", "failed", "unparsed"]),
    st.integers(0, 3),
)


@given(st.lists(ROWS, min_size=1, max_size=12))
def test_each_category_that_is_there_has_its_mean_and_overall_is_over_all_questions(rows):
    pairs = [
        item(k, category, "3", "3" if right else "4", status, f"{image}.png")
        for k, (category, right, status, image) in enumerate(rows)
    ]
    report = score([q for q, _ in pairs], [p for _, p in pairs])
    there = {category for category, *_ in rows}
    names = [name for name in (*CATEGORIES, "other") if name in there]
    assert [row["name"] for row in report["rows"]] == [*names, "overall"]
    for row in report["rows"]:
        own = [r for r in rows if row["name"] in (r[0], "overall")]
        points = [right and status == "ok" for _, right, status, _ in own]
        assert row["n"] == len(own)
        assert row["failed"] == sum(status != "ok" for *_, status, _ in own)
        assert row["value"] == pytest.approx(100 * sum(points) / len(own))
        if len({image for *_, image in own}) > 1:
            assert row["ci_low"] <= row["value"] <= row["ci_high"]
    assert report["images"] == len({image for *_, image in rows})
    assert report["scorer"] == "strict"
    assert (report["other_scorers"], report["published"]) == ({}, [])


def test_nothing_and_unknown_scorers_are_refused():
    with pytest.raises(InputError, match="no questions"):
        score([], [])
    with pytest.raises(InputError, match="unknown scorer 'lenient'"):
        correct(*zip(item(0, "zero_hop", "3", "3")), "lenient")
