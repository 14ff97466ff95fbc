"""Descriptions, the words for things, and which rows they mean."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from po3d.io.files import read_jsonl
from po3d.language.descriptions import Description, Rank, describe
from po3d.language.lexicon import ABOVE, BELOW, SAME, ancestors, fits, kinds_of, lexicon
from po3d.reasoning.grounding import ground
from po3d.scene.rooms import CATEGORIES, SYNONYMS
from po3d.scene.table import Scene, from_json
from tools.natural_threedsrbench import BANK, phrases, wordings

SCENES = {s.image: s for s in map(from_json, read_jsonl(BANK / "grounding_scenes.jsonl.bz2"))}


def meaning_of(phrase: str, scene: Scene) -> list[int]:
    belief = ground(phrase, scene)
    return [i for i, p in enumerate(belief) if p >= max(0.05, max(belief) / 2)]


# --- the bank -------------------------------------------------------------------------------------


def test_phrases_of_the_development_bank_are_understood():
    figures = phrases("dev")
    assert figures["precision"] >= 90
    assert figures["recall"] >= 90


def test_wordings_of_the_development_bank_are_read():
    assert wordings("dev")["read"] >= 99


# --- words ----------------------------------------------------------------------------------------


def test_the_lexicon_knows_the_world_of_rooms():
    assert [c for c in CATEGORIES if not kinds_of(c)] == []
    assert [word for word, name in SYNONYMS.items() if fits(word, name) < BELOW] == []


def test_kinds_have_no_circles():
    assert [kind for kind in lexicon().parents if kind in ancestors(kind)] == []


@pytest.mark.parametrize(
    ("noun", "name", "fit"),
    [
        ("couch", "sofa", SAME),
        ("Sofas", "sofa", SAME),
        ("vehicle", "bus", BELOW),
        ("animal", "cow", BELOW),
        ("man", "person", ABOVE),
        ("sedan", "car", ABOVE),
        ("sofa", "chair", 0.0),
        ("dog", "cat", 0.0),
        ("folding chair", "chair", ABOVE),
        ("wicker basket", "basket", SAME),
        ("zorblax", "chair", 0.0),
        ("object", "zorblax", 0.0),
        ("zorblax", "zorblax", SAME),
        ("man", "woman", 0.0),
        ("fish man", "fishman", SAME),
        ("bird cages", "birdcage", SAME),
        ("birdcage", "bird cage", SAME),
        ("arm chair", "armchair", SAME),
        ("arm chair", "chair", ABOVE),
        ("TV stand", "tv cabinet", SAME),
        ("cabinet", "tv cabinet", BELOW),
        ("", "chair", 0.0),
    ],
)
def test_how_well_a_noun_fits(noun, name, fit):
    assert fits(noun, name) == fit


def test_a_slip_of_the_pen_is_forgiven_and_another_word_is_not():
    assert 0 < fits("bookshlef", "bookshelf") < SAME
    assert fits("refridgerator", "refrigerator") > 0
    assert fits("zebro", "chair") == 0


@given(st.sampled_from(sorted(lexicon().kinds)), st.sampled_from(sorted(lexicon().kinds)))
def test_fits_lie_between_nothing_and_the_same(a, b):
    assert 0 <= fits(a, b) <= SAME
    assert fits(a, a) == SAME


# --- descriptions ---------------------------------------------------------------------------------


def test_a_description_is_taken_apart():
    d = describe("the red leather armchair on the left next to the lamp on the desk")
    assert (d.noun, d.attributes) == ("armchair", (("color", ("red",)), ("material", ("leather",))))
    assert d.ranks == (Rank("across", 1),)
    ((relation, (lamp,)),) = d.relations
    assert (relation, lamp.noun) == ("near", "lamp")
    assert lamp.relations[0][0] == "on"
    assert lamp.relations[0][1][0].noun == "desk"


@pytest.mark.parametrize(
    ("phrase", "noun", "attributes"),
    [
        ("man in grey jacket", "man", (("color", ("gray",)),)),
        ("woman wearing a dark blue dress", "woman", (("color", ("blue",)),)),
        ("orange", "orange", ()),
        ("glass bottle", "bottle", (("material", ("glass",)),)),
        ("stop sign", "stop sign", ()),
        ('street sign that says "red car"', "street sign", ()),
        ("table made of wood", "table", (("material", ("wooden",)),)),
        ("", "", ()),
    ],
)
def test_what_is_reported_of_the_thing_itself(phrase, noun, attributes):
    d = describe(phrase)
    assert (d.noun, d.attributes) == (noun, attributes)


def test_counting_takes_the_side_that_it_starts_from():
    assert describe("second chair from the right").ranks == (Rank("across", -1, 2),)
    assert describe("third bus").ranks == (Rank("across", 1, 3),)
    assert describe("largest bed").ranks == (Rank("size", -1),)
    assert describe("lamp to the left of the bed").ranks == ()


@given(st.text(max_size=60))
def test_no_phrase_breaks_the_grounding(phrase):
    assert isinstance(describe(phrase), Description)
    belief = ground(phrase, SCENES["living"])
    assert len(belief) == len(SCENES["living"])
    assert min(belief) >= 0
    assert sum(belief) <= 1 + 1e-9


# --- rows -----------------------------------------------------------------------------------------


def test_several_things_that_fit_share_the_belief():
    belief = ground("chair", SCENES["music"])
    assert [i for i, p in enumerate(belief) if p > 0.3] == [3, 4, 5]
    assert sum(belief) == pytest.approx(1)


def test_what_is_not_there_is_not_believed():
    assert sum(ground("elephant", SCENES["living"])) == 0
    assert sum(ground("zorblax", SCENES["living"])) == 0


def test_a_part_points_to_its_whole_with_less_belief():
    belief = ground("logo on the truck", SCENES["street"])
    assert max(belief) == belief[2] < 0.5


def test_attributes_decide_by_what_the_table_believes():
    scene = SCENES["office"]
    assert meaning_of("red cup", scene) == [12]
    torn = replace(
        scene.objects[2],
        beliefs={"name": {"office chair": 1.0}, "color": {"red": 0.5, "black": 0.5}},
    )
    unsure = replace(scene, objects=(*scene.objects[:2], torn, *scene.objects[3:]))
    belief = ground("red office chair", unsure)
    assert belief[3] > belief[2] > 0.2


def test_a_wrong_colour_counts_for_less_than_a_doubtful_one():
    scene = SCENES["office"]
    certain = replace(scene.objects[3], beliefs={"name": {"chair": 0.9}, "color": {"blue": 1.0}})
    doubtful = replace(
        scene.objects[2],
        beliefs={"name": {"chair": 0.2, "stool": 0.8}, "color": {"red": 0.15, "blue": 0.85}},
    )
    both = replace(scene, objects=(doubtful, certain))
    doubted, excluded = ground("red chair", both)
    assert doubted > 2 * excluded > 0


def test_an_exact_name_counts_for_more_than_a_kind_that_the_noun_may_mean():
    scene = SCENES["office"]

    def named(**belief):
        return replace(scene.objects[2], beliefs={"name": belief})

    pair = (named(armchair=0.3, sofa=0.7), named(chair=0.9, sofa=0.1))
    exact, kind = ground("armchair", replace(scene, objects=pair))
    assert exact > kind > 0
    # without the name in the table, a chair may be an armchair as before
    (only,) = ground("armchair", replace(scene, objects=(named(chair=1.0),)))
    assert only == 1.0
    # a generic noun still means all of its kinds
    assert ground("furniture", replace(scene, objects=pair)) == pytest.approx([0.5, 0.5])


def test_left_and_right_in_a_description_are_the_viewers():
    scene = SCENES["bedroom"]
    assert meaning_of("nightstand on the left", scene) == [1]
    assert meaning_of("nightstand on the right", scene) == [2]
    blind = replace(scene, camera=None)  # then the table's own axes are the viewer's
    assert meaning_of("nightstand on the left", blind) == [1]
    assert meaning_of("lamp to the right of the bed", scene) == [4]
    assert meaning_of("second nightstand from the left", scene) == [2]


def test_relations_take_the_landmark_that_is_intended():
    assert meaning_of("lamp on the brown nightstand", SCENES["bedroom"]) == [3]
    assert meaning_of("lamp on the white nightstand", SCENES["bedroom"]) == [4]
    assert meaning_of("chair between the stool and the guitar", SCENES["music"]) != [4]
    assert meaning_of("man closest to the suitcase", SCENES["station"]) == [3]
    assert math.isclose(
        sum(ground("person behind the suitcase", SCENES["station"])), 1, abs_tol=0.8
    )
