"""An average over fewer columns than the published one says so and stands beside none."""

import pytest

from po3d.benchmarks.hypo3d import score as hypo3d_score
from po3d.benchmarks.hypo3d import tables as hypo3d_tables
from po3d.benchmarks.pulsecheck457 import score as pulsecheck457_score
from po3d.benchmarks.registry import BENCHMARKS, opened
from po3d.benchmarks.scope import score as scope_score
from po3d.benchmarks.threedsrbench import score as srbench_score
from po3d.evaluation.report.results import results_table
from po3d.reasoning.questions import Prediction

COLUMNS = {
    "pulsecheck457": pulsecheck457_score.CATEGORIES,
    "hypo3d": hypo3d_score.CATEGORIES,
    "3dsrbench": srbench_score.CATEGORIES,
    "scope": scope_score.TASKS,
}
AVERAGES = {
    "pulsecheck457": ("mean",),
    "hypo3d": ("overall", "overall_pm"),
    "3dsrbench": ("overall", "location"),
    "scope": ("average",),
}


def report_on(name, columns):
    """The report of right answers on some questions of each of these columns."""
    split, retained = opened(name), []
    for column in columns:
        own = [q for q in split.questions if q.category == column and not getattr(q, "control", "")]
        retained += own[:4]
    answers = [Prediction(q.id, "ok", q.answer) for q in retained]
    module = BENCHMARKS[name]
    score = module.score(retained, answers, module.scorers[0])
    return score | {"benchmark": name, "split": "part", "system": "gold"}


@pytest.mark.parametrize("name", COLUMNS)
def test_an_average_over_all_columns_stands_beside_the_published(name):
    report = report_on(name, COLUMNS[name])
    assert not any("columns" in row for row in report["rows"])
    for average in AVERAGES[name]:
        assert any(isinstance(row.get(average), float) for row in report["published"])


@pytest.mark.parametrize("name", COLUMNS)
def test_an_average_over_fewer_columns_says_so_and_stands_alone(name):
    left_out = {"3dsrbench": "location_above"}.get(name, COLUMNS[name][-1])
    retained = [column for column in COLUMNS[name] if column != left_out]
    report = report_on(name, retained)
    rows = {row["name"]: row for row in report["rows"]}
    averages = [*AVERAGES[name]]
    sizes = {average: [len(retained), len(COLUMNS[name])] for average in averages}
    if name == "3dsrbench":
        sizes |= {"location": [2, 3], "common": [11, 12]}  # these questions are of one viewpoint
    assert {n: row["columns"] for n, row in rows.items() if "columns" in row} == sizes
    assert not any(average in row for average in averages for row in report["published"])
    assert (
        any(isinstance(row.get(retained[0]), float) for row in report["published"])
        or name == "3dsrbench"
    )
    if name == "hypo3d":
        for table in (
            hypo3d_tables.change_table(report),
            hypo3d_tables.change_and_type_table(report),
        ):
            at = next(k for k, title in enumerate(table.header) if "overall (4 of 5)" in title)
            assert {row[at] for row in table.rows if str(row[0]).endswith(" *")} == {None}
        return
    table = results_table(report)
    for average, (few, all_of) in sizes.items():
        at = table.header.index(f"{average} ({few} of {all_of})")
        assert table.rows[0][at] == 100
        assert {row[at] for row in table.rows if str(row[0]).endswith(" *")} == {None}
