"""Import a result file of a million rows, and measure memory and time.

    python -m tools.large_import                       a million rows as .tsv, then as .jsonl
    python -m tools.large_import --rows 10000 --formats jsonl

Half of the rows are on questions of the shipped PulseCheck457 split, over and over; the other half
are on questions that it does not have.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from po3d.benchmarks.registry import opened
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.paths import ROOT

COLUMNS = ("index", "qid", "image", "question", "answer", "prediction", "hit")


def rows(count: int) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each row, in the order of COLUMNS."""
    questions = opened("pulsecheck457").questions
    for k in range(count):
        q = questions[k // 2 % len(questions)]
        name = q.id if k % 2 == 0 else f"other-{k}"
        text = q.text if k % 2 == 0 else f"Question {k} of another release?"
        answer = str(q.answer)
        yield str(k + 10**7), name, q.image, text, answer, f"The answer is {answer}.", str(k % 2)


def write(path: Path, count: int) -> None:
    """Write a result file of `count` rows, .tsv or .jsonl."""
    with open(path, "w", encoding="utf-8") as file:
        if path.suffix == ".tsv":
            file.write("\t".join(COLUMNS) + "\n")
        for cells in rows(count):
            line = (
                json.dumps(dict(zip(COLUMNS, cells)))
                if path.suffix == ".jsonl"
                else "\t".join(cells)
            )
            file.write(line + "\n")


def measured(path: Path) -> tuple[float, float, float]:
    """Import a file; return the peak memory in GB, the seconds and the processor's seconds."""
    began = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "po3d",
        "import",
        str(path),
        "--out",
        f"{path}.out/answers.jsonl",
    ]
    with open(f"{path}.log", "w", encoding="utf-8") as log:
        child = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
    if status:
        last = Path(f"{path}.log").read_text(encoding="utf-8").strip().splitlines()[-1:]
        raise InputError(f"po3d import failed: {' '.join(last)}")
    return usage.ru_maxrss / 1e6, time.monotonic() - began, usage.ru_utime + usage.ru_stime


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        "python -m tools.large_import", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--formats", nargs="+", default=["tsv", "jsonl"], choices=("tsv", "jsonl"))
    inputs = parser.parse_args()

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            for form in inputs.formats:
                path = Path(folder) / f"results.{form}"
                write(path, inputs.rows)
                size = path.stat().st_size / 1e6
                peak, seconds, processor = measured(path)
                print(
                    f"{inputs.rows:,} rows as {form} ({size:.0f} MB): {peak:.2f} GB at the peak, "
                    f"{seconds:.0f} s, {processor:.0f} s of the processor",
                    flush=True,
                )

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main())
