"""Export a split for language models: the items that po3d answers, for a harness or an endpoint.

    po3d export --benchmark hypo3d --format vlmevalkit --out DIR
    po3d export --benchmark pulsecheck457 --data outputs/twins/... --format lmms-eval --out DIR
    po3d export --benchmark scope --format openai --inline --out DIR
    po3d export --benchmark pulsecheck457 --data DIR/Spatial457.tsv --format results \\
                --predictions FILE --dataset Spatial457 --out WORK/po3d

    vlmevalkit   DIR/po3d_<benchmark>.tsv     with images; a row with an earlier row's images
                                              refers to it
    lmms-eval    DIR/po3d_<benchmark>.yaml    with po3d_task.py, data.jsonl and images/; include DIR
                                              by path
    results      DIR/<model>_<dataset>.xlsx   the answers of --predictions, for VLMEvalKit's
                                              evaluator
    easi         DIR/easi_results.json        the answers of --predictions for EASI's leaderboard,
                                              with a row per question, overall figures, settings
    openai       DIR/messages.jsonl           id, messages, answer, options, category; images/ or
                                              data URIs
    release      DIR/3dsrbench.tsv            of 3DSRBench's raw CSV or parquet: all rotations and
                                              flips, with images
    datasets     DIR/data/*.parquet           with a card; datasets.load_dataset(DIR) reads it.
                                              Needs po3d[datasets]

The images of a twin that `split=fresh` stored without them (under `outputs/twins`) are rendered.
Prompts: `po3d.systems.prompts`. Every row has the question's id (qid, or id), by which `po3d
import` finds it.
"""

import argparse

from po3d.cli.data_arguments import add_data_arguments
from po3d.evaluation.harness import FORMATS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    run = "that of the run of --predictions, else"
    data = f"folder of a release or twin (default: {run} the mini split)"
    add_data_arguments(parser, benchmark=f"default: {run} pulsecheck457", data=data)
    text = "export only the first SIZE images, rooms or scenes (default: all)"
    parser.add_argument("--size", type=int, metavar="N", help=text)
    parser.add_argument("--format", required=True, choices=(*FORMATS, "results", "release", "easi"))
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    text = "png (default) keeps the exact pixels"
    parser.add_argument("--image-format", default="png", choices=("png", "jpeg"), help=text)
    parser.add_argument(
        "--bare", action="store_true", help="vlmevalkit: write the question without po3d's prompt"
    )
    parser.add_argument(
        "--inline", action="store_true", help="openai: write images as data URIs instead of files"
    )
    _add_prompt_arguments(parser.add_argument_group("what the model receives (docs/lmm.md)"))
    text = "results, easi: the predictions.jsonl to convert, or the folder of its run"
    parser.add_argument("--predictions", metavar="PREDICTIONS", help=text)
    parser.add_argument(
        "--model", metavar="NAME", help="results: name of the model (default: po3d); easi: ORG/NAME"
    )
    text = "results: the harness's name of the dataset (default: po3d_<benchmark>)"
    parser.add_argument("--dataset", metavar="NAME", help=text)


# Option -> default, help.
PROMPT_OPTIONS = {
    "--show": ("picture", "picture (default) or none; hypo3d also labelled or captions"),
    "--frame": ("anchors", "hypo3d: anchors (default), none or camera"),
    "--change": ("with", "hypo3d: with (default) or without the text of the change"),
    "--style": ("plain", "plain (default) or cot; scope also ego_to_allo, 3dsrbench also boxes"),
    "--scenes": ("none", "none (default), predicted or ground_truth: po3d's scene as text"),
}


def _add_prompt_arguments(own: argparse._ArgumentGroup) -> None:
    for option, (default, text) in PROMPT_OPTIONS.items():
        own.add_argument(option, default=default, help=text)
    text = "for --scenes predicted: scenes.jsonl of a finished run"
    own.add_argument("--scenes-file", metavar="FILE", help=text)
