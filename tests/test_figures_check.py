"""tools.figures --check allows for the rounding of other processors."""

import pytest

from tools.figures import within


@pytest.mark.parametrize(
    ("after", "same"),
    [
        ("| 93.7 | 92.4-95.1 |", True),
        ("| 94.1 | 92.0-95.6 |", True),
        ("| 94.3 | 92.4-95.1 |", False),
        ("| 93.7 | 92.4-95.1 | x", False),
    ],
)
def test_a_check_allows_half_a_point_and_no_other_text(after, same):
    assert within("| 93.7 | 92.4-95.1 |", after, 0.5) is same


def test_a_count_may_differ_by_a_few():
    assert within("failed: 14", "failed: 16", 0.5)
    assert not within("failed: 14", "failed: 24", 0.5)
