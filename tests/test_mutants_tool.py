"""The sample of mutants is drawn by seed, and what survives is counted."""

import sqlite3

import pytest

from tools.mutants import annotated, outcomes, sampled


@pytest.fixture
def session(tmp_path):
    """A session of cosmic-ray with 30 mutants; its tables are cosmic-ray's."""
    path = tmp_path / "session.sqlite"
    with sqlite3.connect(path) as base:
        base.execute("create table work_items (job_id text)")
        base.execute(
            "create table mutation_specs (job_id text, operator_name text, start_pos_row int,"
            " start_pos_col int, occurrence int, operator_args text)"
        )
        base.execute("create table work_results (job_id text, test_outcome text, diff text)")
        for k in range(30):
            base.execute("insert into work_items values (?)", (f"j{k * 7 % 30}",))
            base.execute(
                "insert into mutation_specs values (?, 'op', ?, 0, 0, '{}')", (f"j{k * 7 % 30}", k)
            )
    return path


def jobs(path, table):
    with sqlite3.connect(path) as base:
        return {row[0] for row in base.execute(f"select job_id from {table}")}


def test_a_sample_depends_on_the_seed_and_the_source_alone(session):
    assert sampled(session, 8, 3) == 30
    assert len(jobs(session, "work_items")) == 8
    assert jobs(session, "work_items") == jobs(session, "mutation_specs")
    assert sampled(session, 8, 4) == 8
    assert sampled(session, 100, 4) == 8


def test_type_annotations_are_not_mutated(session):
    source = "\n".join([*"0" * 6, "x: int | None = 1", "def f(y: str | int) -> a | b: ..."])
    assert sorted(annotated(source)) == [((7, 3), (7, 13)), ((8, 9), (8, 18)), ((8, 23), (8, 28))]
    with sqlite3.connect(session) as base:
        base.execute("update mutation_specs set start_pos_col = 3")
    assert sampled(session, 100, 3, source) == 29  # the one of line 7 is left out
    assert len(jobs(session, "work_items")) == 29


def test_what_survived_is_reported(session):
    with sqlite3.connect(session) as base:
        rows = [("a", "KILLED", "x"), ("b", "SURVIVED", "y"), ("c", "INCOMPETENT", "z")]
        base.executemany("insert into work_results values (?, ?, ?)", rows)
    assert outcomes(session) == (2, ["y"])
