"""What things are called: added ones, rows with labels, names and colours of several words."""

from dataclasses import replace

import pytest
from study_room import study, thing

from po3d.language.program import Call
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.execute import run
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.rules import ROOM_RULES
from po3d.reasoning.world import SceneGeometry


def ask_question(scene, program, change=""):
    world = SceneGeometry.of(scene, ROOM_RULES)
    if change:
        world = world.after(plan(world, Call.parse(change)).edited)
    return run(Call.parse(program), world).answer


def having(*things):
    room = study()
    return replace(room, objects=(*room.objects, *things))


def added(noun):
    return f'add(1, thing("{noun}", plain), place(on, unique(filter(name, "desk", scene))))'


def how_many(noun):
    return f'count(filter(name, "{noun}", scene))'


@pytest.mark.parametrize(
    ("there", "noun", "counted", "answer"),
    [
        ("painting", "painting", "painting", "2"),  # the table's own word
        ("painting", "poster", "painting", "2"),  # another word for it
        ("picture", "painting", "picture", "3"),  # the study has a picture
        ("plant", "mug", "cup", "1"),  # none in the table: the usual word
    ],
)
def test_an_added_thing_is_named_as_the_table_calls_its_like(there, noun, counted, answer):
    room = having(thing(there, 2.5, 2.5))
    if there == "painting":
        room = replace(room, objects=tuple(o for o in room.objects if o.value("name") != "picture"))
    assert ask_question(room, how_many(counted), added(noun)) == answer


def test_a_rows_label_is_no_answer_but_a_fuller_name_is():
    on_desk = 'query(name, unique(relate(on, unique(filter(name, "desk", scene)), scene)))'
    room = study()
    for label, reply in (
        ("lamp2", "lamp"),
        ("obj_7", "lamp"),
        ("red lamp", "red lamp"),
        ("", "lamp"),
    ):
        rows = tuple(
            replace(o, name=label) if o.value("name") == "lamp" else o for o in room.objects
        )
        assert ask_question(replace(room, objects=rows), on_desk) == reply


@pytest.mark.parametrize(
    ("name", "noun", "number"),
    [
        ("pupils' table", "pupils table", "1"),
        ("pupils' table", "pupil's tables", "1"),
        ("dog model", "dog", "1"),
        ("dog model", "model", "1"),
        ("dog model", "cat", "0"),
        ("dog bowl", "dog", "0"),
    ],
)
def test_names_of_several_words_are_detected_by_what_people_call_them(name, noun, number):
    assert ask_question(having(thing(name, 2.5, 2.5)), how_many(noun)) == number


def test_a_dog_is_no_model_where_there_is_a_dog():
    room = having(thing("dog model", 2.5, 2.5), thing("dog", 2.5, -2.5))
    assert ask_question(room, how_many("dog")) == "1"


@pytest.mark.parametrize(
    ("colors", "said", "number"),
    [
        (("light blue",), "blue", "1"),
        (("blue",), "light blue", "1"),
        (("light blue", "blue"), "blue", "1"),
        (("light blue", "dark blue"), "light blue", "1"),
        (("light blue", "dark blue"), "blue", "2"),
        (("dark blue",), "light blue", "0"),
        (("light green",), "blue", "0"),
    ],
)
def test_a_shade_is_detected_by_its_colour_where_nothing_has_just_that(colors, said, number):
    room = having(*(thing("vase", 2.5, k - 2.0, color=color) for k, color in enumerate(colors)))
    program = f'count(filter(color, "{said}", filter(name, "vase", scene)))'
    assert ask_question(room, program) == number


def test_what_is_not_there_is_still_not_there():
    with pytest.raises(ExecutionFailure, match="there are no pianos"):
        plan(study(), Call.parse('remove(filter(name, "piano", scene))'))
