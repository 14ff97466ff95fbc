"""Heading of the object in a box of a photograph, by an orientation network alone.

It answers L4-Pose-Real without depth network or detector.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from po3d.benchmarks.pulsecheck457.pose_real import WAYS
from po3d.perception.foundation_geometry import front_of
from po3d.perception.foundation_weights import HEAD, Weights, folders
from po3d.perception.photo_detections import Pixels, crop
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.vocabulary import FACINGS
from po3d.systems.interfaces import Context


class BoxFacing:
    """A System that returns the nearest of four headings for the object in a question's box.

    `face`: predicts the orientation of crops, as `foundation_orientation.Orientation` of
    po3d.perception does. `photo`: pixels of an image by name. `box`: its box (x0, y0, x1, y1) in
    pixels, None if unknown.
    """

    def __init__(
        self,
        face: Callable[[Sequence[Pixels]], Sequence[Any]],
        photo: Callable[[str], Pixels],
        box: Callable[[str], Sequence[float] | None],
    ) -> None:
        self.face, self.photo, self.box = face, photo, box

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        return list(map(self._answer, questions))

    def _answer(self, question: Question) -> Prediction:
        box = self.box(question.image)
        if box is None:
            reason = "the box of this image is drawn in it, but not in any file"
            return Prediction(question.id, "failed", reason=reason)
        pixels = self.photo(question.image)
        height, width = pixels.shape[:2]
        (facing,) = self.face([crop(pixels, box)])
        # The focal length is unknown: 55 degrees across the longer side, as for other photographs.
        focal = max(height, width) / 2 / math.tan(math.radians(55) / 2)
        ray = np.array([(box[0] + box[2] - width) / 2, (box[1] + box[3] - height) / 2, focal])
        front = front_of(facing.azimuth, facing.polar, facing.rotation, ray)
        answer = max(FACINGS, key=lambda word: WAYS[word][0] * front[0] + WAYS[word][1] * front[2])
        return Prediction(question.id, "ok", answer, 1 - facing.flip)


def orientation_network(
    weights: str, device: str = "cpu"
) -> Callable[[Sequence[Pixels]], Sequence[Any]]:
    """Load Orient Anything from a folder made as in docs/foundation.md; InputError if it is
    missing."""
    at = folders([Weights("orientation", weights, None, (HEAD,))], False)
    from po3d.perception.foundation_orientation import Orientation  # imports torch

    return Orientation(at["orientation"], device)
