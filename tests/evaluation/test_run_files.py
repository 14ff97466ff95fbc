"""Files of a run's folder that somebody edited, or that come from another version: read, or refused
in one line that names file and field.
"""

import contextlib
import copy
import json
import shutil
from collections.abc import Iterator

import pytest
from finished_runs import finished, with_grid

from po3d.cli import main as cli
from po3d.evaluation.report import results
from po3d.evaluation.report.records import read_errors, read_grid, read_report
from po3d.evaluation.run_report import grid_of, read_run, run_page
from po3d.evaluation.run_tables import explained
from po3d.io.errors import InputError
from po3d.io.seeding import rng

BENCHMARKS = ("pulsecheck457", "hypo3d", "3dsrbench", "scope", "superclevr")
MISSING = object()
VALUES = (MISSING, None, "x", -1.5, [], [[1]], {}, {"x": {"y": []}})
DEEP = 60  # fields below the second level that are changed
DISPLAYED = 6  # of the changes that are read, a page is made of so many


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A run of each benchmark with a grid beside its report."""
    result = {}
    for name in BENCHMARKS:
        folder = tmp_path_factory.mktemp(name)
        split = finished(folder, name, 1)
        with_grid(folder, name, split.questions)
        result[name] = folder
    return result


def fields(value: object, path: tuple = ()) -> Iterator[tuple]:
    """The path of every field of a JSON value; of a list the first entry stands for all."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key)
            yield from fields(item, (*path, key))
    elif isinstance(value, list) and value:
        yield (*path, 0)
        yield from fields(value[0], (*path, 0))


def changed(record: dict, path: tuple, value: object) -> dict:
    """The record with another value at a path, or without it."""
    result = copy.deepcopy(record)
    at = result
    for key in path[:-1]:
        at = at[key]
    if value is MISSING:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return result


def refusal(read, path) -> str | None:
    """Why a file is refused; None when it is read."""
    try:
        read(path)
    except InputError as error:
        return str(error)
    return None


def display(folder) -> None:
    """Everything that `po3d report` makes of a folder."""
    run = read_run(folder)
    grid = grid_of(folder, run)
    explained(run, True, grid)
    run_page(run, folder, items=1)
    results.report_markdown(run.report)
    results.report_text(run.report)


@pytest.mark.parametrize("name", BENCHMARKS)
@pytest.mark.parametrize("file", ["report.json", "grid.json"])
def test_one_changed_field_is_read_or_refused(folders, tmp_path, name, file):
    folder, read = tmp_path / "run", {"report.json": read_report, "grid.json": read_grid}[file]
    shutil.copytree(folders[name], folder)
    record = json.loads((folder / file).read_text())
    refused, retained, draw = 0, [], rng(5, f"{name} {file}")
    paths = list(fields(record))
    deep = [path for path in paths if len(path) > 2]
    chosen = draw.permutation(len(deep))[:DEEP].tolist()
    for path in [path for path in paths if len(path) <= 2] + [deep[k] for k in chosen]:
        for value in VALUES:
            (folder / file).write_text(json.dumps(changed(record, path, value)))
            if (reason := refusal(read, folder / file)) is None:
                retained.append((path, value))
            else:
                assert "\n" not in reason
                assert str(folder / file) in reason
                refused += 1
    assert refused > len(retained) > 0
    for k in draw.permutation(len(retained))[:DISPLAYED].tolist():
        (folder / file).write_text(json.dumps(changed(record, *retained[k])))
        with contextlib.suppress(InputError):  # as of a split that is not there
            display(folder)


# What ended in a traceback although every field was of its kind.
TOGETHER = [
    ("hypo3d", "report.json", ("published", 0, "removal"), {}),
    ("hypo3d", "grid.json", ("curves", "heading", 0, "ci_high"), None),
    ("superclevr", "report.json", ("statuses",), MISSING),
    ("3dsrbench", "report.json", ("other_scorers", "vanilla", 0), MISSING),
    ("scope", "report.json", ("baselines", "always A"), []),
    ("pulsecheck457", "report.json", ("confusion", "pose", "counts", 0), [1, 2]),
    ("pulsecheck457", "grid.json", ("units",), {}),
    ("pulsecheck457", "grid.json", ("cells", 1), MISSING),
]


@pytest.mark.parametrize(("name", "file", "path", "value"), TOGETHER)
def test_fields_that_do_not_go_together_are_refused(
    folders, tmp_path, capsys, name, file, path, value
):
    folder = tmp_path / "run"
    shutil.copytree(folders[name], folder)
    record = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps(changed(record, path, value)))
    assert cli.main(["report", str(folder), "--markdown"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert str(folder / file) in error


def test_lines_of_errors_are_checked(folders, tmp_path, capsys):
    folder = tmp_path / "run"
    shutil.copytree(folders["scope"], folder)
    lines = (folder / "errors.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    for path in fields(first):
        for value in VALUES:
            (folder / "errors.jsonl").write_text(json.dumps(changed(first, path, value)) + "\n")
            reason = refusal(lambda path: list(read_errors(path)), folder)
            assert reason is None or "errors.jsonl, line 1" in reason
    (folder / "errors.jsonl").write_text(
        '{"id": "a", "shares": {"pose": "much"}, "repaired_by": []}\n'
    )
    assert cli.main(["report", str(folder)]) == 2
    assert "line 1: shares.pose: 'much' should be a number" in capsys.readouterr().err


@pytest.mark.parametrize("file", ["report.json", "grid.json"])
def test_a_file_of_an_older_version_is_read_and_of_a_newer_one_refused_by_name(
    folders, tmp_path, capsys, file
):
    folder = tmp_path / "run"
    shutil.copytree(folders["pulsecheck457"], folder)
    record = json.loads((folder / file).read_text())
    assert record["format"].startswith("po3d-")
    older = {key: value for key, value in record.items() if key not in ("format", "rpdr_capped")}
    (folder / file).write_text(json.dumps(older))
    assert cli.main(["report", str(folder), "--markdown"]) == 0
    capsys.readouterr()
    (folder / file).write_text(json.dumps({**record, "format": "po3d-report-99"}))
    assert cli.main(["report", str(folder), "--markdown"]) == 2
    assert (
        f"{folder / file} has format 'po3d-report-99'; this version reads"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "settings", [None, 5, {"oracle": 5}, {"perception": {}}, {"abstain_below": "x"}]
)
def test_a_description_of_a_run_is_checked_where_its_name_is_taken(
    folders, tmp_path, capsys, settings
):
    folder = tmp_path / "run"
    shutil.copytree(folders["pulsecheck457"], folder)
    record = json.loads((folder / "run.json").read_text())
    record["about"]["settings"] = settings
    (folder / "run.json").write_text(json.dumps(record))
    assert cli.main(["compare", str(folder), str(folder), "--size", "1"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "run.json: settings" in error
