"""L4-Pose-Real of PulseCheck457: the heading of the object in the red box of a photograph.

    po3d pose-real make PICTURES ITEMS      items of a folder of pictures with poses
    po3d pose-real make PICTURES ITEMS --annotations FILE.mat           items of SUN RGB-D
    po3d pose-real answer ITEMS RUN --system lmm --url URL --model NAME
    po3d pose-real score ITEMS RUN PREDICTIONS.jsonl

The paper does not release the subset; docs/pose_real.md describes the images it takes and their
licence.
"""

import argparse

SYSTEMS = ("lmm", "orientation", "random")
FORMS = ("text", "markdown", "latex", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    works = parser.add_subparsers(metavar="WORK", required=True, dest="work")
    make = works.add_parser("make", help="make items from annotated photographs")
    make.add_argument("pictures", metavar="PICTURES", help="folder of photographs")
    make.add_argument("items", metavar="ITEMS", help="new or empty folder for the items")
    text = (
        "SUN RGB-D's SUNRGBDMeta3DBB_v2.mat, or a file of JSON lines (default: a .json next to "
        "each photograph)"
    )
    make.add_argument("--annotations", metavar="FILE", help=text)
    text = "poses use a camera frame with y up and looking along -z, as in Objectron"
    make.add_argument("--opengl", action="store_true", help=text)
    make.add_argument(
        "--front", default="+z", metavar="AXIS", help="front axis of the objects: +x, -x, ... -z"
    )
    make.add_argument("--up", default="+y", metavar="AXIS", help="up axis of the objects")
    answer = works.add_parser("answer", help="answer items with a system")
    answer.add_argument("items", metavar="ITEMS", help="folder of items")
    text = "folder for the predictions; run the same command again to resume"
    answer.add_argument("out", metavar="RUN", help=text)
    answer.add_argument("--system", choices=SYSTEMS, required=True)
    answer.add_argument(
        "--url", help="for lmm: an OpenAI-compatible endpoint, http://127.0.0.1:8000/v1"
    )
    answer.add_argument("--model", help="for lmm: name of the model at the endpoint")
    answer.add_argument(
        "--key-env", metavar="NAME", help="for lmm: the environment variable that holds its API key"
    )
    text = "for orientation: folder of Orient Anything's weights (docs/foundation.md)"
    answer.add_argument("--weights", metavar="DIR", help=text)
    answer.add_argument("--device", default="cpu", help="for orientation: torch device")
    answer.add_argument("--seed", type=int, default=0, help="for random: the seed")
    score = works.add_parser("score", help="print accuracy, bias and published rows")
    score.add_argument("items", metavar="ITEMS", help="folder of items")
    text = "folders written by `answer`, or predictions.jsonl files"
    score.add_argument("runs", metavar="RUN", nargs="+", help=text)
    text = "names of the runs, separated by commas (default: from the runs)"
    score.add_argument("--names", default="", help=text)
    score.add_argument("--form", choices=FORMS, default="text")
