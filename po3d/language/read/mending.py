"""Spelling correction before parsing.

Words that are in no vocabulary are replaced by names of the scene's objects or by frequent words of
questions (`needed.txt`).
"""

import functools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, starmap
from typing import NamedTuple

from po3d.io.files import lines_beside
from po3d.io.fuzzy import alike, slips
from po3d.language import lexicon as nouns
from po3d.language.english import KNOWN, plural, singular

SIMILAR = 0.82  # least difflib ratio of a misspelt word to an object's name
SHORTEST = 4  # letters of the shortest word that is corrected
_WORD = re.compile(r"[^\W\d_]+")
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "r", "er", "est", "y", "ish", "less")


class Mending(NamedTuple):
    """A corrected word: as written, and as read."""

    written: str
    read: str

    def __str__(self) -> str:
        return f'"{self.written}" is interpreted as "{self.read}"'


def mended(
    text: str, names: Sequence[str], known: Callable[[str], bool]
) -> tuple[str, tuple[Mending, ...]]:
    """Correct misspelt words; return the text and the corrections.

    `names`: of the scene's objects; `known`: whether the encoder has a word as a single piece.
    Words in the vocabulary of the encoder, the lexicon or the scene, and their inflected forms, are
    kept.
    """
    result: dict[str, str] = {}
    named = set(filter(_long, _words_of(names)))
    for written in dict.fromkeys(_WORD.findall(text)):
        word = written.lower()
        if len(word) < SHORTEST or not word.isascii() or _is_word(word, named, known):
            continue
        if word.endswith("s") and (core := _meant(word[:-1], named)):
            result[written] = plural(core)
        elif core := _meant(word, named):
            result[written] = core
    text = _WORD.sub(lambda m: result.get(m[0], m[0]), text)
    return text, tuple(starmap(Mending, result.items()))


def _is_word(word: str, named: Collection[str], known: Callable[[str], bool]) -> bool:
    """Return whether a word, or one that it is a form of, is in a vocabulary."""
    forms = {word, singular(word), *_stems(word)}
    return not all(map(forms.isdisjoint, (named, KNOWN, _lexicon()))) or any(map(known, forms))


def _meant(word: str, named: Collection[str]) -> str:
    """Return the correction of a word, or "".

    Candidates are words one edit away, then anagrams, then the most similar name with the same
    initial. Words that have `word` as a stem are excluded: "kneel" is not a misspelt "kneeler".
    """
    wanted, anagrams, names = [], [], []
    for one in sorted(_needed().union(named)):
        if word not in _stems(one):
            wanted.append(one)
            anagrams += [one] * (sorted(one) == sorted(word))
            names += [one] * (one in named and one[0] == word[0])
    return next(iter(sorted(slips(word, wanted)) + anagrams or alike(word, names, SIMILAR)), "")


def _stems(word: str) -> set[str]:
    """Return the stems left after removing an ending."""
    return set(filter(_long, map(word.removesuffix, filter(word.endswith, _ENDINGS))))


def _long(word: str) -> bool:
    return len(word) >= SHORTEST


def _words_of(names: Iterable[str]) -> Iterable[str]:
    return chain.from_iterable(map(_WORD.findall, map(str.lower, names)))


@functools.cache
def _lexicon() -> frozenset[str]:
    return frozenset(_words_of(nouns.lexicon().kinds))


@functools.cache
def _needed() -> frozenset[str]:
    return frozenset(
        chain.from_iterable(map(str.split, lines_beside(nouns.__file__, "needed.txt")))
    )
