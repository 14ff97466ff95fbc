"""`po3d report`: a run beside published rows and other systems, as HTML, LaTeX or Markdown.

    po3d report outputs/pulsecheck457-mini-po3d     writes RUN/report.html
    po3d report RUN --with LMM.jsonl OTHER_RUN --names "LMM,ours v1"
                                                    with other systems on the same questions
    po3d report RUN --latex                         prints the tables for a paper
    po3d report RUN OTHER_RUN --paper DIR           writes tables, figures, protocol of a paper

RUN is a folder written by evaluate.py; runs on the same data share a table. The report shows
report.json or, after +experiment=oracle_grid, grid.json with its curves and errors.jsonl with the
responsible modules; the scenes in scenes.jsonl are drawn. The HTML file loads nothing from the
network and needs no server.
"""

import argparse

from po3d.io.files import output_file
from po3d.io.runs import HTML


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", metavar="RUN", nargs="+", help="a folder written by evaluate.py")
    parser.add_argument(
        "--with",
        "--imported",
        dest="others",
        nargs="+",
        default=[],
        metavar="PREDICTIONS",
        help=(
            "predictions of other systems for the same questions: files (see "
            "`po3d import`) or folders of runs"
        ),
    )
    text = "names of those systems, separated by commas (default: the file names)"
    parser.add_argument("--names", default="", help=text)
    parser.add_argument(
        "--data", metavar="ROOT", help="folder of the questions (default: as in the run)"
    )
    parser.add_argument(
        "--grid", metavar="RUN", help="folder of an oracle grid of the same system (default: RUN)"
    )
    text = (
        "maximum number of questions listed in the report, on at most N / 10 images; a larger set "
        "is sampled (default: 10000)"
    )
    parser.add_argument("--items", type=int, metavar="N", help=text)
    text = "list only these questions; may be repeated"
    parser.add_argument("--question", nargs="+", default=[], metavar="ID", help=text)
    text = "also show published results later than the benchmark's paper, with their protocols"
    parser.add_argument("--later", action="store_true", help=text)
    _add_output_arguments(parser)


def _add_output_arguments(parser: argparse.ArgumentParser) -> None:
    form = parser.add_mutually_exclusive_group()
    text = "write LaTeX tables, PDF figures and a description of the protocol to this folder"
    form.add_argument("--paper", metavar="DIR", help=text)
    for name in ("latex", "markdown"):
        form.add_argument(
            f"--{name}",
            dest="form",
            action="store_const",
            const=name,
            help=f"print the tables in {name}",
        )
    parser.add_argument(
        "--out",
        type=output_file,
        metavar="FILE",
        help=f"the file to write (default: RUN/{HTML}; tables are printed)",
    )
