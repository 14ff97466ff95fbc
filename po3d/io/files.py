"""Atomic writing of files, and readers of text, JSON and tables.

Files are written under a temporary name, synced and renamed. The readers have common encodings and
one-line errors.
"""

import argparse
import bz2
import codecs
import contextlib
import csv
import errno
import fcntl
import gzip
import hashlib
import io
import json
import math
import os
import re
import shutil
import stat
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from po3d.io.errors import InputError

LARGEST = 2**30  # bytes of a file that is read whole; all scenes of Super-CLEVR have a fifth of it
LARGEST_PIPE = 2**28  # bytes of a pipe or a device, which has no size and may be endless
LONGEST_CELL = 2**31 - 1  # characters of a table's cell: some hold images
LONGEST_LINE = 2**28  # bytes of a line of JSON
# Limit for a JSON text with fewer than DENSE bytes per value: an empty list takes 64 bytes in
# memory.
VALUES = 10_000_000
DENSE = 4
_HEAD = 4096  # bytes that determine a file's encoding
_TEMPORARY = re.compile(r"\..+\.([1-9][0-9]{0,8})\.tmp", re.DOTALL)
_PACKED = {".gz": gzip.open, ".bz2": bz2.open}


@contextlib.contextmanager
def atomic_write(path: str | Path, mode: str = "w") -> Iterator[IO]:
    """Yield a file object whose content replaces `path` only if the block ends without an
    exception. A device or a pipe (/dev/null, /dev/stdout) is written directly, and a symbolic link
    is followed: neither may be replaced by a file."""
    path, encoding = Path(path), None if "b" in mode else "utf-8"
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        with open(path, mode, encoding=encoding) as file:
            yield file
        return
    path = path.resolve() if path.is_symlink() else path
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_torn(path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        # names in the content may not be valid UTF-8
        with open(
            temporary, mode, encoding=encoding, errors="replace" if encoding else None
        ) as file:
            with contextlib.suppress(OSError):  # some file systems have no locks
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, path)
    except OSError as error:
        if error.filename == str(temporary):
            error.filename = str(path)  # the path given by the user
        raise
    finally:
        with contextlib.suppress(OSError):  # the name may be too long for the file system
            temporary.unlink(missing_ok=True)


_searched: set[Path] = set()  # folders searched by this process


def remove_torn(folder: Path) -> None:
    """Remove temporary files of killed processes from a folder, once per process: those whose
    process does not exist (on this machine) and whose lock is free (for other machines that share
    the disk)."""
    folder = folder.absolute()
    if folder in _searched:
        return
    _searched.add(folder)
    names: list[str] = []
    with contextlib.suppress(OSError):  # a folder may be writable and not readable
        names = os.listdir(folder)
    for name in names:
        if not (result := _TEMPORARY.fullmatch(name)) or _alive(int(result[1])):
            continue
        if (folder / name).is_dir():  # a training's
            shutil.rmtree(folder / name, ignore_errors=True)
            continue
        with contextlib.suppress(OSError), open(folder / name, "rb") as file:
            # OSError: a process on another machine writes it.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (folder / name).unlink()


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def output_file(path: str) -> str:
    """Validate the path of an output file, as argparse's `type`; a folder is rejected before the
    work."""
    if path and Path(path).is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder, not a file")
    return path


def write_file(path: str | Path, content: str | bytes) -> None:
    """Write text in UTF-8, or bytes, atomically."""
    with atomic_write(path, "w" if isinstance(content, str) else "wb") as file:
        file.write(content)


def finite(value: Any) -> Any:
    """Replace NaN and infinity, which JSON cannot represent, by None."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return list(map(finite, value))
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_json(path: str | Path, value: object, indent: int | None = 1) -> None:
    """Write `value` as JSON, atomically; compact if `indent` is None."""
    separators = (",", ":") if indent is None else None
    with atomic_write(path) as file:
        json.dump(value, file, indent=indent, ensure_ascii=False, separators=separators)
        file.write("\n")


def write_jsonl(path: str | Path, records: Iterable[object], compact: bool = False) -> None:
    """Write one record per line as they arrive; the file appears atomically at the end. `compact`:
    without spaces."""
    separators = (",", ":") if compact else None
    with atomic_write(path) as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False, separators=separators) + "\n")


def read_text(path: str | Path, what: str = "text file", largest: int | None = None) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark, or in UTF-16 with one;
    InputError if it is missing, in another encoding or longer than `largest` bytes (default:
    LARGEST). `what` names the file in the error, here and below."""
    data = _utf8(read_bytes(path, what, largest), path, what)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(_not_text(path, what, error)) from None


def read_json(path: str | Path, what: str = "JSON file") -> object:
    """Return the content of a JSON file, with the encodings of `read_text`; InputError if it is
    missing or not JSON."""
    return parse_json(read_text(path, what), f"{what} is not valid JSON: {path}")


def read_jsonl(path: str | Path, what: str = "JSONL file") -> Iterator[dict]:
    """Yield the records of a JSONL file, with the encodings of `read_text`; decompressed if its
    name ends in ".gz" or ".bz2". A torn last line of a killed writer is dropped; any other line
    that is not a JSON object is an InputError."""
    for number, line in enumerate(_lines(path, what), 1):
        if not line.strip():
            continue
        where = f"{what} {path}, line {number}"
        try:
            record = parse_json(line.decode("utf-8"), f"{where}: not valid JSON")
        except (InputError, UnicodeDecodeError) as error:
            if not line.endswith(b"\n"):  # the writer was killed within this record
                return
            if isinstance(error, InputError):
                raise
            raise InputError(f"{where}: not valid UTF-8 (byte {error.start} of the line)") from None
        if not isinstance(record, dict):
            raise InputError(
                f"{where}: each line should be a JSON object, not {type(record).__name__}"
            )
        yield record


def _lines(path: str | Path, what: str) -> Iterator[bytes]:
    """Yield the lines of a text in UTF-8, also of a compressed one. A text in UTF-16, or from a
    pipe, is read whole."""
    suffix = Path(path).suffix
    try:
        with _PACKED.get(suffix, open)(path, "rb") as file:
            if Path(path).is_file() and _encoding(file.read(_HEAD), path, what) == "utf-8-sig":
                file.seek(0)
                mark, left = codecs.BOM_UTF8, LARGEST if suffix in _PACKED else math.inf
                while line := file.readline(LONGEST_LINE + 1):
                    left -= len(line)
                    if len(line) > LONGEST_LINE:
                        raise InputError(
                            f"{what} has a line longer than the limit of {LONGEST_LINE:,} bytes:"
                            f" {path}"
                        )
                    if left < 0:
                        raise InputError(
                            f"{what} is larger than the limit of {LARGEST:,} bytes: {path}"
                        )
                    yield line.removeprefix(mark)
                    mark = b""
                return
    except InputError:
        raise
    except (OSError, EOFError, zlib.error, ValueError) as error:
        if suffix in _PACKED and Path(path).is_file():
            raise InputError(f"{what} is not a complete {suffix} file: {path} ({error})") from None
        raise InputError(unreadable(path, what, error)) from None
    data = read_bytes(path, what)
    yield from io.BytesIO(_utf8(_unpacked(data, path, what), path, what))


def read_cells(
    path: str | Path, what: str = "table", longest: int = LONGEST_CELL
) -> Iterator[list[str]]:
    """Yield the rows, header included, of a .csv file, or of one with tabs (any other suffix), with
    the encodings of `read_text`; row by row, as some tables are too large for memory. `longest`:
    characters of a cell."""
    delimiter = "," if Path(path).suffix.lower() == ".csv" else "\t"
    before = csv.field_size_limit(longest)
    try:
        with open(path, "rb") as binary:
            encoding = _encoding(binary.read(_HEAD), path, what)
        with open(path, encoding=encoding, newline="") as file:
            yield from csv.reader(file, delimiter=delimiter)
    except OSError as error:
        raise InputError(unreadable(path, what, error)) from None
    except UnicodeError as error:
        raise InputError(_not_text(path, what, error)) from None
    except csv.Error as error:
        reason = str(error)
        if "field limit" in reason:
            reason = f"a cell is longer than the limit of {longest:,} characters"
        raise InputError(f"{what} {path} is not a text table ({reason})") from None
    finally:
        csv.field_size_limit(before)


def read_rows(
    path: str | Path, what: str = "table", longest: int = LONGEST_CELL
) -> Iterator[list[str]]:
    """Yield the rows of `read_cells` that are not empty, header first; InputError if a row does not
    have one cell per column."""
    rows = filter(None, read_cells(path, what, longest))
    width = len(header := next(rows, []))
    yield header
    for number, row in enumerate(rows):
        if len(row) != width:
            raise InputError(
                f"{what} {path}, row {number}: {len(row)} cells in {width} columns; the file may be"
                " truncated"
            )
        yield row


def read_table(path: str | Path, what: str = "table") -> Iterator[dict[str, str]]:
    """Yield the rows of `read_rows` by column."""
    rows = read_rows(path, what)
    header = next(rows)
    for row in rows:
        yield dict(zip(header, row))


def rows_beside(module: str, name: str) -> list[dict[str, str]]:
    """Return the rows, by column, of a shipped .csv file beside a module (its `__file__`)."""
    return list(read_table(Path(module).parent / name))


def lines_beside(module: str, name: str) -> list[str]:
    """Return the lines of a shipped text file beside a module (its `__file__`), without comments
    (#) and empty lines."""
    text = (Path(module).parent / name).read_text(encoding="utf-8")
    result = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            result.append(line)
    return result


def read_bytes(path: str | Path, what: str, largest: int | None = None) -> bytes:
    """Return the bytes of a file, or of a pipe to its end; InputError if it is missing or larger
    than `largest` bytes (default: LARGEST; of a pipe or a device LARGEST_PIPE at most)."""
    largest = LARGEST if largest is None else largest
    try:
        with open(path, "rb") as file:
            about = os.fstat(file.fileno())
            regular = stat.S_ISREG(about.st_mode)
            largest = largest if regular else min(largest, LARGEST_PIPE)
            if about.st_size <= largest:
                data = file.read() if regular else file.read(largest + 1)
                if len(data) <= largest:
                    return data
    except (OSError, ValueError) as error:
        raise InputError(unreadable(path, what, error)) from None
    raise InputError(f"{what} is larger than the limit of {largest:,} bytes: {path}")


def _unpacked(data: bytes, path: str | Path, what: str) -> bytes:
    if (suffix := Path(path).suffix) not in _PACKED:
        return data
    try:
        with _PACKED[suffix](io.BytesIO(data)) as file:
            if len(content := file.read(LARGEST + 1)) <= LARGEST:
                return content
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{what} is not a complete {suffix} file: {path} ({error})") from None
    raise InputError(f"{what} is larger than the limit of {LARGEST:,} bytes: {path}")


def unreadable(path: str | Path, what: str, error: OSError | ValueError) -> str:
    """Return why a file cannot be read. ValueError: the name contains NUL, so no file has it."""
    if isinstance(error, FileNotFoundError | ValueError):
        return f"{what} not found: {path}"
    if isinstance(error, IsADirectoryError):
        return f"{what} is a folder, not a file: {path}"
    return f"{what} cannot be read: {path} ({error.strerror})"


def _encoding(head: bytes, path: str | Path, what: str) -> str:
    """Return the encoding of a file from its first bytes: by its byte order mark, else UTF-8."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # also begins like UTF-16
        raise InputError(f"{what} {path} is encoded in UTF-32; save it as UTF-8")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in head:
        raise InputError(f"{what} {path} is not UTF-8 text: it contains NUL characters")
    return "utf-8-sig"


def _utf8(data: bytes, path: str | Path, what: str) -> bytes:
    """Return the text in UTF-8 without a byte order mark; UTF-8 is not decoded."""
    if _encoding(data[:_HEAD], path, what) == "utf-8-sig":
        return data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-16").encode("utf-8")
    except UnicodeError as error:
        raise InputError(_not_text(path, what, error)) from None


def _not_text(path: str | Path, what: str, error: UnicodeError) -> str:
    at = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
    reason = getattr(error, "reason", str(error))
    return f"{what} {path} is not UTF-8 text ({reason}{at}); save it as UTF-8"


def parse_json(text: str | bytes, failing: str) -> object:
    """Parse a JSON text. InputError, beginning with `failing`, if it is invalid, nested deeper than
    200 lists and objects, has a number of more than 4,300 digits (limits of pydantic's parser,
    which is faster than Python's), or more than VALUES values in fewer than DENSE bytes each."""
    from pydantic_core import from_json  # slow import, only when a file is read

    marks = (",", "[", "{") if isinstance(text, str) else (b",", b"[", b"{")
    if len(text) > VALUES and VALUES < sum(map(text.count, marks)) > len(text) / DENSE:
        raise InputError(f"{failing} (more than {VALUES:,} small values)")
    try:
        return from_json(text)
    except ValueError as error:
        reason = str(error).replace("recursion limit exceeded", "nested too deeply")
        reason = reason.replace("number out of range", "a number has too many digits")
    raise InputError(f"{failing} ({reason})")


def sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file as a hex digest."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
