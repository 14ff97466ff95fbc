"""Labelled maps: the file, what goes into it, the table that follows, and the OCR."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from po3d.io.errors import InputError
from po3d.perception.room_furnishing import FILLED, furnished
from po3d.perception.semantic_map import (
    SemanticMap,
    from_json,
    known_name,
    open_ocr,
    read_labels,
    semantic_map,
    table,
    to_json,
)
from po3d.scene.rooms import CATEGORIES
from po3d.scene.table import sure
from po3d.synthesis.top_view.layouts import sample_room

ROOMS = [sample_room(5, k) for k in range(4)]


@given(st.sampled_from(ROOMS), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_sizes_headings_heights_and_looks_do_not_go_into_a_map(room, seed):
    random = np.random.default_rng(seed)
    others = tuple(
        replace(
            o,
            position=(*o.position[:2], float(random.uniform(0, 2))),
            heading=float(random.uniform(-3, 3)),
            extent=tuple(map(float, random.uniform(0.1, 3, 3))),
            beliefs=sure(name=o.value("name"), color="pink", state="broken"),
        )
        for o in room.objects
    )
    display = semantic_map(replace(room, objects=others))
    assert display == semantic_map(room)
    assert table(display) == table(semantic_map(room))


@pytest.mark.parametrize("room", ROOMS)
def test_a_map_survives_json_and_its_table_keeps_names_and_places(room):
    display = semantic_map(room)
    assert from_json(to_json(display), "x") == display
    result = table(display)
    assert result.source == "predicted"
    assert [o.value("name") for o in result.objects] == [o.value("name") for o in room.objects]
    assert all(set(o.beliefs) == {"name"} for o in result.objects)
    assert np.allclose(np.array(result.outline), np.array(room.outline), atol=1e-3)
    for a, b in zip(result.objects, room.objects):
        if (
            CATEGORIES[b.value("name")].stands != "top"
        ):  # what stands on a thing of guessed size may be drawn onto it
            assert a.position[:2] == pytest.approx(b.position[:2], abs=2e-3)


def test_pixels_and_metres_say_the_same():
    metres = semantic_map(ROOMS[0])
    pixels = replace(
        metres,
        size=tuple(100 * n for n in metres.size),
        labels=tuple((name, 100 * x, 100 * y) for name, x, y in metres.labels),
        metres_per_unit=0.01,
    )
    a, b = table(metres), table(pixels)
    assert np.allclose(a.positions, b.positions)
    assert np.allclose(a.extents, b.extents)


def test_without_a_scale_things_fill_the_usual_share_of_the_floor():
    labels = (
        ("bed", 300.0, 100.0),
        ("wardrobe", 50.0, 200.0),
        ("sofa", 500.0, 300.0),
        ("table", 300.0, 250.0),
    )
    result = table(SemanticMap("x", (600.0, 400.0), labels))
    width, depth = result.outline[2]
    covered = sum(CATEGORIES[name].depth * CATEGORIES[name].width for name, _, _ in labels)
    assert width / depth == pytest.approx(1.5)
    assert covered / (width * depth) == pytest.approx(FILLED)


def test_what_a_map_leaves_open_is_filled_in_by_the_rules():
    places = {
        "wardrobe": (0.36, 2.0),  # 0.66 deep where it stands: its back at x = 0.03
        "mirror": (2.0, 3.96),
        "table": (2.0, 1.6),
        "cup": (2.1, 1.7),
        "chair": (2.0, 0.8),
        "flux compensator": (3.0, 2.5),
        "book": (3.5, 3.0),  # no carrier near
        "lamp": (3.4, 1.0),
    }
    room = furnished(list(places), list(places.values()), (4.0, 4.0), on=[None] * 7 + [4])
    wardrobe, mirror, board, cup, chair, unknown, book, lamp = room.objects
    assert (wardrobe.extent[0], wardrobe.heading) == (pytest.approx(0.66), 0.0)
    assert wardrobe.extent[1] == pytest.approx(1.30 * 0.66 / 0.60)
    assert mirror.heading == pytest.approx(-math.pi / 2)
    assert mirror.position[2] == pytest.approx(
        CATEGORIES["mirror"].bottom + CATEGORIES["mirror"].height / 2
    )
    assert cup.position[2] - cup.extent[2] / 2 == pytest.approx(board.extent[2])
    assert cup.position[:2] == pytest.approx((2.1, 1.7))
    assert chair.heading == pytest.approx(math.pi / 2)
    assert unknown.position[2] == pytest.approx(unknown.extent[2] / 2)
    assert book.position[2] == pytest.approx(book.extent[2] / 2)
    assert lamp.position[2] - lamp.extent[2] / 2 == pytest.approx(chair.extent[2])
    assert lamp.position[0] == pytest.approx(2.0 + chair.extent[1] / 2)  # over what it stands on


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "other"}, "not a semantic map"),
        ({"size": [3]}, "malformed semantic map"),
        ({"size": [3, 0]}, "should be positive"),
        ({"metres_per_unit": -1}, "should be positive"),
        ({"labels": [{"label": "bed", "center": [1]}]}, "two numbers"),
        ({"labels": [{"label": "bed", "center": [1, float("nan")]}]}, "is not finite"),
        ({"labels": 4}, "malformed semantic map"),
    ],
)
def test_a_bad_record_is_one_line(change, says):
    record = to_json(semantic_map(ROOMS[0])) | change
    with pytest.raises(InputError, match=says):
        from_json(record, "here.json")


def test_read_texts_become_known_names():
    assert known_name("Office Chair 2") == "office chair"
    assert known_name("officechair") == "office chair"
    assert known_name("bookshe1f") == "bookshelf"
    assert known_name("flux compensator") == "flux compensator"
    assert known_name("42") == ""


def test_ocr_reads_labels_where_they_are():
    pytest.importorskip("rapidocr_onnxruntime", reason="the ocr extra is not installed")
    sampled = [
        ("bed", 150, 120),
        ("office chair", 420, 200),
        ("bookshelf", 540, 400),
        ("trash can", 200, 400),
    ]
    picture = Image.new("RGB", (700, 520), "white")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((50, 40, 649, 479), fill=(200, 190, 170))
    for name, x, y in sampled:
        pen.rectangle((x - 40, y - 30, x + 40, y + 30), fill=(150, 110, 80))
        pen.text((x, y), name, fill="black", font=ImageFont.load_default(22), anchor="mm")
    result = read_labels(np.array(picture), "room")
    assert result.size == (600.0, 440.0)
    places = {name: (x, y) for name, x, y in result.labels}
    assert set(places) == {name for name, _, _ in sampled}
    for name, x, y in sampled:
        assert places[name] == pytest.approx((x - 50, y - 40), abs=4)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidocr_onnxruntime", None)
    with pytest.raises(InputError, match=r"pip install 'po3d\[ocr\]'"):
        open_ocr.__wrapped__()
