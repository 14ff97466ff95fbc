"""`po3d ask --perception foundation`: a question about a photograph, read as one of 3DSRBench's twelve types, and its table."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from po3d.io.errors import InputError
from po3d.io.text_tables import text
from po3d.language.programs.threedsrbench import SrProgram
from po3d.language.read.threedsrbench_reader import read
from po3d.perception.foundation import FoundationEstimator
from po3d.reasoning.grounding import ground
from po3d.reasoning.outcome import Outcome
from po3d.reasoning.threedsrbench_executor import run
from po3d.reasoning.threedsrbench_margins import sr_margin, sr_tip
from po3d.scene.camera import hold_of
from po3d.scene.display import room_table
from po3d.scene.table import Scene, to_json

COLORS = ("red", "lime", "cyan", "yellow", "magenta", "orange", "white", "deepskyblue")


@dataclass(frozen=True)
class PhotoAnswer:
    """Everything that was worked out for one question."""

    scene: Scene
    program: SrProgram
    outcome: Outcome
    answer: str | None  # the option that says it; without options the program's own word


def ask_photo(
    picture: NDArray[np.uint8],
    question: str,
    options: Sequence[str],
    estimator: FoundationEstimator,
    focal: float | None = None,
    name: str = "",
    samples: int = 0,
) -> PhotoAnswer:
    """The answer for an (H, W, 3) picture; `focal` in its widths, None: not known. `samples`: draws of the poses for the
    probability. InputError when the question can't be read, or its options fit no answer of it."""
    reading = read(question, options)
    if reading.program is None:
        raise InputError(f"the question is outside the language: {reading.reason}")
    (scene,) = estimator.estimate([picture], [focal], [name], reading.program.things)
    outcome = run(reading.program, scene, ground, samples=samples)
    said = None if outcome.answer is None else reading.option_of[outcome.answer]
    return PhotoAnswer(scene, reading.program, outcome, said)


def as_text(answer: PhotoAnswer) -> str:
    """Answer, program, trace, camera and table."""
    outcome, camera = answer.outcome, answer.scene.camera
    lines = [
        f"answer: {answer.answer} (probability {outcome.probability:.2f})"
        if outcome.status == "ok"
        else f"no answer: {outcome.reason}",
        "",
        f"program: {answer.program}",
        *(f"  {step}" for step in outcome.steps),
        *([f"  {tip.text}"] if (tip := sr_tip(answer.program, answer.scene, outcome)) else []),
        "",
    ]
    if camera is not None:
        hold = hold_of(camera)
        pitch, roll = np.degrees([hold.pitch, hold.roll])
        lens = camera.focal / camera.width
        lines += [
            f"camera: {hold.height:.2f} m high, pitch {pitch:.0f}°, roll {roll:.0f}°, focal {lens:.2f} widths",
            "",
        ]
    return "\n".join([*lines, text(room_table(answer.scene), 2)])


def as_json(answer: PhotoAnswer, question: str) -> str:
    outcome = answer.outcome
    record = {
        "question": question,
        "status": outcome.status,
        "answer": answer.answer,
        "probability": outcome.probability,
        "reason": outcome.reason,
        "program": answer.program.text(),
        "trace": list(outcome.steps),
        "margins": sr_margin(answer.program, answer.scene, outcome),
        "scene": to_json(answer.scene),
    }
    return json.dumps(record, ensure_ascii=False)


def drawn(picture: NDArray[np.uint8], scene: Scene) -> Image.Image:
    """The picture with the boxes of the table's things, their names, and arrows out of their fronts."""
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    line = max(2, picture.shape[0] // 240)
    font = ImageFont.load_default(max(10, picture.shape[0] // 40))
    for k, o in enumerate(scene.objects):
        if o.box is None or scene.camera is None:
            continue
        color = COLORS[k % len(COLORS)]
        draw.rectangle(o.box, outline=color, width=line)
        draw.text((o.box[0] + line, o.box[1] + line), f"{k} {o.value('name')}", fill=color, font=font)
        front = np.array([np.cos(o.heading), np.sin(o.heading), 0.0])
        ends = np.array(o.position) + np.outer([0.0, 0.5 * o.extent[0] + 0.2], front)
        pixels, depth = scene.camera.project(ends)
        if depth.min() > 0:
            draw.line([tuple(p) for p in pixels.tolist()], fill=color, width=2 * line)
    return image
