"""Families of files in which a few bytes stand for much: model folders, workbooks, parquet,
pickles, packed JSON lines, shards.
"""

import bz2
import functools
import gzip
import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from families import Hostile, family
from hypothesis import strategies as st
from openpyxl import Workbook
from pyarrow import parquet
from safetensors.torch import save as tensors_as_bytes
from spoiling import drawn, spoiled, written
from untrained import untrained_estimator, untrained_parser

import po3d
from po3d.benchmarks.hypo3d.data import _read_axes
from po3d.benchmarks.hypo3d.inert_pickle import read_pickle
from po3d.benchmarks.threedsrbench.report import read_table
from po3d.cli import main as cli
from po3d.io import checkpoint_schemas, schemas
from po3d.io.cli_errors import guarded
from po3d.io.files import read_jsonl, sha256
from po3d.systems import hub
from po3d.training.shards import fetched


@functools.cache
def model() -> dict[str, bytes]:
    """The files of a small model's folder."""
    with tempfile.TemporaryDirectory() as folder:
        options = {
            "perception": str(untrained_estimator(Path(folder))),
            "parser_checkpoint": str(untrained_parser(Path(folder))),
            "mode": "samples",
            "samples": 8,
            "seed": 3,
            "margins": True,
            "flip_tta": False,
            "parser": "benchmark",
            "oracle": [],
        }
        hub.save("street", options, Path(folder) / "model")
        return {path.name: path.read_bytes() for path in (Path(folder) / "model").iterdir()}


def _model(config: object, weights: bytes | None = None) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        for name, content in {**model(), "config.json": written(config)}.items():
            (folder / name).write_bytes(content)
        if weights is not None:
            (folder / "model.safetensors").write_bytes(weights)
            (folder / "config.json").write_bytes(
                written({**config, "sha256": sha256(folder / "model.safetensors")})
            )
        return guarded(lambda: po3d.load(str(folder)))

    return run


def _of(kind: str, **changes: object) -> dict:
    """The config with other fields in a part's own config, or in its network's."""
    config = json.loads(model()["config.json"])
    own = config["parts"][kind]["config"]
    config["parts"][kind]["config"] = {**own, **changes}
    return config


@family("model folders")
def model_folders() -> list[Hostile]:
    import timm

    config = json.loads(model()["config.json"])
    built = [Hostile(n, _model(r)) for n, r in spoiled(checkpoint_schemas.ModelFolder, config, 20)]
    for kind, schema in (
        ("street_estimator", checkpoint_schemas.EstimatorConfig),
        ("parser", checkpoint_schemas.ParserConfig),
    ):
        for name, own in spoiled(schema, config["parts"][kind]["config"], 16):
            part = {**config["parts"][kind], "config": own}
            changed = {**config, "parts": {**config["parts"], kind: part}}
            built.append(Hostile(f"{kind}: {name}", _model(changed)))
    network = config["parts"]["street_estimator"]["config"]["network"]
    sizes = ("giant", "enormous", "xxlarge", "_l2", "huge")
    large = [name for name in timm.list_models() if any(size in name for size in sizes)]
    changes = [{"backbone": name} for name in (*large[:6], "resnet50", "no_such_model", "../x")]
    changes += [
        {"neck": 512},
        {"hidden": 2048},
        {"pose_hidden": 2048},
        {"fold": 8},
        {"width": 4096, "height": 4096},
    ]
    for change in changes:
        built.append(
            Hostile(str(change), _model(_of("street_estimator", network={**network, **change})))
        )
    reader = config["parts"]["parser"]["config"]
    words = reader["words"]
    for change in ({"width": 2048}, {"heads": 64}, {"reach": 256}, {"dilations": [1] * 64}):
        built.append(
            Hostile(str(change), _model(_of("parser", network={**reader["network"], **change})))
        )
    built.append(
        Hostile("200,000 words", _model(_of("parser", words=[*words, *map(str, range(199_000))])))
    )
    spread = {
        "parser.a": np.ones((1, 60_000), np.int8),
        "parser.a:scale": np.ones(60_000, np.float32),
    }
    import torch

    tensors = {name: torch.from_numpy(value) for name, value in spread.items()}
    built.append(Hostile("scales of more than there is", _model(config, tensors_as_bytes(tensors))))
    return built


def workbook(rows: list[list]) -> bytes:
    book, buffer = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(buffer)
    return buffer.getvalue()


def repacked(content: bytes, change: Callable[[str, str], str], **more: str) -> bytes:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name).decode()))
        for name, text in more.items():
            new.writestr(name, text)
    return buffer.getvalue()


@functools.cache
def workbooks() -> dict[str, bytes]:
    """Workbooks that should be refused; the first sheet of each has a header and a row."""
    good = workbook(
        [
            ["scene_id", "Front", "Back", "Left", "Right", "id", "prediction"],
            ["s", "bed", "", "", "", "1", "A"],
        ]
    )

    def sheet(old: str, new: str) -> bytes:
        return repacked(good, lambda n, t: t.replace(old, new) if "sheet1" in n else t)

    def part(name: str, old: str, new: str) -> bytes:
        return repacked(good, lambda n, t: t.replace(old, new, 1) if name in n else t)

    def shared(length: int, cells: int) -> bytes:
        """Rows whose prediction is one text, which the file has once."""
        rows = "".join(
            f"<row r='{k}'><c r='G{k}' t='s'><v>0</v></c></row>" for k in range(3, cells)
        )
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
        part = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
        space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        text = f'<sst xmlns="{space}"><si><t>{"a b " * (length // 4)}</t></si></sst>'

        def change(name: str, xml: str) -> str:
            return xml.replace("</Types>", part).replace("</sheetData>", rows + "</sheetData>")

        return repacked(good, change, **{"xl/sharedStrings.xml": text})

    name = "<definedName name='a'>1</definedName>"
    row = "<row r='{}'><c r='A{}' t='inlineStr'><is><t>x</t></is></c></row>"
    return {
        "a cell in the last column": sheet('r="G2"', 'r="XFD2"'),
        "300,000 styles": part("styles", "</cellXfs>", "<xf/>" * 300_000 + "</cellXfs>"),
        "100,000 names": part(
            "workbook.xml",
            "</workbook>",
            f"<definedNames>{name * 100_000}</definedNames></workbook>",
        ),
        "40 MB of blanks": sheet("</sheetData>", " " * 40_000_000 + "</sheetData>"),
        "entities": sheet("<worksheet", "<!DOCTYPE a [<!ENTITY b 'c'>]><worksheet"),
        "100,000 levels": sheet("</sheetData>", "<a>" * 100_000 + "</sheetData>"),
        "cut off": good[:-200],
        "no zip": b"PK\x03\x04",
        "an empty zip": b"PK\x05\x06" + b"\0" * 18,
        "empty": b"",
        "a shared text of 1 MB in 5,000 cells": shared(10**6, 5000),
        "a shared text of 30 kB in 100,000 cells": shared(30_000, 100_000),
        "rows that do not end": sheet(
            "</sheetData>",
            "".join(row.format(k, k) for k in range(3, 20_000))
            + "<row r='9'>" * 9
            + "</sheetData>",
        ),
    }


@family("workbooks")
def of_workbooks() -> list[Hostile]:
    def axes(content: bytes) -> Callable[[Path], int]:
        def run(folder: Path) -> int:
            (folder / "axis_definition.xlsx").write_bytes(content)
            return guarded(lambda: _read_axes(folder / "axis_definition.xlsx"))

        return run

    def results(content: bytes) -> Callable[[Path], int]:
        def run(folder: Path) -> int:
            (folder / "a.xlsx").write_bytes(content)
            return cli.main(
                [
                    "import",
                    str(folder / "a.xlsx"),
                    "--benchmark",
                    "scope",
                    "--out",
                    str(folder / "b.jsonl"),
                ]
            )

        return run

    built = []
    for name, content in workbooks().items():
        built += [
            Hostile(f"{name}, axes", axes(content)),
            Hostile(f"{name}, results", results(content)),
        ]
    return built


@family("parquet")
def of_parquet() -> list[Hostile]:
    def run(content: bytes) -> Callable[[Path], int]:
        def call(folder: Path) -> int:
            (folder / "a.parquet").write_bytes(content)
            return guarded(lambda: read_table(folder / "a.parquet"))

        return call

    def of(table: pa.Table, **options: object) -> bytes:
        buffer = io.BytesIO()
        parquet.write_table(table, buffer, **options)
        return buffer.getvalue()

    def same(text: str, rows: int) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array([text]))

    good = of(pa.table({"question": ["a"], "A": ["x"]}))
    deep: object = "x"
    for _ in range(60):
        deep = [deep]
    files = {
        "40 million rows": of(pa.table({"question": same("a question", 40_000_000)})),
        "10,000 columns": of(pa.table({f"c{k}": ["x"] for k in range(10_000)})),
        "6,000 rows of 1,000 columns": of(
            pa.table({f"c{k}": same("x", 6_000) for k in range(1_000)})
        ),
        "no column of it": of(pa.table({"x": ["a"]})),
        "no rows": of(pa.table({"question": pa.array([], "string")})),
        "60 levels": of(pa.table({"question": [deep]})),
        "numbers": of(pa.table({"question": [1.5], "A": [2]})),
        "empty": b"",
        "marks alone": b"PAR1PAR1",
        "cut off": good[:-9],
        "half": good[: len(good) // 2],
        "an end of zeros": good[:-20] + b"\0" * 12 + good[-8:],
        "a length of 2**31": good[:-8] + b"\xff\xff\xff\x7fPAR1",
    }
    return [Hostile(name, run(content)) for name, content in files.items()]


@family("pickles")
def of_pickles() -> list[Hostile]:
    twice = b")\x94" + b"".join(bytes([104, k, 104, k, 0x86, 0x94]) for k in range(40))
    files = {
        "tuples in a set": b"\x80\x04\x8f(" + twice + b"\x90.",
        "tuples as a key": b"\x80\x04}" + twice + b"Ns.",
        "place 2**31 of the memo": b"\x80\x04]r\xff\xff\xff\x7f.",
        "2**60 bytes": b"\x80\x04\x8e" + b"\xff" * 7 + b"\x0f.",
        "a command": b"cos\nsystem\n(S'true'\ntR.",
        "empty": b"",
    }

    def run(content: bytes) -> Callable[[Path], int]:
        def call(folder: Path) -> int:
            (folder / "a.pkl").write_bytes(content)
            return guarded(lambda: read_pickle(folder / "a.pkl"))

        return call

    return [Hostile(name, run(content)) for name, content in files.items()]


@family("packed JSON lines")
def of_packed_lines() -> list[Hostile]:
    texts = {
        "7 million empty lists": b'{"a": [' + b"[]," * 7_000_000 + b"[]]}\n",
        "300 MB of blanks": b" " * 300_000_000,
        "levels": b"[" * 100_000 + b"\n{}",
        "no object": b"[1]\n{}",
        "NUL": b"\0" * 100,
        "latin": b'{"a": "\xe9"}\n{}',
    }
    good = gzip.compress(b'{"a": 1}\n' * 1000)
    files = {
        "cut off": (".gz", good[:-20]),
        "no packed file": (".gz", b"{}"),
        "empty": (".bz2", b"x"),
        "damaged": (".gz", good[:30] + b"xxxx" + good[34:]),
    }
    for name, text in texts.items():
        files[f"{name} in .gz"] = (".gz", gzip.compress(text, 1))
        if len(text) < 10**8:
            files[f"{name} in .bz2"] = (".bz2", bz2.compress(text))

    def run(suffix: str, content: bytes) -> Callable[[Path], int]:
        def call(folder: Path) -> int:
            (folder / f"a.jsonl{suffix}").write_bytes(content)
            return guarded(lambda: list(read_jsonl(folder / f"a.jsonl{suffix}")))

        return call

    return [Hostile(name, run(*file)) for name, file in files.items()]


@family("indexes of shards")
def of_shards() -> list[Hostile]:
    good = {
        "shards": [{"name": "000000.tar", "samples": 3, "bytes": 5, "sha256": "0" * 64}],
        "models": ["a"],
    }
    strange = drawn(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20), 8)
    records = [
        *spoiled(schemas.ShardIndex, good, 20),
        ("no shards", {**good, "shards": []}),
        ("another hash", good),
    ]
    for name in (*strange, "../a", "/etc/passwd", "a/b", "", ".", ".."):
        shard = {**good["shards"][0], "name": name}
        records.append((f"named {name!r}", {**good, "shards": [shard]}))

    def run(record: object) -> Callable[[Path], int]:
        def call(folder: Path) -> int:
            (folder / "index.json").write_bytes(written(record))
            (folder / "000000.tar").write_bytes(b"12345")
            return guarded(lambda: fetched(str(folder), folder / "cache"))

        return call

    return [Hostile(name, run(record)) for name, record in records]


def right() -> list[Hostile]:
    """What these families spoil, as it was."""
    return [Hostile("a model folder", _model(json.loads(model()["config.json"])))]
