"""Measures of a scene's geometry, against their definitions."""

import math
from dataclasses import replace

import numpy as np
import pytest
from generators import random_scene
from hypothesis import given
from hypothesis import strategies as st
from study_room import study

from po3d.language.program import DIRECTIONS
from po3d.reasoning.outcome import ExecutionFailure
from po3d.reasoning.rules import ROOM_RULES, Rules
from po3d.reasoning.world import VIEWER, SceneGeometry
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
    result = [label for seed in range(40) for label in street(seed).facings]
    assert set(result) == {None, *FACINGS}


def test_objects_of_one_time_are_those_that_probably_exist():
    scene = study()
    objects = tuple(
        replace(o, existence=p) for o, p in zip(scene.objects, (1.0, 0.49, 0.5, 1.0, 0.1))
    )
    world = SceneGeometry.of(replace(scene, objects=objects), ROOM_RULES)
    there = [k for k, o in enumerate(objects) if o.existence >= 0.5]
    assert world.times(False) == there
    assert world.times(True) == [len(objects) + k for k in there]


@given(seeds, st.sampled_from(["ground", "space"]))
def test_distances_of_centres_and_of_the_viewer(seed, distance):
    scene = random_scene(np.random.default_rng(seed), 4)
    world = SceneGeometry.of(scene, replace(ROOM_RULES, distance=distance), (0.3, -1.2))
    places = scene.positions
    for i, place in enumerate(places):
        want = np.linalg.norm((places - place)[:, : 2 + (distance == "space")], axis=1)
        assert [world.distance(i, j) for j in range(4)] == pytest.approx(want)
        assert world.distance(VIEWER, i) == pytest.approx(math.dist(place[:2], (0.3, -1.2)))
        assert world.volume(i) == pytest.approx(math.prod(scene.objects[i].extent))


@given(seeds)
def test_others_and_those_beside_an_object(seed):
    scene = random_scene(np.random.default_rng(seed), 4)
    for k, o in enumerate(scene.objects):
        world = SceneGeometry.of(scene, ROOM_RULES, o.position[:2])
        want = [i for i in range(4) if i != k]
        assert want == world.others(VIEWER, range(4)) == world.others(k, range(4))
        assert want == world.beside(VIEWER, want)
        assert world.beside(k, range(4)) == [i for i in want if not world.stacked(k, i)]


@given(*[st.floats(0.3, 4)] * 2, *[st.floats(-1, 1)] * 4)
def test_offsets_are_1_at_the_walls(across, along, x, y, right, front):
    box = replace(study().objects[0], position=(x + across * right, y + along * front, 0.5))
    walls = tuple((x + i * across / 3, y + j * along / 3) for i, j in study().outline)
    world = SceneGeometry.of(replace(study(), objects=(box,), outline=walls), ROOM_RULES)
    assert world.off_centre(0) == pytest.approx((right, front), abs=1e-6)
    assert world.half == pytest.approx((across, along))


@given(seeds)
def test_a_hider_exists_and_is_probable(seed):
    scene = random_scene(np.random.default_rng(seed), 4, certain=False)
    world = SceneGeometry.of(scene, Rules())
    for i, belief in enumerate(scene.occluders):
        likely = (j for j, p in belief.items() if p > 0.5 <= scene.objects[j].existence)
        assert world.hider(i) == next(likely, None)
    for i in range(4, 8):
        with pytest.raises(ExecutionFailure, match="has no occlusion"):
            world.hider(i)


@given(seeds, st.floats(-3, 3), st.sampled_from(DIRECTIONS))
def test_a_cone_is_about_its_direction(seed, turn, direction):
    world = street(seed)
    axes = viewer_axes((math.cos(turn), math.sin(turn)))
    way = np.sum([axes[word] for word in direction.split("_")], 0)
    way /= np.linalg.norm(way)
    cone = math.radians(22.5 if "_" in direction else 45)
    for start in range(5):
        there = world.beside(start, range(5))
        steps = [np.array(world.vector(start, i)) / world.distance(start, i) for i in there]
        want = [i for i, step in zip(there, steps) if step @ way >= math.cos(cone)]
        assert world.within(direction, start, axes, range(5)) == want


def test_rules_and_indices_are_compared_by_value():
    rules = replace(ROOM_RULES, viewer="".join(["sta", "nds"]))
    world = SceneGeometry.of(study(), rules, study().objects[0].position[:2])
    assert world.describe(VIEWER) == "who asks"
    assert world.others(np.int64(VIEWER), range(3)) == [1, 2]


def test_directions_from_a_nanometre_on():
    objects = tuple(replace(study().objects[0], position=(x, 0, 0)) for x in (0, 1e-9))
    world = SceneGeometry.of(replace(study(), objects=objects), ROOM_RULES)
    assert world.turn(0, 1, world.axes) == pytest.approx(-math.pi / 2)
