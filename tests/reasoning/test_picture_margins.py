"""Margins of 3DSRBench and SCOPE: what is said to flip an answer flips it, a little less of it does
not.
"""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from po3d.io.seeding import rng
from po3d.language.programs.scope import CAMERA, SCOPE, call
from po3d.language.programs.threedsrbench import OPERATIONS, THREEDSRBENCH, PhraseCall, ask
from po3d.reasoning import grounded
from po3d.reasoning.counterfactuals import PoseDelta, record
from po3d.reasoning.views import ViewEvidence
from po3d.reasoning.views import nearest as scope_tip
from po3d.reasoning.views import run as run_scope
from po3d.scene.geometry import Camera, look_at
from po3d.scene.orbit import LABELS, Orbit, turned_axes
from po3d.scene.table import ObjectState, Scene, sure

NAMES = ("man", "cup", "dog", "plant", "piano")
SEEDS = st.integers(0, 10**6)


def scattered(seed: int) -> Scene:
    """Small things well apart, seen from y = -9."""
    random = rng(seed, "picture margins")
    places = [(x, y) for x in (-3, 0, 3) for y in (-3, 0, 3)]
    objects = []
    for name, k in zip(NAMES, random.permutation(len(places))):
        x, y = random.uniform(-1, 1, 2) + places[k]
        z, heading = random.uniform(0.2, 2.0), random.uniform(-math.pi, math.pi)
        objects.append(
            ObjectState(
                sure(name=name), (float(x), float(y), float(z)), float(heading), (0.3, 0.4, 0.3)
            )
        )
    camera = Camera(640, 480, 600.0, look_at((0.0, -9.0, 2.0), (0.0, 0.0, 0.5)))
    return Scene(tuple(objects), Orbit(9.0, 2.0, 0.5).axes(0), "gt", camera, image="x.png")


def test_a_nudge_moves_and_turns_one_thing_alone():
    scene = scattered(0)
    moved = PoseDelta(2, (1.0, 0.0, 2.0), math.pi).applied(scene, 0.5)
    assert np.allclose(moved.positions - scene.positions, np.eye(5)[2][:, None] * (0.5, 0.0, 1.0))
    assert math.remainder(
        moved.objects[2].heading - scene.objects[2].heading, math.pi
    ) == pytest.approx(math.pi / 2)
    assert [o for k, o in enumerate(moved.objects) if k != 2] == [
        o for k, o in enumerate(scene.objects) if k != 2
    ]


# --- 3DSRBench ------------------------------------------------------------------------------------


def run_sr(program: PhraseCall, scene: Scene):
    return grounded.answered(THREEDSRBENCH.to_core(program), scene)


def sr_tip(program: PhraseCall, scene: Scene):
    return grounded.nearest(THREEDSRBENCH.to_core(program), scene, run_sr(program, scene))


@pytest.mark.parametrize("op", OPERATIONS)
@given(seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_a_little_more_than_the_margin_flips_3dsrbench(op, seed):
    scene = scattered(seed)
    program = PhraseCall(op, tuple(f"#{k} {NAMES[k]}" for k in range(len(OPERATIONS[op].inputs))))
    outcome = run_sr(program, scene)
    tip = sr_tip(program, scene)
    assert tip.answer != outcome.answer
    if tip.nudge is None:
        assert op in ("above", "underneath", "next_to")
        return
    assume(tip.distance > 0.01)
    before, after = (
        run_sr(program, tip.nudge.applied(scene, t)).answer for t in (1 - 1e-6, 1 + 1e-6)
    )
    assert before == outcome.answer
    assert after == tip.answer


def test_what_would_flip_is_reported_in_words():
    scene = scattered(1)
    objects = [
        replace(o, position=(float(k), 0.0, 0.5 + 0.25 * k), heading=0.0)
        for k, o in enumerate(scene.objects)
    ]
    scene = replace(scene, objects=tuple(objects))
    assert (
        sr_tip(ask("higher", "#1 cup", "#2 dog"), scene).text
        == "closest call: cup is 0.25 m from being the highest (else: #1 cup)"
    )
    near = sr_tip(ask("next_to", "#0 man", "#1 cup"), scene)
    assert near.margin.text == "man is 0.50 m from next to cup"
    assert record(sr_tip(ask("parallel", "#0 man", "#1 cup"), scene)) == {
        "distance": 45.0, "unit": "degrees", "answer": "perpendicular",
        "text": "closest call: man is 45.0° within parallel to cup (else: perpendicular)",
    }  # fmt: skip


def test_no_answer_of_3dsrbench_has_no_margin():
    assert sr_tip(ask("higher", "#0 man", "#9 cat"), scattered(0)) is None
    assert record(None) is None


# --- SCOPE ----------------------------------------------------------------------------------------

THINGS = [call("thing", name) for name in NAMES]
MAN, CUP, DOG = THINGS[:3]
ORTHOGONAL, DIAGONAL = LABELS[0::2], LABELS[1::2]
QUESTIONS = [
    (call("where", CUP, DOG, CAMERA), (), (0,)),
    (call("where", CUP, DOG, CAMERA), ORTHOGONAL, (90,)),
    (call("where", CUP, DOG, call("own", MAN)), DIAGONAL, (0,)),
    (call("turned", "90", CUP, DOG, call("where", CUP, DOG, CAMERA)), (), (45,)),
    (call("which_view", "left", CUP, DOG), (), (0, 90, 180, 270)),
    (call("which_view", "behind", CUP, DOG), (), (0, 45, 180)),
    (call("name", call("nearest", MAN)), (), (0, 90)),
    (call("name", call("nearest", call("toward", "behind", MAN))), (), (0, 90)),
    (call("name", call("toward", "left", MAN)), (), (0,)),
]


@pytest.mark.parametrize(
    ("program", "options", "views"), QUESTIONS, ids=[SCOPE.text(q[0]) for q in QUESTIONS]
)
@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_a_little_more_than_the_margin_flips_scope(program, options, views, seed):
    scene = scattered(seed)
    visible = ViewEvidence(scene, tuple(turned_axes(scene.axes, v) for v in views))
    answer_text = run_scope(program, visible, options).answer
    tip = scope_tip(program, visible, options)
    if answer_text is None:
        assert tip is None
        return
    assume(tip is not None and tip.distance > 0.01)

    def after(times: float) -> str | None:
        return run_scope(
            program, replace(visible, table=tip.nudge.applied(scene, times)), options
        ).answer

    assert after(1 - 1e-6) == answer_text
    # A counterfactual inverts one decision. The motion may also invert another decision of a
    # program with two, so that the answer stays.
    two = SCOPE.text(program).startswith("name(nearest(toward")
    assume(not two or after(1 + 1e-6) != answer_text)
    assert after(1 + 1e-6) == tip.answer != answer_text
    json.dumps(record(tip), allow_nan=False)


def test_sectors_of_eight_end_after_22_degrees():
    scene = scattered(3)
    places = {"man": (0, 0), "cup": (2, 0), "dog": (0, 1), "plant": (-3, 3), "piano": (3, 3)}
    objects = [
        replace(o, position=(*map(float, places[n]), 0.2)) for o, n in zip(scene.objects, NAMES)
    ]
    visible = ViewEvidence(replace(scene, objects=tuple(objects)), (scene.axes,))
    tip = scope_tip(call("where", CUP, MAN, CAMERA), visible)
    assert (tip.unit, tip.distance) == ("degrees", pytest.approx(22.5))
    assert tip.nudge.metres == pytest.approx(2 * math.sin(math.radians(22.5)))
    four = scope_tip(call("where", CUP, MAN, CAMERA), visible, ORTHOGONAL)
    assert four.distance == pytest.approx(45)
    near = scope_tip(call("name", call("nearest", MAN)), visible)
    assert (near.answer, near.distance, near.unit) == (
        "cup",
        pytest.approx(1.5 / math.sqrt(5)),
        "m",
    )
    assert near.text.startswith("closest call: man is 0.67 m from being nearer to cup than to dog")
    image = scope_tip(
        call("which_view", "right", CUP, MAN), ViewEvidence(visible.table, (scene.axes,))
    )
    assert (image.answer, image.distance) == (None, pytest.approx(45))
    assert "in no image" in image.reason
