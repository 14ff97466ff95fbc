"""Parse referring expressions such as "the red mug next to the laptop on the desk".

A description is a noun, preceded by modifiers (colour, material, state, size, ordinal) and followed
by clauses. A clause either adds an attribute ("in a red coat", "on the left") or relates the object
to another described object, which consists of everything after the relation: "the dog next to the
man in grey" is next to the man in grey. Quotations ("that says ...") and unparsed words are
ignored.
"""

import re
from dataclasses import dataclass
from itertools import chain, count
from typing import NamedTuple

from po3d.language.grammar import load
from po3d.language.lexicon import ancestors, kinds_of
from po3d.scene.rooms import COLORS, MATERIALS, STATES


class Rank(NamedTuple):
    """Select the `place`-th (from 1) object in the order of a measure.

    `sign`: 1 counts from the least, -1 from the greatest.
    """

    measure: str  # "across" (from the left), "depth", "size", "height" (extent), "level" (position)
    sign: int
    place: int = 1


@dataclass(frozen=True)
class Description:
    """A parsed referring expression; `noun` is "" if there are only clauses."""

    noun: str
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (attribute, accepted values)
    ranks: tuple[Rank, ...] = ()
    relations: tuple[tuple[str, tuple["Description", ...]], ...] = ()


_WORDS = load("read_descriptions")
COLOR_WORDS = {color: (color,) for color in COLORS}
for _word, _colors in _WORDS.words("color").items():
    COLOR_WORDS[_word] = tuple(_colors.split())
MATERIAL_WORDS = dict(zip(MATERIALS, MATERIALS)) | _WORDS.words("material")
STATE_WORDS = dict(zip(STATES, STATES))
del STATE_WORDS["on"], STATE_WORDS["off"]
STATE_WORDS |= _WORDS.words("state")
_CLOTHES, _ARTICLES, _MODESTY, _SILENT, _POSTURES, _WEARING, _SEVERAL = (
    frozenset(_WORDS.wordings(key))
    for key in ("clothes", "article", "modesty", "silent", "posture", "wearing", "several")
)
_ORDINALS = dict(zip(_WORDS.wordings("ordinal"), count(1)))
_RANK_WORDS, _PLACES = (
    {w: Rank(p.args[0].op, 1 if p.op == "least" else -1) for w, p in _WORDS.meanings(key)}
    for key in ("rank", "place")
)
_RELATIONS = _WORDS.words("relation")
_OF_CLOTHES = {*_ARTICLES, *_MODESTY, *COLOR_WORDS, *_CLOTHES, *MATERIAL_WORDS, "in", "and"}
_QUOTED = re.compile(
    r"(?:that (?:says|reads)|saying|reading|labell?ed|with the words?)?\s*[\"“”][^\"“”]*[\"“”]"
)
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?(?:-[a-z]+)*")


def describe(phrase: str) -> Description:
    """Parse a phrase into a description; never fails, unparsed words are left out."""
    words = _WORD.findall(_QUOTED.sub(" ", phrase.lower().replace("’", "'")))
    return _description([word.removesuffix("'s") for word in words])


def _description(words: list[str]) -> Description:
    at = min(1, len(words))
    while at < len(words) and not _opens(words, at):
        at += 1
    noun, attributes, ranks = _head(words[:at])
    relations: list[tuple[str, tuple[Description, ...]]] = []
    while at < len(words):
        place, length = _longest(words, at, _PLACES)
        if place and not _goes_on(words, at + length):
            rank, at = _PLACES[place], at + length
            counted = [r for r in ranks if r.measure == "count"]
            ranks = [r for r in ranks if r.measure != "count"]
            ranks.append(rank._replace(place=counted[0].place) if counted else rank)
            continue
        worn = _worn(words, at)
        if worn:
            colors = filter(COLOR_WORDS.__contains__, words[at:worn])
            attributes += [("color", COLOR_WORDS[word]) for word in colors]
            at = worn
            continue
        described_parts = (
            words[at : at + 2] == ["made", "of"]
            and at + 2 < len(words)
            and words[at + 2] in MATERIAL_WORDS
        )
        if described_parts:
            attributes.append(("material", (MATERIAL_WORDS[words[at + 2]],)))
            at += 3
            continue
        relation, length = _longest(words, at, _RELATIONS)
        if relation and at + length < len(words):
            relations.append(
                (_RELATIONS[relation], _landmarks(_RELATIONS[relation], words[at + length :]))
            )
            break
        at += max(length, 1)
    ranks = [Rank("across", 1, r.place) if r.measure == "count" else r for r in ranks]
    return Description(noun, tuple(attributes), tuple(ranks), tuple(relations))


def _landmarks(relation: str, words: list[str]) -> tuple[Description, ...]:
    if relation == "between" and "and" in words[1:-1]:
        at = words.index("and")
        return _description(words[:at]), _description(words[at + 1 :])
    return (_description(words),)


def _head(words: list[str]) -> tuple[str, list[tuple[str, tuple[str, ...]]], list[Rank]]:
    """Return noun, attributes and ranks of the words before the first clause.

    The last word belongs to the noun even if it is also a modifier ("orange", "glass").
    """
    attributes: list[tuple[str, tuple[str, ...]]] = []
    ranks: list[Rank] = []
    noun: list[str] = []
    end = [word for word in words[-1:] if word == "one"]  # a noun here
    words = [word for word in words[: len(words) - len(end)] if word not in _ARTICLES] + end
    for k, word in enumerate(words):
        last = k + 1 == len(words)
        compound = " ".join(words[k : k + 2]) if not last else ""
        if last or (
            compound and kinds_of(compound) and kinds_of(compound) != kinds_of(words[k + 1])
        ):
            noun.append(word)  # "stop sign", "orange juice": part of a compound noun
        elif word in COLOR_WORDS:
            attributes.append(("color", COLOR_WORDS[word]))
        elif word in MATERIAL_WORDS:
            attributes.append(("material", (MATERIAL_WORDS[word],)))
        elif word in STATE_WORDS:
            attributes.append(("state", (STATE_WORDS[word],)))
        elif word in _ORDINALS:
            ranks.append(Rank("count", 1, _ORDINALS[word]))
        elif word in _RANK_WORDS:
            ranks.append(_RANK_WORDS[word])
        elif word not in _MODESTY:
            noun.append(word)
    return " ".join(noun), attributes, ranks


def _opens(words: list[str], at: int) -> bool:
    """Return whether a clause starts at word `at`."""
    if words[at] in _SILENT | _POSTURES | _WEARING | {"made"}:
        return True
    if words[at].endswith("ing") and _acts(words[at - 1]):  # "woman taking a picture"
        return True
    if words[at] == "of" and words[at - 1] in _SEVERAL:
        return False
    return bool(_longest(words, at, _PLACES)[0] or _longest(words, at, _RELATIONS)[0])


def _acts(noun: str) -> bool:
    """Return whether a noun is a person or an animal."""
    kinds = set(kinds_of(noun))
    return not {"person", "animal"}.isdisjoint(chain(kinds & {"person"}, *map(ancestors, kinds)))


def _goes_on(words: list[str], at: int) -> bool:
    """Return whether "of" follows, as in "on the left of"."""
    return at < len(words) and words[at] == "of"


def _worn(words: list[str], at: int) -> int:
    """Return the end of a clause about clothes or colour ("in a red coat"), or 0."""
    if words[at] not in _WEARING:
        return 0
    k, has_color = at + 1, False
    while k < len(words) and words[k] in _OF_CLOTHES:
        has_color |= words[k] in COLOR_WORDS or words[k] in _CLOTHES
        if words[k] == "in" and has_color:
            break
        k += 1
    return k if has_color else 0


def _longest(words: list[str], at: int, table: dict) -> tuple[str, int]:
    """Return the longest entry of a table that starts here and its number of words, or ("", 0)."""
    for length in range(min(6, len(words) - at), 0, -1):
        text = " ".join(words[at : at + length])
        if text in table:
            return text, length
    return "", 0
