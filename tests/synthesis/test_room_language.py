"""What rooms' sentences say: marks, repeated nouns, patterns, and programs that stand in their
words.
"""

import re
from itertools import pairwise

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.language.english import _STAND_INS, IDLE, plain, singular, words_of
from po3d.language.grammar import Grammar, load
from po3d.language.programs.rooms import OPEN, RoomCall, parse_text
from po3d.language.say.rooms import (
    SpannedSentence,
    finish,
    numbered,
    reworded,
    say_change,
    say_question,
    shorten,
)
from po3d.reasoning.world import SceneGeometry
from po3d.scene.rooms import ANYTHING, CATEGORIES, SYNONYMS, VALUE_WORDS, attribute_of
from po3d.synthesis.top_view.changes import TYPES, sample_change
from po3d.synthesis.top_view.layouts import sample_room
from po3d.synthesis.top_view.questions import AnsweredQuestionSampler
from po3d.training.room_parser import pairs_of_room
from po3d.training.room_programs import RoomPrograms


def _programs() -> list[tuple[str, str, RoomCall]]:
    """(sort, type of change, program) of rooms."""
    result = []
    for k, kind in enumerate(TYPES * 3):
        scene = sample_room(21, k)
        random = rng(21, "everyday", k)
        change = sample_change(scene, kind, random)
        if change is None:
            continue
        teller = AnsweredQuestionSampler(SceneGeometry(change.planned.edited, scene), random).teller
        questions = RoomPrograms(teller, random, "REFERRING_QUESTION").several(20)
        result += [("question", kind, question) for _, question in questions]
        edits = RoomPrograms(teller, random, "REFERRING_EDIT").several(20)
        result += [("change", *edit) for edit in edits]
    return result


PROGRAMS = _programs()
SWAP = 'swap(only(having(color, "gray", all("chair"))), only(having(color, "red", all("chair"))))'


@pytest.fixture(scope="module")
def pairs():
    return [pair for index in range(2) for pair in pairs_of_room(index, 11, "test", 1)]


def test_idle_words_are_left_out_and_contractions_undone():
    assert words_of("They've gently moved the lovely chair, hasn't she?") == [
        "they", "moved", "the", "chair", "has", "not", "she", "?",
    ]  # fmt: skip
    assert words_of("It's 50cm to the bed's left; I can't") == [
        "it", "'s", "50", "cm", "to", "the", "bed", "'s", "left", "i", "can", "not",
    ]  # fmt: skip


def test_every_word_has_one_stand_in_that_stands_for_itself():
    members = [word for word, _ in _STAND_INS]
    assert len(members) == len(set(members))
    assert not set(members) & {stand_in for _, stand_in in _STAND_INS}
    assert not set(members) & IDLE
    assert plain("hauled") == plain("slid") == "moved" == plain("moved")


def said(rules: str, program: str, share: int = 1) -> SpannedSentence:
    """The one wording of a grammar; a noun that was said before becomes "one" (`share`) or not
    (0).
    """
    call = numbered(parse_text(program))
    pieces = Grammar("test", rules).say("edit", call, lambda n: 0)
    shorten(pieces, lambda n: share)
    return finish(pieces, sum(kind in OPEN for kind, _ in call.tokens()))


NOUNS = """
object only(S): the {S.one}
one all(N): {N}
one having(_, V, S): {V} {S.one}
one upon(X, S): {S.one} on {X}
"""


def test_a_noun_that_was_reported_comes_back_as_one():
    swapped = said(NOUNS + "edit swap(X, Y): swap {X} with {Y}", SWAP)
    assert swapped.text == "Swap the gray chair with the red one"
    assert swapped.spans == ((2, 3), (3, 4), (6, 7), (3, 4))
    assert said(NOUNS + "edit swap(X, Y): swap {X} with {Y}", SWAP, 0).spans[3] == (7, 8)


def test_what_comes_again_stands_for_the_words_that_were_reported():
    rules = (
        NOUNS + "edit then(remove(upon(X, S)), remove(just(X))): {X} is gone with the {S.one} on it"
    )
    table = 'only(all("table"))'
    gone = said(rules, f'then(remove(upon({table}, all("lamp"))), remove(just({table})))')
    assert gone.text == "The table is gone with the lamp on it"
    assert gone.spans == ((1, 2), (6, 7), (1, 2))


def test_names_and_values_of_a_program_are_their_words(pairs):
    for pair in pairs:
        program = parse_text(pair.source)
        open_leaves = [text for kind, text in program.tokens() if kind in OPEN]
        spans = [
            span
            for (kind, _), span in zip(program.tokens(), pair.spans, strict=True)
            if kind in OPEN
        ]
        for leaf, (first, last) in zip(open_leaves, spans, strict=True):
            words = " ".join(pair.words[first : last + 1])
            if leaf in ANYTHING:
                continue
            same = {VALUE_WORDS.get(words, words), words, singular(words)}
            intended = {leaf, VALUE_WORDS.get(leaf, leaf)}
            assert same & intended or pair.source.startswith(("set", "then")), (
                pair.text,
                leaf,
                words,
            )


def test_sentences_hold_no_traces_of_patterns(pairs):
    assert len(pairs) > 150
    for pair in pairs:
        assert not re.search(r"[(){}|\x01-\x06]| {2}", pair.text), pair.text
        assert len(pair.words) <= 60


def test_sentences_are_a_function_of_the_random_state():
    program = parse_text('move(just(only(all("lamp"))), on(only(all("desk"))))')
    report = [say_change(program, "movement", rng(3, "words", k)).text for k in range(40)]
    assert report == [say_change(program, "movement", rng(3, "words", k)).text for k in range(40)]
    assert len(set(report)) > 30


@pytest.mark.parametrize(
    "program",
    [
        'count(lacking(color, "red", all("chair")))',
        'count(either(all("chair"), all("stool")))',
        'name(shortest(all("lamp")))',
        'higher(only(all("cup")), only(all("lamp")))',
        'larger(only(all("cup")), only(all("lamp")))',
        'more(upon(only(all("desk")), all("cup")), upon(only(all("bed")), all("cup")))',
    ],
)
def test_every_new_meaning_has_words(program):
    reply = [say_question(parse_text(program), "movement", rng(1, "new", k)) for k in range(20)]
    assert all(None not in s.spans for s in reply)


def test_what_serves_a_purpose_may_be_reported_with_a_noun_of_its_own():
    program = parse_text('count(usable(sitting, all("object")))')
    assert reworded(program, np.random.default_rng(0), share=1.0).args[0].op == "all"
    assert reworded(program, np.random.default_rng(0), share=0.0) == program


@pytest.mark.parametrize("loosely", [False, True])
def test_every_program_of_a_room_has_words_and_all_of_them_are_marked(loosely):
    """What is asked and told of three rooms, everyday programs among them."""
    total = 0
    for seed, (sort, kind, program) in enumerate(PROGRAMS):
        say = say_change if sort == "change" else say_question
        report = say(program, kind, np.random.default_rng(seed), loosely)
        assert not re.search(r"[][{}<>|/*]|  | [,.?]", report.text), report.text
        assert len(report.words) < 75, report.text
        leaves = [(k, text) for k, text in program.tokens() if k in OPEN]
        for (leaf, text), span in zip(leaves, report.spans, strict=True):
            if leaf == "name" and text in ANYTHING:
                continue
            assert span is not None, (report.text, program)
            words = " ".join(report.words[slice(*span)])
            if leaf == "name":
                assert singular(words) in (text, singular(text)), (report.text, program)
            elif VALUE_WORDS.get(words, words) != text:
                assert program.op in ("set", "then"), (report.text, program)  # "cleaned" for clean
        total += 1
    assert total > 300


def test_talk_names_no_thing_and_no_look_of_a_room():
    things = {*CATEGORIES, *SYNONYMS}
    rooms, random = load("rooms"), np.random.default_rng(9)
    pick = lambda n: int(random.integers(n))  # noqa: E731
    talk = {rooms.fill(key, pick) for key in ("clause", "purpose", "relative") for _ in range(400)}
    assert len(talk) > 900
    for text in talk:
        words = re.findall(r"[a-z-]+", text.lower())
        assert not things & {*words, *(f"{a} {b}" for a, b in pairwise(words))}, text
        assert not [
            w for w in words if attribute_of(VALUE_WORDS.get(w, w)) in ("color", "material")
        ], text


def test_other_words_for_looks_mean_those_looks():
    for rule in load("rooms").of["value"]:
        for words in rule.wordings:
            assert VALUE_WORDS.get(words, words) == rule.pattern.op
