"""L4-Pose-Real of PulseCheck457: the heading of the object in the red box of a photograph.

    po3d pose-real make PICTURES ITEMS                                 items of a folder of pictures with poses
    po3d pose-real make PICTURES ITEMS --annotations FILE.mat          items of SUN RGB-D
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
    make = works.add_parser("make", help="items of annotated photographs")
    make.add_argument("pictures", metavar="PICTURES", help="a folder of pictures")
    make.add_argument("items", metavar="ITEMS", help="an empty or new folder for the items")
    make.add_argument("--annotations", metavar="FILE",
                      help="SUN RGB-D's SUNRGBDMeta3DBB_v2.mat, or JSON lines; default: a .json beside each picture")  # fmt: skip
    make.add_argument("--opengl", action="store_true",
                      help="poses are in a camera with y up that looks along -z, as Objectron's")  # fmt: skip
    make.add_argument("--front", default="+z", metavar="AXIS", help="a thing's front: +x, -x, ... -z")
    make.add_argument("--up", default="+y", metavar="AXIS", help="a thing's up")
    answer = works.add_parser("answer", help="ask a system")
    answer.add_argument("items", metavar="ITEMS", help="a folder of items")
    answer.add_argument("out", metavar="RUN", help="the folder for its predictions; the same command goes on")
    answer.add_argument("--system", choices=SYSTEMS, required=True)
    answer.add_argument("--url", help="of lmm: an OpenAI-compatible endpoint, http://127.0.0.1:8000/v1")
    answer.add_argument("--model", help="of lmm: what it is called there")
    answer.add_argument("--key-env", metavar="NAME", help="of lmm: the environment variable with its key")
    answer.add_argument(
        "--weights", metavar="DIR", help="of orientation: Orient Anything (docs/foundation.md)"
    )
    answer.add_argument("--device", default="cpu", help="of orientation")
    answer.add_argument("--seed", type=int, default=0, help="of random")
    score = works.add_parser("score", help="accuracy, bias and published rows")
    score.add_argument("items", metavar="ITEMS", help="a folder of items")
    score.add_argument("runs", metavar="RUN", nargs="+", help="what answer wrote, or predictions.jsonl files")
    score.add_argument("--names", default="", help="how they are called, with commas; default: as they say")
    score.add_argument("--form", choices=FORMS, default="text")


def run(arguments: argparse.Namespace) -> int:
    from po3d.evaluation.pose_real import pose_real_command

    return pose_real_command(arguments)
