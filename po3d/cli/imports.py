"""Convert a language model's results in a harness to a predictions file, and score it.

    po3d import MODEL_Spatial457.xlsx --benchmark pulsecheck457 --data RELEASE --out MODEL.jsonl

A row is matched to the question with its id (columns qid, question_id, id, index, question_index,
also inside the output of lmms-eval's metric), unless both have a text and the texts differ; else to
the only question with its image and text; else to the only one with its text. Unmatched, duplicate
and missing rows are listed in OUT.import.json and counted on the screen. A missing question has no
line in OUT, and counts as wrong in every score.

The response is read from the first of the columns RESPONSES (of lmms-eval: filtered_resps, resps);
its answer is extracted by `po3d.systems.answers`. Columns A, B, C, D are the options of a multiple
choice, if the benchmark has none itself.
"""

import argparse

from po3d.cli.data_arguments import add_data_arguments
from po3d.io.files import output_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "VLMEvalKit .xlsx/.tsv/.json, lmms-eval samples, or plain .jsonl/.csv"
    parser.add_argument("file", metavar="FILE", help=text)
    add_data_arguments(
        parser,
        data="folder of the release or twin that the model answered (default: the mini split)",
        size="use only the first SIZE images or rooms, as in evaluate.py size=",
        scorer="the scorer of the gold answers and the headline figure (default: the benchmark's"
        " own)",
    )
    text = "the predictions file to write"
    parser.add_argument("--out", required=True, type=output_file, metavar="PREDICTIONS", help=text)
