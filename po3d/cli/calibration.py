"""Calibration of a system's probabilities, and selective prediction (risk and coverage).

    po3d calibration RUN                       reliability, ECE, risk and coverage
    po3d calibration RUN --fit-on OTHER_RUN    the same after temperature scaling
    po3d calibration FILE --fit-on OTHER_FILE --fit-data ROOT    of predictions without a run

The temperature T is fitted on the predictions for another split: sigmoid(logit(p) / T) is the
probability that an answer is right (Guo et al. 2017, for the answer against all others). It is a
single number, so it changes neither answers nor their order. Questions without an answer are
excluded from reliability, and count as not covered.
"""

import argparse

from po3d.cli.data_arguments import add_data_arguments
from po3d.io.plots import PLOTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="PREDICTIONS", help="a predictions.jsonl, or the folder of its run"
    )
    size = "evaluate only the first SIZE images or rooms (default: the size in the run.json "
    add_data_arguments(
        parser,
        benchmark="default: that of the run, else pulsecheck457",
        data="folder of a release or twin (default: that of the run, else the shipped mini split)",
        size=f"{size}next to PREDICTIONS)",
        scorer="the scorer (default: that of the run, else the benchmark's own)",
    )
    text = "predictions for a validation split; the temperature is fitted on them"
    parser.add_argument("--fit-on", metavar="PREDICTIONS", help=text)
    text = "folder of the validation split (default: that of the run of --fit-on)"
    parser.add_argument("--fit-data", metavar="ROOT", help=text)
    parser.add_argument(
        "--temperature", type=float, help="use this temperature instead of fitting one"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of tables"
    )
    parser.add_argument(
        "--plot", metavar="PICTURE", help=f"draw the reliability diagram ({', '.join(PLOTS)})"
    )
    text = "write the predictions with scaled probabilities to this file"
    parser.add_argument("--out", metavar="PREDICTIONS", help=text)
