"""Spells out the synonym tables: every phrase the parser knows -> the tokens that the network reads."""

from itertools import product

from po3d.language.read.fillers import fillers
from po3d.language.read.synonyms import ADJECTIVES, NOUNS, PLAIN, WORDS, split
from po3d.language.read.verbs import actions
from po3d.language.read.viewpoints import PICTURE, sides, viewpoints
from po3d.language.read.wordings import WORDINGS
from po3d.scene.vocabulary import PARENT

# Shape values that are no nouns of their own; the token is the benchmark's surface name.
_TOKENS = {s: f"{s}_bus" for s in ("articulated", "regular", "double", "school")}
_TOKENS |= {s: f"{s}_bike" for s in ("road", "utility", "mountain", "tandem")}
_NO_NOUNS = ("road", "utility", "mountain", "regular", "school", "double")


def _function_words() -> dict[str, str]:
    table = {variant: word for word, variants in WORDS.items() for variant in variants.split()}
    table |= {variant: words for words, variants in WORDINGS.items() for variant in variants.split("|")}
    for the, picture, verb in product(
        ("the", "this", "that"), PICTURE, split("show|contain|have|include|hold|feature|depict|display")
    ):
        table[f"does {the} {picture} {verb}"] = "is there"
    for target in ("going to", "about to"):
        table[f"is {target}"] = table[f"are {target}"] = "would"
    names = {"color": split("color|colour"), "size": ("size",), "material": ("material",),
             "shape": split("shape|type|kind|model|class")}  # fmt: skip
    for attribute, words in names.items():
        for lead, word in product(
            split("for|as to|by|regarding|as regards|with respect to|with regard to|concerning|when it comes to|"
                  "in terms of|in regard to|as far as|in respect of|in point of"), words
        ):  # fmt: skip
            table[f"{lead} {word}"] = table[f"{lead} their {word}"] = table[f"{lead} its {word}"] = (
                f"in {attribute}"
            )
            table[f"{word} wise"] = f"in {attribute}"
    table |= {
        "going to be": "would be",
        "is going to be": "would be",
        "are going to be": "would be",
        "about to be": "would be",
    }
    return table


def plurals(phrase: str) -> set[str]:
    """The plurals that people write, the benchmark's "buss" among them."""
    if phrase.endswith(("ss", "ch", "sh", "x")):
        return {phrase + "es"}
    if phrase.endswith("s"):
        return {phrase + "s", phrase + "es", phrase + "ses"}
    if phrase.endswith("y") and phrase[-2] not in "aeiou":
        return {phrase[:-1] + "ies"}
    return {phrase + "s"}


def _nouns() -> dict[str, str]:
    table = {}
    for value, variants in NOUNS.items():
        token = _TOKENS.get(value, value)
        singular = set(variants) | (set() if value in _NO_NOUNS else {value})
        if value in PARENT:  # "sedan automobile", "road push bike"
            names = {value} if value in _NO_NOUNS else singular
            singular = singular | {f"{a} {b}" for a in names for b in (PARENT[value], *NOUNS[PARENT[value]])}
        for phrase in singular:
            for form in {phrase} | plurals(phrase):
                table[form] = token
                if value == "thing":
                    table[f"another {form}"] = "a other thing"
    return table


def build_phrases() -> dict[str, str]:
    """phrase -> tokens (blank-separated; "" drops the phrase)."""
    table = dict.fromkeys(fillers(), "")
    table |= {word: word for word in PLAIN}
    table |= _function_words()
    table |= actions()
    table |= sides()
    table |= viewpoints()
    table |= _nouns()
    for value, variants in ADJECTIVES.items():
        table |= dict.fromkeys((value, *variants), value)
    for adjective in (word for value in ("large", "small") for word in (value, *ADJECTIVES[value])):
        table[f"how {adjective}"] = "how big"
        table[f"as {adjective} as"] = "as big as"
    for side in ("left", "right"):
        table[side] = side
    return table


PHRASES: dict[str, str] = build_phrases()
