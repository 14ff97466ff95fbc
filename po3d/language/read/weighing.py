"""Weights of alternative parses of one question, in addition to the parser's probability.

A log-linear model with few weights, fitted on development sentences (`python -m tools.wording read
dev --calibrate`): the network underestimates long programs, and annotators ask questions that a
scene can answer, after edits that affect the answer.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

LEAST = 1e-9  # lower bound on probabilities


class Evidence(NamedTuple):
    """Features of a parse: probability, number of calls of the question's program, whether
    execution fails without a predicted refusal, and whether the answer is unchanged by the edit.
    """

    probability: float
    calls: int = 0
    fails: bool = False
    unchanged: bool = False


@dataclass(frozen=True)
class Weighing:
    """Weights of the log probability, of each call, of failing, and of an answer unchanged by the
    edit.
    """

    probability: float = 1.0
    calls: float = 0.0
    fails: float = 0.0
    unchanged: float = 0.0

    def __call__(self, seen: Evidence) -> float:
        """Return the weight of a parse, above 0."""
        logarithm = self.probability * math.log(max(seen.probability, LEAST))
        return math.exp(
            logarithm + self.calls * seen.calls + self.fails * seen.fails + self.unchanged * seen.unchanged
        )


ALONE = Weighing()  # probability only
