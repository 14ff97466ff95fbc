"""SCOPE's tables and pictures."""

import pytest

from po3d.benchmarks.scope import twin as scope_twin
from po3d.benchmarks.scope.plots import figures
from po3d.benchmarks.scope.score import score
from po3d.benchmarks.scope.tables import (
    confusion_table,
    report_markdown,
    report_text,
    updating_table,
)
from po3d.io.plots import save
from po3d.reasoning.questions import Prediction
from po3d.scene.orbit import turned_label


@pytest.fixture(scope="module")
def report():
    """A report in which updating never turns and all else is right."""
    questions = [q for index in range(2) for q in scope_twin.scene(index, 4, "test")[1]]
    predictions = []
    for q in questions:
        answer = q.answer
        if q.category == "updating_ego":
            answer = turned_label(answer, -int(q.program.split('"')[1]))
        predictions.append(Prediction(q.id, "ok", answer))
    return {
        "benchmark": "scope",
        "system": "stiff",
        "split": "test",
        **score(questions, predictions),
    }


def test_tables_say_what_went_wrong(report):
    assert all(row[3] == 100.0 for row in updating_table(report).rows)  # no rotation
    diagonal = confusion_table(report, "consistency_ego", "diagonal").rows
    assert [row[2 + k] for k, row in enumerate(diagonal)] == [100.0] * 4


def test_the_page_has_every_section_and_the_published_rows(report):
    page = report_markdown(report)
    for title in (
        "Consistency",
        "Natural paraphrases",
        "Errors of updating",
        "Directions",
        "Relational confusion",
    ):
        assert f"## {title}" in page
    assert "LVLM (top 13 models) *" in page
    assert "a quarter turn off" in report_text(report)


def test_figures_are_rendered(report, tmp_path):
    pytest.importorskip("matplotlib")
    few = {
        key: {"consistency_ego": report[key]["consistency_ego"]}
        for key in ("confusion", "directions")
    }
    for plot in figures(report | few):
        save(plot, tmp_path / "out", ".png")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {
        "accuracy_consistency.png",
        "directions.png",
        "updating_errors.png",
        "confusion_consistency_ego.png",
    } <= names
