"""Knowledge about rooms: categories of objects, their sizes, placement and purposes.

Rooms are scene tables like streets, in metres: z = 0 is the floor, an object's position is the
centre of its box, its extent is (depth, width, height) and its heading points out of its front,
away from the wall behind it. Attributes are "name", "color", "material" and "state". Names are
open: a table may contain names that are not listed here.

The data files are next to this module: `rooms.csv` has one row per category, `rooms.toml` the
synonyms, attribute words and purposes. Sizes and heights are medians over 88 scanned rooms
(doors, windows and 31 more categories) and, for categories that those rooms lack, over the models
of the Sweet Home 3D furniture catalogue. `PURPOSES` follows the everyday definitions of WordNet
3.0 ("furniture that is designed for sitting on", "a furnishing with a mattress for sleeping"
...).
"""

import tomllib
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from po3d.io.files import rows_beside

COLORS = (
    "white", "black", "gray", "brown", "red", "blue", "green", "yellow", "orange", "pink",
    "purple", "beige",
)  # fmt: skip
MATERIALS = ("wooden", "metal", "plastic", "leather", "fabric", "glass", "ceramic", "paper")
STATES = ("open", "closed", "on", "off", "empty", "full", "clean", "dirty", "folded", "broken")
# metres (depth, width, height) of an object of an unlisted category
UNKNOWN_SIZE = (0.45, 0.45, 0.5)
ATTRIBUTES: dict[str, tuple[str, ...]] = {"color": COLORS, "material": MATERIALS, "state": STATES}


class Category(NamedTuple):
    """A category of objects. Lengths in metres."""

    depth: float
    width: float
    height: float
    # "floor", "back" (on the floor, back to a wall), "wall", "flat" (a rug), "top" (on furniture)
    stands: str
    bottom: float  # height of the bottom of objects that hang on a wall
    carries: bool  # whether other objects may be placed on it
    weight: float  # relative frequency in rooms
    most: int  # maximum number in one room
    materials: tuple[str, ...]
    states: tuple[str, ...]


def _category(row: dict[str, str]) -> Category:
    looks = tuple(row["materials"].split()), tuple(row["states"].split())
    often = float(row["weight"]), int(row["most"])
    stands = row["stands"], float(row["bottom"]), row["carries"] == "1"
    return Category(*_size(row), *stands, *often, *looks)


def _size(row: dict[str, str]) -> tuple[float, float, float]:
    return float(row["depth"]), float(row["width"]), float(row["height"])


CATEGORIES: dict[str, Category] = {}
for _row in rows_beside(__file__, "rooms.csv"):
    CATEGORIES[_row["name"]] = _category(_row)
# Typical depth, width and height of kinds that rooms are not furnished with, but that changes add.
NEW_THINGS: dict[str, tuple[float, float, float]] = {}
for _row in rows_beside(__file__, "new_things.csv"):
    NEW_THINGS[_row["name"]] = _size(_row)
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PURPOSES = {purpose: tuple(names) for purpose, names in _WORDS["purposes"].items()}
CARRIERS = {name: tuple(under) for name, under in _WORDS["carriers"].items()}
OTHER_WORDS: dict[str, list[str]] = _WORDS["synonyms"]  # by category
USE_NOUNS: dict[str, list[str]] = _WORDS["nouns_of_use"]  # by purpose


def _word_targets(words_of: dict[str, list[str]]) -> dict[str, str]:
    """Return a map from each word to its key."""
    result: dict[str, str] = {}
    for canonical, words in words_of.items():
        result |= dict.fromkeys(words, canonical)
    return result


# words for likenesses of other objects, e.g. "model"
LIKENESSES: frozenset[str] = frozenset(_WORDS["likenesses"])
SYNONYMS = _word_targets(OTHER_WORDS)
NOUNS_OF_USE = _word_targets(USE_NOUNS)
VALUE_WORDS = _word_targets(_WORDS["value_words"])


def attribute_of(value: str) -> str | None:
    """Return the attribute that a value word belongs to; None for an unlisted word."""
    value = VALUE_WORDS.get(value, value)
    for attribute, values in ATTRIBUTES.items():
        if value in values:
            return attribute
    return None


@lru_cache(4096)
def category_of(name: str) -> Category | None:
    """Return the category of a name, its synonym or its last words; None if unlisted."""
    name = SYNONYMS.get(name, name)
    if name in CATEGORIES:
        return CATEGORIES[name]
    for last_words, category in CATEGORIES.items():
        if name.endswith(" " + last_words):
            return category
    return None


@lru_cache(4096)
def hangs(name: str) -> bool:
    """Whether objects of this name hang on walls: they rest on nothing and support nothing."""
    category = category_of(name)
    return category is not None and category.stands == "wall"


def stands_on_top(name: str) -> bool:
    """Whether objects of this name are small enough to stand on furniture; False if unlisted."""
    category = category_of(name)
    return category is not None and category.stands == "top"


@lru_cache(4096)
def purposes_of(name: str) -> tuple[str, ...]:
    """Return the purposes of a name; a compound ("folding chair") counts as its last words."""
    return tuple(p for p, names in PURPOSES.items() if any(map(partial(is_a, name), names)))


def is_a(name: str, noun: str) -> bool:
    """Whether a noun denotes objects called `name`.

    True for the name itself, a compound that ends in the noun ("office chair" is a chair, "coffee
    table" a table), and generic nouns such as "object".
    """
    return name == noun or name.endswith(" " + noun) or noun in ANYTHING


def is_likeness(name: str, noun: str) -> bool:
    """Whether `name` is a likeness of what `noun` denotes: "dog model" for "dog"."""
    head, _, last = name.rpartition(" ")
    return last in LIKENESSES and is_a(head, noun)


ANYTHING = ("object", "item", "thing", "furniture")
