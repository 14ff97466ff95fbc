"""Tables of every format give the same rows, and a small file does not take much memory or time."""

import csv
import resource
import time
import zipfile

import pytest

from po3d.benchmarks.hypo3d.data import AXIS_FILES, _read_axes
from po3d.io import tables
from po3d.io.errors import InputError
from po3d.io.tables import table_rows

ROWS = [{"id": "1", "a": "x"}, {"id": "2", "a": None}, {"id": "3", "a": "=1+1"}]


def write(path, rows):
    """Write records in the format that the name tells; None is an empty cell."""
    header = list(rows[0])
    cells = [[row[name] for name in header] for row in rows]
    if path.suffix == ".xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in [header, *cells]:
            book.active.append(row)
        book.save(path)
    elif path.suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, delimiter="," if path.suffix == ".csv" else "\t")
            writer.writerows([header, *cells])
    return path


def repacked(path, change):
    """Rewrite parts of a workbook: `change(name, text)` gives the new text."""
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name).decode() for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, text in parts.items():
            new.writestr(name, change(name, text))
    return path


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def refused(path, message, most_seconds=5, most_megabytes=400):
    before, start = peak(), time.process_time()
    with pytest.raises(InputError, match=message) as caught:
        list(table_rows(path, "thing"))
    assert time.process_time() - start < most_seconds
    assert peak() - before < most_megabytes
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", tables.SUFFIXES)
def test_every_format_gives_the_same_rows(tmp_path, suffix):
    result = list(table_rows(write(tmp_path / f"a{suffix}", ROWS)))
    assert [{k: v or None for k, v in row.items()} for row in result] == ROWS


@pytest.mark.parametrize("suffix", tables.SUFFIXES)
def test_a_missing_file_is_named(tmp_path, suffix):
    with pytest.raises(InputError, match="thing not found"):
        list(table_rows(tmp_path / f"a{suffix}", "thing"))


@pytest.mark.parametrize("reader", ["table", "axes"])
def test_a_workbook_is_as_large_as_its_cells_not_as_it_says(tmp_path, reader):
    """1.5 kB that say A1:XFD1048576 took 8 GB."""
    row = {"scene_id": "s", "Front": "bed", "Back": None, "Left": None, "Right": "sofa"}
    path = write(tmp_path / AXIS_FILES[-1], [row])
    reply = 'ref="A1:XFD1048576"'
    repacked(
        path, lambda name, text: text.replace('ref="A1:E2"', reply) if "sheet1" in name else text
    )
    with zipfile.ZipFile(path) as archive:
        assert reply in archive.read("xl/worksheets/sheet1.xml").decode()
    before, start = peak(), time.process_time()
    if reader == "table":
        assert list(table_rows(path)) == [row]
    else:
        assert _read_axes(path) == {"s": {"front": "bed", "right": "sofa"}}
    assert time.process_time() - start < 5
    assert peak() - before < 300


def test_a_workbook_with_a_cell_in_its_last_column_is_refused(tmp_path):
    path = write(tmp_path / "a.xlsx", ROWS)
    repacked(
        path, lambda name, text: text.replace('r="B2"', 'r="XFD2"') if "sheet1" in name else text
    )
    refused(path, "thing .* has more than the limit of 1,000 columns")


def test_a_workbook_of_styles_is_refused(tmp_path):
    path = write(tmp_path / "a.xlsx", ROWS)
    repacked(
        path,
        lambda name, text: (
            text.replace("</cellXfs>", "<xf/>" * 200_000 + "</cellXfs>")
            if "styles" in name
            else text
        ),
    )
    assert path.stat().st_size < 20_000
    refused(path, "bytes of styles and names")


@pytest.mark.parametrize(("rows", "columns"), [(6_000_000, 1), (6_000, 1_000), (1, 1_001)])
def test_a_parquet_file_of_rows_that_are_all_the_same_is_refused(tmp_path, rows, columns):
    """40 million of them are 646 kB."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    column = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0] * rows, "int8"), pyarrow.array(["a question"])
    )
    table = pyarrow.table({f"c{k}": column for k in range(columns)})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=10**8)
    refused(tmp_path / "a.parquet", "thing .* has more than the limit")


def test_a_parquet_file_of_long_cells_is_refused(tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    monkeypatch.setattr(tables, "DECODED", 10**8)
    column = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0] * 100_000, "int8"), pyarrow.array(["a" * 10_000])
    )
    parquet.write_table(pyarrow.table({"c": column}), tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 100_000
    refused(tmp_path / "a.parquet", "unpacks to more than the limit of 100,000,000 characters")


@pytest.mark.parametrize("suffix", [".xlsx", ".parquet"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PAR1PAR1", b"hello" * 100])
def test_what_is_no_table_is_refused(tmp_path, suffix, content):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    refused(path, "is not a readable")


def test_rows_columns_and_cells_of_text_are_counted(tmp_path, monkeypatch):
    path = write(tmp_path / "a.csv", ROWS)
    for name, value, message in (
        ("ROWS", 2, "2 rows"),
        ("COLUMNS", 1, "1 columns"),
        ("CELLS", 5, "5 cells"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(tables, name, value)
            refused(path, f"more than the limit of {message}")


@pytest.mark.parametrize("cells", [100, 4_000])
def test_a_text_that_a_workbook_has_once_counts_in_each_of_its_cells(tmp_path, cells):
    """4,000 cells of a text of 100 kB, which the file has once, are 400 MB."""
    path = write(tmp_path / "a.xlsx", [{"id": "1", "a": "x"}] * (cells + 1))
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'

    def change(name, text):
        text = text.replace("</Types>", part)
        return text.replace('t="inlineStr"><is><t>x</t></is>', 't="s"><v>0</v>')

    repacked(path, change)
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        text = f'<sst xmlns="{space}"><si><t>{"a b " * 25_000}</t></si></sst>'
        file.writestr("xl/sharedStrings.xml", text)
    assert path.stat().st_size < 200_000
    if cells == 100:
        assert [len(row["a"]) for row in table_rows(path)] == [100_000] * (cells + 1)
    else:
        refused(path, "more than the limit of 256,000,000 characters")
