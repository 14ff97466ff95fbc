"""Words of a sentence, plurals and singulars: the little English that generators and parsers of rooms share."""

import functools
import re

import inflect

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?|'s|[?]")


@functools.cache
def _engine() -> inflect.engine:
    return inflect.engine()


def words_of(text: str) -> list[str]:
    """Lower-case words of a sentence; hyphens part words, punctuation other than the question mark is dropped."""
    return _WORD.findall(text.lower().replace("’", "'").replace("-", " "))


@functools.lru_cache(maxsize=10_000)
def plural(noun: str) -> str:
    """Of a noun or a compound: "coffee tables", "chests of drawers"."""
    head, of, rest = noun.partition(" of ")
    return _engine().plural_noun(head) + of + rest


@functools.lru_cache(maxsize=10_000)
def singular(noun: str) -> str:
    """The singular; the noun itself when it is one already."""
    head, of, rest = noun.partition(" of ")
    return (_engine().singular_noun(head) or head) + of + rest
