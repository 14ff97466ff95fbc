"""Scenes as outlines, and images, for the page of `po3d.evaluation.report.html`.

A scene becomes a view: for each object its label, colour, outline in the top view (the viewer's
right is +x, away from the viewer is up, i.e. -y as on a screen) and, given an image and a camera,
its projected box in pixels. The page draws them, so that it can highlight the result of a step.
"""

import json
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.io.images import jpeg
from po3d.scene.display import paint
from po3d.scene.geometry import Array, footprint
from po3d.scene.table import ObjectState, Scene
from po3d.systems.prompts import data_uri

WIDTH, QUALITY = 480, 62  # width in pixels and JPEG quality of an image in the page


@dataclass
class Drawings:
    """The drawings of one image. Objects shared by several scenes are stored once."""

    size: tuple[int, int] | None = None  # size of the image on which boxes are drawn
    objects: list[dict] = field(default_factory=list)
    views: list[dict] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict)

    def add(self, scene: Scene, up: str, marked: frozenset[int] = frozenset()) -> int:
        """Add a scene and return the index of its view; `up` names the axis that points up in the
        top view, objects in `marked` are outlined."""
        ways = np.array([scene.axes["right"], -np.array(scene.axes[up])], float)
        figures = (_object_figure(o, scene, ways, self.size) for o in scene.objects)
        view = {"objects": list(map(self._index, figures))}
        if scene.outline:
            view["outline"] = _flat(np.array(scene.outline, float) @ ways.T, 2)
        if marked:
            view["marked"] = sorted(marked)
        self.views.append(view)
        return len(self.views) - 1

    def _index(self, record: dict) -> int:
        key = json.dumps(record)
        if key not in self._known:
            self._known[key] = len(self.objects)
            self.objects.append(record)
        return self._known[key]


def _object_figure(o: ObjectState, scene: Scene, ways: Array, size: tuple[int, int] | None) -> dict:
    length = 0.5 * o.extent[0] + 0.2 * max(o.extent[:2])
    nose = length * np.array([math.cos(o.heading), math.sin(o.heading)])
    ground = np.array(o.position[:2], float)
    record = {
        "label": _label(o),
        "kind": o.value("name") if "name" in o.beliefs else o.name,
        "color": _color(o),
        "z": round(o.position[2] + o.extent[2], 2),  # higher objects are drawn later
        "foot": _flat(footprint(o.position, o.heading, o.extent) @ ways.T, 2),
        "nose": _flat(np.stack([ground, ground + nose]) @ ways.T, 2),
    }
    if o.existence < 0.995:
        record["p"] = round(o.existence, 2)
    if size and scene.camera is not None:
        camera = scene.camera.resized(*size)
        z = o.underside + o.extent[2] / 2
        ends = np.array([(*ground, z), (*(ground + nose), z)])
        corners, depth = camera.project(np.concatenate([o.corners(), ends]))
        if depth.min() > 0:
            record["box"] = _flat(corners, 1)
    return record


def _flat(points: Array, digits: int) -> list[float]:
    return [round(float(v), digits) for v in np.asarray(points).ravel()]


def _label(o: ObjectState) -> str:
    attributes = ("size", "state", "color", "material", "shape", "name")
    words = []
    for a in attributes:
        if a in o.beliefs:
            words.append(o.value(a))
    return " ".join(words) or o.name or "object"


def _color(o: ObjectState) -> str:
    return "#" + "".join(f"{int(c):02x}" for c in paint(o))


def picture(pixels: NDArray[np.uint8]) -> tuple[str, tuple[int, int]]:
    """Return a data URI of the pixels as a small JPEG, with its width and height."""
    image = Image.fromarray(np.ascontiguousarray(pixels)).convert("RGB")
    if image.width > WIDTH:
        size = WIDTH, round(image.height * WIDTH / image.width)
        image = image.resize(size, Image.Resampling.LANCZOS)
    return data_uri(jpeg(np.asarray(image), QUALITY), "jpeg"), image.size
