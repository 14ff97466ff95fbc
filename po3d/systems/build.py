"""Build the pipeline of a domain from its options, which are those of `po3d.load`."""

from dataclasses import fields, replace
from typing import Any

from po3d.io.errors import InputError
from po3d.systems.domain import Domain, domain
from po3d.systems.general_parser import second
from po3d.systems.oracle import checked_modules
from po3d.systems.pipeline import Pipeline
from po3d.systems.scene_sources import source

SETTINGS = {field.name for field in fields(Domain)}


def build_pipeline(name: str, **options: Any) -> Pipeline:
    """Return the pipeline of a domain (a key of DOMAIN_MODULES). `options` are keys of
    `Domain.options`, which has their defaults; InputError for another one:

    `scenes`: source of scenes, one of `scene_sources.SOURCES`. `perception`: name of a shipped
    checkpoint pair, a path without suffix, or an estimator. `parser_checkpoint`: name or path of
    the benchmark parser's pair. `flip_tta`: horizontal-flip test-time augmentation. `parser`: a
    `ParserMode`. `device`: where the networks run. `oracle`: modules replaced by ground truth.
    `refine` and `modules` (streets): see `scene_sources.source`. The others are settings of
    `Domain`.
    """
    base = domain(name)
    for option in options:
        if option not in base.options:
            known = ", ".join(base.options)
            raise InputError(f"unknown option {option!r} of {name}; known: {known}")
    options = {**base.options, **options}
    scenes, perception = options.get("scenes", "predicted"), options["perception"]
    if scenes == "predicted" and not isinstance(perception, str):
        base = base.for_estimator(base, perception)
    own = replace(base, **{key: options[key] for key in SETTINGS & options.keys()})
    device = options["device"]
    oracle = checked_modules(options["oracle"], own.modules)  # before networks are loaded
    more = {}
    for key in ("refine", "modules"):
        if key in options:
            more[key] = options[key]
    tables = source(name, scenes, perception, options["flip_tta"], device, **more)
    parser = own.parser_of(own, options.get("parser_checkpoint", ""), device)
    return Pipeline(tables, parser, own, oracle, second(options["parser"], own, device))
