"""How a scene prints itself."""

import re
from dataclasses import replace

import numpy as np
from generators import random_scene

from po3d.io.seeding import rng
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
        repr(replace(STREET, image="a.png")) == f"Scene(4 objects, source={STREET.source!r}, image='a.png')"
    )
