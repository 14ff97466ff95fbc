"""Margins: their signs are the executor's truths, their sizes are what a hand works out, and
turning the decision that is named really changes the answer.
"""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from generators import random_program, random_scene
from hypothesis import given, settings
from hypothesis import strategies as st

from po3d.io.seeding import rng
from po3d.language.programs.street import parse_text
from po3d.reasoning.counterfactuals import margins, record_of
from po3d.reasoning.execute import execute
from po3d.reasoning.rules import Rules
from po3d.scene.street import AXES
from po3d.scene.table import ObjectState, Scene, sure


def thing(x, y, degrees=0.0, color="red", **more):
    beliefs = sure(shape="sedan", color=color, size="small", material="metal")
    return ObjectState(
        beliefs | more.pop("beliefs", {}),
        (x, y, 0.3),
        math.radians(degrees),
        (2.0, 1.0, 0.8),
        **more,
    )


def table(*objects, occluders=None):
    return Scene(objects, AXES, "gt", None, occluders)


def only(result, step):
    (margin,) = result.steps[step]
    return margin


@given(st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_a_positive_distance_is_a_yes_of_the_executor(seed):
    r = rng(seed, "margins")
    scene = random_scene(r, int(r.integers(2, 7)))
    color = scene.objects[0].value("color")
    reference = (
        "unique("
        + "".join(
            f"filter[{a}={scene.objects[0].value(a)}]("
            for a in ("shape", "color", "size", "material")
        )
        + "scene"
        + ")" * 5
    )
    steps = [f"relate[{d},{f}]" for d in ("left", "front") for f in ("camera", "object")]
    steps += [
        "collide[forward]",
        "collide[backward]",
        *(f"aligned[{h}]" for h in ("same", "opposite", "vertical", "parallel")),
    ]
    for token in steps:
        program = parse_text(f"count({token}({reference}))")
        outcome = execute(program, scene)
        if outcome.answer is None:
            continue
        result = [
            m for m in margins(program, scene).steps[-2] if not m.boundary.startswith("facing")
        ]
        assert len(result) == len(scene) - 1
        assert {m.object for m in result if m.distance > 0} == set(outcome.trace[-2].objects)
    for value in ("left", "right", "front", "back"):
        program = parse_text(f"count(filter[facing={value}](filter[color={color}](scene)))")
        result = margins(program, scene).steps[2]
        trace = execute(program, scene).trace
        assert {m.object for m in result} == set(trace[1].objects)
        assert {m.object for m in result if m.distance > 0} == set(trace[2].objects)


@given(st.integers(0, 10**6), st.sampled_from(["2d", "6d"]))
@settings(max_examples=25, deadline=None)
def test_any_program_on_any_table_has_margins_of_its_argmax_answer(seed, task):
    r = rng(seed, "margins.any")
    scene = random_scene(r, certain=bool(seed % 2))
    program = random_program(r, scene)
    result = margins(program, scene, task)
    assert result.answer == execute(program, scene, task).answer
    assert len(result.steps) == len(program.steps)
    every = [m for step in result.steps for m in step]
    assert all(m.normalised >= 0 for m in every)
    assert all(
        [m.normalised for m in step] == sorted(m.normalised for m in step) for step in result.steps
    )
    if result.flip is not None:
        assert result.flip.margin in every
        assert result.flip.answer != result.answer
    json.dumps(record_of(result), allow_nan=False)


def test_facing_in_degrees_and_what_turning_gives():
    scene = table(thing(0, 0, 140 - 90 + 27.9), thing(2, 0, 140 - 180 + 32.1, "blue"))
    result = margins(parse_text("count(filter[facing=right](scene))"), scene)
    inside = next(m for m in result.steps[1] if m.object == 0)
    assert inside.distance == pytest.approx(2.1)
    assert (inside.unit, inside.boundary) == ("degrees", "facing right")
    assert (result.answer, result.flip.answer) == ("1", "0")
    assert (
        result.flip.text
        == "closest call: #0 small red metal sedan is 2.1° within facing right (else: 0)"
    )
    query = margins(parse_text("query[facing](unique(filter[color=blue](scene)))"), scene)
    assert only(query, 3).distance == pytest.approx(-2.1)
    assert (query.answer, query.flip.answer) == (None, "front")


def test_windows_that_touch_hand_over_to_their_neighbour():
    result = margins(
        parse_text("query[facing](unique(scene))"),
        table(thing(0, 0, 140 - 90 + 44)),
        rules=Rules(facing_window_deg=45),
    )
    assert (result.answer, result.flip.answer) == ("right", "back")


def test_relations_in_units_beyond_the_margin():
    left = np.array(AXES["left"])
    scene = table(
        thing(0, 0), thing(*(left * 0.25), color="blue"), thing(*(left * -3), color="green")
    )
    result = margins(
        parse_text("count(relate[left,camera](unique(filter[color=red](scene))))"), scene
    )
    assert [m.object for m in result.steps[3]] == [1, 2]
    assert [m.distance for m in result.steps[3]] == pytest.approx([0.05, -3.2])
    assert result.steps[3][0].boundary == "left of #0"
    assert (result.answer, result.flip.answer, result.flip.margin.object) == ("1", "0", 1)


def test_collisions_by_the_footprints_distance():
    # Red is 1 wide and drives along x; blue's nearest side is 0.3 from the strip, green is 0.2
    # inside it.
    scene = table(
        thing(0, 0),
        thing(4, 1.3, color="blue"),
        thing(-4, -0.8, color="green"),
        thing(9, 0, color="gray"),
    )
    hit = margins(
        parse_text("exist(filter[color=blue](collide[forward](unique(filter[color=red](scene)))))"),
        scene,
    )
    distances = {m.object: m.distance for m in hit.steps[3]}
    assert distances[1] == pytest.approx(-0.3)
    assert distances[2] == pytest.approx(-math.hypot(2, 0))  # behind the back of red
    assert distances[3] == pytest.approx(1.0)  # a footprint's width
    assert (hit.answer, hit.flip.answer, hit.flip.margin.object) == ("no", "yes", 1)


def test_the_nearest_decision_that_matters_wins_over_a_nearer_one_that_does_not():
    scene = table(
        thing(0, 0, 140 - 90),
        thing(0, 3, 140 - 90 + 30.1, "blue"),
        thing(3, 0, 140 - 90 + 31, "green"),
    )
    result = margins(parse_text("exist(filter[color=green](filter[facing=right](scene)))"), scene)
    assert result.steps[1][0].object == 1
    assert (result.flip.margin.object, result.flip.answer) == (2, "yes")


def test_beliefs_flip_to_the_runner_up():
    doubt = {"color": {"brown": 0.45, "red": 0.55}}
    scene = table(thing(0, 0, beliefs=doubt), thing(2, 0, color="blue", existence=0.4))
    result = margins(parse_text("query[color](unique(scene))"), scene)
    assert only(result, 0).distance == pytest.approx(-0.2)  # the second object: 0.4 there, 0.6 not
    assert only(result, 2).distance == pytest.approx(0.1)
    assert (result.answer, result.flip.answer) == ("red", "brown")
    assert result.flip.text.endswith(
        "#0 small red metal sedan is red by 0.10 in probability (else: brown)"
    )
    assert only(result, 0).text.endswith("is not there by 0.20 in probability")
    assert execute(parse_text("query[color](unique(scene))"), scene).answer == "red"


def test_a_belief_that_is_all_but_certain_is_far_from_everything():
    doubt = {"color": {"brown": 1e-17, "red": 1 - 1e-16}}
    result = margins(parse_text("query[color](unique(scene))"), table(thing(0, 0, beliefs=doubt)))
    assert 5 < only(result, 2).normalised < 20


def test_same_turns_when_either_of_two_changes():
    scene = table(thing(0, 0), thing(2, 0, beliefs={"color": {"red": 0.3, "blue": 0.7}}))
    result = margins(parse_text("count(same[color](unique(filter[color=red](scene))))"), scene)
    assert only(result, 3).distance == pytest.approx(-0.4)


def test_occlusion_has_margins_in_probability():
    scene = table(thing(0, 0), thing(2, 0, color="blue"), occluders=({1: 1.0}, {}))
    program = parse_text("count(filter[occlusion=occluded](scene))")
    assert margins(program, scene).steps[1] == ()  # a true table has no doubts
    doubtful = margins(program, replace(scene, occluders=({1: 0.6}, {0: 0.45})))
    assert [m.distance for m in doubtful.steps[1]] == pytest.approx([-0.1, 0.2])
    assert (doubtful.answer, doubtful.flip.answer) == ("1", "2")
    free = margins(
        parse_text("count(filter[occlusion=unoccluded](scene))"),
        replace(scene, occluders=({1: 0.6}, {})),
    )
    assert only(free, 1).distance == pytest.approx(-0.2)


def test_what_would_give_a_failed_program_an_answer():
    scene = table(thing(0, 0, 140 - 90), thing(2, 0, 140 - 90 + 31, "blue"))
    result = margins(
        parse_text("query[color](unique(filter[facing=right](filter[color=blue](scene))))"), scene
    )
    assert (result.answer, result.flip.answer) == (None, "blue")
