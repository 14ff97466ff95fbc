import hashlib

import pytest

from po3d.language.read.phrases import ADJECTIVES, NOUNS, PHRASES
from po3d.language.read.tokenizer import Tokenizer
from po3d.language.say.street.grammar import GRAMMARS


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer()


def read(tokenizer, text):
    return " ".join(tokenizer(text)[0])


def test_the_table_has_sixty_entries_beyond_the_benchmark():
    own = {word for words in GRAMMARS["benchmark"].words.values() for word in words}
    listed = {v for variants in (NOUNS | ADJECTIVES).values() for v in variants}
    assert len(listed - own) >= 60


@pytest.mark.parametrize(
    ("said", "same"),
    [
        ("the grey automobile", "the gray car"),
        ("two coaches", "two buss"),
        ("a huge airplane", "a large aeroplane"),
        ("the double-decker", "the double bus"),
        ("Motorcycles", "motorbike"),
        ("the fighter jet", "the fighter"),
        ("a jet", "the jet plane".replace("the", "a")),
        ("on the left-hand side of the van", "left of the minivan"),
        ("is obscured by the SUV", "is occluded by the suv"),
        ("hiding behind the bus", "hidden behind the bus"),
        ("would crash into the bus", "would hit the bus"),
        ("if it backed up", "if it moved backward"),
        ("from the viewer's perspective", "as seen from the camera"),
        ("as seen in the picture", "from the camera"),
        ("what colour", "what color"),
        ("a single decker bus", "a regular bus"),
        ("a single bus", "a bus"),
    ],
)
def test_wordings_that_mean_the_same_read_the_same(tokenizer, said, same):
    assert tokenizer(said)[0] == tokenizer(same)[0]


def test_traps_stay_apart(tokenizer):
    assert read(tokenizer, "chopper") == "chopper"
    assert tokenizer("helicopter")[1] == ("helicopter",)
    assert read(tokenizer, "hidden behind the bus") != read(tokenizer, "behind the bus")
    assert tokenizer("is the bus bigger than the car")[1] == ("bigger",)
    assert read(tokenizer, "jet") != read(tokenizer, "fighter jet")
    assert read(tokenizer, "on its own left") != read(tokenizer, "on its left")


def test_unknown_words_are_named_in_order_and_once(tokenizer):
    assert tokenizer("Is the unicorn left of the dragon or the unicorn?")[1] == (
        "unicorn",
        "dragon",
    )


def test_slips_are_repaired_and_wrong_letters_are_not(tokenizer):
    assert read(tokenizer, "yelow") == "yellow"
    assert read(tokenizer, "scootter") == "scooter"
    assert read(tokenizer, "purpel") == "purple"
    assert tokenizer("trunk")[1] == ("trunk",)  # not a truck
    assert tokenizer("plant")[1] == ("plant",)  # not a plane


def test_punctuation_case_and_curly_quotes_do_not_matter(tokenizer):
    assert tokenizer("WHAT’S left of the S.U.V?")[0] != ()
    assert tokenizer("What’s behind, the bus?!")[0] == tokenizer("what is behind the bus")[0]


def test_a_possessive_is_retained(tokenizer):
    assert "'s" in tokenizer("on the bus's own left")[0]
    assert "'s" not in tokenizer("what's left of the bus")[0]


def test_every_phrase_is_plain_lower_case_and_every_token_reads_as_itself_or_more(tokenizer):
    for phrase in PHRASES:
        assert phrase == phrase.lower()
        assert phrase == " ".join(phrase.split())


def test_a_vocabulary_bounds_what_is_known():
    small = Tokenizer(vocabulary=("the", "car"))
    assert small("the car")[0] == ("the", "car")
    assert small("the bus")[1] == ("bus",)


def test_the_phrases_are_those_that_the_shipped_parser_learned_with():
    digest = hashlib.sha256(repr(sorted(PHRASES.items())).encode()).hexdigest()[:16]
    assert (len(PHRASES), digest) == (137_269, "8681010d2ce67ec9")
