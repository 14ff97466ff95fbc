"""One kind of failure means the same in every world."""

from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene
from study_room import study

from po3d.language.programs import rooms, scope, street
from po3d.language.programs.threedsrbench import THREEDSRBENCH, ask
from po3d.reasoning import execute as executor
from po3d.reasoning import grounded, views
from po3d.reasoning.execute import execute
from po3d.reasoning.outcome import ExecutionFailure, failed
from po3d.reasoning.views import ViewEvidence
from po3d.reasoning.world import SceneGeometry
from po3d.scene.edits import unchanged

ROOM = study()
SCENES = {count: random_scene(np.random.default_rng(3), count=count) for count in (0, 2)}
UNSEEN = random_scene(np.random.default_rng(3), count=1, occlusion=False)


def on_street(text, scene):
    return [
        execute(street.parse_text(text), scene, mode=mode)
        for mode in ("argmax", "marginal", "samples")
    ]


def in_room(text):
    return [executor.run(rooms.ROOMS.parse(text), SceneGeometry(unchanged(ROOM), ROOM))]


def in_orbit(text):
    return [views.run(scope.parse_text(text), ViewEvidence(replace(ROOM, image="x"), ()))]


def described(program):
    return grounded.answered(THREEDSRBENCH.to_core(program), ROOM)


@pytest.mark.parametrize(
    ("outcomes", "kind"),
    [
        (on_street("query[color](unique(scene))", SCENES[0]), "not found"),
        (on_street("query[color](unique(scene))", SCENES[2]), "ambiguous"),
        (on_street("count(occluder(unique(scene)))", UNSEEN), "unknown"),
        (in_room('query(color, only(all("piano")))'), "not found"),
        (in_room('query(color, only(all("chair")))'), "ambiguous"),
        (in_room('query(state, only(all("bed")))'), "unknown"),
        (in_orbit('where(thing("whale"), thing("bed"), own(thing("bed")))'), "not found"),
        (in_orbit('where(thing("bed"), thing("bed"), own(thing("bed")))'), "unknown"),
        ([described(ask("higher", "#0", "#9"))], "not found"),
        ([described(ask("higher", "#0", "#0 bed"))], "ambiguous"),
        ([described(ask("nearer_camera", "#0", "#1"))], "unknown"),
    ],
)
def test_a_failure_has_a_kind_and_a_reason(outcomes, kind):
    for outcome in outcomes:
        assert (outcome.status, outcome.answer, outcome.kind) == ("failed", None, kind)
        assert outcome.reason
        assert all(isinstance(step, str) for step in outcome.steps)


def test_an_answer_has_no_kind_of_failure():
    for outcome in (*on_street("count(scene)", SCENES[2]), *in_room('count(all("chair"))')):
        assert (outcome.answer, outcome.kind, outcome.reason) == ("2", None, "")


def test_a_failure_speaks_its_own_words():
    failure = ExecutionFailure("unknown", "nobody knows")
    assert str(failure) == failed(failure).reason == "nobody knows"
    assert failed(failure, "change: nobody knows").reason == "change: nobody knows"
