"""The readers of text, JSON and tables: every encoding that tools write, and one line for what
can't be read.
"""

import bz2
import csv
import fcntl
import gzip
import io
import json
import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.io import files
from po3d.io.errors import InputError
from po3d.io.files import (
    atomic_write,
    read_cells,
    read_json,
    read_jsonl,
    read_table,
    read_text,
    remove_torn,
    write_file,
    write_json,
    write_jsonl,
)
from po3d.io.seeding import rng

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16")  # "utf-16" writes a byte order mark
LETTERS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)
RECORDS = st.lists(
    st.dictionaries(LETTERS, LETTERS | st.integers() | st.none(), max_size=3),
    min_size=1,
    max_size=4,
)
CELLS = st.lists(st.lists(LETTERS, min_size=2, max_size=2), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@given(value=RECORDS, encoding=st.sampled_from(ENCODINGS))
def test_json_of_any_encoding_is_read(folder, value, encoding):
    (folder / "a.json").write_text(json.dumps(value, ensure_ascii=False), encoding=encoding)
    (folder / "a.jsonl").write_text(
        "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in value), encoding=encoding
    )
    assert read_json(folder / "a.json") == value
    assert list(read_jsonl(folder / "a.jsonl")) == value


@given(rows=CELLS, encoding=st.sampled_from(ENCODINGS), suffix=st.sampled_from((".csv", ".tsv")))
def test_tables_of_any_encoding_are_read(folder, rows, encoding, suffix):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter="," if suffix == ".csv" else "\t").writerows([["one", "two"], *rows])
    path = folder / f"a{suffix}"
    path.write_bytes(text.getvalue().encode(encoding))
    assert list(read_cells(path)) == [["one", "two"], *rows]
    assert list(read_table(path)) == [{"one": a, "two": b} for a, b in rows]
    assert read_text(path) == text.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a": 1}'.encode("utf-16-le"), "NUL"),  # no byte order mark
        ('{"a": 1}'.encode("utf-32"), "UTF-32"),
        (b"\xff\xfe{", "UTF-8"),  # half a character of UTF-16
        ('{"a": "é"}'.encode("latin-1"), "UTF-8"),
        (b"[" * 200_000, "nested too deep"),
        (b"1" * 5001, "digits"),
        (b"{]", "not valid JSON"),
    ],
)
def test_what_is_no_json_is_one_line(tmp_path, content, said):
    (tmp_path / "a.json").write_bytes(content)
    (tmp_path / "a.jsonl").write_bytes(content + b"\n\n")
    for read in (read_json, lambda path: list(read_jsonl(path))):
        with pytest.raises(InputError, match=said) as error:
            read(tmp_path / ("a.json" if read is read_json else "a.jsonl"))
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("line", ["3", '"text"', "[1, 2]", "null"])
def test_a_line_that_is_no_object_is_one_line(tmp_path, line):
    (tmp_path / "a.jsonl").write_text(f'{{"a": 1}}\n{line}\n')
    with pytest.raises(InputError, match="line 2: each line should be a JSON object"):
        list(read_jsonl(tmp_path / "a.jsonl"))


def test_a_torn_last_line_is_dropped_and_no_other(tmp_path):
    whole = '{"a": "é"}\n'.encode()
    for cut in range(1, len(whole) - 1):  # also in the middle of a character
        (tmp_path / "a.jsonl").write_bytes(whole + whole[:cut])
        assert len(list(read_jsonl(tmp_path / "a.jsonl"))) == 1
        (tmp_path / "a.jsonl").write_bytes(whole + whole[:cut] + b"\n" + whole)
        with pytest.raises(InputError, match="line 2"):
            list(read_jsonl(tmp_path / "a.jsonl"))


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_packed_lines_are_read_as_plain_ones_and_a_torn_file_is_one_line(
    tmp_path, suffix, compress
):
    packed, path = compress(b'{"a": 1}\n{"a": 2}\n'), tmp_path / f"x.jsonl{suffix}"
    path.write_bytes(packed)
    assert list(read_jsonl(path)) == [{"a": 1}, {"a": 2}]
    for torn in (packed[:-9], packed[1:], packed[:12] + b"x" + packed[13:]):
        path.write_bytes(torn)
        with pytest.raises(InputError, match=f"is not a complete {suffix} file"):
            list(read_jsonl(path))


def test_a_table_that_was_cut_off_or_has_a_row_too_long_is_one_line(tmp_path):
    path = tmp_path / "a.tsv"
    for row in ("1", "1\t2\t3"):
        path.write_text(f"one\ttwo\n1\t2\n\n{row}")
        with pytest.raises(InputError, match=r"row 1: \d cells in 2 columns"):
            list(read_table(path))
    path.write_bytes("one\ttwo\n1\té\n".encode("latin-1"))
    with pytest.raises(InputError, match="UTF-8"):
        list(read_table(path))


def test_missing_files_and_folders_are_one_line(tmp_path):
    for read in (
        read_text,
        read_json,
        lambda path, what: list(read_jsonl(path, what)),
        lambda path, what: list(read_table(path, what)),
    ):
        with pytest.raises(InputError, match="list of things not found"):
            read(tmp_path / "a.json", "list of things")
        with pytest.raises(InputError, match="list of things is a folder"):
            read(tmp_path, "list of things")


def test_a_pipe_and_a_link_are_written_to_and_not_replaced(tmp_path):
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "there" / "file"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_text)
        with atomic_write(pipe) as out:
            out.write("abc")
        assert read.result() == "abc"
    assert pipe.is_fifo()
    link.symlink_to(file)
    for text in ("made", "made again"):
        with atomic_write(link) as out:
            out.write(text)
        assert link.is_symlink()
        assert file.read_text() == text
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "link", "pipe", "there"]


def test_what_cannot_be_written_is_reported_by_its_own_name(tmp_path):
    (tmp_path / "folder").mkdir()
    for name, kind in (("folder", IsADirectoryError), ("a" * 254, OSError)):
        with pytest.raises(kind) as caught, atomic_write(tmp_path / name) as file:
            file.write("x")
        assert caught.value.filename == str(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_records_are_written_all_or_none_and_read_back(tmp_path):
    def broken():
        yield {"a": 1}
        raise KeyError("b")

    for compact, line in ((False, '{"ä": [1, 2]}\n'), (True, '{"ä":[1,2]}\n')):
        write_jsonl(tmp_path / "a.jsonl", ({"ä": [1, k]} for k in (2, 3)), compact)
        assert (tmp_path / "a.jsonl").read_text(encoding="utf-8").startswith(line)
        assert [r["ä"][1] for r in read_jsonl(tmp_path / "a.jsonl")] == [2, 3]
    with pytest.raises(KeyError):
        write_jsonl(tmp_path / "b.jsonl", broken())
    write_file(tmp_path / "c", b"\xff")
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["a.jsonl", "c"]
    assert (tmp_path / "c").read_bytes() == b"\xff"


KILLED = """
import os, sys
from po3d.io.files import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write("half")
    file.flush()
    os.kill(os.getpid(), 9)
"""


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    left = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a.json")], check=False)
    assert left.returncode == -9
    (torn,) = tmp_path.iterdir()
    assert torn.read_text() == "half"
    write_file(tmp_path / "b.json", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["b.json"]


def test_what_a_living_process_writes_stays(tmp_path):
    own = tmp_path / f".a.json.{os.getpid()}.tmp"
    parents = tmp_path / f".b.json.{os.getppid()}.tmp"
    others = [
        tmp_path / name
        for name in (".c.tmp", "d.999999999.tmp", ".e.999999999.tmp.txt", ".f.0.tmp", ".g.-1.tmp")
    ]
    for path in (own, parents, *others):
        path.write_text("x")
    locked = tmp_path / ".h.999999999.tmp"  # of a process of another machine
    with open(locked, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        remove_torn(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {
            p.name for p in (own, parents, locked, *others)
        }


def test_a_name_that_is_no_utf_8_draws_numbers_and_others_draw_theirs():
    names = [os.fsdecode(b"caf\xe9.jpg"), os.fsdecode(b"caf\xe8.jpg"), "caf\u00e9.jpg"]
    assert len({rng(0, name).integers(10**9) for name in names}) == 3
    assert rng(3, "x", 1).integers(10**9) == 410_248_408


def test_a_name_that_is_no_utf_8_can_stand_in_what_is_written(tmp_path):
    write_json(tmp_path / "a.json", {"root": os.fsdecode(b"caf\xe9")})
    assert read_json(tmp_path / "a.json") == {"root": "caf?"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" + b"[]," * 7_000_000 + b"[]]\n", "more than 10,000,000 small values"),
        (b'{"a": [' + b"{}," * 7_000_000 + b"{}]}\n", "more than 10,000,000 small values"),
        (b" " * (2**28 + 2), "a line longer than the limit of 268,435,456 bytes"),
    ],
)
def test_a_small_packed_file_does_not_take_much_memory(tmp_path, content, message):
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(content, 1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    del content
    with pytest.raises(InputError, match=message):
        list(read_jsonl(tmp_path / "a.jsonl.gz"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 700_000


def test_many_numbers_are_no_hostile_file(tmp_path):
    """Super-CLEVR's scenes have some 25 million."""
    (tmp_path / "a.json").write_text(f"[{','.join(['-1.25'] * 2_200_000)}]")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "VALUES", 10**6)
        assert len(read_json(tmp_path / "a.json")) == 2_200_000
