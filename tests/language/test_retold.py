"""Whether a sentence is in a benchmark's own wording."""

import numpy as np
import pytest

from po3d.benchmarks.hypo3d.twin import room
from po3d.language.grammar import Grammar, load
from po3d.language.programs.rooms import parse_text
from po3d.language.say.retold import Retold
from po3d.language.say.rooms import is_change, is_question


def test_all_that_the_twin_says_is_in_its_wording():
    _, _, questions = room(3, 5, "test", False)
    assert len(questions) > 10
    for q in questions:
        assert is_question(q.text, parse_text(q.program)), q.text
        assert is_change(q.change, parse_text(q.change_program)), q.change


@pytest.mark.parametrize(
    ("text", "program", "says"),
    [
        ("How many chairs are there?", 'count(all("chair"))', True),
        ("How many chairs are there?", 'count(all("desk"))', False),
        ("What is above the bed?", 'name(only(beside(only(all("bed")), all("object"))))', False),
        ("How many chairs would that make?", 'count(all("chair"))', False),
        ("How many tall chairs are there?", 'count(all("chair"))', False),
    ],
)
def test_another_wording_or_another_program_is_not(text, program, says):
    assert is_question(text, parse_text(program)) is says


def test_what_was_reported_before_may_be_one():
    program = (
        'size(only(having(color, "red", all("chair"))), only(having(color, "blue", all("chair"))))'
    )
    assert is_question("Is the red chair larger or smaller than the blue one?", parse_text(program))


def test_facts_that_are_not_provided_are_open():
    grammar = Grammar("test", "question count(S) if loud: WOW {S.many}\nmany all(N): {N.many}\n")
    program = parse_text('count(all("cup"))')
    assert Retold(grammar, "wow cups", {}).said("question", program)
    assert not Retold(grammar, "wow cups", {"loud": False}).said("question", program)


def test_templates_take_anything_in_their_slots_and_nothing_else():
    form = load("scope").template("paper.")
    assert form.fullmatch(
        "From the camera's perspective, where is the red cup relative to the bed?"
    )
    assert not form.fullmatch("From the camera's perspective, where is the red cup?")
    free = load("threedsrbench").template("free.")
    random = np.random.default_rng(0)
    for key in load("threedsrbench").table("free."):
        pick = lambda n: int(random.integers(n))  # noqa: E731
        text = load("threedsrbench").fill(
            f"free.{key}", pick, **{"0": "cup", "1": "old bed", "2": "cat"}
        )
        assert free.fullmatch(text)
