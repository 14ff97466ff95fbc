"""A table that says nothing of an attribute: it can't tell things apart by it, and does not deny it
either.
"""

from dataclasses import replace

import pytest
from study_room import study

from po3d.language.programs.rooms import ROOMS
from po3d.reasoning.apply_edit import plan
from po3d.reasoning.execute import run
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged

BLIND = replace(
    study(), objects=tuple(replace(o, beliefs={"name": o.beliefs["name"]}) for o in study().objects)
)


def ask(program, change=""):
    edited = plan(BLIND, ROOMS.parse(change)).edited if change else unchanged(BLIND)
    return run(ROOMS.parse(program), SceneGeometry(edited, BLIND))


@pytest.mark.parametrize(
    ("program", "answer"),
    [
        ('height(only(having(color, "red", all("lamp"))), only(all("bed")))', "higher"),
        (
            (
                'name(nearest(only(having(color, "brown", all("desk"))), having(color, "black",'
                ' all("chair"))))'
            ),
            "office chair",
        ),
        ('count(beside(only(having(color, "brown", all("desk"))), all("chair")))', "1"),
    ],
)
def test_a_description_goes_by_what_the_table_does_know(program, answer):
    assert ask(program).answer == answer


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ('name(only(having(color, "red", all("chair"))))', "ambiguous"),
        ('count(having(color, "red", all("chair")))', "the scene has no color"),
        ('query(color, only(all("bed")))', "the scene has no color of bed"),
        ('name(only(having(color, "red", all("piano"))))', "not found"),
    ],
)
def test_nothing_is_guessed(program, reason):
    outcome = ask(program)
    assert outcome.status == "failed"
    assert reason in outcome.reason


def test_what_a_change_says_is_known_afterwards():
    painted = 'set(color, "green", just(only(all("bed"))))'
    assert ask('name(only(having(color, "green", all("object"))))', painted).answer == "bed"


def test_one_known_value_makes_an_attribute_count():
    known = replace(BLIND, objects=(study().objects[0], *BLIND.objects[1:]))
    outcome = run(
        ROOMS.parse('count(having(color, "red", all("chair")))'),
        SceneGeometry(unchanged(known), known),
    )
    assert outcome.answer == "0"
