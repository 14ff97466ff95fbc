"""Label audit: compare released answers with the results of their own programs on the true scenes.

    po3d audit --benchmark pulsecheck457 --data ROOT --out errata.jsonl --corrected DIR

Each question gets one of the verdicts

agrees       the program gives the released answer
replaced     it gives another answer, which is in the corrected split
left out     it gives no answer (no object or several match): the corrected split lacks the question
unvouched    there is no program, so it cannot be checked: the corrected split keeps the question

If a release uses other constants than po3d, whole columns disagree; few errata spread over all
columns are wrong labels.
"""

import argparse

from po3d.cli.data_arguments import add_data_arguments
from po3d.io.files import output_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    folder = "folder of the release, with its scene file (default: the mini split)"
    add_data_arguments(parser, data=folder)
    text = "the file of errata to write, one JSON record per line"
    parser.add_argument("--out", required=True, type=output_file, metavar="ERRATA", help=text)
    parser.add_argument(
        "--corrected", metavar="DIR", help="write the corrected split to this folder"
    )
