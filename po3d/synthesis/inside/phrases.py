"""What to call a thing in a picture so that nobody can take another for it: "armchair", "red armchair", "lamp on the
white desk".

The rule is strict on purpose and knows nothing of how descriptions are grounded: whatever a word could also mean
(the lexicon's kinds above and below) counts as meant, and colours that a lamp's light makes alike count as the same.
"""

from collections.abc import Collection

import numpy as np

from po3d.language.lexicon import fits
from po3d.reasoning.rules import THREEDSRBENCH_RULES
from po3d.reasoning.world import World
from po3d.scene.rooms import hangs
from po3d.scene.table import Scene

SAID = {"tv": "TV"}  # a name as people write it
# What takes little of the paint that the table names: glass, leaves, screens, pictures.
COLOURLESS = frozenset(
    ("window", "mirror", "picture", "tv", "monitor", "laptop", "plant", "fireplace", "door", "clock", "book")
)
ALIKE = [
    {"white", "beige"}, {"white", "gray"}, {"gray", "black"}, {"red", "pink"}, {"pink", "purple"}, {"orange", "yellow"},
    {"red", "orange"}, {"blue", "purple"}, {"brown", "black"}, {"brown", "red"}, {"brown", "orange"}, {"beige", "yellow"},
    {"black", "blue"}, {"black", "green"}, {"beige", "orange"}, {"purple", "black"}, {"beige", "pink"},
]  # fmt: skip
RESTING = 0.03  # metres between an underside and the top it rests on
BARE = 0.35  # share of unmistakable nouns that are said without a colour


def phrases(
    scene: Scene, seen: Collection[int], landmarks: Collection[int], random: np.random.Generator
) -> dict[int, str]:
    """Row -> its phrase, of those rows of `landmarks` that have an unambiguous one among the rows that are `seen`.
    `landmarks` are well visible, so that others may be told by them."""
    teller = _Teller(scene, tuple(seen))
    found: dict[int, str] = {}
    for i in sorted(landmarks):
        phrase = teller.alone(i, random)
        if phrase:
            found[i] = phrase
    for i in sorted(set(landmarks) - set(found)):
        phrase = teller.resting(i, found)
        if phrase:
            found[i] = phrase
    return found


class _Teller:
    def __init__(self, scene: Scene, seen: tuple[int, ...]) -> None:
        self.scene, self.seen, self.world = scene, seen, World.of(scene, THREEDSRBENCH_RULES)
        self.names = [o.value("name") for o in scene.objects]
        self.colors = [
            o.value("color") if "color" in o.beliefs and name not in COLOURLESS else ""
            for o, name in zip(scene.objects, self.names)
        ]

    def mistakable(self, i: int) -> list[int]:
        """The other seen rows that the noun of i could mean."""
        name = self.names[i]
        return [j for j in self.seen if j != i and (fits(name, self.names[j]) or fits(self.names[j], name))]

    def alone(self, i: int, random: np.random.Generator) -> str:
        """By noun, or noun and colour; "" when that could be another."""
        others, color = self.mistakable(i), self.colors[i]
        bare = random.random() < BARE
        if not others and (bare or not color):
            return self.noun(i)
        if not color or any(self.similar(color, self.colors[j]) for j in others):
            return ""
        return f"{color} {self.noun(i)}"

    def resting(self, i: int, told: dict[int, str]) -> str:
        """By what it stands on, when that has a phrase and nothing else on it could be meant; "" otherwise."""
        base = self.base(i)
        if base is None or base not in told or any(self.base(j) == base for j in self.mistakable(i)):
            return ""
        if any(self.over(j, base) for j in self.mistakable(i)):  # hanging above it
            return ""
        return f"{self.noun(i)} on the {told[base]}"

    def noun(self, i: int) -> str:
        return SAID.get(self.names[i], self.names[i])

    @staticmethod
    def similar(a: str, b: str) -> bool:
        return not a or not b or a == b or {a, b} in ALIKE

    def over(self, i: int, j: int) -> bool:
        return i != j and self.world.over(i, j) > -0.1

    def base(self, i: int) -> int | None:
        """The row that i stands on; None for the floor."""
        if hangs(self.names[i]):
            return None
        for j in range(len(self.scene)):
            top = self.world.things[j].top
            if j != i and abs(self.world.things[i].low - top) <= RESTING and top > 0.1 and self.over(i, j):
                return j
        return None
