"""Nouns: synonyms and hypernyms.

`nouns.txt` is po3d's own table of everyday nouns, a tree of kinds. A noun matches objects of its
own kind and of all kinds below ("vehicle": cars, buses ...). It may also match an object of a kind
above it, because scenes are coarser than annotators' words ("man" for an object called "person").
Words missing from the table are compared by their last word (a "folding chair" is a chair) and then
by spelling, to allow for typos ("bookshlef").
"""

import functools
from importlib import resources
from itertools import product, starmap
from typing import NamedTuple

from po3d.io.errors import InputError
from po3d.io.fuzzy import alike
from po3d.language.english import singular

# Scores of a noun for an object of a kind. Not fitted; only their order and approximate size
# affect the grounding.
SAME, BELOW, ABOVE, SIMILAR_SPELLING = 1.0, 0.9, 0.7, 0.8
COUSIN = 0.4  # two kinds of person, one by activity and one by sex or age
AGES = frozenset(("man", "woman", "child", "boy", "girl", "baby"))
GROWING = (frozenset(("girl", "woman")), frozenset(("boy", "man")))  # words for the same person
ALIKE = 0.84  # difflib ratio above which two words differ only by a typo
ROOT = "thing"


class Lexicon(NamedTuple):
    """Words (lower case, singular or plural as written) and kinds.

    A kind is the first word of its line in nouns.txt.
    """

    kinds: dict[str, tuple[str, ...]]  # word -> the kinds that it names
    parents: dict[str, frozenset[str]]  # kind -> its direct parents
    longest: int  # words of the longest entry
    compounds: dict[str, str]  # each word as `joined` writes it -> the word


@functools.cache
def lexicon() -> Lexicon:
    """Return the table of nouns, nouns.txt; it is read once."""
    text = (resources.files("po3d.language") / "nouns.txt").read_text(encoding="utf-8")
    kinds: dict[str, tuple[str, ...]] = {}
    parents: dict[str, frozenset[str]] = {}
    above: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        depth, odd = divmod(len(line) - len(line.lstrip()), 2)
        if odd or depth > len(above):
            raise InputError(
                f"nouns.txt, line {number}: unexpected indentation of"
                f" {len(line) - len(line.lstrip())} blanks"
            )
        words = list(map(str.strip, line.split("|")))
        kind = words[0]
        del above[depth:]
        parents[kind] = parents.get(kind, frozenset()).union(above[-1:])
        for word in words:
            if kind not in kinds.setdefault(word, ()):
                kinds[word] += (kind,)
        above.append(kind)
    longest = max(map(len, map(str.split, kinds)))
    return Lexicon(kinds, parents, longest, {joined(word): word for word in reversed(kinds)})


@functools.lru_cache(maxsize=20_000)
def kinds_of(noun: str) -> tuple[str, ...]:
    """Return the kinds that a noun names, () if unknown.

    It is looked up as written, in the singular, then by its last words.
    """
    words = noun.lower().replace("-", " ").split()
    for start in range(max(0, len(words) - lexicon().longest), len(words)):
        tail = " ".join(words[start:])
        if entry := _entry(tail):
            return entry
    return ()


def _entry(noun: str) -> tuple[str, ...]:
    """Return the kinds of the whole noun: as written, singular, or with spaces removed."""
    kinds, _, _, compounds = lexicon()
    for word in (noun, singular(noun)):
        if named := kinds.get(word) or kinds.get(compounds.get(joined(word), "")):
            return named
    return ()


def joined(noun: str) -> str:
    """Remove spaces and hyphens, for comparing compounds."""
    return noun.replace("-", "").replace(" ", "")


def same(noun: str, name: str) -> bool:
    """Return whether a noun is an object's name or a synonym; spaces in compounds are ignored."""
    noun, name = noun.lower(), name.lower()
    if joined(name) in (joined(noun), joined(singular(noun))):
        return True
    return not set(_entry(noun)).isdisjoint(_entry(name))


@functools.lru_cache(maxsize=20_000)
def ancestors(kind: str) -> frozenset[str]:
    """Return all kinds above a kind."""
    kinds: set[str] = set()
    todo = list(lexicon().parents.get(kind, ()))
    while todo:
        current = todo.pop()
        if current not in kinds:
            kinds.add(current)
            todo += lexicon().parents.get(current, ())
    return frozenset(kinds)


@functools.lru_cache(maxsize=50_000)
def fits(noun: str, name: str) -> float:
    """Score how well a noun fits an object called `name`: 0 (not at all) to 1 (synonym)."""
    noun, name = noun.lower(), name.lower()
    if not noun or not name:  # objects of streets have shapes but no names
        return 0.0
    if joined(name) in (joined(noun), joined(singular(noun))):
        return SAME
    wanted, kinds = kinds_of(noun), kinds_of(name)
    if wanted and kinds:
        return max(starmap(_kin, product(wanted, kinds)))
    if not wanted and not kinds and singular(noun.split()[-1]) == singular(name.split()[-1]):
        return BELOW
    if not wanted:
        return SIMILAR_SPELLING * _slip(noun, name)
    return 0.0


def _kin(noun: str, name: str) -> float:
    if noun == name:
        return SAME
    if noun in ancestors(name):
        return BELOW
    if name in ancestors(noun) and name != ROOT:
        return ABOVE
    if "person" in ancestors(noun) and "person" in ancestors(name):
        return (
            COUSIN if len({noun, name} & AGES) == 1 or frozenset((noun, name)) in GROWING else 0.0
        )
    return 0.0


def _slip(word: str, name: str) -> float:
    """Return 1 if an unknown word is a typo of a known name or one of its synonyms, else 0."""
    wanted = set(kinds_of(name))
    for other, kinds in ((name, wanted), *lexicon().kinds.items()):
        if (other == name or wanted.intersection(kinds)) and alike(other, [word], ALIKE):
            return 1.0
    return 0.0
