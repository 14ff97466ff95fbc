"""A user's modules beside the shipped street networks: colours from pixels, unknown fronts.

python evaluate.py 'perception.modules.attributes={_target_: my_modules.MeanColor, softness: 30}'
python evaluate.py 'perception.modules.pose={_target_: my_modules.UnknownFront}'
"""

import numpy as np

from po3d.scene.table import ObjectPose

COLORS = {"red": (150, 30, 30), "green": (30, 110, 40), "blue": (40, 60, 150), "gray": (90, 90, 90)}


class MeanColor:
    """Replaces the colours; shape, size and material stay those of the detection."""

    version = "1"  # in run.json and in the report's row, as is `name`: here the name of the class

    def __init__(self, softness: float = 40.0) -> None:
        self.softness = softness

    def estimate_attributes(self, images, scenes):
        """One mapping attribute -> value -> probability for each row of each scene."""
        return [
            [{"color": self.color(image, o.box)} for o in scene.objects]
            for image, scene in zip(images, scenes, strict=True)
        ]

    def color(self, image, box):
        x0, y0, x1, y1 = np.clip(np.round(box).astype(int), 0, (639, 479, 639, 479))
        mean = image[y0 : y1 + 1, x0 : x1 + 1].mean((0, 1))
        weights = {
            name: float(np.exp(-np.linalg.norm(mean - rgb) / self.softness))
            for name, rgb in COLORS.items()
        }
        return {name: weight / sum(weights.values()) for name, weight in weights.items()}


class UnknownFront:
    """Keeps positions and headings; either end may be the front."""

    def estimate_poses(self, images, scenes):
        """Return one ObjectPose per row; position or covariance None: that of the detection."""
        return [[ObjectPose(o.heading, flip=0.5) for o in scene.objects] for scene in scenes]
