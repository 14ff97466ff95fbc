"""Weights of alternative parses of one question, in addition to the parser's probability.

A log-linear model with few weights, fitted on development sentences (`python -m tools.wording read
dev --calibrate`): the network underestimates long programs, and annotators ask questions that a
scene can answer, after edits that affect the answer.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

LEAST = 1e-9  # lower bound on probabilities


class ParseEvidence(NamedTuple):
    """Features of a parse.

    `calls`: number of calls of the question's program. `fails`: execution fails without a predicted
    refusal. `unchanged`: the edit does not change the answer.
    """

    probability: float
    calls: int = 0
    fails: bool = False
    unchanged: bool = False


@dataclass(frozen=True)
class Weighing:
    """Weights of the features: log probability, calls, failing, answer unchanged by the edit."""

    probability: float = 1.0
    calls: float = 0.0
    fails: float = 0.0
    unchanged: float = 0.0

    def __call__(self, evidence: ParseEvidence) -> float:
        """Return the weight of a parse, above 0."""
        logarithm = self.probability * math.log(max(evidence.probability, LEAST))
        return math.exp(
            logarithm
            + self.calls * evidence.calls
            + self.fails * evidence.fails
            + self.unchanged * evidence.unchanged
        )


ALONE = Weighing()  # probability only
