"""Separate perception modules of streets: detection, attributes and pose by different networks.

    images ──► detection ──► rows with boxes ──► attributes ──► pose ──► one Scene per image

`perception.modules.NAME` (configs/perception/shipped.yaml) is "shipped", a checkpoint pair, or a
config with a `_target_`: an object of one's own. The detection's rows, their existence
probabilities and occluders are kept; attributes and poses are replaced.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol

import numpy as np

from po3d.io import checkpoint
from po3d.io.errors import InputError, known, printable
from po3d.perception.crops import StreetAttributes, StreetPose
from po3d.perception.detection import resize
from po3d.perception.street import BoxModule, StreetEstimator, shape_and_size
from po3d.scene.geometry import Camera
from po3d.scene.street import HEIGHT, WIDTH, extent, origin_height
from po3d.scene.table import ObjectPose, ObjectState, Scene
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.systems.estimators import (
    Estimator,
    EstimatorInput,
    called,
    class_path,
    estimated,
    identity,
    not_finite,
    parameters,
    title,
)
from po3d.systems.interfaces import Image

# Module -> the networks that can be it, and the method that it needs.
NETWORKS: dict[str, tuple[type[BoxModule], ...]] = {
    "detection": (StreetEstimator,),
    "attributes": (StreetAttributes, StreetEstimator),
    "pose": (StreetPose, StreetEstimator),
}
METHODS = {"detection": "estimate", "attributes": "estimate_attributes", "pose": "estimate_poses"}
SHIPPED = "shipped"
TOLERANCE = 1e-3  # of a sum of probabilities

Beliefs = Mapping[str, Mapping[str, float]]  # attribute -> value -> probability


class AttributeModule(Protocol):
    """Classifies the rows of scenes. Optional attributes: `name`, `version`, `checkpoint`, as for
    an estimator. `po3d.perception.crops.StreetAttributes` implements it."""

    def estimate_attributes(
        self, images: Sequence[Image], scenes: Sequence[Scene]
    ) -> Sequence[Sequence[Beliefs]]:
        """Return, for each scene, the beliefs of each of its rows; attributes that are missing are
        those of the detection. Images are (480, 640, 3) uint8; boxes are in their pixels."""
        ...


class PoseModule(Protocol):
    """Estimates the poses of the rows of scenes, whose attributes are known. Optional attributes as
    for AttributeModule. `po3d.perception.crops.StreetPose` implements it."""

    def estimate_poses(
        self, images: Sequence[Image], scenes: Sequence[Scene]
    ) -> Sequence[Sequence[ObjectPose]]:
        """Return, for each scene, the pose of each of its rows; arguments as for
        `AttributeModule`."""
        ...


class SeparateModules:
    """An estimator of three modules: detection (an `Estimator`), attributes and pose."""

    made_for: ClassVar = ("street",)

    def __init__(self, detection: Estimator, attributes: AttributeModule, pose: PoseModule) -> None:
        self.separate = {"detection": detection, "attributes": attributes, "pose": pose}
        for name, module in self.separate.items():
            if not callable(getattr(module, METHODS[name], None)):
                raise InputError(
                    f"perception.modules.{name}: {class_path(module)} has no method {METHODS[name]}"
                )
        parameters(detection)
        result = []
        for name, m in self.separate.items():
            result.append(f"{name} {title(identity(m))}")
        self.name = " + ".join(result)

    def estimate(
        self,
        images: Sequence[Image],
        names: Sequence[str],
        focals: Sequence[float | None],
        cameras: Sequence[Camera | None],
    ) -> list[Scene]:
        detection, attributes, pose = self.separate.values()
        inputs = []
        for one in zip(images, focals, cameras, strict=True):
            inputs.append(EstimatorInput(*one))
        scenes = list(estimated(detection, inputs, names, domain="street"))
        for k, image in enumerate(images):
            scenes[k] = _boxed(scenes[k], image, detection)
        images = [resize(image, WIDTH, HEIGHT) for image in images]
        if attributes is not detection:
            scenes = with_attributes(attributes, images, scenes)
        # The positions of the joint fit depend on the attributes.
        if pose is not detection or attributes is not detection:
            scenes = with_poses(pose, images, scenes)
        return scenes


def separate_modules(
    modules: Mapping[str, Any], shipped: str, device: str = "cpu", flip_tta: bool = True
) -> SeparateModules:
    """Return the estimator composed of `modules`: module name -> "shipped" or None, a checkpoint's
    name or path, or an object. `shipped`: the street estimator's checkpoint. A network that is
    named twice is loaded once. InputError for an unknown name, or a network of the wrong kind."""
    for name in modules:
        known("module of perception.modules", name, METHODS)
    loaded: dict[str, Any] = {}

    def module(name: str) -> Any:
        chosen = modules.get(name)
        if isinstance(chosen, Mapping):
            raise InputError(
                f"perception.modules.{name} should have a _target_, the class of a module"
            )
        if chosen is not None and not isinstance(chosen, str):
            return chosen
        pair = shipped if chosen in (None, SHIPPED) else chosen
        if pair not in loaded:
            loaded[pair] = _network(name, pair, device, flip_tta)
        if not isinstance(loaded[pair], NETWORKS[name]):
            raise InputError(_unfit(name, pair, loaded[pair].kind))
        return loaded[pair]

    return SeparateModules(*map(module, METHODS))


def _network(name: str, pair: str, device: str, flip_tta: bool) -> BoxModule:
    path = checkpoint.locate(pair)
    record = checkpoint.description(path)
    kind = record.get("kind", StreetEstimator.kind)  # of a model folder: the street estimator
    for network in NETWORKS[name]:
        if network.kind == kind:
            return network.from_checkpoint(path, device, flip_tta)
    raise InputError(_unfit(name, pair, kind))


def _unfit(name: str, pair: str, kind: str) -> str:
    kinds = " or a ".join(network.kind for network in NETWORKS[name])
    return f"perception.modules.{name}={pair}: this checkpoint is a {kind}, not a {kinds}"


def with_attributes(
    module: AttributeModule, images: Sequence[Image], scenes: Sequence[Scene]
) -> list[Scene]:
    """Return the scenes with the attributes of the module, and the sizes that follow from them.
    InputError if it does not return valid beliefs for each row."""
    rows = _rows(module, "estimate_attributes", images, scenes)
    result = []
    for scene, beliefs in zip(scenes, rows, strict=True):
        pairs = zip(scene.objects, beliefs, strict=True)
        result.append(replace(scene, objects=tuple(_classified(o, b, module) for o, b in pairs)))
    return result


def with_poses(module: PoseModule, images: Sequence[Image], scenes: Sequence[Scene]) -> list[Scene]:
    """Return the scenes with the poses of the module. InputError if it does not return a finite
    pose for each row."""
    rows = _rows(module, "estimate_poses", images, scenes)
    result = []
    for scene, poses in zip(scenes, rows, strict=True):
        objects = []
        for o, pose in zip(scene.objects, poses, strict=True):
            objects.append(_posed(o, pose, module))
        result.append(replace(scene, objects=tuple(objects)))
        if wrong := not_finite(result[-1]):
            raise InputError(
                f"{class_path(module)} returned a non-finite {wrong} for {scene.image!r}"
            )
    return result


def _rows(
    module: Any, method: str, images: Sequence[Image], scenes: Sequence[Scene]
) -> list[Sequence]:
    """Call the module; InputError unless it returns one value for each row of each scene."""
    result = called(
        module, method, list(images), [scene.image for scene in scenes], {"scenes": list(scenes)}
    )
    where = f"{class_path(module)}.{method}"
    if not isinstance(result, Sequence) or len(result) != len(scenes):
        raise InputError(
            f"{where} should return a list with one entry for each of {len(scenes)} scenes"
        )
    for scene, values in zip(scenes, result, strict=True):
        if not isinstance(values, Sequence) or len(values) != len(scene):
            raise InputError(
                f"{where} should return one entry for each of the {len(scene)} rows of"
                f" {scene.image!r}"
            )
    return list(result)


def _classified(o: ObjectState, beliefs: Beliefs, module: Any) -> ObjectState:
    where = f"{class_path(module)}.estimate_attributes"
    if not isinstance(beliefs, Mapping) or not all(
        isinstance(b, Mapping) for b in beliefs.values()
    ):
        raise InputError(f"{where} should return attribute -> value -> probability for each row")
    for attribute, belief in beliefs.items():
        known(f"attribute of {where}", attribute, ATTRIBUTES)
        for value in belief:
            known(f"{attribute} of {where}", value, ATTRIBUTES[attribute])
        try:
            values = np.array(list(map(float, belief.values())))
        except (TypeError, ValueError, OverflowError):
            values = np.array([math.nan])
        if not (values >= 0).all() or abs(values.sum() - 1) > TOLERANCE:
            raise InputError(
                f"{where}: the probabilities of {attribute} should be at least 0 and sum to 1"
            )
    beliefs = {**o.beliefs, **{a: dict(belief) for a, belief in beliefs.items()}}
    if "shape" not in beliefs:
        raise InputError(f"{where}: neither it nor the detection returned the shape of a row")
    shape, size = shape_and_size(beliefs)
    position = (*o.position[:2], origin_height(shape, size))
    return replace(
        o, beliefs=beliefs, position=position, extent=tuple(extent(shape, size).tolist())
    )


def _posed(o: ObjectState, pose: ObjectPose, module: Any) -> ObjectState:
    try:
        heading, position, covariance, flip = pose
        x, y = o.position[:2] if position is None else position
        covariance = o.covariance if covariance is None else tuple(map(tuple, covariance))
        if np.shape(covariance) != (3, 3) or not 0 <= flip <= 1:
            raise ValueError
        return replace(
            o,
            position=(float(x), float(y), o.position[2]),
            heading=float(heading),
            covariance=covariance,
            flip=float(flip),
        )
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{class_path(module)}.estimate_poses should return an ObjectPose for each row, not"
            f" {printable(pose)}"
        ) from None


def _boxed(scene: Scene, image: Image, detection: Any) -> Scene:
    """Return the scene with boxes in pixels of a picture WIDTH wide; InputError for a row without
    one."""
    width, height = (
        (scene.camera.width, scene.camera.height)
        if scene.camera is not None
        else image.shape[1::-1]
    )
    scale = (WIDTH / width, HEIGHT / height) * 2
    objects = []
    for o in scene.objects:
        if o.box is None:
            raise InputError(
                f"{class_path(detection)} returned a row without a box for {scene.image!r}: "
                "perception.modules needs boxes"
            )
        objects.append(replace(o, box=tuple(v * s for v, s in zip(o.box, scale, strict=True))))
    return replace(scene, objects=tuple(objects))
