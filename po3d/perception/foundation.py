"""Photographs to scenes with pretrained foundation models (docs/foundation.md).

photo ──► depth network ──► points ──► ground plane ──► level camera ───────────┐
  └─────► detector, prompted with the question's nouns ──► boxes ──► object points ──► 3D box
                                                            └────► orientation network ──► heading

Conventions are those of `room_view`: z = 0 is the ground, the camera is above the origin and looks
along +y, the viewer's axes are those of `po3d.scene.orbit`. Names are the phrases of the detector's
prompt. The networks are in `foundation_networks`, the geometry is in `foundation_geometry`.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.io.errors import InputError
from po3d.language.descriptions import Description, describe
from po3d.language.lexicon import fits
from po3d.perception.foundation_geometry import (
    AZIMUTH,
    find_ground,
    front_of,
    heading_of,
    level_camera,
    placed,
    spread,
    thing_points,
    unprojected,
)
from po3d.perception.foundation_weights import HEAD, Weights, folders
from po3d.scene.geometry import Array, Camera, wrap_angle
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene

Pixels = NDArray[np.uint8]

MOST = 40  # objects per image
# Name probabilities are proportional to the scores' odds to this power, so that sixty phrases with
# a score of 5 % do not outweigh one with 60 %.
SHARPNESS = 2.0
SURE = 0.001  # names of lower probability are dropped
# IoU above which boxes are one object whatever their names; lower, a rider would merge with the
# horse
SAME = 0.9
FEWEST = 12  # points of an object
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
VERTICAL = 0.2  # lower bound on the horizontal component of a front that points up or down


@dataclass(frozen=True)
class Choice:
    """Thresholds for turning boxes into objects."""

    threshold: float = 0.25  # on the best phrase's score
    # On the score of the question's phrases; the best box of each counts even below it, with its
    # score.
    asked: float = 0.05
    overlap: float = 0.6  # IoU above which boxes with related names are one object

    def __post_init__(self) -> None:
        for key in ("threshold", "asked", "overlap"):
            if not 0 <= getattr(self, key) <= 1:
                raise InputError(f"perception.choice.{key}={getattr(self, key)} should be between 0 and 1")


class PhotoDetection(NamedTuple):
    """An object in the image."""

    box: Array  # (4,) x0, y0, x1, y1 in pixels
    names: dict[str, float]  # name -> probability
    score: float


@dataclass(frozen=True)
class FoundationEstimator:
    """Estimates one Scene per image from `estimate(pictures, focals)`."""

    detect: Callable[[Pixels, Sequence[str]], Any]  # -> foundation_networks.Boxes
    measure: Callable[[Pixels, float | None], Any]  # -> foundation_networks.Depth
    # -> one Facing per crop; None: headings stay unknown
    face: Callable[[Sequence[Pixels]], Sequence[Any]] | None
    vocabulary: Sequence[str] = ()
    field_of_view: float = 55.0  # degrees across the longer side, if the focal length is unknown
    longest_side: int = 1280  # pixels of the networks' input
    choice: Choice = Choice()
    name: ClassVar[str] = "foundation"
    made_for: ClassVar[tuple[str, ...]] = ("photographs",)

    def estimate(
        self,
        pictures: Sequence[Pixels],
        focals: Sequence[float | None],
        names: Sequence[str] | None = None,
        things: Sequence[str] = (),
    ) -> list[Scene]:
        """Predict one scene for each (H, W, 3) image.

        `focals`: focal lengths in image widths; None: unknown. `things`: descriptions in the
        question, whose nouns are added to the detector's vocabulary.
        """
        names = names or [""] * len(pictures)
        return [
            self._scene(picture, focal, name, things)
            for picture, focal, name in zip(pictures, focals, names, strict=True)
        ]

    def _scene(self, picture: Pixels, focal: float | None, name: str, things: Sequence[str]) -> Scene:
        height, width = picture.shape[:2]
        small = _shrunk(picture, self.longest_side)
        scale = width / small.shape[1], height / small.shape[0]
        depth = self.measure(small, focal)
        if focal is None:
            focal = depth.focal or _usual_focal(self.field_of_view, width, height)
        points = unprojected(depth.metres, focal * small.shape[1])
        ground = find_ground(points, name=name)
        camera = level_camera(small.shape[1], small.shape[0], focal * small.shape[1], ground, points)
        nouns_wanted = nouns(things)
        phrases = list(dict.fromkeys([*nouns_wanted, *self.vocabulary]))
        if not phrases:
            raise InputError(
                "nothing to detect: the question names no object and perception.vocabulary is empty"
            )
        boxes = chosen(*self.detect(small, phrases), phrases, len(nouns_wanted), self.choice)
        cut = [(box, p) for box in boxes if len(p := thing_points(points, tuple(box.box), camera)) >= FEWEST]
        facing: Sequence[Any] = [None] * len(cut)
        if self.face is not None and cut:
            facing = self.face([crop(small, box.box) for box, _ in cut])
        objects = tuple(
            _object(box, p, f, colors(small, tuple(box.box)), camera, scale)
            for (box, p), f in zip(cut, facing, strict=True)
        )
        view_camera = replace(camera, width=width, height=height, focal=focal * width)
        axes = viewer_axes((math.cos(AZIMUTH), math.sin(AZIMUTH)))
        return Scene(objects, axes, "predicted", view_camera, image=name)


def crop(picture: Pixels, box: Sequence[float]) -> Pixels:
    """Crop an image box with a margin of a twentieth on each side; at least one pixel."""
    height, width = picture.shape[:2]
    mx, my = (box[2] - box[0]) / 20, (box[3] - box[1]) / 20
    x0, y0 = min(max(0, int(box[0] - mx)), width - 1), min(max(0, int(box[1] - my)), height - 1)
    return picture[y0 : max(y0 + 1, math.ceil(box[3] + my)), x0 : max(x0 + 1, math.ceil(box[2] + mx))]


def _object(
    detection: PhotoDetection,
    points: Array,
    facing: Any,
    color: dict[str, float],
    camera: Camera,
    scale: tuple[float, float],
) -> ObjectState:
    """Build an object from its points (n, 3) in the world.

    `scale` converts the box to the original image's pixels.
    """
    eye = camera.position
    ray = np.array([*((detection.box[:2] + detection.box[2:]) / 2 - camera.principal), camera.focal])
    if facing is None:  # the prior heading is toward the viewer, with maximal uncertainty
        toward = eye - points.mean(0)
        heading, (_, sigma, flip) = math.atan2(toward[1], toward[0]), spread(np.ones(4) / 4, 0.0)
    else:
        front = front_of(facing.azimuth, facing.polar, facing.rotation, ray)
        level = math.sqrt(max(0.0, 1 - float(camera.cam_T_world.rotation[:, 2] @ front) ** 2))
        heading, sigma, flip = heading_of(front, camera), facing.sigma / max(level, VERTICAL), facing.flip
    name = max(detection.names, key=detection.names.__getitem__)
    box = placed(points, heading, eye, name)
    covariance = np.zeros((3, 3))
    covariance[:2, :2], covariance[2, 2] = box.covariance, min(sigma, math.pi) ** 2
    return ObjectState(
        {"name": detection.names, "color": color},
        box.position,
        float(wrap_angle(heading)),
        box.extent,
        tuple(map(tuple, covariance.tolist())),
        flip,
        detection.score,
        tuple((detection.box * np.tile(scale, 2)).tolist()),
    )


def colors(picture: Pixels, box: Sequence[float]) -> dict[str, float]:
    """Return the share of each colour word among the pixels in the middle of an image box.

    Colour words are those of po3d.scene.rooms.COLORS.

    Colours are defined by hand-made rules on hue, saturation and value.
    """
    x, y, w, h = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, box[2] - box[0], box[3] - box[1]
    part = crop(picture, (x - MIDDLE * w / 2, y - MIDDLE * h / 2, x + MIDDLE * w / 2, y + MIDDLE * h / 2))
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
    words = np.select([holds for holds, _ in rules], [word for _, word in rules], "red")
    names, counts = np.unique(words, return_counts=True)
    return {str(name): float(count / len(words)) for name, count in zip(names, counts)}


def _shrunk(picture: Pixels, longest: int) -> Pixels:
    height, width = picture.shape[:2]
    if max(height, width) <= longest:
        return picture
    size = round(width * longest / max(height, width)), round(height * longest / max(height, width))
    return np.asarray(
        Image.fromarray(picture).resize(tuple(max(1, s) for s in size), Image.Resampling.LANCZOS)
    )


def _usual_focal(field_of_view: float, width: int, height: int) -> float:
    """Return the focal length in image widths of a field of view across the longer side."""
    return max(width, height) / width / 2 / math.tan(math.radians(field_of_view) / 2)


# --- vocabulary and selection of boxes -----------------------------------------------------------


def nouns(things: Sequence[str]) -> list[str]:
    """Return the nouns of descriptions and their landmarks.

    Example: ["mug", "laptop"] for "mug next to the laptop".

    A description without a noun is returned as it is.
    """
    names = [noun for thing in things for noun in [*_nouns(describe(thing))] or [thing.lower().strip()]]
    return [noun for noun in dict.fromkeys(names) if noun]


def _nouns(description: Description) -> Iterator[str]:
    if description.noun:
        yield description.noun
    for _, landmarks in description.relations:
        for landmark in landmarks:
            yield from _nouns(landmark)


def chosen(
    box: Array, score: Array, phrases: Sequence[str], wanted: int, choice: Choice = Choice()
) -> list[PhotoDetection]:
    """Select objects among boxes (n, 4) with scores (n, phrases), highest score first.

    The first `wanted` phrases are the question's, which presupposes that these objects exist.
    """
    if len(box) == 0:
        return []
    best = score.max(1)
    above_threshold = best >= choice.threshold
    if wanted:
        above_threshold |= (score[:, :wanted] >= choice.asked).any(1)
        above_threshold[score[:, :wanted].argmax(0)] = True
    order = [i for i in np.argsort(-best, kind="stable") if above_threshold[i]]
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
        PhotoDetection(box[order[k]], _names(merged[k], phrases), float(best[order[k]])) for k in rows[:most]
    ]


def _limit(first: str, second: str, choice: Choice) -> float:
    kin = fits(first, second) > 0 or fits(second, first) > 0
    return choice.overlap if kin else SAME


def _overlaps(box: Array) -> Array:
    """Return the pairwise intersection over union, (n, n)."""
    low, high = np.maximum(box[:, None, :2], box[None, :, :2]), np.minimum(box[:, None, 2:], box[None, :, 2:])
    shared = (high - low).clip(min=0).prod(-1)
    area = (box[:, 2:] - box[:, :2]).prod(1)
    return shared / np.maximum(area[:, None] + area[None] - shared, 1e-9)


def _names(score: Array, phrases: Sequence[str]) -> dict[str, float]:
    p = score.clip(1e-6, 1 - 1e-6)
    belief = (p / (1 - p)) ** SHARPNESS
    belief /= belief.sum()
    probable = {phrase: float(b) for phrase, b in zip(phrases, belief) if b >= SURE}
    return {phrase: b / sum(probable.values()) for phrase, b in probable.items()}


# --- from a config --------------------------------------------------------------------------------


def foundation(
    detector: Mapping[str, Any],
    depth: Mapping[str, Any],
    orientation: Mapping[str, Any] | None = None,
    device: str = "cpu",
    download: bool = False,
    phrases_at_once: int = 20,
    choice: Mapping[str, float] | None = None,
    **settings: Any,
) -> FoundationEstimator:
    """Build the estimator of a config.

    Each network is given by its `weights` (a folder or hub name) and `revision`.

    Raise InputError naming all missing weights. Networks are loaded with the first image.
    """
    nodes = {"detector": detector, "depth": depth} | (
        {} if orientation is None else {"orientation": orientation}
    )
    wanted = [
        Weights(role, str(node["weights"]), node.get("revision"), (HEAD,) if role == "orientation" else ())
        for role, node in nodes.items()
    ]
    at = folders(wanted, download)

    def later(role: str, name: str, *more: Any) -> Callable[..., Any]:
        """Return a network that is loaded at its first call."""

        @cache
        def network() -> Callable[..., Any]:
            from po3d.perception import foundation_networks as networks  # imports torch

            return getattr(networks, name)(at[role], device, *more)

        return lambda *arguments: network()(*arguments)

    return FoundationEstimator(
        later("detector", "Detector", phrases_at_once),
        later("depth", "DepthMap"),
        None if orientation is None else later("orientation", "Orientation"),
        choice=Choice(**(choice or {})),
        **settings,
    )
