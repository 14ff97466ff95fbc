"""Published results: the tables of a benchmark's paper (published/*.csv beside its modules), and
later results (published/later.csv), each with its source, date and measurement protocol.

  later.csv     model, column, value, protocol, source, date; `column` is a row of the reports
"""

import functools
from collections.abc import Container
from typing import Any

from po3d.benchmarks.registry import MODULES
from po3d.benchmarks.scoring import published_table
from po3d.io.paths import PACKAGE

PAPER, LATER = " *", " †"  # suffixes of the first cells of such rows


@functools.cache
def later_rows(benchmark: str) -> tuple[dict[str, Any], ...]:
    """Return the results published after a benchmark's paper, best first: model, protocol, source,
    date, and the value under the column's name; () if there are none."""
    beside = PACKAGE.parent / f"{MODULES[benchmark].replace('.', '/')}.py"
    if not (beside.parent / "published" / "later.csv").is_file():
        return ()
    rows = []
    for record in published_table(str(beside), "later"):
        about = {key: str(record[key]) for key in ("model", "protocol", "source", "date")}
        rows.append({**about, str(record["column"]): record["value"]})
    return tuple(rows)


def source_lines(benchmark: str, visible: Container[str] | None = None) -> list[str]:
    """Return one line per source of later results: its models, protocol, source and date. `visible`
    restricts the models to those whose first cells it contains."""
    models: dict[tuple[str, str, str], list[str]] = {}
    for row in later_rows(benchmark):
        if visible is None or row["model"] + LATER in visible:
            source = row["protocol"], row["source"], row["date"]
            models.setdefault(source, []).append(row["model"])
    return [f"{', '.join(names)}: {'; '.join(source)}" for source, names in models.items()]
