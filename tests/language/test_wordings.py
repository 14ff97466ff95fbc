"""What people say around and instead of the words of the network."""

import pytest

from po3d.io.seeding import rng
from po3d.language.read.phrases import PHRASES
from po3d.language.read.tokenizer import Tokenizer
from po3d.language.say.street.language import FAMILIES, realise, sample_program


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer()


@pytest.mark.parametrize(
    ("said", "same"),
    [
        ("Isn't there a red bus?", "is there a red bus"),
        ("There is a red bus, isn't there?", "there is a red bus"),
        ("The jet is behind the bus, right?", "the jet is behind the bus"),
        ("Whats left of the bus", "what is left of the bus"),
        ("I'd love to know what colour the bus is", "what color the bus is"),
        ("Could you please check whether the bus is red?", "the bus is red"),
        ("Sir, how many cars are there on the lot today?", "how many cars are there"),
        ("the car that's half hidden from view", "the car that is hidden"),
        ("with nothing obstructing it", "fully visible"),
        ("If I were driving the bus", "as seen from the bus"),
        ("on his left-hand side", "on its left"),
        ("would it plough into the jet", "would it hit the jet"),
        ("if it lurches forward", "if it moves forward"),
        ("if somebody reversed the bus", "if I reverse the bus"),
        ("showing us their rear end", "facing away"),
    ],
)
def test_what_is_reported_otherwise_reads_the_same(tokenizer, said, same):
    assert tokenizer(said) == tokenizer(same)


@pytest.mark.parametrize(
    "words",
    ["only", "exactly", "nothing", "no", "not", "first", "far", "bigger", "between", "seven"],
)
def test_what_changes_an_answer_is_never_dropped(tokenizer, words):
    assert PHRASES.get(words) != ""
    assert tokenizer(f"the {words} bus") != tokenizer("the bus")


def test_chatter_before_a_question_changes_nothing(tokenizer):
    reply = sorted(phrase for phrase, tokens in PHRASES.items() if not tokens)
    names = sorted(FAMILIES)
    for index in range(300):
        random = rng(5, "chatter", index)
        text = realise(sample_program(random, names[index % len(names)]), random, "wide")
        filler = reply[int(random.random() * len(reply))]
        if not text.startswith(
            (
                "There",
                "I ",
                "You",
                "It",
                "A ",
                "The",
                "Number",
                "To ",
                "If",
                "On ",
                "In ",
                "Of ",
                "Any",
            )
        ):
            assert tokenizer(f"{filler}: {text}") == tokenizer(text), filler


def test_the_tail_of_a_sentence_is_no_tag_without_a_comma(tokenizer):
    assert tokenizer("what is on the right?")[0][-1] == "right"
    assert tokenizer("does the bus face left or right?")[0][-1] == "right"


@pytest.mark.parametrize(
    "every",
    [
        "all cars",
        "all of the cars",
        "all the cars",
        "each of the cars",
        "every vehicle",
        "both of the cars",
    ],
)
def test_questions_about_all_are_refused_and_not_read_as_about_some(tokenizer, every):
    assert tokenizer(f"Are {every} red?")[1] == (every.split()[0],)


def test_both_of_two_named_things_is_no_question_about_all(tokenizer):
    reply = "do both the bus and the jet have the same color"
    assert tokenizer(reply) == tokenizer("do the bus and the jet have the same color")
    assert not tokenizer("how many of all the cars are red")[1]
