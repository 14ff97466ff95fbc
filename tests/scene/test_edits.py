"""Edits as values: inverses, what rests on moved and removed things, and frames that commute with
edits.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from po3d.io.errors import InputError
from po3d.scene.camera import Camera
from po3d.scene.edits import Add, Move, Remove, SetAttribute, apply, carried_by, support, trace
from po3d.scene.frames import (
    axes_from_front,
    frame,
    frame_from_text,
    frame_text_anchors,
    read_anchors,
    with_front,
)
from po3d.scene.geometry import Pose
from po3d.scene.table import ObjectState, Scene, from_json, sure, to_json
from po3d.synthesis.top_view.layouts import sample_room

ROOMS = [sample_room(7, k) for k in range(6)]
rooms = st.sampled_from(ROOMS)


def same(a: Scene, b: Scene) -> None:
    assert len(a) == len(b)
    np.testing.assert_allclose(a.positions, b.positions, atol=1e-9)
    np.testing.assert_allclose(np.cos(a.headings - b.headings), 1.0, atol=1e-9)
    assert [o.beliefs for o in a.objects] == [o.beliefs for o in b.objects]


@settings(max_examples=40, deadline=None)
@given(rooms, st.data())
def test_moving_there_and_back_is_the_identity(scene, data):
    k = data.draw(st.integers(0, len(scene) - 1))
    old = scene.objects[k]
    x, y, turn = (data.draw(st.floats(-3, 3)) for _ in range(3))
    there = apply(
        scene, [Move(k, (x, y, old.position[2] + 40.0), turn)]
    )  # high above: it picks nothing up on the way
    same(apply(there, [Move(k, old.position, old.heading)]), scene)


@settings(max_examples=40, deadline=None)
@given(rooms, st.data())
def test_a_full_turn_is_the_identity(scene, data):
    k = data.draw(st.integers(0, len(scene) - 1))
    quarter = scene
    for _ in range(4):
        o = quarter.objects[k]
        quarter = apply(quarter, [Move(k, o.position, o.heading + math.pi / 2)])
    same(quarter, scene)


@settings(max_examples=40, deadline=None)
@given(rooms)
def test_removing_what_was_added_is_the_identity(scene):
    new = ObjectState(sure(name="stool"), (50.0, 50.0, 0.2), 0.0, (0.4, 0.4, 0.4))
    added = apply(scene, [Add(new)])
    assert added.objects[-1] == new
    same(apply(added, [Remove(len(scene))]), scene)


@settings(max_examples=40, deadline=None)
@given(rooms, st.data())
def test_what_rests_on_a_moved_thing_comes_along(scene, data):
    below = support(scene.objects)
    bases = sorted({b for b in below if b is not None})
    if not bases:
        return
    k = data.draw(st.sampled_from(bases))
    moved = trace(scene, [Move(k, (9.0, 9.0, scene.objects[k].position[2]), 0.3)])
    for rider in carried_by(below, k):
        before = np.subtract(scene.objects[rider].position, scene.objects[k].position)
        after = np.subtract(moved.scene.objects[rider].position, moved.scene.objects[k].position)
        assert np.linalg.norm(before) == pytest.approx(np.linalg.norm(after))
    assert support(moved.scene.objects) == below
    assert moved.touched == {k}


def table_with_lamp() -> Scene:
    table = ObjectState(sure(name="table"), (0.0, 0.0, 0.4), 0.0, (1.0, 1.0, 0.8))
    lamp = ObjectState(sure(name="lamp", color="red"), (0.1, 0.2, 1.0), 0.0, (0.2, 0.2, 0.4))
    return Scene(
        (table, lamp), axes_from_front((0, 1)), "gt", outline=((-3, -3), (3, -3), (3, 3), (-3, 3))
    )


def test_a_thing_falls_to_the_floor_when_its_table_is_removed():
    scene = apply(table_with_lamp(), [Remove(0)])
    assert [o.value("name") for o in scene.objects] == ["lamp"]
    assert scene.objects[0].position == pytest.approx((0.1, 0.2, 0.2))


@pytest.mark.parametrize("height", [0.3, 1.5])
def test_a_thing_stays_on_what_replaces_its_table(height):
    new = ObjectState(sure(name="box"), (0.0, 0.0, height / 2), 0.0, (1.0, 1.0, height))
    edited = trace(table_with_lamp(), [Add(new, instead=0)])
    assert edited.origin == (1, None)
    assert edited.touched == {1}
    assert edited.touched_before == {0}
    assert edited.scene.objects[0].position[2] == pytest.approx(height + 0.2)


@settings(max_examples=40, deadline=None)
@given(rooms, st.data())
def test_moves_one_by_one_end_where_they_do_at_once(scene, data):
    below, carriers = support(scene.objects), [k for k in support(scene.objects) if k is not None]
    chosen = data.draw(
        st.lists(st.sampled_from([*range(len(scene)), *carriers]), min_size=2, max_size=4)
    )
    moves = [
        Move(
            k,
            (
                data.draw(st.floats(-1, 1)),
                data.draw(st.floats(-1, 1)),
                scene.objects[k].position[2],
            ),
            0.3,
        )
        for k in chosen
    ]
    one_by_one = scene
    for move in moves:
        one_by_one = trace(one_by_one, [move], support(one_by_one.objects)).scene
    at_once = trace(scene, moves, below, frozenset({0}))
    assert at_once.scene == one_by_one
    assert (at_once.touched, at_once.mentioned) == (frozenset(chosen), {0})


def test_what_a_change_names_is_retained_when_it_changes_nothing():
    edited = trace(ROOMS[0], [], mentioned=frozenset({1}))
    assert (edited.scene, edited.mentioned, edited.touched) == (ROOMS[0], {1}, frozenset())


def test_attributes_change_and_nothing_else():
    scene = table_with_lamp()
    painted = apply(scene, [SetAttribute(1, "color", "blue")])
    assert painted.objects[1].value("color") == "blue"
    assert painted.objects[0] == scene.objects[0]
    assert painted.source == "edited"


@pytest.mark.parametrize(
    "edit",
    [
        Remove(1),
        SetAttribute(1, "color", "blue"),
        Move(0, (1.0, 0.0, 0.4)),
        Add(table_with_lamp().objects[1]),
        Add(table_with_lamp().objects[1], instead=0),
    ],
    ids=lambda edit: type(edit).__name__,
)
def test_who_hides_whom_and_the_camera_are_the_pictures_and_no_edit_keeps_them(edit):
    camera = Camera(640, 480, 700.0, (320.0, 240.0), Pose(np.eye(3), np.zeros(3)))
    visible = replace(table_with_lamp(), occluders=({1: 1.0}, {}), camera=camera)
    changed = apply(visible, [edit])
    assert changed.occluders is None
    assert changed.camera is None
    assert (apply(visible, []).occluders, apply(visible, []).camera) == (visible.occluders, camera)


# Metres between a lamp's underside and a table's top, and from its middle to the table's edge:
# rests it there?
@pytest.mark.parametrize("side", [0, 1])  # beside an end of the table, or a long side
@pytest.mark.parametrize(
    ("gap", "beside", "rests"),
    [
        (0.0, 0.0, True),
        (0.079, 0.0, True),
        (0.081, 0.0, False),
        (0.16, 0.0, False),
        (-0.014, 0.0, True),
        (-0.016, 0.0, False),
        (0.0, 0.029, True),
        (0.0, 0.031, False),
    ],
)
def test_what_rests_on_what(gap, beside, rests, side):
    table, lamp = table_with_lamp().objects
    table = replace(table, extent=(1.0, 0.6, 0.8))
    at = [0.1, 0.2]
    at[side] = table.extent[side] / 2 + beside
    lamp = replace(lamp, position=(*at, 1.0 + gap))
    scene = replace(table_with_lamp(), objects=(table, lamp))
    assert support(scene.objects) == [None, 0 if rests else None]
    for below in (None, support(scene.objects)):  # worked out by `trace`, or known already
        moved = trace(scene, [Move(0, (1.0, 0.0, 0.4))], below).scene.objects[1]
        assert moved.position == pytest.approx((at[0] + rests, at[1], 1.0 + gap))
    fallen = apply(scene, [Remove(0)]).objects[0]
    assert fallen.position[2] == pytest.approx(0.2 if rests else 1.0 + gap)


@pytest.mark.parametrize(
    ("away", "height", "lands"),
    [(0.2, 0.3, 0.3), (0.27, 0.3, 0.3), (0.3, 0.3, 0.0), (0.2, 0.83, 0.0)],
)
def test_a_thing_falls_onto_what_stood_below_its_table(away, height, lands):
    """A box under the table, `away` from below the lamp along both axes: the lamp lands on it
    unless it is higher than the lamp was.
    """
    table, lamp = table_with_lamp().objects
    box = ObjectState(
        sure(name="box"), (0.1 + away, 0.2 + away, height / 2), 0.0, (0.5, 0.5, height)
    )
    scene = replace(table_with_lamp(), objects=(table, lamp, box))
    assert apply(scene, [Remove(0)]).objects[0].position == pytest.approx((0.1, 0.2, lands + 0.2))


def test_a_thing_rests_on_the_highest_of_what_is_below_it():
    table, lamp = table_with_lamp().objects
    tray = replace(
        table, position=(0.0, 0.0, 0.825), extent=(0.5, 0.5, 0.05), beliefs=sure(name="tray")
    )
    for order in ((table, tray, lamp), (tray, table, lamp)):
        result = support(
            [
                replace(state, position=(*state.position[:2], 1.05)) if state is lamp else state
                for state in order
            ]
        )
        assert order[result[2]] is tray


def test_an_edit_of_a_missing_object_is_refused():
    with pytest.raises(IndexError, match="object 7"):
        apply(table_with_lamp(), [Remove(7)])


# --- frames ---------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(rooms, st.data(), st.floats(-math.pi, math.pi))
def test_a_frame_commutes_with_edits(scene, data, azimuth):
    front = (math.cos(azimuth), math.sin(azimuth))
    k = data.draw(st.integers(0, len(scene) - 1))
    edit = data.draw(
        st.sampled_from([Remove(k), SetAttribute(k, "color", "red"), Move(k, (1.0, 1.0, 0.5), 1.0)])
    )
    assert with_front(apply(scene, [edit]), front) == apply(with_front(scene, front), [edit])


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("The desk is located to the left of the scene.", [("desk", "left")]),
        ("The tv stand was located at the back of the scene.", [("tv stand", "back")]),
        (
            "The door is at the front of the room. The window is on its right side.",
            [("door", "front"), ("window", "right")],
        ),
        ("At the front of the room is the door", [("door", "front")]),
        (
            "The bed stands in the north, and the sofa is in the east.",
            [("bed", "front"), ("sofa", "right")],
        ),
    ],
)
def test_frame_sentences(text, anchors):
    assert read_anchors(text) == anchors


@pytest.mark.parametrize("text", ["", "The desk is brown.", "left"])
def test_a_text_that_defines_no_frame_is_refused(text):
    with pytest.raises(InputError, match="frame text"):
        read_anchors(text)


def four_walls() -> Scene:
    def at(name: str, x: float, y: float) -> ObjectState:
        return ObjectState(sure(name=name), (x, y, 0.5), 0.0, (0.4, 0.4, 1.0))

    objects = (
        at("door", 0, 2.5),
        at("bed", -2.5, 0.3),
        at("desk", 2.4, 0),
        at("sofa", 0.2, -2.4),
        at("desk", -0.3, 0.1),
    )
    return Scene(
        objects, axes_from_front((0, 1)), "gt", outline=((-3, -3), (3, -3), (3, 3), (-3, 3))
    )


@pytest.mark.parametrize(
    ("anchors", "front"),
    [
        ([("door", "front")], (0, 1)),
        ([("bed", "front")], (-1, 0)),
        ([("bed", "left")], (0, 1)),
        ([("desk", "back")], (-1, 0)),  # the desk farthest from the centre
        ([("door", "left"), ("sofa", "right")], (1, 0)),
    ],
)
def test_anchors_turn_the_room(anchors, front):
    scene = frame_from_text(four_walls(), frame_text_anchors(anchors))
    np.testing.assert_allclose(scene.axes["front"], front, atol=1e-9)
    np.testing.assert_allclose(scene.axes["left"], (-front[1], front[0]), atol=1e-9)


def test_contradicting_anchors_are_both_named():
    with pytest.raises(InputError, match="'door' at the front and 'sofa' at the front"):
        frame(four_walls(), [("door", "front"), ("sofa", "front")])


@pytest.mark.parametrize(
    ("degrees", "fits"),
    [(91, True), (134, True), (136, False), (180, False), (-134, True), (-136, False)],
)
def test_two_anchors_contradict_each_other_beyond_a_right_angle_and_a_half(degrees, fits):
    """Both are said to be at the front, seen from the centre so many degrees apart."""
    at = lambda angle: (2 * math.cos(angle), 2 * math.sin(angle), 0.5)  # noqa: E731
    door, lamp = (
        ObjectState(sure(name=n), at(a), 0.0, (0.4, 0.4, 1.0))
        for n, a in (("door", 0.3), ("lamp", 0.3 + math.radians(degrees)))
    )
    scene = replace(four_walls(), objects=(door, lamp))
    anchors = [("door", "front"), ("lamp", "front")]
    if fits:
        assert frame(scene, anchors).axes
        return
    with pytest.raises(
        InputError, match="is contradictory: 'door' at the front and 'lamp' at the front"
    ):
        frame(scene, anchors)


def test_a_missing_anchor_is_named():
    with pytest.raises(
        InputError, match="'piano' is not in the room; objects: bed, desk, door, sofa"
    ):
        frame(four_walls(), [("piano", "front")])


def test_a_room_survives_json():
    assert from_json(to_json(ROOMS[0])) == ROOMS[0]
