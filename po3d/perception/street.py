"""Street images to scenes: network, decoding, joint fit. The overview of the street estimator.

images -> SceneNet -> centres and boxes -> box head -> probabilities, image points -> joint fit ->
Scene

The same networks also describe given boxes (`BoxModule`): the attributes or the poses of the rows
that another detector found.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch

from po3d.perception.detection import CALIBRATION, Detections, as_arrays, described, joined
from po3d.perception.estimator import CHUNK, NetworkEstimator
from po3d.perception.fit import Fit, joint_fit, rays, wrapped
from po3d.scene.exclusion import merge_overlapping
from po3d.scene.street import AXES, WIDTH, camera, extent, origin_height
from po3d.scene.table import ObjectPose, ObjectState, Scene
from po3d.scene.vocabulary import ATTRIBUTES, SHAPES, SIZES

KIND = "street_estimator"
# [shape][size] -> (length, width, height)
EXTENTS = [[tuple(extent(shape, size).tolist()) for size in SIZES] for shape in SHAPES]
MAX_OBJECTS = 16  # per image; the benchmark's scenes have at most 10
# Overlap, as a share of the smaller footprint, above which two detections are one vehicle. On 200
# validation scenes in three rendering styles the estimates of different vehicles share at most .44,
# those of one vehicle detected twice mostly .49 to .99.
SAME_GROUND = 0.45
# Limits of `recognises`: least number of vehicles, of their existence, and of the mean probability
# of their shape and size; largest median `Fit.chi2`, and distance of the camera from the nominal
# one. Chosen on validation pictures and on photographs of COCO (docs/photographs.md).
VEHICLES, CERTAIN, KNOWN, RESIDUAL, OFF_CAMERA = 2, 0.9, 0.65, 0.5, 0.65
# Refines detections by comparing them with the (H, W, 3) uint8 images: `systems.render_compare`.
Refiner = Callable[[Sequence[np.ndarray], Detections], Detections]


class BoxModule(NetworkEstimator):
    """Describes the rows of street scenes from their boxes, which are in pixels of a picture WIDTH
    wide: a module of `po3d.systems.separate_modules`."""

    width, limit = WIDTH, MAX_OBJECTS
    defaults = CALIBRATION | {"covariance": 1.0}  # covariance: scale of the poses' covariances

    def estimate_attributes(
        self, images: Sequence[np.ndarray], scenes: Sequence[Scene]
    ) -> list[list[dict[str, dict[str, float]]]]:
        """Return attribute -> value -> probability for each row of each scene."""
        probabilities = self.described(images, scenes).arrays().probabilities
        return [
            [_beliefs(probabilities, self.attributes, b, k) for k in range(len(scene))]
            for b, scene in enumerate(scenes)
        ]

    def estimate_poses(
        self, images: Sequence[np.ndarray], scenes: Sequence[Scene]
    ) -> list[list[ObjectPose]]:
        """Return the pose of each row, from the joint fit of each image with the sizes of its
        rows."""
        detections = self.described(images, scenes)
        known = {
            a: torch.zeros(*detections.score.shape, len(ATTRIBUTES[a]), device=self.device)
            for a in ("shape", "size")
        }
        for b, scene in enumerate(scenes):
            for k, o in enumerate(scene.objects):
                for a, chosen in zip(known, shape_and_size(o.beliefs)):
                    known[a][b, k, ATTRIBUTES[a].index(chosen)] = 1
        detections = detections._replace(probabilities=known)
        fit = transferred(fitted(detections))
        flip = detections.flip.cpu().numpy()
        covariance = fit.covariance * self.calibration["covariance"]

        def pose(b: int, k: int) -> ObjectPose:
            return ObjectPose(
                float(fit.heading[b, k]),
                tuple(fit.position[b, k].tolist()),
                tuple(map(tuple, covariance[b, k].tolist())),
                float(flip[b, k]),
            )

        return [[pose(b, k) for k in range(len(scene))] for b, scene in enumerate(scenes)]

    def described(self, images: Sequence[np.ndarray], scenes: Sequence[Scene]) -> Detections:
        """Run the box head on the boxes of the scenes' rows; tensors padded to the largest
        scene.
        """
        rows = max([1, *map(len, scenes)])
        boxes, present = (
            torch.zeros(len(scenes), rows, 4),
            torch.zeros(len(scenes), rows, dtype=torch.bool),
        )
        boxes[..., 2:] = 1.0
        for b, scene in enumerate(scenes):
            for k, o in enumerate(scene.objects):
                boxes[b, k] = torch.tensor(o.box)
                present[b, k] = True
        step = CHUNK if self.device.type == "cpu" else len(images)
        parts = []
        for start in range(0, len(images), step):
            part = slice(start, start + step)
            inputs = (boxes[part].to(self.device), present[part].to(self.device))
            pixels = self.pixels(images[part])
            options = self.width, self.calibration, self.half, self.material_shift
            parts.append(described(self.looks, pixels, *inputs, *options))
        return joined(parts)


class StreetEstimator(BoxModule):
    """Estimates one Scene per street image.

    `refine`: optional refinement of the detections before the joint fit.
    """

    kind, attributes = KIND, ATTRIBUTES
    cast = 0.15  # more than any image under white lamps has: see docs/results.md
    refine: Refiner | None = None

    def estimate(
        self, images: Sequence[np.ndarray], names: Sequence[str] | None = None
    ) -> list[Scene]:
        """Predict one scene for each (H, W, 3) uint8 image of the benchmark's camera.

        Images may have any size with aspect 4:3.
        """
        if not len(images):
            return []
        names = names or [""] * len(images)
        detections = self.detected(images)
        if self.refine is not None:
            detections = self.refine(images, detections)
        arrays = detections.arrays()
        scenes = self._scenes(detections, arrays, names)
        boxes = arrays.box.tolist()
        for b, scene in enumerate(scenes):
            if any([*o.box] not in boxes[b] for o in scene.objects):  # united by exclusion
                scenes[b] = self._described_again(images[b], scene)
        return scenes

    def recognises(self, picture: np.ndarray) -> bool:
        """Whether an (H, W, 3) uint8 image shows a street: vehicles of known shapes that agree with
        one camera near the benchmark's. More expensive than `ood_score`, which does not look for
        vehicles.
        """
        detections = self.detected([picture])
        fit = transferred(fitted(detections))
        shape, size = (detections.probabilities[a][0].amax(-1) for a in ("shape", "size"))
        score, known = as_arrays([detections.score[0], shape * size])
        rows = score >= CERTAIN
        return bool(
            rows.sum() >= VEHICLES
            and known[rows].mean() >= KNOWN
            and np.median(fit.chi2[0][rows]) <= RESIDUAL
            and np.linalg.norm(fit.jitter[0]) <= OFF_CAMERA
        )

    def _described_again(self, image: np.ndarray, scene: Scene) -> Scene:
        """Return the scene with all attributes and poses predicted again from the rows' boxes.

        Existences are unchanged. The scene itself is returned if the new values are less certain,
        as for a box around two vehicles.
        """
        detections = self.described([image], [scene])
        existence = torch.tensor([[o.existence for o in scene.objects]])
        detections = detections._replace(score=existence.to(detections.score))
        if self.refine is not None:
            detections = self.refine([image], detections)
        (again,) = self._scenes(detections, detections.arrays(), [scene.image])
        better = len(again) == len(scene) and _certainty(again) >= _certainty(scene)
        return again if better else scene

    def _scenes(
        self, detections: Detections, arrays: Detections, names: Sequence[str]
    ) -> list[Scene]:
        """Return the scenes of detections as tensors and as arrays."""
        fit = transferred(fitted(detections))
        return scenes_of(arrays, fit, names, self.calibration["covariance"])


def shape_and_size(beliefs: Mapping[str, Mapping[str, float]]) -> tuple[str, str]:
    """Return the most probable shape and size; "large" without a belief about the size."""
    shape, size = beliefs["shape"], beliefs.get("size", {"large": 1.0})
    return max(shape, key=shape.__getitem__), max(size, key=size.__getitem__)


def _certainty(scene: Scene) -> float:
    """Return the log probability of the most probable values of all rows."""
    return sum(
        math.log(max(belief.values())) for o in scene.objects for belief in o.beliefs.values()
    )


def viewing_azimuth(pixels: torch.Tensor) -> torch.Tensor:
    """Return azimuths (...) of the nominal camera's rays through pixels (..., 2) of 640 x 480."""
    ray = rays(pixels)
    return torch.atan2(ray[..., 1], ray[..., 0])


def fitted(detections: Detections) -> Fit:
    """Return the joint least-squares fit of all vehicles and the camera of each image."""
    points = detections.points
    shape, size = (detections.probabilities[a].argmax(-1) for a in ("shape", "size"))
    heading = wrapped(detections.alpha + viewing_azimuth(points[:, :, 8]))
    sizes = torch.tensor(EXTENTS, dtype=points.dtype, device=points.device)[shape, size]
    return joint_fit(
        points, detections.sigma, heading, detections.alpha_sigma, sizes, detections.present
    )


def transferred(fit: Fit) -> Fit:
    """Copy a fit from the device to arrays, in one transfer."""
    return Fit(*as_arrays(fit))


def _beliefs(
    probabilities: Mapping[str, np.ndarray], attributes: Mapping[str, Sequence[str]], b: int, k: int
) -> dict[str, dict[str, float]]:
    """Return attribute -> value -> probability of object k of image b."""
    beliefs = {}
    for attribute, values in attributes.items():
        beliefs[attribute] = dict(zip(values, probabilities[attribute][b, k].tolist()))
    return beliefs


def scenes_of(
    detections: Detections, fit: Fit, names: Sequence[str], covariance_scale: float = 1.0
) -> list[Scene]:
    """Build one predicted Scene per image from detections and their fit, both as arrays."""
    shape, size = (detections.probabilities[a].argmax(-1) for a in ("shape", "size"))
    covariance = fit.covariance * covariance_scale
    scenes = []
    for b, name in enumerate(names):
        rows = np.flatnonzero(detections.present[b])
        objects = []
        for i in rows:
            leaf, scale = SHAPES[shape[b, i]], SIZES[size[b, i]]
            objects.append(
                ObjectState(
                    beliefs=_beliefs(detections.probabilities, ATTRIBUTES, b, i),
                    position=(*fit.position[b, i].tolist(), origin_height(leaf, scale)),
                    heading=float(fit.heading[b, i]),
                    extent=EXTENTS[shape[b, i]][size[b, i]],
                    covariance=tuple(map(tuple, covariance[b, i].tolist())),
                    flip=float(detections.flip[b, i]),
                    existence=float(detections.score[b, i]),
                    box=tuple(detections.box[b, i].tolist()),
                )
            )
        index = {int(i): k for k, i in enumerate(rows)}
        occluders = []
        for i in rows:
            probable = enumerate(detections.occluder[b, i, :-1])
            occluders.append({index[j]: float(p) for j, p in probable if j in index and p > 1e-4})
        scene = Scene(
            tuple(objects), AXES, "predicted", camera(fit.jitter[b]), tuple(occluders), name
        )
        scenes.append(merge_overlapping(scene, SAME_GROUND))
    return scenes
