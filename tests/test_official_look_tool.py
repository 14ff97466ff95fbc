"""The figures of official-look sets: the six columns that need no masks, a row a run."""

import json
from pathlib import Path

import pytest

from po3d.benchmarks.pulsecheck457.report import CATEGORIES
from po3d.io.errors import InputError
from tools.official_look import FIGURES, MASKS, figures


def write_run(folder: Path, perception: dict) -> Path:
    rows = [{"name": name, "value": 10.0 * k} for k, name in enumerate(CATEGORIES)]
    (folder / "set").mkdir(exist_ok=True)
    (folder / "set/twin.json").write_text("{}")
    report = {
        "rows": [*rows, {"name": "mean", "value": -1.0}],
        "perception": perception,
        "provenance": {"config": {"data": {"root": str(folder / "set")}}},
    }
    (folder / "report.json").write_text(json.dumps(report))
    return folder


def test_the_mean_leaves_out_the_column_that_needs_masks(tmp_path: Path) -> None:
    visible = dict.fromkeys(FIGURES, 0.5) | {"n": 7, "material": None}
    line = figures([write_run(tmp_path, {"all": visible})]).splitlines()[-1].split()
    six = [10.0 * k for k, name in enumerate(CATEGORIES) if name != MASKS]
    assert line[1:3] == ["7", f"{sum(six) / 6:.1f}"]
    assert line[3:] == ["-" if name == "material" else "0.50" for name in FIGURES]


def test_a_run_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tables"):
        figures([write_run(tmp_path, {})])
