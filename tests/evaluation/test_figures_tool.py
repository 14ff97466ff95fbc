"""Figures in the pages come from reports; a marked one that differs is found and written."""

import sys

import pytest
from test_results import REPORT

from po3d.evaluation.report.results import BEGIN, END
from po3d.io.errors import InputError
from tools import figures

PAGE = (
    "It is <!-- figure: benchmark=scope; average -->80.0<!-- end --> %, with <!-- figure: a=b"
    " 'c=[d]'; L1 -->-<!-- end -->.\n"
)


def reports(run: str) -> dict:
    values = {"benchmark=scope": {"average": 88.06, "L1": 3.0}, "a=b 'c=[d]'": {"L1": 100.0}}
    return {"rows": [{"name": name, "value": value} for name, value in values[run].items()]}


def test_marked_figures_are_those_of_their_runs():
    result = figures.brought_up_to_date(PAGE, reports)
    assert result == PAGE.replace(">80.0<", ">88.1<").replace(">-<", ">100.0<")
    assert figures.brought_up_to_date(result, reports) == result
    assert figures.brought_up_to_date(PAGE, reports, "benchmark=scope") == PAGE.replace(
        ">80.0<", ">88.1<"
    )


def test_a_row_that_is_not_there_is_named():
    with pytest.raises(
        InputError, match="'benchmark=scope' has no row 'mean'; its rows are average, L1"
    ):
        figures.brought_up_to_date(PAGE.replace("average", "mean"), reports)


def test_the_results_of_readme_are_one_reports():
    page = f"# po3d\n{BEGIN}\nold\n{END}\nrest\n"
    result = figures.brought_up_to_date(page, lambda run: {figures.README_RUN: REPORT}[run])
    assert "| po3d (strict) |" in result
    assert "old" not in result
    assert figures.brought_up_to_date(page, reports, "benchmark=scope") == page


@pytest.mark.parametrize("check", [True, False])
def test_the_command_checks_or_writes(tmp_path, monkeypatch, capsys, check):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("No figure.\n")
    page = tmp_path / "docs" / "scope.md"
    page.write_text(PAGE)
    monkeypatch.setattr(figures, "report", reports)
    monkeypatch.setattr(figures, "pages", lambda: [tmp_path / "README.md", page])
    monkeypatch.setattr(sys, "argv", ["figures", *["--check"] * check])
    assert figures.main() == int(check)
    assert "scope.md, line 1: It is" in capsys.readouterr().out
    assert ("88.1" in page.read_text()) is not check
    if not check:
        assert figures.main() == 0
        assert capsys.readouterr().out == "all figures agree with the shipped splits\n"


def test_the_marks_in_the_pages_are_whole():
    for path in figures.pages():
        text = path.read_text(encoding="utf-8")
        assert text.count("<!-- figure:") == len(figures.MARK.findall(text)), path
