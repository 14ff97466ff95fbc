import pytest

from po3d.evaluation.report.results import BEGIN, END, into_readme, report_markdown, report_text
from po3d.io.errors import InputError

ROW = {"name": "L1-Single", "n": 4, "failed": 1, "value": 75.0, "ci_low": 50.0, "ci_high": 100.0}
REPORT = {
    "benchmark": "pulsecheck457",
    "split": "mini",
    "system": "po3d",
    "scorer": "strict",
    "images": 2,
    "rows": [ROW, ROW | {"name": "mean", "ci_low": None, "ci_high": None}],
    "other_scorers": {"vlmevalkit": [ROW | {"value": 80.0}, ROW | {"name": "mean"}]},
    "published": [{"model": "Human", "L1-Single": 89.97}],
    "statuses": {"ok": 3, "unparsed": 1},
    "rpdr": {"multi_object": {"value": 98.0, "ci_low": 95.0, "ci_high": 100.0}},
    "cv": {},
    "perception": {"all": {"recall": 0.995, "yaw_median_deg": None}},
    "provenance": {
        "versions": {"po3d": "1"},
        "git_revision": "",
        "date": "today",
        "checkpoints": {"parser": "ab"},
        "data": {"root": "x"},
    },
}


def test_the_terminal_shows_ours_above_the_published():
    lines = report_text(REPORT).splitlines()
    assert lines[0].split() == [
        "pulsecheck457",
        "mini,",
        "n",
        "=",
        "2",
        "images",
        "L1-Single",
        "mean",
    ]
    assert [line.split("  ")[0] for line in lines[2:]][:2] == ["po3d (strict)", ""]
    assert "50.0-100.0     -" in lines[3]
    assert lines[4].startswith("po3d (vlmevalkit)")
    assert lines[6].split() == ["Human", "*", "90.0", "-"]
    assert "no answer, counted as wrong: unparsed: 1" in lines
    assert "RPDR (%), plain: multi-object 98.0" in lines
    assert lines[-1].split() == ["heading,", "median", "(degrees)", "-"]
    assert lines[-2].split() == ["recall", "0.995"]


def test_published_rows_fold_to_people_and_the_best_model():
    models = [
        {"model": name, "L1-Single": value}
        for name, value in (
            ("Random*", 99.0),
            ("A", 50.0),
            ("Human (crowd)", 90.0),
            ("B", 60.0),
            ("C", 55.0),
        )
    ]
    page = report_text(REPORT | {"published": models}, published=False).splitlines()
    assert [line.split()[0] for line in page if " * " in line] == ["Human", "B"]
    assert "3 published rows hidden; published=true shows them" in page
    assert not any(
        "published rows hidden" in line
        for line in report_text(REPORT | {"published": models}).splitlines()
    )


def test_markdown_holds_provenance_and_figures():
    page = report_markdown(REPORT)
    assert page.startswith("# po3d on pulsecheck457 (mini, 2 images)")
    assert "| po3d (plain) | 98.0 | - | - | - |" in page
    assert "| Claude3.5V S * | 84.1 | 94.4 | 85.4 | 72.0 |" in page
    assert "- parser: sha256 ab" in page
    assert "revision unknown" in page


def test_the_readme_keeps_all_but_its_table():
    readme = f"# po3d\n{BEGIN}\nold\n{END}\nrest\n"
    once = into_readme(readme, REPORT)
    assert "old" not in once
    assert "| po3d (strict) | 75.0 | 75.0 |" in once
    assert once.startswith("# po3d\n")
    assert once.endswith("\nrest\n")
    assert into_readme(once, REPORT) == once
    with pytest.raises(InputError, match="should contain the lines"):
        into_readme("# po3d", REPORT)
