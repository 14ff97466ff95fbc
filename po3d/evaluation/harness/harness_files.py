"""Result files of LMM harnesses as plain rows, read so that no file can do harm.

    VLMEvalKit   <model>_<dataset>.xlsx, .tsv, .json     the benchmark's columns and `prediction`; after its judge `hit`
    lmms-eval    <date>_samples_<task>.jsonl             filtered_resps, target, and what its metric said of the item
    plain        .jsonl, .json, .csv, .tsv               whatever columns; `imports` says which it looks for

Refused, with one line: pickles, cells above CELL characters, files above FILE bytes, workbooks that unpack to much
more than they are (`po3d.io.tables`), text that is not UTF-8. A cell is never evaluated: a formula is its text.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from po3d.io.errors import InputError
from po3d.io.files import parse_json
from po3d.io.tables import table_rows

CELL = 1_000_000  # characters; answers have a few thousand at most
FILE = 256_000_000  # bytes
_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
FORMATS = (".xlsx", ".tsv", ".csv", ".jsonl", ".json")


class Row(NamedTuple):
    """One row: where it stood in the file, counted from 1 without the header, and its cells."""

    number: int
    cells: dict[str, object]  # str, int, float, bool, None, and of JSON lists and objects


def read_rows(path: str | Path) -> list[Row]:
    """The rows of a result file; InputError for what is refused."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"result file not found: {path}")
    if path.suffix.lower() in (".pkl", ".pickle", ".pt", ".npy"):
        raise InputError(f"{path}: pickled files are not read; have the harness write .xlsx, .tsv or .json")
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: unknown format {path.suffix!r}; known: {', '.join(FORMATS)}")
    if path.stat().st_size > FILE:
        raise InputError(f"{path} has {path.stat().st_size:,} bytes, more than the {FILE:,} that are read")
    reader = {".json": _json, ".jsonl": _jsonl}.get(path.suffix.lower(), _table)
    rows = [Row(k, cells) for k, cells in enumerate(reader(path), 1)]
    if not rows:
        raise InputError(f"{path} holds no rows")
    for row in rows:
        for name, cell in row.cells.items():
            _check(cell, f"{path}, row {row.number}, column {name!r}")
    return rows


def _check(cell: object, where: str) -> None:
    if isinstance(cell, str) and len(cell) > CELL:
        raise InputError(f"{where}: the cell has {len(cell):,} characters, more than {CELL:,}")
    for part in cell.values() if isinstance(cell, dict) else cell if isinstance(cell, list) else ():
        _check(part, where)


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 ({error.reason} at byte {error.start})") from None
    if "\0" in text:
        raise InputError(f"{path} holds NUL characters: it is no text in UTF-8")
    return text


def _table(path: Path) -> Iterator[dict[str, object]]:
    return table_rows(path, "result file", longest=CELL, strict=True)


def _jsonl(path: Path) -> Iterator[dict[str, object]]:
    for k, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            yield _record(_parsed(line, f"{path}, line {k}: not valid JSON"), f"{path}, line {k}")


def _json(path: Path) -> Iterator[dict[str, object]]:
    content = _parsed(_text(path), f"{path}: not valid JSON")
    if isinstance(content, dict):  # pandas writes a table as {column: {row: cell}}; others wrap their list
        if columns := _columns(content):
            yield from columns
            return
        lists = [v for v in content.values() if isinstance(v, list)]
        content = _hypo3d(content) or (lists[0] if len(lists) == 1 else None)
    if not isinstance(content, list):
        raise InputError(f"{path} should hold a list of rows")
    for k, record in enumerate(content, 1):
        yield _record(record, f"{path}, row {k}")


def _parsed(text: str, failing: str) -> object:
    """What a JSON text says; half of a surrogate pair, which models that were cut off leave, is a replacement character."""
    return parse_json(_ESCAPES.sub(_whole, text) if "\\u" in text else text, failing)


def _whole(escape: re.Match) -> str:
    return "\\ufffd" if escape["half"] else escape[0]


def _hypo3d(content: dict) -> list[object]:
    """The questions of Hypo3D's own layout, {scene_id: [change, ...]}; [] for any other."""
    changes = [(s, c) for s, own in content.items() if isinstance(own, list) for c in own]
    asked = [(s, c.get("questions_answers")) for s, c in changes if isinstance(c, dict)]
    records = [(s, r) for s, own in asked if isinstance(own, list) for r in own]
    return [{"scene_id": s, **r} if isinstance(r, dict) else r for s, r in records]


def _columns(content: dict) -> list[dict[str, object]]:
    tables = list(content.values())
    if not tables or not all(isinstance(t, dict) and t.keys() == tables[0].keys() for t in tables):
        return []
    return [{name: column[row] for name, column in content.items()} for row in tables[0]]


def _record(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: a row should be an object, not {type(value).__name__}")
    return value
