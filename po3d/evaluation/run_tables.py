"""Tables and figures of a run, beside other systems and published rows."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from po3d.benchmarks.base import Benchmark
from po3d.benchmarks.registry import title as data_title
from po3d.evaluation.compare import SystemEntry, pair_table
from po3d.evaluation.report.grid_tables import blame_table, ladder_table
from po3d.evaluation.report.notes import Explained, table_notes
from po3d.evaluation.report.results import Published, perception_table, results_table
from po3d.io.plots import Plot
from po3d.io.text_tables import Table, figure_rows


class ReportedRun(NamedTuple):
    """A run's report with the entries of the systems compared to it."""

    report: dict[str, Any]
    benchmark: Benchmark
    split: Any  # only questions that have an answer
    entries: Sequence[SystemEntry]  # the run's own comes first
    compared: dict[str, Any]  # the result of `compare`


def run_tables(
    run: ReportedRun, published: Published = True, grid: Mapping[str, Any] | None = None
) -> list[tuple[str, Table]]:
    """Return titles and tables of a run: figures beside other systems and published rows,
    differences, perception, and the oracle grid if given."""
    report, report_tables = run.report, run.benchmark.tables
    others = _others(run)
    what, tables = f"{report['benchmark']}, {report['split']} split", []
    if not (report_tables and report_tables.instead):
        tables.append((f"{what} (%)", _beside(results_table(report, published), others)))
    if report_tables:
        for title, table in report_tables.titled(report, *report.get("beside", ()), *others):
            tables.append((f"{what}: {title}", table))
    if run.compared["pairs"]:
        tables.append(("Paired differences in percentage points", pair_table(run.compared)))
    if report.get("perception"):
        table = perception_table(report["perception"])
        tables.append(("Perception compared with ground truth", table))
    return [*tables, *(grid_tables(grid) if grid else ())]


def grid_tables(grid: Mapping[str, Any]) -> list[tuple[str, Table]]:
    """Return titles and tables of an oracle grid for a paper."""
    shares = "Shares of the error rate by module (Shapley values, percentage points)"
    return [
        ("Oracle grid: accuracy (%) with modules replaced by ground truth", ladder_table(grid)),
        (shares, blame_table(grid)),
    ]


def _as_report(run: ReportedRun, k: int) -> dict:
    entry = run.entries[k]
    score = run.benchmark.score(run.split.questions, entry.predictions, run.report["scorer"])
    return {**score, "system": entry.name, "split": run.report["split"]}


def _beside(table: Table, others: Sequence[dict]) -> Table:
    """Insert rows of other systems below the run's own, above the published rows."""
    at = table.rules[0] if table.rules else len(table.rows)
    more = []
    for other in others:
        more += figure_rows(other["system"], other["rows"])
    rows = [*table.rows[:at], *more, *table.rows[at:]]
    return table._replace(rows=rows, rules=tuple(r + len(more) for r in table.rules))


def explained(
    run: ReportedRun, published: Published = True, grid: Mapping[str, Any] | None = None
) -> list[Explained]:
    """Return the tables of a run with the notes that each needs when shown alone."""
    report = run.report
    plain = f"{report['benchmark']}, {report['split']} split"
    result = []
    for title, table in run_tables(run, published, grid):
        own = title.removeprefix(plain).removeprefix(": ").strip()
        own = "accuracy (%)" if own == "(%)" else own
        own = own if title.startswith(plain) else title[0].lower() + title[1:]
        own = f"{run.benchmark.title}: {own}"
        result.append(Explained(own, _bare(table, report), table_notes(report, table)))
    return result


def _bare(table: Table, report: Mapping[str, Any]) -> Table:
    """Remove the data's name from the title of the first column; the notes contain it."""
    if table.header[0] != data_title(report):
        return table
    return table._replace(header=("model", *table.header[1:]))


def _others(run: ReportedRun) -> list[dict[str, Any]]:
    return [_as_report(run, k) for k in range(1, len(run.entries))]


def run_figures(run: ReportedRun) -> list[Plot]:
    """Return the figures of the benchmark's paper for this run; other systems are included where
    the figure supports several."""
    others = _others(run)
    return list(run.benchmark.figures(run.report, *others))
