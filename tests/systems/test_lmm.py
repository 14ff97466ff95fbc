"""system=lmm over real HTTP: against po3d's own server, and against an endpoint that misbehaves as
it is told to.
"""

import base64
import importlib.util
import json
import multiprocessing
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from endpoints import Known, completion, of_streets, picture, scripted, served, street

from po3d.evaluation.run import PREDICTIONS, predict
from po3d.io.config import ROOT, run_hydra
from po3d.io.errors import InputError
from po3d.io.images import decode_image
from po3d.reasoning.questions import Prediction, Question
from po3d.systems.lmm import Lmm
from po3d.systems.pipeline import Context

SECRET = "sk-very-secret-123"


@dataclass
class Pictures:
    """A split of noise: question k on image k, or a few on each."""

    images: int = 4
    each: int = 1

    @property
    def questions(self):
        n = self.images * self.each
        return [
            Question(f"q{k}", f"{k // self.each}.png", f"How many at {k}?", "2d", "L1-Single")
            for k in range(n)
        ]

    def image(self, name):
        return np.asarray(picture(int(name.split(".")[0])))


def evaluate(*arguments):
    """evaluate.py in this process."""
    spec = importlib.util.spec_from_file_location("evaluate", ROOT / "evaluate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return run_hydra(script.main, "evaluate", "", list(arguments))


def lmm(endpoint, **settings):
    return Lmm("pulsecheck457", endpoint.base_url, "m", **{"wait": 0.001, **settings})


def ask(system, questions=1):
    split = Pictures(1, questions)
    return system.answer(
        split.questions, Context(lambda: split.image("0.png"), lambda: None, "0.png")
    )


def ask_question(body):
    """The number of the question that a request is about."""
    texts = [part["text"] for part in body["messages"][0]["content"] if part["type"] == "text"]
    return int("\n".join(texts).split("How many at ")[1].split("?")[0])


def test_an_evaluation_against_po3d_serve_is_po3d_itself(tmp_path, monkeypatch, capsys):
    """A server that knows every table and program is right about everything, through prompt, PNG,
    HTTP, and extractor.
    """
    root = street(tmp_path / "release", images=3)
    monkeypatch.setenv("MY_KEY", SECRET)
    known = Known(root)
    with served(of_streets(known, known)) as server:
        arguments = [
            f"data.root={root}",
            f"out={tmp_path / 'out'}",
            "system=lmm",
            f"system.base_url={server.base_url}",
            "system.model=po3d-pulsecheck457",
            "system.key_env=MY_KEY",
            "system.price.prompt=2",
            "system.price.completion=10",
        ]
        assert evaluate(*arguments) == 0
        report = json.loads((tmp_path / "out" / "report.json").read_text())
        assert [row["value"] for row in report["rows"]] == [100.0] * 8
        n = report["rows"][-1]["n"]
        assert report["statuses"] == {"ok": n}
        assert known.looks == 3, "an image was looked at twice"
    with open(tmp_path / "out" / "usage.jsonl") as file:
        log = [json.loads(line) for line in file]
    assert {r["id"] for r in log} == {q.id for q in known.questions}
    sums = {k: sum(r["usage"][k] for r in log) for k in ("prompt_tokens", "completion_tokens")}
    assert sums["prompt_tokens"] > sums["completion_tokens"] > n
    usage = report["usage"]
    assert (usage["requests"], usage["prompt_tokens"], usage["completion_tokens"]) == (
        n,
        *sums.values(),
    )
    assert usage["cost"] == pytest.approx(
        (2 * sums["prompt_tokens"] + 10 * sums["completion_tokens"]) / 1e6
    )
    assert usage["cost"] == pytest.approx(sum(r["cost"] for r in log))
    # The server is gone; whatever was answered is known.
    before = (tmp_path / "out" / PREDICTIONS).read_bytes()
    assert evaluate(*arguments) == 0
    assert (tmp_path / "out" / PREDICTIONS).read_bytes() == before
    reply = capsys.readouterr()
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert SECRET not in reply.out + reply.err + written.decode()


def test_a_request_has_the_picture_the_key_and_the_settings(monkeypatch):
    with scripted(lambda k, body: completion("3")) as endpoint:
        monkeypatch.setenv("MY_KEY", SECRET)
        system = lmm(endpoint, key_env="MY_KEY", max_tokens=None, extra={"seed": 7})
        assert ask(system) == [Prediction("q0", "ok", "3")]
        (body,), (headers,) = endpoint.requests, endpoint.headers
    assert (headers["authorization"], headers["path"]) == (
        f"Bearer {SECRET}",
        "/v1/chat/completions",
    )
    assert {k: v for k, v in body.items() if k != "messages"} == {
        "model": "m",
        "temperature": 0.0,
        "seed": 7,
    }
    (url,) = [
        p["image_url"]["url"] for p in body["messages"][0]["content"] if p["type"] == "image_url"
    ]
    pixels = decode_image(base64.b64decode(url.removeprefix("data:image/png;base64,")), "")
    assert np.array_equal(pixels, Pictures().image("0.png"))
    assert SECRET not in repr(system.endpoint) + json.dumps(body)


def test_several_pictures_go_out_in_their_order_and_a_letter_comes_back_as_its_option():
    names, options = ["2.png", "0.png", "1.png"], ["First Image", "Second Image", "Third Image"]
    own = {"images": tuple(names), "options": tuple(options)}
    question = Question(
        "q", "scene", "At which scene is it true?", "2d", "integration_ego", "", **own
    )
    with scripted(lambda k, body: completion("The answer is B.")) as endpoint:
        system = Lmm("scope", endpoint.base_url, "m")
        context = Context(lambda: None, lambda: None, "scene", inputs=Pictures())
        assert system.answer([question], context) == [Prediction("q", "ok", "Second Image")]
        urls = [
            p["image_url"]["url"]
            for p in endpoint.requests[0]["messages"][0]["content"]
            if "image_url" in p
        ]
    for name, url in zip(names, urls, strict=True):
        assert np.array_equal(
            decode_image(base64.b64decode(url.split(",")[1]), ""), Pictures().image(name)
        )


@pytest.mark.parametrize("each", [1, 4])
def test_requests_are_under_way_at_once_also_on_different_images(tmp_path, each):
    """The endpoint answers nobody before four have come."""
    barrier = threading.Barrier(4, timeout=20)

    def reply(number, body):
        barrier.wait()
        return completion(str(ask_question(body)))

    with scripted(reply) as endpoint:
        split = Pictures(8 // each, each)
        predictions = predict(split, lmm(endpoint, concurrency=4, tries=1), tmp_path, {})
    assert [p.answer for p in predictions] == [str(k) for k in range(8)]


def test_a_busy_or_broken_endpoint_is_queried_again(tmp_path):
    replies = [
        (500, {"error": {"message": "out of memory"}}, {}),
        (429, b"slow down", {"Retry-After": "0.3"}),
        None,
        (200, b"<html>", {}),
        (200, {"choices": []}, {}),
        completion(
            [{"type": "text", "text": "Ans"}, {"type": "text", "text": "wer: 2"}], prompt_tokens=5
        ),
    ]
    start = time.monotonic()
    with scripted(lambda k, body: replies[k]) as endpoint:
        assert ask(lmm(endpoint, tries=6, log=tmp_path / "log")) == [Prediction("q0", "ok", "2")]
    assert time.monotonic() - start >= 0.3, "Retry-After was not kept"
    assert json.loads((tmp_path / "log").read_text())["tries"] == 6


def test_an_endpoint_that_stays_away_stops_the_run_or_fails_the_question():
    with scripted(lambda k, body: (503, b"", {})) as endpoint:
        with pytest.raises(
            InputError, match=r"no answer after 2 tries: .*503.*run the same command again"
        ):
            ask(lmm(endpoint, tries=2))
        (prediction,) = ask(lmm(endpoint, tries=2, give_up="skip"))
        assert len(endpoint.requests) == 4
    assert prediction.status == "failed"
    assert "503" in prediction.reason
    with pytest.raises(InputError, match="Connection refused"):  # nobody listens there now
        ask(lmm(endpoint, tries=1))


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_stops_at_once_and_the_key_stays_hidden(status, monkeypatch):
    monkeypatch.setenv("MY_KEY", SECRET)
    with scripted(
        lambda k, body: (status, {"error": {"message": f"bad key\n{SECRET}"}}, {})
    ) as endpoint:
        with pytest.raises(
            InputError, match=rf"says {status}: bad key \*\*\*; check base_url"
        ) as error:
            ask(lmm(endpoint, key_env="MY_KEY"))
        assert len(endpoint.requests) == 1
    assert "\n" not in str(error.value)


def test_a_refused_question_fails_and_the_others_are_answered():
    def reply(number, body):
        return (
            (400, {"error": {"message": "content filter"}}, {})
            if ask_question(body) == 1
            else completion("1")
        )

    with scripted(reply) as endpoint:
        first, second, third = ask(lmm(endpoint), 3)
        assert len(endpoint.requests) == 3, "a refusal was not taken as one"
    assert (first.answer, second.status, third.answer) == ("1", "failed", "1")
    assert "400: content filter" in second.reason


def test_no_answer_in_a_response_is_an_abstention():
    replies = [
        completion("Sorry, I can't help."),
        completion("", "length"),
        completion(None, "content_filter"),
    ]
    with scripted(lambda k, body: replies[ask_question(body)]) as endpoint:
        predictions = ask(lmm(endpoint), 3)
    assert [p.status for p in predictions] == ["abstained"] * 3
    assert "cut off at max_tokens" in predictions[1].reason


def test_redirects_huge_and_slow_responses_are_refused(monkeypatch):
    with scripted(lambda k, body: completion("elsewhere")) as other:
        moved = {"Location": other.base_url + "/chat/completions"}
        with (
            scripted(lambda k, body: (307, b"", moved)) as endpoint,
            pytest.raises(InputError, match="redirects"),
        ):
            ask(lmm(endpoint))
        assert other.requests == []
    monkeypatch.setattr("po3d.systems.lmm_endpoint.LARGEST", 1000)
    with scripted(lambda k, body: completion("x" * 2000)) as endpoint:
        (prediction,) = ask(lmm(endpoint))
        assert "more than 1,000 bytes" in prediction.reason

    def late(number, body):
        time.sleep(0.5)
        return completion("1")

    with (
        scripted(late) as endpoint,
        pytest.raises(InputError, match=r"no answer after 1 tries: .*timed out"),
    ):
        ask(lmm(endpoint, tries=1, timeout=0.1))


def test_a_killed_run_asks_nothing_twice_that_was_answered(tmp_path):
    out, concurrency = tmp_path / "out", 3
    split = Pictures(8, 2)

    def reply(number, body):
        time.sleep(0.05)
        return completion(str(ask_question(body)), prompt_tokens=1)

    with scripted(reply) as endpoint:
        process = multiprocessing.get_context("fork").Process(
            target=run, args=(endpoint.base_url, out, concurrency)
        )
        process.start()
        log, deadline = out / "usage.jsonl", time.monotonic() + 60
        while time.monotonic() < deadline and not (
            log.exists() and log.read_bytes().count(b"\n") >= 5
        ):
            time.sleep(0.005)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL, "the run ended before it could be killed"
        assert not (out / PREDICTIONS).exists()
        answered = {json.loads(line)["id"] for line in log.read_text().splitlines()}
        assert 5 <= len(answered) < 16
        with open(log, "a") as file:
            file.write('{"id": "q15", "respo')  # torn
        time.sleep(0.1)  # what was under way comes in
        before = len(endpoint.requests)
        assert before - len(answered) <= concurrency
        predictions = run(endpoint.base_url, out, concurrency)
        again = [f"q{ask_question(body)}" for body in endpoint.requests[before:]]
    assert sorted(again) == sorted({q.id for q in split.questions} - answered)
    assert [p.answer for p in predictions] == [str(k) for k in range(16)]
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert sorted(r["id"] for r in records) == sorted(q.id for q in split.questions)


def run(base_url, out, concurrency):
    """One run, here or in a process that will be killed."""
    system = Lmm(
        "pulsecheck457", base_url, "m", log=Path(out) / "usage.jsonl", concurrency=concurrency
    )
    return predict(Pictures(8, 2), system, out, {})


def test_another_model_or_prompt_is_not_taken_from_the_log(tmp_path):
    with scripted(lambda k, body: completion(body["model"][-1])) as endpoint:
        for model, temperature, sent in (
            ("m1", 0, 1),
            ("m1", 0, 1),
            ("m2", 0, 2),
            ("m1", 0.5, 3),
            ("m1", 0, 3),
        ):
            system = Lmm(
                "pulsecheck457",
                endpoint.base_url,
                model,
                log=tmp_path / "log",
                temperature=temperature,
            )
            assert ask(system)[0].answer == model[-1]
            assert len(endpoint.requests) == sent


def test_the_first_failure_ends_the_waiting_of_the_others():
    came = threading.Event()

    def reply(number, body):
        if ask_question(body) == 0:
            came.set()
            return 503, b"", {"Retry-After": "50"}
        came.wait(10)
        return 401, b"", {}

    with scripted(reply) as endpoint:
        start, system = time.monotonic(), lmm(endpoint, concurrency=2)
        with pytest.raises(InputError, match="401"):
            ask(system, 2)
        system.pool.shutdown(wait=True)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"base_url": "localhost:8000"}, "should be a URL such as http://"),
        ({"base_url": "file:///etc/passwd"}, "should be a URL such as http://"),
        ({"base_url": "http://me:pass@host/v1"}, "base_url contains a password"),
        ({"key_env": "NO_SUCH_KEY_HERE"}, "NO_SUCH_KEY_HERE contains no API key"),
        ({"give_up": "never"}, "give_up='never' should be stop or skip"),
        ({"concurrency": 0}, "concurrency=0 should be a positive integer"),
        ({"tries": True}, "tries=True should be"),
        ({"timeout": 0}, "timeout=0 should be positive"),
    ],
)
def test_wrong_settings_are_one_line(settings, says):
    with pytest.raises(InputError, match=says) as error:
        Lmm(
            **{
                "benchmark": "pulsecheck457",
                "base_url": "http://127.0.0.1:1/v1",
                "model": "m",
                **settings,
            }
        )
    assert "pass@" not in str(error.value)


def test_a_log_that_is_no_log_is_refused(tmp_path):
    (tmp_path / "log").write_text("no\nlog\n")
    with pytest.raises(InputError, match=r"usage log .* line 1: not valid JSON"):
        Lmm("pulsecheck457", "http://127.0.0.1:1/v1", "m", log=tmp_path / "log")
