"""The perception seam: what an estimator is, how pipelines call it, and what is refused of what it returns.

    images, names [, focals, cameras, things, domain] ──► estimate ──► one Scene for each image ──► checked

Any object with the method `Estimator.estimate` can be `perception=` of all benchmarks; `po3d check-estimator` runs
these checks before an evaluation does. What reports say of an estimator is read from the object (`identity`).
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
from po3d.systems.pipeline import Image

NUMBERS = ("position", "heading", "extent", "covariance", "flip", "existence")  # of an object
OPTIONAL = (
    "focals",
    "cameras",
    "things",
    "domain",
)  # parameters of `estimate` that are filled where it has them


class Estimator(Protocol):
    """Turns images into scene tables. `estimate(images, names)` is all that is needed.

    Scenes have `source="predicted"`. Worlds differ by benchmark: docs/extending.md.

    Optional parameters of `estimate`, given by name where it has them:
        focals      focal length of each image in widths of the image; None where it is unknown
        cameras     `po3d.scene.geometry.Camera` of each image: a room's map, a street's nominal camera; else None
        things      descriptions of the objects that the questions name; the images of one call share them
        domain      "street", "rooms", "photographs" or "orbit"

    Optional attributes:
        batch_size      largest number of images in one call
        made_for        the domains that it serves, where not all
        name, version   what reports call it; else the name of its class
        checkpoint      path of its weights; run.json has the SHA-256 of that file
        calibration     mapping of numbers; run.json has them
    """

    def estimate(self, images: Sequence[Image], names: Sequence[str]) -> Sequence[Scene]:
        """One scene for each (H, W, 3) uint8 RGB image, in their order; `names` of the images."""
        ...


@dataclass(frozen=True)
class Shipped:
    """The settings of the domain's own estimator; None: as the domain has it. configs/perception/shipped.yaml tells them."""

    checkpoint: str | None = None
    device: str | None = None
    mirror: bool | None = None
    verify: str | None = None

    def given(self) -> dict[str, Any]:
        """The settings that have a value, as a domain's `pipeline` calls them."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        found["perception"] = found.pop("checkpoint")
        return {name: value for name, value in found.items() if value is not None}


class Given(NamedTuple):
    """An image and what the benchmark has of the camera that took it."""

    image: Image
    focal: float | None = None  # in widths of the image
    camera: Camera | None = None


Perception = Estimator | str  # or the name of a shipped pair, or a path without suffix


# --- provenance ---------------------------------------------------------------------------------------------


def class_path(thing: object) -> str:
    """ "mymod.Mine" of an object of that class."""
    return f"{type(thing).__module__}.{type(thing).__qualname__}"


def ours(thing: object) -> bool:
    """Whether the object's class is one of po3d's."""
    return type(thing).__module__.partition(".")[0] == "po3d"


def identity(estimator: Any) -> dict[str, Any]:
    """What an estimator is, ready for JSON, read from the object alone: `class`, and as far as it has them `name`, `version`,
    `calibration`, `checkpoint` with `sha256`; of a class that is not po3d's `source_sha256`, of its file."""
    found: dict[str, Any] = {"class": class_path(estimator)}
    for key in ("name", "version"):
        if (value := getattr(estimator, key, None)) is not None:
            found[key] = str(value)
    calibration = getattr(estimator, "calibration", None)
    if isinstance(calibration, Mapping) and calibration:
        found["calibration"] = {str(k): v for k, v in calibration.items()}
    if (checkpoint := getattr(estimator, "checkpoint", None)) is not None:
        found |= {"checkpoint": Path(checkpoint).name, "sha256": checkpoint_digest(checkpoint)}
    if not ours(estimator):
        found["source_sha256"] = _source_digest(type(estimator))
    return found


def modules_of(system: Any) -> dict[str, dict[str, Any]]:
    """Return the `identity` of each module of a system that answered: perception and parser, if present, and of a
    system whose class is not po3d's the system's own."""
    own = {} if ours(system) else {"system": identity(system)}
    return own | {name: identity(module) for name, module in _modules(system).items()}


def checkpoints_of(system: Any) -> dict[str, str]:
    """Return the checkpoint path or name of each module that was loaded from one."""
    paths = {name: getattr(module, "checkpoint", None) for name, module in _modules(system).items()}
    return {name: str(path) for name, path in paths.items() if path is not None}


def _modules(system: Any) -> dict[str, Any]:
    modules = {}
    if (source := getattr(system, "tables", None)) is not None:
        modules["perception"] = getattr(source, "estimator", source)
    if (parser := getattr(getattr(system, "reader", None), "parser", None)) is not None:
        modules["parser"] = parser
    return modules


def checkpoint_digest(path: str | Path) -> str:
    """The SHA-256 of weights: of one of po3d's pairs as its description has it, else of the file; InputError where there is none."""
    from po3d.io.checkpoint import digest

    if Path(path).is_file():
        return sha256(path)
    return digest(path)


def _source_digest(kind: type) -> str | None:
    try:
        path = inspect.getsourcefile(kind)
    except TypeError:  # built in, or typed at a prompt
        return None
    return sha256(path) if path and Path(path).is_file() else None


def title(found: Mapping[str, Any]) -> str:
    """What a row calls an estimator of this `identity`: its name and version, else its checkpoint or class."""
    name = found.get("name") or found.get("checkpoint") or found["class"].rpartition(".")[2]
    return f"{name} {found['version']}" if found.get("version") else name


# --- the call -----------------------------------------------------------------------------------------------


def parameters(estimator: Any) -> tuple[str, ...]:
    """Of OPTIONAL the parameters that `estimate` has; InputError for an object that is no estimator."""
    who = class_path(estimator)
    method = getattr(estimator, "estimate", None)
    if not callable(method):
        raise InputError(f"{who} is no estimator: it has no method estimate(images, names)")
    try:
        known = inspect.signature(method).parameters
    except (TypeError, ValueError):  # a method in C
        return ()
    anything = any(p.kind is p.VAR_KEYWORD for p in known.values())
    found = tuple(name for name in OPTIONAL if anything or name in known)
    try:
        inspect.signature(method).bind((), names=(), **dict.fromkeys(found))
    except TypeError as error:
        raise InputError(
            f"{who}.estimate should take images and names (and of {', '.join(OPTIONAL)} what it likes): {error}"
        ) from None
    return found


def made_for(estimator: Any, domain: str) -> tuple[str, ...]:
    """The domains that an estimator is made for; `domain`, where it does not say."""
    return tuple(getattr(estimator, "made_for", (domain,)))


def check_domain(estimator: Any, domain: str) -> None:
    """InputError for what is no estimator, or one that is not made for the domain."""
    parameters(estimator)
    domains = made_for(estimator, domain)
    if domain not in domains:
        raise InputError(
            f"{class_path(estimator)} is made for {', '.join(domains)}, not for {domain}; perception=shipped has an "
            "estimator for it"
        )


def estimated(
    estimator: Any, given: Sequence[Given], names: Sequence[str], things: Sequence[str] = (), domain: str = ""
) -> list[Scene]:
    """The scenes of some images by an estimator, in calls of its `batch_size`; InputError in one line when it raises, or when what it
    returns is not one finite predicted scene for each image."""
    offered = parameters(estimator)
    step = _batch_size(estimator) or max(1, len(given))
    scenes: list[Scene] = []
    for start in range(0, len(given), step):
        part = given[start : start + step]
        more: dict[str, Any] = {
            "focals": [g.focal for g in part],
            "cameras": [g.camera for g in part],
            "things": tuple(things),
            "domain": domain,
        }
        own = list(names[start : start + step])
        images = [g.image for g in part]
        made = _called(estimator, images, own, {name: more[name] for name in offered})
        scenes += checked_scenes(class_path(estimator), made, own)
    return scenes


def _batch_size(estimator: Any) -> int | None:
    size = getattr(estimator, "batch_size", None)
    if size is not None and (not isinstance(size, int) or size < 1):
        raise InputError(
            f"{class_path(estimator)}.batch_size={size!r} should be a whole number of at least 1"
        )
    return size


def _called(estimator: Any, images: list[Image], names: list[str], more: Mapping[str, Any]) -> Any:
    try:
        return estimator.estimate(images, names=names, **more)
    except InputError:
        raise
    except Exception as error:
        if ours(estimator):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        said = " ".join(str(error).split())
        raise InputError(
            f"{class_path(estimator)}.estimate raised {type(error).__name__} ({where}) on {names[0]!r}: {said}"
        ) from error


# --- what is refused ----------------------------------------------------------------------------------------


def checked_scenes(who: str, made: Any, names: Sequence[str]) -> list[Scene]:
    """What `who` returned for images of these names, each scene named as its image; InputError for anything but one finite predicted
    scene for each."""
    if not isinstance(made, Sequence) or isinstance(made, str):
        raise InputError(f"{who}.estimate should return a list of scenes, not {type(made).__name__}")
    if len(made) != len(names):
        raise InputError(f"{who}.estimate returned {len(made)} scenes for {len(names)} images")
    return [_checked(who, scene, name) for scene, name in zip(made, names)]


def _checked(who: str, scene: Any, name: str) -> Scene:
    if not isinstance(scene, Scene):
        raise InputError(f"{who} returned {type(scene).__name__} for {name!r} instead of a Scene")
    if scene.source != "predicted":
        raise InputError(
            f'{who} returned a table with source={scene.source!r} for {name!r}: only tables with source="predicted" are taken'
        )
    if wrong := not_finite(scene):
        raise InputError(f"{who} returned {wrong} that is not finite for {name!r}")
    return replace(scene, image=name)


def not_finite(scene: Scene) -> str:
    """The first field of a scene with NaN or infinity; "" where there is none."""
    for k, o in enumerate(scene.objects):
        values = {name: getattr(o, name) for name in NUMBERS}
        values |= {"box": o.box or (), "beliefs": [list(belief.values()) for belief in o.beliefs.values()]}
        for name, value in values.items():
            flat = np.concatenate([np.ravel(part) for part in value] or [[]]) if name == "beliefs" else value
            if not np.isfinite(np.asarray(flat, float)).all():
                return f"objects[{k}].{name}"
    return ""


def is_copy(scene: Scene, truth: Scene) -> bool:
    """Whether every object of a table stands exactly where the true one does."""
    if not len(scene) or len(scene) != len(truth):
        return False
    rows = [sorted((*o.position, o.heading, *o.extent) for o in table.objects) for table in (scene, truth)]
    return bool(np.allclose(*rows, rtol=0, atol=1e-9))
