"""Street images to scenes: network, decoding, joint fit. The overview of the street estimator.

images -> SceneNet -> centres and boxes -> box head -> probabilities, image points -> joint fit ->
Scene
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch

from po3d.perception.detection import CALIBRATION, Detections, as_arrays
from po3d.perception.estimator import NetworkEstimator
from po3d.perception.fit import Fit, joint_fit, rays, wrapped
from po3d.scene.exclusion import merge_overlapping
from po3d.scene.street import AXES, WIDTH, camera, extent, origin_height
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import ATTRIBUTES, SHAPES, SIZES

KIND = "street_estimator"
# [shape][size] -> (length, width, height)
EXTENTS = [[tuple(extent(shape, size).tolist()) for size in SIZES] for shape in SHAPES]
MAX_OBJECTS = 16  # per image; the benchmark's scenes have at most 10
# Overlap, as a share of the smaller footprint, above which two detections are one vehicle. On 200
# validation scenes in three rendering styles the estimates of different vehicles share at most .44,
# those of one vehicle detected twice mostly .49 to .99.
SAME_GROUND = 0.45


class Verifier(Protocol):
    """Refines detections by comparing them with the (H, W, 3) uint8 images.

    Implemented by `systems.render_compare.RenderCompare`.
    """

    def __call__(self, pictures: Sequence[np.ndarray], detections: Detections) -> Detections: ...


class StreetEstimator(NetworkEstimator):
    """Estimates one Scene per street image.

    `verify`: optional refinement of the detections before the joint fit.
    """

    kind, attributes = KIND, ATTRIBUTES
    width, limit = WIDTH, MAX_OBJECTS
    cast = 0.15  # more than any image under white lamps has: see docs/results.md
    defaults = CALIBRATION | {"covariance": 1.0}  # covariance: scale of the poses' covariances
    verify: Verifier | None = None

    def estimate(self, images: Sequence[np.ndarray], names: Sequence[str] | None = None) -> list[Scene]:
        """Predict one scene for each (H, W, 3) uint8 image of the benchmark's camera.

        Images may have any size with aspect 4:3.
        """
        if not len(images):
            return []
        names = names or [""] * len(images)
        detections = self.detected(images)
        if self.verify is not None:
            detections = self.verify(images, detections)
        return scenes_of(
            detections.arrays(), transferred(fitted(detections)), names, self.calibration["covariance"]
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
    return joint_fit(points, detections.sigma, heading, detections.alpha_sigma, sizes, detections.present)


def transferred(fit: Fit) -> Fit:
    """Convert a fit to arrays in one transfer."""
    return Fit(*as_arrays(fit))


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
                    beliefs={
                        attribute: dict(zip(values, detections.probabilities[attribute][b, i].tolist()))
                        for attribute, values in ATTRIBUTES.items()
                    },
                    position=(*fit.position[b, i].tolist(), origin_height(leaf, scale)),
                    heading=float(fit.heading[b, i]),
                    extent=EXTENTS[shape[b, i]][size[b, i]],
                    covariance=tuple(map(tuple, covariance[b, i].tolist())),
                    flip=float(detections.flip[b, i]),
                    existence=float(detections.score[b, i]),
                    box=tuple(detections.box[b, i].tolist()),
                )
            )  # fmt: skip
        index = {int(i): k for k, i in enumerate(rows)}
        occluders = tuple(
            {
                index[int(j)]: float(p)
                for j, p in enumerate(detections.occluder[b, i, :-1])
                if j in index and p > 1e-4
            }
            for i in rows
        )
        scene = Scene(tuple(objects), AXES, "predicted", camera(fit.jitter[b]), occluders, name)
        scenes.append(merge_overlapping(scene, SAME_GROUND))
    return scenes
