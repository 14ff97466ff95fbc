"""What people say and benchmarks do not: who stands where, other words for looks, corners, yes or
no.
"""

from dataclasses import replace

import pytest

from po3d.language.program import Call
from po3d.language.read.reader import ParserOutput as Read
from po3d.reasoning.questions import Question
from po3d.scene.frames import axes_from_front
from po3d.scene.geometry import Camera, look_at
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene, sure
from po3d.systems import orbit, photographs, rooms, street
from po3d.systems.general_parser import joined, resolve_the_one
from po3d.systems.parse_execution import run

THINGS = {  # name: looks, place, heading in quarter turns from +x
    "door": ({"color": "green"}, (2.0, 0.1), 1),
    "bed": ({"material": "wood"}, (0.8, 3.0), 1),
    "lamp": ({"state": "lit"}, (3.6, 3.0), 0),
    "fan": ({"state": "off"}, (2.0, 2.0), 0),
}


def table(**more: dict) -> Scene:
    things = [
        ObjectState(sure(name=name, **looks), (x, y, 0.5), turns * 1.5707963, (0.5, 0.6, 1.0))
        for name, (looks, (x, y), turns) in (THINGS | more).items()
    ]
    walls = ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0))
    return Scene(tuple(things), axes_from_front((0.0, 1.0)), "gt", image="room", outline=walls)


def the(name: str) -> str:
    return f'unique(filter(name, "{name}", scene))'


def answer(executor, scene: Scene, question: str, options=(), text="", **reply: str) -> str | None:
    read = {sort: [Read(Call.parse(p), 1.0)] for sort, p in {"question": question, **reply}.items()}
    query = Question(
        "q", "", text, "2d", "", options=tuple(options), images=("view",), views=(0.0,)
    )
    (reading,) = joined(executor, query, read)
    outcome = run(executor.bind_ground_truth(scene), query, reading).outcome
    return outcome.answer and reading.format_answer(outcome.answer, query)


ROOM = replace(rooms.DOMAIN, samples=0)
SIDE = f"direction(viewer, {the('bed')}, frame(room), left_or_right)"


@pytest.mark.parametrize(
    ("frame", "side"),
    [
        (f"frame({the('door')})", "left"),  # with the door at one's back, looking in
        (f"frame({the('lamp')}, {the('door')})", "right"),  # from the lamp towards the door
        (f"frame(front, {the('lamp')})", "left"),
        (f"frame(behind_right, {the('bed')})", "right"),
        (f"frame({the('bed')}, {the('fan')})", None),  # from the bed itself: no side
    ],
)
def test_left_and_right_of_who_stands_in_a_room(frame, side):
    assert answer(ROOM, table(), SIDE, frame=frame) == side


def test_nobody_says_where_he_stands_so_he_stands_in_the_middle_and_looks_to_the_front():
    assert answer(ROOM, table(), SIDE) == "left"
    assert (
        answer(
            ROOM,
            table(),
            f"query(name, best(distance, least, viewer, exclude({the('fan')}, scene)))",
        )
        == "bed"
    )
    assert (
        answer(
            ROOM, table(), 'exist(relate(behind, viewer, frame(room), filter(name, "door", scene)))'
        )
        == "yes"
    )
    on_my_left = "query(name, unique(relate(left, viewer, frame(room), group({}, {}))))"
    assert answer(ROOM, table(), on_my_left.format(the("bed"), the("lamp"))) == "bed"


def test_what_somebody_sits_on_is_not_what_is_nearest_to_him():
    nearest = f"query(name, best(distance, least, viewer, exclude({the('door')}, scene)))"
    assert answer(ROOM, table(), nearest, frame=f"frame({the('bed')}, {the('door')})") == "fan"
    assert answer(ROOM, table(), nearest, frame=f"frame({the('fan')}, {the('door')})") == "bed"


@pytest.mark.parametrize("relation", ["between", "blocking"])
def test_nothing_is_between_a_thing_and_itself(relation):
    query = f"exist(relate({relation}, {the('door')}, {{}}, scene))"
    assert answer(ROOM, table(), query.format(the("bed"))) in ("yes", "no")
    assert answer(ROOM, table(), query.format(the("door"))) is None


def test_a_look_is_known_by_the_tables_word_and_by_others():
    lit = 'count(filter(state, "{}", scene))'
    assert (
        answer(ROOM, table(), lit.format("lit")) == answer(ROOM, table(), lit.format("on")) == "1"
    )
    assert answer(ROOM, table(), 'query(name, unique(filter(material, "wooden", scene)))') == "bed"
    both = f'set(state, "lit", group({the("fan")}))'
    assert answer(ROOM, table(), lit.format("lit"), change=both) == "2"
    # Where the table tells "on" from "lit", so does the question.
    radio = table(radio=({"state": "on"}, (1.0, 1.0), 0))
    assert answer(ROOM, radio, lit.format("lit")) == "1"
    assert answer(ROOM, table(), f'exist(filter(color, "red", group({the("bed")})))') is None


@pytest.mark.parametrize(
    ("place", "question", "wanted"),
    [
        ("place(corner)", "query(side, {})", "front left"),  # the nearest one
        ("place(wall)", 'exist(filter(side, "left", group({})))', "yes"),
        (f"place(above, {the('fan')})", f"holds(above, {{}}, {the('fan')})", "yes"),
        ("place(centre)", 'exist(filter(side, "middle", group({})))', "yes"),
    ],
)
def test_places_that_are_reported_without_a_direction(place, question, wanted):
    change = f"move(group({the('bed')}), {place})"
    assert answer(ROOM, table(), question.format(the("bed")), change=change) == wanted


def test_of_two_sides_that_are_offered_one_is_reported():
    side = f"query(side, {the('bed')})"
    assert answer(ROOM, table(), side) == "front left"
    assert answer(ROOM, table(), side, text="Is it on the left or on the right?") == "left"
    assert answer(ROOM, table(), side, ("the back half", "the front half")) == "the front half"
    assert answer(ROOM, table(), side, ("left", "front")) == "front left"


def photograph() -> Scene:
    camera = Camera(640, 480, 560.0, look_at((2.0, -4.0, 1.5), (2.0, 0.0, 1.0)))
    return replace(table(), camera=camera, axes=viewer_axes((0.0, 1.0)), outline=None)


def test_photographs_are_requested_yes_or_no_and_in_the_benchmarks_words():
    same = f"holds(same_direction, {the('door')}, {the('bed')})"
    benchmark = ("same or similar directions", "very different directions")
    asks = lambda *options: answer(photographs.DOMAIN, photograph(), same, options)  # noqa: E731
    assert (asks(), asks("yes", "no"), asks(*benchmark)) == ("yes", "yes", benchmark[0])
    nearest = f"query(name, best(distance, least, {the('door')}, choices))"
    reply = answer(photographs.DOMAIN, photograph(), nearest, ("the piano", "the fan", "the bed"))
    assert reply == "the fan"  # a choice that is not there is none
    away = f"query(name, best(bearing, least, {the('door')}, exclude({the('door')}, scene)))"
    assert answer(photographs.DOMAIN, photograph(), away) == "fan"


def test_orbits_take_options_as_people_write_them():
    where = f"direction({the('fan')}, {the('bed')}, frame(camera), eight)"
    scene = photograph()
    assert answer(orbit.DOMAIN, scene, where, ("Back-left", "front right", "back")) == "Back-left"
    assert answer(orbit.DOMAIN, scene, where, ("front-right", "right")) is not None


def test_what_is_run_into_is_the_first_of_all():
    program = Call.parse(
        'query(shape, unique(relate(collides_forward, unique(filter(color, "red", scene)), scene)))'
    )
    assert "best(distance, least" in str(resolve_the_one(program))
    assert str(resolve_the_one(resolve_the_one(program))) == str(resolve_the_one(program))
    assert (
        street.DOMAIN.adapted(resolve_the_one(program), Question("q", "", "", "2d", ""))
        .program.args[1]
        .op
        == "best"
    )
