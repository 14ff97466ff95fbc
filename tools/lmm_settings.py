"""A local endpoint that knows the answers of the shipped splits, and a run of every command in the
tables of docs/lmm.md against it.

    python -m tools.lmm_settings serve --port 8000           the endpoint alone
    python -m tools.lmm_settings run --size 2                every command of the tables
    python -m tools.lmm_settings programs --size 40          system=lmm_parser with correct programs

The endpoint is a check of commands, not a model: to `system=lmm_parser` it returns the gold program
of a question, to anything else the gold answer. A prompt that it does not know gets "A". `run`
replaces URL, NAME, RELEASE, ITEMS and RUN in the commands and writes below a temporary folder; the
raw annotations of 3DSRBench are made from the shipped split. Exit code 1 if a command fails.
"""

import argparse
import contextlib
import csv
import io
import json
import re
import runpy
import shlex
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image

from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.threedsrbench.data import MIRROR, split_qid
from po3d.benchmarks.threedsrbench.report import RELATIONS
from po3d.cli import main as cli
from po3d.io.cli_errors import guarded
from po3d.io.config import ROOT, run_hydra
from po3d.io.files import read_json, write_json
from po3d.io.run_names import row_name
from po3d.io.runs import REPORT
from po3d.language.programs.threedsrbench import parse_text
from po3d.reasoning.questions import Question
from po3d.systems.lmm_parser import english_question as english_text

MODEL = "replayed"
PAGE = ROOT / "docs" / "lmm.md"
_ROW_NUMBER = re.compile(r'"#\d+ ')  # a gold program names rows; a model names things


class Answers:
    """The gold programs and answers of the shipped splits, by prompt."""

    def __init__(self) -> None:
        self.programs: dict[str, str] = {}
        self.answers: dict[str, str] = {}
        for name in BENCHMARKS:
            for question in opened(name).questions:
                self.programs.setdefault(english_text(question), _program(question))
                self.answers.setdefault(question.text, BENCHMARKS[name].written(question.answer))
        self.longest_first = sorted(self.answers, key=len, reverse=True)

    def reply(self, body: Mapping) -> str:
        """Return the response to a request."""
        content = body["messages"][0]["content"]
        texts = [part["text"] for part in content if part["type"] == "text"]
        if texts and texts[-1] in self.programs:
            return self.programs[texts[-1]]
        text = "\n".join(texts)
        return next((self.answers[known] for known in self.longest_first if known in text), "A")


def _program(question: Question) -> str:
    """Return the response that writes a question's gold programs, things by name."""
    lines = [f"change: {question.change_program}"] if question.change else []
    return "\n".join([*lines, f"program: {_ROW_NUMBER.sub(chr(34), question.program)}"])


def server(port: int) -> ThreadingHTTPServer:
    """Return the endpoint, listening on localhost; port 0 is a free one."""
    known = Answers()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", "content": known.reply(body)}
            usage = {"prompt_tokens": 1, "completion_tokens": 1}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            data = json.dumps({"choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            """Write no log."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


@contextmanager
def running() -> Iterator[str]:
    """Run the endpoint in a thread and yield its base URL."""
    endpoint = server(0)
    thread = threading.Thread(target=endpoint.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{endpoint.server_address[1]}/v1"
    finally:
        endpoint.shutdown()
        endpoint.server_close()
        thread.join()


def commands(page: Path = PAGE) -> list[str]:
    """Return the commands in the tables of a page, in order and once each."""
    result: dict[str, None] = {}
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            *_, command, _, _ = ["", "", "", *line.split("|")]
            if match := re.fullmatch(r"`((?:python evaluate\.py|po3d) [^`]+)`", command.strip()):
                result[match[1]] = None
    return list(result)


def raw_annotations(folder: Path) -> Path:
    """Write some annotations of the shipped 3DSRBench split as the release's raw CSV, with their
    images, and return the CSV."""
    relations = {op: name for name, op in RELATIONS.items()}
    folder.mkdir(parents=True)
    split, rows = opened("3dsrbench", None, 2), []
    for question in split.questions:
        if "-" in question.id:
            continue
        program = parse_text(question.program)
        things = [re.sub(r"^#\d+ ", "", thing) for thing in program.things]
        name = f"{question.image.replace('/', '_')}.png"
        if not (folder / name).is_file():
            Image.fromarray(split.image(question.image)).save(folder / name)
        relation = relations.get(program.op)
        if relation is None or question.answer is None:
            continue
        cells = {"qid": question.id, "image": f"http://images/{name}", "relation": relation}
        cells["qtype"] = question.category.removesuffix("_" + relation.replace(" ", "_"))
        cells |= dict(zip(("subject", "object1", "object2"), things))
        rows.append(cells | {"answer": question.answer})
    path = folder / "3dsrbench_v1.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        columns = ("qid", "image", "qtype", "relation", "subject", "object1", "object2", "answer")
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def released_table(folder: Path) -> None:
    """Write rows of the shipped 3DSRBench split as the release's parquet: originals and flips,
    without rotations."""
    import pyarrow
    import pyarrow.parquet

    folder.mkdir(parents=True)
    split, rows, places = opened("3dsrbench", None, 2), [], {}
    for question in split.questions:
        if split_qid(question.id)[2]:
            continue
        name = question.image.removesuffix(MIRROR)
        if name not in places:
            places[name] = f"{len(places)}.png"
            Image.fromarray(split.image(name)).save(folder / places[name])
        cells = {
            "index": question.id,
            "question": question.text,
            "image_url": f"http://images/{places[name]}",
        }
        cells |= dict(zip("ABCD", [*question.options, "", ""]))
        rows.append(
            cells
            | {"answer": question.letter, "category": question.category, "image_source": "twin"}
        )
    path = folder / "3dsrbench_v1-00000-of-00001.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def result_file(path: Path) -> None:
    """Write a result file in the layout of Hypo3D's repository, with the gold answers."""
    content = read_json(BENCHMARKS["hypo3d"].mini / "contextvqa.json", "questions")
    for changes in content.values():
        for change in changes:
            for record in change["questions_answers"]:
                record["predicted_answer"] = record["answer"]
    write_json(path, content)


def run_one(command: str, size: int | None, folder: Path, url: str) -> tuple[int, str]:
    """Run a command of the page in this process; return its exit code and the row of its report."""
    places = {"URL": url, "NAME": MODEL, "RELEASE": "release", "ITEMS": "items", "RUN": "run"}
    own = "out=" in command
    words = [
        re.sub(r"\b(URL|NAME)\b", lambda m: places[m[1]], word) for word in shlex.split(command)
    ]
    words = [
        re.sub(r"^(.*=)?(RELEASE|ITEMS|RUN)\b", lambda m: f"{m[1] or ''}{folder / places[m[2]]}", w)
        for w in words
    ]
    if words[0] == "po3d":
        if words[1] == "export" and size is not None:
            words += ["--size", str(size)]
        with contextlib.redirect_stdout(io.StringIO()):
            return cli.main(words[1:]), ""
    out = folder / ("run" if own else "out")
    shutil.rmtree(out, ignore_errors=True)
    words = [w for w in words[2:] if not w.startswith("out=")] + [f"out={out}"]
    if size is not None:
        words.append(f"size={size}")
        if {"system=random", "system=frequency"} & set(words):
            words.append(f"system.training.size={size}")
    script = runpy.run_path(str(ROOT / "evaluate.py"), run_name="evaluate")
    with contextlib.redirect_stdout(io.StringIO()):
        code = run_hydra(script["main"], "evaluate", "", words)
    report = read_json(out / REPORT, "report") if code == 0 and (out / REPORT).is_file() else {}
    if not report:
        return code, ""
    first = report["rows"][0]
    value = "-" if first["value"] is None else f"{first['value']:.1f}"
    return code, f"{row_name(report)}: {first['name']} {value}, n = {first['n']}"


def run(size: int | None, only: str) -> int:
    """Run the commands of the page that contain `only`; return the number of failures."""
    failed = 0
    with tempfile.TemporaryDirectory() as name, running() as url:
        folder = Path(name)
        raw_annotations(folder / "release" / "raw")
        released_table(folder / "release" / "parquet")
        result_file(folder / "release" / "contextvqa_MODEL.json")
        _pose_items(folder / "items")
        for command in commands():
            if only not in command:
                continue
            start = time.monotonic()
            try:
                code, row = run_one(command, size, folder, url)
            except SystemExit as error:
                code, row = int(error.code or 0), ""
            failed += code != 0
            print(
                f"{'ran' if code == 0 else f'FAILED ({code})'} {time.monotonic() - start:.0f} s |"
                f" {command} | {row}"
            )
            sys.stdout.flush()
    return failed


def _pose_items(folder: Path) -> None:
    """Make items of L4-Pose-Real from a picture with one posed chair."""
    pictures = folder.parent / "pictures"
    pictures.mkdir()
    Image.new("RGB", (640, 480), (120, 120, 120)).save(pictures / "chair.jpg")
    thing = {"category": "chair", "rotation": [[1, 0, 0], [0, -1, 0], [0, 0, -1]]}
    thing |= {"translation": [0, 0.3, 3], "scale": [0.5, 0.8, 0.5]}
    camera = [[500, 0, 320], [0, 500, 240], [0, 0, 1]]
    write_json(pictures / "chair.json", {"K": camera, "objects": [thing]})
    cli.main(["pose-real", "make", str(pictures), str(folder)])


def programs(size: int | None) -> int:
    """Run system=lmm_parser on true tables for every benchmark; return the number of those below
    100.0."""
    below = 0
    with tempfile.TemporaryDirectory() as name, running() as url:
        for benchmark in BENCHMARKS:
            command = f"python evaluate.py benchmark={benchmark} system=lmm_parser"
            command += " system.scenes=ground_truth"
            command += f" system.base_url={url} system.model={MODEL} system.concurrency=1"
            start = time.monotonic()
            code, row = run_one(command, size, Path(name), url)
            report = read_json(Path(name) / "out" / REPORT, "report")
            values = {r["value"] for r in report["rows"] if r["n"]}
            below += code != 0 or values != {100.0}
            counts = report["programs"]
            print(
                f"{benchmark} | {row} | lowest {min(values):.1f} | {counts} |"
                f" {time.monotonic() - start:.0f} s"
            )
            sys.stdout.flush()
    return below


def main(arguments: list[str]) -> int:
    """Run the tool and return its exit code."""
    parser = argparse.ArgumentParser("lmm_settings", description=__doc__.split("\n\n")[0])
    works = parser.add_subparsers(required=True, dest="work")
    works.add_parser("serve").add_argument("--port", type=int, default=8000)
    for name in ("run", "programs"):
        works.add_parser(name).add_argument("--size", type=int)
    works.choices["run"].add_argument("--only", default="", help="commands that contain this text")
    options = parser.parse_args(arguments)
    if options.work == "serve":
        server(options.port).serve_forever()
    if options.work == "programs":
        return programs(options.size) > 0
    return run(options.size, options.only) > 0


if __name__ == "__main__":
    failed = False

    def command() -> None:
        global failed
        failed = bool(main(sys.argv[1:]))

    sys.exit(guarded(command) or failed)
