"""Calibration of the probabilities of answers that are computed from predicted scenes.

An estimator fits it on the answers to questions about validation scenes
(`python -m po3d.evaluation.answer_calibration`) and attaches it to every scene that it predicts.
"""

import math
from typing import NamedTuple

LEAST = 1e-6  # probabilities are kept this far from 0 and 1


class AnswerCalibration(NamedTuple):
    """A line on the log odds of an answer's probability (Platt 1999)."""

    slope: float
    offset: float
    mode: str  # `Domain.belief_mode` of the answers it was fitted on; not valid for others

    def calibrated(self, probability: float) -> float:
        """Return the calibrated probability; it grows with `probability`."""
        return 1 / (1 + math.exp(-self.slope * log_odds(probability) - self.offset))

    def after(self, earlier: "AnswerCalibration | None") -> "AnswerCalibration":
        """Return the composition of an earlier calibration and this one."""
        if earlier is None:
            return self
        slope, offset = self.slope * earlier.slope, self.slope * earlier.offset + self.offset
        return AnswerCalibration(slope, offset, self.mode)


def log_odds(probability: float) -> float:
    p = min(max(probability, LEAST), 1 - LEAST)
    return math.log(p / (1 - p))
