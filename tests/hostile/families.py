"""Families of hostile inputs. Each is a list of (what it is, what is done with it): a call of one
of the library's own entry points, whose exit code comes back. Where a family's name is in REFUSED,
every input has to end with exit code 2.
A long file, because it is a list.
"""

import functools
import importlib.util
import io
import json
import random
import shutil
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from generators import random_scene
from hypothesis import strategies as st
from PIL import Image
from safetensors.torch import save as tensors_as_bytes
from spoiling import drawn, spoiled, written
from study_room import study
from untrained import untrained_parser

from po3d.cli import main as cli
from po3d.io import checkpoint_schemas, scene_schemas, schemas, settings_schemas
from po3d.io.cli_errors import guarded
from po3d.io.config import ROOT, compose, run_hydra
from po3d.io.files import sha256
from po3d.io.seeding import rng
from po3d.language.read.street_parser import Parser
from po3d.scene.table import to_json

MINI = ROOT / "data" / "mini"
ASKED, WHERE = "How many cars are there?", "How many chairs are there?"


class Hostile(NamedTuple):
    """One input: what it is, and the call that reads it; the folder is its own."""

    name: str
    run: Callable[[Path], int]


FAMILIES: dict[str, Callable[[], list[Hostile]]] = {}
REFUSED: set[str] = set()


def family(name: str, refused: bool = True):
    def register(make: Callable[[], list[Hostile]]) -> Callable[[], list[Hostile]]:
        FAMILIES[name] = make
        REFUSED.update({name} if refused else ())
        return make

    return register


def _ask(
    content: bytes, question: str = ASKED, suffix: str = ".json", *more: str
) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        path = folder / f"input{suffix}"
        path.write_bytes(content)
        return cli.main(["ask", str(path), question, *more])

    return run


def _tables(records: list[tuple[str, object]], question: str = ASKED) -> list[Hostile]:
    return [Hostile(name, _ask(written(record), question)) for name, record in records]


@functools.cache
def street() -> dict:
    scene = random_scene(rng(5, "hostile", 0), 4, certain=False)
    record = json.loads(json.dumps(to_json(scene)))
    view = random_camera()
    return {
        **record,
        "camera": view,
        "objects": [{**o, "box": [1.0, 2.0, 30.0, 40.0]} for o in record["objects"]],
    }


def random_camera() -> dict:
    return {
        "width": 640,
        "height": 480,
        "focal": 700.0,
        "center": [320.0, 240.0],
        "cam_R_world": [[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]],
        "cam_t_world": [0.0, 0.0, 10.0],
    }


@functools.cache
def room() -> dict:
    return json.loads(json.dumps(to_json(study())))


def first(record: dict, **changes: object) -> dict:
    """The table with another first object."""
    head, *others = record["objects"]
    return {**record, "objects": [{**head, **changes}, *others]}


ZERO = [[0.0] * 3 for _ in range(3)]
VARIANCES = {
    "negative": [[-1.0, 0, 0], [0, 1, 0], [0, 0, 1]],
    "not symmetric": [[1, 0.5, 0], [-0.5, 1, 0], [0, 0, 1]],
    "indefinite": [[1, 2, 0], [2, 1, 0], [0, 0, 1]],
    "ragged": [[1, 0, 0], [0, 1], [0, 0, 1]],
    "two rows": [[1, 0, 0], [0, 1, 0]],
}
SIDES = {"left": [-1.0, 0.0], "right": [1.0, 0.0], "front": [0.0, -1.0], "behind": [0.0, 1.0]}


@family("scene tables of streets, a field spoiled")
def street_fields() -> list[Hostile]:
    return _tables(spoiled(scene_schemas.SceneTable, street(), 60))


@family("scene tables of streets, impossible")
def street_tables() -> list[Hostile]:
    s, n = street(), len(street()["objects"])
    deep: object = 1
    for _ in range(190):
        deep = [deep]
    tables = [
        ("existence -1", first(s, existence=-1)),
        ("existence 2", first(s, existence=2)),
        ("flip 5", first(s, flip=5)),
        *((f"covariance {name}", first(s, covariance=rows)) for name, rows in VARIANCES.items()),
        ("extent 0", first(s, extent=[0, 0, 0])),
        ("extent negative", first(s, extent=[1, -1, 1])),
        ("position 1e308", first(s, position=[1e308, 0, 0])),
        ("beliefs sum to 0.4", first(s, beliefs={"color": {"red": 0.4}})),
        ("belief of nothing", first(s, beliefs={"color": {}})),
        ("box turned over", first(s, box=[10, 10, 0, 0])),
        ("occluder is itself", {**s, "occluders": [{"0": 1.0}] + [{}] * (n - 1)}),
        ("occluder -3", {**s, "occluders": [{"-3": 1.0}] + [{}] * (n - 1)}),
        ("occluder 99", {**s, "occluders": [{"99": 1.0}] + [{}] * (n - 1)}),
        ("occluder is a word", {**s, "occluders": [{"bus": 1.0}] + [{}] * (n - 1)}),
        ("occluders sum to 2", {**s, "occluders": [{"1": 1.0, "2": 1.0}] + [{}] * (n - 1)}),
        ("too few occluders", {**s, "occluders": []}),
        ("axes of length 0", {**s, "axes": {**SIDES, "left": [0.0, 0.0], "right": [0.0, 0.0]}}),
        ("left is right", {**s, "axes": {**SIDES, "left": [1.0, 0.0]}}),
        ("left is front", {**s, "axes": {**SIDES, "front": [-1.0, 0.0], "behind": [1.0, 0.0]}}),
        ("three axes", {**s, "axes": {k: v for k, v in SIDES.items() if k != "left"}}),
        ("a camera of words", {**s, "camera": dict.fromkeys(s["camera"], "wide")}),
        (
            "a camera that is a matrix of zeros",
            {**s, "camera": {**s["camera"], "cam_R_world": ZERO}},
        ),
        (
            "a mirrored camera",
            {**s, "camera": {**s["camera"], "cam_R_world": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]}},
        ),
        ("10,000 objects", {**s, "objects": s["objects"][:1] * 10_000, "occluders": None}),
        ("objects 190 deep", {**s, "objects": deep}),
        ("another format", {**s, "format": "po3d-scene-99"}),
    ]
    return _tables(tables)


@family("JSON texts")
def texts() -> list[Hostile]:
    good = written(street())
    raw = [
        b"",
        b" ",
        b"{",
        b"[]",
        b"null",
        b"3",
        b'"text"',
        good[:-40],
        good + b"}",
        good[: len(good) // 2],
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"objects":' + b"[" * 5000,
        good.replace(b"2.0", b"9" * 5000, 1),
        good.replace(b'"flip":', b'"flip": 1' + b"0" * 400 + b', "x":', 1),
        b"\0" * 100,
        good.decode().encode("utf-16-le"),
        good.decode().encode("utf-32"),
        b"\xff\xfe" + good,
        good[:100] + b"\xe9" + good[100:],
        b'{"format": "po3d-scene-1", "objects": NaN}',
        b'{"format": "\\ud800"}',
        b"{'objects': []}",
        b'{"objects": [], "objects": 5}',
        b'{"scenes": []}',
        b'{"scenes": {"objects": 1}}',
        b'{"objects": {}}',
        b"\x1b[2J" + good,
        b'{"\\u001b[2J": 1, "objects": "\\u009b2J"}',
    ]
    return [Hostile(repr(content[:30]), _ask(content)) for content in raw]


@family("scene tables of rooms, a field spoiled")
def room_fields() -> list[Hostile]:
    return _tables(spoiled(scene_schemas.SceneTable, room(), 30), WHERE)


@family("scene tables of rooms, impossible")
def room_tables() -> list[Hostile]:
    r = room()
    outlines = {
        "two points": [[0, 0], [4, 0]],
        "no points": [],
        "NaN": [[0, 0], [float("nan"), 0], [1, 1]],
        "crossing": [[0, 0], [4, 4], [4, 0], [0, 4]],
        "a line": [[0, 0], [2, 0], [4, 0]],
        "one point thrice": [[1, 1]] * 3,
        "three numbers a corner": [[0, 0, 0], [4, 0, 0], [4, 4, 0]],
        "words": ["a", "b", "c"],
        "spike": [[0, 0], [4, 0], [4, 4], [9, 9], [4, 4], [0, 4]],
        "1e300": [[0, 0], [1e300, 0], [1e300, 1e300]],
        "10,000 corners": [[k, k * k % 7] for k in range(10_000)],
    }
    tables = [(f"outline: {name}", {**r, "outline": corners}) for name, corners in outlines.items()]
    tables += [
        ("a box of size zero", first(r, extent=[0, 0, 0])),
        ("600 things", {**r, "objects": r["objects"] * 120}),
    ]
    return _tables(tables, WHERE)


VEHICLES = {
    "image_filename": "a.png",
    "matrix_world": [
        [0.0, 0.0, 1.0, 7.0],
        [1.0, 0.0, 0.0, -6.0],
        [0.0, 1.0, 0.0, 5.0],
        [0.0, 0.0, 0.0, 1.0],
    ],
    "occlusion": {"0": {"obj": [1, "", "True", "1"]}, "1": {"obj": [0, "", "False"]}},
    "objects": [
        {
            "shape": "sedan",
            "size": "large",
            "color": "red",
            "material": "metal",
            "rotation": 20.0,
            "3d_coords": [1.0, -1.0, 0.4],
            "pixel_coords": [[338, 226, 11.1], [640, 480]],
        },
        {
            "shape": "road",
            "size": "small",
            "color": "gray",
            "material": "rubber",
            "rotation": 90.0,
            "3d_coords": [-1.0, 2.0, 0.4],
            "pixel_coords": [[138, 126, 12.1], [640, 480]],
        },
    ],
}


@family("Super-CLEVR scenes")
def vehicles() -> list[Hostile]:
    v = VEHICLES
    hidden = lambda *entry: {**v, "occlusion": {"0": {"obj": list(entry)}}}  # noqa: E731
    tables = [
        *spoiled(scene_schemas.VehicleScene, v, 25),
        ("unknown shape", first(v, shape="\x1b[2Jtank")),
        ("unknown size", first(v, size="huge")),
        ("hidden by itself", hidden(1, "", "True", "0")),
        ("hidden by the 99th", hidden(1, "", "True", "99")),
        ("hidden by a word", hidden(1, "", "True", "bus")),
        ("hidden by infinity", hidden(1, "", "True", float("inf"))),
        ("one box for two", {**v, "po3d": {"boxes": [[0, 0, 1, 1]]}}),
        ("a camera of zeros", {**v, "matrix_world": [[0.0] * 4] * 4}),
    ]
    return _tables(tables)


ODD_TEXTS = (
    "",
    " ",
    "?",
    "🚗" * 50,
    "‮rac der eht si erehw",
    "a" * 2000,
    "b" * 100_000,
    "car " * 5000,
    "\x1b[2J",
    "\x9b2J",
    "\t\n\r",
    "How many \x07 cars?",
    "ｃａｒｓ?",
    "How many cars are there\0?",
    "count(scene)",
    "'; DROP TABLE cars; --",
    "{}" * 40,
    "How many " + "red " * 200 + "cars?",
    "Is the car left of " * 30,
    "¿Cuántos coches hay?",
    "%s%n" * 30,
    "\ud800",
)


@family("questions", refused=False)
def questions() -> list[Hostile]:
    built = drawn(st.text(st.characters(exclude_categories=("Cs",)), max_size=60), 18)
    plain = {k: v for k, v in street().items() if k != "camera"}
    return [Hostile(repr(text[:30]), _ask(written(plain), text)) for text in (*ODD_TEXTS, *built)]


@family("frames and changes", refused=False)
def changes() -> list[Hostile]:
    built = drawn(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=60), 8)
    real = [
        "The bed has been removed.",
        "The bed has been moved to the moon.",
        "The bed is now the bed.",
        "The desk has been moved under itself.",
        "Everything has been removed.",
        "The wall is gone.",
    ]
    texts = [*ODD_TEXTS[1:12], *built]
    frames = [
        Hostile(f"frame {t[:30]!r}", _ask(written(room()), WHERE, ".json", f"--frame={t}"))
        for t in texts
    ]
    edits = [
        Hostile(f"change {t[:30]!r}", _ask(written(room()), WHERE, ".json", f"--change={t}"))
        for t in texts + real
    ]
    return frames + edits


@functools.cache
def evaluate_script():
    spec = importlib.util.spec_from_file_location("evaluate", ROOT / "evaluate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def _evaluate(*overrides: str) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        (folder / "file").write_text("x")
        options = [o.replace("FOLDER", str(folder)) for o in overrides]
        return run_hydra(
            evaluate_script().main, "evaluate", "", [f"synthetic_dir={folder}", *options]
        )

    return run


@family("settings of evaluate, on the command line")
def evaluate_options() -> list[Hostile]:
    overrides = [
        "size=abc",
        "workers=-1",
        "abstain_below=nan",
        "wandb=x",
        "out=FOLDER/file/deeper",
        "perception.device=cuda:99",
        "perception.device=nonsense",
        "benchmark.name=nothing",
        "oracle={a: 1}",
        "system=nobody",
        "size=[",
        "zzz=1",
        "perception.checkpoint=FOLDER/file",
        "data.root=FOLDER",
        "data.root=FOLDER/file",
        "+grid.cells=[]",
        "size=1e400",
    ]
    return [
        Hostile(o, _evaluate("size=1", o) if not o.startswith("size") else _evaluate(o))
        for o in overrides
    ]


def _settings(name: str, overrides: list[str], count: int) -> list[Hostile]:
    """Options of a config, one of them spoiled, as they are after hydra has read them."""

    def check(options: dict) -> Callable[[Path], int]:
        return lambda folder: guarded(lambda: settings_schemas.check_settings(name, options))

    from omegaconf import OmegaConf

    plain = OmegaConf.to_container(compose(name, overrides), resolve=True)
    return [
        Hostile(what, check(o))
        for what, o in spoiled(settings_schemas.SETTINGS[name], plain, count)
    ]


@family("settings of evaluate, generate and train, spoiled")
def settings() -> list[Hostile]:
    return [
        *_settings("evaluate", ["+experiment=oracle_grid"], 24),
        *_settings("generate", ["out=x"], 14),
        *_settings("train", [], 12),
    ]


@family("settings of generate, on the command line")
def generate_options() -> list[Hostile]:
    overrides = [
        "size=abc",
        "size=1.5",
        "images=perhaps",
        "split=nothing",
        "out=FOLDER/file",
        "benchmark.name=nothing",
        "difficulty=3",
        "benchmark.difficulty.objects=[9]",
        "benchmark.difficulty.near=7",
        "skies=FOLDER/nowhere",
    ]

    def run(override: str) -> Callable[[Path], int]:
        def call(folder: Path) -> int:
            (folder / "file").write_text("x")
            options = dict(
                o.split("=", 1) for o in ("size=1", "workers=1", f"out={folder}/twin", override)
            )
            options = [f"{k}={v}".replace("FOLDER", str(folder)) for k, v in options.items()]
            code = cli.main(["generate", "benchmark=pulsecheck457", *options])
            assert not (folder / "twin").exists(), "something was left behind"
            return code

        return call

    return [Hostile(o, run(o)) for o in overrides]


def _trust(content: bytes) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        (folder / "a.jsonl").write_bytes(content)
        return cli.main(["calibration", str(folder / "a.jsonl"), "--benchmark", "scope"])

    return run


@functools.cache
def line() -> dict:
    query = json.loads((MINI / "scope" / "items.jsonl").read_text().splitlines()[0])["id"]
    return {
        "id": query,
        "status": "ok",
        "answer": "A",
        "probability": 0.5,
        "program": "",
        "reason": "",
        "margin": {"distance": 1.0, "unit": "m", "answer": "B", "text": "x"},
    }


@family("predictions files")
def predictions() -> list[Hostile]:
    good = line()
    lines = [
        *spoiled(schemas.PredictionRecord, good, 30),
        ("answer a number", {**good, "answer": 3}),
        ("answer a list", {**good, "answer": ["A"]}),
        ("probability a word", {**good, "probability": "high"}),
        ("probability 5", {**good, "probability": 5}),
        ("probability NaN", {**good, "probability": float("nan")}),
        ("no object", [1]),
        ("nothing known", {"id": "\x1b[2J", "status": "ok"}),
    ]
    built = [Hostile(name, _trust(written(record) + b"\n")) for name, record in lines]
    return [*built, Hostile("torn", _trust(b'{"id": \n{}\n')), Hostile("empty", _trust(b""))]


@family("result files of harnesses", refused=False)
def results() -> list[Hostile]:
    query = line()["id"]
    cell = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
        ),
        max_leaves=4,
    )
    rows = drawn(
        st.fixed_dictionaries({"prediction": cell, "answer": cell, "hit": cell, "A": cell}), 24
    )
    deep = b'{"id": 1, "prediction": ' + b"[" * 150 + b"]" * 150 + b"}"

    def run(content: bytes, suffix: str = ".jsonl") -> Callable[[Path], int]:
        def call(folder: Path) -> int:
            path = folder / f"model{suffix}"
            path.write_bytes(content)
            return cli.main(
                ["import", str(path), "--benchmark", "scope", "--out", str(folder / "out.jsonl")]
            )

        return call

    built = [Hostile(f"row {k}", run(written({"id": query, **row}))) for k, row in enumerate(rows)]
    lists = [
        run(deep),
        run(b"[" * 100_000),
        run(b"[1]"),
        run(b'{"id": 1' + b"0" * 4999 + b"}"),
        run(b"PK\3\4", ".xlsx"),
    ]
    odd = [
        run(b"id,prediction\n1,=1+1\n", ".csv"),
        run(b"\xff\xfe\x00", ".tsv"),
        run(b"{}", ".json"),
        run(b"", ".json"),
    ]
    return built + [Hostile(f"text {k}", call) for k, call in enumerate(lists + odd)]


@functools.cache
def pair() -> tuple[dict, bytes]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        stem = untrained_parser(Path(folder))
        return (
            json.loads(stem.with_suffix(".json").read_text()),
            stem.with_suffix(".safetensors").read_bytes(),
        )


def _load(record: object, weights: bytes, honest: bool = True) -> Callable[[Path], int]:
    """Load a pair; `honest`: the description has the hash of the weights."""

    def run(folder: Path) -> int:
        path = folder / "p.safetensors"
        path.write_bytes(weights)
        report = {**record, "sha256": sha256(path)} if honest else record
        (folder / "p.json").write_bytes(written(report))
        return guarded(lambda: Parser.from_checkpoint.__wrapped__(folder / "p"))

    return run


@family("descriptions of checkpoints")
def descriptions() -> list[Hostile]:
    record, weights = pair()
    network = record["config"]["network"]
    configs = {
        "another width": {**network, "width": 24},
        "a width of 10**9": {**network, "width": 10**9},
        "no heads": {**network, "heads": 0},
        "unknown key": {**network, "pretrained": True},
        "a width of words": {**network, "width": "wide"},
        "heads that do not divide": {**network, "heads": 3},
        "a dilation of 0": {**network, "dilations": [0]},
    }
    built = [
        (n, {**record, "config": {**record["config"], "network": c}}) for n, c in configs.items()
    ]
    built += [
        ("more words", {**record, "config": {**record["config"], "words": ["<pad>"] * 9}}),
        (
            "words that are numbers",
            {**record, "config": {**record["config"], "words": [1, 2, 3, 4, 5]}},
        ),
        ("no network", {**record, "config": {"words": ["a"]}}),
        ("another kind", {**record, "kind": "room_view_estimator"}),
        ("a kind to be obeyed", {**record, "kind": "\x1b[2J"}),
        ("another format", {**record, "format": "x"}),
        ("a format of 5,000 digits", {**record, "format": 10**4000}),
    ]
    wrong = spoiled(checkpoint_schemas.CheckpointRecord, record, 14)
    return (
        [Hostile(n, _load(r, weights)) for n, r in built]
        + [
            Hostile(n, _load(r, weights, honest="sha256" in n))
            for n, r in wrong
            if "sha256" not in n
        ]
        + [Hostile(n, _load(r, weights, honest=False)) for n, r in wrong if "sha256" in n]
    )


@family("weights of checkpoints")
def weights() -> list[Hostile]:
    record, good = pair()
    from safetensors.torch import load

    tensors = load(good)
    name = next(k for k, v in tensors.items() if v.ndim == 2)
    change = lambda **other: tensors_as_bytes({**tensors, **other})  # noqa: E731
    header = struct.unpack("<Q", good[:8])[0]
    files = {
        "empty": b"",
        "eight bytes": good[:8],
        "cut off": good[:-100],
        "half": good[: len(good) // 2],
        "a header of 2**60 bytes": struct.pack("<Q", 2**60) + good[8:],
        "no header": b"\0" * 8 + good[8:],
        "a header of brackets": struct.pack("<Q", header) + b"[" * header + good[8 + header :],
        "a pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
        "NaN": change(**{name: tensors[name] * float("nan")}),
        "infinite": change(**{name: torch.full_like(tensors[name], float("inf"))}),
        "one tensor less": tensors_as_bytes({k: v for k, v in tensors.items() if k != name}),
        "one tensor more": change(other=torch.zeros(3)),
        "transposed": change(**{name: torch.zeros(3, 5)}),
        "a scale of another shape": change(
            **{name: tensors[name].to(torch.int8), f"{name}:scale": torch.ones(3)}
        ),
        "no tensors": tensors_as_bytes({}),
    }
    built = [Hostile(n, _load(record, content)) for n, content in files.items()]
    flips = random.Random(7)
    for _ in range(6):  # one byte of the header is another; weights are as good as any other
        at = 9 + flips.randrange(header - 2)
        built.append(
            Hostile(
                f"byte {at}", _load(record, good[:at] + bytes([good[at] ^ 0x1F]) + good[at + 1 :])
            )
        )
    return [*built, Hostile("another hash", _load(record, good + b"x", honest=False))]


def picture(
    format: str, size: tuple[int, int] = (64, 48), mode: str = "RGB", **options: object
) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size, 1).save(buffer, format, **options)
    return buffer.getvalue()


def bomb(width: int, height: int, bits: int = 8, *more: tuple[bytes, bytes]) -> bytes:
    """A PNG that says it is so large, of 8 bits (RGB) or 16 (gray); `more`: other chunks."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, bits, 2 if bits == 8 else 0, 0, 0, 0)
    rows = b"".join(chunk(*part) for part in more) + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + rows + chunk(b"IEND", b"")


@family("pictures")
def pictures() -> list[Hostile]:
    frames = [Image.new("RGB", (40, 30), c) for c in ("red", "blue")]
    moving = lambda form: picture_of(frames, form)  # noqa: E731
    good, jpeg = picture("PNG"), picture("JPEG")
    noise = np.random.default_rng(0).integers(0, 256, 500, dtype=np.uint8).tobytes()
    files = {
        "empty": b"",
        "text": b"hello",
        "noise": noise,
        "half a PNG": good[: len(good) // 2],
        "half a JPEG": jpeg[: len(jpeg) // 2],
        "half a WEBP": picture("WEBP")[:60],
        "GIF": picture("GIF"),
        "TIFF": picture("TIFF"),
        "BMP": picture("BMP"),
        "an animated WEBP": moving("WEBP"),
        "an animated PNG": moving("PNG"),
        "an animated GIF": moving("GIF"),
        "16 bits": picture("PNG", mode="I;16"),
        "50,001 x 50,001": bomb(50_001, 50_001),
        "2**31 x 1": bomb(2**31 - 1, 1),
        "0 x 0": bomb(0, 0),
        "8,000 x 8,000": bomb(8000, 8000),
        "rows missing": bomb(900, 900),
        "a PNG of brackets": good[:8] + b"[" * 5000,
        "SVG": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        "PDF": b"%PDF-1.7",
        "a WEBP of 21 megapixels": picture("WEBP", (4600, 4600), method=0),
    }
    built = [Hostile(n, _ask(content, suffix=".png")) for n, content in files.items()]
    names = ["none.png", ".", "a\0b.png", "\x1b[2J.png", "x" * 5000]
    return built + [
        Hostile(f"named {n[:20]!r}", lambda folder, n=n: cli.main(["ask", str(folder / n), ASKED]))
        for n in names
    ]


def picture_of(frames: list[Image.Image], form: str) -> bytes:
    buffer = io.BytesIO()
    frames[0].save(buffer, form, save_all=True, append_images=frames[1:])
    return buffer.getvalue()


def _folder(benchmark: str, files: dict[str, bytes]) -> Callable[[Path], int]:
    """Read a folder of questions in which these files are others."""

    def run(folder: Path) -> int:
        root = folder / "twin"
        root.mkdir()
        for name in RETAINED[benchmark]:
            shutil.copy(MINI / benchmark / name, root)
        for name, content in files.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(content)
        command = ["export", "--format", "openai", "--out", str(folder / "out")]
        if benchmark == "pulsecheck457":
            command = ["audit", "--out", str(folder / "out.jsonl")]
        elif "items.jsonl" in files:
            (folder / "a.jsonl").write_bytes(written(line()) + b"\n")
            command = ["calibration", str(folder / "a.jsonl")]
        return cli.main([*command, "--benchmark", benchmark, "--data", str(root)])

    return run


OPTIONAL = ("group", "program", "variant", "of")
RETAINED = {
    "pulsecheck457": ("scenes.json",),
    "scope": ("items.jsonl", "scenes.jsonl", "twin.json"),
}
QUESTION = {
    "image_filename": "superCLEVR_new_000000.jpg",
    "question": "How many cars?",
    "question_index": 0,
    "answer": "1",
}


@family("question files of a folder")
def question_files() -> list[Hostile]:
    path = "questions/L1_single.json"
    wrong = [
        b"{",
        b"[1]",
        b"null",
        b'{"questions": 3}',
        b"[" * 100_000,
        b'{"questions": [' + b"9" * 5000 + b"]}",
    ]
    lacks = [
        {k: v for k, v in QUESTION.items() if k != gone} for gone in ("image_filename", "question")
    ]
    records = [
        *lacks,
        {**QUESTION, "question": 3},
        {**QUESTION, "image_filename": ["x"]},
        {**QUESTION, "answer": {"a": 1}},
    ]
    contents = wrong + [written({"questions": [r]}) for r in records]
    built = [Hostile(f"{c[:40]!r}", _folder("pulsecheck457", {path: c})) for c in contents]
    items = json.loads((MINI / "scope" / "items.jsonl").read_text().splitlines()[0])
    for key in items:
        for value in (
            (float("nan"), [[]], {"a": 1})
            if key in OPTIONAL
            else (None, float("inf"), [[]], {"a": 1})
        ):
            built.append(
                Hostile(
                    f"scope {key} = {value!r}",
                    _folder("scope", {"items.jsonl": written({**items, key: value}) + b"\n"}),
                )
            )
    return built


@family("twin.json")
def twins() -> list[Hostile]:
    twin = {**json.loads((MINI / "scope" / "twin.json").read_text()), "images": False}
    texts = [b"", b"[]", b"3", b"{", b"[" * 100_000, b'{"seed": ' + b"1" * 5000 + b"}"]
    built = [Hostile(repr(t[:20]), _folder("scope", {"twin.json": t})) for t in texts]
    return built + [
        Hostile(n, _folder("scope", {"twin.json": written(r)}))
        for n, r in spoiled(schemas.TwinRecord, twin, 16)
    ]


def right() -> list[Hostile]:
    """What the families spoil, as it was: nothing of it is refused."""
    record, good = pair()
    question = json.loads((MINI / "pulsecheck457" / "questions" / "L1_single.json").read_text())
    question["questions"] = question["questions"][:1]
    items = (MINI / "scope" / "items.jsonl").read_bytes().splitlines()[0]
    return [
        Hostile("street", _ask(written(street()))),
        Hostile("room", _ask(written(room()), WHERE)),
        Hostile("vehicles", _ask(written(VEHICLES))),
        Hostile("predictions", _trust(written(line()) + b"\n")),
        Hostile("checkpoint", _load(record, good)),
        Hostile(
            "questions", _folder("pulsecheck457", {"questions/L1_single.json": written(question)})
        ),
        Hostile("items", _folder("scope", {"items.jsonl": items + b"\n"})),
        Hostile("evaluate", _settings_hold("evaluate", ["+experiment=oracle_grid"])),
        Hostile("generate", _settings_hold("generate", ["out=x"])),
        Hostile("train", _settings_hold("train", [])),
    ]


def _settings_hold(name: str, overrides: list[str]) -> Callable[[Path], int]:
    return lambda folder: guarded(lambda: compose(name, overrides))
