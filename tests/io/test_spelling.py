"""What readers of texts do about misspelt words, and that no text costs more than a question
does.
"""

import string
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.errors import InputError
from po3d.io.fuzzy import LONGEST_TEXT, LONGEST_WORD, alike, slips, too_long
from po3d.language.english import singular
from po3d.language.read import scope_reader
from po3d.language.read import threedsrbench_reader as sr_reader
from po3d.language.read.room_parser import LANGUAGE, RoomParser
from po3d.language.read.seq2seq import Seq2Seq
from po3d.language.read.street_parser import LANGUAGE as STREETS
from po3d.language.read.street_parser import Parser
from po3d.language.read.tokenizer import Tokenizer
from po3d.perception.semantic_map import known_name
from po3d.reasoning.grounding import fits
from po3d.scene.frames import read_anchors
from po3d.systems.chat import questions_in

SHAPES = (
    "a",
    "ab",
    "aa ",
    "the ",
    "red and ",
    "left of the ",
    "the chair next to ",
    "?",
    "What? ",
    "(first",
    " ",
    '"',
    "«",
    "'",
    "n't ",
    "it's ",
    "é",
    "'s ",
    "choices: ",
    ", or ",
    "x. ",
    "is the ",
    "zorble quux ",
)
HOSTILE = 20_000  # letters: what `po3d serve` takes as a message
SECONDS, MEGABYTES = 1.0, 50
STREET = Parser(
    Seq2Seq(20, STREETS, width=16, heads=2, dilations=(1,)), ["red", "bus", "car", "left"]
)
ROOM = RoomParser(
    Seq2Seq(4, LANGUAGE, width=16, heads=2, dilations=(1,)), ["", "?", "chair", "desk"]
)


def frame(text: str) -> None:
    with pytest.raises(InputError):
        read_anchors(text)


READERS = {
    "street": lambda text: STREET.parse([text]),
    "question of a room": lambda text: ROOM.parse([text], "question"),
    "change of a room": lambda text: ROOM.parse([text], "change"),
    "3DSRBench": lambda text: sr_reader.read(text, ["yes", "no"]),
    "SCOPE": scope_reader.read,
    "frame": frame,
    "message of a chat": lambda text: STREET.parse(questions_in([text])),
    "label of a map": known_name,
    "noun of a question": lambda text: fits(text.strip() or "x", "bookshelf"),
    "name in a table": lambda text: fits("bookshlef", text.strip() or "x"),
    "singular": singular,
    "tokens": Tokenizer(),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_no_text_costs_more_than_a_second_and_some_megabytes(read):
    for length in (LONGEST_TEXT, HOSTILE):
        for shape in SHAPES:
            text = (shape * length)[:length]
            started = time.process_time()
            read(text)
            assert time.process_time() - started < SECONDS, (shape, length)
    word = "a" * HOSTILE  # 26 copies for each letter were 10 GB
    tracemalloc.start()
    read(word)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MEGABYTES * 1e6


@pytest.mark.parametrize(
    "reason",
    [
        lambda text: STREET.parse([text])[0].reason,
        lambda text: ROOM.parse([text], "question")[0].reason,
        lambda text: sr_reader.read(text).reason,
        lambda text: scope_reader.read(text).reason,
    ],
)
def test_a_text_that_is_too_long_is_unparsed_and_says_so(reason):
    text = "x" * (LONGEST_TEXT + 1)
    assert (
        reason(text)
        == "the question has 1001 characters; the limit is 1000"
        == too_long(text, "question")
    )
    assert not too_long("x" * LONGEST_TEXT, "question")


def test_a_frame_that_is_too_long_is_refused():
    with pytest.raises(InputError, match="the frame has 20020 characters; the limit is"):
        read_anchors("The desk is in front" * 1001)


def one_slip(word: str, intended: str) -> bool:
    """The same as `slips`, said otherwise: by what the writer of `meant` did wrong."""
    left_out = any(intended[:i] + intended[i + 1 :] == word for i in range(1, len(intended)))
    doubled = any(intended[: i + 1] + intended[i:] == word for i in range(len(intended)))
    swapped = any(
        intended[:i] + intended[i + 1] + intended[i] + intended[i + 2 :] == word
        for i in range(1, len(intended) - 1)
    )
    return word != intended and (left_out or doubled or swapped)


@given(
    st.text("abc", min_size=1, max_size=7),
    st.sets(st.text("abc", min_size=1, max_size=7), max_size=30),
)
def test_a_slip_is_one_letter_left_out_doubled_or_swapped_with_its_neighbour(word, known):
    assert slips(word, known) == {intended for intended in known if one_slip(word, intended)}


@given(st.integers(LONGEST_WORD + 1, 300))
def test_what_is_longer_than_any_word_is_never_mended(length):
    word = (string.ascii_lowercase * 12)[:length]
    assert slips(word[:-1] + "zz", {word[:-1] + "z"}) == set()
    assert alike(word, [word[:-1]], 0.8) == []
    short = word[: LONGEST_WORD - 2]
    assert slips(short + "zz", {short + "z"}) == {short + "z"}
    assert alike(short, [short + "z"], 0.8) == [short + "z"]


def test_questions_of_a_message_are_its_sentences_that_end_in_a_question_mark():
    message = (
        "Look: here. Is it red? Answer yes.\nWhat is left of it?? No: why\nQuestion: Which? Now"
    )
    assert questions_in([message]) == [
        "Which? Now", "Which?", "?", "What is left of it?", "Is it red?",
    ]  # fmt: skip
