"""Measures of a scene's geometry, against their definitions."""

import math
from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene
from hypothesis import given
from hypothesis import strategies as st
from study_room import study

from po3d.reasoning.rules import ROOM_RULES, Rules
from po3d.reasoning.world import SceneGeometry
from po3d.scene.orbit import viewer_axes
from po3d.scene.vocabulary import FACINGS

seeds = st.integers(0, 10**6)


def street(seed: int) -> SceneGeometry:
    return SceneGeometry.of(random_scene(np.random.default_rng(seed), 5), Rules())


@given(seeds, st.floats(-3, 3))
def test_what_is_beyond_a_line_is_so_far_along_its_side(seed, turn):
    world = street(seed)
    axes = viewer_axes((math.cos(turn), math.sin(turn)))
    for side, way in axes.items():
        for i in range(len(world.things)):
            along = [np.dot(world.vector(i, j), way) for j in range(len(world.things))]
            want = [length - world.rules.margin_6d for length in along]
            assert world.beyond(side, i, axes) == pytest.approx(want)


@given(seeds)
def test_a_heading_that_is_probably_flipped_is_turned_and_no_other(seed):
    scene = random_scene(np.random.default_rng(seed), 3)
    flips = (0.2, 0.5, 0.8)
    objects = tuple(replace(o, flip=p) for o, p in zip(scene.objects, flips))
    world = SceneGeometry.of(replace(scene, objects=objects), Rules())
    turns = [world.heading(i) - o.heading for i, o in enumerate(scene.objects)]
    assert turns == pytest.approx([0.0, 0.0, math.pi])


def test_every_facing_and_none_of_them_occur():
    found = [label for seed in range(40) for label in street(seed).facings]
    assert set(found) == {None, *FACINGS}


def test_objects_of_one_time_are_those_that_probably_exist():
    scene = study()
    objects = tuple(
        replace(o, existence=p) for o, p in zip(scene.objects, (1.0, 0.49, 0.5, 1.0, 0.1))
    )
    world = SceneGeometry.of(replace(scene, objects=objects), ROOM_RULES)
    there = [k for k, o in enumerate(objects) if o.existence >= 0.5]
    assert world.times(False) == there
    assert world.times(True) == [len(objects) + k for k in there]
