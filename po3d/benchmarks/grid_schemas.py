"""Schemas of grid.json and errors.jsonl (`po3d.evaluation.ablation.grid`)."""

from typing import Annotated

from pydantic import Field, model_validator

from po3d.benchmarks.report_schemas import About, Figure, Rows
from po3d.io.schemas import Name, Number, Text, Whole, record

_GridCell = record(
    "_GridCell",
    name=Name,
    settings=dict[Name, Number | Name],
    rows=Annotated[Rows, Field(min_length=1)],
)
_Point = record("_Point", Figure, sigma=Number, value=Number)
Ends = tuple[Number | None, Number | None]


_Blame = record(
    "_Blame",
    n=Whole,
    error=Number,
    shares=Annotated[dict[Name, Number], Field(min_length=1)],
    alone=dict[Name, Number],
    intervals=(dict[Name, Ends], {}),
)


class Grid(About):
    """The content of grid.json, the results of a grid of runs with error attribution."""

    scorer: Name
    images: Whole
    cells: tuple[_GridCell, ...]
    curves: dict[Name, Annotated[tuple[_Point, ...], Field(min_length=1)]]
    units: dict[Name, Name]
    attribution: Annotated[dict[Name, _Blame], Field(min_length=1)]
    problems: tuple[Text, ...]

    @model_validator(mode="after")
    def _whole(self) -> "Grid":
        if missing := sorted(set(self.curves) - set(self.units)):
            raise ValueError(f"should have the unit of {missing[0]!r}")
        groups = list(next(iter(self.attribution.values())).shares)
        for category, blame in self.attribution.items():
            if list(blame.shares) != groups or set(blame.alone) != set(groups):
                raise ValueError(f"should have the groups {', '.join(groups)} under {category!r}")
        if len(self.cells) < 1 << len(groups):
            raise ValueError(f"should have a cell for each subset of {', '.join(groups)}")
        columns = [row.name for row in self.cells[0].rows]
        for cell in self.cells:
            if [row.name for row in cell.rows] != columns:
                expected = f"the columns {', '.join(columns)} in the cell {cell.name!r}"
                raise ValueError(f"should have {expected}")
        return self


# A line of errors.jsonl: a wrong answer, the groups of modules that repair it, and their shares of
# the error.
ErrorLine = record(
    "ErrorLine", id=Name, repaired_by=tuple[tuple[Name, ...], ...], shares=dict[Name, Number]
)
