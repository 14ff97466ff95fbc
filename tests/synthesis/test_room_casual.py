"""Everyday wording of rooms: what the speakers say stands for its program, whatever the wording that was drawn."""

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.language.english import singular
from po3d.language.programs.rooms import OPEN, Call, parse_text
from po3d.language.say.rooms.sentences import say_change, say_question
from po3d.language.say.rooms.speaker import OTHER_LOOKS
from po3d.language.say.rooms.uses import DOINGS, LACKS, Uses, gerund
from po3d.language.say.rooms.utterance import Said
from po3d.reasoning.world import World
from po3d.scene.rooms import ANYTHING, PURPOSES, VALUE_WORDS, attribute_of
from po3d.synthesis.rooms.changes import TYPES, sample_change
from po3d.synthesis.rooms.free_questions import asked_of
from po3d.synthesis.rooms.layouts import sample_room
from po3d.synthesis.rooms.more_programs import MoreAsker, MoreChanger
from po3d.synthesis.rooms.questions import Asker

RED, BLUE = ('only(having(color, "red", all("chair")))', 'only(having(color, "blue", all("chair")))')


def _programs() -> list[tuple[str, str, Call]]:
    """(sort, type of change, program) of three rooms."""
    found = []
    for k, kind in enumerate(TYPES * 3):
        scene = sample_room(21, k)
        random = rng(21, "everyday", k)
        change = sample_change(scene, kind, random)
        if change is None:
            continue
        teller = Asker(World(change.planned.edited, scene), random).teller
        asker, changer = MoreAsker(teller, random), MoreChanger(teller, random)
        found += [("question", kind, q) for _ in range(20) if (q := asker.ask()) is not None]
        found += [("change", *c) for _ in range(20) if (c := changer.change()) is not None]
    return found


PROGRAMS = _programs()


def spoken(sort: str, kind: str, program: Call, seed: int) -> Said:
    say = say_change if sort == "change" else say_question
    return say(program, kind, np.random.default_rng(seed), loosely=True)  # as training hears it


def test_every_leaf_that_is_said_is_said_in_its_own_words():
    kept = total = 0
    for seed, (sort, kind, program) in enumerate(PROGRAMS):
        said = spoken(sort, kind, program, seed)
        leaves = [(k, text) for k, text in program.tokens() if k in OPEN]
        whole = True
        for (leaf, text), span in zip(leaves, said.spans, strict=True):
            if leaf == "name" and text in ANYTHING:
                continue
            if span is None:
                whole = False
                continue
            words = " ".join(said.words[slice(*span)])
            if leaf == "name":
                assert singular(words) in (text, singular(text), "one"), (said.text, program)
            elif VALUE_WORDS.get(words, words) != text:
                assert program.op in ("set", "then"), (said.text, program)  # "scrubbed it down" for clean
        total, kept = total + 1, kept + whole
    assert total > 300
    assert kept / total > 0.95  # the others leave out what a listener would know


def test_no_pattern_is_left_unfilled():
    for seed, (sort, kind, program) in enumerate(PROGRAMS):
        text = spoken(sort, kind, program, seed).text
        assert not set("{}|()\x01\x02\x03") & set(text), text
        assert len(text.split()) < 60, text


def test_one_seed_says_one_sentence_and_many_say_many():
    _, kind, program = next(p for p in PROGRAMS if p[0] == "change")
    assert spoken("change", kind, program, 4) == spoken("change", kind, program, 4)
    assert len({spoken("change", kind, program, seed).text for seed in range(50)}) > 45


@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_purpose_can_be_asked_for_in_many_ways(purpose):
    uses = Uses(np.random.default_rng(0))
    asked = {uses.used_for(purpose) for _ in range(60)} | {uses.any_used_for(purpose) for _ in range(60)}
    assert len(asked) > 100
    said = [words for do, _ in DOINGS[purpose] for words in (do, gerund(do))]
    assert all(any(words in text for words in said) for text in asked)


@pytest.mark.parametrize(
    ("do", "doing"),
    [("sit down", "sitting down"), ("lie down", "lying down"), ("take a nap", "taking a nap"), ("see", "seeing"), ("read", "reading")],
)  # fmt: skip
def test_what_is_done_has_its_gerund(do, doing):
    assert gerund(do) == doing


def test_doings_and_lacks_are_of_known_purposes():
    assert set(DOINGS) == set(PURPOSES)
    assert set(LACKS) <= set(PURPOSES)


@pytest.mark.parametrize(
    ("one", "program"),
    [
        (f'nearest(only(all("bed")), pair({RED}, {BLUE}))', "query(color"),  # "chair" would say nothing
        ('extreme(left, all("chair"))', "query(color"),
        ('extreme(left, all("object"))', "name("),
        (f'nearest(only(all("bed")), pair({RED}, only(all("desk"))))', "name("),
        ('only(upon(only(all("desk")), all("cup")))', "name("),
    ],
)
def test_one_among_its_like_is_asked_by_its_look(one, program):
    chosen = parse_text(f"name({one})").args[0]
    assert str(asked_of(chosen)).startswith(program)


def test_other_words_for_looks_mean_those_looks():
    for look, words in OTHER_LOOKS.items():
        assert {VALUE_WORDS.get(word) for word in words} == {look}
        assert {attribute_of(word) for word in words} == {attribute_of(look)}
