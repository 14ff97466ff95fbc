"""What people say a thing by: "the red mug next to the laptop on the desk" taken apart.

A description is a noun with words before it (colour, material, state, size, place in the row) and clauses behind it. A
clause either says more of the thing ("in a red coat", "on the left") or relates it to another described thing, which is
everything behind the relation: "the dog next to the man in grey" is next to the man in grey. Quotations ("that says
..."), and what isn't understood, say nothing.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from po3d.language.lexicon import kinds_of
from po3d.scene.rooms import COLORS, MATERIALS, STATES

COLOR_WORDS: dict[str, tuple[str, ...]] = {c: (c,) for c in COLORS} | {
    "grey": ("gray",), "silver": ("gray", "white"), "golden": ("yellow", "orange"), "gold": ("yellow", "orange"),
    "maroon": ("red", "brown"), "crimson": ("red",), "scarlet": ("red",), "burgundy": ("red", "purple"),
    "navy": ("blue",), "turquoise": ("blue", "green"), "teal": ("blue", "green"), "cyan": ("blue",), "violet": ("purple",),
    "lavender": ("purple",), "magenta": ("pink", "purple"), "tan": ("beige", "brown"), "cream": ("beige", "white"),
    "ivory": ("white", "beige"), "khaki": ("beige", "green"), "olive": ("green",), "blond": ("yellow",), "rose": ("pink",),
}  # fmt: skip
MATERIAL_WORDS: dict[str, str] = {m: m for m in MATERIALS} | {
    "wood": "wooden", "timber": "wooden", "metallic": "metal", "steel": "metal", "iron": "metal", "cloth": "fabric",
    "textile": "fabric", "porcelain": "ceramic", "cardboard": "paper", "china": "ceramic",
}  # fmt: skip
STATE_WORDS: dict[str, str] = {s: s for s in STATES if s not in ("on", "off")} | {
    "shut": "closed",
    "opened": "open",
}
CLOTHES = (
    "suit", "outfit", "uniform", "vest", "sweater", "hoodie", "coat", "jacket", "shirt", "dress", "gown", "skirt", "shorts", "robe",
    "jeans", "pants", "trousers", "hat", "cap", "helmet", "clothes", "clothing", "top", "costume", "overalls", "raincoat", "pullover",
    "jersey", "apron", "blouse", "shoes", "boots", "t-shirt",
)  # fmt: skip
_ARTICLES = {
    "the",
    "a",
    "an",
    "his",
    "her",
    "its",
    "their",
    "my",
    "your",
    "some",
    "that",
    "this",
    "one",
    "of",
}
_MODESTY = {"very", "quite", "dark", "light", "bright", "pale", "deep", "long", "short", "striped", "own"}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}


class Rank(NamedTuple):
    """The `place`-th (from 1) of those that fit, by a measure: the least of it when `sign` is 1, the greatest when -1."""

    measure: str  # "across" (from the left), "depth", "size", "height" (extent), "level" (position)
    sign: int
    place: int = 1


@dataclass(frozen=True)
class Description:
    """A described thing. `noun` is "" when only clauses are left."""

    noun: str
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (attribute, values any of which will do)
    ranks: tuple[Rank, ...] = ()
    relations: tuple[tuple[str, tuple["Description", ...]], ...] = ()


_RANK_WORDS: dict[str, Rank] = {
    "leftmost": Rank("across", 1), "left": Rank("across", 1), "rightmost": Rank("across", -1), "right": Rank("across", -1),
    "nearest": Rank("depth", 1), "closest": Rank("depth", 1), "nearer": Rank("depth", 1), "closer": Rank("depth", 1),
    "farthest": Rank("depth", -1), "furthest": Rank("depth", -1), "farther": Rank("depth", -1), "further": Rank("depth", -1),
    "largest": Rank("size", -1), "biggest": Rank("size", -1), "larger": Rank("size", -1), "bigger": Rank("size", -1),
    "smallest": Rank("size", 1), "smaller": Rank("size", 1), "big": Rank("size", -1), "large": Rank("size", -1),
    "small": Rank("size", 1), "little": Rank("size", 1), "tiny": Rank("size", 1), "huge": Rank("size", -1),
    "tallest": Rank("height", -1), "taller": Rank("height", -1), "tall": Rank("height", -1), "shortest": Rank("height", 1),
    "highest": Rank("level", -1), "higher": Rank("level", -1), "upper": Rank("level", -1), "top": Rank("level", -1),
    "lowest": Rank("level", 1), "lower": Rank("level", 1), "bottom": Rank("level", 1), "middle": Rank("middle", 1),
    "central": Rank("middle", 1), "front": Rank("depth", 1), "rear": Rank("depth", -1), "back": Rank("depth", -1),
    "distant": Rank("depth", -1),
}  # fmt: skip
# Clauses that rank: what stands there, longest first.
_PLACES: dict[str, Rank] = {
    f"{lead} {where}".strip(): rank
    for rank, leads, wheres in (
        (Rank("across", 1), ("on", "to", "at", "on the far", "from"), ("the left", "the left side", "the left hand side", "left")),
        (Rank("across", -1), ("on", "to", "at", "on the far", "from"), ("the right", "the right side", "the right hand side", "right")),
        (Rank("middle", 1), ("in", "at"), ("the middle", "the center", "the centre")),
        (Rank("depth", -1), ("in", "at", "towards"), ("the back", "the background", "the distance", "the rear", "the far end")),
        (Rank("depth", -1), ("",), ("farther away", "further away", "farther back", "further back", "far away", "farther off")),
        (Rank("depth", 1), ("in", "at"), ("the front", "the foreground")),
        (Rank("depth", 1), ("nearest", "closest", "nearest to", "closest to", "closer to", "nearer to"), ("the camera", "the viewer", "us")),
        (Rank("depth", -1), ("farthest from", "furthest from", "farther from", "further from"), ("the camera", "the viewer", "us")),
        (Rank("level", -1), ("at", "on"), ("the top",)),
        (Rank("level", 1), ("at",), ("the bottom",)),
    )
    for lead in leads
    for where in wheres
}  # fmt: skip
_RELATIONS: dict[str, str] = {
    words: relation
    for relation, many in {
        "near": ("next to", "close to", "near to", "near", "beside", "by", "alongside", "adjacent to", "against", "around", "at"),
        "with": ("with", "holding", "carrying", "pushing", "pulling", "walking"),
        "before": ("in front of", "before", "ahead of"),
        "behind": ("behind", "in back of"),
        "left of": ("to the left of", "on the left of", "on the left side of", "left of"),
        "right of": ("to the right of", "on the right of", "on the right side of", "right of"),
        "on": ("on top of", "on", "upon", "atop", "onto", "riding", "riding on"),
        "under": ("under", "below", "beneath", "underneath"),
        "above": ("above", "over"),
        "in": ("inside of", "inside", "within", "into"),
        "between": ("between", "in between"),
        "closest": ("closest to", "nearest to", "nearest", "closest", "closer to", "nearer to"),
        "farthest": ("farthest from", "furthest from", "farther from", "further from", "away from"),
        "part": ("of", "belonging to"),
    }.items()
    for words in many
}  # fmt: skip
_SILENT = {  # clauses that say nothing that a table knows
    "that", "which", "who", "whose", "is", "are", "was", "facing", "without", "from", "to", "along", "across", "saying", "reading",
}  # fmt: skip
_POSTURES = {
    "sitting", "standing", "lying", "seated", "parked", "placed", "located", "hanging", "leaning", "resting", "walking",
    "stacked", "positioned", "mounted", "attached", "running", "laying", "stood", "sat", "sits", "stands", "lies", "hangs", "found",
}  # fmt: skip
_QUOTED = re.compile(
    r"(?:that (?:says|reads)|saying|reading|labell?ed|with the words?)?\s*[\"“”][^\"“”]*[\"“”]"
)
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?(?:-[a-z]+)*")


def describe(phrase: str) -> Description:
    """A description of a phrase; never fails, what it can't read it leaves out."""
    words = _WORD.findall(_QUOTED.sub(" ", phrase.lower().replace("’", "'")))
    return _description([w.removesuffix("'s") for w in words])


def _description(words: list[str]) -> Description:
    end = next((k for k in range(len(words)) if k and _opens(words, k)), len(words))
    head = words[:end]
    noun, attributes, ranks = _head(head)
    relations: list[tuple[str, tuple[Description, ...]]] = []
    at = end
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
            attributes += [("color", COLOR_WORDS[w]) for w in words[at:worn] if w in COLOR_WORDS]
            at = worn
            continue
        made = (
            words[at : at + 2] == ["made", "of"] and at + 2 < len(words) and words[at + 2] in MATERIAL_WORDS
        )
        if made:
            attributes.append(("material", (MATERIAL_WORDS[words[at + 2]],)))
            at += 3
            continue
        relation, length = _longest(words, at, _RELATIONS)
        if relation and at + length < len(words):
            relations.append((_RELATIONS[relation], _landmarks(_RELATIONS[relation], words[at + length :])))
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
    """Noun, attributes and ranks of the words up to the first clause. The last word is the noun's,
    whatever else it could be ("orange", "glass")."""
    attributes: list[tuple[str, tuple[str, ...]]] = []
    ranks: list[Rank] = []
    noun: list[str] = []
    words = [w for k, w in enumerate(words) if w not in _ARTICLES or (w == "one" and k + 1 == len(words))]
    for k, word in enumerate(words):
        last = k + 1 == len(words)
        compound = " ".join(words[k : k + 2]) if not last else ""
        if last or (compound and kinds_of(compound) and kinds_of(compound) != kinds_of(words[k + 1])):
            noun.append(word)  # "stop sign", "orange juice": a word of the noun
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
    """Whether a clause begins here."""
    if words[at] in _SILENT | _POSTURES | {"in", "wearing", "made", "dressed"}:
        return True
    if words[at] == "of" and words[at - 1] in ("pair", "group", "bunch", "piece", "chest", "couple", "row"):
        return False
    return bool(_longest(words, at, _PLACES)[0] or _longest(words, at, _RELATIONS)[0])


def _goes_on(words: list[str], at: int) -> bool:
    """Whether "of" follows, so that "on the left" was the beginning of "on the left of"."""
    return at < len(words) and words[at] == "of"


def _worn(words: list[str], at: int) -> int:
    """Where a clause about clothes or a colour ends ("in a red coat", "wearing blue"); 0 when none begins here."""
    if words[at] not in ("in", "wearing", "dressed"):
        return 0
    k, told = at + 1, False
    while k < len(words) and words[k] in {
        *_ARTICLES,
        *_MODESTY,
        *COLOR_WORDS,
        *CLOTHES,
        *MATERIAL_WORDS,
        "in",
        "and",
    }:
        told |= words[k] in COLOR_WORDS or words[k] in CLOTHES
        if words[k] == "in" and told:
            break
        k += 1
    return k if told else 0


def _longest(words: list[str], at: int, table: dict) -> tuple[str, int]:
    """The longest entry of a table that begins here, and how many words it has; ("", 0) for none."""
    for length in range(min(6, len(words) - at), 0, -1):
        text = " ".join(words[at : at + length])
        if text in table:
            return text, length
    return "", 0
