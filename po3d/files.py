"""Files that are either whole or absent: written to a temporary name, synced, renamed."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from po3d.errors import InputError


@contextlib.contextmanager
def atomic_write(path: str | Path, mode: str = "w") -> Iterator[IO]:
    """A file object whose content appears at `path` only when the block ends without an exception."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: str | Path, value: object, indent: int | None = 1) -> None:
    """Write `value` as JSON, atomically; compact when `indent` is None."""
    separators = (",", ":") if indent is None else None
    with atomic_write(path) as file:
        json.dump(value, file, indent=indent, ensure_ascii=False, separators=separators)
        file.write("\n")


def read_json(path: str | Path, what: str = "JSON file") -> object:
    """The parsed content of a JSON file; InputError when it is missing or not JSON."""
    path = Path(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{what} not found: {path}") from None
    except IsADirectoryError:
        raise InputError(f"{what} is a folder, not a file: {path}") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{what} is not valid JSON: {path} ({error})") from None


def read_jsonl(path: str | Path, what: str = "JSONL file") -> Iterator[dict]:
    """The records of a JSONL file. A torn last line, left by a killed writer, is dropped; any other is an InputError."""
    path = Path(path)
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        raise InputError(f"{what} not found: {path}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            if number == len(lines):  # no newline after it: the writer was killed inside this record
                return
            raise InputError(f"{what} {path}, line {number}: not valid JSON ({error})") from None


def sha256(path: str | Path) -> str:
    """Hex digest of a file's content."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
