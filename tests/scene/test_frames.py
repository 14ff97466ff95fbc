"""Reference frames: the clauses of a text, and the front that anchors define."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from study_room import study, thing

from po3d.io.errors import InputError
from po3d.scene import frames
from po3d.scene.frames import (
    SIDE_TURNS,
    anchor_positions,
    axes_from_front,
    frame,
    frame_from_text,
    frame_text_anchors,
    in_frame,
    read_anchors,
    room_centre,
    wall_azimuth,
)
from po3d.scene.table import Scene

ANGLES = st.floats(-7, 7)
OUTLINE = ((-3, -3), (3, -3), (3, 3), (-3, 3))


def scene(*things, outline=OUTLINE) -> Scene:
    return Scene(things, axes_from_front((0, 1)), "gt", outline=outline)


def polar(name: str, degrees: float, distance: float = 2.0):
    angle = math.radians(degrees)
    return thing(name, distance * math.cos(angle), distance * math.sin(angle))


def front_of(room: Scene) -> float:
    """Return the azimuth of the front in degrees, 0 to 360."""
    x, y = room.axes["front"]
    return round(math.degrees(math.atan2(y, x)), 6) % 360


@given(ANGLES, st.floats(0.1, 9))
def test_axes_are_unit_and_turn_counter_clockwise_from_the_front_to_the_left(angle, length):
    axes = axes_from_front((length * math.cos(angle), length * math.sin(angle)))
    for turns, side in enumerate(("front", "left", "behind", "right")):
        at = angle + turns * math.pi / 2
        assert axes[side] == pytest.approx((math.cos(at), math.sin(at)), abs=1e-9)


@given(ANGLES, st.tuples(ANGLES, ANGLES))
def test_components_are_the_projections_on_right_and_front(angle, vector):
    axes = axes_from_front((math.cos(angle), math.sin(angle)))
    right, ahead = in_frame(np.array(vector), axes)
    assert right == pytest.approx(np.dot(vector, axes["right"]))
    assert ahead == pytest.approx(np.dot(vector, axes["front"]))
    back = right * np.array(axes["right"]) + ahead * np.array(axes["front"])
    assert back == pytest.approx(vector, abs=1e-9)
    assert in_frame(np.zeros((3, 2)), axes).shape == (3, 2)


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("The desk is at the left of the scene.", [("desk", "left")]),
        ("THE BED IS ON THE WEST, and the door is north", [("bed", "left"), ("door", "front")]),
        ("the bed stands right and the door sits in the back",
         [("bed", "right"), ("door", "back")]),
        ("At the front of the room is the door", [("door", "front")]),
        ("Left of the room is the bed at the front", [("bed at the front", "left")]),
        ("Assume that the old chair was at the bottom; a lamp hangs east!",
         [("old chair", "back"), ("lamp", "right")]),
        ("the desk is left of the rear", [("desk", "back")]),  # the last side counts
        ("the desk lies top\nits lamp lies south", [("desk", "front"), ("lamp", "back")]),
        ("bread and butter are to the left,", [("bread and butter", "left")]),
    ],
)  # fmt: skip
def test_each_clause_names_an_anchor_and_a_side(text, anchors):
    assert read_anchors(text) == anchors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the frame text is empty"),
        (" . ;", "the frame text is empty"),
        ("the desk is nice", "'the desk is nice' names nothing"),
        ("the desk left", "names nothing"),
        ("the desk is left. the bed", "'the bed' names nothing"),
        ("the desk is leftover", "names nothing"),
        ("x" * 100_000, "frame"),
    ],
)
def test_a_clause_without_an_anchor_or_a_side_is_named(text, message):
    with pytest.raises(InputError, match=message):
        read_anchors(text)


@given(st.lists(st.tuples(st.sampled_from(["desk", "red chair"]), st.sampled_from([*SIDE_TURNS]))))
def test_the_benchmarks_wording_is_read_back(anchors):
    if anchors:
        assert read_anchors(frame_text_anchors(anchors)) == anchors


@pytest.mark.parametrize(
    ("side", "front"), [("front", 0), ("right", 90), ("back", 180), ("left", 270)]
)
@given(offset=st.floats(-44, 44))
def test_the_front_is_the_wall_that_puts_the_anchor_on_its_side(side, front, offset):
    assert front_of(frame(scene(polar("desk", offset)), [("desk", side)])) == front


def test_the_farthest_of_several_anchors_counts():
    room = scene(polar("chair", 180, 1), polar("chair", 90, 2.5), polar("chair", 0, 2))
    assert front_of(frame(room, [("chair", "front")])) == 90


def test_directions_are_from_the_centre_of_the_outline():
    shifted = tuple((x + 10, y - 20) for x, y in OUTLINE)
    room = scene(thing("desk", 10, -18), thing("bed", 10, -20.0005), outline=shifted)
    assert room_centre(room) == (10, -20)
    assert front_of(frame(room, [("desk", "front")])) == 90
    with pytest.raises(InputError, match="'bed' is at the centre"):
        frame(room, [("bed", "front")])
    near = scene(thing("bed", 10.0015, -20), outline=shifted)
    assert front_of(frame(near, [("bed", "front")])) == 0


def test_the_centre_is_that_of_the_bounding_box():
    corner = ((0, 0), (8, 0), (8, 2), (2, 2), (2, 6), (0, 6))
    assert room_centre(scene(thing("desk", 1, 1), outline=corner)) == (4, 3)
    places = (thing("desk", 1, 1), thing("bed", 5, 2), thing("sofa", 2, 9))
    assert room_centre(scene(*places, outline=None)) == (3, 5)
    with pytest.raises(InputError, match="no centre"):
        room_centre(scene(outline=None))


@pytest.mark.parametrize(("apart", "fine"), [(0, True), (134, True), (136, False), (180, False)])
@pytest.mark.parametrize("turn", [0, 170, 300])
def test_anchors_contradict_each_other_beyond_135_degrees(apart, fine, turn):
    room = scene(polar("bed", turn), polar("lamp", turn), polar("desk", turn + apart))
    anchors = [("bed", "front"), ("lamp", "front"), ("desk", "front")]
    if fine:
        frame(room, anchors)
        return
    with pytest.raises(InputError, match="'bed' at the front and 'desk' at the front exclude"):
        frame(room, anchors)


def test_all_anchors_are_weighed():
    room = scene(polar("bed", 40), polar("desk", 80), polar("lamp", 85))
    assert front_of(frame(room, [("bed", "front")])) == 0
    assert front_of(frame(room, [(name, "front") for name in ("bed", "desk", "lamp")])) == 90
    with pytest.raises(InputError, match="at least one anchor"):
        frame(room, [])


@given(st.floats(1, 89))
def test_walls_are_those_of_the_longest_edge(degrees):
    turn = math.radians(degrees)
    matrix = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    corners = [(-4, -2), (4, -2), (4, 2), (-4, 2)]
    outline = tuple(map(tuple, (np.array(corners) @ matrix.T).tolist()))
    room = scene(polar("desk", degrees + 20), outline=outline)
    assert wall_azimuth(room) == pytest.approx(turn)
    assert front_of(frame(room, [("desk", "front")])) == pytest.approx(degrees)
    assert wall_azimuth(replace(room, outline=None)) == 0
    house = ((0, 0), (4, 0), (6, 6), (0, 4))  # the longest edge is not the first one
    assert wall_azimuth(scene(outline=house)) == pytest.approx(math.atan2(6, 2))


def test_an_anchor_is_named_by_its_noun_an_adjective_or_its_kind():
    room = study()
    assert anchor_positions(room, "chair").tolist() == [[1.2, 0.0], [-2.0, 2.2]]
    assert anchor_positions(room, "office chair").tolist() == [[1.2, 0.0]]
    assert anchor_positions(room, "big wooden desk").tolist() == [[2.0, 0.0]]
    with pytest.raises(InputError, match=r"'sofa' is not in the room; objects: bed, box, chair"):
        anchor_positions(room, "big sofa")


def test_a_text_gives_the_frame_of_its_anchors():
    room = study()
    text = "The desk is at the front of the scene."
    assert frame_from_text(room, text).axes == frame(room, [("desk", "front")]).axes
    assert front_of(frame_from_text(room, text)) == 0
    assert frame_from_text(room, text).objects == room.objects
    assert math.degrees(frames.CONTRADICTION) == pytest.approx(135)
