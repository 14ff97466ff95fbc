"""`system=lmm`: a model behind an OpenAI-compatible endpoint, with the questions that po3d answers.

    python evaluate.py system=lmm system.base_url=http://127.0.0.1:8000/v1 system.model=NAME

`concurrency` requests are in flight at once, of one image or of several. A busy or failing endpoint
is retried with exponential backoff; if it stays unavailable, or rejects the key or the model, the
run ends with a one-line error, and the same command resumes it. A request that the endpoint rejects
(too long, refused by a filter) is a failed question.

Every response is a line of the log, with its tokens, its cost and the digest of its request; a
request that is in the log is not sent again. The API key is read from an environment variable when
the system is made; it is in no log, config or message. Answers are extracted from responses by
`po3d.systems.answers`.
"""

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import InitVar, dataclass
from pathlib import Path
from typing import Any, Literal

from po3d.io.errors import InputError
from po3d.io.files import read_jsonl
from po3d.io.seeding import rng
from po3d.reasoning.questions import Prediction, Question, ids_of
from po3d.systems.answers import predicted
from po3d.systems.interfaces import Context
from po3d.systems.lmm_endpoint import LONGEST_WAIT, Endpoint, EndpointError
from po3d.systems.prompts import (
    ImageFormat,
    Prompt,
    Prompter,
    PromptSetting,
    data_uri,
    encode,
    messages,
)

# (first response, function that sends more messages) -> prediction
Finish = Callable[[dict, Callable[[list[dict]], dict]], Prediction]


class Log:
    """The log OUT/usage.jsonl: one line per response, written at once. `known`: records by the
    digest of the request."""

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        self.lock = threading.Lock()
        self.known: dict[str, dict] = {}
        if self.path is not None and self.path.is_file():
            data = self.path.read_bytes()
            if data and not data.endswith(b"\n"):  # torn last line of a killed run
                os.truncate(self.path, data.rfind(b"\n") + 1)
            for record in read_jsonl(self.path, "usage log"):
                if "request" in record:
                    self.known[record["request"]] = record

    def add(self, record: dict) -> None:
        with self.lock:
            self.known[record["request"]] = record
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with open(self.path, "a", encoding="utf-8") as file:
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")


class Asking:
    """Requests in flight for the questions on one image. A failure cancels the others."""

    def __init__(self, futures: Sequence[Future[Prediction]], stop: threading.Event) -> None:
        self.futures, self.stop = futures, stop

    def result(self) -> list[Prediction]:
        try:
            wait(self.futures, return_when=FIRST_EXCEPTION)
            failed = []
            for f in self.futures:
                if f.done() and f.exception() is not None:
                    failed.append(f)
            return [future.result() for future in failed or self.futures]
        except BaseException:  # also on Ctrl+C: cancel the remaining requests
            self.cancel()
            raise

    def cancel(self) -> None:
        self.stop.set()
        for future in self.futures:
            future.cancel()


@dataclass(eq=False, repr=False)
class Lmm:
    """A System that sends the questions on an image to an endpoint and extracts the answers."""

    benchmark: str  # the benchmark whose prompts are used
    base_url: str
    model: str
    key_env: str | None = None  # environment variable with the API key; None: no key
    log: InitVar[str | Path | None] = None  # usage.jsonl; None: no log, and no reuse of responses
    concurrency: int = 4  # requests in flight
    timeout: float = 120.0  # seconds for a response
    # Number of tries if the endpoint is busy or unreachable, and the seconds before the second one;
    # doubled after each, at most 60, or as the endpoint asks.
    tries: int = 5
    wait: float = 1.0
    # After all tries: "stop" ends the run; "skip" counts the question as failed.
    give_up: Literal["stop", "skip"] = "stop"
    temperature: float | None = 0.0  # not sent if None
    max_tokens: int | None = 1024  # not sent if None
    extra: Mapping[str, Any] | None = None  # further fields of the request
    # Per million tokens, {"prompt": .., "completion": ..}, in any currency.
    price: Mapping[str, float | None] | None = None
    image_format: ImageFormat = "png"
    # Input of the model: `po3d.systems.prompts.PromptSetting`.
    show: str = "picture"
    frame: str | None = None  # None: anchors
    change: str = "with"
    style: str = "plain"
    scenes: str = "none"
    scenes_file: str | None = None  # for scenes=predicted: scenes.jsonl of a finished run
    # Prompt for a question on an image; None: the benchmark's own, in the setting above.
    prompts: Callable[[Question, Context], Prompt] | None = None

    def __post_init__(self, log: str | Path | None) -> None:
        key = os.environ.get(self.key_env, "") if self.key_env else ""
        if self.key_env and not key.strip():
            raise InputError(f"the environment variable {self.key_env} contains no API key")
        if self.give_up not in ("stop", "skip"):
            raise InputError(f"give_up={self.give_up!r} should be stop or skip")
        for name, value in {"concurrency": self.concurrency, "tries": self.tries}.items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name}={value!r} should be a positive integer")
        if self.timeout <= 0 or self.wait < 0:
            raise InputError(
                f"timeout={self.timeout!r} should be positive (seconds), and wait={self.wait!r} not"
                " negative"
            )
        setting = PromptSetting(
            self.show, self.frame or "anchors", self.change, self.style, self.scenes
        )
        self.setting = setting
        if self.prompts is None:
            self.prompter = Prompter(self.benchmark, setting, self.scenes_file)
            self.prompts = self.prompter.prompt
        self.endpoint = Endpoint(self.base_url, key.strip(), self.timeout)
        self.log = Log(log)
        fields = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        self.fields = _without_none(fields) | dict(self.extra or {})
        self.price = _without_none(self.price or {})
        self.ahead = self.concurrency  # an image may have a single question
        self.pool = ThreadPoolExecutor(self.concurrency, "lmm")

    def answer(self, questions: Sequence[Question], context: Context) -> list[Prediction]:
        """Return the predictions in the order of the questions. InputError if the endpoint is
        unusable."""
        return self.begin(questions, context).result()

    def begin(self, questions: Sequence[Question], context: Context) -> "Asking":
        """Send the questions on one image. The images are encoded before this returns."""
        image_urls = [self.asked(q, context) for q in questions]
        finish = self.finishing(questions, context)
        urls: dict[str, str] = {}
        for one in image_urls:
            for name in one.pictures:
                if name not in urls:
                    file = encode(context.picture(name), self.image_format)
                    urls[name] = data_uri(file, self.image_format)
        stop = threading.Event()
        work = []
        for question, one in zip(questions, image_urls, strict=True):
            content = messages(one, [urls[name] for name in one.pictures])
            work.append(self.pool.submit(self._ask, question, content, stop, finish(question)))
        return Asking(work, stop)

    def asked(self, question: Question, context: Context) -> Prompt:
        """Return the prompt for a question."""
        return self.prompts(question, context)

    def finishing(
        self, questions: Sequence[Question], context: Context
    ) -> Callable[[Question], Finish]:
        """Return, for each question, the function that turns a response into a prediction; it may
        send more messages."""

        def finish(question: Question) -> Finish:
            return lambda record, ask: predicted(
                question, record["response"], record["finish_reason"] == "length"
            )

        return finish

    def notes(self, questions: Sequence[Question]) -> list[str]:
        """Return the remark for the report if the gold answers are those after a change and the
        prompts leave the change out."""
        if self.setting.change == "with" or not any(q.change for q in questions):
            return []
        return [
            "prompts omit the changes; except for the control set, gold answers are those after the"
            " change"
        ]

    @property
    def measures(self) -> dict[str, Callable[..., dict[str, Any]]]:
        """Values for the report beside the score."""
        return {"usage": self.usage}

    def usage(
        self, questions: Sequence[Question], predictions: Sequence[Prediction]
    ) -> dict[str, Any]:
        """Return the cost of these questions' answers: requests, tokens, cost (None without
        prices), seconds."""
        own_records = self.records(questions)
        totals = {"requests": len(own_records), "prompt_tokens": 0, "completion_tokens": 0}
        totals |= {"cost": 0 if self.price else None, "seconds": 0}
        for record in own_records:
            for key in ("prompt_tokens", "completion_tokens"):
                totals[key] += int(record["usage"].get(key) or 0)
            if self.price:
                totals["cost"] += self._cost(record["usage"])
            totals["seconds"] += record["seconds"]
        return totals

    def records(self, questions: Sequence[Question]) -> list[dict]:
        """Return the model's logged responses to these questions."""
        ids = set(ids_of(questions))
        result = []
        for record in self.log.known.values():
            if record["id"] in ids and record["model"] == self.model:
                result.append(record)
        return result

    def _ask(
        self, question: Question, content: list[dict], stop: threading.Event, finish: Finish
    ) -> Prediction:
        def ask(more: list[dict]) -> dict:
            return self._response(question, [*content, *more], stop)

        try:
            return finish(ask([]), ask)
        except EndpointError as error:
            return Prediction(question.id, "failed", reason=str(error))

    def _response(self, question: Question, content: list[dict], stop: threading.Event) -> dict:
        """Return the logged response to the messages; send the request if it is not in the log.
        Raises EndpointError."""
        body = {"model": self.model, "messages": content, **self.fields}
        digest = hashlib.sha256(
            json.dumps([self.endpoint.base_url, body], sort_keys=True).encode()
        ).hexdigest()
        record = self.log.known.get(digest)
        if record is None:
            start = time.monotonic()
            reply, tries = self._insist(body, digest, stop)
            record = {
                "id": question.id,
                "image": question.image,
                "model": self.model,
                **reply,
                "cost": self._cost(reply["usage"]),
                "seconds": round(time.monotonic() - start, 3),
                "tries": tries,
                "messages": len(content),
                "request": digest,
            }
            self.log.add(record)
        return record

    def _insist(
        self, body: Mapping[str, Any], digest: str, stop: threading.Event
    ) -> tuple[dict[str, Any], int]:
        """Return the reply and the number of tries."""
        for attempt in range(self.tries):
            try:
                return self.endpoint.chat(body), attempt + 1
            except EndpointError as error:
                if error.wait is None:
                    raise
                last = error
                # Jitter, so that the rejected requests are not retried at one time.
                spread = 0.5 + float(rng(0, f"lmm/{digest}", attempt).random())
                seconds = min(max(self.wait * 2**attempt * spread, error.wait), LONGEST_WAIT)
                if attempt + 1 == self.tries or stop.wait(seconds):
                    break
        if self.give_up == "stop":
            raise InputError(
                f"no answer after {self.tries} tries: {last}; run the same command again to resume"
            )
        raise last

    def _cost(self, usage: Mapping[str, Any]) -> float | None:
        if not self.price:
            return None
        cost = 0.0
        for k in ("prompt", "completion"):
            cost += self.price.get(k, 0.0) * int(usage.get(f"{k}_tokens") or 0) / 1e6
        return cost


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    result = {}
    for key, value in values.items():
        if value is not None:
            result[key] = value
    return result
