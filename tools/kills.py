"""Kill a command at random times, restart it, and compare its output with an uninterrupted run.

    python tools/kills.py evaluate                     30 kills of a small job; also generate, train
    python tools/kills.py train --kills 5 --seed 1
    python tools/kills.py generate --kills 30 -- benchmark=scope size=3 workers=2
        another job, by its options

Each row of the table is one run in its own folder: killed by SIGKILL (which a process cannot
handle), restarted until it finishes, and compared file by file. All bytes must be equal except
times of day in reports. Modules are imported once in this process: every run is a forked child, so
that kills hit the actual work. Do not change the checkout during a run, because reports contain its
revision. Exit code 1 if a run differs.
"""

import argparse
import os
import re
import runpy
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from po3d import __main__ as po3d
from po3d.evaluation import run_report  # noqa: F401  for its imports
from po3d.io import paths
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.io.text_tables import Table, text

OUT = "run"
JOBS = {
    "evaluate": ("size=4",),
    "generate": ("benchmark=pulsecheck457", "size=24", "workers=1"),
    "train": (
        "experiment=street_parser", "data.pairs=256", "data.batch=16", "data.validation=32", "steps=24", "save_every=4",
        "trainer.precision=32-true",
    ),
}  # fmt: skip
_TIME_OF_DAY = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)?")
_TEMPORARY = re.compile(r"\..*\.tmp")  # temporary files of a killed writer; nothing reads them


def start(command: str, options: list[str], folder: Path) -> int:
    """Start the command in `folder` with its output in a file beside it; return the process id."""
    sys.stdout.flush()
    if child := os.fork():
        return child
    code: object = 1
    try:
        log = os.open(folder.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(folder)
        code = po3d.main([command, *options, f"out={OUT}"])
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 0)


def finished(command: str, options: list[str], folder: Path) -> float:
    """Wait until the command ends; return the seconds. Raise InputError if it fails."""
    began = time.monotonic()
    _, status = os.waitpid(start(command, options, folder), 0)
    if os.waitstatus_to_exitcode(status) != 0:
        last = (
            folder.with_suffix(".log").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        )
        raise InputError(f"po3d {command} {' '.join(options)} failed: {' '.join(last)}")
    return time.monotonic() - began


def killed(command: str, options: list[str], folder: Path, seconds: float) -> bool:
    """Kill the command `seconds` after its start; return whether it was still running."""
    child = start(command, options, folder)
    time.sleep(seconds)
    # the process has not been waited for, so its id cannot have been reused
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def written(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder except temporary ones; times of day are removed from
    texts.
    """
    files = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not _TEMPORARY.fullmatch(p.name)):
        data = path.read_bytes()
        is_text = path.suffix in (".json", ".jsonl", ".md", ".html", ".csv")
        files[str(path.relative_to(folder))] = _TIME_OF_DAY.sub(b"", data) if is_text else data
    return files


def differences(wanted: dict[str, bytes], got: dict[str, bytes]) -> list[str]:
    """Return the names of files that are missing, unexpected or different."""
    return sorted(name for name in wanted.keys() | got.keys() if wanted.get(name) != got.get(name))


def kill_often(command: str, options: list[str], kills: int, seed: int, place: Path) -> list[list]:
    """Return a row for each killed run: time, files present at that time, and differences in the
    end.
    """
    whole = place / "undisturbed"
    whole.mkdir()
    duration = finished(command, options, whole)
    wanted = written(whole)
    print(f"uninterrupted: {duration:.1f} s, {len(wanted)} files, {sum(map(len, wanted.values())):,} bytes")
    rows: list[list] = []
    tries = 0
    while len(rows) < kills:
        moment = float(rng(seed, "kills", tries).uniform(0, duration))
        folder = place / f"{tries:03d}"
        folder.mkdir()
        tries += 1
        if not killed(command, options, folder, moment):
            continue  # it was faster than the first one
        there = written(folder)
        finished(command, options, folder)
        changed = differences(wanted, written(folder))
        left = sum(1 for p in folder.rglob("*") if _TEMPORARY.fullmatch(p.name))
        size = sum(map(len, there.values()))
        rows.append([len(rows) + 1, moment, len(there), size, left, ", ".join(changed) or "equal"])
        print(f"  {len(rows)} of {kills}: {rows[-1][-1]}", file=sys.stderr)
    return rows


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=JOBS)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "options", nargs="*", metavar="key=value", help="arguments of another job than the default small one"
    )
    a = parser.parse_intermixed_args(arguments)
    different = 0

    def run() -> None:
        nonlocal different
        if a.command != "generate":
            runpy.run_path(str(paths.script(a.command)), run_name="imports")
        options = a.options or list(JOBS[a.command])
        print(f"po3d {a.command} {' '.join(options)}, seed {a.seed}")
        with tempfile.TemporaryDirectory() as place:
            rows = kill_often(a.command, options, a.kills, a.seed, Path(place))
        header = ("kill", "after s", "files then", "bytes then", "left over", "in the end")
        print(text(Table(header, [[str(row[0]), *row[1:]] for row in rows])))
        different = sum(row[-1] != "equal" for row in rows)
        print(f"{len(rows) - different} of {len(rows)} equal")

    return guarded(run) or int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
