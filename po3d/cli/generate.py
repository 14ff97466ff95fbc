"""Make images, scenes and questions of a benchmark's twin.

A seed gives identical bytes with any number of workers; a killed run is resumed by the same
command.
"""

import argparse
from typing import Any

from po3d.io.paths import CONFIGS

# Keys of a benchmark's config that may be set; a change of another key is an error.
READ = ("name", "look", "difficulty")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("options", nargs="*", metavar="key=value")
    defaults = (CONFIGS / "generate.yaml").read_text(encoding="utf-8").split("\n\n", 1)[1]
    parser.epilog = f"options and their defaults:\n{defaults}"


def run(arguments: argparse.Namespace) -> int:
    """Write the twin."""
    from po3d.io.config import build, compose

    config = compose("generate", arguments.options)
    from po3d.benchmarks.registry import benchmark_of, difficulty_options
    from po3d.io.errors import InputError
    from po3d.io.pools import on
    from po3d.io.runs import locked

    benchmark = benchmark_of(config.benchmark.name)
    usual = compose("generate", [f"benchmark={benchmark.name}", "out=anywhere"])
    ignored = []
    for key, value in config.benchmark.items():
        if key not in READ and value != usual.benchmark.get(key):
            ignored.append(f"benchmark.{key}")
    if config.renderer == "own" and dict(config.blender, python="") != dict(usual.blender):
        ignored.append("blender")
    if ignored:
        raise InputError(f"{ignored[0]} is set, but has no effect on this twin")
    twin_options = difficulty_options(config.benchmark)
    if config.format == "webdataset" and (benchmark.world != "street" or not config.images):
        raise InputError("format=webdataset is only available for street images")
    if config.renderer != "own" or config.vehicles:
        if benchmark.world != "street":
            raise InputError(
                f"renderer= and vehicles= apply to streets; {config.benchmark.name} has none"
            )
        twin_options["drawing"] = {k: config[k] for k in ("renderer", "vehicles", "blender")}
    if config.vehicles:
        from po3d.synthesis.official_vehicles import opened

        official = opened(config.vehicles, config.blender.python)
        print(
            f"{config.vehicles}: {len(official.shapes)} types have official meshes; types "
            f"with po3d's own meshes: {', '.join(official.missing) or 'none'}"
        )
    if config.photographs or config.labels:
        return _photographs(benchmark, config, usual)
    engine = build(dict(config.engine)) if config.engine else None
    with locked(config.out, "generation"):
        with on(engine):
            benchmark.generate(
                out=config.out,
                size=config.size,
                seed=config.seed,
                look=config.look,
                images=config.images,
                workers=config.workers,
                split=config.split,
                skies=config.skies,
                **twin_options,
            )
        if config.format == "webdataset":
            _shards(benchmark, config)
    print(f"wrote {config.size} {benchmark.generated} to {config.out}")
    return 0


def _photographs(benchmark: Any, config: Any, usual: Any) -> int:
    """Write a split on photographs with labels."""
    from po3d.io.errors import InputError
    from po3d.io.runs import locked

    generate = benchmark.generate_on_photographs
    if generate is None or not (config.photographs and config.labels):
        raise InputError("photographs= and labels= go together, and are for benchmark=3dsrbench")
    if (
        config.benchmark.difficulty != usual.benchmark.difficulty
        or config.split != usual.split
        or not config.images
    ):
        raise InputError(
            "benchmark.difficulty=, split= and images= are for rendered rooms, not for photographs"
        )
    with locked(config.out, "generation"):
        pictures, rows = generate(
            config.out, config.photographs, config.labels, config.size, config.seed
        )
    print(f"wrote {rows} rows on {pictures} photographs to {config.out}")
    return 0


def _shards(benchmark: Any, config: Any) -> None:
    """Write the twin's images with their scene records as shards to OUT/webdataset."""
    from po3d.synthesis.splits import own_name
    from po3d.synthesis.street.layouts import MESHES
    from po3d.training.shards import write_shards

    split = benchmark.load(config.out)
    names = sorted(split.images)
    pictures = zip(map(split.source.path, names), map(split.source.record, names))
    models = [own_name("street", k) for k in MESHES[config.split]]
    write_shards(pictures, f"{config.out}/webdataset", models, root=config.out)
