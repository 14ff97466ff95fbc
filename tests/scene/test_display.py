"""How a scene prints itself."""

import math
import re
from dataclasses import replace

import numpy as np
from generators import random_scene

from po3d.io.seeding import rng
from po3d.scene.display import ARROWS, top_view
from po3d.scene.street import AXES
from po3d.scene.table import ROWS, ObjectState, Scene, sure

STREET = random_scene(rng(5, "display"), 4)


def thing(**looks: str) -> ObjectState:
    return ObjectState(sure(**looks), (1.0, 2.0, 0.0), np.pi / 2, (0.5, 0.25, 0.75))


def test_a_street_prints_a_row_for_each_object_with_its_looks_and_place():
    header, _, *rows = str(STREET).splitlines()
    assert header.split()[:5] == ["#", "size", "color", "material", "shape"]
    assert len(rows) == 4
    for k, (row, o) in enumerate(zip(rows, STREET.objects)):
        assert row.split()[0] == str(k)
        assert o.value("shape") in row
        assert f"{o.position[0]:.2f}" in row


def test_doubt_is_printed():
    doubtful = replace(thing(size="small", material="metal", shape="jet"), flip=0.25)
    doubtful.beliefs["color"] = {"red": 0.6, "blue": 0.4}
    printed = str(Scene((doubtful,), AXES, "predicted"))
    assert "red 0.60" in printed
    assert "90 0.75" in printed


def test_a_room_prints_names_and_sizes():
    printed = str(Scene((thing(name="bed"),), AXES, "gt", outline=((0, 0), (1, 0), (1, 1))))
    assert printed.splitlines()[-1].split() == [
        "0",
        "bed",
        "-",
        "-",
        "-",
        "1.00",
        "2.00",
        "0.00",
        "0.50",
        "0.25",
        "0.75",
    ]


def test_an_empty_scene_prints_its_header():
    assert len(str(Scene((), AXES, "gt")).splitlines()) == 2


def test_a_notebook_shows_the_same_cells_as_the_terminal():
    html = STREET._repr_html_()
    cells = re.findall(r"<t[hd]>(.*?)</t[hd]>", html)
    assert " ".join(cells).split() == [
        word for line in (0, *range(2, 6)) for word in str(STREET).splitlines()[line].split()
    ]


def test_a_notebook_shows_names_as_text_and_few_rows():
    scene = Scene((thing(name="<script>\x1b[2J&"),) * (ROWS + 7), AXES, "gt")
    html = scene._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;\\u001b[2J&amp;" in html
    assert html.count("<tr>") == ROWS + 1
    assert html.endswith("<p>and 7 more</p>")


def test_the_repr_is_one_short_line():
    assert (
        repr(replace(STREET, image="a.png"))
        == f"Scene(4 objects, source={STREET.source!r}, image='a.png')"
    )


def test_a_top_view_in_letters_has_each_thing_at_its_side_pointing_its_way():
    """Every heading of the eight, left of the middle and right of it, in both kinds of scene."""
    sides = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "front": (0.0, -1.0), "behind": (0.0, 1.0)}

    def box(x: float, y: float, turn: int) -> ObjectState:
        return ObjectState(sure(name="box"), (x, y, 0.1), turn * math.pi / 4, (0.2, 0.2, 0.2))

    for turn, arrow in enumerate(ARROWS):
        street = Scene((box(-3, 1, turn), box(3, -1, 0)), sides, "gt")
        lines = top_view(street).splitlines()
        (first,) = (line for line in lines if f"0{arrow}" in line)
        (second,) = (line for line in lines if "1→" in line)
        assert lines.index(first) < lines.index(second)  # behind is above
        assert first.index("0") < 20 < 40 < second.index("1")
        assert "camera" in lines[-1]
    room = {**sides, "front": (0.0, 1.0), "behind": (0.0, -1.0)}
    outline = ((-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0))
    lines = top_view(Scene((box(0, 3, 2),), room, "gt", outline=outline)).splitlines()
    assert "front" in lines[0]
    assert next(k for k, line in enumerate(lines) if "0↑" in line) < len(lines) / 3
    assert max(map(len, lines)) <= 64
    assert top_view(Scene((), sides, "gt"))
