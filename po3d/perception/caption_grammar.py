"""Rule-based parser of captions: "This is a brown chair. It is left of the table near the window."

A caption is about one object, named by its first noun. Its attributes are the adjectives before
that noun and predicates such as "it is open", "it is made of wood". A relation belongs to the noun
directly before it ("the table near the window"), else to the caption's object. Words without a rule
are ignored, because captions contain much that a scene cannot represent.
"""

import re
from dataclasses import dataclass, field
from functools import cache

from po3d.language.english import plural, words_of
from po3d.language.grammar import load
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS, STATES, SYNONYMS

ROOM_WORDS = ("room", "scene")
SIDES = ("front", "back", "left", "right")
_WORDINGS = load("captions", "patterns")
_VALUES = {
    **{word: ("color", word) for word in COLORS},
    **{word: ("material", word) for word in MATERIALS},
    **{word: ("state", word) for word in STATES if word not in ("on", "off")},
}
_VALUES |= {word: _VALUES[value.op] for word, value in _WORDINGS.meanings("value")}
_SWITCHED, _HEAD = map(_WORDINGS.expression, ("switched", "head"))
_RELATIONS = tuple(
    (rule.pattern, _WORDINGS.with_pieces(words))
    for rule in _WORDINGS.of["relation"]
    for words in rule.wordings
)
_PATTERN = re.compile(
    r"\b(?:" + "|".join(f"(?P<r{k}>{words})" for k, (_, words) in enumerate(_RELATIONS)) + r")\b"
)
_COMMA = "comma"  # token for a comma, after which relations belong to the caption's object again
_IT, _NO_NOUN, _NO_VALUE, _FILLERS = map(
    _WORDINGS.wordings, ("again", "no_noun", "no_value", "filler")
)


@dataclass(frozen=True)
class Mention:
    """A noun with its attributes; `name` is "" for the caption's own object."""

    name: str
    looks: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CaptionRelation:
    """A stated relation of a subject to objects.

    Relations: left, right, front, back, near, on, under, above, between, wall, corner, middle,
    side. `where`: the sides of a wall or corner, () if unspecified.
    """

    relation: str
    subject: Mention
    objects: tuple[Mention, ...] = ()
    where: tuple[str, ...] = ()


@dataclass(frozen=True)
class CaptionParse:
    """What one caption says of one object: its name, attribute values by attribute, and its
    relations to other objects."""

    name: str
    looks: dict[str, str]
    relations: tuple[CaptionRelation, ...]


def read_caption(text: str) -> CaptionParse | None:
    """Parse a caption; None if it names no object."""
    name, looks, relations = "", {}, []
    for sentence in re.split(r"[.;!\n]+", text):
        words = [w for w in words_of(sentence.replace(",", f" {_COMMA} ")) if w != "?"]
        if not words:
            continue
        mentions = _mentions(words, bool(name))
        if not name:
            if not mentions:
                return None
            start, _, first = mentions[0]
            name, looks = first.name, dict(first.looks)
            mentions[0] = (start, mentions[0][1], Mention(""))
        inside = {k for start, end, _ in mentions for k in range(start, end)}
        _predicates(words, inside, looks)
        relations += _relations(words, mentions)
    return CaptionParse(name, looks, tuple(relations)) if name else None


@cache
def _names() -> dict[str, str]:
    """Return the table from every spelling of a known name, including plurals, to the name."""
    known = {name: name for name in (*CATEGORIES, *SYNONYMS)}
    return {plural(name): name for name in known} | known


def _mentions(words: list[str], named: bool) -> list[tuple[int, int, Mention]]:
    """Return (first word, end, mention) of the nouns of a sentence, including their adjectives."""
    mentions: list[tuple[int, int, Mention]] = []
    k = 0
    while k < len(words):
        length = next(
            (
                n
                for n in (4, 3, 2, 1)
                if " ".join(words[k : k + n]) in _names() and k + n <= len(words)
            ),
            0,
        )
        if words[k] in _IT and k:
            mentions.append((k, k + 1, Mention("")))
        elif words[k] in ROOM_WORDS:
            mentions.append((k, k + 1, Mention("room")))
        elif length and not (
            words[k] == "light" and words[k + 1 : k + 2] and words[k + 1] in _VALUES
        ):
            name = _names()[" ".join(words[k : k + length])]
            start, looks = _adjectives(words, k)
            mentions.append((start, k + length, Mention(name, looks)))
        k += max(length, 1)
    head = _HEAD.match(" ".join(words))
    if not named and head:  # unknown name: the words up to the first that cannot be part of a name
        start = len(head.group().split())
        if not mentions or mentions[0][0] > start:
            end = start
            while (
                end < len(words)
                and words[end] not in _NO_NOUN
                and not any(s <= end < e for s, e, _ in mentions)
            ):
                end += 1
            nouns = [w for w in words[start:end] if w not in _VALUES]
            if nouns:
                looks = dict(_VALUES[w] for w in words[start:end] if w in _VALUES)
                mentions.insert(0, (start, end, Mention(" ".join(nouns), looks)))
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


def _predicates(words: list[str], inside: set[int], looks: dict[str, str]) -> None:
    """Add the attributes in predicates about the caption's object: "it is made of wood"."""
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
        relation, takes, _ = _RELATIONS[int(match.lastgroup[1:])][0]
        before = [m for _, end, m in mentions if end == first]
        subject = before[0] if before and before[0].name != "room" else Mention("")
        if not takes:
            sides = (match["corner"] or match["wall"] or "").replace("rear", "back")
            relations.append(CaptionRelation(relation, subject, (), tuple(sides.split())))
            continue
        after = [
            (end, m)
            for start, end, m in mentions
            if start >= last and set(words[last:start]).issubset(_FILLERS)
        ]
        if not after:
            continue
        end, object_ = after[0]
        if object_.name == "room":
            if relation in SIDES:
                relations.append(CaptionRelation("side", subject, (), (relation,)))
            continue
        objects = (object_,)
        if relation == "between":
            objects += tuple(
                m
                for start, _, m in mentions
                if start >= end and words[end:start] in (["and"], ["and", "the"], ["and", "a"])
            )[:1]
            if len(objects) < 2:
                continue
        # "there is a lamp on it", "the lamp is on it": the subject is the lamp
        if object_.name == "":
            other = (
                subject
                if subject.name
                else next((m for _, e, m in mentions if e < first and m.name), None)
            )
            if other is not None and other.name != "room":
                relations.append(CaptionRelation(relation, other, objects))
            continue
        relations.append(CaptionRelation(relation, subject, objects))
    return relations
