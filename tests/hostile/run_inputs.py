"""Families of inputs of a run: scenes from a file, settings, predictions, names that end in a page,
headers of arrays and tensors.
"""

import functools
import itertools
import json
import os
import struct
import tempfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from families import (
    WHERE,
    Hostile,
    _ask,
    _evaluate,
    _load,
    _trust,
    bomb,
    family,
    first,
    line,
    pair,
    room,
    street,
)
from photographs import _file
from spoiling import written

from po3d.cli import main as cli
from po3d.evaluation.run_report import read_run, write_page
from po3d.io.cli_errors import guarded
from po3d.io.config import check_wandb, compose
from po3d.perception.depth_files import read_depth
from po3d.systems.table_files import TableFile

HALF = "\ud800"  # of a character outside of Unicode's first plane
TAG = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def _scenes(content: bytes, suffix: str = ".jsonl") -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        path = folder / f"scenes{suffix}"
        path.write_bytes(content)
        return guarded(lambda: TableFile(path).source("street"))

    return run


@family("scenes from a file")
def scene_files() -> list[Hostile]:
    good = {**{k: v for k, v in street().items() if k != "occluders"}, "image": "a.jpg"}
    good["source"] = "predicted"
    nan = float("nan")
    records = {
        "an image twice": [good, good],
        "ground truth": [{**good, "source": "gt"}],
        "a position of NaN": [first(good, position=[nan, 0, 0])],
        "a heading of infinity": [first(good, heading_deg=float("inf"))],
        "an extent of NaN": [first(good, extent=[nan, 1, 1])],
        "a variance of NaN": [first(good, covariance=[[nan, 0, 0], [0, 1, 0], [0, 0, 1]])],
        "a probability of NaN": [first(good, beliefs={"color": {"red": nan}})],
        "a flip of NaN": [first(good, flip=nan)],
        "100,000 objects": [{"image": "a.jpg", "objects": [{}] * 100_000}],
        "objects of numbers": [{"image": "a.jpg", "objects": [1, 2]}],
        "beliefs of lists": [first(good, beliefs={"color": ["red"]})],
        "a word for a heading": [first(good, heading_deg="north")],
        "an image of half a character": [{**good, "image": 3}],
        "a camera of lists": [{**good, "camera": {"cam_R_world": [[]]}}],
        "a camera of NaN": [{**good, "camera": {**good["camera"], "focal": nan}}],
        "axes of words": [{**good, "axes": {"left": "west"}}],
        "no objects": [{"image": "a.jpg"}],
        "digits": [first(good, position=[10**400, 0, 0])],
    }
    built = [
        Hostile(name, _scenes(b"\n".join(written(r) for r in rows)))
        for name, rows in records.items()
    ]
    deep = b'{"image": "a.jpg", "objects": [{"beliefs": ' + b'{"a":' * 50_000 + b"\n"
    return [
        *built,
        Hostile("50,000 levels", _scenes(deep)),
        Hostile("50,000 levels of a list", _scenes(b"[" * 50_000, ".json")),
        Hostile("a folder", lambda folder: guarded(lambda: TableFile(folder))),
    ]


ODD_NAMES = (
    TAG,
    "</script><script>alert(1)//",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "=cmd|'/C calc'!A0",
    HALF,
    "\u202egnp.exe",
    "\x1b]0;title\x07",
    "a\u2028b",
    "{{7*7}}${7*7}",
    "\\input{/etc/passwd}",
    "x" * 100_000,
)


@family("names of objects", refused=False)
def names() -> list[Hostile]:
    plain = room()

    def table(name: str) -> bytes:
        return written(first(plain, beliefs={"name": {name: 1.0}}, name=name))

    def drawn(name: str) -> Callable[[Path], int]:
        def run(folder: Path) -> int:
            (folder / "a.json").write_bytes(table(name))
            return cli.main(
                ["ask", str(folder / "a.json"), WHERE, "--save", str(folder / "b.png"), "--json"]
            )

        return run

    built = []
    for name in ODD_NAMES:
        query = "What is to the left of the " + name.encode(errors="replace").decode()[:200] + "?"
        built.append(Hostile(f"asked of {name[:20]!r}", _ask(table(name), query)))
        built.append(Hostile(f"drawn, {name[:20]!r}", drawn(name)))
    return built


@functools.cache
def finished_run() -> dict[str, bytes]:
    """Return the files of a run on one room."""
    from evaluation.finished_runs import finished

    with tempfile.TemporaryDirectory() as folder:
        finished(Path(folder), "hypo3d", 1, keep=True)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


@family("names in a page of a run", refused=False)
def page_names() -> list[Hostile]:
    def run(change: Callable[[dict], dict], file: str) -> Callable[[Path], int]:
        def call(folder: Path) -> int:
            for name, content in finished_run().items():
                (folder / name).write_bytes(content)
            rows = [json.loads(row) for row in (folder / file).read_text().splitlines()]
            (folder / file).write_bytes(b"\n".join(written(change(row)) for row in rows) + b"\n")
            code = guarded(lambda: write_page(read_run(folder), folder))
            if (folder / "report.html").exists():
                page = (folder / "report.html").read_text(encoding="utf-8").lower()
                assert "<script>alert" not in page, "a name is part of the page's code"
                assert "<img src=x" not in page, "a name is part of the page"
            return code

        return call

    def named(names: Sequence[str]) -> Callable[[dict], dict]:
        def change(row: dict) -> dict:
            objects = [
                {**o, "beliefs": {"name": {name: 1.0}}, "name": name}
                for o, name in zip(row.get("objects", ()), itertools.cycle(names))
            ]
            return {**row, "objects": objects}

        return change

    tags = dict.fromkeys(("answer", "reason", "program"), TAG)
    return [
        Hostile("objects", run(named([n for n in ODD_NAMES if n != HALF]), "scenes.jsonl")),
        Hostile("half a character", run(named((HALF,)), "scenes.jsonl")),
        Hostile("tags in predictions", run(lambda row: {**row, **tags}, "predictions.jsonl")),
    ]


@family("predictions that repeat")
def repeated() -> list[Hostile]:
    good = line()
    rows = {
        "one id twice": [good, good],
        "one id twice, another answer": [good, {**good, "answer": "B"}],
        "one id 20,000 times": [good] * 20_000,
        "ids of no question": [{**good, "id": f"{k}"} for k in range(20_000)],
        "a tag as id": [{**good, "id": TAG}],
        "half a character as id": [{**good, "id": "\ud800"}],
    }
    return [Hostile(n, _trust(b"\n".join(map(written, r)) + b"\n")) for n, r in rows.items()]


LAUGHS = "a0: &a0 [x, x]\n" + "".join(
    f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]\n" for k in range(1, 9)
)
YAML = {
    "nine levels of aliases": LAUGHS,
    "an object of Python": "seed: !!python/object/apply:os.system ['true']\n",
    "itself": "seed: &a [*a]\n",
    "a key twice": "seed: 1\nseed: 2\n",
    "tabs": "seed:\n\t- 1\n",
    "a list": "- 1\n",
    "NUL": "seed: \0\n",
    "50,000 brackets": "seed: " + "[" * 50_000 + "\n",
    "half a text": "seed: 'x\n",
    "no UTF-8": "seed: \udcff\n",
}


@family("settings of a user, as YAML and on the command line")
def user_settings() -> list[Hostile]:
    def of_file(text: str) -> Callable[[Path], int]:
        def run(folder: Path) -> int:
            path = folder / "mine.yaml"
            path.write_bytes(("# @package _global_\n" + text).encode(errors="surrogateescape"))
            outside = os.path.relpath(folder / "mine", Path.cwd())
            return guarded(lambda: compose("evaluate", [f"+experiment={outside}"]))

        return run

    def of_option(*overrides: str) -> Callable[[Path], int]:
        return _evaluate("size=1", *overrides)

    overrides = (
        "out=${out}",
        "out=${oc.env:PATH_OF_NOBODY}",
        "out=${oc.decode:'${oc.decode:x}'}",
        "out=a\0b",
        "data.root=a\0b",
        "perception.checkpoint=a\0b",
        "perception.checkpoint=hf://../../etc",
        "out=" + "a" * 5000,
        "system=../../x",
        "benchmark=../../etc/passwd",
        "oracle=" + "[" * 3000 + "]" * 3000,
        "noise={heading: .nan}",
        "noise={heading: 1e309}",
        "+" + "a." * 2000 + "b=1",
        "seed=" + "9" * 5000,
        "perception.modules={pose: {_target_: os.nothing}}",
        "perception={_target_: 'po3d.io.files.nothing'}",
        "perception={_target_: '../../x'}",
        "hydra.run.dir=x",
        "compare_to=[a\0b]",
        "system=replay system.path=a\0b",
    )
    built = [Hostile(f"YAML, {name}", of_file(text)) for name, text in YAML.items()]
    return built + [Hostile(o[:60], of_option(*o.split(" "))) for o in overrides]


@family("settings of wandb")
def wandb_settings() -> list[Hostile]:
    values = (
        {"mode": "nonsense"},
        {"project": "a/b"},
        {"project": {"a": 1}},
        {"tags": 5},
        {"name": ["x"]},
        {"resume": "perhaps"},
        {"group": 3.5},
        {"dir": ["x"]},
        {"id": "a/b"},
        {"": 1},
        {"__class__": 1},
        {TAG: 1},
    )
    return [Hostile(str(v)[:40], lambda _, v=v: guarded(lambda: check_wandb(v))) for v in values]


def _npy(header: bytes, body: bytes = b"\0" * 4000, version: bytes = b"\x01\x00") -> bytes:
    text = header.ljust(117) + b"\n"
    length = struct.pack("<H" if version[0] == 1 else "<I", len(text) % 65536)
    return b"\x93NUMPY" + version + length + text + body


def _header(descr: str = "'<f8'", order: str = "False", shape: str = "(20, 20)") -> bytes:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()


@family("headers of arrays")
def array_headers() -> list[Hostile]:
    files = {
        "objects, as a pickle": _npy(_header("'|O'"), b"\x80\x04cos\nsystem\n(S'true'\ntR."),
        "a call": _npy(_header("__import__('os').system('true')")),
        "fields": _npy(_header("[('a', '<f8'), ('b', '<i8')]")),
        "texts": _npy(_header("'<U1000000'")),
        "times": _npy(_header("'<M8[s]'")),
        "complex": _npy(_header("'<c16'")),
        "a negative side": _npy(_header(shape="(-20, 20)")),
        "2**62 rows": _npy(_header(shape="(4611686018427387904, 20)")),
        "sides that overflow": _npy(_header(shape="(4294967296, 4294967296)")),
        "no rows": _npy(_header(shape="(0, 20)")),
        "32 dimensions": _npy(_header(shape="(1,) * 32")),
        "a side of a boolean": _npy(_header(shape="(True, 20)")),
        "a side of a float": _npy(_header(shape="(2.5, 20)")),
        "9,000 brackets": _npy(b"(" * 9000, version=b"\x02\x00"),
        "9,000 signs": _npy(b"{'descr': " + b"-" * 9000 + b"1}", version=b"\x02\x00"),
        "version 9": _npy(_header(), version=b"\x09\x09"),
        "version 3, no UTF-8": _npy(b"\xff\xfe", version=b"\x03\x00"),
        "a header of 4 GB": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{",
        "no header": b"\x93NUMPY\x01\x00\x00\x00",
        "nothing but NaN": _npy(_header(), np.full(400, np.nan).tobytes()),
        "infinite": _npy(_header(), np.full(400, np.inf).tobytes()),
    }
    built = [Hostile(n, _file("a.npy", read_depth)(content)) for n, content in files.items()]
    pictures = {
        "16 bits, 50,001 x 50,001": bomb(50_001, 50_001, 16),
        "16 bits, 2**31 x 1": bomb(2**31 - 1, 1, 16),
        "16 bits, 4,900 x 4,900, rows missing": bomb(4900, 4900, 16),
        "16 bits, 0 x 9": bomb(0, 9, 16),
        "16 bits, 200 MB of text": bomb(
            30, 20, 16, (b"zTXt", b"a\0\0" + zlib.compress(b"x" * 200_000_000, 1))
        ),
        "8 bits": bomb(30, 20),
    }
    return built + [Hostile(n, _file("a.png", read_depth)(c)) for n, c in pictures.items()]


@family("headers of tensors")
def tensor_headers() -> list[Hostile]:
    record, _ = pair()

    def tensors(header: object, body: int = 64) -> Callable[[Path], int]:
        text = header if isinstance(header, bytes) else written(header)
        return _load(record, struct.pack("<Q", len(text)) + text + b"\0" * body)

    def entry(begin: int, end: int, shape: object = (4, 4), dtype: object = "F32") -> dict:
        return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}

    twice = b'{"a": %s, "a": %s}' % (written(entry(0, 64)), written(entry(0, 64)))
    headers = {
        "a tensor twice": twice,
        "two tensors in one place": {"a": entry(0, 64), "b": entry(0, 64)},
        "a gap": {"a": entry(0, 4, (1,)), "b": entry(60, 64, (1,))},
        "an end before the begin": {"a": entry(64, 0)},
        "an end beyond the file": {"a": entry(0, 2**60, (2**58,))},
        "sides that overflow": {"a": entry(0, 64, (2**32, 2**32, 2**32))},
        "a negative side": {"a": entry(0, 64, (-4, -4))},
        "an unknown type": {"a": entry(0, 64, dtype="F7")},
        "a type of digits": {"a": entry(0, 64, dtype=32)},
        "metadata of lists": {"__metadata__": {"a": [1]}, "a": entry(0, 64)},
        "100,000 empty tensors": {str(k): entry(0, 0, (0,)) for k in range(100_000)},
        "a name of a million characters": {"a" * 10**6: entry(0, 64)},
        "a name to be obeyed": {"\x1b[2J": entry(0, 64)},
        "a name of half a character": b'{"\\ud800": %s}' % written(entry(0, 64)),
        "100,000 brackets": b"[" * 100_000,
        "a scale alone": {"a:scale": entry(0, 64)},
        "bits of words": {"a:many": entry(0, 60, (15,)), "a:scale": entry(60, 64, (1,))},
        "900 bits": {"a:900": entry(0, 60, (1, 60), "U8"), "a:scale": entry(60, 64, (1,))},
    }
    return [Hostile(name, tensors(header)) for name, header in headers.items()]


def right() -> list[Hostile]:
    """What these families spoil, as it was."""
    good = {**{k: v for k, v in street().items() if k != "occluders"}, "image": "a.jpg"}
    array = _npy(_header(), np.full(400, 2.0).tobytes())
    return [
        Hostile("scenes", _scenes(written({**good, "source": "predicted"}))),
        Hostile("an array", _file("a.npy", read_depth)(array)),
        Hostile("wandb", lambda _: guarded(lambda: check_wandb({"project": "a", "tags": ["x"]}))),
    ]
