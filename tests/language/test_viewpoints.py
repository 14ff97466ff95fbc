"""Clauses about the viewer at the beginning of a question become its frame sentence."""

import pytest

from po3d.language.read.viewpoints import split_viewpoint


@pytest.mark.parametrize(
    ("text", "frame", "rest"),
    [
        (
            "Say I'm sitting on the red bench - is the door on my left or my right?",
            "I'm sitting on the red bench.",
            "Is the door on my left or my right?",
        ),
        (
            "I sit on the gray chair, leaning back. Is the plant in front of me?",
            "I sit on the gray chair, leaning back.",
            "Is the plant in front of me?",
        ),
        (
            "With my back to the wardrobe, which side is the lamp on?",
            "With my back to the wardrobe.",
            "Which side is the lamp on?",
        ),
        (
            "If you stand at the sink and look at the stove: what is behind you?",
            "You stand at the sink and look at the stove.",
            "What is behind you?",
        ),
    ],
)
def test_a_clause_about_the_viewer_is_the_frame(text, frame, rest):
    assert split_viewpoint(text) == (frame, rest)


@pytest.mark.parametrize(
    "text",
    [
        "Is the lamp on my left?",
        "On the desk, what is left of the lamp?",
        "If you look at the desk, what is on it?",  # "it" needs its clause
        "If you stand by the bed, which is farther, the lamp or the desk?",  # no direction
        "You see the bed, right?",
        "Standing in the corner, a lamp.",
        "If the scooter drives on, what does it hit?",
        "",
    ],
)
def test_other_questions_stay_whole(text):
    assert split_viewpoint(text) == ("", text)
