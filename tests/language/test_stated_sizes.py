"""Stated sizes of new objects."""

import pytest

from po3d.language.program import Call
from po3d.language.read.reader_vocabulary import Vocabulary
from po3d.language.read.stated_sizes import omits_size, sizes, with_sizes, without_sizes
from po3d.language.say.plain import say

SOFA = 'add(1, thing("sofa", trait(color, "red", plain)), place(centre))'


@pytest.mark.parametrize(
    ("text", "stated", "rest"),
    [
        ("A vase 30 cm tall was put on the table.", {"tall": 0.3}, "A vase was put on the table."),
        ("A 2 m wide sofa came in.", {"wide": 2.0}, "A sofa came in."),
        ("a two-metre-long bench", {"long": 2.0}, "a bench"),
        (
            "A chest, 80cm wide and half a metre deep, was added.",
            {"wide": 0.8, "deep": 0.5},
            "A chest was added.",
        ),
        (
            "We hung a rug that is 6 feet long, and 1.5 m in width by the door.",
            {"long": 1.829, "wide": 1.5},
            "We hung a rug by the door.",
        ),
        ("a pot 40 cm in diameter", {"wide": 0.4, "deep": 0.4}, "a pot"),
        ("The sofa was moved 2 m to the left.", {}, "The sofa was moved 2 m to the left."),
        ("a tall vase, one high shelf", {}, "a tall vase, one high shelf"),
    ],
)
def test_stated_sizes_are_read_and_left_out_of_the_text(text, stated, rest):
    assert sizes(text) == stated
    assert without_sizes(text) == rest


def test_the_new_object_of_a_change_gets_the_stated_size():
    text = "A red sofa 2 m wide and 90 cm tall was put in the middle."
    change = Call.parse(SOFA)
    assert omits_size(text, change)
    sized = with_sizes(change, text)
    assert not omits_size(text, sized)
    assert say(sized) == "A 0.9 m tall 2 m wide red sofa has been added in the middle of the room."
    assert Call.parse(str(sized)) == sized


def test_a_size_is_not_provided_to_one_of_several_new_objects():
    change = Call.parse(f"then({SOFA}, {SOFA.replace('sofa', 'lamp')})")
    text = "A sofa 2 m wide and a lamp were added."
    assert with_sizes(change, text) == change
    assert omits_size(text, change)
    assert not omits_size("The sofa 2 m wide was removed.", Call.parse("remove(scene)"))
    assert omits_size("A 3 m wide sofa was put here.", Call.parse("move(scene, place(centre))"))


def test_the_trained_network_has_no_class_for_stated_sizes():
    assert not [token for token in Vocabulary().tokens if "extent" in token]
