import re

from hypothesis import given
from hypothesis import strategies as st

from po3d.evaluation.report.latex import latex_page
from po3d.evaluation.report.notes import Explained
from po3d.io.text_tables import Table, latex_text, markdown, text

TABLE = Table(
    ("model", "L1", "mean"), [("po3d", 99.25, 98.0), ("GPT_4o & co", 7, None)], rules=(1,)
)


def test_text_columns_are_aligned():
    lines = text(TABLE).splitlines()
    assert lines == [
        "model          L1  mean",
        "-----------  ----  ----",
        "po3d         99.2  98.0",
        "-----------  ----  ----",
        "GPT_4o & co     7     -",
    ]


WORDS = st.text("abc", min_size=1, max_size=12)


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.lists(st.lists(WORDS, min_size=n, max_size=n), min_size=2)
    ),
    st.integers(1, 90),
)
def test_a_narrow_table_has_all_its_cells_in_groups_of_columns(rows, width):
    header, *body = rows
    wide, narrow = (text(Table(header, body), width=w) for w in (10**6, width))
    groups = [
        [re.split(r" {2,}", line.strip()) for line in part.splitlines()]
        for part in narrow.split("\n\n")
    ]
    assert all(
        group[0][0] == header[0] for group in groups
    )  # which row is which can be seen in each
    assert [cell for group in groups for cell in group[0][1:]] == header[1:]
    for k, row in enumerate(body):
        assert [cell for group in groups for cell in group[k + 2][1:]] == row[1:]
    for part in narrow.split("\n\n"):
        longest = max(map(len, part.splitlines()))
        assert (
            longest <= width or len(re.split(r" {2,}", part.splitlines()[0])) <= 2
        )  # one column does not fit
    assert ("\n\n" in narrow) <= (max(map(len, wide.splitlines())) > width)


def test_markdown_escapes_pipes():
    assert markdown(Table(("a", "b"), [("x|y", 1)])).splitlines() == [
        "| a | b |",
        "|---|---:|",
        "| x\\|y | 1 |",
    ]


def test_latex_has_rules_and_nothing_that_latex_would_act_upon():
    lines = latex_page([Explained("t", TABLE)], "x").splitlines()
    assert r"GPT\_4o \& co & 7 & -- \\" in lines
    assert lines.count(r"\midrule") == 2
    assert (
        latex_text("<1 > |a| [b] *")
        == r"\textless{}1 \textgreater{} \textbar{}a\textbar{} {[}b] {*}"
    )
    assert latex_text("\u4e2d\u2020\x1b") == r"U+4E2D\dag{}\textbackslash{}u001b"
