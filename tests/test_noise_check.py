"""Noisy evaluations and the grid's noise curves."""

import math

import pytest

from po3d.io.errors import InputError
from tools import noise_check
from tools.noise_check import NoiseCheck, Point


@pytest.fixture(scope="module")
def check() -> NoiseCheck:
    return NoiseCheck("pulsecheck457", 1)


@pytest.mark.parametrize(
    ("quantity", "sigma"), [("heading", 45.0), ("color", 0.2), ("parsing", 0.2)]
)
def test_one_seed_gives_the_same_answers_on_both_ways_and_another_seed_gives_others(
    check, quantity, sigma
):
    first, again, other = (
        check.by_pipeline(quantity, sigma, seed, check.questions) for seed in (0, 0, 1)
    )
    assert [p.answer for p in first] == [
        p.answer for p in check.by_grid(quantity, sigma, 0, check.questions)
    ]
    assert first == again != other
    assert check.accuracy(check.by_pipeline(quantity, 0.0, 0, check.questions)) == 100.0


def test_questions_that_do_not_read_a_quantity_keep_their_answers(check):
    affected = {q.id for q in check.affected("color")}
    others = [q for q in check.questions if q.id not in affected]
    assert affected
    assert others
    assert check.accuracy(check.by_pipeline("color", 1.0, 0, others)) == 100.0
    assert check.accuracy(check.by_pipeline("color", 1.0, 0, check.affected("color"))) < 90
    assert check.affected("parsing") == check.questions


def test_a_quantity_that_no_question_reads_has_no_point(check, monkeypatch):
    monkeypatch.setattr(check, "affected", lambda quantity: [])
    assert list(noise_check.points(check, 1)) == []


def test_a_seed_with_two_results_is_an_error(check, monkeypatch):
    way = check.by_grid
    monkeypatch.setattr(check, "by_grid", lambda q, s, seed, own: way(q, 2 * s, seed + 7, own))
    with pytest.raises(
        InputError, match=r"heading=45, seed 0: \d+ answers differ from those of the grid"
    ):
        check.point("heading", 45.0, 2)


def test_the_summary_has_the_largest_difference_and_its_error():
    result = [
        Point("heading", 5, 90.0, 89.0, 0.5),
        Point("heading", 9, 80.0, 83.0, 1.0),
        Point("color", 0.1, 7, 7, 0),
    ]
    reply = noise_check.summary(result)
    assert "largest difference -3.00 points (standard error 1.00) at heading=9" in reply
    assert "sum of z squared 13.0 over 3 points" in reply
    assert Point("color", 0.1, 7, 8, 0).z == math.inf


def test_the_command_runs(capsys):
    assert noise_check.main(["superclevr", "--evaluations", "1", "--images", "1"]) == 0
    assert "largest difference" in capsys.readouterr().out
