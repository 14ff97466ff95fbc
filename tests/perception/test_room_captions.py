"""Captions: what the grammar reads, how things are placed, and the twin's own captions."""

import numpy as np
import pytest

from po3d.io.seeding import rng
from po3d.perception.caption_grammar import CaptionRelation, read_caption
from po3d.perception.room_captions import table
from po3d.synthesis.top_view.captions import EACH, captions
from po3d.synthesis.top_view.layouts import sample_room


def noun(name, looks=None):
    return name, looks or {}


IT = noun("")


@pytest.mark.parametrize(
    ("text", "name", "looks", "said"),
    [
        (
            "This is a brown chair. It is to the left of the table near the window.",
            "chair",
            {"color": "brown"},
            [
                CaptionRelation("left", IT, (noun("table"),)),
                CaptionRelation("near", noun("table"), (noun("window"),)),
            ],
        ),
        (
            (
                "There is a grey wood coffee table in front of the black sofa. There is a red lamp"
                " on it."
            ),
            "coffee table",
            {"color": "gray", "material": "wooden"},
            [
                CaptionRelation("front", IT, (noun("sofa", {"color": "black"}),)),
                CaptionRelation("on", noun("lamp", {"color": "red"}), (IT,)),
            ],
        ),
        (
            "the fan is in the back left corner of the room; it is switched on.",
            "fan",
            {"state": "on"},
            [CaptionRelation("corner", IT, (), ("back", "left"))],
        ),
        (
            (
                "this is a window. it is made of glass. it is along the rear wall between the bed"
                " and the desk."
            ),
            "window",
            {"material": "glass"},
            [
                CaptionRelation("wall", IT, (), ("back",)),
                CaptionRelation("between", IT, (noun("bed"), noun("desk"))),
            ],
        ),
        (
            "a light brown shelf. it is on the right side of the room, next to two doors.",
            "shelf",
            {"color": "brown"},
            [CaptionRelation("side", IT, (), ("right",))],
        ),
        (
            "this is a flux compensator behind the couch.",
            "flux compensator",
            {},
            [CaptionRelation("back", IT, (noun("couch"),))],
        ),
        (
            "the picture is over the bed, in the middle of the room.",
            "picture",
            {},
            [CaptionRelation("above", IT, (noun("bed"),)), CaptionRelation("middle", IT)],
        ),
    ],
)
def test_captions_are_read(text, name, looks, said):
    assert read_caption(text) == (name, looks, said)


@pytest.mark.parametrize("text", ["", "...", "What a lovely day it was."])
def test_a_caption_without_a_thing_says_nothing(text):
    assert read_caption(text) is None
    assert len(table([("0", text)])) == 0


def test_things_stand_as_the_captions_say():
    result = table(
        [
            ("bed", "This is a white bed. It is against the back wall."),
            ("stand", "There is a nightstand to the right of the bed."),
            ("lamp", "a red lamp. it is standing on the nightstand."),
            ("door", "a door. it is at the front wall."),
            ("rug", "a rug between the bed and the door. it is to the left of the sofa."),
        ]
    )
    at = {o.value("name"): o for o in result.objects}
    assert list(at) == [
        "bed",
        "nightstand",
        "lamp",
        "door",
        "rug",
        "sofa",
    ]  # nobody described the sofa
    assert at["lamp"].value("color") == "red"
    assert at["nightstand"].position[0] > at["bed"].position[0] + 0.5
    assert at["bed"].position[1] < at["rug"].position[1] < at["door"].position[1]
    assert at["sofa"].position[0] > at["rug"].position[0] + 0.5
    stand = at["nightstand"]
    assert at["lamp"].position[2] - at["lamp"].extent[2] / 2 == pytest.approx(stand.extent[2])
    side = result.outline[2][0]
    assert at["door"].position[1] == pytest.approx(side, abs=0.1)
    assert at["bed"].position[1] - at["bed"].extent[0] / 2 == pytest.approx(0, abs=0.15)


def test_one_of_several_is_the_one_that_fits_best():
    result = table(
        [
            ("a", "a chair in the back left corner."),
            ("b", "a chair in the front right corner."),
            ("c", "a cup in the front right corner. it is next to the chair."),
            ("d", "a box next to the chair. it is on the left side of the room."),
        ]
    )
    names = [o.value("name") for o in result.objects]
    assert names == ["chair", "chair", "cup", "box"]
    distance = np.linalg.norm(
        result.positions[:, None, :2] - result.positions[None, :, :2], axis=-1
    )
    assert distance[2, 1] < distance[2, 0]
    assert distance[3, 0] < distance[3, 1]


def test_captions_of_one_key_are_about_one_thing_unless_they_differ():
    result = table(
        [("0", "a red chair."), ("0", "this is a chair by the bed."), ("0", "a blue chair.")]
    )
    assert [(o.value("name"), o.beliefs.get("color")) for o in result.objects] == [
        ("chair", {"red": 1.0}),
        ("chair", {"blue": 1.0}),
        ("bed", None),
    ]


@pytest.mark.parametrize("index", range(3))
def test_the_twins_captions_name_everything_and_their_table_is_near_the_truth(index):
    room = sample_room(9, index)
    reply = captions(room, rng(0, "captions", index))
    assert reply == captions(room, rng(0, "captions", index))
    assert len(reply) == EACH * len(room)
    assert not any(letter.isdigit() for _, text in reply for letter in text)
    result = table(reply, room.image)
    assert result == table(reply, room.image)
    assert [o.value("name") for o in result.objects] == [o.value("name") for o in room.objects]
    for attribute in ("color", "material"):
        assert [o.value(attribute) for o in result.objects] == [
            o.value(attribute) for o in room.objects
        ]
    size = np.array(room.outline[2])
    off = np.abs(
        result.positions[:, :2] / np.array(result.outline[2]) - room.positions[:, :2] / size
    )
    assert np.median(off) < 0.12  # of the room's length
