"""Schemas of report.json; those of the oracle grid are in `grid_schemas`.

They validate files when a command reads them, because files may be edited or come from another
version. Numbers may have any size but must be finite; benchmark-specific entries are checked by
name. pydantic is imported when the first file is read.
"""

# ruff: noqa: RUF012  pydantic copies defaults

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from po3d.io.schemas import Name, Number, Record, Text, Whole
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


class FigureRecord(Figure):
    """A row of a benchmark's table."""

    name: Name
    n: Whole = 0
    failed: Whole = 0
    columns: tuple[Whole, Whole] = (0, 0)


class ExpectedRow(Record):
    """The expected value of a guessing baseline."""

    name: Name
    value: Number | None


Rows = tuple[FigureRecord, ...]


class PublishedRow(Record):
    """A published row: values by column."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Number | None]
    model: Name
    family: Name = ""
    input: Name = ""
    measured_on: Name = ""
    by_viewpoint: dict[Name, dict[Name, Number | None]] = {}


class Settings(Record):
    """The settings that distinguish runs; others are kept unchecked."""

    table: Name | None = None
    frame: Name = ""
    oracle: tuple[Name, ...] = ()
    perception: Name = ""
    parser: Name = ""
    mode: Name = ""
    samples: Whole = 0
    assume_present: bool | None = None
    known_yaw: bool | None = None
    abstain_below: Number = 0
    model: Name | None = None
    path: Name | None = None


class NamedRecord(Record):
    """System and settings, from which a run's display name is derived."""

    system: Name
    settings: Settings = Settings()


class ExecutorOptions(Record):
    mode: Name | None = None  # None: the default of the domain
    samples: Whole | None = None


class BenchmarkOptions(Record):
    scans: Name | None = None
    furniture: Name | None = None


class Config(Record):
    benchmark: BenchmarkOptions | None = None
    executor: ExecutorOptions = ExecutorOptions()


class Versions(Record):
    po3d: Name


class Sitting(Record):
    date: Name = ""


class Scored(Record):
    date: Name
    git_revision: Name | None


class Data(Record):
    root: Name
    sha256: Name = ""


class Provenance(Record):
    """Configuration, versions, data and date of a run."""

    config: Config = Config()
    git_revision: Name | None
    checkpoints: dict[Name, Name]
    data: Data
    versions: Versions
    date: Name
    continued: tuple[Sitting, ...] = ()
    scored: Scored | None = None


class About(NamedRecord):
    """The description of a run without figures."""

    benchmark: Name
    split: Name
    provenance: Provenance


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


class Report(Score):
    """The additional entries of all reports."""

    statuses: dict[Name, Whole]
    notes: tuple[Text, ...] = ()
    perception: dict[Name, dict[Name, Number | None]] = {}


# --- what each benchmark adds ---------------------------------------------------------------------


class _Counts(Record):
    predicted: dict[Name, Whole]
    gold: dict[Name, Whole]


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


class _Pulse(Record):
    rpdr: dict[Name, Figure] = {}
    rpdr_capped: dict[Name, Figure] = {}
    cv: dict[Literal["predicted", "gold"], dict[Name, Number]] = {}
    distribution: dict[Name, _Counts] = {}
    confusion: dict[Name, _Confusion] = {}


class _Cell(Record):
    n: Whole
    failed: Whole
    em: Figure
    pm: Figure


_Cells = dict[Name, _Cell]


class _Sbert(Record):
    rows: Rows
    by_type: Rows


class _Hypo3d(Record):
    by_type: _Cells = {}
    by_change_and_type: dict[Name, _Cells]
    by_fine_type: _Cells = {}
    by_control: _Cells = {}
    direction_only: _Cell = None  # type: ignore[assignment]  # absent, but never null
    pairs: dict[Name, _Cells] = {}
    sbert: _Sbert = None  # type: ignore[assignment]


class _NotFound(Record):
    n: Whole
    of: Whole
    rows: Rows


def _empty_is_none(value: object) -> object:
    return None if value == {} else value


class _Share(Record):
    n: Whole
    value: Number


class _Srbench(Record):
    baselines: dict[Name, tuple[ExpectedRow, ...]] = {}
    relative_drop: Annotated[Figure | None, BeforeValidator(_empty_is_none)] = None
    by_viewpoint: dict[Name, Rows] = {}
    not_found: Annotated[_NotFound | None, BeforeValidator(_empty_is_none)] = None
    consistency: dict[Name, _Share] = {}


class _Agreement(Record):
    n: Whole
    consistent: Number
    joint: Number


class _PublishedConsistency(Record):
    model: Name
    accuracy: Number | None
    orthogonal_4_view: Number | None
    diagonal_4_view: Number | None
    all_8_view: Number | None


class _Wording(Record):
    n: Whole
    template: Number
    paraphrase: Number
    delta: Number


def _all_labels(counts: dict[str, int]) -> dict[str, int]:
    if missing := [label for label in LABELS if label not in counts]:
        raise ValueError(f"should count all directions; {missing[0]!r} is missing")
    return counts


_Row = Annotated[tuple[Whole, ...], Field(min_length=5, max_length=5)]
_Matrix = Annotated[tuple[_Row, ...], Field(min_length=4, max_length=4)]
_Directions = Annotated[dict[Name, Whole], AfterValidator(_all_labels)]


class _Matrices(Record):
    orthogonal: _Matrix
    diagonal: _Matrix


class _BothDirections(Record):
    gold: _Directions
    answered: _Directions


class _Kinds(Record):
    model_config = ConfigDict(extra="ignore", frozen=True, validate_by_name=True)
    correct: Whole
    no_rotation: Whole = Field(alias="no rotation")
    wrong_direction: Whole = Field(alias="wrong direction")
    wrong_angle: Whole = Field(alias="wrong angle")
    no_answer: Whole = Field(alias="no answer")


_Consistency = dict[Name, dict[Name, _Agreement]]


class _ScopeRecord(Record):
    baselines: dict[Name, tuple[ExpectedRow, ...]]
    consistency: _Consistency
    baseline_consistency: dict[Name, _Consistency]
    published_consistency: tuple[_PublishedConsistency, ...]
    confusion: dict[Name, _Matrices]
    directions: dict[Name, _BothDirections]
    updating_errors: dict[Name, dict[Name, _Kinds]]
    paraphrase: dict[Name, _Wording]


class _PulseScore(Score, _Pulse):
    pass


class _Hypo3dScore(Score, _Hypo3d):
    pass


class _SrbenchScore(Score, _Srbench):
    pass


class _ScopeScore(Score, _ScopeRecord):
    pass


class PulseReport(Report, _Pulse):
    beside: tuple[_PulseScore, ...] = ()


class Hypo3dReport(Report, _Hypo3d):
    beside: tuple[_Hypo3dScore, ...] = ()


class SrbenchReport(Report, _Srbench):
    beside: tuple[_SrbenchScore, ...] = ()


class ScopeReport(Report, _ScopeRecord):
    beside: tuple[_ScopeScore, ...] = ()


class PlainReport(Report):
    beside: tuple[Score, ...] = ()


REPORTS: dict[str, type[Report]] = {
    "pulsecheck457": PulseReport,
    "hypo3d": Hypo3dReport,
    "3dsrbench": SrbenchReport,
    "scope": ScopeReport,
    "superclevr": PlainReport,
}
