"""Requests of chat completions in OpenAI's format: parsing and validation.

Further inputs of a question are read from its text, in the format of our prompts ("Change: ..",
"A. .."), or from the request's field `po3d` (frame, change, focal, metres_per_pixel, views).
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from po3d.benchmarks.choices import filled
from po3d.io.errors import InputError
from po3d.io.images import decode_image
from po3d.reasoning.questions import Question, Task

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


# Content of a request's field `po3d`, with the defaults.
EXTRAS: Mapping[str, Any] = {
    "frame": "",
    "change": "",
    "focal": None,  # in widths of the image
    "metres_per_pixel": None,  # of a map
    "views": (),  # camera angles in degrees
}


class ChatRequest(NamedTuple):
    """A parsed request."""

    model: str
    texts: tuple[str, ...]  # of the last user message
    images: tuple[NDArray[np.uint8], ...]  # (H, W, 3)
    extras: Mapping[str, Any] = EXTRAS

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
        matches = {}
        for m in _OPTION.finditer("\n".join(self.texts)):
            matches[m[1]] = m[2].strip()
        return filled(matches) if {"A", "B"} & matches.keys() else []

    def question(self, text: str) -> Question:
        whole = "\n".join(self.texts)
        views = self.extras["views"] or tuple(map(float, _ANGLE.findall(whole))) or (0.0,)
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
            frame=self.extras["frame"] or _named("frame", whole),
            change=self.extras["change"] or _named("change", whole),
        )


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


def _request_extras(value: object) -> dict[str, Any]:
    """Parse the field `po3d` of a request."""
    if value is None:
        return dict(EXTRAS)
    if not isinstance(value, dict) or (odd := sorted(map(str, set(value) - set(EXTRAS)))):
        odd = f": {_short(odd[0])} is unknown" if isinstance(value, dict) else ""
        raise Refusal(
            400, f"po3d should be an object with the fields {', '.join(EXTRAS)}{odd}", "po3d"
        )
    values = dict(EXTRAS)
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
    return values


def _is_number(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _content(messages: object) -> tuple[list[str], list[object]]:
    """Return texts and image URLs of the last user message."""
    if not isinstance(messages, list) or set(map(type, messages)) != {dict}:
        raise Refusal(400, "messages should be a list of objects with role and content", "messages")
    last = None
    for message in messages:
        if message.get("role") == "user":
            last = message
    if last is None:
        raise Refusal(400, "messages should contain a user message", "messages")
    content = last.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list) or not set(map(type, parts)) <= {dict}:
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
    lines = list(filter(None, map(str.strip, "\n".join(texts).splitlines())))
    named, ending, sentences = [], [], []
    for line in lines:
        if match := re.match(r"question\s*:\s*(.+)", line, re.IGNORECASE):
            named.append(match[1].strip())
        if line.endswith("?"):
            ending.append(line)
        for part in _ENDS.split(line):
            if part.endswith("?"):
                sentences.append(part.strip())
    candidates = [*named[::-1], *ending[::-1], *sentences[::-1]] or lines[-1:]
    return list(filter(None, dict.fromkeys(candidates)))[:CANDIDATES]


def _named(name: str, text: str) -> str:
    """Return the text behind "NAME:" in a message; for the frame, also in the wording of our
    prompt."""
    also = "|.*sides are where this says" if name == "frame" else ""
    match = re.search(rf"^(?:{name}{also})\s*:\s*(\S.*)$", text, re.IGNORECASE | re.MULTILINE)
    return match[1].strip() if match else ""


def _short(value: object) -> str:
    return json.dumps(value, default=str)[:60]
