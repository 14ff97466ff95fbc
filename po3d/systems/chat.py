"""Chat completions in OpenAI's format: validation of requests, and po3d's responses.

The server is `po3d.evaluation.harness.serve`.

The model's name selects the domain; for `po3d` the image does. Further inputs of a question are
read from its text, in the format of our prompts ("Change: ..", "A. .."), or from the request's
field `po3d` (frame, change, focal, metres_per_pixel, views).
"""

import base64
import binascii
import hashlib
import json
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.choices import LETTERS, filled
from po3d.benchmarks.superclevr.names import written
from po3d.io.errors import InputError
from po3d.io.images import decode_image
from po3d.reasoning.questions import Prediction, Question, Task
from po3d.scene.table import Scene
from po3d.systems.domain_router import KINDS, DomainMatch, distances, nearest
from po3d.systems.image_inputs import ImageInputs, no_truth
from po3d.systems.interfaces import Context, Image, PerceptionInput, TableSource
from po3d.systems.pipeline import Pipeline

Cached = TypeVar("Cached")


NAME, ANY = "po3d-pulsecheck457", "po3d"
# Model -> its domain ("": selected by the image), and the reference frame of left and right (None:
# selected by the wording).
MODELS: dict[str, tuple[str, Task | None]] = {
    NAME: ("street", None),
    f"{NAME}-2d": ("street", "2d"),
    f"{NAME}-6d": ("street", "6d"),
    "po3d-hypo3d": ("rooms", None),
    "po3d-3dsrbench": ("photographs", None),
    "po3d-scope": ("orbit", None),
    ANY: ("", None),
}
REQUEST = "request"  # name of the image of a request
VIEWS = 8  # largest number of images of an orbit
TEXT = 20_000  # characters of a message
PIXELS = 16_000_000  # sum over all images; 48 MB decoded
CANDIDATES = 12  # number of lines of a message tried as its question
_ENDS = re.compile(r"(?<=[.?!:])")
_OPTION = re.compile(r"^\s*([A-H])[.)]\s+(\S.*)$", re.MULTILINE)
_ANGLE = re.compile(r"\bimage is (\d{1,3}(?:\.\d+)?) ?(?:°|degrees)", re.IGNORECASE)
_URI = re.compile(r"data:image/[a-z+.-]+;base64,", re.IGNORECASE)


class Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(
        self, status: int, message: str, param: str | None = None, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.param, self.code = status, param, code

    def as_json(self) -> dict:
        """Return the error in OpenAI's format."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        return {
            "error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}
        }


class RequestExtras(NamedTuple):
    """Content of a request's field `po3d`."""

    frame: str = ""
    change: str = ""
    focal: float | None = None  # in widths of the image
    metres_per_pixel: float | None = None  # of a map
    views: tuple[float, ...] = ()  # camera angles in degrees


class ChatRequest(NamedTuple):
    """A parsed request."""

    model: str
    texts: tuple[str, ...]  # of the last user message
    images: tuple[NDArray[np.uint8], ...]  # (H, W, 3)
    extras: RequestExtras = RequestExtras()

    @property
    def task(self) -> Task:
        """Reference frame of left and right: the camera's ("2d") or the object's ("6d")."""
        _, named = MODELS[self.model]
        return named or (
            "6d" if any("perspective" in text.lower() for text in self.texts) else "2d"
        )

    @property
    def options(self) -> list[str]:
        """Lettered options of the message, one per line, from A on; "" for a missing letter."""
        matches = {m[1]: m[2].strip() for m in _OPTION.finditer("\n".join(self.texts))}
        return (
            filled({k: matches[k] for k in LETTERS if k in matches})
            if {"A", "B"} & matches.keys()
            else []
        )

    def question(self, text: str) -> Question:
        whole = "\n".join(self.texts)
        settings = {
            name: getattr(self.extras, name) or _named(name, whole) for name in ("frame", "change")
        }
        views = self.extras.views or tuple(float(v) for v in _ANGLE.findall(whole)) or (0.0,)
        names = tuple(f"{k + 1}" for k in range(len(self.images)))
        return Question(
            REQUEST,
            REQUEST,
            text,
            self.task,
            "",
            options=tuple(filter(None, self.options)),
            images=names,
            views=views,
            **settings,
        )


# --- requests -------------------------------------------------------------------------------------


def read_request(data: bytes) -> ChatRequest:
    """Parse the body of a chat completion request; Refusal if it is invalid."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"the request body is not JSON ({str(error)[:100]})") from None
    if not isinstance(body, dict):
        raise Refusal(400, "the request body should be an object with model and messages")
    model = body.get("model")
    if not isinstance(model, str) or model not in MODELS:
        raise Refusal(
            404,
            f"unknown model {_short(model)}; known: {', '.join(MODELS)}",
            "model",
            "model_not_found",
        )
    for name, fine in (("stream", (None, False)), ("n", (None, 1))):
        if body.get(name) not in fine:
            raise Refusal(400, f"{name}={_short(body[name])} is not supported", name)
    texts, urls = _content(body.get("messages"))
    most = VIEWS if MODELS[model][0] in ("orbit", "") else 1
    if not 1 <= len(urls) <= most:
        pictures = "one image" if most == 1 else f"1 to {most} images"
        raise Refusal(
            400, f"a question needs {pictures}; the last user message has {len(urls)}", "messages"
        )
    extras, left, images = _request_extras(body.get("po3d")), PIXELS, []
    for url in urls:
        images.append(_picture(url, left))
        left -= images[-1].size // 3
    return ChatRequest(model, tuple(texts), tuple(images), extras)


def _request_extras(value: object) -> RequestExtras:
    """Parse the field `po3d` of a request."""
    if value is None:
        return RequestExtras()
    if not isinstance(value, dict) or (
        odd := sorted(map(str, set(value) - set(RequestExtras._fields)))
    ):
        odd = f": {_short(odd[0])} is unknown" if isinstance(value, dict) else ""
        raise Refusal(
            400,
            f"po3d should be an object with the fields {', '.join(RequestExtras._fields)}{odd}",
            "po3d",
        )
    values: dict[str, Any] = {}
    for name, entry in value.items():
        if name in ("frame", "change"):
            fine = isinstance(entry, str) and len(entry) <= TEXT
        elif name == "views":
            fine = (
                isinstance(entry, list)
                and len(entry) <= VIEWS
                and all(_is_number(v, -360, 360) for v in entry)
            )
        else:
            fine = _is_number(entry, 1e-4, 100)
        if not fine:
            raise Refusal(400, f"invalid value: po3d.{name}={_short(entry)}", "po3d")
        values[name] = tuple(entry) if name == "views" else entry
    return RequestExtras(**values)


def _is_number(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _content(messages: object) -> tuple[list[str], list[object]]:
    """Return texts and image URLs of the last user message."""
    if (
        not isinstance(messages, list)
        or not messages
        or not all(isinstance(m, dict) for m in messages)
    ):
        raise Refusal(400, "messages should be a list of objects with role and content", "messages")
    user_messages = [m for m in messages if m.get("role") == "user"]
    if not user_messages:
        raise Refusal(400, "messages should contain a user message", "messages")
    content = user_messages[-1].get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list) or not all(isinstance(p, dict) for p in parts):
        raise Refusal(400, "content should be a string or a list of parts", "messages")
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
                f"content part of type {_short(part.get('type'))} is not supported; known: text,"
                " image_url",
                "messages",
            )
    if sum(map(len, texts)) > TEXT:
        raise Refusal(413, f"the message has more than {TEXT:,} characters", "messages")
    return texts, urls


def _picture(url: object, most: int) -> NDArray[np.uint8]:
    head = _URI.match(url) if isinstance(url, str) else None
    if head is None:
        raise Refusal(
            400,
            "image_url.url should be a data URI (data:image/png;base64,...); URLs are not fetched",
            "messages",
        )
    try:
        data = base64.b64decode(url[head.end() :], validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refusal(400, f"the data URI is not valid base64 ({error})", "messages") from None
    try:
        return decode_image(data, "in the message", most)
    except InputError as error:
        raise Refusal(400, str(error), "messages") from None


def questions_in(texts: Sequence[str]) -> list[str]:
    """Return the candidates for the question of a message, most probable first."""
    lines = [line for text in texts for line in map(str.strip, text.splitlines()) if line]
    named, sentences = [], []
    for line in lines:
        if match := re.match(r"question\s*:\s*(.+)", line, re.IGNORECASE):
            named.append(match[1].strip())
        sentences += [part.strip() for part in _ENDS.split(line) if part.endswith("?")]
    ending = [line for line in lines if line.endswith("?")]
    candidates = [*named[::-1], *ending[::-1], *sentences[::-1]] or lines[-1:]
    return [text for text in dict.fromkeys(candidates) if text][:CANDIDATES]


def _named(name: str, text: str) -> str:
    """Return the text behind "NAME:" in a message; for the frame, also in the wording of our
    prompt."""
    also = "|.*sides are where this says" if name == "frame" else ""
    match = re.search(rf"^(?:{name}{also})\s*:\s*(\S.*)$", text, re.IGNORECASE | re.MULTILINE)
    return match[1].strip() if match else ""


def _short(value: object) -> str:
    return json.dumps(value, default=str)[:60]


# --- answers --------------------------------------------------------------------------------------


class CachedTables(TableSource):
    """A source of scenes with a cache: most images are sent several times, with different
    questions."""

    def __init__(self, source: TableSource, size: int = 64) -> None:
        self.source, self.size = source, size
        self.cache: OrderedDict[Hashable, Any] = OrderedDict()
        self.lock = threading.Lock()

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        return [
            [self._table(c, name, tuple(things)) for name in names] for c, names, things in looks
        ]

    def _table(self, context: Context, name: str, things: tuple[str, ...]) -> Scene:
        inputs = context.inputs
        key = (name, _digest(context.picture(name)), things, inputs.lens, inputs.scale)
        return self._once(
            key, lambda: self.source.tables([PerceptionInput(context, [name], things)])[0][0]
        )

    def match_domain(self, image: Image) -> DomainMatch | None:
        """Return the nearest training domain of an image."""
        return self._once(_digest(image), lambda: nearest(distances(self.source, image)))

    def _once(self, key: Hashable, compute: Callable[[], Cached]) -> Cached:
        with self.lock:
            if key in self.cache:
                self.cache.move_to_end(key)
                return self.cache[key]
        value = compute()
        with self.lock:
            self.cache[key] = value
            if len(self.cache) > self.size:
                self.cache.popitem(last=False)
        return value


def _digest(image: Image) -> bytes:
    return hashlib.sha256(str(image.shape).encode() + image.tobytes()).digest()


class DomainPipelines:
    """The domains' pipelines, loaded on first use, with cached scenes."""

    def __init__(self, builders: Mapping[str, Callable[[], Pipeline]]) -> None:
        self.builders = dict(builders)
        self.pipelines: dict[str, Pipeline] = {}
        self.lock = threading.Lock()

    def __getitem__(self, world: str) -> Pipeline:
        with self.lock:
            if world not in self.pipelines:
                if world not in self.builders:
                    raise Refusal(
                        400,
                        f"questions about {world} are not served; known:"
                        f" {', '.join(self.builders)}",
                    )
                pipeline = self.builders[world]()
                self.pipelines[world] = replace(pipeline, tables=CachedTables(pipeline.tables))
            return self.pipelines[world]

    def match_domain(self, world: str, image: Image) -> DomainMatch | None:
        """Return the nearest training domain of an image, according to a domain's estimator."""
        return self[world].tables.match_domain(image)

    def of(self, request: ChatRequest) -> tuple[str, ...]:
        """Return the domains that may answer a request: the model's, or those of the image's kind;
        Refusal for an out-of-distribution image."""
        if named := MODELS[request.model][0]:
            return (named,)
        if len(request.images) > 1:
            return ("orbit",)
        matches: list[DomainMatch] = []
        for world in dict.fromkeys(w for w, *_ in KINDS.values()):
            match = self.match_domain(world, request.images[0]) if world in self.builders else None
            if match is not None:
                matches.append(match)
        near = min(matches, key=lambda match: match.strangeness, default=None)
        if near is None or near.strange:
            known = ", ".join(name for name in MODELS if name != ANY)
            raise Refusal(
                400,
                "out of distribution: the image matches no training domain; to answer "
                f"anyway, name a model: {known}",
                "messages",
            )
        return tuple(world for world in KINDS[near.kind] if world in self.builders)


def ask(
    worlds: DomainPipelines, request: ChatRequest
) -> tuple[Question, Prediction, DomainMatch | None]:
    """Return the question, its prediction by the first domain whose parser reads one of the
    candidates, and the nearest training domain of the image."""
    tried = [request.question(text) for text in questions_in(request.texts)]
    if not tried:
        raise Refusal(400, "the message contains no question")
    parses = []
    for name in worlds.of(request):
        readings = worlds[name].reader.read(tried)
        parses += [(name, q, r.unread) for q, r in zip(tried, readings, strict=True)]
    world, question, _ = next((parse for parse in parses if not parse[2]), parses[0])
    if world == "orbit" and len(question.views) != len(request.images):
        raise Refusal(
            400,
            f"{len(request.images)} images need {len(request.images)} angles, in the text or in"
            " po3d.views",
            "messages",
        )
    image, extras = request.images[0], request.extras
    inputs = ImageInputs(
        dict(zip(question.images, request.images)), extras.focal, extras.metres_per_pixel
    )
    if world != "orbit":
        question = replace(question, images=(), views=())
    (prediction,) = worlds[world].answer(
        [question], Context(lambda: image, no_truth, REQUEST, inputs=inputs)
    )
    return question, prediction, worlds.match_domain(world, image)


def answer(worlds: DomainPipelines, request: ChatRequest) -> dict:
    """Return the response to a request."""
    question, prediction, domain_match = ask(worlds, request)
    content = message_answer(prediction, request.texts, request.options)
    words = sum(len(part.split()) for part in request.texts)
    return {
        "id": f"chatcmpl-{secrets.token_hex(12)}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        # Counts of words, as there are no tokens.
        "usage": {
            "prompt_tokens": words,
            "completion_tokens": len(content.split()),
            "total_tokens": words + len(content.split()),
        },
        "po3d": {
            "question": question.text,
            "task": request.task,
            "status": prediction.status,
            "answer": prediction.answer,
            "probability": prediction.probability,
            "program": prediction.program,
            "reason": prediction.reason,
            **({} if domain_match is None else {"picture": domain_match._asdict()}),
        },
    }


def message_answer(
    prediction: Prediction, texts: Sequence[str], options: Sequence[str] = ()
) -> str:
    """Return the answer in the format that the message asks for: the letter if it has lettered
    options. Without an answer, return a sentence that `po3d.systems.answers` extracts as no answer.
    """
    if prediction.status != "ok" or prediction.answer is None:
        return f"I cannot answer this: {prediction.reason}"
    answered = written(prediction.answer)
    same = [
        k for k, option in enumerate(options) if option.casefold() == prediction.answer.casefold()
    ]
    if same and any(f"{LETTERS[same[0]]}. {options[same[0]]}" in text for text in texts):
        return LETTERS[same[0]]
    if not any(re.search(r"['\"]Answer['\"]\s*:", text) for text in texts):
        return answered
    why = re.sub(r"['\"\s]+", " ", prediction.program).strip()
    return f"{{'Reasoning': '{why}', 'Answer': '{answered}'}}"
