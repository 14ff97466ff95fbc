"""Images of streets to scene tables: network, decoding of its outputs into beliefs, joint fit. This page is the map.

images -> SceneNet -> centres and boxes -> box head -> beliefs, image points -> joint fit -> Scene
"""

from collections.abc import Sequence

import numpy as np

from po3d.perception.detection import CALIBRATION, Detections
from po3d.perception.estimator import Estimator
from po3d.perception.fit import joint_fit
from po3d.perception.network import SceneNet
from po3d.scene.geometry import Array, wrap_angle
from po3d.scene.street import AXES, WIDTH, camera, extent, origin_height
from po3d.scene.table import ObjectState, Scene
from po3d.scene.vocabulary import COLORS, MATERIALS, SHAPES, SIZES

KIND = "street_estimator"
ATTRIBUTES = {
    "shape": SHAPES,
    "color": COLORS,
    "size": SIZES,
    "material": MATERIALS,
}  # in the network's order
MAX_OBJECTS = 16  # an image; the benchmark's scenes have at most 10


def street_net(**network: object) -> SceneNet:
    """A network for streets; `network`: SceneNet's other keywords."""
    return SceneNet({name: len(values) for name, values in ATTRIBUTES.items()}, **network)


class StreetEstimator(Estimator):
    """The street estimator: `estimate(images)` gives one Scene an image."""

    kind, attributes, build = KIND, ATTRIBUTES, staticmethod(street_net)
    width, limit = WIDTH, MAX_OBJECTS
    defaults = CALIBRATION | {"covariance": 1.0}  # the scale of the poses' covariances

    def estimate(self, images: Sequence[np.ndarray], names: Sequence[str] | None = None) -> list[Scene]:
        """One predicted scene for each (H, W, 3) uint8 image of the benchmark's camera (any size, aspect 4:3)."""
        if not len(images):
            return []
        names = names or [""] * len(images)
        return scenes_of(self.detect(images), names, self.calibration["covariance"])


def viewing_azimuth(pixels: Array) -> Array:
    """(...) azimuth of the nominal camera's rays through pixels (..., 2) of the 640 x 480 picture."""
    ray = camera().ray(pixels)
    return np.arctan2(ray[..., 1], ray[..., 0])


def scenes_of(found: Detections, names: Sequence[str], covariance_scale: float = 1.0) -> list[Scene]:
    """The joint fit and one predicted Scene an image."""
    shape, size = (found.probabilities[a].argmax(-1) for a in ("shape", "size"))
    table = np.array([[extent(s, z) for z in SIZES] for s in SHAPES])
    heading = wrap_angle(found.alpha + viewing_azimuth(found.points[:, :, 8]))
    fit = joint_fit(found.points, found.sigma, heading, found.alpha_sigma, table[shape, size], found.present)
    scenes = []
    for b, name in enumerate(names):
        rows = np.flatnonzero(found.present[b])
        objects = []
        for i in rows:
            leaf, scale = SHAPES[shape[b, i]], SIZES[size[b, i]]
            objects.append(
                ObjectState(
                    beliefs={
                        attribute: dict(zip(values, found.probabilities[attribute][b, i].tolist()))
                        for attribute, values in ATTRIBUTES.items()
                    },
                    position=(*fit.position[b, i].tolist(), origin_height(leaf, scale)),
                    heading=float(fit.heading[b, i]),
                    extent=tuple(table[shape[b, i], size[b, i]].tolist()),
                    covariance=tuple(map(tuple, (fit.covariance[b, i] * covariance_scale).tolist())),
                    flip=float(found.flip[b, i]),
                    existence=float(found.score[b, i]),
                    box=tuple(found.box[b, i].tolist()),
                )
            )  # fmt: skip
        index = {int(i): k for k, i in enumerate(rows)}
        occluders = tuple(
            {
                index[int(j)]: float(p)
                for j, p in enumerate(found.occluder[b, i, :-1])
                if j in index and p > 1e-4
            }
            for i in rows
        )
        scenes.append(Scene(tuple(objects), AXES, "predicted", camera(fit.jitter[b]), occluders, name))
    return scenes
