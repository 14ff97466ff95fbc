"""Safe reading of LMM harness result files as plain rows.

  VLMEvalKit   <model>_<dataset>.xlsx, .tsv, .json   the benchmark's columns, `prediction`, and
               `hit` after judging
  lmms-eval    <date>_samples_<task>.jsonl           filtered_resps, target, and its metric's
               results
  plain        .jsonl, .json, .csv, .tsv             any columns; see `imports` for those used

Rejected with a one-line error: pickles, files above FILE bytes or ROWS rows, workbooks with an
extreme compression ratio (`po3d.io.tables`), files without a readable row. An unreadable row (cells
above CELL characters, wrong number of cells, invalid JSON, bytes that are not UTF-8) is returned
with a `fault` and without cells. Cells are never evaluated: "=1+1" is a text. Half a surrogate pair
is replaced by U+FFFD, and the row has a `repair`.
"""

import contextlib
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from po3d.io.errors import InputError
from po3d.io.files import parse_json
from po3d.io.tables import ROWS, table_rows

CELL = 1_000_000  # maximum characters of a cell; answers have a few thousand at most
FILE = 256_000_000  # maximum bytes of a file
REPLACED = "\ufffd"
_ESCAPE = re.compile(
    r"\\\\|\\u(?i:(d[89ab][0-9a-f]{2})(\\ud[c-f][0-9a-f]{2})?|(d[c-f][0-9a-f]{2}))"
)
FORMATS = (".xlsx", ".tsv", ".csv", ".jsonl", ".json")


class ResponseRow(NamedTuple):
    """One row: its number in the file, counted from 1 without the header, and its cells."""

    number: int
    cells: dict[str, object]  # str, int, float, bool, None; in JSON also lists and objects
    fault: str = ""  # why the row is unreadable; such a row has no cells
    repair: str = ""  # what was replaced in it


def iterate_rows(path: str | Path) -> Iterator[ResponseRow]:
    """Yield the rows of a result file, of a .tsv, .csv or .jsonl without keeping them in memory;
    raise InputError if it is rejected, at the latest at the end."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"result file not found: {path}")
    if path.suffix.lower() in (".pkl", ".pickle", ".pt", ".npy"):
        raise InputError(
            f"{path}: pickled files are not supported; export the results as .xlsx, .tsv or .json"
        )
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: unknown format {path.suffix!r}; known: {', '.join(FORMATS)}")
    if path.stat().st_size > FILE:
        raise InputError(
            f"{path} has {path.stat().st_size:,} bytes, more than the limit of {FILE:,}"
        )
    reader = {".xlsx": _xlsx, ".json": _json, ".jsonl": _jsonl}.get(path.suffix.lower(), _separated)
    first, readable = None, False
    for k, cells in enumerate(reader(path), 1):
        if k > ROWS:
            raise InputError(f"{path} has more than the limit of {ROWS:,} rows")
        row = _row(k, cells)
        first, readable = first or row, readable or not row.fault
        yield row
    if first is None:
        raise InputError(f"{path} contains no rows")
    if not readable:
        raise InputError(f"{path}, row {first.number}: {first.fault}")


def _row(number: int, result: "dict[str, object] | InputError") -> ResponseRow:
    """Convert a reader's result to a row."""
    if isinstance(result, InputError):
        return ResponseRow(number, {}, str(result))
    changed = []
    for name, cell in result.items():
        if size := _longest(cell):
            most = f"more than the limit of {CELL:,}"
            fault = f"column {name!r}: the cell has {size:,} characters, {most}"
            return ResponseRow(number, {}, fault)
        if REPLACED in str(cell):
            changed.append(name)
    names = ", ".join(map(repr, changed))
    repair = f"U+FFFD in {names}: a lone surrogate, or previously damaged text" if changed else ""
    return ResponseRow(number, result, repair=repair)


def _longest(cell: object) -> int:
    """Return the length of a text in a cell with more than CELL characters; 0 if there is none."""
    if isinstance(cell, str):
        return len(cell) if len(cell) > CELL else 0
    parts = cell.values() if isinstance(cell, dict) else cell if isinstance(cell, list) else ()
    return max(map(_longest, parts), default=0)


@contextlib.contextmanager
def _opened(path: Path, newline: str) -> Iterator[TextIO]:
    """Open the file as text. Bytes that are not UTF-8 become surrogates, to be detected by
    `_readable`; InputError if the first line is not UTF-8."""
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline=newline) as file:
        if fault := _readable(file.readline()):
            raise InputError(f"{path} {fault}")
        file.seek(0)
        yield file


def _readable(text: str) -> str:
    """Return why a text is unreadable; "" if it is readable."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"is not UTF-8 (at character {error.start})"
    return "contains NUL characters, so it is not UTF-8 text" if "\0" in text else ""


def _separated(path: Path) -> Iterator[dict[str, object] | InputError]:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    header: list[str] | None = None
    with _opened(path, "") as file:
        for row in _each(csv.reader(file, delimiter=delimiter, strict=True)):
            if isinstance(row, InputError):
                yield row
            elif header is None:
                header = row
            elif fault := _readable("".join(row)):
                yield InputError(fault)
            elif len(row) != len(header):
                yield InputError(f"{len(row)} cells in {len(header)} columns")
            else:
                yield dict(zip(header, row))


def _each(lines: Iterator[list[str]]) -> Iterator[list[str] | InputError]:
    """Yield the non-empty rows, and a fault for each row that the csv module rejects."""
    while True:
        limit = csv.field_size_limit(CELL)
        try:
            row = next(lines, None)
        except csv.Error as error:
            large = "field limit" in str(error)
            row = InputError(
                f"a cell is longer than the limit of {CELL:,} characters" if large else str(error)
            )
        finally:
            csv.field_size_limit(limit)
        if row is None:
            return
        if row:
            yield row


def _whole(text: str) -> str:
    """Replace each half of a surrogate pair in JSON text by U+FFFD."""
    return _ESCAPE.sub(lambda m: "\\ufffd" if (m[1] and not m[2]) or m[3] else m[0], text)


def _jsonl(path: Path) -> Iterator[dict[str, object] | InputError]:
    with _opened(path, "\n") as file:
        for k, line in enumerate(file, 1):
            line = line.removesuffix("\n")
            if not line.strip():
                continue
            try:
                if fault := _readable(line):
                    raise InputError(f"line {k} {fault}")
                yield _record(parse_json(_whole(line), f"line {k}: not valid JSON"))
            except InputError as error:
                yield error


def _json(path: Path) -> Iterator[dict[str, object] | InputError]:
    with _opened(path, "\n") as file:
        text = file.read()
    if fault := _readable(text):
        raise InputError(f"{path} {fault}")
    content = parse_json(_whole(text), f"{path}: not valid JSON")
    # pandas writes {column: {row: cell}}; other tools wrap their list
    if isinstance(content, dict):
        if columns := _columns(content):
            yield from columns
            return
        lists = []
        for v in content.values():
            if isinstance(v, list):
                lists.append(v)
        content = _hypo3d(content) or (lists[0] if len(lists) == 1 else None)
    if not isinstance(content, list):
        raise InputError(f"{path} should hold a list of rows")
    yield from map(_record, content)


def _hypo3d(content: dict) -> list[object]:
    """Return the questions of Hypo3D's layout, {scene_id: [change, ...]}; [] for any other."""
    records: list[object] = []
    for scene_id, changes in content.items():
        for change in changes if isinstance(changes, list) else ():
            questions = change.get("questions_answers") if isinstance(change, dict) else None
            for record in questions if isinstance(questions, list) else ():
                row = {"scene_id": scene_id, **record} if isinstance(record, dict) else record
                records.append(row)
    return records


def _columns(content: dict) -> list[dict[str, object]]:
    tables = list(content.values())
    if not tables or not all(isinstance(t, dict) and t.keys() == tables[0].keys() for t in tables):
        return []
    rows = []
    for number in tables[0]:
        rows.append({name: column[number] for name, column in content.items()})
    return rows


def _record(value: object) -> dict[str, object] | InputError:
    if not isinstance(value, dict):
        return InputError(f"a row should be an object, not {type(value).__name__}")
    return value


def _xlsx(path: Path) -> Iterator[dict[str, object] | InputError]:
    return table_rows(path, "result file", longest=CELL)
