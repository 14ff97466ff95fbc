"""Make images, scene tables and questions of a benchmark's twin. The same seed gives the same bytes
with any number of workers, and a killed run goes on where it was."""

import argparse

from po3d.io.shipped import CONFIGS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("options", nargs="*", metavar="key=value")
    defaults = (CONFIGS / "generate.yaml").read_text(encoding="utf-8").split("\n\n", 1)[1]
    parser.epilog = f"options and their defaults:\n{defaults}"


def run(arguments: argparse.Namespace) -> int:
    """Write the twin."""
    from po3d.io.config import compose

    config = compose("generate", arguments.options)
    from po3d.benchmarks.registry import benchmark_of, dials_in

    benchmark = benchmark_of(config.benchmark.name)
    benchmark.generate(
        out=config.out, size=config.size, seed=config.seed, look=config.look, images=config.images,
        workers=config.workers, split=config.split, skies=config.skies, **dials_in(config.benchmark),
    )  # fmt: skip
    print(f"wrote {config.size} {benchmark.generated} to {config.out}")
    return 0
