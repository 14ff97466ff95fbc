"""Answer questions about an image or a scene, with an explanation.

The exit code is 0 with an answer, 1 without one, 2 for invalid input, such as a question that
cannot be parsed; for several questions the highest one.
"""

import argparse
import functools
import gc
import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from po3d.io.cli_errors import BAD_INPUT
from po3d.io.errors import InputError, visible
from po3d.io.files import atomic_write, output_file
from po3d.io.images import read_image
from po3d.reasoning.questions import Task

if TYPE_CHECKING:
    from PIL import Image as Pillow

    from po3d.systems.answer import Answer
    from po3d.systems.interfaces import Image

PICTURES = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}
PERCEPTIONS = ("street", "rooms", "orbit", "map", "photo", "auto")
TABLES = {
    "street": "a street's table",
    "rooms": "a room's table",
    "photographs": "a photograph's table",
}
# Estimators trained on renderings, which refuse photographs.
RENDERED = ("street", "rooms", "orbit")
# Imports and networks create many objects that live as long as the process; collecting garbage at
# the default threshold (700 new objects) takes a tenth of the time to the first answer.
COLLECT_EVERY = 100_000
NO_ANSWER = 1  # exit code: the question was parsed, but has no answer


# Option -> kinds of images or scenes that read it; for others it is an error.
READ_BY = {
    "focal": ("rooms", "orbit", "photo"),
    "metres_per_pixel": ("map",),
    "mode": ("street", "photo", "a street's table"),
    "option": ("rooms", "orbit", "photo", "map", "a photograph's table", "a room's table"),
    "set": ("photo",),
    "detector": ("photo",),
    "depth": ("photo",),
    "intrinsics": ("photo",),
    "known": ("photo",),
    "pose": ("photo",),
    "perception_checkpoint": ("street",),
    "parser_checkpoint": ("street", "a street's table"),
    "room_parser_checkpoint": ("map", "a room's table"),
}


PHOTOGRAPH_OPTIONS = (
    ("--detector", "FILE", "a detector as an ONNX file (docs/photographs.md says how to get one)"),
    (
        "--depth",
        "FILE",
        "a depth map along the optical axis: .npy in metres, or 16-bit .png in millimetres",
    ),
    (
        "--intrinsics",
        "FILE",
        "the camera's fx, fy, cx, cy in pixels: JSON, a 3 x 3 matrix, or KITTI's calibration",
    ),
    ("--pose", "FILE", "a pose network, for the facing of people (docs/photographs.md)"),
    ("--known", "THING: HEIGHT", 'the height of one thing, which fixes the scale: "mug: 0.1 m"'),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "an image, or a scene as JSON (po3d's or Super-CLEVR's format)"
    parser.add_argument("input", metavar="IMAGE_OR_SCENE", help=text)
    parser.add_argument(
        "question", help='the question; "-" reads one question per line from standard input'
    )
    task = (
        "reference frame of left and right: the camera (2d, the default) or the object "
        "itself (6d); words in the question take precedence"
    )
    parser.add_argument("--task", choices=get_args(Task), default="2d", help=task)
    mode = (
        "uncertainty of the scene: marginal (default) integrates over it, samples votes over drawn "
        "scenes, argmax runs the program strictly on the most probable scene; use argmax for true "
        "scenes: on predicted ones a wrong attribute often leaves a program without an answer"
    )
    parser.add_argument(
        "--mode", choices=("argmax", "marginal", "samples"), default="marginal", help=mode
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    text = "draw boxes and headings on the image, next to a top view, and save it"
    parser.add_argument("--save", type=output_file, metavar="PICTURE", help=text)
    parser.add_argument(
        "--draw", action="store_true", help="also print a top view of the scene as text"
    )
    text = 'rooms: definition of the front, for example "The door is at the front."'
    parser.add_argument("--frame", default="", help=text)
    parser.add_argument("--change", default="", help="rooms: a change to apply before answering")
    _add_image_arguments(parser)
    reading = (
        "benchmark (for the benchmark's wording), general, or cascade (the benchmark's parser "
        "first; asks for confirmation where they differ)"
    )
    parser.add_argument(
        "--parser", choices=("benchmark", "general", "cascade"), default="cascade", help=reading
    )
    parser.add_argument(
        "--perception-checkpoint", default="street_estimator", metavar="NAME_OR_PATH"
    )
    parser.add_argument("--parser-checkpoint", default="street_parser", metavar="NAME_OR_PATH")
    parser.add_argument("--room-parser-checkpoint", default="room_parser", metavar="NAME_OR_PATH")
    parser.set_defaults(usual={option: parser.get_default(option) for option in READ_BY})


def _add_image_arguments(parser: argparse.ArgumentParser) -> None:
    looks = (
        "kind of image, which selects the estimator: street, room from inside, orbit view, top-view"
        " map, or photograph by third-party networks (default: auto, chosen from the image)"
    )
    parser.add_argument("--perception", choices=PERCEPTIONS, default="auto", help=looks)
    parser.add_argument(
        "--metres-per-pixel", type=float, metavar="M", help="top-view maps: metres per pixel"
    )
    lens = (
        "rooms, orbits: the focal length in image widths (default: from the image's metadata,"
        " else 1)"
    )
    parser.add_argument("--focal", type=float, metavar="F", help=lens)
    text = "rooms, photographs, orbits: an answer option; may be repeated"
    parser.add_argument("--option", action="append", default=[], metavar="TEXT", help=text)
    setting = (
        "photographs: an option of configs/perception/foundation.yaml, for example "
        "perception.device=cuda; may be repeated"
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=setting)
    for option, metavar, text in PHOTOGRAPH_OPTIONS:
        parser.add_argument(option, metavar=metavar, help=f"photographs: {text}")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer, or the answers to all lines of standard input; return the exit code."""
    gc.set_threshold(COLLECT_EVERY)
    from po3d.benchmarks.superclevr.files import read_scene
    from po3d.cli import ask_model
    from po3d.io.images import pixels
    from po3d.perception.depth_files import PhotographWarning
    from po3d.scene.street import shape_note
    from po3d.systems.domain_router import OutOfDistributionWarning

    candidates = arguments.question.strip() == "-"
    if not candidates and not arguments.question.strip():
        raise InputError(
            'the question is empty; ask something like "How many cars are left of the red bus?"'
        )
    if arguments.save and Path(arguments.save).suffix.lower() not in PICTURES:
        raise InputError(
            f"--save {arguments.save}: the file name should end in one of {', '.join(PICTURES)}"
        )
    if arguments.save and candidates:
        raise InputError("--save draws a single answer; give one question")
    path = Path(arguments.input)
    scene, image = (read_scene(path), None) if _is_json(path) else (None, read_image(path))
    model = ask_model.model_of(arguments, scene, image)
    kind = getattr(model, "kind", "photo") if scene is None else TABLES[ask_model.domain_of(scene)]
    for option, kinds in READ_BY.items():
        if getattr(arguments, option) != arguments.usual[option] and kind not in kinds:
            raise InputError(
                f"--{option.replace('_', '-')} applies to {', '.join(kinds)}; this input is {kind}"
            )
    shipped = arguments.perception_checkpoint == ask_model.STREETS
    shipped = shipped and arguments.perception in RENDERED
    if scene is None and shipped:
        model.refuse_photograph(image)
    if getattr(model, "kind", "") == "street" and (
        note := shape_note([(path.name, image.shape[1::-1])])
    ):
        print(f"note: {note}", file=sys.stderr)
    options = {
        "task": arguments.task,
        "change": arguments.change,
        "frame": arguments.frame,
        "options": arguments.option,
    }
    if scene is None:
        options |= {"focal": arguments.focal, "metres_per_pixel": arguments.metres_per_pixel}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutOfDistributionWarning)
        warnings.simplefilter("always", PhotographWarning)
        warnings.showwarning = functools.partial(_note, warnings.showwarning)
        ask = functools.partial(model.ask, path if scene is None else scene, **options)
        if not candidates:
            return _tell(arguments, ask(arguments.question.strip()), image)
        # Open-vocabulary networks need the question's objects.
        if scene is None and kind != "photo":
            looking = {}
            for name in ("focal", "metres_per_pixel"):
                looking[name] = options.pop(name)
            picture = path if kind != "street" else pixels(path)[0]
            ask = functools.partial(model.ask, model.look(picture, **looking), **options)
        return _tell_all(arguments, ask, image)


def _note(other: "Callable[..., None]", message: Warning, category: type, *where: object) -> None:
    """Print a warning about a photograph as a line on stderr; pass other warnings to `other`."""
    if category.__name__ == "PhotographWarning":
        print(f"note: {message}", file=sys.stderr)
    else:
        other(message, category, *where)


def _tell_all(
    arguments: argparse.Namespace, ask: "Callable[[str], Answer]", image: "Image | None"
) -> int:
    """Print the answers to the lines of standard input and return the highest exit code. A line
    that cannot be parsed does not stop the others."""
    worst = 0
    for line in sys.stdin:
        if not (question := line.strip()):
            continue
        if not arguments.json:
            print(f"> {visible(question)}")
        try:
            code = _tell(arguments, ask(question), image)
        except InputError as error:
            code = BAD_INPUT
            failed = {"question": question, "status": "error", "reason": str(error)}
            print(visible(json.dumps(failed, ensure_ascii=False) if arguments.json else str(error)))
        worst = max(worst, code)
        sys.stdout.flush()
    return worst


def _tell(arguments: argparse.Namespace, answer: "Answer", image: "Image | None") -> int:
    """Print an answer with its explanation; return its exit code."""
    from po3d.scene.display import top_view

    if answer.domain_match is not None and answer.domain_match.strange:
        print(f"note: {answer.domain_match}", file=sys.stderr)
    if arguments.json:
        _save(arguments, answer, image)
        print(visible(json.dumps(answer.record(), ensure_ascii=False)))
        return {"ok": 0, "unparsed": BAD_INPUT}.get(answer.status, NO_ANSWER)
    if answer.status == "unparsed":
        raise InputError(f"no answer: {answer.reason}")
    if answer.choices and sys.stdin.isatty() and sys.stdout.isatty():
        print(visible(str(answer)))
        chosen = _chosen(answer)
        if chosen is answer:
            return NO_ANSWER
        answer = chosen
    _save(arguments, answer, image)
    print(visible(str(answer)))
    if arguments.draw:
        print(f"\n{top_view(answer.scene)}" if answer.scene is not None else "")
    return 0 if answer.status == "ok" else NO_ANSWER


def _chosen(answer: "Answer") -> "Answer":
    """Let the user choose an interpretation by its number; return its answer, or the given one if
    none is chosen."""
    numbers = ", ".join(map(str, range(1, len(answer.choices) + 1)))
    try:
        typed = input(f"{numbers}, or press return for none: ").strip()
    except EOFError:
        return answer
    if typed.isdecimal() and 1 <= int(typed) <= len(answer.choices):
        return answer.choices[int(typed) - 1]
    return answer


def _save(arguments: argparse.Namespace, answer: "Answer", image: "Image | None") -> None:
    """Write the image of --save."""
    if not arguments.save:
        return
    if answer.scene is None:
        print(f"{arguments.save} is not written: there is no scene to draw", file=sys.stderr)
        return
    with atomic_write(arguments.save, "wb") as file:
        _answer_picture(arguments, answer, image).save(
            file, PICTURES[Path(arguments.save).suffix.lower()]
        )


def _answer_picture(
    arguments: argparse.Namespace, answer: "Answer", image: "Image | None"
) -> "Pillow.Image":
    """Return the image of --save."""
    from po3d.evaluation.report import draw
    from po3d.scene.edits import unchanged

    if answer.scene.outline is not None:
        edited = answer.explanation.edited or unchanged(answer.scene)
        return draw.draw_change(answer.explanation.before or answer.scene, edited)
    if answer.scene.has("name"):
        return draw.draw_photograph(image, answer.scene)
    return draw.draw_scene(image, answer.scene)


def _is_json(path: Path) -> bool:
    if path.suffix.lower() == ".json":
        return True
    if not os.path.isfile(path):  # what is read from a pipe is gone
        return False
    try:
        with open(path, "rb") as file:
            return file.read(64).lstrip()[:1] == b"{"
    except (OSError, ValueError):  # ValueError: a name with NUL
        return False  # reading it as an image reports the error
