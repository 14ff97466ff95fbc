"""Every wording of 3DSRBench's questions becomes its program, whatever the things are called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.files import read_jsonl
from po3d.io.paths import NATURAL
from po3d.io.seeding import rng
from po3d.language.grammar import load
from po3d.language.programs.threedsrbench import OPERATIONS, PhraseCall, ask
from po3d.language.read.threedsrbench_reader import read
from po3d.language.say.threedsrbench import STYLES, speak

BANK = NATURAL / "srbench_wordings_dev.jsonl.bz2"
PHRASES = (
    "man in grey jacket",
    'street sign that says "Lakeside AV"',
    "bus in the center",
    "person in white sweater",
    "dog without shoes",
    "arrow on the black sign",
    "red hat of the person in red in the back",
    "bookshlef",
    "TV",
    "woman to the left of the car",
    "airport ground crew",
    "chair closest to the window",
    "octagonal sign",
    "fruits on the ground",
    "horse that is standing behind the fence",
    'Lego bus with "closer to you" on it',
)
CASES = [
    (style, op, said)
    for style in STYLES
    for op in OPERATIONS
    for wording in load("threedsrbench").wordings(f"{style}.{op}")
    for said in load("threedsrbench").every(wording)
] + [("free", r["op"], r["wording"]) for r in read_jsonl(BANK)]


def spoken(style, op, wording, seed=0):
    r = rng(seed, wording)
    things = r.choice(len(PHRASES), len(OPERATIONS[op].inputs), replace=False)
    program = PhraseCall(op, tuple(PHRASES[int(k)] for k in things))
    return program, speak(program, style, r, wording)


@pytest.mark.parametrize("style", STYLES)
def test_at_least_99_percent_of_the_questions_are_read_as_they_are_intended(style):
    right = total = 0
    for case_style, op, wording in CASES:
        for seed in range(6) if case_style == style else ():
            program, reply = spoken(style, op, wording, seed)
            got = read(reply.text, reply.options)
            ordered = (
                "{0}" in wording
            )  # else the things are named in the options alone, in any order
            same = got.program == program or (
                not ordered
                and got.program is not None
                and got.program.op == op
                and set(got.program.things) == set(program.things)
            )
            right += same and dict(got.option_of) == dict(reply.option_of)
            total += 1
    assert right / total >= 0.99, f"{right} of {total}"


# Questions as they stand in the release or the paper.
VERBATIM = [
    (
        "Consider the real-world 3D locations of the objects. Which object has a higher location?",
        ("baseball glove", "red hat of the person in red in the back"),
        ask("higher", "baseball glove", "red hat of the person in red in the back"),
    ),
    (
        (
            "Consider the real-world 3D locations of the objects. Which object is higher in 3D"
            " world space, the cyclist in orange suit or the yellow board?"
        ),
        (),
        ask("higher", "cyclist in orange suit", "yellow board"),
    ),
    (
        (
            "Consider the real-world 3D locations of the objects. Is the man with a suitcase next"
            " to or far from the fire hydrant?"
        ),
        ("next to", "far from"),
        ask("next_to", "man with a suitcase", "fire hydrant"),
    ),
    (
        (
            "Consider the real-world 3D locations of the objects. Are the street lights directly"
            " above the train?"
        ),
        ("yes", "no"),
        ask("above", "street lights", "train"),
    ),
    (
        "Which object closer to the camera, the fruits on the ground or the white pickup truck?",
        (),
        ask("nearer_camera", "fruits on the ground", "white pickup truck"),
    ),
    (
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the"
            " motorcycle handle in front or behind the cat?"
        ),
        (),
        ask("in_front_of", "cat", "motorcycle handle"),
    ),
    (
        (
            "If I stand at the location of the woman facing where she is facing, is the wood barrel"
            " on my left side or my right side?"
        ),
        ("left", "right"),
        ask("on_the_left", "woman", "wood barrel"),
    ),
    (
        (
            "Consider the real-world 3D locations and orientations of the objects. Which side of"
            " the horse is facing towards the red sign? Answer with front, left, back, or right."
        ),
        ("front", "left", "back", "right"),
        ask("side_to", "horse", "red sign"),
    ),
    (
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the dog with"
            " orange shoes facing towards the man or the dog without shoes?"
        ),
        (),
        ask("facing", "dog with orange shoes", "man", "dog without shoes"),
    ),
    (
        (
            "Consider the real-world 3D orientations of the objects. What is the relationship"
            ' between the orientations of the street sign that says "Lakeside AV" and the bench,'
            " parallel of perpendicular to each other?"
        ),
        ("perpendicular", "parallel"),
        ask("parallel", 'street sign that says "Lakeside AV"', "bench"),
    ),
    (
        (
            "Consider the real-world 3D locations and orientations of the objects. Is the tram"
            " facing the same direction as the arrow on the black sign?"
        ),
        ("yes", "no"),
        ask("same_direction", "tram", "arrow on the black sign"),
    ),
]


@pytest.mark.parametrize(("text", "options", "program"), VERBATIM)
def test_questions_of_the_benchmark(text, options, program):
    got = read(text, options)
    assert (got.status, got.program) == ("ok", program)
    assert set(got.option_of) == set(program.answers)
    assert not options or set(got.option_of.values()) == set(options)


def test_options_say_where_two_descriptions_part():
    text = "Which is closer to the sofa, the man or woman in red or the dog?"
    assert read(text, ("dog", "man or woman in red")).program == ask(
        "closer_to", "sofa", "man or woman in red", "dog"
    )


def test_an_answer_is_reported_as_its_option_says_it():
    got = read(
        "Is the tram facing the same direction as the arrow?",
        ("No, different ones", "Yes, the same"),
    )
    assert got.option_of == {
        "same or similar directions": "Yes, the same",
        "very different directions": "No, different ones",
    }


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("What is the meaning of life?", (), "no pattern matches"),
        ("", (), "no question"),
        (
            (
                "Consider the real-world 3D locations of the objects. Which object has a higher"
                " location?"
            ),
            (),
            "higher takes 2 things",
        ),
        ("Is the lamp directly above the table?", ("red", "green"), "matches an answer"),
        ("Is the lamp directly above the table?", ("yes", "yes, sure"), "matches an answer"),
        ("Which side of the horse is facing the camera?", ("front", "back"), "matches an answer"),
    ],
)
def test_what_is_not_understood_is_unparsed_with_a_reason(text, options, reason):
    got = read(text, options)
    assert got.status == "unparsed"
    assert got.program is None
    assert reason in got.reason


@given(st.text(max_size=80), st.lists(st.text(max_size=8), max_size=4))
def test_no_text_breaks_the_reader(text, options):
    assert read(text, options).status in ("ok", "unparsed")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("sofa", "birdcage"), {"couch": "sofa", "bird cage": "birdcage"}),
        (("the bird-cage", "the settee"), {"couch": "the settee", "bird cage": "the bird-cage"}),
    ],
)
def test_options_may_name_the_things_in_other_words(options, said):
    result = read("Which is closer to the camera, the couch or the bird cage?", options)
    assert result.option_of == said
