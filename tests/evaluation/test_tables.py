from po3d.io.text_tables import Table, latex, markdown, text

TABLE = Table(("model", "L1", "mean"), [("po3d", 99.25, 98.0), ("GPT_4o & co", 7, None)], rules=(1,))


def test_text_columns_are_aligned():
    lines = text(TABLE).splitlines()
    assert lines == [
        "model          L1  mean",
        "-----------  ----  ----",
        "po3d         99.2  98.0",
        "-----------  ----  ----",
        "GPT_4o & co     7     -",
    ]


def test_markdown_escapes_pipes():
    assert markdown(Table(("a", "b"), [("x|y", 1)])).splitlines() == [
        "| a | b |",
        "|---|---:|",
        "| x\\|y | 1 |",
    ]


def test_latex_escapes_and_rules():
    lines = latex(TABLE).splitlines()
    assert r"GPT\_4o \& co & 7 & - \\" in lines
    assert lines.count(r"\midrule") == 2
