"""What the scores of all benchmarks have in common: their checks, rows of a report, averages, published tables."""

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from po3d.benchmarks.metrics import Bootstrap, figure
from po3d.io.errors import InputError
from po3d.io.files import rows_beside
from po3d.reasoning.questions import Prediction, Question


def some(questions: Sequence[Question]) -> None:
    """InputError when there is nothing to score."""
    if not questions:
        raise InputError("no questions to score")


def failures(questions: Sequence[Question], predictions: Sequence[Prediction]) -> list[bool]:
    """Of each question whether its prediction is anything but "ok"."""
    failed = {p.id for p in predictions if p.status != "ok"}
    return [q.id in failed for q in questions]


def row(name: str, failed: Sequence[bool], value: float, samples: ArrayLike) -> dict:
    """A row of a report: name, n, failed, value, ci_low, ci_high. `failed`: of each of its items."""
    return {"name": name, "n": len(failed), "failed": sum(failed), **figure(value, samples)}


def rows_and_mean(
    boot: Bootstrap, questions: Sequence[Question], failed: Sequence[bool], names: Sequence[str], mean: str, all_of: int
) -> tuple[list[dict], dict]:  # fmt: skip
    """The rows of the categories `names`, as `boot` has them, and that of their mean, each counting the same."""
    rows = []
    for k, name in enumerate(names):
        own = [f for q, f in zip(questions, failed, strict=True) if q.category == name]
        rows.append(row(name, own, boot.value[k], boot.samples[:, k]))
    average = row(mean, failed, boot.value.mean(), boot.samples.mean(1))
    return rows, counted(average, len(names), all_of)


# --- averages over fewer columns than the published ones: they say so, and stand beside none of them --------


def counted(row: dict, there: int, all_of: int) -> dict:
    """The row of an average over `there` columns of the benchmark's `all_of`; where some are missing, with both numbers
    under "columns"."""
    return row if there == all_of else row | {"columns": [there, all_of]}


def comparable(published: Sequence[Mapping], rows: Sequence[Mapping]) -> list[dict]:
    """The published rows without the averages that `rows` take over fewer columns."""
    partial = {row["name"] for row in rows if "columns" in row}
    return [{key: value for key, value in row.items() if key not in partial} for row in published]


# --- published ----------------------------------------------------------------------------------------------


def published_table(module: str, name: str) -> list[dict]:
    """published/NAME.csv beside a module's file: numbers as such, None for empty cells."""
    table = rows_beside(module, f"published/{name}.csv")
    return [{key: _value(cell) for key, cell in record.items()} for record in table]


def _value(cell: str) -> str | float | None:
    try:
        return float(cell)
    except ValueError:
        return cell or None
