"""Rule-based parser of captions: "This is a brown chair. It is left of the table near the window."

A caption is about one object, named by its first noun. Its attributes are the adjectives before
that noun and predicates such as "it is open", "it is made of wood". A relation belongs to the noun
directly before it ("the table near the window"), else to the caption's object. Words without a rule
are ignored, because captions contain much that a scene cannot represent.
"""

import re
from functools import cache
from typing import NamedTuple

from po3d.language.english import plural, words_of
from po3d.language.grammar import load
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS, STATES, SYNONYMS

ROOM_WORDS = ("room", "scene")
SIDES = ("front", "back", "left", "right")
_WORDINGS = load("captions", "patterns")
_VALUES = dict.fromkeys(COLORS, "color") | dict.fromkeys(MATERIALS, "material")
_VALUES |= dict.fromkeys(STATES, "state")
del _VALUES["on"], _VALUES["off"]
_VALUES = {word: (attribute, word) for word, attribute in _VALUES.items()}
_VALUES |= {word: _VALUES[value.op] for word, value in _WORDINGS.meanings("value")}
_SWITCHED, _HEAD = map(_WORDINGS.expression, ("switched", "head"))
_RELATIONS = []
_EXPRESSIONS = []
for _rule in _WORDINGS.of["relation"]:
    for _words in map(_WORDINGS.with_pieces, _rule.wordings):
        _EXPRESSIONS.append(f"(?P<r{len(_RELATIONS)}>{_words})")
        _RELATIONS.append(_rule.pattern)
_PATTERN = re.compile(r"\b(?:" + "|".join(_EXPRESSIONS) + r")\b")
_COMMA = "comma"  # token for a comma, after which relations belong to the caption's object again
_IT, _NO_NOUN, _NO_VALUE, _FILLERS = map(
    _WORDINGS.wordings, ("again", "no_noun", "no_value", "filler")
)


# A noun and its attributes; the noun is "" for the caption's own object.
Mention = tuple[str, dict[str, str]]
OWN: Mention = ("", {})


class CaptionRelation(NamedTuple):
    """A stated relation of a subject to objects.

    Relations: left, right, front, back, near, on, under, above, between, wall, corner, middle,
    side. `where`: the sides of a wall or corner, () if unspecified.
    """

    relation: str
    subject: Mention
    objects: tuple[Mention, ...] = ()
    where: tuple[str, ...] = ()


def read_caption(text: str) -> tuple[str, dict[str, str], list[CaptionRelation]] | None:
    """Parse a caption into the name of its object, attribute values by attribute, and relations to
    other objects; None if it names no object."""
    name, looks, relations = "", {}, []
    for sentence in re.split(r"[.;!\n]+", text):
        words = [w for w in words_of(sentence.replace(",", f" {_COMMA} ")) if w != "?"]
        if not words:
            continue
        mentions = _mentions(words, bool(name))
        if not name:
            if not mentions:
                return None
            start, end, (name, looks) = mentions[0]
            looks = dict(looks)
            mentions[0] = (start, end, OWN)
        _predicates(words, mentions, looks)
        relations += _relations(words, mentions)
    return (name, looks, relations) if name else None


@cache
def _names() -> dict[str, str]:
    """Return the table from every spelling of a known name, including plurals, to the name."""
    known = [*CATEGORIES, *SYNONYMS]
    return dict(zip(map(plural, known), known, strict=True)) | dict(zip(known, known, strict=True))


def _mentions(words: list[str], named: bool) -> list[tuple[int, int, Mention]]:
    """Return (first word, end, mention) of the nouns of a sentence, including their adjectives."""
    mentions: list[tuple[int, int, Mention]] = []
    k = 0
    while k < len(words):
        length = min(4, len(words) - k)
        while length and " ".join(words[k : k + length]) not in _names():
            length -= 1
        light = words[k] == "light" and k + 1 < len(words) and words[k + 1] in _VALUES
        if words[k] in _IT and k:
            mentions.append((k, k + 1, OWN))
        elif words[k] in ROOM_WORDS:
            mentions.append((k, k + 1, ("room", {})))
        elif length and not light:
            name = _names()[" ".join(words[k : k + length])]
            start, looks = _adjectives(words, k)
            mentions.append((start, k + length, (name, looks)))
        k += max(length, 1)
    head = _HEAD.match(" ".join(words))
    if not named and head:  # unknown name: the words up to the first that cannot be part of a name
        start = len(head.group().split())
        first = mentions[0][0] if mentions else len(words)
        end, nouns, looks = start, [], {}
        while end < first and words[end] not in _NO_NOUN:
            if words[end] in _VALUES:
                attribute, value = _VALUES[words[end]]
                looks[attribute] = value
            else:
                nouns.append(words[end])
            end += 1
        if nouns:
            mentions.insert(0, (start, end, (" ".join(nouns), looks)))
    return mentions


def _adjectives(words: list[str], k: int) -> tuple[int, dict[str, str]]:
    """Return the start of the adjectives before word k, and their attribute values."""
    looks: dict[str, str] = {}
    while k and (words[k - 1] in _VALUES or words[k - 1] in _NO_VALUE):
        if words[k - 1] in ("and", _COMMA) and (k < 2 or words[k - 2] not in _VALUES):
            break
        k -= 1
        if words[k] in _VALUES:
            attribute, value = _VALUES[words[k]]
            looks[attribute] = value
    return k, looks


def _predicates(
    words: list[str], mentions: list[tuple[int, int, Mention]], looks: dict[str, str]
) -> None:
    """Add the attributes in predicates about the caption's object: "it is made of wood"."""
    inside: set[int] = set()
    for start, end, _ in mentions:
        inside.update(range(start, end))
    for k, word in enumerate(words):
        if word in _VALUES and k not in inside:
            attribute, value = _VALUES[word]
            looks.setdefault(attribute, value)
    if switched := _SWITCHED.search(" ".join(words)):
        looks.setdefault("state", switched.group(1))


def _relations(words: list[str], mentions: list[tuple[int, int, Mention]]) -> list[CaptionRelation]:
    text, starts, at = " ".join(words), {}, 0
    for k, word in enumerate(words):
        starts[at] = k
        at += len(word) + 1
    relations = []
    for match in _PATTERN.finditer(text):
        first = starts[match.start()]
        last = first + len(match.group().split())
        relation, takes, _ = _RELATIONS[int(match.lastgroup[1:])]
        subject = OWN
        for _, end, mention in reversed(mentions):
            if end == first:
                subject = mention
        if subject[0] == "room":
            subject = OWN
        if not takes:
            sides = (match["corner"] or match["wall"] or "").replace("rear", "back")
            relations.append(CaptionRelation(relation, subject, (), tuple(sides.split())))
            continue
        end, object_ = _next_mention(words, mentions, last)
        if object_ is None:
            continue
        if object_[0] == "room":
            if relation in SIDES:
                relations.append(CaptionRelation("side", subject, (), (relation,)))
            continue
        objects = (object_,)
        if relation == "between":
            second = None
            for start, _, mention in reversed(mentions):
                if start >= end and words[end:start] in (["and"], ["and", "the"], ["and", "a"]):
                    second = mention
            if second is None:
                continue
            objects = (object_, second)
        # "there is a lamp on it", "the lamp is on it": the subject is the lamp
        if not object_[0]:
            if not subject[0]:
                named = [m for _, e, m in mentions if e < first and m[0]]
                subject = named[0] if named else ("room", {})
            if subject[0] == "room":
                continue
        relations.append(CaptionRelation(relation, subject, objects))
    return relations


def _next_mention(
    words: list[str], mentions: list[tuple[int, int, Mention]], last: int
) -> tuple[int, Mention | None]:
    """Return the first mention after word `last`, and its end, if only fillers are between."""
    for start, end, mention in mentions:
        if start >= last and set(words[last:start]).issubset(_FILLERS):
            return end, mention
    return last, None
