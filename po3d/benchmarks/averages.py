"""Averages over fewer columns than the published ones: they say so, and stand beside none of them."""

from collections.abc import Mapping, Sequence


def counted(row: dict, there: int, all_of: int) -> dict:
    """The row of an average over `there` columns of the benchmark's `all_of`; where some are missing, with both numbers
    under "columns"."""
    return row if there == all_of else row | {"columns": [there, all_of]}


def comparable(published: Sequence[Mapping], rows: Sequence[Mapping]) -> list[dict]:
    """The published rows without the averages that `rows` take over fewer columns."""
    partial = {row["name"] for row in rows if "columns" in row}
    return [{key: value for key, value in row.items() if key not in partial} for row in published]
