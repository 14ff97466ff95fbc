"""Wordings as data: what a file's rules say, how it is checked, and that the shipped files are in
order.
"""

import hashlib

import numpy as np
import pytest

from po3d.language.grammar import Grammar, load
from po3d.language.grammar_check import ambiguities, everything, problems, samples, wordless
from po3d.language.grammar_file import GrammarError
from po3d.language.program import Call
from po3d.language.programs.rooms import parse_text
from po3d.language.programs.street import STREET, StreetProgram
from po3d.language.say import plain
from po3d.training.reader_pairs import records

ROOMS = """
how_many: how many | what number of
question count(S): <how_many> {S.many} [are there|do you see|]
question count(upon(X, S)) *3: how many {S.many} does {X} have
many all(N): {N.many}
many having(_, V, S): {V} {S.many} | {S.many} that are {V}
one all(N): {N}
one having(_, V, S): {V} {S.one}
object only(S): the {S.one}
set all(N) plural: all {N.many}
set just(X): {X}
name "cup": mug
edit remove(S) if kind=removal: {S} has/have been removed
edit remove(S) if not kind=removal and small(S): a/an {S.one} and a/an {S.one}
edit swap(X, X) only: the two swapped
edit swap(X, Y): {X} and {Y} swapped
"""
GRAMMAR = Grammar("rooms", ROOMS)


def readings(form, program, facts=None, times=300):
    r = np.random.default_rng(0)
    value = parse_text(program)
    return {
        GRAMMAR.say(form, value, lambda n: int(r.integers(n)), facts or {}).text()
        for _ in range(times)
    }


def test_a_program_is_reported_in_exactly_the_wordings_of_its_rules():
    looks = ("red chairs", "chairs that are red")
    assert readings("question", 'count(having(color, "red", all("chair")))') == {
        f"{how} {what}{tail}"
        for how in ("how many", "what number of")
        for what in looks
        for tail in (" are there", " do you see", "")
    }


def test_a_rule_of_weight_three_is_reported_three_times_as_often():
    r, program = (
        np.random.default_rng(1),
        parse_text('count(upon(only(all("desk")), all("chair")))'),
    )
    rooms = Grammar("rooms", ROOMS + "many upon(X, S): {S.many} on {X}\n")
    reply = [
        rooms.say("question", program, lambda n: int(r.integers(n))).text() for _ in range(1000)
    ]
    assert 0.7 < np.mean(["have" in text for text in reply]) < 0.8


def test_verbs_agree_articles_fit_and_conditions_are_queried():
    assert readings("edit", 'remove(all("egg"))', {"kind": "removal"}) == {
        "all eggs have been removed"
    }
    assert readings("edit", 'remove(just(only(all("egg"))))', {"kind": "removal"}) == {
        "the egg has been removed"
    }
    facts = {"kind": "addition", "small": lambda s: s.args[0] == "egg"}
    assert readings("edit", 'remove(all("egg"))', facts) == {"an egg and an egg"}
    with pytest.raises(GrammarError, match="no wording for: edit remove"):
        readings("edit", 'remove(all("desk"))', facts)


def test_the_same_capital_stands_for_the_same_and_only_ends_the_search():
    chair, desk = 'only(all("chair"))', 'only(all("desk"))'
    assert readings("edit", f"swap({chair}, {chair})") == {"the two swapped"}
    assert readings("edit", f"swap({chair}, {desk})") == {"the chair and the desk swapped"}
    assert readings("edit", f'swap({desk}, only(all("cup")))') == {"the desk and the mug swapped"}


def test_the_readings_of_a_wording_are_written_out():
    assert set(GRAMMAR.every("<how_many> [a|b [c|]]")) == {
        f"{how} {rest}" for how in ("how many", "what number of") for rest in ("a", "b c", "b")
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x count(S): how many {X}", "is not bound"),
        ("x: <missing>", "there is no phrase"),
        ("x: [a|b", "brackets"),
        ("x all(_) only: a\nx all(\"cup\"): b", "always takes precedence"),
        ("x all(_): a | a", "duplicate wording"),
    ],
)  # fmt: skip
def test_faults_of_a_grammar_are_reported(line, message):
    (result,) = problems(Grammar("test", line))
    assert message in result


@pytest.mark.parametrize(
    "text", ["X Y: a", "x count((S): a", "x count(S", "  a", "x:", "x count(S) if a b: c"]
)
def test_a_file_that_cannot_be_read_says_where(text):
    with pytest.raises((GrammarError, TypeError)) as error:
        Grammar("test", text)
    assert "test.grammar, line 1" in str(error.value) or "pattern" in str(error.value)


def test_the_shipped_grammars_are_in_order():
    assert everything() == []


def test_a_word_of_the_vocabulary_without_a_phrase_is_named():
    assert wordless() == []
    result = wordless({"color": ("red", "tan"), "shape": ("tank",)})
    assert [line.partition(": ")[2] for line in result] == [
        "'word.tan:' is missing",
        "'noun.tank:' is missing",
        "'word.tan:' is missing",
        "'noun.tank:' is missing",
        "'adjective \"tan\":' is missing",
    ]


def test_every_operation_has_a_plain_sentence_of_its_own(monkeypatch):
    programs = list(samples())
    assert len(programs) > 400
    assert {part.op for program in programs for part in program.calls()} >= {
        "some",
        "before",
        "view",
        "swap",
    }
    assert len({plain.say(program) for program in programs}) == len(set(programs))
    monkeypatch.setattr(plain, "say", lambda program: "the same")
    assert len(ambiguities()) == len(programs) - 1


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            'count(filter(color, "red", filter(name, "chair", scene)))',
            "How many red chairs are there?",
        ),
        (
            'query(name, best(elevation, most, group(refer("lamp"), refer("cup"))))',
            "Which is higher, the lamp or the cup?",
        ),
        (
            'direction(refer("man"), refer("rock"), frame(refer("man")), eight)',
            "Where is the rock relative to the man, from the view of the man?",
        ),
        (
            (
                'exist(relate(next_to, unique(filter(name, "bed", scene)), filter(name, "egg",'
                " scene)))"
            ),
            "Is there an egg next to the bed?",
        ),
        (
            (
                'move(group(unique(filter(name, "chair", scene))), place(next_to,'
                ' unique(filter(name, "window", scene))))'
            ),
            "The chair has been moved next to the window.",
        ),
        (
            (
                'count(relate(left, unique(filter(shape, "bus", scene)), frame(object),'
                ' filter(color, "red", scene)))'
            ),
            "How many red things to the left of the bus, by its own front, are there?",
        ),
        (
            'exist(relate(left, refer("skier"), frame(object), group(refer("skis"))))',
            "Is the skis to the left of the skier, by its own front?",
        ),
    ],
)
def test_a_plain_sentence_says_its_program(program, said):
    assert plain.say(Call.parse(program)) == said


def test_no_two_programs_of_natural_sentences_have_one_plain_sentence():
    """On the development part of the bank."""
    rows = records("programs", "dev")
    programs = {text for row in rows for text in (row["question"], row["change"]) if text}
    assert len(programs) > 800
    assert len({plain.say(Call.parse(text)) for text in programs}) == len(programs)


@pytest.mark.parametrize(
    ("name", "prefixes", "digest"),
    [
        ("threedsrbench", ("release.", "paper."), "5aa61dd1ffea021a"),
        ("scope", ("paper.",), "5fcb9e7a79aefa3a"),
        ("street_benchmark", ("ask.", "link."), "c7a487c5690ccdb6"),
    ],
)  # fmt: skip
def test_the_benchmarks_own_wordings_are_unchanged(name, prefixes, digest):
    grammar = load(name)
    keys = [key for key in grammar.of if key.startswith(prefixes)]
    text = repr([(key, [list(grammar.every(w)) for w in grammar.wordings(key)]) for key in keys])
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("filter[shape=school](filter[color=gray](scene))", "gray school buses"),
        (
            "filter[shape=car](filter[size=small](relate[left,task](unique(filter[shape=bus](scene)))))",
            "small cars to the left of the bus",
        ),
        (
            "filter[color=red](same[size](unique(filter[shape=suv](scene))))",
            "red things with the same size as the SUV",
        ),
        ("filter[facing=left](filter[shape=tandem](scene))", "tandem bikes facing left"),
    ],
)
def test_sets_are_named_as_people_call_them(program, words):
    assert plain.set_phrase(STREET.to_core(StreetProgram.parse(program))) == words
