"""People's questions about photographs, parsed by rule."""

import pytest

from po3d.language.program import Call
from po3d.language.read.photograph_words import read

LEFT_OR_RIGHT = "direction(refer({}), refer({}), frame(camera), left_or_right)"


def refer(*phrases):
    return ", ".join(f'refer("{phrase}")' for phrase in phrases)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("How many dogs are there in this picture?", 'count(filter(name, "dogs", scene))'),
        ("how many dogs do you see here", 'count(filter(name, "dogs", scene))'),
        (
            "How many people are sitting on the bench?",
            'count(filter(name, "people sitting on the bench", scene))',
        ),
        (
            "Is the man facing the camera?",
            f"exist(relate(front, {refer('man')}, frame(object), group(viewer)))",
        ),
        (
            "Does the sofa have its back to us?",
            f"exist(relate(behind, {refer('sofa')}, frame(object), group(viewer)))",
        ),
        (
            "Is the dog facing left or right?",
            f"direction({refer('dog')}, viewer, frame(object), left_or_right)",
        ),
        ("Which side of the dog is facing the camera?", f"query(facing, {refer('dog')})"),
        (
            "Is the cup left or right of the two bottles?",
            LEFT_OR_RIGHT.format('"bottles"', '"cup"'),
        ),
        ("Is there a cup on the table?", 'exist(filter(name, "cup on the table", scene))'),
        (
            "Is the man standing on some kind of board?",
            'exist(filter(name, "the man standing on a board", scene))',
        ),
        (
            "Is the airplane on the ground?",
            'exist(filter(name, "the airplane on the ground", scene))',
        ),
        (
            "Which bananas are closer to us, the bunch on the left or the bunch on the right?",
            "query(name, best(distance, least, viewer, "
            f"group({refer('bananas on the left', 'bananas on the right')})))",
        ),
        ("Any cats?", 'exist(filter(name, "cats", scene))'),
        ("Is anyone riding a horse?", 'exist(filter(name, "anyone riding a horse", scene))'),
        (
            "Is the cup to the left or to the right of the blue one?",
            LEFT_OR_RIGHT.format('"blue cup"', '"cup"'),
        ),
        ("The red kite is on which side of the man?", LEFT_OR_RIGHT.format('"man"', '"red kite"')),
        (
            "Is the dog on the left or the right side of the photo?",
            'direction(viewer, refer("dog"), frame(camera), left_or_right)',
        ),
        (
            "Would you say the bed is to the right of the chair?",
            f"exist(relate(right, {refer('chair')}, frame(camera), group({refer('bed')})))",
        ),
        (
            "Is the sofa behind the table, or in front of it?",
            f"direction({refer('table', 'sofa')}, frame(camera), front_or_behind)",
        ),
        (
            "Which is nearer: the skater or the bench?",
            f"query(name, best(distance, least, viewer, group({refer('skater', 'bench')})))",
        ),
        (
            "Out of the cup, the plate and the fork, which is closest to the bottle?",
            f"query(name, best(distance, least, {refer('bottle')}, "
            f"union(group({refer('cup', 'plate')}), group({refer('fork')}))))",
        ),
        (
            "Which bear is closest to the camera, the brown one or the white one?",
            "query(name, best(distance, least, viewer, "
            f"group({refer('brown bear', 'white bear')})))",
        ),
        (
            "Is the dog closer to the camera than the cat?",
            f"less_than(query(distance, {refer('dog')}, viewer), "
            f"query(distance, {refer('cat')}, viewer))",
        ),
        (
            "What's higher, the clock or the lamp?",
            f"query(name, best(elevation, most, group({refer('clock', 'lamp')})))",
        ),
        (
            "What is lying right next to the banana?",
            f"query(name, best(distance, least, {refer('banana')}, scene))",
        ),
    ],
)
def test_what_a_question_means(text, meant):
    assert str(read(text).program) == str(Call.parse(meant))


@pytest.mark.parametrize(
    "text",
    [
        "How old is the woman?",
        "Why is he running?",
        "From the man's point of view, is the dog on his left or on his right?",
        "How many blorbs are there?",
        "Is the man in the red shirt facing the water?",
        "Which is nearer, the dog?",
        "?",
        "how many " * 60,
    ],
)
def test_other_questions_are_left_to_other_parsers(text):
    assert read(text) is None


def test_each_option_belongs_to_the_description_that_shares_its_words():
    parse = read("Which is nearer, the man in red or the dog?", ("a dog", "the man"))
    assert parse.option_of == {"man in red": "the man", "dog": "a dog"}


def test_the_options_of_facing_are_toward_and_away():
    for options in (("us", "away from us"), ("turned away", "smiling at the camera")):
        parse = read("Is the man facing us or away from us?", options)
        away = next(option for option in options if "away" in option)
        assert parse.option_of["behind"] == away
        assert parse.option_of["front"] != away
    assert read("Is the man facing us or away from us?", ("a", "b")).option_of == {}
