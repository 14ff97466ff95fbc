"""The options --benchmark, --data, --size and --scorer of several commands."""

import argparse

from po3d.io.paths import benchmarks


def add_data_arguments(
    parser: argparse.ArgumentParser,
    *,
    data: str,
    benchmark: str | None = None,
    size: str | None = None,
    scorer: str | None = None,
) -> None:
    """Add the options that have a help text here; without one for --benchmark, its default is
    pulsecheck457."""
    default = "pulsecheck457" if benchmark is None else None
    parser.add_argument("--benchmark", default=default, choices=benchmarks(), help=benchmark)
    parser.add_argument("--data", metavar="ROOT", help=data)
    if size is not None:
        parser.add_argument("--size", type=int, help=size)
    if scorer is not None:
        parser.add_argument("--scorer", help=scorer)
