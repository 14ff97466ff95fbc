"""Photographs to scenes with pretrained networks (docs/photographs.md, docs/foundation.md).

photo ──► depth map ──► points ──► ground plane ──► level camera ───────────────┐
  └─────► detector, prompted with the question's nouns ──► boxes ──► object points ──► 3D box
                                                            └────► orientation network ──► heading

The depth map comes from a network or a file. Without one, camera and boxes are fitted together to
the usual sizes of the objects' kinds (`size_priors`).

Conventions are those of `room_view`: z = 0 is the ground, the camera is above the origin and looks
along +y, the viewer's axes are those of `po3d.scene.orbit`. Names are the phrases of the detector's
prompt, or the classes of an ONNX detector. The networks are in `foundation_networks` and
`onnx_detector`, the geometry is in `foundation_geometry`, files of depth are in `depth_files`.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from po3d.io.errors import InputError
from po3d.language.lexicon import fits
from po3d.perception import size_priors
from po3d.perception.depth_files import DepthFile, Intrinsics, PhotographWarning
from po3d.perception.foundation_geometry import (
    ACROSS_ERROR,
    AZIMUTH,
    GroundBox,
    find_ground,
    front_of,
    heading_of,
    level_camera,
    placed,
    spread,
    thing_points,
    unprojected,
)
from po3d.perception.photo_detections import (
    Choice,
    PhotoDetection,
    Pixels,
    calibrated,
    chosen,
    colors,
    crop,
    nouns,
)
from po3d.scene.camera import CameraPose, held
from po3d.scene.geometry import Array, Camera, Pose, wrap_angle
from po3d.scene.orbit import viewer_axes
from po3d.scene.table import ObjectState, Scene

FEWEST = 12  # points of an object
# standard deviation of the logarithm of the factor of all distances above which there is a warning
COMMON = 0.15
UNITS_OFF = 3.0  # factor between heights in a depth map and usual ones that suggests a wrong unit
NAMED = 0.6  # least fit of a noun to the class of a fixed list, or to an object of known size
LEAST_FOCAL, MOST_FOCAL = 0.1, 100.0  # focal lengths of intrinsics, in widths of the picture
PERSON = "person"
VERTICAL = 0.2  # lower bound on the horizontal component of a front that points up or down


# Name and height in metres of one object, given by the user.
KnownSize = tuple[str, float]


# An object in the world, apart from its heading: its detection, (3,) a point of it from which its
# heading is measured, and its box by heading.
Placed = tuple[PhotoDetection, Array, Callable[[float], GroundBox]]


@dataclass(frozen=True)
class FoundationEstimator:
    """Estimates one Scene per image from `estimate(pictures, focals)`."""

    # (picture, phrases) -> boxes with scores; with `classes` (picture) -> the same
    detect: Callable[..., Any]
    # -> foundation_networks.Depth; None: distances from size priors
    measure: Callable[[Pixels, float | None], Any] | None
    # -> one Facing per crop; None: headings stay unknown
    face: Callable[[Sequence[Pixels]], Sequence[Any]] | None
    vocabulary: Sequence[str] = ()
    field_of_view: float = 55.0  # degrees across the longer side, if the focal length is unknown
    longest_side: int = 1280  # pixels of the networks' input
    choice: Choice = field(default_factory=Choice)
    classes: Sequence[str] = ()  # of a detector with a fixed list, in the order of its scores
    intrinsics: Intrinsics | None = None
    known: KnownSize | None = None
    # (picture, boxes of people) -> one Facing per box, or None; people_facing
    pose: Callable[[Pixels, Sequence[Array]], Sequence[Any]] | None = None
    version: str | None = None  # what runs, for reports
    checkpoint: str | None = None  # file of the detector, if it is one
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

    def _scene(
        self, picture: Pixels, focal: float | None, name: str, things: Sequence[str]
    ) -> Scene:
        height, width = picture.shape[:2]
        small = _shrunk(picture, self.longest_side)
        scale = width / small.shape[1], height / small.shape[0]
        center = None
        if self.intrinsics is not None:
            focal, center = self._lens(width, height, scale)
        boxes = self._detections(small, things)
        locate = self._by_sizes if self.measure is None else self._by_depth
        camera, things_placed = locate(small, boxes, focal, center)
        facing: Sequence[Any] = [None] * len(things_placed)
        if self.face is not None and things_placed:
            facing = self.face([crop(small, detection.box) for detection, *_ in things_placed])
        if self.pose is not None:
            facing = self._with_people(small, things_placed, facing)
        objects = []
        for thing, orientation in zip(things_placed, facing, strict=True):
            color = colors(small, tuple(thing[0].box), thing[0].mask)
            o = _object(thing, orientation, color, camera, scale)
            objects.append(replace(o, existence=calibrated(o.existence)) if self.classes else o)
        if isinstance(self.measure, DepthFile):
            _check_unit(objects, self.measure.path)
        if self.known is not None and self.measure is not None:
            camera, objects = _rescaled(camera, objects, self.known)
        full_focal = camera.focal * scale[0]
        view_camera = replace(camera, width=width, height=height, focal=full_focal)
        if camera.center is not None:
            x, y = camera.center
            view_camera = replace(view_camera, center=(x * scale[0], y * scale[1]))
        axes = viewer_axes((math.cos(AZIMUTH), math.sin(AZIMUTH)))
        return Scene(tuple(objects), axes, "predicted", view_camera, image=name)

    def _with_people(
        self, picture: Pixels, things: Sequence[Placed], facing: Sequence[Any]
    ) -> list[Any]:
        """Return the orientations, with those of people replaced by the pose network's where it has
        a result."""
        rows, boxes, result = [], [], list(facing)
        for k, (detection, *_) in enumerate(things):
            if fits(PERSON, likeliest_name(detection)) >= NAMED:
                rows.append(k)
                boxes.append(detection.box)
        facings = self.pose(picture, boxes) if rows else []
        for k, one in zip(rows, facings, strict=True):
            result[k] = one or result[k]
        return result

    def _lens(
        self, width: int, height: int, scale: tuple[float, float]
    ) -> tuple[float, tuple[float, float]]:
        """Return focal length in widths and principal point in pixels of the networks' input."""
        focal, (cx, cy) = self.intrinsics
        if not (0.25 < cx / width < 0.75 and 0.2 < cy / height < 0.8):
            raise InputError(
                f"the principal point {cx:g}, {cy:g} is far from the middle of {width} x {height} "
                "pixels: the intrinsics belong to another image size"
            )
        if not LEAST_FOCAL < focal / width < MOST_FOCAL:
            raise InputError(
                f"a focal length of {focal:g} pixels is implausible for a picture of width {width}:"
                " the intrinsics belong to another image size"
            )
        return focal / width, (cx / scale[0], cy / scale[1])

    def _detections(self, picture: Pixels, things: Sequence[str]) -> list[PhotoDetection]:
        wanted = nouns(things)
        if self.classes:
            boxes = self.detect(picture)
            first = _classes_of(wanted, self.classes)
            order = [*first, *(k for k in range(len(self.classes)) if k not in first)]
            phrases = [self.classes[k] for k in order]
            score = boxes.score[:, order]
            return chosen(boxes.box, score, phrases, len(first), self.choice, boxes.mask)
        phrases = list(dict.fromkeys([*wanted, *self.vocabulary]))
        if not phrases:
            raise InputError(
                "nothing to detect: the question names no object and perception.vocabulary is empty"
            )
        boxes = self.detect(picture, phrases)
        return chosen(boxes.box, boxes.score, phrases, len(wanted), self.choice, boxes.mask)

    def _by_depth(
        self,
        picture: Pixels,
        boxes: Sequence[PhotoDetection],
        focal: float | None,
        center: tuple[float, float] | None,
    ) -> tuple[Camera, list[Placed]]:
        """Locate objects by the points of a depth map. `focal` in widths, `center` in pixels."""
        height, width = picture.shape[:2]
        depth = self.measure(picture, focal)
        if focal is None:
            focal = depth.focal or _usual_focal(self.field_of_view, width, height)
        points = unprojected(depth.metres, focal * width, center)
        ground = find_ground(points)
        camera = level_camera(width, height, focal * width, ground, points, center)
        result = []
        for detection in boxes:
            cloud = thing_points(points, tuple(detection.box), camera, detection.mask)
            if len(cloud) >= FEWEST:
                result.append((detection, cloud.mean(0), _box_of(cloud, camera, detection)))
        return camera, result

    def _by_sizes(
        self,
        picture: Pixels,
        boxes: Sequence[PhotoDetection],
        focal: float | None,
        center: tuple[float, float] | None,
    ) -> tuple[Camera, list[Placed]]:
        """Locate objects by the usual sizes of their kinds."""
        height, width = picture.shape[:2]
        usual = _usual_focal(self.field_of_view, width, height) * width
        labels = list(map(likeliest_name, boxes))
        known = {}
        if self.known is not None:
            known[_row_of(self.known[0], labels, [d.score for d in boxes])] = self.known[1]
        fit = size_priors.fit(
            np.array([d.box for d in boxes]).reshape(-1, 4), labels, (width, height), usual,
            None if focal is None else focal * width, center, known,
        )  # fmt: skip
        if fit.common > COMMON:
            warnings.warn(
                "without a depth map, distances are derived from usual object sizes; all of them"
                f" may be off by a common factor (about {round(10 * fit.common) * 10} %)",
                PhotographWarning,
                stacklevel=2,
            )
        camera = held(CameraPose(fit.height, fit.pitch, 0.0, AZIMUTH), width, height, fit.focal)
        if center is not None:
            camera = replace(camera, center=center)
        result = []
        for detection, place, extent, sigma in zip(boxes, fit.position, fit.extent, fit.sigma):
            covariance = _sight_covariance(place, sigma)
            box = tuple(place.tolist()), tuple(extent.tolist()), covariance
            result.append((detection, place, lambda _, box=box: box))
        return camera, result


def _box_of(
    cloud: Array, camera: Camera, detection: PhotoDetection
) -> Callable[[float], GroundBox]:
    name = likeliest_name(detection)
    return lambda heading: placed(cloud, heading, camera.position, name)


def likeliest_name(detection: PhotoDetection) -> str:
    return max(detection.names, key=detection.names.__getitem__)


def _sight_covariance(place: Array, sigma: float) -> Array:
    """Return the covariance (2, 2) of x and y of an object seen from the origin, whose distance has
    the relative error `sigma`."""
    distance = math.hypot(place[0], place[1])
    along = place[:2] / max(distance, 1e-9)
    across = np.array([-along[1], along[0]])
    sides = (sigma * distance) ** 2, (ACROSS_ERROR * distance) ** 2
    return sides[0] * np.outer(along, along) + sides[1] * np.outer(across, across)


def _classes_of(wanted: Sequence[str], classes: Sequence[str]) -> list[int]:
    """Return the classes that fit each noun best: several for "board"."""
    result: list[int] = []
    for noun in wanted:
        fit = np.array([fits(noun, name) for name in classes])
        best = fit.max()
        if best >= NAMED:
            ties = np.flatnonzero(fit == best).tolist()
            result += ties if best == 1 else ties[:1]
    return list(dict.fromkeys(result))


def _row_of(name: str, labels: Sequence[str], scores: Sequence[float]) -> int:
    """Return the object of that name with the highest score; InputError if there is none."""
    rows = [k for k, label in enumerate(labels) if fits(name, label) >= NAMED]
    if not rows:
        there = ", ".join(sorted(set(labels))) or "nothing"
        raise InputError(f"perception.known: no {name!r} is detected (detected: {there})")
    return max(rows, key=lambda k: scores[k])


def _check_unit(objects: Sequence[ObjectState], path: str) -> None:
    """Warn if the objects of a depth map are several times as tall as usual."""
    ratios = []
    for o in objects:
        prior = size_priors.prior_of(o.value("name"))
        if prior is not None and prior.spread < 0.3 and o.existence > 0.4:
            ratios.append(o.extent[2] / prior.extent[2])
    factor = float(np.median(ratios)) if ratios else 1.0
    if not 1 / UNITS_OFF < factor < UNITS_OFF:
        warnings.warn(
            f"by {path}, objects have {factor:.2g} times their usual height; "
            "check the unit of the depths (perception.depth.unit)",
            PhotographWarning,
            stacklevel=2,
        )


def _rescaled(
    camera: Camera, objects: Sequence[ObjectState], known: KnownSize
) -> tuple[Camera, list[ObjectState]]:
    """Scale camera and objects so that the object of known height has it."""
    labels = [o.value("name") for o in objects]
    row = _row_of(known[0], labels, [o.existence for o in objects])
    factor = known[1] / objects[row].extent[2]
    rotation = camera.cam_T_world.rotation
    pose = Pose(rotation, -rotation @ (camera.position * factor))
    square = np.diag([factor, factor, 1.0])
    moved = []
    for o in objects:
        position, extent = factor * np.array(o.position), factor * np.array(o.extent)
        covariance = tuple(map(tuple, (square @ np.array(o.covariance) @ square).tolist()))
        place = {"position": tuple(position.tolist()), "extent": tuple(extent.tolist())}
        moved.append(replace(o, **place, covariance=covariance))
    return replace(camera, cam_T_world=pose), moved


def _object(
    thing: Placed, facing: Any, color: dict[str, float], camera: Camera, scale: tuple[float, float]
) -> ObjectState:
    """Build an object from its place.

    `scale` converts the box to the original image's pixels.
    """
    detection, centre, box_of = thing
    ray = np.array(
        [*((detection.box[:2] + detection.box[2:]) / 2 - camera.principal), camera.focal]
    )
    if facing is None:  # the prior heading is toward the viewer, with maximal uncertainty
        toward = camera.position - centre
        heading, (_, sigma, flip) = math.atan2(toward[1], toward[0]), spread(np.ones(4) / 4, 0.0)
    else:
        front = front_of(facing.azimuth, facing.polar, facing.rotation, ray)
        level = math.sqrt(max(0.0, 1 - float(camera.cam_T_world.rotation[:, 2] @ front) ** 2))
        heading, sigma, flip = (
            heading_of(front, camera),
            facing.sigma / max(level, VERTICAL),
            facing.flip,
        )
    position, extent, covariance_on_ground = box_of(heading)
    covariance = np.zeros((3, 3))
    covariance[:2, :2], covariance[2, 2] = covariance_on_ground, min(sigma, math.pi) ** 2
    beliefs = {"name": detection.names, "color": color}
    if facing is not None and facing.symmetry is not None:
        beliefs["symmetry"] = {str(facing.symmetry): 1.0}
    return ObjectState(
        beliefs,
        position,
        float(wrap_angle(heading)),
        extent,
        tuple(map(tuple, covariance.tolist())),
        flip,
        detection.score,
        tuple((detection.box * np.tile(scale, 2)).tolist()),
    )


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
