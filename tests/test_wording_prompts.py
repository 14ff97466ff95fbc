"""Prompts for rewording: each can be said, and its program runs on the table that it is about."""

import re
from collections import Counter

import pytest

from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.training.reader_pairs import records
from tools.wording_programs import Programs, synthetic_room
from tools.wording_prompts import of_lines, program_text, prompts, sunk, written


@pytest.fixture(scope="module")
def found():
    return prompts(5, 60)


def test_prompts_are_of_all_worlds_and_rooms_have_all_sorts(found):
    counts = Counter((p["kind"], p["sort"]) for p in found)
    assert counts["room", "change"] > counts["room", "frame"] > 0
    refused = Counter(p["sort"] for p in found if p["program"] == "none")
    assert refused["change"] > refused["question"] > 0  # what did not happen, what nobody can know
    assert min(counts[kind, "question"] for kind in ("room", "street", "photo", "orbit")) > 2
    assert [p["n"] for p in found] == list(range(60))
    assert prompts(5, 60) == found


def test_what_a_prompt_names_is_on_its_table(found):
    for prompt in found:
        named = [
            c.args[1]
            for c in (Call.parse(prompt["program"]).calls() if prompt["program"] != "none" else ())
            if c.op == "filter" and c.args[0] == "name"
        ]
        assert set(named) <= {name for name, *_ in prompt["things"]}, prompt


def test_people_see_no_program_and_every_number(found):
    text = written(found)
    assert "(" not in "".join(line for line in text.splitlines() if "unique(" in line)
    for prompt in found:
        assert f"\n{prompt['n']}. {prompt['sort']}: {prompt['says']}" in text


def test_a_description_fits_one_thing_alone():
    room = Programs(synthetic_room(rng(0, "room", 0)), rng(0, "draws", 0))
    for thing in room.things * 5:
        described = room.ref(thing)
        assert described is None or room.table.object(described).id == thing.id


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ('exist(filter(state, "open", group(unique(filter(name, "chest", scene)))))', "Is the chest open?"),
        ('equal(count(relate(on, unique(filter(name, "bed", scene)), scene)), count(0))', "Are there no things on the bed?"),
        ('remove(some(1, filter(name, "chair", scene)))', "One of the chairs has been removed."),
        ('frame(left, unique(filter(name, "door", scene)))', "You look so that the door is to your left."),
    ],
)  # fmt: skip
def test_stiff_sentences_are_said_as_people_do(program, says):
    assert program_text("frame" if program.startswith("frame") else "question", Call.parse(program)) == says


def test_shapes_sink_to_the_scene_and_no_further():
    program = Call.parse(
        'count(filter(shape, "bus", relate(left, unique(filter(color, "red", scene)), frame(task), scene)))'
    )
    assert sunk(program).text() == (
        'count(relate(left, unique(filter(color, "red", scene)), frame(task), filter(shape, "bus", scene)))'
    )
    twice = Call.parse('count(filter(shape, "bus", filter(shape, "car", scene)))')
    assert sunk(twice) == twice


def test_every_training_line_stands_once_in_files_of_about_one_length():
    texts = of_lines(1, 6)
    numbers = [int(n) for text in texts for n in re.findall(r"^(\d+)\. ", text, re.M)]
    assert sorted(numbers) == list(range(len(records("sentences", "train"))))
    assert of_lines(1, 6) == texts != of_lines(2, 6)
    assert all("== room" in text for text in texts[:4])
    assert not any("== room" in text for text in texts[4:])
    assert max(map(len, texts[:4])) < 1.4 * min(map(len, texts[:4]))
