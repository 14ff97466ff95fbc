"""The checker of natural sentences finds what is planted, and the bank is clean."""

import json
import math

import pytest

from po3d.io.checkpoint import digest, locate
from po3d.io.errors import InputError
from po3d.io.paths import ROOT
from po3d.language.program import Call
from po3d.language.read.reader import GeneralParser, ParserOutput
from po3d.language.read.reader_tokens import SORTS
from po3d.language.read.reader_vocabulary import REFUSALS, STARTS
from po3d.language.read.weighing import ParseEvidence, Weighing
from po3d.systems.answer_options import REFUSED
from po3d.systems.general_parser import joined
from po3d.training import reader_pairs
from po3d.training.reader_pairs import left_out, paraphrases, records, tables
from tools import wording_read
from tools.wording import (
    PARTS,
    agrees,
    blind,
    check,
    in_training,
    judged,
    read,
    readings_told,
    simple,
    weights_of,
)

THING = {
    "name": "bed",
    "color": "red",
    "material": "wood",
    "state": None,
    "size": [2, 1, 0.5],
    "at": [1, 1, 0],
    "heading": 0,
}
LINE = {
    "scene": "a",
    "kind": "room",
    "hand": "h",
    "change": None,
    "frame": None,
    "task": None,
    "options": None,
    "question": "How many beds?",
    "answer": "1",
    "why": None,
}


@pytest.fixture
def bank(tmp_path):
    """A bank of one scene and one sentence a part; `write(part, scene, line)` changes them."""

    def write(part, scene=None, line=None):
        room = {"id": "a", "kind": "room", "about": "", "size": [4, 4], "objects": [THING]} | (
            scene or {}
        )
        (tmp_path / f"tables_{part}.jsonl").write_text(json.dumps(room) + "\n")
        reply = LINE | {"question": f"{part}: how many beds?"} | (line or {})
        (tmp_path / f"sentences_{part}.jsonl").write_text(json.dumps(reply) + "\n")

    for part in PARTS:
        write(part)
    return tmp_path, write


@pytest.mark.parametrize(
    ("scene", "line", "says"),
    [
        ({"objects": [{**THING, "at": [3.9, 1, 0]}]}, None, "outside the room"),
        (
            {"kind": "orbit", "objects": [THING, {**THING, "at": [2, 1, 0], "heading": 45}]},
            {"kind": "orbit"},
            "overlap",
        ),
        ({"objects": [{"name": "bed"}]}, None, "has the fields"),
        (None, {"scene": "b"}, "is about b"),
        (None, {"kind": "street"}, "which is no street"),
        (None, {"answer": None}, "doesn't say why"),
        (None, {"options": ["2", "3"]}, "none of its options"),
        (None, {"question": "The Train: how many beds"}, "stands in train, too"),
        (None, {"question": " "}, "no question"),
    ],
)
def test_what_is_planted_is_detected(bank, scene, line, says):
    folder, write = bank
    assert check(folder)[0] == []
    write("dev", scene, line)
    (result,) = check(folder)[0]
    assert says in result


def test_the_bank_is_clean():
    complaints, counts = check(ROOT / "data" / "wording")
    assert complaints == []
    assert counts["test"]["no answer"] > 100


def test_the_paraphrases_are_programs_in_words_that_no_held_out_part_has():
    def words(text):
        return frozenset(simple(text).split()) - {"a", "an", "the"}

    held_out = set()
    for line in [*records("sentences", "dev"), *records("sentences", "test")]:
        held_out |= {words(line[sort]) for sort in SORTS if line[sort]}
    pairs = paraphrases()
    assert len(pairs) > 5000
    assert not any(words(getattr(p.inputs, p.sort)) in held_out for p in pairs)
    starts = dict(zip(SORTS, STARTS, strict=True))
    reply = [(p.sort, p.call()) for p in pairs]
    assert all(
        c in REFUSALS if isinstance(c, str) else c.output in starts[sort] for sort, c in reply
    )
    assert sum(isinstance(c, str) for _, c in reply) < 0.1 * len(reply)
    for pair in [p for p in pairs if p.table and p.program not in REFUSALS][::50]:
        named = [c.args[1] for c in pair.call().calls() if c.op == "filter" and c.args[0] == "name"]
        assert set(named) <= set(pair.inputs.names)


def test_the_programs_of_a_line_are_judged_by_its_answer():
    room = {
        "id": "a",
        "kind": "room",
        "size": [4, 4],
        "objects": [THING, {**THING, "at": [3, 3, 0], "color": "blue"}],
    }
    line = LINE | {"change": "The red bed is gone.", "answer": "one"}
    gone = 'remove(filter(color, "red", filter(name, "bed", scene)))'
    count = 'count(filter(name, "bed", scene))'
    assert judged(line, {"change": gone, "question": count}, room) == "ok (one)"
    assert judged(line, {"question": count}, room) == "differs (got 2, wanted one)"
    assert judged(
        line, {"question": 'query(color, unique(filter(name, "bed", scene)))'}, room
    ).startswith("fails (2 are")
    assert judged(line, {"question": "count(scene"}, room).startswith("fails (question: ")
    assert judged(line, {"question": "scene"}, room).startswith("fails (question: gives objects")
    assert judged(line, {"frame": "frame(room)", "question": count}, room).startswith(
        "fails (frame: the line has none"
    )
    assert judged(line, {"question": None, "note": "beyond: a list"}, room) == "no program (beyond)"
    assert judged(line, {"question": None}, room).startswith("fails (no program")
    where = {
        "frame": 'frame(left, unique(filter(color, "red", scene)))',
        "question": 'query(side, unique(filter(color, "blue", scene)))',
    }
    assert judged(
        LINE | {"frame": "The red bed is on the left.", "answer": "front right"},
        where,
        room | {"size": [4, 3]},
    ).startswith("ok")


@pytest.mark.parametrize(
    ("got", "wanted", "right"),
    [
        ("front left", "front-left", True),
        ("front", "front left", False),
        ("chair", "the red chair", True),
        ("2", "two", True),
        ("yes", "no", False),
        ("behind", "behind her", True),
        ("", "nothing", False),
    ],
)
def test_answers_agree_by_their_words(got, wanted, right):
    assert agrees(got, wanted) is right


def bank_of(part):
    return tables(part), records("sentences", part), records("programs", part)


@pytest.mark.parametrize(("part", "step"), [("train", 8), ("dev", 2)])
def test_the_programs_of_the_bank_give_the_hands_answers(part, step):
    scenes, lines, programs = bank_of(part)
    assert [p["n"] for p in programs] == list(range(len(lines)))
    reply = [
        judged(lines[p["n"]], p, scenes[lines[p["n"]]["scene"]]).partition(" (")[0]
        for p in programs[::step]
    ]
    assert reply.count("ok") > 0.97 * (len(reply) - reply.count("no program"))
    assert reply.count("no program") < 0.2 * len(reply)


def test_the_executors_answer_the_banks_programs_as_the_hands_do():
    """Of what has a program, how often po3d's own rules give the hand's answer; 95 % and more by
    the checker's wide borders.
    """
    scenes, lines, programs = bank_of("dev")
    tabled = {name: wording_read.scene_of(scene) for name, scene in scenes.items()}
    reply = [one for (one,) in wording_read.readings("gold", lines, programs, tabled)]
    query = [(line, one) for line, one, report in zip(lines, reply, programs) if report["question"]]
    right = [wording_read.judged(*one, agrees).outcome == "right" for one in query]
    assert sum(right) > 0.92 * len(right)
    for kind, least in (("room", 0.9), ("street", 0.93), ("photo", 0.84), ("orbit", 0.97)):
        of_kind = [r for r, (line, _) in zip(right, query) if line["kind"] == kind]
        assert sum(of_kind) > least * len(of_kind)


def test_a_line_is_right_wrong_or_unanswered_by_what_is_reported():
    def outcome(answer, wanted, why=""):
        reply = wording_read.ParseResult(answer, 0.5, why)
        return wording_read.judged(LINE | {"answer": wanted}, reply, agrees).outcome

    assert outcome("2", "two") == "right"
    assert outcome("2", "three") == "wrong"
    assert outcome(None, "red", "ambiguous: two beds") == "no answer"
    assert outcome(REFUSED, "red") == "no answer"
    assert outcome(REFUSED, None) == outcome(None, None) == "right"
    assert outcome("2", None) == "wrong"
    assert (
        outcome(None, "nothing", "not found: the bed")
        == outcome(None, "0", "not found: the bed")
        == "right"
    )
    assert outcome(None, "nothing", "ambiguous: two beds") == "no answer"


def test_certainty_is_detected_by_logistic_regression():
    half = [wording_read.Judged("right" if k % 2 else "wrong", True, 0.3, "a") for k in range(400)]
    good = [wording_read.Judged("right" if k % 20 else "wrong", True, 0.9, "a") for k in range(400)]
    slope, offset = wording_read.certainty(half + good)
    reader = object.__new__(GeneralParser)
    reader.certainty = (slope, offset)
    reply = [reader.certain(p) for p in (0.3, 0.9)]
    assert reply == pytest.approx([0.5, 0.95], abs=0.01)


def said(answer, p, **visible):
    return wording_read.ParseResult(answer, p, evidence=ParseEvidence(p, **visible))


def test_the_likeliest_reading_that_has_an_answer_is_taken():
    counts, refuses = (said(answer, 0.5) for answer in ("2", REFUSED))
    fails = said(None, 0.5, fails=True)
    first = lambda *several, **weights: wording_read.chosen(several, Weighing(**weights))  # noqa: E731
    assert first(fails, counts) == fails
    assert first(fails, counts, fails=-math.log(4)) == counts._replace(probability=0.8)
    assert first(fails, fails) == fails._replace(probability=1.0)
    assert first(refuses, counts) == refuses
    assert first(fails, refuses, counts, counts) == counts
    assert first(said("2", 0.2), said(REFUSED, 0.3), said("2", 0.2)).probability == pytest.approx(
        4 / 7
    )
    # Half the logarithm brings weights nearer to each other: three weak readings outweigh a strong
    # one.
    weak = [said("2", 0.1)] * 3
    assert first(refuses, *weak).answer == REFUSED
    assert first(refuses, *weak, probability=0.5).answer == "2"
    same, other = said("2", 0.6, unchanged=True), said("3", 0.4)
    assert first(same, other).answer == "2"
    assert first(same, other, unchanged=-1.0).answer == "3"


@pytest.mark.parametrize("true", [1.0, 0.5])
def test_the_weights_at_which_right_answers_are_likeliest_are_detected(true):
    """Readings that are right as often as their share with these weights says; of those that fail
    none is right.
    """
    lines, several = [], []
    for k, p in enumerate([0.02, 0.2, 0.6, 0.9, 0.98] * 40):
        share = p**true / (p**true + (1 - p) ** true)
        first = (k // 5) % 40 < 40 * share
        lines.append(LINE | {"answer": "1" if first else "2"})
        several.append([said("1", p), said("2", 1 - p), said(None, p, fails=True)])
    result = wording_read.calibrated(lines, several, agrees)
    assert result.probability == pytest.approx(true, abs=0.1)
    assert result.fails < -3
    assert (result.calls, result.unchanged) == (0, 0)


def test_a_hands_lines_are_weighed_by_what_the_others_say():
    """One hand means the likelier reading, the other one the less likely: what either says misleads
    about the other.
    """
    lines = [
        LINE | {"hand": hand, "answer": hand} for hand in ("first", "second") for _ in range(40)
    ]
    several = [[said("first", 0.8), said("second", 0.2)] for _ in lines]
    assert {j.outcome for j in wording_read.by_others(lines, several, agrees)} == {"wrong"}


def test_readings_of_a_lines_sentences_go_together_and_a_change_that_is_not_understood_leaves_no_question():
    gone = Call.parse('remove(filter(color, "red", scene))')
    counts = Call.parse('count(filter(name, "bed", scene))')
    question = [ParserOutput(counts, 0.9), ParserOutput(None, 0.1, "none")]
    change = [ParserOutput(gone, 0.6), ParserOutput(None, 0.4, "beyond")]
    query = wording_read.question_of(LINE)
    together = lambda **reply: joined(wording_read.executor_of("room"), query, reply)  # noqa: E731
    changed = together(question=question, change=change)
    assert [round(r.probability, 2) for r in changed] == [0.54, 0.36, 0.06, 0.04]
    assert [(bool(r.unread), r.change is None) for r in changed] == [
        (False, False),
        *[(True, True)] * 3,
    ]
    assert [r.probability for r in together(question=question)] == [0.9, 0.1]


def test_coverage_is_reported_where_enough_answers_are_right():
    right = [wording_read.Judged("right", True, 0.9, "a") for _ in range(95)]
    wrong = [wording_read.Judged("wrong", True, p, "a") for p in [0.8] * 5 + [0.2] * 50]
    silent = [wording_read.Judged("no answer", True, 0.5, None) for _ in range(50)]
    first, second = wording_read.coverage(wrong + silent + right).splitlines()
    assert first.endswith("50.0% of all lines answered, those at p >= 0.800")
    assert second.endswith("51.5% of all lines answered, those at p >= 0.200")
    assert "0.0% of all lines" in wording_read.coverage(silent)


def test_each_reading_of_the_test_part_is_logged_and_shows_no_sentence(tmp_path, capsys):
    scene = {"id": "a", "kind": "room", "about": "a room", "size": [4, 4], "objects": [THING]}
    line = LINE | {"scene": "a", "kind": "room", "question": "Tell how many!", "answer": "1"}
    files = {
        "tables": [scene],
        "sentences": [line],
        "programs": [{"n": 0, "change": None, "frame": None, "question": "count(scene)"}],
    }
    for name, listed in files.items():
        (tmp_path / f"{name}_test.jsonl").write_text("".join(json.dumps(r) + "\n" for r in listed))
    for number in (1, 2):
        read(tmp_path, "test", ["gold"], None, False)
        log = [
            json.loads(text) for text in (tmp_path / "readings_test.jsonl").read_text().splitlines()
        ]
        assert len(log) == number
    assert log[1]["reader"] == "gold"
    assert log[1]["weights"] == {}
    assert "100.0" in log[1]["figures"][1]
    assert "Tell" not in capsys.readouterr().out
    with pytest.raises(InputError, match="no --out"):
        read(tmp_path, "test", ["gold"], tmp_path, False)


def test_a_reading_is_tied_to_the_weights_of_all_networks_that_read():
    known = {name: digest(locate(name)) for name in ("street_parser", "room_parser", "reader")}
    assert weights_of("ask") == known
    assert weights_of("old") == {name: known[name] for name in ("street_parser", "room_parser")}
    assert weights_of("checkpoints/reader") == weights_of("reader") == {"reader": known["reader"]}


def test_no_held_out_sentence_is_trained_on(tmp_path):
    """But for case and punctuation; a line that the list names is left out of the bank and of the
    rewordings.
    """
    folder = ROOT / "data" / "wording"
    assert list(in_training(folder)) == []
    named = left_out("train", folder)
    assert len(named) == 8
    lines = records("sentences", "train", folder)
    trained = {
        pair.inputs.question for pairs in reader_pairs.bank("train", folder) for pair in pairs
    }
    assert trained.isdisjoint(
        lines[n]["question"] for n in named if n != 3736
    )  # of that one the frame stands there
    for part, question in (
        ("train", "Where IS it"),
        ("dev", "What is it?"),
        ("test", "Where is it?"),
    ):
        text = json.dumps(LINE | {"question": question})
        (tmp_path / f"sentences_{part}.jsonl").write_text(text + "\n")
    (result,) = in_training(tmp_path)
    assert (
        result == "train line 1: its question stands in test, too; left_out_train.txt should name 0"
    )
    (tmp_path / "left_out_train.txt").write_text("# why\n0\n")
    assert list(in_training(tmp_path)) == []


def test_readme_says_how_often_the_test_part_was_read(tmp_path):
    assert list(readings_told(ROOT / "data" / "wording")) == []
    (tmp_path / "readings_test.jsonl").write_text("{}\n{}\n")
    (tmp_path / "README.md").write_text("It has been read 1 times.")
    (complaint,) = readings_told(tmp_path)
    assert complaint.endswith("has been read 2 times")


def test_a_second_hand_that_was_blind_agrees():
    for part, tenth in (("train", 599), ("dev", 81), ("test", 100)):
        same, count = blind(ROOT / "data" / "wording", part)
        assert count == tenth
        assert same >= 0.95 * count


def test_two_hands_agree_in_other_words_but_not_in_another_answer(tmp_path):
    reply = [
        ("2", "two"),
        ("left", "right"),
        (None, None),
        (None, "no"),
        ("the red cup", "red cup"),
    ]
    files = {
        "sentences": [{"answer": a} for a, _ in reply],
        "blind": [{"n": n, "answer": b} for n, (_, b) in enumerate(reply)],
    }
    for name, lines in files.items():
        (tmp_path / f"{name}_dev.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines)
        )
    assert blind(tmp_path, "dev") == (3, 5)
