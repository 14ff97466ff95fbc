"""The regression gates: what moved is named, what did not is passed over in silence."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.gates import BASELINE, WHOLE, Answers, Figure, Part, main, moved, packed, parts, recorded

BEFORE = Answers(
    {
        "answers": {f"q{k:03d}": f"ok {k % 7}" for k in range(400)},
        "programs": {f"q{k:03d}": f"p({k})" for k in range(400)},
    },
    {"mean": Figure(100.0, 400), "pose": Figure(90.0, 20)},
)


def with_texts(column: str, changes: dict[str, str], **figures: float) -> Answers:
    items = {**BEFORE.items, column: {**BEFORE.items[column], **changes}}
    now = {name: f._replace(value=figures.get(name, f.value)) for name, f in BEFORE.figures.items()}
    return Answers(items, now)


def text_of(now: Answers, rule: str = "exact") -> list[tuple[str, bool]]:
    return [tuple(m) for m in moved(Part("some", lambda: now, rule), packed(BEFORE), now)]


@pytest.mark.parametrize("rule", ["exact", "tolerant", "speed"])
def test_the_same_answers_are_silent(rule):
    assert text_of(BEFORE, rule) == []


def test_a_moved_answer_is_counted_and_named_with_its_figure():
    now = with_texts("answers", {"q007": "failed None", "q399": "ok 9"}, mean=99.5)
    assert text_of(now) == [
        ("2 of 400 answers moved: q007, q399", True),
        ("mean 100.0 -> 99.5", True),
    ]


@settings(max_examples=12)  # all of 400 items are hashed anew
@given(st.sets(st.integers(0, 399), min_size=1, max_size=5), st.text(min_size=1))
def test_whatever_moved_is_noticed(which, text):
    ((reply, fails),) = text_of(with_texts("programs", {f"q{k:03d}": text for k in which}))
    assert fails
    assert "of 400 programs moved" in reply


def test_texts_of_the_same_short_digest_are_noticed_by_the_long_one():
    before = packed(BEFORE)
    whole, short = before["columns"]["answers"].split(":")
    before["columns"]["answers"] = f"{whole[::-1]}:{short}"
    assert len(whole) == WHOLE
    assert moved(Part("some", lambda: BEFORE), before, BEFORE) == [
        ("some of 400 answers moved", True)
    ]


@pytest.mark.parametrize(
    ("figures", "fails"),
    [
        ({"mean": 99.5}, [False]),
        ({"mean": 99.4}, [True]),
        ({"mean": 100.6}, [True]),
        ({"pose": 85.0}, [False]),  # one of 20
        ({"pose": 84.9}, [True]),
    ],
)
def test_a_tolerant_part_fails_by_its_figures_alone(figures, fails):
    answer, *rest = text_of(with_texts("answers", {"q001": "ok none"}, **figures), "tolerant")
    assert answer == ("1 of 400 answers moved: q001", False)
    assert [f for _, f in rest] == fails


def test_other_items_columns_and_figures_fail_even_where_answers_may_move():
    fewer = {column: dict(list(texts.items())[1:]) for column, texts in BEFORE.items.items()}
    assert text_of(Answers(fewer, BEFORE.figures), "tolerant") == [
        ("other items: 400 before, 399 now", True)
    ]
    alone = Answers({"answers": BEFORE.items["answers"]}, {"mean": Figure(100.0, 399)})
    assert text_of(alone, "tolerant") == [
        ("gone: programs", True), ("mean 100.0 -> 100.0 of 400 -> 399", True), ("pose: gone", True),
    ]  # fmt: skip


def test_a_speed_fails_below_19_twentieths_and_never_above():
    part = Part("bench", lambda: BEFORE, "speed")
    recorded = packed(Answers({}, {"edits": Figure(1000.0)}))
    at = lambda speed: moved(part, recorded, Answers({}, {"edits": Figure(speed)}))  # noqa: E731
    assert at(950.0) == at(4000.0) == []
    assert at(949.0) == [("edits 1,000.0 -> 949.0 (94.9 %)", True)]


def run(tmp_path, capsys, answers: Answers, *arguments: str) -> tuple[int, list[str]]:
    def broken() -> Answers:
        raise ValueError("no such module")

    fakes = [
        Part("a/still", lambda: BEFORE),
        Part("a/moves", lambda: answers),
        Part("b/net", broken, "tolerant", networks=True),
        Part("bench", broken, "speed", networks=True),
    ]
    code = main([*arguments, "--baseline", str(tmp_path / "gates.json")], fakes)
    return code, capsys.readouterr().out.splitlines()


def test_the_command_records_compares_and_says_what_is_not_there(tmp_path, capsys):
    assert run(tmp_path, capsys, BEFORE, "check", "--fast") == (
        1, ["a/still: not recorded", "a/moves: not recorded", "2 parts, 2 moved"],
    )  # fmt: skip
    assert run(tmp_path, capsys, BEFORE, "record", "--fast") == (0, ["2 parts"])
    assert run(tmp_path, capsys, BEFORE, "check", "--only", "a") == (0, ["2 parts, 0 moved"])
    now = with_texts("answers", {"q042": "ok x"})
    line = "a/moves: 1 of 400 answers moved: q042"
    assert run(tmp_path, capsys, now, "--fast") == (1, [line, "2 parts, 1 moved"])
    assert run(tmp_path, capsys, now, "--only", "*/still") == (0, ["1 parts, 0 moved"])
    code, lines = run(tmp_path, capsys, BEFORE)
    assert (code, lines) == (
        1,
        ["b/net: does not run: ValueError: no such module", "3 parts, 1 moved"],
    )
    assert run(tmp_path, capsys, BEFORE, "--only", "a/stil")[0] == 2
    stored = json.loads((tmp_path / "gates.json").read_text())
    (tmp_path / "gates.json").write_text(json.dumps({**stored, "a/old": stored["a/still"]}))
    code, lines = run(tmp_path, capsys, BEFORE, "--fast")
    assert (code, lines[0]) == (1, "a/old: recorded, but there is no such part")


def test_equal_columns_are_stored_once_and_come_back(tmp_path, capsys):
    assert run(tmp_path, capsys, BEFORE, "record", "--fast")[0] == 0
    path = tmp_path / "gates.json"
    first, second = (
        json.loads(path.read_text())[name]["columns"] for name in ("a/moves", "a/still")
    )
    assert all(":" in first[column] and ":" not in second[column] for column in BEFORE.items)
    columns = [recorded(path)[name]["columns"] for name in ("a/moves", "a/still")]
    assert columns == [packed(BEFORE)["columns"]] * 2


def test_the_committed_baseline_is_small_and_one_of_its_parts_still_holds():
    baseline = recorded(BASELINE)
    by_name = {part.name: part for part in parts()}
    assert set(baseline) <= set(by_name)
    assert BASELINE.stat().st_size < 120_000
    part = by_name["parses/grounding_dev"]
    assert moved(part, baseline[part.name], part.answers()) == []
