"""The label audit: released answers against their own programs, run on the true tables.

    po3d audit --benchmark pulsecheck457 --data ROOT --out errata.jsonl --corrected DIR

Each question ends as one of

agrees       the program gives the released answer
replaced     it gives another one: the corrected split has that
left out     it has no answer (nothing or several things are described): the corrected split lacks the question
unvouched    there is no program, so nothing can be said: the corrected split keeps the question

A release whose constants are not ours disagrees in whole columns; few errata spread over all columns are wrong labels.
"""

import argparse

from po3d.io.files import output_file
from po3d.io.shipped import benchmarks


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--benchmark", default="pulsecheck457", choices=benchmarks())
    parser.add_argument(
        "--data", metavar="ROOT", help="the release, with its scene file; default: the mini split"
    )
    parser.add_argument(
        "--out",
        required=True,
        type=output_file,
        metavar="ERRATA",
        help="the list to write, one JSON record a line",
    )
    parser.add_argument("--corrected", metavar="DIR", help="write the corrected split into this folder")


def run(arguments: argparse.Namespace) -> int:
    from po3d.evaluation.audit import audit_command

    return audit_command(arguments)
