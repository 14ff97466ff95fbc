"""The model that answers `po3d ask`, by the options of the command and the kind of input."""

import argparse
import functools
from collections.abc import Callable
from dataclasses import replace

from po3d.io.errors import InputError
from po3d.scene.table import Scene
from po3d.systems.api import Model, load
from po3d.systems.domain import domain as default_domain
from po3d.systems.domain_router import DomainRouter, worlds_of
from po3d.systems.general_parser import second
from po3d.systems.interfaces import Image
from po3d.systems.pipeline import Pipeline
from po3d.systems.scene_sources import Truth

STREETS = "street_estimator"
SAMPLES = 64  # posterior samples of a photograph's scene, except for --mode argmax


def model_of(
    arguments: argparse.Namespace, scene: Scene | None, image: Image | None
) -> Model | DomainRouter:
    """Return the model for a room's scene, a street's scene, a photograph or another image."""
    world = "" if scene is None else domain_of(scene)
    room = arguments.perception == "map" if scene is None else world == "rooms"
    asks_rooms = arguments.frame or arguments.change
    if asks_rooms and not room and (scene is not None or arguments.perception != "auto"):
        raise InputError(
            "--frame and --change apply to rooms: scenes with an outline, and top-view maps"
        )
    if scene is not None and arguments.perception == "photo":
        raise InputError("--perception photo needs an image, not a scene")
    if world == "photographs":
        return DomainRouter(_builders(arguments, scenes="ground_truth"))
    if scene is not None:
        domain, checkpoint = default_domain(world), arguments.room_parser_checkpoint
        if not room:
            domain = replace(domain, mode=arguments.mode)
            checkpoint = arguments.parser_checkpoint
        parser = domain.parser_of(domain, checkpoint, "cpu")
        general = second(arguments.parser, domain)
        return Model(Pipeline(Truth(), parser, domain, second=general))
    if arguments.perception == "photo":
        return _photographs(arguments)
    own_estimator = arguments.perception_checkpoint != STREETS  # of streets
    if own_estimator or arguments.perception != "auto":
        kind = "street" if arguments.perception == "auto" else arguments.perception
        return DomainRouter(_builders(arguments), kind)
    router = DomainRouter(_builders(arguments))
    try:
        return DomainRouter(router.builders, router.chosen(image).kind)
    except InputError as refused:
        if arguments.detector or arguments.set:
            return _photographs(arguments)
        try:  # networks in the hub's cache
            return _photographs(arguments)
        except InputError:
            raise InputError(
                f"{refused}, or photo with --detector FILE (docs/photographs.md)"
            ) from None


def domain_of(scene: Scene) -> str:
    """Return the first domain for questions about a scene; that of streets for an empty one."""
    return worlds_of(scene)[0] if scene.outline is not None or scene.objects else "street"


def _builders(
    arguments: argparse.Namespace, scenes: str = "predicted"
) -> dict[str, Callable[[], Model]]:
    """Return the domains' models with shipped estimators, loaded on first use; photographs and
    orbits with `scenes` as their source of scenes."""
    options = {
        "street": {
            "perception": arguments.perception_checkpoint,
            "parser_checkpoint": arguments.parser_checkpoint,
            "mode": arguments.mode,
        },
        "rooms": {"parser_checkpoint": arguments.room_parser_checkpoint},
        "photographs": {"scenes": scenes},
        "orbit": {"scenes": scenes},
    }
    result = {}
    for world, own in options.items():
        result[world] = functools.cache(
            functools.partial(load, world, parser=arguments.parser, **own)
        )
    return result


def _photographs(arguments: argparse.Namespace) -> Model:
    """Return the model with third-party networks for photographs; InputError if they are not
    installed."""
    from po3d.io.config import build, compose, varied  # hydra takes a while to import

    if arguments.intrinsics and arguments.focal:
        raise InputError("--focal and --intrinsics both give the lens")
    keys = {
        "detector.onnx": arguments.detector,
        "depth.file": arguments.depth,
        "intrinsics": arguments.intrinsics,
        "known": arguments.known,
        "orientation.pose": arguments.pose,
    }
    own = []
    for key, value in keys.items():
        if value:
            own.append(f"perception.{key}={value}")
    config = varied(compose("evaluate", ["perception=foundation", *own, *arguments.set]), {})
    samples = 0 if arguments.mode == "argmax" else config["executor"]["samples"] or SAMPLES
    looks = build(config["perception"])
    return load("photographs", perception=looks, samples=samples, parser=arguments.parser)
