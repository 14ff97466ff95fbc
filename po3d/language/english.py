"""English morphology: tokenisation, plurals and singulars, and synonyms for the room parser.

Shared by the generators and parsers of rooms. `words_of` drops words that never change the meaning
("gently", "lovely"); `plain` maps synonyms to one representative ("hauled", "slid", "relocate": all
"moved"), which is the input of the parser's network. Names and values are copied from the original
sentence.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from itertools import chain, repeat

from po3d.io.files import lines_beside

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?|'s|[?]")
_SHORT = (  # contractions, expanded before tokenisation
    (re.compile(r"\bcan(?:'t|not)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    # written without the apostrophe
    (re.compile(r"\b(what|where|who|how|that|there|here)s\b"), r"\1's"),
    (re.compile(r"(?<=[a-z])n't\b"), " not"),
    (re.compile(r"'(?:re|ve|ll|d|m)\b"), ""),
    (re.compile(r"(\d)\s*(cm|m|ft|in)\b"), r"\1 \2"),
)


def _table(name: str) -> list[list[str]]:
    return list(map(str.split, lines_beside(__file__, name)))


IDLE = frozenset(chain(*_table("idle.txt")))
_STAND_INS: list[tuple[str, str]] = []
for _stand_in, *_words in _table("stand_ins.txt"):
    _STAND_INS += zip(_words, repeat(_stand_in))
_STAND_IN = dict(_STAND_INS)
KNOWN = frozenset(chain(*_STAND_INS))  # words that are not misspellings of others

_ENDINGS: dict[str, list[tuple[str, str]]] = {"plural": [], "singular": []}
for _kind, _old, *_new in _table("endings.txt"):
    _ENDINGS[_kind].append((_old, "".join(_new)))
_PREPOSITION = re.compile(
    r" (?:about|above|across|after|among|around|at|before|behind|below|beneath|beside|besides"
    r"|between|by|for|from|in|into"
    r"|near|of|off|on|onto|out|over|to|under|until|upon|with) "
)


def words_of(text: str) -> list[str]:
    """Return the lower-case words of a sentence, without words that never change the meaning.

    Contractions are expanded, hyphens separate words, punctuation other than the question mark is
    dropped.
    """
    text = text.lower().replace("\u2019", "'").replace("-", " ")
    for pattern, replacement in _SHORT:
        text = pattern.sub(replacement, text)
    return [word for word in _WORD.findall(text) if word not in IDLE]


def plain(word: str) -> str:
    """Return the representative of a word's synonyms; most words represent themselves."""
    return _STAND_IN.get(word, word)


@functools.lru_cache(maxsize=10_000)
def plural(noun: str) -> str:
    """Return the plural of a noun or compound: "coffee tables", "chests of drawers"."""
    return _inflected(noun, _irregular()[0], _ENDINGS["plural"])


@functools.lru_cache(maxsize=10_000)
def singular(noun: str) -> str:
    """Return the singular; a noun without a plural ending is returned unchanged."""
    return _inflected(noun, _irregular()[1], _ENDINGS["singular"])


def with_article(noun: str) -> str:
    """ "a cup", "an oven"."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _inflected(noun: str, irregular: Mapping[str, str], endings: Sequence[tuple[str, str]]) -> str:
    """Inflect the head noun, the last word before a preposition."""
    match = _PREPOSITION.search(noun, 1)
    end = match.start() if match else len(noun)
    start = noun.rfind(" ", 0, end) + 1
    word = noun[start:end]
    other = irregular.get(word)
    if other is None:  # the last ending matches every word
        old, new = next(pair for pair in endings if re.search(rf"{pair[0]}\Z", word))
        m = re.search(rf"{old}\Z", word)
        other = word[: m.start()] + m.expand(new)
    return noun[:start] + other + noun[end:]


@functools.cache
def _irregular() -> tuple[dict[str, str], dict[str, str]]:
    """Read plurals.txt; return {singular: plural} and {plural: singular}."""
    plurals, singulars = {}, {}
    for singular, *many in _table("plurals.txt"):
        plurals[singular] = many[0]
        singulars |= dict.fromkeys(many, singular)
    return plurals, singulars
