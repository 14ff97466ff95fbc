"""How much a reading counts among several of one question, beside the probability that the reader gives it.

A log-linear model of few weights, found on development sentences (`python -m tools.wording read dev --calibrate`): the network takes long
programs for less likely than they are, and people ask what a table can tell, and tell of changes that matter for the answer.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

LEAST = 1e-9  # a probability of less counts as this


class Evidence(NamedTuple):
    """What speaks for a reading: its probability; the calls of its question's program; whether it has no answer on the table though it
    does not say that there is none; whether the answer is the same without the change."""

    probability: float
    calls: int = 0
    fails: bool = False
    unchanged: bool = False


@dataclass(frozen=True)
class Weighing:
    """The weights: of the logarithm of the probability, of each call, of failing, of an answer that the change leaves as it was."""

    probability: float = 1.0
    calls: float = 0.0
    fails: float = 0.0
    unchanged: float = 0.0

    def __call__(self, seen: Evidence) -> float:
        """The weight of a reading, above 0."""
        logarithm = self.probability * math.log(max(seen.probability, LEAST))
        return math.exp(
            logarithm + self.calls * seen.calls + self.fails * seen.fails + self.unchanged * seen.unchanged
        )


ALONE = Weighing()  # probabilities count alone
