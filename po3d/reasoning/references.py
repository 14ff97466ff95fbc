"""Resolve phrases of a question to rows; ExecutionFailure if no row, or more than one, fits.

* `BestFit`: the object that a noun phrase fits best; ambiguous if two fit equally and surely
  (SCOPE, and the default).
* `BoundPhrases`: rows chosen beforehand, for one assignment of rows to descriptions (3DSRBench; see
  `grounded`).
"""

import itertools
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from po3d.language.lexicon import joined, same
from po3d.reasoning.outcome import ExecutionFailure
from po3d.scene.rooms import COLORS, SYNONYMS, is_a
from po3d.scene.table import ObjectState, Scene

RIVAL = 0.8  # a second object with odds this close to those of the best makes the phrase ambiguous
SYNONYM, LOOSE = 0.75, 0.5  # weight of a synonym, and of a compound's last word
# weight of "girl" for a woman: that an object is a person is recognised before which kind
KIN = 0.1
LEAST_CATEGORY_FIT = 0.02  # minimum fit of a category for the last words of a phrase to denote it
INSIDE = 0.8  # fraction of the narrower sides: objects with closer centres would intersect
LEAST = 1e-3  # objects that fit a phrase less are not denoted by it

PEOPLE = ("man", "woman", "boy", "girl")
_PERSON = {
    "human", "person", "someone", "people", "figure", "pedestrian", "adult", "child", "kid",
    "human being",
}  # fmt: skip
_SAME = {
    "bike": "bicycle", "motorcycle": "motorbike", "football": "soccer ball", "puppy": "dog",
    "kitten": "cat", "hen": "chicken", "bunny": "rabbit", "pony": "horse", "gentleman": "man",
    "guy": "man", "lady": "woman", "stone": "rock", "boulder": "rock", "hydrant": "fire hydrant",
    "cone": "traffic cone", "cellphone": "telephone", "smartphone": "telephone",
    "pram": "stroller", "mower": "lawn mower", "kennel": "dog house", "letter box": "mailbox",
    "guitar": "electric guitar", "teddy": "teddy bear", "present": "gift", "cake": "birthday cake",
    "fan": "table fan", "purse": "handbag", "grey": "gray",
}  # fmt: skip


class BestFit:
    """Resolve phrases by the table's probabilities of names and colours.

    If a question distinguishes two phrases, the best pair is chosen, and is kept for the rest of
    the question.

    `unique`: the question presupposes that each phrase denotes one object. Of several objects that
    fit equally the best is taken, and `certainty` says how much better it fits.
    """

    def __init__(self, table: Scene, unique: bool = False) -> None:
        self.table, self.unique = table, unique
        self.rows_by_phrase: dict[str, int] = {}  # settled phrases
        self._shares: dict[str, float] = {}  # by phrase that several objects fit, see `certainty`

    @property
    def certainty(self) -> float:
        """Probability that the objects taken are those that fit, if each phrase denotes one."""
        return math.prod(self._shares.values())

    def row(self, phrase: str) -> int:
        """Return the row that a phrase fits best.

        The phrase is ambiguous if two rows fit equally and each is denoted by it with probability
        0.5 or more; one object with an uncertain name is not ambiguous.
        """
        if phrase in self.rows_by_phrase:
            return self.rows_by_phrase[phrase]
        scores = fits(self.table, phrase)
        best = int(np.argmax(scores)) if len(scores) else -1
        if best < 0 or scores[best] <= LEAST:
            raise ExecutionFailure("not found", f"not found: there is no {phrase}")
        self._only(phrase, scores, best)
        return best

    def disambiguate(self, first: str, second: str) -> tuple[int, int]:
        """Return the two rows that two phrases jointly fit best."""
        both = np.outer(fits(self.table, first), fits(self.table, second))
        np.fill_diagonal(both, 0.0)
        if both.max() > LEAST**2:
            a, b = map(int, np.unravel_index(np.argmax(both), both.shape))
            self.rows_by_phrase |= {first: a, second: b}
        return self.row(first), self.row(second)

    def choices(self, phrases: Sequence[str], start: int) -> dict[str, int]:
        """Return a row for each phrase that is in the table: all different, and none `start`.

        A phrase is ambiguous if it equally fits an object that no other phrase denotes: omitting
        that object would treat it as absent.
        """
        fitting = {}
        for phrase in phrases:
            chances = fits(self.table, phrase)
            if chances.max(initial=0.0) > LEAST:
                fitting[phrase] = chances
        there = list(fitting)
        scores = np.array(list(fitting.values())).reshape(len(there), len(self.table))
        if 0 <= start < len(self.table):
            scores[:, start] = 0.0
        # imported here: importing scipy.optimize takes 0.25 s
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(-np.log(np.maximum(scores, LEAST / 10)))
        resolved = {}
        for k, i in zip(rows.tolist(), columns.tolist()):
            if scores[k, i] > LEAST:
                resolved[there[k]] = i
        if not resolved:
            raise ExecutionFailure("not found", "not found: none of the options is in the scene")
        for phrase in resolved:
            self._only(phrase, scores[there.index(phrase)], resolved[phrase], {*resolved.values()})
        return resolved

    def _only(
        self, phrase: str, scores: np.ndarray, best: int, others: Collection[int] = ()
    ) -> None:
        """Raise ExecutionFailure if a row other than `best` and `others` fits as well and is
        certainly denoted.

        With `unique` nothing is raised, and the share of `best` is stored instead.
        """
        odds = scores.clip(max=1 - 1e-6) / (1 - scores.clip(max=1 - 1e-6))
        rivals = []
        for i in np.flatnonzero(odds >= RIVAL * odds[best]).tolist():
            distinct = i != best and i not in others and not self._at_one_place(best, i)
            if distinct and certainly_is_a(self.table.objects[i], phrase):
                rivals.append(i)
        if rivals and certainly_is_a(self.table.objects[best], phrase):
            if self.unique:
                self._shares[phrase] = float(odds[best] / (odds[best] + odds[rivals].sum()))
                return
            what = f"{phrase} may refer to {1 + len(rivals)} objects"
            raise ExecutionFailure("ambiguous", f"ambiguous: {what}")

    def _at_one_place(self, i: int, j: int) -> bool:
        """Whether two rows are so close that they must be one object detected twice."""
        a, b = self.table.objects[i], self.table.objects[j]
        sides = (min(a.extent[:2]) + min(b.extent[:2])) / 2
        return math.dist(a.position[:2], b.position[:2]) < INSIDE * sides


class BoundPhrases:
    """Phrases with given rows."""

    def __init__(self, rows: Mapping[str, int]) -> None:
        self.rows = rows

    def row(self, phrase: str) -> int:
        """Return the row that a phrase denotes."""
        if phrase not in self.rows:
            raise ExecutionFailure("not found", f"not found: {phrase!r} is not in the scene")
        return self.rows[phrase]

    def disambiguate(self, first: str, second: str) -> tuple[int, int]:
        return self.row(first), self.row(second)

    def choices(self, phrases: Sequence[str], start: int) -> dict[str, int]:
        return {p: self.rows[p] for p in phrases if self.rows.get(p, start) != start}


def fits(table: Scene, noun: str) -> np.ndarray:
    """Return (n,) probabilities that a noun phrase denotes each object.

    Its last words name the category; words before them are its colour, or attributes that the
    table lacks. The lexicon's synonyms are used if no object has such a name.
    """
    words = re.findall(r"[a-z0-9']+", noun.lower())
    lengths = range(len(words) if len(table) else 0)
    for means, least, start in itertools.product(MEANINGS, (LEAST_CATEGORY_FIT, LEAST), lengths):
        chances, head = np.zeros(len(table)), " ".join(words[start:])
        for i, o in enumerate(table.objects):
            chances[i] = o.existence * _fit(o.beliefs.get("name", {}), head, means)
        if chances.max() > least:
            for word in words[:start]:
                color = "gray" if word == "grey" else word
                if color in COLORS:
                    chances *= [_colored(o.beliefs.get("color"), color) for o in table.objects]
            return chances
    return np.zeros(len(table))


def certainly_is_a(o: ObjectState, noun: str) -> bool:
    """Whether an object probably exists and is denoted by the last words of a phrase.

    The probability of existing in a category that these words denote is at least 0.5.
    """
    words = re.findall(r"[a-z0-9']+", noun.lower())
    for means in MEANINGS:
        best = 0.0
        for start in range(len(words)):
            head, p = " ".join(words[start:]), 0.0
            for value, share in o.beliefs.get("name", {}).items():
                p += share if means(value, head) > 0 else 0.0
            best = max(best, p)
        if best > 0:
            return best * o.existence >= 0.5
    return False


def _colored(belief: Mapping[str, float] | None, color: str) -> float:
    """Return the probability of a colour; an object without a colour stays possible."""
    return 0.1 if belief is None else belief.get(color, 0.0)


def _fit(belief: Mapping[str, float], noun: str, means: Callable[[str, str], float]) -> float:
    return sum(p * means(value, noun) for value, p in belief.items())


def _means(value: str, noun: str) -> float:
    """Return how well a noun denotes a category.

    "chair" denotes a chair, and an office chair if there is no plain one; "crate" a crate, and
    any box if there is none.
    """
    if joined(value) == joined(noun) or (value in PEOPLE and noun in _PERSON):
        return 1.0
    if _canonical(value) == _canonical(noun):
        return SYNONYM
    if value in PEOPLE and noun in PEOPLE:
        return KIN
    return LOOSE if is_a(value, noun) else 0.0


def _also_means(value: str, noun: str) -> float:
    """Return how well a noun denotes a category by the lexicon: "TV stand" a TV cabinet."""
    return SYNONYM if same(noun, value) else 0.0


def _canonical(noun: str) -> str:
    noun = _SAME.get(noun, noun)
    return SYNONYMS.get(noun, noun)


MEANINGS = (_means, _also_means)  # tried in this order
