"""What a language model is asked: each benchmark's prompt in the structure of its paper and in our words.

    pulsecheck457   what to mind at this level, picture, question, the words allowed, a template of two fields
    hypo3d          picture from above, where the front is, the change, the question; a word or a short phrase back
    3dsrbench       picture, question, lettered options; a letter back
    scope           picture or pictures in order, question, lettered options; a letter, or which picture, back

The question stands in it word for word. Exports, `system=lmm` and the answers' extractor share these prompts, so that
every model is asked the same. No answer is ever looked at.
"""

import base64
import io
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.benchmarks.pulsecheck457.superclevr_files import surface
from po3d.io.errors import InputError
from po3d.reasoning.questions import Question
from po3d.scene.vocabulary import COLORS, FACINGS, SHAPES, SIZES

ImageFormat = Literal["png", "jpeg"]
LETTERS = "ABCDEFGH"

_FOCUS = {
    "L1-Single": "Find the vehicle that is meant and read off what is asked about it.",
    "L2-Multi-obj": "Compare the vehicles with each other: their types, colors and sizes, and how many there are.",
    "L3-2D-Spatial": "Left, right, front and behind are meant as the camera sees them; front is nearer to the camera.",
    "L4-Occlusion": "Mind which vehicle hides a part of which other one from the camera.",
    "L4-3D-Pose": "Mind where the nose of each vehicle points as the camera sees it: left, right, front (toward the "
    "camera) or back (away from it).",
    "L5-Collision": "Imagine that the vehicle that is named drives straight ahead, or straight back, along its own "
    "heading, and mind what it would run into.",
    "L5-6D-Spatial": "Left, right, front and behind are meant from the perspective of the vehicle that is referred to: "
    "front is ahead of its nose, left is on its own left.",
}


class Prompt(NamedTuple):
    """One question as a message: texts, and numbers that stand for the images in their order."""

    parts: tuple[str | int, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(part for part in self.parts if isinstance(part, str))

    @property
    def text(self) -> str:
        """The texts alone, for models that take all images first."""
        return "\n".join(self.texts)


def image_names(question: Question) -> list[str]:
    """The pictures that a question shows, in their order, as `Split.image` knows them."""
    return list(question.meta.get("images") or [question.image])


def letter(question: Question) -> str:
    """The letter of the right option."""
    return LETTERS[list(question.meta["options"]).index(question.answer)]


def prompt(benchmark: str, question: Question) -> Prompt:
    """The message for one question of a benchmark; InputError for a benchmark without one."""
    if benchmark not in _PROMPTS:
        raise InputError(f"there is no prompt for {benchmark!r}; known: {', '.join(_PROMPTS)}")
    return Prompt(tuple(_PROMPTS[benchmark](question)))


def _street(question: Question) -> list[str | int]:
    focus = _FOCUS.get(question.category, "")
    shapes = ", ".join(surface(shape) for shape in SHAPES)
    return [
        f"The picture shows vehicles standing on the ground. {focus}".rstrip(),
        0,
        f"Question: {question.text}",
        f"A vehicle's type is one of: {shapes}. Its color is one of: {', '.join(COLORS)}. Its size is "
        f"{' or '.join(SIZES)}. It faces {', '.join(FACINGS[:-1])} or {FACINGS[-1]}.\n"
        "The answer is one of these words, or a whole number from 0 to 10 where the question is how many, or Yes or "
        "No where it is whether something is so. When in doubt give the likeliest answer.\n"
        "Say briefly why, then the answer, in this template: {'Reasoning': '<why>', 'Answer': '<answer>'}",
    ]


def _room(question: Question) -> list[str | int]:
    frame, change = question.meta.get("frame", ""), question.meta.get("change", "")
    lines = ["The picture shows a room from above."]
    if frame:
        lines.append(f"Turn it in your mind until its sides are where this says: {frame}")
    asked = [f"Change: {change}"] if change else []
    return [
        0,
        "\n".join(lines),
        "\n".join([*asked, f"Question: {question.text}"]),
        "The picture was taken before the change: imagine the room after it. Answer with one word or a short phrase.\n"
        "Answer:",
    ]


def _lettered(question: Question) -> str:
    lines = [f"{letter}. {option}" for letter, option in zip(LETTERS, question.meta["options"])]
    return "\n".join([f"Question: {question.text}", "Options:", *lines])


def _choice(question: Question) -> list[str | int]:
    return [0, f"{_lettered(question)}\nGive the letter of the right option and nothing else."]


def _orbit(question: Question) -> list[str | int]:
    names = image_names(question)
    which = all("image" in option.lower() for option in question.meta["options"])
    choices = question.meta["options"] if which else LETTERS[: len(question.meta["options"])]
    return [*range(len(names)), f"{_lettered(question)}\nAnswer with exactly one of: {', '.join(choices)}."]


_PROMPTS: dict[str, Callable[[Question], Sequence[str | int]]] = {
    "pulsecheck457": _street,
    "hypo3d": _room,
    "3dsrbench": _choice,
    "scope": _orbit,
}


def messages(asked: Prompt, urls: Sequence[str]) -> list[dict]:
    """The prompt as messages of OpenAI's chat format; `urls` are the images', data URIs or others."""
    content: list[dict] = []
    for part in asked.parts:
        if isinstance(part, int):
            content.append({"type": "image_url", "image_url": {"url": urls[part]}})
        else:
            content.append({"type": "text", "text": part})
    return [{"role": "user", "content": content}]


def encode(pixels: NDArray[np.uint8], image_format: ImageFormat = "png") -> bytes:
    """A file of (H, W, 3) pixels; PNG gives back the very same ones, JPEG is smaller."""
    if image_format not in get_args(ImageFormat):
        raise InputError(f"unknown image format {image_format!r}; known: {', '.join(get_args(ImageFormat))}")
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(
        buffer, image_format.upper(), **({"quality": 95} if image_format == "jpeg" else {})
    )
    return buffer.getvalue()


def data_uri(data: bytes, image_format: ImageFormat) -> str:
    """A picture's file as a data URI."""
    return f"data:image/{image_format};base64,{base64.b64encode(data).decode()}"
