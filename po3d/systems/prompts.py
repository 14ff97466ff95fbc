"""Prompts for language models: each benchmark's prompt (`Benchmark.prompt`).

They have the structure of the paper's prompt, in our words.

The question is included verbatim. Exports, `system=lmm` and the extractor of answers share these
prompts, so that all models get equal inputs. Gold answers are never used.
"""

import base64
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from po3d.benchmarks.base import Picture
from po3d.benchmarks.registry import BENCHMARKS
from po3d.io.errors import InputError, known
from po3d.io.files import read_jsonl
from po3d.io.text_tables import text
from po3d.reasoning.questions import Question, pictures
from po3d.scene.display import display_table
from po3d.scene.table import Scene, from_json

if TYPE_CHECKING:
    from po3d.systems.interfaces import Context

ImageFormat = Literal["png", "jpeg"]


class PromptSetting(NamedTuple):
    """Input of a model beside the question: the papers' settings, and a scene as text."""

    show: str = "picture"  # "picture" | "none"; Hypo3D also "labelled" and "captions"
    frame: str = "anchors"  # the front of a room; Hypo3D only
    change: str = "with"  # whether the change is in the prompt; Hypo3D only
    style: str = "plain"  # "plain" | "cot"; SCOPE also "ego_to_allo", 3DSRBench "boxes"
    scenes: str = "none"  # the scene that is added as text, if any

    def checked(self, benchmark: str) -> "PromptSetting":
        """Return the setting; InputError if the benchmark does not support it."""
        own = {**SETTINGS, **BENCHMARKS[benchmark].prompt_settings}
        for name, value in self._asdict().items():
            known(f"{name} of {benchmark}", value, own[name])
        return self


SETTINGS = {
    "show": ("picture", "none"),
    "frame": ("anchors",),
    "change": ("with",),
    "style": ("plain", "cot"),
    "scenes": ("none", "predicted", "ground_truth"),
}
DEFAULT = PromptSetting()
COT = (
    "Think step by step before you answer: say first what you see and what follows from it. "
    "Then write the answer in a last line of its own that begins with 'Answer:'."
)


class Prompt(NamedTuple):
    """A prompt: texts, and indices into `pictures`, in order."""

    parts: tuple[str | int, ...]
    pictures: tuple[str, ...] = ()  # names, as in `Split.image`

    @property
    def texts(self) -> tuple[str, ...]:
        result = []
        for part in self.parts:
            if isinstance(part, str):
                result.append(part)
        return tuple(result)

    @property
    def text(self) -> str:
        """The texts alone, for models whose images all come first."""
        return "\n".join(self.texts)


def prompt(
    benchmark: str,
    question: Question,
    setting: PromptSetting = DEFAULT,
    inputs: Any = None,
    tables: Sequence[Scene] = (),
) -> Prompt:
    """Return the prompt for one question of a benchmark in a setting. `inputs`: the split's inputs
    of the image (captions); `tables`: scenes of the image or of its views for `setting.scenes`.
    InputError for a benchmark without prompts."""
    if benchmark not in BENCHMARKS:
        raise InputError(f"no prompt for {benchmark!r}; known: {', '.join(BENCHMARKS)}")
    own = BENCHMARKS[benchmark]
    values = setting._asdict()
    chosen = {name: values[name] for name in own.prompt_settings}
    if "captions" in own.prompt_settings.get("show", ()) and setting.show == "captions":
        chosen["captions"] = [text for _, text in inputs.captions()]
    names: list[str] = []
    result: list[str | int] = []
    visible = pictures(question)
    for part in own.prompt(question, **chosen):
        if setting.show == "none" and not isinstance(part, str):
            continue
        if isinstance(part, int | Picture):
            result.append(len(names))
            names.append(str(visible[part] if isinstance(part, int) else part))
        else:
            result.append(str(part))
    if setting.style == "cot":
        result.append(COT)
    if tables:
        result.insert(len(result) - 1, "\n\n".join(map(table_text, tables)))
    return Prompt(tuple(result), tuple(names))


class Prompter:
    """The prompts of a benchmark in one setting, for `system=lmm` and `po3d export`. `scenes_file`:
    for scenes=predicted, the scenes.jsonl of a finished run. InputError for a setting that the
    benchmark does not support."""

    def __init__(
        self,
        benchmark: str,
        setting: PromptSetting = DEFAULT,
        scenes_file: str | Path | None = None,
    ) -> None:
        if (setting.scenes == "predicted") != (scenes_file is not None):
            raise InputError(
                "scenes=predicted needs scenes_file=FILE (the scenes.jsonl of a finished run "
                "of po3d), and scenes_file= needs scenes=predicted"
            )
        self.benchmark, self.setting = benchmark, setting.checked(benchmark)
        self.scenes_file = scenes_file
        self.predicted = {} if scenes_file is None else read_tables(scenes_file)

    def prompt(self, question: Question, context: "Context") -> Prompt:
        """Return the prompt for a question on an image."""
        return prompt(
            self.benchmark, question, self.setting, context.inputs, self.tables(question, context)
        )

    def tables(self, question: Question, context: "Context") -> list[Scene]:
        """Return the scenes that are added as text: the true one, or the predicted ones of the
        question's images."""
        if self.setting.scenes == "none":
            return []
        if self.setting.scenes == "ground_truth":
            return [context.truth()]
        return predicted_tables(question, self.predicted, self.scenes_file)


def predicted_tables(
    question: Question, tables: Mapping[str, Scene], path: str | Path | None
) -> list[Scene]:
    """Return the scenes of a question's images; InputError if the file lacks one."""
    result = []
    for name in pictures(question):
        if name not in tables:
            raise InputError(
                f"{path} has no scene for {name!r}; it should be from a run on the same split"
            )
        result.append(tables[name])
    return result


def read_tables(path: str | Path) -> dict[str, Scene]:
    """Return image name -> scene, from a scenes.jsonl."""
    records = enumerate(read_jsonl(path, "scene file"))
    result = {}
    for k, record in records:
        result[record.get("image", "")] = from_json(record, f"{path}, record {k}")
    return result


def table_text(scene: Scene) -> str:
    """Return a scene as text: the rows, their units and the directions on the ground."""
    ways = ", ".join(f"{way} = ({x:.2f}, {y:.2f})" for way, (x, y) in scene.axes.items())
    return (
        f"A table of the objects in the scene {scene.image or ''}, as a vision system measured"
        " them. Places and sizes are in the scene's unit of length, z is up, headings are degrees"
        " counter-clockwise from +x, seen from above.\nDirections on the ground:"
        f" {ways}.\n{text(display_table(scene), 2)}"
    )


def messages(prompt: Prompt, urls: Sequence[str]) -> list[dict]:
    """Return the prompt in OpenAI's chat format; `urls` of the images, in order (data URIs or
    others)."""
    content: list[dict] = []
    for part in prompt.parts:
        if isinstance(part, int):
            content.append({"type": "image_url", "image_url": {"url": urls[part]}})
        else:
            content.append({"type": "text", "text": part})
    return [{"role": "user", "content": content}]


def encode(pixels: NDArray[np.uint8], image_format: ImageFormat = "png") -> bytes:
    """Encode (H, W, 3) pixels as an image file; PNG is lossless, JPEG smaller."""
    known("image format", image_format, get_args(ImageFormat))
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(
        buffer, image_format.upper(), **({"quality": 95} if image_format == "jpeg" else {})
    )
    return buffer.getvalue()


def data_uri(data: bytes, image_format: ImageFormat) -> str:
    """Return an image file as a data URI."""
    return f"data:image/{image_format};base64,{base64.b64encode(data).decode()}"
