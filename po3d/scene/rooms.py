"""The room world: what stands in rooms, how large it is, where it stands and what it is for.

Rooms are scene tables like streets, in metres: z = 0 is the floor, an object's position is the centre of its box,
its extent is (depth, width, height) and its heading points out of its front, away from the wall behind it. Beliefs
are about "name", "color", "material" and "state". Names are open: a table may hold names that are not listed here.

The tables stand beside this file: `rooms.csv` has a row a kind of thing, `rooms.toml` what people call things and their looks, and
what they are for. Sizes and heights are medians over 88 scanned rooms (doors, windows and 31 more categories) and, for what those
rooms lack, over the models of the Sweet Home 3D furniture catalogue. `PURPOSES` follows the everyday definitions of
WordNet 3.0 ("furniture that is designed for sitting on", "a furnishing with a mattress for sleeping" ...).
"""

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from po3d.io.files import rows_beside

COLORS = (
    "white", "black", "gray", "brown", "red", "blue", "green", "yellow", "orange", "pink", "purple", "beige",
)  # fmt: skip
MATERIALS = ("wooden", "metal", "plastic", "leather", "fabric", "glass", "ceramic", "paper")
STATES = ("open", "closed", "on", "off", "empty", "full", "clean", "dirty", "folded", "broken")
UNKNOWN_SIZE = (0.45, 0.45, 0.5)  # metres (depth, width, height), of a thing whose kind is not listed
ATTRIBUTES: dict[str, tuple[str, ...]] = {"color": COLORS, "material": MATERIALS, "state": STATES}


class Category(NamedTuple):
    """A kind of thing. Lengths in metres."""

    depth: float
    width: float
    height: float
    stands: str  # "floor", "back" (on the floor, its back to a wall), "wall", "flat" (a rug), "top" (on furniture)
    bottom: float  # height of its underside where it hangs on a wall
    carries: bool  # other things are put on it
    weight: float  # how often a room has it, relative to the others
    most: int  # of it in one room
    materials: tuple[str, ...]
    states: tuple[str, ...]


def _category(row: dict[str, str]) -> Category:
    size = (float(row[length]) for length in ("depth", "width", "height"))
    looks = (tuple(row[of].split()) for of in ("materials", "states"))
    often = float(row["weight"]), int(row["most"])
    return Category(*size, row["stands"], float(row["bottom"]), row["carries"] == "1", *often, *looks)


CATEGORIES: dict[str, Category] = {row["name"]: _category(row) for row in rows_beside(__file__, "rooms.csv")}
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PURPOSES = {purpose: tuple(names) for purpose, names in _WORDS["purposes"].items()}
CARRIERS = {name: tuple(under) for name, under in _WORDS["carriers"].items()}
OTHER_WORDS: dict[str, list[str]] = _WORDS["synonyms"]  # of a category
USE_NOUNS: dict[str, list[str]] = _WORDS["nouns_of_use"]  # of a purpose


def _meant(words_of: dict[str, list[str]]) -> dict[str, str]:
    """Each word -> what it is another one for."""
    return {word: meant for meant, words in words_of.items() for word in words}


LIKENESSES: frozenset[str] = frozenset(_WORDS["likenesses"])  # of other things
SYNONYMS = _meant(OTHER_WORDS)
NOUNS_OF_USE = _meant(USE_NOUNS)
VALUE_WORDS = _meant(_WORDS["value_words"])


def attribute_of(value: str) -> str | None:
    """Which attribute a word for a look or state tells; None for a word that is not listed."""
    value = VALUE_WORDS.get(value, value)
    return next((attribute for attribute, values in ATTRIBUTES.items() if value in values), None)


@lru_cache(4096)
def category_of(name: str) -> Category | None:
    """The listed category of a name, its synonym or, for a compound, its last words; None for an unknown thing."""
    name = SYNONYMS.get(name, name)
    if name in CATEGORIES:
        return CATEGORIES[name]
    return next((c for n, c in CATEGORIES.items() if name.endswith(" " + n)), None)


@lru_cache(4096)
def hangs(name: str) -> bool:
    """Whether things of this name hang on walls: they rest on nothing and carry nothing."""
    category = category_of(name)
    return category is not None and category.stands == "wall"


def stands_on_top(name: str) -> bool:
    """Whether things of this name are small enough to stand on furniture; False for unlisted ones."""
    category = category_of(name)
    return category is not None and category.stands == "top"


@lru_cache(4096)
def purposes_of(name: str) -> tuple[str, ...]:
    """What a thing of this name is for; a compound counts as its last words ("folding chair": as "chair")."""
    return tuple(purpose for purpose, names in PURPOSES.items() if any(is_a(name, n) for n in names))


def is_a(name: str, noun: str) -> bool:
    """Whether a thing called `name` is meant by `noun`: the same, or a compound that ends in it ("office chair" is a
    chair, "coffee table" a table), or "object" and the like, which mean anything."""
    return name == noun or name.endswith(" " + noun) or noun in ANYTHING


def is_likeness(name: str, noun: str) -> bool:
    """Whether a thing called `name` is a likeness of what `noun` means: the "dog" of a "dog model"."""
    head, _, last = name.rpartition(" ")
    return last in LIKENESSES and is_a(head, noun)


ANYTHING = ("object", "item", "thing", "furniture")
