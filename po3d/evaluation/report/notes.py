"""What a table of figures has to say of itself outside its cells: which data its rows were measured on, what its marks
mean, and what its intervals are. Captions in LaTeX and lines below a table in markdown and HTML."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from po3d.benchmarks.metrics import CONFIDENCE, RESAMPLES
from po3d.benchmarks.published import LATER, PAPER, source_lines
from po3d.benchmarks.registry import benchmark_of, counted, unit
from po3d.io.text_tables import Table

RELEASE = "release"
TWINS = {"mini": "mini split", "fresh": "generated for this run", "twin": "generated"}
INTERVAL = "  95 % interval"  # how the row of intervals under a row of figures begins
EXPECTED = " (expected)"


class Explained(NamedTuple):
    """A table ready to be printed."""

    title: str
    table: Table
    notes: Sequence[str] = ()


def on_twin(split: str) -> bool:
    """Whether a split's name, as reports have it, is one of data that po3d generated."""
    return split in TWINS


def data_line(report: Mapping[str, Any]) -> str:
    """Which data a report's figures were measured on: "po3d's twin of SCOPE (mini split, 4 scenes)"."""
    name, split = benchmark_of(report["benchmark"]).title, report["split"]
    if on_twin(split):
        return f"po3d's twin of {name} ({TWINS[split]}, {counted(report)})"
    said = "the official release" if split == RELEASE else f"the split {split}"
    return f"{said} of {name} ({counted(report)})"


def table_notes(report: Mapping[str, Any], table: Table) -> list[str]:
    """The notes that a table of a run needs, a sentence each; the first says which data its rows are of."""
    first = [str(row[0]) for row in table.rows]
    marked = [name for name in first if name.endswith((PAPER, LATER))]
    data = data_line(report)
    lines = [f"Measured on {data}."]
    if marked:
        lines[0] = f"Rows without a mark: measured on {data}."
    if any(name.endswith(PAPER) for name in first):
        lines.append(f"*: published by the benchmark's paper, measured on {official(report)}.")
    if any(name.endswith(LATER) for name in first):
        lines.append("†: published later, each by its own protocol.")
        lines += [f"† {line}." for line in source_lines(report["benchmark"], first)]
    if marked and on_twin(report["split"]):
        lines.append(
            "The twin's questions are not the official ones: rows with and without a mark can't be compared."
        )
    if INTERVAL in first:
        share = f"{100 * CONFIDENCE:g} %"
        lines.append(f"Intervals: {share}, bootstrap over {unit(report)} ({RESAMPLES:,} resamples).")
    if any(name.endswith(EXPECTED) for name in first):
        lines.append("(expected): what such answers get on average, computed from the questions.")
    return lines


def official(report: Mapping[str, Any]) -> str:
    """What the published rows of a report were measured on."""
    named = dict.fromkeys(row["measured_on"] for row in report["published"] if row.get("measured_on"))
    return " and ".join(named) or "the official images"
