"""Answer one question about a picture or a scene table, and say why."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from po3d.io.errors import InputError, visible
from po3d.io.files import atomic_write, read_json
from po3d.io.images import read_image
from po3d.io.text_tables import text
from po3d.reasoning.questions import Task
from po3d.scene.display import street_table
from po3d.scene.table import FORMAT, Scene, from_json, to_json

PICTURES = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}
NO_ANSWER = 1  # exit code: the question was understood, but the scene has no answer to it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input", metavar="IMAGE_OR_SCENE", help="a picture, or a scene table as JSON (ours or Super-CLEVR's)"
    )
    parser.add_argument("question")
    task = (
        "whose left and right: the camera's (2d, the default) or the object's own (6d); the words may decide"
    )
    parser.add_argument("--task", choices=get_args(Task), default="2d", help=task)
    mode = "how doubts in the table are treated (default: marginal, every doubt counts)"
    parser.add_argument("--mode", choices=("argmax", "marginal", "samples"), default="marginal", help=mode)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument(
        "--save", metavar="PICTURE", help="draw boxes and headings on the picture, beside a top view"
    )
    parser.add_argument(
        "--frame", default="", help='rooms: where the front is, as in "The door is at the front."'
    )
    parser.add_argument("--change", default="", help="rooms: a change to imagine before answering")
    looks = "what looks at a picture: our estimator of street scenes (the default), or networks for photographs of anything"
    parser.add_argument("--perception", choices=("street", "foundation"), default="street", help=looks)
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="TEXT",
        help="photographs: an answer to choose from; repeat it",
    )
    setting = "photographs: an option of configs/perception/foundation.yaml, as in perception.device=cuda; repeat it"
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=setting)
    parser.add_argument("--perception-checkpoint", default="street_estimator", metavar="NAME_OR_PATH")
    parser.add_argument("--parser-checkpoint", default="street_parser", metavar="NAME_OR_PATH")
    parser.add_argument("--room-parser-checkpoint", default="room_parser", metavar="NAME_OR_PATH")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 1 when there is none."""
    question = arguments.question.strip()
    if not question:
        raise InputError('the question is empty; ask something like "How many cars are left of the red bus?"')
    if arguments.save and Path(arguments.save).suffix.lower() not in PICTURES:
        raise InputError(f"--save {arguments.save}: the name should end in one of {', '.join(PICTURES)}")
    path = Path(arguments.input)
    is_table = _is_json(path)
    image = None if is_table else read_image(path)
    if is_table and (table := read_table(path)).outline is not None:
        return _ask_room(arguments, table, question)
    if arguments.frame or arguments.change:
        raise InputError("--frame and --change are for rooms: scene tables with an outline")
    if arguments.perception == "foundation":
        if image is None:
            raise InputError("--perception foundation looks at photographs; a scene table needs none")
        return _ask_photo(arguments, image, question)
    if arguments.option or arguments.set:
        raise InputError("--option and --set are for photographs: --perception foundation")

    from po3d.io.checkpoint import locate
    from po3d.language.read.street_parser import Parser
    from po3d.reasoning.street_margins import margins, record_of
    from po3d.systems.street import Executor

    (parsed,) = Parser.from_checkpoint(locate(arguments.parser_checkpoint)).parse([question])
    if parsed.program is None:
        if arguments.json:
            print(
                json.dumps(
                    {"question": question, "status": "unparsed", "answer": None, "reason": parsed.reason}
                )
            )
        raise InputError(f"the question is outside the language: {parsed.reason}")
    scene = table if image is None else _perceive(image, path, arguments.perception_checkpoint)
    outcome = Executor(arguments.mode)(parsed.program, scene, arguments.task)
    near = margins(parsed.program, scene, arguments.task)
    probability = None if outcome.probability is None else outcome.probability * parsed.probability
    if arguments.save:
        _save(arguments.save, scene, image)
    if arguments.json:
        record = {
            "question": question,
            "task": arguments.task,
            "status": outcome.status,
            "answer": outcome.answer,
            "probability": probability,
            "distribution": dict(outcome.distribution),
            "reason": outcome.reason,
            "program": parsed.program.text(),
            "trace": [asdict(step) for step in outcome.trace],
            "margins": record_of(near),
            "scene": to_json(scene),
        }
        print(visible(json.dumps(record, ensure_ascii=False)))
    else:
        lines = [f"answer: {outcome.answer} (probability {probability:.2f})" if outcome.status == "ok"
                 else f"no answer: {outcome.reason}"]  # fmt: skip
        lines.append(f"\nprogram: {parsed.program.text()}")
        for step, decided in zip(outcome.trace, near.steps):
            lines.append(f"  {step.text}{f'   [nearest: {decided[0].text}]' if decided else ''}")
        if near.flip is not None:
            other = near.answer != outcome.answer  # margins are of the likeliest table alone
            lines.append(
                f"  {near.flip.text}{f' (of the likeliest table, which says {near.answer})' if other else ''}"
            )
        print(visible("\n".join([*lines, f"\n{text(street_table(scene), 2)}"])))
    return 0 if outcome.status == "ok" else NO_ANSWER


def _ask_room(arguments: argparse.Namespace, scene: Scene, question: str) -> int:
    from po3d.cli.ask_rooms import as_json, as_text, ask_room
    from po3d.evaluation.report.draw_rooms import draw_change
    from po3d.io.checkpoint import locate
    from po3d.language.read.room_parser import RoomParser

    parser = RoomParser.from_checkpoint(locate(arguments.room_parser_checkpoint))
    answer = ask_room(scene, question, arguments.frame, arguments.change, parser)
    if arguments.save:
        with atomic_write(arguments.save, "wb") as file:
            picture = draw_change(answer.before, answer.planned.edited)
            picture.save(file, PICTURES[Path(arguments.save).suffix.lower()])
    print(visible(as_json(answer, question) if arguments.json else as_text(answer)))
    return 0 if answer.outcome.status == "ok" else NO_ANSWER


def _ask_photo(arguments: argparse.Namespace, image: NDArray[np.uint8], question: str) -> int:
    from po3d.cli.ask_photos import as_json, as_text, ask_photo, drawn
    from po3d.io.config import build, compose, varied
    from po3d.io.images import exif_focal

    config = varied(compose("evaluate", ["perception=foundation", *arguments.set]), {})
    estimator = build(config["perception"]["photographs"])
    path = Path(arguments.input)
    samples = 0 if arguments.mode == "argmax" else config["executor"]["samples"]
    answer = ask_photo(image, question, arguments.option, estimator, exif_focal(path), path.name, samples)
    if arguments.save:
        with atomic_write(arguments.save, "wb") as file:
            drawn(image, answer.scene).save(file, PICTURES[Path(arguments.save).suffix.lower()])
    print(visible(as_json(answer, question) if arguments.json else as_text(answer)))
    return 0 if answer.outcome.status == "ok" else NO_ANSWER


def read_table(path: str | Path) -> Scene:
    """The scene table of a JSON file: ours, one Super-CLEVR scene, or a Super-CLEVR file with one."""
    record = read_json(path, "scene file")
    if isinstance(record, dict) and record.get("format") == FORMAT:
        return from_json(record, str(path))
    if not isinstance(record, dict) or not {"objects", "scenes"} & set(record):
        raise InputError(
            f"{path}: the field 'objects' is missing; a scene is a table of ours ({FORMAT}) or Super-CLEVR's"
        )
    from po3d.benchmarks.superclevr.files import read_scenes, scene_from_superclevr

    records = read_scenes(path)
    if len(records) != 1:
        raise InputError(f"{path} holds {len(records)} scenes; give a file with the one to ask about")
    return scene_from_superclevr(records[0])


def _is_json(path: Path) -> bool:
    if path.suffix.lower() == ".json":
        return True
    try:
        with open(path, "rb") as file:
            return file.read(64).lstrip()[:1] == b"{"
    except (OSError, ValueError):  # a ValueError: a name with NUL
        return False  # reading it as a picture says what is wrong


def _perceive(image: NDArray[np.uint8], path: Path, name: str) -> Scene:
    from po3d.io.checkpoint import locate
    from po3d.perception.street import StreetEstimator
    from po3d.scene.street import shape_note

    if note := shape_note([(path.name, image.shape[1::-1])]):
        print(f"note: {note}", file=sys.stderr)
    (scene,) = StreetEstimator.from_checkpoint(locate(name)).estimate([image], [path.name])
    return scene


def _save(target: str, scene: Scene, image: NDArray[np.uint8] | None) -> None:
    from po3d.evaluation.report.draw import draw_scene

    with atomic_write(target, "wb") as file:
        draw_scene(image, scene).save(file, PICTURES[Path(target).suffix.lower()])
