"""Worlds drawn from believed rooms, and what they say together."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.language.programs.rooms import parse_text
from po3d.language.read.room_parser import RoomParse
from po3d.reasoning.questions import Question
from po3d.reasoning.room_samples import Named, possible, presupposed, uncertain, vote, worlds
from po3d.scene.frames import axes_from_front
from po3d.scene.table import ObjectState, Scene, sure
from po3d.systems.pipeline import Context
from po3d.systems.rooms import RoomPipeline


def thing(x, y, name, color=None, existence=1.0):
    beliefs = {"name": name if isinstance(name, dict) else {name: 1.0}}
    if color:
        beliefs["color"] = color if isinstance(color, dict) else {color: 1.0}
    return ObjectState(beliefs, (x, y, 0.4), 0.0, (0.5, 0.5, 0.8), existence=existence)


def room(*objects):
    outline = ((-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0))
    return Scene(objects, axes_from_front((0.0, 1.0)), "predicted", image="r", outline=outline)


BELIEVED = room(
    thing(-2, 0, {"sofa": 0.7, "bed": 0.3}, {"red": 0.6, "blue": 0.4}),
    thing(2, 0, {"desk": 0.9, "table": 0.1}, existence=0.5),
    thing(0, 2, {"plant": 1.0}),
)


def test_worlds_are_drawn_as_often_as_the_table_believes_and_alike_every_time():
    drawn = worlds(BELIEVED, 2000)
    assert drawn[0] == BELIEVED.certain()
    names = Counter(o.value("name") for world in drawn[1:] for o in world.objects)
    assert names["plant"] == 2000
    assert names["sofa"] / 2000 == pytest.approx(0.7, abs=0.04)
    assert (names["desk"] + names["table"]) / 2000 == pytest.approx(0.5, abs=0.04)
    assert drawn == worlds(BELIEVED, 2000)
    assert drawn != worlds(BELIEVED, 2000, seed=1)
    assert not any(uncertain(world) for world in drawn)
    assert uncertain(BELIEVED)


@pytest.mark.parametrize(
    "named", [Named("bed"), Named("blue sofa"), Named("sofa", (("color", "blue"),)), Named("table")]
)
def test_what_is_named_exists_in_every_world_where_the_beliefs_allow_it(named):
    for world in worlds(BELIEVED, 50, [named])[1:]:
        fits = [
            o
            for o in world.objects
            if o.value("name") == named.noun and all(o.value(a) == v for a, v in named.looks)
        ]
        assert bool(fits) == possible(BELIEVED, named)


def test_a_program_takes_for_granted_what_it_speaks_of_as_one_and_what_it_changes():
    change = parse_text('move(just(only(having(color, "red", all("sofa")))), next_to(only(all("desk"))))')
    assert presupposed(change) == [Named("sofa", (("color", "red"),)), Named("desk")]
    assert presupposed(parse_text('count(all("chair"))')) == []
    assert presupposed(parse_text('count(upon(only(all("desk")), all("cup")))')) == [Named("desk")]
    assert presupposed(parse_text('remove(all("chair"))')) == [Named("chair")]


@given(st.lists(st.sampled_from([None, "a", "b", "c"])))
def test_the_vote_goes_to_the_most_and_worlds_that_failed_count_half(answers):
    found, given_ = vote([lambda a=a: a for a in answers]), [a for a in answers if a is not None]
    if not given_:
        assert found is None
        return
    assert given_.count(found.answer) == max(map(given_.count, given_))
    assert found.answer == next(a for a in given_ if given_.count(a) == given_.count(found.answer))
    votes, silent = answers.count(found.answer), answers.count(None)
    assert found.probability == pytest.approx((votes + silent / 2) / len(answers))
    assert found.answered == len(given_)


def test_one_world_of_many_makes_nothing_certain():
    found = vote([lambda: "a", *[lambda: None] * 64])
    assert (found.answer, found.answered) == ("a", 1)
    assert found.probability == pytest.approx(0.5, abs=0.01)
    assert vote([lambda: "a"] * 65).probability == 1


class Programs:
    """A parser whose texts are programs."""

    def parse(self, texts, sort):
        return [RoomParse("ok", parse_text(text), 1.0) for text in texts]


class Given:
    def table(self, context):
        return BELIEVED


def answered(text, change="", frame="", samples=64):
    q = Question("q", "r", text, "2d", "movement", meta={"change": change, "frame": frame})
    context = Context(lambda: None, lambda: BELIEVED, "r")
    (prediction,) = RoomPipeline(Programs(), Given(), samples=samples).answer([q], context)
    return prediction


def test_a_believed_room_answers_about_its_less_likely_things():
    text = 'which_side(only(all("bed")))'
    assert answered(text, samples=0).status == "failed"
    prediction = answered(text)
    assert (prediction.status, prediction.answer) == ("ok", "left")
    assert prediction.probability == pytest.approx(
        64.5 / 65
    )  # the likeliest room has no bed: it says nothing


def test_a_frame_is_told_by_the_anchors_that_were_seen():
    text = 'which_side(only(all("plant")))'
    frame = "The sofa was located at the front of the scene. The piano was located at the left of the scene."
    assert answered(text, frame=frame).answer == "right"
    alone = "The piano was located at the left of the scene."
    assert "piano" in answered(text, frame=alone).reason


def test_nothing_is_said_of_what_the_table_cannot_hold():
    prediction = answered('which_side(only(all("guitar")))')
    assert prediction.status == "failed"
    assert "guitar" in prediction.reason
    sure_room = replace(
        BELIEVED, objects=tuple(replace(o, beliefs=sure(name="lamp")) for o in BELIEVED.objects)
    )
    assert not possible(sure_room, Named("bed"))
