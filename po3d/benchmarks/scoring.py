"""Functions shared by the scores of all benchmarks: checks, report rows, averages, published
tables.
"""

from collections.abc import Iterable, Mapping, Sequence

from numpy.typing import ArrayLike

from po3d.benchmarks.metrics import Bootstrap, figure
from po3d.io.errors import InputError
from po3d.io.files import rows_beside
from po3d.reasoning.questions import Prediction, Question


def some(questions: Sequence[Question]) -> None:
    """Raise InputError if there is nothing to score."""
    if not questions:
        raise InputError("no questions to score")


def failures(questions: Sequence[Question], predictions: Sequence[Prediction]) -> list[bool]:
    """Return for each question whether its prediction has a status other than "ok"."""
    failed = {p.id for p in predictions if p.status != "ok"}
    return [q.id in failed for q in questions]


def column(rows: Iterable[Mapping], key: str) -> list:
    """Return one entry of each report row."""
    return [row[key] for row in rows]


def row(name: str, failed: Sequence[bool], value: float, samples: ArrayLike) -> dict:
    """Return a report row: name, n, failed, value, ci_low, ci_high. `failed` has one flag per
    item."""
    return {"name": name, "n": len(failed), "failed": sum(failed), **figure(value, samples)}


def rows_and_mean(
    boot: Bootstrap,
    questions: Sequence[Question],
    failed: Sequence[bool],
    names: Sequence[str],
    mean: str,
    all_of: int,
) -> tuple[list[dict], dict]:
    """Return the rows of the categories `names`, computed from `boot`, and the row of their
    unweighted mean.

    `all_of` is the benchmark's full number of categories (see `counted`).
    """
    rows, of = [], {name: [] for name in names}
    for q, wrong in zip(questions, failed):
        of.setdefault(q.category, []).append(wrong)
    for k, name in enumerate(names):
        rows.append(row(name, of[name], boot.value[k], boot.samples[:, k]))
    average = row(mean, failed, boot.value.mean(), boot.samples.mean(1))
    return rows, counted(average, len(names), all_of)


# --- partial averages: marked, and not compared with published ones -------------------------------


def counted(row: dict, there: int, all_of: int) -> dict:
    """Return the row of an average over `there` of the benchmark's `all_of` columns; a partial
    average gets both numbers under "columns"."""
    return row if there == all_of else row | {"columns": [there, all_of]}


def comparable(published: Sequence[Mapping], rows: Sequence[Mapping]) -> list[dict]:
    """Return the published rows without the averages that cover only some columns in `rows`
    (`counted`)."""
    partial = {row["name"] for row in rows if "columns" in row}
    result = []
    for row in published:
        result.append({key: value for key, value in row.items() if key not in partial})
    return result


# --- published ------------------------------------------------------------------------------------


def published_table(module: str, name: str) -> list[dict]:
    """Read published/NAME.csv from the folder of a module's file: cells as numbers where possible,
    None if empty."""
    rows = []
    for record in rows_beside(module, f"published/{name}.csv"):
        rows.append(dict(zip(record, map(_value, record.values()))))
    return rows


def _value(cell: str) -> str | float | None:
    try:
        return float(cell)
    except ValueError:
        return cell or None
