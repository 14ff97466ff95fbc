"""A look that a sentence names tells a thing apart where the reading left it out, and nothing else
is touched.
"""

import pytest

from po3d.language.program import Call
from po3d.language.read.referents import (
    completed,
    disambiguate,
    of_pair,
    with_kinds,
    without_redundant_looks,
)

ROOM = [
    {"name": "bucket", "color": "white", "material": "plastic", "state": "full"},
    {"name": "bucket", "color": "white", "material": "plastic", "state": "empty"},
    {"name": "lamp", "color": "red", "material": None, "state": "on"},
    {"name": "lamp", "color": "blue", "state": "off"},
    {"name": "door", "color": "red", "material": "wood", "state": "open"},
]
BUCKET, LAMP, DOOR = (f'unique(filter(name, "{n}", scene))' for n in ("bucket", "lamp", "door"))
FULL = 'unique(filter(state, "full", filter(name, "bucket", scene)))'
RED = 'unique(filter(color, "red", filter(name, "lamp", scene)))'


@pytest.mark.parametrize(
    ("text", "read", "meant"),
    [
        ("The full bucket was carried off.", f"remove(group({BUCKET}))", f"remove(group({FULL}))"),
        (
            "What's left of the red lamp?",
            f"query(name, unique(relate(left, {LAMP}, frame(room), scene)))",
            f"query(name, unique(relate(left, {RED}, frame(room), scene)))",
        ),
        (
            "Swap the full bucket and the RED lamp!",
            f"swap({BUCKET}, {LAMP})",
            f"swap({FULL}, {RED})",
        ),
        # The word is used already, by a thing that it tells apart.
        (
            "Is the lamp by the red door?",
            f'holds(next_to, {LAMP}, unique(filter(color, "red", filter(name, "door", scene))))',
            None,
        ),
        ("Put the lamp on the table.", f"query(color, {LAMP})", None),  # "on" is no look here
        ("The white bucket is gone.", f"remove(group({BUCKET}))", None),  # both are
        # there is one door
        ("The red door is shut.", f'set(state, "closed", group({DOOR}))', None),
        ("Is it full?", 'count(filter(name, "bucket", scene))', None),  # nothing single is meant
        ("Where is the full bucket?", f"query(side, {FULL})", None),
    ],
)
def test_what_a_sentence_says_of_a_thing_is_retained(text, read, meant):
    read = Call.parse(read)
    assert completed(read, text, ROOM) == (read if meant is None else Call.parse(meant))
    assert completed(completed(read, text, ROOM), text, ROOM) == completed(read, text, ROOM)


def test_a_table_of_single_things_changes_no_program():
    things = [ROOM[0], ROOM[2], ROOM[4]]
    for text in (f"remove(group({BUCKET}))", f"swap({LAMP}, {DOOR})"):
        assert completed(Call.parse(text), "full red open white on", things) == Call.parse(text)


@pytest.mark.parametrize(
    ("told", "look"),
    [
        (
            (
                'best(distance, least, unique(filter(name, "door", scene)), filter(name, "lamp",'
                " scene))"
            ),
            "color",
        ),
        (f'unique(relate(next_to, {DOOR}, filter(name, "lamp", scene)))', "color"),
        (
            'unique(filter(state, "full", filter(name, "bucket", scene)))',
            "state",
        ),  # both are white and of plastic
        ('best(volume, most, filter(name, "door", scene))', None),  # there is one
        (f"unique(relate(next_to, {DOOR}, scene))", None),  # asks for a name
        (f"best(distance, least, {DOOR}, group({BUCKET}, {LAMP}))", None),
    ],
)
def test_which_of_several_of_one_name_is_reported_by_a_look(told, look):
    query = Call.parse(f"query(name, {told})")
    intended = query if look is None else Call.parse(f"query({look}, {told})")
    assert disambiguate(query, ROOM) == intended
    assert disambiguate(intended, ROOM) == intended


def test_nothing_is_reported_by_a_look_that_two_have():
    query = Call.parse('query(name, best(volume, most, filter(name, "cup", scene)))')
    cups = [
        {"name": "tea cup", "color": c, "material": None, "state": "full"}
        for c in ("red", "red", "blue")
    ]
    assert disambiguate(query, cups) == query
    assert disambiguate(query, cups[1:]).args[0] == "color"


@pytest.mark.parametrize(
    ("text", "read", "meant"),
    [
        # neither of two
        ("What colour is the lamp?", f"query(color, {RED})", f"query(color, {LAMP})"),
        ("Is the red lamp on?", f"query(state, {RED})", None),
        ("Is the reddish one on?", f"query(state, {RED})", None),
        ("The red door is shut. And the other lamp?", f"query(state, {RED})", None),
        (
            "Is the door open?",
            'query(state, unique(filter(color, "red", filter(name, "door", scene))))',
            None,
        ),  # there is one
        (
            "How many lamps are there?",
            'count(filter(color, "red", filter(name, "lamp", scene)))',
            'count(filter(name, "lamp", scene))',
        ),
        # states are said in too many ways
        ("What is left of the full one?", f"query(state, {FULL})", None),
    ],
)
def test_a_look_that_nobody_named_tells_nothing_apart(text, read, meant):
    read = Call.parse(read)
    assert without_redundant_looks(read, text, ROOM) == (
        read if meant is None else Call.parse(meant)
    )


@pytest.mark.parametrize(
    ("text", "kept"), [("Which way do the big buses face?", True), ("Where is the bus?", False)]
)
def test_a_size_is_named_in_any_word(text, kept):
    street = [{"name": "school bus", "size": "large"}, {"name": "regular bus", "size": "small"}]
    read = Call.parse('unique(filter(size, "large", filter(shape, "bus", scene)))')
    bare = Call.parse('unique(filter(shape, "bus", scene))')
    assert without_redundant_looks(read, text, street) == (read if kept else bare)


PAIR = (
    'best(distance, least, {0}, group(unique(filter(color, "red", filter({1}, "lamp", scene))),'
    ' unique(filter({2}, "{3}", filter({1}, "lamp", scene)))))'
)


@pytest.mark.parametrize(
    ("name", "look", "value", "asked"),
    [
        ("name", "color", "blue", "color"),
        ("shape", "color", "blue", "color"),
        ("name", "state", "off", "name"),  # different attributes
    ],
)
def test_the_answer_among_two_of_one_name_is_what_distinguishes_them(name, look, value, asked):
    pair = PAIR.format(DOOR, name, look, value)
    result = disambiguate(Call.parse(f"query({name}, {pair})"), ROOM)
    assert result == Call.parse(f"query({asked if asked != 'name' else name}, {pair})")


FARM = [{"name": name} for name in ("horse", "cow", "fence", "farmer", "cello", "double bass")]
HORSE, COW, CELLO, BASS = (
    f'filter(name, "{name}", scene)' for name in ("horse", "cow", "cello", "double bass")
)
LEFT = 'count(relate(left, unique(filter(name, "fence", scene)), frame(room), {}))'
LARGEST = "query(name, best(volume, most, {}))"


@pytest.mark.parametrize(
    ("text", "program", "meant"),
    [
        (
            "How many animals are left of the fence?",
            LEFT.format(f"union({HORSE}, {HORSE})"),
            LEFT.format(f"union({HORSE}, {COW})"),
        ),
        ("How many animals are left of the fence?", LEFT.format(COW), None),
        ("How many cows are left of the fence?", LEFT.format(COW), LEFT.format(COW)),
        (
            "What's the biggest instrument here?",
            LARGEST.format("scene"),
            LARGEST.format(f"union({CELLO}, {BASS})"),
        ),
        ("What's the biggest thing here?", LARGEST.format("scene"), LARGEST.format("scene")),
        # the animal may be the landmark
        (
            "What's nearest to the animal?",
            f"query(name, best(distance, least, unique({HORSE}), scene))",
            f"query(name, best(distance, least, unique({HORSE}), scene))",
        ),
    ],
)
def test_a_noun_of_a_kind_means_all_objects_of_it(text, program, meant):
    meant = LEFT.format(f"union({HORSE}, {COW})") if meant is None else meant
    assert with_kinds(Call.parse(program), text, FARM) == Call.parse(meant)


def test_an_object_that_is_named_twice_is_one_of_the_two_of_its_name():
    lamps = 'filter(name, "lamp", scene)'
    left, right = (f"best(left, {sense}, frame(room), {lamps})" for sense in ("most", "least"))
    same = Call.parse(f"swap({LAMP}, {LAMP})")
    pair = Call.parse(f"swap({left}, {right})")
    assert of_pair(same, ["lamp", "door", "lamp"]) == pair
    assert of_pair(Call("then", (same, same)), ["lamp", "lamp"]) == Call("then", (pair, pair))
    for names in (["lamp"], ["lamp"] * 3):
        assert of_pair(same, names) == same
    red = Call.parse(f"swap({RED}, {RED})")
    assert of_pair(red, ["lamp", "lamp"]) == red
    apart = Call.parse(f"query(distance, {LAMP}, {LAMP})")
    assert of_pair(apart, ["lamp"] * 2) == Call.parse(f"query(distance, {left}, {right})")
