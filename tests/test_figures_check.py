"""tools.figures: figures in pages come from reports, and a check allows for other processors."""

import pytest

from po3d.io.errors import InputError
from tools.figures import brought_up_to_date, figure, within

REPORTS = {"benchmark=scope": {"rows": [{"name": "average", "value": 88.14}]}}
PAGE = "SCOPE <!-- figure: benchmark=scope; average -->80.0<!-- end --> percent"


def test_a_marked_figure_is_replaced_by_the_reports_row():
    assert "-->88.1<!-- end -->" in brought_up_to_date(PAGE, REPORTS.__getitem__)
    assert brought_up_to_date(PAGE, REPORTS.__getitem__, "benchmark=hypo3d") == PAGE


def test_a_row_that_the_report_lacks_is_named():
    with pytest.raises(InputError, match="joint"):
        figure(REPORTS.__getitem__, "benchmark=scope", "joint")


@pytest.mark.parametrize(
    ("after", "same"),
    [("| 93.7 | 92.4-95.1 |", True), ("| 94.1 | 92.0-95.6 |", True), ("| 94.3 | 92.4-95.1 |", False),
     ("| 93.7 | 92.4-95.1 | x", False)],
)  # fmt: skip
def test_a_check_allows_half_a_point_and_no_other_text(after, same):
    assert within("| 93.7 | 92.4-95.1 |", after, 0.5) is same


def test_a_count_may_differ_by_a_few():
    assert within("failed: 14", "failed: 16", 0.5)
    assert not within("failed: 14", "failed: 24", 0.5)
