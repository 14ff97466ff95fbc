"""Compare predictions files: accuracies with intervals, significance tests for pairs of systems.

    po3d compare A.jsonl B.jsonl ...     every pair; --to-first: each against the first

Accuracies are computed by the benchmark's own scorer; their bootstrap intervals resample images or
rooms. A pair is compared on all questions: the difference with its bootstrap interval, the exact
McNemar test, Holm's correction over all pairs, the smallest difference that this number of images
can detect, and the overlap of both systems' errors.
"""

import argparse

from po3d.cli.data_arguments import add_data_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "predictions.jsonl of each system, or the folder of its run"
    parser.add_argument("files", nargs="+", metavar="PREDICTIONS", help=text)
    text = "names of the systems, separated by commas (default: the file names)"
    parser.add_argument("--names", default="", help=text)
    add_data_arguments(
        parser,
        benchmark="default: that of the first run, else pulsecheck457",
        data="folder of a release or twin (default: that of the first run, else the mini split)",
        size="use only the first SIZE images or rooms (default: the smallest size of the runs)",
        scorer="the scorer (default: that of the first run, else the benchmark's own)",
    )
    common = (
        "compare only questions answered in every file; otherwise a missing line counts as a wrong"
        " answer"
    )
    parser.add_argument("--common", action="store_true", help=common)
    parser.add_argument(
        "--to-first", action="store_true", help="compare each system with the first one only"
    )
    parser.add_argument(
        "--by-category", action="store_true", help="also compare each pair by category"
    )
    form = parser.add_mutually_exclusive_group()
    for name in ("markdown", "latex"):
        form.add_argument(
            f"--{name}", dest="form", action="store_const", const=name, default="text"
        )
    form.add_argument("--json", dest="form", action="store_const", const="json")
    parser.add_argument("--out", metavar="FILE", help="write to this file instead of printing")
