"""Tables that others wrote, row by row, whatever their format: .csv, .tsv, .xlsx and .parquet.

    rows = table_rows(path, "axis definition", "hypo3d")      # {column: cell} each

What a file may ask for is bounded before it is read: rows, columns, cells, the size of what is unpacked. A packed file (a workbook,
parquet) says in kilobytes what takes gigabytes. A cell is never evaluated: a formula is its text.
"""

import itertools
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from po3d.io.errors import InputError
from po3d.io.files import LONGEST_CELL, read_cells
from po3d.io.guard import needed

ROWS, COLUMNS = 2_000_000, 1_000
CELLS = 50_000_000
PACKED_CELLS = 5_000_000  # of a workbook or parquet: a few kilobytes may stand for all of them
UNPACKED = 256_000_000  # bytes of a workbook
RATIO, SMALL = 200, 10_000_000  # it may unpack to RATIO times its size, or to SMALL bytes
OTHERS = 500_000  # bytes of its parts that are no cells: of styles and names openpyxl makes objects, kilobytes each
DECODED = 2**32  # characters and bytes of parquet's columns: pictures stand in some
BATCH = 16  # rows of parquet that are decoded at once
SUFFIXES = (".csv", ".tsv", ".xlsx", ".parquet")


def table_rows(
    path: str | Path,
    what: str = "table",
    extra: str = "tables",
    *,
    columns: Sequence[str] = (),
    sheet: str = "",
    longest: int = LONGEST_CELL,
    strict: bool = False,
) -> Iterator[dict[str, Any]]:
    """The rows of a table by column: text of .csv and of files with tabs, of others what a cell holds, None where it is empty. InputError
    for a file that is missing, damaged, lacks one of `columns` (in small letters), or asks for more than is read. `extra`: brings the
    library for packed tables. Of a workbook the `sheet` of that name, or the first. `longest`: characters of a cell; `strict`: quotes
    of text must match."""
    path, most = Path(path), PACKED_CELLS
    where = f"{what} {path}"
    if path.suffix.lower() == ".xlsx":
        rows = _workbook(path, where, extra, sheet)
    elif path.suffix.lower() == ".parquet":
        rows = _parquet(path, where, extra)
    else:
        rows, most = _text(path, what, longest, strict), CELLS
    header = [str(name) for name in next(rows, [])]
    _check(0, len(header), 0, where, most)
    lower = [name.strip().lower() for name in header]
    if missing := [name for name in columns if name not in lower]:
        raise InputError(f"{where}: no column {missing[0]!r}; it needs {', '.join(columns)}")
    seen = 0
    for number, row in enumerate(rows, 1):
        seen += len(row)
        _check(number, len(row), seen, where, most)
        yield {name: value for name, value in zip(header, row) if name}


def _text(path: Path, what: str, longest: int, strict: bool) -> Iterator[list[Any]]:
    rows = (row for row in read_cells(path, what, longest, strict) if row)
    width = len(header := next(rows, []))
    yield header
    for number, row in enumerate(rows):
        if len(row) != width:
            raise InputError(
                f"{what} {path}, row {number}: {len(row)} cells under {width} columns; the file may be cut off"
            )
        yield row


def _check(rows: int, columns: int, seen: int, where: str, most: int) -> None:
    limits = ((rows, ROWS, "rows"), (columns, COLUMNS, "columns"), (seen, most, "cells"))
    for number, limit, name in limits:
        if number > limit:
            raise InputError(f"{where} has more than the {limit:,} {name} that are read")


def _workbook(path: Path, where: str, extra: str, sheet: str) -> Iterator[list[Any]]:
    openpyxl = needed("openpyxl", extra, f"reading {path} needs", ", or save it as .csv")
    _check_archive(path, where)
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=False, keep_links=False)
        cells = book[sheet] if sheet in book.sheetnames else book.worksheets[0]
        cells.reset_dimensions()  # what it says of its own size is not what it has
        width = None
        for number, row in enumerate(cells.iter_rows(), 1):
            _check(number, len(row), number, where, ROWS)
            values = [_value(cell.value) for cell in row]
            if width is None:
                width = len(values)
                yield ["" if value is None else value for value in values]
            elif any(value is not None for value in values):
                yield (values + [None] * width)[:width]
    except InputError:
        raise
    except Exception as error:  # a damaged workbook raises whatever zip, XML and openpyxl raise
        reason = " ".join(str(error).split())[:100]
        raise InputError(f"{where} is no readable .xlsx ({type(error).__name__}: {reason})") from None


def _value(value: Any) -> Any:
    """What a cell holds; of a formula over several cells its text."""
    return str(getattr(value, "text", "")) if type(value).__name__.endswith("Formula") else value


def _check_archive(path: Path, where: str) -> None:
    """InputError for a workbook that unpacks to too much, before anything of it is unpacked. The sizes that a zip declares bound what
    it gives."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            unpacked, packed = sum(p.file_size for p in parts), path.stat().st_size
            if unpacked > UNPACKED or unpacked > max(RATIO * packed, SMALL):
                raise InputError(
                    f"{where} unpacks from {packed:,} to {unpacked:,} bytes, which no table does"
                )
            others = [
                p for p in parts if p.filename.endswith((".xml", ".rels")) and not _of_cells(p.filename)
            ]
            if (size := sum(p.file_size for p in others)) > OTHERS:
                raise InputError(
                    f"{where} has {size:,} bytes of styles and names; at most {OTHERS:,} are read"
                )
            if any(b"<!DOCTYPE" in archive.read(p) for p in parts):  # entities may expand without end
                raise InputError(f"{where} is no readable .xlsx: its XML declares a document type")
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{where.removesuffix(f' {path}')} not found: {path}") from None
    except Exception as error:  # a damaged archive raises whatever zipfile and zlib raise
        raise InputError(f"{where} is no readable .xlsx ({error})") from None


def _size(value: Any) -> int:
    """Characters and bytes of a value, of the parts of a nested one."""
    if isinstance(value, str | bytes):
        return len(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 8 + sum(map(_size, parts))


def _of_cells(name: str) -> bool:
    return name.startswith("xl/worksheets/sheet") or name.lower() == "xl/sharedstrings.xml"


def _parquet(path: Path, where: str, extra: str) -> Iterator[list[Any]]:
    pyarrow = needed("pyarrow", extra, f"reading {path} needs")
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            about, decoded = file.metadata, 0
            # A column of a million equal rows takes a few bytes in the file.
            _check(about.num_rows, about.num_columns, about.num_rows * about.num_columns, where, PACKED_CELLS)
            yield file.schema_arrow.names
            for row in itertools.chain.from_iterable(batch.to_pylist() for batch in file.iter_batches(BATCH)):
                decoded += sum(map(_size, row.values()))
                if decoded > DECODED:
                    raise InputError(f"{where} unpacks to more than the {DECODED:,} characters that are read")
                yield list(row.values())
    except FileNotFoundError:
        raise InputError(f"{where.removesuffix(f' {path}')} not found: {path}") from None
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            f"{where} is no readable parquet file ({' '.join(str(error).split())[:100]})"
        ) from None
