"""Which row of a table a phrase of a question means: the two ways in which `execute` is told.

BestFit    the thing that a noun phrase fits best, ambiguous where two fit alike and surely (SCOPE, and by default)
Bound      rows that somebody chose beforehand: readings of descriptions, each tried on its own (3DSRBench, `readings`)
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

RIVAL = 0.8  # a second thing whose odds of being meant are so near to the first's makes the name ambiguous
SYNONYM, LOOSE = 0.75, 0.5  # how much another word for a thing means it, and a compound's last word
KIN = 0.1  # how much a woman is meant by "girl": one sees that there is a person before one sees who
HEARD = 0.02  # a category that something fits so well is what a phrase's last words mean
INSIDE = 0.8  # of their narrower sides: things whose middles are nearer would stand in each other
LEAST = 1e-3  # a thing that fits a name less is not meant

PEOPLE = ("man", "woman", "boy", "girl")
_PERSON = {
    "human", "person", "someone", "people", "figure", "pedestrian", "adult", "child", "kid", "human being",
}  # fmt: skip
_SAME = {
    "bike": "bicycle", "motorcycle": "motorbike", "football": "soccer ball", "puppy": "dog", "kitten": "cat", "hen": "chicken",
    "bunny": "rabbit", "pony": "horse", "gentleman": "man", "guy": "man", "lady": "woman", "stone": "rock", "boulder": "rock",
    "hydrant": "fire hydrant", "cone": "traffic cone", "cellphone": "telephone", "smartphone": "telephone", "pram": "stroller",
    "mower": "lawn mower", "kennel": "dog house", "letter box": "mailbox", "guitar": "electric guitar", "teddy": "teddy bear",
    "present": "gift", "cake": "birthday cake", "fan": "table fan", "purse": "handbag", "grey": "gray",
}  # fmt: skip


class BestFit:
    """Phrases by what the table believes of names and colours. Of two that a question tells apart, the better pair counts, and
    keeps for the rest of the question."""

    def __init__(self, table: Scene) -> None:
        self.table = table
        self.meant: dict[str, int] = {}  # what a name means once that is settled

    def row(self, phrase: str) -> int:
        """The thing that a name fits best. The name is ambiguous when two fit alike and each is more probably called so
        than not; a table that wavers over one thing's name is only unsure."""
        if phrase in self.meant:
            return self.meant[phrase]
        scores = fits(self.table, phrase)
        best = int(np.argmax(scores)) if len(scores) else -1
        if best < 0 or scores[best] <= LEAST:
            raise ExecutionFailure("not found", f"not found: there is no {phrase}")
        self._only(phrase, scores, best)
        return best

    def apart(self, first: str, second: str) -> tuple[int, int]:
        """The two rows that two phrases fit best together."""
        both = np.outer(fits(self.table, first), fits(self.table, second))
        np.fill_diagonal(both, 0.0)
        if both.max() > LEAST**2:
            a, b = (int(k) for k in np.unravel_index(np.argmax(both), both.shape))
            self.meant |= {first: a, second: b}
        return self.row(first), self.row(second)

    def choices(self, phrases: Sequence[str], start: int) -> dict[str, int]:
        """What the phrases mean of which the table has something: different things, and none of them `start`.
        A phrase is ambiguous that fits a thing alike which no other one means: to leave it out would answer as if it were not there."""
        fitting = {phrase: fits(self.table, phrase) for phrase in phrases} if len(self.table) else {}
        there = [phrase for phrase, chances in fitting.items() if chances.max() > LEAST]
        scores = np.array([fitting[phrase] for phrase in there]).reshape(len(there), len(self.table))
        if 0 <= start < len(self.table):
            scores[:, start] = 0.0
        from scipy.optimize import linear_sum_assignment  # a quarter of a second to import

        rows, columns = linear_sum_assignment(-np.log(np.maximum(scores, LEAST / 10)))
        found = {there[k]: int(i) for k, i in zip(rows, columns) if scores[k, i] > LEAST}
        if not found:
            raise ExecutionFailure("not found", "not found: none of the choices was seen")
        for phrase in found:
            self._only(phrase, scores[there.index(phrase)], found[phrase], {*found.values()})
        return found

    def _only(self, phrase: str, scores: np.ndarray, best: int, others: Collection[int] = ()) -> None:
        """ExecutionFailure where another thing than `best` and `others` fits a name alike, and both surely."""
        odds = scores.clip(max=1 - 1e-6) / (1 - scores.clip(max=1 - 1e-6))
        alike = np.flatnonzero(odds >= RIVAL * odds[best]).tolist()
        rivals = [i for i in alike if i not in (best, *others)]
        rivals = [i for i in rivals if surely_called(self.table.objects[i], phrase)]
        rivals = [i for i in rivals if not self._at_one_place(best, i)]
        if rivals and surely_called(self.table.objects[best], phrase):
            raise ExecutionFailure("ambiguous", f"ambiguous: {phrase} could be any of {1 + len(rivals)}")

    def _at_one_place(self, i: int, j: int) -> bool:
        """Whether two rows are where no two things have room: one thing seen as two."""
        a, b = self.table.objects[i], self.table.objects[j]
        sides = (min(a.extent[:2]) + min(b.extent[:2])) / 2
        return math.dist(a.position[:2], b.position[:2]) < INSIDE * sides


class Bound:
    """Phrases whose rows are settled."""

    def __init__(self, rows: Mapping[str, int]) -> None:
        self.rows = rows

    def row(self, phrase: str) -> int:
        if phrase not in self.rows:
            raise ExecutionFailure("not found", f"not found: {phrase!r} is not in the table")
        return self.rows[phrase]

    def apart(self, first: str, second: str) -> tuple[int, int]:
        return self.row(first), self.row(second)

    def choices(self, phrases: Sequence[str], start: int) -> dict[str, int]:
        return {p: self.rows[p] for p in phrases if self.rows.get(p, start) != start}


def fits(table: Scene, noun: str) -> np.ndarray:
    """(n,) how probably each thing is meant by a noun phrase: its last words name the category, words before them
    are its colour or said of no attribute in the table. The lexicon's words count where no thing is called so."""
    words = re.findall(r"[a-z0-9']+", noun.lower())
    tried = itertools.product((_means, _also_means), (HEARD, LEAST), range(len(words) if len(table) else 0))
    for means, least, start in tried:
        head, before = " ".join(words[start:]), words[:start]
        chances = np.array(
            [_called(o.beliefs.get("name", {}), head, means) * o.existence for o in table.objects]
        )
        if chances.max() > least:
            for color in (w if w != "grey" else "gray" for w in before):
                if color in COLORS:
                    chances = chances * [_colored(o.beliefs.get("color"), color) for o in table.objects]
            return chances
    return np.zeros(len(table))


def surely_called(o: ObjectState, noun: str) -> bool:
    """Whether a thing is there and of a category that the phrase's last words mean, more probably than not."""
    words = re.findall(r"[a-z0-9']+", noun.lower())
    heads = [" ".join(words[start:]) for start in range(len(words))]
    belief = o.beliefs.get("name", {})
    for means in (_means, _also_means):
        p = max(
            (sum(p for value, p in belief.items() if means(value, head) > 0) for head in heads), default=0.0
        )
        if p > 0:
            return p * o.existence >= 0.5
    return False


def _colored(belief: Mapping[str, float] | None, color: str) -> float:
    """The probability of a colour; a thing of which the table knows no colour stays possible."""
    return 0.1 if belief is None else belief.get(color, 0.0)


def _called(belief: Mapping[str, float], noun: str, means: Callable[[str, str], float]) -> float:
    return sum(p * means(value, noun) for value, p in belief.items())


def _means(value: str, noun: str) -> float:
    """How well a noun means a category: "chair" means a chair, and an office chair where there is no plain one; "crate" a
    crate, and any box where there is none."""
    if joined(value) == joined(noun) or (value in PEOPLE and noun in _PERSON):
        return 1.0
    if _canonical(value) == _canonical(noun):
        return SYNONYM
    if value in PEOPLE and noun in PEOPLE:
        return KIN
    return LOOSE if is_a(value, noun) else 0.0


def _also_means(value: str, noun: str) -> float:
    """How well a noun means a category by the lexicon: "TV stand" a TV cabinet."""
    return SYNONYM if same(noun, value) else 0.0


def _canonical(noun: str) -> str:
    noun = _SAME.get(noun, noun)
    return SYNONYMS.get(noun, noun)
