"""The program language: spellings round trip, and nothing ill-typed can be built."""

import numpy as np
import pytest
from generators import random_program
from hypothesis import given
from hypothesis import strategies as st

from po3d.language.program import ProgramError
from po3d.language.programs.street import (
    ANSWER_TYPES,
    TOKENS,
    Program,
    Step,
    chain,
    from_tokens,
    parse_text,
    token_types,
)

programs = st.integers(0, 2**32 - 1).map(lambda seed: random_program(np.random.default_rng(seed)))


@given(programs)
def test_text_and_tokens_round_trip(program):
    assert parse_text(program.text()) == from_tokens(program.tokens())
    assert parse_text(program.text()).text() == program.text()
    assert from_tokens(program.tokens()).tokens() == program.tokens()


@given(st.lists(st.sampled_from(TOKENS), max_size=12))
def test_a_token_list_is_well_typed_or_refused(tokens):
    try:
        program = from_tokens(tokens)
    except ProgramError:
        return
    assert program.tokens() == tokens
    assert program.answer_type in ANSWER_TYPES


@given(programs, st.data())
def test_a_step_of_another_type_is_refused(program, data):
    k = data.draw(st.integers(0, len(program.steps) - 1))
    step = program.steps[k]
    _inputs, output = step.types
    others = [t for t in TOKENS if token_types(t).inputs != step.types[0] or token_types(t).output != output]
    token = data.draw(st.sampled_from(others))
    replaced = list(program.tokens())
    # The last step stands first in prefix order; swapping any token for one of another type breaks the list.
    place = replaced.index(step.token)
    replaced[place] = token
    try:
        changed = from_tokens(replaced)
    except ProgramError:
        return
    # What survives is a different, well-typed program: only possible where the output type is free.
    assert changed.tokens() == replaced
    assert place == 0 or token_types(token).output == output


def test_a_program_worked_out_by_hand():
    red = ("scene",), ("filter", "color", "red"), ("unique",)
    program = chain(*red, ("relate", "left", "task"), ("count",))
    text = "count(relate[left,task](unique(filter[color=red](scene))))"
    assert program.text() == text
    assert program.tokens() == ["count", "relate[left,task]", "unique", "filter[color=red]", "scene"]
    assert parse_text(f"  {text.replace('(', ' ( ')} ") == program
    assert program.answer_type == "integer"


def test_two_branches_keep_their_order():
    text = "less_than(count(filter[shape=car](scene)), count(scene))"
    program = parse_text(text)
    assert program.text() == text
    assert [s.op for s in program.steps] == ["scene", "filter", "count", "scene", "count", "less_than"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("count(unique(scene))", "takes"),
        ("scene", "no answer"),
        ("count(filter[color=pink](scene))", "does not take"),
        ("paint(scene)", "unknown operation"),
        ("count(scene", "unbalanced"),
        ("count", "takes 1 set, got 0"),
        ("count(scene, scene)", "takes 1 set, got 2"),
        ("count(scene) scene", "left over"),
        ("count(scene) !", "can't read"),
    ],
)
def test_texts_that_are_no_program_say_why(text, message):
    with pytest.raises(ProgramError, match=message):
        parse_text(text)


def test_steps_that_are_unused_or_used_twice_are_refused():
    scene, count = Step("scene"), Step("count", (), (0,))
    with pytest.raises(ProgramError, match="exactly once"):
        Program((scene, count, Step("equal_integer", (), (1, 1))))
    with pytest.raises(ProgramError, match="not earlier"):
        Program((Step("count", (), (0,)),))
    with pytest.raises(ProgramError, match="empty"):
        Program(())
