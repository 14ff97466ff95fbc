"""Trial of a file in a subprocess with limits on time and memory, before it is read here.

A malicious file of a few bytes may demand any time and memory of its reader, or end the process.
"""

import importlib
import json
import subprocess
import sys
import time
from pathlib import Path

SECONDS = 1  # of CPU time, in addition to those per megabyte of the file
MEMORY = 2**28  # bytes on top of those of the process, in addition to those per byte of the file
_TRIAL = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from po3d.io import trials
trials.limited(*sys.argv[2:])
"""


def exceeds(reader: str, path: Path, seconds_per_mb: float, memory_per_byte: int) -> bool:
    """Return whether reading a file exceeds the limits or ends the process; other errors are
    reported when it is read here. `reader`: "module:function" of one path; what it needs should be
    imported with its module, as imports do not count."""
    command = [sys.executable, "-c", _TRIAL, json.dumps(sys.path), reader, str(path.absolute())]
    limits = [str(seconds_per_mb), str(memory_per_byte)]
    quiet = {"stdin": subprocess.DEVNULL, "capture_output": True}
    return subprocess.run([*command, *limits], check=False, **quiet).returncode != 0


def limited(reader: str, path: str, seconds_per_mb: str, memory_per_byte: str) -> None:
    """Read a file under limits; the process ends with a signal or exit code 1 if it exceeds
    them."""
    import resource

    module, _, function = reader.partition(":")
    read = getattr(importlib.import_module(module), function)
    size = Path(path).stat().st_size
    seconds = time.process_time() + SECONDS + float(seconds_per_mb) * size / 2**20
    limits = {resource.RLIMIT_CPU: int(seconds) + 1, resource.RLIMIT_CORE: 0}
    if (own := Path("/proc/self/statm")).is_file():  # Linux alone enforces RLIMIT_AS
        pages = int(own.read_text(encoding="ascii").split()[0])
        used = pages * resource.getpagesize()
        limits[resource.RLIMIT_AS] = used + MEMORY + int(memory_per_byte) * size
    for kind, limit in limits.items():
        hard = resource.getrlimit(kind)[1]
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (soft, hard))
    try:
        read(path)
    except MemoryError:
        sys.exit(1)
    except Exception:  # damaged or refused
        sys.exit(0)
