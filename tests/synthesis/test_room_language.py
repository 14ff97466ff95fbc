"""What rooms' sentences say: marks, repeated nouns, patterns, and programs that stand in their words."""

import re

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.language.english import _GROUPS, IDLE, plain, singular, words_of
from po3d.language.programs.rooms import OPEN, Call, parse_text
from po3d.language.say.rooms.phrasing import Phrasing
from po3d.language.say.rooms.sentences import say_change, say_question
from po3d.language.say.rooms.speaker import reworded
from po3d.language.say.rooms.utterance import again, finish, leaves, numbered, shortened
from po3d.scene.rooms import ANYTHING, VALUE_WORDS
from po3d.training.room_parser import pairs_of_room

SWAP = 'swap(only(having(color, "gray", all("chair"))), only(having(color, "red", all("chair"))))'


def marked(program: str) -> Call:
    return numbered(parse_text(program))


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
    members = [word for words in _GROUPS.values() for word in words.split()]
    assert len(members) == len(set(members))
    assert not set(members) & set(_GROUPS)
    assert not set(members) & IDLE
    assert plain("hauled") == plain("slid") == "moved" == plain("moved")


@pytest.mark.parametrize(
    ("pattern", "readings"),
    [("a|b", {"a", "b"}), ("(a|b)", {"a", "b"}), ("(a|b) c", {"a c", "b c"}), ("x (|(y|z) )w|{s}", {"x w", "x y w", "x z w", "S"})],
)  # fmt: skip
def test_a_pattern_has_exactly_its_readings(pattern, readings):
    phrasing = Phrasing(np.random.default_rng(0))
    assert {phrasing.fill(pattern, s="S") for _ in range(200)} == readings


def test_a_noun_that_was_said_comes_back_as_one():
    program = marked(SWAP)
    gray, chair, red, other = (f"\x01{leaf.number}{leaf.letter}\x02{leaf}\x03" for leaf in leaves(program))
    text = shortened(f"swap the {gray} {chair} with the {red} {other}", np.random.default_rng(0), share=1.0)
    said = finish(text, 4)
    assert said.text == "Swap the gray chair with the red one"
    assert said.spans == ((2, 3), (3, 4), (6, 7), (3, 4))


def test_two_looks_share_their_noun():
    program = marked(SWAP)
    gray, chair, red, other = (f"\x01{leaf.number}{leaf.letter}\x02{leaf}\x03" for leaf in leaves(program))
    random = np.random.default_rng(1)
    texts = {
        finish(shortened(f"the {gray} {chair} and the {red} {other}", random, 1.0), 4) for _ in range(40)
    }
    assert {t.text for t in texts} == {"The gray and the red chair", "The gray and red chairs"}
    for said in texts:
        assert said.spans[1] == said.spans[3] == (len(said.words) - 1, len(said.words))


def test_a_pronoun_stands_for_the_words_of_what_it_repeats():
    program = marked('pair(only(all("table")), only(upon(only(all("table")), all("lamp"))))')
    table, lamp = program.args
    text = f"the \x010n\x02table\x03 and the \x012n\x02lamp\x03 on {again('it', table, lamp.args[0].args[0])}"
    assert finish(text, 3).spans == ((1, 2), (1, 2), (4, 5))


def test_names_and_values_of_a_program_are_their_words(pairs):
    for pair in pairs:
        program = parse_text(pair.source)
        open_leaves = [text for kind, text in program.tokens() if kind in OPEN]
        spans = [span for (kind, _), span in zip(program.tokens(), pair.spans, strict=True) if kind in OPEN]
        for leaf, (first, last) in zip(open_leaves, spans, strict=True):
            words = " ".join(pair.words[first : last + 1])
            if leaf in ANYTHING:
                continue
            same = {VALUE_WORDS.get(words, words), words, singular(words)}
            meant = {leaf, VALUE_WORDS.get(leaf, leaf)}
            assert same & meant or words in ("nothing", "spilled", "drained", "unloaded"), (
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
    told = [say_change(program, "movement", rng(3, "words", k)).text for k in range(40)]
    assert told == [say_change(program, "movement", rng(3, "words", k)).text for k in range(40)]
    assert len(set(told)) > 35


@pytest.mark.parametrize(
    "program",
    [
        'count(lacking(color, "red", all("chair")))', 'count(either(all("chair"), all("stool")))', 'name(shortest(all("lamp")))',
        'higher(only(all("cup")), only(all("lamp")))', 'larger(only(all("cup")), only(all("lamp")))',
        'more(upon(only(all("desk")), all("cup")), upon(only(all("bed")), all("cup")))',
    ],
)  # fmt: skip
def test_every_new_meaning_has_words(program):
    said = [say_question(parse_text(program), "movement", rng(1, "new", k)) for k in range(20)]
    assert all(None not in s.spans for s in said)


def test_what_serves_a_purpose_may_be_said_with_a_noun_of_its_own():
    program = parse_text('count(usable(sitting, all("object")))')
    assert reworded(program, np.random.default_rng(0), share=1.0).args[0].op == "all"
    assert reworded(program, np.random.default_rng(0), share=0.0) == program
