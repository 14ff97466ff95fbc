"""The shipped views of 3DSRBench and SCOPE as an estimator without mistakes would see them, for
planting mistakes.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from po3d.benchmarks.scope import data as scope
from po3d.benchmarks.scope.views import image_name
from po3d.benchmarks.threedsrbench import data as srbench
from po3d.io.paths import MINI as DATA
from po3d.io.seeding import rng
from po3d.scene.camera import camera_pose_of, carried, held, reheld
from po3d.scene.orbit import VIEWS
from po3d.scene.table import Scene
from po3d.systems.pipeline import PerceptionInput

SR = srbench.load(DATA / "3dsrbench", "mini")
SCOPE = scope.load(DATA / "scope", "mini")


def sr_names(rooms: int) -> list[str]:
    """The pictures of the first rooms: of both viewpoints, and their mirror images."""
    return list(SR.first(rooms).images)


def scope_names(scene: str) -> list[str]:
    """The views of a scene, by angle."""
    return [image_name(scene, angle) for angle in VIEWS]


def elsewhere(truth: Scene, name: str, blur: bool = False) -> Scene:
    """What is there, in a world of the camera's own; with `blur`, doubts in everything."""
    random = rng(7, f"elsewhere/{name}")
    hold = camera_pose_of(truth.camera)._replace(azimuth=float(random.uniform(-3, 3)))
    camera = held(hold, truth.camera.width, truth.camera.height, truth.camera.focal, (1.0, -2.0))
    visible = replace(carried(truth, camera), source="predicted", image=name)
    if not blur:
        return visible
    objects = []
    for o in visible.objects:
        beliefs = {
            a: {o.value(a): 0.7, "other": 0.3}
            for a in ("name", "color", "material")
            if a in o.beliefs
        }
        step = 0.05 * random.normal(size=3)
        objects.append(
            replace(
                o,
                beliefs=beliefs,
                position=tuple((np.array(o.position) + step).tolist()),
                heading=o.heading + 0.3,
                extent=tuple((1.1 * np.array(o.extent)).tolist()),
                flip=0.1,
                existence=0.8,
                covariance=((0.02, 0.01, 0.0), (0.01, 0.03, 0.0), (0.0, 0.0, 0.1)),
            )
        )
    return replace(visible, objects=tuple(objects))


def tilted(scene: Scene, pitch: float, roll: float) -> Scene:
    """The table of an estimator that is wrong about how the camera is held (radians)."""
    hold, camera = camera_pose_of(scene.camera), scene.camera
    hold = hold._replace(pitch=hold.pitch + pitch, roll=hold.roll + roll)
    ground = tuple(camera.position[:2].tolist())
    return reheld(scene, held(hold, camera.width, camera.height, camera.focal, ground))


def turned(scene: Scene, degrees: float) -> Scene:
    """Every heading is wrong."""
    objects = [replace(o, heading=o.heading + math.radians(degrees)) for o in scene.objects]
    return replace(scene, objects=tuple(objects))


@dataclass(frozen=True)
class Planted:
    """Tables by name, as a source of both benchmarks' systems."""

    true = False

    seen: Mapping[str, Scene]

    @classmethod
    def of(cls, split, names, change: Callable[[Scene], Scene] = lambda scene: scene) -> "Planted":
        return cls({name: change(elsewhere(split.truth(name), name)) for name in names})

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        return [[self.seen[name] for name in look.names] for look in looks]
