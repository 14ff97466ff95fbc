"""Validated reading of the files in a run's folder. An InputError names the file and the invalid
field.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.report.notes import KINDS, on_twin
from po3d.io.deprecated_names import new_settings
from po3d.io.errors import InputError, printable
from po3d.io.files import read_json, read_jsonl
from po3d.io.run_names import row_name
from po3d.io.runs import (
    ERRORS,
    GRID,
    GRID_FORMAT,
    PREDICTIONS,
    REPORT,
    REPORT_FORMAT,
    RUN,
    described,
)

IMPORTED = ".import.json"  # after the name of imported predictions: the summary of `po3d import`
AGAIN = "evaluate.py with resume=true rewrites it"


def read_report(path: str | Path) -> dict[str, Any]:
    """Read a report.json; one without "format", from an older version, is accepted if it has all
    fields."""
    from po3d.benchmarks.report_schemas import REPORTS  # importing pydantic takes 0.1 s
    from po3d.io.schemas import checked

    record = _todays(_record(Path(path), "report of a run", REPORT_FORMAT))
    checked(REPORTS[record["benchmark"]], record, f"report of a run {path}")
    return record


def read_grid(path: str | Path) -> dict[str, Any]:
    """Read a grid.json."""
    from po3d.benchmarks.grid_schemas import Grid
    from po3d.io.schemas import checked

    record = _todays(_record(Path(path), "oracle grid", GRID_FORMAT))
    checked(Grid, record, f"oracle grid {path}")
    return record


def _todays(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record whose settings have current names instead of deprecated ones."""
    settings = record.get("settings")
    return {**record, "settings": new_settings(settings)} if isinstance(settings, dict) else record


def read_errors(folder: str | Path) -> Iterator[dict[str, Any]]:
    """Read the errors.jsonl beside a grid."""
    from po3d.benchmarks.grid_schemas import ErrorLine
    from po3d.io.schemas import checked

    path = Path(folder) / ERRORS
    for number, record in enumerate(read_jsonl(path, "errors of the grid"), 1):
        checked(ErrorLine, record, f"errors of the grid {path}, line {number}")
        yield record


def about_run(folder: str | Path) -> dict[str, Any]:
    """Return the report.json of a folder, or the description of the run in its grid.json."""
    folder = Path(folder)
    if (folder / REPORT).is_file():
        return read_report(folder / REPORT)
    if (folder / GRID).is_file():
        retained = ("benchmark", "split", "system", "settings", "provenance", "scorer", "images")
        grid = read_grid(folder / GRID)
        result = {}
        for key in retained:
            if key in grid:
                result[key] = grid[key]
        return result
    raise InputError(f"{folder} is not a finished run: it contains neither {REPORT} nor {GRID}")


def name_of_run(folder: str | Path) -> str | None:
    """Return the display name of the run in a folder, from its run.json; None if unknown."""
    from po3d.benchmarks.report_schemas import NamedRecord
    from po3d.io.schemas import checked

    about = described(folder)
    if "system" not in about:
        return None
    checked(NamedRecord, about, f"description of a run {Path(folder) / RUN}")
    return row_name(about)


def same_data(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two runs, given by report.json or run.json, are on the same data: files with
    equal hash, or the same split of the same folder. For imported predictions, only the benchmark
    is compared, and whether the data are a twin."""
    if one["benchmark"] != other["benchmark"]:
        return False
    a, b = (about["provenance"]["data"] for about in (one, other))
    if a.get("sha256") and a.get("sha256") == b.get("sha256"):
        return True
    if a.get("imported") or b.get("imported"):  # further checked by the questions' ids
        return on_twin(one["split"]) == on_twin(other["split"])
    return (one["split"], a["root"]) == (other["split"], b["root"])


def described_run(path: str | Path) -> dict[str, Any] | None:
    """Return the run.json of predictions, given by a run's folder or a file in it; None if there is
    none."""
    from po3d.benchmarks.report_schemas import About
    from po3d.io.schemas import checked

    path = Path(path)
    if (imported := path.with_name(path.name + IMPORTED)).is_file():
        return _imported(imported)
    if not path.is_dir() and path.name != PREDICTIONS:
        return None
    folder = path if path.is_dir() else path.parent
    if not (about := described(folder)):
        return None
    checked(About, about, f"description of a run {folder / RUN}")
    return about


def _imported(path: Path) -> dict[str, Any] | None:
    """Return the description of the data in the file beside imported predictions; None if it has
    none (of an older version)."""
    record = read_json(path, "summary of an import")
    data = record.get("data") if isinstance(record, dict) else None
    if not isinstance(data, dict) or data.get("benchmark") not in BENCHMARKS:
        return None
    config = {"size": data.get("size"), "split": data["split"], "data": {"root": data["root"]}}
    provenance = {"config": config, "data": {"root": data["root"], "imported": True}}
    return {"benchmark": data["benchmark"], "split": data["split"], "provenance": provenance}


def size_of_run(path: str | Path) -> int | None:
    """Return the `size` option of the run of predictions, given by a run's folder or a file in it.

    None for a whole split, a fresh twin (which is generated with that size), or a file without a
    run."""
    path = Path(path)
    if path.with_name(path.name + IMPORTED).is_file():
        about = described_run(path) or {}
    else:
        about = described(path if path.is_dir() else path.parent)
    config = about.get("provenance", {}).get("config", {})
    fresh = config.get("split") == "fresh" and config.get("data", {}).get("root") is None
    return None if fresh else config.get("size")


class DataOfRuns(NamedTuple):
    """The data and scorer of a command: its options, by default those of the runs that it reads."""

    benchmark: str
    root: str | None  # None for the mini split
    size: int | None
    scorer: str | None  # None for the benchmark's own
    from_run: bool  # whether the size is a run's


def data_of(
    paths: Sequence[str | Path],
    benchmark: str | None = None,
    root: str | None = None,
    size: int | None = None,
    scorer: str | None = None,
) -> DataOfRuns:
    """Return the options, by default those of the runs of predictions: benchmark, data and scorer
    of the first run, and the smallest size. Without a run: pulsecheck457's mini split.

    `paths`: runs' folders or predictions files."""
    sizes, first = [], None
    for path in paths:
        if about := described_run(path):
            first = first or about
            if own_size := size_of_run(path):
                sizes.append(own_size)
    if first and benchmark in (None, first["benchmark"]):
        benchmark = first["benchmark"]
        if root is None and first["split"] != "mini":
            root = first["provenance"]["data"]["root"]
        scorer = scorer or first["provenance"].get("config", {}).get("scorer")
    from_run = size is None and bool(sizes)
    size = min(sizes) if from_run else size
    return DataOfRuns(benchmark or "pulsecheck457", root, size, scorer, from_run)


def check_data(ours: Mapping[str, Any], path: str | Path) -> None:
    """Raise InputError if predictions, given by a run's folder or a file in it, are on other data
    than `ours`; unknown data pass."""
    theirs = described_run(path)
    if theirs is not None and not same_data(ours, theirs):
        where = f"{path} is a run on {_where(theirs)}, not on {_where(ours)}"
        raise InputError(f"{where}: rows of different data cannot be in one table")


def _where(about: Mapping[str, Any]) -> str:
    split = about["split"]
    kind = "po3d's twin" if on_twin(split) else KINDS.get(split, f"the split {split}")
    return (
        f"{kind} of {about['benchmark']} ({about['split']}, {about['provenance']['data']['root']})"
    )


def _record(path: Path, what: str, format: str) -> dict[str, Any]:
    record = read_json(path, what)
    if not isinstance(record, dict) or not isinstance(name := record.get("benchmark"), str):
        raise InputError(f"{path} is not a {what}; evaluate.py writes one")
    if name not in BENCHMARKS:
        known = ", ".join(BENCHMARKS)
        raise InputError(f"{path} is for the benchmark {printable(name)}; known: {known}")
    if (result := record.get("format", format)) != format:
        raise InputError(
            f"{path} has format {printable(result)}; this version reads {format}; {AGAIN}"
        )
    return record
