"""A user's estimator for every benchmark: patches that differ from the image's corner, by colour.

python evaluate.py benchmark=scope perception._target_=my_estimator.Patches +perception.threshold=60
"""

import math

import numpy as np
from scipy import ndimage

from po3d.scene.camera import CameraPose, held
from po3d.scene.table import ObjectState, Scene

COLORS = dict(red=(200, 40, 40), green=(40, 160, 60), blue=(40, 70, 190), gray=(128, 128, 128))
VEHICLE = {"shape": {"sedan": 0.6, "suv": 0.4}, "size": {"large": 1.0}, "material": {"metal": 1.0}}
FURNITURE = {"name": {"chair": 0.7, "table": 0.3}}
# Assumed if the camera is unknown.
VIEW = CameraPose(height=1.6, pitch=-0.3, roll=0.0, azimuth=math.pi / 2)
# Variances of x and y, and of a heading that is a guess.
SPREAD = ((0.2, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 3.0))


class Patches:
    version = "1"  # in run.json and in the report's row, as is `name`: here the name of the class
    batch_size = 8  # images in one call

    def __init__(self, threshold: float = 40.0, most: int = 8) -> None:
        self.threshold, self.most = threshold, most

    def estimate(self, images, names, focals, cameras, domain):
        """Return one Scene per (H, W, 3) image; `cameras` has None for photographs and orbits."""
        inputs = zip(images, names, focals, cameras, strict=True)
        return [self.scene(*one, domain) for one in inputs]

    def scene(self, image, name, focal, camera, domain):
        height, width = image.shape[:2]
        camera = camera or held(VIEW, width, height, (focal or 1.0) * width)
        differs = np.abs(image.astype(float) - image[0, 0]).max(2) > self.threshold
        labels, count = ndimage.label(differs)
        areas = ndimage.sum_labels(differs, labels, range(1, count + 1))
        boxes = ndimage.find_objects(labels)
        largest = np.argsort(-areas, kind="stable")[: self.most]
        patches = [(boxes[k], labels[boxes[k]] == k + 1) for k in largest]
        things = tuple(self.thing(image, *patch, camera, domain) for patch in patches)
        return Scene(things, {}, "predicted", camera, image=name)  # {}: the domain's usual axes

    def thing(self, image, box, patch, camera, domain):
        rows, columns = box
        mean = image[box][patch].mean(0)
        weights = {c: math.exp(-np.linalg.norm(mean - rgb) / 40) for c, rgb in COLORS.items()}
        color = {color: weight / sum(weights.values()) for color, weight in weights.items()}
        foot = (columns.start + columns.stop) / 2, max(rows.stop, 0.6 * image.shape[0])
        x, y, _ = camera.at_height(foot, 0.0).tolist()
        beliefs = {**(VEHICLE if domain == "street" else FURNITURE), "color": color}
        pixels = tuple(map(float, (columns.start, rows.start, columns.stop, rows.stop)))
        size, heading, flip, existence = (1.0, 1.0, 1.0), 0.0, 0.5, 0.9
        return ObjectState(beliefs, (x, y, 0.5), heading, size, SPREAD, flip, existence, pixels)
