"""The files of a run's folder as commands read them: checked, and of a format that this version knows. What is wrong with one
is an InputError that names the file and the field."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from po3d.benchmarks.registry import BENCHMARKS
from po3d.evaluation.report.notes import on_twin
from po3d.io.errors import InputError, shown
from po3d.io.files import read_json, read_jsonl
from po3d.io.naming import row_name
from po3d.io.runs import ERRORS, GRID, GRID_FORMAT, PREDICTIONS, REPORT, REPORT_FORMAT, RUN, described

AGAIN = "evaluate.py with resume=true writes it anew"


def read_report(path: str | Path) -> dict[str, Any]:
    """What a report.json says; one that an older po3d wrote names no format and is read where it has all fields."""
    from po3d.benchmarks.report_schemas import REPORTS  # pydantic takes a tenth of a second
    from po3d.io.schemas import checked

    record = _record(Path(path), "report of a run", REPORT_FORMAT)
    checked(REPORTS[record["benchmark"]], record, f"report of a run {path}")
    return record


def read_grid(path: str | Path) -> dict[str, Any]:
    """What a grid.json says."""
    from po3d.benchmarks.report_schemas import Grid
    from po3d.io.schemas import checked

    record = _record(Path(path), "oracle grid", GRID_FORMAT)
    checked(Grid, record, f"oracle grid {path}")
    return record


def read_errors(folder: str | Path) -> Iterator[dict[str, Any]]:
    """The lines of the errors.jsonl beside a grid."""
    from po3d.benchmarks.report_schemas import ErrorLine
    from po3d.io.schemas import checked

    path = Path(folder) / ERRORS
    for number, record in enumerate(read_jsonl(path, "errors of the grid"), 1):
        checked(ErrorLine, record, f"errors of the grid {path}, line {number}")
        yield record


def about_run(folder: str | Path) -> dict[str, Any]:
    """report.json of a folder, or what grid.json says of its run."""
    folder = Path(folder)
    if (folder / REPORT).is_file():
        return read_report(folder / REPORT)
    if (folder / GRID).is_file():
        kept = ("benchmark", "split", "system", "settings", "provenance", "scorer", "images")
        grid = read_grid(folder / GRID)
        return {key: grid[key] for key in kept if key in grid}
    raise InputError(f"{folder} is no finished run: it has neither {REPORT} nor {GRID}")


def name_of_run(folder: str | Path) -> str | None:
    """What the run in a folder is called by its run.json; None where nothing says it."""
    from po3d.benchmarks.report_schemas import Named
    from po3d.io.schemas import checked

    about = described(folder)
    if "system" not in about:
        return None
    checked(Named, about, f"description of a run {Path(folder) / RUN}")
    return row_name(about)


def same_data(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two runs, as report.json or run.json describe them, were asked about the same data: files of one hash, or parts
    of one split of one folder."""
    if one["benchmark"] != other["benchmark"]:
        return False
    a, b = (about["provenance"]["data"] for about in (one, other))
    if a.get("sha256") and a.get("sha256") == b.get("sha256"):
        return True
    return (one["split"], a["root"]) == (other["split"], b["root"])


def described_run(path: str | Path) -> dict[str, Any] | None:
    """What run.json says of predictions, a run's folder or the file in one; None where nothing describes them."""
    from po3d.benchmarks.report_schemas import About
    from po3d.io.schemas import checked

    path = Path(path)
    if not path.is_dir() and path.name != PREDICTIONS:
        return None
    folder = path if path.is_dir() else path.parent
    if not (about := described(folder)):
        return None
    checked(About, about, f"description of a run {folder / RUN}")
    return about


def check_data(ours: Mapping[str, Any], path: str | Path) -> None:
    """InputError when predictions, a run's folder or a file in one, are of other data than `ours`; what nothing describes
    passes."""
    theirs = described_run(path)
    if theirs is not None and not same_data(ours, theirs):
        where = f"{path} is a run on {_where(theirs)}, not on {_where(ours)}"
        raise InputError(f"{where}: rows of other data can't stand in one table")


def _where(about: Mapping[str, Any]) -> str:
    kind = "po3d's twin" if on_twin(about["split"]) else "the official release"
    return f"{kind} of {about['benchmark']} ({about['split']}, {about['provenance']['data']['root']})"


def _record(path: Path, what: str, format: str) -> dict[str, Any]:
    record = read_json(path, what)
    if not isinstance(record, dict) or not isinstance(name := record.get("benchmark"), str):
        raise InputError(f"{path} is no {what}; evaluate.py writes one")
    if name not in BENCHMARKS:
        known = ", ".join(BENCHMARKS)
        raise InputError(f"{path} is of the benchmark {shown(name)}; known: {known}")
    if (found := record.get("format", format)) != format:
        raise InputError(f"{path} has the format {shown(found)}; this version reads {format}; {AGAIN}")
    return record
