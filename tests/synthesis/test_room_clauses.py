"""Random talk around sentences about rooms: it names nothing of a room, and what is said amid it still stands whole."""

import re
from itertools import pairwise

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.language.programs.rooms import parse_text
from po3d.language.say.rooms.clauses import Clauses
from po3d.language.say.rooms.loose_changes import LooseChanges
from po3d.language.say.rooms.loose_questions import LooseQuestions
from po3d.language.say.rooms.utterance import numbered, unmarked
from po3d.scene.rooms import CATEGORIES, SYNONYMS, VALUE_WORDS, attribute_of

CHANGES = (
    'move(just(only(having(color, "red", all("lamp")))), on(only(all("desk"))))',
    'remove(just(only(all("bed"))))',
    'set(state, "clean", just(only(all("rug"))))',
    'add(2, thing("cup", trait(state, "dirty", plain)), on(only(all("table"))))',
)
QUESTIONS = (
    'whither(only(all("chair")), only(all("plant")))',
    'seen_from(only(all("chair")), only(all("door")), only(all("bed")))',
    'name(only(other(only(all("tv")), upon(only(all("table")), all("object")))))',
    'name(nearest(only(all("bed")), having(color, "red", all("object"))))',
    'name(support(only(usable(reading, all("object")))))',
    'exist(having(state, "dirty", all("object")))',
    'count(having(color, "red", all("cup")))',
)


def talk(seed: int) -> Clauses:
    return Clauses(rng(9, "talk", seed))


def test_talk_names_no_thing_and_no_color_or_material_of_a_room():
    things = {*CATEGORIES, *SYNONYMS}
    for seed in range(600):
        said = f"{talk(seed).clause()} {talk(seed).purpose()} {talk(seed).relative()}"
        words = re.findall(r"[a-z-]+", said.lower())
        pairs = {f"{a} {b}" for a, b in pairwise(words)}
        assert not things & ({*words} | pairs), said
        assert not [w for w in words if attribute_of(VALUE_WORDS.get(w, w)) in ("color", "material")], said


def test_talk_leaves_the_sentence_as_it_is():
    for seed in range(200):
        assert "the chair was moved" in talk(seed).beside("the chair was moved")
        assert "what is on the desk" in talk(seed).around("what is on the desk")
    assert len({talk(seed).clause() for seed in range(200)}) > 190


@pytest.mark.parametrize("program", [*CHANGES, *QUESTIONS])
def test_whatever_is_said_loosely_names_all_of_its_program(program, monkeypatch):
    for module, shares in (
        ("loose_changes", ("ABOUT", "STORY", "SOMEBODY", "RELATIVE")),
        ("loose_questions", ("ABOUT", "LOOSE")),
    ):
        for share in shares:
            monkeypatch.setattr(f"po3d.language.say.rooms.{module}.{share}", 1.0)
    wanted = [word for word in re.findall(r'"([^"]+)"', program) if word != "object"]
    speaker = LooseChanges if program in CHANGES else LooseQuestions
    named = 0
    for seed in range(60):
        text = unmarked(speaker(np.random.default_rng(seed), "movement").say(numbered(parse_text(program))))
        assert not set("{}|()\x01\x02\x03") & set(text), text
        named += all(word in text for word in wanted)
    assert named > 40  # the others say "crimson" for red
