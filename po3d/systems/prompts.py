"""What a language model is asked: each benchmark's prompt (`Benchmark.prompt`), in the structure of its paper and in our words.

The question stands in it word for word. Exports, `system=lmm` and the answers' extractor share these prompts, so that
every model is asked the same. No answer is ever looked at.
"""

import base64
import io
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.benchmarks.registry import BENCHMARKS
from po3d.io.errors import InputError, known
from po3d.reasoning.questions import Question

ImageFormat = Literal["png", "jpeg"]


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


def prompt(benchmark: str, question: Question) -> Prompt:
    """The message for one question of a benchmark; InputError for a benchmark without one."""
    if benchmark not in BENCHMARKS:
        raise InputError(f"there is no prompt for {benchmark!r}; known: {', '.join(BENCHMARKS)}")
    return Prompt(tuple(BENCHMARKS[benchmark].prompt(question)))


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
    known("image format", image_format, get_args(ImageFormat))
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(
        buffer, image_format.upper(), **({"quality": 95} if image_format == "jpeg" else {})
    )
    return buffer.getvalue()


def data_uri(data: bytes, image_format: ImageFormat) -> str:
    """A picture's file as a data URI."""
    return f"data:image/{image_format};base64,{base64.b64encode(data).decode()}"
