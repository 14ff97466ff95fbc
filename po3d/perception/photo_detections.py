"""Objects among a detector's boxes: names, merging, colours.

boxes with scores for phrases ──► `chosen` ──► objects with name probabilities
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.io.errors import InputError
from po3d.language.descriptions import Description, describe
from po3d.language.lexicon import fits
from po3d.scene.geometry import Array

Pixels = NDArray[np.uint8]

MOST = 40  # objects per image
# Log odds of a box to be right against those of its score, for detectors with a fixed list of
# classes: YOLOX-nano's on 30 photographs (docs/photographs.md).
CALIBRATION = 2.27, 1.06
# Name probabilities are proportional to the scores' odds to this power, so that sixty phrases with
# a score of 5 % do not outweigh one with 60 %.
SHARPNESS = 2.0
SURE = 0.001  # names of lower probability are dropped
MIDDLE = 0.7  # share of a box's sides in which colours are measured
# Upper bounds of the colours' hues in degrees; beyond the last it is red again.
HUES = (
    (15, "red"),
    (40, "orange"),
    (66, "yellow"),
    (165, "green"),
    (260, "blue"),
    (310, "purple"),
    (345, "pink"),
)


@dataclass(frozen=True)
class Choice:
    """Thresholds for turning boxes into objects."""

    threshold: float = 0.25  # on the best phrase's score
    # On the score of the question's phrases; the best box of each counts even below it, with its
    # score.
    asked: float = 0.05
    overlap: float = 0.6  # IoU above which boxes with related names are one object
    # IoU above which boxes are one object whatever their names; lower, a rider would merge with the
    # horse
    same: float = 0.9

    def __post_init__(self) -> None:
        for key in ("threshold", "asked", "overlap", "same"):
            if not 0 <= getattr(self, key) <= 1:
                raise InputError(
                    f"perception.choice.{key}={getattr(self, key)} should be between 0 and 1"
                )


def calibrated(score: float) -> float:
    """Return the probability that a box with this score is right (CALIBRATION)."""
    p = min(max(score, 1e-4), 1 - 1e-4)
    return 1 / (1 + math.exp(-(CALIBRATION[0] + CALIBRATION[1] * math.log(p / (1 - p)))))


class PhotoDetection(NamedTuple):
    """An object in the image."""

    box: Array  # (4,) x0, y0, x1, y1 in pixels
    names: dict[str, float]  # name -> probability
    score: float
    mask: NDArray[np.bool_] | None = None  # (h, w), an even grid over the picture


def nouns(things: Sequence[str]) -> list[str]:
    """Return the nouns of descriptions and their landmarks.

    Example: ["mug", "laptop"] for "mug next to the laptop".

    A description without a noun is returned as it is.
    """
    names: dict[str, None] = {}
    for thing in things:
        names |= dict.fromkeys([*_nouns(describe(thing))] or [thing.lower().strip()])
    return list(filter(None, names))


def _nouns(description: Description) -> Iterator[str]:
    if description.noun:
        yield description.noun
    for _, landmarks in description.relations:
        for landmark in landmarks:
            yield from _nouns(landmark)


def chosen(
    box: Array,
    score: Array,
    phrases: Sequence[str],
    wanted: int,
    choice: Choice = Choice(),
    mask: NDArray[np.bool_] | None = None,
) -> list[PhotoDetection]:
    """Select objects among boxes (n, 4) with scores (n, phrases), highest score first.

    `mask`: (n, h, w) masks of the boxes, if there are any. The first `wanted` phrases are the
    question's, which presupposes that these objects exist.
    """
    if len(box) == 0:
        return []
    best = score.max(1)
    above_threshold = best >= choice.threshold
    if wanted:
        above_threshold |= (score[:, :wanted] >= choice.asked).any(1)
        best_of = score[:, :wanted].argmax(0)
        above_threshold[best_of[score[best_of, range(wanted)] > 0]] = True
    order = np.argsort(-best, kind="stable")
    order = order[above_threshold[order]]
    overlap = _overlaps(box[order])
    tops = [phrases[int(score[i].argmax())] for i in order]
    rows: list[int] = []  # indices into `order`
    merged: dict[int, Array] = {}
    for k, i in enumerate(order):
        twin = next((r for r in rows if overlap[r, k] >= _limit(tops[r], tops[k], choice)), None)
        if twin is None:
            rows.append(k)
            merged[k] = score[i]
        else:
            merged[twin] = np.maximum(merged[twin], score[i])
    most = max(MOST, wanted)
    return [
        PhotoDetection(
            box[order[k]],
            _names(merged[k], phrases),
            float(best[order[k]]),
            mask[order[k]] if mask is not None and mask[order[k]].any() else None,
        )
        for k in rows[:most]
    ]


def _limit(first: str, second: str, choice: Choice) -> float:
    kin = fits(first, second) > 0 or fits(second, first) > 0
    return choice.overlap if kin else choice.same


def _overlaps(box: Array) -> Array:
    """Return the pairwise intersection over union, (n, n)."""
    low, high = (
        np.maximum(box[:, None, :2], box[None, :, :2]),
        np.minimum(box[:, None, 2:], box[None, :, 2:]),
    )
    shared = (high - low).clip(min=0).prod(-1)
    area = (box[:, 2:] - box[:, :2]).prod(1)
    return shared / np.maximum(area[:, None] + area[None] - shared, 1e-9)


def _names(score: Array, phrases: Sequence[str]) -> dict[str, float]:
    p = score.clip(1e-6, 1 - 1e-6)
    belief = (p / (1 - p)) ** SHARPNESS
    belief /= belief.sum()
    probable = {phrase: float(b) for phrase, b in zip(phrases, belief) if b >= SURE}
    return {phrase: b / sum(probable.values()) for phrase, b in probable.items()}


def crop(picture: Pixels, box: Sequence[float]) -> Pixels:
    """Crop an image box with a margin of a twentieth on each side; at least one pixel."""
    height, width = picture.shape[:2]
    mx, my = (box[2] - box[0]) / 20, (box[3] - box[1]) / 20
    x0, y0 = min(max(0, int(box[0] - mx)), width - 1), min(max(0, int(box[1] - my)), height - 1)
    return picture[
        y0 : max(y0 + 1, math.ceil(box[3] + my)), x0 : max(x0 + 1, math.ceil(box[2] + mx))
    ]


def inside(mask: NDArray[np.bool_], y: Array, x: Array, height: int, width: int) -> Array:
    """Return which pixels (y, x) of a picture are in a mask (h, w) over the whole picture."""
    h, w = mask.shape
    rows, columns = (y * h // height).astype(int), (x * w // width).astype(int)
    return mask[rows.clip(0, h - 1), columns.clip(0, w - 1)]


def colors(
    picture: Pixels, box: Sequence[float], mask: NDArray[np.bool_] | None = None
) -> dict[str, float]:
    """Return the share of each colour word among the pixels in the middle of an image box, or among
    those of its mask.

    Colour words are those of po3d.scene.rooms.COLORS.

    Colours are defined by fixed limits of hue, saturation and value.
    """
    x, y, w, h = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, box[2] - box[0], box[3] - box[1]
    part = crop(
        picture, (x - MIDDLE * w / 2, y - MIDDLE * h / 2, x + MIDDLE * w / 2, y + MIDDLE * h / 2)
    )
    if mask is not None:
        height, width = picture.shape[:2]
        own = picture[inside(mask, *np.indices((height, width)), height, width)]
        part = own[None] if len(own) else part
    hsv = np.asarray(Image.fromarray(part).convert("HSV"), float).reshape(-1, 3)[::7]
    hue, saturation, value = hsv[:, 0] * 360 / 256, hsv[:, 1] / 255, hsv[:, 2] / 255
    pale = (hue < 48) & (saturation < 0.4) & (value > 0.6)
    rules = [
        (value < 0.2, "black"),
        ((saturation < 0.12) & (value > 0.8), "white"),
        (saturation < 0.12, "gray"),
        (pale & (hue >= 15), "beige"),
        (pale, "pink"),
        ((hue < 48) & (hue >= 15) & (value < 0.6), "brown"),
        *((hue < bound, word) for bound, word in HUES),
    ]
    words = np.select(*map(list, zip(*rules)), "red")
    names, counts = np.unique(words, return_counts=True)
    return {str(name): float(count / len(words)) for name, count in zip(names, counts)}
