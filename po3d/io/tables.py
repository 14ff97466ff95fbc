"""External tables, row by row, in any format: .csv, .tsv, .xlsx and .parquet.

    rows = table_rows(path, "axis definition", "hypo3d")      # {column: cell} each

Rows, columns, cells and the decompressed size are limited before a file is read, as kilobytes of a
compressed file (a workbook, parquet) may expand to gigabytes. Formulas are not evaluated: a cell is
its text.
"""

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from po3d.io.cli_errors import needed
from po3d.io.errors import InputError
from po3d.io.files import LONGEST_CELL, read_rows

ROWS, COLUMNS = 2_000_000, 1_000
CELLS = 50_000_000
# Cells of a workbook or parquet file: a few kilobytes may encode any number.
PACKED_CELLS = 5_000_000
UNPACKED = 256_000_000  # bytes of a workbook, and characters of its cells
# Limits on the decompressed size: RATIO times the file, or SMALL bytes.
RATIO, SMALL = 200, 10_000_000
# Bytes of parts other than cells: openpyxl turns styles and names into objects of kilobytes each.
OTHERS = 500_000
DECODED = 2**32  # characters and bytes of parquet's columns: some hold images
BATCH = 16  # rows of parquet decoded at a time
SUFFIXES = (".csv", ".tsv", ".xlsx", ".parquet")


def table_rows(
    path: str | Path,
    what: str = "table",
    extra: str = "tables",
    *,
    columns: Sequence[str] = (),
    sheet: str = "",
    longest: int = LONGEST_CELL,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table by column: text for .csv and files with tabs, else the cell's
    value, None if it is empty. InputError for a file that is missing, damaged, lacks one of
    `columns` (in lower case), or exceeds a limit.

    `extra`: the extra with the library for compressed tables. `sheet`: of a workbook, by name;
    default: the first. `longest`: characters of a cell."""
    path, most = Path(path), PACKED_CELLS
    where = f"{what} {path}"
    if path.suffix.lower() == ".xlsx":
        rows = _workbook(path, where, extra, sheet)
    elif path.suffix.lower() == ".parquet":
        rows = _parquet(path, where, extra)
    else:
        rows, most = read_rows(path, what, longest), CELLS
    header = list(map(str, next(rows, [])))
    _check(0, len(header), 0, where, most)
    lower = [name.strip().lower() for name in header]
    for name in columns:
        if name not in lower:
            raise InputError(
                f"{where}: column {name!r} is missing; required columns: {', '.join(columns)}"
            )
    observed = 0
    for number, row in enumerate(rows, 1):
        observed += len(row)
        _check(number, len(row), observed, where, most)
        yield {name: value for name, value in zip(header, row) if name}


def _check(rows: int, columns: int, observed: int, where: str, most: int) -> None:
    limits = ((rows, ROWS, "rows"), (columns, COLUMNS, "columns"), (observed, most, "cells"))
    for number, limit, name in limits:
        if number > limit:
            raise InputError(f"{where} has more than the limit of {limit:,} {name}")


def _workbook(path: Path, where: str, extra: str, sheet: str) -> Iterator[list[Any]]:
    openpyxl = needed("openpyxl", extra, f"reading {path} needs", ", or save it as .csv")
    _check_archive(path, where)
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=False, keep_links=False)
        cells = book[sheet] if sheet in book.sheetnames else book.worksheets[0]
        cells.reset_dimensions()  # the declared size may be wrong
        width, decoded = None, 0
        for number, row in enumerate(cells.iter_rows(), 1):
            _check(number, len(row), number, where, ROWS)
            values = [_value(cell.value) for cell in row]
            # a shared text is in the file once, and in any number of cells
            decoded += sum(map(_size, values))
            _check_decoded(decoded, UNPACKED, where)
            if width is None:
                width = len(values)
                yield ["" if value is None else value for value in values]
            elif any(value is not None for value in values):
                yield (values + [None] * width)[:width]
    except InputError:
        raise
    except Exception as error:  # a damaged workbook raises any error of zip, XML and openpyxl
        reason = " ".join(str(error).split())[:100]
        raise InputError(
            f"{where} is not a readable .xlsx file ({type(error).__name__}: {reason})"
        ) from None


def _value(value: Any) -> Any:
    """Return a cell's value; for an array formula its text."""
    return str(getattr(value, "text", "")) if type(value).__name__.endswith("Formula") else value


def _check_archive(path: Path, where: str) -> None:
    """Raise InputError for a workbook that decompresses to too much, before it is decompressed. The
    sizes declared in a zip bound its content."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            unpacked, packed = sum(p.file_size for p in parts), path.stat().st_size
            if unpacked > UNPACKED or unpacked > max(RATIO * packed, SMALL):
                raise InputError(
                    f"{where} unpacks from {packed:,} to {unpacked:,} bytes; no genuine table does"
                )
            size = 0
            for part in parts:
                if _describes(part.filename):
                    size += part.file_size
            if size > OTHERS:
                raise InputError(
                    f"{where} has {size:,} bytes of styles and names; the limit is {OTHERS:,}"
                )
            # Entities may expand without limit
            if any(b"<!DOCTYPE" in archive.read(p) for p in parts):
                raise InputError(
                    f"{where} is not a readable .xlsx file: its XML declares a document type"
                )
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{where.removesuffix(f' {path}')} not found: {path}") from None
    except Exception as error:  # a damaged archive raises any error of zipfile and zlib
        raise InputError(f"{where} is not a readable .xlsx file ({error})") from None


def _size(value: Any) -> int:
    """Return the size of a value in characters and bytes; of a nested one, the sum of its parts."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        return 8 + sum(map(_size, value.values()))
    return 8 + (sum(map(_size, value)) if isinstance(value, list) else 0)


def _check_decoded(decoded: int, most: int, where: str) -> None:
    if decoded > most:
        raise InputError(f"{where} unpacks to more than the limit of {most:,} characters")


def _describes(name: str) -> bool:
    """Return whether a part of a workbook is XML without cells: styles, names, relations."""
    cells = name.startswith("xl/worksheets/sheet") or name.lower() == "xl/sharedstrings.xml"
    return name.endswith((".xml", ".rels")) and not cells


def _parquet(path: Path, where: str, extra: str) -> Iterator[list[Any]]:
    pyarrow = needed("pyarrow", extra, f"reading {path} needs")
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            about, decoded = file.metadata, 0
            rows, columns = about.num_rows, about.num_columns
            # A column of a million equal rows takes a few bytes in the file.
            _check(rows, columns, rows * columns, where, PACKED_CELLS)
            yield file.schema_arrow.names
            for batch in file.iter_batches(BATCH):
                for row in batch.to_pylist():
                    decoded += sum(map(_size, row.values()))
                    _check_decoded(decoded, DECODED, where)
                    yield list(row.values())
    except FileNotFoundError:
        raise InputError(f"{where.removesuffix(f' {path}')} not found: {path}") from None
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            f"{where} is not a readable parquet file ({' '.join(str(error).split())[:100]})"
        ) from None
