"""The benchmarks' constants are the published ones, and what depends on them changes with them."""

import math
from dataclasses import asdict

import pytest

from po3d.io.errors import InputError
from po3d.language.program import DIRECTIONS
from po3d.reasoning.rules import ROOM_RULES, SCOPE_RULES, STREET_RULES, THREEDSRBENCH_RULES, Rules

# Sources are beside the fields in `Rules`.
STREET = {
    "region": "half plane",
    "margin_2d": 0.2,
    "margin_6d": 0.2,
    "cone": 45.0,
    "facing_zero_deg": 140.0,
    "facing_window_deg": 30.0,
    "aligned_same_deg": 45.0,
    "aligned_opposite_deg": 135.0,
    "aligned_needs_label": True,
    "occlusion_min_px": 15,
    "sweep_margin": 0.0,
    "sweep_range": math.inf,
    "next_to": 0.5,
    "next_to_in": "sizes",
    "viewer": "camera",
    "distance": "ground",
    "beside_first": False,
    "above_slack": 0.05,
    "above_aside": 0.0,
    "under": "directly",
    "side": 1 / 3,
    "between": 0.6,
    "path": 0.2,
    "step_over": 0.05,
    "head": 1.6,
    "open_table": False,
    "unit": "units",
    "typical": {"units": 0.1, "degrees": 2.0, "%": 15.0},
    "words": {},
    "dialect": "street",
}
INDOORS = {
    **STREET,
    "region": "cone",
    "aligned_needs_label": False,
    "open_table": True,
    "unit": "m",
    "typical": {"m": 0.3, "degrees": 15.0, "%": 15.0},
}
ROOMS = {
    "next_to_in": "metres",
    "viewer": "stands",
    "beside_first": True,
    "above_aside": 0.15,
    "under": "lower",
    "dialect": "rooms",
}
# A right angle counts as different, so 45 degrees exactly as same and parallel.
CALLS = {
    "cone": 90.0,
    "distance": "space",
    "aligned_same_deg": math.nextafter(45.0, 90.0),
    "aligned_opposite_deg": math.nextafter(135.0, 90.0),
    "dialect": "calls",
}


@pytest.mark.parametrize(
    ("rules", "constants"),
    [
        (STREET_RULES, STREET),
        (Rules(), STREET),
        (ROOM_RULES, {**INDOORS, **ROOMS}),
        (THREEDSRBENCH_RULES, {**INDOORS, **CALLS}),
        (SCOPE_RULES, {**INDOORS, "dialect": "scope"}),
    ],
    ids=["street", "default", "rooms", "3dsrbench", "scope"],
)
def test_constants_are_the_published_ones(rules, constants):
    values = asdict(rules)
    assert {**values, "words": {}} == {**constants, "words": {}}


def test_answers_have_the_benchmarks_spelling():
    for word in DIRECTIONS:
        assert STREET_RULES.spell("eight", word) == word
        apart = word.replace("_", " ")
        assert ROOM_RULES.spell("eight", word) == apart.replace("behind", "back")
        assert SCOPE_RULES.spell("eight", word) == word.replace("_", "-")
    calls = THREEDSRBENCH_RULES.spell
    assert [calls("next_to", w) for w in ("yes", "no")] == [
        "next to each other",
        "far away from each other",
    ]
    assert [calls("parallel", w) for w in ("yes", "no")] == ["parallel", "perpendicular"]
    assert calls("same_direction", "yes") == "same or similar directions"
    assert calls("same_direction", "no") == "very different directions"
    assert calls("front_or_behind", "front") == "in front of"
    assert calls("left_or_right", "right") == "on the right"
    assert [calls("four", w) for w in ("behind", "front")] == ["back", "front"]
    assert calls("nothing", "yes") == "yes"


@pytest.mark.parametrize("window", [0, 45])
def test_the_bounds_themselves_are_accepted(window):
    assert Rules(facing_window_deg=window, aligned_same_deg=135.0).facing_window_deg == window


@pytest.mark.parametrize(
    "options",
    [
        {"facing_window_deg": -0.001},
        {"facing_window_deg": 45.001},
        {"facing_window_deg": math.nan},
        {"aligned_same_deg": 135.001},
        {"aligned_opposite_deg": 44.999},
    ],
)
def test_other_values_are_refused_by_name(options):
    name = "facing_window_deg" if "facing_window_deg" in options else "aligned_same_deg"
    with pytest.raises(InputError, match=name):
        Rules(**options)


def test_rules_of_equal_constants_are_equal_and_have_one_hash():
    assert Rules(margin_2d=0.3) == Rules(margin_2d=0.3) != Rules()
    assert hash(Rules(words={"a": {"b": "c"}})) == hash(Rules())
    with pytest.raises(AttributeError):
        Rules().cone = 3
