"""po3d serve under load, from outside: many at once, hostile requests, told to stop with requests
under way. `-s` prints figures, PO3D_ROUNDS=20 asks for longer.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from test_serve import ASKED, BAD, PICTURE, body, error_of, post, raw

from po3d.benchmarks.registry import opened
from po3d.io.images import read_image
from po3d.io.paths import MINI
from po3d.io.seeding import rng
from po3d.systems.prompts import data_uri, encode, messages, prompt

pytestmark = pytest.mark.slow
CLIENTS, ROUNDS = 32, int(os.environ.get("PO3D_ROUNDS", "6"))
MODELS = {
    "pulsecheck457": "po3d-pulsecheck457",
    "3dsrbench": "po3d-3dsrbench",
    "scope": "po3d-scope",
}
MAP = MINI / "hypo3d" / "2D_VLM_data" / "top_view_no_label_rotated" / "room_test_457_000000.jpg"


class Served:
    """The command, under way; what `test_serve` asks a server for."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "po3d", "serve", "--port", "0", *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.base_url = self.process.stdout.readline().rsplit(" at ", 1)[-1].strip()

    def memory(self):
        """Resident megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def stop(self):
        """Seconds from SIGTERM to the end, and the exit code."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20), time.monotonic() - start


@pytest.fixture(scope="module")
def served():
    """One server for all tests; the last of them ends it."""
    server = Served()
    yield server
    if server.process.poll() is None:
        server.process.kill()
    server.process.communicate()


def ask_question(model, content, **fields):
    return json.dumps(body(content, **fields) | {"model": model}).encode()


def display(pixels):
    return {"type": "image_url", "image_url": {"url": data_uri(encode(pixels), "png")}}


def requests():
    """Requests of all worlds; of rooms' maps and by the model that looks at the picture itself,
    too.
    """
    result = []
    for benchmark, model in MODELS.items():
        split = opened(benchmark).first(2)
        for q in list({(q.image, q.category): q for q in split.questions}.values())[:5]:
            pixels = [read_image(MINI / benchmark / "images" / n) for n in q.images] or [
                split.image(q.image)
            ]
            content = messages(prompt(benchmark, q), [data_uri(encode(p), "png") for p in pixels])[
                0
            ]["content"]
            result += [
                ask_question(name, content) for name in (model, "po3d")[: 1 + (len(pixels) == 1)]
            ]
    content = [display(read_image(MAP)), {"type": "text", "text": "How many beds are there?"}]
    return [*result, ask_question("po3d-hypo3d", content, po3d={"metres_per_pixel": 0.01})]


def test_many_at_once_get_the_answers_that_they_get_alone(served):
    supplied = requests()
    alone = [post(served, data)[1]["po3d"] for data in supplied]
    assert sum(reply["status"] == "ok" for reply in alone) > 0.8 * len(alone), alone
    start, before = time.monotonic(), served.memory()

    def client(number):
        right = 0
        for k in range(ROUNDS):
            which = (number + k) % len(supplied)
            for _ in range(50):
                status, answer, _ = post(served, supplied[which])
                if status != 503:
                    break
                time.sleep(0.1)
            right += status == 200 and answer["po3d"] == alone[which]
        return right

    with ThreadPoolExecutor(CLIENTS) as pool:
        right = sum(pool.map(client, range(CLIENTS)))
    took = time.monotonic() - start
    print(
        f"\n{right} of {CLIENTS * ROUNDS} right in {took:.1f} s; {before:.0f} to"
        f" {served.memory():.0f} MB"
    )
    assert right == CLIENTS * ROUNDS


def hostile(server):
    """(name, status, answer) of every kind of request that means no good."""
    head = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type:"
        b" application/json\r\n"
    )
    for name, (data, _, _) in BAD.items():
        sent = data if isinstance(data, bytes) else json.dumps(data).encode()
        yield name, *post(server, sent)[:2]
    bad = [
        ("po3d", 7),
        ("po3d", {"speed": 1}),
        ("po3d", {"focal": 0}),
        ("po3d", {"views": ["a"]}),
        ("po3d", {"change": [1]}),
    ]
    for field, value in bad:
        yield (
            f"{field}={value}",
            *post(server, json.dumps(body([PICTURE, ASKED], **{field: value})).encode())[:2],
        )
    noise = display(rng(1, "load").integers(0, 256, (1500, 1500, 3), dtype=np.uint8))
    yield "noise", *post(server, ask_question("po3d", [noise, ASKED]))[:2]
    yield (
        "a map without a scale",
        *post(server, ask_question("po3d-hypo3d", [display(read_image(MAP)), ASKED]))[:2],
    )
    yield "nine pictures", *post(server, ask_question("po3d-scope", [PICTURE] * 9 + [ASKED]))[:2]
    yield "angles missing", *post(server, ask_question("po3d-scope", [PICTURE, PICTURE, ASKED]))[:2]
    for name, sent in {
        "chunks": head + b"Transfer-Encoding: chunked\r\n\r\n",
        "a negative length": head + b"Content-Length: -5\r\n\r\n",
        "another host": b"GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "garbage": b"GARBAGE\r\n\r\n",
        "another site": head + b"Origin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}",
        "a long path": b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        "PUT": b"PUT /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "many headers": head + b"".join(b"X%d: 1\r\n" % k for k in range(200)) + b"\r\n",
    }.items():
        yield name, *raw(server, sent)


def test_hostile_requests_get_error_objects_and_memory_stays_flat(served):
    large = {"a large body"}  # of the tests' small server: this one takes it, and finds no JSON
    sizes, kinds = [], set()
    for _ in range(ROUNDS):
        for name, status, answer in hostile(served):
            assert 400 <= status < 500, (name, status, answer)
            error_of(answer)
            kinds.add(name)
        sizes.append(served.memory())
    print(
        f"\n{len(kinds)} kinds of hostile requests, megabytes after each round:"
        f" {[round(s) for s in sizes]}"
    )
    assert len(kinds - large) >= 30
    assert sizes[-1] < sizes[2] + 40
    assert post(served, requests()[0])[0] == 200


def test_reported_to_stop_it_finishes_or_refuses_what_is_under_way(served):
    post(served, requests()[0])
    pictures = [rng(k, "stop").integers(0, 256, (480, 640, 3), dtype=np.uint8) for k in range(24)]
    bodies = [ask_question("po3d-pulsecheck457", [display(pixels), ASKED]) for pixels in pictures]
    reply = []

    def client(data):
        with contextlib.suppress(OSError, urllib.error.URLError):
            reply.append(post(served, data)[:2])

    clients = [threading.Thread(target=client, args=(data,)) for data in bodies]
    for thread in clients:
        thread.start()
    while not reply:
        time.sleep(0.01)
    code, took = served.stop()
    for thread in clients:
        thread.join(10)
    codes = [status if status == 200 else answer["error"]["code"] for status, answer in reply]
    print(
        f"\nended {took:.2f} s after SIGTERM: {codes.count(200)} answered,"
        f" {codes.count('stopping')} refused of {len(pictures)}"
    )
    assert code == 0
    assert took < 2 or os.getloadavg()[0] > os.cpu_count()
    assert set(codes) <= {200, "stopping"}
    assert len(codes) == len(pictures)
