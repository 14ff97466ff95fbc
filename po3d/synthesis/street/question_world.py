"""Ground truth of a scene as bit sets: a set of objects is one integer, a description or relation a
table lookup. This makes sampling questions fast, as most samples are rejected.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from po3d.language.programs.street import ALIGNMENTS
from po3d.reasoning import relations
from po3d.reasoning.questions import Task
from po3d.reasoning.relations import NO_FACING
from po3d.reasoning.rules import STREET_RULES
from po3d.scene.table import Scene
from po3d.scene.vocabulary import DIRECTIONS, FACINGS, PARENT

# (attribute, value) pairs in slot order: facing, size, color, material, shape
Phrase = tuple[tuple[str, str], ...]

# attributes that queries ask for; PulseCheck457 never asks for a material
QUERIED_ATTRIBUTES = ("shape", "color", "size")


class SceneBitsets:
    """A ground-truth scene as bit sets: bit i stands for object i."""

    def __init__(self, scene: Scene, task: Task, materials: bool = False) -> None:
        rules = STREET_RULES
        self.size = len(scene)
        self.all = (1 << self.size) - 1
        x, y = scene.positions[:, :2].T
        axes = np.array([scene.axes[d] for d in DIRECTIONS])
        pairs = relations.Pairs(x, y, scene.headings, axes, scene.extents, rules)
        labels = pairs.facings
        facings = [None if k == NO_FACING else FACINGS[k] for k in labels]
        self.value: dict[str, list[str | None]] = {"facing": facings}
        for attribute in QUERIED_ATTRIBUTES:
            self.value[attribute] = [o.value(attribute) for o in scene.objects]
        self.slots: tuple[str, ...] = ("size", "color", "shape")
        if materials:
            self.slots = ("size", "color", "material", "shape")
            self.value["material"] = []
            for o in scene.objects:
                material = o.value("material") if "material" in o.beliefs else None
                self.value["material"].append(material)
        frame = "camera" if task == "2d" else "object"
        matrices = {f"relate[{d},task]": pairs.truth(d, frame) for d in DIRECTIONS}
        for alignment, relation in ALIGNMENTS.items():
            matrices[f"aligned[{alignment}]"] = truth = pairs.truth(relation)
            if rules.aligned_needs_label:
                truth &= (labels != NO_FACING)[:, None]
        for travel in ("forward", "backward"):
            matrices[f"collide[{travel}]"] = pairs.truth(f"collides_{travel}")
        for attribute in self.slots:
            v = np.array(self.value[attribute], object)
            matrices[f"same[{attribute}]"] = same = v[:, None] == v[None, :]
            np.fill_diagonal(same, False)
        hides = np.zeros((self.size, self.size), bool)
        for j, belief in enumerate(scene.occluders or ()):
            for i, p in belief.items():
                hides[i, j] = p > 0.5
        matrices["occludees"], matrices["occluder"] = hides, hides.T
        self.relation = {}
        for key, matrix in matrices.items():
            self.relation[key] = list(map(bits, map(np.flatnonzero, matrix)))
        self.occluded = bits(np.flatnonzero(hides.any(0)))
        self._masks: dict[Phrase, int] = {}
        self._phrases: dict[tuple[int, tuple[str, ...]], list[Phrase]] = {}

    def mask(self, phrase: Phrase) -> int:
        """Return the set of objects that a phrase describes."""
        if phrase not in self._masks:
            mask = 0
            for i in range(self.size):
                if all(self._is(i, attribute, value) for attribute, value in phrase):
                    mask |= 1 << i
            self._masks[phrase] = mask
        return self._masks[phrase]

    def _is(self, i: int, attribute: str, value: str) -> bool:
        actual = self.value[attribute][i]
        return actual == value or (attribute == "shape" and PARENT[actual] == value)

    def phrases(self, i: int, untold: Sequence[str] = ()) -> list[Phrase]:
        """Return every phrase that matches object i and omits the attributes `untold`; the empty
        phrase ("thing") comes first."""
        key = (i, tuple(untold))
        if key not in self._phrases:
            phrases: list[Phrase] = [()]
            for attribute in self.slots:
                actual = self.value[attribute][i]
                options: list[Phrase] = [()]
                if attribute not in untold and actual is not None:
                    options.append(((attribute, actual),))
                    if attribute == "shape":
                        options.append((("shape", PARENT[actual]),))
                phrases = [phrase + option for phrase in phrases for option in options]
            self._phrases[key] = phrases
        return self._phrases[key]


def bits(indices: Sequence[int] | Iterator[int]) -> int:
    """Return the bit set of the indices."""
    total = 0
    for i in indices:
        total |= 1 << int(i)
    return total


def members(mask: int) -> list[int]:
    """Return the indices of a bit set in ascending order."""
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
