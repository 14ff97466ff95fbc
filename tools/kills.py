"""Kill commands at random times, restart them, and compare their output with uninterrupted runs.

    python tools/kills.py any --count 60               seven commands in random order, small jobs
    python tools/kills.py evaluate                     one command; also generate, train, import,
                                                       export, report, ray
    python tools/kills.py train --count 5 --seed 1
    python tools/kills.py generate --count 30 -- benchmark=scope size=3 workers=2
        another job, by its options

Each row of the table is one run in its own folder: killed by SIGKILL (which a process cannot
handle), restarted until it finishes, and compared file by file. All bytes must be equal except
times of day, the list of the times at which a run was continued (in reports and run.json), and no
temporary file may be left. Modules are imported once in this
process: every run is a forked child, so that kills hit the actual work. Do not change the checkout
during a run, because reports contain its revision. Exit code 1 if a run differs.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import random
import re
import runpy
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from po3d import __main__ as po3d
from po3d.benchmarks import registry
from po3d.cli import main as _cli  # noqa: F401  imported here for all runs, like run_report
from po3d.evaluation import run_report  # noqa: F401
from po3d.io import paths, runs
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import write_jsonl
from po3d.io.seeding import rng
from po3d.io.text_tables import Table, text

OUT = "run"
HAS_RAY = importlib.util.find_spec("ray") is not None
JOBS = {
    "evaluate": ("system=oracle", "size=12"),
    "generate": ("benchmark=pulsecheck457", "size=3", "workers=1", "images=false"),
    "train": (
        "experiment=street_parser", "data.pairs=64", "data.batch=8", "data.validation=8",
        "steps=8", "save_every=2",
        "trainer.precision=32-true",
    ),
    "import": ("--size", "12"),
    "export": ("--format", "vlmevalkit"),
    "report": (),
    "ray": ("system=oracle", "size=12", "engine=ray", "engine.workers=2"),
}  # fmt: skip
OPTION_STYLE = ("evaluate", "generate", "train", "ray")  # take key=value
RARE = 5  # Ray takes seconds to start: it is drawn so much less often than each of the others
_TIME_OF_DAY = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)?")
_CONTINUED = re.compile(rb"^.*interrupted, continued [-:0-9T+, ]*\n", re.MULTILINE)
_TEMPORARY = re.compile(r"\..*\.tmp")  # temporary files of a killed writer; nothing reads them


class Inputs:
    """Files that commands read, written once in the folder `place`."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def arguments(self, kind: str, options: list[str]) -> list[str]:
        """Return the command line of a job that writes below OUT in its working directory."""
        if kind in OPTION_STYLE:
            return ["evaluate" if kind == "ray" else kind, *options, f"out={OUT}"]
        if kind == "import":
            return ["import", str(self.results()), *options, "--out", f"{OUT}/answers.jsonl"]
        if kind == "export":
            return ["export", *options, "--data", str(self.twin()), "--out", OUT]
        return ["report", *options, OUT]

    def prepare(self, kind: str, folder: Path) -> None:
        """Put the files that a job changes into its folder."""
        if kind == "report":
            shutil.copytree(self.run(), folder / OUT)

    def results(self) -> Path:
        """Return a result file of a language model."""
        path = self.place / "results.jsonl"
        if not path.exists():
            items = registry.opened("pulsecheck457", None, 12).questions
            write_jsonl(
                path, ({"qid": q.id, "prediction": f"The answer is {q.answer}."} for q in items)
            )
        return path

    def twin(self) -> Path:
        """Return the folder of a twin of two images."""
        return self._written("twin", ["generate", "benchmark=pulsecheck457", "size=2", "workers=1"])

    def run(self) -> Path:
        """Return the folder of a finished evaluation."""
        return self._written("evaluation", ["evaluate", *JOBS["evaluate"]])

    def _written(self, name: str, arguments: list[str]) -> Path:
        folder = self.place / name
        if not folder.exists():
            folder.mkdir()
            finished([*arguments, f"out={OUT}"], folder)
        return folder / OUT


def start(arguments: list[str], folder: Path) -> int:
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
        code = po3d.main(arguments)
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 0)


def finished(arguments: list[str], folder: Path) -> float:
    """Wait until the command ends; return the seconds. Raise InputError if it fails."""
    began = time.monotonic()
    _, status = os.waitpid(start(arguments, folder), 0)
    if os.waitstatus_to_exitcode(status) != 0:
        log = folder.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
        last = log.strip().splitlines()[-1:]
        raise InputError(f"po3d {' '.join(arguments)} failed: {' '.join(last)}")
    return time.monotonic() - began


def killed(arguments: list[str], folder: Path, seconds: float) -> bool:
    """Kill the command `seconds` after its start; return whether it was still running."""
    child = start(arguments, folder)
    time.sleep(seconds)
    # the process has not been waited for, so its id cannot have been reused
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def written(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder except temporary ones, each as in an uninterrupted run at no
    time: see `timeless`."""
    return {
        str(path.relative_to(folder)): timeless(path.name, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _TEMPORARY.fullmatch(path.name)
    }


def timeless(name: str, data: bytes) -> bytes:
    """Return the content of a file without times of day and without the times at which its run was
    continued. Each of the latter must describe this machine and these versions, else it stays."""
    if Path(name).suffix not in (".json", ".jsonl", ".md", ".html", ".csv"):
        return data
    if name in (runs.RUN, runs.REPORT):
        with contextlib.suppress(ValueError, KeyError, TypeError):
            record = json.loads(data)
            source = (record["about"] if name == runs.RUN else record)["provenance"]
            same = [source["versions"], source["machine"]]
            if all([c["versions"], c["machine"]] == same for c in source["continued"]):
                del source["continued"]
                data = (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode()
    return _TIME_OF_DAY.sub(b"", data if name != runs.REPORT_PAGE else _CONTINUED.sub(b"", data))


def differences(wanted: dict[str, bytes], got: dict[str, bytes]) -> list[str]:
    """Return the names of files that are missing, unexpected or different."""
    return sorted(name for name in wanted.keys() | got.keys() if wanted.get(name) != got.get(name))


def undisturbed(
    kind: str, options: list[str], inputs: Inputs
) -> tuple[list[str], float, dict[str, bytes]]:
    """Run a job without a kill; return its arguments, seconds and files."""
    folder = inputs.place / f"undisturbed-{kind}"
    folder.mkdir()
    arguments = inputs.arguments(kind, options)
    inputs.prepare(kind, folder)
    seconds = finished(arguments, folder)
    files = written(folder)
    size = sum(map(len, files.values()))
    print(f"{kind}: {seconds:.1f} s, {len(files)} files, {size:,} bytes", file=sys.stderr)
    return arguments, seconds, files


def sample_job(kinds: list[str], seed: int, attempt: int) -> str:
    """Return the kind of an attempt; Ray is drawn less often."""
    weights = [1 if kind == "ray" else RARE for kind in kinds]
    return random.Random(f"{seed} kinds {attempt}").choices(kinds, weights)[0]


def kill_often(jobs: dict[str, list[str]], count: int, seed: int, place: Path) -> list[list]:
    """Return a row for each killed run: job, time, files present at that time, temporary files
    left and differences in the end."""
    inputs = Inputs(place)
    wholes: dict[str, tuple[list[str], float, dict[str, bytes]]] = {}
    rows: list[list] = []
    attempt = 0
    while len(rows) < count:
        kind = sample_job(list(jobs), seed, attempt)
        if kind not in wholes:
            wholes[kind] = undisturbed(kind, jobs[kind], inputs)
        arguments, seconds, files = wholes[kind]
        moment = float(rng(seed, "kills", attempt).uniform(0, seconds))
        folder = place / f"{attempt:03d}"
        folder.mkdir()
        inputs.prepare(kind, folder)
        attempt += 1
        if not killed(arguments, folder, moment):
            continue  # it was faster than the first one
        there = written(folder)
        finished(arguments, folder)
        changed = differences(files, written(folder))
        left = sum(1 for p in folder.rglob("*") if _TEMPORARY.fullmatch(p.name))
        size = sum(map(len, there.values()))
        rows.append([kind, moment, len(there), size, left, ", ".join(changed) or "equal"])
        print(
            f"  {len(rows)} of {count}: {kind}, {rows[-1][-1]}, {left} left over", file=sys.stderr
        )
        shutil.rmtree(folder)
    return rows


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("any", *JOBS))
    parser.add_argument("--count", type=int, default=30, help="number of kills")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", nargs="+", default=[], choices=JOBS, help="of any: not these")
    parser.add_argument(
        "options",
        nargs="*",
        metavar="key=value",
        help="arguments of another job than the default small one",
    )
    a = parser.parse_intermixed_args(arguments)
    different = 0

    def run() -> None:
        nonlocal different
        if a.command == "any" and a.options:
            raise InputError("options are those of one command, not of any")
        without = [*a.without, *(["ray"] if not HAS_RAY else [])]
        kinds = [a.command] if a.command != "any" else [k for k in JOBS if k not in without]
        if a.command == "any" and without:
            print(f"left out: {', '.join(without)}{'' if HAS_RAY else ' (Ray is not installed)'}")
        for name in ("evaluate", "train"):
            runpy.run_path(str(paths.script(name)), run_name="imports")
        jobs = {kind: a.options or list(JOBS[kind]) for kind in kinds}
        with tempfile.TemporaryDirectory() as place:
            rows = kill_often(jobs, a.count, a.seed, Path(place))
        header = ("kill", "job", "after s", "files then", "bytes then", "left over", "in the end")
        print(text(Table(header, [[str(k), *row] for k, row in enumerate(rows, 1)])))
        different = sum(row[-1] != "equal" or row[-2] > 0 for row in rows)
        per_job = Counter(row[0] for row in rows)
        print(", ".join(f"{kind} {number}" for kind, number in per_job.items()))
        print(
            f"seed {a.seed}: {len(rows) - different} of {len(rows)} equal, with nothing left over"
        )

    return guarded(run) or int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
