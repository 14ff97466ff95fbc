"""Sources of scenes (scene tables). A new source is one class.

    Truth           the true scenes: an upper bound for perception, marked in the report
    Pictures        images of streets, photographs, or views of an orbit, by the shipped estimators
    Estimated       images of any domain, by an external estimator (`po3d.systems.estimators`)
    FromFile        no image: predicted scenes from a file (`po3d.systems.table_files`)
    Maps            a room's map without labels, by the shipped estimator
    Annotations     names and centres of a room's objects (po3d.perception.semantic_map), or
                    sentences about single objects of a room (po3d.perception.room_captions)

The scenes of all sources but Truth have source="predicted"; a pipeline rejects ground truth from
them.
"""

import functools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from po3d.io.errors import InputError, known
from po3d.scene.frames import axes_from_front
from po3d.scene.orbit import OrbitConvention, viewer_axes
from po3d.scene.street import AXES, FOCAL, WIDTH, camera
from po3d.scene.table import Scene, from_json, to_json
from po3d.scene.vocabulary import ATTRIBUTES
from po3d.systems.estimators import (
    EstimatorInput,
    check_domain,
    class_path,
    estimated,
    is_copy,
    parameters,
)
from po3d.systems.interfaces import Context, PerceptionInput, TableSource

if TYPE_CHECKING:
    from po3d.perception.street import Refiner
    from po3d.perception.top_view import TopViewEstimator


Domain = Literal["street", "rooms", "photographs", "orbit"]


@dataclass(frozen=True)
class Truth(TableSource):
    """The true scene of the image, or of each of its views."""

    true: ClassVar[bool] = True

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        return [list(map(look.context.true, look.names)) for look in looks]


@dataclass(frozen=True)
class Pictures(TableSource):
    """Scenes predicted from images by a domain's own estimator. Only the focal length of a view's
    true camera is used, neither rotation nor position. Each scene has its own gravity-aligned world
    frame; an orbit's scenes have the axes of the viewer at their camera."""

    estimator: Any  # po3d.perception.street.StreetEstimator, or room_view.RoomViewEstimator
    domain: Domain = "street"

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        contexts, names = _pictures(looks)
        pictures = []
        for context, name in zip(contexts, names):
            pictures.append(context.picture(name))
        if self.domain == "street":
            return _grouped(self.estimator.estimate(pictures, names), looks)
        focals = []
        for context, name in zip(contexts, names):
            focals.append(context.inputs.focal(name))
        scenes = self.estimator.estimate(pictures, focals, names)
        scenes = _with_calibration(scenes, self.estimator, self.domain)
        if self.domain == "orbit":
            for k, context in enumerate(contexts):
                scenes[k] = _in_view_frame(scenes[k], names[k], context.inputs.reading)
        return _grouped(scenes, looks)


def _pictures(looks: Sequence[PerceptionInput]) -> tuple[list[Context], list[str]]:
    """Return the context and the name of each picture of all images, in order."""
    contexts, names = [], []
    for look in looks:
        contexts += [look.context] * len(look.names)
        names += look.names
    return contexts, names


def _with_calibration(scenes: Sequence[Scene], estimator: Any, domain: Domain) -> list[Scene]:
    """Attach the estimator's calibration of answers in a domain to its scenes."""
    fit = getattr(estimator, "answers", {}).get(domain)
    return [replace(scene, answer_calibration=fit) for scene in scenes]


def _grouped(scenes: Iterable[Scene], looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
    """Split the scenes of all pictures, in order, by image."""
    scenes = iter(scenes)
    return [list(islice(scenes, len(look.names))) for look in looks]


def _in_view_frame(scene: Scene, name: str, reading: OrbitConvention) -> Scene:
    if scene.camera is None:
        raise AssertionError(f"the estimator returned a scene of {name!r} without its camera")
    return replace(
        scene, image=name, axes=viewer_axes(scene.camera.cam_T_world.rotation[2, :2], reading)
    )


@dataclass(frozen=True)
class Estimated(TableSource):
    """Images of any domain by an external estimator. InputError for an invalid scene of that
    domain, or a copy of the true one."""

    estimator: Any  # po3d.systems.estimators.Estimator
    domain: Domain

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        if not looks:
            return []
        if "things" in parameters(self.estimator):  # things differ between images
            return [self._together([look])[0] for look in looks]
        return self._together(looks)

    def _together(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        contexts, names = _pictures(looks)
        inputs = list(map(INPUTS[self.domain], contexts, names))
        scenes = estimated(self.estimator, inputs, names, looks[0].things, self.domain)
        who, result = class_path(self.estimator), []
        for scene, context in zip(scenes, contexts, strict=True):
            result.append(completed(scene, self.domain, context, who))
        return _grouped(result, looks)


def source_of(perception: Any, domain: Domain) -> TableSource:
    """Return the source for an external estimator or for a file of scenes; InputError if it is
    neither."""
    if hasattr(perception, "source"):
        return perception.source(domain)
    check_domain(perception, domain)
    return Estimated(perception, domain)


def _street(context: Context, name: str) -> EstimatorInput:
    image = context.picture(name)
    return EstimatorInput(image, FOCAL / WIDTH, camera().resized(*image.shape[1::-1]))


def _map(context: Context, name: str) -> EstimatorInput:
    picture, camera = context.inputs.top_view()
    return EstimatorInput(picture, None, camera)


def _photograph(context: Context, name: str) -> EstimatorInput:
    return EstimatorInput(context.picture(name), context.inputs.known_focal())


def _view(context: Context, name: str) -> EstimatorInput:
    return EstimatorInput(context.picture(name), context.inputs.focal(name))


# Inputs of an external estimator, by domain.
INPUTS: dict[str, Callable[[Context, str], EstimatorInput]] = {
    "street": _street,
    "rooms": _map,
    "photographs": _photograph,
    "orbit": _view,
}


def completed(scene: Scene, domain: Domain, context: Context, who: str) -> Scene:
    """Validate an external scene and add the domain's axes if it has none; an orbit's views always
    get the axes of their cameras. InputError, beginning with `who`, for an invalid scene of that
    domain, or a copy of the true one."""
    where = f"{who}, scene of {scene.image!r}"
    if domain in ("photographs", "orbit") and scene.camera is None:
        raise InputError(f"{where} has no camera, which this domain needs")
    if domain == "orbit":
        scene = _in_view_frame(scene, scene.image, context.inputs.reading)
    elif not scene.axes:
        scene = replace(scene, axes=_axes(scene, domain))
    try:
        from_json(to_json(scene), where)
        kind = "shape" if domain == "street" else "name"
        for k, o in enumerate(scene.objects):
            if kind not in o.beliefs:
                raise InputError(f"{where}: objects[{k}] has no belief {kind!r}")
        for attribute, values in ATTRIBUTES.items() if domain == "street" else ():
            scene.subset([k for k, o in enumerate(scene.objects) if attribute in o.beliefs]).belief(
                attribute, values
            )
    except InputError as error:
        raise InputError(
            str(error) if str(error).startswith(where) else f"{where}: {error}"
        ) from None
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        raise InputError(f"{where} is not a valid scene: {error}") from None
    try:
        truth = context.true(scene.image)
    except InputError:  # a release without true scenes
        return scene
    if is_copy(scene, truth):
        raise InputError(
            f"{where} is a copy of the true scene; use system=oracle or oracle= for ground truth"
        )
    return scene


def _axes(scene: Scene, domain: Domain) -> Mapping[str, tuple[float, float]]:
    if domain == "street":
        return AXES
    if domain == "rooms":
        return axes_from_front((0.0, 1.0))
    return viewer_axes(scene.camera.cam_T_world.rotation[2, :2])


@dataclass(frozen=True)
class Annotations(TableSource):
    """Scenes by a function of the image's inputs."""

    read: Callable[[Context], Scene]

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        return [[self.read(look.context)] for look in looks]


def labelled_map(context: Context) -> Scene:
    from po3d.perception import semantic_map

    return semantic_map.table(context.inputs.semantic_map())


def captions(context: Context) -> Scene:
    from po3d.perception import room_captions

    return room_captions.table(context.inputs.captions(), context.name)


@dataclass(frozen=True)
class Maps(TableSource):
    """Scenes predicted from a room's map without labels.

    `checkpoint`: name of a shipped pair, or a path without suffix, loaded on first use; `flip_tta`:
    horizontal-flip test-time augmentation; `device`: where the network runs."""

    checkpoint: str = "top_view_estimator"
    flip_tta: bool = True
    device: str = "cpu"

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        pictures, cameras, names = [], [], []
        for look in looks:
            picture, camera = look.context.inputs.top_view()
            pictures.append(picture)
            cameras.append(camera)
            names.append(look.context.name)
        scenes = self.estimator.estimate(pictures, cameras, names)
        result = []
        for scene in _with_calibration(scenes, self.estimator, "rooms"):
            result.append([scene])
        return result

    @property
    def estimator(self) -> "TopViewEstimator":
        from po3d.perception.top_view import TopViewEstimator  # torch takes seconds to import

        return TopViewEstimator.named(self.checkpoint, self.flip_tta, self.device)


SOURCES: dict[Domain, tuple[str, ...]] = {  # the values of `benchmark.scenes`
    "street": ("predicted",),
    "rooms": ("ground_truth", "semantic_map", "captions", "map"),
    "photographs": ("ground_truth", "predicted"),
    "orbit": ("ground_truth", "predicted"),
}
REFINE = ("auto", "render_compare", "off")


def source(
    domain: Domain,
    scenes: str,
    perception: Any,
    flip_tta: bool = True,
    device: str = "cpu",
    refine: str | bool = "off",
    modules: Mapping[str, Any] | None = None,
) -> TableSource:
    """Return the source of scenes of that name (`benchmark.scenes`); InputError for an unknown one.

    `perception`: estimator of predicted scenes, as the name of a shipped pair, a path without
    suffix or an object. `flip_tta`: horizontal-flip test-time augmentation. `device`: where the
    network runs. `refine` (streets): one of REFINE, whether renderings of uncertain detections are
    compared with the image (`render_compare`): "render_compare" requires a renderer, "auto" uses
    one where it is available, "off" (or false) does not. `modules` (streets): detection, attributes
    and pose by other networks (`separate_modules`), without this comparison."""
    known("source of scenes", scenes, SOURCES[domain])
    refine = "off" if refine is False else refine
    if refine not in REFINE:
        raise InputError(f"unknown perception.refine={refine!r}; known: {', '.join(REFINE)}")
    if modules and refine == "render_compare":
        raise InputError(
            "perception.refine=render_compare and perception.modules cannot be combined"
        )
    if scenes == "ground_truth":
        return Truth()
    if scenes in ("semantic_map", "captions"):
        return Annotations(captions if scenes == "captions" else labelled_map)
    if modules:
        from po3d.systems.separate_modules import separate_modules

        perception = separate_modules(modules, perception, device, flip_tta)
    if not isinstance(perception, str):
        return source_of(perception, domain)
    if domain == "rooms":
        return Maps(perception, flip_tta, device)
    if domain == "street":
        from po3d.io.checkpoint import locate
        from po3d.perception.street import StreetEstimator  # importing torch takes seconds

        estimator = StreetEstimator.from_checkpoint(locate(perception), device, flip_tta)
        estimator.refine = _refiner(refine)
        return Pictures(estimator)
    from po3d.perception.room_view import RoomViewEstimator  # importing torch takes seconds

    return Pictures(RoomViewEstimator.named(perception, flip_tta, device), domain)


def _refiner(refine: str) -> "Refiner | None":
    """Return the comparison with renderings of one of REFINE; None if it is off or unavailable."""
    if refine == "off":
        return None
    try:
        from po3d.systems.render_compare import refiner  # the renderer is an optional dependency

        return refiner()
    except (ImportError, InputError) as error:
        if refine == "render_compare":
            raise InputError(
                f"perception.refine=render_compare needs a renderer: {error}"
            ) from None
        _note_no_renderer(str(error))
        return None


@functools.cache
def _note_no_renderer(reason: str) -> None:
    """Print once that street scenes are estimated without renderings."""
    print(
        "note: uncertain vehicles are not compared with renderings (perception.refine=off):"
        f" {reason}",
        file=sys.stderr,
    )
