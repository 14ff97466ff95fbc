"""Tables of a report.json: for the terminal, for report.md, and for the README's results table.

    python -m po3d.evaluation.report.results OUT/report.json README.md

writes the table between the README's markers.
"""

import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from po3d.benchmarks.published import LATER, PAPER, later_rows, source_lines
from po3d.benchmarks.registry import benchmark_of, counted, scorer_name, title, unit
from po3d.benchmarks.scoring import column
from po3d.evaluation.report.notes import EXPECTED, data_line, official, on_twin
from po3d.evaluation.report.records import read_report
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import write_file
from po3d.io.paths import MINI
from po3d.io.run_names import row_name
from po3d.io.text_tables import Cell, Table, figure_rows, interval_text, markdown, text

TINY = 1e-6  # smaller values of perception metrics are rounding errors
PEOPLE, CHANCE = ("Human",), ("Random",)  # prefixes of published rows that are not models
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


Published = bool | Literal["later"]


def results_table(report: dict, published: Published = True) -> Table:
    """Return a table with our rows above the published ones, one column per category.

    `published` False keeps only human rows and the best model; "later" adds the results published
    after the paper."""
    names, row_label = column(report["rows"], "name"), row_name(report)
    rows = _figures(report)
    if missed := report.get("not_found"):
        cells = {row["name"]: row["value"] for row in missed["rows"]}
        what = f"{row_label}: a named object was not found ({missed['n']} of {missed['of']})"
        rows.append([what, *map(cells.get, names)])
    for scorer, values in report["other_scorers"].items():
        rows.append([f"{row_label} ({scorer})", *column(values, "value")])
    for other in report.get("beside", ()):
        rows += _figures(other)
    for name, values in report.get("baselines", {}).items():
        rows.append([f"{name}{EXPECTED}", *column(values, "value")])
    rules = [len(rows)]
    for theirs in report["published"] if published else _chief(report["published"], names):
        rows.append([f"{theirs['model']}{PAPER}", *map(theirs.get, names)])
    if published == "later":
        rules.append(len(rows))
        for theirs in later_rows(report["benchmark"]):
            rows.append([f"{theirs['model']}{LATER}", *map(theirs.get, names)])
    return Table([title(report), *map(titled, report["rows"])], rows, tuple(rules))


def _chief(published: Sequence[dict], names: Sequence[str]) -> list[dict]:
    """Return the human rows, and the best among the models with figures in the most columns."""
    people, best, most = [], [], (0, 0.0)
    for row in published:
        values = []
        for name in names:
            if row.get(name) is not None:
                values.append(row[name])
        if row["model"].startswith(PEOPLE):
            people.append(row)
        elif not row["model"].startswith(CHANCE) and (
            not best or (len(values), sum(values)) > most
        ):
            best, most = [row], (len(values), sum(values))
    return people + best


def _figures(report: dict) -> list[list]:
    """Return a run's row and its intervals."""
    scorer = scorer_name(report["benchmark"], report["scorer"])
    return figure_rows(f"{row_name(report)} ({scorer})", report["rows"])


def titled(row: dict) -> str:
    """Return a row's name, with the number of columns if it is a partial average."""
    if "columns" not in row:
        return row["name"]
    there, all_of = row["columns"]
    return f"{row['name']} ({there} of {all_of})"


def report_text(report: dict, published: Published = True) -> str:
    """Return the text printed in the terminal; `published` as in `results_table`."""
    lines = [text(results_table(report, published)), _footnotes(report)]
    if published == "later":
        lines += [f"† {line}" for line in source_lines(report["benchmark"])]
    visible_rows = len(_chief(report["published"], column(report["rows"], "name")))
    if not published and (folded := len(report["published"]) - visible_rows) > 0:
        lines.append(f"{folded} published rows hidden; published=true shows them")
    if tables := benchmark_of(report["benchmark"]).tables:
        lines.append(tables.text(report))
    if report.get("perception"):
        lines += ["", text(perception_table(report["perception"]))]
    result = []
    for line in lines:
        if line is not None:
            result.append(line)
    return "\n".join(result)


def perception_table(groups: Mapping[str, Mapping[str, float | None]]) -> Table:
    """Return a table of perception metrics, one row per figure, one column per group of objects."""
    figures = dict.fromkeys(itertools.chain.from_iterable(groups.values()))
    rows: list[list[Cell]] = []
    for name in figures:
        cells = [_metric_text(group.get(name)) for group in groups.values()]
        rows.append([_NAMES.get(name, name), *cells])
    return Table(("perception", *groups), rows)


def _metric_text(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:.4g}" if abs(value) >= TINY else "0"


def report_markdown(report: dict) -> str:
    """Return the content of OUT/report.md."""
    run = report["provenance"]
    head = f"# {row_name(report)} on {report['benchmark']} ({report['split']}, {counted(report)})"
    lines = [head, "", *_main_part(report), ""]
    if report.get("perception"):
        table = Table(("figure", "value"), list(_flat(report["perception"])))
        lines += ["## Perception", "", markdown(table, 3), ""]
    facts = provenance_lines(run)
    for name, digest in run["checkpoints"].items():
        facts.append(f"{name}: sha256 {digest}")
    data = {k: portable(v) for k, v in run["data"].items()}
    lines += ["## Provenance", "", *(f"- {fact}" for fact in facts), f"- data: {json.dumps(data)}"]
    return "\n".join(lines) + "\n"


def _main_part(report: dict) -> list[str]:
    """Return the benchmark's own tables if it has any, else the shared one."""
    tables = benchmark_of(report["benchmark"]).tables
    page = tables.markdown(report, *report.get("beside", ())) if tables else ""
    if tables and tables.instead:
        twin = [f"Rows without a mark: {data_line(report)}"] if on_twin(report["split"]) else []
        return [page, "", *twin, *_remarks(report)]
    lines = [markdown(results_table(report)), "", _footnotes(report)]
    return [*lines, "", page] if tables else lines


_NAMES = {
    "n": "objects",
    "recall": "recall",
    "yaw_median_deg": "heading, median (degrees)",
    "yaw_within_pi/36": "heading within 5 degrees",
    "yaw_within_pi/18": "heading within 10 degrees",
    "yaw_within_pi/6": "heading within 30 degrees",
    "flip_rate": "heading more than 90 degrees off",
    "position_median": "position, median",
    "count_exact": "images with the right number of objects",
    "depth_relative_median": "depth, median relative error",
}


def unanswered(report: Mapping[str, Any]) -> str:
    """Return how many questions have no answer, by status; "" if all have one."""
    statuses = report.get("statuses") or {}
    notes = []
    for status, n in statuses.items():
        if status != "ok":
            notes.append(f"{status}: {n}")
    return f"no answer, counted as wrong: {', '.join(notes)}" if notes else ""


def _remarks(report: dict) -> list[str]:
    """Return notes on missing answers, missing intervals, and the split's files."""
    lines = list(filter(None, (unanswered(report), no_intervals(report))))
    return lines + [f"note: {note}" for note in report.get("notes", ())]


def portable(value: object) -> object:
    """Return an absolute path without the folders of this machine: relative to the project, else
    its name; anything else unchanged."""
    if not isinstance(value, str) or not Path(value).is_absolute():
        return value
    path = Path(value)
    inside = path.is_relative_to(MINI.parent.parent)
    return path.relative_to(MINI.parent.parent).as_posix() if inside else path.name


def provenance_lines(run: dict) -> list[str]:
    """Describe versions, dates and interruptions of the predictions, and of the scoring if it was
    later."""
    built = f"revision {run['git_revision'] or 'unknown'}, {run['date']}"
    lines = [f"po3d {run['versions']['po3d']}, {built}"]
    if later := run.get("continued"):
        dates = ", ".join(sitting.get("date", "") for sitting in later)
        lines.append(f"interrupted, continued {dates}")
    if scored := run.get("scored"):
        revision = scored["git_revision"] or "unknown"
        lines.append(f"scored again: revision {revision}, {scored['date']}")
    return lines


def no_intervals(report: dict) -> str:
    """Return why a report has no intervals, "" if it has some."""
    if report["images"] != 1 or any(map(interval_text, report["rows"])):
        return ""
    return f"no intervals: they need several {unit(report)}, and there is only {counted(report)}"


def _footnotes(report: dict) -> str:
    lines = _remarks(report)
    if report["published"]:
        lines.append(published_note(report))
    return "\n".join(lines)


def published_note(report: dict) -> str:
    """Explain the mark of published rows and state the data of unmarked ones."""
    twin = f"; unmarked rows: {data_line(report)}" if on_twin(report["split"]) else ""
    return f"* published, measured on {official(report)}{twin}"


def _flat(value: dict, prefix: str = "") -> Iterator[tuple[str, float]]:
    for key, item in value.items():
        if isinstance(item, dict):
            yield from _flat(item, f"{prefix}{key} / ")
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield prefix + key, item


def into_readme(readme: str, report: dict) -> str:
    """Return the README with the results between its markers, with published rows folded."""
    head, begin, rest = readme.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise InputError(f"the README should contain the lines {BEGIN} and {END}, in this order")
    table = markdown(results_table(report, published=False))
    return f"{head}{BEGIN}\n\n{table}\n\n{_footnotes(report)}\n\n{END}{tail}"


def main(arguments: list[str]) -> int:
    """Insert a report's table into a README; return the exit code."""

    def run() -> None:
        if len(arguments) != 2:
            usage = "python -m po3d.evaluation.report.results REPORT.json README.md"
            raise InputError(f"usage: {usage}")
        report, readme = read_report(arguments[0]), Path(arguments[1])
        write_file(readme, into_readme(readme.read_text(encoding="utf-8"), report))

    return guarded(run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
