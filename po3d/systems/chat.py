"""Chat completions in OpenAI's format: po3d's responses to requests (`chat_requests`).

The server is `po3d.evaluation.harness.serve`. The model's name selects the domain; for `po3d` the
image does.
"""

import hashlib
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from po3d.benchmarks.choices import LETTERS
from po3d.benchmarks.superclevr.names import written
from po3d.reasoning.questions import Prediction, Question
from po3d.scene.table import Scene
from po3d.systems.build import build_pipeline
from po3d.systems.chat_requests import ANY, MODELS, REQUEST, ChatRequest, Refusal, questions_in
from po3d.systems.chat_requests import NAME as NAME
from po3d.systems.chat_requests import read_request as read_request
from po3d.systems.domain_router import KINDS, DomainMatch, distances, nearest
from po3d.systems.image_inputs import ImageInputs, no_truth
from po3d.systems.interfaces import Context, Image, PerceptionInput, TableSource
from po3d.systems.pipeline import Pipeline

CACHED = 64  # number of scenes and domain matches
Cached = TypeVar("Cached")


class CachedTables(TableSource):
    """A source of scenes with a cache: most images are sent several times, with different
    questions."""

    def __init__(self, source: TableSource) -> None:
        self.source = source
        self.cache: OrderedDict[Hashable, Any] = OrderedDict()
        self.lock = threading.Lock()

    def tables(self, looks: Sequence[PerceptionInput]) -> list[list[Scene]]:
        result = []
        for c, names, things in looks:
            result.append([self._table(c, name, tuple(things)) for name in names])
        return result

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
            if len(self.cache) > CACHED:
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
            known = list(MODELS)
            known.remove(ANY)
            raise Refusal(
                400,
                "out of distribution: the image matches no training domain; to answer "
                f"anyway, name a model: {', '.join(known)}",
                "messages",
            )
        result = []
        for world in KINDS[near.kind]:
            if world in self.builders:
                result.append(world)
        return tuple(result)


def street_pipelines(**options: Any) -> DomainPipelines:
    """Return the pipeline of streets alone, loaded at once. `options`: see `build_pipeline`."""
    streets = build_pipeline("street", **options)
    return DomainPipelines({"street": lambda: streets})


def ask(
    worlds: DomainPipelines, request: ChatRequest
) -> tuple[Question, Prediction, DomainMatch | None]:
    """Return the question, its prediction by the first domain whose parser reads one of the
    candidates, and the nearest training domain of the image."""
    tried = list(map(request.question, questions_in(request.texts)))
    if not tried:
        raise Refusal(400, "the message contains no question")
    parses = []
    for name in worlds.of(request):
        readings = worlds[name].reader.read(tried)
        for q, r in zip(tried, readings, strict=True):
            parses.append((name, q, r.unread))
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
        dict(zip(question.images, request.images)), extras["focal"], extras["metres_per_pixel"]
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
    same = []
    for k, option in enumerate(options):
        if option.casefold() == prediction.answer.casefold():
            same.append(k)
    if same and any(f"{LETTERS[same[0]]}. {options[same[0]]}" in text for text in texts):
        return LETTERS[same[0]]
    if not any(re.search(r"['\"]Answer['\"]\s*:", text) for text in texts):
        return answered
    why = re.sub(r"['\"\s]+", " ", prediction.program).strip()
    return f"{{'Reasoning': '{why}', 'Answer': '{answered}'}}"
