"""Questions on a scene: the seven tasks of PulseCheck457, as programs whose answer is known and balanced.

The families are the benchmark's own templates (zero_hop, same_relate, ... collision). A family draws a
program with its answer from a scene; what it draws already keeps the benchmark's constraints: references are
unique, filters and relations are needed, the attribute asked for is not told. For every question several
candidates are drawn and the one with the rarest answer so far in its family is kept; the number of draws is
bounded, so no scene can stall the generator."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from po3d.question import Task
from po3d.reasoning.program import Program, from_tokens
from po3d.synthesis.question_families import (
    COLLISION,
    OBJECTS,
    OCCLUSION,
    POSE,
    SPATIAL,
    ZERO_HOP,
    Maker,
)
from po3d.synthesis.question_pieces import Draw
from po3d.synthesis.question_world import World

CANDIDATES = 6  # valid draws a question is chosen from
TRIES = 40  # draws a family may spend on one question


@dataclass(frozen=True)
class Drawn:
    """One question before it has words."""

    template: str
    program: Program
    answer: str


class Column(NamedTuple):
    """One of the benchmark's question files."""

    task: Task
    families: dict[str, Maker]
    per_image: int


# The benchmark's columns in its order.
COLUMNS: dict[str, Column] = {
    "L1-Single": Column("2d", ZERO_HOP, 2),
    "L2-Multi-obj": Column("2d", OBJECTS, 5),
    "L3-2D-Spatial": Column("2d", SPATIAL, 5),
    "L4-Occlusion": Column("2d", OCCLUSION, 5),
    "L4-3D-Pose": Column("2d", POSE, 5),
    "L5-Collision": Column("2d", COLLISION, 5),
    "L5-6D-Spatial": Column("6d", SPATIAL, 5),
}


@dataclass
class Balance:
    """How often each template was used and each of its answers given, over the images so far."""

    uses: Counter[str] = field(default_factory=Counter)
    answers: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def keep(self, template: str, draws: Sequence[Draw]) -> Draw:
        """The draw with the rarest answer so far; the first of equals."""
        counts = self.answers[template]
        best = min(draws, key=lambda d: counts[d.answer])
        counts[best.answer] += 1
        self.uses[template] += 1
        return best


def ask(world: World, column: str, balance: Balance, rng: np.random.Generator) -> list[Drawn]:
    """Up to the column's number of questions on one scene, no program twice; fewer where the scene has no
    more to ask."""
    families, wanted = COLUMNS[column].families, COLUMNS[column].per_image
    questions: list[Drawn] = []
    asked: set[str] = set()
    shuffled = [list(families)[k] for k in rng.permutation(len(families))]
    for template in sorted(shuffled, key=lambda t: balance.uses[t]) * 2:
        if len(questions) == wanted:
            break
        draws: list[Draw] = []
        for _ in range(TRIES):
            draw = families[template](world, rng)
            if draw is not None and " ".join(draw.tokens) not in asked:
                draws.append(draw)
                if len(draws) == CANDIDATES:
                    break
        if not draws:
            continue
        best = balance.keep(template, draws)
        asked.add(" ".join(best.tokens))
        questions.append(Drawn(template, from_tokens(best.tokens), best.answer))
    return questions
