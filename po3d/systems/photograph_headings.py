"""Probabilities of answers that depend on unknown headings."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from po3d.language.program import Call
from po3d.reasoning.grounded import Ground, answered
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.rules import Rules
from po3d.scene.table import ObjectState, Scene

GUESS = "a guess"  # in the reason of an answer that rests on unknown headings
TURNS = 4  # headings that are tried
# Without an orientation network: flip probability 0.5, standard deviation a quarter turn's.
UNKNOWN_FLIP, UNKNOWN_HEADING = 0.49, 0.9


def heading_guess(
    program: Call, scene: Scene, using: Ground, rules: Rules, outcome: Outcome
) -> dict[str, Any]:
    """Return the changed fields of an outcome that depends on unknown headings; {} if it does not.

    Its probability becomes at most the share of four headings, 90 degrees apart, with the same
    answer.
    """
    unknown = [k for k, o in enumerate(scene.objects) if _heading_unknown(o)]
    if scene.source != "predicted" or not unknown:
        return {}

    def answers(rows: Sequence[int]) -> list[str | None]:
        """Return the answers with the headings of these rows turned by multiples of 90 degrees."""
        result = []
        for k in range(TURNS):
            result.append(answered(program, _turned(scene, rows, k), using, rules).answer)
        return result

    share = answers(unknown).count(outcome.answer) / TURNS
    if share == 1:
        return {}
    used = sorted(set(unknown).intersection(outcome.rows))
    deciding = [k for k in used if answers([k]).count(outcome.answer) < TURNS] or used
    turned = sorted({f"the {scene.objects[k].value('name')}" for k in deciding})
    reason = f"{GUESS}: the heading of {' and '.join(turned) or 'an object'} is unknown"
    probability = min(outcome.probability or 1.0, max(share, 1 / TURNS))
    return {"reason": "; ".join(filter(None, (outcome.reason, reason))), "probability": probability}


def _heading_unknown(o: ObjectState) -> bool:
    """Whether the heading is unknown: opposite headings are about equally probable, and its
    standard deviation is above UNKNOWN_HEADING radians."""
    return o.flip > UNKNOWN_FLIP and o.covariance[2][2] > UNKNOWN_HEADING**2


def _turned(scene: Scene, rows: Sequence[int], quarters: int) -> Scene:
    objects = list(scene.objects)
    for k in rows:
        objects[k] = replace(objects[k], heading=objects[k].heading + quarters * math.pi / 2)
    return replace(scene, objects=tuple(objects))
