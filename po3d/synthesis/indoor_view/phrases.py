"""Unambiguous phrases for objects in a picture: "armchair", "red armchair", "lamp on the white
desk".

The rule is deliberately strict and independent of grounding: whatever a word could also mean
(hypernyms and hyponyms in the lexicon) counts as a match, and colours that look alike under a lamp
count as equal.
"""

from collections.abc import Collection

import numpy as np

from po3d.language.lexicon import fits
from po3d.reasoning.rules import THREEDSRBENCH_RULES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.rooms import hangs
from po3d.scene.table import Scene

DISPLAY_NAMES = {"tv": "TV"}  # a name in common spelling
# Objects that show little of their nominal colour: glass, leaves, screens, pictures.
COLOURLESS = frozenset((
    "window", "mirror", "picture", "tv", "monitor", "laptop", "plant", "fireplace", "door",
    "clock", "book",
))  # fmt: skip
ALIKE = [
    {"white", "beige"}, {"white", "gray"}, {"gray", "black"}, {"red", "pink"},
    {"pink", "purple"}, {"orange", "yellow"}, {"red", "orange"}, {"blue", "purple"},
    {"brown", "black"}, {"brown", "red"}, {"brown", "orange"}, {"beige", "yellow"},
    {"black", "blue"}, {"black", "green"}, {"beige", "orange"}, {"purple", "black"},
    {"beige", "pink"},
]  # fmt: skip
RESTING = 0.03  # largest gap in metres between an underside and the top that supports it
BARE = 0.35  # share of unambiguous nouns that are used without a colour


def phrases(
    scene: Scene, visible: Collection[int], landmarks: Collection[int], random: np.random.Generator
) -> dict[int, str]:
    """Return row -> phrase for the rows of `landmarks` that have an unambiguous phrase among the
    rows `visible`. `landmarks` are clearly visible, so other objects may be described by them.
    """
    teller = _PhraseGenerator(scene, tuple(visible))
    result: dict[int, str] = {}
    for i in sorted(landmarks):
        phrase = teller.alone(i, random)
        if phrase:
            result[i] = phrase
    for i in sorted(set(landmarks) - set(result)):
        phrase = teller.resting(i, result)
        if phrase:
            result[i] = phrase
    return result


class _PhraseGenerator:
    def __init__(self, scene: Scene, visible: tuple[int, ...]) -> None:
        self.scene, self.visible, self.world = (
            scene,
            visible,
            SceneGeometry.of(scene, THREEDSRBENCH_RULES),
        )
        self.names = scene.names
        self.colors = [
            o.value("color") if "color" in o.beliefs and name not in COLOURLESS else ""
            for o, name in zip(scene.objects, self.names)
        ]

    def mistakable(self, i: int) -> list[int]:
        """Return the other visible rows that the noun of i could mean."""
        name = self.names[i]
        return [
            j
            for j in self.visible
            if j != i and (fits(name, self.names[j]) or fits(self.names[j], name))
        ]

    def alone(self, i: int, random: np.random.Generator) -> str:
        """Return noun, or colour and noun; "" if ambiguous."""
        others, color = self.mistakable(i), self.colors[i]
        bare = random.random() < BARE
        if not others and (bare or not color):
            return self.noun(i)
        if not color or any(self.similar(color, self.colors[j]) for j in others):
            return ""
        return f"{color} {self.noun(i)}"

    def resting(self, i: int, phrases_by_row: dict[int, str]) -> str:
        """Return a phrase by the supporting object, if that has a phrase and no other object on it
        matches; "" otherwise.
        """
        base = self.base(i)
        if (
            base is None
            or base not in phrases_by_row
            or any(self.base(j) == base for j in self.mistakable(i))
        ):
            return ""
        if any(self.over(j, base) for j in self.mistakable(i)):  # hanging above it
            return ""
        return f"{self.noun(i)} on the {phrases_by_row[base]}"

    def noun(self, i: int) -> str:
        return DISPLAY_NAMES.get(self.names[i], self.names[i])

    @staticmethod
    def similar(a: str, b: str) -> bool:
        return not a or not b or a == b or {a, b} in ALIKE

    def over(self, i: int, j: int) -> bool:
        return i != j and self.world.over(i, j) > -0.1

    def base(self, i: int) -> int | None:
        """Return the row that supports i; None for the floor."""
        if hangs(self.names[i]):
            return None
        for j in range(len(self.scene)):
            top = self.world.things[j].top
            if (
                j != i
                and abs(self.world.things[i].low - top) <= RESTING
                and top > 0.1
                and self.over(i, j)
            ):
                return j
        return None
