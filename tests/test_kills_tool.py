"""The tool that kills commands: what it draws, and what it calls a difference."""

import json
import os
import signal
from collections import Counter

import pytest

from po3d.evaluation.report.results import provenance_lines
from po3d.io.errors import InputError
from tools import kills


def test_all_jobs_are_rendered_and_ray_less_often():
    kinds = Counter(kills.sample_job(list(kills.JOBS), 3, k) for k in range(300))
    assert kinds.keys() == kills.JOBS.keys()
    assert min(count for kind, count in kinds.items() if kind != "ray") > 2 * kinds["ray"]
    assert [kills.sample_job(["train", "report"], 3, k) for k in range(9)] == [
        kills.sample_job(["train", "report"], 3, k) for k in range(9)
    ]


def test_times_of_day_and_temporary_files_are_no_difference(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    for folder, time in ((first, "10:00:01"), (second, "11:59:59.25")):
        folder.mkdir()
        (folder / "report.json").write_text(f'{{"date": "2026-01-02T{time}Z"}}')
    (second / ".report.json.1.tmp").write_text("half")
    assert kills.differences(kills.written(first), kills.written(second)) == []
    (second / "report.json").write_text("{}")
    (second / "more.bin").write_bytes(b"2026-01-02 10:00:01")
    assert kills.differences(kills.written(first), kills.written(second)) == [
        "more.bin",
        "report.json",
    ]


def test_the_times_at_which_a_run_was_continued_are_no_difference():
    built = {
        "versions": {"po3d": "1"},
        "machine": {"cores": 2},
        "date": "2026-01-02T10:00:01+00:00",
    }
    later = {**built, "date": "2026-01-02T10:05:01+00:00"}

    def files(provenance):
        text = "# Report\n\n" + "".join(f"- {line}\n" for line in provenance_lines(provenance))
        report = {"format": "po3d-report-1", "provenance": provenance}
        run = {"identity": {}, "about": {"provenance": provenance}, "predictions": "abc"}
        contents = {"report.md": text, "report.json": report, "run.json": run}
        return {
            name: kills.timeless(
                name, (c if isinstance(c, str) else json.dumps(c, indent=1) + "\n").encode()
            )
            for name, c in contents.items()
        }

    whole = {**built, "git_revision": "abc"}
    assert files({**whole, "continued": [later, later]}) == files(whole)
    elsewhere = {**later, "machine": {"cores": 8}}
    changed = kills.differences(files(whole), files({**whole, "continued": [elsewhere]}))
    assert changed == ["report.json", "run.json"]
    changed = kills.differences(files(whole), files({**whole, "git_revision": ""}))
    assert changed == ["report.json", "report.md", "run.json"]


def test_a_killed_command_is_reported_from_one_that_ends(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setattr(kills.po3d, "main", lambda arguments: signal.pause())
    assert kills.killed([], folder, 0.01)
    monkeypatch.setattr(kills.po3d, "main", lambda arguments: os._exit(0))
    assert not kills.killed([], folder, 1.0)
    failing = lambda arguments: os.write(1, b"error: no such file\n") and 2  # noqa: E731
    monkeypatch.setattr(kills.po3d, "main", failing)
    with pytest.raises(InputError, match="po3d report failed: error: no such file"):
        kills.finished(["report"], folder)
