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

from po3d.evaluation.harness import FORMATS
from po3d.io.paths import benchmarks


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--benchmark",
        choices=benchmarks(),
        help="default: that of the run of --predictions, else pulsecheck457",
    )
    parser.add_argument(
        "--data",
        metavar="ROOT",
        help=(
            "folder of a release or twin (default: that of the run of --predictions, else the mini"
            " split)"
        ),
    )
    parser.add_argument(
        "--size",
        type=int,
        metavar="N",
        help="export only the first SIZE images, rooms or scenes (default: all)",
    )
    parser.add_argument("--format", required=True, choices=(*FORMATS, "results", "release", "easi"))
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    parser.add_argument(
        "--image-format",
        default="png",
        choices=("png", "jpeg"),
        help="png (default) keeps the exact pixels",
    )
    parser.add_argument(
        "--bare", action="store_true", help="vlmevalkit: write the question without po3d's prompt"
    )
    parser.add_argument(
        "--inline", action="store_true", help="openai: write images as data URIs instead of files"
    )
    _add_prompt_arguments(parser.add_argument_group("what the model receives (docs/lmm.md)"))
    parser.add_argument(
        "--predictions",
        metavar="PREDICTIONS",
        help="results, easi: the predictions.jsonl to convert, or the folder of its run",
    )
    parser.add_argument(
        "--model", metavar="NAME", help="results: name of the model (default: po3d); easi: ORG/NAME"
    )
    parser.add_argument(
        "--dataset",
        metavar="NAME",
        help="results: the harness's name of the dataset (default: po3d_<benchmark>)",
    )


def _add_prompt_arguments(own: argparse._ArgumentGroup) -> None:
    own.add_argument(
        "--show",
        default="picture",
        help="picture (default) or none; hypo3d also labelled or captions",
    )
    own.add_argument("--frame", default="anchors", help="hypo3d: anchors (default), none or camera")
    own.add_argument(
        "--change", default="with", help="hypo3d: with (default) or without the text of the change"
    )
    own.add_argument(
        "--style",
        default="plain",
        help="plain (default) or cot; scope also ego_to_allo, 3dsrbench also boxes",
    )
    own.add_argument(
        "--scenes",
        default="none",
        help="none (default), predicted or ground_truth: po3d's scene as text",
    )
    own.add_argument(
        "--scenes-file",
        metavar="FILE",
        help="for --scenes predicted: scenes.jsonl of a finished run",
    )


def run(arguments: argparse.Namespace) -> int:
    from po3d.evaluation.harness.export import export_command

    return export_command(arguments)
