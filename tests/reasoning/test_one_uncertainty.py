"""The same table with the same covariances, asked the same as a street, a room, a 3DSRBench or a
SCOPE item: the same probability.

Regions that a benchmark draws differently are made equal by its rules: a street's half plane begins
at its object (margin 0), a room's cone is as wide as one, and SCOPE's directions are left and right
alone.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from po3d.language.programs import rooms as room_language
from po3d.language.programs import scope as scope_language
from po3d.language.programs import street as street_language
from po3d.language.programs import threedsrbench as sr_language
from po3d.reasoning import execute, grounded, views
from po3d.reasoning.rules import ROOM_RULES, Rules
from po3d.scene.frames import axes_from_front
from po3d.scene.orbit import ORTHOGONAL
from po3d.scene.posterior import KINDS
from po3d.scene.table import ObjectState, Scene, sure
from po3d.systems.framed_rooms import room

STREET_RULES = Rules(margin_2d=0.0, margin_6d=0.0, aligned_needs_label=False)
WIDE = replace(ROOM_RULES, cone=90.0)
POSES = ("pose", "flip")
OUTLINE = ((-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0))
CHAIR, DESK, LAMP = "red", "blue", "green"


def table(seed, existence=1.0, doubts=False, spread=0.5, apart=1.0):
    """A chair, a desk and a lamp near each other, small, with poses of any covariance. The desk's
    nose surely points where the viewer looks, so that its left is the viewer's left; other noses
    may be off, and turned around.
    """
    r = np.random.default_rng(seed)
    objects = []
    for name, color in (("chair", CHAIR), ("desk", DESK), ("lamp", LAMP)):
        root = r.normal(0, spread, (3, 3))
        if name == "desk":
            root[2] = 0.0
        heading = math.pi / 2 if name == "desk" else float(r.uniform(-3, 3))
        beliefs = sure(name=name, color=color)
        if doubts:
            other = float(r.uniform(0.05, 0.45))
            beliefs["color"] = {color: 1 - other, "purple": other}
        covariance = tuple(map(tuple, (root @ root.T).tolist()))
        flip = 0.0 if name == "desk" else float(r.uniform(0, 0.5))
        place = (*r.normal(0, apart, 2).tolist(), 0.01)
        size = (0.02, 0.02, 0.02)
        objects.append(ObjectState(beliefs, place, heading, size, covariance, flip, existence))
    return Scene(
        tuple(objects), axes_from_front((0.0, 1.0)), "predicted", image=f"t{seed}", outline=OUTLINE
    )


def street(scene, program, draw=POSES, task="2d", mode="samples", samples=64):
    """P(yes), or the distribution of a number."""
    program = street_language.parse_text(program)
    outcome = execute.execute(program, scene, task, mode, STREET_RULES, samples, draw=draw)
    return (
        outcome.distribution.get("yes", 0.0)
        if program.call.output == "bool"
        else outcome.distribution
    )


def rooms(scene, program, draw=POSES, samples=64):
    """(answer, its probability) in the drawn worlds: the vote of the likeliest table, which a room
    counts too, is taken out.
    """
    program = room_language.ROOMS.parse(program)
    reply = room(scene, "given", samples, WIDE, draw).run("", None, program)
    likeliest = room(scene.certain(), "given", 0, WIDE).run("", None, program)
    votes = reply.probability * (samples + 1) - (likeliest.answer == reply.answer)
    return reply.answer, votes / samples


def sr(scene, program, samples=64):
    outcome = grounded.answered(sr_language.THREEDSRBENCH.parse(program), scene, samples=samples)
    return outcome.answer, outcome.probability


def scope(scene, program, options, samples=64):
    visible = views.ViewEvidence(scene, ())
    outcome = views.run(scope_language.parse_text(program), visible, options, samples)
    return outcome.answer, outcome.probability


def of(reply, yes):
    """The probability of `yes` from an answer of two and its own."""
    answer, probability = reply
    return probability if answer == yes else 1 - probability


def only(color):
    return f"unique(filter[color={color}](scene))"


def is_a(color, relation):
    return f"exist(intersect({relation}, filter[color={color}](scene)))"


TABLES = range(12)


@pytest.mark.parametrize("seed", TABLES)
def test_left_of_is_as_probable_in_every_benchmark(seed):
    scene = table(seed)
    p = street(scene, is_a(CHAIR, f"relate[left,camera]({only(DESK)})"))
    assert of(
        rooms(scene, 'exist(toward(left, only(all("desk")), all("chair")))'), "yes"
    ) == pytest.approx(p)
    assert of(
        sr(scene, 'on_the_left("#1", "#0")'), sr_language.ANSWERS["side"][0]
    ) == pytest.approx(p)
    where = 'where(thing("chair"), thing("desk"), camera)'
    assert of(scope(scene, where, ("left", "right")), "left") == pytest.approx(p)


@pytest.mark.parametrize("seed", TABLES)
def test_a_things_own_left_turns_with_its_doubtful_heading(seed):
    scene = table(seed)
    p = street(scene, is_a(DESK, f"relate[left,task]({only(CHAIR)})"), task="6d")
    assert of(
        sr(scene, 'on_the_left("#0", "#1")'), sr_language.ANSWERS["side"][0]
    ) == pytest.approx(p)
    where = 'where(thing("desk"), thing("chair"), own(thing("chair")))'
    assert of(scope(scene, where, ("left", "right")), "left") == pytest.approx(p)


@pytest.mark.parametrize("seed", TABLES)
def test_headings_are_alike_as_probably(seed):
    scene = table(seed)
    p = street(scene, is_a(CHAIR, f"aligned[same]({only(LAMP)})"))
    assert of(
        sr(scene, 'same_direction("#2", "#0")'), sr_language.ANSWERS["agreement"][0]
    ) == pytest.approx(p)
    p = street(scene, is_a(CHAIR, f"aligned[parallel]({only(LAMP)})"))
    assert of(
        sr(scene, 'parallel("#2", "#0")'), sr_language.ANSWERS["alignment"][0]
    ) == pytest.approx(p)


@pytest.mark.parametrize("seed", TABLES)
def test_what_is_nearer_is_so_as_probably(seed):
    scene = table(seed)
    nearest = 'name(nearest(only(all("chair")), either(all("desk"), all("lamp"))))'
    p = of(rooms(scene, nearest), "desk")
    assert of(
        scope(scene, 'name(nearest(thing("chair")))', ("desk", "lamp")), "desk"
    ) == pytest.approx(p)
    assert of(sr(scene, 'closer_to("#0", "#1", "#2")'), "#1") == pytest.approx(p)


@pytest.mark.parametrize("seed", TABLES)
def test_existence_and_looks_count_alike_on_streets_and_in_rooms(seed):
    scene = table(seed, existence=0.6, doubts=True)
    counted = street(scene, "count(filter[color=purple](scene))", KINDS)
    answer, probability = rooms(scene, 'count(having(color, "purple", all("object")))', KINDS)
    assert counted[answer] == pytest.approx(probability)
    assert max(counted, key=counted.get) == answer
    there = street(scene, f"exist(filter[color={LAMP}](scene))", KINDS)
    having = f'exist(having(color, "{LAMP}", all("lamp")))'
    assert of(rooms(scene, having, KINDS), "yes") == pytest.approx(there)


@pytest.mark.parametrize("seed", TABLES)
def test_approximations_are_near_the_worlds(seed):
    """What is worked out without joint draws: marginals of streets, first order in the covariances
    of SCOPE.
    """
    scene = table(seed)
    relation = is_a(CHAIR, f"relate[left,camera]({only(DESK)})")
    p = street(scene, relation, samples=4000)
    assert street(scene, relation, mode="marginal", samples=4000) == pytest.approx(p, abs=0.04)
    colored, close = table(seed, existence=0.6, doubts=True), table(seed, spread=0.2, apart=4.0)
    where = 'where(thing("chair"), thing("desk"), camera)'
    first_order, worlds = (scope(close, where, ORTHOGONAL, samples) for samples in (0, 1000))
    assert first_order == (worlds[0], pytest.approx(worlds[1], abs=0.06))
    some = f"exist(filter[color={CHAIR}](scene))"
    exact = 0.6 * colored.objects[0].beliefs["color"][CHAIR]
    assert street(colored, some, mode="marginal") == pytest.approx(exact)
    assert street(colored, some, KINDS, samples=4000) == pytest.approx(exact, abs=0.04)


def test_a_program_has_an_answer_as_probably_as_what_it_takes_for_granted_is_there():
    scene = table(3, existence=0.6)
    query = street_language.parse_text(is_a(CHAIR, f"relate[left,camera]({only(DESK)})"))
    for mode in ("marginal", "samples"):
        result = execute.execute(query, scene, "2d", mode, STREET_RULES, 1000)
        assert result.valid == pytest.approx(0.6, abs=0.05)
    program = room_language.ROOMS.parse('exist(toward(left, only(all("desk")), all("chair")))')
    assert room(scene, "given", 1000, WIDE, KINDS).run("", None, program).valid == pytest.approx(
        0.6, abs=0.05
    )
    assert room(scene.certain(), "given", 0, WIDE).run("", None, program).valid == 1
    both = sr_language.THREEDSRBENCH.parse('on_the_left("#1", "#0")')
    assert grounded.answered(both, scene, samples=10).valid == pytest.approx(0.6 * 0.6)
    where = scope_language.parse_text('where(thing("chair"), thing("desk"), camera)')
    assert (
        views.run(where, views.ViewEvidence(scene, ()), ("left", "right"), 10).valid == 1
    )  # poses alone are drawn
