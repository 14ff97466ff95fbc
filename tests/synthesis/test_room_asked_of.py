"""One among its like is asked by its look."""

import pytest

from po3d.language.programs.rooms import parse_text
from po3d.training.room_programs import question_about

RED, BLUE = (
    'only(having(color, "red", all("chair")))',
    'only(having(color, "blue", all("chair")))',
)


@pytest.mark.parametrize(
    ("one", "program"),
    [
        (
            f'nearest(only(all("bed")), pair({RED}, {BLUE}))',
            "query(color",
        ),  # "chair" would say nothing
        ('extreme(left, all("chair"))', "query(color"),
        ('extreme(left, all("object"))', "name("),
        (f'nearest(only(all("bed")), pair({RED}, only(all("desk"))))', "name("),
        ('only(upon(only(all("desk")), all("cup")))', "name("),
    ],
)
def test_one_among_its_like_is_queried_by_its_look(one, program):
    chosen = parse_text(f"name({one})").args[0]
    assert str(question_about(chosen)).startswith(program)
