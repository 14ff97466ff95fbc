"""Worlds drawn from a table, and what they say together."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.errors import InputError
from po3d.language.programs.rooms import parse_text
from po3d.language.read.parse import Parse
from po3d.reasoning.questions import Question
from po3d.reasoning.votes import presupposed, vote
from po3d.scene.frames import axes_from_front
from po3d.scene.geometry import wrap_angle
from po3d.scene.posterior import KINDS, Named, PosteriorDraw, possible, posterior_samples, uncertain
from po3d.scene.table import ObjectState, Scene, sure
from po3d.systems.pipeline import Context, Pipeline
from po3d.systems.rooms import DOMAIN, question_parser


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


subsets = st.sets(st.sampled_from(KINDS))
seeds = st.integers(0, 10**6)


def doubtful(seed):
    """A table of a street with a doubt of every kind about each object."""
    r = np.random.default_rng(seed)
    scene = random_scene(r, 4, certain=False)
    roots = r.normal(0, 0.4, (4, 3, 3))
    return replace(
        scene,
        objects=tuple(
            replace(
                o,
                covariance=tuple(map(tuple, (m @ m.T).tolist())),
                flip=float(r.random()),
                existence=float(r.random()),
            )
            for o, m in zip(scene.objects, roots)
        ),
    )


@given(seeds)
def test_a_world_leaves_nothing_open_and_a_table_without_doubt_is_every_world(seed):
    scene = doubtful(seed)
    assert uncertain(scene)
    assert not any(uncertain(world) for world in posterior_samples(scene, count=4).scenes())
    assert posterior_samples(scene.certain(), count=2).scenes() == [scene.certain()] * 2


@given(seeds, subsets)
def test_what_is_not_rendered_stays_a_belief(seed, draw):
    scene = doubtful(seed)
    sampled = posterior_samples(scene, draw, count=3)
    for k, world in enumerate(sampled.scenes()):
        rows = np.flatnonzero(sampled.exists[k]) if "existence" in draw else range(len(scene))
        assert len(world) == len(rows)
        for i, o in zip(rows, world.objects):
            before, turned = (
                scene.objects[i],
                o.heading == float(wrap_angle(scene.objects[i].heading + math.pi)),
            )
            assert o.extent == before.extent
            assert o.existence == (1.0 if "existence" in draw else before.existence)
            if "looks" not in draw:
                assert o.beliefs == before.beliefs
            if "pose" not in draw:
                assert (o.position, o.covariance) == (before.position, before.covariance)
                assert turned or o.heading == before.heading
                if "flip" not in draw:
                    assert turned == (before.flip > 0.5)
            if "flip" not in draw:
                assert o.flip == min(before.flip, 1 - before.flip)
    if not draw:
        exact = scene.certain()
        assert [i for i in range(len(scene)) if sampled.exists[0, i]] == list(scene.present)
        assert sampled.scene(0).certain() == exact


@given(seeds, subsets, st.integers(0, 5))
def test_worlds_are_a_function_of_the_arguments(seed, draw, stream):
    scene = doubtful(seed)
    again = [posterior_samples(scene, draw, count=3, seed=stream).scenes() for _ in range(2)]
    assert again[0] == again[1]
    if draw:
        assert (
            again[0] != posterior_samples(scene, draw, count=3, seed=stream + 1).scenes()
            or len(again[0][0]) < 4
        )
    assert (
        posterior_samples(scene, sorted(draw, reverse=True), count=3, seed=stream).scenes()
        == again[0]
    )


def test_unknown_kinds_are_named():
    with pytest.raises(InputError, match="'colour'"):
        posterior_samples(BELIEVED, ["colour"])
    with pytest.raises(InputError, match="'poses'"):
        replace(DOMAIN, draw=("poses",))
    assert (
        posterior_samples(BELIEVED, "looks", count=1).scenes()
        == posterior_samples(BELIEVED, ["looks"], count=1).scenes()
    )


def test_worlds_are_rendered_as_often_as_the_table_believes():
    sampled = posterior_samples(BELIEVED, count=2000).scenes()
    names = Counter(o.value("name") for world in sampled for o in world.objects)
    assert names["plant"] == 2000
    assert names["sofa"] / 2000 == pytest.approx(0.7, abs=0.04)
    assert (names["desk"] + names["table"]) / 2000 == pytest.approx(0.5, abs=0.04)


def test_poses_scatter_as_the_covariance_says():
    spread = ((0.04, 0.03, 0.0), (0.03, 0.09, 0.0), (0.0, 0.0, 0.25))
    heading = math.radians(30)
    one = replace(thing(4, 0, "sofa"), heading=heading, covariance=spread, flip=0.25)
    many = [world.objects[0] for world in posterior_samples(room(one), count=1500, seed=3).scenes()]
    result = np.array([o.position[:2] for o in many])
    np.testing.assert_allclose(np.cov(result.T), [[0.04, 0.03], [0.03, 0.09]], atol=0.012)
    np.testing.assert_allclose(result.mean(0), [4, 0], atol=0.03)
    assert {o.position[2] for o in many} == {0.4}
    off = np.abs([float(wrap_angle(o.heading - heading)) for o in many])
    assert np.mean(off > math.pi / 2) == pytest.approx(0.25, abs=0.04)
    near = off[off < math.pi / 2]
    assert math.sqrt(np.mean(near**2)) == pytest.approx(0.5, abs=0.04)


def test_what_is_provided_changes_no_world_that_has_it():
    wanted = Named("sofa", (("color", "blue"),))
    before, after = (
        posterior_samples(BELIEVED, required=condition, count=200) for condition in ([], [wanted])
    )
    changed = 0
    for a, b in zip(before.scenes(), after.scenes()):
        had = any(
            o.value("name") == "sofa" and o.value("color") == "blue"
            for o in a.objects
            if "color" in o.beliefs
        )
        assert (a == b) == had
        changed += not had
    assert changed / 200 == pytest.approx(1 - 0.7 * 0.4, abs=0.1)


def test_looks_are_rendered_in_proportion_to_their_probabilities():
    scene = room(thing(0, 0, "sofa", {"red": 0.3, "blue": 0.2}))
    sampled = posterior_samples(scene, ("looks",), count=2000)
    assert np.mean(sampled.looks["color"] == 0) == pytest.approx(0.6, abs=0.04)


def test_what_lacks_an_attribute_may_be_what_is_named():
    plants = [thing(x, 2, "plant", existence=0.5) for x in (0, 1)]
    scene = room(*plants, thing(-2, 0, "sofa", {"red": 0.5, "blue": 0.5}))
    wanted = Named("plant", (("color", "blue"),))
    before, after = (posterior_samples(scene, required=r, count=100) for r in ([], [wanted]))
    for a, b in zip(before.scenes(), after.scenes()):
        assert (a == b) == any(o.value("name") == "plant" for o in a.objects)


def test_the_most_probable_object_that_is_there_hides_another():
    things = [thing(x, 0, "sofa", existence=p) for x, p in ((0, 1.0), (1, 0.2), (2, 0.9), (3, 1.0))]
    hidden = ({1: 0.6, 2: 0.3}, {}, {0: 0.4, 3: 0.1}, {0: 0.5})
    scene = replace(room(*things), occluders=hidden)
    assert posterior_samples(scene, (), count=2).occluder.tolist() == [[2, -1, -1, -1]] * 2
    there = replace(scene, objects=tuple(replace(o, existence=1.0) for o in scene.objects))
    assert posterior_samples(there, (), count=1).occluder.tolist() == [[1, -1, -1, -1]]
    sampled = posterior_samples(there, ("looks",), count=2000).occluder[:, 0]
    shares = [np.mean(sampled == k) for k in (1, 2, -1)]
    np.testing.assert_allclose(shares, [0.6, 0.3, 0.1], atol=0.04)


def test_who_hides_whom_is_a_doubt_about_looks_alone():
    scene = replace(room(thing(0, 0, "sofa"), thing(1, 0, "bed")), occluders=({1: 0.5}, {}))
    assert [uncertain(scene, (kind,)) for kind in KINDS] == [kind == "looks" for kind in KINDS]
    assert not uncertain(replace(scene, occluders=({1: 1.0}, {})))
    assert len(posterior_samples(scene)) == 64  # as documented


def test_samples_do_not_depend_on_what_was_presupposed_before():
    draw = PosteriorDraw(BELIEVED, count=40)
    for required in ([Named("bed")], [], [Named("sofa", (("color", "blue"),))], [Named("bed")]):
        expected = posterior_samples(BELIEVED, required=required, count=40)
        assert draw.given(required).scenes() == expected.scenes()


@pytest.mark.parametrize(
    "named", [Named("bed"), Named("blue sofa"), Named("sofa", (("color", "blue"),)), Named("table")]
)
def test_what_is_named_exists_in_every_world_where_the_beliefs_allow_it(named):
    for world in posterior_samples(BELIEVED, required=[named], count=50).scenes():
        fits = [
            o
            for o in world.objects
            if o.value("name") == named.noun and all(o.value(a) == v for a, v in named.looks)
        ]
        assert bool(fits) == possible(BELIEVED, named)


def test_a_program_takes_for_granted_what_it_speaks_of_as_one_and_what_it_changes():
    change = parse_text(
        'move(just(only(having(color, "red", all("sofa")))), next_to(only(all("desk"))))'
    )
    assert presupposed(change) == [Named("sofa", (("color", "red"),)), Named("desk")]
    assert presupposed(parse_text('count(all("chair"))')) == []
    assert presupposed(parse_text('count(upon(only(all("desk")), all("cup")))')) == [Named("desk")]
    assert presupposed(parse_text('remove(all("chair"))')) == [Named("chair")]


@given(st.lists(st.sampled_from([None, "a", "b", "c"])), st.permutations("abc"))
def test_the_vote_goes_to_the_most_and_worlds_that_failed_count_half(answers, ties):
    result, condition = vote(answers), [a for a in answers if a is not None]
    if not condition:
        assert result is None
        return
    assert condition.count(result.answer) == max(map(condition.count, condition))
    first = next(a for a in condition if condition.count(a) == condition.count(result.answer))
    assert result.answer == first
    votes, silent = answers.count(result.answer), answers.count(None)
    assert result.credence == pytest.approx((votes + silent / 2) / len(answers))
    assert result.distribution == {
        a: pytest.approx(condition.count(a) / len(condition)) for a in result.votes
    }
    assert result.answered == len(condition)
    among = [a for a in ties if condition.count(a) == votes]
    assert vote(answers, ties).answer == among[0]


def test_one_world_of_many_makes_nothing_certain():
    result = vote(["a", *[None] * 64])
    assert (result.answer, result.answered) == ("a", 1)
    assert result.credence == pytest.approx(0.5, abs=0.01)
    assert vote(["a"] * 65).credence == 1


class Programs:
    """A parser whose texts are programs."""

    def parse(self, texts, sort):
        return [Parse("ok", parse_text(text), 1.0) for text in texts]


class Provided:
    true = False

    def tables(self, looks):
        return [[BELIEVED] for _ in looks]


def answered(text, change="", frame="", samples=64):
    q = Question("q", "r", text, "2d", "movement", change=change, frame=frame)
    context = Context(lambda: None, lambda: BELIEVED, "r")
    (prediction,) = Pipeline(
        Provided(), question_parser(Programs()), replace(DOMAIN, samples=samples)
    ).answer([q], context)
    return prediction


def test_a_believed_room_answers_about_its_less_likely_things():
    text = 'which_side(only(all("bed")))'
    assert answered(text, samples=0).status == "failed"
    prediction = answered(text)
    assert (prediction.status, prediction.answer) == ("ok", "left")
    assert prediction.probability == pytest.approx(
        64.5 / 65
    )  # the likeliest room has no bed: it says nothing


def test_a_frame_is_reported_by_the_anchors_that_were_visible():
    text = 'which_side(only(all("plant")))'
    frame = (
        "The sofa was located at the front of the scene. The piano was located at the left of the"
        " scene."
    )
    assert answered(text, frame=frame).answer == "right"
    alone = "The piano was located at the left of the scene."
    assert "piano" in answered(text, frame=alone).reason


def test_nothing_is_reported_of_what_the_table_cannot_hold():
    prediction = answered('which_side(only(all("guitar")))')
    assert prediction.status == "failed"
    assert "guitar" in prediction.reason
    sure_room = replace(
        BELIEVED, objects=tuple(replace(o, beliefs=sure(name="lamp")) for o in BELIEVED.objects)
    )
    assert not possible(sure_room, Named("bed"))
