"""The program language: spellings round trip, and nothing ill-typed can be built."""

import numpy as np
import pytest
from generators import random_program
from hypothesis import given
from hypothesis import strategies as st

from po3d.language.program import Call, ProgramError
from po3d.language.programs.street import (
    ANSWER_TYPES,
    STREET,
    TOKENS,
    chain,
    from_tokens,
    parse_text,
    token_types,
)
from po3d.reasoning.packing import pack_programs, steps

programs = st.integers(0, 2**32 - 1).map(lambda seed: random_program(np.random.default_rng(seed)))


@given(programs)
def test_text_and_tokens_round_trip(program):
    assert parse_text(program.text()) == from_tokens(program.texts())
    assert parse_text(program.text()).text() == program.text()
    assert from_tokens(program.texts()).texts() == program.texts()


@given(st.lists(st.sampled_from(TOKENS), max_size=12))
def test_a_token_list_is_well_typed_or_refused(tokens):
    try:
        program = from_tokens(tokens)
    except ProgramError:
        return
    assert program.texts() == tokens
    assert program.steps[-1].types.output in ANSWER_TYPES


@given(programs, st.data())
def test_a_step_of_another_type_is_refused(program, data):
    k = data.draw(st.integers(0, len(program.steps) - 1))
    step = program.steps[k]
    _inputs, output = step.types
    others = [
        t
        for t in TOKENS
        if token_types(t).inputs != step.types[0] or token_types(t).output != output
    ]
    token = data.draw(st.sampled_from(others))
    replaced = list(program.texts())
    # The last step stands first in prefix order; swapping any token for one of another type breaks
    # the list.
    place = replaced.index(step.token)
    replaced[place] = token
    try:
        changed = from_tokens(replaced)
    except ProgramError:
        return
    # What survives is a different, well-typed program: only possible where the output type is free.
    assert changed.texts() == replaced
    assert place == 0 or token_types(token).output == output


@given(programs)
def test_the_steps_of_a_call_are_those_that_spell_it(program):
    program = parse_text(program.text())
    result = [(step.token, step.inputs, step.kind) for step in steps(program.call)]
    assert result == [(step.token, step.inputs, step.types.output) for step in program.steps]
    assert all(step.call == program.call for step in steps(program.call)[-1:])


@pytest.mark.parametrize(
    "text",
    [
        'filter(color, "red", scene)',  # asks nothing
        'count(filter(color, "mauve", scene))',
        'count(filter(name, "chair", scene))',
        "count(3)",
        "equal(color, query(color, unique(scene)), query(shape, unique(scene)))",
        'count(relate(left, unique(scene), frame(task), filter(color, "red", scene)))',
        "count(relate(left, unique(scene), frame(room), scene))",
        "count(relate(left, unique(scene), frame(unique(scene)), scene))",
        "count(relate(next_to, unique(scene), scene))",
        "count(same(color, unique(scene), union(scene, scene)))",
        "less_than(query(height, unique(scene)), count(scene))",
        "exist(relate(between, unique(scene), unique(scene), scene))",
    ],
)
def test_what_streets_have_no_words_for_has_no_steps(text):
    program = Call.parse(text)
    assert not steps(program)
    with pytest.raises(ProgramError, match="street tokens cannot express"):
        pack_programs([program], [0])
    if program.output != "objects":
        with pytest.raises(ProgramError):
            STREET.from_core(program)


def test_a_program_worked_out_by_hand():
    red = ("scene",), ("filter", "color", "red"), ("unique",)
    program = chain(*red, ("relate", "left", "task"), ("count",))
    text = "count(relate[left,task](unique(filter[color=red](scene))))"
    assert program.text() == text
    assert program.texts() == ["count", "relate[left,task]", "unique", "filter[color=red]", "scene"]
    assert parse_text(f"  {text.replace('(', ' ( ')} ") == program
    assert program.steps[-1].types.output == "integer"


def test_two_branches_keep_their_order():
    text = "less_than(count(filter[shape=car](scene)), count(scene))"
    program = parse_text(text)
    assert program.text() == text
    assert [s.op for s in program.steps] == [
        "scene",
        "filter",
        "count",
        "scene",
        "count",
        "less_than",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("count(unique(scene))", "takes"),
        ("scene", "returns a set, which is not an answer"),
        ("count(filter[color=pink](scene))", "does not take"),
        ("paint(scene)", "unknown operation"),
        ("count(scene", "unbalanced"),
        ("count", "takes 1 set, got 0"),
        ("count(scene, scene)", "takes 1 set, got 2"),
        ("count(scene) scene", "unexpected text"),
        ("count(scene) !", "invalid syntax"),
    ],
)
def test_texts_that_are_no_program_say_why(text, message):
    with pytest.raises(ProgramError, match=message):
        parse_text(text)
