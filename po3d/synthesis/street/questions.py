"""Questions on a scene: the seven tasks of PulseCheck457, as programs with known and balanced
answers.

The families are the benchmark's own templates (zero_hop, same_relate, ... collision). A family
samples a program with its answer from a scene under the benchmark's constraints: references are
unique, filters and relations are needed, and the queried attribute is not mentioned. For every
question several candidates are sampled, and the one whose answer is rarest so far in its family is
kept. The number of attempts is bounded, so generation always terminates.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from po3d.language.programs.street import StreetProgram, from_tokens
from po3d.reasoning.counterfactuals import margins
from po3d.reasoning.questions import Task
from po3d.scene.table import Scene
from po3d.synthesis.difficulty import DEFAULT, HOPS, Difficulty
from po3d.synthesis.street.question_families import (
    COLLISION,
    OBJECTS,
    OCCLUSION,
    POSE,
    SPATIAL,
    ZERO_HOP,
    Maker,
)
from po3d.synthesis.street.question_pieces import Draw, PhraseSampler
from po3d.synthesis.street.question_world import SceneBitsets

CANDIDATES = 6  # number of valid candidates per question
TRIES = 40  # largest number of attempts of a family per question


@dataclass(frozen=True)
class SampledQuestionProgram:
    """A question before it is phrased."""

    template: str
    program: StreetProgram
    answer: str


# Templates of chains by the number of relations.
_CHAINS = dict(zip(HOPS, ("one_hop/", "two_hop/", "three_hop/"), strict=True))
# a question is near a boundary if an error of this many typical perception errors changes its
# answer
NEAR = 1.0


class Column(NamedTuple):
    """One of the benchmark's question files."""

    task: Task
    families: dict[str, Maker]
    per_image: int
    geometric: bool = False  # whether answers depend on geometric thresholds


# The benchmark's columns in its order.
COLUMNS: dict[str, Column] = {
    "L1-Single": Column("2d", ZERO_HOP, 2),
    "L2-Multi-obj": Column("2d", OBJECTS, 5),
    "L3-2D-Spatial": Column("2d", SPATIAL, 5, True),
    "L4-Occlusion": Column("2d", OCCLUSION, 5),
    "L4-3D-Pose": Column("2d", POSE, 5, True),
    "L5-Collision": Column("2d", COLLISION, 5, True),
    "L5-6D-Spatial": Column("6d", SPATIAL, 5, True),
}


# Counts of each template and of each of its answers, (template, answer), over the images so far.
Balance = Counter[str | tuple[str, str]]


def ask(
    world: SceneBitsets,
    column: Column,
    balance: Balance,
    rng: np.random.Generator,
    scene: Scene | None = None,
    difficulty: Difficulty = DEFAULT,
) -> list[SampledQuestionProgram]:
    """Sample questions on one scene, up to the column's number, without repeating a program; fewer
    if the scene does not offer more. `scene`: the scene of `world`, required for `difficulty.near`.
    """
    families, wanted = _families(column, difficulty), column.per_image
    pieces = PhraseSampler(world, rng)
    questions: list[SampledQuestionProgram] = []
    texts: set[str] = set()
    shuffled = [list(families)[k] for k in rng.permutation(len(families))]
    order = sorted(shuffled, key=lambda t: balance[t])
    near = difficulty.near if column.geometric and scene is not None else None
    # If a family does not reach the wanted distance from the boundary, the next one is tried; the
    # last pass accepts any question.
    passes = [*order * 2] if near is None else [*order * 3]
    kinds = [None] * wanted if near is None else (rng.random(wanted) < near).tolist()
    for k, template in enumerate(passes):
        if len(questions) == wanted:
            break
        kind = kinds[len(questions)] if k < 2 * len(order) else None
        draws: list[Draw] = []
        for _ in range(TRIES):
            draw = families[template](pieces)
            if draw is not None and " ".join(draw[0]) not in texts:
                if kind is not None and is_near(draw[0], scene, column.task) != kind:
                    continue
                draws.append(draw)
                if len(draws) == CANDIDATES:
                    break
        if not draws:
            continue
        # the candidate with the rarest answer so far; the first if several are equal
        tokens, answer = min(draws, key=lambda draw: balance[template, draw[1]])
        balance.update((template, (template, answer)))
        texts.add(" ".join(tokens))
        questions.append(SampledQuestionProgram(template, from_tokens(tokens), answer))
    return questions


def is_near(tokens: Sequence[str], scene: Scene, task: Task) -> bool:
    """Return whether one typical perception error would change the question's answer."""
    return margins(from_tokens(tokens), scene, task, within=NEAR).flip is not None


def _families(column: Column, difficulty: Difficulty) -> dict[str, Maker]:
    families = column.families
    if difficulty.hops is None or families is not SPATIAL:
        return families
    chains = tuple(map(_CHAINS.__getitem__, difficulty.hops))
    return {name: make for name, make in families.items() if name.startswith(chains)}
