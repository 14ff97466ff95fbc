"""Tables for papers: which data their rows are of stands with them, other data is refused, and
LaTeX compiles.
"""

import base64
import json
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from finished_runs import finished, other_system, with_grid
from hypothesis import given, settings
from hypothesis import strategies as st

from po3d.benchmarks.published import later_rows
from po3d.benchmarks.registry import BENCHMARKS
from po3d.cli import main as cli
from po3d.evaluation.report.latex import latex_page
from po3d.evaluation.report.notes import Explained
from po3d.evaluation.report.results import report_markdown, report_text
from po3d.evaluation.run_report import read_run, run_page
from po3d.evaluation.run_tables import run_figures
from po3d.io.config import ROOT
from po3d.io.plots import rendered
from po3d.io.text_tables import Table
from po3d.reasoning.questions import read_predictions, write_predictions

HOSTILE = r"\input{/etc/passwd} 50% $x$ #1 {a}_b^c ~ & [z] *y | <\"'> 中 † ° ‑ ﬁ « Ð ­"
PAGE = r"""\documentclass{article}
\usepackage{booktabs,graphicx}
\begin{document}
%s
\end{document}
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run on the twin's first pictures, with a grid, and predictions of another system."""
    folder = tmp_path_factory.mktemp("runs")
    split = finished(folder / "twin", "pulsecheck457", 3)
    with_grid(folder / "twin", "pulsecheck457", split.questions)
    other_system(folder / "other.jsonl", split.questions)
    return folder


def released(folder, target):
    """A copy of a run that says that it is on the official release."""
    shutil.copytree(folder, target)
    for name in ("report.json", "run.json", "grid.json"):
        path = target / name
        if path.exists():
            text = path.read_text().replace('"split": "mini"', '"split": "release"')
            path.write_text(text.replace('"root": "x"', '"root": "elsewhere"'))
    return target


def compiled(tex: str, folder) -> str:
    """The log of pdflatex, which must not stop; skipped without it."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    (folder / "page.tex").write_text(PAGE % tex, encoding="utf-8")
    command = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "page.tex",
    ]
    outcome = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = outcome.stdout.decode("utf-8", "replace")
    assert outcome.returncode == 0, log[-1500:]
    assert (folder / "page.pdf").stat().st_size > 0
    return log


def test_a_twin_beside_published_rows_says_so_in_caption_and_notes(runs, capsys):
    assert cli.main(["report", str(runs / "twin"), "--latex"]) == 0
    tex = capsys.readouterr().out
    first = tex.split(r"\end{table}")[0]
    caption = re.search(r"\\caption\{(.*)\}", first)[1]
    assert "PulseCheck457: accuracy" in caption
    assert (
        "Rows without a mark: measured on po3d's twin of PulseCheck457 (mini split, 3 images)"
        in caption
    )
    assert r"GPT-4o$^{*}$ & " in first
    assert "{*}: published by the benchmark's paper, measured on the official images." in first
    assert "rows with and without a mark are not comparable" in first
    assert r"95\,\% interval" in first
    for table in tex.split(r"\end{table}")[:-1]:
        assert "$^{*}$" not in table or "{*}: published" in table


def test_the_release_beside_published_rows_is_no_twin(runs, tmp_path, capsys):
    folder = released(runs / "twin", tmp_path / "release")
    data = ["--data", str(BENCHMARKS["pulsecheck457"].mini)]
    assert cli.main(["report", str(folder), "--latex", *data]) == 0
    tex = capsys.readouterr().out
    assert "the official release of PulseCheck457 (3 images)" in tex
    assert "twin" not in tex


@pytest.mark.parametrize("file", ["", "predictions.jsonl"])
def test_rows_of_other_data_are_refused_in_one_line(runs, tmp_path, capsys, file):
    other = released(runs / "twin", tmp_path / "release")
    assert cli.main(["report", str(runs / "twin"), "--with", str(other / file), "--latex"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "the official release of pulsecheck457 (release, elsewhere), not on po3d's twin" in error
    assert cli.main(["compare", str(runs / "twin"), str(other / file), "--size", "3"]) == 2
    assert "rows of different data cannot be in one table" in capsys.readouterr().err


def test_runs_on_the_same_data_stand_in_one_table_and_others_in_their_own(runs, tmp_path, capsys):
    again = tmp_path / "again"
    shutil.copytree(runs / "twin", again)
    assert cli.main(["report", str(runs / "twin"), str(again), "--markdown"]) == 0
    once = capsys.readouterr().out
    assert once.count("## PulseCheck457: accuracy") == 1
    finished(tmp_path / "scope", "scope", 1)
    assert cli.main(["report", str(runs / "twin"), str(tmp_path / "scope"), "--latex"]) == 0
    labels = re.findall(r"\\label\{(.*?)\}", capsys.readouterr().out)
    assert {label.rsplit("-", 1)[0] for label in labels} == {"tab:pulsecheck457-1", "tab:scope-2"}
    assert len(set(labels)) == len(labels)
    assert cli.main(["report", str(runs / "twin"), str(tmp_path / "scope")]) == 2
    assert "are on different data" in capsys.readouterr().err


def test_the_grid_has_a_table_of_its_steps_and_one_of_blame_with_intervals(runs, capsys):
    assert cli.main(["report", str(runs / "twin"), "--markdown"]) == 0
    page = capsys.readouterr().out
    steps = page.split("## PulseCheck457: oracle grid")[1].split("\n\n")[1].splitlines()
    assert [line.split("|")[1].strip() for line in steps[2::2]] == [
        "all predicted", "pose true", "parsing true", "all true"]  # fmt: skip
    assert "95.0-99.0" in steps[3]
    assert "| all | 9 | 3.0 | 1.0 | 2.0 |" in page
    assert "|   95 % interval | - | 1.0-5.0 | -0.5 to 2.0 | 0.5-4.0 |" in page
    assert cli.main(["report", str(runs / "twin"), "--latex"]) == 0
    assert r"$-$0.5 to 2.0" in capsys.readouterr().out


def test_hypo3ds_settings_have_tables_in_latex(tmp_path, capsys):
    finished(tmp_path / "run", "hypo3d", 2)
    assert cli.main(["report", str(tmp_path / "run"), "--latex"]) == 0
    captions = re.findall(r"\\caption\{(.*)\}", capsys.readouterr().out)
    for table in ("Table 1", "Table 8", "Table 2", "Tables 3 and 4", "Table 9"):
        (caption,) = [c for c in captions if f"({table})" in c]
        assert "measured on po3d's twin of Hypo3D (mini split, 2 rooms)" in caption


def test_scopes_consistency_names_the_systems(tmp_path, capsys):
    split = finished(tmp_path / "run", "scope", 1)
    assert cli.main(["report", str(tmp_path / "run"), "--latex"]) == 0
    assert "gold, consistency\\_ego & 2 & 100.0" in capsys.readouterr().out
    other_system(tmp_path / "other.jsonl", split.questions)
    assert (
        cli.main(
            ["report", str(tmp_path / "run"), "--with", str(tmp_path / "other.jsonl"), "--latex"]
        )
        == 0
    )
    tex = capsys.readouterr().out
    assert "gold, consistency\\_ego & 2 & 100.0" in tex
    assert "other, consistency\\_ego & 2" in tex


def test_a_page_has_no_folder_of_this_machine_and_says_what_cannot_be_compared(tmp_path):
    finished(tmp_path / "run", "hypo3d", 2)
    path = tmp_path / "run" / "report.json"
    report = json.loads(path.read_text())
    report["provenance"]["data"]["root"] = str(BENCHMARKS["hypo3d"].mini)
    report["settings"] = {"scenes": str(tmp_path / "scenes.jsonl")}
    path.write_text(json.dumps(report))
    page = run_page(read_run(tmp_path / "run"), tmp_path / "run", items=1)
    markdown = report_markdown(report)
    for place in (str(tmp_path), str(ROOT)):
        assert place not in page
        assert place not in markdown
    assert "<dd>data/mini/hypo3d</dd>" in page
    assert "rows with and without a mark are not comparable" in page
    assert "Scorer: paper&#x27;s script, exact match (EM)" in page
    assert "(official)" not in page
    assert "po3d&#x27;s twin of Hypo3D (mini split, 2 rooms), " in page


def test_compare_has_captions_and_dashes(runs, capsys):
    supplied = [str(runs / "twin"), str(runs / "other.jsonl"), "--size", "3"]
    assert cli.main(["compare", *supplied, "--latex"]) == 0
    tex = capsys.readouterr().out
    assert tex.count(r"\caption{") == 2
    assert "po3d's twin of PulseCheck457 (mini split, 3 images)" in tex
    assert re.search(r"\d--\d", tex)
    assert not re.search(r"\d-\d+\.\d", tex.replace("--", ""))
    assert "gold -- other" in tex
    assert "exact test, adjusted by Holm" in tex


@pytest.mark.parametrize(
    "benchmark", ["pulsecheck457", "hypo3d", "3dsrbench", "scope", "superclevr"]
)
def test_the_latex_of_every_benchmark_compiles(tmp_path, capsys, benchmark):
    split = finished(tmp_path / "run", benchmark, 2)
    with_grid(tmp_path / "run", benchmark, split.questions)
    other_system(tmp_path / "other.jsonl", split.questions)
    supplied = ["--with", str(tmp_path / "other.jsonl"), "--names", HOSTILE.replace(",", "")]
    assert cli.main(["report", str(tmp_path / "run"), *supplied, "--latex", "--later"]) == 0
    compiled(capsys.readouterr().out, tmp_path)


def test_a_table_that_is_too_high_goes_on_in_another_float(tmp_path):
    rows = [[f"system {k}", *([12.5] * 30)] for k in range(40)]
    table = Table(["model", *(f"a long title {k}" for k in range(30))], rows)
    tex = latex_page([Explained("t", table, ["Measured on x.", "A note."])], "high")
    count = tex.count(r"\begin{table}")
    assert count > 1
    assert tex.count("A note.") == tex.count("Measured on x.") == 1
    assert tex.count(r"Continued from Table~\ref{tab:high-1}") == count - 1
    log = compiled(tex, tmp_path)
    assert "Float too large" not in log


def test_compare_compiles(runs, tmp_path, capsys):
    supplied = [str(runs / "twin"), str(runs / "other.jsonl"), "--size", "3", "--by-category"]
    assert cli.main(["compare", *supplied, "--names", f"{HOSTILE},b", "--latex"]) == 0
    compiled(capsys.readouterr().out, tmp_path)


def test_every_letter_and_beginning_of_a_cell_compiles(tmp_path):
    letters = [chr(k) for k in (*range(1, 0x180), *range(0x2010, 0x2040), 0x4E2D, 0x1F600, 0xD800)]
    rows = [(c, f"{c}{c}", 1.5) for c in letters]
    compiled(
        latex_page(
            [
                Explained(HOSTILE, Table(("a", HOSTILE, "b"), rows[:200]), [HOSTILE, HOSTILE]),
                Explained("t", Table(("a", "b", "c"), rows[200:])),
            ],
            "x",
        ),
        tmp_path,
    )


CELLS = st.one_of(st.none(), st.floats(0, 100), st.just("12.5-45.0"), st.just("-3.0 to 4.5"))


@settings(max_examples=50)
@given(
    st.integers(1, 40).flatmap(
        lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1, max_size=6)
    )
)
def test_a_table_in_parts_has_every_figure_once(rows):
    named = [[f"r{k}", *row] for k, row in enumerate(rows)]
    table = Table(["model", *(f"c{k}" for k in range(len(rows[0])))], named)
    tex = latex_page([Explained("t", table)], "x")
    display = [
        c
        for line in tex.splitlines()
        if line.startswith("r") and "&" in line
        for c in line[:-3].split(" & ")[1:]
    ]
    figures = [c for c in display if c != "--"]
    expected = [f"{c:.1f}" for row in rows for c in row if isinstance(c, float)]
    assert sorted(f for f in figures if "-" not in f) == sorted(expected)
    assert sum(f == "12.5--45.0" for f in figures) == sum(
        c == "12.5-45.0" for row in rows for c in row
    )


def test_later_rows_are_displayed_when_requested_with_source_date_and_protocol(runs, capsys):
    report = json.loads((runs / "twin" / "report.json").read_text())
    page = report_text(report, "later")
    assert "Spatial-SSRL-4B †" in page
    assert "mean over questions, not columns; arXiv 2510.27606 Table 9; 2025-10" in page
    assert "†" not in report_text(report, True)
    for benchmark in ("pulsecheck457", "3dsrbench"):
        rows = later_rows(benchmark)
        assert rows
        for row in rows:
            assert all(row[key] for key in ("model", "protocol", "source", "date"))
            assert len([v for v in row.values() if isinstance(v, float)]) == 1
    assert later_rows("hypo3d") == ()
    assert (
        cli.main(
            ["report", str(runs / "twin"), "--later", "--items", "1", "--out", str(runs / "l.html")]
        )
        == 0
    )
    assert '<tr class="published"><td>Qwen2.5-VL-3B †</td>' in (runs / "l.html").read_text()
    assert "arXiv 2510.27606 Table 9" in (runs / "l.html").read_text()
    capsys.readouterr()
    assert cli.main(["report", str(runs / "twin"), "--latex", "--later"]) == 0
    assert r"Spatial-SSRL-4B$^{\dagger}$" in capsys.readouterr().out


def test_a_file_that_nothing_describes_is_taken_as_it_is(runs, tmp_path, capsys):
    predictions = list(read_predictions(runs / "other.jsonl"))
    write_predictions(tmp_path / "predictions.jsonl", predictions)
    supplied = ["--with", str(tmp_path / "predictions.jsonl"), "--markdown"]
    assert cli.main(["report", str(runs / "twin"), *supplied]) == 0


# --- figures and --paper --------------------------------------------------------------------------


FIGURES = {
    "pulsecheck457": ["bias_color_pose", "bias_shape_size"],
    "hypo3d": ["radar"],
    "scope": ["confusion_consistency_ego", "directions", "updating_errors", "accuracy_consistency"],
    "3dsrbench": [],
}


@pytest.mark.parametrize("benchmark", FIGURES)
def test_the_papers_figures_stand_in_the_page(tmp_path, benchmark):
    pytest.importorskip("matplotlib")
    finished(tmp_path, benchmark, 2)
    run = read_run(tmp_path)
    names = [plot.name for plot in run_figures(run)]
    assert set(FIGURES[benchmark]) <= set(names)
    page = run_page(run, tmp_path, items=1)
    images = re.findall(
        r'<img class="figure" .*? src="data:image/svg\+xml;base64,(.*?)" alt="(.*?)">', page
    )
    assert len(images) == len(names)
    for content, alt in images:
        assert ElementTree.fromstring(base64.b64decode(content)).tag.endswith("svg")
        assert alt


def test_a_radar_has_the_systems_beside_and_the_best_published(tmp_path):
    pytest.importorskip("matplotlib")
    split = finished(tmp_path / "run", "hypo3d", 2)
    other_system(tmp_path / "other.jsonl", split.questions)
    (radar,) = run_figures(read_run(tmp_path / "run", [str(tmp_path / "other.jsonl")], ["someone"]))
    text = rendered(radar.size, radar.draw, ".svg").decode()
    for name in ("gold", "someone", "GPT-4o API, semantic map *"):
        assert f">{name}</text>" in text


def test_without_matplotlib_the_page_says_what_is_missing(runs, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = run_page(read_run(runs / "twin"), runs / "twin", items=1)
    assert "plots need matplotlib: pip install &#x27;po3d[report]&#x27;" in page


def test_a_paper_has_tables_figures_and_protocol_and_compiles(runs, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    finished(tmp_path / "hypo3d", "hypo3d", 1)
    out = tmp_path / "paper"
    supplied = ["report", str(runs / "twin"), str(tmp_path / "hypo3d"), "--paper", str(out)]
    assert cli.main(supplied) == 0
    assert {path.name for path in out.iterdir()} == {"figures", "main.tex"} | {
        f"{name}-{part}.tex"
        for name in ("pulsecheck457-1", "hypo3d-2")
        for part in ("tables", "figures", "protocol")
    }
    reply = (out / "pulsecheck457-1-protocol.tex").read_text()
    assert "gold is evaluated on po3d's twin of PulseCheck457 (mini split, 3 images)" in reply
    assert "lmms-eval's rule" in reply
    assert re.search(r"\d questions? without an answer counts? as wrong", reply)
    assert "are not comparable with ours" in reply
    assert "1,000 bootstrap resamples of images" in reply
    assert cli.main(supplied) == 0  # again, over its own files
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("mine")
    assert cli.main([*supplied[:-1], str(tmp_path / "full")]) == 2
    assert "is neither empty" in capsys.readouterr().err
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    outcome = subprocess.run(command, cwd=out, capture_output=True, check=False)
    assert outcome.returncode == 0, outcome.stdout.decode("utf-8", "replace")[-1500:]


def test_every_scorer_of_a_paper_has_its_words():
    for name, benchmark in BENCHMARKS.items():
        assert benchmark.title
        if name != "superclevr":
            assert set(benchmark.protocols) == set(benchmark.scorers)
