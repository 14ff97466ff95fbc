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

from po3d.language.programs.street import Program, from_tokens
from po3d.reasoning.margins import margins
from po3d.reasoning.questions import Task
from po3d.scene.table import Scene
from po3d.synthesis.difficulty import DEFAULT, HOPS, Dials
from po3d.synthesis.street.question_families import (
    COLLISION,
    OBJECTS,
    OCCLUSION,
    POSE,
    SPATIAL,
    ZERO_HOP,
    Maker,
)
from po3d.synthesis.street.question_pieces import Draw, Pieces
from po3d.synthesis.street.question_world import World

CANDIDATES = 6  # valid draws a question is chosen from
TRIES = 40  # draws a family may spend on one question


@dataclass(frozen=True)
class Drawn:
    """One question before it has words."""

    template: str
    program: Program
    answer: str


# The templates of chains, by number of relations.
_CHAINS = dict(zip(HOPS, ("one_hop/", "two_hop/", "three_hop/"), strict=True))
NEAR = 1.0  # typical errors of perception: a question whose answer so little would change is near a boundary


class Column(NamedTuple):
    """One of the benchmark's question files."""

    task: Task
    families: dict[str, Maker]
    per_image: int
    geometric: bool = False  # whether answers depend on thresholds of geometry


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


def ask(
    world: World,
    column: Column,
    balance: Balance,
    rng: np.random.Generator,
    scene: Scene | None = None,
    dials: Dials = DEFAULT,
) -> list[Drawn]:
    """Up to the column's number of questions on one scene, no program twice; fewer where the scene has no
    more to ask. `scene`: the world's table, which the dial `near` reads."""
    families, wanted = _families(column, dials), column.per_image
    pieces = Pieces(world, rng)
    questions: list[Drawn] = []
    asked: set[str] = set()
    shuffled = [list(families)[k] for k in rng.permutation(len(families))]
    order = sorted(shuffled, key=lambda t: balance.uses[t])
    near = dials.near if column.geometric and scene is not None else None
    # A family that does not come near, or far, enough gives way to others; in the last pass any question will do.
    passes = [*order * 2] if near is None else [*order * 3]
    kinds = [None] * wanted if near is None else [bool(v) for v in rng.random(wanted) < near]
    for k, template in enumerate(passes):
        if len(questions) == wanted:
            break
        kind = kinds[len(questions)] if k < 2 * len(order) else None
        draws: list[Draw] = []
        for _ in range(TRIES):
            draw = families[template](pieces)
            if draw is not None and " ".join(draw.tokens) not in asked:
                if kind is not None and is_near(draw, scene, column.task) != kind:
                    continue
                draws.append(draw)
                if len(draws) == CANDIDATES:
                    break
        if not draws:
            continue
        best = balance.keep(template, draws)
        asked.add(" ".join(best.tokens))
        questions.append(Drawn(template, from_tokens(best.tokens), best.answer))
    return questions


def is_near(draw: Draw, scene: Scene, task: Task) -> bool:
    """Whether one typical error of perception would change the question's answer."""
    return margins(from_tokens(draw.tokens), scene, task, within=NEAR).flip is not None


def _families(column: Column, dials: Dials) -> dict[str, Maker]:
    families = column.families
    if dials.hops is None or families is not SPATIAL:
        return families
    return {k: v for k, v in families.items() if k.startswith(tuple(_CHAINS[n] for n in dials.hops))}
