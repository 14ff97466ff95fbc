"""Exit of a program: errors of the user are one line and exit code 2, without a traceback."""

import contextlib
import importlib
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from po3d.io.errors import InputError, visible

BAD_INPUT = 2
INTERRUPTED = 130  # exit code of shells after Ctrl+C
PIPE_CLOSED = 141  # exit code of shells for a closed pipe (`... | head -1`)
EXTRAS = {  # module -> the extra in pyproject.toml that installs it
    "moderngl": "synthesis",
    "trimesh": "synthesis",
    "mapbox_earcut": "synthesis",
    "openpyxl": "tables",
    "rapidocr_onnxruntime": "ocr",
    "pyarrow": "srbench",
    "OpenEXR": "hdri",
    "matplotlib": "report",
    "lmms_eval": "harness",
    "transformers": "foundation",
    "ray": "cluster",
    "webdataset": "shards",
}


@contextlib.contextmanager
def naming_extras() -> Iterator[None]:
    """Turn a missing module of an extra into an InputError that names the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in EXTRAS:
            raise
        raise InputError(f"this needs {module}: pip install 'po3d[{EXTRAS[module]}]'") from None


def needed(module: str, extra: str, what: str, instead: str = "") -> Any:
    """Import a module of an extra; raise InputError if it is not installed. The message begins with
    `what` (the purpose of the module) and ends with `instead` (an alternative)."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(f"{what} {module}: pip install 'po3d[{extra}]'{instead}") from None


def guarded(main: Callable[[], None], in_json: bool = False) -> int:
    """Run `main` and return the exit code. Errors of the user (InputError) and of the machine
    (OSError: a full disk, a read-only folder) are one line on stderr and code 2; with `in_json`
    also an object on stdout. If the reader of stdout is gone the program ends silently, on Ctrl+C
    with one line: both by SystemExit, so that no caller continues."""
    _accept_any_output()
    try:
        try:
            with naming_extras():
                main()
        finally:
            sys.stdout.flush()  # raises if the reader is gone
    except BrokenPipeError:
        _drop_output()
        raise SystemExit(PIPE_CLOSED) from None
    except (InputError, OSError, MemoryError, RuntimeError, ImportError) as error:
        if isinstance(error, MemoryError | RuntimeError | ImportError) and not out_of_memory(error):
            raise
        if isinstance(error, OSError):
            _drop_output()
        reason = " ".join(visible(_words(error)).split())
        print(f"error: {reason}", file=sys.stderr)
        if in_json:
            with contextlib.suppress(OSError, ValueError):  # stdout may be the cause of the error
                print(json.dumps({"status": "error", "reason": reason}), flush=True)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted; run the same command again to resume", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    return 0


NO_MEMORY = re.compile(
    r"can.?t allocate memory|cannot allocate memory|out of memory|can.?t start new thread|failed to"
    r" map segment|"
    r"terminated abruptly",  # of a process pool
    re.IGNORECASE,
)


def out_of_memory(error: BaseException) -> bool:
    """Whether Python, torch, numpy or the dynamic loader ran out of memory."""
    return isinstance(error, MemoryError) or NO_MEMORY.search(str(error)) is not None


def _words(error: Exception) -> str:
    if isinstance(error, InputError):
        return str(error)
    if out_of_memory(error):
        text = " ".join(str(error).split())[:200]
        return "out of memory; free some memory, or reduce workers=, size= or data.batch=" + (
            f": {text}" if text else ""
        )
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"


def _accept_any_output() -> None:
    """Drop output to a closed stream, and replace characters that the output's encoding lacks by
    question marks (stderr writes escapes anyway)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # open until the process ends
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _drop_output() -> None:
    """Discard pending output, which would fail again with a traceback when Python ends."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        return
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
