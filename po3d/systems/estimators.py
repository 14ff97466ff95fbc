"""The perception interface: the Estimator protocol, its calls, and validation of its output.

    images, names [, focals, cameras, things, domain] ──► estimate ──► one Scene per image ──►
    checked

Any object with the method `Estimator.estimate` can be `perception=` of all benchmarks. `po3d
check-estimator` runs the checks of this module ahead of an evaluation. The provenance in reports is
read from the object (`identity`).
"""

import inspect
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from po3d.io.errors import InputError
from po3d.io.files import sha256
from po3d.scene.geometry import Camera
from po3d.scene.table import Scene
from po3d.systems.interfaces import Image

# Fields of an object
NUMBERS = ("position", "heading", "extent", "covariance", "flip", "existence")
OPTIONAL = ("focals", "cameras", "things", "domain")  # passed if `estimate` has them


class Estimator(Protocol):
    """Turns images into scenes. `estimate(images, names)` is the only required method.

    Scenes have `source="predicted"`. Required beliefs depend on the benchmark: docs/extending.md.

    Optional parameters of `estimate`, passed by name if it has them:
        focals      focal length of each image in widths of the image; None if unknown
        cameras     `Camera` (`po3d.scene.geometry`) of each image: map or nominal street camera,
                    else None
        things      descriptions of the objects in the questions; shared by the images of one call
        domain      "street", "rooms", "photographs" or "orbit"

    Optional attributes:
        batch_size      largest number of images per call
        made_for        supported domains, if not all
        name, version   for reports; default: the name of the class
        checkpoint      path of the weights; run.json records the SHA-256 of that file
        calibration     mapping of numbers, recorded in run.json
    """

    def estimate(self, images: Sequence[Image], names: Sequence[str]) -> Sequence[Scene]:
        """Return one scene for each (H, W, 3) uint8 RGB image, in order; `names` are those of the
        images."""
        ...


@dataclass(frozen=True)
class Shipped:
    """Settings of the domain's own estimator (configs/perception/shipped.yaml); None keeps the
    domain's default. `modules`: see `separate_modules`."""

    checkpoint: str | None = None
    device: str | None = None
    flip_tta: bool | None = None
    refine: str | bool | None = None
    modules: Mapping[str, Any] | None = None

    def given(self) -> dict[str, Any]:
        """Return the settings that are not None, by their names in `Domain.options`."""
        result = {field.name: getattr(self, field.name) for field in fields(self)}
        result["perception"] = result.pop("checkpoint")
        result["modules"] = chosen_modules(self.modules) or None
        return {name: value for name, value in result.items() if value is not None}


def chosen_modules(modules: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the modules of `perception.modules` that are not the shipped network."""
    return {
        name: module for name, module in (modules or {}).items() if module not in (None, "shipped")
    }


class EstimatorInput(NamedTuple):
    """An image and, if the benchmark has them, its focal length and camera."""

    image: Image
    focal: float | None = None  # in widths of the image
    camera: Camera | None = None


Perception = Estimator | str  # or the name of a shipped checkpoint pair, or a path without suffix


# --- provenance -----------------------------------------------------------------------------------


def class_path(thing: object) -> str:
    """Return the path of the object's class, such as "mymod.Mine"."""
    return f"{type(thing).__module__}.{type(thing).__qualname__}"


def ours(thing: object) -> bool:
    """Whether the object's class is defined in po3d."""
    return type(thing).__module__.partition(".")[0] == "po3d"


def identity(estimator: Any) -> dict[str, Any]:
    """Return the provenance of an estimator as JSON values: `class` and, if present, `name`,
    `version`, `calibration`, `answers`, `checkpoint` with `sha256`, and `refine`, whether
    detections are compared with renderings. For a class outside po3d also `source_sha256`, the
    hash of its source file."""
    result: dict[str, Any] = {"class": class_path(estimator)}
    for key in ("name", "version"):
        if (value := getattr(estimator, key, None)) is not None:
            result[key] = str(value)
    calibration = getattr(estimator, "calibration", None)
    if isinstance(calibration, Mapping) and calibration:
        result["calibration"] = {str(k): v for k, v in calibration.items()}
    if answers := getattr(estimator, "answers", None):
        result["answers"] = {domain: fit._asdict() for domain, fit in answers.items()}
    if (checkpoint := getattr(estimator, "checkpoint", None)) is not None:
        result |= {"checkpoint": Path(checkpoint).name, "sha256": checkpoint_digest(checkpoint)}
    if ours(estimator) and hasattr(estimator, "refine"):
        result["refine"] = "off" if estimator.refine is None else "render_compare"
    if not ours(estimator):
        result["source_sha256"] = _source_digest(type(estimator))
    return result


def modules_of(system: Any) -> dict[str, dict[str, Any]]:
    """Return the `identity` of each module of a system, perception (and its separate modules) and
    parser if present; also of the system itself if its class is outside po3d."""
    own = {} if ours(system) else {"system": identity(system)}
    return own | {name: identity(module) for name, module in _modules(system).items()}


def checkpoints_of(system: Any) -> dict[str, str]:
    """Return the name or path of the checkpoint pair of each module that was loaded from one."""
    paths = {name: getattr(module, "checkpoint", None) for name, module in _modules(system).items()}
    pairs = {name: path for name, path in paths.items() if path is not None}
    # An external module may name a single file of weights or of tables, which lists no scenes.
    return {name: str(path) for name, path in pairs.items() if not Path(path).is_file()}


def _modules(system: Any) -> dict[str, Any]:
    modules = {}
    if (source := getattr(system, "tables", None)) is not None:
        modules["perception"] = estimator = getattr(source, "estimator", source)
        separate = getattr(estimator, "separate", {})  # `separate_modules.SeparateModules`
        if ours(estimator):
            modules |= {f"perception.{name}": module for name, module in separate.items()}
    if (parser := getattr(getattr(system, "reader", None), "parser", None)) is not None:
        modules["parser"] = parser
    return modules


def checkpoint_digest(path: str | Path) -> str:
    """Return the SHA-256 of the weights: the file's, or, for a checkpoint pair of po3d, that of its
    description. InputError if there is no such checkpoint."""
    from po3d.io.checkpoint import digest

    if Path(path).is_file():
        return sha256(path)
    return digest(path)


def _source_digest(kind: type) -> str | None:
    try:
        path = inspect.getsourcefile(kind)
    except TypeError:  # built-in, or defined interactively
        return None
    return sha256(path) if path and Path(path).is_file() else None


def title(result: Mapping[str, Any]) -> str:
    """Return the name of an estimator in reports, from its `identity`: name and version, else
    checkpoint or class."""
    name = result.get("name") or result.get("checkpoint") or result["class"].rpartition(".")[2]
    return f"{name} {result['version']}" if result.get("version") else name


# --- the call -------------------------------------------------------------------------------------


def parameters(estimator: Any) -> tuple[str, ...]:
    """Return those parameters in OPTIONAL that `estimate` accepts; InputError if the object is not
    an estimator."""
    who = class_path(estimator)
    method = getattr(estimator, "estimate", None)
    if not callable(method):
        raise InputError(f"{who} is not an estimator: it has no method estimate(images, names)")
    try:
        known = inspect.signature(method).parameters
    except (TypeError, ValueError):  # implemented in C
        return ()
    anything = any(p.kind is p.VAR_KEYWORD for p in known.values())
    result = tuple(name for name in OPTIONAL if anything or name in known)
    try:
        inspect.signature(method).bind((), names=(), **dict.fromkeys(result))
    except TypeError as error:
        raise InputError(
            f"{who}.estimate should accept images and names (optionally {', '.join(OPTIONAL)}):"
            f" {error}"
        ) from None
    return result


def made_for(estimator: Any, domain: str) -> tuple[str, ...]:
    """Return the domains that an estimator supports; default: `domain`."""
    return tuple(getattr(estimator, "made_for", (domain,)))


def check_domain(estimator: Any, domain: str) -> None:
    """Raise InputError if the object is not an estimator or does not support the domain."""
    parameters(estimator)
    domains = made_for(estimator, domain)
    if domain not in domains:
        raise InputError(
            f"{class_path(estimator)} supports {', '.join(domains)}, not {domain}; "
            "perception=shipped has an estimator for it"
        )


def estimated(
    estimator: Any,
    inputs: Sequence[EstimatorInput],
    names: Sequence[str],
    things: Sequence[str] = (),
    domain: str = "",
) -> list[Scene]:
    """Return the predicted scenes of the images, in calls of at most `batch_size` images.
    InputError if the estimator raises, or does not return one finite predicted scene for each
    image."""
    offered = parameters(estimator)
    step = _batch_size(estimator) or max(1, len(inputs))
    scenes: list[Scene] = []
    for start in range(0, len(inputs), step):
        part = inputs[start : start + step]
        images, focals, cameras = map(list, zip(*part))
        more: dict[str, Any] = {
            "focals": focals,
            "cameras": cameras,
            "things": tuple(things),
            "domain": domain,
        }
        own = list(names[start : start + step])
        inputs_of = {name: more[name] for name in offered}
        created = called(estimator, "estimate", images, own, {"names": own, **inputs_of})
        scenes += checked_scenes(class_path(estimator), created, own)
    return scenes


def _batch_size(estimator: Any) -> int | None:
    size = getattr(estimator, "batch_size", None)
    if size is not None and (not isinstance(size, int) or size < 1):
        raise InputError(
            f"{class_path(estimator)}.batch_size={size!r} should be a positive integer"
        )
    return size


def called(
    module: Any, method: str, images: list[Image], names: Sequence[str], more: Mapping[str, Any]
) -> Any:
    """Return `module.method(images, **more)`; an error of a class outside po3d becomes an
    InputError that has its line and the first of the images' `names`.
    """
    try:
        return getattr(module, method)(images, **more)
    except InputError:
        raise
    except Exception as error:
        if ours(module):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        text = " ".join(str(error).split())
        raise InputError(
            f"{class_path(module)}.{method} raised {type(error).__name__} ({where}) on"
            f" {names[0]!r}: {text}"
        ) from error


# --- validation of the output ---------------------------------------------------------------------


def checked_scenes(who: str, created: Any, names: Sequence[str]) -> list[Scene]:
    """Validate what the estimator `who` returned for the images `names`; return the scenes, named
    as their images. InputError unless there is one finite predicted scene for each image."""
    if not isinstance(created, Sequence) or isinstance(created, str):
        raise InputError(
            f"{who}.estimate should return a list of scenes, not {type(created).__name__}"
        )
    if len(created) != len(names):
        raise InputError(f"{who}.estimate returned {len(created)} scenes for {len(names)} images")
    return [_checked(who, scene, name) for scene, name in zip(created, names)]


def _checked(who: str, scene: Any, name: str) -> Scene:
    if not isinstance(scene, Scene):
        raise InputError(f"{who} returned {type(scene).__name__} for {name!r} instead of a Scene")
    if scene.source != "predicted":
        raise InputError(
            f"{who} returned a scene with source={scene.source!r} for {name!r}; "
            'predictions need source="predicted"'
        )
    if wrong := not_finite(scene):
        raise InputError(f"{who} returned a non-finite {wrong} for {name!r}")
    return replace(scene, image=name)


def not_finite(scene: Scene) -> str:
    """Return the first field of a scene that holds NaN or infinity; "" if there is none."""
    for k, o in enumerate(scene.objects):
        values = {name: getattr(o, name) for name in NUMBERS}
        values |= {
            "box": o.box or (),
            "beliefs": [list(belief.values()) for belief in o.beliefs.values()],
        }
        for name, value in values.items():
            flat = (
                np.concatenate(list(map(np.ravel, value)) or [[]]) if name == "beliefs" else value
            )
            if not np.isfinite(np.asarray(flat, float)).all():
                return f"objects[{k}].{name}"
    return ""


def is_copy(scene: Scene, truth: Scene) -> bool:
    """Whether every object has exactly the pose and size of a true one (to 1e-9): a leak of ground
    truth."""
    if not len(scene) or len(scene) != len(truth):
        return False
    rows = []
    for table in (scene, truth):
        rows.append(sorted((*o.position, o.heading, *o.extent) for o in table.objects))
    return bool(np.allclose(*rows, rtol=0, atol=1e-9))
