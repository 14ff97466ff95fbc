"""Update the figures of the shipped splits in README and docs from the working tree.

    python -m tools.figures            makes missing runs and updates the pages
    python -m tools.figures --check    exit code 1, with a line for each figure 0.5 points off
    python -m tools.figures --check --only benchmark=pulsecheck457

A page marks a figure with its run, as options of evaluate.py, and the row of the run's report:

    <!-- figure: benchmark=scope; average -->88.1<!-- end -->

README's table between `<!-- results: begin -->` and its end belongs to benchmark=pulsecheck457. A
finished run of equal weights and revision in its usual folder (outputs/) is scored again instead of
repeated: after `python evaluate.py` this takes seconds.
"""

import argparse
import contextlib
import functools
import importlib.util
import io
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path

from po3d.evaluation.report.results import BEGIN, into_readme
from po3d.io.cli_errors import guarded
from po3d.io.config import compose
from po3d.io.errors import InputError
from po3d.io.files import read_json, write_file
from po3d.io.paths import ROOT, script
from po3d.io.runs import REPORT
from po3d.io.text_tables import cell_text

README_RUN = "benchmark=pulsecheck457"
MARK = re.compile(r"<!-- figure: (?P<run>[^;>]*); (?P<row>[^;>]*?) -->(?P<value>[^<]*)<!-- end -->")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
POINTS = 0.5  # percentage points that a figure may be off in --check
COUNT = 5  # and a whole number, such as of failed questions
Reports = Callable[[str], dict]


@functools.cache
def report(run: str) -> dict:
    """Return the report of a run of evaluate.py with these options."""
    spec = importlib.util.spec_from_file_location("evaluate", script("evaluate"))
    evaluate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(evaluate)
    config = compose("evaluate", [*shlex.split(run), "resume=true"])
    evaluate.main(config, quiet=True)
    result = read_json(Path(config.out) / REPORT, "report")
    return dict(result)


def figure(reports: Reports, run: str, row: str) -> str:
    """Return a row's value as formatted in tables. Raise InputError for a row that the report
    lacks."""
    rows = {r["name"]: r["value"] for r in reports(run)["rows"]}
    if row not in rows:
        raise InputError(f"the run {run!r} has no row {row!r}; its rows are {', '.join(rows)}")
    return cell_text(float(rows[row]))


def brought_up_to_date(text: str, reports: Reports, only: str | None = None) -> str:
    """Return a page with its figures from the reports; `only` those of one run."""

    def new(mark: re.Match) -> str:
        if only not in (None, mark["run"]):
            return mark[0]
        start, end = mark.span("value")
        value = figure(reports, mark["run"], mark["row"])
        return mark[0][: start - mark.start()] + value + mark[0][end - mark.start() :]

    text = MARK.sub(new, text)
    if BEGIN in text and only in (None, README_RUN):
        text = into_readme(text, reports(README_RUN))
    return text


def pages(root: Path = ROOT) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def differences(path: Path, before: str, after: str) -> Iterator[str]:
    """Return a line for each line of a page that is new or different."""
    new = after.splitlines()
    for kind, _, _, start, end in SequenceMatcher(
        None, before.splitlines(), new, autojunk=False
    ).get_opcodes():
        if kind == "delete":
            yield f"{path.name}, line {start + 1}: a line less"
        elif kind != "equal":
            yield from (f"{path.name}, line {k + 1}: {new[k].strip()}" for k in range(start, end))


def within(before: str, after: str, points: float) -> bool:
    """Return whether two pages differ by at most `points` in each figure, COUNT in each whole
    number, and nowhere else.

    Processors round differently, so figures may differ between machines.
    """
    if NUMBER.sub("#", before) != NUMBER.sub("#", after):
        return False
    pairs = zip(NUMBER.findall(before), NUMBER.findall(after))
    return all(abs(float(a) - float(b)) <= (points if "." in a else COUNT) + 1e-9 for a, b in pairs)


def main() -> int:
    """Run the command line; return the exit code: 1 if `--check` finds a figure that is off."""
    parser = argparse.ArgumentParser("python -m tools.figures", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    parser.add_argument(
        "--only",
        metavar="OPTIONS",
        help="update only the figures of one run, for example benchmark=scope",
    )
    inputs = parser.parse_args()
    moved: list[str] = []

    def run() -> None:
        for path in pages():
            before = path.read_text(encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                after = brought_up_to_date(before, report, inputs.only)
            if not (inputs.check and within(before, after, POINTS)):
                moved.extend(differences(path, before, after))
            if after != before and not inputs.check:
                write_file(path, after)
        print(*(moved or ["all figures agree with the shipped splits"]), sep="\n")

    return guarded(run) or int(inputs.check and bool(moved))


if __name__ == "__main__":
    sys.exit(main())
