"""Chat completions in OpenAI's format, read without trusting them, and po3d's answer to one. The server: `po3d.evaluation.harness.serve`."""

import base64
import binascii
import hashlib
import json
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.choices import LETTERS
from po3d.benchmarks.superclevr.files import written
from po3d.io.errors import InputError
from po3d.io.images import decode_image
from po3d.reasoning.questions import Prediction, Question, Task
from po3d.scene.table import Scene
from po3d.systems.pipeline import Context, Pipeline
from po3d.systems.tables import Estimator, Pictures

NAME = "po3d-pulsecheck457"
MODELS: dict[str, Task | None] = {NAME: None, f"{NAME}-2d": "2d", f"{NAME}-6d": "6d"}
TEXT = 20_000  # characters of a message
PIXELS = 16_000_000  # of a picture, 48 MB decoded
CANDIDATES = 12  # lines of a message that are tried as its question
_ENDS = re.compile(r"(?<=[.?!:])")
_URI = re.compile(r"data:image/[a-z+.-]+;base64,", re.IGNORECASE)


class Refusal(Exception):
    """A request that gets an error instead of an answer."""

    def __init__(self, status: int, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.param, self.code = status, param, code

    def as_json(self) -> dict:
        """The error as OpenAI's clients read it."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        return {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}}


class Asked(NamedTuple):
    """A request, read."""

    model: str
    texts: tuple[str, ...]  # of the last user message
    image: NDArray[np.uint8]  # (H, W, 3)

    @property
    def task(self) -> Task:
        """Whose left and right are meant."""
        named = MODELS[self.model]
        return named or ("6d" if any("perspective" in text.lower() for text in self.texts) else "2d")


# --- requests -----------------------------------------------------------------------------------------------


def read_request(data: bytes) -> Asked:
    """A chat completion's body; Refusal says what is wrong with it."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"the body is not JSON ({str(error)[:100]})") from None
    if not isinstance(body, dict):
        raise Refusal(400, "the body should be an object with model and messages")
    model = body.get("model")
    if not isinstance(model, str) or model not in MODELS:
        raise Refusal(
            404, f"unknown model {_short(model)}; known: {', '.join(MODELS)}", "model", "model_not_found"
        )
    for name, fine in (("stream", (None, False)), ("n", (None, 1))):
        if body.get(name) not in fine:
            raise Refusal(400, f"{name}={_short(body[name])} is not supported", name)
    texts, urls = _content(body.get("messages"))
    if len(urls) != 1:
        raise Refusal(
            400, f"a street question is about one picture; the last user message has {len(urls)}", "messages"
        )
    return Asked(model, tuple(texts), _picture(urls[0]))


def _content(messages: object) -> tuple[list[str], list[object]]:
    """Texts and image URLs of the last user message."""
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) for m in messages):
        raise Refusal(400, "messages should be a list of objects with role and content", "messages")
    own = [m for m in messages if m.get("role") == "user"]
    if not own:
        raise Refusal(400, "messages has none of the user", "messages")
    content = own[-1].get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list) or not all(isinstance(p, dict) for p in parts):
        raise Refusal(400, "content should be a text or a list of parts", "messages")
    texts: list[str] = []
    urls: list[object] = []
    for part in parts:
        if part.get("type") == "text" and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif part.get("type") == "image_url":
            image = part.get("image_url")
            urls.append(image.get("url") if isinstance(image, dict) else image)
        else:
            raise Refusal(
                400,
                f"a part of type {_short(part.get('type'))} is not read; known: text, image_url",
                "messages",
            )
    if sum(map(len, texts)) > TEXT:
        raise Refusal(413, f"the message has more than {TEXT:,} characters", "messages")
    return texts, urls


def _picture(url: object) -> NDArray[np.uint8]:
    head = _URI.match(url) if isinstance(url, str) else None
    if head is None:
        raise Refusal(
            400,
            "image_url.url should be a data URI, data:image/png;base64,...; nothing is fetched",
            "messages",
        )
    try:
        data = base64.b64decode(url[head.end() :], validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refusal(400, f"the data URI is no base64 ({error})", "messages") from None
    try:
        return decode_image(data, "in the message", PIXELS)
    except InputError as error:
        raise Refusal(400, str(error), "messages") from None


def questions_in(texts: Sequence[str]) -> list[str]:
    """What may be the question of a message, the likeliest first."""
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    named = [m[1].strip() for line in lines if (m := re.match(r"question\s*:\s*(.+)", line, re.IGNORECASE))]
    ending = [line for line in lines if line.endswith("?")]
    sentences = [part.strip() for line in lines for part in _ENDS.split(line) if part.endswith("?")]
    found = [*named[::-1], *ending[::-1], *sentences[::-1]] or lines[-1:]
    return [text for text in dict.fromkeys(found) if text][:CANDIDATES]


def _short(value: object) -> str:
    return json.dumps(value, default=str)[:60]


# --- answers ------------------------------------------------------------------------------------------------


class Remembering:
    """A perception that looks once at pictures that come again: most have several questions."""

    def __init__(self, perception: Estimator, size: int = 64) -> None:
        self.perception, self.size = perception, size
        self.scenes: OrderedDict[bytes, Scene] = OrderedDict()
        self.lock = threading.Lock()

    def estimate(
        self, images: Sequence[NDArray[np.uint8]], names: Sequence[str] | None = None
    ) -> list[Scene]:
        """The scenes; their names are those of the first time."""
        return [self._one(image) for image in images]

    def _one(self, image: NDArray[np.uint8]) -> Scene:
        key = hashlib.sha256(str(image.shape).encode() + image.tobytes()).digest()
        with self.lock:
            if key in self.scenes:
                self.scenes.move_to_end(key)
                return self.scenes[key]
        (scene,) = self.perception.estimate([image], ["request"])
        with self.lock:
            self.scenes[key] = scene
            if len(self.scenes) > self.size:
                self.scenes.popitem(last=False)
        return scene


def remembering(pipeline: Pipeline) -> Pipeline:
    """The pipeline of streets whose estimator looks once at pictures that come again."""
    return replace(pipeline, tables=Pictures(Remembering(pipeline.tables.estimator)))


def ask(pipeline: Pipeline, asked: Asked) -> tuple[Question, Prediction]:
    """What was taken as the question, and its prediction."""
    candidates = questions_in(asked.texts)
    if not candidates:
        raise Refusal(400, "the message has no text with a question", "messages")
    tried = [Question("request", "request", text, asked.task, "") for text in candidates]
    read = zip(tried, pipeline.reader.read(tried), strict=True)
    question = next((q for q, reading in read if not reading.unread), tried[0])
    (prediction,) = pipeline.answer([question], Context(lambda: asked.image, _no_truth, "request"))
    return question, prediction


def answer(pipeline: Pipeline, asked: Asked) -> dict:
    """The response to a request."""
    question, prediction = ask(pipeline, asked)
    content = said(prediction, asked.texts)
    words = sum(len(part.split()) for part in asked.texts)
    return {
        "id": f"chatcmpl-{secrets.token_hex(12)}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": asked.model,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": content}, "logprobs": None, "finish_reason": "stop"}
        ],
        # In words: there are no tokens.
        "usage": {
            "prompt_tokens": words,
            "completion_tokens": len(content.split()),
            "total_tokens": words + len(content.split()),
        },
        "po3d": {
            "question": question.text, "task": asked.task, "status": prediction.status, "answer": prediction.answer,
            "probability": prediction.probability, "program": prediction.program, "reason": prediction.reason,
        },
    }  # fmt: skip


def said(prediction: Prediction, texts: Sequence[str], options: Sequence[str] = ()) -> str:
    """The answer in the form that the message asks for: its letter where it has lettered options. Without one it says
    so, as the extractor of `po3d.systems.answers` understands it."""
    if prediction.status != "ok" or prediction.answer is None:
        return f"I cannot answer this: {prediction.reason}"
    answered = written(prediction.answer)
    same = [k for k, option in enumerate(options) if option.casefold() == prediction.answer.casefold()]
    if same and any(f"{LETTERS[same[0]]}. {options[same[0]]}" in text for text in texts):
        return LETTERS[same[0]]
    if not any(re.search(r"['\"]Answer['\"]\s*:", text) for text in texts):
        return answered
    why = re.sub(r"['\"\s]+", " ", prediction.program).strip()
    return f"{{'Reasoning': '{why}', 'Answer': '{answered}'}}"


def _no_truth() -> Scene:
    raise InputError("a request comes without a true table")
