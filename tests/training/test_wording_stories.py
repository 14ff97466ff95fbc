"""Stories become prompts where the reader is sure what their plain sentences mean."""

import json

import pytest

from po3d.io.errors import InputError
from po3d.io.seeding import rng
from po3d.language.program import Call
from po3d.language.read.reader import ParserOutput
from tools.wording_stories import agreed_program, read, scene, scene_text, words

BED = {
    "name": "bed",
    "color": "red",
    "material": "wood",
    "state": None,
    "size": [2.0, 1.0, 0.5],
    "at": [1.0, 1.0, 0.0],
    "heading": 0.0,
}
CAT = {
    "name": "cat",
    "color": "black",
    "material": None,
    "state": "asleep",
    "size": [0.4, 0.2, 0.2],
    "at": [1.1, 1.0, 0.5],
    "heading": 0.0,
}
ROOM = {"kind": "room", "size": [4.0, 3.0], "objects": [BED, CAT]}
COLOR = 'query(color, unique(filter(name, "bed", scene)))'
LAMP = 'query(color, unique(filter(name, "lamp", scene)))'


class Readings:
    """A reader that finds the same in every sentence."""

    def __init__(self, *found):
        self.found = [
            ParserOutput(Call.parse(text) if text else None, p, "" if text else "beyond") for text, p in found
        ]

    def together(self, asked):
        return [dict.fromkeys(("question", "change", "frame"), self.found) for _ in asked]


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ([(COLOR, 0.9)], True),
        ([(COLOR, 0.4), (LAMP, 0.35)], True),
        ([(COLOR, 0.25), (LAMP, 0.1)], True),
        ([(COLOR, 0.25), (LAMP, 0.2)], False),  # which of them?
        ([(COLOR, 0.15)], False),
        ([(LAMP, 0.5)], False),  # there is none
        ([("", 0.9), (COLOR, 0.05)], False),
    ],
)  # fmt: skip
def test_a_reading_is_taken_where_it_is_sure_or_likely_and_can_be_run(found, kept):
    assert agreed_program(ROOM, "question", Readings(*found).found) == (COLOR if kept else None)


def test_what_was_said_becomes_prompts_and_wordings(tmp_path):
    (tmp_path / "scenes_1.json").write_text(json.dumps([ROOM]))
    said = [
        {"scene": 0, "voice": "child", "question": ["that bed,\nwhich colour", "What color is the bed?"]},
        {"scene": 0, "voice": "boss", "change": ["I nearly sold it.", "Nothing changed."], "question": ["so?", "What color is the bed?"],
         "options": ["red", "blue"]},
    ]  # fmt: skip
    (tmp_path / "said_1.jsonl").write_text("".join(json.dumps(s) + "\n" for s in said))
    assert read(tmp_path, Readings((COLOR, 0.9))) == {"question, kept": 2, "change, kept": 1}
    prompts, voices = (
        [json.loads(line) for line in (tmp_path / f"{what}_1.jsonl").read_text().splitlines()]
        for what in ("prompts", "written")
    )
    assert [(p["sort"], p["program"]) for p in prompts] == [("question", COLOR)] * 2
    assert [p["beside"] for p in prompts] == [[], [["change", "I nearly sold it.", "none"]]]
    assert prompts[0]["things"] == [["bed", "red", "wood"], ["cat", "black", "asleep"]]
    assert voices[0] == {"n": 0, "voice": "child", "says": "that bed, which colour"}

    assert read(tmp_path, Readings((COLOR, 0.1)))["question, not sure"] == 2
    prompts = [json.loads(line) for line in (tmp_path / "prompts_1.jsonl").read_text().splitlines()]
    assert [(p["sort"], p["beside"]) for p in prompts] == [("change", [["question", "so?", ""]])]

    for broken in (said[0] | {"scene": 7}, {"scene": 0}, {"scene": 0, "question": ["one text"]}):
        (tmp_path / "said_1.jsonl").write_text(json.dumps(broken) + "\n")
        with pytest.raises(InputError, match="nothing said about a scene"):
            read(tmp_path, Readings((COLOR, 0.9)))


def test_a_question_is_run_on_what_the_change_made():
    readings = Readings((LAMP, 0.5)).found
    assert agreed_program(ROOM, "question", readings) is None
    assert (
        agreed_program(
            ROOM, "question", readings, 'add(1, thing("lamp", trait(color, "red", plain)), place(centre))'
        )
        == LAMP
    )
    assert agreed_program(ROOM, "question", readings, "none") is None


@pytest.mark.parametrize("kind", ["room", "street", "photo"])
def test_scenes_to_write_about_are_told_thing_by_thing(kind):
    made = scene(kind, rng(3, "test", 0))
    assert made == scene(kind, rng(3, "test", 0))
    first, *lines = scene_text(5, made).strip().splitlines()
    assert first == f"== scene 5: {kind}"
    assert len(lines) == len(made["objects"]) >= 5
    assert all(thing["name"] in line for thing, line in zip(made["objects"], lines, strict=True))


def test_things_of_one_name_in_a_photograph_are_told_apart_by_a_colour():
    for k in range(30):
        things = scene("photo", rng(3, "stories", k))["objects"]
        names = [thing["name"] for thing in things]
        assert all("color" in thing for thing in things if names.count(thing["name"]) > 1)


def test_a_thing_is_told_by_its_looks_and_by_what_it_stands_on():
    assert scene_text(0, ROOM).splitlines()[-1] == "black asleep cat at x 1.1 y 1.0, on the bed"
    assert words(CAT) == ["cat", "black", "asleep"]
