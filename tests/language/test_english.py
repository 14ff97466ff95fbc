"""Plurals and singulars: the endings, what they miss, compounds."""

import pytest

from po3d.io.paths import ROOT
from po3d.language.english import plural, singular
from po3d.language.lexicon import lexicon
from po3d.scene.rooms import CATEGORIES, SYNONYMS
from tools.english import counted

PAIRS = """
    chair chairs | shelf shelves | leaf leaves | roof roofs | chef chefs | knife knives | scarf scarves | box boxes | dish dishes
    couch couches | bus buses | glass glasses | mattress mattresses | lens lenses | iris irises | axis axes | cactus cactuses
    baby babies | toy toys | cookie cookies | potato potatoes | piano pianos | radio radios | avocado avocados | stomach stomachs
    toe toes | shoe shoes | house houses | woman women | human humans | person people | child children | mouse mice | goose geese
    tooth teeth | foot feet | ox oxen | datum data | quiz quizzes | waltz waltzzes
    sheep sheep | fish fish | scissors scissors | trousers trousers | series series | furniture furniture | aircraft aircraft
    coffee table coffee tables | chest of drawers chests of drawers | place to sit places to sit | kitchen knife kitchen knives
    picture on the wall pictures on the wall
"""


def halves(pair: str) -> tuple[str, str]:
    words = pair.split()
    return " ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])


@pytest.mark.parametrize(
    ("one", "many"),
    [halves(pair) for line in PAIRS.strip().splitlines() for pair in line.split("|")],
)
def test_a_noun_and_its_plural(one, many):
    assert plural(one) == many
    if one != "axis":  # its plural is read as that of an axe
        assert singular(many) == one


def test_people_is_its_own_plural():
    assert (plural("people"), plural("person"), singular("people")) == (
        "people",
        "people",
        "person",
    )


def test_every_name_of_a_thing_comes_back_from_its_plural():
    names = {*CATEGORIES, *SYNONYMS, *lexicon().parents}
    assert {name for name in names if singular(plural(name)) not in (name, singular(name))} == {
        "glasses"
    }  # a plural itself


def test_a_singular_stays_one():
    words = (
        "chair",
        "glass",
        "cactus",
        "school bus",
        "mattress",
        "scissors",
        "sofa",
        "chest of drawers",
        "",
        "a",
        "s",
        " of ",
        "of",
    )
    assert [singular(word) for word in words] == list(words)


def test_wordings_are_data():
    result = counted(ROOT / "po3d")
    assert sum(result.values()) <= 315, "what is said and read belongs in language/grammars"
    assert result[ROOT / "po3d/language/say/street/speaker.py"] > 10  # what is left is seen
