"""Endpoints over real HTTP: po3d's own server on networks that know everything, and one that does
as it is told; and small releases to ask them about.
"""

import json
import shutil
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.benchmarks.registry import opened
from po3d.evaluation.harness.serve import Limits, Server
from po3d.io.images import read_image
from po3d.io.paths import MINI as DATA
from po3d.io.seeding import rng
from po3d.language.programs.street import parse_text
from po3d.language.read.parse import Parse
from po3d.reasoning.questions import Question
from po3d.scene.table import Scene
from po3d.systems.chat import DomainPipelines
from po3d.systems.pipeline import Pipeline
from po3d.systems.scene_sources import Pictures
from po3d.systems.street import DOMAIN, question_parser

DEFAULTS = Limits()


def picture(k: int, size: tuple[int, int] = (12, 16)) -> Image.Image:
    """A picture like no other."""
    return Image.fromarray(rng(3, "picture", k).integers(0, 256, (*size, 3), dtype=np.uint8))


def street(root: Path, images: int = 2, every: int = 4) -> Path:
    """Some images of the mini split, with every so many-th question, as a release of its own; noise
    for pictures.
    """
    (root / "questions").mkdir(parents=True)
    (root / "images").mkdir()
    retained = {q.image for q in opened("pulsecheck457").first(images).questions}
    for path in (pulsecheck457.MINI / "questions").glob("*.json"):
        records = [
            r for r in json.loads(path.read_text())["questions"] if r["image_filename"] in retained
        ]
        (root / "questions" / path.name).write_text(json.dumps({"questions": records[::every]}))
    for k, name in enumerate(sorted(retained)):
        picture(k).save(root / "images" / f"{name.rsplit('.', 1)[0]}.png")
    return root


def room(root: Path) -> Path:
    """One room of the mini split with a picture and eight questions."""
    shutil.copytree(DATA / "hypo3d", root, ignore=shutil.ignore_patterns("2D_VLM_data"))
    content = json.loads((root / "contextvqa.json").read_text())
    scene = min(content)
    changes = [c | {"questions_answers": c["questions_answers"][:2]} for c in content[scene][:4]]
    (root / "contextvqa.json").write_text(json.dumps({scene: changes}))
    folder = root / "2D_VLM_data" / "top_view_no_label_rotated"
    folder.mkdir(parents=True)
    picture(5).save(folder / f"{scene}.png")
    return root


def orbit(root: Path) -> Path:
    """Questions on one and on four images, and random pictures for them."""
    (root / "images").mkdir(parents=True)
    options = ["left", "right", "front", "behind"]
    which = ["First Image", "Second Image", "Third Image", "Fourth Image"]
    views = [f"s_{angle:03d}.png" for angle in (0, 90, 180, 270)]
    for k, name in enumerate(views):
        picture(k).save(root / "images" / name)
    items = [
        {
            "id": f"s/ego/{k}",
            "scene": "s",
            "task": "consistency_ego",
            "images": [view],
            "view": 90 * k,
            "question": "From the camera's perspective, where is the cup relative to the lamp?",
            "options": options,
            "answer": "ABCD"[k],
        }
        for k, view in enumerate(views)
    ]
    items += [
        {
            "id": f"s/int/{word}",
            "scene": "s",
            "task": "integration_ego",
            "images": views,
            "view": [0, 90, 180, 270],
            "question": (
                f"From the camera's perspective, a cup is to the {word} of a lamp. At which scene"
                " is it true?"
            ),
            "options": which,
            "answer": "C",
        }
        for word in ("left", "right")
    ]
    (root / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    return root


class Known:
    """Perception and parser that know a street release by heart, and nothing else."""

    def __init__(self, root: Path) -> None:
        mini, split = opened("pulsecheck457"), opened("pulsecheck457", root)
        self.questions: tuple[Question, ...] = split.questions
        self.scenes: list[tuple[np.ndarray, Scene]] = [
            (read_image(root / "images" / f"{name.rsplit('.', 1)[0]}.png"), mini.truth(name))
            for name in dict.fromkeys(q.image for q in split.questions)
        ]
        self.programs = {q.text: parse_text(q.program) for q in split.questions}
        self.looks = 0

    def estimate(self, images, names=None):
        self.looks += len(images)
        return [
            replace(scene, source="predicted")
            for image in images
            for known, scene in self.scenes
            if np.array_equal(known, image)
        ]

    def parse(self, texts):
        unknown = Parse("unparsed", None, 0.0, "never heard")
        return [Parse("ok", self.programs[t]) if t in self.programs else unknown for t in texts]


def of_streets(sees, reads) -> Pipeline:
    """The pipeline of streets with these for estimator and parser."""
    return Pipeline(Pictures(sees), question_parser(reads), DOMAIN)


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    """The server, in a thread of its own."""
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def served(
    pipeline: Pipeline, limits: Limits = DEFAULTS, workers: int = 1, names: Collection[str] = ()
) -> Iterator[Server]:
    """`po3d serve` with a given pipeline of streets, on a free port."""
    server = Server(
        ("127.0.0.1", 0), DomainPipelines({"street": lambda: pipeline}), limits, workers, names
    )
    with running(server):
        yield server


def completion(text: object, finish: str = "stop", **usage: int) -> dict:
    """A chat completion that says `text`."""
    return {
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": usage,
    }


@dataclass
class Scripted:
    """An endpoint whose answer to each request is worked out by `reply(number of the request, its
    body)`: a completion, (status, body as JSON or bytes, headers), or None to hang up.
    """

    reply: Callable[[int, dict], Any]
    requests: list[dict] = field(default_factory=list)
    headers: list[dict] = field(default_factory=list)
    base_url: str = ""


@contextmanager
def scripted(reply: Callable[[int, dict], Any]) -> Iterator[Scripted]:
    """A Scripted endpoint under way."""
    endpoint, lock = Scripted(reply), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(endpoint.requests)
                endpoint.requests.append(body)
                endpoint.headers.append(
                    {k.lower(): v for k, v in self.headers.items()} | {"path": self.path}
                )
            answer = endpoint.reply(number, body)
            if answer is None:
                self.close_connection = True
                return
            status, value, headers = answer if isinstance(answer, tuple) else (200, answer, {})
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            try:
                self.send_response(status)
                for name, header in {"Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, header)
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                pass  # the client has given up

        def log_message(self, *arguments):
            pass

    class Endpoint(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    server = Endpoint(("127.0.0.1", 0), Handler)
    endpoint.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    with running(server):
        yield endpoint
