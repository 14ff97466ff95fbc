"""Schemas of report.json; those of the oracle grid are in `grid_schemas`.

They validate files when a command reads them, because files may be edited or come from another
version. Numbers may have any size but must be finite; benchmark-specific entries are checked by
name. pydantic is imported when the first file is read.
"""

# ruff: noqa: RUF012  pydantic copies defaults

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from po3d.benchmarks.registry import MODULES
from po3d.io.schemas import Name, Number, Record, Text, Whole, record
from po3d.scene.orbit import LABELS


class Figure(Record):
    """A value with its interval; null where undefined."""

    value: Number | None
    ci_low: Number | None
    ci_high: Number | None

    @model_validator(mode="after")
    def _both_ends(self) -> "Figure":
        if (self.ci_low is None) != (self.ci_high is None):
            raise ValueError("should have both ends of its interval, or none")
        return self


# A row of a benchmark's table.
FigureRecord = record(
    "FigureRecord",
    Figure,
    name=Name,
    n=(Whole, 0),
    failed=(Whole, 0),
    columns=(tuple[Whole, Whole], (0, 0)),
)


Rows = tuple[FigureRecord, ...]
# The expected values of a guessing baseline.
ExpectedRows = tuple[record("ExpectedRow", name=Name, value=Number | None), ...]


class PublishedRow(Record):
    """A published row: values by column."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Number | None]
    model: Name
    family: Name = ""
    input: Name = ""
    measured_on: Name = ""
    by_viewpoint: dict[Name, dict[Name, Number | None]] = {}


# The settings that distinguish runs; others are kept unchecked.
Settings = record(
    "Settings",
    table=(Name | None, None),
    frame=(Name, ""),
    oracle=(tuple[Name, ...], ()),
    perception=(Name, ""),
    parser=(Name, ""),
    mode=(Name, ""),
    samples=(Whole, 0),
    assume_present=(bool | None, None),
    known_yaw=(bool | None, None),
    abstain_below=(Number, 0),
    model=(Name | None, None),
    path=(Name | None, None),
)


# System and settings, from which a run's display name is derived.
NamedRecord = record("NamedRecord", system=Name, settings=(Settings, Settings()))


Folders = record("Folders", scans=(Name | None, None), furniture=(Name | None, None))
ExecutorOptions = record("ExecutorOptions", mode=(Name | None, None), samples=(Whole | None, None))
Config = record(
    "Config", benchmark=(Folders | None, None), executor=(ExecutorOptions, ExecutorOptions())
)


# Configuration, versions, data and date of a run.
Provenance = record(
    "Provenance",
    config=(Config, Config()),
    git_revision=Name | None,
    checkpoints=dict[Name, Name],
    data=record("Data", root=Name, sha256=(Name, "")),
    versions=record("Versions", po3d=Name),
    date=Name,
    continued=(tuple[record("Sitting", date=(Name, "")), ...], ()),
    scored=(record("Scored", date=Name, git_revision=Name | None) | None, None),
)


# The description of a run without figures.
About = record("About", NamedRecord, benchmark=Name, split=Name, provenance=Provenance)


class Score(About):
    """A run with the figures that all benchmarks have."""

    scorer: Name
    images: Whole
    rows: Annotated[Rows, Field(min_length=1)]
    other_scorers: dict[Name, Rows]
    published: tuple[PublishedRow, ...]

    @model_validator(mode="after")
    def _same_columns(self) -> "Score":
        columns = [row.name for row in self.rows]
        others = {**self.other_scorers, **getattr(self, "baselines", {})}
        for name, rows in others.items():
            if [row.name for row in rows] != columns:
                raise ValueError(f"should have the columns {', '.join(columns)} under {name!r}")
        return self


# The additional entries of all reports.
Report = record(
    "Report",
    Score,
    statuses=dict[Name, Whole],
    notes=(tuple[Text, ...], ()),
    perception=(dict[Name, dict[Name, Number | None]], {}),
)


# --- what each benchmark adds ---------------------------------------------------------------------


class _Confusion(Record):
    values: tuple[Name, ...]
    counts: tuple[tuple[Whole, ...], ...]

    @model_validator(mode="after")
    def _square(self) -> "_Confusion":
        n = len(self.values)
        if len(self.counts) != n or any(len(row) != n + 1 for row in self.counts):
            raise ValueError(
                f"should have {n} rows of {n + 1} counts: one per value and one for missing values"
            )
        return self


_Counts = record("_Counts", predicted=dict[Name, Whole], gold=dict[Name, Whole])
_PULSE: dict[str, Any] = {
    "rpdr": (dict[Name, Figure], {}),
    "rpdr_capped": (dict[Name, Figure], {}),
    "cv": (dict[Literal["predicted", "gold"], dict[Name, Number]], {}),
    "distribution": (dict[Name, _Counts], {}),
    "confusion": (dict[Name, _Confusion], {}),
}


_Cell = record("_Cell", n=Whole, failed=Whole, em=Figure, pm=Figure)
_Cells = dict[Name, _Cell]
_Sbert = record("_Sbert", rows=Rows, by_type=Rows)


_HYPO3D: dict[str, Any] = {
    "by_type": (_Cells, {}),
    "by_change_and_type": dict[Name, _Cells],
    "by_fine_type": (_Cells, {}),
    "by_control": (_Cells, {}),
    "direction_only": (_Cell, None),  # absent, but never null
    "pairs": (dict[Name, _Cells], {}),
    "sbert": (_Sbert, None),
}


def _empty_is_none(value: object) -> object:
    return None if value == {} else value


_NotFound = record("_NotFound", n=Whole, of=Whole, rows=Rows)


_SRBENCH: dict[str, Any] = {
    "baselines": (dict[Name, ExpectedRows], {}),
    "relative_drop": (Annotated[Figure | None, BeforeValidator(_empty_is_none)], None),
    "by_viewpoint": (dict[Name, Rows], {}),
    "not_found": (Annotated[_NotFound | None, BeforeValidator(_empty_is_none)], None),
    "consistency": (dict[Name, record("_Share", n=Whole, value=Number)], {}),
}


_Agreement = record("_Agreement", n=Whole, consistent=Number, joint=Number)
_Consistency = dict[Name, dict[Name, _Agreement]]
_VIEW_SETS = ("accuracy", "orthogonal_4_view", "diagonal_4_view", "all_8_view")
_PublishedConsistency = record(
    "_PublishedConsistency", model=Name, **dict.fromkeys(_VIEW_SETS, Number | None)
)
_Wording = record("_Wording", n=Whole, template=Number, paraphrase=Number, delta=Number)


def _all_labels(counts: dict[str, int]) -> dict[str, int]:
    if missing := [label for label in LABELS if label not in counts]:
        raise ValueError(f"should count all directions; {missing[0]!r} is missing")
    return counts


_Row = Annotated[tuple[Whole, ...], Field(min_length=5, max_length=5)]
_Matrix = Annotated[tuple[_Row, ...], Field(min_length=4, max_length=4)]
_Directions = Annotated[dict[Name, Whole], AfterValidator(_all_labels)]


_Matrices = record("_Matrices", orthogonal=_Matrix, diagonal=_Matrix)
_BothDirections = record("_BothDirections", gold=_Directions, answered=_Directions)


_Kinds = record(
    "_Kinds",
    correct=Whole,
    no_rotation=Annotated[Whole, Field(alias="no rotation")],
    wrong_direction=Annotated[Whole, Field(alias="wrong direction")],
    wrong_angle=Annotated[Whole, Field(alias="wrong angle")],
    no_answer=Annotated[Whole, Field(alias="no answer")],
)
_SCOPE: dict[str, Any] = {
    "baselines": dict[Name, ExpectedRows],
    "consistency": _Consistency,
    "baseline_consistency": dict[Name, _Consistency],
    "published_consistency": tuple[_PublishedConsistency, ...],
    "confusion": dict[Name, _Matrices],
    "directions": dict[Name, _BothDirections],
    "updating_errors": dict[Name, dict[Name, _Kinds]],
    "paraphrase": dict[Name, _Wording],
}


def _report(benchmark: str, fields: Mapping[str, Any]) -> type[BaseModel]:
    """Return the schema of a benchmark's report, with other runs' scores in its entry `beside`."""
    score = record(f"{benchmark} score", Score, **fields)
    return record(f"{benchmark} report", Report, **fields, beside=(tuple[score, ...], ()))


_EXTRA = {  # entries of a benchmark's report.json beyond those of all reports
    "pulsecheck457": _PULSE,
    "hypo3d": _HYPO3D,
    "3dsrbench": _SRBENCH,
    "scope": _SCOPE,
}
REPORTS = {name: _report(name, _EXTRA.get(name, {})) for name in MODULES}
