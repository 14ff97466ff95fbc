"""Perspective images of rooms and surroundings to scenes: rooms from inside, scenes from an orbit.

    image, focal length -> SceneNet -> boxes, attributes, points, sizes, depths;
                                       roll, pitch and height of the camera
                        -> joint fit (view_fit) -> Scene

The scene's world is level: z = 0 is the floor, the camera is above the origin and looks along +y.
The viewer's axes are those of `po3d.scene.orbit`: front is the side toward the viewer.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from po3d.io.errors import InputError
from po3d.io.files import lines_beside
from po3d.perception import detection
from po3d.perception.detection import Detections, likely
from po3d.perception.estimator import NetworkEstimator
from po3d.perception.view_fit import ViewObservation, fit_view
from po3d.scene.geometry import Camera
from po3d.scene.orbit import viewer_axes
from po3d.scene.rooms import CATEGORIES, COLORS, MATERIALS
from po3d.scene.table import ObjectState, Scene

KIND = "room_view_estimator"
# Categories of the orbit scenes (po3d.synthesis.multi_view.catalogue) that do not occur in rooms.
OUTSIDE = tuple(lines_beside(__file__, "outside.txt"))
NAMES = tuple(sorted({*CATEGORIES, *OUTSIDE}))
RESTS = ("ground", "above")  # support of an object's underside: the floor, or anything higher
# in the order of the network's logits
ATTRIBUTES = {"name": NAMES, "color": COLORS, "material": MATERIALS, "rests": RESTS}
ATTRIBUTES_ESTIMATED = ("name", "color", "material")  # the attributes kept in the scene
WIDTH, HEIGHT = 640, 480  # of the images in whose pixels labels and detections are given
MAX_OBJECTS = 40  # per image
THRESHOLD = 0.15  # on the centre's probability
AZIMUTH = math.pi / 2  # viewing direction of the camera in the scene's world
LARGEST_FIELD = 150.0  # field of view in degrees
# covariance: scale of the poses' covariances; extent: standard deviation of log sizes
CALIBRATION = detection.CALIBRATION | {"covariance": 1.0, "extent": 0.15}
BATCH = 8  # images per batch


class RoomViewEstimator(NetworkEstimator):
    """Estimates one Scene per image from `estimate(pictures, focals)`."""

    kind, attributes = KIND, ATTRIBUTES
    outputs: ClassVar = {"extent": True, "view": True}
    width, limit, threshold = WIDTH, MAX_OBJECTS, THRESHOLD
    defaults = CALIBRATION

    def estimate(
        self,
        pictures: Sequence[np.ndarray],
        focals: Sequence[float],
        names: Sequence[str] | None = None,
    ) -> list[Scene]:
        """Predict one scene for each (H, W, 3) uint8 image (any size, best 4:3).

        `focals`: focal lengths in image widths (Camera.focal / Camera.width); the principal point
        is the image's middle. Raise InputError for an impossible focal length.
        """
        names = names or [""] * len(pictures)
        for focal, name in zip(focals, names, strict=True):
            if not math.tan(math.radians(LARGEST_FIELD) / 2) * 2 * focal >= 1:
                raise InputError(f"{name or 'image'}: invalid focal length of {focal} image widths")
        scenes: list[Scene] = []
        for start in range(0, len(pictures), BATCH):
            part = slice(start, start + BATCH)
            detections = self.detect(pictures[part], focals[part])
            scenes += [
                lifted(detections, b, focal, picture.shape[:2], self.calibration, name)
                for b, (picture, focal, name) in enumerate(
                    zip(pictures[part], focals[part], names[part])
                )
            ]
        return scenes


def lifted(
    detections: Detections,
    b: int,
    focal: float,
    shape: tuple[int, int],
    calibration: dict[str, float] = CALIBRATION,
    name: str = "",
) -> Scene:
    """Build the scene of image b, whose (height, width) is `shape`, from its detections.

    `focal` in image widths.
    """
    rows = np.flatnonzero(detections.present[b])
    # the network's pixels may not be square
    stretch = np.array([1.0, HEIGHT / WIDTH * shape[1] / shape[0]])
    observed = ViewObservation(
        focal=focal * WIDTH,
        width=WIDTH,
        height=HEIGHT,
        hold=detections.hold[b],
        points=(detections.points[b, rows] - (WIDTH / 2, HEIGHT / 2)) / stretch,
        sigma=detections.sigma[b, rows, :, None] / stretch,
        alpha=detections.alpha[b, rows],
        alpha_sigma=detections.alpha_sigma[b, rows],
        log_depth=detections.depth[b, rows] + (math.log(focal), 0.0),
        extent=detections.extent[b, rows],
        extent_sigma=calibration["extent"],
        grounded=detections.probabilities["rests"][b, rows, 0],
    )
    fit = fit_view(observed, AZIMUTH)
    covariance = fit.covariance * calibration["covariance"]
    box = detections.box[b, rows] * np.tile([shape[1] / WIDTH, shape[0] / HEIGHT], 2)
    objects = []
    for k, row in enumerate(rows):
        state = ObjectState(
            {
                a: likely(detections.probabilities[a][b, row], ATTRIBUTES[a])
                for a in ATTRIBUTES_ESTIMATED
            },
            tuple(fit.position[k].tolist()),
            float(fit.heading[k]),
            tuple(fit.extent[k].tolist()),
            tuple(map(tuple, covariance[k].tolist())),
            float(detections.flip[b, row]),
            float(detections.score[b, row]),
            tuple(box[k].tolist()),
        )
        objects.append(state)
    camera = Camera(shape[1], shape[0], focal * shape[1], fit.cam_T_world)
    return Scene(
        tuple(objects),
        viewer_axes((math.cos(AZIMUTH), math.sin(AZIMUTH))),
        "predicted",
        camera,
        image=name,
    )
