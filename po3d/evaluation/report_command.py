"""The command `po3d report`: an HTML page, tables or the files of a paper from runs."""

import argparse
from pathlib import Path
from typing import Any

from po3d.evaluation.report.html_items import ITEMS
from po3d.evaluation.report.paper import write_paper
from po3d.evaluation.report.records import about_run, same_data
from po3d.evaluation.report.results import Published
from po3d.evaluation.run_report import SPELLINGS, grid_of, read_run, write_page
from po3d.evaluation.run_tables import ReportedRun, explained
from po3d.io.errors import InputError
from po3d.io.files import write_file


def report_command(arguments: argparse.Namespace) -> int:
    """Write a run's HTML page, print its tables, or write the files for a paper."""
    tabled = arguments.form or arguments.paper
    if tabled and (arguments.items is not None or arguments.question):
        raise InputError("--items and --question apply to the HTML report, not to tables")
    if arguments.paper and arguments.out:
        raise InputError(
            "--paper writes to its own folder; --out applies to an HTML report or tables"
        )
    published: Published = "later" if arguments.later else True
    groups = _grouped(arguments)
    if not tabled:
        if len(groups) > 1:
            raise InputError(
                f"{groups[0][0]} and {groups[1][0]} are on different data; write one report for"
                " each"
            )
        (folder, run), which = groups[0], {"ids": arguments.question, "published": published}
        which["items"] = ITEMS if arguments.items is None else arguments.items
        path = write_page(run, folder, arguments.out, arguments.grid, **which)
        print(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")
        return 0
    if arguments.paper:
        for path in write_paper(groups, arguments.paper, published, arguments.grid):
            print(f"wrote {path}")
        return 0
    parts = []
    for k, (folder, run) in enumerate(groups):
        label = run.report["benchmark"] + (f"-{k + 1}" if len(groups) > 1 else "")
        tables = explained(run, published, grid_of(arguments.grid or folder, run))
        parts.append(SPELLINGS[arguments.form](tables, label).rstrip())
    content = "\n\n".join(parts) + "\n"
    if arguments.out is None:
        print(content, end="")
        return 0
    write_file(arguments.out, content)
    print(f"wrote {arguments.out}")
    return 0


def _grouped(arguments: argparse.Namespace) -> list[tuple[Path, ReportedRun]]:
    """Group the named runs by data: per group the first folder, and a run that includes the others
    for comparison."""
    groups: list[tuple[dict[str, Any], list[str]]] = []
    for folder in arguments.folders:
        about = about_run(folder)
        own = next((paths for first, paths in groups if same_data(first, about)), None)
        if own is None:
            groups.append((about, [folder]))
        else:
            own.append(folder)
    names = list(map(str.strip, arguments.names.split(","))) if arguments.names else []
    single = len(groups) == 1
    if not single and (arguments.others or names or arguments.data or arguments.grid):
        raise InputError("--with, --names, --data and --grid need runs on the same data")
    result = []
    for _, (first, *more) in groups:
        inputs = names if not more or not names else [""] * len(more) + names
        run = read_run(first, [*more, *arguments.others], inputs, arguments.data)
        result.append((Path(first), run))
    return result
