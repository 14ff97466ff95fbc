"""A change of one of several things is not read as one of them all."""

import pytest

from po3d.language.program import Call
from po3d.language.read.quantifiers import forgets_how_many
from po3d.language.read.reader import FORGETFUL, Reading, _how_many_kept
from po3d.systems import rooms
from po3d.systems.rooms import parse_text

CHAIRS = 'filter(name, "chair", scene)'
RED = 'unique(filter(color, "red", filter(name, "chair", scene)))'
DESK = 'unique(filter(name, "desk", scene))'


@pytest.mark.parametrize(
    ("text", "program", "forgets"),
    [
        ("Somebody took away one of the chairs.", f"remove({CHAIRS})", True),
        ("Two of our chairs went next to the desk.", f"move({CHAIRS}, place(next_to, {DESK}))", True),
        ("Half the chairs are gone.", f"remove({CHAIRS})", True),
        ("All but the red chair were sold.", f"remove({CHAIRS})", True),
        ("One of the chairs by the desk is gone.", f"remove(relate(next_to, {DESK}, {CHAIRS}))", True),
        ("Either chair was painted green.", f'set(color, "green", {CHAIRS})', True),
        ("One of the chairs went, the desk is new.", f'then(remove({CHAIRS}), set(state, "new", filter(name, "desk", scene)))', True),
        ("Somebody took away one of the chairs.", f"remove(some(1, {CHAIRS}))", False),
        ("One of the chairs, the red one, is gone.", f"remove(group({RED}))", False),
        ("All but the red chair were sold.", f"remove(exclude({RED}, {CHAIRS}))", False),
        ("All the chairs are gone.", f"remove({CHAIRS})", False),
        ("All three of the chairs are gone.", f"remove({CHAIRS})", False),
        ("Every one of the chairs is gone, each one of them.", f"remove({CHAIRS})", False),
        ("Every single one of our chairs is gone.", f"remove({CHAIRS})", False),
        ("Both chairs went to one of the corners.", f"move({CHAIRS}, place(corner))", False),
        ("They put a chair next to one of the desks.", f'add(1, thing("chair", plain), place(next_to, {DESK}))', False),
        ("One of the chairs and the desk changed places.", f"swap(unique({CHAIRS}), {DESK})", False),
    ],
)  # fmt: skip
def test_a_part_of_several_things_is_kept_or_forgotten(text, program, forgets):
    assert forgets_how_many(text, Call.parse(program)) is forgets


def test_readings_that_keep_it_come_first():
    gone, one = (
        Reading(Call.parse(f"remove({what})"), p) for what, p in ((CHAIRS, 0.9), (f"some(1, {CHAIRS})", 0.08))
    )
    refused = Reading(None, 0.01, "none")
    found = _how_many_kept("One of the chairs is gone.", [gone, one, refused])
    assert [r.program for r in found] == [one.program, gone.program, None]
    assert found[1].probability == pytest.approx(0.9 * FORGETFUL)
    assert _how_many_kept("The chairs are gone.", [gone, one, refused]) == [gone, one, refused]


def test_the_rooms_reader_does_not_take_them_all():
    class Parser:
        def parse(self, texts, sort):
            program = parse_text('remove(all("chair"))' if sort == "change" else 'count(all("chair"))')
            return [rooms.Parse("ok", program, 1.0) for _ in texts]

    def asked(change):
        own = {"change": change, "images": ("view",), "views": (0,)}
        return rooms.Question("a", "", "How many chairs are there?", "2d", "", **own)

    some, every = rooms.Reader(Parser()).read(
        [asked("One of the chairs is gone."), asked("The chairs are gone.")]
    )
    assert "how many" in some.unread
    assert every.change.program is not None
