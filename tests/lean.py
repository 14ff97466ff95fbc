"""Every command of po3d without any extra: its help, and a small job, in one process. `python
tests/lean.py` in an environment that has the core requirements alone; exit code 1 and a line for
each command that does otherwise than it should.

The commands come from `po3d.cli.main`: one that is added there without a job here fails."""

import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from po3d.cli.main import COMMANDS, SCRIPTS, main
from po3d.io.paths import ROOT

sys.path.append(str(ROOT / "docs" / "examples"))  # my_estimator.py

SMALL = ("--benchmark", "pulsecheck457", "--size", "1")
TRAINING = (
    "experiment=street_parser",
    "data.pairs=8",
    "data.validation=8",
    "data.batch=4",
    "steps=1",
    "save_every=1",
)


def jobs(folder: Path) -> dict[str, list[str]]:
    """A small job for each command that needs no extra, in an order in which each has what it
    needs.
    """
    answers, rows = str(folder / "run" / "predictions.jsonl"), str(folder / "rows.jsonl")
    return {
        "evaluate": [
            "benchmark=pulsecheck457",
            "system=random",
            "size=1",
            "workers=1",
            f"out={folder}/run",
        ],
        "ask": [str(ROOT / "data/examples/street.json"), "How many cars are there?"],
        "audit": ["--out", str(folder / "errata.jsonl")],
        "compare": [answers, answers, *SMALL, "--names", "a,b"],
        "doctor": [],
        "check-estimator": ["my_estimator.Patches", "--benchmark", "pulsecheck457"],
        "pose-real": ["answer", str(folder / "none"), str(folder / "posed"), "--system", "random"],
        "export": [*SMALL, "--format", "openai", "--out", str(folder / "export")],
        "import": [rows, *SMALL, "--out", str(folder / "imported.jsonl")],
        "language": ["check"],
        "report": [str(folder / "run")],
        "calibration": [answers, *SMALL],
        "serve": ["--port", "-1"],  # refused: one that listens ends with a signal alone
        "train": [*TRAINING, f"out={folder}/train", f"export={folder}/pair"],
    }


CODES = {"serve": 2, "pose-real": 2}  # of the jobs that end with another one than 0
# The job of a command that needs an extra, which it should name.
OTHERS = {"generate": ["benchmark=pulsecheck457", "size=1", "out={}/twin"], "studio": []}


def run(*supplied: str) -> tuple[int, str]:
    """The exit code of a command and what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            code = main(supplied)
        except SystemExit as end:
            code = end.code or 0
    return int(code), printed.getvalue()


def faults(folder: Path, without_extras: bool = True) -> Iterator[str]:
    """A line for each command that does otherwise than it should."""
    own = jobs(folder)
    free = {name for name, command in COMMANDS.items() if not command.extra} | set(SCRIPTS)
    for name in sorted(free ^ set(own)):
        yield f"{name}: has a job here though it needs an extra, or the other way round"
    for name in (*COMMANDS, *SCRIPTS):
        yield from _fault(
            run(name, "--help"), f"{name} --help", lambda code, text: code == 0 and text != ""
        )
    for name, options in own.items():
        if name == "import":
            _rows(folder)
        yield from _fault(
            run(name, *options), name, lambda code, text, name=name: code == CODES.get(name, 0)
        )
    for name, command in COMMANDS.items():
        if command.extra and without_extras:
            yield from _fault(
                run(name, *(part.format(folder) for part in OTHERS[name])),
                name,
                lambda code, text, extra=command.extra: code == 2 and f"po3d[{extra}]" in text,
            )


def _fault(ended: tuple[int, str], name: str, right: Callable[[int, str], bool]) -> Iterator[str]:
    if not right(*ended):
        yield f"{name}: exit code {ended[0]}, {' '.join(ended[1].split())[-300:]!r}"


def _rows(folder: Path) -> None:
    """A result file of a harness, made of the questions that were exported."""
    exported = next((folder / "export").rglob("*.jsonl")).read_text(encoding="utf-8").splitlines()
    first = json.loads(exported[0])
    row = {"id": first.get("custom_id") or first.get("id"), "response": "yes"}
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        found = list(faults(Path(folder)))
    print(*(found or [f"all {len(COMMANDS) + len(SCRIPTS)} commands are in order"]), sep="\n")
    sys.exit(bool(found))
