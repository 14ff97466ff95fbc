"""po3d serve, asked by OpenAI's own client, and by clients that mean no good."""

import contextlib
import io
import json
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing
from urllib.parse import urlsplit

import numpy as np
import openai
import pytest
from endpoints import Known, of_streets, picture, served, street
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from po3d.benchmarks.registry import opened
from po3d.evaluation.harness.serve import Limits
from po3d.systems import chat
from po3d.systems.answers import extract
from po3d.systems.build import build_pipeline
from po3d.systems.chat import MODELS, NAME, Refusal, questions_in, read_request
from po3d.systems.pipeline import Context
from po3d.systems.prompts import data_uri, encode, messages, prompt

PICTURE = {
    "type": "image_url",
    "image_url": {"url": data_uri(encode(np.asarray(picture(0))), "png")},
}
ASKED = {"type": "text", "text": "How many cars are there?"}


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return Known(street(tmp_path_factory.mktemp("street") / "release"))


@pytest.fixture
def server(known):
    with served(
        of_streets(known, known), Limits(body=200_000, seconds=5, idle=0.5, waiting=4)
    ) as server:
        yield server


def client(server, retries=0):
    return openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=retries, timeout=20)


def body(content, **fields):
    return {"model": NAME, "messages": [{"role": "user", "content": content}], **fields}


def post(server, data, **headers):
    """Status, JSON and headers of a POST of bytes."""
    headers = {
        "Content-Type": "application/json",
        **{k.replace("_", "-"): v for k, v in headers.items()},
    }
    request = urllib.request.Request(server.base_url + "/chat/completions", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, json.load(response), response.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error), error.headers


def works(server, known):
    """Whether a proper question is answered right."""
    q = known.questions[0]
    image = next(image for image, scene in known.scenes if scene.image == q.image)
    query = messages(prompt("pulsecheck457", q), [data_uri(encode(image), "png")])
    response = client(server).chat.completions.create(model=NAME, messages=query)
    return extract(response.choices[0].message.content).answer.lower() == q.answer.replace("_", " ")


def test_openais_client_lists_the_models_and_gets_answers(server, known):
    with client(server) as openai_client:
        assert [m.id for m in openai_client.models.list()] == list(MODELS)
        assert openai_client.models.retrieve(NAME).owned_by == "po3d"
    assert works(server, known)
    image, scene = known.scenes[0]
    q = next(q for q in known.questions if q.image == scene.image and q.answer in ("yes", "no"))
    content = [
        {"type": "text", "text": q.text},
        {"type": "image_url", "image_url": {"url": data_uri(encode(image), "png")}},
    ]
    response = client(server).chat.completions.create(
        model=f"{NAME}-{q.task}",
        messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": content}],
    )
    assert (
        response.choices[0].message.content == q.answer.capitalize()
    )  # nobody asked for a template
    assert response.choices[0].finish_reason == "stop"
    assert (
        response.usage.total_tokens
        == response.usage.prompt_tokens + response.usage.completion_tokens
        > 5
    )
    reply = response.model_extra["po3d"]
    assert (reply["status"], reply["answer"], reply["question"]) == ("ok", q.answer, q.text)
    assert reply["program"] == q.program


def test_the_words_or_the_model_say_whose_left_is_intended(known):
    q = next(q for q in known.questions if q.task == "6d")
    query = json.dumps(
        {
            "model": NAME,
            "messages": messages(prompt("pulsecheck457", q), [PICTURE["image_url"]["url"]]),
        }
    )
    assert read_request(query.encode()).task == "6d"
    for model, task in ((NAME, "2d"), (f"{NAME}-2d", "2d"), (f"{NAME}-6d", "6d")):
        assert (
            read_request(json.dumps(body([PICTURE, ASKED]) | {"model": model}).encode()).task
            == task
        )


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        (["How many cars?"], "How many cars?"),
        (["What is this?\nQuestion: How many cars?\nIs that clear?"], "How many cars?"),
        (["Look at it.", "How many cars? Answer with yes or no."], "How many cars?"),
        (["count the cars"], "count the cars"),
        (["a: is it red?\nHow many cars?"], "How many cars?"),
        ([" \n "], None),
    ],
)
def test_the_question_is_detected_in_a_message(texts, first):
    assert next(iter(questions_in(texts)), None) == first


def test_a_question_outside_the_language_is_answered_with_a_refusal(server, known):
    image = known.scenes[0][0]
    content = [
        {"type": "image_url", "image_url": {"url": data_uri(encode(image), "png")}},
        {"type": "text", "text": "Why?"},
    ]
    response = client(server).chat.completions.create(
        model=NAME, messages=[{"role": "user", "content": content}]
    )
    assert response.choices[0].message.content == "I cannot answer this: never heard"
    assert extract(response.choices[0].message.content) == (None, "refusal")


def bomb():
    """A small file that claims 10,000 x 10,000 pixels."""
    buffer = io.BytesIO()
    Image.new("1", (10_000, 10_000)).save(buffer, "PNG")
    return {"type": "image_url", "image_url": {"url": data_uri(buffer.getvalue(), "png")}}


def display(url):
    return body([ASKED, {"type": "image_url", "image_url": {"url": url}}])


BAD = {
    "no JSON": (b"{", 400, "the request body is not JSON"),
    "a list": (b"[]", 400, "should be an object"),
    "deep": (b"[" * 50_000, 400, "the request body is not JSON"),
    "not UTF-8": (b'{"model": "\xff"}', 400, "the request body is not JSON"),
    "no model": ({"messages": []}, 404, "unknown model null"),
    "another model": (
        body([PICTURE, ASKED]) | {"model": "gpt-4o"},
        404,
        'unknown model "gpt-4o"; known: po3d',
    ),
    "a model of another type": (body([PICTURE, ASKED]) | {"model": {"a": 1}}, 404, "unknown model"),
    "no messages": ({"model": NAME}, 400, "messages should be a list"),
    "no user": (
        {"model": NAME, "messages": [{"role": "system", "content": "?"}]},
        400,
        "contain a user message",
    ),
    "content of another type": (body(7), 400, "content should be"),
    "a part of another type": (
        body([{"type": "input_audio"}]),
        400,
        '"input_audio" is not supported',
    ),
    "no picture": (body("How many?"), 400, "needs one image; the last user message has 0"),
    "two pictures": (body([PICTURE, PICTURE, ASKED]), 400, "has 2"),
    "no text": (body([PICTURE]), 400, "contains no question"),
    "a link": (display("http://127.0.0.1/x.png"), 400, "URLs are not fetched"),
    "a file": (display("file:///etc/passwd"), 400, "URLs are not fetched"),
    "not valid base64": (display("data:image/png;base64,@@@"), 400, "not valid base64"),
    "empty": (display("data:image/png;base64,"), 400, "is empty"),
    "no picture in it": (
        display("data:image/png;base64,aGFsbG8="),
        400,
        "is not a PNG, JPEG or WEBP",
    ),
    "a bomb": (body([bomb(), ASKED]), 400, "100 megapixels; the limit is 16"),
    "streaming": (body([PICTURE, ASKED], stream=True), 400, "stream=true is not supported"),
    "several answers": (body([PICTURE, ASKED], n=2), 400, "n=2 is not supported"),
    "a long text": (
        body([PICTURE, {"type": "text", "text": "a" * 30_000}]),
        413,
        "more than 20,000 characters",
    ),
    "a lone surrogate": (
        body([PICTURE, {"type": "text", "text": "How many \ud800?"}]),
        400,
        "a lone surrogate",
    ),
    "half a pair in a change": (
        body([PICTURE, ASKED], po3d={"change": "\udfff"}),
        400,
        "a lone surrogate",
    ),
    "half a pair in a type": (body([{"type": "\ud800"}]), 400, "is not supported"),
    "a large body": (b" " * 300_000, 413, "300,000 bytes, more than the limit of 200,000"),
}


def error_of(answer):
    """The message of an error as OpenAI's clients read it: one line."""
    assert set(answer) == {"error"}
    assert {"message", "type", "param", "code"} == set(answer["error"])
    message = answer["error"]["message"]
    assert message
    assert "\n" not in message
    return message


def test_bad_input_gets_one_clear_json_error_and_the_server_goes_on(server, known):
    for name, (data, status, says) in BAD.items():
        got, answer, _ = post(
            server, data if isinstance(data, bytes) else json.dumps(data).encode()
        )
        assert (got, says in error_of(answer)) == (status, True), (name, answer)
    assert works(server, known)


def test_openais_client_raises_its_own_errors(server):
    with pytest.raises(openai.NotFoundError, match="unknown model"):
        client(server).chat.completions.create(**body([PICTURE, ASKED]) | {"model": "gpt-4o"})
    with pytest.raises(openai.BadRequestError, match="URLs are not fetched"):
        client(server).chat.completions.create(**display("http://x/y.png"))
    with pytest.raises(openai.NotFoundError, match="not found: POST"):
        client(server).embeddings.create(model=NAME, input="x")
    large = body([PICTURE, {"type": "text", "text": "a" * 5_000_000}])
    with pytest.raises(
        openai.APIStatusError, match="more than the limit of 200,000"
    ) as error:  # and no broken pipe
        client(server).chat.completions.create(**large)
    assert error.value.status_code == 413


def test_what_is_no_request_of_ours_is_refused(server):
    assert (
        post(server, b"{}", Content_Type="text/plain")[0] == 415
    )  # what a web page may send unasked
    for method, path, status in (
        ("GET", "/", 404),
        ("GET", "/v1/models/x", 404),
        ("PUT", "/v1/models", 405),
        ("OPTIONS", "/v1/chat/completions", 405),
    ):
        got, answer = raw(server, f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert got == status
        error_of(answer)
    start = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type:"
        b" application/json\r\n"
    )
    assert raw(server, start + b"Transfer-Encoding: chunked\r\n\r\n")[0] == 411
    status, answer = raw(server, start + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n")
    assert (status, error_of(answer)) == (413, "Content-Length has 5,000 digits")
    assert raw(server, start + b"Content-Length: -5\r\n\r\n")[0] == 411
    assert raw(server, b"GARBAGE\r\n\r\n")[0] == 400
    assert raw(server, b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n")[0] == 414


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "[::1",
        "127.0.0.1.evil.example",
    ],
)
def test_a_name_that_is_not_the_servers_own_is_refused(server, host):
    """A page whose name resolves to this machine would else read the answers."""
    got, answer = raw(server, f"GET /v1/models HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert got == 403
    assert "unknown host name" in error_of(answer)


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://evil.example", 403),
        ("null", 403),
        ("https://localhost:1", 403),
        ("http://localhost:1", 200),
    ],
)
def test_pages_of_other_sites_are_not_answered(server, origin, status):
    head = (
        f"GET /v1/models HTTP/1.1\r\nHost: localhost:1\r\nOrigin: {origin}\r\nConnection:"
        " close\r\n\r\n"
    )
    assert raw(server, head.encode())[0] == status


def test_a_name_can_be_provided_and_health_is_reported(known):
    with served(of_streets(known, known), Limits(idle=0.5), names=("po3d.lan",)) as server:
        end = "Connection: close\r\n\r\n"
        assert raw(server, f"GET /health HTTP/1.1\r\nHost: PO3D.lan:99\r\n{end}".encode()) == (
            200,
            {"status": "ok"},
        )
        with closing(connected(server)) as connection:
            connection.sendall(f"HEAD /health HTTP/1.1\r\nHost: [::1]:8\r\n{end}".encode())
            answer = connection.recv(65536) + connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"\r\n\r\n")


def test_a_head_that_comes_byte_by_byte_is_dropped(server):
    with closing(connected(server)) as slow:
        start = time.monotonic()
        with contextlib.suppress(OSError):
            for byte in b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200:
                slow.sendall(bytes([byte]))
                time.sleep(0.02)
        assert time.monotonic() - start < 3  # of 5 seconds that all of it would take
        with contextlib.suppress(OSError):
            assert slow.recv(100) == b""


def test_draining_waits_for_what_is_under_way_and_no_longer(known):
    stuck = Stuck(known)
    with served(of_streets(stuck, known), Limits(seconds=30)) as server:
        assert server.drained(0)
        assert server.drained(0)  # and gives back what it took
        asking = threading.Thread(
            target=post, args=(server, json.dumps(body([ASKED, PICTURE])).encode())
        )
        asking.start()
        assert stuck.came.wait(20)
        assert not server.drained(0.05)
        stuck.go.set()
        assert server.drained(20)
        asking.join(20)


def raw(server, data):
    """Status and JSON of what comes back for some bytes."""
    with closing(connected(server)) as connection:
        connection.sendall(data)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(content)


def connected(server):
    parts = urlsplit(server.base_url)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def test_slow_clients_are_sent_away_and_hold_up_nobody(server, known):
    with closing(connected(server)) as slow:
        slow.sendall(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type:"
            b" application/json\r\nContent-Length: 9\r\n\r\n{"
        )
        assert works(server, known)
        answer = b""
        while part := slow.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 408")
    assert "was not received within 0.5 seconds" in error_of(
        json.loads(answer.partition(b"\r\n\r\n")[2])
    )


class Stuck:
    """A perception that takes its time."""

    def __init__(self, known):
        self.known, self.go, self.came = known, threading.Event(), threading.Event()

    def estimate(self, images, names=None):
        self.came.set()
        self.go.wait(20)
        return self.known.estimate(images, names)


def test_too_many_requests_and_too_long_ones_are_sent_away(known):
    stuck = Stuck(known)
    image = known.scenes[0][0]
    query = json.dumps(display(data_uri(encode(image), "png"))).encode()
    with served(of_streets(stuck, known), Limits(seconds=0.4, waiting=1)) as server:
        first = []
        thread = threading.Thread(target=lambda: first.append(post(server, query)))
        thread.start()
        assert stuck.came.wait(10)
        status, answer, headers = post(server, query)
        assert (status, answer["error"]["code"], headers["Retry-After"]) == (503, "busy", "1")
        thread.join()
        ((status, answer, _),) = first
        assert (status, answer["error"]["code"]) == (503, "timeout")
        assert post(server, query)[1]["error"]["code"] == "busy", (
            "what is still worked on still counts"
        )
        stuck.go.set()
        deadline = time.monotonic() + 10
        while (
            post(server, query)[0] != 200 and time.monotonic() < deadline
        ):  # the client's own retries do the same
            time.sleep(0.02)
        assert works(server, known)


def test_a_fault_of_ours_is_an_error_and_the_server_goes_on(server, known, monkeypatch, capsys):
    monkeypatch.setattr(chat, "questions_in", lambda texts: 1 / 0)
    status, answer, _ = post(server, json.dumps(body([PICTURE, ASKED])).encode())
    assert (status, error_of(answer)) == (500, "internal error (ZeroDivisionError)")
    monkeypatch.undo()
    assert works(server, known)
    assert "ZeroDivisionError" in capsys.readouterr().err


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["user", "text", "image_url", NAME]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=3)
            | st.sampled_from(["role", "content", "type", "text", "image_url", "url"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(st.binary(max_size=200) | JSON.map(json.dumps).map(str.encode))
def test_no_body_does_anything_but_read_or_refuse(data):
    with pytest.raises(Refusal):
        read_request(data)


@given(JSON)
def test_no_message_does_anything_but_read_or_refuse(content):
    for value in (content, [content], [{"type": "image_url", "image_url": content}, content]):
        try:
            read_request(json.dumps(body(value)).encode())
        except Refusal as refusal:
            error_of(json.loads(json.dumps(refusal.as_json())))


@pytest.mark.slow
def test_the_command_serves_the_shipped_networks_on_this_machine_alone():
    """Started as users start it, asked with a real picture, told to stop; it says what the pipeline
    says.
    """
    command = [sys.executable, "-m", "po3d", "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        url = line.rsplit(" at ", 1)[-1].strip()
        assert urlsplit(url).hostname == "127.0.0.1", line or process.stderr.read()
        split = opened("pulsecheck457").first(1)
        questions = [q for q in split.questions if q.category == "L5-6D-Spatial"][:2]
        pixels = split.image(questions[0].image)
        local = build_pipeline("street", mode="marginal")
        expected = local.answer(questions, Context(lambda: pixels, lambda: None, ""))
        with openai.OpenAI(base_url=url, api_key="none", timeout=120) as query:
            for q, p in zip(questions, expected, strict=True):
                content = messages(prompt("pulsecheck457", q), [data_uri(encode(pixels), "png")])
                reply = query.chat.completions.create(model=NAME, messages=content).model_extra[
                    "po3d"
                ]
                assert (reply["status"], reply["answer"], reply["program"]) == (
                    p.status,
                    p.answer,
                    p.program,
                )
    finally:
        process.send_signal(signal.SIGTERM)
        start = time.monotonic()
        out, error = process.communicate(timeout=30)
    assert (out.strip(), error, process.returncode) == ("stopping", "", 0)
    assert time.monotonic() - start < 10  # 2 on an idle machine
