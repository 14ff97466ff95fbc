"""Changes of one of several objects that do not say of which."""

import pytest

from po3d.language.program import Call
from po3d.language.read.unspecified import at_end, choices

CHAIRS = 'filter(name, "chair", scene)'
LEFT, RIGHT = (f"best(left, {sense}, frame(room), {CHAIRS})" for sense in ("most", "least"))


@pytest.mark.parametrize(
    ("change", "chosen"),
    [
        (f"remove(some(1, {CHAIRS}))", [f"remove(group({LEFT}))", f"remove(group({RIGHT}))"]),
        (
            f"then(remove(scene), turn(some(1, {CHAIRS}), 90))",
            [f"then(remove(scene), turn(group({which}), 90))" for which in (LEFT, RIGHT)],
        ),
        (f"remove(some(2, {CHAIRS}))", []),
        (f"remove({CHAIRS})", []),
        (f"move({CHAIRS}, place(on, unique(some(1, {CHAIRS}))))", []),
    ],
)
def test_one_of_several_is_chosen_in_two_ways(change, chosen):
    assert choices(Call.parse(change)) == list(map(Call.parse, chosen))


def test_a_description_of_several_objects_means_one_at_an_end():
    lamps = 'filter(name, "lamp", scene)'
    program = Call.parse(f"query(color, unique({lamps}))")
    left = Call.parse(f"query(color, best(left, most, frame(room), {lamps}))")
    assert at_end(program, "most") == left
    assert at_end(left, "least") == left
