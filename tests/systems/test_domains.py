"""Domains are values: settings are checked, and a domain travels to other processes."""

import pickle
from dataclasses import fields, replace

import pytest

from po3d.io.errors import InputError
from po3d.language.program import Call
from po3d.reasoning.questions import Question
from po3d.scene.table import ObjectState
from po3d.systems import composition
from po3d.systems.build import build_pipeline
from po3d.systems.domain import DOMAIN_MODULES, domain
from po3d.systems.photographs import PHOTOGRAPHS

NAMES = sorted(DOMAIN_MODULES)


@pytest.mark.parametrize("name", NAMES)
def test_a_domain_is_pickled_with_its_settings(name):
    changed = replace(domain(name), samples=7, seed=3, margins=False)
    assert pickle.loads(pickle.dumps(changed)) == changed
    assert pickle.loads(pickle.dumps(domain(name))) == domain(name)


def test_a_domain_with_other_functions_is_pickled_too():
    again = pickle.loads(pickle.dumps(replace(PHOTOGRAPHS, classes=("cup",))))
    assert again.refuses is PHOTOGRAPHS.refuses
    assert again.classes == ("cup",)


@pytest.mark.parametrize("name", NAMES)
def test_every_module_is_a_row_that_names_what_it_replaces(name):
    of = domain(name)
    known = {field.name for field in fields(ObjectState)}
    assert of.modules[-1] == "parsing"
    assert set(of.reading) <= set(of.modules)
    for module, row in of.substitution.rows.items():
        assert set(row.fields) <= known, module
        assert not row.belief or row.values, module
        assert row.noise is None or row.unit, module


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("street", {"mode": "guess"}, "unknown mode"),
        ("street", {"samples": 0}, "executor.samples=0 should be at least 1"),
        ("rooms", {"frame": "door"}, "unknown frame"),
        ("rooms", {"draw": ("poses",)}, "unknown kind of belief"),
    ],
)
def test_invalid_settings_are_refused(name, settings, reason):
    with pytest.raises(InputError, match=reason):
        replace(domain(name), **settings)


@pytest.mark.parametrize("name", NAMES)
def test_every_option_of_a_domain_can_be_set_in_a_config_and_none_changes_unasked(name):
    options = domain(name).options
    assert set(options) <= {*composition.OPTIONS, "oracle", "parser", "seed"}
    assert {"perception", "parser", "device", "oracle"} <= set(options)
    assert options.get("scenes", "predicted") in composition.PICTURES
    if "scenes" in options:
        system = build_pipeline(name, scenes="ground_truth", parser="benchmark")
        changed = {k for k, v in options.items() if getattr(system.domain, k, v) != v}
        assert not changed
        assert system.second is None


@pytest.mark.parametrize("name", NAMES)
def test_an_option_of_another_domain_is_refused_by_its_name(name):
    known = ", ".join(domain(name).options)
    with pytest.raises(InputError, match=f"^unknown option 'speed' of {name}; known: {known}$"):
        build_pipeline(name, speed=1)


def test_settings_for_certain_scenes_and_for_explanations():
    assert domain("rooms").certain().samples == 0
    assert domain("street").certain().samples == domain("street").samples
    assert replace(domain("rooms"), frame="none").certain().frame == "anchors"
    assert domain("street").explaining({"mode": None}).mode == "marginal"
    assert domain("street").explaining({"mode": "argmax"}).mode == "argmax"
    assert domain("orbit").explaining({"known_yaw": False}).known_yaw is False


def test_answers_of_streets_alone_are_written_in_their_notation():
    street = domain("street")
    assert street.in_notation(Call.parse("count(scene)")).text() == "count(scene)"
    chain = Call.parse('filter(shape, "bus", scene)')  # objects are no answer
    assert street.in_notation(chain) is chain


def test_a_stored_prediction_is_parsed_again():
    question = Question("q", "i", "How many?", "2d", "", change="The bed was removed.")
    text = 'remove(group(refer("bed"))) ; count(scene)'
    reading = domain("rooms").rebuild_parse(question, text)
    assert str(reading.question.program) == "count(scene)"
    assert str(reading.change.program) == 'remove(group(refer("bed")))'
    assert (
        domain("street").rebuild_parse(replace(question, change=""), "count(scene)").change is None
    )
