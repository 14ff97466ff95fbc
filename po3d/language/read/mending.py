"""Misspelt words mended before a sentence is read: whole words that no vocabulary has, towards names of the table and the words that
a sentence can't do without (`needed.txt`)."""

import functools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from po3d.io.files import lines_beside
from po3d.io.spelling import alike, slips
from po3d.language import lexicon as nouns
from po3d.language.english import KNOWN, plural, singular

SIMILAR = 0.82  # least likeness (difflib's ratio) of a misspelt word to the name that it stands for
SHORTEST = 4  # letters of a word that is mended
_WORD = re.compile(r"[^\W\d_]+")
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "r", "er", "est", "y", "ish", "less")


class Mending(NamedTuple):
    """A word as it was written, and the word that it is read as."""

    written: str
    read: str

    def __str__(self) -> str:
        return f'"{self.written}" is read as "{self.read}"'


def mended(text: str, names: Sequence[str], known: Callable[[str], bool]) -> tuple[str, tuple[Mending, ...]]:
    """The text with its misspelt words mended, and which they were. `names`: of the table; `known`: whether the encoder has a word as a
    whole. A word that the encoder, the lexicon or the table has stays, as do its other forms."""
    found: dict[str, str] = {}
    named = {word for word in _words_of(names) if len(word) >= SHORTEST}
    for written in dict.fromkeys(_WORD.findall(text)):
        word = written.lower()
        if len(word) < SHORTEST or not word.isascii() or _is_word(word, named, known):
            continue
        if word.endswith("s") and (meant := _meant(word[:-1], named)):
            found[written] = plural(meant)
        elif meant := _meant(word, named):
            found[written] = meant
    text = _WORD.sub(lambda m: found.get(m[0], m[0]), text)
    return text, tuple(Mending(*pair) for pair in found.items())


def _is_word(word: str, named: Collection[str], known: Callable[[str], bool]) -> bool:
    """Whether a word, or one that it is a form of, is in a vocabulary."""
    return any(
        form in named or form in KNOWN or form in _lexicon() or known(form)
        for form in {word, singular(word), *_stems(word)}
    )


def _meant(word: str, named: Collection[str]) -> str:
    """The word that is one slip away or has the same letters, else the name that is likest and begins alike; "" where there is none.
    None that is another form of the word itself: who kneels is no kneeler."""
    wanted = sorted(one for one in _needed().union(named) if word not in _stems(one))
    near = sorted(slips(word, wanted)) + [one for one in wanted if sorted(one) == sorted(word)]
    names = [one for one in wanted if one in named and one[0] == word[0]]
    return next(iter(near or alike(word, names, SIMILAR)), "")


def _stems(word: str) -> set[str]:
    """What is left of a word without an ending."""
    cut = (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))
    return {stem for stem in cut if len(stem) >= SHORTEST}


def _words_of(names: Iterable[str]) -> Iterable[str]:
    return chain.from_iterable(_WORD.findall(name.lower()) for name in names)


@functools.cache
def _lexicon() -> frozenset[str]:
    return frozenset(_words_of(nouns.lexicon().kinds))


@functools.cache
def _needed() -> frozenset[str]:
    return frozenset(chain.from_iterable(map(str.split, lines_beside(nouns.__file__, "needed.txt"))))
